"""The verdict card as HTML: names are isolated, so that one written right to left leaves the rest alone."""

from __future__ import annotations

import re
from html import escape

from outperform.base.sentences import Words
from outperform.formats import escaping, numbers
from outperform.render.card import score_rows
from outperform.results import Card, Comparison, card_of
from outperform.results.card import NAMES
from outperform.results.words import typed

__all__ = ["card_html", "facts", "template", "worded"]


def template(r: Comparison, words: Words) -> Card:
    """The card with placeholders for the names of the two systems."""
    return card_of(r, NAMES, words)


def facts(r: Comparison) -> list[tuple[str, str, str]]:
    """Name, mean and HDI of both scores and of their difference."""
    return [(escaping.label(name), mean, hdi) for name, _, mean, _, hdi in score_rows(card_of(r))]


def card_html(r: Comparison, words: Words = typed, *, basis: bool = False, longest: int | None = None) -> str:
    """The card: verdict, next step, scores, how sure; with `basis`, what it rests on in place of the items alone.

    With `longest`, the card is for long names: the verdict is in words alone, and the measure has so many characters.
    """
    card = template(r, words)

    def said(text: str) -> str:
        return worded(text, r)

    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(name)}</bdi></th><td>{mean}</td><td>{hdi}</td></tr>'
        for name, mean, hdi in facts(r)
    )
    named, verdict = escaping.label(card.measure), card.headline
    if longest is not None:
        named, verdict = escaping.shorten(named, longest), card.verdict
    measure, level = escape(named), f"{100 * card.delta.mass:g}% HDI"
    rest = (
        f'</p><p class="op-basis">{escape(escaping.one_line(card.basis))}.'
        if basis
        else f" {numbers.count(card.items)}."
    )
    return (
        f'<p class="op-verdict" data-verdict="{card.outcome}" role="status">{said(verdict)}</p>'
        f'<p class="op-next">{said(card.next)}</p>'
        f'<table class="op-facts"><thead><tr><th scope="col" class="op-measure">{measure}</th><th scope="col">mean</th>'
        f'<th scope="col">{level}</th></tr></thead><tbody>{rows}</tbody></table>'
        f'<p class="op-sure">{said(card.sure)}{rest}</p>'
    )


def worded(text: str, r: Comparison) -> str:
    """A template with the names of the two systems in it."""
    names = (f"<bdi>{escape(escaping.label(score.name))}</bdi>" for score in (r.a, r.b))
    isolated = dict(zip(NAMES, names, strict=True))
    return "".join(isolated.get(part, escape(part)) for part in re.split(r"(\{[ab]\})", text))
