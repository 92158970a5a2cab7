"""One public verb a file: what a user calls."""
