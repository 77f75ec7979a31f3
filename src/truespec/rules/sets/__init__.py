"""Rule sets written by hand from the policies of known environments, one YAML file each.

Each rule has a quote with its place in the prompt whose hash stands beside it. Other prompts of the same
environment may hold the same words elsewhere.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from truespec.rules.language import load_rules
from truespec.rules.rule import Rule
from truespec.verdict import UsageError

FOLDER = Path(__file__).parent
TAU2 = "tau2"
"""The name for all of them."""


@cache
def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.glob("*.yml"))}


def set_names() -> list[str]:
    """The sets, by name."""
    return list(_files())


def set_text(name: str) -> str:
    """The YAML of a set."""
    if name not in _files():
        raise UsageError(f"no rule set {name!r}; there are {', '.join(set_names())}")
    return _files()[name].read_text(encoding="utf-8")


def rule_set(name: str) -> tuple[Rule, ...]:
    """The rules of a set."""
    return load_rules(set_text(name), name)


def all_sets() -> tuple[Rule, ...]:
    """The rules of every set; each speaks of its own environment alone."""
    return tuple(rule for name in set_names() for rule in rule_set(name))
