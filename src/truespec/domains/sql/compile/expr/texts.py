"""Prefixes of texts, LIKE and regular expressions."""

from __future__ import annotations

import re
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.date_functions import month_text
from truespec.domains.sql.compile.expr.functions import argument, check_no_fractions, function, never_fails
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.dialects.dialect import Patterns
from truespec.domains.sql.ir.dates import day
from truespec.domains.sql.ir.kinds import BOOL, DATE, DATED, INT, MOMENTS, NULL_KIND, TEXT
from truespec.domains.sql.ir.logic import FALSE
from truespec.domains.sql.ir.opaque import opaque, strict
from truespec.domains.sql.ir.truth import logical_not
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported


def _left(reader: Reader, node: exp.Left, scope: Scope) -> Val:
    return prefix(reader, node, node.this, node.expression, scope)


_ESCAPE = r"\\[dws!-/:-@\[-`{-~]"
_CLASS = rf"\[\^?(?:a-z|A-Z|0-9|{_ESCAPE}|[A-Za-z0-9 _%@,;:!#&'\"<>=~`/+*?(){{}}|$.])+-?\]"
_PIECE = rf"(?:[A-Za-z0-9 _%@,;:!#&'\"<>=~`/.-]|{_ESCAPE}|{_CLASS})(?:[*+?]|\{{[0-9]{{1,2}},?\}})?"
_BRANCH = rf"(?:\^|{_PIECE})(?:{_PIECE})*\$?"
_GROUP = rf"\((?:\?:)?{_BRANCH}(?:\|{_BRANCH})*\)[*+?]?"
_REGULAR = re.compile(rf"(?:{_PIECE}|{_GROUP}|[\^$|]){{0,200}}\Z", re.ASCII)
"""Texts that surely are regular expressions of PostgreSQL: any other may be an error where it is tried."""


def _substring(reader: Reader, node: exp.Substring, scope: Scope) -> Val:
    start, length = node.args.get("start"), node.args.get("length")
    if isinstance(start, exp.Literal) and start.this == "1" and length is not None:
        return prefix(reader, node, node.this, length, scope)
    return function(reader, node, scope)


def prefix(reader: Reader, node: exp.Expr, text: exp.Expr, length: Any, scope: Scope) -> Val:
    if reader.dialect.errors_raise and not never_fails(node):
        raise Unsupported(f"sql: {node.sql(reader.dialect.name)[:60]}, which fails on some values")
    value = reader.value(text, scope)
    if value.kind == DATE and isinstance(length, exp.Literal) and length.this == "7":
        return month_text(reader, value)
    size = argument(reader, "prefix", "length", length, scope)
    check_no_fractions(reader, "prefix", [value])
    return strict(reader.dialect, "prefix", [value, size], TEXT)


def beginning(reader: Reader, value: Val, size: int) -> Val:
    """So many characters from the start of a text."""
    return strict(reader.dialect, "prefix", [value, Val(FALSE, z3.IntVal(size), INT)], TEXT)


def _like(reader: Reader, node: exp.Like, scope: Scope) -> Val:
    result = _like_plain(reader, node, scope)
    return logical_not(result) if node.args.get("negate") else result


def _like_plain(reader: Reader, node: exp.Like, scope: Scope) -> Val:
    value, pattern = reader.value(node.this, scope), reader.value(node.expression, scope)
    if value.kind in MOMENTS and pattern.literal is not None:
        value = day(value)
        months = re.match(r"([0-9]{4})-(0[1-9]|1[0-2])-?%\Z", pattern.literal)
        if months:
            goal = z3.IntVal(int(months[1]) * 12 + int(months[2]))
            both = z3.Function("yearmonth", z3.IntSort(), z3.IntSort())(value.val)
            return Val(value.null, both == goal, BOOL)
        years = re.match(r"([0-9]{4})-?%\Z", pattern.literal)
        if years:
            year = z3.Function("year", z3.IntSort(), z3.IntSort())(value.val)
            return Val(value.null, year == int(years[1]), BOOL)
    plain = re.fullmatch(r"([ -~]*?)(%?)", pattern.literal or "_")
    exact = reader.dialect.like_is_exact and isinstance(node, exp.Like) and value.kind == TEXT
    if exact and plain and plain[1] and not set(plain[1]) & set("%_\\"):
        begun = value.val if not plain[2] else beginning(reader, value, len(plain[1])).val
        return Val(value.null, begun == reader.world.text(plain[1]), BOOL)
    if reader.dialect.like_may_fail and not _ends_plainly(node.expression):
        raise Unsupported("sql: LIKE with a pattern that may end in a backslash, which is an error")
    return _matched(reader, node, value, pattern)


def _regexplike(reader: Reader, node: exp.RegexpLike, scope: Scope) -> Val:
    pattern = node.expression.unnest()
    if reader.dialect.regular_expressions is Patterns.NONE:
        raise Unsupported("sql: a regular expression in DuckDB, whose versions read ~ in two ways")
    plain = isinstance(pattern, exp.Literal) and _REGULAR.match(pattern.this)
    if reader.dialect.regular_expressions is Patterns.PLAIN and not plain:
        raise Unsupported("sql: a regular expression that may be none, which is an error")
    return _matched(reader, node, reader.value(node.this, scope), reader.value(pattern, scope))


def _matched(reader: Reader, node: exp.Binary, value: Val, pattern: Val) -> Val:
    if value.kind not in (TEXT, DATED, NULL_KIND) or pattern.kind != TEXT:
        raise Unsupported(f"sql: a pattern for a value of type {value.kind}")
    return opaque(reader.dialect, type(node).__name__, [value, pattern], BOOL)


def _escape(reader: Reader, node: exp.Escape, scope: Scope) -> Val:
    raise Unsupported("sql: LIKE ... ESCAPE")


def _ends_plainly(pattern: Any) -> bool:
    """Whether a pattern of LIKE has no backslash left over at its end: there it would escape nothing."""
    last = pattern.unnest()
    while isinstance(last, exp.DPipe | exp.Concat):
        last = (last.expressions[-1] if isinstance(last, exp.Concat) else last.expression).unnest()
    if not isinstance(last, exp.Literal) or not last.is_string:
        return False
    backslashes = len(last.this) - len(last.this.rstrip("\\"))
    if last is pattern.unnest():
        return backslashes % 2 == 0
    return backslashes == 0 and bool(last.this)


READERS: Readers = {
    exp.Left: _left,
    exp.Substring: _substring,
    exp.Like: _like,
    exp.RegexpLike: _regexplike,
    exp.Escape: _escape,
    exp.ILike: _like,
}
