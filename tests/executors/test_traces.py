"""Traces checked side by side give the artifacts of one process, in order, whatever one of them does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from deadly import Deadly

from truespec.compliance.run import check_all
from truespec.executors import traces
from truespec.executors.rulefiles import load_rule_files
from truespec.executors.traces import check_side_by_side
from truespec.rules.monitor import RuleSet
from truespec.traces.files import Problem
from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace

SAMPLES = Path(__file__).parents[1] / "traces" / "samples"


def some_traces(count: int) -> list[Trace | Problem]:
    found = [item for path in sorted(SAMPLES.rglob("*.json*")) for item in read(path, None, None)]
    whole = [item for item in found if isinstance(item, Trace)]
    assert whole
    made: list[Trace | Problem] = []
    for number in range(count):
        trace = whole[number % len(whole)]
        made.append(replace(trace, source=replace(trace.source, position=f"n{number}")))
    made.insert(7, Problem("file", "7", "planted"))
    return made


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet(load_rule_files((), ("all",), ())[0])


def test_artifacts_are_those_of_one_process_in_order(rules: RuleSet, monkeypatch: Any) -> None:
    monkeypatch.setattr(traces, "HELD", 10)
    stream = some_traces(60)
    alone = list(check_all(stream, rules, "k"))
    told: list[Problem] = []
    beside = list(check_side_by_side(stream, rules, "k", None, told.append, jobs=2))
    assert beside == alone
    assert [problem.message for problem in told] == ["planted"]
    done = {record["key"]: record for record, _ in alone}
    again = list(check_side_by_side(stream, rules, "k", done, jobs=2))
    assert again == [(record, False) for record, _ in alone]
    del done[alone[30][0]["key"]]
    third = list(check_side_by_side(stream, rules, "k", done, jobs=2))
    assert [new for _, new in third] == [number == 30 for number in range(60)]
    assert [record for record, _ in third] == [record for record, _ in alone]


def test_a_trace_that_ends_its_worker_costs_itself_only(rules: RuleSet, monkeypatch: Any) -> None:
    monkeypatch.setattr(traces, "_Checker", Deadly)
    told: list[Problem] = []
    stream = some_traces(60)
    found = [record["key"] for record, _ in check_side_by_side(stream, rules, "k", None, told.append, jobs=2)]
    wanted = [record["key"] for record, _ in check_all(stream, rules, "k")]
    assert found == wanted[:33] + wanted[34:]
    assert len(told) == 2
    assert "SIGKILL" in told[1].message
    assert told[1].position == "n33"


def test_few_traces_start_no_worker(rules: RuleSet, monkeypatch: Any) -> None:
    monkeypatch.setattr(traces, "Workers", None)
    assert len(list(check_side_by_side(some_traces(10), rules, "k", jobs=2))) == 10


def test_traces_are_read_lazily(rules: RuleSet, monkeypatch: Any) -> None:
    monkeypatch.setattr(traces, "HELD", 50)
    seen: list[int] = []

    def stream() -> Iterator[Trace | Problem]:
        for number, item in enumerate(some_traces(400)):
            seen.append(number)
            yield item

    results = check_side_by_side(stream(), rules, "k", jobs=2)
    assert len(list(islice(results, 5))) == 5
    results.close()  # type: ignore[attr-defined]
    assert len(seen) < 100
