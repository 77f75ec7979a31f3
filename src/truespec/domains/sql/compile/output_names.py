"""Output names in HAVING and ORDER BY."""

from __future__ import annotations

from sqlglot import exp

from truespec.domains.sql.compile.scope import Position, Scope, fingerprint
from truespec.domains.sql.places import place_of
from truespec.verdict import Unsupported


def inline(node: exp.Expr, aliases: dict[str, exp.Expr], scope: Scope) -> exp.Expr:
    """Output names in HAVING and ORDER BY replaced by what they stand for, where no column has the name.

    `Unsupported` inside a subquery: its own tables may have a column of the name.
    """

    def replace_name(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and not part.table and part.name.lower() in aliases:
            if part.find_ancestor(exp.Query) is not None:
                raise Unsupported(f"sql: the output name {part.name!r} in a subquery", place_of(part))
            target = aliases[part.name.lower()]
            position = scope.find(part)
            if position is None:
                return target.copy() if isinstance(target, Position) else exp.Paren(this=target.copy())
            if fingerprint(target, scope) != f"#{position}":
                raise Unsupported(
                    f"sql: the name {part.name!r} is both a column and an output", place_of(part)
                )
        return part

    return node.copy().transform(replace_name)
