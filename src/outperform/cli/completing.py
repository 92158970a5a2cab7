"""Completion in the shell: measures, and the columns of the file that was typed."""

from __future__ import annotations

from contextlib import suppress

import click

__all__ = ["columns", "measures"]


def measures(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Return the measures that begin so."""
    from outperform.measures.of_counts import MEASURES
    from outperform.measures.of_items import ITEM_MEASURES

    return sorted(name for name in (*MEASURES, *ITEM_MEASURES) if name.startswith(begun))


def columns(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Return the columns of the first file that begin so; none if it cannot be read."""
    from outperform.io import column_names

    files = ctx.params.get("files") or ctx.args  # click leaves words there while an option lacks its value
    with suppress(OSError, ValueError):
        return [name for name in column_names(files[0]) if name.startswith(begun)] if files else []
    return []
