"""Terms to Z3: values as quotients without division, and where they are defined.

The operations come from `semantics.py`; this file supplies its primitives. A number is a pair of Z3 terms, a
numerator and a denominator that is not zero where the value is defined, so that integer problems stay in
integers and no division reaches the solver. A floor is a fresh integer between two products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

from truespec.domains.arith import semantics
from truespec.domains.arith.normal import Normal, Normaliser
from truespec.domains.arith.terms import Term, reach
from truespec.verdict import Incomplete, Unsupported

MAX_UNROLLED = 40
"""A power whose exponent is not a constant is unrolled over at most so many exponents."""
MAX_EXPONENT = 64
"""Larger constant exponents of something unknown are not sent to a solver."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """`over / under`; a constant `under` is not zero, another is not zero where the value is defined."""

    over: Any
    under: Any


@dataclass
class Compiler:
    """Translates terms; `side` collects what defines the fresh integers, true at every point."""

    kinds: Mapping[str, str]
    forms: Normaliser
    context: Any = None
    side: list[Any] = field(default_factory=list)
    known: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    floors: dict[tuple[Any, Any], Any] = field(default_factory=dict)
    symbols: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, kind in self.kinds.items():
            self.symbols[name] = (
                z3.Int(f"v_{name}", self.context) if kind == "int" else z3.Real(f"v_{name}", self.context)
            )

    def compile(self, term: Term) -> tuple[Any, Any]:
        """The value and, as a Z3 condition, where it is defined."""
        for each in reach(term):
            if each.index not in self.known:
                self.known[each.index] = self._step(each)
        return self.known[term.index]

    def holds(self, term: Term) -> Any:
        """Where a condition is defined and true."""
        value, defined = self.compile(term)
        return z3.And(defined, value)

    def differ(self, a: Term, b: Term) -> Any:
        """Where the two differ: in value, or in being defined."""
        (x, x_defined), (y, y_defined) = self.compile(a), self.compile(b)
        return z3.Or(x_defined != y_defined, z3.And(x_defined, y_defined, self.negate(self.equal(x, y))))

    def _step(self, term: Term) -> tuple[Any, Any]:
        if term.op == "const":
            return self.constant(term.value), self._true()
        if term.op == "var":
            return Quotient(self.symbols[str(term.value)], self._int(1)), self._true()
        args = [self.known[arg.index] for arg in term.args]
        values = [value for value, _ in args]
        defined = [condition for _, condition in args]
        match term.op:
            case "and":
                where = z3.And(defined[0], z3.Or(z3.Not(values[0]), defined[1]))
            case "or":
                where = z3.And(defined[0], z3.Or(values[0], defined[1]))
            case "if":
                where = z3.And(defined[0], z3.If(values[0], defined[1], defined[2]))
            case _:
                where = z3.And(*defined) if len(defined) > 1 else defined[0]
                condition = semantics.condition(self, term.op, values)
                if condition is not None:
                    where = z3.And(where, condition)
        if term.op == "**":
            return self._power(term, values), z3.simplify(where)
        return semantics.meaning(self, term.op, term.value, values), z3.simplify(where)

    # --- the primitives of semantics.py ---------------------------------------------------------------

    def constant(self, value: Any) -> Any:
        """A literal."""
        if isinstance(value, bool):
            return z3.BoolVal(value, self.context)
        fraction = Fraction(value)
        return Quotient(self._int(fraction.numerator), self._int(fraction.denominator))

    def add(self, a: Quotient, b: Quotient) -> Quotient:
        """The sum."""
        if a.under.eq(b.under):
            return Quotient(_plus(a.over, b.over), a.under)
        return Quotient(_plus(_times(a.over, b.under), _times(b.over, a.under)), _times(a.under, b.under))

    def multiply(self, a: Quotient, b: Quotient) -> Quotient:
        """The product."""
        return Quotient(_times(a.over, b.over), _times(a.under, b.under))

    def divide(self, a: Quotient, b: Quotient) -> Quotient:
        """The quotient; zero where the divisor is the constant zero."""
        return self._quotient(_times(a.over, b.under), _times(a.under, b.over))

    def _quotient(self, over: Any, under: Any) -> Quotient:
        """A quotient whose constant denominator is not zero, as every use of one takes for granted.

        What is undefined may have any value, but a zero would spread: a choice takes a common denominator
        of both branches, and a floor lies between multiples of it.
        """
        if z3.is_int_value(under) and under.as_long() == 0:
            return Quotient(self._int(0), self._int(1))
        return Quotient(over, under)

    def floor(self, a: Quotient) -> Quotient:
        """The floor, as a fresh integer unless it is plain."""
        if z3.is_int(a.over) and z3.is_int_value(a.under) and a.under.as_long() == 1:
            return a
        key = (a.over.get_id(), a.under.get_id())
        if key not in self.floors:
            whole = z3.FreshInt("floor", self.context)
            low = _times(whole, a.under)
            high = _times(whole + 1, a.under)
            if z3.is_int_value(a.under):
                positive = a.under.as_long() > 0
                inside = (
                    z3.And(low <= a.over, a.over < high) if positive else z3.And(low >= a.over, a.over > high)
                )
                self.side.append(inside)
            else:
                self.side.append(z3.Implies(a.under > 0, z3.And(low <= a.over, a.over < high)))
                self.side.append(z3.Implies(a.under < 0, z3.And(low >= a.over, a.over > high)))
            self.floors[key] = (whole, a)  # the operands stay alive, so that their ids stay theirs
        return Quotient(self.floors[key][0], self._int(1))

    def power(self, a: Any, n: Any) -> Any:
        """Not used: `_power` knows the exponent's term."""
        raise AssertionError

    def less(self, a: Quotient, b: Quotient) -> Any:
        """`a < b`."""
        gap = self.add(a, Quotient(_times(self._int(-1), b.over), b.under))
        if z3.is_int_value(gap.under):
            return gap.over < 0 if gap.under.as_long() > 0 else gap.over > 0
        return z3.Or(z3.And(gap.over < 0, gap.under > 0), z3.And(gap.over > 0, gap.under < 0))

    def equal(self, a: Any, b: Any) -> Any:
        """`a == b`."""
        if not isinstance(a, Quotient):
            return a == b
        return _times(a.over, b.under) == _times(b.over, a.under)

    def negate(self, a: Any) -> Any:
        """`not a`."""
        return z3.Not(a)

    def both(self, a: Any, b: Any) -> Any:
        """`a and b`."""
        return z3.And(a, b)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, else `b`."""
        if not isinstance(a, Quotient):
            return z3.If(condition, a, b)
        if a.under.eq(b.under):
            return Quotient(_if(condition, a.over, b.over), a.under)
        if z3.is_int_value(a.under) and z3.is_int_value(b.under):
            # A common denominator keeps linear problems linear.
            left, right = _times(a.over, b.under), _times(b.over, a.under)
            return Quotient(_if(condition, left, right), _times(a.under, b.under))
        return Quotient(_if(condition, a.over, b.over), _if(condition, a.under, b.under))

    def _power(self, term: Term, values: list[Any]) -> Quotient:
        base, exponent = values
        constant = term.args[1].value if term.args[1].op == "const" else None
        if isinstance(constant, int):
            return self._raised(base, constant)
        form = self.forms.normal(term.args[1])
        assert isinstance(form, Normal)
        low, high = self.forms.bounds(form.value)
        if low is None or high is None or high - low > MAX_UNROLLED:
            raise Unsupported(
                "'**' with an exponent whose range the constraints do not limit to a few values"
            )
        first, last = -(-low.numerator // low.denominator), high.numerator // high.denominator
        result = self._raised(base, last)
        for n in range(first, last):
            result = self.choose(self.equal(exponent, self.constant(n)), self._raised(base, n), result)
        return result

    def _raised(self, base: Quotient, n: int) -> Quotient:
        if abs(n) > MAX_EXPONENT:
            raise Incomplete(f"a power with the exponent {n} is too large for a solver")
        over, under = self._int(1), self._int(1)
        for _ in range(abs(n)):
            over, under = _times(over, base.over), _times(under, base.under)
        return Quotient(over, under) if n >= 0 else self._quotient(under, over)

    def _int(self, value: int) -> Any:
        return z3.IntVal(value, self.context)

    def _true(self) -> Any:
        return z3.BoolVal(True, self.context)


def _times(a: Any, b: Any) -> Any:
    for one, other in ((a, b), (b, a)):
        if z3.is_int_value(one):
            if one.as_long() == 1:
                return other
            if one.as_long() == 0:
                return one
            if z3.is_int_value(other):
                return z3.IntVal(one.as_long() * other.as_long(), one.ctx)
    a, b = _level(a, b)
    # One order of the operands, so that equal products are one term and share their floor.
    return a * b if z3.is_int_value(a) or (not z3.is_int_value(b) and a.get_id() <= b.get_id()) else b * a


def _plus(a: Any, b: Any) -> Any:
    for one, other in ((a, b), (b, a)):
        if z3.is_int_value(one) and one.as_long() == 0:
            return other
    a, b = _level(a, b)
    return a + b


def _if(condition: Any, a: Any, b: Any) -> Any:
    a, b = _level(a, b)
    return z3.If(condition, a, b)


def _level(a: Any, b: Any) -> tuple[Any, Any]:
    """Both as integers, or both as reals."""
    if z3.is_int(a) and z3.is_real(b):
        return z3.ToReal(a), b
    if z3.is_real(a) and z3.is_int(b):
        return a, z3.ToReal(b)
    return a, b
