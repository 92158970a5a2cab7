"""No command prints a traceback: streams, devices, names and memory that fail, in real processes."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import outperform as op
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

TABLE = "gold,svm,nb\n" + "1,1,0\n0,0,0\n1,1,1\n0,1,0\n" * 20
COMMAND = f"{sys.executable} -m outperform"
ASKED = "--truth gold --predictions svm nb --draws 500 --seed 0"
NAMED = ("--truth", "gold", "--predictions", "svm", "nb", "--draws", "500", "--seed", "0")
FULL = "cannot write the result: No space left on device"
ANSWER = "80 items, paired model, light prior"


def shell(line: str, folder: Path) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a line of bash."""
    settings = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = ["bash", "-c", line]
    done = subprocess.run(words, cwd=folder, env=os.environ | settings, capture_output=True, timeout=300, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.csv").write_text(TABLE)
    (tmp_path / "p.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    (tmp_path / f"{'x' * 251}.csv").write_text(TABLE)
    return tmp_path


FAULTS = {
    f"compare p.csv {ASKED} >&-": "standard output is closed; leave it open, or name a file with --output",
    f"compare p.csv {ASKED} -o /dev/stdout >&-": "cannot write '/dev/stdout': Bad file descriptor",
    "count p.csv -t gold -p svm nb -o /dev/fd/1 >&-": "cannot write '/dev/fd/1': Bad file descriptor",
    f"compare - {ASKED} <&-": "standard input is empty; a header and at least one row are expected",
    f"compare p.csv {ASKED} --rope 0.9 --require better > /dev/full": FULL,
    "count p.csv -t gold -p svm nb > /dev/full": FULL,
    "--help > /dev/full": FULL,
    "--help >&-": "standard output is closed",
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_fault_gets_one_sentence_and_exit_code_2(line: str, folder: Path) -> None:
    code, out, said = shell(f"{COMMAND} {line}", folder)
    assert (code, out) == (2, "")
    assert FAULTS[line] in said.splitlines()[-1]
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("p.csv", *NAMED, "-o", "/dev/full"), "cannot write '/dev/full': No space left on device"),
        (("/dev/zero", *NAMED), "/dev/zero is not text (it starts with b'\\x00\\x00\\x00\\x00'); give CSV"),
        (("/dev/null", *NAMED), "/dev/null is empty; a header and at least one row are expected"),
        (("x" * 256, *NAMED), "xxx: File name too long"),
        (("p.csv", *NAMED, "-o", "x" * 256), "xxx': File name too long"),
    ],
)
def test_a_file_that_fails_gets_one_sentence(
    words: tuple[str, ...], sentence: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert sentence in refused("compare", *words)


def test_logs_are_not_read_from_a_stream(folder: Path) -> None:
    with piped(TABLE.encode()) as stream:
        told = refused("compare", "--from", "lm-eval", stream, str(folder / "p.csv"))
    assert "logs are read from files, not from the stream /dev/fd/" in told


@contextmanager
def piped(content: bytes) -> Iterator[str]:
    """Return the name of an open pipe with this content, like the shell's <(…)."""
    ours, theirs = os.pipe()
    with open(theirs, "wb") as pipe:
        pipe.write(content)  # less than the capacity of a pipe
    yield f"/dev/fd/{ours}"
    os.close(ours)


@pytest.mark.parametrize("content", [TABLE.encode(), gzip.compress(TABLE.encode())], ids=["plain", "packed"])
def test_a_pipe_is_read_once(content: bytes) -> None:
    with piped(content) as stream:
        made = run("compare", stream, *NAMED)
    assert (made.exit_code, made.stderr) == (0, "")
    assert ANSWER in made.stdout


@pytest.mark.parametrize("name", ["f", "f.json"], ids=["any name", "a name that counts may have"])
def test_a_named_pipe_is_read_once(name: str, tmp_path: Path) -> None:
    pipe = tmp_path / name
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        pool.submit(pipe.write_text, TABLE)
        made = run("compare", str(pipe), *NAMED)
    assert (made.exit_code, made.stderr) == (0, "")
    assert ANSWER in made.stdout


def test_a_long_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    made = run("compare", f"{'x' * 251}.csv", *NAMED, "-o", "y" * 255)
    assert (made.exit_code, made.output) == (0, "")
    assert ANSWER in (folder / ("y" * 255)).read_text(encoding="utf-8")


LINES = {
    "standard input as a device": f"cat p.csv | {COMMAND} compare /dev/stdin {ASKED}",
    "standard output as a device": f"{COMMAND} compare p.csv {ASKED} -o /dev/stdout",
    "standard output that is appended to": f"echo A > o; {COMMAND} compare p.csv {ASKED} -o /dev/fd/1 >> o; cat o",
    "everything closed": f"{COMMAND} compare p.csv {ASKED} -o o <&- >&- 2>&-; cat o",
    "packed text where memory is limited": f"ulimit -v 3500000; {COMMAND} compare p.csv.gz {ASKED}",
}


@pytest.mark.parametrize("what", LINES)
def test_what_is_read_once_or_written_in_place_works(what: str, folder: Path) -> None:
    code, out, said = shell(LINES[what], folder)
    assert (code, said) == (0, "")
    assert ANSWER in out
    assert out.startswith("A\n") is ("appended" in what)


def test_a_closed_pipe_is_no_fault(folder: Path) -> None:
    name = "x" * 70_000  # more than the capacity of a pipe, so that head exits before all is written
    (folder / "p.csv").write_text(TABLE.replace("svm", name))
    _, out, said = shell(f"{COMMAND} compare p.csv {ASKED.replace('svm', name)} --format json | head -1", folder)
    assert out
    assert said == ""


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (f"compare p.csv {ASKED} --rope 0.3 --require better", "3"),
        (f"compare p.csv {ASKED} --rope 0.3 --require better --format json", "3"),
        (f"compare p.csv {ASKED} --rope 0.3 -o -", "0"),
        ("example", "0"),
    ],
)
def test_a_closed_pipe_changes_no_exit_code(folder: Path, asked: str, code: str) -> None:
    shell(f"{{ {COMMAND} {asked}; echo $? > code; }} | true", folder)
    assert (folder / "code").read_text().strip() == code
    assert not (folder / "-").exists()


def test_a_report_reads_standard_input_once(folder: Path) -> None:
    target = folder / "r.html"
    made = run("report", "-", *NAMED, "--average", "macro", "-o", str(target), stdin=TABLE)
    assert (made.exit_code, made.stderr) == (0, f"wrote {target}\n")


RAISED: list[tuple[Exception, int, str]] = [
    (MemoryError(), 2, "there is not enough memory; allow more, make fewer --draws, or count the files in parts"),
    (RuntimeError("can't start new thread"), 2, "there is not enough memory; allow more"),
    (OverflowError("int too large"), 2, "a number is too large or too small (int too large); check those in options"),
    (ZeroDivisionError("division by zero"), 2, "a number is too large or too small (division by zero)"),
    (PermissionError(errno.EACCES, "Permission denied", "s/p.csv"), 2, "cannot use 's/p.csv': Permission denied"),
    (OSError("an odd one"), 2, "cannot write the result: an odd one"),
    (
        KeyError("x"),
        1,
        "this is a bug (KeyError: 'x'); please report it, with the traceback that PYTHONDEVMODE=1 shows",
    ),
]


@pytest.mark.parametrize(("error", "code", "sentence"), RAISED)
def test_whatever_is_raised_gets_one_sentence(
    error: Exception, code: int, sentence: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(op, "compare", fails)
    result = run("compare", str(folder / "p.csv"), *NAMED)
    assert result.exit_code == code
    assert result.stdout == ""
    assert sentence in result.stderr.splitlines()[-1]


def test_a_stream_without_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.io.files.MOST_BYTES", 2**21)
    endless = "gold,svm,nb\n" + "1,1,1\n" * 2**19
    assert "standard input has more than 2 MB; count it in parts" in refused("compare", "-", *NAMED, stdin=endless)
