"""Every importer: its golden samples, its detection, and what damage costs."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import needs
from truespec.rules.monitor import RuleSet
from truespec.rules.packs import all_packs
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import IMPORTERS, detect, files_below, read
from truespec.traces.peek import peek
from truespec.traces.record import SCHEMA, from_record, to_line, to_record
from truespec.traces.trace import Trace

SAMPLES = Path(__file__).parent / "samples"
FILES = [path for path in files_below([SAMPLES]) if not path.name.startswith("expected")]
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))


def traces_of(path: Path) -> list[Trace]:
    return [trace for trace in read(path) if isinstance(trace, Trace)]


def test_every_format_has_a_sample() -> None:
    assert {path.parent.name for path in FILES} == set(IMPORTERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_golden_sample(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES)
    relative = path.relative_to(SAMPLES)
    assert detect(TraceFile(relative)) == path.parent.name
    lines = [to_line(trace) if isinstance(trace, Trace) else str(trace) for trace in read(relative)]
    golden = path.parent / f"expected.{path.name}.lines"
    if os.environ.get("TRUESPEC_UPDATE_SNAPSHOTS"):
        golden.write_text("\n".join(lines) + "\n")
    assert "\n".join(lines) + "\n" == golden.read_text()
    for trace in traces_of(relative):
        record = json.loads(to_line(trace))
        VALIDATOR.validate(record)
        assert to_record(from_record(record)) == record


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_calls_meet_their_results(path: Path) -> None:
    for trace in traces_of(path):
        for index, message in enumerate(trace.messages):
            if message.role == "tool" and message.call_id is not None:
                assert index in trace.origins, (trace.id, message)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_truncation_is_reported_and_never_crashes(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    for part in (0.0, 0.3, 0.6, 0.9, 0.99):
        cut = tmp_path / path.name
        cut.write_bytes(data[: int(len(data) * part)])
        found = list(read(cut, form=path.parent.name))
        if part:
            assert any(isinstance(item, Problem) for item in found) or len(found) <= len(list(read(path)))
        for item in found:
            str(item) if isinstance(item, Problem) else to_line(item)


def _runs(count: int) -> bytes:
    sample = json.loads((SAMPLES / "tau2/sample.json").read_text())
    (run,) = sample["simulations"]
    sample["simulations"] = [{**run, "id": f"s{i}"} for i in range(count)]
    return json.dumps(sample).encode()


@pytest.mark.parametrize("packed", [False, True])
def test_a_cut_file_loses_only_its_last_record(tmp_path: Path, packed: bool) -> None:
    data = _runs(20)
    path = tmp_path / "runs.json"
    if packed:
        data = gzip.compress(data, mtime=0)
        path = tmp_path / "runs.json.gz"
        path.write_bytes(data[:-30])
    else:
        path.write_bytes(data[:-200])
    found = list(read(path))
    assert [trace.id for trace in found if isinstance(trace, Trace)][:15] == [f"s{i}" for i in range(15)]
    assert any(isinstance(item, Problem) for item in found)


def test_a_damaged_record_in_the_middle_costs_only_itself(tmp_path: Path) -> None:
    data = _runs(20)
    at = data.index(b'"id": "s7"')
    path = tmp_path / "runs.json"
    path.write_bytes(data[: at + 40] + b"\x00\xff{{]" + data[at + 46 :])
    found = list(read(path))
    assert [t.id for t in found if isinstance(t, Trace)] == [f"s{i}" for i in range(20) if i != 7]
    (problem,) = [item for item in found if isinstance(item, Problem)]
    assert "record 7" in problem.position
    assert [t.model for t in found if isinstance(t, Trace)] == ["m-1"] * 19


def test_a_damaged_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    good = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    path.write_bytes(f"{good}\n{good[:-4]}\n{good}\n".encode() + b'{"messages": "\xff"}\n' + good.encode())
    found = list(read(path))
    assert [type(item) for item in found] == [Trace, Problem, Trace, Problem, Trace]
    assert "line 2" in str(found[1])
    assert "line 4" in str(found[3])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[",
        '{"a": [1, {"b": "c',
        "[1, 2",
        "nul",
        '"',
        "[[[[",
        '{"a":',
        '{"a"',
        "}",
        "\x00",
        "[" * 100_000,
    ],
)
def test_peek_never_fails(text: str) -> None:
    peek(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2, {"b": "]}"', {"a": [1, 2, {}]}),
        ('{"a": "x", "b": [1, 2', {"a": "x", "b": [1]}),
        ('[{"a": "\\"]"}, "cut', [{"a": '"]'}]),
        ('{"a": 1}\n{"b": [', {"a": 1}),
        ('"c": [1', "c"),
        ("[1, {]", [1, {}]),
        ('{"a": ["b" "c", {', {"a": ["b"]}),
    ],
)
def test_peek_reads_as_far_as_the_text_goes(text: str, value: object) -> None:
    assert peek(text) == value


def test_hostile_texts_survive_the_record(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        '[{"role": "user", "content": "\\ud800 \\u0000 \\u202e"}, {"role": "assistant", "content": 1e999}]'
    )
    (trace,) = traces_of(path)
    assert json.loads(to_line(trace))["messages"][0]["text"] == "\ud800 \x00 \u202e"


def test_all_samples_of_the_sources_import() -> None:
    root = needs.sources("traces")
    silent = (
        "ground_truth",
        "provenance",
        "annotations",
        "judges",
        "static_tau",
        "tau_retail.json",
        "magentic-one_info",
        "otel/gen-ai",
    )
    counts: dict[str, int] = {}
    for path in files_below([root]):
        found = list(read(path))
        if any(word in str(path) for word in silent):
            assert all(isinstance(item, Problem) for item in found), path
            continue
        assert found, path
        for item in found:
            if isinstance(item, Trace):
                counts[item.source.format] = counts.get(item.source.format, 0) + 1
            else:  # kept whole, and something about it said
                known = ("answers no call", "answer no call", "without any message", "in no message")
                assert any(words in item.message for words in known), item
    assert counts["tau2"] == 819
    assert counts["tau-bench"] == 481 + 100 + 29 + 7
    assert counts["trail"] == 34
    assert counts["langfuse"] == 20


def test_every_annotated_location_resolves() -> None:
    root = needs.sources("traces/trail")
    resolved = 0
    for folder, notes in (("GAIA", "gaia"), ("SWE_Bench", "swe_bench")):
        for path in sorted((root / folder).iterdir()):
            (trace,) = traces_of(path)
            note = json.loads(
                (root / f"processed_annotations_{notes}" / path.name.removesuffix(".gz")).read_text()
            )
            for error in note["errors"]:
                index = trace.locate(error["location"])
                assert index is not None
                assert 0 <= index < len(trace.messages)
                resolved += 1
    assert resolved == 173


HOSTILE: list[Any] = [None, 3, "x", [], {}, True, [1], {"a": 1}, -1.5, "\ud800", [None], [[]], 10**30]


def mutated(value: object, rng: random.Random) -> object:
    """One place of a JSON value changed or dropped."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: mutated(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], mutated(value[at], rng), *value[at + 1 :]]
    return rng.choice(HOSTILE)


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet(all_packs())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_hostile_values_become_problems_and_never_crash(path: Path, tmp_path: Path, rules: RuleSet) -> None:
    rng = random.Random(path.name)
    copy = tmp_path / path.name
    several = (".eval", ".jsonl", ".csv", ".md", ".yaml", ".yml")
    raw = path.read_bytes()
    value = None if path.suffix in several or path.name.startswith("console") else json.loads(raw)
    for _ in range(20):
        data = bytearray(raw)
        if value is None:
            for _ in range(3):
                data[rng.randrange(len(data))] = rng.randrange(256)
        else:
            data = bytearray(json.dumps(mutated(value, rng)).encode())
        copy.write_bytes(data)
        for item in read(copy, form=path.parent.name):
            if isinstance(item, Trace):
                to_line(item)
                for finding in rules.check(item):
                    assert finding.violations or finding.status != "fail"
