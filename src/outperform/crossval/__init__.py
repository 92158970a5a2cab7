"""Cross-validation: splits, fits, and what is kept of them."""
