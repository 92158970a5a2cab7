"""The demonstration: the question of SIGIR'16 and its answer on one screen, and three commands to go on with."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import click

import outperform
from outperform.cli.framework import Grouped
from outperform.cli.options import WRITTEN, takes
from outperform.cli.writing import write

if TYPE_CHECKING:
    from outperform.results import Comparison, PerClass

__all__ = ["demo"]

PAIRS = (("nb_bern", "nb_mult"), ("svm_l1", "svm_l2"), ("nb_mult", "svm_l2"))
ROPE, SIGNIFICANT = 0.05, 0.05
SHOWN = ("rec.sport.baseball", "rec.sport.hockey", "alt.atheism", "sci.electronics")
OPENING = """\
Which of four text classifiers is better? 20 Newsgroups, 7,532 posts, F1 by
class; differences up to 0.05 do not matter (Zhang et al., SIGIR 2016).
"""
LAST = """
{0} against {1}: the difference in F1 and its highest-density
interval (HDI), which holds 95% of the posterior:
"""
LESSON = """
A t-test calls {different} of these 20 classes different and says nothing about the rest.
The posterior calls {same} practically the same and shows which need more posts.

Try:"""
WIDTH = 80
NEXT = ("{} example > preds.csv", "{} preds.csv --rope 0.05", "{} report preds.csv --rope 0.05")


@click.command(cls=Grouped)
@click.option("--seed", type=int, default=0, metavar="N", help="Same seed, same numbers (0).")
@takes(WRITTEN)
def demo(seed: int, format_: str | None, output: str | None, verbose: bool) -> None:
    """Compare four classifiers on 20 Newsgroups, class by class, on one screen.

    With --verbose, or in another format, it gives SIGIR'16 Tables 4, 5 and 6.

    \b
    outperform demo
    outperform demo --format latex
    """
    from outperform.render.terminal import put
    from outperform.results import Several

    found = _compared(seed)
    if verbose or output is not None or format_ not in (None, "text"):
        write(Several(tuple(found)), format_, output, verbose=verbose)
    else:
        put("\n".join(_story(found)))


def _compared(seed: int) -> list[PerClass[Comparison]]:
    """The paper's three comparisons, by its prior."""
    import numpy as np

    news, model = outperform.datasets.newsgroups(), outperform.Paired(prior="uniform")
    names = np.array(news.classes)
    truth, said = names[news.truth], {name: names[labels] for name, labels in news.predictions.items()}

    def compared(pair: tuple[str, str]) -> PerClass[Comparison]:
        predictions = {name: said[name] for name in pair}
        rows = outperform.compare(truth, predictions, average="per_class", rope=ROPE, model=model, rng=seed)
        assert isinstance(rows, outperform.PerClass)
        return rows

    return [compared(pair) for pair in PAIRS]


def _story(found: Sequence[PerClass[Comparison]]) -> Iterator[str]:
    """Lines of the story: all verdicts counted, four classes of the last pair, what the t-test says of it, commands."""
    yield OPENING
    yield f"{'':26}{'better':>8}{'worse':>8}{'same':>8}{'unresolved':>12}"
    for pair, rows in zip(PAIRS, found, strict=True):
        number = _counted(rows)
        told = (number[name] for name in ("better", "worse", "equivalent"))
        yield f"{' against '.join(pair):26}{''.join(f'{n:>8}' for n in told)}{number.total() - _decided(number):>12}"
    last = found[-1]
    yield LAST.format(*PAIRS[-1]).rstrip("\n")
    yield from (_line(last[name]) for name in SHOWN)
    different = sum((row.frequentist["t_test"] or 0) < SIGNIFICANT for row in last)
    yield LESSON.format(different=different, same=_counted(last)["equivalent"])
    yield from (f"  {line.format(_program())}" for line in NEXT)


def _counted(rows: PerClass[Comparison]) -> Counter[str]:
    return Counter(row.decision.name for row in rows if row.decision)


def _decided(number: Counter[str]) -> int:
    return sum(number[name] for name in ("better", "worse", "equivalent"))


def _line(row: Comparison) -> str:
    """The difference on one class, and the verdict in the words of the card."""
    from outperform.formats import numbers
    from outperform.results import card_of

    hdi = numbers.interval(row.delta.hdi, difference=True)
    shown = f"  {row.class_:20}{numbers.signed(row.delta.mean)} {hdi}  "
    return fill(f"{shown}{card_of(row).verdict}", WIDTH, subsequent_indent=" " * len(shown))


def _program() -> str:
    """The name under which the command can be typed here."""
    if shutil.which("outperform"):
        return "outperform"
    return "python -m outperform" if sys.argv[0].endswith(".py") else sys.argv[0]
