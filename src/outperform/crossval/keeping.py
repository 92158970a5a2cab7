"""Predictions in a file: JSON, so that nothing in a file can be executed when it is read.

Lists, text and numbers are JSON's own. What JSON has no type for is an object that names its type: an array, a sparse
matrix, a tuple, a set.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from outperform.data.storing import write_whole

__all__ = ["MISSING", "keep", "kept"]

MISSING = object()
COLLECTIONS: dict[str, Any] = {"tuple": tuple, "set": set, "frozenset": frozenset}
KINDS = "biufUO"  # of arrays: truth values, numbers, text, and objects that are plain themselves


def keep(file: Path, predictions: Any) -> None:
    """Write predictions: a whole file or none."""
    content = json.dumps(_plain(predictions)).encode()
    write_whole(file, lambda draft: draft.write(content))


def kept(file: Path) -> Any:
    """The predictions in a file; MISSING where there is none, or another content than `keep` writes."""
    try:
        return json.loads(file.read_bytes(), object_hook=_typed)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return MISSING


def _plain(value: Any) -> Any:
    """A value in the types of JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list):
        return [_plain(part) for part in value]
    name = type(value).__name__
    if COLLECTIONS.get(name) is type(value):
        return {name: [_plain(part) for part in value]}
    if hasattr(value, "toarray"):
        return {"sparse": _plain(value.toarray())}
    array = value.to_numpy() if getattr(value, "ndim", 0) == 1 and hasattr(value, "to_numpy") else value
    if not isinstance(array, np.ndarray) or array.dtype.kind not in KINDS:
        raise TypeError(f"the cache cannot keep predictions that hold a {name}; leave cache= out")
    return {"array": _plain(array.ravel().tolist()), "dtype": array.dtype.str, "shape": array.shape}


def _typed(found: dict[str, Any]) -> Any:
    """The value that a JSON object encodes."""
    if "array" in found:
        dtype = np.dtype(found["dtype"])
        return np.fromiter(found["array"], dtype, len(found["array"])).reshape(found["shape"])
    ((name, value),) = found.items()
    if name == "sparse":
        from scipy.sparse import csr_array

        return csr_array(value)
    return COLLECTIONS[name](value)
