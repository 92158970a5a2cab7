"""Items row by row, for what counts cannot tell: scores, probabilities, numbers, clusters, runs."""

from outperform.items.measures import ITEM_MEASURES, ItemMeasure, Scorer, find_item_measure, mean_of
from outperform.items.rows import Items
from outperform.items.runs import Runs

__all__ = [
    "ITEM_MEASURES", "ItemMeasure", "Items", "Runs", "Scorer", "find_item_measure", "mean_of",
]  # fmt: skip
