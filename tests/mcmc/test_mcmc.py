"""The models written in PyMC, with any prior: variables, densities, refusals, words and pictures."""

from __future__ import annotations

import logging
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from math import log, sqrt
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray
from scipy import special, stats

import outperform as op
from outperform.inference.evidence import PairEvidence
from outperform.inference.question import CountQuestion
from outperform.mcmc.given import NAMES
from outperform.models.chains import Diagnostics, Trace
from tests.later import later
from tests.tables import pair

pm = later("pymc")

COUNTS = pair((30, 8, 3, 9), (5, 4, 7, 134))  # of which the canonical order is b, a
ONE = COUNTS.select([0])
WEIGHED = pair((30.5, 8, 3, 9), (5, 4, 7.25, 134))
CLASSES = list("xyzxyzxx") * 9
THREE = op.Counts.from_labels(CLASSES, {"a": list("xyxxyzxy") * 9, "b": list("xxzxyzxz") * 9})
LABELS = [{"p"}, {"q", "r"}, set(), {"p", "q"}] * 5
LABELLED = {"a": [{"p"}, {"q"}, {"r"}, {"p"}] * 5, "b": LABELS}
SETS = op.Counts.from_label_sets(LABELS, LABELLED)
BY_ITEM = op.Counts.from_label_sets(LABELS, LABELLED, by_item=True)
TAGS = [["B-PER", "O", "B-LOC"], ["O", "B-LOC", "O"]]
CHUNKS = op.Counts.from_chunks(
    TAGS * 3, {"a": [["B-PER", "O", "B-LOC"], ["O"] * 3] * 3, "b": [["B-PER", "O", "O"], ["B-PER", "B-LOC", "O"]] * 3}
)
APART = op.Counts.from_test_sets({"a": ([1, 0, 1, 1], [1, 0, 0, 1]), "b": ([1, 0, 1], [0, 0, 1])})
FOLDED = op.Counts.by_fold({(1, 1): pair((9, 3, 2, 4), (3, 4, 2, 23)), (1, 2): pair((8, 4, 1, 5), (2, 5, 1, 24))})
FORTY = op.Counts.from_labels(range(40), {"a": range(40), "b": range(40)})
UNLIKELY = 1e-4  # p-values of what is right


def evidence_of(r: op.Comparison) -> PairEvidence:
    assert r.evidence is not None
    return r.evidence


def build(
    priors: Mapping[str, Any] | None = None, counts: op.Counts = COUNTS, model: Any = None, **settings: Any
) -> Any:
    return op.mcmc.build(op.Paired() if model is None else model, counts, priors, **settings)


def shapes(model: Any) -> dict[str, tuple[int, ...]]:
    """Of the free variables, by name."""
    every = model.eval_rv_shapes()
    return {own.name: tuple(map(int, every[own.name])) for own in model.free_RVs}


def drawn(model: Any, *names: str, draws: int = 2_000) -> list[NDArray[np.float64]]:
    """Draws of some variables before the data."""
    with warnings.catch_warnings(action="ignore"):
        return [np.asarray(x) for x in pm.draw([model[name] for name in names], draws, random_seed=1)]


def refusal(call: Callable[[], Any], *kinds: type[Exception]) -> str:
    """The one sentence that something is refused with."""
    with pytest.raises(kinds or (ValueError, TypeError)) as caught:
        call()
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_variables_of_a_pair() -> None:
    model = build()
    assert shapes(model) == {"mu": (), "theta_positive": (4,), "theta_negative": (4,)}
    assert model.coords["outcome"] == ("11", "10", "01", "00")
    assert model.named_vars_to_dims["theta_positive"] == ("outcome",)
    assert [own.name for own in model.observed_RVs] == ["n", "n_positive", "n_negative"]
    seen = {own.name: model.rvs_to_values[own].data.tolist() for own in model.observed_RVs}
    assert seen == {"n": 50, "n_positive": [30, 8, 3, 9], "n_negative": [5, 4, 7, 134]}


def test_variables_of_one_classifier() -> None:
    model = build(counts=ONE)
    assert shapes(model) == {"mu": (), "theta_positive": (), "theta_negative": ()}
    seen = {own.name: model.rvs_to_values[own].data.tolist() for own in model.observed_RVs}
    assert seen == {"n": 50, "n_positive": 38, "n_negative": 9}


def test_variables_of_three_classifiers() -> None:
    model = build(counts=op.Counts.from_labels([1, 0, 1, 0], {name: [1, 0, 0, 0] for name in "abc"}))
    assert shapes(model) == {"mu": (), "theta_positive": (8,), "theta_negative": (8,)}
    assert model.coords["outcome"][:3] == ("111", "110", "101")
    assert model.coords["classifier"] == ("a", "b", "c")


@pytest.mark.parametrize("counts", [COUNTS, APART], ids=["same items", "other items"])
def test_unpaired_classifiers_have_models_of_their_own(counts: op.Counts) -> None:
    model = build(counts=counts, model=op.Unpaired())
    variables = ("mu", "theta_positive", "theta_negative")
    assert shapes(model) == {f"{name}::{own}": () for name in "ab" for own in variables}
    assert len(model.observed_RVs) == 6


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        ("uniform", {"mu": (3,), "theta": (3, 9)}),
        ("hierarchical", {"mu": (3,), "eta": (2,), "theta": (3, 9)}),
        (None, {"mu": (3,), "eta": (2,), "theta": (3, 9)}),
    ],
)
def test_variables_of_many_classes(prior: str | None, expected: dict[str, tuple[int, ...]]) -> None:
    model = build(counts=THREE, model=op.Paired(prior))
    assert shapes(model) == expected
    assert model.coords["class"] == ("x", "y", "z")
    assert model.coords["predicted"][:4] == ("x,x", "x,y", "x,z", "y,x")
    assert model.named_vars_to_dims["theta"] == ("class", "predicted")
    seen = model.rvs_to_values[model["outcomes"]].data
    assert seen.shape == (3, 9)
    assert seen.sum() == 72
    if prior == "hierarchical":
        assert model.named_vars_to_dims["eta"] == ("classifier",)


def test_many_classes_of_unpaired_classifiers() -> None:
    model = build(counts=THREE, model=op.Unpaired("hierarchical"))
    own = {"mu": (3,), "eta": (), "theta": (3, 3)}
    assert shapes(model) == {f"{name}::{key}": shape for name in "ab" for key, shape in own.items()}


@pytest.mark.parametrize(
    ("prior", "besides"),
    [
        ("uniform", {}),
        ("hierarchical", {"eta_mu": (), "eta_positive": (2,), "eta_negative": (2,)}),
        (None, {"eta_mu": (), "eta_positive": (2,), "eta_negative": (2,)}),
    ],
)
def test_variables_of_labels(prior: str | None, besides: dict[str, tuple[int, ...]]) -> None:
    model = build(counts=SETS, model=op.Paired(prior))
    assert shapes(model) == {"mu": (3,), "theta_positive": (3, 4), "theta_negative": (3, 4)} | besides
    assert model.coords["label"] == ("p", "q", "r")
    assert model.named_vars_to_dims["theta_negative"] == ("label", "outcome")
    assert model.rvs_to_values[model["n"]].data.tolist() == [10, 10, 5]


def test_variables_of_chunks() -> None:
    model = build(counts=CHUNKS)
    assert shapes(model) == {"theta": (14,)}
    assert model.coords["cell"][:3] == ("111 LOC", "111 PER", "110 LOC")
    assert model.rvs_to_values[model["outcomes"]].data.sum() == 12
    apart = build(counts=CHUNKS, model=op.Unpaired())
    assert shapes(apart) == {"a::theta": (6,), "b::theta": (6,)}


def test_folds_are_worth_a_fraction_of_their_items() -> None:
    model = build(counts=FOLDED, model=op.CrossValidated())
    assert model.observed_RVs == []
    assert [own.name for own in model.potentials] == ["n", "n_positive", "n_negative"]
    assert build(counts=FOLDED).potentials, "folds are calibrated unasked, as elsewhere"
    whole = build(counts=FOLDED, model=op.CrossValidated(factor=1.0))
    assert whole.potentials == []
    assert whole.rvs_to_values[whole["n"]].data == 36


POINTS: list[dict[str, Any]] = [
    {"mu": mu, "theta_positive": np.array(positive), "theta_negative": np.array(negative)}
    for mu, positive, negative in (
        (0.3, (0.5, 0.2, 0.1, 0.2), (0.1, 0.1, 0.1, 0.7)),
        (0.6, (0.25, 0.25, 0.25, 0.25), (0.05, 0.15, 0.3, 0.5)),
    )
]


def rise(model: Any) -> float:
    """By how much the log density of the second point is above that of the first."""
    moved = []
    for point in POINTS:
        for name, value in point.items():
            transform = model.rvs_to_transforms[model[name]]
            moved.append(transform.forward(np.asarray(value), *model[name].owner.inputs))
    where = iter(pm.draw(moved))
    log_density = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    first, second = (
        float(log_density({model.rvs_to_values[model[name]].name: next(where) for name in point})) for point in POINTS
    )
    return second - first


def test_the_density_by_hand() -> None:
    """Of weights that are all but counts. Counts and items have the same beyond the prior: test_against_nuts.py."""
    expected = 0.0
    for sign, at in zip((-1, 1), POINTS, strict=True):
        mu, positive, negative = at["mu"], at["theta_positive"], at["theta_negative"]
        own = 49.7 * log(mu) + 149.7 * log(1 - mu)
        for outcomes, theta in (([30, 8, 3, 9], positive), ([5, 4, 7, 134], negative)):
            own += (np.array(outcomes) - 0.65) @ np.log(theta)
        expected += sign * float(own)
    slightly = pair((30 + 1e-9, 8, 3, 9), (5, 4, 7, 134 - 1e-9))
    model = build(counts=slightly)
    assert len(model.potentials) == 3
    assert rise(model) == pytest.approx(expected)


def test_every_item_has_a_node_of_its_own() -> None:
    model = build(form="items")
    assert shapes(model) == shapes(build())
    seen = {own.name: model.rvs_to_values[own].data for own in model.observed_RVs}
    assert {name: own.shape for name, own in seen.items()} == {"n": (200,), "n_positive": (50,), "n_negative": (150,)}
    assert np.bincount(seen["n_positive"]).tolist() == [30, 8, 3, 9]
    many = build(counts=THREE, model=op.Paired("uniform"), form="items")
    assert many.rvs_to_values[many["outcomes"]].data.shape == (72,)


PRIORS_OF_ONE: dict[str, Any] = {
    "LogitNormal(0.5, 2)": lambda x: stats.norm(0.5, 2).cdf(special.logit(x)),
    "TruncatedNormal(0.8, 0.1)": stats.truncnorm(-8, 2, 0.8, 0.1).cdf,
    "TruncatedNormal(0.8, 0.3, lower=0.5)": stats.truncnorm(-1, 2 / 3, 0.8, 0.3).cdf,
    "Kumaraswamy(2, 3)": lambda x: 1 - (1 - x**2) ** 3,
    "Triangular(0, 1, 0.3)": stats.triang(0.3).cdf,
    "Uniform(0.2, 0.4)": stats.uniform(0.2, 0.2).cdf,
    "Beta(mu=0.3, sigma=0.1)": stats.beta(6, 14).cdf,
}


def test_priors_of_one_probability_are_what_they_say() -> None:
    texts = list(PRIORS_OF_ONE)
    for three in (texts[:3], texts[3:6], texts[6:]):
        names = ("mu", "theta_positive", "theta_negative")[: len(three)]
        model = build(dict(zip(names, three, strict=True)), ONE)
        for text, draws in zip(three, drawn(model, *names), strict=True):
            assert draws.min() >= 0
            assert draws.max() <= 1
            assert stats.kstest(draws, PRIORS_OF_ONE[text]).pvalue > UNLIKELY, text


def test_priors_of_several_probabilities_are_what_they_say() -> None:
    model = build({"theta_positive": "Dirichlet([4, 1, 1, 2])", "theta_negative": "LogisticNormal(0, 1)"})
    positive, negative = drawn(model, "theta_positive", "theta_negative")
    for own in (positive, negative):
        assert own.shape == (2_000, 4)
        assert np.allclose(own.sum(axis=1), 1)
    for k, weight in enumerate((4, 1, 1, 2)):
        assert stats.kstest(positive[:, k], stats.beta(weight, 8 - weight).cdf).pvalue > UNLIKELY
    ratios = np.log(negative[:, 0] / negative[:, 1])
    assert stats.kstest(ratios, stats.norm(0, sqrt(2)).cdf).pvalue > UNLIKELY
    even = build({"theta": "Dirichlet(2)"})
    (flat,) = drawn(even, "theta_positive")
    assert stats.kstest(flat[:, 3], stats.beta(2, 6).cdf).pvalue > UNLIKELY


def test_a_logistic_normal_is_a_softmax_of_normals() -> None:
    model = build({"theta": "LogisticNormal([0, 1, 2, 3], 0.5)"})
    assert {"theta_positive", "theta_negative"} == {own.name for own in model.deterministics}
    normal, softmax = drawn(model, "theta_positive_normal", "theta_positive", draws=50)
    np.testing.assert_allclose(special.softmax(normal, axis=-1), softmax)
    labels = build({"theta": "LogisticNormal(0, 1)"}, SETS)
    (each,) = drawn(labels, "theta_negative", draws=20)
    assert each.shape == (20, 3, 4)
    assert np.allclose(each.sum(axis=-1), 1)


def test_one_distribution_serves_several_variables_and_classifiers() -> None:
    beta = pm.Beta.dist(2, 5)
    model = build({"mu": beta, "theta_positive": beta}, model=op.Unpaired())
    each = np.array(drawn(model, *(f"{name}::{own}" for name in "ab" for own in ("mu", "theta_positive"))))
    assert each.shape == (4, 2_000)
    for own in each:
        assert stats.kstest(own, stats.beta(2, 5).cdf).pvalue > UNLIKELY
    assert np.abs(np.corrcoef(each) - np.eye(4)).max() < 0.1
    again = build({"mu": beta})
    assert stats.kstest(drawn(again, "mu")[0], stats.beta(2, 5).cdf).pvalue > UNLIKELY


def test_one_distribution_serves_all_labels() -> None:
    model = build({"mu": pm.Beta.dist(2, 5), "theta": pm.Dirichlet.dist([4, 1, 1, 2])}, SETS)
    assert shapes(model) == {"mu": (3,), "theta_positive": (3, 4), "theta_negative": (3, 4)}
    mu, theta = drawn(model, "mu", "theta_positive")
    assert np.abs(np.corrcoef(mu.T) - np.eye(3)).max() < 0.1
    for k in range(3):
        assert stats.kstest(mu[:, k], stats.beta(2, 5).cdf).pvalue > UNLIKELY
        assert stats.kstest(theta[:, k, 0], stats.beta(4, 4).cdf).pvalue > UNLIKELY


def test_labels_and_classifiers_may_have_different_priors() -> None:
    labels = build({"mu": pm.Beta.dist([2, 5, 50], 5), "theta": pm.Dirichlet.dist(np.ones((3, 4)))}, SETS)
    (mu,) = drawn(labels, "mu")
    assert mu.mean(axis=0) == pytest.approx([2 / 7, 1 / 2, 10 / 11], abs=0.02)
    classifiers = build({"eta": pm.Beta.dist([9, 1], [1, 9])}, THREE, op.Paired("hierarchical"))
    assert drawn(classifiers, "eta")[0].mean(axis=0) == pytest.approx([0.9, 0.1], abs=0.02)


@pytest.mark.parametrize(
    "kind",
    [
        lambda: pm.Mixture.dist(w=[0.5, 0.5], comp_dists=[pm.Beta.dist(2, 8), pm.Beta.dist(8, 2)]),
        lambda: pm.Truncated.dist(pm.Gamma.dist(2, 2), upper=1),
    ],
    ids=["Mixture", "Truncated"],
)
def test_distributions_made_of_others(kind: Callable[[], Any]) -> None:
    """Their text says the same each time, and classifiers do not share their draws."""
    prior = kind()
    texts = {str(op.PyMC(priors={"mu": own}).prior) for own in (prior, kind())}
    assert len(texts) == 1
    model = build({"mu": prior}, model=op.Unpaired())
    assert str(op.mcmc.graph(model)) == str(op.mcmc.graph(model))
    each = np.array(drawn(model, "a::mu", "b::mu", draws=4_000))
    assert np.abs(np.corrcoef(each) - np.eye(2)).max() < 0.06


def test_theta_is_of_both_sides_and_the_specific_one_wins() -> None:
    both = str(op.mcmc.graph(build({"theta": "Dirichlet(a=2)", "mu": "Beta(beta=3, alpha=2)"})))
    assert "mu ~ Beta(2, 3)" in both, "a parameter may be named"
    assert "theta_positive ~ Dirichlet(2 each)" in both
    assert "theta_negative ~ Dirichlet(2 each)" in both
    mixed = str(op.mcmc.graph(build({"theta": "Dirichlet(2)", "theta_positive": "Dirichlet(5)"})))
    assert "theta_positive ~ Dirichlet(5 each)" in mixed
    assert "theta_negative ~ Dirichlet(2 each)" in mixed
    apart = str(op.mcmc.graph(build({"theta": "Beta(2, 3)"}, model=op.Unpaired())))
    assert apart.count("Beta(2, 3)") == 4


def test_priors_besides_those_of_the_model() -> None:
    model = op.PyMC(op.Paired("jeffreys"), priors={"mu": "Beta(3, 3)", "theta": "Dirichlet(3)"})
    written = str(op.mcmc.graph(op.mcmc.build(model, COUNTS, {"mu": "Beta(2, 2)"})))
    assert "mu ~ Beta(2, 2)" in written
    assert "theta_positive ~ Dirichlet(3 each)" in written
    assert "theta_negative ~ Dirichlet(0.5 each)" in str(
        op.mcmc.graph(build({"theta_positive": "Dirichlet(1)"}, model=op.Paired("jeffreys")))
    )
    assert str(model.prior) == "jeffreys, mu~Beta(3, 3), theta~Dirichlet(3)"
    assert "eta ~ Beta(2, 2)  [classifier: 2]" in str(
        op.mcmc.graph(build({"eta": "Beta(2, 2)"}, THREE, op.Paired("hierarchical")))
    )


@pytest.mark.parametrize(
    ("model", "counts", "average"),
    [
        (op.Paired(), COUNTS, None),
        (op.Unpaired(op.Dirichlet(1, mu=(2, 5))), COUNTS, None),
        (op.Paired("uniform"), THREE, "macro"),
        (op.Paired("hierarchical"), SETS, "macro"),
        (op.Paired(), CHUNKS, "macro"),
    ],
    ids=["pair", "unpaired", "classes", "labels", "chunks"],
)
def test_scores_before_the_data_are_those_of_the_exact_model(model: Any, counts: op.Counts, average: str) -> None:
    question = CountQuestion.check("f1", average, counts, draws=2_000, rng=0)
    each = []
    for own in (model, op.PyMC(model)):
        posterior = own.settled(counts).posterior(counts.empty())
        each.append(posterior.scores(question.score, draws=2_000, seed=SeedSequence(3)).round(6))
    exact, by_chains = each
    assert by_chains.shape == (2_000, 2)
    assert posterior.trace(draws=10, seed=SeedSequence(3)) is None
    for k in (0, 1):
        assert stats.ks_2samp(exact[:, k], by_chains[:, k]).pvalue > UNLIKELY
    assert stats.ks_2samp(exact @ [1, -1], by_chains @ [1, -1]).pvalue > UNLIKELY


ONLY_TEXT = "a prior is a distribution with its numbers, such as 'Beta(2, 2)' or 'LogitNormal(0, 1)', got "
OF_ONE = "it is no distribution of one probability"
OF_FOUR = "it is no distribution of 4 probabilities that add up to 1"
OUT = "it allows numbers below 0 or above 1, where a probability lies between them"
BAD_TEXTS = {
    "Beta(2": ONLY_TEXT + "'Beta(2'",
    "2": ONLY_TEXT + "'2'",
    "": ONLY_TEXT + "''",
    "Beta(x, 2)": ONLY_TEXT,
    "__import__('os')": ONLY_TEXT,
    "pm.Beta(2, 2)": ONLY_TEXT,
    "Beta(*[1, 2])": ONLY_TEXT,
    "Beta(1+2j, 1)": ONLY_TEXT,
    "Bta(2, 2)": "unknown distribution 'Bta'; did you mean 'Beta'? known: Beta, Dirichlet, Kumaraswamy, LogisticNormal",
    "beta(2, 2)": "unknown distribution 'beta'; did you mean 'Beta'?",
    "Normal(0, 1)": "a probability lies between 0 and 1, which Normal does not; take TruncatedNormal, LogitNormal or",
    "Beta(1, 2, 3)": "Beta takes alpha and beta, got Beta(1, 2, 3)",
    "Beta(alpha=1, bta=3)": "Beta takes alpha and beta, got Beta(alpha=1, bta=3)",
    "Uniform(0, 2)": f"the prior of mu, Uniform(0, 2), does not do: {OUT}",
    "TruncatedNormal(0.8, 0.1, upper=3)": OUT,
    "Beta(-1, 2)": "the prior of mu, Beta(-1, 2), does not do: alpha > 0, beta > 0",
    "TruncatedNormal(0.8, -0.1)": "the prior of mu, TruncatedNormal(0.8, -0.1), does not do: sigma > 0",
    "Uniform(0.4, 0.2)": "lower <= upper",
    "Beta(2)": "the prior of mu, Beta(2), does not do: ",
    "Dirichlet(1)": f"the prior of mu, Dirichlet(1), does not do: {OF_ONE}; take Beta, Kumaraswamy, LogitNormal,",
    "LogisticNormal(0, 1)": OF_ONE,
    "LogitNormal(0, -1)": "the prior of mu, LogitNormal(0, -1), does not do: sigma > 0",
    "LogitNormal(0, 0)": "the prior of mu, LogitNormal(0, 0), does not do: sigma > 0",
    "Beta([1, 2], 3)": "the prior of mu, Beta([1, 2], 3), does not do: ",
}


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_bad_texts(text: str) -> None:
    sentence = refusal(lambda: build({"mu": text}))
    assert BAD_TEXTS[text] in sentence
    assert not any(word in sentence for word in ("Elemwise", "tensor", "zip()", "dist()"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Beta(1, 1)", f"{OF_FOUR}; take Dirichlet or LogisticNormal"),
        ("Dirichlet([1, 2, 3])", OF_FOUR),
        ("Dirichlet([1, 2, 3, -4])", ""),
        ("Dirichlet(0)", ""),
        ("Dirichlet([[1, 2, 3, 4], [1, 2, 3, 4]])", ""),
        ("LogisticNormal([0, 1, 2], 1)", OF_FOUR),
        ("LogisticNormal(0, -1)", "sigma > 0"),
    ],
)
def test_bad_texts_of_several_probabilities(text: str, reason: str) -> None:
    sentence = refusal(lambda: build({"theta": text}))
    assert sentence.startswith(f"the prior of theta_positive, {text}, does not do: {reason}")


NOT_A_PRIOR = "a prior is a text such as 'Beta(2, 2)' or a PyMC distribution such as pm.Beta.dist(2, 2), got "
BAD_DISTRIBUTIONS: dict[str, tuple[Callable[[], Mapping[str, Any]], str]] = {
    "unbounded": (lambda: {"mu": pm.Normal.dist(0, 1)}, f"the prior of mu, Normal(0, 1), does not do: {OUT}"),
    "flat": (lambda: {"mu": pm.Flat.dist()}, OUT),
    "discrete": (lambda: {"mu": pm.Bernoulli.dist(0.5)}, f"the prior of mu, Bernoulli(0.5), does not do: {OF_ONE}"),
    "a simplex": (lambda: {"mu": pm.Dirichlet.dist(np.ones(4))}, OF_ONE),
    "no simplex": (lambda: {"theta": pm.Beta.dist(1, 1)}, f"theta_positive, Beta(1, 1), does not do: {OF_FOUR}"),
    "too short": (lambda: {"theta": pm.Dirichlet.dist([1, 2, 3])}, OF_FOUR),
    "not a simplex": (lambda: {"theta": pm.MvNormal.dist(np.zeros(4), np.eye(4))}, OF_FOUR),
    "whole numbers": (lambda: {"theta": pm.Multinomial.dist(5, np.ones(4) / 4)}, OF_FOUR),
    "random parameters": (lambda: {"mu": pm.Beta.dist(pm.Gamma.dist(2, 2), 1)}, "the prior of mu, "),
    "a number": (lambda: {"mu": 2}, f"{NOT_A_PRIOR}2"),
    "nothing": (lambda: {"mu": None}, f"{NOT_A_PRIOR}None"),
    "a prior of ours": (lambda: {"mu": op.Uniform()}, f"{NOT_A_PRIOR}Dirichlet("),
    "a class": (lambda: {"mu": pm.Beta}, f"{NOT_A_PRIOR}<class"),
    "a function of one": (lambda: {"mu": pm.math.sigmoid(pm.Normal.dist(0, 1))}, NOT_A_PRIOR),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_DISTRIBUTIONS)
def test_bad_distributions(kind: str) -> None:
    make, sentence = BAD_DISTRIBUTIONS[kind]
    assert sentence in refusal(lambda: build(make()))


def test_names_of_variables() -> None:
    known = "known: eta, mu, theta, theta_negative, theta_positive"
    assert refusal(lambda: build({"mus": "Beta(1, 1)"})) == f"unknown prior of 'mus'; did you mean 'mu'? {known}"
    assert refusal(lambda: op.PyMC(priors={"n": "Beta(1, 1)"})) == f"unknown prior of 'n'; {known}"
    for given in (["Beta(1, 1)"], "Beta(1, 1)"):
        wrong: Any = given
        kind = type(given).__name__
        sentence = refusal(lambda wrong=wrong: op.PyMC(priors=wrong))  # type: ignore[misc]
        assert sentence == f"priors is a mapping such as {{'mu': 'LogitNormal(0, 1)'}}, got {kind}"


@pytest.mark.parametrize(
    ("priors", "counts", "model"),
    [
        ({"eta": "Beta(1, 1)"}, COUNTS, op.Paired()),
        ({"eta": "Beta(1, 1)"}, THREE, op.Paired("uniform")),
        ({"theta_positive": "Dirichlet(1)"}, THREE, op.Paired("uniform")),
        ({"mu": "Beta(1, 1)"}, CHUNKS, op.Paired()),
        ({"eta": "Beta(1, 1)", "theta": "LogisticNormal(0, 1)"}, COUNTS, op.Paired()),
    ],
    ids=["no eta", "flat", "many classes", "chunks", "softmax"],
)
def test_a_variable_that_the_model_lacks(priors: dict[str, str], counts: op.Counts, model: Any) -> None:
    """What there is besides can be given a prior."""
    first = next(iter(priors))
    start, _, there = refusal(lambda: build(priors, counts, model)).partition("; it has ")
    assert start == f"this model has no {first} to give a prior to"
    assert there
    assert set(there.split(", ")) <= set(NAMES)


def test_theta_that_is_overruled_on_both_sides() -> None:
    priors = {"theta": "Dirichlet(2)", "theta_positive": "Dirichlet(3)", "theta_negative": "Dirichlet(4)"}
    assert "has no theta" not in refusal(lambda: build(priors))


ETA = op.Paired("hierarchical")
IMPROPER = "a Markov chain needs a proper prior, with weights above 0; use uniform or jeffreys"
PAIRING = "PyMC takes op.Paired() or op.Unpaired(), with any prior, got "
ITEMS_APART = "the classifiers were run on different items; use op.PyMC(op.Unpaired())"
POOLED = "the pooled prior is read off the data, which no graph can say; use hierarchical or uniform"
PLANNED = "planning draws thousands of posteriors, for which Markov chains are too slow; use the exact model"
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "haldane": (lambda: build(model=op.Paired("haldane")), IMPROPER),
    "haldane of classes": (lambda: build(counts=THREE, model=op.Paired(0)), IMPROPER),
    "haldane compared": (lambda: op.compare(COUNTS, model=op.PyMC(op.Paired("haldane"))), IMPROPER),
    "sampler": (lambda: op.PyMC(sampler="nut"), "unknown sampler 'nut'; did you mean 'nuts'? known: metropolis,"),
    "form": (lambda: build(form="item"), "unknown form 'item'; did you mean 'items'? known: counts, items"),
    "no chains": (lambda: op.PyMC(chains=0), "chains is a whole number of at least 1, got 0"),
    "half a chain": (lambda: op.PyMC(chains=2.5), "chains is a whole number of at least 1, got 2.5"),  # type: ignore[arg-type]
    "a true chain": (lambda: op.PyMC(chains=True), "chains is a whole number of at least 1, got True"),
    "negative tune": (lambda: op.PyMC(tune=-1), "tune is a whole number of at least 0, got -1"),
    "no cores": (lambda: op.PyMC(cores=0), "cores is a whole number of at least 1, got 0"),
    "sure acceptance": (lambda: op.PyMC(target_accept=1), "target_accept lies between 0 and 1, got 1"),
    "no acceptance": (lambda: op.PyMC(target_accept=0), "target_accept lies between 0 and 1, got 0"),
    "acceptance in words": (
        lambda: op.PyMC(target_accept="much"), "target_accept lies between 0 and 1, got 'much'"  # type: ignore[arg-type]
    ),
    "folds inside": (
        lambda: op.PyMC(op.CrossValidated()), "write op.CrossValidated(op.PyMC(op.Paired())), the other way round"  # type: ignore[arg-type]
    ),
    "a class": (lambda: op.PyMC(op.Paired), f"{PAIRING}<class"),  # type: ignore[arg-type]
    "the bootstrap": (lambda: op.PyMC(op.BayesianBootstrap()), f"{PAIRING}BayesianBootstrap("),  # type: ignore[arg-type]
    "a name": (lambda: op.PyMC("paired"), f"{PAIRING}'paired'"),  # type: ignore[arg-type]
    "bootstrap built": (lambda: build(model="bootstrap"), f"{PAIRING}BayesianBootstrap("),
    "unknown model": (lambda: build(model="pared"), "unknown model 'pared'; did you mean 'paired'?"),
    "no counts": (lambda: op.mcmc.build(op.Paired(), [1, 0]), "Counts"),  # type: ignore[arg-type]
    "too many": (
        lambda: build(counts=FORTY),
        "the model has 64,000 outcomes, too many for a Markov chain (20,000 at most); use the exact model, or",
    ),
    "fractions": (lambda: build(counts=WEIGHED, form="items"), "fractional counts are not of items; use form='counts'"),
    "by item": (lambda: build(counts=BY_ITEM), "counts by item are resampled whole, for which there is no Markov"),
    "samples": (
        lambda: op.compare(LABELS, LABELLED, average="samples", model=op.PyMC()),
        'average="samples" resamples whole items; use model=op.BayesianBootstrap(), or leave it out',
    ),
    "other items": (lambda: build(counts=APART), ITEMS_APART),
    "other items compared": (lambda: op.compare(APART, model=op.PyMC(), draws=9), ITEMS_APART),
    "three hierarchical": (
        lambda: op.rank(CLASSES, dict.fromkeys("abc", CLASSES), average="macro", model=op.PyMC(ETA)),
        "a hierarchical prior pairs at most 2 classifiers, got 3; use the uniform prior",
    ),
    "pooled": (lambda: build(counts=THREE, model=op.Paired("pooled")), POOLED),
    "chunks pooled": (
        lambda: build(counts=CHUNKS, model=op.Paired("pooled")),
        POOLED,
    ),
    "scores": (
        lambda: op.compare([1, 0], {"a": [0.1, 0.2], "b": [0.3, 0.1]}, measure="roc_auc", model=op.PyMC()),
        "roc_auc is computed from items, which only the bootstrap models",
    ),
    "plan": (lambda: op.plan(COUNTS, rope=0.01, model=op.PyMC()), PLANNED),
    "power": (lambda: op.power(COUNTS, 100, rope=0.01, model=op.PyMC()), PLANNED),
    "supposed": (lambda: op.plan((0.5, [0.3, 0.3, 0.2, 0.2], [0.2, 0.2, 0.3, 0.3]), rope=1, model=op.PyMC()), PLANNED),
    "bayes test": (lambda: op.bayes_test(COUNTS, model=op.PyMC()), "unknown model"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    call, sentence = REFUSED[what]
    assert sentence in refusal(call)


def test_planning_refuses_chains_in_whatever_they_are_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    def sample(*_: Any, **__: Any) -> Any:
        raise AssertionError("a chain was begun")

    monkeypatch.setattr("pymc.sample", sample)
    assert refusal(lambda: op.plan(COUNTS, rope=0.01, model=op.CrossValidated(op.PyMC()))) == PLANNED


def test_a_model_of_chains_is_a_value() -> None:
    one, other = (op.PyMC(priors={"mu": "Beta(2, 2)"}) for _ in range(2))
    assert one == other
    assert one != op.PyMC(priors={"mu": "Beta(2, 3)"})
    assert one.symmetric
    assert op.PyMC(priors={"theta": "Dirichlet(2)"}).symmetric
    assert not op.PyMC(priors={"theta": "Dirichlet([1, 2, 3, 4])"}).symmetric
    assert not op.PyMC(priors={"theta": pm.Dirichlet.dist([1, 2, 3, 4])}).symmetric
    assert str(op.PyMC(priors={"mu": pm.Beta.dist(2, 5)}).prior) == "default, mu~Beta(2, 5)"
    assert one.name == "pymc paired"
    assert op.PyMC(op.Unpaired()).name == "pymc unpaired"
    assert op.PyMC().settled(THREE).prior == op.Hierarchical()
    four = op.Counts.from_labels(CLASSES, dict.fromkeys("abcd", CLASSES))
    assert op.PyMC().settled(four).prior == op.Uniform()


def test_the_configuration_of_the_papers() -> None:
    usual = {"nuts": (10_000, 4, 1_000), "metropolis": (50_000, 1, 0)}
    for sampler, (draws, chains, tune) in usual.items():
        model = op.PyMC(sampler=sampler)
        assert model.posterior(COUNTS).usual_draws(50_000, 500) == draws
        assert (model.settings["chains"], model.settings["tune"]) == (chains, tune)
        assert model.posterior(COUNTS.empty()).usual_draws(50_000, 500) == 10_000
    assert "target_accept" not in op.PyMC(sampler="metropolis").settings
    assert op.PyMC(target_accept=0.95).settings["target_accept"] == 0.95


def missing(monkeypatch: pytest.MonkeyPatch, package: str, call: Callable[[], Any]) -> str:
    monkeypatch.setitem(sys.modules, package, None)
    return refusal(call, ImportError)


@pytest.mark.parametrize(
    "call",
    [
        build,
        lambda: op.compare(COUNTS, model=op.PyMC()),
        lambda: op.estimate(ONE, model=op.PyMC()),
        lambda: op.compare(COUNTS, rng=0, draws=9).sensitivity([{"mu": "Beta(2, 2)"}]),
    ],
    ids=["build", "compare", "estimate", "sensitivity"],
)
def test_without_pymc(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> None:
    assert missing(monkeypatch, "pymc", call) == "pymc is not installed; run: pip install 'outperform[mcmc]'"


@pytest.mark.parametrize("sampler", ["nutpie", "numpyro"])
def test_without_other_samplers(monkeypatch: pytest.MonkeyPatch, sampler: str) -> None:
    sentence = missing(monkeypatch, sampler, lambda: op.estimate(ONE, model=op.PyMC(sampler=sampler), rng=0))
    assert sentence == f"{sampler} is not installed; run: pip install 'outperform[{sampler}]'"


def test_without_arviz(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = missing(monkeypatch, "arviz", op.compare(COUNTS, rng=0, draws=9).to_arviz)
    assert sentence == "arviz is not installed; run: pip install 'outperform[mcmc]'"


TINY = "op.compare([1, 0], {'a': [1, 0], 'b': [0, 0]}, rng=0, draws=400)"


def alone(code: str, *options: str) -> str:
    """What Python prints, in a process of its own."""
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_pymc_is_imported_when_it_is_needed() -> None:
    heavy = "print([name for name in ('pymc', 'arviz', 'pytensor', 'xarray') if name in sys.modules])"
    use = f"{TINY}.sensitivity(); op.PyMC(priors={{'mu': 'Beta(1, 1)'}})"
    assert alone(f"import sys, outperform as op, outperform.mcmc; {heavy}; {use}; {heavy}") == "[]\n[]"


def test_pymc_is_imported_without_a_warning() -> None:
    """Whatever PyMC and ArviZ of today have to say to their developers."""
    built = "op.mcmc.build(op.Paired(), op.Counts.from_labels([1, 0], {'a': [1, 0], 'b': [0, 0]}))"
    assert "Model" in alone(f"import outperform as op; {TINY}.to_arviz(); print({built})", "-W", "error")


def went(**settings: Any) -> Diagnostics:
    """How chains went that are good but for what is said."""
    good: dict[str, Any] = {
        "sampler": "nuts", "chains": 4, "draws": 2_500, "tune": 1_000, "r_hat": 1.002, "ess_bulk": 5_000.0,
        "ess_tail": 4_000.0, "divergences": 0, "wanted": 10_000,
    }  # fmt: skip
    return Diagnostics(**good | settings)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"r_hat": 1.1}, "R-hat is 1.1 (it should be at most 1.01)"),
        ({"r_hat": 1.0123}, "R-hat is 1.012 (it should be at most 1.01)"),
        ({"r_hat": None}, "R-hat is unknown (it should be at most 1.01)"),
        ({"ess_bulk": 99.0}, "the effective sample size is only 99, below 400"),
        ({"ess_tail": 12.0}, "the effective sample size is only 12, below 400"),
        ({"divergences": 1_234}, "1,234 steps diverged"),
        ({"divergences": 1}, "1 step diverged"),
        (
            {"r_hat": 1.5, "divergences": 7},
            "R-hat is 1.5 (it should be at most 1.01); 7 steps diverged",
        ),
    ],
)
def test_remarks_on_bad_chains(settings: dict[str, Any], reason: str) -> None:
    end = "Take more draws, or another sampler or prior."
    assert went(**settings).remarks() == (f"The chains are unreliable: {reason}. {end}",)


def test_good_chains_need_no_remark() -> None:
    assert went().remarks() == ()
    assert went(r_hat=1.01, ess_bulk=400.0, ess_tail=400.0).remarks() == ()
    assert went(wanted=20_000).remarks() == ("Interrupted after 10,000 of 20,000 draws.",)


def traced(draws: Any, **stats_of_draws: Any) -> Trace:
    """Chains of one variable, of shape (chain, draw)."""
    own = np.asarray(draws, dtype=np.float64)
    return Trace({"mu": own}, stats_of_draws, {}, {}, {}, sampler="nuts", tune=5, seconds=1.0, wanted=own.size)


def test_diagnostics_of_chains() -> None:
    good = default_rng(0).normal(size=(4, 1_000))
    d = traced(good, diverging=np.zeros((4, 1_000), dtype=bool)).diagnose(good.ravel())
    assert d.r_hat is not None
    assert d.r_hat < 1.01
    assert d.ess_bulk == pytest.approx(4_000, rel=0.1)
    assert d.ess_tail == pytest.approx(4_000, rel=0.1)
    assert (d.chains, d.draws, d.tune, d.divergences) == (4, 1_000, 5, 0)
    assert d.remarks() == ()
    apart = good + np.arange(4)[:, None]
    bad = traced(apart, diverging=good > 2).diagnose(apart.ravel())
    assert bad.r_hat is not None
    assert bad.r_hat > 1.1
    assert bad.divergences == (good > 2).sum()
    walk = np.cumsum(default_rng(1).normal(size=(1, 1_000)), axis=1)
    slow = traced(walk).diagnose(walk.ravel())
    assert slow.r_hat is not None
    assert slow.r_hat > 1.01, "a single chain is held against itself"
    assert slow.ess_bulk < 100


def test_a_variable_may_be_bad_where_the_question_is_not() -> None:
    good = default_rng(0).normal(size=(4, 500))
    d = traced(good + 9 * np.arange(4)[:, None]).diagnose(good.ravel())
    assert d.r_hat is not None
    assert d.r_hat > 1.1
    assert d.ess_bulk > 1_000


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (1, 3), (2, 1), (4, 3), (1, 50), (4, 50)])
def test_chains_that_never_moved_or_hardly_began(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[str] = []
    monkeypatch.setattr(logging.Logger, "callHandlers", lambda _, record: logged.append(record.getMessage()))
    still = np.full(shape, 0.25)
    d = traced(still).diagnose(still.ravel())
    assert (d.r_hat, d.ess_bulk, d.ess_tail) == (None, 1.0, 1.0)
    assert "R-hat is unknown" in d.remarks()[0]
    if shape[1] < 4:
        few = default_rng(0).normal(size=shape)
        begun = traced(few).diagnose(few.ravel())
        assert begun.ess_bulk <= few.size
        assert begun.remarks()
    assert logged == [], "what is wrong, the result says"


def test_the_graph_of_a_pair_in_words() -> None:
    written = op.mcmc.graph(build({"mu": "LogitNormal(0, 1)"}))
    assert str(written).splitlines() == [
        "            mu ~ LogitNormal(0, 1)",
        "theta_positive ~ Dirichlet(0.35 each)  [outcome: 4]",
        "theta_negative ~ Dirichlet(0.35 each)  [outcome: 4]",
        "             n ~ Binomial(200, mu)  observed",
        "    n_positive ~ Multinomial(50, theta_positive)  [outcome: 4]  observed",
        "    n_negative ~ Multinomial(150, theta_negative)  [outcome: 4]  observed",
    ]
    assert repr(written) == str(written)


@pytest.mark.parametrize(
    ("counts", "model", "settings", "lines"),
    [
        (COUNTS, op.Unpaired(), {}, ["b::theta_negative ~ Beta(0.7, 0.7)", "a::n ~ Binomial(200, a::mu)  observed"]),
        (THREE, op.Paired("hierarchical"), {}, [
            "eta ~ Beta(1, 1)  [classifier: 2]", "theta ~ Dirichlet(f(eta))  [class: 3, predicted: 9]",
        ]),
        (SETS, op.Paired("uniform"), {}, [
            "mu ~ Beta(1, 1)  [label: 3]", "n ~ Binomial(20 each, mu)  [label: 3]  observed",
        ]),
        (CHUNKS, op.Paired(), {}, ["theta ~ Dirichlet(0.5 each)  [cell: 14]", "outcomes ~ Multinomial(12, theta)"]),
        (FOLDED, op.CrossValidated(), {}, ["n_positive · log likelihood, f(theta_positive)"]),
        (COUNTS, op.Paired(), {"form": "items"}, ["n_positive ~ Categorical(f(theta_positive))", "observed"]),
        (COUNTS, op.Paired(), {"priors": {"theta": "LogisticNormal(0, 1)"}}, [
            "theta_positive_normal ~ Normal(0, 1)  [outcome: 4]",
            "theta_positive = f(theta_positive_normal)  [outcome: 4]",
        ]),
    ],
    ids=["unpaired", "hierarchical", "labels", "chunks", "folds", "items", "softmax"],
)  # fmt: skip
def test_graphs_in_words(counts: op.Counts, model: Any, settings: dict[str, Any], lines: list[str]) -> None:
    written = str(op.mcmc.graph(op.mcmc.build(model, counts, **settings)))
    for line in lines:
        assert line in written
    signs = {line.split()[1] for line in written.splitlines()}
    assert signs <= {"~", "=", "·"}


DOT = "graphviz's program dot is not there; install it (apt install graphviz, brew install graphviz), or save the graph"
PACKAGE = "graphviz is not installed; run: pip install 'outperform[mcmc]'"


def test_graphs_are_saved(tmp_path: Path) -> None:
    graph = op.mcmc.graph(build())
    text = graph.save(tmp_path / "model.txt")
    assert text.read_text(encoding="utf-8") == f"{graph}\n"
    sentence = "a graph is saved as .svg, .png, .pdf or .txt, got 'model.gif'"
    assert refusal(lambda: graph.save(tmp_path / "model.gif")) == sentence
    picture = tmp_path / "model.svg"
    if find_spec("graphviz") is None or which("dot") is None:
        assert refusal(lambda: graph.save(picture), ImportError).startswith(PACKAGE if which("dot") else DOT)
        assert not picture.exists()
        return
    assert graph.save(str(picture)) == picture
    assert "<svg" in picture.read_text(encoding="utf-8")
    assert "theta_positive" in picture.read_text(encoding="utf-8")
    bundle = graph._repr_mimebundle_(include=None, exclude=None)
    assert "<svg" in bundle["image/svg+xml"]
    assert bundle["text/plain"] == str(graph)


def test_graphs_without_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = op.mcmc.graph(build())
    monkeypatch.setitem(sys.modules, "graphviz", None)
    assert refusal(lambda: graph.save(tmp_path / "model.svg"), ImportError) == PACKAGE
    assert graph._repr_mimebundle_() == {"text/plain": str(graph)}
    monkeypatch.setitem(sys.modules, "graphviz", sys)
    monkeypatch.setattr(sys.modules["outperform.mcmc.graph"], "which", lambda _: None)
    assert refusal(lambda: graph.save(tmp_path / "model.pdf"), ImportError).startswith(DOT)
    assert graph._repr_mimebundle_() == {"text/plain": str(graph)}
    assert graph.save(tmp_path / "model.txt").exists()
