"""Answers without draws: when they are given, what they say, and that draws are there when asked for."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import outperform as op

RNG = np.random.default_rng(5)
TRUTH = (RNG.random(400) < 0.4).astype(int)
TWO = {name: np.where(RNG.random(400) < right, TRUTH, 1 - TRUTH) for name, right in (("a", 0.88), ("b", 0.82))}
CLASSES = RNG.integers(3, size=300)
OF_THREE = {name: np.where(RNG.random(300) < right, CLASSES, 0) for name, right in (("a", 0.8), ("b", 0.6))}
CASES: dict[str, dict[str, Any]] = {
    "recall": {"measure": "recall"},
    "accuracy": {"measure": "accuracy"},
    "error": {"measure": "error_rate"},
    "unpaired": {"measure": "f1", "model": "unpaired"},
    "precision": {"measure": "precision", "model": "unpaired"},
}


@pytest.mark.parametrize("asked", CASES.values(), ids=CASES)
def test_an_exact_comparison_is_that_of_many_draws(asked: dict[str, Any]) -> None:
    draws = 200_000
    exact = op.compare(TRUTH, TWO, rope=0.02, rng=0, **asked)
    drawn = op.compare(TRUTH, TWO, rope=0.02, rng=0, draws=draws, **asked)
    parts = exact.signature.parts
    assert parts["engine"] == "exact"
    assert not {"seed", "draws"} & parts.keys()
    assert exact.delta.mc_error == 0
    assert exact.decision == drawn.decision
    assert exact.rope is not None
    assert drawn.rope is not None
    for found, known, sd in (
        (exact.delta.mean, drawn.delta.mean, drawn.delta.sd),
        (exact.a.mean, drawn.a.mean, drawn.a.sd),
        (exact.rope.probability, drawn.rope.probability, 0.5),
        (exact.delta.p_greater, drawn.delta.p_greater, 0.5),
    ):
        assert abs(found - known) < 4 * sd / draws**0.5
    assert exact.delta.hdi == pytest.approx(drawn.delta.hdi, abs=0.05 * drawn.delta.sd)
    assert exact.delta.sd == pytest.approx(drawn.delta.sd, rel=0.01)
    factor, known = exact.bayes_factor.savage_dickey, drawn.bayes_factor.savage_dickey
    assert factor is not None
    assert known is not None
    assert factor == pytest.approx(known, rel=0.15)  # the prior's density is drawn
    assert exact.pairing is None or exact.pairing.factor == pytest.approx(drawn.pairing.factor, rel=0.03)


def test_draws_are_there_when_asked_for() -> None:
    """With the same seed they are those of the engine that draws."""
    exact, drawn = (op.compare(TRUTH, TWO, measure="recall", rng=3, engine=engine) for engine in ("auto", "draws"))
    assert "engine" not in drawn.signature.parts
    assert drawn.delta.mc_error > 0
    np.testing.assert_array_equal(exact.draws, drawn.draws)
    np.testing.assert_array_equal(exact.drawn().posterior["delta"], drawn.drawn().posterior["delta"])


def test_exchanging_the_systems_flips_the_sign() -> None:
    one = op.compare(TRUTH, TWO, measure="accuracy", rope=0.02)
    other = op.compare(TRUTH, {name: TWO[name] for name in ("b", "a")}, measure="accuracy", rope=0.02)
    assert other.delta.mean == pytest.approx(-one.delta.mean, abs=1e-12)
    assert other.delta.hdi == pytest.approx([-end for end in one.delta.hdi[::-1]], abs=1e-9)
    assert (other.a.mean, other.b.mean) == pytest.approx((one.b.mean, one.a.mean), abs=1e-12)


def test_the_seed_does_not_matter() -> None:
    """Nothing of an exact answer is random, but for Bayes factors, whose prior is drawn."""
    one, other = (op.compare(TRUTH, TWO, measure="recall", rope=0.02, rng=seed) for seed in (0, 1))
    assert one.signature == other.signature
    assert one.delta == other.delta
    assert one.rope == other.rope


@pytest.mark.parametrize("average", ["micro", "multiclass"])
def test_right_or_wrong_of_many_classes(average: Any) -> None:
    measure = "accuracy" if average == "multiclass" else "f1"
    exact = op.compare(CLASSES, OF_THREE, measure=measure, average=average, rope=0.02, rng=0)
    drawn = op.compare(CLASSES, OF_THREE, measure=measure, average=average, rope=0.02, rng=0, engine="draws")
    assert exact.signature.parts["engine"] == "exact"
    assert exact.delta.mean == pytest.approx(drawn.delta.mean, abs=5 * drawn.delta.mc_error)
    assert exact.delta.hdi == pytest.approx(drawn.delta.hdi, abs=0.1 * drawn.delta.sd)


def test_estimates() -> None:
    for measure in ("f1", "precision", "accuracy", "jaccard"):
        exact, drawn = (
            op.estimate(TRUTH, TWO["a"], measure=measure, rng=0, engine=engine) for engine in ("auto", "draws")
        )
        assert exact.mc_error == 0
        assert "seed" not in exact.signature.parts
        assert exact.mean == pytest.approx(drawn.mean, abs=5 * drawn.mc_error)
        np.testing.assert_array_equal(exact.draws, drawn.draws)


@pytest.mark.parametrize(
    "asked", [{"measure": "mcc"}, {"measure": "recall", "draws": 500}, {"measure": "recall", "engine": "draws"}]
)
def test_what_is_drawn(asked: dict[str, Any]) -> None:
    assert "seed" in op.compare(TRUTH, TWO, rng=0, **asked).signature.parts


def test_results_can_be_pickled() -> None:
    exact = op.compare(TRUTH, TWO, measure="recall", rope=0.02, rng=0)
    again = pickle.loads(pickle.dumps(exact))
    assert again == exact
    np.testing.assert_array_equal(again.draws, exact.draws)
    assert again.bayes_factor == exact.bayes_factor


def test_another_rope_and_mass() -> None:
    exact = op.compare(TRUTH, TWO, measure="recall", rope=0.02, rng=0)
    wide = exact.with_rope(0.5)
    assert wide.decision is not None
    assert wide.decision.name == "equivalent"
    low, high = exact.with_mass(0.5).delta.hdi
    assert exact.delta.hdi[0] < low < high < exact.delta.hdi[1]
    assert "scores" in vars(exact.evidence)
    assert callable(vars(exact.evidence)["scores"])  # nothing was drawn


def test_an_unknown_engine() -> None:
    with pytest.raises(ValueError, match="engine"):
        op.compare(TRUTH, TWO, engine="magic")
