"""CHECK conditions as queries over their tables: what reads queries, and refuses some, does so with them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.domains.sql.engines.script import identifier
from truespec.domains.sql.places import mark
from truespec.domains.sql.schema import Schema, Table


def selection(table: Table, check: str, schema: Schema) -> str:
    """The query for the rows where a CHECK condition of the table is true."""
    return f"SELECT 1 FROM {identifier(table.name, schema)} WHERE {check}"


def beside(trees: Iterable[exp.Expr], schema: Schema) -> list[exp.Expr]:
    """The CHECKs that bear on these queries, as queries themselves; without any that cannot be parsed.

    They are those of the tables that are named, and of the tables to which these refer, about a column that
    is named or that a CHECK or a FOREIGN KEY links to one.
    """
    trees = list(trees)
    tables = {table.name.lower() for tree in trees for table in tree.find_all(exp.Table)}
    named = {column.name.lower() for tree in trees for column in tree.find_all(exp.Identifier)}
    reached = [table for table in schema.tables if table.name.lower() in tables]
    for table in reached:
        parents = {key.table for key in table.foreign_keys} - {known.name for known in reached}
        reached += [parent for parent in schema.tables if parent.name in parents]
    if any(not isinstance(star.parent, exp.Count) for tree in trees for star in tree.find_all(exp.Star)):
        named |= {column.name.lower() for table in reached for column in table.columns}
    checks = [_parsed(selection(t, check, schema), schema.dialect) for t in reached for check in t.checks]
    found = {id(tree): tree for tree in checks if tree is not None}
    links = [{column.name.lower() for column in tree.find_all(exp.Column)} for tree in found.values()]
    links += [{c.lower() for c in (*k.columns, *k.references)} for t in reached for k in t.foreign_keys]
    while any(link & named and not link <= named for link in links):
        named |= set().union(*(link for link in links if link & named))
    return [tree for tree, link in zip(found.values(), links, strict=False) if link & named]


@lru_cache(maxsize=1024)
def _parsed(text: str, dialect: str) -> exp.Expr | None:
    try:
        tree = sqlglot.parse_one(text, read=dialect)
        mark(tree, text, dialect)
        return tree
    except (SqlglotError, RecursionError):
        return None
