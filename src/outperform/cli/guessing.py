"""What can be asked of files that come without options: a verb and complete options, or a doubt between several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outperform.base.errors import DataError, UndecidedError, listing
from outperform.base.sentences import SEEN, worded
from outperform.cli.asked import MOST_NAMES, Asked, Doubt, Found, joined
from outperform.cli.matching import shared_id, without_ids
from outperform.cli.per_file import check_scores, check_solution, scored_by_file
from outperform.cli.reading import ALL, PILOT, has_tasks, refuse_logs, scores_of
from outperform.cli.scored import of_measures, of_right
from outperform.data.diagnosis import is_number
from outperform.options import Options, command
from outperform.options.options import measure_of

if TYPE_CHECKING:
    from outperform.io.files import Columns
    from outperform.io.guessing import Guess, SeenColumn
    from outperform.io.looking import Look

MOST_SEEN = 1000  # values of a column of which the notation is looked at
NUMBERS = "mae"  # by which predicted numbers are scored
TAKES = {
    "estimate": (1, inf),
    "compare": (2, 2),
    "compare-datasets": (2, 2),
    "rank": (2, inf),
    "report": (2, inf),
    "plan": (2, 2),
    "power": (2, 2),
    "sensitivity": (2, 2),
    "count": (1, inf),
}  # systems that a verb is for
OF_LABELS = ("plan", "power", "sensitivity", "count")  # verbs that take labels, and no scores of items

__all__ = ["NUMBERS", "found_by", "found_in", "found_in_logs", "usual_verb"]


def found_in(files: Sequence[str], verb: str | None, options: Options) -> Found:
    """Look at files and return what can be asked of them."""
    from outperform.io.looking import look

    return found_by(look(files), verb, options)


def found_by(seen: Look, verb: str | None, options: Options) -> Found:
    """Return what can be asked of files that were looked at."""
    if seen.kind != "log":
        refuse_logs(options)
    elif verb in OF_LABELS:
        raise DataError(PILOT)
    ways = {"table": _of_table, "log": _of_logs, "tagged": _of_tags, "confusion": _of_confusion}
    return ways[seen.kind](seen, verb, options)


def usual_verb(systems: int) -> str:
    """Return the verb for so many systems."""
    return {1: "estimate", 2: "compare"}.get(systems, "rank")


def _of_systems(verb: str | None, names: Sequence[str], ready: Asked, role: str | None) -> Found:
    """Return the question about so many systems, or a doubt where the verb takes another number of them.

    `role` is the option that names the systems, of which two can be chosen.
    """
    usual, source = usual_verb(len(names)), ready.options.files[0]
    least, most = TAKES[verb or usual]
    if verb is not None and least <= len(names) <= most:
        return replace(ready, verb=verb)
    asked, two = replace(ready, verb=usual), replace(ready, verb=verb or "compare")
    alone: Sequence[str] = ready.options.given("by") if usual == "rank" else ready.options.given("by", "rope", "fdr")
    if usual == "rank" and ready.options.average == "per_class":  # a ranking has one average
        alone = ("average",)
    if verb is None and (usual == "compare" or not alone):
        return asked
    if usual == "estimate":
        only = asked.but(by=(), rope=None, fdr=None)
        reason = f"{source} has one system, {names[0]}, and a comparison takes two; to estimate its score"
        return Doubt(reason, "", {"estimate its score": lambda: only})
    pairs = {f"{two.verb} {a} and {b}": partial(two.but, **{role: (a, b)}) for a, b in combinations(names, 2) if role}
    ranked = {} if alone or verb in OF_LABELS else {f"rank all {len(names)}": lambda: asked}
    reason = f"{source} has {len(names)} systems, {joined(names)}, and {two.verb} takes two"
    first = "to rank all" if ranked else f"for {names[0]} and {names[1]}"
    return Doubt(f"{reason}; {first}", "Which systems?", {**ranked, **pairs})


def _of_table(seen: Look, verb: str | None, options: Options) -> Found:
    """Columns of one table, or of several with ids."""
    from outperform.io.guessing import columns_in, guess
    from outperform.io.shapes import check_shape, scores_by_class, spelt_otherwise
    from outperform.io.summaries import check_rows

    first = seen.tables[0]
    values = {name: column for table in reversed(seen.tables) for name, column in table.values.items()}
    order = dict.fromkeys(name for table in seen.tables for name in table.values)
    whole = replace(first, values={name: values[name] for name in order})
    taken = {*options.by, options.cluster, options.strata, options.weights, options.n, options.id}
    columns = [column for column in columns_in(whole) if column.name not in taken]
    numbers = options.by_item if options.measure else None
    guessed = guess(columns, len(first.lines), options.truth, options.predictions, numbers=numbers)
    check_rows(first, columns)
    if len(seen.tables) == 1:
        check_shape(first, columns, guessed)
    elif scored := scored_by_file(seen.tables, columns, guessed, options):
        return scored
    else:
        check_solution(seen.tables, guessed, options)
    by_roles = partial(_of_roles, seen, verb, options, columns)
    alone = len(seen.tables) == 1 and verb not in OF_LABELS
    if alone and (
        doubt := of_right(first, options, guessed, by_roles) or of_measures(first, options, guessed, by_roles)
    ):
        return doubt
    if not guessed.predictions or (guessed.truth is None and not guessed.scores):
        _check_notation(first)
        shared = len(seen.tables) > 1 and all(guessed.truth in table.values for table in seen.tables)
        if not shared and (spelt := spelt_otherwise(columns, guessed)):
            raise DataError(f"in {first.source} labels are spelt in two ways: {spelt}; write them alike")
        raise _nothing(seen.tables, guessed, options)
    options = replace(options, tables=seen.tables if seen.whole else ())
    if by_class := scores_by_class(columns, guessed):
        return _which_class(seen, verb, options, columns, guessed, by_class)
    if (seen.named and guessed.sure) or options.truth:
        return _of_roles(seen, verb, options, columns, guessed)
    _check_notation(first)
    return _which_truth(seen, verb, options, columns, guessed)


def _check_notation(table: Columns) -> None:
    """Refuse columns of numbers that are written otherwise than with digits and a point: they look like labels."""
    from outperform.io.align import no_number
    from outperform.io.typed import unread, with_points

    for name, values in table.values.items():
        written = [value for value in with_points(values[:MOST_SEEN]) if isinstance(value, str) and value.strip()]
        odd = next((value for value in written if unread(value)), None)
        if odd is not None and all(is_number(value) or unread(value) for value in written):
            raise no_number(table, table.lines[values.index(odd)], name, odd)


def _nothing(tables: Sequence[Columns], guessed: Guess, options: Options) -> DataError:
    """The error for tables in which nothing is recognised."""
    from outperform.io.judged import are_judged
    from outperform.io.side_by_side import new_names
    from outperform.io.summaries import check_flat

    check_flat(tables)
    table = tables[0]
    known, missing = ", ".join(table.values), command("predictions" if guessed.truth else "truth", "")
    for name in (options.truth, *options.predictions):
        if name is not None and name not in table.values:
            from outperform.io.mistaken import no_column

            return no_column(name, {table.source: table.values})
    if len(table.values) == 1:
        return DataError(f"{table.source} has one column, {known}; a truth and a column per system are expected")
    if len(tables) > 1 and guessed.truth and (advice := new_names(tables, guessed.truth)):
        return DataError(f"nothing predicts {guessed.truth}; {advice}")
    if guessed.truth and not guessed.sure and are_judged(table.values[guessed.truth]):
        found = f"{table.source} has one column of right and wrong, {guessed.truth}"
        return DataError(f"{found}; name the files of two systems")
    why = f"nothing predicts {guessed.truth}" if guessed.truth else "nothing looks like predictions or scores"
    return DataError(f"{table.source}: {why}; say which column to read with {missing}; it has {known}")


def _which_truth(
    seen: Look, verb: str | None, options: Options, columns: Sequence[SeenColumn], guessed: Guess
) -> Found:
    """Nothing but its place makes a column the truth: offer each, and scores where all are numbers."""
    from outperform.io.guessing import guess
    from outperform.io.judged import are_judged, says_right

    by_name, rows = {column.name: column for column in columns}, len(seen.tables[0].lines)
    offered = [name for name in (guessed.truth, *guessed.predictions) if name is not None]
    alike = [name for name in offered if not by_name[name].numbers] or offered

    def taken(truth: str) -> Found:
        return _of_roles(seen, verb, options, columns, guess(columns, rows, truth, options.predictions))

    def as_scores() -> Found:
        scores = replace(guessed, truth=None, predictions=tuple(offered), scores=True, measure=None)
        return _of_roles(seen, verb, options, columns, scores)

    choices: dict[str, Callable[[], Found]] = {name: partial(taken, name) for name in alike}
    right = all(says_right(by_name[name].labels) for name in offered)
    numeric = right or all(c.numbers or c.whole or are_judged(c.labels) for c in map(by_name.__getitem__, offered))
    if numeric and verb in OF_LABELS:
        raise DataError(PILOT)
    if numeric and seen.named:
        none = {f"none; {joined(offered)} are scores per item": as_scores}
        choices = {**none, **choices} if right or len(offered) == 2 else {**choices, **none}
    source = seen.tables[0].source
    if not seen.named:
        reason = f"{source} has no header, so that its columns have no names; if they are as here"
    elif numeric and (right or len(offered) == 2):
        reason = f"{source} does not say which column is the truth; if {joined(offered)} are scores per item"
    else:
        reason = f"{source} does not say which column is the truth; if it is {alike[0]}"
    return Doubt(reason, "Which column is the truth?", choices)


def _which_class(
    seen: Look,
    verb: str | None,
    options: Options,
    columns: Sequence[SeenColumn],
    guessed: Guess,
    by_class: Mapping[str, tuple[str, ...]],
) -> Found:
    """Each class has a score of its own: offer to set each against the rest."""

    def taken(label: str) -> Found:
        chosen, scores = replace(options, pos_label=label), replace(guessed, predictions=by_class[label], aside=())
        return _of_roles(seen, verb, chosen, columns, scores)

    if options.pos_label in by_class:
        return taken(str(options.pos_label))
    first, systems = next(iter(by_class)), len(next(iter(by_class.values())))
    of_one = "" if systems > 1 else f", {joined([name for (name,) in by_class.values()])}, of one system"
    found = f"{seen.tables[0].source} has a score for each of {len(by_class)} classes{of_one}"
    reason = f"{found}; for {first} against the rest"
    return Doubt(reason, "Which class against the rest?", {label: partial(taken, label) for label in by_class})


def _of_roles(seen: Look, verb: str | None, options: Options, columns: Sequence[SeenColumn], guessed: Guess) -> Found:
    """Options from the roles of columns; those that were typed win."""
    roles: dict[str, Any] = {"n": guessed.n, "separator": guessed.separator, "measure": guessed.measure}
    roles["cluster"] = None if options.given("by", "weights", "n", "model", "strata") else guessed.cluster
    if guessed.truth is None:
        roles |= {"scores": guessed.predictions, "n": None, "lower_is_better": guessed.lower}
    else:
        roles |= {"truth": guessed.truth, "predictions": guessed.predictions}
        if not guessed.scores:
            roles |= _classes(columns, guessed, options, seen.tables[0])
        elif guessed.measure == "roc_auc" and not options.pos_label:
            roles["pos_label"] = next(column.positive for column in columns if column.name == guessed.truth)
    if guessed.scores or roles["separator"] is not None:
        roles["n"] = None
    if guessed.scores and verb in OF_LABELS:
        raise DataError(PILOT)
    if verb == "count":
        roles |= dict.fromkeys(("cluster", "measure", "pos_label", "average"))
    named = options.predictions or guessed.predictions
    systems = [name for name in named for table in seen.tables if name in table.values]
    if len(seen.tables) > 1 and options.model != "unpaired":
        roles["id"] = options.id or shared_id(seen.tables)
    open_ = {name: value for name, value in roles.items() if value and not options.given(name)}
    ready = Asked("compare", options, seen.pipe, seen.how, guessed.aside).but(**open_)
    if len(seen.tables) > 1 and options.model != "unpaired" and ready.options.id is None:
        return without_ids(ready, guessed)
    role = "scores" if guessed.truth is None else "predictions"
    check_scores(seen.tables, guessed)
    if role == "scores" and len(systems) == 1:
        _check_notation(seen.tables[0])
        raise DataError(f"{options.files[0]} has one column of scores, {systems[0]}; a comparison takes two")
    return _of_classes(seen, verb, systems, ready, role if len(seen.tables) == 1 else None)


def _of_classes(seen: Look, verb: str | None, systems: Sequence[str], ready: Asked, role: str | None) -> Found:
    """Offer to take every label that occurs for a class, where labels are predicted that are never true."""
    found = _never_true(seen.tables, ready.options)
    if not found:
        return _of_systems(verb, systems, ready, role)
    if _are_amounts(seen.tables, ready.options):
        numbers = ready.but(measure=NUMBERS).but(average=None)
        choices = {"numbers": lambda: _of_systems(verb, systems, numbers, role)}
        return Doubt(f"{found}; if they are numbers and not classes", "", choices)
    every = ready.but(labels=(SEEN,))
    choices = {"every label that occurs is a class": lambda: _of_systems(verb, systems, every, role)}
    return Doubt(f"{found}; if every label that occurs is a class", "", choices)


def _never_true(tables: Sequence[Columns], options: Options) -> str:
    """Return which labels of many classes are predicted and never true, if nothing else is odd about them."""
    from outperform.data.diagnosis import is_new
    from outperform.io.tables import holds_lists

    used = [(table, name) for table in tables for name in options.predictions if name in table.values]
    held = [*used, *((table, str(options.truth)) for table in tables if options.truth in table.values)]
    if not options.average or options.given("separator", "labels", "drop_missing"):
        return ""
    if any(holds_lists(table, name) for table, name in held):
        return ""
    true = {label for table in tables for label in table.values.get(str(options.truth), ())}
    for table, name in used:
        if alien := [label for label in dict.fromkeys(table.values[name]) if label not in true]:
            new = all(is_new(label, true) for label in alien[:MOST_NAMES])
            return f"{name} predicts {listing(alien, 3)}, which {options.truth} never has" if new else ""
    return ""


def _are_amounts(tables: Sequence[Columns], options: Options) -> bool:
    """Whether most values of the truth are whole numbers that occur once or twice, as prices and quantities are."""
    values = [value for table in tables for value in table.values.get(str(options.truth), ())]
    whole = all(isinstance(value, int | str) and str(value).removeprefix("-").isdecimal() for value in values)
    return whole and not options.measure and 3 * len({*values}) > len(values) > MOST_NAMES


def _classes(columns: Sequence[SeenColumn], guessed: Guess, options: Options, table: Columns) -> dict[str, str | None]:
    """The positive class, or the average of many classes, as the page has them."""
    from outperform.io.tables import holds_lists

    if options.pos_label or options.average or options.by_item:
        return {}
    truth = next(column for column in columns if column.name == guessed.truth)
    sets = guessed.separator is not None or (guessed.truth in table.values and holds_lists(table, str(guessed.truth)))
    if sets or truth.different > 2:
        own = not sets and measure_of(options.measure, options.beta).multiclass is not None
        return {"average": None if own else "macro"}
    return {"pos_label": truth.positive}


def found_in_logs(format_: str, verb: str | None, options: Options) -> Found:
    """Return what can be asked of logs; what they offer several of is for the user to choose."""
    from outperform.io.logs import offered

    options = replace(options, logs=format_)
    try:
        read = scores_of(options)
    except UndecidedError as open_:
        if open_.what == "metric" and format_ == "table" and len(options.files) == 1 and options.id is None:
            return found_in_logs(format_, verb, replace(options, metric=open_.known))
        found = worded(open_, command).rpartition("; choose one")[0]
        several = open_.what == "task" and verb in (None, "compare")  # each can be compared
        chosen = {f"all {open_.what}s": ALL} if several else {}
        chosen |= {name: name for name in offered(open_)}
        choices = {
            name: partial(found_in_logs, format_, verb, _added(options, open_.what, value))
            for name, value in chosen.items()
        }
        return Doubt(found, f"Which {open_.what}?", choices, named=True)
    scores = read[0] if read else None
    if scores and has_tasks(options):
        scores = next(iter(scores.values()))
    systems = list(scores.values) if scores else []
    if len(systems) < 2:
        raise DataError(f"{options.files[0]} is the log of one system; name the logs of two")
    if len(options.metric) > 1:
        return _of_systems(verb, systems, Asked("compare", options), "metric")
    nameable = format_ != "table" and verb != "compare-datasets"  # by --scores, which these do not take for logs
    inside = len(options.files) == 1 and nameable  # one log or folder, whose order nobody typed
    ready = Asked("compare", replace(options, scores=tuple(systems)) if inside else options)
    return _of_systems(verb, systems, ready, "scores")


def _added(options: Options, what: str, value: str) -> Options:
    """Options with one more choice, beside those for other tasks."""
    changes: dict[str, Any] = {what: value if what == "id" else (*getattr(options, what), value)}
    return replace(options, **changes)


def _of_logs(seen: Look, verb: str | None, options: Options) -> Found:
    return found_in_logs(str(seen.format), verb, options)


def _of_tags(seen: Look, verb: str | None, options: Options) -> Found:
    """Tagged files: a file each, the truth first; or columns of one file, the truth first."""
    ready = Asked("compare", replace(options, unit="sentence"))
    if len(options.files) > 1:
        from outperform.io.sequences import check_truths

        check_truths(options.files)
        return _of_systems(verb, [Path(file).name for file in options.files[1:]], ready, None)
    truth, *others = map(str, seen.tags)
    if not others:
        found = f"{options.files[0]} has one column of tags"
        raise DataError(f"{found}; name the file of the true tags first, then those of the taggers")
    ready = ready.but(truth=options.truth or truth, predictions=options.predictions or tuple(others))
    return _of_systems(verb, ready.options.predictions, ready, "predictions")


def _of_confusion(seen: Look, verb: str | None, options: Options) -> Found:
    """Confusion matrices, one per system."""
    from outperform.io.guessing import positive_of

    options = replace(options, confusion=True)
    if not options.given("average", "pos_label", "measure") and len(seen.often) > 2:
        options = replace(options, average="macro")
    elif not options.given("average", "pos_label"):
        options = replace(options, pos_label=positive_of(dict(seen.often)))
    return _of_systems(verb, options.files, Asked("compare", options), "files")
