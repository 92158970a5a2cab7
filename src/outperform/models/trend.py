"""Many classes of different sizes, whose scores learn from each other through a trend in their size.

A class is a tree of shares (`shares`), of which F1 = 2J/(1 + J) depends on the first alone, the share J of hits among
the relevant items. An item is relevant to several classes, so the data's part of all shares is drawn from one
exponential weight per item:

    J = (Σ_hits w + Γ(α)) / (Σ_all w + Γ(α) + Γ(β)),    which is Beta(h + α, e + β) in each class alone,

with (α, β) drawn from what the classes have learned.

Two systems: half of the draws have one first and the other given it, half the other way round, and the draws of the
second are moved to the mean, class by class, and to the spread that they have by its own tree. So two scores are
correlated as in the pair, and each has the mean and the spread that it has alone. In trees of one share (recall,
precision) they are moved half of the way: there the difference of the two separate trees varies more from sample to
sample than the spread of the pair says, and that of the pair varies less. More than two: see `copula`.

Assumptions: classes with the same number of items are exchangeable apart from their counts, and small classes
continue the trend of larger ones. What was not observed of a class is predicted from the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence

from outperform.base.cores import on_all_cores
from outperform.base.sentences import Sentence
from outperform.data.contingency import Contingency, FloatArray, combine, summed
from outperform.data.relevance import Relevance
from outperform.measures.of_counts import Measure, MeasureFunction
from outperform.models.borrowing import notes
from outperform.models.copula import correlation, reordered
from outperform.models.extending import Known, Levers, Regression, first_draws, known, missing_draws
from outperform.models.jackknife import Jackknife
from outperform.models.posterior import Blocks, Extending, Posterior, child, in_blocks, scored, stream
from outperform.models.reads import averages_classes, items_read
from outperform.models.relevant import ItemBootstrap
from outperform.models.shares import (
    FORMS,
    HIT,
    KINDS,
    MISS,
    SWAPPED,
    UNSEEN,
    Ordered,
    Outcomes,
    Sums,
    Triple,
    added,
    predicted,
)

__all__ = ["TrendPosterior"]

PAIR_DRAWS = 2_000  # for the spread of a difference with more than two systems
FEWER = 4  # times fewer draws than the default, because each costs more
FEWEST_BEFORE, MOST_BEFORE = 1_000, 100_000  # draws of the prior, and draws × classes
ROUNDING = 1e-9  # relative to a spread


class Drawn(NamedTuple):
    """Draws of one system: sums of weights, uniform numbers, shares, and whether it predicts each class at all."""

    sums: Sums
    lots: FloatArray
    shares: list[FloatArray]
    predicts: FloatArray | None


class Half(NamedTuple):
    """Draws with one system first: scores of both, and of the second given it, of shape (draws, 3, …); known parts."""

    first: int
    scores: FloatArray
    known: FloatArray

    @property
    def columns(self) -> FloatArray:
        """Totals of the first, of the second given it, and of the second, of shape (draws, 3)."""
        return _totals(self.scores)[:, [self.first, 2, 1 - self.first]]


class Joint(NamedTuple):
    """Joint draws of all systems, each by its own tree."""

    contingency: Contingency
    systems: list[Drawn]
    weights: FloatArray
    normal: FloatArray
    total: FloatArray


@dataclass(frozen=True, eq=False)
class TrendPosterior(Posterior):
    """Systems on shared items.

    Attributes
    ----------
    items : Relevance
        The items and the classes that they are relevant to.
    form : str
        The tree for the measure.
    weighted : bool
        Whether classes are weighted by their support.
    whole_units : bool
        Whether an item is a unit that holds several, such as a sentence. The prior's pseudo-items are worth less than
        such a unit, and do not stand for unobserved ones.
    """

    items: Relevance
    form: str = "all"
    weighted: bool = False
    whole_units: bool = False

    @property
    def cells(self) -> int:
        """Random numbers per draw."""
        tree = FORMS[self.form]
        shares = len(tree.one) * self.items.systems + len(tree.given) * (self.items.systems > 1)
        return len(self.items.number) + self.items.classes * (KINDS + 2 * shares)

    def usual_draws(self, wanted: int, fewest: int) -> int:
        """Return the default number of draws; even fewer without data, where only a density is needed."""
        most = wanted if self.items.items else max(FEWEST_BEFORE, MOST_BEFORE // self.items.classes)
        return super().usual_draws(min(wanted // FEWER, most), fewest)

    def reduced(self, average: str, measure: Measure) -> Posterior:
        """Return the posterior with the tree for the measure."""
        if not averages_classes(average, measure):
            advice = "for {average:{given}} use the pooled or hierarchical prior"
            raise ValueError(Sentence("the trend prior is for averages over classes; " + advice, given=average))
        form = items_read(measure.of_all_classes if average == "multiclass" else measure)
        return replace(self, form=form, weighted=average == "weighted")

    def remarks(self) -> tuple[str, ...]:
        """Return notes on how much of the classes' scores is borrowed from other classes, and if that is too much."""
        split, orders = FORMS[self.form].one[0], self._orders
        if not self.items.items:
            return ()
        trials = (order.outcomes.counts[list(split.yes + split.no)].sum(axis=0) for order in orders)
        share = np.mean([order.one[0].borrowed(counts) for order, counts in zip(orders, trials, strict=True)])
        true = orders[0].outcomes.counts[list(HIT + MISS)].sum(axis=0)
        return notes(float(share), true, [s.expected for s in (o.silence for o in orders) if s], weighted=self.weighted)

    def contingency(self, rng: Generator, draws: int) -> Contingency:
        """Draw each system by its own tree, of shape (draws, systems, classes)."""
        return self._separately(rng, draws).contingency

    def unseen(self, measure: MeasureFunction, *, draws: int, seed: SeedSequence) -> FloatArray | None:
        """Draw what unobserved units could add to a score, without the prior."""
        return ItemBootstrap(self.items).unseen(measure, draws=draws, seed=seed) if self.whole_units else None

    def scores(
        self, measure: MeasureFunction, *, draws: int, seed: SeedSequence, workers: int | None = None
    ) -> FloatArray:
        """Draw scores whose differences have the spread of a pair, and which have the means of their own trees."""
        return self.drawn(measure, draws, seed, partial(in_blocks, workers=workers))

    def drawn(self, measure: MeasureFunction, draws: int, seed: SeedSequence, blocks: Blocks) -> FloatArray:
        """Draw the scores in blocks: on the cores of this machine, or on a device, where they stay."""
        _ = self._orders  # computed before threads use it
        if self.items.systems == 1:
            return self.placed(measure, scored(self, measure, blocks, draws=draws, seed=seed))
        if self.items.systems == 2:
            return self.placed(measure, self._of_pair(measure, draws, seed, blocks))
        return self.placed(measure, self._of_many(measure, draws, seed, blocks))

    def placed(self, measure: MeasureFunction, scores: FloatArray) -> FloatArray:
        """Return the draws; those of weighted averages are moved to the mean of the jackknife, and spread."""
        if not self.weighted or not self.items.items:
            return scores
        return Jackknife.of(measure, self.items, self._codes, [order.outcomes for order in self._orders]).moved(scores)

    def _of_pair(self, measure: MeasureFunction, draws: int, seed: SeedSequence, blocks: Blocks) -> FloatArray:
        """Draw half with one system first, half with the other."""
        halves = [
            self._half(measure, first, size, child(seed, first), blocks)[0]
            for first, size in enumerate((draws - draws // 2, draws // 2))
            if size
        ]
        return self._shifted(halves)

    @np.errstate(invalid="ignore")  # whoever asks refuses a measure that is not finite
    def _shifted(self, halves: Sequence[FloatArray]) -> FloatArray:
        """Return both systems of each half, the second given the first and moved to its own tree."""
        alone = np.concatenate([half[:, :2] for half in halves])
        joint = []
        for half, second in zip(halves, (1, 0), strict=False):
            both, given = half[:, :2].copy(), half[:, 2]
            bounds = half[:, [second, 2]]  # moved draws stay within these
            moved = self._moved(given, given.mean(axis=0), alone[:, second], alone[:, second].mean(axis=0))
            both[:, second] = np.clip(moved, bounds.min(axis=(0, 1)), bounds.max(axis=(0, 1)))
            joint.append(both)
        return np.concatenate(joint)

    def _moved(self, given: FloatArray, mean: FloatArray, alone: FloatArray, to: FloatArray) -> FloatArray:
        """Return draws of the second given the first, moved from their mean, and towards those by its own tree."""
        way = FORMS[self.form].moved
        found, wanted = (float(_totals(x[:, None]).std()) for x in (given, alone))
        scale = (wanted / found) ** way if found > ROUNDING * wanted else 1.0
        moved: FloatArray = mean + way * (to - mean) + scale * (given - mean)
        return moved

    @property
    def extending(self) -> Extending | None:
        """Itself, of two systems and not in strata; no part of a draw tells which classes are never predicted."""
        items, silent = self.items, any(order.silence for order in self._orders)
        return self if items.systems == 2 and items.stratum is None and items.items and not silent else None

    def extended(
        self, measure: MeasureFunction, *, draws: int, like: int, seed: SeedSequence
    ) -> tuple[FloatArray, Callable[[int], FloatArray]] | None:
        """Return many draws of two scores, as accurate as `like` joint ones, and what makes joint ones by class.

        None where so few items matter that their weights are far from normal.
        """
        levers = list(on_all_cores(partial(self._levers, measure), range(2)))
        found = on_all_cores(lambda way: known(self.items.number, *levers[::way]), (1, -1))
        parts = [part for part in found if part is not None]
        if len(parts) < 2:
            return None
        joint = self._joint(measure, parts, like, seed)
        fits = [Regression.of(half.known, half.columns) for half in joint]
        # The mean of each system by its own tree: as the first of one half, and as the second of the other.
        mean = np.mean([fits[0].mean[[0, 2]], fits[1].mean[[2, 0]]], axis=0)

        def half(k: int) -> FloatArray:
            first, given, alone = fits[k].draw(parts[k], stream(child(seed, 4 + k), 0), draws // 2).T
            pair = [first, self._moved(given, fits[k].mean[1], alone, mean[1 - k])]
            return np.stack(pair[:: 1 if k == 0 else -1], axis=1)

        scores = self.placed(measure, np.concatenate(list(on_all_cores(half, range(2)))))
        return scores, partial(self._by_class, measure, child(seed, 6), scores.mean(axis=0))

    def _joint(self, measure: MeasureFunction, parts: Sequence[Known], like: int, seed: SeedSequence) -> list[Half]:
        """Draw as many jointly as it takes to be as accurate as `like` draws, given their known parts."""
        joint, key = self._halves(measure, parts, first_draws(like), seed, 0), 2
        while missing := missing_draws(like, [(half.known, half.columns) for half in joint]):
            more = self._halves(measure, parts, missing, seed, key)
            joint = [
                Half(half.first, *map(np.concatenate, zip(half[1:], other[1:], strict=True)))
                for half, other in zip(joint, more, strict=True)
            ]
            key += 6  # those in between are for other draws
        return joint

    def _by_class(self, measure: MeasureFunction, seed: SeedSequence, mean: FloatArray, draws: int) -> FloatArray:
        """Draw contributions of the classes, which add up to scores with this mean."""
        joint = self._halves(measure, [None, None], draws, seed, 0)
        by_class = self.placed(measure, self._shifted([half.scores for half in joint]))
        missed = mean - by_class.sum(axis=-1).mean(axis=0)
        shifted: FloatArray = by_class + missed[:, None] / self.items.classes
        return shifted

    def _halves(
        self, measure: MeasureFunction, parts: Sequence[Known | None], draws: int, seed: SeedSequence, key: int
    ) -> list[Half]:
        """Draw half with one system first, half with the other, with known parts of the draws."""
        half, size = partial(self._half, measure), (draws + 1) // 2
        made = on_all_cores(lambda k: half(k, size, child(seed, key + k), in_blocks, parts[k]), range(2))
        return [Half(k, *each) for k, each in enumerate(made)]

    def _levers(self, measure: MeasureFunction, first: int) -> Levers:
        """Return what the shares of this system first, and of the other given it, add to their scores."""
        return Levers.of(self._orders[first], self._moves(measure, first), self._summing[first], self.items.number)

    @np.errstate(invalid="ignore")  # a measure that is not finite has no known part
    def _moves(self, measure: MeasureFunction, first: int) -> FloatArray:
        """Return what one more of each outcome and of each share adds, (outcomes and shares, classes, 2).

        The measure gives contributions of classes. Everything but what is moved is at its middle.
        """
        found, total = [], np.full(1, self.items.items)
        for sums, triples, steps in self._orders[first].nudged():
            both = (self._of_themselves(measure, self._contingency(triple, sums, total)) for triple in triples)
            found.append(np.stack([(x[: len(steps)] - x[-1]) / steps for x in both], axis=-1))
        return np.concatenate(found)

    def _of_themselves(self, measure: MeasureFunction, c: Contingency) -> FloatArray:
        """Return contributions of classes, from which one can tell what a class would add if it alone were moved.

        All classes are moved at once. Where they are weighted by their support, that changes the weight of the others.
        With N_k = s_k ψ_k and y = Σ N/Σ s, to first order dy = Σ (dN_k − y ds_k)/Σ s.
        """
        scores = measure(c)[:, 0]
        if not self.weighted:
            return scores
        support = c.support[:, 0]
        total = support.sum(axis=-1, keepdims=True)
        alone: FloatArray = (scores * total - scores[-1].sum() * support) / total[-1]
        return alone

    def _half(
        self,
        measure: MeasureFunction,
        first: int,
        draws: int,
        seed: SeedSequence,
        blocks: Blocks,
        parts: Known | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Draw scores of both, and of the second given the first, of shape (draws, 3, …), and known parts of draws."""
        shape: tuple[int, ...] = ()

        def block(rng: Generator, number: int) -> FloatArray:
            nonlocal shape
            joint = self._separately(rng, number)
            order, mine, other = self._orders[first], joint.systems[first], joint.systems[1 - first]
            given = order.drawn(rng.standard_gamma, mine.sums, mine.lots, given=True)
            second = predicted(order.triples([*mine.shares, *given])[1], other.predicts)
            scores = [measure(joint.contingency), measure(self._contingency(second, mine.sums, joint.total))]
            flat = np.concatenate(scores, axis=1)
            shape = flat.shape[1:]
            shares = [*mine.shares, *given, *other.shares]
            known = [] if parts is None else [parts.of(joint.weights, shares, joint.normal)]
            return np.concatenate([flat.reshape(number, -1), *known], axis=1)

        drawn = blocks(block, self.cells, draws=draws, seed=seed)
        size = int(np.prod(shape))
        return drawn[:, :size].reshape(-1, *shape), drawn[:, size:]

    def _of_many(self, measure: MeasureFunction, draws: int, seed: SeedSequence, blocks: Blocks) -> FloatArray:
        """Draw each system separately, then reorder the draws so that they are correlated as pairs are."""
        scores = _totals(scored(self, measure, blocks, draws=draws, seed=child(seed, 0)))
        plain = _totals(scored(ItemBootstrap(self.items), measure, blocks, draws=PAIR_DRAWS, seed=child(seed, 1)))
        hub = int(np.argsort(scores.mean(axis=0))[self.items.systems // 2])
        spread = np.zeros(self.items.systems)
        for k in range(self.items.systems):
            if k != hub:
                pair = replace(self, items=self.items.select([hub, k]))
                both = _totals(pair.drawn(measure, PAIR_DRAWS, child(seed, 2 + k), blocks))
                spread[k] = (both[:, 0] - both[:, 1]).var()
        return reordered(scores, correlation(scores, plain, spread, hub), stream(child(seed, 1), 1))

    def _separately(self, rng: Generator, draws: int) -> Joint:
        """Draw each system by its own tree."""
        weights = self.items.weigh(rng, draws)
        total = weights.sum(axis=0) + self.items.rest(rng, draws)
        # The same normal numbers for all systems: their means then differ as the systems do, and less by chance.
        shares = len(FORMS[self.form].one) + len(FORMS[self.form].given)
        normal = rng.standard_normal((shares, draws))
        parts, drawn = [], []
        for order, sums in zip(self._orders, self._sums(weights), strict=True):
            lots = order.lots(normal)
            one = Drawn(sums, lots, order.drawn(rng.standard_gamma, sums, lots), order.predicts(rng, draws))
            parts.append(self._contingency(predicted(order.triples(one.shares)[0], one.predicts), sums, total))
            drawn.append(one)
        return Joint(combine(lambda *x: np.concatenate(x, axis=1), *parts), drawn, weights, normal, total)

    def _sums(self, weights: FloatArray) -> Iterator[Sums]:
        """Yield sums of weights by outcome, for each system first, each of shape (classes, draws)."""
        two = self.items.systems == 2
        for adds in self._summing[:1] if two else self._summing:
            sums = summed(weights, adds).reshape(KINDS, self.items.classes, -1)
            yield sums
        if two:
            yield [sums[outcome] for outcome in SWAPPED]

    def _contingency(self, triple: Triple, sums: Sums, total: FloatArray) -> Contingency:
        """Return shares as masses, in the unit of the items' weights, of shape (draws, 1, classes)."""
        hit, miss, alarm = triple
        split = FORMS[self.form].one[0]
        mass = added(sums, split.yes + split.no) + UNSEEN
        true = added(sums, HIT + MISS) + UNSEEN if self.form == "predicted" else (hit + miss) * mass
        hit, support, predicted = (x.T[:, None] for x in (hit * mass, true, (hit + alarm) * mass))
        return Contingency(hit, support, predicted, np.maximum(total, UNSEEN)[:, None, None])

    @cached_property
    def _codes(self) -> list[Any]:
        """The outcome of each row for each system and, with two systems, for the other one too."""
        said, true = self.items.said.astype(np.int64), 4 * self.items.true
        other = said[:, ::-1] if self.items.systems == 2 else said
        return [true + 2 * one + two for one, two in zip(said.T, other.T, strict=True)]

    @cached_property
    def _summing(self) -> list[Any]:
        return [self.items.summing(codes, KINDS) for codes in self._codes]

    @cached_property
    def _orders(self) -> list[Ordered]:
        """What is learned about each system first; of two systems, also about the other one given it."""
        items, systems = self.items, []
        for codes, adds in zip(self._codes, self._summing, strict=True):
            counts = (adds @ items.number).reshape(KINDS, items.classes)
            size = len(items.number) * KINDS
            per_item = np.bincount(items.kind * KINDS + codes, items.times, size).reshape(-1, KINDS)
            systems.append(Outcomes(FORMS[self.form], counts, (per_item.T * items.number) @ per_item))
        true = systems[0].counts[list(HIT + MISS)].sum(axis=0) + UNSEEN
        return Ordered.learn(systems, true if self.weighted else None, given=items.systems == 2)


def _totals(scores: FloatArray) -> FloatArray:
    """Return one number per draw and system, on the host: the sum of the contributions of classes."""
    return np.asarray(scores if scores.ndim == 2 else scores.sum(axis=-1))
