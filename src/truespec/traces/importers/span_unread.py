"""What spans say that becomes no message: told, with its place."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from truespec.traces.importers.conventions import RawSpan, ends_of
from truespec.traces.importers.items import messages_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.recorded import parsed
from truespec.traces.trace import Message

_CALL_LIKE = re.compile(r"""\b(?:ToolCall|ToolUse|FunctionCall)\w*\(\w+=|["']tool_calls\\?["']: ?\[ ?[{\w]""")
LEFT = "messages of a span inside a run of which no span is a model call"
"""Why messages are left out where another span says what the run took and gave."""


UNHELD = "a reply ended with calls of tools, which the file does not hold"


def tell_left(
    told: Iterable[RawSpan], messages: Iterable[Message], notes: Notes, place: str, unread: bool = False
) -> None:
    """Tell the spans whose messages are none of those of the span that says what the run took and gave.

    With `unread`, values in which no message is recognised are what was said.
    """
    said = {(message.role, (message.text or "").strip()) for message in messages}
    for raw in told:
        texts = {(m.role, (m.text or "").strip()) for m in ends_of(raw, Notes(), unread=unread)}
        if any(text and role in ("user", "assistant") for role, text in texts - said):
            notes.ledger.items.drop(LEFT, f"{place}, span {raw.id}")
            notes.ledger.problem(f"{place}, span {raw.id}", f"{LEFT}: {raw.name[:60]!r}")


def tell_unread(spans: Iterable[RawSpan], notes: Notes) -> None:
    """Say where attributes mention calls in a form that is not read."""
    for raw in spans:
        for key, value in raw.attributes.items():
            if isinstance(value, str) and (found := _CALL_LIKE.search(value)):
                notes.ledger.problem(
                    f"{notes.place}, span {raw.id}",
                    f"the attribute {key!r} mentions a call in an unread form: {found.group()!r}",
                )
                return


_SAYING = re.compile(
    r"^(?:gen_ai|llm|ai|langfuse|mlflow)\..*(?:messages?|prompts?|completions?|observation\.(?:in|out)put)(?:$|\.\d)"
    r"|^(?:in|out)put\.value$|^(?:request|response)_data$"
)
"""Names of attributes that hold what a model was given or said."""
_LEAST = 20
"""Characters of a value that may hold messages."""


def tell_silent(raw: RawSpan, notes: Notes) -> None:
    """Tell the attributes of a model call that hold something, where no message of it is read."""
    for key, value in raw.attributes.items():
        if _SAYING.search(key) and isinstance(value, str | list | dict) and len(str(value)) > _LEAST:
            notes.ledger.items.drop("what a model call was given or said, in an unread form", notes.place)
            notes.ledger.problem(notes.place, f"no message is read in the attribute {key!r} of a model call")
            return


AROUND = "what a span took or gave, which no message holds"
EMPTY = "a span inside which nothing is, and of which neither input nor output is kept, is passed over"
_LISTED = 5
"""How many spans the problem names."""


def tell_around(
    spans: Sequence[RawSpan],
    kinds: Mapping[str, str],
    placed: Container[str],
    messages: Sequence[Message],
    notes: Notes,
) -> None:
    """Tell Langfuse's spans without spans inside, and the outermost ones, whose ends no message holds."""
    inside = {raw.parent for raw in spans}
    known = {raw.id for raw in spans}
    texts = [text for m in messages if (text := "".join((m.text or "").split()))]
    left = []
    for raw in spans:
        if str(raw.attributes.get("langfuse.observation.type")).lower() != "span":
            continue
        given, gave = (_data(raw, end) for end in ("input.value", "output.value"))
        if raw.id not in inside and raw.id not in placed and kinds[raw.id] == "SPAN":
            if not {"input.value", "output.value"} & raw.attributes.keys():
                notes.ledger.rules[EMPTY] += 1
        if kinds[raw.id] in ("SPAN", "UNKNOWN") and raw.id not in inside and raw.id not in placed:
            said = [given, gave] if given is not None and (gave is not None or raw.failed) else []
        elif raw.parent not in known and kinds[raw.id] in _AROUND:
            said = [_text(given), _text(gave)]
        else:
            continue
        if any(value is not None and not _held(value, texts) for value in said):
            left.append(raw)
    for raw in left:
        notes.ledger.items.drop(AROUND, f"{notes.place}, span {raw.id}")
    if left:
        names = ", ".join(dict.fromkeys(raw.name[:40] for raw in left[:_LISTED]))
        notes.ledger.problem(notes.place, f"{len(left)} spans: {AROUND}: {names}")


_AROUND = ("SPAN", "UNKNOWN", "CHAIN", "AGENT")


def _data(raw: RawSpan, end: str) -> Any:
    """What a span took or gave: a text, or an object in which no message is recognised."""
    value = parsed(raw.attributes.get(end))
    if isinstance(value, str) and value:
        return value
    nested = isinstance(value, Mapping) and any(isinstance(one, Mapping | list) for one in value.values())
    known = nested and messages_of(value, "user", Notes())
    return value if isinstance(value, Mapping) and value and not known else None


def _text(value: Any) -> str | None:
    """A text, or the only one in an object."""
    if isinstance(value, Mapping):
        value = next(iter(value.values())) if len(value) == 1 else None
    return value if isinstance(value, str) and value else None


def _held(value: Any, texts: Sequence[str]) -> bool:
    """Whether messages hold the texts in what a span took or gave, or a long one of them."""
    told = ["".join(one.split()) for one in _strings(value) if one not in _NOTHING]
    held = [one for one in told if any(one in text for text in texts)]
    return len(held) == len(told) or any(len(one) >= _LEAST for one in held)


_NOTHING = ("", "null", "None")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(one)


_ENDED = re.compile(r"(?:finish_?reasons?|stop_reason)$", re.IGNORECASE)
_BY_CALLS = ("tool_calls", "tool_use", "tool-calls", "tool_call", "function_call")


def tell_unheld(spans: Iterable[RawSpan], notes: Notes) -> None:
    """Tell the replies that ended with calls, in a trace that holds none: its exporter left them out."""
    places = []
    for raw in spans:
        told = [value for key, value in raw.attributes.items() if _ENDED.search(key)]
        if any(reason in str(value) for value in told for reason in _BY_CALLS):
            places.append(f"{notes.place}, span {raw.id}")
            notes.ledger.calls.drop(UNHELD, places[-1])
    if places:
        more = f" (and {len(places) - 1} further ones)" if len(places) > 1 else ""
        notes.ledger.problem(places[0], UNHELD + more)
