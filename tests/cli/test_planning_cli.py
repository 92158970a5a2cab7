"""Planning by the command: power, plan and reproduce, as a user meets them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import outperform as op
from outperform.cli.options import FORMATS
from outperform.formats import numbers
from tests.command import refused, run
from tests.tables import FIVE, labels_of, pair

pytestmark = pytest.mark.usefixtures("few_draws")

WORLD = ["--mu", "0.5", "--positive", "0.3,0.3,0.2,0.2", "--negative", "0.2,0.2,0.3,0.3"]
TRUTH = op.Scenario(0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3))
SCORES = ["--scores", "0.8,0.75", "--prevalence", "0.3"]
COLUMNS = ["--truth", "y", "--predictions", "a", "b"]
QUICK = ["--rope", "0.05", "--studies", "60"]
PILOT = pair(*FIVE["200 items"])
THERE = pair((300, 80, 3, 9), (5, 4, 70, 134))  # better by far


def answered(*args: str) -> str:
    result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def written(folder: Path, counts: op.Counts = PILOT) -> str:
    truth, guesses = labels_of(counts)
    path = folder / "results.csv"
    rows = zip(truth, *guesses.values(), strict=True)
    path.write_text("y,a,b\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return str(path)


def test_a_plan_guesses_columns(tmp_path: Path) -> None:
    path = written(tmp_path)
    result = run("plan", path, *QUICK)
    assert result.stdout == answered("plan", path, *COLUMNS, *QUICK)
    assert result.stderr.startswith("Guessed: truth y; predictions a and b. ")
    scores = tmp_path / "scores.csv"
    scores.write_text("id,a,b\n" + "".join(f"d{k},{k % 7 / 8},{k % 5 / 8}\n" for k in range(40)))
    for more in ([], ["--scores", "a", "b"]):
        assert "`outperform compare` says how many more items are needed" in refused("plan", str(scores), *more, *QUICK)


def test_power_of_a_table_is_the_librarys() -> None:
    expected = op.power(TRUTH, [200, 500], "better", rope=0.05, studies=60, rng=4)
    found = answered("power", *WORLD, "--goal", "better", *QUICK, "-n", "500", "200", "--seed", "4", "--format", "json")
    assert json.loads(found) == json.loads(expected.to_json())


@pytest.mark.parametrize(
    "more", [[], ["--agreement", "0.9"], ["--measure", "mcc"], ["--measure", "f_beta", "--beta", "2"]]
)
def test_power_of_scores_is_the_librarys(more: list[str]) -> None:
    given = dict(zip(more[::2], more[1::2], strict=True))
    measure: Any = op.f_beta(2) if "--beta" in given else given.get("--measure", "f1")
    agreement = float(given["--agreement"]) if "--agreement" in given else None
    truth = op.Scenario.from_scores(0.8, 0.75, prevalence=0.3, agreement=agreement, measure=measure)
    expected = op.power(truth, 300, "better", rope=0.01, measure=measure, studies=50, rng=0)
    found = answered(
        "power",
        *SCORES,
        *more,
        "--goal",
        "better",
        "--rope",
        "0.01",
        "--studies",
        "50",
        "-n",
        "300",
        "--format",
        "json",
    )
    assert json.loads(found) == json.loads(expected.to_json())
    assert json.loads(found)["delta"] == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("at", ["mean", "posterior"])
def test_power_of_a_file_is_the_librarys(tmp_path: Path, at: str) -> None:
    expected = op.power(PILOT, [300, 900], rope=0.05, studies=60, rng=0, at=at)
    found = answered(
        "power", written(tmp_path), *COLUMNS, *QUICK, "--at", at, "--sizes", "300", "900", "--format", "json"
    )
    assert json.loads(found) == json.loads(expected.to_json())


def test_every_setting_reaches_the_library() -> None:
    settings = ["--prior", "jeffreys", "--model", "unpaired", "--mass", "0.9", "--draws", "999", "--zero-division", "1"]
    found = json.loads(
        answered("power", *WORLD, *QUICK, "-n", "100", *settings, "--average", "macro", "--format", "json")
    )
    for part in ("model:unpaired", "prior:jeffreys", "mass:0.9", "draws:999", "zero_division:1", "average:macro"):
        assert part in found["signature"]
    assert found["studies"] == 60


@pytest.mark.parametrize("format_", FORMATS)
def test_power_writes_every_format(format_: str) -> None:
    expected = op.power(TRUTH, [300, 1000], "better", rope=0.05, studies=60, rng=0).points
    written_ = answered("power", *WORLD, "--goal", "better", *QUICK, "--sizes", "300", "1000", "--format", format_)
    if format_ == "csv":
        rows = list(csv.DictReader(io.StringIO(written_)))
        assert [(int(row["items"]), float(row["reached"])) for row in rows] == [(p.items, p.reached) for p in expected]
    elif format_ != "json":
        for p in expected:
            assert f"{p.items:,}" in written_
            assert f"{p.reached:.3f}" in written_


def test_seeds() -> None:
    args = ["power", *WORLD, *QUICK, "-n", "300", "--format", "csv", "--seed"]
    assert answered(*args, "1") == answered(*args, "1") != answered(*args, "2")


@pytest.mark.parametrize("spelled", [["-n", "300", "600"], ["--sizes=300", "600"], ["-n", "300", "-n", "600"]])
def test_sizes_may_be_followed_by_options(spelled: list[str]) -> None:
    found = json.loads(answered("power", *spelled, *QUICK, *WORLD, "--format", "json"))
    assert [point["items"] for point in found["points"]] == [300, 600]


def test_text_of_power_says_what_is_asked() -> None:
    lines = answered("power", *WORLD, "--goal", "not-worse", *QUICK, "-n", "500").splitlines()
    assert lines[0].startswith("To show that A is not worse than B (true Δf1 +0.100")
    assert lines[-1].startswith("paired model, light prior")
    assert sum("█" in line for line in lines) == 1


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "curve.csv"
    assert answered("power", *WORLD, *QUICK, "-n", "300", "--format", "csv", "-o", str(target)) == ""
    assert target.read_text().startswith("items,goal,reached,error")


PLANS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "decided": (["--rope", "0.05"], {"rope": 0.05}),
    "better": (
        ["--goal", "better", "--power", "0.5", "--rope", "-0.02,0.05"],
        {"goal": "better", "power": 0.5, "rope": (-0.02, 0.05)},
    ),
    "width": (["--width", "0.08"], {"width": 0.08}),
}


@pytest.mark.parametrize("asked", PLANS)
def test_plan_of_a_file_is_the_librarys(tmp_path: Path, asked: str) -> None:
    options, settings = PLANS[asked]
    expected = op.plan(PILOT, studies=60, rng=0, **settings)
    found = answered("plan", written(tmp_path), *COLUMNS, *options, "--studies", "60", "--format", "json")
    assert json.loads(found) == json.loads(expected.to_json())


def test_plan_of_a_supposed_world() -> None:
    found = json.loads(answered("plan", *WORLD, "--goal", "better", *QUICK, "--format", "json"))
    assert found["further"] == op.plan(TRUTH, "better", rope=0.05, studies=60, rng=0).further
    assert found["items"] == 0


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_says_how_many(tmp_path: Path, format_: str) -> None:
    """In full, or about."""
    further = op.plan(PILOT, rope=0.05, studies=60, rng=0).further
    found = answered("plan", written(tmp_path), *COLUMNS, *QUICK, "--format", format_)
    said = {str(further), f"{further:,}", numbers.about(further)}
    assert any(number in found for number in said)


@pytest.mark.parametrize("format_", FORMATS)
def test_a_plan_for_nothing_more_has_every_format(tmp_path: Path, format_: str) -> None:
    found = answered("plan", written(tmp_path, THERE), *COLUMNS, *QUICK, "--format", format_)
    assert found.strip()


def test_compare_says_what_a_plan_would(tmp_path: Path) -> None:
    text = answered("compare", written(tmp_path), *COLUMNS, "--rope", "0.05", "--verbose")
    assert "more items like these would bring a verdict with probability 0.8" in text
    assert "an unpaired comparison would need" in text
    found = json.loads(answered("compare", written(tmp_path), *COLUMNS, "--rope", "0.05", "--format", "json"))
    assert found["outlook"]["goal"] == "decided"
    assert found["pairing"]["items"] == pytest.approx(200 * found["pairing"]["factor"])


@pytest.mark.parametrize("command", ["power", "plan"])
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["preds.csv", "--mu", "0.5"], "give files or what is supposed, not both; got files and --mu"),
        (["preds.csv", *SCORES], "give files or what is supposed, not both; got files and --scores, --prevalence"),
        (["--scores", "0.8,0.7"], "--scores needs --prevalence, the share of positive items"),
        ([], "name files of results, or suppose: --mu, --positive and --negative, or --scores and --prevalence"),
        (["--mu", "0.5"], "or --scores and --prevalence; got --mu"),
        (["--prevalence", "0.5"], "or --scores and --prevalence; got --prevalence"),
        ([*WORLD, *SCORES], "got --mu, --positive, --negative, --scores, --prevalence"),
        ([*WORLD[:4], "--negative", "0.5,0.5"], "--negative takes 4 numbers with commas between them, got '0.5,0.5'"),
        ([*WORLD[:2], "--positive", "a,b,c,d", *WORLD[4:]], "--positive takes 4 numbers with commas between them"),
        (["--scores", "0.8", "--prevalence", "0.3"], "--scores takes 2 numbers with commas between them, got '0.8'"),
        (["--mu", "1.5", *WORLD[2:]], "mu must be a probability between 0 and 1, got 1.5"),
        ([*WORLD[:4], "--negative", "0.5,0.5,0.5,0.5"], "the probabilities of negative must add up to 1"),
        (["--scores", "0.1,0.7", "--prevalence", "0.9"], "f1 0.1 of a is out of reach at a prevalence of 0.9"),
        ([*SCORES, "--agreement", "0.1"], "agreement 0.1 is impossible"),
        ([*SCORES, "--prevalence", "1"], "prevalence must lie between 0 and 1"),
        ([*WORLD, "--goal", "beter"], "unknown goal 'beter'; did you mean 'better'"),
        (
            [*WORLD, "--goal", "equivalent"],
            "would have to be between -0.05 and +0.05; --goal 'decided' shows how often",
        ),
        ([*WORLD, "--studies", "0"], "studies must be a whole number between 1 and 1,000,000, got 0"),
        ([*WORLD, "--measure", "f7"], "unknown measure 'f7'"),
        ([*WORLD, "--average", "per_class"], "--average per_class asks about every class"),
        ([*WORLD, "--seed", "-1"], "--seed must be a whole number of at least 0"),
        (["missing.csv", *COLUMNS], "missing.csv"),
        (["--truth", "y"], "name files of results"),
    ],
)
def test_bad_usage_gets_one_sentence(command: str, options: list[str], sentence: str) -> None:
    sizes = ["-n", "100"] if command == "power" else []
    said = refused(command, *options, "--rope", "0.05", *sizes)
    assert said.startswith("Error: ")
    assert sentence in said


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (
            ["power", *WORLD, "-n", "100"],
            "the goal 'decided' needs a ROPE, the differences that do not matter to you; give --rope",
        ),
        (["plan", *WORLD], "the goal 'decided' needs a ROPE, the differences that do not matter to you; give --rope"),
        (["power", *WORLD, "--rope", "0.05"], "Missing option '--sizes'"),
        (["power", *WORLD, *QUICK, "-n", "0"], "sizes are whole numbers of items between 1 and 1,000,000,000, got 0"),
        (["power", *WORLD, *QUICK, "-n", "100", "many"], "'many' is not a valid integer"),
        (["power", *WORLD, *QUICK, "-n", "10", "--at", "median"], "'median' is not one of 'mean', 'posterior'"),
        (["plan", *WORLD, "--rope", "0.05", "--power", "1"], "power must lie between 0 and 1, as in 0.8, got 1.0"),
        (["plan", *WORLD, "--width", "0"], "width must be a number between 0 and 2"),
        (["plan", *WORLD, "--width", "0.1", "--goal", "better"], "got --goal 'better' and --width 0.1"),
        (
            ["plan", *WORLD, "--goal", "better", "--rope", "0.0999", "--studies", "50"],
            "more than 10,000,000 further items",
        ),
    ],
)
def test_bad_settings_get_one_sentence(args: list[str], sentence: str) -> None:
    assert sentence in refused(*args)


def test_a_plan_out_of_reach_speaks_of_options(tmp_path: Path) -> None:
    said = refused("plan", written(tmp_path), *COLUMNS, "--goal", "better", "--rope", "0.1")
    assert "ask for less than --power 0.8, or for another goal" in said


def test_help() -> None:
    for command, flag in (("power", "--sizes"), ("plan", "--width"), ("reproduce", "--seed")):
        assert flag in answered(command, "--help")
    assert "outperform power --mu 0.5 --positive 0.3,0.3,0.2,0.2" in answered("power", "-h")
