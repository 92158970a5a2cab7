"""Two classifiers compared by scores: of folds on one data set, or across several data sets.

Each way gives a posterior that says how likely the difference, first minus second, lies below, within and above a
region.
"""

from outperform.across.correlated import CorrelatedT
from outperform.across.hierarchical import HierarchicalT
from outperform.across.regions import Center, Regions, ScorePosterior
from outperform.across.scores import PairScores
from outperform.across.signs import PLACES, Sign, SignedRank

__all__ = [
    "PLACES", "Center", "CorrelatedT", "HierarchicalT", "PairScores", "Regions", "ScorePosterior", "Sign", "SignedRank",
]  # fmt: skip
