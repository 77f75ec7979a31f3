"""Results that name no call, brought to the calls they answer by a stated rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message

RULE = (
    "a result without an identifier answers the open call of its tool, else the earliest open call before it"
)


def paired(messages: Sequence[Message], ledger: Ledger) -> list[Message]:
    """The messages, each result with the identifier of its call.

    A result that names its call is left as it is. Another one answers the earliest call before it that has no
    result yet: of its own tool if it names one, else of any tool.
    """
    made = list(messages)
    if not any(m.role == "tool" and m.call_id is None for m in made):
        return made
    named = {m.call_id for m in made if m.role == "tool" and m.call_id is not None}
    waiting: list[tuple[int, int]] = []
    for index, message in enumerate(made):
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
        at, number = places[0]
        waiting.remove(places[0])
        call = made[at].calls[number]
        if call.id is None:
            call = replace(call, id=f"call-{at}-{number}")
            made[at] = replace(
                made[at], calls=(*made[at].calls[:number], call, *made[at].calls[number + 1 :])
            )
        made[index] = replace(message, call_id=call.id, tool=message.tool or call.name)
        ledger.rules[RULE] += 1
    return made
