"""What every operation means, written once.

`meaning` defines each operation in terms of a few primitives of an *algebra*: exact arithmetic with a floor,
comparisons and a choice. The evaluator instantiates it with Python fractions and the compiler with solver
terms, so that both say the same. `condition` says where an operation on defined operands is itself defined.

The laws are those of Python on exact rationals:

- `a // b` is the floor of `a / b`, `a % b` is `a - b * (a // b)`; both are undefined where `b` is 0;
- `int` truncates, `round` rounds half to even, to an integer or to a number of decimals;
- `a ** n` has an integer exponent; `0 ** 0` is 1, and 0 to a negative power is undefined;
- `divides(a, b)` is `a % b == 0`: `b` divides `a`; undefined where `b` is 0;
- an operation on an undefined operand is undefined, except where `and`, `or`, a comparison chain or a
  conditional does not evaluate that operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Algebra(Protocol):
    """The primitives. `number` and `truth` are whatever the algebra computes with."""

    def constant(self, value: Any) -> Any:
        """A literal."""

    def add(self, a: Any, b: Any) -> Any:
        """The sum."""

    def multiply(self, a: Any, b: Any) -> Any:
        """The product."""

    def divide(self, a: Any, b: Any) -> Any:
        """The exact quotient; anything where `b` is 0."""

    def floor(self, a: Any) -> Any:
        """The greatest integer that is at most `a`."""

    def power(self, a: Any, n: Any) -> Any:
        """`a ** n` for an integer `n`; anything where `a` is 0 and `n` negative."""

    def less(self, a: Any, b: Any) -> Any:
        """`a < b`."""

    def equal(self, a: Any, b: Any) -> Any:
        """`a == b`, of numbers or of truth values."""

    def negate(self, a: Any) -> Any:
        """`not a`."""

    def both(self, a: Any, b: Any) -> Any:
        """`a and b`."""

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, `b` elsewhere."""


def meaning(algebra: Algebra, op: str, extra: Any, args: Sequence[Any]) -> Any:
    """The value of an operation on defined operands, where `condition` holds."""
    al = algebra
    match op, args:
        case "+", (a, b):
            return al.add(a, b)
        case "-", (a, b):
            return al.add(a, _minus(al, b))
        case "neg", (a,):
            return _minus(al, a)
        case "*", (a, b):
            return al.multiply(a, b)
        case "/", (a, b):
            return al.divide(a, b)
        case "//", (a, b):
            return al.floor(al.divide(a, b))
        case "%", (a, b):
            return al.add(a, _minus(al, al.multiply(b, al.floor(al.divide(a, b)))))
        case "**", (a, b):
            return al.power(a, b)
        case "<", (a, b):
            return al.less(a, b)
        case "<=", (a, b):
            return al.negate(al.less(b, a))
        case "==", (a, b):
            return al.equal(a, b)
        case "!=", (a, b):
            return al.negate(al.equal(a, b))
        case "not", (a,):
            return al.negate(a)
        case "and", (a, b):
            return al.both(a, b)
        case "or", (a, b):
            return al.negate(al.both(al.negate(a), al.negate(b)))
        case "if", (a, b, c):
            return al.choose(a, b, c)
        case "abs", (a,):
            return al.choose(al.less(a, al.constant(0)), _minus(al, a), a)
        case "min", _:
            least = args[0]
            for other in args[1:]:
                least = al.choose(al.less(other, least), other, least)
            return least
        case "max", _:
            greatest = args[0]
            for other in args[1:]:
                greatest = al.choose(al.less(greatest, other), other, greatest)
            return greatest
        case "floor", (a,):
            return al.floor(a)
        case "ceil", (a,):
            return _minus(al, al.floor(_minus(al, a)))
        case "int", (a,):
            return al.choose(al.less(a, al.constant(0)), _minus(al, al.floor(_minus(al, a))), al.floor(a))
        case "round", (a,):
            return _round(al, a, extra or 0)
        case "is_int", (a,):
            return al.equal(a, al.floor(a))
        case "divides", (a, b):
            quotient = al.divide(a, b)
            return al.equal(quotient, al.floor(quotient))
    raise AssertionError(f"no meaning for {op!r} of {len(args)} operands")


def condition(algebra: Algebra, op: str, args: Sequence[Any]) -> Any | None:
    """Where the operation on defined operands is defined; None where it always is."""
    al = algebra
    match op, args:
        case (("/" | "//" | "%" | "divides"), (_, b)):
            return al.negate(al.equal(b, al.constant(0)))
        case "**", (a, b):
            zero = al.constant(0)
            return al.negate(al.both(al.equal(a, zero), al.less(b, zero)))
    return None


def _minus(al: Algebra, a: Any) -> Any:
    return al.multiply(al.constant(-1), a)


def _round(al: Algebra, a: Any, decimals: int) -> Any:
    """Half to even: `f = floor(a)` below the middle or at it if `f` is even, else `f + 1`."""
    from fractions import Fraction

    scale = Fraction(10) ** decimals
    a = al.multiply(al.constant(scale), a)
    half = al.constant(Fraction(1, 2))
    low = al.floor(a)
    rest = al.add(a, _minus(al, low))
    halved = al.multiply(half, low)
    even = al.equal(halved, al.floor(halved))
    down = al.negate(al.both(al.negate(al.less(rest, half)), al.negate(al.both(al.equal(rest, half), even))))
    rounded = al.choose(down, low, al.add(low, al.constant(1)))
    return al.multiply(al.constant(1 / scale), rounded)
