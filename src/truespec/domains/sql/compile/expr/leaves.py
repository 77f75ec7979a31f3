"""Columns, literals, subqueries and window functions as values."""

from __future__ import annotations

import z3
from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import COMPARED, Readers
from truespec.domains.sql.compile.scope import Position, Scope
from truespec.domains.sql.ir.kinds import BOOL, INT, TEXT, Sealed
from truespec.domains.sql.ir.logic import FALSE, TRUE
from truespec.domains.sql.ir.values import NULL, Val, number
from truespec.verdict import Unsupported


def _paren(reader: Reader, node: exp.Paren, scope: Scope) -> Val:
    return reader.output(node.this, scope)


def _column(reader: Reader, node: exp.Column, scope: Scope) -> Val:
    value = scope.column(node)
    outer = scope.find(node) is None
    if (
        reader.dialect.collation_merges_texts
        and outer
        and (value.kind == TEXT or isinstance(value.kind, Sealed))
    ):
        _check_cached(node)
    return value


def _check_cached(node: exp.Column) -> None:
    """A text of an outer query is only compared.

    MariaDB keeps the results of a subquery by the outer values, which it compares by the collation: what
    one of two equal texts gave serves for the other.
    """
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Tuple):
        parent = parent.parent
    if not isinstance(parent, COMPARED):
        raise Unsupported(f"sql: the text {node.sql()[:40]} of an outer query other than in a comparison")


def _grouping(reader: Reader, node: exp.Grouping, scope: Scope) -> Val:
    return Val(FALSE, z3.IntVal(scope.grouping(node)), INT)


def _position(reader: Reader, node: Position, scope: Scope) -> Val:
    return scope.at(int(node.this[1:]))


def _literal(reader: Reader, node: exp.Literal, scope: Scope) -> Val:
    if node.is_string:
        return Val(FALSE, reader.world.text(node.this), TEXT, node.this)
    return number(node.this)


def _boolean(reader: Reader, node: exp.Boolean, scope: Scope) -> Val:
    if not reader.dialect.has_boolean_type:
        return Val(FALSE, z3.IntVal(1 if node.this else 0), INT)
    return Val(FALSE, TRUE if node.this else FALSE, BOOL)


def _null(reader: Reader, node: exp.Null, scope: Scope) -> Val:
    return NULL


def _subquery(reader: Reader, node: exp.Subquery, scope: Scope) -> Val:
    return reader.scalar_subquery(node.this, scope)


def _select(reader: Reader, node: exp.Select, scope: Scope) -> Val:
    return reader.scalar_subquery(node, scope)


def _window(reader: Reader, node: exp.Window, scope: Scope) -> Val:
    return reader.window(node, scope)


READERS: Readers = {
    exp.Paren: _paren,
    exp.Column: _column,
    exp.Grouping: _grouping,
    Position: _position,
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Subquery: _subquery,
    exp.Select: _select,
    exp.Window: _window,
}
