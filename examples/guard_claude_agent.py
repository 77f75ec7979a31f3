"""The hooks of a guard for the Claude Agent SDK, driven by a script: no key, no network, no `claude` command.

Run it with `pip install "truespec[claude]"` and `python examples/guard_claude_agent.py`. In an agent,
pass the options to `ClaudeSDKClient` or `query`; the command then calls the hooks as this script does.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions

from truespec.guard import Guard
from truespec.guard.adapters.claude_agent import guard_hooks
from truespec.rules import load_file

POLICY = Path(__file__).with_name("guard_policy.yml")
SCRIPT = [
    ("refund", {"order": "7", "amount": 30}),  # blocked: not looked up
    ("look_up", {"order": "7"}),
    ("refund", {"order": "7", "amount": 30}),
    ("refund", {"order": "7", "amount": 30}),  # blocked: refunded already
]


async def run(options: ClaudeAgentOptions) -> int:
    """Let the script use tools as the command does; the number of refunds carried out."""
    assert options.hooks is not None
    hooks: dict[str, Any] = {name: listed[0].hooks[0] for name, listed in options.hooks.items()}
    await hooks["UserPromptSubmit"]({"prompt": "Please refund order 7."}, None, {"signal": None})
    refunds = 0
    for number, (tool, given) in enumerate(SCRIPT):
        event = {"tool_name": tool, "tool_input": given, "tool_use_id": f"t{number}"}
        answer = (await hooks["PreToolUse"](event, event["tool_use_id"], {"signal": None}))[
            "hookSpecificOutput"
        ]
        if answer["permissionDecision"] == "deny":
            print(f"tool: {answer['permissionDecisionReason'].splitlines()[-1]}")
            continue
        refunds += tool == "refund"
        result = "refunded" if tool == "refund" else "order 7: 30"
        print(f"tool: {result}")
        await hooks["PostToolUse"]({**event, "tool_response": result}, event["tool_use_id"], {"signal": None})
    return refunds


def main() -> None:
    """Run the script and show what the tools answered."""
    options = ClaudeAgentOptions(hooks=guard_hooks(Guard(load_file(POLICY))))
    print(f"refunds carried out: {asyncio.run(run(options))}")


if __name__ == "__main__":
    main()
