"""Scores of items as they are given: by position or by id, once or in several runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from outperform.columns import called, check_mapping
from outperform.contingency import FloatArray
from outperform.errors import listing
from outperform.io.scores import Scores
from outperform.items.rows import as_numbers, check_same_rows

__all__ = ["ItemScores"]


@dataclass(frozen=True, eq=False)
class ItemScores:
    """Scores of each system, of shape (items, runs), and what the items belong to."""

    values: dict[str, FloatArray]
    cluster: Any = None
    strata: Any = None
    metric: str = "score"

    @classmethod
    def of(cls, scores: Any, cluster: Any = None, strata: Any = None) -> ItemScores:
        """Check what was given, and bring systems into the same order of items."""
        metric = "score"
        if isinstance(scores, Scores):
            cluster = scores.cluster if cluster is None else cluster
            scores, metric = scores.values, scores.metric
        check_mapping(scores)
        if any(isinstance(own, Mapping) for own in scores.values()):
            scores, ids = _by_id(scores)
            cluster, strata = (_in_order(of, ids, what) for of, what in ((cluster, "cluster"), (strata, "strata")))
        elif isinstance(cluster, Mapping) or isinstance(strata, Mapping):
            raise ValueError("cluster and strata by id need scores by id; give all of them as {id: …}")
        columns = {str(name): as_numbers(own, called(name)) for name, own in scores.items()}
        check_same_rows({called(name): column for name, column in columns.items()})
        return cls({name: own.reshape(len(own), -1) for name, own in columns.items()}, cluster, strata, metric)

    @property
    def items(self) -> int:
        """How many there are."""
        return len(next(iter(self.values.values())))

    @property
    def binary(self) -> bool:
        """Whether there is one run, and all scores are 0 or 1."""
        return all(own.shape[1] == 1 and ((own == 0) | (own == 1)).all() for own in self.values.values())


def _by_id(scores: Mapping[str, Any]) -> tuple[dict[str, list[Any]], list[Hashable]]:
    """Scores of all systems in the order of the first one's ids."""
    names = list(scores)
    for name, own in scores.items():
        if not isinstance(own, Mapping):
            raise TypeError(f"{called(name)} has scores without ids where others have {{id: score}}; give ids to all")
    first = scores[names[0]]
    for name in names[1:]:
        for have, lack in ((names[0], name), (name, names[0])):
            absent = scores[have].keys() - scores[lack].keys()
            if absent:
                raise ValueError(
                    f"{len(absent)} items of {called(have)} have no score from {called(lack)}: "
                    f"{listing(sorted(absent, key=str), 5)}; both must be scored on the same items"
                )
    return {name: [own[key] for key in first] for name, own in scores.items()}, list(first)


def _in_order(of: Any, ids: list[Hashable], what: str) -> Any:
    """Clusters or strata in the order of the ids."""
    if not isinstance(of, Mapping):
        if of is None:
            return None
        raise ValueError(f"scores go by id, so {what} must too; give it as {{id: …}}")
    absent = [key for key in ids if key not in of]
    if absent:
        raise ValueError(f"{what} lacks {len(absent)} of {len(ids)} items: {listing(absent, 5)}; give one for each")
    return [of[key] for key in ids]
