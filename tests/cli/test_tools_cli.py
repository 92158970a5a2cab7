"""What evaluation tools write that is no table of items: read by way of a command, or refused with what to give."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from outperform.io.converting import conversion_of
from tests.cli.test_guessing_cli import JSON, typed, written
from tests.cli.test_strange_files import in_shell
from tests.command import refused, run

pytestmark = pytest.mark.usefixtures("few_draws")

BOX = {"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "score": 0.5}
RANKED = {f"q{k}": {"d1": 0.5, "d2": 0.25} for k in range(10)}


def evalplus(samples: int = 1) -> dict[str, Any]:
    statuses = [{"base_status": "pass", "plus_status": "fail"}, {"base_status": "fail", "plus_status": "pass"}]
    return {"date": "", "eval": {f"HumanEval/{k}": statuses[k % 2 :][:1] * samples for k in range(4)}}


def deepeval(system: int) -> dict[str, Any]:
    cases = [
        {"name": f"case_{k}", "input": f"q{k}", "success": k % 3 == system, "metricsData": metrics}
        for k in range(12)
        for metrics in [[{"name": "Relevance", "score": k / 20}, {"name": "Faith", "score": 1 - k / 20 - system / 9}]]
    ]
    return {"testRunData": {"testCases": cases, "conversationalTestCases": []}}


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.json", {"task_name": "STS12", "mteb_version": "2", "scores": {"test": [{"main_score": 1}]}}, "of MTEB"),
        ("x.json", {"task": {}, "scores": [{"score_dict": {"a": 1}}]}, "has results of BIG-bench (score_dict)"),
        ("x.json", {"images": [], "annotations": [], "categories": []}, "has the annotations of COCO; whether"),
        ("x.json", [BOX, BOX], "has objects that a system detects, as COCO takes them; whether a system is right"),
        ("x.json", [{"image_id": 1, "caption": "a cat"}], "has captions of images, as COCO takes them, and no scores"),
        ("x.json", {"resolved": ["a"], "no_generation": []}, "names the instances of SWE-bench that are resolved, and"),
        ("x.json", {"eval_accuracy": 0.8, "epoch": 3}, "has scores of a whole test set ('eval_accuracy'), without"),
        ("x.json", {"score": 30.1, "signature": "", "counts": [1, 2, 3, 4]}, "with --sentence-level -b"),
        ("x.json", RANKED, "has numbers by name for each of 10 keys ('q0', 'q1' and 8 more), as rankings of documents"),
        ("x.json", [{"name": {"name": "f1", "split": "t"}, "count": 1, "sum": 1, "mean": 1}], "of HELM over all items"),
        ("x.json", [{"name": "BLEU", "score": 30.1, "signature": ""}], "has scores of sacreBLEU over a whole test set"),
        ("x.csv", "a,Status,Score,Named Scores,Status,Score,Named Scores\n", "is the CSV of promptfoo; give its JSON"),
        ("x.csv", "epoch,train/loss,mAP\n0,0.9,0.1\n1,0.5,0.2\n", "has a row for each epoch of a training; give the"),
        ("x.csv", ",win_rate,standard_error\na,50.5,1.4\nb,40.25,1.3\n", "with their standard errors (standard_error)"),
        ("x.csv", "id,winner_model_a,winner_model_b,winner_tie\n1,1,0,0\n2,0,1,0\n", "holds votes on pairs of systems"),
    ],
)  # fmt: skip
def test_what_has_no_items(name: str, content: Any, sentence: str, tmp_path: Path) -> None:
    text = content if isinstance(content, str) else json.dumps(content, indent=1)
    if "winner_model_a" in text:
        text = text.replace("id,", "id,model_a,model_b,", 1).replace("\n1,", "\n1,x,y,").replace("\n2,", "\n2,x,y,")
    paths = [written(tmp_path, text, f"{k}{name}") for k in "ab"]
    refusal = refused(paths[0])
    assert sentence in refusal
    if "winner" not in text:
        assert sentence in refused(*paths)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (evalplus(), [{"task_id": f"HumanEval/{k}", "base": 1.0 - k % 2, "plus": 0.0} for k in range(4)]),
        (evalplus(3), [{"task_id": f"HumanEval/{k}", "base": 1.0 - k % 2, "plus": 0.0} for k in range(4)]),
        (
            {"eval": {"a": [{"base_status": "pass", "plus_status": None}]}},
            [{"task_id": "a", "base": 1.0}],
        ),
        (
            deepeval(0),
            [
                {"name": f"case_{k}", "input": f"q{k}", "success": k % 3 == 0, "Relevance": k / 20, "Faith": 1 - k / 20}
                for k in range(12)
            ],
        ),
        (
            {f"k{k}": {"gold": "a", "prediction": "b"} for k in range(10)},
            [{"id": f"k{k}", "gold": "a", "prediction": "b"} for k in range(10)],
        ),
        ({f"k{k}": {"id": "x"} for k in range(10)}, [{"key": f"k{k}", "id": "x"} for k in range(10)]),
        ({f"k{k}": "x" for k in range(10)}, [{"id": f"k{k}", "value": "x"} for k in range(10)]),
    ],
)
def test_conversions(content: Any, rows: list[Any], tmp_path: Path) -> None:
    text = json.dumps(content)
    found = conversion_of(text, "x.json")
    assert found is not None
    assert [json.loads(line) for line in found.convert(text).splitlines()] == rows
    written(tmp_path, text, "x.json")
    made = in_shell(tmp_path, found.pipe("x.json"))
    if "not found" in made.stderr:
        pytest.skip("without jq")
    assert [json.loads(line) for line in made.stdout.splitlines()] == rows


def test_a_log_of_openai_evals_with_scores() -> None:
    events: list[dict[str, Any]] = [{"spec": {}}]
    events += [
        {"event_id": k, "sample_id": f"s{k // 2}", "type": kind, "data": data}
        for k, (kind, data) in enumerate(
            [("sampling", {"score": 9}), ("metrics", {"choice": "A", "score": 0.5}), ("match", {"correct": False})]
        )
    ]
    text = "".join(f"{json.dumps(event)}\n" for event in events)
    found = conversion_of(text, "x.jsonl")
    assert found is not None
    rows = [json.loads(line) for line in found.convert(text).splitlines()]
    assert rows == [{"id": "s0", "score": 0.5}, {"id": "s1", "correct": False}]


def test_results_of_evalplus_are_no_log_of_inspect(tmp_path: Path) -> None:
    paths = [written(tmp_path, json.dumps(evalplus()), f"{k}.json") for k in "ab"]
    refusal = refused(*paths)
    assert "can be read after a conversion (results of EvalPlus)" in refusal
    assert f" > {tmp_path / 'table-a.jsonl'} && jq " in refusal


def test_rows_within_rows_are_not_pooled(tmp_path: Path) -> None:
    rows = [{"id": f"q{k}", "correct": k % 2 == 0, "parts": [{"s": 0.5}, {"s": 0.25}]} for k in range(12)]
    lines = {k: [json.dumps(row | {"correct": row["correct"] == (k == "a")}) for row in rows] for k in "ab"}
    paths = [written(tmp_path, "\n".join([*found, ""]), f"{k}.jsonl") for k, found in lines.items()]
    assert "if correct says which items a system has right, run: " in refused(*paths)


def test_two_lists_are_both_converted(tmp_path: Path) -> None:
    paths = [written(tmp_path, json.dumps([{"id": k, "right": True} for k in range(3)]), f"{f}.json") for f in "ab"]
    refusal = refused(*paths)
    assert all(f"jq -c '.[]' {path} > " in refusal for path in paths)


def test_two_columns_of_each_file_are_four_systems(tmp_path: Path) -> None:
    rows = [f"i{k},{k % 2},{k % 3 == 0:d}" for k in range(20)]
    paths = [written(tmp_path, "\n".join(["id,base,plus", *rows, ""]), f"{name}.csv") for name in ("new", "old")]
    scored = run("rank", *paths, "--id", "id", "--scores", "base", "plus", "--format", "json")
    assert {system["name"] for system in json.loads(scored.stdout)["systems"]} == {
        "new: base", "old: base", "new: plus", "old: plus"
    }  # fmt: skip


def test_flags_in_files_of_two_systems_are_scores(tmp_path: Path) -> None:
    rows = {n: [f"i{k},False,{k % n == 0}" for k in range(20)] for n in (2, 3)}
    paths = [written(tmp_path, "\n".join(["id,none,resolved", *found, ""]), f"{n}.csv") for n, found in rows.items()]
    line = refused(*paths).partition("run: ")[2]
    assert shlex.split(line)[-4:] == ["--id", "id", "--scores", "resolved"]
    assert typed(line).exit_code == 0


def test_several_rows_of_an_item(tmp_path: Path) -> None:
    rows = [json.dumps({"task_id": f"t{k}", "passed": (k + n) % 3 == 0}) for k in range(12) for n in range(3)]
    paths = [written(tmp_path, "\n".join([*rows, ""]), f"{name}.jsonl") for name in ("new", "old")]
    paths[1] = written(tmp_path, "\n".join([*rows[1:], rows[0], ""]).replace("true", "false", 3), "old.jsonl")
    refusal = refused(*paths)
    assert (
        "new.jsonl has 3 rows for each task_id; one score for each is expected, such as the mean, as pandas" in refusal
    )
    assert "frame.groupby('task_id')['passed'].mean().to_csv('mean-new.csv')" in refusal


def test_folds_of_scikit_learn(tmp_path: Path) -> None:
    scores = {n: [f"{k},0.1,0.1,0.{n}{k}" for k in range(5)] for n in (7, 8)}
    header = ",fit_time,score_time,test_f1"
    folds = [written(tmp_path, "\n".join([header, *found, ""]), f"{n}.csv") for n, found in scores.items()]
    refusal = refused(*folds)
    assert "has a row for each fold of one system, as cross_validate of scikit-learn returns them" in refusal
    assert "{'A': a['test_f1'], 'B': b['test_f1']}" in refusal
    header = "mean_fit_time,params,split0_test_score,split1_test_score,split2_test_score,mean_test_score"
    rows = [f"0.1,C={k},0.8{k},0.7{k},0.9{k},0.8{k}" for k in range(3)]
    refusal = refused(written(tmp_path, "\n".join([header, *rows, ""]), "search.csv"))
    assert "has a row for each setting, as cv_results_ of scikit-learn; a row for each fold is expected" in refusal
    assert "frame.filter(regex='^split.*_test_score').T.rename_axis('fold').to_csv('folds.csv')" in refusal
    assert refusal.endswith("run: outperform compare-folds folds.csv --systems 0 1 --fold fold --runs 1")


def test_files_without_a_header_are_not_matched_by_their_first_rows(tmp_path: Path) -> None:
    paths = [
        written(tmp_path, "".join(f"COMET\ten-de\t{name}\t{k}\t0.{k}{n}\n" for k in range(1, 13)), f"{name}.seg")
        for n, name in enumerate(("new", "old"))
    ]
    assert "new.seg seems to have no header" in refused(*paths)
    alone = refused(paths[0])
    assert "(printf 'column1\\tcolumn2\\t" in alone or "seems to have no header" in alone


def test_decimal_commas_of_probabilities(tmp_path: Path) -> None:
    rows = [f"{k};{k % 2};0,{k % 7}{k % 3}5;0,{k % 5}{k % 4}1" for k in range(20)]
    path = written(tmp_path, "\n".join(["Nr;Wahr;LR;RF", *rows, ""]))
    line = refused(path).partition("if it is Wahr, run: ")[2]
    assert line.endswith("--truth Wahr --predictions LR RF --measure roc_auc")
    assert typed(line).exit_code == 0


def test_distances_are_better_if_lower(tmp_path: Path) -> None:
    rows = [f"{k},{k % 7}.5,{k % 5}.25" for k in range(20)]
    path = written(tmp_path, "\n".join(["id,a_edit_distance,b_edit_distance", *rows, ""]))
    assert "of which lower ones are better" in run(path, *JSON).stderr


def test_a_report_is_html(tmp_path: Path) -> None:
    path = written(tmp_path, "gold,a,b\n1,1,0\n0,0,0\n")
    for name in ("c.docx", "c.json", "c.pdf"):
        ending = name[1:]
        refusal = refused("report", path, "-o", str(tmp_path / name))
        assert f"ends in {ending}, and a report is one HTML file; use .html or .htm" in refusal
        assert not (tmp_path / name).exists()


def two(folder: Path, header: str, row: str) -> list[str]:
    """Files of two systems, of which a row is written from its number and that of the system."""
    rows = {n: [row.format(k=k, x=(k * 7 + n) % 5 % 2, y=k % 3, n=n) for k in range(20)] for n in (1, 2)}
    return [written(folder, "\n".join([header, *found, ""]), f"{n}.csv") for n, found in rows.items()]


def test_numbers_that_may_be_predicted_are_not_taken_for_scores(tmp_path: Path) -> None:
    """Two submissions with predicted prices were compared, as if larger ones were better."""
    submissions = two(tmp_path, "Id,SalePrice", "{k},{k}{x}.{n}5")
    line = refused(*submissions).partition("if SalePrice is the score of each item, run: ")[2]
    assert shlex.split(line)[-4:] == ["--id", "Id", "--scores", "SalePrice"]
    assert "scores per item bleu" in run(*two(tmp_path, "Id,bleu", "{k},{k}{x}.{n}5"), *JSON).stderr
    rows = [f"{k},{k}.5,{'Public' if k % 3 else 'Private'}" for k in range(20)]
    solution = written(tmp_path, "\n".join(["Id,SalePrice,Usage", *rows, ""]), "solution.csv")
    refusal = refused(solution, *two(tmp_path, "Id,SalePrice", "{k},{k}{x}.{n}5"))
    assert f"no file names a truth; all files have the columns Id and SalePrice; if {solution} holds" in refusal


def test_columns_that_say_what_is_right_are_scores(tmp_path: Path) -> None:
    for header in ("id,target,a_correct,b_correct", "id,answer,a_output,a_correct,b_correct"):
        cells = [f"{'ab'[k % 2]}," * (header.count(",") - 2) + f"{k % 5 % 2},{k % 3 % 2}" for k in range(20)]
        path = written(tmp_path, "\n".join([header, *(f"{k},{row}" for k, row in enumerate(cells)), ""]))
        line = refused(path).partition("if each says which items a system has right, run: ")[2]
        assert shlex.split(line)[-3:] == ["--scores", "a_correct", "b_correct"]


def test_ones_with_a_point_say_what_is_right(tmp_path: Path) -> None:
    line = refused(*two(tmp_path, "id,foo", "i{k},{x}.0")).partition("says which items a system has right, run: ")[2]
    assert shlex.split(line)[-2:] == ["--scores", "foo"]
    path = written(tmp_path, "\n".join(["id,a,b", *(f"i{k},{k % 2}.0,{k % 3 % 2}.0" for k in range(20)), ""]))
    assert "if a and b are scores per item, run: " in refused(path)


def test_objects_in_parquet(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    paths = [tmp_path / "new.parquet", tmp_path / "old.parquet"]
    for n, path in enumerate(paths):
        metrics = [{"acc": float(k % (n + 2) == 0)} for k in range(12)]
        texts = [f"question {k}" for k in range(12)]
        table = pa.table({"example": texts, "gold": [[f"x{k % 3}"] for k in range(12)], "metrics": metrics})
        parquet.write_table(table, path)
        parquet.write_table(table.flatten(), path.with_name(f"flat-{path.name}"))
    refusal = refused(*map(str, paths))
    assert "new.parquet has objects in 'metrics'; a column for each of their parts is expected, as pyarrow" in refusal
    line = refusal.rpartition("; then run: ")[2]
    assert "--id example --scores metrics.acc" in refused(*shlex.split(line)[1:])


def test_a_truth_of_lists_beside_labels_is_refused_in_a_sentence(tmp_path: Path) -> None:
    rows = [json.dumps({"id": f"i{k}", "gold": [k % 3], "a": k % 3, "b": k % 2}) for k in range(12)]
    paths = [written(tmp_path, "\n".join([*rows, ""]), f"{name}.jsonl") for name in ("new", "old")]
    assert "unhashable" not in refused(*paths)


@pytest.mark.parametrize("names", ["accuracy,loss", "bleu,chrf", "faithfulness,answer_relevancy"])
def test_measures_are_no_systems(names: str, tmp_path: Path) -> None:
    path = written(tmp_path, "\n".join([f"id,{names}", *(f"i{k},0.{k % 7}5,0.{k % 5}1" for k in range(20)), ""]))
    refusal = refused(path)
    assert f"has scores by several measures, {names.replace(',', ' and ')}, as of one system; name the file" in refusal


def test_measures_of_two_systems_are_offered_one_by_one(tmp_path: Path) -> None:
    rows = [f"i{k},0.{k % 7}5,0.{k % 5}1,0.{k % 3}5,0.{k % 4}1" for k in range(20)]
    path = written(tmp_path, "\n".join(["id,a_acc,a_loss,b_acc,b_loss", *rows, ""]))
    line = refused(path).partition("; for acc, run: ")[2]
    assert shlex.split(line)[-3:] == ["--scores", "a_acc", "b_acc"]
    assert typed(line).exit_code == 0


def test_percentages_beside_shares(tmp_path: Path) -> None:
    path = written(tmp_path, "\n".join(["id,a,b", *(f"i{k},{k}5.5,0.{k}1" for k in range(1, 10)), ""]))
    assert "has scores from 0 to 1 in b and scores up to 95.5 in a, which seem to be percentages" in refused(path)


def test_scores_of_whole_test_sets_by_system(tmp_path: Path) -> None:
    rows = [{"system": "a.txt", "BLEU": "56.7"}, {"system": "b.txt", "BLEU": "32.0"}]
    refusal = refused(written(tmp_path, json.dumps(rows), "x.json"))
    assert "has a row for each system; a row for each data set and a column for each system are expected" in refusal
