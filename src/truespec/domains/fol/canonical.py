"""A normal form by laws alone: formulas with the same one are equivalent.

After negation normal form and miniscoping (`normal`), conjunctions and disjunctions are flattened, sorted and
freed of repetitions; ⊕ and ↔ become a sign and sorted operands; bound variables are numbered by the depth of
their quantifier, and variables of adjacent quantifiers of a kind in whichever order gives the least text.
Different normal forms mean nothing.
"""

from __future__ import annotations

from itertools import permutations

from truespec.domains.fol.normal import Normalizer, TooLarge
from truespec.domains.fol.syntax import All, And, Atom, Equal, Formula, Iff, Implies, Not, Or, Some, Term, Xor

MAX_BLOCK = 3
"""Blocks of more variables of a kind keep their order; all orders of a block are tried."""
MAX_STEPS = 4_000
"""A normal form that takes more steps is not built."""

Form = tuple[str, frozenset[str]]
"""A connective with the texts of its operands; a literal or quantified text stands alone, without one."""


def same(left: Formula, right: Formula) -> bool:
    """Whether both have one normal form; false also where a bound of ours was reached."""
    try:
        return _Builder().text(Normalizer().nnf(left)) == _Builder().text(Normalizer().nnf(right))
    except TooLarge:
        return False


class _Builder:
    def __init__(self) -> None:
        self.steps = 0

    def text(self, formula: Formula) -> str:
        """The normal form of a sentence."""
        return _print(self.form(formula, True, {}))

    def form(self, formula: Formula, positive: bool, levels: dict[int, int]) -> Form:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooLarge
        if isinstance(formula, Not):
            return self.form(formula.body, not positive, levels)
        if isinstance(formula, Atom):
            row = ",".join([_term(term, levels) for term in formula.terms])
            return "", frozenset([f"{'' if positive else '~'}{formula.predicate}({row})"])
        if isinstance(formula, Equal):
            one, two = sorted([_term(formula.left, levels), _term(formula.right, levels)])
            return "", frozenset([f"{'' if positive else '~'}{one}={two}"])
        if isinstance(formula, And | Or):
            sign = "&" if isinstance(formula, And) is positive else "|"
            return self.join(sign, [self.form(part, positive, levels) for part in formula.parts])
        if isinstance(formula, Implies):
            parts = [
                self.form(formula.left, not positive, levels),
                self.form(formula.right, positive, levels),
            ]
            return self.join("|" if positive else "&", parts)
        if isinstance(formula, Xor | Iff):
            return self.parity(formula, positive, levels)
        return "", frozenset([self.quantified(formula, positive, levels)])

    def join(self, sign: str, parts: list[Form]) -> Form:
        texts: set[str] = set()
        for part in parts:
            if part[0] == sign:
                texts |= part[1]
            else:
                texts.add(_print(part))
        return (sign, frozenset(texts)) if len(texts) > 1 else ("", frozenset(texts))

    def parity(self, formula: Xor | Iff, positive: bool, levels: dict[int, int]) -> Form:
        """⊕ over operands of which none is denied; an operand twice cancels out."""
        odd = positive
        if isinstance(formula, Iff) and len(formula.parts) % 2 == 0:
            odd = not odd
        texts: set[str] = set()
        for part in formula.parts:
            plain, denied = (_print(self.form(part, sign, levels)) for sign in (True, False))
            odd = odd is (plain < denied)
            texts ^= {min(plain, denied)}
        texts.add("1" if odd else "0")
        return "^", frozenset(texts)

    def quantified(self, formula: All | Some, positive: bool, levels: dict[int, int]) -> str:
        kind = type(formula)
        variables = []
        body: Formula = formula
        while isinstance(body, kind):
            variables.append(body.variable)
            body = body.body
        base = len(levels)
        orders = permutations(variables) if len(variables) <= MAX_BLOCK else [tuple(variables)]
        texts = []
        for order in orders:
            numbered = {variable: base + place for place, variable in enumerate(order)}
            texts.append(_print(self.form(body, positive, {**levels, **numbered})))
        sign = "A" if (kind is All) is positive else "E"
        return f"{sign}{len(variables)}:{min(texts)}"


def _term(term: Term, levels: dict[int, int]) -> str:
    return f"#{levels[term]}" if isinstance(term, int) else term


def _print(form: Form) -> str:
    sign, texts = form
    return f"{sign}[{';'.join(sorted(texts))}]" if sign else next(iter(texts))
