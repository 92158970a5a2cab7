"""Classical tests, shown next to the Bayesian results: on counts, on folds, on items, on many systems."""

from outperform.inference.baselines.counts import classical_tests, cochran_q, friedman, nemenyi
from outperform.inference.baselines.folds import fold_tests
from outperform.inference.baselines.items import delong, item_tests, paired_bootstrap, resamples_of

__all__ = [
    "classical_tests", "cochran_q", "delong", "fold_tests", "friedman", "item_tests", "nemenyi", "paired_bootstrap",
    "resamples_of",
]  # fmt: skip
