"""A query rewritten for speed: proved with the foreign key, refuted without it.

Prints:
    with the foreign key: equivalent
    without it: refuted
    the oracle gives [], the candidate [[1]]
"""

import truespec
from truespec.verdict import Counterexample

TABLES = "CREATE TABLE customer (id INTEGER PRIMARY KEY);"
OLD = "SELECT o.id FROM orders o JOIN customer c ON o.customer = c.id"
NEW = "SELECT id FROM orders"


def verdict(orders: str) -> truespec.Verdict:
    """The verdict on the two queries under a table `orders`."""
    return truespec.verify("sql", OLD, NEW, {"dialect": "sqlite", "schema": TABLES + orders}, timeout=30)


KEY = "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customer(id));"
print("with the foreign key:", verdict(KEY).answer.value)
found = verdict("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL);")
print("without it:", found.answer.value)
assert isinstance(found.evidence, Counterexample)
print(f"the oracle gives {found.evidence.oracle_value}, the candidate {found.evidence.candidate_value}")
