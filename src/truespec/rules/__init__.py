"""Rules that are checked rather than judged: a language, and monitors that read a trace once.

`rule` and `language` say what a rule is, `predicate` what can be said of one event, `formula` what can be
said of a sequence (linear temporal logic on finite traces, with past), `progress` runs formulas, `direct`
evaluates them by definition, `monitor` runs rules over traces, `compare` proves what rules mean to each
other.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truespec.rules.language import load_file
    from truespec.rules.monitor import Monitor
    from truespec.rules.packs import pack
    from truespec.rules.ruleset import RuleSet

_PLACES = {"Monitor": "monitor", "RuleSet": "ruleset", "load_file": "language", "pack": "packs"}
"""The modules of what is imported on first use: nobody waits for the automata that only names a rule."""

__all__ = ["Monitor", "RuleSet", "load_file", "pack"]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
