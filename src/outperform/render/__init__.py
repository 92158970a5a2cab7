"""Results as text, tables, pictures and reports: renderers of results, found through `results.views`.

Nothing here computes a statistic. Words and tables are registered by importing this package; pictures and the report
are imported when one is asked for.
"""

from outperform.render import badge, paper, paper_suite, planning, ranking, reporting, several, tables, text, three_way

__all__ = [
    "badge",
    "paper",
    "paper_suite",
    "planning",
    "ranking",
    "reporting",
    "several",
    "tables",
    "text",
    "three_way",
]
