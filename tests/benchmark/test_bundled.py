"""The bundled tasks: their shape, their variety, and every hand-made expectation against the verifiers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema
import pytest

from truespec.benchmark import bundled
from truespec.benchmark.bundled import BundledTask, RecordedAnswer, Writing, read
from truespec.benchmark.difficulty import difficulty
from truespec.benchmark.likeness import THRESHOLD, compare
from truespec.benchmark.select import bundled_tasks, choose
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, UsageError

NAMES = bundled.domains()
TEXTS = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
CONTEXTS: dict[str, dict[str, Any]] = {
    "arith": {
        "properties": {
            "variables": {
                "additionalProperties": {
                    "properties": {"type": {"enum": ["int", "real"]}},
                    "required": ["type"],
                    "additionalProperties": False,
                }
            },
            "constraints": TEXTS,
        },
        "required": ["variables", "constraints"],
        "additionalProperties": False,
    },
    "fol": {
        "properties": {
            "predicates": {"additionalProperties": {"type": "integer", "minimum": 0, "maximum": 4}},
            "constants": TEXTS,
            "axioms": TEXTS,
        },
        "required": ["predicates", "constants"],
        "additionalProperties": False,
    },
    "regex": {
        "properties": {
            "dialect": {"enum": ["python", "deepregex"]},
            "alphabet": {"enum": ["unicode", "ascii"]},
            "match": {"enum": ["full", "search"]},
            "flags": {"type": "string", "pattern": "^[aimsx]*$"},
        },
        "required": ["dialect", "alphabet"],
        "additionalProperties": False,
    },
}
CONTEXTS["sql"] = {
    "properties": {
        "schema": {"type": "string", "pattern": "^CREATE TABLE"},
        "dialect": {"enum": ["mysql", "postgres", "sqlite", "duckdb"]},
    },
    "required": ["schema", "dialect"],
    "additionalProperties": False,
}
CONTEXTS["rocq"] = {
    "properties": {
        "signature": {"type": "string", "pattern": r"^\(.*\) : Prop$"},
        "preamble": {"type": "string"},
    },
    "required": ["signature"],
    "additionalProperties": False,
}
CONTEXTS["temporal"] = {
    "properties": {
        "logic": {"enum": ["ltlf", "ltl"]},
        "atoms": TEXTS,
        "exclusive": {"type": "array", "items": TEXTS},
    },
    "required": ["logic", "atoms"],
    "additionalProperties": False,
}
VALIDATORS = {name: jsonschema.Draft202012Validator(schema) for name, schema in CONTEXTS.items()}
QUICK = ("arith", "fol", "regex", "temporal")
"""Domains whose answers are all verified here; those of the others are certified, and sampled."""
EVERY = [task for name in NAMES for task in bundled.tasks(name)]
ANSWERS = [(task, answer) for task in EVERY for answer in task.answers]


def of_task(value: BundledTask) -> str:
    return value.task.id


@pytest.mark.parametrize("name", QUICK)
def test_each_domain_has_its_tasks(name: str) -> None:
    assert len(bundled.tasks(name)) >= 120


def test_a_domain_without_a_file_has_no_tasks() -> None:
    assert bundled.tasks("no-such-domain") == ()


def test_ids_are_unique_and_name_their_domain() -> None:
    ids = [task.task.id for task in EVERY]
    assert len(set(ids)) == len(ids)
    for task in EVERY:
        assert re.fullmatch(rf"{task.task.domain}-[a-z0-9]+(-[a-z0-9]+)*", task.task.id)


@pytest.mark.parametrize("task", EVERY, ids=of_task)
def test_task_is_complete(task: BundledTask) -> None:
    if task.task.domain in VALIDATORS:
        VALIDATORS[task.task.domain].validate(task.task.context)
    assert re.search(r"[.?)]$", task.task.statement), "a statement ends as a sentence"
    assert task.task.tags
    assert 3 <= len(task.answers) <= 8
    written = Counter(answer.written for answer in task.answers)
    assert written[Writing.REWRITTEN] >= 1
    assert written[Writing.CARELESS] >= 2
    texts = [answer.text for answer in task.answers]
    assert len(set(texts)) == len(texts)
    assert task.task.oracle not in texts, "a recorded answer has another form than the oracle"


@pytest.mark.parametrize("task", EVERY, ids=of_task)
def test_every_declared_name_has_its_meaning(task: BundledTask) -> None:
    context = task.task.context
    declared: set[str] = set()
    for key in ("variables", "predicates", "constants", "atoms"):
        names = context.get(key, ())
        assert isinstance(names, dict | list | tuple)
        declared |= set(names)
    if task.task.domain == "sql":
        words = set(re.findall(r"\w+", str(context["schema"])))
        assert all(set(name.split(".")) <= words for name in task.meanings)
    elif task.task.domain != "rocq":
        assert set(task.meanings) == declared


def test_no_two_tasks_are_near_duplicates() -> None:
    alike = [pair for pair in compare(task.task for task in EVERY) if pair.likeness >= THRESHOLD]
    assert not alike


def test_no_oracle_is_used_twice() -> None:
    oracles = Counter((task.task.domain, task.task.oracle, str(task.task.context)) for task in EVERY)
    assert max(oracles.values()) == 1


def test_the_likeness_has_teeth() -> None:
    first = EVERY[0].task
    other = replace(first, id="x", statement=first.statement.replace("bakery", "factory"))
    renamed = replace(other, oracle=first.oracle.replace("n", "screws"))
    (pair,) = compare([first, renamed])
    assert pair.oracles == 1.0
    assert pair.likeness >= THRESHOLD
    assert all(pair.likeness < 0.2 for pair in compare([first, EVERY[5].task]))


CONSTRUCTS = {
    "arith": ("%", "//", "**", "round(", "int(", "ceil(", "floor(", "abs(", "min(", "is_int(", "divides("),
    "fol": ("∀", "∃", "¬", "∧", "∨", "→", "↔", "⊕", " = "),
    "sql": (
        *(
            "LEFT JOIN",
            "RIGHT JOIN",
            "CROSS JOIN",
            "NOT IN",
            "NOT EXISTS",
            "GROUP BY",
            "HAVING",
            "CASE",
            "COALESCE",
        ),
        *(
            "UNION ALL",
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "WITH",
            "OVER (",
            "COUNT(DISTINCT",
            "DATEDIFF",
            "LIKE",
        ),
        *("ORDER BY", "LIMIT", "> ALL", "> ANY", "FILTER (", "<=>", "LEAD("),
    ),
    "temporal": (*"GFXNUWRYOHSB", "!", "&", "|", "->", "<->", "true", "false"),
    "regex": (r"\b", "(?=", "(?!", "(?<=", "(?<!", "(?i", "(?s", "(?m", "(?x", r"\Z", "$", "&", "~", r"\d"),
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_the_set_spreads_over_the_constructs_of_its_language(name: str) -> None:
    tasks = bundled.tasks(name)
    texts = [task.task.oracle for task in tasks] + [one.text for task in tasks for one in task.answers]
    missing = [construct for construct in CONSTRUCTS[name] if not any(construct in text for text in texts)]
    assert not missing


@pytest.mark.usefixtures("no_relations")
@pytest.mark.parametrize("name", QUICK)
def test_every_verdict_is_the_expected_one(name: str) -> None:
    wrong: list[tuple[str, str, object]] = []
    for task, answer in ANSWERS:
        if task.task.domain == name:
            limit = 2.0 if answer.written is Writing.UNUSUAL else 20.0
            verdict = verify_pair(Pair(name, task.task.oracle, answer.text, task.task.context), limit)
            # An unusual answer is right but beyond the verifiers as a rule: a solver's luck may prove it.
            lucky = answer.written is Writing.UNUSUAL and verdict.answer is Answer.EQUIVALENT
            if verdict.answer is not answer.expected and not lucky:
                wrong.append((answer.id, answer.text, verdict))
    assert not wrong


@pytest.mark.slow
@pytest.mark.usefixtures("no_relations")
@pytest.mark.parametrize("name", QUICK)
def test_the_answers_to_a_task_agree_among_themselves(name: str) -> None:
    """Right answers equal each other, wrong ones equal neither a right one nor each other."""
    wrong: list[object] = []
    for task in bundled.tasks(name):
        decided = [a for a in task.answers if a.written in (Writing.REWRITTEN, Writing.CARELESS)]
        for one, two in combinations(decided, 2):
            both = {one.written, two.written} == {Writing.REWRITTEN}
            expected = Answer.EQUIVALENT if both else Answer.REFUTED
            pair = Pair(name, one.text, two.text, task.task.context)
            verdict = verify_pair(pair, 20.0)
            if verdict.answer is not expected:
                wrong.append((one.id, two.id, verdict))
    assert not wrong


def test_the_temporal_tasks_are_of_every_kind() -> None:
    """Policies, the past, several sentences, infinite words; wrong answers of every misconception."""
    tasks = bundled.tasks("temporal")
    tags = Counter(tag for task in tasks for tag in task.task.tags)
    assert tags["policy"] >= 40
    assert tags["several sentences"] >= 20
    assert sum(bool(re.search(r"\b[YOHSB]\b", task.task.oracle)) for task in tasks) >= 30
    assert sum(task.task.context["logic"] == "ltl" for task in tasks) >= 10
    mistakes = Counter(answer.mistake for task in tasks for answer in task.answers)
    assert all(mistakes[mistake] >= 5 for mistake in read.MISTAKES)


def test_the_hard_tasks_are_long_and_have_four_wrong_answers_that_read_well() -> None:
    hard = choose(bundled_tasks(), [], None, ["hard"])
    many = Counter(task.domain for task in hard)
    assert set(many) == set(NAMES)
    assert min(many.values()) >= 30
    answers = {task.task.id: task.answers for task in EVERY}
    for task in hard:
        wrong = [one for one in answers[task.id] if one.written is Writing.CARELESS]
        assert len(wrong) >= 4
    others = [task for task in bundled_tasks() if "hard" not in task.tags]
    for name in NAMES:
        lengths = [
            median(len(task.statement) for task in some if task.domain == name) for some in (hard, others)
        ]
        assert lengths[0] > 1.1 * lengths[1]


def test_a_tag_that_no_task_has_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(UsageError, match="no task has the tag 'hrad': did you mean 'hard'"):
        choose(bundled_tasks(), [], None, ["hrad"])
    with pytest.raises(UsageError, match="no task of rocq tagged hard and money"):
        choose(bundled_tasks(), ["rocq"], None, ["hard", "money"])


def test_a_mistake_has_to_be_known() -> None:
    with pytest.raises(ValueError, match="no mistake of a wrong answer: bad prop"):
        RecordedAnswer("x/1", "a", Writing.CARELESS, Answer.REFUTED, "a note", "absent mind")


def test_a_wrong_label_is_refused() -> None:
    with pytest.raises(ValueError, match="does not lead to"):
        RecordedAnswer("t/1", "a", Writing.CARELESS, Answer.EQUIVALENT, "a note")
    with pytest.raises(ValueError, match="which detail"):
        RecordedAnswer("t/1", "a", Writing.CARELESS, Answer.REFUTED)


def test_a_folder_of_files_shares_its_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "fol"
    folder.mkdir()
    (folder / "b.toml").write_text(TASK.format(id="fol-b", context="context = {constants = []}"))
    (folder / "a.toml").write_text(
        '[defaults]\ncontext = {predicates = {P = 1}, constants = ["c"]}\n'
        + TASK.format(id="fol-a", context="context = {constants = []}")
    )
    monkeypatch.setattr(read, "files", lambda _: tmp_path)
    read.tasks.cache_clear()
    read._files.cache_clear()
    try:
        one, two = read.tasks("fol")
        assert read.domains() == ("fol",)
    finally:
        read.tasks.cache_clear()
        read._files.cache_clear()
    assert (one.task.id, two.task.id) == ("fol-a", "fol-b")
    assert one.task.context == {"predicates": {"P": 1}, "constants": []}
    assert two.task.context == {"constants": []}
    assert one.task.oracle == "∃x P(x)"
    assert one.task.source.file == "fol/a.toml"


TASK = """
[[task]]
id = "{id}"
statement = "Something is."
{context}
oracle = '''
∃x P(x)
'''
tags = ["plain"]
candidates = []
"""


def test_difficulty_grows_with_the_oracle() -> None:
    assert difficulty("sql", "SELECT a FROM t") < difficulty("sql", "SELECT a, b FROM t WHERE a > 'x y'")
    for task in EVERY:
        assert task.task.extra["difficulty"] == difficulty(task.task.domain, task.task.oracle) > 0
