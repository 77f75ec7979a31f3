"""The values that are tried for one variable: all that its own constraints allow, or the simplest of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.context import Context
from truespec.domains.arith.evaluate import compiled
from truespec.domains.arith.normal import Normaliser
from truespec.domains.arith.numbers import Number, TooLarge, exact
from truespec.domains.arith.terms import Term, reach, variables

MAX_LISTED = 4_000
"""A variable of more values is sampled, not listed."""
SMALL = (0, 1, 2, 3, -1, 4, 5, 6, -2, 7, 8, 9, 10, -3, 12, 15, 20, -7, 24, 30, 60, 100, -10, 120, 1000)
FRACTIONS = tuple(
    Fraction(a, b)
    for a, b in ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (1, 5), (3, 2), (2, 5), (-1, 2), (5, 2), (1, 10),
                 (1, 6), (3, 5), (1, 8), (7, 2), (-5, 3), (1, 100), (4, 3))
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choices:
    """The values tried for one variable, simplest first."""

    values: tuple[Number, ...]
    """The values; each satisfies the constraints on this variable alone."""
    complete: bool
    """Whether no other value is legal."""


def literals(terms: Sequence[Term]) -> list[Number]:
    """The constants in these terms."""
    return [
        term.value
        for term in reach(*terms)
        if term.op == "const" and isinstance(term.value, int | Fraction) and not isinstance(term.value, bool)
    ]


def simplicity(value: Number) -> tuple[int, int, bool]:
    """How readable a number is; smaller is simpler."""
    return value.denominator, abs(value.numerator), value < 0


def choices_of(name: str, context: Context, forms: Normaliser, literals: list[Number]) -> Choices:
    """The choices for a variable; `literals` are the numbers near which values are sampled."""
    index = forms.variable_atoms[name]
    atom = forms.atoms[index]
    own = [term for term in context.constraints if variables(term) == [name]]
    tests = [compiled(term, [name]) for term in own]

    incomputable = False

    def fits(value: Number) -> bool:
        nonlocal incomputable
        try:
            return all(test(value) is True for test in tests)
        except TooLarge:
            incomputable = True
            return False

    integer = context.variables[name] == "int"
    low, high = atom.bounds
    listed = _listed(own)
    if listed is not None:
        values = [value for value in listed if fits(value) and (not integer or isinstance(value, int))]
        return Choices(tuple(sorted(set(values), key=simplicity)), not incomputable)
    step, start = _step(forms, index, integer)
    if low is not None and high is not None and step:
        first = -((-(Fraction(low) - start)) // step)
        count = int((Fraction(high) - start) // step - first) + 1
        if count <= MAX_LISTED:
            values = [exact(start + (first + k) * step) for k in range(max(0, count))]
            if integer:
                values = [value for value in values if isinstance(value, int)]
            kept = tuple(sorted(filter(fits, values), key=simplicity))
            return Choices(kept, not incomputable)
    return Choices(_sampled(low, high, step, start, integer, literals, fits), False)


def _sampled(
    low: Number | None,
    high: Number | None,
    step: Fraction,
    start: Fraction,
    integer: bool,
    literals: list[Number],
    fits: Callable[[Number], bool],
) -> tuple[Number, ...]:
    seeds: list[Number] = list(SMALL)
    for anchor in (low, high, *sorted(set(literals), key=simplicity)[:20]):
        if anchor is not None:
            seeds += [exact(anchor + d) for d in (0, 1, -1, 2, 3, 5)] + [exact(-anchor)]
    if not integer:
        seeds += list(FRACTIONS)
        if low is not None and high is not None:
            seeds += [exact(low + Fraction(high - low) * k / 12) for k in range(13)]
        seeds += [exact(Fraction(value, 2)) for value in seeds[:20]]
    generator = random.Random(7)
    if low is not None or high is not None:
        origin = low if low is not None else high
        assert origin is not None
        sense = 1 if low is not None else -1
        span = int(high - low) if low is not None and high is not None else 1000
        seeds += [exact(origin + sense * k) for k in range(30)]
        seeds += [exact(origin + sense * generator.randint(0, max(1, span))) for _ in range(100)]
    if step:
        seeds += [exact(start + ((value - start) // step) * step) for value in seeds]
        base = (Fraction(low) - start) // step if low is not None else -((start) // step)
        seeds += [exact(start + (base + k) * step) for k in range(40)]
    kept = {exact(value) for value in seeds}
    return tuple(
        sorted(
            (
                value
                for value in kept
                if (low is None or value >= low)
                and (high is None or value <= high)
                and (not integer or isinstance(value, int))
                and fits(value)
            ),
            key=simplicity,
        )
    )


def _listed(own: Sequence[Term]) -> list[Number] | None:
    """The values of a constraint that lists them: `x == 1 or x == 2`."""
    for term in own:
        values: list[Number] = []
        waiting = [term]
        while waiting:
            part = waiting.pop()
            if part.op == "or":
                waiting.extend(part.args)
                continue
            a, b = part.args if part.op == "==" else (part, part)
            constant, variable = (a, b) if a.op == "const" else (b, a)
            if (
                constant.op != "const"
                or variable.op != "var"
                or not isinstance(constant.value, int | Fraction)
            ):
                break
            values.append(constant.value)
        else:
            return values
    return None


def _step(forms: Normaliser, index: int, integer: bool) -> tuple[Fraction, Fraction]:
    """`(step, start)`: every legal value is `start + k * step` for an integer k; a step of 0 is none."""
    best = (Fraction(1), Fraction(0)) if integer else (Fraction(0), Fraction(0))
    unit = ((index, 1),)
    for fact in forms.facts.integral:
        if fact.is_polynomial() and set(fact.over) <= {unit, poly.ONE} and unit in fact.over:
            slope, offset = Fraction(fact.over[unit]), Fraction(fact.over.get(poly.ONE, 0))
            step = 1 / abs(slope)
            if step > best[0]:
                best = (step, -offset / slope)
    return best
