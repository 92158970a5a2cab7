"""A study of items: the question, the prepared measure, and the weights to be drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, cast

import numpy as np
from numpy.random import SeedSequence

from outperform.data.contingency import FloatArray
from outperform.data.items import Items
from outperform.data.labels import IntArray, Label
from outperform.data.runs import Runs
from outperform.device.items import OWN_FUNCTION, scored_on_device, weighed_scores
from outperform.device.posteriors import note_of, scores_of, usual_draws_of
from outperform.inference.draws import DRAWS, FEWEST_DRAWS, PLAIN_DRAWS
from outperform.inference.question import EXPANSION, CountQuestion, Question, Stream
from outperform.inference.tabulating import reach_of_items, rests_on, scorer_of_labels
from outperform.measures.of_items import ItemMeasure
from outperform.measures.scorers import Scorer
from outperform.models import BayesianBootstrap
from outperform.models.expansion import VIEWS, Expansion, expand
from outperform.models.posterior import Posterior, in_blocks, stream, usual_draws
from outperform.models.unseen import MOST_MOVED, Least, Unseen, kept_between
from outperform.models.weights import ItemWeights

__all__ = ["ItemQuestion", "ItemStudy", "scorer_of"]


@dataclass(frozen=True)
class ItemQuestion(Question):
    """A question about items."""

    measure: ItemMeasure
    positive: Label | None = None
    runs: Runs | None = None

    @property
    def details(self) -> dict[str, Any]:
        """The positive class, the numbers of runs, and how scores were computed."""
        positive = {} if self.positive is None else {"positive": self.positive}
        runs = {} if self.runs is None else {"runs": ",".join(map(str, sorted(self.runs.number.tolist())))}
        return positive | runs | self._engine


def scorer_of(question: Question, rows: Items) -> Scorer:
    """Return what scores rows under weights, which unlike these cannot be pickled."""
    if isinstance(question, ItemQuestion):
        return question.measure.prepare(rows)
    return scorer_of_labels(cast(CountQuestion, question), rows)


@dataclass(frozen=True, eq=False)
class ItemStudy:
    """Items, how they are scored under weights, and how the weights are drawn."""

    question: Question
    model: BayesianBootstrap
    items: Items
    rows: Items  # the items, those that the measure does not tell apart in one row where that makes far fewer
    runs: Runs | None = None
    given: Items | None = None  # with the scores of every run
    posterior: Posterior | None = None  # of classes that learn from each other, systems in the order of their names

    @property
    def measure(self) -> ItemMeasure | None:
        """The measure of items; None if labels are tabulated."""
        return self.question.measure if isinstance(self.question, ItemQuestion) else None

    @cached_property
    def scorer(self) -> Scorer:
        """What scores the rows under weights."""
        return scorer_of(self.question, self.rows)

    @cached_property
    def weights(self) -> ItemWeights:
        """Weights of items or clusters."""
        return ItemWeights.of(self.rows, alike=self.measure is not None and self.measure.by_query)

    @cached_property
    def observed(self) -> FloatArray:
        """The score of each system with equal weights."""
        return np.asarray(self.scorer(self.rows.n[:, None])[0])

    @cached_property
    def units(self) -> float:
        """Effective number of units that the scores rest on: all of them, of the rarer class, or in a denominator."""
        if self._reach is not None:
            return rests_on(cast(CountQuestion, self.question), self._reach, self.weights.worth)
        if self.measure is None or not self.measure.of_classes:
            return self.weights.worth
        truth, n = self.items.truth, cast(FloatArray | None, self.items.n)
        if len(self.items.cluster):  # which counts once in each of its classes
            truth, n = np.unique(np.stack([truth, self.items.cluster]), axis=1)[0], None
        sizes = np.bincount(truth, n)
        return min(int(sizes[sizes > 0].min()), self.weights.worth)

    @property
    def constant(self) -> bool:
        """Whether nothing moves the scores, and nothing says how far they could move."""
        return self._width == inf and not self.unseen.any

    @cached_property
    def unseen(self) -> Unseen:
        """The allowance for unobserved units."""
        sizes: dict[str, Any] = {"least": self._least, "unmoved": self._unmoved}
        if self._differentiable and len(self.weights.number) > MOST_MOVED:
            return Unseen.known(self.moves, self.weights, **sizes)
        return Unseen.by(self.scorer, self.weights, self.draws, **sizes)

    @cached_property
    def _reach(self) -> FloatArray | None:
        """Of labels, what one more unit could do to each score."""
        if self.posterior is not None or not isinstance(self.question, CountQuestion):
            return None
        if self.question.average == "samples":  # of scores of items, which have no denominator in common
            return None
        return reach_of_items(self.question, self.items)

    @property
    def _least(self) -> Least:
        """The influence that one unobserved unit could have on a score, at least."""
        if self._reach is not None:
            return np.maximum(self._reach, 1 / self.weights.worth)
        return 1 / self.units if self.question.bounded else 0.0

    @property
    def _unmoved(self) -> Least:
        """The influence of one unobserved unit on a mean of given scores that no observed one moves.

        A system that always has the same score beside one that varies is a reference, unless no score is higher or
        lower.
        """
        if self.given is None:
            return 0.0
        ends = np.array([(output.min(), output.max()) for output in self.given.outputs])
        low, high = self._limits if self._width < inf else (ends.min(), ends.max())
        reference = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] > low) & (ends[:, 0] < high)
        return np.where(reference & (ends[:, 0] < ends[:, 1]).any(), 0.0, (high - low) / self.weights.worth)

    @property
    def free(self) -> bool:
        """Whether scores are means of numbers that have no known bounds; those observed may lie between 0 and 1."""
        return self.scorer.derivative is not None and np.ptp(self.question.measure.limits) == inf

    @property
    def _width(self) -> float:
        """The range of the scores."""
        low, high = self._limits
        return high - low

    @cached_property
    def expansion(self) -> Expansion | None:
        """The scores as an expansion, systems in the order of their names; None if all weights are drawn.

        That is so if a number of draws is requested, if 50,000 are fast, and if an expansion is not accurate.
        """
        known = self._differentiable and self.posterior is None and len(self.items.classifiers) in VIEWS
        expandable = known and self.question.device is None and self.question.engine != "draws"
        if not expandable or self.question.draws is not None or self._usual_draws == DRAWS:
            return None
        seed = self.question.seed_of(Stream.EXPANSION)
        order = self._by_name
        moves, draws = self.moves[:, order], self._usual_draws
        return expand(lambda weights: self.scorer(weights)[:, order], moves, self.weights, seed, draws)

    @property
    def _differentiable(self) -> bool:
        """Whether derivatives by the weights of units are known; in strata weights are relative to each other."""
        return self.scorer.derivative is not None and self.weights.stratum is None

    @cached_property
    def moves(self) -> FloatArray:
        """Derivatives of the scores by the weight of one unit of each kind, of shape (kinds, systems)."""
        return np.ascontiguousarray(self.weights.by_unit(self.scorer.influence(self.rows.n)).T)

    @cached_property
    def _limits(self) -> tuple[float, float]:
        """The least and the greatest score; given scores lie between 0 and 1 if all of them do."""
        given = () if self.given is None else self.given.outputs
        proportions = bool(given) and all(((output >= 0) & (output <= 1)).all() for output in given)
        return (0.0, 1.0) if proportions else self.question.measure.limits

    @property
    def merged(self) -> Items | None:
        """Items with identical rows merged, to see whether two systems are exchangeable."""
        if self.measure is not None and not self.measure.merges:
            return None
        return self.items if self.given is None else self.given

    @property
    def draws(self) -> int:
        """Number of draws: as requested, or as many as are fast."""
        if self.question.draws is not None:
            return self.question.draws
        return self._usual_draws if self.expansion is None else DRAWS

    @property
    def asked(self) -> Question:
        """The question, with the number of draws and how they were made."""
        question = replace(self.question, draws=self.draws)
        return question if self.expansion is None else replace(question, engine=EXPANSION)

    @property
    def _usual_draws(self) -> int:
        device = self.question.device
        if self.posterior is not None:
            return usual_draws_of(self.posterior, DRAWS, FEWEST_DRAWS, device)
        most = None if self.measure is None else self.measure.most_draws
        if device is not None and self._on_device:
            return device.usual_draws(self._numbers, most or DRAWS, FEWEST_DRAWS)
        return usual_draws(self._numbers, most or DRAWS, FEWEST_DRAWS)

    @property
    def _numbers(self) -> int:
        """Numbers processed per draw."""
        return len(self.rows.n) * (1 + len(self.items.classifiers))

    def draw(self) -> FloatArray:
        """Draw the scores jointly, of shape (draws, systems)."""
        return self.allow(self.draw_seen())

    def draw_seen(self) -> FloatArray:
        """Draw as `draw` does, without the allowance for unobserved units."""
        seed = self.question.seed_of(Stream.SCORES)
        if self.posterior is not None:
            assert isinstance(self.question, CountQuestion)
            scores = self._as_given(
                scores_of(self.posterior, self.question.score, draws=self.draws, seed=seed, device=self.question.device)
            )
        elif self.expansion is not None:
            scores = self._as_given(self.expansion.draw(stream(seed, 0), self.draws))
        else:
            scores = self.by_weights(self.draws, seed)
        if not np.isfinite(scores).all():
            raise ValueError(f"measure {self.question.measure.name!r} is not finite on some draws")
        return scores

    def allow(self, scores: FloatArray) -> FloatArray:
        """Return the scores with the allowance for unobserved units, the same one each time."""
        return self.moved(scores, self._drawn_unseen()) if self._allows else scores

    @property
    def _allows(self) -> bool:
        """Whether there is an allowance: under a trend only for clusters, for which its pseudo-items do not stand."""
        return self.posterior is None or self.weights.units < self.items.n.sum()

    def moved(self, scores: FloatArray, by: FloatArray) -> FloatArray:
        """Return the sum, clipped to the limits of the measure."""
        return kept_between(self._limits, scores, by)

    def _drawn_unseen(self) -> FloatArray:
        """Draw the allowance."""
        order, unseen = self._by_name, self.unseen
        rng = stream(self.question.seed_of(Stream.UNSEEN), 0)
        return self._as_given(unseen.select(order).draw(rng, self.draws))

    @property
    def _by_name(self) -> IntArray:
        """The order of the systems' names, in which they are drawn, so that the input order does not matter."""
        return np.argsort(self.items.classifiers)

    def _as_given(self, drawn: FloatArray) -> FloatArray:
        """Return draws of systems by name, with the systems in the order in which they were given."""
        given = np.empty(drawn.shape)
        given[:, self._by_name] = drawn
        return given

    def plain(self) -> FloatArray | None:
        """Draw by the item bootstrap, if classes learn from each other; None otherwise."""
        seed = self.question.seed_of(Stream.ITEMS_ALONE)
        return None if self.posterior is None else self.by_weights(PLAIN_DRAWS, seed)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return the remarks of the posterior, and that there are no draws on a device if one was asked for."""
        if self.posterior is not None:
            return (*self.posterior.remarks(), *note_of(self.posterior, self.question.device))
        return () if self.question.device is None or self._on_device else (OWN_FUNCTION,)

    @property
    def _on_device(self) -> bool:
        """Whether scores can be computed on a device."""
        return scored_on_device(self.scorer)

    def by_weights(self, draws: int, seed: SeedSequence) -> FloatArray:
        """Draw the scores jointly by the observed units."""
        if self.question.device is not None and self._on_device:
            return weighed_scores(self.scorer, self.weights, draws=draws, seed=seed, device=self.question.device)
        return in_blocks(
            lambda rng, size: self.scorer(self.weights.draw(rng, size)), len(self.rows.n), draws=draws, seed=seed
        )

    def draw_runs(self) -> FloatArray | None:
        """Draw what several runs of a system add to the scores."""
        if self.runs is None:
            return None
        rng = stream(self.question.seed_of(Stream.RUNS), 0)
        return self._as_given(self.runs.select(self._by_name).draw(rng, self.draws))
