"""What importers lost without a word before: each case is a fault that was met on real exports."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from imported import calls, imported, said
from truespec.traces.files import TraceFile
from truespec.traces.importers import http_exchanges
from truespec.traces.importers.registry import read_file
from truespec.traces.trace import Trace


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
    problem, unread = problems
    assert "1 text in the field 'messages/content' in no message" in unread.message
    assert "narrator" in problem.message
    assert "message 1" in problem.position
    assert not file.ledger.lossless


def test_an_orphan_result_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps([{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "q", "content": "x"}])
    )
    _, problems, _ = imported(path)
    assert "answers no call" in problems[0].message
    assert "message 1" in problems[0].position


def test_an_item_type_that_is_not_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    items = [{"type": "message", "role": "user", "content": "hi"}, {"type": "hologram", "id": "h"}]
    path.write_text(json.dumps({"object": "response", "input": items, "output": []}))
    _, problems, file = imported(path)
    assert any("hologram" in problem.message for problem in problems)
    assert file.ledger.items.dropped == {"type 'hologram' is not read": 1}


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


def test_a_reply_of_cohere_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"request": {"message": "Hi", "preamble": "Be kind."}, "response": {"gone": 1}})
    )
    (trace,), (problem,), file = imported(path)
    assert [m.role for m in trace.messages] == ["system", "user"]
    assert problem.position == "document, response"
    assert not file.ledger.lossless


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


def test_a_log_of_a_crew_says_that_it_holds_no_calls(tmp_path: Path) -> None:
    entry = {"timestamp": "t", "task_name": "a", "task": "Go.", "agent": "b", "status": "started"}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([entry, {**entry, "status": "completed", "output": "Gone."}]))
    (trace,), _, file = imported(path)
    assert (said(trace, "user"), said(trace, "assistant")) == (["Go."], ["Gone."])
    assert any("no calls" in rule for rule in file.ledger.assumed)
    assert any("repeats" in rule for rule in file.ledger.rules)


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
