"""The public verbs, one per file."""
