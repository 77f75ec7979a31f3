"""Which fractions of two queries are DOUBLE and which DECIMAL, where ROUND treats them differently."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql import check_queries
from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.schema import Kind, Schema
from truespec.verdict import Unsupported

_NUMERIC = re.compile(r"\s*[+-]?[\d.]")
"""How texts begin that MariaDB reads as other numbers than 0."""
_COMPUTED = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Abs, exp.Round, exp.Floor),
    *(exp.Ceil, exp.Trunc, exp.Pow, exp.Tuple, exp.Values),
)
"""Above a text that is computed with, or that may be."""
_DOUBLES = (
    *(exp.Pow, exp.Sqrt, exp.Cbrt, exp.Exp, exp.Ln, exp.Log, exp.Sin, exp.Cos, exp.Tan, exp.Degrees),
    *(exp.Radians, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
)
"""Functions that make a DOUBLE, in MariaDB of every number."""


def check_rounding(trees: Sequence[exp.Expr], schema: Schema) -> None:
    """ROUND is read where all numbers of the queries, compared with one another, are fractions of one sort.

    MariaDB and PostgreSQL round halves of DOUBLE to even and halves of DECIMAL away from zero. A CHECK may
    say that two such numbers are equal, or round one itself.
    """
    if not DIALECTS[schema.dialect].rounds_by_type:
        return
    trees = [*trees, *check_queries.beside(trees, schema)]
    if not any(map(_rounds, trees)):
        return
    tables = {table.name.lower() for tree in trees for table in tree.find_all(exp.Table)}
    sorts = [_fractions(tree, tables, schema) for tree in trees]
    if any(double for double, _ in sorts) and any(exact for _, exact in sorts):
        raise Unsupported("sql: ROUND beside DOUBLE and DECIMAL, which the engine rounds differently")


def _rounds(tree: exp.Expr) -> bool:
    casts = tree.find_all(exp.Cast)
    return tree.find(exp.Round) is not None or any(c.to.this is exp.DataType.Type.DECIMAL for c in casts)


def _fractions(tree: exp.Expr, tables: set[str], schema: Schema) -> tuple[bool, bool]:
    """Whether a query may compute with DOUBLE, and whether it may with DECIMAL or round integers to tens."""
    named = {column.name.lower() for column in tree.find_all(exp.Column)}
    columns = [c for t in schema.tables if t.name.lower() in tables for c in t.columns]
    starred = any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))
    used = [c for c in columns if starred or c.name.lower() in named]
    floats = {c.name.lower() for c in used if c.type.kind is Kind.FLOAT}
    kinds: dict[str, set[Kind | None]] = {name.alias.lower(): {None} for name in tree.find_all(exp.Alias)}
    for column in used:
        kinds.setdefault(column.name.lower(), set()).add(column.type.kind)
    decimals = {name for name, known in kinds.items() if known == {Kind.DECIMAL}}
    doubles = {id(node) for node in tree.walk() if _is_double(node, schema.dialect, floats, decimals)}
    exact = any(c.type.kind is Kind.DECIMAL for c in used) or any(map(_is_exact, tree.walk()))
    exact |= any(
        not any(id(node) in doubles for node in quotient.walk())
        for quotient in tree.find_all(exp.Div, exp.Avg)
    )
    return bool(doubles), exact or any(map(_is_to_tens, tree.find_all(exp.Round)))


def _is_exact(node: exp.Expr) -> bool:
    """Whether a node by itself makes a DECIMAL."""
    if isinstance(node, exp.Literal):
        return not node.is_string and "." in node.this and "e" not in node.this.lower()
    return isinstance(node, exp.Cast) and node.to.this is exp.DataType.Type.DECIMAL


def _is_double(node: exp.Expr, dialect: str, floats: set[str], decimals: set[str]) -> bool:
    """Whether a node by itself makes a DOUBLE: columns and casts, functions, in MariaDB some literals.

    MariaDB computes with texts as with DOUBLE. PostgreSQL's functions of integers are DOUBLE, those of
    DECIMAL are DECIMAL.
    """
    match node:
        case exp.Column():
            return node.name.lower() in floats
        case exp.Cast():
            return node.to.this in exp.DataType.FLOAT_TYPES
        case exp.Literal() if node.is_string:
            return (
                DIALECTS[dialect].doubles_from_texts
                and _NUMERIC.match(node.this) is not None
                and _is_computed(node)
            )
        case exp.Literal():
            return DIALECTS[dialect].doubles_from_texts and "e" in node.this.lower()
        case exp.Ceil() | exp.Floor() | exp.Round() | exp.Trunc() if node.args.get("decimals") is None:
            return DIALECTS[dialect].doubles_from_integers and not _is_decimal(node.this, decimals)
    if not isinstance(node, _DOUBLES):
        return False
    return DIALECTS[dialect].doubles_from_texts or not _is_decimal(node.this, decimals)


def _is_computed(text: exp.Expr) -> bool:
    """Whether a text is computed with, or stands in a column with which an outer query may."""
    above = text.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if isinstance(above, exp.Alias | exp.Select):
        query = text.parent_select
        return query is not None and query.find_ancestor(exp.Subquery, exp.CTE, exp.Select) is not None
    return isinstance(above, _COMPUTED)


def _is_decimal(node: Any, decimals: set[str]) -> bool:
    """Whether the form of an expression tells that it is no integer in PostgreSQL."""
    match node:
        case exp.Column():
            return node.name.lower() in decimals
        case exp.Avg() | exp.Extract():
            return True
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            return _is_decimal(node.this, decimals) or _is_decimal(node.expression, decimals)
        case (
            exp.Paren() | exp.Neg() | exp.Abs() | exp.Sum() | exp.Min() | exp.Max() | exp.Ceil() | exp.Floor()
        ):
            return _is_decimal(node.this, decimals)
    return isinstance(node, exp.Expr) and _is_exact(node)


def _is_to_tens(node: exp.Round) -> bool:
    """Whether ROUND may go to places before the point."""
    places = node.args.get("decimals")
    return places is not None and not (isinstance(places, exp.Literal) and places.this.isdigit())
