"""Tensors that NumPy's functions and operators accept, so that models and measures run on a device as they are.

NumPy hands a call on another library's array to that array (`__array_ufunc__` and `__array_function__`). Functions that
are listed here run on the device; any other is computed by NumPy on a copy, which is right and slower. Python's
numbers stay on the host: a tensor without dimensions combines with any device, and needs no transfer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from outperform.base.errors import need
from outperform.data.contingency import picked, summed

__all__ = ["DeviceArray", "on_device", "tensor_of"]

# Names of NumPy's element-wise functions that PyTorch calls otherwise.
RENAMED = {
    "absolute": "abs", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt",
    "greater_equal": "ge", "power": "pow", "invert": "bitwise_not",
}  # fmt: skip
SAME = frozenset((
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "negative", "positive", "sqrt", "square",
    "exp", "expm1", "log", "log1p", "log2", "log10", "sign", "floor", "ceil", "maximum", "minimum", "fmax", "fmin",
    "isnan", "isfinite", "isinf", "logical_and", "logical_or", "logical_not", "logical_xor", "bitwise_and",
    "bitwise_or", "bitwise_xor", "reciprocal", "hypot", "tanh", "matmul",
))  # fmt: skip

SPECIAL = frozenset({"ndtr"})  # of SciPy


class DeviceArray(NDArrayOperatorsMixin):
    """A tensor with the operators, and the methods that are used here, of a NumPy array."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(self.tensor.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return int(self.tensor.ndim)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self.tensor.numel())

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements, by NumPy's name."""
        return np.dtype(str(self.tensor.dtype).removeprefix("torch."))

    @property
    def T(self) -> DeviceArray:  # noqa: N802
        """The array with its axes in reverse order."""
        return self.transpose()

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator[DeviceArray]:
        return map(DeviceArray, self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __getitem__(self, key: Any) -> DeviceArray:
        return DeviceArray(self.tensor[self._key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tensor[self._key(key)] = value.tensor if isinstance(value, DeviceArray) else value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        found = self.tensor.cpu().numpy()
        return found if dtype is None else found.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        name = RENAMED.get(ufunc.__name__, ufunc.__name__ if ufunc.__name__ in SAME | SPECIAL else None)
        out = (settings.pop("out", None) or (None,))[0]
        if method != "__call__" or name is None or settings:
            found = getattr(ufunc, method)(*map(_pulled, inputs), **settings)
            return found if out is None else _put(out, found)
        torch = need("torch", "gpu")
        where = torch.special if name in SPECIAL else torch
        found = DeviceArray(getattr(where, name)(*(tensor_of(x, self.tensor) for x in inputs)))
        return found if out is None else _put(out, found)

    def __array_function__(self, function: Any, types: Any, args: Any, settings: Any) -> Any:
        known = FUNCTIONS.get(function.__name__)
        if known is None:
            return function(*_pulled(list(args)), **{key: _pulled(value) for key, value in settings.items()})
        return known(self.tensor, *args, **settings)

    def sum(self, axis: Any = None, keepdims: bool = False) -> DeviceArray:
        """Return the sum over one axis, or over all of them."""
        if axis is None:
            return DeviceArray(self.tensor.sum())
        return DeviceArray(self.tensor.sum(axis, keepdim=keepdims))

    def prod(self, axis: int) -> DeviceArray:
        """Return the product over one axis."""
        return DeviceArray(self.tensor.prod(axis))

    def min(self, axis: Any) -> DeviceArray:
        """Return the smallest element over one axis or several."""
        return DeviceArray(self.tensor.amin(axis))

    def max(self, axis: Any) -> DeviceArray:
        """Return the greatest element over one axis or several."""
        return DeviceArray(self.tensor.amax(axis))

    def copy(self) -> DeviceArray:
        """Return a copy."""
        return DeviceArray(self.tensor.clone())

    def mean(self, axis: int) -> DeviceArray:
        """Return the mean over one axis."""
        return DeviceArray(self.tensor.mean(axis))

    def all(self) -> bool:
        """Return whether no element is 0."""
        return bool(self.tensor.all())

    def any(self) -> bool:
        """Return whether any element is not 0."""
        return bool(self.tensor.any())

    def reshape(self, *shape: Any) -> DeviceArray:
        """Return the elements in another shape."""
        return DeviceArray(self.tensor.reshape(*shape))

    def ravel(self) -> DeviceArray:
        """Return the elements in one row."""
        return self.reshape(-1)

    def clip(self, min: Any = None, max: Any = None) -> DeviceArray:  # noqa: A002 (NumPy's names)
        """Return the elements within these bounds."""
        return DeviceArray(self.tensor.clamp(_bound(min), _bound(max)))

    def transpose(self, *axes: int) -> DeviceArray:
        """Return the axes in this order, or in reverse order."""
        return DeviceArray(self.tensor.permute(*(axes or reversed(range(self.ndim)))))

    def astype(self, dtype: Any, copy: bool = True) -> DeviceArray:
        """Return the elements converted to a type."""
        wanted = getattr(need("torch", "gpu"), np.dtype(dtype).name)
        return DeviceArray(self.tensor.to(wanted, copy=copy))

    def _key(self, key: Any) -> Any:
        """Return an index with tensors in place of arrays."""
        if isinstance(key, tuple):
            return tuple(map(self._key, key))
        return tensor_of(key, self.tensor) if isinstance(key, DeviceArray | np.ndarray) else key


@summed.register
def _(rows: DeviceArray, matrix: Any) -> DeviceArray:
    """Return the product of a sparse matrix of SciPy with an array, its rows summed in a fixed order."""
    device, found = rows.tensor.device, getattr(matrix, "of_device", None)
    if found is None or found[0] != device:
        torch, table = need("torch", "gpu"), matrix.tocsr()
        parts = (table.indices.astype(np.int64), table.indptr[:-1].astype(np.int64), table.data.astype(np.float64))
        ones = bool((table.data == 1).all())
        found = (device, *(torch.as_tensor(part, device=device) for part in parts), ones)
        matrix.of_device = found  # the matrix is used for every block
    _, indices, starts, values, ones = found
    bag = need("torch", "gpu").nn.functional.embedding_bag
    weights = None if ones else values
    return DeviceArray(bag(indices, rows.tensor.contiguous(), starts, mode="sum", per_sample_weights=weights))


@picked.register
def _(places: DeviceArray, table: Any) -> DeviceArray:
    """Return the columns of a table that are at these places; NumPy would copy the places to the host."""
    return DeviceArray(tensor_of(table, places.tensor)[..., places.tensor])


def on_device(array: Any, like: Any) -> DeviceArray:
    """Return an array as one on the device of a tensor."""
    return array if isinstance(array, DeviceArray) else DeviceArray(tensor_of(array, like))


def tensor_of(value: Any, like: Any) -> Any:
    """Return the tensor of an array, on the device of another one; of a number, one without dimensions."""
    if isinstance(value, DeviceArray):
        return value.tensor
    torch = need("torch", "gpu")
    if isinstance(value, float):
        return torch.tensor(value, dtype=torch.float64)
    array = np.ascontiguousarray(value) if np.ndim(value) else value
    return torch.as_tensor(array, device=like.device if np.ndim(value) else None)


def _bound(value: Any) -> Any:
    """Return a bound of `clip`: none, a number, or a tensor."""
    return value.tensor if isinstance(value, DeviceArray) else value


def _pulled(value: Any) -> Any:
    """Return a copy for NumPy of an array, or of those in a list."""
    if isinstance(value, DeviceArray):
        return np.asarray(value)
    return type(value)(map(_pulled, value)) if isinstance(value, list | tuple) else value


def _put(out: Any, found: Any) -> Any:
    """Write a result into the array that was given for it."""
    if isinstance(out, DeviceArray):
        out.tensor.copy_(tensor_of(found, out.tensor))
    else:
        out[...] = np.asarray(found)
    return out


def _joined(name: str) -> Callable[..., DeviceArray]:
    def join(like: Any, arrays: Sequence[Any], axis: int = 0) -> DeviceArray:
        return DeviceArray(getattr(need("torch", "gpu"), name)([tensor_of(x, like) for x in arrays], axis))

    return join


def _where(like: Any, condition: Any, first: Any, second: Any) -> DeviceArray:
    return DeviceArray(need("torch", "gpu").where(*(tensor_of(x, like) for x in (condition, first, second))))


def _cumsum(like: Any, array: Any, axis: int, dtype: Any = None, out: Any = None) -> Any:  # noqa: ARG001 (it stays)
    found = DeviceArray(need("torch", "gpu").cumsum(tensor_of(array, like), axis))
    return found if out is None else _put(out, found)


def _empty_like(like: Any, array: Any, dtype: Any = None, shape: Any = None) -> DeviceArray:
    kind = None if dtype is None else getattr(need("torch", "gpu"), np.dtype(dtype).name)
    return DeviceArray(like.new_empty(array.shape if shape is None else shape, dtype=kind or like.dtype))


def _full_like(like: Any, array: Any, value: Any, dtype: Any = None) -> DeviceArray:
    found = _empty_like(like, array, dtype)
    found.tensor.fill_(bool(value) if np.dtype(dtype) == bool else float(value))
    return found


# By the names of NumPy's functions. Each takes a tensor of the device, and then NumPy's arguments.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "where": _where,
    "stack": _joined("stack"),
    "concatenate": _joined("cat"),
    "hstack": lambda like, arrays: _joined("cat")(like, arrays, 1),
    "broadcast_to": lambda like, array, shape: DeviceArray(tensor_of(array, like).expand(*shape)),
    "moveaxis": lambda like, array, first, to: DeviceArray(tensor_of(array, like).movedim(first, to)),
    "tile": lambda like, array, times: DeviceArray(tensor_of(array, like).repeat(*times)),
    "all": lambda like, array: bool(tensor_of(array, like).all()),
    "any": lambda like, array: bool(tensor_of(array, like).any()),
    "sum": lambda like, array, **how: on_device(array, like).sum(**how),
    "mean": lambda like, array, axis: on_device(array, like).mean(axis),
    "nanmean": lambda like, array, axis: DeviceArray(tensor_of(array, like).nanmean(axis)),
    "cumsum": _cumsum,
    "empty_like": _empty_like,
    "full_like": _full_like,
    "zeros_like": lambda like, array: DeviceArray(tensor_of(array, like).new_zeros(array.shape)),
    "einsum": lambda like, how, *arrays: DeviceArray(
        need("torch", "gpu").einsum(how, *(tensor_of(x, like) for x in arrays))
    ),
    "tensordot": lambda like, first, second, axes: DeviceArray(
        need("torch", "gpu").tensordot(tensor_of(first, like), tensor_of(second, like), axes)
    ),
    "searchsorted": lambda like, line, values, side="left": DeviceArray(
        need("torch", "gpu").searchsorted(tensor_of(line, like), tensor_of(values, like).contiguous(), side=side)
    ),
    "flatnonzero": lambda like, array: DeviceArray(tensor_of(array, like).reshape(-1).nonzero()[:, 0]),
    "unravel_index": lambda like, places, shape: tuple(
        map(DeviceArray, need("torch", "gpu").unravel_index(tensor_of(places, like), shape))
    ),
    "clip": lambda like, array, low, high: on_device(array, like).clip(low, high),
}
