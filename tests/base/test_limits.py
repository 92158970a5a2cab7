"""Values at the limits are accepted, and values beyond them have their message."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import outperform as op
from outperform.base.limits import (
    LEAST_PSEUDO_COUNT,
    LEAST_WEIGHT,
    MOST_DRAWS,
    MOST_ITEMS,
    MOST_PSEUDO_COUNTS,
    MOST_WEIGHT,
    check_draws,
)
from tests.command import refused

TRUTH = np.arange(200) % 2
PREDICTIONS = {"a": np.where(np.arange(200) % 7, TRUTH, 1 - TRUTH), "b": np.where(np.arange(200) % 3, TRUTH, 1 - TRUTH)}


def compared(
    prior: float | None = None, weight: float | None = None, *, times: float = 1, draws: int = 2_000, rng: int = 0
) -> op.Comparison:
    size = {"n": np.full(200, times)} if weight is None else {"weights": np.full(200, weight)}
    counts = op.Counts.from_labels(TRUTH, PREDICTIONS, **size)
    model = None if prior is None else op.Paired(prior=prior)
    result = op.compare(counts, model=model, draws=draws, rng=rng)
    assert isinstance(result, op.Comparison)
    return result


@pytest.mark.parametrize("prior", [LEAST_PSEUDO_COUNT, MOST_PSEUDO_COUNTS])
def test_priors_up_to_the_limits_have_the_mean_that_they_should(prior: float) -> None:
    """For recall, a single Beta: (h + 2p) / (s + 4p) for each system of a pair."""
    counts = op.Counts.from_labels(TRUTH, PREDICTIONS)
    drawn = op.compare(counts, model=op.Paired(prior=prior), measure="recall", draws=20_000, rng=0)
    assert isinstance(drawn, op.Comparison)
    for name, score in (("a", drawn.a), ("b", drawn.b)):
        hits = float((PREDICTIONS[name][TRUTH == 1] == 1).sum())
        expected = (hits + 2 * prior) / (100 + 4 * prior)
        spread = np.sqrt(expected * (1 - expected) / (100 + 4 * prior + 1))
        assert score.mean == pytest.approx(expected, abs=4 * spread / np.sqrt(20_000) + 1e-12)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: compared(1e150), "prior cells holds 1e+150, where 0 or 1e-06 to 1e+09 pseudo-counts are allowed"),
        (lambda: compared(1e-300), "prior cells holds 1e-300, where 0 or 1e-06 to 1e+09"),
        (lambda: op.Dirichlet(1, mu=(1, 1e30)), "prior mu holds 1e+30, where 0 or"),
        (lambda: op.Hierarchical(weight=1e30), "weight of a hierarchical prior holds 1e+30"),
        (lambda: op.Pooled(strength=1e-30), "strength of a pooled prior holds 1e-30"),
        (lambda: compared(weight=1e150), "weights hold or add up to 1e+150, where 1e-100 to 1e+100 are allowed"),
        (lambda: compared(weight=1e200), "weights hold or add up to 1e+200, where 1e-100 to 1e+100 are allowed"),
        (lambda: compared(weight=1e307), "weights hold or add up to 1e+307, where 1e-100 to 1e+100 are allowed"),
        (lambda: compared(weight=9e99), "weights hold or add up to"),
        (lambda: compared(weight=1e-150), "where 1e-100 to 1e+100 are allowed"),
        (lambda: compared(times=1e14), "counts add up to 2e+16 items, but at most 1e+15 are allowed"),
        (lambda: op.compare_confusion([[1e16, 1], [1, 5]], [[3, 1], [1, 5]]), "counts add up to 1e+16 items"),
        (lambda: compared(draws=10**12), "draws must be at most 100,000,000, got 1000000000000; 50,000 is typical"),
        (lambda: compared(draws=10**30), "draws must be at most 100,000,000, got 1000000000000000000"),
        (lambda: op.compare_scores({"a": [0.1, 0.5], "b": [0.2, 0.1]}, draws=10**12), "draws must be at most"),
        (lambda: op.compare_datasets({"a": [0.1, 0.5], "b": [0.2, 0.1]}, draws=10**12), "draws must be at most"),
    ],
)  # fmt: skip
def test_beyond_the_limits(ask: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        ask()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda huge: compared(rng=huge), "rng must be"),
        (lambda huge: compared(draws=huge), "draws must be"),
        (lambda huge: compared().with_rope(huge), "rope must be a number or a pair"),
        (lambda huge: compared().with_rope((-1, huge)), "rope must be a number or a pair"),
        (lambda huge: compared().with_mass(huge), "mass must lie between 0 and 1, as in 0.95, got a whole number of"),
        (lambda huge: op.compare(TRUTH, {huge: TRUTH, "b": TRUTH}), "the name of a system is a whole number of"),
        (lambda huge: op.compare_scores({huge: [0.1, 0.5], "b": [0.2, 0.1]}), "the name of a system is a whole number"),
        (lambda huge: op.compare_datasets({huge: [0.1, 0.5], "b": [0.2, 0.1]}), "the name of a system is a whole"),
    ],
)  # fmt: skip
def test_whole_numbers_that_python_does_not_write_out(ask: Callable[[int], object], sentence: str, sign: int) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as raised:
        ask(sign * 10**5_000)
    assert "a whole number of thousands of digits" in str(raised.value)


def test_at_the_limits() -> None:
    """Only ratios of weights matter, and the largest number of items leaves no uncertainty."""
    plain = compared(weight=1.0)
    for weight in (LEAST_WEIGHT, MOST_WEIGHT / 200):
        assert compared(weight=weight).delta.mean == pytest.approx(plain.delta.mean, rel=1e-9)
    many = compared(times=MOST_ITEMS / 200)
    assert many.delta.mean == pytest.approx(many.delta.observed or 0, abs=1e-6)
    assert check_draws(MOST_DRAWS) == MOST_DRAWS


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--prior", "1e150"], "prior cells holds 1e+150, where 0 or 1e-06 to 1e+09 pseudo-counts are allowed"),
        (["--mass", "0.05", "--rope", "0.01", "--require", "better"], "mass must be at least 0.5, got 0.05; did you"),
        (["--mass", "1e-9"], "mass must be at least 0.5, got 1e-09; did you mean 0.999999999?"),
        (["--draws", "1000000000000"], "draws must be at most 100,000,000, got 1000000000000;"),
    ],
)
def test_of_the_command(tmp_path: Path, options: list[str], sentence: str) -> None:
    file = tmp_path / "x.csv"
    file.write_text("y,a,b\n1,1,0\n0,0,0\n1,1,1\n")
    assert sentence in refused("compare", str(file), "--truth", "y", "-p", "a", "b", *options)
