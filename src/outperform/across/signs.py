"""One difference for each data set: the Bayesian sign and signed-rank tests (Benavoli et al. 2014, 2017).

Sign: of data sets like these, some shares θ have a difference below, within and above the ROPE; (θ₋, θ₀, θ₊) is
Dirichlet with the counts seen, and a prior pseudo-count in one of them. The answer is how likely each share is the
largest, P(Gⱼ > the other two) for independent gammas G, one integral each.

Signed rank: differences come from a distribution with a Dirichlet process prior, so that its posterior puts random
weights w, Dirichlet, on the differences seen and on one pseudo-difference z₀ that stands for the prior. Of the means of
two differences that it would draw, shares θ lie below, within and above the ROPE:

    θ₊ = Σᵢⱼ wᵢ wⱼ [zᵢ + zⱼ > 2·high],   θ₋ = Σᵢⱼ wᵢ wⱼ [zᵢ + zⱼ < 2·low],   θ₀ = 1 − θ₊ − θ₋,

with half a count for pairs on the border. With the differences in order, the sum over j is a cumulative one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.random import SeedSequence
from numpy.typing import NDArray
from scipy.special import betainc, gammainc, gammainccinv, gammaincinv, gammaln

from outperform.across.regions import Center, Regions, largest
from outperform.data.contingency import FloatArray
from outperform.models.posterior import block_size, gammas, on_all_cores, stream
from outperform.verdicts.interval import Interval

__all__ = ["PLACES", "Sign", "SignedRank"]

PLACES = {"below": -inf, "rope": 0.0, "above": inf}  # where the prior's pseudo-difference is
TURNED = {"below": "above", "above": "below"}
BORDER = 1e-9  # differences this near to a border, against the largest score, are on it: scores are rounded
FAR, TINIEST = 1e-18, 1e-300  # tails that an integral leaves out, and the least number it begins at
NODES, PANELS = 16, 40  # of Gauss–Legendre quadrature, by which the integral is exact to rounding


@dataclass(frozen=True, eq=False)
class Signs:
    """Differences of data sets, the size of the scores that they are of, and the prior."""

    differences: FloatArray
    size: float  # the largest score
    strength: float
    place: str

    @property
    def slack(self) -> float:
        """Distance within which a difference counts as on the border."""
        return BORDER * self.size

    @property
    def settings(self) -> dict[str, object]:
        """The prior's strength and place."""
        return {"prior": f"{self.strength:g} {self.place}"}

    def center(self, rope: Interval | None, mass: float) -> Center | None:  # noqa: ARG002
        """None: signs and ranks have no mean."""
        return None


@dataclass(frozen=True, eq=False)
class Sign(Signs):
    """The sign test; exact."""

    method: str = "sign"

    def regions(self, rope: Interval | None) -> Regions:
        """How likely each share is the largest; without a ROPE, the larger of the outer two."""
        below, within, above = self._alpha(rope)
        if rope is None and below + above > 0:
            more = float(betainc(above, below, 0.5)) if below * above > 0 else float(below > 0)
            return Regions(more, 0.0, 1 - more)
        shares = [_leads(alpha, *others) for alpha, *others in ((below, within, above), (above, within, below))]
        return Regions(shares[0], max(1 - sum(shares), 0.0), shares[1])

    def next_data_set(self, rope: Interval | None) -> Regions | None:
        """The mean of the Dirichlet."""
        alpha = self._alpha(rope)
        below, within, above = (float(share) for share in alpha / alpha.sum())
        return Regions(below, within, above)

    def _alpha(self, rope: Interval | None) -> FloatArray:
        """Data sets below, within and above; those on the border are within."""
        low, high = rope or (0.0, 0.0)
        d = self.differences
        below, above = np.count_nonzero(d < low - self.slack), np.count_nonzero(d > high + self.slack)
        alpha = np.array([below, len(d) - below - above, above], dtype=np.float64)
        alpha[list(PLACES).index(self.place)] += self.strength
        return alpha


@dataclass(frozen=True, eq=False)
class SignedRank(Signs):
    """The signed-rank test, by independent draws of the weights; the same seed gives the same weights again."""

    draws: int
    seed: int
    method: str = "signed_rank"

    @property
    def settings(self) -> dict[str, object]:
        """The prior, and how it was drawn."""
        return super().settings | {"draws": self.draws, "seed": self.seed}

    def regions(self, rope: Interval | None) -> Regions:
        """How often each share is the largest."""
        below, above = self.shares(rope).T
        if rope is None:
            return Regions.of_draws(np.where(above > below, 2, 0))
        return largest(np.column_stack([below, 1 - below - above, above]))

    def shares(self, rope: Interval | None) -> FloatArray:
        """Draws of θ₋ and θ₊, of shape (draws, 2); exchanging the systems exchanges the two."""
        low, high = rope or (0.0, 0.0)
        if self.differences.sum() < 0:
            turned = replace(self, differences=-self.differences, place=TURNED.get(self.place, self.place))
            return turned.shares((-high, -low))[:, ::-1]
        z = np.append(self.differences, PLACES[self.place])
        order = np.argsort(z, kind="stable")
        z, alpha = z[order], np.append(np.ones(len(z) - 1), self.strength)[order]
        above = _partners(z, 2 * high, 2 * self.slack)
        below = len(z) - _partners(-z[::-1], -2 * low, 2 * self.slack)[:, ::-1]
        size, seed = block_size(4 * len(z)), SeedSequence(self.seed)

        def block(k: int) -> FloatArray:
            weight = np.empty((len(z), min(size, self.draws - k * size)))
            gammas(alpha, stream(seed, k), out=weight)
            ladder = np.zeros((len(z) + 1, weight.shape[1]))
            np.cumsum(weight, axis=0, out=ladder[1:])
            total = ladder[-1]
            more = total**2 - _paired(weight, ladder, above)
            less = _paired(weight, ladder, below)
            return np.asarray(np.stack([less, more], axis=1) / total[:, None] ** 2)

        return np.concatenate(list(on_all_cores(block, range(-(-self.draws // size)))))

    def next_data_set(self, rope: Interval | None) -> Regions | None:  # noqa: ARG002
        """None: these shares are of means of two data sets, not of one."""
        return None


def _partners(z: FloatArray, border: float, slack: float) -> NDArray[np.intp]:
    """For each of the ordered z, how many others make a sum that is short of the border, or at most on it."""
    return np.stack([np.searchsorted(z, border - z - slack), np.searchsorted(z, border - z + slack)])


def _paired(weight: FloatArray, ladder: FloatArray, ends: NDArray[np.intp]) -> FloatArray:
    """Σ over i of wᵢ times the weights that come before its end, where its two ends differ half of each."""
    total: FloatArray = np.einsum("ij,ij->j", weight, ladder[ends[0]])
    split = np.flatnonzero(ends[0] != ends[1])
    if len(split):
        between = ladder[ends[1][split]] - ladder[ends[0][split]]
        total += np.einsum("ij,ij->j", weight[split], between) / 2
    return total


def _leads(alpha: float, *others: float) -> float:
    """P(a gamma variable is larger than others): its density times their distributions, over its logarithm."""
    if alpha == 0:
        return 0.0
    low, high = (log(max(float(end), TINIEST)) for end in (gammaincinv(alpha, FAR), gammainccinv(alpha, FAR)))
    x, step = np.linspace(low, high, PANELS + 1, retstep=True)
    nodes, weights = leggauss(NODES)
    at = x[:-1, None] + step * (nodes + 1) / 2
    value = np.exp(alpha * at - np.exp(at) - gammaln(alpha))
    for rival in others:
        value = value * gammainc(rival, np.exp(at)) if rival > 0 else value
    return float(min((value @ weights).sum() * step / 2, 1.0))
