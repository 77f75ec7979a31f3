"""Names that an engine may look up otherwise than the prover: refused before anything is read.

The prover looks a name up in the FROM clause of its query, then in those of the enclosing queries. Engines
know more names than the columns declared there: outputs, tables as rows, system columns, functions without
parentheses. A name that passes by one of those on its way outwards is refused.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sqlglot
from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.functions.registry import FUNCTIONS as CATALOGUE
from truespec.domains.sql.schema import Schema
from truespec.domains.sql.stars import star_of
from truespec.verdict import Unsupported

FUNCTIONS = {
    dialect: functions.bare | DIALECTS[dialect].names_not_columns for dialect, functions in CATALOGUE.items()
}
"""Names that the engine does not look up among the columns where they are not quoted."""

_FORBIDDEN = frozenset(".#!|\\")


@dataclass
class Level:
    """What the FROM clause of one query offers."""

    columns: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a table's alias and a column, both folded."""
    vague: set[str] = field(default_factory=set)
    """What the prover calls expressions without an alias; each engine calls them otherwise."""
    unnamed: bool = False
    """Whether there are expressions without an alias."""
    tables: set[str] = field(default_factory=set)
    """The aliases."""
    outputs: frozenset[str] = frozenset()
    """Aliases of the query's own outputs."""
    hidden: bool = False
    """Whether a name found here is refused: a table that stands beside, which the prover does not see."""
    late: bool = False
    """Whether the name sits in HAVING, ORDER BY or GROUP BY, where outputs are put in place of names."""

    def has(self, table: str, name: str) -> bool:
        """Whether a column is offered."""
        return any(c == name and table in ("", t) for t, c in self.columns)


def check_names(tree: exp.Expr, schema: Schema) -> None:
    """Raise `Unsupported` for a name that the engine may understand otherwise than the prover."""
    _check_spelling(tree, schema)
    _check_truths(tree, schema)
    _Reader(schema).query(tree, [], {})


def _check_spelling(tree: exp.Expr, schema: Schema) -> None:
    """Two names that only an engine's rules of case tell apart, or characters that our own names are made of.

    PostgreSQL keeps the case of quoted names and cuts names at 63 bytes; engines fold ASCII letters alone.
    """
    known: dict[str, str] = {}
    declared = _names_of(schema.ddl, schema.dialect)
    dialect = DIALECTS[schema.dialect]
    for place, (written, quoted) in enumerate((*declared, *_written(tree))):
        ours = _FORBIDDEN if place < len(declared) else {"#"}
        if any(c in ours or ord(c) < 32 for c in written) or len(written.encode()) > dialect.longest_name:
            raise Unsupported(f"sql: the name {written[:60]!r}")
        keeps = quoted and dialect.quoted_names_keep_case
        true = written if keeps else "".join(c.lower() if c.isascii() else c for c in written)
        parts = unicodedata.normalize("NFKD", written).casefold()
        alike = "".join(c for c in parts if not unicodedata.combining(c))
        if known.setdefault(alike, true) != true:
            raise Unsupported(f"sql: the names {known[alike]!r} and {true!r}, which differ in case alone")


def _check_truths(tree: exp.Expr, schema: Schema) -> None:
    """TRUE and FALSE are columns in SQLite where there are columns of these names."""
    if not DIALECTS[schema.dialect].truths_may_be_columns:
        return
    truths = {str(bool(node.this)).lower() for node in tree.find_all(exp.Boolean)}
    names = {written.lower() for written, _ in (*_names_of(schema.ddl, schema.dialect), *_written(tree))}
    for name in sorted(truths & names):
        raise Unsupported(f"sql: the name {name.upper()}, which is a column's too")


def _written(tree: exp.Expr) -> Iterator[tuple[str, bool]]:
    for name in tree.find_all(exp.Identifier):
        if isinstance(name.parent, exp.Collate) and name.arg_key == "expression":
            continue
        if isinstance(name.parent, exp.CollateColumnConstraint):
            continue
        yield str(name.this), bool(name.args.get("quoted"))


@lru_cache(maxsize=256)
def _names_of(ddl: str, dialect: str) -> tuple[tuple[str, bool], ...]:
    return tuple(name for tree in sqlglot.parse(ddl, read=dialect) if tree for name in _written(tree))


class _Reader:
    """Looks up every name of a query as the prover does, and sees what it passes by."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.dialect = DIALECTS[schema.dialect]

    def query(self, node: Any, outer: list[Level], ctes: dict[str, list[tuple[str, bool]]]) -> Any:
        """The output names of a query, each with whether it is one that the text gives."""
        clause = node.args.get("with_")
        if clause is not None:
            ctes = dict(ctes)
            for cte in clause.expressions:
                outputs = self.query(cte.this, [], ctes)
                named = [(str(c.name).lower(), True) for c in cte.args["alias"].columns]
                ctes[cte.alias.lower()] = named or outputs
        match node:
            case exp.Select():
                return self._select(node, outer, ctes)
            case exp.SetOperation():
                left = self.query(node.this, outer, ctes)
                self.query(node.expression, outer, ctes)
                return left
            case exp.Subquery() | exp.Paren():
                return self.query(node.this, outer, ctes)
            case exp.Values():
                self._parts(list(node.expressions), [Level(), *outer], ctes)
                return self._values(node)
        return []

    def _values(self, node: exp.Values) -> list[tuple[str, bool]]:
        named = node.args["alias"].columns if node.args.get("alias") else []
        if named:
            return [(str(c.name).lower(), True) for c in named]
        row = node.expressions[0]
        width = len(row.expressions) if isinstance(row, exp.Tuple) else 1
        return [(f"column{i + 1}", self.dialect.columns_of_values_are_named) for i in range(width)]

    def _select(self, node: exp.Select, outer: list[Level], ctes: Any) -> list[tuple[str, bool]]:
        level = Level()
        conditions: list[tuple[Any, Level]] = []
        clause = node.args.get("from_")
        if clause is not None:
            self._source(clause.this, level, conditions, outer, ctes)
        group = level
        for join in node.args.get("joins") or []:
            comma = not any(join.args.get(key) for key in ("side", "kind", "method", "on", "using"))
            if comma and not self.dialect.comma_binds_as_join:
                group = Level()
            before = Level(set(group.columns), set(group.vague), group.unnamed, set(group.tables))
            self._source(join.this, level, conditions, outer, ctes, also=before)
            group = before
            if join.args.get("on") is not None:
                conditions.append((join.args["on"], before))
        outputs = frozenset(i.alias.lower() for i in node.expressions if isinstance(i, exp.Alias))
        level.outputs = outputs
        for condition, seen in conditions:
            # In scope for an ON are the tables up to it, back to the last comma; in SQLite the outputs too.
            seen.outputs = outputs if self.dialect.on_sees_outputs else frozenset()
            beside = Level(level.columns, level.vague, level.unnamed, level.tables, hidden=True)
            self._parts([condition], [seen, beside, *outer], ctes)
        late = Level(level.columns, level.vague, level.unnamed, level.tables, outputs, late=True)
        for key in ("expressions", "where", "qualify", "distinct", "limit", "offset", "windows"):
            part = node.args.get(key)
            self._parts(part if isinstance(part, list) else [part], [level, *outer], ctes)
        for key in ("group", "having", "order"):
            self._parts([node.args.get(key)], [late, *outer], ctes)
        return self._outputs(node, level)

    def _outputs(self, node: exp.Select, level: Level) -> list[tuple[str, bool]]:
        found: list[tuple[str, bool]] = []
        for item in node.expressions:
            star = None if isinstance(item, exp.Alias) else star_of(item)
            if isinstance(item, exp.Alias):
                found.append((item.alias.lower(), True))
            elif star is not None:
                named = sorted(name for t, name in level.columns if star.table in ("", t))
                found += [(shown, True) for shown in map(star.offers, named) if shown is not None]
                found += [(shown, False) for shown in map(star.offers, level.vague) if shown is not None]
            else:
                name = str(item.unnest().alias_or_name).lower()
                found.append((name, isinstance(item, exp.Column)))
        return found

    def _source(
        self,
        node: Any,
        level: Level,
        conditions: list[tuple[Any, Level]],
        outer: list[Level],
        ctes: Any,
        also: Level | None = None,
    ) -> None:
        """Add what one member of FROM offers to the level, and to the level of its ON."""
        alias = node.alias.lower() if node.alias else ""
        offered: list[tuple[str, bool]] = []
        columns = node.args["alias"].columns if node.args.get("alias") else []
        inner: Any = node.this
        if isinstance(inner, exp.GenerateSeries | exp.ExplodingGenerateSeries) and len(columns) == 1:
            offered = [(str(columns[0].name).lower(), True)]
            seen = Level(set(level.columns), set(level.vague), level.unnamed, set(level.tables))
            self._parts([inner], [seen, *outer], ctes)
        elif isinstance(node, exp.Table):
            name = node.name.lower()
            if columns:
                raise Unsupported(f"sql: a table under other column names in {node.sql()[:60]!r}")
            alias = alias or name
            if name in ctes:
                offered = ctes[name]
            else:
                offered = [
                    (c.name.lower(), True)
                    for t in self.schema.tables
                    if t.name.lower() == name
                    for c in t.columns
                ]
        elif isinstance(node, exp.Values):
            offered = self.query(node, outer, ctes)
        elif isinstance(node, exp.Lateral):
            seen = Level(set(level.columns), set(level.vague), level.unnamed, set(level.tables))
            offered = self.query(inner, [seen, *outer], ctes)
            if columns:
                offered = [(str(c.name).lower(), True) for c in columns]
        elif isinstance(node, exp.Subquery | exp.Paren) and not isinstance(inner, exp.Table | exp.Paren):
            beside = Level(
                set(level.columns), set(level.vague), level.unnamed, set(level.tables), hidden=True
            )
            offered = self.query(inner, [beside, *outer], ctes)
            if columns:
                offered = [(str(c.name).lower(), True) for c in columns]
        elif isinstance(node, exp.Subquery | exp.Paren):
            if alias:
                raise Unsupported(f"sql: a name for a join in {node.sql()[:60]!r}")
            self._source(inner, level, conditions, outer, ctes, also)
        for target in (level, also):
            if target is not None and (offered or alias):
                target.columns |= {(alias, name) for name, sure in offered if sure}
                target.vague |= {name for name, sure in offered if not sure}
                target.unnamed |= not all(sure for _, sure in offered)
                target.tables |= {alias} if alias else set()
        for join in node.args.get("joins") or []:
            mine = also if also is not None else Level()
            if also is None:
                mine = Level(set(level.columns), set(level.vague), level.unnamed, set(level.tables))
            self._source(join.this, level, conditions, outer, ctes, mine)
            if join.args.get("on") is not None:
                conditions.append((join.args["on"], mine))

    def _parts(self, parts: list[Any], chain: list[Level], ctes: Any) -> None:
        """Every name and every query in these expressions, queries by their own scopes."""
        todo = [part for part in parts if isinstance(part, exp.Expr)]
        while todo:
            part = todo.pop()
            if isinstance(part, exp.Query):
                self.query(part, chain, ctes)
                continue
            if isinstance(part, exp.Column) and not isinstance(part.this, exp.Star):
                self._look_up(part, chain)
            elif isinstance(part, exp.AggFunc) and not all(level.hidden for level in chain[1:]):
                self._own(part, chain[0])
            todo += list(part.iter_expressions())

    def _own(self, call: exp.AggFunc, level: Level) -> None:
        """An aggregate whose arguments name no column of its own query belongs to an enclosing one.

        Not to one that the query cannot refer to: a table in FROM sees no table beside it.
        """
        above = call.parent
        whole: exp.Expr = call
        if isinstance(above, exp.WithinGroup):
            whole, above = above, above.parent
        if isinstance(above, exp.Window) or (
            isinstance(above, exp.Filter) and isinstance(above.parent, exp.Window)
        ):
            return
        named = [
            part
            for part in whole.walk(prune=lambda part: isinstance(part, exp.Query))
            if isinstance(part, exp.Column)
        ]
        inside = whole.find(exp.Query) is not None
        if inside and not any(level.has(c.table.lower(), c.name.lower()) for c in named):
            raise Unsupported(f"sql: a query inside {whole.sql()[:60]!r}")
        if not named and isinstance(above, exp.Filter):
            named = list(above.find_all(exp.Column))
        named = [c for c in named if not isinstance(c.this, exp.Star)]
        if named and not any(level.has(c.table.lower(), c.name.lower()) for c in named):
            raise Unsupported(f"sql: {call.sql()[:60]!r}, an aggregate of an enclosing query")

    def _look_up(self, column: exp.Column, chain: list[Level]) -> None:
        table, name = column.table.lower(), column.name.lower()

        def refuse(why: str) -> None:
            raise Unsupported(f"sql: the name {column.sql()[:60]!r}, {why}")

        quoted = isinstance(column.this, exp.Identifier) and column.this.args.get("quoted")
        if not table and not quoted and name in FUNCTIONS[self.dialect.name]:
            refuse("which is a function too")
        if not table:
            for level in chain[1:] if not chain[0].has(table, name) else ():
                if level.late and name in level.outputs:
                    refuse("also an output of an enclosing query")
        for depth, level in enumerate(chain):
            if name in level.vague and not level.has(table, name):
                refuse("that engines give to no such expression")
            if level.has(table, name):
                if level.hidden:
                    refuse("a column of a table beside")
                if depth == 0:
                    return
                break
        else:
            depth = 0
            if _is_sort_key(column):
                return  # an output, if anything: every engine looks there first
        if not table and name in self.dialect.system_columns:
            refuse("also a system column")
        for level in chain[:depth]:
            if level.unnamed:
                refuse("looked up beyond expressions without a name")
            if not table and name in level.outputs:
                refuse("also an output of a query in between")
            if not table and name in level.tables and self.dialect.tables_are_values:
                refuse("also a table in between")
            if table and (
                table in level.tables or (self.dialect.qualifiers_may_be_columns and level.has("", table))
            ):
                refuse("whose table stands for another one in between")


def _is_sort_key(column: exp.Column) -> bool:
    """Whether a name alone is what a query is sorted by."""
    order = column.parent.parent if isinstance(column.parent, exp.Ordered) else None
    return isinstance(order, exp.Order) and isinstance(order.parent, exp.Query)
