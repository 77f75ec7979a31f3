"""Hides what must not leave the house: e-mail addresses, phone numbers, card numbers.

Equal values get equal marks (`<email-1>`), so a reader still sees that two messages speak of the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from truespec.traces.trace import Message, ToolCall, Trace
from truespec.verdict import UsageError

PATTERNS = {
    "email": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"),
    "card": re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])"),
    "phone": re.compile(
        r"(?<![\w.-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?|\d{2,4}[ .-])\d{3,4}[ .-]\d{3,4}(?![\w-])"
    ),
}
"""What is found, by kind; a card number also passes the check digit."""


@dataclass
class Redactor:
    """Replaces values of the chosen kinds, with the same mark for the same value within one redactor."""

    kinds: tuple[str, ...] = tuple(PATTERNS)
    marks: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if unknown := set(self.kinds) - PATTERNS.keys():
            raise UsageError(
                f"nothing is known of {', '.join(sorted(unknown))}; one of {', '.join(PATTERNS)}"
            )

    def text(self, text: str) -> str:
        """The text with its values replaced."""
        for kind in self.kinds:
            text = PATTERNS[kind].sub(lambda found, kind=kind: self._mark(kind, found.group()), text)  # type: ignore[misc]
        return text

    def _mark(self, kind: str, value: str) -> str:
        if kind == "card" and not _passes_luhn(value):
            return value
        key = (kind, re.sub(r"[ .()-]", "", value).lower() if kind != "email" else value.lower())
        if key not in self.marks:
            number = 1 + sum(1 for known, _ in self.marks if known == kind)
            self.marks[key] = f"<{kind}-{number}>"
        return self.marks[key]

    def value(self, value: Any) -> Any:
        """The same for every text inside a JSON value, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def trace(self, trace: Trace) -> Trace:
        """The trace with every text in it redacted."""
        return replace(
            trace,
            messages=tuple(self._message(message) for message in trace.messages),
            system_prompt=None if trace.system_prompt is None else self.text(trace.system_prompt),
            task=None if trace.task is None else self.value(trace.task),
            outcome=replace(trace.outcome, parts=self.value(trace.outcome.parts)),
            metadata=self.value(trace.metadata),
        )

    def _message(self, message: Message) -> Message:
        return replace(
            message,
            text=None if message.text is None else self.text(message.text),
            reasoning=None if message.reasoning is None else self.text(message.reasoning),
            calls=tuple(self._call(call) for call in message.calls),
            extra=None if message.extra is None else self.value(message.extra),
        )

    def _call(self, call: ToolCall) -> ToolCall:
        arguments = None if call.arguments is None else self.value(call.arguments)
        return replace(call, arguments=arguments, raw=None if call.raw is None else self.text(call.raw))


def redacted(traces: Iterable[Trace], kinds: tuple[str, ...] = tuple(PATTERNS)) -> Iterable[Trace]:
    """Each trace redacted on its own, so marks do not link conversations."""
    for trace in traces:
        yield Redactor(kinds).trace(trace)


def _passes_luhn(number: str) -> bool:
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
