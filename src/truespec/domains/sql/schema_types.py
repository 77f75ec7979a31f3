"""Types of columns, as the DDL writes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS


class Kind(Enum):
    """What the values of a column are, as far as equality and arithmetic are concerned."""

    INT = "int"
    DECIMAL = "decimal"
    FLOAT = "float"
    BOOL = "bool"
    TEXT = "text"
    ENUM = "enum"
    DATE = "date"
    DATETIME = "datetime"
    TIME = "time"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Type:
    """A column's type."""

    kind: Kind
    """Its family."""
    values: tuple[str, ...] = ()
    """The members of an ENUM."""
    precision: int | None = None
    """Digits of a DECIMAL, or the length of a VARCHAR."""
    scale: int | None = None
    """Digits after the point of a DECIMAL."""
    sql: str = ""
    """The type as the DDL writes it."""
    sealed: bool = False
    """Whether `=` is neither identity nor what the dialect's default collation says: no value is compared."""


_KINDS: dict[object, Kind] = {
    **dict.fromkeys(exp.DataType.INTEGER_TYPES, Kind.INT),
    **dict.fromkeys(exp.DataType.FLOAT_TYPES, Kind.FLOAT),
    **dict.fromkeys(exp.DataType.TEXT_TYPES, Kind.TEXT),
    exp.DataType.Type.BIT: Kind.OTHER,
    exp.DataType.Type.DECIMAL: Kind.DECIMAL,
    exp.DataType.Type.UDECIMAL: Kind.DECIMAL,
    exp.DataType.Type.BOOLEAN: Kind.BOOL,
    exp.DataType.Type.DATE: Kind.DATE,
    exp.DataType.Type.DATETIME: Kind.DATETIME,
    exp.DataType.Type.TIMESTAMP: Kind.DATETIME,
    exp.DataType.Type.TIMESTAMPNTZ: Kind.DATETIME,  # what the parser calls DuckDB's TIMESTAMP
    exp.DataType.Type.TIMESTAMPTZ: Kind.OTHER,
    exp.DataType.Type.TIME: Kind.TIME,
    exp.DataType.Type.ENUM: Kind.ENUM,
}


_TYPES = exp.DataType.Type
_IDENTITY = frozenset(
    {
        *(_TYPES.UUID, _TYPES.BIT, _TYPES.YEAR, _TYPES.TIME, _TYPES.TIMESTAMP, _TYPES.TIMESTAMPTZ),
        *(_TYPES.BINARY, _TYPES.VARBINARY, _TYPES.BLOB, _TYPES.TINYBLOB, _TYPES.MEDIUMBLOB, _TYPES.LONGBLOB),
    }
)
"""Other types whose `=` holds between a value and itself alone; SQLite's columns hold values of any type."""


def name_of(kind: exp.DataType) -> str:
    """The name of a type; the parser knows most types, and keeps the text of others."""
    return kind.this.value if isinstance(kind.this, exp.DataType.Type) else str(kind.this)


def read_type(kind: exp.DataType | None, dialect: str) -> Type:
    """The type of a column; one of SQLite's columns may have none."""
    if kind is None:
        return Type(Kind.OTHER, sealed=True)
    # Generating for SQLite would turn DECIMAL into REAL, whose values are others.
    facts = DIALECTS[dialect]
    sql = kind.sql(None if facts.types_are_affinities else dialect)
    written = kind.this
    if kind.args.get("nested") or name_of(kind) in facts.types_compared_otherwise:
        return Type(_KINDS.get(written, Kind.OTHER), sql=sql, sealed=True)
    number = facts.counting_types.get(name_of(kind))
    if number is not None:
        return Type(Kind.INT, sql=number)
    family = _KINDS.get(written, Kind.OTHER)
    if facts.zoned_moment_is_moment and written is exp.DataType.Type.TIMESTAMPTZ:
        family = Kind.DATETIME  # MariaDB's TIMESTAMP; sessions run at UTC, where clocks never change
    if family is Kind.OTHER and (facts.types_are_affinities or written not in _IDENTITY):
        return Type(family, sql=sql, sealed=True)
    if family is Kind.ENUM and facts.types_are_affinities:
        return Type(Kind.OTHER, sql=sql, sealed=True)  # no type there: its columns hold anything
    if family is Kind.ENUM:
        members = [str(value.name) for value in kind.expressions]
        if facts.enum_members_trimmed:
            members = [member.rstrip(" ") for member in members]  # as MariaDB stores them
        return Type(family, tuple(members), sql=sql)
    sizes = [int(p.name) for p in kind.expressions if p.name.isdigit()]
    precision = sizes[0] if sizes else None
    scale = sizes[1] if len(sizes) > 1 else (0 if sizes and family is Kind.DECIMAL else None)
    return Type(family, (), precision, scale, sql)
