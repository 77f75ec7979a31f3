"""A guarded agent of LangChain with a scripted model: no key, no network.

Run it with `pip install "truespec[langchain]"` and `python examples/guard_langchain.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage

from truespec.guard import Guard
from truespec.guard.adapters.langchain import GuardMiddleware
from truespec.rules import load_file

POLICY = Path(__file__).with_name("guard_policy.yml")
REFUNDED: list[str] = []


@tool
def look_up(order: str) -> str:
    """Look an order up."""
    return f"order {order}: 30"


@tool
def refund(order: str, amount: float) -> str:
    """Refund an order."""
    REFUNDED.append(order)
    return "refunded"


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    """A call that the model asks for."""
    return {"name": name, "args": arguments, "id": f"c{number}", "type": "tool_call"}


class Scripted(FakeMessagesListChatModel):
    """A model that says what its script says."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """The script knows its tools."""
        return self


SCRIPT = [
    AIMessage("", tool_calls=[call(1, "refund", order="7", amount=30)]),  # blocked: not looked up
    AIMessage("", tool_calls=[call(2, "look_up", order="7")]),
    AIMessage("", tool_calls=[call(n, "refund", order="7", amount=30) for n in (3, 4, 5, 6)]),  # one passes
    AIMessage("Order 7 is refunded."),
]


def main() -> None:
    """Run the agent and show what its tools answered."""
    guard = Guard(load_file(POLICY))
    agent = create_agent(
        Scripted(responses=list(SCRIPT)), [look_up, refund], middleware=[GuardMiddleware(guard)]
    )
    run = agent.invoke({"messages": [("user", "Please refund order 7.")]})
    for message in run["messages"]:
        if isinstance(message, ToolMessage):
            print(f"tool: {str(message.content).splitlines()[-1]}")
    print(f"agent: {run['messages'][-1].content}")
    print(f"refunds carried out: {len(REFUNDED)}")


if __name__ == "__main__":
    main()
