"""Helpers that import nothing else from the package: errors, limits, progress, cores."""
