"""The ledger of loss of one file: what was seen in it, what was taken into traces, what was dropped and why.

Importers note what they leave out while they read; `Ledger.trace` counts what arrived. So `seen` is always
`taken` plus `dropped`, and a file was read without loss where nothing is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.trace import Trace

UNITS = ("spans", "items", "calls", "results")
"""What is counted: spans, messages and other items of conversations, calls of tools, their results."""
SHOWN = 3
"""Places that are named for one reason; further ones are counted."""


AGAIN = "a call that an earlier trace of the file holds, too: a turn in a trace of its own repeats it"
"""The rule by which a call counts in several traces."""
_REMEMBERED = 20_000
"""Calls of earlier traces that a trace is compared with."""
_UNIQUE = 12
"""Characters of an identifier that no other call has."""


@dataclass
class Tally:
    """The units of one kind."""

    taken: int = 0
    """Units that stand in a trace."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Units that stand in no trace, by reason."""
    places: dict[str, list[str]] = field(default_factory=dict)
    """The first places of each reason."""

    @property
    def seen(self) -> int:
        """Units of the source."""
        return self.taken + sum(self.dropped.values())

    def drop(self, reason: str, place: str) -> None:
        """Note a unit that is left out."""
        self.dropped[reason] += 1
        listed = self.places.setdefault(reason, [])
        if len(listed) < SHOWN:
            listed.append(place)


@dataclass
class Ledger:
    """What became of one file."""

    spans: Tally = field(default_factory=Tally)
    """Spans of a source that records spans."""
    items: Tally = field(default_factory=Tally)
    """Messages and other items of conversations."""
    calls: Tally = field(default_factory=Tally)
    """Calls of tools."""
    results: Tally = field(default_factory=Tally)
    """Results of calls."""
    rules: Counter[str] = field(default_factory=Counter)
    """Rules other than identity of identifiers by which something was paired, merged or recovered, by use."""
    assumed: Counter[str] = field(default_factory=Counter)
    """Those of these rules that assume what the source does not say, e.g. an order, by use."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Problems with their places that are not reported yet."""
    unread: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Fields that hold texts which stand in no trace, each with how many there are and the first place."""
    item_named: Callable[[Any], Mapping[str, Any] | None] = field(
        default=lambda _: None, repr=False, compare=False
    )
    """The item of the file with an identifier, for what refers to it."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Further identifiers under which the source shows a call that is taken, with the place."""

    _called: dict[int, None] = field(default_factory=dict, repr=False, compare=False)
    """Identifiers of the latest calls of other traces, by their hashes."""

    def problem(self, place: str, message: str) -> None:
        """Note a problem to report with its place."""
        if (place, message) not in self.problems:
            self.problems.append((place, message))

    def trace(self, trace: Trace) -> None:
        """Count a trace that was read, and check its results."""
        self.spans.taken += len(trace.spans)
        self.items.taken += len(trace.messages)
        place = trace.source.position
        results = 0
        self._note_repeats(trace)
        for message in trace.messages:
            for call in message.calls:
                self.calls.taken += 1
                if call.arguments is None and not call.raw:
                    self.rules["a call whose arguments the source does not hold has none that are known"] += 1
            if message.role == "tool":
                results += 1
        if not results:
            return
        orphans = results - len(trace.results)
        if orphans:
            for index, message in enumerate(trace.messages):
                if message.role == "tool" and index not in trace.origins:
                    name = message.tool or "an unnamed tool"
                    self.problem(
                        f"{place}, message {index}",
                        f"a result of {name} with the identifier {message.call_id!r} answers no call; "
                        "it is kept as it is",
                    )
        self.results.taken += results

    def _note_repeats(self, trace: Trace) -> None:
        own = {
            hash(c.id) for m in trace.messages for c in m.calls if c.id is not None and len(c.id) >= _UNIQUE
        }
        if again := sum(name in self._called for name in own):
            self.rules[AGAIN] += again
        self._called.update(dict.fromkeys(own))
        while len(self._called) > _REMEMBERED:
            del self._called[next(iter(self._called))]

    @property
    def lossless(self) -> bool:
        """Whether nothing was dropped, and no field with a text was left unread."""
        return not self.unread and not any(getattr(self, unit).dropped for unit in UNITS)

    def record(self) -> dict[str, Any]:
        """The ledger as plain JSON values."""
        made: dict[str, Any] = {}
        for unit in UNITS:
            tally: Tally = getattr(self, unit)
            made[unit] = {"seen": tally.seen, "taken": tally.taken, "dropped": dict(tally.dropped)}
            if tally.places:
                made[unit]["places"] = tally.places
        if self.unread:
            made["unread"] = {
                name: {"texts": count, "place": place} for name, (count, place) in self.unread.items()
            }
        return {**made, "rules": dict(self.rules), "assumed": dict(self.assumed), "lossless": self.lossless}

    def lines(self) -> list[str]:
        """The ledger in words, one line for each kind of unit that the file holds."""
        made = []
        for unit in UNITS:
            tally: Tally = getattr(self, unit)
            if not tally.seen:
                continue
            made.append(f"{unit}: {tally.seen} seen, {tally.taken} taken, {tally.seen - tally.taken} dropped")
            for reason, count in tally.dropped.most_common():
                places = ", ".join(tally.places[reason])
                more = f" and {count - SHOWN} more" if count > SHOWN else ""
                made.append(f"  {count} {unit} dropped: {reason} ({places}{more})")
        for name, (count, place) in self.unread.items():
            made.append(f"  {count} texts of the field {name!r} stand in no message ({place})")
        made += [f"  assumed {count} times: {rule}" for rule, count in self.assumed.most_common()]
        made += [f"  rule used {count} times: {rule}" for rule, count in self.rules.most_common()]
        return made
