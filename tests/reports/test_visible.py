"""Text that hides nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truespec.reports.visible import cut, in_line, named, pieces


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [a-z]+ text", "plain [a-z]+ text"),
        ("∀x (Dog(x) → Barks(x))", "∀x (Dog(x) → Barks(x))"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\0\x1b[31m", "U+0000U+001B[31m"),
        ("left\u202eright", "leftU+202Eright"),
        ("\ud800", "U+D800"),
        ("e\u0301", "eU+0301"),
        ("no\u00a0break", "noU+00A0break"),
        ("zero\u200bwidth", "zeroU+200Bwidth"),
        ("ye\u017f", "ye\u017f"),
    ],
)
def test_hidden_characters_are_named(text: str, shown: str) -> None:
    assert in_line(text) == shown


def test_spaces_of_a_string_are_seen_where_asked() -> None:
    assert [piece.text for piece in pieces("a b", keep="")] == ["a", "␣", "b"]


def test_long_texts_are_cut_in_the_middle() -> None:
    text = cut("a" * 10_000 + "z" * 10_000, 100)
    assert text.startswith("a" * 75 + " … 19900 characters more … ")
    assert text.endswith("z" * 25)


def test_names_of_characters() -> None:
    assert named("\u0660") == "U+0660 ARABIC-INDIC DIGIT ZERO"
    assert named("\n") == "U+000A control character"
    assert named("\udfff") == "U+DFFF lone surrogate"


@given(st.text(st.characters(), max_size=40))
def test_nothing_hidden_is_left(text: str) -> None:
    for piece in pieces(text, keep=" "):
        assert piece.text.isprintable()
        piece.text.encode("utf-8")
