"""Rows become counts: files against a bare group-by of DuckDB, arrays against scikit-learn, and the cost afterwards.

Files are made for the run, in a folder that is gone afterwards: 20 classes, a truth and two classifiers, a million rows
written as often as it takes. Times are the shortest of a few in turn, CPU seconds those of all threads; memory is that
of a process of its own at its peak, Python and all. scikit-learn is timed on a tenth of the rows, and rates compared.

`python -m bench.counting` says what grows with cells, in CPU seconds: 1,000 classes, and labels of which an item may
have any number. It takes about seven minutes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import outperform as op
from bench.harness import Bar, Row, at_least, at_most, megabytes, minima, missing, rate, render

__all__ = ["bench"]

T = TypeVar("T")
CLASSES, BLOCK, REPEAT = 20, 1_000_000, 3
COLUMNS = ["gold", "svm", "nb"]
MOST = 1_000  # MB
GROUPED = "SELECT gold, svm, nb, count(*) FROM {} GROUP BY ALL"
READ = "op.read_counts({!r}, truth='gold', predictions=['svm', 'nb'])"
JOINED = "op.read_counts([{!r}, {!r}], id='id', truth='gold', predictions=['label'])"
MERGED = """
import pandas as pd
both = pd.read_parquet({!r}).merge(pd.read_parquet({!r}), on="id", validate="one_to_one")
both.groupby(["gold", "label_x", "label_y"]).size()
"""


def bench() -> list[Row]:
    absent = missing("counts of files", "duckdb", "pyarrow", "pandas", "sklearn")
    if absent is not None:
        return [absent]
    with TemporaryDirectory() as name:
        folder = Path(name)
        return [*_parquet(folder), *_text(folder), *_joined(folder), *_arrays(), *_afterwards()]


def _parquet(folder: Path) -> list[Row]:
    """Whole numbers and strings by their dictionaries; then the whole numbers by other engines."""
    numbers, strings = folder / "numbers.parquet", folder / "strings.parquet"
    _write(numbers, _table(text=False), 100)
    _write(strings, _table(text=True), 10)
    rows = [
        *_against_duckdb("Parquet, 10⁸ rows of whole numbers", numbers, f"'{numbers}'", wall=at_most(1)),
        *_against_duckdb("Parquet, 10⁷ rows of strings", strings, f"'{strings}'", cpu=at_most(0.5)),
    ]
    (ours,) = minima(partial(_ours, numbers), repeat=1)
    for engine, task in (("dask", _dask), ("pyspark", _spark)):
        what = f"Parquet, 10⁸ rows of whole numbers, by {engine}, against read_counts"
        absent = missing(what, engine)
        rows.append(absent or Row(what, task(numbers), ours))
    return rows


def _text(folder: Path) -> list[Row]:
    """CSV and JSON lines, written by DuckDB."""
    import duckdb

    lines, objects = folder / "strings.csv", folder / "strings.ndjson"
    duckdb.sql(f"COPY (FROM '{folder}/strings.parquet') TO '{lines}' (HEADER)")
    duckdb.sql(f"COPY (FROM '{folder}/strings.parquet' LIMIT 3000000) TO '{objects}' (FORMAT json)")
    return [
        *_against_duckdb("CSV, 10⁷ rows", lines, f"read_csv('{lines}')", wall=at_most(1.25)),
        *_against_duckdb("JSON lines, 3·10⁶ rows", objects, f"read_ndjson('{objects}')"),
    ]


def _against_duckdb(
    what: str, path: Path, source: str, *, wall: Bar | None = None, cpu: Bar | None = None
) -> list[Row]:
    import duckdb

    def bare() -> list[Any]:
        return list(duckdb.sql(GROUPED.format(source)).fetchall())

    assert sorted(row[-1] for row in bare()) == sorted(_ours(path).n)
    ours, theirs = _costs(partial(_ours, path), bare)
    return [
        Row(f"{what}, against DuckDB", ours[0], theirs[0], bar=wall),
        Row("    CPU seconds", ours[1], theirs[1], bar=cpu),
        Row("    memory", _alone(READ.format(str(path)))[1], show=megabytes, bar=at_most(MOST, own=True)),
    ]


def _joined(folder: Path) -> list[Row]:
    """Two files whose rows are in another order."""
    import pyarrow as pa

    rng = np.random.default_rng(0)
    truth, *guesses = (np.tile(own, 10) for own in _labels(rng))
    paths = [str(folder / f"{name}.parquet") for name in COLUMNS[1:]]
    for path, guess in zip(paths, guesses, strict=True):
        order = rng.permutation(len(truth))
        table = pa.table({"id": order, "gold": truth[order], "label": guess[order]})
        _write(Path(path), table if path == paths[0] else table.drop_columns("gold"), 1)
    ours, theirs = (_alone(code.format(*paths)) for code in (JOINED, MERGED))
    return [
        Row("two Parquet files of 10⁷ rows joined by id, against pandas, once", ours[0], theirs[0]),
        Row("    memory", ours[1], theirs[1], show=megabytes),
    ]


def _arrays() -> list[Row]:
    from sklearn.metrics import confusion_matrix

    rows = []
    for kind in (np.uint8, np.int64):
        truth, svm, nb = (np.tile(own.astype(kind), 100) for own in _labels(np.random.default_rng(0)))
        few = len(truth) // 10

        def theirs(truth: Any = truth[:few], guesses: Any = (svm[:few], nb[:few])) -> None:
            for guess in guesses:
                confusion_matrix(truth, guess)

        ours, reference = minima(partial(op.Counts.from_labels, truth, {"svm": svm, "nb": nb}), theirs, repeat=REPEAT)
        what = f"arrays of 10⁸ {np.dtype(kind)}, rows, against two confusion_matrix of scikit-learn on 10⁷"
        rows.append(Row(what, len(truth) / ours, few / reference, rate, at_least(20)))
    return rows


def _afterwards() -> list[Row]:
    """The same cells with ten thousand times as many items."""
    truth, svm, nb = (own[:10_000] for own in _labels(np.random.default_rng(0)))
    few = op.Counts.from_labels(truth, {"svm": svm, "nb": nb})
    many = replace(few, n=10_000 * few.n)
    ours, reference = minima(*(partial(_compare, counts) for counts in (many, few)), repeat=5)
    return [Row("compare counts of 10⁸ items, against 10⁴ items in the same cells", ours, reference, bar=at_most(1.2))]


def _compare(counts: op.Counts) -> object:
    return op.compare(counts, average="macro", rope=0.01, rng=0)


def _ours(path: Path) -> op.Counts:
    return op.read_counts(path, truth="gold", predictions=COLUMNS[1:])


def _dask(path: Path) -> float:
    """Seconds, with as many threads as Dask thinks right."""
    import dask.dataframe as dd

    return _first(lambda: _of_frame(dd.read_parquet(path, split_row_groups=True)))


def _spark(path: Path) -> float:
    """Seconds in a session that is there already."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        session.sparkContext.setLogLevel("ERROR")
        return _first(lambda: _of_frame(session.read.parquet(str(path))))
    finally:
        session.stop()


def _of_frame(frame: Any) -> op.Counts:
    return op.Counts.from_frame(frame, truth="gold", predictions=COLUMNS[1:])


def _first(task: Callable[[], object]) -> float:
    begin = perf_counter()
    task()
    return perf_counter() - begin


def _costs(*tasks: Callable[[], object]) -> list[tuple[float, float]]:
    """The shortest time of each task and the fewest CPU seconds; all were run once before."""
    best = [(inf, inf)] * len(tasks)
    for _ in range(REPEAT):
        for k, task in enumerate(tasks):
            wall, cpu = perf_counter(), process_time()
            task()
            wall, cpu = perf_counter() - wall, process_time() - cpu
            best[k] = min(best[k][0], wall), min(best[k][1], cpu)
    return best


def _alone(code: str) -> tuple[float, float]:
    """Seconds, and megabytes at the peak, of code in a process of its own.

    `ru_maxrss` would begin with what this process has in use.
    """
    lines = [
        "import outperform as op",
        "from time import perf_counter",
        "begin = perf_counter()",
        code,
        "print(perf_counter() - begin)",
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])",
    ]
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True, text=True)
    took, kilobytes = map(float, run.stdout.split()[-2:])  # an engine may print a bar before
    return took, kilobytes / 1024


def _labels(rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """A truth and two classifiers, right four times in five and seven times in ten."""
    truth = rng.integers(0, CLASSES, BLOCK)
    guesses = (np.where(rng.random(BLOCK) < p, truth, rng.integers(0, CLASSES, BLOCK)) for p in (0.8, 0.7))
    return [truth, *guesses]


def _table(*, text: bool) -> Any:
    import pyarrow as pa

    names: NDArray[Any] = np.array([f"class number {k}" for k in range(CLASSES)])
    columns: Iterable[NDArray[Any]] = _labels(np.random.default_rng(0))
    return pa.table(dict(zip(COLUMNS, [names[own] if text else own.astype(np.int32) for own in columns], strict=True)))


def _write(path: Path, table: Any, times: int) -> None:
    """A row group for each million rows."""
    from pyarrow import parquet

    with parquet.ParquetWriter(path, table.schema) as file:
        for _ in range(times):
            file.write_table(table, row_group_size=BLOCK)


def _many_cells(*, skewed: bool, rows: int = 10_000_000, classes: int = 1_000) -> list[Row]:
    """Classes that are equally common, or the second half as common as the first, the third a third."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, classes + 1) if skewed else np.ones(classes)
    share /= share.sum()
    truth, *others = (rng.choice(classes, rows, p=share) for _ in range(3))
    right = (0.8, 0.7)
    guesses = [np.where(rng.random(rows) < p, truth, own) for p, own in zip(right, others, strict=True)]
    two = dict(zip(COLUMNS[1:], guesses, strict=True))
    counted, counts = _cpu(lambda: op.Counts.from_labels(truth, two))
    with TemporaryDirectory() as folder:
        import duckdb
        import pyarrow as pa

        path = Path(folder, "rows.parquet")
        _write(path, pa.table({"gold": truth, **two}), 1)
        read, _ = _cpu(lambda: _ours(path))
        bare, _ = _cpu(lambda: duckdb.sql(GROUPED.format(f"'{path}'")).fetchall())
        sizes = _sizes(counts, folder)
    what = f"{rows:,} rows of {classes:,} classes, {'skewed' if skewed else 'equally common'}"
    return [
        Row(f"{what}: cells", len(counts.n), show="{:,.0f}".format),
        Row("    arrays counted", counted),
        Row("    Parquet counted, against DuckDB", read, bare),
        *sizes,
        Row("    two such counts added up", _cpu(lambda: counts + counts)[0]),
        *_compared(counts, {"macro f1": {"average": "macro"}, "accuracy": {"measure": "accuracy"}}),
    ]


def _many_labels(labels: int, *, compared: bool) -> list[Row]:
    """As many items as labels; about ten rows an item in which the truth or a classifier has a label."""
    rng = np.random.default_rng(0)
    rows = 10 * labels
    label = (labels * rng.random(rows) ** 3).astype(np.int64)
    truth = rng.random(rows) < 0.6
    svm, nb = (rng.random(rows) < np.where(truth, p, 0.6) for p in (0.8, 0.7))
    there = truth | svm | nb
    two = {"svm": svm[there], "nb": nb[there]}
    counted, long = _cpu(lambda: op.Counts.from_labels(truth[there], two, by=label[there]))
    filled, counts = _cpu(lambda: long.as_labels(items=max(labels, int(np.bincount(label).max()))))
    with TemporaryDirectory() as folder:
        sizes = _sizes(counts, folder)
        back, _ = _cpu(lambda: op.Counts.load(Path(folder, "counts.parquet")))
    asked = {f"{average} f1": {"average": average} for average in ("micro", "macro") if compared}
    return [
        Row(f"{labels:,} labels, {there.sum():,} rows: cells", len(counts.n), show="{:,.0f}".format),
        Row("    counted", counted),
        Row("    the rest filled in", filled),
        *sizes,
        Row("    Parquet file of counts read back", back),
        *_compared(counts, asked),
    ]


def _compared(counts: op.Counts, asked: dict[str, dict[str, Any]]) -> list[Row]:
    return [
        Row(f"    {name} compared", _cpu(partial(op.compare, counts, **ask, rng=0))[0]) for name, ask in asked.items()
    ]


def _sizes(counts: op.Counts, folder: str) -> list[Row]:
    """What files of counts take."""
    rows = []
    for ending in ("json", "parquet"):
        path = Path(folder, f"counts.{ending}")
        counts.save(path)
        rows.append(Row(f"    counts as {ending}", path.stat().st_size / 1e6, show="{:,.1f} MB".format))
    return rows


def _cpu(task: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds of all threads, and what came out."""
    begin = process_time()
    result = task()
    return process_time() - begin, result


def main() -> None:
    rows = [row for skewed in (True, False) for row in _many_cells(skewed=skewed)]
    rows += [*_many_labels(10_000, compared=True), *_many_labels(100_000, compared=True)]
    print(render([*rows, *_many_labels(1_000_000, compared=False)]))


if __name__ == "__main__":
    main()
