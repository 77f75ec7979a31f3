"""What is read of a CREATE TABLE that the parser does not read whole: columns, and the clauses that it does.

The rest is left to the engine, and named: counterexamples fit the tables of the schema's own text. What only
says which rows there may be, as a key that is not read does, leaves proofs as they are: they hold of more
databases. No proof is made under anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from truespec.domains.sql.functions.catalogue import words
from truespec.domains.sql.text.lexer import Lexeme, Shape, lex
from truespec.verdict import OracleError

_TABLE_CLAUSES = words(
    "CONSTRAINT PRIMARY UNIQUE CHECK FOREIGN EXCLUDE KEY INDEX FULLTEXT SPATIAL PERIOD ALTER VECTOR"
)
"""The first word of an item of CREATE TABLE that declares no column."""
_CONSTRAINTS = _TABLE_CLAUSES - words("PERIOD ALTER VECTOR")
"""Those after which a table holds fewer rows, or the same ones."""
_AFTER_TYPE = words(
    """
    AS AUTO_INCREMENT AUTOINCREMENT CHARSET CHECK COLLATE COLUMN_FORMAT COMMENT COMPRESSED COMPRESSION
    CONSTRAINT
    DEFAULT DEFERRABLE ENCRYPTED ENGINE_ATTRIBUTE GENERATED INITIALLY INVISIBLE KEY NOT NULL ON PERSISTENT
    PRIMARY
    REFERENCES REF_SYSTEM_ID SERIAL STORAGE STORED UNIQUE USING VIRTUAL VISIBLE
    """
)
"""Words that end a column's type."""
_OTHER_TABLES = words("AS SELECT LIKE INHERITS PARTITION OF TABLE")
"""Words behind the name, or behind the columns, of a table whose columns another table gives."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """A CREATE TABLE with what is read of it."""

    text: str
    """The statement with the columns and the clauses that are read."""
    unread: tuple[str, ...]
    """The rest, each clause as it is written, with its table."""
    unclear: tuple[str, ...]
    """Those of the rest that may say more than which rows there are."""
    filled: tuple[str, ...]
    """Columns of a PRIMARY KEY that is not read: they hold no NULL."""


def statements_of(ddl: str, dialect: str) -> list[tuple[Lexeme, ...]]:
    """The tokens of each statement that is not empty."""
    found: list[list[Lexeme]] = [[]]
    for lexeme in lex(ddl, dialect).lexemes:
        if lexeme.text == ";" and lexeme.shape is Shape.OPERATOR:
            found.append([])
        else:
            found[-1].append(lexeme)
    return [tuple(statement) for statement in found if statement]


def creates_table(lexemes: Sequence[Lexeme]) -> bool:
    """Whether a statement is CREATE TABLE, with options between the two words."""
    head = [lexeme.word for lexeme in lexemes[:5]]
    return head[:1] == ["CREATE"] and "TABLE" in head and "VIRTUAL" not in head and "INDEX" not in head


def index_of(lexemes: Sequence[Lexeme], ddl: str) -> str | None:
    """The clause that an index is, as it is written; None for a statement that is no CREATE INDEX.

    Empty for an index over columns alone that is not UNIQUE: it constrains nothing.
    """
    head = [lexeme.word for lexeme in lexemes[:4]]
    if head[:1] != ["CREATE"] or "INDEX" not in head:
        return None
    opening = next((n for n, lexeme in enumerate(lexemes) if lexeme.text == "("), len(lexemes))
    plain = all(
        lexeme.shape in (Shape.WORD, Shape.NAME) or lexeme.text == "," for lexeme in lexemes[opening + 1 : -1]
    )
    if head[1] == "INDEX" and plain and opening < len(lexemes):
        return ""
    return f"{ddl[lexemes[0].start : lexemes[-1].end][:80]!r}"


def reduce(lexemes: Sequence[Lexeme], ddl: str, readable: Callable[[str], bool]) -> Reduced:
    """A CREATE TABLE without what is not read; `readable` says whether a statement is.

    `OracleError` where it has no list of columns of its own, or a column has no name or type that is read.
    """
    opening = next((n for n, lexeme in enumerate(lexemes) if lexeme.text == "("), None)
    closing = None if opening is None else _closing(lexemes, opening)
    shown = ddl[lexemes[0].start : lexemes[-1].end][:80]
    if opening is None or closing is None or lexemes[opening - 1].word in _OTHER_TABLES:
        raise OracleError(f"schema: {shown!r} is no CREATE TABLE with columns")
    tail = lexemes[closing + 1 :]
    if any(lexeme.word in _OTHER_TABLES - {"PARTITION", "OF"} for lexeme in tail):
        raise OracleError(f"schema: {shown!r} takes rows or columns from another table")
    head = ddl[lexemes[0].start : lexemes[opening].end]
    name = lexemes[opening - 1].value or lexemes[opening - 1].text
    kept: list[str] = []
    unread: list[str] = []
    unclear: list[str] = []
    filled: list[str] = []

    def leave(text: str, *, clear: bool) -> None:
        unread.append(f"{text[:80]!r} of table {name!r}")
        unclear.extend(() if clear else unread[-1:])

    for item in _items(lexemes[opening + 1 : closing]):
        text = ddl[item[0].start : item[-1].end]
        if readable(f"{head}{text})"):
            kept.append(text)
            continue
        leave(text, clear=item[0].word in _CONSTRAINTS)
        keyed = any(part.word == "PRIMARY" for part in item)
        if item[0].word in _TABLE_CLAUSES:
            filled += [
                part.value or part.text for part in item if keyed and part.shape in (Shape.WORD, Shape.NAME)
            ]
            continue
        if item[0].word == "LIKE":
            raise OracleError(f"schema: {text[:80]!r} takes columns from another table")
        kept.append(_column(item, ddl, head, readable, keyed=keyed))
    ending = ddl[tail[0].start : tail[-1].end] if tail else ""
    if ending and not readable(f"{head}{', '.join(kept)}) {ending}"):
        leave(
            ending,
            clear=[lexeme.word for lexeme in tail] == ["WITHOUT", "ROWID"] or tail[0].word == "PARTITION",
        )
        ending = ""
    return Reduced(f"{head}{', '.join(kept)}) {ending}", tuple(unread), tuple(unclear), tuple(filled))


def _column(
    item: Sequence[Lexeme], ddl: str, head: str, readable: Callable[[str], bool], *, keyed: bool
) -> str:
    """The name and the type of a column, and whether it holds NULL."""
    end = 1
    while end < len(item) and item[end].word not in _AFTER_TYPE:
        if item[end].word == "CHARACTER" and end + 1 < len(item) and item[end + 1].word == "SET":
            break
        end += 1
    pairs = pairwise(item)
    filled = keyed or any(one.word == "NOT" and other.word == "NULL" for one, other in pairs)
    null = " NOT NULL" if filled else ""
    name = ddl[item[0].start : item[0].end]
    for text in (ddl[item[0].start : item[end - 1].end], name):
        if readable(f"{head}{text}{null})"):
            return text + null
    raise OracleError(
        f"schema: the column {ddl[item[0].start : item[-1].end][:80]!r} has no type that is read"
    )


def _items(lexemes: Sequence[Lexeme]) -> list[Sequence[Lexeme]]:
    items: list[Sequence[Lexeme]] = []
    depth = start = 0
    for number, lexeme in enumerate(lexemes):
        if lexeme.shape is Shape.OPERATOR:
            depth += (lexeme.text in "([{") - (lexeme.text in ")]}")
            if lexeme.text == "," and depth == 0:
                items.append(lexemes[start:number])
                start = number + 1
    items.append(lexemes[start:])
    if not all(items):
        raise OracleError("schema: a comma beside which no column or constraint stands")
    return items


def _closing(lexemes: Sequence[Lexeme], opening: int) -> int | None:
    depth = 0
    for number in range(opening, len(lexemes)):
        if lexemes[number].shape is Shape.OPERATOR:
            depth += (lexemes[number].text == "(") - (lexemes[number].text == ")")
        if depth == 0:
            return number
    return None
