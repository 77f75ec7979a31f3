"""CTEs and derived tables that may be read by themselves: what they are called, and their rows.

A part sees no row of the queries around it. The common table expressions that it names are those in scope
where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.recursion import mentions
from truespec.domains.sql.compile.scope import Source
from truespec.domains.sql.compile.sources import PART, called
from truespec.verdict import Unsupported


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a query, and what it reads."""

    part: str
    """What it is called."""
    shown: str
    """How steps of a proof name it."""
    tables: frozenset[str]
    """The names of the tables that it reads, those of its common table expressions among them."""
    columns: tuple[str, ...] | None
    """What its columns are called; None where a star does not tell."""


def marked(query: exp.Expr, side: int) -> tuple[exp.Expr, tuple[Place, ...]]:
    """A copy of a query whose parts are called something; and its parts, each after those that it holds."""
    query = query.copy()
    read: dict[str, frozenset[str]] = {}  # of a common table expression: what it reads
    places: list[Place] = []
    for number, node in enumerate(_parts(query)):
        node.meta[PART] = f"{side}:{number}"
        body = node.this
        tables = frozenset[str]()
        for table in body.find_all(exp.Table):
            name = str(table.name).lower()
            tables |= read.get(name, frozenset({name}))
        name = node.alias.lower()
        if isinstance(node, exp.CTE):
            read[name] = tables - {name}
        places.append(Place(f"{side}:{number}", name, tables - {name}, _columns(node)))
    return query, tuple(places)


def _columns(node: exp.Expr) -> tuple[str, ...] | None:
    """What the columns of a part are called, as far as it writes them out."""
    alias, body = node.args.get("alias"), node.this
    if alias is not None and alias.columns:
        return tuple(str(column.name).lower() for column in alias.columns)
    while isinstance(body, exp.SetOperation | exp.Subquery | exp.Paren):
        body = body.this
    items = body.expressions if isinstance(body, exp.Select) else []
    starred = not items or any(item.is_star for item in items)
    return None if starred else tuple(str(item.alias_or_name).lower() for item in items)


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a query, each after those in it and those that it may name; none inside a recursion."""
    clause = node.args.get("with_")
    inside = [] if clause is None else [clause]
    inside += [child for child in node.iter_expressions() if child is not clause]
    if isinstance(node, exp.CTE) and mentions(node.this, node.alias.lower()):
        inside = []
    for child in inside:
        yield from _parts(child)
    derived = isinstance(node, exp.Subquery) and isinstance(node.parent, exp.From | exp.Join)
    if isinstance(node, exp.CTE) or (derived and isinstance(node.this, exp.Select | exp.SetOperation)):
        yield node


def part_of(reader: Reader, query: exp.Expr, part: str) -> Source:
    """The rows of a part of a query, read where it stands; raises where it reads the queries around it."""
    node = next((node for node in query.walk() if called(node) == part), None)
    if node is None:
        raise Unsupported("sql: a part that is written otherwise before it is read")
    saved = reader.ctes
    try:
        _define(reader, node)
        if not isinstance(node, exp.CTE):
            bare = node.copy()
            bare.set("joins", None)
            return reader.table(bare, None)
        return reader.table(exp.Table(this=exp.to_identifier(node.alias, quoted=True)), None)
    finally:
        reader.ctes = saved


def _define(reader: Reader, node: exp.Expr) -> None:
    """Let the common table expressions be in scope that are so where a part stands, itself among them."""
    way = [node]
    while way[-1].parent is not None:
        way.append(way[-1].parent)
    for above, below in zip(reversed(way), [*reversed(way[:-1]), None], strict=True):
        clause = above.args.get("with_")
        if not isinstance(clause, exp.With):
            continue
        ctes: Sequence[exp.CTE] = clause.expressions
        if below is clause:
            last = next(cte for cte in ctes if any(step is cte for step in way))
            place = next(i for i, cte in enumerate(ctes) if cte is last)
            ctes = ctes[: place + (last is node)]
        reader.define(clause, ctes)
