"""Tools' spans in traces of their own: brought to the one call that they carry out, else left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from truespec.traces.files import TraceFile
from truespec.traces.importers.registry import read_file
from truespec.traces.importers.strays import RULE
from truespec.traces.trace import Trace

CALLS = [("call_aaaaaaaaa1", {"order_id": "A17"}), ("call_aaaaaaaaa2", {"order_id": "B42"})]


def model(trace: str, start: int, given: list[Any], said: Any) -> dict[str, Any]:
    return span(trace, start, "LLM", {"input.value": json.dumps(given), "output.value": json.dumps(said)})


def span(trace: str, start: int, kind: str, attributes: dict[str, str]) -> dict[str, Any]:
    listed = {"openinference.span.kind": kind, **attributes}
    return {
        "traceId": trace,
        "spanId": f"{start:04d}",
        "name": attributes.get("tool.name", kind),
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + start),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in listed.items()],
    }


def run(trace: str, start: int, arguments: Any, output: Any) -> dict[str, Any]:
    told = {"input.value": json.dumps(arguments), "output.value": json.dumps(output)}
    return span(trace, start, "TOOL", {"tool.name": "lookup_order", **told})


def asked(trace: str, start: int) -> list[dict[str, Any]]:
    """Two calls; the next request holds the first one's result, and no span that of the second."""
    question = {"role": "user", "content": "Which are open?"}
    calls = [
        {"id": name, "type": "function", "function": {"name": "lookup_order", "arguments": json.dumps(given)}}
        for name, given in CALLS
    ]
    reply = {"role": "assistant", "content": None, "tool_calls": calls}
    result = {"role": "tool", "tool_call_id": CALLS[0][0], "content": "open"}
    later = model(trace, start + 9, [question, reply, result], {"role": "assistant", "content": "A17."})
    return [model(trace, start, [question], reply), later]


def read(tmp_path: Path, spans: list[dict[str, Any]]) -> tuple[list[Trace], TraceFile]:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    file = TraceFile(path)
    return [item for item in read_file(file) if isinstance(item, Trace)], file


def test_a_run_in_a_trace_of_its_own_is_that_of_its_call(tmp_path: Path) -> None:
    message = {"type": "tool", "data": {"content": "closed", "tool_call_id": CALLS[1][0]}}
    strays = [run("b", 13, {"order_id": "A17"}, "open"), run("c", 14, "B42", message)]
    (trace,), file = read(tmp_path, [*asked("a", 10), *strays])
    assert [(m.role, m.text, len(m.calls)) for m in trace.messages] == [
        ("user", "Which are open?", 0),
        ("assistant", None, 2),
        ("tool", "open", 0),
        ("tool", "closed", 0),
        ("assistant", "A17.", 0),
    ]
    assert [trace.locate(f"{start:04d}") for start in (10, 13, 14, 19)] == [1, 2, 3, 4]
    assert file.ledger.rules[RULE] == 2
    assert file.ledger.spans.taken == 4


@pytest.mark.parametrize(
    ("others", "stray"),
    [
        ([], run("b", 13, {"order_id": "A17"}, "closed")),  # another result
        ([], run("b", 99, {"order_id": "A17"}, "open")),  # after the trace
        ([], run("b", 13, {"order_id": "C99"}, "open")),  # no such call
        (asked("z", 5), run("b", 13, {"order_id": "A17"}, "open")),  # a call of two traces
    ],
    ids=["result", "time", "arguments", "two"],
)
def test_a_run_without_one_such_call_stays_alone(
    tmp_path: Path, others: list[dict[str, Any]], stray: dict[str, Any]
) -> None:
    traces, file = read(tmp_path, [*asked("a", 10), *others, stray])
    assert RULE not in file.ledger.rules
    assert traces[-1].id == "b"
