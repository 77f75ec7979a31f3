"""From formula to text, in the Unicode syntax of FOLIO, with the parentheses that the grammar needs."""

from __future__ import annotations

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
    constants,
)

_SIGNS = {And: " ∧ ", Or: " ∨ ", Xor: " ⊕ ", Iff: " ↔ "}


def write(formula: Formula, letters: str = "xyzuvw") -> str:
    """The text of a sentence; parsing it gives a formula of the same meaning.

    >>> from truespec.domains.fol.parse import parse
    >>> write(parse("all x.(P(x) -> -Q(x, anna))").formula)
    '∀x (P(x) → ¬Q(x, anna))'
    """
    taken = frozenset(constants(formula))
    return _Writer(taken, letters).text(formula, {})


class _Writer:
    def __init__(self, taken: frozenset[str], letters: str) -> None:
        self.taken = taken
        self.letters = letters

    def fresh(self, binding: dict[int, str]) -> str:
        used = self.taken.union(binding.values())
        number = 0
        while True:
            suffix = str(number) if number else ""
            for letter in self.letters:
                if letter + suffix not in used:
                    return letter + suffix
            number += 1

    def text(self, formula: Formula, binding: dict[int, str]) -> str:
        """The text as it stands alone or in parentheses."""
        if isinstance(formula, Implies):
            return f"{self.tight(formula.left, binding)} → {self.tight(formula.right, binding)}"
        sign = _SIGNS.get(type(formula))
        if sign:
            assert isinstance(formula, And | Or | Xor | Iff)
            return sign.join([self.tight(part, binding) for part in formula.parts])
        return self.tight(formula, binding)

    def tight(self, formula: Formula, binding: dict[int, str]) -> str:
        """The text as an operand."""
        if isinstance(formula, Atom):
            if not formula.terms:
                return formula.predicate
            return f"{formula.predicate}({', '.join([self.term(one, binding) for one in formula.terms])})"
        if isinstance(formula, Equal):
            return f"({self.term(formula.left, binding)} = {self.term(formula.right, binding)})"
        if isinstance(formula, Not):
            return "¬" + self.tight(formula.body, binding)
        if isinstance(formula, All | Some):
            name = self.fresh(binding)
            inner = {**binding, formula.variable: name}
            sign = "∀" if isinstance(formula, All) else "∃"
            if isinstance(formula.body, All | Some):
                return f"{sign}{name} {self.tight(formula.body, inner)}"
            text = self.text(formula.body, inner)
            if isinstance(formula.body, Equal):
                return f"{sign}{name} {text}"
            return f"{sign}{name} ({text})"
        return f"({self.text(formula, binding)})"

    def term(self, term: Term, binding: dict[int, str]) -> str:
        return term if isinstance(term, str) else binding[term]
