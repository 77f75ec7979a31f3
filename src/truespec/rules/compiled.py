"""Rules compiled to tables that one pass over a trace reads.

Rules share their predicates: each distinct one is evaluated once per event, and only for events of a class
(kind, who, tool, type) that leaves it open. The set of predicates that hold is one number; what it means to
each rule is looked up. A rule whose state an event cannot change is not touched. `run.py` does the pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from json import loads

from truespec.rules import predicate as p
from truespec.rules.alike import folded, forms_of
from truespec.rules.coded import Coded
from truespec.rules.coded_checks import CODED
from truespec.rules.predicate import ALWAYS, NEVER, Predicate, simplified
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Formal, Rule
from truespec.rules.track import Track
from truespec.traces.event import Event
from truespec.verdict import Undecided

MOST_PLANS = 4096
"""Classes of events that are kept prepared; agents may invent names of tools without end."""
FEW = 5
"""So many predicates and more are looked through once for all tools that no rule names."""


class CompiledRules:
    """The tables of some rules, and the coded checks that run along one trace at a time."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        """All rules, semantic ones too."""
        self.predicates: list[Predicate] = []
        """Every distinct predicate, by number."""
        self.users: list[set[int]] = []
        """For each predicate, the rules that speak of it."""
        self._bit_of: dict[Predicate, int] = {}
        self.tracks: list[Track] = []
        """Every obligation of every rule, by number."""
        for index, rule in enumerate(self.rules):
            if rule.formal is not None:
                for which in range(len(rule.formal.obligations)):
                    self._compile(index, rule.formal, which)
        self.coded: dict[Predicate, Coded] = {
            c: CODED[c[1]](loads(c[2]), read_predicate)
            for q in self.predicates
            for c in p.conditions(q)
            if c[0] == "coded"
        }
        """The checks that are written in code."""
        self.quotes: dict[tuple[int, int, Predicate], list[str]] = {}
        """What coded checks found in the present trace, by message, number in it, and check."""
        self._tests: dict[Predicate, p.Test] = {}
        self.coded_of = [_single_coded(rule) for rule in self.rules]
        """For each rule, the coded conditions at which its obligations start."""
        self.named = [_named(rule) for rule in self.rules]
        """For each rule, the tools that it names, by their folded names."""
        self._by_form: dict[str, list[tuple[int, str]]] = {}
        for number, names in enumerate(self.named):
            for form, name in names.items():
                self._by_form.setdefault(form, []).append((number, name))
        self.touched: list[list[int]] = [[] for _ in self.predicates]
        """For each predicate, the tracks that a change of it may step or start."""
        for track in self.tracks:
            for number in {track.when, *(bit for bit, _ in track.bits)} - {-1}:
                self.touched[number].append(track.number)
        self._speakers: dict[Predicate, list[int]] = {}
        self._by_pairing: dict[str, tuple[list[Track], frozenset[int]]] = {}
        self._plans: dict[tuple[str, str, str | None, str | None], Plan] = {}

    @cached_property
    def naming(self) -> Naming:
        """Which predicates and tracks depend on the tool of an event."""
        return Naming(self.predicates, self.tracks)

    def _compile(self, rule: int, formal: Formal, which: int) -> None:
        track = Track(len(self.tracks), rule, formal, which, self._bit)
        self.tracks.append(track)
        for number in (track.when, *(bit for bit, _ in track.bits)):
            if number >= 0:
                self.users[number].add(rule)

    def _bit(self, predicate: Predicate) -> int:
        number = self._bit_of.get(predicate)
        if number is None:
            number = self._bit_of[predicate] = len(self.predicates)
            self.predicates.append(predicate)
            self.users.append(set())
        return number

    def alike(self, tool: str | None) -> dict[int, str]:
        """The rules that do not name this tool, but one that is written like it; each with that one."""
        found: dict[int, str] = {}
        for form in forms_of(tool) if tool else ():
            for rule, name in self._by_form.get(form, ()):
                if tool not in self.named[rule].values():
                    found.setdefault(rule, name)
        return found

    def speakers(self, condition: Predicate) -> list[int]:
        """The rules that speak of a condition."""
        found = self._speakers.get(condition)
        if found is None:
            found = self._speakers[condition] = [
                index
                for index, rule in enumerate(self.rules)
                if rule.formal is not None
                and any(
                    c == condition or (c in self.coded and condition in self.coded[c].inner)
                    for q in all_predicates(rule.formal)
                    for c in p.conditions(q)
                )
            ]
        return found

    def test_of(self, predicate: Predicate) -> p.Test:
        """The compiled test of a predicate without variables."""
        found = self._tests.get(predicate)
        if found is None:
            found = self._tests[predicate] = self._compiled(predicate)
        return found

    def _compiled(self, predicate: Predicate) -> p.Test:
        tag = predicate[0]
        if tag == "not":
            inner = self.test_of(predicate[1])
            return lambda e: not inner(e)
        if tag in ("and", "or"):
            parts = [self.test_of(part) for part in sorted(predicate[1:], key=_cost)]
            if len(parts) == 2:
                first, second = parts
                return (
                    (lambda e: first(e) and second(e)) if tag == "and" else (lambda e: first(e) or second(e))
                )
            return (
                (lambda e: all(t(e) for t in parts)) if tag == "and" else (lambda e: any(t(e) for t in parts))
            )
        if tag == "coded":
            coded = self.coded[predicate]

            def holds(event: Event) -> bool:
                quotes = coded.quotes(event)
                if quotes:
                    self.quotes[event.index, event.number, predicate] = quotes
                return bool(quotes)

            return holds
        return p.condition_test(predicate)

    def tracks_of(self, pairing: str) -> tuple[list[Track], frozenset[int]]:
        """The obligations of rules with this pairing, and their numbers."""
        found = self._by_pairing.get(pairing)
        if found is None:
            mine = [t for t in self.tracks if t.formal.pairing == pairing]
            found = self._by_pairing[pairing] = (mine, frozenset(t.number for t in mine))
        return found

    def plan(self, event: Event) -> Plan:
        """What has to be done for events of this class."""
        key = (event.kind, event.by, event.tool, event.type)
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            found = self._plans[key] = Plan(self, event, self._stranger(event))
        return found

    def _stranger(self, event: Event) -> Plan | None:
        """The plan for events like this one, but of a tool that no rule names."""
        if event.tool is None or len(self.predicates) < FEW or event.tool == self.naming.stranger:
            return None
        return self.plan(Event(event.kind, 0, event.by, tool=self.naming.stranger, type=event.type))


class Naming:
    """Which predicates and tracks depend on the tool of an event, by the tools that they name."""

    def __init__(self, predicates: Iterable[Predicate], tracks: Iterable[Track]) -> None:
        self._predicates = _ByTool([q] for q in predicates)
        self._tracks = _ByTool([track.over, *(q for q, _ in track.bind)] for track in tracks)
        self.stranger = "?"
        """A tool that no rule names."""
        while self.stranger in self._predicates.named or self.stranger in self._tracks.named:
            self.stranger += "?"

    def predicates(self, tool: str) -> list[int]:
        """The predicates that may differ between this tool and the stranger, by number."""
        return self._predicates.of(tool)

    def tracks(self, tool: str) -> list[int]:
        """The tracks that may, by number."""
        return self._tracks.of(tool)


class _ByTool:
    """Things that hold predicates, by number: those that name a tool, and those with a pattern for tools."""

    def __init__(self, things: Iterable[Iterable[Predicate]]) -> None:
        self.named: dict[str, list[int]] = {}
        self._patterned: list[int] = []
        for number, predicates in enumerate(things):
            conditions = {c for q in predicates for c in p.conditions(q)}
            if any(c[0] == "tool~" for c in conditions):
                self._patterned.append(number)
            else:
                for name in {name for c in conditions if c[0] == "tool" for name in c[1]}:
                    self.named.setdefault(name, []).append(number)

    def of(self, tool: str) -> list[int]:
        return [*self.named.get(tool, ()), *self._patterned]


_Open = tuple[p.Test, bool]
"""What is left of a predicate's test, and whether that looks at arguments."""


class Plan:
    """For one class of events: the predicates left open, those that hold, and the tracks that count them."""

    __slots__ = (
        "_rests",
        "_turns",
        "active",
        "alike",
        "bound",
        "letters",
        "lost",
        "open",
        "readers",
        "rules",
        "sure",
    )

    def __init__(self, rules: CompiledRules, event: Event, stranger: Plan | None) -> None:
        """The plan for the class of an event; `stranger` is that for a tool which no rule names, if known."""
        values: dict[Predicate, bool | None] = {}

        def known(condition: Predicate) -> bool | None:
            if condition not in values:
                values[condition] = rules.test_of(condition)(event) if condition[0] in p.STATIC else None
            return values[condition]

        self.rules = rules
        self.sure = 0
        self.open: list[tuple[int, p.Test]] = []
        """The number of each open predicate, and what is left of its test."""
        self.lost: dict[int, str] = {}
        """Rules that cannot be evaluated on such events, with the reason."""
        self.alike = {
            number: f"the tool {event.tool!r:.80} is written like {meant!r}, which the rule names"
            for number, meant in rules.alike(event.tool).items()
        }
        """Rules that name a tool which the event's is written like, with the words for that."""
        self.readers: set[int] = set()
        """Rules that look at the arguments of such events."""
        self.active: list[bool] = []
        """For each track, whether the event counts for it."""
        self.bound: set[int] = set()
        """Tracks with a predicate of bound names that the event may satisfy."""
        self.letters: dict[int, list[tuple[Track, int, bool]]] = {}
        if stranger is None or event.tool is None:
            self._rests = [self._rest(q, known) for q in rules.predicates]
            self._turns = [self._turn(track, known) for track in rules.tracks]
        else:
            self._rests, self._turns = stranger._rests.copy(), stranger._turns.copy()
            for number in rules.naming.predicates(event.tool):
                self._rests[number] = self._rest(rules.predicates[number], known)
            for number in rules.naming.tracks(event.tool):
                self._turns[number] = self._turn(rules.tracks[number], known)
        self._take_rests()
        self._take_turns()

    def _rest(self, predicate: Predicate, known: Callable[[Predicate], bool | None]) -> bool | str | _Open:
        """Whether a predicate holds of all such events, or why nobody knows, or what is left to test."""
        try:
            rest = simplified(predicate, known)
        except Undecided as undecided:
            return undecided.message
        if rest in (ALWAYS, NEVER):
            return rest == ALWAYS
        return self.rules.test_of(rest), any(self._reads(c) for c in p.conditions(rest))

    def _turn(self, track: Track, known: Callable[[Predicate], bool | None]) -> tuple[bool, bool, bool] | str:
        """Whether such events count for a track, may satisfy what it binds, and are read for it."""
        try:
            active = p.evaluate(track.over, lambda c: bool(known(c)))
            rests = [simplified(q, known) for q, _ in track.bind]
        except Undecided as undecided:
            return undecided.message
        reads = any(self._reads(c) for rest in rests for c in p.conditions(rest))
        return active, any(rest != NEVER for rest in rests), reads

    def _take_rests(self) -> None:
        users = self.rules.users
        for number, rest in enumerate(self._rests):
            if rest is True:
                self.sure |= 1 << number
            elif isinstance(rest, str):
                self.lost |= dict.fromkeys(users[number], rest)
            elif rest is not False:
                test, reads = rest
                self.open.append((number, test))
                if reads:
                    self.readers |= users[number]

    def _take_turns(self) -> None:
        open_now = {number for number, _ in self.open}
        for track, turn in zip(self.rules.tracks, self._turns, strict=True):
            if isinstance(turn, str):
                self.active.append(False)
                self.lost[track.rule] = turn
                continue
            active, bound, reads = turn
            self.active.append(active)
            if bound:
                self.bound.add(track.number)
            starts = track.when in open_now or (track.when >= 0 and self.sure >> track.when & 1 == 1)
            if reads or (track.binds_arguments and starts):
                self.readers.add(track.rule)

    def _reads(self, condition: Predicate) -> bool:
        """Whether a condition looks at arguments."""
        if condition[0] == "coded":
            return self.rules.coded[condition].reads_arguments
        return condition[0] in ("arg", "absent") or (condition[0] == "var" and condition[1] != "tool")

    def rows(self, mask: int) -> list[tuple[Track, int, bool]]:
        """For the predicates that hold, the tracks to step: each with its letter, and whether it starts."""
        found = self.letters.get(mask)
        if found is None:
            if len(self.letters) >= MOST_PLANS:
                self.letters.clear()
            found = self.letters[mask] = list(self._rows(mask))
        return found

    def _rows(self, mask: int) -> Iterator[tuple[Track, int, bool]]:
        rules = self.rules
        holding = (number for number in range(mask.bit_length()) if mask >> number & 1)
        touched = self.bound.union(*(rules.touched[number] for number in holding))
        for track in map(rules.tracks.__getitem__, sorted(touched)):
            if not self.active[track.number]:
                continue
            letter = 0
            for bit, local in track.bits:
                if mask >> bit & 1:
                    letter |= local
            starts = track.when >= 0 and bool(mask >> track.when & 1)
            if letter or starts or track.number in self.bound:
                yield track, letter, starts


def _named(rule: Rule) -> dict[str, str]:
    if rule.formal is None:
        return {}
    told = [*all_predicates(rule.formal), rule.formal.over]
    tools = (c[1] for q in told for c in p.conditions(q) if c[0] == "tool")
    return {folded(name): name for names in tools for name in names}


def _single_coded(rule: Rule) -> list[Predicate]:
    found = []
    for obligation in rule.formal.obligations if rule.formal is not None else ():
        when = obligation.when or ALWAYS
        coded = [c for c in p.conditions(when) if c[0] == "coded"]
        if len(coded) == 1 and (when == coded[0] or when[0] == "and"):
            found += coded
    return found


def all_predicates(formal: Formal) -> list[Predicate]:
    """Every predicate of a rule's formal part, those at which obligations start too."""
    return [*formal.predicates, *(o.when for o in formal.obligations if o.when is not None)]


def _cost(predicate: Predicate) -> int:
    tags = {c[0] for c in p.conditions(predicate)}
    return 3 if "coded" in tags else 2 if tags & {"text~", "fits"} else 1 if tags & {"text+", "arg"} else 0
