"""CHECK conditions on a row, in Python: enough of SQL to draw rows that satisfy them.

What this cannot evaluate is left to the engine, which refuses the rows. A mistake here costs databases, never
a verdict.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.script import Value
from truespec.domains.sql.refute.shapes import matches
from truespec.domains.sql.schema import Column, Kind, Table

Condition = Callable[[Mapping[str, Value]], Any]
"""From a row, by lower-case column name, to its value: None for unknown."""

_COMPARE: dict[Any, Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
_ARITHMETIC: dict[Any, Callable[[Any, Any], Any]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
    exp.Mul: operator.mul,
}


class _Beyond(Exception):
    """A construct that is left to the engine."""


@lru_cache(maxsize=1024)
def parse(check: str, dialect: str) -> exp.Expr | None:
    """The tree of a condition."""
    try:
        tree = sqlglot.parse_one(check, read=dialect)
    except SqlglotError:
        return None
    return tree


@lru_cache(maxsize=1024)
def condition(check: str, dialect: str) -> Condition | None:
    """The condition as a function of a row; None for what is left to the engine."""
    tree = parse(check, dialect)
    try:
        return _build(tree, DIALECTS[dialect].collation_merges_texts) if tree is not None else None
    except _Beyond:
        return None


def _build(node: Any, fold: bool) -> Condition:
    match node:
        case exp.Paren():
            return _build(node.this, fold)
        case exp.Column() | exp.Identifier():
            name = str(node.name).lower()
            return lambda row: row[name]
        case exp.Literal():
            value: Value = str(node.name) if node.is_string else Decimal(str(node.name))
            return lambda row: value
        case exp.Null():
            return lambda row: None
        case exp.Boolean():
            truth = bool(node.this)
            return lambda row: truth
        case exp.Cast():  # DATE '2019-01-01'
            return _build(node.this, fold)
        case exp.Neg():
            inner = _build(node.this, fold)
            return lambda row: None if (v := inner(row)) is None else -v
        case exp.And():
            left, right = _part(node.left, fold), _part(node.right, fold)
            return lambda row: _and(left(row), right(row))
        case exp.Or():
            left, right = _build(node.left, fold), _build(node.right, fold)
            return lambda row: _not(_and(_not(left(row)), _not(right(row))))
        case exp.Not():
            inner = _build(node.this, fold)
            return lambda row: _not(inner(row))
        case exp.Is() if isinstance(node.expression, exp.Null):
            inner = _build(node.this, fold)
            return lambda row: inner(row) is None
        case exp.Between():
            value_of, low, high = (
                _build(node.this, fold),
                _build(node.args["low"], fold),
                _build(node.args["high"], fold),
            )
            return lambda row: _and(
                _compare(operator.ge, value_of(row), low(row), fold),
                _compare(operator.le, value_of(row), high(row), fold),
            )
        case exp.Like() | exp.ILike() | exp.Glob() | exp.RegexpLike() | exp.RegexpILike():
            kind, text_of, pattern_of = type(node), _build(node.this, fold), _build(node.expression, fold)
            return lambda row: _both(
                text_of(row), pattern_of(row), lambda text, like: matches(kind, text, like)
            )
        case exp.Length() | exp.Upper() | exp.Lower() | exp.Trim() if set(_written(node)) == {"this"}:
            inner, make = _build(node.this, fold), _OF_TEXTS[type(node)]
            return lambda row: make(text) if isinstance(text := inner(row), str) else None
        case exp.Anonymous() | exp.Func() if _name(node) in _OF_DOCUMENTS:
            argument = next(iter(node.expressions), None) if isinstance(node, exp.Anonymous) else node.this
            inner, read = _build(argument, fold), _OF_DOCUMENTS[_name(node)]
            return lambda row: read(text) if isinstance(text := inner(row), str) else None
        case exp.In() if node.expressions:
            value_of, members = _build(node.this, fold), [_build(member, fold) for member in node.expressions]
            return lambda row: _in(value_of(row), [member(row) for member in members], fold)
    if type(node) in _COMPARE:
        compare, left, right = _COMPARE[type(node)], _build(node.left, fold), _build(node.right, fold)
        return lambda row: _compare(compare, left(row), right(row), fold)
    if type(node) in _ARITHMETIC:
        compute, left, right = _ARITHMETIC[type(node)], _build(node.left, fold), _build(node.right, fold)
        return lambda row: None if None in (a := (left(row), right(row))) else compute(*a)
    raise _Beyond


def _written(node: Any) -> list[str]:
    """The arguments that a call has."""
    return [key for key, part in node.args.items() if part]


def _name(node: Any) -> str:
    name = str(node.this) if isinstance(node, exp.Anonymous) else str(type(node).__name__)
    return name.upper().replace("_", "")


def _both(left: Any, right: Any, compute: Callable[[str, str], Any]) -> Any:
    """Of two texts; unknown of anything else."""
    return compute(left, right) if isinstance(left, str) and isinstance(right, str) else None


def _is_document(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _type_of_document(text: str) -> str | None:
    """The type of a JSON document, as PostgreSQL calls it."""
    if not _is_document(text):
        return None
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return kinds.get(type(json.loads(text)), "null")


_OF_TEXTS: dict[Any, Callable[[str], Value]] = {
    exp.Length: len,
    exp.Upper: str.upper,
    exp.Lower: str.lower,
    exp.Trim: str.strip,
}
_OF_DOCUMENTS: dict[str, Callable[[str], Value]] = {
    "JSONVALID": _is_document,
    "JSONTYPEOF": _type_of_document,
    "JSONBTYPEOF": _type_of_document,
}


def _part(node: Any, fold: bool) -> Condition:
    """One condition of several, unknown where it is left to the engine."""
    try:
        return _build(node, fold)
    except _Beyond:
        return lambda row: None


@lru_cache(maxsize=1024)
def kind_of(column: Column, table: Table, dialect: str) -> Kind:
    """The kind of values to try in a column: dates in texts that a CHECK says to be their `date(x)`."""
    if column.type.kind is not Kind.TEXT or not DIALECTS[dialect].dates_are_texts:
        return column.type.kind
    trees = [tree for text in table.checks if (tree := parse(text, dialect)) is not None]
    parts = [part for tree in trees for part in (tree.flatten() if isinstance(tree, exp.And) else [tree])]
    dated = any(_is_date_of(part.unnest(), column.name) for part in parts)
    return Kind.DATE if dated else Kind.TEXT


def _is_date_of(part: Any, name: str) -> bool:
    if not isinstance(part, exp.NullSafeEQ):  # `x = date(x)` is unknown, and no failure, where x is no date
        return False
    for value, made in ((part.this, part.expression), (part.expression, part.this)):
        whole = isinstance(made, exp.Date) and made.this == value and _changes_nothing(made)
        if whole and isinstance(value, exp.Column) and value.name.lower() == name.lower():
            return True
    return False


def _changes_nothing(made: exp.Date) -> bool:
    """Whether a call of DATE has no modifier, or only one that adds no day."""
    rest = [part for name, part in made.args.items() if name != "this" and part]
    steps = [step for part in rest for step in (part if isinstance(part, list) else [part])]
    return all(isinstance(step, exp.Literal) and step.name.lower() == "+0 days" for step in steps)


def _not(value: Any) -> Any:
    return None if value is None else not value


def _and(left: Any, right: Any) -> Any:
    if left is not None and not left:
        return False
    if right is not None and not right:
        return False
    return None if left is None or right is None else True


def _compare(compare: Callable[[Any, Any], bool], left: Any, right: Any, fold: bool) -> Any:
    if left is None or right is None:
        return None
    if isinstance(left, str) and isinstance(right, str):
        return compare(left.lower(), right.lower()) if fold else compare(left, right)
    if isinstance(left, str) or isinstance(right, str):
        return True  # of different kinds: the engine decides
    return compare(left, right)


def _in(value: Any, members: list[Any], fold: bool) -> Any:
    answers = [_compare(operator.eq, value, member, fold) for member in members]
    return True if True in answers else None if None in answers else False
