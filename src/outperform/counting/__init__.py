"""Rows become counts, once, wherever they are: in arrays, in Arrow batches, in an engine."""

from outperform.counting.frames import columns_of_frame, tally_frame
from outperform.counting.labelled import Labelled, labelled, without_blanks
from outperform.counting.tally import Tally, Tallying, moments

__all__ = ["Labelled", "Tally", "Tallying", "columns_of_frame", "labelled", "moments", "tally_frame", "without_blanks"]
