"""Steps of a workflow that say what a model was given and what it replied, where no span is a model call.

OpenLLMetry's spans of LlamaIndex's workflows are such: the event that a step returns holds the messages for
the model, or its reply.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from truespec.traces.importers.census import held, nested
from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.shared import role_of
from truespec.traces.importers.wrappers import is_item
from truespec.traces.trace import Message, ToolCall

RULE = "a step of a workflow whose event holds messages says what a model was given or replied"
_EVENT = "traceloop.entity.output"


def telling_steps(spans: Iterable[RawSpan]) -> set[str]:
    """The identifiers of the steps whose events hold messages, if no span around them is one of them.

    Of steps that make the messages ready one right behind the other, the last one counts.
    """
    steps = [(raw, _told(parsed(raw.attributes[_EVENT]))) for raw in spans if _EVENT in raw.attributes]
    around = {raw.parent for raw, kind in steps if kind}
    following = [*(kind for _, kind in steps[1:]), None]
    return {
        raw.id
        for (raw, kind), then in zip(steps, following, strict=False)
        if kind and raw.id not in around and (kind, then) != (ASKED, ASKED)
    }


ASKED, REPLIED = "asked", "replied"


def _told(event: Any) -> str | None:
    """Whether an event holds messages for a model, or a reply."""
    if not isinstance(event, Mapping):
        return None
    given, reply = event.get("input"), event.get("response")
    if isinstance(given, list) and given:
        alike = all(is_item(one) and isinstance(one.get("role"), str) for one in given)
        return ASKED if alike else None
    return REPLIED if isinstance(reply, Mapping) and role_of(reply.get("role")) == "assistant" else None


def endings(spans: Iterable[RawSpan]) -> dict[str, Mapping[str, Any]]:
    """What the workflow gave in the end, by the spans that say it: they sum up the calls of the others."""
    found: dict[str, Mapping[str, Any]] = {}
    for raw in spans:
        event = parsed(raw.attributes.get(_EVENT))
        result = event.get("result") if isinstance(event, Mapping) else None
        reply = result.get("response") if isinstance(result, Mapping) else None
        if isinstance(reply, Mapping) and role_of(reply.get("role")) == "assistant":
            found[raw.id] = reply
    return found


def held_in(
    spans: Sequence[RawSpan], last: Container[str]
) -> tuple[dict[str, tuple[int, ToolCall]], dict[str, tuple[int, Message]]]:
    """The calls and results in all spans; what the `last` ones sum up stands where another one holds it."""
    groups = [[*nested(raw.attributes), *raw.events] for raw in spans]
    ends = [raw.id in last for raw in spans]
    calls, results = held([[] if end else group for group, end in zip(groups, ends, strict=True)])
    if any(ends):
        more = held([group if end else [] for group, end in zip(groups, ends, strict=True)])
        calls, results = more[0] | calls, more[1] | results
    return calls, results
