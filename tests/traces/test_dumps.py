"""Dumps that hold several traces beside their spans, and spans of tools that only their names tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from imported import imported
from truespec.traces.trace import Trace

ASKED = "How full is T-7?"


def traces_in(value: Any, tmp_path: Path) -> list[Trace]:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(value))
    return imported(path)[0]


def calls(trace: Trace) -> list[tuple[str, Any, str | None]]:
    return [
        (call.name, call.arguments, trace.messages[at].text if (at := trace.results.get((m, n))) else None)
        for m, message in enumerate(trace.messages)
        for n, call in enumerate(message.calls)
    ]


def test_observations_of_several_traces_in_one_list(tmp_path: Path) -> None:
    """Each trace is a conversation of its own, whatever it shares with the others."""
    observations = [
        {
            "id": f"o{n}",
            "traceId": f"t{n}",
            "type": "GENERATION",
            "name": "llm",
            "startTime": f"2026-01-01T00:00:0{n}Z",
            "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": asked}],
            "output": {"role": "assistant", "content": "Yes."},
        }
        for n, asked in enumerate((ASKED, "And T-9?"))
    ]
    dump = {"traces": [{"id": "t0", "name": "first"}, {"id": "t1"}], "observations": observations}
    first, second = traces_in(dump, tmp_path)
    assert (first.id, first.metadata["name"], second.id) == ("t0", "first", "t1")
    assert [m.text for m in second.messages] == ["Be brief.", "And T-9?", "Yes."]


def test_spans_of_the_agents_sdk_beside_their_traces(tmp_path: Path) -> None:
    def span(name: str, data: dict[str, Any], error: Any = None) -> dict[str, Any]:
        about = {"object": "trace.span", "id": name, "trace_id": "t", "parent_id": None}
        return {**about, "started_at": f"2026-01-01T00:00:0{name}Z", "span_data": data, "error": error}

    reply = [{"role": "assistant", "content": "I look."}]
    spans = [
        span("1", {"type": "generation", "input": [{"role": "user", "content": ASKED}], "output": reply}),
        span("2", {"type": "function", "name": "gauge", "input": '{"tank": "T-7"}', "output": "91"}),
        span(
            "3",
            {"type": "function", "name": "drain", "input": '{"tank": "T-7"}', "output": None},
            {"message": "valve stuck", "data": None},
        ),
    ]
    (trace,) = traces_in({"traces": [{"object": "trace", "id": "t"}], "spans": spans}, tmp_path)
    given = {"tank": "T-7"}
    assert calls(trace) == [("gauge", given, "91"), ("drain", given, "valve stuck")]


def test_a_span_with_the_name_of_a_tool_and_no_kind_is_a_tool(tmp_path: Path) -> None:
    def span(name: str, **attributes: str) -> dict[str, Any]:
        listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
        return {"traceId": "t", "spanId": name, "name": name, "startTimeUnixNano": name, "attributes": listed}

    model = span("1", **{"gen_ai.input.messages": json.dumps([{"role": "user", "content": ASKED}])})
    tool = span("2", **{"tool.name": "gauge", "tool.input": '{"tank": "T-7"}', "tool.output": "91"})
    dump = {"resourceSpans": [{"scopeSpans": [{"spans": [model, tool]}]}]}
    (trace,) = traces_in(dump, tmp_path)
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]


def test_the_system_prompt_of_a_recorded_request_to_gemini(tmp_path: Path) -> None:
    asked = {
        "contents": [{"role": "user", "parts": [{"text": ASKED}]}],
        "systemInstruction": {"role": "user", "parts": [{"text": "You watch the tanks."}]},
    }
    said = {"candidates": [{"content": {"role": "model", "parts": [{"text": "91."}]}}]}
    pair = {
        "request": {"uri": "u", "body": json.dumps(asked)},
        "response": {"body": {"string": json.dumps(said)}},
    }
    (trace,) = traces_in({"interactions": [pair]}, tmp_path)
    assert trace.system_prompt == "You watch the tanks."
    assert [m.text for m in trace.messages if m.role != "system"] == [ASKED, "91."]
