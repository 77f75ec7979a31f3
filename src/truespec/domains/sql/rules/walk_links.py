"""Walks from row to row are, turned round, the walks over the links that are turned round.

Statement. Let L link rows of a table, or choices of rows of several tables, and let W be the bag of the walks
x0, ..., xn, n ≥ 1, each with the next one in L. The walks over the converse of L are those of W read from
their end. Where L is K and a condition P on the second of the two, and each x that K links to some y meets P,
the walks over L are those over K whose last row meets P; likewise of the first row, where each y that K links
some x to meets P.

Side conditions. That two links are the same, or one the converse of the other, and that K says P, is proved
of any two rows of the tables.

Why. A walk is a choice of rows, and so is the walk that is read from its end: one for one. Of a walk over K,
each row but the last one is linked to the next, and each but the first one from the row before.

A walk is a row of a relation that nothing declares, with its first and its last row, the second and the
last but one, and how many steps it takes. What is noted of them is what L says of two rows, and: where L
leads from a value of a column to a greater one, the last row has a greater one than the first; where a row
is linked from one row alone, as a child is from its parent, the last row and the number of steps tell the
walk, and so do both ends where no walk comes back; likewise the first row, where each row is linked to one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.bags import conjuncts
from truespec.domains.sql.ir.kinds import DATE, INT
from truespec.domains.sql.ir.logic import Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, name_of, substituted
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Column, Table, Type
from truespec.domains.sql.schema import Kind as ColumnKind

SIDES = ("first", "last")
"""The sides of a link, and the ends of a walk."""
Node = tuple[Expr, ...]
"""A choice of rows: one of each table."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Which choices of rows are followed by which."""

    tables: tuple[Table, ...]
    """The tables of the rows."""
    one: Node
    """Variables for the rows that are followed."""
    other: Node
    """Variables for the rows that follow."""
    follows: Formula
    """That they do."""

    def at(self, one: Node, other: Node) -> Formula:
        """That one choice is followed by another."""
        pairs = (*zip(self.one, one, strict=True), *zip(self.other, other, strict=True))
        return substituted(self.follows, *pairs)

    def within(self, world: World, *nodes: Node) -> Formula:
        """That the rows of these choices are rows of the tables."""
        pairs = (pair for node in nodes for pair in zip(self.tables, node, strict=True))
        return conj(*(world.in_table(table, row) for table, row in pairs))

    def fresh(self, world: World) -> Node:
        """New variables."""
        return tuple(world.fresh_row(table) for table in self.tables)


@dataclass(frozen=True, slots=True, eq=False)
class Walks:
    """The walks over links, of one step or more."""

    number: int
    """Which relation of its world this is."""
    links: Links
    """The links."""
    table: Table
    """The relation."""
    returns: bool
    """Whether a walk might come back to where it was, for all that is proved."""

    def end(self, name: str, walk: Expr) -> Node:
        """A choice of rows of a walk: its `first` or `last` one, the `second`, or the `former` one."""
        found = []
        for place, row in enumerate(self.links.one):
            function = z3.Function(f"{name} {self.table.name}.{place}", walk.sort(), row.sort())
            found.append(function(walk))
        return tuple(found)

    def steps(self, walk: Expr) -> Expr:
        """How many steps a walk takes."""
        return z3.Function(f"steps {self.table.name}", walk.sort(), z3.IntSort())(walk)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Walks as a recursion goes them."""

    walks: Walks
    """The walks."""
    turned: bool
    """Whether they are read from their end."""
    order: tuple[int, ...]
    """The place among the walks' rows of each row of the recursion."""

    def ends(self, walk: Expr) -> tuple[Node, Node]:
        """The first and the last choice of rows."""
        names = ("last", "first") if self.turned else ("first", "last")
        first, last = (self.walks.end(name, walk) for name in names)
        return tuple(first[i] for i in self.order), tuple(last[i] for i in self.order)


@dataclass(frozen=True, slots=True, eq=False)
class Trimmed:
    """Links, and what walks over other links are beside walks over these."""

    links: Links
    """The links."""
    first: Formula
    """What is asked of the first choice of a walk, in terms of `one`."""
    last: Formula
    """What is asked of the last one, in terms of `other`."""


def seen(world: World, known: list[Walks], links: Links) -> tuple[Seen, Trimmed]:
    """The walks over these links, trimmed: known ones, turned round or not, or new ones, which are noted."""
    ways = [_trimmed(world, links, sides) for sides in (SIDES, SIDES[::-1])]
    for old, way in itertools.product(known, ways):
        found = _as_known(world, old, way.links)
        if found is not None:
            return found, way
    known.append(_new(world, ways[0].links))
    return Seen(known[-1], False, tuple(range(len(links.tables)))), ways[0]


def _as_known(world: World, old: Walks, links: Links) -> Seen | None:
    """Known walks that are those over these links, or that are once they are turned round."""
    names = [table.name for table in links.tables]
    there = [table.name for table in old.links.tables]
    for order in itertools.permutations(range(len(there))):
        if [there[i] for i in order] != names:
            continue
        back = [order.index(i) for i in range(len(order))]
        one, other = (tuple(node[i] for i in back) for node in (links.one, links.other))
        within = links.within(world, links.one, links.other)
        for turned in (False, True):
            same = old.links.at(other, one) if turned else old.links.at(one, other)
            if world.holds(within, links.follows == same):
                return Seen(old, turned, order)
    return None


def _trimmed(world: World, links: Links, sides: tuple[str, ...]) -> Trimmed:
    """Links without what they say of one side alone that the next link, or the one before, says as well.

    The sides are trimmed in this order.
    """
    between = links.fresh(world)
    said = {}
    for side in sides:
        node = links.one if side == "first" else links.other
        names = {name_of(row) for row in node}
        parts = conjuncts(links.follows)
        mine = [part for part in parts if _rows(part, links) <= names]
        rest = [part for part in parts if not any(part.eq(other) for other in mine)]
        bare = replace(links, follows=conj(*rest))
        near = bare.at(between, links.one) if side == "first" else bare.at(links.other, between)
        known = conj(links.within(world, node, between), near)
        dropped = [part for part in mine if world.holds(known, part)]
        kept = [part for part in mine if not any(part.eq(other) for other in dropped)]
        links = replace(links, follows=conj(*rest, *kept))
        said[side] = conj(*dropped)
    return Trimmed(links, said["first"], said["last"])


def alone(links: Links) -> list[Formula]:
    """What links say of the rows that follow alone."""
    names = {name_of(row) for row in links.other}
    return [part for part in conjuncts(links.follows) if _rows(part, links) and _rows(part, links) <= names]


def _rows(part: Formula, links: Links) -> frozenset[str]:
    """The variables of the links in a formula."""
    return constants(part) & {name_of(row) for row in (*links.one, *links.other)}


def _new(world: World, links: Links) -> Walks:
    number = next(world.recursions)
    table = Table(f"#walks {number}", (Column("row", Type(ColumnKind.OTHER), nullable=False),))
    rises = next(_rising(world, links), None)
    walks = Walks(number, links, table, rises is None)
    walk = world.fresh_row(table)
    inside = world.in_table(table, walk)
    first, last, second, former = (walks.end(name, walk) for name in ("first", "last", "second", "former"))
    steps = walks.steps(walk)
    one_step = conj(*(a == b for a, b in zip((*first, *second), (*former, *last), strict=True)))
    facts = [
        links.within(world, first, last, second, former),
        steps >= 1,
        links.at(first, second),
        links.at(former, last),
        z3.Implies(steps == 1, one_step),
    ]
    if rises is not None:
        facts.append(_greater(rises(first), rises(last)))
    facts += _told(world, walks, walk)
    world.adopt(table, {}, [z3.ForAll([walk], z3.Implies(inside, conj(*facts)), patterns=[inside])])
    return walks


def _told(world: World, walks: Walks, walk: Expr) -> Iterator[Formula]:
    """What tells a walk from others."""
    links, steps = walks.links, walks.steps(walk)
    first, last = walks.end("first", walk), walks.end("last", walk)
    from_one = _is_one(world, links, Links(links.tables, links.other, links.one, links.follows))
    to_one = _is_one(world, links, links)
    keys = [(*last, steps)] * from_one + [(*first, steps)] * to_one
    if not walks.returns and (from_one or to_one):
        keys.append((*first, *last))
    for place, key in enumerate(keys):
        back = z3.Function(f"walk {walks.table.name}.{place}", *(part.sort() for part in key), walk.sort())
        yield back(*key) == walk


def _is_one(world: World, links: Links, seen_from: Links) -> bool:
    """Whether each choice of `seen_from.one` is linked with one of `seen_from.other` alone."""
    again = links.fresh(world)
    other = seen_from.other
    second = substituted(links.follows, *zip(other, again, strict=True))
    known = conj(links.within(world, links.one, links.other, again), links.follows, second)
    return world.holds(known, conj(*(a == b for a, b in zip(other, again, strict=True))))


def _rising(world: World, links: Links) -> Iterator[Rising]:
    """The columns whose values rise with each link, or fall."""
    within = conj(links.within(world, links.one, links.other), links.follows)
    for place, table in enumerate(links.tables):
        for column in table.columns:
            if world.column(table, column, links.one[place]).kind not in (INT, DATE):
                continue
            for sign in (1, -1):
                found = Rising(world, table, column, place, sign)
                if world.holds(within, _greater(found(links.one), found(links.other))):
                    yield found


@dataclass(frozen=True, slots=True, eq=False)
class Rising:
    """A column of numbers or days."""

    world: World
    table: Table
    column: Column
    place: int
    """Which of the rows has it."""
    sign: int
    """-1 where its values fall."""

    def __call__(self, node: Node) -> tuple[Formula, Expr]:
        """Whether the value is NULL, and the value, with its sign."""
        value = self.world.column(self.table, self.column, node[self.place])
        return value.null, value.val if self.sign > 0 else -value.val


def _greater(one: tuple[Formula, Expr], other: tuple[Formula, Expr]) -> Formula:
    return conj(neg(one[0]), neg(other[0]), one[1] < other[1])
