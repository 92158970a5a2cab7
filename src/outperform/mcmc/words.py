"""Numbers and distributions of PyMC in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["has_random", "in_words", "kind_of", "numbers_in_words", "param_in_words"]

FEW = 6  # numbers that are shown


def numbers_in_words(data: Any) -> str:
    """A number, or a few of them; of many what they have in common, or how many there are."""
    flat = np.ravel(data)
    if len(flat) == 1:
        return f"{flat[0]:g}"
    if (flat == flat[0]).all():
        return f"{flat[0]:g} each"
    return f"[{', '.join(f'{x:g}' for x in flat)}]" if len(flat) <= FEW else f"{len(flat)} numbers"


def kind_of(variable: Any) -> str:
    """Name of a distribution."""
    op = variable.owner.op
    return str(getattr(op, "_print_name", (type(op).__name__,))[0])


def in_words(dist: Any, written: Callable[[Any], str] | None = None) -> str:
    """A PyMC distribution, Beta(2, 2); by default its parameters are numbers."""
    op, node = dist.owner.op, dist.owner
    try:
        params = op.dist_params(node)
    except (AttributeError, ValueError):  # some that are made of others do not tell
        return f"{kind_of(dist)}(…)"
    return f"{kind_of(dist)}({', '.join(map(written or param_in_words, params))})"


def param_in_words(param: Any) -> str:
    """Numbers; or, of what is made of another distribution, that."""
    if not has_random(param):
        return numbers_in_words(param.eval())
    return in_words(param) if param.owner is not None and hasattr(param.owner.op, "ndim_supp") else "…"


def has_random(variable: Any) -> bool:
    """Whether something is computed from random numbers."""
    from pytensor.graph.traversal import graph_inputs
    from pytensor.tensor.random.type import RandomType

    return any(isinstance(source.type, RandomType) for source in graph_inputs([variable]))
