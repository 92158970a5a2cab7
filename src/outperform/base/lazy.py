"""What is computed on first access: fields of a result, and answers of a method by its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

__all__ = ["Lazy", "changed", "made", "remembered"]

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


class Lazy(Generic[T]):
    """A field of a dataclass that may be set to a function, which is called when the field is first read.

    For readers, equality and JSON it is like any other field. It may have a default.
    """

    def __init__(self, *default: T) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the name of the field."""
        self.name = name

    def __get__(self, instance: object | None, owner: type) -> T:
        """Return the value, computed on first access."""
        if instance is None:  # the dataclass looks for a default
            if not self.default:
                raise AttributeError(self.name)
            return self.default[0]
        value = vars(instance)[self.name]
        if callable(value):
            value = vars(instance)[self.name] = value()
        return cast(T, value)

    def __set__(self, instance: object, value: T | Callable[[], T]) -> None:
        """Store a value, or the function that will compute it."""
        vars(instance)[self.name] = value


def made(result: object, name: str) -> bool:
    """Return whether a lazy field holds its value, and not the function that will compute it."""
    return not callable(vars(result)[name])


def changed(result: R, **changes: Any) -> R:
    """Return the result with some fields changed; unlike `dataclasses.replace`, lazy fields stay uncomputed."""
    kept = {field.name: vars(result)[field.name] for field in fields(cast(Any, result))}
    return cast(R, replace(cast(Any, result), **kept | changes))


def remembered(method: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
    """Return a method that computes its answer once for the same arguments; the object keeps it."""
    name = f"_{method.__name__}_of"

    @wraps(method)
    def answer(self: R, /, *args: P.args, **kwargs: P.kwargs) -> T:
        kept, key = vars(self).setdefault(name, {}), (args, *sorted(kwargs.items()))
        if key not in kept:
            kept[key] = method(self, *args, **kwargs)
        return cast(T, kept[key])

    return answer
