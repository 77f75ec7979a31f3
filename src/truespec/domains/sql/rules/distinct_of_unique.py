"""DISTINCT over rows that the output already tells apart is no DISTINCT.

Statement. A group over `Σ_x φ(x) · [t = k(x)]` ranges over the same tuples as the row variables `x`
themselves, once each, when `φ(x) ∧ φ(x') ∧ k(x) = k(x')` implies `x = x'`. Rows that `k` does not mention are
quantified first: only whether they exist matters to a set.

Side conditions. One term; the implication is proved from the schema's keys. `k` is compared as DISTINCT and
GROUP BY compare (texts by their collation class), which is how the group's columns are built.

Why. The map from choices of `x` to tuples is onto by the definition of the group and one to one by the
implication.

A group column that is a function of the others, or that the condition fixes, is dropped as well: the tuples
correspond one to one. A group of no columns is a test whether its bag is empty.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import (
    Bag,
    Group,
    Substitution,
    Term,
    binding,
    bound,
    conjuncts,
    mentioned,
    normal,
    renamed,
    substitute_term,
)
from truespec.domains.sql.ir.existence import exists, unfolded
from truespec.domains.sql.ir.keys import equalities, names_keys, reduced
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_false, is_ite, name_of, substituted
from truespec.domains.sql.ir.values import Val, all_identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import covering_row, joined_or_not, looked_up_rows, told_elsewhere


def apply(world: World, term: Term) -> Term:
    """The term with every group replaced by rows, or narrowed, where the rule permits."""
    index = 0
    while index < len(term.groups):
        group = term.groups[index]
        before, after = term.groups[:index], term.groups[index + 1 :]
        body = unfolded(world, joined_or_not.of(world, group.body))
        parts = [p for p in (reduced(world, part) for part in body.terms) if not is_false(p.cond)]
        parts = [_project(world, told_elsewhere.apply(part)) for part in parts]
        if len(parts) == 1:
            ranging = parts[0] if _unique(world, parts[0]) else None
        else:
            ranging = covering_row.of(world, parts)
        if ranging is not None:
            term = _over_rows(world, term, group, ranging)
            continue
        narrowed, swaps = _narrow(group, parts)
        moved = Term((), (), term.cond, term.outs)
        for substitution in swaps:
            moved = substitute_term(moved, substitution)
        if not narrowed.values:
            cond = conj(moved.cond, exists(world, narrowed.body))
            term = reduced(world, Term(term.rows, before + after, cond, moved.outs))
            continue
        term = Term(term.rows, (*before, narrowed, *after), moved.cond, moved.outs)
        parts = list(narrowed.body.terms)
        ranging = covering_row.referred(world, parts) or looked_up_rows.of(world, parts)
        if ranging is not None:
            term = _over_rows(world, term, narrowed, ranging)
            continue
        index += 1
    return term


def over_rows_of(world: World, term: Term, tables: Collection[str]) -> Term:
    """The term in which rows of these tables stand for the tuples of groups, where the rule permits."""
    for group in term.groups:
        parts = [reduced(world, part) for part in unfolded(world, group.body).terms]
        parts = [part for part in parts if not is_false(part.cond)]
        ranging = covering_row.referred(world, parts, tables)
        ranging = ranging or covering_row.referred_each(world, parts, tables)
        if ranging is not None:
            term = _over_rows(world, term, group, ranging)
    return term


def _over_rows(world: World, term: Term, group: Group, ranging: Term) -> Term:
    """The term in which rows stand for the tuples of one of its groups."""
    ranging = renamed(world, ranging)
    moved = substitute_term(Term((), (), term.cond, term.outs), binding(group.values, ranging.outs))
    rows, cond = term.rows + ranging.rows, conj(moved.cond, ranging.cond)
    others = tuple(other for other in term.groups if other is not group)
    return reduced(world, Term(rows, others, cond, moved.outs))


def _project(world: World, part: Term) -> Term:
    """Rows that the outputs do not mention, under a quantifier."""
    used = mentioned(part.outs)
    idle = tuple(pair for pair in part.rows if name_of(pair[0]) not in used)
    if not idle:
        return part
    names = {name_of(row) for row, _ in idle}
    stay: list[Formula] = []
    go: list[Formula] = []
    for piece in conjuncts(part.cond):
        (go if constants(piece) & names else stay).append(piece)
    inner = exists(world, Bag((Term(idle, (), conj(*go), ()),)))
    rows = tuple(pair for pair in part.rows if name_of(pair[0]) in used)
    return Term(rows, (), conj(*stay, inner), part.outs)


def _unique(world: World, part: Term) -> bool:
    if not part.rows:
        return True
    if not names_keys(world, part):
        return world.fails()
    # By the same names each time, so that one part that is asked about again is one statement.
    one, two = _called(part, "one"), _called(part, "other")
    same = conj(*(a == b for (a, _), (b, _) in zip(one.rows, two.rows, strict=True)))
    return world.holds(conj(one.cond, two.cond, all_identical(one.outs, two.outs)), same)


def _called(part: Term, which: str) -> Term:
    """The term, which has no groups, with its rows called after their places."""
    rows = tuple(
        (z3.Const(f"row.{table.name.lower()}!{which}.{place}", row.sort()), table)
        for place, (row, table) in enumerate(part.rows)
    )
    pairs = [(row, new) for (row, _), (new, _) in zip(part.rows, rows, strict=True)]
    return replace(substitute_term(replace(part, rows=()), pairs), rows=rows)


def _narrow(group: Group, parts: list[Term]) -> tuple[Group, list[Substitution]]:
    """Drop columns that are functions of the other columns in every term, by replacing equals."""
    values = list(group.values)
    outs = [list(part.outs) for part in parts]
    swaps: list[Substitution] = []
    equal = equalities(list(conjuncts(parts[0].cond))) if len(parts) == 1 else {}
    known = {piece.get_id() for part in parts for piece in conjuncts(part.cond)}
    for column in reversed(range(len(values))):
        if len(parts) != 1 or z3.is_bool(values[column].val):
            continue
        own = bound(parts[0])
        out = outs[0][column]
        rest = [(values[i], outs[0][i]) for i in range(len(values)) if i != column]
        image = _fixed(out, equal, known, own) or _rewrite(normal(out), rest, equal, own)
        if image is not None:
            swaps.append(binding([values[column]], [image]))
            del values[column]
            del outs[0][column]
    kept = tuple(replace(part, outs=tuple(out)) for part, out in zip(parts, outs, strict=True))
    return Group(tuple(values), Bag(kept)), swaps


def _fixed(out: Val, equal: dict[int, list[Expr]], known: set[int], own: set[str]) -> Val | None:
    """What the condition says an output always is, in terms of nothing that the term binds."""
    candidates = [out.val, *equal.get(out.val.get_id(), ())]
    if is_ite(out.val):
        if neg(out.null).get_id() in known:
            candidates += equal.get(out.val.arg(2).get_id(), ())  # below the normal form of NULL
    image = next((e for e in candidates if not constants(e) & own), None)
    if neg(out.null).get_id() in known:
        null = FALSE
    else:
        nulls = [out.null, *equal.get(out.null.get_id(), ())]
        null = next((e for e in nulls if not constants(e) & own), None)
    if image is None or null is None:
        return None
    return Val(null, image, out.kind)


def _rewrite(
    value: Val, known: list[tuple[Val, Val]], equal: dict[int, list[Expr]], own: set[str]
) -> Val | None:
    """The value by the variables of other columns, whose outputs, or what equals them, occur in it."""
    pairs = []
    for variable, out in known:
        out = normal(out)
        same = [out.val, *(equal.get(out.val.get_id(), ()) if is_false(variable.null) else ())]
        pairs += [(one, variable.val) for one in same if z3.is_app(one) and one.num_args() > 0]
        if not is_false(variable.null) and z3.is_app(out.null) and out.null.num_args() > 0:
            pairs.append((out.null, variable.null))
    null = substituted(value.null, *pairs) if pairs else value.null
    val = substituted(value.val, *pairs) if pairs else value.val
    if (constants(null) | constants(val)) & own:
        return None
    return Val(null, val, value.kind)
