"""Simulation-based calibration of the exact models: the truth has a uniform rank among the posterior draws.

A truth is drawn from the prior, data from the truth, and scores from the posterior that the package has of the data.
Then the truth is one more draw of the same posterior, so its rank among the others is uniform, whatever the prior, the
size of the data and the measure. Ranks that pile up at the ends are of a posterior that is too narrow, at one end of
one that is off, in the middle of one that is too wide. All of these bend the distribution of ranks smoothly, so that
a smooth test finds them in far fewer ranks than χ² does in bins: two hundred tell a posterior whose items count for
one and a half.

The priors and the scores are written here from the models' equations, and share no code with the package. The pooled
prior is left out: it is read off the data, so there is no truth that could be drawn from it beforehand.

References
----------
Neyman, "Smooth test" for goodness of fit, Skandinavisk Aktuarietidskrift 20, 1937.
Cook, Gelman and Rubin, Validation of Software for Bayesian Models Using Posterior Quantiles, JCGS 15(3), 2006.
Talts, Betancourt, Simpson, Vehtari and Gelman, Validating Bayesian Inference Algorithms with Simulation-Based
Calibration, arXiv:1804.06788, 2018.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.polynomial.legendre import legvander
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import stats

import outperform as op
from outperform.data.task import LabelSets
from outperform.inference.draws import draw
from outperform.inference.question import CountQuestion
from tests.tables import pair

Array: TypeAlias = NDArray[np.float64]
Scores: TypeAlias = dict[tuple[str, str | None], Array]  # by measure and average, of both classifiers
World: TypeAlias = Callable[[Generator], tuple[op.Counts, Scores]]

DRAWS = 99  # so that a rank is one of 100
REPEATS = 200
DEGREES = 4  # of polynomials: ranks that are shifted, pile up at the ends, are skewed, and have two peaks
IMPROBABLE = 0.001
SEED = 2
FOLDS = [(repetition, fold) for repetition in (1, 2, 3) for fold in (1, 2)]


def f1(joint: Array) -> Array:
    """Return F1 of every class, from the shares of true and predicted classes."""
    return np.asarray(2 * np.diag(joint) / (joint.sum(axis=0) + joint.sum(axis=1)))


def binary_scores(joints: list[Array]) -> Scores:
    """Return scores from shares by true and predicted class, the positive one last; one table per classifier."""
    accuracy = np.array([np.trace(joint) for joint in joints])
    return {("f1", None): np.array([f1(joint)[1] for joint in joints]), ("accuracy", None): accuracy}


def many_scores(joints: list[Array]) -> Scores:
    return {
        ("f1", "macro"): np.array([f1(joint).mean() for joint in joints]),
        ("accuracy", None): np.array([np.trace(joint) for joint in joints]),
    }


def apart(first: NDArray[np.int64], second: NDArray[np.int64]) -> op.Counts:
    """Return counts of two classifiers on separate items, from their confusion counts."""
    truth, guess = np.indices(first.shape).reshape(2, -1)
    others = np.full(len(guess), -1)
    predictions = np.concatenate([np.column_stack([guess, others]), np.column_stack([others, guess])])
    n = np.concatenate([first.ravel(), second.ravel()]).astype(np.float64)
    return op.Counts(("a", "b"), tuple(range(len(first))), np.tile(truth, 2), predictions, n).merged()


def paired_binary(rng: Generator) -> tuple[op.Counts, Scores]:
    """μ ~ Beta(1, 1); θ₊, θ₋ ~ Dir(1, 1, 1, 1) of the outcomes 11, 10, 01, 00."""
    mu, positive, negative = rng.beta(1, 1), rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
    n = rng.binomial(50, mu)
    counts = pair(rng.multinomial(n, positive).tolist(), rng.multinomial(50 - n, negative).tolist())
    joints = []
    for other in (1, 2):  # an outcome besides 11 in which the classifier predicts positive
        found, false = positive[0] + positive[other], negative[0] + negative[other]
        joints.append(np.array([[(1 - mu) * (1 - false), (1 - mu) * false], [mu * (1 - found), mu * found]]))
    return counts, binary_scores(joints)


def unpaired_binary(rng: Generator) -> tuple[op.Counts, Scores]:
    """For each classifier μ, θ₊, θ₋ ~ Beta(1, 1), on separate items."""
    seen, joints = [], []
    for items in (30, 70):
        mu, found, false = rng.random(3)
        joints.append(np.array([[(1 - mu) * (1 - false), (1 - mu) * false], [mu * (1 - found), mu * found]]))
        n = rng.binomial(items, mu)
        hit, wrong = rng.binomial(n, found), rng.binomial(items - n, false)
        seen.append(np.array([[items - n - wrong, wrong], [n - hit, hit]]))
    return apart(*seen), binary_scores(joints)


def hierarchical_spread(eta: float, classes: int) -> Array:
    """Return a spread with η on the correct class, and the rest evenly on the others."""
    return np.where(np.eye(classes, dtype=bool), eta, (1 - eta) / (classes - 1))


def unpaired_many(rng: Generator, *, hierarchical: bool) -> tuple[op.Counts, Scores]:
    """For each classifier μ ~ Dir(1, …, 1), and θ_j ~ Dir(1, …, 1) or Dir(η, (1 − η)/3, …) with η ~ Beta(1, 1)."""
    seen, joints = [], []
    for items in (40, 90):
        weights = hierarchical_spread(rng.beta(1, 1), 4) if hierarchical else np.ones((4, 4))
        joint = rng.dirichlet(np.ones(4))[:, None] * np.array([rng.dirichlet(row) for row in weights])
        seen.append(rng.multinomial(items, joint.ravel()).reshape(4, 4))
        joints.append(joint)
    return apart(*seen), many_scores(joints)


def paired_many(rng: Generator, *, hierarchical: bool) -> tuple[op.Counts, Scores]:
    """One μ; θ_j of all pairs of predictions ~ Dir(W m) with m the product of both classifiers' spreads.

    W is 1 if η is learned, one η for each classifier; else the number of classes, evenly spread.
    """
    spreads = [hierarchical_spread(rng.beta(1, 1), 3) if hierarchical else np.full((3, 3), 1 / 3) for _ in "ab"]
    weights = (1 if hierarchical else 3) * np.einsum("jk,jl->jkl", *spreads)
    theta = np.array([rng.dirichlet(row.ravel()) for row in weights]).reshape(3, 3, 3)
    joint = rng.dirichlet(np.ones(3))[:, None, None] * theta
    truth, a, b = np.indices(joint.shape).reshape(3, -1)
    n = rng.multinomial(60, joint.ravel())
    counts = op.Counts.from_labels(truth, {"a": a, "b": b}, labels=range(3), n=n)
    return counts, many_scores([joint.sum(axis=2), joint.sum(axis=1)])


def labels(rng: Generator, *, hierarchical: bool) -> tuple[op.Counts, Scores]:
    """For each of three labels μ, θ₊ and θ₋ of a pair; the labels share η of each of the three if that is learned.

    There a label is there with weight η against 1 − η; an outcome has the product of η for who is right and 1 − η.
    """
    mu_weights, positive_weights, negative_weights = np.ones(2), np.ones(4), np.ones(4)
    if hierarchical:
        (eta,), a, b = rng.beta(1, 1, 1), rng.beta(1, 1, 2), rng.beta(1, 1, 2)
        mu_weights = np.array([eta, 1 - eta])
        positive_weights, negative_weights = (
            np.outer([first[0], 1 - first[0]], [first[1], 1 - first[1]]).ravel() for first in (a, 1 - b)
        )
    mu = rng.dirichlet(mu_weights, 3)[:, 0]
    positive, negative = rng.dirichlet(positive_weights, 3), rng.dirichlet(negative_weights, 3)
    there = rng.binomial(40, mu)
    n = np.stack([rng.multinomial(40 - there, negative), rng.multinomial(there, positive)], axis=1)
    group, truth, outcome = np.indices(n.shape).reshape(3, -1)
    says = np.column_stack([outcome < 2, outcome % 2 == 0]).astype(np.int64)
    counts = op.Counts(
        ("a", "b"), (False, True), truth, says, n.ravel().astype(float), LabelSets((0, 1, 2), group)
    ).merged()
    scores: Scores = {("f1", "macro"): np.empty(2), ("precision", "micro"): np.empty(2)}
    for k, yes in enumerate(([0, 1], [0, 2])):
        hit, false = mu * positive[:, yes].sum(axis=1), (1 - mu) * negative[:, yes].sum(axis=1)
        scores["f1", "macro"][k] = np.mean(2 * hit / (mu + hit + false))
        scores["precision", "micro"][k] = hit.sum() / (hit + false).sum()
    return counts, scores


def cross_validated(rng: Generator) -> tuple[op.Counts, Scores]:
    """Shares of what is found, of false alarms and of what is missed ~ Dir(1, 1, 1).

    Where all correlations are 1 every fold tells the same, and six of them together no more than one.
    """
    totals: dict[str, Any] = {}
    shares = rng.dirichlet(np.ones(3), 2)
    for name, items, share in zip("ab", (30, 60), shares, strict=True):
        tp, fp, fn = rng.multinomial(items, share)
        totals[name] = [(tp + fn, tp + fp, tp)] * len(FOLDS)
    tp, fp, fn = shares.T
    scores: Scores = {("f1", None): 2 * tp / (2 * tp + fp + fn), ("precision", None): tp / (tp + fp)}
    return op.Counts.from_totals(totals, folds=FOLDS), scores


@dataclass(frozen=True)
class Setting:
    """A prior that truths and data come from, and the model that has the same.

    Scores count as equal that agree in so many decimals. A hierarchical prior of many classes is drawn as a few atoms,
    so that scores which are nearly 0 or 1 come out as 0 or 1.
    """

    world: World
    model: Any
    decimals: int = 15


SETTINGS = {
    "paired": Setting(paired_binary, op.Paired("uniform")),
    "unpaired": Setting(unpaired_binary, op.Unpaired("uniform")),
    "hierarchical": Setting(partial(unpaired_many, hierarchical=True), op.Unpaired(op.Hierarchical()), 3),
    "paired hierarchical": Setting(partial(paired_many, hierarchical=True), op.Paired(op.Hierarchical()), 3),
    "flat": Setting(partial(unpaired_many, hierarchical=False), op.Unpaired("uniform")),
    "paired flat": Setting(partial(paired_many, hierarchical=False), op.Paired("uniform")),
    "labels": Setting(partial(labels, hierarchical=False), op.Paired("uniform")),
    "hierarchical labels": Setting(partial(labels, hierarchical=True), op.Paired(op.Hierarchical())),
    "cross-validated": Setting(cross_validated, op.CrossValidated(op.Unpaired(), rho=(1, 1))),
}


def ranks(setting: Setting, repeats: int, times: float = 1.0) -> dict[str, list[int]]:
    """Return ranks of the first score and of δ, by measure; each item counts several times. Drawn as in the verbs."""
    found: dict[str, list[int]] = {}
    lots = default_rng(0)
    for seed in range(repeats):
        counts, truth = setting.world(default_rng([SEED, seed]))
        posterior = setting.model.posterior(replace(counts, n=times * counts.n))
        for (measure, average), true in truth.items():
            question = CountQuestion.check(measure, average, counts, draws=DRAWS, rng=seed)
            scores = draw(posterior.reduced(question.average, question.measure), question, SeedSequence(seed)).scores
            for name, weights in (("a", [1, 0]), ("delta", [1, -1])):
                value, *others = np.round([true @ weights, *(scores @ weights)], setting.decimals)
                rank = np.less(others, value).sum() + lots.integers(np.equal(others, value).sum() + 1)
                found.setdefault(f"{measure} of {name}", []).append(int(rank))
    return found


def p_value(found: Sequence[int]) -> float:
    """Test that ranks are uniform by Neyman's smooth test: their Legendre polynomials have mean 0 and variance 1."""
    where = 2 * (np.array(found) + 0.5) / (DRAWS + 1) - 1
    means = np.sqrt(2 * np.arange(DEGREES + 1) + 1) * legvander(where, DEGREES).mean(axis=0)
    return float(stats.chi2.sf(len(found) * np.sum(means[1:] ** 2), DEGREES))


@pytest.mark.parametrize("name", SETTINGS)
def test_the_truth_ranks_like_any_draw(name: str) -> None:
    found = ranks(SETTINGS[name], REPEATS)
    assert len(found) == 4
    improbable = {what: p for what, ranks in found.items() if (p := p_value(ranks)) < IMPROBABLE}
    assert not improbable


@pytest.mark.parametrize("name", SETTINGS)
def test_a_posterior_that_is_too_sure_is_found_out(name: str) -> None:
    found = ranks(SETTINGS[name], 80, times=3)
    assert max(map(p_value, found.values())) < IMPROBABLE


def test_half_an_item_too_many_is_found_out() -> None:
    """With as many ranks as the tests above have."""
    found = ranks(SETTINGS["paired"], REPEATS, times=1.5)
    assert max(map(p_value, found.values())) < IMPROBABLE


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("paired", op.Paired(4.0)),
        ("hierarchical", op.Unpaired("uniform")),
        ("hierarchical labels", op.Paired("uniform")),
        ("cross-validated", op.CrossValidated(op.Unpaired(4.0), rho=(1, 1))),
    ],
)
def test_another_prior_is_found_out(name: str, model: Any) -> None:
    found = ranks(replace(SETTINGS[name], model=model), 80)
    assert min(map(p_value, found.values())) < IMPROBABLE
