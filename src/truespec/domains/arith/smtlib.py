"""A second translation, for re-checks: Python's tree of a text to SMT-LIB text.

It shares no code with the finder (`smt.py`, `polynomial.py`, `normal.py`) and encodes differently: numbers
are quotients of expanded polynomials over symbols, so that commuted and distributed texts are one text;
floors and choices are fresh symbols with their defining assertions. No fact is read off the constraints here:
they are assertions, and the solver draws the conclusions.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from math import lcm

from truespec.domains.arith.quotients import (
    ONE,
    Number,
    Sum,
    Truth,
    added,
    as_number,
    both,
    factors,
    minus,
    plus,
    scaled,
    times,
)
from truespec.domains.arith.replay import CannotReplay, literal, parse

MAX_EXPONENT = 24
"""Larger exponents are not translated."""


class Script:
    """Declarations and assertions that grow as texts are translated."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self.lines: list[str] = []
        self.integers: set[str] = set()
        self.known: dict[object, str] = {}
        self.names: dict[str, str] = {}
        for position, (name, kind) in enumerate(kinds.items()):
            self.names[name] = self._symbol(f"x{position}", kind == "int")

    def assume(self, text: str) -> None:
        """Assert that a condition is defined and true."""
        value = self._truth(self.translate(text))
        self.lines.append(f"(assert (and {value.defined} {value.text}))")

    def assert_difference(self, oracle: str, candidate: str) -> None:
        """Assert that the two differ, in value or in being defined."""
        a, b = self.translate(oracle), self.translate(candidate)
        if isinstance(a, Number) and isinstance(b, Number):
            same = self._compare("=", minus(a, b))
        else:
            same = f"(= {self._truth(a).text} {self._truth(b).text})"
        self.lines.append(f"(assert (not (and (= {a.defined} {b.defined}) (=> {a.defined} {same}))))")

    def text(self) -> str:
        """The script, without a command to check it."""
        return "\n".join(self.lines)

    def translate(self, text: str) -> Number | Truth:
        """The value of an expression."""
        return self._value(parse(text), text.strip())

    # --- symbols --------------------------------------------------------------------------------------

    def _symbol(self, name: str, integer: bool) -> str:
        self.lines.append(f"(declare-const {name} {'Int' if integer else 'Real'})")
        if integer:
            self.integers.add(name)
        return name

    def _fresh(self, key: object, integer: bool) -> tuple[str, bool]:
        """A symbol for this key, and whether it is new."""
        if key in self.known:
            return self.known[key], False
        self.known[key] = self._symbol(f"k{len(self.known)}", integer)
        return self.known[key], True

    def _whole(self, a: Sum) -> bool:
        return all(
            coefficient.denominator == 1 and self.integers.issuperset(symbols)
            for symbols, coefficient in a.items()
        )

    def _print(self, a: Sum) -> str:
        """A polynomial; integral where all its symbols are integers, so scale it before."""
        integral = self._whole(a)
        parts = []
        for symbols, coefficient in sorted(a.items()):
            factors = [s if integral or s not in self.integers else f"(to_real {s})" for s in symbols]
            shown = _constant(coefficient, integral)
            parts.append(
                shown if not factors
                else factors[0] if len(factors) == 1 and coefficient == 1
                else f"(* {' '.join(factors)})" if coefficient == 1
                else f"(* {shown} {' '.join(factors)})"
            )  # fmt: skip
        if not parts:
            return "0"
        return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"

    def _against_zero(self, relation: str, a: Sum) -> str:
        a = scaled(a)
        if set(a) <= {()}:
            value = a.get((), Fraction(0))
            return str({"=": value == 0, "<": value < 0, ">": value > 0}[relation]).lower()
        return f"({relation} {self._print(a)} {'0' if self._whole(a) else '0.0'})"

    def _compare(self, relation: str, a: Number) -> str:
        """`a` against zero, where it is defined."""
        if relation == "=" or set(a.bottom) == {()}:
            flip = relation == "<" and a.bottom.get((), Fraction(1)) < 0
            return self._against_zero(">" if flip else relation, a.top)
        below, above = self._against_zero("<", a.bottom), self._against_zero(">", a.bottom)
        low, high = self._against_zero("<", a.top), self._against_zero(">", a.top)
        return f"(or (and {low} {above}) (and {high} {below}))"

    def _truth(self, value: Number | Truth) -> Truth:
        if isinstance(value, Number):
            raise CannotReplay("a number where a condition is expected")
        return value

    # --- expressions ----------------------------------------------------------------------------------

    def _value(self, node: ast.expr, text: str) -> Number | Truth:
        match node:
            case ast.Constant():
                value = literal(node, text)
                if isinstance(value, bool):
                    return Truth(str(value).lower())
                return Number({(): value} if value else {}, ONE)
            case ast.Name(id=name):
                return Number({(self.names[name],): Fraction(1)}, ONE)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                condition = self._truth(self._value(inner, text))
                return Truth(f"(not {condition.text})", condition.defined)
            case ast.UnaryOp(op=op, operand=inner):
                number = self._number(inner, text)
                return number if isinstance(op, ast.UAdd) else times(as_number(-1), number)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._number(left, text), self._number(right, text))
            case ast.BoolOp(op=op, values=parts):
                truths = [self._truth(self._value(part, text)) for part in parts]
                return _logical(isinstance(op, ast.And), truths)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choice(
                    self._truth(self._value(test, text)), self._value(body, text), self._value(orelse, text)
                )
            case ast.Compare(left=left, ops=ops, comparators=others):
                values = [self._value(part, text) for part in (left, *others)]
                links = [self._link(op, a, b) for op, a, b in zip(ops, values, values[1:], strict=False)]
                return _logical(True, links)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, [self._number(arg, text) for arg in args])
        raise CannotReplay(f"no translation of a {type(node).__name__}")

    def _number(self, node: ast.expr, text: str) -> Number:
        value = self._value(node, text)
        if isinstance(value, Truth):
            raise CannotReplay("a condition where a number is expected")
        return value

    def _binary(self, op: ast.operator, a: Number, b: Number) -> Number:
        match op:
            case ast.Add():
                return plus(a, b)
            case ast.Sub():
                return minus(a, b)
            case ast.Mult():
                return times(a, b)
            case ast.Div():
                return self._quotient(a, b)
            case ast.FloorDiv():
                return self._floor(self._quotient(a, b))
            case ast.Mod():
                return minus(a, times(b, self._floor(self._quotient(a, b))))
            case ast.Pow():
                return self._power(a, b)
        raise CannotReplay(f"no translation of {type(op).__name__}")

    def _quotient(self, a: Number, b: Number) -> Number:
        nonzero = [f"(not {self._against_zero('=', factor)})" for factor in factors(b.top)]
        defined = reduce(both, nonzero, both(a.defined, b.defined))
        if not b.top:
            return Number({}, ONE, "false")
        inverse = Number(b.bottom, b.top, defined)
        return times(a, inverse)

    def _power(self, a: Number, b: Number) -> Number:
        exponent = b.top.get((), Fraction(0)) if set(b.top) <= {()} and b.bottom == ONE else None
        if exponent is None or exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT:
            raise CannotReplay("a power with a large or unknown exponent")
        result = Number(ONE, ONE, a.defined)
        for _ in range(abs(int(exponent))):
            result = times(result, a)
        return result if exponent >= 0 else self._quotient(Number(ONE, ONE), result)

    def _floor(self, a: Number) -> Number:
        part: Sum = {}
        rest = a.top
        if a.bottom == ONE:
            rest = {}
            for symbols, coefficient in a.top.items():
                low = Fraction(coefficient.__floor__()) if self.integers.issuperset(symbols) else Fraction(0)
                if low:
                    part[symbols] = low
                if coefficient - low:
                    rest[symbols] = coefficient - low
        if not rest or set(rest) == {()} == set(a.bottom):
            return Number(part, ONE, a.defined)
        # The same positive scale on both sides of the fraction keeps integers integers.
        scale = lcm(*(c.denominator for c in (*rest.values(), *a.bottom.values())))
        top, bottom = ({s: c * scale for s, c in each.items()} for each in (rest, a.bottom))
        key = "floor", tuple(sorted(top.items())), tuple(sorted(bottom.items()))
        name, new = self._fresh(key, True)
        if new:
            lower = minus(Number(top, ONE), times(Number({(name,): Fraction(1)}, ONE), Number(bottom, ONE)))
            higher = minus(lower, Number(bottom, ONE))
            inside = f"(and (not {self._against_zero('<', lower.top)}) {self._against_zero('<', higher.top)})"
            turned = f"(and (not {self._against_zero('>', lower.top)}) {self._against_zero('>', higher.top)})"
            self.lines.append(f"(assert (=> {self._against_zero('>', bottom)} {inside}))")
            self.lines.append(f"(assert (=> {self._against_zero('<', bottom)} {turned}))")
        return Number(added(part, {(name,): Fraction(1)}, Fraction(1)), ONE, a.defined)

    def _choice(self, condition: Truth, a: Number | Truth, b: Number | Truth) -> Number | Truth:
        defined = a.defined if a.defined == b.defined else f"(ite {condition.text} {a.defined} {b.defined})"
        defined = both(condition.defined, defined)
        if isinstance(a, Truth) or isinstance(b, Truth):
            x, y = self._truth(a).text, self._truth(b).text
            return Truth(x if x == y else f"(ite {condition.text} {x} {y})", defined)
        if (a.top, a.bottom) == (b.top, b.bottom):
            return Number(a.top, a.bottom, defined)
        key = (
            "choice",
            condition.text,
            *(tuple(sorted(s.items())) for s in (a.top, a.bottom, b.top, b.bottom)),
        )
        integer = all(each.bottom == ONE and self._whole(each.top) for each in (a, b))
        name, new = self._fresh(key, integer)
        chosen = Number({(name,): Fraction(1)}, ONE)
        if new:
            for holds, each in ((condition.text, a), (f"(not {condition.text})", b)):
                gap = minus(times(chosen, Number(each.bottom, ONE)), Number(each.top, ONE))
                proper = f"(not {self._against_zero('=', each.bottom)})"
                self.lines.append(f"(assert (=> (and {holds} {proper}) {self._against_zero('=', gap.top)}))")
        return Number(chosen.top, ONE, defined)

    def _link(self, op: ast.cmpop, a: Number | Truth, b: Number | Truth) -> Truth:
        defined = both(a.defined, b.defined)
        if isinstance(a, Truth) or isinstance(b, Truth):
            same = f"(= {self._truth(a).text} {self._truth(b).text})"
            return Truth(same if isinstance(op, ast.Eq) else f"(not {same})", defined)
        match op:
            case ast.Lt():
                return Truth(self._compare("<", minus(a, b)), defined)
            case ast.Gt():
                return Truth(self._compare("<", minus(b, a)), defined)
            case ast.LtE():
                return Truth(f"(not {self._compare('<', minus(b, a))})", defined)
            case ast.GtE():
                return Truth(f"(not {self._compare('<', minus(a, b))})", defined)
            case ast.Eq():
                return Truth(self._compare("=", minus(a, b)), defined)
            case ast.NotEq():
                return Truth(f"(not {self._compare('=', minus(a, b))})", defined)
        raise CannotReplay(f"no translation of {type(op).__name__}")

    def _pick(self, condition: str, a: Number, b: Number) -> Number:
        chosen = self._choice(Truth(condition), a, b)
        assert isinstance(chosen, Number)
        return Number(chosen.top, chosen.bottom, both(a.defined, b.defined))

    def _call(self, name: str, args: list[Number]) -> Number | Truth:
        a = args[0]
        negated = times(as_number(-1), a)
        match name:
            case "abs":
                return self._pick(self._compare("<", a), negated, a)
            case "min" | "max":
                best = a
                for other in args[1:]:
                    less = self._compare("<", minus(other, best) if name == "min" else minus(best, other))
                    best = self._pick(less, other, best)
                return best
            case "floor":
                return self._floor(a)
            case "ceil":
                return times(as_number(-1), self._floor(negated))
            case "int":
                if a.bottom == ONE and self._whole(a.top):
                    return a
                up = times(as_number(-1), self._floor(negated))
                return self._pick(self._compare("<", a), up, self._floor(a))
            case "round":
                return self._round(a, args[1:])
            case "is_int":
                return Truth(self._compare("=", minus(a, self._floor(a))), a.defined)
            case "divides":
                q = self._quotient(a, args[1])
                return Truth(self._compare("=", minus(q, self._floor(q))), q.defined)
            case "Fraction":
                return a if len(args) == 1 else self._quotient(a, args[1])
        raise CannotReplay(f"no translation of {name}")

    def _round(self, a: Number, more: list[Number]) -> Number:
        decimals = more[0].top.get((), Fraction(0)) if more else Fraction(0)
        scale = Number({(): Fraction(10) ** int(decimals)}, ONE)
        x = times(a, scale)
        if x.bottom == ONE and self._whole(x.top):
            return a
        up = self._floor(plus(x, as_number(Fraction(1, 2))))
        # At a tie, `up` is the upper neighbour: the even one is wanted.
        tie = self._compare("=", minus(up, plus(x, as_number(Fraction(1, 2)))))
        half = times(up, as_number(Fraction(1, 2)))
        even = self._compare("=", minus(half, self._floor(half)))
        rounded = self._pick(f"(and {tie} (not {even}))", minus(up, as_number(1)), up)
        return times(Number(rounded.top, rounded.bottom, a.defined), as_number(1 / scale.top[()]))


# --- polynomials, apart from the finder's -------------------------------------------------------------


def _logical(conjunction: bool, parts: list[Truth]) -> Truth:
    value, defined = parts[-1].text, parts[-1].defined
    for part in reversed(parts[:-1]):
        stop = f"(not {part.text})" if conjunction else part.text
        defined = both(part.defined, defined if defined == "true" else f"(or {stop} {defined})")
        value = f"({'and' if conjunction else 'or'} {part.text} {value})"
    return Truth(value, defined)


def _constant(value: Fraction, integral: bool) -> str:
    if integral:
        text = str(abs(value.numerator))
    else:
        top = f"{abs(value.numerator)}.0"
        text = top if value.denominator == 1 else f"(/ {top} {value.denominator}.0)"
    return text if value >= 0 else f"(- {text})"
