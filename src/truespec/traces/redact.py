"""Hides what must not leave the house: keys, tokens, account numbers, addresses, chosen patterns and fields.

Equal values get equal marks (`<email-1>`), so a reader still sees that two messages speak of the same one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate
from typing import Any

from truespec.traces.files import loads
from truespec.traces.trace import Message, ToolCall, Trace
from truespec.verdict import UsageError

_GAP = r"[ \u00a0\u202f-]"
"""What people put between groups of digits."""
_NAMES = (
    r"(?:[\w.-]{0,40}[_.-])?(?:password|passwd|passphrase|api_?key|client_?secret|private_?key|secret_?key"
    r"|secret_?access_?key|(?:access|auth|refresh|bearer|session)_?token)|pwd|secret|authorization"
)
"""What fields are called whose values are secrets."""
_NAMED = re.compile(rf"(?i:{_NAMES}|token)")
PATTERNS = {
    "secret": (
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?-----END [A-Z ]{0,40}PRIVATE KEY-----"
        r"|(?<![\w-])(?:sk|pk|rk)[-_][\w-]{16,200}"
        r"|(?<!\w)(?:gh[pousr]_|github_pat_|glpat-|hf_|npm_|pypi-|xox[abeoprs]-)[\w-]{16,300}"
        r"|(?<!\w)(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)|(?<!\w)AIza[\w-]{35}"
        r"|(?<![\w.-])eyJ[\w-]{8,4000}\.[\w-]{8,8000}\.[\w-]{8,4000}"
        r"|(?i:(?<=bearer )[\w.~+/-]{16,4000}=*)"
        r"|(?<!\w)(?:SG\.[\w-]{16,100}\.[\w-]{16,100}|ya29\.[\w-]{20,400}|whsec_[\w+/=]{16,200})"
        r"|(?i:(?<=basic )[\w+/-]{12,4000}=*)|(?<=://)[^\s/:@'\"]{1,200}:[^\s/@'\"]{1,200}(?=@)"
        rf"|(?i:\\?[\"'](?:{_NAMES}|token)\\?[\"']\s{{0,4}}[:=]\s{{0,4}}\\?[\"'])(?P<named>[^\"'\\]{{1,400}})"
        r"|(?i:\b(?:password|passwd|passphrase|pwd)\s{0,3}[:=]\s{0,3})(?P<said>(?=\S{0,80}\d)[^\s,;'\"<>]{4,400})"
        r"|(?i:(?<![a-z0-9])(?:api[_-]?key|access[_-]?key|secret[_-]?key|token)\s{0,3}[:=]\s{0,3})"
        r"(?P<keyed>(?=[^\s,;]{0,80}\d)[\w./+~=-]{8,400})"
        r"|(?i:(?<=password=)|(?<=passwd=)|(?<=secret=)|(?<=token=)|(?<=api_key=)|(?<=apikey=))[^\s&;,'\"<>]{4,400}"
    ),
    "iban": rf"(?<![\w-])(?=[A-Za-z]{{2}}\d{{2}})[A-Za-z0-9](?:{_GAP}?[A-Za-z0-9]){{14,33}}",
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",
    "card": rf"(?<![\w-])\d(?:{_GAP}?\d){{12,}}(?![\w-])",
    "phone": (
        r"(?<![\w.-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?|\d{2,4}[ .-])\d{3,4}[ .-]\d{3,4}(?![\w-])"
    ),
}
"""What is found, by kind, in this order. Of what looks like card numbers and IBANs, the groups are hidden
that pass the check digits, whatever stands beside them."""
_HEAD = re.compile(r"(?<![\w-])[A-Za-z]{2}\d{2}")
_GROUP = re.compile(r"[A-Za-z0-9]+")
_DIGITS = re.compile(r"\d+")
FIELD = "field"
"""The kind of a value that stands at a chosen field."""
LEAST = 4
"""Characters of a field's value from which on it is hidden inside words too; a shorter one only as a word."""


@cache
def _compiled(kind: str) -> re.Pattern[str]:
    return re.compile(PATTERNS[kind])


@dataclass(frozen=True, slots=True)
class Hiding:
    """What is to be hidden: values of known kinds, of patterns of one's own, and whole fields."""

    kinds: tuple[str, ...] = ()
    """Of `PATTERNS`."""
    patterns: tuple[tuple[str, str], ...] = ()
    """Names with regular expressions."""
    fields: tuple[str, ...] = ()
    """Paths into arguments and results, with dots; `*` is any one name or index, `**` any number of them."""

    def __bool__(self) -> bool:
        return bool(self.kinds or self.patterns or self.fields)

    def redactor(self) -> Redactor:
        """A redactor of these; `UsageError` for a pattern that cannot be read."""
        own = {}
        for name, pattern in self.patterns:
            if not re.fullmatch(r"\w[\w-]*", name) or name in PATTERNS or name == FIELD:
                raise UsageError(f"pattern {name!r}: the name is taken, or no word; write NAME=REGEX")
            try:
                own[name] = re.compile(pattern)
            except re.error as error:
                raise UsageError(f"pattern {name!r}: no regular expression: {error}") from None
            if own[name].search(""):
                raise UsageError(f"pattern {name!r} matches the empty text; it would hide nothing")
        return Redactor(self.kinds, patterns=own, fields=tuple(tuple(f.split(".")) for f in self.fields))


@dataclass
class Redactor:
    """Replaces values of the chosen kinds, with the same mark for the same value within one redactor."""

    kinds: tuple[str, ...] = tuple(PATTERNS)
    marks: dict[tuple[str, str], str] = field(default_factory=dict)
    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    fields: tuple[tuple[str, ...], ...] = ()
    _learned: dict[str, str] = field(default_factory=dict)
    """Values that stand at a chosen field, with their marks; they are hidden wherever they occur."""
    _expression: re.Pattern[str] | None = None
    _found: dict[str, str] = field(default_factory=dict)
    """Values that were replaced, as they stood there, with their marks."""

    def __post_init__(self) -> None:
        if unknown := set(self.kinds) - PATTERNS.keys():
            raise UsageError(
                f"nothing is known of {', '.join(sorted(unknown))}; one of {', '.join(PATTERNS)}"
            )

    def text(self, text: str) -> str:
        """The text with its values replaced."""
        if self._learned:
            text = self._values().sub(lambda found: self._learned[found.group()], text)
        for kind, pattern in self._all():
            if kind == "iban":
                text = self._ibans(text)
            elif kind == "card":
                text = pattern.sub(lambda found: self._cards(found.group()), text)
            else:
                text = pattern.sub(lambda found, kind=kind: self._replaced(kind, found), text)  # type: ignore[misc]
        return self._without_tails(text) if "…" in text else text

    def _replaced(self, kind: str, found: re.Match[str]) -> str:
        """The mark of what was found, behind the name of its field where it was found by that."""
        name = found.lastgroup if kind in PATTERNS else None
        if name is None:
            return self._mark(kind, found.group())
        whole, start = found.group(), found.start(name) - found.start()
        return whole[:start] + self._mark(kind, found.group(name)) + whole[found.end(name) - found.start() :]

    def _cards(self, run: str) -> str:
        """A run of digits in groups, with the groups hidden that are card numbers together."""
        groups = list(_DIGITS.finditer(run))
        digits = "".join(group.group() for group in groups)
        ends = list(accumulate(len(group.group()) for group in groups))
        made, at, first = "", 0, 0
        while first < len(groups):
            start = ends[first - 1] if first else 0
            last = bisect_right(ends, start + 19) - 1
            while last >= first and ends[last] - start >= 13:
                if _passes_luhn(digits[start : ends[last]]):
                    here = groups[first].start()
                    made += run[at:here] + self._mark("card", run[here : groups[last].end()])
                    at, first = groups[last].end(), last
                    break
                last -= 1
            first += 1
        return made + run[at:]

    def _ibans(self, text: str) -> str:
        """The text with its IBANs hidden; each ends with a group, wherever its check digits come out."""
        made, at = "", 0
        for head in _HEAD.finditer(text):
            start = head.start()
            body = _compiled("iban").match(text, start) if start >= at else None
            if body is None:
                continue
            bare, longest = "", 0
            for group in _GROUP.finditer(text, start, body.end()):
                bare += group.group()
                if len(bare) >= 15 and not text[group.end() : group.end() + 1].isalnum() and _passes_97(bare):
                    longest = group.end()
            if longest:
                made += text[at:start] + self._mark("iban", text[start:longest])
                at = longest
        return made + text[at:]

    def _without_tails(self, text: str) -> str:
        """The text without the beginnings of hidden values that stand where it was cut."""
        parts = text.split("…")
        for index, part in enumerate(parts[:-1]):
            for value, mark in self._found.items():
                size = next((n for n in range(len(value) - 1, LEAST - 1, -1) if part.endswith(value[:n])), 0)
                if size:
                    parts[index] = part[:-size] + mark
                    break
        return "…".join(parts)

    def _values(self) -> re.Pattern[str]:
        """All learned values in one expression, the longest first, so that no mark is read again."""
        if self._expression is None:
            ordered = sorted(self._learned, key=len, reverse=True)
            self._expression = re.compile(
                "|".join(
                    re.escape(one) if len(one) >= LEAST else rf"(?<!\w){re.escape(one)}(?!\w)"
                    for one in ordered
                )
            )
        return self._expression

    def _all(self) -> Iterator[tuple[str, re.Pattern[str]]]:
        """The patterns in their order, those of the user first."""
        yield from self.patterns.items()
        yield from ((kind, _compiled(kind)) for kind in PATTERNS if kind in self.kinds)

    def learn(self, trace: Trace) -> None:
        """Note what is hidden in a trace, so that what is said of it hides it too, in part as well."""
        self._learn_fields(trace)
        for message in trace.messages:
            self.message(message)

    def _learn_fields(self, trace: Trace) -> None:
        """Note the values at the chosen fields of a trace's arguments and of results that are JSON."""
        if not self.fields:
            return
        self._expression = None
        for message in trace.messages:
            for call in message.calls:
                self._learn(call.arguments, ())
            if message.role == "tool" and message.text is not None and message.text[:1] in ("{", "["):
                try:
                    self._learn(loads(message.text), ())
                except ValueError:
                    continue  # a text that only looks like JSON

    def _learn(self, value: Any, path: tuple[str, ...], chosen: bool = False) -> None:
        chosen = chosen or any(_matches(path, wanted) for wanted in self.fields)
        if isinstance(value, Mapping):
            for name, item in value.items():
                self._learn(item, (*path, str(name)), chosen)
        elif isinstance(value, list | tuple):
            for index, item in enumerate(value):
                self._learn(item, (*path, str(index)), chosen)
        elif chosen and value is not None and not isinstance(value, bool):
            text = value if isinstance(value, str) else json.dumps(value)
            if text:
                mark = self._mark(FIELD, text)
                self._learned[text] = mark
                self._learned.setdefault(json.dumps(text)[1:-1], mark)  # inside a JSON text
                self._learned.setdefault(json.dumps(text, ensure_ascii=False)[1:-1], mark)

    def arguments(self, value: Any, path: tuple[str, ...] = ()) -> Any:
        """Arguments with chosen fields hidden in place, whatever their type, and numbers read as text."""
        if any(_matches(path, wanted) for wanted in self.fields):
            return self._mark(FIELD, value if isinstance(value, str) else json.dumps(value, default=str))
        if isinstance(value, Mapping):
            return {
                self.text(str(name)): self._named(name, item) or self.arguments(item, (*path, str(name)))
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.arguments(item, (*path, str(index))) for index, item in enumerate(value)]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = str(value)
            return value if (hidden := self.text(text)) == text else hidden
        return value

    def _named(self, name: Any, value: Any) -> str | None:
        """The mark of a text in a field whose name says that it is secret."""
        secret = "secret" in self.kinds and isinstance(value, str) and value and _NAMED.fullmatch(str(name))
        return self._mark("secret", value) if secret else None

    def _mark(self, kind: str, value: str) -> str:
        plain = kind not in ("card", "phone", "iban", "email")  # of these letters and signs count
        key = (kind, value if plain else value.lower() if kind == "email" else _bare(value))
        if key not in self.marks:
            number = 1 + sum(1 for known, _ in self.marks if known == kind)
            self.marks[key] = f"<{kind}-{number}>"
        return self._found.setdefault(value, self.marks[key])

    def value(self, value: Any) -> Any:
        """The same for every text inside a JSON value, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(str(key)): self._named(key, item) or self.value(item) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def trace(self, trace: Trace) -> Trace:
        """The trace with every text in it redacted."""
        self._learn_fields(trace)
        return replace(
            trace,
            messages=tuple(self.message(message) for message in trace.messages),
            system_prompt=None if trace.system_prompt is None else self.text(trace.system_prompt),
            task=None if trace.task is None else self.value(trace.task),
            outcome=replace(trace.outcome, parts=self.value(trace.outcome.parts)),
            metadata=self.value(trace.metadata),
        )

    def message(self, message: Message) -> Message:
        """The message with every text in it redacted; its identifiers stay."""
        return replace(
            message,
            text=None if message.text is None else self.text(message.text),
            reasoning=None if message.reasoning is None else self.text(message.reasoning),
            calls=tuple(self._call(call) for call in message.calls),
            extra=None if message.extra is None else self.value(message.extra),
        )

    def _call(self, call: ToolCall) -> ToolCall:
        arguments = None if call.arguments is None else self.arguments(call.arguments)
        return replace(call, arguments=arguments, raw=None if call.raw is None else self.text(call.raw))


def redacted(traces: Iterable[Trace], kinds: tuple[str, ...] = tuple(PATTERNS)) -> Iterable[Trace]:
    """Each trace redacted on its own, so marks do not link conversations."""
    for trace in traces:
        yield Redactor(kinds).trace(trace)


def _passes_luhn(number: str) -> bool:
    digits = [int(char) for char in number[::-1]]
    return (sum(digits[::2]) + sum(2 * d - 9 * (d > 4) for d in digits[1::2])) % 10 == 0


def _passes_97(number: str) -> bool:
    """The check of ISO 13616: the number with its head moved behind, letters as 10 to 35, is 1 modulo 97."""
    return int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1


def _bare(number: str) -> str:
    return re.sub(r"[ .()\u00a0\u202f-]", "", number).lower()


def _matches(path: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether a path is one that a chosen field names."""
    if not wanted:
        return not path
    if wanted[0] == "**":
        return any(_matches(path[skip:], wanted[1:]) for skip in range(len(path) + 1))
    return bool(path) and wanted[0] in ("*", path[0]) and _matches(path[1:], wanted[1:])
