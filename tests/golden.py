"""Numbers that stay as they are while the code moves: one small result of every model, average and verb.

`python -m tests.golden` writes them to `tests/files/golden.jsonl`, after a change that is meant to change numbers. The
test asks for the same numbers to nine digits, since other versions of numpy and scipy round otherwise; where only
modules move, `git diff` on the file shows nothing after it is written again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import outperform as op
from outperform.measures.of_counts import MEASURES
from outperform.measures.of_items import ITEM_MEASURES

__all__ = ["CASES", "FILE", "numbers_of"]

FILE = Path(__file__).parent / "files" / "golden.jsonl"
VERSIONS = re.compile(r"\b(outperform|numpy|scipy|pandas|polars|duckdb):[\w.+]+")
FEW: dict[str, Any] = {"draws": 60, "rng": 0}
ITEMS = 60
Case = Callable[[], Any]


@cache
def _labels(classes: int) -> tuple[Any, dict[str, Any]]:
    """Four systems, of which the last does as the first on most items."""
    rng = np.random.default_rng(classes)
    truth = np.arange(ITEMS) * 7 % 11 % classes
    said = {}
    for name, right in (("a", 0.85), ("b", 0.7), ("c", 0.6)):
        said[name] = np.where(rng.random(ITEMS) < right, truth, rng.integers(classes, size=ITEMS))
    return truth, said | {"d": np.where(np.arange(ITEMS) % 9 == 0, said["b"], said["a"])}


def _of(classes: int, systems: str) -> tuple[Any, dict[str, Any]]:
    truth, said = _labels(classes)
    return truth, {name: said[name] for name in systems}


def _apart() -> op.Counts:
    """Two systems on items of their own."""
    truth, said = _labels(2)
    return op.Counts.from_test_sets({"a": (truth, said["a"]), "b": (truth[::-1], said["c"][::-1])})


@cache
def _sets(*, by_item: bool = False) -> op.Counts:
    """Label sets: one of four classes and one of three."""
    (truth, said), (other, more) = _of(4, "ab"), _of(3, "ab")

    def sets(one: Any, two: Any) -> list[set[str]]:
        return [{f"x{x}", f"y{y}"} for x, y in zip(one, two, strict=True)]

    return op.Counts.from_label_sets(
        sets(truth, other), {name: sets(said[name], more[name]) for name in said}, by_item=by_item
    )


@cache
def _chunks() -> op.Counts:
    """Sentences of two chunks; the second is found, missed, or taken for another type."""
    gold = [["B-X", "I-X", "O", "B-Y" if k % 3 else "B-X"] for k in range(24)]
    said = {
        name: [[*row[:3], ("B-X", "B-Y", "O")[(k * step) % 7 % 3]] for k, row in enumerate(gold)]
        for name, step in (("a", 3), ("b", 5))
    }
    return op.Counts.from_chunks(gold, said)


@cache
def _scores() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    quality = rng.random(ITEMS)
    return {name: np.clip(quality + rng.normal(shift, 0.2, ITEMS), 0, 1) for name, shift in (("a", 0.1), ("b", 0.0))}


@cache
def _probabilities(classes: int) -> tuple[Any, dict[str, Any]]:
    """Of the positive class, or of each."""
    truth, said = _of(classes, "ab")
    rng = np.random.default_rng(11)
    drawn = {name: rng.dirichlet(np.ones(classes), ITEMS) + np.eye(classes)[codes] for name, codes in said.items()}
    return truth, {name: scores[:, 1] / 2 if classes == 2 else scores / 2 for name, scores in drawn.items()}


def _own_measure(truth: Any, output: Any, sample_weight: Any) -> float:
    return float(np.average(truth == output, weights=sample_weight))


FOLDS = {"a": [0.81, 0.84, 0.8, 0.79, 0.83, 0.85], "b": [0.78, 0.8, 0.81, 0.77, 0.8, 0.79]}
SETS = {"a": [0.84, 0.91, 0.78, 0.88, 0.69, 0.95, 0.81], "b": [0.8, 0.9, 0.71, 0.85, 0.7, 0.91, 0.77]}
RUNS = {"a": [[0.81, 0.83, 0.8], [0.7, 0.72, 0.75]] * 4, "b": [[0.8, 0.8, 0.79], [0.71, 0.7, 0.7]] * 4}
TOTALS = {"a": (120, 110, 100), "b": (120, 108, 90)}
WHICH = [(k // 2, k % 2) for k in range(6)]
IN_FOLDS = {"a": [(40, 38, 33 + k % 3) for k in range(6)], "b": [(40, 41, 30 + k % 2) for k in range(6)]}
CLUSTERS, STRATA = np.arange(ITEMS) // 4, np.arange(ITEMS) % 3
SCENARIO = op.Scenario.from_scores(0.80, 0.70, prevalence=0.3, agreement=0.9)
PLANNED: dict[str, Any] = {"rope": 0.02, "studies": 40, "progress": False, "rng": 0}
POINT: dict[str, Any] = {"rope": 0.02, **FEW}


def _comparisons() -> Iterator[tuple[str, Case]]:
    """Of labels, by every measure, model and average."""
    binary, classes = (partial(op.compare, *_of(k, "ab"), **POINT) for k in (2, 4))
    for measure in sorted(MEASURES):
        yield f"binary {measure}", partial(binary, measure=measure)
    for prior in ("uniform", "jeffreys", 2.5):
        for model in (op.Paired, op.Unpaired):
            yield f"binary {model.__name__} {prior}", partial(binary, model=model(prior))
    yield "binary bootstrap", partial(binary, model="bootstrap")
    yield "binary weights", lambda: op.compare(op.Counts.from_labels(*_of(2, "ab"), weights=1 + STRATA), **POINT)
    yield "test sets", lambda: op.compare(_apart(), **POINT)
    for average in ("macro", "micro", "weighted", "multiclass", "per_class"):
        measure = "mcc" if average == "multiclass" else "f1"
        for name in ("paired", "unpaired", "bootstrap"):
            yield f"{average} {measure} {name}", partial(classes, average=average, measure=measure, model=name)
    for prior in ("pooled", "hierarchical", "uniform"):
        yield f"macro f1 {prior}", partial(classes, average="macro", model=op.Paired(prior))
    for measure in ("precision", "recall", "jaccard"):
        yield f"macro {measure}", partial(classes, average="macro", measure=measure)
    yield "per_class fdr", partial(classes, average="per_class", fdr=0.1)
    yield "slices", lambda: op.compare(op.Counts.from_labels(*_of(2, "ab"), by=STRATA), **POINT)
    yield "confusion", lambda: op.compare_confusion([[30, 5], [4, 21]], [[25, 10], [6, 19]], **POINT)
    yield "sensitivity", lambda: binary().sensitivity(["uniform", "jeffreys"])
    yield "another mass and ROPE", lambda: binary().with_mass(0.8).with_rope((-0.1, 0.2))


def _other_tasks() -> Iterator[tuple[str, Case]]:
    for average in ("macro", "micro", "weighted", "per_class"):
        yield f"label sets {average}", partial(op.compare, _sets(), average=average, **POINT)
    yield "label sets samples", partial(op.compare, _sets(by_item=True), average="samples", **POINT)
    for average in ("micro", "macro", "per_class"):
        yield f"chunks {average}", partial(op.compare, _chunks(), average=average, **POINT)
    for prior in ("uniform", "jeffreys"):
        yield f"Bayes test {prior}", partial(op.bayes_test, op.Counts.from_totals(TOTALS), prior=prior, **POINT)
    yield "Bayes test of folds", lambda: op.bayes_test(op.Counts.from_totals(IN_FOLDS, folds=WHICH), **POINT)
    for measure in sorted(ITEM_MEASURES.keys() - {"top_k_accuracy"}):
        model = op.BayesianBootstrap(cluster=CLUSTERS) if measure in ("mrr", "ndcg") else None
        yield f"items {measure}", partial(op.compare, *_probabilities(2), measure=measure, model=model, **POINT)
    for measure in ("roc_auc", "log_loss", "top_2_accuracy"):
        yield f"items of classes {measure}", partial(op.compare, *_probabilities(4), measure=measure, **POINT)
    yield "items own", partial(op.compare, *_of(2, "ab"), measure=_own_measure, **POINT)
    yield "scores", partial(op.compare_scores, _scores(), **POINT)
    yield "scores in clusters", partial(op.compare_scores, _scores(), cluster=CLUSTERS, **POINT)
    yield "scores in strata", partial(op.compare_scores, _scores(), strata=STRATA, **POINT)


def _other_verbs() -> Iterator[tuple[str, Case]]:
    for classes, average in ((2, None), (4, "macro"), (4, "micro")):
        for name in ("paired", "unpaired", "bootstrap"):
            yield (
                f"rank {average} {name}",
                partial(op.rank, *_of(classes, "abcd"), average=average, model=name, **POINT),
            )
        yield f"estimate {average}", partial(op.estimate, *_of(classes, "a"), average=average, **FEW)
    yield "rank area", partial(op.rank, *_probabilities(2), measure="roc_auc", **POINT)
    yield "rank scores", partial(op.rank_scores, _scores(), cluster=CLUSTERS, **POINT)
    yield "estimate per_class", partial(op.estimate, *_of(4, "a"), average="per_class", **FEW)
    for prior in ("trend", "pooled"):
        rows = partial(op.estimate, *_of(4, "a"), average="per_class", model=op.Paired(prior), **FEW)
        yield f"estimate per_class {prior}", rows
    yield "folds", partial(op.compare_folds, FOLDS, runs=3, rope=0.01)
    for method in ("sign", "signed_rank"):
        yield f"data sets {method}", partial(op.compare_datasets, SETS, method=method, rope=0.01, draws=200, rng=0)
    yield "data sets hierarchical", partial(op.compare_datasets, RUNS, runs=1, rope=0.01, draws=200, rng=0)
    yield "power", partial(op.power, SCENARIO, [100, 400], **PLANNED)
    yield "power of results", lambda: op.power(op.Counts.from_labels(*_of(2, "ab")), [100, 400], **PLANNED)
    yield "plan", partial(op.plan, SCENARIO, "better", **PLANNED)
    yield "plan of results", lambda: op.plan(op.Counts.from_labels(*_of(2, "ab")), "decided", **PLANNED)


CASES: dict[str, Case] = {**dict(_comparisons()), **dict(_other_tasks()), **dict(_other_verbs())}


def numbers_of(result: Any) -> Any:
    """What a result is in JSON, without the versions in its signature."""
    return json.loads(VERSIONS.sub(r"\1", json.dumps(result.to_dict(), ensure_ascii=False)))


if __name__ == "__main__":
    lines = (json.dumps({"case": name, "result": numbers_of(CASES[name]())}, ensure_ascii=False) for name in CASES)
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
