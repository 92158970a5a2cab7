"""Who runs which test."""

from __future__ import annotations

import os

import pytest


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
