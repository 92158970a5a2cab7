"""The command: parse, one library call, render; nothing else.

Results go to standard output, messages to standard error. Exit codes: 0 fine, 2 bad usage or bad
input, 3 a requirement that is not met.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import outperform
from outperform.errors import DataError, unknown

if TYPE_CHECKING:
    from outperform.counts import Counts
    from outperform.decision import RopeLike
    from outperform.labels import Label
    from outperform.measures import Measure
    from outperform.models import Model
    from outperform.results import Comparison, PerClass, Result

__all__ = ["main"]

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("text", "json", "markdown", "latex", "csv")
REQUIREMENT_NOT_MET = 3
CITATION = """\
@software{outperform,
  title   = {outperform: is classifier A really better than classifier B?},
  version = {%s}
}
@inproceedings{zhang2016bayesian,
  title     = {Bayesian Performance Comparison of Text Classifiers},
  author    = {Zhang, Dell and Wang, Jun and Yilmaz, Emine and Wang, Xiaoling and Zhou, Yuxin},
  booktitle = {SIGIR},
  year      = {2016},
  pages     = {15--24},
  doi       = {10.1145/2911451.2911547}
}
@inproceedings{zhang2015hierarchical,
  title     = {A Bayesian Hierarchical Model for Comparing Average F1 Scores},
  author    = {Zhang, Dell and Wang, Jun and Zhao, Xiaoxue and Wang, Xiaoling},
  booktitle = {ICDM},
  year      = {2015}
}"""


# What the library calls its arguments, and what the command calls them.
SPOKEN = {
    "pos_label": "--pos-label",
    "labels=": "--labels",
    "id=": "--id",
    "use the unpaired model": "use --model unpaired",
    "use model=op.Unpaired()": "use --model unpaired",
    "say weights=": "use --weight",
    "average=": "--average",
    "n= and weights=": "--count and --weight",
    "use the paired model": "use --model paired",
    "zero_division=": "--zero-division ",
    "rng must be None, a": "--seed must be a",
}
VARIADIC = ("--predictions", "-p", "--labels")


class Variadic(click.Command):
    """A command whose `--predictions a b` and `--labels x y` take any number of values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, which is what click understands."""
        return super().parse_args(ctx, _spread(args))


def _spread(args: Sequence[str]) -> list[str]:
    spread: list[str] = []
    current, waiting = "", False
    for arg in args:
        option, _, value = arg.partition("=")
        if option in VARIADIC:
            current, waiting = option, not value
            spread += [option, value] if value else [option]
        elif current and (waiting or not _is_option(arg)):
            spread += [arg] if waiting else [current, arg]
            waiting = False
        else:
            current = ""
            spread.append(arg)
    return spread


def _is_option(arg: str) -> bool:
    """Whether a word is an option: it begins with a dash and is neither standard input nor a negative number."""
    return arg.startswith("-") and arg != "-" and not arg[1:].replace(".", "", 1).isdigit()


class Friendly(click.Group):
    """Turns the library's errors into one sentence and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a traceback is a bug, a mistake in the input is not."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal that knows no ≫ still shows the rest
        try:
            return super().invoke(ctx)
        except (ValueError, TypeError, ImportError) as error:
            raise click.UsageError(_spoken(str(error))) from error
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            raise click.UsageError(f"cannot write the result: {error.strerror}") from error


def _spoken(message: str) -> str:
    """A message in the words of the command; what stands in quotes is the user's and stays."""
    parts = re.split(r"('[^']*')", message)
    parts[::2] = [re.sub(r'average="(\w+)"', r"--average \1", part) for part in parts[::2]]
    for argument, option in SPOKEN.items():
        parts[::2] = [part.replace(argument, option) for part in parts[::2]]
    return "".join(parts)


def _show_citation(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(CITATION % outperform.__version__)
        ctx.exit()


@click.group(cls=Friendly, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(outperform.__version__, prog_name="outperform")
@click.option("--cite", is_flag=True, is_eager=True, expose_value=False, callback=_show_citation, help="Print BibTeX.")
def main() -> None:
    """Is classifier A really better than B, worse, practically the same, or do we not know yet?"""


# What both commands read.
INPUT = (
    click.argument("files", nargs=-1, metavar="FILES..."),
    click.option("--truth", "-t", metavar="NAME", help="Column of the true labels."),
    click.option("--predictions", "-p", multiple=True, metavar="NAME...", help="Columns of predictions."),
    click.option("--id", "id_column", metavar="NAME", help="Column of ids, which match the rows of several files."),
    click.option("--count", metavar="NAME", help="Column of how many items a row stands for."),
    click.option("--weight", metavar="NAME", help="Column of the weight of a row."),
    click.option("--separator", metavar="CHAR", help="Between the labels of an item that may have several."),
    click.option("--confusion", is_flag=True, help="Each file is a confusion matrix; rows are true classes."),
    click.option("--labels", multiple=True, metavar="LABEL...", help="All classes, where the data may lack some."),
    click.option("--pos-label", metavar="LABEL", help="The positive class (1 where the labels are 0 and 1)."),
)
# What both commands ask, and how they answer. Choices are written out, so that --help imports nothing.
QUESTION = (
    click.option("--measure", "-m", default="f1", metavar="NAME", help="f1 (default), precision, recall, mcc, …"),
    click.option("--beta", type=float, metavar="X", help="β, for --measure f_beta."),
    click.option(
        "--average",
        type=click.Choice(["binary", "micro", "multiclass", "samples", "macro", "weighted", "per_class"]),
        help="Which classes, and how they are put together.",
    ),
    click.option("--model", type=click.Choice(["paired", "unpaired"]), help="Paired on shared items by default."),
    click.option(
        "--prior", metavar="NAME|X", help="uniform, jeffreys, haldane, hierarchical, pooled, or pseudo-counts."
    ),
    click.option("--zero-division", type=float, default=0.0, metavar="X", help="The value of 0/0: 0, 1 or nan."),
    click.option("--mass", type=float, default=0.95, metavar="X", help="Mass of the HDI (0.95)."),
    click.option("--draws", type=int, metavar="N", help="Draws from the posterior (50,000)."),
    click.option("--seed", type=int, default=0, metavar="N", help="Same seed, same numbers (0)."),
    click.option("--format", "format_", type=click.Choice(FORMATS), default="text", help="How to write it."),
    click.option("--output", "-o", metavar="FILE", help="Write here instead of standard output."),
)


def _options(options: Sequence[Callable[[F], F]]) -> Callable[[F], F]:
    """Several options as one decorator."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@main.command(cls=Variadic)
@_options(INPUT)
@click.option("--rope", metavar="X|LOW,HIGH", help="Differences that do not matter: 0.01 for ±0.01.")
@_options(QUESTION)
@click.option("--require", metavar="better|not-worse|equivalent", help="Exit with 3 unless the first is so.")
def compare(rope: str | None, require: str | None, format_: str, output: str | None, **options: Any) -> None:
    """Compare two classifiers on FILES (CSV, TSV or JSON lines, .gz or not; - is standard input).

    \b
    outperform compare preds.csv --truth gold --predictions svm nb --pos-label spam --rope 0.01
    outperform compare a.csv b.csv --id doc --truth gold --predictions label --rope 0.01
    outperform compare a.csv b.csv --truth gold --predictions label --model unpaired
    outperform compare preds.csv --truth gold --predictions svm nb --average macro --rope 0.01
    outperform compare a.csv b.csv --confusion --average macro --rope 0.01
    """  # noqa: D301
    from outperform.decision import REQUIREMENTS

    if require is not None and require not in REQUIREMENTS:
        raise ValueError(unknown("requirement", require, REQUIREMENTS))
    if require is not None and rope is None:
        raise ValueError(f"--require {require} needs --rope, the differences that do not matter to you")
    counts = _counts(options)
    result = outperform.compare(counts, **_question(options, counts), rope=_rope(rope))
    _write(result, format_, output)
    if require is not None:
        _gate(result, require)


@main.command(cls=Variadic)
@_options(INPUT)
@_options(QUESTION)
def estimate(format_: str, output: str | None, **options: Any) -> None:
    """Estimate the score of each classifier in FILES, with its uncertainty."""
    from outperform.results import Several

    counts = _counts(options)
    asked = _question(options, counts)
    results = [outperform.estimate(counts.select([k]), **asked) for k in range(len(counts.classifiers))]
    _write(Several(tuple(results)) if len(results) > 1 else results[0], format_, output)


@main.command()
@click.option("--seed", type=int, default=0, metavar="N", help="Same seed, same numbers (0).")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", help="How to write it.")
def demo(seed: int, format_: str) -> None:
    """Compare four classifiers on 20 Newsgroups, class by class: SIGIR'16 Tables 4, 5 and 6."""
    from outperform.results import Several

    news = outperform.datasets.newsgroups()
    tables = []
    for pair in (("nb_bern", "nb_mult"), ("svm_l1", "svm_l2"), ("nb_mult", "svm_l2")):
        predictions = {name: news.predictions[name] for name in pair}
        tables.append(outperform.compare(news.truth, predictions, average="per_class", rope=0.05, rng=seed))
    _write(Several(tuple(tables)), format_, None)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a completion script: eval "$(outperform completion bash)"."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(main, {}, "outperform", "_OUTPERFORM_COMPLETE").source())


def _counts(options: dict[str, Any]) -> Counts:
    """Read the files."""
    from outperform.io import read, read_confusion, read_counts, read_test_sets

    files, truth, predictions = options["files"], options["truth"], list(options["predictions"])
    if not files:
        raise DataError("name a file, or - for standard input, before --predictions, which takes all words after it")
    labels = options["labels"] or None
    if options["confusion"]:
        if truth or predictions or any(options[name] for name in ("id_column", "count", "weight", "separator")):
            raise DataError("a confusion matrix has no columns to choose; give the files and --labels alone")
        return read_confusion(files, labels=labels)
    if not truth or not predictions:
        columns = ", ".join(read(files[0]).values)
        missing = "--truth" if not truth else "--predictions"
        raise DataError(f"say which column to read with {missing}; {files[0]} has {columns}")
    if options["model"] == "unpaired" and len(files) > 1:
        for option in ("id_column", "count", "weight", "separator"):
            if options[option]:
                raise DataError(f"--{option.split('_')[0]} has no use for files of different items; leave it out")
        return read_test_sets(files, truth=truth, predictions=predictions, labels=labels)
    return read_counts(
        files,
        truth=truth,
        predictions=predictions,
        id=options["id_column"],
        labels=labels,
        n=options["count"],
        weights=options["weight"],
        separator=options["separator"],
        by_item=options["average"] == "samples",
    )


def _question(options: dict[str, Any], counts: Counts) -> dict[str, Any]:
    """Options as the library takes them."""
    return {
        "measure": _measure(options["measure"], options["beta"]),
        "average": options["average"],
        "pos_label": _label(options["pos_label"], counts.classes),
        "model": _model(options["model"], options["prior"], counts),
        "mass": options["mass"],
        "draws": options["draws"],
        "zero_division": options["zero_division"],
        "rng": options["seed"],
    }


def _measure(name: str, beta: float | None) -> str | Measure:
    from outperform.measures import f_beta

    if name != "f_beta":
        if beta is not None:
            raise ValueError(f"--beta goes with --measure f_beta, not with {name}")
        return name
    if beta is None:
        raise ValueError("--measure f_beta needs --beta, a number of at least 0")
    return f_beta(beta)


def _model(name: str | None, prior: str | None, counts: Counts) -> Model:
    from outperform.models import MODELS

    weight: float | str | None = prior
    with suppress(ValueError):
        weight = None if prior is None else float(prior)
    return MODELS[name or ("paired" if counts.paired else "unpaired")](prior=weight)


def _label(text: str | None, labels: Iterable[Label]) -> Label | None:
    """The label that is written so; what is typed is text, what was read may be a number."""
    from outperform.labels import spellings

    return next((label for label in labels if text in spellings(label)), text)


def _rope(text: str | None) -> RopeLike | None:
    if text is None:
        return None
    try:
        low, *high = (float(part) for part in text.split(","))
        if len(high) <= 1:
            return (low, high[0]) if high else low
    except ValueError:
        pass
    raise ValueError(f"--rope takes a number or LOW,HIGH, got {text!r}")


def _write(result: Result, format_: str, output: str | None) -> None:
    """Render, to a file in one stroke or to standard output."""
    from outperform.render.terminal import show, text_width

    if format_ == "text" and output is None:
        show(result)
        return
    written = result.to_text(width=text_width()) if format_ == "text" else getattr(result, f"to_{format_}")()
    if output is None:
        click.echo(written)
        return
    try:
        _replace(Path(output).resolve(), written + "\n")
    except (OSError, ValueError) as error:
        raise DataError(f"cannot write {output!r}: {getattr(error, 'strerror', None) or error}") from None


def _replace(target: Path, text: str) -> None:
    """Write a file in one stroke: all of it or none. What is no file, such as a pipe, is written to as it is."""
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
        return
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _gate(result: Comparison | PerClass[Comparison], requirement: str) -> None:
    """Exit with 3 where the requirement is not met, and say by which comparison."""
    failed = [row for row in result.all_rows() if not row.meets(requirement)]
    for row in failed:
        where = "" if row.class_ is None else f" for class {row.class_}"
        click.echo(f"requirement {requirement} not met{where}: {row}", err=True)
    if failed:
        sys.exit(REQUIREMENT_NOT_MET)
