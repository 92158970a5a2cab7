"""Files that are counted by an engine: parts, joins by id, faults that get their sentence, names that are hostile."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet

import outperform as op
from outperform.data.storing import as_json
from outperform.io import arrow, files
from outperform.io import counts as reading
from tests.command import refused, run
from tests.conftest import PATIENCE

pytestmark = pytest.mark.usefixtures("few_draws")

ROWS = [("ham", "ham", "spam"), ("spam", "spam", "spam"), ("ham", "spam", "ham"), ("spam", "ham", "spam")] * 25
NAMES = ("gold", "svm", "nb")
HOSTILE = ['a"; drop table x; --', "it's", "a,b", "sélect *", "x\ny", "--", "/*", ";", "$1", "{}", "c0", "a.b", " "]


@pytest.fixture(params=["rows", "engine"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Text that is read row by row, and text that an engine counts."""
    if request.param == "engine":
        monkeypatch.setattr(reading, "LARGE", -1)
    return str(request.param)


def table(rows: list[tuple[Any, ...]] = ROWS, names: tuple[str, ...] = NAMES) -> pa.Table:
    return pa.table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def write(path: Path, content: pa.Table) -> str:
    """A file of the format that its name says."""
    if path.suffix == ".parquet":
        parquet.write_table(content, path)
    elif path.suffix in (".feather", ".arrow"):
        feather.write_feather(content, str(path))
    elif path.suffix == ".ndjson":
        path.write_text("".join(json.dumps(row) + "\n" for row in content.to_pylist()))
    else:
        sign = "\t" if path.suffix == ".tsv" else ","
        quoted = [[f'"{str(x).replace(chr(34), chr(34) * 2)}"' for x in row.values()] for row in content.to_pylist()]
        header = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in content.column_names]
        path.write_text("".join(sign.join(row) + "\n" for row in [header, *quoted]))
    return str(path)


def counted(path: Any, **more: Any) -> op.Counts:
    return op.read_counts(path, **{"truth": "gold", "predictions": ["svm", "nb"]} | more)


GOLD, SVM, NB = (list(column) for column in zip(*ROWS, strict=True))
EXPECTED = as_json(op.Counts.from_labels(GOLD, {"svm": SVM, "nb": NB}))
ENDINGS = (".parquet", ".feather", ".ndjson", ".csv", ".tsv")


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_of_a_folder_and_of_a_pattern_are_one_table(tmp_path: Path, ending: str, way: str) -> None:
    for k in range(0, len(ROWS), 30):
        folder = tmp_path / f"day={k % 2}"
        folder.mkdir(exist_ok=True)
        write(folder / f"part-{k}{ending}", table(ROWS[k : k + 30]))
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-0.crc").write_bytes(b"x")
    assert as_json(counted(tmp_path)) == EXPECTED
    assert as_json(counted(f"{tmp_path}/**/part-*{ending}")) == EXPECTED
    shown = run("compare", str(tmp_path), "-t", "gold", "-p", "svm", "nb", "--pos-label", "spam", "--format", "json")
    assert json.loads(shown.stdout)["items"] == len(ROWS)


@pytest.mark.parametrize("endings", [(one, two) for one in ENDINGS for two in ENDINGS])
def test_two_files_are_joined_by_id(tmp_path: Path, endings: tuple[str, str], way: str) -> None:
    ids = [f"d{k}" for k in range(len(ROWS))]
    one = write(tmp_path / f"svm{endings[0]}", pa.table({"doc": ids, "gold": GOLD, "label": SVM}))
    two = write(tmp_path / f"nb{endings[1]}", pa.table({"doc": ids[::-1], "gold": GOLD[::-1], "label": NB[::-1]}))
    joined = op.read_counts([one, two], truth="gold", predictions=["label"], id="doc")
    assert as_json(joined) == EXPECTED


JOINS: dict[str, tuple[list[Any], list[Any], list[Any], str]] = {
    "an id twice": ([1, 2, 2], [1, 2, 3], ["a", "b", "a"], r"svm.*: the id '?2'? is "),
    "an id too few": (
        [1, 2, 3],
        [1, 2, 4],
        ["a", "b", "a"],
        r"1 id is in .*svm.* but not in .*nb.*: '?3'?; add them",
    ),
    "ids with a space": (
        ["d1", "d2", "d3 "],
        ["d1", "d2", "d3"],
        ["a", "b", "a"],
        r"1 id is in .*svm.* but not in .*nb.*: 'd3 '; 'd3 ' differs from 'd3' only in spaces: write both alike, or",
    ),
    "ids with a zero": (
        [f"0{k}" for k in range(1, 7)],
        [str(k) for k in range(1, 7)],
        ["a", "b"] * 3,
        r"'01', '02', '03', '04', '05' and 1 more; '01' differs from '1' only in how it is written: write both alike",
    ),
    "another truth": ([1, 2, 3], [1, 2, 3], ["a", "b", "b"], r"nb.*gold.* is 'b'"),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("fault", JOINS)
def test_files_that_do_not_fit_together(tmp_path: Path, fault: str, ending: str, way: str) -> None:
    ids, others, truth, sentence = JOINS[fault]
    gold = (["a", "b"] * 3)[: len(ids)]
    one = write(tmp_path / f"svm{ending}", pa.table({"doc": ids, "gold": gold, "label": gold}))
    two = write(tmp_path / f"nb{ending}", pa.table({"doc": others, "gold": truth, "label": gold}))
    with pytest.raises(op.DataError, match=sentence) as caught:
        op.read_counts([one, two], truth="gold", predictions=["label"], id="doc")
    assert "\n" not in str(caught.value)


def test_rows_without_an_id(tmp_path: Path) -> None:
    one = write(tmp_path / "svm.parquet", pa.table({"doc": [1, None, None], "gold": [0, 1, 1], "label": [0, 1, 0]}))
    two = write(tmp_path / "nb.parquet", pa.table({"doc": [1, 2, 3], "gold": [0, 1, 1], "label": [0, 1, 0]}))
    with pytest.raises(op.DataError, match="2 rows without a value in 'doc'; every row needs one"):
        op.read_counts([one, two], truth="gold", predictions=["label"], id="doc")


def test_an_engine_that_runs_out_of_memory_writes_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.io.engine.MEMORY", "150MB")
    rows = 1_000_000
    for name, order in (("svm", "id"), ("nb", "-id")):
        duckdb.sql(
            f"copy (select 'a rather long name of a document ' || id as doc, id % 3 as gold, id % 2 as label "
            f"from range({rows}) t(id) order by {order}) to '{tmp_path / name}.parquet'"
        )
    paths = [tmp_path / "svm.parquet", tmp_path / "nb.parquet"]
    joined = op.read_counts(paths, truth="gold", predictions=["label"], id="doc")
    assert joined.items == rows
    assert joined.predictions[:, 0].tolist() == joined.predictions[:, 1].tolist()


# Faults


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def other_columns(path: Path) -> None:
    write(path, table(names=("gold", "svm", "bayes")))


def other_type(path: Path) -> None:
    write(path, table([(1, 1, 0), (0, 0, 0)]))


def other_type_of_one(path: Path) -> None:
    write(path, pa.table({"gold": ["ham"], "svm": ["ham"], "nb": [True]}))


FAULTS: list[tuple[str, Callable[[Path], object], str]] = [
    (".parquet", cut, r"part-1.parquet is damaged or cut short \(.*\); write it again"),
    (".feather", cut, r"part-1.feather is damaged or cut short \(.*\); write it again"),
    (".parquet", lambda path: path.write_bytes(b""), r"part-1.parquet is damaged or cut short"),
    (".parquet", other_columns, r"part-1.parquet and .*part-0.parquet differ in their columns \('bayes', 'nb'\); all"),
    (".csv", other_columns, r"part-1.csv and .*part-0.csv differ in their columns \('bayes', 'nb'\); all parts"),
    (".ndjson", other_columns, r"part-1.ndjson and .*part-0.ndjson differ in their columns \('bayes', 'nb'\); all"),
    (".parquet", other_type, r"part-1.parquet: column 'gold' holds numbers where .*part-0.parquet has text; write all"),
    (".feather", other_type_of_one, r"part-1.feather: column 'nb' holds truth values where .*part-0.feather has text"),
]


@pytest.mark.parametrize(("ending", "break_", "sentence"), FAULTS)
def test_a_part_that_is_broken(tmp_path: Path, ending: str, break_: Callable[[Path], object], sentence: str) -> None:
    for k in range(2):
        write(tmp_path / f"part-{k}{ending}", table())
    break_(tmp_path / f"part-1{ending}")
    with pytest.raises(op.DataError, match=sentence) as caught:
        counted(tmp_path)
    assert "\n" not in str(caught.value)
    out = tmp_path / "counts.json"
    refused("count", str(tmp_path), "-t", "gold", "-p", "svm", "nb", "-o", str(out))
    assert not out.exists()


def test_parts_that_are_not_there(tmp_path: Path) -> None:
    write(tmp_path / "part-0.parquet", table())
    with pytest.raises(op.DataError, match=r"cannot read .*part-1.parquet: No such file or directory"):
        op.read_counts(
            [tmp_path / "part-0.parquet", tmp_path / "part-1.parquet"], truth="gold", predictions="svm", id="d"
        )
    with pytest.raises(
        op.DataError, match=r"part-1\*.parquet has no files that could be read; name the files, or a folder of .parquet"
    ):
        counted(tmp_path / "part-1*.parquet")
    (tmp_path / "_temporary").mkdir()
    with pytest.raises(op.DataError, match="is still being written, or was given up: it has a folder _temporary"):
        counted(tmp_path)


def test_a_part_that_goes_away_while_it_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [Path(write(tmp_path / f"part-{k}.parquet", table())) for k in range(2)]
    parts = arrow._parts

    def listed(source: Any) -> Any:
        found = list(parts(source))
        paths[1].unlink()
        return found

    monkeypatch.setattr(arrow, "_parts", listed)
    with pytest.raises(op.DataError, match=r"cannot read .*part-1.parquet: No such file or directory"):
        counted(tmp_path)


def test_files_of_two_formats(tmp_path: Path) -> None:
    write(tmp_path / "part-0.parquet", table())
    write(tmp_path / "part-1.csv", table())
    with pytest.raises(
        op.DataError, match=r"holds files of two formats, .*part-0.parquet \(parquet\) and .*part-1.csv"
    ):
        counted(tmp_path)


def test_several_files_without_ids(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"part-{k}.parquet", table()) for k in range(2)]
    with pytest.raises(op.DataError, match=r"parts of one table are named as a folder, or by a pattern in quotes"):
        counted(paths)


TEXTS: list[tuple[str, bytes, str]] = [
    (".csv", b"gold,svm,nb\na,a,a\nb,b\n", r"line 3 has 2 values; the header has 3"),
    (".csv", b"gold,svm,nb\na,a,a\nb,,b\n", r"line 3: no value in column 'svm'"),
    (".csv", b"gold,svm,nb\na,a,a\nb,\xff,b\n", r"not UTF-8 text"),
    (".csv", b"gold,svm,svm\na,a,a\n", r"several columns called 'svm'; rename all but one"),
    (".csv", b'gold,svm,nb\na,"a,a\n', r"p.csv, line 2: unexpected end of data"),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm"\n', r"line 2: not JSON"),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm": 1}\n', r"line 2: its keys differ"),
    (
        ".ndjson",
        b'{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm": 1, "nb": 1, "x": 1}\n',
        r"line 2: its keys differ",
    ),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\nnull\n', r"line 2: expected a JSON object, got NoneType"),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm": 1, "nb": null}\n', r"line 2: no value in column"),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm": 1, "nb": NaN}\n', r"line 2: no value in column"),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm": 1, "nb": 1,}\n', r"line 2: not JSON"),
    (
        ".ndjson",
        b'{"gold": 1, "svm": 1, "nb": 0, "svm": 0}\n',
        r"line 1: the key 'svm' is there twice; keep one of them",
    ),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\n' * 2**8 + b"\0", r"line 257: a NUL byte; the file is damaged, or"),
    (".csv", b"gold,svm,nb\n" + b"a,a,a\n" * 2**10 + b"a,a\0,a\n", r"line 1026: a NUL byte; the file is damaged, or"),
    (".csv", b"gold,svm,nb\na,a,a,\n", r"line 2 has 4 values; the header has 3"),
    (".csv", b'gold,svm,nb\na,"a" ,a\n', r"line 2: ',' expected after '\"'"),
    (".csv", b"\ngold,svm,nb\na,a,a\n", r"p.csv has nothing on its first line; a header is expected there"),
    (".csv", b"gold,svm,nb\na,a," + b"b" * 2**18, r"line 2: field larger than field limit"),
    (".ndjson", b'{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm": 1, "nb": {"a": 1}}\n', r"holds a dict"),
    (".csv.gz", gzip.compress(b"gold,svm,nb\n" + b"a,a,a\n" * 9, mtime=0)[:-9], r"damaged gzip file"),
    (".ndjson.gz", gzip.compress(b'{"gold": 1, "svm": 1, "nb": 0}\n' * 9, mtime=0)[:-9], r"damaged gzip file"),
]


@pytest.mark.parametrize(("ending", "content", "sentence"), TEXTS)
def test_bad_text_gets_its_sentence_whoever_reads_it(
    tmp_path: Path, ending: str, content: bytes, sentence: str, way: str
) -> None:
    path = tmp_path / f"p{ending}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=sentence) as caught:
        counted(path)
    assert "\n" not in str(caught.value)


ODD: dict[str, bytes] = {
    "line ends of two kinds.csv": b"gold,svm,nb\r\nham,ham,spam\nspam,spam,spam\r\n",
    "line ends of old.csv": b"gold,svm,nb\rham,ham,spam\rspam,spam,spam\r",
    "line ends in values.csv": b'gold,svm,nb\n"h\r\nam","h\r\nam",spam\nspam,spam,spam\n',
    "a mark of the byte order.csv": b"\xef\xbb\xbfgold,svm,nb\nham,ham,spam\nspam,spam,spam\n",
    "a mark of the byte order.jsonl": b'\xef\xbb\xbf{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 0, "svm": 1, "nb": 0}\n',
    "UTF-16.tsv": "gold\tsvm\tnb\nham\tham\tspam\nspam\tspam\tspam\n".encode("utf-16"),
    "spaces before quotes.csv": b'gold,svm,nb\nham, "ham","spam"\n "ham", "ham",ham\n',
    "quotes in values.csv": b'gold,svm,nb\n5" pipe,5" pipe,a\na,a,5" pipe\n',
    "an empty column at the end.csv": b"gold,svm,nb,x\nham,ham,spam,\nspam,spam,spam,\n",
    "packed under another name.csv": gzip.compress(b"gold,svm,nb\nham,ham,spam\nspam,spam,spam\n"),
    "line ends of JSON.jsonl": b'{"gold": 1, "svm": 1, "nb": 0}\r\n\n{"gold": 0, "svm": 1, "nb": 0}\r',
    "half a character.jsonl": b'{"gold": "\\ud800", "svm": "a", "nb": "a"}\n{"gold": "a", "svm": "a", "nb": "a"}\n',
    "objects.jsonl": b'{"gold": 1, "svm": 1, "nb": 0, "m": {"x": 1}}\n{"gold": 0, "svm": 1, "nb": 0, "m": {}}\n',
    "large numbers.jsonl": b'{"gold": 123456789012345678901, "svm": 1, "nb": 1}\n{"gold": 1, "svm": 1, "nb": 1}\n',
}


@pytest.mark.parametrize("name", ODD)
def test_odd_text_is_the_same_whoever_reads_it(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_bytes(ODD[name])
    by_rows = counted(path)
    monkeypatch.setattr(reading, "LARGE", -1)
    assert as_json(counted(path)) == as_json(by_rows)


LINES = st.lists(
    st.lists(
        st.sampled_from(["a", "b", '"a"', '"a""b"', '"a,b"', "", '""', " a", ' "a"', '"a" ', 'a"b', '"a\nb"', "\\"]),
        min_size=2,
        max_size=4,
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=LINES, end=st.sampled_from(["\n", "\r\n", "\r"]), missing=st.sampled_from(["raise", "drop"]))
def test_any_text_is_the_same_whoever_reads_it(tmp_path: Path, rows: Any, end: str, missing: str) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes("".join(",".join(row) + end for row in [NAMES, *rows]).encode())

    def answer(large: int) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reading, "LARGE", large)
            try:
                return as_json(counted(path, missing=missing))
            except ValueError as error:
                return str(error)

    assert answer(-1) == answer(2**60)


# Hostile input


def test_a_gzip_bomb_is_refused_by_rows_and_harmless_to_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"gold,svm,nb\n" + b"a" * 20_000_000, mtime=0))
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    with pytest.raises(op.DataError, match="unpacks to more than 1 MB; count it in parts"):
        counted(path)
    monkeypatch.setattr(reading, "LARGE", -1)
    with pytest.raises(op.DataError, match=r"bomb.csv.gz"):
        counted(path)


NASTY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(HOSTILE) | NASTY, min_size=4, max_size=4, unique_by=str.casefold))
def test_columns_may_be_called_anything(tmp_path: Path, names: list[str]) -> None:
    gold, svm, nb, doc = names
    content = table([(*row, k) for k, row in enumerate(ROWS)], (gold, svm, nb, doc))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "LARGE", -1)
        for ending in (".csv", ".ndjson", ".parquet", ".feather"):
            for id_ in (None, doc):
                found = op.read_counts(
                    write(tmp_path / f"p{ending}", content), truth=gold, predictions=[svm, nb], id=id_
                )
                assert found.n.tolist() == json.loads(EXPECTED)["n"], (ending, id_)
                assert found.classifiers == (svm, nb)


@pytest.mark.parametrize("name", [f"{name}.csv" for name in HOSTILE if "/" not in name] + ["a[1].csv", "a*?.csv"])
def test_files_may_be_called_anything(tmp_path: Path, name: str, way: str) -> None:
    path = tmp_path / "a'; drop table x; --" / name
    path.parent.mkdir()
    assert as_json(counted(write(path, table()))) == EXPECTED


def test_labels_may_be_anything(tmp_path: Path, way: str) -> None:
    labels = [label for label in HOSTILE if label.strip()]  # nothing but spaces is no label
    rows = [(a, a, b) for a, b in zip(labels, labels[1:] + labels[:1], strict=True)]
    expected = op.Counts.from_labels(labels, {"svm": labels, "nb": [row[2] for row in rows]})
    for ending in (".csv", ".ndjson", ".parquet"):
        assert as_json(counted(write(tmp_path / f"p{ending}", table(rows)))) == as_json(expected)


def test_columns_that_differ_in_case_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGE", -1)
    content = pa.table({"gold": [1, 0], "svm": [1, 0], "SVM": [0, 0], "d": [1, 2]})
    for ending in (".csv", ".ndjson", ".parquet"):
        found = op.read_counts(write(tmp_path / f"p{ending}", content), truth="gold", predictions=["svm", "SVM"])
        assert found.predictions.tolist() == [[0, 0], [1, 0]]
    with pytest.raises(op.DataError, match="has columns 'svm' and 'SVM'; rename one of them"):
        op.read_counts(write(tmp_path / "p.parquet", content), truth="gold", predictions=["svm", "SVM"], id="d")


# Interrupts


def long_file(path: Path) -> str:
    """Some 40 million rows, in little space."""
    block = gzip.compress(b"spam,ham,spam\nham,ham,ham\n" * 50_000, 1, mtime=0)
    path.write_bytes(gzip.compress(b"gold,svm,nb\n", mtime=0) + block * 400)
    return str(path)


def opened(process: int, path: str) -> bool:
    """Whether a process has a file open."""
    with suppress(OSError):  # of what it closes meanwhile
        return any(os.readlink(own) == path for own in Path(f"/proc/{process}/fd").iterdir())
    return False


def test_an_interrupted_count_leaves_nothing_behind(tmp_path: Path) -> None:
    path, out = long_file(tmp_path / "long.csv.gz"), tmp_path / "counts.json"
    spill = tmp_path / "spill"
    spill.mkdir()
    words = [sys.executable, "-m", "outperform", "count", path, "-t", "gold", "-p", "svm", "nb", "-o", str(out)]
    task = subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, start_new_session=True, env=os.environ | {"TMPDIR": str(spill)}
    )
    while not (list(spill.iterdir()) and opened(task.pid, path)):  # until the engine reads
        time.sleep(0.05)
        assert task.poll() is None
    task.send_signal(signal.SIGINT)
    _, said = task.communicate(timeout=PATIENCE)
    assert task.returncode == 1
    assert said.strip() == "Aborted!"
    assert not out.exists()
    assert list(spill.iterdir()) == []
    assert subprocess.run(["pgrep", "-g", str(task.pid)], capture_output=True, check=False).stdout == b""


def test_text_that_only_a_reader_knows_is_left_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGE", -1)
    monkeypatch.setitem(files.READERS, ".psv", lambda text, source: files._delimited(text, source, "|"))
    path = tmp_path / "p.psv"
    path.write_text("".join("|".join(row) + "\n" for row in [NAMES, *ROWS]))
    assert as_json(counted(path)) == EXPECTED
    assert "Guessed: truth gold; predictions svm and nb" in run("sensitivity", str(path)).stderr


# Numbers of items


@pytest.mark.parametrize("ending", [".csv", ".ndjson", ".parquet"])
def test_halves_that_add_up_to_whole_numbers_are_no_counts(tmp_path: Path, ending: str, way: str) -> None:
    content = pa.table({"gold": [0, 0, 1], "svm": [0, 0, 1], "nb": [0, 0, 1], "n": [0.5, 0.5, 1.0]})
    path = write(tmp_path / f"p{ending}", content)
    with pytest.raises(ValueError, match="give counts, not proportions, or pass weights= if fractions are meant"):
        counted(path, n="n")
    assert counted(path, weights="n").n.tolist() == [1, 1]


def test_a_part_may_have_no_label_and_no_chunk() -> None:
    sets = [({"x"}, {"x"}), (set(), {"x"}), (set(), set())]
    each = [op.Counts.from_label_sets([y], {"a": [p]}, labels=["x", "y"]) for y, p in sets]
    whole = op.Counts.from_label_sets([y for y, _ in sets], {"a": [p for _, p in sets]}, labels=["x", "y"])
    assert as_json(sum(each[1:], start=each[0])) == as_json(whole)
    tags = [["B-PER", "O"], ["O", "O"]]
    parts = [op.Counts.from_chunks([own], {"a": [own]}, types=["PER"]) for own in tags]
    assert as_json(parts[0] + parts[1]) == as_json(op.Counts.from_chunks(tags, {"a": tags}, types=["PER"]))
    with pytest.raises(
        ValueError, match="the truth has no label anywhere; add items that have one, or list all labels"
    ):
        op.Counts.from_label_sets([set()], {"a": [set()]})
    with pytest.raises(ValueError, match="the truth has no chunk anywhere; add sentences that have one, or list all"):
        op.Counts.from_chunks([["O"]], {"a": [["O"]]})


def test_no_items_at_all_say_so() -> None:
    (note, *_) = op.compare(op.Counts.zero(["a", "b"], labels=[0, 1]), rng=0).notes
    assert note == "There are no items: this is the prior."


def test_whole_numbers_are_the_same_in_text_and_in_parquet(tmp_path: Path) -> None:
    one = write(tmp_path / "svm.csv", pa.table({"doc": [1, 2, 3], "gold": [0, 1, 2], "label": [0, 1, 1]}))
    two = write(tmp_path / "nb.parquet", pa.table({"doc": [3, 2, 1], "gold": [2, 1, 0], "label": [0, 1, 0]}))
    expected = as_json(op.Counts.from_labels([0, 1, 2], {"svm": [0, 1, 1], "nb": [0, 1, 0]}))
    assert as_json(op.read_counts([one, two], truth="gold", predictions=["label"], id="doc")) == expected
    listed = op.read_counts([one, two], truth="gold", predictions=["label"], id="doc", labels=["0", "1", "2"])
    assert listed.labels == (0, 1, 2)
