"""Rows that tie in a window and are alike: any order of them gives the same bag.

Statement. Let a SELECT read one window that needs a total order of its rows (ROW_NUMBER, LAG, a frame of
ROWS, ...), with sort keys that leave ties. If rows that tie agree in what the window's function is applied
to, and in all that the SELECT puts out, sorts and filters by, given the same value of the window, the bag
that the SELECT puts out is the same for each order of the ties; and it is that of the order by the rows'
own keys.

Side conditions. The rows are those of one term, each with a unique key none of whose columns is NULL; tuples
of a group are their own key. That rows that tie agree is proved, by their bytes, with a variable in place of
the window's value. An output that nothing in the statement reads need not agree (`compile/unread.py`): the
statement does not depend on it.

Why. Take two orders of a partition that sort it alike. The row at place i of the one ties with the row at
place i of the other, since the ties take the same places in both. So the window's function meets the same
values at the same places, and has the same value at place i: it is a function of the place and of the values
in order. The rows at place i agree in all else, and put out the same tuple. The cases that matter: the date
of the visit before this one, where two visits are of one day; the earliest of several, its row not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from truespec.domains.sql.ir.bags import Term, is_tuple, renamed
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import conj
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Table


def identity(world: World, term: Term) -> tuple[Val, ...] | None:
    """What tells the choices of a term apart: keys of rows, tuples of groups; None where a row has none."""
    found: list[Val] = []
    for row, table in term.rows:
        key = _key(world, table, row)
        if key is None:
            return None
        found += key
    for group in term.groups:
        found += group.values
    return tuple(found)


def _key(world: World, table: Table, row: object) -> list[Val] | None:
    for key in table.unique_keys():
        columns = [world.column(table, table.column(name), row) for name in key]
        if all(is_false(column.null) for column in columns):
            return columns
    return None


def agree(
    world: World, term: Term, partition: Sequence[Val], keys: Sequence[Val], shown: Sequence[Val]
) -> bool:
    """Whether choices of a term that are of one partition and tie in the keys agree in what is shown."""
    whole = Term(term.rows, term.groups, term.cond, (*partition, *keys, *shown))
    copy = renamed(world, whole)
    first, last = len(partition), len(partition) + len(keys)
    same = [is_tuple([a], [b]) for a, b in zip(partition, copy.outs[:first], strict=True)]
    same += [null_safe_equal(world, a, b) for a, b in zip(keys, copy.outs[first:last], strict=True)]
    both = conj(condition(world, whole), condition(world, copy), *same)
    return world.holds(both, conj(*map(identical, shown, copy.outs[last:])))
