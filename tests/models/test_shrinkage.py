"""Shrinkage of systems: against the dense normal posterior and quadrature, and what it must not change."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bench.stress import small, worlds
from bench.stress.world import Ask, contradicted
from numpy.random import Generator, default_rng
from scipy.integrate import quad
from scipy.linalg import helmert
from scipy.stats import halfcauchy, multivariate_normal

import outperform as op
from outperform.data.contingency import FloatArray
from outperform.inference import ranking
from outperform.models.shrinkage import SCALE, Contrasts, distinct, drawn_together, pulled
from outperform.verdicts.decision import ItemsAlone

SYSTEMS, ERRORS = 5, 4
ROOT = default_rng(1).normal(size=(SYSTEMS, SYSTEMS))
COVARIANCE = 0.01 * (ROOT @ ROOT.T + 0.3 * np.ones((SYSTEMS, SYSTEMS)))
MEAN = default_rng(2).normal(0.7, 0.2, SYSTEMS)
CENTRE = np.eye(SYSTEMS) - 1 / SYSTEMS
TRUTH = default_rng(3).integers(2, size=200)
SAID = {name: np.where(default_rng(k).random(200) < 0.2, 1 - TRUTH, TRUTH) for k, name in enumerate("abcdef", 5)}


def contrasts(covariance: Any) -> Contrasts:
    basis = helmert(len(covariance)).T
    values, axes = np.linalg.eigh(basis.T @ covariance @ basis)
    return Contrasts(basis @ axes, values)


def none_alike(systems: int) -> Any:
    return np.eye(systems, dtype=bool)


def noise(values: Any) -> Any:
    """Return a generator that yields these numbers."""
    return SimpleNamespace(standard_normal=lambda shape: np.broadcast_to(values, shape))


@pytest.mark.parametrize("tau", [0.02, 0.1, 0.5])
def test_differences_have_the_posterior_of_the_normal_model(tau: float) -> None:
    """Condition the joint normal distribution of θ and x, with m ~ N(0, 10⁴) in place of a flat one."""
    prior = tau**2 * np.eye(SYSTEMS) + 1e4
    gain = prior @ np.linalg.inv(prior + COVARIANCE)
    mean, covariance = gain @ MEAN, prior - gain @ prior
    known, taus = contrasts(COVARIANCE), np.full(SYSTEMS, tau)
    keeps = known.shrink(np.eye(SYSTEMS), taus, noise(0.0)).T  # θ = keeps d + adds ε
    adds = known.shrink(np.zeros((SYSTEMS, SYSTEMS)), taus, noise(np.eye(SYSTEMS))).T
    found = keeps @ COVARIANCE @ keeps.T + adds @ adds.T
    np.testing.assert_allclose(CENTRE @ keeps @ MEAN, CENTRE @ mean, atol=1e-6)
    np.testing.assert_allclose(CENTRE @ found @ CENTRE, CENTRE @ covariance @ CENTRE, atol=1e-6)
    np.testing.assert_allclose(np.ones(SYSTEMS) @ keeps, 1.0)  # the level is unchanged
    np.testing.assert_allclose(np.ones(SYSTEMS) @ adds, 0.0, atol=1e-12)


def test_draws_have_the_posterior_of_the_normal_model() -> None:
    tau, draws = 0.1, 200_000
    prior = tau**2 * np.eye(SYSTEMS) + 1e4
    gain = prior @ np.linalg.inv(prior + COVARIANCE)
    rng = default_rng(0)
    found = contrasts(COVARIANCE).shrink(
        rng.multivariate_normal(MEAN, COVARIANCE, draws), np.full(draws, tau), rng
    )  # fmt: skip
    expected = CENTRE @ (prior - gain @ prior) @ CENTRE
    error = np.sqrt(np.diag(expected) / draws)
    assert (np.abs(CENTRE @ (found.mean(axis=0) - gain @ MEAN)) < ERRORS * error).all()
    np.testing.assert_allclose(np.cov(found @ CENTRE, rowvar=False), expected, atol=0.02 * expected.max())


def test_how_far_systems_are_apart_is_learned_as_by_quadrature() -> None:
    known, basis, draws = contrasts(COVARIANCE), helmert(SYSTEMS), 50_000
    inner = basis @ COVARIANCE @ basis.T
    scale = SCALE * np.sqrt(np.trace(CENTRE @ COVARIANCE @ CENTRE) / (SYSTEMS - 1))

    def density(tau: float) -> float:
        likelihood = multivariate_normal(np.zeros(SYSTEMS - 1), inner + tau**2 * np.eye(SYSTEMS - 1))
        return float(likelihood.pdf(basis @ MEAN) * halfcauchy.pdf(tau, scale=scale))

    tau = known.draw_tau(MEAN, default_rng(0), draws)
    total = quad(density, 0, np.inf, epsabs=0)[0]
    for at in (0.05, 0.1, 0.2, 0.4):
        below = quad(density, 0, at, epsabs=0)[0] / total
        assert np.mean(tau < at) == pytest.approx(below, abs=ERRORS * np.sqrt(below * (1 - below) / draws) + 1e-3)


def test_eigenvalues_that_sampling_spreads_are_evened_out() -> None:
    """With 60 numbers from 200 units; a known covariance is unchanged."""
    few = default_rng(0).normal(size=(200, 61))
    covariance = np.cov(few.T, ddof=0)
    regular, known = (
        Contrasts.of(covariance, 200).variance,
        np.linalg.eigvalsh(helmert(61) @ covariance @ helmert(61).T),
    )
    assert known.max() > 4 * known.min()
    assert regular.max() < 1.3 * regular.min()
    assert regular.sum() == pytest.approx(known.sum(), rel=0.01)
    np.testing.assert_allclose(Contrasts.of(COVARIANCE, np.inf).variance, contrasts(COVARIANCE).variance, rtol=1e-9)


@pytest.mark.parametrize("units", [1.0, 30.0, 1e9])
def test_eigenvalues_are_evened_out_by_units(units: float) -> None:
    """The share that goes to the mean is ((Σλ)² + Σλ²)/n over Σ(λ − λ̄)²."""
    basis = helmert(SYSTEMS)
    values = np.linalg.eigvalsh(basis @ COVARIANCE @ basis.T)
    chance = (values.sum() ** 2 + (values**2).sum()) / units
    share = min(1.0, chance / ((values - values.mean()) ** 2).sum())
    found = Contrasts.of(COVARIANCE, units)
    np.testing.assert_allclose(found.variance, (1 - share) * values + share * values.mean(), rtol=1e-9)
    assert (share == 1) == (units == 1)
    np.testing.assert_allclose(found.axes.T @ found.axes, np.eye(SYSTEMS - 1), atol=1e-12)
    np.testing.assert_allclose(found.axes.sum(axis=0), 0.0, atol=1e-12)


def test_copies_count_as_one_and_stay_as_they_are() -> None:
    draws = default_rng(0).multivariate_normal(MEAN, COVARIANCE, 500)
    copied = draws[:, [0, 1, 2, 2, 3, 4, 2]]
    same = np.array([[a == b for b in (0, 1, 2, 2, 3, 4, 2)] for a in (0, 1, 2, 2, 3, 4, 2)])
    assert distinct(same) == SYSTEMS
    found = drawn_together(copied, same, 1e6, default_rng(1))
    np.testing.assert_array_equal(found[:, 2], found[:, 3])
    np.testing.assert_array_equal(found[:, 2], found[:, 6])
    alone = drawn_together(draws, none_alike(SYSTEMS), 1e6, default_rng(1))
    np.testing.assert_allclose(found[:, [0, 1, 2, 4, 5]], alone, atol=1e-12)


def test_two_systems_are_left_as_they_are() -> None:
    draws = default_rng(0).normal(size=(100, 3))
    two = np.array([[True, True, False], [True, True, False], [False, False, True]])
    assert drawn_together(draws, two, 100, default_rng(0)) is draws
    with_copy = op.rank(TRUTH, {"a": SAID["a"], "b": SAID["b"], "copy": SAID["a"]}, draws=100, rng=0)
    assert "shrink" not in with_copy.signature
    assert with_copy.evidence.unshrunk is None


def test_draws_that_do_not_vary_are_left_as_they_are() -> None:
    draws = np.tile([0.1, 0.5, 0.9], (50, 1))
    np.testing.assert_array_equal(drawn_together(draws, none_alike(3), 10, default_rng(0)), draws)


@pytest.mark.parametrize("measure", ["f1", "accuracy", "error_rate"])
def test_scores_stay_within_the_range_of_the_draws(measure: str) -> None:
    perfect = {name: TRUTH.copy() for name in "abcd"}
    for k, scores in enumerate(perfect.values()):
        scores[k] = 1 - scores[k]
    r = op.rank(TRUTH, perfect, measure=measure, draws=2_000, rng=0)
    assert r.evidence.drawn.min() <= r.draws.min() <= r.draws.max() <= r.evidence.drawn.max()
    assert 0 <= r.draws.min() <= r.draws.max() <= 1


def test_the_share_by_which_differences_became_smaller() -> None:
    before = np.array([[1.0, 2.0, 6.0]])
    assert pulled(before, 3 + 0.75 * (before - 3)) == pytest.approx(0.25)
    assert pulled(before, before + 1) == pytest.approx(0)
    assert pulled(np.ones((1, 3)), np.ones((1, 3))) == 0


def test_a_ranking_says_how_much_and_can_be_told_not_to() -> None:
    r, plain = (op.rank(TRUTH, SAID, draws=2_000, shrink=shrink, rng=0) for shrink in (True, False))
    first = r.systems[0]
    (note,) = (note for note in r.notes if note.startswith("Systems are shrunk towards similar ones"))
    assert (
        f"the mean of {first.name} is {first.mean:.3f} with shrinkage and {plain[first.name].mean:.3f} without." in note
    )
    assert f"reduces differences by {100 * pulled(plain.draws, r.draws):.0f}% on average" in note
    assert "The best of 6 systems is partly lucky." in note
    assert note in r.comparison("a", "b").notes
    assert not any("shrunk" in note for note in (*plain.notes, *plain.comparison("a", "b").notes))
    assert first.mean < plain[first.name].mean
    assert first.observed == plain[first.name].observed
    np.testing.assert_array_equal(r.evidence.drawn, plain.draws)
    for result, word in ((r, "yes"), (plain, "no")):
        assert f"|shrink:{word}|" in result.signature
        assert f"|shrink:{word}|" in result.comparison("a", "b").signature
    two = op.rank(TRUTH, {name: SAID[name] for name in "ab"}, draws=100, rng=0)
    assert "shrink" not in two.signature


def test_shrinkage_of_the_best_is_reported_even_if_differences_hardly_change() -> None:
    """A system is moved by half a standard deviation towards its like, and others are far away."""
    before = default_rng(0).normal(size=(1_000, 4)) + np.array([0.0, 1.0, 500.0, 501.0])
    names, moved = "abcd", np.array([0.0, 0.0, 0.0, -0.5])
    (note,) = ranking._shrinkage_note(names, 3, before, before + moved)
    assert "which reduces differences by less than 1% on average: the mean of d is 500." in note
    assert not ranking._shrinkage_note(names, 3, before, before + moved / 10)


def test_systems_that_are_far_apart_have_no_note() -> None:
    far = {f"s{k}": np.where(np.arange(2_000) < 400 * k, 1 - np.ones(2_000), 1) for k in range(5)}
    r = op.rank(np.ones(2_000), far, measure="recall", pos_label=1, labels=[0, 1], draws=500, rng=0)
    assert not any("shrunk" in note for note in r.notes)
    assert all(pair.separated for pair in r.pairs)


def test_what_pairing_is_worth_is_of_the_model() -> None:
    r, plain = (op.rank(TRUTH, SAID, draws=2_000, shrink=shrink, rng=0) for shrink in (True, False))
    assert r.comparison("a", "b").pairing == plain.comparison("a", "b").pairing


def test_items_do_not_contradict_a_difference_because_it_was_moved() -> None:
    observed, resampled = np.array([0.8, 0.7]), default_rng(0).normal([0.8, 0.7], 0.01, (100, 2))
    drawn_together_to = (0.03, 0.06)
    still, moved = (ItemsAlone.of(observed, resampled, by) for by in (0.0, -0.055))
    assert still is not None
    assert moved is not None
    assert still.contradict(drawn_together_to)
    assert not moved.contradict(drawn_together_to)
    assert moved.contradict((-0.06, -0.03))


@pytest.mark.parametrize("mended", [True, False])
def test_some_of_twenty_equal_systems_are_told_apart_only_without_the_mend(
    mended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not mended:
        monkeypatch.setattr("outperform.verbs.rank.drawn_together", lambda draws, *_: draws)
    world, data_sets, false = worlds.named("rank 20 identical"), 12, 0
    allowed = small.most_missed(data_sets)
    for number in range(data_sets):
        if false > allowed:  # whatever comes
            break
        answers = world.methods["default"](world.case(number), Ask("accuracy", number, 300))
        any_pair = next(answer for answer in answers if answer.quantity == "accuracy.any_pair")
        false += any(contradicted(decision, 0.0, rope) for rope, decision in any_pair.verdicts[:1])
    assert (false <= allowed) == mended


def alike_draws(rng: Generator, systems: int, ahead: float = 0.0) -> FloatArray:
    """Draw equal systems on shared items, the first of them ahead by some standard deviations of a difference."""
    root = np.linalg.cholesky(0.3 * np.eye(systems) + 0.7)
    truth = np.zeros(systems)
    truth[0] = ahead * np.sqrt(0.6)
    found: FloatArray = truth + root @ rng.standard_normal(systems) + rng.standard_normal((1_000, systems)) @ root.T
    return found


def test_a_system_that_stands_out_is_left_as_it_is() -> None:
    draws = alike_draws(default_rng(0), 12, ahead=8.0)
    together = drawn_together(draws, none_alike(12), 1_000, default_rng(1))
    assert (together[:, 0] == draws[:, 0]).mean() > 0.99
    others = together[:, 1:].std(axis=0) / draws[:, 1:].std(axis=0)
    assert others.max() < 0.95


def test_groups_that_are_far_apart_are_each_shrunk_to_their_own_mean() -> None:
    """In 91% of tables like this some pair of equal systems was told apart when systems were one population."""
    draws = alike_draws(default_rng(0), 20)
    draws[:, ::2] += 8 * np.sqrt(0.6)
    together = drawn_together(draws, none_alike(20), 1_000, default_rng(1))
    for group in (slice(0, None, 2), slice(1, None, 2)):
        before, after = (x[:, group] - x[:, group].mean(axis=1, keepdims=True) for x in (draws, together))
        assert after.std() < 0.6 * before.std()
        assert np.ptp(after.mean(axis=0)) < 0.4 * np.ptp(before.mean(axis=0))
        np.testing.assert_allclose(together[:, group].mean(axis=1), draws[:, group].mean(axis=1), atol=0.5)


def test_the_allowance_for_unobserved_items_is_not_shrunk() -> None:
    """Times with a long tail: 77% of the true scores were covered where it was, in 400 tables."""
    world, tables, covered = worlds.named("table times 20 n=15 apart"), 12, []
    for number in range(tables):
        answers = world.methods["default"](world.case(number), Ask("score", number, 1_000))
        covered += [own.low <= own.truth <= own.high for own in answers if own.quantity == "score.system"]
    assert np.mean(covered) > 0.9
