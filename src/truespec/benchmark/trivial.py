"""Specifications that say nothing: what an oracle has to differ from to be worth a task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlglot
from sqlglot import exp

from truespec.verdict import JSON, Counterexample


def trivial(domain: str, oracle: str, context: Mapping[str, object]) -> dict[str, str]:
    """Candidates by name that mean nothing, or everything, in the context of this oracle.

    A regex is compared with the empty and the full language, a formula with a contradiction and a tautology,
    a Rocq specification with False and True, an expression with 0, a query with one that returns no row.
    """
    match domain:
        case "regex" if context.get("dialect") == "deepregex":
            return {"nothing": "~(.*)", "everything": ".*"}
        case "regex":
            return {"nothing": "(?!)", "everything": "(?s:.*)"}
        case "fol":
            return {"nothing": f"({oracle}) ∧ ¬({oracle})", "everything": f"({oracle}) ∨ ¬({oracle})"}
        case "temporal":
            return {"nothing": "false", "everything": "true"}
        case "rocq":
            signature = context["signature"]
            return {
                "nothing": f"Definition spec {signature} := False.",
                "everything": f"Definition spec {signature} := True.",
            }
        case "arith":
            return {"zero": "0", "false": "False"}
        case "sql":
            query: Any = sqlglot.parse_one(oracle, read=str(context.get("dialect", "mysql")))
            if query.is_star:
                return {"no row": f"SELECT * FROM ({oracle.rstrip().removesuffix(';')}) AS it WHERE 1 = 0"}
            columns = len(query.selects)
            return {"no row": f"SELECT {', '.join(['NULL'] * columns)} WHERE 1 = 0"}
    raise ValueError(f"{domain}: no trivial specifications are known")


def constant(domain: str, found: Counterexample) -> str | None:
    """The expression or query that always has the value the oracle has at this point; None where it has none.

    An oracle that differs from it as well takes two values: it is no constant.
    """
    value = found.oracle_value
    if domain == "arith":
        return None if isinstance(value, dict) else str(value)
    if domain == "sql" and isinstance(value, list):
        rows = [f"SELECT {', '.join(map(_literal, row))}" for row in value if isinstance(row, list)]
        return " UNION ALL ".join(rows) or None
    return None


def _literal(value: JSON) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return exp.Literal.string(value).sql()
    return json.dumps(value)
