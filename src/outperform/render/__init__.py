"""Results as text, tables and pictures. Functions of results; nothing here computes a statistic."""
