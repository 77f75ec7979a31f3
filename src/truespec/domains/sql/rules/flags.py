"""A column of zeros and ones says yes or no: its sum counts the ones.

Statement. Where v is 0 or 1, v = (if v = 1 then 1 else 0); so Σ[φ] v = COUNT[φ ∧ v = 1].

Side conditions. v is a column of integers. That the table's constraints leave it 0 and 1 alone, where it is
not NULL, is proved of every row; the condition says that the row is one of the table's, and that v is not
NULL where it may be.

Why. It is a case distinction, and `sum_laws` sums by cases. Flags are summed, counted and averaged in one
form.
"""

from __future__ import annotations

import re

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import Expr, conj, disj, neg
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.schema import Column, Table


def spelled(aggregates: Aggregates, term: Term, value: Expr) -> Expr | None:
    """A flag by its two cases, where the condition of the term says that it is one; None for other values."""
    if value.sort() != z3.IntSort() or not z3.is_app(value) or value.num_args() != 1:
        return None
    found = _column(aggregates, str(value.decl().name()))
    if found is None:
        return None
    table, column = found
    world, row = aggregates.world, value.arg(0)
    null = world.column(table, column, row).null
    needed = [world.in_table(table, row), *([] if is_false(null) else [neg(null)])]
    known = conjuncts(term.cond)
    if not all(any(part.eq(other) for other in known) for part in needed):
        return None
    return z3.If(z3.IntVal(1) == value, z3.IntVal(1), z3.IntVal(0))


def _column(aggregates: Aggregates, name: str) -> tuple[Table, Column] | None:
    """The column that a function of rows stands for, where it is a flag."""
    if name not in aggregates.flags:
        aggregates.flags[name] = _proved(aggregates, name)
    return aggregates.flags[name]


def _proved(aggregates: Aggregates, name: str) -> tuple[Table, Column] | None:
    world = aggregates.world
    for table in world.schema.tables:
        for column in table.columns:
            if name != f"column {table.name}.{column.name}".lower() or world.kind_of(column) != INT:
                continue
            named = re.compile(rf"\b{re.escape(column.name)}\b", re.I)
            if not any(named.search(check) for check in table.checks):
                return None
            row = world.fresh_row(table)
            value = world.column(table, column, row)
            given = conj(world.in_table(table, row), neg(value.null))
            is_flag = world.holds(given, disj(value.val == 0, value.val == 1))
            return (table, column) if is_flag else None
    return None
