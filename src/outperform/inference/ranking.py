"""Evidence of any number of systems: their order, and the differences of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.cores import on_all_cores
from outperform.base.errors import listing
from outperform.base.lazy import changed, remembered
from outperform.data.contingency import FloatArray
from outperform.formats import numbers
from outperform.inference.alike import beyond_of, not_alike
from outperform.inference.evidence import PairEvidence, SeveralEvidence
from outperform.models.shrinkage import pulled
from outperform.verdicts.interval import Interval, hdi, hdis
from outperform.verdicts.marginal import Sampled
from outperform.verdicts.rule import EQUIVALENT
from outperform.verdicts.standings import Places
from outperform.verdicts.summary import surprises

__all__ = ["RankingEvidence"]

LEAN = 0.2  # |P(Δ > 0) − P(Δ < 0)| of exchangeable systems is far smaller
DIGITS = 9  # of expected ranks; ties are sorted by name
AT_ONCE = 2**20  # draws of differences whose HDIs are computed at a time, on one core
LEAST_PULL, LEAST_MOVE = 0.01, 0.1  # share of differences, and sd of a system, from which shrinkage is reported


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingEvidence(SeveralEvidence):
    """Evidence of any number of systems, which are ranked.

    Attributes
    ----------
    copies : array of shape (systems, systems)
        Whether two systems have identical outputs.
    tests : callable
        Function from the numbers of two systems to their classical tests.
    interchangeable : callable
        Function from the numbers of two systems to whether exchanging them changes nothing.
    learned : bool
        Whether the systems share a prior, so that the draws account for how much systems differ.
    """

    copies: NDArray[np.bool_]
    tests: Callable[[int, int], dict[str, float | None]]
    interchangeable: Callable[[int, int], bool]
    learned: bool = False

    @property
    def best_is_most(self) -> bool:
        """Whether the greatest score is the best."""
        return self.question.measure.greater_is_better

    @cached_property
    def places(self) -> Places:
        """The place of each system in each draw."""
        return Places.of(self.scores if self.best_is_most else -self.scores)

    @cached_property
    def order(self) -> list[int]:
        """Systems in order of their expected rank."""
        rank = self.copies @ self.places.rank.mean(axis=0) / self.copies.sum(axis=1)  # copies have equal ranks
        return sorted(range(len(self.names)), key=lambda k: (round(float(rank[k]), DIGITS), self.names[k]))

    @cached_property
    def shrinkage_note(self) -> tuple[str, ...]:
        """A note on how much systems were shrunk, and its effect on the best one; empty if little."""
        return _shrinkage_note(self.names, self.order[0], self.drawn, self.scores)

    @cached_property
    def _rows(self) -> tuple[FloatArray, FloatArray]:
        """Draws of the scores, and those before shrinkage, of shape (systems, draws): next to each other in memory."""
        rows = np.ascontiguousarray(self.scores.T)
        return rows, rows if self.unshrunk is None else np.ascontiguousarray(self.unshrunk.T)

    def between(self, i: int, j: int) -> Sampled:
        """Return the posterior of the difference of two systems."""
        rows, _ = self._rows
        return Sampled(rows[i] - rows[j])

    def hdi(self, i: int, j: int, mass: float) -> Interval:
        """Return the HDI of the difference of two systems, the first of which comes first in the order."""
        return self._hdis(mass)[i, j]

    def wider_hdi(self, i: int, j: int, mass: float) -> Interval | None:
        """Return the HDI of a difference that ≈ must pass as well; None if there is none."""
        return self._wider(mass)[i, j] if self._widens else None

    @property
    def _widens(self) -> bool:
        """Whether systems were shrunk, or unobserved items could differ more than the draws allow for."""
        return self.unshrunk is not None or (self.unseen is not None and bool(self.unseen.beyond.any()))

    @remembered
    def _hdis(self, mass: float) -> dict[tuple[int, int], Interval]:
        """The HDIs of all pairs."""
        rows, _ = self._rows
        return _hdis_of_pairs(lambda i, others: rows[i] - rows[others], self, mass)

    @remembered
    def _wider(self, mass: float) -> dict[tuple[int, int], Interval]:
        """The HDIs of all pairs that ≈ must pass as well."""
        _, before = self._rows

        def differences(i: int, others: list[int]) -> FloatArray:
            added = np.array([[beyond_of(self.unseen, self.names, i, j)] for j in others]) * self.unit
            return np.asarray(before[i] - before[others] + added)

        return _hdis_of_pairs(differences, self, mass)

    def contradicted(self, i: int, j: int, hdi: Interval) -> bool:
        """Return whether the items alone contradict the posterior of the difference of two, with this HDI."""
        return not self.copies[i, j] and super().contradicted(i, j, hdi)

    def barred(self, i: int, j: int, hdi: Interval) -> bool:
        """Return whether there is no verdict on two systems for any ROPE."""
        return self.groundless or self.contradicted(i, j, hdi)

    def remarks(self, rope: Interval | None, mass: float) -> tuple[str, ...]:
        """Return notes on what is easily misread: on the chains, on every score, and on pairs without a verdict."""
        remarks = () if self.diagnostics is None else self.diagnostics.remarks()
        remarks += surprises(changed(self, scores=self.drawn).summaries(mass), mass, weighed=self.model.weighs_alone)
        if rope is not None:
            remarks += not_alike(
                self.question.rule(rope), self.names, self.unshrunk, self._made_alike(rope, mass), mass
            )
        doubtful = [f"{self.names[i]} and {self.names[j]}" for i, j in self._doubtful(mass)]
        if not doubtful:
            return remarks
        return (
            *remarks,
            "Not distinguishable, because the items alone contradict what classes learn from each other: "
            f"{listing(doubtful, 4)}. Ranks and P(best) depend on what classes learn, too.",
        )

    def _made_alike(self, rope: Interval, mass: float) -> list[tuple[int, int]]:
        """Return the pairs that are equivalent only because of an assumption."""
        if not self._widens or self.groundless:
            return []
        rule, every = self.question.rule(rope), self._hdis(mass)
        same = rule.outcomes(*np.array(list(every.values())).T) == EQUIVALENT
        alike = [pair for pair, equal in zip(every, same, strict=True) if equal]
        return [pair for pair in alike if rule.outcome(self._wider(mass)[pair]) != EQUIVALENT]

    def _doubtful(self, mass: float) -> list[tuple[int, int]]:
        """Return the pairs whose items contradict their posterior."""
        if self.plain is None:
            return []
        every = combinations(range(len(self.names)), 2)
        return [(i, j) for i, j in every if self.contradicted(i, j, hdi(self.scores[:, i] - self.scores[:, j], mass))]

    def pair(self, a: str, b: str) -> PairEvidence:
        """Return the evidence of two of the systems, by name."""
        for name in (a, b):
            if name not in self.names:
                raise ValueError(f"no system {name!r}; there are {listing(self.names)}")
        i, j = self.names.index(a), self.names.index(b)
        tests: Any = partial(self.tests, i, j)
        return PairEvidence(
            question=self.question,
            model=self.model,
            names=(a, b),
            items=self.items,
            observed=self.observed[[i, j]],
            scores=self.scores[:, [i, j]],
            frequentist=tests,
            notes=self.notes + self.shrinkage_note,
            units=self.units,
            remedy=self.remedy,
            exchangeable=self.exchangeable(i, j),
            grows=self.grows,
            trace=self.trace,
            plain=None if self.plain is None else self.plain[:, [i, j]],
            unshrunk=None if self.unshrunk is None else self.unshrunk[:, [i, j]],
            unseen=None if self.unseen is None else self.unseen.select([i, j]),
        )

    def exchangeable(self, i: int, j: int) -> bool:
        """Return whether two are copies or exchangeable; checked only if the draws of δ lean to neither side."""
        return self._exchangeable(min(i, j), max(i, j))

    @remembered
    def _exchangeable(self, i: int, j: int) -> bool:
        a, b = (self._rows[1][k] for k in (i, j))
        leans = abs(int(np.count_nonzero(a > b)) - int(np.count_nonzero(a < b))) >= LEAN * len(a)
        return bool(self.copies[i, j]) or (not leans and self.interchangeable(i, j))


def _hdis_of_pairs(
    differences: Callable[[int, list[int]], FloatArray], evidence: RankingEvidence, mass: float
) -> dict[tuple[int, int], Interval]:
    """Return the HDIs of all pairs, from draws of the differences of one system to some others."""
    order = evidence.order
    size = max(1, AT_ONCE // len(evidence.scores))
    tasks = [(i, order[start : start + size]) for x, i in enumerate(order) for start in range(x + 1, len(order), size)]
    found = on_all_cores(lambda task: hdis(differences(*task), mass).tolist(), tasks, None if len(order) > 10 else 1)
    return {
        (i, j): (low, high)
        for (i, others), ends in zip(tasks, found, strict=True)
        for j, (low, high) in zip(others, ends, strict=True)
    }


def _shrinkage_note(names: Sequence[str], first: int, before: FloatArray, after: FloatArray) -> tuple[str, ...]:
    """Return a note on how much systems were shrunk, and its effect on the first; empty if little."""
    share, sds = pulled(before, after), after.std(axis=0)
    alone, together = (float(x[:, first].mean()) for x in (before, after))
    if share < LEAST_PULL and abs(alone - together) <= LEAST_MOVE * sds.mean():
        return ()
    digits = numbers.decimals(float(sds[first]) or 0.001)
    less = numbers.share(share) if share >= LEAST_PULL else f"less than {numbers.share(LEAST_PULL)}"
    return (
        f"Systems are shrunk towards similar ones, which reduces differences by {less} on average: the mean of "
        f"{names[first]} is {numbers.score(together, digits)} with shrinkage and {numbers.score(alone, digits)} "
        f"without. The best of {len(names)} systems is partly lucky.",
    )
