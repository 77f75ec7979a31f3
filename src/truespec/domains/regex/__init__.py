"""Regular expressions: `python` (the `re` module) and `deepregex` dialects, decided by derivatives."""
