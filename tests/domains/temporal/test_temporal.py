"""The domain's texts, messages, records and second provers."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import needs
from temporal.temporal_formulas import draw
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.temporal import plain, provers
from truespec.domains.temporal.parse import parse_infix, parse_prefix
from truespec.domains.temporal.tokens import SPELLINGS
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.temporal.syntax import PAST, TRUE, parts, write, write_prefix
from truespec.verdict import Answer, OracleError, SpecificationError, Unsupported, Verdict


def verdict(oracle: str, candidate: str, **context: Any) -> Verdict:
    return verify_pair(Pair("temporal", oracle, candidate, context), 20.0)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a U b U c", "a U (b U c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a & b | c", "(a & b) | c"),
        ("a | b xor c -> d <-> e", "(((a | b) xor c) -> d) <-> e"),
        ("G a U b", "(G a) U b"),
        ("!a U b & c", "((!a) U b) & c"),
        ("a S b T c", "a S (b T c)"),
        (r"$\neg a \lor \bigcirc b$", "!a | X b"),
        (r"\mathbf{G} \left( a \mathcal{U} b \right)", "G (a U b)"),
        ("□(p → ◇q) ∧ ⊤", "G (p -> F q) & true"),
        ("[]a && <>b || ~c", "(G a & F b) | !c"),
        ("not a and b or c implies d iff e", "(((!a & b) | c) -> d) <-> e"),
        ('F "red light"', 'F "red light"'),
        ("F Ga", "F Ga"),
        ("GF a -> XX(b)", "G F a -> X X b"),
        ('F "GF"', 'F "GF"'),
        ("[a | b] & {c}", "(a | b) & c"),
    ],
)
def test_spellings_and_precedence(text: str, meaning: str) -> None:
    assert parse_infix(text) == parse_infix(meaning)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a &", "the formula ends: expected an atom, a unary operator or '(' (at column 4)"),
        ("a b", "unexpected 'b': expected an operator or the end of the formula (at column 3)"),
        ("(a", "the formula ends: expected ')' for the '(' at column 1 (at column 3)"),
        ("(a]", "unexpected ']': the bracket '(' is closed by another kind (at column 3)"),
        ("U a", "'U' is a binary operator, and an atom of that name stands in quotes (at column 1)"),
        (r"a \foo b", r"unknown command '\\foo': expected an operator, an atom or a bracket (at column 3)"),
        ("F 3", "unknown number '3': expected an operator, an atom or a bracket (at column 3)"),
        ("a\n& §", "unexpected '§': expected an operator, an atom or a bracket (at line 2, column 3)"),
        ("", "the formula is empty"),
    ],
)
def test_slips_are_named_with_their_place(text: str, told: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_infix(text)
    assert str(caught.value).endswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("F a & F b", "the formula ends: '&' needs 2 operands (at column 5)"),
        ("U a b c", "unexpected 'c': the formula ended before it (at column 7)"),
        ("U ! a 1", "that begins with a small letter (at column 7)"),
        ("& F a", "the formula ends: '&' needs 2 operands (at column 1)"),
    ],
)
def test_prefix_is_strict(text: str, told: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_prefix(text)
    assert str(caught.value).endswith(told)


def test_deep_formulas_are_refused_and_long_ones_read() -> None:
    with pytest.raises(Unsupported):
        parse_infix("(" * 100_000 + "a" + ")" * 100_000)
    with pytest.raises(Unsupported):
        parse_prefix("! " * 100_000 + "a")
    with pytest.raises(Unsupported):
        parse_infix(" -> ".join(["a"] * 1000))
    assert len(parse_infix(" & ".join(f"a{n}" for n in range(5000))).items) == 5000
    assert verdict("!" * 150 + "F a", "F a").answer is Answer.EQUIVALENT


def test_both_readers_and_both_writers_agree() -> None:
    chance = random.Random(5)
    for _ in range(300):
        formula = draw(chance, chance.randint(1, 14), "abc", True, True)
        text = write(formula)
        again = parse_infix(text)
        assert write(again) == text
        assert write(plain.read(text, "infix")) == text
        prefixed = write_prefix(parse_prefix(write_prefix(again)))
        assert write_prefix(parse_prefix(prefixed)) == prefixed
        # Chains of one operator may nest differently: what they say is what counts.
        for other in (plain.read(text, "infix"), plain.read(prefixed, "prefix")):
            assert verdict(text, write(other)).answer is Answer.EQUIVALENT
    for op, line in SPELLINGS.items():
        for spelling in line.split():
            if op not in "()":
                left = "a " if op in ("&", "|", "xor", "->", "<->", *"URWMSTB") else ""
                right = "" if op in ("true", "false") else " b"
                text = f"{left}{spelling}{right}"
                assert write(parse_infix(text)) == write(plain.read(text, "infix")), text


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ({"logic": "ctl"}, "'logic' is 'ctl', expected one of ltlf, ltl"),
        ({"atoms": "a"}, "'atoms' is a list of strings"),
        ({"assumptions": ["F"]}, "assumption 1: the formula ends"),
        ({"exclusive": [["a", "z"]]}, "exclusive group 1: 'z' is not an atom"),
        ({"exclusive": ["a"]}, "'exclusive' is a list of strings"),
    ],
)
def test_a_wrong_context_is_named(context: dict[str, Any], told: str) -> None:
    with pytest.raises(OracleError, match=re.escape(told)):
        load("temporal").read_context(context, "a")


def test_a_scope_error_offers_the_nearest_atom() -> None:
    found = verdict("G (door_open -> F alarm)", "F alrm")
    assert found.reason
    assert "did you mean 'alarm'?" in found.reason.detail


def test_a_lasso_is_recorded_as_stem_and_loop() -> None:
    found = verdict("F G a", "a & F G a", logic="ltl").to_json()
    evidence: Any = found["evidence"]
    assert evidence["counterexample"] == {"stem": [[]], "loop": [["a"]]}
    assert evidence["word"] == "{} ({a})^w"
    assert found["relation"] == "stronger"


def test_recheck_fails_what_does_not_replay() -> None:
    domain = load("temporal")
    found: dict[str, Any] = verdict("F a", "G a").to_json()
    points: tuple[Any, ...] = (
        {"trace": []},
        {"trace": [["a"]]},
        {"stem": [], "loop": [["a"]]},
        {"trace": [["z"], []]},
    )
    for point in points:
        lie = Verdict.from_json({**found, "evidence": {**found["evidence"], "counterexample": point}})
        checked = domain.recheck("F a", "G a", {}, lie, Limit.start(60.0))
        assert checked.status is RecheckStatus.FAILED
    proof = verdict("a U b", "b | (a & X (a U b))")
    checked = domain.recheck("a U b", "b | (a & N (a U b))", {}, proof, Limit.start(60.0))
    assert checked.status is RecheckStatus.FAILED


@pytest.mark.live
@pytest.mark.parametrize("finite", [True, False])
def test_second_provers_agree(finite: bool) -> None:
    """MONA with past on finite traces, lbt without past on infinite words."""
    needs.tool("mona")
    needs.tool("lbt")
    chance = random.Random(7)
    domain = load("temporal")
    seen = {True: 0, False: 0}
    context = {"logic": "ltlf" if finite else "ltl", "atoms": ["a", "b"]}
    for _ in range(60):
        oracle = write(draw(chance, chance.randint(2, 9), "ab", finite, past=finite))
        texts = [*domain.mutants(oracle, context), *domain.rewritings(oracle, context)]
        candidate = chance.choice(texts)
        left, right = parse_infix(oracle), parse_infix(candidate)
        assert finite or not any(part.op in PAST for part in parts(left))
        equal = verdict(oracle, candidate, **context).answer is Answer.EQUIVALENT
        prover = provers.mona_equal if finite else provers.lbt_equal
        assert prover(left, right, TRUE, Limit.start(20.0)) is equal, (oracle, candidate)
        seen[equal] += 1
    assert min(seen.values()) > 5


@pytest.mark.live
def test_a_proof_whose_certificate_was_left_out_is_proved_again() -> None:
    needs.tool("mona")
    found = verdict("F (a & O b)", "F (a & (true S b))").to_json()
    evidence: Any = found["evidence"]
    evidence["proof"]["certificate"] = {"kind": "omitted", "reason": "more than 400 states"}
    read = Verdict.from_json(found)
    domain = load("temporal")
    checked = domain.recheck("F (a & O b)", "F (a & (true S b))", {}, read, Limit.start(20.0))
    assert (checked.status, checked.by) == (RecheckStatus.CONFIRMED, "mona")
    checked = domain.recheck("F (a & O b)", "F (b & O a)", {}, read, Limit.start(20.0))
    assert checked.status is RecheckStatus.FAILED


def test_an_equivalence_under_contradictory_assumptions_fails() -> None:
    found = verdict("a U b", "b | (a & X (a U b))")
    context = {"assumptions": ["F a", "G !a"]}
    checked = load("temporal").recheck("a U b", "b | (a & X (a U b))", context, found, Limit.start(60.0))
    assert (checked.status, checked.detail) == (RecheckStatus.FAILED, "no word satisfies the assumptions")


def test_the_command_line_shows_the_word() -> None:
    from truespec.cli.common import describe

    lines = describe(verdict("F G a", "a & F G a", logic="ltl")).splitlines()
    assert lines[1:3] == ['  counterexample  {"stem": [[]], "loop": [["a"]]}', "  as a word       {} ({a})^w"]
