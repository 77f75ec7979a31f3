"""Tokens and sentences of Gallina, enough to tell what a text declares.

The lexer follows the reference manual: comments nest and hold strings; a sentence ends with a full stop
before white space or the end. What it cannot read is refused, so that Rocq sees no text we read differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported

MAX_CHARACTERS = 60_000
"""Longer texts are not read."""
MAX_DEPTH = 400
"""Deeper brackets are not read; Rocq's own parser recurses over them."""

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
      | (?P<comment>\(\*)
      | (?P<string>")
      | (?P<number>[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d][\w']*(?:\.[^\W\d][\w']*)*)
      | (?P<projection>\.(?=\())
      | (?P<stop>\.(?=[ \t\r\n]|\Z))
      | (?P<field>\.[^\W\d][\w']*)
      | (?P<open>[(\[{])
      | (?P<close>[)\]}])
      | (?P<symbol>:=|:>|<:|<<:|@\{|\#\[|[^\w\s()\[\]{}".]+?(?=[\w\s()\[\]{}".]|\(\*|\Z)|\.)""",
    re.VERBOSE,
)
_COMMENT = re.compile(r'\(\*|\*\)|"')
_OPENERS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its offset in the text."""

    kind: str
    """`name`, `number`, `string`, `symbol`, `open`, `close`, `field` or `projection`."""
    text: str
    """Its spelling."""
    offset: int
    """Where it begins, in code points from 0."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of one sentence, without its full stop."""

    tokens: tuple[Token, ...]
    """At least one."""
    text: str
    """The sentence with its full stop, comments taken out."""
    offset: int
    """Where it begins in the text."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text; `SpecificationError` where it does not follow the lexical rules."""
    if len(text) > MAX_CHARACTERS:
        raise Unsupported(f"a text of {len(text)} characters: at most {MAX_CHARACTERS} are read")
    found: list[Sentence] = []
    held: list[Token] = []
    pieces: list[str] = []
    brackets: list[Token] = []
    for token in _tokens(text):
        if token.kind == "blank":
            if pieces and pieces[-1] == ".":
                # No full stop where it stands, but one in the sentence's text, which has no comments.
                raise _syntax(
                    "a comment right behind a full stop: put a blank between them", text, token.offset
                )
            pieces.append(" ")
            continue
        pieces.append(token.text)
        if token.kind == "stop":
            if brackets:
                raise _syntax(f"{brackets[-1].text!r} is never closed", text, brackets[-1].offset)
            if not held:
                raise _syntax("an empty sentence", text, token.offset)
            found.append(Sentence(tuple(held), "".join(pieces).strip(), held[0].offset))
            held, pieces = [], []
            continue
        if token.kind == "open" or token.text in ("@{", "#["):
            brackets.append(token)
            if len(brackets) > MAX_DEPTH:
                raise Unsupported(f"brackets nested more than {MAX_DEPTH} deep", Place.at(text, token.offset))
        elif token.kind == "close":
            if not brackets or brackets.pop().text[-1] != _OPENERS[token.text]:
                raise _syntax(f"{token.text!r} closes nothing", text, token.offset)
        held.append(token)
    if held:
        raise _syntax("the last sentence lacks its full stop", text, held[0].offset)
    return found


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or "\x00" in match.group():
            raise _syntax(f"unexpected character {text[at]!r}", text, at)
        kind = match.lastgroup or ""
        if kind == "comment":
            end = _after_comment(text, at)
            yield Token("blank", " ", at)
        elif kind == "string":
            end = _after_string(text, at)
            yield Token("string", text[at:end], at)
        else:
            end = match.end()
            yield Token(kind, match.group(), at)
        at = end


def _after_string(text: str, at: int) -> int:
    # A doubled quote stands for one quote, which closing and opening at once amounts to.
    end = text.find('"', at + 1)
    if end < 0:
        raise _syntax("a string is never closed", text, at)
    return end + 1


def _after_comment(text: str, at: int) -> int:
    depth, here = 0, at
    while True:
        mark = _COMMENT.search(text, here)
        if mark is None:
            raise _syntax("a comment is never closed", text, at)
        here = mark.end()
        if mark.group() == "(*":
            depth += 1
        elif mark.group() == "*)":
            depth -= 1
            if depth == 0:
                return here
        else:
            here = _after_string(text, mark.start())


def _syntax(message: str, text: str, offset: int) -> SpecificationError:
    return SpecificationError(ReasonCode.SYNTAX, message, Place.at(text, offset))
