"""Guards for the Claude Agent SDK: hooks that ask before a tool is used and hear how it ended.

```python
options = ClaudeAgentOptions(hooks=guard_hooks(guard), ...)
```

Needs the package `claude-agent-sdk` (`pip install "truespec[claude]"`).
"""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import HookMatcher

from truespec.guard.guard import Guard

_ANSWERS: dict[str, Any] = {}
"""What a hook without an opinion returns."""


def guard_hooks(guard: Guard) -> dict[Any, list[HookMatcher]]:
    """The hooks of one conversation: prompts, tools before and after, failures.

    A hook that fails blocks the tool: nothing passes that the guard has not seen.
    """

    async def prompted(given: Any, _id: str | None, _context: Any) -> Any:
        guard.observe(given["prompt"], "user")
        return _ANSWERS

    async def before(given: Any, identifier: str | None, _context: Any) -> Any:
        decision = await guard.admit(
            given["tool_name"], given["tool_input"], id=given.get("tool_use_id") or identifier or ""
        )
        output: dict[str, Any] = {"hookEventName": "PreToolUse"}
        if decision.allowed:
            # The input that was checked is the one that is used.
            output |= {"permissionDecision": "allow", "updatedInput": dict(decision.arguments)}
        else:
            output |= {"permissionDecision": "deny", "permissionDecisionReason": decision.message}
        return {"hookSpecificOutput": output}

    async def after(given: Any, identifier: str | None, _context: Any) -> Any:
        guard.result(given.get("tool_use_id") or identifier or "", given.get("tool_response"))
        return _ANSWERS

    async def failed(given: Any, identifier: str | None, _context: Any) -> Any:
        guard.result(given.get("tool_use_id") or identifier or "", given.get("error"), error=True)
        return _ANSWERS

    return {
        "UserPromptSubmit": [HookMatcher(hooks=[prompted])],
        "PreToolUse": [HookMatcher(hooks=[before], on_failure="block")],
        "PostToolUse": [HookMatcher(hooks=[after])],
        "PostToolUseFailure": [HookMatcher(hooks=[failed])],
    }
