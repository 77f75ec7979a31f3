"""Laws that every importer obeys on every sample, with an independent count of the calls in the source."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import needs
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import files_below, read_file
from truespec.traces.ledger import UNITS
from truespec.traces.record import to_line
from truespec.traces.trace import Trace

SAMPLES = Path(__file__).parent / "samples"
FILES = [path for path in files_below([SAMPLES]) if not path.name.startswith("expected")]
IDS = [f"{path.parent.name}/{path.name}" for path in FILES]

EXPORTED = [
    path
    for path in FILES
    if path.parent.name != "truespec" and "Weather in Delft and Gent?" in path.read_text(errors="replace")
]
"""One conversation as many exporters write it: two parallel calls, their results, the answer."""

TOLD = {"many-calls.jsonl": 5}
"""The files that tell it more than once, in several ways."""

IDENTIFIER = re.compile(
    r'\\?"(?:tool_call_id|toolCallId|tool_use_id|call_id|gen_ai\.tool\.call\.id)\\?"'
    r'\s*:\s*\\?"([^"\\]+)\\?"'
)
"""Fields that refer to a call, anywhere in the text of a file: no parser, no importer."""


def everything(path: Path) -> tuple[list[Trace], TraceFile, list[Problem]]:
    file = TraceFile(path)
    found = list(read_file(file))
    traces = [item for item in found if isinstance(item, Trace)]
    return traces, file, [item for item in found if isinstance(item, Problem)]


@cache
def sample(path: Path) -> tuple[list[Trace], TraceFile, list[Problem]]:
    """What a sample holds, imported once for all laws, none of which changes it."""
    return everything(path)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_every_identifier_of_the_source_is_taken_once_or_in_the_ledger(path: Path) -> None:
    traces, file, _ = sample(path)
    counts = [Counter(call.id for m in trace.messages for call in m.calls) for trace in traces]
    text = (
        gzip.decompress(path.read_bytes()).decode()
        if path.suffix == ".gz"
        else path.read_text(errors="replace")
    )
    for identifier in set(IDENTIFIER.findall(text)):
        assert {count[identifier] for count in counts} - {0} == {1} or identifier in file.ledger.aliases, (
            identifier
        )


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_every_result_answers_a_call_before_it(path: Path) -> None:
    traces, _, problems = sample(path)
    for trace in traces:
        for index, message in enumerate(trace.messages):
            if message.role == "tool":
                told = any(f"message {index}" in problem.position for problem in problems)
                assert (index in trace.origins and trace.origins[index][0] < index) or told


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_seen_is_taken_plus_dropped(path: Path) -> None:
    traces, file, _ = sample(path)
    record = file.ledger.record()
    for unit in UNITS:
        counts = record[unit]
        assert counts["seen"] == counts["taken"] + sum(counts["dropped"].values())
    assert record["calls"]["taken"] == sum(len(m.calls) for t in traces for m in t.messages)
    assert record["results"]["taken"] == sum(m.role == "tool" for t in traces for m in t.messages)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_importing_the_normalised_trace_again_is_the_identity(path: Path, tmp_path: Path) -> None:
    lines = [to_line(trace) for trace in sample(path)[0]]
    copy = tmp_path / "again.jsonl"
    copy.write_text("\n".join(lines) + "\n")
    again, file, _ = everything(copy)
    assert [to_line(trace) for trace in again] == lines
    assert file.ledger.lossless


@pytest.mark.parametrize("path", EXPORTED, ids=[f"{p.parent.name}/{p.name}" for p in EXPORTED])
def test_all_exporters_tell_the_same_conversation(path: Path) -> None:
    told = [trace for trace in sample(path)[0] if any(m.calls for m in trace.messages)]
    assert len(told) == TOLD.get(path.name, 1)
    for trace in told:
        _is_the_conversation(trace)


def _is_the_conversation(trace: Trace) -> None:
    calls = [call for message in trace.messages for call in message.calls]
    assert [(call.name, call.arguments) for call in calls] == [
        ("get_weather", {"city": "Delft"}),
        ("get_weather", {"city": "Gent"}),
    ]
    answers = [trace.messages[trace.results[place]].text for place in sorted(trace.results)]
    spelt = (["21", "18"], ['{"t": 21}', '{"t": 18}'], ['{"result": "21"}', '{"result": "18"}'])
    assert answers in spelt
    users = [m.text for m in trace.messages if m.role == "user"]
    assert users == ["Weather in Delft and Gent?"]
    said = [m.text for m in trace.messages if m.role == "assistant" and m.text]
    assert said[-1:] == ["Delft 21, Gent 18."]
    assert sum(m.role == "tool" for m in trace.messages) == 2


def test_there_are_samples_of_every_exporter() -> None:
    assert len(EXPORTED) >= 20


def test_no_identifier_of_the_real_exports_is_lost() -> None:
    for path in files_below(
        [needs.sources("traces") / name for name in ("langfuse", "phoenix", "claude-code")]
    ):
        traces, file, _ = everything(path)
        taken = {call.id for trace in traces for m in trace.messages for call in m.calls}
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
        for identifier in set(IDENTIFIER.findall(text)):
            assert identifier in taken or identifier in file.ledger.aliases, (path, identifier)


def test_ledger_as_json_and_in_words(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi"}, {"role": "narrator", "content": "x"}]))
    _, file, _ = everything(path)
    record = file.ledger.record()
    assert record["items"] == {
        "seen": 2,
        "taken": 1,
        "dropped": {"unknown role 'narrator'": 1},
        "places": {"unknown role 'narrator'": ["document, message 1"]},
    }
    assert not record["lossless"]
    assert file.ledger.lines()[0] == "items: 2 seen, 1 taken, 1 dropped"
