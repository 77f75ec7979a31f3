"""`SELECT id, UNNEST(list) FROM t`: for each row, the elements of a list as rows.

It is the query of the rows beside those of the list, which WHERE does not see. What it is sorted by, and how
many rows are kept, comes after it. A list whose ends are aggregates is made of the groups, a query by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from truespec.domains.sql.compile.series import SERIES, elements

_MAKERS = (exp.Explode, exp.ExplodingGenerateSeries)
"""What makes several rows of one."""
_ELEMENT, _LIST, _GROUPS = "element of a list", "list", "groups of a list"
_AFTER = ("order", "limit", "offset", "distinct")
"""Parts of a query that come after its lists."""


def exploded(node: exp.Expr) -> exp.Select | None:
    """Such a query with its list in FROM; None for any other, and for one with several lists."""
    if not isinstance(node, exp.Select):
        return None
    makers = _makers_of(node)
    others = any(node.args.get(part) for part in ("qualify", "windows"))
    if len(makers) != 1 or not _is_output(makers[0], node) or others:
        return None
    if any(isinstance(item, exp.Star) for item in node.expressions) or makers[0].expressions:
        return None
    if _own(node, exp.Window):
        return None
    inner = makers[0].this if isinstance(makers[0], exp.Explode) else makers[0]
    if elements(inner) is None and not isinstance(inner, SERIES):
        return None
    groups = any(node.args.get(part) for part in ("group", "having")) or bool(_own(node, exp.AggFunc))
    return _of_groups(node) if groups else _beside(node, inner)


def _beside(node: exp.Select, inner: exp.Expr) -> exp.Select:
    found = elements(inner)
    alias = exp.TableAlias(this=exp.to_identifier(_LIST), columns=[exp.to_identifier(_ELEMENT)])
    rows: exp.Expr = exp.Table(this=inner.copy(), alias=alias)
    if found is not None:
        rows = exp.Values(expressions=[exp.Tuple(expressions=[value]) for value in found], alias=alias)
    copy = node.copy()
    _makers_of(copy)[0].replace(exp.column(_ELEMENT, table=_LIST))
    if copy.args.get("from_") is None:
        copy.set("from_", exp.From(this=rows))
    else:
        copy.set("joins", [*(copy.args.get("joins") or []), exp.Join(this=rows, kind="CROSS")])
    return copy


def _of_groups(node: exp.Select) -> exp.Select | None:
    """The list beside a query of the groups, in which its ends and all other outputs are columns."""
    order = node.args.get("order")
    names = {item.alias.lower() for item in node.expressions if isinstance(item, exp.Alias)}
    if not all(_is_output_name(key.this, names) for key in ([] if order is None else order.expressions)):
        return None
    copy = node.copy()
    (maker,) = _makers_of(copy)
    series = maker.this if isinstance(maker, exp.Explode) else maker
    if any(part.find_ancestor(*SERIES) is None for part in _outputs_with(maker, copy, exp.Column)):
        return None
    columns: list[exp.Expr] = []

    def moved(part: exp.Expr) -> exp.Expr:
        columns.append(exp.alias_(part.copy(), f"column {len(columns)}", quoted=True))
        return exp.column(exp.to_identifier(columns[-1].alias, quoted=True), table=_quoted(_GROUPS))

    for key in ("start", "end"):
        if series.args.get(key) is not None:
            series.set(key, moved(series.args[key]))
    items = []
    for item in copy.expressions:
        if maker in item.find_all(*_MAKERS):
            items.append(item)
            continue
        name = item.alias_or_name
        value = moved(item.this if isinstance(item, exp.Alias) else item)
        items.append(exp.alias_(value, name, quoted=True) if name else value)
    below = exp.Select(**{key: part for key, part in copy.args.items() if part and key not in _AFTER})
    below.set("expressions", columns)
    above = exp.Select(**{key: copy.args[key] for key in _AFTER if copy.args.get(key)})
    above.set("expressions", items)
    rows = exp.Subquery(this=below, alias=exp.TableAlias(this=_quoted(_GROUPS)))
    above.set("from_", exp.From(this=rows))
    with_ = below.args.get("with_")
    if with_ is not None:
        below.set("with_", None)
        above.set("with_", with_)
    return above


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _is_output_name(key: exp.Expr, names: set[str]) -> bool:
    """Whether a sort key is the place or the name of an output."""
    if isinstance(key, exp.Literal):
        return not key.is_string
    return isinstance(key, exp.Column) and not key.table and key.name.lower() in names


def _outputs_with(maker: exp.Expr, select: exp.Select, *kinds: type[exp.Expr]) -> Sequence[exp.Expr]:
    """The nodes of these kinds in the output that holds a list."""
    item = next(item for item in select.expressions if maker in item.find_all(*_MAKERS))
    return list(item.find_all(*kinds))


def _own(node: exp.Select, *kinds: type[exp.Expr]) -> list[exp.Expr]:
    """The nodes of these kinds in the query, those of queries inside it aside."""
    return [part for part in node.find_all(*kinds) if part.parent_select is node]


def _makers_of(node: exp.Select) -> list[exp.Expr]:
    """What makes several rows of one row of this query, its FROM aside."""
    return [
        maker for maker in _own(node, *_MAKERS) if maker.find_ancestor(exp.From, exp.Join, exp.Select) is node
    ]


def _is_output(node: exp.Expr, select: exp.Select) -> bool:
    """Whether a node stands in an output of this query."""
    while node.parent is not None and node.parent is not select:
        node = node.parent
    return node.arg_key == "expressions"
