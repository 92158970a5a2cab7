"""Measures as functions of a Contingency, one or two lines each, registered by a decorator.

Write `h` for hit, `s` for support, `q` for predicted, all of the positive class. A user's
function works wherever a name does: `op.compare(y, predictions, measure=lambda c: c.tp - 5 * c.fp)`.
A measure works on any leading axes, so the same code scores the observed table and 50,000 draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import ClassVar, TypeAlias, overload

import numpy as np

from outperform.base.errors import unknown
from outperform.base.sentences import invalid
from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_items import ITEM_MEASURES, find_item_measure

__all__ = ["MEASURES", "RIGHT_OR_WRONG", "Measure", "MeasureFunction", "f_beta", "is_smooth", "measure", "resolve"]

MeasureFunction: TypeAlias = Callable[[Contingency], FloatArray]
AVERAGED = ("macro", "micro", "weighted", "samples")  # that names of measures may say
OTHER_NAMES = {
    "acc": "accuracy", "auc": "roc_auc", "auroc": "roc_auc", "ap": "average_precision", "matthews_corrcoef": "mcc",
    "phi": "mcc", "pr_auc": "average_precision", "auprc": "average_precision", "neg_mean_squared_error": "mse",
    "neg_mean_absolute_error": "mae",
    "sensitivity": "recall", "tpr": "recall", "ppv": "precision", "tnr": "specificity", "iou": "jaccard",
}  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """A function with its name, its direction and its rule for 0/0; call it on a Contingency."""

    name: str
    function: MeasureFunction
    greater_is_better: bool = True
    zero_division: float = 0.0
    multiclass: MeasureFunction | None = None  # the form for the whole table of many classes, if any
    beta: float | None = None  # β if it is an F_β: 0 for precision, infinity for recall
    limits: tuple[float, float] = (0.0, 1.0)  # the least and the greatest score
    sums: bool = False  # whether it depends on support and predictions only through their sum (f1 = 2h/(s+q))
    bounded: ClassVar[bool] = True  # a ROPE lies in [-1, 1]

    @property
    def own_function(self) -> MeasureFunction | None:
        """The function, if it is a user's and not built in."""
        inner = self.function.func if isinstance(self.function, partial) else self.function
        return None if str(getattr(inner, "__module__", "")).startswith(f"{__package__}.") else self.function

    def __call__(self, contingency: Contingency) -> FloatArray:
        """Score a contingency with any leading axes."""
        shape = contingency.hit.shape
        scores = self._scored(self.function, contingency, {shape, contingency.support.shape})
        return scores if scores.shape == shape else np.broadcast_to(scores, shape)

    def of_all_classes(self, contingency: Contingency) -> FloatArray:
        """Score the whole table of many classes, the last axis, by the form for it."""
        assert self.multiclass is not None
        return self._scored(self.multiclass, contingency, {contingency.hit.shape[:-1]})

    def _scored(self, function: MeasureFunction, contingency: Contingency, shapes: set[tuple[int, ...]]) -> FloatArray:
        scores = function(replace(contingency, zero_division=self.zero_division))
        if not hasattr(scores, "__array_function__"):  # arrays of other libraries stay theirs
            scores = np.asarray(scores)
        if scores.dtype.kind not in "biuf":
            raise TypeError(f"measure {self.name!r} must give real numbers, got an array of {scores.dtype}")
        if scores.shape not in shapes:
            raise TypeError(
                f"measure {self.name!r} must give one number per classifier and draw, an array of its input's shape; "
                f"got shape {scores.shape} for {contingency.hit.shape}"
            )
        return scores.astype(np.float64, copy=False)


MEASURES: dict[str, Measure] = {}


@overload
def measure(function: MeasureFunction, /) -> MeasureFunction: ...
@overload
def measure(
    *,
    greater_is_better: bool = True,
    multiclass: MeasureFunction | None = None,
    limits: tuple[float, float] = (0.0, 1.0),
    sums: bool = False,
) -> Callable[[MeasureFunction], MeasureFunction]: ...
def measure(
    function: MeasureFunction | None = None,
    /,
    *,
    greater_is_better: bool = True,
    multiclass: MeasureFunction | None = None,
    limits: tuple[float, float] = (0.0, 1.0),
    sums: bool = False,
) -> MeasureFunction | Callable[[MeasureFunction], MeasureFunction]:
    """Register a function under its name, so that the name works wherever a measure is expected.

    Parameters
    ----------
    function : callable
        From a Contingency to an array of the same shape.
    greater_is_better : bool
        False for error rates and costs, for which lower is better.
    multiclass : callable
        The form for the whole table of many classes, if any: from a Contingency with the classes on
        the last axis to an array without that axis.
    limits : tuple of two floats
        The least and the greatest score; -1 and 1 for a correlation. Intervals stay within them.
    sums : bool
        Whether it depends on support and predictions only through their sum, which may save half the draws.

    Examples
    --------
    >>> import outperform as op
    >>> @op.measure
    ... def threat_score(c):
    ...     return c.ratio(c.tp, c.tp + c.fp + c.fn)
    >>> op.estimate([1, 0, 1, 1], [1, 0, 0, 1], measure="threat_score", rng=0).observed
    0.6666666666666666
    """

    def register(function: MeasureFunction) -> MeasureFunction:
        name = function.__name__
        new = Measure(name, function, greater_is_better, multiclass=multiclass, limits=limits, sums=sums)
        known = MEASURES.get(name)
        taken = find_item_measure(name) is not None or (known is not None and known.own_function is None)
        if taken and new.own_function is not None:  # a user's function may be redefined, as in a notebook
            raise ValueError(f"{name} is a measure of outperform; give your function another name")
        MEASURES[name] = new
        return function

    return register if function is None else register(function)


def resolve(measure: str | MeasureFunction | Measure, zero_division: float = 0.0) -> Measure:
    """Return a measure by name, or wrap a user's function."""
    if isinstance(measure, str):
        known = measure if measure in MEASURES else measure.lower()
        if known not in MEASURES:
            if find_item_measure(measure) is not None:
                raise ValueError(f"{measure} is computed from items, not from counts; give truth and outputs per item")
            _check_average(measure, known)
            raise ValueError(unknown("measure", measure, [*MEASURES, *ITEM_MEASURES], OTHER_NAMES))
        measure = MEASURES[known]
    elif not callable(measure):
        raise TypeError(f"measure must be a name or a function of a Contingency, got {type(measure).__name__}")
    elif not isinstance(measure, Measure):
        _check_arguments(measure)
        registered = (known for known in MEASURES.values() if known.function is measure)
        measure = next(registered, Measure(getattr(measure, "__name__", type(measure).__name__), measure))
    if zero_division not in (0, 1) and zero_division == zero_division:  # noqa: PLR0124 (what is no number has no isnan)
        raise ValueError(f"zero_division must be 0, 1 or nan, got {zero_division!r}")
    return replace(measure, zero_division=float(zero_division))


def _check_average(given: str, name: str) -> None:
    """Refuse names that say the average, as in f1_macro of scikit-learn or micro-recall."""
    for average in AVERAGED:
        rest = name.removeprefix(average).removesuffix(average).strip("_- ")
        known = OTHER_NAMES.get(rest, rest)
        if average in name and known in MEASURES:
            advice = "say {measure:{known}} and {average:{said}}"
            raise invalid("unknown measure {given!r}; " + advice, given=given, known=known, said=average)


def _check_arguments(function: MeasureFunction) -> None:
    """Check that a measure takes a Contingency and nothing else."""
    from inspect import Parameter, signature

    try:
        takes = signature(function).parameters.values()
    except (TypeError, ValueError):
        return
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p.name for p in takes if p.default is Parameter.empty and p.kind in kinds]
    if len(needed) > 1:
        raise TypeError(
            f"measure needs {', '.join(needed)}: give a function of a Contingency, or one of truth, output and "
            "sample_weight"
        )


def f_beta(beta: float) -> Measure:
    """F_β = (1+β²)h / (β²s + q) for any β ≥ 0: β > 1 favours recall, β < 1 precision.

    Examples
    --------
    >>> import outperform as op
    >>> op.estimate([1, 0, 1, 1], [1, 0, 0, 1], measure=op.f_beta(2), rng=0).observed
    0.7142857142857142
    """
    if isinstance(beta, Contingency):
        raise TypeError("f_beta needs its β, as in measure=op.f_beta(2)")
    if not beta >= 0:
        raise ValueError(f"beta must be a number of at least 0, got {beta!r}")
    weight = beta**2 / (1 + beta**2) if beta < 1e150 else 1.0  # above it the square overflows
    return Measure(f"f{beta:.15g}", partial(_f_score, weight), beta=float(beta), sums=beta == 1)


def _f_score(weight: float, c: Contingency) -> FloatArray:
    return c.ratio(c.hit, weight * c.support + (1 - weight) * c.predicted)


MEASURES["f1"] = f_beta(1)
MEASURES["f2"] = f_beta(2)
MEASURES["f0.5"] = f_beta(0.5)


@measure
def precision(c: Contingency) -> FloatArray:
    """h/q: the share of predicted items that are correct (positive predictive value)."""
    return c.ratio(c.hit, c.predicted)


@measure
def recall(c: Contingency) -> FloatArray:
    """h/s: the share of positive items that are found (sensitivity, true positive rate)."""
    return c.ratio(c.hit, c.support)


MEASURES["precision"] = replace(MEASURES["precision"], beta=0.0)
MEASURES["recall"] = replace(MEASURES["recall"], beta=inf)


@measure
def specificity(c: Contingency) -> FloatArray:
    """tn/(tn+fp): the share of negative items that are predicted negative (true negative rate)."""
    return c.ratio(c.tn, c.tn + c.fp)


@measure
def npv(c: Contingency) -> FloatArray:
    """tn/(tn+fn): negative predictive value."""
    return c.ratio(c.tn, c.tn + c.fn)


def _all_right(c: Contingency) -> FloatArray:
    """Σh: the share of all items that are correct."""
    return c.ratio(c.hit.sum(axis=-1), c.total[..., 0])


def _all_wrong(c: Contingency) -> FloatArray:
    return 1 - _all_right(c)


RIGHT_OR_WRONG = (_all_right, _all_wrong)  # forms for many classes that depend only on the number of correct items


def _mean_recall(c: Contingency) -> FloatArray:
    """Mean recall over the classes that have items, as in scikit-learn."""
    mean: FloatArray = np.nanmean(c.ratio(c.hit, c.support, undefined=np.nan), axis=-1)
    return mean


def _beyond_chance(c: Contingency) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return Σh − Σsq, 1 − Σsq, 1 − Σs² and 1 − Σq², in shares of all items."""
    s, q = c.support / c.total, c.predicted / c.total
    chance: FloatArray = (s * q).sum(axis=-1)
    return _all_right(c) - chance, 1 - chance, 1 - (s**2).sum(axis=-1), 1 - (q**2).sum(axis=-1)


def _correlation(c: Contingency) -> FloatArray:
    """Gorodkin's R_K: (Σh − Σsq) / √((1 − Σs²)(1 − Σq²)). 0 if undefined, as in scikit-learn."""
    excess, _, spread_s, spread_q = _beyond_chance(c)
    return c.ratio(excess, np.sqrt(np.maximum(spread_s * spread_q, 0.0)), undefined=0.0)


def _agreement(c: Contingency) -> FloatArray:
    """Cohen's κ of many classes: (Σh − Σsq) / (1 − Σsq)."""
    excess, room, _, _ = _beyond_chance(c)
    return c.ratio(excess, room)


@measure(multiclass=_all_right, sums=True)
def accuracy(c: Contingency) -> FloatArray:
    """(tp+tn)/N: the share of all items that are correct."""
    return c.ratio(c.total - c.support - c.predicted + 2 * c.hit, c.total)


@measure(greater_is_better=False, multiclass=_all_wrong, sums=True)
def error_rate(c: Contingency) -> FloatArray:
    """1 - accuracy; lower is better."""
    return c.ratio(c.support + c.predicted - 2 * c.hit, c.total)


@measure(multiclass=_mean_recall)
def balanced_accuracy(c: Contingency) -> FloatArray:
    """The mean of recall and specificity. (scikit-learn leaves a class without items out of the mean.)"""
    return (recall(c) + specificity(c)) / 2


@measure(limits=(-1.0, 1.0))
def informedness(c: Contingency) -> FloatArray:
    """Recall + specificity - 1 (Youden's J)."""
    return recall(c) + specificity(c) - 1


@measure(limits=(-1.0, 1.0))
def markedness(c: Contingency) -> FloatArray:
    """Precision + negative predictive value - 1."""
    return precision(c) + npv(c) - 1


@measure(multiclass=_correlation, limits=(-1.0, 1.0))
def mcc(c: Contingency) -> FloatArray:
    """Matthews correlation, on shares, because products of four counts overflow. 0 if undefined, as in scikit-learn."""
    tp, fp, fn, tn = c.tp, c.fp, c.fn, c.tn
    return c.ratio(tp * tn - fp * fn, np.sqrt((tp + fn) * (tp + fp) * (tn + fp) * (tn + fn)), undefined=0.0)


@measure(multiclass=_agreement, limits=(-1.0, 1.0))
def kappa(c: Contingency) -> FloatArray:
    """Cohen's κ: agreement with the truth beyond chance."""
    tp, fp, fn, tn = c.tp, c.fp, c.fn, c.tn
    return c.ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


@measure(sums=True)
def jaccard(c: Contingency) -> FloatArray:
    """h/(s+q-h): intersection over union."""
    return c.ratio(c.hit, c.support + c.predicted - c.hit)


@measure
def g_mean(c: Contingency) -> FloatArray:
    """The geometric mean of recall and specificity."""
    return np.sqrt(recall(c) * specificity(c))


@measure
def fowlkes_mallows(c: Contingency) -> FloatArray:
    """The geometric mean of precision and recall. 0 if undefined, as in scikit-learn."""
    return c.ratio(c.hit, np.sqrt(c.support) * np.sqrt(c.predicted), undefined=0.0)


@measure(greater_is_better=False)
def prevalence_threshold(c: Contingency) -> FloatArray:
    """√FPR/(√TPR+√FPR): the prevalence below which precision falls steeply; lower is better."""
    false_alarm = np.sqrt(c.ratio(c.fp, c.tn + c.fp))
    return c.ratio(false_alarm, np.sqrt(recall(c)) + false_alarm)


BUILT_IN = frozenset(known.function for known in MEASURES.values())  # all of them are smooth


def is_smooth(measure: Measure) -> bool:
    """Return whether a measure is known to be smooth: built in, or an F_β."""
    return measure.beta is not None or measure.function in BUILT_IN
