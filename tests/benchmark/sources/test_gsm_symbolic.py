"""The GSM-Symbolic reader: on a template of ours, and on the published ones."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import needs
from truespec.benchmark.sources._gsm_programs import Unliftable, lift
from truespec.benchmark.sources.gsm_symbolic import read
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.domains.arith.replay import replay
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, UsageError

TEMPLATE = """{who, Ada} plants {n,12} rows of {k,5} {plant,beans} in a {span,week}. {part,half} of them grow.

#init:
- who = sample(names)
- plant = sample(["beans", "peas"])
- span = sample(["week", "day"])
- $n, $m = range(6, 31, 6)
- $k = numbers_within(2, 9)
- $part = sample(fractions)
- $price = np.arange(0.25, 1.01, 0.25)
- $crates = sample([("two", 2), ("four", 4)] * 3)
- $left = range(1, 50)

#conditions:
- is_int(n * k * part)
-divides(n, crates)
- is_int(price * 10) == False
- n * k == left * crates + m

#answer: ANSWER
"""


def write(folder: Path, answer: str, hole: str) -> None:
    record = {
        "question": "Ada plants 12 rows of 5 beans.",
        "answer": "60 #### 60",
        "id_orig": 7,
        "question_annotated": TEMPLATE.replace("ANSWER", answer),
        "answer_annotated": "Some steps.\n#### {" + hole + "}",
    }
    target = folder / "templates" / "symbolic"
    target.mkdir(parents=True, exist_ok=True)
    (target / "0000.json").write_text(json.dumps(record), encoding="utf-8")


def only(folder: Path) -> Task:
    (task,) = read(folder)
    assert isinstance(task, Task), task
    return task


def test_a_template_becomes_a_task(tmp_path: Path) -> None:
    answer = 'n * k * part[1] * (7 if span == "week" else 1)'
    write(tmp_path, "= n + 1", answer)
    task = only(tmp_path)
    assert task.oracle == "n * k * part * 7", "the worked solution's expression wins"
    assert task.statement.startswith("Ada plants n rows of k beans in a week. part of them grow.")
    constraints: Any = task.context["constraints"]
    assert "6 <= n <= 30" in constraints
    assert "divides(n, 6)" in constraints
    assert "2 <= k <= 9" in constraints
    assert "part > 0" in constraints
    assert "crates == 2 or crates == 4" in constraints
    assert "divides(n, crates)" in constraints
    assert {"no-range:part", "fixed:span=week", "symbolic"} <= set(task.tags)
    assert task.extra["defaults"] == {"n": "12", "k": "5", "part": "1/2"}


def test_an_answer_that_an_equation_determines_is_solved_for(tmp_path: Path) -> None:
    write(tmp_path, "$left", "left")
    task = only(tmp_path)
    assert task.oracle == "(n * k - m) / (crates)"
    variables: Any = task.context["variables"]
    assert "left" not in variables
    constraints: Any = task.context["constraints"]
    assert "is_int((n * k - m) / (crates))" in constraints
    assert "1 <= ((n * k - m) / (crates)) <= 49" in constraints
    verdict = verify_pair(Pair("arith", task.oracle, "(n * k - m) // crates", task.context), 10.0)
    assert verdict.answer is Answer.EQUIVALENT, verdict


@pytest.mark.parametrize("hole", ["n +", "n * unheard_of", "who + 1", "k[0]"])
def test_a_broken_template_is_named(tmp_path: Path, hole: str) -> None:
    write(tmp_path, hole, hole)
    (record,) = read(tmp_path)
    assert isinstance(record, Skipped)
    assert record.reason


def test_a_folder_without_templates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no GSM-Symbolic templates"):
        list(read(tmp_path))


@pytest.fixture(scope="module")
def published() -> list[Task | PairRecord | Skipped]:
    return list(read(needs.sources("gsm")))


def test_every_published_template_is_read(published: list[Task | PairRecord | Skipped]) -> None:
    tasks = [record for record in published if isinstance(record, Task)]
    skipped = [r for r in published if isinstance(r, Skipped) and "templates" in r.source.file]
    assert len(tasks) + len(skipped) == 250
    assert len(skipped) <= 10, skipped
    assert len({task.id for task in tasks}) == len(tasks)


def test_oracles_yield_the_original_answers(published: list[Task | PairRecord | Skipped]) -> None:
    """At the values of the original problem, where all are known, an oracle yields the original answer."""
    folder = needs.sources("gsm")
    right = known = 0
    for task in published:
        if not isinstance(task, Task) or "symbolic" not in task.tags:
            continue
        defaults: Any = task.extra["defaults"]
        if set(defaults) != set(task.context["variables"]):  # type: ignore[call-overload]
            continue
        known += 1
        text = json.loads((folder / task.source.file).read_text(encoding="utf-8"))["answer"]
        wanted = Fraction(text.rsplit("####", 1)[-1].strip().replace(",", ""))
        right += replay(task.oracle, {k: Fraction(v) for k, v in defaults.items()}) == wanted
    assert known >= 85
    assert right >= known - 3, (right, known)


def test_the_worked_solution_wins_where_the_two_oracles_disagree(
    published: list[Task | PairRecord | Skipped],
) -> None:
    by_id = {task.id.removeprefix("gsm-symbolic/"): task for task in published if isinstance(task, Task)}
    assert replay(by_id["symbolic/0062"].oracle, {"n1": 20, "p": 50}) == 100
    assert "extra" in by_id["p1/0089"].oracle
    assert "absent_girls" in by_id["p1/0074"].oracle


def test_every_oracle_has_a_legal_point_and_equals_itself(
    published: list[Task | PairRecord | Skipped],
) -> None:
    for task in published:
        if isinstance(task, Task):
            verdict = verify_pair(Pair("arith", task.oracle, f"({task.oracle}) + 0", task.context), 120.0)
            assert verdict.answer is Answer.EQUIVALENT, (task.id, verdict)


def test_programs_are_lifted(published: list[Task | PairRecord | Skipped]) -> None:
    pairs = [record for record in published if isinstance(record, PairRecord)]
    assert len(pairs) >= 140
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert all(pair.upstream_label is not None for pair in pairs)


def lifted(program: str, result: int) -> str:
    task = Task(
        "t",
        "arith",
        "A shirt costs price dollars, less off%. How much do n cost?",
        {"variables": {name: {"type": "int"} for name in ("price", "off", "n")}},
        "n * price * (1 - off / 100)",
        Origin("gsm-symbolic", "t"),
        extra={"defaults": {"price": "40", "off": "20", "n": "1"}},
    )
    return lift(program, Fraction(result), task)[0]


def test_a_program_is_inlined_and_its_literals_read_as_variables() -> None:
    program = (
        "def solver():\n    n = 1\n    price = 40\n    price *= 0.8\n    return n * price\nans = solver()\n"
    )
    assert lifted(program, 32) == "n * (price * (1 - off / 100))"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("ans = 40 * 0.8 * 1", "stands in several places"),
        ("n = 1\nans = n * 40 - 8", "does not write the value 20 of 'off'"),
        ("n = 1\nfor i in range(3):\n    n += 2\nans = n", "not an assignment"),
        ("n = 1\nans = n * 40 * 0.8 + 1000", "yields"),
        ("import os\nans = os.getcwd()", "not arithmetic"),
        ("def broken(:", "does not parse"),
    ],
)
def test_what_cannot_be_lifted_says_why(program: str, why: str) -> None:
    with pytest.raises(Unliftable, match=why):
        lifted(program, 32)
