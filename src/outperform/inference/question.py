"""Questions about counts, validated once: measure, average, draws, seed, mass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, TypedDict

import numpy as np
from numpy.random import SeedSequence

from outperform.base.errors import listing, unknown
from outperform.base.limits import check_draws
from outperform.base.sentences import invalid
from outperform.base.signature import ITEMS, Signature, digest
from outperform.base.version import __version__
from outperform.data.contingency import Contingency, FloatArray, combine
from outperform.data.counts import Counts
from outperform.data.labels import Label, positive_label
from outperform.device import Device, as_device
from outperform.measures.averages import AVERAGES, CONTRIBUTIONS, averaged
from outperform.measures.of_counts import Measure, MeasureFunction, resolve
from outperform.measures.of_items import ItemMeasure
from outperform.models import Model
from outperform.models.posterior import Rng, as_seed
from outperform.verdicts.interval import Interval
from outperform.verdicts.rule import Rule
from outperform.verdicts.rules import rule_for

__all__ = ["EXACT", "EXPANSION", "AllSettings", "CountQuestion", "Question", "Settings", "Stream", "check_engine"]

OFF = 0.7071  # of the hits, so that a function is not tried where it happens to be the same in both units
UNIT = 1e-4  # relative change of an own function of the table, in another unit, that may be rounding
ENGINES, EXACT, EXPANSION = ("auto", "draws"), "exact", "expansion"


class Stream(IntEnum):
    """What random numbers of a question are for; each has a stream of its own."""

    SCORES = 0
    PRIOR = 1
    TESTS = 1  # of items, which have no draws of a prior
    RUNS = 2
    ITEMS_ALONE = 3
    UNSEEN = 4
    EXPANSION = 5
    BEYOND = 6


class Settings(TypedDict, total=False):
    """Keywords that several verbs share, for their signatures."""

    truth: Any
    measure: str | Callable[..., Any]
    pos_label: Label | None
    labels: Iterable[Label] | None
    model: Model | str | None
    prior: Any
    mass: float
    draws: int | None
    engine: str
    zero_division: float
    rng: Rng
    device: str | None


class AllSettings(Settings, total=False):
    """The same, and the keywords that decide the type of the result."""

    by: Any
    average: str | None


@dataclass(frozen=True)
class Question:
    """A question: everything but the data, the model and the ROPE."""

    measure: Measure | ItemMeasure
    average: str
    draws: int | None
    seed: int
    shrink: bool | None = field(default=None, kw_only=True)  # of rankings, if it makes a difference
    device: Device | None = field(default=None, kw_only=True)  # None for NumPy
    engine: str = field(default="draws", kw_only=True)  # "auto" for few or no draws if possible; how, once it is known

    @property
    def class_(self) -> Label | None:
        """The class that the result is about, if there is one result per class."""
        return None

    @property
    def bounded(self) -> bool:
        """Whether scores lie between -1 and 1, and so does a ROPE."""
        return self.measure.bounded

    @property
    def counted_as(self) -> dict[str, Any]:
        """How the data were counted, for the signature."""
        return {}

    @property
    def details(self) -> dict[str, Any]:
        """What else the measure depends on, for the signature."""
        return {}

    @property
    def _engine(self) -> dict[str, Any]:
        """That there were fewer joint draws than there are scores, for the signature."""
        return {"engine": EXPANSION} if self.engine == EXPANSION else {}

    @property
    def _own_code(self) -> dict[str, Any]:
        """A digest of a user's function, for the signature, because its name is not unique."""
        function = self.measure.own_function
        code = None if function is None else digest(function)
        return {} if code is None else {"code": code}

    def seed_of(self, stream: Stream) -> SeedSequence:
        """Return the seed of random numbers for one purpose."""
        return SeedSequence(self.seed, spawn_key=(int(stream),))

    def rule(self, rope: Interval) -> Rule:
        """Return the rule by which differences of the measure are judged."""
        return rule_for(rope, greater_is_better=self.measure.greater_is_better)

    def header(self, model: Model, items: float, mass: float, rope: Interval | None = None) -> dict[str, Any]:
        """Return the fields of every result that describe how it was made."""
        return {
            "signature": self.signature(model, items, mass, rope),
            "measure": self.measure.name,
            "average": self.average,
            "model": model.name,
            "prior": _named(model),
            "items": items,
            "class_": self.class_,
        }

    def signature(self, model: Model, items: float, mass: float, rope: Interval | None = None) -> Signature:
        """Return everything that could change the numbers, in one line."""
        parts = {
            "outperform": __version__,
            "numpy": np.__version__,
            **({} if self.device is None else self.device.settings),
            "model": model.name,
            "prior": _named(model),
            **model.settings,
            **self.counted_as,
            "measure": self.measure.name,
            **self._own_code,
            "average": self.average,
            **self.details,
            **({} if self.measure.greater_is_better else {"better": "lower"}),
            **({} if self.shrink is None else {"shrink": "yes" if self.shrink else "no"}),
            **({"engine": "exact"} if self.engine == EXACT else {"draws": self.draws or "usual", "seed": self.seed}),
            "mass": mass,
            "rope": "none" if rope is None else f"{rope[0]},{rope[1]}",
            ITEMS: items,
        }
        return Signature.of(parts)


@dataclass(frozen=True)
class CountQuestion(Question):
    """A question about counts."""

    measure: Measure
    classes: int
    positive: Label | None = None
    from_one: bool = False  # two classes, of which models describe the positive one alone
    counted: str = ""  # how chunks were counted

    @classmethod
    def check(
        cls,
        measure: str | MeasureFunction,
        average: str | None,
        counts: Counts,
        pos_label: Label | None = None,
        *,
        draws: int | None,
        rng: Rng,
        zero_division: float = 0.0,
        device: str | None = None,
        engine: str = "draws",
    ) -> CountQuestion:
        """Validate the settings. Without an average, many classes take the measure's form for the whole table."""
        if counts.slices:
            raise ValueError(
                f"these counts are of {len(counts.slices)} slices ({listing(counts.slices, 4)}), each of which compare "
                "answers for; take counts.together() for all of them, or counts.slice(…) for one"
            )
        counts.checked()
        if average is not None and average not in AVERAGES:
            raise ValueError(unknown("average", average, AVERAGES))
        known = resolve(measure, zero_division)
        if average is None:
            obvious = set(counts.labels) in ({0, 1}, {-1, 1})  # the positive class is obvious
            whole = pos_label is None and known.multiclass is not None and not obvious
            types = counts.no_true_negatives and counts.groups and pos_label is None
            average = "micro" if types else "multiclass" if whole else "binary"
        _check_countable(known, average, counts)
        if counts.groups and average in ("binary", "multiclass") and pos_label is None:
            found = f"an item may have any of {len(counts.groups)} labels"
            advice = "give {average} as micro, macro, weighted, samples or per_class, or one label as {pos_label}"
            raise invalid("{found}: " + advice, found=found)
        if pos_label is not None and average != "binary":
            raise invalid("{pos_label} and {average:{given}} exclude each other; leave one out", given=average)
        positive = positive_label(counts.classes, pos_label) if average == "binary" else None
        from_one = not counts.many
        many, seed = len(counts.classes), as_seed(rng)
        made = cls(known, average, check_draws(draws), seed, many, positive, from_one, counts.how)
        made.check_unit(counts)
        return replace(made, engine=check_engine(engine), device=as_device(device))

    @classmethod
    def of_settings(cls, settings: Settings, average: str | None, counts: Counts) -> CountQuestion:
        """Validate the keywords of a verb."""
        return cls.check(
            settings["measure"],
            average,
            counts,
            settings["pos_label"],
            draws=settings["draws"],
            rng=settings["rng"],
            zero_division=settings["zero_division"],
            device=settings.get("device"),
            engine=settings.get("engine", "draws"),
        )

    def check_unit(self, counts: Counts) -> None:
        """Refuse a user's function whose value depends on the unit of items, which draws have another one of."""
        if self.measure.own_function is None or not counts.n.any() or counts.by_item:
            return
        table = (counts if self.positive is None else counts.binary(self.positive)).contingency()
        table = replace(table, hit=table.hit * OFF)
        score = self.by_class if self.average == "per_class" else self.score
        of_items, of_shares = (score(combine(lambda x, unit=u: x * unit, table)) for u in (1.0, 1 / counts.n.sum()))
        if not np.allclose(of_items, of_shares, rtol=UNIT, atol=UNIT, equal_nan=True):
            name = self.measure.name
            found = f"measure {name!r} changes with the unit of hit, support, predicted and total, which is arbitrary"
            raise invalid("{found}; use tp, fp, fn and tn, which are shares of all items, or ratios", found=found)

    @property
    def class_(self) -> Label | None:
        """The class that the result is about, if there is one result per class."""
        return self.positive if self.average == "per_class" else None

    @property
    def counted_as(self) -> dict[str, Any]:
        """How chunks were counted."""
        return {"chunks": self.counted} if self.counted else {}

    @property
    def details(self) -> dict[str, Any]:
        """The positive class and the value of 0/0."""
        positive = {} if self.positive is None else {"positive": self.positive}
        return positive | {"zero_division": f"{self.measure.zero_division:g}"} | self._engine

    @property
    def scores_classes(self) -> bool:
        """Whether the score is a sum over classes, or there is one per class."""
        return self.average in CONTRIBUTIONS or (self.average == "per_class" and self.positive is None)

    def score(self, c: Contingency) -> FloatArray:
        """Return one score per classifier."""
        if self.positive is not None:
            return self.measure(c)
        return averaged(self.average, self.measure, self._every_class(c))

    def by_class(self, c: Contingency) -> FloatArray:
        """Return the contribution of each class to the score, or its score; the classes come last."""
        return CONTRIBUTIONS.get(self.average, Measure.__call__)(self.measure, self._every_class(c))

    def class_scores(self, c: Contingency) -> FloatArray | None:
        """Return the score of each class, if they are averaged; the classes come last."""
        return self.measure(self._every_class(c)) if self.average in CONTRIBUTIONS else None

    def _every_class(self, c: Contingency) -> Contingency:
        return c.both() if self.from_one and self.average != "samples" else c


def check_engine(engine: str) -> str:
    """Validate the engine."""
    if engine not in ENGINES:
        raise ValueError(unknown("engine", engine, ENGINES))
    return engine


def _check_countable(measure: Measure, average: str, counts: Counts) -> None:
    """Raise an error for what cannot be computed from the counts."""
    if average == "samples" and counts.units is None:
        needs = "is for items that may have any number of labels; give label sets, or count them with {by_item:True}"
        reason = "is not implemented for counts by fold; use another average" if counts.folds else needs
        raise invalid("{average:samples} " + reason)
    if average != "samples" and counts.by_item:
        raise invalid("counts by item support only {average:samples}; count the labels for other averages")
    if not counts.no_true_negatives:
        return
    if not counts.groups and average not in ("binary", "samples"):
        raise invalid(
            "{average:{given}} needs types of chunk, as in B-PER; these have none, leave {average} out", given=average
        )
    one = np.ones(1)
    if np.isnan(measure(Contingency(one, 2 * one, 2 * one, np.nan * one))).any():
        raise ValueError(
            f"{measure.name} needs true negatives, which chunks do not have; "
            "use f1, precision, recall, f_beta, jaccard or fowlkes_mallows"
        )


def _named(model: Model) -> str:
    return "default" if model.prior is None else str(model.prior)
