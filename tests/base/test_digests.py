"""Signatures distinguish functions of the same name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, fbeta_score

import outperform as op
from outperform.base.signature import digest

Y, P, Q = [1] * 40 + [0] * 60, [1] * 36 + [0] * 64, [1] * 30 + [0] * 70


def signature(measure: Any) -> str:
    r = op.compare(Y, {"p": P, "q": Q}, measure=measure, pos_label=1, draws=100, rng=0)
    assert isinstance(r, op.Comparison)
    return r.signature


def shifted(by: Any) -> Callable[[Any], Any]:
    return lambda c: c.hit / (c.support + by * c.total)


def squared(by: float, power: float = 2.0) -> Callable[[Any], Any]:
    def score(c: Any) -> Any:
        return (c.hit / (c.support + by * c.total)) ** power

    return score


def test_two_functions_of_one_name_have_two_signatures() -> None:
    functions = [
        lambda c: c.hit / c.support,
        lambda c: c.hit / c.predicted,
        shifted(1.0),
        shifted(2.0),
        squared(1.0),
        squared(1.0, 3.0),
    ]
    assert len({signature(function) for function in functions}) == len(functions)
    assert "|code:" in signature(functions[0])


def test_the_same_function_made_twice_has_one() -> None:
    assert signature(shifted(1.0)) == signature(shifted(1.0))
    assert digest(partial(fbeta_score, beta=2)) == digest(partial(fbeta_score, beta=2))
    assert digest(partial(fbeta_score, beta=2)) != digest(partial(fbeta_score, beta=3))


@pytest.mark.parametrize("measure", ["f1", "mcc", op.f_beta(2)])
def test_measures_of_the_package_go_by_their_names(measure: Any) -> None:
    assert "|code:" not in signature(measure)


def test_functions_with_weights_have_one_too() -> None:
    scores = {"a": [k / 100 for k in range(100)], "b": [1 - k / 100 for k in range(100)]}
    r = op.compare(Y, scores, measure=average_precision_score, draws=20, rng=0)
    assert isinstance(r, op.Comparison)
    assert f"|code:{digest(average_precision_score)}|" in r.signature
    assert digest(len) is None


def test_it_is_the_same_in_every_process() -> None:
    """Digests do not depend on the order of sets or on addresses in memory."""
    code = (
        "from sklearn.metrics import average_precision_score; from outperform.base.signature import digest; "
        "print(digest(average_precision_score), digest(lambda c: c in {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}))"
    )
    with redirect_stdout(StringIO()) as here:
        exec(code, {})
    other = {"PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"}
    there = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | other,  # with the path that the package is imported from
    ).stdout
    assert there == here.getvalue()
    assert "None" not in there


class Slotted:
    __slots__ = ("by",)

    def __init__(self, by: float) -> None:
        self.by = by

    def __call__(self, c: Any) -> Any:
        return c.hit / (c.support + self.by * c.total)


def test_odd_functions_have_one() -> None:
    def again(c: Any, depth: int = 0) -> Any:
        return again(c, depth + 1) if depth < 2 else c.hit / c.support

    assert "|code:" in signature(again)
    assert "|code:" in signature(Slotted(1.0))

    def late(c: Any) -> Any:
        return c.hit / c.support if c is not None else given

    assert digest(late) is not None  # before the name has a value
    given = 1
    values = [1, 2, np.int64(1), np.int64(2), np.float64(2), np.arange(3), np.arange(4), (1, 2), [1, 3], {1: 2}]
    assert len({digest(shifted(value)) for value in values}) == len(values)
    assert late(None) == given
