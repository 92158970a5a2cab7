"""The direct draws of ICDM'15's model against PyMC's NUTS, on a table of five classes (slow)."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

import outperform as op

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ERRORS = 4  # tolerances are this many Monte-Carlo errors
CLASSES = 5
TABLE = np.array([[36, 3, 1, 0, 2], [5, 24, 0, 1, 1], [1, 0, 3, 0, 1], [0, 2, 0, 14, 1], [2, 3, 1, 0, 20]])


def nuts() -> tuple[Any, float]:
    """Draws of macro-F1 by NUTS from the model of ICDM'15 §III, and their effective number."""
    pm, az = pytest.importorskip("pymc"), pytest.importorskip("arviz")
    pt = pytest.importorskip("pytensor.tensor")
    with pm.Model():
        eta = pm.Beta("eta", 1, 1)
        mu = pm.Dirichlet("mu", np.ones(CLASSES))
        pm.Multinomial("n", n=TABLE.sum(), p=mu, observed=TABLE.sum(axis=1))
        weights = pt.fill_diagonal(pt.ones((CLASSES, CLASSES)) * (1 - eta) / (CLASSES - 1), eta)
        theta = pm.Dirichlet("theta", weights, shape=(CLASSES, CLASSES))
        pm.Multinomial("outcomes", n=TABLE.sum(axis=1), p=theta, observed=TABLE)
        joint = mu[:, None] * theta
        f1 = 2 * pt.diag(joint) / (joint.sum(axis=0) + joint.sum(axis=1))
        pm.Deterministic("macro_f1", f1.mean())
        trace = pm.sample(2000, tune=1000, chains=2, cores=1, random_seed=1, progressbar=False, target_accept=0.95)
    return trace.posterior["macro_f1"].to_numpy().ravel(), float(az.ess(trace, var_names="macro_f1")["macro_f1"])


def test_nuts_agrees() -> None:
    theirs, effective = nuts()
    truth, guess = np.repeat(np.indices(TABLE.shape).reshape(2, -1), TABLE.ravel(), axis=1)
    sample = op.estimate(truth, guess, average="macro", model=op.Unpaired(op.Hierarchical()), rng=0).sample
    assert sample is not None
    ours = sample.draws
    sd = ours.std()
    kurtosis = float(((ours - ours.mean()) ** 4).mean() / sd**4)
    share = 1 / len(ours) + 1 / effective
    assert effective > 500
    assert abs(theirs.mean() - ours.mean()) < ERRORS * sd * sqrt(share)
    assert abs(theirs.std() - sd) < ERRORS * sd * sqrt((kurtosis - 1) / 4 * share)
    for end in op.hdi(ours):
        below, below_theirs = float((ours <= end).mean()), float((theirs <= end).mean())
        assert abs(below - below_theirs) < ERRORS * sqrt(below * (1 - below) * share)
