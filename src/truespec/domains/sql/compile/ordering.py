"""ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Denotation
from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.kinds import ALWAYS_NULL, INT, TEXT, Enumerated, Sealed
from truespec.domains.sql.ir.values import Val, null_of
from truespec.domains.sql.places import place_of
from truespec.domains.sql.rules.first_rows import Sort
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def tail(reader: Reader, node: exp.Expr, query: Denotation) -> Denotation:
    """ORDER BY and LIMIT above a set operation or a parenthesised query: keys are output columns."""
    sorts: list[Sort] = []
    terms = list(reader.rows(query).terms)
    for key in sort_keys(node.args.get("order"), len(query.names)):
        position = output_position(key.this, query.names)
        if position is None:
            raise Unsupported(f"sql: ORDER BY {key.this.sql()[:40]} above a set operation", place_of(key))
        terms = [replace(t, outs=(*t.outs, sort_key(reader, key, t.outs[position]))) for t in terms]
        sorts.append(sort_of(key))
    return Denotation(query.names, Bag(tuple(terms)), tuple(sorts), limit_of(node))


def sort_keys(order: exp.Order | None, width: int) -> list[exp.Ordered]:
    """The keys of ORDER BY; ALL stands for every output from left to right."""
    keys: list[exp.Ordered] = [] if order is None else list(order.expressions)
    if len(keys) != 1 or not (isinstance(keys[0].this, exp.Var) and keys[0].this.name.upper() == "ALL"):
        return keys
    found = []
    for number in range(1, width + 1):
        key = keys[0].copy()
        key.set("this", exp.Literal.number(number))
        found.append(key)
    return found


def output_position(node: exp.Expr, names: Sequence[str]) -> int | None:
    """The output that an ORDER BY key names, by number or by name."""
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
        if not 1 <= int(node.this) <= len(names):
            raise SpecificationError(ReasonCode.SCOPE, f"there is no output column {node.this}")
        return int(node.this) - 1
    if isinstance(node, exp.Column) and not node.table:
        hits = [i for i, name in enumerate(names) if name == node.name.lower()]
        return hits[0] if len(hits) == 1 else None
    return None


def limit_of(node: exp.Expr) -> tuple[int | None, int] | None:
    """LIMIT, None for all rows, and OFFSET; None where there is neither."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return None
    if isinstance(limit, exp.Fetch):
        options = limit.args.get("limit_options")
        if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
            raise Unsupported(f"sql: {limit.sql()[:40]}", place_of(limit))
        limit = exp.Limit(expression=limit.args.get("count") or exp.Literal.number(1))
    numbers: list[int | None] = []
    for part in (limit, offset):
        literal = None if part is None else part.expression
        if part is not None and not (isinstance(literal, exp.Literal) and literal.this.isdigit()):
            raise Unsupported("sql: a LIMIT that is no literal number", place_of(part))
        numbers.append(None if literal is None else int(literal.this))
    return numbers[0], numbers[1] or 0


def sort_key(reader: Reader, node: exp.Expr, value: Val) -> Val:
    """The value as ORDER BY has it: an ENUM by its position.

    In MariaDB all but a column of that type is a text; DuckDB keeps the type in many expressions.
    """
    if value.kind in ALWAYS_NULL:
        return null_of(INT)
    if isinstance(value.kind, Enumerated):
        return reader.world.place(value)
    if isinstance(value.kind, Sealed) and value.kind.derived and reader.dialect.expressions_lose_type:
        raise Unsupported(f"sql: an order by an expression of type {value.kind.shown}", place_of(node))
    if value.kind == TEXT and reader.world.enums and not reader.dialect.expressions_lose_type:
        raise Unsupported(
            "sql: an order by a text beside ENUM columns, which order by position", place_of(node)
        )
    return value


def sort_of(key: exp.Ordered) -> Sort:
    """The direction of a sort key, and where its NULLs go."""
    return Sort(bool(key.args.get("desc")), bool(key.args.get("nulls_first")))
