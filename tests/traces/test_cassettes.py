"""Cassettes of HTTP: what is taken from them, what is not, and within which bounds they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from truespec.traces import yaml_values
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import files_below, read_file
from truespec.traces.trace import Trace

ASKED = [{"role": "user", "content": "Which orders are open?"}]


def plain(*pairs: tuple[Any, str]) -> str:
    lines = ["interactions:"]
    for asked, said in pairs:
        lines += ["- request:", f"    body: {json.dumps(json.dumps(asked))}"]
        lines += ["  response:", "    body:", f"      string: {json.dumps(said)}"]
    return "\n".join([*lines, "version: 1", ""])


def read(tmp_path: Path, text: str) -> tuple[list[Trace], TraceFile, list[Problem]]:
    path = tmp_path / "recording.yaml"
    path.write_text(text)
    file = TraceFile(path)
    items = list(read_file(file))
    return (
        [item for item in items if isinstance(item, Trace)],
        file,
        [item for item in items if isinstance(item, Problem)],
    )


def sse(*events: Any) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


@pytest.mark.parametrize(
    "reply",
    [
        sse(
            {"object": "text_completion", "choices": [{"index": 0, "text": "A1"}]},
            {"object": "text_completion", "choices": [{"index": 1, "text": "none"}]},
            {"object": "text_completion", "choices": [{"index": 0, "text": "7."}]},
        ),
        sse(*({"candidates": [{"content": {"parts": [{"text": text}]}}]} for text in ("A1", "7."))),
        sse(*({"type": "completion", "completion": text} for text in ("A1", "7."))),
        json.dumps({"type": "completion", "completion": "A17."}),
    ],
    ids=["completion", "candidates", "anthropic", "whole"],
)
def test_streams_of_every_kind_are_one_reply(tmp_path: Path, reply: str) -> None:
    (trace,), file, problems = read(tmp_path, plain(({"prompt": "Which orders are open?"}, reply)))
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Which orders are open?"),
        ("assistant", "A17."),
    ]
    several = "text_completion" in reply
    assert ["choices/text" in problem.message for problem in problems] == [True] * several
    assert sum(file.ledger.items.dropped.values()) == several


def test_what_is_no_request_to_a_model_is_told(tmp_path: Path) -> None:
    vectors = json.dumps({"object": "list", "data": [{"object": "embedding", "embedding": [0.5]}]})
    traces, file, problems = read(tmp_path, plain(({"input": "A17"}, vectors), ({"runs": []}, "{}")))
    assert traces == []
    assert [problem.message for problem in problems] == [
        "no entry is a request to a model that holds messages, an input or a prompt; no trace is made"
    ]
    assert file.ledger.rules == {"an entry of an archive that is no request to a model is passed over": 2}


def test_a_reply_that_cannot_be_unpacked_is_told(tmp_path: Path) -> None:
    text = plain(({"messages": ASKED}, "x")).replace('string: "x"', "string: !!binary H4sIAAAA")
    (trace,), _, problems = read(tmp_path, text)
    assert [message.role for message in trace.messages] == ["user"]
    assert "a reply that cannot be unpacked" in problems[0].message


def test_a_request_without_its_reply_is_told(tmp_path: Path) -> None:
    text = plain(({"messages": ASKED}, "x")).partition("  response:")[0]
    (trace,), _, problems = read(tmp_path, text)
    assert [message.role for message in trace.messages] == ["user"]
    assert [problem.position for problem in problems] == ["interactions/0"]


def test_an_error_in_the_yaml_is_told_with_its_place(tmp_path: Path) -> None:
    traces, _, problems = read(tmp_path, plain(({"messages": ASKED}, "x")) + "a: [1\n")
    assert traces == []
    assert "no YAML" in problems[0].message
    assert "line" in problems[0].message


def test_a_folder_gives_its_cassettes_and_no_other_yaml(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text("rules:\n- name: one\n")
    (tmp_path / "compose.yaml").write_text("version: 1\nrequests: 3\n")
    (tmp_path / "tape.yaml").write_text(plain(({"messages": ASKED}, "x")))
    assert [path.name for path in files_below([tmp_path])] == ["tape.yaml"]


def test_yaml_is_read_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(yaml_values.NoYaml, match="levels deep"):
        yaml_values.load("[" * 300 + "]" * 300)
    monkeypatch.setattr(yaml_values, "EXPANDED", 50)
    bomb = "a: &a [1,2,3]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b]\n"
    with pytest.raises(yaml_values.NoYaml, match="aliases"):
        yaml_values.load(bomb)
    with pytest.raises(yaml_values.NoYaml, match="names nothing"):
        yaml_values.load("a: *b")


def test_yaml_values_are_those_that_programs_write() -> None:
    text = "a: 'null'\nb: null\nc: 1.5\nd: !!binary YQ==\ne: |\n  x\n  y\nf: 007\ng: yes\nh: {i: true}\n"
    assert yaml_values.load(text) == {
        "a": "null",
        "b": None,
        "c": 1.5,
        "d": b"a",
        "e": "x\ny\n",
        "f": "007",
        "g": "yes",
        "h": {"i": True},
    }
