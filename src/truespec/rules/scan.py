"""Bound names in their general form: wildcards, mentions in texts, several names apart.

`slices.py` is the fast way, for rules whose bound values can be looked up. Here every combination is stepped
at every event, and the past is read backwards; the work grows with the length of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from truespec.rules import formula as f
from truespec.rules.formula import Formula
from truespec.rules.progress import FAILED, PASSED, Machine
from truespec.rules.slices import Report, Rope, joined
from truespec.traces.event import Event

Values = Mapping[str, frozenset[str]]
"""What each bound name stands for."""
Letter = Callable[[Event, int, Values], int]
"""The full letter of an event, given its letter without bound names."""


class _Instance:
    """The state for one choice of bound values."""

    __slots__ = ("pending", "registers", "spawned", "values")

    def __init__(self, values: Values) -> None:
        self.values = values
        self.registers = 0
        self.spawned = PASSED
        self.pending: dict[int, Rope] = {}

    def copy(self) -> _Instance:
        """The same, to be changed apart."""
        made = _Instance(self.values)
        made.registers, made.spawned, made.pending = self.registers, self.spawned, dict(self.pending)
        return made


class Scan:
    """The machines of one obligation, one for each choice of values that has begun."""

    def __init__(self, machine: Machine, looks_ahead: bool, looks_back: bool, letter: Letter) -> None:
        self._machine = machine
        self._looks_ahead, self._looks_back = looks_ahead, looks_back
        self._letter = letter
        self._instances: dict[Any, _Instance] = {}
        self._past: list[tuple[Event, int]] = []
        self._saved: tuple[dict[Any, _Instance], int] | None = None

    def begin(self) -> None:
        """From now on, changes can be taken back."""
        self._saved = self._instances, len(self._past)
        self._instances = {key: one.copy() for key, one in self._instances.items()}

    def roll_back(self) -> None:
        """Take back all changes since `begin`."""
        assert self._saved is not None
        self._instances, length = self._saved
        del self._past[length:]
        self._saved = None

    def step(self, letter: int, starts: Values | None, event: Event, report: Report) -> None:
        """Take an event; `starts` are the values of an obligation that begins here."""
        if not self._looks_ahead:
            self._past.append((event, letter))
            if starts is not None and not self._held(self._machine.formula, starts, len(self._past) - 1):
                report(event)
            return
        for key, instance in list(self._instances.items()):
            if self._looks_back or instance.pending:
                self._step_one(instance, letter, event, report)
            if not self._looks_back and not instance.pending:
                del self._instances[key]
        if starts is not None:
            key = tuple(sorted((name, tuple(sorted(found))) for name, found in starts.items()))
            instance = self._instances.get(key) or _Instance(starts)
            if key not in self._instances:
                self._instances[key] = instance
                for old, old_letter in self._past:
                    self._step_one(instance, old_letter, old, report)
                self._step_one(instance, letter, event, report)
            if instance.spawned == FAILED:
                report(event)
            elif instance.spawned != PASSED:
                instance.pending[instance.spawned] = joined(instance.pending.get(instance.spawned), event)
        if self._looks_back:
            self._past.append((event, letter))

    def owed(self) -> list[tuple[int, Rope]]:
        """Every residual that is open, with the events at which it had begun."""
        return [pair for instance in self._instances.values() for pair in instance.pending.items()]

    def _step_one(self, instance: _Instance, letter: int, event: Event, report: Report) -> None:
        letter = self._letter(event, letter, instance.values)
        machine, registers = self._machine, instance.registers
        moved: dict[int, Rope] = {}
        for residual, origins in instance.pending.items():
            target = machine.move(residual, registers, letter)
            if target == FAILED:
                report(origins)
            elif target != PASSED:
                moved[target] = joined(moved.get(target), origins)
        instance.pending = moved
        instance.registers, instance.spawned = machine.step(registers, letter)

    def _held(self, formula: Formula, values: Values, at: int) -> bool:
        """Whether a formula of the past holds at a position, for one choice of bound values."""
        kind = formula.kind
        if kind in (f.ATOM, f.NOT_ATOM):
            event, letter = self._past[at]
            return bool(self._letter(event, letter, values) >> formula.atom & 1) == (kind == f.ATOM)
        if kind <= f.FALSE:
            return kind == f.TRUE
        items = formula.items
        if kind == f.AND:
            return all(self._held(item, values, at) for item in items)
        if kind == f.OR:
            return any(self._held(item, values, at) for item in items)
        if kind in (f.YESTERDAY, f.WEAK_YESTERDAY):
            return self._held(items[0], values, at - 1) if at else kind == f.WEAK_YESTERDAY
        since = kind == f.SINCE
        for position in range(at, -1, -1):
            if self._held(items[1], values, position) == since:
                return since
            if self._held(items[0], values, position) != since:
                return not since
        return not since
