"""From counts or items to a number: measures and averages."""
