"""Markov chains as results know them: the trace, how well it went, and ArviZ's data structures."""

from outperform.models.chains.draws import Draws
from outperform.models.chains.trace import Diagnostics, Trace

__all__ = ["Diagnostics", "Draws", "Trace"]
