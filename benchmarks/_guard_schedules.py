"""Random schedules of concurrent calls and hostile agents, against a reference that shares no code with it.

The reference takes the calls in the order in which the guard took them, with a few lines of bookkeeping for
each rule.
"""

from __future__ import annotations

import asyncio
import random
import unicodedata
from typing import Any

from truespec.guard.decision import Blocked
from truespec.guard.guard import Guard
from truespec.rules.language import load_rules

RULES = """
- {id: once, text: Refund an order once., formal: {when: {call: refund}, bind: {o: args.order},
    require: "X G !again", define: {again: {call: refund, args: {order: $o}}}}}
- {id: thrice, text: At most three refunds., formal: {template: absence, n: 3, a: {call: refund}}}
- {id: seen, text: Look an order up first., formal: {when: {call: refund}, bind: {o: args.order},
    require: "O seen", define: {seen: {result: look, ok: true, args: {order: $o}}}}}
- {id: alternate, text: Never look up twice in a row., formal: {template: not_chain_succession, over: calls,
    a: {call: look}, b: {call: look}}}
- {id: stop, text: Nothing after closing.,
    formal: {template: not_succession, a: {call: close}, b: {call: any}}}
- {id: cap, text: At most 100., formal: {template: absence, a: {call: refund, args: {amount: {gt: 100}}}}}
"""


class Reference:
    """What the rules mean, call by call, in plain code."""

    def __init__(self) -> None:
        self.refunded: list[str] = []
        self.seen: set[str] = set()
        self.last: str | None = None
        self.closed = False

    def allows(self, tool: str, arguments: dict[str, Any]) -> bool:
        """Whether a call may pass; where it may, it counts as made."""
        order = arguments.get("order")
        good = not self.closed and not (tool == "look" and self.last == "look")
        if tool == "refund":
            good = good and order in self.seen and order not in self.refunded and len(self.refunded) < 3
            amount = arguments.get("amount", 0)
            good = good and float(amount) <= 100
        if good:
            self.last = tool
            self.closed = self.closed or tool == "close"
            if tool == "refund":
                self.refunded.append(str(order))
        return good

    def ended(self, tool: str, arguments: dict[str, Any], good: bool) -> None:
        """How a call ended."""
        if tool == "look" and good:
            self.seen.add(str(arguments.get("order")))


def wish(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A call that an agent may make."""
    tool = rng.choice(["look"] * 16 + ["refund"] * 16 + ["other"] * 12 + ["close"])
    arguments: dict[str, Any] = {"order": rng.choice("abcd")}
    if tool == "refund":
        arguments["amount"] = rng.choice([5, 99.5, 100, 100, 101, 1e9])
    return tool, arguments


async def one_schedule(seed: int, calls: int = 24) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """What a guard decided about concurrent calls, and what the reference says in the same order."""
    rng = random.Random(seed)
    guard = Guard(load_rules(RULES))
    reference = Reference()
    order: list[tuple[str, dict[str, Any], bool, bool]] = []
    pauses = [rng.randrange(4) for _ in range(2 * calls)]

    async def act(number: int, tool: str, arguments: dict[str, Any], fails: bool) -> None:
        for _ in range(pauses[number]):
            await asyncio.sleep(0)

        async def run() -> str:
            place = len(order)
            order.append((tool, arguments, True, fails))
            for _ in range(pauses[calls + number]):
                await asyncio.sleep(0)
            assert len(order) == place + 1, "two calls ran at the same time"
            if fails:
                raise RuntimeError("no luck")
            return "ok"

        try:
            await guard.call(tool, arguments, run)
        except Blocked:
            order.append((tool, arguments, False, fails))
        except RuntimeError:
            pass

    wishes = [(*wish(rng), rng.random() < 0.2) for _ in range(calls)]
    await asyncio.gather(*(act(number, *one) for number, one in enumerate(wishes)))
    expected = []
    for tool, arguments, _, fails in order:
        good = reference.allows(tool, arguments)
        expected.append((tool, good))
        if good:
            reference.ended(tool, arguments, not fails)
    return [(tool, ran) for tool, _, ran, _ in order], expected


def schedules(count: int, first: int = 0) -> int:
    """Run random schedules, print and return the number of disagreements."""
    wrong = 0
    passed = blocked = 0

    async def all_of_them() -> None:
        nonlocal wrong, passed, blocked
        for seed in range(first, first + count):
            decided, expected = await one_schedule(seed)
            wrong += decided != expected
            passed += sum(ran for _, ran in decided)
            blocked += sum(not ran for _, ran in decided)

    asyncio.run(all_of_them())
    print(f"{count} schedules: {passed} calls passed, {blocked} blocked, {wrong} disagreements; bar: 0")
    return wrong


def _disguised(rng: random.Random, name: str) -> str:
    """A name that a careless dispatcher might take for this one."""
    tricks = [name.upper(), name.title(), f" {name}", f"{name}\u200b", f"{name[:3]}-{name[3:]}", f"{name}\n"]
    wide = "".join(unicodedata.lookup(f"FULLWIDTH LATIN SMALL LETTER {c.upper()}") for c in name)
    return rng.choice([*tricks, wide])


def hostile(count: int, first: int = 0) -> int:
    """Let hostile agents loose, print and return the number of acts that got past a rule.

    They rename tools, send huge, deep and malformed arguments, use identifiers again, and invent results. The
    dispatcher behind the guard is careless: it folds names and takes whatever arguments it is given.
    """
    wrong = passed = refused = 0
    for seed in range(first, first + count):
        rng = random.Random(seed)
        guard = Guard(load_rules(RULES))
        reference = Reference()
        for _ in range(12):
            tool, arguments = wish(rng)
            sent: Any = dict(arguments)
            name, identifier = tool, rng.choice([None, "a", "b"])
            trick = rng.randrange(8)
            if trick == 0:
                name = _disguised(rng, tool)
            elif trick == 1:
                sent["note"] = "x" * rng.choice([10, 10_000, 300_000])
            elif trick == 2:
                deep: Any = 0
                for _ in range(rng.choice([10, 150, 3000])):
                    deep = [deep]
                sent["note"] = deep
            elif trick == 3:
                sent = rng.choice(["{", "[]", "null", 3, [sent], '{"order": "a"', b"\xff"])
            elif trick == 4:
                _invented_result(rng, guard, arguments)
            elif trick == 6 and "amount" in sent:
                sent["amount"] = str(sent["amount"])
            elif trick == 5:
                sent = f'{{"order": "z", "amount": 1, {str(sent)[1:]}'.replace("'", '"')
            ran: list[dict[str, Any]] = []
            try:
                guard.call_now(name, sent, lambda given, ran=ran: ran.append(given), id=identifier)
                passed += 1
            except Blocked:
                refused += 1
                continue
            folded = "".join(c for c in unicodedata.normalize("NFKC", name).lower() if c.isalnum())
            wrong += len(ran) != 1 or not reference.allows(folded, ran[0])
            reference.ended(folded, ran[0], True)
    print(f"{count} hostile agents: {passed} calls passed, {refused} blocked, {wrong} past a rule; bar: 0")
    return wrong


def _invented_result(rng: random.Random, guard: Guard, arguments: dict[str, Any]) -> None:
    """Try to have a result believed that no call has."""
    from truespec.traces.trace import TraceError

    identifier = rng.choice(["a", "look/1", "call/1", None])
    try:
        guard.observe({"role": "tool", "tool_call_id": identifier, "name": "look", "content": str(arguments)})
    except TraceError:
        return
    raise AssertionError(f"a result with the identifier {identifier!r} was believed")
