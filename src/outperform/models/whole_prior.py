"""Priors that are no matter of pseudo-counts."""

from __future__ import annotations

from abc import ABC, abstractmethod

from outperform.data.counts import Counts
from outperform.models.posterior import Posterior

__all__ = ["WholePrior"]


class WholePrior(ABC):
    """A prior that is no matter of pseudo-counts: it gives the posterior of systems on shared items itself.

    Inherit from this, frozen, for a prior of your own, and list it in `PRIORS` to give it a name; `str` of it goes in
    tables and signatures, with every setting that changes the numbers.
    """

    pools_classes = True  # whether classes learn from each other, so that they are modelled together
    keeps_units = False  # whether units that are weighed whole must not be added up beforehand
    even = False

    @abstractmethod
    def posterior(self, counts: Counts) -> Posterior:
        """What is believed after these counts."""

    def check(self, counts: Counts) -> None:  # noqa: B027
        """Refuse counts that it is not for."""
