"""Classes that are alike: a few cells of the grid of `bench.calibration`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from numpy.random import Generator

from bench.calibration import Setting, Truth
from bench.stress.methods import macro_methods
from bench.stress.synthetic import Confusions
from bench.stress.world import Case, World

__all__ = ["SETTINGS", "worlds"]

SETTINGS = (
    Setting(5, 200, "equal", "dense", "alike"),
    Setting(5, 1_000, "unequal", "dense", "different"),
    Setting(5, 5_000, "equal", "dense", "alike"),
    Setting(20, 200, "equal", "sparse", "different"),
    Setting(20, 200, "unequal", "dense", "alike"),
    Setting(20, 1_000, "equal", "sparse", "alike"),
    Setting(20, 1_000, "unequal", "sparse", "different"),
    Setting(20, 5_000, "unequal", "dense", "different"),
    Setting(100, 1_000, "equal", "sparse", "alike"),
    Setting(100, 1_000, "unequal", "dense", "different"),
    Setting(100, 5_000, "equal", "dense", "different"),
    Setting(100, 5_000, "unequal", "sparse", "alike"),
)


def worlds() -> Iterator[World]:
    """One world per setting."""
    for setting in SETTINGS:
        m, n, sizes, how, pair = setting.classes, setting.items, setting.sizes, setting.confusions, setting.classifiers
        yield World(
            f"exchangeable M={m} n={n} {sizes} {how} {pair}",
            "exchangeable",
            f"{m} classes of {sizes} size, recalls .5 to .95 at random, {how} confusions, {pair} systems, {n} items",
            partial(_draw, setting),
            macro_methods(m),
            ("f1", "weighted f1"),
        )


@cache
def _confusions(setting: Setting) -> Confusions:
    truth = Truth(setting)
    return Confusions(truth.mu, truth.a, truth.own, truth.copied)


def _draw(setting: Setting, rng: Generator) -> Case:
    return _confusions(setting).case(rng, setting.items)
