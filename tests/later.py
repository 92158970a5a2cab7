"""Modules that take long to import, for tests of which some processes run none."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

__all__ = ["later"]


class _Later:
    """Stands for a module, which is imported when something of it is first used."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def _module(self) -> Any:
        if sys.modules.get(self._name) is None:
            with warnings.catch_warnings(action="ignore"):
                import_module(self._name)
        return sys.modules[self._name]

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("_", "pytest")) and attribute != "__version__":  # what pytest asks of everything
            raise AttributeError(attribute)
        return getattr(self._module(), attribute)

    def __setattr__(self, attribute: str, value: Any) -> None:
        raise AttributeError(f"patch the module itself, as in monkeypatch.setattr('{self._name}.{attribute}', …)")


def later(name: str) -> Any:
    """A module by its name; whatever it warns of when it is imported."""
    return _Later(name)
