"""The verdict card as text, as Markdown and as HTML for notebooks."""

from __future__ import annotations

from outperform.formats import escaping, numbers, writers
from outperform.formats.table import Column, Table
from outperform.render.layout import aligned
from outperform.results import Card

__all__ = ["card_markdown", "card_text", "next_line", "score_rows"]


def card_text(card: Card, width: int | None) -> list[str]:
    """The card as paragraphs: verdict and next step, scores, how sure."""
    head = [escaping.label(card.measure), "observed", "mean", "sd", f"{100 * card.delta.mass:g}% HDI"]
    return [f"{card.headline}\n{next_line(card.next)}", aligned([head, *score_rows(card)], width), card.sure]


def next_line(sentence: str) -> str:
    """What to do next, as a line; empty if nothing is."""
    return f"Next: {sentence[0].lower()}{sentence[1:]}" if sentence else ""


def card_markdown(card: Card) -> str:
    """The card for a comment: verdict, next step, a table of the scores, how sure."""
    head = [Column(card.measure, "l"), Column("observed"), Column("mean"), Column(f"{100 * card.delta.mass:g}% HDI")]
    rows = [[name, observed, mean, hdi] for name, observed, mean, _, hdi in score_rows(card)]
    said = f"**{escaping.markdown(card.headline)}**", escaping.markdown(card.next)
    facts = f"{card.sure} {numbers.count(card.items)}."
    return "\n\n".join([*said, writers.markdown_grid(Table(head, rows)), escaping.markdown(facts)])


def score_rows(card: Card) -> list[list[str]]:
    """Name, observed value, mean, sd and HDI of both scores and of their difference."""
    digits, d = card.digits, card.delta
    rows = [
        [s.name, *(numbers.score(x, digits) for x in (s.observed, s.mean, s.sd)), numbers.interval(s.hdi, digits)]
        for s in (card.a, card.b)
    ]
    moved = [numbers.signed(x, digits) for x in (d.observed, d.mean)]
    rows.append(["difference", *moved, numbers.score(d.sd, digits), numbers.interval(d.hdi, digits, difference=True)])
    return rows
