"""What exporters leave out, cut off or name elsewhere: read where the file says it elsewhere, else told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from imported import answered_calls as calls
from imported import imported
from imported import spoken as said
from truespec.traces.importers.literals import literal
from truespec.traces.importers.tool_names import tool_of_span

ASKED = "How full is tank 7?"
DONE = "Tank 7 is nearly full."


def written(value: Any, tmp_path: Path, name: str = "log.json") -> Path:
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def otlp(*spans: dict[str, Any], trace: str = "t") -> dict[str, Any]:
    def valued(value: Any) -> dict[str, Any]:
        return {"stringValue": value if isinstance(value, str) else json.dumps(value)}

    made = [
        {
            "traceId": trace,
            "spanId": f"s{number}",
            "name": str(span.pop("name", f"span {number}")),
            "startTimeUnixNano": str(number),
            "attributes": [{"key": key, "value": valued(value)} for key, value in span.items()],
        }
        for number, span in enumerate(spans)
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}


ASKING = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": [{"role": "user", "content": ASKED}]}


def replying(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"gen_ai.output.messages": [{"role": "assistant", "content": None, "tool_calls": list(calls)}]}


def asking_for(name: str, arguments: str) -> dict[str, Any]:
    return {"id": f"call-{name}", "type": "function", "function": {"name": name, "arguments": arguments}}


def running(name: str, arguments: dict[str, Any], result: str) -> dict[str, Any]:
    about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    return {**about, "gen_ai.tool.call.arguments": arguments, "gen_ai.tool.call.result": result}


def test_a_request_that_is_cut_off_is_the_one_around_the_step(tmp_path: Path) -> None:
    whole = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED}]
    body = json.dumps({"model": "m", "messages": whole, "tools": [{"name": "gauge"}]})

    def span(number: int, kind: str, given: Any, gave: Any, above: int | None = None) -> dict[str, Any]:
        about = {
            "id": f"s{number}",
            "traceId": "t",
            "type": kind,
            "name": kind,
            "parentSpanId": above and f"s{above}",
        }
        return {**about, "startTime": f"2026-01-01T00:00:0{number}", "input": given, "output": gave}

    spans = [
        span(1, "model_generation", {"messages": whole}, {"text": DONE}),
        span(2, "model_step", {"body": f"{body[:-12]}…[truncated]"}, {"text": DONE}, 1),
    ]
    (trace,), problems, file = imported(written(spans, tmp_path))
    assert [message.role for message in trace.messages] == ["system", "user", "assistant"]
    assert problems == []
    assert file.ledger.lossless
    spans[0]["input"] = {"messages": [{"role": "user", "content": "Another question"}]}
    _, problems, file = imported(written(spans, tmp_path))
    assert any("cut off" in problem.message for problem in problems)
    assert not file.ledger.lossless


def test_a_run_of_mastras_is_no_further_call(tmp_path: Path) -> None:
    call = {"toolCallId": "c1", "toolName": "gauge", "args": {"tank": "T-7"}}
    given = {"messages": [{"role": "user", "content": ASKED}]}
    about = {"traceId": "t", "startTime": "2026-01-01T00:00:01"}
    gave = {"toolCalls": [call]}
    run = {"name": "tool: 'gauge'", "attributes": {"toolId": "gauge"}, "input": {"tank": "T-7"}}
    spans = [
        {**about, "id": "a", "type": "model_step", "name": "step", "input": given, "output": gave},
        {**about, "id": "b", "type": "tool_call", **run, "output": "91"},
    ]
    (trace,), problems, file = imported(written(spans, tmp_path))
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]
    assert problems == []
    assert file.ledger.lossless


def test_what_no_reply_tells_is_what_the_runs_were_given(tmp_path: Path) -> None:
    spans = [
        {**ASKING, **replying(asking_for("gauge", "{}"), asking_for("page", "{}"))},
        running("gauge", {"tank": "T-7"}, "91"),
        running("page", {"who": "ops"}, "paged"),
    ]
    (trace,), _, file = imported(written(otlp(*map(dict, spans)), tmp_path))
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91"), ("page", {"who": "ops"}, "paged")]
    assert sum(file.ledger.assumed.values()) == 2
    spans[0] |= replying(asking_for("gauge", '{"tank": "T-7"}'), asking_for("page", "{}"))
    (trace,), _, _ = imported(written(otlp(*spans), tmp_path))
    assert calls(trace)[1] == ("page", {}, "paged")


def test_a_plain_span_with_a_declared_tools_name_and_arguments_is_its_run(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"tank": {"type": "string"}}}
    tools = [{"type": "function", "function": {"name": "gauge", "parameters": schema}}]
    model = {
        **ASKING,
        "gen_ai.tool.definitions": tools,
        "gen_ai.output.messages": [{"role": "assistant", "content": DONE}],
    }
    plain = {"name": "gauge", "input.value": {"tank": "T-7"}, "output.value": "91"}
    other = {"name": "gauge", "input.value": {"run": 1}, "output.value": "begun"}
    (trace,), _, _ = imported(written(otlp(model, plain, other), tmp_path))
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]


@pytest.mark.parametrize(
    ("name", "metadata", "tool"),
    [
        ("tools.find_order", None, "find_order"),
        ("Tool: find_order", None, "find_order"),
        ("execute_tool find_order", {}, "find_order"),
        ("tools/call find_order", None, "find_order"),
        ("lookup", {"tool_name": "find_order"}, "find_order"),
        ("lookup", {"kind": "tool"}, "lookup"),
        ("tools", None, None),
        ("tools/call", None, None),
        ("tools/list", None, None),
        ("tool calls", None, None),
        ("tool_router", None, None),
        ("find_order", {"type": "chain"}, None),
    ],
)
def test_names_and_metadata_that_say_that_a_span_runs_a_tool(
    name: str, metadata: Any, tool: str | None
) -> None:
    assert tool_of_span({"name": name}, metadata) == tool


def test_plain_spans_of_langfuse_that_hold_nothing_are_counted(tmp_path: Path) -> None:
    listed = [
        {"id": "g", "traceId": "t", "type": "generation", "name": "plan", "input": ASKED, "output": DONE},
        {"id": "e", "traceId": "t", "parentObservationId": "g", "type": "span", "name": "order.comment"},
    ]
    (trace,), problems, file = imported(written(listed, tmp_path))
    assert said(trace) == [("user", ASKED), ("assistant", DONE)]
    assert problems == []
    assert [count for rule, count in file.ledger.rules.items() if "passed over" in rule] == [1]


def test_dots_that_stand_for_what_is_left_out_are_no_value(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="left out"):
        literal('{"flights": [ ... ]}')
    assert literal("['...']") == ["..."]
    run = running("find", {"to": "Oslo"}, '{"flights": [ ... ]}')
    (trace,), _, _ = imported(written(otlp(run), tmp_path))
    assert calls(trace) == [("find", {"to": "Oslo"}, '{"flights": [ ... ]}')]


def test_a_trace_without_a_name_is_told_with_a_place(tmp_path: Path) -> None:
    model = {**ASKING, "gen_ai.output.messages": [{"role": "assistant", "content": DONE}]}
    value = otlp(model, running("gauge", {}, "91"), trace="")
    (trace,), (problem,), _ = imported(written(value, tmp_path))
    assert (trace.id, problem.position) == ("log.json", "document")


def test_an_empty_line_parts_what_the_user_tells_aider(tmp_path: Path) -> None:
    text = (
        "# aider chat started at 2026-01-01 00:00:00\n\n#### /clear\n\n#### Read\n#### twice\n\nIt is read.\n"
    )
    (trace,), _, _ = imported(written(text, tmp_path, ".aider.chat.history.md"))
    assert said(trace) == [("user", "/clear"), ("user", "Read\ntwice"), ("assistant", "It is read.")]


def test_values_of_spans_of_no_kind_that_no_message_holds_are_told(tmp_path: Path) -> None:
    first = {"name": "load", "input.value": {"loan": "L-1"}, "output.value": {"borrower": "Jane Doe"}}
    second = {"name": "judge", "input.value": {"class": "COMM"}, "output.value": {"verdict": "approved"}}
    (trace,), problems, file = imported(written(otlp(first, second), tmp_path))
    assert said(trace) == [("user", '{"loan": "L-1"}'), ("assistant", '{"borrower": "Jane Doe"}')]
    assert any("judge" in problem.message for problem in problems)
    assert not file.ledger.lossless
