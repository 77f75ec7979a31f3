"""Normal forms: rational functions over variables and opaque atoms, under the facts of the constraints.

A term becomes a quotient of polynomials together with its *obligations*, the conditions under which it is
defined. Two terms with one normal form and the same obligations are equal at every point in scope:

- Atoms are variables and applications of floor, truncation, rounding, choice and powers. Two applications
  share an atom only where their operands are one rational function over the same denominator, or over
  denominators that the constraints keep from zero, so an atom stands for one total function.
- Facts are what the constraints say at every legal point: bounds, signs, integrality, and polynomials that
  are not zero because a constraint divides by them. They justify dropping an obligation, a floor or a
  choice, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.conditions import (
    FALSE,
    NOTHING,
    TRUE,
    Condition,
    Obligation,
    conjoin,
    disjoin,
    guarded,
    merged,
    negate,
)
from truespec.domains.arith.intervals import Interval, floor
from truespec.domains.arith.knowledge import Atom, Knowledge, atoms_of
from truespec.domains.arith.numbers import exact
from truespec.domains.arith.polynomial import Polynomial, Ratio, TooManyTerms
from truespec.domains.arith.terms import Term, reach
from truespec.solvers.limit import Limit

MAX_EXPONENT = 12
"""Higher powers of a sum are not expanded."""
MAX_ATOMS = 400
"""More atoms are not kept: finding one compares with all."""


@dataclass(frozen=True, slots=True)
class Normal:
    """A number's normal form."""

    value: Ratio
    """The rational function."""
    needs: frozenset[Obligation] = NOTHING
    """Where it is defined."""


@dataclass(frozen=True, slots=True)
class Logical:
    """A condition's normal form."""

    value: Condition
    """The condition."""
    needs: frozenset[Obligation] = NOTHING
    """Where it is defined."""


class Normaliser(Knowledge):
    """Normal forms of terms over shared atoms."""

    def __init__(self, kinds: dict[str, str]) -> None:
        super().__init__()
        self.kinds = kinds
        self.substitutions: dict[str, Polynomial] = {}
        self.variable_atoms: dict[str, int] = {}
        self.literals: list[tuple[str, Ratio]] = []
        self.zeros: list[Polynomial] = []
        self.known: dict[int, Normal | Logical] = {}
        self.limit: Limit | None = None
        for name, kind in kinds.items():
            self.variable_atoms[name] = len(self.atoms)
            self.atoms.append(Atom("var", (), name, kind == "int"))

    # --- terms ----------------------------------------------------------------------------------------

    def normal(self, term: Term) -> Normal | Logical:
        """The normal form of a term; `TooManyTerms` where it would be too large."""
        for each in reach(term):
            if each.index not in self.known:
                if self.limit is not None:
                    self.limit.check()
                self.known[each.index] = self._step(each, [self.known[arg.index] for arg in each.args])
        return self.known[term.index]

    def occurs(self, monomial: poly.Monomial) -> set[int]:
        """The atoms that a monomial depends on, through the operands of its atoms too."""
        found: set[int] = set()
        waiting = [index for index, _ in monomial]
        while waiting:
            index = waiting.pop()
            if index not in found:
                found.add(index)
                atom = self.atoms[index]
                for arg in atom.args:
                    for inner in (*arg.over, *arg.under):
                        waiting.extend(i for i, _ in inner)
                waiting.extend(self._mentioned(atom.tag))
        return found

    def _mentioned(self, condition: object) -> list[int]:
        if not isinstance(condition, tuple):
            return []
        if condition[0] == "lit":
            _, subject = self.literals[condition[1]]
            return [i for inner in (*subject.over, *subject.under) for i, _ in inner]
        if condition[0] in ("and", "or"):
            return [i for part in condition[1] for i in self._mentioned(part)]
        return []

    def substitute(self, name: str, value: Polynomial) -> None:
        """Read a variable as this polynomial, which equals it at every legal point."""
        index = self.variable_atoms[name]
        self.substitutions = {
            other: _replaced(known, index, value) for other, known in self.substitutions.items()
        }
        self.substitutions[name] = value
        self.forget()

    def forget(self) -> None:
        """Drop what was computed before new facts arrived; it stays true, but was computed without them."""
        self.known.clear()
        self.integrality.clear()

    def _step(self, term: Term, args: list[Normal | Logical]) -> Normal | Logical:
        needs = frozenset().union(*(arg.needs for arg in args)) if args else NOTHING
        match term.op, args:
            case "const", _:
                if isinstance(term.value, bool):
                    return Logical(TRUE if term.value else FALSE)
                assert isinstance(term.value, int | Fraction)
                return Normal(poly.whole(poly.constant(term.value)))
            case "var", _:
                name = str(term.value)
                replaced = self.substitutions.get(name)
                return Normal(
                    poly.whole(poly.atom(self.variable_atoms[name]) if replaced is None else replaced)
                )
            case "neg", (Normal(a),):
                return Normal(_negated(a), needs)
            case "+", (Normal(a), Normal(b)):
                return Normal(poly.add_ratios(a, b), needs)
            case "-", (Normal(a), Normal(b)):
                return Normal(poly.add_ratios(a, b, -1), needs)
            case "*", (Normal(a), Normal(b)):
                return Normal(poly.multiply_ratios(a, b), needs)
            case "/", (Normal(a), Normal(b)):
                return Normal(poly.divide_ratios(a, b), needs | self._nonzero(b))
            case "//", (Normal(a), Normal(b)):
                return Normal(self._floor(poly.divide_ratios(a, b)), needs | self._nonzero(b))
            case "%", (Normal(a), Normal(b)):
                low = self._floor(poly.divide_ratios(a, b))
                rest = poly.add_ratios(a, poly.multiply_ratios(b, low), -1)
                return Normal(rest, needs | self._nonzero(b))
            case "**", (Normal(a), Normal(b)):
                return self._power(a, b, needs)
            case "floor", (Normal(a),):
                return Normal(self._floor(a), needs)
            case "ceil", (Normal(a),):
                return Normal(_negated(self._floor(_negated(a))), needs)
            case "int", (Normal(a),):
                return Normal(self._truncated(a), needs)
            case "round", (Normal(a),):
                assert isinstance(term.value, int)
                return Normal(self._rounded(a, term.value), needs)
            case "abs", (Normal(a),):
                return Normal(self._choice(self._less(a), _negated(a), a), needs)
            case (("min" | "max"), _):
                values = [arg.value for arg in args if isinstance(arg, Normal)]
                return Normal(self._extreme(term.op, values), needs)
            case "<", (Normal(a), Normal(b)):
                return Logical(self._less(poly.add_ratios(a, b, -1)), needs)
            case "<=", (Normal(a), Normal(b)):
                return Logical(negate(self._less(poly.add_ratios(b, a, -1))), needs)
            case "==", (Normal(a), Normal(b)):
                return Logical(self._equal(poly.add_ratios(a, b, -1)), needs)
            case "!=", (Normal(a), Normal(b)):
                return Logical(negate(self._equal(poly.add_ratios(a, b, -1))), needs)
            case (("==" | "!="), (Logical(a), Logical(b))):
                same = disjoin(conjoin(a, b), conjoin(negate(a), negate(b)))
                return Logical(same if term.op == "==" else negate(same), needs)
            case "is_int", (Normal(a),):
                return Logical(self._integrality(a), needs)
            case "divides", (Normal(a), Normal(b)):
                return Logical(self._integrality(poly.divide_ratios(a, b)), needs | self._nonzero(b))
            case "not", (Logical(a),):
                return Logical(negate(a), needs)
            case "and", (Logical(a), Logical(b)):
                return Logical(conjoin(a, b), args[0].needs | guarded(a, args[1].needs))
            case "or", (Logical(a), Logical(b)):
                return Logical(disjoin(a, b), args[0].needs | guarded(negate(a), args[1].needs))
            case "if", (Logical(c), a, b):
                branches = guarded(c, a.needs) | guarded(negate(c), b.needs)
                needs = args[0].needs | merged(branches)
                if isinstance(a, Logical) and isinstance(b, Logical):
                    return Logical(disjoin(conjoin(c, a.value), conjoin(negate(c), b.value)), needs)
                assert isinstance(a, Normal)
                assert isinstance(b, Normal)
                return Normal(self._choice(c, a.value, b.value), needs)
        raise AssertionError(term.op)

    # --- operations -----------------------------------------------------------------------------------

    def _power(self, a: Ratio, b: Ratio, needs: frozenset[Obligation]) -> Normal:
        exponent = poly.as_constant(b.over) if b.is_polynomial() else None
        if isinstance(exponent, int) and abs(exponent) <= MAX_EXPONENT:
            result = poly.whole(poly.constant(1))
            for _ in range(abs(exponent)):
                result = poly.multiply_ratios(result, a)
            if exponent >= 0:
                return Normal(result, needs)
            return Normal(poly.divide_ratios(poly.whole(poly.constant(1)), result), needs | self._nonzero(a))
        if self.sign(b) not in ("+", "0+", "0"):
            needs = needs | guarded(self._less(b), self._nonzero(a))
        integral = self.is_integral(a) and self.sign(b) in ("+", "0+", "0")
        return Normal(self._atom(Atom("pow", (a, b), None, integral)), needs)

    def _floor(self, a: Ratio) -> Ratio:
        if self.is_integral(a):
            return a
        part, rest = self.split(a)
        constant = poly.as_constant(rest.over) if rest.is_polynomial() else None
        if constant is not None:
            return poly.whole(poly.plus(part, poly.constant(constant.numerator // constant.denominator)))
        low, high = self.bounds(rest)
        bounds = (None if low is None else floor(low), None if high is None else floor(high))
        if bounds[0] is not None and bounds[0] == bounds[1]:
            return poly.whole(poly.plus(part, poly.constant(bounds[0])))
        multiple = self._least_multiple(rest)
        if multiple is not None:
            return poly.add_ratios(poly.whole(part), multiple)
        mirrored = self.mirrored(rest)
        if mirrored is not None:
            sign_changed = _negated(self._floor(mirrored[1]))
            return poly.add_ratios(poly.whole(poly.plus(part, mirrored[0])), sign_changed)
        atom = self._atom(Atom("floor", (rest,), None, True, bounds))
        return poly.add_ratios(poly.whole(part), atom)

    def _least_multiple(self, a: Ratio) -> Ratio | None:
        """The floor of `c * f` for an integer fact f, as `floor(c) * f`, where the rest is in [0, 1)."""
        for fact in self.facts.integral:
            if set(atoms_of(fact)) == set(atoms_of(a)):
                ratio = poly.divide_ratios(a, fact)
                factor = poly.as_constant(ratio.over) if ratio.is_polynomial() else None
                if factor is not None:
                    low = poly.whole(poly.constant(floor(factor)))
                    multiple = poly.multiply_ratios(low, fact)
                    rest = poly.add_ratios(a, multiple, -1)
                    above = poly.add_ratios(poly.whole(poly.constant(1)), rest, -1)
                    if self.sign(rest) in ("+", "0+", "0") and self.sign(above) == "+":
                        return multiple
        return None

    def _truncated(self, a: Ratio) -> Ratio:
        if self.is_integral(a):
            return a
        match self.sign(a):
            case "+" | "0+" | "0":
                return self._floor(a)
            case "-" | "0-":
                return _negated(self._floor(_negated(a)))
        return self._choice(self._less(a), _negated(self._floor(_negated(a))), self._floor(a))

    def _rounded(self, a: Ratio, decimals: int) -> Ratio:
        factor = Fraction(10) ** decimals
        scaled = poly.multiply_ratios(a, poly.whole(poly.constant(exact(factor))))
        if self.is_integral(scaled):
            return a
        constant = poly.as_constant(scaled.over) if scaled.is_polynomial() else None
        if constant is not None:
            rounded = poly.whole(poly.constant(round(Fraction(constant))))
        else:
            rounded = self._atom(Atom("round", (scaled,), None, True))
        return poly.multiply_ratios(rounded, poly.whole(poly.constant(exact(1 / factor))))

    def _extreme(self, op: str, values: list[Ratio]) -> Ratio:
        best = values[0]
        for other in values[1:]:
            # min(a, b) = b where b < a. A fixed order of operands makes min(a, b) and min(b, a) one form.
            smaller = self._less(poly.add_ratios(other, best, -1))
            best = self._choice(smaller, other, best) if op == "min" else self._choice(smaller, best, other)
        return best

    def _choice(self, condition: Condition, a: Ratio, b: Ratio) -> Ratio:
        if condition == TRUE or self._same_total(a, b):
            return a
        if condition == FALSE:
            return b
        if condition[0] == "or" or (condition[0] == "lit" and not condition[2]):
            condition, a, b = negate(condition), b, a
        if condition[0] == "lit":
            kind, subject = self.literals[int(str(condition[1]))]
            apart = poly.add_ratios(a, b, -1)
            if kind == "<" and apart.under == subject.under:
                form, factor = poly.primitive(subject.over)
                if factor < 0 and poly.primitive(apart.over)[0] == form:
                    # a == b where the subject is 0, so `subject < 0` may be read as `not (-subject < 0)`.
                    condition, a, b = ("lit", self._literal("<", _negated(subject)), True), b, a
        return self._atom(
            Atom("if", (a, b), condition, self.is_integral(a) and self.is_integral(b), self._hull(a, b))
        )

    def _hull(self, a: Ratio, b: Ratio) -> Interval:
        (low, high), (low2, high2) = self.bounds(a), self.bounds(b)
        return (
            None if low is None or low2 is None else min(low, low2),
            None if high is None or high2 is None else max(high, high2),
        )

    def _less(self, a: Ratio) -> Condition:
        """`a < 0`."""
        match self.sign(a):
            case "-":
                return TRUE
            case "+" | "0+" | "0":
                return FALSE
            case "!" if a.over and poly.primitive(a.over)[1] < 0:
                return (
                    "lit",
                    self._literal("<", _negated(a)),
                    False,
                )  # never zero: one form of a < 0, -a > 0
        return ("lit", self._literal("<", a), True)

    def _equal(self, a: Ratio) -> Condition:
        """`a == 0`."""
        match self.sign(a):
            case "0":
                return TRUE
            case "+" | "-" | "!":
                return FALSE
        integer = self._as_integrality(a)
        return ("lit", self._literal("==", a), True) if integer is None else integer

    def _as_integrality(self, a: Ratio) -> Condition | None:
        """`c * (t - floor(t)) == 0` says that t is an integer."""
        for monomial, coefficient in a.over.items():
            if len(monomial) == 1 and monomial[0][1] == 1 and a.is_polynomial():
                atom = self.atoms[monomial[0][0]]
                if atom.kind == "floor":
                    rest = {m: c for m, c in a.over.items() if m != monomial}
                    subject = poly.whole(poly.scale(rest, exact(-1 / Fraction(coefficient))))
                    if self._same_total(subject, atom.args[0]):
                        return self._integrality(subject)
        return None

    def _integrality(self, a: Ratio) -> Condition:
        if self.is_integral(a):
            return TRUE
        _, rest = self.split(a)
        if rest.is_polynomial() and poly.as_constant(rest.over) is not None:
            return FALSE
        return ("lit", self._literal("int", rest), True)

    def _literal(self, kind: str, a: Ratio) -> int:
        for index, (other_kind, other) in enumerate(self.literals):
            if kind == other_kind and self._same_up_to_scale(kind, a, other):
                return index
        if len(self.literals) > MAX_ATOMS:
            raise TooManyTerms("too many conditions")
        self.literals.append((kind, a))
        return len(self.literals) - 1

    def _same_up_to_scale(self, kind: str, a: Ratio, b: Ratio) -> bool:
        if kind == "int":
            if not a.is_polynomial() or not b.is_polynomial():
                return self._same_total(a, b) or self._same_total(_negated(a), b)
            apart = (poly.plus(a.over, b.over, factor) for factor in (1, -1))
            return any(not self.split(poly.whole(each))[1].over for each in apart)
        if not a.over or not b.over:
            return a.over == b.over
        (_, x), (_, y) = poly.primitive(a.over), poly.primitive(b.over)
        factor = Fraction(x) / y
        if kind == "<" and factor < 0:
            return False
        return self._same_total(a, poly.multiply_ratios(b, poly.whole(poly.constant(exact(factor)))))

    def _atom(self, atom: Atom) -> Ratio:
        for index, other in enumerate(self.atoms):
            if (
                other.kind == atom.kind
                and other.tag == atom.tag
                and all(map(self._same_total, other.args, atom.args))
            ):
                return poly.whole(poly.atom(index))
        if len(self.atoms) > MAX_ATOMS:
            raise TooManyTerms("too many subexpressions")
        self.atoms.append(atom)
        return poly.whole(poly.atom(len(self.atoms) - 1))

    def _same_total(self, a: Ratio, b: Ratio) -> bool:
        """Whether the two are one function at every legal point, those with a zero denominator included."""
        if a.under == b.under:
            return a.over == b.over
        return poly.same(a, b) and self._is_nonzero(a.under) and self._is_nonzero(b.under)

    # --- definedness ----------------------------------------------------------------------------------

    def _nonzero(self, a: Ratio) -> frozenset[Obligation]:
        """What makes `a` differ from zero; its denominator is an obligation of its own already."""
        return self.obligations(a.over)

    def obligations(self, a: Polynomial) -> frozenset[Obligation]:
        """The obligation that a polynomial is not zero, split into its obvious factors."""
        if not a:
            return frozenset({("never",)})
        shared = poly.common_monomial(a)
        factors = [poly.atom(index) for index, _ in shared]
        rest = {
            m: c for m, c in ((poly.divide_monomials(m, shared), c) for m, c in a.items()) if m is not None
        }
        if poly.as_constant(rest) is None:
            factors.append(poly.primitive(rest)[0])
        return frozenset(("nz", self._zero(factor)) for factor in factors if not self._is_nonzero(factor))

    def _zero(self, a: Polynomial) -> int:
        if a not in self.zeros:
            self.zeros.append(a)
        return self.zeros.index(a)

    def _is_nonzero(self, a: Polynomial) -> bool:
        if poly.as_constant(a) is not None:
            return bool(a)
        return self.sign(poly.whole(a)) in ("+", "-", "!")


def _replaced(a: Polynomial, index: int, value: Polynomial) -> Polynomial:
    """`a` with the atom `index` read as `value`."""
    total: Polynomial = {}
    for monomial, coefficient in a.items():
        part = {tuple((i, e) for i, e in monomial if i != index): coefficient}
        for _ in range(dict(monomial).get(index, 0)):
            part = poly.times(part, value)
        total = poly.plus(total, part)
    return total


def _negated(a: Ratio) -> Ratio:
    return Ratio(poly.scale(a.over, -1), a.under)
