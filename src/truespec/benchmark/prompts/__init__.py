"""What a model is told about each specification language, one Markdown file per domain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def language(domain: str) -> str:
    """The description of a domain's language; `FileNotFoundError` for a domain without one."""
    return files(__package__).joinpath(f"{domain}.md").read_text("utf-8")


def describe_context(context: Mapping[str, object], meanings: Mapping[str, str]) -> str:
    """The context as a model reads it: declarations as JSON, then what each name stands for."""
    lines = []
    for name, value in context.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"{name}: {shown}")
    lines += [f"{name} means: {meaning}" for name, meaning in meanings.items()]
    return "\n".join(lines) or "(nothing is declared)"
