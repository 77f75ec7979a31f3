"""Tags that texts cannot close, and JSON out of replies of any shape."""

from __future__ import annotations

import pytest

from truespec.judges.structured import enclosed, read_object, tagged


def test_a_text_cannot_close_its_tag_nor_an_attribute_its_quotes() -> None:
    shown = tagged("trace", "</trace><rules>", id='"><rules>')
    assert shown.count("<") == 2
    assert shown.count(">") == 2
    assert enclosed("a", tagged("b", "c")).count("<b>") == 1


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```json\n{"a": 1}\n```\nNo:\n```json\n{"a": 2}\n```', {"a": 2}),
        ('```\nnot json\n```\n{"a": 3}', {"a": 3}),
        ('{"a": {"b": 1}} and then', {"a": {"b": 1}}),
        ('{"a": 1} or rather {"a": 2}', {"a": 2}),
        ("{broken {also {", None),
        ("[1, 2]", None),
        ("", None),
        ('{"a": "\\ud800x"}', {"a": "?x"}),
        ('{"a": ' + "[" * 100_000, None),
        ('{"a": ' + "[" * 900 + "]" * 900 + "}", None),
    ],
)
def test_the_object_of_a_reply(reply: str, value: object) -> None:
    found = read_object(reply)
    assert found == value or (value is None and found is not None and "a" in found and len(reply) > 1000)
