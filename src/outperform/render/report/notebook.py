"""A result in a notebook cell: the verdict card with its picture, everything else folded; without a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files

from outperform.formats import escaping, numbers, writers
from outperform.formats.table import Table
from outperform.render.card import score_rows
from outperform.render.report import svg
from outperform.render.report.exhibits import scrolled
from outperform.render.report.rows import row_of
from outperform.results import Card, Comparison, Result, card_of, views

__all__ = ["card_html", "comparison_snippet", "snippet"]

MOST_LINES = 4  # of a result without a lead


@views.snippet.of(Comparison)
def comparison_snippet(r: Comparison) -> str:
    """The card beside the posterior, the notes, and the papers' table folded."""
    shown = escaping.shown(r)
    card = card_of(shown)
    picture = "" if r.evidence is None else f"<figure>{svg.posterior(row_of('', r))}</figure>"
    answer = f'<div class="op-answer op-pair"><div>{card_html(card)}</div>{picture}</div>'
    terms = "".join(f"<p>{escape(text)}</p>" for text in (card.basis, *card.terms))
    return _cell(answer, _notes(shown.notes), _folded(r.tables(), terms, r.signature))


@views.snippet.of(Result)
def snippet(r: Result) -> str:
    """What a result comes to, its first table in a box that scrolls, and the others folded."""
    first, *others = r.tables()
    lines = [first.lead] if first.lead else repr(r).splitlines()[:MOST_LINES]
    said = "".join(f'<p class="op-verdict">{escape(line)}</p>' for line in lines)
    answer = f'<div class="op-answer">{said}</div>'
    return _cell(answer, _table(first), _notes(first.remarks), _folded(others, "", first.signature))


def card_html(card: Card) -> str:
    """The card: verdict, next step, scores, how sure."""
    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(name)}</bdi></th><td>{mean}</td><td>{hdi}</td></tr>'
        for name, _, mean, _, hdi in score_rows(card)
    )
    measure, level = escape(escaping.label(card.measure)), f"{100 * card.delta.mass:g}% HDI"
    return (
        f'<p class="op-verdict" data-verdict="{card.outcome}">{escape(card.headline)}</p>'
        f'<p class="op-next">{escape(card.next)}</p>'
        f'<table class="op-facts"><thead><tr><th scope="col">{measure}</th><th scope="col">mean</th>'
        f'<th scope="col">{level}</th></tr></thead><tbody>{rows}</tbody></table>'
        f'<p class="op-sure">{escape(card.sure)} {numbers.count(card.items)}.</p>'
    )


def _cell(*parts: str) -> str:
    """The parts under their style, of which nothing reaches beyond them."""
    style = "".join(
        files("outperform.render.report").joinpath("assets", name).read_text(encoding="utf-8")
        for name in ("report.css", "notebook.css")
    )
    return f'<div class="op op-cell-output"><style>{style}</style>{"".join(parts)}</div>'


def _notes(notes: Sequence[str]) -> str:
    said = "".join(f"<li>{escape(escaping.one_line(note))}</li>" for note in notes)
    return f'<ul class="op-notes">{said}</ul>' if said else ""


def _folded(tables: Sequence[Table], terms: str, signature: str) -> str:
    shown = "".join(map(_table, tables))
    signed = f"<p><code>{escape(signature)}</code></p>"
    return f"<details><summary>Details</summary>{terms}{shown}{signed}</details>"


def _table(table: Table) -> str:
    return scrolled(escaping.label(table.caption), writers.html(replace(table, remarks=(), signature="")))
