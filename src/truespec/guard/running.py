"""Carrying out a call that was let pass: how a tool is called, and what its result says."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

Outcome = Callable[[Any], "tuple[str, bool | None]"]
"""Reads what a tool gave back: the text of its result, and whether the call failed, where that is known."""


def called(run: Any, arguments: Mapping[str, Any] | None) -> Any:
    """What `run` gives: called with the arguments by name, or as one value, or with nothing; or itself, where
    it is something to await."""
    given = dict(arguments or {})
    if inspect.isawaitable(run):
        return run
    try:
        signature = inspect.signature(run)
    except (ValueError, TypeError):  # built in, without a signature
        return run(**given)
    if not signature.parameters:
        return run()
    for args, kwargs in (((), given), ((given,), {})):
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            continue
        return run(*args, **kwargs)
    return run(**given)


def outcome_text(value: Any) -> str:
    """What a tool gave back, as the text of its result."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if callable(dump := getattr(value, "model_dump", None)):
        value = dump(mode="json")
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def plain_outcome(value: Any) -> tuple[str, bool | None]:
    """The value as a text; whether it tells a failure is left to the rules' predicates."""
    return outcome_text(value), None
