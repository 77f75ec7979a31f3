"""Files that hold several JSON values: one a line, or one behind the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truespec.traces.concatenated import values
from truespec.traces.files import Problem, TraceFile

ONE, TWO = {"a": {"b": [1, {}]}}, {"c": "d\n}"}
PRETTY = json.dumps(ONE, indent=4) + "\n" + json.dumps(TWO, indent=4) + "\n"


def read(path: Path, text: str) -> tuple[list[object], list[str]]:
    path.write_text(text)
    found = list(values(TraceFile(path)))
    return [v for _, v in found if not isinstance(v, Problem)], [
        p for p, v in found if isinstance(v, Problem)
    ]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (PRETTY, []),
        ("\ufeff" + PRETTY, []),
        (json.dumps(ONE) + "\n\n" + json.dumps(TWO), []),
        ("a line of a log\n" + PRETTY, ["line 1"]),
        (json.dumps(ONE, indent=4) + "\n{\n  'no JSON'\n}\n" + json.dumps(TWO, indent=4), ["line 9"]),
        (PRETTY + '{\n    "cut": [', ["line 12"]),
    ],
    ids=["pretty", "byte order mark", "lines", "text before", "damage between", "cut at the end"],
)
def test_what_is_whole_is_read_and_what_is_not_is_named(
    text: str, problems: list[str], tmp_path: Path
) -> None:
    assert read(tmp_path / "x.json", text) == ([ONE, TWO], problems)


def test_deep_nesting_is_a_problem(tmp_path: Path) -> None:
    made, problems = read(tmp_path / "x.json", "{\n" + '"a":[' * 50_000)
    assert not made
    assert problems
