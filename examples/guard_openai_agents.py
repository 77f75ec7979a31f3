"""A guarded agent of the OpenAI Agents SDK with a scripted model: no key, no network.

Run it with `pip install "truespec[agents]"` and `python examples/guard_openai_agents.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from truespec.guard import Guard
from truespec.guard.adapters.openai_agents import guard_tools
from truespec.rules import load_file

POLICY = Path(__file__).with_name("guard_policy.yml")
REFUNDED: list[str] = []


@function_tool
def look_up(order: str) -> str:
    """Look an order up."""
    return f"order {order}: 30"


@function_tool
def refund(order: str, amount: float) -> str:
    """Refund an order."""
    REFUNDED.append(order)
    return "refunded"


def call(number: int, tool: str, **arguments: Any) -> ResponseFunctionToolCall:
    """A call that the model asks for."""
    return ResponseFunctionToolCall(
        type="function_call", call_id=f"c{number}", name=tool, arguments=json.dumps(arguments)
    )


SCRIPT: list[list[Any]] = [
    [call(1, "refund", order="7", amount=30)],  # blocked: not looked up
    [call(2, "look_up", order="7")],
    [call(n, "refund", order="7", amount=30) for n in (3, 4, 5, 6)],  # one passes
]


class Scripted(Model):
    """A model that says what its script says."""

    def __init__(self) -> None:
        self.turn = 0

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """The next line of the script."""
        self.turn += 1
        if self.turn <= len(SCRIPT):
            output = SCRIPT[self.turn - 1]
        else:
            text = ResponseOutputText(type="output_text", text="Order 7 is refunded.", annotations=[])
            output = [
                ResponseOutputMessage(
                    id="m", type="message", role="assistant", status="completed", content=[text]
                )
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Scripts are not streamed."""
        raise NotImplementedError


def main() -> None:
    """Run the agent and show what its tools answered."""
    guard = Guard(load_file(POLICY))
    question = "Please refund order 7."
    guard.observe(question)
    agent = Agent(name="shop", model=Scripted(), tools=guard_tools(guard, [look_up, refund]))
    run = asyncio.run(Runner.run(agent, question, run_config=RunConfig(tracing_disabled=True)))
    for item in run.new_items:
        if item.type == "tool_call_output_item":
            print(f"tool: {str(item.output).splitlines()[-1]}")
    print(f"agent: {run.final_output}")
    print(f"refunds carried out: {len(REFUNDED)}")


if __name__ == "__main__":
    main()
