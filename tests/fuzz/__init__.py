"""Hostile files, names and options, made from a seed, and what must hold whatever they are."""
