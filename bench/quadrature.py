"""Could a comparison of two classes do without draws? Posteriors by quadrature beside 50,000 draws: error and time.

The package does not use this yet. It is right to 1e-5 where every kind of disagreement has some ten items or more;
with fewer the density has kinks that few nodes do not see, and the checks here do not find all of them.


A Dirichlet block is a tree of splits, each an independent Beta: of four outcomes 11, 10, 01, 00 of a pair, for example,
the share of agreements, of 11 among them, and of 10 among the disagreements. All splits but one are integrated by
Gauss–Jacobi rules. Given these, the contingency is linear in the last one, φ ~ Beta(a, b), so a measure that is a ratio
of sums of counts (F_β, precision, recall, accuracy, Jaccard, …) is (A + Bφ)/(1 + Cφ). A difference of two such scores
equals d where a quadratic in φ has a root, of which there is one where δ is monotone in φ, and

    f(d) = E[ Beta(φ(d); a, b) / |δ′(φ(d))| ]

The logarithm of f is nearly a parabola: a polynomial through some thirty of its values gives the whole density.

Which split is φ decides how many nodes the others need: the one that moves the score most. Where the ratio of what
split k moves to what φ moves is c, the error of n nodes falls as (c²/(1 + c²))ⁿ, that of Gauss–Hermite rules for a
normal density. Splits that move nothing take one node.

The answer is certified: the density must add up to 1, and its mean must be the difference of the two scores' means,
which are found by other rules. Where it is not, or a measure is no such ratio, there is no exact answer (None).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from math import ceil, log, sqrt
from time import process_time
from typing import Any, TypeAlias

import numpy as np
from numpy.random import SeedSequence
from scipy.linalg import eigh_tridiagonal
from scipy.optimize import brentq
from scipy.special import betaln, expit, logit

from outperform.data.contingency import Contingency, FloatArray
from outperform.measures.of_counts import MeasureFunction, resolve
from outperform.models.binary import contingency_of
from outperform.models.dirichlet import DirichletPosterior
from outperform.verdicts.interval import Interval, check_mass, hdi
from outperform.verdicts.marginal import Continuous

Tree: TypeAlias = Any  # a cell's number, or a pair of trees
Meaning: TypeAlias = Callable[[Sequence[FloatArray]], Contingency]

BOTH, FIRST, SECOND = ((0, 3), (1, 2)), ((0, 1), (2, 3)), ((0, 2), (1, 3))  # agreements; what one of the two predicts
ALONE = ((1, (2, (0, 3))), (2, (1, (0, 3))))  # one kind of disagreement against all else
LEAST = 0.2  # that φ moves, over the split that moves a score most
UNMOVED = 1e-9  # over what φ moves
OUTCOMES = ("11", "10", "01", "00")
FIRST_ALONE, SECOND_ALONE, DIFFERENCE = (1.0, 0.0), (0.0, 1.0), (1.0, -1.0)  # what is asked of the two scores
SHAPE = 3.0  # least weight of φ on either side: below, its density has kinks that nodes of others do not see
SMALL = 4.0  # weight below which a split is far from normal
PRECISIONS = ((1e-4, 1), (1e-6, 2), (1e-9, 4), (1e-13, 8))  # of a split's rule; more nodes where far from normal
MOST_NODES = 40_000
NEGLIGIBLE = 1e-10  # weight of a node, over the largest
LINEAR = 1e-9  # how far from (A + Bφ)/(1 + Cφ) a score may be
DEPTH = 22.0  # e-folds below the peak where a density ends
COARSE = 400  # nodes by which its ends are found
DEGREE, TAIL, ROUGHNESS = 40, 4, 1e-3  # of the polynomial: its last terms are small where the density is smooth
NODES = 2_001  # of the grid
MOMENT_NODES, MOMENTS = 16, (1, 2, 30, 300)  # nodes of φ; of each power, how much larger its error may be
AT_ONCE = 8_192  # nodes and values of d in one sweep of memory
CERTAIN = 1e-5  # by which a density may fail to add up to 1, and its moments those of the rule (standardised)


@dataclass(frozen=True, eq=False)
class Gridded(Continuous):
    """Known by its density on a grid, for a number between two bounds.

    The grid is uniform in t, where x = low + (high − low)/(1 + e^(−t)): there a density that is infinite at a bound, or
    falls to 0 as a power, fades exponentially, so that sums over the grid converge geometrically.

    Attributes
    ----------
    at : array of shape (nodes,)
        Values of t, an equal step apart, out to where nothing is left.
    density : array of shape (nodes,)
        Density of t there.
    bounds : (float, float)
        What the number lies between.
    """

    at: FloatArray
    density: FloatArray
    bounds: Interval

    @cached_property
    def _step(self) -> float:
        return float(self.at[1] - self.at[0])

    @cached_property
    def _slope(self) -> FloatArray:
        """Derivative of the density of t, by five points, of error step⁴; it is 0 at the ends, as the density is."""
        f, slope = self.density, np.zeros(len(self.density))
        slope[2:-2] = (8 * (f[3:-1] - f[1:-3]) - (f[4:] - f[:-4])) / (12 * self._step)
        return slope

    @cached_property
    def _share(self) -> FloatArray:
        """Distribution function at the nodes: the trapezoid rule with its first correction, of error step⁴."""
        f, step = self.density, self._step
        sums = np.concatenate([[0.0], np.cumsum((f[1:] + f[:-1]) / 2)]) * step - self._slope * step**2 / 12
        return np.maximum.accumulate(np.clip(sums, 0.0, None))

    @cached_property
    def values(self) -> FloatArray:
        """The number at the nodes."""
        return self._to_number(self.at)

    @cached_property
    def mean(self) -> float:
        """Expected value."""
        return float(self.values @ self.density) * self._step

    @cached_property
    def sd(self) -> float:
        """Standard deviation."""
        return sqrt(float((self.values - self.mean) ** 2 @ self.density) * self._step)

    def pdf(self, x: Any) -> FloatArray:
        """Return the density."""
        return np.exp(self._log_pdf(self._to_line(np.asarray(x, dtype=np.float64))))

    def cdf(self, x: Any) -> FloatArray:
        """Return the probability of at most x."""
        t = self._to_line(np.asarray(x, dtype=np.float64))
        return np.clip(self._between_nodes(t, self._share, self.density), 0.0, 1.0)

    def quantile(self, q: Any) -> FloatArray:
        """Return quantiles."""
        return self._to_number(self._t_of(np.asarray(q, dtype=np.float64)))

    def hdi(self, mass: float = 0.95) -> Interval:
        """Return the shortest interval; where the density rises up to a bound, one that ends there."""
        check_mass(mass)

        def excess(tail: Any) -> Any:
            """Log density at the lower end over that at the upper end: 0 where the interval is shortest."""
            low, high = self._t_of(np.asarray(tail)), self._t_of(np.asarray(tail) + mass)
            return self._log_pdf(low) - self._log_pdf(high)

        tails = np.linspace(0.0, 1 - mass, 101)[1:-1]
        rising = np.flatnonzero(excess(tails) > 0)
        place = int(rising[0]) if len(rising) else len(tails)
        low, high = (0.0, *tails)[place], (*tails, 1 - mass)[place]
        inside = 0 < place < len(tails)
        tail = brentq(excess, low, high, xtol=1e-13) if inside else _bisected(excess, low, high)
        start, end = self.quantile([tail, tail + mass])
        return float(start), float(end)

    def _to_line(self, x: FloatArray) -> FloatArray:
        low, high = self.bounds
        with np.errstate(divide="ignore"):
            return np.clip(logit(np.clip((x - low) / (high - low), 0.0, 1.0)), self.at[0], self.at[-1])

    def _to_number(self, t: FloatArray) -> FloatArray:
        low, high = self.bounds
        return np.asarray(low + (high - low) * expit(t))

    def _log_pdf(self, t: FloatArray) -> FloatArray:
        """Log density of the number, at t."""
        low, high = self.bounds
        density = np.maximum(self._between_nodes(t, self.density, self._slope), 1e-300)
        return np.log(density) - log(high - low) + np.logaddexp(0, t) + np.logaddexp(0, -t)

    def _t_of(self, q: FloatArray) -> FloatArray:
        """Quantiles of t: linear between nodes, then three steps of Newton's method on the cubic there."""
        t = np.interp(q, self._share, self.at)
        for _ in range(3):
            slope = self._between_nodes(t, self.density, self._slope)
            error = self._between_nodes(t, self._share, self.density) - q
            t = np.clip(t - np.divide(error, slope, out=np.zeros_like(t), where=slope > 1e-12), self.at[0], self.at[-1])
        return np.asarray(t)

    def _between_nodes(self, t: FloatArray, value: FloatArray, slope: FloatArray) -> FloatArray:
        """Cubic between nodes with these values and derivatives (Hermite)."""
        k = np.clip(((t - self.at[0]) / self._step).astype(np.int64), 0, len(self.at) - 2)
        u = (t - self.at[k]) / self._step
        rest = 1 - u
        return np.asarray(
            rest**2 * ((1 + 2 * u) * value[k] + u * self._step * slope[k])
            + u**2 * ((3 - 2 * u) * value[k + 1] - rest * self._step * slope[k + 1])
        )


def _bisected(excess: Callable[[float], FloatArray], low: float, high: float) -> float:
    """The tail at which the excess changes its sign, next to an end at which it may not be finite."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)
    return (low + high) / 2


@dataclass(frozen=True)
class Exact:
    """The posteriors of two scores and of their difference."""

    scores: tuple[Gridded, Gridded]
    difference: Gridded


def exact_scores(blocks: Sequence[FloatArray], meaning: Meaning, measure: MeasureFunction) -> Exact | None:
    """Return the posteriors of the scores of two classifiers; None where they cannot be had without draws."""
    if any(len(alpha) not in (2, 4) or alpha.min() <= 0 for alpha in blocks):
        return None
    first, second = (
        _gridded([Layout(blocks, _trees(blocks, tree), meaning, measure)], target)
        for target, tree in ((FIRST_ALONE, FIRST), (SECOND_ALONE, SECOND))
    )
    if first is None or second is None:
        return None
    (a, by_a), (b, by_b) = first, second
    mean = a.mean - b.mean
    if not by_a & by_b:  # no block moves both scores: they are independent
        delta = _independent(a, b)
        return None if delta is None else Exact((a, b), delta)
    both = _gridded([Layout(blocks, trees, meaning, measure) for trees in _pair_trees(blocks)], DIFFERENCE, mean)
    return None if both is None else Exact((a, b), both[0])


def _gridded(layouts: Sequence[Layout], target: Interval, mean: float | None = None) -> tuple[Gridded, set[int]] | None:
    """The density on a grid and the blocks that move it: by the rule with the fewest nodes that is certain."""
    for precision in PRECISIONS:
        rules = (rule for layout in layouts for rule in _rules(layout, target, *precision))
        best = min(rules, key=lambda rule: rule.size, default=None)
        if best is None or best.size > MOST_NODES or best.ratios is None:
            return None
        found = best.gridded()
        if found is not None and best.ratios.agree(found, mean):
            return found, best.moved
    return None


def _trees(blocks: Sequence[FloatArray], tree: Tree) -> tuple[Tree, ...]:
    return tuple((0, 1) if len(alpha) == 2 else tree for alpha in blocks)


def _pair_trees(blocks: Sequence[FloatArray]) -> Iterator[tuple[Tree, ...]]:
    """Trees by which a difference may be split: by agreement; or in one block by one kind of disagreement alone."""
    usual = _trees(blocks, BOTH)
    yield usual
    for k, alpha in enumerate(blocks):
        if len(alpha) == len(OUTCOMES):
            yield from ((*usual[:k], tree, *usual[k + 1 :]) for tree in ALONE)


@dataclass(frozen=True, eq=False)
class Layout:
    """The blocks as trees of splits, and what values of all splits amount to."""

    blocks: Sequence[FloatArray]
    trees: tuple[Tree, ...]
    meaning: Meaning
    measure: MeasureFunction

    @cached_property
    def splits(self) -> tuple[tuple[int, float, float], ...]:
        """Block and weights of each split, in the order of `_fill`."""
        return tuple(
            (k, *beta)
            for k, (alpha, tree) in enumerate(zip(self.blocks, self.trees, strict=True))
            for beta in _betas(tree, alpha)
        )

    def scores(self, values: Sequence[FloatArray]) -> FloatArray:
        """Scores at values of all splits, of shape (2, points)."""
        rest, filled = iter(values), []
        for alpha, tree in zip(self.blocks, self.trees, strict=True):
            cells = np.empty((len(alpha), len(values[0])))
            _fill(cells, tree, rest, np.ones(len(values[0])))
            filled.append(cells)
        return np.asarray(self.measure(self.meaning(filled))).T

    @cached_property
    def moves(self) -> tuple[FloatArray, FloatArray]:
        """Scores at the means of all splits, of shape (2,), and how far an sd of each moves them, (splits, 2)."""
        a, b = np.array([split[1:] for split in self.splits]).T
        mean = a / (a + b)
        sd = np.sqrt(mean * (1 - mean) / (a + b + 1))
        low, high = np.maximum(mean - sd, 0.05 * mean), np.minimum(mean + sd, 1 - 0.05 * (1 - mean))
        points = np.tile(mean, (1 + 2 * len(mean), 1))
        k = np.arange(len(mean))
        points[1 + k, k], points[1 + len(mean) + k, k] = low, high
        scores = self.scores(list(points.T)).T
        slope = (scores[1 + len(mean) :] - scores[1 : 1 + len(mean)]) / (high - low)[:, None]
        return scores[0], slope * sd[:, None]


def _betas(tree: Tree, alpha: FloatArray) -> Iterator[Interval]:
    """Weights of each split of a tree: all of the left side, all of the right."""
    if not isinstance(tree, int):
        left, right = tree
        yield float(alpha[_leaves(left)].sum()), float(alpha[_leaves(right)].sum())
        yield from _betas(left, alpha)
        yield from _betas(right, alpha)


def _leaves(tree: Tree) -> list[int]:
    return [tree] if isinstance(tree, int) else [*_leaves(tree[0]), *_leaves(tree[1])]


def _fill(cells: FloatArray, tree: Tree, splits: Iterator[FloatArray], share: FloatArray) -> None:
    """Cells of a tree with this share of its block."""
    if isinstance(tree, int):
        cells[tree] = share
        return
    split = next(splits)
    _fill(cells, tree[0], splits, share * split)
    _fill(cells, tree[1], splits, share * (1 - split))


def _rules(layout: Layout, target: Interval, precision: float, more: int) -> Iterator[Mixture]:
    """One rule for each split that may be φ."""
    moved = np.abs(layout.moves[1] @ np.array(target))
    for phi, (_, a, b) in enumerate(layout.splits):
        if min(a, b) >= SHAPE and moved[phi] > LEAST * moved.max() > 0:
            nodes = [
                _nodes(c, precision, more if min(split[1:]) < SMALL else 0)
                for c, split in zip(moved / moved[phi], layout.splits, strict=True)
            ]
            yield Mixture(layout, target, phi, (*nodes[:phi], 1, *nodes[phi + 1 :]))


def _nodes(c: float, precision: float, more: int) -> int:
    """Nodes of the rule of a split that moves the score c times as much as φ does."""
    return 1 if c < UNMOVED else ceil(log(precision) / log(c * c / (1 + c * c))) + 1 + more


@dataclass(frozen=True, eq=False)
class Mixture:
    """The density of a score, or of a difference, as a mixture over nodes of all splits but φ."""

    layout: Layout
    target: Interval
    phi: int
    nodes: tuple[int, ...]

    @property
    def size(self) -> float:
        """Number of nodes."""
        return float(np.prod(self.nodes, dtype=np.float64))

    @property
    def moved(self) -> set[int]:
        """Blocks that move it."""
        far = np.abs(self.layout.moves[1] @ np.array(self.target)) > 0
        return {block for (block, _, _), moves in zip(self.layout.splits, far, strict=True) if moves}

    @cached_property
    def ratios(self) -> Ratios | None:
        """What the score is at every node, as a function of φ; None where it is no monotone ratio."""
        rules = [
            (np.zeros(1), np.ones(1)) if k == self.phi else beta_rule(a, b, n)
            for k, ((_, a, b), n) in enumerate(zip(self.layout.splits, self.nodes, strict=True))
        ]
        weight = reduce(np.multiply.outer, (weights for _, weights in rules)).ravel()
        order = np.argsort(-weight, kind="stable")  # the heaviest first, by which the ends are found
        order = order[weight[order] > NEGLIGIBLE * weight[order[0]]]
        values = [x.ravel()[order] for x in np.meshgrid(*(x for x, _ in rules), indexing="ij")]

        def at(share: float) -> FloatArray:
            values[self.phi] = np.full(len(order), share)
            return self.layout.scores(values)

        _, a, b = self.layout.splits[self.phi]
        return Ratios.of(at, self.target, weight[order] / weight[order].sum(), a, b)

    def gridded(self) -> Gridded | None:
        """The density on a grid; None where it is not certain."""
        ratios = self.ratios
        if ratios is None:
            return None
        bounds = (0.0, 1.0) if min(self.target) == 0 and ratios.least >= 0 else (-1.0, 1.0)
        center, moves = self.layout.moves
        mean, sd = float(center @ self.target), float(np.sqrt(((moves @ np.array(self.target)) ** 2).sum()))
        return _on_grid(ratios.density, bounds, mean, sd)


@dataclass(frozen=True, eq=False)
class Ratios:
    """Scores (A + Bφ)/(1 + Cφ) at each node, A, B and C of shape (2, nodes), their weights, and φ ~ Beta(a, b).

    Of a single score the second is 0. The difference rises with φ, or falls, at every node (`sign`).
    """

    weight: FloatArray
    a: float
    b: float
    start: FloatArray
    numerator: FloatArray
    denominator: FloatArray
    least: float
    sign: float

    @classmethod
    def of(
        cls, at: Callable[[float], FloatArray], target: Interval, weight: FloatArray, a: float, b: float
    ) -> Ratios | None:
        """Fit A, B and C to the scores at φ = 0, ½ and 1, and see whether they hold at ¼; None where they do not."""
        keep = np.array([[abs(t) for t in target]]).T
        zero, quarter, half, one = (keep * at(share) for share in (0.0, 0.25, 0.5, 1.0))
        if not np.isfinite(zero + quarter + half + one).all():
            return None
        bend = zero - 2 * half + one
        c = np.divide(bend, half - one, out=np.zeros_like(bend), where=np.abs(bend) > 1e-14)
        b_ = one * (1 + c) - zero
        if np.abs((zero + b_ / 4) / (1 + c / 4) - quarter).max() > LINEAR or c.min() <= -1:
            return None
        least = float(np.minimum(zero, one).min())
        if target == SECOND_ALONE:
            zero, b_, c = zero[::-1], b_[::-1], c[::-1]
        first, second = b_ - zero * c  # slopes at φ = 0; they keep their signs
        sign = 1.0 if first[0] > second[0] else -1.0
        monotone = (sign * first >= 0) & (sign * second <= 0) & (first != second)
        return cls(weight, a, b, zero, b_, c, least, sign) if monotone.all() else None

    def agree(self, found: Gridded, mean: float | None) -> bool:
        """Whether a density has the moments that the rule gives, and the mean that is known.

        Moments are smooth in all splits, so that few nodes give them nearly exactly, also where they do not yet give
        the density.
        """
        shares, weights = beta_rule(self.a, self.b, MOMENT_NODES)
        values = (self.start[0] + self.numerator[0] * shares[:, None]) / (1 + self.denominator[0] * shares[:, None])
        values -= (self.start[1] + self.numerator[1] * shares[:, None]) / (1 + self.denominator[1] * shares[:, None])
        away = (values - found.mean) / found.sd
        grid, step = (found.values - found.mean) / found.sd, found.at[1] - found.at[0]
        for power, slack in enumerate(MOMENTS, 1):
            known = float(weights @ (away**power) @ self.weight)
            if abs(known - float(grid**power @ found.density) * step) > slack * CERTAIN:
                return False
        return mean is None or abs(found.mean - mean) <= CERTAIN * found.sd

    @cached_property
    def _terms(self) -> tuple[Any, ...]:
        """What the quadratic at d is made of: (p₂ − d q₂) φ² + (p₁ − d q₁) φ + (p₀ − d) = 0; and slopes at φ = 0."""
        (a, e), (b, f), (c, g) = self.start, self.numerator, self.denominator
        log_weight = np.log(self.weight) - betaln(self.a, self.b)
        return b * g - f * c, c * g, b + a * g - f - e * c, c + g, a - e, c, g, b - a * c, f - e * g, log_weight

    def density(self, d: FloatArray, heaviest: int | None = None) -> FloatArray:
        """The density at each d, by all nodes or by the heaviest."""
        terms = [term[:heaviest] for term in self._terms]
        size = max(1, AT_ONCE // len(terms[0]))
        return np.concatenate([self._at(d[k : k + size, None], terms) for k in range(0, len(d), size)])

    def _at(self, d: FloatArray, terms: list[FloatArray]) -> FloatArray:
        """The density at some values of d, of shape (values, 1)."""
        p2, q2, p1, q1, p0, c, g, rise, fall, log_weight = terms
        square, linear, constant = p2 - d * q2, p1 - d * q1, p0 - d
        root = linear * linear
        root -= 4 * square * constant
        np.sqrt(np.maximum(root, 0.0, out=root), out=root)
        root *= self.sign
        root += linear
        with np.errstate(divide="ignore", invalid="ignore"):
            phi = -2 * constant / root
        inside = (phi > 0) & (phi < 1)
        phi[~inside] = 0.5
        slope = rise / (1 + c * phi) ** 2
        slope -= fall / (1 + g * phi) ** 2
        log_density = (self.a - 1) * np.log(phi)
        log_density += (self.b - 1) * np.log1p(-phi)
        log_density += log_weight
        density = np.exp(log_density, out=log_density)
        density /= np.abs(slope)
        return np.asarray((density * inside).sum(axis=1))


def _independent(a: Gridded, b: Gridded) -> Gridded | None:
    """The density of the difference of two independent scores."""
    weight = a.density * (a.at[1] - a.at[0])

    def density(d: FloatArray, heaviest: int | None = None) -> FloatArray:
        step = 8 if heaviest else 1
        x, w = a.values[::step], step * weight[::step]
        return np.array([w @ b.pdf(x - value) for value in d])

    return _on_grid(density, (-1.0, 1.0), a.mean - b.mean, float(np.hypot(a.sd, b.sd)))


def _on_grid(density: Callable[..., FloatArray], bounds: Interval, mean: float, sd: float) -> Gridded | None:
    """A density on a grid of t: a polynomial through its logarithm at Chebyshev nodes, made to add up to 1."""
    low, width = bounds[0], bounds[1] - bounds[0]

    def log_density(t: FloatArray, heaviest: int | None = None) -> FloatArray:
        share = expit(t)
        found = density(low + width * share, heaviest) * width * share * (1 - share)
        return np.log(np.maximum(found, 1e-300))

    share = (mean - low) / width
    center, scale = float(logit(share)), sd / width / (share * (1 - share))
    far = center + scale * np.linspace(-12, 12, 25)
    coarse = log_density(far, COARSE)
    there = np.flatnonzero(coarse > coarse.max() - DEPTH)
    start, end = far[max(there[0] - 1, 0)], far[min(there[-1] + 1, len(far) - 1)]
    nodes, transform = _chebyshev(DEGREE)
    series = transform @ log_density((start + end) / 2 + (end - start) / 2 * nodes)
    at = np.linspace(start, end, NODES)
    found = np.exp(np.polynomial.chebyshev.chebval(np.linspace(-1, 1, NODES), series))
    whole = float(found.sum()) * (at[1] - at[0])
    smooth = np.abs(series[-TAIL:]).max() < ROUGHNESS
    return Gridded(at, found / whole, bounds) if smooth and abs(whole - 1) < CERTAIN else None


@lru_cache
def _chebyshev(degree: int) -> tuple[FloatArray, FloatArray]:
    """Nodes on [−1, 1], and the matrix that makes values there into coefficients."""
    angle = np.pi * (np.arange(degree) + 0.5) / degree
    transform = 2 / degree * np.cos(np.outer(np.arange(degree), angle))
    transform[0] /= 2
    return np.cos(angle), transform


def beta_rule(a: float, b: float, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of the Gauss–Jacobi rule for Beta(a, b), by the eigenvalues of its Jacobi matrix.

    scipy's rule has the weights of (1 − x)ᵇ⁻¹(1 + x)ᵃ⁻¹ without its norm, which overflows for some thousand items.
    """
    k, p, q = np.arange(nodes, dtype=np.float64), b - 1, a - 1
    total = 2 * k + p + q
    with np.errstate(divide="ignore", invalid="ignore"):  # the first of each has a form of its own
        diagonal = (q * q - p * p) / (total * (total + 2))
        squares = 4 * k * (k + p) * (k + q) * (k + p + q) / (total**2 * (total + 1) * (total - 1))
    diagonal[0] = (q - p) / (p + q + 2)
    squares[1:2] = 4 * (1 + p) * (1 + q) / ((2 + p + q) ** 2 * (3 + p + q))
    values, vectors = eigh_tridiagonal(diagonal, np.sqrt(squares[1:]))
    return (1 + values) / 2, vectors[0] ** 2


TABLES = (
    ((40, 12, 7, 6), (5, 8, 6, 120)),
    ((400, 40, 30, 60), (50, 60, 40, 2_000)),
    ((4_000, 300, 200, 500), (300, 500, 600, 20_000)),
    ((900, 30, 5, 20), (10, 3, 2, 5_000)),
    ((10, 4, 3, 4), (3, 4, 4, 20)),
)
DRAWS = 50_000
MANY = 4_000_000


def main() -> None:
    """Print, for each table, how far both ways are from many draws, in standard deviations, and their time."""
    f1 = resolve("f1")
    print(
        "outcomes 11 10 01 00 of positives, negatives      quadrature: HDI ends, P(δ<0)   draws: the same   time, ratio"
    )
    for positive, negative in TABLES:
        mu = np.array([sum(negative) + 1.0, sum(positive) + 1.0])
        posterior = DirichletPosterior((mu, np.array(negative) + 0.5, np.array(positive) + 0.5), contingency_of)
        exact_scores(posterior.blocks, posterior.meaning, f1)
        start = process_time()
        answer = exact_scores(posterior.blocks, posterior.meaning, f1)
        ours = process_time() - start
        start = process_time()
        few = _delta(posterior, f1, DRAWS, 1)
        drawn = (*hdi(few), float((few < 0).mean()))
        theirs = process_time() - start
        many = _delta(posterior, f1, MANY, 2)
        truth, sd = np.array([*hdi(many), (many < 0).mean()]), np.array([many.std(), many.std(), 1])
        print(f"{positive!s:24} {negative!s:24}", end=" ")
        if answer is None:
            print("no answer")
            continue
        found = np.array([*answer.difference.hdi(), answer.difference.below(0.0)])
        off = " ".join(" ".join(f"{x:8.5f}" for x in np.abs(own - truth) / sd) for own in (found, np.array(drawn)))
        print(f"{off}   {1e3 * ours:.0f} ms, {ours / theirs:.2f}")


def _delta(posterior: DirichletPosterior, measure: MeasureFunction, draws: int, seed: int) -> FloatArray:
    scores = posterior.scores(measure, draws=draws, seed=SeedSequence(seed))
    return np.ascontiguousarray(scores[:, 0] - scores[:, 1])


if __name__ == "__main__":
    main()
