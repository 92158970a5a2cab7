"""Numbers, texts and tables, without statistics."""
