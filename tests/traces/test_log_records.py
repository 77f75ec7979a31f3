"""Log records of model calls: which request each reply belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace


def record(number: int, span: str, name: str, **body: Any) -> dict[str, Any]:
    return {"traceId": "t", "spanId": span, "timeUnixNano": str(number), "eventName": name, "body": body}


def trace(path: Path, *entries: dict[str, Any]) -> Trace:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    (found,) = (item for item in read(path) if isinstance(item, Trace))
    return found


def told(found: Trace) -> list[tuple[str, str | None, list[str | None]]]:
    return [(message.role, message.text, [call.id for call in message.calls]) for message in found.messages]


CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
EXPECTED = [
    ("user", "Where?", []),
    ("assistant", None, ["call_1"]),
    ("tool", "here", []),
    ("assistant", "Here.", []),
]


def conversation(first: str, second: str, reply: str | None = None) -> list[dict[str, Any]]:
    return [
        record(1, first, "gen_ai.user.message", content="Where?"),
        record(2, reply or first, "gen_ai.choice", index=0, message={"tool_calls": [CALL]}),
        record(3, second, "gen_ai.user.message", content="Where?"),
        record(4, second, "gen_ai.assistant.message", tool_calls=[CALL]),
        record(5, second, "gen_ai.tool.message", id="call_1", content="here"),
        record(6, reply or second, "gen_ai.choice", index=0, message={"content": "Here."}),
    ]


def span(identifier: str, parent: str | None, **attributes: Any) -> dict[str, Any]:
    return {
        "traceId": "t",
        "spanId": identifier,
        "parentSpanId": parent,
        "name": identifier,
        "startTimeUnixNano": "1",
        "attributes": attributes,
    }


CHAT = {"gen_ai.operation.name": "chat"}


def test_records_at_their_own_model_calls(tmp_path: Path) -> None:
    spans = [span("a", "p", **CHAT), span("b", "p", **CHAT), span("p", None)]
    assert told(trace(tmp_path / "x.jsonl", *conversation("a", "b"), *spans)) == EXPECTED


def test_records_of_several_model_calls_at_the_span_around_them(tmp_path: Path) -> None:
    assert told(trace(tmp_path / "x.jsonl", *conversation("p", "p"), span("p", None))) == EXPECTED


def test_replies_at_the_span_around_their_requests(tmp_path: Path) -> None:
    spans = [span("a", "p", **CHAT), span("b", "p", **CHAT), span("p", None)]
    assert told(trace(tmp_path / "x.jsonl", *conversation("a", "b", "p"), *spans)) == EXPECTED


def test_records_without_any_span(tmp_path: Path) -> None:
    assert told(trace(tmp_path / "x.jsonl", *conversation("a", "b", "p"))) == EXPECTED
    assert told(trace(tmp_path / "x.jsonl", *conversation("p", "p"))) == EXPECTED


def test_arguments_that_were_not_recorded_are_not_empty(tmp_path: Path) -> None:
    bare = {**CALL, "function": {"name": "look"}}
    found = trace(
        tmp_path / "x.jsonl",
        record(1, "a", "gen_ai.user.message", content="Where?"),
        record(2, "a", "gen_ai.choice", index=0, message={"tool_calls": [bare]}),
    )
    (call,) = found.messages[-1].calls
    assert call.arguments is None
    assert call.raw == ""
