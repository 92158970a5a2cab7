"""Reading test results from files. Knows counts and nothing above them."""

from outperform.io.align import read_counts, read_test_sets
from outperform.io.confusion import read_confusion
from outperform.io.files import Columns, read

__all__ = ["Columns", "read", "read_confusion", "read_counts", "read_test_sets"]
