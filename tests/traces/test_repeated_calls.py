"""A call that stands in one message twice is one call, and no other call is lost for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace

FIRST, SECOND = {"id": 1}, {"id": 2}


@pytest.mark.parametrize(
    ("parts", "listed", "expected"),
    [
        ([FIRST], [FIRST], [FIRST]),
        ([{}], [FIRST], [FIRST]),  # a part of a stream, whose arguments came later
        ([FIRST], [{}], [FIRST]),
        ([FIRST], [SECOND], [FIRST, SECOND]),
        ([], [FIRST, SECOND], [FIRST, SECOND]),
        ([FIRST, SECOND], [SECOND, FIRST], [FIRST, SECOND]),
    ],
)
def test_a_call_is_as_often_as_it_was_made(
    tmp_path: Path, parts: list[Any], listed: list[Any], expected: list[Any]
) -> None:
    said = {
        "content": [{"type": "tool_use", "id": "c", "name": "refund", "input": one} for one in parts],
        "tool_calls": [{"type": "tool_call", "id": "c", "name": "refund", "args": one} for one in listed],
    }
    messages = [{"type": "human", "data": {"content": "Hi"}}, {"type": "ai", "data": said}]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"messages": messages}))
    (trace,) = read(path)
    assert isinstance(trace, Trace)
    assert [call.arguments for message in trace.messages for call in message.calls] == expected
