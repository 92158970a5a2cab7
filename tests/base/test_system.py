"""Systems that are not POSIX: what they lack is taken away, and things work without it.

Nothing here runs on Windows; the workflow in .github/workflows/ci.yml does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import click
import pytest

import outperform as op
from outperform.base import system
from outperform.base.cores import cores
from outperform.cli import main
from outperform.data.storing import write_whole

ROWS = "gold,a,b\n" + "1,1,0\n0,0,1\n" * 20


def test_cores_are_counted_where_the_system_does_not_tell_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert system.usable_cores() == os.cpu_count()
    assert cores() >= 1
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert system.usable_cores() == 1


@pytest.mark.parametrize("error", [OSError("privilege not held"), NotImplementedError("no links")])
@pytest.mark.parametrize("name", ["a[1].csv", "a*?.csv", "[!a].csv"])
def test_files_that_look_like_patterns_are_counted_without_links(
    error: Exception, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(Path, "symlink_to", refuse)
    (tmp_path / name).write_text(ROWS, encoding="utf-8")
    (tmp_path / "a1.csv").write_text("gold,a,b\n1,1,1\n", encoding="utf-8")
    assert not system.link(tmp_path / "link", tmp_path / name)
    counts = op.read_counts(str(tmp_path / name), truth="gold", predictions=["a", "b"])
    assert counts.items == 40


def test_a_process_is_ended_without_sigkill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "SIGKILL", raising=False)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    system.end_process(process.pid)
    assert process.wait(30) != 0
    system.end_process(process.pid)


def test_a_process_that_is_gone_is_no_error_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    def kill(*_: int) -> None:
        raise PermissionError("access is denied")

    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(sys, "platform", "win32")
    system.end_process(1)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(PermissionError):
        system.end_process(1)


def test_memory_is_limited_on_linux_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "resource", None)
    system.limit_memory(1)


def test_words_are_quoted_for_the_shell_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["outperform", "my file.csv", "--truth", "it's"]
    assert system.quoted(words) == "outperform 'my file.csv' --truth 'it'\"'\"'s'"
    monkeypatch.setattr(sys, "platform", "win32")
    assert system.quoted(words) == 'outperform "my file.csv" --truth it\'s'


def test_a_file_is_closed_before_it_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to move, and to remove, a file that is open."""
    opened: list[BinaryIO] = []
    move, remove = Path.replace, Path.unlink

    def closed(then: Any) -> Any:
        def check(path: Path, *args: Any, **named: Any) -> Any:
            assert all(file.closed for file in opened)
            return then(path, *args, **named)

        return check

    monkeypatch.setattr(Path, "replace", closed(move))
    monkeypatch.setattr(Path, "unlink", closed(remove))
    target = tmp_path / "a.txt"

    def write(draft: BinaryIO) -> None:
        opened.append(draft)
        draft.write(b"new")

    write_whole(target, write)
    assert target.read_bytes() == b"new"

    def fail(draft: BinaryIO) -> None:
        opened.append(draft)
        raise OSError("disk full")

    with pytest.raises(op.DataError, match=r"cannot write .*: disk full"):
        write_whole(target, fail)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_pattern_is_not_expanded_by_click(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    monkeypatch.setattr(click.Group, "main", lambda *_, **extra: seen.update(extra))
    main.main(["--help"])
    assert seen["windows_expand_args"] is False


def test_what_is_read_of_the_system_names_its_encoding() -> None:
    """Without one, Windows reads and writes its own code page."""
    code = "import outperform as op; op.compare([1, 0] * 9, {'a': [1, 0] * 9, 'b': [1, 1] * 9}, rope=.1).to_text()"
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning:outperform", "-c", code],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
