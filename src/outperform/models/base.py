"""The base class of models: settings in, posterior out. Optional properties have cautious defaults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from outperform.data.counts import Counts
from outperform.models.posterior import Posterior
from outperform.models.priors import Prior
from outperform.models.reads import Reads

__all__ = ["Model"]


class Model(ABC):
    """Base class of models. Subclasses define `name` and `posterior`; the other properties describe the model.

    A model is pure: no randomness, no state beyond its settings.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in tables and signatures, with every setting that changes the numbers and is not in `settings`."""

    @abstractmethod
    def posterior(self, counts: Counts) -> Posterior:
        """Return the posterior given counts; given `counts.empty()`, the prior, or raise an `ImproperPriorError`."""

    @property
    def prior(self) -> object:
        """The prior, with a name as its `str`; None for the default for the number of classes."""
        return None

    @property
    def settings(self) -> dict[str, Any]:
        """Settings for the signature, besides the name and the prior."""
        return {}

    @property
    def symmetric(self) -> bool:
        """Whether permuting the classifiers permutes the posterior and changes nothing else."""
        return False

    @property
    def pairs(self) -> bool:
        """Whether the outcomes of classifiers on shared items are modelled jointly."""
        return False

    @property
    def weighs_units(self) -> bool:
        """Whether whole units are resampled."""
        return False

    @property
    def worth(self) -> float:
        """How many items each tested item is worth."""
        return 1.0

    @property
    def shows_variables(self) -> bool:
        """Whether results show variables of the model, so that the order of classifiers is kept."""
        return False

    @property
    def learns(self) -> bool:
        """Whether classes learn from each other."""
        return isinstance(self.prior, Prior) and self.prior.pools_classes

    @property
    def weighs_alone(self) -> bool:
        """Whether units are resampled and nothing else is assumed."""
        return self.weighs_units and not self.learns

    @property
    def divided_by(self) -> dict[str, Any]:
        """The clusters or the strata of the items, by name."""
        return {}

    @property
    def divides_items(self) -> bool:
        """Whether items are clustered or stratified, so that counts do not suffice."""
        return bool(self.divided_by)

    @property
    def keeps_units(self) -> bool:
        """Whether the posterior resamples units, which must then not be merged beforehand."""
        return self.weighs_units or (isinstance(self.prior, Prior) and self.prior.keeps_units)

    def settled(self, counts: Counts, *, reads: Reads = "classes") -> Model:  # noqa: ARG002
        """Return the model with the prior that it uses for these counts, so that a result can name it.

        `reads` says what the score is made of: an average over classes, right and wrong alone, or the whole table.
        """
        return self
