"""Violations for continuous integration: JUnit XML and SARIF 2.1.0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from truespec.version import __version__

_LEVELS = {"low": "note", "medium": "warning", "high": "error", "critical": "error"}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _clean(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def junit(artifacts: Iterable[Mapping[str, Any]], least: frozenset[str]) -> str:
    """A test suite for each trace, a test case for each rule; only severities in `least` fail.

    Accepted violations do not fail; a rule with no others says how many there are. A rule that was not
    evaluated, or not to the end, is skipped, or an error where it says that it is required.
    """
    suites = []
    for one in artifacts:
        by_rule: dict[str, list[Mapping[str, Any]]] = {}
        for result in one["results"]:
            for v in result["violations"]:
                by_rule.setdefault(v["rule_id"], []).append(v)
        cases, failures, skipped, errors = [], 0, 0, 0
        required = {rule["id"] for rule in one["rules"] if rule.get("required")}
        name = quoteattr(_clean(f"{one['source']['file']}#{one['trace_id']}"))
        for check in one["checks"]:
            head = f"<testcase classname={name} name={quoteattr(_clean(check['rule_id']))}"
            counted = [v for v in by_rule.get(check["rule_id"], ()) if v["severity"] in least]
            broken = [v for v in counted if "accepted" not in v]
            reason = quoteattr(_clean(check.get("reason", "")))
            if broken:
                failures += 1
                lines = "\n".join(
                    f"message {v['message_index']} ({v['effect']}): {v['quote']}" for v in broken
                )
                cases.append(
                    f"{head}><failure message={quoteattr(f'{len(broken)} breaches')}>{escape(_clean(lines))}"
                    "</failure></testcase>"
                )
            elif "reason" in check and check["rule_id"] in required and not check.get("elsewhere"):
                errors += 1
                cases.append(f'{head}><error type="not evaluated" message={reason}/></testcase>')
            elif "reason" in check:
                skipped += 1
                cases.append(f"{head}><skipped message={reason}/></testcase>")
            elif counted:
                said = escape(f"{len(counted)} accepted violations")
                cases.append(f"{head}><system-out>{said}</system-out></testcase>")
            else:
                cases.append(f"{head}/>")
        suites.append(
            f'<testsuite name={name} tests="{len(cases)}" failures="{failures}" errors="{errors}" '
            f'skipped="{skipped}">' + "".join(cases) + "</testsuite>"
        )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="truespec">'
    return head + "\n".join(suites) + "</testsuites>\n"


def sarif(artifacts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One run with a result for each violation; locations name the trace's file, record and message.

    A rule that was not evaluated is a result of kind `open`, or `notApplicable` where it is for other
    domains.
    """
    rules: dict[str, dict[str, Any]] = {}
    results = []
    for one in artifacts:
        for rule in one["rules"]:
            rules.setdefault(
                rule["id"],
                {
                    "id": rule["id"],
                    "shortDescription": {"text": rule["text"]},
                    "defaultConfiguration": {"level": _LEVELS[rule["severity"]]},
                    "properties": {"category": rule["category"], "force": rule["force"]},
                },
            )
        for result in one["results"]:
            for v in result["violations"]:
                place = f"{one['source'].get('position', '')}/messages/{v['message_index']}"
                results.append(
                    {
                        "ruleId": v["rule_id"],
                        "level": _LEVELS[v["severity"]],
                        "message": {
                            "text": f"{rules[v['rule_id']]['shortDescription']['text']} Found: {v['quote']}"
                        },
                        "locations": [
                            {
                                "physicalLocation": {"artifactLocation": {"uri": one["source"]["file"]}},
                                "logicalLocations": [{"fullyQualifiedName": place, "kind": "element"}],
                            }
                        ],
                        "partialFingerprints": {
                            "trace/v1": f"{one['source']['sha256']}:{place}:{v['rule_id']}:{v.get('call')}"
                        },
                        "properties": {
                            "effect": v["effect"],
                            "severity": v["severity"],
                            "trace": one["trace_id"],
                        },
                        **_suppression(v),
                    }
                )
        results += [_skip(one, check) for check in one["checks"] if "reason" in check]
    driver = {"name": "truespec", "version": __version__, "rules": list(rules.values())}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "results": results,
            }
        ],
    }


def _suppression(violation: Mapping[str, Any]) -> dict[str, Any]:
    """How SARIF says that a violation is accepted."""
    if "accepted" not in violation:
        return {}
    reason = violation["accepted"]
    return {"suppressions": [{"kind": "external", **({"justification": reason} if reason else {})}]}


def _skip(one: Mapping[str, Any], check: Mapping[str, Any]) -> dict[str, Any]:
    """A rule that was not evaluated on a trace."""
    place = str(one["source"].get("position", ""))
    return {
        "ruleId": check["rule_id"],
        "kind": "notApplicable" if check.get("elsewhere") else "open",
        "level": "none",
        "message": {"text": f"Not evaluated: {check.get('reason', '')}"},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": one["source"]["file"]}},
                "logicalLocations": [{"fullyQualifiedName": place, "kind": "element"}],
            }
        ],
        "properties": {"trace": one["trace_id"]},
    }
