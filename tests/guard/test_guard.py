"""The guard of a conversation: what it lets pass, what it says, what it writes down."""

from __future__ import annotations

import asyncio
import json
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.guard.decision import Action, Blocked, Decision
from truespec.guard.guard import Guard
from truespec.rules.language import load_rules
from truespec.rules.packs import pack
from truespec.rules.ruleset import RuleSet
from truespec.traces import Message, ToolCall, Trace
from truespec.traces.files import Problem
from truespec.traces.importers.registry import read
from truespec.traces.redact import Hiding
from truespec.traces.trace import TraceError
from truespec.verdict import UsageError

ONCE = """
- {id: once, text: Refund an order once., hint: Tell the user that it is refunded already.,
   formal: {when: {call: refund}, bind: {o: args.order}, require: "X G !again",
            define: {again: {call: refund, args: {order: $o}}}}}
- {id: told, text: Tell the user how it went.,
   formal: {template: response, a: {result: refund}, b: {message: assistant, says: true}}}
"""
LIMIT = """
- {id: limit, text: At most 100., action: %s,
   formal: {template: absence, a: {call: refund, args: {amount: {gt: 100}}}}}
"""


def test_four_refunds_at_once_are_one() -> None:
    guard = Guard(load_rules(ONCE))
    paid = []

    async def refund(order: int) -> str:
        await asyncio.sleep(0.01)
        paid.append(order)
        return "refunded"

    async def agent() -> list[Any]:
        calls = [guard.call("refund", {"order": 7}, refund) for _ in range(4)]
        return await asyncio.gather(*calls, return_exceptions=True)

    answers = asyncio.run(agent())
    assert paid == [7]
    assert [type(answer) for answer in answers].count(Blocked) == 3
    assert "Refund an order once. Tell the user that it is refunded already." in str(answers[-1])
    assert [v.rule_id for v in guard.owed()] == ["told"]
    guard.observe({"role": "assistant", "content": "It is done."})
    assert guard.owed() == guard.finish() == []


def test_threads_take_turns_too() -> None:
    guard = Guard(load_rules(ONCE))
    paid: list[int] = []
    blocked: list[Blocked] = []

    def agent() -> None:
        try:
            guard.call_now("refund", {"order": 7}, lambda: paid.append(7))
        except Blocked as error:
            blocked.append(error)

    threads = [threading.Thread(target=agent) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (paid, len(blocked)) == ([7], 7)


def test_a_cancelled_caller_leaves_its_place() -> None:
    guard = Guard(load_rules(ONCE))

    async def agent() -> None:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def slow() -> str:
            begun.set()
            await go_on.wait()
            return "ok"

        first = asyncio.create_task(guard.call("refund", {"order": 1}, slow))
        await begun.wait()
        second = asyncio.create_task(guard.call("refund", {"order": 2}, slow))
        await asyncio.sleep(0)
        second.cancel()
        go_on.set()
        assert await first == "ok"
        with pytest.raises(asyncio.CancelledError):
            await second
        assert await guard.call("refund", {"order": 3}, slow) == "ok"

    asyncio.run(asyncio.wait_for(agent(), 10))


def test_what_a_person_says_is_asked_and_checked_again() -> None:
    seen: list[Decision] = []
    answer = True

    async def ask(decision: Decision) -> bool:
        seen.append(decision)
        return answer

    guard = Guard(load_rules(LIMIT % "ask" + ONCE), ask=ask)
    assert guard.call_now("refund", {"order": 1, "amount": 10}, lambda: "ok") == "ok"
    assert asyncio.run(guard.call("refund", {"order": 2, "amount": 900}, lambda: "ok")) == "ok"
    assert [one.arguments["amount"] for one in seen] == [900]
    answer = False
    with pytest.raises(Blocked) as caught:
        asyncio.run(guard.call("refund", {"order": 3, "amount": 900}, lambda: "ok"))
    assert caught.value.decision.asked

    async def meanwhile(decision: Decision) -> bool:
        asked = {"name": "refund", "arguments": json.dumps(decision.arguments)}
        guard.observe({"role": "assistant", "tool_calls": [{"id": "x", "function": asked}]})
        return True

    guard = Guard(load_rules(LIMIT % "ask" + ONCE), ask=meanwhile)
    with pytest.raises(Blocked, match="Refund an order once"):
        asyncio.run(guard.call("refund", {"order": 4, "amount": 900}, lambda: "ok"))
    nobody = Guard(load_rules(LIMIT % "ask"))
    with pytest.raises(Blocked, match="A person has to approve it first"):
        nobody.call_now("refund", {"amount": 900}, lambda: "ok")
    reported = Guard(load_rules(LIMIT % "report"))
    assert reported.call_now("refund", {"amount": 900}, lambda: "ok") == "ok"


def test_a_rule_that_cannot_be_evaluated_stands_against_every_act() -> None:
    guard = Guard(pack("confirmation"))
    with pytest.raises(Blocked, match="could not be evaluated: nobody says which tools"):
        guard.call_now("delete_everything", {}, lambda: "gone")
    free = Guard(
        load_rules(
            "- {id: r, text: t, required: false, formal: {template: absence, a: {call: {type: write}}}}"
        )
    )
    decision = free.decide("delete_everything", {})
    assert decision.allowed
    assert list(decision.not_evaluated) == ["r"]
    typed = Guard(pack("confirmation"), types={"delete_everything": "write", "look": "read"})
    with pytest.raises(Blocked, match="the user has agreed"):
        typed.call_now("delete_everything", {}, lambda: "gone")
    assert typed.call_now("look", {}, lambda: "seen") == "seen"
    typed.observe({"role": "user", "content": "Yes, go ahead."})
    assert typed.call_now("delete_everything", {}, lambda: "gone") == "gone"
    counted = Guard(pack("one_call_per_message"))
    assert not counted.decide("look", {}).allowed
    assert Guard(pack("one_call_per_message"), whole_messages=True).decide("look", {}).allowed


@pytest.mark.parametrize(
    "name",
    [
        "REFUND",
        "refund ",
        "re-fund",
        "ｒｅｆｕｎｄ",
        "Refund\u200b",
        "REFU\u039dD",
        "\u0280efund",
        "\ua4e3efund",
        "\u13a1EFUND",
    ],
)
def test_a_renamed_tool_does_not_pass(name: str) -> None:
    with pytest.raises(Blocked, match="written like 'refund'"):
        Guard(load_rules(ONCE)).call_now(name, {"order": 1}, lambda: "ok")
    with pytest.raises(Blocked, match="there is no tool"):
        Guard(load_rules(ONCE), tools=[{"name": "refund"}]).call_now(name, {"order": 1}, lambda: "ok")


class Sly(dict[str, Any]):
    """Arguments that are not what they say."""

    def __contains__(self, key: object) -> bool:
        return False


def test_what_is_checked_is_what_runs() -> None:
    guard = Guard(load_rules(LIMIT % "block"))
    for sly in (Sly(amount=900), '{"amount": 1, "amount": 900}', {"amount": Decimal(900)}):
        with pytest.raises(Blocked, match="At most 100"):
            guard.call_now("refund", sly, lambda: "ok")
    given: dict[str, Any] = {"amount": 5, "items": [1]}
    ran: list[Any] = []

    def refund(arguments: dict[str, Any]) -> None:
        ran.append(arguments)
        given["amount"] = 900

    guard.call_now("refund", given, refund)
    assert ran == [{"amount": 5, "items": [1]}]
    assert ran[0] is not given
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    for odd in ([1], "no JSON", {"amount": object()}, {1: 2}, {"x": float("nan")}, {"x": deep}, "[" * 9999):
        with pytest.raises(Blocked, match="Not a call that can be checked"):
            guard.call_now("refund", odd, lambda: "ok")
    assert guard.call_now("refund", {"note": "x" * 1_000_000}, lambda: "ok") == "ok"


def test_results_without_calls_and_repeated_identifiers() -> None:
    formal = "{template: precedence, a: {result: look, ok: true}, b: {call: pay}}"
    rules = f"- {{id: seen, text: Look first., formal: {formal}}}"
    guard = Guard(load_rules(rules))
    with pytest.raises(TraceError, match="answers no open call"):
        guard.observe({"role": "tool", "tool_call_id": "look/1", "name": "look", "content": "ok"})
    with pytest.raises(TraceError, match="answers no open call"):
        guard.result("nobody", "ok")
    assert not guard.decide("pay", {}).allowed
    assert guard.admit_now("look", {}, id="a").allowed
    assert "still open" in guard.admit_now("other", {}, id="a").message
    guard.result("a", "no such thing", error=True)
    assert not guard.decide("pay", {}).allowed
    assert guard.admit_now("look", {}, id="a").allowed
    guard.result("a", {"found": 1})
    assert guard.decide("pay", {}).allowed


def test_whole_messages() -> None:
    guard = Guard([*load_rules(ONCE), *pack("one_call_per_message")], whole_messages=True)
    call = {"function": {"name": "refund", "arguments": '{"order": 1}'}, "type": "function"}
    both = {"role": "assistant", "content": None, "tool_calls": [{**call, "id": "a"}, {**call, "id": "b"}]}
    assert not guard.admit_message(both).allowed
    twins = Guard(load_rules(ONCE), whole_messages=True)
    other = {"function": {"name": "refund", "arguments": '{"order": 2}'}, "type": "function", "id": "a"}
    use = {"type": "tool_use", "id": "a", "name": "refund", "input": {"order": 1}}
    twice = Message("assistant", None, (ToolCall("refund", {"order": 1}, "a"), ToolCall("look", {}, "a")))
    assert "two calls have the identifier 'a'" in str(twins.admit_message(twice).objections)
    for same in (
        {"role": "assistant", "content": None, "tool_calls": [{**call, "id": "a"}] * 2},
        {"role": "assistant", "content": [use, use]},
    ):
        with pytest.raises(TraceError, match="2 calls stand in the message, and 1"):
            twins.admit_message(same)
    apart = {"role": "assistant", "content": None, "tool_calls": [{**call, "id": "a"}, other]}
    assert "two calls have the identifier 'a'" in str(twins.admit_message(apart).objections)
    assert guard.admit_message({**both, "tool_calls": both["tool_calls"][:1]}).allowed  # type: ignore[index]
    assert guard.result("a", "done") == []
    assert guard.admit_message("All done.").allowed
    assert guard.finish() == []


def test_the_log_is_a_trace(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    for name in ("first", "second"):
        guard = Guard(load_rules(ONCE), log=log, conversation=name, domain="shop", types={"refund": "write"})
        guard.observe({"role": "user", "content": "Refund it — twice."})
        guard.call_now("refund", {"order": 7}, lambda: {"status": "done"})
        with pytest.raises(Blocked):
            guard.call_now("refund", {"order": 7}, lambda: "again")
        guard.finish()
    found = list(read(log))
    assert [type(one) for one in found] == [Trace, Trace]
    trace = found[0]
    assert isinstance(trace, Trace)
    assert (trace.id, trace.domain, dict(trace.kinds)) == ("first", "shop", {"refund": "write"})
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool"]
    assert len(trace.results) == 1
    decisions = trace.metadata["decisions"]
    assert [one["action"] for one in decisions] == ["allow", "block"]
    assert decisions[1]["objections"][0]["rule_id"] == "once"
    assert trace.metadata["owed"][0]["rule_id"] == "told"
    (tmp_path / "r.yml").write_text(ONCE)
    arguments = ["trace", "check", str(log), "--rules", str(tmp_path / "r.yml"), "--fail-on", "medium"]
    checked = CliRunner().invoke(truespec, arguments)
    assert checked.exit_code == 1
    assert "told" in checked.output
    lines = log.read_text().splitlines(keepends=True)
    for edited in (lines[:3] + lines[4:], [lines[0].replace("shop", "bank"), *lines[1:]]):
        log.write_text("".join(edited))
        assert [one.message for one in read(log) if isinstance(one, Problem)]


def test_an_act_that_the_log_does_not_take_is_not_carried_out(tmp_path: Path) -> None:
    guard = Guard(load_rules(ONCE), log=tmp_path / "log.jsonl")
    assert guard._diary._log is not None
    guard._diary._log.close()
    with pytest.raises(OSError, match="descriptor"):
        guard.call_now("refund", {"order": 1}, lambda: pytest.fail("carried out"))


def test_a_call_that_runs_when_the_conversation_ends_keeps_its_result(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    guard = Guard(load_rules(ONCE), log=log)

    def run() -> str:
        guard.finish()
        return "done"

    assert guard.call_now("refund", {"order": 1}, run) == "done"
    (trace,) = read(log)
    assert isinstance(trace, Trace)
    assert [(m.role, m.text) for m in trace.messages] == [("assistant", None), ("tool", "done")]
    with pytest.raises(UsageError, match="over"):
        guard.call_now("refund", {"order": 2}, lambda: pytest.fail("carried out"))


def test_mistakes_of_the_caller_are_told() -> None:
    with pytest.raises(UsageError, match="same id"):
        Guard([*load_rules(ONCE), *load_rules(ONCE)])
    with pytest.raises(UsageError, match="no tool with a name"):
        Guard(load_rules(ONCE), tools=[{"nome": "x"}])
    with pytest.raises(TraceError, match="unknown"):
        Guard(load_rules(ONCE)).observe({"role": "wizard", "content": "x"})
    assert Action("ask") == Action.ASK
    assert Message("user", "x")


def test_a_tool_that_fails_is_recorded_as_failed() -> None:
    formal = "{template: not_succession, a: {result: any, failed: true}, b: {call: any}}"
    rules = f"- {{id: stop, text: Stop after a failure., formal: {formal}}}"
    guard = Guard(load_rules(rules))

    async def broken() -> None:
        raise RuntimeError("no money")

    with pytest.raises(RuntimeError, match="no money"):
        asyncio.run(guard.call("pay", {}, broken()))
    assert not guard.decide("pay", {}).allowed


def test_a_tool_that_calls_tools_does_not_wait_for_itself() -> None:
    guard = Guard(load_rules(ONCE))
    paid: list[int] = []
    late: list[asyncio.Task[Any]] = []

    async def refund(order: int) -> str:
        await asyncio.sleep(0)
        paid.append(order)
        return "refunded"

    async def helper() -> list[Any]:
        calls = [guard.call("refund", {"order": 7}, refund) for _ in range(3)]
        late.append(asyncio.create_task(guard.call("refund", {"order": 8}, refund)))
        return await asyncio.gather(*calls, return_exceptions=True)

    async def agent() -> list[Any]:
        answers: list[Any] = await guard.call("helper", {}, helper)
        await late[0]
        with pytest.raises(Blocked):
            await guard.call("refund", {"order": 8}, refund)
        return answers

    answers = asyncio.run(asyncio.wait_for(agent(), 30))
    assert [type(answer) for answer in answers] == [str, Blocked, Blocked]
    assert sorted(paid) == [7, 8]
    assert guard.call_now("outer", {}, lambda: guard.call_now("inner", {}, lambda: "in")) == "in"


def test_nothing_passes_after_the_end(tmp_path: Path) -> None:
    guard = Guard(load_rules(ONCE), log=tmp_path / "log.jsonl")
    owed = guard.finish()
    for act in (
        lambda: guard.call_now("refund", {"order": 1}, lambda: "ok"),
        lambda: guard.admit_now("refund", {"order": 1}, id="1"),
        lambda: guard.admit_message({"role": "assistant", "content": "Done."}),
        lambda: guard.observe("hello"),
    ):
        with pytest.raises(UsageError, match="over"):
            act()
    assert guard.finish() == owed


def test_a_tool_that_has_not_run_has_no_result() -> None:
    guard = Guard(
        load_rules(
            "- {id: a, text: t, formal: {template: precedence, a: {result: look, ok: true}, b: {call: pay}}}"
        )
    )

    async def look() -> str:
        return "seen"

    def pieces() -> Any:
        yield "seen"

    for tool in (look, pieces):
        with pytest.raises(UsageError, match="the tool"):
            guard.call_now("look", {}, tool)
    with pytest.raises(UsageError, match="in pieces"):
        asyncio.run(guard.call("look", {}, pieces))
    assert not guard.decide("pay", {}).allowed


def test_a_guard_knows_the_time(tmp_path: Path) -> None:
    now = [1_000_000.0]
    rules = load_rules(
        "- {id: soon, text: Within a minute., formal: {template: absence, "
        "a: {call: refund, elapsed: {since: {message: user}, gt: 60}}}}"
    )
    guard = Guard(rules, clock=lambda: now[0], log=tmp_path / "log.jsonl")
    guard.observe("Refund me.")
    now[0] += 60
    assert guard.call_now("refund", {}, lambda: "ok") == "ok"
    now[0] += 1
    assert "Within a minute." in guard.decide("refund", {}).message
    guard.observe({"role": "user", "content": "Again.", "timestamp": 999_000.0})
    assert not guard.decide("refund", {}).allowed
    (trace,) = read(tmp_path / "log.jsonl")
    assert isinstance(trace, Trace)
    assert [finding.status for finding in RuleSet(rules).check(trace)] == ["pass"]


@pytest.mark.parametrize(
    "name",
    ["r\u0435fund", "mcp__shop__refund", "functions.refund", "shop/Refund", "shop:refund", "", None, 7],
)
def test_a_name_that_some_runtime_may_read_as_a_known_tool_does_not_pass(name: Any) -> None:
    with pytest.raises(Blocked):
        Guard(load_rules(ONCE)).call_now(name, {"order": 1}, lambda: "ok")


def test_tools_that_only_rules_know_are_told() -> None:
    guard = Guard(load_rules(ONCE), tools=[{"name": "mcp__shop__refund"}])
    assert guard.absent_tools == {"once": ["refund"], "told": ["refund"]}
    assert guard.call_now("mcp__shop__refund", {"order": 1}, lambda: "ok") == "ok"
    assert Guard(load_rules(ONCE), tools=[{"name": "refund"}]).absent_tools == {}


def test_arguments_that_readers_may_take_differently_do_not_pass() -> None:
    guard = Guard(load_rules(LIMIT % "block"))
    for text in ('{"amount": 900, "amount": 5}', '{"amount": 5, "to": {"a": 1, "a": 2}}'):
        assert "twice" in guard.decide("refund", text).message
    assert "digits" in guard.decide("refund", {"note": 10**6000}).message
    given: list[Any] = []

    def tool(arguments: dict[str, Any], /) -> str:
        given.append(arguments)
        arguments["items"].clear()
        return "ok"

    formal = "{template: precedence, a: {result: buy, args: {items.0: x}}, b: {call: pay}}"
    kept = Guard(load_rules(f"- {{id: a, text: t, formal: {formal}}}"))
    kept.call_now("buy", {"items": ["x"]}, tool)
    assert given == [{"items": []}]
    assert kept.decide("pay", {}).allowed


def test_nothing_hidden_is_in_the_log(tmp_path: Path) -> None:
    card = "4111 1111 1111 1111"
    hiding = Hiding(("card", "secret"), fields=("pin", "**.ssn"))
    log = tmp_path / "log.jsonl"
    guard = Guard(load_rules(ONCE), log=log, hiding=hiding, prompt=f"The shop's card is {card}.")
    guard.observe(f"Take {card}.")
    given = {"order": 7, "card": card, "pin": "0815", "password": "hunter2", "note": "n " * 110 + card}
    seen = guard.call_now("refund", given, lambda **arguments: {"got": arguments, "ssn": "078-05"})
    assert seen["got"] == given, "the tool gets what was checked"
    with pytest.raises(Blocked):
        guard.call_now("refund", given, lambda: "ok")
    guard.finish()
    text = log.read_text()
    for secret in (card[:6], "0815", "hunter2", "078-05"):
        assert secret not in text
    (trace,) = read(log)
    assert isinstance(trace, Trace), trace
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool"]
    assert trace.results == {(1, 0): 2}


def test_a_result_may_come_as_a_message_and_calls_of_a_message_not_alone() -> None:
    formal = "{template: precedence, a: {result: look, ok: true}, b: {call: pay}}"
    guard = Guard(load_rules(f"- {{id: a, text: t, formal: {formal}}}"))
    asyncio.run(guard.admit("look", {}, id="c1"))
    guard.observe({"role": "tool", "tool_call_id": "c1", "content": "seen"})
    assert guard.decide("pay", {}).allowed
    with pytest.raises(TraceError):
        guard.observe({"role": "tool", "tool_call_id": "c1", "content": "seen"})
    whole = Guard(load_rules(ONCE), whole_messages=True)
    with pytest.raises(UsageError, match="admit_message"):
        whole.call_now("refund", {"order": 1}, lambda: "ok")


def test_a_result_that_cannot_be_dumped_is_recorded() -> None:
    class Odd:
        def model_dump(self, **_: Any) -> Any:
            raise KeyError("mode")

    guard = Guard(
        load_rules("- {id: a, text: t, formal: {template: precedence, a: {result: look}, b: {call: pay}}}")
    )
    assert isinstance(guard.call_now("look", {}, Odd), Odd)
    assert guard.decide("pay", {}).allowed


@pytest.mark.parametrize("answer", ["no", "yes", 1, []])
def test_only_true_is_a_yes(answer: Any) -> None:
    guard = Guard(load_rules(LIMIT % "ask"), ask=lambda _: answer)
    done: list[int] = []
    with pytest.raises(UsageError, match="True or False"):
        guard.call_now("refund", {"amount": 900}, lambda: done.append(1))
    with pytest.raises(UsageError, match="True or False"):
        asyncio.run(guard.call("refund", {"amount": 900}, lambda: done.append(1)))
    assert done == []
    with pytest.raises(Blocked):
        Guard(load_rules(LIMIT % "ask"), ask=lambda _: None).call_now("refund", {"amount": 900}, lambda: 1)  # type: ignore[arg-type, return-value]
