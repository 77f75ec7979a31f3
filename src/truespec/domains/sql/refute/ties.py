"""Ties that an engine breaks by values: a choice that the order of rows does not show.

Where rows come from base tables, shuffling them shows what an engine chooses among ties. Where they come out
of GROUP BY, DISTINCT, UNION or a window, they come in an order of their values, whatever the tables' order:
there, each ORDER BY that meets a choice is continued by the outputs, upwards and downwards, and a difference
counts only if no result changes. So is the order inside an aggregate that concatenates. A window of a query
that puts out a star is asked whether rows tie in it at all (`peers.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.refute.determined import leaves_choice
from truespec.domains.sql.refute.peers import question
from truespec.domains.sql.schema import Kind, Schema

_PICKING: tuple[Any, ...] = (
    exp.RowNumber,
    exp.Lag,
    exp.Lead,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
    exp.Ntile,
)
"""Window functions whose value depends on the order of rows that tie."""
_CHOOSING: tuple[Any, ...] = (exp.ArrayAgg, exp.First, exp.Last, exp.AnyValue)
"""Aggregates whose choice among rows cannot be settled here, unless they have an order of their own."""


@dataclass(slots=True)
class Variants:
    """What tells whether a query chooses among ties that the order of rows does not show."""

    texts: list[str] = field(default_factory=list)
    """The query with its ties broken in two ways; none where no choice is hidden."""
    questions: list[str] = field(default_factory=list)
    """Queries that count rows which tie where no other way to break the tie can be written."""


def variants(tree: exp.Expr, schema: Schema, ordered: bool) -> Variants | None:
    """What tells whether a query chooses among hidden ties on a database; None where nothing does."""
    made = Variants()
    for descending in (False, True):
        copy: Any = tree.copy()
        changed = False
        asked: list[exp.Expr] = []
        for query in list(copy.find_all(exp.Query)):
            if isinstance(query, exp.Subquery) and not query.args.get("limit"):
                continue
            found = _settle(query, copy, ordered and query is _top(copy), descending, schema, asked)
            if found is None:
                return None
            changed = changed or found
        try:
            made.questions = [question.sql(schema.dialect) for question in asked]
            if not changed:
                return made
            made.texts.append(copy.sql(schema.dialect))
        except Exception:  # a generator's own limits
            return None
    return made


def _top(tree: Any) -> Any:
    while isinstance(tree, exp.Subquery) and not tree.args.get("order"):
        tree = tree.this
    return tree


def _settle(
    query: Any, root: Any, listed: bool, descending: bool, schema: Schema, asked: list[exp.Expr]
) -> bool | None:
    """Break the ties of one query; whether there were any to break, None where that cannot be written.

    Where a window's ties cannot be broken, `asked` gets a query that counts them.
    """
    sorted_source = _is_sorted(query, root)
    if isinstance(query, exp.Select) and sorted_source:
        if any(
            isinstance(node, _CHOOSING) and not _is_listed(node) and not _is_measured(node)
            for node in _own(query)
        ):
            return None
        if query.args.get("group") and leaves_choice(query, schema, root):
            return None
    changed = False
    listings = [node for node in _own(query) if _is_listed(node)] if sorted_source else []
    merged = DIALECTS[schema.dialect].collation_merges_texts
    for listing in listings:
        # Of texts that the collation calls equal, DISTINCT keeps the first that comes.
        if listing.find(exp.Distinct) is not None and merged and _is_derived(query, root):
            return None
        _list_in_order(listing, schema, descending)
        changed = True
    windows = [node for node in _own(query) if isinstance(node, exp.Window)] if sorted_source else []
    for window in windows:
        spec = window.args.get("spec")
        rows = spec is not None and str(spec.args.get("kind") or "").upper() == "ROWS"
        if not rows and not isinstance(_function(window), _PICKING):
            continue
        # The order of a window with a name cannot be continued where it is used.
        outputs = None if window.args.get("alias") else _outputs(query)
        if outputs is not None:
            _continue(window, [*outputs, *(c.copy() for c in window.this.find_all(exp.Column))], descending)
            changed = True
        elif (counting := question(window, query)) is not None:
            asked.append(counting)
        else:
            return None
    limited = any(query.args.get(part) is not None for part in ("limit", "offset")) or _picks(query)
    if (
        (limited or (listed and query.args.get("order") is not None))
        and (sorted_source or _is_grouped(query))
        and not _is_settled(query, schema)
    ):
        if query.args.get("offset") is not None:
            return None
        count = _width(query)
        if count is None:
            return None
        _continue(query, [exp.Literal.number(place) for place in range(1, count + 1)], descending)
        changed = True
    return changed


def _picks(query: Any) -> bool:
    """Whether a query keeps one row of several by DISTINCT ON."""
    distinct = query.args.get("distinct")
    return isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None


def _is_settled(query: Any, schema: Schema) -> bool:
    """Whether the order is by all outputs, which are columns: rows that tie then put out the same."""
    order, outputs = query.args.get("order"), query.args.get("expressions") or []
    if order is None or not outputs or not isinstance(query, exp.Select):
        return False
    keys = [key.this for key in order.expressions]
    merged = DIALECTS[schema.dialect].collation_merges_texts
    for place, output in enumerate(outputs, 1):
        column = output.unalias()
        if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
            return False
        if not any(_is_key(key, place, column) for key in keys):
            return False
        if merged and _may_be_text(str(column.name).lower(), schema):
            return False
    names = [str(output.alias).lower() for output in outputs if output.alias]
    return not any(isinstance(key, exp.Column) and str(key.name).lower() in names for key in keys)


def _is_key(key: Any, place: int, column: Any) -> bool:
    """Whether a sort key is this output, by its place or as the same column."""
    if isinstance(key, exp.Literal):
        return bool(not key.is_string and key.name == str(place))
    same = isinstance(key, exp.Column) and str(key.name).lower() == str(column.name).lower()
    return bool(same and (not key.table or not column.table or key.table.lower() == column.table.lower()))


def _may_be_text(name: str, schema: Schema) -> bool:
    """Whether a column of this name may hold texts that the collation calls equal."""
    kinds = [c.type.kind for t in schema.tables for c in t.columns if c.name.lower() == name]
    return not kinds or any(kind not in (Kind.INT, Kind.DECIMAL, Kind.DATE, Kind.BOOL) for kind in kinds)


def _is_measured(node: Any) -> bool:
    """Whether of a list only its length is asked for, which no order changes."""
    around = node.parent
    while isinstance(around, exp.Filter | exp.Paren):
        around = around.parent
    return isinstance(node, exp.ArrayAgg | exp.GroupConcat) and isinstance(around, exp.Length | exp.ArraySize)


def _is_listed(node: Any) -> bool:
    """Whether an aggregate goes through its values in an order of its own, or joins them."""
    ordered = isinstance(node, exp.ArrayAgg | exp.First | exp.Last) and isinstance(node.this, exp.Order)
    return (ordered or isinstance(node, exp.GroupConcat)) and not _is_measured(node)


def _is_grouped(query: Any) -> bool:
    if not isinstance(query, exp.Select):
        return True
    return bool(query.args.get("group") or query.args.get("distinct"))


def _is_sorted(query: Any, root: Any) -> bool:
    """Whether the rows that a query chooses from may come in an order of their values."""
    if not isinstance(query, exp.Select):
        return True
    return _is_grouped(query) or _is_derived(query, root)


def _is_derived(query: Any, root: Any) -> bool:
    """Whether a query reads a subquery or a WITH."""
    sources = [query.args.get("from_"), *(query.args.get("joins") or ())]
    common = {str(cte.alias).lower() for cte in root.find_all(exp.CTE)}
    return any(
        source is not None
        and (
            source.find(exp.Subquery, exp.Query) is not None
            or any(str(table.name).lower() in common for table in source.find_all(exp.Table))
        )
        for source in sources
    )


def _own(query: Any) -> Iterator[Any]:
    """The nodes of a query's outputs, conditions and order, less those of its subqueries."""
    others = [query.args.get(part) for part in ("having", "qualify", "order")]
    waiting = [part for part in (*(query.args.get("expressions") or ()), *others) if part is not None]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in node.iter_expressions() if not isinstance(child, exp.Query)]


def _function(window: Any) -> Any:
    inner = window.this
    while isinstance(inner, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        inner = inner.this
    return inner


def _outputs(query: Any) -> list[Any] | None:
    """The outputs that no window computes, without their names; None for a star."""
    found = []
    for output in query.expressions:
        if output.is_star and not isinstance(output, exp.Count):
            return None
        inner = output.unalias()
        if inner.find(exp.Window) is None and not isinstance(inner, exp.Literal):
            found.append(inner.copy())
    return found


def _width(query: Any) -> int | None:
    """How many columns a query yields; None where a star hides it, unless it is one subquery's alone."""
    first = query
    while not isinstance(first, exp.Select):
        first = first.this
        if first is None:
            return None
    if not any(output.is_star for output in first.expressions):
        return len(first.expressions)
    source = first.args.get("from_")
    plain = len(first.expressions) == 1 and type(first.expressions[0]) is exp.Star
    if not plain or first.args.get("joins") or source is None or any(first.expressions[0].args.values()):
        return None
    return _width(source.this.this) if isinstance(source.this, exp.Subquery) else None


def _list_in_order(listing: Any, schema: Schema, descending: bool) -> None:
    """Order what is concatenated by its own texts, after its own order: what still ties is the same text."""
    inner = listing.this
    texts = inner.this if isinstance(inner, exp.Order) else inner
    text = texts.expressions[0] if isinstance(texts, exp.Distinct) else texts
    keys = [text.copy()]
    if DIALECTS[schema.dialect].collation_merges_texts:
        # Texts that the collation calls equal are distinguished by their bytes.
        keys.append(exp.cast(text.copy(), "BINARY", dialect=schema.dialect))
    ordered = [exp.Ordered(this=key, desc=descending) for key in keys]
    if isinstance(inner, exp.Order):
        inner.set("expressions", [*inner.expressions, *ordered])
    else:
        listing.set("this", exp.Order(this=inner.copy(), expressions=ordered))


def _continue(node: Any, keys: list[Any], descending: bool) -> None:
    """Continue the ORDER BY of a window or query, or begin one."""
    ordered = [exp.Ordered(this=key, desc=descending) for key in keys]
    order = node.args.get("order")
    if order is None:
        node.set("order", exp.Order(expressions=ordered))
    else:
        order.set("expressions", [*order.expressions, *ordered])
