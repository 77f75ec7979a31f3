"""Our statements for regular expressions: complete for the selection, in our words, with defined terms."""

from __future__ import annotations

import re

import pytest

import needs
from truespec.benchmark.refined import DIGITS, UPSTREAM, Refined, mark, read_refined, refined
from truespec.benchmark.respecbench import COUNTS, Chosen, choose
from truespec.benchmark.task import Origin, Task


@pytest.fixture(scope="module")
def regex() -> Chosen:
    return choose("regex", needs.sources("."))


def test_every_selected_pattern_has_a_statement_of_ours(regex: Chosen) -> None:
    texts = read_refined().texts
    assert {mark(task.oracle) for task in regex.tasks} == set(texts)
    assert len(texts) == COUNTS["regex"]
    assert regex.notes == (f"200 of 200 statements are refined; upstream's stands in {UPSTREAM!r}",)


def test_no_statement_repeats_its_oracle_or_upstream(regex: Chosen) -> None:
    for task in regex.tasks:
        assert re.fullmatch(r"\.|dog", task.oracle) or task.oracle not in task.statement, task.id
        assert not re.search(r"[\[\]{}*+&~|^$\\]|\.\*", task.statement), f"{task.id}: no symbols of patterns"
        upstream = str(task.extra[UPSTREAM]).lower().strip(" .")
        assert upstream
        assert upstream not in task.statement.lower(), task.id


def test_texts_are_plain_sentences() -> None:
    known = read_refined()
    for key, text in known.texts.items():
        assert re.fullmatch(rf"[0-9a-f]{{{DIGITS}}}", key)
        assert re.fullmatch(r"['A-Z][^\"\n]*\.", text), text
    for term in known.terms:
        assert any(re.search(term, text) for text in known.texts.values()), f"{term} is used"


@pytest.mark.parametrize(
    ("text", "defined"),
    [
        ("A capital letter occurs.", ["capital"]),
        ("A capital letter or another letter occurs.", ["capital", "letter"]),
        ("All are letters.", ["letter"]),
        ("It is a capital vowel.", ["capital", "vowel"]),
        ("It is a lower-case vowel.", ["lower", "vowel"]),
        ("It has a digit, and 'dog' follows later.", ["later", "digit", "quoted"]),
        ("It is empty.", []),
    ],
)
def test_the_terms_of_a_text_are_defined(text: str, defined: list[str]) -> None:
    starts = {
        "later": '"Later" means', "capital": "A capital letter is", "lower": "A lower-case letter is",
        "letter": "A letter is", "vowel": "A vowel is", "digit": "A digit is", "quoted": "A quoted word",
    }  # fmt: skip
    known = read_refined()
    statement = Refined(known.opening, known.terms, {mark("x"): text}).statement("x")
    assert statement is not None
    assert statement.startswith(f"{known.opening} {text}")
    assert [name for name, start in starts.items() if start in statement] == defined


def test_a_pattern_without_a_statement_keeps_its_own() -> None:
    task = Task("t", "regex", "As published.", {"dialect": "deepregex"}, "abc", Origin("nl-rx", ""))
    assert refined(task) is task
