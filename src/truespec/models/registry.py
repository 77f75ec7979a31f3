"""Models by name. A prefix names the kind; a name without one goes to Inspect AI, e.g. `openai/gpt-5`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from truespec.models.contract import Model

KINDS: dict[str, str] = {
    "python": "truespec.models.function:open_function",
    "recorded": "truespec.models.recorded:open_recording",
    "scripted": "truespec.judges.scripted:open_scripted",
}
"""Prefix to `module:function`; the function takes the whole name and what follows the prefix."""

PROVIDER = "truespec.models.inspect:open_provider"
"""Who opens every other name."""


def open_model(name: str) -> Model:
    """The model of this name; `UsageError` says what is wrong with it or what to install."""
    kind, colon, rest = name.partition(":")
    target = KINDS.get(kind) if colon else None
    module, _, attribute = (target or PROVIDER).partition(":")
    opened = cast("Callable[[str, str], Model]", getattr(importlib.import_module(module), attribute))
    return opened(name, rest if target else name)
