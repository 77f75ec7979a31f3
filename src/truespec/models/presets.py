"""Models by short names: the nine of RESpecBench (Table 7), reached as the paper did, through OpenRouter."""

from __future__ import annotations

RESPECBENCH = {
    "gpt-5": "openrouter/openai/gpt-5",
    "gpt-5-mini": "openrouter/openai/gpt-5-mini",
    "gpt-oss-120b": "openrouter/openai/gpt-oss-120b",
    "gpt-oss-20b": "openrouter/openai/gpt-oss-20b",
    "claude-sonnet-4": "openrouter/anthropic/claude-sonnet-4",
    "gemini-2.5-pro": "openrouter/google/gemini-2.5-pro",
    "gemini-2.5-flash": "openrouter/google/gemini-2.5-flash",
    "qwen3-next-thinking": "openrouter/qwen/qwen3-next-80b-a3b-thinking",
    "qwen3-next": "openrouter/qwen/qwen3-next-80b-a3b-instruct",
}
"""Short name to Inspect AI's name; each needs OPENROUTER_API_KEY."""

PREFIX = "respecbench"
"""`respecbench` stands for all nine, `respecbench/gpt-5` for one."""


def expand(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names with presets in place of their short names, each once; other names stay as they are.

    >>> expand(("respecbench/gpt-5", "scripted:overlap"))
    ('openrouter/openai/gpt-5', 'scripted:overlap')
    >>> len(expand(("respecbench",)))
    9
    """
    found: list[str] = []
    for name in names:
        if name == PREFIX:
            found += RESPECBENCH.values()
        else:
            found.append(RESPECBENCH.get(name.removeprefix(PREFIX + "/"), name) if PREFIX in name else name)
    return tuple(dict.fromkeys(found))
