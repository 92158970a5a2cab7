"""Which classes a system may never predict: held against sums over the prior by SciPy, and classes drawn from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

import outperform as op
from outperform.models.regression import standardised
from outperform.models.silence import Silence
from outperform.models.sizes import expected_log_size


def parameters(rng: np.random.Generator, number: int) -> tuple[np.ndarray, ...]:
    """Draw a, b, c, d and v from their priors."""
    a, c = rng.logistic(-3, 2, number), rng.logistic(0, 1, number)
    b, d = rng.standard_normal((2, number))
    return a, b, c, d, rng.logistic(np.log(2), 1, number)


def rates(drawn: tuple[np.ndarray, ...], relevant: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return π, and α and β of the share that is predicted, of shape (classes, draws)."""
    a, b, c, d, v = drawn
    size = standardised(expected_log_size(relevant))
    mean, weight = expit(c + np.outer(size, d)), np.exp(v)
    return expit(a + np.outer(size, b)), weight * mean, weight * (1 - mean)


@pytest.mark.parametrize(
    ("predicted", "relevant"),
    [([0, 3, 9, 4, 0], [4, 6, 14, 4, 1]), ([0, 0, 2, 30], [25, 3, 2, 40]), ([0, 0, 1], [2, 0, 3])],
)
def test_probabilities_are_those_of_a_sum_over_the_prior(predicted: list[int], relevant: list[int]) -> None:
    said, held = np.array(predicted, dtype=float), np.array(relevant, dtype=float)
    drawn = parameters(np.random.default_rng(1), 400_000)
    never, alpha, beta = rates(drawn, held)
    outcome = stats.betabinom.pmf(said[:, None], held[:, None], alpha, beta)
    silent = (said == 0)[:, None]
    weight = np.where(silent, never + (1 - never) * outcome, (1 - never) * outcome).prod(axis=0)
    each = np.where(silent, never / (never + (1 - never) * outcome), 0.0)
    wanted = each @ weight / weight.sum()
    error = np.sqrt((each - wanted[:, None]) ** 2 @ weight**2) / weight.sum()
    found = Silence.of(said, held)
    assert found is not None
    # Points of the posterior are as accurate as some thousand draws.
    spread = np.sqrt((each - wanted[:, None]) ** 2 @ weight / weight.sum())
    assert (np.abs(found.expected - wanted) <= 4 * error + 4 * spread / np.sqrt(1_000)).all()


def test_probabilities_come_true_in_classes_drawn_from_the_prior() -> None:
    rng = np.random.default_rng(2)
    probability, happened = [], []
    for _ in range(80):
        held = np.floor(rng.lognormal(1.5, 1.5, 20))
        never, alpha, beta = (part[:, 0] for part in rates(parameters(rng, 1), held))
        mute = rng.random(20) < never
        said = np.where(mute, 0, rng.binomial(held.astype(int), rng.beta(alpha, beta))).astype(float)
        found = Silence.of(said, held)
        if found is not None:
            probability.append(found.expected[said == 0])
            happened.append(mute[said == 0])
    stated = np.concatenate(probability)
    for low, high in ((0, 1), (0, 0.2), (0.2, 0.5), (0.5, 1)):
        # Classes of one data set depend on each other, so the error is that of the sums over data sets.
        off = [float((t - p)[(p >= low) & (p <= high)].sum()) for p, t in zip(probability, happened, strict=True)]
        assert ((stated >= low) & (stated <= high)).sum() > 50
        assert abs(sum(off)) <= 4 * np.sqrt(np.square(off).sum())


def test_a_class_with_many_items_is_told_from_one_with_few() -> None:
    """Where all other classes are predicted about as often as they occur."""
    held = np.array([200.0, 1.0, *[60.0] * 8])
    found = Silence.of(np.array([0.0, 0.0, *[40.0] * 8]), held)
    assert found is not None
    many, few = found.expected[:2]
    assert many > 0.99
    assert 0.01 < few < 0.5
    assert (found.expected[2:] == 0).all()
    assert Silence.of(np.ones(3), np.ones(3)) is None


def test_the_order_of_classes_does_not_matter() -> None:
    said, held = np.array([0.0, 5, 2, 0, 11, 0]), np.array([3.0, 8, 2, 9, 15, 0])
    order = np.array([4, 2, 5, 0, 3, 1])
    one, other = Silence.of(said, held), Silence.of(said[order], held[order])
    assert one is not None
    assert other is not None
    assert one.expected[order] == pytest.approx(other.expected, rel=1e-9)


def test_draws_are_as_often_silent_as_is_expected() -> None:
    found = Silence.of(np.array([0.0, 5, 2, 0, 11, 0]), np.array([3.0, 8, 2, 9, 15, 0]))
    assert found is not None
    drawn = found.draw(np.random.default_rng(3), 20_000)
    assert drawn.shape == (6, 20_000)
    share = 1 - drawn.mean(axis=1)
    assert (np.abs(share - found.expected) <= 4 * np.sqrt(found.expected * (1 - found.expected) / 20_000)).all()


def known(rng: np.random.Generator, truth: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Predict 3 in 4 rightly of the classes that are known, and any of these otherwise."""
    right = (rng.random(len(truth)) < 0.75) & np.isin(truth, classes)
    return np.where(right, truth, rng.choice(classes, len(truth)))


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_precision_of_classes_that_a_system_cannot_predict_is_0(average: str) -> None:
    """The truth is that of 200,000 items; of ten intervals of each at most two may miss it (by chance 1 in 90)."""
    every, some, missed = np.arange(15), np.arange(0, 15, 2), np.zeros(3)
    rng = np.random.default_rng(4)
    settings: dict[str, Any] = {"measure": "precision", "average": average, "draws": 1_000}
    whole = rng.integers(15, size=200_000)
    score = [known(rng, whole, classes) for classes in (every, some)]
    true = [op.compare(whole, {"a": score[0], "b": score[1]}, prior="pooled", **settings)]
    wanted = [true[0].a.observed, true[0].b.observed, true[0].delta.observed]
    for number in range(10):
        truth = rng.integers(15, size=300)
        r = op.compare(truth, {"a": known(rng, truth, every), "b": known(rng, truth, some)}, rng=number, **settings)
        hdis = (r.a.hdi, r.b.hdi, r.delta.hdi)
        missed += [not low <= score <= high for (low, high), score in zip(hdis, wanted, strict=True)]
    assert missed.max() <= 2
