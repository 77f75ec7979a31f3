"""Texts of a shape: what LIKE, GLOB and regular expressions of a CHECK match, and some texts that they match.

Read as far as CHECKs go; a mistake here costs databases, never a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

MAX_SAMPLE = 60
"""The longest text that is made."""
MAX_REPEATED = 3
"""A pattern that repeats more parts, or groups any, is not matched: nothing would stop a long search."""
_CLASS = {"d": "0123456789", "w": "abcdefgh0123_", "s": " "}
_PART = re.compile(
    r"(?P<set>\[\^?\]?(?:\[:\w+:\]|[^\]])*\])|\\(?P<escape>.)|(?P<any>\.)|(?P<edge>[\^$])|(?P<sign>[^()|*+?{}\[\]\\])",
    re.DOTALL,
)
_COUNT = re.compile(r"(?P<sign>[*+?])|\{(?P<least>\d+)(?:,(?P<most>\d*))?\}")
_LENGTH = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def matches(kind: type[exp.Expr], text: str, pattern: str) -> bool | None:
    """Whether a text has the shape that a predicate asks for, whatever its case; None where unknown."""
    if kind is exp.Like or kind is exp.ILike:
        pattern = _anchored(pattern, {"%": ".*", "_": "."})
    elif kind is exp.Glob:
        pattern = _of_glob(pattern)
    grouped = kind in (exp.RegexpLike, exp.RegexpILike) and "(" in pattern
    if grouped or len(re.findall(r"[*+{]", pattern)) > MAX_REPEATED:
        return None
    try:
        return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None
    except (re.error, RecursionError, OverflowError):
        return None


def texts_of(tree: exp.Expr) -> Iterator[tuple[str, str]]:
    """Columns, in lower case, with texts that have the shape or the length that a condition asks for."""
    for node in tree.find_all(exp.Glob, exp.RegexpLike, exp.RegexpILike):
        pattern = node.expression
        if isinstance(node.this, exp.Column) and isinstance(pattern, exp.Literal):
            written = str(pattern.name)
            for text in samples(_of_glob(written) if isinstance(node, exp.Glob) else written):
                yield str(node.this.name).lower(), text
    for length in tree.find_all(exp.Length):
        if not isinstance(length.this, exp.Column) or not isinstance(length.parent, _LENGTH):
            continue
        for literal in length.parent.find_all(exp.Literal):
            size = int(literal.name) if literal.name.isdigit() and len(literal.name) < 3 else 0
            for many in (size, size + 1, size - 1):
                for letter in "abc" if 0 < many <= MAX_SAMPLE else "":
                    yield str(length.this.name).lower(), letter * many


def samples(pattern: str) -> list[str]:
    """Some texts that a plain regular expression matches; none where it has groups or branches.

    >>> samples("^[A-C]{2}-[0-9]+$")
    ['AA-0', 'BB-1', 'CC-2']
    """
    parts: list[tuple[str, int]] = []
    place = 0
    while place < len(pattern):
        part = _PART.match(pattern, place)
        if part is None:
            return []
        place = part.end()
        if part["edge"]:
            continue
        count = _COUNT.match(pattern, place)
        many = 1
        if count is not None:
            place = count.end()
            many = 1 if count["sign"] else int(count["least"])
        parts.append((_members(part), many))
    if not all(members for members, _ in parts):
        return []
    made = ["".join(members[turn % len(members)] * many for members, many in parts) for turn in range(3)]
    return [text for text in dict.fromkeys(made) if len(text) <= MAX_SAMPLE]


def _members(part: re.Match[str]) -> str:
    """Characters that a part matches."""
    if part["any"]:
        return "abc"
    if part["escape"]:
        return _CLASS.get(part["escape"], part["escape"])
    if part["sign"]:
        return part["sign"]
    inside = part["set"][1:-1]
    without = inside.startswith("^")
    inside = inside.removeprefix("^")
    for name, characters in (("digit", _CLASS["d"]), ("alpha", "abc"), ("alnum", "abc01"), ("upper", "ABC")):
        inside = inside.replace(f"[:{name}:]", characters)
    found = ""
    for one in re.finditer(r"\\(.)|(.)-(.)|(.)", inside, re.DOTALL):
        if one[2]:
            found += "".join(map(chr, range(ord(one[2]), min(ord(one[3]), ord(one[2]) + 9) + 1)))
        else:
            found += _CLASS.get(one[1], one[1]) if one[1] else one[4]
    return "".join(sign for sign in "abcxyz019 -" if sign not in found) if without else found


def _anchored(pattern: str, signs: dict[str, str]) -> str:
    return "^" + "".join(signs.get(letter, re.escape(letter)) for letter in pattern) + "$"


def _of_glob(pattern: str) -> str:
    """A GLOB pattern as a regular expression."""
    parts = re.split(r"(\[[^\]]*\])", pattern)
    return (
        "^"
        + "".join(
            part if part.startswith("[") else _anchored(part, {"*": ".*", "?": "."})[1:-1] for part in parts
        )
        + "$"
    )
