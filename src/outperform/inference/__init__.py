"""From counts and a question to evidence: draws, Bayes factors, classical tests."""
