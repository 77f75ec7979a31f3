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

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.trace import ToolSchema, Trace, TraceError


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
        kinds = _json(here / "tool_types.json") or self._types(name)
        tools = _json(here / "tools.json")
        user_tools = _json(here / "user_tools.json")
        policy = next((p for p in (here / "policy.md", here / "wiki.md") if p.is_file()), None)
        return Domain(
            tool_schemas(tools, kinds) if tools is not None else self.tools or schemas_named(kinds),
            tool_schemas(user_tools or [], kinds) or (),
            policy.read_text(encoding="utf-8") if policy else None,
            kinds,
        )

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

    def _types(self, name: str) -> Any:
        if self.types is None:
            return {}
        return _json(self.types if self.types.is_file() else self.types / name / "tool_types.json") or {}

    @cached_property
    def prompts(self) -> Prompts:
        """The prompt templates of the folder."""
        table = _json(self.folder / "agent_prompts.json") if self.folder else None
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
    folder = path.parent / "domains"
    return Joins(folder) if folder.is_dir() else Joins()


def _json(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        return loads(path.read_bytes())
    except ValueError as error:
        raise TraceError(f"{path} is no JSON: {error}") from None
