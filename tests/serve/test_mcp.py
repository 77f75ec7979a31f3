"""The MCP server, with the SDK's own client: in memory, and as a program over stdio and HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from truespec.serve.service import Service

RULES = """
rules:
- id: no-delete
  text: Never delete everything.
  category: forbidden_edge
  formal: {template: absence, a: {call: delete_all}}
"""


@pytest.fixture(autouse=True)
def _sdk() -> None:
    """Loaded by the tests that need it: every process that collects this file would wait a second for it."""
    pytest.importorskip("mcp")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    made = Service(jobs=1)
    yield made
    made.close()


def result_of(service: Service, tool: str, arguments: dict[str, Any]) -> Any:
    from mcp import Client

    from truespec.serve.mcp import server

    async def run() -> Any:
        async with Client(server(service)) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


def call(service: Service, tool: str, **arguments: Any) -> dict[str, Any]:
    result = result_of(service, tool, arguments)
    assert not result.is_error, result
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def mistake(service: Service, tool: str, **arguments: Any) -> str:
    """The words of a call's error result."""
    result = result_of(service, tool, arguments)
    assert result.is_error, result
    (content,) = result.content
    return str(content.text)


def test_verify_answers_in_words(service: Service) -> None:
    found = call(service, "verify", domain="regex", oracle="(ab)*", candidate="(ab)+")
    assert (found["answer"], found["relation"]) == ("refuted", "stronger")
    assert "the oracle matches the empty string" in found["explanation"]
    found = call(service, "verify", domain="regex", oracle="(ab)*", candidate="(ab)*(ab)?")
    assert found["answer"] == "equivalent"


def test_explain_counterexample_shows_the_database(service: Service) -> None:
    context = {"schema": "CREATE TABLE t (a INT)", "dialect": "sqlite"}
    found = call(
        service,
        "explain_counterexample",
        domain="sql",
        oracle="SELECT a FROM t",
        candidate="SELECT DISTINCT a FROM t",
        context=context,
    )
    assert found["oracle_value"] != found["candidate_value"]
    assert "INSERT INTO" in found["counterexample"]["script"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"domain": "rgex", "oracle": "a", "candidate": "a"}, "unknown domain"),
        (
            {"domain": "regex", "oracle": "a", "candidate": "a", "context": {"flgas": "i"}},
            "did you mean 'flags'",
        ),
        ({"domain": "regex", "oracle": "a", "candidate": "a", "timeout": -1}, "timeout"),
    ],
)
def test_mistakes_are_named(service: Service, arguments: dict[str, Any], says: str) -> None:
    assert says in mistake(service, "verify", **arguments)


def test_answers_stay_short(service: Service) -> None:
    from truespec.serve.mcp import LONGEST

    found = call(service, "explain_counterexample", domain="regex", oracle="a{9000}", candidate="b")
    assert len(json.dumps(found)) < 8 * LONGEST


def test_check_trace_names_the_message(service: Service) -> None:
    calls = [{"id": "1", "type": "function", "function": {"name": "delete_all", "arguments": "{}"}}]
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": calls},
    ]
    found = call(service, "check_trace", messages=messages, rules=RULES)
    assert [(one["rule"], one["message_index"]) for one in found["violations"]] == [("no-delete", 1)]
    assert call(service, "check_trace", messages=messages[:1], rules=RULES)["kept"] == ["no-delete"]
    assert "rules" in mistake(service, "check_trace", messages=messages, rules="rules: [")
    assert "nobody" in mistake(service, "check_trace", messages=[{"role": "nobody"}], rules=RULES)
    assert "entry 0" in mistake(
        service, "check_trace", messages=messages, rules=RULES, tools=[{"title": "x"}]
    )


def test_check_trace_names_what_it_does_not_read(service: Service) -> None:
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "hologram"}]},
    ]
    found = call(service, "check_trace", messages=messages, rules=RULES)
    assert found["unread"] == ["message 1: an item of the type 'hologram' is not read"]


def test_context_of_is_the_schema(service: Service) -> None:
    assert "dialect" in call(service, "context_of", domain="sql")["properties"]
    assert "sql" in mistake(service, "context_of", domain="no")


def test_the_program_speaks_over_stdio() -> None:
    from mcp import Client, StdioServerParameters, stdio_client

    async def run() -> Any:
        program = StdioServerParameters(command=sys.executable, args=["-m", "truespec", "mcp"])
        async with Client(stdio_client(program, errlog=sys.__stderr__ or sys.stderr)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            arguments = {"domain": "regex", "oracle": "a", "candidate": "b"}
            return tools, await client.call_tool("verify", arguments)

    tools, result = asyncio.run(run())
    assert {"verify", "explain_counterexample", "check_trace", "context_of"} <= tools
    assert result.structured_content["answer"] == "refuted"


def unasked() -> socket.socket:
    """A socket on a port that the system gives to nobody who asks for any port: it stays free once closed."""
    chance = random.SystemRandom()
    while True:
        with contextlib.suppress(OSError):
            return socket.create_server(("127.0.0.1", chance.randrange(20_000, 30_000)))


def test_the_program_speaks_over_http_and_says_where() -> None:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    with unasked() as taken:
        port = str(taken.getsockname()[1])
        over_http = [
            sys.executable,
            "-m",
            "truespec",
            "mcp",
            "--transport",
            "streamable-http",
            "--port",
            port,
        ]
        refused = subprocess.run(over_http, capture_output=True, text=True, check=False, timeout=120)
    assert refused.returncode == 2
    assert f"port {port}" in refused.stderr

    async def run(address: str) -> Any:
        for _ in range(600):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", int(port)), 1).close()
                break
            await asyncio.sleep(0.1)
        async with Client(streamable_http_client(address)) as client:
            arguments = {"domain": "regex", "oracle": "a", "candidate": "b"}
            return await client.call_tool("verify", arguments)

    with subprocess.Popen(over_http, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert program.stderr is not None
            found = re.search(r"http://\S+/mcp", program.stderr.readline())
            assert found is not None
            result = asyncio.run(run(found[0]))
        finally:
            program.terminate()
            program.communicate()
    assert result.structured_content["answer"] == "refuted"


def test_explain_rule_says_what_the_formula_checks(service: Service) -> None:
    (rule,) = call(service, "explain_rule", rules=RULES)["rules"]
    assert rule["id"] == "no-delete"
    assert "delete_all" in rule["checks"]
    assert "delete_all" in rule["broken"]
    assert "there are no-delete" in mistake(service, "explain_rule", rules=RULES, rule_id="other")
    assert "rules" in mistake(service, "explain_rule", rules="rules: [")
