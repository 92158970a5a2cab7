"""Bars of long work: only where somebody watches, only once it is long, one at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.console import Console

from outperform.base import progress
from outperform.base.cores import on_all_cores


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A terminal whose bars appear at once."""
    monkeypatch.setattr(Console, "is_terminal", property(lambda _: True))
    monkeypatch.setattr(progress, "SOON", 0.0)
    yield
    assert progress.ONE_AT_A_TIME.acquire(blocking=False)  # whoever showed a bar has given the terminal back
    progress.ONE_AT_A_TIME.release()


def squares(number: int) -> list[int]:
    return list(on_all_cores(lambda k: k**2, range(number)))


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_long_work_has_a_bar_where_somebody_watches(
    jobs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OUTPERFORM_JOBS", jobs)
    assert squares(5) == [0, 1, 4, 9, 16]
    assert capsys.readouterr().err == ""
    with progress.watching():
        assert squares(5) == [0, 1, 4, 9, 16]
    assert "computing" in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
def test_short_work_has_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "SOON", 1e9)
    with progress.watching():
        assert squares(5) == [0, 1, 4, 9, 16]
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("terminal")
def test_one_bar_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.watching(), progress.bar("studies", 2) as advance:
        assert squares(3) == [0, 1, 4]
        advance(2)
    assert "computing" not in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
def test_work_that_fails_or_is_left_gives_the_terminal_back() -> None:
    with progress.watching():
        results = on_all_cores(lambda k: 1 / (2 - k), range(9), workers=1)
        with pytest.raises(ZeroDivisionError):
            list(results)
        left = progress.watched(iter(range(9)), 9)
        assert [next(left), next(left)] == [0, 1]
        left.close()


def test_without_a_terminal_there_is_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SOON", 0.0)
    with progress.watching():
        assert squares(5) == [0, 1, 4, 9, 16]
    assert capsys.readouterr().err == ""
