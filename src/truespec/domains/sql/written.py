"""What a query's text says and its syntax tree does not.

The parser may read texts that an engine tells apart as one tree. The rules here look at the tokens; a text in
which one of them finds something is compared by the engines alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from truespec.domains.sql.dialects.dialect import Dialect as Facts
from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.text.lexer import Lexeme, Shape, lex
from truespec.domains.sql.text.lexicon import LEXICONS
from truespec.verdict import SpecificationError, Unsupported

UNREAD = "truespec_unread"
"""The note at a tree whose text has such a thing: what it is, its line and its column."""

CALLED = "called"
"""The note at an EXTRACT that says which word it is written with: PostgreSQL's DATE_PART is another type."""

Found = tuple[str, Token]
"""What is not read, and where it begins."""

_SPAN = re.compile(r"\s*[+-]?[0-9]+( +[A-Za-z]+)?\s*\Z")
_WORD = re.compile(r"[\w\s]+\Z", re.ASCII)
_PLAIN_NAME = re.compile(r"\w+\Z", re.ASCII)
FOLDED = re.compile(r"(?!\d)[\w\s]+\Z", re.ASCII)
"""Words whose case does not matter: no numbers, texts or quoted names."""
_STRANGE_BLANK = re.compile(r"[ \t\r\n\f\v]*[^\x00-\x7f]")
_FORMAT = re.compile(r"(YYYY|yyyy|YY|yy|MM|mm|DD|dd|HH24|MI|mi|SS|ss|Month|MONTH|Mon|MON|Q|[-/:., ])*\Z")
"""Formats of TO_CHAR that differ from each other after the parser has turned them into `%Y` and its like."""
_LETTER = re.compile(r"%(.)", re.DOTALL)
"""The letters of a date format."""
_BEFORE_OPERAND = frozenset(
    {
        *(TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.PERCENT, TokenType.DIV),
        *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.GT, TokenType.LTE, TokenType.GTE),
        *(TokenType.NULLSAFE_EQ, TokenType.DPIPE, TokenType.L_PAREN, TokenType.COMMA, TokenType.SELECT),
        *(TokenType.DISTINCT, TokenType.ON, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING),
        *(TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET, TokenType.AND, TokenType.OR, TokenType.NOT),
        *(TokenType.BETWEEN, TokenType.IN, TokenType.LIKE, TokenType.CASE, TokenType.WHEN, TokenType.THEN),
        TokenType.ELSE,
    }
)


def tokens_of(text: str, dialect: str) -> list[Token]:
    """The tokens of a text, without its comments; none for a text that has no tokens."""
    try:
        return list(Dialect.get_or_raise(dialect).tokenize(text))
    except SqlglotError:
        return []


def same_words(one: str, other: str, dialect: str) -> bool:
    """Whether two texts differ in blanks, comments, the case of words and closing semicolons alone.

    Equal trees would not do: `MOD(a, 4)` and `a % 4` are one tree, and two things in SQLite. What begins with
    a digit keeps its case: in MariaDB `0x4A` is a number and `0X4A` may be a column. So does every word where
    names come out as they are written, as DuckDB's `{a: 1}` shows them (`renamed.py` says where they do not).
    """
    return one == other or _words(one, dialect) == _words(other, dialect)


def _words(text: str, dialect: str) -> list[str]:
    try:
        source = lex(text, dialect)
    except (SpecificationError, Unsupported):
        return [text]
    lexemes = list(source.lexemes)
    while lexemes and lexemes[-1].text == ";":
        lexemes.pop()
    facts = DIALECTS[dialect]
    kept = facts.tables_are_values and not facts.unquoted_names_fold
    written = [
        lexeme.text.upper()
        if lexeme.shape is Shape.WORD and FOLDED.match(lexeme.text) and not kept
        else lexeme.text
        for lexeme in lexemes
    ]
    if LEXICONS[dialect].names_as_written and any(map(names_expression, lexemes)):
        return [source.rendered[lexemes[0].start : lexemes[-1].end]]
    return written or [text]


def names_expression(lexeme: Lexeme) -> bool:
    """Whether a name in quotes may be the text of an expression, as `a + b` in SQLite and MariaDB."""
    return lexeme.shape is Shape.NAME and not _PLAIN_NAME.match(lexeme.value or "")


def unread(text: str, tokens: Sequence[Token], dialect: str) -> Found | None:
    """The first thing in a text that its tree does not show."""
    return next(_rules(text, tokens, dialect), None)


def _rules(text: str, tokens: Sequence[Token], dialect: str) -> Iterator[Found]:
    facts = DIALECTS[dialect]
    for before, token in pairwise(tokens):
        joined = before.end + 1 == token.start and before.token_type is TokenType.NUMBER
        if joined and _WORD.match(token.text):
            yield "a number beside a letter, as in 0x10", before
        if _STRANGE_BLANK.match(text[before.end + 1 : token.start]):
            yield "a blank that is no ASCII character, and a letter to engines", token
    for before, token in pairwise(tokens):
        if token.token_type is TokenType.PLUS and before.token_type in _BEFORE_OPERAND:
            yield "a sign +, which makes a constant of an ordinal and drops a type in SQLite", token
        if before.token_type is TokenType.INTERVAL and token.token_type is TokenType.STRING:
            if not _SPAN.match(token.text):
                yield "an interval that is more than a number and a unit", before
    for token, after in pairwise(tokens):
        called = after.token_type is TokenType.L_PAREN
        if called and facts.mod_function_is_fraction and token.text.upper() == "MOD":
            yield "MOD, whose result is REAL in SQLite, where % of integers is one", token
        named = facts.null_tests_are_names and token.token_type in (TokenType.ISNULL, TokenType.NOTNULL)
        if named and not called:
            yield f"the word {token.text.upper()}, which is a name in MariaDB", token
        if facts.texts_may_name_texts and token.token_type is after.token_type is TokenType.STRING:
            yield "a text that is the name of the text before it in SQLite", after
    if facts.interval_units:
        yield from _units(tokens, facts.interval_units)
    if facts.like_has_operator:
        yield from _patterns(tokens, facts)
    if facts.formats_have_letters:
        yield from _formats(tokens)
    if facts.plain_format_letters:
        yield from _plain_letters(tokens, facts.plain_format_letters)


def note_parts(extracts: Sequence[tuple[exp.Expr, int | None]], tokens: Sequence[Token]) -> None:
    """Notes at each EXTRACT the word that it is written with, in a tree where DATE_PART is one too.

    `extracts`: these in an order in which none comes before one around it, and the first token in each that
    is known. In the order of these they stand in the text. Without notes where that is not certain.
    """
    words = sorted(number for name in ("EXTRACT", "DATE_PART") for number in _calls(tokens, name))
    found = [(number, node) for node, number in extracts if number is not None]
    if len(words) != len(extracts) or len(found) != len(extracts):
        return
    for word, (_, node) in zip(words, sorted(found, key=lambda pair: pair[0]), strict=True):
        node.meta[CALLED] = tokens[word].text.upper()


def _units(tokens: Sequence[Token], units: frozenset[str]) -> Iterator[Found]:
    """`INTERVAL '1' D` is one second, named D."""
    for begin, amount, unit in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if begin.token_type is not TokenType.INTERVAL or amount.token_type is not TokenType.STRING:
            continue
        if any(character.isalpha() for character in amount.text):
            continue  # the unit is in the quotes
        alias = unit.token_type is TokenType.VAR and unit.text.upper() not in units
        if alias or unit.token_type is TokenType.IDENTIFIER:
            yield f"the name {unit.text[:40]!r} after an interval, which is no unit there", begin


def _formats(tokens: Sequence[Token]) -> Iterator[Found]:
    """The parser writes `%Y` for YYYY and leaves a `%Y` as it is, within quotes also."""
    for number in _calls(tokens, "TO_CHAR"):
        for inner in _inside(tokens, number + 1):
            text = tokens[inner].text
            if tokens[inner].token_type is TokenType.STRING and not _FORMAT.match(text):
                yield f"the format {text[:40]!r} of TO_CHAR", tokens[inner]


def _plain_letters(tokens: Sequence[Token], letters: frozenset[str]) -> Iterator[Found]:
    """MariaDB's `%M` is written `%B` by the parser, as is a `%B`, which is the letter B there."""
    for number in _calls(tokens, "DATE_FORMAT"):
        for inner in _inside(tokens, number + 1):
            found = letters.intersection(_LETTER.findall(tokens[inner].text))
            if tokens[inner].token_type is TokenType.STRING and found:
                yield f"the letter %{min(found)} in a date format, which stands for itself", tokens[inner]


def _patterns(tokens: Sequence[Token], facts: Facts) -> Iterator[Found]:
    """`s ~~ p` is `s LIKE p` to the parser, but binds like `||`; the call `LIKE(s, p)` has the text first.

    DuckDB's `~` matches the whole text before version 2.0 and any part of it since.
    """
    for number, token in enumerate(tokens):
        if token.text.startswith("~~") and token.token_type is not TokenType.STRING:
            yield f"the operator {token.text}, which binds tighter than LIKE", token
        if token.token_type is TokenType.TILDE and facts.tilde_depends_on_version:
            yield "the operator ~, whose meaning depends on DuckDB's version", token
        if token.token_type in (TokenType.LIKE, TokenType.ILIKE):
            if any(tokens[inner].token_type is TokenType.COMMA for inner in _inside(tokens, number + 1)):
                yield "LIKE as a function of a text and a pattern", token


def _calls(tokens: Sequence[Token], name: str) -> Iterator[int]:
    for number, (token, after) in enumerate(pairwise(tokens)):
        if token.text.upper() == name and after.token_type is TokenType.L_PAREN:
            yield number


def _inside(tokens: Sequence[Token], opening: int) -> Iterator[int]:
    """The tokens between a parenthesis and its match, but for those in further parentheses."""
    depth = 0
    for number in range(opening, len(tokens)):
        kind = tokens[number].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0:
            return
        if depth == 1 and number > opening:
            yield number
