"""The exact engine against Markov chains: every model also written in PyMC, sampled by NUTS.

The two share the data and the measures, but neither the models' equations nor a line of sampling. Mean, standard
deviation and both ends of the HDI must agree, for each score and for δ, within four Monte-Carlo errors of both. Where
nothing is exact, as under priors that are not conjugate, NUTS is held against numerical integration; and the forms in
which PyMC has a model, against the likelihood.

Pairs under a hierarchical prior are compared on two classes alone: on more of them, or on labels, some of
their Dirichlet weights are so tiny that NUTS takes many minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax

import outperform as op
from outperform.models.chains.arviz import ess
from tests.tables import FIVE, pair

Array: TypeAlias = NDArray[np.float64]
ERRORS = 4  # tolerances are this many Monte-Carlo errors
FEWEST = 300  # effective draws, below which agreement says little
FOLDS = [(repetition, fold) for repetition in (1, 2, 3) for fold in (1, 2)]


def nuts(model: Any, tune: int) -> Any:
    """The same model by NUTS."""
    if isinstance(model, op.CrossValidated):
        return replace(model, model=nuts(model.model, tune))
    return op.PyMC(model, chains=2, tune=tune)


def scores(counts: op.Counts, model: Any, average: str | None, draws: int | None = None) -> tuple[Array, Any]:
    """Draws of one score, or of two and of δ, a row each; and how the chains went, where there are any."""
    if len(counts.classifiers) == 1:
        one = op.estimate(counts, model=model, average=average, draws=draws, rng=0)
        assert isinstance(one, op.Estimate)
        assert one.evidence is not None
        return one.draws[None], one.sampler
    two = op.compare(counts, model=model, average=average or "binary", draws=draws, rng=0)
    assert isinstance(two, op.Comparison)
    return np.array([*two.draws.T, two.draws @ [1, -1]]), two.sampler


def looks(x: Array, mean: float, ends: tuple[float, float]) -> dict[str, Array]:
    """What is compared, each by its mean: the value, its distance from the mean, and which side of an end it is on."""
    low, high = ((x <= end).astype(np.float64) for end in ends)
    return {"mean": x, "sd": (x - mean) ** 2, "low end": low, "high end": high}


def check(chains: Array, expected: float, variance: float, share: float = 0.0) -> None:
    """That the mean of chains, of shape (chain, draw), is as expected; `share` is 1/n where that is a mean of n."""
    effective = ess(chains, "mean")
    assert effective > FEWEST
    assert abs(chains.mean() - expected) < ERRORS * sqrt(variance * (share + 1 / effective))


def agree(counts: op.Counts, model: Any, average: str | None, *, draws: int, tune: int) -> None:
    """Exact draws and those of NUTS tell the same of every score."""
    exact, _ = scores(counts, model, average)
    sampled, sampler = scores(counts, nuts(model, tune), average, draws)
    for ours, theirs in zip(exact, sampled, strict=True):
        mean, ends = float(ours.mean()), op.hdi(ours)
        own = looks(ours, mean, ends)
        for name, chains in looks(theirs.reshape(sampler.chains, -1), mean, ends).items():
            check(chains, float(own[name].mean()), float(own[name].var()), 1 / len(ours))


def confusion(*tables: Any) -> op.Counts:
    """Classifiers on items of their own."""
    return op.Counts.from_confusion(dict(zip("ab", tables, strict=False)))


def label_sets(items: int, shares: list[float]) -> op.Counts:
    """Labels that are there so often, and two classifiers that find most of them."""
    rng = default_rng(items)
    truth = rng.random((items, len(shares))) < shares

    def guess(recall: float, alarm: float) -> Any:
        return rng.random(truth.shape) < np.where(truth, recall, alarm)

    return op.Counts.from_label_sets(truth, {"a": guess(0.8, 0.05), "b": guess(0.6, 0.1)})


def folds(items: int) -> op.Counts:
    """Totals of six folds."""
    rng = default_rng(items)
    totals = {}
    for name, shares in (("a", [0.7, 0.12, 0.18]), ("b", [0.55, 0.2, 0.25])):
        tp, fp, fn = rng.multinomial(items, shares, len(FOLDS)).T
        totals[name] = np.column_stack([tp + fn, tp + fp, tp])
    return op.Counts.from_totals(totals, folds=FOLDS)


MIDDLE = [[36, 3, 1], [5, 24, 2], [2, 4, 13]]
FEW = [[6, 1, 0], [2, 5, 1], [0, 1, 4]], [[4, 2, 1], [1, 5, 2], [0, 0, 5]]
RARE = [[60, 1, 0], [5, 9, 1], [3, 2, 2]], [[52, 7, 2], [3, 11, 1], [1, 1, 3]]
MANY = [[1500, 60, 40], [50, 700, 50], [30, 20, 550]], [[1400, 90, 110], [80, 650, 70], [40, 60, 500]]
LABELS = {
    "20 items": label_sets(20, [0.3, 0.5]),
    "a rare label": label_sets(150, [0.02, 0.3]),
    "1,000 items": label_sets(1_000, [0.1, 0.3, 0.5]),
}


SLOW: dict[str, tuple[op.Counts, Any, str | None]] = {
    "unpaired": (pair(*FIVE["200 items"]), op.Unpaired("uniform"), None),
    "flat": (confusion(MIDDLE), op.Unpaired("uniform"), "macro"),
    "labels of one": (LABELS["a rare label"].select([0]), op.Unpaired("uniform"), "macro"),
    "hierarchical": (confusion(MIDDLE), op.Unpaired("hierarchical"), "macro"),
    **{f"paired, {name}": (pair(*table), op.Paired("uniform"), None) for name, table in FIVE.items()},
    **{
        f"unpaired, {name}": (pair(*FIVE[name]), op.Unpaired("uniform"), None)
        for name in ("20 items", "7,532 items", "lopsided")
    },
    **{
        f"{prior}, {name}": (confusion(*tables[:number]), op.Unpaired(prior), "macro")
        for prior, number in (("uniform", 2), ("hierarchical", 2))
        for name, tables in (("few", FEW), ("a rare class", RARE), ("many", MANY))
    },
    **{f"labels, {name}": (counts, op.Paired("uniform"), "macro") for name, counts in LABELS.items()},
    **{
        f"hierarchical labels, {size}": (counts.select([0]), op.Unpaired("hierarchical"), "macro")
        for size, counts in LABELS.items()
    },
    "paired hierarchical": (pair(*FIVE["200 items"]), op.Paired("hierarchical"), None),
    **{f"cross-validated, {n}": (folds(n), op.CrossValidated(op.Unpaired()), None) for n in (10, 100, 2_000)},
    "cross-validated pairs": (
        op.Counts.by_fold({fold: pair(*FIVE["200 items"]) for fold in FOLDS}),
        op.CrossValidated(op.Paired(), rho=(0.5, 0.5)),
        None,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_nuts_agrees_on_small_and_large_tables(name: str) -> None:
    agree(*SLOW[name], draws=3_000, tune=600)


@pytest.mark.slow
def test_nuts_agrees_on_pairs_of_three_classes() -> None:
    truth, a, b = np.indices((3, 3, 3)).reshape(3, -1)
    n = default_rng(5).multinomial(150, default_rng(5).dirichlet(np.full(27, 0.5)))
    counts = op.Counts.from_labels(truth, {"a": a, "b": b}, labels=range(3), n=n)
    agree(counts, op.Paired("uniform"), "macro", draws=2_000, tune=500)


LOGITS = np.linspace(-7, 7, 281)


def by_quadrature(found: int, of: int, log_prior: Array) -> Array:
    """Weights on the logit scale of a probability, with its prior's density there, after so many of so many."""
    log_density = found * log_expit(LOGITS) + (of - found) * log_expit(-LOGITS) + log_prior
    weights = np.exp(log_density - log_density.max())
    return np.asarray(weights / weights.sum())


def normal(mean: float, sd: float) -> Callable[[Array], Array]:
    return lambda x: -(((x - mean) / sd) ** 2) / 2


@pytest.mark.parametrize(
    ("text", "log_prior"),
    [
        ("LogitNormal(0, 1)", normal(0, 1)(LOGITS)),
        pytest.param(
            "TruncatedNormal(0.8, 0.1)",
            normal(0.8, 0.1)(expit(LOGITS)) + log_expit(LOGITS) + log_expit(-LOGITS),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["logit-normal", "truncated normal"],
)
def test_other_priors_against_numerical_integration(text: str, log_prior: Array) -> None:
    """Of one classifier μ, θ₊ and θ₋ are independent after the data as they were before."""
    priors = {"mu": text, "theta_positive": "LogitNormal(1, 1)", "theta_negative": "LogitNormal(-1, 1)"}
    counts = confusion([[38, 6], [5, 13]])
    r = op.estimate(counts, model=op.PyMC(op.Unpaired(), priors=priors, chains=2, tune=250), draws=1_000, rng=0)
    assert r.evidence is not None
    assert r.sampler is not None
    each = (
        by_quadrature(18, 62, log_prior),
        by_quadrature(13, 18, normal(1, 1)(LOGITS)),
        by_quadrature(6, 44, normal(-1, 1)(LOGITS)),
    )
    matter = [np.flatnonzero(weights > 1e-9 * weights.max()) for weights in each]
    mu, found, false = np.meshgrid(*(expit(LOGITS[own]) for own in matter), indexing="ij")
    weights = np.einsum("i,j,k->ijk", *(w[own] for w, own in zip(each, matter, strict=True))).ravel()
    f1 = (2 * mu * found / (mu + mu * found + (1 - mu) * false)).ravel()
    mean, ends = float(weights @ f1), op.hdi(r.draws)
    exact = looks(f1, mean, ends)
    for name, chains in looks(r.draws.reshape(r.sampler.chains, -1), mean, ends).items():
        expected = float(weights @ exact[name])
        check(chains, expected, float(weights @ (exact[name] - expected) ** 2))


NUMBER = 5  # of points at which densities are compared
TWENTY = FIVE["20 items"]
# Models with their data, and what was counted of each of their variables.
COUNTED: dict[str, tuple[Any, op.Counts, dict[str, Any]]] = {
    "paired": (
        op.Paired("uniform"),
        pair(*TWENTY),
        {"mu": [12, 8], "theta_positive": TWENTY[0], "theta_negative": TWENTY[1]},
    ),
    "hierarchical": (
        op.Unpaired("hierarchical"),
        confusion(RARE[0]),
        {"a::mu": np.sum(RARE[0], axis=1), "a::theta": RARE[0]},
    ),
    "chunks": (
        op.Unpaired("uniform"),
        op.Counts.from_totals({"a": (20, 17, 12), "b": (18, 25, 15)}),
        {"a::theta": [12, 8, 5], "b::theta": [15, 3, 10]},  # found, missed, and taken for one
    ),
}


def log_density(model: Any, points: list[dict[str, Array]]) -> Array:
    """Of a PyMC model, unnormalised."""
    logp = model.compile_logp(mode="FAST_COMPILE")
    return np.array([logp(point) for point in points])


def log_chances(point: dict[str, Array], name: str) -> Array:
    """Logarithms of probabilities from where a Markov chain is: log odds, or logits that add up to 0."""
    if f"{name}_logodds__" in point:
        x = point[f"{name}_logodds__"]
        return np.stack([log_expit(x), log_expit(-x)], axis=-1)
    x = point[f"{name}_simplex__"]
    return np.asarray(log_softmax(np.concatenate([x, -x.sum(axis=-1, keepdims=True)], axis=-1), axis=-1))


def points_of(model: Any, number: int) -> list[dict[str, Array]]:
    """Where a chain may be."""
    rng = default_rng(0)
    start = model.initial_point()
    return [{name: rng.normal(size=np.shape(x)) for name, x in start.items()} for _ in range(number)]


@cache
def log_prior(name: str) -> Array:
    """Of a model without data, where the same model with data is looked at."""
    model, counts, _ = COUNTED[name]
    empty = op.mcmc.build(model, counts.empty())
    return log_density(empty, points_of(empty, NUMBER))


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize(("form", "factor"), [("counts", 1.0), ("items", 1.0), ("counts", 0.3)])
def test_every_form_has_the_likelihood(name: str, form: str, factor: float) -> None:
    """Beyond the prior the log density is Σ n log θ, up to a constant: of counts, of items and of fractions."""
    model, counts, counted = COUNTED[name]
    written = op.mcmc.build(model, counts.together(factor), form=form)
    assert len(written.potentials) == (0 if factor == 1 else len(counted))
    points = points_of(written, NUMBER)
    beyond = log_density(written, points) - log_prior(name)
    expected = [
        sum(np.sum(factor * np.array(n) * log_chances(point, variable)) for variable, n in counted.items())
        for point in points
    ]
    assert np.ptp(expected) > 1
    np.testing.assert_allclose(np.diff(beyond), np.diff(expected), rtol=1e-9)


def test_folds_have_the_likelihood_of_as_many_items_as_they_are_worth() -> None:
    counts = op.Counts.from_totals({"a": [(20, 17, 12)] * 6}, folds=FOLDS)
    written = op.mcmc.build(op.CrossValidated(op.Unpaired()), counts)
    points = points_of(written, NUMBER)
    worth = 6 * 0.36880211
    expected = [np.sum(worth * np.array([12, 8, 5]) * log_chances(point, "a::theta")) for point in points]
    prior = log_density(op.mcmc.build(op.Unpaired(), counts.together().empty()), points)
    np.testing.assert_allclose(np.diff(log_density(written, points) - prior), np.diff(expected), rtol=1e-7)
