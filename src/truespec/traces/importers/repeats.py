"""What the history of a model call says again in another form: calls under other identifiers, results.

A history repeats what was said and done before. Some exporters give a repeated call another identifier, join
the results of several calls in one message, or leave a result empty. Each rule here says when such a message
is the same as a known one; its uses are counted in the ledger.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.importers.census import census
from truespec.traces.importers.parts import ARGUMENTS, REFERENCES
from truespec.traces.importers.shared import dicts
from truespec.traces.importers.threads import canonical, outcome_key
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall

RENAMED = "a call that the next request repeats under another identifier is the same call"
JOINED = "a message that only repeats the results before it is no result of its own"
TWICE = "a result that one request tells twice is one result"
EMPTY = "an empty result without an identifier or a tool, where results and open calls do not pair"
SPARE = 20
"""How many characters a message that repeats results may add to them: `Observation:` and the like."""


def same(call: ToolCall, name: str, arguments: object) -> bool:
    """Whether a call is of this tool with these arguments."""
    return call.name == name and canonical(call.arguments) == canonical(arguments)


def renamed(
    inputs: Iterable[Message], said: Sequence[ToolCall], known: Mapping[str, object]
) -> dict[str, str]:
    """The identifiers in a history that stand for calls of the reply just before, each with the call's own.

    `said` are the calls of that reply, `known` the identifiers of all calls so far. An identifier stands for
    a call only where the history does not hold the call's own.
    """
    inputs = list(inputs)
    here = {call.id for message in inputs for call in message.calls}
    missing = [call for call in said if call.id is not None and call.id not in here]
    found: dict[str, str] = {}
    for call in [call for message in inputs for call in message.calls]:
        if call.id is None or call.id in known or call.id in found:
            continue
        twin = next((one for one in missing if same(one, call.name, call.arguments)), None)
        if twin is not None:
            missing.remove(twin)
            found[call.id] = str(twin.id)
    return found


def under(message: Message, names: Mapping[str, str]) -> Message:
    """The message with these identifiers replaced."""
    if message.role == "tool":
        return replace(message, call_id=names.get(message.call_id or "", message.call_id))
    if not any(call.id in names for call in message.calls):
        return message
    calls = tuple(replace(call, id=names.get(call.id or "", call.id)) for call in message.calls)
    return replace(message, calls=calls)


def joined(text: str | None, results: Iterable[str]) -> bool:
    """Whether a text is nothing but results that are known, with a few words around them.

    One that begins with `Error` may say more about a failure that is known.
    """
    left = text or ""
    results = list(results)
    if left.startswith("Error") and any(len(result) > SPARE and result in left for result in results):
        return True
    for result in sorted({result for result in results if result.strip()}, key=len, reverse=True):
        left = left.replace(result, "")
    return left != (text or "") and len(left.strip()) <= SPARE


def sums_up(text: str | None, results: Sequence[str]) -> bool:
    """Whether a text is several known results, or one and nothing else, with white space between them."""
    left = text or ""
    for result in sorted({result for result in results if result.strip()}, key=len, reverse=True):
        left = left.replace(result, "")
    return left != (text or "") and not left.strip() and text not in results


def told_once(inputs: Sequence[Message], ledger: Ledger) -> list[Message]:
    """A history without the results that it tells a second time, with no call of that identifier between."""
    given: dict[str | None, str] = {}
    made = []
    for message in inputs:
        for call in message.calls:
            given.pop(call.id, None)
        if message.role == "tool" and message.call_id is not None:
            key = outcome_key(message.text)
            if given.get(message.call_id) == key:
                ledger.rules[TWICE] += 1
                continue
            given[message.call_id] = key
        made.append(message)
    return made


def without_empty(
    inputs: Sequence[Message], answered: Iterable[str | None], ledger: Ledger, place: str
) -> list[Message]:
    """A history without empty results that nobody can tell to be of any call.

    Where the results between two turns are not as many as the calls, or the calls have their results already,
    the exporter did not keep what was in such results: all of that history's go.
    """
    bare = [_bare(message) for message in inputs]
    if not any(bare) or _pairs(inputs, bare, set(answered)):
        return list(inputs)
    for _ in range(sum(bare)):
        ledger.results.drop(EMPTY, place)
    return [message for message, empty in zip(inputs, bare, strict=True) if not empty]


def _bare(message: Message) -> bool:
    said = message.call_id or message.tool or (message.text or "").strip()
    return message.role == "tool" and not said


def _pairs(inputs: Sequence[Message], bare: Sequence[bool], answered: set[str | None]) -> bool:
    """Whether each block of results with an empty one is as long as the calls before it, one of them open."""
    calls: list[ToolCall] = []
    results: list[bool] = []
    blocks: list[tuple[list[ToolCall], list[bool]]] = [(calls, results)]
    for message, empty in zip(inputs, bare, strict=True):
        if message.role == "tool":
            results.append(empty)
            continue
        if results:
            calls, results = [], []
            blocks.append((calls, results))
        calls.extend(message.calls)
    return all(
        len(asked) == len(given) and any(call.id not in answered for call in asked)
        for asked, given in blocks
        if any(given)
    )


HISTORY = "a message that says that it repeats the history stands once"


def without_history(groups: Sequence[tuple[str, Any]], ledger: Ledger) -> list[tuple[str, Any]]:
    """Lists of messages without those of later runs that repeat earlier ones and say so (Agno)."""
    known: set[str] = set()
    made: list[tuple[str, Any]] = []
    for kind, listed in groups:
        if kind == "messages" and any(isinstance(one, Mapping) and "from_history" in one for one in listed):
            names = [canonical([one.get(key) for key in _REPEATED]) for one in dicts(listed)]
            kept = [
                one
                for one, name in zip(dicts(listed), names, strict=True)
                if name not in known or not (one.get("from_history") or one.get("role") == "system")
            ]
            known.update(names)
            ledger.rules[HISTORY] += len(listed) - len(kept)
            listed = kept
        made.append((kind, listed))
    return made


_REPEATED = ("role", "content", "tool_calls", "tool_call_id")


LISTED = "a list beside messages of calls that these hold, too, is read once"


def without_listed(groups: Sequence[tuple[str, Any]], ledger: Ledger) -> list[tuple[str, Any]]:
    """Lists of messages without items of no role whose calls and results messages with a role hold."""
    spoken = [one for kind, listed in groups if kind == "messages" for one in dicts(listed) if "role" in one]
    found = list(census(spoken))
    known = {one.id for one in found if isinstance(one, ToolCall)}
    answered = {one.call_id for one in found if isinstance(one, Message)}
    made: list[tuple[str, Any]] = []
    for kind, listed in groups:
        kept = listed
        if kind == "messages" and known:
            kept = [one for one in listed if not _is_listed(one, known, answered)]
            ledger.rules.update({LISTED: len(listed) - len(kept)} if len(kept) < len(listed) else {})
        made.append((kind, kept))
    return [(kind, listed) for kind, listed in made if listed]


def _is_listed(item: Any, known: Container[str | None], answered: Container[str | None]) -> bool:
    if not isinstance(item, Mapping) or "role" in item or not any(key in item for key in ARGUMENTS):
        return False
    name = next((item[key] for key in (*REFERENCES, "tool_id", "id") if isinstance(item.get(key), str)), None)
    gave = any(item.get(key) is not None for key in ("output", "result", "tool_output"))
    return name is not None and name in known and (name in answered or not gave)
