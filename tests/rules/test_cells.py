"""Cells of events are a partition, and claims about rules hold of traces: a sample of `benchmarks cells`."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

import pytest
from benchmarks._rule_draws import NUMBERS, Draw
from benchmarks.cells import attack_cells, attack_claims

from truespec.rules import algebra, compare, strings, values
from truespec.rules.algebra import cells, document_at
from truespec.rules.documents import copied
from truespec.rules.predicate import argument_test, values_at
from truespec.rules.reading import read_predicate
from truespec.verdict import Incomplete, OutOfTime


def test_every_event_lies_in_exactly_one_cell_with_its_own_truth_values() -> None:
    assert attack_cells(seed=71, wanted=5_000) == []


def test_claims_about_rules_hold_of_traces() -> None:
    assert attack_claims(seed=72, wanted=120) == []


def test_a_class_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attacks see what they are for: classes of texts and of values that are forgotten."""
    whole = strings.representatives
    monkeypatch.setattr(strings, "representatives", lambda *asked: whole(*asked)[:-1] or ("",))
    assert attack_cells(seed=73, wanted=3_000)
    monkeypatch.setattr(strings, "representatives", whole)
    for name in ("_fraction_between", "_whole_between"):
        with monkeypatch.context() as patched:
            patched.setattr(values, name, lambda *_: None)
            assert values_without_class(seed=1)
    monkeypatch.setattr(values, "_arrays", lambda *_: [])
    assert values_without_class(seed=2)


def is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def values_without_class(seed: int) -> list[object]:
    """Values that meet other conditions than every representative, of random conditions on one value."""
    draw = Draw(seed)
    lost: list[object] = []
    for round_ in range(400):
        if round_ % 40 == 0:
            draw.fresh()
            draw.values += NUMBERS
        asked = [
            (op, v) for _ in range(3) for op, v in draw.operand().items() if op not in ("exists", "schema")
        ]
        plain = [v if is_plain(v) else ("json", json.dumps(v)) for _, v in asked]
        tests = [argument_test(op, v) for (op, _), v in zip(asked, plain, strict=True)]
        found = values.representatives(asked, lambda: None)
        classes = {tuple(test(value) for test in tests) for value in found}
        for _ in range(60):
            value = draw.beside(draw.rng.choice([*draw.values, *found]))
            if tuple(test(value) for test in tests) not in classes:
                lost.append((asked, value))
    return lost


def test_every_value_meets_the_conditions_of_one_representative() -> None:
    assert values_without_class(seed=3) == []


def test_a_wrong_claim_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = algebra.cells
    monkeypatch.setattr(compare, "_known_cells", {})
    monkeypatch.setattr(compare, "cells", lambda *asked: whole(*asked)[1:])
    assert attack_claims(seed=75, wanted=120)


LETTERS = "Σσςs ſAi\u0307İIı.'\nK\u212ak\u0345\ud800"


def _holds(language: strings.Language, text: str) -> bool:
    tag = language[0]
    if tag == "search":
        return re.search(language[1], text, language[2]) is not None
    tests: dict[str, Callable[[], bool]] = {
        "folded": lambda: language[1] in text.lower(),
        "part": lambda: language[1] in text,
        "above": lambda: text > language[1],
        "longer": lambda: len(text) >= language[1],
        "says": lambda: bool(text) and not text.isspace(),
    }
    return tests[tag]()


def test_languages_mean_what_python_says_of_texts() -> None:
    rng = random.Random(1)

    def word(most: int) -> str:
        return "".join(rng.choices(LETTERS, k=rng.randrange(most)))

    for _ in range(150):
        options: list[strings.Language] = [
            ("folded", word(4).lower()), ("folded", word(3).lower()), ("part", word(3)), ("above", word(3)),
            ("longer", rng.randrange(4)), ("says",), ("search", re.escape(word(3)) + "$", int(re.IGNORECASE)),
        ]  # fmt: skip
        languages = rng.sample(options, rng.randrange(1, 4))
        constants = [word(3)]
        found = strings.representatives(constants, languages, lambda: None)[1:]
        classes = [tuple(_holds(language, text) for language in languages) for text in found]
        assert len(set(classes)) == len(classes)
        for _ in range(60):
            text = word(6)
            assert text in constants or tuple(_holds(language, text) for language in languages) in classes


@pytest.mark.parametrize(
    ("path", "found"),
    [("x", [1]), ("x.a", [1]), ("x.0", [1]), ("*", [1, 2]), ("x.*", [1, 2]), ("l.*.id", [1, 2]),
     ("a*.b", [1, 2]), ("l.30.id", [1]), ("0", [1]), ("*.*", [1, 2])],
)  # fmt: skip
def test_documents_hold_the_values_at_their_path(path: str, found: list[int]) -> None:
    assert values_at(document_at(path, *found), path) == found


def test_equal_values_meet_the_same_conditions() -> None:
    listed = [0, 1, 1.0, True, False, None, "1", [], [1], [1.0], [True], {}, {"a": 1}, {"a": True}, 1e400]
    for left in listed:
        for right in listed:
            if values.same(left, right):
                for kind in ("integer", "number", "boolean", "array", "object", "null", "string"):
                    assert argument_test("type", kind)(left) == argument_test("type", kind)(right)
    assert not values.same(True, 1)
    assert not values.same({"a": [True]}, {"a": [1]})
    assert values.same({"a": [1]}, {"a": [1.0]})


def test_what_is_too_much_is_given_up_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strings, "MOST_CLASSES", 3)
    with pytest.raises(Incomplete, match="classes"):
        cells([read_predicate({"text": {"contains": part}}, "") for part in ("ab", "ba")])
    with pytest.raises(Incomplete, match="length"):
        cells([read_predicate({"args": {"x": {"min_length": 10**9}}}, "")])

    def late() -> None:
        raise OutOfTime("late")

    with pytest.raises(OutOfTime):
        cells([read_predicate({"text": {"contains": "never asked before"}}, "")], check=late)


def test_a_copied_document_shares_nothing() -> None:
    document = {"a": [1, {"b": [None, True, 1.5, "x"]}], "c": {"d": {}}, "e": (1, [2])}
    made = copied(document)
    assert made == document
    made["a"][1]["b"].append(1)
    made["c"]["d"]["f"] = 1
    made["e"][1].append(3)
    assert document == {"a": [1, {"b": [None, True, 1.5, "x"]}], "c": {"d": {}}, "e": (1, [2])}
