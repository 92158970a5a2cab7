"""The command: fills a CSV file with the results that it lacks, task by task, and shows what is in it.

A task is a world, a method and a measure. Its rows are written when it is finished and never computed again, so that
the command can be stopped at any time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

from joblib import Parallel, delayed

from bench import jobs, kept
from bench.stress import joining, page, worlds
from bench.stress.measuring import DRAWS, measured
from bench.stress.methods import EXTRA
from bench.stress.world import World

__all__ = ["FILE", "main", "tasks"]

DOCS = Path(__file__).parent.parent.parent / "docs" / "explanation"
FILE, PAGE = DOCS / "stress.csv", DOCS / "stress.md"
REPEATS = 400
EVERY = "all"
Task: TypeAlias = tuple[str, str, str]  # names of the world, the method and the measure


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate what is not in the file yet, or show it."""
    options = _options(arguments)
    if options.list:
        _list(_selected(options))
    elif options.table:
        rows = _known(options)
        print(page.overview(rows), page.tables(rows), sep="\n\n")
    elif options.join:
        rows = joining.joined(kept.read(options.file), kept.read(options.join))
        both = options.file.with_suffix(".joined")
        kept.append(both, rows)
        both.replace(options.file)
    elif options.page:
        PAGE.write_text(page.text(_known(options)), encoding="utf-8")
    else:
        _fill(options)


def tasks(chosen: Sequence[World], methods: Sequence[str], measures: Sequence[str]) -> list[Task]:
    """All tasks of these worlds, restricted to some methods and measures if any are named.

    Without measures, each world is asked about its first one. Only two methods are asked about the others.
    """
    return [
        (world.name, method, measure)
        for world in chosen
        for method in world.methods
        if not methods or method in methods
        for measure in world.measures
        if (measure == world.measures[0] if not measures else EVERY in measures or measure in measures)
        and (measure == world.measures[0] or method in EXTRA)
    ]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.stress", description=__doc__)
    parser.add_argument("--worlds", nargs="+", default=["*"], metavar="PATTERN", help="names such as 'goemotions *'")
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help="only these methods")
    parser.add_argument("--measures", nargs="+", default=[], metavar="NAME", help="'all', or some of the measures")
    parser.add_argument("--half", choices=("chosen", "held", EVERY), default=EVERY, help="only worlds of this half")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="data sets per world")
    parser.add_argument("--first", type=int, default=0, help="number of the first data set (into another file)")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws per comparison; 0 for those of a user")
    parser.add_argument("--device", help="where the package draws: cuda; processes share a GPU")
    parser.add_argument("--file", type=Path, default=FILE, help="where results are kept")
    parser.add_argument("--list", action="store_true", help="list the worlds and stop")
    parser.add_argument("--table", action="store_true", help="print tables of the file and stop")
    parser.add_argument("--join", type=Path, metavar="FILE", help="add the further data sets of this file and stop")
    parser.add_argument("--page", action="store_true", help="write the page from the file and stop")
    jobs.option(parser)
    return parser.parse_args(arguments)


def _selected(options: argparse.Namespace) -> list[World]:
    return [
        world
        for world in worlds.WORLDS
        if options.half in (EVERY, world.half) and any(fnmatchcase(world.name, way) for way in options.worlds)
    ]


def _known(options: argparse.Namespace) -> list[dict[str, str]]:
    """Rows of the file that were asked for, in the order of the worlds and of their methods."""
    place = {task[:2]: number for number, task in enumerate(tasks(worlds.WORLDS, (), ()))}
    names = {world.name for world in _selected(options)}
    rows = [row for row in kept.read(options.file) if row["world"] in names]
    rows = [row for row in rows if not options.methods or row["method"] in options.methods]
    if not rows:
        raise SystemExit(f"no results for these worlds and methods in {options.file}; run the simulation first")
    return sorted(rows, key=lambda row: place.get((row["world"], row["method"]), len(place)))


def _fill(options: argparse.Namespace) -> None:
    done = {(row["world"], row["method"], row["quantity"].split(".")[0]) for row in kept.read(options.file)}
    asked = tasks(_selected(options), options.methods, options.measures)
    todo = [task for task in asked if task not in done]
    print(f"{len(todo)} of {len(asked)} tasks to do", file=sys.stderr)
    parallel = Parallel(n_jobs=options.processes, return_as="generator_unordered")
    begin = perf_counter()
    try:
        how = (range(options.first, options.first + options.repeats), options.draws or None, options.device)
        finished = parallel(delayed(_task)(task, *how) for task in todo)
        for number, rows in enumerate(finished, start=1):
            kept.append(options.file, rows)
            spent = perf_counter() - begin
            print(f"{number}/{len(todo)} {spent:.0f} s: {rows[0]['world']}, {rows[0]['method']}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"stopped; what is finished is in {options.file}", file=sys.stderr)
        raise SystemExit(130) from None


def _task(task: Task, numbers: range, draws: int | None, device: str | None) -> list[dict[str, Any]]:
    """Rows of one task; worlds are looked up by name, because their functions need not be sent."""
    name, method, measure = task
    return measured(worlds.named(name), method, measure, numbers, draws, device)


def _list(chosen: Sequence[World]) -> None:
    for world in chosen:
        print(f"{world.half:<7} {world.kind:<13} {world.name}: {world.note} [{', '.join(world.methods)}]")
    print(f"{len(chosen)} worlds, {len(tasks(chosen, (), ()))} tasks")
