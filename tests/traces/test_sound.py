"""Values that JSON cannot hold, and names that are no texts: told with their place, never made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import read_file
from truespec.traces.record import line_of, to_line
from truespec.traces.trace import Trace

SAMPLES = Path(__file__).parent / "samples"


def imported(text: str, tmp_path: Path, name: str = "x.json") -> tuple[Trace, list[Problem], TraceFile]:
    path = tmp_path / name
    path.write_text(text)
    file = TraceFile(path)
    found = list(read_file(file))
    (trace,) = [item for item in found if isinstance(item, Trace)]
    return trace, [item for item in found if isinstance(item, Problem)], file


def chat(name: str = '"get"', given: str = '"{}"', identifier: str = '"c1"') -> str:
    call = f'{{"id": {identifier}, "type": "function", "function": {{"name": {name}, "arguments": {given}}}}}'
    result = f'{{"role": "tool", "tool_call_id": {identifier}, "content": "ok"}}'
    return (
        f'[{{"role": "user", "content": "It."}}, {{"role": "assistant", "tool_calls": [{call}]}}, {result}]'
    )


def strict(line: str) -> Any:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    return json.loads(line, parse_constant=refuse)


@pytest.mark.parametrize("name", ["NaN", "Infinity", "1.5", "true", '{"a": 1}'])
def test_a_name_that_is_no_text_is_told(name: str, tmp_path: Path) -> None:
    trace, (problem,), _ = imported(chat(name=name), tmp_path)
    assert trace.messages[1].calls[0].name == name
    assert type(trace.messages[1].calls[0].name) is str
    assert problem.position == "document, message 1"
    assert f"no text but {name}" in problem.message


def test_a_call_without_a_name_is_told(tmp_path: Path) -> None:
    _, (problem,), _ = imported(chat(name="null"), tmp_path)
    assert problem.message == "a call without a name"


def test_an_identifier_that_is_no_text_is_told_and_still_joins(tmp_path: Path) -> None:
    trace, (problem,), _ = imported(chat(identifier="-Infinity"), tmp_path)
    assert trace.results == {(1, 0): 2}
    assert trace.messages[1].calls[0].id == "-Infinity"
    assert "identifier" in problem.message


def test_an_identifier_that_is_a_whole_number_is_its_digits(tmp_path: Path) -> None:
    trace, problems, file = imported(chat(identifier="7"), tmp_path)
    assert trace.messages[1].calls[0].id == trace.messages[2].call_id == "7"
    assert not problems
    assert sum(file.ledger.rules.values()) == 1


@pytest.mark.parametrize(
    "given", ['"{\\"a\\": NaN}"', '{"a": NaN}', '{"a": [{"b": -Infinity}]}', '{"a": 1e999}']
)
def test_arguments_that_json_cannot_hold_stay_as_text(given: str, tmp_path: Path) -> None:
    trace, (problem,), _ = imported(chat(given=given), tmp_path)
    (call,) = trace.messages[1].calls
    assert call.arguments is None
    assert call.raw
    assert problem.position == "document, message 1"
    line = to_line(trace)
    strict(line)
    again, told, _ = imported(line + "\n", tmp_path, "again.jsonl")
    assert to_line(again) == line
    assert [one.message for one in told] == [problem.message]


def test_other_values_that_json_cannot_hold_become_their_names(tmp_path: Path) -> None:
    said = (
        '{"messages": [{"role": "user", "content": "It.", "cost": NaN}], "loss": [Infinity], "reward": NaN}'
    )
    trace, _, _ = imported(said, tmp_path)
    assert trace.outcome.reward is None
    line = to_line(trace)
    assert strict(line)["metadata"]["loss"] == ["Infinity"]
    again, _, _ = imported(line + "\n", tmp_path, "again.jsonl")
    assert to_line(again) == line


def test_a_line_of_plain_values_is_written_as_it_is() -> None:
    assert line_of({"a": [1.5, None, "x"]}) == '{"a":[1.5,null,"x"]}'


def tau2(tmp_path: Path, **fields: Any) -> tuple[Trace, list[Problem], TraceFile]:
    """A run of tau2-bench whose first call, or whose message, has these fields."""
    sample = json.loads((SAMPLES / "tau2/sample.json").read_text())
    sample["simulations"] = sample["simulations"][:1]
    message = next(m for m in sample["simulations"][0]["messages"] if m.get("tool_calls"))
    message.update(fields)
    return imported(json.dumps(sample), tmp_path)


def test_a_run_of_tau2_keeps_its_odd_calls(tmp_path: Path) -> None:
    odd = {"id": 3, "name": 5, "arguments": {"a": float("nan")}, "requestor": "assistant"}
    trace, problems, _ = tau2(tmp_path, tool_calls=[odd])
    told = " ".join(one.message for one in problems)
    assert "no text but 5" in told
    assert "NaN" in told
    strict(to_line(trace))


@pytest.mark.parametrize(
    "around",
    [
        lambda call: {"raw_data": {"message": {"role": "assistant", "tool_calls": [call]}}},
        lambda call: {"raw_data": {"message": {"tool_calls": [], "extra": {"calls": [call]}}}},
        lambda call: {"raw_data": {"message": {"provider_specific_fields": {"calls": [call]}}}},
        lambda call: {"pending": [call]},
    ],
)
def test_a_call_that_only_another_field_of_tau2_holds_is_told(around: Any, tmp_path: Path) -> None:
    hidden = {"id": "c99", "type": "function", "function": {"name": "hidden", "arguments": "{}"}}
    _, problems, file = tau2(tmp_path, **around(hidden))
    assert any("a call of 'hidden'" in one.message for one in problems)
    assert file.ledger.calls.dropped.total() == 1


def test_a_call_into_which_an_exporter_merged_several_is_told(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"n": 1}{"n": 2}'}}
    listed = [{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [call]}]
    trace, problems, _ = imported(json.dumps(listed), tmp_path)
    assert trace.messages[1].calls[0].raw == '{"n": 1}{"n": 2}'
    assert ["2 stand in one of 'find'" in problem.message for problem in problems] == [True]
