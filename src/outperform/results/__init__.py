"""Results: frozen values that carry their draws and can be written in any format."""

from outperform.results.base import PerClass, Result, Rows, Several
from outperform.results.bayes_test import BayesEvidence, BayesTest, Hypotheses
from outperform.results.comparison import Comparison, Evidence
from outperform.results.estimate import Estimate, Sample
from outperform.results.planning import Plan, Power
from outperform.results.ranking import Pair, Ranked, Ranking, RankingEvidence

__all__ = [
    "BayesEvidence",
    "BayesTest",
    "Comparison",
    "Estimate",
    "Evidence",
    "Hypotheses",
    "Pair",
    "PerClass",
    "Plan",
    "Power",
    "Ranked",
    "Ranking",
    "RankingEvidence",
    "Result",
    "Rows",
    "Sample",
    "Several",
]  # fmt: skip
