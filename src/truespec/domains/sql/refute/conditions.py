"""The conditions under which a query puts out a row, over one symbolic row per table that it names.

The reading is a guess where SQL is richer: a condition that it does not know holds or not as Z3 likes, and an
aggregate is read over a group of equal rows. See `seeds.py` for what it is good for.
"""

from __future__ import annotations

import datetime
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.refute.check_constraints import kind_of, parse
from truespec.domains.sql.refute.dates import FIRST, LAST
from truespec.domains.sql.refute.expressions import FEW_COPIES, Expressions, Path
from truespec.domains.sql.refute.reading import Scope
from truespec.domains.sql.refute.symbolic import (
    FALSE,
    SECONDS,
    Beyond,
    Value,
    compared,
    is_true,
    truth_of,
    unlike,
)
from truespec.domains.sql.schema import Column, Kind, Schema, Table

MAX_PATHS = 6
"""So many ways to choose among the sides of UNIONs are followed."""
MAX_DEPTH = 12
"""Queries nested deeper are not read."""
APART = 100
"""Between the numbers of two instances' symbolic rows: no query names a table so often."""
MAX_TEXT = 40
"""Longest text that is proposed."""
_EARLY, _LATE = datetime.date(2018, 1, 1).toordinal(), datetime.date(2025, 12, 31).toordinal()
_USUAL = 99
"""Dates and numbers are looked for here first: a reader likes them better."""


@dataclass(slots=True)
class _Row:
    """A symbolic row."""

    table: Table
    columns: dict[str, Value] = field(default_factory=dict)
    """What has been asked of it, by lower-case name."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of one source of a FROM clause."""

    names: tuple[str, ...]
    at: Callable[[str], Value | None]
    """From a name to its value; None where it has no reading."""


Sources = list[tuple[str, _Columns]]
"""The sources of a FROM clause by alias."""


class Reader(Expressions):
    """Reads the queries of one pair as formulas over symbolic rows."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self.rows: dict[tuple[str, int], _Row] = {}
        """The symbolic rows by table and number."""
        self.usual: list[Any] = [self.copies <= FEW_COPIES]
        """What values that a reader likes have in common."""
        self.positive: list[Any] = [self.copies <= FEW_COPIES]
        """That numbers are positive."""
        self.of_groups: set[int] = set()
        """Which conditions are of HAVING, by Z3's identity."""
        self.keys: list[list[Value]] = []
        """The keys by which each SELECT of the last query groups, as far as they have a reading."""
        self._met: Counter[str] = Counter()
        self._common: dict[str, Any] = {}
        self._depth = self._first = 0

    def paths(self, query: exp.Expr, instance: int = 0) -> list[Path]:
        """The ways of a whole query to put out a row; each instance has symbolic rows of its own."""
        self._met.clear()
        self.keys = []
        self._first = instance * APART
        self._common = {
            str(cte.alias).lower(): (cte.this, [str(c.name).lower() for c in cte.args["alias"].columns])
            for clause in query.find_all(exp.With)
            for cte in clause.expressions
            if not clause.args.get("recursive")
        }
        try:
            return self.query(query, _nowhere)
        except Beyond:
            return [Path((), ())]

    def query(self, node: Any, outer: Scope) -> list[Path]:
        """The ways of a query to put out a row; `Beyond` where it has no reading."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Beyond
        try:
            match node:
                case exp.Subquery() | exp.Paren():
                    return self.query(node.this, outer)
                case exp.Union():
                    return [*self.query(node.this, outer), *self.query(node.expression, outer)][:MAX_PATHS]
                case exp.Except() | exp.Intersect():
                    wanted = isinstance(node, exp.Intersect)
                    right = self.query(node.expression, outer)
                    return [self._within(path, right, wanted) for path in self.query(node.this, outer)]
                case exp.Select():
                    return self._select(node, outer)
            raise Beyond
        finally:
            self._depth -= 1

    def _within(self, path: Path, others: Sequence[Path], wanted: bool) -> Path:
        met = []
        for other in others:
            pairs = zip(path.outputs, other.outputs, strict=False)
            like = [z3.Not(unlike(a, b)) for (_, a), (_, b) in pairs if a and b and a.kind == b.kind]
            met.append(z3.And(*other.conditions, *like))
        found = z3.Or(*met)
        return Path((*path.conditions, found if wanted else z3.Not(found)), path.outputs)

    def _select(self, node: exp.Select, outer: Scope) -> list[Path]:
        found: list[Path] = []
        for conditions, sources in self._from(node, outer):
            scope = _scope(sources, outer)
            parts = list(conditions)
            if node.args.get("where") is not None:
                parts += [is_true(self.truth(part, scope)) for part in _conjuncts(node.args["where"].this)]
            outputs: list[tuple[str, Value | None]] = []
            for output in node.expressions:
                if output.is_star:
                    outputs += _starred(output, sources)
                else:
                    outputs.append((str(output.alias_or_name).lower(), self._maybe(output.unalias(), scope)))
            if node.args.get("having") is not None:
                named = dict(outputs)
                inner = _with_outputs(scope, named)
                having = [is_true(self.truth(part, inner)) for part in _conjuncts(node.args["having"].this)]
                self.of_groups |= {condition.get_id() for condition in having}
                parts += having
            self.keys.append(list(self._keys_of(node, scope, outputs)))
            found.append(Path(tuple(parts), tuple(outputs)))
        return found[:MAX_PATHS]

    def _keys_of(
        self, node: exp.Select, scope: Scope, outputs: Sequence[tuple[str, Value | None]]
    ) -> Iterator[Value]:
        """What the rows of one group have in common, and what makes rows of DISTINCT the same."""
        group = node.args.get("group")
        inner = _with_outputs(scope, dict(outputs))
        for key in group.expressions if group is not None else ():
            if isinstance(key, exp.Literal) and key.name.isdigit():
                place = int(key.name) - 1
                value = outputs[place][1] if 0 <= place < len(outputs) else None
            else:
                value = self._maybe(key, inner)
            if value is not None:
                yield value
        if node.args.get("distinct") is not None:
            yield from (value for _, value in outputs if value is not None)

    def _from(self, node: exp.Select, outer: Scope) -> list[tuple[list[Any], Sources]]:
        start = node.args.get("from_")
        parts: list[tuple[Any, Any]] = [(start.this, None)] if start is not None else []
        parts += [(join.this, join) for join in node.args.get("joins") or ()]
        ways: list[tuple[list[Any], Sources]] = [([], [])]
        for source, join in parts:
            alias = str(source.alias_or_name).lower()
            following = []
            for conditions, sources in ways:
                for more, columns in self._source(source, _scope(sources, outer)):
                    together = [*sources, (alias, columns)]
                    met = self._met_by(join, sources, columns, _scope(together, outer)) if join else []
                    following.append(([*conditions, *more, *met], together))
            ways = following[:MAX_PATHS]
        return ways

    def _met_by(self, join: exp.Join, sources: Sources, columns: _Columns, scope: Scope) -> list[Any]:
        """What a join asks of its rows; `sources` stand before it, `columns` are those that it adds."""
        shared = [str(name.name).lower() for name in join.args.get("using") or ()]
        if str(join.args.get("method") or "").upper() == "NATURAL":
            shared += columns.names
        on = join.args.get("on")
        met = [is_true(self.truth(part, scope)) for part in _conjuncts(on)] if on else []
        for name in shared:
            met += _using(name, sources, columns)
        return met

    def _source(self, node: Any, outer: Scope) -> list[tuple[tuple[Any, ...], _Columns]]:
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Func):
            name = str(node.name).lower()
            if name in self._common:
                query, renamed = self._common[name]
                return [(p.conditions, _derived(p, renamed)) for p in self.query(query, _nowhere)]
            try:
                table = self.schema.table(name)
            except KeyError as error:
                raise Beyond from error
            number = self._first + self._met[name]
            self._met[name] += 1
            row = self.rows.setdefault((table.name, number), _Row(table))
            return [((), self._stored(row))]
        if isinstance(node, exp.Subquery):
            alias = node.args.get("alias")
            renamed = [str(c.name).lower() for c in alias.columns] if alias else []
            return [(p.conditions, _derived(p, renamed)) for p in self.query(node.this, outer)]
        raise Beyond

    def _stored(self, row: _Row) -> _Columns:
        return _Columns(
            tuple(column.name.lower() for column in row.table.columns), lambda name: self.seen(row, name)
        )

    def column(self, row: _Row, name: str) -> Value:
        """The value of a column in a symbolic row."""
        if name in row.columns:
            return row.columns[name]
        column = row.table.column(name)
        kind = kind_of(column, row.table, self.schema.dialect)
        stem = f"{row.table.name.lower()}.{name}.{next(self.fresh)}"
        null = z3.Bool(f"null {stem}") if column.nullable else FALSE
        match kind:
            case Kind.INT | Kind.DECIMAL | Kind.FLOAT:
                value: Any = z3.Int(stem)
                top = 10 ** min(column.type.precision or 9, 9) - 1 if kind is Kind.DECIMAL else 2**31 - 1
                small = {"TINYINT": 127, "SMALLINT": 32_767}.get(column.type.sql.upper().split("(")[0], top)
                bottom = 0 if "UNSIGNED" in column.type.sql.upper() else -small
                self.facts += [value >= bottom, value <= small]
                self.positive.append(value >= 1)
                self.usual += [value >= 1, value <= _USUAL * 10 ** scale(column)]
                made = "number"
            case Kind.BOOL:
                made = "truth"
                value = z3.Bool(stem)
            case Kind.TEXT | Kind.ENUM:
                value, made = z3.String(stem), "text"
                self.facts.append(z3.Length(value) <= min(column.type.precision or MAX_TEXT, MAX_TEXT))
                if kind is Kind.ENUM:
                    self.facts.append(z3.Or(*(value == member for member in column.type.values)))
            case Kind.DATE:
                value, made = z3.Int(stem), "date"
                self.facts += [value >= FIRST, value <= LAST]
                self.usual += [value >= _EARLY, value <= _LATE]
            case Kind.DATETIME:
                value, made = z3.Int(stem), "moment"
                self.facts += [value >= FIRST * SECONDS, value < (LAST + 1) * SECONDS]
                self.usual += [value >= _EARLY * SECONDS, value <= _LATE * SECONDS]
            case _:
                raise Beyond
        row.columns[name] = Value(null, value, made)
        return row.columns[name]

    def seen(self, row: _Row, name: str) -> Value:
        """A column as expressions see it: a number with its digits after the point."""
        found = self.column(row, name)
        digits = scale(row.table.column(name))
        if digits == 0:
            return found
        return Value(found.null, z3.ToReal(found.value) / 10**digits, "number")

    def facts_of_rows(self) -> list[Any]:
        """That keys tell rows apart, that references have their parents' values, and what CHECKs say."""
        facts: list[Any] = []
        for row in list(self.rows.values()):
            for text in row.table.checks:
                tree = parse(text, self.schema.dialect)
                columns = self._stored(row)
                if tree is not None:
                    try:
                        value = self.value(tree, _scope([(row.table.name.lower(), columns)], _nowhere))
                        facts.append(z3.Or(value.null, truth_of(value).value))
                    except Beyond:
                        continue
        of_table: dict[str, list[_Row]] = {}
        for row in self.rows.values():
            of_table.setdefault(row.table.name, []).append(row)
        for rows in of_table.values():
            for one, other in itertools.combinations(rows, 2):
                for key in one.table.unique_keys():
                    names = [name.lower() for name in key]
                    pairs = [(self.column(one, name), self.column(other, name)) for name in names]
                    apart = z3.Or(*(z3.Or(a.null, b.null, a.value != b.value) for a, b in pairs))
                    # One row has one value for each column that either of the two is asked for.
                    asked = dict.fromkeys([*one.columns, *other.columns])
                    both = [(self.column(one, name), self.column(other, name)) for name in asked]
                    facts.append(z3.Or(apart, z3.And(*(z3.Not(unlike(a, b)) for a, b in both))))
        return facts


def _nowhere(alias: str, name: str) -> Value | None:
    return None


def _scope(sources: Sources, outer: Scope) -> Scope:
    def find(alias: str, name: str) -> Value | None:
        for other, columns in sources:
            if alias in ("", other) and name in columns.names:
                return columns.at(name)
        return outer(alias, name)

    return find


def _with_outputs(scope: Scope, outputs: Mapping[str, Value | None]) -> Scope:
    def find(alias: str, name: str) -> Value | None:
        found = scope(alias, name)
        return outputs.get(name) if found is None and not alias else found

    return find


def _derived(path: Path, renamed: Sequence[str]) -> _Columns:
    names = [name for name, _ in path.outputs]
    names[: len(renamed)] = renamed
    values = dict(zip(names, (value for _, value in path.outputs), strict=False))
    return _Columns(tuple(names), values.get)


def _starred(star: Any, sources: Sources) -> list[tuple[str, Value | None]]:
    """The columns of `*`, or of `table.*`."""
    wanted = str(star.table).lower() if star.args.get("table") else None
    return [
        (name, columns.at(name))
        for alias, columns in sources
        if wanted is None or wanted == alias
        for name in columns.names
    ]


def _using(name: str, sources: Sources, columns: _Columns) -> list[Any]:
    other = _scope(sources, _nowhere)("", name)
    own = columns.at(name) if name in columns.names else None
    return [is_true(compared("=", other, own))] if other is not None and own is not None else []


def _conjuncts(node: Any) -> Iterator[Any]:
    if isinstance(node, exp.And):
        yield from _conjuncts(node.left)
        yield from _conjuncts(node.right)
    elif isinstance(node, exp.Paren):
        yield from _conjuncts(node.this)
    else:
        yield node


def scale(column: Column) -> int:
    if column.type.kind is Kind.DECIMAL:
        return min(column.type.scale or 0, 4)
    return 2 if column.type.kind is Kind.FLOAT else 0
