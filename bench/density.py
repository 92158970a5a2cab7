"""How good the posterior density of δ(F1) at 0 is, near the mean and far from it.

The truth comes from a rule without chance. The paired posterior is seven independent Betas. Six of
them are put on the nodes of a Gauss–Jacobi rule each. The seventh, the share of A-only among the
disagreements on positive items, is solved for: given the six, δ rises with it. More nodes must not
change the result; the table says by how much they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.random import SeedSequence
from scipy.special import betaln, xlog1py, xlogy

import outperform as op
from bench.harness import Row, at_most, exponent, minima, percent
from outperform.data.contingency import FloatArray
from outperform.inference.bayes_factor import conditional_density, kernel_density
from outperform.inference.densities import CONDITIONAL_DRAWS
from outperform.measures.of_counts import resolve
from outperform.models.binary import paired_posterior
from outperform.models.dirichlet import DirichletPosterior

__all__ = ["bench"]

SEEDS = 20
NODES, MORE_NODES = 10, 12
DRAWS = 50_000
REPEAT = 40
F1 = resolve("f1")


@dataclass(frozen=True)
class Table:
    """Items by outcome, in the order 11, 10, 01, 00, and how far 0 is from the mean in sd, about."""

    distance: int
    positive: tuple[int, int, int, int]
    negative: tuple[int, int, int, int]

    def posterior(self) -> DirichletPosterior:
        """The paired posterior under the uniform prior."""
        outcomes = {"a": [1, 1, 0, 0] * 2, "b": [1, 0, 1, 0] * 2}
        counts = op.Counts.from_labels([1] * 4 + [0] * 4, outcomes, n=[*self.positive, *self.negative])
        return paired_posterior(counts, op.Uniform())


TABLES = (
    Table(0, (200, 42, 38, 60), (30, 28, 22, 900)),
    Table(2, (200, 49, 31, 60), (30, 23, 27, 900)),
    Table(4, (200, 58, 22, 60), (30, 21, 29, 900)),
    Table(6, (200, 65, 15, 60), (30, 17, 33, 900)),
    Table(8, (200, 70, 10, 60), (30, 10, 40, 900)),
)


def bench() -> list[Row]:
    rows = [row for table in TABLES for row in _accuracy(table)]
    posterior = TABLES[-1].posterior()
    drawn = _delta(posterior, 0)
    ours, kernel = minima(lambda: _ours(posterior, 0), lambda: kernel_density(drawn), repeat=REPEAT)
    return [*rows, Row("time of one density, against the kernel's on draws at hand", ours, kernel)]


def _accuracy(table: Table) -> list[Row]:
    """Errors of ours and of the kernel, and what more nodes change."""
    posterior = table.posterior()
    drawn = [_delta(posterior, seed) for seed in range(SEEDS)]
    z = abs(drawn[0].mean()) / drawn[0].std()
    if abs(z - table.distance) > 0.25:
        raise ValueError(f"0 should lie {table.distance} sd from the mean, it lies {z:.2f}")
    truth, fewer = (quadrature(posterior, nodes) for nodes in (MORE_NODES, NODES))
    ours = _rms([_ours(posterior, seed) / truth - 1 for seed in range(SEEDS)])
    kernel = _rms([(kernel_density(delta) or 0.0) / truth - 1 for delta in drawn])
    bar = at_most(0.03, own=True) if table.distance == 6 else None
    return [
        Row(f"density at 0, {z:.1f} sd away: error, against Scott kernel's", ours, kernel, percent, bar),
        Row(f"    the truth changes by, {NODES} to {MORE_NODES} nodes", None, abs(fewer / truth - 1), exponent),
    ]


def _ours(posterior: DirichletPosterior, seed: int) -> float:
    segment = posterior.segment(F1, draws=CONDITIONAL_DRAWS, seed=SeedSequence(seed))
    found = None if segment is None else conditional_density(segment, F1)
    return float("nan") if found is None else found[0]


def _delta(posterior: DirichletPosterior, seed: int) -> FloatArray:
    drawn = posterior.scores(F1, draws=DRAWS, seed=SeedSequence(seed))
    delta: FloatArray = drawn[:, 0] - drawn[:, 1]
    return delta


def _rms(errors: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def quadrature(posterior: DirichletPosterior, nodes: int) -> float:
    """Density of δ(F1) at 0 by a tensor rule over six Betas, the seventh solved for.

    With t a classifier's rate on positive items, f on negative ones and c = f(1−μ)/μ, F1 is
    2t/(1+t+c), so the two are equal where t_A(1+c_B) = t_B(1+c_A): linear in the seventh Beta φ.
    The density is the mean of Beta(φ*)/δ'(φ*).
    """
    mu, negative, positive = posterior.blocks
    rules = [_gauss_jacobi(a, b, nodes) for a, b in (mu[::-1], *_tree(positive), *_tree(negative), negative[1:3])]
    m, differ, both, differ_negative, both_negative, a_only = np.ix_(*(x for x, _ in rules))
    odds, shared = (1 - m) / m, (1 - differ_negative) * both_negative
    c_a = odds * (shared + differ_negative * a_only)
    c_b = odds * (shared + differ_negative * (1 - a_only))
    agreed = (1 - differ) * both
    phi = (agreed / differ * (c_a - c_b) + 1 + c_a) / (2 + c_a + c_b)
    t_a, t_b = agreed + differ * phi, agreed + differ * (1 - phi)
    slope = 2 * differ * ((1 + c_a) / (1 + t_a + c_a) ** 2 + (1 + c_b) / (1 + t_b + c_b) ** 2)
    density = _beta_pdf(phi, *positive[1:3]) / slope
    return float(reduce(np.matmul, [w for _, w in reversed(rules)], density))


def _tree(block: FloatArray) -> tuple[tuple[float, float], tuple[float, float]]:
    """Betas of a Dirichlet over 11, 10, 01, 00: the disagreements, and 11 among the agreements."""
    return (block[1] + block[2], block[0] + block[3]), (block[0], block[3])


def _gauss_jacobi(a: float, b: float, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights for the mean of a function of a Beta(a, b) variable (Golub–Welsch).

    From the recurrence of the Jacobi polynomials, so that no gamma function can overflow.
    """
    total = a + b - 2
    k = np.arange(nodes)
    with np.errstate(invalid="ignore"):
        diagonal = (a - b) * total / ((2 * k + total) * (2 * k + total + 2))
    diagonal[0] = (a - b) / (total + 2)  # 0/0 above for a uniform variable
    k = k[1:]
    square = 4 * k * (k + a - 1) * (k + b - 1) * (k + total)
    square = square / ((2 * k + total) ** 2 * ((2 * k + total) ** 2 - 1))
    beside = np.diag(np.sqrt(square), 1)
    at, vectors = np.linalg.eigh(np.diag(diagonal) + beside + beside.T)
    return (1 + at) / 2, vectors[0] ** 2


def _beta_pdf(x: FloatArray, a: float, b: float) -> FloatArray:
    """Density of a Beta, 0 outside (0, 1)."""
    inside = (x > 0) & (x < 1)
    safe = np.where(inside, x, 0.5)
    density = np.exp(xlogy(a - 1, safe) + xlog1py(b - 1, -safe) - betaln(a, b))
    return np.where(inside, density, 0.0)
