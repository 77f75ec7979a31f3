"""Every short trace, or every short lasso, and a naive reader and evaluator: an independent twin.

Values are lists of truth values, one a position. On a lasso the word is unrolled far enough for the past to
settle, and fixed points are computed by iteration from below or above.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

SIGNS = {
    "not": "! ~ ¬ \\neg",
    "and": "& && ∧ \\land \\wedge",
    "or": "| || ∨ \\lor \\vee",
    "xor": "^ ⊕",
    "implies": "-> => → \\to \\rightarrow",
    "iff": "<-> <=> ↔ \\leftrightarrow",
    "G": "[] □ \\Box",
    "F": "<> ◇ \\Diamond",
    "X": "○ \\bigcirc",
    "Y": "⊖",
    "true": "⊤ 1 True \\top",
    "false": "⊥ 0 False \\bot",
}
MEANING = {sign: op for op, line in SIGNS.items() for sign in line.split()}
TOKEN = re.compile(r'\s*("[^"]*"|\\\w+|[\w.]+|<->|<=>|->|=>|&&|\|\||\[\]|<>|\S)')
LOOSE = [["iff"], ["implies"], ["xor"], ["or"], ["and"], list("URWMSTB")]
PREFIX = {"i": "implies", "e": "iff"}
WORDS = 4_000
"""At most so many words of each shape."""


def differ(oracle: str, candidate: str, context: dict[str, Any]) -> Any:
    """A trace or lasso on which exactly one side holds, or None."""
    finite = context.get("logic", "ltlf") == "ltlf"
    reader = prefix if context.get("syntax") == "prefix" else infix
    left, right, *assumed = [reader(text) for text in (oracle, candidate, *context.get("assumptions", []))]
    names = sorted(set().union(*(atoms(tree) for tree in (left, right, *assumed))))
    for letters, loop in words(names, finite):
        if any(
            sum(name in letter for name in group) > 1
            for group in context.get("exclusive", [])
            for letter in letters
        ):
            continue
        if all(holds(tree, letters, loop) for tree in assumed):
            if holds(left, letters, loop) != holds(right, letters, loop):
                return letters, loop
    return None


def words(names: list[str], finite: bool, longest: int = 4) -> Any:
    """All short words, while there are not too many of a length."""
    letters = [{name for name, bit in zip(names, bits) if bit} for bits in product((0, 1), repeat=len(names))]
    for length in range(1, longest + 1):
        if len(letters) ** length > WORDS:
            return
        for word in product(letters, repeat=length):
            for loop in [None] if finite else range(length):
                yield word, loop


def atoms(tree: Any) -> set[str]:
    if tree[0] == "atom":
        return {tree[1]}
    return set().union(*(atoms(part) for part in tree[1:])) if len(tree) > 1 else set()


def infix(text: str) -> Any:
    tokens = [MEANING.get(token, token) for token in TOKEN.findall(text)]
    tree, rest = loosest(tokens, 0)
    assert not rest, rest
    return tree


def loosest(tokens: list[str], level: int) -> Any:
    if level == len(LOOSE):
        return tightest(tokens)
    left, rest = loosest(tokens, level + 1)
    while rest and rest[0] in LOOSE[level]:
        op = rest[0]
        right_grouping = op == "implies" or level == len(LOOSE) - 1
        right, rest = loosest(rest[1:], level if right_grouping else level + 1)
        left = (op, left, right)
    return left, rest


def tightest(tokens: list[str]) -> Any:
    first, *rest = tokens
    if first in ("not", *"XNFGYZOH"):
        inner, rest = tightest(rest)
        return (first, inner), rest
    if first == "(":
        inner, rest = loosest(rest, 0)
        assert rest[0] == ")"
        return inner, rest[1:]
    if first in ("true", "false"):
        return (first,), rest
    return ("atom", first.strip('"')), rest


def prefix(text: str) -> Any:
    tokens = iter(text.replace("!", " ! ").split())

    def read() -> Any:
        token = next(tokens)
        op = PREFIX.get(token) or MEANING.get(token, token)
        if op in ("not", *"XNFGYZOH"):
            return (op, read())
        if op in ("and", "or", "implies", "iff", *"URWMSTB"):
            return (op, read(), read())
        return ("atom", token)

    return read()


def holds(tree: Any, letters: Any, loop: int | None) -> bool:
    if loop is not None:
        rounds = 1 + str(tree).count("'Y'") + sum(str(tree).count(f"'{op}'") for op in "ZOHSTB")
        period = letters[loop:]
        letters, loop = (*letters, *(period * rounds)), loop + len(period) * rounds
    return bool(values(tree, letters, loop)[0])


def values(tree: Any, letters: Any, loop: int | None) -> list[bool]:
    count, op = len(letters), tree[0]
    if op == "atom":
        return [tree[1] in letter for letter in letters]
    if op in ("true", "false"):
        return [op == "true"] * count
    parts = [values(part, letters, loop) for part in tree[1:]]
    a, b = parts[0], parts[-1]
    boolean: dict[str, Any] = {
        "not": lambda x, y: not x,
        "and": lambda x, y: x and y,
        "or": lambda x, y: x or y,
        "xor": lambda x, y: x != y,
        "implies": lambda x, y: not x or y,
        "iff": lambda x, y: x == y,
    }
    if op in boolean:
        return [boolean[op](x, y) for x, y in zip(a, b)]

    def after(row: list[bool], end: bool) -> list[bool]:
        return [*row[1:], end if loop is None else row[loop]]

    def before(row: list[bool], start: bool) -> list[bool]:
        return [start, *row[:-1]]

    one_step = {"X": (after, False), "N": (after, True), "Y": (before, False), "Z": (before, True)}
    if op in one_step:
        shift, end = one_step[op]
        return shift(a, end)
    shift = after if op in "FGURWM" else before
    strong = op in "FUMOS"
    value = [not strong] * count
    for _ in range(2 * count + 2):
        rest = shift(value, not strong)
        if op in "FO":
            value = [x or r for x, r in zip(a, rest)]
        elif op in "GH":
            value = [x and r for x, r in zip(a, rest)]
        elif op in "UWSB":
            value = [y or (x and r) for x, y, r in zip(a, b, rest)]
        else:
            value = [y and (x or r) for x, y, r in zip(a, b, rest)]
    return value
