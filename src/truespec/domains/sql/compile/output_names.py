"""Output names in HAVING and ORDER BY."""

from __future__ import annotations

import contextlib

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
    """Whether a table in FROM has a column of this name, as far as the schema tells."""
    start = query.args.get("from_")
    parts = [] if start is None else [start, *(query.args.get("joins") or ())]
    common = {known for scope in reader.ctes for known in scope}
    for table in (part.this for part in parts):
        if isinstance(table, exp.Table) and table.name.lower() not in common and not table.args.get("db"):
            with contextlib.suppress(KeyError):
                columns = reader.world.schema.table(table.name.lower()).columns
                if any(column.name.lower() == name for column in columns):
                    return True
    return False
