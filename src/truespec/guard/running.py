"""Carrying out a call that was let pass: how a tool is called, and what its result says."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from truespec.untrusted.nesting import check_json
from truespec.verdict import UsageError

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


def approved(answer: Any) -> bool:
    """Whether a person said yes: True alone does, since a text such as "no" would pass for it."""
    if answer is not None and not isinstance(answer, bool):
        raise UsageError(f"'ask' answers True or False, not {answer!r:.60}; nothing was carried out")
    return answer is True


def finished(value: Any) -> Any:
    """What a tool gave back; `UsageError` where it has not run yet, or not to its end."""
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise UsageError("the tool has to be awaited: use `await guard.call`")
    if inspect.isgenerator(value) or inspect.isasyncgen(value):
        raise UsageError(
            "the tool gives its result in pieces, so nothing was run: collect them in a function"
        )
    return value


def parsed(text: str) -> Any:
    """The value of a JSON text; a text where it is none, which is then refused. `ValueError` where an object
    has a name twice: two readers may take different values of it."""
    try:
        check_json(text.encode("utf-8", "surrogatepass"))
        return json.loads(text, object_pairs_hook=_once)
    except _Twice:
        raise
    except ValueError:
        return text


class _Twice(ValueError):
    """A name that stands twice in an object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        name = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _Twice(f"an object has the name {name!r:.60} twice")
    return made


def outcome_text(value: Any) -> str:
    """What a tool gave back, as the text of its result."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        if callable(dump := getattr(value, "model_dump", None)):
            value = dump(mode="json")
        return json.dumps(value, ensure_ascii=False, default=str)
    except (
        Exception
    ):  # of the tool's own class: the act has happened, and its result is recorded all the same
        return str(value)


def plain_outcome(value: Any) -> tuple[str, bool | None]:
    """The value as a text; whether it tells a failure is left to the rules' predicates."""
    return outcome_text(value), None
