"""Dumps that hold several traces beside their spans, and spans of tools that only their names tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from imported import answered_calls as calls
from imported import imported
from truespec.traces.importers.claude_code import PROGRAM
from truespec.traces.importers.structure import ONE
from truespec.traces.trace import Trace

ASKED = "How full is T-7?"


def traces_in(value: Any, tmp_path: Path) -> list[Trace]:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(value))
    return imported(path)[0]


def test_observations_of_several_traces_in_one_list(tmp_path: Path) -> None:
    """Each trace is a conversation of its own, whatever it shares with the others."""
    observations = [
        {
            "id": f"o{n}",
            "traceId": f"t{n}",
            "type": "GENERATION",
            "name": "llm",
            "startTime": f"2026-01-01T00:00:0{n}Z",
            "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": asked}],
            "output": {"role": "assistant", "content": "Yes."},
        }
        for n, asked in enumerate((ASKED, "And T-9?"))
    ]
    dump = {"traces": [{"id": "t0", "name": "first"}, {"id": "t1"}], "observations": observations}
    first, second = traces_in(dump, tmp_path)
    assert (first.id, first.metadata["name"], second.id) == ("t0", "first", "t1")
    assert [m.text for m in second.messages] == ["Be brief.", "And T-9?", "Yes."]


def test_spans_of_the_agents_sdk_beside_their_traces(tmp_path: Path) -> None:
    def span(name: str, data: dict[str, Any], error: Any = None) -> dict[str, Any]:
        about = {"object": "trace.span", "id": name, "trace_id": "t", "parent_id": None}
        return {**about, "started_at": f"2026-01-01T00:00:0{name}Z", "span_data": data, "error": error}

    reply = [{"role": "assistant", "content": "I look."}]
    spans = [
        span("1", {"type": "generation", "input": [{"role": "user", "content": ASKED}], "output": reply}),
        span("2", {"type": "function", "name": "gauge", "input": '{"tank": "T-7"}', "output": "91"}),
        span(
            "3",
            {"type": "function", "name": "drain", "input": '{"tank": "T-7"}', "output": None},
            {"message": "valve stuck", "data": None},
        ),
    ]
    (trace,) = traces_in({"traces": [{"object": "trace", "id": "t"}], "spans": spans}, tmp_path)
    given = {"tank": "T-7"}
    assert calls(trace) == [("gauge", given, "91"), ("drain", given, "valve stuck")]


def test_a_span_with_the_name_of_a_tool_and_no_kind_is_a_tool(tmp_path: Path) -> None:
    def span(name: str, **attributes: str) -> dict[str, Any]:
        listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
        return {"traceId": "t", "spanId": name, "name": name, "startTimeUnixNano": name, "attributes": listed}

    model = span("model", **{"gen_ai.input.messages": json.dumps([{"role": "user", "content": ASKED}])})
    given = {"tool.name": "gauge", "tool.input": '{"tank": "T-7"}'}
    tool = span("tool.call", **given, **{"tool.output": "91"})
    step = span("agent.gauges", **given)  # some frameworks note the tool at each step of the agent
    dump = {"resourceSpans": [{"scopeSpans": [{"spans": [model, tool, step]}]}]}
    (trace,) = traces_in(dump, tmp_path)
    assert calls(trace) == [("gauge", {"tank": "T-7"}, "91")]


def test_messages_of_openinference_in_one_attribute(tmp_path: Path) -> None:
    """Not one attribute for each of their fields."""
    spans = [
        {
            "spanId": "llm",
            "name": "chat",
            "start_time": "2026-01-01T00:00:00Z",
            "attributes": {
                "openinference.span.kind": "LLM",
                "llm.input_messages": json.dumps([{"role": "user", "content": ASKED}]),
                "llm.output_messages": json.dumps([{"role": "assistant", "content": "I look."}]),
            },
        }
    ]
    (trace,) = traces_in({"traceId": "t", "spans": spans}, tmp_path)
    assert [(m.role, m.text) for m in trace.messages] == [("user", ASKED), ("assistant", "I look.")]


def test_an_agent_that_says_something_counts_before_inner_ones_that_say_nothing(tmp_path: Path) -> None:
    def span(name: str, parent: str | None, kind: str, **attributes: str) -> dict[str, Any]:
        about = {"trace_id": "t", "span_id": name, "parent_id": parent, "name": name, "start_time": 1}
        return {**about, "end_time": 2, "attributes": {"openinference.span.kind": kind, **attributes}}

    said = {"input.value": ASKED, "output.value": "91."}
    spans = [span("desk", None, "AGENT", **said), span("inner", "desk", "AGENT"), span("llm", "desk", "LLM")]
    (trace,) = traces_in(spans, tmp_path)
    assert [(m.role, m.text) for m in trace.messages] == [("user", ASKED), ("assistant", "91.")]


def test_a_prompt_that_langchain_wrote_as_a_text_holds_calls_behind_words(tmp_path: Path) -> None:
    call = {"name": "gauge", "args": {"tank": "T-7"}, "id": "call_tank_00007", "type": "tool_call"}
    message = {"type": "ai", "content": "I look.", "tool_calls": [call]}
    prompts = [f"Human: {ASKED}", f"Human: {ASKED}\nAI: I look.{[call]}\nTool: 91"]
    replies: list[dict[str, Any]] = [message, {"type": "ai", "content": "It is at 91."}]

    def run(name: str, parent: str | None, kind: str, given: Any, gave: Any) -> dict[str, Any]:
        about = {"id": name, "trace_id": "root", "parent_run_id": parent, "name": name, "run_type": kind}
        return {**about, "start_time": f"2026-01-01T00:00:0{len(name)}Z", "inputs": given, "outputs": gave}

    runs = [run("root", None, "chain", {}, None)]
    runs += [
        run("llm" * n, "root", "llm", {"prompts": [asked]}, {"generations": [[{"message": said}]]})
        for n, asked, said in zip((1, 3), prompts, replies, strict=True)
    ]
    runs.append(run("gauge-run", "root", "tool", {"tank": "T-7"}, {"output": "91"}))
    (trace,) = traces_in(runs, tmp_path)
    said = [m.text for m in trace.messages if m.role == "assistant" and m.text]
    assert said == ["I look.", "It is at 91."]


def test_the_system_prompt_of_a_recorded_request_to_gemini(tmp_path: Path) -> None:
    asked = {
        "contents": [{"role": "user", "parts": [{"text": ASKED}]}],
        "systemInstruction": {"role": "user", "parts": [{"text": "You watch the tanks."}]},
    }
    said = {"candidates": [{"content": {"role": "model", "parts": [{"text": "91."}]}}]}
    pair = {
        "request": {"uri": "u", "body": json.dumps(asked)},
        "response": {"body": {"string": json.dumps(said)}},
    }
    (trace,) = traces_in({"interactions": [pair]}, tmp_path)
    assert trace.system_prompt == "You watch the tanks."
    assert [m.text for m in trace.messages if m.role != "system"] == [ASKED, "91."]


GIVEN = {"tank": "T-7"}


def _adk(input_: dict[str, str]) -> dict[str, Any]:
    """A model call with a history without identifiers, and the runs of its tools: Google's ADK."""

    def span(name: str, start: int, kind: str, **attributes: str) -> dict[str, Any]:
        about = {"trace_id": "t", "span_id": name, "parent_id": None, "name": name, "start_time": start}
        return {**about, "end_time": 9, "attributes": {"openinference.span.kind": kind, **attributes}}

    runs = [
        span(
            f"run {n}",
            n,
            "TOOL",
            **{"tool.name": tool, "tool.id": f"adk-{n}", "input.value": json.dumps(GIVEN)},
        )
        for n, tool in enumerate(("gauge", "drain"), 2)
    ]
    for run, gave in zip(runs, ("91", "stuck"), strict=True):
        run["attributes"]["output.value"] = json.dumps({"result": gave})
    reply = {"llm.output_messages.0.message.role": "model", "llm.output_messages.0.message.content": "Done."}
    return {"spans": [span("call_llm", 1, "LLM", **input_, **reply), *runs]}


def _flat(listed: list[tuple[int, dict[str, str]]]) -> dict[str, str]:
    made: dict[str, str] = {}
    for number, message in listed:
        for key, value in message.items():
            made[f"llm.input_messages.{number}.message.{key}"] = value
    return made


_CALLED = "tool_calls.0.tool_call.function."
_GAUGED = [
    (0, {"role": "user", "content": ASKED}),
    (1, {"role": "model", f"{_CALLED}name": "gauge", f"{_CALLED}arguments": json.dumps(GIVEN)}),
    (2, {"role": "tool", "name": "gauge", "content": '{"result": "91"}'}),
]
"""The question, a call and its result: what both histories below begin with."""


def test_a_tools_run_answers_a_result_that_a_history_told_before_without_an_identifier(
    tmp_path: Path,
) -> None:
    asked = [
        *_GAUGED,
        (3, {"role": "model", f"{_CALLED}name": "drain", f"{_CALLED}arguments": json.dumps(GIVEN)}),
        (4, {"role": "tool", "name": "drain", "content": '{"result": "stuck"}'}),
    ]
    (trace,) = traces_in(_adk(_flat(asked)), tmp_path)
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [call.id for m in trace.messages for call in m.calls] == ["adk-2", "adk-3"]
    assert [text for _, _, text in calls(trace)] == ['{"result": "91"}', '{"result": "stuck"}']


def test_messages_that_overwrote_each_other_are_read_from_the_whole_request(tmp_path: Path) -> None:
    asked = [
        *_GAUGED,
        # The second of two parallel results has the number of the reply behind them.
        (2, {"role": "model", f"{_CALLED}name": "drain", f"{_CALLED}arguments": json.dumps(GIVEN)}),
        (3, {"role": "tool", "name": "drain", "content": '{"result": "stuck"}'}),
    ]
    parts: list[tuple[str, dict[str, Any]]] = [
        ("user", {"text": ASKED}),
        ("model", {"function_call": {"name": "gauge", "args": GIVEN}}),
        ("user", {"function_response": {"name": "gauge", "response": {"result": "91"}}}),
        ("model", {"function_call": {"name": "drain", "args": GIVEN}}),
        ("user", {"function_response": {"name": "drain", "response": {"result": "stuck"}}}),
    ]
    whole = {"contents": [{"role": role, "parts": [part]} for role, part in parts]}
    (trace,) = traces_in(_adk({**_flat(asked), "input.value": json.dumps(whole)}), tmp_path)
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [text for _, _, text in calls(trace)] == ['{"result": "91"}', '{"result": "stuck"}']


def test_a_step_that_names_a_tool_beside_what_it_says_is_a_call(tmp_path: Path) -> None:
    steps = [{"content": "I read the gauge.", "tool_name": "gauge", "tool_args": {"tank": "T-7"}}]
    (trace,) = traces_in({"trace_id": "t", "steps": steps}, tmp_path)
    (message,) = trace.messages
    assert (message.role, message.text) == ("assistant", "I read the gauge.")
    assert message.calls[0].arguments == {"tank": "T-7"}


def test_what_claude_code_says_in_the_users_place_is_no_word_of_the_user(tmp_path: Path) -> None:
    def line(kind: str, text: str, **more: Any) -> dict[str, Any]:
        about = {"type": kind, "uuid": text, "sessionId": "s", **more}
        return {**about, "message": {"role": kind, "content": text}}

    listed = [line("user", "Caveat.", isMeta=True), line("user", ASKED), line("assistant", "91.")]
    listed.append(line("user", "Summary of what was said.", isCompactSummary=True))
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, listed)))
    (trace,), _, file = imported(path)
    assert [m.role for m in trace.messages] == ["system", "user", "assistant", "system"]
    assert trace.system_prompt is None
    assert file.ledger.rules[PROGRAM] == 2


def test_several_requests_in_one_record_are_an_assumption(tmp_path: Path) -> None:
    path = tmp_path / "requests.json"
    asked = {name: [{"role": "user", "content": name}] for name in ("one", "two")}
    path.write_text(json.dumps({"requests": asked}))
    assert imported(path)[2].ledger.assumed[ONE] == 1


def test_further_fields_of_a_message_keep_their_order(tmp_path: Path) -> None:
    """Two imports of a file are the same text, however Python hashes the names of fields."""
    sample = json.loads((Path(__file__).parent / "samples/tau2/sample.json").read_text())
    names = [f"further_{name}" for name in ("zeta", "alpha", "mu", "kappa", "eta", "nu", "pi")]
    message = next(m for m in sample["simulations"][0]["messages"] if m["role"] == "assistant")
    message.update(dict.fromkeys(names, 1))
    trace = traces_in(sample, tmp_path)[0]
    extra = next(m.extra for m in trace.messages if m.extra and names[0] in m.extra)
    assert [name for name in extra if name in names] == names
