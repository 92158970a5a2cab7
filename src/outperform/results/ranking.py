"""The answer to "which of these is best?": places with their uncertainty, and who is not told apart from whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.errors import listing
from outperform.base.signature import Signature
from outperform.data.contingency import FloatArray
from outperform.inference.evidence import Evidence
from outperform.inference.question import Asked
from outperform.models import Model
from outperform.models.chains import Diagnostics, Draws, Trace
from outperform.results import views
from outperform.results.base import SCHEMA_VERSION, Result, to_plain
from outperform.results.comparison import Comparison
from outperform.results.pairs import MIRRORED, Pair, beside, findings_of, shrinkage_note
from outperform.verdicts.decision import FEWEST_UNITS, Decision, ItemsAlone, RopeLike, as_rope
from outperform.verdicts.rule import UNDECIDED
from outperform.verdicts.several import Settled, Verdicts, settle
from outperform.verdicts.standings import Places, bands, letters
from outperform.verdicts.summary import FEWEST, Interval, check_mass, hdi, summarise_score, surprises

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Pair", "Ranked", "Ranking", "RankingEvidence"]

LEAN = 0.2  # P(Δ > 0) − P(Δ < 0) of systems that are exchangeable is far less
DIGITS = 9  # of expected ranks; what differs by less is in order of the names


@dataclass(frozen=True)
class Ranked:
    """One system: its score, its place, and the bands that it is in."""

    name: str
    observed: float | None
    mean: float
    sd: float
    hdi: Interval
    p_best: float
    rank: float
    rank_interval: Interval
    p_top: tuple[float, ...]  # to be among the best 1, 2, …
    bands: str


@dataclass(frozen=True, repr=False)
class Ranking(Result):
    """Any number of systems ranked together, the best first. Made by `op.rank`.

    Attributes
    ----------
    systems : tuple of Ranked
        In order of their expected rank.
    pairs : tuple of Pair
        Every two of them, in the same order.
    bands : tuple of tuples of str
        Largest groups of which no two are told apart: two systems are told apart if and only if no group has both.
    """

    signature: Signature
    measure: str
    average: str
    model: str
    prior: str
    items: float
    mass: float
    rope: Interval | None
    systems: tuple[Ranked, ...]
    pairs: tuple[Pair, ...]
    bands: tuple[tuple[str, ...], ...]
    frequentist: dict[str, float | None]
    notes: tuple[str, ...]
    sampler: Diagnostics | None  # of Markov chains
    verdicts: Verdicts  # of all pairs; without a ROPE, those that are told apart
    evidence: RankingEvidence = field(compare=False)

    def __getitem__(self, name: str) -> Ranked:
        """One system, by its name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise KeyError(f"no system {name!r}; there are {listing(system.name for system in self.systems)}")

    @property
    def draws(self) -> FloatArray:
        """Joint posterior draws of the scores, of shape (draws, systems), in the order in which they were given."""
        return self.evidence.scores

    def comparison(self, a: str, b: str) -> Comparison:
        """Two of the systems compared, by the draws of the ranking."""
        alone = self.evidence.comparison(a, b, self.rope, self.mass)
        pair, fdr = self._by_names[frozenset((a, b))], self.verdicts.fdr
        name = "" if pair.decision is None else pair.decision.name
        return replace(
            alone,
            signature=alone.signature if fdr is None else alone.signature.judged(fdr=f"{fdr:g}"),
            decision=Decision.of(name if a == pair.a else MIRRORED[name], a, b) if name else None,
            p_wrong=None if self.rope is None else pair.p_wrong,
            verdicts=self.verdicts,
        )

    @cached_property
    def _by_names(self) -> dict[frozenset[str], Pair]:
        return {frozenset((pair.a, pair.b)): pair for pair in self.pairs}

    def drawn(self) -> Draws:
        """Draws of all scores."""
        own = self.evidence
        return Draws({"score": own.scores}, {}, {"classifier": own.names}, {"score": ("classifier",)}, own.trace)

    def with_rope(self, rope: RopeLike | None) -> Ranking:
        """The same draws judged by another ROPE."""
        region = as_rope(rope, bounded=self.evidence.question.bounded, to_the_ends=True)
        return self.evidence.judge(region, self.mass, self.verdicts.fdr)

    def with_mass(self, mass: float) -> Ranking:
        """The same draws with intervals of another mass."""
        return self.evidence.judge(self.rope, check_mass(mass), self.verdicts.fdr)

    def records(self) -> Sequence[dict[str, Any]]:
        """A flat row for each system."""
        rows = []
        for system in self.systems:
            (low, high), (first, last) = system.hdi, system.rank_interval
            rows.append(
                {"measure": self.measure, "average": self.average, "system": system.name, "items": self.items}
                | {key: getattr(system, key) for key in ("observed", "mean", "sd")}
                | {"hdi_low": low, "hdi_high": high, "mass": self.mass, "p_best": system.p_best, "rank": system.rank}
                | {"rank_low": first, "rank_high": last, "bands": system.bands}
                | {f"p_top_{k}": p for k, p in enumerate(system.p_top, start=1)}
                | {"signature": self.signature}
            )
        return rows

    def plot(self, ax: Axes | None = None, *, kind: str = "ranking") -> Axes:
        """Draw a picture (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes
            New ones by default.
        kind : {"ranking", "pairs"}
            The systems with their HDIs and bands, or the verdict on every two of them.
        """
        return views.plot(self, ax, kind=kind)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON: the systems, the bands, and the pairs as comparisons."""
        plain: dict[str, Any] = to_plain(self)
        pairs = [self.comparison(pair.a, pair.b).to_dict() for pair in self.pairs]
        return {"schema_version": SCHEMA_VERSION} | plain | {"pairs": pairs}


@dataclass(frozen=True, eq=False)
class RankingEvidence:
    """Everything random about a ranking, drawn once.

    Attributes
    ----------
    scores : array of shape (draws, systems)
        In the order of `names`; drawn together, unless that is not wanted.
    copies : array of shape (systems, systems)
        Whether two systems put out the same.
    tests : callable
        From the numbers of two systems to the classical tests of the two.
    interchangeable : callable
        From the numbers of two systems to whether exchanging the two would change nothing.
    """

    question: Asked
    model: Model
    names: tuple[str, ...]
    items: float
    observed: FloatArray
    scores: FloatArray
    copies: NDArray[np.bool_]
    frequentist: dict[str, float | None]
    notes: tuple[str, ...]
    tests: Callable[[int, int], dict[str, float | None]]
    interchangeable: Callable[[int, int], bool]
    units: float = inf  # that are weighed without a prior
    grows: bool = True  # whether more of the same items would tell more
    trace: Trace | None = None  # of Markov chains
    plain: FloatArray | None = None  # scores by the items alone, where classes learn from each other
    unshrunk: FloatArray | None = None  # scores before systems were drawn together
    learned: bool = False  # whether the systems share a prior, so that the draws know how much systems differ

    @property
    def best_is_most(self) -> bool:
        """Whether the greatest score is the best."""
        return self.question.measure.greater_is_better

    @property
    def drawn(self) -> FloatArray:
        """Scores as the model has them, before systems were drawn together."""
        return self.scores if self.unshrunk is None else self.unshrunk

    @cached_property
    def diagnostics(self) -> Diagnostics | None:
        """How well the chains of the scores went, where there are chains."""
        return None if self.trace is None else self.trace.diagnose(*self.drawn.T)

    @cached_property
    def places(self) -> Places:
        """Of each system in each draw."""
        return Places.of(self.scores if self.best_is_most else -self.scores)

    @cached_property
    def order(self) -> list[int]:
        """Systems in order of their expected rank."""
        rank = self.copies @ self.places.rank.mean(axis=0) / self.copies.sum(axis=1)  # copies have no order
        return sorted(range(len(self.names)), key=lambda k: (round(float(rank[k]), DIGITS), self.names[k]))

    @cached_property
    def shrinkage_note(self) -> tuple[str, ...]:
        """How much systems are drawn together, and what that makes of the best one; nothing where it is little."""
        return shrinkage_note(self.names, self.order[0], self.drawn, self.scores)

    def judge(self, rope: Interval | None, mass: float, fdr: float | None = None) -> Ranking:
        """Put the systems in order and hold the ROPE against every two of them; `fdr` may withhold verdicts."""
        order = self.order
        alone = {(i, j): self._pair(i, j, rope, mass) for i, j in combinations(order, 2)}
        settled = self._settled(alone, rope, mass, fdr)
        pairs = beside(alone, settled)
        separated = np.zeros((len(order),) * 2, dtype=bool)
        for x, y in combinations(range(len(order)), 2):
            separated[x, y] = pairs[order[x], order[y]].separated
        groups = bands(separated)
        header = self.question.header(self.model, self.items, mass, rope)
        header.pop("class_")
        if fdr is not None:
            header["signature"] = header["signature"].judged(fdr=f"{fdr:g}")
        return Ranking(
            **header,
            mass=mass,
            rope=rope,
            systems=tuple(self._ranked(k, letters(groups, place), mass) for place, k in enumerate(order)),
            pairs=tuple(pairs.values()),
            bands=tuple(tuple(self.names[order[k]] for k in group) for group in groups),
            frequentist=self.frequentist,
            notes=self.notes + self.shrinkage_note + self._remarks(mass),
            sampler=self.diagnostics,
            verdicts=settled.verdicts,
            evidence=self,
        )

    def _settled(
        self, pairs: dict[tuple[int, int], Pair], rope: Interval | None, mass: float, fdr: float | None
    ) -> Settled:
        """What the verdicts on all pairs are worth."""
        best, barred = self.best_is_most, [self._barred(i, j, mass) for i, j in pairs]
        return settle(
            findings_of(pairs, self.scores, self.question.rule(rope or (0.0, 0.0)), barred),
            learned=self.learned,
            fdr=fdr,
            greater_is_better=best,
            systems=len(self.names),
        )

    def _barred(self, i: int, j: int, mass: float) -> bool:
        """Whether there is no verdict on two systems whatever the ROPE."""
        return self.units < FEWEST_UNITS or bool(self.copies[i, j]) or self._contradicted(i, j, mass)

    def _remarks(self, mass: float) -> tuple[str, ...]:
        """What is easily misread: as in a comparison, of the chains, of every score, and of pairs without a verdict."""
        own = () if self.diagnostics is None else self.diagnostics.remarks()
        columns = (np.ascontiguousarray(self.drawn[:, k]) for k in range(len(self.names)))
        scores = [
            summarise_score(name, observed, draws, mass)
            for name, observed, draws in zip(self.names, self.observed, columns, strict=True)
        ]
        own += surprises(scores, mass, weighed=self.model.weighs_alone)
        doubtful = [
            f"{self.names[i]} and {self.names[j]}"
            for i, j in combinations(range(len(self.names)), 2)
            if self._contradicted(i, j, mass)
        ]
        if not doubtful:
            return own
        return (
            *own,
            "Not told apart, because the items alone point elsewhere than what classes learn from each other: "
            f"{listing(doubtful, 4)}.",
        )

    @cached_property
    def _moved(self) -> FloatArray:
        """How far each mean was moved when systems were drawn together."""
        moved: FloatArray = self.scores.mean(axis=0) - self.drawn.mean(axis=0)
        return moved

    def _contradicted(self, i: int, j: int, mass: float) -> bool:
        """Whether the items alone point elsewhere than the posterior of the difference of two."""
        if self.plain is None or self.copies[i, j]:
            return False
        moved = float(self._moved[i] - self._moved[j])
        alone = ItemsAlone.of(self.observed[[i, j]], self.plain[:, [i, j]], moved)
        return alone is not None and alone.contradict(hdi(self.scores[:, i] - self.scores[:, j], mass))

    def comparison(self, a: str, b: str, rope: Interval | None, mass: float) -> Comparison:
        """Two of the systems compared."""
        for name in (a, b):
            if name not in self.names:
                raise ValueError(f"no system {name!r}; there are {listing(self.names)}")
        i, j = self.names.index(a), self.names.index(b)
        return Comparison.of(self._evidence(i, j), rope, mass)

    def _evidence(self, i: int, j: int) -> Evidence:
        return Evidence(
            question=self.question,
            model=self.model,
            names=(self.names[i], self.names[j]),
            items=self.items,
            observed=self.observed[[i, j]],
            scores=self.scores[:, [i, j]],
            frequentist=self.tests(i, j),
            notes=self.notes + self.shrinkage_note,
            units=self.units,
            exchangeable=self._exchangeable(i, j),
            grows=self.grows,
            trace=self.trace,
            plain=None if self.plain is None else self.plain[:, [i, j]],
            unshrunk=None if self.unshrunk is None else self.unshrunk[:, [i, j]],
        )

    def _exchangeable(self, i: int, j: int) -> bool:
        """Whether two are copies, or might as well be; which is looked at where draws of δ lean to neither side."""
        if (i, j) not in self._found:
            a, b = self.drawn[:, i], self.drawn[:, j]
            leans = abs(int(np.count_nonzero(a > b)) - int(np.count_nonzero(a < b))) >= LEAN * len(a)
            same = bool(self.copies[i, j]) or (not leans and self.interchangeable(i, j))
            self._found[i, j] = self._found[j, i] = same
        return self._found[i, j]

    @cached_property
    def _found(self) -> dict[tuple[int, int], bool]:
        """Which two are exchangeable, as far as it was looked at: the same under every ROPE."""
        return {}

    def _ranked(self, k: int, band: str, mass: float) -> Ranked:
        rank, (low, high) = self.places.rank[:, k], self.places.interval(k, mass)
        own = summarise_score(self.names[k], self.observed[k], np.ascontiguousarray(self.scores[:, k]), mass)
        top = tuple(float(p[k]) for p in self._tops)
        return Ranked(**vars(own), p_best=top[0], rank=float(rank.mean()), rank_interval=(low, high),
                      p_top=top, bands=band)  # fmt: skip

    @cached_property
    def _tops(self) -> list[FloatArray]:
        return [self.places.in_top(k) for k in range(1, len(self.names) + 1)]

    def _pair(self, i: int, j: int, rope: Interval | None, mass: float) -> Pair:
        draws = self.scores[:, i] - self.scores[:, j]
        interval, same, decision = hdi(draws, mass), self._exchangeable(i, j), None
        few = self.units < FEWEST_UNITS or self._contradicted(i, j, mass)
        if rope is not None:
            name = UNDECIDED if few else self.question.rule(rope).of_draws(draws, interval, mass, exchangeable=same)
            decision = Decision.of(name, self.names[i], self.names[j])
            separated = name in ("better", "worse")
        else:
            told = not few and len(draws) >= FEWEST and not same
            separated = told and (interval[0] > 0 or interval[1] < 0)
        less, greater = (float(np.count_nonzero(side) / len(draws)) for side in (draws < 0, draws > 0))
        return Pair(self.names[i], self.names[j], float(draws.mean()), interval, less, greater, separated, decision)
