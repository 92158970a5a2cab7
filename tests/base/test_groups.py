"""Who runs which test, and that it is the same one on every machine."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parents[1]


def test_examples_are_the_same_on_any_machine_and_may_take_any_time() -> None:
    assert settings().deadline is None
    assert settings().derandomize
    own = re.compile(r"deadline=(?!None)|derandomize=(?!True)")
    others = (file for file in TESTS.rglob("*.py") if file != Path(__file__))
    assert not [file for file in others if own.search(file.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("number", range(6))
def test_a_file_is_run_by_one_process(
    number: int, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Else every process would start Spark and a browser, and make what tests of a file share."""
    if not request.config.getoption("loadgroup", default=False):
        pytest.skip("tests are not shared out by groups")
    seen = tmp_path_factory.getbasetemp().parent / "processes"  # a folder of all of them
    with seen.open("a", encoding="ascii") as file:
        file.write(f"{os.getpid()}\n")
    assert set(seen.read_text(encoding="ascii").split()) == {str(os.getpid())}
