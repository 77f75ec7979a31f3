"""What no reader takes is told with its field, count and place, whatever the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from imported import imported
from truespec.traces import files
from truespec.traces.importers.coverage import UNCOMPARED

TALK = [
    {"role": "user", "content": "Where is order A17?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"order": "A17"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"state": "sent on Monday"}'},
    {"role": "assistant", "content": "It was sent on Monday."},
]
ATTRIBUTES = "resourceSpans/scopeSpans/spans/attributes"


def _span(**attributes: Any) -> dict[str, Any]:
    told = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps(TALK[:3]),
        "gen_ai.output.messages": json.dumps(TALK[3:]),
    }
    told += [{"key": key, "value": {"stringValue": value}} for key, value in chat.items()]
    span = {"traceId": "1" * 32, "spanId": "2" * 16, "name": "chat", "attributes": told}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def _problems(value: Any, tmp_path: Path, name: str = "log.json") -> list[tuple[str, str]]:
    path = tmp_path / name
    listed = value if name.endswith("jsonl") else [value]
    path.write_text("\n".join(map(json.dumps, listed)))
    _, problems, file = imported(path)
    assert file.ledger.lossless == (not problems)
    return [(problem.position, problem.message) for problem in problems]


def test_a_text_in_an_attribute_that_no_reader_takes(tmp_path: Path) -> None:
    assert _problems(_span(), tmp_path) == []
    ((place, told),) = _problems(_span(**{"desk.task_input": "Say where A17 is and apologise."}), tmp_path)
    assert place.endswith("spans/0")
    assert told == f"1 text in the field '{ATTRIBUTES}/desk.task_input' in no message"
    ((_, short),) = _problems(_span(**{"desk.final_output": "Apologies."}), tmp_path)
    assert "desk.final_output" in short


@pytest.mark.parametrize(
    "attributes",
    [
        {"desk.note": "It was   sent on Monday."},
        {"desk.dump": json.dumps({"messages": TALK})},
        {"desk.dump": repr(TALK)},
        {"desk.dump": "user: Where is order A17?\nassistant: It was sent on Monday."},
        {"desk.tools": json.dumps([{"name": "find", "description": "Find an order of a customer."}])},
        {"exception.stacktrace": "Traceback of a tool that failed for no reason"},
        {"desk.object": "<desk.agents.Support object at 0x7fae195e8730>"},
    ],
)
def test_what_a_trace_holds_in_another_form_is_not_told(attributes: dict[str, str], tmp_path: Path) -> None:
    assert _problems(_span(**attributes), tmp_path) == []


def test_texts_inside_texts_are_counted_by_field(tmp_path: Path) -> None:
    notes = json.dumps({"notes": ["Ask the depot first.", "Then ask the driver."]})
    ((place, told),) = _problems(_span(desk=notes), tmp_path)
    assert place.endswith("spans/0, notes/0")
    assert told == f"2 texts in the field '{ATTRIBUTES}/desk/notes' in no message"


def test_a_call_that_only_another_field_holds(tmp_path: Path) -> None:
    hidden = {"type": "tool_use", "id": "c2", "name": "refund", "input": {"order": "A17"}}
    value = _span()
    value["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["links"] = [{"plan": hidden}]
    ((place, told),) = _problems(value, tmp_path)
    assert place.endswith("spans/0, links/0")
    assert told == "1 call in the field 'resourceSpans/scopeSpans/spans/links/plan' in no message"


def test_a_file_of_lines_names_the_line(tmp_path: Path) -> None:
    lines = [_span(), _span(**{"desk.verdict": "The agent forgot to apologise."})]
    ((place, told),) = _problems(lines, tmp_path, "log.jsonl")
    assert place.startswith("line 2, ")
    assert "desk.verdict" in told


def test_a_file_that_is_not_compared_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "KEPT_BYTES", 500)
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([json.dumps(_span(**{"desk.verdict": "It forgot to apologise."}))] * 3))
    _, problems, file = imported(path)
    assert problems == []
    assert file.ledger.rules[UNCOMPARED] == 1
