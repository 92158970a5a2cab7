"""What the paper found: Wang & Li (2019), Tables 2–5."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PAPER", "Found"]


class Found(NamedTuple):
    """95% intervals of both tag sets in per cent, the probability that B is no better than A, and the decision."""

    a: tuple[float, float]
    b: tuple[float, float]
    p_h0: float
    accept: str


PAPER = {
    "cws": {
        "precision": Found((95.55, 95.62), (95.60, 95.67), 0.024, "H1"),
        "recall": Found((95.04, 95.11), (95.16, 95.23), 0.001, "H1"),
        "f1": Found((95.30, 95.36), (95.39, 95.44), 0.001, "H1"),
    },
    "ner": {
        "precision": Found((90.59, 91.30), (90.70, 91.41), 0.321, "H1"),
        "recall": Found((87.69, 88.48), (87.78, 88.57), 0.372, "H1"),
        "f1": Found((89.21, 89.77), (89.32, 89.87), 0.300, "H1"),
    },
    "org": {
        "precision": Found((91.37, 92.86), (91.85, 93.31), 0.191, "H1"),
        "recall": Found((64.89, 67.11), (64.45, 66.68), 0.706, "H0"),
        "f1": Found((76.06, 77.74), (75.93, 77.61), 0.587, "H0"),
    },
}
