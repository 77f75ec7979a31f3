"""Queries as bags: what each clause and each expression of SQL means."""
