"""Logs of changes to one object: VS Code keeps a chat session as a file of them.

The first line holds the object (`kind` 0), each later one sets a value (1), adds to a list (2, from the place
`i` on where it names one), or deletes a value (3); `k` is the path.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief

_SET, _PUSH, _DELETE = 1, 2, 3
LOST = "a change of a session that cannot be made"


def is_log(head: Any) -> bool:
    """Whether a line is the first of a session's log."""
    return (
        isinstance(head, dict)
        and head.get("kind") == 0
        and isinstance(head.get("v"), dict)
        and ("requests" in head["v"] or "responderUsername" in head["v"])
    )


def replayed(file: TraceFile) -> Generator[Problem, None, dict[str, Any]]:
    """The object as it is after the last change."""
    made: dict[str, Any] = {}
    for line, entry in file.lines():
        if isinstance(entry, Problem):
            yield entry
        elif is_log(entry):
            made = entry["v"]
        elif not (isinstance(entry, dict) and _changed(made, entry)):
            file.ledger.items.drop(LOST, f"line {line}")
            yield file.problem(f"line {line}", f"{LOST}: {brief(entry)}")
    return made


def _changed(made: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Make one change; whether there was a place for it."""
    path, kind = entry.get("k"), entry.get("kind")
    if not isinstance(path, list) or not path:
        return False
    at: Any = made
    try:
        for step in path[:-1]:
            at = at[step]
        if kind == _SET:
            at[path[-1]] = entry.get("v")
        elif kind == _DELETE:
            del at[path[-1]]
        elif kind == _PUSH:
            listed = at.setdefault(path[-1], []) if isinstance(at, dict) else at[path[-1]]
            if isinstance(entry.get("i"), int):
                del listed[entry["i"] :]
            listed.extend(entry.get("v") or ())
        else:
            return False
    except (LookupError, TypeError, AttributeError):
        return False
    return True
