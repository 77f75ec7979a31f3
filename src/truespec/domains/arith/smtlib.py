"""A second translation, for re-checks: Python's tree of a text to SMT-LIB text.

It shares no code with `smt.py` and encodes differently: every subexpression is a definition, a quotient by
something unknown is a fresh real, integers use `div`, rationals `to_int`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from truespec.domains.arith.replay import CannotReplay, literal, parse

MAX_EXPONENT = 24
"""Larger exponents are not translated."""


class Script:
    """Declarations and assertions that grow as texts are translated."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.known: dict[str, tuple[str, str, str]] = {}
        self.names: dict[str, tuple[str, str, str]] = {}
        for position, (name, kind) in enumerate(kinds.items()):
            sort = "Int" if kind == "int" else "Real"
            self.lines.append(f"(declare-const x{position} {sort})")
            self.names[name] = (f"x{position}", sort, "true")

    def assume(self, text: str) -> None:
        """Assert that a condition is defined and true."""
        value, _, defined = self.translate(text)
        self.lines.append(f"(assert (and {defined} {value}))")

    def assert_difference(self, oracle: str, candidate: str) -> None:
        """Assert that the two differ, in value or in being defined."""
        a, b = self.translate(oracle), self.translate(candidate)
        same = f"(= {a[0]} {b[0]})" if a[1] == b[1] else f"(= {_real(a)} {_real(b)})"
        self.lines.append(f"(assert (not (and (= {a[2]} {b[2]}) (=> {a[2]} {same}))))")

    def text(self) -> str:
        """The script, without a command to check it."""
        return "\n".join(self.lines)

    def translate(self, text: str) -> tuple[str, str, str]:
        """The value, its sort, and where it is defined."""
        return self._value(parse(text), text.strip())

    def _value(self, node: ast.expr, text: str) -> tuple[str, str, str]:
        match node:
            case ast.Constant():
                value = literal(node, text)
                if isinstance(value, bool):
                    return ("true" if value else "false"), "Bool", "true"
                return self._constant(value)
            case ast.Name(id=name):
                return self.names[name]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                a = self._value(inner, text)
                number = _number(a[0])
                return self._define(f"(- {a[0]})", a[1], a[2]) if number is None else self._constant(-number)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self._value(inner, text)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                a = self._value(inner, text)
                return self._define(f"(not {a[0]})", "Bool", a[2])
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(self._value(left, text), self._value(right, text))
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._value(left, text), self._value(right, text))
            case ast.BoolOp(op=op, values=parts):
                return self._logical(isinstance(op, ast.And), [self._value(part, text) for part in parts])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                c, a, b = (self._value(part, text) for part in (test, body, orelse))
                x, y, sort = _joined(a, b)
                return self._define(f"(ite {c[0]} {x} {y})", sort, _and(c[2], f"(ite {c[0]} {a[2]} {b[2]})"))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._chain(
                    self._value(left, text), ops, [self._value(other, text) for other in others]
                )
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, [self._value(arg, text) for arg in args])
        raise CannotReplay(f"no translation of a {type(node).__name__}")

    def _define(self, body: str, sort: str, defined: str) -> tuple[str, str, str]:
        key = f"{sort} {body} {defined}"
        if key not in self.known:
            self.count += 1
            self.lines.append(f"(define-fun t{self.count} () {sort} {body})")
            value = f"t{self.count}"
            if defined.startswith("("):
                self.lines.append(f"(define-fun d{self.count} () Bool {defined})")
                defined = f"d{self.count}"
            self.known[key] = (value, sort, defined)
        return self.known[key]

    def _constant(self, value: Fraction) -> tuple[str, str, str]:
        if value.denominator == 1:
            return _integer(value.numerator), "Int", "true"
        return (
            f"(/ {_integer(value.numerator)}.0 {value.denominator}.0)".replace(").0", ".0)"),
            "Real",
            "true",
        )

    def _binary(
        self, op: ast.operator, a: tuple[str, str, str], b: tuple[str, str, str]
    ) -> tuple[str, str, str]:
        defined = _and(a[2], b[2])
        match op:
            case ast.Add() | ast.Sub() | ast.Mult():
                x, y, sort = _joined(a, b)
                symbol = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}[type(op)]
                return self._define(f"({symbol} {x} {y})", sort, defined)
            case ast.Div():
                return self._quotient(a, b)
            case ast.FloorDiv():
                return self._floordiv(a, b)
            case ast.Mod():
                low = self._floordiv(a, b)
                x, y, sort = _joined(a, b)
                z = low[0] if sort == "Int" else _real(low)
                return self._define(f"(- {x} (* {y} {z}))", sort, low[2])
        raise CannotReplay(f"no translation of {type(op).__name__}")

    def _quotient(self, a: tuple[str, str, str], b: tuple[str, str, str]) -> tuple[str, str, str]:
        number = _number(b[0])
        if number:
            return self._define(f"(* {_real(a)} (/ 1.0 {_decimal(number)}))", "Real", a[2])
        defined = _and(_and(a[2], b[2]), f"(not (= {_real(b)} 0.0))")
        key = f"quotient {a[0]} {b[0]} {defined}"
        if key not in self.known:
            self.count += 1
            self.lines.append(f"(declare-const q{self.count} Real)")
            product = f"(= (* q{self.count} {_real(b)}) {_real(a)})"
            self.lines.append(f"(assert (=> (not (= {_real(b)} 0.0)) {product}))")
            self.known[key] = self._define(f"q{self.count}", "Real", defined)
        return self.known[key]

    def _floordiv(self, a: tuple[str, str, str], b: tuple[str, str, str]) -> tuple[str, str, str]:
        number = _number(b[0])
        if a[1] == b[1] == "Int" and number:
            # SMT-LIB's div is the floor for a positive divisor.
            body = f"(div {a[0]} {number})" if number > 0 else f"(div (- {a[0]}) {-number})"
            return self._define(body, "Int", a[2])
        if a[1] == b[1] == "Int":
            defined = _and(_and(a[2], b[2]), f"(not (= {b[0]} 0))")
            key = f"floordiv {a[0]} {b[0]} {defined}"
            if key not in self.known:
                self.count += 1
                k = f"k{self.count}"
                self.lines.append(f"(declare-const {k} Int)")
                low, high = f"(* {b[0]} {k})", f"(* {b[0]} (+ {k} 1))"
                self.lines.append(f"(assert (=> (> {b[0]} 0) (and (<= {low} {a[0]}) (< {a[0]} {high}))))")
                self.lines.append(f"(assert (=> (< {b[0]} 0) (and (>= {low} {a[0]}) (> {a[0]} {high}))))")
                self.known[key] = self._define(k, "Int", defined)
            return self.known[key]
        return self._floor(self._quotient(a, b))

    def _floor(self, a: tuple[str, str, str]) -> tuple[str, str, str]:
        return a if a[1] == "Int" else self._define(f"(to_int {a[0]})", "Int", a[2])

    def _power(self, a: tuple[str, str, str], b: tuple[str, str, str]) -> tuple[str, str, str]:
        number = _number(b[0])
        if number is None or number.denominator != 1 or abs(number) > MAX_EXPONENT:
            raise CannotReplay("a power with a large or unknown exponent")
        if number == 0:
            return self._define("1", "Int", a[2])
        product = a
        for _ in range(abs(int(number)) - 1):
            product = self._binary(ast.Mult(), product, a)
        return product if number > 0 else self._quotient(("1", "Int", "true"), product)

    def _logical(self, conjunction: bool, parts: list[tuple[str, str, str]]) -> tuple[str, str, str]:
        value, defined = parts[-1][0], parts[-1][2]
        for part in reversed(parts[:-1]):
            stop = f"(not {part[0]})" if conjunction else part[0]
            defined = _and(part[2], defined if defined == "true" else f"(or {stop} {defined})")
            value = f"({'and' if conjunction else 'or'} {part[0]} {value})"
        return self._define(value, "Bool", defined)

    def _chain(
        self, left: tuple[str, str, str], ops: list[ast.cmpop], others: list[tuple[str, str, str]]
    ) -> tuple[str, str, str]:
        links = []
        for op, right in zip(ops, others, strict=True):
            x, y, _ = _joined(left, right)
            symbol = {
                ast.Lt: "<",
                ast.LtE: "<=",
                ast.Gt: ">",
                ast.GtE: ">=",
                ast.Eq: "=",
                ast.NotEq: "distinct",
            }[type(op)]
            links.append((f"({symbol} {x} {y})", "Bool", _and(left[2], right[2])))
            left = right
        return self._logical(True, links)

    def _call(self, name: str, args: list[tuple[str, str, str]]) -> tuple[str, str, str]:
        a = args[0]
        match name:
            case "abs":
                return self._define(f"(ite (>= {a[0]} {_zero(a)}) {a[0]} (- {a[0]}))", a[1], a[2])
            case "min" | "max":
                best = a
                for other in args[1:]:
                    x, y, sort = _joined(best, other)
                    symbol = "<=" if name == "min" else ">="
                    best = self._define(f"(ite ({symbol} {x} {y}) {x} {y})", sort, _and(best[2], other[2]))
                return best
            case "floor":
                return self._floor(a)
            case "ceil":
                return a if a[1] == "Int" else self._define(f"(- (to_int (- {a[0]})))", "Int", a[2])
            case "int":
                if a[1] == "Int":
                    return a
                return self._define(
                    f"(ite (>= {a[0]} 0.0) (to_int {a[0]}) (- (to_int (- {a[0]}))))", "Int", a[2]
                )
            case "round":
                return self._round(a, args[1:])
            case "is_int":
                return (
                    ("true", "Bool", a[2])
                    if a[1] == "Int"
                    else self._define(f"(is_int {a[0]})", "Bool", a[2])
                )
            case "divides":
                number = _number(args[1][0])
                if a[1] == args[1][1] == "Int" and number:
                    return self._define(f"(= (mod {a[0]} {abs(number)}) 0)", "Bool", a[2])
                q = self._quotient(a, args[1])
                return self._define(f"(is_int {q[0]})", "Bool", q[2])
            case "Fraction":
                return a if len(args) == 1 else self._quotient(a, args[1])
        raise CannotReplay(f"no translation of {name}")

    def _round(self, a: tuple[str, str, str], more: list[tuple[str, str, str]]) -> tuple[str, str, str]:
        decimals = 0
        if more:
            number = _number(more[0][0])
            if number is None:
                raise CannotReplay("decimals that are not a literal")
            decimals = int(number)
        if a[1] == "Int" and decimals >= 0:
            return a
        scale = Fraction(10) ** decimals
        x = self._define(f"(* {_real(a)} {_decimal(scale)})", "Real", a[2])
        nearest = self._define(f"(to_int (+ {x[0]} 0.5))", "Int", a[2])
        tie = f"(and (= (to_real {nearest[0]}) (+ {x[0]} 0.5)) (= (mod {nearest[0]} 2) 1))"
        even = self._define(f"(ite {tie} (- {nearest[0]} 1) {nearest[0]})", "Int", a[2])
        if decimals == 0:
            return even
        return self._define(f"(* (to_real {even[0]}) {_decimal(1 / scale)})", "Real", a[2])


def _real(a: tuple[str, str, str]) -> str:
    if a[1] == "Real":
        return a[0]
    number = _number(a[0])
    return _decimal(number) if number is not None else f"(to_real {a[0]})"


def _joined(a: tuple[str, str, str], b: tuple[str, str, str]) -> tuple[str, str, str]:
    """Both values in one sort, and the sort."""
    if a[1] == b[1]:
        return a[0], b[0], a[1]
    return _real(a), _real(b), "Real"


def _zero(a: tuple[str, str, str]) -> str:
    return "0" if a[1] == "Int" else "0.0"


def _and(a: str, b: str) -> str:
    if a in ("true", b):
        return b
    return a if b == "true" else f"(and {a} {b})"


def _integer(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _decimal(value: Fraction) -> str:
    top = f"{abs(value.numerator)}.0"
    text = top if value.denominator == 1 else f"(/ {top} {value.denominator}.0)"
    return text if value >= 0 else f"(- {text})"


def _number(text: str) -> Fraction | None:
    """The value of a literal in SMT-LIB."""
    negative = text.startswith("(- ")
    inner = text[3:-1] if negative else text
    if inner.startswith("(/ "):
        parts = inner[3:-1].replace("(- ", "-").replace(")", "").split(" ")
        value = Fraction(parts[0].removesuffix(".0")) / Fraction(parts[1].removesuffix(".0"))
    elif inner.isdigit():
        value = Fraction(int(inner))
    else:
        return None
    return -value if negative else value
