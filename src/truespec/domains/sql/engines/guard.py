"""What a query may do before any engine sees it: read the declared tables with known, pure functions.

The engines' own limits hold whatever passes here; see the other modules of this folder.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql.functions.catalogue import words
from truespec.domains.sql.functions.registry import FUNCTIONS
from truespec.domains.sql.places import place_of
from truespec.domains.sql.text.calls import check_heads
from truespec.domains.sql.text.lexer import Lexeme, Shape, Source, lex
from truespec.verdict import Nondeterministic, Place, ReasonCode, SpecificationError, Unsupported

# sqlglot reports on standard error what it cannot parse; here that is an answer, not an incident.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


MAX_TEXT = 100_000
"""Longest query that is read, in characters."""
MAX_NODES = 50_000
"""Largest tree that is walked."""
_FORBIDDEN_NODES: tuple[Any, ...] = (
    exp.Into,
    exp.Lock,
    exp.Command,
    exp.DDL,
    exp.DML,
    exp.Drop,
    exp.Alter,
    exp.Set,
    exp.Use,
    exp.Pragma,
    exp.Attach,
    exp.Detach,
    exp.Copy,
    exp.LoadData,
    exp.Transaction,
    exp.Commit,
    exp.Rollback,
    exp.Kill,
    exp.TruncateTable,
    exp.Parameter,
    exp.SessionParameter,
    exp.Placeholder,
    exp.ReadCSV,
    exp.ReadParquet,
    exp.NextValueFor,
    exp.ToFile,
)
_LOCKS = words("UPDATE SHARE NO KEY")
"""What follows FOR in a clause that locks rows."""
_SYSTEM = re.compile(
    r"(?:pg|sqlite|duckdb)_.*|information_schema|mysql|sys|performance_schema|pragma_.*", re.I
)


def check_text(text: str, dialect: str) -> Source:
    """Cut a text into tokens, and refuse what should not even be parsed.

    `SpecificationError` for what is no query or does more than read, `Unsupported` for executable comments
    and what else the lexer does not read; both say where.
    """
    if len(text) > MAX_TEXT:
        raise SpecificationError(ReasonCode.SYNTAX, f"{len(text)} characters, more than {MAX_TEXT}")
    for place, character in enumerate(text):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            what = "a NUL" if character == "\0" else "a lone surrogate"
            raise SpecificationError(ReasonCode.SYNTAX, f"{what} in the text", Place.at(text, place))
    source = lex(text, dialect)
    lexemes = source.lexemes
    if all(lexeme.text == ";" for lexeme in lexemes):
        raise SpecificationError(ReasonCode.SYNTAX, "the text is empty; one SELECT statement was expected")
    begin = next(n for n, lexeme in enumerate(lexemes) if lexeme.text not in ("(", ";"))
    end = max(n for n, lexeme in enumerate(lexemes) if lexeme.text != ";")
    check_heads(text, lexemes, begin, FUNCTIONS[dialect])
    for number in range(begin, end + 1):
        _check_lexeme(text, lexemes, number)
    return source


def _check_lexeme(text: str, lexemes: Sequence[Lexeme], number: int) -> None:
    """What no query has, whatever tree the parser makes of it."""
    lexeme = lexemes[number]
    place = Place.at(text, lexeme.start)
    if lexeme.shape is Shape.PARAMETER:
        what = f"the parameter or variable {lexeme.text[:40]}: a specification only reads tables"
        raise SpecificationError(ReasonCode.FORBIDDEN, what, place)
    if lexeme.text == ";":
        message = "several statements where one query is expected"
        after = next(later for later in lexemes[number:] if later.text != ";")
        raise SpecificationError(ReasonCode.SYNTAX, message, Place.at(text, after.start))
    before = lexemes[number - 1] if number else None
    if before is not None and (before.text == "." or before.word == "AS"):
        return  # a name
    following = lexemes[number + 1].word if number + 1 < len(lexemes) else ""
    what = ""
    if lexeme.word == "INTO":
        what = f"INTO {following}".strip()
    elif (lexeme.word == "FOR" and following in _LOCKS) or (lexeme.word == "LOCK" and following == "IN"):
        what = f"{lexeme.word} {following}"
    if what:
        raise SpecificationError(ReasonCode.FORBIDDEN, f"{what}: a specification only reads", place)


def check_tree(tree: exp.Expression, tables: frozenset[str] = frozenset()) -> None:
    """Refuse what a query must not do by its parts; places are those of a marked tree.

    `tables` are the lower-case names of the schema's tables, which may be called as an engine's own are.

    `SpecificationError` with code `forbidden` for writes, locks, variables and system tables;
    `Nondeterministic` for samples; `Unsupported` for a tree that is no query.
    """
    own = tables | {common.alias.lower() for common in tree.find_all(exp.CTE)}
    sample: exp.Expr | None = None
    for count, node in enumerate(tree.walk(bfs=True)):
        if count > MAX_NODES:
            raise Unsupported(f"a query of more than {MAX_NODES} parts")
        if isinstance(node, _FORBIDDEN_NODES) and not isinstance(node, exp.Query):
            raise _forbidden(_name(node), node)
        if isinstance(node, exp.Table):
            _check_table(node, own)
        if isinstance(node, exp.TableSample):
            sample = sample or node
    if sample is not None:
        raise Nondeterministic("TABLESAMPLE does not depend on the data alone", place_of(sample))
    if not isinstance(tree, exp.Query | exp.Table | exp.Values | exp.Pivot):
        raise Unsupported(f"a text that is read as {tree.key.upper()}, not as a SELECT")


def _check_table(node: exp.Table, own: frozenset[str]) -> None:
    name, database = str(node.name), str(node.db)
    if not database and name.lower() in own and isinstance(node.this, exp.Identifier):
        return
    if _SYSTEM.fullmatch(name) or _SYSTEM.fullmatch(database):
        raise _forbidden(f"the system table {database + '.' if database else ''}{name}", node)
    if "." in name or "/" in name or "\\" in name:
        raise _forbidden(f"the file {name!r}", node)


def _forbidden(what: str, node: Any) -> SpecificationError:
    return SpecificationError(ReasonCode.FORBIDDEN, f"{what}: a specification only reads", place_of(node))


def _name(node: Any) -> str:
    return node.sql_name() if isinstance(node, exp.Func) else node.key.upper()
