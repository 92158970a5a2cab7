"""Names of arguments on the page."""

from __future__ import annotations

from outperform.base.sentences import python

__all__ = ["page"]

# The fields, as they are labelled.
FIELDS = {
    "average": "Average",
    "cluster": "Clusters",
    "fdr": "FDR",
    "goal": "Goal",
    "id": "Ids",
    "labels": "Classes (under More settings)",
    "lower_is_better": "Lower scores are better",
    "mass": "Interval level",
    "measure": "Measure",
    "model": "Model",
    "n": "Number of items",
    "pos_label": "Positive class",
    "power": "Probability of reaching it",
    "predictions": "Classifier",
    "prior": "Prior",
    "rope": "ROPE",
    "scores": "Classifier",
    "seed": "Seed",
    "separator": "Between labels of an item",
    "truth": "Truth",
    "width": "Width of the HDI",
}
# What a value is called, where that is not the label of the field; and advice that is worded otherwise.
NOUNS = {"fdr": "FDR", "power": "probability", "rope": "ROPE", "separator": "separator", "width": "width"}
ADVICE = {
    "in_parts": "use the command, or raise --limit",
    "leave_out": "remove such rows",
    "or_weights": "as whole numbers",
    "unpaired": "the model unpaired",
    "use_unpaired": "use the model unpaired",
}


def page(name: str, value: str) -> str:
    """A setting as the page has it: `the field Average`, or `the average macro`."""
    if name not in FIELDS:
        return ADVICE.get(name) or python(name, value)
    return f"the {NOUNS.get(name, FIELDS[name].lower())} {value}" if value else f"the field {FIELDS[name]}"
