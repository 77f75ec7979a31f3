"""Rule packs that come with the package: YAML files beside this one, each documented in its head."""

from __future__ import annotations

from pathlib import Path

from truespec.verdict import UsageError

FOLDER = Path(__file__).parent


def pack_names() -> list[str]:
    """The packs, by name."""
    return sorted(path.stem for path in FOLDER.glob("*.yml"))


def pack_text(name: str) -> str:
    """The YAML of a pack."""
    if name not in pack_names():
        raise UsageError(f"no pack {name!r}; there are {', '.join(pack_names())}")
    return (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
