"""The kinds of faults, by name."""

from __future__ import annotations

import importlib
import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from truespec.faults.fault import Fault, Injector
from truespec.traces.trace import Trace

KINDS: dict[str, str] = {
    "drop_confirmation": "truespec.faults.order",
    "skip_authentication": "truespec.faults.order",
    "swap_order": "truespec.faults.order",
    "corrupt_argument": "truespec.faults.arguments",
    "invent_argument": "truespec.faults.arguments",
    "text_with_call": "truespec.faults.speech",
    "merge_calls": "truespec.faults.order",
    "repeat_call": "truespec.faults.order",
    "mental_arithmetic": "truespec.faults.speech",
    "skip_step": "truespec.faults.order",
    "wrong_refusal": "truespec.faults.speech",
    "invented_fact": "truespec.faults.speech",
    "subjective_comment": "truespec.faults.speech",
}
"""Kind to module; the function has the kind's name."""
NEEDS_A_JUDGE = frozenset(("wrong_refusal", "invented_fact", "subjective_comment"))
"""Kinds that no monitor can see."""


def inject(kind: str, trace: Trace, seed: int = 0) -> Fault | None:
    """One fault of a kind in a trace, the same for the same seed; None where the trace has no place."""
    injector = cast("Injector", getattr(importlib.import_module(KINDS[kind]), kind))
    return injector(trace, random.Random(zlib.crc32(f"{seed}/{kind}/{trace.id}".encode())))


def inject_all(
    traces: Iterable[Trace], kinds: Sequence[str] = tuple(KINDS), seed: int = 0, most: int | None = None
) -> Iterator[Fault]:
    """Faults of all kinds in all traces, at most so many of a kind."""
    made = dict.fromkeys(kinds, 0)
    for trace in traces:
        for kind in kinds:
            if most is not None and made[kind] >= most:
                continue
            fault = inject(kind, trace, seed)
            if fault is not None:
                made[kind] += 1
                yield fault
