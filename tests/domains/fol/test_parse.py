"""Positions and advice of syntax errors, and the agreement of the two parsers."""

from __future__ import annotations

from typing import Any

import pytest

import needs
from cases import cases
from truespec.benchmark.sources.folio import V0, rows_v0
from truespec.benchmark.sources.linc import answers
from truespec.domains.fol.parse import MAX_NESTING, parse
from truespec.domains.fol.recheck.reader import Node, read
from truespec.domains.fol.syntax import (
    All,
    And,
    Atom,
    Equal,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Some,
    Xor,
)
from truespec.domains.fol.write import write
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import SpecificationError, TruespecError, Unsupported

ERRORS = [
    ("∀x (P(x) → Q(x)", 4, "never closed"),
    ("P(a))", 5, "closes nothing"),
    ("P(l-2021)", 4, "hyphen inside the name 'l-2021'"),
    ("Owns(a, y42.3billion)", 12, "dot inside the name 'y42.3billion'"),
    ("P(a), Q(a)", 5, "write ∧"),
    ("P(captain america)", 11, "two names in a row, 'captain' 'america'"),
    ("P(a) Q(a)", 6, "missing before it"),
    ("P(a) ∧", 7, "the formula ends where a formula is expected"),
    ("∀x, y R(x, y)", 3, "write ∀x ∀y"),
    ("∃!x P(x)", 2, "there is no ∃!"),
    ("P(f(a))", 3, "no functions"),
    ("a = b = c", 7, "do not chain"),
    ("P(a).", 5, "a dot may only follow a quantified variable"),
    ("a > b", 3, "there is no order"),
    ("∀x [P(x)]", 4, "group with ( and )"),
    ("P(a’s)", 4, "drop the apostrophe"),
    ("P(x)", 3, "the variable x is free"),
    ("∀x (P(x)) → Q(x)", 15, "the variable x is free"),
    ("∀x (x → P(x))", 5, "is a variable"),
    ("", 1, "empty"),
    ("P(a)\n∧ (Q(a)", 3, "never closed"),
    ("P(\ud800)", 3, r"'\ud800'"),
]


@pytest.mark.parametrize(("text", "column", "advice"), ERRORS)
def test_an_error_says_where_and_what_to_do(text: str, column: int, advice: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse(text)
    assert caught.value.place is not None
    assert caught.value.place.column == column
    assert advice in caught.value.message
    caught.value.message.encode("utf-8")


def test_nesting_is_bounded_on_every_path() -> None:
    for text in ("(" * 500 + "P" + ")" * 500, "¬" * 500 + "P", "∀x " * 500 + "P(x)", "P → " * 500 + "P"):
        with pytest.raises(Unsupported, match=str(MAX_NESTING)):
            parse(text)


NEAR = [
    ("likes(anna, bob)", "did you mean 'Likes'? Names are case-sensitive"),
    ("Lkes(anna, bob)", "did you mean 'Likes'?"),
    ("Likes(anna)", "takes 2 arguments, not 1"),
    ("Likes(anna, Bob)", "did you mean 'bob'? Names are case-sensitive"),
    ("Likes(anna, bobb)", "did you mean 'bob'?"),
    ("anna(bob)", "'anna' is a constant here"),
    ("Likes(Likes, bob)", "'Likes' is a predicate here"),
    ("Zzz(anna)", "the predicates are Likes"),
]


@pytest.mark.parametrize(("candidate", "advice"), NEAR)
def test_a_name_outside_the_signature_gets_a_hint(candidate: str, advice: str) -> None:
    verdict = verify_pair(Pair("fol", "Likes(anna, bob)", candidate), 20.0)
    assert verdict.reason is not None
    assert verdict.reason.code.value == "scope"
    assert advice in verdict.reason.detail


def as_node(formula: Formula) -> Node:
    """The formula as the second parser's tree, bound variables by the order of their quantifiers."""
    match formula:
        case Atom(name, terms):
            return ("atom", name, terms)
        case Equal(left, right):
            return ("equal", left, right)
        case Not(body):
            return ("not", as_node(body))
        case All(number, body):
            return ("all", number, as_node(body))
        case Some(number, body):
            return ("some", number, as_node(body))
        case Implies(left, right):
            return ("implies", as_node(left), as_node(right))
    kind = {And: "and", Or: "or", Xor: "xor", Iff: "iff"}[type(formula)]
    return (kind, tuple(as_node(part) for part in formula.parts))


def numbered(node: Node, scope: dict[str, int], counter: list[int]) -> Node:
    """The second parser's tree with bound variables numbered in the same way."""

    def name(word: str) -> Any:
        return scope.get(word, word)

    match node:
        case ("atom", predicate, names):
            return ("atom", predicate, tuple(name(one) for one in names))
        case ("equal", left, right):
            return ("equal", name(left), name(right))
        case ("not", body):
            return ("not", numbered(body, scope, counter))
        case ("all" | "some" as kind, word, body):
            counter[0] += 1
            number = counter[0] - 1
            return (kind, number, numbered(body, {**scope, word: number}, counter))
        case ("implies", left, right):
            return ("implies", numbered(left, scope, counter), numbered(right, scope, counter))
    return (node[0], tuple(numbered(part, scope, counter) for part in node[1]))


def agree(text: str) -> bool:
    """Whether the text is well formed; asserts that both parsers build the same tree."""
    try:
        parsed = parse(text)
    except TruespecError:
        return False
    assert numbered(read(text), {}, [0]) == as_node(parsed.formula), text
    again = parse(write(parsed.formula))
    assert as_node(again.formula) == as_node(parsed.formula), text
    return True


def test_both_parsers_agree_on_the_case_tables() -> None:
    texts = [text for case in cases("fol") for text in (case.oracle, case.candidate)]
    assert sum(agree(text) for text in texts) > 200


def test_both_parsers_agree_on_published_formulas() -> None:
    home = needs.sources("fol")
    texts = [
        row[2].strip() for name in V0.values() for row in rows_v0(home / "folio_v0" / name) if len(row) == 3
    ]
    assert sum(agree(text) for text in set(texts)) > 1_500
    path = next((home / "linc").glob("*8shot_generations_raw.json"))
    recorded = {answer.formula for answer in answers(path) if hasattr(answer, "formula")}
    assert sum(agree(text) for text in sorted(recorded)[:1_500]) > 1_000
