"""A PyMC model as a picture: by graphviz where that is there, in words everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outperform.errors import need

__all__ = ["Graph", "graph"]


@dataclass(frozen=True, eq=False)
class Graph:
    """The graph of a model: `print` shows it in words, a notebook as a picture, `save` writes a file."""

    model: Any

    def __str__(self) -> str:
        """A line for each variable: what it is, what it depends on, over which plates, and whether it is observed."""
        rows = [(own.name, *self._described(own)) for own in self._variables()]
        width = max(len(name) for name, _, _ in rows)
        return "\n".join(f"{name:>{width}} {sign} {text}" for name, sign, text in rows)

    def __repr__(self) -> str:
        """The same."""
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write a picture (.svg, .png, .pdf) by graphviz, or a text (.txt)."""
        path = Path(path)
        if path.suffix == ".txt":
            path.write_text(f"{self}\n", encoding="utf-8")
            return path
        if path.suffix not in (".svg", ".png", ".pdf"):
            raise ValueError(f"a graph is saved as .svg, .png, .pdf or .txt, got {path.name!r}")
        picture = need("pymc", "mcmc").model_to_graphviz(self.model)
        path.write_bytes(_render(picture, path.suffix[1:]))
        return path

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """A picture where graphviz is installed, else the text."""
        try:
            picture = need("pymc", "mcmc").model_to_graphviz(self.model)
            return {"image/svg+xml": _render(picture, "svg").decode(), "text/plain": str(self)}
        except (ImportError, OSError):
            return {"text/plain": str(self)}

    def _variables(self) -> list[Any]:
        model = self.model
        return [*model.free_RVs, *model.deterministics, *model.observed_RVs, *model.potentials]

    def _described(self, own: Any) -> tuple[str, str]:
        """A sign and the text after it."""
        model = self.model
        parents = sorted(self._parents.get(own.name, set()))
        dims = [str(dim) for dim in model.named_vars_to_dims.get(own.name) or ()]
        plates = f"  [{', '.join(f'{dim}: {len(model.coords[dim])}' for dim in dims)}]" if dims else ""
        if own in model.potentials:
            return "·", f"log likelihood of counts ({', '.join(parents)})"
        if own in model.deterministics:
            return "=", f"function of {', '.join(parents)}{plates}"
        name = str(getattr(own.owner.op, "_print_name", (type(own.owner.op).__name__,))[0])
        seen = "  observed" if own in model.observed_RVs else ""
        return "~", f"{name}({', '.join(parents)}){plates}{seen}"

    @property
    def _parents(self) -> Mapping[str, set[str]]:
        """Names of what each variable depends on directly."""
        from pymc.model_graph import ModelGraph

        return {
            str(own): set(map(str, parents)) for own, parents in ModelGraph(self.model).make_compute_graph().items()
        }


def graph(model: Any) -> Graph:
    """Draw a PyMC model, as `build` writes it."""
    return Graph(model)


def _render(picture: Any, kind: str) -> bytes:
    try:
        drawn: bytes = picture.pipe(format=kind)
    except OSError:
        raise OSError(
            "the program dot is not there; install graphviz (apt install graphviz, brew install graphviz), "
            "or save the graph as .txt"
        ) from None
    return drawn
