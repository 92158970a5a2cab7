"""The same rows give the same counts and the same result in every dataframe library and file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, feather, parquet

import outperform as op
from outperform.io import counts as reading
from tests.data.test_counting import same
from tests.later import later

dd, duckdb, ibis, spark_sql = map(later, ("dask.dataframe", "duckdb", "ibis", "pyspark.sql"))

pytestmark = pytest.mark.usefixtures("few_draws")

ROWS = 90
NAMES = ("gold", "svm", "nb")
SYSTEMS = ["svm", "nb"]
KINDS: dict[str, tuple[Any, Any]] = {
    "whole numbers": (-1, 1),
    "text": ("ham", "spam"),
    "categories": ("ham", "spam"),
    "truth values": (False, True),
}
TYPES = {
    "whole numbers": pa.int64(),
    "text": pa.string(),
    "categories": pa.dictionary(pa.int32(), pa.string()),
    "truth values": pa.bool_(),
}
Columns = dict[str, list[Any]]


def columns_of(kind: str, *, gaps: bool = False) -> Columns:
    """Return labels of one kind, slices, numbers and weights; with gaps, some labels are None."""
    rng = np.random.default_rng(7)
    truth = rng.random(ROWS) < 0.4
    said = {name: truth ^ (rng.random(ROWS) < wrong) for name, wrong in (("svm", 0.15), ("nb", 0.3))}
    columns = {name: [KINDS[kind][int(x)] for x in values] for name, values in ({"gold": truth} | said).items()}
    for name, every in (("gold", 11), ("svm", 13), ("nb", 17)):
        columns[name] = [None if gaps and k % every == 3 else value for k, value in enumerate(columns[name])]
    columns["lang"] = [("de", "en", "fr")[k % 3] for k in range(ROWS)]
    columns["day"] = [(2, 10)[k % 2] for k in range(ROWS)]
    columns["n"] = rng.integers(0, 5, ROWS).tolist()
    columns["w"] = (rng.integers(0, 9, ROWS) / 4).tolist()
    return columns


def table_of(columns: Columns, kind: str) -> pa.Table:
    return pa.table(
        {name: pa.array(values, TYPES[kind] if name in NAMES else None) for name, values in columns.items()}
    )


def complete(columns: Columns) -> Columns:
    """Return the rows that have all labels."""
    kept = [k for k in range(ROWS) if all(columns[name][k] is not None for name in NAMES)]
    return {name: [values[k] for k in kept] for name, values in columns.items()}


def expected(columns: Columns, **settings: Any) -> op.Counts:
    """Return the counts of arrays, without the rows with gaps."""
    rows = complete(columns)
    named = {key: np.array(rows[name]) for key, name in settings.items()}
    counts = op.Counts.from_labels(np.array(rows["gold"]), {name: np.array(rows[name]) for name in SYSTEMS}, **named)
    return replace(counts, left_out=ROWS - len(rows["gold"]))


def answer(counts: op.Counts, kind: str) -> str:
    return op.compare(counts, pos_label=KINDS[kind][1], rope=0.05, draws=1_000, rng=0).to_json()


@cache
def expected_answer(kind: str, *, gaps: bool) -> str:
    return answer(expected(columns_of(kind, gaps=gaps)), kind)


@cache
def answer_of_arrays(kind: str) -> str:
    truth, *guesses = (np.array(columns_of(kind)[name]) for name in NAMES)
    return op.compare(truth, dict(zip(SYSTEMS, guesses, strict=True)), pos_label=KINDS[kind][1], rng=0).to_json()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Start a small local Spark; it needs Java."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    building = spark_sql.SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        building = building.config(name, value)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = building.getOrCreate()
        yield session
        session.stop()


def _modin(table: pa.Table) -> Any:
    pytest.importorskip("modin.config").Backend.put("Pandas")
    return pytest.importorskip("modin.pandas").DataFrame(table.to_pandas())


def _plain(table: pa.Table) -> pa.Table:
    """Return the table without dictionaries, which Spark lacks."""
    return table.cast(
        pa.schema([(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in table.schema])
    )


def _spark(table: pa.Table, request: Any) -> Any:
    return request.getfixturevalue("spark").createDataFrame(_plain(table)).repartition(2)


FRAMES: dict[str, Callable[..., Any]] = {
    "pandas": lambda table, _: table.to_pandas(),
    "pandas, nullable": lambda table, _: table.to_pandas().convert_dtypes(),
    "pandas, by Arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "Polars": lambda table, _: pl.DataFrame(table),
    "Polars, lazy": lambda table, _: pl.LazyFrame(pl.DataFrame(table)),
    "PyArrow": lambda table, _: table,
    "PyArrow, in pieces": lambda table, _: pa.concat_tables([table[:20], table[20:20], table[20:]]),
    "PyArrow, a data set": lambda table, _: dataset.dataset(table),
    "PyArrow, a stream": lambda table, _: table.to_reader(max_chunksize=7),
    "PyArrow, a batch": lambda table, _: table.combine_chunks().to_batches()[0],
    "DuckDB": lambda table, _: duckdb.connect().from_arrow(table),
    "Ibis": lambda table, _: ibis.memtable(table),
    "Dask": lambda table, _: dd.from_pandas(table.to_pandas().convert_dtypes(), npartitions=3),
    "Modin": lambda table, _: _modin(table),
    "PySpark": _spark,
}
every_frame = pytest.mark.parametrize("frame_of", FRAMES.values(), ids=FRAMES)
SAME = {"PySpark"}  # without categories, so that they are text
every_kind_of_frame = pytest.mark.parametrize(
    ("frame_of", "kind"),
    [
        pytest.param(frame_of, kind, id=f"{name}-{kind}")
        for name, frame_of in FRAMES.items()
        for kind in KINDS
        if not (name in SAME and kind == "categories")
    ],
)


@every_kind_of_frame
def test_any_frame_is_counted_as_arrays_are(frame_of: Any, kind: str, request: Any) -> None:
    columns = columns_of(kind)
    table = table_of(columns, kind)
    counts = op.Counts.from_frame(frame_of(table, request), truth="gold", predictions=SYSTEMS)
    assert same(counts, expected(columns))
    found = op.compare(frame_of(table, request), SYSTEMS, truth="gold", pos_label=KINDS[kind][1], rng=0)
    assert found.to_json() == answer_of_arrays(kind)


@every_kind_of_frame
def test_rows_with_gaps_are_refused_or_left_out(frame_of: Any, kind: str, request: Any) -> None:
    columns = columns_of(kind, gaps=True)
    table = table_of(columns, kind)
    counts = op.Counts.from_frame(frame_of(table, request), truth="gold", predictions=SYSTEMS, missing="drop")
    assert same(counts, expected(columns))
    assert answer(counts, kind) == expected_answer(kind, gaps=True)
    with pytest.raises(
        ValueError, match=r"truth has no label in 8 of 90 rows \(empty, NaN, NA, null or None\); leave such"
    ):
        op.compare(frame_of(table, request), SYSTEMS, truth="gold", rng=0)


@every_frame
def test_numbers_weights_and_slices(frame_of: Any, request: Any) -> None:
    columns = columns_of("text")
    frame = frame_of(table_of(columns, "text"), request)
    for settings in ({"n": "n", "by": "lang"}, {"weights": "w"}):
        if "stream" in request.node.name:
            frame = frame_of(table_of(columns, "text"), request)
        counts = op.Counts.from_frame(frame, truth="gold", predictions=SYSTEMS, **settings)
        assert same(counts, expected(columns, **settings))


@every_frame
def test_scores_are_read_row_by_row(frame_of: Any, request: Any) -> None:
    rng = np.random.default_rng(1)
    columns = columns_of("text")
    scores = {name: (rng.random(ROWS) + [x == "spam" for x in columns[name]]).round(3) for name in SYSTEMS}
    table = pa.table({"gold": columns["gold"]} | {name: column.tolist() for name, column in scores.items()})
    settings: dict[str, Any] = {"measure": "roc_auc", "pos_label": "spam", "draws": 500, "rng": 0}
    found = op.compare(frame_of(table, request), SYSTEMS, truth="gold", **settings)
    arrays = op.compare(columns["gold"], scores, **settings)
    assert [found.a.observed, found.b.observed] == pytest.approx([arrays.a.observed, arrays.b.observed], rel=1e-12)
    if frame_of is not _spark:  # its rows have no order
        assert found.to_json() == arrays.to_json()


@every_frame
def test_every_column_is_a_system(frame_of: Any, request: Any) -> None:
    rng = np.random.default_rng(2)
    columns = {name: rng.random(ROWS).round(3) for name in SYSTEMS}
    frame = frame_of(pa.table({name: column.tolist() for name, column in columns.items()}), request)
    found, arrays = (op.compare_scores(x, rope=0.1, draws=500, rng=0) for x in (frame, columns))
    assert [found.a.observed, found.b.observed] == pytest.approx([arrays.a.observed, arrays.b.observed], rel=1e-12)
    if frame_of is not _spark:  # its rows have no order
        assert found.to_json() == arrays.to_json()


def test_a_frame_of_predictions() -> None:
    columns = columns_of("text")
    gold, said = columns.pop("gold"), {name: columns[name] for name in SYSTEMS}
    settings: dict[str, Any] = {"pos_label": "spam", "rng": 0}
    found, arrays = (op.compare(gold, x, **settings) for x in (pd.DataFrame(said), said))
    assert found == arrays


# files


def _write_text(columns: Columns, path: Path, separator: str) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_lines(columns: Columns, path: Path) -> None:
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _write_stream(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table, max_chunksize=11)


FILES: dict[str, Callable[[Columns, str, Path], None]] = {
    "csv": lambda columns, _, path: _write_text(columns, path, ","),
    "tsv": lambda columns, _, path: _write_text(columns, path, "\t"),
    "ndjson": lambda columns, _, path: _write_lines(columns, path),
    "parquet": lambda columns, kind, path: parquet.write_table(table_of(columns, kind), path, row_group_size=25),
    "feather": lambda columns, kind, path: feather.write_feather(table_of(columns, kind), path, chunksize=25),
    "arrow": lambda columns, kind, path: _write_stream(table_of(columns, kind), path),
}
TEXTS = ("csv", "tsv", "ndjson")


@pytest.fixture(params=["at once", "by an engine"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small files are read row by row, large ones counted by DuckDB; here both ways are used."""
    if request.param == "by an engine":
        monkeypatch.setattr(reading, "LARGE", 0)
    return str(request.param)


def _part(columns: Columns, start: int, stop: int | None) -> Columns:
    return {name: values[start:stop] for name, values in columns.items()}


def write_parts(columns: Columns, kind: str, folder: Path, ending: str) -> None:
    folder.mkdir()
    for k, (start, stop) in enumerate([(0, 20), (20, 21), (21, None)]):
        FILES[ending](_part(columns, start, stop), kind, folder / f"part-{k}.{ending}")
    (folder / "_SUCCESS").write_text("")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    ("ending", "kind"),
    [(ending, kind) for ending in FILES for kind in KINDS if not (ending in TEXTS and kind == "categories")],
)
def test_any_file_is_counted_as_arrays_are(ending: str, kind: str, gaps: bool, tmp_path: Path) -> None:
    """As one file and, with gaps, in parts; categories are text in a text file."""
    columns = columns_of(kind, gaps=gaps)
    FILES[ending](columns, kind, tmp_path / f"table.{ending}")
    if gaps:
        write_parts(columns, kind, tmp_path / "parts", ending)
    for name in (f"table.{ending}", "parts", f"parts/part-*.{ending}") if gaps else (f"table.{ending}",):
        path = str(tmp_path / name)
        counts = op.read_counts(path, truth="gold", predictions=SYSTEMS, missing="drop")
        assert same(counts, expected(columns)), name
        if gaps:
            with pytest.raises(ValueError, match=r"no label in 8 of 90 rows|no value in column 'gold'"):
                op.read_counts(path, truth="gold", predictions=SYSTEMS)
    assert answer(counts, kind) == expected_answer(kind, gaps=gaps)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("ending", FILES)
def test_numbers_weights_and_slices_of_files(ending: str, tmp_path: Path) -> None:
    columns, path = columns_of("text"), tmp_path / f"table.{ending}"
    FILES[ending](columns, "text", path)
    choices: list[dict[str, Any]] = [
        {"n": "n"},
        {"weights": "w"},
        {"by": "lang"},
        {"by": "day"},
        {"n": "n", "by": "lang"},
    ]
    for settings in choices:
        counts = op.read_counts(path, truth="gold", predictions=SYSTEMS, **settings)
        assert same(counts, expected(columns, **settings)), settings


# slices


def test_two_columns_of_slices_are_their_combinations() -> None:
    columns = columns_of("truth values")
    frame = pl.DataFrame(table_of(columns, "truth values"))
    both = [f"{lang}, {day}" for lang, day in zip(columns["lang"], columns["day"], strict=True)]
    counts = op.Counts.from_frame(frame, truth="gold", predictions=SYSTEMS, by=["lang", "day"])
    assert same(counts, expected(columns | {"both": both}, by="both"))
    assert counts.slices == ("de, 10", "de, 2", "en, 10", "en, 2", "fr, 10", "fr, 2")


def test_slices_are_compared_as_if_there_were_no_others() -> None:
    columns = columns_of("truth values")
    table = table_of(columns, "truth values")
    found = op.compare(table.to_pandas(), SYSTEMS, truth="gold", by="lang", rope=0.05, rng=0)
    arrays = op.compare(
        columns["gold"], {name: columns[name] for name in SYSTEMS}, by=columns["lang"], rope=0.05, rng=0
    )
    assert found.to_json() == arrays.to_json()
    assert found.slices == ("de", "en", "fr")
    for lang in found.slices:
        rows = table.filter(pa.compute.field("lang") == lang)
        alone = op.compare(rows, SYSTEMS, truth="gold", labels=[False, True], rope=0.05, rng=0)
        assert replace(found[lang], p_wrong=None, verdicts=None).to_json() == alone.to_json()
        assert found[lang].items == 30
    with pytest.raises(KeyError, match="no slice 'it'; there are 'de', 'en', 'fr'"):
        found["it"]


def test_slices_learn_from_each_other_as_labels_do() -> None:
    counts = expected(columns_of("truth values"), by="lang")
    settings: dict[str, Any] = {"model": op.Paired(prior=op.Hierarchical()), "measure": "recall", "rng": 0}
    shared = op.compare(counts, **settings)
    labels = op.compare(counts.as_labels(), average="per_class", **settings)
    for lang, one, other in zip(counts.slices, shared, labels, strict=True):
        assert other.class_ == lang
        assert (one.delta, one.a, one.b) == (other.delta, other.a, other.b)


def test_a_small_slice_is_drawn_towards_the_others() -> None:
    sizes = {f"large {k}": (200, 160) for k in range(6)} | {"small": (8, 4)}
    rows = [(lang, 1, int(k < right), int(k % 5 > 0)) for lang, (size, right) in sizes.items() for k in range(size)]
    rows += [(lang, 0, 0, 0) for lang in sizes for _ in range(50)]
    by, truth, a, b = (list(column) for column in zip(*rows, strict=True))
    settings: dict[str, Any] = {"by": by, "measure": "recall", "rng": 0}
    alone = op.compare(truth, {"a": a, "b": b}, **settings)
    shared = op.compare(truth, {"a": a, "b": b}, model=op.Paired(prior=op.Hierarchical(weight=20)), **settings)
    assert alone["small"].a.mean < 0.6 < shared["small"].a.mean < shared["large 0"].a.mean
    assert shared["small"].delta.sd < alone["small"].delta.sd
    assert shared["large 0"].a.mean == pytest.approx(alone["large 0"].a.mean, abs=0.02)


def test_the_long_format_is_that_of_label_sets() -> None:
    rng = np.random.default_rng(3)
    truth, a, b = rng.random((3, 40, 4)) < 0.4
    names = ["art", "law", "sea", "war"]
    sets = op.Counts.from_label_sets(truth, {"a": a, "b": b}, labels=names)
    sets = replace(sets, task=sets.task.without_sets())  # rows do not say which labels occur together on an item
    long = pa.table({"gold": truth.ravel(), "a": a.ravel(), "b": b.ravel(), "topic": names * 40})
    counts = op.Counts.from_frame(long, truth="gold", predictions=["a", "b"], by="topic")
    assert same(counts.as_labels(), sets)
    some = long.filter(pa.array((truth | a | b).ravel()))
    fewer = op.Counts.from_frame(some, truth="gold", predictions=["a", "b"], by="topic")
    assert same(fewer.as_labels(items=40), sets)
    with pytest.raises(ValueError, match=r"rows where there are \d+ items; give a row for each item and label"):
        fewer.as_labels()
    with pytest.raises(ValueError, match="rows where there are 5 items"):
        fewer.as_labels(items=5)
    with pytest.raises(ValueError, match="by=, the column that names the label"):
        expected(columns_of("text")).as_labels()
    with pytest.raises(ValueError, match="is 0 or 1 for each item and label; got 'ham', 'spam'"):
        expected(columns_of("text"), by="lang").as_labels()


def test_the_long_format_of_separate_test_sets_keeps_who_was_not_run() -> None:
    truth, said, topic = [1, 0, 1, 1], {"a": [1, 0, 0, 1], "b": [0, 0, 1, 1]}, ["art", "art", "law", "law"]
    tables = [op.Counts.from_labels(truth, {name: column}, by=topic) for name, column in said.items()]
    counts = op.Counts.side_by_side(*tables).as_labels()
    assert not counts.paired
    assert same(counts, op.Counts.side_by_side(*(table.as_labels() for table in tables)))


def test_all_verbs_take_frames() -> None:
    columns = columns_of("truth values")
    frame = pl.LazyFrame(pl.DataFrame(table_of(columns, "truth values")))
    arrays = {name: columns[name] for name in SYSTEMS}
    ranked = op.rank(frame, SYSTEMS, truth="gold", rope=0.05, rng=0)
    assert ranked.to_json() == op.rank(columns["gold"], arrays, rope=0.05, rng=0).to_json()
    estimated = op.estimate(frame, "svm", truth="gold", rng=0)
    assert estimated.to_dict() == op.estimate(columns["gold"], {"svm": columns["svm"]}, rng=0).to_dict()


def test_all_columns_but_the_truth_and_the_slices_are_systems() -> None:
    frame = table_of(columns_of("text"), "text").to_pandas()[["svm", "gold", "lang", "nb"]]
    settings: dict[str, Any] = {"truth": "gold", "pos_label": "spam", "rng": 0}
    for by in ("lang", ["lang"]):
        found, named = (op.compare(frame, systems, by=by, **settings) for systems in (None, SYSTEMS))
        assert found.to_json() == named.to_json()
    assert op.compare(frame.drop(columns="lang"), **settings) == op.compare(frame, SYSTEMS, **settings)
    scores = pd.DataFrame({"a": [0.8, 0.7, 0.9, 0.6], "b": [0.7, 0.7, 0.8, 0.5]})
    by_name = {name: scores[name].tolist() for name in scores}
    assert op.compare_datasets(scores, rng=0) == op.compare_datasets(by_name, rng=0)
    assert op.compare_folds(scores, runs=1) == op.compare_folds(by_name, runs=1)


@pytest.mark.parametrize("given", [(), ("gold",), (["svm", "nb"],), ("gold", "svm", "nb")])
def test_a_frame_without_a_truth(given: tuple[Any, ...]) -> None:
    for frame in (FRAME, pl.LazyFrame(FRAME), pa.Table.from_pandas(FRAME)):
        with pytest.raises(TypeError, match=r"as in truth='gold'; its columns are 'gold', 'svm', 'nb', 'lang'"):
            op.compare(frame, *given)


# errors

BAD = columns_of("truth values")
FRAME = table_of(BAD, "truth values").to_pandas()


@pytest.mark.parametrize("frame", [FRAME, pl.DataFrame(FRAME), table_of(BAD, "truth values")], ids=type)
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"truth": "silver"}, r"has no column 'silver'; it has 'gold', 'svm', 'nb', 'lang'"),
        ({"predictions": ["svm", "lr"]}, "has no column 'lr'"),
        ({"by": "place"}, "has no column 'place'"),
        ({"n": "size"}, "has no column 'size'"),
        ({"predictions": ["svm", "svm"]}, "a column of predictions is named twice: 'svm', 'svm'"),
        ({"predictions": ["svm", "gold"]}, "column 'gold' cannot be both the truth and a prediction"),
        ({"predictions": []}, "there is no classifier"),
        ({"n": "n", "weights": "w"}, "not both"),
        ({"n": "w"}, "column 'w' holds numbers of items that are not whole; give counts, not proportions"),
        ({"missing": "ignore"}, "unknown treatment of missing labels 'ignore'; known: drop, raise"),
    ],
)
def test_bad_questions_to_frames(frame: Any, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.Counts.from_frame(frame, **({"truth": "gold", "predictions": SYSTEMS} | settings))


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    rows = [[0, 0, 1, 1], [1, 1, 1, 0]]
    pandas = pd.DataFrame(rows, columns=["gold", "svm", "nb", "svm"])
    arrow = pa.Table.from_arrays([pa.array(column) for column in zip(*rows, strict=True)], names=[*pandas.columns])
    for frame in (pandas, arrow):
        with pytest.raises(ValueError, match="has several columns called 'svm'; rename all but one"):
            op.Counts.from_frame(frame, truth="gold", predictions=SYSTEMS)
    parquet.write_table(arrow, path := tmp_path / "p.parquet")
    with pytest.raises(op.DataError, match=r"p\.parquet has several columns called 'svm'; rename all but one"):
        op.read_counts(path, truth="gold", predictions=SYSTEMS)


def test_slices_that_look_the_same() -> None:
    truth = [0, 1, 1, 0] * 2
    for one, two in (("de", "de "), ("é", "e\u0301"), (1, "1")):
        with pytest.raises(ValueError, match=r"two slices have names that look the same, .*; rename one"):
            op.compare(truth, {"a": truth, "b": truth}, by=[one] * 4 + [two] * 4)


@pytest.mark.parametrize(
    "frame_of",
    [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, lambda rows: ibis.memtable(pa.table(rows))],
    ids=["pandas", "Polars", "Polars, lazy", "PyArrow", "Ibis"],
)
@pytest.mark.parametrize("key", ["n", "weights"])
@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ([1.0, -2.0, 5.0, 1.0], "column 'size' holds -2; counts are finite and not negative"),
        ([1.0, None, 5.0, 1.0], "column 'size' has no number in some rows; every row needs one"),
        ([1.0, float("inf"), 5.0, 1.0], "holds (inf|nan); counts are finite and not negative"),
        ([0.0, 0.0, 0.0, 0.0], "adds up to 0; there are no items"),
    ],
)
def test_bad_sizes_in_a_frame(frame_of: Any, key: str, numbers: list[Any], sentence: str) -> None:
    rows = {"gold": [0, 1, 1, 0], "svm": [0, 1, 1, 0], "nb": [1, 1, 1, 0], "size": numbers}
    frame = frame_of(rows)
    with pytest.raises(ValueError, match=sentence):
        op.Counts.from_frame(frame, truth="gold", predictions=SYSTEMS, **{key: "size"})


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.LazyFrame, pa.table])
def test_halves_of_one_cell_are_not_one_item(frame_of: Any) -> None:
    frame = frame_of({"gold": [0, 0, 1], "svm": [0, 0, 1], "nb": [1, 1, 1], "size": [0.5, 0.5, 1.0]})
    with pytest.raises(ValueError, match="column 'size' holds numbers of items that are not whole"):
        op.Counts.from_frame(frame, truth="gold", predictions=SYSTEMS, n="size")
    assert op.Counts.from_frame(frame, truth="gold", predictions=SYSTEMS, weights="size").items == 2


@pytest.mark.parametrize("names", [("N0", "n", "n1"), ("n0", "N_", "n4"), ("N4", "n_4", "n2")])
def test_columns_that_are_called_as_ours_would_be(names: tuple[str, str, str]) -> None:
    truth, guess, size = names
    rows = pa.table({truth: [0, 1, 1], guess: [0, 1, 0], size: [2, 3, 4]})
    for frame in (rows.to_pandas(), duckdb.connect().from_arrow(rows), pl.LazyFrame(pl.DataFrame(rows))):
        counts = op.Counts.from_frame(frame, truth=truth, predictions=guess, n=size)
        assert counts.n.tolist() == [2, 4, 3]


@pytest.mark.parametrize("bad", [[[0, 1], [1, 1]], "table.csv", 5, np.zeros((3, 3))])
def test_what_is_no_frame(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"truth= names a column, so a dataframe must come first, got \w+; .*any that"):
        op.compare(bad, SYSTEMS, truth="gold")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"by": "lang", "measure": "roc_auc"}, "by= is of labels that can be counted; compare the items of each slice"),
        ({"by": "lang", "average": "per_class"}, "slices take one average at a time; give pos_label for one class"),
        ({"predictions": ["svm", "nb", "gold2"]}, "compare takes two classifiers, got 3"),
    ],
)
def test_bad_questions_about_slices(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        op.compare(FRAME.assign(gold2=FRAME.gold), **(dict[str, Any](truth="gold", predictions=SYSTEMS) | settings))


def test_a_column_of_lists_in_a_table() -> None:
    for make in (pd.DataFrame, pl.DataFrame, pl.LazyFrame, lambda columns: duckdb.from_arrow(pa.table(columns))):
        for odd in ([["a"], ["b", "a"]], [{"x": 1}, {"x": 2}]):
            frame = make({"gold": ["a", "b"], "svm": odd, "nb": ["a", "b"]})
            with pytest.raises(
                ValueError, match=r"column 'svm' holds a .*; one label in each row is expected, and label"
            ):
                op.compare(frame, truth="gold", predictions=SYSTEMS)
    with pytest.raises(ValueError, match=r"column 'svm' holds a list<.*; one label in each row is expected"):
        op.Counts.from_frame(pa.table({"gold": [0, 1], "svm": [[1], [2]]}), truth="gold", predictions="svm")


def test_numbers_that_are_text() -> None:
    with pytest.raises(ValueError, match="column 'size' holds string, not numbers"):
        op.Counts.from_frame(
            pa.table({"gold": [0], "svm": [1], "size": ["x"]}), truth="gold", predictions="svm", n="size"
        )


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("ending", TEXTS)
@pytest.mark.parametrize("wrong", ["x", -1, ""])
def test_bad_sizes_in_a_file(ending: str, wrong: Any, tmp_path: Path) -> None:
    columns = {"gold": [0, 1], "svm": [0, 1], "size": [1, wrong]}
    FILES[ending](columns, "whole numbers", tmp_path / f"table.{ending}")
    with pytest.raises(ValueError, match=r"size|holds -1"):
        op.read_counts(tmp_path / f"table.{ending}", truth="gold", predictions=["svm"], n="size")


def test_a_column_whose_name_is_no_text() -> None:
    with pytest.raises(ValueError, match=r"column 0 of the frame has a name that is not text; rename the columns, as"):
        op.compare(pd.DataFrame(np.eye(3, dtype=int)), truth=0, predictions=[1, 2])


def test_half_precision_is_counted_as_any_other() -> None:
    columns = {"y": [1, 0, 1, 0] * 3, "a": [1, 0, 1, 1] * 3, "b": [1, 1, 1, 0] * 3}
    half = pd.DataFrame(columns).astype(np.float16)
    labels = op.Counts.from_labels(columns["y"], {name: columns[name] for name in "ab"})
    assert same(op.Counts.from_frame(half, truth="y", predictions=["a", "b"]), labels)


@pytest.mark.parametrize("given", [[{"y": 1, "a": 1}, {"y": 0, "a": 0}], {"y": [1, 0], "a": [1, 0]}])
def test_rows_and_columns_that_are_no_dataframe(given: Any) -> None:
    """It was said that there is no classifier."""
    with pytest.raises(
        TypeError, match=r"a dataframe must come first, got \w+; pandas.DataFrame\(…\) makes one of rows"
    ):
        op.estimate(given, truth="y")
