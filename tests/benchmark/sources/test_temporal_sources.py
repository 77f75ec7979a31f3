"""The temporal data sets: what is read, what is skipped, and how often."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

import needs
from truespec.benchmark.sources import little_tricky
from truespec.benchmark.sources.registry import load
from truespec.benchmark.task import PairRecord, Skipped, Task
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, UsageError


def read(name: str, folder: Path) -> tuple[list[Task], list[PairRecord], list[Skipped]]:
    found = list(load(name)(folder))
    return (
        [one for one in found if isinstance(one, Task)],
        [one for one in found if isinstance(one, PairRecord)],
        [one for one in found if isinstance(one, Skipped)],
    )


def test_lang2ltl_as_recorded() -> None:
    tasks, pairs, skipped = read("lang2ltl", needs.sources("ltl"))
    assert (len(tasks), len(pairs), len(skipped)) == (21_899, 32_276, 0)
    assert Counter(pair.upstream_label for pair in pairs) == {
        "False": 19_784,
        "True": 6_477,
        "Syntax Error": 6_015,
    }
    infix = [pair for pair in pairs if pair.context["syntax"] == "infix"]
    assert len(infix) == 78
    for pair in infix:
        verdict = verify_pair(Pair("temporal", pair.oracle, pair.candidate, pair.context), 10.0)
        assert verdict.answer is (Answer.EQUIVALENT if pair.upstream_label == "True" else Answer.REFUTED)


def test_nl2spec_as_published() -> None:
    tasks, pairs, skipped = read("nl2spec", needs.sources("ltl"))
    assert (len(tasks), len(pairs), len(skipped)) == (36, 120, 0)
    assert {pair.context["logic"] for pair in pairs} == {"ltl"}


def test_little_tricky_as_published() -> None:
    tasks, pairs, skipped = read("little-tricky", needs.sources("ltl"))
    assert not pairs
    assert Counter(task.tags[0] for task in tasks) == {"future": 303, "past": 289, "textbook": 136}
    assert len(skipped) == 12
    for one in skipped:
        assert one.source.position.startswith("row ")


def test_damaged_records_are_skipped_with_their_place(tmp_path: Path) -> None:
    good = {"true_ltl": "F a", "output_ltl": "F & a b", "upstream": "False", "utterance": "go to a"}
    lines = [json.dumps(good), "{", json.dumps({**good, "true_ltl": "F"}), json.dumps({"true_ltl": "F a"})]
    with gzip.open(tmp_path / "pairs.jsonl.gz", "wt") as file:
        file.write("\n".join(lines))
    tasks, pairs, skipped = read("lang2ltl", tmp_path)
    assert (len(tasks), len(pairs)) == (1, 1)
    assert [one.source.position for one in skipped] == ["line 2", "line 3", "line 4"]
    assert "'F' needs 1 operand" in skipped[1].reason


@pytest.mark.parametrize("name", ["lang2ltl", "nl2spec", "little-tricky"])
def test_a_folder_without_the_files_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds none of"):
        read(name, tmp_path)


def test_labelled_traces_are_read_state_by_state(tmp_path: Path) -> None:
    path = tmp_path / little_tricky.TRACES
    rows = ["LTL Formula,Trace,Type", 'F(x1),"[x1 = FALSE, x2 = TRUE];[x1 = TRUE];...",Positive']
    rows += ["F(x1),[x1 = FALSE],Negative", "F(x1),[x1 = MAYBE];...,Negative"]
    path.write_text("\n".join(rows), encoding="utf-8")
    states = [frozenset({"x2"}), frozenset({"x1"})]
    assert list(little_tricky.lassos(path)) == [(2, "F(x1)", states, True)]


def test_declare_models(tmp_path: Path) -> None:
    lines = ["activity Pay", "activity Ship goods", "Response[Pay, Ship goods] | | |", "Absence2[Pay] | |"]
    lines += [
        "Response[Pay, Ship goods] |A.sum > 5 | |",
        "Nonsense[Pay] | |",
        "Init[Fly] | |",
        "bind Pay: sum",
    ]
    (tmp_path / "shop.decl").write_text("\n".join(lines), encoding="utf-8")
    tasks, _, skipped = read("declare", tmp_path)
    assert [(task.statement, task.oracle) for task in tasks] == [
        ("Each Pay is followed by Ship goods at some later time.", 'G (Pay -> F "Ship goods")'),
        ("Pay occurs fewer than 2 time(s).", "!F (Pay & X F Pay)"),
    ]
    assert tasks[0].context["exclusive"] == [["Pay", "Ship goods"]]
    assert [one.source.position for one in skipped] == ["line 5", "line 6", "line 7", "line 8"]
    assert "conditions on data or time" in skipped[0].reason
