"""From draws to a verdict: summaries, the decision rule, several verdicts, goals."""
