"""One trace per trace id of a set of spans; shared by the importers of span formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.conventions import RawSpan, first
from truespec.traces.importers.growing import grown
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import source_of
from truespec.traces.importers.spans import conversation
from truespec.traces.importers.strays import brought_home, is_stray
from truespec.traces.joins import Joins
from truespec.traces.trace import Outcome, Trace, prompt_of


def trace_of_spans(
    identifier: str,
    raws: Iterable[RawSpan],
    file: TraceFile,
    form: str,
    position: str,
    joins: Joins,
    metadata: Mapping[str, Any] | None = None,
    outcome: Outcome | None = None,
) -> Trace:
    """The trace that these spans amount to."""
    spans = list(raws)
    found = conversation(spans, Notes(file.ledger, position))
    known = joins.domain(None)
    kept = {f"attributes/{raw.id}": dict(raw.attributes) for raw in spans if not _in_messages(raw)}
    return Trace(
        id=identifier,
        messages=found.messages,
        source=source_of(file, form, position),
        system_prompt=prompt_of(found.messages) or joins.prompt,
        tools=found.tools if found.tools is not None else known.tools,
        model=found.model,
        spans=found.spans,
        outcome=outcome or Outcome(),
        metadata={**(metadata or {}), **({"agent": found.agent} if found.agent else {}), **kept},
    )


def traces_of_spans(
    groups: Iterable[tuple[str, list[RawSpan]]],
    file: TraceFile,
    form: str,
    joins: Joins,
    metadata: Mapping[str, Any] | None = None,
) -> Iterator[Trace | Problem]:
    """One trace per group; groups of nothing but a model call are requests, which may be one conversation."""
    listed = list(groups)
    strays = [group for group in listed if is_stray(group[1])]
    if not strays or len(strays) == len(listed):
        yield from _traces(listed, file, form, joins, metadata)
        return
    others = [group for group in listed if not is_stray(group[1])]
    starts = {raw.id: str(raw.start) for _, raws in others for raw in raws if raw.start}
    traces = list(_traces(others, file, form, joins, metadata))
    made, alone = brought_home(traces, strays, starts, file.ledger)
    yield from made
    yield from _traces(alone, file, form, joins, metadata)


def _traces(
    groups: Iterable[tuple[str, list[RawSpan]]],
    file: TraceFile,
    form: str,
    joins: Joins,
    metadata: Mapping[str, Any] | None,
) -> Iterator[Trace | Problem]:
    requests: list[Trace] = []
    for identifier, raws in groups:
        place, name = identifier or "document", identifier or file.path.name
        trace = trace_of_spans(name, raws, file, form, place, joins, metadata)
        if trace.messages and _is_request(trace):
            session = next((s for raw in raws if (s := first(raw.attributes, *_SESSIONS))), None)
            known = {} if session is None else {"session_id": str(session)}
            known |= _names(raws)
            requests.append(replace(trace, metadata={**known, **trace.metadata}))
        else:
            yield trace
    yield from grown(requests, file.ledger)


_SESSIONS = (
    "session.id",
    "gen_ai.conversation.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
)


def _names(raws: Iterable[RawSpan]) -> dict[str, str]:
    """The identifier of a response of OpenAI's, and the one that its request goes on from."""
    found: dict[str, str] = {}
    for raw in raws:
        given, said = raw.attributes.get("input.value"), raw.attributes.get("output.value")
        chunk = said[0] if isinstance(said, list) and said else None
        said = chunk.get("response") if isinstance(chunk, Mapping) else said
        if isinstance(given, Mapping) and isinstance(name := given.get("previous_response_id"), str):
            found["previous_response_id"] = name
        if isinstance(said, Mapping) and said.get("object") == "response" and isinstance(said.get("id"), str):
            found["response_id"] = said["id"]
    return found


def _is_request(trace: Trace) -> bool:
    """Whether its spans are one model call and what happened inside it, with nothing around it."""
    known = {span.id for span in trace.spans}
    outer = [span.kind for span in trace.spans if span.parent not in known]
    return outer == ["LLM"] and all(span.kind in ("LLM", "SPAN") for span in trace.spans)


def _in_messages(raw: RawSpan) -> bool:
    return any(
        key.startswith(("llm.input_messages", "gen_ai.input", "gen_ai.prompt")) for key in raw.attributes
    )


def by_trace(pairs: Iterable[tuple[str, RawSpan]]) -> Iterator[tuple[str, list[RawSpan]]]:
    """Spans grouped by their trace, in the order in which traces first appear."""
    groups: dict[str, list[RawSpan]] = {}
    for identifier, raw in pairs:
        groups.setdefault(identifier, []).append(raw)
    yield from groups.items()
