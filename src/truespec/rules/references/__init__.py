"""Rules that reproduce counts published by others, kept beside the packs as worked examples and tests."""

from __future__ import annotations

from pathlib import Path

from truespec.rules.language import load_rules
from truespec.rules.rule import Rule


def reference(name: str) -> tuple[Rule, ...]:
    """The rules of a reference file, e.g. `tau2`."""
    return load_rules((Path(__file__).parent / f"{name}.yml").read_text(encoding="utf-8"), name)
