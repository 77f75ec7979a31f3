"""Rules out of prompts: quotes are found, formal parts tried, everything else is counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from extraction import extractors
from truespec.cli.rules import rules as rules_command
from truespec.cli.trace import trace as trace_command
from truespec.executors.evaluate import Judging, check_judged
from truespec.executors.extract import Extractor
from truespec.extraction.arguments import argument_rules
from truespec.extraction.ask import request_of, source_key
from truespec.extraction.examples import find_examples
from truespec.extraction.measure import measure
from truespec.extraction.read import Sources, find_quote, read_rules
from truespec.extraction.write import scenarios, summary, to_yaml
from truespec.models.call import Call
from truespec.models.function import FunctionModel
from truespec.rules.compare import Toolbox
from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet
from truespec.rules.packs import all_packs
from truespec.store.calls import CallLedger
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.record import from_record, to_record

ORDER = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
TOOLS = (
    ToolSchema(
        "find_user", {"type": "object", "properties": {"email": {"type": "string"}}}, "Find them.", "read"
    ),
    ToolSchema("cancel_order", ORDER, "Cancel an order.", "write"),
    ToolSchema("transfer_user", {"type": "object", "properties": {}}, "Hand over.", "generic"),
)
TRACE = Trace(
    "t1",
    (
        Message("user", "I am ann@example.org, cancel W1."),
        Message("assistant", "Sure.", (ToolCall("cancel_order", {"order_id": "W1"}, "c1"),)),
        Message("tool", "ok", call_id="c1"),
    ),
    Source("test", "f", "0", "0"),
    system_prompt=extractors.PROMPT,
    tools=TOOLS,
    task={"user_scenario": "Cancel order W1.", "initial_state": {"orders": {"W1": {"status": "open"}}}},
)


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Callable[..., Extractor]]:
    with CallLedger(tmp_path / "calls.sqlite") as ledger:

        def made(function: Callable[[Call], str], **more: object) -> Extractor:
            return Extractor({"m": FunctionModel("m", function)}, ledger, "m", **more)  # type: ignore[arg-type]

        yield made


def test_rules_are_routed_and_what_quotes_nothing_is_dropped(build: Callable[..., Extractor]) -> None:
    extractor = build(extractors.good)
    extractor.extract([TRACE])
    (policy,) = extractor.policies.values()
    routes = {one.rule.id: (one.route, one.why) for one in policy.extraction.rules}
    assert routes["text-xor-call"][0] == "deterministic"
    assert routes["who-first"][0] == "deterministic"
    assert routes["silent-after"][0] == "deterministic"
    assert routes["polite"] == ("semantic", "politeness is no event")
    assert "does not compile" in routes["brief"][1]
    assert "never be broken" in routes["empty"][1]
    assert "names no tool there is: fly" in routes["no-cancel-order-then-fly"][1]
    assert routes["no-cancel-order-then-cancel-order"][0] == "deterministic"
    assert {d.text: d.why.split(":")[0] for d in policy.extraction.dropped} == {
        "Always apologise.": "its quote is in no source",
        "Be nice.": "it quotes nothing",
    }
    rules = {one.rule.id: one.rule for one in policy.extraction.rules}
    assert rules["brief"].force == "advisory"
    assert rules["who-first"].severity == "critical"
    assert rules["who-first"].violation == "skipped_authentication"
    assert rules["polite"].violation == ""
    place = rules["text-xor-call"].position
    assert place is not None
    assert extractors.PROMPT[place.start : place.end] == rules["text-xor-call"].quote
    # The same directive under two categories is checked and charged once.
    assert policy.extraction.merged == (("never-both", "text-xor-call"),)
    counts = summary(policy.extraction)
    assert counts["routes"] == {"deterministic": 4 + len(TOOLS) + 1, "semantic": 4}


def test_a_prompt_is_read_once_and_an_empty_list_is_an_answer(build: Callable[..., Extractor]) -> None:
    asked: list[str] = []

    def counting(call: Call) -> str:
        asked.append(call.subject)
        return extractors.empty(call)

    extractor = build(counting)
    other = replace(TRACE, id="t2", messages=TRACE.messages[:1])
    specs = extractor.specs([TRACE, other])
    extractor.specs([TRACE])
    assert sorted(asked) == [
        "extract/final_state/t1",
        "extract/final_state/t2",
        f"extract/forbidden_edge/{source_key(TRACE)}",
        f"extract/output/{source_key(TRACE)}",
        "extract/plan/t1",
        "extract/plan/t2",
        f"extract/transition/{source_key(TRACE)}",
    ]
    assert specs[0].task.plan == ()
    assert {rule.category for rule in specs[0].rules} == {"argument"}
    assert source_key(TRACE) != source_key(replace(TRACE, tools=TOOLS[:1]))


def test_what_cannot_be_extracted_is_not_evaluated(build: Callable[..., Extractor]) -> None:
    extractor = build(extractors.mumbling)
    judging = Judging(extractor.models, extractor.ledger, "m", (), specs=extractor.specs)
    ((record, _),) = check_judged([TRACE], RuleSet([]), "k", judging)
    states = {one["evaluator"]: (one["status"], one["score"]) for one in record["results"]}
    assert states["output_spec"] == ("not_evaluated", None)
    assert states["predicted_plan"] == ("not_evaluated", None)
    assert states["argument_spec"] == ("pass", 100.0)
    assert record["aggregate"]["score"] is None
    bare = replace(TRACE, system_prompt=None, prompt_sha256=None)
    ((record, _),) = check_judged([bare], RuleSet([]), "k", judging)
    assert "no system prompt" in record["results"][0]["reasoning"]


def test_plans_and_states_hold_only_what_was_told(build: Callable[..., Extractor]) -> None:
    extractor = build(extractors.good)
    (spec,) = extractor.specs([TRACE])
    assert spec.task.plan is not None
    first, second = spec.task.plan
    assert (first.tool, first.changes) == ("find_user", False)
    assert (second.tool, second.arguments, second.after, second.changes) == (
        "cancel_order",
        {"order_id": "W1"},
        (0,),
        True,
    )
    assert spec.task.final_state == {"orders.W1.status": "open", "orders.W1.locked": False}
    assert [d.why for d in extractor.dropped] == [
        "the value stands in no source",
        "it names no tool there is",
        "the value stands in no source",
    ]
    plan = [rule.id for rule in spec.rules if rule.category == "plan"]
    assert plan == ["plan-1", "plan-2", "plan-2-after-1"]


def test_what_scores_a_run_is_never_shown_to_an_extractor() -> None:
    task = {
        "user_scenario": "Cancel.",
        "evaluation_criteria": {"actions": ["SECRET"]},
        "description": "SECRET",
    }
    assert "SECRET" not in request_of(replace(TRACE, task=task))
    assert request_of(replace(TRACE, task=None)) == "I am ann@example.org, cancel W1."


def test_extraction_and_judging_by_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    (tmp_path / "t.jsonl").write_text(json.dumps(to_record(TRACE)) + "\n")
    out = tmp_path / "out.jsonl"
    model = ["--model", "python:extractors:judge", "--extractor", "self"]
    done = CliRunner().invoke(trace_command, ["check", str(tmp_path / "t.jsonl"), "-o", str(out), *model])
    assert done.exit_code == 0, done.output
    (record,) = map(json.loads, out.read_text().splitlines())
    by_name = {one["evaluator"]: one for one in record["results"]}
    assert by_name["output_spec"]["score"] == 96.0
    assert by_name["transition_spec"]["score"] == 40.0
    # The judge finds nothing; the monitors of the plan do.
    assert by_name["predicted_plan"]["score"] == 60.0
    assert by_name["predicted_final_state"]["status"] == "pass"
    assert record["aggregate"]["score"] is not None
    (kept,) = (tmp_path / "out.jsonl.rules").iterdir()
    assert {rule.id for rule in load_rules(kept.read_text())} >= {"polite", "who-first"}
    done = CliRunner().invoke(
        trace_command,
        ["check", str(tmp_path / "t.jsonl"), "-o", str(out), "--extractor", "python:extractors:good"],
    )
    assert done.exit_code == 0, done.output
    (record,) = map(json.loads, out.read_text().splitlines())
    by_name = {one["evaluator"]: one for one in record["results"]}
    # Without a judge the plan is checked by monitors: the user was never looked up.
    assert {v["rule_id"] for v in by_name["predicted_plan"]["violations"]} == {"plan-1", "plan-2-after-1"}


def test_the_file_can_be_read_again_and_shows_its_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    (tmp_path / "prompt.md").write_text(extractors.PROMPT)
    tools = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in TOOLS]
    (tmp_path / "tools.json").write_text(json.dumps([{"type": "function", "function": t} for t in tools]))
    (tmp_path / "types.json").write_text(json.dumps({t.name: t.kind for t in TOOLS}))
    (tmp_path / "hand.yml").write_text(
        json.dumps(
            [
                {
                    "id": "a",
                    "text": "t",
                    "quote": "Never send text and make a tool call in the same message.",
                    "formal": {"formula": "G !both", "define": {"both": extractors.ONE_AT_A_TIME["a"]}},
                },
                {"id": "b", "text": "t", "quote": "Be polite at all times."},
                {"id": "c", "text": "t", "quote": "You help customers"},
                {"id": "d", "text": "t", "quote": "something else altogether"},
            ]
        )
    )
    parts = ["extract", "--prompt", "prompt.md", "--tools", "tools.json", "--types", "types.json"]
    parts += ["-o", "rules.yml", "--scenarios", "s.jsonl", "--report", "r.json", "--against", "hand.yml"]
    parts = [str(tmp_path / part) if "." in part and not part.startswith("-") else part for part in parts]
    done = CliRunner().invoke(rules_command, [*parts, "--model", "python:extractors:good"])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "rules.yml").read_text()
    loaded = load_rules(text)
    assert {rule.id for rule in loaded} >= {"text-xor-call", "polite", "arguments-of-cancel_order"}
    assert "# broken by: assistant:" in text
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["dropped"] == 2
    assert report["against"]["relations"]["equal"] == 1
    assert {(m["extracted"], m["reference"]) for m in report["against"]["matches"]} == {
        ("text-xor-call", "a"),
        ("polite", "b"),
        ("empty", "c"),
    }
    checked = RuleSet(loaded)
    for line in (tmp_path / "s.jsonl").read_text().splitlines():
        scenario = from_record(json.loads(line))
        what = scenario.metadata["scenario"]
        (finding,) = [f for f in checked.check(scenario) if f.rule.id == what["rule"]]
        assert finding.status == ("pass" if what["expected"] == "keeps" else "fail"), what


def test_without_a_model_arguments_are_read_off_the_schemas(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(json.dumps(to_record(TRACE)) + "\n")
    done = CliRunner().invoke(rules_command, ["extract", str(tmp_path / "t.jsonl")])
    assert done.exit_code == 0, done.output
    rules = load_rules(done.stdout)
    assert {rule.category for rule in rules} == {"argument"}
    assert all(one.examples is not None and one.examples.both for one in argument_rules(TOOLS))
    checked = RuleSet(rules)
    assert not any(f.violations for f in checked.check(TRACE))
    wrong = Message("assistant", None, (ToolCall("cancel_order", {"order": 1}), ToolCall("fly", {})))
    found = {f.rule.id for f in checked.check(replace(TRACE, messages=(wrong,))) if f.violations}
    assert found == {"arguments-of-cancel_order", "known-tools"}
    refused = CliRunner().invoke(
        rules_command, ["extract", str(tmp_path / "t.jsonl"), "--categories", "output"]
    )
    assert "--model" in str(refused.exception)


def test_every_built_in_rule_has_a_conversation_of_each_kind() -> None:
    transfer = ToolSchema("transfer_to_human_agents", {"type": "object"}, kind="generic")
    look = ToolSchema("get_user_details", {"type": "object"}, kind="read")
    for rule in all_packs():
        found = find_examples(rule, Toolbox((*TOOLS, transfer, look)))
        assert found.both, rule.id
        rules = RuleSet([rule])
        assert found.keeps is not None
        assert found.breaks is not None
        assert rules.check(found.keeps)[0].status == "pass"
        assert rules.check(found.breaks)[0].status == "fail"


def test_a_text_of_a_model_cannot_leave_its_comment_or_field() -> None:
    evil = {
        "id": "x\n- {id: y}",
        "text": "Be polite\n- {id: z, text: injected}",
        "quote": "Be polite at all times.",
        "formal": None,
        "why_semantic": "no\n  - {id: w, text: injected}",
    }
    made = read_rules(json.dumps({"rules": [evil]}), "output", Sources.of(TRACE))
    assert not isinstance(made, str)
    (rule,) = load_rules(to_yaml(made, ["head"]))
    assert rule.quote == "Be polite at all times."
    assert scenarios(made) == []


@pytest.mark.parametrize(
    ("quote", "text", "place"),
    [
        ("a b", "x a\n  b y", (2, 7)),
        ("a &lt; b", "a < b", (0, 5)),
        ("a.c", "abc", None),
        ("  ", "abc", None),
    ],
)
def test_where_quotes_are_found(quote: str, text: str, place: tuple[int, int] | None) -> None:
    assert find_quote(quote, text) == place


def test_measuring_finds_equal_rules_whatever_they_quote() -> None:
    one = load_rules(json.dumps([{"id": "x", "text": "t", "formal": extractors.WHO_FIRST}]))
    same = {"when": {"call": {"type": "write"}}, "require": "O found"}
    same["define"] = {"found": {"result": "find_user", "ok": True}}
    two = load_rules(json.dumps([{"id": "y", "text": "t", "formal": same}]))
    found = measure(one, two, "")
    assert [m.relation for m in found.matches] == ["equal"]
    assert measure(one, load_rules("- {id: z, text: t, quote: nothing}"), "").matches == ()
    assert argument_rules(()) == ()
