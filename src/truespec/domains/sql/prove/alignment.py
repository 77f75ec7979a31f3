"""Which variables of two terms may correspond."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import (
    Group,
    Substitution,
    Term,
    bound,
    conjuncts,
    mentioned,
    substitute_term,
    substitute_value,
)
from truespec.domains.sql.ir.logic import Expr, Formula
from truespec.domains.sql.ir.roles import roles
from truespec.domains.sql.ir.symbols import is_eq, is_false, is_not, name_of, operands, substituted
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

MAX_ALIGNMENTS = 48
"""Correspondences of variables tried for one pair of terms."""


def identical_terms(left: Term, right: Term) -> bool:
    """Whether the first correspondence of variables makes the terms one by their form alone."""
    if shape(left) != shape(right) or left.groups or right.groups:
        return False
    aligned = next(alignments(left, right), None)
    if aligned is None or [out.kind for out in left.outs] != [out.kind for out in aligned.outs]:
        return False
    # Both lists live while they are compared: Z3 gives the number of a dead expression to another one.
    ours, theirs = (conjuncts(term.cond) for term in (left, aligned))
    values = zip(_values(left), _values(aligned), strict=True)
    return _forms(ours) == _forms(theirs) and all(one.eq(other) for one, other in values)


def exclusive_terms(world: World, left: Term, right: Term) -> bool:
    """Whether no choice satisfies both terms, of tables that each stands in them once, by what is plain."""
    if shape(left) != shape(right) or left.groups or right.groups or not left.rows:
        return False
    if len({table.name for _, table in left.rows}) < len(left.rows):
        return False
    aligned = next(alignments(left, right), None)
    if aligned is None:
        return False
    sides = [conjuncts(term.cond) for term in (left, aligned)]
    said = [{_form(part) for part in parts} for parts in sides]
    denied = [{_form(part.arg(0)) for part in parts if is_not(part)} for parts in sides]
    if not (said[0].isdisjoint(denied[1]) and said[1].isdisjoint(denied[0])):
        return True
    return said[0] != said[1] and world.contradictory([*sides[0], *sides[1]])


def _forms(parts: tuple[Formula, ...]) -> set[object]:
    """The conjuncts as a set, with the sides of an equation in no order."""
    return set(map(_form, parts))


def _form(part: Formula) -> object:
    if is_eq(part):
        return frozenset(side.get_id() for side in operands(part))
    if z3.is_quantifier(part) and part.is_exists():
        sorts = tuple(part.var_sort(place).get_id() for place in range(part.num_vars()))
        return sorts, frozenset(_forms(conjuncts(part.body())))
    return part.get_id()


def views(term: Term, group: Group) -> Iterator[tuple[Val, ...]]:
    """The columns of a group, read off a row of the term in place of one of the group's own rows."""
    for part in group.body.terms:
        for (theirs, table), (mine, other) in itertools.product(part.rows, term.rows):
            if table.name != other.name:
                continue
            outs = tuple(substitute_value(out, [(theirs, mine)]) for out in part.outs)
            if not mentioned(outs) & (bound(part) - {name_of(theirs)}):
                yield outs


def shape(term: Term) -> str:
    """What terms share whose variables may correspond: their tables, and the sorts of their groups."""
    tables = sorted(table.name for _, table in term.rows)
    groups = sorted(
        ",".join(sorted(f"{v.val.sort()}{'' if is_false(v.null) else '?'}" for v in group.values))
        for group in term.groups
    )
    return f"{tables} {groups}"


def alignments(left: Term, right: Term) -> Iterator[Term]:
    """The right term with its variables renamed to those of the left, in every way that types permit.

    Ways that give each row a partner of the same role come first, so that joins of a table with itself are
    not tried in every order.
    """
    if len(left.groups) != len(right.groups):
        return
    known = roles(left, right)
    pools: dict[str, tuple[list[Expr], list[Expr]]] = {}
    for side, term in ((0, left), (1, right)):
        for row, table in term.rows:
            pools.setdefault(table.name, ([], []))[side].append(row)
    options: list[list[Substitution]] = []
    for mine, yours in pools.values():
        if len(mine) != len(yours):
            return
        orders = itertools.islice(_ordered(mine, yours, known), MAX_ALIGNMENTS)
        options.append([list(zip(order, mine, strict=True)) for order in orders])
    for order in itertools.permutations(range(len(right.groups))):
        columns: list[list[Substitution]] = []
        for position, index in enumerate(order):
            mine_values, your_values = left.groups[position].values, right.groups[index].values
            if len(mine_values) != len(your_values):
                break
            columns.append(list(itertools.islice(_arranged(your_values, mine_values), MAX_ALIGNMENTS)))
        else:
            for combination in itertools.product(*options, *columns):
                pairs = [pair for part in combination for pair in part]
                moved = substitute_term(replace(right, rows=(), groups=()), pairs)
                groups = tuple(
                    replace(
                        right.groups[index],
                        values=tuple(
                            Val(_moved(v.null, pairs), _moved(v.val, pairs), v.kind)
                            for v in right.groups[index].values
                        ),
                    )
                    for index in order
                )
                yield replace(moved, groups=groups)


def _arranged(yours: Sequence[Val], mine: Sequence[Val]) -> Iterator[Substitution]:
    """What renames the values of one group to those of another, in every order that types permit."""
    for arrangement in itertools.permutations(yours):
        substitution: Substitution = []
        for a, b in zip(arrangement, mine, strict=True):
            if a.val.sort() != b.val.sort() or is_false(a.null) != is_false(b.null):
                break
            substitution.append((a.val, b.val))
            if not is_false(a.null):
                substitution.append((a.null, b.null))
        else:
            yield substitution


def _ordered(mine: list[Expr], yours: list[Expr], known: dict[str, int]) -> Iterator[tuple[Expr, ...]]:
    """The orders of one table's rows: first the one that pairs equal roles, then all others."""
    theirs = [known.get(name_of(row), 0) for row in yours]
    rest = list(range(len(yours)))
    first: list[int] = []
    for row in mine:
        role = known.get(name_of(row), 0)
        first.append(next((place for place in rest if theirs[place] == role), rest[0]))
        rest.remove(first[-1])
    yield tuple(yours[place] for place in first)
    for order in itertools.permutations(range(len(yours))):
        if list(order) != first:
            yield tuple(yours[place] for place in order)


def _values(term: Term) -> list[Expr]:
    return [expression for out in term.outs for expression in (out.null, out.val)]


def _moved(expression: Expr, pairs: Substitution) -> Expr:
    return substituted(expression, *pairs) if pairs else expression
