"""What files with the same columns hold: the scores of one system each, or what each predicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from outperform.base.errors import DataError, unusable
from outperform.cli.asked import Asked, Doubt, Found, joined
from outperform.cli.matching import shared_id, without_ids

if TYPE_CHECKING:
    from outperform.io.files import Columns
    from outperform.io.guessing import Guess, SeenColumn
    from outperform.options import Options

__all__ = ["check_scores", "check_solution", "scored_by_file"]

PROBABILITIES = ("prob", "proba", "probability", "p", "probs", "logit")


def scored_by_file(
    tables: Sequence[Columns], columns: Sequence[SeenColumn], guessed: Guess, options: Options
) -> Doubt | None:
    """Files with the same columns, of which none is the truth: each has the scores of one system, in one of them."""
    from outperform.io.judged import are_judged
    from outperform.io.names import LOSSES, words_in

    check_scores(tables, guessed)
    alone = guessed.truth is None and len(guessed.predictions) == 1 and _is_score(guessed.predictions[0])
    named = guessed.sure and guessed.truth is not None and bool(guessed.predictions)
    if options.truth or options.predictions or named or alone:
        return None
    if any(table.values.keys() != tables[0].values.keys() for table in tables):
        return None
    id_ = options.id or shared_id(tables)
    names = _differing(tables, columns, id_)
    agreed = {c.name for c in columns if c.different > 1 and _agree(tables, c.name, id_)}  # as a truth does
    labelled = _are_labels(columns, guessed) and (
        id_ is None or not agreed.isdisjoint((guessed.truth, *guessed.predictions))
    )
    if not names or (guessed.scores and guessed.truth in agreed) or labelled:
        return None
    if id_ is None:
        _check_repeated(tables, names[0])

    def taken(name: str) -> Found:
        lower = bool(set(words_in(name)) & set(LOSSES))
        verb = "compare" if len(tables) == 2 else "rank"
        scored = replace(options, scores=(name,), id=id_, lower_is_better=lower or options.lower_is_better)
        if id_ is None:
            return without_ids(Asked(verb, scored), replace(guessed, truth=None, predictions=(name,)))
        return Asked(verb, scored)

    first, sources = names[0], joined([table.source for table in tables])
    if are_judged(tables[0].values[first]):
        reason = f"nothing predicts {first}; if {first} says which items a system has right"
    else:
        reason = f"{sources} have the same columns, and none is called the truth; if {first} is the score of each item"
    return Doubt(reason, "Which column has the scores?", {name: partial(taken, name) for name in names})


def check_solution(tables: Sequence[Columns], guessed: Guess, options: Options) -> None:
    """Refuse a column of one file for a truth that nothing says is one, where all files have what is predicted."""
    from outperform.io.side_by_side import new_names

    if guessed.sure or options.truth or options.predictions or len(guessed.predictions) != 1 or len(tables) < 3:
        return
    (name,) = guessed.predictions
    if not all(guessed.truth in table.values for table in tables) and (advice := new_names(tables, name)):
        raise DataError(f"no file names a truth; {advice}")


def _check_repeated(tables: Sequence[Columns], score: str) -> None:
    """Refuse several rows of each item, as of several runs, where one score of each is expected."""
    from outperform.io.conversion import in_python
    from outperform.io.guessing import columns_in, named_id

    ids = [column.name for column in columns_in(tables[0]) if named_id(column) and column.different > 1]
    for name in ids:
        often = [Counter(map(str, table.values[name])) for table in tables]
        if min(often[0].values()) > 1 and all(counted.keys() == often[0].keys() for counted in often):
            table = tables[0]
            new = f"mean-{Path(table.source).stem}.csv"
            change = f"frame.groupby({name!r})[{score!r}].mean().to_csv({new!r})"
            found = f"{table.source} has {max(often[0].values())} rows for each {name}"
            sentence = "{found}; one score for each is expected, such as the mean, as pandas writes it: {python}"
            raise unusable(sentence, found=found, python=in_python(table.source, change))


def check_scores(tables: Sequence[Columns], guessed: Guess) -> None:
    """Refuse predictions without a truth, of which the larger are not the better: all files name them alike."""
    from outperform.io.names import LOSSES, plain, says_predicted, says_true, words_in

    for name in guessed.predictions if guessed.truth is None and len(tables) > 1 else ():
        called = set(words_in(name)) & {"score", "scores", *LOSSES}
        likely = not called and (plain(name) in PROBABILITIES or says_true(name) or says_predicted(name))
        if likely and all(name in table.values for table in tables):
            found = (
                f"{joined([table.source for table in tables])} have {name}, which seems to be predicted, and no truth"
            )
            raise DataError(f"{found}; name the file of the truth too or, if these are scores, call the column score")


def _is_score(name: str) -> bool:
    """Whether the name of a column says that it holds scores, and not what is predicted."""
    from outperform.io.names import LOSSES, MEASURED, RIGHT, words_in

    return bool({*words_in(name)} & {*MEASURED, *LOSSES, *RIGHT, "scores", "rating", "reward", "points"})


def _are_labels(columns: Sequence[SeenColumn], guessed: Guess) -> bool:
    """Whether some columns predict labels of another, most of which it has: counts are no labels of other counts."""
    labels = {column.name: {*column.labels} for column in columns}
    true = labels.get(str(guessed.truth), set())
    said = [labels[name] for name in guessed.predictions if name in labels]
    return not guessed.scores and any(2 * len(mine & true) >= len(mine) for mine in said)


def _differing(tables: Sequence[Columns], columns: Sequence[SeenColumn], id_: str | None) -> list[str]:
    """Return the columns of numbers, or of right and wrong, in which the tables differ; the likeliest first."""
    from outperform.io.guessing import ids_of
    from outperform.io.judged import are_judged
    from outperform.io.names import COSTS, says_predicted, words_in

    ids = {id_, *ids_of(columns, len(tables[0].lines))}
    judged = {column.name for column in columns if are_judged(tables[0].values[column.name])}
    found = [
        column
        for column in columns
        if (column.numbers or column.whole or column.name in judged)
        and not (column.name in ids or says_predicted(column.name) or _agree(tables, column.name, id_))
    ]
    return [
        column.name
        for column in sorted(
            found,
            key=lambda c: (bool(set(words_in(c.name)) & set(COSTS)), c.name not in judged, not c.numbers),
        )
    ]


def _agree(tables: Sequence[Columns], name: str, id_: str | None) -> bool:
    """Whether all tables have the same values in a column, item by item."""
    keys = [range(len(table.lines)) if id_ is None else map(str, table.values[id_]) for table in tables]
    first, *others = (dict(zip(key, table.values[name], strict=True)) for key, table in zip(keys, tables, strict=True))
    return all(first[key] == value for other in others for key, value in other.items() if key in first)
