"""What a user typed, as the verbs take it: the command and the page read their options here."""

from outperform.options.options import Options
from outperform.options.spelling import command

__all__ = ["Options", "command"]
