"""tau2-bench result files: `{timestamp, info, tasks[], simulations[]}`.

The system prompt is not in the messages; it is a template of the harness, found by the commit that ran,
filled with the policy, which every file holds. In solo mode the ticket stands in the prompt too; the hash
then leaves the ticket out, so that it tells prompts apart rather than tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.census import census, unplaced
from truespec.traces.importers.shared import number, source_of, spelt, tool_call
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Outcome, Source, ToolCall, Trace, hash_of

NAME = "tau2"
ASIDE = ("info", "tasks", "messages")
"""Fields in which nothing can be left unread: the settings of the runs; tasks, which traces hold; messages,
which are taken with all their fields (`_holds_more` compares these)."""
STOP = "###STOP###"
"""What the harness writes where the agent ends the conversation by a call."""
REWRITTEN = f"a call that the harness kept as the text {STOP} stands as that text"
_MESSAGE = frozenset(["role", "content", "tool_calls", "id", "requestor", "error"])
_KNOWN = _MESSAGE | {"turn_idx", "timestamp", "cost", "usage", "raw_data", "reasoning", "errors"}
"""Fields of a message that hold no calls but its own."""
_REPLY = frozenset(["message", "finish_reason", "index", "logprobs", "provider_specific_fields"])
_REPLY_MESSAGE = frozenset(
    (
        "role",
        "content",
        "tool_calls",
        "function_call",
        "annotations",
        "reasoning_content",
        "refusal",
        "provider_specific_fields",
    )
)
"""Fields of the provider's reply, and of its message, that hold no calls but those in `tool_calls`."""
_PROVIDER = frozenset(
    (
        "refusal",
        "citations",
        "thinking_blocks",
        "content_filter_result",
        "content_filter_results",
        "stop_reason",
        "token_ids",
        "reasoning_content",
    )
)
"""Fields of a provider's own that hold no calls."""


def recognises(head: Any, _file: TraceFile) -> bool:
    """The file's `info` names the environment, or its `simulations` come first."""
    if not isinstance(head, dict):
        return False
    info = head.get("info")
    return "simulations" in head or (isinstance(info, dict) and "environment_info" in info)


def _is_simulation(record: Any) -> bool:
    return isinstance(record, dict) and "messages" in record and "task_id" in record


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per simulation."""
    tasks: dict[str, Mapping[str, Any]] | None = None
    stream = each_record(file, "simulations", _is_simulation, needs=("info", "tasks"))
    for header, index, simulation in stream:
        if isinstance(simulation, Problem):
            yield simulation
            continue
        if tasks is None:
            listed = header.get("tasks") or ()
            tasks = {str(task["id"]): task for task in listed if isinstance(task, dict) and "id" in task}
        source = source_of(file, NAME, f"simulations/{index}")
        try:
            yield _trace(simulation, header, tasks, source, joins, file)
        except UNREADABLE as error:
            yield file.problem(f"simulations/{index}", f"no simulation of tau2-bench: {error!r}")


def _trace(
    run: Mapping[str, Any],
    header: Mapping[str, Any],
    tasks: Mapping[str, Mapping[str, Any]],
    source: Source,
    joins: Joins,
    file: TraceFile,
) -> Trace:
    info = header.get("info") or {}
    agent = info.get("agent_info") or {}
    environment = info.get("environment_info") or {}
    domain = environment.get("domain_name")
    base = domain.split("-")[0] if isinstance(domain, str) else domain
    solo = "solo" in str(agent.get("implementation", ""))
    task_id = str(run["task_id"])
    task = tasks.get(task_id)
    ticket = (task or {}).get("ticket")
    prompt, template, how = _prompt(info, environment.get("policy"), solo, ticket, joins)
    known = joins.domain(base)
    tools = known.tools
    if tools is not None and solo:
        tools = tools + known.user_tools
    reward = run.get("reward_info") or {}
    messages = tuple([_message(m) for m in run["messages"]])
    _rewritten(run["messages"], source.position, file.ledger)
    if any(map(_holds_more, run["messages"])):
        unplaced(messages, source.position, file.ledger)
    return Trace(
        id=str(run.get("id") or source.position),
        messages=messages,
        source=source,
        system_prompt=prompt,
        tools=tools,
        model=agent.get("llm"),
        domain=domain,
        task_id=task_id,
        task=task,
        outcome=Outcome(
            number(reward.get("reward")),
            {key: value for key, value in reward.items() if key != "reward" and value is not None},
            run.get("termination_reason"),
        ),
        prompt_sha256=hash_of(template) if template is not None else None,
        metadata={
            "prompt_from": how,
            "agent": agent,
            "user": {
                key: value
                for key, value in (info.get("user_info") or {}).items()
                if key in ("implementation", "llm", "llm_args")
            },
            "commit": info.get("git_commit"),
            **{
                key: value
                for key, value in run.items()
                if key not in ("id", "messages", "task_id", "reward_info", "termination_reason")
            },
            "user_tools": [tool.name for tool in known.user_tools],
        },
    )


def _rewritten(listed: list[Any], position: str, ledger: Ledger) -> None:
    """Count the calls that the harness kept as its word for the end, known by the provider's own reply."""
    for index, m in enumerate(listed):
        if m.get("content") != STOP or m.get("tool_calls"):
            continue
        raw = m.get("raw_data")
        for found in census(raw) if isinstance(raw, dict) else ():
            if isinstance(found, ToolCall):
                ledger.rules[REWRITTEN] += 1
                ledger.aliases[str(found.id)] = f"{position}, message {index}"


def _prompt(
    info: Mapping[str, Any], policy: Any, solo: bool, ticket: Any, joins: Joins
) -> tuple[str | None, str | None, str]:
    """The prompt, what its hash is taken of, and how it was found."""
    if not isinstance(policy, str):
        return None, None, "unknown"
    prompts = joins.prompts
    commit = str(info.get("git_commit"))
    variant = prompts.variants.get(prompts.by_commit.get(commit, ""))
    if variant is None:
        return policy, policy, "policy alone"
    how = "commit" if commit in prompts.certain else "assumed"
    if not solo:
        prompt = variant["SYSTEM_PROMPT"].replace("{agent_instruction}", variant["AGENT_INSTRUCTION"])
        prompt = prompt.replace("{domain_policy}", policy)
        return prompt, prompt, how
    template = variant["SYSTEM_PROMPT_SOLO"].replace("{agent_instruction}", variant["AGENT_SOLO_INSTRUCTION"])
    template = template.replace("{domain_policy}", policy)
    return template.replace("{ticket}", ticket if isinstance(ticket, str) else ""), template, how


def _holds_more(m: Mapping[str, Any]) -> bool:
    """Whether fields of a message may hold calls beside its own; the provider's reply repeats those."""
    if not m.keys() <= _KNOWN and any(m[key] for key in m.keys() - _KNOWN):
        return True
    raw = m.get("raw_data")
    if not raw:
        return False
    reply = raw.get("message")
    if not isinstance(reply, dict) or not raw.keys() <= _REPLY or not reply.keys() <= _REPLY_MESSAGE:
        return True
    if reply.get("function_call") or reply.get("annotations"):
        return True
    for one in (raw.get("provider_specific_fields"), reply.get("provider_specific_fields")):
        if one and not one.keys() <= _PROVIDER:
            return True
    repeated = reply.get("tool_calls")
    if not repeated:
        return False
    return [call.get("id") for call in repeated] != [call["id"] for call in m.get("tool_calls") or ()]


def _call(c: Mapping[str, Any]) -> ToolCall:
    name, given, identifier = c["name"], c["arguments"], c.get("id")
    if isinstance(name, str) and isinstance(given, dict) and isinstance(identifier, str):
        return ToolCall(name, given, identifier, c.get("requestor") or "assistant")
    return tool_call(name, given, identifier, c.get("requestor"))


def _message(m: Mapping[str, Any]) -> Message:
    role = m["role"]
    text = m.get("content")
    listed = m.get("tool_calls")
    if listed:
        calls = tuple([_call(c) for c in listed])
    else:
        calls = ()
    extra = {key: held for key, held in m.items() if key not in _MESSAGE and held is not None}
    if role == "tool":
        identifier = m.get("id")
        if identifier is not None and not isinstance(identifier, str):
            identifier = spelt(identifier)
        return Message(
            role, text, (), identifier, None, m.get("error"), m.get("requestor") or "assistant", extra=extra
        )
    return Message(role, text, calls, extra=extra or None)
