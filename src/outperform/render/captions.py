"""Captions of tables for a paper: what is shown, what is bold, and what the signs mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from outperform.formats import escaping, numbers
from outperform.results import Comparison
from outperform.results.card import measured
from outperform.verdicts.decision import OUTCOMES
from outperform.verdicts.interval import Interval

__all__ = ["brief", "capital", "explained", "intervals", "joined", "label_of", "margin", "marks", "titled"]

TITLES = {
    "f1": "F1", "f2": "F2", "f0.5": "F0.5", "mcc": "MCC", "npv": "NPV", "kappa": "Cohen's kappa", "ece": "ECE",
    "error_rate": "error rate", "balanced_accuracy": "balanced accuracy", "g_mean": "G-mean", "roc_auc": "ROC AUC",
    "average_precision": "average precision", "log_loss": "log loss", "brier": "Brier score", "r2": "R²", "mae": "MAE",
    "mse": "MSE", "ndcg": "nDCG", "mrr": "MRR",
}  # fmt: skip
SIGNS = {
    "better": "better",
    "worse": "worse",
    "equivalent": "practically the same",
    "slightly_better": "unresolved, leans better",
    "slightly_worse": "unresolved, leans worse",
    "undecided": "unresolved",
}
LABEL = 40  # characters of a label


def capital(text: str) -> str:
    """A text that begins with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


def titled(r: Any) -> str:
    """The measure as papers write it, with its average: macro F1."""
    name = str(r.measure)
    return measured(r).removesuffix(name) + TITLES.get(name, name)


def margin(rope: Interval) -> str:
    """A ROPE in short: ±0.05, or its two ends."""
    low, high = rope
    return f"±{high:g}" if low == -high else f"[{low + 0.0:+g}, {high + 0.0:+g}]"


def brief(name: object) -> str:
    """A name as it is shown in sentences."""
    return escaping.label(name)


def joined(*sentences: str) -> str:
    """Sentences as one text; empty ones are left out."""
    return " ".join(f"{text}." for text in sentences if text)


def intervals(mass: float, keys: Sequence[str]) -> str:
    """Say what stands beside the scores."""
    parts = [
        "the posterior mean" if "mean" in keys else "",
        f"the {100 * mass:g}% highest density interval (HDI)" if any("interval" in key for key in keys) else "",
        f"± the distance to the farther end of the {100 * mass:g}% highest density interval (HDI)"
        if "half" in keys
        else "",
    ]
    shown = " and ".join(filter(None, parts))
    return f"as observed, with {shown}" if shown else "as observed"


def explained(rows: Sequence[Comparison]) -> list[str]:
    """Say by what the two are distinguished, what is bold, and how many verdicts are expected to be wrong."""
    first = rows[0]
    rope = "" if first.region is None else margin(first.region)
    place = f"outside the region of practical equivalence (ROPE), {rope}" if rope else "above or below 0"
    bold = f"Bold: the better system, where the HDI of the difference lies {place}"
    if not any(row.leader for row in rows):
        found = f"no HDI of a difference lies {place}" if len(rows) > 1 else f"the HDI of the difference is not {place}"
        bold = f"No score is bold: {found}"
    return [bold, _wrong(first)]


def _wrong(first: Comparison) -> str:
    verdicts = first.verdicts
    if verdicts is None or verdicts.rows < 2 or not verdicts.given:
        return ""
    return f"Expected number of wrong verdicts: {numbers.expected(verdicts.expected_wrong)} of {verdicts.given:,}"


def marks(rows: Sequence[Comparison], heads: tuple[str, str]) -> str:
    """Say what the signs of the verdicts mean that occur, on the first of two against the second."""
    names = {row.decision.name for row in rows if row.decision}
    signs = "; ".join(f"{OUTCOMES[name][0]} {words}" for name, words in SIGNS.items() if name in names)
    return f"{heads[0]} against {heads[1]}: {signs}" if signs else ""


def label_of(*words: str) -> str:
    """A label that the text refers to, of letters that every engine takes."""
    return f"tab:{re.sub('[^a-z0-9]+', '-', ' '.join(words).lower())[:LABEL].strip('-')}"
