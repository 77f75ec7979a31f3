"""The reader of whole queries: it joins the readers of clauses and expressions together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from truespec.domains.sql import fractions, gate
from truespec.domains.sql.aggregates.table import AggregateTable
from truespec.domains.sql.compile import unread
from truespec.domains.sql.compile.aggregate_calls import aggregate
from truespec.domains.sql.compile.denotations import each_output
from truespec.domains.sql.compile.expr.casts import MIXED
from truespec.domains.sql.compile.expr.functions import function
from truespec.domains.sql.compile.expr.table import READERS
from truespec.domains.sql.compile.ordering import tail
from truespec.domains.sql.compile.parts import part_of
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.recursion import mentions
from truespec.domains.sql.compile.scope import Denotation, Scope, Source
from truespec.domains.sql.compile.select import select
from truespec.domains.sql.compile.set_operations import set_operation, values_clause
from truespec.domains.sql.compile.sources import source_of
from truespec.domains.sql.compile.spellings import written_out
from truespec.domains.sql.compile.subqueries import scalar_subquery
from truespec.domains.sql.compile.windows import window
from truespec.domains.sql.ir.truth import truth
from truespec.domains.sql.ir.values import Val, computed
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.places import At, OfSide, place_of
from truespec.domains.sql.readable import check_readable
from truespec.verdict import Unsupported

MAX_DEPTH = 40
"""Deepest nesting of queries that is read."""


class Compiler(Reader):
    """Reads queries of one pair in one world."""

    def __init__(self, world: World, aggregates: AggregateTable) -> None:
        super().__init__(world, aggregates)
        self.trees: list[exp.Expr] = []

    def read(self, node: exp.Expr, side: int) -> Denotation:
        """What a whole query denotes, that of the oracle (0) or of the candidate (1)."""
        node = self._begun(node, side)
        with OfSide(side):
            found = self.query(node, None)
            return replace(found, bag=each_output(found.bag, computed))

    def read_part(self, node: exp.Expr, side: int, part: str) -> Source:
        """The rows of a part of a whole query, and what their columns are called."""
        node = self._begun(node, side)
        self.depth += 1  # a part is no whole query
        try:
            with OfSide(side):
                return part_of(self, node, part)
        finally:
            self.depth -= 1

    def _begun(self, node: exp.Expr, side: int) -> exp.Expr:
        """A whole query that is fit to be read, in whole or in part."""
        self.side = side
        node = written_out(node, self.dialect)
        with OfSide(side):
            check_readable(node)
            gate.check(node, self.world.schema, self.world.settings)
            unread.mark(node)
            self.trees.append(node)
            self.one_sort = fractions.check_rounding(self.trees, self.world.schema)
            if self.makes_whole and not self.one_sort:
                raise Unsupported(MIXED)
            self.references = Counter(str(table.name).lower() for table in node.find_all(exp.Table))
        return node

    def query(self, node: exp.Expr, parent: Scope | None) -> Denotation:
        self.world.limit.check()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unsupported(f"sql: queries nested deeper than {MAX_DEPTH}")
        saved = self.ctes
        try:
            with At(node), self.where(alone=True):
                return self._query(node, parent)
        finally:
            self.depth -= 1
            self.ctes = saved

    def _query(self, node: exp.Expr, parent: Scope | None) -> Denotation:
        self._with(node)
        match node:
            case exp.Select():
                return select(self, node, parent)
            case exp.SetOperation():
                return set_operation(self, node, parent)
            case exp.Subquery():
                if node.args.get("order") or node.args.get("limit") or node.args.get("offset"):
                    return tail(self, node, self.query(node.this, parent))
                return self.query(node.this, parent)
            case exp.Paren():
                return self.query(node.this, parent)
            case exp.Values():
                return values_clause(self, node, parent)
        raise Unsupported(f"sql: {type(node).__name__} where a query is expected")

    def _with(self, node: exp.Expr) -> None:
        clause = node.args.get("with_")
        if clause is not None:
            self.define(clause, clause.expressions)

    def define(self, clause: exp.With, ctes: Sequence[exp.CTE]) -> None:
        if clause.args.get("recursive"):
            names = [cte.alias.lower() for cte in clause.expressions]
            for place, cte in enumerate(clause.expressions):
                if any(mentions(cte.this, later) for later in names[place + 1 :]):
                    raise Unsupported("sql: a WITH that names a later one", place_of(clause))
        for cte in ctes:
            alias = cte.args["alias"]
            columns = tuple(str(c.name).lower() for c in alias.columns)
            scope_size = len(self.ctes)
            self.ctes = [*self.ctes, {cte.alias.lower(): (cte, columns, scope_size)}]

    def table(self, node: exp.Expr, parent: Scope | None) -> Source:
        with At(node):
            return source_of(self, node, parent)

    def output(self, node: Any, scope: Scope) -> Val:
        with At(node):
            found = scope.known(node)
            if found is not None:
                return found
            reader = READERS.get(type(node))
            if reader is not None:
                return reader(self, node, scope)
            if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
                node = node.this  # which DuckDB's ANY_VALUE is written as: it takes no NULL anyway
            if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
                return self.aggregate(node, scope)
            return function(self, node, scope)

    def value(self, node: Any, scope: Scope) -> Val:
        return computed(self.output(node, scope))

    def condition(self, node: Any, scope: Scope) -> Val:
        return truth(self.dialect, self.value(node, scope))

    def aggregate(self, node: Any, scope: Scope) -> Val:
        return aggregate(self, node, scope)

    def window(self, node: exp.Window, scope: Scope) -> Val:
        return window(self, node, scope)

    def scalar_subquery(self, node: exp.Expr, scope: Scope) -> Val:
        return scalar_subquery(self, node, scope)
