"""The argument specification: read off the tools' schemas, without a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truespec.extraction.examples import find_examples
from truespec.extraction.read import Extracted
from truespec.rules.compare import Toolbox
from truespec.rules.language import read_formal
from truespec.rules.rule import Rule
from truespec.traces.trace import ToolSchema


def argument_rules(tools: tuple[ToolSchema, ...], seconds: float = 1.0) -> tuple[Extracted, ...]:
    """One rule for each tool with a schema, and one against tools that are not there."""
    made = []
    for tool in tools:
        if tool.parameters is None:
            continue
        formal = {"template": "absence", "a": {"call": tool.name, "fits_schema": False}}
        made.append(_rule(f"arguments-of-{tool.name}", _said(tool), formal, tools, seconds))
    if tools:
        others: dict[str, Any] = {"all": [{"call": "any"}, {"not": {"call": [tool.name for tool in tools]}}]}
        text = "No tool is called but those that were given."
        formal = {"template": "absence", "a": others}
        # With these tools alone nothing could break it: its examples take any.
        made.append(_rule("known-tools", text, formal, None, seconds))
    return tuple(made)


def _said(tool: ToolSchema) -> str:
    """What the schema asks of a tool's arguments, in a sentence."""
    parameters = tool.parameters or {}
    properties = parameters.get("properties") or {}
    required = [str(name) for name in parameters.get("required") or ()]
    parts = []
    for name, inner in properties.items():
        kind = inner.get("type") if isinstance(inner, dict) else None
        parts.append(f"{name}{f' ({kind})' if isinstance(kind, str) else ''}")
    given = f"takes {', '.join(parts)}" if parts else "takes nothing"
    return f"{tool.name} {given}" + (f"; required: {', '.join(required)}." if required else ".")


def _rule(
    name: str, text: str, formal: Mapping[str, Any], tools: tuple[ToolSchema, ...] | None, seconds: float
) -> Extracted:
    rule = Rule(
        name, text, "argument", "high", formal=read_formal(formal, name, {}), violation="invalid_argument"
    )
    why = "read off the tools' schemas"
    found = find_examples(rule, Toolbox(tools), seconds)
    return Extracted(rule, "deterministic", why, formal, found)
