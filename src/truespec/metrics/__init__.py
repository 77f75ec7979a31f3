"""Rates with their counts and intervals: judges against formal ground truth, agreement, ranking, corrections.

An empty denominator is `None`, never a number.
"""
