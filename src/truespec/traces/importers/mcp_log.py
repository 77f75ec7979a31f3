"""Logs of the Model Context Protocol, of a proxy, an inspector or a client: JSON-RPC messages, one by one.

Each request `tools/call` is a call of the agent whose host the client is, the response with its identifier
the result. What the user and the agent said is in no such log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.files import HEAD_BYTES, Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.json_rpc import Session, Sessions, rpc_entries, rpc_messages
from truespec.traces.importers.outcomes import outcome_of
from truespec.traces.importers.records import first_lines
from truespec.traces.importers.shared import dicts, spelt, tool_call, tool_schemas, value_text
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolSchema, Trace

NAME = "mcp-log"
CALLED = "a request tools/call of a log of MCP is a call of the agent"
_CALL = "tools/call"
_LIST = "tools/list"
_OWN = ("tools/", "resources/", "prompts/", "completion/", "sampling/", "elicitation/", "roots/", "logging/")
"""How the methods begin that no other protocol over JSON-RPC has."""
_FRAMES = ("initialize", "ping", _LIST)
"""Requests that say nothing of a conversation."""
_OF_SERVER = ("sampling/", "elicitation/", "roots/")
"""How the methods begin with which a server asks its client; their identifiers are the server's own."""
_TO_SERVER = frozenset(("action", "roots", "model"))
"""Fields of a response that only a client gives."""
_SESSIONS = ("sessionId", "session_id", "mcp-session-id", "connection_id", "connectionId", "server")


def _is_own(message: Mapping[str, Any]) -> bool:
    """Whether a message can only be one of MCP."""
    method, params = message.get("method"), message.get("params")
    if method == "initialize":
        return isinstance(params, Mapping) and "protocolVersion" in params and "clientInfo" in params
    return isinstance(method, str) and method.startswith(_OWN)


def recognises(head: Any, file: TraceFile) -> bool:
    """A message of MCP among the first entries."""
    if not isinstance(head, dict | list):
        return False
    with file.open() as stream:
        if b"jsonrpc" not in stream.read(HEAD_BYTES):
            return False
    listed = head[:_LOOKED_AT] if isinstance(head, list) else [head]
    if any(map(_is_own, rpc_messages(listed))):
        return True
    if not isinstance(head, dict) or next(rpc_messages(head), None) is None:
        return False
    return any(_is_own(message) for line in first_lines(file) for message in rpc_messages(line))


_LOOKED_AT = 20


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per session that the frames name; all others are one."""
    sessions = Sessions(_Session, file)
    for entry in rpc_entries(file, "MCP"):
        if isinstance(entry, Problem):
            yield entry
            continue
        frame = entry.value if _is_frame(entry.value) else {}
        named = next((frame[key] for key in _SESSIONS if frame.get(key)), "")
        session = sessions.at(named if isinstance(named, str) else brief(named), entry.place)
        for message in entry.messages:
            session.add(message, entry.place)
    for name, session in sessions.items():
        if session.messages:
            yield session.trace(name, file, joins)
        else:
            file.ledger.items.drop("a session without a call of a tool", session.position)
            file.ledger.problem(session.position, "a session of MCP in which no tool is called")


def _is_frame(value: Any) -> bool:
    return isinstance(value, Mapping) and "jsonrpc" not in value


@dataclass
class _Session(Session):
    """The calls of a session."""

    asked: dict[str, str] = field(default_factory=dict)
    """The methods of the client's requests without a response, by identifier."""
    theirs: set[str] = field(default_factory=set)
    """Identifiers of the server's requests without a response."""
    names: dict[str, str] = field(default_factory=dict)
    """The tools of calls without a response, by identifier."""
    tools: tuple[ToolSchema, ...] | None = None

    def add(self, message: Mapping[str, Any], place: str) -> None:
        """Take a message; one without an identifier is a notice, which is told where it is no frame."""
        method, identifier = message.get("method"), message.get("id")
        if isinstance(method, str):
            if identifier is None:
                self._leave(method, place, told=not method.startswith("notifications/"))
                return
            named = spelt(identifier)
            if method.startswith(_OF_SERVER):
                self.theirs.add(named)
                self._leave(method, place, told=True)
                return
            self.asked[named] = method
            if method == _CALL:
                self._call(message.get("params"), named, place)
            elif method not in _FRAMES:
                self._leave(method, place, told=True)
        elif "result" in message or "error" in message:
            self._answer(message, spelt(identifier), place)

    def _leave(self, method: str, place: str, told: bool) -> None:
        if told:
            self.notes.ledger.items.drop(f"a message {method[:60]!r} of MCP is not read", place)
            self.notes.ledger.problem(self.position, f"messages {method[:60]!r} of MCP are not read")

    def _call(self, params: Any, named: str, place: str) -> None:
        if not isinstance(params, Mapping) or not isinstance(params.get("name"), str):
            self.notes.ledger.calls.drop("a call of MCP without the name of a tool", place)
            self.notes.ledger.problem(place, f"a call without the name of a tool: {brief(params)}")
            return
        self.notes.ledger.rules[CALLED] += 1
        self.names[named] = params["name"]
        call = tool_call(params["name"], params.get("arguments"), named)
        self.messages.append(Message("assistant", None, (call,), position=place))

    def _answer(self, message: Mapping[str, Any], named: str, place: str) -> None:
        result = message.get("result")
        given = result if isinstance(result, Mapping) else {}
        if named in self.theirs and (named not in self.asked or _TO_SERVER & given.keys()):
            self.theirs.discard(named)
            return
        method = self.asked.pop(named, None)
        if method is None:
            self.notes.ledger.results.drop("a response to no request of the log", place)
            self.notes.ledger.problem(place, f"a response to no request of the log: {brief(message)}")
        elif method == _LIST and "tools" in given:
            self.tools = (*(self.tools or ()), *(tool_schemas(dicts(given["tools"])) or ()))
        elif named in self.names and method == _CALL:
            error = message.get("error")
            text, failed = outcome_of(result)
            if error is not None:
                told = error.get("message", error) if isinstance(error, Mapping) else error
                text, failed = value_text(told), True
            name = self.names.pop(named)
            self.messages.append(
                Message("tool", text, call_id=named, tool=name, error=failed, position=place)
            )

    def trace(self, name: str, file: TraceFile, joins: Joins) -> Trace:
        """The trace of the session."""
        return trace_of(
            self.messages, Origin(file, NAME, self.position, joins), identifier=name, tools=self.tools
        )
