"""What the papers' Markov chains of 50,000 draws tell, and whether ours have settled."""

from __future__ import annotations

from math import pi, sqrt

from outperform.results import Comparison

__all__ = ["chain_error", "settled"]

DRAWS = 50_000


def chain_error(factor: float, prior: float, sd: float, effective: int) -> float:
    """The Monte-Carlo error of a Bayes factor by kernel densities.

    Parameters
    ----------
    factor : float
        As printed.
    prior : float
        The density of δ at 0 before the data.
    sd : float
        Of δ after the data; the kernel is as wide as Scott's rule says.
    effective : int
        Independent draws that the chain is worth.
    """
    height, width = factor * prior, sd * DRAWS**-0.2
    return factor * sqrt(1 / (2 * sqrt(pi)) / (effective * width * height)) if height else 0.0


def settled(r: Comparison) -> bool:
    """Whether the two halves of the draws have the same mean, to four Monte-Carlo errors."""
    delta = r.draws[:, 0] - r.draws[:, 1]
    half = len(delta) // 2
    return bool(abs(delta[:half].mean() - delta[half:].mean()) < 4 * 2 * r.delta.mc_error)
