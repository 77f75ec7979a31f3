"""The functions of each engine that a query may call, as data."""
