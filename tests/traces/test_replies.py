"""What a reply holds: several choices or none, items of one turn, texts beside calls, results beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import read_file
from truespec.traces.trace import Trace

ASKED = [{"role": "user", "content": "Which orders are open?"}]


def read(tmp_path: Path, *records: Any) -> tuple[list[Trace], TraceFile, list[Problem]]:
    path = tmp_path / "export.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    file = TraceFile(path)
    items = list(read_file(file))
    return (
        [item for item in items if isinstance(item, Trace)],
        file,
        [item for item in items if isinstance(item, Problem)],
    )


def talk(trace: Trace) -> list[tuple[str, str | None, list[str]]]:
    return [(m.role, m.text, [call.name for call in m.calls]) for m in trace.messages]


def value_of(value: Any) -> dict[str, Any]:
    return {} if value is None else {"stringValue": value}


def export(*spans: dict[str, Any]) -> dict[str, Any]:
    """Spans as OTLP JSON, one after the other; a value None is a value without a type, as for `undefined`."""
    listed = [
        {
            "traceId": "0af7651916cd43dd8448eb211c80319c",
            "spanId": f"{number:016x}",
            "name": "span",
            "startTimeUnixNano": str(1_700_000_000_000_000_000 + number),
            "attributes": [{"key": key, "value": value_of(value)} for key, value in span.items()],
        }
        for number, span in enumerate(spans, 1)
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": listed}]}]}


def test_further_replies_to_a_request_are_told(tmp_path: Path) -> None:
    reply = {"choices": [{"index": n, "message": {"role": "assistant", "content": f"{n}"}} for n in (0, 1)]}
    chunks = [
        {
            "object": "chat.completion.chunk",
            "id": "c",
            "choices": [{"index": n, "delta": {"content": f"{n}"}}],
        }
        for n in (0, 1)
    ]
    for said in (reply, chunks):
        (trace,), file, _ = read(tmp_path, {"request": {"messages": ASKED}, "response": said})
        assert talk(trace)[1:] == [("assistant", "0", [])]
        assert file.ledger.items.dropped == {"a further reply that a model gave to the same request": 1}


def test_further_replies_in_spans_are_told(tmp_path: Path) -> None:
    said = {"choices": [{"message": {"role": "assistant", "content": f"{n}"}} for n in (0, 1)]}
    generations = {"generations": [[{"text": "0"}], [{"text": "of another prompt"}]]}
    for reply, reason in (
        (said, "a further reply that a model gave to the same request"),
        (generations, "a further conversation of a batch"),
    ):
        given = {"openinference.span.kind": "LLM", "input.value": json.dumps(ASKED)}
        (trace,), file, _ = read(tmp_path, export({**given, "output.value": json.dumps(reply)}))
        assert talk(trace)[1:] == [("assistant", "0", [])]
        assert file.ledger.items.dropped == {reason: 1}


def test_a_logged_reply_without_a_message_adds_none(tmp_path: Path) -> None:
    reply = {"id": "chatcmpl-1", "choices": [{"finish_reason": "stop"}], "usage": {}}
    (trace,), file, _ = read(tmp_path, {"request": {"messages": ASKED}, "response": reply})
    assert [message.role for message in trace.messages] == ["user"]
    assert file.ledger.rules == {"a logged reply without any message adds none": 1}


def test_items_of_one_reply_are_one_message(tmp_path: Path) -> None:
    items = [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Both."}]},
        {"type": "function_call", "call_id": "call_aaaaaaaa1", "name": "look", "arguments": "{}"},
        {"type": "function_call", "call_id": "call_aaaaaaaa2", "name": "look", "arguments": "{}"},
    ]
    given = {"openinference.span.kind": "LLM", "input.value": json.dumps({"input": ASKED})}
    (trace,), _, _ = read(tmp_path, export({**given, "output.value": json.dumps(items)}))
    assert talk(trace)[1:] == [("assistant", "Both.", ["look", "look"])]


def test_attributes_without_a_value_are_no_call(tmp_path: Path) -> None:
    said = "llm.input_messages.0.message"
    empty = {f"{said}.tool_calls.0.tool_call.{key}": None for key in ("id", "function.name")}
    given = {"openinference.span.kind": "LLM", f"{said}.role": "user", f"{said}.content": "Hello", **empty}
    (trace,), _, problems = read(tmp_path, export({**given, "output.value": "Good day."}))
    assert talk(trace) == [("user", "Hello", []), ("assistant", "Good day.", [])]
    assert problems == []


def test_a_text_that_only_a_later_request_tells_stands_with_its_calls(tmp_path: Path) -> None:
    call = {"id": "call_aaaaaaaa1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    told = [
        *ASKED,
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_aaaaaaaa1", "content": '{"type":"error-text","value":"down"}'},
    ]
    first = {
        "openinference.span.kind": "LLM",
        "input.value": json.dumps(ASKED),
        "output.value": json.dumps({"role": "assistant", "tool_calls": [call]}),
    }
    later = {"openinference.span.kind": "LLM", "input.value": json.dumps(told), "output.value": "Sorry."}
    (trace,), file, _ = read(tmp_path, export(first, later))
    assert talk(trace)[1:] == [
        ("assistant", "I look.", ["look"]),
        ("tool", "down", []),
        ("assistant", "Sorry.", []),
    ]
    assert trace.messages[2].error
    assert sum("later request tells beside known calls" in rule for rule in file.ledger.rules) == 1


def test_a_text_beside_the_calls_that_openinference_leaves_out(tmp_path: Path) -> None:
    said = "llm.output_messages.0.message"
    called = {"id": "call_aaaaaaaa1", "function.name": "look", "function.arguments": "{}"}
    span = {
        "openinference.span.kind": "LLM",
        "input.value": json.dumps(ASKED),
        "ai.response.text": "I look.",
        f"{said}.role": "assistant",
        **{f"{said}.tool_calls.0.tool_call.{key}": value for key, value in called.items()},
    }
    (trace,), _, _ = read(tmp_path, export(span))
    assert talk(trace)[1:] == [("assistant", "I look.", ["look"])]


def test_the_output_of_a_call_that_is_an_event_is_its_result(tmp_path: Path) -> None:
    event = {"type": "tool_call", "toolName": "exec", "input": {"cmd": "ls"}, "output": "a.txt"}
    said = {"type": "message", "role": "user", "content": "List it."}
    (trace,), _, _ = read(tmp_path, said, event, {"type": "final", "role": "assistant", "content": "One."})
    assert talk(trace) == [
        ("user", "List it.", []),
        ("assistant", None, ["exec"]),
        ("tool", "a.txt", []),
        ("assistant", "One.", []),
    ]
    assert 2 in trace.origins


def test_the_first_chunk_of_azure_is_no_part_of_a_reply(tmp_path: Path) -> None:
    filtered = {"choices": [], "id": "", "object": "", "prompt_filter_results": []}
    piece = {
        "object": "chat.completion.chunk",
        "id": "c",
        "choices": [{"index": 0, "delta": {"content": "A17."}}],
    }
    given = {"openinference.span.kind": "LLM", "input.value": json.dumps(ASKED)}
    (trace,), _, _ = read(tmp_path, export({**given, "output.value": json.dumps([filtered, piece])}))
    assert talk(trace)[1:] == [("assistant", "A17.", [])]


def test_messages_of_images_alone_are_kept_once(tmp_path: Path) -> None:
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,x"}}]}
    told = [*ASKED, image]
    reply = {"role": "assistant", "content": "A bill."}
    first = {"input.value": json.dumps(told), "output.value": json.dumps(reply)}
    again = [*told, reply, {"role": "user", "content": "Pay it."}]
    later = {"input.value": json.dumps(again), "output.value": "Paid."}
    spans = [{"openinference.span.kind": "LLM", **span} for span in (first, later)]
    (trace,), _, _ = read(tmp_path, export(*spans))
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Which orders are open?"),
        ("user", None),
        ("assistant", "A bill."),
        ("user", "Pay it."),
        ("assistant", "Paid."),
    ]
    assert trace.messages[1].extra == {"content": image["content"]}


def test_arguments_that_a_reply_garbles_are_taken_from_the_next_request(tmp_path: Path) -> None:
    def call(arguments: str) -> dict[str, Any]:
        function = {"name": "look", "arguments": arguments}
        return {"id": "call_aaaaaaaa1", "type": "function", "function": function}

    said = {"role": "assistant", "content": "I I look. look.", "tool_calls": [call('{"a"{"a": 1}: 1}')]}
    told = {"role": "assistant", "content": "I look.", "tool_calls": [call('{"a": 1}')]}
    result = {"role": "tool", "tool_call_id": "call_aaaaaaaa1", "content": "open"}
    given = {"openinference.span.kind": "LLM", "input.value": json.dumps(ASKED)}
    later = {**given, "input.value": json.dumps([*ASKED, told, result]), "output.value": "Done."}
    (trace,), file, _ = read(tmp_path, export({**given, "output.value": json.dumps(said)}, later))
    assert talk(trace)[1:] == [
        ("assistant", "I look.", ["look"]),
        ("tool", "open", []),
        ("assistant", "Done.", []),
    ]
    assert trace.messages[1].calls[0].arguments == {"a": 1}
    assert sum("as a later request repeats it" in rule for rule in file.ledger.rules) == 1


def test_a_stream_of_the_ai_sdk_is_its_message(tmp_path: Path) -> None:
    called = {"toolCallId": "call_1", "toolName": "look"}
    events = [
        {"type": "start", "messageId": "m1"},
        {"type": "start-step"},
        *({"type": "text-delta", "id": "0", "delta": delta} for delta in ("I ", "look.")),
        {"type": "tool-input-start", **called},
        *(
            {"type": "tool-input-delta", "toolCallId": "call_1", "inputTextDelta": d}
            for d in ('{"a"', ": 1}")
        ),
        {"type": "tool-input-available", **called, "input": {"a": 1}},
        {"type": "tool-output-error", "toolCallId": "call_1", "errorText": "down"},
        {"type": "finish-step"},
        {"type": "start-step"},
        {"type": "text-delta", "id": "0", "delta": "It is down."},
        {"type": "tool-input-start", "toolCallId": "call_2", "toolName": "look"},
        {"type": "tool-input-delta", "toolCallId": "call_2", "inputTextDelta": '{"a": 2}'},  # cut off here
    ]
    path = tmp_path / "stream.txt"
    path.write_text("".join(f"data: {json.dumps(event)}\n\n" for event in events))
    file = TraceFile(path)
    (trace,) = read_file(file)
    assert isinstance(trace, Trace)
    assert talk(trace) == [
        ("assistant", "I look.", ["look"]),
        ("tool", "down", []),
        ("assistant", "It is down.", ["look"]),
    ]
    assert [call.arguments for m in trace.messages for call in m.calls] == [{"a": 1}, {"a": 2}]
    assert trace.messages[1].error


def test_spans_with_nothing_but_a_reply_are_model_calls(tmp_path: Path) -> None:
    def said(text: str) -> str:
        return json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}]}])

    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hello"}]}])
    first = {"gen_ai.operation.name": "realtime", "gen_ai.output.messages": said("One.")}
    later = {"gen_ai.operation.name": "realtime", "gen_ai.output.messages": said("Two.")}
    (trace,), file, _ = read(tmp_path, export({**first, "gen_ai.input.messages": asked}, later))
    assert [m.text for m in trace.messages] == ["Hello", "One.", "Two."]
    assert file.ledger.rules == {"a model call's span without its request adds the reply alone": 1}


def test_several_replies_of_one_model_call_are_told_or_one(tmp_path: Path) -> None:
    flat = {
        f"gen_ai.completion.{n}.{key}": value
        for n, text in enumerate(("One.", "Two."))
        for key, value in (("role", "assistant"), ("content", text))
    }
    for provider, replies, assumed in (("openai", ["One.", "Two."], 1), ("Anthropic", ["One.\nTwo."], 0)):
        span = {"gen_ai.system": provider, "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hello"}
        (trace,), file, _ = read(tmp_path, export({**span, **flat}))
        assert [m.text for m in trace.messages] == ["Hello", *replies]
        assert sum(file.ledger.assumed.values()) == assumed


def test_blocks_of_anthropic_among_log_records_are_one_reply(tmp_path: Path) -> None:
    call = {"id": "toolu_aaaaaaaa1", "type": "function", "function": {"name": "look", "arguments": {"a": 1}}}
    export_ = export({"gen_ai.operation.name": "chat"})
    (spans,) = export_["resourceSpans"]
    spans["scopeSpans"][0]["spans"][0]["events"] = [
        {
            "name": "gen_ai.user.message",
            "attributes": [{"key": "content", "value": {"stringValue": "Hello"}}],
        },
        *(
            {
                "name": "gen_ai.choice",
                "attributes": [
                    {"key": "gen_ai.system", "value": {"stringValue": "anthropic"}},
                    {"key": "index", "value": {"intValue": str(number)}},
                    {"key": "message", "value": {"stringValue": json.dumps(message)}},
                ],
            }
            for number, message in enumerate(({"content": "I look."}, {"tool_calls": [call]}))
        ),
    ]
    (trace,), _, _ = read(tmp_path, export_)
    assert talk(trace) == [("user", "Hello", []), ("assistant", "I look.", ["look"])]
