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
from truespec.domains.sql.text.agreement import check_agreement
from truespec.domains.sql.text.calls import check_calls
from truespec.domains.sql.text.lexer import Shape, Source, lex
from truespec.domains.sql.text.lexicon import LEXICONS
from truespec.domains.sql.written import names_expression
from truespec.verdict import Place, ReasonCode, SpecificationError, ToolMissing, Unsupported

MAX_NESTING = 120
"""Deepest nesting of parentheses that is read."""

MAX_TABLES = 64
"""Most tables that one query may name; engines plan more of them in quadratic time or not at all."""

MAX_QUERIES = 15
"""Deepest nesting of queries in queries; DuckDB's planning time doubles every three levels."""

# sqlglot warns on its logger about what it reads anyway.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


def rendered(text: str, dialect: str) -> str:
    """The text that is parsed and that runs: the engine's tokens at their offsets, without comments.

    `SpecificationError` and `Unsupported` as `lex` raises them.
    """
    return lex(text, dialect).rendered


def read_query(text: str, schema: Schema, settings: Settings, *, ask: bool = True) -> exp.Expr:
    """The syntax tree of one query.

    `SpecificationError` for any other text, as the engine sees it where it is installed and `ask` is set;
    `Unsupported` for a text that the engine accepts but that cannot be parsed here. Both say where in the
    text; the tree's nodes know their places (`places.py`).
    """
    dialect = schema.dialect
    source = check_text(text, dialect)
    text = source.rendered
    _check_nesting(source)
    try:
        check_agreement(source, dialect)
        _check_names(source, dialect)
    except Unsupported:
        if ask:  # a text that the engine rejects is invalid, however it is read here
            with contextlib.suppress(ToolMissing):
                accept(text, schema, settings)
        raise
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
    _check_runnable(tree)
    mark(tree, text, dialect)
    read_texts(tree, text, schema)
    problem: Unsupported | None = None
    try:
        check_calls(source, dialect)
        assert isinstance(tree, exp.Expression)
        check_tree(tree, frozenset(table.name.lower() for table in schema.tables))
    except Unsupported as error:
        problem = error
    if ask:
        # Without the engine, names and types are checked by the compiler alone.
        with contextlib.suppress(ToolMissing):
            accept(text, schema, settings)
    if problem is not None:
        raise problem
    return tree


def _check_nesting(source: Source) -> None:
    depth = deepest = 0
    place = None
    for lexeme in source.lexemes:
        if lexeme.shape is Shape.OPERATOR:
            depth += (lexeme.text == "(") - (lexeme.text == ")")
        if depth > MAX_NESTING >= deepest:
            place = Place.at(source.text, lexeme.start)
        deepest = max(deepest, depth)
    if deepest > MAX_NESTING:
        raise Unsupported(f"sql: parentheses nested {deepest} deep, more than {MAX_NESTING}", place)


def _check_names(source: Source, dialect: str) -> None:
    """Where a text names an expression by what was written, comments were a part of the name."""
    if not source.has_comments or not LEXICONS[dialect].names_as_written:
        return
    for lexeme in source.lexemes:
        if names_expression(lexeme):
            what = f"sql: comments beside the name {lexeme.text[:40]}, which may be the text of an expression"
            raise Unsupported(what, Place.at(source.text, lexeme.start))


def _check_runnable(tree: exp.Expr) -> None:
    """Raise `Unsupported` for a PIVOT whose columns the data decides: in DuckDB, several statements."""
    if any(
        pivot.find(exp.In) is None and not pivot.args.get("unpivot") for pivot in tree.find_all(exp.Pivot)
    ):
        raise Unsupported("sql: PIVOT without a list of values, which DuckDB runs as several statements")


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
