"""The pooled prior against plain samplers that list every cell."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy import stats
from scipy.special import gammaln

import outperform as op
from outperform.measures.averages import averaged
from outperform.measures.of_counts import MEASURES
from outperform.models.kinds import OutcomeKinds
from outperform.models.proportions import Even
from outperform.models.spread import PooledSpread, kinds_of_outcome, pool

ERRORS = 4
DRAWS = 20_000  # detect a mean that is off by 4% of a standard deviation
RNG = default_rng(4)
# True class × prediction of A × prediction of B; class 2 is rare, and A never predicts class 3.
TABLE = RNG.poisson(1.0, (4, 4, 4)) * RNG.integers(0, 2, (4, 4, 4))
for j in range(4):
    TABLE[j, j, j] += (30, 20, 3, 9)[j]
TABLE[:, 3, :] = 0
TABLE[3, 0, 3] += 2
MEASURE = {"f1": "macro", "precision": "macro", "recall": "weighted", "mcc": "multiclass"}


def counted(table: Any) -> op.Counts:
    truth, a, b = np.nonzero(table)
    return op.Counts.from_labels(truth, {"a": a, "b": b}, labels=range(len(table)), n=table[truth, a, b])


def proportions(items: Any, rng: np.random.Generator) -> Any:
    """Draw μ ~ Dir(b, …, b) with log b uniform over a grid, by its likelihood; shape (draws, classes)."""
    grid, m = np.geomspace(1 / 16, 256, 25), len(items)
    log = [gammaln(items + b).sum() - m * gammaln(b) + gammaln(m * b) - gammaln(items.sum() + m * b) for b in grid]
    b = rng.choice(grid, DRAWS, p=np.exp(log - np.max(log)) / np.exp(log - np.max(log)).sum())
    drawn = rng.gamma(items + b[:, None])
    return drawn / drawn.sum(axis=1, keepdims=True)


def rows(alpha: Any, rng: np.random.Generator) -> Any:
    """Draw a Dirichlet over all axes but the draws, one row per class."""
    drawn = rng.gamma(alpha)
    return drawn / drawn.sum(axis=tuple(range(2, drawn.ndim)), keepdims=True)


def popularity(table: Any) -> Any:
    """Return the wrong predictions of all classifiers, by predicted class; per classifier, plus half an item."""
    margins = [table.sum(axis=2), table.sum(axis=1)]
    return sum(margin.sum(axis=0) - np.diag(margin) for margin in margins) / len(margins) + 0.5


def others(r: Any) -> Any:
    """Return, in row j, the distribution of a wrong prediction for an item of class j."""
    spread = np.where(np.eye(len(r), dtype=bool), 0.0, r)
    return spread / spread.sum(axis=1, keepdims=True)


def plain_pair(table: Any, seed: int) -> Any:
    """Draw joint probabilities of (class, A, B), cell by cell; shape (draws, M, M, M)."""
    rng, m, n = default_rng(seed), len(table), table.sum()
    j, a, b = np.indices(table.shape)
    right, wrong = (a == j) & (b == j), (a != j) & (b != j)
    kinds = [right, (a == j) & (b != j), (a != j) & (b == j), wrong & (a == b), wrong & (a != b)]
    shares = np.array([table[kind].sum() for kind in kinds]) * (min(n, m) / n if n else 0.0)
    pi = rng.dirichlet(np.array([2, 2, 2, 1, 1]) / 8 + shares, DRAWS)
    away = others(popularity(table))
    far_a, far_b = away[j, a], away[j, b]
    spread = [right, (a == j) * far_b, far_a * (b == j), far_a * (a == b), far_a * far_b]
    base = np.einsum("dt,tjkl->djkl", pi, np.array([np.broadcast_to(s, table.shape) for s in spread], dtype=float))
    return proportions(table.sum(axis=(1, 2)), rng)[:, :, None, None] * rows(table + 2 * base, rng)


def contingency(joint: Any) -> op.Contingency:
    support = joint.sum(axis=(2, 3))
    tables = [joint.sum(axis=3), joint.sum(axis=2)]
    hit = np.stack([np.diagonal(t, axis1=1, axis2=2) for t in tables], axis=1)
    predicted = np.stack([t.sum(axis=1) for t in tables], axis=1)
    return op.Contingency(hit, support[:, None], predicted, np.ones((len(joint), 1, 1)))


def close(one: Any, other: Any, quantiles: Any = ()) -> None:
    """Compare mean and sd within four Monte-Carlo errors, and the share below the ends of the HDI (or quantiles)."""
    n = len(one)
    sd, kurtosis = float(other.std()), float(stats.kurtosis(other, fisher=False))
    assert abs(one.mean() - other.mean()) < ERRORS * sd * sqrt(2 / n)
    assert abs(one.std() - sd) < ERRORS * sd * sqrt((kurtosis - 1) / (4 * n)) * sqrt(2)
    for point in np.quantile(other, quantiles) if quantiles else op.hdi(other):
        below = float((other <= point).mean())
        assert abs(float((one <= point).mean()) - below) < ERRORS * sqrt(2 * below * (1 - below) / n)


@pytest.mark.parametrize("table", [TABLE, TABLE * 0], ids=["some items", "none"])
def test_a_pair_agrees_with_a_plain_sampler(table: Any) -> None:
    plain = contingency(plain_pair(table, seed=1))
    posterior = op.Paired("pooled").posterior(counted(TABLE).empty() if not table.any() else counted(table))
    for name, average in MEASURE.items():
        measure = MEASURES[name]
        ours = posterior.scores(partial(averaged, average, measure), draws=DRAWS, seed=SeedSequence(2))
        theirs = averaged(average, measure, plain)
        quantiles = () if table.any() else (0.25, 0.75)  # without data many scores are almost 0 or 1
        for turn in ([1, 0], [0, 1], [1, -1]):  # A, B and the difference
            close(ours @ turn, theirs @ turn, quantiles)


def test_one_classifier_has_the_same_margin() -> None:
    """Alone, A has its own wrong predictions; here B's are the same in number by class, so the pool is the same."""
    table = TABLE.copy()
    assert pool(counted(table), 1.0).popularity.tolist() == popularity(table).tolist()
    alike = np.zeros_like(table)
    alike[np.arange(4)[:, None], np.arange(4), np.arange(4)] = table.sum(axis=2)
    together = op.compare(counted(alike), average="macro", rng=0)
    alone = op.estimate(counted(alike).select([0]), average="macro", rng=0)
    assert abs(together.a.mean - alone.mean) < ERRORS * alone.mc_error * sqrt(2)
    assert abs(together.a.sd / alone.sd - 1) < ERRORS / sqrt(alone.mc_error**-2 * alone.sd**2)


def test_micro_and_accuracy_need_not_tell_wrong_from_wrong() -> None:
    posterior = op.Paired("pooled").posterior(counted(TABLE))
    for name, average in (("f1", "micro"), ("accuracy", "multiclass")):
        measure = MEASURES[name]
        cheap = posterior.reduced(average, measure)
        assert cheap.cells < posterior.cells
        one, other = (
            p.scores(partial(averaged, average, measure), draws=DRAWS, seed=SeedSequence(k))
            for k, p in enumerate((cheap, posterior))
        )
        close(one[:, 0], other[:, 0])
        close(np.diff(one)[:, 0], np.diff(other)[:, 0])


def test_who_is_wrong_alike_says_the_same() -> None:
    """Of three classifiers two may be wrong, half of the time alike; else they agree by chance, one time in three."""
    right, alike, weight = kinds_of_outcome(3)
    spread = PooledSpread(OutcomeKinds(1e6 * weight), right, alike, np.ones(4))
    fates = spread.fates(default_rng(3), (4, 10, 2_000))
    true = np.repeat(np.arange(4), 10 * 2_000)
    said = np.stack([true] * 3)
    for row, fate in zip(said, fates, strict=True):
        assert (fate.label != true[fate.wrong]).all()
        row[fate.wrong] = fate.label
    fine = np.stack([fate.right.ravel() for fate in fates])
    for first, second, third in ((0, 1, 2), (1, 2, 0), (0, 2, 1)):
        two = fine[third] & ~fine[first] & ~fine[second]
        share = float((said[first] == said[second])[two].mean())
        assert abs(share - 2 / 3) < ERRORS * sqrt(2 / 9 / two.sum())


def test_the_pool_by_hand() -> None:
    """Ten items that both get right, three that B gets wrong, two with the same error and one with two errors."""
    said = [(0, 0, 0, 10), (1, 1, 2, 3), (2, 0, 0, 2), (0, 1, 2, 1)]
    truth, a, b, n = np.array(said).T
    counts = op.Counts.from_labels(truth, {"a": a, "b": b}, labels=range(3), n=n)
    right, alike, prior = kinds_of_outcome(2)
    assert [(*map(bool, hits), bool(same)) for hits, same in zip(right, alike, strict=True)] == [
        (True, True, False),
        (True, False, False),
        (False, True, False),
        (False, False, True),
        (False, False, False),
    ]
    np.testing.assert_allclose(prior, [1 / 4, 1 / 4, 1 / 4, 1 / 8, 1 / 8])
    items = np.array([10, 3, 0, 2, 1])
    np.testing.assert_allclose(pool(counts, 100.0).kinds.alpha, prior + items)
    np.testing.assert_allclose(pool(counts, 2.0).kinds.alpha, prior + items * 6 / 16)  # at most two items per class
    np.testing.assert_allclose(pool(counts, 2.0).popularity, [4 / 2 + 0.5, 1 / 2 + 0.5, 4 / 2 + 0.5])


def test_the_pool_of_many_by_hand() -> None:
    """Of four, the observed kinds are listed, and one that stands for any: who is right, and whether errors agree."""
    said = [(0, 0, 0, 0, 0, 5), (1, 1, 2, 2, 2, 3), (2, 2, 2, 0, 1, 2), (2, 2, 1, 0, 2, 4)]
    truth, *columns, n = np.array(said).T
    counts = op.Counts.from_labels(truth, dict(zip("abcd", columns, strict=True)), labels=range(3), n=n)
    found = pool(counts, 100.0)
    listed = {
        ((True, True, True, True), False): 5.0,
        ((True, False, False, False), True): 3.0,
        ((True, True, False, False), False): 2.0,
        ((True, False, False, True), False): 4.0,
        ((False, False, False, False), False): 1.0,  # any kind
    }
    kinds = [(tuple(hits), same) for hits, same in zip(found.right.tolist(), found.alike.tolist(), strict=True)]
    assert dict(zip(kinds, found.kinds.alpha.tolist(), strict=True)) == pytest.approx(listed)
    np.testing.assert_allclose(found.popularity, [6 / 4 + 0.5, 6 / 4 + 0.5, 9 / 4 + 0.5])


@pytest.mark.parametrize("items", [[3.0, 0, 9, 1], [40.0, 41, 39], [0.0, 0.0]])
def test_even_weights_are_learned_as_by_scipys_dirichlet_multinomial(items: list[float]) -> None:
    grid = np.geomspace(1 / 16, 256, 25)
    n = np.array(items, dtype=int)
    log = np.array([stats.dirichlet_multinomial(np.full(len(n), b), n.sum()).logpmf(n) for b in grid])
    even, expected = Even.learn(np.array(items)), np.exp(log) / np.exp(log).sum()
    np.testing.assert_allclose(even.probability / even.probability.sum(), expected, rtol=1e-9)
    drawn = even.draw(default_rng(0), DRAWS)
    error = drawn.std(axis=1) / sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=1) - items - expected @ grid) < ERRORS * error).all()


@pytest.mark.parametrize(("items", "said"), [(59, True), (60, False)])
def test_few_items_per_class_are_said_to_be_few(items: int, said: bool) -> None:
    truth = np.arange(items) % 20
    guess = {"a": truth, "b": (truth + (np.arange(items) % 7 == 0)) % 20}
    asked: dict[str, Any] = {"measure": "mcc", "draws": 500, "rng": 0}
    found = (op.compare(truth, guess, **asked), op.rank(truth, guess, **asked), op.estimate(truth, guess["b"], **asked))
    note = f"There are only {items} items for 20 classes, each of which has 2 pseudo-items"
    assert [any(text.startswith(note) for text in r.notes) for r in found] == [said] * 3
