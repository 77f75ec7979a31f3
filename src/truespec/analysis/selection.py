"""Choosing traces as the paper does: few per task, mostly failures, from short to long (section 4.1.1)."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from truespec.verdict import UsageError

Key = TypeVar("Key", bound=Hashable)
"""What names a trace."""


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Key]):
    """A trace as far as the choice looks at it."""

    key: Key
    """What names it."""
    model: str
    """Who acted."""
    domain: str
    """Where."""
    task: str
    """On what."""
    solved: bool | None
    """Whether the outcome was perfect; None where nobody said."""
    size: int
    """How complex it is: its number of messages."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of each model in each environment."""

    each: int = 50
    """Traces at most."""
    per_task: int = 2
    """Traces of one task at most."""
    solved: float = 0.35
    """The share of perfect outcomes."""
    least: int = 20
    """Where failures are few, perfect ones fill up to so many traces, and the share is missed."""
    seed: int = 0
    """Decides among equals."""

    def __post_init__(self) -> None:
        if self.each < 1 or self.per_task < 1 or not 0 <= self.solved < 1 or self.least < 0:
            raise UsageError("expected at least 1 trace, 1 per task and a share of at least 0 and below 1")


def select(candidates: Iterable[Candidate[Key]], wish: Wish | None = None) -> list[Key]:
    """The keys of the chosen traces, in the order given. Traces without an outcome are never chosen."""
    wish = wish or Wish()
    listed = list(candidates)
    groups: dict[tuple[str, str], list[Candidate[Key]]] = {}
    for one in listed:
        if one.solved is not None:
            groups.setdefault((one.model, one.domain), []).append(one)
    chosen: set[Key] = set()
    for name in sorted(groups):
        chosen.update(_of_group(groups[name], wish, random.Random(f"{wish.seed}:{name}")))
    return [one.key for one in listed if one.key in chosen]


def _of_group(group: Sequence[Candidate[Key]], wish: Wish, rng: random.Random) -> list[Key]:
    tasks: Counter[str] = Counter()
    failed = [one for one in group if not one.solved]
    solved = [one for one in group if one.solved]
    wanted = round(wish.each * wish.solved)
    picked = _spread(failed, wish.each - min(wanted, len(solved)), tasks, wish.per_task, rng)
    share = math.ceil(len(picked) * wish.solved / (1 - wish.solved))
    room = min(wish.each - len(picked), max(share, wish.least - len(picked)))
    picked += _spread(solved, room, tasks, wish.per_task, rng)
    return [one.key for one in picked]


def _spread(
    group: Sequence[Candidate[Key]], count: int, tasks: Counter[str], per_task: int, rng: random.Random
) -> list[Candidate[Key]]:
    """So many of a group, evenly from the shortest to the longest, as far as their tasks allow."""
    left = sorted(group, key=lambda one: (one.size, rng.random()))
    picked: list[Candidate[Key]] = []
    while len(picked) < count:
        left = [one for one in left if tasks[one.task] < per_task]
        if not left:
            break
        missing = count - len(picked)
        step = max(1.0, len(left) / missing)
        taken = []
        for number in range(min(missing, len(left))):
            one = left[min(len(left) - 1, int(number * step + rng.random() * step))]
            if tasks[one.task] < per_task and one not in taken:
                tasks[one.task] += 1
                taken.append(one)
        picked += taken
        left = [one for one in left if one not in taken]
    return picked
