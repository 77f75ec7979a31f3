"""Queries that differ by what they call their own parts alone.

Statement. Where a one-to-one change of the names that two queries give to tables and columns makes one text
the other, both mean the same: on each database the same results are possible, whatever the engine chooses.

Side conditions. A name that is changed is a plain word which the query gives by AS, by WITH or beside a table
in FROM. It is no name of the schema, of the engine (a keyword, a function, a type, a unit, a system column),
stands nowhere in quotes of any kind (`a AS 'n'` gives a name too), and each place in the text where the word
stands is one where the syntax tree has a name of a column or a table. No row is taken as a whole, whose
columns' names may come out; no names are matched by patterns, made of values, or made up by the engine; no
function may read more than values, as DuckDB's ALIAS and PostgreSQL's XMLFOREST do. `AS` before such a name
may be left out; before a word of the engine it may not: `t AS left JOIN u` is an inner join in SQLite.

Why. An engine finds what a name means by which names are equal, among those of the query and those that are
there already. A one-to-one change among the former that keeps off the latter keeps this as it is. What an
output is called does not count, as everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.functions.catalogue import words
from truespec.domains.sql.functions.registry import FUNCTIONS
from truespec.domains.sql.schema import Schema
from truespec.domains.sql.text.lexer import Lexeme, Shape, lex
from truespec.domains.sql.text.lexicon import LEXICONS
from truespec.domains.sql.written import FOLDED, names_expression
from truespec.verdict import SpecificationError, Unsupported

Side = tuple[str, exp.Expr]
"""A query as a text and as a tree."""

_WORD = re.compile(r"\w+")
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")
LONGEST = 60
"""Longer names may be cut."""
_BY_NAME: tuple[type, ...] = (
    *(exp.Pivot, exp.Columns, exp.Struct, exp.JSON, exp.PropertyEQ, exp.Kwarg),
    exp.ColumnDef,  # as in the type STRUCT(a INT)
)
"""Syntax that makes values of names, or names of values."""
_OF_NAMES = ("XML", "Struct", "JSON")
"""How the names of the parser's functions begin that make documents and structs, whose parts have names."""
_DOCUMENT = re.compile("json|xml")
_PLACES = (
    (exp.Column, ("this", "table")),
    (exp.Table, ("this",)),
    (exp.Alias, ("alias",)),
    (exp.TableAlias, ("this", "columns")),
)
"""Where an identifier is the name of a column or a table."""
_UNITS = words(
    """microsecond microseconds millisecond milliseconds second seconds minute minutes hour hours day days
    week weeks month months quarter quarters year years decade decades century centuries millennium
    dow doy isodow isoyear epoch era timezone weekday yearweek"""
)


def same_but_for_names(one: Side, other: Side, schema: Schema) -> bool:
    """Whether two queries are one but for what they call their own parts."""
    first = _words(*one, schema)
    return first is not None and first == _words(*other, schema)


def _words(text: str, tree: exp.Expr, schema: Schema) -> list[str] | None:
    """The words of a text, its own names by where each stands first; None where names come out."""
    try:
        lexemes = [*lex(text, schema.dialect).lexemes]
    except (SpecificationError, Unsupported):
        return None
    while lexemes and lexemes[-1].text == ";":
        lexemes.pop()
    given = {name.lower() for name in _given(tree)}
    spelled = LEXICONS[schema.dialect].names_as_written and any(map(names_expression, lexemes))
    declared = set(_WORD.findall(schema.ddl.lower()))
    takes_rows = _takes_rows(tree, given | declared)
    if spelled or _shows_names(tree, schema.dialect) or takes_rows or _makes_names(tree):
        return None
    free = given - declared - _fixed(tree, lexemes, schema.dialect)
    places: dict[str, str] = {}
    return [
        places.setdefault(lexeme.text.lower(), f"name {len(places)}")
        if lexeme.shape is Shape.WORD and lexeme.text.lower() in free
        else _spelled(lexeme)
        for lexeme, after in pairwise([*lexemes, None])
        if lexeme is not None and not (lexeme.word == "AS" and _is_name(after, free))
    ]


def _spelled(lexeme: Lexeme) -> str:
    return lexeme.text.upper() if lexeme.shape is Shape.WORD and FOLDED.match(lexeme.text) else lexeme.text


def _is_name(lexeme: Lexeme | None, names: set[str]) -> bool:
    return lexeme is not None and lexeme.shape is Shape.WORD and lexeme.text.lower() in names


def _given(tree: exp.Expr) -> Iterator[str]:
    """The names that a query gives."""
    yield from (alias.alias for alias in tree.find_all(exp.Alias))
    for table in tree.find_all(exp.TableAlias):
        yield from (str(name.name) for name in (table.this, *table.columns) if name is not None)


def _fixed(tree: exp.Expr, lexemes: list[Lexeme], dialect: str) -> set[str]:
    """The words that may mean anything else than what the query calls so."""
    written = Counter(lexeme.text.lower() for lexeme in lexemes if lexeme.shape is Shape.WORD)
    identifiers = [(str(name.this).lower(), _is_plain(name)) for name in tree.find_all(exp.Identifier)]
    names = Counter(name for name, plain in identifiers if plain)
    fixed = {word for word, number in written.items() if names[word] != number}
    fixed |= {name for name, plain in identifiers if not plain}
    fixed |= {word for word in written if not _PLAIN.match(word) or len(word) > LONGEST}
    fixed |= {lexeme.value.lower() for lexeme in lexemes if lexeme.value is not None}
    return fixed | _words_of(dialect)


def _is_plain(name: exp.Identifier) -> bool:
    """Whether this is the name of a column or a table, without quotes."""
    if name.args.get("quoted"):
        return False
    return any(isinstance(name.parent, node) and name.arg_key in keys for node, keys in _PLACES)


def _shows_names(tree: exp.Expr, dialect: str) -> bool:
    """Whether a name may be a part of a value, by syntax or by a function not known to read values alone."""
    known = FUNCTIONS[dialect].read
    return tree.find(*_BY_NAME) is not None or any(
        str(call.name).upper() not in known
        if isinstance(call, exp.Anonymous | exp.AnonymousAggFunc)
        else type(call).__name__.startswith(_OF_NAMES)
        for call in tree.find_all(exp.Func)
    )


def _takes_rows(tree: exp.Expr, known: set[str]) -> bool:
    """Whether a table's name may stand for a row, or a star in anything but a list of outputs or COUNT.

    `known`: the names of columns. PostgreSQL takes `q.to_json` for a call where q has no such column, though
    another table may have one; what a call makes of a row shows the names of its columns in JSON or XML.
    """
    if tree.find(exp.Dot) is not None:
        return True
    tables = {str(table.alias_or_name).lower() for table in tree.find_all(exp.Table, exp.Subquery, exp.CTE)}
    for column in tree.find_all(exp.Column):
        name = column.name.lower()
        if not column.table and name in tables:
            return True
        if column.table and not column.is_star and (name not in known or _DOCUMENT.search(name)):
            return True
    for star in tree.find_all(exp.Star):
        whole = star.parent if isinstance(star.parent, exp.Column) else star
        counted = whole is star and isinstance(star.parent, exp.Count)
        if any(star.args.values()) or not (counted or isinstance(whole.parent, exp.Select)):
            return True
    return False


def _makes_names(tree: exp.Expr) -> bool:
    """Whether the engine makes up the name of a column that other parts of the query may read."""
    for table in tree.find_all(exp.Subquery, exp.CTE, exp.Values):
        in_value = isinstance(table, exp.Subquery) and not isinstance(table.parent, exp.From | exp.Join)
        alias = table.args.get("alias")
        if in_value or (alias is not None and alias.columns):
            continue
        if isinstance(table, exp.Values) or not isinstance(table.this, exp.Query):
            return True
        outputs = table.this.selects
        names = [str(output.alias_or_name).lower() for output in outputs if not output.is_star]
        if not all(names) or len(set(names)) < len(names):
            return True
        if not all(isinstance(output, exp.Column | exp.Alias | exp.Star) for output in outputs):
            return True
    return False


@cache
def _words_of(dialect: str) -> frozenset[str]:
    """The words that mean something to the engine or to the parser."""
    functions, facts = FUNCTIONS[dialect], DIALECTS[dialect]
    keywords = Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
    called = functions.pure | functions.impure | functions.effects | functions.growing
    known = called | functions.heads | functions.bare | functions.types | set(keywords)
    meant = {word.lower() for name in known for word in name.split()}
    return frozenset(meant | facts.names_not_columns | facts.system_columns | _UNITS)
