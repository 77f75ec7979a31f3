"""Tables that no schema declares: their rows are unknown, and the same on both sides of a pair."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.kinds import Kind
from truespec.domains.sql.ir.logic import FALSE
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Column, Table, Type
from truespec.domains.sql.schema import Kind as ColumnKind


def rows_of(world: World, name: str, kinds: Sequence[Kind], nullable: Sequence[bool]) -> Bag:
    """All rows of the relation of this name, under a new variable: one tuple each.

    What is proved holds whatever the rows are. The `#` keeps the name apart from tables of a schema.
    """
    shown = "#" + " ".join([name, *(f"{kind}{'?' * may}" for kind, may in zip(kinds, nullable, strict=True))])
    table = Table(shown, (Column("row", Type(ColumnKind.OTHER), nullable=False),))
    row = world.fresh_row(table)
    outs = []
    for place, (kind, may) in enumerate(zip(kinds, nullable, strict=True)):
        value = z3.Function(f"value {shown}.{place}", row.sort(), kind.sort)(row)
        null = z3.Function(f"null {shown}.{place}", row.sort(), z3.BoolSort())(row) if may else FALSE
        outs.append(Val(null, value, kind))
    return Bag((Term(((row, table),), (), world.in_table(table, row), tuple(outs)),))
