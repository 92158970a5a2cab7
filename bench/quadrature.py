"""Posteriors of two classes without draws: their error and time on 50 tables, beside 50,000 draws.

Tables are tiny (some ten items), sparse (few disagreements), medium and large, drawn with a fixed seed; each is
compared by a measure, paired or unpaired. The truth is many draws: differences from it are in units of its Monte-Carlo
error, so that they are about 1 where there is nothing to find. Time is that of a processor, for all that a comparison
summarises; a star marks answers that a comparison does not use, because draws take less time.
`python -m bench.quadrature [DRAWS]`
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import process_time

import numpy as np
from numpy.random import SeedSequence

from outperform.data.contingency import FloatArray
from outperform.measures.of_counts import Measure, resolve
from outperform.models.binary import _side_by_side, contingency_of
from outperform.models.dirichlet import DirichletPosterior
from outperform.models.exact import Exact, exact_scores
from outperform.verdicts.marginal import Marginal, Sampled

KINDS = {
    "tiny": (12, 40, 4.0),
    "sparse": (100, 2_000, 150.0),
    "medium": (150, 3_000, 5.0),
    "large": (5_000, 50_000, 6.0),
}
MEASURES = ("f1", "accuracy", "recall", "jaccard", "precision")
DRAWS, MANY, SEED = 50_000, 4_000_000, 20
ROPE = (-0.01, 0.01)
REPEATS = 3


def tables() -> Iterator[tuple[str, str, bool, DirichletPosterior]]:
    """Yield 50 posteriors: the kind of table, the measure, whether paired."""
    rng = np.random.default_rng(SEED)
    for k in range(50):
        kind = tuple(KINDS)[k % 4]
        fewest, most, agreement = KINDS[kind]
        items = rng.integers(fewest, most)
        positive = max(3, int(items * rng.uniform(0.1, 0.6)))
        right = rng.uniform(0.6, 0.95)
        table = []
        for number, rate in ((positive, right), (items - positive, 1 - right)):
            weights = np.array([agreement * rate, 1.0, 1.0, agreement * (1 - rate)]) * rng.uniform(0.5, 1.5, 4)
            table.append(rng.multinomial(number, weights / weights.sum()).astype(np.float64))
        paired = k % 3 != 2
        yield kind, MEASURES[k // 4 % 5], paired, (_paired if paired else _unpaired)(*table)


def _paired(positive: FloatArray, negative: FloatArray) -> DirichletPosterior:
    mu = np.array([negative.sum() + 1, positive.sum() + 1])
    return DirichletPosterior((mu, negative + 0.5, positive + 0.5), contingency_of)


def _unpaired(positive: FloatArray, negative: FloatArray) -> DirichletPosterior:
    blocks: list[FloatArray] = []
    for said in ([0, 1], [0, 2]):
        one = [
            np.array([outcomes[said].sum(), outcomes.sum() - outcomes[said].sum()]) for outcomes in (negative, positive)
        ]
        blocks += [np.array([x.sum() + 1 for x in one]), *(x + 1 for x in one)]
    return DirichletPosterior(tuple(blocks), _side_by_side)


def _summary(delta: Marginal) -> FloatArray:
    return np.array([delta.mean, delta.sd, *delta.hdi(), delta.below(0.0), delta.prob(*ROPE)])


def _exactly(posterior: DirichletPosterior, measure: Measure) -> FloatArray | None:
    found: Exact | None = exact_scores(posterior.blocks, posterior.meaning, measure, patient=True)
    if found is None or found.difference is None:
        return None
    for score in found.scores:
        _summary(score)
    return _summary(found.difference)


def _drawn(posterior: DirichletPosterior, measure: Measure, draws: int, seed: int) -> FloatArray:
    scores = posterior.scores(measure, draws=draws, seed=SeedSequence(seed))
    for column in scores.T:
        _summary(Sampled(np.ascontiguousarray(column)))
    return _summary(Sampled(np.ascontiguousarray(scores[:, 0] - scores[:, 1])))


def _timed(function: object, *arguments: object) -> tuple[FloatArray | None, float]:
    best, found = np.inf, None
    for _ in range(REPEATS):
        start = process_time()
        found = function(*arguments)  # type: ignore[operator]
        best = min(best, process_time() - start)
    return found, best


def main(many: int = MANY) -> None:
    """Print each table, and how many have an exact answer."""
    print("table   measure    pairing   | off, in errors: mean sd P(<0) P(ROPE); ends of the HDI, in sd | time, ratio")
    answered, of_use, ratios, worst = 0, 0, list[float](), 0.0
    for kind, name, paired, posterior in tables():
        measure = resolve(name)
        found, ours = _timed(_exactly, posterior, measure)
        few, theirs = _timed(_drawn, posterior, measure, DRAWS, 1)
        title = f"{kind:7} {name:10} {'paired' if paired else 'unpaired':9} |"
        if found is None:
            print(title, f"draws instead, after {1e3 * ours:.1f} ms, {ours / theirs:.2f}")
            continue
        used = exact_scores(posterior.blocks, posterior.meaning, measure) is not None
        answered, of_use = answered + 1, of_use + used
        ratios += [ours / theirs] if used else []
        truth = _drawn(posterior, measure, many, 2)
        off = _errors(found, truth, many)
        worst = max(worst, float(np.abs(off[[0, 1, 4, 5]]).max()))
        assert few is not None
        shown = " ".join(f"{x:5.1f}" for x in off[[0, 1, 4, 5]]) + "; " + " ".join(f"{x:6.3f}" for x in off[2:4])
        print(title, shown, f"| {1e3 * ours:.1f} ms, {ours / theirs:.2f}{'' if used else ' *'}")
    print(f"{answered} of 50 certain, {of_use} used; worst {worst:.1f} errors")
    print(f"time ratio of those used: median {np.median(ratios):.2f}, largest {max(ratios):.2f}")


def _errors(found: FloatArray, truth: FloatArray, draws: int) -> FloatArray:
    sd, shares = truth[1], truth[4:]
    of_shares = np.sqrt(np.maximum(shares * (1 - shares), 10 / draws) / draws)
    unit = np.array([sd / draws**0.5, sd / (2 * draws) ** 0.5, sd, sd, *of_shares])
    return np.asarray((found - truth) / unit)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
