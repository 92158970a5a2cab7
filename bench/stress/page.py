"""Tables of the results as Markdown, and the text of the page that shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from bench.stress.pairs import MEASURES

__all__ = ["overview", "tables", "text"]

Row: TypeAlias = dict[str, str]
SCORES, DELTA = ("a", "b"), "delta"
HEAD = (
    "world", "half", "method", "score", "difference", "width", "width / oracle", "bias of score",
    "decided", "oracle", "false", "s", "refused",
)  # fmt: skip
OVERVIEW = (
    "kind", "half", "method", "worlds", "data sets", "score", "difference", "width / oracle", "decided", "oracle",
    "false",
)  # fmt: skip
OPENING = """# Coverage and false verdicts, world by world

How often 95% intervals contain the true score and the true difference, and how often a verdict is false, in worlds that
differ in kind. Data sets are drawn from a known truth; real populations are resampled with replacement, so that their
own score is the truth. Defaults were chosen by looking at one half of the worlds (chosen); the other half was held back
(held).

*score* and *difference*: coverage in per cent. *width*: mean width of the interval of the difference. *oracle*: an
interval of the estimate ±1.96 times its standard deviation over the data sets, which is the sampling variation.
*decided* and *false*: share of data sets with a verdict, and with a false one, in per cent, under a ROPE of ±0.01 and
under one with the true difference on its boundary (±0.05 if that is near 0). Near copies, data sets, rankings and
slices have other ROPEs, which are in the CSV file.

Each row is a kind of world: its mean coverage, in brackets the lowest coverage of any world, and the largest share of
false verdicts. *data sets*: the smallest number of any world; the Monte-Carlo error of a coverage near 95% is 1.1
points at 400, 1.5 at 200 and 2.2 at 100.

Posteriors have 2,000 draws per data set, which makes HDIs about 1% shorter than the default number of draws does. Most
rows of macro averages were computed on a GPU that 16 processes shared; the seconds of a row are those of the machine
that computed it.
"""
PICTURE = "![Coverage of 95% intervals by kind of world, of the default and of other methods](../images/stress.svg)"
LONG = 24  # lines, from which on a table is folded
DETAILS = """## World by world

*s*: seconds per data set. *refused*: data sets that the method does not accept, for example because a
class has no items.
"""


def text(rows: Sequence[Row]) -> str:
    """The page from rows of the file."""
    default = [row for row in rows if (row["half"], row["method"]) == ("held", "default")]
    first = f"## The default, in the held half\n\n{overview(default)}"
    every = f"## All methods, both halves\n\n{_folded(overview(rows))}"
    return "\n\n".join([OPENING + "\n" + PICTURE, first, every, DETAILS + "\n" + tables(rows)]) + "\n"


def _folded(table: str) -> str:
    """A long table, folded; HTML ends at an empty line, after which Markdown goes on."""
    rows = table.count("\n") - 1
    return table if rows + 2 < LONG else f"<details><summary>{rows} lines</summary>\n\n{table}\n\n</details>"


def overview(rows: Sequence[Row]) -> str:
    """A line per kind of world, half and method: mean and least coverage, and the largest share of false verdicts."""
    lines = [f"| {' | '.join(OVERVIEW)} |", f"|---|---|---|{'---:|' * (len(OVERVIEW) - 3)}"]
    for group in sorted(dict.fromkeys(map(_group, rows)), key=lambda group: (group[0], group[2] != "default", group)):
        own = [row for row in rows if _group(row) == group]
        scores = [row for row in own if _of(row) in SCORES]
        others = [row for row in own if _of(row) not in SCORES]
        ratios = [float(row["width"]) / float(row["true_sd_width"]) for row in others if _has_width(row)]
        fewest = min(int(row["data_sets"]) for row in own)
        cells = [*group, str(len({row["world"] for row in own})), str(fewest), _least(scores), _least(others)]
        cells.append(f"{sum(ratios) / len(ratios):.2f}" if ratios else "")
        cells += [_pair(others, name, _mean) for name in ("decided", "oracle")]
        lines.append(f"| {' | '.join([*cells, _pair(others, 'false', _largest)])} |")
    return "\n".join(lines)


def tables(rows: Sequence[Row]) -> str:
    """A table per kind of world, with a line per world, method and measure."""
    parts = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        lines = [f"| {' | '.join(HEAD)} |", f"|---|---|---|{'---:|' * (len(HEAD) - 3)}"]
        keys = dict.fromkeys(_key(row) for row in own)
        lines += [_line(key, [row for row in own if _key(row) == key]) for key in keys]
        parts.append(f"## {kind}\n\n" + _folded("\n".join(lines)))
    return "\n\n".join(parts)


def _group(row: Row) -> tuple[str, str, str]:
    """Kind of world, half, and method with its measure."""
    measure = row["quantity"].split(".")[0]
    return row["kind"], row["half"], _named(row) if measure in MEASURES[1:] else row["method"]


def _named(row: Row) -> str:
    return f"{row['method']}, {row['quantity'].split('.')[0]}"


def _key(row: Row) -> tuple[str, str, str]:
    """World, method, and the measure; quantities that are neither scores nor differences have lines of their own."""
    measure = row["quantity"].split(".")[0]
    return row["world"], row["method"], measure if _of(row) in (*SCORES, DELTA) else row["quantity"]


def _of(row: Row) -> str:
    """What a quantity is of: a, b, delta or something else."""
    return row["quantity"].split(".")[1]


def _line(key: tuple[str, str, str], rows: Sequence[Row]) -> str:
    world, method, measure = key
    scores = [row for row in rows if _of(row) in SCORES]
    main = next((row for row in rows if row not in scores), rows[-1])
    difference = [] if main in scores else [main]
    ratio = f"{float(main['width']) / float(main['true_sd_width']):.2f}" if difference and _has_width(main) else ""
    method = method if measure == "f1" else f"{method}, {measure}"
    cells = [world, main["half"], method, _mean(scores, "coverage", _percent), _mean(difference, "coverage", _percent)]
    cells += [_mean(difference, "width", _three), ratio, _mean(scores or rows, "bias", _signed)]
    cells += [_pair([main], name, _mean) for name in ("decided", "oracle", "false")]
    return f"| {' | '.join([*cells, main['seconds'], main['failed']])} |"


def _mean(rows: Sequence[Row], column: str, show: Callable[[float], str]) -> str:
    values = [float(row[column]) for row in rows if row[column]]
    return show(sum(values) / len(values)) if values else ""


def _largest(rows: Sequence[Row], column: str, show: Callable[[float], str]) -> str:
    values = [float(row[column]) for row in rows if row[column]]
    return show(max(values)) if values else ""


def _least(rows: Sequence[Row]) -> str:
    """Coverage: the mean, and the least in brackets."""
    values = [float(row["coverage"]) for row in rows if row["coverage"]]
    return f"{_percent(sum(values) / len(values))} ({_percent(min(values))})" if values else ""


def _pair(rows: Sequence[Row], name: str, taken: Callable[[Sequence[Row], str, Callable[[float], str]], str]) -> str:
    """Per cent under each ROPE."""
    return " / ".join(filter(None, (taken(rows, f"{name}{number}", _percent) for number in (1, 2))))


def _has_width(row: Row) -> bool:
    return bool(row["width"] and row["true_sd_width"]) and float(row["true_sd_width"]) > 0


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}"
