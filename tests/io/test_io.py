"""Files of every kind, and what is wrong with them."""

from __future__ import annotations

import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import outperform as op
from outperform.io import counts as reading
from outperform.io import read, read_counts, read_test_sets
from outperform.io.mistaken import repeated

pytestmark = pytest.mark.usefixtures("few_draws")

ROWS = [("d1", "ham", "ham", "spam"), ("d2", "spam", "spam", "spam"), ("d3", "ham", "spam", "ham")]
NAMES = ("doc", "gold", "svm", "nb")


def table(rows: Any = ROWS, names: Any = NAMES, separator: str = ",") -> str:
    return "\n".join(separator.join(row) for row in [names, *rows]) + "\n"


def jsonl(rows: Any = ROWS, names: Any = NAMES) -> str:
    return "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)


def counted(path: Any, **kwargs: Any) -> op.Counts:
    return read_counts(path, truth="gold", predictions=["svm", "nb"], **kwargs)


@pytest.fixture(params=["rows", "engine"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every case is read row by row, and as a file that is large enough for an engine."""
    if request.param == "engine":
        monkeypatch.setattr(reading, "LARGE", -1)
    return str(request.param)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", table()),
        ("p.tsv", table(separator="\t")),
        ("p.jsonl", jsonl()),
        ("p.ndjson", jsonl()),
        ("p.txt", table(separator="\t")),
        ("p", jsonl()),
        ("p.csv.gz", gzip.compress(table().encode(), mtime=0)),
        ("p.jsonl.gz", gzip.compress(jsonl().encode(), mtime=0)),
        ("p.csv", b"\xef\xbb\xbf" + table().encode()),
        ("p.csv", table().encode("utf-16")),
        ("p.csv", table().replace("\n", "\r\n")),
        ("p.csv", table() + "\n\n"),
        ("p.csv", table().replace("\n", ",,,\n")),  # empty columns beside the table, as in Excel
        ("p.csv", table().replace("d2", '"d,2"')),
        ("p.csv", table().replace(",", ";")),
        ("p.csv", table().replace(",", ";").replace("d2", "d,2")),
        ("p.csv", table().replace(",", "\t")),
        ("p.tsv", table().replace(",", ";")),
        ("p", table().replace(",", ";").replace("\n", "\r\n")),
    ],
)
def test_every_format_gives_the_same_counts(write: Any, name: str, content: str | bytes) -> None:
    expected = op.Counts.from_labels([r[1] for r in ROWS], {"svm": [r[2] for r in ROWS], "nb": [r[3] for r in ROWS]})
    counts = counted(write(name, content), id="doc")
    assert counts.labels == ("ham", "spam")
    assert counts.same_cells(expected)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(jsonl().encode()))))
    assert counted("-").items == 3


def test_whole_numbers_are_numbers_and_keep_their_order(write: Any) -> None:
    rows = [("a", "10", "9", "10"), ("b", "9", "9", "9"), ("c", "0", "0", "10")]
    assert counted(write("p.csv", table(rows))).labels == (0, 9, 10)
    rows[0] = ("a", "010", "9", "010")
    assert counted(write("p.csv", table(rows)), labels=["0", "9", "10", "010"]).labels == ("0", "9", "10", "010")


def test_typed_labels_are_found_by_how_they_are_written(write: Any) -> None:
    rows = '{"gold": 1, "svm": 1, "nb": 0}\n{"gold": 1, "svm": 1, "nb": 0}'
    assert counted(write("p.jsonl", rows), labels=["0", "1"]).labels == (0, 1)
    rows = '{"gold": true, "svm": true, "nb": true}'
    assert counted(write("p.jsonl", rows), labels=["false", "true"]).labels == ("false", True)


def test_the_same_file_twice(write: Any) -> None:
    path = write("p.csv", table())
    assert read_test_sets([path, path], truth="gold", predictions=["svm"]).classifiers == (f"{path} (1)", f"{path} (2)")


def test_json_keeps_its_types(write: Any) -> None:
    rows = '{"gold": true, "svm": true, "nb": false}\n{"gold": false, "svm": false, "nb": false}'
    assert counted(write("p.jsonl", rows)).labels == (False, True)


def test_rows_of_several_files_are_matched_by_id(write: Any) -> None:
    gold = write("gold.csv", table([(r[0], r[1]) for r in ROWS], ("doc", "gold")))
    a = write("a.csv", table([(r[0], r[2]) for r in reversed(ROWS)], ("doc", "label")))
    b = write("b.jsonl", jsonl([(r[0], r[3]) for r in ROWS[1:] + ROWS[:1]], ("doc", "label")))
    counts = read_counts([gold, a, b], truth="gold", predictions=["label"], id="doc")
    assert counts.classifiers == ("a", "b")
    assert counts.same_cells(counted(write("all.csv", table())))


def test_files_of_the_same_name_are_called_by_their_path(write: Any, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    paths = [write(f"{d}/run.csv", table()) for d in "xy"]
    counts = read_counts(paths, truth="gold", predictions=["svm"], id="doc")
    assert counts.classifiers == tuple(paths)


def test_counted_rows(write: Any) -> None:
    rows = [("1", "1", "0", "5"), ("0", "0", "0", "7")]
    path = write("p.csv", table(rows, ("gold", "svm", "nb", "n")))
    assert counted(path, n="n").items == 12
    assert counted(path, weights="n").n.tolist() == [7, 5]


def test_separate_test_sets(write: Any) -> None:
    a, b = write("a.csv", table(ROWS)), write("b.csv", table(ROWS[:2]))
    counts = read_test_sets([a, b], truth="gold", predictions=["svm"])
    assert counts.classifiers == ("a", "b")
    assert counts.items == 5
    assert read_test_sets([a, b], truth="gold", predictions=["svm", "nb"]).classifiers == ("svm", "nb")
    with pytest.raises(op.DataError, match="2 files but 3 prediction columns; name one, or one for each"):
        read_test_sets([a, b], truth="gold", predictions=["svm", "nb", "x"])


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("p.csv", "", r"p\.csv is empty; a header and at least one row are expected"),
        ("p.csv", "doc,gold,svm,nb\n", r"p\.csv has a header but no rows"),
        ("p.csv", "doc,gold,svm,svm\n1,2,3,4", r"several columns called 'svm'; rename all but one"),
        ("p.csv", table() + "d4,ham,ham\n", r"p\.csv, line 5 has 3 values; the header has 4"),
        ("p.csv", table() + "d4,ham,,ham\n", r"p\.csv, line 5: no value in column 'svm'; leave such rows out with"),
        (
            "p.csv",
            table(names=("doc", "gold", "svm", "bayes")),
            r"has no column 'nb'; it has 'doc', 'gold', 'svm', 'bayes'",
        ),
        (
            "p.csv",
            table(names=("doc", "y", "svm", "nb")),
            r"p\.csv has no column 'gold'; it has 'doc', 'y', 'svm', 'nb'",
        ),
        ("p.csv", b"PAR1\0\0\0\x15\x04", r"p\.csv is a Parquet file, not text; rename it so that"),
        ("p.csv", table().encode() + b"d4,\xff\xfe,ham,ham\n", r"p\.csv, line 5: not UTF-8 text"),
        ("p.csv.gz", gzip.compress(table().encode(), mtime=0)[:-9], r"p\.csv\.gz is a damaged gzip file"),
        ("p.csv", table() + '"d4,ham,ham,ham\n', r"p\.csv, line 5: unexpected end of data"),
        ("p.jsonl", jsonl() + "\nnonsense", r"p\.jsonl, line 4: not JSON"),
        ("p.jsonl", jsonl() + "\n[1]", r"p\.jsonl, line 4: expected a JSON object, got list"),
        ("p.jsonl", jsonl() + '\n{"doc": 1}', r"line 4: its keys differ from the first line's in 'gold', 'nb', 'svm'"),
        ("p.jsonl", jsonl() + '\n{"doc": 1, "gold": null, "svm": 1, "nb": 1}', r"line 4: no value in column 'gold'"),
        ("p.jsonl", '{"gold": [1], "svm": 1, "nb": 1, "doc": 1}', r"line 1: 1 in column 'svm' is no set of labels"),
        ("p.jsonl", "[" * 100_000, r"p\.jsonl, line 1: JSON that is nested too deeply"),
        (
            "p.json",
            '[{"gold": 1}]',
            r"p\.json holds one JSON list; JSON lines are expected, one object a line, as from: jq",
        ),
        ("p.jsonl", "[\n1\n]", r"p\.jsonl holds one JSON list; JSON lines are expected"),
        (
            "p.json",
            json.dumps({"gold": 1, "svm": [1]}, indent=1),
            r"p\.json holds a JSON object over several lines, with 'gold', 'svm'; JSON lines are .* from: jq -c \. /",
        ),
        (
            "p.jsonl",
            json.dumps({"made": {"by": "me"}, "rows": [{"gold": 1}] * 2}, indent=1),
            r"p\.jsonl holds a JSON object over several lines, with 'made', 'rows'; .*, as from: jq -c '\.rows\[\]' /",
        ),
        (
            "p.json",
            json.dumps({"config": {"a": 1}, "results": {"b": 2}}, indent=1),
            r"lines, with 'config', 'results', where JSON lines are expected, .*; use op\.read_scores if it is a log",
        ),
        (
            "p.jsonl",
            '{"gold": 1},\n{"gold": 0}',
            r"p\.jsonl, line 1: a comma after the object; JSON lines have no",
        ),
        ("p.jsonl", '\n{\n"gold": 1\n} ,', r"p\.jsonl, line 4: a comma after the object"),
        (
            "p.jsonl",
            '{"gold": 1}{"gold": 0}',
            r"p\.jsonl holds several JSON objects on one line, with 'gold'; .* jq -c \.",
        ),
        ("p.json", '{\n"gold": 1,\n}', r"p\.json, line 3: not JSON \(Expecting property name"),
        ("p.jsonl", '\n\n{\n"gold": 1,\n"svm"}', r"p\.jsonl, line 5: not JSON \(Expecting ':' delimiter"),
        ("p.jsonl", '\n\n{\n"gold": 1,\n"svm"', r"p\.jsonl ends before its JSON is complete; copy it again"),
        ("p.json.gz", gzip.compress(b'{\n"gold": 1}', mtime=0), r"as from: gzip -dc /.*p\.json\.gz \| jq -c \. > rows"),
        (
            "p.jsonl",
            jsonl() + '\n{"doc": 4, "gold": ' + "9" * 5000 + ', "svm": 1, "nb": 1}',
            r"p\.jsonl, line 4: a whole number of thousands of digits; shorten it, or put it in quotes",
        ),
        ("p.json", "{\n" + '"a":{' * 100_000, r"p\.json, line 1: not JSON"),
        ("p.csv", table([*ROWS, ROWS[1]]), r"p\.csv: the id 'd2' is (on line 3 and again on line 5|there 2 times)"),
    ],
)
def test_bad_files_get_one_sentence(write: Any, name: str, content: str | bytes, sentence: str) -> None:
    with pytest.raises(op.DataError, match=sentence) as caught:
        counted(write(name, content), id="doc")
    assert "\n" not in str(caught.value)


def test_no_file_and_one_column() -> None:
    with pytest.raises(op.DataError, match="there is no file to read"):
        read_counts([], truth="gold", predictions=["svm"])
    path = op.datasets.newsgroups_path()
    assert read_counts(path, truth="true", predictions="svm_l2").classifiers == ("svm_l2",)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(op.DataError, match=r"cannot read .*nowhere\.csv: No such file or directory"):
        read(str(tmp_path / "nowhere.csv"))
    with pytest.raises(op.DataError, match=r"has no files that could be read; name the files, or a folder of .parquet"):
        read(str(tmp_path))


def test_ids_in_one_file_only(write: Any) -> None:
    a, b = write("a.csv", table()), write("b.csv", table(ROWS[:2]))
    with pytest.raises(op.DataError, match=r"1 id is in .*a\.csv but not in .*b\.csv: 'd3'; add them to the second"):
        read_counts([a, b], truth="gold", predictions=["svm"], id="doc")
    with pytest.raises(op.DataError, match=r"1 id is in .*a\.csv but not in .*b\.csv: 'd3'"):
        read_counts([b, a], truth="gold", predictions=["svm"], id="doc")


def test_several_files_need_ids(write: Any) -> None:
    with pytest.raises(
        op.DataError, match=r"2 files: name the column that tells the items apart with id=, or use the unpaired model"
    ):
        counted([write("a.csv", table()), write("b.csv", table())])


def test_truths_must_agree(write: Any) -> None:
    a, b = write("a.csv", table()), write("b.csv", table().replace("d2,spam", "d2,ham"))
    with pytest.raises(op.DataError, match=r"b\.csv(, line 3: gold|: gold of 'd2') is 'ham'.* says 'spam'"):
        read_counts([a, b], truth="gold", predictions=["svm"], id="doc")


def test_counts_must_be_numbers(write: Any) -> None:
    path = write("p.csv", table([("1", "1", "0", "five"), ("0", "0", "0", "7")], ("gold", "svm", "nb", "n")))
    with pytest.raises(op.DataError, match=r"p\.csv, line 2: 'five' in column 'n' is not a number"):
        counted(path, n="n")


def test_probabilities_in_a_file(write: Any) -> None:
    rows = [("1", "1", "0.7"), ("0", "0", "0.2")]
    with pytest.raises(ValueError, match=r"classifier 'nb' holds numbers such as 0\.[27] where labels are expected"):
        counted(write("p.csv", table(rows, ("gold", "svm", "nb"))))


def test_too_large_when_unpacked(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outperform.io.files.MOST_BYTES", 10)
    with pytest.raises(op.DataError, match=r"p\.csv\.gz unpacks to more than 0 MB; count it in parts"):
        read(write("p.csv.gz", gzip.compress(table().encode())))


class Watched(str):
    """A name that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Watched.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_the_names_of_many_columns_are_compared_a_few_times_each() -> None:
    names = [Watched(f"c{k}") for k in range(40_000)]
    assert repeated(names) is None
    assert repeated([*names, Watched("c7")]) == "c7"
    assert Watched.compared < 10 * len(names)


def test_many_columns(write: Any) -> None:
    more = [f"c{k}" for k in range(40_000)]
    rows = [(*row, *("x" for _ in more)) for row in ROWS]
    assert counted(write("p.csv", table(rows, (*NAMES, *more)))).items == 3
    with pytest.raises(op.DataError, match="several columns called 'c7'; rename all but one"):
        counted(write("p.csv", table(rows, (*NAMES, *more[:-1], "c7"))))


def test_ids_are_compared_as_they_are_written(write: Any) -> None:
    gold = write("gold.csv", table([("1", "ham"), ("2", "spam")], ("doc", "gold")))
    a = write("a.jsonl", '{"doc": 2, "label": "spam"}\n{"doc": 1, "label": "spam"}')
    counts = read_counts([gold, a], truth="gold", predictions=["label"], id="doc", labels=["ham", "spam"])
    assert counts.n.tolist() == [1, 1]
    blank = write("a.jsonl", '{"doc": 2, "label": "spam"}\n{"doc": "", "label": "spam"}')
    with pytest.raises(op.DataError, match=r"a\.jsonl(, line 2: no value in|: 1 row without a value in 'doc')"):
        read_counts([gold, blank], truth="gold", predictions=["label"], id="doc")


@pytest.mark.parametrize("size", ["nan", "inf", "-1", "0.5", "1_0", "", "five", "true"])
def test_sizes_are_read_or_refused_alike(write: Any, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("1", "1", "0", "5"), ("0", "0", "0", size)]

    def answer(path: str, large: int, **asked: str) -> Any:
        monkeypatch.setattr(reading, "LARGE", large)
        try:
            return counted(path, **asked).n.tolist()
        except ValueError:
            return "refused"

    for name, content in (
        ("p.csv", table(rows, ("gold", "svm", "nb", "k"))),
        ("p.jsonl", jsonl(rows, ("gold", "svm", "nb", "k"))),
    ):
        for asked in ({"n": "k"}, {"weights": "k"}):
            path = write(name, content)
            assert answer(path, -1, **asked) == answer(path, 2**60, **asked)


# Keys within keys of JSON


def nest(gold: str, svm: str, nb: Any, **more: Any) -> str:
    return json.dumps({"gold": gold, "by": {"svm": {"label": svm}, "nb": {"label": nb}}, **more})


def within(path: Any, **more: Any) -> op.Counts:
    return read_counts(path, truth="gold", predictions=["by.svm.label", "by.nb.label"], **more)


def test_keys_within_keys_are_columns_with_dots(write: Any, tmp_path: Path) -> None:
    rows = [(gold, svm, nb) for _, gold, svm, nb in ROWS]
    expected = list(counted(write("p.csv", "\n".join([",".join(("gold", "svm", "nb")), *map(",".join, rows)]))).n)
    one = write("p.jsonl", "\n".join(nest(*row) for row in rows))
    assert list(within(one).n) == expected
    noted = [nest(*row, meta={"a": 1} if k % 2 else {"b": [2]}, x=None) for k, row in enumerate(rows)]
    assert list(within(write("q.jsonl", "\n".join(noted))).n) == expected  # notes may differ from line to line
    (tmp_path / "parts").mkdir()
    for k, line in enumerate(noted):
        (tmp_path / "parts" / f"{k}.jsonl").write_text(line, encoding="utf-8")
    assert list(within(tmp_path / "parts").n) == expected
    keyed = write("k.jsonl", "\n".join(nest(*row, doc={"id": k}) for k, row in enumerate(rows)))
    assert list(within(keyed, id="doc.id").n) == expected


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('{"gold": "a", "by": {"svm": {"label": "a"}, "nb": {}}}', "line 2: no value in column 'by.nb.label'"),
        ('{"gold": "a", "by": null}', "line 2: no value in column 'by.svm.label'"),
        ('{"gold": "a", "by": "a"}', "line 2: no value in column 'by.svm.label'"),
        ('{"gold": "a"}', "line 2: its keys differ from the first line's in 'by'"),
        (nest("a", "a", {"x": 1}), "line 2: column 'by.nb.label' holds a dict; one label is expected"),
        (
            '{"gold": "a", "by": {"svm": {"label": "a"}, "svm": {"label": "b"}, "nb": {"label": "a"}}}',
            "line 2: the key 'svm' is there twice; keep one of them",
        ),
    ],
)
def test_keys_within_keys_that_are_wrong(write: Any, second: str, message: str) -> None:
    with pytest.raises(op.DataError, match=re.escape(message)):
        within(write("p.jsonl", f"{nest('a', 'a', 'b')}\n{second}\n{nest('b', 'a', 'b')}\n"))


def test_two_keys_of_one_name_are_refused(write: Any) -> None:
    both = '{"gold": "a", "svm": "a", "by": {"nb": "a"}, "by.nb": "b"}'
    with pytest.raises(op.DataError, match=r"line 1: there are two keys 'by\.nb', one of them within another key"):
        read_counts(write("p.jsonl", both), truth="gold", predictions=["svm", "by.nb"])


def test_what_is_nested_very_deeply_is_a_value(write: Any) -> None:
    deep = '{"x": ' * 300 + "1" + "}" * 300
    path = write(
        "p.jsonl",
        f'{{"gold": "a", "svm": "a", "nb": "b", "deep": {deep}}}\n' * 2
        + '{"gold": "b", "svm": "a", "nb": "b", "deep": 1}',
    )
    assert counted(path).items == 3
