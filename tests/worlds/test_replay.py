"""Conversations replayed on a small model, and on those of tau2-bench."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from needs import sources
from truespec.compliance.evaluators.contract import TaskSpec
from truespec.compliance.final_state import OTHERS, RECORDS, FinalStates
from truespec.rules.finding import Finding, Status
from truespec.traces.importers.registry import read
from truespec.traces.trace import Message, Source, ToolCall, Trace
from truespec.verdict import UsageError
from truespec.worlds.registry import Worlds
from truespec.worlds.replay import outcome, replay
from truespec.worlds.world import Refused, State, World

TABLES = {"accounts": {"a": {"id": "a", "balance": 10.0}, "b": {"id": "b", "balance": 0.0}}}


def move(state: State, given: Mapping[str, Any]) -> Any:
    amount = given["amount"]
    if state.edit("accounts", given["source"])["balance"] < amount:
        raise Refused("not enough")
    state.edit("accounts", given["source"])["balance"] -= amount
    state.edit("accounts", given["target"])["balance"] += amount
    return state.get("accounts", given["source"])


BANK = World(
    "bank",
    ("accounts",),
    {"move": move},
    {"look": lambda state, given: state.get("accounts", given["id"])},
    frozenset({"think"}),
)


def trace(*steps: tuple[str, dict[str, Any], Any], task: Any = None, file: Path | str = "t.json") -> Trace:
    messages = [Message("user", "Please.")]
    for number, (name, arguments, result) in enumerate(steps):
        text = result if isinstance(result, str) else json.dumps(result)
        messages.append(Message("assistant", None, (ToolCall(name, arguments, f"c{number}"),)))
        messages.append(Message("tool", text, call_id=f"c{number}", error=text.startswith("Error")))
    messages.append(Message("assistant", "Done."))
    return Trace(
        "t", tuple(messages), Source("test", str(file), "0", "0"), domain="bank", task_id="1", task=task
    )


MOVED = ("move", {"source": "a", "target": "b", "amount": 4}, {"id": "a", "balance": 6})


def test_every_change_is_known_with_the_call_that_made_it() -> None:
    made = replay(BANK, TABLES, trace(("look", {"id": "b"}, {"id": "b", "balance": 0}), MOVED))
    assert not made.problem
    assert made.compared == 2
    assert {path: (change.value, change.by) for path, change in made.changes.items()} == {
        ("accounts", "a", "balance"): (6.0, (3, 0)),
        ("accounts", "b", "balance"): (4.0, (3, 0)),
    }
    assert TABLES["accounts"]["a"]["balance"] == 10.0, "the database at the start is shared"


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (("move", {"source": "a", "target": "b", "amount": 40}, {"id": "a"}), "refuses 'move' (not enough)"),
        (("move", {"source": "a", "target": "b", "amount": 4}, "Error: no"), "the recorded call failed"),
        (("look", {"id": "a"}, {"id": "a", "balance": 9}), "predicts another result"),
        (("look", {"id": "a"}, "no JSON"), "predicts another result"),
        (("borrow", {"amount": 4}, "ok"), "has no tool 'borrow'"),
        (("move", {"amount": 4}, "ok"), "do not fit the tool"),
    ],
)
def test_a_result_that_was_not_predicted_ends_the_belief(step: Any, problem: str) -> None:
    made = replay(BANK, TABLES, trace(step))
    assert made.problem.startswith("message 1: ")
    assert problem in made.problem
    assert not made.changes


@pytest.mark.parametrize(
    "step",
    [
        ("move", {"source": "a", "target": "b", "amount": 40}, "Error: not enough"),
        ("move", {"amount": 4}, "Error: 2 validation errors"),
        ("borrow", {"amount": 4}, "Error: no such tool"),
        ("think", {"thought": "hm"}, ""),
    ],
)
def test_what_changes_nothing_is_predicted_too(step: Any) -> None:
    made = replay(BANK, TABLES, trace(step))
    assert not made.problem
    assert not made.changes


def test_reference_actions_of_unknown_tools_are_told() -> None:
    assert outcome(BANK, TABLES, [("borrow", {})]) == "action 1: the model of bank has no tool 'borrow'"


@pytest.fixture
def states(tmp_path: Path) -> FinalStates:
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "db.json").write_text(json.dumps(TABLES))
    return FinalStates(Worlds(tmp_path, {"bank": "worlds.test_replay:BANK"}), reference=True)


def wanting(*amounts: int) -> dict[str, Any]:
    action = {"name": "move", "arguments": {"source": "a", "target": "b"}}
    return {
        "evaluation_criteria": {
            "actions": [{**action, "arguments": {**action["arguments"], "amount": one}} for one in amounts]  # type: ignore[dict-item]
        }
    }


def by_rule(findings: list[Finding]) -> dict[str, tuple[Status, list[tuple[str, int]]]]:
    return {
        one.rule.id: (one.status, [(v.kind, v.message_index) for v in one.violations]) for one in findings
    }


@pytest.mark.parametrize(
    ("steps", "wanted", "found"),
    [
        ([MOVED], (4,), {RECORDS: [], OTHERS: []}),
        ([MOVED], (3, 1), {RECORDS: [], OTHERS: []}),
        (
            [MOVED],
            (5,),
            {RECORDS: [("wrong_final_state", 1)], OTHERS: []},
        ),
        (
            [],
            (4,),
            {RECORDS: [("wrong_final_state", 1)], OTHERS: []},
        ),
        ([MOVED], (), {RECORDS: [], OTHERS: [("unwanted_change", 1)]}),
        ([], (), {RECORDS: [], OTHERS: []}),
    ],
)
def test_databases_are_compared_record_by_record(
    states: FinalStates, steps: list[Any], wanted: tuple[int, ...], found: dict[str, Any]
) -> None:
    findings = states.findings(trace(*steps, task=wanting(*wanted)))
    assert {name: violations for name, (_, violations) in by_rule(findings).items()} == found
    assert all((one.status == Status.PASS) != bool(one.violations) for one in findings)


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (None, "no reference actions"),
        ({"evaluation_criteria": {"actions": [{"arguments": {}}]}}, "reference action 1 has no name"),
        ({**wanting(4), "initial_state": {"x": 1}}, "changes the database before"),
    ],
)
def test_what_is_not_known_is_not_evaluated(states: FinalStates, task: Any, why: str) -> None:
    (finding,) = states.findings(trace(MOVED, task=task))
    assert finding.status == Status.NOT_EVALUATED
    assert why in finding.reason


def test_predicted_facts_are_read_in_the_database_and_the_others_are_left(states: FinalStates) -> None:
    facts = {"accounts.a.balance": "6.0", "accounts.b.balance": 5, "mood": "good"}
    findings = FinalStates(states.worlds).findings(trace(MOVED), TaskSpec(final_state=facts))
    assert by_rule(findings) == {
        "final_state/accounts.a.balance": (Status.PASS, []),
        "final_state/accounts.b.balance": (Status.FAIL, [("wrong_final_state", 1)]),
    }


def test_a_missing_database_is_told(tmp_path: Path) -> None:
    worlds = Worlds(tmp_path, {"bank": "worlds.test_replay:BANK"})
    (finding,) = FinalStates(worlds, reference=True).findings(trace(MOVED, task=wanting(4)))
    assert finding.status == Status.NOT_EVALUATED
    assert "no db.json" in finding.reason
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "db.json").write_text('{"accounts": []}')
    other = Worlds(tmp_path, {"bank": "worlds.test_replay:BANK"})
    (finding,) = FinalStates(other, reference=True).findings(trace(MOVED, task=wanting(4)))
    assert "there is no table 'accounts'" in finding.reason


def test_no_database_is_read_where_no_final_state_is_asked_for(states: FinalStates) -> None:
    """Each worker of a check would read its megabytes for nothing."""
    asks_nothing = FinalStates(states.worlds)
    assert asks_nothing.findings(trace(MOVED, task=wanting(4))) == []
    assert not states.worlds._tables
    assert states.findings(trace(MOVED, task=wanting(4)))
    assert states.worlds._tables


def test_a_model_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"expected a truespec\.worlds\.world\.World"):
        Worlds(given={"bank": "worlds.test_replay:TABLES"}).world("bank")


def test_an_extractor_is_shown_the_records_that_the_conversation_names(states: FinalStates) -> None:
    named = trace(("look", {"id": "b"}, {"id": "b", "balance": 0}))
    assert states.worlds.slice(named) == {"accounts": {"b": TABLES["accounts"]["b"]}}


@pytest.mark.parametrize("name", ["airline__gpt-4.1", "retail__gpt-4o"])
def test_replays_agree_with_the_harness_that_recorded_them(name: str) -> None:
    folder = sources("traces/tau2")
    states = FinalStates(Worlds(folder / "domains"), reference=True)
    agree = believed = 0
    for one in read(folder / f"{name}.json.gz"):
        assert isinstance(one, Trace)
        findings = states.findings(one)
        check = one.outcome.parts.get("db_check")
        if any(found.status == Status.NOT_EVALUATED for found in findings) or not check:
            continue
        believed += 1
        agree += all(found.status == Status.PASS for found in findings) == check["db_match"]
    assert believed >= 20
    assert agree == believed
