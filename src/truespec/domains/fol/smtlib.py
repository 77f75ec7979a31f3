"""Sentences as SMT-LIB text, for Z3 and cvc5: one uninterpreted sort, plain names of our own."""

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
    predicates,
)


def script(sentences: list[Formula]) -> str:
    """Declarations and one assertion for each sentence; `check-sat` is the caller's."""
    names = {name: f"p{number}" for number, name in enumerate(predicates(*sentences))}
    points = {name: f"c{number}" for number, name in enumerate(constants(*sentences))}
    lines = ["(declare-sort U 0)"]
    for name, arity in predicates(*sentences).items():
        lines.append(f"(declare-fun {names[name]} ({' '.join(['U'] * arity)}) Bool)")
    lines += [f"(declare-fun {name} () U)" for name in points.values()]
    lines += [f"(assert {_text(sentence, names, points)})" for sentence in sentences]
    return "\n".join(lines)


def _text(formula: Formula, names: dict[str, str], points: dict[str, str]) -> str:
    def term(term: Term) -> str:
        return f"x{term}" if isinstance(term, int) else points[term]

    def text(formula: Formula) -> str:
        if isinstance(formula, Atom):
            name = names[formula.predicate]
            return f"({name} {' '.join([term(one) for one in formula.terms])})" if formula.terms else name
        if isinstance(formula, Equal):
            return f"(= {term(formula.left)} {term(formula.right)})"
        if isinstance(formula, Not):
            return f"(not {text(formula.body)})"
        if isinstance(formula, Implies):
            return f"(=> {text(formula.left)} {text(formula.right)})"
        if isinstance(formula, All):
            return f"(forall ((x{formula.variable} U)) {text(formula.body)})"
        if isinstance(formula, Some):
            return f"(exists ((x{formula.variable} U)) {text(formula.body)})"
        parts = [text(part) for part in formula.parts]
        if isinstance(formula, And):
            return f"(and {' '.join(parts)})"
        if isinstance(formula, Or):
            return f"(or {' '.join(parts)})"
        # `=` is chainable in SMT-LIB, not associative: the chain of ↔ is nested by hand.
        operator = {Xor: "xor", Iff: "="}[type(formula)]
        result = parts[0]
        for part in parts[1:]:
            result = f"({operator} {result} {part})"
        return result

    return text(formula)
