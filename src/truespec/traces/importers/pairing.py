"""Results that name no call, brought to the calls they answer by a stated rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall

RULE = (
    "a result without an identifier answers the open call of its tool, else any open call: of those just "
    "before it the first, else the earliest"
)


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
            ledger.rules[ORDER] += len(strangers)
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


def paired(messages: Sequence[Message], ledger: Ledger) -> list[Message]:
    """The messages, each result with the identifier of its call.

    A result that names its call is left as it is. Another one answers a call before it that has no result
    yet: of its own tool if it names one, else of any tool. The calls between the results before it and itself
    come first, in their order; then those before them.
    """
    made = list(messages)
    if not any(m.role == "tool" and m.call_id is None for m in made):
        return made
    named = {m.call_id for m in made if m.role == "tool" and m.call_id is not None}
    waiting: list[tuple[int, int]] = []
    block = 0
    for index, message in enumerate(made):
        if message.calls and index and made[index - 1].role == "tool":
            block = index
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
        if not places:
            continue
        at, number = next((place for place in places if place[0] >= block), places[0])
        waiting.remove((at, number))
        call = made[at].calls[number]
        if call.id is None:
            call = replace(call, id=f"call-{at}-{number}")
            made[at] = replace(
                made[at], calls=(*made[at].calls[:number], call, *made[at].calls[number + 1 :])
            )
        made[index] = replace(message, call_id=call.id, tool=message.tool or call.name)
        ledger.rules[RULE] += 1
    return made
