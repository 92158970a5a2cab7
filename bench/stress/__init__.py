"""Worlds that differ in kind, and how often the intervals and verdicts hold there: `python -m bench.stress`."""
