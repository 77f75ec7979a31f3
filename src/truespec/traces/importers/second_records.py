"""Spans that record again what another holds: a model call inside its wrapper, a server inside its client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.tool_runs import is_same_run
from truespec.traces.ledger import Ledger

INNER = "a model call inside one that holds its request and its reply is the same call"
SERVED = "a tool's span inside one of the same tool, with the same arguments and result, is the same run"
_REPLIES = ("llm.output_messages.", "gen_ai.completion.")
"""How attributes begin that hold what a model said, message by message."""


def recorded_again(
    spans: Sequence[RawSpan], kinds: Mapping[str, str], parents: Mapping[str, str | None], ledger: Ledger
) -> set[str]:
    """Model calls inside one that holds its request and reply whole, and a tool's run inside the same run.

    Their identifiers of calls may be of their own making; those of the tools' spans are the outer one's.
    """
    models = {raw.id for raw in spans if kinds[raw.id] == "LLM"}
    whole = {raw.id for raw in spans if raw.id in models and _is_whole(raw)}
    tools = {raw.id: raw for raw in spans if kinds[raw.id] == "TOOL"}
    found: set[str] = set()
    for raw in spans:
        at, climbed = raw.parent, {raw.id}
        while at in models and at not in whole and at not in climbed:
            climbed.add(at)
            at = parents.get(at)
        outer = tools.get(raw.parent or "")
        if raw.id in models and at in whole and raw.id != at:
            found.add(raw.id)
            ledger.rules[INNER] += 1
        elif raw.id in tools and outer is not None and is_same_run(raw, outer):
            found.add(raw.id)
            ledger.rules[SERVED] += 1
    return found


def told_at_once(spans: Sequence[RawSpan], kinds: Mapping[str, str]) -> set[str]:
    """The agents that hold what their models said, where no model call is recorded."""
    if "LLM" in kinds.values():
        return set()
    agents = [raw for raw in spans if kinds[raw.id] == "AGENT"]
    return {raw.id for raw in agents if any(key.startswith(_REPLIES) for key in raw.attributes)}


def _is_whole(raw: RawSpan) -> bool:
    """Whether a span of Google's ADK holds the request and the reply of its model call whole."""
    asked, said = (
        parsed(raw.attributes.get(f"gcp.vertex.agent.llm_{end}")) for end in ("request", "response")
    )
    told = isinstance(asked, Mapping) and isinstance(said, Mapping)
    return told and "contents" in asked and "content" in said
