"""How many cores are used: those that there are, at most what a container or the environment allows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import outperform as op
from outperform.base import cores as module
from outperform.base.cores import cores
from tests.command import refused

THERE = 8


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine of eight cores without any limit."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(THERE)), raising=False)
    monkeypatch.delenv("OUTPERFORM_JOBS", raising=False)
    for name in ("QUOTA", "OLD_QUOTA", "OLD_PERIOD"):
        monkeypatch.setattr(module, name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", 8), ("200000 100000", 2), ("150000 100000", 2), ("5000 100000", 1), ("1600000 100000", 8), ("", 8)],
)
def test_the_quota_of_a_container(quota: str, expected: int, machine: Path) -> None:
    (machine / "QUOTA").write_text(f"{quota}\n")
    assert cores() == expected


@pytest.mark.parametrize(("quota", "expected"), [("-1", 8), ("300000", 3)])
def test_a_quota_of_the_first_version(quota: str, expected: int, machine: Path) -> None:
    (machine / "OLD_QUOTA").write_text(f"{quota}\n")
    (machine / "OLD_PERIOD").write_text("100000\n")
    assert cores() == expected


def test_the_environment_sets_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cores() == THERE
    monkeypatch.setenv("OUTPERFORM_JOBS", "3")
    assert cores() == 3
    monkeypatch.setenv("OUTPERFORM_JOBS", "100")
    assert cores() == THERE


def test_the_numbers_do_not_depend_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> Any:
        return op.compare([1, 0, 1, 1], {"a": [1, 0, 1, 0], "b": [0, 0, 1, 1]}, draws=20_000, rng=0).draws

    first = drawn()
    monkeypatch.setenv("OUTPERFORM_JOBS", "1")
    assert (first == drawn()).all()


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_what_is_no_number_of_cores(text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OUTPERFORM_JOBS", text)
    sentence = f"OUTPERFORM_JOBS must be a whole number of at least 1, got '{text}'"
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        cores()
    path = tmp_path / "preds.csv"
    path.write_text("gold,a,b\n1,1,0\n0,0,1\n1,1,1\n0,0,0\n")
    assert sentence in refused("compare", str(path), "--truth", "gold", "--predictions", "a", "b")
