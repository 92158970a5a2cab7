"""Classes whose recall depends on their size: rising, falling, or lowest in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import product
from zlib import crc32

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from bench.stress.methods import macro_methods
from bench.stress.synthetic import Confusions, rows_from, spread_errors
from bench.stress.world import Case, World

__all__ = ["confusions", "worlds"]

SHAPES = ("rising", "falling", "U-shaped")
COPIED = 0.7
WORSE = 0.05  # how much lower the recall of B's own predictions is


def worlds() -> Iterator[World]:
    """Three shapes, 30 and 100 classes, 500 and 2,000 items; class sizes geometric over two decades."""
    for shape, classes, items in product(SHAPES, (30, 100), (500, 2_000)):
        yield World(
            f"trend {shape} M={classes} n={items}",
            "trends",
            f"recall {shape} in the logarithm of the class size, {classes} classes of sizes 100 to 1, {items} items",
            partial(_draw, shape, classes, items),
            macro_methods(classes),
            ("f1", "weighted f1"),
        )


@cache
def confusions(shape: str, classes: int) -> Confusions:
    """The two classifiers."""
    size = np.geomspace(100, 1, classes)
    mu = size / size.sum()
    recall = _recall(shape, np.linspace(1, 0, classes))
    wrong = spread_errors(default_rng(crc32(f"{shape} {classes}".encode())), mu)
    return Confusions(mu, rows_from(recall, wrong), rows_from(recall - WORSE, wrong), COPIED)


def _recall(shape: str, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Recall at a place between the smallest class (0) and the largest (1)."""
    if shape == "rising":
        return 0.3 + 0.6 * place
    if shape == "falling":
        return 0.9 - 0.6 * place
    return 0.35 + 0.55 * (2 * place - 1) ** 2


def _draw(shape: str, classes: int, items: int, rng: Generator) -> Case:
    return confusions(shape, classes).case(rng, items)
