"""Whether LIMIT cuts between more rows that tie than two orders tell apart: a query that asks a database.

What a subquery keeps of rows that tie may be shown by a function of it, to which the first and the last of
three are the same. Of two unlike rows, one order keeps the one first and the other order the other.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from truespec.domains.sql.refute.peers import clauses_around, with_clauses

ROWS = "truespec_rows"
"""The rows of the query without its LIMIT."""


def border(query: Any, columns: int | None) -> exp.Expr | None:
    """A query that yields 1 where a LIMIT cuts between three unlike rows that tie, and 0 elsewhere.

    Beside an OFFSET, which cuts as well, two are too many. None where that cannot be asked. `columns`: how
    many the query puts out, None where a star hides it.
    """
    around = clauses_around(query)
    cuts = _cuts(query)
    if around is None or columns is None or cuts is None:
        return None
    rows = query.copy()
    for part in ("order", "limit", "offset", "with_"):
        rows.set(part, None)
    order = query.args.get("order")
    keys: list[exp.Expr] = []
    extra = 0
    for key in order.expressions if order is not None else ():
        place = _place(key.this, query)
        if place is None:
            plain = isinstance(query, exp.Select) and not query.args.get("distinct")
            if not plain or isinstance(key.this, exp.Literal) or _names_output(key.this, query):
                return None
            rows.append("expressions", exp.alias_(key.this.copy(), f"truespec_key{extra}"))
            extra += 1
            place = columns + extra
        sorted_by = key.copy()
        sorted_by.set("this", exp.column(f"c{place}"))
        keys.append(sorted_by)
    names = [exp.to_identifier(f"c{place}") for place in range(1, columns + extra + 1)]
    shown = [exp.column(name.copy()) for name in names[:columns]]
    first = _over(exp.Anonymous(this="RANK", expressions=[]), keys)
    last = _over(exp.Count(this=exp.Star()), keys)
    numbered = exp.select(*shown, exp.alias_(first, "first_peer"), exp.alias_(last, "last_peer")).from_(ROWS)
    unlike = [
        exp.select("COUNT(*)").from_(
            exp.select(*shown)
            .distinct()
            .from_(numbered.subquery("numbered"))
            .where(f"first_peer <= {cut} AND last_peer > {cut}")
            .subquery("unlike")
        )
        for cut in cuts
    ]
    some = exp.or_(
        *(exp.GT(this=one.subquery(), expression=exp.Literal.number(3 - len(cuts))) for one in unlike)
    )
    branch = exp.If(this=some, true=exp.Literal.number(1))
    asked = exp.select(exp.Case(ifs=[branch], default=exp.Literal.number(0)))
    table = exp.CTE(this=rows, alias=exp.TableAlias(this=exp.to_identifier(ROWS), columns=names))
    return with_clauses(asked, around, [table])


def _over(function: exp.Expr, keys: list[exp.Expr]) -> exp.Window:
    order = exp.Order(expressions=[key.copy() for key in keys]) if keys else None
    return exp.Window(this=function, order=order)


def _cuts(query: Any) -> list[int] | None:
    """Behind how many rows a query cuts; None where that is not written as numbers."""
    limit, offset = query.args.get("limit"), query.args.get("offset")
    if not isinstance(limit, exp.Limit | None) or (limit is not None and limit.args.get("offset")):
        return None
    counts = [part.expression for part in (offset, limit) if part is not None]
    if not all(isinstance(one, exp.Literal) and one.name.isdigit() for one in counts):
        return None
    numbers = [int(one.name) for one in counts]
    return [sum(numbers[:place]) for place in range(1, len(numbers) + 1)]


def _place(key: Any, query: Any) -> int | None:
    """The output that a sort key is: by its place, or by its name where no column is called so."""
    first = query
    while not isinstance(first, exp.Select):
        first = first.this
    if isinstance(key, exp.Literal):
        named = not key.is_string and key.name.isdigit()
        return int(key.name) if named and int(key.name) <= len(first.expressions) else None
    for place, output in enumerate(first.expressions, 1):
        if output.is_star:
            return None
        if isinstance(key, exp.Column) and not key.table:
            if str(output.alias_or_name).lower() == str(key.name).lower():
                return place
        elif output.unalias() == key:
            return place
    return None


def _names_output(key: Any, query: Any) -> bool:
    """Whether a sort key may name an output that is no column of the name."""
    made = {
        str(output.alias).lower()
        for output in query.expressions
        if isinstance(output, exp.Alias) and not isinstance(output.this, exp.Column)
    }
    return any(not one.table and str(one.name).lower() in made for one in key.find_all(exp.Column))
