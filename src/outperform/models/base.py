"""What a model is: settings in, posterior out. What it may say of itself has defaults, all of them cautious."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from outperform.data.counts import Counts
from outperform.models.posterior import Posterior
from outperform.models.priors import Prior
from outperform.models.trend import Reads

__all__ = ["Model"]


class Model(ABC):
    """Inherit from this for a model of your own: a name and a posterior are needed, the rest says what holds of it.

    A model is pure: no randomness, no state beyond its settings.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What tables and signatures call it; with every setting that changes the numbers and is not in `settings`."""

    @abstractmethod
    def posterior(self, counts: Counts) -> Posterior:
        """What is believed after these counts; after `counts.empty()`, the prior, or an `ImproperPriorError`."""

    @property
    def prior(self) -> object:
        """What is assumed before the data, as text and maybe more; None for what suits the number of classes."""
        return None

    @property
    def settings(self) -> dict[str, Any]:
        """What a signature says besides the name and the prior."""
        return {}

    @property
    def symmetric(self) -> bool:
        """Whether reordering the classifiers reorders the posterior and changes nothing else."""
        return False

    @property
    def pairs(self) -> bool:
        """Whether what the classifiers have in common on shared items cancels."""
        return False

    @property
    def weighs_units(self) -> bool:
        """Whether whole units are weighed."""
        return False

    @property
    def shows_variables(self) -> bool:
        """Whether results show variables of the model, so that classifiers stay in their order."""
        return False

    @property
    def learns(self) -> bool:
        """Whether classes learn from each other."""
        return isinstance(self.prior, Prior) and self.prior.pools_classes

    @property
    def weighs_alone(self) -> bool:
        """Whether units are weighed and nothing else is assumed."""
        return self.weighs_units and not self.learns

    @property
    def divides_items(self) -> bool:
        """Whether items hang together in clusters or belong to strata, so that counts of them will not do."""
        return False

    @property
    def keeps_units(self) -> bool:
        """Whether the posterior weighs units, which must then not be added up beforehand."""
        return self.weighs_units or (isinstance(self.prior, Prior) and self.prior.keeps_units)

    def settled(self, counts: Counts, *, reads: Reads = "classes") -> Model:  # noqa: ARG002
        """The same with the prior that it takes for these counts, so that a result can name it.

        `reads` says what the score is made of: an average over classes, right and wrong alone, or the whole table.
        """
        return self
