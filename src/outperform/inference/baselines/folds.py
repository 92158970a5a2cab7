"""Classical tests on the folds of a cross-validation, shown next to the Bayesian results.

All p-values are two-sided, for the hypothesis of equal scores, from the differences d of the two scores on each fold,
of shape (repetitions, folds). None of them is exact: folds share training data.

For m×2 block-regularised folds, with correlation ρ between any two of J = 2m differences, E[S²] = σ²(1 − ρ) and
Var[mean] = σ²(1 + (J − 1)ρ)/J. With ρ = ½, the upper end of the values found for such folds, it is S²(J + 1)/J:
conservative, like the 3×2 test of Wang et al. (2014), on which it is based, and for two folds the same as Nadeau and
Bengio's.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from outperform.data.cells import Fold
from outperform.data.contingency import FloatArray
from outperform.inference.baselines.counts import centred, differences

__all__ = [
    "block_t_test", "corrected_t_test", "five_by_two_f_test", "five_by_two_t_test", "fold_tests", "k_fold_t_test",
]  # fmt: skip


def fold_tests(folds: tuple[Fold, ...], scores: FloatArray) -> dict[str, float | None]:
    """Return every test that the folds allow, from scores of shape (folds, 2)."""
    if not np.isfinite(scores).all():
        return {}
    difference = differences(*scores.T)
    repetitions = list(dict.fromkeys(repetition for repetition, _ in folds))
    rows = [difference[[r == repetition for r, _ in folds]] for repetition in repetitions]
    if {len(row) for row in rows} & {0, 1} or len(set(map(len, rows))) > 1:
        return {}
    d = np.array(rows)
    tests = {"corrected_t_test": corrected_t_test(d)}
    if d.shape == (5, 2):
        tests |= {"five_by_two_t_test": five_by_two_t_test(d), "five_by_two_f_test": five_by_two_f_test(d)}
    if d.shape[1] == 2 and len(d) > 1:
        tests["block_t_test"] = block_t_test(d)
    if len(d) == 1 and d.shape[1] > 2:
        tests["k_fold_t_test"] = k_fold_t_test(d)
    return dict(tests)


def corrected_t_test(d: FloatArray) -> float:
    """Nadeau and Bengio's corrected resampled t-test: the variance is S²(1/J + n_test/n_train), with J − 1 degrees."""
    return _t(float(d.mean()), _variance(d) * (1 / d.size + 1 / (d.shape[1] - 1)), d.size - 1)


def five_by_two_t_test(d: FloatArray) -> float:
    """Dietterich's 5×2 cv t-test: the first difference over the mean variance within repetitions, 5 degrees."""
    return _t(float(d[0, 0]), float(_within(d).mean()), 5)


def five_by_two_f_test(d: FloatArray) -> float:
    """Alpaydin's combined 5×2 cv F-test: Σd² over twice the variances within repetitions, 10 and 5 degrees."""
    if not d.any():
        return 1.0
    spread = 2 * float(_within(d).sum())
    if spread == 0:
        return 0.0
    from scipy.special import fdtrc

    return float(fdtrc(10, 5, float((d**2).sum()) / spread))


def block_t_test(d: FloatArray) -> float:
    """The t-test on m×2 block-regularised folds, ρ = ½; it equals the corrected t-test."""
    return corrected_t_test(d)


def k_fold_t_test(d: FloatArray) -> float:
    """The k-fold cross-validated t-test, as if folds were independent: anticonservative for unstable learners."""
    return _t(float(d.mean()), _variance(d) / d.size, d.size - 1)


def _variance(d: FloatArray) -> float:
    """Return the variance of all differences."""
    return float((centred(d) ** 2).sum()) / (d.size - 1)


def _within(d: FloatArray) -> FloatArray:
    """Return the variance of the two differences of each repetition."""
    variance: FloatArray = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return variance


def _t(estimate: float, variance: float, freedom: int) -> float:
    if estimate == 0:
        return 1.0
    from scipy.special import stdtr

    return 2 * float(stdtr(freedom, -abs(estimate) / sqrt(variance) if variance > 0 else -inf))
