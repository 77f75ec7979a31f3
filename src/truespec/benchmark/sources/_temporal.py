"""What the readers of temporal data sets share: files, and gold formulas that have to be readable."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from truespec.benchmark.sources._regex import files
from truespec.domains.temporal.parse import parse_infix
from truespec.temporal.syntax import Formula, atoms
from truespec.verdict import TruespecError, UsageError


def file(folder: Path, name: str) -> Path | None:
    """The file of this name in the folder or below it."""
    found = files(folder, name)
    return found[0] if found else None


def require(found: Iterable[Path | None], folder: Path, names: str) -> None:
    """`UsageError` where none of the set's files is there."""
    if not any(found):
        raise UsageError(f"{folder} holds none of {names}")


def infix(text: str) -> Formula | str:
    """The formula of a text, or why it is none."""
    try:
        return parse_infix(text)
    except TruespecError as error:
        return str(error)


def context(oracle: Formula, *others: Formula | str) -> dict[str, object]:
    """Infinite words over the atoms of the gold formula and of the others that can be read."""
    names = atoms(oracle)
    for other in others:
        names += [] if isinstance(other, str) else atoms(other)
    return {"logic": "ltl", "atoms": list(dict.fromkeys(names))}
