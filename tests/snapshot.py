"""Goldens of everything people read, in `tests/snapshots/goldens/`."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

GOLDENS = Path(__file__).parent / "snapshots" / "goldens"


def snapshot(name: str, text: str) -> None:
    """Compare a text with its golden; under `TRUESPEC_UPDATE_SNAPSHOTS=1` write the golden instead.

    What varies between runs (times, versions, addresses) is replaced by the caller beforehand.
    """
    path = GOLDENS / name
    if os.environ.get("TRUESPEC_UPDATE_SNAPSHOTS") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    assert path.exists(), f"there is no golden {path}: 'make snapshots' writes it, for review in the diff"
    golden = path.read_text(encoding="utf-8")
    if text != golden:
        lines = difflib.unified_diff(
            golden.splitlines(), text.splitlines(), f"golden {name}", "now", lineterm=""
        )
        raise AssertionError("\n".join([f"{name} has changed; 'make snapshots' accepts it", *lines]))


def steady(text: str) -> list[str]:
    """Lines without what differs from run to run and from machine to machine."""
    text = re.sub(r"\d[\d.e-]* (s\b|ms\b|µs\b)", "TIME", text)
    text = re.sub(r"Python re [\d.]+", "Python re", text)
    return [" ".join(line.split()) for line in text.strip().splitlines()]
