"""A group that the condition pins down is a membership test.

Statement. Σ_g∈G φ(g, x) = [e(x) ∈ G] · φ(e(x), x), when φ contains `g = e(x)`, NULL flags included, for each
column of g.

Side conditions. `e` does not mention the group's own variables. The equalities are conjuncts of φ.

Where only some columns are fixed, by expressions that mention no variable of the term, the group keeps the
others: Σ_(g,h)∈G φ(g, h) = Σ_h∈{h : (e, h) ∈ G} φ(e, h).

Why. Each choice of `x` has at most one `g`, namely `e(x)`; it contributes one tuple where it lies in G.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import (
    Bag,
    Group,
    Substitution,
    Term,
    bound,
    conjuncts,
    is_tuple,
    mentioned,
    named,
    substitute_term,
    substitute_value,
)
from truespec.domains.sql.ir.existence import group_formula
from truespec.domains.sql.ir.keys import equalities, reduced
from truespec.domains.sql.ir.logic import FALSE, Expr, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def apply(world: World, term: Term) -> Term:
    """The term without the groups that its condition determines."""
    index = 0
    while index < len(term.groups):
        group = term.groups[index]
        parts = conjuncts(term.cond)
        known = {part.get_id() for part in parts}
        equal = equalities(parts)
        own = named(group.values)
        siblings = bound(term)
        images: list[Val | None] = []
        for value in group.values:
            image = _image(value, equal, known, own)
            images.append(image)
        if any(image is None for image in images):
            # A group must not refer to its siblings.
            images = [None if e is None or mentioned([e]) & siblings else e for e in images]
        if all(image is None for image in images):
            index += 1
            continue
        substitution: Substitution = []
        for value, image in zip(group.values, images, strict=True):
            if image is not None:
                substitution.append((value.val, image.val))
                if not is_false(value.null):
                    substitution.append((value.null, image.null))
        inside = replace(group, values=tuple(substitute_value(value, substitution) for value in group.values))
        moved = substitute_term(Term((), (), term.cond, term.outs), substitution)
        before, after = term.groups[:index], term.groups[index + 1 :]
        if all(image is not None for image in images):
            cond = conj(moved.cond, group_formula(world, inside))
            term = reduced(world, Term(term.rows, before + after, cond, moved.outs))
            continue
        open_ = [i for i, image in enumerate(images) if image is None]
        body = Bag(
            tuple(
                replace(
                    part,
                    cond=conj(
                        part.cond,
                        *(
                            is_tuple([inside.values[i]], [part.outs[i]])
                            for i, image in enumerate(images)
                            if image is not None
                        ),
                    ),
                    outs=tuple(part.outs[i] for i in open_),
                )
                for part in group.body.terms
            )
        )
        kept = Group(tuple(group.values[i] for i in open_), body)
        term = Term(term.rows, (*before, kept, *after), moved.cond, moved.outs)
        index += 1
    return term


def _image(value: Val, equal: dict[int, list[Expr]], known: set[int], own: set[str]) -> Val | None:
    """What the condition says a group variable equals, NULL flag included."""
    val = next((e for e in equal.get(value.val.get_id(), ()) if not constants(e) & own), None)
    null: Expr | None = None
    if is_false(value.null) or neg(value.null).get_id() in known:
        null = FALSE
    else:
        null = next((e for e in equal.get(value.null.get_id(), ()) if not constants(e) & own), None)
    return None if val is None or null is None else Val(null, val, value.kind)
