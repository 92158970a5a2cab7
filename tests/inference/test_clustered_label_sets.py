"""Items with any number of labels, in clusters or strata: against scikit-learn, and as items with one label each."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from sklearn.metrics import f1_score

import outperform as op
from outperform.models.unseen import Unseen
from tests import command

DRAWS = 8_000
ERRORS = 5 * sqrt(0.5 / DRAWS * 2)  # of a ratio of two standard deviations
DOCUMENTS, SIZE, LABELS = 40, 5, ("cat", "cow", "dog", "owl")

pytestmark = pytest.mark.usefixtures("few_draws")


def documents() -> tuple[Any, Any, dict[str, Any]]:
    """Return the document, the labels and two predictions of each item: documents are easy or hard as a whole."""
    rng = default_rng(3)
    document = np.repeat(np.arange(DOCUMENTS), SIZE)
    truth = rng.random((len(document), len(LABELS))) < [0.5, 0.4, 0.3, 0.2]
    ease = rng.choice([0.97, 0.75], DOCUMENTS)[document][:, None]
    two = {name: truth ^ (rng.random(truth.shape) > ease - less) for name, less in (("a", 0.0), ("b", 0.04))}
    return document, truth.astype(int), {name: said.astype(int) for name, said in two.items()}


def compared(truth: Any, two: Any, prior: str | None = None, *, draws: int = DRAWS, **settings: Any) -> Any:
    groups = {name: settings.pop(name) for name in ("cluster", "strata") if name in settings}
    return op.compare(truth, two, model=op.BayesianBootstrap(**groups, prior=prior), draws=draws, rng=1, **settings)


def spreads(r: Any) -> Any:
    return np.array([r.a.sd, r.b.sd, r.delta.sd])


@pytest.fixture
def seen_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the allowance for unobserved units, which is larger for few labels."""
    monkeypatch.setattr(Unseen, "draw", lambda _, __, draws: np.zeros((draws, 2)))


@pytest.mark.parametrize("groups", ["cluster", "strata"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples"])
def test_observed_scores_are_those_of_scikit_learn(average: str, groups: str) -> None:
    document, truth, two = documents()
    r = compared(truth, two, draws=100, average=average, **{groups: document})
    expected = [f1_score(truth, said, average=average, zero_division=0) for said in two.values()]
    assert [r.a.observed, r.b.observed] == pytest.approx(expected)
    assert r.items == DOCUMENTS * SIZE


@pytest.mark.usefixtures("seen_only")
def test_micro_averages_are_scores_of_pairs_of_item_and_label() -> None:
    document, truth, two = documents()
    pairs = {name: said.ravel() for name, said in two.items()}
    whole = compared(truth.ravel(), pairs, cluster=np.repeat(document, len(LABELS)), pos_label=1)
    r = compared(truth, two, average="micro", cluster=document)
    assert spreads(r) == pytest.approx(spreads(whole), rel=ERRORS)


@pytest.mark.parametrize("prior", ["trend", "haldane"])
def test_sets_of_one_label_are_labels(prior: str) -> None:
    document, truth, two = documents()
    first, *others = (column.argmax(axis=1) for column in (truth, *two.values()))
    hot = np.eye(len(LABELS), dtype=int)
    sets = compared(
        hot[first], {name: hot[said] for name, said in zip("ab", others, strict=True)}, prior,
        average="macro", cluster=document,
    )  # fmt: skip
    labels = compared(first, dict(zip("ab", others, strict=True)), prior, average="macro", cluster=document)
    assert spreads(sets) == pytest.approx(spreads(labels), rel=ERRORS)


@pytest.mark.parametrize(("average", "prior"), [("macro", "trend"), ("macro", "haldane"), ("samples", "haldane")])
def test_items_each_in_a_cluster_of_its_own_are_items(average: str, prior: str) -> None:
    document, truth, two = documents()
    every = compared(truth, two, prior if average == "macro" else None, average=average, cluster=range(len(document)))
    plain = compared(truth, two, prior, average=average)
    assert spreads(every) == pytest.approx(spreads(plain), rel=ERRORS)


def test_clusters_widen_what_documents_share() -> None:
    document, truth, two = documents()
    for average in ("micro", "macro", "samples"):
        alone, together = (compared(truth, two, average=average, **x) for x in ({}, {"cluster": document}))
        assert together.a.sd > 1.2 * alone.a.sd


def test_a_class_is_that_label_alone() -> None:
    document, truth, two = documents()
    rows = compared(truth, two, average="per_class", cluster=document, labels=LABELS)
    for k, (label, row) in enumerate(zip(LABELS, rows, strict=True)):
        alone = compared(truth[:, k], {name: said[:, k] for name, said in two.items()}, cluster=document, pos_label=1)
        one = compared(truth, two, labels=LABELS, pos_label=label, cluster=document)
        assert row.class_ == label
        assert row.delta.hdi == pytest.approx(alone.delta.hdi)
        assert row.delta.hdi == pytest.approx(one.delta.hdi)


def test_three_systems_are_ranked() -> None:
    document, truth, two = documents()
    ranking = op.rank(
        truth, two | {"c": 1 - truth}, average="macro", model=op.BayesianBootstrap(cluster=document), rope=0.01, rng=0
    )
    assert ranking.systems[-1].name == "c"
    assert any("40 clusters" in note for note in ranking.notes)


def write(path: Path, *, lists: bool) -> None:
    document, truth, two = documents()
    columns = {"gold": truth, **two}
    names = [
        {name: [label for label, held in zip(LABELS, row[k], strict=True) if held] for name, row in columns.items()}
        for k in range(len(document))
    ]
    if lists:
        rows = [json.dumps({"document": int(d), **row}) for d, row in zip(document, names, strict=True)]
    else:
        rows = ["document,gold,a,b"]
        rows += [",".join([str(d), *map(";".join, row.values())]) for d, row in zip(document, names, strict=True)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


@pytest.mark.parametrize(("name", "separated"), [("sets.csv", ["--separator", ";"]), ("sets.jsonl", [])])
def test_files_of_label_sets_have_clusters(name: str, separated: list[str], tmp_path: Path) -> None:
    write(tmp_path / name, lists=not separated)
    document, truth, two = documents()
    words = ["--truth", "gold", "--predictions", "a", "b", *separated, "--cluster", "document", "--average", "macro"]
    made = command.run("compare", str(tmp_path / name), *words, "--rope", "0.01", "--seed", "1", "--format", "json")
    expected = op.compare(
        truth, two, average="macro", labels=LABELS, model=op.BayesianBootstrap(cluster=document), rope=0.01, rng=1
    )
    assert isinstance(expected, op.Comparison)
    assert json.loads(made.stdout)["delta"]["hdi"] == pytest.approx(expected.delta.hdi)
