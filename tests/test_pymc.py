"""The direct draws against PyMC's NUTS, on five tables from 20 to a million items (slow)."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

import outperform as op
from tests.tables import FIVE, pair

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ERRORS = 4  # tolerances are this many Monte-Carlo errors


def nuts(positive: Any, negative: Any) -> tuple[Any, float]:
    """Draws of δ(F1) by NUTS from SIGIR'16's compact paired model, and their effective number."""
    pm, az = pytest.importorskip("pymc"), pytest.importorskip("arviz")
    p, n = np.array(positive), np.array(negative)
    with pm.Model():
        mu = pm.Beta("mu", 1, 1)
        pm.Binomial("n_positive", n=p.sum() + n.sum(), p=mu, observed=p.sum())
        theta = {}
        for name, outcomes in (("positive", p), ("negative", n)):
            theta[name] = pm.Dirichlet(name, np.ones(4))
            pm.Multinomial(f"outcomes_{name}", n=outcomes.sum(), p=theta[name], observed=outcomes)

        def f1(one: int, other: int) -> Any:
            hit = mu * (theta["positive"][one] + theta["positive"][other])
            return 2 * hit / (mu + hit + (1 - mu) * (theta["negative"][one] + theta["negative"][other]))

        pm.Deterministic("delta", f1(0, 1) - f1(0, 2))
        trace = pm.sample(4000, tune=1000, chains=2, cores=1, random_seed=1, progressbar=False, target_accept=0.9)
    return trace.posterior["delta"].to_numpy().ravel(), float(az.ess(trace, var_names="delta")["delta"])


@pytest.mark.parametrize("name", FIVE)
def test_nuts_agrees(name: str) -> None:
    theirs, effective = nuts(*FIVE[name])
    ours = op.compare(pair(*FIVE[name]), rng=0).draws @ [1, -1]
    sd = ours.std()
    kurtosis = float(((ours - ours.mean()) ** 4).mean() / sd**4)
    share = 1 / len(ours) + 1 / effective
    assert abs(theirs.mean() - ours.mean()) < ERRORS * sd * sqrt(share)
    assert abs(theirs.std() - sd) < ERRORS * sd * sqrt((kurtosis - 1) / 4 * share)
    for end in op.hdi(ours):
        below, below_theirs = float((ours <= end).mean()), float((theirs <= end).mean())
        assert abs(below - below_theirs) < ERRORS * sqrt(below * (1 - below) * share)
