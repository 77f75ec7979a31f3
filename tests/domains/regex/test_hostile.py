"""Texts that mean harm: none may crash, hang past its limit, or be decided wrongly."""

from __future__ import annotations

import pytest

from truespec.automata import arena
from truespec.domains.regex import verify
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer

HOSTILE = [
    "(" * 100_000,
    "(" * 100_000 + ")" * 100_000,
    "(?:" * 900 + "a" + ")" * 900,
    "(?=" * 500 + "a" + ")" * 500,
    "a" * 60_000,
    "a?" * 2_000 + "a" * 10,
    "(?:a|b)" * 2_000,
    "a{999999999}",
    "a{99999999999999999999}",
    "(?:(?:(?:a{1000}){1000}){1000}){1000}",
    "(?:a{1,500}b?){1,500}",
    "[" + "".join(map(chr, range(0x100, 0x3000, 2))).replace("]", "") + "]",
    r"(?i)[\x00-\U0010ffff]",
    "(?i)" + "[À-ɏ]" * 50,
    "[" * 10_000,
    "\\" * 9_999,
    "a**b++c??" * 100,
    "|" * 20_000,
    "(?:|)" * 500 + "*",
    "\ud800\udfff",
    "\x00" * 100,
    "(?P<x>a)" * 200,
    "(?x)" + " #\n" * 5_000,
    "(?:(?:a*)*)*" * 50 + "b",
    "(?:a|a)*" * 100 + "b",
    "~" * 20_000,
    "&" * 1_000,
    "a{,}" * 1_000,
    "{" * 5_000,
    "(.*a.{30})|(.*b.{30})",
]


@pytest.mark.parametrize("dialect", ["python", "deepregex"])
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_candidate_ends_in_an_answer(number: int, dialect: str) -> None:
    verdict = verify_pair(Pair("regex", "ab?", HOSTILE[number], {"dialect": dialect}), 2)
    assert verdict.answer is not Answer.EQUIVALENT
    if verdict.reason:
        assert verdict.reason.code.value in ("syntax", "unsupported", "timeout", "incomplete", "memory")
    again = verify_pair(Pair("regex", HOSTILE[number], "ab?", {"dialect": dialect}), 2)
    assert again.answer in (Answer.UNKNOWN, Answer.REFUTED)


def test_catastrophic_backtracking_of_re_is_contained() -> None:
    verdict = verify_pair(Pair("regex", "(?:a|a|aa)*" + "a" * 40, "a{40,}b?(?<!b)|(?:a|a|aa)*b{50}", {}), 4)
    assert verdict.answer is Answer.REFUTED
    assert "matcher" in verdict.evidence.to_json()["replayed_by"]  # type: ignore[union-attr, operator]


def test_a_stack_that_runs_out_leaves_no_half_built_term(monkeypatch: pytest.MonkeyPatch) -> None:
    before = verify._engine("unicode")

    def runs_out(*_: object) -> None:
        raise RecursionError

    with monkeypatch.context() as planted:
        planted.setattr(arena, "inherit", runs_out)
        verdict = verify_pair(Pair("regex", "(?:never|seen)+before", "x", {}), 60.0)
    assert verdict.reason
    assert verdict.reason.code.value == "memory"
    assert verify._engine("unicode") is not before
    assert verify_pair(Pair("regex", "(?:never|seen)+before", "x", {}), 60.0).answer is Answer.REFUTED
