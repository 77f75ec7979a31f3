"""Queries as bags: FROM, WHERE, GROUP BY, SELECT, set operations, and what their names mean."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql import gate, windows
from truespec.domains.sql.aggregate import Aggregates
from truespec.domains.sql.bag import (
    MAX_TERMS,
    Bag,
    Group,
    Swap,
    Term,
    coerced,
    condition,
    exists,
    fresh_values,
    group_formula,
    is_tuple,
    normal,
    reduced,
    renamed,
)
from truespec.domains.sql.checks import selection
from truespec.domains.sql.places import At, OfSide, place_of
from truespec.domains.sql.readable import check_readable
from truespec.domains.sql.rules import choices, first_rows, known_flags, optional_partner
from truespec.domains.sql.rules.choices import Operator
from truespec.domains.sql.rules.first_rows import Sort, before
from truespec.domains.sql.rules.settle import settled
from truespec.domains.sql.scalar import (
    Position,
    Scalars,
    equal,
    is_true,
    null_safe_equal,
    opaque,
    truth,
)
from truespec.domains.sql.schema import Table
from truespec.domains.sql.symbols import variables
from truespec.domains.sql.text import read_query
from truespec.domains.sql.world import (
    ALWAYS_NULL,
    BARE,
    DERIVED,
    ENUM,
    FALSE,
    NULL,
    NUMBERS,
    TRUE,
    UNTYPED,
    Expr,
    Formula,
    Val,
    World,
    all_identical,
    check_compared,
    computed,
    conj,
    default_of,
    folded,
    ite,
    neg,
    to_real,
    type_of,
)
from truespec.verdict import (
    Nondeterministic,
    ReasonCode,
    SpecificationError,
    Undecided,
    Unsupported,
)

MAX_DEPTH = 40
"""Deepest nesting of queries that is read."""


@dataclass(frozen=True, slots=True)
class Name:
    """A column of a FROM clause."""

    table: str
    """Its table's alias, folded."""
    column: str
    """Its name, folded."""
    hidden: bool = False
    """Whether only a qualified name finds it: the second of two columns merged by USING."""


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """What a query denotes."""

    names: tuple[str, ...]
    """The output columns' names, folded."""
    bag: Bag
    """The tuples; after the named columns come the values of the sort keys."""
    sorts: tuple[Sort, ...] = ()
    """The sort keys."""
    limit: tuple[int | None, int] | None = None
    """LIMIT and OFFSET."""

    def unordered(self) -> Bag:
        """The bag of a query without LIMIT whose order does not matter."""
        return Bag(tuple(replace(t, outs=t.outs[: len(self.names)]) for t in self.bag.terms))


class Scope:
    """Where names are looked up: the columns of one FROM clause for one term, then the enclosing query."""

    def __init__(self, names: Sequence[Name], values: Sequence[Val], parent: Scope | None) -> None:
        self.names = names
        self.values = values
        self.parent = parent

    def known(self, node: Any) -> Val | None:
        """The value of an expression that this scope knows as a whole, such as a group key."""
        return None

    def find(self, column: exp.Column) -> int | None:
        """The position of a column; raises where the name is ambiguous."""
        table, name = column.table.lower(), column.name.lower()
        hits = [
            i
            for i, known in enumerate(self.names)
            if known.column == name and (known.table == table if table else not known.hidden)
        ]
        if len(hits) > 1:
            raise SpecificationError(ReasonCode.SCOPE, f"the column {column.sql()!r} is ambiguous")
        return hits[0] if hits else None

    def grouping(self, node: exp.Grouping) -> int:
        """The value of GROUPING(...): a bit for each argument, 1 where the grouping set is without it."""
        raise Unsupported(f"sql: {node.sql()[:60]} outside its group")

    def column(self, column: exp.Column) -> Val:
        """The value of a column."""
        if column.args.get("db") or column.args.get("catalog"):
            raise Unsupported(f"sql: the name {column.sql()!r} of several parts")
        position = self.find(column)
        if position is not None:
            return self.at(position)
        if self.parent is not None:
            return self.parent.column(column)
        raise SpecificationError(ReasonCode.SCOPE, f"unknown column {column.sql()!r}")

    def at(self, position: int) -> Val:
        """The value of the column at a position."""
        return self.values[position]

    def shown(self) -> Sequence[Val]:
        """What tells apart the rows, or the groups, for which a query below this scope is evaluated."""
        return self.values

    def variables(self) -> dict[str, Expr]:
        """The variables that what is looked up here, or further out, may depend on, by name."""
        found = {} if self.parent is None else self.parent.variables()
        for value in self.shown():
            found |= variables(value.null) | variables(value.val)
        return found


@dataclass(eq=False)
class Source:
    """A FROM clause: its columns and, for each term, their values."""

    names: tuple[Name, ...]
    """The columns."""
    bag: Bag
    """The rows; outputs are the columns' values."""


class GroupScope(Scope):
    """Names above a GROUP BY: group keys, and columns that are constant in each group."""

    def __init__(
        self,
        compiler: Compiler,
        source: Source,
        keys: Sequence[tuple[str, Val]],
        operator: Operator,
        members: Bag,
        parent: Scope | None,
        absent: Set[str] = frozenset(),
    ) -> None:
        """`absent` are the keys of other grouping sets."""
        super().__init__(source.names, (), parent)
        self.operator = operator
        self.compiler = compiler
        self.source = source
        self.keys = dict(keys)
        self.members = members  # outputs are all columns of the source
        self.absent = absent
        self._any: dict[int, Val] = {}

    def grouping(self, node: exp.Grouping) -> int:
        number = 0
        for argument in node.expressions:
            print_ = fingerprint(argument.unnest(), self)
            if print_ not in self.keys:
                raise Unsupported(f"sql: {node.sql()[:60]} of what is no key")
            number = 2 * number + (print_ in self.absent)
        return number

    def known(self, node: Any) -> Val | None:
        if not self.keys or not isinstance(node, exp.Expr) or isinstance(node, exp.Literal):
            return None
        return self.keys.get(fingerprint(node, self))

    def at(self, position: int) -> Val:
        name = f"#{position}"
        if name in self.keys:
            return self.keys[name]
        if position not in self._any:
            self._any[position] = self.compiler.constant_in_group(self, position)
        return self._any[position]

    def shown(self) -> Sequence[Val]:
        return self.operator.values

    def scope_of(self, term: Term) -> Scope:
        """The scope of one member, for the argument of an aggregate."""
        return Scope(self.names, term.outs, self.parent)


class WindowScope(Scope):
    """A scope that also knows the rows beside its own, for window functions."""

    def __init__(self, inner: Scope, siblings: Callable[[], list[tuple[Term, Scope]]]) -> None:
        super().__init__(inner.names, inner.values, inner.parent)
        self.inner = inner
        self.siblings = siblings

    def known(self, node: Any) -> Val | None:
        return self.inner.known(node)

    def grouping(self, node: exp.Grouping) -> int:
        return self.inner.grouping(node)

    def at(self, position: int) -> Val:
        return self.inner.at(position)

    def shown(self) -> Sequence[Val]:
        return self.inner.shown()


def fingerprint(node: exp.Expr, scope: Scope) -> str:
    """A text that equal expressions share, names resolved to positions; unlike ones never do."""
    if node.find(exp.Query):
        return f"query {id(node)}"
    return _structure(node, scope)


def _structure(part: Any, scope: Scope) -> str:
    """A syntax tree as text, all that the parser has kept of it included: generated SQL would drop some."""
    if isinstance(part, Position):
        return str(part.this)
    if isinstance(part, exp.Column):
        position = scope.find(part)
        if position is not None:
            return f"#{position}"
        return repr((part.table.lower(), part.name.lower()))
    if isinstance(part, exp.Expr):
        kept = ((key, value) for key, value in sorted(part.args.items()) if value not in (None, False, []))
        return f"{type(part).__name__}({', '.join(f'{k}={_structure(value, scope)}' for k, value in kept)})"
    if isinstance(part, list):
        return f"[{', '.join(_structure(item, scope) for item in part)}]"
    return repr(part)


class Compiler:
    """Reads queries of one pair in one world."""

    def __init__(self, world: World, aggregates: Aggregates) -> None:
        self.world = world
        self.aggregates = aggregates
        self.scalars = Scalars(self)
        self.depth = 0
        self.side = 0
        self.shared = 0
        self.trees: list[exp.Expr] = []
        self.outer: tuple[Expr, ...] = ()
        self.references: Counter[str] = Counter()
        self.ctes: list[dict[str, tuple[exp.Expr, tuple[str, ...], int]]] = []

    # Queries

    def read(self, node: exp.Expr, side: int) -> Relation:
        """The relation of a whole query, of the oracle (0) or the candidate (1)."""
        self.side = side
        with OfSide(side):
            check_readable(node)
            gate.check(node, self.world.schema, self.world.settings)
            self.trees.append(node)
            gate.check_rounding(self.trees, self.world.schema)
            self.references = Counter(str(table.name).lower() for table in node.find_all(exp.Table))
            relation = self.query(node, None)
            return replace(relation, bag=_through(relation.bag, computed))

    def rows(self, relation: Relation) -> Bag:
        """The tuples of a query inside another one: without order, and as many as its LIMIT keeps."""
        if relation.limit is None:
            return relation.unordered()
        return self.limited(relation).unordered()

    def some_rows(self, relation: Relation) -> Bag:
        """The tuples of a query of which only matters whether there are any."""
        if relation.limit is not None and relation.limit[0] != 0 and relation.limit[1] == 0:
            return relation.unordered()
        return self.rows(relation)

    def limited(self, relation: Relation) -> Relation:
        """The relation with its LIMIT as a condition; raises where ties leave the engine a choice."""
        if relation.limit is None:
            return relation
        bag = first_rows.kept(
            self.aggregates, relation.bag, len(relation.names), relation.sorts, relation.limit
        )
        if bag is None:
            raise Nondeterministic("sql: LIMIT where the order may leave ties")
        return replace(relation, bag=bag, limit=None)

    def inner(self, node: exp.Expr, scope: Scope) -> Relation:
        """The relation of a subquery used as a value or a condition: it may be evaluated many times."""
        self.shared += 1
        above, self.outer = self.outer, tuple(scope.variables().values())
        try:
            return self.query(node, scope)
        finally:
            self.shared -= 1
            self.outer = above

    def query(self, node: exp.Expr, parent: Scope | None) -> Relation:
        """The relation of any query."""
        self.world.limit.check()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unsupported(f"sql: queries nested deeper than {MAX_DEPTH}")
        saved = self.ctes
        try:
            with At(node):
                return self._query(node, parent)
        finally:
            self.depth -= 1
            self.ctes = saved

    def _query(self, node: exp.Expr, parent: Scope | None) -> Relation:
        self._with(node)
        match node:
            case exp.Select():
                return self._select(node, parent)
            case exp.SetOperation():
                return self._set_operation(node, parent)
            case exp.Subquery():
                if node.args.get("order") or node.args.get("limit") or node.args.get("offset"):
                    return self._tail(node, self.query(node.this, parent))
                return self.query(node.this, parent)
            case exp.Paren():
                return self.query(node.this, parent)
            case exp.Values():
                return self._values(node, parent)
        raise Unsupported(f"sql: {type(node).__name__} where a query is expected")

    def _with(self, node: exp.Expr) -> None:
        clause = node.args.get("with_")
        if clause is None:
            return
        if clause.args.get("recursive"):
            names = {cte.alias.lower() for cte in clause.expressions}
            if any(
                t.name.lower() in names for cte in clause.expressions for t in cte.this.find_all(exp.Table)
            ):
                raise Unsupported("sql: a recursive WITH", place_of(clause))
        for cte in clause.expressions:
            alias = cte.args["alias"]
            columns = tuple(str(c.name).lower() for c in alias.columns)
            scope_size = len(self.ctes)
            self.ctes = [*self.ctes, {cte.alias.lower(): (cte.this, columns, scope_size)}]

    def _values(self, node: exp.Values, parent: Scope | None) -> Relation:
        scope = Scope((), (), parent)
        terms = []
        for row in node.expressions:
            items = row.expressions if isinstance(row, exp.Tuple) else [row]
            values = [self.scalars.typed(self.scalars.value(item, scope)) for item in items]
            terms.append(Term((), (), TRUE, tuple(values)))
        (bag,) = coerced([Bag(tuple(terms))], self.world.dialect, UNTYPED)
        return Relation(tuple(f"column{i + 1}" for i in range(len(terms[0].outs))), bag)

    def _set_operation(self, node: exp.SetOperation, parent: Scope | None) -> Relation:
        left = self.query(node.this, parent)
        right = self.query(node.expression, parent)
        if len(left.names) != len(right.names):
            raise SpecificationError(ReasonCode.TYPE, "the sides of a set operation differ in width")
        sides = [
            _through(self.rows(side), computed) for side in (left, right)
        ]  # an ENUM is a text above them
        # NULLs that a set operation has united with NULLs have got a type there.
        united_before = [isinstance(part.unnest(), exp.SetOperation) for part in (node.this, node.expression)]
        sides = [
            _through(side, _seen) if done else side for side, done in zip(sides, united_before, strict=True)
        ]
        first, second = coerced(sides, self.world.dialect, UNTYPED)
        if node.args.get("by_name") or node.args.get("on"):
            raise Unsupported("sql: a set operation by name")
        distinct = node.args.get("distinct")
        if distinct is None:
            distinct = True
        match node:
            case exp.Union():
                bag = Bag(first.terms + second.terms)
                bag = self.distinct(bag) if distinct else bag
            case exp.Except() | exp.Intersect() if distinct:
                # The collation decides what equals; a representative of another side would be arbitrary.
                if self.world.collated and any(o.kind == "text" for t in first.terms for o in t.outs):
                    raise Unsupported("sql: EXCEPT or INTERSECT of texts under a collation")
                wanted = isinstance(node, exp.Intersect)
                terms = []
                for term in self.distinct(first).terms:
                    matching = [
                        replace(o, cond=conj(o.cond, all_identical(term.outs, o.outs)), outs=())
                        for o in (renamed(self.world, other) for other in second.terms)
                    ]
                    found = exists(self.world, Bag(tuple(matching)))
                    terms.append(replace(term, cond=conj(term.cond, found if wanted else neg(found))))
                bag = Bag(tuple(terms))
            case _:
                raise Unsupported(f"sql: {type(node).__name__.upper()} ALL")
        return self._tail(node, Relation(left.names, bag))

    def _tail(self, node: exp.Expr, relation: Relation) -> Relation:
        """ORDER BY and LIMIT above a set operation or a parenthesised query: keys are output columns."""
        order = node.args.get("order")
        sorts: list[Sort] = []
        terms = list(self.rows(relation).terms)
        if order is not None:
            for key in order.expressions:
                position = self._output_position(key.this, relation.names)
                if position is None:
                    raise Unsupported(
                        f"sql: ORDER BY {key.this.sql()[:40]} above a set operation", place_of(key)
                    )
                terms = [replace(t, outs=(*t.outs, self._sort_key(key, t.outs[position]))) for t in terms]
                sorts.append(_sort(key))
        return Relation(relation.names, Bag(tuple(terms)), tuple(sorts), self._limit(node))

    def _output_position(self, node: exp.Expr, names: Sequence[str]) -> int | None:
        if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
            if not 1 <= int(node.this) <= len(names):
                raise SpecificationError(ReasonCode.SCOPE, f"there is no output column {node.this}")
            return int(node.this) - 1
        if isinstance(node, exp.Column) and not node.table:
            hits = [i for i, name in enumerate(names) if name == node.name.lower()]
            return hits[0] if len(hits) == 1 else None
        return None

    def _limit(self, node: exp.Expr) -> tuple[int | None, int] | None:
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if limit is None and offset is None:
            return None
        if isinstance(limit, exp.Fetch):
            options = limit.args.get("limit_options")
            if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
                raise Unsupported(f"sql: {limit.sql()[:40]}", place_of(limit))
            limit = exp.Limit(expression=limit.args.get("count") or exp.Literal.number(1))
        numbers: list[int | None] = []
        for part in (limit, offset):
            literal = None if part is None else part.expression
            if part is not None and not (isinstance(literal, exp.Literal) and literal.this.isdigit()):
                raise Unsupported("sql: a LIMIT that is no literal number", place_of(part))
            numbers.append(None if literal is None else int(literal.this))
        return numbers[0], numbers[1] or 0

    # FROM

    def _table(self, node: exp.Expr, parent: Scope | None) -> Source:
        with At(node):
            return self._source(node, parent)

    def _source(self, node: exp.Expr, parent: Scope | None) -> Source:
        alias = node.alias.lower() if node.alias else ""
        match node:
            case exp.Table():
                if node.args.get("joins"):
                    inner = self._table(_without(node, "joins"), parent)
                    return self._joins(inner, node.args["joins"], parent)
                if not isinstance(node.this, exp.Identifier):
                    raise Unsupported(f"sql: the table function {node.sql()[:40]}")
                for extra in ("pivots", "sample", "version", "when", "partition"):
                    if node.args.get(extra):
                        raise Unsupported(f"sql: {extra} of a table")
                return self._named_table(node, alias)
            case exp.Subquery():
                if node.args.get("joins"):
                    inner = self._table(_without(node, "joins"), parent)
                    return self._joins(inner, node.args["joins"], parent)
                if isinstance(node.this, exp.Table | exp.Subquery) and not isinstance(node.this, exp.Query):
                    return self._table(node.this, parent)
                if isinstance(node.this, exp.Subquery) and not alias:
                    return self._table(node.this, parent)
                # A derived table does not see its siblings; an enclosing query it may see where SQL allows.
                relation = self.query(node.this, parent)
                columns = node.args["alias"].columns if node.args.get("alias") else []
                names = [str(c.name).lower() for c in columns] or list(relation.names)
                return self._derived(relation, names, alias)
            case exp.Paren():
                return self._table(node.this, parent)
            case exp.Values():
                relation = self._values(node, parent)
                columns = node.args["alias"].columns if node.args.get("alias") else []
                names = [str(c.name).lower() for c in columns] or list(relation.names)
                return self._derived(relation, names, alias)
        raise Unsupported(f"sql: {type(node).__name__} in FROM")

    def _derived(self, relation: Relation, names: list[str], alias: str) -> Source:
        if len(names) != len(relation.names):
            raise SpecificationError(ReasonCode.SCOPE, f"{alias or 'a derived table'} has too many names")
        if len(set(names)) != len(names) and self.world.dialect == "mysql":
            raise SpecificationError(
                ReasonCode.SCOPE, f"the derived table {alias!r} has one column name twice"
            )
        # Seen from outside, PostgreSQL has NULLs without a type as texts.
        goal = "text" if self.world.dialect == "postgres" else BARE
        bag = Bag(
            tuple(
                replace(t, outs=tuple(_null_of(goal) if o.kind == UNTYPED else o for o in t.outs))
                for t in self.rows(relation).terms
            )
        )
        return Source(tuple(Name(alias, name) for name in names), bag)

    def _named_table(self, node: exp.Table, alias: str) -> Source:
        name = node.name.lower()
        if node.args.get("db") or node.args.get("catalog"):
            raise Unsupported(f"sql: the table name {node.sql()[:60]!r} of several parts")
        for position in range(len(self.ctes) - 1, -1, -1):
            if name in self.ctes[position]:
                body, columns, size = self.ctes[position][name]
                saved, self.ctes = self.ctes, self.ctes[:size]
                several = self.references.get(name, 2) > 1
                self.shared += several
                try:
                    relation = self.query(body, None)
                finally:
                    self.ctes = saved
                    self.shared -= several
                return self._derived(relation, list(columns or relation.names), alias or name)
        try:
            table = self.world.schema.table(name)
        except KeyError:
            raise SpecificationError(ReasonCode.SCOPE, f"unknown table {node.name!r}") from None
        row = self.world.fresh_row(table)
        values = tuple(self.world.column(table, column, row) for column in table.columns)
        names = tuple(Name(alias or name, column.name.lower()) for column in table.columns)
        return Source(names, Bag((Term(((row, table),), (), self.world.in_table(table, row), values),)))

    def _joins(self, left: Source, joins: Sequence[exp.Join], parent: Scope | None) -> Source:
        for join in joins:
            self.world.limit.check()
            with At(join):
                left = self._join(left, join, parent)
        return left

    def _join(self, left: Source, join: exp.Join, parent: Scope | None) -> Source:
        right = self._table(join.this, parent)
        side, kind = (join.side or "").upper(), (join.kind or "").upper()
        if (join.method or "").upper() not in ("", "NATURAL") or kind not in ("", "INNER", "OUTER", "CROSS"):
            raise Unsupported(f"sql: {join.method} {kind} JOIN".replace("  ", " "))
        taken = {name.table for name in left.names if name.table} & {n.table for n in right.names if n.table}
        if taken:
            raise SpecificationError(ReasonCode.SCOPE, f"the table name {sorted(taken)[0]!r} is used twice")
        merged = [str(part.name).lower() for part in join.args.get("using") or ()]
        if (join.method or "").upper() == "NATURAL":
            theirs = {name.column for name in right.names if not name.hidden}
            merged = [n.column for n in left.names if not n.hidden and n.column in theirs]
        elif self.world.dialect == "mysql":
            merged = [n.column for n in left.names if not n.hidden and n.column in merged] or merged
        on = join.args.get("on")
        if on is None and not merged and side and self.world.dialect != "duckdb":
            raise SpecificationError(ReasonCode.SYNTAX, f"{side} JOIN without a condition")
        names = left.names + right.names

        def matches(one: Term, two: Term) -> Formula:
            scope = Scope(names, one.outs + two.outs, parent)
            parts = [] if on is None else [is_true(self.scalars.condition(on, scope))]
            for column in merged:
                a = Scope(left.names, one.outs, None).column(exp.column(column))
                b = Scope(right.names, two.outs, None).column(exp.column(column))
                parts.append(is_true(equal(self.world, a, b)))
            return conj(*parts)

        pairs = [(one, two, matches(one, two)) for one in left.bag.terms for two in right.bag.terms]
        if side == "LEFT" and len(right.bag.terms) == 1:
            joined = [
                optional_partner.apply(self.world, one, replace(two, cond=conj(two.cond, both)))
                for one, two, both in pairs
            ]
            if None not in joined:
                bag = Bag(tuple(known_flags.apply(self.world, term) for term in joined if term is not None))
                return (
                    self._using(left, right, merged, side, list(bag.terms)) if merged else Source(names, bag)
                )
        terms = [
            Term(
                one.rows + two.rows,
                one.groups + two.groups,
                conj(one.cond, two.cond, both),
                one.outs + two.outs,
            )
            for one, two, both in pairs
        ]
        if side in ("LEFT", "FULL"):
            for one in left.bag.terms:
                partners = [
                    Term(two.rows, two.groups, conj(two.cond, both), ()) for o, two, both in pairs if o is one
                ]
                nulls = tuple(_null_of(out.kind) for out in _kinds(right.bag))
                alone = neg(exists(self.world, Bag(tuple(partners))))
                terms.append(replace(one, cond=conj(one.cond, alone), outs=one.outs + nulls))
        if side in ("RIGHT", "FULL"):
            for two in right.bag.terms:
                partners = [
                    Term(one.rows, one.groups, conj(one.cond, both), ()) for one, t, both in pairs if t is two
                ]
                nulls = tuple(_null_of(out.kind) for out in _kinds(left.bag))
                alone = neg(exists(self.world, Bag(tuple(partners))))
                terms.append(replace(two, cond=conj(two.cond, alone), outs=nulls + two.outs))
        terms = _some([known_flags.apply(self.world, reduced(self.world, t)) for t in terms])
        if len(terms) > MAX_TERMS:
            raise Unsupported(f"sql: joins that expand to {len(terms)} cases")
        if not merged:
            return Source(names, Bag(tuple(terms)))
        return self._using(left, right, merged, side, terms)

    def _using(self, left: Source, right: Source, merged: list[str], side: str, terms: list[Term]) -> Source:
        """USING and NATURAL: merged columns come first, in SQLite and DuckDB in their place on the left.

        Those that were merged stay reachable by table.
        """
        if side == "RIGHT" and self.world.dialect == "mysql":
            raise Unsupported("sql: RIGHT JOIN with USING or NATURAL, whose columns MariaDB orders by side")
        width = len(left.names)
        moved = self.world.dialect in ("mysql", "postgres")
        order: dict[int, int] = {}
        names: list[Name] = []
        picks: list[Callable[[tuple[Val, ...]], Val]] = []
        for column in merged:
            i = next(i for i, n in enumerate(left.names) if n.column == column and not n.hidden)
            j = width + next(j for j, n in enumerate(right.names) if n.column == column and not n.hidden)
            order[len(names)] = -1 if moved else i
            names.append(Name("", column))
            if side == "FULL":
                picks.append(
                    lambda outs, i=i, j=j: Val(  # type: ignore[misc]
                        conj(outs[i].null, outs[j].null),
                        ite(outs[i].null, outs[j].val, outs[i].val),
                        outs[i].kind if outs[i].kind == outs[j].kind else computed(outs[i]).kind,
                    )
                )
            else:
                picks.append(lambda outs, k=j if side == "RIGHT" else i: outs[k])  # type: ignore[misc]
        for position, name in enumerate(left.names + right.names):
            hidden = name.hidden or name.column in merged
            order[len(names)] = position
            names.append(replace(name, hidden=hidden))
            picks.append(lambda outs, k=position: outs[k])  # type: ignore[misc]
        places = sorted(order, key=lambda place: order[place])
        picks = [picks[place] for place in places]
        bag = Bag(tuple(replace(t, outs=tuple(pick(t.outs) for pick in picks)) for t in terms))
        return Source(tuple(names[place] for place in places), bag)

    def _from(self, node: exp.Select, parent: Scope | None) -> Source:
        clause = node.args.get("from_")
        if clause is None:
            source = Source((), Bag((Term((), (), TRUE, ()),)))
        else:
            source = self._table(clause.this, parent)
        source = self._joins(source, node.args.get("joins") or [], parent)
        if node.args.get("laterals"):
            raise Unsupported("sql: LATERAL", place_of(node.args["laterals"][0]))
        where = node.args.get("where")
        if where is None:
            return source
        terms = []
        for term in source.bag.terms:
            scope = Scope(source.names, term.outs, parent)
            test = is_true(self.scalars.condition(where.this, scope))
            terms.append(
                known_flags.apply(self.world, reduced(self.world, replace(term, cond=conj(term.cond, test))))
            )
        return Source(source.names, self.possible(Bag(tuple(_some(terms)))))

    def possible(self, bag: Bag) -> Bag:
        """The bag without terms that the schema rules out; asked only where terms are many."""
        if len(bag.terms) < 2:
            return bag
        kept = tuple(t for t in bag.terms if not self.world.impossible(condition(self.world, t), 4))
        return Bag(kept or (replace(bag.terms[0], cond=FALSE),))

    # SELECT

    def _select(self, node: exp.Select, parent: Scope | None) -> Relation:
        for part in (
            "qualify",
            "connect",
            "match",
            "cluster",
            "distribute",
            "into",
            "locks",
            "kind",
            "pivots",
        ):
            if node.args.get(part):
                raise Unsupported(f"sql: {part.upper()}", place_of(node.args[part]))
        source = self._from(node, parent)
        items = self._items(node, source)
        if self.world.dialect == "mysql":
            self._check_merged(node, source, items)
        order = node.args.get("order")
        keys = [] if order is None else order.expressions
        having, group = node.args.get("having"), node.args.get("group")
        searched = [item for _, item in items] + [key.this for key in keys]
        searched += [having.this] if having is not None else []
        aggregated = any(map(_has_aggregate, searched))
        if group is not None or aggregated or having is not None:
            if group is None and not aggregated and self.world.dialect == "mysql":
                # MySQL reads HAVING without groups as a second WHERE over the output names.
                terms = self._plain(source, parent, items, having)
            else:
                terms = self._grouped(source, parent, items, group, having)
        else:
            terms = self._plain(source, parent, items, None)
        names = tuple(name for name, _ in items)
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise Unsupported("sql: DISTINCT ON", place_of(distinct))
        rows: list[Term] = []
        positions: list[int | None] = []  # of the sort keys among the outputs, the same in every term
        aliases = dict(items)
        for term, scope in terms:
            # A Boolean's short form serves its own expression: rules that rewrite outputs do not see it.
            outs = tuple(
                replace(self.scalars.typed(self.scalars.output(item, scope)), sides=None) for _, item in items
            )
            extra = []
            positions = [self._order_position(key.this, items, scope) for key in keys]
            for key, position in zip(keys, positions, strict=True):
                if position is not None:
                    value = outs[position]
                else:
                    if distinct is not None:
                        raise Unsupported("sql: ORDER BY of what DISTINCT has dropped", place_of(key))
                    value = self.scalars.output(_inline(key.this, aliases, scope), scope)
                extra.append(self._sort_key(key, value))
            rows.append(Term(term.rows, term.groups, term.cond, (*outs, *extra)))
        (bag,) = coerced([Bag(tuple(rows))], self.world.dialect, UNTYPED)
        if not rows:
            bag = Bag(())
        if distinct is not None:
            width = len(names)
            base = Bag(tuple(replace(t, outs=t.outs[:width]) for t in bag.terms))
            base = self.distinct(base)
            kept = [(key, p) for key, p in zip(keys, positions, strict=False) if p is not None]
            bag = Bag(
                tuple(
                    replace(t, outs=(*t.outs, *(self._sort_key(key, t.outs[p]) for key, p in kept)))
                    for t in base.terms
                )
            )
        return Relation(names, bag, tuple(map(_sort, keys)), self._limit(node))

    def _sort_key(self, node: exp.Expr, value: Val) -> Val:
        """The value as ORDER BY has it: an ENUM by its position.

        In MariaDB all but a column of that type is a text; DuckDB keeps the type in many expressions.
        """
        if value.kind in ALWAYS_NULL:
            return _null_of("int")
        if value.kind.startswith(ENUM):
            return self.world.place(value)
        if value.kind.endswith(DERIVED) and self.world.dialect == "mysql":
            raise Unsupported(f"sql: an order by an expression of type {type_of(value)}", place_of(node))
        if value.kind == "text" and self.world.enums and self.world.dialect != "mysql":
            raise Unsupported(
                "sql: an order by a text beside ENUM columns, which order by position", place_of(node)
            )
        return value

    def _check_merged(self, node: exp.Select, source: Source, items: list[tuple[str, exp.Expr]]) -> None:
        """No key is the bare name of a column merged by USING that is another output's, or its column's.

        MariaDB looks such a name up among the outputs first, in GROUP BY, HAVING, ORDER BY and windows.
        """
        merged = {name.column: i for i, name in enumerate(source.names) if not (name.table or name.hidden)}
        if not merged:
            return
        keys: list[Any] = [node.args.get(part) for part in ("group", "having", "order")]
        for part in [item for _, item in items] + [key for key in keys if key is not None]:
            for window in part.find_all(exp.Window):
                keys += [*(window.args.get("partition_by") or []), window.args.get("order")]
        for key in keys:
            for column in () if key is None else key.find_all(exp.Column):
                name = column.name.lower()
                if column.table or name not in merged:
                    continue
                for output, item in items:
                    if output == name or (
                        isinstance(item.unnest(), exp.Column) and item.name.lower() == name
                    ):
                        self._check_same(column, merged[name], item.unnest(), source)

    def _check_same(self, column: exp.Column, position: int, item: exp.Expr, source: Source) -> None:
        """Raise `Unsupported` unless an output is the merged column that has this name."""
        other: int | None = None
        if isinstance(item, Position):
            other = int(item.this[1:])
        elif isinstance(item, exp.Column):
            other = Scope(source.names, (), None).find(item)
        for term in source.bag.terms:
            one, two = term.outs[position], None if other is None else term.outs[other]
            if two is None or not (one.val.eq(two.val) and one.null.eq(two.null)):
                raise Unsupported(
                    f"sql: the name {column.name!r} of a column that a join merges, beside the output "
                    f"{item.sql()[:40]!r}",
                    place_of(column),
                )

    def _items(self, node: exp.Select, source: Source) -> list[tuple[str, exp.Expr]]:
        """Output names and expressions; stars become columns."""
        items: list[tuple[str, exp.Expr]] = []
        for item in node.expressions:
            inner = item.this if isinstance(item, exp.Alias) else item
            if isinstance(inner, exp.Star) or (
                isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
            ):
                star = inner if isinstance(inner, exp.Star) else inner.this
                if any(star.args.get(k) for k in ("except_", "replace", "rename", "except")):
                    raise Unsupported("sql: * EXCEPT", place_of(inner))
                table = inner.table.lower() if isinstance(inner, exp.Column) else ""
                hits = [
                    (i, n)
                    for i, n in enumerate(source.names)
                    if (n.table == table if table else not n.hidden)
                ]
                if not hits:
                    raise SpecificationError(ReasonCode.SCOPE, f"{inner.sql()} stands for no column")
                items += [(n.column, Position(this=f"#{i}")) for i, n in hits]
            else:
                items.append((str(item.unnest().alias_or_name).lower(), inner))
        return items

    def _order_position(self, node: exp.Expr, items: list[tuple[str, exp.Expr]], scope: Scope) -> int | None:
        position = self._output_position(node, [name for name, _ in items])
        if position is not None:
            return position
        node = node.unnest()
        for i, (_, item) in enumerate(items):
            item = item.unnest()
            if item == node:
                return i
            if isinstance(node, exp.Column):
                here = scope.find(node)
                if here is not None and fingerprint(item, scope) == f"#{here}":
                    return i
        return None

    def _plain(
        self,
        source: Source,
        parent: Scope | None,
        items: list[tuple[str, exp.Expr]],
        having: exp.Having | None,
    ) -> list[tuple[Term, Scope]]:
        terms = list(source.bag.terms)
        if having is not None:
            kept = []
            for term in terms:
                scope = Scope(source.names, term.outs, parent)
                node = _inline(having.this, dict(items), scope)
                test = is_true(self.scalars.condition(node, scope))
                kept.append(replace(term, cond=conj(term.cond, test)))
            terms = kept

        def siblings() -> list[tuple[Term, Scope]]:
            copies = [renamed(self.world, term) for term in terms]
            return [(copy, Scope(source.names, copy.outs, parent)) for copy in copies]

        return [(term, WindowScope(Scope(source.names, term.outs, parent), siblings)) for term in terms]

    def _grouped(
        self,
        source: Source,
        parent: Scope | None,
        items: list[tuple[str, exp.Expr]],
        group: exp.Group | None,
        having: exp.Having | None,
    ) -> list[tuple[Term, Scope]]:
        sets = self._grouping_sets(source, parent, items, group)
        every: list[tuple[str, exp.Expr]] = []
        for keys in sets:
            every += [key for key in keys if key[0] not in [known for known, _ in every]]
        result: list[tuple[Term, Scope]] = []
        for keys in sets:
            absent = [key for key in every if key[0] not in [known for known, _ in keys]]
            result += self._grouped_by(source, parent, items, having, keys, absent, len(sets) > 1)

        def siblings() -> list[tuple[Term, Scope]]:
            # Choices made for the copies are their own; the proof then holds whatever they are.
            self.shared += 1
            try:
                return self._grouped(source, parent, items, group, having)
            finally:
                self.shared -= 1

        return [(t, WindowScope(s, siblings)) for t, s in result]

    def _grouped_by(
        self,
        source: Source,
        parent: Scope | None,
        items: list[tuple[str, exp.Expr]],
        having: exp.Having | None,
        keys: list[tuple[str, exp.Expr]],
        absent: list[tuple[str, exp.Expr]],
        several: bool,
    ) -> list[tuple[Term, Scope]]:
        """The groups of one grouping set; keys of the other sets are NULL."""
        world = self.world
        known: list[tuple[str, Val]] = []
        for print_, key in absent:
            outs = [
                self.scalars.output(key, Scope(source.names, t.outs, parent)) for t in source.bag.terms[:1]
            ]
            known += [(print_, _null_of(out.kind)) for out in outs]
        others = frozenset(print_ for print_, _ in absent)
        if not keys:
            term = Term((), (), TRUE, ())
            operator = self._operator((), source.bag)
            scope = GroupScope(self, source, known, operator, source.bag, parent, others)
            return self._with_having([(term, scope)], items, having)
        if not source.bag.terms:
            return []
        member_keys: list[tuple[Val, ...]] = []
        for term in source.bag.terms:
            plain = Scope(source.names, term.outs, parent)
            member_keys.append(tuple(self.scalars.output(key, plain) for _, key in keys))
        (keyed,) = coerced(
            [Bag(tuple(replace(t, outs=k) for t, k in zip(source.bag.terms, member_keys, strict=True)))],
            world.dialect,
        )
        classes = self._classes(keyed)
        nullable = [any(not z3.is_false(t.outs[i].null) for t in classes.terms) for i in range(len(keys))]
        values = fresh_values(world, classes.terms[0].outs, nullable)
        whole = _range(values, classes)
        members = _members_of(values, source.bag, classes)

        def above(operator: Operator) -> tuple[GroupScope, Swap]:
            """The scope above the groups; and what the classes of chosen texts are."""
            named = list(known)
            same: Swap = []
            for index, (print_, _) in enumerate(keys):
                value = values[index]
                if value.kind == "class":
                    stands = self._representative(operator, tuple(k.outs[index] for k in keyed.terms))
                    same.append((world.collation(stands.val), value.val))
                    if not z3.is_false(stands.null):
                        same.append((stands.null, value.null))
                    value = stands
                named.append((print_, value))
            return GroupScope(self, source, named, operator, members, parent, others), same

        kept: Formula = TRUE
        if having is not None and world.dialect == "mysql":
            # A choice for a group that HAVING drops is nobody's: only the others count.
            scope, same = above(Operator(self.side, False, values, members.terms, self.outer))
            test = is_true(self.scalars.condition(_inline(having.this, dict(items), scope), scope))
            kept = choices.without_choices(self.aggregates, z3.substitute(test, *same) if same else test)
            given = conj(kept, group_formula(world, whole))
            never = [
                value.kind == "class" and not z3.is_false(value.null) and world.holds(given, neg(value.null))
                for value in values
            ]
            if any(never):
                gone = [(v.null, FALSE) for v, strict in zip(values, never, strict=True) if strict]
                kept = folded(z3.substitute(kept, *gone))
                pairs = zip(values, never, strict=True)
                values = tuple(replace(v, null=FALSE) if strict else v for v, strict in pairs)
                whole = _range(values, classes)
                members = _members_of(values, source.bag, classes)
        narrowed = Bag(tuple(replace(t, cond=conj(t.cond, kept)) for t in members.terms))
        scope, _ = above(self._operator(values, narrowed))
        return self._with_having([(Term((), (whole,), kept, ()), scope)], items, having)

    def _grouping_sets(
        self,
        source: Source,
        parent: Scope | None,
        items: list[tuple[str, exp.Expr]],
        group: exp.Group | None,
    ) -> list[list[tuple[str, exp.Expr]]]:
        """The lists of keys to group by: one, unless ROLLUP, CUBE or GROUPING SETS ask for several."""
        if group is None:
            return [[]]
        for part in ("rollup", "cube", "grouping_sets", "totals", "all"):
            if group.args.get(part):
                raise Unsupported(f"sql: GROUP BY ... {part.upper()}", place_of(group))
        choices_: list[list[list[exp.Expr]]] = []
        for key in group.expressions:
            if not isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets):
                choices_.append([[key]])
                continue
            units = [_members(unit) for unit in key.expressions]
            if any(isinstance(u, exp.Rollup | exp.Cube | exp.GroupingSets) for unit in units for u in unit):
                raise Unsupported("sql: nested GROUPING SETS", place_of(key))
            match key:
                case exp.GroupingSets():
                    choices_.append(units)
                case exp.Rollup():
                    choices_.append([list(itertools.chain(*units[:n])) for n in range(len(units), -1, -1)])
                case _:
                    picks = itertools.product([True, False], repeat=len(units))
                    choices_.append(
                        [list(itertools.chain(*itertools.compress(units, pick))) for pick in picks]
                    )
        plain = all(len(choice) == 1 for choice in choices_)
        combinations = list(itertools.product(*choices_))
        if len(combinations) > 32:
            raise Unsupported(f"sql: {len(combinations)} grouping sets", place_of(group))
        sets = [
            self._group_keys(source, parent, items, list(itertools.chain(*combination)))
            for combination in combinations
        ]
        if plain and not sets[0]:
            raise Unsupported("sql: GROUP BY constants only", place_of(group))
        return sets

    def _classes(self, keyed: Bag) -> Bag:
        """Group keys as grouping compares them: texts under a collation by their class."""
        for term in keyed.terms:
            check_compared(term.outs)
        if not self.world.collated:
            return keyed
        return Bag(
            tuple(
                replace(
                    t,
                    outs=tuple(
                        Val(o.null, self.world.key_expression(o), "class")
                        if computed(o).kind == "text"
                        else o
                        for o in t.outs
                    ),
                )
                for t in keyed.terms
            )
        )

    def _operator(self, values: tuple[Val, ...], members: Bag) -> Operator:
        operator = Operator(self.side, self.shared == 0, values, members.terms, self.outer)
        self.aggregates.operators.append(operator)
        return operator

    def _representative(self, operator: Operator, column: tuple[Val, ...]) -> Val:
        """The value that stands for a group: the one that all rows share, or one that the engine chooses."""
        bag = Bag(tuple(replace(t, outs=(out,)) for t, out in zip(operator.members, column, strict=True)))
        if self.aggregates.agree(bag):
            return self.aggregates.any(bag)
        return choices.choose(self.aggregates, operator, column)

    def _with_having(
        self,
        terms: list[tuple[Term, GroupScope]],
        items: list[tuple[str, exp.Expr]],
        having: exp.Having | None,
    ) -> list[tuple[Term, Scope]]:
        if having is None:
            return list(terms)
        done: list[tuple[Term, Scope]] = []
        for term, scope in terms:
            node = _inline(having.this, dict(items), scope)
            test = is_true(self.scalars.condition(node, scope))
            done.append((replace(term, cond=conj(term.cond, test)), scope))
        return done

    def _group_keys(
        self,
        source: Source,
        parent: Scope | None,
        items: list[tuple[str, exp.Expr]],
        expressions: list[exp.Expr],
    ) -> list[tuple[str, exp.Expr]]:
        blank = Scope(source.names, (), parent)
        keys: list[tuple[str, exp.Expr]] = []
        for key in expressions:
            key = key.unnest() if isinstance(key, exp.Paren) else key
            if isinstance(key, exp.Literal) and not key.is_string:
                if not key.this.isdigit() or not 1 <= int(key.this) <= len(items):
                    raise SpecificationError(ReasonCode.SCOPE, f"there is no output column {key.this}")
                key = items[int(key.this) - 1][1]
            elif self._is_output(key, items, blank):
                key = next(item for name, item in items if name == key.name.lower())
            elif isinstance(key, exp.Column) and not key.table and blank.find(key) is None:
                hits = [item for name, item in items if name == key.name.lower()]
                if hits:
                    key = hits[0]
            elif (
                isinstance(key, exp.Column)
                and not key.table
                and self.world.dialect in ("sqlite", "duckdb")
                and any(
                    n == key.name.lower() and fingerprint(i, blank) != fingerprint(key, blank)
                    for n, i in items
                )
            ):
                raise Unsupported(
                    f"sql: GROUP BY {key.name}, both a column and an output name", place_of(key)
                )
            if isinstance(key, exp.Literal | exp.Null):
                continue
            print_ = fingerprint(key, blank)
            if print_ not in [known for known, _ in keys]:
                keys.append((print_, key))
        return keys

    def _is_output(self, key: exp.Expr, items: list[tuple[str, exp.Expr]], scope: Scope) -> bool:
        """Whether MySQL reads an ambiguous name in GROUP BY as the one output of that name."""
        if not isinstance(key, exp.Column) or key.table or self.world.dialect != "mysql":
            return False
        try:
            scope.find(key)
        except SpecificationError:
            return len([name for name, _ in items if name == key.name.lower()]) == 1
        return False

    def constant_in_group(self, scope: GroupScope, position: int) -> Val:
        """A column that is no group key: its value where all rows of the group share it."""
        name = scope.names[position]
        world = self.world
        strict = (world.settings.sql_mode or "").upper()
        if world.dialect == "duckdb" or (world.dialect == "mysql" and "ONLY_FULL_GROUP_BY" in strict):
            raise Unsupported(f"sql: the column {name.column!r} is not in GROUP BY")
        column = tuple(t.outs[position] for t in scope.members.terms)
        if not scope.operator.values:
            bag = Bag(tuple(replace(t, outs=(t.outs[position],)) for t in scope.members.terms))
            if not self.aggregates.agree(bag):
                raise Nondeterministic(f"sql: the column {name.column!r} is not determined by the groups")
            return self.aggregates.any(bag)
        if world.dialect != "mysql":
            # SQLite takes such a column from the row that holds MIN or MAX, PostgreSQL refuses it.
            bag = Bag(tuple(replace(t, outs=(t.outs[position],)) for t in scope.members.terms))
            if not self.aggregates.agree(bag):
                raise Nondeterministic(f"sql: the column {name.column!r} is not determined by the groups")
        return self._representative(scope.operator, column)

    def distinct(self, bag: Bag) -> Bag:
        """DISTINCT over all columns."""
        if not bag.terms:
            return bag
        (bag,) = coerced([bag], self.world.dialect, UNTYPED)
        classes = self._classes(bag)
        width = range(len(bag.terms[0].outs))
        nullable = [any(not z3.is_false(t.outs[i].null) for t in classes.terms) for i in width]
        values = fresh_values(self.world, classes.terms[0].outs, nullable)
        body = Bag(tuple(replace(t, outs=tuple(map(normal, t.outs))) for t in classes.terms))
        outs = list(values)
        if any(value.kind == "class" for value in values):
            members = Bag(
                tuple(
                    replace(t, cond=conj(t.cond, is_tuple(values, c.outs)))
                    for t, c in zip(bag.terms, classes.terms, strict=True)
                )
            )
            operator = self._operator(values, members)
            for i in width:
                if values[i].kind == "class":
                    outs[i] = self._representative(operator, tuple(t.outs[i] for t in bag.terms))
        return Bag((Term((), (Group(values, body),), TRUE, tuple(outs)),))

    # Aggregates, windows and scalar subqueries

    def aggregate(self, node: Any, scope: Scope) -> Val:
        """An aggregate in the scope of its group."""
        while isinstance(scope, WindowScope):
            scope = scope.inner
        if not isinstance(scope, GroupScope):
            raise Unsupported(f"sql: the aggregate {node.sql()[:40]} outside its group")
        members = [(term, scope.scope_of(term)) for term in scope.members.terms]
        return self._aggregate(node, members)

    def _aggregate(self, node: Any, members: list[tuple[Term, Scope]]) -> Val:
        if isinstance(node, exp.Filter):
            kept = []
            for term, scope in members:
                test = is_true(self.scalars.condition(node.expression.this, scope))
                kept.append((replace(term, cond=conj(term.cond, test)), scope))
            return self._aggregate(node.this, kept)
        name, argument = type(node).__name__, node.this
        distinct = isinstance(argument, exp.Distinct)
        arguments = argument.expressions if distinct else [argument]
        if name == "Count" and not distinct and (argument is None or isinstance(argument, exp.Star)):
            return self.aggregates.count(Bag(tuple(replace(t, outs=()) for t, _ in members)))
        if name == "Count" and getattr(node, "expressions", None):
            raise Unsupported("sql: COUNT of several columns")
        if name == "Count" and len(arguments) > 1:
            return self._count_tuples(arguments, members)
        if len(arguments) != 1 or isinstance(arguments[0], exp.Order | exp.Limit | exp.Star | None):
            raise Unsupported(f"sql: {node.sql()[:60]}")
        for key, part in node.args.items():
            if key not in ("this", "big_int") and part:
                raise Unsupported(f"sql: {node.sql()[:60]}")
        # MIN and MAX tell an ENUM from its text, others do not.
        read = self.scalars.output if name in ("Min", "Max") else self.scalars.value
        terms = [replace(t, outs=(read(arguments[0], s),)) for t, s in members]
        if not terms:
            if name != "Count":
                raise Unsupported(f"sql: {name.upper()} over no rows, whose type is not known")
            return Val(FALSE, z3.IntVal(0), "int")
        (bag,) = coerced([Bag(tuple(terms))], self.world.dialect)
        if name in ("Sum", "Avg") and any(
            t.outs[0].kind not in (*NUMBERS, "bool", "null") for t in bag.terms
        ):
            raise Unsupported(f"sql: {name.upper()} of a value of type {bag.terms[0].outs[0].kind}")
        if distinct and name in ("Count", "Sum", "Avg"):
            bag = self.aggregates.distinct(bag)
        match name:
            case "Count":
                return self.aggregates.count(self.aggregates.filled(bag))
            case "Sum":
                return self.aggregates.sum(bag)
            case "Avg":
                return self.aggregates.average(bag)
            case "Min" | "Max":
                return self.aggregates.extreme(name.upper(), bag)
            case "StddevPop" | "VariancePop" if not distinct:
                return self._variance(bag, name == "StddevPop")
            case "AnyValue" if self.aggregates.agree(self.aggregates.filled(bag)):
                return self.aggregates.any(self.aggregates.filled(bag))
            case "BitwiseAndAgg" | "BitwiseOrAgg" | "BitwiseXorAgg" | "LogicalAnd" | "LogicalOr":
                if self.world.dialect == "mysql":
                    raise Unsupported(f"sql: the aggregate {name.upper()}")
                return self.aggregates.unknown(name, self.aggregates.distinct(bag) if distinct else bag)
        raise Unsupported(f"sql: the aggregate {name.upper()}")

    def _variance(self, bag: Bag, root: bool) -> Val:
        """The population's variance by its sums, and the root of it."""
        filled = self.aggregates.filled(bag)
        squares = Bag(
            tuple(
                replace(t, outs=(Val(FALSE, to_real(t.outs[0]).val * to_real(t.outs[0]).val, "real"),))
                for t in filled.terms
            )
        )
        total, number = to_real(self.aggregates.sum(filled)), to_real(self.aggregates.count(filled))
        square = to_real(self.aggregates.sum(squares))
        spread = (square.val - total.val * total.val / number.val) / number.val
        value = Val(total.null, spread, "real")
        return opaque(self.world, "root", [value], "real") if root else value

    def _count_tuples(self, arguments: Sequence[exp.Expr], members: list[tuple[Term, Scope]]) -> Val:
        terms = []
        for term, scope in members:
            outs = tuple(self.scalars.value(a, scope) for a in arguments)
            cond = conj(term.cond, *(neg(out.null) for out in outs))
            terms.append(replace(term, cond=cond, outs=tuple(replace(o, null=FALSE) for o in outs)))
        if not terms:
            return Val(FALSE, z3.IntVal(0), "int")
        classes = self._classes(coerced([Bag(tuple(terms))], self.world.dialect)[0])
        values = fresh_values(self.world, classes.terms[0].outs, [False] * len(arguments))
        return self.aggregates.count(Bag((Term((), (Group(values, classes),), TRUE, ()),)))

    def scalar_subquery(self, node: exp.Expr, scope: Scope) -> Val:
        """A query used as a value: NULL without rows; two rows would be an error, so that is ruled out."""
        relation = self.inner(node, scope)
        if len(relation.names) != 1:
            raise SpecificationError(ReasonCode.TYPE, "a subquery of several columns is used as a value")
        extreme = self._extreme_value(relation)
        if extreme is not None:
            return extreme
        bag = self.rows(relation)
        terms = [settled(self.world, t) for t in bag.terms]
        terms = [t for t in terms if not z3.is_false(t.cond)]
        if not terms:
            if not relation.bag.terms:
                raise Unsupported("sql: a subquery without any rows, whose type is not known")
            return _null_of(_seen(relation.bag.terms[0].outs[0]).kind)
        bag = Bag(tuple(terms))
        self._at_most_one(bag)
        return _seen(self.aggregates.any(bag))

    def _extreme_value(self, relation: Relation) -> Val | None:
        """`(SELECT x ... ORDER BY x DESC LIMIT 1)` is MAX(x), NULLs going last; likewise MIN."""
        if relation.limit != (1, 0) or len(relation.sorts) != 1:
            return None
        for term in relation.bag.terms:
            value, key = term.outs
            if not (value.val.eq(key.val) and value.null.eq(key.null)):
                return None
            if relation.sorts[0].nulls_first and not z3.is_false(value.null):
                return None
        bag = Bag(tuple(replace(t, outs=t.outs[:1]) for t in relation.bag.terms))
        return self.aggregates.extreme("MAX" if relation.sorts[0].descending else "MIN", bag)

    def _at_most_one(self, bag: Bag) -> None:
        world = self.world
        for i, one in enumerate(bag.terms):
            for j, two in enumerate(bag.terms[i:], i):
                copy = renamed(world, two)
                both = conj(condition(world, one), condition(world, copy))
                if not world.holds(both, first_rows.same_choice(one, copy) if i == j else FALSE):
                    raise Unsupported("sql: a subquery used as a value may have several rows")

    def window(self, node: exp.Window, scope: Scope) -> Val:
        """A window function as an aggregate over the rows beside this one."""
        if not isinstance(scope, WindowScope):
            raise Unsupported("sql: a window function here")
        world = self.world
        partition = node.args.get("partition_by") or []
        order = node.args.get("order")
        if node.args.get("alias") or node.args.get("first") is not None:
            raise Unsupported("sql: a named window")
        spec = node.args.get("spec")
        with At(spec):
            frame = windows.read_frame(spec, order is not None)
        keys = [] if order is None else order.expressions
        mine = [self._class_of(self.scalars.value(part, scope)) for part in partition]
        own = tuple(self._sort_key(key, self.scalars.output(key.this, scope)) for key in keys)
        sorts = [_sort(key) for key in keys]
        function = node.this
        if isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
            raise Unsupported("sql: IGNORE NULLS")

        def beside() -> list[tuple[Term, Scope, tuple[Val, ...]]]:
            found = []
            for term, other in scope.siblings():
                theirs = [self._class_of(self.scalars.value(part, other)) for part in partition]
                same = [is_tuple([a], [b]) for a, b in zip(mine, theirs, strict=True)]
                sort = tuple(self._sort_key(key, self.scalars.output(key.this, other)) for key in keys)
                found.append((replace(term, cond=conj(term.cond, *same)), other, sort))
            return found

        def rows() -> list[windows.Row]:
            return [(term, sort) for term, _, sort in beside()]

        def shown() -> list[windows.Row]:
            return [
                (replace(term, outs=(self.scalars.value(function.this, other),)), sort)
                for term, other, sort in beside()
            ]

        part = windows.Partition(self.aggregates, rows, own, tuple(sorts))
        members: list[tuple[Term, Scope]] = []
        peers: list[Term] = []
        ranking = type(function).__name__ in ("Rank", "DenseRank", "RowNumber")
        for term, other, sort in beside():
            peer = conj(*(null_safe_equal(world, a, b) for a, b in zip(own, sort, strict=True)))
            peers.append(replace(term, cond=conj(term.cond, peer)))
            test = before(world, sort, own, sorts) if ranking else part.seen(frame, sort, peer)
            members.append((replace(term, cond=conj(term.cond, test)), other))
        one = z3.IntVal(1)
        if frame.rows and not ranking and not frame.whole:
            self._no_ties("a frame of ROWS", peers)
        match type(function).__name__:
            case "Lag" | "Lead":
                self._no_ties(type(function).__name__.upper(), peers)
                bag = part.neighbour(windows.steps_of(function), isinstance(function, exp.Lag), shown)
                default = function.args.get("default")
                value = NULL if default is None else self.scalars.value(default, scope)
                return windows.otherwise(world, bag, self.aggregates.any(bag), value)
            case "FirstValue" | "LastValue":
                last = isinstance(function, exp.LastValue)
                if (frame.ahead if last else frame.back) is not None:
                    raise Unsupported(f"sql: {type(function).__name__} in a frame that ends in between")
                self._no_ties(type(function).__name__, peers)
                return self.aggregates.any(part.end(last, shown))
            case "Rank":
                count = self.aggregates.count(Bag(tuple(replace(t, outs=()) for t, _ in members)))
                return Val(FALSE, one + count.val, "int")
            case "DenseRank":
                terms = []
                for term, other in members:
                    ranks = [self.scalars.value(key.this, other) for key in keys]
                    terms.append(replace(term, outs=tuple(map(normal, ranks))))
                classes = self._classes(coerced([Bag(tuple(terms))], self.world.dialect)[0])
                nullable = [
                    any(not z3.is_false(t.outs[i].null) for t in classes.terms) for i in range(len(keys))
                ]
                values = fresh_values(world, classes.terms[0].outs, nullable)
                count = self.aggregates.count(Bag((Term((), (Group(values, classes),), TRUE, ()),)))
                return Val(FALSE, one + count.val, "int")
            case "RowNumber":
                self._no_ties("ROW_NUMBER", peers)
                count = self.aggregates.count(Bag(tuple(replace(t, outs=()) for t, _ in members)))
                return Val(FALSE, one + count.val, "int")
        if isinstance(function, exp.AggFunc):
            return self._aggregate(function, members)
        raise Unsupported(f"sql: the window function {type(function).__name__}")

    def _class_of(self, value: Val) -> Val:
        """A value as GROUP BY and PARTITION BY compare it, in normal form."""
        check_compared((value,))
        if value.kind == "text" and self.world.collated:
            value = Val(value.null, self.world.collation(value.val), "class")
        return normal(value)

    def _no_ties(self, function: str, peers: list[Term]) -> None:
        """ROW_NUMBER and LAG are functions of the row only where no two rows of a partition tie."""
        for term in peers:
            copy = renamed(self.world, term)
            # `term` and `copy` both tie with the row at hand, hence with one another.
            both = conj(condition(self.world, term), condition(self.world, copy))
            if len(peers) > 1 or not self.world.holds(both, first_rows.same_choice(term, copy)):
                raise Nondeterministic(f"sql: {function} where rows may tie")


def _range(values: tuple[Val, ...], classes: Bag) -> Group:
    """Group variables over the keys that rows have; without NULLs where a variable has no flag."""
    terms = []
    for term in classes.terms:
        present = [
            neg(out.null) for value, out in zip(values, term.outs, strict=True) if z3.is_false(value.null)
        ]
        outs = [
            replace(out, null=FALSE) if z3.is_false(value.null) else normal(out)
            for value, out in zip(values, term.outs, strict=True)
        ]
        terms.append(replace(term, cond=conj(term.cond, *present), outs=tuple(outs)))
    return Group(values, Bag(tuple(terms)))


def _members_of(values: tuple[Val, ...], rows: Bag, classes: Bag) -> Bag:
    """The rows of a group."""
    return Bag(
        tuple(
            replace(row, cond=conj(row.cond, is_tuple(values, keys.outs)))
            for row, keys in zip(rows.terms, classes.terms, strict=True)
        )
    )


def _some(terms: list[Term]) -> list[Term]:
    """The terms that are not plainly empty; one of them at least, since it tells the columns' types."""
    kept = [term for term in terms if not z3.is_false(term.cond)]
    return kept or [replace(term, cond=FALSE) for term in terms[:1]]


def _sort(key: exp.Ordered) -> Sort:
    return Sort(bool(key.args.get("desc")), bool(key.args.get("nulls_first")))


def _members(unit: exp.Expr) -> list[exp.Expr]:
    """The keys of one grouping set."""
    if isinstance(unit, exp.Tuple):
        return list(unit.expressions)
    return [unit.this] if isinstance(unit, exp.Paren) else [unit]


def _without(node: exp.Expr, part: str) -> exp.Expr:
    copy = node.copy()
    copy.set(part, None)
    return copy


def _has_aggregate(node: exp.Expr) -> bool:
    """Whether an aggregate of this query occurs: not below a subquery, not as a window function."""
    todo: list[exp.Expr] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, exp.Window):
            todo += list(part.this.iter_expressions())
            todo += part.args.get("partition_by") or []
            if part.args.get("order"):
                todo.append(part.args["order"])
            continue
        if isinstance(part, exp.AggFunc) and type(part).__name__ not in _WINDOW_ONLY:
            return True
        if not isinstance(part, exp.Query):
            todo += list(part.iter_expressions())
    return False


_WINDOW_ONLY = (
    "Rank",
    "DenseRank",
    "RowNumber",
    "Lag",
    "Lead",
    "FirstValue",
    "LastValue",
    "Ntile",
    "PercentRank",
    "CumeDist",
)


def _inline(node: exp.Expr, aliases: dict[str, exp.Expr], scope: Scope) -> exp.Expr:
    """Output names in HAVING and ORDER BY replaced by what they stand for, where no column has the name.

    `Unsupported` inside a subquery: its own tables may have a column of the name.
    """

    def replace_name(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and not part.table and part.name.lower() in aliases:
            if part.find_ancestor(exp.Query) is not None:
                raise Unsupported(f"sql: the output name {part.name!r} in a subquery", place_of(part))
            target = aliases[part.name.lower()]
            position = scope.find(part)
            if position is None:
                return target.copy() if isinstance(target, Position) else exp.Paren(this=target.copy())
            if fingerprint(target, scope) != f"#{position}":
                raise Unsupported(
                    f"sql: the name {part.name!r} is both a column and an output", place_of(part)
                )
        return part

    return node.copy().transform(replace_name)


def _null_of(kind: str) -> Val:
    return Val(TRUE, default_of(kind), kind)


def _seen(value: Val) -> Val:
    """What an expression makes of a subquery's value."""
    return _null_of(BARE) if value.kind == UNTYPED else computed(value)


def _through(bag: Bag, see: Callable[[Val], Val]) -> Bag:
    """The bag with each output as `see` has it."""
    return Bag(tuple(replace(term, outs=tuple(map(see, term.outs))) for term in bag.terms))


def _kinds(bag: Bag) -> tuple[Val, ...]:
    return bag.terms[0].outs if bag.terms else ()


def compile_check(world: World, table: Table, sql: str, row: Expr) -> Val | None:
    """A CHECK condition on a row; None where it is not modelled, which only loses proofs."""
    try:
        tree = read_query(selection(table, sql, world.schema), world.schema, world.settings, ask=False)
        check_readable(tree)
        gate.check(tree, world.schema, world.settings)
        gate.check_rounding([tree], world.schema)
        node = tree.args["where"].this
        if node.find(exp.Query, exp.AggFunc):
            return None
        compiler = Compiler(world, Aggregates(world, lambda a, b: False, attached=False))
        values = [world.column(table, column, row) for column in table.columns]
        names = [Name(table.name.lower(), column.name.lower()) for column in table.columns]
        return truth(world, compiler.scalars.value(node, Scope(names, values, None)))
    except (Undecided, SpecificationError, RecursionError):
        return None
