"""Guards for the Claude Agent SDK: hooks that ask before a tool is used and hear how it ended.

```python
options = ClaudeAgentOptions(hooks=guard_hooks(guard), ...)
```

Needs the package `claude-agent-sdk` (`pip install "truespec[claude]"`).
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from claude_agent_sdk import HookMatcher

from truespec.guard.adapters.conversation import Conversation
from truespec.guard.guard import Guard
from truespec.verdict import UsageError

_ANSWERS: dict[str, Any] = {}
"""What a hook without an opinion returns."""
_CONVERSATIONS: WeakKeyDictionary[Guard, Conversation] = WeakKeyDictionary()
"""The session of each guard, whichever options have its hooks."""


def guard_hooks(guard: Guard) -> dict[Any, list[HookMatcher]]:
    """The hooks of one conversation: prompts, tools before and after, failures.

    A hook that fails blocks the tool: nothing passes that the guard has not seen. Prompts and tools
    of another session than the first are blocked, and the reason says so.
    """
    conversation = _CONVERSATIONS.setdefault(
        guard, Conversation("make options with hooks of a guard of its own for each session")
    )

    def other(given: Any) -> str:
        """Why the event is none of this conversation; empty where it is one."""
        try:
            conversation.keep_to(given.get("session_id"))
        except UsageError as error:
            return str(error)
        return ""

    async def prompted(given: Any, _id: str | None, _context: Any) -> Any:
        if reason := other(given):
            return {"decision": "block", "reason": reason}
        guard.observe(given["prompt"], "user")
        return _ANSWERS

    async def before(given: Any, identifier: str | None, _context: Any) -> Any:
        output: dict[str, Any] = {"hookEventName": "PreToolUse"}
        if reason := other(given):
            return {"hookSpecificOutput": output | _denied(reason)}
        decision = await guard.admit(
            given["tool_name"], given["tool_input"], id=given.get("tool_use_id") or identifier or ""
        )
        if decision.allowed:
            # The input that was checked is the one that is used.
            output |= {"permissionDecision": "allow", "updatedInput": dict(decision.arguments)}
        else:
            output |= _denied(decision.message)
        return {"hookSpecificOutput": output}

    async def after(given: Any, identifier: str | None, _context: Any) -> Any:
        conversation.keep_to(given.get("session_id"))
        guard.result(given.get("tool_use_id") or identifier or "", given.get("tool_response"))
        return _ANSWERS

    async def failed(given: Any, identifier: str | None, _context: Any) -> Any:
        conversation.keep_to(given.get("session_id"))
        guard.result(given.get("tool_use_id") or identifier or "", given.get("error"), error=True)
        return _ANSWERS

    return {
        "UserPromptSubmit": [HookMatcher(hooks=[prompted])],
        "PreToolUse": [HookMatcher(hooks=[before], on_failure="block")],
        "PostToolUse": [HookMatcher(hooks=[after])],
        "PostToolUseFailure": [HookMatcher(hooks=[failed])],
    }


def _denied(reason: str) -> dict[str, str]:
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}
