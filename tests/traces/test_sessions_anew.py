"""Sessions, steps and streams whose exporters leave out what others write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from imported import answered_calls as calls
from imported import turns as said
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.cli_sessions import CHECKPOINT
from truespec.traces.importers.registry import read, read_file
from truespec.traces.trace import Trace


def read_of(values: Any, tmp_path: Path, name: str) -> tuple[list[Trace], list[Problem]]:
    text = values if isinstance(values, str) else json.dumps(values)
    if name.endswith("jsonl"):
        text = "".join(json.dumps(value) + "\n" for value in values)
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = list(read(tmp_path / name))
    return [one for one in found if isinstance(one, Trace)], [
        one for one in found if isinstance(one, Problem)
    ]


def test_chunks_of_ag_ui_need_no_name_behind_the_first(tmp_path: Path) -> None:
    run = {"threadId": "t", "runId": "r"}
    events = [
        {"type": "RUN_STARTED", **run},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "Two lamps "},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "are lit."},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "c1", "toolCallName": "dim", "delta": '{"lamp": '},
        {"type": "TOOL_CALL_CHUNK", "delta": '"left"}'},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c1", "content": "dimmed"},
        {"type": "RAW", "event": {"node": "lamps"}},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m2", "delta": "One is "},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "dimmed."},
        {"type": "RUN_FINISHED", **run},
    ]
    (trace,), problems = read_of(events, tmp_path, "run.jsonl")
    assert said(trace) == [("assistant", "Two lamps are lit."), ("assistant", "One is dimmed.")]
    assert calls(trace) == [("dim", {"lamp": "left"}, "dimmed")]
    assert [p.message for p in problems] == ["events of the type 'RAW' are not read"]


def test_pieces_of_streams_by_the_names_of_version_4(tmp_path: Path) -> None:
    events = [
        {"type": "step-start"},
        {"type": "reasoning", "textDelta": "Look it up."},
        {"type": "text-delta", "textDelta": "It is "},
        {"type": "tool-call", "toolCallId": "k", "toolName": "tide", "args": {"port": "Emden"}},
        {"type": "tool-result", "toolCallId": "k", "toolName": "tide", "result": {"high": "04:10"}},
        {"type": "text-delta", "textDelta": "04:10."},
    ]
    (trace,), problems = read_of(events, tmp_path, "stream.jsonl")
    assert calls(trace) == [("tide", {"port": "Emden"}, '{"high": "04:10"}')]
    assert "".join(text or "" for role, text in said(trace)) == "It is 04:10."
    assert [m.reasoning for m in trace.messages if m.reasoning] == ["Look it up."]
    assert not problems


def test_a_piece_of_a_stream_without_its_text_is_told(tmp_path: Path) -> None:
    events = [{"type": "start"}, {"type": "text-delta", "id": "0", "piece": "Unheard words of a reply."}]
    traces, problems = read_of(events, tmp_path, "stream.jsonl")
    assert not any(said(trace) for trace in traces)
    assert problems


def test_a_prompt_beside_messages_is_the_systems(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "Open?"}, {"role": "assistant", "content": "Until six."}]
    session = {"id": "s", "system_prompt": "You keep a shop.", "messages": asked}
    with_own = {
        "id": "o",
        "instructions": "Unused.",
        "messages": [{"role": "system", "content": "Be brief."}],
    }
    (one, two), _ = read_of([session, with_own], tmp_path, "sessions.jsonl")
    assert one.system_prompt == "You keep a shop."
    assert two.system_prompt == "Be brief."
    assert said(one) == [("user", "Open?"), ("assistant", "Until six.")]


def test_notices_of_a_session_without_the_mark_of_json_rpc(tmp_path: Path) -> None:
    def notice(kind: str, **more: Any) -> dict[str, Any]:
        update = {"sessionUpdate": kind, **more}
        return {"method": "session/update", "params": {"sessionId": "s", "update": update}}

    words = {"type": "text", "text": "Which port?"}
    events = [
        notice("user_message_chunk", content=words),
        notice("tool_call", toolCallId="t", title="scan", rawInput={"host": "a"}),
        notice("tool_call_update", toolCallId="t", status="completed", rawOutput="22"),
    ]
    (trace,), problems = read_of(events, tmp_path, "updates.jsonl")
    assert said(trace) == [("user", "Which port?")]
    assert calls(trace) == [("scan", {"host": "a"}, "22")]
    assert not problems


def test_a_checkpoint_of_gemini_holds_messages(tmp_path: Path) -> None:
    def entry(name: str, kind: str, text: str) -> dict[str, Any]:
        return {"id": name, "timestamp": "2026-01-01T00:00:00Z", "type": kind, "content": text}

    first, reply = entry("1", "user", "Sort the list."), entry("2", "gemini", "Sorted.")
    lines = [
        {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z"},
        {"$set": {"messages": [entry("0", "user", "The folder is empty.")]}},
        first,
        reply,
        {"$set": {"messages": [reply, entry("3", "user", "Once more.")]}},
    ]
    (tmp_path / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    file = TraceFile(tmp_path / "chat.jsonl")
    (trace,) = read_file(file)
    assert isinstance(trace, Trace)
    assert [text for _, text in said(trace)] == [
        "The folder is empty.",
        "Sort the list.",
        "Sorted.",
        "Once more.",
    ]
    assert file.ledger.rules[CHECKPOINT] == 1


def test_events_of_openhands_that_are_lines(tmp_path: Path) -> None:
    lines = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Count the files."}},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls | wc -l"}},
        {"id": 2, "observation": "run", "cause": 1, "content": "7", "extras": {"exit_code": 0}},
    ]
    (trace,), problems = read_of(lines, tmp_path, "events.jsonl")
    assert said(trace) == [("user", "Count the files.")]
    assert [(arguments, result) for _, arguments, result in calls(trace)] == [
        ({"command": "ls | wc -l"}, "7")
    ]
    assert not problems


def test_a_chat_of_vscode_without_its_outer_fields(tmp_path: Path) -> None:
    tool = {"kind": "toolInvocationSerialized", "toolId": "grep", "toolCallId": "g"}
    chat = {"requests": [{"message": {"text": "Where is it?"}, "response": [tool, {"value": "In b.py."}]}]}
    (trace,), _ = read_of(chat, tmp_path, "chat.json")
    assert trace.source.format == "vscode-chat"
    assert said(trace) == [("user", "Where is it?"), ("assistant", "In b.py.")]
    assert [name for name, _, _ in calls(trace)] == ["grep"]


def test_a_step_holds_its_call_in_a_field(tmp_path: Path) -> None:
    call = {"id": "w", "name": "weigh", "arguments": {"item": "stone"}, "output": "3 kg"}
    run = {
        "task": "How heavy?",
        "steps": [{"thought": "Weigh it.", "tool_call": call}],
        "final_answer": "3 kg.",
    }
    (trace,), problems = read_of(run, tmp_path, "run.json")
    assert calls(trace) == [("weigh", {"item": "stone"}, "3 kg")]
    assert said(trace) == [("user", "How heavy?"), ("assistant", "3 kg.")]
    assert [m.reasoning for m in trace.messages if m.reasoning] == ["Weigh it."]
    assert not problems


def test_lines_with_the_steps_of_an_agent(tmp_path: Path) -> None:
    step = {
        "step_type": "tool_call",
        "tool_name": "buy",
        "tool_arguments": {"n": 2},
        "tool_result": {"ok": True},
    }
    (trace,), problems = read_of(
        [{"query": "Two, please.", "agent_steps": [step], "answer": "Done."}], tmp_path, "a.jsonl"
    )
    assert calls(trace) == [("buy", {"n": 2}, '{"ok": true}')]
    assert said(trace) == [("user", "Two, please."), ("assistant", "Done.")]
    assert not problems


def test_what_the_user_queued_while_claude_code_worked(tmp_path: Path) -> None:
    def entry(kind: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"type": kind, "sessionId": "s", "message": {"role": kind, "content": content}, **more}

    def queued(prompt: str, mode: str) -> dict[str, Any]:
        held = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
        shown = [{"content": f"This came in meanwhile, which the model is shown: {prompt}"}]
        return {"type": "attachment", "sessionId": "s", "attachment": held, "rendered": shown}

    call = {"type": "tool_use", "id": "b", "name": "Bash", "input": {"command": "make"}}
    lines = [
        entry("user", "Build it."),
        entry("assistant", [call]),
        entry("user", [{"type": "tool_result", "tool_use_id": "b", "content": "built"}]),
        queued("In blue, please.", "prompt"),
        queued("The build has ended.", "task-notification"),
        entry("assistant", [{"type": "text", "text": "It is blue."}]),
    ]
    (trace,), problems = read_of(lines, tmp_path, "session.jsonl")
    assert said(trace) == [
        ("user", "Build it."),
        ("user", "In blue, please."),
        ("system", "The build has ended."),
        ("assistant", "It is blue."),
    ]
    assert calls(trace) == [("Bash", {"command": "make"}, "built")]
    assert not problems


def test_turns_of_sharegpt_under_traces(tmp_path: Path) -> None:
    call = '<tool_call>\n{"name": "sum", "arguments": {"of": [1, 2]}}\n</tool_call>'
    result = {"tool_call_id": "1", "name": "sum", "content": "the sum is 3"}
    back = f"<tool_response>\n{json.dumps(result)}\n</tool_response>"
    turns = [("human", "Add them."), ("gpt", call), ("tool", back), ("gpt", "Three.")]
    record = {"id": "r", "traces": [{"from": who, "value": text} for who, text in turns]}
    (trace,), problems = read_of([record], tmp_path, "hermes.jsonl")
    assert calls(trace) == [("sum", {"of": [1, 2]}, "the sum is 3")]
    assert said(trace) == [("user", "Add them."), ("assistant", "Three.")]
    assert not problems


def test_a_system_prompt_beside_steps(tmp_path: Path) -> None:
    step = {"action": "look", "action_input": "door", "observation": "shut"}
    run = {"system_prompt": "Open nothing.", "task": "Look.", "steps": [step], "answer": "It is shut."}
    (trace,), _ = read_of(run, tmp_path, "run.json")
    assert trace.system_prompt == "Open nothing."
    assert said(trace)[1:] == [("user", "Look."), ("assistant", "It is shut.")]
