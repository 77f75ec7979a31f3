"""A set whose rows each look up a row, and put out its columns alone, ranges over the rows looked up.

Statement. Let G = {k(f(x)) : φ(x)}, where f maps each x with φ(x) to a row of a table T, and let k be one to
one on T. Then Σ_g∈G ψ(g) = Σ_r∈T [some x has φ(x) and f(x) = r] ψ(k(r)). Likewise for a set of several terms
with a map f each, and one k.

Side conditions. f(x) is the row of T that has a key of values that x gives: that there is such a row is a
conjunct of φ(x), and so is that it has the key, with no part of it NULL. What is put out mentions nothing
of x but f(x), and holds all columns of a unique key of T, never NULL, as GROUP BY compares them; that k is
one to one is proved.

Why. k is one to one from the rows f(x) onto the tuples of G. The row with the key is f(x) itself, as a key
has one row. The case that matters: `orders JOIN customers GROUP BY email, city` ranges over the customers
that have an order, as GROUP BY customer_id does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag, Term, conjuncts, mentioned, renamed, substitute_value
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.keys import looked_up
from truespec.domains.sql.ir.logic import Expr, Formula, conj, disj, neg
from truespec.domains.sql.ir.symbols import is_false, name_of, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World, membership
from truespec.domains.sql.rules.covering_row import one_to_one
from truespec.domains.sql.schema import Table

_LookedUp = tuple[Table, tuple[str, ...], Expr]
"""A table, a key of it, and the row that has the key's values."""


def of(world: World, parts: list[Term]) -> Term | None:
    """One term over the rows that a set's rows look up; None where the rule does not apply."""
    if not parts or not parts[0].outs:
        return None
    for table, _, image in _images(world, parts[0]):
        row = world.fresh_row(table)
        outs = _seen(parts[0], image, row)
        base = Term(((row, table),), (), membership(row, table), outs)
        if mentioned(outs) != {name_of(row)} or not _holds_key(world, base):
            continue
        reached: list[Formula] = []
        for part in parts:
            met = _meets(world, base, part)
            if met is None:
                break
            reached.append(met)
        if len(reached) == len(parts) and one_to_one(world, base):
            return replace(base, cond=conj(base.cond, disj(*reached)))
    return None


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


def _seen(part: Term, image: Expr, row: Expr) -> tuple[Val, ...]:
    """What a term puts out, by the row that it looks up."""
    return tuple(substitute_value(out, [(image, row)]) for out in part.outs)


def _holds_key(world: World, base: Term) -> bool:
    """Whether all columns of a unique key, none of them NULL, are among the outputs."""
    ((row, table),) = base.rows
    shown = [out.val for out in base.outs if is_false(out.null)]
    for key in table.unique_keys():
        columns = [world.column(table, table.column(name), row) for name in key]
        if all(any(out.eq(world.key_expression(c)) or out.eq(c.val) for out in shown) for c in columns):
            return True
    return False


def _meets(world: World, base: Term, part: Term) -> Formula | None:
    """That a choice of the term looks up the row of `base`; None where this is not all that it puts out."""
    ((row, table),) = base.rows
    for other, key, image in _images(world, part):
        if other.name != table.name:
            continue
        pairs = zip(_seen(part, image, row), base.outs, strict=True)
        if not all(a.val.eq(b.val) and a.null.eq(b.null) and a.kind == b.kind for a, b in pairs):
            continue
        columns = [world.column(table, table.column(name), row) for name in key]
        same = [neg(column.null) for column in columns]
        same += [world.key_expression(c) == v for c, v in zip(columns, operands(image), strict=True)]
        return exists(world, Bag((renamed(world, replace(part, cond=conj(part.cond, *same), outs=())),)))
    return None
