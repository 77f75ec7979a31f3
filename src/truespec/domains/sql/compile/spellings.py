"""What is written out as something else that means the same: EVERY, the length of a list, TRIM of UPPER."""

from __future__ import annotations

import datetime
from functools import reduce
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.exploded import exploded
from truespec.domains.sql.compile.series import written
from truespec.domains.sql.dialects.dialect import Dialect

_MOST_ROUNDS = 9
_FIRST_OF = {"%Y-%m-%d": "DAY", "%Y-%m-01": "MONTH", "%Y-01-01": "YEAR"}
"""Formats that write a day of the calendar, and the unit of which it is the first one."""
_DATE = exp.DataType.build("DATE")
_WHOLE_UNITS = frozenset({"year", "month", "week", "day", "hour", "minute"})
"""Of these, an interval is made of whole numbers alone."""

_SPANS = {f"TO_{unit}S": unit for unit in ("DAY", "HOUR", "MINUTE", "WEEK", "MONTH", "YEAR")}
"""DuckDB's functions from whole numbers to spans."""


def written_out(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The query with such calls written out; the tree itself where it has none.

    The engine runs the text as it stands: this is for the prover alone.
    """
    for _ in range(_MOST_ROUNDS):  # what is written out may hold more of the kind
        if not any(_instead(node, dialect) is not None for node in tree.walk()):
            break
        tree = tree.copy().transform(lambda node: _instead(node, dialect) or node, copy=False)
    return tree


def _instead(node: Any, dialect: Dialect) -> exp.Expr | None:
    series = written(node, dialect) or exploded(node)
    if series is not None:
        return series
    match node:
        case exp.Anonymous():
            return _named(node, dialect)
        case exp.ArrayToString() if dialect.joined_list_is_null and isinstance(node.this, exp.ArrayAgg):
            others = [key for key, part in node.args.items() if part and key not in ("this", "expression")]
            return None if others else exp.GroupConcat(this=node.this.this, separator=node.expression)
        case exp.Like() | exp.ILike() if isinstance(node.expression, exp.Any | exp.All):
            return _alternatives(node)
        case exp.CountIf() if not isinstance(node.this, exp.Distinct):
            return _sum_of_truths(node.this)
        case exp.Length() | exp.ArraySize():
            depth = node.args.get("expression")
            if depth is None or (isinstance(depth, exp.Literal) and depth.this == "1"):
                return _length(node.this)
        case exp.ToDays() if dialect.datediff_counts_boundaries:
            return _times(node.this, "DAY")
        case exp.MakeInterval():
            return _span(node)
        case exp.Cast() if node.to.this is exp.DataType.Type.DATE and not node.args.get("format"):
            return _day_of_text(node.this, dialect)
        case exp.TsOrDsToDate() if not node.args.get("format"):
            return _day_of_text(node.this, dialect)
        case exp.StrToDate() | exp.DateFromParts():
            whole = isinstance(node, exp.StrToDate) and node.text("format") == "%Y-%m-%d"
            return _day(node) or (_day_of_text(node.this, dialect) if whole else None)
        case exp.Trim() if isinstance(node.this, exp.Upper | exp.Lower):
            return _trimmed(node)
        case exp.Bracket() if isinstance(_bare(node.this), exp.ArrayAgg):
            return _element(node, dialect)
    return None


def _sum_of_truths(condition: exp.Expr) -> exp.Expr:
    """COUNT_IF is NULL where its condition is in all rows, as a sum is."""
    numbered = (condition, exp.Literal.number(1)), (exp.Not(this=exp.paren(condition)), exp.Literal.number(0))
    return exp.Sum(this=exp.Case(ifs=[exp.If(this=one, true=number) for one, number in numbered]))


def _named(node: exp.Anonymous, dialect: Dialect) -> exp.Expr | None:
    """Aggregates whose names the parser does not know, and ALL over a list."""
    name, arguments = str(node.this).upper(), node.expressions
    if name == "MAKE_DATE" and len(arguments) == 3 and dialect.dates_count_days:
        return _day(exp.DateFromParts(year=arguments[0], month=arguments[1], day=arguments[2]))
    if len(arguments) != 1:
        return None
    if name in _SPANS and dialect.datediff_counts_boundaries:
        return _times(arguments[0], _SPANS[name])
    if name == "EVERY" and dialect.has_boolean_type:
        return exp.LogicalAnd(this=arguments[0])
    if name == "ALL" and isinstance(arguments[0], exp.Array) and isinstance(node.parent, exp.Binary):
        return exp.All(this=exp.Paren(this=arguments[0]))
    if name == "CARDINALITY":
        return _length(arguments[0])
    if name == "TOTAL" and dialect.dates_are_texts and not isinstance(arguments[0], exp.Distinct):
        total = exp.Coalesce(this=exp.Sum(this=arguments[0]), expressions=[exp.Literal.number("0.0")])
        return exp.Cast(this=total, to=exp.DataType.build("REAL"))
    return None


def _alternatives(node: exp.Like | exp.ILike) -> exp.Expr | None:
    """`s LIKE ANY (ARRAY['a%', 'b%'])` is one LIKE or the other, and with ALL one and the other."""
    patterns = node.expression.this.unnest()
    if not isinstance(patterns, exp.Array | exp.Tuple) or not patterns.expressions:
        return None
    negate = node.args.get("negate")
    parts: list[exp.Expr] = [
        _in_parentheses(type(node)(this=node.this.copy(), expression=pattern.copy(), negate=negate))
        for pattern in patterns.expressions
    ]
    some = isinstance(node.expression, exp.Any)

    def combined(one: exp.Expr, other: exp.Expr) -> exp.Expr:
        return exp.Or(this=one, expression=other) if some else exp.And(this=one, expression=other)

    return _in_parentheses(reduce(combined, parts))


def _in_parentheses(node: exp.Expr) -> exp.Paren:
    """An expression in parentheses that count as written: a list of comments says so."""
    found = exp.Paren(this=node)
    found.comments = []
    return found


def _day(node: exp.StrToDate | exp.DateFromParts) -> exp.Expr | None:
    """A day that is made of numbers or of a text as they are written."""
    text = ""
    if isinstance(node, exp.DateFromParts):
        parts = [node.args.get(part) for part in ("year", "month", "day")]
        numbers = [part.name for part in parts if isinstance(part, exp.Literal) and not part.is_string]
        if len(numbers) == 3 and all(number.isdigit() for number in numbers):
            text = f"{int(numbers[0]):04d}-{int(numbers[1]):02d}-{int(numbers[2]):02d}"
    elif isinstance(node.this, exp.Literal) and node.text("format") == "%Y-%m-%d":
        text = str(node.this.this)
    try:
        day = datetime.date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        day = None
    known = day is not None and day.isoformat() == text
    return exp.Cast(this=exp.Literal.string(text), to=exp.DataType.build("DATE")) if known else None


def _day_of_text(node: Any, dialect: Dialect) -> exp.Expr | None:
    """The day that the text of a day says: of `DATE_FORMAT(d, '%Y-%m-01')`, the first one of its month."""
    parts = _bare(node)
    pieces = list(parts.flatten()) if isinstance(parts, exp.DPipe) else [parts]
    pieces = list(parts.expressions) if isinstance(parts, exp.Concat) else [_bare(piece) for piece in pieces]
    first, rest = pieces[0], pieces[1:]
    if not isinstance(first, exp.TimeToStr) or not isinstance(first.args.get("format"), exp.Literal):
        return None
    if dialect.dates_are_texts:
        return None
    if not all(isinstance(piece, exp.Literal) and piece.is_string for piece in rest):
        return None
    unit = _FIRST_OF.get(first.text("format") + "".join(piece.name for piece in rest))
    if unit is None:
        return None
    day = first.this.this if isinstance(first.this, exp.TsOrDsToTimestamp) else first.this
    begun = exp.TimestampTrunc(this=exp.Cast(this=day.copy(), to=_DATE.copy()), unit=exp.Var(this=unit))
    return exp.Cast(this=begun, to=_DATE.copy())


def _span(node: exp.MakeInterval) -> exp.Expr | None:
    """`MAKE_INTERVAL(months => n)` is so many times a month; fractions are the engine's to refuse."""
    parts = [(unit, part) for unit, part in node.args.items() if part is not None]
    if len(parts) != 1 or parts[0][0] not in _WHOLE_UNITS or not isinstance(parts[0][1], exp.Kwarg):
        return None
    unit, part = parts[0]
    return _times(part.expression, unit.upper())


def _times(number: exp.Expr, unit: str) -> exp.Expr:
    """So many of a unit."""
    one = exp.Interval(this=exp.Literal.string("1"), unit=exp.Var(this=unit))
    return _in_parentheses(exp.Mul(this=_in_parentheses(number.copy()), expression=one))


def _trimmed(node: exp.Trim) -> exp.Expr | None:
    """`TRIM(UPPER(x))` is `UPPER(TRIM(x))`: no letter becomes a blank, or is made of one."""
    if any(part for key, part in node.args.items() if key not in ("this", "position")):
        return None
    inner = node.this
    trimmed = exp.Trim(this=inner.this.copy(), position=node.args.get("position"))
    return exp.Upper(this=trimmed) if isinstance(inner, exp.Upper) else exp.Lower(this=trimmed)


def _bare(node: Any) -> Any:
    return node.unnest() if isinstance(node, exp.Paren) else node


def _filtered(call: exp.Expr, test: exp.Expr) -> exp.Filter:
    return exp.Filter(this=call, expression=exp.Where(this=test))


def _length(node: Any) -> exp.Expr | None:
    """How long an aggregated list is: it holds NULLs too, one where they are distinct; NULL without rows."""
    inner = _bare(node)
    test = None
    if isinstance(inner, exp.Filter):
        inner, test = inner.this, inner.expression.this
    if not isinstance(inner, exp.ArrayAgg):
        return None

    def counted(what: exp.Expr) -> exp.Expr:
        call = exp.Count(this=what)
        return call if test is None else _filtered(call, test.copy())

    value = inner.this.this if isinstance(inner.this, exp.Order) else inner.this
    rows = counted(exp.Star())
    if isinstance(value, exp.Distinct):
        if len(value.expressions) != 1:
            return None
        one = value.expressions[0]
        some = exp.GT(this=counted(exp.Star()), expression=counted(one.copy()))
        number = exp.Case(ifs=[exp.If(this=some, true=exp.Literal.number(1))], default=exp.Literal.number(0))
        distinct = counted(exp.Distinct(expressions=[one.copy()]))
        rows = exp.Paren(this=exp.Add(this=distinct, expression=number))
    return exp.Nullif(this=rows, expression=exp.Literal.number(0))


def _element(node: exp.Bracket, dialect: Dialect) -> exp.Expr | None:
    """`(ARRAY_AGG(x ORDER BY k))[1]` is the first of them; the parser counts from 0."""
    inner, places = _bare(node.this), node.expressions
    one = len(places) == 1 and isinstance(places[0], exp.Literal) and places[0].this
    if one != "0" or isinstance(inner.this, exp.Distinct):
        return None
    if not isinstance(inner.this, exp.Order) or isinstance(inner.this.this, exp.Distinct):
        return None
    return exp.First(this=inner.this)
