"""What looking at the data repeatedly does: `python -m bench.sequential`, and `… --table` for a summary.

Studies of two classifiers grow. Each is stopped by every one of some rules, and counted is what verdict it
ends with, how often that is wrong, and how far the HDI is from the truth. The truths are settled differences of F1,
or worlds drawn from the prior. What is finished is kept in a CSV file, setting by setting, and not done again.

A verdict is wrong where the true difference lies outside of what it says: better or worse although the difference lies
inside the ROPE, equivalent although it lies outside. A difference on the border belongs to both sides.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

import outperform as op
from bench import jobs, kept
from outperform.base.cores import in_order
from outperform.inference.question import CountQuestion
from outperform.models.batch import Batch
from outperform.planning.judging import Judge
from outperform.verdicts.goals import Goal

__all__ = ["RULES", "Looks", "Setting", "figures", "grid", "looks", "main", "summary"]

FILE = Path(__file__).parent.parent / "docs" / "explanation" / "sequential.csv"
STUDIES = 10_000
MORE = 4  # times as many studies, each in a world of its own
SIZES = (*range(100, 5_001, 100), *range(5_250, 16_001, 250))
MOST = 5_000  # items, where a study that waits for a verdict gives up
ROPE = 0.05
WIDE, NARROW = 0.8 * 2 * ROPE, 0.4 * 2 * ROPE
F1 = 0.75  # halfway between the two
AGREEMENT = {0.5: 0.8, 0.1: 0.95}  # by prevalence
DELTAS = (0.0, 0.025, 0.04, 0.05, 0.06, 0.075, 0.1)
AT_ONCE = 250  # studies
TINY = 1e-9  # rounding of the true difference
PRIOR = "prior"

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Setting:
    """How common positive items are and by how much one classifier is better; neither, for worlds from the prior."""

    prevalence: float | None = None
    delta: float | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What stands in the file."""
        return (PRIOR, PRIOR) if self.prevalence is None else (str(self.prevalence), str(self.delta))

    def truth(self) -> op.Scenario:
        """The world; the equal odds that prior worlds spread around, where there are many."""
        if self.prevalence is None or self.delta is None:
            return op.Scenario(0.5, (0.25,) * 4, (0.25,) * 4)
        a, b = F1 + self.delta / 2, F1 - self.delta / 2
        return op.Scenario.from_scores(a, b, prevalence=self.prevalence, agreement=AGREEMENT[self.prevalence])


@dataclass(frozen=True, eq=False)
class Looks:
    """HDIs of studies at each size, of shape (sizes, studies), and what they say."""

    sizes: Sequence[int]
    low: Floats
    high: Floats
    truth: Floats

    @cached_property
    def width(self) -> Floats:
        """How wide the HDIs are."""
        return self.high - self.low

    @cached_property
    def verdicts(self) -> dict[str, Flags]:
        """Whether each verdict holds."""
        low, high = self.low, self.high
        return {"better": low >= ROPE, "equivalent": (low >= -ROPE) & (high <= ROPE), "worse": high <= -ROPE}

    @cached_property
    def decided(self) -> Flags:
        """Whether any verdict holds."""
        decided: Flags = np.any(list(self.verdicts.values()), axis=0)
        return decided

    @cached_property
    def wrong(self) -> Flags:
        """Whether a verdict holds that is wrong."""
        v, truth = self.verdicts, self.truth
        better, worse = v["better"] & (truth < ROPE - TINY), v["worse"] & (truth > -ROPE + TINY)
        return better | worse | (v["equivalent"] & (np.abs(truth) > ROPE + TINY))

    def position(self, size: int) -> int:
        """Where a size is."""
        return self.sizes.index(size)


def at(size: int, looks: Looks) -> Indices:
    """Look once."""
    return np.full(looks.width.shape[1], looks.position(size))


def first_verdict(looks: Looks) -> Indices:
    """Stop as soon as there is a verdict, or when the patience ends."""
    return _first(looks.decided, looks.position(MOST))


def precise(width: float, looks: Looks) -> Indices:
    """Stop as soon as the HDI is narrow enough, whatever it says."""
    return _first(looks.width <= width, len(looks.width) - 1)


def precise_verdict(wide: float, narrow: float, looks: Looks) -> Indices:
    """Look for a verdict only once the HDI is rather narrow, and stop without one when it is narrow."""
    begun = np.logical_or.accumulate(looks.width <= wide, axis=0)
    return _first((begun & looks.decided) | (looks.width <= narrow), len(looks.width) - 1)


RULES: Mapping[str, Callable[[Looks], Indices]] = {
    "500 items": partial(at, 500),
    "1000 items": partial(at, 1_000),
    "5000 items": partial(at, 5_000),
    "first verdict": first_verdict,
    f"width {WIDE:g}": partial(precise, WIDE),
    f"width {NARROW:g}": partial(precise, NARROW),
    f"verdict from width {WIDE:g}": partial(precise_verdict, WIDE, NARROW),
}


def _first(when: Flags, last: int) -> Indices:
    """The first look at which something holds, no later than the last."""
    found: Indices = np.where(when.any(axis=0), when.argmax(axis=0), last)
    return np.minimum(found, last)


def looks(setting: Setting, studies: int, *, again: int = 0, n_jobs: int | None = None) -> Looks:
    """Studies of a setting, the same whenever they are asked for; others with another `again`."""
    seed = crc32(repr((setting.key, again)).encode())
    if setting.prevalence is None:
        return _prior_worlds(setting.truth(), studies, seed, n_jobs)
    r = op.power(
        setting.truth(),
        SIZES,
        rope=ROPE,
        model=op.Paired("uniform"),
        studies=studies,
        n_jobs=n_jobs,
        progress=False,
        rng=seed,
    )
    return Looks(SIZES, r.hdis[..., 0], r.hdis[..., 1], np.full(studies, r.delta))


def _prior_worlds(truth: op.Scenario, studies: int, seed: int, n_jobs: int | None) -> Looks:
    """Every study lives in a world of its own, drawn from the prior that judges it."""
    cells, model = truth.counts(), op.Paired("uniform")
    question = CountQuestion.check("f1", None, cells, None, draws=None, rng=seed)
    judge = Judge(cells, question, model, Goal.of("decided", (-ROPE, ROPE)), 0.95)
    batch = Batch.of(model.posterior, cells)
    assert batch is not None

    def block(k: int) -> tuple[Floats, Floats, Floats]:
        rng = np.random.default_rng([seed, k])
        worlds = batch.worlds(np.zeros(len(cells.n)), rng, min(AT_ONCE, studies - k))
        more = [rng.multinomial(items, worlds) for items in np.diff(SIZES, prepend=0)]
        n = np.cumsum(more, axis=0).astype(np.float64)
        low, high = judge.hdis(n.reshape(-1, n.shape[-1]), SeedSequence(seed, spawn_key=(k,)))
        return low.reshape(n.shape[:2]), high.reshape(n.shape[:2]), judge.deltas(worlds)

    parts = in_order(block, range(0, studies, AT_ONCE), n_jobs)
    return Looks(SIZES, *(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))


def figures(looks: Looks, rule: str) -> dict[str, Any]:
    """What studies come to when they are stopped by a rule.

    The bias is that of the HDI's middle; over many worlds, of which half are mirror images, its bias away from 0.
    """
    s, n = looks, looks.width.shape[1]
    stop = RULES[rule](looks), np.arange(n)
    items, low, high = np.asarray(s.sizes)[stop[0]], s.low[stop], s.high[stop]
    off = ((low + high) / 2 - s.truth) * (np.sign(low + high) if np.ptp(s.truth) else 1.0)
    shares = {name: flags[stop].mean() for name, flags in looks.verdicts.items()}
    shares |= {"undecided": 1 - looks.decided[stop].mean(), "wrong": looks.wrong[stop].mean()}
    rows: dict[str, Any] = {"rule": rule, "studies": n} | {name: f"{share:.4f}" for name, share in shares.items()}
    rows |= {"items_mean": f"{items.mean():.0f}"}
    rows |= {f"items_{q}": f"{np.percentile(items, q):.0f}" for q in (5, 50, 95)}
    return rows | {
        "bias": f"{off.mean():.5f}",
        "bias_error": f"{off.std() / np.sqrt(n):.5f}",
        "width": f"{looks.width[stop].mean():.4f}",
        "coverage": f"{((low <= s.truth) & (s.truth <= high)).mean():.4f}",
    }


def grid() -> Iterator[Setting]:
    """All settings, the worlds from the prior first."""
    yield Setting()
    for prevalence, delta in product(AGREEMENT, DELTAS):
        yield Setting(prevalence, delta)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the file with what it lacks."""
    parser = argparse.ArgumentParser(prog="python -m bench.sequential", description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES, help="a setting")
    jobs.option(parser)
    options = kept.asked(parser, FILE, summary, arguments)
    if options is None:
        return
    done = {(row["prevalence"], row["delta"]) for row in kept.read(options.file)}
    for setting in grid():
        if setting.key not in done:
            studies = options.studies * (MORE if setting.prevalence is None else 1)
            seen = looks(setting, studies, n_jobs=options.processes)
            key = dict(zip(("prevalence", "delta"), setting.key, strict=True))
            kept.append(options.file, [key | figures(seen, rule) for rule in RULES])


def summary(file: Path = FILE) -> str:
    """Markdown tables: the worst of all truths; verdicts and estimates by true difference; worlds from the prior."""
    rows = kept.read(file)
    prior = [row for row in rows if row["delta"] == PRIOR]
    settled = [row for row in rows if row["delta"] != PRIOR]
    tables = [_worst(settled), _by_delta(settled, _verdicts), _by_delta(settled, _estimate), _over_worlds(prior)]
    return "\n\n".join(tables)


Row = Mapping[str, str]


def _worst(rows: Sequence[Row]) -> str:
    """A line for each rule: the most that goes wrong with any truth, and the mean of the items used."""
    titles = ["rule", "wrong", "at the border", "bias", "coverage", *(f"items, {p:g} positive" for p in AGREEMENT)]
    lines: dict[tuple[str, ...], list[str]] = {}
    for rule in RULES:
        own = [row for row in rows if row["rule"] == rule]
        border = [row for row in own if float(row["delta"]) == ROPE]
        wrong = max((row["wrong"] for row in own), key=float)
        either = max((row[name] for row in border for name in ("better", "equivalent")), key=float)
        bias = max((row["bias"] for row in own), key=lambda text: abs(float(text)))
        held = [round(100 * float(row["coverage"])) for row in own]
        used = [_range([int(row["items_mean"]) for row in own if row["prevalence"] == str(p)]) for p in AGREEMENT]
        cells = [_percent(wrong), _percent(either), _signed(bias, 3), _range(held)]
        lines[(_said(own[0]),)] = [*cells, *used]
    return _table(titles, lines)


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _by_delta(rows: Sequence[Row], cell: Callable[[Row], str]) -> str:
    """A line for each rule, a column for each true difference."""
    deltas = list(dict.fromkeys(row["delta"] for row in rows))
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        lines.setdefault((row["prevalence"], _said(row)), []).append(cell(row))
    return _table(["positive", "rule", *(f"δ = {float(delta):g}" for delta in deltas)], lines)


def _over_worlds(rows: Sequence[Row]) -> str:
    """A line for each rule."""
    titles = ["rule", "better", "equivalent", "worse", "open", "wrong", "items", "width", "bias", "coverage"]
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        shares = [_percent(row[name]) for name in ("better", "equivalent", "worse", "undecided", "wrong")]
        bias = f"{_signed(row['bias'], 4)} ± {float(row['bias_error']):.4f}"
        items, width = f"{int(row['items_mean']):,}", f"{float(row['width']):.3f}"
        lines[(_said(row),)] = [*shares, items, width, bias, _percent(row["coverage"])]
    return _table(titles, lines)


def _table(titles: Sequence[str], lines: Mapping[tuple[str, ...], Sequence[str]]) -> str:
    left = len(next(iter(lines)))
    head = ["| " + " | ".join(titles) + " |", "|" + "---|" * left + ":---:|" * (len(titles) - left)]
    return "\n".join([*head, *("| " + " | ".join((*key, *cells)) + " |" for key, cells in lines.items())])


def _said(row: Row) -> str:
    """The rule's name as it is read."""
    return row["rule"].replace("000 items", ",000 items")


def _signed(number: str, digits: int) -> str:
    text = f"{float(number):+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]


def _percent(share: str) -> str:
    return f"{100 * float(share):.1f}"


def _verdicts(row: Row) -> str:
    """Wrong verdicts and none, in per cent: 0.6, 93."""
    return f"{_percent(row['wrong'])}, {100 * float(row['undecided']):.0f}"


def _estimate(row: Row) -> str:
    """By how much the HDI's middle is off, and coverage in per cent: +0.014, 96."""
    return f"{_signed(row['bias'], 3)}, {100 * float(row['coverage']):.0f}"


if __name__ == "__main__":
    main()
