"""The simulation of weighed items: its worlds are as they say, and the page shows the figures of the file."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from bench.weighing import AREAS, CLASSES, FILE, SIZES, main, summary
from numpy.random import default_rng
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from bench import kept, weighing

PAGE = Path(__file__).parent.parent.parent / "docs" / "explanation" / "weighing.md"
MANY = 200_000


def test_the_page_shows_the_table_of_the_file() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(table in page for table in summary(FILE).split("\n\n"))


def test_every_world_was_tried_with_every_number_of_items() -> None:
    rows = kept.read(FILE)
    tried = [(row["world"], int(row["items"]), row["measure"], row["model"]) for row in rows]
    each: list[weighing.Areas | weighing.Classes] = [*AREAS, *CLASSES]
    worlds = [(world.name, size, *key) for world in each for size in SIZES for key in world.truth()]
    assert tried == [*worlds, *((weighing.MEANS.name, size, "mean score", "bootstrap") for size in weighing.FEW)]
    for row in rows:
        assert int(row["covered"]) + int(row["below"]) + int(row["above"]) == int(row["sets"])


@pytest.mark.parametrize("world", AREAS[::2], ids=lambda world: world.name)
def test_true_areas_are_those_of_many_items(world: weighing.Areas) -> None:
    rng = default_rng(0)
    y = rng.random(MANY) < world.positive
    a, b = world.a * y + rng.standard_normal(MANY), world.b * y + rng.standard_normal(MANY)
    truth = world.truth()
    error = 1 / sqrt(world.positive * MANY)  # more than the standard deviation of either score
    for measure, score in (("roc_auc", roc_auc_score), ("average_precision", average_precision_score)):
        assert truth[measure, "bootstrap"] == pytest.approx(score(y, a) - score(y, b), abs=2 * error)


@pytest.mark.parametrize("world", CLASSES, ids=lambda world: world.name)
def test_true_macro_f1_is_that_of_many_items(world: weighing.Classes) -> None:
    rng = default_rng(1)
    y = rng.choice(5, MANY, p=world.shares)
    scores = []
    for right in (world.a, world.b):
        wrong = (y + rng.integers(1, 5, MANY)) % 5
        scores.append(f1_score(y, np.where(rng.random(MANY) < right, y, wrong), average="macro"))
    assert world.truth()["macro f1", "pooled"] == pytest.approx(scores[0] - scores[1], abs=3 / sqrt(0.05 * MANY))


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "SIZES", (40,))
    monkeypatch.setattr(weighing, "FEW", ())
    monkeypatch.setattr(weighing, "AREAS", AREAS[:1])
    monkeypatch.setattr(weighing, "CLASSES", CLASSES[:1])
    monkeypatch.setattr(weighing, "DRAWS", 100)
    file = tmp_path / "kept.csv"
    for _ in range(2):
        main(["--file", str(file), "--sets", "3"])
        assert [row["sets"] for row in kept.read(file)] == ["3", "3", "3", "3"]
