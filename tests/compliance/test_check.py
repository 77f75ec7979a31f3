"""The command `truespec trace check`: artifacts, resume, exit codes, exports."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from truespec.cli.trace import trace as command
from truespec.compliance.artifact import SCHEMA
from truespec.compliance.roots import rooted
from truespec.compliance.run import artifacts_in
from truespec.compliance.scoring import results_of
from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.verdict import UsageError

RULES = """
- {id: ask-first, text: Ask before you book., severity: high, category: transition, quote: Ask first.,
   formal: {template: precedence, a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
- {id: one-call, text: One call per message., severity: low,
   formal: {template: absence, a: {message: assistant, calls: {min: 2}}}}
- {id: kind, text: Be kind., kind: semantic, category: output}
"""


def conversation(agreed: bool, failed: bool = False) -> list[dict[str, object]]:
    call = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"seat": "12A"}'}}
    return [
        {"role": "system", "content": "Ask first."},
        {"role": "user", "content": "yes" if agreed else "book it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "Error: no seat" if failed else "done"},
        {"role": "assistant", "content": "Booked."},
    ]


def run(tmp_path: Path, *options: str) -> tuple[int, list[dict[str, object]]]:
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(
        command,
        ["check", str(tmp_path / "t.jsonl"), "--rules", str(tmp_path / "r.yml"), "-o", str(out), *options],
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, [json.loads(line) for line in out.read_text().splitlines()]


def prepare(tmp_path: Path) -> None:
    (tmp_path / "r.yml").write_text(RULES)
    lines = [conversation(True), conversation(False), conversation(False, failed=True)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "{broken\n")


def test_artifacts_hold_what_the_contract_asks(tmp_path: Path) -> None:
    prepare(tmp_path)
    code, artifacts = run(tmp_path)
    assert code == 0
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for one in artifacts:
        validator.validate(one)
    good, took, blocked = artifacts
    assert good["aggregate"]["score"] == 100.0  # type: ignore[index]
    assert good["aggregate"]["included"] == ["output_spec", "transition_spec"]  # type: ignore[index]
    for one, effect, score in ((took, "took_effect", 80.0), (blocked, "blocked", 90.0)):
        by_name = {result["evaluator"]: result for result in one["results"]}  # type: ignore[attr-defined]
        (violation,) = by_name["transition_spec"]["violations"]
        assert violation == {
            "rule_id": "ask-first",
            "kind": "transition",
            "message_index": 2,
            "quote": 'book({"seat": "12A"})',
            "severity": "high",
            "effect": effect,
            "root": None,
            "call": 0,
        }
        assert by_name["transition_spec"]["score"] == score
        assert by_name["predicted_plan"]["status"] == "no_rules"
        assert by_name["predicted_plan"]["score"] is None


def test_exit_codes_and_exports(tmp_path: Path) -> None:
    prepare(tmp_path)
    junit, sarif = tmp_path / "j.xml", tmp_path / "s.json"
    code, _ = run(tmp_path, "--fail-on", "high", "--junit", str(junit), "--sarif", str(sarif))
    assert code == 1
    assert run(tmp_path, "--fail-on", "critical")[0] == 0
    suites = ET.parse(junit).getroot()
    assert [suite.get("failures") for suite in suites] == ["0", "1", "1"]
    assert [suite.get("skipped") for suite in suites] == ["1", "1", "1"]
    (found,) = json.loads(sarif.read_text())["runs"]
    broken = [result for result in found["results"] if result.get("kind", "fail") == "fail"]
    assert [result["ruleId"] for result in broken] == ["ask-first", "ask-first"]
    assert len({result["partialFingerprints"]["trace/v1"] for result in broken}) == 2
    skips = [result for result in found["results"] if result.get("kind") == "open"]
    assert [(skip["ruleId"], skip["level"]) for skip in skips] == [("kind", "none")] * 3
    assert "needs a judge" in skips[0]["message"]["text"]


def test_resume_keeps_what_is_there_and_drops_a_cut_line(tmp_path: Path) -> None:
    prepare(tmp_path)
    _, first = run(tmp_path)
    out = tmp_path / "out.jsonl"
    lines = out.read_text().splitlines(keepends=True)
    marked = json.loads(lines[0])
    marked["kept"] = True
    out.write_text(json.dumps(marked) + "\n" + lines[1][:50])
    _, second = run(tmp_path, "--resume")
    assert second[0].pop("kept") is True
    assert second == first
    (tmp_path / "r.yml").write_text(RULES.replace("low", "medium"))
    _, third = run(tmp_path, "--resume")
    assert "kept" not in third[0]


def test_what_a_killed_resume_had_written_counts(tmp_path: Path) -> None:
    prepare(tmp_path)
    _, first = run(tmp_path)
    out = tmp_path / "out.jsonl"
    lines = out.read_text().splitlines(keepends=True)
    marked = json.loads(lines[0])
    marked["kept"] = True
    out.write_text("")
    (tmp_path / "out.jsonl.part").write_text(json.dumps(marked) + "\n" + lines[1][:50])
    _, second = run(tmp_path, "--resume")
    assert second[0].pop("kept") is True
    assert second == first
    assert [path.name for path in tmp_path.glob("out.jsonl*")] == ["out.jsonl"]


def test_foreign_files_in_a_folder_are_counted_not_listed(tmp_path: Path) -> None:
    prepare(tmp_path)
    for number in range(9):
        (tmp_path / f"notes{number}.json").write_text('{"note": 1}')
    found = CliRunner().invoke(command, ["check", str(tmp_path), "--quiet"])
    assert found.stderr.count("of no known format; name it") == 3
    assert "... and 6 more files of no known format" in found.stderr
    named = CliRunner().invoke(command, ["check", *(str(tmp_path / f"notes{n}.json") for n in range(9))])
    assert named.stderr.count("of no known format; name it") == 9


def test_a_folder_gets_one_file_per_trace(tmp_path: Path) -> None:
    prepare(tmp_path)
    result = CliRunner().invoke(
        command, ["check", str(tmp_path / "t.jsonl"), "--pack", "all", "-o", str(tmp_path / "run"), "--quiet"]
    )
    assert result.exit_code == 0
    assert len(list((tmp_path / "run").glob("*.json"))) == 3


def test_unknown_schemas_are_not_a_pass() -> None:
    formal = "{template: absence, a: {call: any, fits_schema: false}}"
    rules = RuleSet(load_rules("- {id: x, text: t, category: argument, formal: " + formal + "}"))
    call = Message("assistant", None, (ToolCall("book", {}),))
    source = Source("test", "f", "0", "0")
    (unknown,) = rules.check(Trace("t", (call,), source))
    assert unknown.status == "not_evaluated"
    (none,) = rules.check(Trace("t", (call,), source, tools=()))
    assert none.status == "fail"
    (known,) = rules.check(
        Trace("t", (call,), source, tools=(ToolSchema("book", {"type": "object", "properties": {}}),))
    )
    assert known.status == "pass"


def test_readings_of_one_rule_point_to_the_first_that_is_broken() -> None:
    from truespec.rules.packs import pack

    call = Message("assistant", None, (ToolCall("book", {}),))
    trace = Trace("t", (call,), Source("test", "f", "0", "0"), tools=(ToolSchema("book", kind="write"),))
    (result,) = [
        r for r in results_of(rooted(RuleSet(pack("confirmation")).check(trace), trace)) if r.violations
    ]
    roots = {v.rule_id: v.root for v in result.violations}
    assert roots.pop("confirm-ever") is None
    assert set(roots.values()) == {"confirm-ever@0"}


def test_standard_input_and_redaction(tmp_path: Path) -> None:
    prepare(tmp_path)
    line = json.dumps(conversation(False)).replace("12A", "ada@example.org")
    out = tmp_path / "out.jsonl"
    options = ["check", "-", "--rules", str(tmp_path / "r.yml"), "-o", str(out), "--redact", "email"]
    result = CliRunner().invoke(command, options, input=line + "\n")
    assert result.exit_code == 0, result.output
    assert "ada@example.org" not in out.read_text()
    assert "<email-1>" in out.read_text()


def test_a_baseline_lets_only_new_violations_fail(tmp_path: Path) -> None:
    prepare(tmp_path)
    base, sarif = str(tmp_path / "base.json"), tmp_path / "s.sarif"
    gate = ("--fail-on", "high", "--baseline", base)
    code, artifacts = run(tmp_path, "--fail-on", "high")
    assert code == 1
    accept = ["accept", str(tmp_path / "out.jsonl"), "-o", base, "--reason", "known since May"]
    shown = CliRunner().invoke(command, accept)
    assert shown.exit_code == 0, shown.output
    again = CliRunner().invoke(command, accept)
    assert "0 of them new" in again.output
    code, marked = run(tmp_path, *gate, "--sarif", str(sarif), "--junit", str(tmp_path / "j.xml"))
    assert code == 0
    assert [one["aggregate"] for one in marked] == [one["aggregate"] for one in artifacts]
    results = [one for one in json.loads(sarif.read_text())["runs"][0]["results"] if "kind" not in one]
    assert results
    assert all(one["suppressions"][0]["justification"] == "known since May" for one in results)
    assert "accepted violations" in (tmp_path / "j.xml").read_text()
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for artifact in marked:
        validator.validate(artifact)
    # A new trace at the end of the same file: the entries above it still hold, its violation is new.
    with (tmp_path / "t.jsonl").open("a") as lines:
        lines.write(json.dumps(conversation(False)) + "\n")
    assert run(tmp_path, *gate)[0] == 1
    # A rule that became graver is not covered.
    (tmp_path / "r.yml").write_text(RULES.replace("severity: high", "severity: critical"))
    prepared = (tmp_path / "t.jsonl").read_text().splitlines()[:3]
    (tmp_path / "t.jsonl").write_text("\n".join(prepared) + "\n")
    assert run(tmp_path, *gate)[0] == 1


def test_accepted_violations_that_no_longer_occur_are_told(tmp_path: Path) -> None:
    prepare(tmp_path)
    run(tmp_path)
    base = str(tmp_path / "base.json")
    CliRunner().invoke(command, ["accept", str(tmp_path / "out.jsonl"), "-o", base])
    lines = [conversation(True), conversation(True)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    check = ["check", str(tmp_path / "t.jsonl"), "--rules", str(tmp_path / "r.yml"), "--baseline", base]
    shown = CliRunner().invoke(command, check)
    assert "1 accepted violations no longer occur, e.g. ask-first at message 2 of" in shown.output
    counts = json.loads(CliRunner().invoke(command, [*check, "--json"]).stdout)
    assert counts["traces"] == 2
    assert counts["rules"]["ask-first"]["pass"] == 2
    assert counts["rules"]["kind"]["not_evaluated"] == 2
    assert len(counts["gone"]) == 1
    assert counts["failed"] is False


def test_a_damaged_baseline_is_named_with_its_entry(tmp_path: Path) -> None:
    prepare(tmp_path)
    base = tmp_path / "base.json"
    for text, said in (
        ("[", "no baseline"),
        ('{"version": 9, "accepted": []}', "version 9"),
        ('{"version": 1, "accepted": [{"fingerprint": "x"}]}', "entry 1"),
        ('{"version": 1, "accepted": [3]}', "entry 1"),
    ):
        base.write_text(text)
        check = ["check", str(tmp_path / "t.jsonl"), "--pack", "loops", "--baseline", str(base)]
        result = CliRunner().invoke(command, check)
        assert said in str(result.exception), result.exception


def test_a_chosen_field_is_hidden_in_artifacts_and_reports(tmp_path: Path) -> None:
    prepare(tmp_path)
    sarif = tmp_path / "s.sarif"
    _, plain = run(tmp_path)
    assert "12A" in json.dumps(plain)
    code, artifacts = run(tmp_path, "--redact-field", "seat", "--sarif", str(sarif))
    assert code == 0
    assert "<field-1>" in json.dumps(artifacts)
    assert "12A" not in json.dumps(artifacts) + sarif.read_text()
    assert [one["aggregate"] for one in artifacts] == [one["aggregate"] for one in plain]


def test_a_bad_pattern_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    prepare(tmp_path)
    check = ["check", str(tmp_path / "t.jsonl"), "--pack", "loops", "--redact-pattern", "x=("]
    assert "no regular expression" in str(CliRunner().invoke(command, check).exception)


def test_a_compact_file_says_the_rules_once_and_reads_the_same(tmp_path: Path) -> None:
    prepare(tmp_path)
    out = tmp_path / "out.jsonl"
    run(tmp_path)
    whole = artifacts_in(out)
    code, lines = run(tmp_path, "--compact")
    assert code == 0
    assert [len(lines), len(whole)] == [4, 3]
    assert artifacts_in(out) == whole
    before = out.read_text()
    run(tmp_path, "--compact", "--resume")
    assert out.read_text() == before
    run(tmp_path, "--resume")  # and back
    assert artifacts_in(out) == whole
    out.write_text("".join(before.splitlines(keepends=True)[1:]))
    with pytest.raises(UsageError, match="rule set"):
        artifacts_in(out)


def test_a_folder_cannot_be_compact(tmp_path: Path) -> None:
    prepare(tmp_path)
    check = [
        "check",
        str(tmp_path / "t.jsonl"),
        "--pack",
        "loops",
        "--compact",
        "-o",
        str(tmp_path / "folder"),
    ]
    assert "--compact" in str(CliRunner().invoke(command, check).exception)
