"""Files that a caller names and that are read at once: bounded, and named where something is wrong."""

from __future__ import annotations

from pathlib import Path

from truespec.verdict import UsageError

TEXT_BYTES = 64 << 20
"""A longer file is refused."""


def text_of(path: Path, most: int | None = TEXT_BYTES) -> str:
    """The text of a file in UTF-8; `UsageError` names a file that cannot be read.

    `most` bounds its bytes; None does not.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(-1 if most is None else most + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    if most is not None and len(raw) > most:
        raise UsageError(f"{path}: more than {most >> 20} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}") from None
