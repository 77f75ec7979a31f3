"""What readers of clauses and expressions share: the state of reading one pair, and the ways back in.

A query contains expressions and an expression contains queries. Each reader of a part is a function in a file
of its own that takes a `Reader` first; `compiler.py`, the last file, supplies the abstract methods.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.aggregates.table import AggregateTable
from truespec.domains.sql.compile.scope import Denotation, Scope, Source
from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.logic import Expr, Formula
from truespec.domains.sql.ir.parts import View
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import first_rows, tied_rows
from truespec.domains.sql.rules.same_recursion import Recursion
from truespec.domains.sql.rules.walk_links import Walks
from truespec.verdict import Nondeterministic


class Reader(ABC):
    """The state of reading the queries of one pair in one world."""

    def __init__(self, world: World, aggregates: AggregateTable) -> None:
        self.world = world
        self.aggregates = aggregates
        self.side = 0
        """Which query is read: 0 for the oracle, 1 for the candidate."""
        self.depth = 0
        """How many queries enclose the current one, itself counted."""
        self.shared = 0
        """How many enclosing parts may be evaluated more than once."""
        self.outer: tuple[Expr, ...] = ()
        """Variables of the enclosing queries that a subquery may depend on."""
        self.references: Counter[str] = Counter()
        """How often each table name stands in the current query."""
        self.ctes: list[dict[str, Denotation | tuple[exp.CTE, tuple[str, ...], int]]] = []
        """Common table expressions in scope: its node, column names, and how many were in scope for the body.

        The one whose step is read stands for the round before.
        """
        self.parts: Mapping[str, View] = {}
        """CTEs and derived tables that stand for any table of their columns, by what `compile/parts.py` calls
        them."""
        self.recursions: list[Recursion] = []
        """The recursions of both queries that are proved to differ."""
        self.named: tuple[set[int], set[int]] = (set(), set())
        """Which of them each query has."""
        self.guards: tuple[Formula, ...] = ()
        """What holds wherever the current expression is evaluated: the tests of the CASEs around it."""
        self.beside: tuple[Val, ...] = ()
        """What is not false where the current expression matters: the tests beside it in an AND."""
        self.quotients: list[tuple[Formula, Formula]] = []
        """Quotients that may be infinite where nobody reads them: what holds where they are computed, and
        when they are infinite."""
        self.finite_only = False
        """Whether one of the queries would fail where it met an infinite number."""
        self.one_sort = False
        """Whether all fractions of the pair are of one sort, so that each CAST rounds as ROUND does."""
        self.makes_whole = False
        """Whether a CAST that relies on this was met."""
        self.rounds = 0
        """How many recursions enclose the current query."""
        self.ends = False
        """Whether a recursion was met that ends after a few rounds (`rules/ended_recursion.py`)."""
        self.writes_out = False
        """Whether such recursions are read as the sums of their rounds."""
        self.starts_later = False
        """Whether a recursion is read as its first part and one that begins after it."""
        self.follows_walks = False
        """Whether recursions are read as walks from row to row (`rules/walks.py`)."""
        self.walks: list[Walks] = []
        """The walks that the recursions of both queries go, one way or the other."""
        self.unending: tuple[set[int], set[int]] = (set(), set())
        """Of each query, over which of them it has recursions that may not end."""
        self.cut: tuple[set[tuple[int, int, int]], set[tuple[int, int, int]]] = (set(), set())
        """Of each query, the columns whose texts may outgrow them: of which recursion, which one, and how
        many characters it takes."""
        self.reads_check = False
        """Whether a CHECK is read: what the schema's CHECKs say of its columns is then not at hand."""
        self.numbers_ties = True
        """Whether ROW_NUMBER is read where rows may tie, as a choice."""
        self.sides_in_some_order: set[int] = set()
        """The queries with a window whose rows that tie are in some order (`rules/any_order.py`)."""
        self.compares_values = False
        """Whether a query of the pair takes values of rows by their place (FIRST_VALUE and the like)."""
        self.counts_runs = False
        """Whether a query of the pair may count the rows that begin a run, by the row before (LAG)."""

    @property
    def apart(self) -> bool:
        """Whether both queries have recursions, and none is seen to be one of the other."""
        return all(self.named) and self.named[0].isdisjoint(self.named[1])

    @property
    def dialect(self) -> Dialect:
        """What the dialect answers."""
        return self.world.dialect

    @property
    def is_whole(self) -> bool:
        """Whether the current query is the whole one, of which no planner moves a part to another place."""
        return self.depth == 1

    @abstractmethod
    def query(self, node: exp.Expr, parent: Scope | None) -> Denotation:
        """What a query denotes."""

    @abstractmethod
    def define(self, clause: exp.With, ctes: Sequence[exp.CTE]) -> None:
        """Let these common table expressions of a WITH be in scope."""

    @abstractmethod
    def table(self, node: exp.Expr, parent: Scope | None) -> Source:
        """The rows of one part of a FROM clause."""

    @abstractmethod
    def output(self, node: Any, scope: Scope) -> Val:
        """The value of an expression as a query puts it out, groups or sorts by it: an ENUM stays one."""

    @abstractmethod
    def value(self, node: Any, scope: Scope) -> Val:
        """The value of an expression as others compute with it: an ENUM is its text.

        Raises where a construct is outside the language or not modelled.
        """

    @abstractmethod
    def condition(self, node: Any, scope: Scope) -> Val:
        """An expression in a Boolean context."""

    @abstractmethod
    def aggregate(self, node: Any, scope: Scope) -> Val:
        """An aggregate function in the scope of its group."""

    @abstractmethod
    def window(self, node: exp.Window, scope: Scope) -> Val:
        """A window function in the scope of its row."""

    @abstractmethod
    def scalar_subquery(self, node: exp.Expr, scope: Scope) -> Val:
        """A query used as a value."""

    def inner(self, node: exp.Expr, scope: Scope) -> Denotation:
        """What a subquery used as a value or a condition denotes: it may be evaluated many times."""
        self.shared += 1
        above, self.outer = self.outer, tuple(scope.variables().values())
        try:
            return self.query(node, scope)
        finally:
            self.shared -= 1
            self.outer = above

    def rows(self, query: Denotation) -> Bag:
        """The tuples of a query inside another one: without order, and as many as its LIMIT keeps."""
        return (query if query.limit is None else self.limited(query)).unordered()

    def some_rows(self, query: Denotation) -> Bag:
        """The tuples of a query of which only matters whether there are any."""
        if query.limit is not None and query.limit[0] != 0 and query.limit[1] == 0:
            return query.unordered()
        return self.rows(query)

    def limited(self, query: Denotation) -> Denotation:
        """The query with its LIMIT as a condition; raises where ties leave the engine a choice."""
        if query.limit is None:
            return query
        bag = first_rows.kept(self.aggregates, query.bag, len(query.names), query.sorts, query.limit)
        first = self.first_key(query) if bag is None else None
        if first is not None:
            some = exists(self.world, query.bag.mapped(lambda outs: ()))
            return replace(query, bag=Bag((Term((), (), some, (first, first)),)), limit=None)
        bag = bag or tied_rows.kept(self.aggregates, query.bag, len(query.names), query.sorts, query.limit)
        if bag is None:
            raise Nondeterministic("sql: LIMIT where the order may leave ties")
        return replace(query, bag=bag, limit=None)

    @contextlib.contextmanager
    def where(self, *tests: Formula, alone: bool = False) -> Iterator[None]:
        """Read expressions that are evaluated only where these tests hold.

        `alone`: whatever holds around them. An aggregate's argument is computed before the CASE around it.
        """
        saved = self.guards
        self.guards = tests if alone else (*saved, *tests)
        try:
            yield
        finally:
            self.guards = saved

    def first_key(self, query: Denotation) -> Val | None:
        """`SELECT x ... ORDER BY x DESC LIMIT 1` puts out MAX(x), NULLs going last; likewise MIN."""
        if query.limit != (1, 0) or len(query.sorts) != 1 or len(query.names) != 1:
            return None
        for term in query.bag.terms:
            value, key = term.outs
            if not (value.val.eq(key.val) and value.null.eq(key.null)):
                return None
            if query.sorts[0].nulls_first and not z3.is_false(value.null):
                return None
        return self.aggregates.extreme("MAX" if query.sorts[0].descending else "MIN", query.bag.cut(1))

    def typed(self, value: Val) -> Val:
        """A value as a column or a CAST has it, which may settle the type of a literal."""
        return replace(value, literal=None) if self.dialect.cast_settles_literal else value
