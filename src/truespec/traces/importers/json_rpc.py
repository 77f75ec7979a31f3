"""Logs of protocols over JSON-RPC: the messages of each entry, and the sessions that they belong to.

A message stands alone or in a frame around it (`{direction, payload}`, `{request, response}`, a text).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import entries
from truespec.traces.importers.told import parsed
from truespec.traces.trace import Message

_DEPTH = 3
_NOTICES = ("session/update", "session/prompt")
"""Methods that no other protocol has."""


def rpc_messages(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The JSON-RPC messages in a value, in order; a batch holds several.

    A notice of a session is known by its method where the log leaves the protocol's mark out.
    """
    value = parsed(value)
    if isinstance(value, Mapping):
        if (value.get("jsonrpc") == "2.0" and ("method" in value or "id" in value)) or (
            value.get("method") in _NOTICES and isinstance(value.get("params"), Mapping)
        ):
            yield value
        elif depth < _DEPTH:
            for inner in value.values():
                if isinstance(inner, Mapping | list | str):
                    yield from rpc_messages(inner, depth + 1)
    elif isinstance(value, list) and depth < _DEPTH:
        for inner in value:
            if isinstance(inner, Mapping | str):
                yield from rpc_messages(inner, depth + 1)


class Entry(NamedTuple):
    """An entry of a log, and what it holds."""

    place: str
    """Where it stands."""
    value: Any
    """The entry itself."""
    messages: list[Mapping[str, Any]]
    """Its messages, at least one."""


def rpc_entries(file: TraceFile, protocol: str) -> Iterator[Entry | Problem]:
    """The entries of a log that hold messages; one that holds none is told as none of the protocol's."""
    for place, value in entries(file):
        if isinstance(value, Problem):
            yield value
        elif listed := list(rpc_messages(value)):
            yield Entry(place, value, listed)
        else:
            file.ledger.items.drop(f"an entry of the log that holds no message of {protocol}", place)
            file.ledger.problem(place, f"no message of {protocol}: {brief(value)}")


@dataclass
class Session:
    """A conversation as it is put together."""

    notes: Notes
    position: str
    """Where its first message stands."""
    messages: list[Message] = field(default_factory=list)


SessionType = TypeVar("SessionType", bound=Session)


class Sessions(dict[str, SessionType]):
    """The sessions of a log by their names, in the order in which they began."""

    def __init__(self, made: type[SessionType], file: TraceFile) -> None:
        super().__init__()
        self._made, self._ledger = made, file.ledger

    def at(self, name: str, place: str) -> SessionType:
        """The session of this name, begun at the place where there is none yet."""
        if name not in self:
            self[name] = self._made(Notes(self._ledger), place)
        return self[name]
