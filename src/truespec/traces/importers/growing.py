"""Requests of one conversation, logged one by one, as the one conversation that they are.

Each request repeats what was said before it. A record continues an earlier one where its messages begin with
all messages of that one, or where it names it (`previous_response_id`). The longest is kept and takes the
place of the first. Only the latest records wait to be continued, so that memory stays bounded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from truespec.traces.files import Problem
from truespec.traces.importers.pairing import made_up
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, Trace, prompt_of

WAITING = 64
"""Conversations that wait to be continued."""
UNIQUE = 12
"""Characters of an identifier that is not used for another call."""
RULE = "requests that repeat an earlier one and go on are one conversation"
BEGUN = "a request that an earlier record goes on from stands in that record's conversation"
ALIKE = "a record that begins as another one does is a conversation of its own"
_TIMES = ("request_created_at", "created_at", "createdAt", "startTime", "start_time", "timestamp", "created")
APPROVED = "a request for approval and the call that it was approved for are one call"
REQUESTED = "mcpr_"
"""How OpenAI's identifiers of requests for approval begin."""
_SESSIONS = ("conversation_id", "session_id", "thread_id", "trace_id")


@dataclass(slots=True)
class _Entry:
    item: Trace | Problem
    keys: list[tuple[Any, ...]]
    backwards: bool = False
    """Whether earlier requests of it were found behind later ones."""


def _key(message: Message) -> tuple[Any, ...]:
    if not message.calls and message.call_id is None:
        return (message.role, (message.text or "").strip(), (), None)
    calls = tuple(call.name if made_up(call.id) else call.id for call in message.calls)
    answered = None if made_up(message.call_id) else message.call_id
    # Some histories leave out what was said beside calls, or spell a result anew; identifiers that nobody
    # uses twice are enough.
    named = calls or (() if answered is None else (answered,))
    known = bool(named) and all(len(name or "") >= UNIQUE for name in named)
    return (message.role, "" if known else (message.text or "").strip(), calls, answered)


def _length(later: list[tuple[Any, ...]], earlier: list[tuple[Any, ...]]) -> int | None:
    """How many messages of a record say what all of an earlier one's do; None where it begins otherwise.

    A history may leave out the result of a hosted tool (an image), and what is neither said nor done.
    """
    at = 0
    for key in earlier:
        if at < len(later) and later[at] == key:
            at += 1
        elif not _is_left_out(key):
            return None
    return at


def _is_left_out(key: tuple[Any, ...]) -> bool:
    role, text, calls, answered = key
    return not text and not calls and (role == "assistant" if answered is None else len(answered) >= UNIQUE)


def _continues(later: Trace, keys: list[tuple[Any, ...]], earlier: _Entry) -> bool:
    before = earlier.item
    if not isinstance(before, Trace) or not earlier.keys or keys[:1] != earlier.keys[:1]:
        return False
    if before.system_prompt != later.system_prompt:
        return False
    length = _length(keys, earlier.keys)
    if length is None or length >= len(keys):
        return False
    for name in _SESSIONS:
        one, other = before.metadata.get(name), later.metadata.get(name)
        if one is not None and other is not None and one != other:
            return False
    roles = {key[0] for key in earlier.keys}
    if "user" not in roles:
        return False
    # A request without its reply goes on with the reply; one with it goes on with anything.
    return "assistant" in (earlier.keys[-1][0], keys[length][0])


def _alike(waiting: Iterable[_Entry], keys: list[tuple[Any, ...]]) -> list[_Entry]:
    """Those that begin with the same message and do not say the same: no other continues, or is continued."""
    first = keys[:1]
    return [entry for entry in waiting if entry.keys != keys and entry.keys[:1] == first]


def _is_begun(item: Trace, keys: list[tuple[Any, ...]], waiting: Iterable[_Entry], ledger: Ledger) -> bool:
    """Whether an earlier record is a later request of the same conversation: some logs have the newest first.

    Two conversations may begin alike: identifiers of calls that nobody uses twice, or times, tell.
    """
    begun = _Entry(item, keys)
    found = [e for e in waiting if isinstance(e.item, Trace) and _continues(e.item, e.keys, begun)]
    if not found:
        return False
    if len(found) == 1 and found[0].backwards:
        return True
    later = [entry.item for entry in found]
    named = [call.id or "" for message in item.messages for call in message.calls]
    if named and all(len(name) >= UNIQUE and not made_up(name) for name in named):
        found[-1].backwards = True
        return True
    dated = [key for key in _TIMES if item.metadata.get(key) is not None]
    if any(
        _is_less(item.metadata[key], o.metadata.get(key))
        for o in later
        if isinstance(o, Trace)
        for key in dated
    ):
        return True
    ledger.assumed[ALIKE] += 1
    return False


def _is_less(one: Any, other: Any) -> bool:
    return type(one) is type(other) and isinstance(one, str | int | float) and bool(one < other)


def grown(items: Iterable[Trace | Problem], ledger: Ledger) -> Iterator[Trace | Problem]:
    """The conversations of a log, each once, with problems in their places."""
    waiting: deque[_Entry] = deque()
    for item in items:
        if isinstance(item, Problem):
            waiting.append(_Entry(item, []))
        else:
            keys = [_key(message) for message in item.messages]
            alike = _alike(waiting, keys)
            entry = next((e for e in reversed(alike) if _continues(item, keys, e)), None)
            named = None if entry else _named(item, waiting)
            if entry is not None and isinstance(entry.item, Trace):
                messages = _behind(entry, item, keys)
                entry.item = _joined(entry.item, item, messages)
                entry.keys = keys if messages is item.messages else [_key(message) for message in messages]
                ledger.rules[RULE] += 1
            elif named is not None and isinstance(named.item, Trace):
                messages = _go_on(named.item.messages, item.messages, ledger)
                named.item = _joined(named.item, item, messages)
                named.keys = [_key(message) for message in messages]
                ledger.rules[RULE] += 1
            elif _is_begun(item, keys, alike, ledger):
                ledger.rules[BEGUN] += 1
            else:
                waiting.append(_Entry(item, keys))
        while len(waiting) > WAITING or (waiting and isinstance(waiting[0].item, Problem)):
            yield _settled(waiting.popleft().item, ledger)
    yield from (_settled(entry.item, ledger) for entry in waiting)


def _settled(item: Trace | Problem, ledger: Ledger) -> Trace | Problem:
    """The trace without requests for approval of calls that were made; their messages stay where they are."""
    if isinstance(item, Problem):
        return item
    calls = [call for message in item.messages for call in message.calls]
    if not any((call.id or "").startswith(REQUESTED) for call in calls):
        return item
    made = [(call.name, call.arguments) for call in calls if not (call.id or "").startswith(REQUESTED)]
    messages = tuple(_without_requests(message, made, ledger) for message in item.messages)
    return replace(item, messages=messages)


def _without_requests(message: Message, made: list[tuple[str, Any]], ledger: Ledger) -> Message:
    kept = tuple(
        call
        for call in message.calls
        if not (call.id or "").startswith(REQUESTED) or (call.name, call.arguments) not in made
    )
    if len(kept) == len(message.calls):
        return message
    ledger.rules[APPROVED] += len(message.calls) - len(kept)
    return replace(message, calls=kept)


def _named(item: Trace, waiting: Iterable[_Entry]) -> _Entry | None:
    """The record that a record goes on from: the response it names, or the latest of its conversation."""
    name = item.metadata.get("previous_response_id")
    if not isinstance(name, str):
        kept = _kept(item)
        found = [e for e in waiting if kept and isinstance(e.item, Trace) and _kept(e.item) == kept]
        return found[-1] if found else None
    return next(
        (
            e
            for e in waiting
            if isinstance(e.item, Trace) and name in (e.item.id, e.item.metadata.get("response_id"))
        ),
        None,
    )


def _kept(item: Trace) -> str | None:
    """The conversation of OpenAI's that a response belongs to; its items are kept there, not repeated."""
    told = item.metadata.get("conversation")
    told = told.get("id") if isinstance(told, Mapping) else told
    return told if isinstance(told, str) and item.source.format == "openai-responses" else None


def _go_on(before: tuple[Message, ...], after: tuple[Message, ...], ledger: Ledger) -> tuple[Message, ...]:
    """The messages of a request and of the one that names it; what both tell stands once."""
    told = [message.text for message in before if message.role == "system"]
    after = tuple(m for m in after if m.role != "system" or m.text not in told)
    called = [(call.name, call.arguments) for message in after for call in message.calls]
    made = []
    for message in before:
        kept = _without_requests(message, called, ledger)
        if kept is not message and not (kept.calls or kept.text or kept.reasoning or kept.extra):
            continue
        message = kept
        made.append(message)
    return (*made, *after)


def _behind(entry: _Entry, later: Trace, keys: list[tuple[Any, ...]]) -> tuple[Message, ...]:
    """The messages of both; of spans, each with the first span that holds it, and its calls' identifiers."""
    earlier = entry.item
    length = _length(keys, entry.keys)
    if not isinstance(earlier, Trace) or length is None:
        return later.messages
    if length < len(entry.keys):  # what the history leaves out is known from before
        return earlier.messages + later.messages[length:]
    if not later.spans:
        return later.messages
    again = zip(earlier.messages, later.messages, strict=False)
    known = tuple(
        replace(one, calls=other.calls, call_id=other.call_id, tool=other.tool or one.tool)
        if one.calls != other.calls or one.call_id != other.call_id
        else one
        for one, other in again
    )
    return known + later.messages[len(known) :]


def _joined(earlier: Trace, later: Trace, messages: tuple[Message, ...]) -> Trace:
    return replace(
        later,
        id=earlier.id,
        messages=messages,
        source=earlier.source,
        system_prompt=later.system_prompt or earlier.system_prompt or prompt_of(messages),
        tools=later.tools if later.tools is not None else earlier.tools,
        spans=earlier.spans + later.spans,
        metadata={**earlier.metadata, **later.metadata, "response_id": later.id},
    )
