"""A group that the condition pins down is a membership test.

Statement. Σ_g∈G φ(g, x) = [e(x) ∈ G] · φ(e(x), x), when φ contains `g = e(x)`, g not NULL, for each column
of g.

Side conditions. `e` does not mention the group's own variables. The equalities are conjuncts of φ.

Why. Each choice of `x` has at most one `g`, namely `e(x)`; it contributes one tuple where it lies in G.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.bag import (
    Swap,
    Term,
    conjuncts,
    equalities,
    group_formula,
    reduced,
    swap_term,
    swap_value,
)
from truespec.domains.sql.world import World, conj, constants, neg


def apply(world: World, term: Term) -> Term:
    """The term without the groups that its condition determines."""
    index = 0
    while index < len(term.groups):
        group = term.groups[index]
        parts = list(conjuncts(term.cond))
        known = {part.get_id() for part in parts}
        equal = equalities(parts)
        own = {value.val for value in group.values} | {value.null for value in group.values}
        swap: Swap = []
        for value in group.values:
            if not z3.is_false(value.null):
                if neg(value.null).get_id() not in known:
                    break
                swap.append((value.null, z3.BoolVal(False)))
            image = next((e for e in equal.get(value.val.get_id(), ()) if not constants(e) & own), None)
            if image is None:
                break
            swap.append((value.val, image))
        else:
            inside = replace(group, values=tuple(swap_value(value, swap) for value in group.values))
            others = term.groups[:index] + term.groups[index + 1 :]
            moved = swap_term(Term((), (), term.cond, term.outs), swap)
            cond = conj(moved.cond, group_formula(world, inside))
            term = reduced(world, Term(term.rows, others, cond, moved.outs))
            continue
        index += 1
    return term
