"""What the constraints say of every legal point, in the terms of normal forms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.intervals import Interval
from truespec.domains.arith.normal import Normal, Normaliser
from truespec.domains.arith.numbers import Number, exact
from truespec.domains.arith.polynomial import Polynomial, Ratio
from truespec.domains.arith.terms import Term, variables
from truespec.verdict import Incomplete


def conjuncts(constraints: Sequence[Term]) -> Iterator[tuple[Term, bool]]:
    """The parts that hold at every legal point, each with the truth value it has there."""
    waiting = [(term, True) for term in reversed(constraints)]
    while waiting:
        term, truth = waiting.pop()
        if term.op == "not":
            waiting.append((term.args[0], not truth))
        elif (term.op == "and" and truth) or (term.op == "or" and not truth):
            waiting.extend((arg, truth) for arg in reversed(term.args))
        else:
            yield term, truth


def normaliser(kinds: Mapping[str, str], constraints: Sequence[Term]) -> Normaliser:
    """A normaliser that knows what the constraints say."""
    forms = Normaliser(dict(kinds))
    parts = list(conjuncts(constraints))
    for term, truth in parts:
        _bound(forms, term, truth)
    for term, truth in parts:
        if term.op == "==" and truth and not term.args[0].boolean:
            _substitute(forms, term)
    # A fact may make another provable, so that floors and choices vanish from it: read twice.
    for _ in range(2):
        forms.forget()
        for term, truth in parts:
            try:
                _learn(forms, term, truth)
            except Incomplete:
                continue
    _merge_integral(forms)
    forms.forget()
    return forms


def _merge_integral(forms: Normaliser) -> None:
    """Of `a * p` and `b * p`, both integers, follows `gcd(a, b) * p`."""
    merged: list[tuple[Polynomial, Polynomial, Fraction]] = []
    for fact in forms.facts.integral:
        form, factor = poly.primitive(fact.over)
        for index, (other, under, known) in enumerate(merged):
            if other == form and under == fact.under:
                common = Fraction(
                    math.gcd(known.numerator * factor.denominator, factor.numerator * known.denominator),
                    known.denominator * factor.denominator,
                )
                merged[index] = other, under, common
                break
        else:
            merged.append((form, fact.under, abs(Fraction(factor))))
    forms.facts.integral = [Ratio(poly.scale(form, exact(c)), under) for form, under, c in merged]


def _bound(forms: Normaliser, term: Term, truth: bool) -> None:
    """Bounds on one variable by a constant, or a list of its values."""
    if term.op == "or" and truth:
        _values(forms, term)
        return
    if term.op not in ("<", "<=", "==") or (term.op == "==" and not truth):
        return
    a, b = term.args
    strict = (term.op == "<") == truth
    if term.op != "==" and not truth:
        a, b = b, a  # not (a < b) is b <= a
    for variable, other, upper in ((a, b, True), (b, a, False)):
        if variable.op == "var" and other.op == "const" and not isinstance(other.value, bool | str | None):
            value = other.value
            if term.op == "==":
                _narrow(forms, str(variable.value), (value, value))
            elif upper:
                _narrow(forms, str(variable.value), (None, value), strict)
            else:
                _narrow(forms, str(variable.value), (value, None), strict)


def _values(forms: Normaliser, term: Term) -> None:
    names = variables(term)
    values: list[Number] = []
    waiting = [term]
    while waiting:
        part = waiting.pop()
        if part.op == "or":
            waiting.extend(part.args)
            continue
        constants = [arg.value for arg in part.args if arg.op == "const"]
        if part.op != "==" or len(constants) != 1 or not any(arg.op == "var" for arg in part.args):
            return
        value = constants[0]
        if isinstance(value, bool | str | None):
            return
        values.append(value)
    if len(names) == 1:
        _narrow(forms, names[0], (min(values), max(values)))
        index = forms.variable_atoms[names[0]]
        if all(isinstance(value, int) for value in values):
            forms.atoms[index] = replace(forms.atoms[index], integral=True)


def _narrow(forms: Normaliser, name: str, bounds: Interval, strict: bool = False) -> None:
    index = forms.variable_atoms[name]
    atom = forms.atoms[index]
    low, high = bounds
    if atom.integral:
        low = (
            None
            if low is None
            else (low.numerator // low.denominator + 1 if strict else -(-low.numerator // low.denominator))
        )
        high = (
            None
            if high is None
            else (
                -(-high.numerator // high.denominator) - 1 if strict else high.numerator // high.denominator
            )
        )
    elif strict:
        if low is not None:
            forms.facts.positive.append(poly.plus(poly.atom(index), poly.constant(low), -1))
        if high is not None:
            forms.facts.positive.append(poly.plus(poly.constant(high), poly.atom(index), -1))
    old_low, old_high = atom.bounds
    if old_low is not None and (low is None or old_low > low):
        low = old_low
    if old_high is not None and (high is None or old_high < high):
        high = old_high
    forms.atoms[index] = replace(atom, bounds=(low, high))


def _difference(forms: Normaliser, term: Term, *, swapped: bool = False) -> Ratio:
    a, b = term.args
    left, right = forms.normal(a), forms.normal(b)
    assert isinstance(left, Normal)
    assert isinstance(right, Normal)
    return (
        poly.add_ratios(right.value, left.value, -1)
        if swapped
        else poly.add_ratios(left.value, right.value, -1)
    )


def solved_variable(forms: Normaliser, equation: Polynomial) -> tuple[str, Number] | None:
    """A variable that the equation `equation == 0` determines, with its constant coefficient."""
    best: tuple[tuple[bool, bool, int], str, Number] | None = None
    for name, index in forms.variable_atoms.items():
        coefficient = equation.get(((index, 1),))
        if coefficient is None or forms.substitutions.get(name) is not None:
            continue
        if any(index in forms.occurs(monomial) for monomial in equation if monomial != ((index, 1),)):
            continue
        # A rational unknown first, then an integer that is one by its form, then the last named.
        whole = all(exact(Fraction(c) / coefficient).denominator == 1 for c in equation.values())
        rank = (not forms.atoms[index].integral, whole, index)
        if best is None or rank > best[0]:
            best = (rank, name, coefficient)
    return None if best is None else (best[1], best[2])


def _substitute(forms: Normaliser, term: Term) -> None:
    try:
        equation = _difference(forms, term)
    except Incomplete:
        return
    if not equation.is_polynomial():
        if forms.sign(poly.whole(equation.under)) not in ("+", "-", "!"):
            return
    found = solved_variable(forms, equation.over)
    if found is None:
        return
    name, coefficient = found
    index = forms.variable_atoms[name]
    rest = {m: c for m, c in equation.over.items() if m != ((index, 1),)}
    value = poly.scale(rest, exact(-1 / Fraction(coefficient)))
    low, high = forms.atoms[index].bounds
    forms.substitute(name, value)
    if low is not None:
        forms.facts.nonnegative.append(poly.plus(value, poly.constant(low), -1))
    if high is not None:
        forms.facts.nonnegative.append(poly.plus(poly.constant(high), value, -1))
    if forms.atoms[index].integral:
        forms.facts.integral.append(poly.whole(value))


def _learn(forms: Normaliser, term: Term, truth: bool) -> None:
    facts = forms.facts
    for need in forms.normal(term).needs:
        if need[0] == "nz":
            _keep(facts.nonzero, forms.zeros[int(str(need[1]))])
    if term.op in ("<", "<=") or (term.op == "==" and not truth) or (term.op == "!=" and truth):
        if term.args[0].boolean:
            return
        # `a < b` says b - a > 0; its negation says a - b >= 0.
        gap = _difference(forms, term, swapped=truth)
        under = forms.sign(poly.whole(gap.under))
        if term.op in ("==", "!="):
            _keep(facts.nonzero, poly.primitive(gap.over)[0])
        elif under in ("+", "0+"):
            _keep(facts.positive if (term.op == "<") == truth else facts.nonnegative, gap.over)
        elif under in ("-", "0-"):
            _keep(
                facts.positive if (term.op == "<") == truth else facts.nonnegative, poly.scale(gap.over, -1)
            )
    elif term.op in ("is_int", "divides"):
        values = [forms.normal(arg) for arg in term.args]
        ratios = [value.value for value in values if isinstance(value, Normal)]
        whole = ratios[0] if term.op == "is_int" else poly.divide_ratios(ratios[0], ratios[1])
        _, rest = forms.split(whole)
        known = facts.integral if truth else facts.fractional
        if rest.over and rest not in known:
            known.append(rest)
    elif term.op == "==" and truth and not term.args[0].boolean:
        _learn_remainder(forms, term)
    elif term.op == "==" and truth:
        for arg, other in (term.args, term.args[::-1]):
            truths = [value for part, value in conjuncts([arg]) if part is arg] if other.op == "const" else ()
            for value in truths:
                _learn(forms, arg, (other.value is True) == value)


def _learn_remainder(forms: Normaliser, term: Term) -> None:
    """`a % b == 0` says that a / b is an integer."""
    for side, other in (term.args, term.args[::-1]):
        if side.op == "%" and other.op == "const" and other.value == 0:
            over, under = (forms.normal(arg) for arg in side.args)
            assert isinstance(over, Normal)
            assert isinstance(under, Normal)
            _, rest = forms.split(poly.divide_ratios(over.value, under.value))
            if rest.over and rest not in forms.facts.integral:
                forms.facts.integral.append(rest)


def _keep(known: list[Polynomial], fact: Polynomial) -> None:
    if fact and poly.as_constant(fact) is None and fact not in known:
        known.append(fact)
