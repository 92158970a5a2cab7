"""What PyTensor compiles in tests: the function that NUTS calls thousands of times. Python runs all others sooner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.later import later

__all__ = ["compiled"]

pm, pytensor = later("pymc"), later("pytensor")


@contextmanager
def compiled() -> Iterator[None]:
    """Compile log densities with their gradients, as users have everything; a module of C takes a second."""
    write = pm.Model.logp_dlogp_function

    def function(*args: Any, **settings: Any) -> Any:
        with pytensor.config.change_flags(mode="Mode"):
            return write(*args, **settings)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pymc.Model.logp_dlogp_function", function)
        yield
