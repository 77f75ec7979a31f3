"""A scorer for Inspect AI: does the conversation of a sample keep the rules?

```
inspect score logs/shop.eval --scorer truespec/compliance -S rules=policy.yml
Task(dataset=..., solver=..., scorer=compliance(rules="policy.yml", packs=["loops"]))
```

Monitors alone decide; rules that need a judge are not evaluated, and the explanation says so.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolDef

from truespec.compliance.artifact import artifact
from truespec.compliance.roots import ProvedOverlaps
from truespec.compliance.run import Tally
from truespec.executors.rulefiles import load_rule_files
from truespec.rules.ruleset import RuleSet
from truespec.traces.importers.items import openai_messages
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.record import to_line
from truespec.traces.trace import Message, Source, Trace, prompt_of


@scorer(metrics=[mean(), stderr()])
def compliance(
    rules: str | Sequence[str] = (),
    packs: str | Sequence[str] = (),
    settings: Sequence[str] = (),
    domain: str | None = None,
) -> Scorer:
    """The aggregate score of the monitors, from 0 to 1; the artifact is in the score's metadata.

    `rules` are files of rules, `packs` built-in packs (all packs where neither is given), `settings` their
    parameters as PACK.NAME=VALUE, `domain` what rules call the environment. A sample in which a critical
    evaluator, or a rule that says `required: true`, could not be evaluated is unscored, never 0.
    Raises `TruespecError` for rules that cannot be read.
    """
    files = tuple(Path(one) for one in _many(rules))
    names = _many(packs) or (() if files else ("all",))
    chosen, _ = load_rule_files(files, names, tuple(settings))
    compiled = RuleSet(chosen)
    overlaps = ProvedOverlaps(compiled.rules)

    async def score(state: TaskState, target: Target) -> Score:
        notes = Notes()
        trace = trace_of(state, domain, notes)
        record = await asyncio.to_thread(lambda: artifact(trace, compiled.check(trace), overlaps=overlaps))
        tally = Tally()
        tally.add(record)
        unread = [f"not read: {place}: {what}" for place, what in notes.ledger.problems]
        total, said = record["aggregate"]["score"], "\n".join([*unread, _explain(record, tally)])
        if total is None or tally.skipped(required=True):
            return Score.unscored(reason="not evaluated", explanation=said, metadata={"artifact": record})
        return Score(value=total / 100, explanation=said, metadata={"artifact": record})

    return score


def _many(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as a list, or as one text with commas, as the command line gives them."""
    listed = names.split(",") if isinstance(names, str) else names
    return tuple(one.strip() for one in listed if one.strip())


def trace_of(state: TaskState, domain: str | None = None, notes: Notes | None = None) -> Trace:
    """The conversation of a sample as a trace, with the schemas of the tools that the agent had.

    `notes` get what is left out of messages.
    """
    notes = notes or Notes()
    made: list[Message] = []
    for number, message in enumerate(state.messages):
        notes.place = f"message {number}"
        made += openai_messages(message.model_dump(mode="json", exclude_none=True), notes)
    messages = tuple(made)
    tools = None
    if state.tools:
        defined = [ToolDef(tool) for tool in state.tools]
        tools = tool_schemas(
            [
                {
                    "name": one.name,
                    "description": one.description,
                    "parameters": one.parameters.model_dump(mode="json", exclude_none=True),
                }
                for one in defined
            ]
        )
    trace = Trace(
        id=f"{state.sample_id}:{state.epoch}",
        messages=messages,
        source=Source("inspect", "inspect", "", f"{state.sample_id}:{state.epoch}"),
        system_prompt=prompt_of(messages),
        tools=tools,
        model=str(state.model),
        domain=domain,
        task_id=str(state.sample_id),
    )
    digest = hashlib.sha256(to_line(trace).encode("utf-8", "surrogatepass")).hexdigest()
    return replace(trace, source=replace(trace.source, sha256=digest))


def _explain(record: dict[str, Any], tally: Tally) -> str:
    """What was broken, and what could not be evaluated."""
    texts = {rule["id"]: rule["text"] for rule in record["rules"]}
    lines = [
        f"{v['severity']}: {v['rule_id']} at message {v['message_index']}: {texts[v['rule_id']]} "
        f"Found: {v['quote']}"
        for result in record["results"]
        for v in result["violations"]
    ]
    skipped = [f"not evaluated: {rule}: {', '.join(why)}" for rule, why in tally.reasons.items() if why]
    return "\n".join([*skipped, *lines]) or "every rule is kept"
