"""Registries of renderers, which let results be shown without importing the code that shows them.

A result calls a view by its name; a renderer registers itself in the view for a type of result. `outperform/__init__`
says where the renderers are, so that a result unpickled in another process finds them too.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

__all__ = ["View"]

Shown = TypeVar("Shown")
Renderer = TypeVar("Renderer", bound=Callable[..., Any])


class View(Generic[Shown]):
    """One way to show values: finds the renderer of the value's type, or of the nearest base class that has one.

    Parameters
    ----------
    home : str
        Module of the renderers of this view; imported when a value is first shown.
    """

    renderers: ClassVar[str] = ""  # the package of the renderers

    def __init__(self, home: str = "") -> None:
        self._home = home
        self._known: dict[type, Callable[..., Shown]] = {}

    def of(self, *kinds: type) -> Callable[[Renderer], Renderer]:
        """Register the decorated function as the renderer of these types."""

        def register(renderer: Renderer) -> Renderer:
            self._known |= dict.fromkeys(kinds, renderer)
            return renderer

        return register

    def __getitem__(self, kind: type) -> Callable[..., Shown]:
        """Return the renderer of a type."""
        import_module(f"{self.renderers}{self._home}")  # registers the renderers; a no-op after the first time
        for parent in kind.__mro__:
            if parent in self._known:
                return self._known[parent]
        raise TypeError(f"no renderer is registered for {kind.__name__}; register one with View.of")

    def __call__(self, value: object, *args: Any, **options: Any) -> Shown:
        """Return the value as shown by its renderer."""
        return self[type(value)](value, *args, **options)
