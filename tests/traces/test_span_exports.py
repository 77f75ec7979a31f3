"""Exports of spans by platforms and instrumentations: each case is a fault that was met on real exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import needs
from imported import answers, calls, imported, of, said, whole

LANGFUSE = {
    # file: calls as (identifier, tool), and what nobody said
    "openai-agents-2025-09-30": ["get_weather"],
    "vercel-aisdk-2025-11-17": ["getWeather"],
    "langgraph-python-2025-08-22": ["Web-Search"],
    "koog-2025-08-26": ["HelloTool", "ByeTool"],
    "langgraph-js-2025-10-30": ["get_weather"],
    "claude-agent-2025-12-22": ["mcp__weather__get_weather", "mcp__weather__get_weather"],
    "agno-2025-06-11": ["duckduckgo_search"],
    "google-adk-2025-08-28": ["say_hello"],
    "microsoft-agent-2025-12-17": ["get_weather"],
    "csharp-agent-with-gemini-2026-03-09": ["get_custom_report", "final_result"],
    "pydantic-ai-tools-2025-12-04": [
        "get_pun_suggestion",
        "get_dad_joke_suggestion",
        "get_one_liner_suggestion",
        "final_result",
    ],
}
"""The calls of the Langfuse exports, counted by hand in the files."""


@pytest.mark.parametrize("name", LANGFUSE)
def test_langfuse_exports_of_every_framework(name: str) -> None:
    (path,) = needs.sources("traces/langfuse").glob(f"{name}.trace.json*")
    (trace,), _, _ = imported(path)
    assert calls(trace) == LANGFUSE[name]
    whole(trace)
    assert len(trace.results) == len(calls(trace))
    assert "role" not in said(trace, "user")
    assert "None" not in said(trace, "assistant")
    last = trace.messages[-1]
    assert last.role in ("assistant", "tool")
    spoken = said(trace, "assistant")
    assert len(spoken) == len(set(spoken))


def test_langfuse_keeps_the_system_prompt_of_the_claude_agent() -> None:
    (path,) = needs.sources("traces/langfuse").glob("claude-agent-*")
    (trace,), _, file = imported(path)
    assert trace.system_prompt is not None
    assert trace.system_prompt.startswith("You are a friendly travel assistant")
    assert file.ledger.items.dropped == {"a content that is only the name of a field": 3}


def test_trail_books_tool_outputs_as_results() -> None:
    for path in sorted(needs.sources("traces/trail/GAIA").iterdir()):
        (trace,), _, _ = imported(path)
        assert not any((text or "").startswith("Call id:") for text in said(trace, "assistant"))
        assert not any((text or "").startswith("Observation:") for text in said(trace, "assistant"))


def test_an_empty_trace_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [_span("a", {"x": 1})]}]}]}))
    traces, problems, file = imported(path)
    assert not traces
    assert "without any message" in problems[0].message
    assert not file.ledger.lossless


def _span(identifier: str, attributes: dict[str, Any], start: int = 1, parent: str | None = None) -> Any:
    return {
        "traceId": "t",
        "spanId": identifier,
        "parentSpanId": parent,
        "name": identifier,
        "startTimeUnixNano": str(start),
        "attributes": [{"key": k, "value": {"stringValue": str(v)}} for k, v in attributes.items()],
    }


def otlp(*spans: Any) -> Any:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def test_a_tool_span_without_a_call_is_a_problem_and_a_call(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    chat = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "hi",
        "gen_ai.completion.0.content": "ok",
    }
    tool = {
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.arguments": '{"a": 1}',
        "gen_ai.tool.call.result": "r",
    }
    path.write_text(json.dumps(otlp(_span("a", chat), _span("b", tool, 2))))
    (trace,), problems, _ = imported(path)
    assert calls(trace) == ["look"]
    assert answers(trace) == {"b": "r"}
    assert "1 tool spans answer no call" in problems[0].message


def test_openllmetry_completion_calls(tmp_path: Path) -> None:
    span = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Weather in Delft and Gent?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "call_a",
        "gen_ai.completion.0.tool_calls.0.name": "weather",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"city": "Delft"}',
        "gen_ai.completion.0.tool_calls.1.id": "call_b",
        "gen_ai.completion.0.tool_calls.1.name": "weather",
        "gen_ai.completion.0.tool_calls.1.arguments": '{"city": "Gent"}',
    }
    trace = of(otlp(_span("a", span)), tmp_path)
    assert [(c.id, c.arguments) for m in trace.messages for c in m.calls] == [
        ("call_a", {"city": "Delft"}),
        ("call_b", {"city": "Gent"}),
    ]


def test_vercel_spans(tmp_path: Path) -> None:
    prompt = [{"role": "user", "content": [{"type": "text", "text": "Weather in Delft?"}]}]
    call = {"toolCallId": "call_a", "toolName": "weather", "input": '{"city": "Delft"}'}
    output = {"type": "json", "value": {"t": 21}}
    given = {"type": "tool-result", "toolCallId": "call_a", "toolName": "weather", "output": output}
    later = [
        *prompt,
        {"role": "assistant", "content": [{"type": "tool-call", **call, "input": {"city": "Delft"}}]},
        {"role": "tool", "content": [given]},
    ]
    spans = [
        _span("root", {"ai.operationId": "ai.generateText", "ai.prompt": '{"prompt": "Weather in Delft?"}'}),
        _span(
            "one",
            {
                "ai.operationId": "ai.generateText.doGenerate",
                "ai.prompt.messages": json.dumps(prompt),
                "ai.response.toolCalls": json.dumps([call]),
            },
            2,
            "root",
        ),
        _span(
            "tool",
            {
                "ai.operationId": "ai.toolCall",
                "ai.toolCall.name": "weather",
                "ai.toolCall.id": "call_a",
                "ai.toolCall.args": '{"city": "Delft"}',
                "ai.toolCall.result": '{"t": 21}',
            },
            3,
            "root",
        ),
        _span(
            "two",
            {
                "ai.operationId": "ai.generateText.doGenerate",
                "ai.prompt.messages": json.dumps(later),
                "ai.response.text": "21 degrees.",
            },
            4,
            "root",
        ),
    ]
    trace = of(otlp(*spans), tmp_path)
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert answers(trace) == {"call_a": '{"t": 21}'}


def test_langsmith_pairs_parallel_results_by_identifier(tmp_path: Path) -> None:
    asked = [{"name": "look", "args": {"n": n}, "id": f"call_{n}", "type": "tool_call"} for n in (1, 2)]

    def tool(n: int, start: str) -> Any:
        output = {"type": "tool", "name": "look", "tool_call_id": f"call_{n}", "content": f"r{n}"}
        return {
            "id": f"tool{n}",
            "trace_id": "t",
            "run_type": "tool",
            "name": "look",
            "start_time": start,
            "inputs": {"input": "{}"},
            "outputs": {"output": output},
        }

    llm = {
        "id": "llm",
        "trace_id": "t",
        "run_type": "llm",
        "name": "m",
        "start_time": "1",
        "inputs": {"messages": [[{"type": "human", "content": "go"}]]},
        "outputs": {"generations": [[{"message": {"type": "ai", "content": "", "tool_calls": asked}}]]},
    }
    trace = of([llm, tool(2, "2"), tool(1, "3")], tmp_path)
    assert answers(trace) == {"call_1": "r1", "call_2": "r2"}


def _messages(*said: tuple[str, Any]) -> str:
    """Messages of the GenAI conventions: a text, or parts."""
    parts = [[{"type": "text", "content": one}] if isinstance(one, str) else one for _, one in said]
    return json.dumps([{"role": role, "parts": one} for (role, _), one in zip(said, parts, strict=True)])


def _chat(identifier: str, start: int, given: str, said: str) -> Any:
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": given}
    return _span(identifier, {**attributes, "gen_ai.output.messages": said}, start)


def _asks(*calls: tuple[str, str]) -> list[Any]:
    return [
        {"type": "tool_call", "id": name, "name": tool, "arguments": {"of": name}} for name, tool in calls
    ]


@pytest.mark.parametrize("names", [{}, {"id": "call_7"}], ids=["none", "other"])
def test_results_in_a_history_answer_the_calls_of_that_history(names: dict[str, str], tmp_path: Path) -> None:
    """A sub-agent's calls stand between the calls and their results; no result has its call's identifier."""

    def gave(*texts: str) -> list[Any]:
        return [{"type": "tool_call_response", **names, "response": text} for text in texts]

    asked = (("user", "Go."), ("assistant", _asks(("fc_1", "look"), ("fc_2", "ask"))))
    sub = (("system", "You help."), ("user", "Find it."), ("assistant", _asks(("fc_3", "look"))))
    spans = [
        _chat("a", 1, _messages(*asked[:1]), _messages(*asked[1:])),
        _chat("b", 2, _messages(*sub[:2]), _messages(*sub[2:])),
        _chat("c", 3, _messages(*sub, ("tool", gave("three"))), _messages(("assistant", "Found."))),
        _chat("d", 4, _messages(*asked, ("tool", gave("one", "Found."))), _messages(("assistant", "End."))),
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(otlp(*spans)))
    (trace,), problems, file = imported(path)
    assert answers(trace) == {"fc_1": "one", "fc_2": "Found.", "fc_3": "three"}
    assert not problems
    assert sum(file.ledger.assumed.values()) == 2
    whole(trace)


def test_messages_that_an_exporter_cut_off_are_told(tmp_path: Path) -> None:
    said = _messages(("assistant", _asks(("call_1", "look"), ("call_2", "ask"))))
    given = _messages(("user", "Go."), ("assistant", "A long answer."))
    path = tmp_path / "x.json"
    path.write_text(json.dumps(otlp(_chat("a", 1, given[:-30], said[: said.index('"call_2"}') - 3]))))
    (trace,), problems, file = imported(path)
    assert [(m.role, m.text) for m in trace.messages if m.text] == [("user", "Go.")]
    assert [(c.name, c.arguments) for m in trace.messages for c in m.calls] == [
        ("look", {"of": "call_1"}),
        ("ask", None),
    ]
    assert ["is cut off" in problem.message for problem in problems[:2]] == [True, True]
    assert file.ledger.items.dropped == {"the rest of a value that its exporter cut off": 2}


def test_a_reply_that_an_exporter_wrote_in_pythons_notation_is_that_reply(tmp_path: Path) -> None:
    items = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": '{"of": 1}', "id": None},
    ]
    reply = str({"id": "r", "object": "response", "output": items})
    other = str({"id": "r", "object": "response", "output": [*items, {"type": "hologram"}]})
    spans = [
        _chat("a", 1, _messages(("user", "Go.")), _messages(("assistant", reply))),
        _chat("b", 2, _messages(("user", "Stop.")), _messages(("assistant", other))),
    ]
    trace = of(otlp(*spans), tmp_path)
    assert said(trace, "assistant") == ["I look.", other]
    assert [(c.name, c.arguments, c.id) for m in trace.messages for c in m.calls] == [
        ("look", {"of": 1}, "call_1")
    ]


def test_a_text_that_is_the_json_of_a_call_beside_it_is_no_speech(tmp_path: Path) -> None:
    block = {"id": "toolu_1", "type": "tool_use", "name": "look", "input": {"of": "toolu_1"}}
    texts = ["I look.", json.dumps(block), "{}"]
    parts = [*({"type": "text", "content": text} for text in texts), *_asks(("toolu_1", "look"))]
    trace = of(otlp(_chat("a", 1, _messages(("user", "Go.")), _messages(("assistant", parts)))), tmp_path)
    assert said(trace, "assistant") == ["I look.\n{}"]
    assert calls(trace) == ["look"]


def test_a_loops_span_around_model_calls_says_nothing_before_them(tmp_path: Path) -> None:
    """Strands tells the results of a turn at the span around it, which begins before the turn's call."""
    gave = [{"type": "tool_call_response", "id": "call_1", "response": "one"}]
    loop = {"gen_ai.operation.name": "execute_event_loop_cycle"}
    asked = (("user", "Go."), ("assistant", _asks(("call_1", "look"))))
    spans = [
        _span("loop", {**loop, "gen_ai.input.messages": _messages(("user", gave))}, 1),
        {**_chat("a", 2, _messages(*asked[:1]), _messages(*asked[1:])), "parentSpanId": "loop"},
        _chat("b", 3, _messages(*asked, ("user", gave)), _messages(("assistant", "End."))),
    ]
    trace = of(otlp(*spans), tmp_path)
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert answers(trace) == {"call_1": "one"}
    whole(trace)


def test_a_span_that_gives_the_request_made_ready_is_no_reply(tmp_path: Path) -> None:
    """LlamaIndex has a span of a model's kind that makes the request, its messages in Python's notation."""

    def made(role: str, blocks: str) -> str:
        return f"ChatMessage(role=<MessageRole.{role.upper()}: '{role}'>, blocks=[{blocks}])"

    user = made("user", "TextBlock(block_type='text', text='Go.')")
    call = "ToolCallBlock(tool_call_id='call_0123456789', tool_name='look', tool_kwargs={'n': 1})"
    said = made("assistant", f"TextBlock(block_type='text', text='I look.'), {call}")
    asked = {"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user"}
    asked["llm.input_messages.0.message.content"] = "Go."
    reply = {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "I look.",
    }
    tool = "llm.output_messages.0.message.tool_calls.0.tool_call."
    reply |= {
        f"{tool}id": "call_0123456789",
        f"{tool}function.name": "look",
        f"{tool}function.arguments": '{"n": 1}',
    }
    ready = {"openinference.span.kind": "LLM", "output.value": json.dumps({"messages": [user, said]})}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(otlp(_span("a", {**asked, **reply}, 1), _span("b", ready, 2))))
    (trace,), problems, _ = imported(path)
    assert [(m.role, m.text, [c.id for c in m.calls]) for m in trace.messages] == [
        ("user", "Go.", []),
        ("assistant", "I look.", ["call_0123456789"]),
    ]
    assert not problems


def test_results_of_llamaindexs_tools_keep_their_texts(tmp_path: Path) -> None:
    output = {"blocks": [{"block_type": "text", "text": "one"}], "tool_name": "look", "is_error": True}
    event = {"tool_name": "look", "tool_kwargs": {"n": 1}, "tool_id": "call_1", "tool_output": output}
    task = {"traceloop.span.kind": "task", "tool.name": "look", "traceloop.entity.output": json.dumps(event)}
    reply = {"role": "assistant", "blocks": [{"block_type": "text", "text": "End."}]}
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
    turn = {"response": {**reply, "additional_kwargs": {"tool_calls": [call]}}}
    spans = [
        _span("a", {"traceloop.span.kind": "task", "traceloop.entity.output": json.dumps(turn)}, 1),
        _span("b", task, 2),
        _span("c", {"traceloop.span.kind": "task", "traceloop.entity.output": '{"input": "More."}'}, 3),
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(otlp(*spans)))
    (trace,), problems, _ = imported(path)
    assert answers(trace) == {"call_1": "one"}
    assert said(trace, "assistant") == ["End."]
    assert "no span is a model call" in problems[0].message
    assert [m.error for m in trace.messages if m.role == "tool"] == [True]
