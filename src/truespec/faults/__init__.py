"""Known faults put into real traces, each beside its clean twin: ground truth for monitors and judges.

Nothing here knows rules: what a fault breaks is said in words, and whoever looks for it has to find it.
"""
