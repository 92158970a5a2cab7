"""The options of the commands, in groups that several of them share, and what the shell completes in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import click

from outperform.cli.framework import paths
from outperform.formats.outputs import OUTPUTS

__all__ = [
    "ANSWER", "DEVICE", "ENGINE", "GROUPS", "INPUT", "JUDGEMENT", "LOGS", "MAYBE_INPUT", "PLANNING", "QUESTION",
    "ROPE", "SCORED", "SEVERAL", "SLICES", "STYLED", "SUPPOSED", "WRITTEN", "takes",
]  # fmt: skip


def measures(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Return the measures that begin so."""
    from outperform.measures.of_counts import MEASURES
    from outperform.measures.of_items import ITEM_MEASURES

    return sorted(name for name in (*MEASURES, *ITEM_MEASURES) if name.startswith(begun))


def columns(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Return the columns of the first file that begin so; none if it cannot be read."""
    from outperform.io import column_names

    files = ctx.params.get("files") or ctx.args  # click leaves words there while an option lacks its value
    with suppress(OSError, ValueError):
        return [name for name in column_names(files[0]) if name.startswith(begun)] if files else []
    return []


F = TypeVar("F", bound=Callable[..., Any])

FORMATS = tuple(OUTPUTS)
column = partial(click.option, metavar="NAME", shell_complete=columns)  # an option that names a column

# What both commands read.
INPUT = (
    click.argument("files", nargs=-1, metavar="FILES...", shell_complete=paths),
    column("--truth", "-t", help="Column of the true labels."),
    column("--predictions", "-p", multiple=True, metavar="NAME...", help="Columns of predictions."),
    column("--id", help="Column of ids, which match the rows of several files."),
    column("--count", "n", help="Column of the number of items that a row stands for."),
    column("--weight", "weights", help="Column of weights of the rows."),
    click.option("--separator", metavar="CHAR", help="Separator of the labels of an item that may have several."),
    click.option("--confusion", is_flag=True, help="Each file is a confusion matrix; rows are true classes."),
    click.option(
        "--unit", type=click.Choice(["sentence", "document", "chunk"]), help="Tagged files: the unit to resample."
    ),
    click.option("--scheme", metavar="NAME", help="Tagged files: IOB1, IOB2, IOBES, BILOU, BMES or BB2B3MES."),
    click.option("--strict", is_flag=True, help="Tagged files: only well-formed chunks count."),
    click.option("--untyped", is_flag=True, help="Tagged files: boundaries count, types do not."),
    click.option(
        "--labels",
        multiple=True,
        metavar="LABEL...",
        help="All classes, where the data may lack some; seen: all that occur.",
    ),
    click.option("--drop-missing", is_flag=True, help="Drop rows with missing labels, and report how many."),
    click.option("--pos-label", metavar="LABEL", help="The positive class (1 where the labels are 0 and 1)."),
)
# Slices of the rows.
SLICES = (
    column("--by", multiple=True, help="Column of slices, such as a language: each is compared."),
    click.option("--multilabel", is_flag=True, help="The slices are labels; an item may have any number of them."),
)
# Clusters and strata of the items.
GROUPS = (
    column("--cluster", help="Column of clusters of items; whole clusters are resampled."),
    column("--strata", help="Column of strata, whose shares of the population are known."),
)
# Logs of evaluation tools.
LOGS = (
    click.option(
        "--from",
        "logs",
        type=click.Choice(
            ["lm-eval", "inspect", "promptfoo", "table", "trec-eval", "mt-bench", "alpaca-eval", "comet"]
        ),
        help="FILES are logs, or folders of logs, one for each system.",
    ),
    click.option("--metric", multiple=True, metavar="NAME...", help="Logs: the score to compare."),
    click.option(
        "--filter", multiple=True, metavar="NAME...", help="Logs of lm-eval: the filter that extracted the answers."
    ),
    click.option("--task", multiple=True, metavar="NAME...", help="Logs: the task, several tasks, or all."),
)
# Scores that are there already.
SCORED = (
    column(
        "--scores",
        multiple=True,
        metavar="NAME...",
        help="Columns of scores, in place of --predictions; or systems of logs.",
    ),
    *LOGS,
    click.option("--lower-is-better", is_flag=True, help="Lower scores are better, as for a loss or a time."),
)
MAYBE_INPUT = (click.argument("files", nargs=-1, metavar="[FILES]...", shell_complete=paths), *INPUT[1:])
# What both commands ask. Choices are written out, so that --help imports nothing.
QUESTION = (
    click.option(
        "--measure", "-m", shell_complete=measures, metavar="NAME", help="f1 (default), precision, mcc, roc_auc, …"
    ),
    click.option("--beta", metavar="X", help="β, for --measure f_beta."),
    click.option(
        "--average",
        type=click.Choice(["binary", "micro", "multiclass", "samples", "macro", "weighted", "per_class"]),
        help="How the scores of classes are averaged, or which class is scored.",
    ),
    click.option(
        "--model", type=click.Choice(["paired", "unpaired", "bootstrap"]), help="Paired on shared items by default."
    ),
    click.option(
        "--prior",
        metavar="NAME|X",
        help="light, flat, uniform, jeffreys, haldane, hierarchical, pooled, trend, or pseudo-counts.",
    ),
    click.option("--prior-mu", metavar="DIST", help="PyMC: prior of μ, as in 'LogitNormal(0, 1)'."),
    click.option("--prior-theta", metavar="DIST", help="PyMC: prior of the outcomes, as in 'LogisticNormal(0, 1)'."),
    click.option("--prior-positive", metavar="DIST", help="PyMC: the same for positive items only."),
    click.option("--prior-negative", metavar="DIST", help="PyMC: the same for negative items only."),
    click.option("--prior-eta", metavar="DIST", help="PyMC: prior of η, of the hierarchical prior."),
    click.option(
        "--sampler",
        type=click.Choice(["nuts", "metropolis", "nutpie", "numpyro"]),
        help="Sample with PyMC, whatever the prior; metropolis is as in the papers.",
    ),
    click.option("--zero-division", metavar="X", help="The value of 0/0: 0, 1 or nan."),
)
# How results are written.
WRITTEN = (
    click.option(
        "--format", "format_", type=click.Choice(FORMATS), help="Output format (text, or by the ending of FILE)."
    ),
    click.option("--output", "-o", metavar="FILE", shell_complete=paths, help="Write here instead of standard output."),
    click.option(
        "--verbose", "-v", is_flag=True, help="Text: add Bayes factors, classical tests, all rows, the signature."
    ),
)
# How results are written for a paper, or for a pull request.
STYLED = (
    click.option(
        "--style", metavar="full|paper", help="LaTeX: all columns (full), or a table that fits a column of a paper."
    ),
    click.option(
        "--columns",
        multiple=True,
        metavar="NAME...",
        help="With --style paper: the columns of the table, such as score interval.",
    ),
    click.option("--span", metavar="column|page|INCHES", help="Width of --style paper and --figure (column)."),
    click.option("--figure", metavar="FILE", help="Also draw the result: .pdf, .svg or .png, at the width of --span."),
    click.option("--badge", is_flag=True, help="Markdown: the verdict as a badge, an image of shields.io."),
)
# How every command answers.
ANSWER = (
    click.option("--mass", metavar="X", help="Level of the HDI (0.95)."),
    click.option("--draws", metavar="N", help="Draws from the posterior (50,000; by NUTS 10,000)."),
    click.option("--seed", metavar="N", help="Same seed, same numbers (0)."),
)
# Where the draws are made.
DEVICE = (click.option("--device", metavar="cuda|cpu", help="Draw with PyTorch (extra gpu), on a GPU with cuda."),)
# Whether there are draws.
ENGINE = (
    click.option("--engine", type=click.Choice(["auto", "draws"]), help="Draw only where needed (auto), or always."),
)
# Of several verdicts.
SEVERAL = (
    click.option(
        "--fdr",
        metavar="Q",
        help="Give only the longest list of verdicts of which a share Q at most is expected to be wrong.",
    ),
)
# What a difference is held against.
ROPE = (click.option("--rope", metavar="X|LOW,HIGH", help="Differences that do not matter: 0.01 or 1% for ±0.01."),)
JUDGEMENT = (
    *ROPE,
    click.option(
        "--require",
        metavar="better|not-worse|equivalent",
        help="Exit with code 3 unless the first system is better, not worse or equivalent.",
    ),
)

# What is supposed where there are no files yet.
SUPPOSED = (
    click.option("--mu", type=float, metavar="P", help="Suppose: probability of a positive item."),
    click.option("--positive", metavar="P,P,P,P", help="Suppose: outcomes 11, 10, 01, 00 of positive items."),
    click.option("--negative", metavar="P,P,P,P", help="Suppose: outcomes 11, 10, 01, 00 of negative items."),
    click.option(
        "--scores", "supposed", metavar="A,B", help="Suppose: the two scores (with --prevalence), in place of these."
    ),
    click.option("--prevalence", type=float, metavar="P", help="Suppose: share of positive items."),
    click.option(
        "--agreement", type=float, metavar="P", help="Suppose: share of items on which both predict the same."
    ),
)
# What a study is to show.
PLANNING = (
    click.option("--goal", metavar="NAME", help="decided (default), better, worse, equivalent or not-worse."),
    *ROPE,
    click.option("--studies", metavar="N", help="Studies to simulate (2,000; 400 for many classes)."),
    click.option("--jobs", "n_jobs", metavar="N", help="Simulate in N processes, by joblib; -1 for all cores."),
)


def takes(*groups: Sequence[Callable[[F], F]]) -> Callable[[F], F]:
    """Return groups of options as one decorator."""

    def decorate(command: F) -> F:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return decorate
