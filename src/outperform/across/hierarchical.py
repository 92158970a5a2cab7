"""Two classifiers on several data sets, with scores of every fold: a hierarchy of Student's t (Corani et al. 2017).

The differences x of data set i, n of them, are normal around μᵢ with variance σᵢ² and correlation ρ between any two.
The means μᵢ are Student's t around μ₀ with scale σ₀ and ν degrees of freedom, of which heavy tails let a few data sets
be unlike the others. Priors, in the paper's form: σᵢ uniform; μ₀ uniform up to the largest difference seen; σ₀ uniform
up to 1,000 times the spread of the data sets' means; ν − 1 gamma with shape uniform on (0.5, 5) and rate uniform on
(0.05, 0.15).

Nothing is sampled on the way to the posterior. With σᵢ integrated out, the likelihood of μᵢ is a Student's t with n − 2
degrees of freedom. Both t's are normals whose variances vary, so that the likelihood of (μ₀, σ₀, ν) is

    Lᵢ = Σ over u, w of p(u) p(w) N(μ₀ − x̄ᵢ; sᵢ²/u + σ₀²/w),

and a sum over equal steps of log u and log w gives it to many digits. The posterior is computed on a grid of (μ₀,
log σ₀, log(ν − 1)) that is narrowed to where it lives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, log, sqrt

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.random import Generator, SeedSequence
from scipy.special import gammaln, stdtr

from outperform.across.regions import Center, Regions, largest
from outperform.data.contingency import FloatArray
from outperform.models.posterior import stream
from outperform.verdicts.interval import ROUNDING, Interval, hdi

__all__ = ["HierarchicalT"]

SHAPE, RATE = (0.5, 5.0), (0.05, 0.15)  # of the gamma prior of ν − 1
WIDEST = 1_000  # σ₀, in spreads of the data sets' means
NEGLIGIBLE = 1e-7  # of the posterior's height, beyond which the grid ends
TAIL = 12.0  # a sum over log w ends where terms have fallen by e⁻¹²
TINY = 1e-300  # in place of a likelihood that underflows, whose logarithm is needed
MOST_NUMBERS = 2**21  # that a step holds, 16 MiB
FEWEST, MOST = 41, 801  # values of μ₀
FREEDOM = np.linspace(log(2e-3), log(300), 17)  # log(ν − 1)


@dataclass(frozen=True, eq=False)
class Data:
    """The data sets in units of their mean spread: means, scales of their t, its degrees of freedom, bounds."""

    mean: FloatArray
    scale: FloatArray
    freedom: int
    furthest: float  # |μ₀|
    widest: float  # σ₀
    unit: float


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of μ₀ and of log σ₀² in equal steps, and the posterior's weight at each with each ν."""

    mu: FloatArray
    log_variance: FloatArray
    weight: FloatArray  # (μ₀, σ₀, ν), sums to 1

    def marginal(self, axis: int) -> FloatArray:
        """The weights of one of the three."""
        weight: FloatArray = self.weight.sum(axis=tuple(k for k in range(3) if k != axis))
        return weight


@dataclass(frozen=True, eq=False)
class HierarchicalT:
    """The posterior: draws of μ₀, σ₀ and ν in the scores' unit, and each data set's mean and sd."""

    mu: FloatArray
    sigma: FloatArray
    nu: FloatArray
    means: FloatArray
    sds: FloatArray
    rho: float
    seed: int
    method: str = "hierarchical"

    @classmethod
    def of(cls, differences: FloatArray, rho: float, *, draws: int, seed: int) -> HierarchicalT:
        """Compute the posterior from differences of shape (data sets, scores), and draw from it.

        Exchanging the systems turns the draws around and changes nothing else.
        """
        if differences.sum() < 0:
            turned = cls.of(-differences, rho, draws=draws, seed=seed)
            return replace(turned, mu=-turned.mu, means=-turned.means)
        data = _standardised(differences, rho)
        grid = _located(data)
        mu, sigma, nu = _drawn(grid, data, draws, stream(SeedSequence(seed), 0))
        means, sds = _shrunken(data, grid)
        unit = data.unit
        return cls(mu * unit, sigma * unit, nu, means * unit, sds * unit, rho, seed)

    @property
    def settings(self) -> dict[str, object]:
        """The correlation, the hyperpriors, and how it was drawn."""
        prior = f"nu-1~gamma({SHAPE[0]:g}..{SHAPE[1]:g},{RATE[0]:g}..{RATE[1]:g})"
        return {"rho": f"{self.rho:g}", "prior": prior, "draws": len(self.mu), "seed": self.seed}

    def regions(self, rope: Interval | None) -> Regions:
        """How often the next data set's difference is likeliest to lie below, within and above (the paper's answer)."""
        shares = self.shares(rope)
        return Regions.of_draws(np.where(shares[:, 2] > shares[:, 0], 2, 0)) if rope is None else largest(shares)

    def shares(self, rope: Interval | None) -> FloatArray:
        """Draw by draw, how likely the next data set's difference lies below, within and above; shape (draws, 3)."""
        low, high = rope or (0.0, 0.0)
        below = stdtr(self.nu, (low - self.mu) / self.sigma)
        above = stdtr(self.nu, (self.mu - high) / self.sigma)
        return np.column_stack([below, np.maximum(1 - below - above, 0), above])

    def center(self, rope: Interval | None, mass: float) -> Center:
        """The mean over data sets, μ₀."""
        low, high = rope or (0.0, 0.0)
        where = np.where(self.mu < low, 0, np.where(self.mu > high, 2, 1))
        return Center(float(self.mu.mean()), float(self.mu.std()), hdi(self.mu, mass), Regions.of_draws(where))

    def next_data_set(self, rope: Interval | None) -> Regions:
        """The mean of those shares."""
        below, within, above = (float(share) for share in self.shares(rope).mean(axis=0))
        return Regions(below, within if rope else 0.0, above)


def _standardised(x: FloatArray, rho: float) -> Data:
    """In units of the mean sd. A data set without spread is given that of the data set with the least."""
    n = x.shape[1]
    sd = x.std(axis=1)
    sd = np.maximum(sd, sd[sd > ROUNDING * np.abs(x).max()].min())
    unit = float(sd.mean())
    mean = x.mean(axis=1) / unit
    scale = sd / unit * sqrt((1 + (n - 1) * rho) / (1 - rho) / (n - 2))
    spread = float(mean.std())
    widest = WIDEST * (spread if spread > ROUNDING * np.abs(mean).max() else 1.0)
    return Data(mean, scale, n - 2, float(np.abs(x).max()) / unit, widest, unit)


def _located(data: Data) -> Grid:
    """Narrow the grid until it has the posterior and little else, in steps that are small against its spread."""
    mu = np.linspace(-data.furthest, data.furthest, 61)
    first, last = 2 * log(1e-4 * min(float(data.scale.min()), data.widest)), 2 * log(data.widest)
    step, rough = 0.4, True
    while True:
        grid = _posterior(data, mu, np.arange(first, last + step, step), 0.4 if rough else 0.2)
        along_mu, along_sigma = grid.marginal(0), grid.marginal(1)
        left, right = _held(grid.mu, along_mu)
        first, last = _held(grid.log_variance, along_sigma)
        wanted = min(0.4, max(_width(grid.log_variance, along_sigma) / 3, 0.02))
        fine = max(_width(grid.mu, along_mu) / 5, (right - left) / MOST)
        if not rough and step <= wanted * 1.5 and mu[1] - mu[0] <= fine * 1.5:
            return grid
        step, rough = wanted, False
        mu = np.linspace(left, right, max(FEWEST, ceil((right - left) / fine)))


def _held(values: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """The values between which the weight is not negligible, and one more on each side."""
    held = np.flatnonzero(weight > NEGLIGIBLE * weight.max())
    return float(values[max(held[0] - 1, 0)]), float(values[min(held[-1] + 1, len(values) - 1)])


def _width(values: FloatArray, weight: FloatArray) -> float:
    """The sd, or what the quartiles say it is where that is less; at least a quarter of a step."""
    sd = sqrt(float(weight @ (values - weight @ values) ** 2))
    low, high = np.interp([0.25, 0.75], np.cumsum(weight), values)
    return max(min(sd, float(high - low) / 1.35), float(values[1] - values[0]) / 4)


def _posterior(data: Data, mu: FloatArray, log_variance: FloatArray, step: float) -> Grid:
    """Weights in proportion to prior times likelihood; the prior of σ₀ is flat, so that of log σ₀² goes with σ₀."""
    variances, mixing = _mixing(data, log_variance, step)
    log_weight = np.zeros((len(mu), mixing.shape[1]))
    for _, _, likelihood in _likelihoods(data, mu, variances, mixing, 1):
        log_weight += np.log(likelihood).sum(axis=0)
    shaped = log_weight.reshape(len(mu), len(log_variance), len(FREEDOM))
    shaped += log_variance[:, None] / 2 + _log_prior_of_freedom()
    shaped -= shaped.max()
    weight = np.exp(shaped)
    return Grid(mu, log_variance, weight / weight.sum())


def _mixing(data: Data, log_variance: FloatArray, most: float = 0.2) -> tuple[FloatArray, FloatArray]:
    """Variances v = σ₀²/w that all σ₀ share, and how each (σ₀, ν) weighs them; of shape (variances, σ₀ · ν)."""
    step = min(max(log_variance[1] - log_variance[0], 0.1), most)
    widest = max(float(log_variance[-1]) + TAIL, 2 * log(2 * data.furthest) + 5)
    log_v = np.arange(float(log_variance[0]) - 4, widest, step)
    weight = _mixture(log_variance[None, :, None] - log_v[:, None, None], np.exp(FREEDOM) + 1)
    return np.exp(log_v), weight.reshape(len(log_v), -1)


def _mixture(x: FloatArray, freedom: FloatArray | int) -> FloatArray:
    """Weights of equal steps x of log w along the first axis: normals of variance 1/w make up a Student's t."""
    weight = np.exp(freedom / 2 * (x - np.expm1(x)))
    return np.asarray(weight / weight.sum(axis=0))


def _likelihoods(
    data: Data, mu: FloatArray, variances: FloatArray, mixing: FloatArray, moments: int
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Some data sets at a time: which, sums for each μ₀ and variance, and the likelihood of each (μ₀, σ₀ · ν).

    Several make one large product of matrices, which is cheaper than many small ones.
    """
    size = max(1, MOST_NUMBERS // (len(mu) * mixing.shape[1]))
    for start in range(0, len(data.mean), size):
        some = slice(start, min(start + size, len(data.mean)))
        sums = np.stack([_components(data, i, mu, variances, moments) for i in range(some.start, some.stop)])
        product = sums[:, 0].reshape(-1, len(variances)) @ mixing
        yield some, sums, np.maximum(product, TINY).reshape(len(sums), len(mu), -1)


def _components(data: Data, i: int, mu: FloatArray, variances: FloatArray, moments: int) -> FloatArray:
    """For each μ₀ and variance v: Σ over u of N(μ₀ − x̄; s²/u + v), and with the moments of μᵢ − x̄ under each term."""
    variances_of_mean, shares = _own_variances(data, i)
    apart = mu - data.mean[i]
    sums = np.zeros((moments, len(mu), len(variances)))
    for variance, share in zip(variances_of_mean, shares, strict=True):
        total = variance + variances
        term = np.outer(apart**2, -0.5 / total)
        np.exp(term, out=term)
        term *= share / np.sqrt(total)
        sums[0] += term
        if moments > 1:
            pulled = apart[:, None] * (variance / total)
            sums[1] += term * pulled
            sums[2] += term * (pulled**2 + variance * variances / total)
    return sums


def _own_variances(data: Data, i: int) -> tuple[FloatArray, FloatArray]:
    """Variances s²/u of a data set's mean, and their weights; u is as small as the furthest μ₀ makes likely."""
    step = min(0.5, 1.2 * sqrt(2 / data.freedom))
    furthest = 2 * data.furthest / float(data.scale[i])  # in scales, at which u is about freedom / furthest²
    least = min(log(data.freedom) - 2 * log(furthest), 0.0) - 2.4 * sqrt(TAIL / data.freedom)
    x = step * np.arange(ceil(least / step), ceil(4.5 / step) + 1, dtype=np.float64)
    weight = _mixture(x, data.freedom)
    kept = weight > np.where(x < 0, 1e-25, 1e-12)
    return data.scale[i] ** 2 / np.exp(x[kept]), weight[kept]


def _log_prior_of_freedom() -> FloatArray:
    """Log density of log(ν − 1): a gamma, averaged over its shape and rate."""
    nodes, weights = leggauss(16)
    shape, rate = ((low + high) / 2 + (high - low) / 2 * nodes for low, high in (SHAPE, RATE))
    x = FREEDOM[:, None, None]
    a, b = shape[:, None], rate
    density = np.exp(a * (np.log(b) + x) - b * np.exp(x) - gammaln(a))
    return np.asarray(np.log(np.einsum("xab,a,b->x", density, weights, weights)))


def _drawn(grid: Grid, data: Data, draws: int, rng: Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draws in equal shares of the weight, spread evenly around the grid's values but for ν, whose are far between."""
    ladder = np.cumsum(grid.weight)
    place = (rng.permutation(draws) + rng.random(draws)) / draws * ladder[-1]
    cell = np.unravel_index(np.minimum(np.searchsorted(ladder, place), ladder.size - 1), grid.weight.shape)
    spread = rng.random((2, draws)) - 0.5
    mu = grid.mu[cell[0]] + (grid.mu[1] - grid.mu[0]) * spread[0]
    log_variance = grid.log_variance[cell[1]] + (grid.log_variance[1] - grid.log_variance[0]) * spread[1]
    return np.clip(mu, -data.furthest, data.furthest), np.exp(log_variance / 2), np.exp(FREEDOM[cell[2]]) + 1


def _shrunken(data: Data, grid: Grid) -> tuple[FloatArray, FloatArray]:
    """Posterior mean and sd of each μᵢ, with every hyperparameter integrated out."""
    variances, mixing = _mixing(data, grid.log_variance)
    weight = grid.weight.reshape(len(grid.mu), -1)
    mean, sd = np.empty_like(data.mean), np.empty_like(data.mean)
    for some, sums, likelihood in _likelihoods(data, grid.mu, variances, mixing, 3):
        back = ((weight / likelihood).reshape(-1, weight.shape[1]) @ mixing.T).reshape(sums[:, 0].shape)
        moved, square = (np.einsum("imv,imv->i", sums[:, k], back) for k in (1, 2))
        mean[some], sd[some] = data.mean[some] + moved, np.sqrt(np.maximum(square - moved**2, 0))
    return mean, sd
