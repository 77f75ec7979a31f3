"""What `sql diff` found as SARIF 2.1.0, which code review shows beside the changed lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from truespec.executors.sql_diff import Change
from truespec.verdict import Answer, Counterexample
from truespec.version import __version__

LEVELS = {
    "refuted": "error",
    "invalid": "error",
    "unknown": "warning",
    "not compared": "warning",
    "added": "note",
    "removed": "note",
}
"""The level of each outcome that is worth a line; equivalent and unchanged queries have none."""

RULES = {
    "refuted": "The query returns other rows than before on some legal database.",
    "invalid": "The engine rejects the query.",
    "unknown": "Whether the query means the same as before was not decided.",
    "not compared": "The statement was not compared.",
    "added": "The statement is new: there is none to compare it with.",
    "removed": "The statement is gone: there is none to compare it with.",
}


def to_sarif(changes: Iterable[Change]) -> str:
    """One run with a result for each statement that is not, or not known to be, the same as before."""
    results = [result for change in changes if (result := _result(change))]
    rules = [
        {"id": f"sql-{name.replace(' ', '-')}", "shortDescription": {"text": text}}
        for name, text in RULES.items()
    ]
    driver = {"name": "truespec", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _result(change: Change) -> dict[str, Any] | None:
    name = change.verdict.answer.value if change.verdict else change.kind
    if name not in LEVELS:
        return None
    region = {"startLine": change.new_line or 1}
    place = {"artifactLocation": {"uri": change.file}, "region": region}
    return {
        "ruleId": f"sql-{name.replace(' ', '-')}",
        "level": LEVELS[name],
        "message": {"text": _message(change)},
        "locations": [{"physicalLocation": place}],
    }


def _message(change: Change) -> str:
    verdict = change.verdict
    if verdict is None:
        return change.detail or f"{RULES[change.kind]}\n{change.text}"
    if verdict.answer is Answer.REFUTED and isinstance(verdict.evidence, Counterexample):
        found = verdict.evidence
        script = found.point.get("script")
        values = f"old: {found.oracle_value}\nnew: {found.candidate_value}"
        return f"Other rows than before on this database:\n{script}{values}"
    return f"{verdict.reason.code.value}: {verdict.reason.detail}" if verdict.reason else verdict.answer.value
