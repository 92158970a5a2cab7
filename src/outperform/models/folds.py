"""Calibration for cross-validation, whose folds test the same items with overlapping training sets (ACL'19 §2.3).

The sums over all 2m confusion matrices of an m×2 cross-validation are worth fewer items than they count. With ρ₁ the
correlation of the two hold-out estimates of one repetition and ρ₂ of those of different ones,

    Var[R] = (1 + ρ₁ + 2(m − 1)ρ₂) / (m n₊) · r(1 − r)                    (Eq. 14 for m = 3)

which is that of n₊·m / (1 + ρ₁ + 2(m − 1)ρ₂) independent items. So effective counts are the sums times

    factor = 1 / (1 + ρ₁ + 2(m − 1)ρ₂)                                    (Eqs 16–21)

and, ρ₁ and ρ₂ being unknown, its mean over ρ₁ ∈ [0, ½] and ρ₂ ∈ [¼, ½] (Eqs 22–24), 0.36880211 for m = 3. ρ₁ = ρ₂ = 1
is the conservative posterior of Wang et al. (2015), in which repetitions add no information.

Assumptions: the correlations lie in those ranges, which were found by experiment with block-regularised partitions, and
are the same for every cell. Any model of the items can be calibrated in this way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from outperform.base.sentences import invalid
from outperform.data.counts import Counts
from outperform.models.base import Model
from outperform.models.pairing import Paired
from outperform.models.posterior import Posterior
from outperform.models.reads import Reads

__all__ = ["CrossValidated", "effective_factor"]

RHO_1, RHO_2 = (0.0, 0.5), (0.25, 0.5)


def effective_factor(m: int = 3, rho: tuple[float, float] | None = None) -> float:
    """Return the number of independent items that each tested item of an m×2 cross-validation is worth.

    Parameters
    ----------
    m : int
        Repetitions of two folds.
    rho : (float, float)
        Correlations ρ₁ of the two folds of a repetition and ρ₂ of different repetitions; the default is the mean over
        their typical ranges.

    Examples
    --------
    >>> from outperform.models.folds import effective_factor
    >>> round(effective_factor(3), 8)
    0.36880211
    >>> effective_factor(3, rho=(1, 1)) == 1 / 6
    True
    """
    slope = 2 * (m - 1)
    if rho is not None:
        if np.shape(rho) != (2,) or np.asarray(rho).dtype.kind not in "iuf" or not all(0 <= x <= 1 for x in rho):
            raise ValueError(
                f"rho is two correlations between 0 and 1, those within and between repetitions, got {rho}"
            )
        return 1 / (1 + rho[0] + slope * rho[1])
    if not slope:
        return log((1 + RHO_1[1]) / (1 + RHO_1[0])) / (RHO_1[1] - RHO_1[0])

    def twice(a: float, b: float) -> float:
        x = 1 + a + slope * b  # 1/x is integrated over both
        return (x * log(x) - x) / slope

    corners = (
        twice(RHO_1[1], RHO_2[1]) - twice(RHO_1[0], RHO_2[1]) - twice(RHO_1[1], RHO_2[0]) + twice(RHO_1[0], RHO_2[0])
    )
    return corners / ((RHO_1[1] - RHO_1[0]) * (RHO_2[1] - RHO_2[0]))


@dataclass(frozen=True)
class CrossValidated(Model):
    """Any model of items, calibrated for the folds of an m×2 cross-validation.

    Parameters
    ----------
    model : Paired or Unpaired
        The model of the items; the default is paired, which compares out-of-fold predictions of the same item.
    rho : (float, float)
        Correlations ρ₁ and ρ₂; the default is the mean over their typical ranges. (1, 1) is conservative.
    factor : float
        How many items each tested item is worth, in place of `rho`; required if a repetition has more than two folds.

    References
    ----------
    Wang and Li, Bayes Test of Precision, Recall, and F1 Measure for Comparison of Two Natural Language Processing
    Models, ACL 2019, §2.3.
    """

    model: Model = field(default_factory=Paired)
    rho: tuple[float, float] | None = None
    factor: float | None = None

    def __post_init__(self) -> None:
        """Validate model, rho and factor."""
        if not isinstance(self.model, Model):
            raise TypeError(f"CrossValidated takes a model such as op.Paired(), got {self.model!r}")
        if self.rho is not None and self.factor is not None:
            raise ValueError("give rho or factor, not both")
        if self.rho is not None:
            effective_factor(3, self.rho)
        if self.factor is not None and (np.asarray(self.factor).dtype.kind not in "iuf" or not 0 < self.factor <= 1):
            raise ValueError(f"factor is a number above 0 and at most 1, got {self.factor!r}")

    @property
    def name(self) -> str:
        """Name in tables and signatures."""
        return f"cross-validated {self.model.name}"

    @property
    def prior(self) -> object:
        """The prior of the model of the items."""
        return self.model.prior

    @property
    def symmetric(self) -> bool:
        """Whether the model of the items is symmetric."""
        return self.model.symmetric

    @property
    def pairs(self) -> bool:
        """Whether the model of the items pairs."""
        return self.model.pairs

    @property
    def shows_variables(self) -> bool:
        """Whether the model of the items shows variables."""
        return self.model.shows_variables

    @property
    def weighs_units(self) -> bool:
        """Whether the model of the items resamples whole units."""
        return self.model.weighs_units

    @property
    def worth(self) -> float:
        """How many items each tested item is worth: 1 until the factor is known."""
        return 1.0 if self.factor is None else self.factor

    @property
    def learns(self) -> bool:
        """Whether classes learn from each other in the model of the items."""
        return self.model.learns

    @property
    def settings(self) -> dict[str, Any]:
        """The factor, for the signature."""
        factor = "by folds" if self.factor is None else f"{self.factor:.8g}"
        return {"factor": factor, **self.model.settings}

    def settled(self, counts: Counts, *, reads: Reads = "classes") -> CrossValidated:
        """Return the model with the factor for these folds and the prior for these counts."""
        model = self.model.settled(counts, reads=reads)
        factor = factor_of(counts.folds, self.rho) if self.factor is None else self.factor
        return CrossValidated(model, factor=factor)

    def posterior(self, counts: Counts) -> Posterior:
        """Return the posterior of all folds together, with counts scaled to their effective number."""
        settled = self.settled(counts)
        if not counts.folds:
            return settled.model.posterior(counts)
        assert settled.factor is not None
        return settled.model.posterior(counts.together(settled.factor))


def factor_of(folds: tuple[tuple[int, int], ...], rho: tuple[float, float] | None) -> float:
    """Return the factor for these folds: 1 for at most one fold, else only for two folds per repetition."""
    if len(folds) <= 1:  # a hold-out test
        return 1.0
    sizes = Counter(repetition for repetition, _ in folds)
    odd = next((repetition for repetition, size in sizes.items() if size != 2), None)
    if odd is not None:
        number = "1 fold" if sizes[odd] == 1 else f"{sizes[odd]} folds"
        found = f"repetition {odd} has {number}, where the calibration is for two; cross-validate with op.BlockCV()"
        advice = "say how many items a tested item is worth with {factor}, of bayes_test or op.CrossValidated"
        raise invalid("{found}, or " + advice, found=found)
    return effective_factor(len(sizes), rho)
