"""Guards for LangChain and LangGraph: middleware that stands around every tool call of an agent.

```python
agent = create_agent(model, tools, middleware=[GuardMiddleware(guard)])
```

Needs the package `langchain` (`pip install "truespec[langchain]"`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from truespec.guard.adapters.conversation import Conversation
from truespec.guard.decision import Blocked
from truespec.guard.guard import Guard
from truespec.guard.running import outcome_text

Answer = ToolMessage | Command[Any]


class GuardMiddleware(AgentMiddleware[Any, Any, Any]):
    """Asks a guard before each tool call; a blocked call is answered with the rule's text and hint.

    One middleware guards one conversation; a run with another `thread_id` is a `UsageError`. What the user
    and the agent say reaches the guard before and after each call of the model, each message once, known by
    its identifier.
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        """The guard."""
        self._heard: set[str] = set()
        self._conversation = Conversation("make an agent with a middleware for each conversation")

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Let the guard hear what was said."""
        self._hear(state["messages"])
        return None

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Let the guard hear what the agent answered."""
        self._hear(state["messages"])
        return None

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        """Check the call, run it, record its result."""
        self._same_thread()
        call = request.tool_call

        def run(arguments: dict[str, Any]) -> Answer:
            return handler(request.override(tool_call={**call, "args": arguments}))

        try:
            found: Answer = self.guard.call_now(
                call["name"], call["args"], _Whole(run), id=call["id"], outcome=_outcome
            )
        except Blocked as blocked:
            return _refused(request, blocked)
        return found

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        """As `wrap_tool_call`, for agents that run in an event loop."""
        self._same_thread()
        call = request.tool_call

        def run(arguments: dict[str, Any]) -> Awaitable[Answer]:
            return handler(request.override(tool_call={**call, "args": arguments}))

        try:
            found: Answer = await self.guard.call(
                call["name"], call["args"], _Whole(run), id=call["id"], outcome=_outcome
            )
        except Blocked as blocked:
            return _refused(request, blocked)
        return found

    def _same_thread(self) -> None:
        """Raise `UsageError` in a run of another thread."""
        try:
            thread = get_config().get("configurable", {}).get("thread_id")
        except RuntimeError:  # outside of a graph
            return
        self._conversation.keep_to(thread)

    def _hear(self, messages: list[Any]) -> None:
        self._same_thread()
        for message in messages:
            if message.id is None or message.id in self._heard:
                continue
            self._heard.add(message.id)
            text = message.text if isinstance(message.text, str) else message.text()
            if isinstance(message, HumanMessage):
                self.guard.observe(text, "user")
            elif isinstance(message, AIMessage) and text:
                self.guard.observe(text, "assistant")


class _Whole:
    """A function that takes all arguments as one value, whatever their names."""

    def __init__(self, run: Callable[[dict[str, Any]], Any]) -> None:
        self._run = run

    def __call__(self, arguments: dict[str, Any], /) -> Any:
        return self._run(arguments)


def _outcome(answer: Answer) -> tuple[str, bool | None]:
    """What a tool's answer says, and whether it tells a failure."""
    if isinstance(answer, ToolMessage):
        return outcome_text(answer.content), True if answer.status == "error" else None
    return outcome_text(str(answer)), None


def _refused(request: ToolCallRequest, blocked: Blocked) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(str(blocked), tool_call_id=call["id"] or "", name=call["name"], status="error")
