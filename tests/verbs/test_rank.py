"""`rank` and `rank_scores`, on every kind of data: properties of all rankings, and known results of each kind."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from functools import cache
from html import unescape
from itertools import combinations, product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

import outperform as op
from outperform.inference.baselines import cochran_q, friedman, nemenyi
from tests.tables import verdict

ERRORS = 4
NEWS = op.datasets.newsgroups()
NAMES = ("a", "b", "c", "d")
RNG = default_rng(12)
TRUTH = RNG.integers(2, size=60)
FLIPPED = {name: RNG.random(60) < 0.08 * (k + 1) for k, name in enumerate(NAMES)}
LABELS = {name: np.where(FLIPPED[name], 1 - TRUTH, TRUTH) for name in NAMES}
THREE = np.arange(60) % 3
CLASSES = {name: np.where(FLIPPED[name], (THREE + 1) % 3, THREE) for name in NAMES}
CHANCES = {name: np.clip(0.5 + (TRUTH - 0.5) / (k + 2) + RNG.normal(0, 0.2, 60), 0, 1) for k, name in enumerate(NAMES)}
SCORES = {name: RNG.normal(0.1 * k, 1, 60) for k, name in enumerate(NAMES)}
RUNS = {name: RNG.normal(0.1 * k, 1, (60, 1 + k)) for k, name in enumerate(NAMES)}
SETS = {name: np.where(RNG.random((60, 3)) < 0.1 * (k + 1), 0, 1) for k, name in enumerate(NAMES)}
ANY = RNG.integers(2, size=(60, 3))
TAGS = [["B-PER", "O"], ["O", "B-LOC"], ["B-LOC", "I-LOC"]] * 20
TAGGED = {name: [["O", "O"] if hit else tags for hit, tags in zip(FLIPPED[name], TAGS, strict=True)] for name in NAMES}
CLUSTER = [k // 3 for k in range(60)]

Case = Callable[..., op.Ranking]


def some(columns: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: columns[name] for name in names}


def folds(names: tuple[str, ...]) -> op.Counts:
    halves = {(r, f): default_rng(r).permutation(60)[f::2] for r in range(3) for f in range(2)}
    return op.Counts.by_fold(
        {fold: op.Counts.from_labels(TRUTH[i], {n: LABELS[n][i] for n in names}) for fold, i in halves.items()}
    )


def own_sets(names: tuple[str, ...], **settings: Any) -> op.Ranking:
    first = {name: NAMES.index(name) for name in names}
    return op.rank({n: TRUTH[k:] for n, k in first.items()}, {n: LABELS[n][k:] for n, k in first.items()}, **settings)


def called(truth: Any, said: Any, sample_weight: Any) -> Any:
    """A measure with scikit-learn's signature."""
    return float(np.average(truth == said, weights=sample_weight))


CALLED: Any = called


# A name → a ranking of some systems, in the given order.
CASES: dict[str, Case] = {
    "two classes": lambda n, **s: op.rank(TRUTH, some(LABELS, n), **s),
    "unpaired model": lambda n, **s: op.rank(TRUTH, some(LABELS, n), model="unpaired", **s),
    "error rate": lambda n, **s: op.rank(TRUTH, some(LABELS, n), measure="error_rate", **s),
    "macro": lambda n, **s: op.rank(THREE, some(CLASSES, n), average="macro", **s),
    "accuracy": lambda n, **s: op.rank(THREE, some(CLASSES, n), measure="accuracy", **s),
    "function of counts": lambda n, **s: op.rank(TRUTH, some(LABELS, n), measure=lambda c: c.hit / c.total, **s),
    "function of items": lambda n, **s: op.rank(TRUTH, some(LABELS, n), measure=CALLED, **s),
    "area": lambda n, **s: op.rank(TRUTH, some(CHANCES, n), measure="roc_auc", **s),
    "log loss": lambda n, **s: op.rank(TRUTH, some(CHANCES, n), measure="log_loss", **s),
    "label sets": lambda n, **s: op.rank(ANY, some(SETS, n), average="micro", **s),
    "samples": lambda n, **s: op.rank(ANY, some(SETS, n), average="samples", **s),
    "own test sets": own_sets,
    "sentences": lambda n, **s: op.rank(op.Counts.from_chunks(TAGS, some(TAGGED, n)), **s),
    "chunks": lambda n, **s: op.rank(op.Counts.from_chunks(TAGS, some(TAGGED, n), unit="chunk"), average="macro", **s),
    "folds": lambda n, **s: op.rank(folds(n), **s),
    "clusters of labels": lambda n, **s: op.rank(TRUTH, some(LABELS, n), model=op.BayesianBootstrap(CLUSTER), **s),
    "scores": lambda n, **s: op.rank_scores(some(SCORES, n), **s),
    "scores of 0 and 1": lambda n, **s: op.rank_scores(some(LABELS, n), **s),
    "clusters of scores": lambda n, **s: op.rank_scores(some(SCORES, n), cluster=CLUSTER, **s),
    "runs": lambda n, **s: op.rank_scores(some(RUNS, n), **s),
}
LOWEST = ("error rate", "log loss")


@cache
def ranked(name: str, rope: float | None = None) -> op.Ranking:
    """Return one ranking for all tests that only read it; a ROPE given later has its own test."""
    return CASES[name](NAMES, draws=300, rng=0) if rope is None else ranked(name).with_rope(rope)


@pytest.mark.parametrize("name", CASES)
class TestEveryRanking:
    def test_places_add_up(self, name: str) -> None:
        r = ranked(name)
        assert sum(s.p_best for s in r.systems) == pytest.approx(1.0, rel=1e-12)
        for k in range(4):
            assert sum(s.p_top[k] for s in r.systems) == pytest.approx(k + 1, rel=1e-12)
        assert sum(s.rank for s in r.systems) == pytest.approx(10, rel=1e-12)
        assert [s.rank for s in r.systems] == sorted(s.rank for s in r.systems)
        for s in r.systems:
            assert s.p_best == s.p_top[0]
            assert 1 <= s.rank_interval[0] <= s.rank_interval[1] <= 4
            assert s.mean == pytest.approx(r.draws[:, NAMES.index(s.name)].mean(), rel=1e-12)

    def test_the_best_comes_first(self, name: str) -> None:
        r = ranked(name)
        better = -r.draws if name in LOWEST else r.draws
        for s in r.systems:
            score = better[:, [NAMES.index(s.name)]]
            place = 0.5 + (better > score).sum(axis=1) + (better == score).sum(axis=1) / 2
            assert s.rank == pytest.approx(place.mean(), rel=1e-12)

    @pytest.mark.parametrize("rope", [None, 0.0, 0.02])
    def test_who_shares_a_letter_is_not_told_apart(self, name: str, rope: float | None) -> None:
        r = ranked(name, rope)
        assert [(p.a, p.b) for p in r.pairs] == list(combinations([s.name for s in r.systems], 2))
        for p in r.pairs:
            assert p.separated == (not set(r[p.a].bands) & set(r[p.b].bands))
            assert p.separated == (not any({p.a, p.b} <= set(band) for band in r.bands))
            assert (p.decision is None) == (rope is None)
            if p.decision is None:
                assert p.separated == (p.hdi[0] > 0 or p.hdi[1] < 0)
            else:
                assert p.separated == (p.decision.name in ("better", "worse"))

    def test_a_comparison_is_the_pair_and_flips(self, name: str) -> None:
        r = ranked(name, 0.02)
        for p in r.pairs:
            there, back = r.comparison(p.a, p.b), r.comparison(p.b, p.a)
            assert (there.delta.mean, there.delta.hdi) == (p.mean, p.hdi)
            assert (there.delta.p_less, there.delta.p_greater) == (p.p_less, p.p_greater)
            assert there.decision == p.decision
            np.testing.assert_array_equal(there.draws, back.draws[:, ::-1])
            assert back.delta.mean == pytest.approx(-p.mean, rel=1e-9, abs=1e-15)
            assert (back.delta.p_less, back.delta.p_greater) == (p.p_greater, p.p_less)
            assert back.a == there.b
            assert back.frequentist == pytest.approx(there.frequentist)

    def test_other_judgements_are_of_the_same_draws(self, name: str) -> None:
        r = ranked(name)
        assert r.with_rope(0.1) == CASES[name](NAMES, rope=0.1, draws=300, rng=0)
        assert r.with_mass(0.5) == CASES[name](NAMES, mass=0.5, draws=300, rng=0)
        assert r.with_rope(0.1).with_rope(None).with_mass(0.8).with_mass(0.95) == r
        assert r.with_mass(0.5).systems[0].hdi != r.systems[0].hdi
        assert r.with_rope(0.1).draws is r.draws

    def test_the_order_in_which_systems_are_given_changes_nothing(self, name: str) -> None:
        r = ranked(name, 0.02)
        order = (2, 0, 3, 1)
        other = CASES[name](tuple(NAMES[k] for k in order), rope=0.02, draws=300, rng=0)
        np.testing.assert_array_equal(other.draws, r.draws[:, order])
        assert (other.pairs, other.bands, other.signature) == (r.pairs, r.bands, r.signature)
        assert other.frequentist == pytest.approx(r.frequentist)
        assert repr(other) == repr(r)

    def test_json_is_the_documented_one(self, name: str) -> None:
        rope = None if name in ("macro", "scores") else 0.02
        r = ranked(name, rope)
        plain = json.loads(json.dumps(r.to_dict(), allow_nan=False))
        assert plain == json.loads(r.to_json())
        assert list(plain) == [
            "schema_version", "signature", "measure", "average", "model", "prior", "items", "mass", "rope", "systems",
            "pairs", "bands", "frequentist", "notes", "sampler", "verdicts",
        ]  # fmt: skip
        assert plain["rope"] == (None if rope is None else [-rope, rope])
        assert [s["name"] for s in plain["systems"]] == [s.name for s in r.systems]
        assert set(plain["systems"][0]) == {
            "name", "observed", "mean", "sd", "hdi", "p_best", "rank", "rank_interval", "p_top", "bands",
        }  # fmt: skip
        for pair, p in zip(plain["pairs"], r.pairs, strict=True):
            assert op.Comparison.from_dict(pair) == r.comparison(p.a, p.b)
            assert (pair["a"]["name"], pair["b"]["name"]) == (p.a, p.b)
            assert (pair["decision"] is None) == (rope is None)

    def test_every_writer_has_every_system(self, name: str) -> None:
        r = ranked(name, 0.02)
        rows = list(csv.DictReader(io.StringIO(r.to_csv())))
        assert [row["system"] for row in rows] == [s.name for s in r.systems]
        assert [float(row["p_best"]) for row in rows] == [s.p_best for s in r.systems]
        assert r.to_frame("pandas")["rank"].tolist() == [s.rank for s in r.systems]
        assert repr(r).splitlines()[0].split()[:2] == [r.systems[0].bands, r.systems[0].name]
        for written in (r.to_text(verbose=True), r.to_markdown(), r.to_latex(), r._repr_html_()):
            assert f"{r.systems[0].mean:.3f}"[:4] in written
            assert "Every two systems: verdict on row against column" in written
            assert r.signature in unescape(written)


@pytest.mark.parametrize(
    ("settings", "measure"),
    [
        ({"pos_label": 8}, lambda y, p: f1_score(y == 8, p == 8)),
        ({"measure": "accuracy"}, accuracy_score),
        ({"average": "macro"}, lambda y, p: f1_score(y, p, average="macro")),
    ],
)
def test_newsgroups(settings: dict[str, Any], measure: Callable[[Any, Any], float]) -> None:
    r = op.rank(NEWS.truth, NEWS.predictions, **settings, rope=0.01, draws=500, rng=0)
    assert [s.name for s in r.systems] == ["nb_mult", "svm_l2", "svm_l1", "nb_bern"]
    for s in r.systems:
        assert s.observed == pytest.approx(measure(NEWS.truth, NEWS.predictions[s.name]), rel=1e-12)
        assert s.hdi[0] < measure(NEWS.truth, NEWS.predictions[s.name]) < s.hdi[1]
    assert r.bands[-1] == ("nb_bern",)
    assert verdict(r.comparison("nb_bern", "nb_mult")) == "worse"


def test_areas_are_sklearns() -> None:
    r = op.rank(TRUTH, CHANCES, measure="roc_auc", draws=4_000, shrink=False, rng=0)
    for s in r.systems:
        assert s.observed == pytest.approx(roc_auc_score(TRUTH, CHANCES[s.name]), rel=1e-12)
        assert abs(s.mean - roc_auc_score(TRUTH, CHANCES[s.name])) < ERRORS * s.sd / sqrt(4_000) + 1 / 60**2
    assert set(r.comparison("a", "d").frequentist) == {"delong"}


PAIRS: dict[str, Callable[[], op.Comparison]] = {
    "two classes": lambda: op.compare(TRUTH, some(LABELS, ("d", "b")), rope=0.02, draws=300, rng=4),
    "macro": lambda: op.compare(THREE, some(CLASSES, ("d", "b")), average="macro", rope=0.02, draws=300, rng=4),
    "area": lambda: op.compare(TRUTH, some(CHANCES, ("d", "b")), measure="roc_auc", rope=0.02, draws=300, rng=4),
    "folds": lambda: op.compare(folds(("d", "b")), rope=0.02, draws=300, rng=4),
    "scores": lambda: op.compare_scores(some(SCORES, ("d", "b")), rope=0.02, draws=300, rng=4),
    "runs": lambda: op.compare_scores(some(RUNS, ("d", "b")), rope=0.02, draws=300, rng=4),
}


@pytest.mark.parametrize("name", PAIRS)
def test_two_systems_rank_as_they_compare(name: str) -> None:
    r, c = CASES[name](("d", "b"), rope=0.02, draws=300, rng=4), PAIRS[name]()
    np.testing.assert_array_equal(r.draws, c.draws)
    two = r.comparison("d", "b")
    assert (two.a, two.b, two.delta, two.decision) == (c.a, c.b, c.delta, c.decision)
    assert two.frequentist.items() <= c.frequentist.items()


COPIES: dict[str, Callable[[int], op.Ranking]] = {
    "counts": lambda seed: op.rank(*copied(seed, 2), draws=200, rng=seed),
    "unpaired": lambda seed: op.rank(*copied(seed, 2), model="unpaired", draws=200, rng=seed),
    "many classes": lambda seed: op.rank(*copied(seed, 3), average="macro", draws=100, rng=seed),
    "area": lambda seed: op.rank(*copied(seed, 2), measure="roc_auc", draws=200, rng=seed),
    "scores": lambda seed: op.rank_scores(copied(seed, 99)[1], draws=200, rng=seed),
}


def copied(seed: int, classes: int) -> tuple[Any, dict[str, Any]]:
    """Return a dozen items; a system, its copy, and another."""
    rng = default_rng(seed)
    truth = np.arange(12) % classes
    guess, other = (np.where(rng.random(12) < 0.3, rng.integers(classes, size=12), truth) for _ in range(2))
    return truth, {"own": guess, "other": other, "copy": guess.copy()}


@pytest.mark.parametrize("name", COPIES)
def test_a_system_is_never_told_apart_from_its_copy(name: str) -> None:
    for seed in range({"counts": 30, "scores": 30, "many classes": 5}.get(name, 10)):
        r = COPIES[name](seed)
        for mass, rope in product((0.95, 0.5) if seed < 10 else (0.95,), (None, 0.0, 0.01)):
            judged = r.with_mass(mass).with_rope(rope)
            (pair,) = (p for p in judged.pairs if {p.a, p.b} == {"own", "copy"})
            assert not pair.separated, (seed, mass, rope)
            assert any({"own", "copy"} <= set(band) for band in judged.bands)
            assert pair.decision is None or pair.decision.name in ("equivalent", "undecided")


def test_equal_systems_come_in_the_order_of_their_names() -> None:
    same = dict.fromkeys(("x", "z", "y"), SCORES["a"])
    r = op.rank_scores(same, rope=0.0, draws=2_000, rng=0)
    assert [s.p_best for s in r.systems] == pytest.approx([1 / 3] * 3, abs=ERRORS * sqrt(2 / 9 / 2_000))
    assert r.bands == (("x", "y", "z"),)


def test_few_draws_tell_nobody_apart() -> None:
    """As with a ROPE, with fewer than 40 draws nothing is decided."""
    far = {"good": TRUTH, "bad": 1 - TRUTH, "worse": 1 - TRUTH}
    for rope in (0.01, None):
        assert len(op.rank(TRUTH, far, rope=rope, draws=30, rng=0).bands) == 1


def test_one_item_tells_nobody_apart() -> None:
    assert op.rank_scores({"a": [1.5], "b": [0.5], "c": [0.2]}, rng=0).bands == (("a", "b", "c"),)


@pytest.mark.parametrize("rope", [None, 0.01])
def test_the_lowest_error_is_best(rope: float | None) -> None:
    def a_loss(truth: Any, said: Any, sample_weight: Any) -> Any:
        return 1 - called(truth, said, sample_weight)

    loss: Any = a_loss
    graded = {
        name: np.where(np.arange(60) < n, 1 - TRUTH, TRUTH) for name, n in (("mid", 15), ("best", 1), ("last", 50))
    }
    rng = default_rng(13)
    chances = {name: 0.25 + said / 2 + rng.normal(0, 0.05, 60) for name, said in graded.items()}
    scores = {name: (said != TRUTH) + rng.normal(0, 0.05, 60) for name, said in graded.items()}
    settings: dict[str, Any] = {"rope": rope, "draws": 300, "rng": 0}
    for r in (
        op.rank(TRUTH, graded, measure="error_rate", **settings),
        op.rank(TRUTH, chances, measure="log_loss", **settings),
        op.rank(TRUTH, chances, measure="brier", **settings),
        op.rank(TRUTH, graded, measure=loss, **settings),
        op.rank_scores(scores, greater_is_better=False, **settings),
    ):
        assert [s.name for s in r.systems] == ["best", "mid", "last"]
        assert r["best"].p_best > 0.99
        assert r["best"].mean < r["mid"].mean < r["last"].mean
        assert r.bands == (("best",), ("mid",), ("last",))
        assert rope is None or all(p.decision is not None and p.decision.name == "better" for p in r.pairs)


def test_which_classical_tests_go_with_which_ranking() -> None:
    r = op.rank_scores(SCORES, draws=50, rng=0)
    table = np.stack([SCORES[name] for name in NAMES], axis=1)
    assert r.frequentist == pytest.approx({"friedman": friedman(table)})
    assert r.comparison("b", "d").frequentist["nemenyi"] == pytest.approx(nemenyi(table, 1, 3))
    assert set(r.comparison("b", "d").frequentist) == {"paired_t_test", "sign_test", "wilcoxon", "nemenyi"}
    two = op.rank_scores(some(SCORES, ("a", "b")), draws=50, rng=0)
    assert two.frequentist == {}
    assert "nemenyi" not in two.comparison("a", "b").frequentist
    for name in ("clusters of scores", "clusters of labels", "runs", "area", "own test sets", "sentences", "folds"):
        assert ranked(name).frequentist == {}
    for name, truth, said in (("two classes", TRUTH, LABELS), ("macro", THREE, CLASSES), ("accuracy", THREE, CLASSES)):
        expected = cochran_q(op.Counts.from_labels(truth, said))
        assert ranked(name).frequentist == pytest.approx({"cochran_q": expected})
    assert set(op.rank(TRUTH, LABELS, draws=50, rng=0).comparison("a", "b").frequentist) == {
        "sign_test", "t_test", "mcnemar", "mcnemar_corrected",
    }  # fmt: skip


def test_runs_widen_what_items_tell() -> None:
    rng = default_rng(14)
    noisy = {name: SCORES[name][:, None] + rng.normal(0, 0.5, 5) for name in NAMES}
    means = {name: runs.mean(axis=1) for name, runs in noisy.items()}
    runs, once = (op.rank_scores(scores, shrink=False, rng=0) for scores in (noisy, means))
    for name in NAMES:
        assert runs[name].observed == pytest.approx(once[name].observed)
        assert runs[name].sd > 1.2 * once[name].sd
    assert any(note.startswith("Runs are resampled as well as items (20 in all)") for note in runs.notes)
    assert runs.frequentist == {}


def test_clusters_widen_what_items_tell() -> None:
    same = {name: np.repeat(SCORES[name][:20], 3) for name in NAMES}
    apart, together = (op.rank_scores(same, cluster=c, shrink=False, rng=0) for c in (None, CLUSTER))
    for name in NAMES:
        wider = together[name].sd / apart[name].sd
        assert sqrt(61 / 21) < wider < 1.2 * sqrt(61 / 21)  # more for unobserved clusters
    assert "20 clusters are resampled whole; they hold 60 items." in together.notes


def test_scores_go_by_id() -> None:
    shuffled = default_rng(0).permutation(60)
    by_id = {name: {int(k): SCORES[name][k] for k in shuffled} for name in NAMES}
    assert op.rank_scores(by_id, draws=50, rng=0)["b"].observed == pytest.approx(SCORES["b"].mean())


R = op.rank(TRUTH, LABELS, draws=50, rng=0)
TWICE: Any = dict.fromkeys((1, "1"), TRUTH)
REFUSED: list[tuple[str, Callable[[], Any]]] = [
    ("rank takes two systems or more, got 1: 'a'", lambda: op.rank(TRUTH, some(LABELS, ("a",)))),
    ("rank takes two systems or more, got 1: 'a'", lambda: op.rank_scores(some(SCORES, ("a",)))),
    ("there is no classifier; give at least one as", lambda: op.rank(TRUTH, {})),
    ("rank takes one average at a time; give pos_label", lambda: op.rank(TRUTH, LABELS, average="per_class")),
    ("two classifiers have the same name: 1, '1'", lambda: op.rank(TRUTH, TWICE)),
    ("two classifiers have the same name: 1, '1'", lambda: op.rank_scores(TWICE)),
    ("rope must contain 0", lambda: op.rank(TRUTH, LABELS, rope=(0.1, 0.2))),
    (r"rope must lie between -1 and 1, got 2", lambda: op.rank(TRUTH, LABELS, rope=2)),
    ("mass must lie between 0 and 1, as in 0.95, got 1", lambda: op.rank(TRUTH, LABELS, mass=1)),
    ("unknown model 'pared'; did you mean 'paired'", lambda: op.rank(TRUTH, LABELS, model="pared")),
    ("a hierarchical prior pairs at most 2", lambda: op.rank(TRUTH, LABELS, model=op.Paired("hierarchical"))),
    (
        "a hierarchical prior pairs at most 2",
        lambda: op.rank(ANY, SETS, average="micro", model=op.Paired("hierarchical")),
    ),
    ("roc_auc is computed from items; give truth and outputs", lambda: op.rank(folds(NAMES), measure="roc_auc")),
    ("no system 'z'; there are 'a', 'b', 'c', 'd'", lambda: R.comparison("a", "z")),
    ("rope is reversed: its low end 0.2 is above its high end 0.1", lambda: R.with_rope((0.2, 0.1))),
    ("mass must lie between 0 and 1", lambda: R.with_mass(0)),
]


@pytest.mark.parametrize("k", range(len(REFUSED)))
def test_what_is_refused(k: int) -> None:
    sentence, call = REFUSED[k]
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


def test_a_system_by_its_name() -> None:
    assert R["b"] in R.systems
    assert R["b"].name == "b"
    with pytest.raises(KeyError, match=r"no system 'z'; there are 'a', ('[bcd]'(, )?){3}"):
        R["z"]


def test_scores_of_several_runs_stay_within_their_bounds() -> None:
    runs = {
        name: np.column_stack([np.full(10, low), np.ones(10)]) for name, low in (("a", 0.7), ("b", 0.6), ("c", 0.5))
    }
    for shrink in (True, False):
        for system in op.rank_scores(runs, shrink=shrink, draws=5_000, rng=0).systems:
            assert system.hdi[0] >= 0
            assert system.hdi[1] <= 1


def test_the_order_of_systems_does_not_matter_where_classes_in_clusters_learn_from_each_other() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 300)
    systems = {name: np.where(rng.random(300) < 0.7, truth, rng.integers(0, 5, 300)) for name in "abcde"}
    model = op.BayesianBootstrap(cluster=np.arange(300) // 3)
    first, second = (
        op.rank(truth, {name: systems[name] for name in names}, average="macro", model=model, draws=500, rng=0)
        for names in ("abcde", "edcba")
    )
    assert {row.name: (row.mean, row.p_best) for row in first.systems} == {
        row.name: (row.mean, row.p_best) for row in second.systems
    }


def two_groups() -> tuple[Any, dict[str, Any]]:
    """Return a truth and six systems: three are right on 75% of 400 items and three on 80%."""
    rng = np.random.default_rng(0)
    truth, shared = rng.integers(0, 2, 400), rng.random(400)
    systems = {}
    for k, accuracy in enumerate([0.75] * 3 + [0.8] * 3):
        hard = np.where(rng.random(400) < 0.7, shared, rng.random(400))
        systems[f"s{k}"] = np.where(hard < accuracy, truth, 1 - truth)
    return truth, systems


def test_shrinkage_alone_makes_no_two_systems_equivalent() -> None:
    (truth, systems), rope = two_groups(), 0.05
    shrunk, plain = (
        op.rank(truth, systems, measure="accuracy", rope=rope, shrink=shrink, draws=4_000, rng=0)
        for shrink in (True, False)
    )
    within = [pair for pair in shrunk.pairs if -rope <= pair.hdi[0] and pair.hdi[1] <= rope]
    same = [frozenset((p.a, p.b)) for p in plain.pairs if p.decision is not None and p.decision.symbol == "≈"]
    made = [pair for pair in within if frozenset((pair.a, pair.b)) not in same]
    assert 0 < len(made) < len(within)
    for pair in within:
        assert pair.decision is not None
        assert pair.decision.symbol == ("?" if pair in made else "≈")
    first = made[0]
    named = [note for note in shrunk.notes if note.startswith("Not called practically the same")]
    assert len(named) == 1
    assert f"{first.a} and {first.b}" in named[0]
    alone = shrunk.comparison(first.a, first.b)
    assert alone.evidence is not None
    assert alone.evidence.decide(alone.delta, (-rope, rope)).symbol == "?"
    assert not alone.meets("equivalent")
    assert alone.outlook is None
    assert any(note.startswith("Not called practically the same") for note in alone.notes)
