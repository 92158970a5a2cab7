"""Results: frozen values that carry their draws and can be written in any format."""

from outperform.results.base import PerClass, Result, Rows, Several
from outperform.results.bayes_test import BayesEvidence, BayesTest, Hypotheses
from outperform.results.comparison import Comparison, Evidence
from outperform.results.estimate import Estimate, Sample
from outperform.results.planning import Plan, Power

__all__ = [
    "BayesEvidence",
    "BayesTest",
    "Comparison",
    "Estimate",
    "Evidence",
    "Hypotheses",
    "PerClass",
    "Plan",
    "Power",
    "Result",
    "Rows",
    "Sample",
    "Several",
]  # fmt: skip
