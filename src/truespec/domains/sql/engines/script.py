"""Databases as text: CREATE TABLE and INSERT statements in a dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import sqlglot
from sqlglot import TokenType

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.schema import Kind, Schema, Table
from truespec.domains.sql.schema_clauses import creates_table, statements_of
from truespec.verdict import OracleError

Value = None | bool | int | Decimal | str
"""A value to insert. Dates and times are ISO text."""
ValueRow = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Database:
    """The rows of every table of a schema; a table that is not named is empty."""

    tables: Mapping[str, tuple[ValueRow, ...]]
    """Rows by table name, as the schema spells it, values in the order of its columns."""

    def size(self) -> int:
        """How many rows there are in all."""
        return sum(map(len, self.tables.values()))


def identifier(name: str, schema: Schema) -> str:
    """A name as the schema's dialect reads it back."""
    dialect = DIALECTS[schema.dialect]
    sign = dialect.quotes_names_by
    quoted = sign + name.replace(sign, 2 * sign) + sign
    # Where unquoted names are folded, a name is quoted exactly where the DDL quotes it.
    if dialect.unquoted_names_fold and quoted not in schema.ddl and re.fullmatch(r"[A-Za-z_]\w*", name):
        return name
    return quoted


@lru_cache(maxsize=256)
def parents_first(schema: Schema) -> tuple[Table, ...]:
    """The tables ordered so that foreign keys point backwards; `OracleError` for a cycle of tables."""
    done: dict[str, Table] = {}
    waiting = list(schema.tables)
    while waiting:
        ready = [
            table
            for table in waiting
            if all(key.table in done or key.table == table.name for key in table.foreign_keys)
        ]
        if not ready:
            names = ", ".join(table.name for table in waiting)
            raise OracleError(f"schema: the foreign keys of {names} form a cycle")
        done.update((table.name, table) for table in ready)
        waiting = [table for table in waiting if table.name not in done]
    return tuple(done.values())


def create_statements(schema: Schema, *, constrained: bool = True, suffix: str = "") -> list[str]:
    """One CREATE TABLE per table, parents first; without its constraints unless `constrained`.

    Where the schema has clauses that are not read, its constrained tables are made from its own text; where
    a column is generated, all are.
    """
    if (constrained and schema.unread) or any(table.generated for table in schema.tables):
        return list(own_statements(schema))
    return [_create(table, schema, constrained) + suffix for table in parents_first(schema)]


@lru_cache(maxsize=256)
def own_statements(schema: Schema) -> tuple[str, ...]:
    """The statements of the schema's own text, unchanged: CREATE TABLE, parents first, then indexes."""
    parts = statements_of(schema.ddl, schema.dialect)
    texts = [(schema.ddl[part[0].start : part[-1].end], creates_table(part)) for part in parts]
    written = [text for text, is_table in texts if is_table]
    if len(written) != len(schema.tables):
        raise OracleError(f"schema: {len(written)} statements for {len(schema.tables)} tables")
    by_name = {table.name: text for table, text in zip(schema.tables, written, strict=True)}
    tables = [by_name[table.name] for table in parents_first(schema)]
    return (*tables, *(text for text, is_table in texts if not is_table))


def split(text: str, dialect: str) -> list[str]:
    """The statements of a text, cut at its semicolons.

    >>> split("SELECT ';'; SELECT 2;", "mysql")
    ["SELECT ';'", 'SELECT 2']
    """
    statements: list[str] = []
    start = 0
    filled = False
    for token in sqlglot.tokenize(text, read=dialect):
        if token.token_type is not TokenType.SEMICOLON:
            filled = True
            continue
        if filled:
            statements.append(text[start : token.start].strip())
        start, filled = token.end + 1, False
    if filled:
        statements.append(text[start:].strip())
    return statements


def _create(table: Table, schema: Schema, constrained: bool) -> str:
    def names(columns: Iterable[str]) -> str:
        return ", ".join(identifier(column, schema) for column in columns)

    dialect = DIALECTS[schema.dialect]
    parts: list[str] = []
    for column in table.columns:
        null = "" if column.nullable or not constrained else " NOT NULL"
        # MariaDB's first TIMESTAMP column is NOT NULL with a default, except where it says NULL.
        if column.nullable and dialect.nullable_is_written:
            null = " NULL"
        parts.append(f"{identifier(column.name, schema)} {column.type.sql}".rstrip() + null)
    if constrained:
        if table.primary_key:
            parts.append(f"PRIMARY KEY ({names(table.primary_key)})")
        parts += [f"UNIQUE ({names(unique)})" for unique in table.uniques]
        if dialect.references_need_index:
            parts += [f"INDEX ({names(columns)})" for columns in _referenced(table, schema)]
        parts += [
            f"FOREIGN KEY ({names(key.columns)}) REFERENCES {identifier(key.table, schema)}"
            f" ({names(key.references)})"
            for key in table.foreign_keys
        ]
        parts += [f"CHECK ({check})" for check in table.checks]
    return f"CREATE TABLE {identifier(table.name, schema)} (" + ", ".join(parts) + ")"


def _referenced(table: Table, schema: Schema) -> list[tuple[str, ...]]:
    """Columns that a foreign key refers to and no key covers: InnoDB wants an index there."""
    keys = set(table.unique_keys())
    wanted: list[tuple[str, ...]] = []
    for other in schema.tables:
        for key in other.foreign_keys:
            columns = tuple(key.references)
            if key.table == table.name and columns not in keys and columns not in wanted:
                wanted.append(columns)
    return wanted


OVERRULING = " OVERRIDING SYSTEM VALUE"
"""What an INSERT says that numbers a column itself which the engine would number."""


def insert_statements(database: Database, schema: Schema) -> list[str]:
    """One INSERT per table that has rows, parents first; one per row where the engine wants it so.

    DuckDB looks up what a table's row refers to in the same table among the rows of earlier statements alone.
    """
    statements: list[str] = []
    for table in parents_first(schema):
        found = _referred_first(table, database.tables.get(table.name, ()))
        if not found:
            continue
        given = [place for place, column in enumerate(table.columns) if column.name not in table.generated]
        kinds = [table.columns[place].type.kind for place in given]
        lines = [
            f"({', '.join(map(literal, [row[p] for p in given], kinds, [schema.dialect] * len(kinds)))})"
            for row in found
        ]
        columns = ", ".join(identifier(table.columns[place].name, schema) for place in given)
        numbered = OVERRULING if table.identity else ""
        into = f"INSERT INTO {identifier(table.name, schema)} ({columns}){numbered}"
        if _of_itself(table) and not DIALECTS[schema.dialect].references_find_own_rows:
            statements += [f"{into} VALUES\n  {line}" for line in lines]
        else:
            statements.append(f"{into} VALUES\n  " + ",\n  ".join(lines))
    return statements


def _of_itself(table: Table) -> list[tuple[int, int]]:
    """The columns that refer to another column of the table, both by their places."""
    places = {column.name: place for place, column in enumerate(table.columns)}
    own = [key for key in table.foreign_keys if key.table == table.name]
    return [(places[a], places[b]) for key in own for a, b in zip(key.columns, key.references, strict=True)]


def _referred_first(table: Table, found: Sequence[tuple[Value, ...]]) -> Sequence[tuple[Value, ...]]:
    """The rows in an order in which those come first that others refer to; a circle comes last."""
    pairs, rest = _of_itself(table), list(found)
    done: list[tuple[Value, ...]] = []
    while pairs and rest:
        waiting = {place: {row[place] for row in rest} for _, place in pairs}
        ready = [
            row
            for row in rest
            if all(row[a] is None or row[a] == row[b] or row[a] not in waiting[b] for a, b in pairs)
        ]
        if not ready:
            break
        done += ready
        rest = [row for row in rest if not any(row is other for other in ready)]
    return [*done, *rest]


def literal(value: Value, kind: Kind, dialect: str) -> str:
    """A value as a literal of the dialect."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int() if kind is Kind.BOOL and DIALECTS[dialect].has_boolean_type:
            return "TRUE" if value else "FALSE"
        case int() | Decimal():
            return str(value)
    text = value.replace("'", "''")
    return "'" + (text.replace("\\", "\\\\") if DIALECTS[dialect].backslash_escapes else text) + "'"


def script(statements: Sequence[str]) -> str:
    """Statements as one text."""
    return "".join(statement + ";\n" for statement in statements)
