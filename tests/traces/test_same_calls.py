"""Calls that spans tell twice, with their identifiers and without, stand once, each with its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import read_file
from truespec.traces.trace import Trace

ASKED = {"role": "user", "content": "How full are T-7 and T-9?"}
NAMES = ("call_abcdefghijk1", "call_abcdefghijk2")
GIVEN = ({"tank": "T-7"}, {"tank": "T-9"})
GAVE = ("91", "12")


def calls(named: bool) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": "gauge", "arguments": json.dumps(given)},
            **({"id": name} if named else {}),
        }
        for name, given in zip(NAMES, GIVEN, strict=True)
    ]


def replied(named: bool = True) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": calls(named)}


def results() -> list[dict[str, Any]]:
    return [
        {"role": "tool", "tool_call_id": name, "content": text}
        for name, text in zip(NAMES, GAVE, strict=True)
    ]


def span(number: int, kind: str, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    context = {"trace_id": "t", "span_id": f"s{number}"}
    kinds = {"openinference.span.kind": kind}
    start = f"2026-01-01T00:00:{number:02d}"
    return {"context": context, "start_time": start, "attributes": {**kinds, **attributes}, **more}


def flat(prefix: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Messages as OpenInference's attributes, without any identifier."""
    made: dict[str, Any] = {}
    for number, message in enumerate(messages):
        at = f"{prefix}.{number}.message"
        made[f"{at}.role"] = message["role"]
        if message.get("content"):
            made[f"{at}.content"] = message["content"]
        for index, call in enumerate(message.get("tool_calls", ())):
            for key, value in call["function"].items():
                made[f"{at}.tool_calls.{index}.tool_call.function.{key}"] = value
    return made


def of(path: Path, spans: list[dict[str, Any]]) -> tuple[Trace, list[Problem], TraceFile]:
    path.write_text(json.dumps(spans))
    file = TraceFile(path)
    found = list(read_file(file))
    (trace,) = (one for one in found if isinstance(one, Trace))
    return trace, [one for one in found if isinstance(one, Problem)], file


def pairs(trace: Trace) -> list[tuple[str | None, Any, str | None]]:
    return [
        (call.id, call.arguments, trace.messages[trace.results[index, number]].text)
        for index, message in enumerate(trace.messages)
        for number, call in enumerate(message.calls)
    ]


def test_identifiers_that_only_the_whole_request_tells(tmp_path: Path) -> None:
    history = [ASKED, replied(), *results()]
    done = {"role": "assistant", "content": "91 and 12."}
    first = flat("llm.input_messages", [ASKED]) | flat("llm.output_messages", [replied()])
    first |= {"output.value": json.dumps({"choices": [{"message": replied()}]})}
    second = flat("llm.input_messages", history) | flat("llm.output_messages", [done])
    second |= {"input.value": json.dumps({"messages": history})}
    trace, problems, _ = of(tmp_path / "spans.json", [span(1, "LLM", first), span(2, "LLM", second)])
    assert pairs(trace) == list(zip(NAMES, GIVEN, GAVE, strict=True))
    assert problems == []


def test_other_attributes_do_not_add_a_call_that_has_no_identifier_here(tmp_path: Path) -> None:
    first = flat("llm.input_messages", [ASKED]) | flat("llm.output_messages", [replied()])
    first |= {"response": json.dumps({"calls": calls(named=True)})}
    trace, _, _ = of(tmp_path / "spans.json", [span(1, "LLM", first)])
    assert [call.arguments for message in trace.messages for call in message.calls] == list(GIVEN)


def test_a_run_without_an_identifier_and_the_history_that_names_its_call(tmp_path: Path) -> None:
    one = {"role": "assistant", "content": None, "tool_calls": calls(named=False)[:1]}
    named = {"role": "assistant", "content": None, "tool_calls": calls(named=True)[:1]}
    done = {"role": "assistant", "content": "It is full."}
    spans = [
        span(1, "LLM", {"input.value": json.dumps([ASKED]), "output.value": json.dumps(one)}),
        span(2, "TOOL", {"input.value": json.dumps(GIVEN[0]), "output.value": GAVE[0]}, name="gauge"),
        span(
            3,
            "LLM",
            {"input.value": json.dumps([ASKED, named, results()[0]]), "output.value": json.dumps(done)},
        ),
    ]
    trace, problems, _ = of(tmp_path / "spans.json", spans)
    assert pairs(trace) == [(NAMES[0], GIVEN[0], GAVE[0])]
    assert problems == []


def test_calls_whose_identifiers_are_empty_are_not_told_again(tmp_path: Path) -> None:
    part = {"type": "tool_call", "id": "", "name": "gauge", "arguments": GIVEN[0]}
    said = json.dumps([{"role": "assistant", "parts": [part]}])
    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "How full is T-7?"}]}])
    attributes = {"gen_ai.input.messages": asked, "gen_ai.output.messages": said}
    trace, _, _ = of(tmp_path / "spans.json", [span(1, "LLM", attributes)])
    assert [call.arguments for message in trace.messages for call in message.calls] == [GIVEN[0]]


def test_a_message_of_the_user_that_names_a_call_is_its_result(tmp_path: Path) -> None:
    history = [ASKED, replied(), *({**result, "role": "user"} for result in results())]
    attributes = {"input.value": json.dumps(history), "output.value": "91 and 12."}
    trace, _, _ = of(tmp_path / "spans.json", [span(1, "LLM", attributes)])
    assert [text for _, _, text in pairs(trace)] == list(GAVE)
    assert [message.role for message in trace.messages].count("user") == 1


def test_a_reply_that_ended_with_calls_which_no_span_holds_is_told(tmp_path: Path) -> None:
    attributes = {
        "gen_ai.system": "Anthropic",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "How full is T-7?",
        "gen_ai.prompt.1.role": "assistant",
        "gen_ai.prompt.1.content": "[]",
        "gen_ai.completion.0.finish_reason": "tool_use",
    }
    trace, problems, file = of(tmp_path / "spans.json", [span(1, "LLM", attributes)])
    assert [message.text for message in trace.messages] == ["How full is T-7?"]
    assert ["ended with calls" in str(problem) for problem in problems] == [True]
    assert sum(file.ledger.calls.dropped.values()) == 1


def test_why_a_run_of_langsmith_failed_is_what_it_gave(tmp_path: Path) -> None:
    run = {
        "id": "r1",
        "trace_id": "r1",
        "run_type": "tool",
        "name": "gauge",
        "inputs": GIVEN[0],
        "outputs": {},
    }
    error = "ValueError('no such tank')Traceback (most recent call last):\n  File ..."
    trace, _, _ = of(tmp_path / "runs.json", [{**run, "error": error}])
    assert [text for _, _, text in pairs(trace)] == ["ValueError('no such tank')"]
    assert trace.messages[-1].error is True


def test_an_approval_is_neither_a_call_nor_a_result(tmp_path: Path) -> None:
    call = {"type": "tool-call", "toolCallId": NAMES[0], "toolName": "gauge", "input": GIVEN[0]}
    asks = {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": NAMES[0]}
    may = {"type": "tool-approval-response", "approvalId": "a1", "approved": True}
    gave = {"type": "tool-result", "toolCallId": NAMES[0], "toolName": "gauge"}
    output = {"output": {"type": "text", "value": GAVE[0]}}
    for told in ([[may], [{**gave, **output}]], [[may, {**gave, **output}]]):
        messages: list[dict[str, Any]] = [ASKED, {"role": "assistant", "content": [call, asks]}]
        messages += [{"role": "tool", "content": content} for content in told]
        trace, problems, _ = of(tmp_path / "messages.json", messages)
        assert pairs(trace) == [(NAMES[0], GIVEN[0], GAVE[0])]
        assert [message.role for message in trace.messages] == ["user", "assistant", "tool"]
        assert problems == []


def test_a_call_that_a_person_denied_has_failed_for_that_reason(tmp_path: Path) -> None:
    call = {"type": "tool-call", "toolCallId": NAMES[0], "toolName": "gauge", "input": GIVEN[0]}
    denied = {"type": "execution-denied", "reason": "not at night"}
    gave = {"type": "tool-result", "toolCallId": NAMES[0], "toolName": "gauge", "output": denied}
    messages: list[dict[str, Any]] = [ASKED, {"role": "assistant", "content": [call]}]
    messages.append({"role": "tool", "content": [gave]})
    trace, _, _ = of(tmp_path / "messages.json", messages)
    assert (trace.messages[-1].text, trace.messages[-1].error) == ("not at night", True)


def test_a_history_without_identifiers_that_wraps_what_a_run_gave(tmp_path: Path) -> None:
    unnamed = {"role": "assistant", "content": None, "tool_calls": calls(named=False)}
    wrapped = [
        {"role": "tool", "content": json.dumps({"result": json.dumps({"level": text})})} for text in GAVE
    ]
    done = {"role": "assistant", "content": "91 and 12."}
    spans = [
        span(1, "LLM", {"input.value": json.dumps([ASKED]), "output.value": json.dumps(unnamed)}),
        *(
            span(
                2 + n,
                "TOOL",
                {"input.value": json.dumps(given), "output.value": f"{{'level': '{text}'}}"},
                name="gauge",
            )
            for n, (given, text) in enumerate(zip(GIVEN, GAVE, strict=True))
        ),
        span(
            4,
            "LLM",
            {"input.value": json.dumps([ASKED, unnamed, *wrapped]), "output.value": json.dumps(done)},
        ),
    ]
    trace, problems, _ = of(tmp_path / "spans.json", spans)
    assert [given for _, given, _ in pairs(trace)] == list(GIVEN)
    assert [text in str(told) for text, (_, _, told) in zip(GAVE, pairs(trace), strict=True)] == [True, True]
    assert problems == []


def test_a_run_answers_the_latest_reply_not_a_call_that_a_history_repeats_without_results(
    tmp_path: Path,
) -> None:
    old = {"role": "assistant", "content": None, "tool_calls": calls(named=True)[:1]}
    call = {**calls(named=True)[1], "function": {"name": "gauge", "arguments": json.dumps(GIVEN[0])}}
    new = {"role": "assistant", "content": None, "tool_calls": [call]}
    history = [ASKED, old, {"role": "user", "content": "Again?"}]
    spans = [
        span(1, "LLM", {"input.value": json.dumps(history), "output.value": json.dumps(new)}),
        span(2, "TOOL", {"input.value": json.dumps(GIVEN[0]), "output.value": GAVE[1]}, name="gauge"),
    ]
    trace, _, _ = of(tmp_path / "spans.json", spans)
    assert [message.call_id for message in trace.messages if message.role == "tool"] == [NAMES[1]]


def test_a_run_whose_exporter_keeps_no_content_has_no_known_arguments(tmp_path: Path) -> None:
    named = {"gen_ai.tool.name": "gauge", "gen_ai.tool.call.id": NAMES[0]}
    trace, _, _ = of(tmp_path / "spans.json", [span(1, "TOOL", named)])
    assert [(call.id, call.arguments) for message in trace.messages for call in message.calls] == [
        (NAMES[0], None)
    ]


def test_a_result_over_which_an_exporter_wrote_the_next_reply(tmp_path: Path) -> None:
    at = "llm.input_messages.1.message"
    written = {
        **flat("llm.input_messages", [ASKED]),
        f"{at}.role": "model",
        f"{at}.content": GAVE[0],
        f"{at}.tool_call_id": NAMES[0],
        f"{at}.tool_calls.0.tool_call.id": NAMES[1],
        f"{at}.tool_calls.0.tool_call.function.name": "gauge",
        f"{at}.tool_calls.0.tool_call.function.arguments": json.dumps(GIVEN[1]),
    }
    first = flat("llm.input_messages", [ASKED]) | {
        "output.value": json.dumps({**replied(), "tool_calls": calls(True)[:1]})
    }
    response = {"id": NAMES[1], "name": "gauge", "response": {"level": 12}}
    run = {"input.value": json.dumps(GIVEN[1]), "output.value": json.dumps(response)}
    trace, problems, _ = of(
        tmp_path / "spans.json",
        [span(1, "LLM", first), span(2, "LLM", written), span(3, "TOOL", run, name="gauge")],
    )
    assert pairs(trace) == [(NAMES[0], GIVEN[0], GAVE[0]), (NAMES[1], GIVEN[1], '{"level": 12}')]
    assert [message.text for message in trace.messages if message.role == "assistant"] == [None, None]
    assert problems == []


def test_several_results_in_one_message_are_not_the_result_of_its_silent_call(tmp_path: Path) -> None:
    joined = {"role": "tool", "tool_call_id": NAMES[1], "content": f"{GAVE[0]} "}
    done = {"role": "assistant", "content": "91."}
    spans = [
        span(1, "LLM", {"input.value": json.dumps([ASKED]), "output.value": json.dumps(replied())}),
        span(2, "TOOL", {"tool_call.id": NAMES[0], "output.value": GAVE[0]}, name="gauge"),
        span(3, "TOOL", {"tool_call.id": NAMES[1]}, name="gauge"),
        span(
            4,
            "LLM",
            {"input.value": json.dumps([ASKED, replied(), joined]), "output.value": json.dumps(done)},
        ),
    ]
    trace, _, _ = of(tmp_path / "spans.json", spans)
    assert [text for _, _, text in pairs(trace)] == [GAVE[0], None]


def test_results_that_a_history_spells_anew_and_joins_are_those_of_the_runs(tmp_path: Path) -> None:
    texts = "\n".join(repr({"level": text}) for text in GAVE)
    history = [ASKED, replied(), {"role": "tool", "content": f"Observation:\n{texts}"}]
    history[1] = {"role": "assistant", "content": None, "tool_calls": calls(named=False)}
    runs = [
        span(
            2 + n,
            "TOOL",
            {"input.value": json.dumps(given), "output.value": json.dumps({"level": text})},
            name="gauge",
        )
        for n, (given, text) in enumerate(zip(GIVEN, GAVE, strict=True))
    ]
    failed = {"exception.message": "no such tank in this plant"}
    event = {"name": "exception", "attributes": failed}
    late = {"role": "assistant", "content": None, "tool_calls": calls(named=False)[:1]}
    told = {"role": "tool", "content": "Error:\nThe tool failed: no such tank in this plant\nTry again."}
    done = {"role": "assistant", "content": "91 and 12."}
    asked = {"input.value": json.dumps([ASKED]), "output.value": json.dumps(history[1])}
    second = {"input.value": json.dumps(history), "output.value": json.dumps(late)}
    third = {"input.value": json.dumps([*history, late, told]), "output.value": json.dumps(done)}
    run = span(
        5, "TOOL", {"input.value": json.dumps(GIVEN[0])}, name="gauge", status_code="ERROR", events=[event]
    )
    spans = [span(1, "LLM", asked), *runs, span(4, "LLM", second), run, span(6, "LLM", third)]
    trace, problems, _ = of(tmp_path / "spans.json", spans)
    assert [text for _, _, text in pairs(trace)] == [
        *(json.dumps({"level": t}) for t in GAVE),
        failed["exception.message"],
    ]
    assert [problem.position for problem in problems] == ["document, /5, input.value/4"]  # Try again.


def test_a_reply_whose_calls_an_exporter_merged_is_read_from_the_next_request(tmp_path: Path) -> None:
    merged = {"function": {"name": "gauge", "arguments": "".join(map(json.dumps, GIVEN))}}
    reply = {"role": "assistant", "content": None, "tool_calls": [merged]}
    said = {"role": "assistant", "content": "T-7 is at 91, T-9 at 12."}
    runs = [
        span(
            2 + n,
            "TOOL",
            {"tool.name": "gauge", "input.value": json.dumps(GIVEN[n]), "output.value": GAVE[n]},
        )
        for n in (0, 1)
    ]
    listed = [
        span(1, "LLM", {"input.value": {"messages": [ASKED]}, "output.value": reply}),
        *runs,
        span(4, "LLM", {"input.value": {"messages": [ASKED, replied(), *results()]}, "output.value": said}),
    ]
    trace, problems, _ = of(tmp_path / "spans.json", listed)
    assert pairs(trace) == list(zip(NAMES, GIVEN, GAVE, strict=True))
    assert ["merged" in problem.message for problem in problems] == [True]
