"""All other functions: deterministic functions of which nothing else is known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.date_functions import as_date, shift, weekday, whole_units
from truespec.domains.sql.compile.expr.documents import KEYED_TEXT, text_by_key
from truespec.domains.sql.compile.expr.ranges import RANGES, range_of
from truespec.domains.sql.compile.expr.regular import REGULAR
from truespec.domains.sql.compile.expr.text_dates import modified
from truespec.domains.sql.compile.expr.truncated_dates import made
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.functions.catalogue import Need, Signature
from truespec.domains.sql.functions.registry import FUNCTIONS
from truespec.domains.sql.ir.kinds import (
    BOOL,
    DATETIME,
    INT,
    LOOSE,
    NULL_KIND,
    NUMBERS,
    REAL,
    TEXT,
    Enumerated,
    Kind,
    Sealed,
)
from truespec.domains.sql.ir.logic import FALSE, ite
from truespec.domains.sql.ir.opaque import opaque, strict
from truespec.domains.sql.ir.values import Val, computed, to_real
from truespec.verdict import Unsupported


def _anonymous(reader: Reader, node: exp.Anonymous, scope: Scope) -> Val:
    name = str(node.this).upper()
    arguments = node.expressions
    if name == "ISNULL" and len(arguments) == 1 and reader.dialect.has_isnull_function:
        return Val(FALSE, reader.value(arguments[0], scope).null, BOOL)
    if name in ("ADDDATE", "SUBDATE") and len(arguments) == 2 and reader.dialect.intervals_default_to_days:
        step = arguments[1]
        if not isinstance(step, exp.Interval):
            step = exp.Interval(this=step, unit=exp.Var(this="DAY"))
        return shift(reader, arguments[0], step, scope, 1 if name == "ADDDATE" else -1)
    if name == "WEEKDAY" and len(arguments) == 1 and reader.dialect.datediff_counts_days:
        return weekday(reader, arguments[0], scope)
    if name in _OF_TEXTS and arguments and reader.dialect.dates_are_texts:
        return modified(reader, name.lower(), arguments, scope, _OF_TEXTS[name])
    if name == "MID" and len(arguments) in (2, 3) and reader.dialect.datediff_counts_days:
        parts = dict(zip(("this", "start", "length"), arguments, strict=False))
        return reader.value(exp.Substring(**parts), scope)
    if name == "DATE_PART" and len(arguments) == 2 and isinstance(arguments[0], exp.Literal):
        return reader.value(exp.Extract(this=exp.var(arguments[0].name), expression=arguments[1]), scope)
    if name in ("DATE_SUB", "DATESUB") and len(arguments) == 3 and reader.dialect.datediff_counts_boundaries:
        return whole_units(reader, arguments, scope)
    if name == "MAKE_DATE" and len(arguments) == 3 and reader.dialect.dates_count_days:
        return made(reader, arguments, scope)
    if name in FUNCTIONS[reader.dialect.name].read:
        return function(reader, node, scope)
    if name in KEYED_TEXT:
        return text_by_key(reader, arguments, scope)
    if name in RANGES and reader.dialect.has_ranges:
        return range_of(reader, name, arguments, scope)
    raise Unsupported(f"sql: the function {name}")


_OF_TEXTS = {"DATE": TEXT, "TIME": TEXT, "DATETIME": TEXT, "JULIANDAY": REAL, "UNIXEPOCH": INT}
"""SQLite's functions of a text that is a date, and of modifiers."""
_TEXT_RESULT = (
    "Upper", "Lower", "Concat", "Substring", "Left", "Right", "Trim", "Replace", "Pad", "Reverse", "Repeat",
    "ConcatWs", "Initcap", "Hex", "MD5", "TimeToStr", "DPipe", "Monthname", "Dayname", "SubstringIndex",
)  # fmt: skip
_INT_RESULT = ("Length", "StrPosition", "Ascii", "Unicode", "Week", "WeekOfYear", "Second",
               "Bitlength")  # fmt: skip
_TEXTS_ONLY = ("Upper", "Lower", "Concat", "ConcatWs", "Trim", "Replace", "Reverse", "Hex", "MD5", "Length",
               "Ascii")  # fmt: skip
"""Functions that read all their arguments as texts."""
_TEXT_FIRST = ("Left", "Right", "Substring", "Repeat", "Pad", "StrPosition", "SubstringIndex")
"""Functions of a text and of numbers."""
_STRICT = ("Upper", "Lower", "Trim", "Length", "Substring", "Left", "Right", "DPipe", "Replace",
           "StrPosition")  # fmt: skip
"""Functions that are NULL where an argument is, and nowhere else."""
_COUNTING = ("Length", "StrPosition")
"""Functions that are never negative."""
_REAL_RESULT = ("Pow", "Sqrt", "Exp", "Ln", "Log", "Stddev", "Sin", "Cos", "Degrees", "Radians")


def function(reader: Reader, node: Any, scope: Scope) -> Val:
    """A function of which nothing else is known than its kind, and where it is NULL."""
    name, known = type(node).__name__, None
    if isinstance(node, exp.Anonymous):
        name = str(node.this).upper()
    known = FUNCTIONS[reader.dialect.name].read.get(name)
    if known is not None:
        return _known(reader, node, name, known, scope)
    kinds = {**dict.fromkeys(_TEXT_RESULT, TEXT), **dict.fromkeys(_INT_RESULT, INT)}
    kinds |= dict.fromkeys(_REAL_RESULT, REAL)
    if name not in kinds or not isinstance(node, exp.Func | exp.Binary):
        raise Unsupported(f"sql: {name} ({node.sql(reader.dialect.name)[:60]})")
    if reader.dialect.errors_raise and not never_fails(node):
        raise Unsupported(f"sql: {name}, which fails on some values ({node.sql(reader.dialect.name)[:60]})")
    label, arguments = _arguments(reader, node, name, scope)
    if name in _REAL_RESULT:
        arguments = [to_real(a) if a.kind in NUMBERS else a for a in arguments]
    else:
        check_no_fractions(reader, name, arguments)
    called = strict if name in _STRICT else opaque
    found = called(reader.dialect, label, arguments, kinds[name])
    return replace(found, val=ite(found.val >= 0, found.val, z3.IntVal(0))) if name in _COUNTING else found


def _arguments(reader: Reader, node: exp.Expr, name: str, scope: Scope) -> tuple[str, list[Val]]:
    """The values that a function is given, and its name with the places at which it gets them."""
    arguments: list[Val] = []
    label = [name]
    for key, part in sorted(node.args.items()):
        if isinstance(part, exp.Expr) and not isinstance(part, exp.Var | exp.Identifier):
            arguments.append(argument(reader, name, key, part, scope))
            label.append(key)
        elif isinstance(part, list) and part:
            arguments += [argument(reader, name, key, item, scope) for item in part]
            label.append(f"{key}*{len(part)}")
        elif part not in (None, [], False) and not (key == "this" and isinstance(node, exp.Anonymous)):
            label.append(f"{key}={part}")
    return " ".join(label), arguments


_OF_NUMBERS = re.compile(r"(?:[^%]|%%|%[-+ 0,]?\d{0,3}(?:\.\d{1,2})?[dfi])*")
"""Formats of PRINTF that print numbers alone."""
_RESULTS: dict[str, Kind] = {str(kind): kind for kind in (TEXT, INT, REAL, BOOL)}


def _known(reader: Reader, node: exp.Expr, name: str, known: Signature, scope: Scope) -> Val:
    """A function with a signature; a value of a type that is no kind here is shown and never compared."""
    shown = node.sql(reader.dialect.name)[:60]
    if reader.dialect.errors_raise and not all(_is_met(node, key, need) for key, need in known.needs):
        raise Unsupported(f"sql: {name}, which fails on some values ({shown})")
    label, arguments = _arguments(reader, node, name, scope)
    if not _prints_numbers(node):
        check_no_fractions(reader, name, arguments)
    if known.takes == "dates":
        arguments = [a if a.kind == INT else as_date(reader, a) for a in arguments]
    elif known.takes == "texts":
        read = {TEXT, INT, NULL_KIND, *(NUMBERS if _prints_numbers(node) else ())}
        others = {a.kind.shown for a in arguments if a.kind not in read}
        if others:
            raise Unsupported(f"sql: {name} of a value of type {min(others)} ({shown})")
    kind = _RESULTS.get(known.result, Sealed(f"sealed:{known.result}", derived=True))
    return (strict if known.strict else opaque)(reader.dialect, label, arguments, kind)


def _prints_numbers(node: exp.Expr) -> bool:
    """Whether a function prints its arguments as numbers: equal ones look alike, whatever their type."""
    if isinstance(node, exp.NumberToStr):
        return True
    parts = node.expressions if isinstance(node, exp.Anonymous) else [node.this]
    return _is_text(parts[0] if parts else None) and _OF_NUMBERS.fullmatch(parts[0].name) is not None


def _is_met(node: exp.Expr, key: str, need: Need) -> bool:
    """Whether an argument, where there is one, is such that the function has a value."""
    part = node.args.get(key)
    if part is None:
        return need is not Need.FILLED
    if need is Need.KEYS:
        return len(part) % 2 == 0 and all(_is_text(key) for key in part[::2])
    if not isinstance(part, exp.Literal):
        return False
    text = str(part.this)
    match need:
        case Need.NUMBER | Need.NOT_ZERO:
            return not part.is_string and text.isdigit() and (need is Need.NUMBER or int(text) != 0)
        case Need.FILLED:
            return part.is_string and bool(text)
        case Need.WORDS:
            return part.is_string and "\\" not in text
        case Need.FLAGS:
            return part.is_string and set(text) <= {"g", "i"}
        case Need.SIMILAR if "\\" in text or "(?" in text:
            return False
    return part.is_string and REGULAR.match(text) is not None


def _is_text(node: Any) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def argument(reader: Reader, name: str, place: str, node: exp.Expr, scope: Scope) -> Val:
    """An argument of a function; `Unsupported` for an ENUM where MariaDB may want a number.

    There it would be the member's position and not its text.
    """
    found = reader.output(node, scope)
    text = name in _TEXTS_ONLY or (name in _TEXT_FIRST and place in ("this", "substr"))
    if reader.dialect.enum_is_number and isinstance(found.kind, Enumerated) and not text:
        raise Unsupported(f"sql: {name} by the position of an ENUM member")
    return computed(found)


def check_no_fractions(reader: Reader, name: str, arguments: Iterable[Val]) -> None:
    """`Unsupported` where a function reads the text of a fraction: equal ones may be written differently.

    So may moments, by the digits that their columns keep of a second.
    """
    kinds = {argument.kind for argument in arguments}
    if kinds & {REAL, LOOSE}:
        raise Unsupported(f"sql: {name} of the text of a number that is no integer")
    if DATETIME in kinds and reader.world.fractional:
        raise Unsupported(f"sql: {name} of the text of a moment, beside columns of other precision")


def never_fails(node: Any) -> bool:
    """Whether a function has a value for all arguments, in the dialects that raise errors."""
    if type(node).__name__ in ("Left", "Right", "Substring"):
        sizes = [node.args.get(key) for key in ("expression", "start", "length")]
        return all(size is None or (isinstance(size, exp.Literal) and not size.is_string) for size in sizes)
    if isinstance(node, exp.StrPosition):
        return node.args.get("position") is None and node.args.get("occurrence") is None
    return type(node).__name__ in (
        "Upper",
        "Lower",
        "Concat",
        "ConcatWs",
        "DPipe",
        "Length",
        "Trim",
        "Replace",
        "Reverse",
    )


READERS: Readers = {
    exp.Anonymous: _anonymous,
}
