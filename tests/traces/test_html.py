"""A trace in a notebook: its messages with their numbers, escaped and cut."""

from __future__ import annotations

from truespec.testing import traces_of
from truespec.traces.html import LONGEST, MOST

HOSTILE = "<img src=x onerror=alert(1)>"


def test_messages_are_numbered_and_texts_stay_texts() -> None:
    function = {"name": "refund", "arguments": '{"order": "<7>"}'}
    (trace,) = traces_of(
        [
            {"role": "user", "content": HOSTILE},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": function}]},
            {"role": "tool", "tool_call_id": "c", "content": "x" * (LONGEST + 1)},
        ]
    )
    shown = trace._repr_html_()
    assert "<td>0</td><td>user</td>" in shown
    assert "<img" not in shown
    assert "&lt;img src=x" in shown
    assert "<code>refund({&quot;order&quot;: &quot;&lt;7&gt;&quot;})</code>" in shown
    assert "x" * (LONGEST - 1) + "…" in shown
    assert "further" not in shown


def test_messages_that_are_left_out_are_counted() -> None:
    (trace,) = traces_of([{"role": "user", "content": str(n)} for n in range(MOST + 3)])
    shown = trace._repr_html_()
    assert shown.count("<tr>") == MOST
    assert "3 further messages are not shown." in shown
