"""A check says first what could not be evaluated, and fails where that was required."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truespec.cli.main import truespec

RULES = """
- {id: kept, text: t, formal: {template: absence, a: {call: nothing}}}
- {id: writes, text: t, %s formal: {template: absence, a: {call: {type: write}}}}
- {id: judged, text: t, kind: semantic}
- {id: away, text: t, domains: retail, %s formal: {template: absence, a: {call: any}}}
"""


def check(folder: Path, more: str, *options: str, tools: list[dict[str, str]] | None = None) -> Result:
    record: dict[str, object] = {
        "truespec_trace": 1,
        "id": "t",
        "domain": "airline",
        "source": {"format": "x", "file": "f", "sha256": "0", "position": "0"},
        "messages": [
            {"role": "assistant", "calls": [{"name": "drop", "arguments": {}, "id": "c"}]},
            {"role": "tool", "call_id": "c", "text": '{"status": "error"}'},
        ],
    }
    if tools is not None:
        record["tools"] = tools
    (folder / "t.jsonl").write_text(json.dumps(record) + "\n")
    (folder / "r.yml").write_text(RULES % (more, more))
    arguments = ["trace", "check", str(folder / "t.jsonl"), "--rules", str(folder / "r.yml"), *options]
    return CliRunner().invoke(truespec, arguments)


def test_the_table_says_first_what_was_not_evaluated(tmp_path: Path) -> None:
    result = check(tmp_path, "")
    lines = result.output.splitlines()
    assert lines[0] == "NOT EVALUATED on some or all traces: 2 of 3 rules"
    assert "writes: 1 of 1 traces: nobody says which tools read and which write" in lines[1]
    assert "judged: 1 of 1 traces: a semantic rule" in lines[2]
    assert lines[3].split() == ["rule", "broken", "kept", "not", "evaluated", "breaches"]
    assert "1 rules for other domains: away" in lines
    assert "calls that counted as failed: 1 by json" in lines
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("more", "options", "code"),
    [("", ["--fail-on-skipped"], 1), ("required: true,", [], 1), ("required: false,", [], 0)],
)
def test_what_was_not_evaluated_fails_the_check_where_that_is_wanted(
    tmp_path: Path, more: str, options: list[str], code: int
) -> None:
    junit = tmp_path / "j.xml"
    result = check(tmp_path, more, "--junit", str(junit), *options)
    assert result.exit_code == code
    assert ("not evaluated, so the check fails: writes" in result.stderr) == bool(code)
    cases = {case.get("name"): [part.tag for part in case] for case in ET.parse(junit).iter("testcase")}
    expected = ["error"] if "true" in more else ["skipped"]
    assert cases == {"kept": [], "writes": expected, "judged": ["skipped"], "away": ["skipped"]}


def test_sarif_tells_skips_from_rules_for_other_domains(tmp_path: Path) -> None:
    check(tmp_path, "", "--sarif", str(tmp_path / "s.json"))
    (found,) = json.loads((tmp_path / "s.json").read_text())["runs"]
    assert {result["ruleId"]: result["kind"] for result in found["results"]} == {
        "writes": "open",
        "judged": "open",
        "away": "notApplicable",
    }


def test_a_rule_that_is_broken_first_and_then_unknown_is_both(tmp_path: Path) -> None:
    amounts = [200, *(f"{n} or so" for n in range(9))]
    rows = [
        {"messages": [{"role": "assistant", "tool_calls": [call(200), call(amount)]}]} for amount in amounts
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "r.yml").write_text(
        "- {id: cap, text: t, severity: low, required: true, "
        "formal: {template: absence, a: {call: pay, args: {amount: {gt: 100}}}}}"
    )
    junit = tmp_path / "j.xml"
    options = ["--rules", str(tmp_path / "r.yml"), "--junit", str(junit), "--fail-on", "high"]
    result = CliRunner().invoke(truespec, ["trace", "check", str(tmp_path / "t.jsonl"), *options])
    assert result.exit_code == 1
    assert "NOT EVALUATED on some or all traces: 1 of 1 rules" in result.output
    assert "cap (required): 6 of 10 traces: 6 more reasons" in result.output
    assert "violations: 11 low" in result.output
    parts = [[part.tag for part in case] for case in ET.parse(junit).iter("testcase")]
    assert parts == [[], *[["error"]] * 9]


def call(amount: object) -> dict[str, object]:
    made = {"name": "pay", "arguments": json.dumps({"amount": amount})}
    return {"id": str(amount), "type": "function", "function": made}


@pytest.mark.parametrize("own", [None, [{"name": "drop"}]])
def test_types_of_tools_suffice_whatever_the_format_and_its_tools(
    tmp_path: Path, own: list[dict[str, str]] | None
) -> None:
    (tmp_path / "types.json").write_text('{"drop": "write"}')
    types = ("--types", str(tmp_path / "types.json"))
    result = check(tmp_path, "required: true,", *types, "--fail-on", "medium", tools=own)
    assert "NOT EVALUATED on some or all traces: 1 of 3 rules" in result.output
    assert "violations: 1 medium" in result.output
    (tmp_path / "t.jsonl").write_text(
        json.dumps({"messages": [{"role": "assistant", "tool_calls": [call(1)]}]}) + "\n"
    )
    (tmp_path / "types.json").write_text('{"pay": "write"}')
    arguments = ["trace", "check", "-", "--rules", str(tmp_path / "r.yml"), *types, "--fail-on", "medium"]
    text = (tmp_path / "t.jsonl").read_text()
    assert "violations: 1 medium" in CliRunner().invoke(truespec, arguments, input=text).output


def test_what_could_not_be_read_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "r.yml").write_text("- {id: never, text: t, formal: {template: absence, a: {call: pay}}}")
    good = json.dumps({"messages": [{"role": "user", "content": "Hi."}]})
    (tmp_path / "t.jsonl").write_text(f"{good}\n{good[:30]}\n{good}\n")
    (tmp_path / "notes.json").write_text('{"no": "trace"}')
    arguments = ["trace", "check", str(tmp_path / "t.jsonl"), "--rules", str(tmp_path / "r.yml")]
    assert CliRunner().invoke(truespec, [*arguments, "--fail-on", "low"]).exit_code == 0
    strict = CliRunner().invoke(truespec, [*arguments, "--fail-on-skipped"])
    assert strict.exit_code == 1
    assert "not read, so the check fails: 1 problems" in strict.stderr
    (tmp_path / "t.jsonl").write_text(f"{good}\n")
    foreign = [*arguments, str(tmp_path / "notes.json"), "--fail-on-skipped"]
    assert CliRunner().invoke(truespec, foreign).exit_code == 0, "a file of another kind is no trace"
