"""A set whose tuples all are the columns of one table's rows ranges over those rows.

Statement. Let k map the rows of a table T, or the choices of a row of each of two, to tuples, one to one. If
every tuple of the set G is k(r) for some row r of T, then Σ_g∈G φ(g) = Σ_r∈T [k(r) ∈ G] φ(k(r)), where
k(r) ∈ G reads: some term of G's bag has a choice that puts out k(r).

Side conditions. That k is one to one on T, and that each term of G's bag puts out only k(r) for rows r of
T, are proved from the schema. `k` is what one of G's terms puts out, from one or two row variables.

Why. The map k from the rows with k(r) ∈ G to the tuples of G is onto by the second condition and one to one
by the first. The case that matters: GROUP BY a key of the left table above a LEFT JOIN, where one term has
a partner, the other has none; or by the keys of two tables of which each row is joined to each.

The map may also be a key of a table that the condition looks up by what G puts out: the distinct values of
a foreign key range over the rows that they refer to. So may a key of a table whose rows the other query has,
and pairs of keys, over the rows of two such tables: pairs of orders that share a product are pairs of rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag, Term, bound, mentioned, renamed
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.keys import names_keys
from truespec.domains.sql.ir.logic import conj, disj
from truespec.domains.sql.ir.symbols import functions, is_false
from truespec.domains.sql.ir.values import all_identical
from truespec.domains.sql.ir.world import World, membership

MOST_ROWS = 2
"""Of how many rows a choice may be."""
MOST_KEYS, MOST_TRIED = 3, 9
"""How many columns may each be a key, and how many ways are tried to say of which tables."""


def of(world: World, parts: list[Term]) -> Term | None:
    """One term over the rows of one table, in place of the terms of a set; None where the rule fails."""
    for base in parts:
        if not 1 <= len(base.rows) <= MOST_ROWS or base.groups:
            continue
        if not bound(base) <= mentioned(base.outs):
            continue
        if one_to_one(world, base) and all(_covered(world, base, p) for p in parts if p is not base):
            reached = [_puts_out(world, base, part) for part in parts if part is not base]
            inside, met = conj(*(membership(*row) for row in base.rows)), disj(base.cond, *reached)
            # Above a LEFT JOIN each row is met, by a partner or for want of one.
            return replace(base, cond=inside if world.holds(inside, met) else conj(inside, met))
    return None


def referred(world: World, parts: list[Term], tables: Collection[str] = ()) -> Term | None:
    """One term over the rows that a set of keys refers to; None where the set holds other tuples too.

    The rows are those that the condition looks up, or rows of one of the `tables`.
    """
    if not parts or not all(is_false(out.null) for part in parts for out in part.outs):
        return None
    looked_up = frozenset[str]().union(*(functions(part.cond) for part in parts))
    for table in world.tables:
        for key in table.unique_keys():
            name = f"inv.{table.name}.{'.'.join(key)}".lower()
            if not (name in looked_up or table.name in tables) or len(key) != len(parts[0].outs):
                continue
            row = world.fresh_row(table)
            outs = tuple(world.column(table, table.column(column), row) for column in key)
            if any(not is_false(out.null) for out in outs):
                continue
            if any(a.kind != b.kind for part in parts for a, b in zip(outs, part.outs, strict=True)):
                continue
            base = Term(((row, table),), (), membership(row, table), outs)
            if all(_covered(world, base, part) for part in parts) and one_to_one(world, base):
                reached = [_puts_out(world, base, part) for part in parts]
                return replace(base, cond=conj(base.cond, disj(*reached)))
    return None


def referred_each(world: World, parts: list[Term], tables: Collection[str]) -> Term | None:
    """One term over rows of several of the `tables`, where each column of a set is a key of one of them."""
    if not parts or not all(is_false(out.null) for part in parts for out in part.outs):
        return None
    width = len(parts[0].outs)
    if not 2 <= width <= MOST_KEYS or any(part.groups for part in parts):
        return None
    options = [
        [(table, key[0]) for table in world.tables for key in table.unique_keys() if table.name in tables]
        for _ in range(width)
    ]
    for chosen in itertools.islice(itertools.product(*options), MOST_TRIED):
        rows = tuple((world.fresh_row(table), table) for table, _ in chosen)
        pairs = zip(rows, chosen, strict=True)
        outs = tuple(world.column(table, table.column(name), row) for (row, table), (_, name) in pairs)
        if not all(
            is_false(out.null) and (name,) in table.unique_keys()
            for out, (table, name) in zip(outs, chosen, strict=True)
        ):
            continue
        if any(a.kind != b.kind for part in parts for a, b in zip(outs, part.outs, strict=True)):
            continue
        base = Term(rows, (), conj(*(membership(*row) for row in rows)), outs)
        if all(_covered(world, base, part) for part in parts):
            reached = [_puts_out(world, base, part) for part in parts]
            return replace(base, cond=conj(base.cond, disj(*reached)))
    return None


def one_to_one(world: World, base: Term) -> bool:
    bare = replace(base, cond=conj(*(membership(*row) for row in base.rows)))
    if not names_keys(world, bare):
        return world.fails()
    copy = renamed(world, bare)
    given = conj(bare.cond, copy.cond, all_identical(bare.outs, copy.outs))
    return world.holds(given, conj(*(a == b for (a, _), (b, _) in zip(base.rows, copy.rows, strict=True))))


def _covered(world: World, base: Term, part: Term) -> bool:
    """Whether all that `part` puts out is k of some row."""
    bare = renamed(world, replace(base, cond=conj(*(membership(*row) for row in base.rows))))
    meets = replace(bare, cond=conj(bare.cond, all_identical(bare.outs, part.outs)), outs=())
    return world.holds(part.cond, exists(world, Bag((meets,))))


def _puts_out(world: World, base: Term, part: Term) -> object:
    part = renamed(world, part)
    return exists(
        world, Bag((replace(part, cond=conj(part.cond, all_identical(part.outs, base.outs)), outs=()),))
    )
