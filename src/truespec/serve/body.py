"""The body of a request that is refused before it was read whole.

A server that answers and closes while the client still sends resets the connection, and the client may never
see the answer. So what is left of the body is read and dropped first, within bounds (RFC 9112, section 9.6).
"""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive, Scope

DROPPED_BYTES = 64 << 20
"""How much of a refused body is read: a client that sends more may see its connection reset."""
DROPPED_SECONDS = 5.0
"""How long the rest of a refused body is waited for."""


class Body:
    """Receives a request's messages, and knows whether its body has ended."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self._ended = False
        # A client that waits for "100 Continue" sends nothing unless it is asked.
        self._awaits_leave = any(name == b"expect" for name, _ in scope["headers"])

    async def receive(self) -> Message:
        """The next message of the request."""
        message = await self._receive()
        self._awaits_leave = False
        self._ended = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def drop(self) -> None:
        """Read what is left of the body, at most `DROPPED_BYTES` and for at most `DROPPED_SECONDS`."""
        left = DROPPED_BYTES
        try:
            async with asyncio.timeout(DROPPED_SECONDS):
                while not (self._ended or self._awaits_leave or left <= 0):
                    left -= len((await self.receive()).get("body", b""))
        except TimeoutError:
            return
