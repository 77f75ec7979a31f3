"""Databases that Z3 proposes: rows on which the conditions of one query hold and those of the other do not.

`conditions.py` reads each table that a query names as one symbolic row; the k-th row of a table is shared by
both queries. Z3 is asked for values on which just one query's conditions hold, on which outputs differ, on
which all but one condition hold (Shah et al., "Generating test data for killing SQL mutants", ICDE 2011), and
on which single conditions do; then for two rows of one query that a key of a GROUP BY or DISTINCT tells
apart. A model becomes rows, as many as a group is to have, completed by parents and drawn values.

A model is only a place to look at: the engine decides what the queries yield there.
"""

from __future__ import annotations

import contextlib
import datetime
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.engines.script import Database, Value, ValueRow, parents_first
from truespec.domains.sql.refute.conditions import MAX_PATHS, MAX_TEXT, Reader, scale
from truespec.domains.sql.refute.dates import FIRST, LAST
from truespec.domains.sql.refute.expressions import FEW_COPIES, Path
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.refute.literals import as_date
from truespec.domains.sql.refute.symbolic import SECONDS, unlike
from truespec.domains.sql.schema import Column, Kind, Schema, Table
from truespec.solvers.limit import Limit
from truespec.solvers.z3 import Outcome, begin_anew, check
from truespec.verdict import OutOfTime

MAX_QUESTIONS, MAX_PAIRS = 60, 24
"""How many questions Z3 is asked about one pair of queries: about one row of each, about two of one."""
EFFORT = 150_000
"""For one question, in Z3's resource units."""
MAX_WITNESSES = 8
"""How many values of a column are handed to the random search."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What Z3 found."""

    databases: tuple[Database, ...]
    """Databases, the most telling ones first; an engine may refuse some."""
    witnesses: Mapping[str, tuple[Value, ...]]
    """Values on which a condition holds or fails, by lower-case column."""


def propose(
    schema: Schema, queries: Sequence[exp.Expr], generator: Generator, seed: int, limit: Limit
) -> Proposal:
    """Databases on which these two queries may differ, as far as the limit allows."""
    begin_anew()
    models: dict[str, _Model] = {}
    with contextlib.suppress(OutOfTime):
        for make, most in ((_of_one_row, MAX_QUESTIONS), (_of_two_rows, MAX_PAIRS)):
            reader = Reader(schema)
            questions = make(reader, queries)
            solver = z3.Solver()
            solver.set("rlimit", EFFORT)
            solver.add(*reader.facts_of_rows(), *reader.facts)
            for question in itertools.islice(questions, most):
                model = _answer(solver, question, reader, limit)
                if model is not None:
                    models.setdefault(model.key, model)
    random = Random(seed)
    databases = list(_databases(list(models.values()), schema, generator, random))
    witnesses: dict[str, dict[Value, None]] = {}
    for model in models.values():
        for (_, column), value in model.values():
            if value is not None and len(found := witnesses.setdefault(column, {})) < MAX_WITNESSES:
                found[value] = None
    return Proposal(tuple(databases), {name: tuple(found) for name, found in witnesses.items()})


def _answer(solver: Any, question: Any, reader: Reader, limit: Limit) -> _Model | None:
    """A model of the question, among usual values if there is one."""
    for restricted in (reader.usual, reader.positive, []):
        limit.check()
        solver.push()
        try:
            solver.add(question, *restricted)
            if check(solver, limit) is Outcome.SAT:
                return _Model(solver.model(), reader)
        finally:
            solver.pop()
    return None


def _of_one_row(reader: Reader, queries: Sequence[exp.Expr]) -> Iterator[Any]:
    """Questions about one row of each query."""
    return _questions([reader.paths(query) for query in queries], reader.atoms)


def _of_two_rows(reader: Reader, queries: Sequence[exp.Expr]) -> Iterator[Any]:
    """Questions about two rows of one query that agree in all keys of a GROUP BY or DISTINCT but one.

    They tell apart queries that group by other keys: at once, and where each group alone meets a HAVING or
    only both together do.
    """
    questions: list[Any] = []
    for query in queries:
        read = [(reader.paths(query, instance), reader.keys) for instance in (0, 1)]
        (ones, groups), (others, again) = read
        for one, other in zip(ones, others, strict=False):
            both = [*one.conditions, *other.conditions]
            rows = [condition for condition in both if condition.get_id() not in reader.of_groups]
            for keys, same_keys in zip(groups, again, strict=False):
                apart = [unlike(a, b) for a, b in zip(keys, same_keys, strict=False)]
                for place, differs in enumerate(apart):
                    alike = [z3.Not(other) for index, other in enumerate(apart) if index != place]
                    questions += [z3.And(*some, *alike, differs) for some in (rows, both)]
    return iter(questions)


def _questions(paths: Sequence[Sequence[Path]], atoms: Sequence[Any]) -> Iterator[Any]:
    left, right = paths
    for ours, theirs in itertools.islice(itertools.product(left, right), MAX_PATHS):
        one, other = z3.And(*ours.conditions), z3.And(*theirs.conditions)
        yield z3.And(one, z3.Not(other))
        yield z3.And(other, z3.Not(one))
        differences = [
            unlike(a, b)
            for (_, a), (_, b) in zip(ours.outputs, theirs.outputs, strict=False)
            if a is not None and b is not None and a.kind == b.kind
        ]
        if differences:
            yield z3.And(one, other, z3.Or(*differences))
    for path in itertools.chain(left, right):
        for place, condition in enumerate(path.conditions):
            rest = [*path.conditions[:place], *path.conditions[place + 1 :]]
            yield z3.And(*rest, z3.Not(condition))
    for path in itertools.chain(left, right):
        yield z3.And(*path.conditions)
        for atom in atoms:
            yield z3.And(*path.conditions, z3.Not(atom))
    for atom in atoms:
        yield atom
        yield z3.Not(atom)


class _Model:
    """Values for the columns of the symbolic rows that a question mentions."""

    def __init__(self, model: Any, reader: Reader) -> None:
        self.rows: dict[str, list[dict[str, Value]]] = {}
        self.copies = _whole(model.eval(reader.copies, model_completion=True)) or 1
        self.varied = reader.distinct if z3.is_true(model.eval(reader.varied)) else set()
        for (table, _), row in reader.rows.items():
            found: dict[str, Value] = {}
            for name, value in row.columns.items():
                if z3.is_true(model.eval(value.null, model_completion=True)):
                    found[name] = None
                elif model[value.value] is not None:
                    found[name] = _read(model[value.value], value.kind, row.table.column(name))
            self.rows.setdefault(table, []).append(found)
        self.key = repr((self.rows, self.copies, sorted(self.varied)))

    def values(self) -> Iterator[tuple[tuple[str, str], Value]]:
        for table, rows in self.rows.items():
            for row in rows:
                for column, value in row.items():
                    yield (table, column), value


def _read(found: Any, kind: str, column: Column) -> Value:
    if kind == "text":
        text = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda m: chr(int(m.group(1), 16)), found.as_string())
        text = "".join(c if " " <= c <= "~" else "a" for c in text)[:MAX_TEXT]
        return text if column.type.kind is not Kind.ENUM or text in column.type.values else None
    if kind == "truth":
        return int(z3.is_true(found))
    whole = _whole(found)
    if kind in ("date", "moment"):
        day = datetime.date.fromordinal(max(FIRST, min(LAST, whole if kind == "date" else whole // SECONDS)))
        if kind == "date":
            return day.isoformat()
        rest = whole % SECONDS
        return f"{day.isoformat()} {rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    digits = scale(column)
    return whole if digits == 0 else Decimal(whole).scaleb(-digits).normalize() + 0


def _whole(found: Any) -> int:
    return int(found.as_long()) if z3.is_int_value(found) else 0


def _databases(
    models: Sequence[_Model], schema: Schema, generator: Generator, random: Random
) -> Iterator[Database]:
    """Each model's rows; those with copies as groups; those of several models together."""
    made = [_filled(model.rows, schema, generator, random) for model in models]
    yield from made
    for model, database in zip(models, made, strict=True):
        many = model.copies if model.copies > 1 else 2
        filled = {name for name, rows in database.tables.items() if rows}
        if many <= FEW_COPIES:
            for name in database.tables:
                if name in filled:
                    yield _copied(database, {name}, many, schema, random, model.varied)
        else:  # a join of the copies has as many rows as there are to be
            many = next(each for each in range(2, many + 1) if each ** len(filled) >= many)
        yield _copied(database, filled, many, schema, random, model.varied)
    for _ in range(len(made)):
        together: dict[str, tuple[ValueRow, ...]] = {}
        for database in random.sample(made, min(len(made), random.randint(2, 4))):
            for name, rows in database.tables.items():
                together[name] = (*together.get(name, ()), *rows)
        yield Database({name: _told_apart(rows, schema.table(name)) for name, rows in together.items()})


def _filled(
    rows: Mapping[str, Sequence[Mapping[str, Value]]], schema: Schema, generator: Generator, random: Random
) -> Database:
    """Rows with every column, and the parents that they need."""
    tables: dict[str, list[ValueRow]] = {name: [] for name in generator.tables}
    # Children first: what they refer to is added to their parents.
    for table in reversed(parents_first(schema)):
        if table.name not in tables:
            continue
        place = {column.name: index for index, column in enumerate(table.columns)}
        drawn = generator.some(table.name, len(rows.get(table.name, ())), random)
        for known, whole in zip(rows.get(table.name, ()), drawn, strict=False):
            tables[table.name].append(
                tuple(
                    known.get(column.name.lower(), value)
                    for column, value in zip(table.columns, whole, strict=True)
                )
            )
        tables[table.name] = list(_told_apart(tables[table.name], table))
        for key in table.foreign_keys:
            parent = schema.table(key.table)
            names = [column.name for column in parent.columns]
            there = [names.index(name) for name in key.references]
            for row in list(tables[table.name]):
                values = tuple(row[place[column]] for column in key.columns)
                parents = [tuple(found[index] for index in there) for found in tables[key.table]]
                if None not in values and values not in parents:
                    (drawn_parent,) = generator.some(key.table, 1, random)
                    tables[key.table].append(_parent(drawn_parent, dict(zip(there, values)), parent))
    return Database({name: tuple(found) for name, found in tables.items()})


def _parent(drawn: ValueRow, given: Mapping[int, Value], table: Table) -> ValueRow:
    """A drawn row with the values that a child refers to; where it can, it refers to no row of its table."""
    own = {name for key in table.foreign_keys if key.table == table.name for name in key.columns}
    return tuple(
        None if column.name in own and column.nullable else given.get(index, value)
        for index, (column, value) in enumerate(zip(table.columns, drawn, strict=True))
    )


def _told_apart(rows: Sequence[ValueRow], table: Table) -> tuple[ValueRow, ...]:
    """The rows without those that repeat a key."""
    place = {column.name: index for index, column in enumerate(table.columns)}
    keys = [[place[name] for name in key] for key in table.unique_keys()]
    seen: list[set[Any]] = [set() for _ in keys]
    kept: list[ValueRow] = []
    for row in rows:
        values = [tuple(row[index] for index in key) for key in keys]
        if all(None in value or value not in known for value, known in zip(values, seen, strict=True)):
            kept.append(row)
            for value, known in zip(values, seen, strict=True):
                known.add(value)
    return tuple(kept)


def _copied(
    database: Database, names: set[str], many: int, schema: Schema, random: Random, varied: Set[str]
) -> Database:
    """The rows of some tables so often, their keys distinguished by a column that refers to nothing.

    The columns that are `varied` have another value in each copy.
    """
    tables: dict[str, tuple[ValueRow, ...]] = {}
    for name, rows in database.tables.items():
        table = schema.table(name)
        made = list(rows)
        referring = {column for key in table.foreign_keys for column in key.columns}
        for row in rows if name in names else ():
            for number in range(1, many):
                copy = [
                    _next(value, number) if column.name.lower() in varied else value
                    for column, value in zip(table.columns, row, strict=True)
                ]
                for key in table.unique_keys():
                    free = [column for column in key if column not in referring] or list(key)
                    index = [column.name for column in table.columns].index(free[-1])
                    copy[index] = _next(row[index], number + random.choice((0, 0, 10)))
                made.append(tuple(copy))
        tables[name] = _told_apart(made, table)
    return Database(tables)


def _next(value: Value, by: int) -> Value:
    """Another value of the same kind."""
    if isinstance(value, str):
        day = as_date(value) if len(value) >= 10 else None
        if day is not None:  # no day follows the last one
            later = day.toordinal() + by
            by = by if later <= datetime.date.max.toordinal() else -by
            return (day + datetime.timedelta(days=by)).isoformat() + value[10:]
        return f"{value[: MAX_TEXT - 2]}{by}"
    return value if value is None else value + by
