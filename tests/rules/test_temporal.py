"""Running formulas against evaluating them by definition; monitors against both."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.direct import holds
from truespec.rules.formula import Formula
from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet
from truespec.rules.progress import Machine
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Formal, Obligation, Rule
from truespec.traces import Message, Source, ToolCall, Trace
from truespec.traces.event import events
from truespec.verdict import SpecificationError

UNARY: list[Callable[[Formula], Formula]] = [
    f.negation, f.next_, f.weak_next, f.finally_, f.globally,
    f.yesterday, f.weak_yesterday, f.once, f.historically,
]  # fmt: skip
BINARY: list[Callable[[Formula, Formula], Formula]] = [
    f.both, f.either, f.until, f.since, f.release, f.triggered, f.implies,
]  # fmt: skip


def random_formula(rng: random.Random, depth: int, atoms: int) -> Formula:
    if depth == 0 or rng.random() < 0.15:
        return f.atom(rng.randrange(atoms)) if rng.random() < 0.9 else rng.choice([f.T, f.F])
    if rng.random() < 0.6:
        return rng.choice(UNARY)(random_formula(rng, depth - 1, atoms))
    return rng.choice(BINARY)(random_formula(rng, depth - 1, atoms), random_formula(rng, depth - 1, atoms))


def value(machine: Machine, word: list[set[int]], position: int) -> bool:
    if not word:
        return machine.empty_holds
    registers = residual = 0
    for index, letter in enumerate(word):
        mask = sum(1 << a for a in letter)
        after, started = machine.step(registers, mask)
        if index == position:
            residual = started
        elif index > position:
            residual = machine.move(residual, registers, mask)
        registers = after
    return machine.ends_well(residual)


def compare(seed: int, formulas: int) -> int:
    rng = random.Random(seed)
    pairs = 0
    for _ in range(formulas):
        atoms = rng.choice([1, 2, 3])
        formula = random_formula(rng, rng.choice([2, 3, 4]), atoms)
        machine = Machine(formula)
        for _ in range(10):
            word = [{a for a in range(atoms) if rng.random() < 0.5} for _ in range(rng.randrange(8))]
            position = rng.randrange(len(word)) if word else 0
            assert value(machine, word, position) == holds(formula, word, position), (formula, word, position)
            pairs += 1
    return pairs


def test_progress_agrees_with_the_definition() -> None:
    assert compare(1, 1000) == 10_000


@pytest.mark.slow
def test_progress_agrees_with_the_definition_at_length() -> None:
    assert compare(2, 12_000) == 120_000


def test_negation_is_negation_and_printing_reads_back() -> None:
    rng = random.Random(3)
    for _ in range(500):
        formula = random_formula(rng, 4, 3)
        word = [{a for a in range(3) if rng.random() < 0.5} for _ in range(rng.randrange(1, 6))]
        for i in range(len(word)):
            assert holds(formula, word, i) != holds(f.negation(formula), word, i)
        again = f.parse(f.show(formula), lambda name: int(name[1:]))
        assert again is formula


@pytest.mark.parametrize(
    "text", ["", "a &", "(a", "a b", "a U", "q", "a ^ b", "!" * 300 + "a", "(" * 500 + "a" + ")" * 500]
)
def test_bad_formulas_are_refused_with_a_place(text: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        f.parse(text, {"a": 0, "b": 1}.__getitem__)
    assert caught.value.place is not None or "nesting" in str(caught.value)


TOOLS = ("look", "book", "pay")


def random_trace(rng: random.Random, length: int) -> Trace:
    messages: list[Message] = []
    for index in range(length):
        kind = rng.random()
        if kind < 0.3:
            messages.append(Message("user", rng.choice(["yes", "no", "", "maybe o1"])))
        elif kind < 0.45:
            messages.append(Message("assistant", rng.choice(["done o2", None])))
        else:
            calls = tuple(
                ToolCall(rng.choice(TOOLS), {"order_id": rng.choice(["o1", "o2", "o3"])}, f"c{index}.{n}")
                for n in range(rng.choice([1, 1, 2]))
            )
            messages.append(Message("assistant", rng.choice([None, "hold on"]), calls))
            messages += [
                Message("tool", "r", call_id=call.id, error=rng.random() < 0.3)
                for call in calls
                if rng.random() < 0.9
            ]
    return Trace("t", tuple(messages), Source("test", "f", "0", "0"))


PREDICATES = [
    read_predicate(value, "test")
    for value in (
        {"call": "look"},
        {"call": ["book", "pay"]},
        {"message": "user", "text": {"words": ["yes"]}},
        {"result": "any", "ok": True},
        {"message": "assistant", "says": True},
        {"call": "any", "args": {"order_id": "o1"}},
    )
]
BOUND = [
    read_predicate(value, "test")
    for value in (
        {"call": "look", "args": {"order_id": "$order"}},
        {"kind": "message", "mentions": "$order"},
        {"result": "any", "ok": True, "args": {"*": "$order"}, "tool_is": "$tool"},
    )
]


def expected(
    trace: Trace, when: p.Predicate, formula: Formula, predicates: list[p.Predicate], over: p.Predicate
) -> list[int]:
    """The offending events by definition: every predicate at every event, every formula at every start."""
    stream = [e for e in events(trace) if p.evaluate(over, lambda c, e=e: p.condition_test(c)(e))]  # type: ignore[misc]
    wrong = []
    for position, start in enumerate(stream):
        if not p.evaluate(when, lambda c, e=start: p.condition_test(c)(e)):  # type: ignore[misc]
            continue

        def test(condition: p.Predicate, event: object, start: object = start) -> bool:
            if condition[0] == "var":
                bound = p.bound_values(start, {"order": "args.order_id", "tool": "tool"}[condition[2]])  # type: ignore[arg-type]
                return bool(bound & p.bound_values(event, condition[1]))  # type: ignore[arg-type]
            if condition[0] == "text var":
                bound = p.bound_values(start, "args.order_id")  # type: ignore[arg-type]
                return any(v in (event.text or "") for v in bound)  # type: ignore[attr-defined]
            return p.condition_test(condition)(event)  # type: ignore[arg-type]

        word = [
            {n for n, q in enumerate(predicates) if p.evaluate(q, lambda c, e=event: test(c, e))}  # type: ignore[misc]
            for event in stream
        ]
        if not holds(formula, word, position):
            wrong.append(start.index)
    return wrong


@pytest.mark.parametrize("bound", [False, True])
def test_monitors_name_exactly_the_offending_messages(bound: bool) -> None:
    rng = random.Random(4 + bound)
    for _ in range(150):
        predicates = PREDICATES + (BOUND if bound else [])
        rules, wanted = [], []
        traces = [random_trace(rng, rng.randrange(0, 9)) for _ in range(3)]
        for number in range(4):
            formula = random_formula(rng, 3, len(predicates))
            when = rng.choice(PREDICATES[:2] + PREDICATES[5:])
            over = rng.choice([p.ALWAYS, p.ALWAYS, ("kind", "call")])
            bind = {"order": "args.order_id", "tool": "tool"} if bound else {}
            formal = Formal(tuple(predicates), (Obligation(when, formula),), bind, over)
            rules.append(Rule(f"r{number}", "t", formal=formal))
            wanted.append((when, formula, over))
        checked = RuleSet(rules)
        for trace in traces:
            for finding, (when, formula, over) in zip(checked.check(trace), wanted, strict=True):
                found = [v.message_index for v in finding.violations]
                assert found == expected(trace, when, formula, predicates, over), (formula, trace)


DECLARE = {
    # Each template, stated in words of positions; a and b are the positions of the two predicates.
    "existence": lambda a, b, n: len(a) >= 1,
    "absence": lambda a, b, n: not a,
    "exactly": lambda a, b, n: len(a) == 1,
    "init": lambda a, b, n: 0 in a,
    "last": lambda a, b, n: n - 1 in a,
    "responded_existence": lambda a, b, n: not a or bool(b),
    "coexistence": lambda a, b, n: bool(a) == bool(b),
    "response": lambda a, b, n: all(any(j >= i for j in b) for i in a),
    "precedence": lambda a, b, n: all(any(i <= j for i in a) for j in b),
    "alternate_response": lambda a, b, n: all(
        any(j > i and not any(i < k < j for k in a) for j in b) for i in a
    ),
    "alternate_precedence": lambda a, b, n: all(
        any(i < j and not any(i < k < j for k in b) for i in a) for j in b
    ),
    "chain_response": lambda a, b, n: all(i + 1 in b for i in a),
    "chain_precedence": lambda a, b, n: all(j - 1 in a for j in b),
    "not_coexistence": lambda a, b, n: not (a and b),
    "not_succession": lambda a, b, n: not any(i < j for i in a for j in b),
    "not_chain_succession": lambda a, b, n: not any(i + 1 in b for i in a),
    "choice": lambda a, b, n: bool(a or b),
    "exclusive_choice": lambda a, b, n: bool(a) != bool(b),
}


@pytest.mark.parametrize("template", DECLARE)
def test_templates_mean_what_declare_says(template: str) -> None:
    rng = random.Random(template)
    (rule,) = load_rules(
        f"- {{id: x, text: t, formal: {{template: {template}, over: calls, "
        "a: {call: look}, b: {call: book}}}"
    )
    checked = RuleSet([rule])
    for _ in range(300):
        tools = [rng.choice(TOOLS) for _ in range(rng.randrange(1, 7))]
        messages = tuple(Message("assistant", None, (ToolCall(tool, {}),)) for tool in tools)
        (finding,) = checked.check(Trace("t", messages, Source("test", "f", "0", "0")))
        a = {i for i, tool in enumerate(tools) if tool == "look"}
        b = {i for i, tool in enumerate(tools) if tool == "book"}
        assert (finding.status == "pass") == DECLARE[template](a, b, len(tools)), tools
