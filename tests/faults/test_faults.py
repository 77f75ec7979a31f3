"""Injected faults: one of each kind, at the place they name, and found there by the built-in packs."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

import needs
from truespec.compliance.difference import by_rules, difference
from truespec.extraction.plan import PlanStep, plan_rules
from truespec.faults.fault import Edit, Fault
from truespec.faults.registry import KINDS, NEEDS_A_JUDGE, inject, inject_all
from truespec.rules.monitor import RuleSet
from truespec.rules.packs import all_packs
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.importers.registry import files_below, read

TEXT = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
TOOLS = (
    ToolSchema(
        "find_user_id_by_email", {"type": "object", "properties": {"email": {"type": "string"}}}, kind="read"
    ),
    ToolSchema("get_order", TEXT, kind="read"),
    ToolSchema("get_shipment", TEXT, kind="read"),
    ToolSchema("cancel_order", TEXT, kind="write"),
    ToolSchema("transfer_to_human_agents", {"type": "object", "properties": {}}, kind="generic"),
)
SENTENCE = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."


def call(name: str, number: int, answer: str, **arguments: str) -> list[Message]:
    made = ToolCall(name, arguments, f"c{number}")
    return [Message("assistant", None, (made,)), Message("tool", answer, call_id=f"c{number}", tool=name)]


TRACE = Trace(
    "t",
    (
        Message("assistant", "Hello, how can I help?"),
        Message("user", "Please cancel order W1234 for ann@example.org."),
        *call("find_user_id_by_email", 1, "user_77", email="ann@example.org"),
        *call("get_order", 2, json.dumps({"order_id": "W1234"}), order_id="W1234"),
        *call("get_shipment", 3, "none", order_id="W1234"),
        Message("assistant", "Shall I cancel W1234?"),
        Message("user", "Yes, please."),
        *call("cancel_order", 4, "cancelled", order_id="W1234"),
        Message("assistant", "It is cancelled."),
        Message("user", "Now a human, please."),
        *call("get_order", 5, "cancelled", order_id="W1234"),
        *call("transfer_to_human_agents", 6, "ok"),
        Message("assistant", SENTENCE),
    ),
    Source("test", "f", "0", "0"),
    tools=TOOLS,
)
PLAN = plan_rules([PlanStep("cancel_order", {"order_id": "W1234"}, changes=True)])
CHECK = by_rules(RuleSet(all_packs()))
WITH_PLAN = by_rules(RuleSet([*all_packs(), *PLAN]))


def test_the_clean_twin_is_clean() -> None:
    assert WITH_PLAN(TRACE) == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_where_it_was_put_and_nothing_else_is(kind: str) -> None:
    made = [fault for seed in range(12) if (fault := inject(kind, TRACE, seed)) is not None]
    assert made
    for fault in made:
        found = difference(fault, WITH_PLAN if kind == "skip_step" else CHECK)
        if kind in NEEDS_A_JUDGE:
            assert found.more == ()
        else:
            assert found.found, fault.note
            assert found.wrong == (), fault.note
        assert fault.clean is TRACE
        assert fault.faulty.messages != TRACE.messages


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_makes_the_same_fault(kind: str) -> None:
    assert inject(kind, TRACE, 3) == inject(kind, TRACE, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_messages_are_followed_through_the_edit(kind: str) -> None:
    fault = inject(kind, TRACE, 1)
    assert fault is not None
    origins = [origin for origin in fault.origin if origin is not None]
    assert len(set(origins)) == len(origins)
    for message, origin in zip(fault.faulty.messages, fault.origin, strict=True):
        if origin is not None:
            assert message.role == TRACE.messages[origin].role
    unchanged = sum(
        origin is not None and message == TRACE.messages[origin]
        for message, origin in zip(fault.faulty.messages, fault.origin, strict=True)
    )
    assert kind == "wrong_refusal" or unchanged >= len(TRACE.messages) - 6


def test_a_trace_without_a_place_has_no_fault() -> None:
    empty = replace(TRACE, messages=(Message("user", "Hello"),))
    assert [kind for kind in KINDS if inject(kind, empty)] == []


def test_a_blind_checker_finds_nothing_and_a_wild_one_is_wrong() -> None:
    """What both twins have counts for nothing; what is elsewhere counts against the checker."""
    fault = inject("text_with_call", TRACE)
    assert fault is not None
    loud = by_rules(RuleSet(all_packs()))
    assert not difference(fault, lambda trace: []).found
    always = loud(fault.faulty)[0]
    assert difference(fault, lambda trace: [always]).more == ()
    elsewhere = replace(always, message_index=1)
    found = difference(fault, lambda trace: [elsewhere] if trace is fault.faulty else [])
    assert not found.found
    assert found.wrong == (elsewhere,)


def test_a_fault_names_a_place_that_is_there() -> None:
    with pytest.raises(ValueError, match="messages of the faulty trace"):
        Edit(TRACE).fault("x", [99], ["y"])
    with pytest.raises(ValueError, match="origin"):
        Fault("x", TRACE, TRACE, frozenset([0]), frozenset(["y"]), ())


def test_plans_ask_for_every_step_in_its_order() -> None:
    steps = [
        PlanStep("get_order", {"order_id": "W1234"}),
        PlanStep("cancel_order", {}, after=(0,), changes=True),
    ]
    rules = RuleSet(plan_rules(steps))
    assert not any(finding.violations for finding in rules.check(TRACE))
    for kind, broken in (("skip_step", {"plan-2"}), ("corrupt_argument", set())):
        fault = inject(kind, TRACE)
        assert fault is not None
        found = {finding.rule.id for finding in rules.check(fault.faulty) if finding.violations}
        assert found >= broken
    late = replace(TRACE, messages=(*TRACE.messages[10:12], *TRACE.messages[4:6]))
    assert [f.rule.id for f in rules.check(late) if f.violations] == ["plan-2-after-1"]
    with pytest.raises(ValueError, match="which is none"):
        plan_rules([PlanStep("a", after=(3,))])


def test_faults_in_real_traces_are_found_exactly() -> None:
    folder = needs.sources("traces/tau2")
    names = ("airline__claude-opus-4.6", "retail__gpt-4o", "telecom__gpt-4.1.")
    paths = [path for path in files_below([folder]) if path.name.startswith(names)]
    traces = [item for path in paths for item in read(path) if isinstance(item, Trace)]
    random.Random(0).shuffle(traces)
    check = by_rules(RuleSet(all_packs()))
    kinds = [kind for kind in KINDS if kind not in NEEDS_A_JUDGE and kind != "skip_step"]
    count = 0
    for fault in inject_all(traces[:60], kinds):
        found = difference(fault, check)
        assert found.found, (fault.faulty.id, fault.note)
        assert found.wrong == (), (fault.faulty.id, fault.note)
        count += 1
    assert count > 200
