"""The readers of first-order data sets: on small folders in upstream's layout, and on the real ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import needs
from truespec.benchmark.sources.registry import load
from truespec.benchmark.task import PairRecord, Skipped, Task
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, UsageError

V0 = [
    {
        "premises": ["All dogs bark.", "Rex is a dog."],
        "premises-FOL": ["∀x (Dog(x) → Bark(x))", " Dog(rex) "],
        "conclusion": "Rex barks.",
        "conclusion-FOL": "Bark(rex)",
        "label": "True",
    },
    {
        "premises": ["All dogs bark.", "Cats purr.", "Mice hide."],
        "premises-FOL": ["∀x (Dog(x) → Bark(x))", "∀x (Cat(x) → Purr(x)"],
        "conclusion": "Tom is one-eyed.",
        "conclusion-FOL": "One-eyed(tom)",
    },
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "fol" / "folio_v0"
    home.mkdir(parents=True)
    lines = [json.dumps(record, ensure_ascii=False) for record in V0]
    (home / "folio-validation.jsonl").write_text("\n".join([*lines, "{broken"]), encoding="utf-8")
    return tmp_path / "fol"


def test_folio_gives_each_sentence_once_and_names_what_it_skips(folder: Path) -> None:
    for start in (folder, folder / "folio_v0", folder.parent):
        read = list(load("folio")(start))
        tasks = [record for record in read if isinstance(record, Task)]
        assert [(task.statement, task.oracle) for task in tasks] == [
            ("All dogs bark.", "∀x (Dog(x) → Bark(x))"),
            ("Rex is a dog.", "Dog(rex)"),
            ("Rex barks.", "Bark(rex)"),
        ]
        assert tasks[1].context == {"predicates": {"Dog": 1}, "constants": ["rex"]}
        skipped = {record.source.position: record.reason for record in read if isinstance(record, Skipped)}
        assert set(skipped) == {"line 2", "line 2, conclusion", "line 3"}
        assert "3 premises and 2 formulas" in skipped["line 2"]
        assert "hyphen" in skipped["line 2, conclusion"]
        assert "column 4" in skipped["line 2, conclusion"]


def test_version_2_lines_are_paired_without_the_blank_ones(tmp_path: Path) -> None:
    record = {
        "id": "FOLIO_dev_1_2",
        "input": "Premise: All dogs bark.\nConclusion: Rex barks.",
        "fol": "Premise_FOL: ∀x (Dog(x) → Bark(x))\n\nConclusion_FOL: Bark(rex)",
        "output": "Uncertain",
    }
    (tmp_path / "folio_test.json").write_text(json.dumps([record]), encoding="utf-8")
    tasks = [record for record in load("folio")(tmp_path) if isinstance(record, Task)]
    assert [task.oracle for task in tasks] == ["∀x (Dog(x) → Bark(x))", "Bark(rex)"]
    assert tasks[1].statement == "Rex barks."


def test_linc_joins_by_sentence_and_tells_how_close_the_names_are(folder: Path) -> None:
    home = folder / "linc"
    home.mkdir()
    text = (
        "TEXT:\tAll dogs bark.\nFOL:\tall x. (Dog(x) -> Bark(x))\nTEXT:\tRex is a dog.\nFOL:\tDog(Rex)\n"
        "TEXT:\tRex barks.\nFOL:\tBarks(Rex)\nTEXT:\tRex barks.\nFOL:\tBark(Rex, Rex)\n"
        "TEXT:\tRex barks.\nFOL:\tBark(Rex\nTEXT:\tCats purr.\nFOL:\tall x. (Cat(x) -> Purr(x))\n"
    )
    (home / "gpt-9_folio-neurosymbolic-8shot_generations_raw.json").write_text(json.dumps([[text]]))
    (home / "gpt-9_folio-neurosymbolic-8shot_generations_prc.json").write_text(json.dumps([["Error"]]))
    (home / "references.json").write_text(json.dumps(["True"]))
    read = list(load("linc")(home))  # FOLIO lies in the folder beside
    pairs = [record for record in read if isinstance(record, PairRecord)]
    assert [pair.extra["signature"] for pair in pairs] == ["same", "case", "profile", "other", "malformed"]
    assert (pairs[1].candidate, pairs[1].extra["recorded"]) == ("Dog(rex)", "Dog(Rex)")
    assert pairs[0].upstream_label == {"label": "True", "prover": "Error"}
    assert pairs[0].extra["model"] == "gpt-9 8-shot"
    assert [record.reason for record in read if isinstance(record, Skipped)] == [
        "the sentence is not in FOLIO v0 validation: 'Cats purr.'"
    ]
    answers = [verify_pair(Pair("fol", one.oracle, one.candidate, one.context), 60.0).answer for one in pairs]
    assert answers == [Answer.EQUIVALENT, Answer.EQUIVALENT, *[Answer.INVALID] * 3]


def test_logic_lm_reads_premises_and_conclusion(folder: Path) -> None:
    program = (
        "Predicates:\nDog(x) ::: x is a dog.\nPremises:\n"
        "∀x (Dog(x) → Bark(x)) ::: All dogs bark.\nConclusion:\nBark(rex) ::: Rex barks."
    )
    record = {"id": "FOLIO_dev_0", "answer": "A", "raw_logic_programs": [program]}
    (folder / "FOLIO_dev_gpt-4.json").write_text(json.dumps([record, {"id": 3}]), encoding="utf-8")
    read = list(load("logic-lm")(folder))
    pairs = [record for record in read if isinstance(record, PairRecord)]
    assert [(pair.oracle, pair.candidate) for pair in pairs] == [
        ("∀x (Dog(x) → Bark(x))", "∀x (Dog(x) → Bark(x))"),
        ("Bark(rex)", "Bark(rex)"),
    ]
    assert len(read) == 3


def test_llama_reads_entries(folder: Path) -> None:
    entry = {
        "premises": ["Rex is a dog."],
        "premises_fol": ["Dog(rex)"],
        "conclusion": "Rex barks.",
        "conclusion_fol": "¬Bark(rex)",
        "expected_label": "True",
        "prover9_result": "DOES_NOT_ENTAIL",
    }
    (folder / "llama3_1_8B_folio_results4.json").write_text(json.dumps({"results": [entry, 7]}))
    read = list(load("llama-fol")(folder))
    assert [record.candidate for record in read if isinstance(record, PairRecord)] == [
        "Dog(rex)",
        "¬Bark(rex)",
    ]
    assert isinstance(read[-1], Skipped)


def test_malls_gives_tasks(tmp_path: Path) -> None:
    rows = [{"NL": "Dogs bark.", "FOL": "∀x (Dog(x) → Bark(x))"}, {"NL": "Bad.", "FOL": "Dog(x)"}, {"NL": 1}]
    (tmp_path / "MALLS-v0.1-test.json").write_text(json.dumps(rows), encoding="utf-8")
    read = list(load("malls")(tmp_path))
    assert [type(record) for record in read] == [Task, Skipped, Skipped]


@pytest.mark.parametrize("name", ["folio", "logic-lm", "linc", "llama-fol", "malls"])
def test_a_folder_without_the_set_is_a_usage_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected"):
        list(load(name)(tmp_path))


@pytest.mark.parametrize(
    ("name", "least"),
    [("folio", 5_100), ("logic-lm", 3_000), ("linc", 10_000), ("llama-fol", 1_100), ("malls", 950)],
)
def test_the_published_sets_are_read(name: str, least: int) -> None:
    read = list(load(name)(needs.sources("fol")))
    kept = [record for record in read if not isinstance(record, Skipped)]
    assert len(kept) >= least
    assert len({record.id for record in kept}) == len(kept)
    kinds = Counter(type(record).__name__ for record in kept)
    assert len(kinds) == 1
    for record in read:
        if isinstance(record, Skipped) and record.reason.startswith("malformed"):
            assert "column" in record.reason, record
