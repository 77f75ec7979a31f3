"""Models of environments, in which a recorded conversation can be replayed."""
