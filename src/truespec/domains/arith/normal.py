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

from dataclasses import dataclass, field
from fractions import Fraction

from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.numbers import Number, exact
from truespec.domains.arith.polynomial import Polynomial, Ratio, TooManyTerms
from truespec.domains.arith.terms import Term, reach
from truespec.solvers.limit import Limit

Interval = tuple[Number | None, Number | None]
"""Closed bounds; None is unbounded."""
EVERYWHERE: Interval = (None, None)

Obligation = tuple[object, ...]
"""`("nz", id)`: a polynomial is not zero; `("when", condition, obligation)`: only where a condition holds."""
Condition = tuple[object, ...]
"""`("true",)`, `("false",)`, `("lit", id, polarity)`, `("and"|"or", conditions)`."""

MAX_EXPONENT = 12
"""Higher powers of a sum are not expanded."""
MAX_ATOMS = 400
"""More atoms are not kept: finding one compares with all."""

PATIENCE = 150
"""Facts looked at for one question of integrality."""

TRUE: Condition = ("true",)
FALSE: Condition = ("false",)
NOTHING: frozenset[Obligation] = frozenset()


@dataclass(frozen=True, slots=True)
class Atom:
    """What a polynomial is over."""

    kind: str
    """`var floor trunc round if pow mod`."""
    args: tuple[Ratio, ...] = ()
    """The operands."""
    tag: object = None
    """A variable's name, the decimals of a rounding, the condition of a choice."""
    integral: bool = False
    """Whether it is an integer at every legal point."""
    bounds: Interval = EVERYWHERE
    """Bounds at every legal point."""


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


@dataclass
class Facts:
    """What holds at every legal point, over the atoms of one `Normaliser`."""

    integral: list[Ratio] = field(default_factory=list)
    """Integers."""
    fractional: list[Ratio] = field(default_factory=list)
    """Not integers."""
    nonzero: list[Polynomial] = field(default_factory=list)
    """Not zero."""
    positive: list[Polynomial] = field(default_factory=list)
    """Greater than zero."""
    nonnegative: list[Polynomial] = field(default_factory=list)
    """At least zero."""


class Normaliser:
    """Normal forms of terms over shared atoms."""

    def __init__(self, kinds: dict[str, str]) -> None:
        self.kinds = kinds
        self.atoms: list[Atom] = []
        self.facts = Facts()
        self.substitutions: dict[str, Polynomial] = {}
        self.variable_atoms: dict[str, int] = {}
        self.literals: list[tuple[str, Ratio]] = []
        self.zeros: list[Polynomial] = []
        self.known: dict[int, Normal | Logical] = {}
        self.limit: Limit | None = None
        self.integrality: dict[tuple[object, object], bool] = {}
        self.patience = PATIENCE
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
                return Normal(self.quotient(a, b), needs | self._nonzero(b))
            case "//", (Normal(a), Normal(b)):
                return Normal(self._floor(self.quotient(a, b)), needs | self._nonzero(b))
            case "%", (Normal(a), Normal(b)):
                low = self._floor(self.quotient(a, b))
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
                return Logical(self._is_integral(a), needs)
            case "divides", (Normal(a), Normal(b)):
                return Logical(self._is_integral(self.quotient(a, b)), needs | self._nonzero(b))
            case "not", (Logical(a),):
                return Logical(negate(a), needs)
            case "and", (Logical(a), Logical(b)):
                return Logical(conjoin(a, b), args[0].needs | guarded(a, args[1].needs))
            case "or", (Logical(a), Logical(b)):
                return Logical(disjoin(a, b), args[0].needs | guarded(negate(a), args[1].needs))
            case "if", (Logical(c), a, b):
                branches = guarded(c, a.needs) | guarded(negate(c), b.needs)
                needs = args[0].needs | _merged(branches)
                if isinstance(a, Logical) and isinstance(b, Logical):
                    return Logical(disjoin(conjoin(c, a.value), conjoin(negate(c), b.value)), needs)
                assert isinstance(a, Normal)
                assert isinstance(b, Normal)
                return Normal(self._choice(c, a.value, b.value), needs)
        raise AssertionError(term.op)

    # --- operations -----------------------------------------------------------------------------------

    def quotient(self, a: Ratio, b: Ratio) -> Ratio:
        if not b.over:
            return poly.whole({})  # undefined: the obligation cannot be met
        return poly.multiply_ratios(a, poly.ratio(b.under, b.over))

    def _power(self, a: Ratio, b: Ratio, needs: frozenset[Obligation]) -> Normal:
        exponent = poly.as_constant(b.over) if b.is_polynomial() else None
        if isinstance(exponent, int) and abs(exponent) <= MAX_EXPONENT:
            result = poly.whole(poly.constant(1))
            for _ in range(abs(exponent)):
                result = poly.multiply_ratios(result, a)
            if exponent >= 0:
                return Normal(result, needs)
            return Normal(self.quotient(poly.whole(poly.constant(1)), result), needs | self._nonzero(a))
        if self.sign(b) not in ("+", "0+", "0"):
            needs = needs | guarded(self._less(b), self._nonzero(a))
        integral = self._integral(a) and self.sign(b) in ("+", "0+", "0")
        return Normal(self._atom(Atom("pow", (a, b), None, integral)), needs)

    def _floor(self, a: Ratio) -> Ratio:
        if self._integral(a):
            return a
        part, rest = self.split(a)
        constant = poly.as_constant(rest.over) if rest.is_polynomial() else None
        if constant is not None:
            return poly.whole(poly.plus(part, poly.constant(constant.numerator // constant.denominator)))
        low, high = self.bounds(rest)
        bounds = (None if low is None else _floor(low), None if high is None else _floor(high))
        if bounds[0] is not None and bounds[0] == bounds[1]:
            return poly.whole(poly.plus(part, poly.constant(bounds[0])))
        multiple = self._least_multiple(rest)
        if multiple is not None:
            return poly.add_ratios(poly.whole(part), multiple)
        atom = self._atom(Atom("floor", (rest,), None, True, bounds))
        return poly.add_ratios(poly.whole(part), atom)

    def _least_multiple(self, a: Ratio) -> Ratio | None:
        """The floor of `c * f` for an integer fact f, as `floor(c) * f`, where the rest is in [0, 1)."""
        for fact in self.facts.integral:
            if set(_atoms(fact)) == set(_atoms(a)):
                ratio = self.quotient(a, fact)
                factor = poly.as_constant(ratio.over) if ratio.is_polynomial() else None
                if factor is not None:
                    low = poly.whole(poly.constant(_floor(factor)))
                    multiple = poly.multiply_ratios(low, fact)
                    rest = poly.add_ratios(a, multiple, -1)
                    above = poly.add_ratios(poly.whole(poly.constant(1)), rest, -1)
                    if self.sign(rest) in ("+", "0+", "0") and self.sign(above) == "+":
                        return multiple
        return None

    def _truncated(self, a: Ratio) -> Ratio:
        if self._integral(a):
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
        if self._integral(scaled):
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
            Atom("if", (a, b), condition, self._integral(a) and self._integral(b), self._hull(a, b))
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
                        return self._is_integral(subject)
        return None

    def _is_integral(self, a: Ratio) -> Condition:
        if self._integral(a):
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
        left, x = poly.primitive(a.over)
        right, y = poly.primitive(b.over)
        factor = Fraction(x) / y
        if kind == "<" and factor < 0:
            return False
        del left, right
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

    # --- facts ----------------------------------------------------------------------------------------

    def sign(self, a: Ratio) -> str:
        """`+ - 0`, `0+ 0-` (or zero), `!` (not zero) or `?`, at every legal point where it is defined."""
        top = self._sign(a.over)
        if a.is_polynomial() or top == "0":
            return top
        return _multiplied(top, self._sign(a.under))

    def _sign(self, a: Polynomial) -> str:
        constant = poly.as_constant(a)
        if constant is not None:
            return "0" if constant == 0 else "+" if constant > 0 else "-"
        low, high = self._range(a)
        found = _sign_of(low, high)
        if found in ("+", "-"):
            return found
        shared = poly.common_monomial(a)
        if shared and (len(a) > 1 or len(shared) > 1):
            # A product has the sign of its factors.
            rest = {
                m: c
                for m, c in ((poly.divide_monomials(m, shared), c) for m, c in a.items())
                if m is not None
            }
            product = self._sign(rest)
            for index, exponent in shared:
                factor = self._sign(poly.atom(index))
                for _ in range(1 if exponent % 2 else 2):
                    product = _multiplied(product, factor)
            if product != "?":
                return product
        form, factor_ = poly.primitive(a)
        for strict, facts in (("+", self.facts.positive), ("0+", self.facts.nonnegative)):
            for fact in facts:
                for sense in (1, -1):
                    shown = self._exceeds(scale_(a, sense), fact)
                    if shown:
                        sign = "+" if strict == "+" or shown == "+" else "0+"
                        return sign if sense == 1 else sign.replace("+", "-")
        del factor_
        if any(form == other for other in self.facts.nonzero):
            return "!"
        if found in ("?", "0+", "0-") and any(self._misses(a, fact) for fact in self.facts.fractional):
            return {"0+": "+", "0-": "-"}.get(found, "!")
        return found

    def _misses(self, a: Polynomial, fact: Ratio) -> bool:
        """Whether `a == 0` would make a fraction of the facts an integer."""
        if not fact.is_polynomial():
            return False
        for monomial, coefficient in fact.over.items():
            if monomial and monomial in a:
                factor = exact(-Fraction(coefficient) / a[monomial])
                _, rest = self.split(poly.whole(poly.plus(fact.over, a, factor)))
                return not rest.over
        return False

    def _exceeds(self, a: Polynomial, fact: Polynomial) -> str:
        """`+` or `0+` where `a - c * fact` has that sign for some `c > 0`, else nothing."""
        for monomial, coefficient in fact.items():
            if monomial and monomial in a:
                factor = Fraction(a[monomial]) / coefficient
                if factor > 0:
                    rest = poly.plus(a, fact, exact(-factor))
                    found = _sign_of(*self._range(rest)) if rest else "0+"
                    if found in ("+", "0+", "0"):
                        return "+" if found == "+" else "0+"
        return ""

    def bounds(self, a: Ratio) -> Interval:
        """Bounds on the value at every legal point."""
        low, high = self._range(a.over)
        if a.is_polynomial():
            return low, high
        under = self._range(a.under)
        if _sign_of(*under) != "+":
            return EVERYWHERE
        inverse: Interval = (
            0 if under[1] is None else exact(1 / Fraction(under[1])),
            None if under[0] is None or under[0] <= 0 else exact(1 / Fraction(under[0])),
        )
        return _product((low, high), inverse)

    def _range(self, a: Polynomial) -> Interval:
        low: Number | None = 0
        high: Number | None = 0
        for monomial, coefficient in a.items():
            span: Interval = (coefficient, coefficient)
            for index, exponent in monomial:
                bounds = self.atoms[index].bounds
                span = _product(span, _powered(bounds, exponent))
            low = None if low is None or span[0] is None else low + span[0]
            high = None if high is None or span[1] is None else high + span[1]
        return low, high

    def _integral(self, a: Ratio) -> bool:
        """Whether the constraints and the form make it an integer."""
        _, rest = self.split(a)
        if not rest.over:
            return True
        key = (frozenset(rest.over.items()), frozenset(rest.under.items()))
        known = self.integrality.get(key)
        if known is None:
            self.patience = PATIENCE
            known = self.integrality[key] = self._combines(rest, 3)
        return known

    def split(self, a: Ratio) -> tuple[Polynomial, Ratio]:
        """`a` as an integer-valued polynomial plus a rest."""
        if not a.is_polynomial():
            return {}, a
        part: Polynomial = {}
        rest: Polynomial = {}
        for monomial, coefficient in a.over.items():
            if all(self.atoms[index].integral for index, _ in monomial):
                low = coefficient.numerator // coefficient.denominator
                left = exact(coefficient - low)
                if low:
                    part[monomial] = low
                if left:
                    rest[monomial] = left
            else:
                rest[monomial] = coefficient
        return part, poly.whole(rest)

    def _combines(self, a: Ratio, depth: int) -> bool:
        """Whether `a` is an integer combination of integral facts and integer-valued polynomials."""
        for fact in self.facts.integral:
            self.patience -= 1
            if self.patience < 0:
                return False
            if depth > 1 and self._is_product(a, fact):
                return True
            for multiple in self._multiples(a, fact):
                rest = poly.add_ratios(a, poly.multiply_ratios(multiple, fact), -1)
                _, rest = self.split(rest)
                if not rest.over:
                    return True
                if depth > 1 and len(rest.over) < len(a.over) and self._combines(rest, depth - 1):
                    return True
        return False

    def _is_product(self, a: Ratio, fact: Ratio) -> bool:
        """Whether `a` is the fact times another combination of facts."""
        if not set(_atoms(fact)) <= set(_atoms(a)):
            return False
        other = self.quotient(a, fact)
        if len(other.over) >= len(a.over) and len(other.under) >= len(a.under) and other.under != a.under:
            return False
        _, rest = self.split(other)
        return not rest.over or self._combines(rest, 1)

    def _multiples(self, a: Ratio, fact: Ratio) -> list[Ratio]:
        """Integer-valued factors of the fact that may cancel something of `a`."""
        found: list[Ratio] = []
        if a.under == fact.under:
            for monomial, coefficient in a.over.items():
                for other, divisor in fact.over.items():
                    quotient = poly.divide_monomials(monomial, other)
                    if quotient is None or not all(self.atoms[index].integral for index, _ in quotient):
                        continue
                    factor = Fraction(coefficient) / divisor
                    candidates = {factor} if factor.denominator == 1 else set()
                    if a.is_polynomial() and not quotient and factor.denominator != 1:
                        # a = c * f modulo 1 for an integer c.
                        solved = _congruence(Fraction(divisor), Fraction(coefficient))
                        candidates = {Fraction(solved)} if solved is not None else set()
                    found.extend(poly.whole({quotient: c.numerator}) for c in candidates if c)
        whole = self.quotient(a, fact)
        if whole.is_polynomial():
            part, rest = self.split(whole)
            if not rest.over:
                found.append(poly.whole(part))
        unique: list[Ratio] = []
        for each in found:
            if each.over and each not in unique:
                unique.append(each)
        return unique[:12]


def _atoms(a: Ratio) -> list[int]:
    return [index for monomial in (*a.over, *a.under) for index, _ in monomial]


def scale_(a: Polynomial, factor: int) -> Polynomial:
    """A polynomial or its negation."""
    return a if factor == 1 else poly.scale(a, factor)


def _replaced(a: Polynomial, index: int, value: Polynomial) -> Polynomial:
    """`a` with the atom `index` read as `value`."""
    total: Polynomial = {}
    for monomial, coefficient in a.items():
        part = {tuple((i, e) for i, e in monomial if i != index): coefficient}
        for _ in range(dict(monomial).get(index, 0)):
            part = poly.times(part, value)
        total = poly.plus(total, part)
    return total


def _congruence(divisor: Fraction, target: Fraction) -> int | None:
    """The least positive `c` with `c * divisor - target` an integer."""
    scale = divisor.denominator * target.denominator // _gcd(divisor.denominator, target.denominator)
    a, b = int(divisor * scale), int(target * scale)
    common = _gcd(a, scale)
    if b % common:
        return None
    modulus = scale // common
    return (b // common * pow(a // common, -1, modulus)) % modulus if modulus > 1 else 1


def _gcd(a: int, b: int) -> int:
    from math import gcd

    return gcd(a, b)


def _negated(a: Ratio) -> Ratio:
    return Ratio(poly.scale(a.over, -1), a.under)


def _floor(a: Number) -> int:
    return a.numerator // a.denominator


def _sign_of(low: Number | None, high: Number | None) -> str:
    if low is not None and low > 0:
        return "+"
    if high is not None and high < 0:
        return "-"
    if low == 0:
        return "0" if high == 0 else "0+"
    return "0-" if high == 0 else "?"


def _multiplied(a: str, b: str) -> str:
    if "0" in (a, b):
        return "0"
    if "?" in (a, b):
        return "?"
    if "!" in (a, b):
        other = b if a == "!" else a
        return "!" if other in ("!", "+", "-") else "?"
    sign = "+" if a[-1] == b[-1] else "-"
    return ("0" if "0" in a + b else "") + sign


def _product(a: Interval, b: Interval) -> Interval:
    infinite = Fraction(1, 1)
    del infinite
    ends: list[tuple[int, Number]] = []
    for x, x_sign in ((a[0], -1), (a[1], 1)):
        for y, y_sign in ((b[0], -1), (b[1], 1)):
            if x is not None and y is not None:
                ends.append((0, x * y))
            elif x is None and y is None:
                ends.append((x_sign * y_sign, 0))
            else:
                finite, sign = (y, x_sign) if x is None else (x, y_sign)
                assert finite is not None
                ends.append((0, 0) if finite == 0 else (sign if finite > 0 else -sign, 0))
    low, high = min(ends), max(ends)
    return (None if low[0] < 0 else exact(low[1])), (None if high[0] > 0 else exact(high[1]))


def _powered(a: Interval, exponent: int) -> Interval:
    result = a
    for _ in range(exponent - 1):
        result = _product(result, a)
    if exponent % 2 == 0 and (result[0] is None or result[0] < 0):
        return 0, result[1]
    return result


# --- conditions ---------------------------------------------------------------------------------------


def negate(a: Condition) -> Condition:
    """`not a`, with negations at the literals."""
    match a:
        case ("true",):
            return FALSE
        case ("false",):
            return TRUE
        case ("lit", index, polarity):
            return ("lit", index, not polarity)
        case ("and" | "or" as op, parts):
            assert isinstance(parts, frozenset)
            return ("or" if op == "and" else "and", frozenset(map(negate, parts)))
    raise AssertionError(a)


def conjoin(a: Condition, b: Condition) -> Condition:
    """`a and b`."""
    return _join("and", a, b, TRUE, FALSE)


def disjoin(a: Condition, b: Condition) -> Condition:
    """`a or b`."""
    return _join("or", a, b, FALSE, TRUE)


def _join(op: str, a: Condition, b: Condition, neutral: Condition, absorbing: Condition) -> Condition:
    parts: set[Condition] = set()
    for each in (a, b):
        if each == absorbing:
            return absorbing
        if each[0] == op:
            assert isinstance(each[1], frozenset)
            parts |= each[1]
        elif each != neutral:
            parts.add(each)
    if any(negate(each) in parts for each in parts if each[0] == "lit"):
        return absorbing
    if len(parts) > 64:
        raise TooManyTerms("a condition too large to normalise")
    if not parts:
        return neutral
    return next(iter(parts)) if len(parts) == 1 else (op, frozenset(parts))


def guarded(condition: Condition, needs: frozenset[Obligation]) -> frozenset[Obligation]:
    """The obligations that hold good only where the condition holds."""
    if condition == TRUE:
        return needs
    if condition == FALSE:
        return NOTHING
    return frozenset(("when", condition, need) for need in needs)


def _merged(needs: frozenset[Obligation]) -> frozenset[Obligation]:
    """What is needed on both branches is needed."""
    merged = set(needs)
    for need in needs:
        if need[0] == "when":
            condition, inner = need[1], need[2]
            assert isinstance(condition, tuple)
            assert isinstance(inner, tuple)
            if ("when", negate(condition), inner) in merged:
                merged -= {need, ("when", negate(condition), inner)}
                merged.add(inner)
    return frozenset(merged)
