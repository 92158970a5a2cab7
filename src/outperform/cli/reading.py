"""What was typed becomes what the library takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outperform.base.errors import DataError, listing

if TYPE_CHECKING:
    from outperform.data.counts import Counts
    from outperform.data.labels import Label
    from outperform.measures.of_counts import Measure
    from outperform.models import Model
    from outperform.planning.truths import Truth
    from outperform.verdicts.decision import RopeLike

__all__ = [
    "OF_PRIORS", "counts_of", "fdr_of", "label_of", "measure_of", "model_of", "numbers_of", "prior_of", "pseudo_counts",
    "question_of", "refuse_priors", "rope_of", "totals_of", "world_of",
]  # fmt: skip

OF_FILES = (
    "truth", "id_column", "count", "weight", "separator", "confusion", "unit", "scheme", "strict", "untyped", "labels",
    "drop_missing",
)  # fmt: skip
OF_COLUMNS = ("truth", "id_column", "count", "weight", "separator", "by", "drop_missing")
OF_VARIABLES = {
    "prior_mu": "mu",
    "prior_theta": "theta",
    "prior_positive": "theta_positive",
    "prior_negative": "theta_negative",
    "prior_eta": "eta",
}  # options that are priors of variables
OF_PRIORS = ("prior", *OF_VARIABLES, "sampler")
TAGGED = (".conll", ".iob", ".bio", ".tags")  # endings of tagged files


def counts_of(options: dict[str, Any]) -> Counts:
    """Read the files: saved counts, tagged sentences, confusion matrices, or columns."""
    from outperform.data.storing import is_counts_file
    from outperform.io import read_confusion

    files = options["files"]
    if not files:
        raise DataError("name a file, or - for standard input, before --predictions, which takes all words after it")
    if options.get("multilabel") and not options["by"]:
        raise DataError("--multilabel goes with --by, the column of labels")
    if all(map(is_counts_file, files)):
        return _saved(files, options)
    tagged = all(Path(file.removesuffix(".gz")).suffix in TAGGED for file in files)
    if tagged or any(options[name] for name in ("unit", "scheme", "strict", "untyped")):
        return _chunks(files, options)
    if options["confusion"]:
        if options["predictions"] or any(options.get(name) for name in OF_COLUMNS):
            raise DataError("a confusion matrix has no columns to choose; give the files and --labels alone")
        return read_confusion(files, labels=options["labels"] or None)
    return _columns(files, options)


def _columns(files: Sequence[str], options: dict[str, Any]) -> Counts:
    """Read columns of labels."""
    from outperform.io import column_names, read_counts, read_test_sets

    truth, predictions, labels = options["truth"], list(options["predictions"]), options["labels"] or None
    if not truth or not predictions:
        columns = column_names(files[0])
        if {"doc_id", "resps"} <= set(columns):
            raise DataError(f"{files[0]} is a log of lm-eval, with samples; say --from lm-eval")
        missing = "--truth" if not truth else "--predictions"
        hint = "" if truth or predictions else " (and say --unit if these are tagged files)"
        raise DataError(f"say which column to read with {missing}; {files[0]} has {', '.join(columns)}{hint}")
    if options["model"] == "unpaired" and len(files) > 1:
        for option in OF_COLUMNS[1:]:
            if options.get(option):
                raise DataError(f"{_spelt(option)} has no use for files of different items; leave it out")
        return read_test_sets(files, truth=truth, predictions=predictions, labels=labels)
    counts = read_counts(
        files,
        truth=truth,
        predictions=predictions,
        id=options["id_column"],
        labels=labels,
        n=options["count"],
        weights=options["weight"],
        separator=options["separator"],
        by_item=options["average"] == "samples",
        by=list(options.get("by", ())) or None,
        missing="drop" if options["drop_missing"] else "raise",
        progress=True,
    )
    return counts.as_labels() if options.get("multilabel") else counts


def _saved(files: Sequence[str], options: dict[str, Any]) -> Counts:
    """Counts that were saved: parts of the data add up, classifiers on test sets of their own stand side by side."""
    from outperform.data.counts import Counts

    for name in ("predictions", "by", *OF_FILES):
        if options.get(name):
            raise DataError(f"{_spelt(name)} has no use for counts that were saved; leave it out")
    each = [Counts.load(file) for file in files]
    if options["model"] == "unpaired" and len({own.classifiers for own in each}) > 1:
        return Counts.side_by_side(*each)
    return sum(each[1:], start=each[0])


def _spelt(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.removesuffix('_column').replace('_', '-')}"


def world_of(options: dict[str, Any]) -> Truth | Counts:
    """What is supposed, or the results in the files."""
    from outperform.planning.truths import Truth

    table = {name: options[name] for name in ("mu", "positive", "negative")}
    scored = {name: options[name] for name in ("scores", "prevalence", "agreement")}
    given = [f"--{name}" for name, value in (table | scored).items() if value is not None]
    if options["files"] and given:
        raise DataError(f"give files or what is supposed, not both; got files and {', '.join(given)}")
    if options["files"] or options["predictions"]:
        return counts_of(options)
    idle = [name for name in (*OF_FILES, *(("average", "pos_label") if scored["scores"] else ())) if options[name]]
    if given and idle:
        raise DataError(f"{_spelt(idle[0])} has no use where two classes are supposed; leave it out")
    if scored["scores"] is not None and not any(value is not None for value in table.values()):
        if scored["prevalence"] is None:
            raise DataError("--scores needs --prevalence, the share of positive items")
        a, b = numbers_of("--scores", scored["scores"], 2)
        measure = measure_of(options["measure"], options["beta"])
        return Truth.from_scores(a, b, prevalence=scored["prevalence"], agreement=scored["agreement"], measure=measure)
    if None in table.values() or any(value is not None for value in scored.values()):
        raise DataError(
            "name files of results, or suppose: --mu, --positive and --negative, or --scores and --prevalence"
            + (f"; got {', '.join(given)}" if given else "")
        )
    positive, negative = (numbers_of(f"--{name}", table[name], 4) for name in ("positive", "negative"))
    return Truth(table["mu"], positive, negative)


def numbers_of(option: str, text: str, size: int) -> tuple[float, ...]:
    """So many numbers between commas."""
    with suppress(ValueError):
        numbers = tuple(map(float, text.split(",")))
        if len(numbers) == size:
            return numbers
    raise ValueError(f"{option} takes {size} numbers with commas between them, got {text!r}")


def question_of(options: dict[str, Any], counts: Counts) -> dict[str, Any]:
    """Options as the library takes them."""
    return {
        "measure": measure_of(options["measure"], options["beta"]),
        "average": options["average"],
        "pos_label": label_of(options["pos_label"], counts.classes),
        "model": model_of(options, counts),
        "mass": options["mass"],
        "draws": options["draws"],
        "zero_division": options["zero_division"],
        "rng": options["seed"],
    }


def measure_of(name: str | None, beta: float | None) -> str | Measure:
    """A measure by name, F_β with its β; by default F1."""
    from outperform.measures.of_counts import f_beta, resolve

    name = name or "f1"
    if name != "f_beta":
        if beta is not None:
            raise ValueError(f"--beta goes with --measure f_beta, not with {name}")
        return resolve(name)
    if beta is None:
        raise ValueError("--measure f_beta needs --beta, a number of at least 0")
    return f_beta(beta)


def model_of(options: dict[str, Any], counts: Counts) -> Model:
    """A model by name, with its prior; by default what suits the counts. Sampled by PyMC where that is asked for."""
    from outperform.mcmc import PyMC
    from outperform.models import PAIRINGS, BayesianBootstrap, as_model

    name, prior, chains = options["model"], options["prior"], chains_of(options)
    if name is None and prior is None and not chains:
        return as_model(None, counts, options["average"])
    if name is None and counts.units is None:
        name = "paired" if counts.paired else "unpaired"
    if name in (None, "bootstrap"):
        refuse_priors(options)
        return BayesianBootstrap()
    pairing = PAIRINGS[name](prior=None if prior is None else pseudo_counts(prior))
    return as_model(PyMC(pairing, **chains) if chains else pairing, counts)


def chains_of(options: dict[str, Any]) -> dict[str, Any]:
    """What PyMC is told: a sampler, priors of variables; nothing where it is not asked for."""
    given = {name: options[option] for option, name in OF_VARIABLES.items() if options[option] is not None}
    if not given and options["sampler"] is None:
        return {}
    return {"sampler": options["sampler"] or "nuts", "priors": given}


def refuse_priors(options: dict[str, Any]) -> None:
    """Refuse what a model without a prior has no use for."""
    for name in OF_PRIORS:
        if options[name] is not None:
            what = "sampler" if name == "sampler" else "prior"
            raise DataError(f"the bootstrap takes no {what}; leave --{name.replace('_', '-')} out")


def pseudo_counts(prior: str) -> str | float:
    """A prior by name, or a number."""
    with suppress(ValueError):
        return float(prior)
    return prior


def prior_of(text: str) -> Any:
    """A prior by name, a number, or one for a variable: mu~LogitNormal(0, 1)."""
    name, sign, own = text.partition("~")
    return {name.strip(): own.strip()} if sign else pseudo_counts(text)


def label_of(text: str | None, labels: Iterable[Label]) -> Label | None:
    """The label that is written so; what is typed is text, what was read may be a number."""
    from outperform.data.labels import spellings

    return next((label for label in labels if text in spellings(label)), text)


def rope_of(text: str | None) -> RopeLike | None:
    """A ROPE as it is typed."""
    from outperform.verdicts.decision import read_rope

    return None if text is None else read_rope(text, "--rope")


def fdr_of(text: str | None) -> float | None:
    """A share of wrong verdicts."""
    from outperform.verdicts.several import check_fdr

    if text is None:
        return None
    try:
        return check_fdr(float(text))
    except ValueError:
        raise ValueError(f"--fdr must lie between 0 and 1, got {text}") from None


def totals_of(options: dict[str, Any]) -> Counts:
    """Read totals of two systems."""
    from outperform.io import read_totals

    chosen = [name for name in (options["a"], options["b"]) if name is not None]
    if len(chosen) == 1:
        raise ValueError("name both systems, with --a and --b, or neither if the file has just two")
    for part in options["where"]:
        if "=" not in part:
            raise ValueError(f"--where takes COLUMN=VALUE, got {part!r}")
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"--a and --b are both {chosen[0]!r}; name two systems")
    where = dict(part.partition("=")[::2] for part in options["where"])
    counts = read_totals(options["file"], system=options["system"], systems=chosen or None, where=where)
    if len(counts.classifiers) != 2:
        raise ValueError(f"name two systems with --a and --b; there are {listing(counts.classifiers)}")
    return counts


def _chunks(files: Sequence[str], options: dict[str, Any]) -> Counts:
    """Read tagged files: the truth, then the taggers, called by the names of their files."""
    from outperform.io import read_chunks

    for name in (*OF_COLUMNS[1:], "confusion"):
        if options.get(name):
            raise DataError(f"{_spelt(name)} has no use for tagged files; leave it out")
    column, taggers = _taggers(files, options["truth"], options["predictions"])
    return read_chunks(
        files[0],
        taggers,
        column=column,
        scheme=options["scheme"] and options["scheme"].upper(),
        mode="strict" if options["strict"] else "conlleval",
        types=options["labels"] or None,
        typed=not options["untyped"],
        unit=options["unit"] or "sentence",
    )


def _taggers(
    files: Sequence[str], truth: str | None, predictions: Sequence[str]
) -> tuple[int, Mapping[str, str | int]]:
    """The column of the truth, and the taggers: files of their own, or columns of the one file."""
    columns = [truth or "-1", *predictions]
    if len(set(columns)) < len(columns):
        raise DataError("a column is named twice; the truth and every tagger need one of their own")
    if any(not column.removeprefix("-").isdigit() for column in columns):
        raise DataError("columns of a tagged file are numbers, counted from 0 or, if negative, from the end")
    if predictions and len(files) == 1:
        return int(columns[0]), {f"column {column}": int(column) for column in predictions}
    if predictions or len(files) < 2:
        raise DataError(
            "name the file of the true tags first, then those of the taggers; or one file, "
            "and its columns with --truth and --predictions"
        )
    if len(set(files)) < len(files):
        raise DataError("a file is named twice; the truth and every tagger need one of their own")
    names = [Path(file.removesuffix(".gz")).stem for file in files[1:]]
    return int(columns[0]), dict(zip(names if len(set(names)) == len(names) else files[1:], files[1:], strict=True))
