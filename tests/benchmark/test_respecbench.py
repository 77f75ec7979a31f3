"""The paper's selection from the sources: its counts, its criteria, and our translations of CLEVER."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import needs
import truespec
from benchmark.telling import telling
from truespec.benchmark.respecbench import COUNTS, Chosen, select
from truespec.benchmark.sources.clever import notes, translations
from truespec.benchmark.task import Origin, Task
from truespec.benchmark.unfit import CHANGED, determined, mark, read_unfit
from truespec.cli.data import data
from truespec.store.runs import read_tasks

pytestmark = pytest.mark.slow  # the published sets are read once for all of them


@pytest.fixture(scope="module")
def chosen() -> dict[str, Chosen]:
    return {one.domain: one for one in select(needs.sources("."))}


def test_every_count_of_the_paper_is_reached(chosen: dict[str, Chosen]) -> None:
    assert {name: len(one.tasks) for name, one in chosen.items()} == COUNTS
    assert not any(one.missing for one in chosen.values())
    for one in chosen.values():
        assert len({task.id for task in one.tasks}) == len(one.tasks)
        assert all(task.oracle and task.statement for task in one.tasks)


def test_no_prompt_tells_its_reference(chosen: dict[str, Chosen]) -> None:
    tasks = [task for one in chosen.values() for task in one.tasks]
    assert len(tasks) == 707
    assert telling(tasks) == []
    hidden = [task for task in tasks if "hidden" in task.extra]
    assert len(hidden) == 183, "74 hold the oracle verbatim or nearly so, the rest after a trivial rewriting"


@pytest.mark.live
def test_every_query_is_usable(chosen: dict[str, Chosen]) -> None:
    needs.tool("mariadbd")
    for task in chosen["sql"].tasks:
        verdict = truespec.verify("sql", task.oracle, task.oracle, task.context)
        assert verdict.answer.value == "equivalent", task.id
    assert len(chosen["sql"].rejected) == 9


def test_formulas_are_those_with_most_constants(chosen: dict[str, Chosen]) -> None:
    tags = [task.tags for task in chosen["fol"].tasks]
    constants = [int(tag[10:]) for some in tags for tag in some if tag.startswith("constants:")]
    assert constants == sorted(constants, reverse=True)
    assert constants[-1] >= 2


def test_sentences_that_do_not_determine_their_formula_are_left_out(chosen: dict[str, Chosen]) -> None:
    fol = chosen["fol"]
    assert len(fol.rejected) == 47
    left_out = {one.partition(":")[0] for one in fol.rejected}
    assert left_out.isdisjoint(task.id for task in fol.tasks)
    assert "folio-v0-train-69" in left_out, "version 2 moved its quantifier; no reader listed it"
    unfit = read_unfit()
    assert set(unfit.sentences.values()) == set(unfit.criteria)
    last = [int(tag[10:]) for tag in fol.tasks[-1].tags if tag.startswith("constants:")]
    assert last == [2], "the list covers the sentences with most constants, which were read"


def test_a_sentence_is_known_by_its_text_and_formula() -> None:
    def of(statement: str, oracle: str, version: str = "v0") -> Task:
        context = {"predicates": {"P": 1, "Q": 1}, "constants": ["a"]}
        return Task(f"{version}-{oracle}", "fol", statement, context, oracle, Origin("folio", ""), (version,))

    tasks = [of("a is P or Q.", "P(a) ∨ Q(a)"), of("a is P.", "P(a)"), of("a is Q.", "Q(a)")]
    later = [
        of("a is P or Q.", "Q(a) ∨ P(a)", "v2"),
        of("a is P.", "¬P(a)", "v2"),
        of("a is Q.", "R(a)", "v2"),
    ]
    rejected: list[str] = []
    assert list(determined(tasks, tasks + later, rejected)) == [tasks[0], tasks[2]]
    assert rejected == [f"v0-P(a): {CHANGED}"]
    assert mark(tasks[0]) != mark(of("a is P or Q.", "P(a)"))


def test_patterns_discriminate(chosen: dict[str, Chosen]) -> None:
    for task in chosen["regex"].tasks[::20]:
        for other in (".*", "~(.*)"):
            assert truespec.verify("regex", task.oracle, other, task.context).answer.value == "refuted"


def test_missing_sets_are_named_and_the_rest_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "sets" / "clever" / "human_eval"
    folder.mkdir(parents=True)
    for number in (53, 54):
        (folder / f"problem_{number}.lean").write_text(
            "/- start_def problem_details -/\n-- start_def problem_details\n/-\ndocstring: |\n    Add.\n"
            "function_signature: f\n-/\n-- end_def problem_details\n-- start_def problem_spec\n"
            "def problem_spec\n-- end_def problem_spec\n-- start_def implementation_signature\n"
            "def implementation (x y: Int) : Int :=\n-- end_def implementation_signature\n",
            encoding="utf-8",
        )
    arguments = ["respecbench", "--from", str(tmp_path / "sets"), "-o", str(tmp_path / "out")]
    result = CliRunner().invoke(data, arguments, catch_exceptions=False)
    assert result.exit_code == 1
    assert "missing: folio" in result.output
    (task,) = read_tasks(tmp_path / "out" / "tasks.jsonl")
    assert (task.id, task.oracle) == ("clever/53", translations()[53])
    assert task.statement == "Add."


def test_the_statement_of_a_translation_ends_with_its_preconditions(chosen: dict[str, Chosen]) -> None:
    stated = {task.id: task.statement for task in chosen["rocq"].tasks}
    assert stated["clever/35"].endswith("\n\nThe specification settles: nothing is asked of the empty list.")
    assert sum("The specification settles" in text for text in stated.values()) == 23
    assert "\n--" not in stated["clever/97"]
    for number, note in notes().items():
        assert "->" not in note, number
    conditional = {n for n, text in translations().items() if "<> [] ->" in text or " < n ->" in text}
    assert conditional <= set(notes()), "a precondition is stated"


def test_there_are_enough_translations() -> None:
    assert len(translations()) >= 31
    assert all(text.strip().startswith("Definition spec ") for text in translations().values())


@pytest.mark.live
@pytest.mark.parametrize("number", [8, 13, 53, 58, 136])
def test_translations_are_accepted_by_rocq_and_equal_themselves(number: int) -> None:
    needs.tool("coqtop")
    import re

    oracle = translations()[number]
    header = re.search(r"spec (.*?) :=", oracle, re.DOTALL)
    assert header
    context = {"signature": header.group(1)}
    assert truespec.verify("rocq", oracle, oracle, context, 20).answer.value == "equivalent"
