"""Scores on folds or on several data sets, for a paper: a table of the differences, and the sentences to report it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from outperform.base.errors import unknown
from outperform.formats import numbers
from outperform.formats.table import Column, Table
from outperform.render.captions import TITLES, brief, capital, joined, label_of, margin
from outperform.render.three_way import digits_of, method_of, words_of
from outperform.results import views
from outperform.results.three_way import OnDataSet, ThreeWay
from outperform.verdicts.decision import OUTCOMES
from outperform.verdicts.interval import Interval

__all__: list[str] = []

NOTHING = "–"
LIKELY = {"better": "{a} better", "equal": "practically the same", "worse": "{b} better"}


@dataclass(frozen=True)
class _Row:
    """A data set, or all of them."""

    name: str
    difference: float
    mean: float | None
    interval: Interval | None
    outcome: str | None


@views.paper.of(ThreeWay)
def of_scores(r: ThreeWay, columns: Sequence[str]) -> Sequence[Table]:
    """A row per data set, and one for the mean over all."""
    rows = [*map(_on, r.by_data_set()), _overall(r)]
    known = _columns(r)
    usual = [key for key in ("difference", "interval", "verdict") if _is_there(rows, key)]
    for key in columns:
        if key not in known:
            raise ValueError(unknown("column", key, known))
    keys = list(dict.fromkeys(columns)) or usual
    chosen = [Column("data set" if len(rows) > 1 else "", "l", lambda row: row.name), *map(known.__getitem__, keys)]
    label = label_of(r.measure, "data-sets" if r.datasets > 1 else "folds", r.a, r.b)
    return [Table.of(rows, chosen, _caption(r, keys), r.signature, r.notes, label=label, total=len(rows) > 1)]


@views.reporting.of(ThreeWay)
def sentences(r: ThreeWay) -> tuple[str, str]:
    """The verdict with its probabilities, and the test, the rule and the signature."""
    a, b = brief(r.a), brief(r.b)
    if r.decision is None:
        claim = f"{a} is better with posterior probability {numbers.percent(r.p_better)}"
    else:
        claim = words_of(r, r.decision, a, b)
        if not r.decision.decided:
            said = claim.removeprefix("unresolved").replace(", leans", " and leans")
            claim = f"the comparison of {a} and {b} is unresolved{said}"
    where = f"Over {r.datasets} data sets" if r.datasets > 1 else f"On {r.folds} folds"
    where += "" if r.measure == "score" else f", in {_title(r)}"
    difference = _signed(r, r.observed).replace("-", "−")
    text = f"{where}, {claim} (mean difference {difference}; {_shares(r)})."
    rule = f" A verdict requires a probability of {numbers.percent((1 + r.mass) / 2)}." if r.datasets > 1 else ""
    version = r.signature.parts.get("outperform", "")
    return text, f"Scores were compared with outperform {version} ({method_of(r)}).{rule} Signature: {r.signature}."


def _columns(r: ThreeWay) -> dict[str, Column]:
    digits, about = digits_of(r), "" if r.datasets == 1 else "about "
    return {
        "difference": Column("Δ", cell=lambda row: _signed(r, row.difference)),
        "mean": Column("mean", cell=lambda row: NOTHING if row.mean is None else _signed(r, row.mean)),
        "interval": Column(
            f"{about}{100 * r.mass:g}% HDI of Δ",
            "c",
            lambda row: numbers.interval(row.interval, digits, difference=True) if row.interval else NOTHING,
        ),
        "verdict": Column("", "c", lambda row: OUTCOMES[row.outcome][0] if row.outcome else NOTHING),
    }


def _is_there(rows: Sequence[_Row], key: str) -> bool:
    """Whether any row has an interval or a verdict."""
    held: dict[str, list[object]] = {
        "interval": [row.interval for row in rows],
        "verdict": [row.outcome for row in rows],
    }
    return key not in held or any(held[key])


def _on(row: OnDataSet) -> _Row:
    """Without an interval there is no verdict on a data set, only a side on which it was observed."""
    return _Row(row.name, row.observed, row.mean, row.interval, row.outcome if row.interval else None)


def _overall(r: ThreeWay) -> _Row:
    found = None if r.decision is None else r.decision.name
    mean, interval = (None, None) if r.delta is None else (r.delta.mean, r.delta.hdi)
    return _Row("all" if r.datasets > 1 else f"{r.a} − {r.b}", r.observed, mean, interval, found)


def _caption(r: ThreeWay, keys: Sequence[str]) -> str:
    """What is compared, on what, how probable each outcome is, and what the signs mean."""
    a, b = brief(r.a), brief(r.b)
    where = f"on {r.datasets} data sets" if r.datasets > 1 else f"on {r.folds} folds of one data set"
    beside = f", with the {100 * r.mass:g}% highest density interval (HDI)" if "interval" in keys else ""
    region = "" if r.rope is None else f"Region of practical equivalence (ROPE): {margin(r.rope)}"
    signs = f"{a} against {b}: ≫ better, ≪ worse, ≈ practically the same, > < ? unresolved" if "verdict" in keys else ""
    said = f"{capital(_title(r))} {where}, Δ = {a} − {b}, as observed{beside}"
    return joined(said, f"{method_of(r)}: {_shares(r)}", region, signs)


def _shares(r: ThreeWay) -> str:
    """Each outcome with its probability; over data sets, of being the commonest one."""
    shares = {"better": r.p_better, "equal": r.p_equal, "worse": r.p_worse}
    shown = [key for key in shares if r.rope is not None or key != "equal"]
    words = [f"{LIKELY[key].format(a=brief(r.a), b=brief(r.b))} {numbers.percent(shares[key])}" for key in shown]
    most = "probabilities of the commonest outcome on data sets like these" if r.datasets > 1 else "probabilities"
    return f"{most}: {', '.join(words)}"


def _title(r: ThreeWay) -> str:
    return TITLES.get(r.measure, r.measure)


def _signed(r: ThreeWay, value: float) -> str:
    return numbers.signed(value, digits_of(r))
