"""From text to a syntax tree: one query that the engine accepts and that only reads the declared tables."""

from __future__ import annotations

import contextlib
import logging

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from truespec.domains.sql.engines.accept import accept
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.guard import check_text, check_tree
from truespec.domains.sql.places import mark, place_of_parse_error, second_statement
from truespec.domains.sql.quoted import read_texts
from truespec.domains.sql.schema import Schema
from truespec.verdict import Place, ReasonCode, SpecificationError, ToolMissing, Unsupported

MAX_NESTING = 120
"""Deepest nesting of parentheses that is read."""

MAX_TABLES = 64
"""Most tables that one query may name; engines plan more of them in quadratic time or not at all."""

MAX_QUERIES = 15
"""Deepest nesting of queries in queries; DuckDB's planning time doubles every three levels."""

# sqlglot warns on its logger about what it reads anyway.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


def read_query(text: str, schema: Schema, settings: Settings, *, ask: bool = True) -> exp.Expr:
    """The syntax tree of one query.

    `SpecificationError` for any other text, as the engine sees it where it is installed and `ask` is set;
    `Unsupported` for a text that the engine accepts but that cannot be parsed here. Both say where in the
    text; the tree's nodes know their places (`places.py`).
    """
    dialect = schema.dialect
    check_text(text)
    depth = deepest = 0
    place = None
    for offset, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth > MAX_NESTING >= deepest:
            place = Place.at(text, offset)
        deepest = max(deepest, depth)
    if deepest > MAX_NESTING:
        raise Unsupported(f"sql: parentheses nested {deepest} deep, more than {MAX_NESTING}", place)
    try:
        statements = [s for s in sqlglot.parse(text, read=dialect) if s is not None]
        statements = [s for s in statements if not isinstance(s, exp.Semicolon)]
    except SqlglotError as error:
        known = _syntax_error(error, text, dialect)
        if ask:
            try:
                accept(text, schema, settings)
            except ToolMissing:
                raise known from error
            raise Unsupported(
                f"sql: a text that cannot be parsed here: {known.message}", known.place
            ) from error
        raise known from error
    except RecursionError as error:
        raise Unsupported("sql: the query is nested too deeply") from error
    if len(statements) != 1:
        message = f"{len(statements)} statements where one query is expected"
        raise SpecificationError(ReasonCode.SYNTAX, message, second_statement(text, dialect))
    tree = statements[0]
    assert isinstance(tree, exp.Expr)
    _check_size(tree)
    mark(tree, text, dialect)
    read_texts(tree, text, schema)
    problem: Unsupported | None = None
    try:
        assert isinstance(tree, exp.Expression)
        check_tree(tree, dialect)
    except Unsupported as error:
        problem = error
    if ask:
        # Without the engine, names and types are checked by the compiler alone.
        with contextlib.suppress(ToolMissing):
            accept(text, schema, settings)
    if problem is not None:
        raise problem
    return tree


def _check_size(tree: exp.Expr) -> None:
    """Raise `Unsupported` for a query that an engine may plan for minutes, while nothing stops it."""
    tables = sum(1 for _ in tree.find_all(exp.Table))
    if tables > MAX_TABLES:
        raise Unsupported(f"sql: {tables} tables in one query, more than {MAX_TABLES}")
    depth: dict[int, int] = {}
    for node in tree.walk(bfs=True):  # parents come first
        above = depth.get(id(node.parent), 0) if node.parent is not None else 0
        depth[id(node)] = above + isinstance(node, exp.Select)
    if max(depth.values()) > MAX_QUERIES:
        raise Unsupported(f"sql: queries nested {max(depth.values())} deep, more than {MAX_QUERIES}")


def _syntax_error(error: SqlglotError, text: str, dialect: str) -> SpecificationError:
    first = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    message = str(first.get("description") or (str(error).splitlines() or ["not parsed"])[0])
    return SpecificationError(ReasonCode.SYNTAX, message, place_of_parse_error(error, text, dialect))
