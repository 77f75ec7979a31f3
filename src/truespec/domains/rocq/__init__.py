"""Rocq specifications: equivalence and refutation, both checked by the kernel."""
