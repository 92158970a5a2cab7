"""Logs that evaluation tools write become scores, item by item; one file per format.

A format says which files are its own, what task and which system a file is of, and how its scores
are read (`Format`). Its name goes into `FORMATS`, and nothing else changes.
"""

from outperform.io.logs.inspect_ai import unpacked_size
from outperform.io.logs.log import ZIP, Choice, LogFile
from outperform.io.logs.reading import FORMATS, formats_in, formats_of, offered, read_scores, scores_sent
from outperform.io.logs.tasks import read_tasks

__all__ = [
    "FORMATS", "ZIP", "Choice", "LogFile", "formats_in", "formats_of", "offered", "read_scores", "read_tasks",
    "scores_sent", "unpacked_size",
]  # fmt: skip
