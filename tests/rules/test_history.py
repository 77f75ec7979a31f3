"""Conditions on what came before: an earlier result, a count or a sum so far, the time since an event."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from truespec.rules.compare import compare, health
from truespec.rules.history import amount_of, time_of
from truespec.rules.language import load_rules
from truespec.rules.monitor import Monitor, RuleSet
from truespec.rules.rule import Formal, Rule
from truespec.rules.words import in_english
from truespec.traces import Message, Source, ToolCall, Trace
from truespec.traces.event import Event
from truespec.verdict import SpecificationError

SOURCE = Source("test", "f", "0", "0")


def _rule(formal: dict[str, Any], **more: Any) -> Rule:
    (rule,) = load_rules(json.dumps([{"id": "r", "text": "t", "formal": formal, **more}]))
    return rule


def _never(**condition: Any) -> Rule:
    return _rule({"template": "absence", "a": condition})


def _looked(total: Any, order: str = "A", failed: bool = False) -> list[Message]:
    name = f"l{order}{total}"
    call = Message("assistant", None, (ToolCall("get_order", {"order_id": order}, name),))
    text = total if isinstance(total, str) else json.dumps({"order": {"total": total}})
    return [call, Message("tool", text, (), name, "get_order", failed or None)]


def _refund(amount: Any, order: Any = "A", time: Any = None) -> Message:
    call = ToolCall("refund", {"amount": amount, "order_id": order}, f"r{time}{amount}")
    return Message("assistant", None, (call,), extra=None if time is None else {"timestamp": time})


def _status(rule: Rule, *messages: Message) -> tuple[str, str]:
    (found,) = RuleSet([rule]).check(Trace("t", messages, SOURCE))
    return found.status.value, found.reason or "; ".join(v.quote for v in found.violations)


AT_MOST = {"arg": "amount", "gt": "order.total", "result": "get_order", "same": "order_id"}


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([*_looked(30), _refund(30)], "pass"),
        ([*_looked(30), _refund(30.01)], "fail"),
        ([*_looked(30), _refund("30.5")], "fail"),
        ([*_looked("30"), _refund(40)], "not_evaluated"),
        ([*_looked(50), *_looked(30), _refund(40)], "fail"),
        ([*_looked(50, failed=True), _refund(40)], "not_evaluated"),
        ([*_looked(50, "B"), _refund(40)], "not_evaluated"),
        ([*_looked(50), _refund("much")], "not_evaluated"),
        ([_refund(40)], "not_evaluated"),
        ([*_looked(30)], "pass"),
    ],
)
def test_an_argument_against_an_earlier_result(messages: list[Message], status: str) -> None:
    rule = _never(call="refund", against_result=AT_MOST)
    found, said = _status(rule, *messages)
    assert found == status
    if status == "not_evaluated":
        assert said.startswith("message ")
    if status == "fail":
        assert "more than 30, the order.total of get_order" in said


def test_what_holds_without_a_result_can_be_said() -> None:
    for missing, status in ((True, "fail"), (False, "pass")):
        rule = _never(call="refund", against_result={**AT_MOST, "missing": missing})
        assert _status(rule, _refund(40))[0] == status


def test_counts_and_sums_pass_a_bound() -> None:
    total = {"of": {"call": "refund"}, "sum": "amount", "gt": 0.3, "same": "order_id"}
    rule = _never(call="refund", so_far=total)
    # Exact: as floating-point numbers, 0.1 + 0.2 would be more than 0.3.
    assert _status(rule, _refund(0.1), _refund(0.2))[0] == "pass"
    assert _status(rule, _refund(0.1), _refund(0.21)) == (
        "fail",
        "the sum of amount so far is 0.31, more than 0.3",
    )
    assert _status(rule, _refund(0.3), _refund(0.3, "B"))[0] == "pass"
    assert _status(rule, _refund("all"), _refund(0.1))[0] == "not_evaluated"
    count = _never(call="refund", so_far={"of": {"call": "refund"}, "gt": 1})
    assert _status(count, _refund(1))[0] == "pass"
    assert _status(count, _refund(1), _refund(2))[0] == "fail"
    # One predicate, by its name.
    named = {"define": {"paid": {"call": "refund"}}, "template": "absence"}
    assert (
        _status(_rule({**named, "a": {"call": "refund", "so_far": {"of": "paid", "gt": 0}}}), _refund(1))[0]
        == "fail"
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (10**400, 10**400, True),
        ("\ud800", "\ud800", True),
        (float("nan"), None, False),
        (1, 1.0, True),
        (1, "1", False),
        (1, True, False),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
    ],
)
def test_arguments_agree_whatever_their_values(one: Any, other: Any, same: bool) -> None:
    rule = _never(call="refund", so_far={"of": {"call": "refund"}, "gt": 1, "same": "order_id"})
    assert _status(rule, _refund(1, one), _refund(2, other))[0] == ("fail" if same else "pass")


def test_the_time_between_events() -> None:
    rule = _never(call="refund", elapsed={"since": {"message": "user"}, "gt": 60})
    asked = Message("user", "please", extra={"timestamp": "2024-05-01T10:00:00Z"})
    assert _status(rule, asked, _refund(1, time="2024-05-01T10:01:00Z"))[0] == "pass"
    assert _status(rule, asked, _refund(1, time="2024-05-01T12:01:01+02:00")) == (
        "fail",
        "61 seconds have passed, more than 60",
    )
    assert _status(rule, asked, _refund(1))[0] == "not_evaluated"
    assert _status(rule, _refund(1))[0] == "pass"


def test_on_line_registers_forget_what_was_only_tried() -> None:
    rule = _never(call="refund", so_far={"of": {"call": "refund"}, "sum": "amount", "gt": 100})
    monitor = Monitor(RuleSet([rule]))
    assert not monitor.observe(_refund(60))
    for _ in range(3):
        assert monitor.would_break(_refund(50))
    assert not monitor.observe(_refund(40))
    assert monitor.observe(_refund(1, "B"))


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ({"so_far": {"gt": 3}}, "'of' is missing"),
        ({"so_far": {"of": {"call": "x"}}}, "expected one comparison"),
        ({"so_far": {"of": {"call": "x"}, "gt": 1, "lt": 2}}, "expected one comparison"),
        ({"so_far": {"of": {"call": "x"}, "gt": "3"}}, "expected a number after 'gt'"),
        ({"so_far": {"of": {"call": "x"}, "more": 3}}, "unknown field 'more'"),
        ({"so_far": {"of": {"coded": "ungrounded"}, "gt": 3}}, "coded checks cannot stand here"),
        ({"so_far": {"of": "nobody", "gt": 3}}, "no predicate is called 'nobody'"),
        ({"elapsed": {"gt": 3}}, "'since' is missing"),
        ({"against_result": {"arg": "a", "gt": 3, "result": "x"}}, "'gt' is a text"),
        ({"against_result": {"gt": "a", "result": "x"}}, "'arg' is a text"),
        ({"against_result": {**AT_MOST, "missing": 1}}, "expected true or false"),
        ({"coded": "so_far"}, "expected one comparison"),
    ],
)
def test_mistakes_are_named(condition: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecificationError, match=said):
        _never(call="refund", **condition)


def test_what_they_say_in_english() -> None:
    assert "whose amount is more than the order.total in the latest result of get_order" in in_english(
        _never(call="refund", against_result=AT_MOST)
    )
    assert "the sum of amount of events so far that are a call of refund is more than 9" in in_english(
        _never(call="refund", so_far={"of": {"call": "refund"}, "sum": "amount", "gt": 9})
    )
    assert "more than 60 seconds after the latest event that is a user message" in in_english(
        _never(call="refund", elapsed={"since": {"message": "user"}, "gt": 60})
    )


def test_they_are_beyond_comparison_and_that_is_said() -> None:
    more, less = (_never(call="refund", so_far={"of": {"call": "refund"}, "gt": n}) for n in (3, 2))
    found = compare(more, less)
    assert found.relation == "unknown"
    assert "so_far: what came before is kept in registers" in found.reason
    assert compare(more, more).relation == "equal"
    assert health(more).status == "sound"
    # What does not depend on the registers is proved: never any refund implies this, too.
    assert compare(_never(call="refund"), more).relation in ("stronger", "unknown")
    timed = _never(call="refund", elapsed={"since": {"message": "user"}, "lt": 5})
    # A rule that cannot be evaluated on the trace that was found is not said to keep it.
    assert compare(timed, _never(call="refund")).relation in ("weaker", "unknown")


MEANS: dict[str, Any] = {
    "formal": _rule({"template": "absence", "a": {"call": "cancel"}}).formal,
    "domains": ("airline",),
    "failures": {"refund": "never"},
}
NO_MEANING = {
    "id", "text", "category", "severity", "force", "kind", "quote", "position", "reading", "violation",
    "action", "hint", "required",
}  # fmt: skip
"""Fields of a rule that say how a breach is called, weighed or met, not which traces keep the rule."""


def test_every_field_of_a_rule_that_has_a_meaning_reaches_comparison() -> None:
    """A new field has to be put on one of the two lists; one with a meaning has to change an answer."""
    assert {field.name for field in dataclasses.fields(Rule)} == MEANS.keys() | NO_MEANING
    rule = _rule({"template": "absence", "a": {"call": "refund", "failed": True}})
    for name, value in MEANS.items():
        other = replace(rule, **{name: value})
        assert compare(rule, other).relation != "equal", name
    # Registers look at outcomes, too.
    looks = _never(call="refund", against_result=AT_MOST)
    assert compare(looks, replace(looks, failures={"get_order": "never"})).relation != "equal"


def test_every_field_of_a_formal_part_reaches_comparison() -> None:
    formal = {
        "when": {"call": "refund"},
        "require": "X ok",
        "define": {"ok": {"call": "look", "failed": False}},
    }
    bound = {**formal, "bind": {"o": "args.a"}, "define": {"ok": {"call": "x", "args": {"a": "$o"}}}}
    other: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "predicates": (formal, {**formal, "define": {"ok": {"call": "cancel"}}}),
        "obligations": (formal, {**formal, "require": "F ok"}),
        "bind": (bound, {**bound, "bind": {"o": "args.b"}}),
        "over": (formal, {**formal, "over": "calls"}),
        "pairing": (formal, {**formal, "results": "last"}),
    }
    assert {field.name for field in dataclasses.fields(Formal)} == other.keys() | {"template"}
    for name, (left, right) in other.items():
        assert compare(_rule(left), _rule(right)).relation != "equal", name


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (3, Fraction(3)), (0.1, Fraction(1, 10)), ("$1,200.50", Fraction(2401, 2)), ("-4", Fraction(-4)),
        ("1e9", None), (True, None), (None, None), ("", None), ("9" * 400, None), (1e301, None),
    ],
)  # fmt: skip
def test_amounts(value: Any, amount: Fraction | None) -> None:
    assert amount_of(value) == amount


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (1700000000, 1.7e9), (1700000000000, 1.7e9), (1700000000000000000, 1.7e9),
        ("2023-11-14T22:13:20", 1.7e9),
        ("soon", None), (-1, None), ([], None), (1e30, None),
    ],
)  # fmt: skip
def test_times(value: Any, seconds: float | None) -> None:
    assert time_of(Event("message", 0, "user", extra={"timestamp": value})) == seconds


def test_threads_that_share_rules_take_turns() -> None:
    rules = RuleSet([_never(call="refund", so_far={"of": {"call": "refund"}, "sum": "amount", "gt": 100})])
    other_found: list[str] = []
    done = threading.Event()

    def other() -> None:
        (found,) = rules.check(Trace("u", (_refund(80),), SOURCE))
        other_found.append(found.status)
        done.set()

    class Interrupted(tuple[Message, ...]):
        """Messages between the first and second of which another thread wants to check."""

        def __iter__(self) -> Iterator[Message]:
            for number, message in enumerate(super().__iter__()):
                if number == 1 and not thread.ident:
                    thread.start()
                    done.wait(0.05)
                yield message

    thread = threading.Thread(target=other)
    (mine,) = rules.check(Trace("t", Interrupted((_refund(80), _refund(30))), SOURCE))
    thread.join(30)
    assert (mine.status, other_found) == ("fail", ["pass"])
