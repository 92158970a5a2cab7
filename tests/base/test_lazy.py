"""Lazy fields of a comparison."""

from __future__ import annotations

from typing import Any

import pytest

import outperform as op
from outperform.base.lazy import changed
from outperform.inference import densities
from outperform.verdicts.outlook import Prospect

TRUTH, ONE, OTHER = [0, 1, 2] * 8, [0, 1, 2] * 4 + [1, 1, 2] * 4, [0, 1, 1] * 8


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record each computation of a density at 0."""
    seen: list[str] = []
    plain = densities.density_at_zero

    def watched(*args: Any) -> Any:
        seen.append("density")
        return plain(*args)

    monkeypatch.setattr(densities, "density_at_zero", watched)
    return seen


@pytest.mark.parametrize("settings", [{"pos_label": 1}, {"average": "macro"}], ids=str)
def test_bayes_factors_are_found_when_they_are_read_and_once(settings: Any, calls: list[str]) -> None:
    r = op.compare(TRUTH, ONE, OTHER, rope=0.05, draws=500, rng=0, **settings)
    assert r.decision is not None
    assert repr(r.with_rope(0.1))
    assert not calls
    first = r.bayes_factor
    assert first.savage_dickey is not None
    assert first.rope is not None
    assert r.bayes_factor is first
    assert r.with_rope(0.1).bayes_factor.savage_dickey == first.savage_dickey
    assert len(calls) == 1


@pytest.mark.parametrize("settings", [{"average": "per_class"}, {"pos_label": 1, "by": ["x", "y"] * 12}], ids=str)
def test_rows_beside_each_other_leave_them_to_be_found(settings: Any, calls: list[str]) -> None:
    rows = op.compare(TRUTH, ONE, OTHER, rope=0.05, draws=500, rng=0, **settings)
    assert not calls
    assert all(row.bayes_factor.savage_dickey for row in rows)
    assert len(calls) == len(rows)


def test_the_outlook_is_found_when_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    r = op.compare(TRUTH, ONE, OTHER, pos_label=1, rope=0.05, draws=500, rng=0)
    further, seen = Prospect.further, []

    def watched(*args: Any) -> Any:
        seen.append(args)
        return further(*args)

    monkeypatch.setattr(Prospect, "further", watched)
    assert repr(r.with_rope(0.06))
    assert not seen
    assert r.outlook is not None
    assert r.outlook is r.outlook
    assert len(seen) == 1


def test_a_lazy_field_is_a_field_like_any_other() -> None:
    r = op.compare(TRUTH, ONE, OTHER, pos_label=1, rope=0.05, draws=500, rng=0)
    read_back = op.Comparison.from_dict(r.to_dict())
    assert read_back == r
    assert read_back.bayes_factor == r.bayes_factor
    assert changed(r, class_=None).bayes_factor == r.bayes_factor
    assert read_back != changed(r, bayes_factor=None)
