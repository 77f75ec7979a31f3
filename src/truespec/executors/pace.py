"""How fast calls are made and how much they may cost: requests and tokens per minute, and a spending cap."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from truespec.models.call import Call, Reply
from truespec.models.contract import ModelError

MINUTE = 60.0


class NotAsked(ModelError):
    """A call that was not made, since the spending cap would be passed; a resumed run may make it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may do; None sets no limit."""

    dollars: float | None = None
    """US dollars for all calls recorded in the run's folder, earlier ones included."""
    requests: int | None = None
    """Calls begun in any minute."""
    tokens: int | None = None
    """Tokens read and written in any minute; calls under way count as the mean of those that ended."""
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By model, US dollars per million tokens read and written, for replies that do not state their cost."""

    def cost(self, model: str, reply: Reply) -> float | None:
        """What a reply cost; None where neither it nor a price says."""
        if reply.cost is not None:
            return reply.cost
        if model not in self.prices or reply.input_tokens is None or reply.output_tokens is None:
            return None
        read, written = self.prices[model]
        return (read * reply.input_tokens + written * reply.output_tokens) / 1_000_000


class Pace:
    """Decides when the next call may be made. `clock` is in seconds and never goes back."""

    def __init__(
        self, limits: Limits, spent: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self.spent = spent
        """US dollars so far, as far as they are known."""
        self._begun: deque[float] = deque()
        self._used: deque[tuple[float, int]] = deque()
        self._under_way = 0
        self._ended = 0
        self._paid = 0.0
        self._tokens = 0
        self._mute = ""

    def refuses(self, call: Call) -> str:
        """Why this call must not be made at all; empty where it may be, now or later.

        A call under way counts as the mean of the calls that ended.
        """
        cap = self._limits.dollars
        if cap is None:
            return ""
        if self._mute:
            return self._mute
        mean = self._paid / self._ended if self._ended else 0.0
        due = self.spent + self._under_way * mean
        if due < cap:
            return ""
        way = f", and about {due - self.spent:.4g} for calls under way" if self._under_way else ""
        return f"the spending cap of US$ {cap:g} is reached: {self.spent:.4g} spent{way}"

    def must_wait(self) -> bool:
        """Whether the limits per minute hold the next call back for now.

        Under a spending cap the first call is made alone, so that calls under way have a known cost.
        """
        now, limits = self._clock(), self._limits
        while self._begun and self._begun[0] <= now - MINUTE:
            self._begun.popleft()
        while self._used and self._used[0][0] <= now - MINUTE:
            self._used.popleft()
        if limits.dollars is not None and not self._ended and self._under_way:
            return True
        if limits.requests is not None and len(self._begun) >= limits.requests:
            return True
        if limits.tokens is None:
            return False
        if not self._ended and self._under_way:
            return True
        mean = self._tokens / self._ended if self._ended else 0.0
        used = sum(count for _, count in self._used) + self._under_way * mean
        return used > 0 and used + mean > limits.tokens

    def begin(self) -> None:
        """Note that a call is made."""
        self._begun.append(self._clock())
        self._under_way += 1

    def end(self, call: Call, outcome: Reply | str) -> None:
        """Note what came of a call: a reply, or why it failed."""
        self._under_way -= 1
        if isinstance(outcome, str):
            return
        self._ended += 1
        count = (outcome.input_tokens or 0) + (outcome.output_tokens or 0)
        self._tokens += count
        self._used.append((self._clock(), count))
        cost = self._limits.cost(call.model, outcome)
        if cost is None:
            priced = call.model in self._limits.prices
            self._mute = (
                f"{call.model} does not say "
                + ("how many tokens a call reads and writes" if priced else "what a call costs")
                + ", so that the spending cap cannot be kept: "
                + (
                    "let it return a Reply with tokens or cost"
                    if priced
                    else f"give its price in US$ per million tokens, --price {call.model}=INPUT,OUTPUT"
                )
            )
            return
        self.spent += cost
        self._paid += cost
