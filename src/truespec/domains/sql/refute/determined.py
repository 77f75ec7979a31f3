"""Which rows of a FROM clause the group keys determine, by the keys that the schema declares.

A grouped query may name a column that is no group key, and an engine then takes the value of any row of the
group. It is no choice where all rows of the group have that value: where the group keys fix the row that the
column belongs to. A row is fixed where the columns of one of its table's keys are; fixed columns spread along
equalities. Everything here is about columns that equal up to the collation, which is what keys are unique by:
the row is the same one, so its other columns are the same by their bytes.

Only declared keys count, and keys that follow from them: of a grouped or DISTINCT subquery its group keys or
outputs. Anything this cannot read determines nothing, which costs refutations and never makes one wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.schema import Kind, Schema

_SUBTOTALS = ("grouping_sets", "cube", "rollup", "totals", "all")
MAX_NESTING = 8
"""Subqueries in FROM that are looked into, from the outside."""

Place = tuple[str, str]
"""An alias and a column, in lower case."""


@dataclass(frozen=True, slots=True)
class _Key:
    columns: frozenset[str]
    """No two rows agree on all of these, NULL agreeing with NULL."""
    without_nulls: bool
    """Whether none of them is ever NULL."""


@dataclass(frozen=True, slots=True)
class _Source:
    kinds: Mapping[str, Kind | None] | None
    """The columns with their kinds, None where a kind is not known; None where the columns are not."""
    keys: tuple[_Key, ...]


@dataclass(slots=True)
class _From:
    """One FROM clause with its equalities."""

    sources: dict[str, _Source]
    equal: list[tuple[Place, Place]]
    """Columns that agree in every row, from comma joins, inner joins and WHERE."""
    optional: dict[str, Any]
    """The ON condition of each alias that a LEFT JOIN adds."""
    extended: bool
    """Whether a RIGHT or FULL JOIN may put NULLs in place of any row."""

    def place(self, column: Any) -> Place | None:
        """The alias and column that a name means; None where that is not certain."""
        name, table = str(column.name).lower(), str(column.table).lower()
        if table:
            source = self.sources.get(table)
            known = source is not None and (source.kinds is None or name in source.kinds)
            return (table, name) if known else None
        if any(source.kinds is None for source in self.sources.values()):
            return None
        found = [alias for alias, source in self.sources.items() if name in (source.kinds or ())]
        return (found[0], name) if len(found) == 1 else None

    def comparable(self, one: Place, other: Place) -> bool:
        """Whether `=` between two columns converts neither: 'a' = 0 would hold in MariaDB."""
        kinds = [(self.sources[alias].kinds or {}).get(column) for alias, column in (one, other)]
        return kinds[0] is kinds[1] and kinds[0] not in (None, Kind.OTHER, Kind.FLOAT)

    def fixed_rows(self, keys: Sequence[Place]) -> set[str]:
        """The aliases whose row is the same throughout each group."""
        fixed = set(keys)
        rows: set[str] = set()
        while True:
            before = len(fixed), len(rows)
            for alias, source in self.sources.items():
                if alias not in rows and self._fixes(alias, source, fixed, rows):
                    rows.add(alias)
                    fixed |= {(alias, column) for column in source.kinds or ()}
            for one, other in self.equal:
                if one in fixed or other in fixed:
                    fixed |= {one, other}
            if (len(fixed), len(rows)) == before:
                return rows

    def _fixes(self, alias: str, source: _Source, fixed: set[Place], rows: set[str]) -> bool:
        if source.kinds is None:
            return False
        nullable = self.extended or alias in self.optional
        own = {column for other, column in fixed if other == alias}
        if any(key.columns <= own and (key.without_nulls or not nullable) for key in source.keys):
            return True
        on = self.optional.get(alias)
        if on is None or self.extended or on.find(exp.Query) is not None:
            return False
        # At most one row of the key's values is met, and whether one is depends on fixed rows alone.
        places = [self.place(column) for column in on.find_all(exp.Column)]
        if any(place is None or (place[0] != alias and place[0] not in rows) for place in places):
            return False
        met = {place[1] for pair in self.equalities(on) for place in pair if place[0] == alias}
        return any(key.columns <= met for key in source.keys)

    def equalities(self, condition: Any) -> Iterator[tuple[Place, Place]]:
        """The equalities of two tables' columns among the conjuncts of a condition."""
        for part in _conjuncts(condition):
            if (
                isinstance(part, exp.EQ)
                and isinstance(part.this, exp.Column)
                and isinstance(part.expression, exp.Column)
            ):
                one, other = self.place(part.this), self.place(part.expression)
                if one and other and one[0] != other[0] and self.comparable(one, other):
                    yield one, other


def leaves_choice(query: exp.Select, schema: Schema, root: exp.Expr) -> bool:
    """Whether a grouped query names, outside aggregates, a column that its groups do not determine."""
    if DIALECTS[schema.dialect].ungrouped_is_refused:
        return False  # which refuse such a query, but for what a primary key determines
    group = query.args["group"]
    read = _read_from(query, schema, _common(root), 0)
    keys = _keys(query, read)
    written = {key.sql(comments=False) for key in keys}
    places = [place for key in keys if isinstance(key, exp.Column) and (place := read.place(key))]
    # A row of subtotals has NULL for a key, and determines nothing more.
    plain = not any(group.args.get(part) for part in _SUBTOTALS)
    rows = read.fixed_rows(places) if plain else set()
    named = {str(output.alias).lower() for output in query.expressions if output.alias}
    clauses = [query.args.get("having"), query.args.get("order")]
    waiting: list[tuple[Any, bool]] = [
        *((output, False) for output in query.expressions),
        *((clause, True) for clause in clauses if clause is not None),
    ]
    while waiting:
        node, behind = waiting.pop()
        if is_aggregate(node):
            continue
        if isinstance(node, exp.Query):
            # Of a subquery's own names, those that say a table of ours may be ours.
            waiting += [(c, False) for c in node.find_all(exp.Column) if str(c.table).lower() in read.sources]
        elif isinstance(node, exp.Star):
            if not rows >= set(read.sources):
                return True
        elif isinstance(node, exp.Column):
            place = read.place(node)
            if isinstance(node.this, exp.Star):
                if str(node.table).lower() not in rows:
                    return True
            elif behind and not node.table and str(node.name).lower() in named:
                pass  # an output, which is looked at itself
            elif place in places or (place is not None and place[0] in rows):
                pass
            elif node.sql(comments=False) not in written:
                return True
        elif not (isinstance(node, exp.Expr) and node.sql(comments=False) in written):
            waiting += [(child, behind) for child in node.iter_expressions()]
    return False


def grouping_keys(query: exp.Select, schema: Schema, root: exp.Expr) -> list[Any]:
    """The group keys, with positions and names of outputs replaced by what they stand for."""
    return _keys(query, _read_from(query, schema, _common(root), 0))


def is_aggregate(node: Any) -> bool:
    """Whether an expression is an aggregate of the group, with its FILTER; a window function is none."""
    inner = node.this if isinstance(node, exp.Filter) else node
    aggregates = isinstance(inner, exp.AggFunc)
    around = node.parent
    while isinstance(around, exp.Filter | exp.IgnoreNulls | exp.RespectNulls) and around.this is node:
        node, around = around, around.parent
    return aggregates and not isinstance(around, exp.Window)


def _keys(query: exp.Select, read: _From) -> list[Any]:
    outputs = query.expressions
    named = {str(output.alias).lower(): output.unalias() for output in outputs if output.alias}
    found: list[Any] = []
    for key in query.args["group"].expressions:
        if isinstance(key, exp.Literal) and key.name.isdigit():
            position = int(key.name) - 1
            if position < len(outputs):
                found.append(outputs[position].unalias())
        elif isinstance(key, exp.Column) and not key.table and str(key.name).lower() in named:
            output = named[str(key.name).lower()]
            place = read.place(key)
            # A name that is both a column and another output would need the dialect's rule.
            if place is None or (isinstance(output, exp.Column) and read.place(output) == place):
                found.append(output)
        else:
            found.append(key)
    return found


def _common(root: exp.Expr) -> dict[str, Any]:
    """The queries of WITH by name; None for a recursive one or a name that is used twice."""
    found: dict[str, Any] = {}
    for clause in root.find_all(exp.With):
        for cte in clause.expressions:
            name = str(cte.alias).lower()
            plain = not clause.args.get("recursive") and not cte.args["alias"].columns
            found[name] = cte.this if plain and name not in found else None
    return found


def _conjuncts(condition: Any) -> Iterator[Any]:
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.And):
            waiting += [node.left, node.right]
        elif isinstance(node, exp.Paren):
            waiting.append(node.this)
        elif node is not None:
            yield node


def _read_from(query: exp.Select, schema: Schema, common: Mapping[str, Any], depth: int) -> _From:
    read = _From({}, [], {}, False)
    conditions: list[Any] = []
    using: list[tuple[str, str]] = []
    start = query.args.get("from_")
    parts: list[tuple[Any, Any]] = [(start.this, None)] if start is not None else []
    parts += [(join.this, join) for join in query.args.get("joins") or ()]
    for node, join in parts:
        alias = str(node.alias_or_name).lower()
        nested = node.args.get("joins") or (join is not None and join.method)
        source = _Source(None, ()) if nested else _source(node, schema, common, depth)
        if alias in read.sources:
            source = _Source(None, ())
        read.sources[alias] = source
        if join is None:
            continue
        side = str(join.side).upper()
        read.extended |= side in ("RIGHT", "FULL")
        if side == "LEFT":
            read.optional[alias] = join.args.get("on") or exp.true()
        elif not side:
            conditions.append(join.args.get("on"))
        using += [(str(name.name).lower(), alias) for name in join.args.get("using") or () if not side]
    if not read.extended:
        for condition in conditions:
            read.equal += read.equalities(condition)
        for name, alias in using:
            first = next((a for a, s in read.sources.items() if a != alias and name in (s.kinds or ())), None)
            pair = ((first, name), (alias, name)) if first else None
            if pair and name in (read.sources[alias].kinds or ()) and read.comparable(*pair):
                read.equal.append(pair)
    where = query.args.get("where")
    if where is not None:
        read.equal += read.equalities(where.this)
    return read


def _source(node: Any, schema: Schema, common: Mapping[str, Any], depth: int) -> _Source:
    if isinstance(node, exp.Table):
        name = str(node.name).lower()
        if name in common:
            return _derived(common[name], schema, common, depth + 1)
        try:
            table = schema.table(name)
        except KeyError:
            return _Source(None, ())
        solid = {column.name for column in table.columns if not column.nullable}
        keys = [key for key in table.unique_keys() if set(key) <= solid]
        return _Source(
            {column.name.lower(): column.type.kind for column in table.columns},
            tuple(_Key(frozenset(name.lower() for name in key), True) for key in keys),
        )
    if isinstance(node, exp.Subquery) and node.alias and not node.args["alias"].columns:
        return _derived(node.this, schema, common, depth + 1)
    return _Source(None, ())


def _derived(query: Any, schema: Schema, common: Mapping[str, Any], depth: int) -> _Source:
    """The columns of a subquery and the keys that follow from its own clauses."""
    nothing = _Source(None, ())
    while isinstance(query, exp.Paren | exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or depth > MAX_NESTING:
        return nothing
    outputs = query.expressions
    if any(output.is_star for output in outputs) or not all(output.alias_or_name for output in outputs):
        return nothing
    names = [str(output.alias_or_name).lower() for output in outputs]
    if len(set(names)) < len(names):
        return nothing
    read = _read_from(query, schema, common, depth)
    kinds: dict[str, Kind | None] = dict.fromkeys(names)
    shown: dict[Place, str] = {}
    for name, output in zip(names, outputs, strict=True):
        inner = output.unalias()
        place = read.place(inner) if isinstance(inner, exp.Column) else None
        if place is not None:
            kinds[name] = (read.sources[place[0]].kinds or {}).get(place[1])
            shown[place] = name
    keys: list[_Key] = []
    if query.args.get("distinct") is not None:
        keys.append(_Key(frozenset(names), False))
    group = query.args.get("group")
    if group is not None:
        written = {output.unalias().sql(comments=False): name for name, output in zip(names, outputs)}
        grouped: list[str | None] = []
        for node in _keys(query, read):
            place = read.place(node) if isinstance(node, exp.Column) else None
            grouped.append(shown.get(place or ("", "")) or written.get(node.sql(comments=False)))
        plain = not any(group.args.get(part) for part in _SUBTOTALS)
        if plain and grouped and len(grouped) == len(group.expressions) and None not in grouped:
            keys.append(_Key(frozenset(name for name in grouped if name), False))
    else:
        for alias, source in read.sources.items():
            for key in source.keys:
                places = [(alias, column) for column in key.columns]
                if all(place in shown for place in places) and read.fixed_rows(places) >= set(read.sources):
                    solid = key.without_nulls and not read.extended and alias not in read.optional
                    keys.append(_Key(frozenset(shown[place] for place in places), solid))
    return _Source(kinds, tuple(keys))
