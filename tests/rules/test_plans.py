"""What is prepared for a tool from what is known of others is what would be prepared for it alone."""

from __future__ import annotations

import pytest

from truespec.rules.compiled import CompiledRules, Plan
from truespec.rules.language import load_rules
from truespec.rules.packs import all_packs
from truespec.rules.rule import Rule
from truespec.traces.event import Event

PATTERNED = """
- {id: named, text: t, formal: {template: absence, a: {call: [refund, cancel], args: {amount: {gt: 3}}}}}
- {id: patterned, text: t, formal: {template: absence, a: {call: {matches: "re.*"}}}}
- {id: either, text: t, formal: {template: response, a: {call: refund}, b: {result: {matches: ".*d"}}}}
- {id: bound, text: t, formal: {when: {call: refund}, bind: {o: args.order}, require: "O seen",
    define: {seen: {result: look, args: {order: $o}}}}}
- {id: odd, text: t, formal: {template: absence, a: {call: "?"}}}
- {id: others, text: t, formal: {template: absence, a: {all: [{kind: call}, {not: {call: [look, "??"]}}]}}}
"""


@pytest.mark.parametrize("rules", [load_rules(PATTERNED), tuple(all_packs())], ids=["shapes", "packs"])
def test_a_plan_made_from_that_of_a_stranger_is_the_plan(rules: tuple[Rule, ...]) -> None:
    compiled = CompiledRules(rules)
    named = sorted({name for names in compiled.named for name in names.values()})
    for tool in [*named, "?", "??", "???", "refund", "Refund", "red", "look", "", None]:
        for kind in ("message", "call", "result"):
            for sort in (None, "read", "write"):
                event = Event(kind, 3, "assistant", tool=tool, type=sort)
                made, alone = compiled.plan(event), Plan(compiled, event, None)
                for part in ("active", "alike", "bound", "lost", "readers", "sure"):
                    assert getattr(made, part) == getattr(alone, part), (tool, kind, sort, part)
                assert [number for number, _ in made.open] == [number for number, _ in alone.open]
                assert [test for _, test in made.open] == [test for _, test in alone.open]
                for mask in {made.sure, made.sure | sum(1 << number for number, _ in made.open)}:
                    assert made.rows(mask) == alone.rows(mask)
