"""The one row of LIMIT 1 where rows that tie in the order are alike.

Statement. Let rows that tie in the sort keys agree in all outputs, and in the keys. Then LIMIT 1 OFFSET k
puts out one tuple where the bag has more than k, which is a function of the bag of tuples with their keys.

Side conditions. Agreement is identity, of the keys as well: texts that a collation calls equal may differ.

Why. Sorting the bag leaves a choice only among rows that tie, and these put out the same tuple: the tuple at
place k is the same for each way of sorting. Equal bags, sorted alike, have equal tuples at each place.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term, normal, renamed
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import conj
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.rules.first_rows import Sort


def kept(
    aggregates: Aggregates, bag: Bag, width: int, sorts: Sequence[Sort], limit: tuple[int | None, int]
) -> Bag | None:
    """The tuple that LIMIT 1 keeps; None where rows that tie may differ. Keys follow the first `width`."""
    number, skipped = limit
    if number != 1 or not sorts or not _alike(aggregates, bag, width):
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
