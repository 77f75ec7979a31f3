from __future__ import annotations

from pathlib import Path

import pytest

from truespec.traces import Message, Source, ToolCall, Trace
from truespec.traces.record import to_line
from truespec.traces.redact import Redactor
from truespec.verdict import UsageError


def test_equal_values_get_equal_marks_everywhere() -> None:
    trace = Trace(
        "t",
        (
            Message("user", "I am ada@example.org, call +1 555-123-4567 or pay 4111 1111 1111 1111."),
            Message(
                "assistant", None, (ToolCall("find", {"email": "Ada@example.org", "order": "#W1234567"}),)
            ),
        ),
        Source("openai", "f", "0", "document"),
        metadata={"who": ["ada@example.org"]},
    )
    hidden = Redactor().trace(trace)
    assert hidden.messages[0].text == "I am <email-1>, call <phone-1> or pay <card-1>."
    assert hidden.messages[1].calls[0].arguments == {"email": "<email-1>", "order": "#W1234567"}
    assert "example.org" not in to_line(hidden)


def test_a_long_number_without_check_digit_is_no_card() -> None:
    assert Redactor(("card",)).text("order 1234567890123456") == "order 1234567890123456"


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(UsageError, match="shoe"):
        Redactor(("shoe",))


def test_patterns_are_fast_on_hostile_text() -> None:
    assert Redactor().text("a" * 100_000)
    assert Redactor().text("1 " * 50_000)
    assert Redactor().text("a@" * 50_000)
    assert Path(__file__).exists()
