"""Which parts of a query look at the order of rows, and where rows come in an order of their own.

Rows of a base table come in the order in which they are stored, which shuffling changes; all others come in
an order that an operator makes of their values. What is listed here is listed as harmless: anything else
counts as a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from truespec.domains.sql.schema import Schema

MAX_NAMED = 8
"""No more names of windows are followed, one behind the other."""
PICKING: tuple[Any, ...] = (
    exp.RowNumber,
    exp.Lag,
    exp.Lead,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
    exp.Ntile,
)
"""Window functions whose value depends on the order of rows that tie."""
_ORDERLESS: tuple[Any, ...] = (
    *(exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile),
    *(exp.PercentileCont, exp.PercentileDisc, exp.LogicalAnd, exp.LogicalOr, exp.Corr, exp.CovarPop),
    *(exp.CovarSamp, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
    *(exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg, exp.Grouping, exp.GroupingId),
    *(exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist),
)
"""Aggregates and window functions of which no order of the rows changes the value."""
_CHOOSING_BY_NAME = frozenset(
    {
        *("ANY_VALUE", "ARBITRARY", "ARG_MAX", "ARG_MIN", "ARGMAX", "ARGMIN", "FIRST", "LAST", "LIST"),
        *("ARG_MAX_NULL", "ARG_MIN_NULL", "MAX_BY", "MIN_BY", "MODE", "STRING_AGG", "ARRAY_AGG"),
        *("JSON_AGG", "JSONB_AGG", "JSON_ARRAYAGG", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT", "XMLAGG"),
        *("JSON_OBJECTAGG", "JSON_OBJECT_AGG", "JSONB_OBJECT_AGG", "GROUP_CONCAT", "LISTAGG"),
        *("JSON_AGG_STRICT", "JSONB_AGG_STRICT", "RANGE_AGG", "APPROX_TOP_K", "RESERVOIR_QUANTILE"),
    }
)
"""The others, where the parser leaves an aggregate its name."""
_SERIES = ("UNNEST", "SERIES", "ELEMENTS", "EACH", "KEYS", "SUBSCRIPTS", "TO_TABLE", "RANGE")
"""What the names of functions that yield several rows end in."""


def own(query: Any) -> Iterator[Any]:
    """The nodes of a query's outputs, conditions on them and order, less those of its subqueries."""
    others = [query.args.get(part) for part in ("having", "qualify", "order")]
    waiting = [part for part in (*(query.args.get("expressions") or ()), *others) if part is not None]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in node.iter_expressions() if not isinstance(child, exp.Query)]


def windows_of(query: Any) -> list[Any]:
    """The windows of a query itself."""
    return [node for node in own(query) if isinstance(node, exp.Window)]


def looks_at_order(window: Any, query: Any) -> bool:
    """Whether rows that tie in a window may get other values when they come in another order."""
    return not isinstance(function_of(window), _ORDERLESS) or _by_rows(window, query, 0)


def _by_rows(window: Any, query: Any, depth: int) -> bool:
    """Whether the frame of a window, or of the named one that it uses, is one of rows; so where unknown."""
    spec, name = window.args.get("spec"), window.args.get("alias")
    if spec is not None:
        return str(spec.args.get("kind") or "").upper() not in ("RANGE", "GROUPS")
    if name is None:
        return False
    windows = query.args.get("windows") or ()
    named = next((one for one in windows if str(one.this.name).lower() == str(name.name).lower()), None)
    return named is None or depth == MAX_NAMED or _by_rows(named, query, depth + 1)


def function_of(window: Any) -> Any:
    """The function of a window, without what is said of its NULLs and rows."""
    inner = window.this
    while isinstance(inner, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        inner = inner.this
    return inner


def is_measured(node: Any) -> bool:
    """Whether of a list only its length is asked for, which no order changes."""
    around = node.parent
    while isinstance(around, exp.Filter | exp.Paren):
        around = around.parent
    return isinstance(node, exp.ArrayAgg | exp.GroupConcat) and isinstance(around, exp.Length | exp.ArraySize)


def is_listed(node: Any) -> bool:
    """Whether an aggregate goes through its values in an order of its own, or joins them."""
    ordered = isinstance(node, exp.ArrayAgg | exp.First | exp.Last) and isinstance(node.this, exp.Order)
    return (ordered or isinstance(node, exp.GroupConcat)) and not is_measured(node)


def chooses(node: Any) -> bool:
    """Whether an expression may choose by the order in which rows come, in a way that cannot be settled."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper() in _CHOOSING_BY_NAME
    if isinstance(node, exp.Array):
        return any(isinstance(part, exp.Query) for part in node.expressions)
    known = (*_ORDERLESS, *PICKING)
    settled = is_listed(node) or is_measured(node) or isinstance(node.parent, exp.WithinGroup)
    return isinstance(node, exp.AggFunc) and not isinstance(node, known) and not settled


def meets_by_place(query: Any) -> bool:
    """Whether rows are joined by their places, or with one of several that are as near."""
    joins = query.args.get("joins") or ()
    return any(str(join.args.get("method") or "").upper() in ("ASOF", "POSITIONAL") for join in joins)


def is_grouped(query: Any) -> bool:
    """Whether rows come out of groups, DISTINCT or a set operation."""
    if not isinstance(query, exp.Select):
        return True
    return bool(query.args.get("group") or query.args.get("distinct"))


def is_sorted(query: Any, root: Any, schema: Schema) -> bool:
    """Whether the rows that a query chooses from may come in an order of their values."""
    return is_grouped(query) or is_derived(query, root, schema)


def is_derived(query: Any, root: Any, schema: Schema) -> bool:
    """Whether a query reads anything but tables of the schema, or puts out several rows for one."""
    start = query.args.get("from_")
    sources = [
        *([start.this] if start is not None else []),
        *(join.this for join in query.args.get("joins") or ()),
    ]
    common = {str(cte.alias).lower() for cte in root.find_all(exp.CTE)}
    tables = {table.name.lower() for table in schema.tables} - common
    plain = all(
        isinstance(source, exp.Table)
        and isinstance(source.this, exp.Identifier)
        and str(source.name).lower() in tables
        and not source.args.get("joins")
        for source in sources
    )
    return not plain or bool(query.args.get("laterals")) or any(map(_makes_rows, own(query)))


def _makes_rows(node: Any) -> bool:
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper().endswith(_SERIES)
    return isinstance(node, exp.Explode | exp.Unnest | exp.GenerateSeries | exp.ExplodingGenerateSeries)
