"""A guard in front of any MCP server: JSON-RPC over standard input and output, passed on line by line.

A call of a tool that the rules do not let pass never reaches the server; the client is answered in its place
with an error result that says which rule stands against the call. All else is passed on: answers of the
server as they are, calls as they were checked. The list of tools tells which there are, what arguments they
take and, where the server says so, which of them only read.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.guard.decision import Decision
from truespec.guard.guard import Guard
from truespec.guard.policy import hears_messages
from truespec.rules.rule import Rule
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.redact import Hiding
from truespec.untrusted.nesting import check_json

LONGEST_LINE = 64 << 20
"""Bytes of one message; a longer one ends the proxy."""


class Proxy:
    """One client, one server, one guard."""

    def __init__(
        self,
        rules: Sequence[Rule],
        types: Mapping[str, str] | None = None,
        domain: str | None = None,
        log: Path | None = None,
        hiding: Hiding | None = None,
        tell: Callable[[str], None] = lambda text: print(text, file=sys.stderr),
    ) -> None:
        self._rules, self._types, self._domain, self._log = tuple(rules), types, domain, log
        self._hiding = hiding
        self.tell = tell
        """Says something to the person who runs the proxy."""
        self._guard: Guard | None = None
        self._pending: dict[str, str] = {}
        self._waiting: list[dict[str, Any]] = []
        self._listed: list[dict[str, Any]] = []
        self._asked = ""
        self.send_server: Callable[[bytes], None]
        """Writes to the server."""
        self.send_client: Callable[[bytes], None]
        """Writes to the client."""

    def from_client(self, line: bytes) -> None:
        """Take a line of the client."""
        value = _value(line)
        if value is None:
            self._reply(
                {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no JSON message"}}
            )
            return
        for message in value if isinstance(value, list) else [value]:
            if not isinstance(message, dict):
                self._reply(
                    {
                        "jsonrpc": "2.0",
                        "id": None,
                        "error": {"code": -32600, "message": "no JSON-RPC message"},
                    }
                )
            elif message.get("method") == "tools/call":
                self._waiting.append(message)
                self._work()
            else:
                self._forward(message)

    def from_server(self, line: bytes) -> None:
        """Take a line of the server."""
        value = _value(line)
        if value is None:
            self.tell("truespec: the server wrote a line that is no JSON message; it was left out")
            return
        for message in value if isinstance(value, list) else [value]:
            if not isinstance(message, dict):
                self.tell("truespec: the server wrote a message that is no JSON object; it was left out")
            elif not self._own(message):
                self._answered(message)
                self._reply(message)
                if message.get("method") == "notifications/tools/list_changed" and self._guard is not None:
                    self.tell(
                        "truespec: the server's tools have changed; calls are checked by those it had first"
                    )

    def finish(self) -> list[str]:
        """The connection has ended: the obligations that are still open, in words."""
        if self._guard is None:
            return []
        return [f"{one.rule_id}: still owed: {one.quote}" for one in self._guard.finish()]

    def _work(self) -> None:
        """Decide about the calls that wait, once the tools are known."""
        if self._guard is None:
            if not self._asked:
                self._ask_for_tools(None)
            return
        while self._waiting:
            self._decide(self._guard, self._waiting.pop(0))

    def _ask_for_tools(self, cursor: str | None) -> None:
        # Nobody can guess it, so no message of the client or of the server is taken for the answer.
        self._asked = f"truespec-{uuid.uuid4().hex}"
        request: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": self._asked,
            "method": "tools/list",
            "params": {} if cursor is None else {"cursor": cursor},
        }
        self._forward(request)

    def _own(self, message: Mapping[str, Any]) -> bool:
        """Take an answer to a request of the proxy itself; False for all other messages."""
        if not self._asked or message.get("id") != self._asked or "method" in message:
            return False
        self._asked = ""
        result = message.get("result")
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            reason = "the server did not say which tools it has"
            for waiting in self._waiting:
                self._refuse(waiting, f"The call was not carried out: {reason}.")
            self._waiting.clear()
            return True
        self._listed += [tool for tool in result["tools"] if isinstance(tool, dict)]
        if isinstance(result.get("nextCursor"), str) and result["nextCursor"]:
            self._ask_for_tools(result["nextCursor"])
            return True
        tools = tool_schemas(self._listed, self._types) or ()
        self._guard = Guard(self._rules, tools=tools, domain=self._domain, log=self._log, hiding=self._hiding)
        for rule in self._rules:
            if hears_messages(rule):
                self.tell(f"truespec: {rule.id} speaks of messages, of which an MCP server hears none")
        for name, reason in self._guard.not_evaluated.items():
            self.tell(f"truespec: {name} is not evaluated: {reason}")
        for name, missing in self._guard.absent_tools.items():
            self.tell(f"truespec: {name} names tools that the server does not have: {', '.join(missing)}")
        self._work()
        return True

    def _decide(self, guard: Guard, message: dict[str, Any]) -> None:
        given = message.get("params")
        params = given if isinstance(given, dict) else {}
        tool, arguments = params.get("name"), params.get("arguments")
        key = json.dumps(message.get("id"))
        if not isinstance(tool, str) or "id" not in message:
            self._refuse(message, "A call of a tool has a name and an identifier.")
            return
        if "task" in params:
            self._refuse(
                message, "A call as a task ends elsewhere, so it cannot be checked: call the tool itself."
            )
            return
        decision = guard.admit_now(tool, {} if arguments is None else arguments, id=key)
        if not decision.allowed:
            self._blocked(message, decision)
            return
        self._pending[key] = tool
        self._forward({**message, "params": {**params, "arguments": dict(decision.arguments)}})

    def _answered(self, message: Mapping[str, Any]) -> None:
        """Let the guard know how a call ended."""
        key = json.dumps(message.get("id"))
        if "method" in message or self._guard is None or self._pending.pop(key, None) is None:
            return
        result = message.get("result")
        if isinstance(result, dict):
            parts = result.get("content")
            texts = [p["text"] for p in parts or () if isinstance(p, dict) and isinstance(p.get("text"), str)]
            error = True if result.get("isError") is True else None
            self._guard.result(key, "\n".join(texts) if texts else result, error)
        else:
            self._guard.result(key, message.get("error"), True)

    def _blocked(self, message: Mapping[str, Any], decision: Decision) -> None:
        self.tell(f"truespec: {decision.action.value}: {decision.message}")
        self._refuse(message, decision.message)

    def _refuse(self, message: Mapping[str, Any], text: str) -> None:
        if "id" in message:
            content = {"content": [{"type": "text", "text": text}], "isError": True}
            self._reply({"jsonrpc": "2.0", "id": message["id"], "result": content})

    def _forward(self, message: Mapping[str, Any]) -> None:
        self.send_server(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _reply(self, message: Mapping[str, Any]) -> None:
        self.send_client(json.dumps(message, separators=(",", ":")).encode() + b"\n")


def _value(line: bytes) -> Any:
    try:
        check_json(line)
        return json.loads(line)
    except ValueError:
        return None


async def serve(proxy: Proxy, command: Sequence[str]) -> int:
    """Run the server behind the proxy until the client or the server ends; the server's exit code."""
    server = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE
    )
    assert server.stdin is not None
    assert server.stdout is not None
    loop = asyncio.get_running_loop()
    client = asyncio.StreamReader(limit=LONGEST_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(client), sys.stdin)
    to_server, to_client = server.stdin, sys.stdout.buffer

    def send_client(line: bytes) -> None:
        to_client.write(line)
        to_client.flush()

    proxy.send_server, proxy.send_client = to_server.write, send_client

    async def read_client() -> None:
        while line := await client.readline():
            if line.strip():
                proxy.from_client(line)
                await to_server.drain()
        to_server.close()

    async def read_server() -> None:
        assert server.stdout is not None
        while line := await server.stdout.readline():
            if line.strip():
                proxy.from_server(line)

    reading = asyncio.create_task(read_client())
    try:
        await read_server()
    finally:
        reading.cancel()
        if server.returncode is None:
            try:
                await asyncio.wait_for(server.wait(), 5)
            except TimeoutError:
                server.kill()
        for warning in proxy.finish():
            proxy.tell(f"truespec: {warning}")
    return await server.wait()
