"""The command that recomputes the papers' tables and figures."""

from __future__ import annotations

import sys
from typing import Any

import click

from outperform.cli.framework import Grouped
from outperform.cli.options import WRITTEN, takes
from outperform.cli.writing import REQUIREMENT_NOT_MET, write

__all__ = ["reproduce"]


@click.command(cls=Grouped)
@click.argument("name", required=False)
@click.option(
    "--corpus", metavar="PATH", help="Data that are not included, or data to use instead of the included ones."
)
@click.option(
    "--cache",
    metavar="DIR",
    help="Folder of cached fits, from which an interrupted run continues (a folder below ~/.cache/outperform).",
)
@click.option("--jobs", type=int, metavar="N", help="Number of parallel fits, by joblib; -1 for all cores (1).")
@click.option("--seed", type=int, default=0, metavar="N", help="Same seed, same numbers (0).")
@takes(WRITTEN)
def reproduce(
    name: str | None, seed: int, format_: str | None, output: str | None, verbose: bool, **given: Any
) -> None:
    """Recompute a table or a figure of the papers, or all, next to what was printed; without a NAME, list them.

    Where --corpus is the training set of CoNLL 2003, as in acl2019-table5, chunkers are trained on it, which takes a
    quarter of an hour with --jobs 2. A run that is stopped goes on when it is called again.

    \b
    outperform reproduce
    outperform reproduce sigir2016-table4
    """
    from outperform.reproduction import REPRODUCTIONS, run, run_all

    if name is None:
        widest = max(map(len, REPRODUCTIONS))
        for known, recipe in REPRODUCTIONS.items():
            click.echo(f"{known:<{widest}}  {recipe.title}{' (needs --corpus)' if recipe.needed else ''}")
        return
    wrong = [option for option, value in given.items() if value is not None]
    if name == "all" and wrong:
        raise ValueError(f"--{wrong[0]} needs the name of one table or figure instead of all")
    result = run_all(seed) if name == "all" else run(name, seed, **given)
    write(result, format_, output, verbose=verbose)
    for text in result.off():
        click.echo(f"not reproduced: {text}", err=True)
    if not result.holds:
        sys.exit(REQUIREMENT_NOT_MET)
