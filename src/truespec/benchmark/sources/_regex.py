"""What the readers of regular expressions share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from truespec.verdict import UsageError

DEEPREGEX: dict[str, object] = {"dialect": "deepregex"}
"""The context of the sets that use `&` and `~`."""

_TOKENS = {
    "<VOW>": "AEIOUaeiou", "<NUM>": "0-9", "<LET>": "A-Za-z", "<CAP>": "A-Z", "<LOW>": "a-z",
    "<M0>": "dog", "<M1>": "truck", "<M2>": "ring", "<M3>": "lake",
}  # fmt: skip


def files(folder: Path, *patterns: str) -> list[Path]:
    """The files below `folder` that match one of the patterns, in a fixed order."""
    return sorted({path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()})


def require(found: list[Path], folder: Path, expected: str) -> list[Path]:
    """The files, or `UsageError` where there are none."""
    if not found:
        raise UsageError(f"{folder} holds none of the set's files: expected {expected} there or below it")
    return found


def lines(path: Path) -> list[str]:
    """The lines of a text file without their ends; `UsageError` names a file that cannot be read."""
    try:
        parts = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(f"{path}: {error}") from error
    if parts and not parts[-1]:
        parts.pop()
    return [part.rstrip("\r") for part in parts]


def json_lines(path: Path) -> Iterator[tuple[int, object]]:
    """Line number and value of each line of a JSON Lines file; a broken line yields its error as a string."""
    for number, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except ValueError as error:
            yield number, f"not JSON: {error}"


def untokenized(text: str) -> str:
    """A tokenized target as it was: placeholders written out, blanks deleted.

    >>> untokenized("( <M0> ) & ( [ <NUM> ] )")
    '(dog)&([0-9])'
    """
    return re.sub(r"<[A-Z]+\d?>", lambda token: _TOKENS.get(token[0], token[0]), text).replace(" ", "")


def relative(path: Path, folder: Path) -> str:
    """The path as a record's source names it."""
    return path.relative_to(folder).as_posix()
