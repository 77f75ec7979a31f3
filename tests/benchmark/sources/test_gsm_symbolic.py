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


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("a {x,10}-foot shark", "foot"),
        ("with {x,2} {y,6}-inch remoras attached", "remoras"),
        ("for ${x,2} each.", "dollars each"),
        ("costs ${x,2} per two minutes", "dollars per two minutes"),
        ("costs ${x,2} per {y,3} minutes", "dollars"),
        ("{x,20}% of them", "percent"),
        ("{x,3} percent", "percent"),
        ("in the ratio of {y,1}:{x,3} of", "part of a ratio"),
        ("{x,three} times as old as", "factor"),
        ("collects it {x,3} times a week", "times per week"),
        ("{x,3} more boxes of apple pie", "boxes"),
        ("slides at {x,3} feet/minute", "feet per minute"),
        ("eats {x,3} eggs a day", "eggs per day"),
        ("{x,4} of the spoons", "spoons"),
        ("{x,1/2} of an ounce", "ounce"),
        ("{x,1} pound of coffee", "pound"),
        ("a {x,10} piece puzzle", "piece"),
        ("a {x,six-sided} die", None),
        ("from {x,5} PM", "o'clock"),
        ("grow {x,1}feet wide", "feet"),
        ("her {x,3} grandchildren", "grandchildren"),
        ("{x,4} like to bake", None),
        ("{x,4} less than Stacy", None),
        ("with {x,4} inside", None),
    ],
)
def test_a_unit_stands_beside_its_variable(tmp_path: Path, text: str, unit: str | None) -> None:
    assert variable(tmp_path, text)[0] == unit


def variable(folder: Path, text: str, domain: str = "range(2, 9)", solution: str = "") -> tuple[object, str]:
    """The unit and the meaning of x in a template with this statement."""
    record = {
        "question": text,
        "id_orig": 7,
        "question_annotated": f"{text}\n\n#init:\n- $x = {domain}\n- $y = range(2, 9)\n"
        "\n#conditions:\n- x < 4 * y\n\n#answer: x * y",
        "answer_annotated": f"{solution}\n#### {{x * y}}",
    }
    (folder / "symbolic").mkdir(exist_ok=True)
    (folder / "symbolic" / "0000.json").write_text(json.dumps(record), encoding="utf-8")
    task = only(folder)
    units, meanings = task.extra["units"], task.extra["meanings"]
    assert isinstance(units, dict)
    assert isinstance(meanings, dict)
    return units["x"], meanings["x"]


def test_meanings_quote_the_statement_and_say_what_is_missing(tmp_path: Path) -> None:
    assert variable(tmp_path, "Ada has {y,2} hens. She buys {x,3} eggs, then rests.")[1] == (
        'eggs; in "She buys x eggs"'
    )
    assert variable(tmp_path, "Now {x,twice} that.", "sample(multi_times)")[1] == (
        'a factor, without a unit ("twice" in the original problem); in "Now x that"'
    )
    assert variable(tmp_path, "She has {x,3}.")[1] == 'no unit stands beside it; in "She has x"'
    solved = variable(tmp_path, "Of {y,3} hens.", solution="They lay {x} eggs, <<{x}*2={x*2}>>{x*2} in all.")
    assert solved == ("eggs", "eggs; not in the statement, nothing else is said of it")


def test_units_of_the_published_templates(published: list[Task | PairRecord | Skipped]) -> None:
    tasks = [record for record in published if isinstance(record, Task)]
    found = [unit for task in tasks for unit in dict(task.extra["units"]).values()]  # type: ignore[call-overload]
    assert (len(found), found.count(None)) == (1182, 47)
    for task in tasks:
        meanings: Any = task.extra["meanings"]
        assert set(meanings) == set(task.context["variables"])  # type: ignore[call-overload]
    (twice,) = (task for task in tasks if any(tag.startswith("ambiguous:") for tag in task.tags))
    assert twice.id == "gsm-symbolic/p1/0088"
