"""The density of the difference δ of two paired scores where no cell is small: Laplace's method, and its correction.

The cube root of a gamma is nearly normal (Wilson and Hilferty 1931). With x_i = a_i y_i³, and the common scale of all
cells integrated out, the density of y on a plane is, up to a constant,

    Π y_i^(3a_i − 1) / S^A,    S = Σ a_i y_i³,  A = Σ a_i

On the surface δ = d it is highest at one point, which Newton's method finds. On the plane that touches the surface
there, in units of the curvature of the log density along the surface, the density is nearly that of independent
standard normal variables t. Laplace's method takes it for that. The correction is the mean of their ratio, by a sparse
grid of Gauss–Hermite rules; over each point of the plane, Newton's method finds the point of the surface.

The variables t move δ only by the curvature of the surface, so few points suffice, and the more items there are, the
fewer. The ratio is nearly the same for all d, and what is the same cancels when the density is normalised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import lgamma, log, log1p, pi, sqrt

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.polynomial.hermite_e import hermegauss

from outperform.data.contingency import FloatArray
from outperform.models.exact.ratio import Cells, alike
from outperform.models.exact.rules import Rule, kappa_rule, sparse
from outperform.models.exact.separate import DEPTH
from outperform.models.exact.smooth import TERMS, Smooth, Stretch, interpolated, nodes

__all__ = ["Laplace", "Surface"]

PLACES, CORRECTED = 40, 13  # values of δ at which its density is computed, and at which it is corrected
REACH = 7.0  # sd from the centre at which the density ends
ROUGH = 1e-4  # last terms of the polynomial through its log
BULK = 1e-6  # of the largest density, within which it is corrected
LEVELS = (2.01, 3.01, 4.01)  # depths of the sparse grids: powers of t, halved, of which means are right
CLOSE, HOPELESS = 2e-5, 2e-4  # up to which two of them agree, in units of the largest density; a level gains a tenth
SAME = 1e-3  # relative error that may be the same for all δ
RIGHT = 1e-5  # sd by which the mean may be wrong
FARTHEST = 15.0  # sd from the centre at which the density is computed at 0
SMALLEST = 10.0  # shape of a cell, below which the correction seldom converges
NEWTON, SOLVED = 8, 1e-7  # steps to the highest points; what is left of the gradient, in units of a normal density's
ALONG = 2  # steps along a normal
FLAT = 0.2  # curvature of the log density along a surface, in units of a normal density's, below which it has no peak
PER_LEVEL = 6.0  # e-folds by which a node of κ has to lower the error to be worth a level; rounded down to halves
UNMOVED, MOST_LEVELS = 1e-9, 20.0  # sd by a κ that takes one node


@dataclass(frozen=True, eq=False)
class Laplace:
    """The density of δ.

    Attributes
    ----------
    alpha : array of shape (cells,)
        Shapes of the gammas.
    negative : array of shape (cells,)
        1 for cells that κ multiplies, else 0.
    forms : array of shape (cells, 4)
        What a cell adds to the numerator and the denominator of the first score, and to those of the second.
    parts : tuple
        Of κ.
    """

    alpha: FloatArray
    negative: FloatArray
    forms: FloatArray
    parts: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, cells: Cells) -> Laplace | None:
        """Return the density; None if a cell is small."""
        cells = cells.counted()
        below = cells.gain + cells.loss
        kinds, alpha = alike(np.array([cells.gain[0], below[0], cells.gain[1], below[1], cells.negative]), cells.alpha)
        if len(alpha) < 3 or alpha.min() < SMALLEST:
            return None
        return cls(alpha, kinds[4], np.ascontiguousarray(kinds[:4].T), cells.parts)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of δ, roughly."""
        return float(np.sqrt(((self._middle[1] @ self._axes) ** 2).sum()))

    @cached_property
    def centre(self) -> float:
        """δ at the means of all variables."""
        return float(self._middle[0][0])

    @cached_property
    def _middle(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self._delta(self._origin[None])

    @np.errstate(invalid="ignore", divide="ignore")  # a point beyond y = 0 has no density, and nothing is certain then
    def posterior(self, mean: float) -> tuple[Smooth, float | None] | None:
        """Return the posterior of δ, which has this mean, and its density at 0, or None if 0 is very far out.

        None if it is not certain: two rules for the correction have to agree, but for what is the same for all d, and
        the mean has to be right.
        """
        stretch = Stretch(self.centre - REACH * self.spread, self.centre + REACH * self.spread)
        d = stretch.number(nodes(PLACES))
        if max(-stretch.low, stretch.high) >= 1 or (surface := self.surface(np.append(d, self._near_zero))) is None:
            return None
        corrected = self._corrected(surface)
        if corrected is None:
            return None
        logs, at_zero = corrected
        wide, transform = interpolated(PLACES)
        found = Smooth((stretch,), (np.exp(logs @ wide.T) * stretch.slope(nodes(TERMS)))[None])
        ended = logs.max() - logs[[0, -1]].max() > DEPTH
        if not ended or np.abs(logs @ transform[-3:].T).max() > ROUGH or abs(found.mass - 1) > SAME:
            return None
        posterior = found.normalised()
        if abs(posterior.mean - mean) > RIGHT * self.spread:
            return None
        return posterior, (float(at_zero[0]) / found.mass if len(at_zero) else None)

    @property
    def _near_zero(self) -> FloatArray:
        """0, if it is not very far out."""
        return np.zeros(int(abs(self.centre) < FARTHEST * self.spread))

    def _corrected(self, surface: Surface) -> tuple[FloatArray, FloatArray] | None:
        """Return the log densities, and the density at 0 if it is known; None if they are not certain."""
        logs = surface.log_density
        bulk = np.flatnonzero(logs[:PLACES] > logs[:PLACES].max() + log(BULK))
        some = [*np.linspace(bulk[0], bulk[-1], CORRECTED).round().astype(int).tolist(), *range(PLACES, len(logs))]
        height = np.exp(logs[some] - logs[:PLACES].max())[:CORRECTED]
        few = surface.ratio(some, LEVELS[0])
        for level in LEVELS[1:]:
            more = surface.ratio(some, level)
            off = (few - more)[:CORRECTED]
            off = np.abs(off - height @ off / height.sum()) * height
            if off.max() < CLOSE:
                at_zero = np.exp(logs[PLACES:]) * more[CORRECTED:]
                places = nodes(PLACES)[some[:CORRECTED]]
                return logs[:PLACES] + np.log(_through(places, more[:CORRECTED], nodes(PLACES))), at_zero
            if off.max() > HOPELESS:
                return None
            few = more
        return None

    def surface(self, d: FloatArray) -> Surface | None:
        """Return the points of highest density where δ = d; None if one is not found."""
        y0, axes, size = self._origin, self._axes, len(self.alpha) - 1
        slope = self._middle[1][0] @ axes
        w = np.outer(d - self.centre, slope / (slope @ slope))
        pull = (w @ slope / (slope @ slope))[:, None]
        matrix = np.zeros((len(d), size + 1, size + 1))
        for _ in range(NEWTON):
            y = y0 + w @ axes.T
            delta, slope, bend = self._delta(y)
            fall, curve = self._fall(y)
            slope, rest = slope @ axes, fall @ axes
            matrix[:, :size, :size] = axes.T @ (curve - pull[:, :, None] * bend) @ axes
            matrix[:, :size, size] = matrix[:, size, :size] = -slope
            left = np.column_stack([pull * slope - rest, delta - d])
            if np.abs(left).max() < SOLVED:
                return Surface.of(self, d, w, slope, matrix[:, :size, :size])
            step = np.linalg.solve(matrix, left[..., None])[..., 0]
            w, pull = w + step[:, :size], pull + step[:, size:]
        return None

    def log_density(self, y: FloatArray) -> FloatArray:
        """Return the log density on the plane, by its axes, of y of shape (cells, …)."""
        a, flat = self.alpha, y.reshape(len(y), -1)
        found = (3 * a - 1) @ np.log(flat) - a.sum() * np.log(a / a.sum() @ (flat * flat * flat)) + self._constant
        return np.asarray(found.reshape(y.shape[1:]))

    def along(self, y: FloatArray, normal: FloatArray, factors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return δ and its derivative along a direction of y, given what multiplies the cells; cells come first."""
        x = factors * y * y
        of_scores = self.forms.T * self.alpha
        n1, m1, n2, m2 = np.tensordot(of_scores, x * y, 1)
        x *= 3 * normal
        v1, w1, v2, w2 = np.tensordot(of_scores, x, 1)
        first, second = n1 / m1, n2 / m2
        return first - second, (v1 - first * w1) / m1 - (v2 - second * w2) / m2

    def grid(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return values of t, and of log κ, of shape (variables, points), and their weights."""
        return sparse(*self._rules, level)

    @cached_property
    def _rules(self) -> tuple[list[Callable[[int], Rule]], list[float]]:
        """Rules of the variables, and the levels that a further node of each is worth."""
        normal: list[Callable[[int], Rule]] = [_hermite] * (len(self.alpha) - 2)
        if not self.parts:
            return normal, [1.0] * len(normal)
        at, weight = kappa_rule(self.parts)(2)
        moved = float(weight @ (at - weight @ at) ** 2) ** 0.5 * self._by_kappa / self.spread
        rate = max(0.5, int(2 / PER_LEVEL * log1p(1 / moved**2)) / 2) if moved > UNMOVED else MOST_LEVELS
        return [*normal, kappa_rule(self.parts)], [1.0] * len(normal) + [rate]

    @cached_property
    def _by_kappa(self) -> float:
        """The derivative of δ by log κ, typically: it depends on y, and may be 0 at the means."""
        _, (slope,), (bend,) = self._middle
        by_log = self.negative / 3  # of log y
        there, away = slope @ (self._origin * by_log), (bend @ (self._origin * by_log) + slope * by_log) @ self._axes
        return sqrt(float(there**2 + away @ away))

    @cached_property
    def _origin(self) -> FloatArray:
        """The means of y."""
        return 1 - 1 / (9 * self.alpha)

    @cached_property
    def _axes(self) -> FloatArray:
        """Axes of the plane, across the ray from y = 0 to its means, in units of sd, of shape (cells, cells − 1)."""
        unit = 1 / (3 * np.sqrt(self.alpha))
        away = self._origin / unit
        return np.asarray(unit[:, None] * np.linalg.qr(away[:, None], mode="complete")[0][:, 1:])

    @cached_property
    def _constant(self) -> float:
        a = self.alpha
        away = sqrt(float(self._origin @ (9 * a * self._origin)))
        per_cell = (x * log(x) - lgamma(x) - log(x) / 2 for x in map(float, a))
        total = float(a.sum())
        return float(sum(per_cell)) + log(away / 3) + lgamma(total) - total * log(total)

    @cached_property
    def _factors(self) -> FloatArray:
        """What multiplies the cells at the mean of log κ."""
        log_kappa = float(kappa_rule(self.parts)(1)[0][0]) if self.parts else 0.0
        return np.asarray(np.exp(log_kappa * self.negative))

    def _fall(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the first and second derivatives of minus the log density by y."""
        a, total = self.alpha, self.alpha.sum()
        part = 3 * a * y * y
        whole = (part * y).sum(axis=1, keepdims=True) / 3
        curve = -total * (part / whole)[:, :, None] * (part / whole)[:, None]
        diagonal = np.arange(len(a))
        curve[:, diagonal, diagonal] += (3 * a - 1) / y**2 + 2 * total * part / (y * whole)
        return total * part / whole - (3 * a - 1) / y, curve

    def _delta(self, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return δ and its first and second derivatives by y."""
        scale = self.alpha * self._factors
        x1 = 3 * scale * y * y
        n1, m1, n2, m2 = ((x1 * y) @ (self.forms / 3)).T[..., None]
        v1, w1, v2, w2 = self.forms.T
        first, second = (v1 - n1 / m1 * w1) / m1 * x1, (v2 - n2 / m2 * w2) / m2 * x1
        slope = first - second
        bend = second[:, :, None] * (w2 / m2 * x1)[:, None] - first[:, :, None] * (w1 / m1 * x1)[:, None]
        bend = bend + bend.transpose(0, 2, 1)
        diagonal = np.arange(len(scale))
        bend[:, diagonal, diagonal] += 2 * slope / y
        return (n1 / m1 - n2 / m2)[:, 0], slope, bend


@dataclass(frozen=True, eq=False)
class Surface:
    """Surfaces of equal δ, at their points of highest density.

    Attributes
    ----------
    d, peak, log_density : arrays of shape (surfaces,)
        δ; the log of what is integrated over the surface, at the point; and that of the density, by Laplace's method.
    y, normal : arrays of shape (cells, surfaces)
        The point, and the unit vector across the surface.
    tangent : array of shape (cells, surfaces, cells − 2)
        The variables t.
    """

    delta: Laplace
    d: FloatArray
    peak: FloatArray
    log_density: FloatArray
    y: FloatArray
    normal: FloatArray
    tangent: FloatArray

    @classmethod
    def of(cls, delta: Laplace, d: FloatArray, w: FloatArray, slope: FloatArray, curve: FloatArray) -> Surface | None:
        """Return the surfaces at points of the plane, given derivatives by its axes; None if one has no clear peak."""
        steep = np.sqrt((slope**2).sum(axis=1))
        normal = slope / steep[:, None]
        mirror = normal.copy()  # Householder's, which puts the first axis on the normal, and the others on the surface
        mirror[:, 0] += np.where(mirror[:, 0] < 0, -1.0, 1.0)
        mirror /= np.sqrt((mirror**2).sum(axis=1))[:, None]
        others = (np.eye(w.shape[1]) - 2 * mirror[:, :, None] * mirror[:, None])[:, :, 1:]
        found, turned = np.linalg.eigh(others.transpose(0, 2, 1) @ curve @ others)
        if (found < FLAT).any():
            return None
        y = (delta._origin + w @ delta._axes.T).T
        peak = delta.log_density(y) - np.log(steep)
        size = found.shape[1] / 2 * log(2 * pi) - np.log(found).sum(axis=1) / 2
        tangent = (delta._axes @ others @ (turned / np.sqrt(found)[:, None])).transpose(1, 0, 2)
        return cls(delta, d, peak, peak + size, y, delta._axes @ normal.T, tangent)

    def ratio(self, some: list[int], level: float) -> FloatArray:
        """Return the true density over that by Laplace's method, at some of the surfaces."""
        points, weights = self.delta.grid(level)
        t, factors = points, np.ones(1)
        if self.delta.parts:
            t, factors = points[:-1], np.exp(np.multiply.outer(self.delta.negative, points[-1]))[:, None]
        y = self.y[:, some, None] + self.tangent[:, some] @ t
        d, normal = self.d[some, None], self.normal[:, some, None]
        for _ in range(ALONG):
            found, slope = self.delta.along(y, normal, factors)
            y += (d - found) / slope * normal
        slope = self.delta.along(y, normal, factors)[1]
        log_ratio = self.delta.log_density(y) - np.log(slope) + (t**2).sum(axis=0) / 2 - self.peak[some, None]
        return np.asarray(np.exp(log_ratio) @ weights)


def _through(places: FloatArray, values: FloatArray, at: FloatArray) -> FloatArray:
    """Return a polynomial through values at some places; a bend beyond them would show everywhere."""
    degree = len(places) - 1
    return np.asarray(chebvander(at, degree) @ np.linalg.solve(chebvander(places, degree), values))


@cache
def _hermite(nodes: int) -> Rule:
    values, weights = hermegauss(nodes)
    return values, weights / weights.sum()
