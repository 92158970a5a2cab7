"""Other tools and outperform on the same data."""
