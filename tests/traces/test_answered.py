"""Which call a result answers, where no message of its own names it by an identifier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from imported import answers, calls, imported, of, said, whole


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


def test_custom_calls_of_the_chat_interface(tmp_path: Path) -> None:
    call = {"id": "call_1", "type": "custom", "custom": {"name": "run_sql", "input": "SELECT 1"}}
    trace = of([{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [call]}], tmp_path)
    (found,) = trace.messages[1].calls
    assert (found.name, found.arguments, found.id) == ("run_sql", {"input": "SELECT 1"}, "call_1")


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


def test_calls_of_one_step_are_one_message_and_a_denied_one_is_told(tmp_path: Path) -> None:
    def part(identifier: str, **more: Any) -> dict[str, Any]:
        return {"type": "tool-pay", "toolCallId": identifier, "input": {"to": identifier}, **more}

    approval = {"id": "a1", "approved": False, "reason": "Not at night."}
    parts = [
        {"type": "step-start"},
        part("p1", state="output-available", output="paid"),
        part("p2", state="output-denied", approval=approval),
        part("p3", state="output-denied", approval={"id": "a2", "approved": False}),
        {"type": "step-start"},
        part("p4", state="output-available", output="paid too"),
        {"type": "text", "text": "Done.", "state": "done"},
    ]
    trace = of(
        [
            {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Pay."}]},
            {"id": "m", "role": "assistant", "parts": parts},
        ],
        tmp_path,
    )
    assert [[call.id for call in m.calls] for m in trace.messages if m.calls] == [["p1", "p2", "p3"], ["p4"]]
    assert answers(trace) == {
        "p1": "paid",
        "p2": "Not at night.",
        "p3": "Tool execution denied.",
        "p4": "paid too",
    }
    assert [m.error for m in trace.messages if m.call_id in ("p2", "p3")] == [True, True]


@pytest.mark.parametrize(
    ("places", "answered"),
    [
        ((0, 1), [("look_1", "rain"), ("look_2", "sun")]),  # counted from another part
        ((2, 7), [("look_2", "rain"), ("look_1", "sun")]),  # one is named, the other is left
    ],
)
def test_identifiers_that_count_the_parts_of_a_message_do_not_shift_results(
    tmp_path: Path, places: tuple[int, int], answered: list[tuple[str, str]]
) -> None:
    def message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"role": role, "parts": list(parts)}

    def asked(number: int, city: str) -> dict[str, Any]:
        return {"type": "tool_call", "id": f"look_{number}", "name": "look", "arguments": {"city": city}}

    def told(number: int, text: str) -> dict[str, Any]:
        return {"type": "tool_call_response", "id": f"look_{number}", "response": text}

    user = message("user", {"type": "text", "content": "Delft or Gent?"})
    wish = message("assistant", {"type": "text", "content": "I look."}, asked(1, "Delft"), asked(2, "Gent"))
    replies = message("tool", told(places[0], "rain"), told(places[1], "sun"))
    end = {**message("assistant", {"type": "text", "content": "Gent."}), "finish_reason": "stop"}

    def span(name: str, start: int, given: list[Any], made: list[Any]) -> dict[str, Any]:
        values = {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps(given),
            "gen_ai.output.messages": json.dumps(made),
        }
        return {
            "traceId": "t",
            "spanId": name,
            "name": f"chat {name}",
            "startTimeUnixNano": str(start),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in values.items()],
        }

    spans = [span("a", 1, [user], [wish]), span("b", 2, [user, wish, replies], [end])]
    trace = of({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}, tmp_path)
    assert calls(trace) == ["look", "look"]
    assert [(m.call_id, m.text) for m in trace.messages if m.role == "tool"] == answered


def test_events_whose_body_is_an_attribute_keep_their_texts(tmp_path: Path) -> None:
    def event(name: str, body: Any, at: int) -> dict[str, Any]:
        values = {"gen_ai.system": "az.ai.inference", "gen_ai.event.content": json.dumps(body)}
        return {
            "name": name,
            "timeUnixNano": str(at),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in values.items()],
        }

    function = {"name": "look", "arguments": '{"city": "Delft"}'}
    wish = {"content": "I look.", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    user = event("gen_ai.user.message", {"role": "user", "content": "Delft?"}, 1)
    first = [user, event("gen_ai.choice", {"message": wish, "index": 0, "finish_reason": "tool_calls"}, 2)]
    second = [
        user,
        event("gen_ai.assistant.message", {"role": "assistant", **wish}, 3),
        event("gen_ai.tool.message", {"role": "tool", "tool_call_id": "c1", "content": "rain"}, 4),
        event("gen_ai.choice", {"message": {"content": "Rain."}, "index": 0, "finish_reason": "stop"}, 5),
    ]
    spans = [
        {
            "traceId": "t",
            "spanId": name,
            "name": "chat m",
            "startTimeUnixNano": str(start),
            "events": events,
            "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}],
        }
        for name, start, events in (("a", 1, first), ("b", 3, second))
    ]
    trace = of({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}, tmp_path)
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Delft?"),
        ("assistant", "I look."),
        ("tool", "rain"),
        ("assistant", "Rain."),
    ]
    assert answers(trace) == {"c1": "rain"}
