"""Arithmetic: one numeric or Boolean expression over integer and rational variables, exact throughout."""
