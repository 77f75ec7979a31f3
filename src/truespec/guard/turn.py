"""One caller at a time, in the order of arrival, whether the callers are tasks or threads.

Who has the turn may take turns inside it: a tool that calls other tools does not wait for itself, and what it
calls is one after the other too.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

_INSIDE: ContextVar[tuple[Turn, ...]] = ContextVar("truespec_turns", default=())
"""The turns that are open to what runs here, inside those that it has."""


class Turn:
    """A fair lock that tasks of any event loop and threads share."""

    def __init__(self, outer: Turn | None = None) -> None:
        self._outer = outer
        self._over = False
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

    def _mine(self) -> Turn:
        """The turn to wait for: the innermost that is open inside this one."""
        mine = self
        for turn in _INSIDE.get():
            if turn._outer is mine and not turn._over:
                mine = turn
        return mine

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait for the turn without blocking the event loop."""
        if (mine := self._mine()) is not self:
            async with mine.taken():
                yield
            return
        ticket = self._enter()
        try:
            await asyncio.wrap_future(ticket)
        except asyncio.CancelledError:
            if not ticket.cancel():
                self._leave()
            raise
        with self._opened():
            yield

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """Have the turn, with one inside it for what is called from here."""
        inner = Turn(self)
        before = _INSIDE.get()
        _INSIDE.set((*before, inner))
        try:
            yield
        finally:
            inner._over = True
            _INSIDE.set(before)
            self._leave()

    @contextmanager
    def taken_by_thread(self) -> Iterator[None]:
        """Wait for the turn in this thread."""
        if (mine := self._mine()) is not self:
            with mine.taken_by_thread():
                yield
            return
        ticket = self._enter()
        try:
            ticket.result()
        except BaseException:
            if not ticket.cancel():
                self._leave()
            raise
        with self._opened():
            yield
