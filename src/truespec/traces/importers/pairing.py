"""Results that name no call, brought to the calls they answer by a stated rule."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.traces.importers.parts import REPEATED_CALL
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall

RULE = (
    "a result without an identifier answers the open call of its tool, else any open call: of those just "
    "before it the first, else the earliest"
)


SEVERAL = (
    "results without identifiers, where a tool has several open calls, are taken to stand in the calls' order"
)
REPEATED = "a result without an identifier that repeats its call answers the open call with these arguments"
ORDER = "results whose identifiers no call has answer the open calls just before them, in order"


_MADE_UP = re.compile(r"call-\d+-\d+")


def made_up(identifier: str | None) -> bool:
    """Whether the source gave no identifier: there is none, or `paired` made it."""
    return not identifier or _MADE_UP.fullmatch(identifier) is not None


def in_order(messages: Sequence[Message], ledger: Ledger) -> list[Message]:
    """The messages, with results of unknown identifiers brought to the calls just before them.

    Only where as many results of unknown identifiers follow as there are calls without a result.
    """
    made = list(messages)
    named = {m.call_id for m in made if m.role == "tool"}
    known = {call.id for m in made for call in m.calls}
    calls: list[ToolCall] = []
    strangers: list[int] = []

    def close() -> None:
        if strangers and len(strangers) == len(calls):
            (ledger.assumed if len(calls) > 1 else ledger.rules)[ORDER] += len(strangers)
            for index, call in zip(strangers, calls, strict=True):
                made[index] = replace(made[index], call_id=call.id, tool=made[index].tool or call.name)
        strangers.clear()

    for index, message in enumerate(messages):
        if message.role == "tool":
            if message.call_id is not None and message.call_id not in known:
                strangers.append(index)
            continue
        if strangers or (index and messages[index - 1].role == "tool"):
            close()
            calls = []
        calls += [call for call in message.calls if call.id is not None and call.id not in named]
    close()
    return made


def in_history(messages: Sequence[Message], answered: Container[str | None], ledger: Ledger) -> list[Message]:
    """The history of a model call, each result with the identifier of its call where its place tells it.

    Results that no call of the history is known by answer the calls just before them in order, where they are
    as many; so do those whose identifiers count the parts of a message, and are all off by as many.
    `answered` are the calls that have their results from before: the ledger counts each result once.
    """
    if not any(message.role == "tool" for message in messages):
        return list(messages)
    made = list(messages)
    own = {call.id for message in messages for call in message.calls}
    calls: list[ToolCall] = []
    results: list[int] = []

    def close() -> None:
        strangers = [index for index in results if made[index].call_id not in own]
        pairs = list(zip(results, calls, strict=False))
        shifted = _are_shifted([made[index].call_id for index in results], calls)
        if (
            len(results) == len(calls)
            and (shifted or len(strangers) == len(calls))
            and all(
                call.id is not None and made[index].tool in (None, call.name) and made[index].text
                for index, call in pairs
            )
        ):
            fresh = sum(call.id not in answered for call in calls)
            if fresh:
                (ledger.assumed if len(calls) > 1 else ledger.rules)[ORDER] += fresh
            for index, call in pairs:
                made[index] = replace(made[index], call_id=call.id, tool=call.name)
        results.clear()
        calls.clear()

    for index, message in enumerate(messages):
        if message.role == "tool":
            results.append(index)
            continue
        if results:
            close()
        calls += message.calls
    close()
    return made


def _are_shifted(answered: Sequence[str | None], calls: Sequence[ToolCall]) -> bool:
    """Whether identifiers are a tool's name and a place, and all results are off by as many places."""
    offsets: set[int] = set()
    for name, call in zip(answered, calls, strict=False):
        prefix, digits = f"{call.name}_", (name or "", call.id or "")
        if not all(one.startswith(prefix) and one[len(prefix) :].isdecimal() for one in digits):
            return False
        there, here = (int(one[len(prefix) :]) for one in digits)
        offsets.add(there - here)
    return len(offsets) == 1 and offsets != {0}


def _is_call(call: ToolCall, repeated: Any) -> bool:
    """Whether a call is the one that a result repeats, with its name and arguments."""
    given = repeated.get("parameters") if isinstance(repeated, Mapping) else None
    return call.name == repeated.get("name") and (call.arguments or {}) == (given or {})


def paired(messages: Sequence[Message], ledger: Ledger, threads: Sequence[int | None] = ()) -> list[Message]:
    """The messages, each result with the identifier of its call.

    A result that names its call is left as it is. Another one answers a call before it that has no result
    yet: the one that it repeats, else one of its own tool if it names one, else one of any tool. The calls
    between the results before it and itself come first, in their order; then those before them. The ledger
    tells where the order had to be assumed. Of several `threads`, one for each message, a result answers a
    call of its own.
    """
    made = list(messages)
    if not any(m.role == "tool" and m.call_id is None for m in made):
        return made
    named = {m.call_id for m in made if m.role == "tool" and m.call_id is not None}
    waiting: list[tuple[int, int]] = []
    tied: set[tuple[int, int]] = set()
    block, answering = 0, False
    for index, message in enumerate(made):
        if message.calls and answering:
            block, answering = index, False
        answering = answering or message.role == "tool"
        waiting += [
            (index, number)
            for number, call in enumerate(message.calls)
            if call.id is None or call.id not in named
        ]
        if message.role != "tool" or message.call_id is not None:
            continue
        places = [place for place in waiting if made[place[0]].calls[place[1]].name == message.tool] or (
            waiting if message.tool is None else []
        )
        own = threads[index] if threads else None
        if own is not None:
            places = [place for place in places if threads[place[0]] in (own, None)]
        if not places:
            continue
        repeated = (message.extra or {}).get(REPEATED_CALL)
        exact = [p for p in places if _is_call(made[p[0]].calls[p[1]], repeated)] if repeated else []
        near = [place for place in exact or places if place[0] >= block] or exact or places
        at, number = near[0]
        tied.update(near if len(near) > 1 and not exact else ())
        waiting.remove((at, number))
        call = made[at].calls[number]
        if call.id is None:
            call = replace(call, id=f"call-{at}-{number}")
            made[at] = replace(
                made[at], calls=(*made[at].calls[:number], call, *made[at].calls[number + 1 :])
            )
        made[index] = replace(message, call_id=call.id, tool=message.tool or call.name)
        if exact:
            ledger.rules[REPEATED] += 1
        elif (at, number) in tied:
            ledger.assumed[SEVERAL] += 1
        else:
            ledger.rules[RULE] += 1
    return made
