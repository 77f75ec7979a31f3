"""Chunks of streams, and requests that repeat a conversation: one reply, one trace, each message once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from imported import answers, calls, imported, of, said, whole
from truespec.traces.trace import Trace


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


def test_lines_of_several_sessions_stay_apart(tmp_path: Path) -> None:
    lines = [
        {"session_id": name, "message": {"role": role, "content": "x"}}
        for name in "ab"
        for role in ("user", "assistant")
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert len(imported(path)[0]) == 4


def _requests(path: Path, *turns: tuple[list[Any], list[Any]]) -> Path:
    """A cassette with requests of OpenAI's Responses, each with its reply."""
    bodies = [
        (json.dumps({"model": "m", "input": given}), json.dumps({"object": "response", "output": said}))
        for given, said in turns
    ]
    pairs = [{"request": {"body": one}, "response": {"body": {"string": other}}} for one, other in bodies]
    path.write_text(json.dumps({"interactions": pairs}))
    return path


def _says(text: str) -> Any:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


@pytest.mark.parametrize(
    "repeated", [{"results": [{"score": 1, "file_id": "It."}]}, {}], ids=["spelt", "left out"]
)
def test_a_history_that_tells_a_hosted_result_otherwise_goes_on(
    repeated: dict[str, Any], tmp_path: Path
) -> None:
    asked, later = ({"role": "user", "content": text} for text in ("Find it.", "And more?"))
    call = {"type": "file_search_call", "id": "fs_0123456789", "queries": ["it"]}
    found = {**call, "results": [{"file_id": "It.", "score": 1}]}
    said = _says("Found.")
    path = _requests(
        tmp_path / "x.json",
        ([asked], [found, said]),
        ([asked, {**call, **repeated}, said, later], [_says("No.")]),
    )
    (trace,), _, file = imported(path)
    assert calls(trace) == ["file_search"]
    assert said_by(trace) == ["Find it.", "Found.", "And more?", "No."]
    assert "It." in str(answers(trace)["fs_0123456789"])
    assert file.ledger.rules["requests that repeat an earlier one and go on are one conversation"] == 1


def test_a_compaction_that_a_history_repeats_is_the_agents(tmp_path: Path) -> None:
    asked, later = ({"role": "user", "content": text} for text in ("Sum it up.", "And now?"))
    said = [_says("All a."), {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"}]
    path = _requests(tmp_path / "x.json", ([asked], said), ([asked, *said, later], [_says("Still a.")]))
    (trace,), _, _ = imported(path)
    assert said_by(trace) == ["Sum it up.", "All a.", "And now?", "Still a."]


def test_a_request_for_approval_that_a_history_repeats_is_its_call(tmp_path: Path) -> None:
    asked, later = ({"role": "user", "content": text} for text in ("Find it.", "Thanks."))
    given = {"name": "find", "arguments": '{"n": 1}', "server_label": "s"}
    request = {"type": "mcp_approval_request", "id": "mcpr_0123456789", **given}
    listed = {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []}
    approved = {"type": "mcp_approval_response", "approval_request_id": request["id"], "approve": True}
    call = {"type": "mcp_call", "id": "mcp_0123456789", **given, "output": "It.", "error": None}
    said = [call, _says("Found.")]
    history = [asked, listed, request, approved]
    path = _requests(
        tmp_path / "x.json",
        ([asked], [listed, request]),
        (history, said),
        ([*history, *said, later], [_says("Bye.")]),
    )
    (trace,), _, _ = imported(path)
    assert said_by(trace) == ["Find it.", "Found.", "Thanks.", "Bye."]
    assert answers(trace) == {"mcp_0123456789": "It."}
    assert calls(trace) == ["find"]


def test_the_full_stream_and_the_steps_of_an_agent_of_vercel_are_one_run(tmp_path: Path) -> None:
    call = {"toolCallId": "call_1", "toolName": "look", "input": {"n": 1}}
    events = [
        {"type": "start"},
        {"type": "start-step", "request": {}},
        *({"type": "text-delta", "id": "0", "text": text} for text in ("I ", "look.")),
        {"type": "tool-input-start", "id": "call_1", "toolName": "look"},
        *({"type": "tool-input-delta", "id": "call_1", "delta": text} for text in ('{"n"', ": 1}")),
        {"type": "tool-input-end", "id": "call_1"},
        {"type": "tool-call", **call},
        {"type": "tool-error", **call, "error": "gone"},
        {"type": "finish-step"},
        {"type": "start-step", "request": {}},
        {"type": "text-delta", "id": "0", "text": "No."},
        {"type": "finish"},
    ]
    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool-call", **call},
        {"type": "tool-error", **call, "error": "gone"},
    ]
    after = [{"role": "assistant", "content": content[:2]}]
    steps = [
        {"content": content, "finishReason": "tool-calls", "request": {}, "response": {"messages": after}},
        {"content": [{"type": "text", "text": "No."}], "finishReason": "stop", "request": {}},
    ]
    for name, text in (("x.jsonl", "\n".join(map(json.dumps, events))), ("x.json", json.dumps(steps))):
        path = tmp_path / name
        path.write_text(text)
        (trace,), problems, _ = imported(path)
        assert said_by(trace) == ["I look.", "No."]
        assert [(c.name, c.arguments, c.id) for m in trace.messages for c in m.calls] == [
            ("look", {"n": 1}, "call_1")
        ]
        assert answers(trace) == {"call_1": "gone"}
        assert not problems
