"""What a file says in a form that is not read is told with its place, and so is what it says twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.executors.trace_input import traces_of
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import read, read_file
from truespec.traces.ledger import AGAIN
from truespec.traces.trace import Trace

ASKED = {"role": "user", "content": "Where is A17?"}
CALL = {"id": "call_abcdefghijkl", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
GAVE = {"role": "tool", "tool_call_id": "call_abcdefghijkl", "content": "sent"}


def lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def of(path: Path) -> tuple[list[Trace], list[Problem], TraceFile]:
    file = TraceFile(path)
    found = list(read_file(file))
    return (
        [one for one in found if isinstance(one, Trace)],
        [one for one in found if isinstance(one, Problem)],
        file,
    )


def test_a_reply_in_an_unread_form_is_told(tmp_path: Path) -> None:
    asked = {"system": "Be brief.", "messages": [ASKED]}
    path = lines(tmp_path / "log.jsonl", [{"request": asked, "response": {"pieces": [{"tool": "look"}]}}])
    _, problems, _ = of(path)
    assert ["no message is recognised in the reply" in str(one) for one in problems] == [True]
    assert "document" in str(problems[0])


def test_a_reply_that_is_an_error_says_nothing(tmp_path: Path) -> None:
    asked = {"system": "Be brief.", "messages": [ASKED]}
    failed = {"type": "error", "error": {"type": "overloaded_error"}}
    assert of(lines(tmp_path / "log.jsonl", [{"request": asked, "response": failed}]))[1] == []


def test_a_model_call_whose_messages_are_not_read_is_told(tmp_path: Path) -> None:
    span = {
        "name": "llm",
        "context": {"trace_id": "t", "span_id": "s"},
        "attributes": {
            "openinference.span.kind": "LLM",
            "llm.input_messages": "array([role user look at A17])",
        },
    }
    _, problems, file = of(lines(tmp_path / "spans.json", [[span]]))
    assert any("'llm.input_messages' of a model call" in str(one) for one in problems)
    assert file.ledger.items.dropped


def test_a_turn_that_repeats_the_history_is_told(tmp_path: Path) -> None:
    def span(trace: str, given: list[Any], said: Any, number: int) -> dict[str, Any]:
        attributes = {
            "openinference.span.kind": "LLM",
            "input.value": json.dumps({"messages": given}),
            "output.value": json.dumps(said),
        }
        context = {"trace_id": trace, "span_id": f"{trace}{number}"}
        return {"name": "llm", "context": context, "parent_id": f"{trace}-agent", "attributes": attributes}

    def agent(trace: str) -> dict[str, Any]:
        context = {"trace_id": trace, "span_id": f"{trace}-agent"}
        return {"name": "run", "context": context, "attributes": {"openinference.span.kind": "AGENT"}}

    done = {"role": "assistant", "content": "It is sent."}
    first = [span("a", [ASKED], CALLED, 1), span("a", [ASKED, CALLED, GAVE], done, 2), agent("a")]
    again = [ASKED, CALLED, GAVE, done, {"role": "user", "content": "Sure?"}]
    second = [span("b", again, {"role": "assistant", "content": "Yes."}, 1), agent("b")]
    path = tmp_path / "spans.json"
    path.write_text(json.dumps([*first, *second]))
    traces, _, file = of(path)
    assert [len(trace.messages) for trace in traces] == [4, 6]
    assert file.ledger.rules[AGAIN] == 1


def test_states_that_have_the_newest_first_are_one_conversation(tmp_path: Path) -> None:
    said = [ASKED, CALLED, GAVE, {"role": "assistant", "content": "It is sent."}]
    states = [{"values": {"messages": said[:count]}} for count in (4, 3, 2, 1)]
    traces, _, file = of(lines(tmp_path / "states.jsonl", states))
    assert [len(trace.messages) for trace in traces] == [4]
    assert not file.ledger.assumed


def test_a_list_is_read_backwards_only_where_all_results_stand_before_their_calls(tmp_path: Path) -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    gave = {"type": "function_call_output", "call_id": "c1", "output": "sent"}
    stray = {"type": "function_call_output", "call_id": "c9", "output": "lost"}
    path = tmp_path / "items.json"
    path.write_text(json.dumps([gave, call]))
    (trace,), problems, _ = of(path)
    assert [message.role for message in trace.messages] == ["assistant", "tool"]
    assert problems == []
    path.write_text(json.dumps([stray, call, gave]))
    (trace,), problems, _ = of(path)
    assert [message.text for message in trace.messages] == ["lost", None, "sent"]
    assert len(problems) == 1


def test_a_list_of_texts_that_a_tool_gives_stays_a_list(tmp_path: Path) -> None:
    run = {
        "name": "list_tanks",
        "context": {"trace_id": "t", "span_id": "s"},
        "attributes": {
            "openinference.span.kind": "TOOL",
            "input.value": "{}",
            "output.value": '["T-7", "T-9"]',
        },
    }
    path = tmp_path / "spans.json"
    path.write_text(json.dumps([run]))
    (trace,), _, _ = of(path)
    assert json.loads(str(trace.messages[-1].text)) == ["T-7", "T-9"]


def test_a_file_that_is_named_twice_is_read_once_and_told(tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", [{"messages": [ASKED, CALLED, GAVE]}])
    found = list(traces_of((path, tmp_path, path), None, None))
    assert [type(one) for one in found] == [Trace, Problem, Problem]
    assert "named twice" in str(found[1])


def test_parts_that_a_database_keeps_as_a_text(tmp_path: Path) -> None:
    part = {
        "type": "tool-look",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {},
        "output": "sent",
    }
    rows = [
        {"id": "1", "role": "user", "parts": json.dumps([{"type": "text", "text": "Where?"}])},
        {"id": "2", "role": "assistant", "parts": json.dumps([part])},
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"chat": {"messages": rows}}))
    (trace,) = read(path)
    assert isinstance(trace, Trace)
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Where?"),
        ("assistant", None),
        ("tool", "sent"),
    ]


def test_spans_of_go_one_behind_the_other_over_many_lines(tmp_path: Path) -> None:
    sample = Path(__file__).parent / "samples/span-rows/go.jsonl"
    spans = [json.loads(line) for line in sample.read_text().splitlines()]
    path = tmp_path / "stdout.json"
    path.write_text("\n".join(json.dumps(span, indent=2) for span in spans))
    assert [one.messages for one in of(path)[0]] == [one.messages for one in of(sample)[0]]


def test_what_was_said_beside_calls_in_a_run_without_a_model_call_is_told(tmp_path: Path) -> None:
    def span(number: int, value: Any) -> dict[str, Any]:
        attributes = {"traceloop.span.kind": "task", "traceloop.entity.output": json.dumps(value)}
        return {
            "name": "task",
            "context": {"trace_id": "t", "span_id": f"s{number}"},
            "attributes": attributes,
        }

    call = {"tool_name": "look", "tool_kwargs": {}, "tool_id": "call_abcdefghijkl"}
    reply = {"role": "assistant", "blocks": [{"block_type": "text", "text": "It is sent."}]}
    spans = [span(1, {"input": [ASKED]}), span(2, {"result": {"response": reply, "tool_calls": [call]}})]
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(spans))
    (trace,), problems, _ = of(path)
    said = [message.text for message in trace.messages]
    assert "It is sent." in said or any("no span is a model call" in str(one) for one in problems)
