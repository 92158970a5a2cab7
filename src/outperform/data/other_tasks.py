"""Counts of tasks that are not one label an item: confusion matrices, label sets, chunks, totals, folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from outperform.base.errors import listing
from outperform.base.sentences import Sentence
from outperform.data.cells import NOT_RUN, Cells, Fold
from outperform.data.chunks import outcomes, units_of
from outperform.data.columns import called, check_folds, check_mapping, check_totals
from outperform.data.confusion import as_confusion, check_same_labels
from outperform.data.diagnosis import spelt_alike
from outperform.data.label_sets import as_indicators, count_items, count_outcomes
from outperform.data.labels import Label
from outperform.data.relevance import Relevance

__all__ = ["OtherTasks"]


@dataclass(frozen=True, eq=False)
class OtherTasks(Cells):
    """What `Counts` can be made of besides rows with one label each."""

    @classmethod
    def side_by_side(cls, *each: Self) -> Self:
        """Classifiers that were counted one by one, as one table in which they are not paired."""
        if not each:
            raise ValueError("there are no counts; give those of at least one classifier")
        each = tuple(own if own.units is None else own.together() for own in each)
        first = each[0]
        names = [name for own in each for name in own.classifiers]
        if len(set(names)) < len(names):
            raise ValueError(f"two classifiers have the same name: {listing(names)}")
        for own in each[1:]:
            if set(own.classes) != set(first.classes) or own.open != first.open:
                found = (
                    f"the test sets of {first.classifiers[0]!r} and {own.classifiers[0]!r} have different classes "
                    f"({listing(first.classes)} against {listing(own.classes)})"
                )
                alike = spelt_alike(own.classes, first.classes)
                raise ValueError(Sentence("{found}; {alike}list all of them with {labels}", found=found, alike=alike))
            _check_same_folds(first, own)
            _check_counted_alike(first, own)
        each = tuple(own.in_order_of(first).worth() for own in each)
        columns = np.split(np.arange(len(names)), np.cumsum([len(own.classifiers) for own in each])[:-1])
        predictions = [np.full((len(own.n), len(names)), NOT_RUN) for own in each]
        for table, own, place in zip(predictions, each, columns, strict=True):
            table[:, place] = own.predictions
        truth, n, group, part = (
            np.concatenate([getattr(own, name) for own in each]) for name in ("truth", "n", "group", "part")
        )
        stacked = replace(first, truth=truth, predictions=np.concatenate(predictions), n=n, group=group, part=part)
        return replace(stacked, classifiers=tuple(names), sets=None, weighed=None).merged()

    @classmethod
    def from_confusion(cls, matrices: Mapping[str, Any], *, labels: Iterable[Label] | None = None) -> Self:
        """Count classifiers of which only confusion matrices are known: name → matrix, rows are true classes.

        Matrices do not tell which items two classifiers share, so they cannot be paired.

        Examples
        --------
        >>> import outperform as op
        >>> op.Counts.from_confusion({"svm": [[50, 3], [4, 43]]}, labels=["ham", "spam"]).items
        100
        """
        check_mapping(matrices)
        given = None if labels is None else list(labels)
        read = [as_confusion(matrix, called(name), given) for name, matrix in matrices.items()]
        known = check_same_labels(list(map(called, matrices)), [confusion.labels for confusion in read])
        predictions = [np.full((len(c.n), len(read)), NOT_RUN) for c in read]
        for k, (table, confusion) in enumerate(zip(predictions, read, strict=True)):
            table[:, k] = confusion.predicted
        truth, n = np.concatenate([c.truth for c in read]), np.concatenate([c.n for c in read])
        return cls(tuple(map(str, matrices)), known, truth, np.concatenate(predictions), n).merged()

    @classmethod
    def from_label_sets(
        cls,
        truth: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Label] | None = None,
        by_item: bool = False,
    ) -> Self:
        """Count a task in which an item may have any number of labels.

        Parameters
        ----------
        truth : array, sparse array or sequence of sets
            An indicator matrix with one row per item and one column per label, or a set of labels for each item.
        predictions : mapping from name to the same
            What each classifier predicted.
        labels : sequence of labels
            The labels, in the order of the columns of an indicator matrix, or where sets may lack some.
        by_item : bool
            Count kinds of items and not labels, for average="samples".

        Examples
        --------
        >>> import outperform as op
        >>> counts = op.Counts.from_label_sets([{"cat"}, {"cat", "dog"}, set()], {"a": [{"cat"}, {"dog"}, set()]})
        >>> counts.groups, counts.items
        (('cat', 'dog'), 3)
        """
        check_mapping(predictions)
        tables = {"truth": truth} | {called(name): table for name, table in predictions.items()}
        groups, bits = as_indicators(tables, None if labels is None else list(labels))
        kind, outcome, n, units = count_items(bits) if by_item else (*count_outcomes(bits), None)
        truth_bits, *codes = (outcome >> np.arange(len(bits))[:, None]) & 1
        counted = cls(tuple(map(str, predictions)), (False, True), truth_bits, np.stack(codes, axis=1), n)
        if by_item:
            return replace(counted, units=units, part=kind).merged()
        return replace(counted, groups=groups, group=kind, sets=Relevance.of_sets(bits)).merged()

    @classmethod
    def from_chunks(
        cls,
        gold: Sequence[Sequence[str]],
        predictions: Mapping[str, Sequence[Sequence[str]]],
        *,
        scheme: str | None = None,
        mode: str = "conlleval",
        types: Iterable[str] | None = None,
        typed: bool = True,
        unit: str | Sequence[Any] = "sentence",
        folds: Sequence[Fold] | None = None,
    ) -> Self:
        """Count chunks (named entities, phrases, words) in tagged sentences.

        A chunk is right if its boundaries and its type are. Only chunks that are there or predicted are counted.

        Parameters
        ----------
        gold : sequence of sequences of str
            True tags of each sentence.
        predictions : mapping from name to the same
            Predicted tags.
        scheme : str
            IOB1, IOB2, IOBES, BILOU, BMES or BB2B3MES. In mode "conlleval" the first three are read alike, and need not
            be told apart.
        mode : {"conlleval", "strict"}
            How tags that are not well-formed are read; see `outperform.data.chunks.extract`.
        types : sequence of str
            Only these types, for example ["ORG"]; by default those that the truth has.
        typed : bool
            False if boundaries alone matter.
        unit : "sentence", "chunk" or sequence
            What is weighed whole: chunks of one sentence are not independent of each other. Or what each sentence
            belongs to, for example its document.
        folds : sequence of (int, int)
            Repetition and fold that each sentence was tested in; then chunks are counted by fold, and no units.

        Examples
        --------
        >>> import outperform as op
        >>> counts = op.Counts.from_chunks([["B-PER", "O"], ["B-LOC", "O"]], {"a": [["B-PER", "O"], ["O", "O"]]})
        >>> counts.groups, counts.items
        (('LOC', 'PER'), 2)
        """
        check_mapping(predictions)
        if isinstance(types, str):
            raise TypeError(Sentence("{types} is a list of types, as in [{given!r}]", given=types))
        given = None if types is None else list(map(str, types))
        if scheme is None and mode == "strict":
            raise ValueError(Sentence("{mode:strict} needs {scheme}: which chunks are well-formed depends on it"))
        scheme = scheme or "IOBES"
        found = outcomes(gold, predictions, scheme, mode, types=given, typed=typed)
        truth, *codes = np.array(found.outcome, dtype=np.int64).reshape(-1, 1 + len(predictions)).T
        names, n = tuple(map(str, predictions)), np.ones(len(found.outcome))
        sentence = np.array(found.sentence, dtype=np.int64)
        named = unit if isinstance(unit, str) else "given"
        counted = cls(names, (False, True), truth, np.stack(codes, axis=1), n, open=True)
        how = f"{scheme},{mode}{'' if typed else ',untyped'}"
        counted = replace(counted, counted=how, unit=named if folds is None else "chunk")
        if found.types:
            counted = replace(counted, groups=found.types, group=np.array(found.type, dtype=np.int64))
        if folds is not None:
            known = tuple(dict.fromkeys(folds))
            return replace(counted, folds=known, part=np.array([known.index(f) for f in folds])[sentence]).merged()
        if named == "chunk":
            return counted.merged()
        belongs, units = units_of(unit, len(gold))
        return replace(counted, units=np.ones(units), part=belongs[sentence]).merged()

    @classmethod
    def from_totals(cls, totals: Mapping[str, Any], *, folds: Sequence[Fold] = ()) -> Self:
        """Count classifiers of which only totals are known: how much is there, was predicted, and is right in both.

        Totals do not tell which items two classifiers share, so they cannot be paired.

        Parameters
        ----------
        totals : mapping from name to (gold, predicted, correct)
            Three numbers; or a row of them for each fold of a cross-validation.
        folds : sequence of (int, int)
            Repetition and fold of each row.

        Examples
        --------
        >>> import outperform as op
        >>> op.Counts.from_totals({"IOB2": (120, 110, 100), "IOBES": (120, 108, 101)}).classifiers
        ('IOB2', 'IOBES')
        """
        check_mapping(totals)
        folds = check_folds(folds)
        each = []
        for name, rows in totals.items():
            cells = check_totals(rows, called(name), folds)
            part = np.repeat(np.arange(len(cells)), 3) if len(folds) else np.zeros(0, dtype=np.int64)
            truth, guess = (np.tile(column, len(cells)) for column in ([1, 0, 1], [1, 1, 0]))
            table = cls((str(name),), (False, True), truth, guess[:, None], cells.ravel(), open=True)
            each.append(replace(table, folds=folds, part=part).merged())
        return cls.side_by_side(*each)

    @classmethod
    def by_fold(cls, each: Mapping[Fold, Self]) -> Self:
        """Counts of the folds of a cross-validation, (repetition, fold) → counts, as one table."""
        if not each:
            raise ValueError("there are no folds; give counts of at least one")
        folds, parts = tuple(each), list(each.values())
        first = parts[0]
        for fold, own in each.items():
            if own.classifiers != first.classifiers:
                raise ValueError(
                    f"repetition {fold[0]}, fold {fold[1]} has the classifiers {listing(own.classifiers)} where the "
                    f"first has {listing(first.classifiers)}; every fold needs all of them"
                )
            if own.classes != first.classes:
                found = (
                    f"repetition {fold[0]}, fold {fold[1]} has the classes {listing(own.classes, 6)} where the first "
                    f"has {listing(first.classes, 6)}"
                )
                raise ValueError(Sentence("{found}; list all of them with {labels}", found=found))
        plain = [own.together().worth() for own in parts]
        for own in plain[1:]:
            _check_counted_alike(plain[0], own)
        truth, predictions, n, group = (
            np.concatenate([getattr(own, name) for own in plain]) for name in ("truth", "predictions", "n", "group")
        )
        part = np.repeat(np.arange(len(plain)), [len(own.n) for own in plain])
        stacked = replace(first, truth=truth, predictions=predictions, n=n, group=group, part=part)
        return replace(stacked, folds=folds, units=None, unit=plain[0].unit, sets=None, weighed=None).merged()


def _check_counted_alike(first: Cells, other: Cells) -> None:
    if first.counted != other.counted:
        raise ValueError(
            f"chunks were counted in two ways, {first.counted} and {other.counted}; count all of them alike"
        )


def _check_same_folds(first: Cells, other: Cells) -> None:
    for one, two in ((first, other), (other, first)):
        missing = [fold for fold in one.folds if fold not in two.folds]
        if missing or (one.folds and one.folds != two.folds):
            where = listing([f"{r}.{k}" for r, k in missing], 3) if missing else "their order"
            raise ValueError(
                f"{two.classifiers[0]!r} and {one.classifiers[0]!r} differ in their folds ({where}); "
                "both need all of them, in one order"
            )
