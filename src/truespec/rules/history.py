"""Conditions on what came before: an earlier result, a count or a sum so far, the time since an event.

Their values are kept in registers as the events pass. Amounts are exact fractions. What is not there, or is
no number, is never taken for zero: the rule is then not evaluated, and says why. Comparison of rules treats
such a condition as one that may hold or not at each event (see `algebra`), so that proofs hold, and most
questions that turn on the registers are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from json import dumps
from typing import TYPE_CHECKING, Any, ClassVar

import orjson

from truespec.rules import predicate as p
from truespec.rules.coded import Coded, NounOf, ReadPredicate
from truespec.rules.values import is_number
from truespec.traces.event import Event
from truespec.traces.failure import shortened
from truespec.traces.trace import Trace
from truespec.verdict import Incomplete, Undecided

if TYPE_CHECKING:
    from fractions import Fraction

OPERATORS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
"""How two amounts may stand to each other."""
IN_WORDS = {
    "gt": "more than",
    "ge": "at least",
    "lt": "less than",
    "le": "at most",
    "eq": "exactly",
    "ne": "not exactly",
}
_NUMERAL = re.compile(r"\s*[-+]?\$?(\d{1,30}(?:,\d{3}){0,9}(?:\.\d{1,30})?)\s*")
TIMES = ("timestamp", "time", "created_at", "start_time", "startTime")
"""Where importers leave the time of a message, in `Message.extra`."""


def _exact(number: str | float) -> Fraction:
    """The number as a fraction; their module is loaded when a rule first counts or compares."""
    from fractions import Fraction

    return Fraction(number)


def amount_of(value: Any) -> Fraction | None:
    """A number, or a text that writes one, as an exact fraction; None for anything else.

    >>> amount_of("$1,200.50")
    Fraction(2401, 2)
    """
    if is_number(value):
        return _exact(str(value)) if abs(value) < 1e300 else None
    if isinstance(value, str) and (found := _NUMERAL.fullmatch(value)):
        sign = -1 if "-" in value else 1
        return sign * _exact(found[1].replace(",", ""))
    return None


def time_of(event: Event) -> float | None:
    """When an event happened, in seconds since 1970; None where its source does not say.

    A number below 1e11 counts seconds, others milliseconds, microseconds or nanoseconds. A text is ISO 8601;
    without a zone it is read as UTC.
    """
    extra = event.extra or {}
    value: Any = next((extra[key] for key in TIMES if extra.get(key) is not None), None)
    if is_number(value):
        for unit, most in ((1.0, 1e11), (1e3, 1e14), (1e6, 1e17), (1e9, 1e20)):
            if 0 <= value < most:
                return float(value) / unit
        return None
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _shown(value: Fraction | float) -> str:
    return str(value) if getattr(value, "denominator", 0) == 1 else f"{float(value):g}"


class History(Coded):
    """A condition with registers. The places of what it could not read are kept for the reason."""

    example: ClassVar[Mapping[str, Any] | None] = None
    fields: ClassVar[tuple[str, ...]] = ()
    """Options that are predicates."""

    def __init__(self, options: Mapping[str, Any], read: ReadPredicate) -> None:
        super().__init__(options, read)
        self.predicates = {field: read(options[field], field) for field in self.fields}
        """The predicates among the options."""
        self.inner = frozenset(c for q in self.predicates.values() for c in p.conditions(q))
        self.tests = {
            field: {c: p.condition_test(c) for c in p.conditions(q)} for field, q in self.predicates.items()
        }
        asks = any(c[0] in ("arg", "absent") for c in self.inner)
        self.reads_arguments = asks or any(key in options for key in ("arg", "same", "sum"))

    def start(self, trace: Trace | None) -> None:
        self.entries: list[str] = []
        """For each thing that was seen, in order, the arguments in which it has to agree."""
        self.registers: dict[str, list[Any]] = {}
        """For those arguments, what was known after each of them."""
        self.unread = ""
        """Why the registers no longer hold all that counts; empty while they do."""

    def holds(self, field: str, event: Event) -> bool:
        """Whether the predicate in this field holds of an event."""
        tests = self.tests[field]
        return p.evaluate(self.predicates[field], lambda c: bool(tests[c](event)))

    def happened(self, field: str, event: Event) -> bool:
        """The same of an event that has passed; where that is not known, nothing is from then on."""
        try:
            if not self.holds(field, event):
                return False
        except Undecided as undecided:
            self.unread = self.unread or undecided.message
            return False
        if self.reads_arguments and event.call is not None and event.call.arguments is None:
            where = f"message {event.index + 1}"
            self.unread = self.unread or f"{where}: the arguments of {event.tool} are no JSON object"
        return True

    def mark(self) -> Any:
        return len(self.entries), self.unread

    def rewind(self, mark: Any) -> None:
        count, self.unread = mark
        while len(self.entries) > count:
            self.registers[self.entries.pop()].pop()

    def keep(self, key: str, value: Any) -> None:
        """Take what is known from now on."""
        self.entries.append(key)
        self.registers.setdefault(key, []).append(value)

    def latest(self, key: str) -> Any:
        """What is known now; None where nothing was seen."""
        known = self.registers.get(key)
        return known[-1] if known else None

    def operator(self) -> tuple[str, Any]:
        """The comparison that is asked for, and what with."""
        return next((key, self.options[key]) for key in OPERATORS if key in self.options)


def pairs_of(same: Any) -> list[tuple[str, str]]:
    """The arguments that have to be equal: of this event, and of the other one."""
    if isinstance(same, Mapping):
        return [(str(mine), str(its)) for mine, its in same.items()]
    return [(name, name) for name in ([same] if isinstance(same, str) else same or ())]


def _key(event: Event, paths: list[str]) -> str:
    """The values at some arguments, as one text; equal numbers are one value, however they are written."""
    return dumps([[_plain(value) for value in p.values_at(event.args, path)] for path in paths])


def _stuck(event: Event, paths: list[str]) -> str:
    """Which of these paths cannot be followed at an event, with its place."""
    found = (p.stuck_at(event.args, path) for path in paths if "." in path)
    return next((f"message {event.index + 1}: {why}" for why in found if why), "")


def _plain(value: Any) -> str:
    amount = amount_of(value) if is_number(value) else None
    return f"number {amount}" if amount is not None else dumps(value, sort_keys=True, default=str)


class AgainstResult(History):
    """A call with an argument `arg` that stands in a relation (`gt`, `ge`, `lt`, `le`, `eq`, `ne`, followed
    by a path) to the number at that path of the latest result of the tool `result` that did not fail.

    `same` names arguments in which the two calls agree. `missing` says what holds where there is no such
    result: `true`, `false`, or, by default, nothing: the rule is not evaluated.
    """

    def see(self, event: Event) -> None:
        if event.kind == "result" and event.tool == self.options["result"] and not event.failed:
            its = [path for _, path in pairs_of(self.options.get("same"))]
            self.keep(_key(event, its), event.text or "")

    def quotes(self, event: Event) -> list[str]:
        if event.kind != "call":
            return []
        pairs = pairs_of(self.options.get("same"))
        if stuck := _stuck(event, [self.options["arg"], *(mine for mine, _ in pairs)]):
            raise Incomplete(stuck)
        if not p.values_at(event.args, self.options["arg"]):
            return []
        operator, path = self.operator()
        tool = self.options["result"]
        key = _key(event, [mine for mine, _ in pairs])
        text = self.latest(key)
        if text is None:
            if "missing" in self.options:
                return [f"there is no earlier result of {tool}"] if self.options["missing"] else []
            raise Incomplete(
                f"message {event.index + 1}: there is no earlier result of {tool} to compare with"
            )
        theirs = _number_at(text, path)
        if theirs is None:
            raise Incomplete(f"message {event.index + 1}: the result of {tool} holds no number at {path!r}")
        for value in p.values_at(event.args, self.options["arg"]):
            mine = amount_of(value)
            if mine is None:
                said = f"{self.options['arg']} is {shortened(repr(value), 60)}"
                raise Incomplete(f"message {event.index + 1}: {said}, which is no number")
            if OPERATORS[operator](mine, theirs):
                said = f"{self.options['arg']} is {_shown(mine)}, {IN_WORDS[operator]} {_shown(theirs)}"
                return [f"{said}, the {path or 'result'} of {tool}"]
        return []

    @classmethod
    def phrase(cls, options: Mapping[str, Any], noun: NounOf) -> str:
        operator = next(key for key in OPERATORS if key in options)
        same = pairs_of(options.get("same"))
        with_same = f" for the same {', '.join(mine for mine, _ in same)}" if same else ""
        what = options[operator] or "number"
        return (
            f"whose {options['arg']} is {IN_WORDS[operator]} the {what} in the latest result of"
            f" {options['result']}{with_same}"
        )


def _number_at(text: str | None, path: str) -> Fraction | None:
    """The first number at a path of a result that is JSON; with no path, the result as a whole."""
    try:
        value = orjson.loads(text or "")
    except orjson.JSONDecodeError:
        value = text
    for found in [value] if not path else p.values_at(value, path):
        amount = amount_of(found)
        if amount is not None:
            return amount
    return None


class SoFar(History):
    """An event of a kind (`of`) with which their number so far, or the `sum` of one of their arguments,
    stands in a relation to a number. The event itself counts. `same` names arguments in which those agree
    that are counted together."""

    fields = ("of",)

    def _key(self, event: Event) -> str:
        return _key(event, [mine for mine, _ in pairs_of(self.options.get("same"))])

    def _amount(self, event: Event) -> tuple[Fraction, str]:
        """What an event adds, and why that is not known; the sum of nothing is 0."""
        path = self.options.get("sum")
        paths = [mine for mine, _ in pairs_of(self.options.get("same"))]
        if stuck := _stuck(event, [*paths, *([path] if path is not None else [])]):
            return _exact(0), stuck
        if path is None:
            return _exact(1), ""
        total = _exact(0)
        for value in p.values_at(event.args, path):
            amount = amount_of(value)
            if amount is None:
                return (
                    total,
                    f"message {event.index + 1}: {path} is {shortened(repr(value), 60)}, which is no number",
                )
            total += amount
        return total, ""

    def see(self, event: Event) -> None:
        if self.happened("of", event):
            amount, unread = self._amount(event)
            self.unread = self.unread or unread
            key = self._key(event)
            self.keep(key, amount + (self.latest(key) or 0))

    def quotes(self, event: Event) -> list[str]:
        if not self.holds("of", event):
            return []
        amount, unread = self._amount(event)
        if self.unread or unread:
            raise Incomplete(self.unread or unread)
        total = amount + (self.latest(self._key(event)) or 0)
        operator, bound = self.operator()
        if not OPERATORS[operator](total, _exact(str(bound))):
            return []
        what = f"the sum of {self.options['sum']}" if "sum" in self.options else "their number"
        return [f"{what} so far is {_shown(total)}, {IN_WORDS[operator]} {bound}"]

    @classmethod
    def phrase(cls, options: Mapping[str, Any], noun: NounOf) -> str:
        operator = next(key for key in OPERATORS if key in options)
        same = pairs_of(options.get("same"))
        with_same = f", counted for each {', '.join(mine for mine, _ in same)}," if same else ""
        what = f"the sum of {options['sum']}" if "sum" in options else "the number"
        kind = noun(options["of"], "of")
        bound = f"{IN_WORDS[operator]} {options[operator]}"
        return f"with which {what} of events so far that are {kind}{with_same} is {bound}"


class Elapsed(History):
    """An event with which the seconds since the latest earlier event of a kind (`since`) stand in a relation
    to a number. It does not hold where there was no such event. Without the times of both, the rule is not
    evaluated."""

    fields = ("since",)

    def see(self, event: Event) -> None:
        if self.happened("since", event):
            self.keep("", time_of(event))

    def quotes(self, event: Event) -> list[str]:
        if self.unread:
            raise Incomplete(self.unread)
        if not self.entries:
            return []
        now, then = time_of(event), self.latest("")
        if now is None or then is None:
            raise Incomplete(
                f"message {event.index + 1}: the time of it, or of what it is compared with, is not known"
            )
        operator, bound = self.operator()
        if not OPERATORS[operator](_exact(now - then), _exact(str(bound))):
            return []
        return [f"{now - then:g} seconds have passed, {IN_WORDS[operator]} {bound}"]

    @classmethod
    def phrase(cls, options: Mapping[str, Any], noun: NounOf) -> str:
        operator = next(key for key in OPERATORS if key in options)
        kind = noun(options["since"], "since")
        bound = f"{IN_WORDS[operator]} {options[operator]}"
        return f"that happens {bound} seconds after the latest event that is {kind}"
