"""Numerical integration of the paired model, sharing no code with the package: the tests' second opinion.

The posterior of a pair is a product of seven Betas: μ; and for the positive and for the negative items
the share of 11 or 00 (agreement), of 11 within it, and of 10 among the disagreements.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]


def beta_rule(a: float, b: float, nodes: int) -> tuple[Array, Array]:
    """Gauss–Jacobi nodes and weights for the Beta(a, b) distribution (Golub and Welsch)."""
    k = np.arange(nodes)
    p, q = b - 1, a - 1  # exponents of (1 - x) and (1 + x)
    s = 2 * k + p + q
    with np.errstate(invalid="ignore", divide="ignore"):
        diagonal = (q * q - p * p) / (s * (s + 2))
        squares = 4 * k * (k + p) * (k + q) * (k + p + q) / (s * s * (s + 1) * (s - 1))
    diagonal[0] = (q - p) / (p + q + 2)
    squares[1] = 4 * (1 + p) * (1 + q) / ((2 + p + q) ** 2 * (3 + p + q))
    off = np.sqrt(squares[1:])
    values, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off, 1) + np.diag(off, -1))
    return (1 + values) / 2, vectors[0] ** 2


class Pair:
    """Quadrature over everything but the share of 10 among the disagreements on positive items.

    `prior` is of each class, `outcomes` of what a pair predicts; as the light prior has them if not given.
    """

    def __init__(
        self,
        positive: Sequence[float],
        negative: Sequence[float],
        nodes: int = 8,
        prior: float = 0.7,
        outcomes: float = 0.35,
    ) -> None:
        p, n = np.asarray(positive) + outcomes, np.asarray(negative) + outcomes
        total = sum(positive), sum(negative)
        self.a, self.b = p[1], p[2]
        betas = [
            (total[0] + prior, total[1] + prior),
            *((t[0] + t[3], t[1] + t[2]) for t in (p, n)),
            *((t[0], t[3]) for t in (p, n)),
            (n[1], n[2]),
        ]
        rules = [beta_rule(a, b, nodes) for a, b in betas]
        grid = (x.ravel() for x in np.meshgrid(*(x for x, _ in rules), indexing="ij"))
        self.weight = reduce(np.multiply.outer, (w for _, w in rules)).ravel()
        mu, agree_p, agree_n, both_p, both_n, self.share_n = grid
        self.mu = mu
        self.hit, self.open = mu * agree_p * both_p, mu * (1 - agree_p)
        self.false, self.open_n = (1 - mu) * agree_n * both_n, (1 - mu) * (1 - agree_n)

    def f1(self, phi: Any) -> tuple[Array, Array]:
        """F1 of both, for a share φ of 10 among the disagreements on positives."""
        scores = []
        for share, share_n in ((phi, self.share_n), (1 - phi, 1 - self.share_n)):
            hit = self.hit + share * self.open
            scores.append(2 * hit / (self.mu + hit + self.false + share_n * self.open_n))
        return scores[0], scores[1]

    def moments(self, nodes: int = 12) -> tuple[float, float]:
        """Mean and standard deviation of δ."""
        first = second = 0.0
        for phi, weight in zip(*beta_rule(self.a, self.b, nodes), strict=True):
            a, b = self.f1(phi)
            first += weight * float(self.weight @ (a - b))
            second += weight * float(self.weight @ (a - b) ** 2)
        return first, float(np.sqrt(second - first**2))

    def solve(self, at: float) -> Array:
        """φ with δ = at, in closed form; 0 or 1 where δ is always above or below.

        With u = hit + φ open, v = T − u, p and q the other terms of the denominators: 2u / (p + u) − 2v / (q + v) = at
        is quadratic in u. Where both denominators are above 0, δ rises with u: one root lies there, and it is this one.
        """
        total = 2 * self.hit + self.open
        p, q = (self.mu + self.false + share * self.open_n for share in (self.share_n, 1 - self.share_n))
        linear = 2 * (p + q) - at * (q + total - p)
        constant = p * (2 * total + at * (q + total))
        u = 2 * constant / (linear + np.sqrt(linear**2 + 4 * at * constant))
        return np.asarray(np.clip((u - self.hit) / self.open, 0, 1))

    def cdf(self, at: float) -> float:
        """P(δ ≤ at)."""
        return float(self.weight @ special.betainc(self.a, self.b, self.solve(at)))

    def pdf(self, at: float) -> float:
        """Density of δ."""
        phi, step = self.solve(at), 1e-5
        (a, b), (c, d) = self.f1(phi + step), self.f1(phi - step)
        slope = ((a - b) - (c - d)) / (2 * step)
        log_beta = special.xlogy(self.a - 1, phi) + special.xlog1py(self.b - 1, -phi) - special.betaln(self.a, self.b)
        inside = (phi > 1e-9) & (phi < 1 - 1e-9)
        return float(self.weight @ np.where(inside, np.exp(log_beta) / slope, 0.0))
