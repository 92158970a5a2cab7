"""Options that a user typed, as arguments of the verbs; shared by the command and the page."""

from outperform.options.options import Options
from outperform.options.spelling import command

__all__ = ["Options", "command"]
