"""Ways to show a value, which renderers fill in from above.

A value names the way and knows no renderer; a renderer knows the value and says how its kind is shown. The front door
of the package says where the renderers are, so that a value read back in another process finds them too.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

__all__ = ["View"]

Shown = TypeVar("Shown")
Renderer = TypeVar("Renderer", bound=Callable[..., Any])


class View(Generic[Shown]):
    """One way to show values: the renderer of the value's kind, or of the nearest kind that it inherits from.

    Parameters
    ----------
    home : str
        The module among the renderers that has those of this way; imported when a value is first shown.
    """

    renderers: ClassVar[str] = ""  # the package that has the renderers

    def __init__(self, home: str = "") -> None:
        self._home = home
        self._known: dict[type, Callable[..., Shown]] = {}

    def of(self, *kinds: type) -> Callable[[Renderer], Renderer]:
        """Register what is decorated as the renderer of these kinds."""

        def register(renderer: Renderer) -> Renderer:
            self._known |= dict.fromkeys(kinds, renderer)
            return renderer

        return register

    def __getitem__(self, kind: type) -> Callable[..., Shown]:
        """The renderer of a kind."""
        import_module(f"{self.renderers}{self._home}")  # finds it imported but for the first time
        for parent in kind.__mro__:
            if parent in self._known:
                return self._known[parent]
        raise TypeError(f"nothing shows a {kind.__name__}; register a renderer with View.of")

    def __call__(self, value: object, *args: Any, **options: Any) -> Shown:
        """Show a value."""
        return self[type(value)](value, *args, **options)
