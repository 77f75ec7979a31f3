"""What queries are read into: kinds, values, formulas, bags, and the world that statements are about."""
