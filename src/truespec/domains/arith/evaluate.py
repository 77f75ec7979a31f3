"""The value of a term at a point, by the laws of `semantics.py` on exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from truespec.domains.arith import semantics
from truespec.domains.arith.numbers import (
    MAX_BITS,
    UNDEFINED,
    Number,
    TooLarge,
    Undefined,
    Value,
    bits,
    exact,
)
from truespec.domains.arith.terms import Term, reach

Point = Mapping[str, Number]
"""A value for every variable."""


class Exact:
    """The algebra of exact numbers."""

    @staticmethod
    def constant(value: Any) -> Any:
        return exact(value) if isinstance(value, Fraction) else value

    @staticmethod
    def add(a: Number, b: Number) -> Number:
        return exact(a + b)

    @staticmethod
    def multiply(a: Number, b: Number) -> Number:
        if bits(a) + bits(b) > 2 * MAX_BITS:
            raise TooLarge(f"a product of about {bits(a) + bits(b):,} bits")
        return exact(a * b)

    @staticmethod
    def divide(a: Number, b: Number) -> Number:
        if b == 0:
            return 0
        if bits(a) + bits(b) > 2 * MAX_BITS:
            raise TooLarge(f"a quotient of about {bits(a) + bits(b):,} bits")
        return exact(Fraction(a) / b)

    @staticmethod
    def floor(a: Number) -> int:
        return a.numerator // a.denominator

    @staticmethod
    def power(a: Number, n: Number) -> Number:
        exponent = int(n)
        if n == 0 or a == 1:
            return 1
        if a == 0:
            return 0
        if a == -1:
            return -1 if exponent % 2 else 1
        if abs(exponent) * bits(a) > 2 * MAX_BITS:
            raise TooLarge(f"a power of about {abs(exponent) * bits(a):,} bits")
        whole = a ** abs(exponent)
        return exact(Fraction(1) / whole if exponent < 0 else whole)

    @staticmethod
    def less(a: Number, b: Number) -> bool:
        return a < b

    @staticmethod
    def equal(a: Any, b: Any) -> bool:
        return bool(a == b)

    @staticmethod
    def negate(a: bool) -> bool:
        return not a

    @staticmethod
    def both(a: bool, b: bool) -> bool:
        return a and b

    @staticmethod
    def choose(condition: bool, a: Any, b: Any) -> Any:
        return a if condition else b


def apply(op: str, extra: Any, args: Sequence[Value]) -> Value:
    """One operation on values, some of which may be undefined."""
    match op, args:
        case "and", (a, b):
            return UNDEFINED if isinstance(a, Undefined) else b if a else False
        case "or", (a, b):
            return UNDEFINED if isinstance(a, Undefined) else True if a else b
        case "if", (c, a, b):
            return UNDEFINED if isinstance(c, Undefined) else a if c else b
    for arg in args:
        if isinstance(arg, Undefined):
            return UNDEFINED
    if semantics.condition(Exact, op, args) is False:
        return UNDEFINED
    result: Value = semantics.meaning(Exact, op, extra, args)
    return result


def evaluate(term: Term, point: Point) -> Value:
    """The value of a term at a point; `TooLarge` where a power is too large to be computed."""
    values: dict[int, Value] = {}
    for each in reach(term):
        values[each.index] = _step(each, point, values)
    return values[term.index]


def _step(term: Term, point: Point, values: Mapping[int, Value]) -> Value:
    if term.op == "const":
        assert not isinstance(term.value, str | None)
        return term.value
    if term.op == "var":
        return point[str(term.value)]
    return apply(term.op, term.value, [values[arg.index] for arg in term.args])


MAX_COMPILED_DEPTH = 40
"""Deeper terms are interpreted: Python's compiler limits the nesting of brackets."""
MAX_COMPILED_TERMS = 600
"""Larger terms are interpreted: shared subterms are written out once for each use."""

Function = Callable[..., Any]


def compiled(term: Term, names: Sequence[str]) -> Callable[..., Value]:
    """A fast function of the variables, in this order, with the values of `evaluate`.

    It is Python code generated from the term alone (no text of a user gets into it), whose short circuits
    and ZeroDivisionError are the laws of undefinedness.
    """
    source = _source(term, {name: f"v{position}" for position, name in enumerate(names)})
    if source is None:
        return lambda *values: evaluate(term, dict(zip(names, values, strict=True)))
    parameters = ", ".join(f"v{position}" for position in range(len(names)))
    code = (
        f"def run({parameters}):\n try:\n  return {source}\n except ZeroDivisionError:\n  return UNDEFINED\n"
    )
    scope: dict[str, Any] = dict(_HELPERS)
    exec(compile(code, "<term>", "exec"), scope)
    return scope["run"]  # type: ignore[no-any-return]


def _source(term: Term, names: Mapping[str, str]) -> str | None:
    if term.depth > MAX_COMPILED_DEPTH:
        return None
    texts: dict[int, str] = {}
    for each in reach(term):
        text = _text(each, [texts[arg.index] for arg in each.args], names)
        if len(text) > 20_000:
            return None
        texts[each.index] = text
    return texts[term.index]


def _text(term: Term, args: list[str], names: Mapping[str, str]) -> str:
    match term.op:
        case "const":
            return _constant(term.value)
        case "var":
            return names[str(term.value)]
        case "neg":
            return f"(-{args[0]})"
        case "+" | "-" | "*" | "<" | "<=" | "==" | "!=":
            return f"({args[0]} {term.op} {args[1]})"
        case "//" | "%":
            return f"({args[0]} {term.op} {args[1]})"
        case "and" | "or":
            return f"({args[0]} {term.op} {args[1]})"
        case "not":
            return f"(not {args[0]})"
        case "if":
            return f"({args[1]} if {args[0]} else {args[2]})"
        case "/":
            return f"_divide({args[0]}, {args[1]})"
        case "**":
            return f"_power({args[0]}, {args[1]})"
        case "divides":
            return f"(({args[0]} % {args[1]}) == 0)"
        case "is_int":
            return f"({args[0]}.denominator == 1)"
        case "abs" | "min" | "max" | "int":
            return f"{term.op}({', '.join(args)})"
        case "floor" | "ceil":
            return f"_{term.op}({args[0]})"
        case "round":
            return f"_round({args[0]}, {term.value or 0})"
    raise AssertionError(term.op)


def _constant(value: object) -> str:
    if isinstance(value, Fraction):
        return f"Fraction({value.numerator}, {value.denominator})"
    return f"({value!r})"


def _divide(a: Number, b: Number) -> Number:
    if isinstance(a, int) and isinstance(b, int):
        whole, rest = divmod(a, b)
        return whole if rest == 0 else Fraction(a, b)
    return exact(Fraction(a) / b)


def _power(a: Number, n: Number) -> Number:
    if a == 0 and n < 0:
        raise ZeroDivisionError
    return Exact.power(a, exact(n))


def _round(a: Number, decimals: int) -> Number:
    return exact(Fraction(round(Fraction(a), decimals)))


_HELPERS: dict[str, Any] = {
    "Fraction": Fraction,
    "UNDEFINED": UNDEFINED,
    "_divide": _divide,
    "_power": _power,
    "_round": _round,
    "_floor": lambda a: a.numerator // a.denominator,
    "_ceil": lambda a: -(-a.numerator // a.denominator),
}
