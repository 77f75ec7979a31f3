"""Output names in HAVING and ORDER BY."""

from __future__ import annotations

import contextlib
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Position, Scope, fingerprint
from truespec.domains.sql.places import place_of
from truespec.verdict import Unsupported


def inline(reader: Reader, node: exp.Expr, aliases: dict[str, exp.Expr], scope: Scope) -> exp.Expr:
    """Output names in HAVING and ORDER BY replaced by what they stand for, where no column has the name.

    In a subquery a name is that of a column of its own tables where they have one; else it is `Unsupported`,
    as is a name of both where the dialect does not say that it is the column.
    """

    def replace_name(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and not part.table and part.name.lower() in aliases:
            inside = part.find_ancestor(exp.Query)
            if inside is not None and _is_column(reader, inside, part.name.lower()):
                return part
            if inside is not None:
                raise Unsupported(f"sql: the output name {part.name!r} in a subquery", place_of(part))
            target = aliases[part.name.lower()]
            position = scope.find(part)
            if position is None:
                return target.copy() if isinstance(target, Position) else exp.Paren(this=target.copy())
            column = reader.dialect.names_in_expressions_are_columns
            if not (column and _is_inside(part)) and fingerprint(target, scope) != f"#{position}":
                raise Unsupported(
                    f"sql: the name {part.name!r} is both a column and an output", place_of(part)
                )
        return part

    return node.copy().transform(replace_name)


def _is_inside(name: exp.Expr) -> bool:
    """Whether a name is a part of an expression, and not a whole key that may name an output."""
    above = name.parent
    while isinstance(above, exp.Paren | exp.Collate | exp.Ordered):
        above = above.parent
    return above is not None and not isinstance(above, exp.Having)


def _is_column(reader: Reader, query: exp.Query, name: str) -> bool:
    """Whether what stands in FROM surely has a column of this name, as the schema and the text tell."""
    start = query.args.get("from_")
    parts = [] if start is None else [start, *(query.args.get("joins") or ())]
    return any(_has(reader, part.this, name) for part in parts)


def _has(reader: Reader, source: Any, name: str) -> bool:
    alias = source.args.get("alias")
    renamed = [] if alias is None else [str(column.name).lower() for column in alias.columns]
    if renamed:
        return name in renamed
    if isinstance(source, exp.Subquery):
        return _puts_out(source.this, name)
    if not isinstance(source, exp.Table) or source.args.get("db"):
        return False
    for scope in reversed(reader.ctes):
        known = scope.get(source.name.lower())
        if known is not None:
            cte = known[0] if isinstance(known, tuple) else None
            if cte is not None and cte.args["alias"].columns:
                return name in (str(column.name).lower() for column in cte.args["alias"].columns)
            return cte is not None and _puts_out(cte.this, name)
    with contextlib.suppress(KeyError):
        columns = reader.world.schema.table(source.name.lower()).columns
        return any(column.name.lower() == name for column in columns)
    return False


def _puts_out(query: Any, name: str) -> bool:
    """Whether a query names an output so; a set operation has the names of its first query."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    return isinstance(query, exp.Select) and any(item.alias_or_name.lower() == name for item in query.selects)
