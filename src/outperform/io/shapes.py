"""Tables of another shape than a column per system: they are recognised, and refused with what to do."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Sequence

from outperform.base.errors import DataError, unusable
from outperform.data.class_scores import by_class
from outperform.io.conversion import in_python
from outperform.io.files import Columns
from outperform.io.guessing import Guess, SeenColumn, named_id
from outperform.io.indicators import check_indicators
from outperform.io.mistaken import TAG
from outperform.io.names import plain
from outperform.io.summaries import check_rows

__all__ = ["WINNER", "check_shape", "check_tags", "scores_by_class", "spelt_otherwise"]

VOTES = {"model_a", "model_b", "winner"}
WINNER = "winner"
REPORT = {"precision", "recall", "f1-score", "support"}
DATASETS = ("task", "dataset", "data set", "data_set", "benchmark", "corpus")
MOST_DATASETS = 50  # more rows are items
RUN = re.compile(r"(?P<system>.+?)[ _.-]*(?:seed|run|rep|repeat|trial)[ _.-]?\d+", re.IGNORECASE)
MOST_NUMBERED, SHOWN = 200, 4  # classes, and how many of them are shown
SYSTEMS = ("model", "system", "classifier", "method", "clf")
MODELS = ("modelname", "modelnames", "models", "systemname", "systems", "runname")  # of a column with a row for each
REPEATS = ("seed", "run", "repeat", "repetition", "trial")
FOLDS = ("fold", "split", "cv")
MEASURES = {
    "accuracy", "acc", "f1", "f1 score", "macro f1", "micro f1", "precision", "recall", "auc", "roc auc", "mcc",
    "kappa", "bleu", "rouge", "map", "mrr", "ndcg", "loss", "specificity", "sensitivity", "exact match", "em",
    "balanced accuracy",
}  # fmt: skip
YES_AND_NO = (
    {"1", "0"},
    {"yes", "no"},
    {"y", "n"},
    {"true", "false"},
    {"t", "f"},
    {"positive", "negative"},
    {"pos", "neg"},
)


def check_shape(table: Columns, columns: Sequence[SeenColumn], guessed: Guess) -> None:
    """Refuse votes, reports, lists as text, sentences of tags, a row per system or measure, and scores of folds."""
    if _are_votes(columns, guessed):
        found = f"{table.source} holds votes on pairs of systems, which are not compared"
        raise DataError(f"{found}; give a score per item, in a column per system")
    if set(" ".join(table.values).split()) >= REPORT:
        found = f"{table.source} is a classification report, with scores of classes and without items"
        raise DataError(f"{found}; give the true labels and the predictions, item by item")
    truth = next((column for column in columns if column.name == guessed.truth), None)
    if truth and len(truth.labels) > 1 and all(text.startswith("[") and text.endswith("]") for text in truth.labels):
        found = f"in {table.source} the labels in {truth.name} are lists written as text, such as {truth.labels[0]}"
        advice = "write JSON lines, or labels with a sign between them, which {separator} names"
        raise unusable("{found}; " + advice, found=found)
    check_tags(table, columns, guessed)
    check_rows(table, columns)
    check_indicators(table.source, columns)
    _check_measures(table, columns)
    _check_runs(table, guessed)
    _check_long(table, columns, guessed)
    _check_means(table, columns, guessed)
    once = [column.name for column in columns if column.different == len(table.lines)]  # else items have folds
    fold = next((name for name in once if name.casefold() in FOLDS), None)
    if guessed.truth is None and len(guessed.predictions) == 2 and fold is not None:
        command = ["outperform", "compare-folds", table.source, "--systems", *guessed.predictions, "--fold", fold]
        found = f"{table.source} has scores by {fold}; if each is of the test items of a fold of one cross-validation"
        raise unusable("{found}, {run:{line}}", found=found, line=shlex.join([*command, "--runs", "1"]))


def _are_votes(columns: Sequence[SeenColumn], guessed: Guess) -> bool:
    """Whether a column says which of two other columns has the winner, and nothing predicts it."""
    names = {column.name for column in columns}
    winners = [c.name for c in columns if WINNER in c.name.casefold() and len({*c.labels} & names) > 1]
    predicted = guessed.truth in winners and bool(guessed.predictions)
    apart = sum(WINNER in name.casefold() for name in names) > 1 and len(names & VOTES) > 1  # a column for each answer
    return names >= VOTES or apart or (bool(winners) and not predicted)


def check_tags(table: Columns, columns: Sequence[SeenColumn], guessed: Guess) -> None:
    """Refuse rows with the tags of a whole sentence in lists: as sets of labels they would lose their order."""
    labels = {column.name: column.labels for column in columns}
    named = [name for name in (guessed.truth, *guessed.predictions) if name in table.values]
    tagged = [name for name in named if set(labels[name]) - {"O"} and all(map(TAG.fullmatch, labels[name]))]
    if not tagged or guessed.truth not in tagged or not isinstance(table.values[tagged[0]][0], list):
        return
    words = next((n for n, v in table.values.items() if n not in tagged and isinstance(v[0], list)), tagged[0])
    lists = ", ".join(f".[{json.dumps(name)}]" for name in (words, *tagged))
    shell = f'jq -r \'([{lists}] | transpose[] | map(tostring) | join(" ")), ""\' {shlex.quote(table.source)}'
    found = f"{table.source} has the tags of a sentence in each row; a token and its tags on each line are expected"
    raise unusable("{found}{as_from:{shell}}", found=found, shell=f"{shell} > sentences.conll")


def _check_measures(table: Columns, columns: Sequence[SeenColumn]) -> None:
    """Refuse a row per measure, which says nothing of items."""
    for column in columns:
        words = {" ".join(label.casefold().replace("_", " ").replace("-", " ").split()) for label in column.labels}
        if len(words & MEASURES) > 1 and 2 * len(words & MEASURES) >= len(words) and len(words) == len(table.lines):
            found = f"{table.source} has a row for each measure, without items"
            raise DataError(f"{found}; give the true labels and the predictions, item by item")


def _check_runs(table: Columns, guessed: Guess) -> None:
    """Refuse several runs of each of two systems, which a ranking would take for systems of their own."""
    found = [match for name in guessed.predictions if (match := RUN.fullmatch(name))]
    often = Counter(match["system"] for match in found)
    if guessed.truth is None or guessed.scores or len(found) < len(guessed.predictions):
        return
    if len(often) != 2 or len(set(often.values())) != 1 or len(found) < 4:
        return
    runs = {name: [match[0] for match in found if match["system"] == name] for name in often}
    hits = ", ".join(
        f"{name!r}: frame[{columns}].eq(frame[{guessed.truth!r}], axis=0)" for name, columns in runs.items()
    )
    name_two = f"{table.source} has {len(found) // 2} runs of each of {' and '.join(often)}; name two columns with"
    ready = f"to compare their accuracy over all runs, in pandas: op.compare_scores({{{hits}}}, rope=0.01)"
    raise unusable("{found} {predictions} or, {ready}", found=name_two, ready=ready)


def _check_long(table: Columns, columns: Sequence[SeenColumn], guessed: Guess) -> None:
    """Refuse a row per item and system, or per data set and system."""
    system = next((column for column in columns if column.name.casefold() in SYSTEMS and len(column.labels) > 1), None)
    if system is None or system.name in guessed.predictions:
        return
    rest = [column for column in columns if column is not system]
    items = [column for column in rest if column.different < len(table.lines) and _tell_apart(table, system, column)]
    units = (*DATASETS, *FOLDS, *REPEATS)
    item = next((column for column in items if named_id(column) or column.name.casefold() in units), None)
    scores = [column.name for column in rest if column is not item and (column.numbers or column.whole)]
    truth = guessed.truth if guessed.truth != system.name else None
    said = guessed.predictions if len(guessed.predictions) == 1 else tuple(scores) if truth is None else ()
    _check_folds(table, system, rest)
    if item is None or len(said) != 1:
        return
    if item.name.casefold() in DATASETS and truth is None:
        command = ["outperform", "compare-datasets", table.source, "--system", system.name, "--score", said[0]]
        pair = ["--systems", *system.labels[:2]] if len(system.labels) > 2 else []
        found = f"{table.source} has a score for each {system.name} and {item.name}; to compare over them"
        line = shlex.join([*command, "--dataset", item.name, *pair])
        raise unusable("{found}, {run:{line}}", found=found, line=line)
    index = [name for name in (item.name, truth) if name]
    pivot = f"frame.pivot(index={index!r}, columns={system.name!r}, values={said[0]!r})"
    one = "item" if named_id(item) else item.name
    raise unusable(
        "{found}; a column for each {system} is expected, as pandas writes it: {python}; then {run:{line}}",
        found=f"{table.source} has a row for each {one} and {system.name}",
        system=system.name,
        python=in_python(table.source, f"{pivot}.reset_index().to_csv('wide.csv', index=False)"),
        line="outperform wide.csv",
    )


def _tell_apart(table: Columns, *columns: SeenColumn) -> bool:
    """Whether no two rows are alike in these columns."""
    rows = zip(*(map(str, table.values[column.name]) for column in columns), strict=True)
    return len(set(rows)) == len(table.lines)


def _check_folds(table: Columns, system: SeenColumn, rest: Sequence[SeenColumn]) -> None:
    """Refuse a row per system, run and fold of a cross-validation that was run several times."""
    found = [next((c for c in rest if c.name.casefold() in names), None) for names in (REPEATS, FOLDS)]
    scores = [column.name for column in rest if column.numbers]
    run, fold = found
    if run is None or fold is None or len(scores) != 1 or not _tell_apart(table, system, run, fold):
        return
    command = ["outperform", "compare-folds", table.source, "--system", system.name, "--score", scores[0]]
    pair = ["--systems", *system.labels[:2]] if len(system.labels) > 2 else []
    raise unusable(
        "{found}; to compare over the folds, {run:{line}}",
        found=f"{table.source} has a score for each {system.name}, {run.name} and {fold.name}",
        line=shlex.join([*command, "--run", run.name, "--fold", fold.name, *pair]),
    )


def _check_means(table: Columns, columns: Sequence[SeenColumn], guessed: Guess) -> None:
    """Refuse a score per system and data set, in a column per data set or in a column per system."""
    few = [column.name for column in columns if column.different == len(table.lines) <= MOST_DATASETS]
    system = next((name for name in few if name.casefold() in SYSTEMS or plain(name) in MODELS), None)
    dataset = next((name for name in few if name.casefold() in DATASETS), None)
    of_system = system is not None and guessed.truth == system
    if guessed.truth not in (None, system, dataset) or (len(guessed.predictions) < 2 and not of_system):
        return
    if system is not None:
        pair = shlex.join(map(str, table.values[system][:2]))
        turned = f"frame.set_index({system!r}).T.rename_axis('task').to_csv('tasks.csv')"
        found = (
            f"{table.source} has a row for each {system}; a row for each data set and a column for each {system} are "
            f"expected, as pandas writes them: {turned}"
        )
        line = f"outperform compare-datasets tasks.csv --systems {pair} --dataset task"
        raise unusable("{found}; then {run:{line}}", found=found, line=line)
    if dataset is not None:
        command = ["outperform", "compare-datasets", table.source, "--systems", *guessed.predictions[:2]]
        found = f"{table.source} has a score for each {dataset}, and not for each item; to compare over them"
        line = shlex.join([*command, "--dataset", dataset])
        raise unusable("{found}, {run:{line}}", found=found, line=line)


def scores_by_class(columns: Sequence[SeenColumn], guessed: Guess) -> dict[str, tuple[str, ...]]:
    """Return the columns of each class, as in lr_cat, lr_dog, lr_owl, where these leave a choice; else empty.

    Of two classes, those of one system do: they are compared with nothing, and which of them is scored is to be said.
    """
    truth = next((column for column in columns if column.name == guessed.truth), None)
    if truth is None or not guessed.scores or (len(truth.labels) == 2 and not guessed.aside):
        return {}
    systems = by_class([*guessed.predictions, *guessed.aside], truth.labels)
    if not systems or (len(truth.labels) == 2 and len(systems) > 1):
        return {}
    ordered = truth.labels if len(truth.labels) > 2 else sorted(truth.labels, key=lambda label: label != truth.asked)
    return {label: tuple(system[label] for system in systems) for label in ordered}


def spelt_otherwise(columns: Sequence[SeenColumn], guessed: Guess) -> str:
    """Say which column has yes and no where the truth has 1 and 0, or numbers for its names; empty if none has."""
    truth = next((column for column in columns if column.name == guessed.truth and column.labels), None)
    other = next((column for column in columns if truth and _are_twins(truth, column)), None)
    if truth is None or other is None:
        return ""
    return f"{truth.name} has {_in_words(truth.labels)}, and {other.name} has {_in_words(other.labels)}"


def _are_twins(truth: SeenColumn, other: SeenColumn) -> bool:
    """Whether two columns say yes and no in two ways, or one numbers as many classes as the other names."""
    pair = [{label.casefold() for label in column.labels} for column in (truth, other)]
    if truth.name != other.name and all(labels in YES_AND_NO for labels in pair):
        return True
    numbered = truth.whole != other.whole and not (truth.numbers or other.numbers)
    return numbered and 2 <= len(pair[0]) == len(pair[1]) <= MOST_NUMBERED


def _in_words(labels: Sequence[str]) -> str:
    shown = list(labels[:SHOWN])
    if len(labels) > SHOWN:
        return f"{', '.join(shown)}, …"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
