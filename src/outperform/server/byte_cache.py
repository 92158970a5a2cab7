"""A cache of what was read and drawn for earlier requests, so that another setting is answered quickly."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

__all__ = ["ByteCache"]

T = TypeVar("T")


class ByteCache:
    """Values by key, at most so many bytes of them; those that were not used for longest go first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """The value of a key, made where it is not there; what is too large is not held."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: T = self._values[key][0]
                return found
        value = make()
        needed = size(value)
        if needed <= self.most:
            self._hold(key, value, needed)
        return value

    def _hold(self, key: Hashable, value: Any, size: int) -> None:
        with self._lock:
            _, before = self._values.pop(key, (None, 0))
            self._values[key] = value, size
            self.held += size - before
            while self.held > self.most:
                _, (_, gone) = self._values.popitem(last=False)
                self.held -= gone
