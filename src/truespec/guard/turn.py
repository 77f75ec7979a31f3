"""One caller at a time, in the order of arrival, whether the callers are tasks or threads."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager


class Turn:
    """A fair lock that tasks of any event loop and threads share."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._held = False
        self._waiting: deque[Future[None]] = deque()

    def _enter(self) -> Future[None]:
        ticket: Future[None] = Future()
        with self._mutex:
            if self._held:
                self._waiting.append(ticket)
            else:
                self._held = True
                ticket.set_result(None)
        return ticket

    def _leave(self) -> None:
        with self._mutex:
            while self._waiting:
                ticket = self._waiting.popleft()
                if ticket.set_running_or_notify_cancel():
                    ticket.set_result(None)
                    return
            self._held = False

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait for the turn without blocking the event loop."""
        ticket = self._enter()
        try:
            await asyncio.wrap_future(ticket)
        except asyncio.CancelledError:
            if not ticket.cancel():
                self._leave()
            raise
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def taken_by_thread(self) -> Iterator[None]:
        """Wait for the turn in this thread."""
        ticket = self._enter()
        try:
            ticket.result()
        except BaseException:
            if not ticket.cancel():
                self._leave()
            raise
        try:
            yield
        finally:
            self._leave()
