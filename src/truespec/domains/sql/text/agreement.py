"""Whether the parser's tokenizer sees the tokens that the engine sees: if not, its tree tells nothing."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Token, TokenType
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from truespec.domains.sql.text.lexer import Lexeme, Shape, Source
from truespec.verdict import Place, Unsupported

_STRINGS = frozenset({TokenType.STRING, TokenType.BYTE_STRING, TokenType.HEREDOC_STRING})
_SHAPES: dict[TokenType, Shape] = {
    **dict.fromkeys(_STRINGS, Shape.STRING),
    TokenType.IDENTIFIER: Shape.NAME,
    TokenType.NATIONAL_STRING: Shape.LITERAL,
    TokenType.BIT_STRING: Shape.LITERAL,
    TokenType.HEX_STRING: Shape.LITERAL,
    TokenType.NUMBER: Shape.NUMBER,
}
"""What the parser's kinds are; all other kinds are words, operators and parameters."""
_FREE = frozenset({Shape.WORD, Shape.OPERATOR, Shape.PARAMETER})


def check_agreement(source: Source, dialect: str) -> None:
    """Raise `Unsupported` where the parser cuts the text otherwise than the engine.

    A token of the parser is one lexeme, or several words such as GROUP BY. A parameter, an operator of
    PostgreSQL or a number with its prefix may be several tokens of the parser: the boundaries of the lexemes
    have to be among theirs, and nothing may be left out.
    """
    try:
        tokens = list(Dialect.get_or_raise(dialect).tokenize(source.rendered))
    except SqlglotError:
        return  # the parser reports it, and the engine is asked
    except RecursionError as error:
        raise Unsupported("sql: the query is nested too deeply") from error
    number = 0
    for lexeme in source.lexemes:
        while number < len(tokens) and tokens[number].end < lexeme.start:
            number += 1
        if number == len(tokens) or not _agrees(lexeme, tokens, number):
            what = f"sql: {lexeme.text[:40]!r}, which the parser reads otherwise than the engine"
            raise Unsupported(what, Place.at(source.text, lexeme.start))


def _agrees(lexeme: Lexeme, tokens: Sequence[Token], number: int) -> bool:
    token = tokens[number]
    shape = _SHAPES.get(token.token_type)
    if token.start <= lexeme.start and token.end + 1 >= lexeme.end:
        if token.start == lexeme.start and token.end + 1 == lexeme.end:
            if shape is Shape.STRING or shape is Shape.NAME:
                return shape is lexeme.shape and token.text == lexeme.value
            hexadecimal = shape is Shape.LITERAL and lexeme.shape is Shape.NUMBER  # 0x4A
            return hexadecimal or (shape is lexeme.shape if shape else lexeme.shape in _FREE)
        # several words, as GROUP BY
        words = "".join(token.text.split()).replace("_", "")
        return lexeme.shape is Shape.WORD and shape is None and words.isalpha()
    fraction = lexeme.shape is Shape.NUMBER and lexeme.text.startswith(".") and token.text == "."
    if lexeme.shape not in _FREE and not fraction:
        return False
    if lexeme.shape is Shape.WORD:
        return False
    while token.end + 1 < lexeme.end and number + 1 < len(tokens):  # `@x`, `$1`
        if tokens[number + 1].start != token.end + 1:
            return False
        number += 1
        token = tokens[number]
    return tokens[number].end + 1 == lexeme.end
