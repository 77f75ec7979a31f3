"""Tables with their integrity constraints, read from CREATE TABLE statements.

PRIMARY KEY implies NOT NULL in every dialect. Any other column is nullable unless the DDL says otherwise.
Table and column names are matched without regard to case, as the engines do here (MariaDB runs with
`lower_case_table_names=1`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.domains.sql.dialects import registry as dialects
from truespec.domains.sql.schema_clauses import creates_table, index_of, reduce, statements_of
from truespec.domains.sql.schema_tokens import checks_of, has_type
from truespec.domains.sql.schema_types import Kind, Type, name_of, read_type
from truespec.domains.sql.text.agreement import check_agreement
from truespec.domains.sql.text.lexer import Lexeme, lex
from truespec.verdict import OracleError, SpecificationError, Unsupported

__all__ = ["DIALECTS", "Column", "ForeignKey", "Kind", "Schema", "Table", "Type", "read_schema"]

# What sqlglot reads as a command is read here by its tokens.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

DIALECTS = tuple(dialects.DIALECTS)
"""The dialects of the contract; the first is the default."""

MAX_DDL = 200_000
"""Longest DDL that is read, in characters."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    """As the DDL writes it."""
    type: Type
    """Its type."""
    nullable: bool
    """Whether the DDL allows NULL."""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Rows whose `columns` are all non-NULL have a parent row in `table`."""

    columns: tuple[str, ...]
    """The child's columns, spelled as in their table."""
    table: str
    """The parent table, spelled as in its CREATE TABLE."""
    references: tuple[str, ...]
    """The parent's columns, spelled as in their table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table and its own constraints."""

    name: str
    """As the DDL writes it."""
    columns: tuple[Column, ...]
    """In the order of the DDL."""
    primary_key: tuple[str, ...] = ()
    """Its columns, spelled as above; empty where there is none."""
    uniques: tuple[tuple[str, ...], ...] = ()
    """UNIQUE constraints: rows that agree and are non-NULL on all columns are the same row."""
    foreign_keys: tuple[ForeignKey, ...] = ()
    """References to parents."""
    checks: tuple[str, ...] = ()
    """CHECK conditions as the DDL writes them: no row makes one false."""
    strict: bool = False
    """Whether SQLite's STRICT is set: its columns hold values of their types only."""
    generated: frozenset[str] = frozenset()
    """Columns whose values the engine computes; no INSERT names them, and no proof is made about them."""
    identity: bool = False
    """Whether the engine numbers a column unless INSERT overrules it."""

    def __post_init__(self) -> None:
        names = [column.name.lower() for column in self.columns]
        if len(set(names)) != len(names) or not names:
            raise OracleError(f"schema: table {self.name!r} has no columns, or one name twice")

    def column(self, name: str) -> Column:
        """The column of this name, any case; `KeyError` where there is none."""
        for column in self.columns:
            if column.name.lower() == name.lower():
                return column
        raise KeyError(name)

    def unique_keys(self) -> tuple[tuple[str, ...], ...]:
        """The primary key and every UNIQUE constraint."""
        return ((self.primary_key,) if self.primary_key else ()) + self.uniques


@dataclass(frozen=True, slots=True)
class Schema:
    """All tables of a database."""

    tables: tuple[Table, ...]
    """In the order of the DDL."""
    dialect: str
    """One of `DIALECTS`."""
    ddl: str
    """The text it was read from, without comments."""
    unread: tuple[str, ...] = ()
    """Clauses that are not read here, each with its table; the engine knows them."""
    unclear: tuple[str, ...] = ()
    """Those of them that may say more than which rows there are: no proof is made under them."""

    def table(self, name: str) -> Table:
        """The table of this name, any case; `KeyError` where there is none."""
        for table in self.tables:
            if table.name.lower() == name.lower():
                return table
        raise KeyError(name)

    def collated(self, names: Iterable[str]) -> bool:
        """Whether one of these tables has a column with a collation."""
        known = {name.lower() for name in names}
        tables = [table for table in self.tables if table.name.lower() in known]
        return any(" COLLATE " in column.type.sql for table in tables for column in table.columns)


_OPTIONS = (
    exp.EngineProperty,
    exp.AutoIncrementProperty,
    exp.CharacterSetProperty,
    exp.CollateProperty,
    exp.SchemaCommentProperty,
    exp.RowFormatProperty,
    exp.TemporaryProperty,
    exp.UnloggedProperty,
    exp.StrictProperty,
)
"""Options of a table that constrain no row and hide no column, but for those that `_Draft` reads."""
_REMARKS = (
    exp.DefaultColumnConstraint,
    exp.CommentColumnConstraint,
    exp.AutoIncrementColumnConstraint,
    exp.OnUpdateColumnConstraint,
)
"""Parts of a column that constrain no row."""


_ACTIONS = ("ON DELETE ", "ON UPDATE ", "MATCH SIMPLE", "NOT DEFERRABLE", "INITIALLY IMMEDIATE")
"""Options of a foreign key that leave its meaning for rows that only stand there."""


def _sealed(kind: Type) -> Type:
    return replace(kind, sealed=True) if kind.kind in (Kind.TEXT, Kind.ENUM, Kind.OTHER) else kind


@lru_cache(maxsize=256)
def read_schema(ddl: str, dialect: str = DIALECTS[0]) -> Schema:
    """The schema that these CREATE TABLE statements declare; `OracleError` names what cannot be read."""
    if dialect not in DIALECTS:
        raise OracleError(f"dialect {dialect!r}: expected one of {', '.join(DIALECTS)}")
    if len(ddl) > MAX_DDL:
        raise OracleError(f"schema: {len(ddl)} characters, more than {MAX_DDL}")
    try:
        source = lex(ddl, dialect)
        check_agreement(source, dialect)
    except (SpecificationError, Unsupported) as error:
        raise OracleError(f"schema: {error}") from error
    ddl = source.rendered
    drafts: list[_Draft] = []
    unread: list[str] = []
    affine = dialects.DIALECTS[dialect].types_are_affinities
    strange = [name for name in ("STRING", "STR") if affine and has_type(ddl, name, dialect)]
    if strange:
        raise OracleError(f"schema: the type {strange[0]}, whose texts SQLite turns into numbers: write TEXT")
    for lexemes in statements_of(ddl, dialect):
        index = index_of(lexemes, ddl)
        if index is None:
            drafts.append(_draft_of(lexemes, ddl, dialect))
        elif index:
            unread.append(index)
    names = [draft.name.lower() for draft in drafts]
    if len(set(names)) != len(names):
        raise OracleError("schema: one table is created twice")
    by_name = {draft.name.lower(): draft for draft in drafts}
    unread += [clause for draft in drafts for clause in draft.unread]
    unclear = tuple(clause for draft in drafts for clause in draft.unclear)
    return Schema(tuple(draft.table(by_name) for draft in drafts), dialect, ddl, tuple(unread), unclear)


def _draft_of(lexemes: Sequence[Lexeme], ddl: str, dialect: str) -> _Draft:
    """A table, with the clauses that the parser does not read left to the engine."""
    text = ddl[lexemes[0].start : lexemes[-1].end]
    if not creates_table(lexemes):
        raise OracleError(f"schema: {text[:80]!r} is no CREATE TABLE with columns")
    try:
        return _parsed(text, dialect)
    except OracleError as error:
        try:
            reduced = reduce(lexemes, ddl, lambda part: _is_readable(part, dialect))
            draft = _parsed(reduced.text, dialect)
        except OracleError:
            raise error from None
        draft.unread += reduced.unread
        draft.unclear += reduced.unclear
        draft.filled += reduced.filled
        return draft


def _parsed(text: str, dialect: str) -> _Draft:
    try:
        statement = sqlglot.parse_one(text, read=dialect)
    except (SqlglotError, RecursionError) as error:
        raise OracleError(f"schema: {str(error).splitlines()[0]}") from error
    if not isinstance(statement, exp.Create) or not isinstance(statement.this, exp.Schema):
        raise OracleError(f"schema: {text[:80]!r} is no CREATE TABLE with columns")
    return _Draft(statement, dialect, checks_of(text, dialect))


def _is_readable(text: str, dialect: str) -> bool:
    try:
        _parsed(text, dialect)
    except OracleError:
        return False
    return True


class _Draft:
    """A CREATE TABLE whose references are not resolved yet."""

    def __init__(self, create: exp.Create, dialect: str, checks: Iterator[str]) -> None:
        self.dialect = dialect
        self._written = checks
        self.name = str(create.this.this.name)
        self.columns: list[tuple[str, Type, bool]] = []
        self.primary: tuple[str, ...] = ()
        self.uniques: list[tuple[str, ...]] = []
        self.references: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = []
        self.checks: list[str] = []
        self.unread: list[str] = []
        self.unclear: list[str] = []
        self.filled: list[str] = []
        self.generated: list[str] = []
        self.identity = False
        self.strict = False
        for item in create.this.expressions:
            if isinstance(item, exp.ColumnDef):
                self._column(item)
            elif isinstance(item, exp.Constraint):
                for part in item.expressions:
                    self._constraint(part)
            else:
                self._constraint(item)
        properties = create.args.get("properties")
        for item in () if properties is None else properties.expressions:
            self._option(item)
        if create.args.get("expression") is not None:
            raise OracleError(f"schema: table {self.name!r} is created from a query")

    def _option(self, item: exp.Expression) -> None:
        if not isinstance(item, _OPTIONS):
            raise OracleError(f"schema: {item.sql(self.dialect)[:80]!r} of table {self.name!r}")
        self.strict |= isinstance(item, exp.StrictProperty)
        if isinstance(item, exp.EngineProperty) and item.name.lower() != "innodb":
            self.references = []  # MariaDB's other engines read foreign keys and forget them
        collated = isinstance(item, exp.CollateProperty | exp.CharacterSetProperty)
        usual = dialects.DIALECTS[self.dialect].collations_of_columns
        if collated and item.name.lower() not in usual:
            self.columns = [(name, _sealed(kind), nullable) for name, kind, nullable in self.columns]

    def _column(self, item: exp.ColumnDef) -> None:
        name, binary, filled = str(item.name), False, False
        if item.kind is not None and name_of(item.kind) in dialects.DIALECTS[self.dialect].counting_types:
            self.filled.append(name)
        asked: set[bool] = set()  # NULL, NOT NULL
        collations: list[exp.Expression] = []
        for constraint in item.args.get("constraints") or ():
            kind = constraint.kind
            match kind:
                case exp.PrimaryKeyColumnConstraint():
                    self.primary = (name,)
                    self._known(kind, ("desc", "include"))
                case exp.NotNullColumnConstraint():
                    self._known(kind, ("allow_null",))
                    asked.add(bool(kind.args.get("allow_null")))
                    if len(asked) > 1:  # each engine makes something else of it
                        self._not_read(kind)
                        self.unclear.append(self.unread[-1])
                case exp.UniqueColumnConstraint():
                    if self._known(kind, ("include",)):
                        self.uniques.append((name,))
                case exp.CheckColumnConstraint():
                    self._check(kind.this)
                case exp.Reference():
                    if self._known_reference(kind, kind):
                        self._reference((name,), kind)
                case exp.BinaryColumnConstraint():
                    binary = True
                case exp.ZeroFillColumnConstraint():
                    filled = True
                case exp.GeneratedAsIdentityColumnConstraint():
                    if kind.expression is not None or not dialects.DIALECTS[self.dialect].identity_columns:
                        raise OracleError(f"schema: column {name!r} of {self.name!r} is generated")
                    self.filled.append(name)
                    self.identity = True
                case exp.ComputedColumnConstraint():
                    self.generated.append(name)
                    self.unread.append(f"{item.sql(self.dialect)[:80]!r} of table {self.name!r}")
                case exp.CollateColumnConstraint() | exp.CharacterSetColumnConstraint():
                    collations.append(kind)
                case _ if not isinstance(kind, _REMARKS):
                    part = constraint.sql(self.dialect)[:60]
                    raise OracleError(f"schema: {part!r} of column {name!r} of {self.name!r}")
        if item.kind is None and not dialects.DIALECTS[self.dialect].types_are_affinities:
            raise OracleError(f"schema: column {name!r} of {self.name!r} has no type")
        kind = read_type(item.kind, self.dialect)
        kind = replace(kind, sealed=True) if filled else _sealed(kind) if binary else kind
        kind = self._collated(name, kind, collations)
        self.columns.append((name, kind, asked != {False}))

    def _collated(self, name: str, kind: Type, collations: Sequence[exp.Expression]) -> Type:
        """The type of a column with the character set and the collation that it names."""
        facts = dialects.DIALECTS[self.dialect]
        usual = all(part.this.name.lower() in facts.collations_of_columns for part in collations)
        if not usual and not facts.other_collations_are_shown:
            raise OracleError(f"schema: column {name!r} of {self.name!r} has its own collation")
        sql = " ".join([kind.sql, *(part.sql(self.dialect) for part in collations)])
        return replace(kind, sealed=kind.sealed or not usual, sql=sql)

    def _constraint(self, part: exp.Expression) -> None:
        match part:
            case exp.PrimaryKey():
                self.primary = self._key_of_primary(part)
            case exp.UniqueColumnConstraint() if isinstance(part.this, exp.Schema):
                known = self._known(part, ("this", "include"))
                if known and self._known_items(part, part.this.expressions):
                    self.uniques.append(_names(part.this.expressions))
            case exp.ForeignKey():
                reference = part.args.get("reference")
                if not isinstance(reference, exp.Reference):
                    raise OracleError(f"schema: a FOREIGN KEY of {self.name!r} names no parent")
                if self._known_reference(part, reference):
                    self._reference(_names(part.expressions), reference)
            case exp.CheckColumnConstraint() | exp.Check():
                self._check(part.this)
            case exp.IndexColumnConstraint():
                pass  # an index constrains nothing
            case exp.Identifier() if dialects.DIALECTS[self.dialect].types_are_affinities:
                self.columns.append((str(part.name), read_type(None, self.dialect), True))
            case _:
                raise OracleError(f"schema: {part.sql(self.dialect)[:80]!r} in table {self.name!r}")

    def _key_of_primary(self, part: exp.PrimaryKey) -> tuple[str, ...]:
        """The columns of a PRIMARY KEY; none where it holds more than columns."""
        known = self._known(part, ("expressions", "include"))
        if known and self._known_items(part, part.expressions):
            return _names(part.expressions)
        self.filled += [str(name.this) for name in part.find_all(exp.Identifier)]
        return ()

    def _known(self, part: exp.Expression, names: tuple[str, ...]) -> bool:
        """Whether a constraint has no other parts than these; else it is kept as one that is not read."""
        strange = [name for name, value in part.args.items() if value and name not in names]
        return not strange or self._not_read(part)

    def _known_items(self, part: exp.Expression, items: list[exp.Expression]) -> bool:
        """Whether the items of a key are columns, ascending or descending."""
        inner = [item.this if isinstance(item, exp.Ordered) else item for item in items]
        plain = all(isinstance(item, exp.Identifier) or type(item) is exp.Column for item in inner)
        return plain or self._not_read(part)

    def _known_reference(self, part: exp.Expression, reference: exp.Expression) -> bool:
        """Whether a foreign key is checked row by row, and holds where one of its columns is NULL."""
        parts = ("expressions", "reference", "this", "options", "delete", "update")
        options = [*(part.args.get("options") or ()), *(reference.args.get("options") or ())]
        usual = all(str(option).upper().startswith(_ACTIONS) for option in options)
        if not usual:
            return self._not_read(part)
        return self._known(part, parts) and self._known(reference, parts)

    def _not_read(self, part: exp.Expression) -> bool:
        self.unread.append(f"{part.sql(self.dialect)[:80]!r} of table {self.name!r}")
        return False

    def _check(self, condition: exp.Expression) -> None:
        """Keep the text itself: what is generated from its tree may mean something else."""
        text = next(self._written, "")
        tree = sqlglot.parse_one(f"SELECT 1 WHERE {text or 'NULL'}", read=self.dialect)
        if tree.args["where"].this != condition:
            raise OracleError(f"schema: CHECK ({condition.sql(self.dialect)[:60]}) of {self.name!r}")
        self.checks.append(text)

    def _reference(self, columns: tuple[str, ...], reference: exp.Reference) -> None:
        target = reference.this
        if isinstance(target, exp.Schema):
            self.references.append((columns, str(target.this.name), _names(target.expressions)))
        else:
            self.references.append((columns, str(target.name), ()))

    def _own(self, names: tuple[str, ...]) -> tuple[str, ...]:
        spelled = {name.lower(): name for name, _, _ in self.columns}
        unknown = [name for name in names if name.lower() not in spelled]
        if unknown or not names:
            raise OracleError(f"schema: table {self.name!r} has no column {', '.join(unknown) or '(none)'}")
        return tuple(spelled[name.lower()] for name in names)

    def table(self, drafts: dict[str, _Draft]) -> Table:
        primary = self._own(self.primary) if self.primary else ()
        filled = {name.lower() for name in (*primary, *self.filled)}
        columns = tuple(Column(n, t, null and n.lower() not in filled) for n, t, null in self.columns)
        foreign: list[ForeignKey] = []
        for child, name, references in self.references:
            parent = drafts.get(name.lower())
            if parent is None:
                raise OracleError(f"schema: {self.name!r} refers to {name!r}, which is not declared")
            columns_of_parent = parent._own(references or parent.primary)
            if len(columns_of_parent) != len(child):
                raise OracleError(f"schema: a FOREIGN KEY of {self.name!r} has sides of unequal length")
            foreign.append(ForeignKey(self._own(child), parent.name, columns_of_parent))
        uniques = tuple(self._own(names) for names in self.uniques)
        checks = tuple(self.checks)
        return Table(
            self.name,
            columns,
            primary,
            uniques,
            tuple(foreign),
            checks,
            self.strict,
            frozenset(self.generated),
            self.identity,
        )


def _names(items: list[exp.Expression]) -> tuple[str, ...]:
    names: list[str] = []
    for item in items:
        inner = item.this if isinstance(item, exp.Ordered) else item
        if not inner.name:
            raise OracleError(f"schema: {item.sql()!r} is no column name")
        names.append(str(inner.name))
    return tuple(names)
