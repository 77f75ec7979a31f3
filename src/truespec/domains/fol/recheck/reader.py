"""A second parser, by another method: split at the loosest operator outside all parentheses.

It reads the grammar that `truespec.domains.fol.parse` documents and shares no code with it. It is meant for
texts that were already accepted: it answers `ValueError` for others, without advice.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

Node = tuple[Any, ...]
"""("atom", name, names), ("equal", name, name), ("not", node), ("all"|"some", name, node), or an operator
with its operands: ("and"|"or"|"xor"|"iff", nodes) and ("implies", node, node). Names are as written."""

_SPELLING = [
    ("iff", ("<->", "<=>", "↔", "⇔", "⟷", "⟺", "≡")),
    ("implies", ("->", "=>", "→", "⇒", "⟶", "⟹")),
    ("differs", ("!=", "≠")),
    ("and", ("&&", "&", "∧")),
    ("or", ("||", "|", "∨")),
    ("xor", ("⊕", "⊻", "^")),
    ("not", ("¬", "~", "∼", "-", "!")),
    ("same", ("=",)),
    ("all", ("∀",)),
    ("some", ("∃",)),
]
_KIND = {spelling: kind for kind, spellings in _SPELLING for spelling in spellings}
_LEXEME = re.compile(
    "|".join(re.escape(text) for text in sorted(_KIND, key=len, reverse=True)) + r"|\w+|[(),.]|\s+"
)
_LOOSEST_FIRST = ("iff", "implies", "xor", "or", "and")


def read(text: str) -> Node:
    """The tree of a formula; `ValueError` for a text outside the language."""
    tokens = []
    end = 0
    for match in _LEXEME.finditer(text):
        if match.start() != end:
            raise ValueError(f"no lexeme at {end}")
        end = match.end()
        lexeme = match.group()
        if not lexeme.isspace():
            tokens.append((_KIND.get(lexeme, lexeme), lexeme))
    if end != len(text):
        raise ValueError(f"no lexeme at {end}")
    kinds = [kind for kind, _ in tokens]
    for index, (kind, lexeme) in enumerate(tokens):
        if lexeme in ("and", "or", "xor", "not"):
            kinds[index] = lexeme
        elif kind == lexeme and lexeme in ("all", "forall", "exists", "some"):
            follower = tokens[index + 1][1] if index + 1 < len(tokens) else ""
            is_quantifier = _is_name(follower) and follower not in ("and", "or", "xor", "not")
            kinds[index] = ("all" if lexeme in ("all", "forall") else "some") if is_quantifier else "name"
        elif _is_name(lexeme):
            kinds[index] = "name"
    return _Splitter(kinds, [lexeme for _, lexeme in tokens]).node(0, len(kinds))


def _is_name(lexeme: str) -> bool:
    return bool(re.fullmatch(r"\w+", lexeme))


class _Splitter:
    def __init__(self, kinds: list[str], lexemes: list[str]) -> None:
        self.kinds = kinds
        self.lexemes = lexemes
        self.partner: dict[int, int] = {}
        opened = []
        for index, kind in enumerate(kinds):
            if kind == "(":
                opened.append(index)
            elif kind == ")":
                self.partner[opened.pop()] = index
        if opened:
            raise ValueError("unbalanced parentheses")

    def node(self, start: int, end: int) -> Node:
        """The formula that the tokens from `start` up to `end` spell."""
        operators = self.operators(start, end)
        for kind in _LOOSEST_FIRST:
            places = [place for place in operators if self.kinds[place] == kind]
            if not places:
                continue
            if kind == "implies":
                return ("implies", self.node(start, places[0]), self.node(places[0] + 1, end))
            bounds = [start - 1, *places, end]
            operands = [self.node(one + 1, two) for one, two in pairwise(bounds)]
            return (kind, tuple(operands))
        return self.operand(start, end)

    def operators(self, start: int, end: int) -> list[int]:
        """The binary operators that belong to no parenthesis and to no quantifier's scope."""
        found = []
        at = start
        while at < end:
            if self.kinds[at] == "(":
                at = self.partner[at] + 1
            elif self.kinds[at] in ("all", "some"):
                names, body = self.prefix(at)
                at = end if self.far(names, body, end) else body
            else:
                if self.kinds[at] in _LOOSEST_FIRST:
                    found.append(at)
                at += 1
        return found

    def prefix(self, at: int) -> tuple[list[str], int]:
        """The variables of the quantifier at `at`, and where its scope starts."""
        stop = at + 1
        while stop < len(self.kinds) and self.kinds[stop] == "name":
            stop += 1
        if stop < len(self.kinds) and self.kinds[stop] == ".":
            return self.lexemes[at + 1 : stop], stop + 1
        return self.lexemes[at + 1 : at + 2], at + 2

    def far(self, names: list[str], body: int, end: int) -> bool:
        """Whether the scope that starts at `body` takes all tokens up to `end`."""
        at, direct = body, True
        while at < end and self.kinds[at] in ("all", "some", "not"):
            direct = direct and self.kinds[at] != "not"
            at = at + 1 if self.kinds[at] == "not" else self.prefix(at)[1]
        if at >= end or (direct and self.kinds[at] == "("):
            return False
        if self.kinds[at] == "(":
            at = self.partner[at] + 1
        elif at + 1 < end and self.kinds[at + 1] == "(":
            at = self.partner[at + 1] + 1
        elif at + 1 < end and self.kinds[at + 1] in ("same", "differs"):
            at += 3
        else:
            at += 1
        for name in names:
            for place in range(at, end):
                if self.kinds[place] == "name" and self.lexemes[place] == name:
                    if self.kinds[place - 1] not in ("all", "some"):
                        return True
                    break
        return False

    def operand(self, start: int, end: int) -> Node:
        """A formula without a binary operator at its top."""
        if start >= end:
            raise ValueError("an operand is missing")
        kind = self.kinds[start]
        if kind == "not":
            return ("not", self.node(start + 1, end))
        if kind in ("all", "some"):
            names, body = self.prefix(start)
            result = self.node(body, end)
            for name in reversed(names):
                result = (kind, name, result)
            return result
        if kind == "(" and self.partner[start] == end - 1:
            return self.node(start + 1, end - 1)
        names = self.lexemes[start:end]
        shape = self.kinds[start:end]
        if shape in (["name"], ["name", "(", ")"]):
            return ("atom", names[0], ())
        if shape == ["name", "same", "name"]:
            return ("equal", names[0], names[2])
        if shape == ["name", "differs", "name"]:
            return ("not", ("equal", names[0], names[2]))
        if len(shape) > 3 and shape[:2] == ["name", "("] and shape[-1] == ")":
            inside, commas = names[2:-1:2], shape[3:-1:2]
            if set(shape[2:-1:2]) == {"name"} and set(commas) <= {","} and len(inside) == len(commas) + 1:
                return ("atom", names[0], tuple(inside))
        raise ValueError(f"no formula: {' '.join(names)[:60]}")


def renamed(
    node: Node, predicates: dict[str, str], constants: dict[str, str], bound: dict[str, str] | None = None
) -> Node:
    """The formula with other names for predicates and constants; bound names become `?1`, `?2`, ..."""
    scope = bound or {}

    def again(part: Node) -> Node:
        return renamed(part, predicates, constants, scope)

    def term(name: str) -> str:
        return scope.get(name) or constants.get(name, name)

    match node:
        case ("atom", name, names):
            return ("atom", predicates.get(name, name), tuple(term(one) for one in names))
        case ("equal", left, right):
            return ("equal", term(left), term(right))
        case ("not", body):
            return ("not", again(body))
        case ("all" | "some" as kind, name, body):
            fresh = f"?{len(set(scope.values())) + 1}"
            while fresh in scope.values():
                fresh += "?"
            return (kind, fresh, renamed(body, predicates, constants, {**scope, name: fresh}))
        case ("implies", left, right):
            return ("implies", again(left), again(right))
        case (kind, parts):
            return (kind, tuple(again(part) for part in parts))
    raise ValueError(f"no formula: {node!r:.60}")
