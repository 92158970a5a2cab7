"""Reading test results from files. Knows counts and nothing above them."""

from outperform.io.align import ItemColumns, read_items, read_test_sets
from outperform.io.confusion import read_confusion, read_totals
from outperform.io.counts import read_counts
from outperform.io.files import Columns
from outperform.io.logs import read_scores, read_tasks
from outperform.io.sequences import read_chunks, read_conll
from outperform.io.tables import column_names, read

__all__ = [
    "Columns", "ItemColumns", "column_names", "read", "read_chunks", "read_confusion", "read_conll", "read_counts",
    "read_items", "read_scores", "read_tasks", "read_test_sets", "read_totals",
]  # fmt: skip
