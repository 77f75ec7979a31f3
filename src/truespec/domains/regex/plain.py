"""Plain trees of both dialects for replay and re-checking; shares no code with the parsers of the finder.

For the python dialect the tree comes from Python's own parser, and every test of a single character is put
to `re`; for the deepregex dialect a small grammar of its own reads the text. A tree is a tuple whose first
element names its form:

    ("set", test)  ("cat", trees)  ("or", trees)  ("and", trees)  ("not", tree)
    ("rep", tree, least, most)  ("greedy", tree, least, most)  ("atomic", tree)
    ("ahead", tree, positive)  ("behind", tree, positive)

`most` is null for no bound; `test` is a `OneCharacter`.
"""

from __future__ import annotations

import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
import warnings
from functools import cache, lru_cache
from typing import Any

Tree = tuple[Any, ...]
LAST = 0x10FFFF
"""The last code point."""

Letter = str | None
"""A character, or null past the end of the string."""

_LETTERS = {"i": re.I, "m": re.M, "s": re.S, "x": re.X, "a": re.A, "u": re.U}
_NOTHING: Tree = ("or", ())


@cache
def _all_characters() -> str:
    return "".join(map(chr, range(LAST + 1)))


class OneCharacter:
    """A test of one character, put to `re`."""

    def __init__(self, source: str, flags: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._one = re.compile(source, flags).fullmatch
            self._many = re.compile(f"{source}+", flags)
        self._known: dict[str, bool] = {}
        self._runs: dict[int, tuple[tuple[int, int], ...]] = {}

    def __call__(self, character: str) -> bool:
        answer = self._known.get(character)
        if answer is None:
            answer = self._known[character] = self._one(character) is not None
        return answer

    def runs(self, size: int) -> tuple[tuple[int, int], ...]:
        """The code points below `size` that pass, as runs from the first to one past the last."""
        if size not in self._runs:
            matches = self._many.finditer(_all_characters(), 0, size)
            self._runs[size] = tuple(match.span() for match in matches)
        return self._runs[size]


@lru_cache(maxsize=4096)
def _one_character(source: str, flags: int) -> OneCharacter:
    return OneCharacter(source, flags & ~(sre.SRE_FLAG_VERBOSE | sre.SRE_FLAG_DEBUG))


ANY: Tree = ("set", _one_character(".", int(re.S)))
"""One character."""
_NEWLINE: Tree = ("set", _one_character("\n", 0))
AT_START: Tree = ("behind", ANY, False)
AT_END: Tree = ("ahead", ANY, False)


def read(text: str, dialect: str, flags: str, boundary: str, ascii_only: bool) -> Tree:
    """The tree of a text that the dialect accepts."""
    if dialect == "deepregex":
        return _DeepRegex(text, boundary, ascii_only).read()
    bits = 0
    for letter in flags:
        bits |= _LETTERS[letter]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = sre_parser.parse(text, bits)
    return _items(parsed, parsed.state.flags)


# The python dialect ----------------------------------------------------------------------------------


def _items(items: Any, flags: int) -> Tree:
    return ("cat", tuple(_item(code, argument, flags) for code, argument in items))


def _escaped(point: int) -> str:
    return f"\\U{point:08x}"


_CATEGORIES = {
    sre.CATEGORY_DIGIT: "\\d", sre.CATEGORY_NOT_DIGIT: "\\D", sre.CATEGORY_SPACE: "\\s",
    sre.CATEGORY_NOT_SPACE: "\\S", sre.CATEGORY_WORD: "\\w", sre.CATEGORY_NOT_WORD: "\\W",
}  # fmt: skip


def _item(code: Any, argument: Any, flags: int) -> Tree:
    if code is sre.LITERAL or code is sre.NOT_LITERAL:
        negation = "^" if code is sre.NOT_LITERAL else ""
        return ("set", _one_character(f"[{negation}{_escaped(argument)}]", flags))
    if code is sre.ANY:
        return ("set", _one_character(".", flags))
    if code is sre.IN:
        return ("set", _one_character(_class_source(argument), flags))
    if code is sre.BRANCH:
        return ("or", tuple(_items(branch, flags) for branch in argument[1]))
    if code is sre.SUBPATTERN:
        _, add, remove, inner = argument
        if add & (sre.SRE_FLAG_ASCII | sre.SRE_FLAG_UNICODE | sre.SRE_FLAG_LOCALE):
            flags &= ~(sre.SRE_FLAG_ASCII | sre.SRE_FLAG_UNICODE | sre.SRE_FLAG_LOCALE)
        return _items(inner, (flags | add) & ~remove)
    if code is sre.MAX_REPEAT or code is sre.MIN_REPEAT or code is sre.POSSESSIVE_REPEAT:
        least, most, inner = argument
        form = "greedy" if code is sre.POSSESSIVE_REPEAT else "rep"
        return (form, _items(inner, flags), int(least), None if most is sre.MAXREPEAT else int(most))
    if code is sre.ATOMIC_GROUP:
        return ("atomic", _items(argument, flags))
    if code is sre.ASSERT or code is sre.ASSERT_NOT:
        direction, inner = argument
        form = "behind" if direction < 0 else "ahead"
        return (form, _items(inner, flags), code is sre.ASSERT)
    if code is sre.AT:
        return _anchor(argument, flags)
    if code is sre.FAILURE:
        return _NOTHING
    raise ValueError(f"no plain form for {code}")


def _class_source(members: Any) -> str:
    source = ""
    for code, argument in members:
        if code is sre.NEGATE:
            source += "^"
        elif code is sre.LITERAL:
            source += _escaped(argument)
        elif code is sre.RANGE:
            source += f"{_escaped(argument[0])}-{_escaped(argument[1])}"
        else:
            source += _CATEGORIES[argument]
    return f"[{source}]"


def _anchor(argument: Any, flags: int) -> Tree:
    if argument is sre.AT_BEGINNING_STRING:
        return AT_START
    if argument is sre.AT_END_STRING:
        return AT_END
    if argument is sre.AT_BEGINNING:
        if flags & sre.SRE_FLAG_MULTILINE:
            return ("or", (AT_START, ("behind", _NEWLINE, True)))
        return AT_START
    if argument is sre.AT_END:
        if flags & sre.SRE_FLAG_MULTILINE:
            return ("or", (AT_END, ("ahead", _NEWLINE, True)))
        return ("or", (AT_END, ("ahead", ("cat", (_NEWLINE, AT_END)), True)))
    word: Tree = ("set", _one_character("\\w", flags))
    return word_boundary(word, argument is sre.AT_BOUNDARY)


def word_boundary(word: Tree, holds: bool) -> Tree:
    """A boundary between a character of `word` and one that is none, or its absence."""
    sides = [(before, after) for before in (True, False) for after in (True, False)]
    chosen = [(before, after) for before, after in sides if (before != after) is holds]
    cases = [("cat", (("behind", word, before), ("ahead", word, after))) for before, after in chosen]
    if not holds and re.search(r"\B", "") is None:  # until Python 3.13, \B is false in the empty string
        somewhere = ("or", (("behind", ANY, True), ("ahead", ANY, True)))
        return ("cat", (somewhere, ("or", tuple(cases))))
    return ("or", tuple(cases))


# The deepregex dialect -------------------------------------------------------------------------------


class _DeepRegex:
    """Splits at the loosest operator first: `|`, then `&`, then one piece after the other."""

    def __init__(self, text: str, boundary: str, ascii_only: bool) -> None:
        self.text = text
        self.boundary = boundary
        self.flags = int(re.A) if ascii_only else 0
        self.closing: dict[int, int] = {}
        self._match_brackets()

    def _match_brackets(self) -> None:
        opened: list[int] = []
        at = 0
        while at < len(self.text):
            character = self.text[at]
            if character == "\\":
                at += 1
            elif character == "[":
                end = at + 1
                while self.text[end] != "]":
                    end += 2 if self.text[end] == "\\" else 1
                self.closing[at] = end
                at = end
            elif character == "(":
                opened.append(at)
            elif character == ")":
                self.closing[opened.pop()] = at
            at += 1

    def read(self) -> Tree:
        return self._split(0, len(self.text), "|&")

    def _split(self, start: int, end: int, operators: str) -> Tree:
        if not operators:
            return self._pieces(start, end)
        parts, begin, at = [], start, start
        while at < end:
            if self.text[at] == operators[0]:
                parts.append((begin, at))
                begin = at + 1
            at = self._after(at)
        parts.append((begin, end))
        trees = tuple(self._split(a, b, operators[1:]) for a, b in parts)
        if len(trees) == 1:
            return trees[0]
        return ("or" if operators[0] == "|" else "and", trees)

    def _after(self, at: int) -> int:
        if self.text[at] == "\\":
            return at + 2
        return self.closing.get(at, at) + 1

    def _pieces(self, start: int, end: int) -> Tree:
        pieces: list[Tree] = []
        at = start
        while at < end:
            negated = False
            while self.text[at] == "~":
                negated = not negated
                at += 1
            after = self._after(at)
            tree = self._single(at, after)
            if negated:
                tree = ("not", tree)
            at = after
            while at < end and self.text[at] in "*+?{":
                close = self.text.index("}", at) if self.text[at] == "{" else at
                tree = ("rep", tree, *_repetition(self.text[at : close + 1]))
                at = close + 1
            pieces.append(tree)
        return pieces[0] if len(pieces) == 1 else ("cat", tuple(pieces))

    def _single(self, at: int, after: int) -> Tree:
        character = self.text[at]
        if character == "(":
            return self._split(at + 1, after - 1, "|&") if after - at > 2 else ("cat", ())
        if character == ".":
            return ANY
        if self.text[at:after] == "\\b":
            return self._word_boundary()
        if character == "[":
            return ("set", _one_character(_class_for_re(self.text[at:after]), self.flags))
        if character == "\\":
            return ("set", _one_character(self.text[at:after], self.flags))
        return ("set", _one_character(re.escape(character), self.flags))

    def _word_boundary(self) -> Tree:
        if self.boundary == "ignore":
            return ("cat", ())
        if self.boundary == "anchor":
            return ("or", (AT_START, AT_END))
        if self.boundary == "literal":
            return ("set", _one_character("b", 0))
        return word_boundary(("set", _one_character("\\w", self.flags)), True)


def _class_for_re(source: str) -> str:
    # A bracket at the start of a class, and doubled operators, mean something else to `re`.
    body = source[1:-1]
    negation = "^" if body.startswith("^") else ""
    escaped = re.sub(r"\\.|[\[&|~^]", lambda m: m[0] if len(m[0]) > 1 else "\\" + m[0], body[len(negation) :])
    return f"[{negation}{escaped}]"


def _repetition(source: str) -> tuple[int, int | None]:
    if source in "*+?":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[source]
    found = re.fullmatch(r"\{(\d*)(,?)(\d*)\}", source)
    assert found
    least = int(found[1] or 0)
    return least, (int(found[3]) if found[3] else None) if found[2] else least
