"""Results of planning: the power of studies, and how many more items are needed; they hold the simulated studies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outperform.base.limits import check_between
from outperform.base.sentences import invalid
from outperform.base.signature import Signature
from outperform.data.labels import Label
from outperform.formats import numbers
from outperform.planning.judging import Studies
from outperform.planning.search import Search
from outperform.results import views
from outperform.results.base import Plain
from outperform.verdicts.decision import OUTCOMES
from outperform.verdicts.goals import Goal
from outperform.verdicts.interval import Interval
from outperform.verdicts.outlook import UNEVEN
from outperform.verdicts.summary import PairingWorth

__all__ = ["Plan", "Point", "Power", "plan_for", "settings"]


ROWS = (
    "Weights differ: {effect:.3g} rows carry as much information as one item (the design effect), so {items} more "
    "items are about {rows} more rows whose weights differ as much."
)
CONTRADICTED = (
    "the pilot has no verdict, because its items alone contradict what classes learn from each other, so the number of "
    "items for {goal:{given!r}} cannot be predicted; take another {prior}, or a width in place of a goal"
)
TOGETHER = "Items are those of both test sets together, in their current proportions."


@dataclass(frozen=True)
class Point:
    """Studies of one size: the share that reached the goal, its Monte-Carlo error, and the share of each verdict."""

    items: int
    reached: float
    error: float
    verdicts: dict[str, float] | None

    @classmethod
    def of(cls, items: int, low: NDArray[np.float64], high: NDArray[np.float64], worth: float, goal: Goal) -> Point:
        """Count the outcomes of HDIs with these ends, worth so many judged studies."""
        share, names = float(goal.reached(low, high).mean()), goal.outcomes(low, high)
        verdicts = None if names is None else {name: float((names == name).mean()) for name in OUTCOMES}
        return cls(items, share, float(np.sqrt(share * (1 - share) / worth)), verdicts)


@dataclass(frozen=True, repr=False)
class Power(Plain):
    """How often studies reach their goal, by size. Created by `op.power`."""

    signature: Signature
    measure: str
    average: str
    model: str
    prior: str
    items: float  # of the pilot that studies start with
    class_: Label | None
    a: str
    b: str
    goal: str
    rope: Interval | None
    width: float | None
    mass: float
    truth: str  # the scenario, or what scenarios are drawn from
    delta: float  # the true difference, or the mean of the possible ones
    studies: int
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()
    simulated: Simulated | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def hdis(self) -> NDArray[np.float64]:
        """Return the HDI of δ in every study at every size, of shape (sizes, studies, 2).

        As precise as the verdict requires: if no border is near, ends may be off by 0.2 of their sd at 100 items, by
        0.01 at 2,000.
        """
        studies = self._simulated().studies
        return np.stack([studies.low, studies.high], axis=-1)

    @property
    def outcomes(self) -> NDArray[np.str_]:
        """Return the verdict of every study at every size, of shape (sizes, studies).

        A study grows from size to size, except in plans for more than two classes.
        """
        simulated = self._simulated()
        names = simulated.goal.outcomes(simulated.studies.low, simulated.studies.high)
        if names is None:
            raise invalid("without a ROPE there are no verdicts; give one with {rope}")
        return names

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Return whether the goal was reached, of shape (sizes, studies)."""
        simulated = self._simulated()
        return simulated.goal.reached(simulated.studies.low, simulated.studies.high)

    def records(self) -> Sequence[dict[str, Any]]:
        """Return a flat row per size."""
        return [
            {"items": p.items, "goal": self.goal, "reached": p.reached, "error": p.error}
            | {name: None if p.verdicts is None else p.verdicts[name] for name in OUTCOMES}
            | {"signature": self.signature}
            for p in self.points
        ]

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot the curve (SIGIR'16 Figure 5; needs matplotlib)."""
        return views.plot(self, ax)

    def _simulated(self) -> Simulated:
        if self.simulated is None:
            raise ValueError("this was read back without its studies; run it again for their outcomes")
        return self.simulated


@dataclass(frozen=True, eq=False)
class Simulated:
    """The studies behind a curve, and their goal."""

    studies: Studies
    goal: Goal


@dataclass(frozen=True, repr=False)
class Plan(Power):
    """How many more items reach a goal with a given probability. Created by `op.plan` and `more_data()`.

    The points of the curve are at numbers of further items.
    """

    power: float = field(kw_only=True)
    further: int = field(kw_only=True)
    interval: tuple[int, int] = field(kw_only=True)  # 95%, of the Monte-Carlo error
    limit: float = field(kw_only=True)  # the probability of reaching the goal with unlimited items
    pairing: PairingWorth | None = field(kw_only=True)  # of all items, those of the pilot and the further ones
    if_so: int | None = field(default=None, kw_only=True)  # about how many, if the pilot's mean difference were true

    def records(self) -> Sequence[dict[str, Any]]:
        """Return one flat row: what was asked, and how many more items."""
        asked = {"goal": self.goal, "width": self.width, "power": self.power, "items": self.items}
        low, high = self.interval
        found = {"further": self.further, "further_low": low, "further_high": high, "further_if_so": self.if_so}
        worth = {"limit": self.limit, "pairing_factor": None if self.pairing is None else self.pairing.factor}
        what = {"measure": self.measure, "average": self.average, "a": self.a, "b": self.b, "mass": self.mass}
        start, end = self.rope or (None, None)
        return [what | {"rope_low": start, "rope_high": end} | asked | found | worth | {"signature": self.signature}]

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot the curve and where it crosses the target probability (needs matplotlib)."""
        return views.plot(self, ax)


def plan_for(search: Search, power: float, items: float, truth: str = "", hdi: Interval | None = None) -> Plan:
    """Search for the number of further items; raise a ValueError if unlimited items would not suffice."""
    power = check_between(power, "power", ", as in 0.8")
    goal, limit = search.judge.goal, search.limit()
    if goal.name != "precise" and search.contradicted():
        raise invalid(CONTRADICTED, given=goal.name)
    if limit < power:
        reason = (
            f"the goal {goal.name!r} is out of reach: the difference is {goal.wanted()} with probability {limit:.2f} "
            "only, so even unlimited items would not reach it more often"
        )
        advice = "ask for less than {power:{given:g}}, or for another goal"
        raise invalid("{reason}; " + advice, reason=reason, given=power)
    found, pairs = search.further(power, hdi), search.judge.model.pairs
    header = settings(search, items, truth or f"posterior of {items:g} items", found.studies)
    header["signature"] = header["signature"].but(power=f"{power:g}")
    effect = search.population.cells.effect
    if effect > UNEVEN and found.items:
        items_and_rows = {"items": numbers.about(found.items), "rows": numbers.about(effect * found.items)}
        header["notes"] += (ROWS.format(effect=effect, **items_and_rows),)
    return Plan(
        **header,
        power=power,
        further=found.items,
        interval=found.interval,
        limit=limit,
        pairing=PairingWorth.of(search.drawn, items + found.items) if pairs else None,
        if_so=search.if_so(power) if found.items else None,
    )


def settings(search: Search, items: float, truth: str, studies: Studies | None) -> dict[str, Any]:
    """Return the fields that a power and a plan share."""
    judge, goal, number = search.judge, search.judge.goal, search.studies
    header = judge.question.header(judge.model, items, judge.mass, goal.rope)
    width = {} if goal.width == np.inf else {"width": f"{goal.width:g}"}
    header["signature"] = header["signature"].but(goal=goal.name, **width, truth=truth, studies=number)
    notes = () if judge.cells.paired or judge.cells.no_true_negatives else (TOGETHER,)
    points: list[Point] = []
    if studies is not None:
        rows = zip(studies.sizes, studies.low, studies.high, studies.worth, strict=True)
        points = [Point.of(*row, goal) for row in rows]
    a, b = judge.cells.classifiers
    return header | {
        "a": a,
        "b": b,
        "goal": goal.name,
        "rope": goal.rope,
        "width": None if goal.width == np.inf else goal.width,
        "mass": judge.mass,
        "truth": truth,
        "delta": float(search.worlds.mean()),
        "studies": number,
        "notes": notes,
        "points": tuple(points),
        "simulated": None if studies is None else Simulated(studies, goal),
    }
