"""Files of no format named here, read by structure: spans with identifiers, or messages with roles.

Spans declare an identifier and attributes, messages a role or a typed part; where they lie in the file does
not matter. This importer is the last to be asked, and the ledger says that it was used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.census import census, held
from truespec.traces.importers.contained import without_contained
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.growing import grown
from truespec.traces.importers.items import SYSTEMS
from truespec.traces.importers.newest_first import oldest_first
from truespec.traces.importers.otlp import attributes_of, flat
from truespec.traces.importers.parts import (
    ARGUMENTS,
    REFERENCES,
    is_bare_call,
    is_call,
    is_result,
    kind_of_part,
)
from truespec.traces.importers.records import first_lines
from truespec.traces.importers.repeats import without_history, without_listed
from truespec.traces.importers.shared import role_of, text_of
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.importers.told import parsed
from truespec.traces.importers.whole_threads import thread_of_steps, thread_of_task, thread_of_team
from truespec.traces.importers.wrappers import (
    is_agent_event,
    is_item,
    is_typed_message,
    repeats_output,
    unwrapped,
)
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall, Trace

NAME = "structure"
RULE = "a file of no known format is read by structure"
EVENTS = "a line of a file whose results answer calls of earlier lines is an event of one conversation"
WITHIN = "a list of messages that another list holds too, with more between them, is read there alone"
TWICE = "a message that a record holds again, with its identifier, is read once"
PIECES = "an event that holds a piece of what a later one holds as a whole is passed over"
REPEATED = "an event of a workflow whose words and calls the agent's output repeats is passed over"
SINGLE = "lines that hold one message each are one conversation"
ONE = "several lists of messages in one record, each begun by a user or a prompt, are one conversation"
_DEPTH = 6
_SAID = (
    "content",
    "parts",
    "tool_calls",
    "text",
    "contents",
    "blocks",
    "items",
    "message",
    "tool_results",
    "content_json",
)
_SESSIONS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "trace_id")
_TYPES = ("type", "event", "kind", "event_type")
_IDS = ("span_id", "spanId", "id")
_PARENTS = ("parent_span_id", "parentSpanId", "parent_id", "parentId")
_TRACES = ("trace_id", "traceId")
_STARTS = (
    "start_time_unix_nano",
    "startTimeUnixNano",
    "start_time_ns",
    "start_time",
    "startTime",
    "start_ns",
    "timestamp",
)
_ABOUT_SPAN = frozenset(
    (*_IDS, *_PARENTS, *_TRACES, *_STARTS, "name", "attributes", "events", "status", "context", "end_time")
)
"""Fields of a span that are read by name; objects and lists in its other fields are read as attributes."""
_ALIASES = {
    "input": "input",
    "inputs": "input",
    "output": "output",
    "outputs": "output",
    "model": "model",
    "span_kind": "span.type",
    "span_type": "span.type",
    "spanType": "span.type",
    "kind": "span.type",
    "type": "span.type",
}


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _flat(value: Any) -> Any:
    """A span with what its context tells (MLflow 2)."""
    context = value.get("context") if isinstance(value, Mapping) else None
    return {**context, **value} if isinstance(context, Mapping) else value


def _is_span(value: Any) -> bool:
    value = _flat(value)
    return (
        isinstance(value, Mapping)
        and isinstance(_first(value, _IDS), str)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("attributes"), Mapping | list)
    )


def _spoken(value: Any) -> bool:
    """A message: a role and something said, or an item that holds one."""
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("role"), str):
        return any(key in value for key in _SAID)
    if is_typed_message(value) or is_agent_event(value) or is_bare_call(value):
        return True
    if isinstance(value.get("message"), Mapping) and isinstance(value["message"].get("role"), str):
        return True
    return isinstance(value.get("content"), Mapping) and _spoken(value["content"])


def _opened(value: Any) -> Any:
    """A record with the messages that it holds as the text of their JSON, as tables of databases do."""
    if not isinstance(value, Mapping) or _spoken(value):
        return value
    made = {}
    for key, inner in value.items():
        held = parsed(inner) if isinstance(inner, str) and inner[:1] in "[{" else inner
        told = held if isinstance(held, list) else [held]
        made[key] = (
            held if held is not inner and any(_spoken(one) or _is_item(one) for one in told) else inner
        )
    return made


def _is_item(value: Any) -> bool:
    """Whether a value is a call or a result as an item of its own, with the identifier that pairs them."""
    if not isinstance(value, Mapping) or not any(isinstance(value.get(key), str) for key in REFERENCES):
        return False
    kind = kind_of_part(value)
    named = isinstance(value.get("name"), str) and any(key in value for key in ARGUMENTS)
    return (is_call(kind) and named) or (is_result(kind) and ("output" in value or "content" in value))


def _groups(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The lists of spans (`spans`), the lists of messages and single ones (`messages`), system prompts."""
    if depth > _DEPTH:
        return
    if (steps := thread_of_steps(value)) is not None:
        prompt, said = steps
        if prompt:
            yield "system", prompt
        yield "messages", said
    elif isinstance(value, list):
        if value and all(_is_span(item) for item in value):
            yield "spans", [_flat(item) for item in value]
        elif any(_spoken(item) for item in value):
            yield "messages", [item for item in value if is_item(item) or _spoken(item)]
            if others := [item for item in value if not (is_item(item) or _spoken(item))]:
                yield "others", others
        else:
            for item in value:
                yield from _groups(item, depth + 1)
    elif isinstance(value, Mapping):
        if _spoken(value) or (depth < 2 and _is_item(value)):
            yield "messages", [value]
            return
        if not depth and _is_span(value):
            yield "spans", [_flat(value)]
            return
        thread = thread_of_team(value)
        thread = thread_of_task(value) if thread is None else thread
        if thread is not None:
            yield "messages", thread
            return
        if isinstance(value.get("query"), str) and isinstance(reply := value.get("response"), list):
            if any(_spoken(item) for item in reply):  # what an evaluator of Azure is given
                yield "messages", [{"role": "user", "content": value["query"]}]
        for key in SYSTEMS:
            if value.get(key) and (content := text_of(value[key])):
                yield "system", content
        for inner in value.values():
            if isinstance(inner, Mapping | list):
                yield from _groups(inner, depth + 1)


def _requests(
    said: list[Any], threads: list[list[Any]], ledger: Ledger | None
) -> list[tuple[list[Any], list[Any]]]:
    """What is said, as requests with their replies.

    Lists of messages that begin alike are the growing requests of one conversation, and a single message
    behind one is its reply. All else is one list.
    """
    begun = [listed[0] for listed in threads if len(listed) > 1]
    if not any(first in begun[:number] for number, first in enumerate(begun)):
        if ledger and sum(role_of(_role(listed[0])) in ("system", "user") for listed in threads) > 1:
            ledger.assumed[ONE] += 1
        return [(said, [])]
    made: list[tuple[list[Any], list[Any]]] = []
    for listed in threads:
        if len(listed) == 1 and made and not made[-1][1]:
            made[-1] = made[-1][0], listed
        else:
            made.append((listed, []))
    return made


def _go_on(lines: list[list[Any]]) -> bool:
    """Whether a line's result answers a call of an earlier line: the lines are one conversation."""
    known: set[str | None] = set()
    for said in lines:
        found = list(census([unwrapped(one) if isinstance(one, Mapping) else one for one in said]))
        calls = {one.id for one in found if isinstance(one, ToolCall)}
        results = {one.call_id for one in found if isinstance(one, Message)}
        if (results - calls) & known:
            return True
        known |= calls
    return False


def recognises(head: Any, file: TraceFile) -> bool:
    """Spans or messages anywhere in the part that was looked at, or in a line behind the first ones."""
    return any(
        kind in ("spans", "messages")
        for value in (head, *(first_lines(file) if isinstance(head, dict) else ()))
        for kind, _ in _groups(_opened(value))
    )


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """The traces of the spans, else one for each record with messages; requests that go on are one."""
    return without_contained(grown(_traces(file, joins), file.ledger), file.ledger)


def _traces(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    document = file.document()
    records: list[tuple[str, Any]] = [("document", document)]
    if isinstance(document, Problem):
        records = [(f"line {line}", value) for line, value in file.lines()]
    spans: list[tuple[str, RawSpan]] = []
    file.ledger.rules[RULE] += 1
    told: list[tuple[str, Any, list[tuple[str, Any]]]] = []
    silent: list[tuple[str, Any]] = []
    for position, value in records:
        if isinstance(value, Problem):
            yield value
            continue
        if repeats_output(value):
            file.ledger.rules[REPEATED] += 1
            continue
        groups = [
            (kind, oldest_first(found, file.ledger) if kind == "messages" else found)
            for kind, found in _groups(_opened(value))
        ]
        groups = without_listed(without_history(groups, file.ledger), file.ledger)
        _unread_entries(groups, position, file)
        listed = [spans for kind, spans in groups if kind == "spans"]
        found = [_raw(span, f"{position}.{n}") for n, group in enumerate(listed) for span in group]
        spans += found
        if not found and not any(kind == "messages" for kind, _ in groups):
            silent.append((position, value))
        elif not found:
            told.append((position, value, groups))
    go_on = len(told) > 1 and _go_on([_said(groups) for _, _, groups in told])
    if go_on or _single([(value, _said(groups)) for _, value, groups in told]):
        (file.ledger.rules if go_on else file.ledger.assumed)[EVENTS if go_on else SINGLE] += len(told)
        _unread_events(silent, file)
        silent = []
        told = [(told[0][0], None, [group for _, _, groups in told for group in groups])]
    for position, value in silent:
        yield file.problem(position, f"neither spans nor messages with roles in {brief(value)}")
    for position, value, groups in told:
        trace = _trace(position, value, groups, file, joins)
        _net(position, [value] if value is not None else [one for _, one in records], trace, file)
        yield trace
    for identifier, raws in by_trace(spans):
        yield trace_of_spans(identifier, raws, file, NAME, identifier, joins)


def _single(lines: list[tuple[Any, list[Any]]]) -> bool:
    """Whether each line holds one message, of both speakers in all, and none names another session."""
    if len(lines) < 2 or any(len(said) != 1 for _, said in lines):
        return False
    roles = {role_of(_role(said[0])) for _, said in lines}
    named = {str(_first(value, _SESSIONS)) for value, _ in lines if isinstance(value, Mapping)}
    return {"user", "assistant"} <= roles and len(named) == 1


def _role(item: Any) -> Any:
    message = item.get("message")
    return item.get("role", message.get("role") if isinstance(message, Mapping) else None)


def _unread_entries(groups: list[tuple[str, Any]], position: str, file: TraceFile) -> None:
    """Report what stands among messages and is none."""
    others = [item for kind, listed in groups if kind == "others" for item in listed]
    for _ in others:
        file.ledger.items.drop("an entry among messages that is no message", position)
    if others:
        file.ledger.problem(position, f"{len(others)} entries among messages are none: {brief(others[0])}")


def _unread_events(silent: list[tuple[str, Any]], file: TraceFile) -> None:
    """Report the lines of a log that hold no message, by their types."""
    places: dict[str, list[str]] = {}
    for position, value in silent:
        kind = str(_first(value, _TYPES) if isinstance(value, Mapping) else type(value).__name__)[:60]
        places.setdefault(kind, []).append(position)
        file.ledger.items.drop(f"an event of the type {kind!r} is not read", position)
    for kind, where in places.items():
        file.ledger.problem(where[0], f"{len(where)} events of the type {kind!r} hold no message; left out")


def _net(position: str, values: list[Any], trace: Trace, file: TraceFile) -> None:
    """Report the calls that stand in a record, wherever, and in no message of its trace."""
    calls, _ = held([values])
    taken = {call.id for message in trace.messages for call in message.calls}
    missing = [call.name for key, (_, call) in calls.items() if key not in {*taken, *file.ledger.aliases}]
    for _ in missing:
        file.ledger.calls.drop("a call outside all messages that were recognised", position)
    if missing:
        names = ", ".join(sorted(set(missing))[:5])
        file.ledger.problem(position, f"{len(missing)} calls stand outside all recognised messages: {names}")


def _within(listed: list[Any], other: list[Any]) -> bool:
    """Whether a longer list says all of a list too, in its order, with more between them."""
    if not 1 < len(listed) < len(other):
        return False
    rest = iter([_words(one) for one in other])
    said = [_words(one) for one in listed]
    return said != [_words(one) for one in other[: len(said)]] and all(one in rest for one in said)


def _words(item: Any) -> tuple[Any, ...]:
    return tuple(str(item.get(key)) for key in ("role", "content", "message", "text", "parts", "tool_calls"))


def _whole(groups: list[tuple[str, Any]], file: TraceFile) -> list[tuple[str, Any]]:
    """The groups without the events of Google's ADK that hold a piece of what a later event holds whole."""
    made: list[tuple[str, Any]] = []
    for kind, listed in groups:
        if kind == "messages" and any(one.get("partial") is True for one in listed):
            kept: list[Any] = []
            authors: set[Any] = set()
            for one in reversed(listed):
                author = str(one.get("author"))
                if one.get("partial") is not True or author not in authors:
                    kept.append(one)
                    authors.add(author)
            file.ledger.rules[PIECES] += len(listed) - len(kept)
            listed = kept[::-1]
        made.append((kind, listed))
    return made


def _once(groups: list[tuple[str, Any]], file: TraceFile) -> list[tuple[str, Any]]:
    """The groups without those whose messages all stand in an earlier one, with identifiers and words."""
    known: dict[str, Any] = {}
    made: list[tuple[str, Any]] = []
    for kind, listed in groups:
        if kind == "messages":
            named = [(one.get("id"), one) for one in listed if isinstance(one.get("id"), str)]
            if len(named) == len(listed) and all(known.get(name) == one for name, one in named):
                file.ledger.rules[TWICE] += len(listed)
                continue
            known.update(named)
        made.append((kind, listed))
    return made


def _said(groups: list[tuple[str, Any]]) -> list[Any]:
    return [item for kind, listed in groups if kind == "messages" for item in listed]


def _trace(position: str, value: Any, groups: list[tuple[str, Any]], file: TraceFile, joins: Joins) -> Trace:
    """The trace of a record with messages."""
    prompts = [{"role": "system", "content": content} for kind, content in groups if kind == "system"]
    groups = _once(_whole(groups, file), file)
    threads = [listed for kind, listed in groups if kind == "messages"]
    kept = [listed for listed in threads if not any(_within(listed, other) for other in threads)]
    if len(kept) < len(threads):
        file.ledger.rules[WITHIN] += len(threads) - len(kept)
        groups = [(kind, listed) for kind, listed in groups if kind != "messages" or listed in kept]
        threads = kept
    ledger = None if value is None else file.ledger  # lines that were found to be one conversation
    raws = [
        RawSpan(
            f"{position}.{n}" if n else position,
            None,
            "record",
            n,
            {"span.type": "RECORD", "input.value": given, "output.value": replies},
        )
        for n, (given, replies) in enumerate(_requests([*prompts, *_said(groups)], threads, ledger))
    ]
    name = next((value[k] for k in ("id", "session_id") if isinstance(value, Mapping) and value.get(k)), None)
    trace = trace_of_spans(str(name or f"{file.path.name}:{position}"), raws, file, NAME, position, joins)
    return replace(trace, spans=(), metadata={})


def _raw(span: Mapping[str, Any], group: str) -> tuple[str, RawSpan]:
    """A span with the name of its trace; spans that name none belong to that of their list."""
    status = span.get("status")
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else status
    attributes = flat(attributes_of(span["attributes"]))
    for key, value in span.items():
        name = _ALIASES.get(key)
        if name is None and (key in _ABOUT_SPAN or not isinstance(value, Mapping | list)):
            continue
        if value not in (None, [], {}) and (name != "span.type" or isinstance(value, str)):
            attributes.setdefault(name or key, value)
    parent = _first(span, _PARENTS)
    events = span.get("events")
    return str(_first(span, _TRACES) or group), RawSpan(
        id=str(_first(span, _IDS)),
        parent=None if parent is None else str(parent),
        name=str(span["name"]),
        start=str(_first(span, _STARTS) or 0).rjust(24, "0"),
        attributes=attributes,
        events=[e for e in events if isinstance(e, Mapping)] if isinstance(events, list) else [],
        failed=code in (2, "ERROR", "STATUS_CODE_ERROR", "error"),
    )
