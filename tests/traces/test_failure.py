"""Which results tell a failure, and how rule files decide it for a tool."""

from __future__ import annotations

import pytest

from truespec.compliance.artifact import artifact
from truespec.rules.failures import Failures, failures_of
from truespec.rules.language import load_rules
from truespec.rules.monitor import Monitor, RuleSet
from truespec.traces import Message, Source, ToolCall, Trace
from truespec.traces.failure import failure_of
from truespec.verdict import SpecificationError, UsageError

TELLING = [
    ("Error: no seat", "text"),
    ('{"error": "no seat"}', "json"),
    ('{"errors": [{"message": "x"}], "data": null}', "json"),
    ('{"isError": true, "content": []}', "json"),
    ('{"status": "error", "detail": 1}', "json"),
    ('{"status": "FAILED"}', "json"),
    ('{"statusCode": 404}', "json"),
    ('{"success": false}', "json"),
    ('{"stdout": "", "exit_code": 2}', "exit_code"),
    ("some output\n[Command finished with exit code 1]", "exit_code"),
    ("<returncode>\nExit code: 127", "exit_code"),
    ("Traceback (most recent call last):\n  File x\nValueError: no", "traceback"),
    ("ERROR: no seat", "text"),
    ("\n Error: no seat", "text"),
    ("MCP error -32602: no seat", "text"),
    ("An error occurred while running the tool. Please try again. Error: no seat", "text"),
    ("Tool 'book' timed out after 3 seconds.", "text"),
    ("<tool_use_error>no seat</tool_use_error>", "text"),
    ('{"Error": "no seat"}', "json"),
    ('{"is_error": "true"}', "json"),
    ('{"success": "False"}', "json"),
    ('{"status": "503"}', "json"),
    ('{"exitCode": "1"}', "exit_code"),
    ("java.lang.IllegalStateException: no seat\n\tat a.B.c(B.java:1)", "traceback"),
    ("TypeError: x is not a function\n    at Object.<anonymous> (a.js:1:1)", "traceback"),
    ("panic: no seat\n\ngoroutine 1 [running]:", "traceback"),
    ("log\nTraceback (most recent call last):\n  File x\npkg.mod.SeatError: no", "traceback"),
]
SILENT = [
    None,
    "",
    "ok",
    "No error was found",
    '{"error": null}',
    '{"errors": [], "data": {"a": 1}}',
    '{"status": "Suspended"}',
    '{"status": 200}',
    '{"order": {"status": "error"}}',
    '{"success": true, "error": ""}',
    '{"exit_code": 0, "stdout": "exit code: 3"}',
    '{"status": "4042", "success": "yes", "exitCode": "0"}',
    "ERRORS are few",
    "An Error is explained\n    at length",
    "exit code 1 was seen before\nexit code: 0",
    "The page explains what\nTraceback (most recent call last):\nmeans.",
    '{"error": ' + "[" * 5000,
]


@pytest.mark.parametrize(("text", "by"), TELLING)
def test_results_that_tell_a_failure(text: str, by: str) -> None:
    failure = failure_of(text)
    assert failure is not None
    assert failure.by == by
    assert failure.evidence
    assert Message("tool", text).failed
    assert not Message("tool", text, error=False).failed


@pytest.mark.parametrize("text", SILENT)
def test_results_that_tell_none(text: str | None) -> None:
    assert failure_of(text) is None
    assert Message("tool", text, error=True).failed


RULES = """
truespec_rules: 1
failures:
  book: {text: {words: [declined]}}
  look: never
  "*": [json]
rules:
  - {id: once, text: Book once., formal: {template: absence, n: 1, a: {result: book, ok: true}}}
"""


def talk(*answers: tuple[str, str]) -> Trace:
    messages = []
    for n, (tool, text) in enumerate(answers):
        messages += [
            Message("assistant", None, (ToolCall(tool, {}, str(n)),)),
            Message("tool", text, call_id=str(n)),
        ]
    return Trace("t", tuple(messages), Source("test", "f", "0", "0"))


def test_a_rule_file_says_what_a_failure_of_a_tool_is() -> None:
    rules = load_rules(RULES)
    trace = talk(
        ("book", "declined"), ("book", "Error 12 is your code"), ("look", '{"error": 1}'), ("x", "Error")
    )
    (finding,) = RuleSet(rules).check(trace)
    assert finding.status == "pass"
    (again,) = RuleSet(rules).check(talk(("book", "Error 12"), ("book", "ok")))
    assert [v.message_index for v in again.violations] == [3]
    assert [v.effect for v in again.violations] == ["took_effect"]
    counted = artifact(trace, [finding])["failed_calls"]
    assert counted == [{"message_index": 1, "tool": "book", "by": "rule file", "evidence": "declined"}]
    monitor = Monitor(rules)
    found = [v for message in trace.messages for v in monitor.observe(message)]
    assert found == []
    assert [v.rule_id for v in monitor.would_break(Message("tool", "ok", tool="book"))] == ["once"]


def test_sources_differ() -> None:
    answer = Message("tool", '{"status": "error"}', tool="x")
    assert Failures().of(answer, "x", "openai") is not None
    assert Failures().of(answer, "x", "tau2") is None
    assert Failures().settled(answer, "x", "tau2").failed is False


@pytest.mark.parametrize("setting", ["{x: [flags]}", "{x: 3}", "[x]", "{x: {text: {matches: '('}}}"])
def test_a_wrong_setting_is_refused(setting: str) -> None:
    with pytest.raises(SpecificationError, match="failures"):
        load_rules(f"failures: {setting}\nrules: []", "r.yml")


def test_files_that_contradict_each_other_are_refused() -> None:
    other = RULES.replace("look: never", "look: [json]").replace("id: once", "id: twice")
    with pytest.raises(UsageError, match=r"'once' and 'twice'.*'look'"):
        failures_of([*load_rules(RULES), *load_rules(other)])
