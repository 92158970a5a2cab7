"""Measures and averages: functions from counts or items to a score."""
