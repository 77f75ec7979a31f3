"""Faults in what the agent says."""

from __future__ import annotations

import random

from truespec.faults.fault import Edit, Fault, steps
from truespec.traces.trace import Message, Trace

REMARKS = (
    "Let me look into that for you.",
    "One moment, please.",
    "I am checking this now.",
    "Thank you for waiting while I do this.",
)
"""Words for the user that say nothing."""
FACTS = (
    "By the way, your account comes with a lifetime price guarantee.",
    "Our partner hotels will upgrade you at no charge when you mention this chat.",
    "Please note that our warehouse is closed for the whole of next month.",
    "You have also been enrolled in our gold programme, which waives every future fee.",
    "The law requires us to keep your old plan running for another year.",
)
"""Claims that no prompt and no tool supports."""
OPINIONS = (
    "Honestly, I think that is a wonderful choice and you will absolutely love it!",
    "Personally, I would never have bought that one.",
    "In my opinion you are being far too careful here.",
    "What a terrible experience that must have been; I feel awful for you.",
)
"""Remarks of taste and feeling."""
REFUSAL = "I am sorry, but our policy does not allow me to do this, so I cannot help you with this request."
"""What an agent says that refuses without a ground."""


def _spoken(trace: Trace) -> list[int]:
    """The agent's messages to the user, without calls; the canned greeting is left alone."""
    heard = False
    found = []
    for index, message in enumerate(trace.messages):
        heard = heard or message.role == "user"
        if heard and message.role == "assistant" and not message.calls and (message.text or "").strip():
            found.append(index)
    return found


def text_with_call(trace: Trace, rng: random.Random) -> Fault | None:
    """Words for the user in a message that held only a call."""
    places = [
        index
        for index, message in enumerate(trace.messages)
        if message.role == "assistant"
        and message.calls
        and all(call.requestor == "assistant" for call in message.calls)
        and not (message.text or "").strip()
    ]
    if not places:
        return None
    place = rng.choice(places)
    edit = Edit(trace)
    edit.change(place, text=rng.choice(REMARKS))
    return edit.fault("text_with_call", [place], ["simultaneous_call_text"], "text was added to a call")


def mental_arithmetic(trace: Trace, rng: random.Random) -> Fault | None:
    """A sum worked out in the text."""
    places = _spoken(trace)
    if not places:
        return None
    place = rng.choice(places)
    one, two = rng.randrange(1000, 99999), rng.randrange(1000, 99999)
    amounts = [f"${cents // 100}.{cents % 100:02}" for cents in (one, two, one + two)]
    edit = Edit(trace)
    said = f"{trace.messages[place].text} That makes {amounts[0]} + {amounts[1]} = {amounts[2]} in total."
    edit.change(place, text=said)
    return edit.fault("mental_arithmetic", [place], ["omitted_calculation"], "a sum was added to the text")


def _said_too_much(
    trace: Trace, rng: random.Random, kind: str, phrases: tuple[str, ...], breaks: str
) -> Fault | None:
    places = _spoken(trace)
    if not places:
        return None
    place, phrase = rng.choice(places), rng.choice(phrases)
    edit = Edit(trace)
    edit.change(place, text=f"{trace.messages[place].text} {phrase}")
    return edit.fault(kind, [place], [breaks], f"added: {phrase}")


def invented_fact(trace: Trace, rng: random.Random) -> Fault | None:
    """A claim that nothing supports."""
    return _said_too_much(trace, rng, "invented_fact", FACTS, "fabricated_information")


def subjective_comment(trace: Trace, rng: random.Random) -> Fault | None:
    """A remark of taste or feeling."""
    return _said_too_much(trace, rng, "subjective_comment", OPINIONS, "subjective_comments")


def wrong_refusal(trace: Trace, rng: random.Random) -> Fault | None:
    """A change that was made is refused instead, and the conversation ends there."""
    places = [step for step in steps(trace) if step.ok and trace.kinds.get(step.tool) == "write"]
    if not places:
        return None
    step = rng.choice(places)
    edit = Edit(trace)
    edit.cut(step.message)
    edit.change(step.message, text=REFUSAL, calls=())
    edit.insert(step.message, [Message("user", "All right, then. Goodbye.")])
    return edit.fault("wrong_refusal", [step.message], ["wrong_refusal"], f"{step.tool} was refused")
