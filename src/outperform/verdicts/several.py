"""Several verdicts at once: how many are expected to be wrong, how many chance alone would give, which to keep.

A verdict of a single comparison is wrong with the probability that its own draws leave outside what it claims. Of many
comparisons that is too little, because the rows with a verdict are those that chance favoured. How often rows differ
at all must be learned from all of them. With the mean x_i and the standard deviation s_i of the draws of δ_i:

    x_i ~ N(δ_i, s_i²)
    δ_i = 0 with probability π, else δ_i ~ N(m, τ²)
    π = 1 with probability ½, else 0, 0.1, …, 0.9    m ~ Cauchy(0, s)    τ ~ half-Cauchy(s)    log s = mean of log s_i

All three are summed over a grid. The pairs of K systems have no common direction, so m = 0, and tell as much as K − 1
rows, so the likelihood is taken to the power (K − 1)/pairs.

Rows that learned from each other already have such a prior in their draws: each of their verdicts is judged by its own
draws.

Chance alone: if δ_i = 0 and x_i ~ N(0, s_i²), with an HDI of the same width around x_i, then ≫ or ≪ under the ROPE
[l, u] has the probability Φ(−(u + x_i − low_i)/s_i) + Φ(−(high_i − x_i − l)/s_i). A prior makes the draws wider than
estimates scatter, so this is an upper estimate where rows have few items, and where rows learn from each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outperform.data.contingency import FloatArray
from outperform.verdicts.interval import Interval

__all__ = ["Finding", "Settled", "Verdicts", "check_fdr", "settle", "weakened"]

ALL_EQUAL = 0.5  # prior probability that no row differs
SHARES = np.arange(10) / 10  # of equal rows, where some differ
SPREADS = np.tan(np.pi / 2 * (np.arange(6) + 0.5) / 6)  # mid-quantiles of a half-Cauchy
CENTRES = 41
LEAST = 1e-300  # densities, of which the logarithm is taken
WEAKENED = {"better": "slightly_better", "worse": "slightly_worse", "equivalent": "undecided"}


@dataclass(frozen=True)
class Finding:
    """One row as its own draws have it.

    Attributes
    ----------
    name : str
        The outcome.
    mean, sd : float
        Of the draws of δ.
    hdi : (float, float)
        Of the same draws.
    rope : (float, float)
        By which it was judged.
    below, above : float
        Shares of the draws below and above the ROPE.
    barred : bool
        Whether the row has no verdict whatever the ROPE.
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
    def of(cls, name: str, draws: FloatArray, hdi: Interval, rope: Interval, *, barred: bool = False) -> Finding:
        """Sum up draws of δ."""
        below, above = (float(np.count_nonzero(side) / len(draws)) for side in (draws < rope[0], draws > rope[1]))
        return cls(name, float(draws.mean()), float(draws.std()), hdi, rope, below, above, barred)


@dataclass(frozen=True)
class Verdicts:
    """What a list of verdicts is worth.

    Attributes
    ----------
    rows, given : int
        How many rows there are, and how many have a verdict: better, worse or equivalent.
    expected_wrong : float
        How many of the given verdicts are expected to be wrong.
    by_chance : float
        How many rows would at most be called better or worse if none differed, without `fdr`.
    fdr : float, optional
        The largest expected share of wrong verdicts, where it was set.
    withheld : int
        How many verdicts were withheld to stay below it.
    """

    rows: int
    given: int
    expected_wrong: float
    by_chance: float
    fdr: float | None = None
    withheld: int = 0


@dataclass(frozen=True)
class Settled:
    """The summary; and by row the probability that its verdict is wrong, and whether the verdict is given."""

    verdicts: Verdicts
    p_wrong: tuple[float | None, ...]  # None where the row has no verdict
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
        Withhold verdicts: only the longest list whose expected share of wrong ones is at most this is given.
    greater_is_better : bool
        False for error rates.
    systems : int
        Where the rows are all pairs of so many systems.

    Examples
    --------
    >>> from outperform.verdicts.several import Finding, settle
    >>> clear = Finding("better", 0.3, 0.04, (0.22, 0.38), rope=(-0.01, 0.01), below=0.0, above=1.0)
    >>> close = Finding("better", 0.1, 0.04, (0.02, 0.18), rope=(-0.01, 0.01), below=0.0, above=0.99)
    >>> equal = [Finding("undecided", 0.0, 0.04, (-0.08, 0.08), rope=(-0.01, 0.01), below=0.4, above=0.4)] * 18
    >>> settle([clear, close, *equal], learned=False, fdr=0.05).given[:3]
    (True, False, False)

    The second verdict alone would be wrong with a probability of 1%. Beside 18 rows without a difference it is likely
    to be chance.
    """
    best = "above" if greater_is_better else "below"
    sides = {"equivalent": "within", "better": best, "worse": "below" if best == "above" else "above"}
    claims = [sides.get(row.name, "") for row in findings]
    wrong = _own(findings, claims) if learned or len(findings) < 2 else _together(findings, claims, systems)
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
    """The outcome that is left of a withheld verdict: its lean."""
    return WEAKENED[name]


def check_fdr(fdr: float | None) -> float | None:
    """A share strictly between 0 and 1, or None."""
    if fdr is None:
        return None
    if np.asarray(fdr).dtype.kind not in "iuf" or np.ndim(fdr) or not 0 < fdr < 1:
        raise ValueError(f"fdr must lie between 0 and 1, got {fdr!r}")
    return float(fdr)


def _kept(wrong: FloatArray, found: NDArray[np.bool_], fdr: float) -> NDArray[np.bool_]:
    """The longest list of verdicts, the surest first, whose mean probability of being wrong is at most `fdr`."""
    order = np.flatnonzero(found)[np.argsort(wrong[found], kind="stable")]
    means = np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)
    kept = np.zeros(len(found), dtype=bool)
    kept[order[: np.count_nonzero(means <= fdr)]] = True  # the means never fall
    return kept


def _own(findings: Sequence[Finding], claims: Sequence[str]) -> FloatArray:
    """What the draws of each row leave outside its claim."""
    outside = {"above": lambda r: 1 - r.above, "below": lambda r: 1 - r.below, "within": lambda r: r.above + r.below}
    return np.array([outside[claim](row) if claim else 0.0 for row, claim in zip(findings, claims, strict=True)])


def _together(findings: Sequence[Finding], claims: Sequence[str], systems: int | None) -> FloatArray:
    """The same with what all rows tell of how often rows differ, and by how much."""
    mean, sd = (np.array([getattr(row, name) for row in findings]) for name in ("mean", "sd"))
    known = sd > 0
    chosen = np.array([bool(claim) for claim in claims]) & known
    wrong = _own(findings, claims)
    if not chosen.any():
        return wrong
    low, high = np.array([_ends(findings[k], claims[k]) for k in np.flatnonzero(chosen).tolist()]).T
    groups = TwoGroups.of(mean[known], sd[known], None if systems is None else (systems - 1) / len(findings))
    wrong[chosen] = 1 - groups.inside(mean[chosen], sd[chosen], low, high)
    return np.clip(wrong, 0, 1)


def _ends(row: Finding, claim: str) -> Interval:
    """Between which δ lies if the claim is right."""
    return {"above": (row.rope[1], np.inf), "below": (-np.inf, row.rope[0]), "within": row.rope}[claim]


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """Posterior of (π, m, τ) on a grid: rows that do not differ at all, and those that do.

    Attributes
    ----------
    m, tau : arrays of shape (points,)
        Centre and spread of the rows that differ.
    weight : array of shape (shares, points)
        Posterior probability of each share π of equal rows in `SHARES`, with each point.
    equal : float
        Posterior probability that all rows are equal.
    """

    m: FloatArray
    tau: FloatArray
    weight: FloatArray
    equal: float

    @classmethod
    def of(cls, mean: FloatArray, sd: FloatArray, worth: float | None = None) -> TwoGroups:
        """From all rows; where each counts for `worth` of one, they are pairs."""
        scale = float(np.exp(np.log(sd).mean()))
        centres, step = np.linspace(min(mean.min(), -scale), max(mean.max(), scale), CENTRES, retstep=True)
        if worth is not None:
            centres, step = np.zeros(1), np.pi * scale
        m, tau = (axis.ravel() for axis in np.meshgrid(centres, scale * SPREADS))
        prior = np.log(step / (np.pi * scale * (1 + (m / scale) ** 2) * len(SPREADS)))
        null, other = _density(mean, sd)[:, None], _density(mean[:, None] - m, np.hypot(sd[:, None], tau))
        log = np.array([np.log(np.maximum(p * null + (1 - p) * other, LEAST)).sum(axis=0) for p in SHARES])
        log = (worth or 1) * log + prior + np.log((1 - ALL_EQUAL) / len(SHARES))
        equal = (worth or 1) * np.log(np.maximum(null, LEAST)).sum() + np.log(ALL_EQUAL)
        top = max(log.max(), equal)
        weight, alone = np.exp(log - top), float(np.exp(equal - top))
        whole = weight.sum() + alone
        return cls(m, tau, weight / whole, alone / whole)

    def inside(self, mean: FloatArray, sd: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Probability that δ of each of these rows lies between the ends of its claim, one of which may be infinite."""
        from scipy.special import ndtr

        x, s = mean[:, None], sd[:, None]
        null, other = _density(x, s), _density(x - self.m, np.hypot(s, self.tau))
        shrunk = self.tau**2 / (s**2 + self.tau**2)
        centre, spread = self.m + shrunk * (x - self.m), np.sqrt(shrunk) * s
        between = ndtr((high[:, None] - centre) / spread) - ndtr((low[:, None] - centre) / spread)
        at_zero = np.isfinite(high - low).astype(np.float64)  # a ROPE holds 0; better and worse leave it out
        found = self.equal * at_zero
        for share, weight in zip(SHARES, self.weight, strict=True):
            mixed = np.maximum(share * null + (1 - share) * other, LEAST)
            found = found + ((share * null * at_zero[:, None] + (1 - share) * other * between) / mixed) @ weight
        return found


def _density(apart: FloatArray, sd: FloatArray) -> FloatArray:
    """Normal density, but for a constant factor."""
    density: FloatArray = np.exp(-0.5 * (apart / sd) ** 2) / sd
    return density


def _by_chance(findings: Sequence[Finding]) -> float:
    """How many of these rows would be called better or worse if none differed."""
    from scipy.special import ndtr

    return sum(
        float(
            ndtr(-(row.rope[1] + row.mean - row.hdi[0]) / row.sd)
            + ndtr(-(row.hdi[1] - row.mean - row.rope[0]) / row.sd)
        )
        for row in findings
        if row.sd > 0
    )
