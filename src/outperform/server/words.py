"""The library's sentences in the words of the page."""

from __future__ import annotations

from outperform.base.errors import reworded
from outperform.data.diagnosis import LEAVE_OUT

__all__ = ["spoken"]

# What the library calls its arguments, and what the page calls them.
SPOKEN = {
    "with pos_label=": "as the positive class",
    "say which is positive with pos_label": "choose the positive class",
    "give pos_label to set": "choose a positive class to set",
    "pos_label=": "the positive class",
    "pos_label": "the positive class",
    "list every class with labels=": "list every class under More settings",
    "list both with labels=": "list both under More settings",
    "list all of them with labels=": "list all of them under More settings",
    "labels=": "the classes",
    "or say weights= if fractions are meant": "as whole numbers",
    "n holds": "the number of items is",
    "n adds up to 0": "the numbers of items add up to 0",
    "average=": "an average ",
    "use model=op.BayesianBootstrap()": "use the model bootstrap",
    "use model=op.Unpaired()": "use the model unpaired",
    "zero_division=": "zero division ",
    "give rope=": "type one",
    "with rope=": "in the field ROPE",
    "less than power=": "less than power ",
    "goal=": "the goal ",
    "width=": "the width ",
    "count it in parts": "use the command, or raise --limit",
    f"{LEAVE_OUT}, ": "remove such rows, ",
    'measure="roc_auc"': "the measure roc_auc",
    'measure="mae"': "the measure mae",
    "separator=": "the separator ",
}


def spoken(message: str) -> str:
    """A message in the words of the page."""
    return reworded(message, SPOKEN, "average")
