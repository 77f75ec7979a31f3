"""Scalar expressions: their value, NULL included, in terms of the columns in scope."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import z3
from sqlglot import exp

from truespec.domains.sql.places import At
from truespec.domains.sql.rules import rounding
from truespec.domains.sql.world import (
    ALWAYS_NULL,
    DATED,
    DAY,
    ENUM,
    FALSE,
    NULL,
    NUMBERS,
    PADDED,
    SEALED,
    TRUE,
    Expr,
    Formula,
    Val,
    World,
    check_compared,
    computed,
    conj,
    default_of,
    disj,
    identical,
    ite,
    neg,
    number,
    numeric,
    sort_of,
    to_real,
    together,
    type_of,
    united,
)
from truespec.verdict import ReasonCode, SpecificationError, Unsupported

if TYPE_CHECKING:
    from truespec.domains.sql.query import Compiler, Scope

INT, REAL, BOOL = z3.IntSort(), z3.RealSort(), z3.BoolSort()
_TEXT_RESULT = (
    "Upper", "Lower", "Concat", "Substring", "Left", "Right", "Trim", "Replace", "Pad", "Reverse", "Repeat",
    "ConcatWs", "Initcap", "Hex", "MD5", "TimeToStr", "DPipe", "Monthname", "Dayname",
)  # fmt: skip
_INT_RESULT = ("Length", "StrPosition", "Ascii", "Unicode", "DayOfWeek", "DayOfYear", "Week", "WeekOfYear",
               "Quarter", "Day", "DayOfMonth", "Sign", "Hour", "Minute", "Second", "Bitlength")  # fmt: skip
_TEXTS_ONLY = ("Upper", "Lower", "Concat", "ConcatWs", "Trim", "Replace", "Reverse", "Hex", "MD5", "Length",
               "Ascii")  # fmt: skip
"""Functions that read all their arguments as texts."""
_TEXT_FIRST = ("Left", "Right", "Substring", "Repeat", "Pad", "StrPosition")
"""Functions of a text and of numbers."""
_REAL_RESULT = ("Pow", "Sqrt", "Exp", "Ln", "Log", "Stddev", "Sin", "Cos", "Degrees", "Radians")


def from_truth(true: Formula, false: Formula) -> Val:
    """A Boolean from when it is true and when it is false."""
    return Val(neg(disj(true, false)), true, "bool", sides=(true, false))


def is_true(value: Val) -> Formula:
    """Where a Boolean is true."""
    if value.sides is not None:
        return value.sides[0]
    return conj(neg(value.null), value.val)


def is_false(value: Val) -> Formula:
    """Where a Boolean is false."""
    if value.sides is not None:
        return value.sides[1]
    return conj(neg(value.null), neg(value.val))


def logical_not(value: Val) -> Val:
    """NOT."""
    sides = None if value.sides is None else (value.sides[1], value.sides[0])
    return Val(value.null, neg(value.val), "bool", sides=sides)


def logical_and(values: Sequence[Val]) -> Val:
    """AND."""
    return from_truth(conj(*map(is_true, values)), disj(*map(is_false, values)))


def logical_or(values: Sequence[Val]) -> Val:
    """OR."""
    return from_truth(disj(*map(is_true, values)), conj(*map(is_false, values)))


def truth(world: World, value: Val) -> Val:
    """A value in a Boolean context."""
    if value.kind == "bool":
        return value
    if value.kind == "null":
        return Val(TRUE, FALSE, "bool")
    if value.kind in NUMBERS and world.dialect in ("mysql", "sqlite"):
        zero = z3.IntVal(0) if value.kind == "int" else z3.RealVal(0)
        return Val(value.null, value.val != zero, "bool")
    raise Unsupported(f"sql: a value of type {value.kind.removeprefix('other:')} used as a condition")


_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2}))?)?\Z", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\Z", re.ASCII)
_LIKE_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[ \t\n\v\f\r]*\Z", re.ASCII | re.I
)
"""Texts that SQLite makes numbers where a column asks for them."""
_FORMAT = re.compile(r"(?:[^%]|%[YmdHMSy])*\Z")
"""Date formats that the parser keeps apart: MariaDB's `%M` becomes `%B`, and `%B` stays as it is."""
_ESCAPE = r"\\[dws!-/:-@\[-`{-~]"
_CLASS = rf"\[\^?(?:a-z|A-Z|0-9|{_ESCAPE}|[A-Za-z0-9 _%@,;:!#&'\"<>=~`/+*?(){{}}|$.])+-?\]"
_PIECE = rf"(?:[A-Za-z0-9 _%@,;:!#&'\"<>=~`/.-]|{_ESCAPE}|{_CLASS})(?:[*+?]|\{{[0-9]{{1,2}},?\}})?"
_BRANCH = rf"(?:\^|{_PIECE})(?:{_PIECE})*\$?"
_GROUP = rf"\((?:\?:)?{_BRANCH}(?:\|{_BRANCH})*\)[*+?]?"
_REGULAR = re.compile(rf"(?:{_PIECE}|{_GROUP}|[\^$|]){{0,200}}\Z", re.ASCII)
"""Texts that surely are regular expressions of PostgreSQL: any other may be an error where it is tried."""
_INTEGERS = frozenset(
    {
        *(exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT, exp.DataType.Type.MEDIUMINT),
        *(exp.DataType.Type.INT, exp.DataType.Type.BIGINT),
    }
)
"""Types to which a cast of an integer that fits changes nothing."""


def read_date(world: World, literal: str) -> Val:
    """A date or a moment, as its literal says; `Unsupported` for one that no calendar has."""
    match = _DATE.match(literal)
    if not match:
        raise Unsupported(f"sql: the text {literal[:40]!r} where a date is needed")
    parts = [int(part) for part in match.groups() if part is not None]
    try:
        days = datetime.date(*parts[:3]).toordinal()
    except ValueError as error:
        raise Unsupported(f"sql: the text {literal[:40]!r} is no date of the calendar") from error
    world.note_date(days)
    if len(parts) == 3:
        return Val(FALSE, z3.IntVal(days), "date")
    hour, minute, second = (*parts[3:], 0)[:3]
    if hour > 23 or minute > 59 or second > 59:
        raise Unsupported(f"sql: the text {literal[:40]!r} is no time of day")
    world.note_date(days + 1)
    return Val(FALSE, z3.IntVal(days * DAY + (hour * 3600 + minute * 60 + second) * 1_000_000), "datetime")


def moment(value: Val) -> Val:
    """A date as its first moment."""
    if value.kind == "datetime":
        return value
    val = z3.IntVal(value.val.as_long() * DAY) if z3.is_int_value(value.val) else value.val * DAY
    return Val(value.null, val, "datetime")


def day(value: Val) -> Val:
    """The day of a moment."""
    if value.kind != "datetime":
        return value
    val = value.val / DAY
    return Val(value.null, z3.simplify(val) if z3.is_int_value(value.val) else val, "date")


def comparable(world: World, left: Val, right: Val) -> tuple[Val, Val]:
    """Both values as one kind, by the dialect's conversions; `Unsupported` where they are not modelled."""
    check_compared((left, right))
    left, right = computed(left), computed(right)
    if left.kind == right.kind:
        return left, right
    kinds = {left.kind, right.kind}
    if kinds <= {*NUMBERS, "bool"}:
        if "bool" in kinds and world.dialect == "duckdb":
            raise Unsupported("sql: a Boolean compared with a number")
        if "bool" in kinds and world.dialect == "postgres":
            raise SpecificationError(ReasonCode.TYPE, "a Boolean is compared with a number")
        left, right = numeric(left), numeric(right)
        return (left, right) if left.kind == right.kind else (to_real(left), to_real(right))
    if kinds == {"date", "datetime"}:
        return moment(left), moment(right)
    if DATED in kinds:
        return as_dated(left), as_dated(right)
    if "text" in kinds and kinds & {"date", "datetime"}:
        text, other = (left, right) if left.kind == "text" else (right, left)
        if text.literal is None:
            raise Unsupported("sql: a text compared with a date")
        date = read_date(world, text.literal)
        if other.kind == "date" and world.dialect in ("postgres", "duckdb"):
            date = day(date)  # there the text takes the column's type, which drops its time of day
        other, date = comparable(world, other, date)
        return (date, other) if left is text else (other, date)
    if "text" in kinds and kinds & {*NUMBERS}:
        text, other = (left, right) if left.kind == "text" else (right, left)
        plain = (text.literal or "").strip(" ")
        if world.dialect in ("postgres", "duckdb") and "." in plain:
            raise Unsupported("sql: a text with a fraction, which takes the type of the number beside it")
        if _NUMBER.match(plain) and world.dialect != "sqlite":
            read = number(plain.lstrip("+"))
        elif world.dialect == "mysql" and text.literal is None and not world.enums:
            read = Val(text.null, z3.Function("number", text.val.sort(), REAL)(text.val), "real")
        else:
            raise Unsupported("sql: a text compared with a number")
        read, other = comparable(world, read, other)
        return (read, other) if left is text else (other, read)
    if "text" in kinds and any(kind.startswith(PADDED) for kind in kinds):
        text, other = (left, right) if left.kind == "text" else (right, left)
        if text.literal is None:
            raise Unsupported("sql: a CHAR(n) compared with another text")
        read = Val(FALSE, world.text(text.literal.rstrip(" ")), other.kind)
        return (read, other) if left is text else (other, read)
    raise Unsupported(f"sql: a comparison of {left.kind} with {right.kind}")


def as_dated(value: Val) -> Val:
    """A value beside one of kind `DATED`."""
    if value.kind == "text" and value.literal is not None and not _LIKE_NUMBER.match(value.literal):
        return Val(value.null, value.val, DATED)
    if value.kind != DATED:
        raise Unsupported("sql: a column of dates beside a number, or a text that SQLite may make one")
    return value


def equal(world: World, left: Val, right: Val) -> Val:
    """The `=` of the dialect."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return Val(TRUE, FALSE, "bool")
    month = _month_of(left, right) or _month_of(right, left)
    if month is not None:
        return month
    left, right = comparable(world, left, right)
    same = world.key_expression(left) == world.key_expression(right)
    if z3.is_bool(left.val):
        same = left.val == right.val
    null = disj(left.null, right.null)
    return Val(null, z3.simplify(same) if _constant(left, right) else same, "bool")


def _constant(left: Val, right: Val) -> bool:
    return all(z3.is_int_value(v.val) or z3.is_rational_value(v.val) for v in (left, right))


def _month_of(text: Val, literal: Val) -> Val | None:
    """`DATE_FORMAT(d, '%Y-%m') = '2020-02'` as a statement about the month."""
    if literal.literal is None or text.kind != "text" or text.val.decl().name() != "text.yearmonth":
        return None
    match = re.match(r"([0-9]{4})-(0[1-9]|1[0-2])\Z", literal.literal)
    if not match:
        return None
    goal = int(match[1]) * 12 + int(match[2])
    return Val(text.null, text.val.arg(0) == z3.IntVal(goal), "bool")


def less(world: World, left: Val, right: Val) -> Val:
    """The `<` of the dialect."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return Val(TRUE, FALSE, "bool")
    left, right = comparable(world, left, right)
    null = disj(left.null, right.null)
    if left.kind in ("text", DATED) or left.kind.startswith(PADDED):
        if world.enums and world.dialect != "mysql":
            raise Unsupported("sql: an order of texts beside ENUM columns, which order by position")
        return Val(null, world.collation(left.val) < world.collation(right.val), "bool")
    if left.kind == "bool":
        return Val(null, conj(neg(left.val), right.val), "bool")
    if left.kind not in (*NUMBERS, "date", "datetime"):
        raise Unsupported(f"sql: an order of values of type {left.kind.removeprefix('other:')}")
    below = left.val < right.val
    return Val(null, z3.simplify(below) if _constant(left, right) else below, "bool")


def compare(world: World, operator: str, left: Val, right: Val) -> Val:
    """A comparison by its operator."""
    match operator:
        case "=":
            return equal(world, left, right)
        case "<>":
            return logical_not(equal(world, left, right))
        case "<":
            return less(world, left, right)
        case ">":
            return less(world, right, left)
        case "<=":
            return logical_not(less(world, right, left))
        case _:
            return logical_not(less(world, left, right))


def null_safe_equal(world: World, left: Val, right: Val) -> Formula:
    """Whether grouping puts both values together."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return conj(left.null, right.null)
    same = equal(world, left, right)
    return disj(conj(left.null, right.null), conj(neg(left.null), neg(right.null), same.val))


def merged(world: World, values: Sequence[Val]) -> list[Val]:
    """The branches of a CASE as one kind."""
    # SQLite's NULLs have no type anywhere.
    untyped = ALWAYS_NULL if world.dialect == "sqlite" else ("null",)
    kinds = {value.kind for value in values} - {*untyped}
    if not kinds and world.dialect == "sqlite":
        return [NULL] * len(values)
    if not kinds:
        goal = "text"  # as PostgreSQL and MariaDB have it; it meets no other type
    elif len(kinds) == 1:
        goal = next(iter(kinds))
    elif kinds <= {*NUMBERS, "bool"}:
        if "bool" in kinds and world.dialect == "duckdb":
            raise Unsupported("sql: branches of Boolean and of numeric type")
        if "bool" in kinds and world.dialect == "postgres":
            raise SpecificationError(ReasonCode.TYPE, "branches of Boolean and of numeric type")
        goal = united({"int" if kind == "bool" else kind for kind in kinds}, world.dialect)
    elif kinds == {"text", DATED}:
        goal = DATED
    else:
        raise Unsupported(f"sql: branches of types {' and '.join(sorted(kinds))}")
    done = []
    for value in values:
        if value.kind in untyped:
            done.append(Val(TRUE, default_of(goal), goal))
        elif goal == "int":
            done.append(numeric(value))
        elif goal in NUMBERS:
            done.append(replace(to_real(value), kind=goal))
        elif goal == DATED:
            done.append(as_dated(value))
        else:
            done.append(value)
    return done


def choose(test: Formula, yes: Val, no: Val) -> Val:
    """A value by cases; both of one kind."""
    kind = yes.kind if yes.kind != "null" else no.kind
    return Val(ite(test, yes.null, no.null), ite(test, yes.val, no.val), kind)


def opaque(world: World, name: str, arguments: Iterable[Val], kind: str) -> Val:
    """A deterministic function of which nothing is known but that equal arguments give equal results."""
    parts: list[Expr] = []
    label = [name]
    for argument in arguments:
        if world.dialect == "mysql" and argument.kind.startswith(SEALED):
            raise Unsupported(f"sql: {name.split(maxsplit=1)[0]} of a value of type {type_of(argument)}")
        label.append(argument.kind)
        if argument.kind == "null":
            continue
        if not z3.is_false(argument.null):
            label.append("?")
            parts.append(argument.null)
            parts.append(ite(argument.null, default_of(argument.kind), argument.val))
        else:
            parts.append(argument.val)
    text = ":".join(label)
    if not parts:
        return Val(z3.Bool(f"fix!{text}?"), z3.Const(f"fix!{text}", sort_of(kind)), kind)
    sorts = [part.sort() for part in parts]
    # The name carries which arguments may be NULL, so a nullable and a strict use are unrelated symbols;
    # that loses proofs, never soundness.
    return Val(
        z3.Function(f"{text}?", *sorts, BOOL)(*parts), z3.Function(text, *sorts, sort_of(kind))(*parts), kind
    )


class Position(exp.Expression):
    """A column of the source by its position, as a star stands for it."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Scalars:
    """Reads scalar expressions for a compiler of queries."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.world = compiler.world

    def condition(self, node: exp.Expr, scope: Scope) -> Val:
        """An expression in a Boolean context."""
        return truth(self.world, self.value(node, scope))

    def value(self, node: Any, scope: Scope) -> Val:
        """The value of an expression as others compute with it: an ENUM is its text.

        Raises where a construct is outside the language or not modelled.
        """
        return computed(self.output(node, scope))

    def output(self, node: Any, scope: Scope) -> Val:
        """The value of an expression as a query puts it out, groups or sorts by it: an ENUM stays one."""
        with At(node):
            found = scope.known(node)
            if found is not None:
                return found
            handler = getattr(self, f"_{type(node).__name__.lower()}", None)
            if handler is not None:
                result = handler(node, scope)
                assert isinstance(result, Val)
                return result
            if isinstance(node, exp.Binary) and type(node) in _COMPARISONS:
                return self._comparison(node, scope)
            if isinstance(node, exp.AggFunc | exp.Filter):
                return self.compiler.aggregate(node, scope)
            return self._function(node, scope)

    # Leaves

    def _paren(self, node: exp.Paren, scope: Scope) -> Val:
        return self.output(node.this, scope)

    def _column(self, node: exp.Column, scope: Scope) -> Val:
        value = scope.column(node)
        if self.world.collated and scope.find(node) is None and value.kind.startswith(("text", SEALED)):
            self._check_cached(node)
        return value

    def _check_cached(self, node: exp.Column) -> None:
        """A text of an outer query is only compared.

        MariaDB keeps the results of a subquery by the outer values, which it compares by the collation: what
        one of two equal texts gave serves for the other.
        """
        parent = node.parent
        while isinstance(parent, exp.Paren | exp.Tuple):
            parent = parent.parent
        if not isinstance(parent, (*_COMPARISONS, *_COMPARED)):
            raise Unsupported(f"sql: the text {node.sql()[:40]} of an outer query other than in a comparison")

    def _grouping(self, node: exp.Grouping, scope: Scope) -> Val:
        return Val(FALSE, z3.IntVal(scope.grouping(node)), "int")

    def _position(self, node: Position, scope: Scope) -> Val:
        return scope.at(int(node.this[1:]))

    def _literal(self, node: exp.Literal, scope: Scope) -> Val:
        if node.is_string:
            return Val(FALSE, self.world.text(node.this), "text", node.this)
        return number(node.this)

    def _boolean(self, node: exp.Boolean, scope: Scope) -> Val:
        if self.world.dialect in ("mysql", "sqlite"):
            return Val(FALSE, z3.IntVal(1 if node.this else 0), "int")
        return Val(FALSE, TRUE if node.this else FALSE, "bool")

    def _null(self, node: exp.Null, scope: Scope) -> Val:
        return NULL

    # Logic

    def _and(self, node: exp.And, scope: Scope) -> Val:
        return logical_and([self.condition(part, scope) for part in node.flatten()])

    def _or(self, node: exp.Or, scope: Scope) -> Val:
        return logical_or([self.condition(part, scope) for part in node.flatten()])

    def _xor(self, node: exp.Xor, scope: Scope) -> Val:
        left, right = self.condition(node.this, scope), self.condition(node.expression, scope)
        return Val(disj(left.null, right.null), left.val != right.val, "bool")

    def _not(self, node: exp.Not, scope: Scope) -> Val:
        return logical_not(self.condition(node.this, scope))

    def _is(self, node: exp.Is, scope: Scope) -> Val:
        result = self._is_plain(node, scope)
        return logical_not(result) if node.args.get("negate") else result

    def _is_plain(self, node: exp.Is, scope: Scope) -> Val:
        value = self.value(node.this, scope)
        match node.expression.unnest():
            case exp.Null():
                return Val(FALSE, value.null, "bool")
            case exp.Boolean() as wanted:
                test = truth(self.world, value)
                return Val(FALSE, is_true(test) if wanted.this else is_false(test), "bool")
        other = self.value(node.expression, scope)
        if self.world.dialect == "sqlite":
            return Val(FALSE, null_safe_equal(self.world, value, other), "bool")
        raise Unsupported(f"sql: IS {node.expression.sql()[:40]}")

    def _nullsafeeq(self, node: exp.NullSafeEQ | exp.NullSafeNEQ, scope: Scope) -> Val:
        if self.world.dialect == "sqlite" and isinstance(node.expression.unnest(), exp.Boolean):
            # As after IS, SQLite takes TRUE and FALSE on the right for the tests of truth.
            return self._is_plain(exp.Is(this=node.this, expression=node.expression), scope)
        pairs = self._pairs(node.this, node.expression, scope)
        return Val(FALSE, conj(*(null_safe_equal(self.world, a, b) for a, b in pairs)), "bool")

    def _nullsafeneq(self, node: exp.NullSafeNEQ, scope: Scope) -> Val:
        return logical_not(self._nullsafeeq(node, scope))

    def _comparison(self, node: exp.Binary, scope: Scope) -> Val:
        operator = _COMPARISONS[type(node)]
        right = node.expression
        if isinstance(right, exp.All | exp.Any):
            return self._quantified(node, operator, right, scope)
        left = node.this
        if isinstance(left, exp.Tuple) or isinstance(right, exp.Tuple):
            same = logical_and([equal(self.world, a, b) for a, b in self._pairs(left, right, scope)])
            if operator == "=":
                return same
            if operator == "<>":
                return logical_not(same)
            raise Unsupported("sql: an order of tuples")
        return compare(self.world, operator, self.value(left, scope), self.value(right, scope))

    def _pairs(self, left: Any, right: Any, scope: Scope) -> list[tuple[Val, Val]]:
        if not isinstance(left, exp.Tuple) or not isinstance(right, exp.Tuple):
            return [(self.value(left, scope), self.value(right, scope))]
        if len(left.expressions) != len(right.expressions):
            raise SpecificationError(ReasonCode.TYPE, "tuples of unequal width are compared")
        return [
            (self.value(a, scope), self.value(b, scope))
            for a, b in zip(left.expressions, right.expressions, strict=True)
        ]

    def _quantified(self, node: exp.Binary, operator: str, right: Any, scope: Scope) -> Val:
        query = right.this.unnest() if isinstance(right.this, exp.Paren | exp.Subquery) else right.this
        if not isinstance(query, exp.Query):
            raise Unsupported("sql: ANY or ALL over something else than a query")
        value = self.value(node.this, scope)
        some = isinstance(right, exp.Any)

        def test(outs: Sequence[Val]) -> Val:
            if outs[0].kind.startswith(ENUM) and operator not in ("=", "<>"):
                raise Unsupported("sql: ANY or ALL by the order of an ENUM, which an index changes")
            result = compare(self.world, operator, value, outs[0])
            return result if some else logical_not(result)

        found = self._some(query, scope, 1, test)
        return found if some else logical_not(found)

    def _some(self, query: exp.Expr, scope: Scope, width: int, test: Any) -> Val:
        """True where the test is true of a row, NULL where it is NULL of one but true of none."""
        from truespec.domains.sql.bag import Bag, Term, exists

        relation = self.compiler.inner(query, scope)
        if len(relation.names) != width:
            raise SpecificationError(ReasonCode.TYPE, "a subquery of the wrong width")
        true, maybe = [], []
        for term in self.compiler.rows(relation).terms:
            result = test(term.outs)
            true.append(Term(term.rows, term.groups, conj(term.cond, is_true(result)), ()))
            if not z3.is_false(result.null):
                maybe.append(Term(term.rows, term.groups, conj(term.cond, result.null), ()))
        yes = exists(self.world, Bag(tuple(true)))
        if not maybe:
            return Val(FALSE, yes, "bool")
        perhaps = exists(self.world, Bag(tuple(maybe)))
        return Val(conj(neg(yes), perhaps), yes, "bool", sides=(yes, conj(neg(yes), neg(perhaps))))

    def _between(self, node: exp.Between, scope: Scope) -> Val:
        value = self.value(node.this, scope)
        low, high = self.value(node.args["low"], scope), self.value(node.args["high"], scope)
        self._one_family("BETWEEN", [value, low, high])
        return logical_and([compare(self.world, ">=", value, low), compare(self.world, "<=", value, high)])

    def _in(self, node: exp.In, scope: Scope) -> Val:
        query = node.args.get("query")
        left = node.this.unnest() if isinstance(node.this, exp.Paren) else node.this
        items = left.expressions if isinstance(left, exp.Tuple) else [left]
        values = [self.value(item, scope) for item in items]
        if query is not None:
            inner = query.this if isinstance(query, exp.Subquery) else query
            if self.world.dialect == "sqlite" and isinstance(inner, exp.Subquery):
                # In further parentheses, SQLite takes a query for one value: that of its first row.
                return self._in(exp.In(this=node.this, expressions=[inner]), scope)

            def test(outs: Sequence[Val]) -> Val:
                return logical_and([equal(self.world, a, b) for a, b in zip(values, outs, strict=True)])

            return self._some(inner, scope, len(values), test)
        if node.args.get("unnest") or node.args.get("field"):
            raise Unsupported("sql: IN over an array")
        tests = []
        families = [[value] for value in values]
        for choice in node.expressions:
            choice = choice.unnest() if isinstance(choice, exp.Paren) else choice
            query = isinstance(choice, exp.Subquery | exp.Select) and len(node.expressions) == 1
            if query and self.world.dialect != "sqlite":
                return self._in(exp.In(this=node.this, query=choice), scope)
            parts = choice.expressions if isinstance(choice, exp.Tuple) else [choice]
            if len(parts) != len(values):
                raise SpecificationError(ReasonCode.TYPE, "IN over tuples of another width")
            others = [self.value(part, scope) for part in parts]
            for mine, other in zip(families, others, strict=True):
                mine.append(other)
            tests.append(logical_and([equal(self.world, a, b) for a, b in zip(values, others, strict=True)]))
        for family in families:
            self._one_family("IN", family)
        return logical_or(tests)

    def _one_family(self, name: str, values: Sequence[Val]) -> None:
        """Texts among numbers: MariaDB compares all of a BETWEEN as numbers, and IN by its own rules."""
        kinds = {value.kind for value in values} - {"null"}
        if self.world.dialect == "mysql" and "text" in kinds and kinds & {*NUMBERS, "bool"}:
            raise Unsupported(f"sql: {name} over texts and numbers")
        if values[0].kind == "text" and kinds & {"date", "datetime"}:
            raise Unsupported(f"sql: {name} of a text over dates")

    def _exists(self, node: exp.Exists, scope: Scope) -> Val:
        from truespec.domains.sql.bag import exists

        query = node.this.this if isinstance(node.this, exp.Subquery) else node.this
        return Val(
            FALSE, exists(self.world, self.compiler.some_rows(self.compiler.inner(query, scope))), "bool"
        )

    def _subquery(self, node: exp.Subquery, scope: Scope) -> Val:
        return self.compiler.scalar_subquery(node.this, scope)

    def _select(self, node: exp.Select, scope: Scope) -> Val:
        return self.compiler.scalar_subquery(node, scope)

    # Conditional values

    def _case(self, node: exp.Case, scope: Scope) -> Val:
        operand = None if node.this is None else self.value(node.this, scope)
        tests, results = [], []
        for branch in node.args["ifs"]:
            if operand is None:
                tests.append(is_true(self.condition(branch.this, scope)))
            else:
                tests.append(is_true(equal(self.world, operand, self.value(branch.this, scope))))
            results.append(self.value(branch.args["true"], scope))
        default = node.args.get("default")
        results.append(NULL if default is None else self.value(default, scope))
        results = merged(self.world, results)
        value = results[-1]
        for test, result in zip(reversed(tests), reversed(results[:-1]), strict=True):
            value = choose(test, result, value)
        return value

    def _if(self, node: exp.If, scope: Scope) -> Val:
        test = is_true(self.condition(node.this, scope))
        default = node.args.get("false")
        other = NULL if default is None else self.value(default, scope)
        yes, no = merged(self.world, [self.value(node.args["true"], scope), other])
        return choose(test, yes, no)

    def _coalesce(self, node: exp.Coalesce, scope: Scope) -> Val:
        values = merged(self.world, [self.value(part, scope) for part in (node.this, *node.expressions)])
        result = values[-1]
        for value in reversed(values[:-1]):
            result = choose(value.null, result, Val(FALSE, value.val, value.kind))
        return self.typed(result)

    def _nullif(self, node: exp.Nullif, scope: Scope) -> Val:
        left, right = self.value(node.this, scope), self.value(node.expression, scope)
        if left.kind in ALWAYS_NULL and self.world.dialect != "sqlite":
            raise Unsupported("sql: NULLIF of a NULL without a type")
        same = is_true(equal(self.world, left, right))
        if left.kind in NUMBERS and right.kind in NUMBERS and self.world.dialect != "sqlite":
            left, _ = together(left, right)
        return Val(disj(left.null, same), left.val, left.kind)

    # Arithmetic

    def _neg(self, node: exp.Neg, scope: Scope) -> Val:
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            value = number(node.this.this)
            return Val(FALSE, z3.simplify(-value.val), value.kind)
        value = self._only_operand(node.this, scope)
        return Val(value.null, -value.val, value.kind)

    def _arithmetic_operand(self, node: exp.Expr, scope: Scope) -> Val:
        """A number to compute with; MariaDB makes a fraction of a text or a NULL, whatever its digits."""
        return self._operand(self.value(node, scope))

    def _operand(self, value: Val) -> Val:
        read = self._number(value)
        return to_real(read) if value.kind in ("text", "null") and self.world.dialect == "mysql" else read

    def _only_operand(self, node: exp.Expr, scope: Scope) -> Val:
        """A number that no other operand gives a type."""
        value = self.value(node, scope)
        self._check_typed([value])
        return self._operand(value)

    def _check_typed(self, values: Sequence[Val]) -> None:
        if self.world.dialect != "sqlite" and all(value.kind in ALWAYS_NULL for value in values):
            raise Unsupported("sql: arithmetic on NULLs without a type")

    def _number(self, value: Val) -> Val:
        if value.kind == "text" and value.literal is not None and _NUMBER.match(value.literal):
            if self.world.dialect in ("postgres", "duckdb") and "." in value.literal:
                raise Unsupported("sql: a text with a fraction, which takes the type of the number beside it")
            return number(value.literal.lstrip("+"))
        if value.kind == "bool" and self.world.dialect == "duckdb":
            raise Unsupported("sql: arithmetic on a Boolean")
        if value.kind == "bool" and self.world.dialect == "postgres":
            raise SpecificationError(ReasonCode.TYPE, "arithmetic on a Boolean")
        return numeric(value)

    def _operands(self, node: exp.Binary, scope: Scope) -> tuple[Val, Val]:
        values = [self.value(part, scope) for part in (node.this, node.expression)]
        self._check_typed(values)
        left, right = map(self._operand, values)
        return together(left, right)

    def _add(self, node: exp.Add, scope: Scope) -> Val:
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            if isinstance(other, exp.Interval):
                return self._shift(one, other, scope, 1)
        dates = self._date_arithmetic(node, scope, 1)
        if dates is not None:
            return dates
        left, right = self._operands(node, scope)
        return Val(disj(left.null, right.null), left.val + right.val, left.kind)

    def _sub(self, node: exp.Sub, scope: Scope) -> Val:
        if isinstance(node.expression, exp.Interval):
            return self._shift(node.this, node.expression, scope, -1)
        dates = self._date_arithmetic(node, scope, -1)
        if dates is not None:
            return dates
        left, right = self._operands(node, scope)
        return Val(disj(left.null, right.null), left.val - right.val, left.kind)

    def _date_arithmetic(self, node: exp.Binary, scope: Scope, sign: int) -> Val | None:
        """In PostgreSQL and DuckDB, a date plus or minus days, and the days between two dates."""
        if self.world.dialect not in ("postgres", "duckdb"):
            return None
        left, right = self.value(node.this, scope), self.value(node.expression, scope)
        null = disj(left.null, right.null)
        if left.kind == "date" and right.kind == "int":
            return Val(null, left.val + right.val * sign, "date")
        if left.kind == right.kind == "date" and sign < 0:
            return Val(null, left.val - right.val, "int")
        return None

    def _mul(self, node: exp.Mul, scope: Scope) -> Val:
        left, right = self._operands(node, scope)
        return Val(disj(left.null, right.null), left.val * right.val, left.kind)

    def _div(self, node: exp.Div, scope: Scope) -> Val:
        left = self._arithmetic_operand(node.this, scope)
        right = self._arithmetic_operand(node.expression, scope)
        dialect = self.world.dialect
        zero = _is_zero(right)
        self._no_error(conj(neg(left.null), neg(right.null), zero), "a division by zero")
        null = disj(left.null, right.null, zero)
        if dialect in ("postgres", "sqlite") and "real" not in (left.kind, right.kind):
            if "loose" in (left.kind, right.kind):
                raise Unsupported("sql: a quotient of numbers that the engine may hold as integers or not")
            return Val(null, _truncated(left.val, right.val), "int")
        return Val(null, to_real(left).val / to_real(right).val, "real")

    def _no_error(self, bad: Formula, what: str) -> None:
        if self.world.dialect in ("postgres", "duckdb") and not z3.is_false(z3.simplify(bad)):
            raise Unsupported(f"sql: {what} may occur, which {self.world.dialect} does not answer with NULL")

    def _intdiv(self, node: exp.IntDiv, scope: Scope) -> Val:
        left, right = self._operands(node, scope)
        zero = _is_zero(right)
        self._no_error(conj(neg(left.null), neg(right.null), zero), "a division by zero")
        null = disj(left.null, right.null, zero)
        if left.kind != "int":
            raise Unsupported("sql: DIV of numbers that are no integers")
        quotient = Val(null, _truncated(left.val, right.val), "int")
        return to_real(quotient) if self.world.dialect == "postgres" else quotient

    def _mod(self, node: exp.Mod, scope: Scope) -> Val:
        left, right = self._operands(node, scope)
        if left.kind != "int":
            raise Unsupported("sql: a remainder of numbers that are no integers")
        zero = _is_zero(right)
        self._no_error(conj(neg(left.null), neg(right.null), zero), "a division by zero")
        rest = left.val - right.val * _truncated(left.val, right.val)
        if z3.is_int_value(right.val) and right.val.as_long() > 0:
            rest = ite(left.val >= 0, left.val % right.val, -((-left.val) % right.val))
        return Val(disj(left.null, right.null, zero), rest, "int")

    def _abs(self, node: exp.Abs, scope: Scope) -> Val:
        value = self._only_operand(node.this, scope)
        return Val(value.null, ite(value.val >= 0, value.val, -value.val), value.kind)

    def _round(self, node: exp.Round, scope: Scope) -> Val:
        value = self._only_operand(node.this, scope)
        decimals = node.args.get("decimals")
        digits = Val(FALSE, z3.IntVal(0), "int") if decimals is None else self.value(decimals, scope)
        if digits.kind != "int" or not z3.is_int_value(digits.val):
            raise Unsupported("sql: ROUND to digits that are no literal")
        if value.kind == "int" and digits.val.as_long() >= 0:
            return value if self.world.dialect in ("mysql", "duckdb") else to_real(value)
        return Val(value.null, self._rounded(value, digits.val.as_long()), "real")

    def _rounded(self, value: Val, digits: int) -> Expr:
        return rounding.rounded(self.world, self.compiler.aggregates, to_real(value).val, digits)

    def _floor(self, node: exp.Floor, scope: Scope) -> Val:
        value = self._only_operand(node.this, scope)
        return self._whole(value, value.val if value.kind == "int" else z3.ToInt(value.val))

    def _ceil(self, node: exp.Ceil, scope: Scope) -> Val:
        value = self._only_operand(node.this, scope)
        return self._whole(value, value.val if value.kind == "int" else -z3.ToInt(-value.val))

    def _whole(self, value: Val, whole: Expr) -> Val:
        """What FLOOR and CEILING make of a value: in MariaDB an integer, else a number of its own type."""
        result = Val(value.null, whole, "int")
        if self.world.dialect == "mysql" or (self.world.dialect == "sqlite" and value.kind == "int"):
            return result
        return replace(to_real(result), kind="real" if value.kind == "int" else value.kind)

    def _pow(self, node: exp.Pow, scope: Scope) -> Val:
        left, right = self._only_operand(node.this, scope), self.value(node.expression, scope)
        if right.kind == "int" and z3.is_int_value(right.val) and right.val.as_long() in (1, 2, 3):
            power = Val(left.null, z3.Product(*[left.val] * right.val.as_long()), left.kind)
            return to_real(power)
        if self.world.dialect in ("postgres", "duckdb"):
            raise Unsupported("sql: a power that is no small literal, which fails on some values")
        return opaque(self.world, "pow", [to_real(left), to_real(right)], "real")

    # Dates

    def _date_value(self, node: Any, scope: Scope) -> Val:
        return self._as_date(self._dated(node, scope))

    def _dated(self, node: Any, scope: Scope) -> Val:
        # The parser wraps what DATE_FORMAT is given.
        return self.value(node.this if isinstance(node, exp.TsOrDsToTimestamp) else node, scope)

    def _as_date(self, value: Val) -> Val:
        if value.kind == "text" and value.literal is not None and self.world.dialect != "sqlite":
            value = read_date(self.world, value.literal)
        if value.kind not in ("date", "datetime"):
            raise Unsupported(f"sql: a date function of a value of type {value.kind}")
        return value

    def _tsordstodate(self, node: exp.TsOrDsToDate, scope: Scope) -> Val:
        return day(self._date_value(node.this, scope))

    _date = _tsordstodate

    def _tsordstotimestamp(self, node: exp.TsOrDsToTimestamp, scope: Scope) -> Val:
        return moment(self._date_value(node.this, scope))

    def _datediff(self, node: exp.DateDiff, scope: Scope) -> Val:
        unit = node.args.get("unit")
        if self.world.dialect != "mysql" or (unit is not None and unit.name.upper() != "DAY"):
            raise Unsupported("sql: DATEDIFF outside MySQL")
        left, right = day(self._date_value(node.this, scope)), day(self._date_value(node.expression, scope))
        return Val(disj(left.null, right.null), left.val - right.val, "int")

    def _timestampdiff(self, node: exp.TimestampDiff, scope: Scope) -> Val:
        left, right = self._date_value(node.this, scope), self._date_value(node.expression, scope)
        unit = node.args.get("unit")
        if left.kind != "date" or right.kind != "date" or unit is None or unit.name.upper() != "DAY":
            raise Unsupported("sql: TIMESTAMPDIFF other than of days between dates")
        return Val(disj(left.null, right.null), left.val - right.val, "int")

    def _dateadd(self, node: exp.DateAdd, scope: Scope) -> Val:
        return self._shift(node.this, node, scope, 1)

    def _datesub(self, node: exp.DateSub, scope: Scope) -> Val:
        return self._shift(node.this, node, scope, -1)

    def _shift(self, node: exp.Expr, interval: Any, scope: Scope, sign: int) -> Val:
        """A date moved by an interval; in MariaDB a text is a text again, in the standard form."""
        value = self._dated(node, scope)
        moved = self._moved(self._as_date(value), interval, scope, sign)
        if self.world.dialect != "mysql" or value.kind != "text":
            return moved
        number = z3.simplify(moved.val)
        if not z3.is_int_value(number) or not z3.is_false(z3.simplify(moved.null)):
            raise Unsupported("sql: a text moved by an interval that is no literal")
        days, rest = divmod(number.as_long() * (DAY if moved.kind == "date" else 1), DAY)
        if not 1 <= days <= datetime.date.max.toordinal():
            raise Unsupported("sql: a date outside the calendar")
        start = datetime.datetime.fromordinal(days)
        text = str(start.date() if moved.kind == "date" else start + datetime.timedelta(microseconds=rest))
        return Val(FALSE, self.world.text(text), "text", text)

    def _moved(self, value: Val, interval: Any, scope: Scope, sign: int) -> Val:
        """A date moved by an interval; dates outside the calendar are out of scope, as overflow is."""
        amount_node = interval.this if isinstance(interval, exp.Interval) else interval.expression
        if isinstance(amount_node, exp.Interval):
            interval, amount_node = amount_node, amount_node.this
        unit = interval.args.get("unit")
        if (unit is None and self.world.dialect != "mysql") or not isinstance(unit, exp.Var | None):
            raise Unsupported("sql: an interval without a unit, or with several")
        unit_name = unit.name.upper() if unit is not None else "DAY"
        amount = self._number(self.value(amount_node, scope))
        if amount.kind != "int" or self.world.dialect not in ("mysql", "postgres", "duckdb"):
            raise Unsupported("sql: an interval that is no whole number")
        null = disj(value.null, amount.null)
        factor = {"DAY": 1, "WEEK": 7}.get(unit_name.removesuffix("S"))
        if factor is None or self.world.dialect != "mysql":
            if not isinstance(interval, exp.Interval) and self.world.dialect != "mysql":
                raise Unsupported("sql: date arithmetic")
            if factor is None:
                months = {"MONTH": 1, "YEAR": 12}.get(unit_name.removesuffix("S"))
                if months is None or value.kind != "date" or self.world.dialect != "mysql":
                    raise Unsupported(f"sql: an interval of {unit_name}")
                return self._shift_months(value, amount, null, sign * months)
        if value.kind == "date" and self.world.dialect == "mysql":
            moved = z3.simplify(value.val + amount.val * (sign * factor))
            if z3.is_int_value(moved):
                self.world.note_date(moved.as_long())
            return Val(null, moved, "date")
        return Val(null, moment(value).val + amount.val * (sign * factor * DAY), "datetime")

    def _shift_months(self, value: Val, amount: Val, null: Formula, factor: int) -> Val:
        if z3.is_int_value(value.val) and z3.is_int_value(amount.val):
            start = datetime.date.fromordinal(value.val.as_long())
            total = start.year * 12 + start.month - 1 + amount.val.as_long() * factor
            year, month = divmod(total, 12)
            if not 1 <= year < 9999:
                raise Unsupported("sql: a date outside the calendar")
            first = datetime.date(year, month + 1, 1)
            last = (datetime.date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1) - first).days
            moved = first.replace(day=min(start.day, last)).toordinal()
            self.world.note_date(moved)
            return Val(null, z3.IntVal(moved), "date")
        moved = z3.Function("addmonths", INT, INT, INT)(value.val, amount.val * factor)
        return Val(null, moved, "date")

    def _year(self, node: exp.Year, scope: Scope) -> Val:
        value = day(self._date_value(node.this, scope))
        return Val(value.null, z3.Function("year", INT, INT)(value.val), "int")

    def _month(self, node: exp.Month, scope: Scope) -> Val:
        value = day(self._date_value(node.this, scope))
        year = z3.Function("year", INT, INT)(value.val)
        both = z3.Function("yearmonth", INT, INT)(value.val)
        return Val(value.null, both - 12 * year, "int")

    def _extract(self, node: exp.Extract, scope: Scope) -> Val:
        part = node.this.name.upper()
        if self.world.dialect == "duckdb" and z3.is_true(self._date_value(node.expression, scope).null):
            raise Unsupported("sql: EXTRACT of a NULL, a DOUBLE in DuckDB whatever the part")
        if part in ("YEAR", "MONTH"):
            if part == "YEAR":
                value = self._year(exp.Year(this=node.expression), scope)
            else:
                value = self._month(exp.Month(this=node.expression), scope)
            return to_real(value) if self.world.dialect == "postgres" else value
        value = self._date_value(node.expression, scope)
        whole = part == "DAY" and self.world.dialect != "postgres"
        return opaque(self.world, f"extract {part}", [value], "int" if whole else "real")

    def _day(self, node: exp.Day, scope: Scope) -> Val:
        return opaque(self.world, "extract DAY", [day(self._date_value(node.this, scope))], "int")

    _dayofmonth = _day

    def _timetostr(self, node: exp.TimeToStr, scope: Scope) -> Val:
        value = day(self._date_value(node.this, scope))
        form = node.args.get("format")
        if not isinstance(form, exp.Literal):
            raise Unsupported("sql: a date format that is no literal")
        if form.this == "%Y-%m":
            return self._month_text(value)
        if not _FORMAT.match(form.this):
            raise Unsupported(f"sql: the date format {form.this[:40]!r}")
        whole = self._date_value(node.this, scope)
        return opaque(self.world, f"format {form.this}", [whole], "text")

    def _month_text(self, value: Val) -> Val:
        both = z3.Function("yearmonth", INT, INT)(value.val)
        return Val(value.null, z3.Function("text.yearmonth", INT, sort_of("text"))(both), "text")

    def _left(self, node: exp.Left, scope: Scope) -> Val:
        return self._prefix(node, node.this, node.expression, scope)

    def _substring(self, node: exp.Substring, scope: Scope) -> Val:
        start, length = node.args.get("start"), node.args.get("length")
        if isinstance(start, exp.Literal) and start.this == "1" and length is not None:
            return self._prefix(node, node.this, length, scope)
        return self._function(node, scope)

    def _prefix(self, node: exp.Expr, text: exp.Expr, length: Any, scope: Scope) -> Val:
        if self.world.dialect in ("postgres", "duckdb") and not _never_fails(node):
            raise Unsupported(f"sql: {node.sql(self.world.dialect)[:60]}, which fails on some values")
        value = self.value(text, scope)
        if value.kind == "date" and isinstance(length, exp.Literal) and length.this == "7":
            return self._month_text(value)
        size = self._argument("prefix", "length", length, scope)
        self._no_fractions("prefix", [value])
        return opaque(self.world, "prefix", [value, size], "text")

    # Text

    def _like(self, node: exp.Like, scope: Scope) -> Val:
        result = self._like_plain(node, scope)
        return logical_not(result) if node.args.get("negate") else result

    def _like_plain(self, node: exp.Like, scope: Scope) -> Val:
        value, pattern = self.value(node.this, scope), self.value(node.expression, scope)
        if value.kind in ("date", "datetime") and pattern.literal is not None:
            value = day(value)
            months = re.match(r"([0-9]{4})-(0[1-9]|1[0-2])-?%\Z", pattern.literal)
            if months:
                goal = z3.IntVal(int(months[1]) * 12 + int(months[2]))
                both = z3.Function("yearmonth", INT, INT)(value.val)
                return Val(value.null, both == goal, "bool")
            years = re.match(r"([0-9]{4})-?%\Z", pattern.literal)
            if years:
                year = z3.Function("year", INT, INT)(value.val)
                return Val(value.null, year == int(years[1]), "bool")
        if self.world.dialect == "postgres" and not _ends_plainly(node.expression):
            raise Unsupported("sql: LIKE with a pattern that may end in a backslash, which is an error")
        return self._matched(node, value, pattern)

    def _regexplike(self, node: exp.RegexpLike, scope: Scope) -> Val:
        pattern = node.expression.unnest()
        if self.world.dialect == "duckdb":
            raise Unsupported("sql: a regular expression in DuckDB, whose versions read ~ in two ways")
        plain = isinstance(pattern, exp.Literal) and _REGULAR.match(pattern.this)
        if self.world.dialect == "postgres" and not plain:
            raise Unsupported("sql: a regular expression that may be none, which is an error")
        return self._matched(node, self.value(node.this, scope), self.value(pattern, scope))

    def _matched(self, node: exp.Binary, value: Val, pattern: Val) -> Val:
        if value.kind not in ("text", DATED, "null") or pattern.kind != "text":
            raise Unsupported(f"sql: a pattern for a value of type {value.kind}")
        return opaque(self.world, type(node).__name__, [value, pattern], "bool")

    _ilike = _like

    def _escape(self, node: exp.Escape, scope: Scope) -> Val:
        raise Unsupported("sql: LIKE ... ESCAPE")

    # Types

    def _cast(self, node: exp.Cast, scope: Scope) -> Val:
        value = self.value(node.this, scope)
        written = node.to.this
        sizes = [int(p.name) for p in node.to.expressions if p.name.isdigit()]
        types = exp.DataType.Type
        if value.kind in ALWAYS_NULL:
            kind = self._kind_written(node.to)
            return Val(TRUE, default_of(kind), kind)
        if written in (types.DATE, types.DATE32):
            if value.kind == "text" and value.literal is not None and self.world.dialect != "sqlite":
                return day(read_date(self.world, value.literal))
            if value.kind in ("date", "datetime"):
                return day(value)
        if written in (types.DATETIME, types.TIMESTAMP) and value.kind in ("date", "datetime"):
            if node.to.expressions or (value.kind == "datetime" and self.world.fractional):
                raise Unsupported("sql: CAST to a moment of other precision")
            return moment(value)
        if written in exp.DataType.UNSIGNED_INTEGER_TYPES:
            raise Unsupported(f"sql: CAST to {node.to.sql(self.world.dialect)}, which turns signs over")
        if written in _INTEGERS and value.kind in ("int", "bool"):
            return numeric(value)
        if written in _INTEGERS and value.kind in NUMBERS and z3.is_to_real(value.val):
            return Val(value.null, value.val.arg(0), "int")
        if written in exp.DataType.FLOAT_TYPES and value.kind in NUMBERS:
            return to_real(value)
        if written in (types.DECIMAL,) and value.kind in NUMBERS:
            if self.world.dialect == "mysql":
                return self._decimal(value, *(sizes or [10]))
            if self.world.dialect == "sqlite":
                return replace(to_real(value), kind="loose")
            if value.kind == "int":
                return to_real(value)
            if not sizes and self.world.dialect == "postgres":
                return value
            return Val(value.null, self._rounded(value, sizes[1] if len(sizes) > 1 else 0), "real")
        if self.world.dialect == "postgres" and written in (types.CHAR, types.NCHAR) and value.kind == "text":
            size = sizes[0] if sizes else 1
            return opaque(self.world, f"cast CHAR({size})", [value], f"{PADDED}{size})")
        cutting = (types.CHAR, types.NCHAR, types.BPCHAR, types.NAME)
        if self.world.dialect == "postgres" and written in cutting:
            raise Unsupported(f"sql: CAST to {node.to.sql(self.world.dialect)}, which cuts or pads")
        if self.world.dialect == "mysql" and written in (types.NCHAR, types.NVARCHAR):
            raise Unsupported(f"sql: CAST to {written.value}, which has no characters beyond U+FFFF")
        if written in exp.DataType.TEXT_TYPES and value.kind == DATED:
            return opaque(self.world, "cast TEXT", [value], "text")
        if written in exp.DataType.TEXT_TYPES and value.kind == "text" and not sizes:
            return self.typed(value)
        if written in exp.DataType.TEXT_TYPES and value.kind == "text":
            return opaque(self.world, f"cast {node.to.sql(self.world.dialect)}", [value], "text")
        if written is types.BOOLEAN and value.kind == "bool":
            return value
        raise Unsupported(f"sql: CAST of {value.kind} to {node.to.sql(self.world.dialect)}")

    def _kind_written(self, to: exp.DataType) -> str:
        """The kind of the type that a CAST names; `Unsupported` where there is none."""
        dialect, written, types = self.world.dialect, to.this, exp.DataType.Type
        padded = written in (types.CHAR, types.NCHAR)
        other = (
            (dialect == "postgres" and written in (types.BPCHAR, types.NAME))
            or (dialect == "mysql" and written in (types.NCHAR, types.NVARCHAR, types.BOOLEAN))
            or (dialect == "mysql" and written in (types.DATETIME, types.TIMESTAMP) and to.expressions)
            or to.args.get("nested")
        )
        if other:
            pass
        elif written in _INTEGERS:
            return "int"
        elif written in exp.DataType.TEXT_TYPES:
            size = next((int(p.name) for p in to.expressions if p.name.isdigit()), 1)
            return f"{PADDED}{size})" if padded and dialect == "postgres" else "text"
        elif written in (*exp.DataType.FLOAT_TYPES, types.DECIMAL):
            return "loose" if dialect == "sqlite" else "real"
        elif written in (types.DATE, types.DATETIME, types.TIMESTAMP, types.BOOLEAN) and dialect == "sqlite":
            return "loose"  # the affinity of such names is NUMERIC
        elif written is types.DATE:
            return "date"
        elif written in (types.DATETIME, types.TIMESTAMP):
            return "datetime"
        elif written is types.TIMESTAMPNTZ and dialect == "duckdb" and not to.expressions:
            return "datetime"  # the name that the parser gives to TIMESTAMP
        elif written is types.BOOLEAN:
            return "bool"
        raise Unsupported(f"sql: CAST of NULL to {to.sql(dialect)}")

    def typed(self, value: Val) -> Val:
        """A value as a column or a CAST has it: in PostgreSQL, other types no longer read a literal there."""
        return replace(value, literal=None) if self.world.dialect == "postgres" else value

    def _decimal(self, value: Val, digits: int, scale: int = 0) -> Val:
        """CAST to DECIMAL in MariaDB: rounded, and the nearest number that fits where it does not."""
        val = self._rounded(value, scale)
        most = z3.Q(10**digits - 1, 10**scale)
        return Val(value.null, ite(val > most, most, ite(val < -most, -most, val)), "real")

    # Everything else

    def _window(self, node: exp.Window, scope: Scope) -> Val:
        return self.compiler.window(node, scope)

    def _anonymous(self, node: exp.Anonymous, scope: Scope) -> Val:
        name = str(node.this).upper()
        arguments = node.expressions
        if name == "ISNULL" and len(arguments) == 1 and self.world.dialect == "mysql":
            return Val(FALSE, self.value(arguments[0], scope).null, "bool")
        if name in ("ADDDATE", "SUBDATE") and len(arguments) == 2 and self.world.dialect == "mysql":
            step = arguments[1]
            if not isinstance(step, exp.Interval):
                step = exp.Interval(this=step, unit=exp.Var(this="DAY"))
            return self._shift(arguments[0], step, scope, 1 if name == "ADDDATE" else -1)
        raise Unsupported(f"sql: the function {name}")

    def _function(self, node: Any, scope: Scope) -> Val:
        name = type(node).__name__
        kinds = {**dict.fromkeys(_TEXT_RESULT, "text"), **dict.fromkeys(_INT_RESULT, "int")}
        kinds |= dict.fromkeys(_REAL_RESULT, "real")
        if name not in kinds or not isinstance(node, exp.Func | exp.Binary):
            raise Unsupported(f"sql: {name} ({node.sql(self.world.dialect)[:60]})")
        if self.world.dialect in ("postgres", "duckdb") and not _never_fails(node):
            raise Unsupported(
                f"sql: {name}, which fails on some values ({node.sql(self.world.dialect)[:60]})"
            )
        arguments: list[Val] = []
        label = [name]
        for key, part in sorted(node.args.items()):
            if isinstance(part, exp.Expr) and not isinstance(part, exp.Var | exp.Identifier):
                arguments.append(self._argument(name, key, part, scope))
                label.append(key)
            elif isinstance(part, list) and part:
                arguments += [self._argument(name, key, item, scope) for item in part]
                label.append(f"{key}*{len(part)}")
            elif part not in (None, [], False):
                label.append(f"{key}={part}")
        if name in _REAL_RESULT:
            arguments = [to_real(a) if a.kind in NUMBERS else a for a in arguments]
        elif name != "Sign":
            self._no_fractions(name, arguments)
        return opaque(self.world, " ".join(label), arguments, kinds[name])

    def _argument(self, name: str, place: str, node: exp.Expr, scope: Scope) -> Val:
        """An argument of a function; `Unsupported` for an ENUM where MariaDB may want a number.

        There it would be the member's position and not its text.
        """
        found = self.output(node, scope)
        text = name in _TEXTS_ONLY or (name in _TEXT_FIRST and place in ("this", "substr"))
        if self.world.dialect == "mysql" and found.kind.startswith(ENUM) and not text:
            raise Unsupported(f"sql: {name} by the position of an ENUM member")
        return computed(found)

    def _no_fractions(self, name: str, arguments: Iterable[Val]) -> None:
        """`Unsupported` where a function reads the text of a fraction: equal ones may be written differently.

        So may moments, by the digits that their columns keep of a second.
        """
        kinds = {argument.kind for argument in arguments}
        if kinds & {"real", "loose"}:
            raise Unsupported(f"sql: {name} of the text of a number that is no integer")
        if "datetime" in kinds and self.world.fractional:
            raise Unsupported(f"sql: {name} of the text of a moment, beside columns of other precision")


def _never_fails(node: Any) -> bool:
    """Whether a function has a value for all arguments, in the dialects that raise errors."""
    if type(node).__name__ in ("Left", "Right", "Substring"):
        sizes = [node.args.get(key) for key in ("expression", "start", "length")]
        return all(size is None or (isinstance(size, exp.Literal) and not size.is_string) for size in sizes)
    return type(node).__name__ in (
        "Upper",
        "Lower",
        "Concat",
        "DPipe",
        "Length",
        "Trim",
        "Replace",
        "Reverse",
    )


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


_COMPARED = (exp.NullSafeEQ, exp.NullSafeNEQ, exp.In, exp.Between, exp.Is)
_COMPARISONS: dict[type, str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}


def _is_zero(value: Val) -> Formula:
    if z3.is_int_value(value.val) or z3.is_rational_value(value.val):
        return TRUE if z3.is_true(z3.simplify(value.val == 0)) else FALSE
    return value.val == (z3.IntVal(0) if value.kind == "int" else z3.RealVal(0))


def _truncated(left: Expr, right: Expr) -> Expr:
    """Integer division toward zero."""
    if z3.is_int_value(right) and right.as_long() > 0:
        return ite(left >= 0, left / right, -((-left) / right))
    size = ite(left >= 0, left, -left) / ite(right >= 0, right, -right)
    return ite((left >= 0) == (right >= 0), size, -size)


__all__ = ["Scalars", "compare", "identical", "is_true", "null_safe_equal"]
