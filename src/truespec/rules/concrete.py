"""Runs that keep a rule, and runs that break it, found by trying short sequences of concrete events.

The automata of `compare` find shortest runs of most rules. They do not look into registers (`history`), and a
rule that only forbids is kept by the empty run, which shows nothing. Here, events are made of the rule's own
cells with data on both sides of its bounds, and the rule's monitor is asked about sequences of them. So each
run that is found is one that the monitor keeps or breaks; where none is found, there may still be one.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.rules import predicate as p
from truespec.rules.algebra import cells, document_at
from truespec.rules.compiled import all_predicates
from truespec.rules.documents import copied, merge
from truespec.rules.history import OPERATORS, History, amount_of, pairs_of
from truespec.rules.monitor import RuleSet, Run
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Formal, Rule
from truespec.rules.values import is_number
from truespec.rules.witness import Toolbox, permissive
from truespec.traces.event import Event
from truespec.traces.trace import Source, ToolCall, Trace
from truespec.verdict import Incomplete, Undecided

REGISTERS = ("against_result", "so_far", "elapsed")
"""The conditions that keep what they need in registers."""
MOST_UNITS = 48
"""The most events, or repeated events, of which runs are made."""
MOST_TRIES = 20_000
"""The most runs that the monitor is asked about."""
MOST_REPEATED = 20
"""The greatest count for which an event is repeated."""
PLAIN_AMOUNT = 30
"""The number in an earlier result where the rule names none."""

Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unit:
    """An event, how often it happens in a row, and the seconds that pass before it."""

    event: Event
    times: int = 1
    wait: float = 0.0


def registers_of(formal: Formal) -> list[tuple[str, Options]]:
    """The conditions with registers of which a rule speaks, each with its options."""
    found = dict.fromkeys(c for q in all_predicates(formal) for c in p.conditions(q) if _looks_back(c))
    return [(c[1], json.loads(c[2])) for c in found]


def _looks_back(condition: p.Predicate) -> bool:
    return condition[0] == "coded" and condition[1] in REGISTERS


def search(
    rule: Rule, toolbox: Toolbox, seconds: float, kept: bool = True, broken: bool = True
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Events that keep a rule, ending with one that it speaks of or nearly speaks of, and events that break
    it, as its monitor says. Either is empty where it was not asked for, or none was found in `seconds`.

    Of the runs that can be made of the events at hand, the first one of the fewest parts is taken, and what
    can be left out of it is left out.
    """
    formal = rule.formal
    assert formal is not None
    looks_back = registers_of(formal)
    end = time.monotonic() + seconds
    near = _nearly(formal)
    try:
        units = _units(formal, near, looks_back, toolbox, end)
    except Undecided:
        return (), ()
    timed = any(name == "elapsed" for name, _ in looks_back)
    trial = _Trial(replace(rule, domains=()), near, toolbox, timed)
    found: dict[str, tuple[Unit, ...]] = {}
    wanted = {word for word, asked in (("kept", kept), ("broken", broken)) if asked}
    for number, run in enumerate(_sequences(units, 4 if looks_back else 2)):
        if number >= MOST_TRIES or time.monotonic() > end or not wanted - found.keys():
            break
        said = trial.says(run)
        if said in wanted:
            found.setdefault(said, run)
        elif said == "kept, nothing known" and "kept" in wanted:
            found.setdefault("spare", run)
    if "spare" in found:
        found.setdefault("kept", found["spare"])
    runs = [_events(_shortest(trial, found.get(word, ())), timed) for word in ("kept", "broken")]
    return tuple(runs[0]), tuple(runs[1])


def _sequences(units: Sequence[Unit], depth: int) -> Iterator[tuple[Unit, ...]]:
    """Runs of one part, of two parts, and so on; of as many parts, those with the fewest events first."""
    for parts in range(1, depth + 1):
        if len(units) ** parts <= MOST_TRIES:
            every = itertools.product(units, repeat=parts)
            yield from sorted(every, key=lambda run: sum(unit.times for unit in run))
        else:
            yield from itertools.product(units, repeat=parts)


def _shortest(trial: _Trial, run: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """The run without the events that can be left out."""
    said = trial.says(run) if run else ""
    smaller = True
    while smaller:
        smaller = False
        for place, unit in enumerate(run):
            fewer = (replace(unit, times=unit.times - 1),) if unit.times > 1 else ()
            rest = (*run[:place], *fewer, *run[place + 1 :])
            if rest and trial.says(rest) == said:
                run, smaller = rest, True
                break
    return run


def _events(run: Sequence[Unit], timed: bool) -> list[Event]:
    """New events for a run, each with its own call; with times where a rule asks for them."""
    made: list[Event] = []
    clock = 0.0
    for unit in run:
        for _ in range(unit.times):
            clock += unit.wait if made else 0.0
            number, e = len(made), unit.event
            call = ToolCall(e.tool, dict(e.args), f"c{number}") if e.kind != "message" and e.tool else None
            extra = {"timestamp": clock} if timed else None
            made.append(
                Event(
                    e.kind, number, e.by, e.text, e.tool, copied(e.args), e.failed, e.calls,
                    e.said, e.type, 0, call, None, extra,
                )
            )  # fmt: skip
    return made


class _Trial:
    """The rule's monitor, asked about one run after another."""

    def __init__(self, rule: Rule, near: Sequence[p.Predicate], toolbox: Toolbox, timed: bool) -> None:
        assert rule.formal is not None
        self.rules = RuleSet([rule])
        self.pairing = rule.formal.pairing
        self.starts = any(o.when is not None for o in rule.formal.obligations)
        self.near = near
        self.toolbox = toolbox
        self.timed = timed

    def says(self, run: Sequence[Unit]) -> str:
        """`broken`, `kept` where the rule has something to say about the run, `kept, nothing known` where its
        registers hold nothing; empty for all else."""
        stream = _events(run, self.timed)
        names = sorted({e.tool for e in stream if e.tool})
        tools = self.toolbox.tools or tuple(permissive(name) for name in names)
        trace = Trace("run", (), Source("run", "", "", ""), tools=tools)
        for event in stream:
            event.trace = trace
        monitor = Run(self.rules, trace, self.pairing)
        monitor.read(stream)
        monitor.finish()
        if monitor.lost or monitor.unread:
            return ""
        if 0 in monitor.broken():
            return "broken"
        spoken = (self.starts and 0 in monitor.activity()) or any(_holds(q, stream[-1]) for q in self.near)
        if not spoken:
            return ""
        known = all(made.entries for made in self.rules.coded.values() if isinstance(made, History))
        return "kept" if known else "kept, nothing known"


def _holds(predicate: p.Predicate, event: Event) -> bool:
    """Whether a predicate without bound values and code holds of an event."""
    return p.evaluate(predicate, lambda c: bool(p.condition_test(c)(event)))


def _nearly(formal: Formal) -> list[p.Predicate]:
    """What an event is about which the rule speaks, or nearly does: its predicates with registers, bound
    values and code left out, and, where an obligation starts, with one condition left out."""
    made: dict[p.Predicate, None] = {}
    whens = [o.when for o in formal.obligations if o.when is not None]
    free = ("coded", "var", "text var", "fits")
    for predicate in [*whens, *formal.predicates]:
        made[p.simplified(predicate, lambda c: True if c[0] in free else None)] = None
    looks_back = bool(registers_of(formal))
    for when in [] if looks_back else whens:
        parts = when[1:] if when[0] == "and" else ()
        for place in reversed(range(len(parts))):
            tag = parts[place][0]
            if tag not in ("kind", "by", *free):
                said = (("says",),) if tag.startswith("text") and ("kind", "message") in parts else ()
                rest = p.all_of(*parts[:place], *parts[place + 1 :], *said)
                made[p.simplified(rest, lambda c: True if c[0] in free else None)] = None
    near = [q for q in made if q not in (p.ALWAYS, p.NEVER)]
    counted = [options["of"] for name, options in registers_of(formal) if name == "so_far"]
    # A rule that says nothing else of an event speaks of those that it counts.
    return near or [read_predicate(one, "so_far") for one in counted]


# Events -------------------------------------------------------------------------------------------------


def _units(
    formal: Formal,
    near: Sequence[p.Predicate],
    looks_back: Sequence[tuple[str, Options]],
    toolbox: Toolbox,
    end: float,
) -> list[Unit]:
    """The parts of which runs are made: an event of each cell, with the data that registers ask for."""

    def check() -> None:
        if time.monotonic() > end:
            raise Incomplete("no decision within the time for examples")

    asked = [*near] if looks_back else [*near, read_predicate({"message": "user", "says": True}, "")]
    for name, options in looks_back:
        if name == "against_result":
            asked.append(read_predicate({"result": options["result"], "ok": True}, name))
        else:
            asked.append(read_predicate(options["of" if name == "so_far" else "since"], name))
    found = cells(list(dict.fromkeys(asked)), toolbox.names, toolbox.types, check)
    bases = [cell.witness for cell in found if cell.witness is not None and (cell.true or not looks_back)]
    waits = _waits(looks_back)
    units: dict[str, Unit] = {}
    for base in bases:
        for event in _with_data(base, formal, looks_back):
            for times in _repeats(event, looks_back):
                for wait in waits if times == 1 else waits[:1]:
                    key = repr((event.kind, event.by, event.tool, event.args, event.text, event.failed,
                                event.calls, event.type, times, wait))  # fmt: skip
                    units.setdefault(key, Unit(event, times, wait))

    def rank(unit: Unit) -> tuple[int, int, int]:
        e = unit.event
        told = next((n for n, q in enumerate(near) if _holds(q, e)), len(near))
        return unit.times, told, ("message", "call", "result").index(e.kind)

    return sorted(units.values(), key=rank)[:MOST_UNITS]


def _waits(looks_back: Sequence[tuple[str, Options]]) -> list[float]:
    found: list[float] = []
    for name, options in looks_back:
        if name == "elapsed":
            bound = float(_bound(options))
            found += [bound, bound + 1, bound - 1]
    return list(dict.fromkeys(wait for wait in (*found, 0.0) if wait >= 0))


def _bound(options: Options) -> Any:
    return next(options[key] for key in OPERATORS if key in options)


def _repeats(event: Event, looks_back: Sequence[tuple[str, Options]]) -> list[int]:
    """How often an event may happen in a row: around each bound of a count of such events."""
    found = [1]
    for name, options in looks_back:
        if name == "so_far" and "sum" not in options:
            bound = _bound(options)
            if 0 < bound <= MOST_REPEATED and _holds(read_predicate(options["of"], name), event):
                found += [int(bound), int(bound) + 1]
    return sorted({times for times in found if times > 0})


def _with_data(base: Event, formal: Formal, looks_back: Sequence[tuple[str, Options]]) -> list[Event]:
    """The event with the arguments and texts that conditions with registers read."""
    made = [base]
    for name, options in looks_back:
        made = [other for event in made for other in _given(event, name, options, formal)]
    return made


def _given(event: Event, name: str, options: Options, formal: Formal) -> list[Event]:
    same = pairs_of(options.get("same"))
    if name == "elapsed" or event.kind == "message":
        return [event]
    if name == "so_far":
        if not _holds(read_predicate(options["of"], name), event):
            return [event]
        event = _with_argument(event, [mine for mine, _ in same], "A")
        path = options.get("sum")
        amounts = _around(float(_bound(options)), whole=float(_bound(options)).is_integer())
        return [event] if path is None else [_with_argument(event, [path], n, True) for n in (*amounts, 1)]
    if event.kind == "result" and event.tool == options["result"] and not event.failed:
        event = _with_argument(event, [its for _, its in same], "A")
        return [
            _changed(event, text=_result_text(_bound(options), amount), failed=False)
            for amount in _amounts(formal, options["arg"])
        ]
    if event.kind == "call":
        event = _with_argument(event, [mine for mine, _ in same], "A")
        numbers = {n: None for amount in _amounts(formal, options["arg"]) for n in _around(amount)}
        own = [event] if p.values_at(event.args, options["arg"]) else []
        return [*own, *(_with_argument(event, [options["arg"]], n, True) for n in numbers)]
    return [event]


def _amounts(formal: Formal, path: str) -> list[float]:
    """Numbers for an earlier result: those around the rule's own bounds for the argument, and a plain one."""
    listed = (c for q in all_predicates(formal) for c in p.conditions(q))
    bounds = [c[3] for c in listed if c[0] == "arg" and c[1] == path and is_number(c[3])]
    near = [n for bound in bounds[:2] if amount_of(bound) is not None for n in _around(bound)]
    return list(dict.fromkeys([*near, PLAIN_AMOUNT]))


def _around(amount: float, whole: bool = True) -> list[float]:
    """A number, one more, and one less where that is not negative; integers where the number is one."""
    exact: float = int(amount) if whole and float(amount).is_integer() else amount
    return [n for n in (exact, exact + 1, exact - 1) if n >= 0]


def _result_text(path: str, amount: float) -> str:
    return json.dumps(document_at(path, amount)) if path else json.dumps(amount)


def _with_argument(event: Event, paths: Sequence[str], value: Any, other: bool = False) -> Event:
    """The event with a value at each of these arguments that has none; with `other`, in place of its own."""
    args = copied(event.args)
    for path in paths:
        if other or not p.values_at(args, path):
            merge(args, document_at(path, value))
    return _changed(event, args=args)


def _changed(event: Event, **changes: Any) -> Event:
    fields = {name: getattr(event, name) for name in ("kind", "index", "by", "text", "tool", "args", "failed",
              "calls", "said", "type")}  # fmt: skip
    return Event(**{**fields, **changes})
