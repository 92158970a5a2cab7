"""Results of Markov chains: numbers, words, files, predictive checks, and what ArviZ has of them.

They share a few chains, which take seconds to compile each: so all that only looks at them is here.
"""

from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import replace
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import outperform as op
from outperform.base.errors import need
from outperform.models import drawing_order
from outperform.models.chains import Diagnostics, Trace
from tests.later import later
from tests.mcmc.test_arviz import along, dims, groups, names, values
from tests.mcmc.test_mcmc import COUNTS, FOLDED, ONE, build, evidence_of, refusal
from tests.results.test_sensitivity import again
from tests.tables import pair, verdict

pm, plt = later("pymc"), later("matplotlib.pyplot")

pytestmark = pytest.mark.usefixtures("few_draws")  # of the exact models that chains are held against

TURNED = pair((30, 3, 8, 9), (5, 7, 4, 134), ("b", "a"))
FEW_DRAWS = 300
ERRORS = 5  # Monte-Carlo errors that numbers may be off by


def short(model: Any = None, **settings: Any) -> op.PyMC:
    """Chains that are short enough for a test."""
    return op.PyMC(op.Paired() if model is None else model, **{"chains": 2, "tune": 150} | settings)


def metropolis(model: Any = None, **settings: Any) -> op.PyMC:
    return op.PyMC(op.Paired() if model is None else model, sampler="metropolis", **settings)


@cache
def sampled() -> op.Comparison:
    """Two classifiers by NUTS, in two chains that 301 draws cannot be cut into."""
    return op.compare(COUNTS, model=short(), rope=0.05, draws=301, rng=0)


@cache
def alike() -> op.Comparison:
    """Two classifiers that predict the same, by too short a chain."""
    return op.compare(pair((14, 0, 0, 6), (5, 0, 0, 25)), model=metropolis(), rope=0.001, draws=60, rng=0)


@cache
def estimated() -> op.Estimate:
    """One classifier under a prior that the exact model has too."""
    priors = {"mu": "Beta(3, 7)", "theta": pm.Beta.dist(2, 2)}
    return op.estimate(ONE, model=short(priors=priors), draws=FEW_DRAWS, rng=1)


@cache
def ranked() -> op.Ranking:
    """Three systems."""
    y = [1, 0] * 40
    systems = {"good": y, "flat": [1] * 80, "bad": [0, 1] * 30 + y[:20]}
    return op.rank(y, systems, measure="accuracy", model=metropolis(tune=50), rope=0.05, draws=100, rng=0)


@cache
def by_class() -> op.PerClass[op.Comparison]:
    """Both classes of two, which learn from each other."""
    model = metropolis(op.Paired("hierarchical"))
    return op.compare(COUNTS, average="per_class", model=model, rope=0.05, draws=60, rng=0)


@cache
def folded() -> op.Estimate:
    """Folds of a cross-validation."""
    return op.estimate(FOLDED.select([0]), model=op.CrossValidated(short()), draws=FEW_DRAWS, rng=0)


def trace_of(r: op.Comparison | op.Estimate) -> Trace:
    own = r.evidence
    assert own is not None
    assert own.trace is not None
    return own.trace


def draws_of(e: op.Estimate) -> NDArray[np.float64]:
    assert e.evidence is not None
    return e.draws


def test_a_comparison_by_chains() -> None:
    r, exact = sampled(), op.compare(COUNTS, rope=0.05, rng=0)
    assert r.draws.shape == (302, 2), "chains are of the same length"
    assert (r.model, r.prior) == ("pymc paired", "light")
    assert r.sampler is not None
    assert (r.sampler.sampler, r.sampler.chains, r.sampler.draws, r.sampler.tune) == ("nuts", 2, 151, 150)
    assert r.sampler.divergences == 0
    assert r.sampler.seconds > 0
    assert r.delta.mc_error == pytest.approx(r.delta.sd / sqrt(r.sampler.ess_bulk))
    for ours, theirs in ((r.a, exact.a), (r.b, exact.b), (r.delta, exact.delta)):
        assert ours.mean == pytest.approx(theirs.mean, abs=ERRORS * theirs.sd / sqrt(150))
        assert ours.sd == pytest.approx(theirs.sd, rel=0.25)
        assert ours.observed == theirs.observed
    assert r.frequentist == exact.frequentist
    assert r.bayes_factor.savage_dickey == pytest.approx(exact.bayes_factor.savage_dickey, rel=0.5)


def test_a_comparison_by_chains_is_judged_anew() -> None:
    r = sampled()
    wide = r.with_rope(1.0).with_mass(0.5)
    assert verdict(wide) == "equivalent"
    assert wide.sampler == r.sampler
    np.testing.assert_array_equal(wide.draws, r.draws)
    assert refusal(r.more_data).endswith(
        "or by Markov chains; use op.plan with the counts of items, or the estimate of outlook"
    )


def test_chains_in_json() -> None:
    r = sampled()
    plain = json.loads(r.to_json())
    assert r.sampler is not None
    for key in ("sampler", "chains", "draws", "tune", "r_hat", "ess_bulk", "ess_tail", "divergences"):
        assert plain["sampler"][key] == getattr(r.sampler, key)
    assert "seconds" not in plain["sampler"], "which is not the same each time"
    read = op.Comparison.from_dict(plain)
    assert read == r
    assert isinstance(read.sampler, Diagnostics)
    assert read.to_json() == r.to_json()
    assert op.compare(COUNTS, rng=0, draws=9).to_dict()["sampler"] is None
    e = estimated()
    assert op.Estimate.from_dict(json.loads(e.to_json())) == e
    assert ranked().to_dict()["sampler"]["chains"] == 1


def test_results_of_chains_can_be_pickled() -> None:
    r = pickle.loads(pickle.dumps(sampled()))
    assert r == sampled()
    np.testing.assert_array_equal(r.draws, sampled().draws)
    assert r.with_rope(1.0).decision == sampled().with_rope(1.0).decision


def test_chains_in_words() -> None:
    r = sampled()
    assert r.sampler is not None
    line = next(line for line in r.to_text().splitlines() if line.startswith("nuts: "))
    assert line.startswith("nuts: 2 chains of 151 draws after 150 to tune; R-hat 1.")
    assert f"effective draws {r.sampler.ess_bulk:,.0f} (in the tails {r.sampler.ess_tail:,.0f}), divergences 0" in line
    assert line.endswith(f"Monte-Carlo error {r.delta.mc_error:.2g}")
    assert line in op.Comparison.from_dict(r.to_dict()).to_text()
    assert "metropolis: 1 chain of 60 draws" in alike().to_text()
    assert "to tune; R-hat" in estimated().to_text()
    assert "R-hat" not in op.compare(COUNTS, rng=0, draws=9).to_text()


def test_the_signature_says_how_it_was_sampled() -> None:
    said = dict(part.split(":", 1) for part in sampled().signature.split("|"))
    assert {key: said[key] for key in ("model", "prior", "pymc", "sampler", "chains", "tune", "target_accept")} == {
        "model": "pymc paired", "prior": "light", "pymc": pm.__version__, "sampler": "nuts", "chains": "2",
        "tune": "150", "target_accept": "0.9",
    }  # fmt: skip
    assert (said["draws"], said["seed"]) == ("302", "0")
    assert "|prior:light, mu~Beta(3, 7), theta~Beta(2, 2)|" in estimated().signature
    assert "|sampler:metropolis|chains:1|tune:0|" in alike().signature


def test_the_signature_of_folds_says_it_too() -> None:
    said = op.estimate(FOLDED.select([0]), rng=0, draws=9).signature.replace("paired", "pymc paired")
    factor = next(part for part in said.split("|") if part.startswith("factor:"))
    for part in (factor, f"pymc:{pm.__version__}", "sampler:nuts", "chains:2", "tune:150"):
        assert f"|{part}|" in folded().signature


@pytest.mark.parametrize("counts", [COUNTS, TURNED], ids=["given", "turned"])
def test_variables_stay_in_the_order_of_the_classifiers(counts: op.Counts) -> None:
    """Exact models draw one of these the other way round, and turn the draws."""
    assert {tuple(own.canonical_order()) for own in (COUNTS, TURNED)} == {(0, 1), (1, 0)}
    assert drawing_order(short(), counts) == [0, 1]
    model = build(counts=counts)
    seen = dict(zip(model.coords["outcome"], model.rvs_to_values[model["n_positive"]].data.tolist(), strict=True))
    only = {"a": 8, "b": 3}
    first, second = counts.classifiers
    assert seen == {"11": 30, "10": only[first], "01": only[second], "00": 9}


@pytest.mark.slow
def test_swapping_the_two_turns_the_answer() -> None:
    """Up to the error of chains, which are others: variables stay in the order of the classifiers."""
    r, turned = sampled(), op.compare(TURNED, model=short(), rope=0.05, draws=301, rng=0)
    assert (turned.a.name, turned.b.name) == ("b", "a")
    error = ERRORS * sqrt(r.delta.mc_error**2 + turned.delta.mc_error**2)
    assert turned.delta.mean == pytest.approx(-r.delta.mean, abs=error)
    assert turned.a.mean == pytest.approx(r.b.mean, abs=error)
    assert turned.delta.sd == pytest.approx(r.delta.sd, rel=0.3)
    assert (verdict(turned), verdict(r)) == ("slightly_worse", "slightly_better")
    seen = {own.cell: own.observed for own in turned.predictive_check(draws=50).cells if own.variable == "n_positive"}
    assert seen == {"11": 30, "10": 3, "01": 8, "00": 9}


def test_the_same_seed_gives_the_same_numbers() -> None:
    repeated = estimated.__wrapped__()
    assert repeated == estimated()
    np.testing.assert_array_equal(draws_of(repeated), draws_of(estimated()))


def test_each_seed_is_one_of_pymcs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains begin with it, so nothing needs to be sampled to see which it is."""
    given = []

    def sample(*_: Any, random_seed: int, **__: Any) -> Any:
        given.append(random_seed)
        raise InterruptedError

    monkeypatch.setattr("pymc.sample", sample)
    for seed in (1, 1, 2):
        with pytest.raises(InterruptedError):
            op.estimate(ONE, model=short(), draws=FEW_DRAWS, rng=seed)
    first, same, other = given
    assert first == same != other


def test_an_estimate_under_a_prior_of_ones_own() -> None:
    e, exact = estimated(), op.estimate(ONE, model=op.Paired(op.Dirichlet(2, mu=(3, 7))), rng=0)
    assert e.sampler is not None
    assert e.mc_error == pytest.approx(e.sd / sqrt(e.sampler.ess_bulk))
    assert e.mean == pytest.approx(exact.mean, abs=ERRORS * exact.sd / sqrt(150))
    assert e.sd == pytest.approx(exact.sd, rel=0.25)


def test_three_systems_are_ranked_by_chains() -> None:
    r = ranked()
    assert [system.name for system in r.systems] == ["good", "flat", "bad"] or r["good"].p_best > 0.9
    assert r["good"].observed == 1
    assert r.draws.shape == (100, 3)
    assert r.sampler is not None
    assert (r.sampler.draws, r.sampler.tune) == (100, 50)
    assert r.comparison("good", "bad").sampler is not None
    assert verdict(r.comparison("good", "bad")) == "better"
    assert "|sampler:metropolis|" in r.signature
    exact = op.rank(
        [1, 0] * 40,
        {"good": [1, 0] * 40, "flat": [1] * 80, "bad": [0, 1] * 30 + [1, 0] * 10},
        measure="accuracy",
        rng=0,
    )
    for system in exact.systems:
        assert r[system.name].mean == pytest.approx(system.mean, abs=ERRORS * system.sd / sqrt(25))


def test_classes_one_by_one() -> None:
    rows = by_class()
    assert [row.class_ for row in rows] == [0, 1]
    exact = op.compare(COUNTS, average="per_class", model=op.Paired("hierarchical"), rng=0)
    for row in rows:
        assert row.sampler is not None
        assert row.sampler.sampler == "metropolis"
        assert row.delta.observed == exact[row.class_].delta.observed
        assert row.draws.shape == (60, 2)
    assert trace_of(rows[0]) is trace_of(rows[1]), "classes that learn from each other are sampled together"


@pytest.mark.parametrize("rope", [0, 0.001, (0, 0.01), (-0.02, 0.01), 1.0])
def test_identical_predictions_are_never_told_apart(rope: Any) -> None:
    r = alike().with_rope(rope)
    assert verdict(r) == ("equivalent" if rope == 1.0 else "undecided")
    assert "a and b predicted the same on all 50 items." in r.notes


def test_metropolis_throws_nothing_away() -> None:
    r = alike()
    assert r.draws.shape == (60, 2)
    assert r.sampler is not None
    assert (r.sampler.chains, r.sampler.draws, r.sampler.tune, r.sampler.divergences) == (1, 60, 0, 0)
    assert any(note.startswith("The chains are unreliable: R-hat is ") for note in r.notes)
    assert "Note: The chains are unreliable" in r.to_text()


def test_folds_by_chains() -> None:
    r, exact = folded(), op.estimate(FOLDED.select([0]), rng=0)
    assert r.model == "cross-validated pymc paired"
    assert r.sampler is not None
    assert (r.observed, r.items) == (exact.observed, exact.items)
    assert r.mean == pytest.approx(exact.mean, abs=ERRORS * exact.sd / sqrt(150))
    assert r.sd == pytest.approx(exact.sd, rel=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", ["nutpie", "numpyro"])
def test_other_samplers(sampler: str, capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(action="ignore"):
        pytest.importorskip(sampler)
    r = op.estimate(ONE, model=short(sampler=sampler), draws=FEW_DRAWS, rng=0)
    exact = op.estimate(ONE, rng=0)
    assert r.sampler is not None
    assert (r.sampler.sampler, r.sampler.chains, r.sampler.draws) == (sampler, 2, 150)
    assert r.mean == pytest.approx(exact.mean, abs=ERRORS * exact.sd / sqrt(100))
    assert f"|sampler:{sampler}|" in r.signature
    assert tuple(capfd.readouterr()) == ("", "")


def test_posterior_predictive_check() -> None:
    check = sampled().predictive_check(draws=300)
    expected = {
        ("n", ""): 50,
        **{("n_positive", cell): n for cell, n in zip(("11", "10", "01", "00"), (30, 8, 3, 9), strict=True)},
        **{("n_negative", cell): n for cell, n in zip(("11", "10", "01", "00"), (5, 4, 7, 134), strict=True)},
    }
    assert {(own.variable, own.cell): own.observed for own in check.cells} == expected
    for own in check.cells:
        low, high = own.interval
        assert 0 <= own.p <= 1
        assert low <= own.mean <= high
        assert low <= own.observed <= high
        assert own.mean == pytest.approx(own.observed, abs=9)
    assert str(check) == "posterior predictive check: 0 of 9 counts outside their 95% interval"
    assert check.draws == pytest.approx(300, abs=2)
    assert check == sampled().predictive_check(draws=300)
    assert check != sampled().predictive_check(draws=300, rng=5)


def test_predictive_checks_are_written_like_other_results() -> None:
    check = sampled().predictive_check("prior", draws=200, mass=0.8)
    assert check.draws == 200
    assert type(check).from_dict(json.loads(check.to_json())) == check
    assert len(check.to_csv().splitlines()) == 10
    assert check.to_csv().startswith("variable,cell,observed,mean,low,high,p,when,signature")
    assert "prior predictive check: 200 data sets that the model gives" in check.to_text()
    assert "80% interval" in check.to_markdown()
    assert r"n\_positive & 11 & 30 & " in check.to_latex()
    assert check.signature == sampled().signature


def test_an_absurd_prior_is_caught_before_the_data() -> None:
    """μ near 1, where half of the items are positive."""
    balanced = pair((20, 2, 1, 2), (1, 2, 2, 20))
    evidence, cells = evidence_of(sampled()), {}
    for name, priors in (("absurd", {"mu": "Beta(500, 1)"}), ("usual", None)):
        model = build(priors, balanced)
        seen = {own.name: model.rvs_to_values[own].data for own in model.observed_RVs}
        trace = replace(trace_of(sampled()), model=model, observed=seen)
        r = replace(sampled(), evidence=replace(evidence, trace=trace))
        cells[name] = r.predictive_check("prior", draws=400).cells
    odd, usual = ({own.variable: own for own in each} for each in (cells["absurd"], cells["usual"]))
    assert odd["n"].observed == usual["n"].observed == 25
    assert odd["n"].p < 0.01
    assert odd["n"].interval[0] > 25
    assert usual["n"].p > 0.5


def test_checks_that_are_refused() -> None:
    r = sampled()
    exact = "predictive checks are of PyMC models; compare with model=op.PyMC() first"
    assert refusal(op.compare(COUNTS, rng=0, draws=9).predictive_check) == exact
    weighed = replace(sampled(), evidence=replace(evidence_of(r), trace=trace_of(folded())))
    fractions = "fractional counts (folds, weights) are not counts that a model could give"
    assert refusal(weighed.predictive_check) == fractions
    when = "unknown kind of check 'priors'; did you mean 'prior'? known: posterior, prior"
    assert refusal(lambda: r.predictive_check("priors")) == when
    assert "mass must lie between 0 and 1" in refusal(lambda: r.predictive_check(mass=95))
    back = op.Comparison.from_dict(r.to_dict())
    assert "read back without its draws" in refusal(back.predictive_check)


@pytest.mark.parametrize("draws", [0, -3, 2.5])
def test_checks_of_no_draws_are_refused(draws: Any) -> None:
    sentence = refusal(lambda: sampled().predictive_check(draws=draws))
    assert sentence == f"draws must be a whole number of at least 1, got {draws}"


# As ArviZ has them.


def test_the_summary_of_arviz_is_ours() -> None:
    r = sampled()
    table = need("arviz", "mcmc").summary(r.to_arviz(), var_names=["delta", "score"])
    assert list(table.index) == ["delta", "score[a]", "score[b]"]
    numbers = [(r.delta.mean, r.delta.sd), (r.a.mean, r.a.sd), (r.b.mean, r.b.sd)]
    for row, (mean, sd) in zip(table.index, numbers, strict=True):
        assert float(table.loc[row, "mean"]) == pytest.approx(mean, abs=0.0011)
        assert float(table.loc[row, "sd"]) == pytest.approx(sd, abs=0.0011)
    assert r.sampler is not None
    assert float(table.loc["delta", "ess_bulk"]) == pytest.approx(r.sampler.ess_bulk, abs=1)


def test_chains_that_were_read_back() -> None:
    back = op.Comparison.from_dict(json.loads(sampled().to_json()))
    assert "this comparison was read back without its draws" in refusal(back.to_arviz)
    one = op.Estimate.from_dict(json.loads(estimated().to_json()))
    assert refusal(one.to_arviz) == "this estimate was read back without its draws; estimate again for them"
    rows = op.PerClass.from_dict(json.loads(by_class().to_json()), op.Comparison)
    assert "read back without its draws" in refusal(rows.to_arviz)
    check = sampled().predictive_check(draws=50)
    read = type(check).from_dict(json.loads(check.to_json()))
    assert refusal(read.to_arviz) == "this check was read back without its draws; check again for them"


def test_chains_keep_what_was_sampled() -> None:
    r, trace = sampled(), trace_of(sampled())
    data = r.to_arviz()
    assert groups(data) == {"posterior", "prior", "sample_stats", "observed_data"}
    assert names(data) == {"mu", "theta_positive", "theta_negative", "score", "delta"}
    assert dims(data, "theta_positive") == ("chain", "draw", "outcome")
    assert along(data, "outcome") == ["11", "10", "01", "00"]
    assert values(data, "mu").shape == (2, 151)
    np.testing.assert_array_equal(values(data, "mu"), trace.variables["mu"])
    np.testing.assert_array_equal(values(data, "score").reshape(-1, 2), r.draws)
    assert names(data, "sample_stats") == {"diverging"}
    assert values(data, "diverging", "sample_stats").shape == (2, 151)
    assert names(data, "observed_data") == {"n", "n_positive", "n_negative"}
    assert names(data, "prior") == {"delta"}


def predicted(data: Any, dim: str, classifier: int) -> Any:
    """Whether a classifier says yes, in each of the outcomes: 10, or 1,0."""
    return np.array([label.replace(",", "")[classifier] == "1" for label in along(data, dim)])


def test_outcomes_say_what_each_classifier_does() -> None:
    """The first digit is that of the first classifier, whatever order was sampled in."""
    data = sampled().to_arviz()
    for name, expected in (("n_positive", (30, 8, 3, 9)), ("n_negative", (5, 4, 7, 134))):
        seen = dict(zip(along(data, "outcome"), values(data, name, "observed_data").tolist(), strict=True))
        assert seen == dict(zip(("11", "10", "01", "00"), expected, strict=True))
    mu, positive, negative = (values(data, name) for name in ("mu", "theta_positive", "theta_negative"))
    for k in (0, 1):
        hit, wrong = (theta @ predicted(data, "outcome", k) for theta in (positive, negative))
        score = 2 * mu * hit / (mu + mu * hit + (1 - mu) * wrong)
        np.testing.assert_allclose(score, values(data, "score")[..., k])


def test_predictions_say_what_each_classifier_does() -> None:
    data = by_class()[1].to_arviz()
    mu, theta = values(data, "mu")[..., 1], values(data, "theta")
    for k in (0, 1):
        hit, wrong = (theta[..., own, :] @ predicted(data, "predicted", k) for own in (1, 0))
        score = 2 * mu * hit / (mu + mu * hit + (1 - mu) * wrong)
        np.testing.assert_allclose(score, values(data, "score")[..., k])


def test_what_is_of_a_classifier_stands_under_its_name() -> None:
    row = by_class()[1]
    trace, data = trace_of(row), row.to_arviz()
    assert names(data) == {"mu", "eta", "theta", "score", "delta"}
    assert dims(data, "eta") == ("chain", "draw", "classifier")
    for name in "ab":
        column = list(trace.coords["classifier"]).index(name)
        eta = data["posterior"]["eta"].sel(classifier=name)
        np.testing.assert_array_equal(np.asarray(eta), trace.variables["eta"][..., column])


def test_chains_of_other_results() -> None:
    e = estimated()
    data = e.to_arviz()
    assert groups(data) == {"posterior", "sample_stats", "observed_data"}
    assert names(data) == {"mu", "theta_positive", "theta_negative", "score"}
    assert e.evidence is not None
    np.testing.assert_array_equal(values(data, "score").ravel(), e.draws)
    three = ranked()
    ranks = three.to_arviz()
    assert along(ranks, "classifier") == ["good", "flat", "bad"]
    np.testing.assert_array_equal(values(ranks, "score").reshape(-1, 3), three.draws)
    assert dims(ranks, "theta_positive") == ("chain", "draw", "outcome")
    assert names(alike().to_arviz()) == {"mu", "theta_positive", "theta_negative", "score", "delta"}
    assert "sample_stats" not in groups(alike().to_arviz()), "Metropolis has nothing that diverges"
    assert "observed_data" not in groups(folded().to_arviz()), "fractions are not counts"
    classes = by_class().to_arviz()
    assert dims(classes, "delta") == ("chain", "draw", "class")
    np.testing.assert_array_equal(values(classes, "score")[..., 1].reshape(-1, 2), by_class()[1].draws)


def test_outcomes_of_a_ranking_say_what_each_system_does() -> None:
    data = ranked().to_arviz()
    yes = np.stack([predicted(data, "outcome", k) for k in range(3)], axis=1).astype(int)
    mu, positive, negative = (values(data, name) for name in ("mu", "theta_positive", "theta_negative"))
    accuracy = mu[..., None] * (positive @ yes) + (1 - mu)[..., None] * (negative @ (1 - yes))
    np.testing.assert_allclose(accuracy.reshape(-1, 3), ranked().evidence.drawn)  # before they are drawn together


@pytest.mark.parametrize("when", ["posterior", "prior"])
def test_predictive_checks(when: str) -> None:
    check = sampled().predictive_check(when, draws=100)
    data = check.to_arviz()
    assert groups(data) == {f"{when}_predictive", "observed_data"}
    assert names(data, f"{when}_predictive") == names(data, "observed_data") == {"n", "n_positive", "n_negative"}
    drawn = values(data, "n_positive", f"{when}_predictive")
    assert drawn.shape == (1, check.draws, 4)
    assert (drawn.sum(axis=-1) == 50).all()
    assert values(data, "n", "observed_data").ravel().tolist() == [50]
    first = next(own for own in check.cells if own.variable == "n_positive")
    assert drawn[..., 0].mean() == pytest.approx(first.mean)


def test_the_trace_of_chains() -> None:
    r = sampled()
    ax = r.plot_trace()
    first, second, running, _ = ax.lines
    whole = r.draws[:, 0] - r.draws[:, 1]
    np.testing.assert_array_equal(np.asarray(first.get_ydata()), whole[:151])
    np.testing.assert_array_equal(np.asarray(second.get_ydata()), whole[151:])
    assert float(np.asarray(running.get_ydata())[-1]) == pytest.approx(r.delta.mean)
    assert ax.get_xlabel() == "draw of each of 2 chains"
    assert r.sampler is not None
    assert ax.get_title() == f"R-hat {r.sampler.r_hat:.3f}, effective draws {r.sampler.ess_bulk:,.0f}"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["running mean"]  # type: ignore[union-attr]
    assert alike().plot_trace().get_xlabel() == "draw"
    assert refusal(op.Comparison.from_dict(r.to_dict()).plot_trace).startswith("this comparison was read back")
    plt.close("all")


def test_chains_stay_as_they_are() -> None:
    r, models = again(sampled())
    r.sensitivity(["jeffreys", {"mu": "Beta(2, 2)"}])
    for model in models:
        assert (model.sampler, model.chains, model.tune) == ("nuts", 2, 150)
    assert str(models[0].prior) == "jeffreys"
    assert str(models[1].prior) == "light, mu~Beta(2, 2)"
    assert op.mcmc.with_prior(op.PyMC(priors={"mu": "Beta(2, 2)"}), "jeffreys").prior is not None
