"""Dates: their parts, and what moves them."""

from __future__ import annotations

import datetime
import re
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.refute.reading import Reading, Scope
from truespec.domains.sql.refute.symbolic import (
    SECONDS,
    Beyond,
    Value,
    as_day,
)

FIRST, LAST = datetime.date(1901, 1, 1).toordinal(), datetime.date(2099, 12, 31).toordinal()
"""Dates that are proposed."""
_MONTHS = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


class Dates(Reading):
    """Reads functions of dates."""

    def _civil(self, value: Value) -> tuple[Any, Any, Any]:
        """Year, month and day of a date."""
        days = as_day(value).value
        key = days.get_id()
        if key not in self._civil_of:
            number = next(self.fresh)
            year, month, day = (z3.Int(f"{part} {number}") for part in ("year", "month", "day"))
            leap = z3.And(year % 4 == 0, z3.Or(year % 100 != 0, year % 400 == 0))
            before: Any = z3.IntVal(_MONTHS[-1])
            length: Any = z3.IntVal(31)
            for index in range(10, -1, -1):
                before = z3.If(month == index + 1, z3.IntVal(_MONTHS[index]), before)
                size = _MONTHS[index + 1] - _MONTHS[index]
                length = z3.If(month == index + 1, z3.IntVal(size), length)
            length = length + z3.If(z3.And(month == 2, leap), 1, 0)
            before = before + z3.If(z3.And(month > 2, leap), 1, 0)
            passed = year - 1
            ordinal = 365 * passed + passed / 4 - passed / 100 + passed / 400 + before + day
            self.facts += [
                z3.And(year >= 1901, year <= 2099, month >= 1, month <= 12, day >= 1, day <= length),
                days == ordinal,
            ]
            self._civil_of[key] = (year, month, day, days)
        return self._civil_of[key][:3]

    def _part(self, node: Any, scope: Scope, place: int) -> Value:
        value = as_day(self.value(node.this, scope))
        return Value(value.null, self._civil(value)[place], "number")

    def _year(self, node: Any, scope: Scope) -> Value:
        return self._part(node, scope, 0)

    def _month(self, node: Any, scope: Scope) -> Value:
        return self._part(node, scope, 1)

    def _day(self, node: Any, scope: Scope) -> Value:
        return self._part(node, scope, 2)

    _dayofmonth = _day

    def _extract(self, node: Any, scope: Scope) -> Value:
        place = {"YEAR": 0, "MONTH": 1, "DAY": 2}.get(str(node.this.name).upper())
        if place is None:
            raise Beyond
        value = as_day(self.value(node.expression, scope))
        return Value(value.null, self._civil(value)[place], "number")

    def _date_of(self, node: Any, scope: Scope) -> Value:
        if node.args.get("expressions"):
            raise Beyond
        return as_day(self.value(node.this, scope))

    _date = _tsordstodate = _date_of

    def _datediff(self, node: Any, scope: Scope) -> Value:
        if str(node.args.get("unit") or "DAY").upper() != "DAY":
            raise Beyond
        one, other = as_day(self.value(node.this, scope)), as_day(self.value(node.expression, scope))
        return Value(z3.Or(one.null, other.null), one.value - other.value, "number")

    _timestampdiff = _tsordsdiff = _datediff

    def _dateadd(self, node: Any, scope: Scope) -> Value:
        return self._shifted(self.value(node.this, scope), node, 1)

    def _datesub(self, node: Any, scope: Scope) -> Value:
        return self._shifted(self.value(node.this, scope), node, -1)

    _tsordsadd = _dateadd

    def _shifted(self, value: Value, by: Any, sign: int) -> Value:
        amount = by.this if isinstance(by, exp.Interval) else by.expression
        unit = str(by.args.get("unit") or "DAY").upper()
        if isinstance(amount, exp.Interval):
            amount, unit = amount.this, str(amount.args.get("unit") or unit).upper()
        written = str(amount.name)
        if not re.fullmatch(r"\d{1,5}", written):
            raise Beyond
        days = {"DAY": 1, "WEEK": 7}.get(unit)
        if value.kind == "text":
            value = as_day(value)
        if days is not None:
            scale = SECONDS if value.kind == "moment" else 1
            return Value(value.null, value.value + sign * days * int(written) * scale, value.kind)
        months = {"MONTH": 1, "YEAR": 12, "QUARTER": 3}.get(unit)
        if months is None:
            raise Beyond
        year, month, day = self._civil(value)
        moved = z3.Int(f"moved {next(self.fresh)}")
        self.facts += [moved >= FIRST, moved <= LAST]
        then = self._civil(Value(value.null, moved, "date"))
        self.facts.append(
            z3.And(
                then[0] * 12 + then[1] == year * 12 + month + sign * months * int(written),
                then[2] == z3.If(day > 28, 28, day),
            )
        )
        return Value(value.null, moved, "date")

    def _substring(self, node: Any, scope: Scope) -> Value:
        """The beginning of a date's text."""
        value, size = self.value(node.this, scope), str(node.args.get("length") or "")
        form = {"4": "%Y", "7": "%Y-%m", "10": "%Y-%m-%d"}.get(size)
        if value.kind != "date" or form is None or str(node.args.get("start") or "1") != "1":
            raise Beyond
        return self._as_written(value, form)

    def _as_written(self, value: Value, form: str) -> Value:
        year, month, day = self._civil(value)
        parts = {"%Y": year, "%m": month, "%d": day, "%c": month, "%e": day}
        number: Any = z3.IntVal(0)
        for part in re.findall(r"%\w", form):
            if part not in parts:
                raise Beyond
            number = number * 100 + parts[part]
        return Value(value.null, number, f"written {form}")
