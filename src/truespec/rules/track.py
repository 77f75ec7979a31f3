"""One obligation of one rule, compiled: what it reads of an event, and how its state moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.predicate import Predicate, bound_values, stuck_at
from truespec.rules.progress import Machine
from truespec.rules.rule import Formal
from truespec.rules.slices import Key
from truespec.traces.event import Event
from truespec.verdict import Incomplete

MOST_KEYS = 4096
"""Combinations of values that one event may speak of; more are given up."""


class Track:
    """One obligation of one rule, compiled."""

    __slots__ = (
        "atoms",
        "bind",
        "binds_arguments",
        "bits",
        "fixed",
        "formal",
        "idle",
        "indexed",
        "looks_ahead",
        "looks_back",
        "machine",
        "names",
        "number",
        "over",
        "paths",
        "rule",
        "skips",
        "start",
        "when",
    )

    def __init__(
        self, number: int, rule: int, formal: Formal, which: int, bit: Callable[[Predicate], int]
    ) -> None:
        obligation = formal.obligations[which]
        self.number = number
        self.rule = rule
        self.formal = formal
        self.machine = Machine(obligation.require)
        self.atoms = sorted(
            {node.atom for node in f.walk(obligation.require) if node.kind in (f.ATOM, f.NOT_ATOM)}
        )
        self.when = -1 if obligation.when is None else bit(obligation.when)
        own = [(formal.predicates[a], 1 << a) for a in self.atoms]
        self.bits = [(bit(q), mask) for q, mask in own if not p.variables(q)]
        self.bind = [(q, mask) for q, mask in own if p.variables(q)]
        self.names = sorted({name for q, _ in self.bind for name in p.variables(q)})
        self.paths = sorted({(c[2], c[1]) for q, _ in self.bind for c in p.conditions(q) if c[0] == "var"})
        self.indexed = self._can_be_looked_up()
        self.binds_arguments = any(formal.bind[name].startswith("args") for name in self.names)
        self.over = formal.over
        self.start = obligation.when is None
        self.fixed = obligation.require is f.F
        kinds = {node.kind for node in f.walk(obligation.require)}
        self.looks_ahead = not kinds.isdisjoint(f.FUTURE)
        self.looks_back = not kinds.isdisjoint(f.PAST)
        self.skips = _skips_nothing(obligation.require)
        self.idle: dict[tuple[int, tuple[int, ...]], bool] = {}

    def _can_be_looked_up(self) -> bool:
        """Whether the values that an event holds tell which combinations it speaks of.

        Each name has at most one value, and with several names an event that lacks one of them is to a
        combination like any event that has none.
        """
        if any("*" in self.formal.bind[name] for name in self.names):
            return False
        for predicate, _ in self.bind:
            if any(c[0] == "text var" for c in p.conditions(predicate)):
                return False
            parts = predicate[1:] if predicate[0] == "and" else (predicate,)
            if len(self.names) > 1 and {c[2] for c in parts if c[0] == "var"} != set(self.names):
                return False
        return True

    def values(self, event: Event) -> dict[str, frozenset[str]]:
        """What the bound names stand for in an obligation that starts here."""
        return {name: _bound(event, self.formal.bind[name]) for name in self.names}

    def keys(self, event: Event) -> Iterator[Key]:
        """The combinations that an event could speak of."""
        if len(self.paths) == 1:
            for value in bound_values(event, self.paths[0][1]):
                yield (value,)
            return
        found: dict[str, set[str]] = {name: set() for name in self.names}
        for name, path in self.paths:
            found[name] |= bound_values(event, path)
        count = 1
        for values in found.values():
            count *= len(values)
        if count > MOST_KEYS:
            raise Incomplete(
                f"one event speaks of {count} combinations of bound values; read are {MOST_KEYS}"
            )
        yield from product(*(sorted(found[name]) for name in self.names))

    def of_key(self, key: Key) -> Mapping[str, frozenset[str]]:
        """A combination as values of the names."""
        return {
            name: frozenset() if value is None else frozenset([value])
            for name, value in zip(self.names, key, strict=True)
        }


def _bound(event: Event, path: str) -> frozenset[str]:
    """What a name is bound to at an event; `Incomplete` where its path cannot be followed."""
    found = bound_values(event, path)
    inner = path.removeprefix("args.")
    if not found and "." in inner and (why := stuck_at(event.args, inner)):
        raise Incomplete(f"message {event.index}, {event.tool}: {why}")
    return found


def _skips_nothing(formula: f.Formula) -> bool:
    """Whether an event of which no atom holds can never change the value of a formula at another event.

    So it is where every temporal operator is U, R, S or T over states, and passes such an event by.
    """
    for node in f.walk(formula):
        if node.kind in f.PAST or node.kind in f.FUTURE:
            if len(node.items) != 2 or not all(f.is_state(item) for item in node.items):
                return False
            left, right = (_holds_of_nothing(item) for item in node.items)
            if (left, right) != ((True, False) if node.kind in (f.UNTIL, f.SINCE) else (False, True)):
                return False
    return True


def _holds_of_nothing(formula: f.Formula) -> bool:
    """Whether a state formula holds of an event of which no atom holds."""
    if formula.kind == f.AND:
        return all(_holds_of_nothing(item) for item in formula.items)
    if formula.kind == f.OR:
        return any(_holds_of_nothing(item) for item in formula.items)
    return formula.kind in (f.TRUE, f.NOT_ATOM)
