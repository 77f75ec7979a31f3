"""Traces checked side by side give the artifacts of one process, in order, whatever one of them does."""

from __future__ import annotations

import gc
import gzip
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from deadly import DEADLY, Deadly

from truespec.cli.main import truespec
from truespec.compliance.run import Tally, check_all
from truespec.compliance.scoring import DEFAULT
from truespec.executors import pool, traces, whole_files, worker
from truespec.executors.artifact_file import ArtifactFile, Rendered
from truespec.executors.forked import may_fork
from truespec.executors.rulefiles import load_rule_files
from truespec.executors.trace_input import sources_of
from truespec.executors.traces import check_side_by_side
from truespec.executors.whole_files import Reading, WholeFile, whole_file
from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet
from truespec.traces.files import Problem
from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import Budget
from truespec.verdict import UsageError

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


def test_workers_render_the_lines_that_one_process_writes(
    files: list[Path], rules: RuleSet, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(traces, "FEW", 1)
    broken = "- {id: mute, text: t, severity: high, formal: {template: absence, a: {message: user}}}"
    rules = RuleSet((*rules.rules, *load_rules(broken)))
    alone = list(check_all(sources(files, False), rules, "k"))
    tally, merged = Tally(), Tally()
    rendered = list(check_side_by_side(sources(files, True), rules, "k", jobs=2, renders=True))
    for part, _ in rendered:
        assert isinstance(part, Rendered)
        merged.merge(part.tally)
    written = []
    for place, records in (("alone", alone), ("beside", rendered)):
        whole, folder = tmp_path / f"{place}.jsonl", tmp_path / place
        for output in (ArtifactFile(whole, False, False), ArtifactFile(folder, False, False)):
            for record, new in records:
                if isinstance(record, Rendered):
                    output.write_rendered(record)
                else:
                    output.write(record, new)
            output.end()
        written.append([whole.read_text(), *sorted((one.name, one.read_text()) for one in folder.iterdir())])
    for record, _ in alone:
        tally.add(record)
    assert written[0] == written[1]
    assert tally == merged
    assert len(tally.named) == 20 < tally.violations["high"]
    assert written[0][0].count("\n") == len(alone) == len(written[0]) - 1 == 70


@pytest.mark.parametrize("report", ["--junit", "--sarif"])
def test_reports_for_ci_are_the_same_for_any_number_of_workers(
    files: list[Path], report: str, tmp_path: Path
) -> None:
    made = []
    for jobs in ("1", "2"):
        output, reported = tmp_path / f"{jobs}.jsonl", tmp_path / f"{jobs}.report"
        arguments = ["trace", "check", *map(str, files), "--jobs", jobs, "-o", str(output), "--quiet"]
        CliRunner().invoke(truespec, [*arguments, report, str(reported)], catch_exceptions=False)
        made.append((output.read_bytes(), reported.read_bytes()))
    assert made[0] == made[1]


def test_a_trace_that_ends_its_worker_costs_itself_only(rules: RuleSet, monkeypatch: Any) -> None:
    monkeypatch.setattr(traces, "_Checker", Deadly)
    told: list[Problem] = []
    stream = some_traces(60)
    found = list(check_side_by_side(stream, rules, "k", None, told.append, jobs=2))
    wanted = list(check_all(stream, rules, "k"))
    assert found == wanted[:33] + wanted[34:]
    assert len(told) == 2
    assert "SIGKILL" in told[1].message
    assert told[1].position == "n33"


def conversation(number: int, said: str = "Hello.") -> dict[str, Any]:
    return {
        "messages": [
            {"role": "user", "content": f"Question {number}"},
            {"role": "assistant", "content": said},
        ]
    }


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Eight files; one holds a line that is no JSON, one is no trace."""
    made = []
    for number in range(8):
        lines = [json.dumps(conversation(10 * number + each)) for each in range(10)]
        if number == 3:
            lines.insert(4, "{broken")
        made.append(tmp_path / f"f{number}.jsonl")
        made[-1].write_text("\n".join(lines) if number != 5 else '{"neither": 1}')
    return made


def sources(files: list[Path], whole: bool) -> list[Any]:
    return list(sources_of(tuple(files), Reading(), Budget(), whole=whole))


@pytest.mark.parametrize("copies", [True, False])
def test_files_read_by_workers_give_what_one_process_does(
    files: list[Path], rules: RuleSet, monkeypatch: Any, copies: bool
) -> None:
    monkeypatch.setattr(traces, "HELD", 10)
    monkeypatch.setattr(whole_files, "TRACE_BYTES", 100)
    monkeypatch.setattr(pool, "may_fork", lambda memory: copies and may_fork(memory))
    told: list[Problem] = []
    alone = list(check_all(sources(files, False), rules, "k", None, told.append))
    told_beside: list[Problem] = []
    stream = sources(files, True)
    assert all(isinstance(item, WholeFile) for item in stream)
    beside = list(check_side_by_side(stream, rules, "k", None, told_beside.append, jobs=2))
    assert len(alone) == 70
    assert beside == alone
    assert told_beside == told
    assert [Path(problem.file).name for problem in told] == ["f3.jsonl", "f5.jsonl"]
    done = {record["key"]: record for record, _ in alone[:5] + alone[6:]}
    again = list(check_side_by_side(stream, rules, "k", done, jobs=2))
    assert [record for record, _ in again] == [record for record, _ in alone]
    assert [number for number, (_, new) in enumerate(again) if new] == [5]


def test_a_file_that_ends_its_worker_is_read_trace_by_trace(
    files: list[Path], rules: RuleSet, monkeypatch: Any
) -> None:
    monkeypatch.setattr(whole_files, "TRACE_BYTES", 100)
    monkeypatch.setattr(traces, "_Checker", Deadly)
    files[2].write_text(json.dumps(conversation(0)) + "\n" + json.dumps(conversation(1, DEADLY)) + "\n")
    told: list[Problem] = []
    found = list(check_side_by_side(sources(files, True), rules, "k", None, told.append, jobs=2))
    assert len(found) == 61
    assert ["SIGKILL" in problem.message for problem in told] == [True, False, False]
    assert told[0].position == "line 2"


def test_a_file_of_more_traces_than_travel_is_given_back(
    files: list[Path], rules: RuleSet, monkeypatch: Any
) -> None:
    monkeypatch.setattr(whole_files, "TRACE_BYTES", 100)
    monkeypatch.setattr(whole_files, "FILE_TRACES", 5)  # what the copies of this process see too
    found = list(check_side_by_side(sources(files, True), rules, "k", jobs=2))
    assert found == list(check_all(sources(files, False), rules, "k"))


def test_only_small_plain_files_of_several_go_whole(
    files: list[Path], tmp_path: Path, monkeypatch: Any
) -> None:
    assert not any(isinstance(item, WholeFile) for item in sources(files[:1], True))
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(b" " * 5_000))
    archive = tmp_path / "members.zip"
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("a.jsonl", files[0].read_text())
    monkeypatch.setattr(whole_files, "FILE_BYTES", 4_000)
    assert whole_file(files[0]) is not None
    assert [whole_file(path) for path in (packed, archive, tmp_path / "absent")] == [None, None, None]


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


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("name", ["out.jsonl", "out"])
def test_two_checks_do_not_write_one_output(name: str, resume: bool, tmp_path: Path) -> None:
    output = tmp_path / name
    record = {"key": "k", "trace_id": "t"}
    first = ArtifactFile(output, False)
    first.write(record, True)
    for again in (False, True):
        with pytest.raises(UsageError, match="is being written by another run"):
            ArtifactFile(output, again)
    first.end()
    second = ArtifactFile(output, resume)
    assert list(second.earlier) == ["k"] * resume
    with pytest.raises(UsageError, match="is being written by another run"):
        ArtifactFile(output, True)
    second.write(record, not resume)
    second.end()
    third = ArtifactFile(output, True)
    assert third.earlier == {"k": record}
    third.close()


def test_an_output_stays_locked_while_what_a_killed_run_left_is_joined(tmp_path: Path) -> None:
    output, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    output.write_text('{"key": "a", "trace_id": "t"}\n')
    part.write_text('{"key": "b", "trace_id": "t"}\n')
    resumed = ArtifactFile(output, True)
    assert list(resumed.earlier) == ["a", "b"]
    with pytest.raises(UsageError, match="is being written by another run"):
        ArtifactFile(output, False)
    resumed.stop()
    assert output.read_text().count("\n") == 2


def test_a_worker_looks_for_garbage_as_seldom_as_one_process() -> None:
    """A copy of a process that has compiled the rules gets a worker's thresholds after that."""
    before = gc.get_threshold()
    checker = traces._Checker((), DEFAULT, None, Reading(), "")
    try:
        checker.warm_up(RuleSet(()), None)
        alone = gc.get_threshold()
        worker._collect_rarely()
        assert gc.get_threshold() != alone
        checker._check(traces._WARMING)
        assert gc.get_threshold() == alone
    finally:
        gc.set_threshold(*before)
