"""Ties that an engine breaks by values: a choice that the order of rows does not show.

Where rows come from base tables, shuffling them shows what an engine chooses among ties. Where they come out
of GROUP BY, DISTINCT, UNION or a window, they come in an order of their values, whatever the tables' order:
there, a LIMIT and the order at the top are continued by the outputs, upwards and downwards, and a difference
counts only if no result changes. So is the order inside an aggregate that concatenates. A window is asked
whether rows tie in it at all (`peers.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.refute.borders import border
from truespec.domains.sql.refute.determined import is_aggregate, leaves_choice
from truespec.domains.sql.refute.orders import (
    chooses,
    is_derived,
    is_listed,
    is_sorted,
    looks_at_order,
    meets_by_place,
    own,
    windows_of,
)
from truespec.domains.sql.refute.peers import question
from truespec.domains.sql.schema import Kind, Schema

_NO_VALUES = (
    *(exp.From, exp.Join, exp.CTE, exp.In, exp.Exists, exp.SetOperation, exp.Lateral, exp.All, exp.Any),
)
"""Where a subquery stands for all its rows."""


@dataclass(slots=True)
class Variants:
    """What tells whether a query chooses among ties that the order of rows does not show."""

    texts: list[str] = field(default_factory=list)
    """The query with ties of LIMIT, lists and the order at the top broken in two ways, if it has any."""
    questions: list[str] = field(default_factory=list)
    """Queries that count the rows which tie in a window."""


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
                break
            made.texts.append(copy.sql(schema.dialect))
        except Exception:  # a generator's own limits
            return None
    if made.texts and set(made.texts) == {tree.sql(schema.dialect)}:
        return None  # a generator left out what was added
    return made


def _top(tree: Any) -> Any:
    while isinstance(tree, exp.Subquery) and not tree.args.get("order"):
        tree = tree.this
    return tree


def _settle(
    query: Any, root: Any, listed: bool, descending: bool, schema: Schema, asked: list[exp.Expr]
) -> bool | None:
    """Break the ties of one query; whether there were any to break, None where that cannot be written.

    `asked` gets a query that counts the rows which tie in a window, for each that looks at their order.
    """
    if isinstance(query, exp.Select) and meets_by_place(query):
        return None
    windows = windows_of(query)
    sorted_source = is_sorted(query, root, schema)
    if isinstance(query, exp.Select) and sorted_source and _chooses_in_select(query, schema, root):
        return None
    if sorted_source and isinstance(query.parent, exp.Array):
        return None  # a list of the rows as they come
    changed = False
    listings = [node for node in own(query) if is_listed(node)] if sorted_source or windows else []
    merged = DIALECTS[schema.dialect].collation_merges_texts
    for listing in listings:
        if isinstance(listing.parent, exp.Window):
            return None  # which has its own order
        # Of texts that the collation calls equal, DISTINCT keeps the first that comes.
        if merged and listing.find(exp.Distinct) is not None and is_derived(query, root, schema):
            return None
        _list_in_order(listing, schema, descending)
        changed = True
    # The rows of a base table come to the first window as they are stored, and sorted to the others.
    for window in windows if sorted_source or len(windows) > 1 else []:
        if not looks_at_order(window, query):
            continue
        counting = question(window, query)
        if counting is None:
            return None
        asked.append(counting)
    limited = any(query.args.get(part) is not None for part in ("limit", "offset")) or _picks(query)
    if (
        (limited or (listed and query.args.get("order") is not None))
        and (sorted_source or windows)
        and not _is_settled(query, schema)
    ):
        count = width(query)
        # The rows that the outermost query puts out are those of both orders only if all orders yield them.
        shown = query is _top(root) or _picks(query) or _is_counted(query)
        cut = None if shown else border(query, count)
        if cut is not None:
            asked.append(cut)
        elif query.args.get("offset") is not None:
            return None
        if count is None:
            return None
        _continue(query, [exp.Literal.number(place) for place in range(1, count + 1)], descending)
        changed = True
    return changed


def _chooses_in_select(query: Any, schema: Schema, root: Any) -> bool:
    """Whether a query of rows in an order of their own chooses among them, otherwise than by LIMIT."""
    if any(map(chooses, own(query))):
        return True
    if query.args.get("group"):
        return leaves_choice(query, schema, root)
    first = DIALECTS[schema.dialect].value_is_first_row and query.args.get("limit") is None
    if first and _is_value(query) and not _is_one_row(query):
        return True
    return _is_one_row(query) and _names_bare_column(query)


def _names_bare_column(query: Any) -> bool:
    """Whether a query names a column outside aggregates."""
    waiting = [*query.expressions, *filter(None, (query.args.get("having"), query.args.get("order")))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Column):
            return True
        if not isinstance(node, exp.Query | exp.WithinGroup) and not is_aggregate(node):
            waiting += node.iter_expressions()
    return False


def _is_value(query: Any) -> bool:
    """Whether a query stands as a value: in no FROM or WITH, and in neither IN nor EXISTS."""
    around = query.parent
    if not isinstance(around, exp.Subquery):
        return False
    return not isinstance(around.parent, _NO_VALUES)


def _is_one_row(query: Any) -> bool:
    """Whether a query without groups aggregates, so that it yields one row."""
    return any(map(is_aggregate, own(query)))


def _picks(query: Any) -> bool:
    """Whether a query keeps one row of several by DISTINCT ON."""
    distinct = query.args.get("distinct")
    return isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None


def _is_counted(query: Any) -> bool:
    """Whether of the rows of a derived table only their number is asked for."""
    start = query.parent.parent if isinstance(query.parent, exp.Subquery) else None
    around = start.parent if isinstance(start, exp.From) else None
    if not isinstance(around, exp.Select) or around.args.get("joins") or around.args.get("where"):
        return False
    counts = [output.unalias() for output in around.expressions]
    return all(isinstance(count, exp.Count) and isinstance(count.this, exp.Star) for count in counts)


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


def width(query: Any) -> int | None:
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
    return width(source.this.this) if isinstance(source.this, exp.Subquery) else None


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
