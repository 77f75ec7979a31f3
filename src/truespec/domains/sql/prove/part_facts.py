"""What is proved of the rows of a part, so that the rest of a query can be proved without it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import z3

from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.kinds import INT, NUMBERS, Kind
from truespec.domains.sql.ir.logic import FALSE, Formula, conj, disj, neg
from truespec.domains.sql.ir.parts import Part, Reference
from truespec.domains.sql.ir.symbols import functions, is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.prove.prover import Prover
from truespec.domains.sql.rules.first_rows import same_choice
from truespec.domains.sql.schema import Table

MAX_KEYS = 3
"""Keys that are looked for."""
MAX_REFERENCES = 4
"""Tables that the columns of a key are tried against."""
SHARE = 4
"""That a number is small is seen with this part of the effort, or not at all."""


def facts_of(prover: Prover, bag: Bag, kinds: tuple[Kind, ...], number: int) -> Part:
    """A table of these columns, with what is proved of the rows of the bag."""
    world, terms = prover.world, prover.tidy(bag)
    prover.aggregates.relate_numbers(terms)
    width = range(len(kinds))
    nullable = tuple(not _never_null(world, terms, place) for place in width)
    keys = _keys(world, terms, kinds)
    told = sorted(frozenset[int]().union(*keys)) if keys else []
    return Part(
        number,
        kinds,
        nullable,
        tuple(keys),
        tuple(_references(world, terms, told)),
        tuple(_least(world, terms, place, kinds[place]) for place in width),
    )


def _never_null(world: World, terms: Sequence[Term], place: int) -> bool:
    nulls = [(term, term.outs[place].null) for term in terms]
    return all(is_false(null) or world.holds(condition(world, term), neg(null)) for term, null in nulls)


def _keys(world: World, terms: Sequence[Term], kinds: tuple[Kind, ...]) -> list[tuple[int, ...]]:
    """Columns that tell the rows apart: none can be left out of the first, others exchange one of them."""
    computed = [any(map(_is_computed, (term.outs[place] for term in terms))) for place in range(len(kinds))]
    places = sorted(range(len(kinds)), key=lambda place: (computed[place], place))
    plain = [place for place in places if not computed[place]]
    key = next((some for some in (plain, places) if some and _tells(world, terms, some)), None)
    if key is None:
        return []
    for place in reversed(key):
        fewer = [other for other in key if other != place]
        if fewer and _tells(world, terms, fewer):
            key = fewer
    found = [tuple(sorted(key))]
    for place, other in itertools.product(key, places):
        if len(found) < MAX_KEYS and other not in key and computed[other] and kinds[other] == INT:
            changed = sorted({*key, other} - {place})
            if _tells(world, terms, changed):
                found.append(tuple(changed))
    return found


def _is_computed(value: Val) -> bool:
    """Whether a value is more than a column or a part of a group's key."""
    return any(name.startswith("agg!") for name in functions(value.val))


def _tells(world: World, terms: Sequence[Term], places: Sequence[int]) -> bool:
    """Whether two rows that agree in these columns, NULLs being equal, are one row."""
    for i, one in enumerate(terms):
        for j, two in enumerate(terms[i:], i):
            copy = renamed(world, two)
            agree = [_alike(world, one.outs[place], copy.outs[place]) for place in places]
            given = conj(condition(world, one), condition(world, copy), *agree)
            if not world.holds(given, same_choice(one, copy) if i == j else FALSE):
                return False
    return True


def _alike(world: World, one: Val, other: Val) -> Formula:
    same = world.key_expression(one) == world.key_expression(other)
    return conj(one.null == other.null, disj(one.null, same))


def _references(world: World, terms: Sequence[Term], places: Sequence[int]) -> list[Reference]:
    """Whose keys the values of columns are, where a table of the schema has them all."""
    found: list[Reference] = []
    tried = 0
    for place, table in itertools.product(places, world.schema.tables):
        for key in table.unique_keys():
            if len(key) > 1 or tried == MAX_REFERENCES or not _of_kind(world, terms, place, table, key[0]):
                continue
            tried += 1
            if all(_refers(world, term, term.outs[place], table, key[0]) for term in terms):
                found.append(Reference(place, table.name, key[0]))
    return found


def _of_kind(world: World, terms: Sequence[Term], place: int, table: Table, key: str) -> bool:
    return all(term.outs[place].kind == world.kind_of(table.column(key)) for term in terms)


def _refers(world: World, term: Term, value: Val, table: Table, key: str) -> bool:
    """Whether a value, where not NULL, is the key of a row."""
    row = world.inverse(table, (key,), (world.key_expression(value),))
    above = world.column(table, table.column(key), row)
    same = world.key_expression(above) == world.key_expression(value)
    met = conj(world.in_table(table, row), neg(above.null), same)
    return world.holds(conj(condition(world, term), neg(value.null)), met)


def _least(world: World, terms: Sequence[Term], place: int, kind: Kind) -> int | None:
    """1 or 0 where no number of a column is less."""
    if kind not in NUMBERS:
        return None
    for least in (1, 0) if kind == INT else (0,):
        if all(_at_least(world, term, term.outs[place], least) for term in terms):
            return least
    return None


def _at_least(world: World, term: Term, value: Val, least: int) -> bool:
    bound = z3.IntVal(least) if value.val.is_int() else z3.RealVal(least)
    return world.holds(conj(condition(world, term), neg(value.null)), value.val >= bound, SHARE)
