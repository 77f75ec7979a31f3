"""The value of a text at a point, by Python's own parser and `fractions.Fraction`.

It shares nothing with the code that finds counterexamples: neither its grammar nor its operations. Every
counterexample passes through here before anyone sees it, and `truespec recheck` starts here.
"""

from __future__ import annotations

import ast
import math
import operator
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

BY = f"Python {sys.version_info.major}.{sys.version_info.minor} ast and fractions"
"""How verdicts name this semantics."""

MAX_BITS = 13_000
"""Larger powers are not computed."""

Exact = Fraction | bool | None
"""A value; None is undefined."""


class CannotReplay(Exception):
    """Python's parser or a power's size stands in the way."""


def replay(text: str, point: Mapping[str, Fraction | int]) -> Exact:
    """The value of an expression; None where it divides by zero."""
    tree = parse(text)
    with deep_recursion():
        try:
            value: Exact = _value(tree, text, {name: Fraction(value) for name, value in point.items()})
        except ZeroDivisionError:
            return None
        except RecursionError as error:
            raise CannotReplay("nested too deeply for Python") from error
        return value


def parse(text: str) -> ast.expr:
    """Python's tree of an expression; `CannotReplay` where Python does not read it."""
    with warnings.catch_warnings(), deep_recursion():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise CannotReplay(f"Python does not read the text: {error}") from error


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for chains of thousands of operators; the nesting of brackets is limited by Python itself."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 60_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def literal(node: ast.Constant, text: str) -> Fraction | bool:
    """A literal's exact value, read from the source: a float would have rounded it."""
    if isinstance(node.value, bool | int):
        return node.value if isinstance(node.value, bool) else Fraction(node.value)
    source = ast.get_source_segment(text.strip(), node)
    if not isinstance(node.value, float) or source is None:
        raise CannotReplay(f"a literal of type {type(node.value).__name__}")
    return Fraction(source.replace("_", ""))


_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "min": min,
    "max": max,
    "int": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda a, n=0: round(a, int(n)),
    "is_int": lambda a: a.denominator == 1,
    "divides": lambda a, b: a % b == 0,
    "Fraction": lambda a, b=Fraction(1): a / b,
}


def _value(node: ast.expr, text: str, point: Mapping[str, Fraction]) -> Any:
    match node:
        case ast.Constant():
            return literal(node, text)
        case ast.Name(id=name):
            return point[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, text, point)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(inner, text, point)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner, text, point)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, text, point), _value(right, text, point))
        case ast.BinOp(left=left, op=op, right=right):
            return _number(_OPERATORS[type(op)](_value(left, text, point), _value(right, text, point)))
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, text, point) for part in parts)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(_value(part, text, point) for part in parts)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, text, point) else orelse, text, point)
        case ast.Compare(left=left, ops=ops, comparators=others):
            value = _value(left, text, point)
            for comparison, other in zip(ops, others, strict=True):
                following = _value(other, text, point)
                if not _COMPARISONS[type(comparison)](value, following):
                    return False
                value = following
            return True
        case ast.Call(func=ast.Name(id=name), args=args):
            return _number(_FUNCTIONS[name](*[_value(arg, text, point) for arg in args]))
    raise CannotReplay(f"Python reads a {type(node).__name__}")


def _number(value: Any) -> Any:
    return value if isinstance(value, bool) else Fraction(value)


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise CannotReplay("a fractional exponent")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) != 1 and base and abs(exponent) * size > 2 * MAX_BITS:
        raise CannotReplay("a power too large to compute")
    if abs(base) == 1:
        exponent = exponent % 2
    return Fraction(base**exponent.numerator)
