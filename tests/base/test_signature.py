"""A signature is a string with parts."""

from __future__ import annotations

import copy
import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

import outperform as op
from outperform.base.signature import Signature

KEYS = st.text("abcdefgh_", min_size=1, max_size=8)


@given(st.dictionaries(KEYS, st.text(max_size=20), min_size=1, max_size=6))
def test_what_is_written_is_read_back(parts: dict[str, str]) -> None:
    signature = Signature.of(parts)
    assert Signature.read(str(signature)) == signature
    assert Signature.read(str(signature)).parts == signature.parts
    assert list(signature.parts) == list(parts)
    assert "\n" not in signature
    for again in (pickle.loads(pickle.dumps(signature)), copy.deepcopy(signature)):
        assert again == signature
        assert again.parts == signature.parts


def test_parts_are_changed_left_out_and_added() -> None:
    signature = Signature.of({"prior": "a|b", "seed": 0, "n": 7})
    assert signature == "prior:a/b|seed:0|n:7"
    assert signature.but(seed=1, power=0.8) == "prior:a/b|seed:1|n:7|power:0.8"
    assert signature.without("prior", "absent") == "seed:0|n:7"
    assert signature.judged(fdr=0.1) == "prior:a/b|seed:0|fdr:0.1|n:7"
    assert Signature.of({"seed": 0}).judged(fdr=0.1) == "seed:0|fdr:0.1"


def test_a_result_has_one_also_when_it_is_read_back() -> None:
    r = op.compare([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], rope=0.05, draws=100, rng=0)
    again = op.Comparison.from_dict(json.loads(r.to_json()))
    assert again.signature == r.signature
    assert again.signature.parts["seed"] == "0"
