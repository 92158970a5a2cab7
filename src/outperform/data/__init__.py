"""What happened: labels, counts, items, scores, and every way to make them."""
