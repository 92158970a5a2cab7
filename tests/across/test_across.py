"""Scores of folds and of data sets: against baycomp, closed forms and PyMC; edges, errors and the two commands."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gammaln

import outperform as op
from outperform.across import CorrelatedT, HierarchicalT, Sign, SignedRank
from outperform.across import hierarchical as hierarchy
from outperform.cli.options import FORMATS
from outperform.results.three_way import ThreeWay
from outperform.verbs.compare_datasets import compare_datasets
from outperform.verbs.compare_folds import NO_SPREAD, compare_folds
from tests.command import refused, run

ERRORS = 4  # tolerances are this many Monte-Carlo errors
A = [0.84, 0.86, 0.83, 0.85, 0.87, 0.84, 0.85, 0.86, 0.83, 0.85, 0.81, 0.88]
B = [0.83, 0.86, 0.82, 0.83, 0.86, 0.85, 0.82, 0.86, 0.81, 0.84, 0.82, 0.85]

# baycomp 1.0.3: two_on_single(A, B, rope=0.01, runs=runs); its left is the first better, as ours.
CORRELATED = {
    1: (0.5000000000000007, 0.49773719811665074, 0.0022628018833485974),
    2: (0.5000000000000004, 0.4911518633211962, 0.008848136678803353),
    3: (0.5000000000000004, 0.47890347457945215, 0.021096525420547407),
    4: (0.5000000000000003, 0.4609135780332515, 0.039086421966748164),
}
WITHOUT_ROPE = {1: 0.9483735460858319, 2: 0.9044728509517159, 3: 0.862519257237951, 4: 0.8237942348691887}

# Differences of which pairs lie exactly on the ROPE's borders, in 64ths so that floats say so too.
TIED = np.array([-3, -2, -1, 0, 1, 2, 2, 3, 4, 4, 6, 1, 2, 0, -1, 5]) / 64
# baycomp 1.0.3: SignTest.probs and SignedRankTest.probs(TIED, 0 * TIED, rope, nsamples=200_000, random_state=1).
TIES = {
    ("signed_rank", 2 / 64): (0.169135, 0.830865, 0.0),
    ("signed_rank", 1.5 / 64): (0.48254, 0.51743, 3e-05),
    ("signed_rank", None): (0.98438, 0.0, 0.01562),
    ("sign", 2 / 64): (0.058785, 0.940855, 0.00036),
    ("sign", 1.5 / 64): (0.60122, 0.39237, 0.00641),
}
THEIR_DRAWS = 200_000

# Accuracy of naive Bayes minus that of J48 in percent, mean over 10 × 10 folds, on 54 data sets, from baycomp's manual.
NBC_MINUS_J48 = [
    -2.696, -5.826, 6.142, 0.488, -7.333, -0.072, -0.072, 1.66, -11.395, 2.87, -0.377, 10.463, 0.521, 0.0, 5.117, 3.844,
    -0.875, -0.713, -0.267, -11.646, 1.8, 0.0, 8.729, -1.428, -23.166, -2.528, -4.239, -6.882, 13.577, -3.23, 7.25,
    -0.896, 0.937, -1.667, 6.19, -2.996, -3.361, -3.357, -4.027, 2.036, -0.439, -3.025, -1.84, 1.251, -4.467, -15.6,
    -0.462, -17.748, 5.096, 3.976, 7.977, 2.16, 0.539, 1.373,
]  # fmt: skip
# The sd of these differences over the folds of each data set.
SPREAD = [
    2.271, 8.936, 5.917, 3.93, 17.21, 3.25, 3.25, 5.243, 7.124, 4.399, 8.24, 10.34, 4.721, 0, 8.079, 5.097, 0.7019,
    5.025, 3.116, 1.892, 12.78, 0, 11.11, 4.33, 5.275, 1.877, 0.7254, 0.751, 1.876, 0.9295, 24.74, 1.002, 3.851,
    5.528, 6.722, 1.878, 4.469, 4.419, 4.021, 10.39, 3.092, 1.147, 8.32, 1.357, 18.71, 20.9, 2.859, 5.921, 2.041,
    17.38, 6.098, 2.087, 2.508, 5.937,
]  # fmt: skip
# That manual: two_on_multiple(nbc, j48, rope=1) and SignTest.probs(nbc, j48, rope=1), 50,000 draws.
MANUAL = {"signed_rank": (0.23014, 0.00674, 0.76312), "sign": (0.26344, 0.13722, 0.59934)}

MADE = np.array(
    [
        [0.0984, 0.0458, -0.0375, 0.0166, 0.0379, 0.0054, 0.0425, 0.0106, 0.0418, 0.0746],
        [-0.0251, -0.0023, -0.0196, -0.0043, -0.0384, -0.0226, -0.0127, 0.0157, 0.0221, -0.0419],
        [0.0079, 0.0227, -0.0044, 0.0113, 0.0151, 0.029, 0.0231, 0.0127, 0.0123, 0.0135],
        [0.0285, -0.015, -0.0122, 0.0024, -0.0082, -0.0099, -0.0303, -0.0057, -0.0153, 0.0205],
        [0.0561, 0.0186, 0.057, 0.0011, 0.0782, 0.0196, 0.0522, -0.0517, 0.0391, -0.0737],
        [0.0078, 0.0473, 0.0337, 0.0579, 0.1054, 0.0352, 0.04, 0.0589, 0.0654, 0.0502],
        [-0.086, -0.0551, -0.0613, -0.1142, -0.0817, -0.0778, -0.1149, -0.0702, -0.1082, -0.0459],
        [0.0103, 0.0093, 0.0027, 0.0073, -0.011, -0.0026, 0.012, -0.0123, 0.0167, -0.0085],
        [0.0702, -0.0334, 0.0716, 0.0297, -0.078, 0.102, 0.1144, 0.017, 0.0036, 0.0109],
        [-0.0205, 0.0204, -0.012, -0.0023, -0.0169, -0.0136, -0.0265, 0.0236, -0.0043, 0.0178],
    ]
)
# Naive Bayes minus J48 on the folds of one run, on eight of those data sets; two have no spread.
REAL = np.array(
    [
        [-0.0222, -0.0111, -0.0333, -0.0111, -0.0111, -0.0333, 0.0, -0.0222, -0.0337, -0.0225],
        [0.087, -0.1739, -0.0435, -0.2174, -0.0435, 0.0, -0.1818, 0.0, -0.0455, -0.0909],
        [0.0909, 0.0455, -0.1818, 0.0455, 0.0, 0.0, -0.0476, -0.0952, 0.0952, -0.0476],
        [0.125, 0.25, 0.0, 0.0625, 0.0, 0.0, -0.1333, 0.1333, -0.0667, -0.0667],
        [0.0, 0.0, 0.0, 0.0, 0.0667, 0.0, 0.0, 0.0, -0.1333, 0.0],
        [0.0] * 10,
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.1111, -0.1111, 0.0, -0.1111],
        [0.0] * 10,
    ]
)
# PyMC 5.28.5, NUTS (numpyro 0.22), two chains, target_accept 0.97, no divergences but 12 of the first, on the model of
# hierarchical.py with every σᵢ and μᵢ sampled (of the two data sets without spread, with the sum of squares of the one
# with the least): posterior means and their Monte-Carlo errors from 80 batches.
NUTS: dict[str, dict[str, tuple[float, float]]] = {
    "made": {  # 80,000 draws a chain, random_seed=5
        "mu": (0.0043818, 4.04e-05),
        "variance": (0.00016864, 1.35e-06),
        "log sigma": (-3.46514, 0.00256),
        "log nu": (2.94270, 0.00494),
        "commonest below": (0.327413, 0.00138),
        "commonest within": (0.069456, 0.00120),
        "commonest above": (0.603131, 0.00134),
        "next below": (0.330946, 0.00054),
        "next within": (0.237879, 0.00065),
        "next above": (0.431175, 0.00042),
        "mean above": (0.314294, 0.00125),
        "mean below": (0.117644, 0.00105),
    },
    "many": {  # 40,000 draws a chain, random_seed=5
        "mu": (-0.00485141, 1.64e-05),
        "variance": (3.56946e-05, 2.86e-07),
        "log sigma": (-3.53343, 0.00179),
        "log nu": (0.941304, 0.0036),
        "commonest below": (0.782737, 0.00136),
        "commonest within": (0.0230875, 0.000689),
        "commonest above": (0.194175, 0.00122),
        "next below": (0.43651, 0.000236),
        "next within": (0.232751, 0.000309),
        "next above": (0.330739, 0.000246),
        "mean above": (0.0070875, 0.000336),
        "mean below": (0.184613, 0.00154),
    },
}
EACH = [  # mean of each data set of the first, its error, and its sd
    (0.024858, 6.2e-05, 0.018167), (-0.010441, 3.6e-05, 0.011143), (0.013954, 1.7e-05, 0.005114),
    (-0.003514, 2.6e-05, 0.009217), (0.013551, 6.3e-05, 0.020585), (0.042129, 5.6e-05, 0.014775),
    (-0.068239, 1.12e-04, 0.019567), (0.002500, 1.6e-05, 0.005652), (0.018375, 6.6e-05, 0.023868),
    (-0.002537, 2.8e-05, 0.009393),
]  # fmt: skip
MANY = np.array(NBC_MINUS_J48)[:, None] / 100 + np.outer(SPREAD, np.tile([-0.01, 0.01], 50))  # 100 folds of each
SETS = {"made": MADE, "real": REAL, "many": MANY}


def pair(differences: Any) -> dict[str, Any]:
    """Scores of two systems that differ by so much."""
    return {"a": np.asarray(differences) + 0.5, "b": np.full(np.shape(differences), 0.5)}


def three(r: ThreeWay) -> tuple[float, float, float]:
    return r.p_better, r.p_equal, r.p_worse


def swapped(scores: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(scores.items()))


@cache
def fitted(name: str) -> HierarchicalT:
    return HierarchicalT.of(SETS[name], 0.1, draws=50_000, seed=0)


# Folds of one data set


@pytest.mark.parametrize("runs", CORRELATED)
def test_folds_agree_with_baycomp(runs: int) -> None:
    assert three(compare_folds({"a": A, "b": B}, runs=runs, rope=0.01)) == pytest.approx(CORRELATED[runs], abs=1e-12)
    r = compare_folds({"a": A, "b": B}, runs=runs)
    assert three(r) == pytest.approx((WITHOUT_ROPE[runs], 0, 1 - WITHOUT_ROPE[runs]), abs=1e-12)
    assert r.decision is None


def test_folds_are_a_student_t() -> None:
    d, rho = np.array(A) - B, 1 / 6
    scale = sqrt(d.var(ddof=1) * (1 / 12 + rho / (1 - rho)))
    t = stats.t(11, d.mean(), scale)
    r = compare_folds({"a": A, "b": B}, runs=2, rope=(-0.005, 0.02), mass=0.9)
    assert r.delta is not None
    assert three(r) == pytest.approx((t.sf(0.02), t.cdf(0.02) - t.cdf(-0.005), t.cdf(-0.005)), abs=1e-13)
    assert (r.delta.mean, r.delta.sd) == pytest.approx((d.mean(), t.std()), rel=1e-12)
    assert r.delta.hdi == pytest.approx(t.interval(0.9), rel=1e-10)
    assert (r.mc_error, r.datasets, r.folds) == (0, 1, 12)
    assert r.observed == pytest.approx(d.mean())


def test_more_runs_of_the_same_scores_are_less_certain() -> None:
    sds = [compare_folds({"a": A, "b": B}, runs=runs).delta for runs in (1, 2, 3, 4, 6)]
    assert sorted(d.sd for d in sds if d and d.sd) == [d.sd for d in sds if d]


def test_repeated_hold_out_takes_its_share() -> None:
    with_share = compare_folds({"a": A, "b": B}, runs=12, test_share=0.25, rope=0.01)
    assert three(with_share) == pytest.approx(CORRELATED[3], abs=1e-12)  # four folds test a quarter each
    with pytest.raises(ValueError, match="12 runs leave one score a run; for repeated hold-out tests give test_share"):
        compare_folds({"a": A, "b": B}, runs=12)


def test_tails_keep_their_digits() -> None:
    far = CorrelatedT(0.5, 0.01, 30, 0.1).regions((-0.01, 0.01))
    assert far.below == pytest.approx(stats.t.cdf(-51, 30), rel=1e-10)


def test_two_or_three_folds_have_no_sd() -> None:
    for n in (2, 3):
        r = compare_folds({"a": A[:n], "b": B[:n]}, runs=1, rope=0.01)
        assert r.delta is not None
        assert r.delta.sd is None
        assert "sd" not in r.to_text().split("Mean difference")[1].split("\n")[0]
        assert ThreeWay.from_dict(json.loads(r.to_json())) == r


@pytest.mark.parametrize(
    ("shift", "rope", "sure"), [(0.02, 0.01, "p_better"), (-0.02, 0.01, "p_worse"), (0.02, 0.02, "p_equal")]
)
def test_the_same_difference_throughout(shift: float, rope: float, sure: str) -> None:
    r = compare_folds({"a": np.array(B) + shift, "b": B}, runs=1, rope=rope)
    assert getattr(r, sure) == 1
    assert r.decision is not None
    assert r.decision.name == "undecided"
    assert r.notes == (NO_SPREAD.format(n=12),)


def test_rounding_errors_of_large_scores_are_no_spread() -> None:
    large = {"a": [1_000_000.3, 1_000_000.1, 1_000_000.7], "b": [1_000_000.2, 1_000_000.0, 1_000_000.6]}
    r = compare_folds(large, runs=1, rope=0.01)
    assert r.decision is not None
    assert r.decision.name == "undecided"
    assert r.notes[-1] == NO_SPREAD.format(n=3)


# One score a data set


@pytest.mark.parametrize(("method", "rope"), TIES)
def test_ties_with_the_border_agree_with_baycomp(method: str, rope: float | None) -> None:
    own = three(compare_datasets({"a": TIED, "b": 0 * TIED}, method=method, rope=rope, draws=THEIR_DRAWS, rng=0))
    for p, q in zip(own, TIES[method, rope], strict=True):
        share = 2 if method == "signed_rank" else 1  # signs are exact
        assert abs(p - q) <= ERRORS * sqrt(share * max(p, q) * (1 - min(p, q)) / THEIR_DRAWS) + 1e-4


@pytest.mark.parametrize("method", MANUAL)
def test_the_figures_of_the_manual(method: str) -> None:
    scores = {"nbc": NBC_MINUS_J48, "j48": [0.0] * 54}
    r = compare_datasets(scores, method=method, rope=1, rng=0)
    for p, q in zip(three(r), MANUAL[method], strict=True):
        assert abs(p - q) <= ERRORS * sqrt(q * (1 - q) * (2 if r.mc_error else 1) / 50_000)


# baycomp 1.0.3: SignTest.probs(TIED, 0 * TIED, 2/64, prior=(3, LEFT), …) and SignedRankTest.probs(…, prior=4, …).
@pytest.mark.parametrize(
    ("method", "strength", "place", "theirs"),
    [("sign", 3, "better", (0.316345, 0.68337, 0.000285)), ("signed_rank", 4, "rope", (0.055545, 0.944455, 0.0))],
)
def test_priors_agree_with_baycomp(method: str, strength: float, place: str, theirs: tuple[float, ...]) -> None:
    r = compare_datasets(
        {"a": TIED, "b": 0 * TIED}, method=method, rope=2 / 64, prior_strength=strength, prior_place=place, rng=0
    )
    for p, q in zip(three(r), theirs, strict=True):
        assert abs(p - q) <= ERRORS * sqrt(q * (1 - q) * (1 / 200_000 + 1 / 50_000)) + 1e-4


@pytest.mark.parametrize("rope", [0.01, (-0.02, 0.005), None])
@pytest.mark.parametrize("place", ["rope", "above", "below"])
def test_signed_ranks_are_the_double_sum(rope: Any, place: str) -> None:
    rng = np.random.default_rng(3)
    z = np.round(rng.normal(0.01, 0.02, 9), 2)
    low, high = (0.0, 0.0) if rope is None else rope if isinstance(rope, tuple) else (-rope, rope)
    shares = SignedRank(z, 1.0, 0.5, place, 40_000, 1).shares(None if rope is None else (low, high))
    own = np.append(z, {"rope": 0.0, "above": np.inf, "below": -np.inf}[place])
    sums = np.round(own[:, None] + own, 9)
    weight = rng.dirichlet([1.0] * 9 + [0.5], 40_000)
    above = (sums > 2 * high) + 0.5 * (np.abs(sums - 2 * high) < 1e-9)
    below = (sums < 2 * low) + 0.5 * (np.abs(sums - 2 * low) < 1e-9)
    for k, table in enumerate((below, above)):
        theirs = np.einsum("di,ij,dj->d", weight, table, weight)
        error = sqrt(2 * theirs.var() / 40_000)
        assert shares[:, k].mean() == pytest.approx(theirs.mean(), abs=ERRORS * error)
        assert shares[:, k].std() == pytest.approx(theirs.std(), rel=0.03)


@pytest.mark.parametrize(
    "alpha", [(3.0, 2.0, 5.0), (0.5, 0.0, 4.0), (40.0, 1.0, 38.0), (0.0, 6.0, 0.0), (0.3, 0.3, 0.3)]
)
def test_signs_are_exact(alpha: tuple[float, ...]) -> None:
    below, within, above = (int(a) for a in alpha)
    d = np.repeat([-1.0, 0.0, 1.0], (below, within, above))
    test = Sign(d, 1.0, 0.0, "rope")
    object.__setattr__(test, "_alpha", lambda _: np.array(alpha))
    own = test.regions((-0.5, 0.5))
    draws = np.random.default_rng(0).gamma(np.array(alpha) + 1e-300, size=(400_000, 3))
    for p, k in zip((own.below, own.within, own.above), range(3), strict=True):
        assert abs(p - (draws.argmax(axis=1) == k).mean()) < ERRORS * sqrt(0.25 / 400_000)


def test_signs_without_a_rope_are_a_beta() -> None:
    d = np.array([0.1, 0.2, 0.1, -0.1, 0.3, 0.0, 0.2])
    r = compare_datasets(pair(d), method="sign")
    assert three(r) == pytest.approx((stats.beta(5, 1).sf(0.5), 0, stats.beta(5, 1).cdf(0.5)))
    assert r.mc_error == 0


def test_rounded_scores_on_the_border_are_within() -> None:
    a, b = [0.85, 0.86, 0.31, 0.71], [0.84, 0.85, 0.30, 0.70]  # 0.85 − 0.84 is a little more than 0.01 in floats
    assert max(np.array(a) - b) > 0.01
    assert three(compare_datasets({"a": a, "b": b}, method="sign", rope=0.01)) == (0, 1, 0)


def test_the_next_data_set_of_signs() -> None:
    r = compare_datasets(pair([0.1, 0.2, 0.0, -0.1]), method="sign", rope=0.05)
    assert r.next_data_set is not None
    assert (r.next_data_set.better, r.next_data_set.equal, r.next_data_set.worse) == (0.4, 0.4, 0.2)


def test_rows_are_averaged_for_signs_and_ranks() -> None:
    for method in ("sign", "signed_rank"):
        whole = compare_datasets(pair(MADE), method=method, rope=0.01, rng=0)
        means = compare_datasets(pair(MADE.mean(axis=1)), method=method, rope=0.01, rng=0)
        assert three(whole) == pytest.approx(three(means), abs=1e-12)
        assert whole.datasets == 10


# The hierarchy


def test_the_likelihood_is_the_integral_of_two_t() -> None:
    data = hierarchy._standardised(MADE, 0.1)
    log_variance = np.arange(2 * np.log(0.05), 2 * np.log(5), 0.15)
    mu = np.array([-1.0, 0.0, 0.7])
    variances, mixing = hierarchy._mixing(data, log_variance)
    freedom = np.exp(hierarchy.FREEDOM) + 1
    ratios = []
    for i in (0, 6):
        own = (float(data.freedom), float(data.mean[i]), float(data.scale[i]))
        (mass,) = hierarchy._components(data, i, mu, variances, 1)
        table = (mass @ mixing).reshape(len(mu), len(log_variance), -1) / sqrt(2 * np.pi)
        for a, b, c in [(0, 2, 8), (1, 10, 0), (1, 20, 13), (2, 30, 6), (2, 50, 10)]:
            other = (float(freedom[c]), float(mu[a]), float(np.exp(log_variance[b] / 2)))
            low, high = sorted((float(data.mean[i]), float(mu[a])))
            parts = ((-np.inf, low), (low, high), (high, np.inf))
            exact = sum(
                integrate.quad(lambda x, o=own, t=other: np.exp(_log_t(x, *o) + _log_t(x, *t)), *p, epsabs=1e-11)[0]
                for p in parts
            )
            ratios.append(table[a, b, c] / exact)
    assert ratios == pytest.approx([1.0] * 10, abs=5e-4)


@pytest.mark.parametrize("name", NUTS)
def test_nuts_agrees(name: str) -> None:
    h = fitted(name)
    shares = h.shares((-0.01, 0.01))
    commonest = shares.argmax(axis=1)
    draws: dict[str, Any] = {
        "mu": h.mu,
        "variance": (h.mu - h.mu.mean()) ** 2,
        "log sigma": np.log(h.sigma),
        "log nu": np.log(h.nu),
        "mean above": h.mu > 0.01,
        "mean below": h.mu < -0.01,
    }
    for k, where in enumerate(("below", "within", "above")):
        draws |= {f"commonest {where}": commonest == k, f"next {where}": shares[:, k]}
    assert draws.keys() == NUTS[name].keys()
    for what, (theirs, error) in NUTS[name].items():
        own = float(np.mean(draws[what]))
        assert abs(own - theirs) < ERRORS * sqrt(error**2 + float(np.var(draws[what])) / 50_000), what


def test_shrunken_estimates_agree_with_nuts() -> None:
    h = fitted("made")
    for own, sd, (theirs, error, spread) in zip(h.means, h.sds, EACH, strict=True):
        assert abs(own - theirs) < ERRORS * error
        assert sd == pytest.approx(spread, rel=0.05)


def test_brute_force_agrees() -> None:
    """Every integral over μᵢ by Gauss's rule between many points, on a grid of its own. These data have σ₀ near 0."""
    h, (theirs, shares) = fitted("real"), brute_force(REAL, 0.1)
    for what, draws in (("mu", h.mu), ("log sigma", np.log(h.sigma)), ("log nu", np.log(h.nu))):
        error = float(draws.std()) / sqrt(50_000)
        assert abs(float(draws.mean()) - theirs[what][0]) < ERRORS * error, what
        assert float(draws.std()) == pytest.approx(theirs[what][1], rel=0.01), what
    own = h.next_data_set((-0.01, 0.01))
    assert (own.below, own.within, own.above) == pytest.approx(shares, abs=0.002)


def brute_force(x: Any, rho: float) -> tuple[dict[str, tuple[float, float]], list[float]]:
    """Mean and sd of μ₀, log σ₀ and log ν, and the next data set's shares; straight from the model's densities."""
    n, sd = x.shape[1], x.std(axis=1)
    sd = np.maximum(sd, sd[sd > 0].min())
    mean, scale = x.mean(axis=1), sd * sqrt((1 + (n - 1) * rho) / (1 - rho) / (n - 2))
    width = 3 * float(mean.std())
    mu = np.linspace(mean.mean() - width, mean.mean() + width, 49)[:, None, None]
    sigma = np.exp(np.linspace(np.log(width / 3e4), np.log(width * 8), 61))[:, None]
    rest = np.exp(np.linspace(np.log(2e-3), np.log(300), 13))  # ν − 1
    nodes, weights = np.polynomial.legendre.leggauss(8)
    log_weight = np.log(sigma) + np.log([_prior(y) * y for y in rest]) + 0 * mu
    points = np.array([-1e4, -300, -50, -12, -4, -1.5, 0, 1.5, 4, 12, 50, 300, 1e4])
    for k in range(len(x)):
        own, theirs = (mean[k] + scale[k] * points)[None, None], mu + sigma * points
        ends = np.sort(np.concatenate([np.broadcast_to(own, theirs.shape), theirs], axis=-1))
        half = np.diff(ends)[..., None] / 2
        at = ends[..., :-1, None] + half * (nodes + 1)
        fixed = half * weights * np.exp(_log_t(at, n - 2.0, mean[k], scale[k]))
        z = (at - mu[..., None]) / sigma[..., None]
        for j, nu in enumerate(rest + 1):
            inner = (fixed * np.exp(_log_t(z, nu, 0.0, 1.0))).sum(axis=(-1, -2)) / sigma[:, 0]
            log_weight[..., j] += np.log(inner)
    p = np.exp(log_weight - log_weight.max())
    p /= p.sum()

    def moments(v: Any) -> tuple[float, float]:
        centre = float((p * v).sum())
        return centre, sqrt(float((p * (v - centre) ** 2).sum()))

    found = {"mu": moments(mu), "log sigma": moments(np.log(sigma)), "log nu": moments(np.log(rest + 1))}
    below, above = stats.t.cdf((-0.01 - mu) / sigma, rest + 1), stats.t.sf((0.01 - mu) / sigma, rest + 1)
    return found, [float((p * share).sum()) for share in (below, 1 - below - above, above)]


def _log_t(x: Any, nu: float, mean: float, scale: float) -> Any:
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - np.log(nu * np.pi) / 2 - np.log(scale)
    return constant - (nu + 1) / 2 * np.log1p(((x - mean) / scale) ** 2 / nu)


def _prior(y: float) -> float:
    """Density of ν − 1: a gamma, averaged over its shape and rate."""
    return float(np.mean(stats.gamma.pdf(y, np.linspace(0.5, 5, 200)[:, None], scale=1 / np.linspace(0.05, 0.15, 100))))


def test_estimates_are_drawn_together() -> None:
    r = compare_datasets(pair(MADE), rope=0.01, rng=0, datasets=[f"set {k}" for k in range(10)])
    observed, means = (np.array([getattr(e, name) for e in r.estimates]) for name in ("observed", "mean"))
    assert [e.name for e in r.estimates][:2] == ["set 0", "set 1"]
    assert observed == pytest.approx(MADE.mean(axis=1))
    assert means.std() < observed.std()
    assert r.delta is not None
    assert (np.abs(means - r.delta.mean) < np.abs(observed - r.delta.mean) + 1e-4).all()
    assert r.delta.p_better + r.delta.p_equal + r.delta.p_worse == pytest.approx(1)
    assert r.method == "hierarchical"


def test_the_hierarchy_knows_no_unit() -> None:
    one, hundred = (compare_datasets(pair(s * MADE[:6]), rope=s * 0.01, rng=0) for s in (1, 100))
    assert three(hundred) == pytest.approx(three(one), abs=2e-3)
    assert one.delta
    assert hundred.delta
    assert hundred.delta.mean == pytest.approx(100 * one.delta.mean, rel=1e-3)


@pytest.mark.parametrize("shape", [(2, 3), (3, 10), (40, 5)])
def test_any_number_of_data_sets(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    h = HierarchicalT.of(
        0.02 + 0.05 * rng.normal(size=shape) + 0.02 * rng.normal(size=(shape[0], 1)), 0.2, draws=5000, seed=0
    )
    for draws in (h.mu, h.sigma, h.nu, h.means, h.sds):
        assert np.isfinite(draws).all()
    assert h.regions((-0.01, 0.01)).above > h.regions((-0.01, 0.01)).below


@pytest.mark.slow
def test_hyperparameters_are_recovered() -> None:
    """Of 12 studies made by the model, about 95 in a hundred HDIs hold the true mean over data sets.

    So it is if the posterior is right, which NUTS and brute force tell in seconds.
    """
    rng, hits = np.random.default_rng(11), 0
    for _ in range(12):
        centre = 0.02 + 0.03 * rng.standard_t(5, size=(8, 1))
        noise = sqrt(0.2) * rng.normal(size=(8, 1)) + sqrt(0.8) * rng.normal(size=(8, 5))
        low, high = HierarchicalT.of(centre + 0.04 * noise, 0.2, draws=4000, seed=0).center(None, 0.95).hdi
        hits += low < 0.02 < high
    assert stats.binom(12, 0.95).cdf(hits) > 0.001


def test_data_sets_without_spread() -> None:
    flat = MADE.copy()
    flat[3] = 0.02
    r = compare_datasets(pair(flat), rope=0.01, rng=0)
    assert r.notes[0].startswith("1 data set has the same difference on every fold")
    assert r.estimates[3].mean == pytest.approx(0.02, abs=0.002)
    with pytest.raises(ValueError, match=r"differ by the same on every fold of each data set.*use signed_rank"):
        compare_datasets(pair(np.repeat([[0.1], [0.2], [0.1]], 5, axis=1)))


# What holds for all


CASES: list[tuple[str, Any]] = [("sign", TIED), ("signed_rank", TIED), ("hierarchical", MADE[:6])]


@pytest.mark.parametrize(("method", "differences"), CASES)
def test_swapping_and_turning(method: str, differences: Any) -> None:
    scores = pair(differences)
    settings: dict[str, Any] = {"method": method, "rope": (-0.02, 0.01), "rng": 0}
    r = compare_datasets(scores, **settings)
    turned = compare_datasets(swapped(scores), **(settings | {"rope": (-0.01, 0.02)}))
    errors = compare_datasets(scores, **settings, greater_is_better=False)
    assert three(errors) == (r.p_worse, r.p_equal, r.p_better)
    assert three(turned) == pytest.approx((r.p_worse, r.p_equal, r.p_better), abs=1e-12)
    assert turned.observed == pytest.approx(-r.observed)
    assert errors.observed == r.observed
    assert sum(three(r)) == pytest.approx(1)


def test_where_errors_are_scored_the_prior_turns_too() -> None:
    settings: dict[str, Any] = {"method": "sign", "rope": 0.01, "prior_strength": 20, "prior_place": "better"}
    for greater in (True, False):
        r = compare_datasets(pair(TIED * 0.1), **settings, greater_is_better=greater)
        assert r.p_better > 0.5 > r.p_worse


@pytest.mark.parametrize(("method", "differences"), CASES)
def test_same_seed_same_numbers_and_another_rope(method: str, differences: Any) -> None:
    r, again = (compare_datasets(pair(differences), method=method, rope=0.01, rng=7) for _ in range(2))
    assert r == again
    wide = compare_datasets(pair(differences), method=method, rope=0.03, mass=0.8, rng=7)
    assert r.with_rope(0.03).with_mass(0.8) == wide
    assert r.with_rope(None).decision is None
    assert ThreeWay.from_dict(json.loads(r.to_json())) == r
    assert f"method:{method}|" in r.signature
    with pytest.raises(ValueError, match="read back without its posterior"):
        ThreeWay.from_dict(r.to_dict()).with_rope(0.1)


def test_numbers_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    many = SignedRank(TIED, 1.0, 0.5, "rope", 30_000, 4).shares((-0.01, 0.01))
    monkeypatch.setattr("outperform.base.cores.cores", lambda: 1)
    assert (SignedRank(TIED, 1.0, 0.5, "rope", 30_000, 4).shares((-0.01, 0.01)) == many).all()


@pytest.mark.parametrize("mass", [0.8, 0.95])
def test_a_verdict_takes_its_mass(mass: float) -> None:
    r = compare_datasets(pair(TIED), method="sign", rope=0.05, mass=mass)
    assert r.decision is not None
    assert r.decision.name == ("equivalent" if mass == 0.8 else "undecided")  # p_equal is 0.989
    assert r.decision.decided == (mass == 0.8)


@pytest.mark.parametrize(
    ("method", "greater", "shift"),
    [
        *product(["sign", "signed_rank"], [True, False], [0.2, -0.2, 0.0]),
        ("hierarchical", True, 0.2),
        ("hierarchical", False, 0.2),
        ("hierarchical", True, 0.0),
    ],
)
def test_fewer_than_six_data_sets_make_no_verdict(method: str, greater: bool, shift: float) -> None:
    """Six data sets on one side are as rare as 1 in 64 by chance, five as 1 in 32."""
    name = "equivalent" if not shift else "better" if (shift > 0) == greater else "worse"
    rng = np.random.default_rng(0)
    for n in (2, 5, 6):
        rows = shift + 3e-3 * rng.standard_normal((n, 4))
        r = compare_datasets(
            pair(rows if method == "hierarchical" else rows[:, 0]),
            method=method,
            rope=0.05,
            greater_is_better=greater,
            draws=2_000,
            rng=0,
            prior_strength=None if method == "hierarchical" else 0.1,
        )
        assert r.decision is not None
        assert r.decision.name == (name if n > 5 else "undecided")
        withheld = any(note.startswith("No verdict: few data sets make") for note in r.notes)
        assert withheld == (n == 5 or (n == 2 and max(three(r)) >= 0.975))


@pytest.mark.parametrize("method", ["signed_rank", "sign"])
@pytest.mark.parametrize("greater", [True, False])
def test_one_outlier_does_not_withhold_a_verdict(method: str, greater: bool) -> None:
    """Signs and ranks ask on how many data sets a system is better, so the size of one difference decides nothing."""
    for outlier in (-0.1, -3.0):  # the mean difference is +0.05, and -0.09
        d = np.append(np.linspace(0.05, 0.07, 19), outlier)
        r = compare_datasets(pair(d), method=method, rope=0.01, greater_is_better=greater, rng=0)
        assert r.decision is not None
        assert r.decision.name == ("better" if greater else "worse")


@pytest.mark.parametrize("method", ["signed_rank", "sign"])
@pytest.mark.parametrize("n", [7, 12])
def test_equal_systems_are_seldom_told_apart(method: str, n: int) -> None:
    """At most 5% and four standard errors of 400 studies. Fewer than six data sets make no verdict at all."""
    told = 0
    for seed in range(400):
        d = 0.05 * np.random.default_rng([seed, n]).standard_normal(n)
        r = compare_datasets(pair(d), method=method, rope=0.001, draws=500, rng=seed)
        assert r.decision is not None
        told += r.decision.decided
    assert told <= 20 + 4 * np.sqrt(400 * 0.05 * 0.95)


@pytest.mark.parametrize("method", ["sign", "signed_rank", "hierarchical", "folds"])
def test_identical_scores(method: str) -> None:
    """Folds of 5 items of systems with accuracies of 0.9 and 0.8 are all tied in 14% of threefold validations."""
    same = {"a": MADE + 0.5, "b": MADE + 0.5}
    if method == "folds":
        same = {name: own[0] for name, own in same.items()}
    for rope in (0.01, None):
        r = (
            compare_folds(same, runs=1, rope=rope)
            if method == "folds"
            else compare_datasets(same, method=method, rope=rope, rng=0)
        )
        assert three(r) == (0, 1, 0)
        assert r.notes[0] == "The two have the same scores throughout."
        expected = "undecided" if method == "folds" else "equivalent"
        assert (None if r.decision is None else r.decision.name) == (expected if rope else None)
        assert (NO_SPREAD.format(n=10) in r.notes) == (method == "folds")
        assert r.to_text()


def test_units_are_remarked_on() -> None:
    scores = {"a": [87.3, 80.1, 60.2], "b": [85.0, 79.0, 61.0]}
    assert compare_datasets(scores, rope=0.01, rng=0).notes == (
        "The scores reach 87.3, but the ROPE is ±0.01: a ROPE is in units of the scores.",
    )
    assert compare_datasets(scores, rope=0.5, rng=0).notes == ()
    wide = compare_datasets({"a": A, "b": B}, rope=(-1, 2), rng=0).notes
    assert wide == (
        "The ROPE, [-1, 2], is wider than the difference of any two scores: a ROPE is in units of the scores.",
    )


def test_a_forgotten_number_of_runs_is_remarked_on() -> None:
    wide = np.hstack([MADE[:6], MADE[:6]])
    note = "20 scores per data set are treated as 20 folds of one run; give runs if the cross-validation was repeated."
    assert compare_datasets(pair(wide), rope=0.01, rng=0).notes == (note,)
    assert compare_datasets(pair(wide), rope=0.01, rng=0, runs=2).notes == ()


def test_texts_and_tables() -> None:
    r = compare_datasets(pair(MADE), rope=0.01, rng=0, measure="accuracy")
    assert repr(r).startswith("a ? b   Δaccuracy = +0.004   P(better, same, worse) = 6")
    text = r.to_text(verbose=True)
    for part in (
        "Next: collect more data sets like these.",
        f"unresolved: a is better with probability {r.p_better:.1%} (a ? b)",
        "on the next data set",
        "that mean over data sets",
        "data set   observed",
        r.signature,
    ):
        assert part in text
    assert len(r.tables()) == 2
    assert r.to_latex().count(r"\begin{table}") == 2
    (record,) = csv.DictReader(io.StringIO(r.to_csv()))
    assert float(record["p_better"]) == r.p_better
    assert record["decision"] == "undecided"
    none = r.with_rope(None)
    assert none.to_text().startswith("P(a is better on more data sets like these) = ")
    assert "practically the same" not in none.to_text()
    assert repr(none).count("%") == 2


# Bad input


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1, 2], "scores must give two systems their names.*got list"),
        ({"a": A}, "scores must be of two systems, got 1 .'a'.; compare them two by two"),
        ({"a": A, "b": B, "c": B}, "scores must be of two systems, got 3"),
        ({"1": A, 1: B}, "need names that differ"),
        ({"a": A, "b": B[:-1]}, "'a' has 12 scores and 'b' has 11 scores"),
        ({"a": [0.1, np.nan], "b": [0.1, 0.2]}, "scores of 'a' hold nan at place 2; leave that pair out"),
        ({"a": [0.1, np.inf], "b": [0.1, 0.2]}, "scores of 'a' hold inf at place 2"),
        ({"a": ["x", "y"], "b": [0.1, 0.2]}, "scores of 'a' must be numbers"),
        ({"a": [1e300, 1.0, 2.0], "b": [0.1, 0.2, 0.3]}, "scores of 'a' hold a number as large as 1e[+]300, whose"),
        (
            {"a": [3e-170, 1e-170], "b": [0.0, 0.0]},
            "no number is larger than 3e-170, whose square is too small",
        ),
        ({"a": [0.1], "b": [0.2]}, "at least 2 .* are needed, got 1"),
    ],
)
def test_scores_are_checked(scores: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        compare_folds(scores, runs=1)
    with pytest.raises((ValueError, TypeError), match=message):
        compare_datasets(scores)


def test_rows_are_checked() -> None:
    broken = MADE.copy()
    broken[1, 2] = np.nan
    for scores, message in (
        (pair(broken), "scores of 'a' hold nan at data set 2, fold 3"),
        ({"a": [[0.1, 0.2], [0.1]], "b": [[0.1, 0.2], [0.1]]}, "must be numbers, as many for each data set"),
        ({"a": MADE, "b": MADE[:, :5]}, "'a' has 10 data sets of 10 scores and 'b' has 10 data sets of 5 scores"),
        (pair(MADE[:1]), "at least 2 data sets are needed, got 1"),
        (pair(MADE[:, :2]), "needs at least 3 scores of each data set, got 2"),
        (pair(MADE[None]), r"must be one sequence or one row for each data set, got shape \(1, 10, 10\)"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_datasets(scores)
    with pytest.raises(ValueError, match=r"must be one sequence, got shape \(10, 10\)"):
        compare_folds(pair(MADE), runs=1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "wilcoxon"}, "unknown method 'wilcoxon'; known: hierarchical, sign, signed_rank"),
        ({"method": "hierarchical"}, "needs a row of scores for each data set"),
        ({"prior_place": "left"}, "unknown prior_place 'left'; known: better, rope, worse"),
        ({"prior_strength": -1}, "prior_strength must be a number of at least 0, got -1"),
        ({"draws": 0}, "draws must be a whole number of at least 1, got 0"),
        ({"mass": 95}, "mass must lie between 0 and 1"),
        ({"rope": (0.01, 0.02)}, "rope must contain 0"),
        ({"rope": np.inf}, "rope must be finite, got inf"),
        ({"rope": (0.02, -0.02)}, "rope is reversed"),
        ({"rope": "x"}, "rope must be a number or a pair"),
        ({"runs": 2}, "runs and test_share are for rows of scores"),
        ({"datasets": ["x"]}, "datasets must name each of 12 data sets, got 1 names"),
        ({"datasets": ["x"] * 12}, "two data sets are called 'x'"),
        ({"rng": -1}, "rng must be None, a whole number"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_datasets({"a": A, "b": B}, **settings)


@pytest.mark.parametrize("datasets", [5, 1.5, True, "iris", b"iris", object, np.array(5)])
def test_names_of_data_sets_are_a_sequence(datasets: Any) -> None:
    with pytest.raises(TypeError, match=r"datasets must be a sequence of names, one for each of 12 data sets, got "):
        compare_datasets({"a": A, "b": B}, datasets=datasets)


@pytest.mark.parametrize("said", [None, "no", 0, "false"])
def test_what_is_better_is_true_or_false(said: Any) -> None:
    """None counted as False in compare_folds, which reversed its verdict, and "no" as True everywhere."""
    message = "greater_is_better must be True or False, got "
    with pytest.raises(TypeError, match=message):
        compare_folds({"a": A, "b": B}, runs=1, greater_is_better=said)
    if said is not None:
        for ask in (compare_datasets, op.compare_scores, op.rank_scores):
            with pytest.raises(TypeError, match=message):
                ask({"a": A, "b": B}, greater_is_better=said)


def test_settings_of_rows_and_folds_are_checked() -> None:
    with pytest.raises(ValueError, match="its own priors; leave prior_strength and prior_place out"):
        compare_datasets(pair(MADE), prior_strength=1)
    with pytest.raises(ValueError, match="10 scores do not make 3 runs of as many folds"):
        compare_datasets(pair(MADE), runs=3)
    with pytest.raises(TypeError, match="say with runs= how often the cross-validation was repeated: 1 for plain"):
        compare_folds({"a": A, "b": B})
    with pytest.raises(ValueError, match="12 scores do not make 5 runs"):
        compare_folds({"a": A, "b": B}, runs=5)
    for runs in (0, 1.5, True):
        with pytest.raises(ValueError, match="runs must be a whole number of at least 1"):
            compare_folds({"a": A, "b": B}, runs=runs)  # type: ignore[arg-type]
    for share in (0, 1, "x"):
        with pytest.raises(ValueError, match="test_share must lie between 0 and 1"):
            compare_folds({"a": A, "b": B}, runs=1, test_share=share)  # type: ignore[arg-type]


# The commands


def answer(*args: str) -> str:
    """What a command prints."""
    result = run(*args)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def written(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


@pytest.fixture
def folds(tmp_path: Path) -> str:
    rows = [[k // 6 + 1, k % 6 + 1, a, b] for k, (a, b) in enumerate(zip(A, B, strict=True))]
    return written(tmp_path / "folds.csv", ["run", "fold", "svm", "nb"], rows)


@pytest.fixture
def many(tmp_path: Path) -> str:
    scores = pair(MADE[:5])
    rows = [[f"set {i}", j + 1, name, scores[name][i, j]] for name in scores for j in range(10) for i in range(5)]
    return written(tmp_path / "many.csv", ["name", "fold", "model", "accuracy"], rows)


def test_the_command_for_folds(folds: str, tmp_path: Path) -> None:
    r = json.loads(
        answer("compare-folds", folds, "--systems", "svm", "nb", "--runs", "2", "--rope", "0.01", "--format", "json")
    )
    assert (r["p_better"], r["p_equal"], r["p_worse"]) == pytest.approx(CORRELATED[2])
    by_column = ("compare-folds", folds, "--systems", "svm", "nb", "--run", "run", "--fold", "fold", "--rope", "0.01")
    assert (
        answer(*by_column).splitlines()[0]
        == answer(*by_column[:4], "nb", "--runs", "2", "--rope", "0.01").splitlines()[0]
    )
    long = written(
        tmp_path / "long.csv",
        ["model", "fold", "acc"],
        [*(["nb", k, b] for k, b in enumerate(B)), *(["svm", 11 - k, a] for k, a in enumerate(reversed(A)))],
    )
    asked = (
        "compare-folds",
        long,
        "--system",
        "model",
        "--score",
        "acc",
        "--fold",
        "fold",
        "--runs",
        "2",
        "--rope",
        "0.01",
    )
    r = json.loads(answer(*asked, "--systems", "svm", "nb", "--format", "json"))
    assert (r["p_better"], r["p_equal"], r["p_worse"]) == pytest.approx(CORRELATED[2])
    assert "--lower-is-better" in answer("compare-folds", "--help")
    worse = json.loads(answer(*asked, "--systems", "svm", "nb", "--lower-is-better", "--format", "json"))
    assert worse["p_worse"] == pytest.approx(CORRELATED[2][0])


@pytest.mark.parametrize("format_", FORMATS)
def test_the_command_for_data_sets(many: str, format_: str) -> None:
    asked = (
        "compare-datasets",
        many,
        "--system",
        "model",
        "--score",
        "accuracy",
        "--dataset",
        "name",
        "--rope",
        "0.01",
    )
    out = answer(*asked, "--fold", "fold", "--format", format_, "-m", "accuracy")
    assert "hierarchical" in out
    if format_ == "json":
        names = [f"set {i}" for i in range(5)]
        r = compare_datasets(pair(MADE[:5]), rope=0.01, rng=0, measure="accuracy", datasets=names)
        assert ThreeWay.from_dict(json.loads(out)) == r


def test_the_command_for_means(tmp_path: Path) -> None:
    path = written(tmp_path / "means.csv", ["set", "a", "b"], [[k, x + 0.5, 0.5] for k, x in enumerate(TIED)])
    asked = (
        "compare-datasets",
        path,
        "--systems",
        "a",
        "b",
        "--dataset",
        "set",
        "--method",
        "sign",
        "--rope",
        "0.03125",
    )
    r = json.loads(answer(*asked, "--format", "json", "--prior-strength", "3", "--prior-place", "better"))
    assert r["p_better"] == pytest.approx(0.316345, abs=ERRORS * 0.001)
    assert json.loads(answer(*asked[:6], "set", "--format", "json", "--draws", "1000"))["signature"].count(
        "draws:1000|seed:0"
    )


def test_the_commands_refuse(folds: str, many: str, tmp_path: Path) -> None:
    two = ("--systems", "svm", "nb")
    assert "say with --runs how often the cross-validation was repeated" in refused("compare-folds", folds, *two)
    assert "name two columns of scores with --systems" in refused("compare-folds", folds, "--runs", "1")
    assert "has no column 'lr'; it has 'run', 'fold', 'svm', 'nb'" in refused(
        "compare-folds", folds, "--systems", "svm", "lr", "--runs", "1"
    )
    assert "--systems names 'nb' twice" in refused("compare-folds", folds, "--systems", "nb", "nb", "--runs", "1")
    assert "leave --runs out" in refused("compare-folds", folds, *two, "--run", "run", "--fold", "fold", "--runs", "2")
    assert "--system and --score go together" in refused("compare-folds", folds, "--system", "run", "--runs", "1")
    again = refused("compare-folds", folds, "--systems", "nb", "svm", "--runs", "1", "--fold", "fold")
    assert "line 8: 'nb' has a second score of fold '1'; name the column that tells them apart" in again
    by_set = ("compare-datasets", many, "--system", "model", "--score", "accuracy", "--dataset", "name")
    assert "'a' has a second score of data set 'set 0'; name the column that tells them apart" in refused(*by_set)
    assert "has no 'lr' in column 'model'; it has 'a', 'b'" in refused(*by_set, "--systems", "a", "lr")
    gap = written(tmp_path / "gap.csv", ["s", "m", "x"], [["1", "a", 1], ["1", "b", 2], ["2", "a", 3]])
    long = ("--system", "m", "--score", "x", "--dataset", "s")
    assert "has no score of 'b' for data set '2'; every one needs both" in refused("compare-datasets", gap, *long)
    third = written(tmp_path / "third.csv", ["s", "m", "x"], [["1", name, 1] for name in "abc"])
    assert "name two systems with --systems;" in refused("compare-datasets", third, *long)
    odd = written(tmp_path / "odd.csv", ["s", "f", "a", "b"], [["1", 1, 1, 2], ["1", 2, 1, 2], ["2", 1, 1, 2]])
    uneven = ("compare-datasets", odd, "--systems", "a", "b", "--dataset", "s", "--fold", "f")
    assert "has 1 scores of data set '2' and 2 of '1'; every data set needs as many folds" in refused(*uneven)
    text = written(tmp_path / "text.csv", ["a", "b"], [["1", "x"], ["2", "3"]])
    assert "line 2: 'x' in column 'b' is not a number" in refused(
        "compare-folds", text, "--systems", "a", "b", "--runs", "1"
    )


def test_folds_that_differ_by_rounding_alone_lean_to_no_side() -> None:
    """The mean of differences that cancel out was 3e-17, which leant towards the first."""
    pair = {"a": [0.1, 0.2, 0.0], "b": [0.0, 0.0, 0.3]}
    assert np.subtract(*map(np.array, pair.values())).mean() != 0
    for scores in (pair, dict(reversed(pair.items()))):
        decision = compare_folds(scores, runs=1, rope=0.01).decision
        assert decision is not None
        assert decision.name == "undecided"
