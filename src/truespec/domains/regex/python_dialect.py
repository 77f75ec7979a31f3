"""The `python` dialect: patterns of the `re` module, read by a parser of our own that keeps columns.

`re` itself decides what is a pattern at all: its parser sees every text first, and its message is the one
shown. Ours then reads the accepted text.
"""

from __future__ import annotations

import re
import re._constants as sre_names  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
import sys
import unicodedata
import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from truespec.automata.expression import (
    EMPTY,
    END,
    START,
    Ahead,
    Behind,
    Either,
    Expression,
    Repeat,
    Sequence,
    Symbol,
)
from truespec.domains.regex import characters
from truespec.domains.regex.characters import CodePoints
from truespec.domains.regex.syntax import Pattern, check_size, syntax_error, unsupported
from truespec.verdict import ReasonCode, SpecificationError, Unsupported

FLAGS = {
    "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII, "u": re.UNICODE,
}  # fmt: skip
"""The flags that a context may name."""

_NEWLINE = characters.single("\n")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_DIGITS = frozenset("0123456789")
_OCTAL = frozenset("01234567")
_BLANKS = frozenset(" \t\n\r\v\f")
_GLOBAL = re.compile(r"\(\?([aiLmsux]+)\)")


@dataclass(frozen=True, slots=True)
class _Flags:
    ignorecase: bool
    multiline: bool
    dotall: bool
    verbose: bool
    ascii: bool

    def changed(self, add: str, remove: str) -> _Flags:
        flags = self
        for letters, value in ((add, True), (remove, False)):
            for letter in letters:
                match letter:
                    case "i":
                        flags = replace(flags, ignorecase=value)
                    case "m":
                        flags = replace(flags, multiline=value)
                    case "s":
                        flags = replace(flags, dotall=value)
                    case "x":
                        flags = replace(flags, verbose=value)
                    case "a":
                        flags = replace(flags, ascii=True)
                    case "u":
                        flags = replace(flags, ascii=False)
        return flags


def parse(text: str, flags: str) -> Pattern:
    """Read a pattern; the error of `re` where it refuses, `Unsupported` where its language is not regular."""
    check_size(text)
    check_with_re(text, flags)
    start = _Flags("i" in flags, "m" in flags, "s" in flags, "x" in flags, "a" in flags)
    parser = _Parser(text, start)
    expression = parser.alternatives(parser.global_flags(start))
    if parser.at < len(text):
        raise AssertionError(f"stopped at offset {parser.at} of {text!r}, which `re` accepts")
    return Pattern(text, expression)


def check_with_re(text: str, flags: str) -> None:
    """Raise the error of `re` for a text that `re.compile` refuses."""
    bits = 0
    for letter in flags:
        bits |= FLAGS[letter]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = sre_parser.parse(text, bits)
            # A bound on the width of look-behinds is the one thing that is checked after parsing.
            if "(?<" in text:
                _check_look_behinds(tree, text)
    except re.error as error:
        raise syntax_error(error.msg, text, error.pos or 0) from None
    except (ValueError, OverflowError) as error:
        raise SpecificationError(ReasonCode.SYNTAX, f"{error}") from None
    except RecursionError:
        raise Unsupported("groups nested too deeply for Python's own parser") from None


def _check_look_behinds(tree: Any, text: str) -> None:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, sre_parser.SubPattern):
            waiting.extend(node.data)
        elif isinstance(node, list | tuple):
            if len(node) == 2 and node[0] in (sre_names.ASSERT, sre_names.ASSERT_NOT) and node[1][0] < 0:
                low, high = node[1][1].getwidth()
                if low != high:
                    raise re.error("look-behind requires fixed-width pattern", text, text.find("(?<"))
            waiting.extend(part for part in node if isinstance(part, list | tuple | sre_parser.SubPattern))


class _Parser:
    """Recursive descent over a text that `re` accepts."""

    def __init__(self, text: str, flags: _Flags) -> None:
        self.text = text
        self.at = 0

    def _next(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def _skip_blanks(self, flags: _Flags) -> None:
        """Comments everywhere; blanks and `#` lines in verbose mode."""
        while self.at < len(self.text):
            if self.text.startswith("(?#", self.at):
                self.at = self._after(")")
            elif flags.verbose and self.text[self.at] in _BLANKS:
                self.at += 1
            elif flags.verbose and self.text[self.at] == "#":
                self.at = self._after("\n")
            else:
                return

    def _after(self, last: str) -> int:
        """Where a comment is over. As in `re`, a backslash hides what follows it even there."""
        at = self.at
        while at < len(self.text) and self.text[at] != last:
            at += 2 if self.text[at] == "\\" else 1
        return min(at + 1, len(self.text))

    def global_flags(self, flags: _Flags) -> _Flags:
        """Inline flags at the start of the pattern."""
        while True:
            self._skip_blanks(flags)
            found = _GLOBAL.match(self.text, self.at)
            if not found:
                return flags
            flags = flags.changed(found[1], "")
            self.at = found.end()

    def alternatives(self, flags: _Flags) -> Expression:
        """`a|b|c` up to the end or a closing parenthesis."""
        branches = [self._sequence(flags)]
        while self._next() == "|":
            self.at += 1
            branches.append(self._sequence(flags))
        return branches[0] if len(branches) == 1 else Either(tuple(branches))

    def _sequence(self, flags: _Flags) -> Expression:
        parts: list[Expression] = []
        while True:
            self._skip_blanks(flags)
            character = self._next()
            if character in ("", "|", ")"):
                return parts[0] if len(parts) == 1 else Sequence(tuple(parts))
            if character in "*+?{":
                start = self.at
                bounds = self._bounds()
                if bounds is not None:
                    parts[-1] = self._repeated(parts[-1], *bounds, start)
                    continue
            parts.append(self._atom(flags))

    def _bounds(self) -> tuple[int, int | None] | None:
        """A quantifier; null where a brace is a literal, with nothing consumed."""
        character = self.text[self.at]
        if character != "{":
            self.at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        if self.text.startswith("{}", self.at):
            return None
        at = self.at + 1
        low, at = self._digits(at)
        high = low
        if self.text.startswith(",", at):
            high, at = self._digits(at + 1)
        if not self.text.startswith("}", at):
            return None
        self.at = at + 1
        return int(low or "0"), int(high) if high else None

    def _digits(self, at: int) -> tuple[str, int]:
        end = at
        while end < len(self.text) and self.text[end] in _DIGITS:
            end += 1
        return self.text[at:end], end

    def _repeated(self, body: Expression, least: int, most: int | None, start: int) -> Expression:
        if self._next() == "?":  # lazy: the same language
            self.at += 1
        elif self._next() == "+":
            self.at += 1
            # With one possible width, each round takes what it can, and stops only where the body fails.
            if not width(body):
                raise unsupported(
                    f"possessive quantifier {self.text[start : self.at]!r}",
                    self.text,
                    start,
                    "supported where its body has one fixed width; drop the '+' if backtracking is meant",
                )
            rounds = Repeat(body, least, None if most is None else most - 1)
            stopped = Sequence((rounds, Ahead(body, False)))
            if most is None:
                return stopped
            if most == 0:
                return EMPTY
            full = Repeat(body, most, most)
            return Either((full, stopped)) if least < most else full
        return Repeat(body, least, most)

    def _atom(self, flags: _Flags) -> Expression:
        character = self.text[self.at]
        start = self.at
        self.at += 1
        match character:
            case ".":
                return Symbol(None) if flags.dotall else Symbol(characters.negate(_NEWLINE))
            case "^":
                return Either((START, Behind(Symbol(_NEWLINE)))) if flags.multiline else START
            case "$":
                before = Ahead(Symbol(_NEWLINE))
                last = Ahead(Sequence((Symbol(_NEWLINE), END)))
                return Either((END, before if flags.multiline else last))
            case "(":
                return self._group(flags, start)
            case "[":
                return self._class(flags, start)
            case "\\":
                return self._escape(flags, start)
        return _literal(character, flags)

    def _group(self, flags: _Flags, start: int) -> Expression:
        text = self.text
        if self._next() != "?":
            return self._closed(flags)
        self.at += 1
        rest = text[self.at : self.at + 2]
        if rest[:1] == ":":
            self.at += 1
            return self._closed(flags)
        if rest == "P<":
            self.at = text.index(">", self.at) + 1
            return self._closed(flags)
        if rest == "P=":
            end = text.index(")", self.at)
            raise _back_reference(text[start : end + 1], text, start)
        if rest in ("<=", "<!"):
            self.at += 2
            return Behind(self._closed(flags), holds=rest == "<=")
        if rest[:1] in ("=", "!"):
            self.at += 1
            return Ahead(self._closed(flags), holds=rest[0] == "=")
        if rest[:1] == ">":
            self.at += 1
            return self._atomic(self._closed(flags), start)
        if rest[:1] == "(":
            end = text.index(")", self.at)
            what = f"conditional group {text[start : end + 1]!r}"
            raise unsupported(what, text, start, "the language is not regular; write both cases out")
        found = re.compile(r"([aiLmsux]*)(?:-([imsx]+))?:").match(text, self.at)
        assert found, f"unreadable group at offset {start} of {text!r}, which `re` accepts"
        self.at = found.end()
        return self._closed(flags.changed(found[1], found[2] or ""))

    def _closed(self, flags: _Flags) -> Expression:
        inner = self.alternatives(flags)
        assert self._next() == ")", f"no parenthesis at offset {self.at} of {self.text!r}"
        self.at += 1
        return inner

    def _atomic(self, body: Expression, start: int) -> Expression:
        if width(body) is not None:
            return body  # one way to match is all there is
        advice = "supported where the body has one fixed width; write (?:...) if backtracking is meant"
        raise unsupported("atomic group '(?>...)'", self.text, start, advice)

    def _escape(self, flags: _Flags, start: int) -> Expression:
        letter = self._next()
        match letter:
            case "A":
                self.at += 1
                return START
            case "Z" | "z":
                self.at += 1
                return END
            case "b" | "B":
                self.at += 1
                return boundary(characters.category("w", flags.ascii), letter == "b")
        if letter in _DIGITS and letter != "0":
            three = self.text[self.at : self.at + 3]
            if len(three) == 3 and all(digit in _OCTAL for digit in three):
                self.at += 3
                return _literal(chr(int(three, 8)), flags)
            end = self.at + (2 if self.text[self.at + 1 : self.at + 2] in _DIGITS else 1)
            raise _back_reference(self.text[start:end], self.text, start)
        points, single = self._escaped(flags)
        return _literal(single, flags) if single else Symbol(_plain_or_folded(f"\\{letter}", points, flags))

    def _escaped(self, flags: _Flags) -> tuple[CodePoints, str]:
        """An escape that is valid inside classes too: its set, and its character where it is one."""
        letter = self._next()
        self.at += 1
        if letter in "dsw":
            return characters.category(letter, flags.ascii), ""
        if letter in "DSW":
            return characters.negate(characters.category(letter.lower(), flags.ascii)), ""
        digits = {"x": 2, "u": 4, "U": 8}.get(letter)
        if digits:
            character = chr(int(self.text[self.at : self.at + digits], 16))
            self.at += digits
        elif letter == "N":
            end = self.text.index("}", self.at)
            character = unicodedata.lookup(self.text[self.at + 1 : end])
            self.at = end + 1
        elif letter in _OCTAL:
            end = self.at
            while end < self.at + 2 and end < len(self.text) and self.text[end] in _OCTAL:
                end += 1
            character = chr(int(self.text[self.at - 1 : end], 8))
            self.at = end
        else:
            character = _ESCAPES.get(letter, letter)
        return characters.single(character), character

    def _class(self, flags: _Flags, start: int) -> Expression:
        text = self.text
        negated = self._next() == "^"
        if negated:
            self.at += 1
        sets: list[CodePoints] = []
        first = True
        while first or self._next() != "]":
            first = False
            points, low = self._member(flags)
            if low and text.startswith("-", self.at) and text[self.at + 1 : self.at + 2] != "]":
                self.at += 1
                _, high = self._member(flags)
                points = (ord(low), ord(high) + 1)
            sets.append(points)
        self.at += 1
        points = characters.union(*sets)
        if negated:
            points = characters.negate(points)
        return Symbol(_plain_or_folded(text[start : self.at], points, flags))

    def _member(self, flags: _Flags) -> tuple[CodePoints, str]:
        character = self.text[self.at]
        self.at += 1
        if character == "\\":
            return self._escaped(flags)
        return characters.single(character), character


def boundary(word: CodePoints, holds: bool) -> Expression:
    r"""`\b` or `\B` for words made of `word`."""
    before, after = Behind(Symbol(word)), Ahead(Symbol(word))
    no_before, no_after = Behind(Symbol(word), holds=False), Ahead(Symbol(word), holds=False)
    if holds:
        return Either((Sequence((before, no_after)), Sequence((no_before, after))))
    inside = Either((Sequence((before, after)), Sequence((no_before, no_after))))
    return inside if _no_boundary_in_empty_word() else Sequence((inside, _in_some_letter()))


def _in_some_letter() -> Expression:
    """The empty spans of words that have a letter."""
    return Either((Behind(Symbol(None)), Ahead(Symbol(None))))


@cache
def _no_boundary_in_empty_word() -> bool:
    r"""Whether `\B` matches the empty word, as it does from Python 3.14 on."""
    return re.search(r"\B", "") is not None


def width(expression: Expression) -> int | None:
    """The one width of all its spans; null where there are several, or none are known."""
    match expression:
        case Symbol():
            return 1
        case Ahead() | Behind():
            return 0
        case Sequence(parts):
            widths = [width(part) for part in parts]
            return None if None in widths else sum(w for w in widths if w is not None)
        case Either(parts):
            distinct = {width(part) for part in parts}
            return distinct.pop() if len(distinct) == 1 else None
        case Repeat(body, least, most):
            return (width(body) or 0) * least if least == most and width(body) is not None else None
    return None


def _literal(character: str, flags: _Flags) -> Expression:
    points = characters.single(character)
    if not flags.ignorecase:
        return Symbol(points)
    return Symbol(_plain_or_folded(re.escape(character), points, flags))


def _plain_or_folded(source: str, points: CodePoints, flags: _Flags) -> CodePoints:
    if not flags.ignorecase:
        return points
    return characters.folded(source, points, flags.ascii)


def _back_reference(shown: str, text: str, offset: int) -> Unsupported:
    return unsupported(
        f"back-reference {shown!r}", text, offset, "the language is not regular; write the repetition out"
    )


VERSION = f"Python re {sys.version_info.major}.{sys.version_info.minor}"
"""How verdicts name the module that replays them."""
