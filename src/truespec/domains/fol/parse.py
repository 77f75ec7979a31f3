"""From text to formula. The grammar, from tight to loose:

    term      a name: letters, digits and underscores of any script
    atom      `Likes(anna, x)`, `Rains` or `Rains()`, `x = anna`, `x ≠ anna` (also `!=`)
    not       `¬` (also `-`, `~`, `∼`, `!`, `not`), and the quantifiers
    and       `∧` (also `&`, `&&`, `and`)
    or        `∨` (also `|`, `||`, `or`)
    xor       `⊕` (also `⊻`, `^`, `xor`)
    implies   `→` (also `->`, `=>`, `⇒`, `⟶`, `⟹`), groups to the right
    iff       `↔` (also `<->`, `<=>`, `⇔`, `⟷`, `⟺`, `≡`)

Quantifiers are `∀x`, `∃x`, also `all x`, `forall x`, `exists x`, `some x`, each with an optional dot and,
before a dot, several variables (`all x y.`). What follows a quantifier is its scope: exactly the parenthesis,
if one follows. Otherwise the scope is the next atom, negation or quantified formula; where that leaves the
variable free further right, the scope reaches to the end of the enclosing parenthesis. So `∀x P(x) → Q(x)` is
`∀x (P(x) → Q(x))`, as FOLIO writes it, while `∃x P(x) → Q(a)` is `(∃x P(x)) → Q(a)`, and in
`∀x (P(x)) → Q(x)` the last `x` is free, which is an error.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from truespec.domains.fol.syntax import (
    All,
    And,
    Atom,
    Equal,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Some,
    Term,
    Xor,
)
from truespec.domains.fol.tokens import Tokens, show
from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported

MAX_CHARACTERS = 100_000
"""Longer texts are not read; FOLIO's longest formula has some 400 characters."""
MAX_NESTING = 120
"""Deeper nesting is not read, so that no later pass can exhaust Python's stack."""
_LOOSENESS = {"and": 1, "or": 2, "xor": 3, "implies": 4, "iff": 5}
_BY_LOOSENESS: dict[int, type[And] | type[Or] | type[Xor] | type[Iff]] = {1: And, 2: Or, 3: Xor, 5: Iff}
_FREE = frozenset("uvwxyz")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A formula with the places of the names in it."""

    text: str
    """What was read."""
    formula: Formula
    """What it says."""
    predicates: dict[tuple[str, int], int]
    """Each predicate with each arity it is used with, and the offset of its first use."""
    constants: dict[str, int]
    """Each constant and the offset of its first use."""


@lru_cache(maxsize=64)
def parse(text: str, declared: frozenset[str] = frozenset()) -> Parsed:
    """Read one formula; a name in `declared` is a constant even where it looks like a variable.

    `SpecificationError` says what is wrong and where; `Unsupported` says which bound of ours was reached.

    >>> parse("∀x (P(x) → Q(x, anna))").constants
    {'anna': 16}
    """
    if len(text) > MAX_CHARACTERS:
        raise Unsupported(f"a text of {len(text)} characters: at most {MAX_CHARACTERS} are read")
    return _Parser(text, declared).run()


class _Parser:
    def __init__(self, text: str, declared: frozenset[str]) -> None:
        tokens = Tokens(text)
        self.text = text
        self.declared = declared
        self.kinds, self.words, self.offsets = tokens.kinds, tokens.words, tokens.offsets
        self.closing = tokens.closing
        self.error = tokens.error
        self.at = 0
        self.nesting = 0
        self.group_ends = [len(self.kinds) - 1]
        self.scope: dict[str, int] = {}
        self.bound = 0
        self.predicates: dict[tuple[str, int], int] = {}
        self.constants: dict[str, int] = {}
        self.places: dict[str, list[int]] | None = None

    # -- grammar --------------------------------------------------------------------------------------

    def run(self) -> Parsed:
        formula = self.formula(5)
        if self.kinds[self.at] != "end":
            raise self.unexpected("the end of the formula or an operator")
        return Parsed(self.text, formula, self.predicates, self.constants)

    def formula(self, loosest: int) -> Formula:
        """A formula whose operators at its top level are at most this loose."""
        left = self.unary()
        while True:
            looseness = _LOOSENESS.get(self.kinds[self.at], 9)
            if looseness > loosest:
                return left
            if looseness == 4:
                self.at += 1
                self.deeper()
                left = Implies(left, self.formula(4))
                self.nesting -= 1
                continue
            parts = [left]
            operator = self.kinds[self.at]
            while self.kinds[self.at] == operator:
                self.at += 1
                parts.append(self.formula(looseness - 1))
            left = _BY_LOOSENESS[looseness](tuple(parts))

    def unary(self) -> Formula:
        kind = self.kinds[self.at]
        if kind == "name":
            return self.atom()
        self.deeper()
        if kind == "not":
            self.at += 1
            result: Formula = Not(self.unary())
        elif kind == "(":
            result = self.parenthesis()
        elif kind in ("all", "some"):
            result = self.quantified()
        else:
            raise self.unexpected("a formula")
        self.nesting -= 1
        return result

    def parenthesis(self) -> Formula:
        end = self.closing[self.at]
        self.group_ends.append(end)
        self.at += 1
        inner = self.formula(5)
        if self.at != end:
            raise self.unexpected("')' or an operator")
        self.group_ends.pop()
        self.at += 1
        if self.kinds[self.at] in ("=", "!="):
            raise self.error("equality joins two terms, not formulas: use ↔", self.offsets[self.at])
        return inner

    def quantified(self) -> Formula:
        make = All if self.kinds[self.at] == "all" else Some
        opening = self.at
        self.at += 1
        variables = [self.variable()]
        ahead = self.at
        while self.kinds[ahead] == "name":
            ahead += 1
        if self.kinds[ahead] == ".":
            while self.kinds[self.at] == "name":
                variables.append(self.variable())
            self.at += 1
        shadowed = [(name, self.scope.get(name)) for name in variables]
        numbers = []
        for name in variables:
            self.deeper()
            numbers.append(self.bound)
            self.scope[name] = self.bound
            self.bound += 1
        if self.kinds[self.at] == ",":
            raise self.error(
                "one quantifier for each variable: write ∀x ∀y, not ∀x, y", self.offsets[self.at]
            )
        if self.kinds[self.at] == "end":
            raise self.error("the quantifier has no scope", self.offsets[opening])
        body = self.formula(5) if self.reaches_far(variables) else self.unary()
        for name, outer in reversed(shadowed):
            if outer is None:
                self.scope.pop(name, None)
            else:
                self.scope[name] = outer
        for number in reversed(numbers):
            body = make(number, body)
            self.nesting -= 1
        return body

    def variable(self) -> str:
        if self.words[self.at] == "!":
            raise self.error("there is no ∃!: write ∃x (P(x) ∧ ∀y (P(y) → y = x))", self.offsets[self.at])
        if self.kinds[self.at] != "name":
            raise self.unexpected("the quantified variable")
        self.at += 1
        return self.words[self.at - 1]

    def reaches_far(self, variables: list[str]) -> bool:
        """Whether the scope that starts here reaches to the end of the enclosing parenthesis."""
        at = self.at
        while self.kinds[at] in ("all", "some"):
            at = self.skip_prefix(at)
        if self.kinds[at] == "(":
            return False
        while self.kinds[at] in ("all", "some", "not"):
            at = self.skip_prefix(at)
        end = self.skip_atom(at)
        if self.places is None:
            self.places = {}
            for index, word in enumerate(self.words):
                if self.kinds[index] == "name":
                    self.places.setdefault(word, []).append(index)
        for name in variables:
            uses = self.places.get(name, [])
            position = bisect_left(uses, end)
            if position < len(uses) and uses[position] < self.group_ends[-1]:
                if self.kinds[uses[position] - 1] not in ("all", "some"):
                    return True
        return False

    def skip_prefix(self, at: int) -> int:
        if self.kinds[at] == "not":
            return at + 1
        after = at + 2
        while self.kinds[after - 1] != "end" and self.kinds[after] == "name":
            after += 1
        return after + 1 if self.kinds[after - 1] != "end" and self.kinds[after] == "." else at + 2

    def skip_atom(self, at: int) -> int:
        if at >= len(self.kinds) - 1:
            return len(self.kinds) - 1
        if self.kinds[at] == "(":
            return self.closing[at] + 1
        if self.kinds[at + 1] == "(":
            return self.closing[at + 1] + 1
        return at + 3 if self.kinds[at + 1] in ("=", "!=") else at + 1

    def atom(self) -> Formula:
        name, offset = self.words[self.at], self.offsets[self.at]
        self.at += 1
        kind = self.kinds[self.at]
        if kind == "(":
            found = self.arguments(name)
            if self.kinds[self.at] in ("=", "!="):
                raise self.no_function(f"{name}(...) stands beside an equality sign", self.offsets[self.at])
            if name in self.scope:
                raise self.error(f"{show(name)} is a variable here and cannot be a predicate", offset)
            self.predicates.setdefault((name, len(found)), offset)
            return Atom(name, found)
        if kind in ("=", "!="):
            self.at += 1
            left = self.term(name, offset)
            if self.kinds[self.at] != "name":
                raise self.unexpected("a name after the equality sign")
            name, offset = self.words[self.at], self.offsets[self.at]
            self.at += 1
            if self.kinds[self.at] == "(":
                raise self.no_function(f"{name}(...) stands beside an equality sign", offset)
            if self.kinds[self.at] in ("=", "!="):
                raise self.error("equalities do not chain: write x = y ∧ y = z", self.offsets[self.at])
            equal = Equal(left, self.term(name, offset))
            return equal if kind == "=" else Not(equal)
        if name in self.scope:
            raise self.error(f"{show(name)} is a variable, and a formula is expected", offset)
        if name in _FREE:
            raise self.error(f"{show(name)} looks like a variable, and a formula is expected", offset)
        if kind == "name":
            raise self.two_names(name)
        self.predicates.setdefault((name, 0), offset)
        return Atom(name, ())

    def arguments(self, predicate: str) -> tuple[Term, ...]:
        end = self.closing[self.at]
        self.at += 1
        found: list[Term] = []
        while self.at < end:
            if self.kinds[self.at] != "name":
                raise self.unexpected(f"an argument of {predicate}: a constant or a bound variable")
            name, offset = self.words[self.at], self.offsets[self.at]
            self.at += 1
            kind = self.kinds[self.at]
            if kind == "(":
                raise self.no_function(f"{name}(...) is an argument of {predicate}", offset)
            if kind == "name":
                raise self.two_names(name)
            found.append(self.term(name, offset))
            if self.at == end:
                break
            if kind != ",":
                raise self.unexpected(f"',' or ')' after an argument of {predicate}")
            self.at += 1
            if self.at == end:
                raise self.error(
                    f"an argument of {predicate} is missing after this ','", self.offsets[end - 1]
                )
        self.at = end + 1
        return tuple(found)

    def term(self, name: str, offset: int) -> Term:
        number = self.scope.get(name)
        if number is not None:
            return number
        if name in _FREE and name not in self.declared:
            message = f"the variable {name} is free: write ∀{name} (...) or ∃{name} (...) around all its uses"
            raise SpecificationError(ReasonCode.SCOPE, message, Place.at(self.text, offset))
        self.constants.setdefault(name, offset)
        return name

    # -- errors ---------------------------------------------------------------------------------------

    def deeper(self) -> None:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise Unsupported(
                f"nested deeper than {MAX_NESTING} levels", Place.at(self.text, self.offsets[self.at])
            )

    def unexpected(self, expected: str) -> SpecificationError:
        kind, word, offset = self.kinds[self.at], self.words[self.at], self.offsets[self.at]
        if kind == "end":
            return self.error(f"the formula ends where {expected} is expected", offset)
        if kind == ",":
            hint = "a comma does not join formulas: write ∧"
        elif kind == ".":
            hint = "a dot may only follow a quantified variable"
        elif kind in ("not", "name", "(", "all", "some") and "operator" in expected:
            hint = "an operator such as ∧ or → is missing before it"
        else:
            hint = ""
        return self.error(
            f"found {show(word)} where {expected} is expected" + (f"; {hint}" if hint else ""), offset
        )

    def no_function(self, seen: str, offset: int) -> SpecificationError:
        return self.error(f"{seen}; only names do: there are no functions in the language", offset)

    def two_names(self, name: str) -> SpecificationError:
        other = self.words[self.at]
        message = f"two names in a row, {show(name)} {show(other)}: write one name, or an operator between"
        return self.error(message, self.offsets[self.at])
