"""Models and judges for `resume`: each writes down the calls that reach it, and takes its time."""

from __future__ import annotations

import os
import random
import time
from functools import cache

from benchmarks.resume import DOMAINS, LOG
from truespec.benchmark import bundled
from truespec.models.call import Call


@cache
def _answers() -> dict[str, list[str]]:
    entries = [entry for name in DOMAINS for entry in bundled.tasks(name, variants=True)]
    return {entry.task.id: [entry.task.oracle, *(one.text for one in entry.answers)] for entry in entries}


def _chance(call: Call) -> random.Random:
    """Write the call down, wait 2 to 20 ms, and give the chance that depends on the call alone."""
    with open(os.environ[LOG], "a", encoding="utf-8") as file:
        file.write(f"{call.key}\n")
    chance = random.Random(call.key)
    time.sleep(chance.uniform(0.002, 0.02))
    return chance


def careful(call: Call) -> str:
    """The oracle, or the first recorded answer."""
    return f"```\n{_chance(call).choice(_answers()[call.subject.removeprefix('answer/')][:2])}\n```"


def hasty(call: Call) -> str:
    """Any recorded answer."""
    return f"```\n{_chance(call).choice(_answers()[call.subject.removeprefix('answer/')])}\n```"


def by_length(call: Call) -> str:
    """A score that the length of the prompt gives."""
    _chance(call)
    return f"```\n{len(call.prompt) % 4}\n```"


def by_lot(call: Call) -> str:
    """A score that the call gives by lot."""
    return f"```\n{_chance(call).randrange(4)}\n```"
