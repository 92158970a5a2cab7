"""The changes that CONTRIBUTING works out are made in a copy of the package, and work there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import outperform

PAGE = (Path(__file__).parent.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGE = Path(outperform.__file__).parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WHERE = re.compile(r"# (\S+?\.py)(?:, (at the end|after: .*|in place of: .*))?\n")
WORKED = PAGE.partition("## Ten worked changes")[2]
SETUP = FENCE.findall(WORKED.partition("\n### ")[0])[0][1]
CHANGES = dict(part.split("\n", 1) for part in WORKED.split("\n### ")[1:])
FILES = {
    "A prior": 2,
    "A model": 2,
    "An output format": 2,
    "A decision rule": 2,
}  # touched; of others at most this many
MOST = 3
EXAMPLES = """
import doctest, pathlib, sys
namespace = {}
exec(pathlib.Path("setup.py").read_text(), namespace)
runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
test = doctest.DocTestParser().get_doctest(pathlib.Path("examples.txt").read_text(), namespace, "worked", None, 0)
sys.exit(runner.run(test).failed or not runner.tries)
"""


def changed(text: str, where: str, block: str) -> str:
    """A file with a block put where it belongs."""
    if where == "at the end":
        return f"{text}\n\n{block}"
    how, _, line = where.partition(": ")
    (found,) = (own for own in text.splitlines(keepends=True) if own.strip() == line)
    return text.replace(found, block if how == "in place of" else found + block, 1)


def test_there_are_ten() -> None:
    assert len(CHANGES) == 10


@pytest.mark.parametrize("name", CHANGES)
def test_a_worked_change_works(name: str, tmp_path: Path) -> None:
    copy, touched, examples = tmp_path / "outperform", set(), ""
    shutil.copytree(PACKAGE, copy)  # with the bytecode, which the interpreter holds against the time of each file
    for language, block in FENCE.findall(CHANGES[name]):
        if language == "pycon":
            examples += block
            continue
        where = WHERE.match(block)
        assert where, block
        path, place, code = copy / where[1], where[2], block[where.end() :]
        touched.add(where[1])
        assert path.exists() == bool(place), where[0]
        path.write_text(changed(path.read_text("utf-8"), place, code) if place else code, "utf-8")
    assert len(touched) <= MOST
    (tmp_path / "setup.py").write_text(SETUP, "utf-8")
    (tmp_path / "examples.txt").write_text(examples, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"}
    told = subprocess.run(
        [sys.executable, "-c", EXAMPLES], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr
