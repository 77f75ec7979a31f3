"""A recursion whose step goes on from row to row is its first part, and what the walks from there lead to.

Statement. Let each tuple of W go on to a choice x of rows by a link that speaks of x and, of the tuple, of
columns that the choice y which it came from determines, the same columns of each choice: L(y, x). The result
of `B UNION ALL S(W)` is B, and for each choice of B and each walk over L (`rules/walk_links.py`) from the
rows of B, one tuple: columns that S passes on are those of B, columns that S takes from x are those of the
walk's last rows, and an integer to which S adds k is that of B and k times the steps. A column of another
form is some function of the choice and the walk. The result of `B UNION S(W)` holds the distinct tuples of
these. Where a term of B is no choice of such rows, that is said of S(B), and B stands beside it.

Side conditions. S is one term, which ranges over one row of W and looks at no other, and over no group. What
S asks of a counted column speaks of it alone; it holds of a value only if it held one count before. Under
UNION every column has one of the three forms. And a query has no result where a recursion does not end: so
each recursion is proved to end always, or the recursions that may not end are over the same links in both
queries and begin at each row that is linked to one and from one.

Why. By induction on the rounds: round n has a tuple for each choice of B and each chain of n links from it.
That the count allows the last step says that it allowed each before. What ends always: walks along which a
column rises; a count that is bounded; and without duplicates, tuples of values that the tables hold, which
are finitely many. What begins everywhere and is not counted out ends just where no walk over the links comes
back to where it was, whichever way it is walked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.bags import (
    Bag,
    Substitution,
    Term,
    conjuncts,
    flat,
    renamed,
    substitute_term,
    substitute_value,
)
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.keys import chosen
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, disj, neg
from truespec.domains.sql.ir.symbols import constants, functions, is_eq, is_false, name_of, substituted
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.ended_recursion import applied, takes_one
from truespec.domains.sql.rules.same_recursion import Recursion
from truespec.domains.sql.rules.walk_links import Links, Node, Seen, Walks, alone, seen
from truespec.domains.sql.schema import Table

MOST_ROWS = 2
"""How many rows a step may choose."""
MOST_STARTS = 6
"""How many terms a recursion may begin with."""
BOUND = 10**12
"""No count that a query bounds by a literal goes beyond."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What a recursion gives."""

    bag: Bag
    """Its tuples, before duplicates are left out."""
    unending: int | None
    """Over which walks it goes from everywhere, where they may come back; None where it always ends."""


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """A step that goes on from row to row."""

    term: Term
    """What it puts out."""
    columns: tuple[tuple[Formula, Formula], ...]
    """The columns of the row of the round before, flags and values."""
    tables: tuple[tuple[Expr, Table], ...]
    """The rows that it chooses."""
    counts: dict[int, int]
    """Columns that are counted, and by how much."""
    carried: frozenset[int]
    """Columns that are passed on."""
    taken: frozenset[int]
    """Columns of the rows that are chosen."""
    read: frozenset[int]
    """The columns of these that the next link reads."""
    links: Links
    """Which rows follow which."""
    limits: tuple[tuple[int, Formula], ...]
    """What is asked of counted columns."""


def of(world: World, known: list[Walks], one: Recursion, step: Bag) -> Walked | None:
    """What a recursion gives, by this rule; `known` are the walks met so far, to which new ones are added."""
    found = _step(world, one, step)
    if found is None or not one.first.terms or len(one.first.terms) > MOST_STARTS:
        return None
    others = set(range(len(one.kinds))) - found.carried - found.taken - found.counts.keys()
    if others and (one.distinct or any(term.groups for term in one.first.terms)):
        return None
    plain, starts = _starts(world, one, found)
    if not starts or not all(_closed(world, found, place, limit) for place, limit in found.limits):
        return None
    walks, way = seen(world, known, _kept(world, starts, found.links))
    ended = _bounded(world, found) or (one.distinct and not found.counts)
    unending = walks.walks.number if walks.walks.returns and not ended else None
    if unending is not None and (found.limits or not _from_everywhere(world, starts, way.links)):
        return None
    sides = (way.links.one, way.first), (way.links.other, way.last)
    terms = [_walked(world, (one, number), found, start, walks, sides) for number, start in enumerate(starts)]
    return Walked(Bag((*plain, *(start.term for start in starts), *terms)), unending)


# The step


def _step(world: World, one: Recursion, step: Bag) -> _Step | None:
    if len(step.terms) != 1 or step.terms[0].groups or not takes_one(one.round, step.terms[0]):
        return None
    (whole,), ((variable, table),) = one.round.terms, one.round.terms[0].rows
    (own,) = [row for row, other in step.terms[0].rows if other == table]
    # A row that the step looks up by what it has is a row that it goes on to.
    term = chosen(world, step.terms[0], lambda image, _: name_of(own) in constants(image))
    rows = tuple(pair for pair in term.rows if pair[1] != table)
    if not 1 <= len(rows) <= MOST_ROWS:
        return None
    columns = tuple(
        (substituted(out.null, (variable, own)), substituted(out.val, (variable, own))) for out in whole.outs
    )
    carried, taken, counts = set(), set(), {}
    term = _by_rows(world, term, columns, own)
    for place, (out, (null, value)) in enumerate(zip(term.outs, columns, strict=True)):
        if out.null.eq(null) and out.val.eq(value):
            carried.add(place)
        elif name_of(own) not in constants(out.null) | constants(out.val):
            taken.add(place)
        elif out.kind == INT and is_false(null) and is_false(out.null):
            more = z3.simplify(out.val - value)
            if z3.is_int_value(more) and more.as_long():
                counts[place] = more.as_long()
    names = [functions(out.null) | functions(out.val) for out in whole.outs]
    said = _said(world, term, names, own, (taken, set(counts)), table)
    if said is None:
        return None
    parts, read, limits = said
    links = _links(world, term, columns, rows, parts, read)
    sets = frozenset(carried), frozenset(taken), frozenset(read)
    return _Step(term, columns, rows, counts, *sets, links, limits)


def _by_rows(world: World, term: Term, columns: Sequence[tuple[Formula, Formula]], own: Expr) -> Term:
    """The step with columns of its rows in the place of what it says to equal them, where it puts that out.

    A column that is not NULL by the condition gets its flag back, as the first part may have it.
    """
    pairs: Substitution = []
    for part in conjuncts(term.cond):
        for one, other in ((part.arg(0), part.arg(1)), (part.arg(1), part.arg(0))) if is_eq(part) else ():
            if any(one.eq(value) for _, value in columns) and name_of(own) not in constants(other):
                pairs.append((one, other))
    flags = {
        value.val.get_id(): value.null
        for row, table in term.rows
        for column in (table.columns if not row.eq(own) else ())
        if not is_false((value := world.column(table, column, row)).null)
    }
    outs = []
    for out, (null, before) in zip(term.outs, columns, strict=True):
        if not (out.val.eq(before) and out.null.eq(null)):
            out = substitute_value(out, pairs)
            flag = flags.get(out.val.get_id())
            if flag is not None and is_false(out.null) and not is_false(null):
                out = replace(out, null=flag) if world.holds(term.cond, neg(flag)) else out
        outs.append(out)
    return replace(term, outs=tuple(outs))


def _said(
    world: World,
    term: Term,
    names: Sequence[frozenset[str]],
    own: Expr,
    sorts: tuple[set[int], set[int]],
    table: Table,
) -> tuple[list[Formula], set[int], tuple[tuple[int, Formula], ...]] | None:
    """What a step asks: of rows and columns taken from rows, with those columns; and of counted columns."""
    taken, counted = sorts
    every = frozenset[str]().union(*names)
    inside = [world.in_table(other, row) for row, other in term.rows]
    links: list[Formula] = []
    limits: list[tuple[int, Formula]] = []
    read: set[int] = set()
    for part in conjuncts(flat(term.cond)):
        if any(part.eq(other) for other in inside):
            continue
        places = {p for p, own_names in enumerate(names) if functions(part) & own_names}
        if name_of(own) in constants(part) and not functions(part) & every:
            return None
        if places <= taken:
            links.append(part)
            read |= places
        elif len(places) == 1 and places <= counted and constants(part) == {name_of(own)}:
            limits.append((*places, part))
        else:
            return None
    return links, read, tuple(limits)


def _links(
    world: World,
    term: Term,
    columns: Sequence[tuple[Formula, Formula]],
    rows: Sequence[tuple[Expr, Table]],
    parts: list[Formula],
    read: set[int],
) -> Links:
    tables = tuple(table for _, table in rows)
    other = tuple(row for row, _ in rows)
    before = tuple(world.fresh_row(table) for table in tables)
    pairs: Substitution = []
    for place in sorted(read):
        value = _at(term.outs[place], other, before)
        pairs += _instead(columns[place], value)
    return Links(tables, before, other, substituted(conj(*parts), *pairs) if pairs else conj(*parts))


def _instead(column: tuple[Formula, Formula], value: Val) -> Substitution:
    """What puts a value in the place of a column of the round before."""
    flag = [] if is_false(column[0]) else [(column[0], value.null)]
    return [*flag, (column[1], value.val)]


def _at(value: Val, rows: Node, others: Node) -> Val:
    """What rows put out, of other ones."""
    pairs = tuple(zip(rows, others, strict=True))
    return replace(value, null=substituted(value.null, *pairs), val=substituted(value.val, *pairs))


def _closed(world: World, step: _Step, place: int, limit: Formula) -> bool:
    """Whether a count that is allowed was allowed one before."""
    column = step.columns[place][1]
    before = substituted(limit, (column, column - step.counts[place]))
    return world.holds(limit, before)


def _bounded(world: World, step: _Step) -> bool:
    """Whether a count ends the recursion."""
    for place, limit in step.limits:
        column = step.columns[place][1]
        if world.holds(limit, column <= BOUND if step.counts[place] > 0 else column >= -BOUND):
            return True
    return False


# Where it begins


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """A term of which the recursion goes on, and the rows that it goes on from."""

    term: Term
    nodes: Node


def _starts(world: World, one: Recursion, step: _Step) -> tuple[list[Term], list[_Start]]:
    """The terms of the first part of which nothing goes on here, and those from which walks begin."""
    plain: list[Term] = []
    starts: list[_Start] = []
    names = {table.name for table in step.links.tables}
    for term in one.first.terms:
        term = chosen(world, term, lambda _, table: table.name in names)
        nodes = next(_nodes(world, step, term), None)
        if nodes is not None:
            starts.append(_Start(term, nodes))
            continue
        plain.append(term)
        made = applied(world, one.round, step.term, term)
        if not is_false(made.cond):
            starts.append(_Start(made, tuple(row for row, _ in made.rows[len(term.rows) :])))
    return plain, starts


def _nodes(world: World, step: _Step, term: Term) -> Iterator[Node]:
    """The rows of a term that determine what the links read as the rows of a step do."""
    tables = [table.name for table in step.links.tables]
    for pairs in itertools.permutations(term.rows, len(tables)):
        if [table.name for _, table in pairs] != tables:
            continue
        rows = tuple(row for row, _ in pairs)
        values = {place: _at(step.term.outs[place], step.links.other, rows) for place in step.read}
        same = conj(*(identical(term.outs[place], value) for place, value in sorted(values.items())))
        if world.holds(term.cond, same):
            yield rows


def _kept(world: World, starts: list[_Start], links: Links) -> Links:
    """Links that say of the row before, too, what they say of each next one, where it holds at the start."""
    more = []
    for part in alone(links):
        before = substituted(part, *zip(links.other, links.one, strict=True))
        ahead = links.fresh(world)
        if all(
            world.holds(
                conj(start.term.cond, links.within(world, ahead), links.at(start.nodes, ahead)),
                substituted(part, *zip(links.other, start.nodes, strict=True)),
            )
            for start in starts
        ):
            more.append(before)
    return replace(links, follows=conj(links.follows, *more))


def _from_everywhere(world: World, starts: list[_Start], links: Links) -> bool:
    """Whether walks begin at each choice of rows that follows one and is followed by one."""
    begun = []
    for start in starts:
        rows = tuple(pair for pair in start.term.rows if not any(pair[0].eq(row) for row in start.nodes))
        body = replace(start.term, rows=(), outs=())
        here = substitute_term(body, list(zip(start.nodes, links.one, strict=True)))
        begun.append(exists(world, Bag((replace(here, rows=rows),))))
    before = links.fresh(world)
    known = links.at(before, links.one), links.follows
    return world.holds(conj(links.within(world, before, links.one, links.other), *known), disj(*begun))


# What the walks lead to


def _walked(
    world: World,
    one: tuple[Recursion, int],
    step: _Step,
    start: _Start,
    walks: Seen,
    sides: tuple[tuple[Node, Formula], tuple[Node, Formula]],
) -> Term:
    """The tuples that walks from a start lead to.

    `one` is the recursion with the number of the start; `sides` says what is asked of their first and last
    rows.
    """
    table = walks.walks.table
    walk = world.fresh_row(table)
    first, last = walks.ends(walk)
    steps = walks.walks.steps(walk)
    rest = tuple(pair for pair in start.term.rows if not any(pair[0].eq(row) for row in start.nodes))
    moved = substitute_term(replace(start.term, rows=()), list(zip(start.nodes, first, strict=True)))
    asked = [
        substituted(said, *zip(rows, ends, strict=True))
        for (rows, said), ends in zip(sides, (first, last), strict=True)
    ]
    for place, limit in step.limits:
        count = moved.outs[place].val + step.counts[place] * (steps - 1)
        asked.append(substituted(limit, (step.columns[place][1], count)))
    outs = []
    for place, out in enumerate(moved.outs):
        if place in step.carried:
            outs.append(out)
        elif place in step.taken:
            outs.append(_at(step.term.outs[place], step.links.other, last))
        elif place in step.counts:
            outs.append(replace(out, val=out.val + step.counts[place] * steps, literal=None))
        else:
            outs.append(_some(one, place, (walk, *(row for row, _ in rest))))
    cond = conj(world.in_table(table, walk), moved.cond, *asked)
    return renamed(world, Term((*rest, (walk, table)), moved.groups, cond, tuple(outs)))


def _some(one: tuple[Recursion, int], place: int, rows: tuple[Expr, ...]) -> Val:
    """A value of which nothing is known but by which rows it is determined."""
    recursion, number = one
    kind, sorts = recursion.kinds[place], [row.sort() for row in rows]
    name = f"value #walked {recursion.number}.{number}.{place}"
    may = recursion.nullable[place]
    null = z3.Function(f"null {name}", *sorts, z3.BoolSort())(*rows) if may else FALSE
    return Val(null, z3.Function(name, *sorts, kind.sort)(*rows), kind)
