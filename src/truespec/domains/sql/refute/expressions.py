"""Expressions over symbolic rows: what each construct makes of the values below it."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.dialects.dialect import DecimalCast
from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.refute.reading import Scope
from truespec.domains.sql.refute.symbolic import (
    FALSE,
    TRUE,
    Beyond,
    Value,
    alike,
    as_day,
    as_moment,
    as_number,
    choice,
    compared,
    conjunction,
    is_true,
    like_pattern,
    negation,
    number_of,
    real,
    truth_of,
    unlike,
)
from truespec.domains.sql.refute.texts import Texts

FEW_COPIES = 9
"""The largest group where a condition does not ask for more."""


@dataclass(frozen=True, slots=True)
class Path:
    """One way for a query to put out a row."""

    conditions: tuple[Any, ...]
    outputs: tuple[tuple[str, Value | None], ...]


_COMPARISONS: dict[Any, str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}


class Expressions(Texts):
    """Reads the expressions of one pair."""

    @abstractmethod
    def query(self, node: Any, outer: Scope) -> list[Path]:
        """The ways of a query to put out a row."""

    def truth(self, node: Any, scope: Scope) -> Value:
        """A condition; one that has no reading here is true or false as Z3 likes."""
        try:
            return truth_of(self.value(node, scope))
        except (Beyond, z3.Z3Exception):
            return Value(FALSE, z3.Bool(f"unknown {next(self.fresh)}"), "truth")

    def _maybe(self, node: Any, scope: Scope) -> Value | None:
        try:
            return self.value(node, scope)
        except (Beyond, z3.Z3Exception):
            return None

    def value(self, node: Any, scope: Scope) -> Value:
        """The value of an expression; `Beyond` where it has no reading."""
        reading = getattr(self, f"_{type(node).__name__.lower()}", None)
        if isinstance(node, exp.AggFunc):
            return self._aggregate(node, scope)
        if type(node) in _COMPARISONS:
            return self._atom(
                compared(
                    _COMPARISONS[type(node)], self.value(node.this, scope), self.value(node.expression, scope)
                )
            )
        if reading is None:
            raise Beyond
        found: Value = reading(node, scope)
        return found

    def _same(self, node: Any, scope: Scope) -> Value:
        return self.value(node.this, scope)

    _paren = _upper = _lower = _trim = _tsordstotimestamp = _same

    def _column(self, node: Any, scope: Scope) -> Value:
        found = scope(str(node.table).lower(), str(node.name).lower())
        if found is None:
            raise Beyond
        return found

    def _literal(self, node: Any, scope: Scope) -> Value:
        if node.is_string:
            text = str(node.name)[:200]
            return Value(FALSE, z3.StringVal(text), "text", text)
        return number_of(str(node.name))

    def _boolean(self, node: Any, scope: Scope) -> Value:
        return Value(FALSE, z3.BoolVal(bool(node.this)), "truth")

    def _null(self, node: Any, scope: Scope) -> Value:
        return Value(TRUE, z3.IntVal(0), "null")

    def _and(self, node: Any, scope: Scope) -> Value:
        return conjunction(self.truth(part, scope) for part in (node.left, node.right))

    def _or(self, node: Any, scope: Scope) -> Value:
        return negation(conjunction(negation(self.truth(part, scope)) for part in (node.left, node.right)))

    def negation(self, node: Any, scope: Scope) -> Value:
        return negation(self.truth(node.this, scope))

    def _is(self, node: Any, scope: Scope) -> Value:
        value = self.value(node.this, scope)
        if isinstance(node.expression, exp.Null):
            return self._atom(Value(FALSE, value.null, "truth"))
        if isinstance(node.expression, exp.Boolean):
            wanted, truth = bool(node.expression.this), truth_of(value)
            is_it = is_true(truth) if wanted else is_true(negation(truth))
            return self._atom(Value(FALSE, is_it, "truth"))
        raise Beyond

    def _nullsafeeq(self, node: Any, scope: Scope) -> Value:
        one, other = alike(self.value(node.this, scope), self.value(node.expression, scope))
        return self._atom(Value(FALSE, z3.Not(unlike(one, other)), "truth"))

    def _between(self, node: Any, scope: Scope) -> Value:
        value = self.value(node.this, scope)
        low, high = self.value(node.args["low"], scope), self.value(node.args["high"], scope)
        return conjunction([self._atom(compared("<=", low, value)), self._atom(compared("<=", value, high))])

    def _in(self, node: Any, scope: Scope) -> Value:
        query = node.args.get("query")
        if query is None:
            value = self.value(node.this, scope)
            members = [self.value(member, scope) for member in node.expressions[:20]]
            return negation(
                conjunction(negation(self._atom(compared("=", value, member))) for member in members)
            )
        met = []
        values = [self.value(part, scope) for part in _tuple(node.this)]
        for path in self.query(query, scope):
            pairs = zip(values, (value for _, value in path.outputs), strict=False)
            equal = [is_true(compared("=", a, b)) for a, b in pairs if b is not None]
            met.append(z3.And(*path.conditions, *equal))
        return self._atom(Value(FALSE, z3.Or(*met), "truth"))

    def _exists(self, node: Any, scope: Scope) -> Value:
        met = [z3.And(*path.conditions) for path in self.query(node.this, scope)]
        return self._atom(Value(FALSE, z3.Or(*met), "truth"))

    def _subquery(self, node: Any, scope: Scope) -> Value:
        path = self.query(node.this, scope)[0]
        if len(path.outputs) != 1 or path.outputs[0][1] is None:
            raise Beyond
        value = path.outputs[0][1]
        return Value(z3.Or(value.null, z3.Not(z3.And(*path.conditions))), value.value, value.kind)

    def _like(self, node: Any, scope: Scope, escape: str = "\\") -> Value:
        value, pattern = self.value(node.this, scope), self.value(node.expression, scope)
        text = pattern.literal
        if text is None:
            raise Beyond
        if value.kind in ("date", "moment") and text.endswith("%"):
            found = compared("=", *self._written(value, text.rstrip("%-")))
        elif value.kind == "text":
            found = Value(value.null, z3.InRe(value.value, like_pattern(text, escape)), "truth")
        else:
            raise Beyond
        return self._atom(negation(found) if node.args.get("negate") else found)

    _ilike = _like

    def _escape(self, node: Any, scope: Scope) -> Value:
        if not isinstance(node.this, exp.Like | exp.ILike):
            raise Beyond
        return self._like(node.this, scope, str(node.expression.name)[:1])

    def _written(self, value: Value, literal: str) -> tuple[Value, Value]:
        """A date and a literal that is written as its beginning: both as that text's parts."""
        form = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d"}.get(len(literal))
        if form is None:
            raise Beyond
        return self._as_written(value, form), Value(FALSE, z3.StringVal(literal), "text", literal)

    def _timetostr(self, node: Any, scope: Scope) -> Value:
        form = node.args.get("format")
        if not isinstance(form, exp.Literal):
            raise Beyond
        return self._as_written(as_day(self.value(node.this, scope)), str(form.name))

    def _case(self, node: Any, scope: Scope) -> Value:
        default = node.args.get("default")
        found = self.value(default, scope) if default is not None else Value(TRUE, z3.IntVal(0), "null")
        for part in reversed(node.args["ifs"]):
            if node.this is not None:
                test = self._atom(compared("=", self.value(node.this, scope), self.value(part.this, scope)))
            else:
                test = self.truth(part.this, scope)
            found = choice(is_true(test), self.value(part.args["true"], scope), found)
        return found

    def _if(self, node: Any, scope: Scope) -> Value:
        no = node.args.get("false")
        other = self.value(no, scope) if no is not None else Value(TRUE, z3.IntVal(0), "null")
        return choice(is_true(self.truth(node.this, scope)), self.value(node.args["true"], scope), other)

    def _coalesce(self, node: Any, scope: Scope) -> Value:
        found = self.value(node.expressions[-1], scope)
        for part in reversed([node.this, *node.expressions[:-1]]):
            value = self.value(part, scope)
            found = choice(z3.Not(value.null), value, found)
        return found

    def _nullif(self, node: Any, scope: Scope) -> Value:
        one, other = self.value(node.this, scope), self.value(node.expression, scope)
        equal = self._atom(compared("=", one, other))
        return Value(z3.Or(one.null, is_true(equal)), one.value, one.kind)

    # Numbers

    def _two(self, node: Any, scope: Scope) -> tuple[Value, Value]:
        return as_number(self.value(node.this, scope)), as_number(self.value(node.expression, scope))

    def _arithmetic(self, node: Any, scope: Scope) -> Value:
        one, other = self._two(node, scope)
        null = z3.Or(one.null, other.null)
        a, b = one.value, other.value
        match node:
            case exp.Mul():
                return Value(null, a * b, "number")
            case exp.Mod() if a.is_int() and b.is_int():
                return Value(z3.Or(null, b == 0), a % b, "number")
            case exp.IntDiv() if a.is_int() and b.is_int():
                return Value(z3.Or(null, b == 0), a / b, "number")
            case exp.Div():
                whole = a.is_int() and b.is_int() and DIALECTS[self.schema.dialect].division_truncates
                quotient = a / b if whole else real(a) / real(b)
                return Value(z3.Or(null, b == 0), quotient, "number")
        raise Beyond

    _mul = _mod = _intdiv = _div = _arithmetic

    def _add(self, node: Any, scope: Scope, sign: int = 1) -> Value:
        if isinstance(node.expression, exp.Interval):
            return self._shifted(self.value(node.this, scope), node.expression, sign)
        one, other = self.value(node.this, scope), self.value(node.expression, scope)
        counted = DIALECTS[self.schema.dialect].dates_count_days
        if one.kind == other.kind == "date" and sign < 0 and counted:
            return Value(z3.Or(one.null, other.null), one.value - other.value, "number")
        if one.kind == "date" and counted:
            return Value(z3.Or(one.null, other.null), one.value + sign * as_number(other).value, "date")
        one, other = as_number(one), as_number(other)
        return Value(z3.Or(one.null, other.null), one.value + sign * other.value, "number")

    def _sub(self, node: Any, scope: Scope) -> Value:
        return self._add(node, scope, -1)

    def _neg(self, node: Any, scope: Scope) -> Value:
        value = as_number(self.value(node.this, scope))
        return Value(value.null, -value.value, "number")

    def _abs(self, node: Any, scope: Scope) -> Value:
        value = as_number(self.value(node.this, scope))
        return Value(value.null, z3.If(value.value >= 0, value.value, -value.value), "number")

    def _pow(self, node: Any, scope: Scope) -> Value:
        value = as_number(self.value(node.this, scope))
        power = str(node.expression.name)
        if power not in ("2", "3"):
            raise Beyond
        made = value.value * value.value * (value.value if power == "3" else 1)
        return Value(value.null, made, "number")

    def _sqrt(self, node: Any, scope: Scope) -> Value:
        value = as_number(self.value(node.this, scope))
        root = z3.Int(f"root {next(self.fresh)}")
        self.facts.append(z3.Or(value.null, z3.And(root >= 0, root * root == value.value)))
        return Value(value.null, root, "number")

    def _round(self, node: Any, scope: Scope) -> Value:
        value = as_number(self.value(node.this, scope))
        digits = str(node.args["decimals"].name) if node.args.get("decimals") is not None else "0"
        if value.value.is_int():
            return value
        if not digits.isdigit() or len(digits) > 1:
            raise Beyond
        scaled = z3.ToInt(value.value * 10 ** int(digits) + z3.Q(1, 2))
        return Value(value.null, z3.ToReal(scaled) / 10 ** int(digits), "number")

    def _floor(self, node: Any, scope: Scope) -> Value:
        value = as_number(self.value(node.this, scope))
        return value if value.value.is_int() else Value(value.null, z3.ToInt(value.value), "number")

    def _ceil(self, node: Any, scope: Scope) -> Value:
        value = as_number(self.value(node.this, scope))
        return value if value.value.is_int() else Value(value.null, -z3.ToInt(-value.value), "number")

    def _cast(self, node: Any, scope: Scope) -> Value:
        value, to = self.value(node.this, scope), node.to.this
        if to in exp.DataType.INTEGER_TYPES:
            if value.kind.startswith("written") and re.fullmatch(r"written %\w", value.kind):
                return Value(value.null, value.value, "number")
            number = as_number(value)
            whole = number.value if number.value.is_int() else z3.ToInt(number.value)
            return Value(number.null, whole, "number")
        if to in exp.DataType.REAL_TYPES:
            number = as_number(value)
            by_value = DIALECTS[self.schema.dialect].decimal_cast is DecimalCast.BY_VALUE
            affinity = by_value and to == exp.DataType.Type.DECIMAL
            return number if affinity else Value(number.null, real(number.value), "number")
        if to == exp.DataType.Type.DATE:
            return as_day(value)
        if to in exp.DataType.TEXT_TYPES and value.kind in ("text", "date"):
            return value
        if to in (exp.DataType.Type.TIMESTAMP, exp.DataType.Type.DATETIME):
            return as_moment(value)
        raise Beyond

    # Groups

    def _aggregate(self, node: Any, scope: Scope) -> Value:
        inner = node.this
        if isinstance(inner, exp.Distinct):
            inner = inner.expressions[0]
        if isinstance(node, exp.Count):
            if inner is None or isinstance(inner, exp.Star):
                return Value(FALSE, self.copies, "number")
            value = self.value(inner, scope)
            many: Any = self.copies
            if isinstance(node.this, exp.Distinct):
                self.distinct |= {str(column.name).lower() for column in node.find_all(exp.Column)}
                many = z3.If(self.varied, self.copies, z3.IntVal(1))
            return Value(FALSE, z3.If(value.null, z3.IntVal(0), many), "number")
        if isinstance(node, exp.Sum):
            value = as_number(self.value(inner, scope))
            return Value(value.null, value.value * self.copies, "number")
        if isinstance(node, exp.Avg):
            return as_number(self.value(inner, scope))
        if isinstance(node, exp.Min | exp.Max | exp.AnyValue | exp.First | exp.Last):
            return self.value(inner, scope)
        raise Beyond

    def _window(self, node: Any, scope: Scope) -> Value:
        inner = node.this
        if isinstance(inner, exp.RowNumber | exp.Rank | exp.DenseRank) or not isinstance(inner, exp.AggFunc):
            rank = z3.Int(f"rank {next(self.fresh)}")
            self.facts += [rank >= 1, rank <= 3]
            return Value(FALSE, rank, "number")
        return self._aggregate(inner, scope)


def _tuple(node: Any) -> Sequence[Any]:
    return node.expressions if isinstance(node, exp.Tuple) else [node]
