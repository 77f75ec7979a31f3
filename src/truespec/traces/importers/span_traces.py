"""One trace per trace id of a set of spans; shared by the importers of span formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import TraceFile
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import source_of
from truespec.traces.importers.spans import conversation
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
