"""Models by name: callables, recordings, and what is wrong with a name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from truespec.models.call import Call, Settings
from truespec.models.contract import ModelError
from truespec.models.registry import open_model
from truespec.verdict import UsageError


def test_a_callable_is_a_model() -> None:
    model = open_model("python:scripted:generous")
    assert model.reply(Call(model.name, "", "")).text == "Fine.\n```\n3\n```"


@pytest.mark.parametrize("name", ["python:no_such_module:f", "python:scripted:no_such_function", "python:"])
def test_a_callable_that_is_not_there(name: str) -> None:
    with pytest.raises(UsageError, match="expected python:MODULE:FUNCTION"):
        open_model(name)


def test_a_recording_repeats_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text(
        '{"subject": "answer/a", "text": "yes"}\n{"subject": "answer/a", "epoch": 1, "text": "no"}\n'
    )
    model = open_model(f"recorded:{path}")
    assert model.reply(Call("m", "", "", subject="answer/a")).text == "yes"
    assert model.reply(Call("m", "", "", epoch=1, subject="answer/a")).text == "no"
    with pytest.raises(ModelError, match="nothing is recorded for 'answer/b'"):
        model.reply(Call("m", "", "", subject="answer/b"))


@pytest.mark.parametrize(
    "line", ["nonsense", "[]", '{"subject": "a"}', '{"text": "a"}', '{"subject": 1, "x": 2}']
)
def test_a_broken_recording_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text('{"subject": "a", "text": "yes"}\n' + line + "\n")
    with pytest.raises(UsageError, match="line 2"):
        open_model(f"recorded:{path}")


def test_the_key_is_what_the_model_sees() -> None:
    call = Call("m", "s", "p", subject="one")
    assert call.key == Call("m", "s", "p", subject="two").key
    others = [
        Call("n", "s", "p"),
        Call("m", "t", "p"),
        Call("m", "s", "q"),
        Call("m", "s", "p", epoch=1),
        Call("m", "s", "p", Settings(temperature=0.5)),
    ]
    assert len({call.key, *(other.key for other in others)}) == 6


def test_a_schema_makes_another_call_and_none_leaves_old_keys_alone() -> None:
    plain = Call("m", "s", "p")
    assert replace(plain, schema="").key == plain.key
    assert replace(plain, schema="{}").key != plain.key
    assert plain.key == "7f19dc2a30f5ac8f349f884234807696858f842435b838ac6d142e2f19bd1872"
