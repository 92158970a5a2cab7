"""Counts in a file: JSON, or Parquet for many cells. A file holds data only, and is validated when it is read.

JSON is an object with the fields of `Counts`. Parquet has a column per array and the
other fields as JSON in the metadata of its schema. Cells are merged again after reading, so that a file cannot hold a
table that could not have been counted.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, cast

import numpy as np

from outperform.base.errors import TOO_LONG, DataError, listing, need
from outperform.data.cells import NOT_RUN, AnyCells, Cells
from outperform.data.columns import GREATEST
from outperform.data.contingency import FloatArray
from outperform.data.partition import Folds, Partition, Slices, Units
from outperform.data.relevance import Relevance
from outperform.data.task import Chunks, LabelSets, OneLabel, Task

__all__ = ["as_json", "is_counts_file", "load", "save", "write_whole"]

SCHEMA_VERSION = 1
KIND = "outperform counts"
FIELDS = (
    "classifiers", "labels", "groups", "open", "counted", "unit", "folds", "units", "slices", "declared", "left_out",
)  # fmt: skip
ARRAYS = ("truth", "predictions", "n", "group", "part")
LATER = ("group", "part", "sets", "weighed", "effect")  # optional in a file
SETS = ("number", "kind", "class_", "true", "said")  # fields of label sets
MOST_BYTES = 2**30
PARQUET, GZIP = b"PAR1", b"\x1f\x8b"
KEY = b"outperform"
LABEL = (str, bool, int, float)
STREAMS = {"/dev/stdout": "1", "/dev/stderr": "2"}  # with their descriptors
MOST_IN_UNITS = 2**53  # cells of units must be exact whole numbers


def save(cells: Cells, path: str | Path) -> None:
    """Write a file atomically."""
    target = Path(path)
    if target.name.lower().endswith(".parquet.gz"):
        raise DataError(f"cannot write {str(path)!r}: Parquet is compressed already; let the name end in .parquet")
    if target.suffix.lower() == ".parquet":
        write_whole(target, lambda draft: _write_parquet(draft, *_taken_apart(cells)))
        return
    write_whole(target, lambda draft: draft.write(f"{as_json(cells)}\n".encode()))


def as_json(cells: Cells) -> str:
    """Return the JSON text of a file of counts."""
    head, arrays = _taken_apart(cells)
    return json.dumps(head | {name: array.tolist() for name, array in arrays.items()}, allow_nan=False)


def load(kind: type[AnyCells], path: str | Path) -> AnyCells:
    """Read a file written by `save`."""
    source = str(path)
    try:
        size = Path(path).stat().st_size
        if size > MOST_BYTES:
            raise DataError(f"{source} has {size / 2**20:,.0f} MiB, which is too large for counts")
        with Path(path).open("rb") as file:
            parquet = file.read(4) == PARQUET
        read = _read_parquet(path, source) if parquet else _read_json(path, source)
    except OSError as error:
        raise DataError(f"cannot read {source}: {error.strerror or error}") from None
    return _put_together(kind, read, source)


def is_counts_file(path: str | Path) -> bool:
    """Return whether a file holds saved counts."""
    ending = Path(str(path).lower().removesuffix(".gz")).suffix
    if not os.path.isfile(path):
        return False
    if ending == ".parquet" and find_spec("pyarrow"):
        from pyarrow import ArrowException, parquet

        with suppress(ArrowException, OSError):
            return KEY in (parquet.read_schema(path).metadata or {})
    if ending != ".json":
        return False
    try:
        with _unpacked(path) as file:
            return KIND.encode() in file.read(200)
    except (OSError, EOFError, zlib.error):
        return False


def write_whole(path: str | Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a draft next to the file, then replace the file by it, so that it is never incomplete.

    The draft has a random name, so that concurrent writers do not collide and the last one wins. Pipes, devices and
    descriptors, such as /dev/stdout, are written to directly. What ends in .gz is compressed.
    """
    put = partial(_pack, write) if str(path).lower().endswith(".gz") else write
    try:
        if (opened := _opened(Path(path))) is not None:
            with open(opened, "ab") as file:
                put(file)
        else:
            _replace(Path(path).resolve(), put)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None


def _pack(write: Callable[[BinaryIO], object], file: BinaryIO) -> None:
    """Write through gzip, without a name and a time, so that the same content gives the same bytes."""
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        write(cast("BinaryIO", packed))


def _replace(target: Path, write: Callable[[BinaryIO], object]) -> None:
    draft = target.with_name(f".outperform-{token_hex(8)}")  # no longer than the longest valid file name
    file = draft.open("xb")
    try:
        with file:  # Windows neither moves nor removes a file that is open
            write(file)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _opened(path: Path) -> int | Path | None:
    """Return a descriptor, device or pipe that is written to directly; None for a regular file.

    A descriptor of this process is duplicated, not reopened, because reopening may fail.
    """
    folder = path.parent.resolve()
    stream = path.name if folder == Path(f"/proc/{os.getpid()}/fd") else STREAMS.get(str(path), "")
    if stream.isdecimal():
        return os.dup(int(stream))
    return path if path.exists() and (folder.match("/proc/*/fd") or not path.is_file()) else None


def _taken_apart(cells: Cells) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields that describe the cells, and their arrays."""
    for label in (*cells.labels, *cells.groups, *cells.slices):
        if not isinstance(label, str | int | float):
            raise DataError(f"the label {label!r} is a {type(label).__name__}; to save it, make it a text or a number")
    head: dict[str, Any] = {"kind": KIND, "schema_version": SCHEMA_VERSION}
    for name in (*FIELDS, "weighed"):
        value = cells.no_true_negatives if name == "open" else getattr(cells, name)
        head[name] = value.tolist() if isinstance(value, np.ndarray) else value
    sets = cells.sets
    head["sets"] = sets and {"items": sets.items} | {name: getattr(sets, name).tolist() for name in SETS}
    return head, {name: getattr(cells, name) for name in ARRAYS}


def _write_parquet(file: BinaryIO, head: dict[str, Any], arrays: Mapping[str, Any]) -> None:
    need("pyarrow", "data")
    import pyarrow as pa
    from pyarrow import parquet

    columns = {name: arrays[name] for name in ("truth", "n")}
    columns |= {name: arrays[name] for name in ("group", "part") if len(arrays[name])}
    columns |= {f"predictions_{k}": column for k, column in enumerate(arrays["predictions"].T)}
    table = pa.table(columns)
    parquet.write_table(table.replace_schema_metadata({KEY: json.dumps(head).encode()}), file, compression="zstd")


def _read_parquet(path: str | Path, source: str) -> dict[str, Any]:
    need("pyarrow", "data")
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(path, partitioning=None)
        columns = dict(zip(table.column_names, table.columns, strict=True))
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{source} is damaged or truncated ({str(error).splitlines()[0]})") from None
    head = _parsed((table.schema.metadata or {}).get(KEY, b"{}"), source)
    if len(columns) < table.num_columns or not all(map(_holds_numbers, table.columns)):
        raise DataError(f"{source} cannot be counts: its columns must be of numbers, each with a name of its own")
    values = {name: column.to_pylist() for name, column in columns.items()}
    classifiers = head.get("classifiers")
    width = len(classifiers) if isinstance(classifiers, list) else 0
    guesses = [values.pop(f"predictions_{k}", []) for k in range(width)]
    return head | values | {"predictions": list(map(list, zip(*guesses, strict=False)))}


def _holds_numbers(column: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(column.type) or types.is_float64(column.type))


def _read_json(path: str | Path, source: str) -> dict[str, Any]:
    try:
        with _unpacked(path) as file:
            text = file.read(MOST_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{source} is a damaged gzip file ({error})") from None
    if len(text) > MOST_BYTES:
        raise DataError(f"{source} unpacks to more than {MOST_BYTES / 2**20:,.0f} MiB, which is too large for counts")
    return _parsed(text, source)


def _unpacked(path: str | Path) -> BinaryIO:
    """Open a file, plain or gzip."""
    with Path(path).open("rb") as file:
        packed = file.read(2) == GZIP
    return cast("BinaryIO", gzip.open(path)) if packed else Path(path).open("rb")


def _parsed(text: bytes, source: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{source} is not a counts file, or it is truncated: {error}") from None
    except ValueError:
        raise DataError(f"{source} cannot be counts: it holds {TOO_LONG}") from None
    if not isinstance(read, dict) or read.get("kind") != KIND:
        raise DataError(f"{source} holds no counts; files of counts are made by Counts.save and `outperform count`")
    if read.get("schema_version") != SCHEMA_VERSION:
        raise DataError(f"{source} has schema_version {read.get('schema_version')!r}; {SCHEMA_VERSION} is read here")
    return read


def _put_together(kind: type[AnyCells], read: dict[str, Any], source: str) -> AnyCells:
    """Validate all fields of an untrusted file and build the counts."""
    odd = sorted(({*read} ^ {*FIELDS, *ARRAYS, "kind", "schema_version"}) - {*LATER})
    if odd:
        raise DataError(f"{source} has other fields than counts have: {listing(odd)}")
    problem = next(_problems(read), None)
    if problem is not None:
        raise DataError(f"{source} cannot be counts: {problem}")
    counts = kind(
        classifiers=tuple(read["classifiers"]),
        labels=tuple(read["labels"]),
        truth=np.array(read["truth"], dtype=np.int64),
        predictions=np.array(read["predictions"], dtype=np.int64).reshape(-1, len(read["classifiers"])),
        n=np.array(read["n"], dtype=np.float64),
        task=_task(read),
        partition=_partition(read),
        declared=read["declared"],
        left_out=read["left_out"],
        weighed=_weighed(read.get("weighed"), len(read["n"]), source),
    ).merged()
    sets = _sets(read.get("sets"), counts, source)
    return counts if sets is None else replace(counts, task=LabelSets(counts.groups, counts.group, sets))


def _task(read: dict[str, Any]) -> Task:
    groups, group = tuple(read["groups"]), np.array(read.get("group", []), dtype=np.int64)
    if read["open"]:
        return Chunks(groups, group, read["counted"], read["unit"])
    return LabelSets(groups, group) if groups else OneLabel()


def _partition(read: dict[str, Any]) -> Partition | None:
    code = np.array(read.get("part", []), dtype=np.int64)
    if read["units"] is not None:
        return Units(code, np.array(read["units"], dtype=np.float64))
    if read["folds"]:
        return Folds(code, tuple((repetition, fold) for repetition, fold in read["folds"]))
    return Slices(code, tuple(read["slices"])) if read["slices"] else None


def _weighed(read: Any, cells: int, source: str) -> FloatArray | None:
    """Return the number of rows and the squared weights per cell of weighted rows, else None."""
    if read is None:
        return None
    if not (isinstance(read, list) and [len(row) for row in read if isinstance(row, list)] == [cells] * 2):
        raise DataError(f"{source} cannot be counts: weighed must hold two numbers for every cell")
    if not all(_are_sizes(row) for row in read):
        raise DataError(f"{source} cannot be counts: weighed must hold numbers of at least 0")
    return np.array(read, dtype=np.float64)


def _sets(read: Any, counts: Cells, source: str) -> Relevance | None:
    """Return which labels occur together on items; they must match the cells."""
    if read is None:
        return None
    systems = len(counts.classifiers)
    try:
        number, kind, class_, true = (np.array(read[name]) for name in SETS[:-1])
        said = np.array(read["said"], dtype=bool).reshape(-1, systems)
        rows = (kind.astype(np.int64), class_.astype(np.int64), true.astype(bool), said, np.ones(len(kind)))
        sets = Relevance(len(counts.groups), float(read["items"]), number.astype(np.float64), *rows)
        found = sets.contingency(sets.number[:, None], np.full(1, sets.items))
        table = counts.contingency()
        right = all(
            np.allclose(getattr(found, name)[0], getattr(table, name)) for name in ("hit", "support", "predicted")
        )
    except (IndexError, KeyError, TypeError, ValueError):
        right = False
    if not right or sets.items != counts.items:
        raise DataError(f"{source} cannot be counts: sets must hold the items that the cells count")
    return sets.merged()


def _problems(read: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong; later checks rely on earlier ones."""
    for name, kinds in (("classifiers", (str,)), ("labels", LABEL), ("groups", LABEL), ("slices", LABEL)):
        if not _is_list(read[name], kinds) or len(set(read[name])) < len(read[name]):
            yield f"{name} must be a list without repetitions"
    if not read["classifiers"]:
        yield "there are no classifiers"
    for name, kind in (("open", bool), ("declared", bool), ("counted", str), ("unit", str)):
        if not isinstance(read[name], kind):
            yield f"{name} is {read[name]!r}"
    folds, units = read["folds"], read["units"]
    if not _is_list(folds, (list,)) or not all(len(fold) == 2 and _is_list(fold, (int,)) for fold in folds):
        yield "folds must be pairs of numbers"
    if units is not None and not (_are_sizes(units) and all(units)):
        yield "units must be numbers above 0"
    if not _are_sizes(read["n"]) or not _are_sizes([read["left_out"]]):
        yield "n must hold finite numbers that are not negative"
    yield from _at_odds(read)
    yield from _wrong_codes(read, len(folds or read["slices"] or units or ()))


def _at_odds(read: dict[str, Any]) -> Iterator[str]:
    """Yield fields that are valid alone but contradict each other."""
    units = read["units"] is not None
    if sum(map(bool, (read["folds"], read["slices"], units))) > 1:
        yield "cells are of folds, of slices or of units, not of two of them"
    if units and max(read["n"], default=0) > MOST_IN_UNITS:
        yield f"n must be at most {MOST_IN_UNITS} where units are resampled"
    if (read["open"] or read["groups"] or units) and len(read["labels"]) != 2:
        yield "labels must be two: absent and present"


def _wrong_codes(read: dict[str, Any], parts: int) -> Iterator[str]:
    """Yield codes that are out of range."""
    rows, labels, width = len(read["n"]), len(read["labels"]), len(read["classifiers"])
    for name, size in (("truth", labels), ("group", len(read["groups"])), ("part", parts)):
        column = read.get(name, [])
        needed = name == "truth" or size or (name == "part" and read["units"] is not None)
        if not _is_list(column, (int,)) or len(column) != (rows if needed else 0):
            yield f"{name} must hold a whole number for each of {rows} cells"
        if not all(0 <= code < size for code in column):
            yield f"{name} holds a number that stands for none of {size}"
    guesses = read["predictions"]
    if not _is_list(guesses, (list,)) or len(guesses) != rows:
        yield f"predictions must hold a list for each of {rows} cells"
    for row in guesses:
        if len(row) != width or not _is_list(row, (int,)) or not all(NOT_RUN <= code < labels for code in row):
            yield f"predictions must hold {width} numbers in each cell, from {NOT_RUN} to {labels - 1}"
    if read["open"] and not all(1 in (true, *row) for true, row in zip(read["truth"], guesses, strict=True)):
        yield "there is a cell whose label is neither true nor predicted"


def _is_list(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, list) and all(type(x) in kinds and (type(x) is not float or isfinite(x)) for x in value)


def _are_sizes(value: Any) -> bool:
    return _is_list(value, (int, float)) and all(0 <= x <= GREATEST for x in value)
