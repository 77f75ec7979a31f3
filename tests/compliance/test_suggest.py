"""Proposals against violations: each replayed over the same traces."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.compliance.suggest import Proposal, Repair, repairs
from truespec.compliance.wording import Case, ask
from truespec.compliance.wording import read as read_words
from truespec.rules.language import load_rules
from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace
from truespec.verdict import UsageError

ASK = """
- {id: ask-first, text: Ask before you book., formal: {template: precedence,
   a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
"""
SMALL = """
- {id: small, text: Refunds stay below 100., formal: {template: absence,
   a: {call: refund, args: {amount: {gt: 100}}}}}
"""
OWED = """
- {id: bye, text: Say goodbye., formal: {template: existence,
   a: {message: assistant, text: {words: ["bye"]}}}}
"""


def call(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
    }


def done(number: int) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": "ok"}


def write(folder: Path, *conversations: list[dict[str, Any]]) -> Path:
    path = folder / "log.jsonl"
    lines = [json.dumps({"id": f"t{n}", "messages": c}) for n, c in enumerate(conversations)]
    path.write_text("\n".join(lines) + "\n")
    return path


def proposed(path: Path, rules: str) -> Repair:
    traces = [item for item in read(path) if isinstance(item, Trace)]
    (repair,) = repairs(traces, load_rules(rules))
    return repair


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_guard_is_replayed(tmp_path: Path) -> None:
    bad = [user("Book."), call("book", 1), done(1)]
    good = [user("Book."), {"role": "assistant", "content": "Sure?"}, user("yes"), call("book", 1), done(1)]
    repair = proposed(write(tmp_path, bad, good, bad), ASK)
    assert (repair.traces, repair.violations, repair.checked) == (2, 2, 3)
    guard = repair.proposals[0]
    assert (guard.kind, guard.verified, guard.refused) == ("guard", True, ())
    assert guard.prevented == ("t0: ask-first@1", "t2: ask-first@1")
    assert "schema" not in {proposal.kind for proposal in repair.proposals}, "it is about what came before"
    assert repair.proposals[-1].kind == "prompt"
    assert not repair.proposals[-1].verified


def test_a_schema_refuses_what_breaks_and_nothing_else(tmp_path: Path) -> None:
    talks = [
        [user("Refund."), call("refund", 1, amount=amount, why="x"), done(1)]
        for amount in (5, 20, 30, 60, 90, 100, 250, 4000)
    ]
    repair = proposed(write(tmp_path, *talks), SMALL)
    (schema,) = [proposal for proposal in repair.proposals if proposal.kind == "schema"]
    assert schema.change["parameters"] == {"type": "object", "properties": {"amount": {"maximum": 100}}}
    assert schema.prevented == ("t6: small@1", "t7: small@1")
    assert schema.refused == ()


def test_what_is_owed_at_the_end_is_no_matter_of_a_guard(tmp_path: Path) -> None:
    repair = proposed(write(tmp_path, [user("Hi."), {"role": "assistant", "content": "Hello."}]), OWED)
    assert [proposal.kind for proposal in repair.proposals] == ["prompt"]


def test_the_prompt_is_quoted_where_it_says_the_rule_already(tmp_path: Path) -> None:
    told = {"role": "system", "content": "You book seats.  Ask before\nyou book."}
    repair = proposed(write(tmp_path, [told, user("Book."), call("book", 1), done(1)]), ASK)
    words = repair.proposals[-1]
    assert words.text.startswith("The prompt says it and it was broken")
    assert words.change["quote"] == "Ask before you book."


def test_the_command_prints_and_writes_records(tmp_path: Path) -> None:
    log = write(tmp_path, [user("Book."), call("book", 1), done(1)])
    rules = tmp_path / "rules.yml"
    rules.write_text(ASK)
    usual = ["trace", "suggest", str(log), "--rules", str(rules)]
    shown = CliRunner().invoke(truespec, usual)
    assert shown.exit_code == 0
    assert "replayed: prevents 1 of 1" in shown.stdout
    record = json.loads(CliRunner().invoke(truespec, [*usual, "--json"]).stdout)
    assert record["rule_id"] == "ask-first"
    assert record["proposals"][0]["prevented_in"] == ["t0: ask-first@1"]


TOLD = {"role": "system", "content": "You book seats. Be kind. The desk is desk@example.org."}
TALK = [TOLD, user("Book. I am ann@example.org."), call("book", 1, who="ann@example.org"), done(1)]


@pytest.fixture
def wordings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models of `wordings.py` can be named."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def with_model(tmp_path: Path, model: str, *more: str, talk: list[dict[str, Any]] = TALK) -> Any:
    log, rules = write(tmp_path, talk, talk), tmp_path / "rules.yml"
    rules.write_text(ASK)
    usual = ["trace", "suggest", str(log), "--rules", str(rules), "--json", "--model", f"python:{model}"]
    return CliRunner().invoke(truespec, [*usual, *more])


@pytest.mark.usefixtures("wordings")
@pytest.mark.parametrize("model", ["wordings:careful", "wordings:at_second"])
def test_a_models_words_stand_where_it_says_and_are_never_called_verified(tmp_path: Path, model: str) -> None:
    shown = with_model(tmp_path, model)
    assert shown.exit_code == 0, shown.stderr
    proposals = json.loads(shown.stdout)["proposals"]
    assert [one["kind"] for one in proposals] == ["guard", "prompt"], "it stands in the rule's words' place"
    words = proposals[-1]
    assert not words["verified"]
    assert (words["change"]["passage"], words["change"]["place"]) == ("You book seats.", "after")
    (because,) = words["change"]["because"]
    assert (because["trace"], because["message_index"]) == ("t0", 2)
    assert because["quote"].startswith("book(")


@pytest.mark.usefixtures("wordings")
def test_an_answer_that_cites_what_nobody_said_is_no_proposal(tmp_path: Path) -> None:
    shown = with_model(tmp_path, "wordings:stubborn")
    assert shown.exit_code == 1
    assert "ask-first: no words of python:wordings:stubborn" in shown.stderr
    assert "message 2 does not hold the words 'I will not ask.'" in shown.stderr
    words = json.loads(shown.stdout)["proposals"][-1]
    assert words["change"] == {"words": "Ask before you book."}, "the rule's own words stay"


@pytest.mark.usefixtures("wordings")
def test_without_a_prompt_there_is_no_passage(tmp_path: Path) -> None:
    shown = with_model(tmp_path, "wordings:careful", talk=TALK[1:])
    assert shown.exit_code == 0, shown.stderr
    assert "passage" not in json.loads(shown.stdout)["proposals"][-1]["change"]


@pytest.mark.usefixtures("wordings")
def test_what_is_redacted_reaches_no_model(tmp_path: Path) -> None:
    ledger = tmp_path / "kept" / "calls.sqlite"
    more = ("--redact", "email", "--ledger", str(ledger))
    shown = with_model(tmp_path, "wordings:careful", *more)
    assert shown.exit_code == 0, shown.stderr
    assert "example.org" not in shown.stdout
    with sqlite3.connect(ledger) as database:
        ((count,),) = database.execute("SELECT count(*) FROM calls").fetchall()
    assert count == 1
    assert with_model(tmp_path, "wordings:careful", *more).stdout == shown.stdout


def case(folder: Path, prompt: str) -> Case:
    talk = [{"role": "system", "content": prompt}, *TALK[1:]]
    return Case.of(proposed(write(folder, talk), ASK))


def answer(**changed: Any) -> str:
    good = {
        "words": "Ask first.",
        "passage": "You book seats.",
        "place": "replace",
        "cause": "silent",
        "because": [{"trace": "t0", "message_index": 1, "quote": "I am ann"}],
    }
    return json.dumps(good | changed)


def test_a_good_answer_is_read(tmp_path: Path) -> None:
    made = read_words(answer(), case(tmp_path, "You book seats. Be kind."))
    assert isinstance(made, Proposal)
    assert made.text.startswith('Put in the place of "You book seats.": Ask first.')


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"words": " "}, "words is the text"),
        ({"words": "x" * 2000}, "2000 characters"),
        ({"words": "Be kind."}, "stands in the prompt already"),
        ({"passage": "seats"}, "stands in the prompt 2 times"),
        ({"passage": "You sell seats."}, "0 times"),
        ({"passage": None}, "exact words of the prompt"),
        ({"place": "before"}, "replace or after"),
        ({"cause": "bad luck"}, "cause is one of"),
        ({"because": []}, "one to 3"),
        ({"because": ["t0"]}, "expected an object"),
        ({"because": [{"trace": "t9", "message_index": 0, "quote": "Book."}]}, "no conversation has the id"),
        ({"because": [{"trace": "t0", "message_index": True, "quote": "Book."}]}, "is a number"),
        ({"because": [{"trace": "t0", "message_index": 9, "quote": "Book."}]}, "was not shown"),
        ({"because": [{"trace": "t0", "message_index": 0, "quote": "Please."}]}, "does not hold"),
    ],
)
def test_a_bad_answer_says_what_is_wrong(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    made = read_words(answer(**changed), case(tmp_path, "You book seats. Be kind. All seats are blue."))
    assert isinstance(made, str)
    assert why in made


def test_a_prompt_that_does_not_fit_is_said(tmp_path: Path) -> None:
    asked = ask(case(tmp_path, "You book seats. " + "Be kind. " * 10_000), "m")
    assert isinstance(asked, str)
    assert "take more than 60000 characters" in asked


def test_options_about_a_model_need_one(tmp_path: Path) -> None:
    log = write(tmp_path, TALK)
    for more in (["--ledger", "x.sqlite"], ["--redact", "email"]):
        refused = CliRunner().invoke(truespec, ["trace", "suggest", str(log), *more])
        assert isinstance(refused.exception, UsageError)
        assert "--model" in str(refused.exception)


def test_a_guard_says_what_it_needs_and_what_it_could_not_see(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        [user("Refund."), call("refund", 1, amount=200), call("refund", 2, amount="50 or so")],
        [user("Refund."), call("refund", 1, amount="50 or so")],
        [user("Refund."), call("refund", 1, amount=50)],
    )
    repair = proposed(path, SMALL)
    assert (repair.traces, repair.checked, repair.unknown) == (1, 2, 2)
    assert repair.record()["not_evaluated"] == 2
    guard = repair.proposals[0]
    assert guard.change == {"rule": "small", "action": "block"}
    assert (guard.prevented, guard.refused) == (("t0: small@1",), ("t0: small@2",))
    assert "action: block" not in guard.text
    for more in ("action: report,", "force: advisory,"):
        reported = proposed(path, SMALL.replace("id: small,", f"id: small, {more}")).proposals[0]
        assert "the rule needs 'action: block'" in reported.text
    said = write(tmp_path, [user("Hi."), {"role": "assistant", "content": "I promise."}])
    promise = "- {id: p, text: t, formal: {template: absence, a: {message: assistant, text: promise}}}"
    assert "'admit_message'" in proposed(said, promise).proposals[0].text
