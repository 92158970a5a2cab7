"""Quadrature rules for averages over independent variables, most of them Beta: values and weights.

`beta_rule` is Gauss–Jacobi, exact for polynomials. `log_odds_rule` is the trapezoid rule in the log-odds, which
converges geometrically also for functions that behave as powers near 0 and 1. `merged` replaces many values by few with
the same moments. `sparse` combines rules of several variables without the full grid of their products (Smolyak 1963):
of all grids with k_j + 1 nodes of variable j it takes those with Σ rate_j k_j ≤ depth, where an extra node of variable
j divides its error by exp(rate_j).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp, lgamma, log, log1p, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from outperform.data.contingency import FloatArray

__all__ = [
    "Rule", "beta_rule", "kappa_rule", "log_odds_ends", "log_odds_rule", "merged", "merged_each", "sparse",
    "sparse_size", "window",
]  # fmt: skip

Rule: TypeAlias = tuple[FloatArray, FloatArray]

DEPTH = 40.0  # e-folds below the peak where a density ends
MOST_MADE, MOST_LOG = 10_000, 40.0  # grids of a sparse rule that are made to be counted, and log of a number
ATOMS = 10  # of B₋ and of B₊
FEW = 6.0  # weight below which Gauss–Jacobi rules of a logarithm are inaccurate
EXHAUSTED = 1e-10  # what is left of a function when all values of a discrete distribution are used
AROUND = np.arange(-12.0, 13.0)  # values around the best so far, in steps
ZOOMS = 2
REACH = np.geomspace(1e-4, 1.0, 40)  # of a peak, in units of all that is possible
STEP = 0.3  # of log-odds, at most: the error is about exp(−π²/step)


def beta_rule(a: float, b: float, nodes: int) -> Rule:
    """Return the Gauss–Jacobi rule for Beta(a, b), by the eigenvalues of its Jacobi matrix.

    SciPy's rule has the weights of (1 − x)ᵇ⁻¹(1 + x)ᵃ⁻¹ without its norm, which overflows for some thousand items.
    """
    if nodes == 1:
        return np.array([a / (a + b)]), np.ones(1)
    k, p, q = np.arange(nodes, dtype=np.float64), b - 1, a - 1
    total = 2 * k + p + q
    with np.errstate(divide="ignore", invalid="ignore"):  # the first of each has a form of its own
        diagonal = (q * q - p * p) / (total * (total + 2))
        squares = 4 * k * (k + p) * (k + q) * (k + p + q) / (total**2 * (total + 1) * (total - 1))
    diagonal[0] = (q - p) / (p + q + 2)
    squares[1] = 4 * (1 + p) * (1 + q) / ((2 + p + q) ** 2 * (3 + p + q))
    values, weights = _gauss(diagonal, np.sqrt(squares[1:]))
    return (1 + values) / 2, weights


def _gauss(diagonal: FloatArray, off: FloatArray) -> Rule:
    """Return the rule of a Jacobi matrix (Golub and Welsch 1969)."""
    values, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off, -1))  # of which the lower half is read
    return values, vectors[0] ** 2


def log_odds_ends(a: float, b: float, depth: float = DEPTH) -> tuple[float, float]:
    """Return where the density of the log-odds of Beta(a, b) is `depth` e-folds below its peak."""
    p, mode = a / (a + b), log(a / b)
    ends = []
    for side in (-1.0, 1.0):
        away = sqrt(2 * depth * (1 / a + 1 / b))
        while (a + b) * _grown(p, side * away) - a * side * away < depth:
            away *= 1.2
        ends.append(mode + side * away)
    return ends[0], ends[1]


def _grown(p: float, away: float) -> float:
    """Return log(1 − p + p·exp(away)), for large `away` too."""
    return log1p(p * (exp(away) - 1)) if away < 30 else log(p) + away + log1p((1 - p) / p * exp(-away))


def log_odds_rule(a: float, b: float) -> Rule:
    """Return log-odds of Beta(a, b), equally spaced, and their weights."""
    low, high = log_odds_ends(a, b)
    at = np.arange(low, high, min(STEP, sqrt(1 / a + 1 / b) / 3))
    log_density = a * log_expit(at) + b * log_expit(-at)
    weight = np.exp(log_density - log_density.max())
    return at, weight / weight.sum()


def window(
    log_density: Callable[[FloatArray], FloatArray], ends: tuple[float, float], rows: int, depth: float
) -> tuple[FloatArray, FloatArray]:
    """Return, per row, where a function of one peak is `depth` e-folds below it.

    Parameters
    ----------
    log_density : function
        Of values of shape (rows, any number), a row for each function.
    ends : (float, float)
        Between which all peaks lie.
    """
    step = (ends[1] - ends[0]) / (len(AROUND) - 1)
    middle, every = np.full((rows, 1), (ends[0] + ends[1]) / 2), np.arange(rows)
    peak = np.zeros(rows)
    for _ in range(ZOOMS):
        at = middle + step * AROUND
        found = log_density(at)
        best = np.argmax(found, axis=1)
        middle, peak = at[every, best][:, None], found[every, best]
        step *= 4 / (len(AROUND) - 1)
    reach = (ends[1] - ends[0]) * REACH
    far = log_density(np.hstack([middle - reach, middle + reach])) < (peak - depth)[:, None]
    far[:, [len(reach) - 1, -1]] = True
    low, high = (np.argmax(side, axis=1) for side in (far[:, : len(reach)], far[:, len(reach) :]))
    return middle[:, 0] - reach[low], middle[:, 0] + reach[high]


def merged(values: FloatArray, weights: FloatArray, nodes: int) -> Rule:
    """Return the Gauss rule of a discrete distribution, by Lanczos' method: `nodes` values with its first moments."""
    return merged_each(values, weights, [nodes])[0]


def merged_each(values: FloatArray, weights: FloatArray, sizes: Sequence[int]) -> list[Rule]:
    """Return the Gauss rules of several numbers of nodes, the largest last."""
    middle = float(weights @ values)
    spread = sqrt(float(weights @ (values - middle) ** 2))
    if sizes[-1] == 1 or spread <= 1e-13 * max(abs(middle), 1e-300):
        return [(np.array([middle]), np.ones(1)) for _ in sizes]
    x = (values - middle) / spread
    basis, diagonal, off = np.empty((sizes[-1] + 1, len(x))), list[float](), list[float]()
    basis[0] = np.sqrt(weights)
    for k in range(sizes[-1]):
        ahead = x * basis[k]
        diagonal.append(float(basis[k] @ ahead))
        ahead -= (basis[: k + 1] @ ahead) @ basis[: k + 1]  # orthogonal to all, also after rounding
        norm = sqrt(float(ahead @ ahead))
        if norm < EXHAUSTED:
            break
        off.append(norm)
        basis[k + 1] = ahead / norm
    rules = []
    for size in (min(size, len(diagonal)) for size in sizes):
        found, shares = _gauss(np.array(diagonal[:size]), np.array(off[: size - 1]))
        rules.append((middle + spread * found, shares))
    return rules


@lru_cache(maxsize=16)
def kappa_rule(parts: tuple[tuple[float, float], ...]) -> Callable[[int], Rule]:
    """Return the rules of log κ, κ = B₋/B₊ with B₋ ~ Beta(first part) and B₊ ~ Beta(second part)."""
    values, weights = np.zeros(1), np.ones(1)
    for sign, (a, b) in zip((1.0, -1.0), parts, strict=True):
        if b > 0:
            share, weight = beta_rule(a, b, ATOMS)
            at = np.log(share)
            if a < FEW:  # log has a pole at 0, where there is some weight
                at, weight = log_odds_rule(a, b)
                at, weight = merged(np.asarray(log_expit(at)), weight, ATOMS)
            values = np.add.outer(values, sign * at).ravel()
            weights = np.multiply.outer(weights, weight).ravel()
    return cache(lambda nodes: merged(values, weights, nodes))


def sparse(
    rules: Sequence[Callable[[int], Rule]], rates: Sequence[float], depth: float
) -> tuple[FloatArray, FloatArray]:
    """Return points, of shape (variables, points), and weights, some of them negative.

    Without variables there is one point.

    Parameters
    ----------
    rules : sequence of functions
        From a number of nodes to the rule of one variable.
    rates : sequence of float
        By how many e-folds a further node lowers the error of each variable.
    depth : float
        By how many e-folds the error is to fall.
    """
    layout = _layout(tuple(rates), depth)
    points, weights = np.empty((len(rules), len(layout.factors))), layout.factors.copy()
    for j, (rule, index, most) in enumerate(zip(rules, layout.index, layout.most, strict=True)):
        every = [rule(nodes) for nodes in range(1, most + 1)]
        values, shares = (np.concatenate(parts) for parts in zip(*every, strict=True))
        points[j] = values[index]
        weights *= shares[index]
    return points, weights


@dataclass(frozen=True, eq=False)
class _Layout:
    """The factor of each point, its place among the nodes of all rules of a variable, and the most nodes of each."""

    factors: FloatArray
    index: list[NDArray[np.int64]]
    most: list[int]


@lru_cache(maxsize=16)
def _layout(rates: tuple[float, ...], depth: float) -> _Layout:
    counts, factors = _combination(rates, depth)
    sizes = counts + 1
    total = sizes.prod(axis=1)
    term = np.repeat(np.arange(len(total)), total)
    place = np.arange(len(term)) - np.repeat(np.cumsum(total) - total, total)
    index = []
    for column in sizes.T:
        size = column[term]
        index.append(size * (size - 1) // 2 + place % size)  # the rule with n nodes begins after 1 + 2 + … + (n − 1)
        place //= size
    return _Layout(factors[term], index, sizes.max(axis=0, initial=1).tolist())


def sparse_size(rates: Sequence[float], depth: float) -> int:
    """Return the number of points of `sparse`; of very many, a smaller number that is found without making them."""
    # There are at least as many grids, which are points of whole numbers in a simplex, as its volume.
    volume = exp(min(len(rates) * log(depth) - sum(map(log, rates)) - lgamma(len(rates) + 1), MOST_LOG))
    if volume > MOST_MADE:
        return int(volume)
    return int((_combination(tuple(rates), depth)[0] + 1).prod(axis=1).sum())


@lru_cache(maxsize=16)
def _combination(variables: tuple[float, ...], depth: float) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the grids k with Σ rate_j k_j ≤ depth and the factor of each, where it is not 0.

    The factor is Σ (−1)^|e| over all e of zeros and ones for which k + e is such a grid too.
    """
    rates = np.array(variables)
    found = np.zeros((1, 0), dtype=np.int64)
    for rate in rates:
        more = np.arange(int(depth / rate) + 1)
        found = np.column_stack([np.repeat(found, len(more), axis=0), np.tile(more, len(found))])
        found = found[found @ rates[: found.shape[1]] <= depth]
    steps = (np.arange(2 ** len(rates))[:, None] >> np.arange(len(rates))) & 1
    within = (found @ rates)[:, None] + steps @ rates <= depth
    factor = within @ (1.0 - 2.0 * (steps.sum(axis=1) % 2))
    return found[factor != 0], factor[factor != 0]
