"""Pairs to start from, for each domain."""

from __future__ import annotations

from typing import Any

_SHOP = (
    "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(40));\n"
    "CREATE TABLE orders (id INT PRIMARY KEY, customer INT, total INT,\n"
    "  FOREIGN KEY (customer) REFERENCES customers (id));"
)

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "arith": [
        {
            "title": "hours between two times",
            "oracle": "(h - k) % 24",
            "candidate": "abs(h - k) % 24",
            "context": {
                "variables": {"h": {"type": "int"}, "k": {"type": "int"}},
                "constraints": ["0 <= h", "h < 24", "0 <= k", "k < 24"],
            },
        },
        {
            "title": "a discount with a cap",
            "oracle": "max(p - 20, p * 9 / 10)",
            "candidate": "p - min(20, p / 10)",
            "context": {"variables": {"p": {"type": "real"}}, "constraints": ["p >= 0"]},
        },
    ],
    "sql": [
        {
            "title": "customers without orders",
            "oracle": (
                "SELECT name FROM customers c\n"
                "WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id)"
            ),
            "candidate": "SELECT name FROM customers\nWHERE id NOT IN (SELECT customer FROM orders)",
            "context": {"schema": _SHOP, "dialect": "sqlite"},
        },
        {
            "title": "a join that is not needed",
            "oracle": "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer",
            "candidate": "SELECT id FROM orders WHERE customer IS NOT NULL",
            "context": {"schema": _SHOP, "dialect": "sqlite"},
        },
    ],
    "fol": [
        {
            "title": "every dog barks",
            "oracle": "∀x (Dog(x) → Barks(x))",
            "candidate": "∀x (Dog(x) ∧ Barks(x))",
            "context": {},
        },
        {
            "title": "no two of a kind",
            "oracle": "¬∃x (A(x) ∧ B(x))",
            "candidate": "∀x (A(x) → ¬B(x))",
            "context": {},
        },
    ],
    "regex": [
        {"title": "digits", "oracle": "[0-9]+", "candidate": r"\d+", "context": {}},
        {"title": "pairs of ab", "oracle": "(ab)*", "candidate": "(ab)*(ab)?", "context": {}},
    ],
    "rocq": [
        {
            "title": "strictly positive",
            "oracle": "Definition spec (x : Z) : Prop := x > 0.",
            "candidate": "Definition spec (x : Z) : Prop := x >= 0.",
            "context": {"signature": "(x : Z) : Prop"},
        }
    ],
    "temporal": [
        {
            "title": "each request is granted",
            "oracle": "G (request -> F grant)",
            "candidate": "F grant",
            "context": {},
        },
        {
            "title": "no payment before a check",
            "oracle": "(!pay) W check",
            "candidate": "(!pay) U check",
            "context": {"logic": "ltl"},
        },
    ],
}
"""Domain to examples: a title, the two texts, and the context."""
