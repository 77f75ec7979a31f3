"""Measurements: each module prints the figures of one subject."""
