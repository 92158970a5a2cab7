"""Parquet and Arrow files, batch by batch: strings stay dictionaries, and row groups are counted on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

from outperform.base.cores import on_all_cores
from outperform.base.errors import DataError, need
from outperform.base.progress import bar
from outperform.data.frames import tally_batches
from outperform.data.tally import Tally, Tallying
from outperform.io.opening import opened, reading, schema_of
from outperform.io.sources import Source

__all__ = ["rows_of", "tally_source"]

ROWS = 2**22  # that one core counts at a time
BATCH = 2**20  # rows


def tally_source(
    source: Source, columns: Sequence[str], size: str | None = None, *, whole: bool = False, progress: bool = False
) -> Tally:
    """Count the rows of all files of a source, each as often as the column `size` says, in whole numbers if it must."""
    need("pyarrow", "data")
    wanted = list(dict.fromkeys([*columns, *([] if size is None else [size])]))
    _check_kinds(source, wanted)
    parts = list(_parts(source))
    tallying = Tallying(len(columns))

    def count(part: tuple[str, list[int]]) -> Tally:
        with reading(part[0]):
            return tally_batches(_batches(*part, source.format, wanted), columns, size, whole=whole)

    with bar(f"counting {source.name}", len(parts), show=progress) as done:
        for tally in on_all_cores(count, parts):
            tallying.join(tally)
            done(1)
    return tallying.tally()


def rows_of(source: Source, most: int | None = None) -> dict[str, list[Any]]:
    """Read all columns row by row, where rows cannot be counted; or the first rows, at most so many."""
    need("pyarrow", "data")
    values: dict[str, list[Any]] = {name: [] for name in source.columns}
    for part in _parts(source):
        with reading(part[0]):
            held = _batches(*part, source.format, list(values))
            batches = list(held) if most is None else [batch.slice(0, most) for batch in islice(held, 1)]
        for name, column in values.items():
            column += [value for batch in batches for value in batch.column(name).to_pylist()]
        if most is not None:
            break
    return values


def _parts(source: Source) -> Iterator[tuple[str, list[int]]]:
    """Files in pieces of a few row groups, or of a few batches."""
    for file in source.files:
        sizes = _sizes(file, source.format)
        begins, held = [0], 0
        for k, rows in enumerate(sizes):
            if held and held + rows > ROWS:
                begins.append(k)
                held = 0
            held += rows
        yield from ((file, list(range(*ends))) for ends in pairwise([*begins, len(sizes)]))


def _sizes(file: str, format: str) -> list[int]:
    """Rows of each row group, or of each batch."""
    from pyarrow import parquet

    with reading(file):
        if format == "parquet":
            meta = parquet.read_metadata(file)
            return [meta.row_group(k).num_rows for k in range(meta.num_row_groups)]
        with opened(file) as (_, batches):
            return [ROWS] * batches


def _batches(file: str, numbers: list[int], format: str, columns: list[str]) -> Iterator[Any]:
    if format == "arrow":
        with opened(file) as (read, _):
            if hasattr(read, "get_batch"):
                yield from (read.get_batch(k).select(columns) for k in numbers)
            else:
                yield from (batch.select(columns) for batch in read)
        return
    import pyarrow as pa
    from pyarrow import parquet

    types = parquet.read_schema(file)
    texts = [name for name in columns if pa.types.is_string(types.field(name).type)]
    with parquet.ParquetFile(file, read_dictionary=texts, memory_map=True) as read:
        yield from read.iter_batches(BATCH, row_groups=numbers, columns=columns, use_threads=False)


def _check_kinds(source: Source, columns: Sequence[str]) -> None:
    """Check that every column is of one kind in all files; 1 and "1" would be two labels."""
    first, *others = source.files
    schema = schema_of(first, source.format)
    for file in others:
        other = schema_of(file, source.format)
        for name in columns:
            kinds = [_kind(s.field(name).type) for s in (schema, other)]
            if kinds[0] != kinds[1] and "nothing" not in kinds:
                raise DataError(
                    f"{file}: column {name!r} holds {kinds[1]} where {first} has {kinds[0]}; write all parts with one "
                    "type"
                )


def _kind(type_: Any) -> str:
    from pyarrow import types

    if types.is_dictionary(type_):
        return _kind(type_.value_type)
    if types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_):
        return "numbers"  # a column of whole numbers with gaps is often written as floats
    if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return "text"
    return "truth values" if types.is_boolean(type_) else "nothing" if types.is_null(type_) else str(type_)
