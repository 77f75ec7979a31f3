"""What a source lacks and files can supply: the prompt, the tool schemas, what each tool does.

A folder of joins looks like this; every file is optional::

    agent_prompts.json       prompt templates by the commit that ran (tau2-bench)
    <domain>/tools.json      tools in OpenAI's shape
    <domain>/user_tools.json tools of the user, where it has some
    <domain>/tool_types.json {"book": "write", "look_up": "read", "calculate": "generic"}
    <domain>/db.json         the database at the start, also as db.json.gz; read by `worlds/`
    <domain>/policy.md       the policy, used where the trace holds no prompt; also wiki.md
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from truespec.traces.files import json_of
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.trace import KINDS, ToolSchema, Trace
from truespec.untrusted.inputs import text_of
from truespec.verdict import UsageError

_PROMPTS = "agent_prompts.json"
_TYPES = "tool_types.json"
_FILES = ("tools.json", "user_tools.json", _TYPES, "db.json", "db.json.gz", "policy.md", "wiki.md")


@dataclass(frozen=True)
class Prompts:
    """Prompt templates by the commit of the harness that filled them."""

    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Template texts by variant."""
    by_commit: Mapping[str, str] = field(default_factory=dict)
    """The variant that a commit used."""
    certain: frozenset[str] = frozenset()
    """The commits for which the variant was looked up rather than assumed."""


@dataclass(frozen=True)
class Domain:
    """What is known about one environment."""

    tools: tuple[ToolSchema, ...] | None = None
    """The agent's tools."""
    user_tools: tuple[ToolSchema, ...] = ()
    """The user's tools."""
    policy: str | None = None
    """The policy text."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Which tools read and which write, as far as it is said."""


@dataclass(frozen=True)
class Joins:
    """Files that complete traces; the empty joins complete nothing."""

    folder: Path | None = None
    """The folder described above."""
    tools: tuple[ToolSchema, ...] | None = None
    """Tools for every trace that has none, whatever its domain."""
    prompt: str | None = None
    """A system prompt for every trace that has none."""
    types: Path | None = None
    """A folder whose `<domain>/tool_types.json` is used where `folder` has none, or one such file for all."""
    found: dict[str, Domain] = field(default_factory=dict, compare=False)
    """Domains read so far."""

    def domain(self, name: str | None) -> Domain:
        """What the folder says about an environment."""
        known = name or ""
        if known not in self.found:
            self.found[known] = self._read(known)
        return self.found[known]

    def _read(self, name: str) -> Domain:
        if self.folder is None or not name or "/" in name or name.startswith("."):
            kinds = self._types("")
            tools = self.tools
            if tools is not None and kinds:
                tools = tuple(replace(tool, kind=tool.kind or kinds.get(tool.name)) for tool in tools)
            return Domain(tools if tools is not None else schemas_named(kinds), (), None, kinds)
        here = self.folder / name
        types, user_tools = here / _TYPES, here / "user_tools.json"
        kinds = (kinds_in(types) if types.is_file() else {}) or self._types(name)
        policy = next((p for p in (here / "policy.md", here / "wiki.md") if p.is_file()), None)
        return Domain(
            self._tools(here / "tools.json", kinds),
            tools_in(user_tools, kinds) if user_tools.is_file() else (),
            text_of(policy) if policy else None,
            kinds,
        )

    def _tools(self, path: Path, kinds: Mapping[str, str]) -> tuple[ToolSchema, ...] | None:
        """The tools of an environment's own file, or those that all have; none where only types are known."""
        if path.is_file():
            return tools_in(path, kinds)
        return self.tools if self.tools is not None else schemas_named(kinds)

    def completed(self, trace: Trace) -> Trace:
        """A trace with the tools, their types and the prompt that it lacks itself, whatever its format."""
        known = self.domain(trace.domain)
        tools = trace.tools if trace.tools is not None else known.tools
        if tools is not None and known.kinds and any(t.kind is None and t.name in known.kinds for t in tools):
            tools = tuple(t if t.kind else replace(t, kind=known.kinds.get(t.name)) for t in tools)
        prompt = trace.system_prompt if trace.system_prompt is not None else self.prompt
        if tools is trace.tools and prompt == trace.system_prompt:
            return trace
        return replace(trace, tools=tools, system_prompt=prompt)

    def _types(self, name: str) -> Mapping[str, str]:
        if self.types is None:
            return {}
        path = self.types if self.types.is_file() else self.types / name / _TYPES
        return kinds_in(path) if path.is_file() else {}

    @cached_property
    def prompts(self) -> Prompts:
        """The prompt templates of the folder."""
        path = self.folder / _PROMPTS if self.folder else None
        table = json_of(path) if path is not None and path.is_file() else None
        if not table:
            return Prompts()
        files = table.get("by_file", {}).values()
        names: dict[str, str] = {entry["info_git_commit"]: entry["variant"] for entry in files}
        certain = frozenset(entry["info_git_commit"] for entry in files if entry.get("resolved", True))
        return Prompts(table["variants"], names, certain)


def schemas_named(kinds: Mapping[str, str]) -> tuple[ToolSchema, ...] | None:
    """Where only the types of tools are known: the tools that they name."""
    return tuple(ToolSchema(name, kind=kind) for name, kind in kinds.items()) or None


def joins_beside(path: Path) -> Joins:
    """The joins in a folder `domains` beside a trace file; empty where there is none."""
    folder = os.path.join(os.path.dirname(path), "domains")
    return Joins(Path(folder)) if os.path.isdir(folder) else Joins()


def tools_in(path: Path, kinds: Mapping[str, str] | None = None) -> tuple[ToolSchema, ...]:
    """The tools of a file of schemas; `UsageError` for any other file."""
    return tools_of(json_of(path), str(path), kinds)


def tools_of(value: Any, called: str, kinds: Mapping[str, str] | None = None) -> tuple[ToolSchema, ...]:
    """The tools of a list of schemas, or of what an MCP server lists; `UsageError` for any other value.

    `called` is the value's name for the caller.
    """
    listed = value.get("tools") if isinstance(value, Mapping) else value
    tools = tool_schemas(listed, kinds)
    if not isinstance(listed, list) or tools is None:
        raise UsageError(f"{called}: expected a JSON list of tool schemas")
    for number, entry in enumerate(listed):
        if not tool_schemas([entry]):
            raise UsageError(f"{called}: entry {number} describes no tool with a name: {entry!r:.60}")
    return tools


def kinds_in(path: Path) -> dict[str, str]:
    """Which tools read and which write, by a file of types; `UsageError` for any other file."""
    value = json_of(path)
    if not isinstance(value, dict):
        raise UsageError(f"{path}: expected a JSON object from tools to {', '.join(KINDS)}")
    for tool, kind in value.items():
        if kind not in KINDS:
            raise UsageError(f"{path}: the type of {tool!r:.60} is {kind!r:.60}, expected {', '.join(KINDS)}")
    return value


def check_folder(folder: Path) -> None:
    """Raise `UsageError` for a folder of joins that holds none of their files."""
    for here in folder.iterdir():
        if here.name == _PROMPTS or any((here / name).is_file() for name in _FILES):
            return
    raise UsageError(
        f"{folder} completes no trace: expected {_PROMPTS}, or <domain>/ with any of {', '.join(_FILES)}"
    )
