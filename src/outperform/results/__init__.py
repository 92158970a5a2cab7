"""Results: frozen values that carry their draws and can be written in any format."""

from outperform.results.base import PerClass, Result, Rows, Several
from outperform.results.bayes_test import BayesEvidence, BayesTest, Hypotheses
from outperform.results.by_slice import BySlice
from outperform.results.card import Card, card_of
from outperform.results.check import CheckedCell, PredictiveCheck
from outperform.results.comparison import Comparison, Sensitivity
from outperform.results.estimate import Estimate
from outperform.results.planning import Plan, Power
from outperform.results.ranking import Pair, Ranked, Ranking

__all__ = [
    "BayesEvidence", "BayesTest", "BySlice", "Card", "CheckedCell", "Comparison", "Estimate", "Hypotheses", "Pair",
    "PerClass", "Plan", "Power", "PredictiveCheck", "Ranked", "Ranking", "Result", "Rows", "Sensitivity", "Several",
    "card_of",
]  # fmt: skip
