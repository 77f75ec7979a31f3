"""A fair queue: however many requests one client sends, the next client waits for one of them at most."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import AsyncIterator


class Full(Exception):
    """The queue holds as many requests as it takes."""


class FairQueue:
    """At most `running` holders at once and `waiting` more in line; clients take turns.

    Belongs to one event loop.
    """

    def __init__(self, running: int, waiting: int) -> None:
        self.free = running
        """Places that nobody holds."""
        self.most_waiting = waiting
        """How many may wait."""
        self.waiting = 0
        """How many wait."""
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @contextlib.asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[None]:
        """Wait for a place; `Full` where too many wait already."""
        await self._enter(client)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, client: str) -> None:
        if self.free > 0 and not self.waiting:
            self.free -= 1
            return
        if self.waiting >= self.most_waiting:
            raise Full
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(client, deque()).append(turn)
        self.waiting += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()  # the place came together with the end of the wait
            else:
                line = self._lines.get(client)
                if line is not None and turn in line:
                    line.remove(turn)
                    self.waiting -= 1
                    if not line:
                        del self._lines[client]
            raise

    def _leave(self) -> None:
        """Give the place to the client whose turn it is, or back."""
        while self._lines:
            client, line = next(iter(self._lines.items()))
            turn = line.popleft()
            self.waiting -= 1
            if line:
                self._lines.move_to_end(client)
            else:
                del self._lines[client]
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1
