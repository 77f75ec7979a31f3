"""The independent twin of the regex domain: all short strings over a handful of characters.

The python dialect asks `re`; the deepregex dialect is read by a splitter of its own and evaluated by sets of
spans. Nothing here comes from `truespec`.
"""

from __future__ import annotations

import itertools
import re
import signal
from functools import cache
from typing import Any

LONGEST = 4


def differ(oracle: str, candidate: str, context: dict[str, Any]) -> str | None:
    """A short string that exactly one of the two accepts."""
    ascii_only = context.get("alphabet") == "ascii"
    size = 3 if context.get("dialect") == "deepregex" else 5
    letters = _letters(oracle + candidate, ascii_only, size)
    left, right = _language(oracle, context), _language(candidate, context)
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        for length in range(LONGEST + 1):
            for word in itertools.product(letters, repeat=length):
                string = "".join(word)
                if left(string) != right(string):
                    return string
    except TimeoutError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def _stop(*_: object) -> None:
    raise TimeoutError


def _letters(texts: str, ascii_only: bool, size: int) -> list[str]:
    plain = [c for c in dict.fromkeys(re.sub(r"\(\?[a-zA-Z]+|\\.", "", texts)) if c.isalnum() or ord(c) > 127]
    found = dict.fromkeys(c for c in plain[:4] if not ascii_only or ord(c) < 128)
    special = ["\n"] if re.search(r"[.$^\\]|\(\?", texts) else []
    letters = [*found, *special, *[c for c in "a1 Z" if c not in found]]
    return letters[:size]


def _language(text: str, context: dict[str, Any]) -> Any:
    if context.get("dialect") == "deepregex":
        tree = _read(text)
        word = re.compile(r"\w", re.ASCII if context.get("alphabet") == "ascii" else 0)
        reading = context.get("boundary", "word")
        return lambda string: (0, len(string)) in _spans(tree, string, word, reading)
    flags = 0
    for letter in context.get("flags", ""):
        flags |= getattr(re, letter.upper())
    pattern = re.compile(text, flags)
    run = pattern.search if context.get("match") == "search" else pattern.fullmatch
    return lambda string: run(string) is not None


@cache
def _read(text: str) -> Any:
    for operator in "|&":
        parts = _split(text, operator)
        if len(parts) > 1:
            return (operator, tuple(_read(part) for part in parts))
    pieces = _pieces(text)
    return ("cat", tuple(_piece(piece) for piece in pieces))


def _end_of_class(text: str, at: int) -> int:
    """Where the next bracket stands that closes a class."""
    while text[at] != "]":
        at += 2 if text[at] == "\\" else 1
    return at


def _units(text: str) -> list[str]:
    """Atoms and single operator characters."""
    units, at = [], 0
    while at < len(text):
        end = at + 1
        if text[at] == "\\":
            end = at + 2
        elif text[at] == "[":
            end = _end_of_class(text, end) + 1
        elif text[at] == "{":
            end = text.index("}", at) + 1
        elif text[at] == "(":
            depth = 1
            while depth:
                if text[end] == "\\":
                    end += 1
                elif text[end] == "[":
                    end = _end_of_class(text, end)
                elif text[end] in "()":
                    depth += 1 if text[end] == "(" else -1
                end += 1
        units.append(text[at:end])
        at = end
    return units


def _split(text: str, operator: str) -> list[str]:
    parts = [""]
    for unit in _units(text):
        if unit == operator:
            parts.append("")
        else:
            parts[-1] += unit
    return parts


def _pieces(text: str) -> list[list[str]]:
    pieces: list[list[str]] = []
    tildes: list[str] = []
    for unit in _units(text):
        if unit == "~":
            tildes.append(unit)
        elif unit[0] in "*+?{" and pieces:
            pieces[-1].append(unit)
        else:
            pieces.append([*tildes, unit])
            tildes = []
    return pieces


def _piece(piece: list[str]) -> Any:
    tildes = piece.count("~")
    atom, *repeats = piece[tildes:]
    tree = ("cat", ()) if atom == "()" else _read(atom[1:-1]) if atom[0] == "(" else ("atom", atom)
    if tildes % 2:
        tree = ("~", tree)
    for repeat in repeats:
        if repeat in "*+?":
            low, high = {"*": (0, 99), "+": (1, 99), "?": (0, 1)}[repeat]
        else:
            first, comma, last = repeat[1:-1].partition(",")
            low = int(first or 0)
            high = int(last) if last else 99 if comma else low
        tree = ("rep", tree, low, high)
    return tree


def _spans(tree: Any, string: str, word: Any, reading: str) -> frozenset[tuple[int, int]]:
    size = len(string)
    identity = frozenset((i, i) for i in range(size + 1))
    kind = tree[0]
    if kind == "atom":
        atom = tree[1]
        if atom == "\\b":
            if reading == "ignore":
                return identity
            if reading == "anchor":
                return frozenset({(0, 0), (size, size)})
            if reading == "word":
                inside = [False, *[bool(word.match(c)) for c in string], False]
                return frozenset((i, i) for i in range(size + 1) if inside[i] != inside[i + 1])
            atom = "b"
        if atom == ".":
            test = re.compile(".", re.DOTALL)
        else:
            test = re.compile(atom if atom[0] in "[\\" else re.escape(atom), word.flags)
        return frozenset((i, i + 1) for i in range(size) if test.fullmatch(string[i]))
    if kind == "cat":
        out = identity
        for part in tree[1]:
            out = _compose(out, _spans(part, string, word, reading))
        return out
    if kind == "~":
        everything = {(i, j) for i in range(size + 1) for j in range(i, size + 1)}
        return frozenset(everything - _spans(tree[1], string, word, reading))
    if kind == "rep":
        _, inner, low, high = tree
        step = _spans(inner, string, word, reading)
        out = identity
        for _ in range(min(low, 40)):
            out = _compose(out, step)
        for _ in range(min(high - low, size + 1)):
            out |= _compose(out, step)
        return out
    parts = [_spans(part, string, word, reading) for part in tree[1]]
    return frozenset.union(*parts) if kind == "|" else frozenset.intersection(*parts)


def _compose(
    left: frozenset[tuple[int, int]], right: frozenset[tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    return frozenset((i, k) for i, j in left for j2, k in right if j == j2)
