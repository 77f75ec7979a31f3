"""Queries as sums of products (U-expressions; Chu et al., PLDI 2017), over rows instead of output tuples.

A bag is a sum of terms. A term stands for one output tuple per way to choose its variables so that its
condition holds: `rows` range over the rows of tables, `groups` over the distinct tuples of another bag
(DISTINCT, GROUP BY, UNION). Every construct of SQL that is read here has exactly this meaning, so two bags
are equal when their choices correspond one to one with equal outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, folded, ite, neg
from truespec.domains.sql.ir.symbols import (
    constants,
    is_and,
    is_eq,
    is_false,
    is_ite,
    is_not,
    is_or,
    is_true,
    name_of,
    operands,
    remembered,
    substituted,
)
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Table
from truespec.verdict import Incomplete, Unsupported

MAX_TERMS = 96
"""More terms than this are not worth a search: nested outer joins double them."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Variables that range over the distinct tuples of a bag."""

    values: tuple[Val, ...]
    """One variable, with its NULL flag, per column."""
    body: Bag
    """The bag; its outputs are as many as the values, NULLs normalised."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One product: choose rows and groups so that the condition holds, and put out the values."""

    rows: tuple[tuple[Expr, Table], ...]
    """Row variables with their tables; that they lie in the table is part of the condition."""
    groups: tuple[Group, ...]
    """Group variables; that they lie in the group's bag is not part of the condition."""
    cond: Formula
    """The condition."""
    outs: tuple[Val, ...]
    """The output tuple."""

    def __post_init__(self) -> None:
        # Choices are independent but for the condition: rules that split, substitute or join terms need it.
        if self.groups and dependent(self):
            raise Incomplete("sql: a group would depend on a row or a group that is chosen beside it")


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """A sum of terms with outputs of the same width."""

    terms: tuple[Term, ...]
    """Its terms."""

    def __post_init__(self) -> None:
        if len(self.terms) > MAX_TERMS:
            raise Unsupported(f"sql: the query expands to {len(self.terms)} cases")

    def mapped(self, change: Callable[[tuple[Val, ...]], tuple[Val, ...]]) -> Bag:
        """The bag with other outputs, made from those that it has."""
        return Bag(tuple(replace(term, outs=change(term.outs)) for term in self.terms))

    def cut(self, width: int) -> Bag:
        """The bag with the first outputs only; duplicates are kept."""
        return self.mapped(lambda outs: outs[:width])


Substitution = list[tuple[Expr, Expr]]
"""Variables and what to put in their place."""


def substitute_value(value: Val, substitution: Substitution) -> Val:
    """The value after substitution."""
    if not substitution:
        return value
    return Val(
        substituted(value.null, *substitution),
        substituted(value.val, *substitution),
        value.kind,
        value.literal,
    )


def substitute_bag(bag: Bag, substitution: Substitution) -> Bag:
    """The bag after substitution of its free variables."""
    return Bag(tuple(substitute_term(term, substitution) for term in bag.terms))


def substitute_term(term: Term, substitution: Substitution) -> Term:
    """The term after substitution; variables bound by it must not be substituted."""
    if not substitution:
        return term
    return Term(
        term.rows,
        tuple(Group(group.values, substitute_bag(group.body, substitution)) for group in term.groups),
        substituted(term.cond, *substitution),
        tuple(substitute_value(out, substitution) for out in term.outs),
    )


def fresh_values(world: World, outs: Iterable[Val], nullable: Iterable[bool]) -> tuple[Val, ...]:
    """New variables for a tuple of these kinds."""
    values = []
    for out, may in zip(outs, nullable, strict=True):
        null = world.fresh(z3.BoolSort(), "null") if may else FALSE
        values.append(Val(null, world.fresh(out.kind.sort, "group"), out.kind))
    return tuple(values)


def binding(values: Iterable[Val], outs: Iterable[Val]) -> Substitution:
    """What to substitute so that group variables become the tuple `outs`."""
    substitution: Substitution = []
    for value, out in zip(values, outs, strict=True):
        if not is_false(value.null):
            substitution.append((value.null, out.null))
        substitution.append((value.val, normal(out).val))
    return substitution


def is_tuple(values: Iterable[Val], outs: Iterable[Val]) -> Formula:
    """Whether group variables are the tuple `outs`, as equalities; variables are in normal form."""
    parts: list[Formula] = []
    for value, out in zip(values, outs, strict=True):
        if is_false(value.null):
            parts += [neg(out.null), value.val == out.val]
        else:
            parts += [value.null == out.null, value.val == normal(out).val]
    return folded(conj(*parts))


def normal(value: Val) -> Val:
    """The value with the kind's stand-in where it is NULL; variables of a group are so already."""
    if _of_group(value) or _is_normal(value):
        return Val(value.null, value.val, value.kind)
    return Val(value.null, ite(value.null, value.kind.stand_in, value.val), value.kind)


def _is_normal(value: Val) -> bool:
    """Whether the value has been brought to normal form before."""
    if not is_ite(value.val):
        return False
    test, stand_in, _ = operands(value.val)
    return bool(test.eq(value.null) and stand_in.eq(value.kind.stand_in))


def _of_group(value: Val) -> bool:
    """Whether this is a group's variable beside its own flag, which `fresh_values` made just before it."""
    if is_false(value.null) or not (z3.is_const(value.null) and z3.is_const(value.val)):
        return False
    flag, variable = name_of(value.null).split("!"), name_of(value.val).split("!")
    if (flag[0], variable[0]) != ("null", "group"):
        return False
    return int(variable[1]) == int(flag[1]) + 1


def renamed(world: World, term: Term) -> Term:
    """The same term with new bound variables."""
    substitution: Substitution = []
    rows = []
    for row, table in term.rows:
        new = world.fresh_row(table)
        rows.append((new, table))
        substitution.append((row, new))
    groups = []
    for group in term.groups:
        values = fresh_values(world, group.values, [not is_false(v.null) for v in group.values])
        groups.append(Group(values, group.body))
        for old, now in zip(group.values, values, strict=True):
            if not is_false(old.null):
                substitution.append((old.null, now.null))
            substitution.append((old.val, now.val))
    return replace(
        substitute_term(replace(term, rows=(), groups=tuple(groups)), substitution), rows=tuple(rows)
    )


@remembered
def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of nested conjunctions."""
    parts: list[Formula] = []
    todo = [formula]
    while todo:
        node = todo.pop()
        if is_and(node):
            todo.extend(reversed(operands(node)))
        elif is_not(node) and is_or(node.arg(0)):
            todo.extend(neg(part) for part in reversed(operands(node.arg(0))))
        else:
            parts.append(node)
    return tuple(parts)


@remembered
def flat(formula: Formula) -> Formula:
    """Conjunctions flattened, duplicates and trivial parts dropped, without touching anything below."""
    seen: dict[int, Formula] = {}
    for part in conjuncts(formula):
        if is_false(part):
            return FALSE
        if is_eq(part) and part.arg(0).eq(part.arg(1)):
            continue
        if not is_true(part):
            seen.setdefault(part.get_id(), part)
    return conj(*seen.values())


def bound(term: Term) -> set[str]:
    """The names of the variables that a term binds."""
    found = {name_of(row) for row, _ in term.rows}
    for group in term.groups:
        found |= named(group.values)
    return found


def dependent(term: Term, groups: Iterable[Group] | None = None) -> bool:
    """Whether the body of a group (one of the term's own, unless others are given) mentions what it binds."""
    own = bound(term)
    return any(free(group.body) & own for group in (term.groups if groups is None else groups))


def free(bag: Bag) -> set[str]:
    """The names of the variables that a bag mentions and does not bind."""
    found: set[str] = set()
    for term in bag.terms:
        inside = constants(term.cond) | mentioned(term.outs)
        inside = inside.union(*(free(group.body) for group in term.groups))
        found |= inside - bound(term)
    return found


def named(values: Iterable[Val]) -> set[str]:
    """The names of group variables and of their NULL flags."""
    found: set[str] = set()
    for value in values:
        found.add(name_of(value.val))
        if not is_false(value.null):
            found.add(name_of(value.null))
    return found


def mentioned(values: Iterable[Val]) -> set[str]:
    """The names of the free variables of these values."""
    found: set[str] = set()
    for value in values:
        found |= constants(value.null) | constants(value.val)
    return found
