"""Scripted judges of traces: what they answer is known."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from truespec.models.call import Call

ITEM = re.compile(r'<item id="([^"]+)"')
SAID = re.compile(r'<message index="(\d+)" role="assistant">\n([^<\n]{5,60})')


def answer(score: float, *violations: dict[str, Any]) -> str:
    body = {"checklist": [], "violations": list(violations), "score": score, "reasoning": "As scripted."}
    return f"I looked.\n```json\n{json.dumps(body)}\n```\n"


def content(call: Call) -> str:
    """What a judge reads before anything was sent back to it."""
    return call.prompt.split("<rejected_answer>")[0]


def perfect(call: Call) -> str:
    """Nothing is ever wrong."""
    return answer(100)


def picky(call: Call) -> str:
    """Something is wrong with the last thing the agent said in each part."""
    found = SAID.findall(content(call))
    if not found:
        return answer(100)
    index, quote = found[-1]
    item = ITEM.findall(call.prompt)[0]
    return answer(96, violation(item, int(index), html.unescape(quote)))


def no_step(call: Call) -> str:
    """The first step of a plan was not made; all else is right."""
    if 'id="step-1"' not in call.prompt:
        return answer(100)
    index, quote = SAID.findall(content(call))[-1]
    return answer(70, violation("step-1", int(index), html.unescape(quote), "high"))


def violation(item: str, index: int, quote: str, severity: str = "low", **more: Any) -> dict[str, Any]:
    return {
        "rule_id": item,
        "kind": "other",
        "message_index": index,
        "quote": quote,
        "severity": severity,
        **more,
    }


def liar(call: Call) -> str:
    """Cites what nobody said."""
    return answer(50, violation(ITEM.findall(call.prompt)[0], 0, "nobody ever said so"))


def repentant(call: Call) -> str:
    """Lies until it is told off."""
    return picky(call) if "<rejected_answer>" in call.prompt else liar(call)


def silent(call: Call) -> str:
    """Says nothing of use."""
    return "I would rather not."


def broken(call: Call) -> str:
    """Fails for good, so that nothing waits to try again."""
    raise RuntimeError("the line is dead")


def nosy(call: Call) -> str:
    """Fails where it is told an address."""
    assert "example.org" not in call.prompt
    return answer(100)


def always_three(call: Call) -> str:
    """A judge of the benchmark to whom everything is right."""
    return "```\n3\n```"
