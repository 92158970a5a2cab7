"""The device by name, and a random generator of it that models use as they use NumPy's.

Gammas have 64 bits: those of 32 bits would underflow where a weight is small. Uniform and exponential numbers have 32
if the caller asks for that, as NumPy's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from outperform.base.errors import need
from outperform.base.sentences import invalid
from outperform.data.contingency import FloatArray
from outperform.device.arrays import DeviceArray, tensor_of
from outperform.models.posterior import child

__all__ = ["Device", "DeviceRng", "as_device"]

MOST_NUMBERS = {"cuda": 2**28, "cpu": 2**21}  # random numbers per block: two gigabytes, or what a cache holds
MOST_DRAWN = {"cuda": 10**10, "cpu": 10**8}  # random numbers in all by default
LITTLE = "{device:{name}} has too little free memory for {what}; free some, or leave {device} out"


@dataclass(frozen=True)
class Device:
    """A device that PyTorch computes on: cpu, cuda, or cuda:1 for the second GPU."""

    name: str

    @cached_property
    def torch(self) -> Any:
        """The package."""
        return need("torch", "gpu")

    @property
    def _kind(self) -> str:
        return self.name.partition(":")[0]

    @property
    def settings(self) -> dict[str, str]:
        """What changes the numbers, for the signature."""
        return {"device": self.name, "torch": str(self.torch.__version__)}

    def block_size(self, numbers: int) -> int:
        """Return the number of draws of so many numbers each that make a block, whatever memory is free."""
        return max(1, MOST_NUMBERS[self._kind] // max(numbers, 1))

    def usual_draws(self, numbers: int, wanted: int, fewest: int) -> int:
        """Return the default number of draws of so many numbers each: as many as take about a second."""
        return min(wanted, max(fewest, MOST_DRAWN[self._kind] // max(numbers, 1)))

    def stream(self, seed: SeedSequence, k: int) -> DeviceRng:
        """Return the generator of block k. It is derived by key, so it is the same every time."""
        generator = self.torch.Generator(self.name)
        generator.manual_seed(int(child(seed, k).generate_state(1, np.uint64)[0]))
        return DeviceRng(self, generator)

    def tensor(self, array: Any, dtype: Any = None) -> Any:
        """Return an array as a tensor of the device."""
        return self.torch.as_tensor(np.ascontiguousarray(array), dtype=dtype, device=self.name)

    @contextmanager
    def computing(self, what: str) -> Iterator[None]:
        """Compute without a record for derivatives; say in one sentence that memory does not suffice."""
        try:
            with self.torch.inference_mode():
                yield
        except self.torch.OutOfMemoryError:
            raise invalid(LITTLE, name=self.name, what=what) from None


def as_device(name: object) -> Device | None:
    """Validate the name of a device; None is NumPy."""
    if name is None:
        return None
    if not isinstance(name, str) or not re.fullmatch(r"cpu|cuda(:\d+)?", name):
        raise ValueError(f"device must be 'cuda', 'cuda:1' for a second GPU, or 'cpu', got {name!r}")
    device = Device(name)
    torch = device.torch  # or an error that says what to install, before anything is read
    if name != "cpu":
        there = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if there <= int(name.partition(":")[2] or 0):
            found = f"PyTorch finds {there}" if there else "PyTorch finds none"
            raise invalid("{device:{name}} needs such a GPU, and {found}; leave {device} out", name=name, found=found)
    return device


class DeviceRng:
    """The methods of NumPy's generator that models use, on a device."""

    def __init__(self, device: Device, generator: Any) -> None:
        self.device, self.generator, self.torch = device, generator, device.torch

    def standard_gamma(self, shape: Any, size: Any = None) -> DeviceArray:
        """Draw gammas; those of shape 0 are 0."""
        torch = self.torch
        alpha = shape.tensor if isinstance(shape, DeviceArray) else self.device.tensor(shape, torch.float64)
        if size is not None:
            alpha = alpha.expand(*np.atleast_1d(size).tolist())
        others = None if isinstance(shape, DeviceArray) else _not_one(shape)
        if others is None:
            return DeviceArray(torch._standard_gamma(alpha, generator=self.generator).mul_(alpha > 0))
        drawn = self._empty(alpha.shape).exponential_(generator=self.generator)  # several times as fast, and the same
        if len(others):
            rest = alpha[self.device.tensor(others)]
            drawn[self.device.tensor(others)] = torch._standard_gamma(rest, generator=self.generator).mul_(rest > 0)
        return DeviceArray(drawn)

    def standard_normal(self, size: Any) -> DeviceArray:
        """Draw normal numbers."""
        return DeviceArray(self._empty(size).normal_(generator=self.generator))

    def gammas(self, alpha: FloatArray, draws: int) -> DeviceArray:
        """Draw gammas of shape (cells, draws); as logarithms, and divided by the largest, if all may underflow."""
        if not 0.0 < alpha.sum() < 1.0:
            return self.standard_gamma(alpha[:, None], (len(alpha), draws))
        torch, shape = self.torch, self.device.tensor(alpha[:, None])
        fall = self.standard_exponential((len(alpha), draws)).tensor / shape
        log = self.standard_gamma(alpha[:, None] + 1.0, (len(alpha), draws)).tensor.log() - fall
        return DeviceArray(torch.exp(log - log.amax(0)))

    def dirichlet(self, alpha: FloatArray, draws: int) -> DeviceArray:
        """Draw proportions of shape (draws, cells)."""
        drawn = self.gammas(np.asarray(alpha), draws).tensor
        return DeviceArray((drawn / drawn.sum(0)).T)

    def standard_exponential(self, size: Any, dtype: Any = np.float64) -> DeviceArray:
        """Draw exponentials."""
        return DeviceArray(self._empty(size, dtype).exponential_(generator=self.generator))

    def random(self, size: Any, dtype: Any = np.float64) -> DeviceArray:
        """Draw uniform numbers between 0 and 1."""
        return DeviceArray(self._empty(size, dtype).uniform_(generator=self.generator))

    def integers(self, low: int, high: int | None = None, size: Any = None, dtype: Any = None) -> DeviceArray:  # noqa: ARG002
        """Draw whole numbers from `low` up to but not including `high`; from 0 to `low` with one of them."""
        low, high = (0, low) if high is None else (low, high)
        shape = np.atleast_1d(size).tolist()
        return DeviceArray(self.torch.randint(low, high, shape, generator=self.generator, device=self.device.name))

    def choice(self, values: Any, size: int, p: FloatArray) -> DeviceArray:
        """Draw from values, or from whole numbers below a number, with these probabilities."""
        ends = self.device.tensor(np.cumsum(p))
        place = self.torch.searchsorted(ends, self.random(size).tensor * ends[-1], right=True).clamp_(max=len(p) - 1)
        return DeviceArray(place if np.ndim(values) == 0 else tensor_of(np.asarray(values), place)[place])

    def _empty(self, size: Any, dtype: Any = np.float64) -> Any:
        kind = getattr(self.torch, np.dtype(dtype).name)
        return self.torch.empty(tuple(np.atleast_1d(size).tolist()), dtype=kind, device=self.device.name)


def _not_one(shape: Any) -> Any:
    """Return which rows of shapes are not 1; None if that is all of them, or if there are no rows."""
    rows = np.asarray(shape)
    if rows.ndim != 2 or rows.shape[1] != 1:
        return None
    others = np.flatnonzero(rows[:, 0] != 1)
    return None if len(others) == len(rows) else others
