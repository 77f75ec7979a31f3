"""Running a formula event by event: symbolic derivatives of LTL on finite traces with past.

A *residual* is what is left to show of a formula after some events: a disjunction of conjunctions of
obligations "there is a next event and g holds of it" (strong) or "if there is one, g holds of it" (weak), in
minimal form. Minimal disjunctive forms of positive functions are canonical, so residuals are finitely many
and equal residuals are one number.

Past operators are run by *registers*: the register of `Y a` holds the residual that `a` had at the event
before, the register of `a S b` the one that `a S b` itself had. Where the arguments speak of the past alone,
these are just true or false; where they look ahead, the register is moved along like any residual. So
formulas may mix past and future at will.
"""

from __future__ import annotations

from truespec.rules import formula as f
from truespec.rules.formula import Formula
from truespec.verdict import Incomplete

Residual = frozenset[frozenset[tuple[int, bool]]]
"""Each obligation is the number of a formula, and whether it demands a next event."""

PASSED, FAILED = 1, 0
"""The residuals *true* and *false*, as states."""
MOST_STATES = 20_000
"""A formula that needs more is given up."""
_TRUE: Residual = frozenset([frozenset()])
_FALSE: Residual = frozenset()


class Machine:
    """One formula's states, found as they are met. Letters are sets of atoms as bit masks."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        """The formula that is run."""
        self._nodes = {node.index: node for node in f.walk(formula)}
        self._past = [node for node in self._nodes.values() if node.kind in f.PAST]
        self._order = [node for node in f.walk(formula) if node.kind in f.PAST]
        self._residuals: list[Residual] = [_FALSE, _TRUE]
        self._numbers: dict[Residual, int] = {_FALSE: FAILED, _TRUE: PASSED}
        start = tuple(_TRUE if n.kind in (f.WEAK_YESTERDAY, f.TRIGGERED) else _FALSE for n in self._past)
        self._registers: list[tuple[Residual, ...]] = [start]
        self._register_numbers = {start: 0}
        self._slot = {node.index: position for position, node in enumerate(self._past)}
        self._steps: dict[tuple[int, int], tuple[int, int]] = {}
        self._moves: dict[tuple[int, int, int], int] = {}
        self._ends: dict[int, bool] = {}
        self._memo: dict[tuple[int, int], dict[int, Residual]] = {}
        self._orders: dict[int, list[Formula]] = {}

    def step(self, registers: int, letter: int) -> tuple[int, int]:
        """At an event: the registers after it, and the residual of the formula read here."""
        key = (registers, letter)
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = self._step(registers, letter)
        return found

    def move(self, residual: int, registers: int, letter: int) -> int:
        """What is left of an earlier residual after this event; `registers` are those before the event."""
        if residual <= PASSED:
            return residual
        key = (residual, registers, letter)
        found = self._moves.get(key)
        if found is None:
            found = self._moves[key] = self._number(
                self._advance(self._residuals[residual], registers, letter)
            )
        return found

    def ends_well(self, residual: int) -> bool:
        """Whether a residual holds when no further event comes."""
        known = self._ends.get(residual)
        if known is None:
            clauses = self._residuals[residual]
            known = self._ends[residual] = any(all(not s for _, s in clause) for clause in clauses)
        return known

    @property
    def empty_holds(self) -> bool:
        """Whether the formula holds of a trace without events."""
        return f_at_end(self.formula)

    def _step(self, registers: int, letter: int) -> tuple[int, int]:
        values = self._memo.setdefault((registers, letter), {})
        made = []
        for node in self._past:
            inner = node.items[0] if node.kind in (f.YESTERDAY, f.WEAK_YESTERDAY) else node
            made.append(self._value(inner, registers, letter, values))
        after = tuple(made)
        number = self._register_numbers.get(after)
        if number is None:
            number = self._register_numbers[after] = len(self._registers)
            self._registers.append(after)
            self._guard(len(self._registers))
        return number, self._number(self._value(self.formula, registers, letter, values))

    def _value(self, top: Formula, registers: int, letter: int, values: dict[int, Residual]) -> Residual:
        """The residual of a formula at this event."""
        if top.index not in values:
            order = self._orders.get(top.index)
            if order is None:
                order = self._orders[top.index] = f.walk(top)
            for node in order:
                if node.index not in values:
                    values[node.index] = self._one(node, registers, letter, values)
        return values[top.index]

    def _one(self, node: Formula, registers: int, letter: int, values: dict[int, Residual]) -> Residual:
        kind = node.kind
        if kind <= f.NOT_ATOM:
            if kind <= f.FALSE:
                return _TRUE if kind == f.TRUE else _FALSE
            return _TRUE if bool(letter >> node.atom & 1) == (kind == f.ATOM) else _FALSE
        if kind == f.AND:
            made = _TRUE
            for item in node.items:
                made = _meet(made, values[item.index])
            return made
        if kind == f.OR:
            return _join(*(values[item.index] for item in node.items))
        if kind in (f.NEXT, f.WEAK_NEXT):
            return frozenset([frozenset([(node.items[0].index, kind == f.NEXT)])])
        if kind == f.UNTIL:
            again = frozenset([frozenset([(node.index, True)])])
            return _join(values[node.items[1].index], _meet(values[node.items[0].index], again))
        if kind == f.RELEASE:
            again = frozenset([frozenset([(node.index, False)])])
            return _meet(values[node.items[1].index], _join(values[node.items[0].index], again))
        before = self._advance(self._registers[registers][self._slot[node.index]], registers, letter, values)
        if kind in (f.YESTERDAY, f.WEAK_YESTERDAY):
            return before
        if kind == f.SINCE:
            return _join(values[node.items[1].index], _meet(values[node.items[0].index], before))
        return _meet(values[node.items[1].index], _join(values[node.items[0].index], before))

    def _advance(
        self, residual: Residual, registers: int, letter: int, values: dict[int, Residual] | None = None
    ) -> Residual:
        if residual in (_TRUE, _FALSE):
            return residual
        known = self._memo.setdefault((registers, letter), {}) if values is None else values
        made = _FALSE
        for clause in residual:
            part = _TRUE
            for number, _ in clause:
                part = _meet(part, self._value(self._nodes[number], registers, letter, known))
                if not part:
                    break
            made = _join(made, part)
        return made

    def _number(self, residual: Residual) -> int:
        number = self._numbers.get(residual)
        if number is None:
            number = self._numbers[residual] = len(self._residuals)
            self._residuals.append(residual)
            self._guard(len(self._residuals))
        return number

    def _guard(self, count: int) -> None:
        if count > MOST_STATES:
            raise Incomplete(f"the formula {f.show(self.formula)} needs more than {MOST_STATES} states")


def f_at_end(formula: Formula) -> bool:
    """Whether a formula holds of no events at all."""
    kind = formula.kind
    if kind == f.AND:
        return all(f_at_end(item) for item in formula.items)
    if kind == f.OR:
        return any(f_at_end(item) for item in formula.items)
    return kind in (f.TRUE, f.NOT_ATOM, f.WEAK_NEXT, f.RELEASE, f.WEAK_YESTERDAY, f.TRIGGERED)


def _minimal(clauses: set[frozenset[tuple[int, bool]]]) -> Residual:
    if len(clauses) < 2:
        return frozenset(clauses)
    kept: list[frozenset[tuple[int, bool]]] = []
    for clause in sorted(clauses, key=len):
        if not any(small <= clause for small in kept):
            kept.append(clause)
    return frozenset(kept)


def _join(*parts: Residual) -> Residual:
    clauses: set[frozenset[tuple[int, bool]]] = set()
    for part in parts:
        if part == _TRUE:
            return _TRUE
        clauses |= part
    return _minimal(clauses)


def _meet(left: Residual, right: Residual) -> Residual:
    if left == _TRUE:
        return right
    if right == _TRUE:
        return left
    return _minimal({_strongest(a | b) for a in left for b in right})


def _strongest(clause: frozenset[tuple[int, bool]]) -> frozenset[tuple[int, bool]]:
    """A strong obligation makes every weak one strong: there is a next event, and all hold of it."""
    if any(strong for _, strong in clause) and not all(strong for _, strong in clause):
        return frozenset((number, True) for number, _ in clause)
    return clause
