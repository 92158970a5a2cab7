"""Names of arguments on the page."""

from __future__ import annotations

from outperform.base.sentences import python

__all__ = ["LESS", "page", "shown"]

LESS = "leave out rows or columns that are not needed, or start the page with a higher limit"
# The fields, as they are labelled.
FIELDS = {
    "average": "Average",
    "cluster": "Clusters",
    "fdr": "FDR",
    "filter": "Filter",
    "goal": "Goal",
    "id": "Ids",
    "labels": "Classes (under More settings)",
    "lower_is_better": "Lower scores are better",
    "mass": "Interval level",
    "measure": "Measure",
    "metric": "Metric",
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
    "as_from": "",
    "as_with": "",
    "in_parts": LESS,
    "leave_out": "remove such rows",
    "or_weights": "as whole numbers",
    "read_chunks": "the page does not compare chunks; the command and Python do",
    "read_logs": "logs that are read are of lm-eval, Inspect, promptfoo, trec_eval, MT-Bench, AlpacaEval and COMET",
    "run": "use the command or Python: the page compares item by item",
    "to_read_scores": "of both systems",
    "unpaired": "the model unpaired",
    "use_unpaired": "use the model unpaired",
}
# What the report says of settings where the page shows it, beside its own fields and buttons.
SHOWN = {
    "measure": " (brier or log_loss in the field Measure)",
    "model": " (bootstrap in the field Model)",
    "more_items": "the column more_items of Download: CSV",
    "plan": "; the question How many more items? says how many a margin takes",
    "plan_for_two": "",
    "rope": ", in the field ROPE",
    "simulated": "The question How many more items? simulates it, which takes longer.",
}


def page(name: str, value: str) -> str:
    """A setting as the page has it: `the field Average`, or `the average macro`."""
    if name not in FIELDS:
        return ADVICE[name] if name in ADVICE else python(name, value)
    return f"the {NOUNS.get(name, FIELDS[name].lower())} {value}" if value else f"the field {FIELDS[name]}"


def shown(name: str, value: str) -> str:
    """A setting as the report has it that the page shows."""
    return SHOWN[name] if name in SHOWN else page(name, value)
