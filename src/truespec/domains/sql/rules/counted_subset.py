"""A part of a set counts as many as the set only where it is the whole set.

Statement. Let m map the choices of A to choices of B, one to one. Then COUNT[A] ≤ COUNT[B], and both are
equal just where each choice of B is m(x) for some choice x of A.

Side conditions. That m(x) is a choice of B for each choice x of A, and that m is one to one on the choices of
A, is proved for all values of the free variables of both; where the counts are compared at a common argument,
for equal values of these. B ranges over one table's rows, or over one group's tuples.
For m the schema's keys are tried: a row of B is the row that a foreign key of A's rows refers to, that
A's group of values is the key of, or that A's condition looks up; the tuple of a group is A's group.

Why. The image of A has as many choices as A and lies in B, which is finite. The case that matters: who
has all things, by counting and by NOT EXISTS; a group in which no row fails a test or has a NULL, by two
counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import (
    Bag,
    Substitution,
    Term,
    binding,
    conjuncts,
    renamed,
    substitute_bag,
)
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.logic import Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import functions, name_of, operands, substituted
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World, inverse_name
from truespec.domains.sql.rules.first_rows import same_choice
from truespec.domains.sql.schema import Table

MAX_MAPS = 4
"""Maps tried from one bag to another."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two counts that stand in one condition."""

    one: Symbol
    """The first count."""
    two: Symbol
    """The second count."""
    shared: tuple[tuple[int, int], ...]
    """The parameters, by their places, for which the two have the same argument."""

    def orders(self) -> Iterator[Compared]:
        """Either one as the part, the other as the whole."""
        yield self
        yield Compared(self.two, self.one, tuple((b, a) for a, b in self.shared))


def compared(aggregates: Aggregates, terms: list[Term]) -> Iterator[Compared]:
    """Counts that stand in one condition of these terms."""
    for term in terms:
        for part in conjuncts(term.cond):
            found = aggregates.applied(replace(term, cond=part, outs=())).values()
            counts = {s.name: (s, arguments) for s, arguments in found if s.function == "COUNT"}
            for (one, mine), (two, yours) in itertools.combinations(counts.values(), 2):
                pairs = ((i, j) for i, a in enumerate(mine) for j, b in enumerate(yours) if a.eq(b))
                yield Compared(one, two, tuple(pairs))


def of(world: World, counts: Compared) -> Formula | None:
    """What the rule says of a part and a whole, for all their parameters; None where no map is found."""
    part, whole = counts.one, counts.two
    inner, outer, others, formals = at_common_arguments(world, counts)
    for image in itertools.islice(_images(world, inner, outer), MAX_MAPS):
        inside = substituted(condition(world, outer), *image)
        if not world.holds(condition(world, inner), inside) or not _one_to_one(world, inner, image):
            continue
        reached = conj(*(old == new for old, new in image))
        missed = neg(exists(world, Bag((replace(inner, cond=conj(inner.cond, reached), outs=()),))))
        surplus = exists(world, Bag((replace(outer, cond=conj(outer.cond, missed), outs=()),)))
        one, two = part.apply(part.formals), whole.apply(others)
        fact = conj(one <= two, (one == two) == neg(surplus))
        patterns = [count for count, symbol in ((one, part), (two, whole)) if symbol.formals]
        return z3.ForAll(formals, fact, patterns=[z3.MultiPattern(*patterns)]) if formals else fact
    return None


def at_common_arguments(world: World, counts: Compared) -> tuple[Term, Term, tuple[Expr, ...], list[Expr]]:
    """What two counts count, the second one's parameters, and all parameters of both; shared ones are one."""
    part, whole = counts.one, counts.two
    common = {j: part.formals[i] for i, j in counts.shared}
    others = tuple(common.get(place, formal) for place, formal in enumerate(whole.formals))
    bag = substitute_bag(
        whole.bag, [(f, c) for f, c in zip(whole.formals, others, strict=True) if c is not f]
    )
    (inner,), (outer,) = part.bag.terms, (renamed(world, term) for term in bag.terms)
    formals = [*part.formals, *(f for place, f in enumerate(whole.formals) if place not in common)]
    return inner, outer, others, formals


def _images(world: World, inner: Term, outer: Term) -> Iterator[Substitution]:
    """What to put for the variables of B, so that a choice of A becomes one of B."""
    if len(outer.groups) == 1 and not outer.rows:
        values = outer.groups[0].values
        for group in inner.groups:
            if [value.kind for value in group.values] == [value.kind for value in values]:
                yield binding(values, group.values)
    if len(outer.rows) == 1 and not outer.groups:
        ((row, table),) = outer.rows
        yield from ([(row, own)] for own, other in inner.rows if other == table)
        for key in table.unique_keys():
            for values in _keys(world, inner, table, key):
                keys = tuple(map(world.key_expression, values))
                sought = [world.key_expression(world.column(table, table.column(name), row)) for name in key]
                if [value.sort() for value in keys] == [value.sort() for value in sought]:
                    yield [(row, world.inverse(table, key, keys))]
            yield from ([(row, found)] for found in _looked_up(inner, inverse_name(table, key)))


def _looked_up(inner: Term, name: str) -> list[Expr]:
    """The rows that A's condition looks up by this function, each once."""
    found: dict[int, Expr] = {}
    todo = list(conjuncts(inner.cond))
    while todo:
        node = todo.pop()
        if name in functions(node) and z3.is_app(node):
            todo.extend(operands(node))
            if name_of(node) == name:
                found[node.get_id()] = node
    return [found[number] for number in sorted(found)]


def _keys(world: World, inner: Term, table: Table, key: tuple[str, ...]) -> Iterator[tuple[Val, ...]]:
    """What of A may be a key of a table: groups as wide, and foreign keys of rows."""
    yield from (group.values for group in inner.groups if len(group.values) == len(key))
    for row, child in inner.rows:
        for foreign in child.foreign_keys:
            if foreign.table == table.name and foreign.references == key:
                yield tuple(world.column(child, child.column(name), row) for name in foreign.columns)


def _one_to_one(world: World, inner: Term, image: Substitution) -> bool:
    copy = renamed(world, inner)
    names: Substitution = [(old, new) for (old, _), (new, _) in zip(inner.rows, copy.rows, strict=True)]
    for old, new in zip(inner.groups, copy.groups, strict=True):
        names += binding(old.values, new.values)
    alike: list[Expr] = [new == substituted(new, *names) for _, new in image]
    return world.holds(
        conj(condition(world, inner), condition(world, copy), *alike), same_choice(inner, copy)
    )
