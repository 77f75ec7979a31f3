"""One pass of a rule set over one trace, complete or still going on.

On line, a pass can look ahead: between `begin_trial` and `end_trial` it takes events and then forgets them.
Only what these events touch is saved, so that the cost does not depend on what came before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from truespec.rules import predicate as p
from truespec.rules.compiled import CompiledRules
from truespec.rules.finding import Violation, cut, effect_of, quote_of
from truespec.rules.predicate import Predicate, bound_values
from truespec.rules.progress import FAILED, PASSED
from truespec.rules.scan import Scan, Values
from truespec.rules.slices import Key, Report, Rope, Slices, events_of, joined
from truespec.rules.track import Track
from truespec.traces.event import Event
from truespec.traces.trace import Trace
from truespec.verdict import Undecided

MOST_NOTES = 20
"""Notes about values that are kept for one rule and trace."""


class _State:
    """A track's state along one trace."""

    __slots__ = ("activations", "begun", "pending", "registers", "scan", "slices")

    def __init__(self) -> None:
        self.registers = 0
        self.pending: dict[int, Rope] = {}
        self.begun = False
        self.activations = 0
        self.slices: Slices | None = None
        self.scan: Scan | None = None

    def saved(self) -> _State:
        """A copy to go back to; what has many parts keeps a journal instead."""
        made = _State()
        made.registers, made.pending, made.begun = self.registers, self.pending, self.begun
        made.activations, made.slices, made.scan = self.activations, self.slices, self.scan
        part = made.slices or made.scan
        if part is not None:
            part.begin()
        return made

    def owed(self) -> Iterator[tuple[int, Rope]]:
        """Every residual that is open, with the events at which it had begun."""
        yield from self.pending.items()
        part = self.slices or self.scan
        if part is not None:
            yield from part.owed()


class _Saved:
    """What a trial has touched, as it was before."""

    def __init__(self, run: Run) -> None:
        self.states: dict[int, _State | None] = {}
        self.restless = set(run.restless)
        self.wanted = run.wanted
        self.lost = dict(run.lost)
        self.last = run.last
        self.quotes = run.quotes
        self.unread = dict(run.unread)
        self.marks = [coded.mark() for coded in run.rules.coded.values()]


class Run:
    """One pass of a rule set over one trace, complete or still going on."""

    def __init__(self, rules: CompiledRules, trace: Trace | None = None, pairing: str = "nearest") -> None:
        self.rules = rules
        self.trace = trace
        self._tracks, self.wanted = rules.tracks_of(pairing)
        self._states: list[_State | None] = [None] * len(rules.tracks)
        self._found: dict[int, list[tuple[Event, Event | None]]] = {}
        for made in rules.coded.values():
            made.start(trace)
        self.quotes = rules.quotes = {}
        self._coded = tuple(rules.coded.values())
        self.restless = {t.number for t in self._tracks if t.start or not _is_idle(t, _State())}
        """The tracks that an event may change that means nothing to them."""
        self.last: Event | None = None
        self.fresh: list[tuple[int, Event, Event | None]] = []
        """Breaches that nobody has taken note of yet: the rule, where it began, where it became certain."""
        self.lost: dict[int, str] = {}
        """Rules that were given up, with the reason."""
        self.notes: dict[int, list[str]] = {}
        """For each rule, values that were read otherwise than they stand there, with their places."""
        self.unread: dict[int, str] = {}
        """For each rule, a value that a condition could not be compared with, the last one."""
        self.doubtful: dict[int, str] = {}
        """For each rule, the first such value that has happened, with its place."""
        self._saved: _Saved | None = None

    def read(self, stream: Iterable[Event]) -> None:
        """Take every event of a stream."""
        for event in stream:
            self.take(event)

    def take(self, event: Event) -> None:
        """Take the next event."""
        plan = self.rules.plan(event)
        if plan.lost:
            for rule, reason in plan.lost.items():
                self.lose(rule, reason)
        mask = plan.sure
        for number, test in plan.open:
            try:
                if test(event):
                    mask |= 1 << number
            except Undecided as undecided:
                for rule in self.rules.users[number]:
                    self.lose(rule, undecided.message)
        rows = plan.rows(mask)
        if self.restless:
            touched = {track.number for track, _, _ in rows}
            for number in list(self.restless):
                if number not in touched and plan.active[number]:
                    self._step(self.rules.tracks[number], 0, False, event)
        for track, letter, starts in rows:
            if track.number in self.wanted:
                self._step(track, letter, starts, event)
        for coded in self._coded:
            coded.see(event)
        if event.notes:
            for condition, (text, read) in event.notes.items():
                for rule in self.rules.speakers(condition):
                    self._note(rule, event, text, read)
        if plan.alike and (self.trace is None or self.trace.tools is None):
            for rule, text in plan.alike.items():
                self._note(rule, event, f"{text}; give the agent's tools if it is another one", False)
        if event.call is not None and event.call.arguments is None:
            for rule in plan.readers:
                self._note(rule, event, "the arguments are no JSON object, so they cannot be compared", False)
        self.last = event

    def _note(self, rule: int, event: Event, text: str, read: bool) -> None:
        """Keep what was noted about a value, for a rule that asks about it."""
        if not read:
            self.unread[rule] = f"{event.tool}: {text}"
        if self._saved is None:
            place = f"message {event.index}, {event.tool}: {text}"
            if not read:
                self.doubtful.setdefault(rule, place)
            noted = self.notes.setdefault(rule, [])
            if len(noted) < MOST_NOTES:
                noted.append(place)

    def begin_trial(self) -> None:
        """From now on, events are taken to be forgotten again."""
        self._saved = _Saved(self)
        self.quotes = self.rules.quotes = {}

    def end_trial(self) -> None:
        """Forget every event since `begin_trial`."""
        saved = self._saved
        assert saved is not None
        for number, state in saved.states.items():
            self._states[number] = state
            part = (state.slices or state.scan) if state is not None else None
            if part is not None:
                part.roll_back()
        self.restless, self.wanted = saved.restless, saved.wanted
        self.lost, self.unread, self.last = saved.lost, saved.unread, saved.last
        self.quotes = self.rules.quotes = saved.quotes
        for coded, mark in zip(self._coded, saved.marks, strict=True):
            coded.rewind(mark)
        self.fresh.clear()
        self._saved = None

    def lose(self, rule: int, reason: str) -> None:
        """Give a rule up: some condition of it cannot be decided here."""
        if rule not in self.lost:
            self.lost[rule] = reason
            gone = {track.number for track in self._tracks if track.rule == rule}
            self.wanted -= gone
            self.restless -= gone

    def _step(self, track: Track, letter: int, starts: bool, event: Event) -> None:
        number = track.number
        state = self._states[number]
        if self._saved is not None and number not in self._saved.states:
            self._saved.states[number] = None if state is None else state.saved()
        if state is None:
            state = self._states[number] = _State()
        try:
            if track.bind:
                self._step_bound(track, state, letter, starts, event)
            else:
                self._step_plain(track, state, letter, starts, event)
        except Undecided as undecided:
            self.lose(track.rule, undecided.message)

    def _step_plain(self, track: Track, state: _State, letter: int, starts: bool, event: Event) -> None:
        if track.fixed and not track.start:
            if starts:
                state.activations += 1
                self._report(track, event, event)
            return
        registers = state.registers
        pending = state.pending
        machine = track.machine
        if pending:
            state.pending = self._moved(track, pending, registers, letter, event)
        if track.start and not state.begun:
            starts = state.begun = True
        after, spawned = machine.step(registers, letter)
        if starts:
            state.activations += 1
            if spawned == FAILED:
                self._report(track, event, event)
            elif spawned != PASSED:
                state.pending = {**state.pending, spawned: joined(state.pending.get(spawned), event)}
        elif not pending and after == registers:
            return
        state.registers = after
        if _is_idle(track, state):
            self.restless.discard(track.number)
        else:
            self.restless.add(track.number)

    def _moved(
        self, track: Track, pending: dict[int, Rope], registers: int, letter: int, event: Event
    ) -> dict[int, Rope]:
        moved: dict[int, Rope] = {}
        for residual, origins in pending.items():
            target = track.machine.move(residual, registers, letter)
            if target == FAILED:
                self._report(track, origins, event)
            elif target != PASSED:
                moved[target] = joined(moved.get(target), origins)
        return moved

    def _step_bound(self, track: Track, state: _State, letter: int, starts: bool, event: Event) -> None:
        def report(origins: Rope) -> None:
            self._report(track, origins, event)

        if starts:
            state.activations += 1
        try:
            self._step_instances(track, state, letter, starts, event, report)
        finally:
            if not track.skips:
                (self.restless.discard if _is_idle(track, state) else self.restless.add)(track.number)

    def _step_instances(
        self, track: Track, state: _State, letter: int, starts: bool, event: Event, report: Report
    ) -> None:
        if not track.indexed:
            if state.scan is None:
                letter_of = partial(_letter, self.rules, track)
                state.scan = Scan(track.machine, track.looks_ahead, track.looks_back, letter_of)
            state.scan.step(letter, track.values(event) if starts else None, event, report)
            return
        if state.slices is None:
            state.slices = Slices(track.machine, track.looks_back)
        base = _letter(self.rules, track, event, letter, dict.fromkeys(track.names, _NOTHING))
        letters: dict[Key, int] = {}
        for key in track.keys(event):
            if track.looks_back or key in state.slices:
                mine = _letter(self.rules, track, event, letter, track.of_key(key))
                if mine != base:
                    letters[key] = mine
        start: Key | None = None
        if starts:
            values = track.values(event)
            start = tuple(next(iter(values[name]), None) for name in track.names)
            letters[start] = _letter(self.rules, track, event, letter, values)
        state.slices.step(base, letters, start, event, report)

    def _report(self, track: Track, origins: Rope, at: Event | None) -> None:
        for origin in events_of(origins):
            self.fresh.append((track.rule, origin, at))
            if self._saved is None:
                self._found.setdefault(track.rule, []).append((origin, at))

    def owed(self) -> Iterator[tuple[int, Event]]:
        """What would be a breach if the trace ended now: each rule with the event to blame."""
        for track in self._tracks:
            if track.number not in self.wanted:
                continue
            state = self._states[track.number]
            if state is None:
                if track.start and not track.machine.empty_holds:
                    yield track.rule, self.last or Event("message", 0, "system", trace=self.trace)
                continue
            for residual, origins in state.owed():
                if not track.machine.ends_well(residual):
                    for origin in events_of(origins):
                        yield track.rule, (self.last or origin) if track.start else origin

    def finish(self) -> None:
        """The trace has ended: what is still owed is a breach."""
        for rule, origin in list(self.owed()):
            self.fresh.append((rule, origin, None))
            self._found.setdefault(rule, []).append((origin, None))

    def activity(self) -> dict[int, int]:
        """For each rule that had something to say, how many events have started an obligation."""
        found: dict[int, int] = {}
        for number, state in enumerate(self._states):
            if state is not None and state.activations:
                rule = self.rules.tracks[number].rule
                found[rule] = found.get(rule, 0) + state.activations
        return found

    def forget(self) -> None:
        """Let go of all states of a run that has ended; what was found is kept."""
        for state in self._states:
            if state is not None and state.slices is not None:
                state.slices.forget()
        self._states = []

    def broken(self) -> frozenset[int]:
        """The rules with a breach."""
        return frozenset(self._found)

    def violations_of(self, index: int) -> list[Violation]:
        """The breaches of one rule so far, in the order of messages."""
        made = [
            violation
            for origin, at in self._found.get(index, ())
            for violation in self.violations(index, origin, at)
        ]
        made.sort(key=lambda v: (v.message_index, -1 if v.call is None else v.call))
        return made

    def violations(self, index: int, origin: Event, at: Event | None) -> list[Violation]:
        """A breach in words; a coded check may find several things at one event."""
        rule = self.rules.rules[index]
        base = Violation(
            rule.id,
            rule.violation or rule.category,
            origin.index,
            quote_of(origin),
            rule.severity,
            effect_of(origin),
            call=origin.number if origin.kind == "call" else None,
            known_at=None if at is None else at.index,
        )
        for coded in self.rules.coded_of[index]:
            quotes = self.quotes.get((origin.index, origin.number, coded))
            if quotes:
                return [replace(base, quote=cut(quote)) for quote in quotes]
        return [base]


def _letter(rules: CompiledRules, track: Track, event: Event, letter: int, values: Values) -> int:
    """The letter of an event for one choice of bound values."""
    for predicate, bit in track.bind:
        if _holds_bound(rules, predicate, event, values):
            letter |= bit
    return letter


def _holds_bound(rules: CompiledRules, predicate: Predicate, event: Event, values: Values) -> bool:
    def test(condition: Predicate) -> bool:
        if condition[0] == "var":
            bound = values[condition[2]]
            return bool(bound) and not bound.isdisjoint(bound_values(event, condition[1]))
        if condition[0] == "text var":
            return event.text is not None and any(v and v in event.text for v in values[condition[2]])
        return rules.test_of(condition)(event)

    return p.evaluate(predicate, test)


_NOTHING: frozenset[str] = frozenset()


def _is_idle(track: Track, state: _State) -> bool:
    """Whether an event that means nothing to the track leaves its state as it is."""
    if track.start and not state.begun:
        return False
    if track.bind:
        if track.skips:
            return True
        return track.indexed and state.slices is not None and state.slices.idle()
    machine = track.machine
    key = (state.registers, tuple(state.pending))
    known = track.idle.get(key)
    if known is None:
        registers = state.registers
        known = track.idle[key] = machine.step(registers, 0)[0] == registers and all(
            machine.move(residual, registers, 0) == residual for residual in state.pending
        )
    return known
