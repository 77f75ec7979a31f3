"""Langfuse exports: `{trace, observations[]}`. Inputs and outputs are JSON texts whose shape depends on the
framework that wrote them; `spans.messages_of` knows the common ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief, loads
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.items import messages_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import entries, whole_or_lines
from truespec.traces.importers.shared import dicts, number, value_text
from truespec.traces.importers.span_traces import by_trace, trace_of_spans
from truespec.traces.importers.tool_names import SPAN_OF_TOOL, tool_of_span
from truespec.traces.importers.tool_runs import ERROR
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.scanner import each_record
from truespec.traces.trace import Outcome, Trace

NAME = "langfuse"
ASIDE = ("scores",)
"""Fields beside the conversation: what judges say of it."""
_KINDS = {
    "GENERATION": "LLM",
    "TOOL": "TOOL",
    "AGENT": "AGENT",
    "CHAIN": "CHAIN",
    "RETRIEVER": "RETRIEVER",
    "EMBEDDING": "EMBEDDING",
    "EVALUATOR": "EVALUATOR",
    "GUARDRAIL": "GUARDRAIL",
}
_EVENTS = ("-create", "-update")
_PAGES = ("data", "traces", "items")


def _is_export(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("observations"), list)


def _page(value: Any) -> str | None:
    """The field that holds the traces of a page of the API's answers, or of a dump of several."""
    if not isinstance(value, dict):
        return None
    listed = ((key, value[key]) for key in _PAGES if isinstance(value.get(key), list) and value[key])
    return next((key for key, held in listed if _is_export(held[0])), None)


def _unpaged(values: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The traces one by one, those of pages too."""
    for position, value in values:
        if key := _page(value):
            for number, inner in enumerate(value[key]):
                yield f"{position}/{key}/{number}", inner
        elif _is_export(value) and len(named := _by_trace(value["observations"])) > 1:
            about = {str(one.get("id")): one for one in dicts(value.get("traces"))}
            for name, held in named.items():
                yield f"{position}, {name}", {"id": name, **about.get(name, {}), "observations": held}
        else:
            yield position, value


def _by_trace(observations: list[Any]) -> dict[str, list[Any]]:
    """The observations of several traces, where each names its trace."""
    named: dict[str, list[Any]] = {}
    for one in dicts(observations):
        if one.get("traceId") is None:
            return {}
        named.setdefault(str(one["traceId"]), []).append(one)
    return named


def _is_observation(value: Any) -> bool:
    return isinstance(value, dict) and "traceId" in value and _type(value) in (*_KINDS, "SPAN", "EVENT")


def _type(observation: Mapping[str, Any]) -> str:
    return str(observation.get("type")).upper()


def _is_event(value: Any) -> bool:
    """An event of Langfuse's ingestion: a part of a trace or of an observation."""
    if not isinstance(value, dict) or not isinstance(value.get("body"), dict):
        return False
    return isinstance(value.get("type"), str) and value["type"].endswith(_EVENTS) and "id" in value["body"]


def _events_in(value: Any) -> list[Any] | None:
    """The events of a batch, or the event that a value is."""
    if _is_event(value):
        return [value]
    listed = value.get("batch") if isinstance(value, dict) else None
    return listed if isinstance(listed, list) and listed and _is_event(listed[0]) else None


def _ingested(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """The traces whose parts the events of a file tell: what later events say of an object is added to it."""
    known: dict[str, dict[str, dict[str, Any]]] = {"trace": {}, "observation": {}}
    for position, value in entries(file):
        if isinstance(value, Problem):
            yield value
            continue
        events = _events_in(value)
        if events is None:
            yield file.problem(position, "no event of Langfuse's ingestion")
        for event in events or ():
            if not _is_event(event):
                file.ledger.items.drop("an event of Langfuse's ingestion that is not read", position)
                yield file.problem(position, f"an event of Langfuse's ingestion is not read: {brief(event)}")
                continue
            kind, body = event["type"].rpartition("-")[0].upper(), event["body"]
            if kind in ("SCORE", "SDK-LOG"):
                continue
            about = {"type": kind, "startTime": event.get("timestamp")} if kind != "TRACE" else {}
            told = known["trace" if kind == "TRACE" else "observation"]
            one = told.setdefault(str(body["id"]), about)
            one.update({key: held for key, held in body.items() if held is not None})
    for value in known["observation"].values():
        name = str(value.get("traceId"))
        known["trace"].setdefault(name, {"id": name}).setdefault("observations", []).append(value)
    for name, value in known["trace"].items():
        yield _trace({"observations": [], **value}, file, name, joins)


def _listed(head: Any) -> bool:
    """Whether a value is an observation, a list of them, or a page of them as the API answers."""
    listed = head.get("data") if isinstance(head, Mapping) and isinstance(head.get("data"), list) else head
    return _is_observation(listed[0] if isinstance(listed, list) and listed else listed)


def _observations(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """The traces of a list or of lines of observations."""
    if isinstance(file.head, list):
        listed = [(f"record {index}", value) for _, index, value in each_record(file, None, _is_observation)]
    else:
        listed = []
        for position, value in whole_or_lines(file):
            if isinstance(value, Mapping) and isinstance(value.get("data"), list):
                listed += [(f"{position}, data/{number}", one) for number, one in enumerate(value["data"])]
            else:
                listed.append((position, value))
    found: list[tuple[str, RawSpan]] = []
    for position, value in listed:
        if isinstance(value, Problem):
            yield value
        elif _is_observation(value):
            found.append((str(value["traceId"]), _raw(value, file.ledger)))
        else:
            yield file.problem(position, "no observation of a trace")
    for identifier, raws in by_trace(found):
        yield trace_of_spans(identifier, raws, file, NAME, identifier, joins)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A trace with observations beside or inside it."""
    first = head[0] if isinstance(head, list) and head else head
    if _listed(head) or _page(first) or _events_in(first):
        return True
    if not isinstance(first, dict):
        return False
    trace = first.get("trace")
    return (isinstance(trace, dict) and "messages" not in trace and "projectId" in trace) or _is_export(first)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per export, or per trace id of a list of observations or of events."""
    if _events_in(file.head[0] if isinstance(file.head, list) and file.head else file.head):
        yield from _ingested(file, joins)
        return
    if _listed(file.head):
        yield from _observations(file, joins)
        return
    if isinstance(file.head, list):
        values = [(str(index), value) for _, index, value in each_record(file, None, _is_export)]
    elif str(file).removesuffix(".gz").endswith(".jsonl"):
        values = [(f"line {line}", value) for line, value in file.lines()]
    else:
        values = [("document", file.document())]
    for position, value in _unpaged(values):
        if isinstance(value, Problem):
            yield value
        elif _is_export(value):
            yield _trace(value, file, position, joins)
        else:
            yield file.problem(position, "no trace with observations")


def _trace(value: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    about = value.get("trace") if isinstance(value.get("trace"), dict) else value
    assert isinstance(about, dict)
    raws = [_raw(o, file.ledger) for o in value["observations"] if isinstance(o, dict)]
    root = RawSpan(
        str(about.get("id")),
        None,
        str(about.get("name") or "trace"),
        "",
        {
            "langfuse.observation.type": "span",
            "input.value": _parsed(about.get("input")),
            "output.value": _parsed(about.get("output")),
        },
    )
    scores = {str(s.get("name")): s.get("value") for s in about.get("scores") or () if isinstance(s, dict)}
    metadata = {
        k: v for k, v in about.items() if k not in ("id", "input", "output", "scores", "observations") and v
    }
    raws = [raw if raw.parent else RawSpan(raw.id, root.id, *_rest(raw)) for raw in raws]
    outcome = Outcome(number(scores.get("reward")), scores)
    return trace_of_spans(root.id, [root, *raws], file, NAME, position, joins, metadata, outcome)


def _rest(raw: RawSpan) -> tuple[Any, ...]:
    return raw.name, raw.start, raw.attributes, raw.events, raw.failed


def _parsed(value: Any) -> Any:
    """Texts are stored as JSON of their JSON."""
    for _ in range(2):
        if isinstance(value, str) and value[:1] in '"[{':
            try:
                value = loads(value)
            except ValueError:
                return value
    return value


def _raw(o: Mapping[str, Any], ledger: Ledger) -> RawSpan:
    metadata = _parsed(o.get("metadata"))
    attributes = dict(metadata.get("attributes") or {}) if isinstance(metadata, dict) else {}
    # Langfuse has already moved the messages to input and output; what remains of them would only repeat.
    attributes = {
        k: v for k, v in attributes.items() if not k.startswith(("llm.output_messages", "openinference"))
    }
    kind, tool = _KINDS.get(_type(o)), None
    if _type(o) == "SPAN" and (tool := tool_of_span(o, metadata)):
        kind = "TOOL"
        ledger.rules[SPAN_OF_TOOL] += 1
    if kind:
        attributes["openinference.span.kind"] = kind
    elif attributes.get("gen_ai.operation.name") == "chain":
        del attributes["gen_ai.operation.name"]
    if _type(o) == "SPAN":
        attributes.setdefault("langfuse.observation.type", "span")
    for key, name in (("input", "input.value"), ("output", "output.value")):
        if o.get(key) is not None:
            attributes[name] = _parsed(o[key])
    if kind == "LLM":
        _say_bare(attributes, ledger)
    if kind == "LLM" and o.get("toolCalls") and "output.value" not in attributes:
        attributes["output.value"] = {"role": "assistant", "tool_calls": [_parsed(c) for c in o["toolCalls"]]}
    if kind == "TOOL":
        name = tool or str(o.get("name", "")).removeprefix("running tool: ")
        attributes.setdefault("gen_ai.tool.name", name)
        if o.get("level") == "ERROR" and isinstance(o.get("statusMessage"), str):
            attributes.setdefault(ERROR, o["statusMessage"])
    definitions = o.get("toolDefinitions")
    if isinstance(definitions, dict) and definitions:
        listed = [{"name": name, **(_as_dict(_parsed(body)))} for name, body in definitions.items()]
        attributes.setdefault("gen_ai.tool.definitions", listed)
    if o.get("model"):
        attributes["model"] = o["model"]
    return RawSpan(
        id=str(o.get("id")),
        parent=o.get("parentObservationId"),
        name=str(o.get("name") or ""),
        start=o.get("startTime"),
        attributes=attributes,
        failed=o.get("level") == "ERROR",
    )


BARE = "what a generation was given or gave, in no form of messages, is said as it is"
_OF_MESSAGES = frozenset(
    (
        *("role", "content", "contents", "messages", "choices", "parts", "candidates", "prompt", "tools"),
        *("tool_calls", "toolCalls", "kwargs", "generations", "usage", "message", "output", "object"),
    )
)
"""Fields of messages, requests and replies: what holds one of them in no known form is told."""
_ENDS = (("input.value", "user"), ("output.value", "assistant"))


def _say_bare(attributes: dict[str, Any], ledger: Ledger) -> None:
    """An object that holds no message, such as a prompt's variables or a structured reply, is a text."""
    for name, role in _ENDS:
        value = attributes.get(name)
        if not isinstance(value, Mapping) or not value or not _OF_MESSAGES.isdisjoint(value):
            continue
        if not messages_of(value, role, Notes()):
            attributes[name] = {"role": role, "content": value_text(value)}
            ledger.assumed[BARE] += 1


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
