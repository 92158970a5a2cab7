"""A PyMC model as a picture: by graphviz where that is there, in words everywhere; and its numbers in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from outperform.base.errors import need

__all__ = ["Graph", "graph", "has_random", "in_words"]


FEW = 6  # numbers that are shown


@dataclass(frozen=True, eq=False)
class Graph:
    """The graph of a model: `print` shows it in words, a notebook as a picture, `save` writes a file."""

    model: Any

    def __str__(self) -> str:
        """One line per variable: its distribution, its parents, its plates, and whether it is observed."""
        rows = [(variable.name, *self._described(variable)) for variable in self._variables()]
        width = max(len(name) for name, _, _ in rows)
        return "\n".join(f"{name:>{width}} {sign} {text}" for name, sign, text in rows)

    def __repr__(self) -> str:
        """The graph in words, as `str` gives it."""
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write a picture (.svg, .png, .pdf) by graphviz, or a text (.txt)."""
        path = Path(path)
        if path.suffix == ".txt":
            path.write_text(f"{self}\n", encoding="utf-8")
            return path
        if path.suffix not in (".svg", ".png", ".pdf"):
            raise ValueError(f"a graph is saved as .svg, .png, .pdf or .txt, got {path.name!r}")
        path.write_bytes(_picture(self.model, path.suffix[1:]))
        return path

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """A picture where graphviz is installed, else the text."""
        try:
            return {"image/svg+xml": _picture(self.model, "svg").decode(), "text/plain": str(self)}
        except ImportError:
            return {"text/plain": str(self)}

    def _variables(self) -> list[Any]:
        model = self.model
        return [*model.free_RVs, *model.deterministics, *model.observed_RVs, *model.potentials]

    def _described(self, variable: Any) -> tuple[str, str]:
        """A sign and the text after it."""
        model = self.model
        dims = [str(dim) for dim in model.named_vars_to_dims.get(variable.name) or ()]
        plates = f"  [{', '.join(f'{dim}: {len(model.coords[dim])}' for dim in dims)}]" if dims else ""
        if variable in model.potentials:
            return "·", f"log likelihood, {self._of(variable, variable.owner.inputs)}"
        if variable in model.deterministics:
            return "=", f"{self._of(variable, variable.owner.inputs)}{plates}"
        seen = "  observed" if variable in model.observed_RVs else ""
        return "~", f"{in_words(variable, lambda param: self._of(variable, [param]))}{plates}{seen}"

    def _of(self, variable: Any, inputs: Sequence[Any]) -> str:
        """A parameter in words: numbers, a variable, or a function of variables."""
        from pytensor.graph.traversal import ancestors

        (first, *others) = inputs
        if not others and hasattr(first, "data"):
            return numbers_in_words(first.data)
        named = {x.name: x for x in self._variables() if x is not variable}
        if not others and first.name in named:
            return str(first.name)
        known = list(named.values())
        parents = {x.name for x in ancestors(inputs, blockers=known) if x in known}
        return f"f({', '.join(sorted(parents))})" if parents else param_in_words(first)


def graph(model: Any) -> Graph:
    """Draw a PyMC model, as `build` writes it."""
    return Graph(model)


def _picture(model: Any, kind: str) -> bytes:
    """Drawn by graphviz."""
    need("graphviz", "mcmc")
    if which("dot") is None:
        raise ImportError(
            "graphviz's program dot is not there; install it (apt install graphviz, brew install graphviz), or save "
            "the graph as .txt"
        )
    drawn: bytes = need("pymc", "mcmc").model_to_graphviz(model).pipe(format=kind)
    return drawn


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
