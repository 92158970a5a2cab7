"""The library's sentences in the words of the page."""

from __future__ import annotations

from outperform.base.errors import reworded
from outperform.base.sentences import python, worded
from outperform.data.diagnosis import LEAVE_OUT

__all__ = ["page", "spoken"]

# What the fields are called.
FIELDS = {
    "average": "Average",
    "fdr": "FDR",
    "goal": "Goal",
    "id": "Ids",
    "labels": "Classes, under More settings",
    "mass": "Mass of the HDI",
    "measure": "Measure",
    "model": "Model",
    "n": "Number of items",
    "pos_label": "Positive class",
    "power": "Probability of reaching it",
    "predictions": "Classifier",
    "prior": "Prior",
    "rope": "ROPE",
    "seed": "Seed",
    "separator": "Between labels of an item",
    "truth": "Truth",
    "width": "Width of the HDI",
}

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


def page(name: str, value: str) -> str:
    """A setting as the page has it: `the field Average`, or `the average macro`."""
    if name not in FIELDS:
        return python(name, value)
    field = FIELDS[name]
    return f"the {field if field.isupper() else field.lower()} {value}" if value else f"the field {field}"


def spoken(error: Exception) -> str:
    """What an error says, in the words of the page."""
    return reworded(worded(error, page), SPOKEN, "average")
