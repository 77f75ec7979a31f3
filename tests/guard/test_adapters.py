"""Adapters against the real packages, by the examples, which run without a key."""

from __future__ import annotations

import asyncio
import json
import runpy
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

import needs
from truespec.guard.guard import Guard
from truespec.guard.inputs import messages_from
from truespec.guard.mcp_proxy import Proxy
from truespec.rules.language import load_rules
from truespec.rules.rule import Rule
from truespec.traces.trace import TraceError
from truespec.verdict import UsageError

REFUSED = "tool: - Look an order up before you refund it. Call look_up with the same order first."
ONCE = "tool: - Refund an order once. Tell the user that the order has been refunded."
DONE = ["tool: order 7: 30", "tool: refunded"]


@pytest.mark.live
@pytest.mark.parametrize(
    ("name", "package", "expected"),
    [
        ("guard_openai_agents", "agents", [REFUSED, *DONE, ONCE, ONCE, ONCE, "agent: Order 7 is refunded."]),
        ("guard_langchain", "langchain", [REFUSED, *DONE, ONCE, ONCE, ONCE, "agent: Order 7 is refunded."]),
        ("guard_claude_agent", "claude_agent_sdk", [REFUSED, *DONE, ONCE]),
        (
            "guard_mcp",
            "mcp",
            [
                "tools: look_up, refund",
                REFUSED,
                *DONE,
                ONCE,
                "tool: order 8: 30",
                "tool: A person has to approve it first.",
                "tool: - Not a call that can be checked: there is no tool 'Refund'.",
            ],
        ),
    ],
)
def test_examples(name: str, package: str, expected: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    needs.module(package)
    example = str(needs.ROOT / "examples" / f"{name}.py")
    if name == "guard_mcp":  # it starts itself once more, and the server tells of the refund
        command = [sys.executable, example]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stderr.count("REFUNDED") == 1
        lines = run.stdout.splitlines()
    else:  # here, where the other tests have imported the package: that takes a second or two
        runpy.run_path(example, run_name="__main__")
        lines = capsys.readouterr().out.splitlines()
        assert lines.pop() == "refunds carried out: 1"
    # Which of the four refunds at once comes first is open.
    assert sorted(lines) == sorted(expected)


RULES = load_rules("""
- {id: once, text: Pay once., formal: {template: absence, n: 1, a: {call: pay}}}
- {id: after, text: Tell it., formal: {template: response, a: {result: pay, ok: true}, b: {call: tell}}}
""")
TOOLS = [{"name": "pay", "inputSchema": {"type": "object"}}, {"name": "tell"}]


class Wire:
    """A proxy whose two ends are lists."""

    def __init__(self, rules: Sequence[Rule] = RULES) -> None:
        self.server: list[Any] = []
        self.client: list[Any] = []
        self.told: list[str] = []
        self.proxy = Proxy(rules, tell=self.told.append)
        self.proxy.send_server = lambda line: self.server.append(json.loads(line))
        self.proxy.send_client = lambda line: self.client.append(json.loads(line))

    def ask(self, identifier: Any, tool: str, arguments: Any = None, **more: Any) -> None:
        call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        self.proxy.from_client(json.dumps({**call, "id": identifier, **more}).encode())

    def answer(self, identifier: Any, result: Any) -> None:
        self.proxy.from_server(json.dumps({"jsonrpc": "2.0", "id": identifier, "result": result}).encode())

    def refused(self) -> list[Any]:
        return [one["id"] for one in self.client if one.get("result", {}).get("isError")]


def test_a_proxy_learns_the_tools_before_the_first_call() -> None:
    wire = Wire()
    wire.proxy.from_client(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}')
    wire.ask(1, "pay", {"to": "a"})
    wire.ask(2, "pay", {"to": "b"})
    wire.ask(3, "steal")
    assert [one["method"] for one in wire.server] == ["initialize", "tools/list"]
    asked = wire.server[1]["id"]
    wire.answer(asked, {"tools": TOOLS[:1], "nextCursor": "2"})
    assert wire.server[2]["params"] == {"cursor": "2"}
    wire.answer(asked, {"tools": []})  # nobody's answer any more: passed on, and no second guard
    wire.answer(wire.server[2]["id"], {"tools": TOOLS[1:]})
    assert [one["params"].get("arguments") for one in wire.server[3:]] == [{"to": "a"}]
    assert wire.refused() == [2, 3]
    wire.answer(1, {"content": [{"type": "text", "text": "paid"}]})
    assert wire.client[-1]["id"] == 1
    assert wire.proxy.finish() == ["after: still owed: paid"]


def test_a_proxy_is_not_fooled() -> None:
    wire = Wire()
    wire.ask(1, "pay")
    wire.answer(wire.server[0]["id"], {"tools": TOOLS})
    wire.proxy.from_client(b"no JSON")
    assert wire.client[-1]["error"]["code"] == -32700
    wire.ask(1, "pay")  # the same identifier while it is open
    wire.proxy.from_client(b'[{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"pay"}}]')
    wire.proxy.from_client(b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"pay"}}')
    wire.ask(6, "pay", "[]")
    wire.ask(7, None)  # type: ignore[arg-type]
    wire.answer(wire.server[0]["id"], {"tools": TOOLS})  # a second list must not start a new guard
    wire.ask(8, "pay")
    assert [one["method"] for one in wire.server] == ["tools/list", "tools/call"]
    assert wire.refused() == [1, 5, 6, 7, 8]
    assert wire.told


def test_a_proxy_says_what_it_cannot_follow() -> None:
    wire = Wire()
    wire.ask(1, "pay", params={"name": "pay", "task": {"ttl": 60000}})
    wire.answer(wire.server[0]["id"], {"tools": TOOLS[:1]})
    assert wire.refused() == [1]
    assert any("after names tools that the server does not have: tell" in text for text in wire.told)
    talk = load_rules(
        "- {id: talk, text: t, formal: {template: precedence, a: {message: user}, b: {call: pay}}}"
    )
    deaf = Wire(talk)
    deaf.ask(1, "pay")
    deaf.answer(deaf.server[0]["id"], {"tools": TOOLS})
    assert "talk speaks of messages, of which an MCP server hears none" in deaf.told[0]
    wire.proxy.from_client(b'["hello"]')
    assert wire.client[-1]["error"]["code"] == -32600
    wire.proxy.from_server(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
    wire.proxy.from_server(b"[3]")
    assert ["changed" in text or "left out" in text for text in wire.told[-2:]] == [True, True]


def test_a_server_that_does_not_say_its_tools_is_not_called() -> None:
    wire = Wire()
    wire.ask(1, "pay")
    wire.proxy.from_server(json.dumps({"id": wire.server[0]["id"], "error": {"code": -32601}}).encode())
    assert [one["method"] for one in wire.server] == ["tools/list"]
    assert wire.refused() == [1]


@pytest.mark.live
def test_a_middleware_is_that_of_one_conversation() -> None:
    needs.module("langchain")
    from langchain_core.messages import HumanMessage
    from langchain_core.runnables.config import set_config_context

    from truespec.guard.adapters.langchain import GuardMiddleware

    middleware = GuardMiddleware(Guard(RULES))
    said = {"messages": [HumanMessage("Hi.", id="1")]}

    def heard_in(thread: str) -> None:
        with set_config_context({"configurable": {"thread_id": thread}}) as context:
            context.run(middleware.before_model, said, None)

    heard_in("a")
    heard_in("a")
    with pytest.raises(UsageError, match="conversation 'a', and this is 'b'"):
        heard_in("b")
    middleware.before_model(said, None)


@pytest.mark.live
def test_hooks_are_those_of_one_session() -> None:
    needs.module("claude_agent_sdk")
    from truespec.guard.adapters.claude_agent import guard_hooks

    guard = Guard(RULES)
    hooks: dict[str, Any] = {name: listed[0].hooks[0] for name, listed in guard_hooks(guard).items()}

    def hear(event: str, session: str, **given: Any) -> Any:
        return asyncio.run(hooks[event]({"session_id": session, **given}, "t", {"signal": None}))

    def use(session: str) -> Any:
        given = {"tool_name": "tell", "tool_input": {}, "tool_use_id": f"t{session}"}
        return hear("PreToolUse", session, **given)["hookSpecificOutput"]

    assert hear("UserPromptSubmit", "a", prompt="Pay.") == {}
    assert use("a")["permissionDecision"] == "allow"
    denied = use("b")
    assert denied["permissionDecision"] == "deny"
    assert "conversation 'a', and this is 'b'" in denied["permissionDecisionReason"]
    told = hear("UserPromptSubmit", "b", prompt="Pay again.")
    assert (told["decision"], told["reason"]) == ("block", denied["permissionDecisionReason"])
    with pytest.raises(UsageError, match="and this is 'b'"):
        hear("PostToolUse", "b", tool_use_id="ta", tool_response="told")
    assert hear("PostToolUse", "a", tool_use_id="ta", tool_response="told") == {}
    hooks = {name: listed[0].hooks[0] for name, listed in guard_hooks(guard).items()}
    assert use("b")["permissionDecision"] == "deny"


@pytest.mark.live
def test_guarded_tools_are_those_of_one_conversation() -> None:
    needs.module("agents")
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    import agents
    from truespec.guard.adapters.openai_agents import guard_tools

    class Scripted(agents.Model):
        """A model that calls its tools once in each run."""

        def __init__(self, *tools: str) -> None:
            self.tools, self.count = tools, 0

        async def get_response(self, *args: Any, **kwargs: Any) -> Any:
            self.count += 1
            last = kwargs["input"][-1]
            output: list[Any] = [ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed",
                content=[ResponseOutputText(type="output_text", text="Done.", annotations=[])],
            )]  # fmt: skip
            if isinstance(last, str) or last.get("role") == "user":
                output = [ResponseFunctionToolCall(
                    type="function_call", call_id=f"{tool}{self.count}", name=tool,
                    arguments='{"input": "Tell."}' if tool == "sub" else "{}",
                ) for tool in self.tools]  # fmt: skip
            return agents.ModelResponse(output=output, usage=agents.Usage(), response_id=None)

        def stream_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    @agents.function_tool
    def tell() -> str:
        """Tell it."""
        return "told"

    def talk() -> agents.Agent[Any]:
        return agents.Agent(name="a", model=Scripted("tell"), tools=guard_tools(Guard(RULES), [tell]))

    def run(agent: agents.Agent[Any], given: Any, group: str | None = None) -> list[str]:
        config = agents.RunConfig(tracing_disabled=True, group_id=group)
        ended = asyncio.run(agents.Runner.run(agent, given, run_config=config))
        histories.append(ended.to_input_list())
        return [item.output for item in ended.new_items if item.type == "tool_call_output_item"]

    histories: list[list[Any]] = []
    alone = talk()
    assert run(alone, "Go.") == ["told"]
    assert run(alone, [*histories[-1], {"role": "user", "content": "Again."}]) == ["told"]
    with pytest.raises(agents.UserError, match="conversation 'the run of the call tell1', and this is"):
        run(alone, "Go.")
    grouped = talk()
    assert run(grouped, "Go.", "chat 1") == run(grouped, "Go.", "chat 1") == ["told"]
    with pytest.raises(agents.UserError, match="conversation 'chat 1', and this is 'chat 2'"):
        run(grouped, "Go.", "chat 2")
    inner = talk()
    tools = [*inner.tools, inner.as_tool("sub", "Tell it.")]
    outer = agents.Agent(name="b", model=Scripted("tell", "sub"), tools=tools)
    assert run(outer, "Go.") == ["told", "Done."]


@pytest.mark.live
def test_objects_of_sdks_are_read() -> None:
    needs.module("openai")
    needs.module("anthropic")
    needs.module("langchain_core")
    import anthropic.types as a
    import langchain_core.messages as lc
    from openai.types.chat import ChatCompletionMessage

    call = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": '{"n": 1}'}}
    said = ChatCompletionMessage.model_validate({"role": "assistant", "content": "Hm.", "tool_calls": [call]})
    thought = a.Message.model_validate(
        {
            "id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "tool_use",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": [{"type": "text", "text": "Hm."},
                        {"type": "tool_use", "id": "c", "name": "pay", "input": {"n": 1}}],
        }
    )  # fmt: skip
    chained = lc.AIMessage("Hm.", tool_calls=[{"name": "pay", "args": {"n": 1}, "id": "c"}])
    for one in (said, thought, chained, call | {"role": "assistant", "content": "Hm.", "tool_calls": [call]}):
        (message,) = messages_from(one)
        assert (message.role, message.text) == ("assistant", "Hm.")
        assert [(c.name, c.arguments, c.id) for c in message.calls] == [("pay", {"n": 1}, "c")]
    (heard,) = messages_from(lc.HumanMessage("Go."))
    assert (heard.role, heard.text) == ("user", "Go.")
    (answer,) = messages_from(lc.ToolMessage("ok", tool_call_id="c", name="pay"))
    assert (answer.role, answer.text, answer.call_id) == ("tool", "ok", "c")
    guard = Guard(RULES)
    guard.observe([lc.HumanMessage("Go."), chained, lc.ToolMessage("ok", tool_call_id="c", name="pay")])
    assert [v.rule_id for v in guard.owed()] == ["after"]
    with pytest.raises(TraceError, match="no message"):
        guard.observe(3)
