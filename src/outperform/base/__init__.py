"""What knows nothing of the rest: errors, limits, progress, cores."""
