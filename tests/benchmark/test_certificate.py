"""Certificates of the bundled tasks: current for every task, and what the verifiers still say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import needs
from truespec.benchmark import bundled
from truespec.benchmark.bundled import Writing
from truespec.benchmark.certificate import Certificate, certificates, content_key, is_current, read
from truespec.benchmark.trivial import constant, trivial
from truespec.cli.main import truespec
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.certify import _by_the_way, certify
from truespec.verdict import Answer, Counterexample, refuted

QUICK = ("arith", "fol", "regex", "temporal")
CERTIFIED = [name for name in bundled.domains() if certificates(name)]


@pytest.mark.parametrize("name", CERTIFIED)
def test_every_task_has_a_current_certificate(name: str) -> None:
    found = certificates(name)
    entries = bundled.tasks(name)
    stale = [entry.task.id for entry in entries if not is_current(found.get(entry.task.id), entry)]
    assert not stale, "'make certificates' makes them anew"
    assert list(found) == [entry.task.id for entry in entries]
    for one in found.values():
        assert not one.contradictions(), one
        assert not one.gaps(), (one.task, one.gaps())


def test_the_numbers_of_a_certificate_are_those_of_the_answers() -> None:
    for name in CERTIFIED:
        for entry in bundled.tasks(name):
            one = certificates(name)[entry.task.id]
            for kind, numbers in ((Writing.REWRITTEN, one.right), (Writing.CARELESS, one.wrong)):
                written = [answer.id.rpartition("/")[2] for answer in entry.answers if answer.written is kind]
                assert list(numbers) == written


def test_a_sample_is_certified_anew() -> None:
    for name in QUICK:
        for made in certify(bundled.tasks(name)[::40], timeout=20.0, jobs=1):
            assert not made.contradictions()
            assert not made.gaps(), (made.task, made.gaps())


@pytest.mark.live
@pytest.mark.parametrize(("name", "tool"), [("sql", "mariadbd"), ("rocq", "coqc")])
def test_a_task_of_the_slow_domains_is_certified_anew(name: str, tool: str) -> None:
    needs.tool(tool)
    (made,) = certify(bundled.tasks(name)[:1], timeout=20.0, jobs=1)
    assert not made.contradictions()
    assert not made.gaps(), made.gaps()


def test_what_says_nothing_says_nothing() -> None:
    for name, oracle, context in (
        ("regex", "a", {"dialect": "python"}),
        ("regex", "a", {"dialect": "deepregex"}),
        ("fol", "∃x P(x)", {"predicates": {"P": 1}, "constants": []}),
    ):
        for text in trivial(name, oracle, context).values():
            verdict = verify_pair(Pair(name, text, text, context), 10.0)
            assert verdict.answer is Answer.EQUIVALENT, text
        empty, full = trivial(name, oracle, context).values()
        between = verify_pair(Pair(name, empty, full, context), 10.0)
        assert between.relation is not None
        assert between.relation.value == "weaker"


def test_trivial_oracles_are_found_out() -> None:
    """A constant, an empty language, a tautology and a query without rows get no certificate."""
    planted = {
        "arith": "0",
        "regex": "a(?!)",
        "fol": "∀x (P(x) → P(x))",
        "sql": "SELECT id FROM t WHERE id < id",
    }
    contexts: dict[str, dict[str, object]] = {
        "arith": {"variables": {"x": {"type": "int"}}, "constraints": []},
        "regex": {"dialect": "python", "alphabet": "ascii"},
        "fol": {"predicates": {"P": 1}, "constants": []},
        "sql": {"schema": "CREATE TABLE t (id INT PRIMARY KEY)", "dialect": "sqlite"},
    }
    for name, oracle in planted.items():
        entry = bundled.tasks(name)[0]
        task = replace(entry.task, oracle=oracle, context=contexts[name])
        (made,) = certify([replace(entry, task=task, answers=())], timeout=10.0, jobs=1)
        assert any("may say nothing" in gap for gap in made.gaps()), (name, made)


def test_counterexamples_to_other_forms_show_that_an_oracle_says_something() -> None:
    at = Counterexample({"n": 1}, True, False, "by hand")
    verdicts = {("t", "wrong", "1"): refuted("rocq", "by hand", at)}
    trivial_answers = {"nothing": "unknown", "everything": "unknown"}
    assert _by_the_way(trivial_answers, "t", verdicts) == {"nothing": "refuted"}
    assert _by_the_way(trivial_answers, "other", verdicts) == {}


def test_a_constant_with_the_value_of_a_point() -> None:
    assert constant("arith", Counterexample({"x": 1}, "7/2", "0", "by hand")) == "7/2"
    assert constant("arith", Counterexample({"x": 1}, {"undefined": "x"}, "0", "by hand")) is None
    rows = Counterexample({"tables": {}}, [[1, "it's", None]], [], "by hand")
    assert constant("sql", rows) == "SELECT 1, 'it''s', NULL"
    assert constant("regex", Counterexample({"string": "a"}, True, False, "by hand")) is None


def test_a_certificate_belongs_to_its_content() -> None:
    entry = bundled.tasks("fol")[0]
    made = Certificate(entry.task.id, content_key(entry), "0.0.0", "equivalent", {}, {}, {})
    assert not is_current(made, entry), "another version made it"
    assert not is_current(None, entry)
    other = replace(entry, task=replace(entry.task, oracle=entry.task.oracle + " "))
    assert content_key(other) != content_key(entry)


def test_gaps_and_contradictions_are_told() -> None:
    made = Certificate(
        "t", "k", "v", "unknown", {"nothing": "refuted"}, {"1": "refuted"}, {"2": "equivalent"}
    )
    assert made.contradictions() == ["right form 1 is refuted", "wrong form 2 is equivalent"]
    assert made.gaps() == [
        "the oracle against itself: unknown",
        "no right form is proved",
        "only 0 wrong forms are refuted",
    ]


def test_the_command_keeps_what_is_current(tmp_path: Path) -> None:
    arguments = ["bench", "certify", "--domain", "regex", "--every", "60", "-o", str(tmp_path), "--jobs", "1"]
    result = CliRunner().invoke(truespec, arguments)
    assert result.exit_code == 0, result.output
    assert "tasks certified" in result.output
    path = tmp_path / "regex.jsonl"
    kept = read(path)
    assert set(kept) == {entry.task.id for entry in bundled.tasks("regex")[::60]}
    marked = {name: replace(one, same="unknown") for name, one in kept.items()}
    path.write_text(path.read_text().replace('"same": "equivalent"', '"same": "unknown"'))
    again = CliRunner().invoke(truespec, arguments)
    assert again.exit_code == 0, again.output
    assert read(path) == marked, "a current certificate is not made again"
    assert "verdicts undecided" in again.output
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    CliRunner().invoke(truespec, arguments)
    assert list(read(path)) == list(kept), "they stand in the order of the tasks"
    retried = CliRunner().invoke(truespec, [*arguments, "--open"])
    assert retried.exit_code == 0, retried.output
    assert read(path) == kept, "one with an undecided verdict is, where asked for"
    worse = [*arguments, "--open", "--timeout", "0.000001"]
    path.write_text(path.read_text().replace('"same": "equivalent"', '"same": "unknown"', 1))
    before = read(path)
    assert CliRunner().invoke(truespec, worse).exit_code == 0
    assert read(path) == before, "what a shorter limit does not decide replaces nothing"
    assert CliRunner().invoke(truespec, ["bench", "certify", "--open"]).exit_code != 0
    assert CliRunner().invoke(truespec, ["bench", "certify", "--domain", "nope"]).exit_code != 0


def test_a_file_of_ones_own_is_certified_and_broken_oracles_are_refused(tmp_path: Path) -> None:
    context = {"schema": "CREATE TABLE t (a INT)", "dialect": "sqlite"}
    records = [
        {"id": "good", "domain": "regex", "context": {}, "oracle": "a+b"},
        {"id": "all", "domain": "regex", "context": {"flags": "s"}, "oracle": ".*"},
        {"id": "open", "domain": "regex", "context": {}, "oracle": "(a"},
        {"id": "field", "domain": "regex", "context": {"dialct": "python"}, "oracle": "a"},
        {"id": "star", "domain": "sql", "context": context, "oracle": "SELECT * FROM t"},
        {"id": "column", "domain": "sql", "context": context, "oracle": "SELECT b FROM t"},
        {
            "id": "empty",
            "domain": "arith",
            "context": {"variables": {"x": {"type": "int"}}, "constraints": ["x > 0", "x < 0"]},
            "oracle": "x + 1",
        },
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps({**record, "statement": "s"}) + "\n" for record in records))
    result = CliRunner().invoke(truespec, ["bench", "certify", "--tasks", str(path), "--jobs", "1"])
    assert result.exit_code == 1, result.output
    for said in (
        "open: broken: oracle: missing )",
        "field: broken: regex context: unknown field 'dialct'",
        "column: broken: oracle:",
        "empty: broken: the constraints contradict each other",
        "all: open: the oracle may say nothing",
        "2 of 7 tasks certified, 1 open, 4 broken",
    ):
        assert said in result.output, result.output
