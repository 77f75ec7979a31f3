"""Values that are equal and can be told apart, of which an engine keeps either.

DISTINCT, GROUP BY, set operations, MAX and the first of sorted rows keep one of several equal values. Where
these have other forms (`forms.py`), which one is kept is a choice, and any function may show it: SCALE(1.0),
typeof, the text of an interval. Rows of base tables show that choice when they are shuffled; rows that a
query makes do not. So the engine is asked, on the database itself, whether values that are equal and can be
told apart come together at all. GREATEST and LEAST choose nothing: they are functions of one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.refute.determined import grouping_keys
from truespec.domains.sql.refute.forms import Forms
from truespec.domains.sql.refute.orders import PICKING, function_of, is_derived, own
from truespec.domains.sql.refute.peers import KEPT, clauses_around, names_output, with_clauses
from truespec.domains.sql.refute.ties import width
from truespec.domains.sql.schema import Schema

MERGED = "truespec_merged"
"""The rows in which equal values come together."""
_COUNTING: tuple[Any, ...] = (
    *(exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.LogicalAnd, exp.LogicalOr, exp.Stddev, exp.StddevPop),
    *(exp.StddevSamp, exp.Variance, exp.VariancePop, exp.Corr, exp.CovarPop, exp.CovarSamp, exp.Grouping),
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
)
"""Aggregates and window functions that are equal for equal values."""
_PLAIN: tuple[Any, ...] = (
    *(exp.Query, exp.From, exp.Table, exp.TableAlias, exp.Identifier, exp.Column, exp.Alias, exp.Where),
    *(exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Join, exp.With, exp.CTE),
    *(exp.Paren, exp.Literal, exp.Null, exp.Boolean, exp.Star, exp.Distinct, exp.Tuple, exp.And, exp.Or),
    *(exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Is, exp.Exists),
    *(exp.All, exp.Any, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Min, exp.Max, exp.Greatest),
    *(exp.Least, exp.Window, exp.WindowSpec, exp.Filter, *_COUNTING),
)
"""What yields equal results for equal values, or one of its values as it is."""
_READ = frozenset({"from_", "joins", "laterals", "where"})
"""The parts of a query that say which rows its groups are made of."""
_COMPUTING: tuple[Any, ...] = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs)


@dataclass(slots=True)
class Equals:
    """Where a query keeps one of several equal values."""

    questions: list[str] = field(default_factory=list)
    """Queries whose result is 0 on a database on which none come together that can be told apart."""
    unasked: bool = False
    """Whether some may come together where none can be asked."""
    texts: bool = False
    """Whether they may be texts, which results show as they are."""
    shown: bool = True
    """Whether anything in the query may tell equal values apart; else the result alone does."""


def equals(tree: exp.Expr, schema: Schema, ordered: bool) -> Equals:
    """Where a query keeps one of several equal values; `ordered`: its result is compared as a list."""
    reader = _Reader(tree, schema)
    found = Equals(texts=reader.forms.texts_merge, shown=_may_show(tree, schema))
    for query in tree.find_all(exp.Query):
        if isinstance(query, exp.SetOperation):
            reader.read_operation(query)
        elif isinstance(query, exp.Select):
            reader.read_select(query, ordered)
    try:
        found.questions = [asked.sql(schema.dialect) for asked in reader.asked]
    except Exception:  # a generator's own limits
        reader.unasked = True
    found.unasked = reader.unasked
    return found


class _Reader:
    """One query on the way to its questions."""

    def __init__(self, tree: exp.Expr, schema: Schema) -> None:
        self.tree, self.schema = tree, schema
        self.forms = Forms(tree, schema)
        self.asked: list[exp.Expr] = []
        self.unasked = False

    def read_operation(self, query: Any) -> None:
        """A chain of set operations, unless all of its rows are kept as they are and all are put out."""
        if isinstance(query.parent, exp.SetOperation):
            return
        self.unasked |= self.forms.are_converted(query)
        chain = [query]
        for node in chain:
            chain += [side for side in (node.this, node.expression) if isinstance(side, exp.SetOperation)]
        keeps_all = all(isinstance(one, exp.Union) and not one.args.get("distinct") for one in chain)
        if (keeps_all and not _is_cut(query)) or self.forms.are_known(query):
            return
        rows = query.copy()
        for node in [rows, *rows.find_all(exp.SetOperation)]:
            if node is rows or isinstance(node.parent, exp.SetOperation):
                together = exp.Union(this=node.this, expression=node.expression, distinct=False)
                if node is rows:
                    rows = together
                else:
                    node.replace(together)
        self._ask(query, rows, width(rows))

    def read_select(self, query: Any, ordered: bool) -> None:
        """DISTINCT, GROUP BY, LIMIT and aggregates over rows that a query makes."""
        made = is_derived(query, self.tree, self.schema)
        grouped = query.args.get("group") is not None
        # Of the whole result, numbers are compared by value.
        outermost = self.forms.texts_merge and ordered and query.parent is None and query.args.get("order")
        if (made or grouped) and (_is_cut(query) or outermost or (made and query.args.get("distinct"))):
            if any(self.forms.of(output) is None for output in query.expressions):
                rows = query.copy()
                for part in ("distinct", "order", "limit", "offset", "with_"):
                    rows.set(part, None)
                self._ask(query, rows, width(rows))
        if not made:
            return
        keys = grouping_keys(query, self.schema, self.tree) if grouped else []
        if grouped:
            self._ask_of(query, keys, _READ)
        for node in own(query):
            if isinstance(node, exp.Window):
                function = function_of(node)
                if not isinstance(function, (*_COUNTING, *PICKING)):
                    self._ask_of(query, [*(node.args.get("partition_by") or ()), _argument(function)], KEPT)
            elif isinstance(node, exp.AggFunc) and not isinstance(node, _COUNTING):
                if not isinstance(_around(node), exp.Window):
                    self._ask_of(query, [*keys, _argument(node)], _READ)

    def _ask_of(self, query: Any, values: Sequence[Any], kept: frozenset[str]) -> None:
        """Ask of the tuples of some values, with these parts of a SELECT, unless each has one form."""
        if all(self.forms.of(value) is not None for value in values):
            return
        if "group" in kept and names_output(query):
            self.unasked = True
            return
        parts: dict[str, Any] = {
            part: value.copy() if isinstance(value, exp.Expr) else [one.copy() for one in value]
            for part, value in query.args.items()
            if part in kept and value
        }
        if clauses_around(query) is None:  # conditions may name rows around it; there are more without them
            parts.pop("where", None)
            for join in parts.get("joins", ()):
                for part in ("on", "side", "kind"):
                    join.set(part, None)
        self._ask(query, exp.Select(expressions=[value.copy() for value in values], **parts), len(values))

    def _ask(self, query: Any, rows: Any, columns: int | None) -> None:
        """Ask whether tuples that are equal can be told apart."""
        around = clauses_around(query, anywhere=True)
        if around is None or columns is None:
            self.unasked = True
            return
        told_apart = DIALECTS[self.schema.dialect].told_apart
        names = [exp.to_identifier(f"c{place}") for place in range(1, columns + 1)]
        values = [exp.column(name.copy()) for name in names]
        forms = [exp.Distinct(expressions=[told_apart(value.copy())]) for value in values]
        several = [exp.GT(this=exp.Count(this=form), expression=exp.Literal.number(1)) for form in forms]
        # One scan: what is read twice may be stored in between, as values of another type.
        groups = exp.select(exp.alias_(exp.Literal.number(1), "one")).from_(MERGED).group_by(*values)
        asked = exp.select("COUNT(*)").from_(groups.having(exp.or_(*several)).subquery("counted"))
        name = exp.TableAlias(this=exp.to_identifier(MERGED), columns=names)
        self.asked.append(with_clauses(asked, around, [exp.CTE(this=rows, alias=name)]))


def _is_cut(query: Any) -> bool:
    """Whether not all rows of a query are put out."""
    return any(query.args.get(part) is not None for part in ("limit", "offset")) or (
        isinstance(query.args.get("distinct"), exp.Distinct)
        and query.args["distinct"].args.get("on") is not None
    )


def _around(node: Any) -> Any:
    around = node.parent
    while isinstance(around, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        around = around.parent
    return around


def _argument(aggregate: Any) -> Any:
    """What an aggregate goes through."""
    if isinstance(aggregate.parent, exp.WithinGroup):
        return aggregate.parent.expression.expressions[0].this
    inner = aggregate.this
    if isinstance(inner, exp.Order):
        inner = inner.this
    return inner.expressions[0] if isinstance(inner, exp.Distinct) else (inner or exp.Null())


def _may_show(tree: exp.Expr, schema: Schema) -> bool:
    """Whether anything in a query may tell equal values apart."""
    plain = _PLAIN
    # SQLite divides whole numbers otherwise; a month is no thirty days when it is added to a date.
    spans = "INTERVAL" in schema.ddl.upper() or tree.find(exp.Interval) is not None
    if not spans:
        plain += (
            _COMPUTING if DIALECTS[schema.dialect].types_are_affinities else (*_COMPUTING, exp.Div, exp.Round)
        )
    return any(not isinstance(node, plain) for node in tree.walk())
