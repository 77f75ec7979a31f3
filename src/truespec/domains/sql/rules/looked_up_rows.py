"""A set whose rows each look up a row, and put out its columns alone, ranges over the rows looked up.

Statement. Let G = {k(f(x)) : φ(x)}, where f maps each x with φ(x) to a row of a table T that has the value c
in certain columns, and let k be one to one on the rows of T that have it. Then
Σ_g∈G ψ(g) = Σ_r∈T [r has c there, and some x has φ(x) and f(x) = r] ψ(k(r)). Likewise for a set of several
terms with a map f each, one k and one c.

Side conditions. f(x) is the row of T that has a key of values that x gives: that there is such a row is a
conjunct of φ(x), and so is that it has the key, with no part of it NULL. What is put out mentions nothing
of x but f(x), or is a value that the key is looked up by, never NULL, which f(x) has too. Parts of the key
that do not depend on x are c. They and what is put out hold all columns of a unique key of T, never NULL, as
GROUP BY compares them; that k is one to one is proved.

Why. k is one to one from the rows f(x) onto the tuples of G. The row with the key is f(x) itself, as a key
has one row. The case that matters: `orders JOIN customers GROUP BY email, city` ranges over the customers
that have an order, as GROUP BY customer_id does. The customers with a tag and an order are the rows of that
tag that have an order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag, Term, bound, conjuncts, mentioned, renamed, substitute_value
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.keys import looked_up
from truespec.domains.sql.ir.logic import Expr, Formula, conj, disj, neg
from truespec.domains.sql.ir.symbols import constants, is_false, name_of, operands
from truespec.domains.sql.ir.values import Val, all_identical
from truespec.domains.sql.ir.world import World, membership
from truespec.domains.sql.schema import Table

_LookedUp = tuple[Table, tuple[str, ...], Expr]
"""A table, a key of it, and the row that has the key's values."""


def of(world: World, parts: list[Term]) -> Term | None:
    """One term over the rows that a set's rows look up; None where the rule does not apply."""
    if not parts or not parts[0].outs:
        return None
    for table, key, image in _images(world, parts[0]):
        row = world.fresh_row(table)
        outs = _seen(world, parts[0], (table, key, image), row)
        fixed = _fixed(parts[0], key, image)
        base = Term(((row, table),), (), conj(membership(row, table), *_has(world, fixed, row, table)), outs)
        if name_of(row) not in mentioned(outs) or mentioned(outs) & bound(parts[0]):
            continue
        if not _holds_key(world, base, fixed):
            continue
        reached: list[Formula] = []
        for part in parts:
            met = _meets(world, base, fixed, part)
            if met is None:
                break
            reached.append(met)
        if len(reached) == len(parts) and _one_to_one(world, base):
            return replace(base, cond=conj(base.cond, disj(*reached)))
    return None


def _fixed(part: Term, key: tuple[str, ...], image: Expr) -> dict[str, Expr]:
    """The parts of the key that do not depend on the term's own choices."""
    own = bound(part)
    return {name: v for name, v in zip(key, operands(image), strict=True) if not constants(v) & own}


def _has(world: World, fixed: dict[str, Expr], row: Expr, table: Table) -> Iterator[Formula]:
    """That a row has these values."""
    for name, value in fixed.items():
        column = world.column(table, table.column(name), row)
        yield conj(neg(column.null), world.key_expression(column) == value)


def _one_to_one(world: World, base: Term) -> bool:
    copy = renamed(world, base)
    given = conj(base.cond, copy.cond, all_identical(base.outs, copy.outs))
    return world.holds(given, base.rows[0][0] == copy.rows[0][0])


def _images(world: World, part: Term) -> Iterator[_LookedUp]:
    """The rows that a term looks up by their keys."""
    if part.groups:
        return
    pieces = conjuncts(part.cond)
    said = {piece.get_id() for piece in pieces}
    for piece in pieces:
        for table in world.tables:
            for key in table.unique_keys():
                image = looked_up(world, piece, table, key, said)
                if image is not None:
                    yield table, key, image


def _seen(world: World, part: Term, found: _LookedUp, row: Expr) -> tuple[Val, ...]:
    """What a term puts out, by the row that it looks up."""
    table, key, image = found
    columns = (world.key_expression(world.column(table, table.column(name), row)) for name in key)
    by_key = dict(zip((value.get_id() for value in operands(image)), columns, strict=True))
    own = bound(part)
    return tuple(
        replace(out, val=by_key[out.val.get_id()])
        if is_false(out.null) and out.val.get_id() in by_key and constants(out.val) & own
        else substitute_value(out, [(image, row)])
        for out in part.outs
    )


def _holds_key(world: World, base: Term, fixed: Collection[str]) -> bool:
    """Whether all columns of a unique key, none of them NULL, are among the outputs, or fixed."""
    ((row, table),) = base.rows
    shown = [out.val for out in base.outs if is_false(out.null)]
    for key in table.unique_keys():
        columns = [world.column(table, table.column(name), row) for name in key if name not in fixed]
        if all(any(out.eq(world.key_expression(c)) or out.eq(c.val) for out in shown) for c in columns):
            return True
    return False


def _meets(world: World, base: Term, fixed: dict[str, Expr], part: Term) -> Formula | None:
    """That a choice of the term looks up the row of `base`; None where this is not all that it puts out."""
    ((row, table),) = base.rows
    for other, key, image in _images(world, part):
        if other.name != table.name:
            continue
        here = _fixed(part, key, image)
        if any(name not in here or not here[name].eq(value) for name, value in fixed.items()):
            continue
        pairs = zip(_seen(world, part, (other, key, image), row), base.outs, strict=True)
        if not all(a.val.eq(b.val) and a.null.eq(b.null) and a.kind == b.kind for a, b in pairs):
            continue
        columns = [world.column(table, table.column(name), row) for name in key]
        same = [neg(column.null) for column in columns]
        same += [world.key_expression(c) == v for c, v in zip(columns, operands(image), strict=True)]
        return exists(world, Bag((renamed(world, replace(part, cond=conj(part.cond, *same), outs=())),)))
    return None
