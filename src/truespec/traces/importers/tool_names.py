"""Which tool a span runs that its platform knows only as a span: its name or its metadata say so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SPAN_OF_TOOL = "a plain span whose name or metadata say that it runs a tool is that tool's run"
_MARKED = re.compile(
    r"(?:tools?(?:/call)?[.:/]|(?:tools/call|(?:execute|call|invoke|run|running|mcp)[_ -]tool"
    r"|tool[_ -]?(?:call|use|run|execution)|function[_ -]call)[.:/ -])\s*(?P<name>[\w.:/-]+)",
    re.IGNORECASE,
)
"""A name that says that a tool runs, and which: `tools.search`, `tool: search`, `execute_tool search`."""
_STEPS = frozenset(
    (
        *("call", "calls", "calling", "list", "execute", "execution", "executor", "run", "runs", "running"),
        *("use", "usage", "invoke", "invocation", "result", "results", "response", "request", "start", "end"),
        *("node", "select", "selection", "choice", "router", "routing", "planner", "loop", "error", "input"),
        *("output", "message", "messages", "schema", "schemas", "definitions", "registry", "discovery"),
    )
)
"""Words behind the mark that say what happens, not which tool runs."""
_NAMES = ("tool_name", "toolName", "tool.name", "gen_ai.tool.name", "tool")
_KINDS = ("type", "kind", "span_type", "spanType", "span_kind", "observation_type", "category")
_TOOLS = ("tool", "tool_call", "tool-call", "toolcall", "tool_use", "function_call", "mcp_tool")


def tool_of_span(span: Mapping[str, Any], metadata: Any) -> str | None:
    """The tool that a plain span runs; None where nothing says that it runs one.

    >>> tool_of_span({"name": "tools.find_order"}, None)
    'find_order'
    >>> tool_of_span({"name": "tools/list"}, None)
    >>> tool_of_span({"name": "find_order"}, {"type": "tool"})
    'find_order'
    """
    own = str(span.get("name") or "")
    found = _MARKED.fullmatch(own.strip())
    marked = found["name"] if found and found["name"].lower() not in _STEPS else None
    about = metadata if isinstance(metadata, Mapping) else {}
    named = next((about[key] for key in _NAMES if isinstance(about.get(key), str) and about[key]), None)
    told = any(str(about.get(key)).lower() in _TOOLS for key in _KINDS)
    if not (named or marked or told):
        return None
    return named or marked or own or None
