"""Results: frozen values that carry their draws and can be written in any format."""

from outperform.results.base import PerClass, Result, Several
from outperform.results.comparison import Comparison, Evidence
from outperform.results.estimate import Estimate, Sample

__all__ = ["Comparison", "Estimate", "Evidence", "PerClass", "Result", "Sample", "Several"]
