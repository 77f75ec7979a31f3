"""The one row of LIMIT 1 where rows that tie in the order are alike.

Statement. Let rows that tie in the sort keys agree in all outputs, and in the keys. Then LIMIT 1 OFFSET k
puts out one tuple where the bag has more than k, which is a function of the bag of tuples with their keys.
Where all rows agree in all outputs, whatever their keys, it is the tuple that each of them is.

Side conditions. Agreement is identity, of the keys as well: texts that a collation calls equal may differ.
Without sort keys all rows tie.

Why. Sorting the bag leaves a choice only among rows that tie, and these put out the same tuple: the tuple at
place k is the same for each way of sorting. Equal bags, sorted alike, have equal tuples at each place.
`SELECT 1 ... LIMIT 1` so says that there is a row.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term, bound, normal, renamed
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.logic import conj
from truespec.domains.sql.ir.symbols import constants
from truespec.domains.sql.ir.values import Val, identical, null_of
from truespec.domains.sql.rules.first_rows import Sort


def kept(
    aggregates: Aggregates, bag: Bag, width: int, sorts: Sequence[Sort], limit: tuple[int | None, int]
) -> Bag | None:
    """The tuple that LIMIT 1 keeps; None where rows that tie may differ. Keys follow the first `width`."""
    number, skipped = limit
    if number != 1:
        return None
    if (not sorts or _plain(bag, width)) and _alike(aggregates, bag.cut(width), width):
        return _any_of(aggregates, bag, width, skipped)
    if not sorts or not _alike(aggregates, bag, width):
        return None
    whole = bag.mapped(lambda outs: tuple(map(normal, outs)))
    if len({tuple(out.kind for out in term.outs) for term in whole.terms}) != 1:
        return None
    order = ", ".join(f"{sort.descending} {sort.nulls_first}" for sort in sorts)
    outs = []
    for place, out in enumerate(whole.terms[0].outs):
        name = f"column {place} of {width} at {skipped} in the order {order}"
        outs.append(aggregates.whole(name, whole, out.kind))
    some = aggregates.count(bag.mapped(lambda _: ())).val > z3.IntVal(skipped)
    found: tuple[Val, ...] = tuple(outs)
    return Bag((Term((), (), some, found),))


def _plain(bag: Bag, width: int) -> bool:
    """Whether no output depends on what is chosen."""
    values = [
        (part, bound(term)) for term in bag.terms for out in term.outs[:width] for part in (out.val, out.null)
    ]
    return all(constants(part).isdisjoint(own) for part, own in values)


def _any_of(aggregates: Aggregates, bag: Bag, width: int, skipped: int) -> Bag:
    """The tuple that all tuples of a bag are, where it has more than are skipped; alone, it needs no keys."""
    bare = bag.mapped(lambda _: ())
    some = exists(aggregates.world, bare) if skipped == 0 else aggregates.count(bare).val > z3.IntVal(skipped)
    columns = (
        Bag(tuple(replace(term, outs=term.outs[i : i + 1]) for term in bag.terms)) for i in range(width)
    )
    keys = (null_of(key.kind) for key in bag.terms[0].outs[width:])
    return Bag((Term((), (), some, (*map(aggregates.any, columns), *keys)),))


def _alike(aggregates: Aggregates, bag: Bag, width: int) -> bool:
    """Whether rows that tie agree in all outputs and keys."""
    world = aggregates.world
    for one, other in itertools.combinations_with_replacement(bag.terms, 2):
        copy = renamed(world, other)
        ties = [
            null_safe_equal(world, a, b) for a, b in zip(one.outs[width:], copy.outs[width:], strict=True)
        ]
        both = conj(condition(world, one), condition(world, copy), *ties)
        if not world.holds(both, conj(*map(identical, one.outs, copy.outs))):
            return False
    return True
