"""Whether a bag has any tuple, as a formula: rows become quantified variables, groups become their bodies."""

from __future__ import annotations

import itertools
from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import (
    MAX_TERMS,
    Bag,
    Group,
    Term,
    binding,
    bound,
    conjuncts,
    is_tuple,
    renamed,
    substitute_term,
)
from truespec.domains.sql.ir.day_parts import month_told
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, disj, folded
from truespec.domains.sql.ir.roles import in_order, roles
from truespec.domains.sql.ir.symbols import (
    constants,
    is_eq,
    is_false,
    is_not,
    name_of,
    operands,
    quantifier_depth,
    substituted,
)
from truespec.domains.sql.ir.told_values import told_outside
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World, membership
from truespec.verdict import Unsupported


def unfolded(world: World, bag: Bag) -> Bag:
    """A bag of the same tuples without groups: multiplicities are lost, for contexts where none count."""
    done: list[Term] = []
    for term in bag.terms:
        if not term.groups:
            done.append(term)
            continue
        bodies = [unfolded(world, group.body).terms for group in term.groups]
        for choice in itertools.product(*bodies):
            rows, cond, substitution = list(term.rows), [term.cond], []
            for group, part in zip(term.groups, choice, strict=True):
                part = renamed(world, part)
                rows += part.rows
                cond.append(part.cond)
                substitution += binding(group.values, part.outs)
            # Groups may not refer to one another, so one simultaneous substitution is enough.
            body = substitute_term(Term((), (), conj(*cond), term.outs), substitution)
            done.append(replace(body, rows=tuple(rows)))
            if len(done) > MAX_TERMS:
                raise Unsupported("sql: the query expands to too many cases")
    return Bag(tuple(done))


def exists(world: World, bag: Bag, *, by_rows: bool = False) -> Formula:
    """Whether the bag has any tuple.

    `by_rows`: of rows that there are already. Else a row that a key determines is named by the key, so that
    an axiom that speaks of a row and the next one leads from row to row for ever.
    """
    fixed = Bag(tuple(fixed_groups(world, term) for term in bag.terms))
    terms = unfolded(world, fixed).terms
    return disj(*(_exists_term(term if by_rows else reduced(world, term)) for term in terms))


def never_null(formula: Formula) -> list[Formula]:
    """What the existence of rows, where a formula states it, says not to be NULL beside them.

    `there is y with A(y) and B` says B: a partner by `y.k = x.k` says that x.k is not NULL.
    """
    return [
        inner
        for part in conjuncts(formula)
        if z3.is_quantifier(part) and part.is_exists()
        for inner in conjuncts(part.body())
        if is_not(inner) and z3.is_app_of(inner.arg(0), z3.Z3_OP_UNINTERPRETED)
        if not any(map(_is_bound, operands(inner.arg(0))))
    ]


def _is_bound(expression: Expr) -> bool:
    """Whether a quantifier's variable stands in an expression."""
    return bool(z3.is_var(expression)) or any(map(_is_bound, operands(expression)))


def fixed_groups(world: World, term: Term) -> Term:
    """The term without the groups whose tuple its condition fixes.

    There is a choice of a group with g = e, where e speaks of nothing that the term binds, just where e is a
    tuple of the group's bag and the rest of the condition holds with e in place of g. What the condition says
    of the group, its aggregates above all, then stands outside the quantifier.
    """
    for group in term.groups:
        values = _fixed(term, group)
        if values is None:
            continue
        inside = group_formula(world, Group(values, group.body))
        rest = replace(term, groups=tuple(other for other in term.groups if other is not group))
        term = substitute_term(rest, binding(group.values, values))
        term = replace(term, cond=conj(inside, folded(term.cond)))
    return term


def _fixed(term: Term, group: Group) -> tuple[Val, ...] | None:
    """What the condition says that the group's variables are, none of them NULL; None where it does not."""
    own = bound(term)
    known: dict[int, Expr] = {}
    parts = conjuncts(term.cond)
    for part in parts:
        if is_eq(part):
            for one, other in (operands(part), reversed(operands(part))):
                if not constants(other) & own:
                    month = month_told(one, other)  # the equality stays: not every day begins a month
                    variable, value = (one, other) if month is None else month
                    known.setdefault(variable.get_id(), value)
    never = {part.arg(0).get_id() for part in parts if is_not(part)}
    values = []
    for value in group.values:
        if value.val.get_id() not in known or not (is_false(value.null) or value.null.get_id() in never):
            return None
        values.append(Val(FALSE, known[value.val.get_id()], value.kind))
    return tuple(values)


def _exists_term(term: Term) -> Formula:
    if is_false(term.cond) or not term.rows:
        return term.cond
    told, term = told_outside(term)
    if told:
        return conj(*told, _exists_term(term))
    # Named by depth, so that formulas that differ in the names of bound rows alone are one term of Z3.
    depth = quantifier_depth(term.cond)
    known = roles(term)
    ordered = sorted(term.rows, key=lambda pair: (pair[1].name, known.get(name_of(pair[0]), 0)))
    rows = [
        z3.Const(f"row.{table.name.lower()}@{depth}.{index}", row.sort())
        for index, (row, table) in enumerate(ordered)
    ]
    cond = substituted(term.cond, *((row, new) for (row, _), new in zip(ordered, rows, strict=True)))
    if known:
        cond = in_order(conjuncts(cond))
    inside = [membership(new, table) for (_, table), new in zip(ordered, rows, strict=True)]
    pattern = inside[0] if len(inside) == 1 else z3.MultiPattern(*inside)
    return z3.Exists(rows, cond, patterns=[pattern])


def group_formula(world: World, group: Group) -> Formula:
    """Whether the group's variables are a tuple of its bag, in normal form."""
    matching = [
        replace(term, cond=conj(term.cond, is_tuple(group.values, term.outs)), outs=())
        for term in group.body.terms
    ]
    shaped = [z3.Implies(v.null, v.val == v.kind.stand_in) for v in group.values if not is_false(v.null)]
    return conj(exists(world, Bag(tuple(matching))), *shaped)


def condition(world: World, term: Term) -> Formula:
    """The whole condition of a term, membership of its groups included."""
    return conj(term.cond, *(group_formula(world, group) for group in term.groups))
