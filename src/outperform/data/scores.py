"""Per-item scores of several systems, given directly or read from evaluation logs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from outperform.base.errors import count, listing
from outperform.base.limits import check_truth_value
from outperform.data.columns import as_numbers, called, check_mapping, check_order, check_same_rows
from outperform.data.contingency import FloatArray

__all__ = ["Scores"]


@dataclass(frozen=True, eq=False)
class Scores:
    """Per-item scores of several systems on the same items, in the same order.

    Attributes
    ----------
    metric : str
        Name of the measure, as in the log.
    values : dict from system to array
        Scores of shape (items,), or (items, runs) where a system was run several times on each item.
    ids : tuple
        Ids of the items; empty if items are matched by their order.
    cluster, strata : sequences or None
        What each item belongs to, if known.
    greater_is_better : bool or None
        The direction according to the logs; None if they do not say.
    """

    metric: str
    values: dict[str, FloatArray]
    ids: tuple[Hashable, ...] = ()
    cluster: Any = None
    strata: Any = None
    greater_is_better: bool | None = None

    @classmethod
    def of(cls, given: Any, cluster: Any = None, strata: Any = None) -> Scores:
        """Validate scores and bring systems into the same order of items."""
        if isinstance(given, Scores):
            beside = given.cluster if cluster is None else cluster
            return replace(given, cluster=beside, strata=strata)
        check_mapping(given)
        ids: list[Hashable] = []
        if any(isinstance(values, Mapping) for values in given.values()):
            given, ids = _by_id(given)
            cluster, strata = (_in_order(of, ids, what) for of, what in ((cluster, "cluster"), (strata, "strata")))
        elif isinstance(cluster, Mapping) or isinstance(strata, Mapping):
            raise ValueError("cluster and strata by id need scores by id; give all of them as {id: …}")
        check_order({called(name): values for name, values in given.items()} | {"cluster": cluster, "strata": strata})
        columns = {str(name): as_numbers(values, called(name)) for name, values in given.items()}
        check_same_rows({called(name): column for name, column in columns.items()})
        return cls("score", columns, tuple(ids), cluster, strata)

    def direction(self, wanted: bool | None) -> bool:
        """Return whether greater is better: as requested, else as in the logs, else True."""
        ways = (way for way in (wanted, self.greater_is_better) if way is not None)
        said = [check_truth_value(way, "greater_is_better") for way in ways]
        if len(set(said)) > 1:
            raise ValueError(
                f"the logs say that a {'lower' if wanted else 'greater'} {self.metric} is better; "
                f"leave greater_is_better={wanted} out"
            )
        return said[0] if said else True

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order of the logs."""
        return tuple(self.values)

    @property
    def items(self) -> int:
        """Number of items."""
        return len(next(iter(self.values.values())))

    @property
    def by_run(self) -> tuple[FloatArray, ...]:
        """Scores per system, of shape (items, runs)."""
        return tuple(values.reshape(len(values), -1) for values in self.values.values())

    @property
    def binary(self) -> bool:
        """Whether there is one run, and all scores are 0 or 1."""
        return all(values.shape[1] == 1 and ((values == 0) | (values == 1)).all() for values in self.by_run)

    def __repr__(self) -> str:
        groups = "" if self.cluster is None else f", clusters={len(set(self.cluster))}"
        return f"Scores(metric={self.metric!r}, systems={list(self.values)}, items={self.items}{groups})"


def _by_id(scores: Mapping[str, Any]) -> tuple[dict[str, list[Any]], list[Hashable]]:
    """Return the scores of all systems in the order of the first one's ids, and the ids."""
    names = list(scores)
    for name, values in scores.items():
        if not isinstance(values, Mapping):
            raise TypeError(f"{called(name)} has scores without ids where others have {{id: score}}; give ids to all")
    first = scores[names[0]]
    for name in names[1:]:
        for have, lack in ((names[0], name), (name, names[0])):
            absent = scores[have].keys() - scores[lack].keys()
            if absent:
                verb = "has" if len(absent) == 1 else "have"
                raise ValueError(
                    f"{count(len(absent), 'item')} of {called(have)} {verb} no score from {called(lack)}: "
                    f"{listing(sorted(absent, key=str), 5)}; both must be scored on the same items"
                )
    return {name: [values[key] for key in first] for name, values in scores.items()}, list(first)


def _in_order(of: Any, ids: list[Hashable], what: str) -> Any:
    """Return clusters or strata in the order of the ids."""
    if not isinstance(of, Mapping):
        if of is None:
            return None
        raise ValueError(f"scores go by id, so {what} must too; give it as {{id: …}}")
    absent = [key for key in ids if key not in of]
    if absent:
        raise ValueError(f"{what} lacks {len(absent)} of {len(ids)} items: {listing(absent, 5)}; give one for each")
    return [of[key] for key in ids]
