"""P(H0) of the Bayes test: our integral against 10⁶ draws, as in Algorithm 1 of ACL'19, and its error.

Effective counts of two taggers after 3×2 cross-validation, for named entities (26,000 of them) and for words of a
Chinese corpus (1.2 million); the distributions are made anew each time. For the error both posteriors are Betas of
whole numbers, for which P(H0) is a finite sum of positive terms, added up with 40 digits.
"""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.random import SFC64, Generator

from bench.harness import Row, at_least, at_most, exponent, minima, missing, rate
from outperform.inference.f_beta import FBetaPosterior, prob_greater

__all__ = ["bench", "drawn", "exact", "integrated"]

DRAWS = 1_000_000
REPEAT = 7
CALLS = 20  # of ours in a row: a single one after 10⁶ draws finds nothing in the caches, and takes twice as long
BETAS = {"precision": 0.0, "recall": float("inf"), "F1": 1.0}
Cells: TypeAlias = tuple[int, int, int]  # TP, FP and FN
Two: TypeAlias = tuple[Cells, Cells]
PAIRS: dict[str, Two] = {
    "NER": ((22_900, 2_280, 3_100), (23_010, 2_350, 2_990)),
    "CWS": ((1_170_000, 54_000, 60_000), (1_170_400, 53_900, 59_600)),
}
FAR: Two = ((22_900, 2_280, 3_100), (24_100, 1_980, 1_900))
FEW: Two = ((12, 3, 5), (14, 2, 3))


def bench() -> list[Row]:
    return [*(_against_draws(task, measure) for task in PAIRS for measure in BETAS), _error()]


def integrated(pair: Two, beta: float) -> float:
    """P(H0), the second is not better: ours, from the counts on."""
    first, second = (FBetaPosterior(*cells, beta=beta) for cells in pair)
    return prob_greater(first, second)


def drawn(pair: Two, beta: float, draws: int = DRAWS) -> float:
    """P(H0) as a share of draws; F = U/(U + k(1 − U)) with U a Beta."""
    rng = Generator(SFC64(0))
    first, second = (_scores(rng, cells, beta, draws) for cells in pair)
    return float((second <= first).mean())


def exact(pair: Two, beta: float) -> Any:
    """P(X > Y) = Σ B(c + i, b + d) / ((b + i) B(1 + i, b) B(c, d)) over i < a, for X ~ Beta(a, b) and Y ~ Beta(c, d).

    Of 1 − Y and 1 − X, which has fewer terms.
    """
    from mpmath import mp, mpf

    (c, d), (a, b) = ((_rest(cells, beta), cells[0]) for cells in pair)
    with mp.workdps(40):
        log_term = mp.loggamma(c + d) - mp.loggamma(d) + mp.loggamma(b + d) - mp.loggamma(b + c + d)
        term, total = mp.exp(log_term), mpf(0)
        for i in range(a):
            total += term
            term *= mpf((c + i) * (b + i)) / ((b + c + d + i) * (1 + i))
        return total


def _against_draws(task: str, measure: str) -> Row:
    pair, beta = PAIRS[task], BETAS[measure]
    ours, theirs = minima(lambda: _often(pair, beta), partial(drawn, pair, beta), repeat=REPEAT)
    return Row(f"P(H0) of {measure}, {task}, against 10⁶ draws", CALLS / ours, 1 / theirs, rate, at_least(500))


def _often(pair: Two, beta: float) -> None:
    for _ in range(CALLS):
        integrated(pair, beta)


def _error() -> Row:
    what = "P(H0): largest relative error, against mpmath"
    absent = missing(what, "mpmath")
    if absent is not None:
        return absent
    cases = [(pair, beta) for pair in (*PAIRS.values(), FAR, FEW) for beta in BETAS.values()]
    errors = [abs(float(integrated(*case) / exact(*case) - 1)) for case in cases]
    return Row(what, max(errors), show=exponent, bar=at_most(1e-9, own=True))


def _rest(cells: Cells, beta: float) -> int:
    """What is not a true positive and counts."""
    _, fp, fn = cells
    return fp if beta == 0 else fn if beta == float("inf") else fp + fn


def _scores(rng: Generator, cells: Cells, beta: float, draws: int) -> Any:
    u = rng.beta(cells[0], _rest(cells, beta), draws)
    return u / (u + 0.5 * (1 - u)) if beta == 1 else np.asarray(u)
