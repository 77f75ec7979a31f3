"""Judges' mistakes by relation, change, making and rarity, and the samples behind the last one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec import verify
from truespec.benchmark import bundled
from truespec.benchmark.changes import change
from truespec.benchmark.task import Origin, Task
from truespec.cli.bench import bench
from truespec.executors.rarity import separating
from truespec.metrics.table import Cell, Table
from truespec.reports.bench import tables

REPLY = {"text": "", "input_tokens": None, "output_tokens": None, "cost": None, "seconds": 0.0}
TASKS = [Task(f"t{n}", "regex", "s", {}, "a+b", Origin("made here", "")) for n in range(8)]


def records() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Eight answers; the judge accepts the weaker ones, the rare ones among them, and rejects a right one."""
    answers, judgements = [], []
    for number, (said, relation, text, made, found, accepted) in enumerate(
        [
            ("refuted", "weaker", "a*b", "mutant", (0, 100), True),
            ("refuted", "weaker", "a+b?", "mutant", (60, 100), True),
            ("refuted", "stronger", "a+", "mutant", (5, 100), False),
            ("refuted", "incomparable", "a+c", "rewriting of a mutant", None, False),
            ("invalid", None, "a+(b", "mutant", None, False),
            ("equivalent", None, "aa*b", "rewriting", None, True),
            ("equivalent", None, "a*ab", "rewriting", None, False),
            ("unknown", None, "a", "mutant", None, True),
        ]
    ):
        about = {"task": f"t{number}", "domain": "regex", "model": "m", "epoch": 0}
        reason = {"code": "timeout", "detail": "late"} if said in ("invalid", "unknown") else None
        verdict = {"answer": said, "relation": relation, "reason": reason, "seconds": 0.1}
        form = {"candidate": text, "strict": True, "reply": REPLY, "made": made, "separating": found}
        form |= {"mutation": "another operator"} if made == "mutant" else {}
        answers.append({**about, **form, "verdict": verdict})
        judged = {"kind": "formalization", "judge": "j", "scores": [], "replies": []}
        judgements.append({**about, **judged, "judgement": "accept" if accepted else "reject"})
    return answers, judgements


def counts(table: Table) -> dict[str, tuple[int, int] | None]:
    return {row[0].rpartition(", ")[2]: row[1].counts for row in table.rows if isinstance(row[1], Cell)}


def test_false_acceptances_by_their_kind() -> None:
    found = {table.name: table for table in tables(*records(), TASKS)}
    assert counts(found["mistakes-relation"]) == {
        "weaker": (2, 2),
        "stronger": (0, 1),
        "incomparable": (0, 1),
        "invalid": (0, 1),
    }
    assert counts(found["mistakes-change"]) == {
        "another operator": (1, 1),
        "something left out": (0, 1),
        "another name or word": (0, 1),
        "something added": (1, 2),
    }
    assert counts(found["mistakes-made"]) == {"mutant": (2, 4), "rewriting of a mutant": (0, 1)}
    assert counts(found["mistakes-mutation"]) == {"another operator": (2, 4)}
    assert counts(found["mistakes-rarity"]) == {
        "under 1 % of inputs": (1, 1),
        "1 to 10 % of inputs": (0, 1),
        "half of the inputs or more": (1, 1),
    }
    assert counts(found["mistakes-right"]) == {"rewriting": (1, 2)}


def test_error_rates_for_each_misconception() -> None:
    labelled = [
        (entry.task, answer)
        for entry in bundled.tasks("temporal")
        for answer in entry.answers
        if answer.mistake in ("weak U", "implicit G")
    ]
    assert len({answer.mistake for _, answer in labelled}) == 2
    answers, judgements = [], []
    for number, (task, answer) in enumerate(labelled):
        about = {"task": task.id, "domain": "temporal", "model": f"m{number}", "epoch": 0}
        form = {"candidate": f" {answer.text}\n", "strict": True, "reply": REPLY}
        verdict = {"answer": "refuted", "relation": "weaker", "reason": None, "seconds": 0.1}
        answers.append({**about, **form, "verdict": verdict})
        judged = {"kind": "formalization", "judge": "j", "scores": [], "replies": []}
        taken = "accept" if answer.mistake == "weak U" else "reject"
        judgements.append({**about, **judged, "judgement": taken})
    # An answer that nobody recorded has no label; one of another task has none either.
    answers.append({**answers[0], "model": "other", "candidate": "G true"})
    judgements.append({**judgements[0], "model": "other"})
    tasks = [entry.task for entry in bundled.tasks("temporal")]
    found = {table.name: table for table in tables(answers, judgements, tasks)}
    expected = Counter(answer.mistake for _, answer in labelled)
    assert counts(found["mistakes-misconception"]) == {
        "weak U": (expected["weak U"], expected["weak U"]),
        "implicit G": (0, expected["implicit G"]),
    }


@pytest.mark.parametrize(
    ("oracle", "candidate", "kind"),
    [
        ("x + 1", "x+2", "another number"),
        ("∀x P(x)", "∃x P(x)", "another quantifier"),
        ("a >= b", "a > b", "another operator"),
        ("SELECT a FROM t", "SELECT b FROM t", "another name or word"),
        ("a - b", "b - a", "another order"),
        ("a + b + c", "a + b", "something left out"),
        ("min(a, b)", "min(a, b, c)", "something added"),
        ("a", "b * c + 2", "several changes"),
        ("a  +b", "a + b", "the same text"),
    ],
)
def test_kinds_of_change(oracle: str, candidate: str, kind: str) -> None:
    assert change(oracle, candidate) == kind


INTS = {"variables": {"x": {"type": "int"}}, "constraints": ["1 <= x", "x <= 100"]}


@pytest.mark.parametrize(
    ("domain", "oracle", "candidate", "context", "least", "most"),
    [
        ("arith", "x", "x if x != 50 else 0", INTS, 0.0, 0.05),
        ("arith", "x", "x + 1", INTS, 1.0, 1.0),
        ("arith", "x", "2 * x - x", INTS, 0.0, 0.0),
        ("regex", "[a-z]+", "[a-y]+", {}, 0.1, 0.95),
        ("regex", "a+", "b+", {}, 1.0, 1.0),
        ("fol", "∀x P(x)", "∃x P(x)", {}, 0.2, 0.8),
        ("fol", "∀x P(x)", "¬∃x ¬P(x)", {}, 0.0, 0.0),
        ("fol", "P(a)", "¬P(a)", {"axioms": ["P(a)"]}, 1.0, 1.0),
    ],
)
def test_the_share_of_inputs_that_separate(
    domain: str, oracle: str, candidate: str, context: dict[str, object], least: float, most: float
) -> None:
    found = separating(domain, oracle, candidate, context, 200)
    assert found
    differ, total = found
    assert total >= (50 if domain != "regex" else 5)
    assert least <= differ / total <= most
    assert separating(domain, oracle, candidate, context, 200) == found, "the same inputs each time"


def test_the_share_depends_on_the_pair_alone() -> None:
    first = separating("regex", "[a-z]+", "[a-y]+", {}, 200)
    for letters in ("[a-c]+", "[^b-k]*", r"\d+"):
        verify("regex", letters, "[g-m]+")
    assert separating("regex", "[a-z]+", "[a-y]+", {}, 200) == first


def test_what_cannot_be_sampled_is_left_out() -> None:
    assert separating("rocq", "x", "y", {}, 10) is None
    assert separating("regex", "(a", "b", {}, 10) is None


@pytest.mark.slow
def test_the_report_samples_on_demand(tmp_path: Path) -> None:
    made = tmp_path / "run"
    given = ["--domain", "regex", "--domain", "arith", "--limit", "3", "-o", str(made), "--jobs", "1"]
    assert CliRunner().invoke(bench, ["candidates", "-n", "12", *given]).exit_code == 0
    CliRunner().invoke(bench, ["judge", str(made), "--judge", "scripted:overlap"])
    out = tmp_path / "out"
    result = CliRunner().invoke(bench, ["report", str(made), "-o", str(out), "--rarity", "40"])
    assert result.exit_code == 0, result.output
    assert "of inputs" in (out / "tables/mistakes-rarity.md").read_text()
    assert "mutant" in (out / "tables/mistakes-made.md").read_text()
