"""Relevance of items to classes: totals against scikit-learn's and seqeval's, shards, and weights of whole items."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.metrics import confusion_matrix, multilabel_confusion_matrix

import outperform as op
from outperform.data.relevance import Relevance, joined
from outperform.models.relevant import ItemBootstrap, item_bootstrap, relevance
from tests.data.test_chunk_counts import corpus

ERRORS = 4  # tolerances are this many Monte-Carlo errors
DRAWS = 4_000
SETS, TYPES = 5, ("LOC", "ORG", "PER")


@cache
def classes() -> tuple[Any, dict[str, Any]]:
    """Return labels of 200 items in 6 classes, of which one has no item and one is never predicted."""
    rng = default_rng(0)
    truth = rng.choice(5, 200, p=[0.4, 0.3, 0.2, 0.06, 0.04])
    guesses = {name: np.where(rng.random(200) < 0.7, truth, rng.choice([0, 1, 2, 5], 200)) for name in "abc"}
    return truth, guesses


@cache
def sets(items: int = 150) -> tuple[Any, dict[str, Any]]:
    """Return indicator matrices; half of the items have no label and no prediction."""
    rng = default_rng(1)
    truth = (rng.random((items, SETS)) < 0.4) & (rng.random((items, 1)) < 0.5)
    guesses = {name: truth ^ ((rng.random(truth.shape) < 0.15) & (rng.random((items, 1)) < 0.6)) for name in "abc"}
    return truth, guesses


def one_of_many() -> op.Counts:
    return op.Counts.from_labels(*classes(), labels=range(6))


def label_sets() -> op.Counts:
    return op.Counts.from_label_sets(*sets())


def chunks(unit: str = "sentence") -> op.Counts:
    gold, a, b = corpus()
    return op.Counts.from_chunks(gold, {"a": a, "b": b}, unit=unit)


TASKS: dict[str, Callable[[], op.Counts]] = {
    "classes": one_of_many,
    "label sets": label_sets,
    "sentences": chunks,
    "chunks": lambda: chunks("chunk"),
}


def totals(items: Relevance) -> tuple[Any, Any, Any]:
    """Return hits, support and predictions, of shape (systems, classes), with each kind weighted by its items."""
    c = items.contingency(items.number[:, None].astype(np.float64), np.array([items.items]))
    return c.hit[0], np.broadcast_to(c.support[0], c.hit[0].shape), c.predicted[0]


def assert_same(one: Relevance, other: Relevance) -> None:
    assert (one.classes, one.items, one.systems) == (other.classes, other.items, other.systems)
    for mine, theirs in zip(totals(one), totals(other), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("task", TASKS)
def test_totals_are_those_of_the_counts(task: str) -> None:
    counts = TASKS[task]()
    observed = counts.contingency()
    expected = (observed.hit, np.broadcast_to(observed.support, observed.hit.shape), observed.predicted)
    for mine, theirs in zip(totals(relevance(counts)), expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    assert relevance(counts).items == counts.items


def test_totals_are_scikit_learns() -> None:
    truth, guesses = classes()
    hit, support, predicted = totals(relevance(one_of_many()))
    for k, guess in enumerate(guesses.values()):
        table = confusion_matrix(truth, guess, labels=range(6))
        np.testing.assert_allclose(hit[k], np.diag(table))
        np.testing.assert_allclose(support[k], table.sum(axis=1))
        np.testing.assert_allclose(predicted[k], table.sum(axis=0))


def test_totals_of_label_sets_are_scikit_learns() -> None:
    truth, guesses = sets()
    hit, support, predicted = totals(relevance(label_sets()))
    for k, guess in enumerate(guesses.values()):
        tables = multilabel_confusion_matrix(truth, guess)
        np.testing.assert_allclose(hit[k], tables[:, 1, 1])
        np.testing.assert_allclose(support[k], tables[:, 1].sum(axis=1))
        np.testing.assert_allclose(predicted[k], tables[:, :, 1].sum(axis=1))


def test_sentences_are_weighed_whole() -> None:
    """A kind is a kind of sentence; one with two chunks of a type alike holds the row twice."""
    counts = chunks()
    assert counts.units is not None
    items = relevance(counts)
    assert items.number.sum() <= counts.items
    assert items.times.max() >= 2
    sentences = len(corpus()[0])
    assert items.items == sentences


@pytest.mark.parametrize("task", TASKS)
def test_a_draw_has_the_mean_of_the_counts(task: str) -> None:
    counts = TASKS[task]()
    items, observed = relevance(counts), counts.contingency()
    c = ItemBootstrap(items).contingency(default_rng(2), DRAWS)
    for drawn, expected in ((c.hit, observed.hit), (c.predicted, observed.predicted)):
        error = drawn.std(axis=0) / sqrt(DRAWS)
        assert (abs(drawn.mean(axis=0) - expected) <= ERRORS * error + 1e-9).all()
    total = np.broadcast_to(c.total, (DRAWS, 1, 1)).ravel()
    weighed = max(counts.items, items.number.sum())  # false alarms are not items if chunks are counted individually
    assert abs(total.mean() - weighed) < ERRORS * sqrt(weighed / DRAWS)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("order", [[1], [1, 0], [0]])
def test_select(task: str, order: list[int]) -> None:
    counts = TASKS[task]()
    assert_same(relevance(counts).select(order), relevance(counts.select(order)))
    for mine, whole in zip(totals(relevance(counts).select(order)), totals(relevance(counts)), strict=True):
        np.testing.assert_allclose(mine, whole[order])


def test_select_forgets_what_only_others_say() -> None:
    """A row is kept if and only if the class is true or one of the selected systems predicts it."""
    items = label_sets().sets
    assert items is not None
    one = items.select([0])
    assert (one.true | one.said.any(axis=1)).all()
    assert len(one.kind) < len(items.kind)
    assert one.number.sum() < items.number.sum()  # some items are no longer relevant to any class
    assert one.items == items.items


def distinct_kinds(truth: NDArray[np.bool_], *guesses: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of kinds of item that are relevant to any class, and of such items."""
    rows = np.hstack([truth, *guesses])
    rows = rows[rows.any(axis=1)]
    return len(np.unique(rows, axis=0)), len(rows)


def test_equal_kinds_are_one() -> None:
    truth, guesses = sets()
    items = relevance(label_sets())
    assert (len(items.number), items.number.sum()) == distinct_kinds(truth, *guesses.values())
    again = items.merged()
    assert len(again.number) == len(items.number)
    assert_same(items, again)
    one = items.select([2])
    assert (len(one.number), one.number.sum()) == distinct_kinds(truth, guesses["c"])


def test_a_sentence_with_two_chunks_is_not_one_with_a_single_chunk() -> None:
    """Two sentences of one chunk each differ from one sentence of two."""
    none = np.zeros(0, dtype=np.int64)
    kind, class_ = np.array([0, 1, 2, 2]), np.array([0, 0, 0, 1])
    said = np.ones((4, 1), dtype=bool)
    items = Relevance(2, 4.0, np.array([1.0, 1.0, 2.0]), kind, class_, said[:, 0], said, np.array([1.0, 2.0, 1.0, 1.0]))
    assert sorted(items.merged().number) == [1, 1, 2]
    nothing = Relevance(2, 4.0, np.ones(3), none, none, none == 1, said[:0], none.astype(np.float64))
    assert len(nothing.merged().number) == 0
    assert not totals(nothing.merged())[0].any()


def shards(counted: Any, parts: int = 3) -> list[op.Counts]:
    return [counted(slice(k, None, parts)) for k in range(parts)]


def test_shards_of_label_sets_add_up() -> None:
    truth, guesses = sets()

    def part(rows: slice) -> op.Counts:
        return op.Counts.from_label_sets(truth[rows], {name: guess[rows] for name, guess in guesses.items()})

    total = sum(shards(part), start=0)
    assert isinstance(total, op.Counts)
    assert total.sets is not None
    whole = label_sets().sets
    assert whole is not None
    assert_same(total.sets, whole)
    assert sorted(total.sets.number) == sorted(whole.number)  # and equal kinds are merged


def test_shards_of_other_tasks_add_up() -> None:
    truth, guesses = classes()
    gold, a, b = corpus()

    def part(rows: slice) -> op.Counts:
        return op.Counts.from_labels(truth[rows], {k: g[rows] for k, g in guesses.items()}, labels=range(6))

    def sentences(rows: slice) -> op.Counts:
        return op.Counts.from_chunks(gold[rows], {"a": a[rows], "b": b[rows]}, types=TYPES)

    for one, whole in ((part, one_of_many()), (sentences, chunks())):
        first, *others = shards(one)
        for other in others:
            first = first + other
        assert_same(relevance(first), relevance(whole))


def test_shards_with_the_systems_the_other_way_round_add_up() -> None:
    truth, guesses = sets()
    first = op.Counts.from_label_sets(truth[:80], {name: guesses[name][:80] for name in "ab"})
    other = op.Counts.from_label_sets(truth[80:], {name: guesses[name][80:] for name in "ba"})
    whole = op.Counts.from_label_sets(truth, {name: guesses[name] for name in "ab"})
    assert_same(relevance(first + other), relevance(whole))


def test_what_is_not_known_of_a_shard_is_not_known_of_all() -> None:
    items = label_sets().sets
    assert joined(items, None) is None
    assert joined(None, items) is None
    assert items is not None
    both = joined(items, items)
    assert both is not None
    for twice, once in zip(totals(both), totals(items), strict=True):
        np.testing.assert_allclose(twice, 2 * once)


def repeated(times: int) -> op.Counts:
    """Return the same label columns, repeated."""
    truth, guesses = sets()
    return op.Counts.from_label_sets(np.tile(truth, times), {k: np.tile(g, times) for k, g in guesses.items()})


def test_an_item_weighs_the_same_for_all_of_its_classes() -> None:
    """Identical columns are identical in every draw, so their sum varies with the square of their number."""
    drawn = []
    for k, times in enumerate((1, 4)):
        c = ItemBootstrap(relevance(repeated(times))).contingency(default_rng(k), DRAWS)
        hit = c.hit.reshape(DRAWS, 3, times, SETS)
        np.testing.assert_allclose(hit, np.broadcast_to(hit[:, :, :1], hit.shape), rtol=1e-9)
        drawn.append(c.hit.sum(axis=-1)[:, 0])
    ratio = drawn[1].var() / drawn[0].var()
    assert abs(ratio / 16 - 1) < ERRORS * sqrt(2 * 2 / DRAWS)


def by_hand(rng: Generator, number: NDArray[np.float64], member: Any) -> NDArray[np.float64]:
    """Return sums over items of an exponential weight each, of shape (classes, draws)."""
    return np.asarray(member.T @ rng.exponential(size=(len(number), DRAWS)))


def test_classes_covary_as_items_do() -> None:
    """The covariance of two sums of weights is the number of items in both."""
    truth, guesses = sets()
    hit = (truth & guesses["a"]).astype(np.float64)
    c = ItemBootstrap(relevance(label_sets())).contingency(default_rng(0), DRAWS)
    mine, theirs = np.cov(c.hit[:, 0].T), hit.T @ hit
    plain = np.cov(by_hand(default_rng(1), np.ones(len(hit)), csr_array(hit)))
    largest = theirs.max() * sqrt(2 / DRAWS)
    assert abs(mine - theirs).max() < ERRORS * largest * 1.5  # 15 of them, with tails of exponentials
    assert abs(plain - theirs).max() < ERRORS * largest * 1.5


def test_systems_on_items_of_their_own() -> None:
    """Their draws are independent, and each is distributed as alone."""
    truth, guesses = classes()
    test_sets = {"a": (truth, guesses["a"]), "b": (truth[:120], guesses["b"][:120])}
    apart = op.Counts.from_test_sets(test_sets, labels=range(6))
    c = item_bootstrap(apart).contingency(default_rng(0), DRAWS)
    observed = apart.contingency()
    error = np.sqrt(np.maximum(observed.hit, 1e-12) / DRAWS)
    assert (abs(c.hit.mean(axis=0) - observed.hit) <= ERRORS * error).all()
    sums = c.hit.sum(axis=-1)
    assert abs(np.corrcoef(sums.T)[0, 1]) < ERRORS / sqrt(DRAWS)
