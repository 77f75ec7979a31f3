"""What every round of a recursion takes from a row of one table are columns of a row of that table.

Statement. Let R be the result of `B UNION [ALL] S(W)`, and let each tuple of B, and each of S(W) for every
W, hold in its places P columns c_P of some row of a table T, a unique key k of T among them. Then each
tuple r of R holds in P the columns of the row of T with the key r_k.

Side conditions. Each term of B and of S ranges over a row of T, or looks one up, and puts out its columns
in P as they are, the same ones in all terms. No column of the key may be NULL.

Why. Each tuple of R was put out by B or by S. The row with its key is the row that it was taken from, since
a key has one row. What matters is a column that one recursion carries along, and that another query looks
up by the key afterwards: the name beside each number of a tree.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag, Term, conjuncts
from truespec.domains.sql.ir.keys import looked_up
from truespec.domains.sql.ir.logic import Expr, conj
from truespec.domains.sql.ir.symbols import is_false, operands
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.same_recursion import Held
from truespec.domains.sql.schema import Table

Places = dict[int, frozenset[str]]
"""Places of a tuple, and the columns of a row that each holds."""


def of(world: World, first: Bag, step: Bag, result: Bag) -> tuple[Held, ...]:
    """What the rule says of the tuples of the result.

    `first` is what the recursion begins with, and `step` what the step makes of the round before.
    """
    terms = (*first.terms, *step.terms)
    if not first.terms or not step.terms:
        return ()
    found = []
    for table in world.tables:
        places = _places(world, table, terms[0])
        for term in terms[1:]:
            places = _common(places, _places(world, table, term))
        every = (_held(world, table, one, result) for one in places)
        found += [held for held in every if held is not None][:1]
    return tuple(found)


def seen(world: World, held: tuple[Held, ...], result: Bag) -> Bag:
    """The result with columns of the rows that its keys name in place of what it holds."""
    (whole,) = result.terms
    outs, cond = list(whole.outs), [whole.cond]
    for one in held[:1]:
        values = [world.key_expression(whole.outs[place]) for place in one.key_places]
        image = world.inverse(one.table, one.key, tuple(values))
        cond.append(world.in_table(one.table, image))
        columns = [world.column(one.table, one.table.column(name), image) for name in one.key]
        cond += [world.key_expression(c) == value for c, value in zip(columns, values, strict=True)]
        for place, name in one.places.items():
            outs[place] = world.column(one.table, one.table.column(name), image)
    return Bag((replace(whole, cond=conj(*cond), outs=tuple(outs)),))


def _places(world: World, table: Table, term: Term) -> list[Places]:
    """For each row of the table that a term ranges over or looks up, what it puts out of it."""
    found = []
    for row, key in _rows(world, table, term):
        columns = [(c.name, world.column(table, c, row)) for c in table.columns]
        # A row that is looked up has the key that it is looked up by, as its term says.
        known = dict(zip(key, operands(row), strict=True)) if key else {}
        held = {
            place: frozenset(
                name
                for name, v in columns
                if v.null.eq(out.null) and (v.val.eq(out.val) or (name in known and known[name].eq(out.val)))
            )
            for place, out in enumerate(term.outs)
        }
        found.append({place: names for place, names in held.items() if names})
    return found


def _rows(world: World, table: Table, term: Term) -> list[tuple[Expr, tuple[str, ...]]]:
    """The rows of the table that a term ranges over, and those that it looks up by a key."""
    rows: list[tuple[Expr, tuple[str, ...]]] = [(r, ()) for r, other in term.rows if other.name == table.name]
    pieces = conjuncts(term.cond)
    said = {piece.get_id() for piece in pieces}
    for piece in pieces:
        for key in table.unique_keys():
            image = looked_up(world, piece, table, key, said)
            rows += [(image, key)] if image is not None else []
    return rows


def _common(some: list[Places], others: list[Places]) -> list[Places]:
    """What both of two terms put out, for each way to take a row of each."""
    pairs = (
        {place: names & two[place] for place, names in one.items() if names & two.get(place, frozenset())}
        for one in some
        for two in others
    )
    return [places for places in pairs if places]


def _held(world: World, table: Table, places: Places, result: Bag) -> Held | None:
    """What a tuple holds of a row; None where it holds no key."""
    (whole,) = result.terms
    for key in table.unique_keys():
        at = [next((place for place, names in places.items() if name in names), None) for name in key]
        keyed = tuple(place for place in at if place is not None)
        if len(keyed) < len(key) or not all(is_false(whole.outs[place].null) for place in keyed):
            continue
        if any(table.column(name).nullable for name in key):
            continue
        others = {p: min(names) for p, names in places.items() if p not in keyed}
        some = world.fresh_row(table)
        kinds = {p: world.column(table, table.column(n), some).kind for p, n in others.items()}
        return Held(table, key, keyed, {p: n for p, n in others.items() if kinds[p] == whole.outs[p].kind})
    return None
