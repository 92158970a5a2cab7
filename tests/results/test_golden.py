"""The numbers of one small result of every kind are unchanged."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tests.golden import CASES, FILE, numbers_of

AS_THEY_WERE = {line["case"]: line["result"] for line in map(json.loads, FILE.read_text(encoding="utf-8").splitlines())}


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, rel=1e-9, abs=1e-12)
    return bool(one == other)


def test_every_case_is_in_the_file() -> None:
    assert list(AS_THEY_WERE) == list(CASES)


@cache
def made(name: str) -> tuple[Any, bytes]:
    """Return a result, and its pickle before any lazy field was read."""
    result = CASES[name]()
    return result, pickle.dumps(result)


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_as_they_were(name: str) -> None:
    found = numbers_of(made(name)[0])
    assert same(found, AS_THEY_WERE[name]), found


READ = """
import pickle, sys
for pickled in pickle.load(sys.stdin.buffer):
    print(pickle.loads(pickled).to_json(), end="\\0")
"""


def test_every_result_can_be_pickled_and_is_the_same_in_another_process() -> None:
    pickled = pickle.dumps([pickle.dumps(pickle.loads(made(name)[1])) for name in CASES])  # here, and again there
    told = subprocess.run([sys.executable, "-X", "utf8", "-c", READ], input=pickled, capture_output=True, check=True)
    there = dict(zip(CASES, told.stdout.decode().removesuffix("\0").split("\0"), strict=True))
    assert there == {name: made(name)[0].to_json() for name in CASES}
