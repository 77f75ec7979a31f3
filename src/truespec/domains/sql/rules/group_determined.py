"""A group that the condition pins down is a membership test.

Statement. Σ_g∈G φ(g, x) = [e(x) ∈ G] · φ(e(x), x), when φ contains `g = e(x)`, NULL flags included, for each
column of g.

It is as good that φ contains `begin(g) = e(x)`, g being the number of a month: g = month(e(x)) then, and that
e(x) begins a month stays in φ.

Side conditions. `e` does not mention the group's own variables. The equalities are conjuncts of φ.

Where only some columns are fixed, by expressions that mention no variable of the term, the group keeps the
others: Σ_(g,h)∈G φ(g, h) = Σ_h∈{h : (e, h) ∈ G} φ(e, h). So it does where φ contains `g = h` for two of its
columns: Σ_(g,h)∈G φ(g, h) = Σ_h∈{h : (h, h) ∈ G} φ(h, h).

Why. Each choice of `x` has at most one `g`, namely `e(x)`; it contributes one tuple where it lies in G. Each
`h` has at most one `g` beside it that φ leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from truespec.domains.sql.ir.bags import (
    Bag,
    Group,
    Substitution,
    Term,
    binding,
    bound,
    conjuncts,
    is_tuple,
    mentioned,
    named,
    substitute_term,
    substitute_value,
)
from truespec.domains.sql.ir.day_parts import month_told
from truespec.domains.sql.ir.existence import group_formula
from truespec.domains.sql.ir.keys import equalities, reduced
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_eq, is_false, name_of, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def apply(world: World, term: Term) -> Term:
    """The term without the groups that its condition determines, first those that other groups do.

    So the group that stays is the one that tells more, also where a row beside both tells the rest of it.
    """
    if len(term.groups) > 1 and term.rows:
        term = _without(world, term, {name_of(row) for row, _ in term.rows})
    if len(term.groups) > 1 and any(map(_is_listed, term.groups)):
        term = _without(world, term, set(), keep_listed=True)
    return _without(world, term, set())


def _is_listed(group: Group) -> bool:
    """Whether the tuples of a group are written, such as those of a series: they tell more than others."""
    return not any(part.rows or part.groups for part in group.body.terms)


def _without(world: World, term: Term, barred: set[str], *, keep_listed: bool = False) -> Term:
    """The term without the groups that its condition determines by anything but what is barred."""
    index = 0
    while index < len(term.groups):
        group = term.groups[index]
        if keep_listed and _is_listed(group):
            index += 1
            continue
        parts = conjuncts(term.cond)
        known = {part.get_id() for part in parts}
        equal = _equalities(parts)
        own = named(group.values) | barred
        siblings = bound(term)
        images = [_image(value, equal, known, own) for value in group.values]
        if any(image is None for image in images):
            # A group must not refer to its siblings.
            images = [None if e is None or mentioned([e]) & siblings else e for e in images]
        if all(image is None for image in images):
            images = _repeated(group, equal, known)
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
        shut = [inside.values[i] for i, image in enumerate(images) if image is not None]
        body = Bag(tuple(_shut(group, part, open_, shut) for part in group.body.terms))
        kept = Group(tuple(group.values[i] for i in open_), body)
        term = Term(term.rows, (*before, kept, *after), moved.cond, moved.outs)
        index += 1
    return term


def _equalities(parts: Iterable[Formula]) -> dict[int, list[Expr]]:
    """What the parts say to be equal, and which months they tell by the days that begin them."""
    found = equalities(parts)
    for part in parts:
        if is_eq(part):
            one, other = operands(part)
            for month in (month_told(one, other), month_told(other, one)):
                if month is not None:
                    found.setdefault(month[0].get_id(), []).append(month[1])
    return found


def _shut(group: Group, part: Term, open_: list[int], shut: list[Val]) -> Term:
    """A term of the group's bag with the columns that stay open; `shut` says what the others are."""
    outs = tuple(part.outs[i] for i in open_)
    others = [out for i, out in enumerate(part.outs) if i not in open_]
    own = binding([group.values[i] for i in open_], outs)
    same = is_tuple([substitute_value(value, own) for value in shut], others)
    return replace(part, cond=conj(part.cond, same), outs=outs)


def _repeated(group: Group, equal: dict[int, list[Expr]], known: set[int]) -> list[Val | None]:
    """For each column the earlier one of the group that the condition says it equals, neither being NULL."""
    images: list[Val | None] = []
    for place, value in enumerate(group.values):
        same = {e.get_id() for e in equal.get(value.val.get_id(), ())}
        images.append(
            next(
                (
                    replace(other, null=FALSE)
                    for other, image in zip(group.values[:place], images, strict=True)
                    if image is None and other.val.get_id() in same and other.kind == value.kind
                    if _never_null(other, known) and _never_null(value, known)
                ),
                None,
            )
        )
    return images


def _never_null(value: Val, known: set[int]) -> bool:
    return is_false(value.null) or neg(value.null).get_id() in known


def _image(value: Val, equal: dict[int, list[Expr]], known: set[int], own: set[str]) -> Val | None:
    """What the condition says a group variable equals, NULL flag included."""
    val = next((e for e in equal.get(value.val.get_id(), ()) if not constants(e) & own), None)
    null: Expr | None = None
    if _never_null(value, known):
        null = FALSE
    else:
        null = next((e for e in equal.get(value.null.get_id(), ()) if not constants(e) & own), None)
    return None if val is None or null is None else Val(null, val, value.kind)
