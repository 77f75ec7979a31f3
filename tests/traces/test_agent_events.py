"""Events of agents, and calls behind marks, in forms of exporters that were read in part or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from imported import answered_calls as calls
from imported import turns as said
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.growing import ALIKE
from truespec.traces.importers.registry import read, read_file
from truespec.traces.trace import Trace

Call = tuple[str, Any, str | None]


def found_in(value: Any, tmp_path: Path, name: str = "log.json") -> tuple[list[Trace], list[Problem]]:
    path = tmp_path / name
    lines = name.endswith("jsonl") and isinstance(value, list)
    text = "".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value)
    path.write_text(value if isinstance(value, str) else text)
    found = list(read(path))
    traces = [item for item in found if isinstance(item, Trace)]
    return traces, [item for item in found if isinstance(item, Problem)]


def _metadata(name: str, given: dict[str, Any], identifier: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(given)}
    message = {
        "role": "assistant",
        "content": "Let me.",
        "tool_calls": [{"id": identifier, "function": function}],
    }
    return {"tool_call_id": identifier, "model_response": {"choices": [{"message": message}]}}


def test_openhands_calls_are_those_of_the_model(tmp_path: Path) -> None:
    edit, run = _metadata("editor", {"file": "a.py"}, "t1"), _metadata("bash", {"cmd": "ls"}, "t2")
    listed = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Tidy a.py."}},
        {"id": 1, "source": "agent", "action": "edit", "args": {"path": "a.py"}, "tool_call_metadata": edit},
        {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls"}, "tool_call_metadata": run},
        {"id": 3, "cause": 2, "observation": "run", "content": "a.py", "tool_call_metadata": run},
        {"id": 4, "cause": 1, "observation": "edit", "content": "edited"},
        {"id": 5, "source": "agent", "action": "read", "args": {"path": "b.py"}},
        {"id": 6, "cause": 5, "observation": "read", "content": "pass"},
    ]
    (trace,), problems = found_in(listed, tmp_path)
    assert ["2 texts" in one.message or "1 text" in one.message for one in problems] == [True]
    assert calls(trace) == [
        ("editor", {"file": "a.py"}, "edited"),
        ("bash", {"cmd": "ls"}, "a.py"),
        ("read", {"path": "b.py"}, "pass"),
    ]


KIT = [
    {
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {"content": [{"type": "text", "text": "Tidy."}]},
    },
    {
        "kind": "ActionEvent",
        "tool_name": "bash",
        "tool_call_id": "c1",
        "action": {"kind": "Run", "cmd": "ls"},
    },
    {"kind": "ObservationEvent", "tool_call_id": "c1", "observation": {"content": "a.py"}},
    {"kind": "PauseEvent"},
    {
        "kind": "MessageEvent",
        "source": "agent",
        "llm_message": {"content": [{"type": "text", "text": "Done."}]},
    },
]


@pytest.mark.parametrize("runs", [False, True])
def test_openhands_kit_without_the_models_own_calls(tmp_path: Path, runs: bool) -> None:
    value: Any = [{"instance_id": f"i{n}", "history": KIT} for n in range(2)] if runs else KIT
    traces, problems = found_in(value, tmp_path, "runs.jsonl" if runs else "events.json")
    assert not problems
    assert [trace.id for trace in traces] == (["i0", "i1"] if runs else ["events.json"])
    for trace in traces:
        assert calls(trace) == [("bash", {"cmd": "ls"}, "a.py")]
        assert said(trace) == [("user", "Tidy."), ("assistant", "Done.")]


def test_bedrock_actions_are_given_properties_inside_an_object(tmp_path: Path) -> None:
    body: dict[str, Any] = {
        "content": {"application/json": {"properties": [{"name": "order", "value": "A17"}]}}
    }
    given = {"actionGroupName": "orders", "apiPath": "/find", "requestBody": body}
    seen = {"actionGroupInvocationOutput": {"text": "sent"}}
    listed = [
        {"orchestrationTrace": {"invocationInput": {"actionGroupInvocationInput": given}}},
        {"orchestrationTrace": {"observation": seen}},
    ]
    (trace,), _ = found_in(listed, tmp_path)
    assert calls(trace) == [("/find", {"order": "A17"}, "sent")]
    body["content"]["application/json"] = {"order": "A17"}
    assert any("no list of properties" in problem.message for problem in found_in(listed, tmp_path)[1])


FIND = ("find", {"order": "A17"}, None)
_OBJECT = '{"name": "find", "arguments": {"order": "A17"}}'
_QUOTED = """{"name": "find", "arguments": '{"order": "A17"}'}"""
MARKED = {
    f"USER: Find A17.\n\nA: <functioncall> {_QUOTED} <|endoftext|>": [FIND],
    f"USER: Find A17.\n\nASSISTANT: <functioncall> {_OBJECT} </functioncall>": [FIND],
    f"USER: Twice.\n\nASSISTANT: Yes.<functioncall> {_OBJECT} <functioncall> {_OBJECT}": [FIND, FIND],
}


@pytest.mark.parametrize("chat", MARKED)
def test_chats_of_glaive(tmp_path: Path, chat: str) -> None:
    (trace,), problems = found_in([{"system": "", "chat": chat}], tmp_path)
    assert calls(trace) == MARKED[chat]
    assert trace.messages[0].role == "user"
    assert not problems


BEHIND = {
    '[TOOL_CALLS] [{"name": "find", "arguments": {"order": "A17"}}]</s>': [FIND],
    '<|python_tag|>{"name": "find", "parameters": {"order": "A17"}}<|eom_id|>': [FIND],
    '<|python_tag|>find.call(order="A17")<|eom_id|>': [],
}


@pytest.mark.parametrize("text", BEHIND)
def test_calls_behind_marks_that_nothing_closes(tmp_path: Path, text: str) -> None:
    listed = [{"role": "user", "content": "Find A17."}, {"role": "assistant", "content": text}]
    (trace,), problems = found_in({"messages": listed}, tmp_path)
    assert calls(trace) == BEHIND[text]
    assert bool(problems) == (not BEHIND[text])


STREAM = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "find", "parentMessageId": "m2"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"order": "A17"}'},
    {"type": "TOOL_CALL_RESULT", "toolCallId": "c1", "messageId": "m3", "content": "sent"},
    {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m4", "role": "assistant", "delta": "On its way."},
]
WHOLE = [
    {"id": "m1", "role": "user", "content": "Find A17 and B42."},
    {
        "id": "x2",
        "role": "assistant",
        "toolCalls": [
            {"id": "c1", "function": {"name": "find", "arguments": '{"order": "A17"}'}},
            {"id": "c2", "function": {"name": "find", "arguments": '{"order": "B42"}'}},
        ],
    },
    {"id": "x3", "role": "tool", "toolCallId": "c1", "content": "sent"},
    {"id": "x5", "role": "tool", "toolCallId": "c2", "content": "lost"},
    {"id": "x4", "role": "assistant", "content": "On its way."},
]


def test_a_snapshot_gives_the_order_and_what_the_stream_left_out(tmp_path: Path) -> None:
    listed = [*STREAM, {"type": "MESSAGES_SNAPSHOT", "messages": WHOLE}]
    stream = "".join(f"data: {json.dumps(event)}\n\n" for event in listed)
    (trace,), problems = found_in(stream, tmp_path, "run.sse")
    assert not problems
    assert calls(trace) == [(*FIND[:2], "sent"), ("find", {"order": "B42"}, "lost")]
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "tool", "assistant"]


def test_pieces_of_a_call_that_did_not_begin_are_told(tmp_path: Path) -> None:
    (trace,), problems = found_in([STREAM[0], *STREAM[2:]], tmp_path, "run.jsonl")
    assert [call for m in trace.messages for call in m.calls] == []
    assert any("did not begin" in problem.message for problem in problems)


def test_a_session_that_is_taken_back_ends_before_what_was_taken_back(tmp_path: Path) -> None:
    about = {"sessionId": "s", "projectHash": "h"}
    said = [
        {"id": name, "timestamp": "t", "type": kind, "content": text}
        for name, kind, text in (("a", "user", "Hi."), ("b", "gemini", "Hello."), ("c", "user", "Delete it."))
    ]
    (trace,), problems = found_in([about, *said, {"$rewindTo": "c"}], tmp_path, "chat.jsonl")
    assert [m.text for m in trace.messages] == ["Hi.", "Hello."]
    assert "1 entries" in problems[0].message
    assert "1 text in the field 'content'" in problems[1].message


def test_frames_of_a_log_of_mcp_name_their_session(tmp_path: Path) -> None:
    def frame(session: str, **message: Any) -> dict[str, Any]:
        return {"session_id": session, "data": json.dumps({"jsonrpc": "2.0", **message})}

    asked = {"method": "tools/call", "params": {"name": "find", "arguments": {"order": "A17"}}}
    listed = [
        frame("a", id=1, **asked),
        frame("b", id=1, **asked),
        frame("b", id=1, result={"content": [{"type": "text", "text": "lost"}]}),
        frame("a", id=1, result={"content": [{"type": "text", "text": "sent"}]}),
        {"session_id": "c", "note": "closed"},
    ]
    traces, problems = found_in(listed, tmp_path, "proxy.jsonl")
    assert [(trace.id, calls(trace)) for trace in traces] == [
        ("a", [(*FIND[:2], "sent")]),
        ("b", [(*FIND[:2], "lost")]),
    ]
    assert ["no message of MCP" in problem.message for problem in problems] == [True]


def _printed(subtype: str, **body: Any) -> dict[str, Any]:
    given = {"args": {"path": "a.py"}, **body}
    return {
        "type": "tool_call",
        "subtype": subtype,
        "session_id": "s",
        "call_id": "c1",
        "tool_call": {"read": given},
    }


def test_what_cursor_prints_has_its_calls(tmp_path: Path) -> None:
    listed = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m"},
        _printed("started"),
        _printed("completed", result={"rejected": {"reason": "not allowed"}}),
        {
            "type": "progress",
            "session_id": "s",
            "data": {"type": "tool_use", "id": "x", "name": "find", "input": {}},
        },
        {"type": "result", "subtype": "success", "session_id": "s", "result": "I may not."},
    ]
    (trace,), problems = found_in(listed, tmp_path, "run.jsonl")
    assert calls(trace) == [("read", {"path": "a.py"}, '{"reason": "not allowed"}')]
    assert [m.error for m in trace.messages if m.role == "tool"] == [True]
    assert said(trace) == [("assistant", "I may not.")]
    assert "1 calls stand in lines of the type 'progress'" in problems[0].message


WHY = {"type": "parsing", "message": "no such order"}
FAILED = [
    ({"content": "", "error": WHY}, "no such order", None),
    ({"content": "partly", "error": WHY}, "partly", WHY),
    ({"content": "no such order: A17", "error": WHY}, "no such order: A17", None),
    ({"content": "lost", "tool_call_error": True}, "lost", None),
    (
        {"content": [{"type": "tool_result", "tool_call_id": "c1", "output": "", "error": WHY}]},
        "no such order",
        None,
    ),
]


@pytest.mark.parametrize(("told", "text", "why"), FAILED)
def test_a_result_says_why_its_call_failed(tmp_path: Path, told: Any, text: str, why: Any) -> None:
    call = {"id": "c1", "function": {"name": "find", "arguments": '{"order": "A17"}'}}
    listed = [
        {"role": "user", "content": "Find A17."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", **told},
    ]
    (trace,), _ = found_in({"messages": listed}, tmp_path)
    assert calls(trace) == [(*FIND[:2], text)]
    assert trace.messages[2].error is True
    assert (trace.messages[2].extra or {}).get("error") == why


def test_a_stream_of_autogen_that_ends_with_all_its_messages_is_one_conversation(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "find", "arguments": '{"order": "A17"}'}
    listed = [
        {"id": "1", "source": "user", "content": "Find A17.", "type": "TextMessage"},
        {"id": "2", "source": "desk", "content": [call], "type": "ToolCallRequestEvent"},
        {
            "id": "3",
            "source": "desk",
            "content": [{"call_id": "c1", "content": "sent"}],
            "type": "ToolCallExecutionEvent",
        },
        {"id": "4", "source": "desk", "content": "On its way.", "type": "TextMessage"},
    ]
    (trace,), problems = found_in([*listed, {"messages": listed, "stop_reason": None}], tmp_path, "run.jsonl")
    assert not problems
    assert calls(trace) == [(*FIND[:2], "sent")]
    assert said(trace) == [("user", "Find A17."), ("assistant", "On its way.")]


def test_events_of_llamaindex_repeat_the_conversation_and_the_reply(tmp_path: Path) -> None:
    def event(kind: str, **value: Any) -> dict[str, Any]:
        return {"qualified_name": f"llama_index.core.agent.workflow.workflow_events.{kind}", "value": value}

    listed_calls = [
        {"tool_id": name, "tool_name": "find", "tool_kwargs": {"order": order}}
        for name, order in (("c1", "A17"), ("c2", "B42"))
    ]
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Find both."}]
    reply = {"role": "assistant", "blocks": [{"block_type": "text", "text": "Let me look."}]}
    known = [{**call, "id": call["tool_id"], "name": "find"} for call in listed_calls]
    again = [*asked, {**reply, "additional_kwargs": {"tool_calls": known}}]
    results = [
        {"role": "tool", "content": told, "additional_kwargs": {"tool_call_id": name}}
        for name, told in (("c1", "sent"), ("c2", "lost"))
    ]
    listed = [
        event("AgentInput", input=asked),
        event("AgentStream", response="Let me look.", tool_calls=listed_calls),
        event("AgentOutput", response=reply, tool_calls=listed_calls),
        *(
            event(kind, **call, **more)
            for call, told in zip(listed_calls, ("sent", "lost"), strict=True)
            for kind, more in (("ToolCall", {}), ("ToolCallResult", {"tool_output": {"content": told}}))
        ),
        event("AgentInput", input=[*again, *results]),
        event("AgentOutput", response={"role": "assistant", "content": "Done."}, tool_calls=[]),
    ]
    (trace,), problems = found_in(listed, tmp_path, "run.jsonl")
    assert not problems
    assert calls(trace) == [(*FIND[:2], "sent"), ("find", {"order": "B42"}, "lost")]
    assert [m.role for m in trace.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]


def _logged(number: int, named: str, *more: dict[str, Any]) -> dict[str, Any]:
    """A request of a log and its reply; the later one repeats the earlier one's reply."""
    call = {"id": named, "type": "function", "function": {"name": "find", "arguments": '{"order": "A17"}'}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    messages = [{"role": "user", "content": "Find A17."}, *([asked, *more] if more else [])]
    said = {"role": "assistant", "content": "On its way."} if more else asked
    body = {"request_body": {"messages": messages}, "response_body": {"choices": [{"message": said}]}}
    return {"request_id": f"r{number}", "request_created_at": f"2026-01-01T00:00:0{number}Z", **body}


NEWEST_FIRST = [("call_0123456789", "2", 1), ("c1", "2", 1), ("c1", "0", 2)]
"""The identifier of the call, when the first record was made, and how many traces there are."""


@pytest.mark.parametrize(("named", "second", "count"), NEWEST_FIRST)
@pytest.mark.parametrize("page", [False, True])
def test_a_log_with_the_newest_request_first(
    tmp_path: Path, named: str, second: str, count: int, page: bool
) -> None:
    newest = _logged(int(second), named, {"role": "tool", "tool_call_id": named, "content": "sent"})
    listed = [newest, _logged(1, named)]
    traces, problems = found_in({"data": listed, "error": None} if page else listed, tmp_path)
    assert not problems
    assert [calls(trace) for trace in traces] == [[(*FIND[:2], "sent")], [FIND]][:count]
    file = TraceFile(tmp_path / "log.json")
    assert list(read_file(file))
    assert file.ledger.assumed[ALIKE] == count - 1


def _piece(**delta: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def _called(**function: Any) -> dict[str, Any]:
    return _piece(tool_calls=[{"index": 0, "id": "c1", "type": "function", "function": function}])


STREAMED = [_called(name="find", arguments=""), _called(arguments='{"order": "A17"}')]
REPLIES: list[tuple[Any, list[Call], bool]] = [
    ({"streamed_data": STREAMED}, [FIND], False),
    ("".join(f"data: {json.dumps(one)}\n\n" for one in STREAMED), [FIND], False),
    ({"told": "by nobody"}, [], True),
    ({"error": "no more credit"}, [], False),
]


@pytest.mark.parametrize(("reply", "made", "problem"), REPLIES)
def test_replies_that_were_streamed_or_say_nothing(
    tmp_path: Path, reply: Any, made: list[Call], problem: bool
) -> None:
    asked = {"messages": [{"role": "user", "content": "Find A17."}]}
    (trace,), problems = found_in([{"request_body": asked, "response_body": reply}], tmp_path, "log.jsonl")
    assert calls(trace) == made
    assert ["no message is recognised" in one.message for one in problems] == [True] * problem


@pytest.mark.parametrize("whole", [True, False])
def test_pieces_of_an_event_that_follows_as_a_whole(tmp_path: Path, whole: bool) -> None:
    def event(author: str, text: str, **more: Any) -> dict[str, Any]:
        role = "user" if author == "user" else "model"
        return {"author": author, "content": {"role": role, "parts": [{"text": text}]}, **more}

    listed = [event("user", "Find A17."), event("desk", "On its", partial=True)]
    listed += [event("desk", "On its way.")] if whole else []
    (trace,), _ = found_in({"id": "s", "app_name": "shop", "events": listed}, tmp_path)
    assert said(trace) == [("user", "Find A17."), ("assistant", "On its way." if whole else "On its")]


def test_commands_of_mini_swe_agent_beside_the_text(tmp_path: Path) -> None:
    listed = [
        {"role": "user", "content": "Tidy a.py."},
        {
            "role": "assistant",
            "content": "Look.",
            "extra": {"actions": [{"command": "ls"}, {"command": "pwd"}]},
        },
        {"role": "user", "content": "a.py"},
        {"role": "assistant", "content": "Done."},
    ]
    (trace,), problems = found_in({"messages": listed, "info": {"exit_status": "Submitted"}}, tmp_path)
    assert not problems
    assert calls(trace) == [("bash", {"command": "ls"}, None), ("bash", {"command": "pwd"}, "a.py")]


def test_a_file_whose_first_line_is_a_list_has_further_lines(tmp_path: Path) -> None:
    def span(name: str, text: str) -> dict[str, Any]:
        about = {"span_id": name, "root_span_id": name, "span_attributes": {"type": "llm", "name": "agent"}}
        return {**about, "input": [{"role": "user", "content": text}], "output": {"content": text.upper()}}

    lines = [json.dumps([span("a", "one"), span("b", "two")]), json.dumps(span("c", "three"))]
    traces, problems = found_in("\n".join(lines) + "\n", tmp_path, "rows.jsonl")
    assert not problems
    assert [trace.id for trace in traces] == ["a", "b", "c"]


def test_what_stands_behind_a_list_is_told(tmp_path: Path) -> None:
    listed = [{"request": {"messages": [{"role": "user", "content": "Hi."}]}, "response": "Hello."}]
    (trace,), problems = found_in(json.dumps(listed, indent=1) + "\n" + json.dumps(listed), tmp_path)
    assert said(trace) == [("user", "Hi."), ("assistant", "Hello.")]
    assert ["behind the list" in problem.message for problem in problems] == [True]


def test_a_reply_that_declares_no_role_is_answered_by_its_tool(tmp_path: Path) -> None:
    reply = {"tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": '{"order": "A17"}'}}]}
    about = {"root_span_id": "r", "created": "2026-01-01T00:00:00Z"}
    listed = [
        {**about, "span_id": "a", "span_attributes": {"type": "llm"}, "input": "Find A17.", "output": reply},
        {
            **about,
            "span_id": "b",
            "span_attributes": {"type": "tool", "name": "find"},
            "input": {"order": "A17"},
        },
    ]
    listed[1]["output"] = "sent"
    (trace,), problems = found_in({"events": listed}, tmp_path)
    assert not problems
    assert calls(trace) == [(*FIND[:2], "sent")]
