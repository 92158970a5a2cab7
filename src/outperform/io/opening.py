"""Opening Parquet and Arrow files: their schema, their batches, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from outperform.base.errors import DataError, need

__all__ = ["opened", "reading", "schema_of"]


def schema_of(file: str, format: str) -> Any:
    """The columns of a file and their types."""
    need("pyarrow", "data")
    from pyarrow import parquet

    with reading(file):
        if format == "parquet":
            return parquet.read_schema(file)
        with opened(file) as (read, _):
            return read.schema


@contextmanager
def opened(file: str) -> Iterator[tuple[Any, int]]:
    """An Arrow file, or a stream in a file, and how many batches it is read in; a stream is read in one go."""
    import pyarrow as pa

    with pa.memory_map(file) as mapped:
        if mapped.read(6) == b"ARROW1":
            read = pa.ipc.open_file(mapped)
            yield read, read.num_record_batches
        else:
            mapped.seek(0)
            yield pa.ipc.open_stream(mapped), 1


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Say in one sentence what is wrong with a file."""
    import pyarrow as pa

    try:
        yield
    except DataError:
        raise
    except FileNotFoundError:
        raise DataError(f"cannot read {file}: No such file or directory") from None
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(". ")
        raise DataError(f"{file} is damaged or cut short ({reason}); write it again") from None
