"""Sentences as TPTP text, for the prover E."""

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
    constants,
    predicates,
)


def axioms(sentences: list[Formula]) -> str:
    """The problem whose axioms are the sentences: unsatisfiable exactly if they have no model together."""
    names = {name: f"p{number}" for number, name in enumerate(predicates(*sentences))}
    points = {name: f"c{number}" for number, name in enumerate(constants(*sentences))}

    def term(term: Term) -> str:
        return f"X{term}" if isinstance(term, int) else points[term]

    def text(formula: Formula) -> str:
        if isinstance(formula, Atom):
            name = names[formula.predicate]
            return f"{name}({','.join([term(one) for one in formula.terms])})" if formula.terms else name
        if isinstance(formula, Equal):
            return f"({term(formula.left)}={term(formula.right)})"
        if isinstance(formula, Not):
            return f"(~{text(formula.body)})"
        if isinstance(formula, Implies):
            return f"({text(formula.left)}=>{text(formula.right)})"
        if isinstance(formula, All | Some):
            sign = "!" if isinstance(formula, All) else "?"
            return f"({sign}[X{formula.variable}]:{text(formula.body)})"
        parts = [text(part) for part in formula.parts]
        if isinstance(formula, And | Or):
            return f"({('&' if isinstance(formula, And) else '|').join(parts)})"
        result = parts[0]
        for part in parts[1:]:
            result = f"({result}{'<=>' if isinstance(formula, Iff) else '<~>'}{part})"
        return result

    return "".join(f"fof(s{number},axiom,{text(one)}).\n" for number, one in enumerate(sentences))
