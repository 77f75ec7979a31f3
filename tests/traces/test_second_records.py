"""What a source records twice is one: inner model calls, servers' spans, repeated results, printed items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from imported import answers, calls, imported, of, said, whole

TRACE = "0af7651916cd43dd8448eb211c80319c"


def spans(*listed: dict[str, Any]) -> dict[str, Any]:
    """An OTLP export of these spans: `{id, parent, name, attributes}`, in the order of time."""
    made = [
        {
            "traceId": TRACE,
            "spanId": span["id"],
            "parentSpanId": span.get("parent", ""),
            "name": span["name"],
            "startTimeUnixNano": str(1_000 + number),
            "attributes": [{"key": k, "value": value(v)} for k, v in span["attributes"].items()],
            "events": [
                {"name": n, "attributes": [{"key": k, "value": value(v)} for k, v in given.items()]}
                for n, given in span.get("events", {}).items()
            ],
        }
        for number, span in enumerate(listed)
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}


def value(held: Any) -> dict[str, str]:
    return {"stringValue": held if isinstance(held, str) else json.dumps(held)}


def parts(role: str, *listed: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(listed)}


ASKED = {"type": "text", "content": "Level of tank 7?"}
ACT = {"type": "tool_call", "id": "read_level_0", "name": "read_level", "arguments": {"tank": 7}}
GAVE = {"type": "tool_call_response", "id": "read_level_0", "response": {"percent": 88}}
CHAT = {"gen_ai.operation.name": "chat"}
FIRST = CHAT | {
    "gen_ai.input.messages": [parts("user", ASKED)],
    "gen_ai.output.messages": [parts("assistant", ACT)],
}
NEXT = CHAT | {
    "gen_ai.input.messages": [parts("user", ASKED), parts("assistant", ACT), parts("tool", GAVE)],
    "gen_ai.output.messages": [parts("assistant", {"type": "text", "content": "88 percent."})],
}
RUN = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "read_level",
    "gen_ai.tool.call.arguments": {"tank": 7},
    "gen_ai.tool.call.result": {"percent": 88},
}


def wrapped(asked: list[Any], *said: dict[str, Any]) -> dict[str, Any]:
    return {
        "gcp.vertex.agent.llm_request": {"contents": asked},
        "gcp.vertex.agent.llm_response": {"content": {"role": "model", "parts": list(said)}},
    }


def test_a_model_call_inside_one_that_is_whole_is_the_same_call(tmp_path: Path) -> None:
    user = {"role": "user", "parts": [{"text": "Level of tank 7?"}]}
    act = {"function_call": {"name": "read_level", "args": {"tank": 7}}}
    gave = {"function_response": {"name": "read_level", "response": {"percent": 88}}}
    history = [user, {"role": "model", "parts": [act]}, {"role": "user", "parts": [gave]}]
    trace = of(
        spans(
            {"id": "a" * 16, "name": "call_llm", "attributes": wrapped([user], act)},
            {"id": "b" * 16, "parent": "a" * 16, "name": "chat", "attributes": FIRST},
            {"id": "c" * 16, "name": "run", "attributes": RUN | {"gen_ai.tool.call.id": "run-51"}},
            {"id": "d" * 16, "name": "call_llm", "attributes": wrapped(history, {"text": "88 percent."})},
            {"id": "e" * 16, "parent": "d" * 16, "name": "chat", "attributes": NEXT},
        ),
        tmp_path,
    )
    assert answers(trace) == {"run-51": '{"percent": 88}'}
    assert said(trace, "assistant") == ["88 percent."]
    whole(trace)


def test_a_run_of_a_call_that_is_named_after_its_tool_is_that_call(tmp_path: Path) -> None:
    trace = of(
        spans(
            {"id": "a" * 16, "name": "chat", "attributes": FIRST},
            {"id": "b" * 16, "name": "run", "attributes": RUN | {"gen_ai.tool.call.id": "run-51"}},
            {"id": "c" * 16, "name": "chat", "attributes": NEXT},
        ),
        tmp_path,
    )
    assert calls(trace) == ["read_level"]
    whole(trace)


def test_a_server_records_the_run_of_its_client_again(tmp_path: Path) -> None:
    trace = of(
        spans(
            {"id": "a" * 16, "name": "chat", "attributes": FIRST},
            {"id": "b" * 16, "name": "client", "attributes": RUN},
            {"id": "c" * 16, "parent": "b" * 16, "name": "server", "attributes": RUN},
            {"id": "d" * 16, "name": "chat", "attributes": NEXT},
        ),
        tmp_path,
    )
    assert calls(trace) == ["read_level"]
    whole(trace)


def test_an_inner_run_with_other_arguments_is_a_run_of_its_own(tmp_path: Path) -> None:
    other = RUN | {"gen_ai.tool.call.arguments": {"tank": 8}}
    trace = of(
        spans(
            {"id": "a" * 16, "name": "chat", "attributes": FIRST},
            {"id": "b" * 16, "name": "outer", "attributes": RUN},
            {"id": "c" * 16, "parent": "b" * 16, "name": "inner", "attributes": other},
        ),
        tmp_path,
    )
    assert calls(trace) == ["read_level"] * 2


def test_the_runs_of_claude_code_have_names_arguments_and_results(tmp_path: Path) -> None:
    tool = {"span.type": "tool", "tool_name": "Bash", "full_command": "ls", "tool_use_id": "t1"}
    run = tool | {"gen_ai.tool.call.id": "t1"}
    trace = of(
        spans(
            {
                "id": "a" * 16,
                "name": "claude_code.tool",
                "attributes": run,
                "events": {"tool.output": {"output": "x.py"}},
            }
        ),
        tmp_path,
    )
    (call,) = [call for message in trace.messages for call in message.calls]
    assert (call.name, call.arguments) == ("Bash", {"command": "ls"})
    assert answers(trace) == {"t1": "x.py"}


def test_a_tool_of_a_span_without_an_operation_is_a_call(tmp_path: Path) -> None:
    tool = {
        "gen_ai.tool.name": "read_level",
        "gen_ai.tool.arguments": {"tank": 7},
        "gen_ai.tool.error": "no such tank",
    }
    trace = of(spans({"id": "a" * 16, "name": "read_level", "attributes": tool}), tmp_path)
    assert list(answers(trace).values()) == ["no such tank"]


def test_the_prompt_among_the_settings_of_a_model_call_is_the_systems(tmp_path: Path) -> None:
    said_by_model = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Hi",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Hello",
        "llm.invocation_parameters": {"system": "Be kind.", "max_tokens": 5},
    }
    trace = of(spans({"id": "a" * 16, "name": "Messages", "attributes": said_by_model}), tmp_path)
    assert said(trace, "system") == ["Be kind."]


def test_an_agent_that_tells_all_replies_at_once_has_results_behind_their_calls(tmp_path: Path) -> None:
    def told(number: int, **held: str) -> dict[str, str]:
        head = f"llm.output_messages.{number}.message."
        return {head + "role": "assistant", **{head + key.replace("__", "."): v for key, v in held.items()}}

    call = "tool_calls__0__tool_call__"
    made = told(0, content__0="I look.")
    made |= told(1, **{call + "id": "toolu_0123456789", call + "function__name": "read_level"})
    made |= {"llm.output_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"tank": 7}'}
    made |= told(2, content__0="88 percent.")
    run: dict[str, Any] = {"openinference.span.kind": "TOOL", "tool.name": "read_level"}
    run |= {"tool.id": "toolu_0123456789", "input.value": {"tank": 7}, "output.value": "88"}
    agent = {"openinference.span.kind": "AGENT", "input.value": "Level of tank 7?"}
    trace = of(
        spans(
            {"id": "a" * 16, "name": "query", "attributes": agent | {"llm.system": "anthropic"} | made},
            {"id": "b" * 16, "parent": "a" * 16, "name": "read_level", "attributes": run},
        ),
        tmp_path,
    )
    assert [m.role for m in trace.messages] == ["user", "assistant", "assistant", "tool", "assistant"]
    assert said(trace, "assistant") == ["I look.", "88 percent."]
    whole(trace)


def test_an_event_of_gemini_says_whose_its_content_is(tmp_path: Path) -> None:
    told = {"content": {"role": "model", "parts": [{"text": "Hello."}]}}
    record = {"traceId": TRACE, "spanId": "a" * 16, "eventName": "gen_ai.user.message"}
    export = spans({"id": "a" * 16, "name": "chat", "attributes": NEXT})
    body = {"kvlistValue": {"values": [{"key": "content", "value": nested(told["content"])}]}}
    export["resourceLogs"] = [{"scopeLogs": [{"logRecords": [record | {"body": body}]}]}]
    export["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"] = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}
    ]
    trace = of(export, tmp_path)
    assert (said(trace, "user"), said(trace, "assistant")) == ([], ["Hello."])


def nested(held: Any) -> dict[str, Any]:
    if isinstance(held, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": nested(v)} for k, v in held.items()]}}
    if isinstance(held, list):
        return {"arrayValue": {"values": [nested(v) for v in held]}}
    return {"stringValue": held}


def test_a_second_process_of_codex_counts_its_items_anew(tmp_path: Path) -> None:
    def ran(name: str, command: str, output: str) -> list[dict[str, Any]]:
        item = {"id": name, "type": "command_execution", "command": command}
        done = item | {"aggregated_output": output, "exit_code": 0, "status": "completed"}
        return [{"type": "item.started", "item": item}, {"type": "item.completed", "item": done}]

    began = {"type": "thread.started", "thread_id": "th"}
    lines = [began, *ran("item_0", "ls", "x.py"), began, *ran("item_0", "cat x.py", "pass")]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (trace,), problems, _ = imported(path)
    assert not problems
    given = [c.arguments for m in trace.messages for c in m.calls]
    assert given == [{"command": "ls"}, {"command": "cat x.py"}]
    assert [m.text for m in trace.messages if m.role == "tool"] == ["x.py", "pass"]


def test_the_runs_of_a_page_of_langsmith_are_one_trace_by_their_parents(tmp_path: Path) -> None:
    runs = [
        {
            "id": "r",
            "run_type": "chain",
            "name": "agent",
            "inputs": {"messages": [{"role": "user", "content": "Go"}]},
        },
        {
            "id": "t",
            "run_type": "tool",
            "name": "look",
            "parent_run_id": "r",
            "inputs": {"at": 1},
            "outputs": {"n": 5},
        },
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"runs": runs}))
    (trace,), _, _ = imported(path)
    assert trace.source.format == "langsmith"
    assert calls(trace) == ["look"]


def test_a_table_of_spans_keeps_a_result_that_is_a_list(tmp_path: Path) -> None:
    row = {
        "name": "search",
        "context.trace_id": "t",
        "context.span_id": "s",
        "start_time": "2026-01-01T00:00:00Z",
        "span_kind": "TOOL",
        "attributes.tool.name": "search",
        "attributes.input.value": '{"q": 1}',
        "attributes.output.value": '[{"seat": 3}, {"seat": 0}]',
    }
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n")
    (trace,), _, _ = imported(path)
    assert list(answers(trace).values()) == ['[{"seat": 3}, {"seat": 0}]']


def generation(said: str) -> dict[str, Any]:
    """A model call of Langfuse that answers "Hi"."""
    asked = [{"role": "user", "content": "Hi"}]
    made = {"id": "g", "type": "GENERATION", "name": "llm", "startTime": "1", "input": asked}
    return {**made, "output": {"role": "assistant", "content": said}}


def test_a_span_of_no_kind_that_took_and_gave_something_is_told(tmp_path: Path) -> None:
    asked = generation("I look.")
    look = {
        "id": "s",
        "type": "SPAN",
        "name": "look",
        "startTime": "2",
        "input": {"at": 1},
        "output": "found it",
    }
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"id": "t", "input": "Hi", "output": "It is there.", "observations": [asked, look]})
    )
    _, problems, file = imported(path)
    assert any("trace, look" in problem.message for problem in problems)
    assert not file.ledger.lossless


def test_a_span_whose_ends_are_messages_is_not_told(tmp_path: Path) -> None:
    asked = generation("Hello.")
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"id": "t", "input": "Hi", "output": "Hello.", "observations": [asked]}))
    _, problems, file = imported(path)
    assert not problems
    assert file.ledger.lossless
