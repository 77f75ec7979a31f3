"""Guards for the OpenAI Agents SDK: tool guardrails that ask before a tool runs and hear how it ended.

```python
guarded = guard_tools(guard, agent.tools)
agent = agent.clone(tools=guarded)
```

One guard is that of one conversation. Calls belong to it that come from the run of the first call, from runs
with the same `RunConfig(group_id=...)`, and from runs whose input holds an earlier call of it; a call of any
other run is an error that ends the run.

Needs the package `openai-agents` (`pip install "truespec[agents]"`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from agents import (
    FunctionTool,
    Tool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    ToolOutputGuardrail,
    ToolOutputGuardrailData,
)
from truespec.guard.adapters.conversation import Conversation
from truespec.guard.guard import Guard
from truespec.verdict import UsageError


def guard_tools(guard: Guard, tools: Sequence[Tool]) -> list[Tool]:
    """The tools with guardrails of this guard, one guard for each conversation.

    A blocked call is answered with the rule's text and hint, and the model goes on. A tool that does not run
    here (hosted tools) cannot be guarded and is a `UsageError`.
    """
    made: list[Tool] = []
    for tool in tools:
        if not isinstance(tool, FunctionTool):
            raise UsageError(f"the tool {tool.name!r} runs elsewhere, so that nothing can stand before it")
        before, after = guardrails(guard)
        made.append(
            replace(
                tool,
                tool_input_guardrails=[*(tool.tool_input_guardrails or ()), before],
                tool_output_guardrails=[after, *(tool.tool_output_guardrails or ())],
            )
        )
    return made


def guardrails(guard: Guard) -> tuple[ToolInputGuardrail[Any], ToolOutputGuardrail[Any]]:
    """The guardrail before a tool and the one after it; the former has to be the last before the tool."""
    talk = _TALKS.setdefault(guard, _Talk())

    async def before(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        context = data.context
        talk.keep_to(context)
        arguments = context.tool_arguments or "{}"
        decision = await guard.admit(context.tool_name, arguments, id=context.tool_call_id)
        if decision.allowed:
            return ToolGuardrailFunctionOutput.allow(decision.record())
        return ToolGuardrailFunctionOutput.reject_content(decision.message, decision.record())

    async def after(data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        broken = guard.result(data.context.tool_call_id, data.output)
        return ToolGuardrailFunctionOutput.allow([one.rule_id for one in broken])

    return ToolInputGuardrail(before, "truespec"), ToolOutputGuardrail(after, "truespec")


class _Talk:
    """The conversation whose calls a guard has seen."""

    def __init__(self) -> None:
        self._conversation = Conversation(
            "make tools with a guard of its own for each conversation; give the runs of one conversation "
            "the same RunConfig(group_id=...)"
        )
        self._usage: Any = None
        self._calls: set[str] = set()

    def keep_to(self, context: Any) -> None:
        """Take the call's run as one of the conversation, or raise `UsageError`."""
        # Runs share nothing but the object that counts their use: agents that are tools count in it too.
        if context.usage is not self._usage:
            group = context.run_config.group_id if context.run_config is not None else None
            if group is not None or not self._known(context.turn_input):
                self._conversation.keep_to(group or f"the run of the call {context.tool_call_id}")
        self._usage = context.usage
        self._calls.add(context.tool_call_id)

    def _known(self, items: Sequence[Any]) -> bool:
        """Whether the items tell of a call of this conversation."""
        return any(isinstance(item, Mapping) and item.get("call_id") in self._calls for item in items)


_TALKS: WeakKeyDictionary[Guard, _Talk] = WeakKeyDictionary()
"""The conversation of each guard, whichever agents have its tools."""
