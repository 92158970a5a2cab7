"""Does a fine-grained tag set make a chunker better? The experiments of Wang & Li (2019), section 4.

    python examples/chunking/run.py CORPUS --task ner|org|cws

A conditional random field is trained with two tag sets, A and the finer B, on the folds of a 3×2 block-regularised
cross-validation, and the Bayes test says how likely it is that B is better.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from paper import PAPER, Found
from tasks import TASKS

import outperform as op
from outperform.base.errors import DataError
from outperform.reproduction.chunking import count_chunks

__all__ = ["Answer", "compare", "main", "report", "shown", "totals"]

MEASURES = ("precision", "recall", "f1")
ROW = "{:<11}{:<17}{:<17}{:>7}{:>7}  {:<10}{:>13}"
HEADER = ("task", "tag_set", "repetition", "fold", "gold", "predicted", "correct")


@dataclass(frozen=True)
class Answer:
    """The Bayes test of one measure: as in the paper, and with what is known of the same chunks."""

    measure: str
    unpaired: op.BayesTest
    paired: op.BayesTest

    @property
    def found(self) -> Found:
        """What the paper's tables have."""
        assert self.unpaired.intervals is not None
        a, b = ((100 * low, 100 * high) for low, high in self.unpaired.intervals)
        return Found(a, b, self.unpaired.hypotheses.p_h0, self.unpaired.hypotheses.accept)


def main(arguments: Sequence[str] | None = None) -> list[Answer]:
    """Run the experiment, print the tables, and write the totals if asked to."""
    given = _parse(arguments)
    task = TASKS[given.task]
    try:
        corpus = task.read(given.corpus, given.limit)
    except DataError as error:
        sys.exit(str(error))
    start = perf_counter()
    counts = count_chunks(task, corpus, seed=given.seed, jobs=given.jobs, cache=given.cache)
    taken = perf_counter() - start
    answers = compare(counts, given.seed)
    _say(f"{len(corpus.sentences)} sentences, {corpus.chunks} chunks; 3×2 cross-validation took {taken:.0f} s\n")
    _say(*report(answers, given.task, task.tag_sets))
    if given.totals:
        _write(given.totals, totals(counts, given.task))
    return answers


def compare(counts: op.Counts, seed: int) -> list[Answer]:
    """The Bayes test of each measure."""
    return [
        Answer(
            measure,
            op.bayes_test(counts, measure=measure, rng=seed),
            op.bayes_test(counts, measure=measure, model="paired", rng=seed),
        )
        for measure in MEASURES
    ]


def report(answers: Sequence[Answer], task: str, tag_sets: tuple[str, str]) -> Iterator[str]:
    """Lines of a table: what was found, and below it what the paper has."""
    yield ROW.format(task.upper(), *(f"{name} (%)" for name in tag_sets), "P(H0)", "P(H1)", "decision", "paired P(H0)")
    for answer in answers:
        yield _row(answer.measure, answer.found, shown(answer.paired.hypotheses.p_h0))
        yield _row("  paper", PAPER[task][answer.measure], "")


def shown(probability: float) -> str:
    """Three digits; what they cannot tell from 0 or 1 is not called that."""
    if probability < 0.0005:
        return "<0.001"
    return ">0.999" if probability > 0.9995 else f"{probability:.3f}"


def totals(counts: op.Counts, task: str) -> Iterator[tuple[str | int, ...]]:
    """Rows of the chunks of each tag set in each fold: there, predicted, and right."""
    for k, name in enumerate(counts.classifiers):
        for place, (repetition, fold) in enumerate(counts.folds):
            own = counts.fold(place).contingency()
            yield task, name, repetition, fold, *(int(x[k].sum()) for x in (own.support, own.predicted, own.hit))


def _row(name: str, found: Found, paired: str) -> str:
    intervals = (f"[{low:.2f}, {high:.2f}]" for low, high in (found.a, found.b))
    chances = shown(found.p_h0), shown(1 - found.p_h0)
    return ROW.format(name, *intervals, *chances, f"accept {found.accept}", paired).rstrip()


def _write(path: str, rows: Iterator[tuple[str | int, ...]]) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare two tag sets of a chunker by the Bayes test.")
    parser.add_argument("corpus", help="CoNLL columns for ner and org, segmented text for cws; plain or .gz")
    parser.add_argument("--task", choices=TASKS, required=True)
    parser.add_argument("--cache", metavar="DIR", help="keep finished fits here, and go on from there")
    parser.add_argument("--jobs", type=int, metavar="N", help="fits at the same time")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N sentences")
    parser.add_argument("--totals", metavar="FILE", help="write the totals of each fold as CSV")
    parser.add_argument("--seed", type=int, default=0, help="of the splits and the paired draws (default: 0)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
