"""The simulation of many measures: the page shows the figures of its file, and a world can be simulated again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bench.measures import FILE, WORLDS, main, summary

from bench import kept, measures

PAGE = Path(__file__).parent.parent.parent / "docs" / "explanation" / "weighing.md"


def test_the_page_shows_the_table_of_the_file() -> None:
    assert summary(FILE) in PAGE.read_text(encoding="utf-8")


def test_every_world_was_tried_with_every_number_of_items() -> None:
    tried = [(row["world"], int(row["items"])) for row in kept.read(FILE)]
    assert tried == [(name, size) for name, world in WORLDS.items() for size in world.sizes]


def test_a_world_has_the_truth_of_the_file_and_is_not_simulated_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: replace(WORLDS[name], sizes=WORLDS[name].sizes[:1]) for name in ("mean likert", "ndcg binary")}
    monkeypatch.setattr(measures, "WORLDS", few)
    monkeypatch.setattr(measures, "DRAWS", 100)
    file = tmp_path / "measures.csv"
    main(["--sets", "2", "--file", str(file)])
    known = {(row["world"], row["items"]): row for row in kept.read(FILE)}
    rows = kept.read(file)
    assert len(rows) == 2
    for row in rows:
        for key in ("truth_a", "truth_b"):
            assert row[key] == known[row["world"], row["items"]][key]
    main(["--sets", "2", "--file", str(file)])
    assert kept.read(file) == rows
