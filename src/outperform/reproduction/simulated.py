"""The example of ACL'19 §2.4: data sets of two normal classes, cross-validated, of which the truth is known.

Class 0 has its mean at (0, 0), class 1 at (½, ½), the covariance of both is 1, and each item is of either class with
probability ½. So TP, FP and FN of a linear classifier are normal probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from outperform.crossval.block_cv import BlockCV
from outperform.data.contingency import FloatArray
from outperform.data.labels import IntArray
from outperform.inference.f_beta import FBetaPosterior

__all__ = ["ITEMS", "MEAN", "RUNS", "Simulation", "logistic", "simulate", "true_cells"]

RUNS, ITEMS = 1_000, 600  # data sets, and items of each, as in the paper
MEAN = np.array([0.5, 0.5])
NEWTON = 12  # steps, of which about six change anything


@dataclass(frozen=True, eq=False)
class Simulation:
    """Sums of TP, FP and FN over the six folds of each data set, and the F1 of what was fitted to it."""

    sums: FloatArray
    truth: FloatArray

    def intervals(self, factor: float) -> tuple[float, float]:
        """How often the 95% interval from so many effective counts holds the truth, and how long it is on average."""
        ends = np.array([FBetaPosterior(*(factor * sums + 1).tolist()).interval() for sums in self.sums])
        inside = (ends[:, 0] <= self.truth) & (self.truth <= ends[:, 1])
        return float(inside.mean()), float(np.diff(ends).mean())


def simulate(seed: int) -> Simulation:
    """Draw data sets and cross-validate logistic regression on each."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, (RUNS, ITEMS))
    x = rng.standard_normal((RUNS, ITEMS, 2)) + y[..., None] * MEAN
    splits = [list(BlockCV(random_state=seed + k).split(labels, labels)) for k, labels in enumerate(y)]
    counted, true = [], []
    for fold in range(len(splits[0])):
        train, test = (np.stack([split[fold][side] for split in splits]) for side in (0, 1))
        at = np.arange(RUNS)[:, None]
        weights = logistic(x[at, train], y[at, train])
        found, wanted = _positive(weights, x[at, test]), y[at, test] == 1
        counted.append(np.stack([(found & wanted).sum(1), (found & ~wanted).sum(1), (~found & wanted).sum(1)], axis=1))
        true.append(true_cells(weights))
    tp, fp, fn = np.mean(true, axis=0).T
    return Simulation(np.sum(counted, axis=0).astype(np.float64), 2 * tp / (2 * tp + fp + fn))


def logistic(x: FloatArray, y: IntArray) -> FloatArray:
    """Logistic regression of all data sets at once, by Newton's method: intercept and slopes."""
    x = np.concatenate([np.ones((*x.shape[:-1], 1)), x], axis=-1)
    weights = np.zeros((len(x), x.shape[-1]))
    for _ in range(NEWTON):
        p = expit((x @ weights[..., None])[..., 0])
        slope = ((y - p)[:, None] @ x)[:, 0]
        curve = (x * (p * (1 - p))[..., None]).transpose(0, 2, 1) @ x
        weights += np.linalg.solve(curve, slope[..., None])[..., 0]
    return weights


def _positive(weights: FloatArray, x: FloatArray) -> NDArray[np.bool_]:
    return np.asarray((x @ weights[:, 1:, None])[..., 0] + weights[:, :1] > 0)


def true_cells(weights: FloatArray) -> FloatArray:
    """TP, FP and FN of linear classifiers among endless items."""
    length = np.sqrt((weights[:, 1:] ** 2).sum(axis=1))
    hit, false = (ndtr((weights[:, 0] + weights[:, 1:] @ mean) / length) for mean in (MEAN, 0 * MEAN))
    return np.stack([hit, false, 1 - hit], axis=1) / 2
