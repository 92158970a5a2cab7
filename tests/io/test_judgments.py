"""Judgments of MT-Bench and AlpacaEval, and segments of COMET, in the formats that these tools document."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import outperform as op
from outperform.io import read_scores
from tests.command import refused as refused_command
from tests.command import run

JUDGE = ["gpt-4", "single-v1"]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def refused(sentence: str) -> Any:
    return pytest.raises(op.DataError, match=re.escape(sentence))


def alone(question: int, model: str, score: float, turn: int = 1) -> dict[str, Any]:
    return {"question_id": question, "model": model, "judge": JUDGE, "judgment": "", "score": score, "turn": turn}


def beside(question: int, first: str, second: str, *, model_1: str = "a", model_2: str = "b") -> dict[str, Any]:
    pair = {"model_1": model_1, "model_2": model_2, "g1_winner": first, "g2_winner": second}
    return {"question_id": question, **pair, "judge": JUDGE, "turn": 1}


# MT-Bench


def test_answers_that_are_judged_alone(tmp_path: Path) -> None:
    rows = [alone(q, m, q - 80 + t + (m == "a"), t) for m in "ab" for q in (81, 82) for t in (1, 2)]
    path = lines(tmp_path / "gpt-4_single.jsonl", rows)
    scores = read_scores(path)
    assert {name: [*values] for name, values in scores.values.items()} == {"a": [3, 4, 4, 5], "b": [2, 3, 3, 4]}
    assert scores.metric == "score"
    assert scores.cluster == (81, 81, 82, 82)
    answer = run(str(path), "--format", "json", "--draws", "500")
    assert "logs of mt-bench; scores per item a and b" in answer.stderr
    assert json.loads(answer.stdout)["a"]["observed"] == 4
    one_turn = lines(tmp_path / "one_single.jsonl", [row for row in rows if row["turn"] == 1])
    assert read_scores(one_turn).ids == (81, 82)
    assert read_scores(one_turn).cluster is None


def test_answers_that_win_in_one_order_tie(tmp_path: Path) -> None:
    won = [("model_1", "model_1"), ("model_2", "model_2"), ("tie", "tie"), ("model_1", "model_2"), ("model_1", "tie")]
    path = lines(tmp_path / "gpt-4_pair.jsonl", [beside(k, *winners) for k, winners in enumerate(won)])
    scores = read_scores(path)
    assert [*scores.values["a"]] == [1, 0, 0.5, 0.5, 0.5]
    assert [*scores.values["b"]] == [0, 1, 0.5, 0.5, 0.5]
    assert scores.metric == "win_rate"
    common = [beside(k, "model_1", "model_1", model_1=m, model_2="base") for k in range(3) for m in "ab"]
    assert read_scores(lines(tmp_path / "x_pair.jsonl", common)).systems == ("a", "b")
    every = [beside(1, "tie", "tie", model_1=m, model_2=n) for m, n in ("ab", "bc", "ac")]
    with refused("has judgments of 3 pairs of 3 systems; keep those of one pair, or those against one system"):
        read_scores(lines(tmp_path / "y_pair.jsonl", every))
    with refused("question 1, turn 1: a winner is expected, one of 'model_1', 'model_2', 'tie'"):
        read_scores(lines(tmp_path / "z_pair.jsonl", [beside(1, "A", "A")]))


def test_what_a_judge_did_not_score_is_no_score(tmp_path: Path) -> None:
    rows = [alone(q, m, -1 if (q, m) == (82, "b") else 7) for q in (81, 82) for m in "ab"]
    path = lines(tmp_path / "gpt-4_single.jsonl", rows)
    refusal = refused_command(str(path))
    assert "has 1 judgment without a score (-1), of question 82; judge these again, or leave" in refusal
    assert "as with: jq -c 'select([.question_id] | inside([82]) | not)' " in refusal
    with refused("has 1 judgment without a winner (error), of question 5"):
        read_scores(lines(tmp_path / "x_pair.jsonl", [beside(4, "tie", "tie"), beside(5, "error", "tie")]))
    twice = lines(tmp_path / "y_single.jsonl", [alone(81, "a", 7), alone(81, "a", 8)])
    with refused("has two judgments of 'a' on question 81, turn 1; keep those of one judge and one run"):
        read_scores(twice)
    with refused("x.jsonl, line 2: no judgment of MT-Bench; an object with 'model', 'question_id'"):
        read_scores(lines(tmp_path / "x.jsonl", [alone(1, "a", 1), {"a": 1}]))
    with refused("has scores and winners; give one file of each"):
        read_scores(lines(tmp_path / "z.jsonl", [alone(1, "a", 1), beside(1, "tie", "tie")]))


# AlpacaEval


def preferred(folder: Path, system: str, preferences: list[Any], **more: Any) -> Path:
    """What alpaca_eval writes of a system, by the second answer of each pair."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"instruction": f"do {min(k, 2)}", "output_1": "", "generator_1": "base", "output_2": "", "generator_2": system}
        | {"annotator": "gpt", "preference": preference, **more}
        for k, preference in enumerate(preferences)
    ]
    (folder / "annotations.json").write_text(json.dumps(rows, indent=2))
    return folder


def test_preferences_are_shares_of_a_win(tmp_path: Path) -> None:
    new, old = preferred(tmp_path / "x", "new", [2, 1.5, 0, 1.25]), preferred(tmp_path / "y", "old", [1, 1, 2, 2])
    scores = read_scores([new, old])
    assert {name: [*values] for name, values in scores.values.items()} == {
        "new": [1, 0.5, 0.5, 0.25],
        "old": [0, 0, 1, 1],
    }
    assert scores.metric == "win_rate"
    assert scores.ids == ("do 0", "do 1", "do 2", "do 2 #2")
    assert "logs of alpaca-eval" in run(str(new), str(old), "--format", "json", "--draws", "500").stderr
    for missing in (None, -1):
        with refused("has 1 instruction without a preference from 1 to 2: 'do 1'; annotate again"):
            read_scores([new, preferred(tmp_path / "z", "old", [1, missing, 2, 2])])
    with refused("have different contents under the same id, for 4 items"):
        read_scores([new, preferred(tmp_path / "v", "old", [1, 1, 2, 2], generator_1="other")])
    (tmp_path / "w.json").write_text("[1]")
    with refused("w.json is no annotations.json of AlpacaEval"):
        read_scores(tmp_path / "w.json", format="alpaca-eval")


# COMET


def printed(path: Path, scores: dict[str, list[float]], more: str = "") -> Path:
    """What comet-score prints."""
    rows = [f"{name}\tSegment {k}\tscore: {x:.4f}" for name, values in scores.items() for k, x in enumerate(values)]
    rows += [f"{name}\tscore: {sum(values) / len(values):.4f}" for name, values in scores.items()]
    path.write_text("\n".join(rows) + f"\n{more}")
    return path


def test_segments_of_comet(tmp_path: Path) -> None:
    found = {"new.txt": [0.81, 0.92, 0.75], "old.txt": [0.8, 0.9, 0.7]}
    path = printed(tmp_path / "comet.txt", found, "Predictions saved in: x.json.\n")
    assert {name: [*values] for name, values in read_scores(path).values.items()} == found
    answer = run(str(path), "--format", "json", "--draws", "500")
    assert "--scores new.txt old.txt --from comet" in answer.stderr
    several = [printed(tmp_path / f"{name}.out", {"hyp.txt": values}) for name, values in found.items()]
    assert read_scores(several).metric == "COMET"
    told = {name: [{"src": f"s{k}", "mt": "", "COMET": x} for k, x in enumerate(v)] for name, v in found.items()}
    (tmp_path / "comet.json").write_text(json.dumps(told, indent=4))
    assert {name: [*values] for name, values in read_scores(tmp_path / "comet.json").values.items()} == found


def test_segments_that_are_missing(tmp_path: Path) -> None:
    text = printed(tmp_path / "x", {"a": [0.5, 0.7, 0.9]}).read_text()
    for wrong, sentence in {
        text.replace("a\tSegment 1\tscore: 0.7000\n", ""): "has no score of segment 1 of a; score it again",
        text.replace(
            "a\tSegment 2\tscore: 0.9000\n", ""
        ): "COMET prints 0.7000 of a, and the mean of 2 segments is 0.6000",
        text + text: "line 5: segment 0 of a is there again; give each run of comet-score a file of its own",
        text.splitlines()[-1]: "has no scores of segments; run comet-score without --quiet, or with --to_json",
    }.items():
        (tmp_path / "y.txt").write_text(wrong)
        with refused(sentence):
            read_scores(tmp_path / "y.txt")
    (tmp_path / "z.json").write_text('{"a": 1}')
    with refused("z.json: under 'a' a list of segments is expected, each with 'COMET'"):
        read_scores(tmp_path / "z.json", format="comet")


# Other tools


def test_scores_of_ranx_are_values_by_query(tmp_path: Path) -> None:
    for name in ("new", "old"):
        found = {metric: {f"q{k}": k / 20 + (name == "new") / 4 for k in range(10)} for metric in ("map", "ndcg@10")}
        (tmp_path / f"{name}.json").write_text(json.dumps(found))
    scores = read_scores([tmp_path / "new.json", tmp_path / "old.json"], metric="map")
    assert (scores.systems, scores.ids[:2]) == (("new", "old"), ("q0", "q1"))
    assert scores.values["new"][3] == 0.4
    (tmp_path / "few.json").write_text(json.dumps({"map": {"new": 0.5, "old": 0.25}}))
    with refused("is of no format that is known by its content"):
        read_scores(tmp_path / "few.json")


def test_a_truth_of_words_is_no_score_of_a_logged_table(tmp_path: Path) -> None:
    columns = ["question", "ground_truth", "predictions", "is_right"]
    for name, right in {"new": "True", "old": "False"}.items():
        rows = [[f"q{k}", "yes", "no", right if k else "True"] for k in range(3)]
        (tmp_path / f"{name}.json").write_text(json.dumps({"columns": columns, "data": rows}))
    scores = read_scores([tmp_path / "new.json", tmp_path / "old.json"], id="question")
    assert scores.metric == "is_right"
    assert [*scores.values["old"]] == [1, 0, 0]


def test_a_table_of_ranx_has_a_row_for_each_model(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("model_names,ndcg@10,map\nbm25,0.649,0.530\nbert,0.888,0.785\n")
    assert "has a row for each model_names; a row for each data set" in refused_command(str(tmp_path / "x.csv"))
