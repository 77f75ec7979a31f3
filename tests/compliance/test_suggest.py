"""Proposals against violations: each replayed over the same traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.compliance.suggest import Repair, repairs
from truespec.rules.language import load_rules
from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace

ASK = """
- {id: ask-first, text: Ask before you book., formal: {template: precedence,
   a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
"""
SMALL = """
- {id: small, text: Refunds stay below 100., formal: {template: absence,
   a: {call: refund, args: {amount: {gt: 100}}}}}
"""
OWED = """
- {id: bye, text: Say goodbye., formal: {template: existence,
   a: {message: assistant, text: {words: ["bye"]}}}}
"""


def call(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
    }


def done(number: int) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": "ok"}


def write(folder: Path, *conversations: list[dict[str, Any]]) -> Path:
    path = folder / "log.jsonl"
    lines = [json.dumps({"id": f"t{n}", "messages": c}) for n, c in enumerate(conversations)]
    path.write_text("\n".join(lines) + "\n")
    return path


def proposed(path: Path, rules: str) -> Repair:
    traces = [item for item in read(path) if isinstance(item, Trace)]
    (repair,) = repairs(traces, load_rules(rules))
    return repair


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_guard_is_replayed(tmp_path: Path) -> None:
    bad = [user("Book."), call("book", 1), done(1)]
    good = [user("Book."), {"role": "assistant", "content": "Sure?"}, user("yes"), call("book", 1), done(1)]
    repair = proposed(write(tmp_path, bad, good, bad), ASK)
    assert (repair.traces, repair.violations, repair.checked) == (2, 2, 3)
    guard = repair.proposals[0]
    assert (guard.kind, guard.verified, guard.refused) == ("guard", True, ())
    assert guard.prevented == ("t0: ask-first@1", "t2: ask-first@1")
    assert "schema" not in {proposal.kind for proposal in repair.proposals}, "it is about what came before"
    assert repair.proposals[-1].kind == "prompt"
    assert not repair.proposals[-1].verified


def test_a_schema_refuses_what_breaks_and_nothing_else(tmp_path: Path) -> None:
    talks = [
        [user("Refund."), call("refund", 1, amount=amount, why="x"), done(1)]
        for amount in (5, 20, 30, 60, 90, 100, 250, 4000)
    ]
    repair = proposed(write(tmp_path, *talks), SMALL)
    (schema,) = [proposal for proposal in repair.proposals if proposal.kind == "schema"]
    assert schema.change["parameters"] == {"type": "object", "properties": {"amount": {"maximum": 100}}}
    assert schema.prevented == ("t6: small@1", "t7: small@1")
    assert schema.refused == ()


def test_what_is_owed_at_the_end_is_no_matter_of_a_guard(tmp_path: Path) -> None:
    repair = proposed(write(tmp_path, [user("Hi."), {"role": "assistant", "content": "Hello."}]), OWED)
    assert [proposal.kind for proposal in repair.proposals] == ["prompt"]


def test_the_prompt_is_quoted_where_it_says_the_rule_already(tmp_path: Path) -> None:
    told = {"role": "system", "content": "You book seats.  Ask before\nyou book."}
    repair = proposed(write(tmp_path, [told, user("Book."), call("book", 1), done(1)]), ASK)
    words = repair.proposals[-1]
    assert words.text.startswith("The prompt says it and it was broken")
    assert words.change["quote"] == "Ask before you book."


def test_the_command_prints_and_writes_records(tmp_path: Path) -> None:
    log = write(tmp_path, [user("Book."), call("book", 1), done(1)])
    rules = tmp_path / "rules.yml"
    rules.write_text(ASK)
    usual = ["trace", "suggest", str(log), "--rules", str(rules)]
    shown = CliRunner().invoke(truespec, usual)
    assert shown.exit_code == 0
    assert "replayed: prevents 1 of 1" in shown.stdout
    record = json.loads(CliRunner().invoke(truespec, [*usual, "--json"]).stdout)
    assert record["rule_id"] == "ask-first"
    assert record["proposals"][0]["prevented_in"] == ["t0: ask-first@1"]
