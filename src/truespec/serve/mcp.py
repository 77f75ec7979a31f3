"""The MCP server: tools with which an agent asks whether it kept the meaning of a text, or its own rules.

Answers are short enough for a model to read. Nothing is written to standard output but the protocol.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from truespec.domains.registry import DOMAINS
from truespec.serve.service import Service, check_messages, explain_rules, in_a_sentence
from truespec.store.schemas import schema_of
from truespec.verdict import Counterexample, TruespecError, UsageError, Verdict
from truespec.version import __version__

P = ParamSpec("P")

LONGEST = 1_500
"""Characters of one field of an answer."""
MOST = 20
"""Violations in one answer; the number of all is given."""

INSTRUCTIONS = f"""Sound verdicts on specifications, and checks of conversations against rules.
Use `verify` after you rewrite a query, pattern, formula or expression, to learn whether its meaning is the
same. Domains: {", ".join(DOMAINS)}. `context_of` says what a domain's context holds, such as the schema of
an SQL query. Use `explain_rule` after you write a rule, to learn what it really checks."""


def server(service: Service) -> MCPServer[Any]:
    """The server with its tools; run it with `.run()` for stdio or `.run("streamable-http", port=...)`."""
    made: MCPServer[Any] = MCPServer("truespec", version=__version__, instructions=INSTRUCTIONS)

    @made.tool()
    @_anticipated
    async def verify(
        domain: str,
        oracle: str,
        candidate: str,
        context: dict[str, Any] | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Decide whether `candidate` means the same as `oracle` (the reference text).

        Returns `answer`: equivalent (proved), refuted (with a replayed counterexample), unknown (with a
        reason) or invalid; and `explanation` in words.
        """
        return _short(await service.verify(_request(domain, oracle, candidate, context, timeout), "mcp"))

    @made.tool()
    @_anticipated
    async def explain_counterexample(
        domain: str, oracle: str, candidate: str, context: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The input on which two texts differ: what each of them says there, in words and as data."""
        verdict = await service.verify(_request(domain, oracle, candidate, context, None), "mcp")
        answer = _short(verdict)
        if isinstance(verdict.evidence, Counterexample):
            found = verdict.evidence
            answer["counterexample"] = _cut(dict(found.point))
            answer["oracle_value"] = _cut(found.oracle_value)
            answer["candidate_value"] = _cut(found.candidate_value)
            answer["replayed_by"] = found.replayed_by
        return answer

    @made.tool()
    @_anticipated
    async def check_trace(
        messages: list[dict[str, Any]], rules: str, tools: list[dict[str, Any]] | None = None
    ) -> dict[str, Any]:
        """Hold a conversation (messages as OpenAI writes them) against rules (the text of a rule file, YAML).

        Returns each violation with its message, the rules that could not be evaluated and why, those that
        were kept, and what was left out of messages.
        """
        found = check_messages(messages, rules, tools)
        violations = found["violations"]
        return {**found, "violations": violations[:MOST], "violation_count": len(violations)}

    @made.tool()
    @_anticipated
    async def explain_rule(rules: str, rule_id: str | None = None) -> dict[str, Any]:
        """What the rules of a rule file (its text, YAML) check, in English made from their formulas.

        With the shortest conversations that keep and break each. `rule_id` asks for one rule. Where the
        English and the rule's own text differ, the rule is wrong.
        """
        explained = await asyncio.to_thread(explain_rules, rules, rule_id, MOST)
        answer: dict[str, Any] = _cut(explained)
        return answer

    @made.tool()
    @_anticipated
    async def context_of(domain: str) -> dict[str, Any]:
        """The JSON Schema of a domain's context: what it may hold, and what each field means."""
        if domain not in DOMAINS:
            raise UsageError(f"unknown domain {domain!r}: expected one of {', '.join(DOMAINS)}")
        return schema_of(domain)

    return made


def _anticipated(tool: Callable[P, Awaitable[dict[str, Any]]]) -> Callable[P, Awaitable[dict[str, Any]]]:
    """The tool, whose mistakes of the caller become error results in their own words."""

    @functools.wraps(tool)
    async def told(*args: P.args, **named: P.kwargs) -> dict[str, Any]:
        try:
            return await tool(*args, **named)
        except TruespecError as error:
            raise ToolError(str(error)) from error

    return told


def _request(
    domain: str, oracle: str, candidate: str, context: dict[str, Any] | None, timeout: float | None
) -> dict[str, Any]:
    request: dict[str, Any] = {"domain": domain, "oracle": oracle, "candidate": candidate}
    return {**request, "context": context or {}, "timeout": timeout}


def _short(verdict: Verdict) -> dict[str, Any]:
    return {
        "answer": verdict.answer.value,
        "relation": verdict.relation.value if verdict.relation else None,
        "explanation": _cut(in_a_sentence(verdict)),
        "seconds": round(verdict.seconds, 4),
    }


def _cut(value: Any) -> Any:
    """A value whose texts are short; a cut is marked with the number of characters left out."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]} … {len(value) - LONGEST} more"
    if isinstance(value, dict):
        return {name: _cut(item) for name, item in list(value.items())[:50]}
    if isinstance(value, list):
        rest = [f"… {len(value) - 50} more"] if len(value) > 50 else []
        return [_cut(item) for item in value[:50]] + rest
    return value
