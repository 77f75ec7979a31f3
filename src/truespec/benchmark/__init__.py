"""Tasks, data sets and their import."""
