"""A recorded counterexample, replayed from its printed statements.

This shares nothing with the search but the engine's installation: the statements are read back from the
record, checked to declare the schema of the context and to insert nothing but literal rows, and run in a new
database of a session of its own; the results are compared by a comparison of its own.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.domains.contract import Recheck, RecheckStatus
from truespec.domains.sql.engines.contract import Engine, NotAQuery, SessionChanged, Settings, Stopped
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.engines.result import cell, nested
from truespec.domains.sql.engines.script import OVERRULING, own_statements, split
from truespec.domains.sql.schema import Schema, read_schema
from truespec.verdict import Counterexample, OracleError, ToolMissing

DIGITS = 8
"""Digits after the point in which numbers must agree or differ."""

_UNDECIDED = (Stopped, NotAQuery, SessionChanged)

Shown = list[tuple[Any, ...]] | None
"""Rows of comparable cells; None for a run-time error."""


def replay(oracle: str, candidate: str, schema: Schema, settings: Settings, found: Counterexample) -> Recheck:
    """Whether the recorded database tells the two queries apart, with the recorded results."""
    by = schema.dialect
    try:
        statements = _statements(found.point.get("script"), schema)
        target = engine(schema.dialect)
        by = target.label()
        note = _legal(target, schema, statements, settings)
        _accepted(target, statements, settings)
        one, other = (_run(target, statements, query, settings) for query in (oracle, candidate))
    except (SqlglotError, OracleError) as error:
        return Recheck(RecheckStatus.FAILED, by, f"the script: {error}")
    except (ToolMissing, *_UNDECIDED) as error:
        return Recheck(RecheckStatus.UNDECIDED, by, str(error))
    for side, result, recorded in (
        ("oracle", one, found.oracle_value),
        ("candidate", other, found.candidate_value),
    ):
        if _counted(result) != _counted(_recorded(recorded)):
            detail = f"the {side} yields {result!r}; the record says {recorded!r}"
            return Recheck(RecheckStatus.FAILED, by, detail)
    if found.extra.get("compared_as") == "list":
        differ = one != other
    else:
        differ = _sorted(one) != _sorted(other)
    if differ:
        return Recheck(RecheckStatus.CONFIRMED, by, note)
    return Recheck(RecheckStatus.FAILED, by, f"both queries yield {one!r}")


def replay_allowed(candidate: str, schema: Schema, settings: Settings, found: Counterexample) -> Recheck:
    """Whether the candidate gives the oracle's recorded result on the same rows in another recorded order."""
    by = schema.dialect
    try:
        statements = _statements(found.extra.get("allowed_script"), schema)
        if _inserted(statements, schema) != _inserted(_statements(found.point.get("script"), schema), schema):
            return Recheck(RecheckStatus.FAILED, by, "the reordered database holds other rows")
        target = engine(schema.dialect)
        by = target.label()
        _accepted(target, statements, settings)
        result = _run(target, statements, candidate, settings)
    except (SqlglotError, OracleError) as error:
        return Recheck(RecheckStatus.FAILED, by, f"the reordered script: {error}")
    except (ToolMissing, *_UNDECIDED) as error:
        return Recheck(RecheckStatus.UNDECIDED, by, str(error))
    if _counted(result) == _counted(_recorded(found.oracle_value)):
        return Recheck(RecheckStatus.CONFIRMED, by)
    return Recheck(
        RecheckStatus.FAILED, by, f"reordered, the candidate yields {result!r}, not the oracle's result"
    )


def _inserted(statements: Sequence[str], schema: Schema) -> Counter[tuple[str, str]]:
    """The rows of a script: table and values, each as often as it is inserted."""
    rows: Counter[tuple[str, str]] = Counter()
    for statement in statements:
        if _creates(statement):
            continue
        tree: Any = _insert(statement, schema)
        table = str(tree.this.sql(schema.dialect)).lower()
        rows.update((table, str(row.sql(schema.dialect))) for row in tree.expression.expressions)
    return rows


def _statements(script: object, schema: Schema) -> list[str]:
    """The statements of a script that declares this schema and inserts literals; `OracleError` otherwise."""
    if not isinstance(script, str):
        raise OracleError("the counterexample holds none")
    statements = split(script, schema.dialect)
    creates: list[str] = []
    for statement in statements:
        if _creates(statement):
            creates.append(statement)
            continue
        tree = _insert(statement, schema)
        if not (isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Values)):
            raise OracleError(f"{statement[:60]!r} is neither CREATE TABLE nor INSERT ... VALUES")
        if tree.find(exp.Func, exp.Query, exp.Column) is not None:
            raise OracleError(f"{statement[:60]!r} inserts more than literals")
    declared = read_schema(";\n".join(creates), schema.dialect)
    if _facts(declared) != _facts(schema):
        raise OracleError("it does not declare the tables and constraints of the context")
    return statements


def _insert(statement: str, schema: Schema) -> Any:
    """The tree of an INSERT, without the words that the parser does not know."""
    if any(table.identity for table in schema.tables):
        statement = statement.replace(f"{OVERRULING} VALUES", " VALUES", 1)
    return sqlglot.parse_one(statement, read=schema.dialect)


def _creates(statement: str) -> bool:
    return statement[:6].upper() == "CREATE"


def _facts(schema: Schema) -> object:
    return sorted(
        (
            table.name.lower(),
            [(column.name.lower(), column.type.sql, column.nullable) for column in table.columns],
            table.primary_key,
            sorted(table.uniques),
            sorted((key.columns, key.table.lower(), key.references) for key in table.foreign_keys),
            sorted(table.checks),
        )
        for table in schema.tables
    )


def _accepted(target: Engine, statements: Sequence[str], settings: Settings) -> None:
    """`OracleError` where the engine does not take the database, whatever is asked of it then."""
    try:
        target.takes(statements, settings)
    except _UNDECIDED:
        raise
    except Exception as error:
        raise OracleError(f"{target.label()} refuses it: {error}") from error


def _legal(target: Engine, schema: Schema, statements: Sequence[str], settings: Settings) -> str:
    """`OracleError` where the tables of the schema's own text do not take the rows.

    Where the engine does not take that text at all (an index is missing there, say), the tables as they were
    read have to do, unless a clause of it was not read. The result says so, with the engine's message.
    """
    own = own_statements(schema)
    inserts = [statement for statement in statements if not _creates(statement)]
    try:
        _accepted(target, [*own, *inserts], settings)
    except OracleError:
        try:
            _accepted(target, own, settings)
        except OracleError as error:
            if schema.unread:
                raise
            return (
                f"the schema's own text was not used: {error.message};"
                " the rows were accepted into tables made from what was read of it"
            )
        raise
    return ""


def _run(target: Engine, statements: Sequence[str], query: str, settings: Settings) -> Shown:
    try:
        return _cells(target.replay(statements, query, settings))
    except _UNDECIDED:
        raise
    except Exception:  # the driver's own; the database alone was accepted just before
        return None


def _cells(rows: Iterable[Sequence[object]]) -> list[tuple[Any, ...]]:
    return [tuple(map(_cell, row)) for row in rows]


def _cell(value: object) -> Any:
    match value:
        case bool():
            return f"<{value}>"
        case int() | float() | Decimal():
            number = round(Decimal(str(value)), DIGITS)
            return str(number.normalize() + 0 if number else Decimal(0))
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                return value.hex()
        case datetime.datetime():
            return value.isoformat(" ")
        case datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            seconds = int(value.total_seconds())
            return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        case dict() | list() | tuple():
            return nested(value)
    return value if value is None or isinstance(value, str) else cell(value)


def _recorded(value: object) -> Shown:
    """A result as the verdict record shows it: fractions are texts there, which read as numbers here."""
    if not isinstance(value, list):
        return None
    return _cells(row for row in value if isinstance(row, list))


def _sorted(rows: Shown) -> list[str] | None:
    """Rows in an order of their own."""
    return None if rows is None else sorted(map(repr, rows))


def _counted(rows: Shown) -> list[str] | None:
    """Rows in an order of their own; a number and the text that writes it look alike in a record."""
    if rows is None:
        return None
    return sorted(repr(tuple(_number(cell) for cell in row)) for row in rows)


def _number(cell: Any) -> Any:
    if isinstance(cell, str) and "." in cell:
        try:
            return _cell(Decimal(cell))
        except ArithmeticError:
            return cell
    return cell
