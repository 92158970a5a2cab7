"""Test results: labels, counts, items and scores, and the ways to create them."""
