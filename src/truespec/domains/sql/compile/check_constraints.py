"""CHECK conditions, read as queries are."""

from __future__ import annotations

from sqlglot import exp

from truespec.domains.sql import fractions, gate
from truespec.domains.sql.aggregates.table import AggregateTable
from truespec.domains.sql.check_queries import selection
from truespec.domains.sql.compile.compiler import Compiler
from truespec.domains.sql.compile.scope import Name, Scope
from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.truth import truth
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.readable import check_readable
from truespec.domains.sql.schema import Table
from truespec.domains.sql.text.query import read_query
from truespec.verdict import SpecificationError, Undecided


def read_check(world: World, table: Table, sql: str, row: Expr) -> Val | None:
    """A CHECK condition on a row; None where it is not modelled, which only loses proofs."""
    try:
        tree = read_query(selection(table, sql, world.schema), world.schema, world.settings, ask=False)
        check_readable(tree)
        gate.check(tree, world.schema, world.settings)
        fractions.check_rounding([tree], world.schema)
        node = tree.args["where"].this
        if node.find(exp.Query, exp.AggFunc):
            return None
        compiler = Compiler(world, AggregateTable(world, lambda a, b: False, attached=False))
        compiler.reads_check = True
        values = [world.column(table, column, row) for column in table.columns]
        names = [Name(table.name.lower(), column.name.lower()) for column in table.columns]
        return truth(world.dialect, compiler.value(node, Scope(names, values, None)))
    except (Undecided, SpecificationError, RecursionError):
        return None
