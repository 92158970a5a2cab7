"""The commands, each a parse, one library call and a rendering."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

import outperform
from outperform.base.citation import bibtex
from outperform.base.errors import UndecidedError, amount
from outperform.cli.datasets import compare_datasets, compare_folds
from outperform.cli.demo import demo
from outperform.cli.doctor import doctor
from outperform.cli.framework import Friendly, Grouped, Variadic, paths
from outperform.cli.options import (
    ANSWER,
    DEVICE,
    ENGINE,
    GROUPS,
    INPUT,
    JUDGEMENT,
    MAYBE_INPUT,
    PLANNING,
    QUESTION,
    ROPE,
    SCORED,
    SEVERAL,
    SLICES,
    SUPPOSED,
    takes,
)  # fmt: skip
from outperform.cli.reading import SUPPOSED as OF_WORLDS
from outperform.cli.reading import counts_of, data_of, has_tasks, read_of, refuse_scores, scores_of, totals_of, world_of
from outperform.cli.reproduce import reproduce
from outperform.cli.serve import serve
from outperform.cli.systems import systems_in
from outperform.cli.writing import answers, check_page, write
from outperform.options import Options
from outperform.options.options import measure_of, read_prior

if TYPE_CHECKING:
    from collections.abc import Callable

    from outperform.cli.asked import Asked
    from outperform.data.counts import Counts
    from outperform.planning.scenarios import Scenario
    from outperform.results import Result

R = TypeVar("R")
OVER_CLASSES = ("macro", "weighted", "micro")  # averages of which a report also shows every class
ONE = "--fdr applies to several verdicts, and this command gives one; leave it out"

__all__ = ["main"]


def _show_citation(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(bibtex())
        ctx.exit()


@click.group(
    cls=Friendly,
    subcommand_metavar="COMMAND|FILE [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(outperform.__version__, prog_name="outperform")
@click.option("--cite", is_flag=True, is_eager=True, expose_value=False, callback=_show_citation, help="Print BibTeX.")
def main() -> None:
    """Is classifier A really better than B, worse, practically the same, or do we not know yet?

    \b
    outperform preds.csv --rope 0.01    guess the question, say the guess, answer
    outperform example > preds.csv      a file to try it with
    """


@answers(INPUT, SLICES, GROUPS, SCORED, QUESTION, ANSWER, DEVICE, ENGINE, SEVERAL, JUDGEMENT)
def compare(**typed: Any) -> Result:
    """Compare two classifiers on FILES.

    CSV, TSV or JSON lines (.gz or not; - is standard input), Parquet, Arrow, folders or patterns of these, and what
    `outperform count` wrote.

    \b
    outperform compare preds.csv
    outperform compare preds.csv --truth gold --predictions svm nb --pos-label spam --rope 0.01
    outperform compare a.csv b.csv --id doc --truth gold --predictions label --rope 0.01
    outperform compare a.csv b.csv --truth gold --predictions label --model unpaired
    outperform compare preds.csv --truth gold --predictions svm nb --average macro --rope 0.01
    outperform compare 'day-*.parquet' --truth gold --predictions svm nb --by language --rope 0.01 --fdr 0.05
    outperform compare counts.json --rope 0.01
    outperform compare a.csv b.csv --confusion --average macro --rope 0.01
    outperform compare gold.conll a.conll b.conll --unit sentence --rope 0.01
    outperform compare preds.csv --truth gold --predictions svm nb --measure roc_auc --rope 0.01
    outperform compare scores.csv --scores bm25 bert --cluster user --rope 0.01
    outperform compare runA/ runB/ --from lm-eval --metric acc --rope 0.01
    """
    return _asked("compare", typed)


@answers(INPUT, SLICES, GROUPS, SCORED, QUESTION, ANSWER, DEVICE, ENGINE, SEVERAL, JUDGEMENT)
def ask(**typed: Any) -> Result:
    """Answer the question that FILES suggest: two systems are compared, more are ranked, one is estimated.

    What is not given by options is guessed, and said with the command in full.

    \b
    outperform preds.csv
    outperform preds.csv --rope 0.01
    """
    return _asked(None, typed)


def _completed(verb: str | None, typed: dict[str, Any]) -> Asked:
    """Guess what is left open."""
    from outperform.cli.asking import completed

    return completed(verb, Options.of(typed))


def _asked(verb: str | None, typed: dict[str, Any]) -> Result:
    """Guess what is left open, and answer."""
    asked = _completed(verb, typed)
    if asked.verb == "estimate":
        return _estimate(asked.options)
    if asked.verb == "rank":
        return _answer(outperform.rank, outperform.rank_scores, asked.options)
    return _answer(outperform.compare, outperform.compare_scores, asked.options)


@main.command(cls=Variadic)
@takes(INPUT[:-1], SLICES)
@click.option("--by-item", is_flag=True, help="Label sets: count kinds of items, for --average samples.")
@click.option("--output", "-o", metavar="FILE", help="Where to write them: .json, or .parquet for many cells.")
def count(output: str | None, by_item: bool, **typed: Any) -> None:
    """Count the outcomes in FILES, to be compared later or elsewhere; counts of parts add up.

    \b
    outperform count preds.csv -o preds.json
    outperform count 'monday/*.parquet' --truth gold --predictions svm nb -o monday.json
    outperform compare monday.json tuesday.json --rope 0.01
    """
    from outperform.data.storing import as_json

    options = _completed("count", typed).options
    counts = counts_of(replace(options, average="samples") if by_item else options)
    if output is None:
        click.echo(as_json(counts))
        return
    counts.save(output)
    dropped = f", {amount(counts.left_out)} rows left out" if counts.left_out else ""
    click.echo(f"wrote {output}: {amount(counts.items)} items in {len(counts.n):,} cells{dropped}", err=True)


@answers(INPUT, GROUPS, SCORED, QUESTION, ANSWER, DEVICE, SEVERAL, ROPE)
@click.option("--no-shrink", is_flag=True, help="Do not shrink systems towards their mean.")
def rank(no_shrink: bool, **typed: Any) -> Result:
    """Rank any number of systems in FILES: which may be best, and which are not distinguishable.

    \b
    outperform rank preds.csv --rope 0.01
    outperform rank preds.csv --truth gold --predictions svm nb tree --measure accuracy --rope 0.01
    outperform rank scores.csv --scores bm25 bert t5 --cluster user --rope 0.01
    outperform rank runs/ --from inspect --task gsm8k
    """
    verb, of_scores = (partial(verb, shrink=not no_shrink) for verb in (outperform.rank, outperform.rank_scores))
    return _answer(verb, of_scores, _completed("rank", typed).options)


@main.command(cls=Variadic)
@takes(INPUT, SLICES, GROUPS, SCORED, QUESTION, ANSWER, DEVICE, ENGINE, SEVERAL, ROPE)
@click.option("--output", "-o", metavar="FILE", default="report.html", help="Where to write it (report.html).")
def report(output: str, **typed: Any) -> None:
    """Write one HTML file about two classifiers or more in FILES: verdict, pictures, a row per class, numbers.

    It needs no network, and its readers may apply a ROPE of their own.

    \b
    outperform report preds.csv --rope 0.01
    outperform report preds.csv --truth gold --predictions svm nb --average macro --rope 0.01
    outperform report preds.csv --truth gold --predictions svm nb tree --measure accuracy -o systems.html
    """
    from outperform.results import Several

    check_page(output)
    options = _completed("report", typed).options
    read = None if options.scores or options.logs else read_of(options)
    if systems_in(options, read) > 2 and not has_tasks(options):
        result: Result = _answer(outperform.rank, outperform.rank_scores, options, read)
    else:
        several = options.by or options.average == "per_class" or has_tasks(options)
        first = options if several else replace(options, fdr=None)
        result = _answer(outperform.compare, outperform.compare_scores, first, read)
        if getattr(result, "average", None) in OVER_CLASSES:
            by_class = replace(options, average="per_class")
            result = Several((result, _answer(outperform.compare, outperform.compare_scores, by_class, read)))
        elif options.fdr is not None and not several:
            raise ValueError(ONE)
    write(result, "html", output)
    click.echo(f"wrote {output}", err=True)


def _answer(verb: Callable[..., R], of_scores: Callable[..., R], options: Options, read: Any = None) -> R:
    """Ask a verb about predictions, which may have been read already, or its twin about scores."""
    judged = options.pick("rope", *options.given("fdr"))
    try:
        scored = scores_of(options)
    except UndecidedError:
        from outperform.cli.asking import chosen

        options = chosen(options)
        scored = scores_of(options)
    if scored is not None:
        scores, settings = scored
        if has_tasks(options):
            if of_scores is not outperform.compare_scores:
                raise ValueError("several tasks are compared two systems at a time; choose one task with --task")
            of_scores = cast("Callable[..., R]", outperform.compare_tasks)
        elif options.fdr is not None and of_scores is outperform.compare_scores:
            raise ValueError(ONE)
        return of_scores(scores, **settings, **judged)
    data, asked = data_of(options, read)
    engine = options.pick("engine") if verb is outperform.compare else {}
    return verb(*data, **asked, **engine, **judged)


@answers(INPUT, QUESTION, ANSWER, DEVICE, ENGINE, ROPE)
@click.option("--priors", multiple=True, metavar="NAME|X...", help="Priors to try; by default all that apply.")
def sensitivity(priors: tuple[str, ...], **typed: Any) -> Result:
    """Compare two classifiers in FILES under several priors: does the verdict depend on them?

    \b
    outperform sensitivity preds.csv --rope 0.01
    outperform sensitivity preds.csv --truth gold --predictions svm nb --rope 0.01 \\
        --priors uniform jeffreys 2 'mu~LogitNormal(0, 1)'
    """
    options = _completed("sensitivity", typed).options
    data, asked = data_of(options)
    compared = outperform.compare(*data, **asked, rope=options.rope, engine=options.engine)
    if not isinstance(compared, outperform.Comparison):
        raise ValueError("sensitivity takes one average at a time; give --pos-label, or --average macro")
    return compared.sensitivity([_prior(text) for text in priors] or None)


def _prior(text: str) -> Any:
    """A prior by name, a number, or one for a variable: mu~LogitNormal(0, 1)."""
    variable, sign, distribution = text.partition("~")
    return {variable.strip(): distribution.strip()} if sign else read_prior(text)


@answers(INPUT, GROUPS, QUESTION, ANSWER, DEVICE, ENGINE)
def estimate(**typed: Any) -> Result:
    """Estimate the score of each classifier in FILES, with its uncertainty.

    \b
    outperform estimate preds.csv
    outperform estimate preds.csv --truth gold --predictions svm --average per_class
    """
    return _estimate(_completed("estimate", typed).options)


def _estimate(options: Options) -> Result:
    from outperform.results import Several

    data, asked = data_of(options)
    asked |= options.pick("engine")
    if len(data) == 1:
        (counts,) = data
        results = [outperform.estimate(counts.select([k]), **asked) for k in range(len(counts.classifiers))]
    else:
        truth, outputs = data
        results = [outperform.estimate(truth, {name: output}, **asked) for name, output in outputs.items()]
    return Several(tuple(results)) if len(results) > 1 else results[0]


@answers(ANSWER, JUDGEMENT)
@click.argument("file", shell_complete=paths)
@click.option("--system", metavar="NAME", required=True, help="Column that names the systems.")
@click.option("--a", metavar="NAME", help="The first system.")
@click.option("--b", metavar="NAME", help="The second, of which H1 says that it is better.")
@click.option("--where", multiple=True, metavar="COLUMN=VALUE", help="Only rows that have this value.")
@click.option(
    "--measure",
    "-m",
    "measures",
    multiple=True,
    default=["f1"],
    metavar="NAME",
    help="precision, recall, f1 (default), …",
)
@click.option("--beta", type=float, metavar="X", help="β, for --measure f_beta.")
@click.option("--prior", default="uniform", metavar="NAME|X", help="λ: uniform (1), jeffreys (½), or a number.")
@click.option("--rho", metavar="X,Y", help="Correlations within and between repetitions; 1,1 is conservative.")
@click.option("--factor", type=float, metavar="X", help="Weight of a tested item, in place of --rho.")
def bayes_test(measures: tuple[str, ...], **typed: Any) -> Result:
    """Test whether system B is better than A, from totals by fold: columns gold, predicted, correct (or tp, fp, fn).

    \b
    outperform bayes-test counts.csv --system tag_set --a IOB2 --b IOBES --measure f1 --where task=ner
    outperform bayes-test counts.csv --system model -m precision -m recall -m f1 --format latex
    """
    from outperform.results import Several

    options = Options.of(typed)
    counts = totals_of(options)
    alone = "f_beta" not in measures
    results = [
        outperform.bayes_test(
            counts,
            measure=measure_of(name, options.beta if alone or name == "f_beta" else None),
            **options.pick("prior", "rho", "factor", "rope", "mass", "draws", "rng"),
        )
        for name in measures
    ]
    return results[0] if len(results) == 1 else Several(tuple(results))


@answers(MAYBE_INPUT, SUPPOSED, PLANNING, QUESTION, ANSWER)
@click.option(
    "--sizes", "-n", multiple=True, type=int, metavar="N...", required=True, help="Sizes of the studies, in items."
)
@click.option("--at", type=click.Choice(["mean", "posterior"]), help="Of files: one world (mean), or many.")
def power(sizes: tuple[int, ...], at: str | None, **typed: Any) -> Result:
    """Simulate how often studies of given sizes reach a goal, under an assumed truth or one like the results in FILES.

    \b
    outperform power --mu 0.5 --positive 0.3,0.3,0.2,0.2 --negative 0.2,0.2,0.3,0.3 \\
        --goal better --rope 0.05 --sizes 500 1000 2000
    outperform power --scores 0.80,0.75 --prevalence 0.3 --agreement 0.9 --goal better --rope 0.01 --sizes 1000
    outperform power preds.csv --rope 0.01 --sizes 1000 5000 --at posterior
    """
    options, world, asked = _planned(typed, "power")
    if at is not None and not isinstance(world, outperform.Counts):
        raise ValueError("--at goes with files of results; what is supposed is one world")
    return outperform.power(world, sizes, options.goal or "decided", at=at or "mean", **asked)


@answers(MAYBE_INPUT, SUPPOSED, PLANNING, QUESTION, ANSWER)
@click.option("--power", metavar="P", help="Probability of reaching the goal (0.8).")
@click.option("--width", metavar="X", help="In place of a goal: the largest width of the HDI.")
def plan(**typed: Any) -> Result:
    """Say how many more items a goal needs, with the results in FILES as the pilot.

    \b
    outperform plan preds.csv --rope 0.01
    outperform plan preds.csv --truth gold --predictions svm nb --goal better --power 0.9 --rope 0.01
    outperform plan preds.csv --truth gold --predictions svm nb --width 0.02
    outperform plan --scores 0.80,0.75 --prevalence 0.3 --agreement 0.9 --goal better --rope 0.01
    """
    options, world, asked = _planned(typed, "plan")
    return outperform.plan(world, options.goal, **options.pick("power", "width"), **asked)


def _planned(typed: dict[str, Any], verb: str) -> tuple[Options, Scenario | Counts, dict[str, Any]]:
    """The options, the world in which studies are simulated, and what is asked of each."""
    supposed = {name: typed.pop("supposed" if name == "scores" else name) for name in OF_WORLDS}
    options = Options.of(typed)
    measure_of(options.measure, options.beta)  # before the files are read
    if all(value is None for value in supposed.values()):
        options = _completed(verb, typed).options
        refuse_scores(options)
    world = world_of(options, supposed)
    counts = world if isinstance(world, outperform.Counts) else world.counts()
    return options, world, options.of_counts(counts) | options.pick("rope", "studies", "n_jobs")


@main.command(cls=Grouped)
def example() -> None:
    """Print an example file: 7,532 posts, which of them are about motorcycles, and the predictions of two classifiers.

    \b
    outperform example > preds.csv
    outperform preds.csv --rope 0.05
    """
    click.echo(outperform.datasets.example(), nl=False)


@main.command(cls=Grouped)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands, options, measures and the columns of a file that was typed.

    \b
    eval "$(outperform completion bash)"
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(main, {}, "outperform", "_OUTPERFORM_COMPLETE").source())


OTHERS = (compare_folds, compare_datasets, doctor, serve, reproduce)
main.guessing = ask
for command in (compare, rank, sensitivity, estimate, bayes_test, power, plan, demo, *OTHERS):
    main.add_command(command)
