"""Rankings of a rare class: which items of the common one a measure cannot tell apart.

The area under the ROC curve compares items of different classes alone. So items of the common class count alike if the
same items of the rare class score below them and above them with every system. They are one kind of item, whose
weight is a gamma of their number, so that a draw takes one number per kind and the scores keep their distribution. Of
one system with P rare items there are at most 2P + 1 kinds, P of them ties; of two on which no scores tie, (P + 1)².

Average precision compares positive items with each other as well, but negative ones with positive ones alone: this
holds for it if the positive class is rare.
"""

from __future__ import annotations

import numpy as np

from outperform.data.items import Items

__all__ = ["told_apart"]

FEWER = 4  # times fewer kinds than items, expected of two systems, for which it is worth the work


def told_apart(items: Items, *, negatives_too: bool) -> Items:
    """Return the items with those of the common class that count alike in one row.

    As they are if neither class is rare, or only the negative one and `negatives_too` is false, and in clusters or
    strata, which have weights of their own.
    """
    rare = items.truth == 1
    if negatives_too and 2 * rare.sum() > len(rare):
        rare = ~rare
    whole = items.average == "binary" and not (len(items.cluster) or len(items.stratum))
    if not whole or FEWER * int(rare.sum()) ** 2 > len(rare):
        return items
    codes = [np.where(rare, np.cumsum(rare), 0)]  # every rare item is of its own kind
    for output in items.outputs:
        scores = np.sort(output[rare])
        # How many rare items score below, and no higher: equal numbers between two of them, different ones in a tie.
        code = sum(np.searchsorted(scores, output, side=side) for side in ("left", "right"))
        codes.append(np.where(rare, 0, code))
    return items.collapsed(np.column_stack(codes))
