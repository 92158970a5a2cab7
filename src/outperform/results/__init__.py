"""Results: frozen values that carry their draws and can be written in any format."""

from outperform.results.base import PerClass, Result, Several
from outperform.results.bayes_test import BayesEvidence, BayesTest, Hypotheses
from outperform.results.comparison import Comparison, Evidence
from outperform.results.estimate import Estimate, Sample

__all__ = [
    "BayesEvidence",
    "BayesTest",
    "Comparison",
    "Estimate",
    "Evidence",
    "Hypotheses",
    "PerClass",
    "Result",
    "Sample",
    "Several",
]  # fmt: skip
