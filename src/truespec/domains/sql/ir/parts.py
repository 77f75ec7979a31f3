"""Parts of queries that stand for any table: what is known of the rows, and the rows themselves.

A part is known by data alone, without an expression of Z3: it is proved in one world and used in another.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from truespec.domains.sql.ir.bags import Bag, Term, normal
from truespec.domains.sql.ir.kinds import Kind
from truespec.domains.sql.ir.logic import Expr, Formula, conj, disj
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Column, ForeignKey, Table, Type
from truespec.domains.sql.schema import Kind as ColumnKind


@dataclass(frozen=True, slots=True)
class Reference:
    """A column whose values, where not NULL, are those of a table's key."""

    column: int
    """The place of the column."""
    table: str
    """The table, spelled as in the schema."""
    key: str
    """The table's column, which is a key by itself."""


@dataclass(frozen=True, slots=True)
class Part:
    """A table of which no more is known than this."""

    number: int
    """Which part of the pair it is."""
    kinds: tuple[Kind, ...]
    """The kinds of the columns."""
    nullable: tuple[bool, ...]
    """Which columns may be NULL."""
    keys: tuple[tuple[int, ...], ...] = ()
    """Columns in which no two rows agree, NULLs being equal."""
    references: tuple[Reference, ...] = ()
    """What values of the columns refer to."""
    least: tuple[int | None, ...] = ()
    """The least value of each column of numbers, where one is known."""

    @property
    def name(self) -> str:
        """The `#` keeps it apart from the tables of a schema."""
        return f"#part {self.number}"


@dataclass(frozen=True, slots=True)
class View:
    """A part as one query sees it."""

    part: Part
    """The part."""
    columns: tuple[int, ...]
    """The places of the columns that are seen, in order."""
    names: tuple[str, ...]
    """What the query calls them."""


def rows_of(world: World, view: View) -> Bag:
    """All rows of a part, under a new variable: one tuple each."""
    part = view.part
    table = world.adopted.get(part.name)
    if table is None:
        table = _adopt(world, part)
    row = world.fresh_row(table)
    values = [world.column(table, table.columns[place], row) for place in view.columns]
    return Bag((Term(((row, table),), (), world.in_table(table, row), tuple(values)),))


def _adopt(world: World, part: Part) -> Table:
    """The part as a table of the world, with all that is known of it."""
    names = [f"#{part.number}.{place}" for place in range(len(part.kinds))]
    shown = [Type(ColumnKind.OTHER, sql=f"#{kind}") for kind in part.kinds]
    columns = tuple(Column(*facts) for facts in zip(names, shown, part.nullable, strict=True))
    strict = [key for key in part.keys if not any(part.nullable[place] for place in key)]
    table = Table(
        part.name,
        columns,
        uniques=tuple(tuple(names[place] for place in key) for key in strict),
        foreign_keys=tuple(ForeignKey((names[r.column],), r.table, (r.key,)) for r in part.references),
    )
    kinds = dict(zip(columns, part.kinds, strict=True))
    world.adopt(table, kinds)
    row = world.fresh_row(table)
    inside = world.in_table(table, row)
    values = tuple(world.column(table, column, row) for column in columns)
    told = [_same_row(world, part, key, values, row) for key in part.keys if key not in strict]
    told += [
        disj(value.null, value.val >= least)
        for value, least in zip(values, part.least, strict=True)
        if least is not None
    ]
    if told:
        world.adopt(table, kinds, [z3.ForAll([row], z3.Implies(inside, conj(*told)), patterns=[inside])])
    return table


def _same_row(world: World, part: Part, key: tuple[int, ...], values: tuple[Val, ...], row: Expr) -> Formula:
    """That the values of a key, NULLs among them, tell the row."""
    found: list[Expr] = []
    for place in key:
        value = values[place]
        if not is_false(value.null):
            found.append(value.null)
        found.append(world.key_expression(normal(value)))
    name = f"inv.{part.name}.{'.'.join(map(str, key))}"
    back = z3.Function(name, *(expression.sort() for expression in found), row.sort())
    same: Formula = back(*found) == row
    return same
