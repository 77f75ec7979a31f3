"""Rules as formulas over all events, and as states of the engine of `automata`.

A rule becomes one formula of the whole trace, over predicates that are numbered as they come. Rules with
bound names become a formula of one marked event: what that event alone owes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.progress import Machine
from truespec.rules.rule import Formal, Obligation

MARK: p.Predicate = ("mark",)
"""Holds of the one event that the comparison of bound rules is about."""


class Product:
    """Rules as states of the engine: each obligation is run as a formula of the trace as a whole.

    A state is a tuple of what is left of each side; letters are cells, one bit each.
    """

    def __init__(self, sides: Sequence[f.Formula], letters: Sequence[int]) -> None:
        self.machines = [Machine(side) for side in sides]
        self.letters = letters
        self.states: dict[tuple[tuple[int, int], ...], State] = {}
        self.start = self.state(tuple((-1, 0) for _ in sides))

    def state(self, key: tuple[tuple[int, int], ...]) -> State:
        """The one object of a state."""
        found = self.states.get(key)
        if found is None:
            found = self.states[key] = State(key)
        return found

    def settle(self, state: State) -> State:
        """For the engine: states are settled as they are."""
        return state

    def accepts(self, state: State) -> bool:
        """Whether the first side ends well and the second does not."""
        first, *rest = (
            machine.empty_holds if residual < 0 else machine.ends_well(residual)
            for machine, (residual, _) in zip(self.machines, state.key, strict=True)
        )
        return first and not all(rest)

    def step(self, state: State) -> dict[State, int]:
        """The states after each letter."""
        if state.steps is None:
            state.steps = {}
            for bit, letter in enumerate(self.letters):
                key = []
                for machine, (residual, registers) in zip(self.machines, state.key, strict=True):
                    after, started = machine.step(registers, letter)
                    left = started if residual < 0 else machine.move(residual, registers, letter)
                    key.append((left, after if machine.formula.kind != f.TRUE else 0))
                # What is settled for good needs no registers.
                target = self.state(tuple((r, 0) if 0 <= r <= 1 else (r, g) for r, g in key))
                state.steps[target] = state.steps.get(target, 0) | 1 << bit
        return state.steps


class State:
    """A state of the product, compared by identity."""

    __slots__ = ("key", "steps")

    def __init__(self, key: tuple[tuple[int, int], ...]) -> None:
        self.key = key
        self.steps: dict[State, int] | None = None


class Nothing:
    """The empty language beside a product, for the engine's comparison."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.dead = State(())
        self.everything = (1 << len(product.letters)) - 1

    def settle(self, state: State) -> State:
        return state

    def accepts(self, state: State) -> bool:
        return state is not self.dead and self.product.accepts(state)

    def letters(self, _: State) -> None:
        """Only a step can tell."""

    def step(self, state: State) -> dict[State, int]:
        return {self.dead: self.everything} if state is self.dead else self.product.step(state)


def as_formula(formal: Formal, number: Callable[[p.Predicate], int]) -> f.Formula:
    """The rule as one formula of the whole trace, over predicates numbered by `number`."""
    kept = []
    for obligation in formal.obligations:
        require = renumbered(obligation.require, lambda atom: number(formal.predicates[atom]))
        if obligation.when is None:
            kept.append(require)
        elif obligation.when == p.ALWAYS:
            kept.append(f.globally(require))
        else:
            kept.append(f.globally(f.implies(f.atom(number(obligation.when)), require)))
    return f.both(*kept)


def pointed(formal: Formal, number: Callable[[p.Predicate], int], mark: int) -> f.Formula:
    """What the marked event alone owes, and the trace as a whole."""
    kept = []
    for obligation in formal.obligations:
        require = renumbered(obligation.require, lambda atom: number(formal.predicates[atom]))
        if obligation.when is None:
            kept.append(require)
            continue
        when = f.T if obligation.when == p.ALWAYS else f.atom(number(obligation.when))
        kept.append(f.globally(f.implies(f.both(f.atom(mark), when), require)))
    return f.both(*kept)


def renumbered(formula: f.Formula, number: Callable[[int], int]) -> f.Formula:
    """The formula with other numbers for its atoms."""
    made: dict[int, f.Formula] = {}
    for node in f.walk(formula):
        items = tuple(made[item.index] for item in node.items)
        if node.kind == f.ATOM:
            new = f.atom(number(node.atom))
        elif node.kind == f.NOT_ATOM:
            new = f.negation(f.atom(number(node.atom)))
        elif node.kind == f.AND:
            new = f.both(*items)
        elif node.kind == f.OR:
            new = f.either(*items)
        elif node.kind <= f.FALSE:
            new = node
        else:
            build = {
                f.NEXT: f.next_,
                f.WEAK_NEXT: f.weak_next,
                f.YESTERDAY: f.yesterday,
                f.WEAK_YESTERDAY: f.weak_yesterday,
            }
            two = {f.UNTIL: f.until, f.RELEASE: f.release, f.SINCE: f.since, f.TRIGGERED: f.triggered}
            new = build[node.kind](items[0]) if node.kind in build else two[node.kind](items[0], items[1])
        made[node.index] = new
    return made[formula.index]


def over_all(formal: Formal) -> Formal:
    """The same formal part over all events: every operator skips what `over` leaves out."""
    if formal.over == p.ALWAYS:
        return formal
    o = f.atom(len(formal.predicates))
    obligations = []
    for obligation in formal.obligations:
        require = _relative(obligation.require, o)
        if obligation.when is not None:
            obligations.append(Obligation(p.all_of(formal.over, obligation.when), require))
            continue
        first = f.until(f.negation(o), f.both(o, require))
        if Machine(obligation.require).empty_holds:
            first = f.either(first, f.globally(f.negation(o)))
        # Of a trace without any event, "until" is false: the rule's own value is kept.
        obligations.append(Obligation(None, first))
    predicates = (*formal.predicates, formal.over)
    return replace(formal, predicates=predicates, over=p.ALWAYS, obligations=tuple(obligations))


def _relative(formula: f.Formula, o: f.Formula) -> f.Formula:
    """A formula that means, at an event where `o` holds, what it means when only such events count."""
    outside = f.negation(o)
    made: dict[int, f.Formula] = {}
    for node in f.walk(formula):
        a, b = (made[node.items[0].index], made[node.items[-1].index]) if node.items else (f.T, f.T)
        kind = node.kind
        if kind <= f.NOT_ATOM:
            new = node
        elif kind in (f.AND, f.OR):
            new = (f.both if kind == f.AND else f.either)(*(made[item.index] for item in node.items))
        elif kind == f.NEXT:
            new = f.next_(f.until(outside, f.both(o, a)))
        elif kind == f.WEAK_NEXT:
            new = f.weak_next(f.release(o, f.implies(o, a)))
        elif kind == f.YESTERDAY:
            new = f.yesterday(f.since(outside, f.both(o, a)))
        elif kind == f.WEAK_YESTERDAY:
            new = f.weak_yesterday(f.triggered(o, f.implies(o, a)))
        elif kind in (f.UNTIL, f.SINCE):
            new = (f.until if kind == f.UNTIL else f.since)(f.implies(o, a), f.both(o, b))
        else:
            new = (f.release if kind == f.RELEASE else f.triggered)(f.both(o, a), f.implies(o, b))
        made[node.index] = new
    return made[formula.index]
