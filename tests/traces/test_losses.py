"""What importers lost or invented before: each case is a fault that was met on real exports."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import needs
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers import http_exchanges
from truespec.traces.importers.registry import read_file
from truespec.traces.trace import Trace

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


def imported(path: Path, form: str | None = None) -> tuple[list[Trace], list[Problem], TraceFile]:
    file = TraceFile(path)
    found = list(read_file(file, form))
    traces = [item for item in found if isinstance(item, Trace)]
    return traces, [item for item in found if isinstance(item, Problem)], file


def of(value: Any, tmp_path: Path, name: str = "x.json", form: str | None = None) -> Trace:
    """The one trace of a value."""
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    (trace,), _, _ = imported(path, form)
    return trace


def calls(trace: Trace) -> list[str]:
    return [call.name for message in trace.messages for call in message.calls]


def answers(trace: Trace) -> dict[str, str | None]:
    """The text of the result of each call, by identifier or by name."""
    return {
        (call.id or call.name): trace.messages[at].text
        for (index, number), at in trace.results.items()
        for call in [trace.messages[index].calls[number]]
    }


def said(trace: Trace, role: str) -> list[str | None]:
    return [m.text for m in trace.messages if m.role == role and m.text]


def whole(trace: Trace) -> None:
    """No result without its call, no call twice."""
    results = [index for index, m in enumerate(trace.messages) if m.role == "tool"]
    assert set(results) == set(trace.origins)
    identifiers = [c.id for m in trace.messages for c in m.calls if c.id is not None]
    assert len(identifiers) == len(set(identifiers))


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


def test_an_unknown_role_is_a_problem_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    listed = [
        {"role": "user", "content": "hi"},
        {"role": "narrator", "content": "Meanwhile"},
        {"role": "assistant", "content": "hello"},
    ]
    path.write_text(json.dumps({"messages": listed}))
    (trace,), problems, file = imported(path)
    assert [m.role for m in trace.messages] == ["user", "assistant"]
    (problem,) = problems
    assert "narrator" in problem.message
    assert "message 1" in problem.position
    assert not file.ledger.lossless


def test_an_empty_trace_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [_span("a", {"x": 1})]}]}]}))
    traces, problems, file = imported(path)
    assert not traces
    assert "without any message" in problems[0].message
    assert not file.ledger.lossless


def test_an_orphan_result_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps([{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "q", "content": "x"}])
    )
    _, problems, _ = imported(path)
    assert "answers no call" in problems[0].message
    assert "message 1" in problems[0].position


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


def test_items_of_hosted_tools(tmp_path: Path) -> None:
    output = [
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "q"},
        },
        {
            "type": "mcp_call",
            "id": "mcp_1",
            "server_label": "s",
            "name": "roll",
            "arguments": '{"d": 6}',
            "output": "4",
            "error": None,
        },
        {
            "type": "file_search_call",
            "id": "fs_1",
            "queries": ["x"],
            "results": [{"file_id": "f", "text": "t"}],
        },
        {
            "type": "code_interpreter_call",
            "id": "ci_1",
            "code": "1+1",
            "outputs": [{"type": "logs", "logs": "2"}],
        },
        {
            "type": "custom_tool_call",
            "id": "ctc_1",
            "call_id": "call_9",
            "name": "run_sql",
            "input": "SELECT 1",
        },
        {"type": "custom_tool_call_output", "call_id": "call_9", "output": "1"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]
    trace = of({"object": "response", "id": "r", "input": "go", "output": output}, tmp_path)
    found = {c.id: (c.name, c.arguments) for m in trace.messages for c in m.calls}
    assert found == {
        "ws_1": ("web_search", {"action": {"type": "search", "query": "q"}}),
        "mcp_1": ("roll", {"d": 6}),
        "fs_1": ("file_search", {"queries": ["x"]}),
        "ci_1": ("code_interpreter", {"code": "1+1"}),
        "call_9": ("run_sql", {"input": "SELECT 1"}),
    }
    assert set(answers(trace)) == {"mcp_1", "fs_1", "ci_1", "call_9"}
    whole(trace)


def test_an_item_type_that_is_not_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    items = [{"type": "message", "role": "user", "content": "hi"}, {"type": "hologram", "id": "h"}]
    path.write_text(json.dumps({"object": "response", "input": items, "output": []}))
    _, problems, file = imported(path)
    assert any("hologram" in problem.message for problem in problems)
    assert file.ledger.items.dropped == {"type 'hologram' is not read": 1}


def test_custom_calls_of_the_chat_interface(tmp_path: Path) -> None:
    call = {"id": "call_1", "type": "custom", "custom": {"name": "run_sql", "input": "SELECT 1"}}
    trace = of([{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [call]}], tmp_path)
    (found,) = trace.messages[1].calls
    assert (found.name, found.arguments, found.id) == ("run_sql", {"input": "SELECT 1"}, "call_1")


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


def test_anthropic_server_tools_stand_behind_their_call(tmp_path: Path) -> None:
    content = [
        {"type": "text", "text": "Let me look."},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": [{"type": "web_search_result", "url": "https://x.example", "title": "X"}],
        },
        {"type": "text", "text": "Found it."},
    ]
    trace = of(
        {
            "system": "s",
            "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": content}],
        },
        tmp_path,
    )
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert "x.example" in str(answers(trace)["srvtoolu_1"])


def test_results_pair_by_name_where_no_identifier_is_given(tmp_path: Path) -> None:
    listed: list[Any] = [
        {"role": "user", "parts": [{"text": "both"}]},
        {"role": "model", "parts": [{"functionCall": {"name": n, "args": {}}} for n in ("a", "b")]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": n, "response": {"of": n}}} for n in ("b", "a")],
        },
    ]
    trace = of({"messages": listed}, tmp_path)
    pairs = {trace.messages[i].calls[n].name: trace.messages[at].text for (i, n), at in trace.results.items()}
    assert pairs == {"a": '{"of": "a"}', "b": '{"of": "b"}'}


def chunk(delta: Any, index: int = 0) -> Any:
    choice = {"index": index, "delta": delta, "finish_reason": None}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def piece(arguments: str, **more: Any) -> Any:
    return chunk({"tool_calls": [{"index": 0, **more, "function": {"arguments": arguments}}]})


CHAT_CHUNKS = [
    chunk({"role": "assistant", "content": "Let me "}),
    chunk({"content": "look."}),
    chunk({"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "look", "arguments": ""}}]}),
    piece('{"city": '),
    piece('"Delft"}'),
]
ANTHROPIC_EVENTS = [
    {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "model": "m", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "look."}},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "call_1", "name": "look", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"city": '},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '"Delft"}'},
    },
    {"type": "message_stop"},
]
_CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": ""}
RESPONSES_EVENTS = [
    {"type": "response.created", "response": {"id": "r", "object": "response", "model": "m", "output": []}},
    {
        "type": "response.output_item.added",
        "output_index": 0,
        "item": {"type": "message", "role": "assistant"},
    },
    {"type": "response.output_text.delta", "output_index": 0, "delta": "Let me "},
    {"type": "response.output_text.delta", "output_index": 0, "delta": "look."},
    {"type": "response.output_item.added", "output_index": 1, "item": _CALL},
    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"city": '},
    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '"Delft"}'},
]


@pytest.mark.parametrize(
    "chunks", [CHAT_CHUNKS, ANTHROPIC_EVENTS, RESPONSES_EVENTS], ids=["chat", "anthropic", "responses"]
)
@pytest.mark.parametrize("written", ["lines", "list", "sse"])
def test_chunks_of_a_stream_are_one_reply(chunks: list[Any], written: str, tmp_path: Path) -> None:
    text = {
        "lines": "\n".join(json.dumps(c) for c in chunks),
        "list": json.dumps(chunks),
        "sse": "".join(f"event: {c.get('type')}\ndata: {json.dumps(c)}\n\n" for c in chunks)
        + "data: [DONE]\n\n",
    }[written]
    trace = of(text, tmp_path, {"lines": "x.jsonl", "list": "x.json", "sse": "x.txt"}[written])
    assert said(trace, "assistant") == ["Let me look."]
    assert [(c.name, c.id, c.arguments) for m in trace.messages for c in m.calls] == [
        ("look", "call_1", {"city": "Delft"})
    ]


def test_chunks_inside_a_logged_request(tmp_path: Path) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "go"}]}
    trace = of({"request": request, "response": CHAT_CHUNKS}, tmp_path)
    assert [m.role for m in trace.messages] == ["user", "assistant"]
    assert calls(trace) == ["look"]


TALK: list[Any] = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "r"},
    {"role": "assistant", "content": "done"},
]


@pytest.mark.parametrize("with_reply", [True, False])
def test_requests_of_one_conversation_are_one_trace(tmp_path: Path, with_reply: bool) -> None:
    other = [{"role": "user", "content": "something else"}]
    lines = []
    for end in (2, 4):
        record: dict[str, Any] = {"request": {"model": "m", "messages": TALK[:end]}}
        if with_reply:
            reply = {**TALK[end], "refusal": None, "annotations": []}
            record["response"] = {"id": f"chatcmpl-{end}", "choices": [{"index": 0, "message": reply}]}
        lines += [record, {"request": {"model": "m", "messages": other}}]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    traces, problems, file = imported(path)
    assert not problems
    assert [len(trace.messages) for trace in traces] == [5 if with_reply else 4, 1, 1]
    assert calls(traces[0]) == ["look"]
    assert sum(file.ledger.rules.values()) == 1


def test_responses_that_name_the_one_before_are_one_trace(tmp_path: Path) -> None:
    call = {"type": "function_call", "id": "fc", "call_id": "call_1", "name": "look", "arguments": "{}"}
    last = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    lines: list[Any] = [
        {"object": "response", "id": "r1", "input": "go", "output": [call]},
        {
            "object": "response",
            "id": "r2",
            "previous_response_id": "r1",
            "input": [{"type": "function_call_output", "call_id": "call_1", "output": "r"}],
            "output": [last],
        },
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    (trace,), _, _ = imported(path)
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    whole(trace)


def test_conversations_of_other_sessions_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    first = {"session_id": "a", "messages": TALK[:3]}
    path.write_text("\n".join(json.dumps(line) for line in (first, {"session_id": "b", "messages": TALK})))
    assert len(imported(path)[0]) == 2


def test_what_one_record_says_twice_was_said_twice(tmp_path: Path) -> None:
    call = {"name": "look", "args": {"n": 1}}
    said: list[Any] = [
        {"role": "user", "parts": [{"text": "yes"}]},
        {"role": "model", "parts": [{"functionCall": call}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"r": 1}}}]},
        {"role": "model", "parts": [{"text": "ok"}]},
    ]
    trace = of({"session": {"turns": [*said, *said]}}, tmp_path)
    assert said_by(trace) == ["yes", "ok", "yes", "ok"]
    assert calls(trace) == ["look", "look"]


def said_by(trace: Trace) -> list[str]:
    return [m.text for m in trace.messages if m.role in ("user", "assistant") and m.text]


@pytest.mark.parametrize(
    "text", ["<tool_call>\n{name: look}\n</tool_call>", "<tool_call>{", "<tool_call>1</tool_call>"]
)
def test_marks_that_hold_no_call_are_a_loss_and_stay_a_text(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "content": text}]))
    (trace,), problems, file = imported(path)
    assert said(trace, "assistant") == [text]
    assert problems
    assert not file.ledger.lossless


def test_calls_outside_all_recognised_messages_are_a_loss(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    act = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"}
    path.write_text(json.dumps({"run": {"turns": [{"role": "user", "content": "go"}], "acts": [act]}}))
    (trace,), problems, file = imported(path)
    assert calls(trace) == []
    assert "1 calls stand outside all recognised messages: look" in problems[0].message
    assert not file.ledger.lossless


def test_results_that_repeat_their_calls_are_paired_by_them(tmp_path: Path) -> None:
    asked = [{"name": "get", "parameters": {"id": n}} for n in (1, 2, 2)]
    given = [{"call": asked[n], "outputs": [{"n": n}]} for n in (2, 0, 1)]
    history = [
        {"role": "USER", "message": "All three."},
        {"role": "CHATBOT", "message": "I will look.", "tool_calls": asked},
        {"role": "TOOL", "tool_results": given},
    ]
    trace = of({"text": "Done.", "generation_id": "g", "chat_history": history}, tmp_path)
    assert [m.text for m in trace.messages if m.role == "assistant"] == ["I will look.", "Done."]
    found = [trace.messages[trace.results[1, n]].text for n in range(3)]
    assert found == ['{"n": 0}', '{"n": 2}', '{"n": 1}']


def test_a_reply_of_cohere_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"request": {"message": "Hi", "preamble": "Be kind."}, "response": {"gone": 1}})
    )
    (trace,), (problem,), file = imported(path)
    assert [m.role for m in trace.messages] == ["system", "user"]
    assert problem.position == "document, response"
    assert not file.ledger.lossless


def test_an_order_that_is_assumed_is_told(tmp_path: Path) -> None:
    calls = [{"name": "get", "arguments": {"id": n}} for n in (1, 2)]
    told = [{"from": "human", "value": "Both."}, {"from": "function_call", "value": json.dumps(calls)}]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"conversations": [*told, *({"from": "tool", "value": n} for n in "ab")]}]))
    (trace,), problems, file = imported(path)
    assert [trace.messages[trace.results[1, n]].text for n in (0, 1)] == ["a", "b"]
    assert not problems
    assert sum(file.ledger.assumed.values()) == 2
    assert any(line.strip().startswith("assumed 2 times: ") for line in file.ledger.lines())
    assert sum(file.ledger.record()["assumed"].values()) == 2


def test_one_open_call_needs_no_assumption(tmp_path: Path) -> None:
    told = [{"from": "human", "value": "It."}, {"from": "function_call", "value": '{"name": "get"}'}]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"conversations": [*told, {"from": "tool", "value": "a"}]}]))
    _, _, file = imported(path)
    assert not file.ledger.assumed


def test_replies_to_prefer_are_told_as_left_out(tmp_path: Path) -> None:
    pair = {
        "chosen": {"from": "function_call", "value": '{"name": "get"}'},
        "rejected": {"from": "gpt", "value": "No."},
    }
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"conversations": [{"from": "human", "value": "It."}], **pair}]))
    _, _, file = imported(path)
    assert file.ledger.items.dropped.total() == 2


@pytest.mark.parametrize(
    "text",
    [
        "<function=get><parameter=id>1</parameter>",
        "<function=get>1</function>",
        '{"name": "get"} and more',
        "<tool_call>get(1)</tool_call>",
    ],
)
def test_calls_in_a_text_that_cannot_be_read_are_told(text: str, tmp_path: Path) -> None:
    told = [{"from": "human", "value": "It."}, {"from": "function_call", "value": text}]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"conversations": told}]))
    (trace,), problems, file = imported(path)
    assert trace.messages[1].text == text
    assert problems
    assert not file.ledger.lossless


def test_a_history_of_aider_holds_a_trace_for_each_session(tmp_path: Path) -> None:
    path = tmp_path / "x.chat.history.md"
    path.write_text("# aider chat started at A\n\n#### Go.\n\nI go.\n# a heading\n\n> Applied edit to a.py\n")
    (trace,), problems, file = imported(path)
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Go."),
        ("assistant", "I go.\n# a heading"),
    ]
    assert not problems
    assert trace.metadata["other"] == [{"place": "line 8", "text": "Applied edit to a.py"}]
    assert sum(file.ledger.rules.values()) == 1


def test_calls_and_results_in_envelopes_keep_their_failures(tmp_path: Path) -> None:
    failed = {"type": "toolResponse", "id": "c1", "toolResult": {"status": "error", "error": "down"}}
    called = {"name": "get", "arguments": {"id": 1}}
    request = {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": called}}
    talk = [{"role": "assistant", "content": [request]}, {"role": "user", "content": [failed]}]
    trace = of({"conversation": talk}, tmp_path)
    assert [(call.id, call.name, call.arguments) for call in trace.messages[0].calls] == [
        ("c1", "get", {"id": 1})
    ]
    assert (trace.messages[1].text, trace.messages[1].error) == ("down", True)


def test_results_in_a_field_of_their_own_answer_their_calls(tmp_path: Path) -> None:
    calls = [
        {"request_id": n, "tool_name": "get", "params_as_json": f'{{"id": "{n}"}}'} for n in ("r1", "r2")
    ]
    results = [
        {"request_id": n, "tool_name": "get", "result_value": n, "is_error": n == "r2"} for n in ("r2", "r1")
    ]
    talk = [
        {"role": "user", "message": "Both."},
        {"role": "agent", "message": None, "tool_calls": calls, "tool_results": []},
        {"role": "agent", "message": None, "tool_calls": [], "tool_results": results},
    ]
    trace = of({"transcript": talk}, tmp_path)
    assert answers(trace) == {"r1": "r1", "r2": "r2"}
    assert [m.error for m in trace.messages if m.role == "tool"] == [True, False]


def test_roles_that_are_calls_and_results(tmp_path: Path) -> None:
    talk = [
        {"role": "user", "content": "It."},
        {"role": "tool_call_invocation", "tool_call_id": "c1", "name": "get", "arguments": '{"id": 1}'},
        {"role": "tool_call_result", "tool_call_id": "c1", "successful": False, "content": "down"},
    ]
    trace = of(talk, tmp_path)
    assert answers(trace) == {"c1": "down"}
    assert trace.messages[2].error is True
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool"]


def test_events_without_a_message_are_counted_by_their_types(tmp_path: Path) -> None:
    said = [("user", "Hi."), ("assistant", "Hello."), ("user", "Bye.")]
    lines: list[Any] = [{"type": "session", "id": "s"}, {"type": "tick"}, {"type": "tick"}]
    lines += [{"type": "message", "message": {"role": role, "content": text}} for role, text in said]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    (trace,), problems, file = imported(path)
    assert [(m.role, m.text) for m in trace.messages] == said
    assert [problem.message for problem in problems] == [
        "1 events of the type 'session' hold no message; left out",
        "2 events of the type 'tick' hold no message; left out",
    ]
    assert file.ledger.items.dropped.total() == 3
    assert sum(file.ledger.assumed.values()) == 3


def test_lines_of_several_sessions_stay_apart(tmp_path: Path) -> None:
    lines = [
        {"session_id": name, "message": {"role": role, "content": "x"}}
        for name in "ab"
        for role in ("user", "assistant")
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert len(imported(path)[0]) == 4


def test_steps_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"input": "It.", "output": "Done.", "intermediate_steps": [["get(1)", "one"]]})
    )
    (trace,), (problem,), file = imported(path)
    assert [m.role for m in trace.messages] == ["user", "assistant"]
    assert problem.position == "document, step 0"
    assert file.ledger.calls.dropped.total() == 1


def test_failures_of_an_agent_of_bedrock_are_told(tmp_path: Path) -> None:
    events = [
        {
            "sessionId": "s",
            "trace": {"orchestrationTrace": {"observation": {"finalResponse": {"text": "Hi."}}}},
        },
        {"sessionId": "s", "trace": {"failureTrace": {"failureReason": "throttled"}}},
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(events))
    (trace,), (problem,), file = imported(path)
    assert [m.text for m in trace.messages] == ["Hi."]
    assert "throttled" in problem.message
    assert not file.ledger.lossless


def test_a_started_execution_that_nobody_asked_for_is_a_call(tmp_path: Path) -> None:
    lines = [
        {"type": "session.start", "data": {"sessionId": "s"}},
        {"type": "user.message", "data": {"content": "It."}},
        {"type": "tool.execution_start", "data": {"toolCallId": "c1", "toolName": "get", "arguments": {}}},
        {
            "type": "tool.execution_complete",
            "data": {"toolCallId": "c1", "success": False, "error": {"message": "no"}},
        },
        {"type": "novelty", "data": {}},
    ]
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    (trace,), (problem,), _ = imported(path)
    assert answers(trace) == {"c1": "no"}
    assert trace.messages[2].error is True
    assert "'novelty'" in problem.message


def test_a_call_in_a_field_that_nobody_reads_is_told(tmp_path: Path) -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    known = {"role": "assistant", "content": None, "tool_calls": [called], "raw": {"tool_calls": [called]}}
    hidden = {**called, "id": "c2"}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([known, {"role": "assistant", "content": "x", "called": [hidden]}]))
    (trace,), (problem,), file = imported(path)
    assert calls(trace) == ["get"]
    assert problem.message == "a call of 'get' in the field 'called' is not read"
    assert file.ledger.calls.dropped.total() == 1


def test_a_call_that_tau2_keeps_as_its_word_for_the_end_is_in_the_ledger(tmp_path: Path) -> None:
    sample = json.loads((Path(__file__).parent / "samples/tau2/sample.json").read_text())
    called = {"id": "c9", "type": "function", "function": {"name": "done", "arguments": "{}"}}
    last = {"role": "assistant", "content": "###STOP###", "raw_data": {"message": {"tool_calls": [called]}}}
    sample["simulations"][0]["messages"].append(last)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(sample))
    (trace,), problems, file = imported(path)
    assert trace.messages[-1].text == "###STOP###"
    assert not problems
    assert "c9" in file.ledger.aliases
    assert any("###STOP###" in rule for rule in file.ledger.rules)


def test_a_branch_of_a_chat_server_is_read_with_its_thought_and_its_calls(tmp_path: Path) -> None:
    thought = '<details type="reasoning" done="true">\n<summary>Thought</summary>\nHm.\n</details>\n'
    call = (
        'First.\n<details type="tool_calls" done="true" id="c1" name="get" arguments="{&quot;id&quot;: 1}" '
        'result="&quot;one&quot;">\n<summary>Done</summary>\n</details>\nThen.'
    )
    messages = {
        "a": {"parentId": None, "role": "user", "content": "It."},
        "b": {"parentId": "a", "role": "assistant", "content": "An older answer."},
        "c": {"parentId": "a", "role": "assistant", "content": thought + call},
    }
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": "x", "chat": {"history": {"currentId": "c", "messages": messages}}}]))
    (trace,), _, file = imported(path)
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "It."),
        ("assistant", "First."),
        ("tool", "one"),
        ("assistant", "Then."),
    ]
    assert trace.messages[1].reasoning == "Hm."
    assert answers(trace) == {"c1": "one"}
    assert sum(file.ledger.rules.values()) == 1


def test_a_team_of_autogen_whose_agents_remember_more_keeps_all_calls(tmp_path: Path) -> None:
    sample = json.loads((Path(__file__).parent / "samples/structure/autogen-team.json").read_text())
    states = sample["agent_states"]
    manager = next(state for state in states.values() if "message_thread" in state)
    manager["message_thread"] = [manager["message_thread"][0], manager["message_thread"][-1]]
    trace = of(sample, tmp_path)
    assert calls(trace) == ["get_weather", "get_weather"]
    assert answers(trace) == {"call_1": "21", "call_2": "18"}


def test_results_of_azure_answer_the_call_that_their_message_names(tmp_path: Path) -> None:
    asked: list[Any] = [
        {"type": "tool_call", "tool_call_id": n, "name": "get", "arguments": {}} for n in ("c1", "c2")
    ]
    told = [
        {
            "role": "tool",
            "tool_call_id": n,
            "content": [{"type": "tool_result", "tool_result": {"status": n}}],
        }
        for n in ("c2", "c1")
    ]
    value = {"query": "Both.", "response": [{"role": "assistant", "content": asked}, *told]}
    trace = of(value, tmp_path)
    assert said(trace, "user") == ["Both."]
    assert answers(trace) == {"c1": '{"status": "c1"}', "c2": '{"status": "c2"}'}


def test_images_beside_a_text_are_told_as_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "ui_messages.json"
    entry = {
        "ts": 1,
        "type": "say",
        "say": "task",
        "text": "What is this?",
        "images": ["data:image/png;base64,AA"],
    }
    path.write_text(json.dumps([entry]))
    (trace,), problems, file = imported(path)
    assert said(trace, "user") == ["What is this?"]
    assert not problems
    assert any("images" in rule for rule in file.ledger.rules)


def _archive(reply: dict[str, Any]) -> Any:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Sky?"}]})
    entry = {"request": {"postData": {"text": body}}, "response": {"content": reply}}
    return {"log": {"version": "1.2", "creator": {}, "entries": [entry]}}


@pytest.mark.parametrize(
    "data",
    [
        b"\x1b\x2a\x00\xf8\xff",  # compressed in a way that is not read
        gzip.compress(b"a" * (http_exchanges.LONGEST + 1)),
        gzip.compress(b"The sky is clear.")[:-9],
    ],
    ids=["other", "long", "cut"],
)
def test_a_reply_that_cannot_be_unpacked_whole_is_a_problem_and_no_speech(
    data: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "x.har"
    path.write_text(json.dumps(_archive({"encoding": "base64", "text": base64.b64encode(data).decode()})))
    (trace,), problems, _ = imported(path)
    assert said(trace, "user") == ["Sky?"]
    assert not said(trace, "assistant")
    assert "a reply that cannot be unpacked" in str(problems)


def test_what_a_user_says_on_cancelling_a_tool_is_kept(tmp_path: Path) -> None:
    calls = [{"id": "u1", "name": "rm", "args": {"path": "/"}}]
    cancelled = {"tool_use_id": "u1", "content": [{"Text": "cancelled"}], "status": "Error"}
    asked = {"CancelledToolUses": {"prompt": "Do not delete it.", "tool_use_results": [cancelled]}}
    history = [
        {"user": {"content": {"Prompt": {"prompt": "Go."}}}, "assistant": {"ToolUse": {"tool_uses": calls}}},
        {"user": {"content": asked, "images": [1]}, "assistant": {"Response": {"content": "No."}}},
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"conversation_id": "k", "history": history}))
    (trace,), problems, file = imported(path)
    assert said(trace, "user") == ["Go.", "Do not delete it."]
    assert answers(trace) == {"u1": "cancelled"}
    assert any("images" in rule for rule in file.ledger.rules)
    assert not problems


def test_a_log_of_a_crew_says_that_it_holds_no_calls(tmp_path: Path) -> None:
    entry = {"timestamp": "t", "task_name": "a", "task": "Go.", "agent": "b", "status": "started"}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([entry, {**entry, "status": "completed", "output": "Gone."}]))
    (trace,), _, file = imported(path)
    assert (said(trace, "user"), said(trace, "assistant")) == (["Go."], ["Gone."])
    assert any("no calls" in rule for rule in file.ledger.assumed)
    assert any("repeats" in rule for rule in file.ledger.rules)


def test_results_of_cline_and_the_leaderboard_in_an_order_are_told_as_assumed(tmp_path: Path) -> None:
    tool = {"ts": 1, "type": "say", "say": "tool"}
    texts = [json.dumps({"tool": "readFile", "path": name}) for name in "ab"]
    request = json.dumps({"request": "[read_file] Result:\n1\n\n[read_file] Result:\n2"})
    path = tmp_path / "ui_messages.json"
    asked = {"ts": 0, "type": "say", "say": "task", "text": "Go."}
    sent = {"ts": 2, "type": "say", "say": "api_req_started", "text": request}
    path.write_text(json.dumps([asked, *({**tool, "text": text} for text in texts), sent]))
    (trace,), _, file = imported(path)
    assert [*answers(trace).values()] == ["1", "2"]
    assert file.ledger.assumed
    replies = [{"role": "assistant", "content": [{"a": "{}"}, {"b": "{}"}]}]
    results = [{"role": "tool", "content": text} for text in "12"]
    turn = {"begin_of_turn_query": [{"role": "user", "content": "Go."}], "step_0": [*replies, *results]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": "t", "result": [[[]]], "inference_log": [turn]}]))
    (trace,), _, file = imported(path)
    assert [*answers(trace).values()] == ["1", "2"]
    assert file.ledger.assumed


def test_integers_beyond_64_bits_stay_integers(tmp_path: Path) -> None:
    """The fast parser makes floats of them: two trace ids might be one, and an argument another number."""
    account, trace = 123456789012345678901234567890, 340282366920938463463374607431768211454
    span = {"type": "function", "name": "pay", "input": json.dumps({"account": account}), "output": "ok"}
    lines = [
        {"object": "trace.span", "id": f"s{n}", "trace_id": trace + n, "started_at": "1", "span_data": span}
        for n in (0, 1)
    ]
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    traces = [item for item in read_file(TraceFile(path)) if isinstance(item, Trace)]
    assert [one.id for one in traces] == [str(trace), str(trace + 1)]
    assert traces[0].messages[0].calls[0].arguments == {"account": account}
