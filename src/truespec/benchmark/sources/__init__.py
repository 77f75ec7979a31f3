"""Readers of upstream data sets, one file each."""
