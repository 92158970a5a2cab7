"""What repeated looks do: the rules stop where they say, and the page shows the figures of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bench.sequential import FILE, RULES, SIZES, Looks, Setting, figures, grid, looks, main, summary

from bench import kept, sequential

ROOT = Path(__file__).parent.parent.parent
ROWS = {(row["prevalence"], row["delta"], row["rule"]): row for row in kept.read(FILE)}
SHARES = ("better", "equivalent", "worse", "undecided", "wrong", "coverage")


def studies(hdis: dict[int, tuple[float, float]], truth: float = 0.0) -> Looks:
    """One study whose HDI changes at some sizes."""
    ends = np.full((len(SIZES), 2), np.nan)
    for size, hdi in sorted(hdis.items()):
        ends[SIZES.index(size) :] = hdi
    return Looks(SIZES, ends[:, :1], ends[:, 1:], np.array([truth]))


def test_the_page_shows_the_tables_of_the_file() -> None:
    page = (ROOT / "docs" / "explanation" / "sequential.md").read_text(encoding="utf-8")
    tables = summary().split("\n\n")
    assert len(tables) == 4
    for table in tables:
        assert table in page


def test_every_setting_was_tried_with_every_rule() -> None:
    assert list(ROWS) == [(*setting.key, rule) for setting in grid() for rule in RULES]


def test_shares_add_up_and_the_border_belongs_to_both_sides() -> None:
    for (_, delta, _), row in ROWS.items():
        assert sum(float(row[name]) for name in SHARES[:4]) == pytest.approx(1, abs=2e-4)
        if delta == "0.05":
            assert row["wrong"] == row["worse"]


def test_rules_stop_where_they_say() -> None:
    grows = studies({100: (0.06, 0.30), 200: (-0.1, 0.1), 600: (-0.02, 0.06), 900: (-0.01, 0.04), 5_250: (0.0, 0.03)})
    stops = {rule: SIZES[stop(grows)[0]] for rule, stop in RULES.items()}
    assert list(stops.values()) == [500, 1_000, 5_000, 100, 600, 5_250, 900]


def test_patience_ends() -> None:
    never = studies({100: (-0.1, 0.1)})
    assert [SIZES[RULES[rule](never)[0]] for rule in ("first verdict", "width 0.08")] == [5_000, 16_000]
    late = studies({100: (-0.1, 0.1), 5_250: (0.06, 0.10)})
    assert SIZES[RULES["first verdict"](late)[0]] == 5_000


@pytest.mark.parametrize(
    ("hdi", "truth", "wrong"),
    [
        ((0.06, 0.10), 0.04, True), ((0.06, 0.10), 0.05, False), ((0.06, 0.10), 0.06, False),
        ((-0.02, 0.04), 0.04, False), ((-0.02, 0.04), 0.05, False), ((-0.02, 0.04), 0.06, True),
        ((-0.10, -0.06), 0.05, True), ((-0.10, -0.06), -0.05, False), ((-0.02, 0.06), 0.1, False),
    ],
)  # fmt: skip
def test_a_verdict_is_wrong_where_the_truth_lies_outside_of_it(
    hdi: tuple[float, float], truth: float, wrong: bool
) -> None:
    assert figures(studies({100: hdi}, truth), "500 items")["wrong"] == f"{wrong:.4f}"


@pytest.mark.parametrize("setting", [Setting(0.5, 0.04), Setting()], ids=["one-world", "prior"])
def test_fresh_studies_agree_with_the_file(setting: Setting) -> None:
    """Of 250: a share of a half that is off by 0.13 is noticed."""
    fresh = looks(setting, 250, again=1)
    for rule in RULES:
        found, row = figures(fresh, rule), ROWS[(*setting.key, rule)]
        for name in SHARES:
            p = float(row[name])
            error = np.sqrt(max(p * (1 - p), 1e-3) * (1 / 250 + 1 / float(row["studies"])))
            assert float(found[name]) == pytest.approx(p, abs=4 * error), (rule, name)
        error = np.hypot(float(found["bias_error"]), float(row["bias_error"]))
        assert float(found["bias"]) == pytest.approx(float(row["bias"]), abs=4 * error), rule


def test_what_is_finished_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "sequential.csv"
    monkeypatch.setattr(sequential, "grid", lambda: iter([Setting(0.5, 0.1)]))
    arguments = ["--file", str(file), "--studies", "20"]
    main(arguments)
    first = file.read_text(encoding="utf-8")
    assert len(first.splitlines()) == 1 + len(RULES)
    main(arguments)
    assert file.read_text(encoding="utf-8") == first
