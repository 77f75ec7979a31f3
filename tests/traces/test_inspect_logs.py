"""Logs of Inspect: tools that a provider runs, and calls that could not be parsed."""

from __future__ import annotations

import json
from pathlib import Path

from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace


def test_tools_of_a_server_keep_their_results_and_garbled_calls_have_no_arguments(tmp_path: Path) -> None:
    searched = {"type": "tool_use", "tool_type": "web_search", "id": "s", "name": "web_search"}
    answer = {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {**searched, "arguments": '{"query": "x"}', "result": "found", "error": None},
        ],
        "tool_calls": [{"id": "c", "function": "bash", "arguments": {}, "parse_error": "no JSON: {cmd"}],
    }
    failed = {"role": "tool", "content": "", "tool_call_id": "c", "function": "bash"}
    sample = {"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "Hi"}, answer, failed]}
    path = tmp_path / "log.json"
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": [sample]}
    path.write_text(json.dumps(log))
    (trace,) = read(path)
    assert isinstance(trace, Trace)
    calls = [call for message in trace.messages for call in message.calls]
    assert [(call.name, call.arguments, call.raw) for call in calls] == [
        ("web_search", {"query": "x"}, None),
        ("bash", None, "no JSON: {cmd"),
    ]
    results = [(message.call_id, message.text) for message in trace.messages if message.role == "tool"]
    assert results == [("s", "found"), ("c", "")]
