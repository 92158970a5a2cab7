"""Files as people have them: nobody prepared them for this command, and `outperform compare FILE` is all that is typed.

Each is written by a function of a folder, which returns the files to name. `run` is what the command must come up with:
the verb and the options, without the files; nothing where nothing is left to guess.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow as pa
from pyarrow import parquet as pq

__all__ = ["UNPREPARED", "Unprepared"]

ROWS = 120
LOGS = Path(__file__).parent.parent / "files" / "logs"


@dataclass(frozen=True)
class Unprepared:
    """How the files are written, and what is to be asked of them; a refusal gives the command ready."""

    write: Callable[[Path], Sequence[Path]]
    run: str
    refused: bool = False


def labels(classes: Sequence[Any], *, right: float = 1.0, seed: int = 0, first: float = 0.3) -> list[Any]:
    """Labels of which this share is as in the truth; the first class is the rarer of two."""
    rng = random.Random(1)
    weights = [first, *[(1 - first) / (len(classes) - 1)] * (len(classes) - 1)]
    truth = rng.choices(classes, weights, k=ROWS)
    noise = random.Random(seed)
    return [label if noise.random() < right else noise.choice(classes) for label in truth]


def three(classes: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """The truth and two classifiers."""
    return labels(classes), labels(classes, right=0.9, seed=2), labels(classes, right=0.75, seed=3)


def likely(truth: Sequence[Any], positive: Any, seed: int) -> list[float]:
    """Probabilities that are higher for positive items."""
    rng = random.Random(seed)
    return [round(min(0.999, max(0.001, 0.25 + 0.4 * (y == positive) + rng.gauss(0, 0.2))), 3) for y in truth]


def table(columns: Mapping[str, Sequence[Any]], sign: str = ",", end: str = "\n") -> str:
    """Columns as delimited text."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=sign, lineterminator=end)
    writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
    return out.getvalue()


def put(name: str, content: Callable[[], str | bytes]) -> Callable[[Path], list[Path]]:
    """Write one file."""

    def write(folder: Path) -> list[Path]:
        raw = content()
        path = folder / name
        path.write_bytes(raw.encode() if isinstance(raw, str) else raw)
        return [path]

    return write


def spam() -> dict[str, list[Any]]:
    """Mails, two classes."""
    truth, svm, nb = three(["spam", "ham"])
    return {"gold": truth, "svm": svm, "nb": nb}


def comma(number: float) -> str:
    """A number as a spreadsheet writes it in many countries."""
    return str(number).replace(".", ",")


def scored(as_text: Callable[[float], str] = str) -> dict[str, list[Any]]:
    """Probabilities of two models."""
    truth = labels([1, 0])
    return {"y_true": truth, **{f"model_{k}": [*map(as_text, likely(truth, 1, s))] for k, s in (("a", 5), ("b", 6))}}


def german() -> dict[str, list[Any]]:
    """Labels that are not ASCII."""
    truth, a, b = three(["schön", "häßlich"])
    return {"Wahrheit": truth, "Modell A": a, "Modell B": b}


def genres(sign: str, truth: str = "genres") -> dict[str, list[Any]]:
    """Label sets."""
    rng = random.Random(4)
    known = ["action", "comedy", "drama", "horror", "romance"]
    true = [sorted(rng.sample(known, rng.choice([1, 2, 2, 3]))) for _ in range(ROWS)]

    def said(rate: float) -> list[list[str]]:
        return [[g for g in known if (g in row) == (rng.random() < rate)] or [row[0]] for row in true]

    columns: dict[str, list[Any]] = {
        "film": [f"f{k}" for k in range(ROWS)],
        truth: true,
        "bert": said(0.9),
        "tfidf": said(0.8),
    }
    joined = {name: [sign.join(row) for row in rows] for name, rows in columns.items() if name != "film"}
    return columns if sign == "" else {"film": columns["film"], **joined}


def tagged(*, columns: int) -> list[list[str]]:
    """Sentences with the tags of the truth and of taggers, in lines without spaces at the end."""
    rng = random.Random(7)
    sentences = []
    for _ in range(60):
        rows = []
        for k in range(rng.randint(4, 9)):
            gold = rng.choice(["O", "O", "B-PER", "B-LOC"])
            tags = [gold, *(gold if rng.random() < 0.85 else "O" for _ in range(columns - 1))]
            rows.append(" ".join([f"w{k}", "NN", *tags]))
        sentences.append(rows)
    return sentences


def conll_columns(folder: Path) -> list[Path]:
    """One file, tags side by side."""
    path = folder / "ner.txt"
    path.write_text("\n\n".join("\n".join(rows) for rows in tagged(columns=3)) + "\n")
    return [path]


def conll_files(folder: Path) -> list[Path]:
    """A file of the truth and one per tagger."""
    paths = []
    for place, name in enumerate(["gold", "crf", "bert"]):
        rows = [[" ".join([*row.split()[:2], row.split()[2 + place]]) for row in s] for s in tagged(columns=3)]
        paths.append(folder / f"{name}.conll")
        paths[-1].write_text("\n\n".join("\n".join(s) for s in rows) + "\n")
    return paths


def confusion(folder: Path) -> list[Path]:
    """Two confusion matrices with names on both sides."""
    paths = []
    for name, rows in (("svm", [[50, 3, 2], [4, 60, 6], [1, 5, 40]]), ("nb", [[45, 6, 4], [8, 52, 10], [3, 8, 35]])):
        paths.append(folder / f"{name}.csv")
        named = zip(["cat", "dog", "owl"], rows, strict=True)
        paths[-1].write_text("\n".join([",cat,dog,owl", *(f"{c},{','.join(map(str, r))}" for c, r in named)]) + "\n")
    return paths


def lm_eval(folder: Path, tasks: Sequence[str], metrics: Sequence[str] = ()) -> list[Path]:
    """Two runs of lm-evaluation-harness, each in its folder; of some tasks, and scored by some metrics."""
    paths = []
    for name in ("one", "two"):
        paths.append(copytree(LOGS / "lm_eval_own_tasks" / name, folder / name))
        for file in paths[-1].glob("samples_*"):
            if not any(file.name.startswith(f"samples_{task}_") for task in tasks):
                file.unlink()
            elif metrics:
                rows = [json.loads(line) | {"metrics": metrics} for line in file.read_text().splitlines()]
                file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return paths


def inspect(folder: Path) -> list[Path]:
    """Two logs of Inspect, as JSON."""
    rng = random.Random(8)
    paths = []
    for k, model in enumerate(["openai/one", "openai/two"]):
        samples = [
            {"id": i, "epoch": 1, "input": f"question {i}", "target": "x", "scores": {"match": {"value": said}}}
            for i, said in enumerate(rng.choices("CI", [0.8 - 0.2 * k, 0.2 + 0.2 * k], k=60))
        ]
        log = {"version": 2, "status": "success", "eval": {"task": "arithmetic", "model": model}, "samples": samples}
        paths.append(folder / f"2026-01-0{k + 1}T10-00-00+00-00_arithmetic_x{k}.json")
        paths[-1].write_text(json.dumps(log))
    return paths


def trec(folder: Path, ending: str = ".eval.txt") -> list[Path]:
    """Two outputs of trec_eval -q."""
    rng = random.Random(9)
    paths = []
    for name in ("bm25", "dpr"):
        paths.append(folder / f"{name}{ending}")
        rows = [f"map\t{query}\t{rng.random():.4f}" for query in range(301, 351)]
        paths[-1].write_text("\n".join([f"runid\tall\t{name}", *rows, "map\tall\t0.5"]) + "\n")
    return paths


def pytrec(folder: Path) -> list[Path]:
    """Two results of pytrec_eval, as JSON."""
    rng = random.Random(9)
    for name in ("bm25", "dpr"):
        values = {str(query): {"map": rng.random(), "num_ret": 1000.0} for query in range(301, 351)}
        (folder / f"{name}.json").write_text(json.dumps(values, indent=2))
    return [folder / "bm25.json", folder / "dpr.json"]


def promptfoo(folder: Path) -> list[Path]:
    """What promptfoo eval -o writes of two providers."""
    rng = random.Random(11)
    results = [
        {
            "testIdx": test,
            "promptIdx": k,
            "provider": {"id": provider, "label": ""},
            "prompt": {"raw": f"Answer: {test}", "label": "Answer: {{n}}"},
            "testCase": {"vars": {"n": test}, "assert": [{"type": "equals", "value": "x"}]},
            "success": (right := rng.random() < 0.9 - 0.2 * k),
            "score": int(right),
            "namedScores": {},
        }
        for test in range(60)
        for k, provider in enumerate(("openai:gpt-4o", "openai:gpt-4o-mini"))
    ]
    path = folder / "results.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}, indent=2))
    return [path]


def judged() -> str:
    """A table of MLflow: scores per item as JSON."""
    rng = random.Random(10)
    rows = [[f"q{k}", rng.randint(1, 5), rng.randint(2, 5)] for k in range(40)]
    return json.dumps({"columns": ["inputs", "judge/old", "judge/new"], "data": rows})


def with_ids(folder: Path) -> list[Path]:
    """Each model wrote its own file, in another order."""
    paths = []
    truth, a, b = three(["yes", "no"])
    for name, said in (("bert", a), ("lstm", b)):
        rows = [*zip([f"d{k}" for k in range(ROWS)], truth, said, strict=True)]
        random.Random(len(name)).shuffle(rows)
        ids, gold, predicted = map(list, zip(*rows, strict=True))
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text(table({"doc_id": ids, "label": gold, "prediction": predicted}))
    return paths


def folds() -> dict[str, list[Any]]:
    """Digits, with the fold in which each was tested."""
    truth, a, b = three(list(range(10)))
    return {"fold": [k % 5 for k in range(ROWS)], "target": truth, "rf": a, "gbm": b}


def quoted() -> dict[str, list[Any]]:
    """Texts with line breaks, commas and quotes in them."""
    truth, a, b = three(["positive", "negative"])
    texts = [f'He said "no",\nand left; item {k}' for k in range(ROWS)]
    return {"text": texts, "sentiment": truth, "model1_pred": a, "model2_pred": b}


def searched() -> dict[str, list[Any]]:
    """A score per query of two systems, and the user who asked."""
    rng = random.Random(11)
    rows = [(f"u{k // 4}", f"q{k}", round(rng.random(), 4), round(rng.random(), 4)) for k in range(ROWS)]
    return dict(zip(["user", "query_id", "bm25", "bert"], map(list, zip(*rows, strict=True)), strict=True))


def misheard() -> dict[str, list[Any]]:
    """Word error rates of two recognisers: lower is better."""
    rng = random.Random(15)
    rates = {
        f"wer_{k}": [round(abs(rng.gauss(mean, 0.05)), 3) for _ in range(ROWS)] for k, mean in (("a", 0.1), ("b", 0.2))
    }
    return {"utterance": [f"u{k}" for k in range(ROWS)], **rates}


def lines(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as JSON lines."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def parquet(folder: Path) -> list[Path]:
    """What pandas writes."""
    path = folder / "preds.parquet"
    pq.write_table(pa.table(spam()), path)
    return [path]


def counted() -> dict[str, list[Any]]:
    """A row per outcome."""
    outcomes = [(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)]
    columns = dict(zip(["truth", "old", "new"], map(list, zip(*outcomes, strict=True)), strict=True))
    return columns | {"count": [80, 9, 12, 4, 3, 11, 14, 60]}


def numbered() -> dict[str, list[Any]]:
    """What DataFrame.to_csv writes: the index has no name."""
    truth, a, b = three([1, 0])
    return {"": list(range(ROWS)), "label": truth, "pred_lr": a, "pred_xgb": b}


def several() -> dict[str, list[Any]]:
    """Three systems and three classes."""
    truth, a, b = three(["neg", "neu", "pos"])
    return {"label": truth, "bert": a, "lstm": b, "svm": labels(["neg", "neu", "pos"], right=0.7, seed=12)}


def prices() -> dict[str, list[Any]]:
    """Numbers are predicted."""
    rng = random.Random(13)
    true = [round(rng.uniform(100, 900), 2) for _ in range(ROWS)]
    said = {f"pred_{k}": [round(y + rng.gauss(0, s), 2) for y in true] for k, s in (("ridge", 30), ("lasso", 45))}
    return {"target": true, **said}


def nameless() -> dict[str, list[Any]]:
    """Nothing says which column is the truth."""
    truth, a, b = three(["yes", "no"])
    return {"rater": truth, "first": a, "second": b}


def exported() -> bytes:
    """What Excel saves where the list separator is a semicolon."""
    return b"\xef\xbb\xbfsep=;\r\n" + table(spam(), ";", "\r\n").encode()


def headless() -> str:
    """No header."""
    return table(spam()).partition("\n")[2]


def both() -> dict[str, list[Any]]:
    """Labels and the probabilities behind them."""
    truth = labels([1, 0])
    a, b = likely(truth, 1, 5), likely(truth, 1, 6)
    cut = {f"pred_{k}": [int(p >= 0.5) for p in scores] for k, scores in (("a", a), ("b", b))}
    return {"id": [f"x{k}" for k in range(ROWS)], "label": truth, **cut, "prob_a": a, "prob_b": b}


def languages() -> dict[str, list[Any]]:
    """A column of slices, and names in capitals."""
    truth, a, b = three(["spam", "ham"])
    return {"LANG": [("de", "en", "fr")[k % 3] for k in range(ROWS)], "Y_TRUE": truth, "Y_PRED_OLD": a, "Y_PRED_NEW": b}


def classes(known: Sequence[Any], names: Sequence[str]) -> str:
    """A table of the truth and two classifiers under these names."""
    return table(dict(zip(names, three(known), strict=True)))


def both_probabilities() -> dict[str, list[Any]]:
    """What predict_proba gives: a column for each class of each system."""
    truth = labels([1, 0])
    columns: dict[str, list[Any]] = {"y": truth}
    for name, seed in (("lr", 5), ("rf", 6)):
        sure = likely(truth, 1, seed)
        columns |= {f"{name}_0": [round(1 - p, 3) for p in sure], f"{name}_1": sure}
    return columns


def of_three_classes() -> dict[str, list[Any]]:
    """What predict_proba gives for three classes."""
    truth = labels(["cat", "dog", "owl"])
    columns = {
        f"{name}_{c}": likely(truth, c, seed) for name, seed in (("lr", 5), ("rf", 6)) for c in ("cat", "dog", "owl")
    }
    return {"y": truth, **columns}


def percentages() -> dict[str, list[Any]]:
    """Probabilities in percent."""
    return scored(lambda p: f"{100 * p:.1f}%")


def features() -> dict[str, list[Any]]:
    """Hundreds of columns of numbers beside the predictions."""
    truth, a, b = three([1, 0])
    rng = random.Random(14)
    noise = {f"feature_{k}": [round(rng.gauss(0, 1), 3) for _ in truth] for k in range(600)}
    return {"y_true": truth, **noise, "pred_a": a, "pred_b": b}


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Columns as a list of objects."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def nested() -> str:
    """JSON lines with the predictions in an object of their own."""
    rows = ({"label": row.pop("gold"), "pred": row} for row in rows_of(spam()))
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def markdown() -> str:
    """A table as it is pasted from a page."""
    lines_ = [f"| {' | '.join(row)} |" for row in zip(*spam().values(), strict=True)]
    return "\n".join(["| gold | svm | nb |", "|:---|---|---:|", *lines_]) + "\n"


def aligned() -> str:
    """Columns of a fixed width."""
    return "".join(f"{x:8}{a:8}{b:8}\n" for x, a, b in [tuple(spam()), *zip(*spam().values(), strict=True)])


def stray() -> str:
    """Texts with quotation marks that mean nothing, between tabs."""
    texts = [f'he said "{k} ok' if k % 7 else f'"quoted {k}" and on' for k in range(ROWS)]
    rows = zip(texts, *spam().values(), strict=True)
    return "".join("\t".join(row) + "\n" for row in [("text", *spam()), *rows])


def unbounded() -> dict[str, list[Any]]:
    """Scores of both signs."""
    truth = labels([1, 0])
    rng = random.Random(9)
    return {
        "y": truth,
        **{f"logit_{k}": [round(rng.gauss(s * y, 1), 3) for y in truth] for k, s in (("a", 2), ("b", 1))},
    }


def submissions(folder: Path) -> list[Path]:
    """The truth, and what two systems handed in, in files of their own."""
    mails, ids = spam(), [f"d{k}" for k in range(ROWS)]
    paths = [folder / f"{name}.csv" for name in ("truth", "svm", "nb")]
    paths[0].write_text(table({"id": ids, "label": mails["gold"]}))
    for path in paths[1:]:
        path.write_text(table({"id": ids, "prediction": mails[path.stem]}))
    return paths


def answers(folder: Path) -> list[Path]:
    """Whether each answer was right, in a file per model."""
    paths = [folder / "gpt.jsonl", folder / "llama.jsonl"]
    for seed, path in enumerate(paths):
        rng = random.Random(seed)
        rows = [{"id": f"q{k}", "correct": rng.random() < 0.8} for k in range(ROWS)]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return paths


def many() -> dict[str, list[Any]]:
    """More classes than a page lists."""
    truth = [f"c{k % 700}" for k in range(2100)]
    return {
        "truth": truth,
        **{n: [y if k % m else f"c{k * 3 % 700}" for k, y in enumerate(truth)] for n, m in (("a", 5), ("b", 4))},
    }


def further() -> Iterator[tuple[str, Unprepared]]:
    """Files that need a command before they are tables, and tables that need a second look."""
    two = "compare --truth gold --predictions svm nb --pos-label spam"
    contents: dict[str, tuple[str, Callable[[], str | bytes]]] = {
        "comments": ("preds.csv", lambda: f"# exported\n# by a tool\n{table(spam())}"),
        "a title": ("preds.csv", lambda: f"Results of run 3\n{table(spam())}"),
        "a title of a spreadsheet": ("preds.csv", lambda: "Results;;\n;;\n" + table(spam(), ";")),
        "a title and an empty line": ("preds.csv", lambda: f"Results, of run 3\n\n{table(spam())}"),
        "columns in JSON": ("preds.json", lambda: json.dumps(spam())),
        "rows in a JSON object": ("preds.json", lambda: json.dumps({"data": rows_of(spam()), "version": 1})),
        "an indented JSON object": ("preds.json", lambda: json.dumps({"data": rows_of(spam())}, indent=2)),
        "JSON objects over several lines": ("preds.json", lambda: lines(spam()).replace("{", "{\n  ")),
        "spaces": ("preds.txt", lambda: table(spam(), " ")),
        "aligned": ("preds.txt", aligned),
        "spaces after commas": ("preds.csv", lambda: table(spam()).replace(",", ", ")),
        "Markdown": ("preds.md", markdown),
        "UTF-16, big end first": ("preds.csv", lambda: f"\ufeff{table(spam())}".encode("utf-16-be")),
        "empty lines at the end": ("preds.csv", lambda: table(spam(), end="\r\n") + "\r\n\r\n"),
        "tabs in .csv": ("preds.csv", lambda: table(spam(), "\t")),
        "an empty last column": ("preds.csv", lambda: table(spam()).replace("\n", ",\n")),
    }
    for name, (file, content) in contents.items():
        yield name, Unprepared(put(file, content), two)
    nest = put("preds.jsonl", nested)
    yield "nested objects", Unprepared(nest, "compare --truth label --predictions pred.svm pred.nb --pos-label spam")
    auc = "--measure roc_auc"
    per_class = put("probs.csv", lambda: table(both_probabilities()))
    yield "probabilities of both classes", Unprepared(per_class, f"compare --truth y --predictions lr_1 rf_1 {auc}")
    animals = put("probs.csv", lambda: table(of_three_classes()))
    of_cats = f"compare --truth y --predictions lr_cat rf_cat {auc} --pos-label cat"
    yield "probabilities of three classes", Unprepared(animals, of_cats, refused=True)
    percent = put("probs.csv", lambda: table(percentages()))
    yield "percentages", Unprepared(percent, f"compare --truth y_true --predictions model_a model_b {auc}")
    wide = put("wide.csv", lambda: table(features()))
    yield "hundreds of columns", Unprepared(wide, "compare --truth y_true --predictions pred_a pred_b")
    yield (
        "700 classes",
        Unprepared(put("many.csv", lambda: table(many())), "compare --truth truth --predictions a b --average macro"),
    )
    flags = put("flags.csv", lambda: classes([True, False], ["label", "m1", "m2"]))
    yield "booleans", Unprepared(flags, "compare --truth label --predictions m1 m2")
    floats = put("floats.csv", lambda: classes([1.0, 0.0], ["y_true", "y_pred_1", "y_pred_2"]))
    yield "labels such as 1.0", Unprepared(floats, "compare --truth y_true --predictions y_pred_1 y_pred_2")
    stars = put("stars.csv", lambda: classes([1, 2, 3, 4, 5], ["target", "rf", "knn"]))
    yield "classes from 1 on", Unprepared(stars, "compare --truth target --predictions rf knn --average macro")
    headless_tabs = put("preds.tsv", lambda: table(spam(), "\t").partition("\n")[2])
    yield "no header, tabs", Unprepared(headless_tabs, "compare --truth truth --predictions A B --pos-label spam", True)
    yield "stray quotation marks", Unprepared(put("preds.tsv", stray), two)
    yield "ends of lines as of old", Unprepared(put("preds.csv", lambda: table(spam(), end="\r")), two)
    of_r = put("preds.csv", lambda: classes(["TRUE", "FALSE"], ["", "truth", "glm", "rf"][1:]))
    yield "TRUE and FALSE", Unprepared(of_r, "compare --truth truth --predictions glm rf --pos-label TRUE")
    survey = put("Umfrage.csv", lambda: classes(["ja", "nein"], ["Gold", "Modell 1", "Modell 2"]).encode("cp1252"))
    asked = "compare --truth Gold --predictions 'Modell 1' 'Modell 2' --pos-label ja"
    yield "ja and nein", Unprepared(survey, asked)
    logits = put("logits.csv", lambda: table(unbounded()))
    yield "logits", Unprepared(logits, f"compare --truth y --predictions logit_a logit_b {auc}")
    beside = put(
        "bert.json",
        lambda: json.dumps({"model": "x", "y_true": spam()["gold"], "svm": spam()["svm"], "nb": spam()["nb"]}),
    )
    yield (
        "columns in JSON beside a name",
        Unprepared(beside, "compare --truth y_true --predictions svm nb --pos-label spam"),
    )
    shared = "compare --truth label --predictions prediction --id id --pos-label spam"
    yield "a file of the truth and submissions", Unprepared(submissions, shared)
    yield "judged answers in two files", Unprepared(answers, "compare --id id --scores correct", refused=True)
    houses = prices()
    unnamed = {"size": houses["pred_lasso"], "price": houses.pop("target"), **houses}
    priced = "compare --truth price --predictions pred_ridge pred_lasso --measure mae"
    yield (
        "numbers that are predicted, of another name",
        Unprepared(
            put("houses.csv", lambda: table({name: unnamed[name] for name in unnamed if name != "size"})), priced
        ),
    )
    yield (
        "numbers that are predicted, beside others",
        Unprepared(put("houses.csv", lambda: table(unnamed)), priced, refused=True),
    )
    last = dict(zip(["answer", "old", "new"], three(["yes", "no"]), strict=True))
    yield (
        "the truth in the last column",
        Unprepared(
            put("survey.csv", lambda: table({name: last[name] for name in ("old", "new", "answer")})),
            "compare --truth answer --predictions old new --pos-label yes",
            refused=True,
        ),
    )
    whole = {name.replace("target", "demand"): [round(x) for x in values] for name, values in prices().items()}
    yield (
        "whole numbers that are predicted",
        Unprepared(
            put("demand.csv", lambda: table(whole)),
            "compare --truth demand --predictions pred_ridge pred_lasso --measure mae",
            refused=True,
        ),
    )
    waits = {"request": list(range(ROWS)), "old_seconds": prices()["target"], "new_seconds": prices()["pred_ridge"]}
    yield (
        "seconds",
        Unprepared(
            put("waits.csv", lambda: table(waits)), "compare --scores old_seconds new_seconds --lower-is-better"
        ),
    )
    spaced = put("films.csv", lambda: table(genres(" ", "true_genres")))
    films = put("films.csv", lambda: table(genres(",", "true_genres")))
    sets = "--truth true_genres --predictions bert tfidf"
    yield "label sets with commas", Unprepared(films, f"compare {sets} --separator , --average macro")
    yield "label sets with spaces", Unprepared(spaced, f"compare {sets} --separator ' ' --average macro")


def of_two(columns: Callable[[int], Mapping[str, Sequence[Any]]]) -> Callable[[Path], list[Path]]:
    """Write a file of each of two systems, with the same columns."""

    def write(folder: Path) -> list[Path]:
        files = []
        for k, name in enumerate(("new.csv", "old.csv"), start=1):
            files += put(name, partial(lambda k: table(columns(k)), k))(folder)
        return files

    return write


def rated(system: int) -> dict[str, list[Any]]:
    """Scores of several kinds, none of which is the truth."""
    rng = random.Random(system)
    shares = [[round(rng.random() ** (1 / system), 3) for _ in range(ROWS)] for _ in range(2)]
    questions = [f"What is {k}?" for k in range(ROWS)]
    return dict(zip(["question", "latency", "faithfulness"], [questions, *shares], strict=True))


def heard(system: int) -> dict[str, list[Any]]:
    """Words, errors and error rates of utterances; the words are those of the truth, whoever hears them."""
    rng, words = random.Random(system), [random.Random(k).randint(5, 25) for k in range(ROWS)]
    errors = [sum(rng.random() < 0.1 * system for _ in range(n)) for n in words]
    rates = [round(wrong / n, 4) for wrong, n in zip(errors, words, strict=True)]
    return {"utt_id": [f"u{k}" for k in range(ROWS)], "ref_words": words, "errors": errors, "wer": rates}


def traced(system: int) -> dict[str, list[Any]]:
    """Judgements under ids of their own; the items have other ids."""
    says = labels([1, 0], seed=system, right=1 - 0.1 * system)
    return {
        "id": [f"trace-{system}-{k}" for k in range(ROWS)],
        "name": ["correctness"] * ROWS,
        "value": says,
        "itemId": [f"item{k}" for k in range(ROWS)],
    }


def in_words(system: int) -> dict[str, list[Any]]:
    """Judgements in words."""
    return {"id": list(range(ROWS)), "verdict": labels(["correct", "incorrect"], seed=system, right=1 - 0.1 * system)}


def line_by_line(
    columns: Mapping[str, Sequence[Any]], header: str = "", ending: str = "txt"
) -> Callable[[Path], list[Path]]:
    """Write a file for each column, with a value on each line."""

    def write(folder: Path) -> list[Path]:
        paths = [folder / f"{name}.{ending}" for name in columns]
        for path, values in zip(paths, columns.values(), strict=True):
            path.write_text("".join(f"{value}\n" for value in ([header] if header else []) + list(values)))
        return paths

    return write


def in_files_of_two() -> Iterator[tuple[str, Unprepared]]:
    """Files with the same columns, of which one has the scores of a system."""
    for name, columns, asked in (
        ("scores of two kinds", rated, "--id question --scores faithfulness"),
        ("words, errors and rates", heard, "--id utt_id --scores wer --lower-is-better"),
        ("judgements of traces", traced, "--id itemId --scores value"),
        ("judgements in words", in_words, "--id id --scores verdict"),
    ):
        yield f"{name} in two files", Unprepared(of_two(columns), f"compare {asked}", refused=True)
    two = {name: in_words(k)["verdict"] for k, name in enumerate(("old", "new"), start=1)}
    words = put("verdicts.csv", lambda: table(two))
    yield "judgements in words in two columns", Unprepared(words, "compare --scores old new", refused=True)
    asked = "compare --truth gold --predictions svm nb --pos-label spam"
    yield "labels line by line", Unprepared(line_by_line(spam()), asked)
    shares = {name: rated(k)["faithfulness"] for k, name in enumerate(("new", "old"), start=1)}
    yield "scores line by line", Unprepared(line_by_line(shares), "compare --scores new old")
    yield (
        "a column of scores in each file",
        Unprepared(line_by_line(shares, "bleu", "csv"), "compare --scores new old", refused=True),
    )


def every() -> Iterator[tuple[str, Unprepared]]:
    """All of them, by name."""
    two = "--truth gold --predictions svm nb --pos-label spam"
    yield "commas", Unprepared(put("preds.csv", lambda: table(spam())), f"compare {two}")
    yield "semicolons", Unprepared(put("preds.csv", lambda: table(spam(), ";")), f"compare {two}")
    yield "tabs", Unprepared(put("preds.txt", lambda: table(spam(), "\t")), f"compare {two}")
    yield "pipes", Unprepared(put("preds.txt", lambda: table(spam(), "|")), f"compare {two}")
    yield "pipes in .csv", Unprepared(put("preds.csv", lambda: table(spam(), "|")), f"compare {two}")
    yield "Excel's CSV", Unprepared(put("preds.csv", exported), f"compare {two}")
    yield "gzip", Unprepared(put("preds.csv.gz", lambda: gzip.compress(table(spam()).encode())), f"compare {two}")
    yield "JSON lines", Unprepared(put("preds.jsonl", lambda: lines(spam())), f"compare {two}")
    yield "Parquet", Unprepared(parquet, f"compare {two}")
    yield "UTF-16", Unprepared(put("preds.txt", lambda: table(spam(), "\t").encode("utf-16")), f"compare {two}")
    yield (
        "cp1252",
        Unprepared(
            put("preds.csv", lambda: table(german(), ";").encode("cp1252")),
            "compare --truth Wahrheit --predictions 'Modell A' 'Modell B' --pos-label schön",
        ),
    )
    auc = "--truth y_true --predictions model_a model_b --measure roc_auc"
    yield "probabilities", Unprepared(put("probs.csv", lambda: table(scored())), f"compare {auc}")
    yield "decimal commas", Unprepared(put("probs.csv", lambda: table(scored(comma), ";")), f"compare {auc}")
    sets = "--truth genres --predictions bert tfidf"
    films = put("films.csv", lambda: table(genres(";")))
    yield "label sets", Unprepared(films, f"compare {sets} --separator ';' --average macro", refused=True)
    sets = "--truth true_genres --predictions bert tfidf"
    films = put("films.csv", lambda: table(genres("|", "true_genres")))
    yield "label sets with pipes", Unprepared(films, f"compare {sets} --separator '|' --average macro")
    films = put("films.jsonl", lambda: lines(genres("", "true_genres")))
    yield "lists", Unprepared(films, f"compare {sets} --average macro")
    yield "tagged, one file", Unprepared(conll_columns, "compare --truth 2 --predictions 3 4 --unit sentence")
    yield "tagged, three files", Unprepared(conll_files, "")
    yield "confusion matrices", Unprepared(confusion, "compare --confusion --average macro")
    yield "lm-eval", Unprepared(lambda f: lm_eval(f, ["own_errors"], ["acc"]), "compare --from lm-eval")
    of_errors = "compare --from lm-eval --metric error"
    yield "lm-eval, three metrics", Unprepared(lambda f: lm_eval(f, ["own_errors"]), of_errors, refused=True)
    yield (
        "lm-eval, two tasks",
        Unprepared(
            lambda f: lm_eval(f, ["own_errors", "own_parity"]),
            "compare --from lm-eval --metric error --task all",
            refused=True,
        ),
    )
    yield "Inspect", Unprepared(inspect, "compare --from inspect")
    yield "promptfoo", Unprepared(promptfoo, "compare --scores openai:gpt-4o openai:gpt-4o-mini --from promptfoo")
    yield "trec_eval", Unprepared(trec, "compare --from trec-eval")
    yield "trec_eval in .irm", Unprepared(lambda folder: trec(folder, ".irm"), "compare --from trec-eval")
    yield "pytrec_eval", Unprepared(pytrec, "compare --from trec-eval --metric map", refused=True)
    yield (
        "a table of MLflow",
        Unprepared(put("eval_results_table.json", judged), "compare --from table --metric judge/old judge/new"),
    )
    yield (
        "quoted line breaks",
        Unprepared(
            put("preds.csv", lambda: table(quoted())),
            "compare --truth sentiment --predictions model1_pred model2_pred --pos-label positive",
        ),
    )
    yield (
        "no header",
        Unprepared(put("preds.csv", headless), "compare --truth truth --predictions A B --pos-label spam", True),
    )
    yield (
        "two files with ids",
        Unprepared(with_ids, "compare --truth label --predictions prediction --id doc_id --pos-label yes"),
    )
    yield (
        "folds",
        Unprepared(
            put("digits.csv", lambda: table(folds())), "compare --truth target --predictions rf gbm --average macro"
        ),
    )
    yield (
        "scores per item",
        Unprepared(put("scores.csv", lambda: table(searched())), "compare --cluster user --scores bm25 bert"),
    )
    yield (
        "error rates per item",
        Unprepared(put("wer.csv", lambda: table(misheard())), "compare --scores wer_a wer_b --lower-is-better"),
    )
    yield (
        "counts",
        Unprepared(
            put("counts.csv", lambda: table(counted())), "compare --truth truth --predictions old new --count count"
        ),
    )
    yield (
        "an index",
        Unprepared(put("preds.csv", lambda: table(numbered())), "compare --truth label --predictions pred_lr pred_xgb"),
    )
    yield (
        "three systems",
        Unprepared(
            put("preds.csv", lambda: table(several())),
            "rank --truth label --predictions bert lstm svm --average macro",
            refused=True,
        ),
    )
    yield (
        "one system",
        Unprepared(
            put("preds.csv", lambda: table({"label": labels([1, 0]), "pred": labels([1, 0], right=0.9, seed=2)})),
            "estimate --truth label --predictions pred",
            refused=True,
        ),
    )
    yield (
        "numbers are predicted",
        Unprepared(
            put("prices.csv", lambda: table(prices())),
            "compare --truth target --predictions pred_ridge pred_lasso --measure mae",
        ),
    )
    yield (
        "nothing names the truth",
        Unprepared(
            put("votes.csv", lambda: table(nameless())),
            "compare --truth rater --predictions first second --pos-label yes",
            refused=True,
        ),
    )
    yield (
        "labels and probabilities",
        Unprepared(put("preds.csv", lambda: table(both())), "compare --truth label --predictions pred_a pred_b"),
    )
    yield (
        "slices",
        Unprepared(
            put("preds.tsv", lambda: table(languages(), "\t")),
            "compare --truth Y_TRUE --predictions Y_PRED_OLD Y_PRED_NEW --pos-label spam",
        ),
    )
    yield (
        "a JSON list",
        Unprepared(put("preds.json", lambda: "[" + lines(spam()).strip().replace("\n", ",") + "]"), f"compare {two}"),
    )


UNPREPARED = dict([*every(), *further(), *in_files_of_two()])
