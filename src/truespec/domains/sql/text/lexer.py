"""Cuts a text into the tokens that its engine sees; comments go, and nothing else.

What is read, and what runs, is `Source.rendered`: the tokens at their own offsets with blanks between. A
place in it is a place in the text as it was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise, takewhile

from truespec.domains.sql.text.lexicon import LEXICONS, Joining, Lexicon, Nesting
from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported


class Shape(Enum):
    """What a token is, before any grammar."""

    WORD = "word"
    """A keyword or a name without quotes."""
    NAME = "name"
    """A name in quotes."""
    STRING = "string"
    """A string literal."""
    LITERAL = "literal"
    """A literal of bits or bytes, or a national text."""
    NUMBER = "number"
    """A number, or a constant such as 0x4A."""
    PARAMETER = "parameter"
    """A parameter or a variable."""
    OPERATOR = "operator"
    """An operator or punctuation."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One token of a text."""

    shape: Shape
    """What it is."""
    start: int
    """The offset of its first character."""
    end: int
    """The offset behind its last character."""
    text: str
    """As it is written."""
    value: str | None
    """The content of a name in quotes or of a string literal; None for the rest."""

    @property
    def word(self) -> str:
        """A word in capitals; empty for any other token."""
        return self.text.upper() if self.shape is Shape.WORD else ""


@dataclass(frozen=True, slots=True)
class Source:
    """A text as an engine reads it."""

    text: str
    """As it was given."""
    lexemes: tuple[Lexeme, ...]
    """Its tokens."""
    rendered: str
    """The tokens at their offsets, blanks and line breaks between: what is parsed and what runs."""
    has_comments: bool
    """Whether comments were left out."""


@lru_cache(maxsize=2048)
def lex(text: str, dialect: str) -> Source:
    """The tokens of a text.

    `SpecificationError` where the engine's own lexer stops; `Unsupported` for what is not read: executable
    comments, literals with Unicode escapes. Both name the place.
    """
    reader = _Reader(text, LEXICONS[dialect])
    lexemes = tuple(reader.run())
    _check_joined(text, lexemes, LEXICONS[dialect])
    rendered: list[str] = []
    position = 0
    for lexeme in lexemes:
        rendered += [_gap(text[position : lexeme.start]), lexeme.text]
        position = lexeme.end
    rendered.append(_gap(text[position:]))
    source = Source(text, lexemes, "".join(rendered), reader.comments)
    if reader.comments:
        _check_rendered(source, LEXICONS[dialect])
    return source


def _gap(text: str) -> str:
    return "".join("\n" if character == "\n" else " " for character in text)


def _check_joined(text: str, lexemes: tuple[Lexeme, ...], lexicon: Lexicon) -> None:
    """A comment between two literals may decide whether they are one, and a blank does not stand for it."""
    if lexicon.joining is Joining.APART:
        return
    literals = (Shape.STRING, Shape.LITERAL)
    for before, after in pairwise(lexemes):
        between = text[before.end : after.start]
        if before.shape in literals and after.shape in literals and between.strip(" \t\r\n"):
            raise Unsupported("sql: two literals with a comment between", Place.at(text, after.start))


def _check_rendered(source: Source, lexicon: Lexicon) -> None:
    """Blanks in the place of comments leave every token: in MariaDB `--/* */` is no comment, `--` is one."""
    try:
        again = _Reader(source.rendered, lexicon).run()
    except SpecificationError:
        again = []
    lexemes = source.lexemes
    if tuple(again) != lexemes:
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(again, lexemes, strict=False)))
        place = Place.at(source.text, lexemes[min(alike, len(lexemes) - 1)].start)
        raise Unsupported("sql: a comment that a blank does not stand for", place)


class _Reader:
    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self.text, self.lexicon = text, lexicon
        self.at = 0
        self.comments = False

    def run(self) -> list[Lexeme]:
        found: list[Lexeme] = []
        while True:
            self._skip()
            if self.at >= len(self.text):
                return found
            after_dot = bool(found) and found[-1].text == "." and found[-1].end == self.at
            start = self.at
            shape, value = self._token(after_dot)
            found.append(Lexeme(shape, start, self.at, self.text[start : self.at], value))

    def _skip(self) -> None:
        """Blanks and comments."""
        text, lexicon = self.text, self.lexicon
        while self.at < len(text):
            if text[self.at] in lexicon.blanks:
                self.at += 1
            elif text.startswith("/*", self.at):
                self._block()
            elif self._line_comment():
                self.comments = True
                while self.at < len(text) and text[self.at] not in lexicon.line_ends:
                    self.at += 1
            else:
                return

    def _line_comment(self) -> bool:
        text, at = self.text, self.at
        if text[at] == "#":
            return self.lexicon.hash_comments
        if not text.startswith("--", at):
            return False
        after = text[at + 2 : at + 3]
        return not self.lexicon.dash_comment_needs_blank or not after or after <= " " or after == "\x7f"

    def _block(self) -> None:
        text, lexicon, start = self.text, self.lexicon, self.at
        for mark in lexicon.executable_comments:
            if text.startswith(mark, start):
                what = f"sql: the executable comment {mark}, whose content the engine runs"
                raise Unsupported(what, Place.at(text, start))
        self.comments = True
        self.at += 2
        depth = 1
        while depth:
            closing = text.find("*/", self.at)
            opening = text.find("/*", self.at) if lexicon.nesting is Nesting.NESTED else -1
            if closing < 0:
                if not lexicon.open_comment_allowed:
                    raise self._stop("a comment without its end", start)
                self.at = len(text)
                return
            if 0 <= opening < closing:
                depth, self.at = depth + 1, opening + 2
            else:
                depth, self.at = depth - 1, closing + 2

    def _token(self, after_dot: bool) -> tuple[Shape, str | None]:
        text, lexicon, at = self.text, self.lexicon, self.at
        character = text[at]
        if character in lexicon.blanks_at_times:
            what = f"sql: {character!r}, which is a blank to the engine in some versions or places alone"
            raise Unsupported(what, Place.at(text, at))
        if character in lexicon.string_quotes:
            return Shape.STRING, self._quoted(character, lexicon.backslash_escapes)
        for opening, closing in lexicon.name_quotes:
            if character == opening:
                return Shape.NAME, self._quoted(closing, False)
        prefixed = self._prefixed()
        if prefixed is not None:
            return prefixed
        if lexicon.dollar_quotes and character == "$" and (found := self._dollars()) is not None:
            return Shape.STRING, found
        digit = character.isascii() and character.isdigit()
        if digit and after_dot and lexicon.digits_begin_names:
            return self._word()
        if digit or (character == "." and text[at + 1 : at + 2] in set("0123456789") and not self._named()):
            return self._number()
        if self._begins(character) and not (character == "$" and not lexicon.dollar_begins_names):
            return self._word()
        return self._sign()

    def _named(self) -> bool:
        """Whether a dot stands right behind a name, of which it is a part then in MariaDB."""
        before = self.text[self.at - 1 : self.at]
        return bool(before) and self.lexicon.digits_begin_names and (self._continues(before) or before == "`")

    def _begins(self, character: str) -> bool:
        if character.isascii():
            return character.isalpha() or character in "_$"
        return self.lexicon.high_letters or character <= "\uffff"

    def _continues(self, character: str) -> bool:
        return self._begins(character) or (character.isascii() and character.isdigit())

    def _word(self) -> tuple[Shape, str | None]:
        while self.at < len(self.text) and self._continues(self.text[self.at]):
            if self.text[self.at] in self.lexicon.blanks_at_times:
                break
            self.at += 1
        return Shape.WORD, None

    def _prefixed(self) -> tuple[Shape, str | None] | None:
        text, lexicon, at = self.text, self.lexicon, self.at
        for prefixes in (lexicon.unread_prefixes, lexicon.escape_prefixes, lexicon.literal_prefixes):
            for prefix in prefixes:
                end = at + len(prefix)
                quote = text[end : end + 1]
                if text[at:end].upper() != prefix or not quote:
                    continue
                if prefixes is lexicon.unread_prefixes:
                    if quote in "'\"":
                        raise Unsupported(f"sql: {prefix}{quote}, with Unicode escapes", Place.at(text, at))
                elif quote == "'":
                    self.at = end
                    escapes = prefixes is lexicon.escape_prefixes or lexicon.backslash_escapes
                    value = self._quoted(quote, escapes)
                    plain = prefixes is lexicon.escape_prefixes
                    return (Shape.STRING, value) if plain else (Shape.LITERAL, None)
        return None

    def _quoted(self, closing: str, escapes: bool) -> str:
        """The content of what the quote here opens; a doubled quote stands for one."""
        text, start = self.text, self.at
        self.at += 1
        found: list[str] = []
        while self.at < len(text):
            character = text[self.at]
            if character == "\\" and escapes and self.at + 1 < len(text):
                found.append(self._escape(start))
            elif character != closing:
                found.append(character)
                self.at += 1
            elif text.startswith(closing * 2, self.at) and closing != "]":
                found.append(closing)
                self.at += 2
            else:
                self.at += 1
                return "".join(found)
        raise self._stop(f"{text[start]} without its closing {closing}", start)

    def _escape(self, start: int) -> str:
        follows = self.text[self.at + 1]
        self.at += 2
        if self.lexicon.backslash_escapes:
            kept = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
            return "\\" + follows if follows in "%_" else kept.get(follows, follows)
        if follows in "xuU01234567":
            raise Unsupported("sql: a character by its number in a literal", Place.at(self.text, start))
        return {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(follows, follows)

    def _dollars(self) -> str | None:
        text, at = self.text, self.at
        end = at + 1
        while end < len(text) and text[end] != "$" and self._continues(text[end]):
            end += 1
        if text[end : end + 1] != "$" or text[at + 1 : at + 2].isdigit():
            return None
        tag = text[at : end + 1]
        closing = text.find(tag, end + 1)
        if closing < 0:
            raise self._stop(f"{tag} without its end", at)
        self.at = closing + len(tag)
        return text[end + 1 : closing]

    def _number(self) -> tuple[Shape, str | None]:
        text, lexicon, start = self.text, self.lexicon, self.at
        digits = "0123456789" + ("_" if lexicon.number_underscores else "")
        radix = text[start + 1 : start + 2]
        if text[start] == "0" and radix and radix.lower() in lexicon.radix_prefixes:
            self.at += 2
            wanted = {"x": "0123456789abcdefABCDEF", "o": "01234567", "b": "01"}[radix.lower()]
            while self.at < len(text) and text[self.at] in wanted:
                self.at += 1
        else:
            self._run(digits)
            if text[self.at : self.at + 1] == "." and not text.startswith("..", self.at):
                self.at += 1
                self._run(digits)
            exponent = text[self.at : self.at + 1] in ("e", "E") and text[self.at + 1 : self.at + 2]
            signed = exponent and exponent in "+-"
            if exponent and text[self.at + 1 + bool(signed) : self.at + 2 + bool(signed)].isdecimal():
                self.at += 2
                self._run(digits)
        if (
            self.at < len(text)
            and self._continues(text[self.at])
            and text[self.at] not in lexicon.blanks_at_times
        ):
            if lexicon.digits_begin_names and "." not in text[start : self.at]:
                self.at = start
                return self._word()
            raise Unsupported("sql: a number right before a letter", Place.at(text, start))
        return Shape.NUMBER, None

    def _run(self, digits: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in digits:
            self.at += 1

    def _sign(self) -> tuple[Shape, str | None]:
        text, lexicon, at = self.text, self.lexicon, self.at
        for sign in lexicon.unread_signs:
            if text.startswith(sign, at):
                raise Unsupported(f"sql: {sign if sign.isprintable() else repr(sign)}", Place.at(text, at))
        longest = next((sign for sign in lexicon.operators if text.startswith(sign, at)), None)
        if longest is not None and not self._goes_on(at + len(longest)):
            self.at += len(longest)
            return Shape.OPERATOR, None
        for mark in lexicon.parameters:
            if text.startswith(mark, at):
                self.at += len(mark)
                while self.at < len(text) and (self._continues(text[self.at]) or text[self.at] == "`"):
                    self.at += 1
                return Shape.PARAMETER, None
        if text[at] in lexicon.operator_characters:
            self.at = self._operator_end(at)
            return Shape.OPERATOR, None
        if text[at] in lexicon.singles:
            self.at += 1
            return Shape.OPERATOR, None
        raise self._stop(f"{text[at]!r}, which begins no token", at)

    def _goes_on(self, end: int) -> bool:
        """Whether a listed operator is a part of a longer one."""
        following = self.text[end : end + 1]
        open_ended = self.text[self.at] in self.lexicon.operator_characters
        return bool(following) and open_ended and following in self.lexicon.operator_characters

    def _operator_end(self, at: int) -> int:
        """PostgreSQL's rule: no comment begins inside; a + or - ends only an operator with a mark in it."""
        text, end = self.text, at
        while end < len(text) and text[end] in self.lexicon.operator_characters:
            if end > at and (text.startswith("--", end) or text.startswith("/*", end)):
                break
            end += 1
        while end > at + 1 and text[end - 1] in "+-" and not set(text[at:end]) & set("~!@#^&|`?%"):
            end -= 1
        return end

    def _stop(self, what: str, offset: int) -> SpecificationError:
        return SpecificationError(ReasonCode.SYNTAX, what, Place.at(self.text, offset))
