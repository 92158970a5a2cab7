"""`compare`: compare two classifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Unpack, overload

import numpy as np

from outperform.base.errors import listing
from outperform.base.lazy import changed
from outperform.base.sentences import invalid
from outperform.data.counts import Counts
from outperform.data.labels import Label
from outperform.inference.count_evidence import evidence, incomplete, slice_evidence
from outperform.inference.evidence import PairEvidence
from outperform.inference.item_evidence import weighed_evidence
from outperform.inference.question import AllSettings, Settings
from outperform.inference.reading import Study, read_input
from outperform.models import Model
from outperform.models.posterior import Rng
from outperform.models.priors import PriorLike
from outperform.results import BySlice, Comparison, PerClass
from outperform.verdicts.decision import RopeLike, as_rope
from outperform.verdicts.interval import check_mass
from outperform.verdicts.several import check_fdr

__all__ = ["ComparisonSettings", "check_two", "compare"]


class ComparisonSettings(Settings, total=False):
    """Further keywords of `compare`."""

    rope: RopeLike | None
    fdr: float | None


@overload
def compare(
    data: Any = None,
    predictions: Any = None,
    *others: Any,
    by: None = None,
    average: Literal["binary", "micro", "macro", "weighted", "multiclass", "samples"] | None = ...,
    **settings: Unpack[ComparisonSettings],
) -> Comparison: ...
@overload
def compare(
    data: Any = None,
    predictions: Any = None,
    *others: Any,
    by: None = None,
    average: Literal["per_class"],
    **settings: Unpack[ComparisonSettings],
) -> PerClass[Comparison]: ...
@overload
def compare(
    data: Any = None,
    predictions: Any = None,
    *others: Any,
    by: None = None,
    average: str,
    **settings: Unpack[ComparisonSettings],
) -> Comparison | PerClass[Comparison]: ...
@overload
def compare(
    data: Any = None,
    predictions: Any = None,
    *others: Any,
    by: Any,
    average: str | None = ...,
    **settings: Unpack[ComparisonSettings],
) -> BySlice: ...
def compare(
    data: Any = None,
    predictions: Any = None,
    *others: Any,
    truth: Any = None,
    by: Any = None,
    measure: str | Callable[..., Any] = "f1",
    average: str | None = None,
    rope: RopeLike | None = None,
    fdr: float | None = None,
    pos_label: Label | None = None,
    labels: Iterable[Label] | None = None,
    model: Model | str | None = None,
    prior: PriorLike | Mapping[str, Any] | None = None,
    mass: float = 0.95,
    draws: int | None = None,
    engine: str = "auto",
    zero_division: float = 0.0,
    rng: Rng = None,
    device: str | None = None,
) -> Comparison | PerClass[Comparison] | BySlice:
    """Compare two classifiers: is the first better, worse, practically the same, or is it unresolved?

    Parameters
    ----------
    data : sequence of labels, mapping, dataframe or Counts
        The true labels; or, if the two were tested on different items, {name: true labels}; or a dataframe with
        columns of truth and predictions, which its own engine counts; or counts, which hold the predictions too.
    predictions : mapping from name to sequence of labels, dataframe, or sequence of str
        Two classifiers, in a dataframe one in each column. If the data are a dataframe, their columns; the default is
        all columns but the truth and the slices. δ is the first one's score minus the second one's.
    *others : sequence of labels
        The second classifier, if the first came without a name: `compare(y, p1, p2)` calls them A and B, as does
        `compare(y, [p1, p2])`.
    truth : str
        For a dataframe, the column of the true labels.
    by : str, or sequence
        Slices that are compared separately, such as languages: a column of the dataframe (or several), or the slice of
        each item. With one positive class and model=op.Paired(prior="partial"), slices learn from each other.
    measure : str or callable
        A name, or any function of a Contingency.
    average : {"binary", "micro", "macro", "weighted", "multiclass", "samples", "per_class"}
        One positive class; one score from all classes; or one comparison per class. The default is binary for
        two classes and, for more, the measure's form for the whole table, if it has one (accuracy, mcc, kappa,
        balanced_accuracy). "samples" is the mean over items of a multi-label task.
    rope : float or (float, float)
        Differences that do not matter to you, in units of the measure: 0.01 means ±0.01. Without it
        there is no verdict.
    fdr : float
        Of several verdicts (`by`, "per_class"), give only the longest list of which at most this share is expected to
        be wrong: 0.05 means 5%. The others are undecided.
    pos_label : label
        The positive class; 1 if the labels are 0 and 1.
    labels : sequence of labels or "seen"
        All classes, if the data may lack some. "seen" takes every label that occurs in the truth or in predictions. A
        class that is predicted and never true has no relevant items: its observed F1 is 0 for every system.
    model : Paired, Unpaired or str
        The default is paired if both were run on the same items; for micro averages of label sets whole items are
        resampled.
    prior : str, float, Dirichlet or mapping
        The prior, in place of the default: a name (light, flat, uniform, jeffreys, haldane, hierarchical,
        pooled, trend), a number of pseudo-counts, a prior such as op.Dirichlet(), or priors by variable for PyMC.
    mass : float
        Mass of the HDI.
    draws : int
        Independent draws from the posterior: 50,000 by default, or fewer if they would take long.
    engine : {"auto", "draws"}
        By default there are no draws where an exact answer is known to be right to 1e-5 and takes less time: two
        classes or right and wrong, for measures that are ratios of sums of counts. They are made when asked for
        (`r.draws`). "draws" draws always, and so does a number of `draws`.
    zero_division : {0, 1, nan}
        The value of 0/0, as in scikit-learn.
    rng : None, int or numpy Generator
        The same seed gives the same numbers.
    device : {"cuda", "cpu"}
        Draw with PyTorch (extra `gpu`), on a GPU or, to test that, on the processor. The default is NumPy. The same
        seed and device give the same numbers; those of two devices differ by Monte-Carlo error.

    Returns
    -------
    Comparison, PerClass or BySlice
        One comparison, or one per class or slice.

    Notes
    -----
    Exchanging the classifiers with the same seed flips the sign of every draw of δ
    and changes nothing else (except for models by PyMC, whose variables keep the order). If exchanging
    them leaves the counts unchanged, the posterior of δ
    is symmetric about 0, and so are its draws; the verdict is then "equivalent" or "undecided".

    Examples
    --------
    >>> import outperform as op
    >>> news = op.datasets.newsgroups()
    >>> y, svm, nb = (x == 8 for x in (news.truth, news.predictions["svm_l2"], news.predictions["nb_bern"]))
    >>> op.compare(y, {"svm": svm, "nb": nb}, rope=0.05, rng=0)
    svm ≫ nb   Δf1 = +0.138   95% HDI [+0.096, +0.181]   P(ROPE) < 0.1%

    The whole interval lies above +0.05: the SVM is better by more than the margin.
    """
    settings = AllSettings(
        truth=truth,
        by=by,
        average=average,
        measure=measure,
        pos_label=pos_label,
        labels=labels,
        model=model,
        prior=prior,
        draws=draws,
        engine=engine,
        zero_division=zero_division,
        rng=rng,
        device=device,
    )
    fdr = check_fdr(fdr)
    study = read_input(data, predictions, settings, check_two, others=others, slices=True)
    region, mass = as_rope(rope, bounded=study.question.bounded), check_mass(mass)
    _check_several(fdr, region, several=study.slices or average == "per_class")
    rows = tuple(Comparison.of(one, region, mass) for one in _evidence(study))
    if study.counted is not None and study.slices:
        return _by_slice(study.counted.counts, rows, fdr)
    return PerClass.of(rows, fdr) if average == "per_class" else rows[0]


def _evidence(study: Study) -> Iterator[PairEvidence]:
    """Yield the evidence of each comparison."""
    if study.counted is None:
        return map(weighed_evidence, study.weighed)
    draw = slice_evidence if study.slices else evidence
    return draw(study.counted.counts, study.counted.question, study.counted.model)


def _by_slice(counts: Counts, rows: Sequence[Comparison], fdr: float | None) -> BySlice:
    rows = tuple(changed(row, class_=None) for row in rows)
    return BySlice(counts.slices, rows, (*_chosen(counts), *incomplete(counts)), fdr).judged(rows)


def _check_several(fdr: float | None, rope: object, *, several: bool) -> None:
    """Raise an error for `fdr` with a single verdict, or none."""
    if fdr is not None and not several:
        raise invalid("{fdr} goes with several verdicts, as {by} or {average:per_class} give; leave it out")
    if fdr is not None and rope is None:
        raise invalid("{fdr} withholds verdicts, and without a ROPE there are none; give one with {rope}")


def check_two(names: Sequence[str]) -> None:
    """Raise an error for any number of classifiers but two."""
    if len(names) != 2:
        raise ValueError(f"compare takes two classifiers, got {len(names)}: {listing(names)}; rank takes any number")


def _chosen(counts: Counts) -> tuple[str, ...]:
    """Return a note if the slices are the predictions of a classifier."""
    codes = [np.unique(np.column_stack([counts.part, said]), axis=0) for said in counts.predictions.T]
    chosen = [len({*code[:, 1].tolist()}) == len(code) == len(counts.slices) > 1 for code in codes]
    return tuple(
        f"The slices are the predictions of {name}, so they say little about how good it is. "
        "Slice by something that is known before the prediction."
        for name, ran in zip(counts.classifiers, chosen, strict=True)
        if ran
    )
