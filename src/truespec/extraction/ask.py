"""What an extractor is asked, one question for each kind of specification."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from truespec.judges.structured import tagged
from truespec.models.call import Call, Settings
from truespec.rules.rule import FORCES, SEVERITIES, VIOLATIONS
from truespec.traces.trace import ToolSchema, Trace

POLICY = ("output", "transition", "forbidden_edge")
"""What is extracted once for each prompt and set of tools."""
EXTRACTING = Settings(temperature=0.0, reasoning_effort=None)
"""How extractors are asked by default."""
_RULE = """{
  "rules": [
    {"id": "short-name", "text": "the rule in a sentence", "quote": "exact words", "force": "mandatory",
     "severity": "medium", "violation": "", "formal": null, "why_semantic": "what a program cannot see"}
  ]
}"""
_EDGE = """{
  "edges": [
    {"from": "tool", "to": "tool", "reason": "in a sentence", "quote": "exact words", "force": "mandatory",
     "severity": "medium"}
  ]
}"""
_PLAN = """{
  "steps": [
    {"tool": "get_order", "arguments": {"order_id": "W1"}, "text": "what for", "after": [], "changes": false}
  ]
}"""
_STATE = '{\n  "facts": [{"path": "orders.W1.status", "value": "cancelled"}]\n}'
_ANSWERS = {"forbidden_edge": _EDGE, "plan": _PLAN, "final_state": _STATE}


_TEXT = {"type": "string"}
_FORMS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "plan": (
        "steps",
        {
            "tool": _TEXT,
            "arguments": {"type": "object"},
            "text": _TEXT,
            "after": {"type": "array", "items": {"type": "integer"}},
            "changes": {"type": "boolean"},
        },
        ["tool", "arguments"],
    ),
    "final_state": ("facts", {"path": _TEXT, "value": _TEXT}, ["path", "value"]),
    "forbidden_edge": (
        "edges",
        {"from": _TEXT, "to": _TEXT, "reason": _TEXT, "quote": _TEXT},
        ["from", "to", "reason", "quote"],
    ),
}
_RULES = (
    "rules",
    {
        "id": _TEXT,
        "text": _TEXT,
        "quote": _TEXT,
        "force": {"enum": list(FORCES)},
        "severity": {"enum": list(SEVERITIES)},
        "formal": {"type": ["object", "null"]},
        "why_semantic": _TEXT,
    },
    ["id", "text", "quote", "force", "severity"],
)


def _schema(category: str) -> str:
    """The JSON Schema of an answer, for servers that can hold a reply to one."""
    name, properties, required = _FORMS.get(category, _RULES)
    item = {"type": "object", "properties": properties, "required": required}
    listed = {name: {"type": "array", "items": item, "maxItems": 100}}
    return json.dumps({"type": "object", "properties": listed, "required": [name]})


@cache
def system_of(category: str) -> str:
    """The system prompt for a kind of specification."""
    folder = files(__package__).joinpath("prompts")
    parts = {}
    for part in folder.joinpath(f"{category}.md").read_text("utf-8").split("# ")[1:]:
        head, _, text = part.partition("\n")
        parts[head.strip()] = " ".join(text.split())
    formal = category in ("output", "transition")
    text = folder.joinpath("_frame.md").read_text("utf-8")
    text = text.replace("{violations}", ", ".join(VIOLATIONS))
    text = text.replace("{role}", parts["role"]).replace("{task}", parts["task"])
    language = folder.joinpath("_language.md").read_text("utf-8") if formal else ""
    return text.replace("{formal}\n", language + "\n" if formal else "").replace(
        "{answer}", _ANSWERS.get(category, _RULE)
    )


def tools_text(tools: tuple[ToolSchema, ...] | None) -> str:
    """The tools as an extractor sees them, and as quotes are looked up."""
    shown = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools or ()]
    return json.dumps(shown, ensure_ascii=False, indent=1, default=str)


def source_key(trace: Trace) -> str:
    """Equal for two traces whose policy specifications are extracted once."""
    prompt = trace.prompt_sha256 or ""
    tools = hashlib.sha256(tools_text(trace.tools).encode("utf-8", "surrogatepass")).hexdigest()
    return hashlib.sha256(f"{prompt}:{tools}".encode()).hexdigest()[:16]


def ask_policy(
    category: str,
    prompt: str,
    tools: tuple[ToolSchema, ...] | None,
    model: str,
    settings: Settings = EXTRACTING,
    key: str = "",
    structured: bool = False,
) -> Call:
    """The question for the rules of a category; `key` tells recordings which sources it is about."""
    sources = f"{tagged('system_prompt', prompt)}\n\n{tagged('tools', tools_text(tools))}"
    return Call(
        model,
        system_of(category),
        sources,
        settings,
        subject=f"extract/{category}/{key}",
        schema=_schema(category) if structured else "",
    )


def request_of(trace: Trace) -> str:
    """What the user wants: the task as it was given to the user, or else the user's first words.

    Nothing that scores the run is in it: no expected actions, no criteria.
    """
    task: Mapping[str, Any] = trace.task or {}
    wanted = [task[key] for key in ("user_scenario", "ticket", "instruction", "request") if task.get(key)]
    if wanted:
        return "\n".join(
            one if isinstance(one, str) else json.dumps(one, ensure_ascii=False, indent=1, default=str)
            for one in wanted
        )
    said = (m.text for m in trace.messages if m.role == "user" and (m.text or "").strip())
    return next((text for text in said if text), "")


def initial_state_of(trace: Trace) -> Mapping[str, Any] | None:
    """The state at the start, where the trace holds one."""
    for place in (trace.task or {}, trace.metadata):
        for key in ("initial_state", "init_state"):
            if isinstance(place.get(key), Mapping) and place[key]:
                return place[key]  # type: ignore[no-any-return]
    return None


def ask_task(
    category: str,
    trace: Trace,
    conversation: str,
    model: str,
    settings: Settings = EXTRACTING,
    structured: bool = False,
) -> Call:
    """The question for a plan or a final state; `conversation` is the trace as judges see it."""
    parts = [
        tagged("system_prompt", trace.system_prompt or ""),
        tagged("tools", tools_text(trace.tools)),
        tagged("request", request_of(trace)),
    ]
    if category == "final_state":
        state = json.dumps(initial_state_of(trace), ensure_ascii=False, indent=1, default=str)
        parts.append(tagged("initial_state", state))
    parts.append(f"<conversation>\n{conversation}\n</conversation>")
    return Call(
        model,
        system_of(category),
        "\n\n".join(parts),
        settings,
        subject=f"extract/{category}/{trace.id}",
        schema=_schema(category) if structured else "",
    )
