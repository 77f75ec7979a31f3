"""Messages between a pool and its workers: eight bytes of length, and a pickled value.

`multiprocessing.connection` does the same; to load it takes longer than to load all else that a pool needs.
"""

from __future__ import annotations

import os
import pickle
import select
import struct
from typing import Any

_LENGTH = struct.Struct("!Q")
_PIECE = 1 << 20
"""Bytes that are read at once."""


def framed(message: bytes) -> bytes:
    """A pickled value as a pipe carries it."""
    return _LENGTH.pack(len(message)) + message


class Pipe:
    """One end of a pipe, for reading or for writing; it owns the descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def poll(self) -> bool:
        """Whether there is something to read, which may be the end."""
        waiting = select.poll()
        waiting.register(self._descriptor, select.POLLIN)
        return bool(waiting.poll(0))

    def recv(self) -> Any:
        """The next value; waits for it. `EOFError` at the end, also in the middle of a value."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return pickle.loads(self._read(length))

    def send(self, value: Any) -> None:
        """Write a value."""
        self.send_bytes(pickle.dumps(value))

    def send_bytes(self, message: bytes) -> None:
        """Write a value that is pickled already."""
        rest = memoryview(framed(message))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)

    def _read(self, length: int) -> bytearray:
        found = bytearray()
        while len(found) < length:
            piece = os.read(self._descriptor, min(length - len(found), _PIECE))
            if not piece:
                raise EOFError
            found += piece
        return found
