"""Markov chains in results: the trace, its diagnostics, and conversion to ArviZ."""

from outperform.models.chains.draws import Draws
from outperform.models.chains.trace import Diagnostics, Trace

__all__ = ["Diagnostics", "Draws", "Trace"]
