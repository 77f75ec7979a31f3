"""Shapes of further exporters: the Agents SDK of JavaScript, ADK, Agno, DSPy, Sentry, AgentOps, Gemini."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from imported import answered_calls as calls
from imported import imported
from imported import spoken as said
from truespec.traces.files import Problem
from truespec.traces.trace import Trace

ASKED = "How full are T-7 and T-9?"
DONE = "T-7 is at 91."
LATE = {"tank": "T-7", "at": "noon"}


def found_in(value: Any, tmp_path: Path, name: str = "log.json") -> tuple[list[Trace], list[Problem]]:
    path = tmp_path / name
    listed = value if name.endswith("jsonl") else [value]
    path.write_text("\n".join(map(json.dumps, listed)))
    traces, problems, _ = imported(path)
    return traces, problems


def test_results_of_the_agents_sdk_of_javascript(tmp_path: Path) -> None:
    listed = [
        {"type": "message", "role": "user", "content": ASKED},
        {"type": "function_call", "callId": "c1", "name": "gauge", "arguments": '{"tank": "T-7"}'},
        {
            "type": "function_call_result",
            "callId": "c1",
            "name": "gauge",
            "output": {"type": "text", "text": "91"},
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": DONE}],
        },
    ]
    (trace,), problems = found_in(listed, tmp_path)
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]
    assert said(trace)[-1] == ("assistant", DONE)
    assert problems == []


def test_a_generation_of_the_agents_sdk_whose_output_is_a_list_of_completions(tmp_path: Path) -> None:
    completion = {
        "object": "chat.completion",
        "choices": [{"message": {"role": "assistant", "content": DONE}}],
    }
    data = {"type": "generation", "input": [{"role": "user", "content": ASKED}], "output": [completion]}
    span = {"object": "trace.span", "id": "s", "trace_id": "t", "span_data": data}
    (trace,), problems = found_in([{"object": "trace", "id": "t"}, span], tmp_path, "log.jsonl")
    assert said(trace) == [("user", ASKED), ("assistant", DONE)]
    (posted,), _ = found_in({"data": [{"object": "trace", "id": "t"}, span]}, tmp_path, "posted.json")
    assert said(posted) == said(trace)
    assert problems == []


def test_events_of_adk_in_lines_are_one_conversation(tmp_path: Path) -> None:
    def event(author: str, role: str, *parts: Any) -> dict[str, Any]:
        return {"invocation_id": "e", "author": author, "content": {"role": role, "parts": parts}}

    call = {"function_call": {"id": "adk-1", "name": "gauge", "args": {"tank": "T-7"}}}
    answer = {"function_response": {"id": "adk-1", "name": "gauge", "response": {"result": "91"}}}
    lines = [
        event("desk", "model", call),
        event("desk", "user", answer),
        event("desk", "model", {"text": DONE}),
    ]
    (trace,), problems = found_in(lines, tmp_path, "log.jsonl")
    assert calls(trace) == [("gauge", {"tank": "T-7"}, '{"result": "91"}')]
    assert problems == []


def test_runs_of_a_session_of_agno_that_repeat_the_history(tmp_path: Path) -> None:
    prompt, first, reply = (
        {"role": role, "content": text, "from_history": False}
        for role, text in (("system", "Be brief."), ("user", ASKED), ("assistant", DONE))
    )
    history = [{**one, "from_history": True} for one in (first, reply)]
    later = [prompt, *history, {"role": "user", "content": "And T-9?", "from_history": False}]
    runs = [{"run_id": "a", "messages": [prompt, first, reply]}, {"run_id": "b", "messages": later}]
    (trace,), _ = found_in({"session_id": "s", "runs": runs}, tmp_path)
    assert [m.text for m in trace.messages] == ["Be brief.", ASKED, DONE, "And T-9?"]


def test_tools_that_a_session_of_agno_lists_beside_its_messages(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "gauge", "arguments": '{"tank": "T-7"}'}}
    messages = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "91"},
        {"role": "assistant", "content": DONE},
    ]
    tool = {"tool_call_id": "c1", "tool_name": "gauge", "tool_args": {"tank": "T-7"}, "result": "91"}
    late = {**tool, "tool_call_id": "c2", "tool_args": {"tank": "T-9"}, "result": "12"}
    runs = [{"run_id": "a", "messages": messages, "tools": [tool, late]}]
    (trace,), _ = found_in({"session_id": "s", "runs": runs}, tmp_path)
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91"), ("gauge", {"tank": "T-9"}, "12")]


def test_a_reply_of_dspy_stands_in_its_outputs(tmp_path: Path) -> None:
    entry = {
        "messages": [{"role": "user", "content": ASKED}],
        "response": "ModelResponse(id='chatcmpl-1', choices=[Choices(content='T-7 is at 91.')])",
        "outputs": [DONE],
    }
    (trace,), problems = found_in([entry], tmp_path, "log.jsonl")
    assert said(trace) == [("user", ASKED), ("assistant", DONE)]
    assert problems == []


def _sections(**named: str) -> str:
    return "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name, text in named.items())


def test_calls_in_the_sections_of_texts_of_dspy(tmp_path: Path) -> None:
    tail = "\n\nRespond with the corresponding output fields, starting with `next_thought`."
    done = {
        "thought_0": "Look.",
        "tool_name_0": "gauge",
        "tool_args_0": '{"tank": "T-7"}',
        "observation_0": "91",
    }
    asked = [_sections(question=ASKED, trajectory="") + tail]
    asked += [_sections(question=ASKED, trajectory="") + "\n" + _sections(**done) + tail]
    replies = [
        _sections(
            next_thought="Look.", next_tool_name="gauge", next_tool_args='{"tank": "T-7"}', completed=""
        ),
        json.dumps({"next_thought": "Enough.", "next_tool_name": "finish", "next_tool_args": {}}),
    ]
    log = [
        {
            "messages": [{"role": "user", "content": text}],
            "response": "ModelResponse(id='r')",
            "outputs": [reply],
        }
        for text, reply in zip(asked, replies, strict=True)
    ]
    (trace,), problems = found_in(log, tmp_path, "log.jsonl")
    made = [(call.name, call.arguments) for message in trace.messages for call in message.calls]
    assert made == [("gauge", {"tank": "T-7"}), ("finish", {})]
    assert trace.messages[trace.results[1, 0]].text == "91"
    assert [one.text for one in trace.messages if one.role == "assistant"] == ["Look.", "Enough."]
    assert problems == []


def test_tool_calls_in_a_section_of_dspy(tmp_path: Path) -> None:
    told = '{"tool_calls": [{"name": "gauge", "args": {"tank": "T-7"}}]}'
    entry = {
        "messages": [{"role": "user", "content": _sections(question=ASKED)}],
        "response": "ModelResponse(id='r')",
        "outputs": [_sections(reasoning="I look.", tool_calls=told, completed="")],
    }
    (trace,), _ = found_in([entry], tmp_path, "log.jsonl")
    (call,) = trace.messages[-1].calls
    assert (call.name, call.arguments) == ("gauge", {"tank": "T-7"})
    assert "I look." in (trace.messages[-1].text or "")


def test_events_of_a_workflow_that_requests_repeat(tmp_path: Path) -> None:
    called = {"tool_name": "gauge", "tool_kwargs": {"tank": "T-7"}, "tool_id": "call_7fKq2nVx9sLd"}
    reply = {
        "role": "assistant",
        "additional_kwargs": {},
        "blocks": [
            {
                "block_type": "tool_call",
                "tool_call_id": "call_7fKq2nVx9sLd",
                "tool_name": "gauge",
                "tool_kwargs": {"tank": "T-7"},
            },
        ],
    }
    user = {"role": "user", "blocks": [{"block_type": "text", "text": ASKED}]}
    result = {
        "role": "tool",
        "blocks": [{"block_type": "text", "text": "91"}],
        "additional_kwargs": {"tool_call_id": "call_7fKq2nVx9sLd"},
    }
    last = {"role": "assistant", "blocks": [{"block_type": "text", "text": DONE}]}
    events = [
        ("AgentInput", {"input": [user]}),
        ("AgentOutput", {"response": reply}),
        ("ToolCall", called),
        (
            "ToolCallResult",
            called | {"tool_output": {"tool_name": "gauge", "content": "91", "is_error": False}},
        ),
        ("AgentInput", {"input": [user, reply, result]}),
        ("AgentOutput", {"response": last}),
    ]
    (trace,), problems = found_in(
        [{"type": kind, "value": value} for kind, value in events], tmp_path, "log.jsonl"
    )
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]
    assert said(trace)[-1] == ("assistant", DONE)
    assert problems == []


def test_the_stack_of_messages_of_griptape(tmp_path: Path) -> None:
    def artifact(value: Any, kind: str = "TextArtifact") -> dict[str, Any]:
        return {"type": kind, "id": "a", "name": "a", "value": value}

    def message(role: str, *content: dict[str, Any]) -> dict[str, Any]:
        return {"type": "Message", "role": role, "content": list(content)}

    action = {"type": "ToolAction", "tag": "call_1", "name": "Tank", "path": "gauge"}
    called = artifact({**action, "input": {"values": {"tank": "T-7"}}}, "ActionArtifact")
    stack = [
        message("user", {"type": "TextMessageContent", "artifact": artifact(ASKED)}),
        message("assistant", {"type": "ActionCallMessageContent", "artifact": called}),
        message(
            "user",
            {
                "type": "ActionResultMessageContent",
                "artifact": artifact("no such tank", "ErrorArtifact"),
                "action": {**action, "input": {}},
            },
        ),
    ]
    (trace,), problems = found_in({"prompt_stack": {"type": "PromptStack", "messages": stack}}, tmp_path)
    assert calls(trace) == [("Tank_gauge", {"tank": "T-7"}, "no such tank")]
    assert trace.messages[-1].error is True
    assert problems == []


def _tagged(**attributes: Any) -> dict[str, Any]:
    return {
        key: {"value": value if isinstance(value, str) else json.dumps(value), "type": "string"}
        for key, value in attributes.items()
    }


def test_spans_of_sentry(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "gauge", "arguments": '{"tank": "T-7"}'}}
    user = {"role": "user", "content": ASKED}
    later = [user, {"role": "assistant", "content": "None", "tool_calls": [call]}]
    later += [{"role": "tool", "tool_call_id": "c1", "content": "91"}]
    chat = {"gen_ai.operation.name": "chat"}
    made: list[dict[str, Any]] = [
        chat | {"gen_ai.request.messages": [user], "gen_ai.response.tool_calls": [call]},
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "gauge",
            "gen_ai.tool.input": {"tank": "T-7"},
            "gen_ai.tool.output": "91",
        },
        chat
        | {"gen_ai.request.messages": later, "gen_ai.response.text": {"content": DONE, "refusal": "None"}},
    ]
    rows = [
        {"trace_id": "t", "span_id": str(n), "start_timestamp": 1.5 + n, "attributes": _tagged(**one)}
        for n, one in enumerate(made)
    ]
    (trace,), problems = found_in([{"version": 2, "items": rows}], tmp_path, "log.jsonl")
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]
    assert said(trace) == [("user", ASKED), ("assistant", DONE)]
    assert problems == []


def _otlp(number: int, **attributes: Any) -> dict[str, Any]:
    told = [
        {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}
        for key, value in attributes.items()
    ]
    start = str(1_700_000_000 + number)
    return {
        "traceId": "1" * 32,
        "spanId": f"{number:016d}",
        "startTimeUnixNano": start,
        "name": attributes.get("name", "chat"),
        "attributes": told,
        "events": [{"name": "exception", "attributes": [_text("exception.message", attributes["why"])]}]
        if "why" in attributes
        else [],
        "status": {"code": 2 if "why" in attributes else 1},
    }


def _text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def _export(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def test_a_failed_run_that_only_a_later_request_names_is_no_second_call(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "gauge", "arguments": json.dumps(LATE)}}
    user = {"role": "user", "content": ASKED}
    history = [user, {"role": "assistant", "content": None, "tool_calls": [call]}]
    history += [{"role": "tool", "tool_call_id": "c1", "content": "ValueError: no such tank"}]
    chat = {"gen_ai.operation.name": "chat"}
    spans = [
        _otlp(1, **chat, **{"gen_ai.input.messages": [user]}),
        _otlp(
            2,
            name="gauge.tool",
            why="ValueError: no such tank",
            **{
                "agentops.span.kind": "tool",
                "operation.name": "gauge",
                "agentops.tool.input": {"kwargs": LATE},
            },
        ),
        _otlp(
            3,
            **chat,
            **{
                "gen_ai.input.messages": history,
                "gen_ai.output.messages": [{"role": "assistant", "content": DONE}],
            },
        ),
    ]
    (trace,), problems = found_in(_export(*spans), tmp_path)
    assert calls(trace) == [("gauge", LATE, "ValueError: no such tank")]
    assert problems == []


def test_results_without_identifiers_answer_calls_of_their_own_thread(tmp_path: Path) -> None:
    def parts(role: str, *listed: Any) -> dict[str, Any]:
        return {"role": role, "parts": list(listed)}

    def call(name: str) -> dict[str, Any]:
        return {"type": "tool_call", "name": name, "arguments": {"of": name}}

    def result(text: str) -> dict[str, Any]:
        return {"type": "tool_call_response", "response": text}

    def text(content: str) -> dict[str, Any]:
        return {"type": "text", "content": content}

    outer = [parts("user", text(ASKED)), parts("assistant", call("look"), call("delegate"))]
    inner = [parts("user", text("Only T-9.")), parts("assistant", call("gauge"))]
    spans = [
        _otlp(
            number,
            **{
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": given,
                "gen_ai.output.messages": [gave],
            },
        )
        for number, (given, gave) in enumerate(
            [
                (outer[:1], outer[1]),
                (inner[:1], inner[1]),
                ([*inner, parts("tool", result("12"))], parts("assistant", text("It is at 12."))),
                (
                    [*outer, parts("tool", result("seen")), parts("tool", result("It is at 12."))],
                    parts("assistant", text(DONE)),
                ),
            ]
        )
    ]
    (trace,), _ = found_in(_export(*spans), tmp_path)
    assert calls(trace) == [
        ("look", {"of": "look"}, "seen"),
        ("delegate", {"of": "delegate"}, "It is at 12."),
        ("gauge", {"of": "gauge"}, "12"),
    ]


def test_a_result_answers_the_calls_since_the_last_results(tmp_path: Path) -> None:
    def call(name: str) -> dict[str, Any]:
        return {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}

    listed = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "tool_calls": [call("look"), call("gauge")]},
        {"role": "tool", "content": "both at once"},
        {"role": "assistant", "content": "Once more."},
        {"role": "assistant", "tool_calls": [call("check")]},
        {"role": "tool", "content": "fine"},
    ]
    (trace,), _ = found_in(listed, tmp_path)
    assert trace.origins[5] == (4, 0)


REQUEST = {"toolRequest": {"name": "gauge", "ref": "call_0123456789", "input": {"tank": "T-7"}}}
RESPONSE = {"toolResponse": {"name": "gauge", "ref": "call_0123456789", "output": "91"}}
GENKIT = [
    {"role": "user", "content": [{"text": ASKED}]},
    {"role": "model", "content": [REQUEST]},
    {"role": "tool", "content": [RESPONSE]},
    {"role": "model", "content": [{"text": DONE}]},
]


def test_messages_and_spans_of_genkit(tmp_path: Path) -> None:
    (trace,), problems = found_in(GENKIT, tmp_path)
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]
    assert said(trace) == [("user", ASKED), ("assistant", DONE)]
    assert problems == []

    def span(number: int, kind: str, given: Any, gave: Any) -> dict[str, Any]:
        told = {"genkit:input": json.dumps(given), "genkit:output": json.dumps(gave)}
        return _otlp(number, name="gauge", **{"genkit:metadata:subtype": kind, **told})

    spans = [
        span(1, "model", {"messages": GENKIT[:1]}, {"message": GENKIT[1]}),
        span(2, "tool", {"tank": "T-7"}, "91"),
        span(3, "model", {"messages": GENKIT[:3]}, {"message": GENKIT[3]}),
    ]
    (again,), problems = found_in(_export(*spans), tmp_path)
    assert calls(again) == calls(trace)
    assert said(again) == said(trace)
    assert problems == []


def test_events_of_langchain_are_spans_of_models_and_tools(tmp_path: Path) -> None:
    def event(what: str, run: str, name: str = "model", **data: Any) -> dict[str, Any]:
        return {"event": f"on_{what}", "run_id": run, "name": name, "parent_ids": ["r"], "data": data}

    call = {"id": "c1", "name": "gauge", "args": {"tank": "T-7"}, "type": "tool_call"}
    user, asked = {"type": "human", "content": ASKED}, {"type": "ai", "content": "", "tool_calls": [call]}
    result = {"type": "tool", "content": "91", "tool_call_id": "c1", "name": "gauge"}
    done = {"type": "ai", "content": DONE}
    lines = [
        event("chat_model_start", "m1", input={"messages": [[user]]}),
        event(
            "chat_model_stream", "m1", chunk={"type": "AIMessageChunk", "content": "", "tool_calls": [call]}
        ),
        event("chat_model_end", "m1", output=asked),
        event("tool_start", "t1", "gauge", input={"tank": "T-7"}),
        event("tool_end", "t1", "gauge", output=result),
        event("chain_end", "n1", "tools", output={"messages": [result]}),
        event("chat_model_start", "m2", input={"messages": [[user, asked, result]]}),
        event("chat_model_end", "m2", output=done),
        event("tool_start", "t2", "gauge", input={"tank": "T-9"}),
    ]
    (trace,), problems = found_in(lines, tmp_path, "log.jsonl")
    assert trace.source.format == "langchain-events"
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]
    assert said(trace) == [("user", ASKED), ("assistant", DONE)]
    assert [problem.message for problem in problems] == ["the run 't2' of 'gauge' has no end"]


def test_spans_of_mastra_whose_requests_are_cut_off(tmp_path: Path) -> None:
    call = {"toolCallId": "c1", "toolName": "gauge", "args": {"tank": "T-7"}}
    function = {"name": "gauge", "arguments": '{"tank": "T-7"}'}
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": ASKED}]}
    first = {"body": json.dumps(body)}
    body["messages"] += [
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "91 of a hundred"},
    ]
    second = {"body": json.dumps(body)[:-20] + "…[truncated]"}

    def span(number: int, kind: str, given: Any, gave: Any, **more: Any) -> dict[str, Any]:
        about = {"id": f"s{number}", "traceId": "t", "type": kind, "name": f"{kind} {number}", **more}
        return {**about, "startTime": f"2026-01-01T00:00:0{number}", "input": given, "output": gave}

    spans = [
        span(1, "model_step", first, {"text": "", "toolCalls": [call]}),
        span(2, "tool_call", {"tank": "T-7"}, "91 of a hundred", attributes={"toolId": "gauge"}),
        span(3, "model_step", second, {"text": DONE}),
    ]
    begun = [{"type": "span_started", "exportedSpan": {**one, "output": None}} for one in spans]
    ended = [{"type": "span_ended", "exportedSpan": one} for one in spans]
    (trace,), problems = found_in([*begun, *ended], tmp_path, "log.jsonl")
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91 of a hundred")]
    assert said(trace) == [("user", ASKED), ("assistant", DONE)]
    assert "cut off" in problems[0].message


def test_runs_of_tools_name_their_calls_by_voltagents_attribute(tmp_path: Path) -> None:
    tool = {"span.type": "tool", "tool.name": "gauge", "tool.call.id": "call_0123456789"}
    run = _otlp(2, **tool, input={"tank": "T-7"}, output="91")
    model = _otlp(1, **{"span.type": "llm", "llm.messages": [{"role": "user", "content": ASKED}]})
    (trace,), problems = found_in(_export(model, run), tmp_path)
    assert [call.id for message in trace.messages for call in message.calls] == ["call_0123456789"]
    assert said(trace) == [("user", ASKED)]
    assert ["answer no call" in problem.message for problem in problems] == [True]
