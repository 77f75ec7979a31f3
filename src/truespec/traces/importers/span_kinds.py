"""The kinds of a trace's spans, each seen beside the others."""

from __future__ import annotations

from collections.abc import Sequence

from truespec.traces.importers.conventions import RawSpan, is_named, kind_of, raw_request

MESSAGES = "gen_ai.input.messages"


def kinds_of(spans: Sequence[RawSpan]) -> dict[str, str]:
    """The kind of each span by its identifier; one that only repeats model calls inside it is none itself."""
    kinds = {raw.id: kind_of(raw) for raw in spans}
    models = [raw for raw in spans if kinds[raw.id] == "LLM"]
    # A provider's own request and reply hold all that the span around them tells.
    inside = {raw.parent for raw in models if raw_request(raw.attributes)[0]}
    # What a loop's span says stands in the model calls inside it, too, and in their order.
    holding = [raw for raw in models if MESSAGES in raw.attributes]
    looping = {raw.id for raw in holding if not is_named(raw)}
    inside |= looping & {raw.parent for raw in holding if is_named(raw)}
    return kinds | {raw.id: "CHAIN" for raw in models if raw.id in inside}
