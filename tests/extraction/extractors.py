"""Scripted extractors: what they find is known."""

from __future__ import annotations

import json
from typing import Any

from benchmarks._rule_readers import reply_of

from truespec.models.call import Call
from truespec.rules.language import load_rules
from truespec.rules.rule import Rule

PROMPT = """You help customers of a shop.
Never send text and make a tool call in the same message.
You must authenticate the user with find_user before you change anything.
After you have transferred the user, make no further call.
Be polite at all times. You should try to be brief.
"""

ONE_AT_A_TIME = {"template": "absence", "a": {"message": "assistant", "says": True, "calls": {"min": 1}}}
WHO_FIRST = {
    "template": "precedence",
    "a": {"result": "find_user", "ok": True},
    "b": {"call": {"type": "write"}},
}

OUTPUT: list[dict[str, Any]] = [
    {
        "id": "text-xor-call",
        "text": "A message holds text or a call, not both.",
        "quote": "Never send text and make a\n tool call in the same message.",
        "force": "mandatory",
        "severity": "low",
        "formal": ONE_AT_A_TIME,
    },
    {
        "id": "polite",
        "text": "Be polite.",
        "quote": "Be polite at all times.",
        "severity": "low",
        "violation": "rudeness",
        "formal": None,
        "why_semantic": "politeness is no event",
    },
    {
        "id": "brief",
        "text": "Be brief.",
        "quote": "You should try to be brief.",
        "force": "advisory",
        "formal": {"template": "absence", "a": {"mesage": "assistant"}},
    },
    {"id": "made-up", "text": "Always apologise.", "quote": "Always apologise to the user.", "formal": None},
    {"id": "no-quote", "text": "Be nice."},
]
TRANSITION: list[dict[str, Any]] = [
    {
        "id": "who-first",
        "text": "Find the user before any change.",
        "quote": "You must authenticate the user with find_user before you change anything.",
        "severity": "critical",
        "violation": "skipped_authentication",
        "formal": WHO_FIRST,
    },
    {
        "id": "silent-after",
        "text": "No call after a transfer.",
        "quote": "After you have transferred the user, make no further call.",
        "formal": {
            "template": "not_succession",
            "a": {"result": "transfer_user", "ok": True},
            "b": {"call": "any"},
        },
    },
    {
        "id": "never-both",
        "text": "Text excludes calls.",
        "quote": "Never send text and make a tool call in the same message.",
        "formal": {"formula": "G !both", "define": {"both": ONE_AT_A_TIME["a"]}},
    },
    {
        "id": "empty",
        "text": "Anything goes.",
        "quote": "You help customers of a shop.",
        "formal": {"template": "existence", "n": 0, "a": {"call": "find_user"}},
    },
]
EDGES = [
    {
        "from": "cancel_order",
        "to": "cancel_order",
        "reason": "One change at a time.",
        "quote": "change anything.",
    },
    {"from": "cancel_order", "to": "fly", "reason": "No.", "quote": "You help customers of a shop."},
]
PLAN = {
    "steps": [
        {"tool": "find_user", "arguments": {"email": "ann@example.org"}, "after": []},
        {"tool": "cancel_order", "arguments": {"order_id": "W1", "reason": "invented 99"}, "after": [1]},
        {"tool": "teleport", "arguments": {}},
    ]
}
STATE = {
    "facts": [
        {"path": "orders.W1.status", "value": "open"},
        {"path": "orders.W1.refund", "value": 12345},
        {"path": "orders.W1.locked", "value": False},
    ]
}


def formal_of(name: str) -> dict[str, Any]:
    """The formal part of a rule, as it was extracted."""
    for one in (*OUTPUT, *TRANSITION):
        if one["id"] == name:
            return dict(one["formal"])
    assert name == "no-cancel-order-then-cancel-order"
    end = {"call": "cancel_order"}
    return {"template": "forbidden_edge", "a": end, "b": end}


def truth_of(name: str) -> Rule:
    """The rule, as a monitor checks it."""
    (rule,) = load_rules(json.dumps([{"id": name, "text": "t", "formal": formal_of(name)}]))
    return rule


def good(call: Call) -> str:
    """Answers each question as above; formalises again alike, and reads conversations right."""
    name, *place = call.subject.split("/")[1:]
    if name in ("formalise", "settle", "read_back"):
        rule = truth_of(place[1])
        answer = reply_of(call, rule)
        return json.dumps({"formal": formal_of(rule.id), "answer": answer, "kept": answer})
    body: Any = {
        "output": {"rules": OUTPUT},
        "transition": {"rules": TRANSITION},
        "forbidden_edge": {"edges": EDGES},
        "plan": PLAN,
        "final_state": STATE,
    }[name]
    return f"Here it is.\n```json\n{json.dumps(body)}\n```"


def empty(call: Call) -> str:
    """Finds nothing."""
    kind = call.subject.split("/")[1]
    return json.dumps(
        {{"forbidden_edge": "edges", "plan": "steps", "final_state": "facts"}.get(kind, "rules"): []}
    )


def mumbling(call: Call) -> str:
    """Never answers in form."""
    return "There are several rules."


def judge(call: Call) -> str:
    """Extracts when asked to, and judges all to be well."""
    if call.subject.startswith("extract/"):
        return good(call)
    return json.dumps({"checklist": [], "violations": [], "score": 100, "reasoning": "fine"})
