"""SUM is linear, and a sum of constants is a count.

Statement. Over the choices of one term, with φ its condition and v, w never NULL:
Σ[φ] c = c · COUNT[φ] where c does not depend on the choice;  Σ[φ] (v + w) = Σ[φ] v + Σ[φ] w;
Σ[φ] c·v = c · Σ[φ] v;  Σ[φ] (u + v)·w = Σ[φ] u·w + Σ[φ] v·w;
Σ[φ] (if p then v else w) = Σ[φ ∧ p] v + Σ[φ ∧ ¬p] w;  Σ[φ] real(v) = real(Σ[φ] v).

Σ_x[φ] (Σ_y[ψ(x)] v) · w = Σ_(x,y)[φ ∧ ψ(x)] v · w, and likewise for COUNT, which is Σ 1.

Side conditions. Exact arithmetic; in the last law the groups of y have bodies that do not depend on x, since
choices of one term are independent but for its condition. The sum of no values is 0 here; that SQL says NULL
there is stated beside it.

Why. Finite sums over a field are linear, and may be taken in any order.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Term, bound, dependent, renamed, substitute_term
from truespec.domains.sql.ir.logic import Expr, conj, ite, neg, real
from truespec.domains.sql.ir.symbols import constants, is_false, is_ite, operands
from truespec.domains.sql.rules import flags


def split(aggregates: Aggregates, term: Term, value: Expr) -> Expr:
    """The sum of `value` over the choices of `term`, by the laws above."""
    zero = z3.RealVal(0) if value.sort() == z3.RealSort() else z3.IntVal(0)
    if is_false(term.cond):
        return zero
    own = bound(term)
    if not constants(value) & own:
        if z3.is_int_value(value) or z3.is_rational_value(value):
            plain = z3.simplify(value)
            if plain.eq(z3.simplify(zero)):
                return zero
        count = aggregates.count_term(replace(term, outs=()))
        number = real(count) if value.sort() == z3.RealSort() else count
        if (z3.is_int_value(value) or z3.is_rational_value(value)) and str(value) == "1":
            return number
        return value * number
    if z3.is_to_real(value):
        return real(split(aggregates, term, value.arg(0)))
    if z3.is_add(value):
        return z3.Sum(*(split(aggregates, term, part) for part in operands(value)))
    if z3.is_sub(value):
        first, *rest = (split(aggregates, term, part) for part in operands(value))
        return first - z3.Sum(*rest)
    if value.decl().kind() == z3.Z3_OP_UMINUS:
        return -split(aggregates, term, value.arg(0))
    if z3.is_mul(value):
        product = _product(aggregates, term, value)
        if product is not None:
            return product
    if is_ite(value):
        test, yes, no = operands(value)
        left = split(aggregates, replace(term, cond=conj(term.cond, test)), yes)
        right = split(aggregates, replace(term, cond=conj(term.cond, neg(test))), no)
        return left + right
    flag = flags.spelled(aggregates, term, value)
    if flag is not None:
        return split(aggregates, term, flag)
    nested = _nested(aggregates, term, value)
    if nested is not None:
        return split(aggregates, *nested)
    return aggregates.sum_term(term, value)


def _product(aggregates: Aggregates, term: Term, value: Expr) -> Expr | None:
    """The sum of a product by the laws; None where none of them applies."""
    own, factors = bound(term), operands(value)
    outer = [part for part in factors if not constants(part) & own]
    inner = [part for part in factors if constants(part) & own]
    if outer:
        return z3.Product(*outer, split(aggregates, term, _times(inner)))
    if all(map(z3.is_to_real, factors)):
        return real(split(aggregates, term, _times([part.arg(0) for part in factors])))
    for position, factor in enumerate(factors):
        rest = [part for i, part in enumerate(factors) if i != position]
        cases = factor if is_ite(factor) else flags.spelled(aggregates, term, factor)
        if cases is not None:
            test, yes, no = operands(cases)
            return split(aggregates, term, ite(test, _times([yes, *rest]), _times([no, *rest])))
        added = _summands(factor)
        if added:
            parts = [(sign, split(aggregates, term, _times([part, *rest]))) for sign, part in added]
            return z3.Sum(*(part if sign > 0 else -part for sign, part in parts))
    return None


def _times(factors: list[Expr]) -> Expr:
    """The product of at least one factor, products among them written out."""
    parts = [part for factor in factors for part in (operands(factor) if z3.is_mul(factor) else [factor])]
    return parts[0] if len(parts) == 1 else z3.Product(*parts)


def _summands(value: Expr) -> list[tuple[int, Expr]]:
    """What a sum, a difference or a negation adds up, with its sign; nothing for any other value."""
    if z3.is_add(value):
        return [(1, part) for part in operands(value)]
    if z3.is_sub(value):
        first, *rest = operands(value)
        return [(1, first), *((-1, part) for part in rest)]
    if value.decl().kind() == z3.Z3_OP_UMINUS:
        return [(-1, value.arg(0))]
    return [(sign, real(part)) for sign, part in _summands(value.arg(0))] if z3.is_to_real(value) else []


def _nested(aggregates: Aggregates, term: Term, value: Expr) -> tuple[Term, Expr] | None:
    """A sum or count inside the value, as choices of the term."""
    factors = operands(value) if z3.is_mul(value) else [value]
    for position, factor in enumerate(factors):
        number = factor.arg(0) if z3.is_to_real(factor) else factor
        symbol = aggregates.symbols.get(number.decl().name()) if z3.is_app(number) else None
        if symbol is None or symbol.function not in ("COUNT", "SUM"):
            continue
        (inner,) = symbol.bag.terms
        inner = renamed(aggregates.world, inner)
        inner = substitute_term(inner, list(zip(symbol.formals, operands(number), strict=True)))
        if dependent(term, inner.groups):
            continue
        rest = [part for i, part in enumerate(factors) if i != position]
        if symbol.function == "SUM":
            one = inner.outs[0].val
            rest.append(real(one) if value.sort() == z3.RealSort() else one)
        joined = Term(
            term.rows + inner.rows, term.groups + inner.groups, conj(term.cond, inner.cond), term.outs
        )
        if not rest:
            unit = z3.RealVal(1) if value.sort() == z3.RealSort() else z3.IntVal(1)
            return joined, unit
        return joined, rest[0] if len(rest) == 1 else z3.Product(*rest)
    return None
