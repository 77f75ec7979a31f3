"""Every model of up to two elements, and a naive reader and evaluator in one: an independent twin.

It reads the language by recursive descent into Python closures, and shares nothing with the domain.
"""

from __future__ import annotations

import re
from itertools import islice, product
from typing import Any

MODELS = 6_000
"""At most so many models of a size are tried, in a fixed order."""
SPELLINGS = {
    "all": "∀ forall",
    "exists": "∃ some",
    "not": "¬ - ~ ∼ !",
    "and": "∧ & &&",
    "or": "∨ | ||",
    "xor": "⊕ ^ ⊻",
    "implies": "→ -> => ⇒ ⟶ ⟹",
    "iff": "↔ <-> <=> ⇔ ⟷ ⟺ ≡",
    "!=": "≠",
}
SIGNS = {sign: kind for kind, signs in SPELLINGS.items() for sign in signs.split()}
QUANTIFIERS = ("forall", "some", "all", "exists")
BINARY = ["and", "or", "xor", "implies", "iff"]


def differ(oracle: str, candidate: str, context: dict[str, Any]) -> dict[str, Any] | None:
    """A model of at most two elements in which exactly one side holds, or None."""
    used: tuple[dict[str, int], set[str]] = ({}, set())
    left, right, *axioms = [
        Reader(text, used).sentence() for text in (oracle, candidate, *context.get("axioms", []))
    ]
    for size in (1, 2):
        model: dict[str, Any]
        for model in islice(models(size, *used), MODELS):
            if all(axiom(model, {}) for axiom in axioms) and left(model, {}) != right(model, {}):
                return model
    return None


def models(size: int, predicates: dict[str, int], constants: set[str]) -> Any:
    """All models of the size: constants vary fastest, then the tuples that hold."""
    places = [
        (name, row)
        for name, arity in sorted(predicates.items())
        for row in product(range(size), repeat=arity)
    ]
    for truths in product((False, True), repeat=len(places)):
        for values in product(range(size), repeat=len(constants)):
            yield {
                "size": size,
                "true": {place for place, truth in zip(places, truths) if truth},
                "constants": dict(zip(sorted(constants), values)),
            }


class Reader:
    """Recursive descent to closures `(model, binding) -> bool`."""

    def __init__(self, text: str, used: tuple[dict[str, int], set[str]]) -> None:
        words = re.findall(r"<->|<=>|->|=>|!=|&&|\|\||\w+|\S", text)
        self.words = []
        for index, word in enumerate(words):
            follower = words[index + 1] if index + 1 < len(words) else ""
            if word in QUANTIFIERS and not re.fullmatch(r"\w+", follower):
                word = f" {word}"  # an ordinary name
            self.words.append(SIGNS.get(word, word))
        self.words.append("")
        self.used = used
        self.at = 0
        self.scope: list[str] = []

    def sentence(self) -> Any:
        result = self.level(4)
        assert not self.words[self.at], self.words[self.at :]
        return result

    def level(self, looseness: int) -> Any:
        if looseness < 0:
            return self.unary()
        left = self.level(looseness - 1)
        sign = BINARY[looseness]
        while self.words[self.at] == sign:
            self.at += 1
            right = self.level(looseness if sign == "implies" else looseness - 1)
            left = combine(sign, left, right)
        return left

    def unary(self) -> Any:
        word = self.words[self.at]
        self.at += 1
        if word == "not":
            body = self.unary()
            return lambda model, binding: not body(model, binding)
        if word == "(":
            inner = self.level(4)
            assert self.words[self.at] == ")"
            self.at += 1
            return inner
        if word in ("all", "exists"):
            names = [self.words[self.at]]
            self.at += 1
            ahead = self.at
            while re.fullmatch(r"\w+", self.words[ahead]):
                ahead += 1
            if self.words[ahead] == ".":
                names += self.words[self.at : ahead]
                self.at = ahead + 1
            return self.quantified(word, names)
        return self.atom(word)

    def quantified(self, word: str, names: list[str]) -> Any:
        self.scope += names
        depth, rest = 0, []
        narrow = self.words[self.at] == "("
        ahead = self.at
        while self.words[ahead] in ("all", "exists"):
            ahead += 2
        narrow = self.words[ahead] in ("(", ".")
        start = self.at
        body = self.unary()
        if not narrow:
            for place in range(self.at, len(self.words)):
                depth += {"(": 1, ")": -1}.get(self.words[place], 0)
                if depth < 0:
                    break
                rest.append(place)
            for name in names:
                first = next((place for place in rest if self.words[place] == name), None)
                if first is not None and self.words[first - 1] not in ("all", "exists"):
                    self.at = start
                    body = self.level(4)
                    break
        for _ in names:
            self.scope.pop()
        for name in reversed(names):
            body = quantify(word, name, body)
        return body

    def atom(self, word: str) -> Any:
        predicates = self.used[0]
        if self.words[self.at] in ("=", "!="):
            sign, other = self.words[self.at], self.words[self.at + 1]
            self.at += 2
            one, two = self.term(word), self.term(other)
            return lambda model, binding: (one(model, binding) == two(model, binding)) == (sign == "=")
        row = []
        if self.words[self.at] == "(":
            self.at += 1
            while self.words[self.at] != ")":
                row.append(self.term(self.words[self.at]))
                self.at += 1
                if self.words[self.at] == ",":
                    self.at += 1
            self.at += 1
        predicates[word] = len(row)
        return lambda model, binding: (word, tuple(term(model, binding) for term in row)) in model["true"]

    def term(self, word: str) -> Any:
        if word in self.scope:
            return lambda model, binding: binding[word]
        self.used[1].add(word)
        return lambda model, binding: model["constants"][word]


def combine(sign: str, left: Any, right: Any) -> Any:
    table: Any = {
        "and": lambda one, two: one and two,
        "or": lambda one, two: one or two,
        "xor": lambda one, two: one != two,
        "implies": lambda one, two: two or not one,
        "iff": lambda one, two: one == two,
    }[sign]
    return lambda model, binding: table(left(model, binding), right(model, binding))


def quantify(word: str, name: str, body: Any) -> Any:
    decide = all if word == "all" else any
    return lambda model, binding: decide(
        body(model, {**binding, name: element}) for element in range(model["size"])
    )
