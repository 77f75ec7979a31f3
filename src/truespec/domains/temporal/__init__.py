"""Temporal logic: formulas on finite traces or infinite words, with past."""
