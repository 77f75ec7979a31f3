"""The runs of tools among the messages: each a result at its call.

A run is the result of the call with its identifier; without one, of the open call with the same tool and
arguments, then of the earliest open call of that tool. A run that answers no call is a call of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.outcomes import outcome_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.repeats import same, sums_up
from truespec.traces.importers.shared import tool_call, value_text
from truespec.traces.importers.threads import canonical, outcome_key
from truespec.traces.importers.tool_runs import ERROR, ToolRun, as_arguments, raised, tool_run
from truespec.traces.trace import Message, ToolCall, ToolSchema

FILLED = "arguments that a reply does not tell are those of the call as a later request repeats it"
GIVEN = "calls of which no reply tells any argument were given what their tools' runs were given"
LATEST = 50
"""How many of the latest results a message is compared with."""
DECLARED = "a span of no tool's kind with the name of a declared tool and arguments of its is a run of it"
NAMED = "a span of no tool's kind with the name and the arguments of an open call is that call's run"
COUNTED = "a tool's run and a call that is named after the tool and a number, with its result, are one"


@dataclass(slots=True)
class Entry:
    """A message with the span that brought it."""

    message: Message
    span: str
    guessed: bool = False
    """Whether its call was chosen without an identifier."""
    run: ToolRun | None = None
    """The tool's run that waits for its call."""
    past: bool = False
    """Whether a request's history told it, no reply."""
    thread: int | None = None
    """The thread that it was put in."""


def _among(call: ToolCall, given: Any) -> bool:
    """Whether what a call asks with is among what a tool was given; defaults may stand beside it."""
    asked = call.arguments
    if not asked or not isinstance(given, Mapping):
        return False
    return all(key in given and given[key] == value for key, value in asked.items())


class Runs:
    """The messages so far, with the calls and results among them."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.entries: list[Entry] = []
        self.known: Counter[tuple[Any, ...]] = Counter()
        """How often each call and result with an identifier was taken."""
        self.calls: dict[str, ToolCall] = {}
        self.answered: set[str] = set()
        self.given: Counter[str] = Counter()
        """Texts of results that tools' spans gave, for inputs that repeat them without identifiers."""
        self.outputs: list[str] = []
        """Texts of results that tools' spans gave, in order."""
        self.raised: dict[str, str | None] = {}
        """What tools' spans without a result raised."""
        self.ran_with: dict[str, Mapping[str, Any]] = {}
        """What the runs of calls were given."""
        self.places: dict[str, Entry] = {}
        """Where each span stands."""
        self.alone: set[str] = set()
        """Calls that only their runs tell of."""
        self.filled: set[str | None] = set()
        """Calls whose arguments a later request told."""
        self.adopted: dict[int, tuple[ToolCall, ToolCall]] = {}
        """Calls that took the identifier of their run's span, as they were and as they are, by the object."""

    def add_run(self, raw: RawSpan) -> None:
        run = tool_run(raw)
        entry = Entry(Message("tool", None, tool=run.name, position=raw.id), raw.id, run=run)
        text, failed = outcome_of(run.output)
        why = raw.attributes.get(ERROR)
        if raw.failed and text in ("{}", "[]", ""):
            text = None  # what was raised stands in an event, or in the next request
        if text is None and raw.failed:
            self.raised[raw.id] = raised(raw) or value_text(why)
        extra = {"error": why} if why is not None and why != text else None
        entry.message = replace(entry.message, text=text, error=True if raw.failed else failed, extra=extra)
        self.places[raw.id] = entry
        call = self._call_for(run, raw.id)
        if call is not None and call.id in self.answered:
            del self.places[raw.id]
            self.places[raw.id] = next(e for e in reversed(self.entries) if e.message.call_id == call.id)
            return
        if call is not None and (twin := self._unnamed(call, text)) is not None:
            error = entry.message.error if twin.message.error is None else twin.message.error
            twin.message = replace(twin.message, extra=twin.message.extra or extra, error=error)
            self._answer(twin, call, run.identifier is None)
            self.places[raw.id] = twin
            return
        if call is not None:
            self._answer(entry, call, run.identifier is None)
        self.entries.append(entry)
        self.given[outcome_key(text)] += 1
        self.outputs += [text or "", self.raised.get(raw.id) or ""]
        if isinstance(run.output, Mapping | list):
            self.outputs.append(repr(run.output))  # as a history in Python's notation repeats it

    def _unnamed(self, call: ToolCall, text: str | None) -> Entry | None:
        """The result that a history told before, without an identifier, of what a call's run gave."""
        told = outcome_key(text)
        return next(
            (
                entry
                for entry in self.entries
                if entry.run is None
                and entry.message.role == "tool"
                and entry.message.call_id is None
                and entry.message.tool == call.name
                and outcome_key(entry.message.text) == told
            ),
            None,
        )

    def runs_tool(self, raw: RawSpan, declared: Mapping[str, ToolSchema]) -> str | None:
        """The rule by which a span of no tool's kind is the run of one: by an open call, or by its schema."""
        if self._runs_call(raw):
            return NAMED
        tool = declared.get(raw.name)
        known = tool.parameters.get("properties") if tool and tool.parameters else None
        if not isinstance(known, Mapping) or not known:
            return None
        given = tool_run(raw).arguments
        return DECLARED if isinstance(given, Mapping) and given and given.keys() <= known.keys() else None

    def _runs_call(self, raw: RawSpan) -> bool:
        """Whether a span of no tool's kind has the name of an open call and was given its arguments."""
        names = (raw.name, raw.name.rpartition(".")[2])  # a method's name stands behind that of its class
        if not any(call.name in names for entry in self.entries for call in entry.message.calls):
            return False
        run = tool_run(raw)
        found = self._open_call(run)
        if found is None or not isinstance(run.arguments, Mapping):
            return False
        return found[1].arguments == {} or _among(found[1], run.arguments)

    def _call_for(self, run: ToolRun, span: str) -> ToolCall | None:
        """The call that a tool's run carries out; one without an identifier gets that of the run."""
        if run.identifier is not None and run.identifier in self.calls:
            return self.calls[run.identifier]
        found = self._open_call(run)
        if found is None or found[1].id is not None:
            return None if found is None else found[1]
        entry, call = found
        named = replace(call, id=run.identifier or span)
        entry.message = replace(
            entry.message, calls=tuple(named if other is call else other for other in entry.message.calls)
        )
        self.calls[str(named.id)] = named
        if run.identifier is None:
            self.adopted[id(call)] = (call, named)
        return named

    def rename(self, call: ToolCall, identifier: str) -> None:
        """Give a call, and its result, the identifier that a later request tells in place of a span's."""
        named = replace(call, id=identifier)
        for entry in self.entries:
            message = entry.message
            if call in message.calls:
                calls = tuple(named if other == call else other for other in message.calls)
                entry.message = replace(message, calls=calls)
            elif message.call_id == call.id:
                entry.message = replace(message, call_id=identifier)
        self.calls[identifier] = named
        self.known[("call", identifier, call.name)] += 1
        if call.id in self.answered:
            self.answered.add(identifier)
            self.known[("result", identifier)] += 1

    def _answer(self, entry: Entry, call: ToolCall, guessed: bool) -> None:
        identifier = call.id
        if entry.run is not None and identifier is not None and isinstance(entry.run.arguments, Mapping):
            self.ran_with[identifier] = entry.run.arguments
        entry.message = replace(entry.message, call_id=identifier, tool=call.name)
        entry.guessed, entry.run = guessed, None
        if guessed:
            rule = "a tool's span without an identifier answers the open call with its tool and arguments"
            self.notes.ledger.rules[rule] += 1
        if identifier is not None:
            self.answered.add(identifier)
            self.known[("result", identifier)] += 1

    def _open_call(self, run: ToolRun) -> tuple[Entry, ToolCall] | None:
        """The open call of a tool: with the same arguments, else with some of them, else the earliest."""
        names = {run.name, run.name.rpartition(".")[2], run.name.removeprefix("running tool: ")}
        # What a reply has just asked for runs, rather than what a history repeats without its results.
        waiting = [
            (entry, call)
            for entry in sorted(self.entries, key=lambda entry: entry.past)
            for call in entry.message.calls
            if call.name in names
            and (call.id is None or (run.identifier is None and call.id not in self.answered))
        ]
        given = canonical(run.arguments)
        same = next((found for found in waiting if canonical(found[1].arguments) == given), None)
        part = same or next((found for found in waiting if _among(found[1], run.arguments)), None)
        return part or (waiting[0] if waiting else None)

    def settle(self, models: bool) -> None:
        """Tools' spans that still wait: their call came later, or they are calls of their own."""
        made: list[Entry] = []
        late: list[tuple[ToolCall, Entry]] = []
        lonely: list[str] = []
        told: set[int] = set()
        for entry in self.entries:
            run = entry.run
            if run is None:
                made.append(entry)
                continue
            call = self._call_for(run, entry.span)
            if call is not None and call.id in self.answered:
                continue  # the result stands with its call, which only a later span holds
            if call is not None:
                self._answer(entry, call, run.identifier is None)
                late.append((call, entry))
                continue
            twin = self._told_later(entry, run, told) or self._counted(entry, run, told)
            if twin is not None:
                self.places[entry.span] = twin
                continue
            identifier = run.identifier or entry.span
            call = tool_call(run.name, as_arguments(run.arguments), identifier)
            if run.arguments is None:
                call = replace(call, arguments=None, raw="")  # the exporter keeps no content
            self.calls[identifier] = call
            self.alone.add(identifier)
            lonely.append(run.name)
            made.append(Entry(Message("assistant", None, (call,), position=entry.span), entry.span))
            self._answer(entry, call, False)
            made.append(entry)
        self.entries = made
        for call, entry in late:
            self.behind(call.id, entry)
        self._give()
        for entry in self.entries:
            if entry.message.role == "tool" and entry.message.text is None:
                entry.message = replace(entry.message, text=self.raised.get(entry.span))
        if lonely:
            self.notes.ledger.rules["a tool's span that answers no recorded call is a call of its own"] += (
                len(lonely)
            )
        if lonely and models:
            names = ", ".join(f"{name} ({count})" for name, count in sorted(Counter(lonely).items()))
            self.notes.ledger.problem(
                self.notes.place,
                f"{len(lonely)} tool spans answer no call that a model made: {names}; "
                "each is taken as a call of its own",
            )

    def _give(self) -> None:
        """What runs were given, where an exporter writes no arguments of any call in any reply."""
        told = [c for e in self.entries for c in e.message.calls if c.id not in self.alone]
        if any(call.arguments is None or call.arguments or call.raw for call in told):
            return
        given = {call.id: arguments for call in told if (arguments := self.ran_with.get(str(call.id)))}
        for entry in self.entries if given else ():
            calls = tuple(
                replace(call, arguments=dict(given[call.id])) if call.id in given else call
                for call in entry.message.calls
            )
            entry.message = replace(entry.message, calls=calls)
        if given:
            self.notes.ledger.assumed[GIVEN] += len(given)

    def _told_later(self, entry: Entry, run: ToolRun, told: set[int]) -> Entry | None:
        """The result in a later request's history that this run gave, where no reply recorded its call."""
        after = self.entries[self.entries.index(entry) + 1 :]
        calls = {
            call.id
            for e in after
            for call in e.message.calls
            if same(call, run.name, as_arguments(run.arguments))
        }
        given, why = outcome_key(entry.message.text), self.raised.get(entry.span)
        for other in after:
            message = other.message
            if message.role != "tool" or message.call_id not in calls or id(other) in told:
                continue
            raised = entry.message.text is None and why is not None and why in (message.text or "")
            if other.run is None and (raised or outcome_key(message.text) == given):
                told.add(id(other))
                other.message = replace(message, error=message.error or entry.message.error, tool=run.name)
                rule = "a tool's run and the call and result that a later request repeats are one"
                self.notes.ledger.rules[rule] += 1
                return other
        return None

    def _counted(self, entry: Entry, run: ToolRun, told: set[int]) -> Entry | None:
        """The result of a call that an exporter named after its tool and a number, where this run gave it."""
        calls = {
            call.id
            for e in self.entries
            for call in e.message.calls
            if call.id is not None
            and call.id.rpartition("_")[0] == call.name
            and call.id.rpartition("_")[2].isdigit()
            and same(call, run.name, as_arguments(run.arguments))
        }
        given = outcome_key(entry.message.text)
        for other in self.entries:
            message = other.message
            if other.run is None and id(other) not in told and message.call_id in calls:
                if message.role == "tool" and outcome_key(message.text) == given:
                    told.add(id(other))
                    other.message = replace(
                        message, error=message.error or entry.message.error, tool=run.name
                    )
                    self.notes.ledger.rules[COUNTED] += 1
                    return other
        return None

    def fill(self, message: Message, identifier: str) -> None:
        """Take arguments that a reply left out, or garbled, from a later request that repeats the call."""
        told = next((call for call in message.calls if call.id == identifier), None)
        entry = next((e for e in self.entries if any(c.id == identifier for c in e.message.calls)), None)
        if told is None or told.arguments is None or entry is None:
            return
        made = tuple(
            replace(call, arguments=told.arguments, raw=None) if call.id == identifier else call
            for call in entry.message.calls
        )
        entry.message = replace(entry.message, calls=made)
        self.calls[identifier] = next(call for call in made if call.id == identifier)
        self.filled.add(identifier)
        self.notes.ledger.rules[FILLED] += 1

    def correct(self, message: Message, number: int) -> None:
        """A result with its identifier settles what a tool's span without one was guessed to answer.

        It also says what a failed run told the model; it is the result with this number of those named so.
        """
        same = [entry for entry in self.entries if entry.message.call_id == message.call_id]
        for entry in same[number - 1 : number]:
            silent = entry.message.text is None and not sums_up(message.text, self.outputs[-LATEST:])
            if entry.guessed or silent:
                entry.message = replace(entry.message, text=message.text)
                entry.guessed = False

    def answers_behind(self, spans: set[str]) -> None:
        """Results behind their calls, where these spans tell all that was said at once."""
        told = {call.id for e in self.entries if e.span in spans for call in e.message.calls}
        for entry in [e for e in self.entries if e.message.role == "tool" and e.message.call_id in told]:
            self.entries = [other for other in self.entries if other is not entry]
            self.behind(entry.message.call_id, entry)

    def behind(self, identifier: str | None, entry: Entry) -> None:
        """Put a result behind its call and the results that already stand there."""
        places = (i for i, e in enumerate(self.entries) for c in e.message.calls if c.id == identifier)
        after = next(places, len(self.entries) - 1) + 1
        while after < len(self.entries) and self.entries[after].message.role == "tool":
            after += 1
        self.entries.insert(after, entry)
