"""Prefixes of texts, LIKE and regular expressions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.functions import argument, check_no_fractions, function, never_fails
from truespec.domains.sql.compile.expr.regular import REGULAR
from truespec.domains.sql.compile.expr.text_dates import part_of_date
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import COMPARISONS, Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.dialects.dialect import Patterns
from truespec.domains.sql.ir.cases import LOWER, UPPER, case_taken_off, turned
from truespec.domains.sql.ir.dates import day
from truespec.domains.sql.ir.day_parts import month_text
from truespec.domains.sql.ir.kinds import BOOL, DATE, DATED, INT, MOMENTS, NULL_KIND, TEXT
from truespec.domains.sql.ir.logic import FALSE, disj, ite
from truespec.domains.sql.ir.opaque import opaque, strict
from truespec.domains.sql.ir.truth import logical_not
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported


def _left(reader: Reader, node: exp.Left, scope: Scope) -> Val:
    return prefix(reader, node, node.this, node.expression, scope)


def _substring(reader: Reader, node: exp.Substring, scope: Scope) -> Val:
    start, length = node.args.get("start"), node.args.get("length")
    if isinstance(start, exp.Literal) and start.this == "1" and length is not None:
        return prefix(reader, node, node.this, length, scope)
    places = [
        int(part.this) for part in (start, length) if isinstance(part, exp.Literal) and part.this.isdigit()
    ]
    if len(places) == 2:
        dated = part_of_date(reader, reader.value(node.this, scope), *places)
        if dated is not None:
            return dated
    return function(reader, node, scope)


def _characters(reader: Reader, node: exp.Bracket, scope: Scope) -> Val:
    """`s[2:4]` and `s[2]` of a text, by places from its beginning; the parser counts the latter from 0."""
    place = node.expressions[0] if len(node.expressions) == 1 else None
    if reader.value(node.this, scope).kind != TEXT:
        raise Unsupported("sql: an element of what is no text")
    if isinstance(place, exp.Slice) and place.args.get("step") is None:
        first, last = _place(place.this), _place(place.expression)
    else:
        counted = _place(place)
        first = last = None if counted is None else counted + 1
    if not first or last is None:
        raise Unsupported("sql: characters of a text at places that are not written as numbers")
    size = exp.Literal.number(max(0, last - first + 1))
    return reader.value(exp.Substring(this=node.this, start=exp.Literal.number(first), length=size), scope)


def _place(node: Any) -> int | None:
    """A place as written."""
    written = isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit()
    return int(node.name) if written else None


def _cased(reader: Reader, node: exp.Lower | exp.Upper, scope: Scope) -> Val:
    """`LOWER(SUBSTR(x, a, b))` is `SUBSTR(LOWER(x), a, b)` of a text, where a letter becomes one letter."""
    part = node.this
    if isinstance(part, exp.Substring) and reader.dialect.case_is_of_ascii:
        if reader.value(part.this, scope).kind == TEXT:
            whole: exp.Expr = part.copy()
            whole.set("this", type(node)(this=part.this.copy()))
            return reader.value(whole, scope)
    return function(reader, node, scope)


def _all_but(node: exp.Right) -> exp.Expr | None:
    """`RIGHT(s, CHAR_LENGTH(s) - 2)` is `SUBSTRING(s, 3)`, also where s is shorter than that."""
    match node.expression.unnest():
        case exp.Sub(this=exp.Length() as length, expression=exp.Literal() as size):
            if length.this == node.this and not length.args.get("binary") and str(size.this).isdigit():
                return exp.Substring(this=node.this, start=exp.Literal.number(int(size.this) + 1))
    return None


def _right(reader: Reader, node: exp.Right, scope: Scope) -> Val:
    if _all_but(node) is None and reader.dialect.errors_raise and not never_fails(node):
        raise Unsupported(f"sql: {node.sql(reader.dialect.name)[:60]}, which fails on some values")
    value = reader.value(node.this, scope)
    cut = _all_but(node)
    if cut is not None:
        return reader.value(cut, scope)
    size = argument(reader, "suffix", "length", node.expression, scope)
    if value.kind != TEXT or size.kind != INT:
        return function(reader, node, scope)
    return strict(reader.dialect, "suffix", [value, size], TEXT)


def prefix(reader: Reader, node: exp.Expr, text: exp.Expr, length: Any, scope: Scope) -> Val:
    if reader.dialect.errors_raise and not never_fails(node):
        raise Unsupported(f"sql: {node.sql(reader.dialect.name)[:60]}, which fails on some values")
    value = reader.value(text, scope)
    if value.kind == DATE and isinstance(length, exp.Literal) and length.this == "7":
        return month_text(value)
    written = isinstance(length, exp.Literal) and not length.is_string and length.this.isdigit()
    part = part_of_date(reader, value, 1, int(length.this)) if written else None
    if part is not None:
        return part
    size = argument(reader, "prefix", "length", length, scope)
    check_no_fractions(reader, "prefix", [value])
    return strict(reader.dialect, "prefix", [value, size], TEXT)


def beginning(reader: Reader, value: Val, size: int) -> Val:
    """So many characters from the start of a text."""
    return strict(reader.dialect, "prefix", [value, Val(FALSE, z3.IntVal(size), INT)], TEXT)


def _like(reader: Reader, node: exp.Like | exp.ILike, scope: Scope) -> Val:
    result = _like_plain(reader, node, scope)
    return logical_not(result) if node.args.get("negate") else result


def _ilike(reader: Reader, node: exp.ILike, scope: Scope) -> Val:
    """ILIKE with a pattern that lower case leaves as it is: LIKE of the text in lower case.

    Turkish has another small letter for I, so a pattern with that letter is not written out.
    """
    text = node.expression.unnest()
    if not reader.dialect.ilike_lowers or not isinstance(text, exp.Literal) or not text.is_string:
        return _like(reader, node, scope)
    if not re.fullmatch("[ -HJ-~]*", str(text.this)) or reader.value(node.this, scope).kind != TEXT:
        return _like(reader, node, scope)
    lowered = exp.Lower(this=node.this.copy())
    pattern = exp.Literal.string(str(text.this).lower())
    like = exp.Like(this=lowered, expression=pattern, negate=node.args.get("negate"))
    like.parent = node.parent
    return _like(reader, like, scope)


def _like_plain(reader: Reader, node: exp.Like | exp.ILike, scope: Scope) -> Val:
    value, pattern = reader.value(node.this, scope), reader.value(node.expression, scope)
    if isinstance(node, exp.Like):
        value, pattern = _without_case(reader, value, pattern)
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
    exact = (reader.dialect.like_is_exact or reader.dialect.like_folds_letters) and isinstance(node, exp.Like)
    if exact and value.kind == TEXT:
        value = _as_folded(reader, value, pattern)
        plain = re.fullmatch(r"(%?)([ -~]*?)(%?)", pattern.literal or "_")
        if plain and plain[2] and not set(plain[2]) & set("%_\\"):
            return placed(reader, value, plain[2], not plain[1], not plain[3])
    if reader.dialect.like_may_fail and not _ends_plainly(node.expression):
        raise Unsupported("sql: LIKE with a pattern that may end in a backslash, which is an error")
    return _matched(reader, node, value, pattern)


def _as_folded(reader: Reader, value: Val, pattern: Val) -> Val:
    """The text in small letters, where LIKE folds letters and the pattern, in small letters, has some.

    With it, LIKE is an exact comparison.
    """
    if not reader.dialect.like_folds_letters or not re.search("[a-z]", pattern.literal or ""):
        return value
    return strict(reader.dialect, LOWER.partition(":")[0], [value], TEXT)


def _without_case(reader: Reader, value: Val, pattern: Val) -> tuple[Val, Val]:
    """A text and a literal pattern for it without capitals, where LIKE takes capitals for small letters.

    Where it does so of the letters A to Z, these are all that LOWER and UPPER change.
    """
    merges = reader.dialect.collation_merges_texts
    if pattern.literal is None or value.kind != TEXT or not (merges or reader.dialect.like_folds_letters):
        return value, pattern
    text = "".join(letter.lower() if letter.isascii() else letter for letter in pattern.literal)
    pattern = Val(pattern.null, reader.world.text(text), TEXT, text)
    bare = case_taken_off(value, text) if merges else turned(turned(value, LOWER), UPPER)
    return bare, pattern


def placed(reader: Reader, value: Val, part: str, first: bool, last: bool) -> Val:
    """Whether a text begins with these characters, ends with them, is them, or holds them."""
    if first and last:
        return Val(value.null, value.val == reader.world.text(part), BOOL)
    if first:
        if len(part) in (5, 8) and part.endswith("-") and part_of_date(reader, value, 1, 10) is not None:
            part = part.removesuffix("-")  # in each date there is a dash at that place
        dated = part_of_date(reader, value, 1, len(part))
        start = beginning(reader, value, len(part)) if dated is None else dated
        return Val(value.null, start.val == reader.world.text(part), BOOL)
    if last:
        size = Val(FALSE, z3.IntVal(len(part)), INT)
        end = strict(reader.dialect, "suffix", [value, size], TEXT)
        return Val(value.null, end.val == reader.world.text(part), BOOL)
    return holds(reader, value, Val(FALSE, reader.world.text(part), TEXT))


def holds(reader: Reader, value: Val, part: Val) -> Val:
    """Whether a text holds another one somewhere."""
    return strict(reader.dialect, "contains", [value, part], BOOL)


def _held(reader: Reader, node: exp.StartsWith | exp.EndsWith | exp.Contains | exp.Glob, scope: Scope) -> Val:
    """STARTS_WITH, ENDS_WITH, CONTAINS and GLOB: exact comparisons of characters, unlike a collation's."""
    part = node.expression.unnest()
    first, last = not isinstance(node, exp.EndsWith | exp.Contains), isinstance(node, exp.EndsWith)
    text = str(part.this) if isinstance(part, exp.Literal) and part.is_string else ""
    if isinstance(node, exp.Glob):
        inner = text.removeprefix("*").removesuffix("*")
        first, last = not text.startswith("*"), not text.endswith("*") or text == "*"
        text = "" if set(inner) & set("*?[") else inner
    value = reader.value(node.this, scope)
    if value.kind != TEXT or not re.fullmatch("[ -~]+", text):
        return function(reader, node, scope)
    return placed(reader, value, text, first, last)


def _position(reader: Reader, node: exp.StrPosition, scope: Scope) -> Val:
    """Where a text stands in another one: a number above 0 where it does, else 0."""
    found = function(reader, node, scope)
    value, part = (reader.value(node.args[key], scope) for key in ("this", "substr"))
    if len([part for part in node.args.values() if part]) > 2 or value.kind != TEXT or part.kind != TEXT:
        return found
    place = ite(found.val >= 1, found.val, z3.IntVal(1))
    where = strict(reader.dialect, "position contains", [value, part], BOOL)
    if not reader.dialect.collation_merges_texts:
        where = holds(reader, value, part)
    return replace(found, val=ite(where.val, place, z3.IntVal(0)))


_CHARACTERS = r"(?:[A-Za-z0-9 _@,;:!#&'\"<>=~`/%-]|\\[.@/_-])+"
_PLAIN = re.compile(rf"(\^?)({_CHARACTERS})(\$?)\Z")
"""A regular expression that only asks where characters stand; PostgreSQL and RE2 take `$` for the end."""
_LISTED = re.compile(rf"\^\((?:\?:)?({_CHARACTERS}(?:\|{_CHARACTERS})*)\)\$\Z")


def _regexplike(reader: Reader, node: exp.RegexpLike, scope: Scope) -> Val:
    pattern = node.expression.unnest()
    regular = isinstance(pattern, exp.Literal) and REGULAR.match(pattern.this)
    value = reader.value(node.this, scope)
    if reader.dialect.regular_expressions is Patterns.PLAIN:
        if not regular:
            raise Unsupported("sql: a regular expression that may be none, which is an error")
        plain, listed = _PLAIN.match(pattern.this), _LISTED.match(pattern.this)
        if plain and value.kind == TEXT:
            return placed(reader, value, plain[2].replace("\\", ""), bool(plain[1]), bool(plain[3]))
        if listed and value.kind == TEXT:
            texts = [reader.world.text(text) for text in listed[1].replace("\\", "").split("|")]
            return Val(value.null, disj(*(value.val == text for text in texts)), BOOL)
    return _matched(reader, node, value, reader.value(pattern, scope))


def _matched(reader: Reader, node: exp.Binary, value: Val, pattern: Val) -> Val:
    if value.kind not in (TEXT, DATED, NULL_KIND) or pattern.kind != TEXT:
        raise Unsupported(f"sql: a pattern for a value of type {value.kind}")
    return opaque(reader.dialect, type(node).__name__, [value, pattern], BOOL)


def _collated(reader: Reader, node: exp.Collate, scope: Scope) -> Val:
    """A text that is a key or an operand of a comparison, with the collation that it has anyway.

    Of a number or a member of an ENUM a collation makes a text, and of a function of a text another function.
    A key may be read apart from its query.
    """
    usual = node.expression.name.lower() in reader.dialect.usual_collations
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if not usual or not (above is None or isinstance(above, (exp.Ordered, *COMPARISONS))):
        return function(reader, node, scope)
    value = reader.value(node.this, scope)
    return value if value.kind == TEXT else function(reader, node, scope)


def _escape(reader: Reader, node: exp.Escape, scope: Scope) -> Val:
    """LIKE with a sign before characters that stand for themselves."""
    like, sign, pattern = node.this, node.expression.unnest(), node.this.expression.unnest()
    written = all(isinstance(part, exp.Literal) and part.is_string for part in (sign, pattern))
    if (
        not written
        or not isinstance(like, exp.Like)
        or not re.fullmatch(r"[!#$&*+/:;<=>?@\\^|~-]", sign.name)
    ):
        raise Unsupported("sql: LIKE ... ESCAPE of what is not written as texts, or by a letter")
    if not set(pattern.name) & {sign.name, "\\"}:
        return reader.value(like, scope)
    value, read = _without_case(reader, reader.value(like.this, scope), reader.value(pattern, scope))
    if value.kind != TEXT or _dangles(pattern.name, sign.name):
        raise Unsupported("sql: LIKE ... ESCAPE of no text, or with a sign that stands before nothing")
    result = opaque(reader.dialect, f"Like escape {sign.name}", [value, read], BOOL)
    plain = _escaped(str(read.literal), sign.name)
    if plain is not None and (reader.dialect.like_is_exact or reader.dialect.like_folds_letters):
        result = placed(reader, _as_folded(reader, value, read), *plain)
    return logical_not(result) if like.args.get("negate") else result


def _dangles(pattern: str, sign: str) -> bool:
    """Whether a pattern ends with a sign that stands before nothing."""
    return (len(pattern) - len(pattern.rstrip(sign))) % 2 == 1


def _escaped(pattern: str, sign: str) -> tuple[str, bool, bool] | None:
    """The characters that a pattern asks for, and whether the text begins and ends with them; else None."""
    parts = re.findall(re.escape(sign) + "(.)|(.)", pattern, re.DOTALL)
    first, last = parts[0][1] != "%", parts[-1][1] != "%"
    inner = parts[0 if first else 1 : None if last else -1]
    characters = "".join(stands or free for stands, free in inner)
    plain = not any(free in ("%", "_") for _, free in inner) and re.fullmatch("[ -~]+", characters)
    return (characters, first, last) if plain else None


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
    exp.Right: _right,
    exp.StartsWith: _held,
    exp.EndsWith: _held,
    exp.Contains: _held,
    exp.Glob: _held,
    exp.StrPosition: _position,
    exp.Substring: _substring,
    exp.Bracket: _characters,
    exp.Lower: _cased,
    exp.Upper: _cased,
    exp.Like: _like,
    exp.RegexpLike: _regexplike,
    exp.Collate: _collated,
    exp.Escape: _escape,
    exp.ILike: _ilike,
}
