"""Verdicts and violations as OpenTelemetry spans and events.

A verdict is a span `truespec.verify`; what a trace check found in one trace is a span `truespec.trace_check`
with an event `truespec.violation` for each violation. Records hold how long a verification took but not when:
a span ends when it is made.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truespec.compliance.baseline import violations_in
from truespec.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Tracer

    from truespec.verdict import Verdict

LONGEST = 4_000
"""Characters of an attribute's text; the rest is cut off and counted."""
BATCH = 500
"""Spans that are sent at once."""

Clock = Callable[[], int]
"""Nanoseconds since 1970."""


def emit_verdict(
    tracer: Tracer,
    record: Mapping[str, Any] | Verdict,
    *,
    texts: bool = False,
    now: Clock = time.time_ns,
) -> None:
    """Make a span of a verdict or a verdict record.

    An answer of `unknown` sets the span's status to error, with the reason's code. With `texts`, the event
    `truespec.counterexample` holds the input on which the two differ, and attributes the reason's detail.
    """
    from opentelemetry.trace import StatusCode

    fields: Mapping[str, Any] = record if isinstance(record, Mapping) else record.to_json()
    reason = fields.get("reason") or {}
    named = {
        "truespec.id": fields.get("id"),
        "truespec.domain": fields.get("domain"),
        "truespec.answer": fields.get("answer"),
        "truespec.relation": fields.get("relation"),
        "truespec.method": fields.get("method"),
        "truespec.reason.code": reason.get("code"),
        "truespec.reason.detail": reason.get("detail") if texts else None,
        "truespec.version": fields.get("version"),
    }
    end = now()
    start = end - int(1e9 * float(fields.get("seconds") or 0.0))
    span = tracer.start_span("truespec.verify", attributes=_attributes(named), start_time=start)
    evidence = fields.get("evidence") or {}
    if texts and "counterexample" in evidence:
        point = {name: evidence.get(name) for name in ("counterexample", "oracle_value", "candidate_value")}
        shown = {f"truespec.{name}": json.dumps(value, ensure_ascii=False) for name, value in point.items()}
        span.add_event("truespec.counterexample", _attributes(shown), timestamp=end)
    if fields.get("answer") == "unknown":
        span.set_status(StatusCode.ERROR, str(reason.get("code", "")))
    span.end(end_time=end)


def emit_artifact(
    tracer: Tracer, artifact: Mapping[str, Any], *, texts: bool = False, now: Clock = time.time_ns
) -> int:
    """Make a span of the artifact of a trace, with an event for each violation; return how many these are.

    With `texts`, events hold the quote of the trace. Accepted violations are marked, not left out.
    """
    violations = list(violations_in(artifact))
    skipped = [
        one
        for one in artifact.get("checks", ())
        if (one.get("status") == "not_evaluated" or one.get("reason")) and not one.get("elsewhere")
    ]
    named = {
        "truespec.trace_id": artifact.get("trace_id"),
        "truespec.task_id": artifact.get("task_id"),
        "truespec.domain": artifact.get("domain"),
        "gen_ai.request.model": artifact.get("model"),
        "truespec.score": (artifact.get("aggregate") or {}).get("score"),
        "truespec.violations": len(violations),
        "truespec.not_evaluated": len(skipped),
    }
    end = now()
    span = tracer.start_span("truespec.trace_check", attributes=_attributes(named), start_time=end)
    for one in violations:
        found = {f"truespec.{name}": one.get(name) for name in ("rule_id", "kind", "severity", "effect")}
        found |= {
            "truespec.message_index": one.get("message_index"),
            "truespec.accepted": "accepted" in one,
        }
        found["truespec.quote"] = one.get("quote") if texts else None
        span.add_event("truespec.violation", _attributes(found), timestamp=end)
    span.end(end_time=end)
    return len(violations)


def _attributes(named: Mapping[str, Any]) -> dict[str, str | bool | int | float]:
    """Attributes without those that are unknown; long texts are cut, and say so."""
    found: dict[str, str | bool | int | float] = {}
    for name, value in named.items():
        if value is None:
            continue
        if isinstance(value, bool | int | float):
            found[name] = value
            continue
        text = str(value).encode("utf-8", "backslashreplace").decode()
        left_out = len(text) - LONGEST
        found[name] = text if left_out <= 0 else f"{text[:LONGEST]}… {left_out} more characters"
    return found


def send(
    records: Iterable[Mapping[str, Any]],
    export: Callable[[Sequence[ReadableSpan]], bool],
    *,
    texts: bool = False,
) -> tuple[int, int]:
    """Make spans of verdict records and artifacts and give them to `export`; how many it took and refused.

    `export` takes some spans and says whether they arrived.
    """
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

    waiting: list[ReadableSpan] = []

    class Kept(SpanProcessor):
        def on_end(self, span: ReadableSpan) -> None:
            waiting.append(span)

    provider = TracerProvider(resource=Resource.create({"service.name": "truespec"}))
    provider.add_span_processor(Kept())
    tracer = provider.get_tracer("truespec", __version__)
    took = refused = 0

    def flush() -> None:
        nonlocal took, refused
        if waiting and export(list(waiting)):
            took += len(waiting)
        else:
            refused += len(waiting)
        waiting.clear()

    for record in records:
        if "trace_id" in record:
            emit_artifact(tracer, record, texts=texts)
        else:
            emit_verdict(tracer, record, texts=texts)
        if len(waiting) >= BATCH:
            flush()
    flush()
    return took, refused
