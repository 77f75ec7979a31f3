"""Aggregates as functions of bags: one symbol per bag that is proved different from all others."""
