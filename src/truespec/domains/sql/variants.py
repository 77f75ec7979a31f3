"""Changed queries: slips for the benchmarks and tests, and rewritings that mean the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

Change = Callable[[exp.Expr], Iterator[exp.Expr]]
"""What may stand in place of a node; the node itself is not to be modified."""

_OTHERS: dict[Any, tuple[Any, ...]] = {
    exp.LT: (exp.LTE, exp.GT),
    exp.LTE: (exp.LT, exp.GTE),
    exp.GT: (exp.GTE, exp.LT),
    exp.GTE: (exp.GT, exp.LTE),
    exp.EQ: (exp.NEQ,),
    exp.NEQ: (exp.EQ,),
    exp.And: (exp.Or,),
    exp.Or: (exp.And,),
    exp.Sum: (exp.Count, exp.Max),
    exp.Max: (exp.Min,),
    exp.Min: (exp.Max,),
    exp.Avg: (exp.Sum,),
}


def _other_operator(node: exp.Expr) -> Iterator[exp.Expr]:
    for kind in _OTHERS.get(type(node), ()):
        yield kind(**{key: _copied(part) for key, part in node.args.items()})


def _other_literal(node: exp.Expr) -> Iterator[exp.Expr]:
    inside_clause = isinstance(node.parent, exp.Group | exp.Ordered | exp.Limit | exp.Offset | exp.DataType)
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit() and not inside_clause:
        yield exp.Literal.number(int(node.this) + 1)


def _lost_part(node: exp.Expr) -> Iterator[exp.Expr]:
    if not isinstance(node, exp.Select):
        return
    for part in ("distinct", "where", "having"):
        if node.args.get(part) is not None:
            copy = node.copy()
            copy.set(part, None)
            yield copy


def _other_join(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Join) and node.args.get("on") is not None and not node.method:
        copy = node.copy()
        copy.set("side", None if node.side else "LEFT")
        copy.set("kind", None)
        yield copy


_SLIPS: tuple[Change, ...] = (_other_operator, _lost_part, _other_literal, _other_join)


def mutants(tree: exp.Expr, dialect: str) -> Iterator[str]:
    """Queries with one slip each, kinds in turn, in a fixed order."""
    seen = {tree.sql(dialect)}
    streams = [_changed(tree, slip, dialect) for slip in _SLIPS]
    while streams:
        for stream in list(streams):
            text = next(stream, None)
            if text is None:
                streams.remove(stream)
            elif text not in seen:
                seen.add(text)
                yield text


def rewritings(tree: exp.Expr, dialect: str) -> Iterator[str]:
    """Queries that mean the same by a law of SQL, one change each, in a fixed order."""
    seen = {tree.sql(dialect)}
    for law in (_swapped, _doubly_negated, _repeated):
        for text in _changed(tree, law, dialect):
            if text not in seen:
                seen.add(text)
                yield text
                break


def _swapped(node: exp.Expr) -> Iterator[exp.Expr]:
    """`a < b` is `b > a`; AND and OR commute."""
    flipped: dict[Any, Any] = {
        exp.LT: exp.GT,
        exp.GT: exp.LT,
        exp.LTE: exp.GTE,
        exp.GTE: exp.LTE,
        exp.EQ: exp.EQ,
        exp.And: exp.And,
        exp.Or: exp.Or,
    }
    kind = flipped.get(type(node))
    if kind is not None and not isinstance(node.expression, exp.All | exp.Any):
        yield kind(this=_wrapped(node.expression), expression=_wrapped(node.this))


def _wrapped(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node.copy()) if isinstance(node, exp.Connector) else node.copy()


def _doubly_negated(node: exp.Expr) -> Iterator[exp.Expr]:
    """`p` is `NOT (NOT (p))` in three-valued logic too."""
    if isinstance(node, exp.Where):
        inner = exp.Not(this=exp.Paren(this=node.this.copy()))
        yield exp.Where(this=exp.Not(this=exp.Paren(this=inner)))


def _repeated(node: exp.Expr) -> Iterator[exp.Expr]:
    """`p` is `p AND p`."""
    if isinstance(node, exp.Where):
        one, two = exp.Paren(this=node.this.copy()), exp.Paren(this=node.this.copy())
        yield exp.Where(this=exp.And(this=one, expression=two))


def _changed(tree: exp.Expr, change: Change, dialect: str) -> Iterator[str]:
    for number, node in enumerate(list(tree.walk(bfs=True))):
        for replacement in change(node):
            copy = tree.copy()
            if number == 0:
                yield replacement.sql(dialect)
                continue
            for position, there in enumerate(copy.walk(bfs=True)):
                if position == number:
                    there.replace(replacement)
                    break
            yield copy.sql(dialect)


def _copied(part: object) -> object:
    if isinstance(part, exp.Expr):
        return part.copy()
    if isinstance(part, list):
        return [_copied(item) for item in part]
    return part
