"""PostgreSQL's ranges of days and moments, and whether two of them, or two periods, overlap.

A range is read with both bounds, neither of which may be NULL, and its lower bound is proved to be no
greater than its upper one, as the engine insists. One of days is kept from its first day to the day after
its last. What is asked of a range is whether it overlaps another one: `a < d AND c < b` for [a, b) and [c,
d) that hold anything.

`(a, b) OVERLAPS (c, d)` takes the ends of each period in their order, leaves the later one out, and lets a
period whose ends are equal hold that one moment.
"""

from __future__ import annotations

from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.numbers import no_error
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.dates import moment
from truespec.domains.sql.ir.kinds import BOOL, DATE, DATETIME, MOMENTS, Other
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, conj, ite
from truespec.domains.sql.ir.symbols import is_false, name_of, operands
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported

RANGES = {"DATERANGE": DATE, "TSRANGE": DATETIME}
"""The functions that make ranges, by the kind of their bounds."""
_OPEN, _CLOSED = "[)", "[]"


def range_of(reader: Reader, name: str, arguments: list[Any], scope: Scope) -> Val:
    """A range from its bounds."""
    low, high = (reader.value(part, scope) for part in arguments[:2])
    ends = arguments[2].this if len(arguments) == 3 and isinstance(arguments[2], exp.Literal) else _OPEN
    if (
        len(arguments) not in (2, 3)
        or ends not in (_OPEN, _CLOSED)
        or len(arguments) - 2 != (ends is not _OPEN)
    ):
        raise Unsupported(f"sql: the bounds of a {name}")
    if (
        low.kind not in MOMENTS
        or high.kind not in MOMENTS
        or not (is_false(low.null) and is_false(high.null))
    ):
        raise Unsupported(f"sql: {name} of bounds that may be NULL, or are no days and moments")
    kind = RANGES[name]
    if kind == DATE and not low.kind == high.kind == DATE:
        raise Unsupported(f"sql: {name} of moments")
    first, last = (value.val if kind == DATE else moment(value).val for value in (low, high))
    no_error(reader, first > last, "a range whose lower bound is the greater one", scope)
    if kind == DATE and ends == _CLOSED:
        last, ends = last + 1, _OPEN
    sort = _kind(name).sort
    made = z3.Function(f"{name.lower()} {ends}", z3.IntSort(), z3.IntSort(), sort)(first, last)
    return Val(FALSE, made, _kind(name))


def _kind(name: str) -> Other:
    return Other(f"other:{name}")


def _ranges_overlap(reader: Reader, node: exp.ArrayOverlaps, scope: Scope) -> Val:
    """`&&` of two ranges."""
    sides = [_bounds(reader.value(part, scope)) for part in (node.this, node.expression)]
    (low, high, open_), (start, end, other) = sides
    filled = conj(*(a < b for a, b, is_open in sides if is_open))
    meet = conj(low < end if other else low <= end, start < high if open_ else start <= high)
    return Val(FALSE, conj(filled, meet), BOOL)


def _bounds(value: Val) -> tuple[Expr, Expr, bool]:
    """The bounds of a range by the form of its value, and whether it lacks the upper one."""
    name = name_of(value.val) if z3.is_app(value.val) else ""
    if (
        value.kind not in [_kind(made) for made in RANGES]
        or not is_false(value.null)
        or name[-2:] not in (_OPEN, _CLOSED)
    ):
        raise Unsupported("sql: && of what is no range that the query makes of two bounds")
    low, high = operands(value.val)
    return low, high, name.endswith(_OPEN)


def _periods_overlap(reader: Reader, node: exp.Overlaps, scope: Scope) -> Val:
    """`(a, b) OVERLAPS (c, d)`."""
    pairs = [part.expressions if isinstance(part, exp.Tuple) else [] for part in (node.this, node.expression)]
    if not all(len(pair) == 2 for pair in pairs):
        raise Unsupported("sql: OVERLAPS of what are no two pairs")
    values = [reader.value(part, scope) for pair in pairs for part in pair]
    if not all(value.kind in MOMENTS and is_false(value.null) for value in values):
        raise Unsupported("sql: OVERLAPS of ends that may be NULL, or are no days and moments")
    a, b, c, d = (moment(value).val for value in values)
    (low, high), (start, end) = (_ordered(a, b), _ordered(c, d))
    meet = ite(low > start, low < end, ite(low < start, start < high, TRUE))
    return Val(FALSE, meet, BOOL)


def _ordered(one: Expr, other: Expr) -> tuple[Expr, Expr]:
    return ite(one <= other, one, other), ite(one <= other, other, one)


READERS: Readers = {exp.ArrayOverlaps: _ranges_overlap, exp.Overlaps: _periods_overlap}
