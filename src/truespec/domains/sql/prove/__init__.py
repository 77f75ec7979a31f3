"""Whether two bags are equal on every database."""
