"""Which fractions of two queries are DOUBLE and which DECIMAL, where roundings treat them differently."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql import check_queries
from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.functions.catalogue import words
from truespec.domains.sql.schema import Kind, Schema
from truespec.domains.sql.written import CALLED
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


_WHOLE_PARTS = words(
    """
    YEAR QUARTER MONTH WEEK DAY HOUR MINUTE MICROSECOND MICROSECONDS DOW ISODOW DOY ISOYEAR CENTURY DECADE
    MILLENNIUM
    """
)
"""What EXTRACT takes of a day or a moment that is a whole number."""
_TESTS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between, exp.Is)
_KEYS = (exp.Group, exp.Ordered, exp.Window)


_SHARES = (exp.PercentRank, exp.CumeDist, exp.PercentileCont, exp.Corr, exp.CovarPop, exp.CovarSamp)
"""Functions that make a DOUBLE of every number."""


def check_rounding(trees: Sequence[exp.Expr], schema: Schema) -> bool:
    """Whether all numbers of the queries, compared with one another, are fractions of one sort.

    ROUND is read only there. MariaDB and PostgreSQL round halves of DOUBLE to even and halves of DECIMAL away
    from zero, and their CASTs to integers do the same. A CHECK may say that two such numbers are equal, or
    round one itself.
    """
    if not DIALECTS[schema.dialect].rounds_by_type:
        return False
    trees = [*trees, *check_queries.beside(trees, schema)]
    rounds = any(map(_rounds, trees))
    if not rounds and not any(map(_makes_whole, trees)):
        return False
    tables = {table.name.lower() for tree in trees for table in tree.find_all(exp.Table)}
    sorts = [_fractions(tree, tables, schema) for tree in trees]
    mixed = any(double for double, _ in sorts) and any(exact for _, exact in sorts)
    if mixed and rounds:
        raise Unsupported("sql: ROUND beside DOUBLE and DECIMAL, which the engine rounds differently")
    return not mixed


def _rounds(tree: exp.Expr) -> bool:
    casts = tree.find_all(exp.Cast)
    return tree.find(exp.Round) is not None or any(c.to.this is exp.DataType.Type.DECIMAL for c in casts)


def _makes_whole(tree: exp.Expr) -> bool:
    return any(cast.to.this in exp.DataType.INTEGER_TYPES for cast in tree.find_all(exp.Cast))


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
    exact |= any(_is_exact_part(node, schema.dialect) for node in tree.find_all(exp.Extract))
    # PostgreSQL's SUM of BIGINT is a DECIMAL, and so is what its functions make of that.
    typed = not DIALECTS[schema.dialect].doubles_from_texts
    exact |= typed and tree.find(exp.Sum) is not None and tree.find(*_DOUBLES) is not None
    exact |= any(
        not any(id(node) in doubles for node in quotient.walk())
        for quotient in tree.find_all(exp.Div, exp.Avg)
    )
    return bool(doubles), exact or any(map(_is_to_tens, tree.find_all(exp.Round)))


def _is_exact(node: exp.Expr) -> bool:
    """Whether a node by itself makes a DECIMAL."""
    if isinstance(node, exp.Literal):
        share = isinstance(node.parent, _SHARES)
        return not share and not node.is_string and "." in node.this and "e" not in node.this.lower()
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
        case exp.Extract():
            return _is_double_part(node, dialect)
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
    if isinstance(node, _SHARES):
        return not _is_beside_rounding(node)
    if not isinstance(node, _DOUBLES):
        return False
    return DIALECTS[dialect].doubles_from_texts or not _is_decimal(node.this, decimals)


def _is_double_part(node: exp.Extract, dialect: str) -> bool:
    """Whether PostgreSQL's DATE_PART may be rounded: it is neither tested, nor a key, nor whole by itself.

    It is a DOUBLE and EXTRACT is a DECIMAL; a CHECK that is not read from a query's text has either.
    """
    if not DIALECTS[dialect].extract_is_numeric or node.meta.get(CALLED) == "EXTRACT":
        return False
    above: exp.Expr | None = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if isinstance(above, exp.Cast) and above.to.this in exp.DataType.INTEGER_TYPES:
        return not _is_whole_part(node)
    return not isinstance(above, _TESTS + _KEYS)


def _is_exact_part(node: exp.Extract, dialect: str) -> bool:
    """Whether EXTRACT is a DECIMAL that may have digits after the point."""
    numeric = DIALECTS[dialect].extract_is_numeric and node.meta.get(CALLED) != "DATE_PART"
    return numeric and not _is_whole_part(node)


def _is_whole_part(node: exp.Extract) -> bool:
    return node.this.name.upper() in _WHOLE_PARTS


def _is_beside_rounding(node: exp.Expr) -> bool:
    """Whether a DOUBLE is tested, put out by the whole query, or made a DECIMAL, before it can be rounded."""
    above = node.parent
    while isinstance(above, exp.Paren | exp.WithinGroup | exp.Filter | exp.Window | exp.Alias):
        above = above.parent
    if isinstance(above, exp.Cast):
        return above.to.this is exp.DataType.Type.DECIMAL
    return isinstance(above, _TESTS) or (isinstance(above, exp.Select) and above.parent is None)


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


def sort_of(node: exp.Expr, schema: Schema) -> Kind | None:
    """Whether an expression is a DOUBLE or a DECIMAL, where all fractions beside a DOUBLE are one.

    None where its form does not tell.
    """
    tree = node.root()
    if tree.find(exp.SetOperation) is not None:
        return _sort(node, {})
    given = {name.alias.lower() for name in tree.find_all(exp.Alias, exp.CTE)}
    for alias in tree.find_all(exp.TableAlias):
        given |= {alias.name.lower(), *(column.name.lower() for column in alias.columns)}
    kinds: dict[str, set[Kind]] = {}
    for table in schema.tables:
        for column in table.columns:
            kinds.setdefault(column.name.lower(), set()).add(column.type.kind)
    return _sort(node, {name: of.pop() for name, of in kinds.items() if len(of) == 1 and name not in given})


def _sort(node: Any, kinds: dict[str, Kind]) -> Kind | None:
    """`Kind.INT` for integers."""
    match node:
        case exp.Column():
            found = kinds.get(node.name.lower())
            return found if found in (Kind.INT, Kind.DECIMAL, Kind.FLOAT) else None
        case exp.Literal() if not node.is_string:
            return Kind.FLOAT if "e" in node.this.lower() else Kind.DECIMAL if "." in node.this else Kind.INT
        case exp.Cast():
            for family, types in _FAMILIES.items():
                if node.to.this in types:
                    return family
        case exp.Div() | exp.Avg() | exp.Sqrt() | exp.Pow() | exp.TimeToUnix():
            return Kind.FLOAT
        case exp.Count():
            return Kind.INT
        case exp.Add() | exp.Sub() | exp.Mul():
            return _wider([_sort(node.this, kinds), _sort(node.expression, kinds)])
        case exp.Coalesce() | exp.Greatest() | exp.Least():
            return _wider([_sort(part, kinds) for part in (node.this, *node.expressions)])
        case exp.Case():
            branches = [*(case.args.get("true") for case in node.args["ifs"]), node.args.get("default")]
            return _wider([_sort(part, kinds) for part in branches if part is not None])
        case exp.Paren() | exp.Neg() | exp.Abs() | exp.Sum() | exp.Min() | exp.Max() | exp.Round():
            return _sort(node.this, kinds)
    return None


_FAMILIES = {
    Kind.FLOAT: exp.DataType.FLOAT_TYPES,
    Kind.DECIMAL: {exp.DataType.Type.DECIMAL},
    Kind.INT: exp.DataType.SIGNED_INTEGER_TYPES,
}


def _wider(sorts: Sequence[Kind | None]) -> Kind | None:
    """The sort of what is computed of numbers of these sorts: a DOUBLE beside anything makes it one."""
    if Kind.FLOAT in sorts:
        return Kind.FLOAT
    if None in sorts:
        return None
    return Kind.DECIMAL if Kind.DECIMAL in sorts else Kind.INT
