"""Faults in the order and number of acts."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from truespec.faults.fault import Edit, Fault, Step, grounded, steps, still_grounded
from truespec.traces.trace import Trace

AGREES = re.compile(r"\s*yes\b", re.IGNORECASE)
"""A user's message that begins so agrees to what was asked."""
THINKS = "Hmm, let me think about that for a moment."
"""What a user says instead who has not made up their mind."""
IDENTIFIES = re.compile(
    r"get_user_details|find_user_id_by_\w+|get_customer_by_\w+|(authenticate|verify_identity)\w*"
)
"""Tools that tell who the user is."""
HANDS_OVER = "transfer_to_human_agents"
"""The tool that ends the agent's part."""


def _writes(trace: Trace) -> list[int]:
    """The messages with a change that the agent asked for."""
    return [
        index
        for index, message in enumerate(trace.messages)
        if any(c.requestor == "assistant" and trace.kinds.get(c.name) == "write" for c in message.calls)
    ]


def drop_confirmation(trace: Trace, rng: random.Random) -> Fault | None:
    """The user's yes becomes a doubt, and the change is made all the same."""
    said = [i for i, m in enumerate(trace.messages) if m.role == "user" and (m.text or "").strip()]
    agreed = [i for i in said if AGREES.match(trace.messages[i].text or "")]
    writes = _writes(trace)
    places = []
    for number, index in enumerate(said):
        end = said[number + 1] if number + 1 < len(said) else len(trace.messages)
        covered = [w for w in writes if index < w < end]
        text = trace.messages[index].text or ""
        if index not in agreed or len(covered) != 1 or any(c.isdigit() for c in text):
            continue
        if len(trace.messages[covered[0]].calls) != 1 or trace.messages[index].calls:
            continue
        # Later changes must not have rested on this yes alone.
        later = [w for w in writes if w > covered[0]]
        if not later or any(a < index for a in agreed) or any(covered[0] < a < later[0] for a in agreed):
            places.append((index, covered[0]))
    if not places:
        return None
    asked, act = rng.choice(places)
    edit = Edit(trace)
    edit.change(asked, text=THINKS)
    note = f"the agreement in message {asked} was taken back"
    return edit.fault("drop_confirmation", [act], ["skipped_confirmation"], note)


def skip_authentication(trace: Trace, rng: random.Random) -> Fault | None:
    """Nobody asks who the user is before the first change."""
    writes = _writes(trace)
    found = [step for step in steps(trace) if IDENTIFIES.fullmatch(step.tool)]
    calls = [c for m in trace.messages for c in m.calls if IDENTIFIES.fullmatch(c.name)]
    if not writes or not any(step.ok and step.message < writes[0] for step in found):
        return None
    if len(calls) != len(found):  # one of them shares its message with other calls
        return None
    gone = [i for step in found for i in (step.message, step.result)]
    if not still_grounded(trace, gone):
        return None
    edit = Edit(trace)
    edit.drop(gone)
    places = [edit.where(w) for w in writes]
    note = f"{len(found)} calls that identify the user were left out"
    return edit.fault("skip_authentication", places, ["skipped_authentication"], note)


def swap_order(trace: Trace, rng: random.Random) -> Fault | None:
    """An act comes before what has to precede it: the change before the identification, or another call
    after the hand-over."""
    options = [made for made in (_act_first(trace), _hand_over_first(trace)) if made is not None]
    return rng.choice(options) if options else None


def _act_first(trace: Trace) -> Fault | None:
    found = list(steps(trace))
    acts = [step for step in found if step.ok and trace.kinds.get(step.tool) == "write"]
    who = [step for step in found if step.ok and IDENTIFIES.fullmatch(step.tool)]
    writes = _writes(trace)
    if not acts or not who or acts[0].message != writes[0] or who[0].message > acts[0].message:
        return None
    # Another identification, in a message that holds more calls, would still come first.
    for message in trace.messages[: who[0].message]:
        if any(IDENTIFIES.fullmatch(call.name) for call in message.calls):
            return None
    act = acts[0]
    edit = Edit(trace)
    edit.move([act.message, act.result], before=who[0].message)
    breaks = ["skipped_authentication", "skipped_confirmation", "ungrounded_argument"]
    return edit.fault(
        "swap_order", [edit.where(act.message)], breaks, f"{act.tool} came before {who[0].tool}"
    )


def _hand_over_first(trace: Trace) -> Fault | None:
    found = list(steps(trace))
    over = [number for number, step in enumerate(found) if step.tool == HANDS_OVER and step.ok]
    if len(over) != 1 or over[0] == 0:
        return None
    hand, before = found[over[0]], found[over[0] - 1]
    # Between the two the agent must not have acted otherwise, nor afterwards.
    for index, message in enumerate(trace.messages):
        own = any(call.requestor == "assistant" for call in message.calls)
        if own and index > before.message and index != hand.message:
            return None
    if not before.ok:
        return None
    edit = Edit(trace)
    edit.move([hand.message, hand.result], before=before.message)
    places = [edit.where(before.message), edit.where(hand.message)]
    breaks = ["act_after_transfer", "unannounced_transfer"]
    return edit.fault("swap_order", places, breaks, f"{before.tool} came after the hand-over")


def _call(trace: Trace, step: Step) -> tuple[str, Mapping[str, Any] | None]:
    call = trace.messages[step.message].calls[0]
    return call.name, call.arguments


def _said_before(trace: Trace, index: int) -> str:
    return "\n".join((message.text or "").lower() for message in trace.messages[:index])


def merge_calls(trace: Trace, rng: random.Random) -> Fault | None:
    """Two calls that were made one after the other are made in one message."""
    found = [step for step in steps(trace) if not (trace.messages[step.message].text or "").strip()]
    reads = [
        s for s in found if s.ok and trace.kinds.get(s.tool) == "read" and not IDENTIFIES.fullmatch(s.tool)
    ]
    over = min((s.message for s in steps(trace) if s.tool == HANDS_OVER), default=len(trace.messages))
    places: list[tuple[Step, Step]] = [
        (one, two)
        for one, two in pairwise(reads)
        if _call(trace, one) != _call(trace, two)
        and two.message == one.result + 1
        and grounded(trace.messages[two.message].calls[0], _said_before(trace, one.message))
        and one.message < over
    ]
    if not places:
        return None
    one, two = rng.choice(places)
    edit = Edit(trace)
    calls = (*trace.messages[one.message].calls, *trace.messages[two.message].calls)
    edit.change(one.message, calls=calls)
    edit.drop([two.message])
    return edit.fault("merge_calls", [one.message], ["multiple_calls"], "two calls in one message")


def repeat_call(trace: Trace, rng: random.Random) -> Fault | None:
    """The same call with the same arguments, three times in a row."""
    found = list(steps(trace))
    over = min((s.message for s in found if s.tool == HANDS_OVER), default=len(trace.messages))
    every = [(c.name, c.arguments) for m in trace.messages for c in m.calls]
    places = [
        s
        for s in found
        if s.ok
        and s.message < over
        and trace.kinds.get(s.tool) == "read"
        and every.count(_call(trace, s)) == 1
    ]
    if not places:
        return None
    step = rng.choice(places)
    edit = Edit(trace)
    message, result = trace.messages[step.message], trace.messages[step.result]
    copies = []
    for number in (1, 2):
        name = f"{message.calls[0].id or 'call'}~{number}"
        copies.append(replace(message, text=None, calls=(replace(message.calls[0], id=name),)))
        copies.append(replace(result, call_id=name))
    first = edit.insert(step.result, copies)
    return edit.fault("repeat_call", [first + 2], ["repeated_call"], f"{step.tool} three times")


def skip_step(trace: Trace, rng: random.Random) -> Fault | None:
    """A change that was made is left out; the agent goes on as if it had been."""
    acts = [step for step in steps(trace) if step.ok and trace.kinds.get(step.tool) == "write"]
    made = [(c.name, c.arguments) for m in trace.messages for c in m.calls]
    acts = [
        step for step in acts if still_grounded(trace, [step.result]) and made.count(_call(trace, step)) == 1
    ]
    if not acts:
        return None
    step = rng.choice(acts)
    edit = Edit(trace)
    edit.drop([step.message, step.result])
    gap = min(step.message, len(edit.lines) - 1)
    # What is missing shows where it should have been, and at the latest at the end.
    return edit.fault("skip_step", {gap, len(edit.lines) - 1}, ["skipped_step"], f"{step.tool} was left out")
