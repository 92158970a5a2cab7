"""Some seconds of it, always the same cases; `make fuzz` goes on for an hour with others."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fuzz.hostile import case
from tests.fuzz.oracles import broken


def test_cases_are_those_of_their_seeds() -> None:
    assert [case(seed) for seed in range(50)] == [case(seed) for seed in range(50)]
    assert len({case(seed) for seed in range(50)}) == 50


@pytest.mark.parametrize("first", [0, 15, 30, 45])
def test_hostile_cases_are_answered_or_refused(first: int, tmp_path: Path) -> None:
    assert not {seed: told for seed in range(first, first + 15) if (told := broken(seed, tmp_path))}


@pytest.mark.parametrize(
    ("code", "printed", "said"),
    [
        (1, "", "exit code 1"),
        (2, "", "refused without a sentence"),
        (2, "Traceback (most recent call last)", "exit code 2"),
        (0, '{"mean": NaN}', "not finite JSON: NaN"),
        (0, "[1", "not finite JSON"),
    ],
)
def test_what_breaks_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, printed: str, said: str
) -> None:
    answer = SimpleNamespace(exit_code=code, output=printed, stdout=printed, stderr="", exception=None)
    monkeypatch.setattr("tests.fuzz.oracles.run", lambda *_: answer)
    assert said in str(broken(0, tmp_path))


def test_readers_that_differ_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers = iter(
        SimpleNamespace(exit_code=0, output=text, stdout=text, stderr="", exception=None) for text in ("1", "2")
    )
    monkeypatch.setattr("tests.fuzz.oracles.run", lambda *_: next(answers))
    assert str(broken(0, tmp_path)).startswith("rows: 0")
