"""Base classes of results, which can be written as text, JSON, CSV, Markdown, LaTeX, HTML or a dataframe.

A result provides its rows; `views` has its tables, texts and plots, and the writers do the rest.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, cast, get_args, get_type_hints

import numpy as np

from outperform.base.errors import check_known, listing, shown
from outperform.base.signature import Signature
from outperform.data.labels import Label
from outperform.data.storing import write_whole
from outperform.formats import writers
from outperform.formats.outputs import OUTPUTS, of_tables
from outperform.formats.paper import SPANS, Span, check_figure, check_style, paper
from outperform.formats.plain import encodable
from outperform.formats.table import Table
from outperform.models.chains import Draws
from outperform.results import views
from outperform.verdicts.decision import RopeLike

__all__ = ["Judged", "Listed", "PerClass", "Plain", "Result", "Row", "Rows", "Several", "from_plain", "to_plain"]

FRAMES = ("pandas", "polars", "pyarrow")
SCHEMA_VERSION = 1


class Result(ABC):
    """A finished result: nothing random happens after it is made."""

    def __repr__(self) -> str:
        """Return one line that can be pasted into an e-mail; with several rows, a line per row."""
        return views.line(self)

    def __str__(self) -> str:
        """Return the text that `print` writes, as in a notebook, in characters that standard output supports."""
        return encodable(repr(self), "text", getattr(sys.stdout, "encoding", None))

    @abstractmethod
    def records(self) -> Sequence[dict[str, Any]]:
        """Return flat rows of plain values, for CSV and dataframes."""

    @abstractmethod
    def to_dict(self) -> Any:
        """Return the documented JSON, as plain Python values, without the draws."""

    def tables(self) -> Sequence[Table]:
        """Return the papers' tables, ready for any writer."""
        return views.tables(self)

    def to_text(self, *, width: int | None = None, verbose: bool = False) -> str:
        """Return what the command line prints: the verdict card and a small plot, or the tables.

        Parameters
        ----------
        width : int, optional
            Columns of the terminal, at least 60; columns of tables are dropped to fit. The default drops none.
        verbose : bool
            Add Bayes factors, classical tests, the rows and notes that one screen has no room for, and the signature.
        """
        return views.text(self, width, verbose=verbose)

    def to(self, format_: str) -> str:
        """Return the text of a format by its name: "text", "json", "markdown", "latex", "csv" or "html"."""
        check_known("format", format_, OUTPUTS)
        return OUTPUTS[format_].write(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return `to_dict()` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent, default=str)

    def to_csv(self) -> str:
        """Return CSV text: a header, and the numbers of each row in full precision."""
        return writers.csv(self.records())

    def to_markdown(self, *, badge: bool = False) -> str:
        """Return Markdown: the verdict card of a comparison with its table folded below it, or the tables.

        With `badge` below an image of shields.io that shows the verdict.
        """
        return "\n\n".join([*([views.badge(self)] if badge else []), views.markdown(self)])

    def to_latex(self, style: str = "full", *, columns: Sequence[str] = (), span: str | float = "column") -> str:
        """Return LaTeX tables (booktabs).

        Parameters
        ----------
        style : {"full", "paper"}
            Everything, in the layout of SIGIR'16 Tables 4–6; or a table that fits a column of a paper, with a caption,
            a label and, as comments, the sentences of `how_to_report`.
        columns : sequence of str
            With "paper": the columns by name, in this order.
        span : {"column", "page"} or float
            With "paper": its width, or inches.
        """
        if check_style(style) == "full":
            return of_tables(writers.latex)(self)
        *others, last = views.paper(self, tuple(columns))
        last, width = replace(last, signature=""), Span.of(span)  # the sentence for the appendix has it
        said = self.how_to_report().split("\n\n")
        return "\n\n".join([*(paper(table, width) for table in others), paper(last, width, said)])

    def how_to_report(self) -> str:
        """Return a sentence for the text of a paper, and one for its appendix."""
        text, appendix = views.reporting(self)
        return f"In the text: {text}\n\nIn the appendix: {appendix}"

    def save_figure(self, path: str | Path, *, width: float = SPANS["column"].figure) -> None:
        """Write the plot as a figure for a paper, with 8-point letters and embedded fonts (needs matplotlib).

        Parameters
        ----------
        path : str or Path
            A file that ends in .pdf, .svg or .png.
        width : float
            In inches; by default that of a column.
        """
        drawn = views.figure(self, width, check_figure(path))
        write_whole(path, lambda draft: draft.write(drawn))

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a report in one HTML file: verdict, plots and numbers, and a ROPE that its reader may drag.

        Parameters
        ----------
        path : str or Path, optional
            File to write it to as well.
        """
        written = views.page(self)
        if path is not None:
            write_whole(path, lambda draft: draft.write(written.encode()))
        return written

    def _repr_html_(self) -> str:
        return views.snippet(self)

    def drawn(self) -> Draws:
        """Return the draws of the scores."""
        raise ValueError(f"a {type(self).__name__} holds no draws of a posterior")

    def to_arviz(self) -> Any:
        """Return the draws for ArviZ: an InferenceData, or a DataTree from ArviZ 1.0 on (needs the extra mcmc).

        Groups posterior and, if there is a prior, prior; for Markov chains also the variables of the model,
        sample_stats and observed_data.
        """
        return self.drawn().to_arviz()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a dataframe of the rows: pandas, polars or pyarrow, whichever is installed (or the given one)."""
        import narwhals as nw

        backend = backend or next((name for name in FRAMES if find_spec(name)), None)
        if backend is None:
            raise ImportError(f"no dataframe library is installed; install one of {', '.join(FRAMES)}")
        records = self.records()
        columns = {key: [record[key] for record in records] for key in records[0]}
        return nw.from_dict(columns, backend=cast(Any, backend)).to_native()


class Plain(Result):
    """A dataclass whose JSON is its fields."""

    def to_dict(self) -> dict[str, Any]:
        """Return the documented JSON, as plain Python values, without the draws."""
        plain: dict[str, Any] = to_plain(self)
        return {"schema_version": SCHEMA_VERSION} | plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read the output of `to_dict`. Without draws it can be shown, but not judged by another ROPE."""
        if data.get("schema_version") != SCHEMA_VERSION:
            raise ValueError(f"schema_version must be {SCHEMA_VERSION}, got {data.get('schema_version')!r}")
        restored: Self = from_plain(cls, data)
        return restored


class Rows(Result):
    """One or several comparisons or estimates."""

    @abstractmethod
    def all_rows(self) -> Sequence[Row]:
        """Return the comparisons or estimates that it consists of."""

    def records(self) -> Sequence[dict[str, Any]]:
        """Return a flat row for each."""
        return [row.record() for row in self.all_rows()]


class Row(Plain, Rows):
    """One comparison or estimate, which may be one class of several; a dataclass."""

    signature: Signature
    class_: Label | None  # the class it is about, if there is a row per class

    @abstractmethod
    def summary(self) -> dict[str, float | None]:
        """Return a flat dictionary of plain numbers."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return one flat row of plain values."""

    @abstractmethod
    def with_mass(self, mass: float) -> Self:
        """Return the same draws with an HDI of another mass."""

    @classmethod
    def together(cls, rows: Sequence[Any], fdr: float | None) -> tuple[Any, ...]:  # noqa: ARG003
        """Return the rows judged together; by default as each is alone."""
        return tuple(rows)

    def all_rows(self) -> Sequence[Self]:
        """Return a list with the row itself."""
        return (self,)


class Judged(Row):
    """A row with a verdict for a ROPE."""

    @abstractmethod
    def with_rope(self, rope: RopeLike | None) -> Self:
        """Return the same draws judged by another ROPE."""


R = TypeVar("R", bound=Row)
J = TypeVar("J", bound=Judged)


class Listed(Rows, Generic[R]):
    """Rows that differ in one thing: a class, a prior, a slice. A dataclass."""

    rows: tuple[R, ...]

    def __iter__(self) -> Iterator[R]:
        """Iterate over the rows."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def all_rows(self) -> Sequence[R]:
        """Return the rows."""
        return self.rows

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the documented JSON of each row, in a list."""
        return [row.to_dict() for row in self.rows]


@dataclass(frozen=True, repr=False)
class PerClass(Listed[R]):
    """One row per class against the rest, in the order of the classes."""

    rows: tuple[R, ...]
    fdr: float | None = field(default=None, compare=False)  # largest expected share of wrong verdicts

    @classmethod
    def of(cls, rows: Sequence[R], fdr: float | None = None) -> PerClass[R]:
        """Judge the rows together."""
        return PerClass(rows[0].together(rows, fdr), fdr)

    def __getitem__(self, class_: Label) -> R:
        """Return the row of one class, by its label."""
        for row in self.rows:
            if row.class_ == class_:
                return row
        raise KeyError(f"no class {shown(class_)}; there are {listing(row.class_ for row in self.rows)}")

    @classmethod
    def from_dict(cls, data: Sequence[dict[str, Any]], kind: type[R]) -> PerClass[R]:
        """Read the output of `to_dict`, as rows of one kind."""
        return PerClass(tuple(kind.from_dict(row) for row in data))

    @property
    def signature(self) -> Signature:
        """Everything that could change the numbers except the class, in one line."""
        shared = self.rows[0].signature
        return shared if len(self.rows) == 1 else shared.without("positive")

    def summary(self) -> dict[Label, dict[str, float | None]]:
        """Return flat dictionaries of plain numbers, by class."""
        return {row.class_: row.summary() for row in self.rows}

    def plot(self, ax: views.Axes | None = None) -> views.Axes:
        """Plot mean and HDI by class, with the ROPE and the verdicts (needs matplotlib)."""
        return views.plot(self, ax)

    def drawn(self) -> Draws:
        """Return the draws of all classes, which are the last axis."""
        drawn = [row.drawn() for row in self.rows]
        names = [str(row.class_) for row in self.rows]
        dims = {name: (*drawn[0].dims.get(name, ()), "class") for name in drawn[0].posterior}
        posterior, prior = (
            {name: np.stack([draws[name] for draws in parts], axis=-1) for name in parts[0]}
            for parts in ([row.posterior for row in drawn], [row.prior for row in drawn])
        )
        shared = drawn[0].trace if all(row.trace is drawn[0].trace for row in drawn) else None
        return Draws(posterior, prior, dict(drawn[0].coords) | {"class": names}, dims, shared)

    def with_rope(self: PerClass[J], rope: RopeLike | None) -> PerClass[J]:
        """Return the same draws judged by another ROPE."""
        return PerClass.of([row.with_rope(rope) for row in self.rows], self.fdr)

    def with_mass(self, mass: float) -> PerClass[R]:
        """Return the same draws with HDIs of another mass."""
        return PerClass.of([row.with_mass(mass) for row in self.rows], self.fdr)


@dataclass(frozen=True, repr=False)
class Several(Rows):
    """Results that are written together, one after the other."""

    parts: tuple[Rows, ...]

    def all_rows(self) -> Sequence[Row]:
        """Return the rows of all parts."""
        return [row for part in self.parts for row in part.all_rows()]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the documented JSON of each row, in a list."""
        return [row.to_dict() for row in self.all_rows()]


def to_plain(value: Any) -> Any:
    """Return plain values of a dataclass: the fields that enter equality, tuples as lists."""
    if is_dataclass(value):
        return {f.name.rstrip("_"): to_plain(getattr(value, f.name)) for f in fields(value) if f.compare}
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    return value


def from_plain(kind: Any, data: dict[str, Any]) -> Any:
    """Return the dataclass that `to_plain` was given."""
    hints = get_type_hints(kind)
    given = [f for f in fields(kind) if f.compare and (f.name.rstrip("_") in data or f.default is MISSING)]
    known = [f.name for f in given]
    missing = [name.rstrip("_") for name in known if name.rstrip("_") not in data]
    if missing:
        raise ValueError(f"this is not a {kind.__name__}: it lacks {listing(missing)}")
    return kind(**{name: _restored(hints[name], data[name.rstrip("_")]) for name in known})


def _restored(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if hint is Signature:
        return Signature.read(value)
    nested = next((option for option in _options(hint) if is_dataclass(option)), None)
    if nested is not None:
        return tuple(from_plain(nested, x) for x in value) if isinstance(value, list) else from_plain(nested, value)
    return tuple(value) if isinstance(value, list) else value


def _options(hint: Any) -> Iterator[Any]:
    """Yield a type and all types that it is made of."""
    yield hint
    for part in get_args(hint):
        yield from _options(part)
