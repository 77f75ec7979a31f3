"""Rule packs that come with the package: YAML files beside this one, each documented in its head."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from truespec.rules.language import load_rules
from truespec.rules.rule import Rule
from truespec.rules.yaml_place import listed
from truespec.verdict import UsageError

FOLDER = Path(__file__).parent


@cache
def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.glob("*.yml"))}


def pack_names() -> list[str]:
    """The packs, by name."""
    return list(_files())


def pack_text(name: str) -> str:
    """The YAML of a pack."""
    if name not in _files():
        raise UsageError(f"no pack {name!r}{listed(name, pack_names())}")
    return _files()[name].read_text(encoding="utf-8")


def pack(name: str, parameters: Mapping[str, Any] | None = None) -> tuple[Rule, ...]:
    """The rules of a pack, with its parameters as given or by default."""
    return load_rules(pack_text(name), name, parameters)


def all_packs() -> tuple[Rule, ...]:
    """The rules of every pack."""
    return tuple(rule for name in pack_names() for rule in pack(name))
