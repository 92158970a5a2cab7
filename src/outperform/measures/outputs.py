"""Readers of system outputs, which validate them and return Items: scores, probabilities, numbers, or as given.

Each reader takes the truth, the outputs by name, the labels and the positive label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from outperform.base.errors import listing, named_as
from outperform.base.limits import check_not_tiny
from outperform.base.sentences import invalid
from outperform.data.class_scores import by_class
from outperform.data.columns import as_numbers, called, check_mapping, check_same_rows, named
from outperform.data.contingency import FloatArray
from outperform.data.diagnosis import doubt
from outperform.data.items import Items
from outperform.data.labels import IntArray, Label, against_rest, as_column, encode, positive_label

__all__ = [
    "as_classes", "as_given", "as_probabilities", "as_queries", "as_ranking", "as_regression", "as_scores",
    "is_certain",
]  # fmt: skip

Outputs: TypeAlias = Mapping[str, Any]  # by system
Labels: TypeAlias = Iterable[Label] | None
ROUNDING = 1e-3  # by which the probabilities of an item may miss 1


def as_scores(truth: Any, outputs: Outputs, labels: Labels, pos_label: Label | None) -> Items:
    """Read scores of the items, without a truth."""
    if truth is not None or labels is not None or pos_label is not None:
        raise TypeError("scores of items need no truth and no labels; give the scores alone")
    numbers = _numbers(outputs, dimensions=1)
    check_not_tiny(*numbers.values())
    return _items(outputs, np.zeros(check_same_rows(numbers)), numbers, average="mean")


def as_given(truth: Any, outputs: Outputs, labels: Labels, pos_label: Label | None) -> Items:
    """Read arrays unchanged, for a user's function."""
    if labels is not None or pos_label is not None:
        raise ValueError(
            "labels do not apply to a custom function; set them in it, as in functools.partial(f, pos_label=…)"
        )
    columns = {what: np.asarray(values) for what, values in named(truth, outputs).items()}
    check_same_rows(columns)
    return _items(outputs, columns.pop("truth"), columns)


def as_ranking(truth: Any, outputs: Outputs, labels: Labels, pos_label: Label | None) -> Items:
    """Read scores that rank the items: one for the positive class, or one per class."""
    items = _classified(truth, outputs, labels, pos_label, average="macro")
    for name, output in zip(items.classifiers, items.outputs, strict=True):
        flat = np.ptp(output, axis=0) == 0
        if flat.any():
            value = float(np.ravel(output[0])[int(np.argmax(flat))])
            raise ValueError(
                f"{called(name)} gives every item the score {value:g}, which does not rank them; "
                "give scores that differ"
            )
    return items


ADVICE = "turn logits into probabilities first, by the logistic function or the softmax, and percentages into shares"


def as_probabilities(truth: Any, outputs: Outputs, labels: Labels, pos_label: Label | None) -> Items:
    """Read probabilities, of the positive class or of each class."""
    items = _classified(truth, outputs, labels, pos_label)
    for name, output in zip(items.classifiers, items.outputs, strict=True):
        outside = (output < 0) | (output > 1)
        if outside.any():
            wrong = float(output[outside][0])
            raise ValueError(
                f"{called(name)} holds {wrong:g} where probabilities between 0 and 1 are expected; {ADVICE}"
            )
        total = output.sum(axis=1) if output.ndim == 2 else np.ones(1)
        if (np.abs(total - 1) > ROUNDING).any():
            wrong = float(total[int(np.argmax(np.abs(total - 1)))])
            found = f"{called(name)} has probabilities that add up to {wrong:g} for an item, not to 1"
            raise ValueError(f"{found}; divide those of each item by their sum, or take the softmax of logits")
    return items


def is_certain(output: FloatArray) -> bool:
    """Return whether all probabilities are 0 or 1."""
    return bool(((output == 0) | (output == 1)).all())


def as_classes(truth: Any, outputs: Outputs, labels: Labels, pos_label: Label | None) -> Items:
    """Read a score per class."""
    if pos_label is not None:
        raise invalid("{pos_label} does not apply when all classes are ranked; leave it out")
    return _classified(truth, outputs, labels, None, every=True)


def as_regression(truth: Any, outputs: Outputs, labels: Labels, pos_label: Label | None) -> Items:
    """Read true numbers and their predictions."""
    if labels is not None or pos_label is not None:
        raise invalid("numbers have no labels; leave {labels} and {pos_label} out")
    numbers = _numbers(outputs, dimensions=1)
    true = as_numbers(truth, "truth", dimensions=1)
    check_not_tiny(true, *numbers.values())
    check_same_rows({"truth": true, **numbers})
    return _items(outputs, true, numbers)


def as_queries(truth: Any, outputs: Outputs, labels: Labels, pos_label: Label | None) -> Items:
    """Read gains of items, and the scores that rank them within their query."""
    items = as_regression(truth, outputs, labels, pos_label)
    if (items.truth < 0).any():
        raise ValueError(f"truth holds the gain {float(items.truth.min()):g}; gains are 0 for what is not relevant")
    return items


def _classified(
    truth: Any,
    outputs: Outputs,
    labels: Labels,
    pos_label: Label | None,
    *,
    average: str = "multiclass",
    every: bool = False,
) -> Items:
    """Return codes of the true classes and one number, or one per class, from each system.

    With one number per item, the codes are 1 for the positive class and 0.
    """
    numbers = _numbers(outputs)
    true = as_column(truth, "truth")
    check_same_rows({"truth": true, **numbers})
    known, (codes,) = encode({"truth": true}, labels)
    _check_columns(outputs, known)
    _check_classes(known, codes, every=average == "macro", declared=labels is not None)
    shapes = {output.shape[1:] for output in numbers.values()}
    if shapes == {()} and not every:
        if len(known) > 2 and pos_label is None:
            raise invalid(
                "there are {number} classes ({known}); give a score for each of them, or set one against the rest "
                "with {pos_label}",
                number=len(known),
                known=listing(known, 4),
            )
        positive = positive_label(known, pos_label)
        return _binary(outputs, codes, numbers, known, positive)
    for what, output in numbers.items():
        if output.shape[1:] != (len(known),):
            got = "one number" if output.ndim == 1 else f"{output.shape[1]} numbers"
            raise ValueError(
                f"{what} gives {got} per item, but there are {len(known)} classes ({listing(known, 4)}); "
                "give one for each class, in this order"
            )
    if (len(known) == 2 or pos_label is not None) and not every:
        positive = positive_label(known, pos_label)
        chosen = {what: output[:, known.index(positive)] for what, output in numbers.items()}
        return _binary(outputs, codes, chosen, known, positive)
    return _items(outputs, codes, numbers, labels=known, average=average)


def _check_columns(outputs: Outputs, known: tuple[Label, ...]) -> None:
    """Check that a dataframe whose columns name the classes has them in order, since scores go by their place."""
    for name, output in outputs.items():
        columns = list(getattr(output, "columns", ()))
        texts = list(map(str, columns))
        for system in by_class(texts, list(map(str, known))):
            ordered = [columns[texts.index(system[str(label)])] for label in known]
            if ordered != columns[: len(ordered)]:
                found = f"the columns of {called(name)} are {listing(columns, 6)}, where {listing(ordered, 6)}"
                raise ValueError(f"{found} are expected, in the order of the classes; give it as frame[{ordered}]")


def _check_classes(known: tuple[Label, ...], codes: IntArray, *, every: bool, declared: bool) -> None:
    """Check that two classes have items, or that every class does if each is ranked against the rest."""
    seen = np.unique(codes)
    if len(seen) < 2:
        raise ValueError(
            f"the truth has a single class ({listing(known[code] for code in seen)}); add items of the other"
        )
    absent = [label for code, label in enumerate(known) if code not in seen]
    if every and absent:
        raise ValueError(f"no item has class {listing(absent)}, so it cannot be ranked; leave it out of labels")
    if not declared and (sentence := doubt(known)):
        raise ValueError(sentence)


def _binary(
    outputs: Outputs, codes: IntArray, numbers: Mapping[str, FloatArray], known: tuple[Label, ...], positive: Label
) -> Items:
    truth = (codes == known.index(positive)).astype(np.int64)
    return _items(outputs, truth, numbers, labels=against_rest(known, positive), average="binary")


def _numbers(outputs: Outputs, *, dimensions: int = 2) -> dict[str, FloatArray]:
    check_mapping(outputs)
    return {called(name): as_numbers(x, called(name), dimensions=dimensions) for name, x in outputs.items()}


def _items(outputs: Outputs, truth: Any, numbers: Mapping[str, Any], **settings: Any) -> Items:
    names = tuple(named_as(name) for name in outputs)
    return Items(names, truth, tuple(numbers.values()), np.ones(len(truth)), **settings)
