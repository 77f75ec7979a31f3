"""Scalar expressions: their value, NULL included, in terms of the columns in scope."""
