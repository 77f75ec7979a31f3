"""Guards: what an answer costs after long conversations, and whether anything gets past.

Bars: with 200 rules, an answer takes at most 0.2 ms at the 50th and the 99th percentile, after 10, 1,000 and
100,000 messages alike; 10,000 random schedules of concurrent calls agree with a sequential reference; no
hostile agent gets past a formal rule. Times are CPU times of the thread, each answer by itself, so that other
processes do not count.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import Iterator

from benchmarks._guard_schedules import hostile, schedules
from truespec.guard.guard import Guard
from truespec.rules.language import load_rules
from truespec.rules.monitor import Monitor
from truespec.rules.rule import Rule
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace

LENGTHS = (10, 1_000, 100_000)
ANSWERS = 2_000
ORDERS = 5_000
_BOUND = """
- {{id: once-{n}, text: t, formal: {{when: {{call: act-{n}}}, bind: {{o: args.order}}, require: "X G !again",
    define: {{again: {{call: act-{n}, args: {{order: $o}}}}}}}}}}
- {{id: seen-{n}, text: t, formal: {{when: {{call: act-{n}}}, bind: {{o: args.order}}, require: "O seen",
    define: {{seen: {{result: look-{n}, args: {{order: $o}}}}}}}}}}
- {{id: told-{n}, text: t, formal: {{template: response, a: {{result: act-{n}}},
    b: {{message: assistant, text: {{contains: "done {n}"}}}}}}}}
- {{id: ask-{n}, text: t, formal: {{when: {{call: act-{n}}}, require: "!said S (said & agreed)",
    define: {{said: {{message: user, says: true}},
             agreed: {{message: user, text: {{words: ["yes", go ahead]}}}}}}}}}}
- {{id: cap-{n}, text: t, formal: {{template: absence, a: {{call: act-{n}, args: {{amount: {{gt: 100}}}}}}}}}}
"""


def main(arguments: list[str] | None = None) -> None:
    """Print a table for each bar."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks guard")
    parser.add_argument("--quick", action="store_true", help="shorter conversations, fewer schedules")
    quick = parser.parse_args(arguments).quick
    gc.set_threshold(100_000, 20, 50)
    latency(LENGTHS[:2] if quick else LENGTHS)
    schedules(500 if quick else 10_000)
    hostile(500 if quick else 10_000)


def rules(count: int = 200) -> tuple[Rule, ...]:
    """Rules of five shapes: once each, looked up before, told after, asked before, an amount's bound."""
    return load_rules("\n".join(_BOUND.format(n=n) for n in range(count // 5)))


def conversation(length: int, seed: int = 1) -> Iterator[Message]:
    """Messages of an agent with forty tools and thousands of orders."""
    rng = random.Random(seed)
    made = 0
    while made < length:
        tool = f"{rng.choice(['act', 'look'])}-{rng.randrange(40)}"
        call = ToolCall(tool, {"order": f"#{rng.randrange(ORDERS)}", "amount": rng.randrange(90)}, f"c{made}")
        block = [
            Message("user", rng.choice(["Yes, go ahead.", "What about order 7?", "Hm, " + "well, " * 40])),
            Message("assistant", None, (call,)),
            Message("tool", '{"order": "' + "x" * 200 + '"}', call_id=call.id),
            Message("assistant", f"It is done {rng.randrange(40)}."),
        ]
        yield from block[: length - made]
        made += len(block)


def latency(lengths: tuple[int, ...]) -> None:
    """The time of one answer after conversations of these lengths."""
    tools = tuple(
        ToolSchema(f"{kind}-{n}", kind={"act": "write", "look": "read"}[kind])
        for n in range(40)
        for kind in ("act", "look")
    )
    chosen = rules()
    print(f"{len(chosen)} rules, {ANSWERS} answers each; bar: 0.2 ms")
    print(" messages  would_break p50, p99 ms  decide p50, p99 ms")
    for length in lengths:
        monitor = Monitor(chosen, Trace("t", (), Source("x", "", "", ""), tools=tools))
        guard = Guard(chosen, tools=tools)
        for message in conversation(length):
            monitor.observe(message)
            guard.observe(message)
        wishes = [m for m in conversation(8 * ANSWERS, seed=2) if m.calls][:ANSWERS]
        for wish in wishes[:100]:
            monitor.would_break(wish)
        gc.collect()
        ahead, decided = [], []
        for wish in wishes:
            started = time.thread_time()
            monitor.would_break(wish)
            ahead.append(time.thread_time() - started)
        for wish in wishes:
            (call,) = wish.calls
            started = time.thread_time()
            guard.decide(call.name, call.arguments)
            decided.append(time.thread_time() - started)
        figures = [f"{1000 * at(times, share):7.3f}" for times in (ahead, decided) for share in (0.5, 0.99)]
        print(f"{length:9,}  {figures[0]:>15} {figures[1]}  {figures[2]:>10} {figures[3]}")


def at(times: list[float], share: float) -> float:
    """The quantile of some times."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]
