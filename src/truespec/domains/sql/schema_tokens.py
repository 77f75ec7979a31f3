"""What a schema's tokens tell and its syntax tree does not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import sqlglot
from sqlglot import TokenType


def checks_of(ddl: str, dialect: str) -> Iterator[str]:
    """The texts between the parentheses of every CHECK, in their order."""
    tokens = sqlglot.tokenize(ddl, read=dialect)
    for number, (word, opening) in enumerate(itertools.pairwise(tokens)):
        quoted = word.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
        if quoted or word.text.upper() != "CHECK" or opening.token_type is not TokenType.L_PAREN:
            continue
        depth = 0
        for end in range(number + 1, len(tokens)):
            kind = tokens[end].token_type
            depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
            if depth == 0:
                yield ddl[tokens[number + 2].start : tokens[end - 1].end + 1]
                break


def has_type(ddl: str, name: str, dialect: str) -> bool:
    """Whether a column is declared with this type: the word stands unquoted behind another word."""
    tokens = sqlglot.tokenize(ddl, read=dialect)
    names = (TokenType.VAR, TokenType.IDENTIFIER)
    return any(
        before.token_type in names and token.text.upper() == name and token.token_type is not names[1]
        for before, token in itertools.pairwise(tokens)
    )
