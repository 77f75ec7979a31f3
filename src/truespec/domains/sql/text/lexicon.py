"""The lexical rules of each engine, one record per engine, in which no field has a default.

Sources: MariaDB's `sql_lex.cc` and its manual ("Comment Syntax", "String Literals", "Identifier Names");
PostgreSQL's manual, chapter 4.1, and `scan.l`; SQLite's `tokenize.c`; DuckDB's `scan.l`, and its replacement
of Unicode spaces. `python -m benchmarks sqltext` compares the records with the engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Nesting(Enum):
    """What a second `/*` inside a block comment is."""

    FLAT = "flat"
    """Text: the first `*/` closes the comment."""
    NESTED = "nested"
    """A comment inside the comment."""


class Joining(Enum):
    """What two string literals beside each other are."""

    APART = "apart"
    """Two literals."""
    JOINED = "joined"
    """One literal."""
    JOINED_ACROSS_LINES = "joined across lines"
    """One literal where a line break stands between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """How one engine cuts a text into tokens."""

    name: str
    """The dialect's public name."""
    blanks: frozenset[str]
    """Characters that separate tokens."""
    blanks_at_times: frozenset[str]
    """Characters that separate tokens in some versions or places, and are an error elsewhere."""
    dash_comment_needs_blank: bool
    """Whether `--` begins a comment only before a blank, a control character or the end."""
    hash_comments: bool
    """Whether `#` begins a comment."""
    line_ends: frozenset[str]
    """Characters that end a line comment."""
    nesting: Nesting
    """What a second `/*` inside a block comment is."""
    open_comment_allowed: bool
    """Whether a block comment may lack its end."""
    executable_comments: tuple[str, ...]
    """Beginnings of comments whose content the engine executes."""
    string_quotes: frozenset[str]
    """Quotes of string literals."""
    name_quotes: frozenset[tuple[str, str]]
    """Opening and closing quotes of names."""
    backslash_escapes: bool
    """Whether a backslash escapes the next character of a plain string literal."""
    escape_prefixes: frozenset[str]
    """Words right before a quote that make a literal with backslash escapes."""
    literal_prefixes: frozenset[str]
    """Words right before a quote that make a literal of another kind: bits, bytes, national texts."""
    unread_prefixes: frozenset[str]
    """Words right before a quote that make a literal or a name that is not read."""
    dollar_quotes: bool
    """Whether `$tag$` quotes a literal."""
    joining: Joining
    """What two string literals beside each other are."""
    high_letters: bool
    """Whether characters beyond U+FFFF may stand in names without quotes."""
    digits_begin_names: bool
    """Whether a name without quotes may begin with a digit."""
    dollar_begins_names: bool
    """Whether a name without quotes may begin with `$`."""
    number_underscores: bool
    """Whether digits may be grouped with `_`."""
    radix_prefixes: str
    """Letters that may follow a leading 0 to name a radix."""
    parameters: tuple[str, ...]
    """Beginnings of parameters and variables, each before a name, a number or nothing."""
    operator_characters: frozenset[str]
    """Characters that the engine joins to operators of any length; empty where operators are listed."""
    operators: tuple[str, ...]
    """Operators of several characters, the longest first."""
    singles: frozenset[str]
    """Operators and punctuation of one character."""
    unread_signs: tuple[str, ...]
    """Tokens that the engine knows and we do not read."""
    names_as_written: bool
    """Whether an expression without an alias is named by its text."""


MARIADB = Lexicon(
    name="mysql",
    blanks=frozenset(" \t\n\v\f\r"),
    blanks_at_times=frozenset(),
    dash_comment_needs_blank=True,
    hash_comments=True,
    line_ends=frozenset("\n"),
    nesting=Nesting.FLAT,
    open_comment_allowed=False,
    executable_comments=("/*!", "/*M!"),
    string_quotes=frozenset("'\""),
    name_quotes=frozenset({("`", "`")}),
    backslash_escapes=True,
    escape_prefixes=frozenset(),
    literal_prefixes=frozenset({"N", "X", "B"}),
    unread_prefixes=frozenset(),
    dollar_quotes=False,
    joining=Joining.JOINED,
    high_letters=False,
    digits_begin_names=True,
    dollar_begins_names=True,
    number_underscores=False,
    radix_prefixes="xb",
    parameters=("@@", "@", "?"),
    operator_characters=frozenset(),
    operators=("<=>", "<=", ">=", "<>", "!=", "<<", ">>", "||", "&&", ":="),
    singles=frozenset("()[],;:.+-*/<>=%^|&~!{}"),
    unread_signs=("\\N",),  # NULL
    names_as_written=True,
)

POSTGRES = Lexicon(
    name="postgres",
    blanks=frozenset(" \t\n\f\r"),
    blanks_at_times=frozenset("\v"),
    dash_comment_needs_blank=False,
    hash_comments=False,
    line_ends=frozenset("\n\r"),
    nesting=Nesting.NESTED,
    open_comment_allowed=False,
    executable_comments=(),
    string_quotes=frozenset("'"),
    name_quotes=frozenset({('"', '"')}),
    backslash_escapes=False,
    escape_prefixes=frozenset({"E"}),
    literal_prefixes=frozenset({"N", "X", "B"}),
    unread_prefixes=frozenset({"U&"}),
    dollar_quotes=True,
    joining=Joining.JOINED_ACROSS_LINES,
    high_letters=True,
    digits_begin_names=False,
    dollar_begins_names=False,
    number_underscores=True,
    radix_prefixes="xob",
    parameters=("$",),
    operator_characters=frozenset("~!@#^&|`?+-*/%<>="),
    operators=("::", "..", ":=", "=>"),
    singles=frozenset("()[],;:."),
    unread_signs=(),
    names_as_written=False,
)

SQLITE = Lexicon(
    name="sqlite",
    blanks=frozenset(" \t\n\f\r"),
    blanks_at_times=frozenset("\v"),
    dash_comment_needs_blank=False,
    hash_comments=False,
    line_ends=frozenset("\n"),
    nesting=Nesting.FLAT,
    open_comment_allowed=True,
    executable_comments=(),
    string_quotes=frozenset("'"),
    name_quotes=frozenset({('"', '"'), ("`", "`"), ("[", "]")}),
    backslash_escapes=False,
    escape_prefixes=frozenset(),
    literal_prefixes=frozenset({"X"}),
    unread_prefixes=frozenset(),
    dollar_quotes=False,
    joining=Joining.APART,
    high_letters=True,
    digits_begin_names=False,
    dollar_begins_names=False,
    number_underscores=True,
    radix_prefixes="x",
    parameters=("?", ":", "@", "#", "$"),
    operator_characters=frozenset(),
    operators=("->>", "->", "||", "<=", ">=", "<>", "!=", "==", "<<", ">>"),
    singles=frozenset("(),;.+-*/<>=%|&~"),
    unread_signs=(),
    names_as_written=True,
)

DUCKDB = Lexicon(
    name="duckdb",
    blanks=frozenset(" \t\n\f\r\v"),
    blanks_at_times=frozenset("\u00a0\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))),
    dash_comment_needs_blank=False,
    hash_comments=False,
    line_ends=frozenset("\n\r"),
    nesting=Nesting.NESTED,
    open_comment_allowed=False,
    executable_comments=(),
    string_quotes=frozenset("'"),
    name_quotes=frozenset({('"', '"')}),
    backslash_escapes=False,
    escape_prefixes=frozenset({"E"}),
    literal_prefixes=frozenset({"X", "B", "N"}),
    unread_prefixes=frozenset({"U&"}),
    dollar_quotes=True,
    joining=Joining.JOINED_ACROSS_LINES,
    high_letters=True,
    digits_begin_names=False,
    dollar_begins_names=False,
    number_underscores=True,
    radix_prefixes="xob",
    parameters=("$", "?"),
    operator_characters=frozenset("~!@^&|+-*/%<>="),
    operators=("::", "..", ":=", "=>"),
    singles=frozenset("()[],;:.#{}"),
    # Version 2 quotes names by backticks too, and skips control characters.
    unread_signs=("`", *(chr(code) for code in (*range(1, 9), *range(14, 32), 127))),
    names_as_written=False,
)

LEXICONS = {lexicon.name: lexicon for lexicon in (MARIADB, POSTGRES, SQLITE, DUCKDB)}
"""The record of each dialect."""
