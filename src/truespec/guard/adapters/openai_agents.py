"""Guards for the OpenAI Agents SDK: tool guardrails that ask before a tool runs and hear how it ended.

```python
guarded = guard_tools(guard, agent.tools)
agent = agent.clone(tools=guarded)
```

Needs the package `openai-agents` (`pip install "truespec[agents]"`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents import (
    FunctionTool,
    Tool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    ToolOutputGuardrail,
    ToolOutputGuardrailData,
)
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

    async def before(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        context = data.context
        arguments = context.tool_arguments or "{}"
        decision = await guard.admit(context.tool_name, arguments, id=context.tool_call_id)
        if decision.allowed:
            return ToolGuardrailFunctionOutput.allow(decision.record())
        return ToolGuardrailFunctionOutput.reject_content(decision.message, decision.record())

    async def after(data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        broken = guard.result(data.context.tool_call_id, data.output)
        return ToolGuardrailFunctionOutput.allow([one.rule_id for one in broken])

    return ToolInputGuardrail(before, "truespec"), ToolOutputGuardrail(after, "truespec")
