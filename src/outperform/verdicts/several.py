"""Several verdicts at once: how many are expected to be wrong, how many arise by chance, which to keep.

A verdict of a single comparison is wrong with the probability that its draws leave outside its claim. For many
comparisons this is too low, because the rows with a verdict are those that chance favoured. How often rows differ
at all has to be learned from all of them. With the mean x_i and the standard deviation s_i of the draws of δ_i:

    x_i ~ N(δ_i, s_i²)
    δ_i = 0 with probability π, else δ_i ~ N(m, τ²)
    π = 1 with probability ½, else 0, 0.1, …, 0.9    m ~ Cauchy(0, s)    τ ~ half-Cauchy(s)    log s = mean of log s_i

All three are summed over a grid. The pairs of K systems have no common direction, so m = 0, and are as informative as
K − 1 rows, so the likelihood is raised to the power (K − 1)/pairs.

Rows that learned from each other already have such a prior in their draws, so each of their verdicts is judged by its
own draws.

Chance alone: if δ_i = 0 and x_i ~ N(0, s_i²), with an HDI of the same width around x_i, then ≫ or ≪ under the ROPE
[l, u] has the probability Φ(−(u + x_i − low_i)/s_i) + Φ(−(high_i − x_i − l)/s_i). A prior makes the draws wider than
the sampling distribution, so this is an upper bound for rows with few items, and for rows that learn from each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outperform.base.limits import check_between
from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval
from outperform.verdicts.marginal import Marginal

__all__ = ["Finding", "Settled", "Verdicts", "check_fdr", "settle", "weakened"]

ALL_EQUAL = 0.5  # prior probability that no row differs
SHARES = np.arange(10) / 10  # shares of equal rows, if some differ
SPREADS = np.tan(np.pi / 2 * (np.arange(6) + 0.5) / 6)  # mid-quantiles of a half-Cauchy
# Nodes of the grid of m.
CENTRES = 41
WEAKENED = {"better": "slightly_better", "worse": "slightly_worse", "equivalent": "undecided"}


@dataclass(frozen=True)
class Finding:
    """One row, summarised from its own posterior.

    Attributes
    ----------
    name : str
        The outcome.
    mean, sd : float
        Of the posterior of δ.
    hdi : (float, float)
        Of the same posterior.
    rope : (float, float)
        The ROPE by which it was judged.
    below, above : float
        Probabilities below and above the ROPE.
    barred : bool
        Whether the row has no verdict, whatever the ROPE.
    """

    name: str
    mean: float
    sd: float
    hdi: Interval
    rope: Interval
    below: float
    above: float
    barred: bool = False

    @classmethod
    def of(cls, name: str, posterior: Marginal, hdi: Interval, rope: Interval, *, barred: bool = False) -> Finding:
        """Summarise the posterior of δ."""
        low, high = rope
        return cls(name, posterior.mean, posterior.sd, hdi, rope, posterior.below(low), posterior.above(high), barred)


@dataclass(frozen=True)
class Verdicts:
    """Reliability of a list of verdicts.

    Attributes
    ----------
    rows, given : int
        Number of rows, and of those with a verdict: better, worse or equivalent.
    expected_wrong : float
        Expected number of wrong verdicts among those given.
    by_chance : float
        Upper bound of the number of rows called better or worse if none differed, without `fdr`.
    fdr : float, optional
        The largest expected share of wrong verdicts, if set.
    withheld : int
        Number of verdicts withheld to keep it.
    """

    rows: int
    given: int
    expected_wrong: float
    by_chance: float
    fdr: float | None = None
    withheld: int = 0


@dataclass(frozen=True)
class Settled:
    """The summary, and per row the probability that its verdict is wrong and whether the verdict is given."""

    verdicts: Verdicts
    p_wrong: tuple[float | None, ...]  # None if the row has no verdict
    given: tuple[bool, ...]


def settle(
    findings: Sequence[Finding],
    *,
    learned: bool,
    fdr: float | None = None,
    greater_is_better: bool = True,
    systems: int | None = None,
) -> Settled:
    """Judge the verdicts of several rows together.

    Parameters
    ----------
    findings : sequence of Finding
        The rows.
    learned : bool
        Whether the rows learned from each other, so that each is judged by its own draws.
    fdr : float
        Give only the longest list of verdicts whose expected share of wrong ones is at most this; withhold the others.
    greater_is_better : bool
        False for error rates.
    systems : int
        Number of systems, if the rows are all their pairs.

    Examples
    --------
    >>> from outperform.verdicts.several import Finding, settle
    >>> clear = Finding("better", 0.3, 0.04, (0.22, 0.38), rope=(-0.01, 0.01), below=0.0, above=1.0)
    >>> close = Finding("better", 0.1, 0.04, (0.02, 0.18), rope=(-0.01, 0.01), below=0.0, above=0.99)
    >>> equal = [Finding("undecided", 0.0, 0.04, (-0.08, 0.08), rope=(-0.01, 0.01), below=0.4, above=0.4)] * 18
    >>> settle([clear, close, *equal], learned=False, fdr=0.05).given[:3]
    (True, False, False)

    Alone, the second verdict would be wrong with a probability of 1%. Next to 18 rows without a difference it is
    probably due to chance.
    """
    best = "above" if greater_is_better else "below"
    sides = {"equivalent": "within", "better": best, "worse": "below" if best == "above" else "above"}
    claims = [sides.get(row.name, "") for row in findings]
    wrong = _by_own_draws(findings, claims) if learned or len(findings) < 2 else _together(findings, claims, systems)
    found = np.array([bool(claim) for claim in claims])
    given = found if fdr is None else _kept(wrong, found, fdr)
    verdicts = Verdicts(
        len(findings),
        int(given.sum()),
        float(wrong[given].sum()),
        float(_by_chance([row for row in findings if not row.barred])),
        fdr,
        int(found.sum() - given.sum()),
    )
    p_wrong = tuple(float(p) if claim else None for p, claim in zip(wrong, claims, strict=True))
    return Settled(verdicts, p_wrong, tuple(given.tolist()))


def weakened(name: str) -> str:
    """Return the outcome that remains of a withheld verdict: its lean."""
    return WEAKENED[name]


def check_fdr(fdr: float | None) -> float | None:
    """Validate a share strictly between 0 and 1, or None."""
    return None if fdr is None else check_between(fdr, "fdr")


def _kept(wrong: FloatArray, found: NDArray[np.bool_], fdr: float) -> NDArray[np.bool_]:
    """Return the longest list of verdicts, the surest first, whose mean probability of being wrong is at most `fdr`."""
    order = np.flatnonzero(found)[np.argsort(wrong[found], kind="stable")]
    means = np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)
    kept = np.zeros(len(found), dtype=bool)
    kept[order[: np.count_nonzero(means <= fdr)]] = True  # running means of sorted values never fall
    return kept


def _by_own_draws(findings: Sequence[Finding], claims: Sequence[str]) -> FloatArray:
    """Return the share of each row's draws outside its claim."""
    outside = {"above": lambda r: 1 - r.above, "below": lambda r: 1 - r.below, "within": lambda r: r.above + r.below}
    return np.array([outside[claim](row) if claim else 0.0 for row, claim in zip(findings, claims, strict=True)])


def _together(findings: Sequence[Finding], claims: Sequence[str], systems: int | None) -> FloatArray:
    """Return the probability that each claim is wrong, given how often and by how much all rows differ."""
    mean, sd = (np.array([getattr(row, name) for row in findings]) for name in ("mean", "sd"))
    known = sd > 0
    chosen = np.array([bool(claim) for claim in claims]) & known
    wrong = _by_own_draws(findings, claims)
    if not chosen.any():
        return wrong
    low, high = np.array([_ends(findings[k], claims[k]) for k in np.flatnonzero(chosen).tolist()]).T
    groups = TwoGroups.of(mean[known], sd[known], None if systems is None else (systems - 1) / len(findings))
    wrong[chosen] = 1 - groups.inside(mean[chosen], sd[chosen], low, high)
    return np.clip(wrong, 0, 1)


def _ends(row: Finding, claim: str) -> Interval:
    """Return the interval in which δ lies if the claim is correct."""
    return {"above": (row.rope[1], np.inf), "below": (-np.inf, row.rope[0]), "within": row.rope}[claim]


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """Posterior of (π, m, τ) on a grid: rows that do not differ at all, and those that do.

    Attributes
    ----------
    m, tau : arrays of shape (points,)
        Centre and spread of the rows that differ.
    weight : array of shape (shares, points)
        Joint posterior probability of each share π of equal rows in `SHARES` and each point.
    equal : float
        Posterior probability that all rows are equal.
    """

    m: FloatArray
    tau: FloatArray
    weight: FloatArray
    equal: float

    @classmethod
    def of(cls, mean: FloatArray, sd: FloatArray, worth: float | None = None) -> TwoGroups:
        """Fit all rows; `worth` is the effective number of rows per row if they are pairs."""
        from scipy.special import logit

        scale = float(np.exp(np.log(sd).mean()))
        centres, step = np.linspace(min(mean.min(), -scale), max(mean.max(), scale), CENTRES, retstep=True)
        if worth is not None:
            # One node at 0; this step makes its prior weight 1.
            centres, step = np.zeros(1), np.pi * scale
        m, tau = (axis.ravel() for axis in np.meshgrid(centres, scale * SPREADS))
        prior = np.log(step / (np.pi * scale * (1 + (m / scale) ** 2) * len(SPREADS)))
        # In logarithms: rows of many items lie hundreds of standard deviations from 0, where densities underflow.
        null, other = _log_density(mean, sd)[:, None], _log_density(mean[:, None] - m, np.hypot(sd[:, None], tau))
        # Of shape (shares, points): the log likelihood of all rows.
        log = np.array([(other + np.log1p(-p) + np.logaddexp(0, logit(p) + null - other)).sum(axis=0) for p in SHARES])
        log = (worth or 1) * log + prior + np.log((1 - ALL_EQUAL) / len(SHARES))
        equal = (worth or 1) * null.sum() + np.log(ALL_EQUAL)
        top = max(log.max(), equal)
        weight, alone = np.exp(log - top), float(np.exp(equal - top))
        whole = weight.sum() + alone
        return cls(m, tau, weight / whole, alone / whole)

    def inside(self, mean: FloatArray, sd: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the probability that δ of each row lies between the ends of its claim; one may be infinite."""
        from scipy.special import expit, logit, ndtr

        x, s = mean[:, None], sd[:, None]
        ahead = _log_density(x, s) - _log_density(x - self.m, np.hypot(s, self.tau))
        shrunk = self.tau**2 / (s**2 + self.tau**2)
        centre, spread = self.m + shrunk * (x - self.m), np.sqrt(shrunk) * s
        between = ndtr((high[:, None] - centre) / spread) - ndtr((low[:, None] - centre) / spread)
        at_zero = np.isfinite(high - low).astype(np.float64)  # 0 is in the ROPE
        found = self.equal * at_zero
        for share, weight in zip(SHARES, self.weight, strict=True):
            none = expit(logit(share) + ahead)  # the probability that the row does not differ
            found = found + (none * at_zero[:, None] + (1 - none) * between) @ weight
        return found


def _log_density(apart: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the logarithm of the normal density, up to a constant."""
    density: FloatArray = -0.5 * (apart / sd) ** 2 - np.log(sd)
    return density


def _by_chance(findings: Sequence[Finding]) -> float:
    """Return how many of these rows would be called better or worse if none differed."""
    from scipy.special import ndtr

    return sum(
        float(
            ndtr(-(row.rope[1] + row.mean - row.hdi[0]) / row.sd)
            + ndtr(-(row.hdi[1] - row.mean - row.rope[0]) / row.sd)
        )
        for row in findings
        if row.sd > 0
    )
