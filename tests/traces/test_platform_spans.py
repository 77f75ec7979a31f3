"""Spans of platforms that do not say which of them ran a tool, or name their fields in another way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace

Told = tuple[str, Any, str | None, bool | None]


def traces_of(value: Any, tmp_path: Path) -> list[Trace]:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(value))
    return [item for item in read(path) if isinstance(item, Trace)]


def told(trace: Trace) -> list[Told]:
    """Each call with the text of its result, and whether that failed."""
    made: list[Told] = []
    for at, message in enumerate(trace.messages):
        for number, call in enumerate(message.calls):
            answer = trace.results.get((at, number))
            result = None if answer is None else trace.messages[answer]
            text, failed = (None, None) if result is None else (result.text, result.error)
            made.append((call.name, call.arguments, text, failed))
    assert len(trace.origins) == sum(message.role == "tool" for message in trace.messages)
    return made


def asked(*calls: dict[str, Any]) -> dict[str, Any]:
    named = [
        {"function": {"name": "find_order", "arguments": json.dumps(given)}, "id": f"c{n}"}
        for n, given in enumerate(calls)
    ]
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": named}}]}


def op(number: int, name: str, inputs: Any, output: Any, **more: Any) -> dict[str, Any]:
    """A call of Weave: no field says what kind of work it is."""
    return {
        "id": f"w{number}",
        "trace_id": "t",
        "parent_id": more.pop("parent_id", None),
        "op_name": f"weave:///team/shop/op/{name}:v1",
        "started_at": f"2026-03-01T10:00:0{number}Z",
        "inputs": inputs,
        "output": output,
        "exception": None,
        **more,
    }


GIVEN = {"messages": [{"role": "user", "content": "Where are A17 and B42?"}]}


def test_an_operation_with_the_name_and_arguments_of_a_call_is_its_run(tmp_path: Path) -> None:
    listed = [
        op(0, "complete", GIVEN, asked({"order": "A17"}, {"order": "B42"})),
        op(1, "find_order", {"order": "B42", "region": "EU"}, "lost", parent_id="w0"),
        op(2, "find_order", {"order": "A17"}, None, exception="KeyError: A17"),
        op(3, "find_order", {"order": "C99"}, "never asked for"),
    ]
    (trace,) = traces_of(listed, tmp_path)
    assert told(trace) == [
        ("find_order", {"order": "A17"}, "KeyError: A17", True),
        ("find_order", {"order": "B42"}, "lost", None),
    ]
    assert [span.kind for span in trace.spans] == ["LLM", "TOOL", "TOOL", "CHAIN"]


def test_a_method_runs_the_call_that_is_named_after_it(tmp_path: Path) -> None:
    listed = [
        op(0, "complete", GIVEN, asked({"order": "A17"})),
        op(1, "Desk.find_order", {"self": "weave:///team/shop/object/Desk:1", "order": "A17"}, "sent"),
    ]
    (trace,) = traces_of(listed, tmp_path)
    assert told(trace) == [("find_order", {"order": "A17"}, "sent", None)]


def test_a_chain_around_a_tool_of_its_name_is_no_second_run(tmp_path: Path) -> None:
    listed = [
        op(0, "complete", GIVEN, asked({"order": "A17"})),
        op(1, "find_order", {"order": "A17"}, {"wrapped": "sent"}),
        op(2, "find_order", {"order": "A17"}, "sent", parent_id="w1", attributes={"weave": {"kind": "tool"}}),
    ]
    (trace,) = traces_of(listed, tmp_path)
    assert told(trace) == [("find_order", {"order": "A17"}, "sent", None)]


def test_a_tool_that_failed_after_it_gave_something_says_both(tmp_path: Path) -> None:
    listed = [
        op(0, "complete", GIVEN, asked({"order": "A17"})),
        op(1, "find_order", {"order": "A17"}, "sent", exception="checksum differs"),
    ]
    (trace,) = traces_of(listed, tmp_path)
    assert told(trace) == [("find_order", {"order": "A17"}, "sent", True)]
    assert trace.messages[2].extra == {"error": "checksum differs"}


def flat(number: int, **more: Any) -> dict[str, Any]:
    """A span of MLflow with its inputs and outputs beside its attributes."""
    return {
        "span_id": f"s{number}",
        "name": "chat",
        "span_type": "CHAT_MODEL",
        "start_time_ns": 1_790_000_000_000_000_000 + number,
        "inputs": GIVEN,
        "outputs": {"role": "assistant", "content": "On its way."},
        "attributes": {},
        **more,
    }


def test_mlflows_inputs_and_outputs_beside_the_attributes(tmp_path: Path) -> None:
    call = asked({"order": "A17"})["choices"][0]["message"]
    tool = {"name": "find_order", "span_type": "TOOL", "inputs": {"order": "A17"}, "outputs": "sent"}
    listed = [flat(0, trace_id="t", outputs=call), flat(1, trace_id="t", parent_id="s0", **tool)]
    (trace,) = traces_of(listed, tmp_path)
    assert told(trace) == [("find_order", {"order": "A17"}, "sent", None)]
    assert [message.role for message in trace.messages] == ["user", "assistant", "tool"]


def test_spans_that_name_no_trace_belong_to_that_of_their_list(tmp_path: Path) -> None:
    listed = [{"info": {"trace_id": f"t{n}"}, "data": {"spans": [flat(n)]}} for n in range(2)]
    traces = traces_of({"traces": listed}, tmp_path)
    assert [[m.text for m in trace.messages] for trace in traces] == [
        ["Where are A17 and B42?", "On its way."]
    ] * 2
