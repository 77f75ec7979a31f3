"""With which characters a part of a pattern can begin: sets that may be too large, never too small.

Characters fall into three kinds, those of `\\w`, those of `\\s` and all others; beside its kinds a set lists
its characters where they are few, or some that it lacks.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple

_WORD, _SPACE, _OTHER = 1, 2, 4
_ALL = _WORD | _SPACE | _OTHER
_NONE: frozenset[int] = frozenset()
_LISTED = 128
"""The longest range whose characters are listed."""
_MORE_CASES = {ord("i"): (0x130, 0x131), ord("k"): (0x212A,), ord("s"): (0x17F,)}
"""Beyond ASCII, what a letter matches where case is ignored."""
_KINDS = {
    sre.CATEGORY_WORD: _WORD,
    sre.CATEGORY_NOT_WORD: _SPACE | _OTHER,
    sre.CATEGORY_SPACE: _SPACE,
    sre.CATEGORY_NOT_SPACE: _WORD | _OTHER,
    sre.CATEGORY_DIGIT: _WORD,
    sre.CATEGORY_NOT_DIGIT: _ALL,
}
_UNLESS = {sre.CATEGORY_WORD, sre.CATEGORY_NOT_WORD, sre.CATEGORY_SPACE, sre.CATEGORY_NOT_SPACE}
"""Categories whose complement is a union of kinds."""


class Letters(NamedTuple):
    """A set of characters."""

    ascii: bool
    """Whether kinds are those of ASCII."""
    kinds: int
    only: frozenset[int] | None = None
    """All of them, where they are listed."""
    but: frozenset[int] = _NONE
    """Characters that are not in it, whatever their kind."""

    def holds(self, code: int) -> bool:
        """Whether a character may be in it."""
        listed = self.only is None or code in self.only
        return listed and code not in self.but and bool(_kind(code, self.ascii) & self.kinds)

    def excludes(self, other: Letters) -> bool:
        """Whether no character is in both."""
        if self.only is not None:
            return not any(map(other.holds, self.only))
        if other.only is not None:
            return not any(map(self.holds, other.only))
        return self.ascii == other.ascii and not self.kinds & other.kinds

    def joined(self, other: Letters) -> Letters:
        """The union."""
        only = self.only | other.only if self.only is not None and other.only is not None else None
        kinds = self.kinds | other.kinds if self.ascii == other.ascii else _ALL
        but = {code for code in self.but | other.but if not (self.holds(code) or other.holds(code))}
        return Letters(self.ascii, kinds, only, frozenset(but))


class First(NamedTuple):
    """With what a text has to go on, for what follows to match."""

    letters: Letters
    cost: float
    """The steps after which it is clear that it does not."""

    def joined(self, other: First) -> First:
        """Either of two."""
        return First(self.letters.joined(other.letters), self.cost + other.cost + 1)


def letters_of(item: Any, flags: int) -> Letters | None:
    """The characters that a part matches which takes one character; None for another part."""
    name, value = item
    is_ascii = bool(flags & sre.SRE_FLAG_ASCII)
    if name is sre.LITERAL:
        return _of_literal(value, flags)
    if name is sre.NOT_LITERAL:
        return Letters(is_ascii, _ALL, None, _certainly({value}, flags))
    if name is sre.ANY:
        return Letters(is_ascii, _ALL)
    return _members(value, flags) if name is sre.IN else None


def starts(item: Any, flags: int, after: First | None) -> First | None:
    """How a text has to go on for a part and then `after` to match; None where that is not known."""
    letters = letters_of(item, flags)
    if letters is not None:
        return First(letters, 1.0 + (len(item[1]) / 8 if item[0] is sre.IN else 0.0))
    name, value = item
    if name is sre.AT:
        return None if after is None else First(after.letters, after.cost + 1)
    if name is sre.SUBPATTERN and not (value[1] or value[2]):
        return _starts_of_all(value[3], flags, after)
    if name is sre.BRANCH:
        found: First | None = None
        for branch in value[1]:
            one = _starts_of_all(branch, flags, after)
            if one is None:
                return None
            found = one if found is None else found.joined(one)
        return found
    if name in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, most, body = value
        # What takes nothing may be tried again and again: nothing is said of it.
        one = _starts_of_all(body, flags, None) if int(most) else None
        if one is None or least:
            return one
        return None if after is None else one.joined(after)
    return None


def _starts_of_all(tree: Any, flags: int, after: First | None) -> First | None:
    for item in reversed(tree):
        after = starts(item, flags, after)
    return after


def _kind(code: int, is_ascii: bool) -> int:
    letter = chr(code)
    if is_ascii and code > 127:
        return _OTHER
    if letter.isalnum() or letter == "_":
        return _WORD
    return _SPACE if letter.isspace() and not (is_ascii and 0x1C <= code <= 0x1F) else _OTHER


@lru_cache(maxsize=1024)
def _of_literal(code: int, flags: int) -> Letters:
    return _listed({code}, flags)


def _listed(codes: set[int], flags: int) -> Letters:
    """Characters by their codes, with all that match them where case is ignored."""
    is_ascii = bool(flags & sre.SRE_FLAG_ASCII)
    if flags & sre.SRE_FLAG_IGNORECASE:
        if not all(map(_has_known_cases, codes)):
            return Letters(is_ascii, _ALL)
        codes = {case for code in codes for case in _cases(code, is_ascii)}
    kinds = 0
    for code in codes:
        kinds |= _kind(code, is_ascii)
    return Letters(is_ascii, kinds, frozenset(codes))


def _has_known_cases(code: int) -> bool:
    return code < 128 or unicodedata.category(chr(code))[0] in "PZ"


def _cases(code: int, is_ascii: bool) -> set[int]:
    if code > 127:
        return {code}
    letter = chr(code)
    more = () if is_ascii else _MORE_CASES.get(ord(letter.lower()), ())
    return {ord(letter.lower()), ord(letter.upper()), *more}


def _certainly(codes: set[int], flags: int) -> frozenset[int]:
    """Of characters that a set lacks, those that it lacks for certain, whatever is said of cases."""
    return frozenset(codes if not flags & sre.SRE_FLAG_IGNORECASE else filter(_has_known_cases, codes))


def _members(items: list[Any], flags: int) -> Letters:
    """The characters of a set in brackets."""
    is_ascii = bool(flags & sre.SRE_FLAG_ASCII)
    negated = bool(items) and items[0][0] is sre.NEGATE
    codes: set[int] = set()
    kinds, whole = 0, True
    for name, value in items[1:] if negated else items:
        if name is sre.LITERAL:
            codes.add(value)
        elif name is sre.RANGE and value[1] - value[0] < _LISTED:
            codes.update(range(value[0], value[1] + 1))
        elif name is sre.CATEGORY and value in _KINDS and not flags & sre.SRE_FLAG_LOCALE:
            kinds |= _KINDS[value]
            whole = whole and value in _UNLESS
        else:
            kinds, whole = _ALL, False
    if negated:
        return Letters(is_ascii, _ALL & ~kinds if whole else _ALL, None, _certainly(codes, flags))
    listed = _listed(codes, flags)
    if not kinds:
        return listed
    return Letters(is_ascii, kinds | listed.kinds)
