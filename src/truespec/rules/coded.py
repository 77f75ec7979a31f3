"""Checks that the rule language cannot say: they need arithmetic on texts, or every text that came before.

Each is a class with options; one object runs along one trace. `see` is called with every event in order,
after `quotes` was asked about it; `quotes` names what is wrong with the event, one entry for each occurrence.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from json import dumps
from typing import Any, ClassVar

from truespec.rules.predicate import Predicate
from truespec.traces.event import Event
from truespec.traces.trace import Trace

ReadPredicate = Callable[[Any, str], Predicate]
"""Reads a predicate in its YAML form, as `reading.read_predicate` does."""
NounOf = Callable[[Any, str], str]
"""The words for a predicate in its YAML form."""


class Coded(ABC):
    """One coded check, running along one trace."""

    example: ClassVar[Mapping[str, Any] | None]
    """An event that is wrong where nothing came before: its kind, who, and its text or arguments. None where
    that depends on what came before: then any event may be wrong, and comparison has no example."""
    inner: frozenset[Predicate] = frozenset()
    """The conditions in its options."""
    reads_arguments = False
    """Whether it looks at the arguments of a call, and says nothing where they could not be read."""

    def __init__(self, options: Mapping[str, Any], read: ReadPredicate) -> None:
        self.options = options
        self.read = read
        """Reads a predicate among the options."""

    def start(self, trace: Trace | None) -> None:  # noqa: B027
        """Before the first event; the trace is unknown on line."""

    @abstractmethod
    def quotes(self, event: Event) -> list[str]:
        """What is wrong with this event; empty where nothing is."""

    def see(self, event: Event) -> None:  # noqa: B027
        """The event has passed."""

    @classmethod
    def phrase(cls, options: Mapping[str, Any], noun: NounOf) -> str:
        """What the check says of an event, for people: `a call` and then these words.

        `noun` gives the words for a predicate among the options, `a call of book`.
        """
        return ""

    def mark(self) -> Any:
        """Where the check stands, for `rewind`."""
        return None

    def rewind(self, mark: Any) -> None:  # noqa: B027
        """Go back to where `mark` was taken; what was seen since did not happen."""


PHRASES = ("words", "whole", "skip")
"""How the check `ungrounded` reads a text of several words."""
_AROUND = ".,;:!?()[]{}<>'\"`*“”‘’…"
"""Signs around a word that are no part of it."""


class Ungrounded(Coded):
    """A call with an argument that nobody has mentioned before.

    Looked at are string arguments at any depth that have `min_length` characters and a digit and whose name
    is not among `skip`; they are grounded when their text, in lower case and without a leading `#`, is part
    of the text of an earlier message, of the task's ticket, of the system prompt if `system` is true, or of
    the schema of the tool if `schemas` is true, which may list the values that are allowed.

    A text of several words, such as a search query, is put together by the agent and rarely stands anywhere
    as a whole. `phrases` says how it is read: `words` looks at each of its words that has a digit and
    `min_word` characters, `whole` at the text as it is, `skip` at none.
    """

    SKIP = (
        "expression", "summary", "reason", "note", "flight_type", "cabin", "insurance", "date", "dob",
        "origin", "destination", "address1", "address2", "amount",
    )  # fmt: skip

    example = {"kind": "call", "args": {"reference": "unseen-4711"}}  # noqa: RUF012
    reads_arguments = True

    def start(self, trace: Trace | None) -> None:
        self.skip = frozenset(self.options.get("skip", self.SKIP))
        self.least = int(self.options.get("min_length", 4))
        self.phrases = str(self.options.get("phrases", "whole"))
        if self.phrases not in PHRASES:
            raise ValueError(f"phrases is one of {', '.join(PHRASES)}, not {self.phrases!r}")
        self.least_word = int(self.options.get("min_word", 6))
        self.texts: list[str] = []
        self.pending: list[tuple[int, str]] = []
        self.known: set[str] = set()
        if trace is not None:
            ticket = (trace.task or {}).get("ticket")
            if isinstance(ticket, str):
                self.texts.append(ticket.lower())
            if self.options.get("system", False) and trace.system_prompt:
                self.texts.append(trace.system_prompt.lower())
        self.schemas = bool(self.options.get("schemas", False))

    def see(self, event: Event) -> None:
        if event.kind != "call" and event.text:
            self.pending.append((event.index, event.text))

    def mark(self) -> Any:
        return len(self.texts), tuple(self.pending)

    def rewind(self, mark: Any) -> None:
        count, pending = mark
        del self.texts[count:]
        self.pending = list(pending)

    def quotes(self, event: Event) -> list[str]:
        if event.kind != "call":
            return []
        wrong = [
            name + "=" + part
            for name, text in _strings(event.args, "")
            for part in self._parts(text)
            if self._is_free(event, name, part)
        ]
        return ["; ".join(wrong)] if wrong else []

    def _parts(self, text: str) -> list[str]:
        """What of an argument has to be grounded: the text itself, or the words of a phrase."""
        if self.phrases == "whole" or not (words := text.split())[1:]:
            return [text]
        if self.phrases == "skip":
            return []
        stripped = (word.strip(_AROUND) for word in words)
        return [word for word in dict.fromkeys(stripped) if len(word) >= self.least_word]

    def _is_free(self, event: Event, name: str, text: str) -> bool:
        if name in self.skip or len(text) < self.least or text in self.known or not _has_digit(text):
            return False
        wanted = text.lower().removeprefix("#")
        if self.pending:
            # The call's own message does not ground it.
            own = self.pending.pop() if self.pending[-1][0] == event.index else None
            self.texts += [part.lower() for _, part in self.pending]
            self.pending = [own] if own is not None else []
        for part in reversed(self.texts):
            if wanted in part:
                self.known.add(text)
                return False
        return not (self.schemas and _in_schema(event, wanted))


def _in_schema(event: Event, wanted: str) -> bool:
    tool = event.trace.schemas.get(event.tool or "") if event.trace is not None else None
    if tool is None or tool.parameters is None:
        return False
    schema = tool.parameters
    known = _schema_texts.get(id(schema))
    if known is None or known[0] is not schema:
        if len(_schema_texts) >= MOST_SCHEMAS:
            _schema_texts.clear()
        text = dumps(schema, default=str, ensure_ascii=False).lower()
        known = _schema_texts[id(schema)] = (schema, text)
    return wanted in known[1]


MOST_SCHEMAS = 1024
"""Schemas whose texts are kept."""
_schema_texts: dict[int, tuple[Any, str]] = {}


_DIGIT = re.compile(r"\d")


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def _strings(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Each string in a value with the name it stands under."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, name)


# Bounds and possessive repetitions keep the work linear on hostile texts. No match starts inside a run of
# digits: it would have started at the run's first.
_PLAIN = r"\$?\d[\d,]{0,60}(?:\.\d{1,60})?"
_NUMBER = _PLAIN + r"(?:\s{0,3}\([^()]{0,80}\))?"
_SUM = re.compile(
    rf"(?<!\d){_NUMBER}(?:\s*+[-+*/x×÷−–·]\s*+{_NUMBER}){{1,40}}\s*+=\s*+\*{{0,9}}\s*+({_PLAIN})"
)


class MentalArithmetic(Coded):
    """A calculation written out in the agent's text, `2 x $30 + $5 = $65`, whose result no call of the
    calculator (`tool`, by default `calculate`) has given before. One quote for each calculation."""

    example = {"kind": "message", "by": "assistant", "text": "2 + 2 = 5"}  # noqa: RUF012

    def start(self, trace: Trace | None) -> None:
        self.tool = self.options.get("tool", "calculate")
        self.results: dict[float, None] = {}

    def see(self, event: Event) -> None:
        if event.kind == "result" and event.tool == self.tool and event.text:
            value = _amount(event.text)
            if value is not None:
                self.results.setdefault(value)

    def mark(self) -> Any:
        return len(self.results)

    def rewind(self, mark: Any) -> None:
        while len(self.results) > mark:
            self.results.popitem()

    def quotes(self, event: Event) -> list[str]:
        if event.kind != "message" or event.by != "assistant" or not event.text or "=" not in event.text:
            return []
        return [m.group() for m in _SUM.finditer(event.text) if _amount(m.group(1)) not in self.results]


def _amount(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "").replace("$", ""))
    except ValueError:
        return None


class MisfitCall(Coded):
    """A call that its tool's schema does not allow: an unknown tool, a missing or ill-typed argument."""

    example = {"kind": "call", "args": {"__misfit__": 1}}  # noqa: RUF012

    def quotes(self, event: Event) -> list[str]:
        from truespec.rules.schemas import call_fits, problem_of

        if event.kind != "call" or call_fits(event):
            return []
        return [problem_of(event) or "does not fit its schema"]
