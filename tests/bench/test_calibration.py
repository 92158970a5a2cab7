"""The simulation behind the default prior: it runs, goes on where it stopped, and its table is the one shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bench.calibration import FILE, Setting, Truth, coverage, grid, main, summary

from bench import calibration

ROOT = Path(__file__).parent.parent.parent
SETTING = Setting(5, 100, "equal", "sparse", "alike")


def test_the_page_shows_the_table_of_the_file() -> None:
    assert summary() in (ROOT / "docs" / "explanation" / "calibration.md").read_text(encoding="utf-8")


def test_every_setting_was_tried_with_every_prior() -> None:
    rows = FILE.read_text(encoding="utf-8").splitlines()[1:]
    assert len(rows) == len(set(rows)) == len(list(grid())) * len(calibration.PRIORS)


def test_the_truth_is_what_the_data_come_from() -> None:
    truth = Truth(Setting(5, 200_000, "unequal", "dense", "alike"))
    counts = truth.draw(np.random.default_rng(0))
    c = counts.contingency()
    observed = (2 * c.hit / (c.support + c.predicted)).mean(axis=1)
    np.testing.assert_allclose(observed, truth.scores(), atol=0.005)


def test_coverage_counts_intervals_that_hold_the_truth() -> None:
    pooled, flat = (coverage(SETTING, prior, 60) for prior in ("pooled", "uniform"))
    assert pooled["a_coverage"] > 0.85
    assert flat["a_coverage"] < 0.6


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "calibration.csv"
    monkeypatch.setattr(calibration, "grid", lambda: iter([SETTING]))
    arguments = ["--file", str(file), "--repeats", "2", "--processes", "1"]
    main(arguments)
    first = file.read_text(encoding="utf-8")
    assert len(first.splitlines()) == 1 + len(calibration.PRIORS)
    main(arguments)
    assert file.read_text(encoding="utf-8") == first
