"""`compare_confusion`: compare two classifiers given as confusion matrices."""

from __future__ import annotations

from typing import Any, Unpack

from outperform.data.counts import Counts
from outperform.results import Comparison, PerClass
from outperform.verbs.compare import ComparisonSettings, compare

__all__ = ["compare_confusion"]


def compare_confusion(
    a: Any,
    b: Any,
    *,
    names: tuple[str, str] = ("a", "b"),
    average: str | None = None,
    **settings: Unpack[ComparisonSettings],
) -> Comparison | PerClass[Comparison]:
    """Compare two classifiers given as confusion matrices, as papers print them.

    The two are not paired: matrices do not say which items both got right. If you have the predictions, `compare`
    gives narrower intervals.

    Parameters
    ----------
    a, b : square arrays, sparse arrays or dataframes
        Confusion matrices; rows are true classes.
    names : (str, str)
        Names of the two.
    average, labels, measure, rope, pos_label, model, mass, draws, zero_division, rng
        As in `compare`; `labels` are the classes in the order of the rows.

    Examples
    --------
    >>> import outperform as op
    >>> matrices = op.datasets.newsgroups_confusion()
    >>> svm, nb = matrices["svm_l2"], matrices["nb_mult"]
    >>> op.compare_confusion(svm, nb, average="macro", model=op.Unpaired("hierarchical"), rope=0.005, rng=0)
    a ≪ b   Δmacro f1 = -0.022   95% HDI [-0.037, -0.007]   P(ROPE) = 1.2%
    """
    if len(set(names)) != 2:
        raise ValueError(f"the two need names that differ, got {names!r}")
    labels = settings.pop("labels", None)
    counts = Counts.from_confusion(dict(zip(names, (a, b), strict=True)), labels=labels)
    return compare(counts, average=average, **settings)
