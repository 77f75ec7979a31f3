"""Mistakes planted in the regex domain: each must be found by the differential test or by the re-check."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from domains.regex import differential, random_patterns
from truespec.automata import arena, terms
from truespec.automata.derivatives import Stepper
from truespec.domains.regex import python_dialect, verify
from truespec.domains.regex.parse import Context
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Proof, Undecided, equivalent


def union_forgets(self: Any, items: Any) -> Any:
    distinct = tuple(dict.fromkeys(items))
    return self._union(distinct[:-1] if len(distinct) > 3 else distinct) if distinct else self.none


def star_without_empty(self: Any, body: Any, least: int, most: int | None) -> Any:
    return COUNT(self, body, 1 if least == 0 and most is None else least, most)


def boundary_flipped(word: Any, holds: bool) -> Any:
    return BOUNDARY(word, not holds)


def shift_forgotten(self: Any, term: Any) -> Any:
    return {term: self.arena.full}


def condition_dropped(self: Any, term: Any) -> Any:
    return self.arena.all if term.empty == terms.DEPENDS else WHEN(self, term)


def included_too_often(self: Any, large: Any, small: Any) -> bool:
    return True


COUNT, BOUNDARY, WHEN = arena.Arena.count, python_dialect.boundary, Stepper.when_empty

MISTAKES: list[tuple[Any, str, Callable[..., Any]]] = [
    (arena.Arena, "union_of", union_forgets),
    (arena.Arena, "count", star_without_empty),
    (python_dialect, "boundary", boundary_flipped),
    (Stepper, "shift", shift_forgotten),
    (Stepper, "when_empty", condition_dropped),
    (arena.Arena, "_includes_anew", included_too_often),
]


@pytest.mark.parametrize(
    ("owner", "name", "mistake"), MISTAKES, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_planted_mistake_is_found(
    owner: Any, name: str, mistake: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, mistake)
    verify._engine.cache_clear()
    rng = random.Random(7)
    strings = differential.words("ab ", 4)
    try:
        for _ in range(3000):
            text = random_patterns.python(rng, rng.randint(1, 7))
            try:
                found = differential.first_difference(text, Context(), strings)
            except (Undecided, ValueError, re.error):
                continue
            if found is not None:
                return
    finally:
        monkeypatch.undo()
        verify._engine.cache_clear()
    pytest.fail(f"3000 random patterns do not notice {mistake.__name__}")


def test_a_wrong_proof_does_not_survive_the_recheck() -> None:
    """The certificate of one pair put to another pair, and certificates with one bit or one step changed."""
    regex = load("regex")
    verdict = verify_pair(Pair("regex", "(?:a(?=b)|b)*", "(?:ab|b)*", {}), 5)
    assert isinstance(verdict.evidence, Proof)
    certificate: Any = verdict.evidence.certificate

    def status(oracle: str, candidate: str, changed: Any) -> str:
        proof = Proof("bisimulation", ("nobody",), certificate=changed)
        forged = equivalent("regex", "derivatives", proof)
        return regex.recheck(oracle, candidate, {}, forged, Limit.start(20)).status.value

    assert status("(?:a(?=b)|b)*", "(?:ab|b)*", certificate) == "confirmed"
    assert status("(?:a(?=b)|b)*", "(?:ab|b)+", certificate) == "failed"
    assert status("(?:a(?=c)|b)*", "(?:ab|b)*", certificate) == "failed"
    for position in range(len(certificate["accepting"])):
        changed = copy.deepcopy(certificate)
        changed["accepting"][position] ^= 1
        assert status("(?:a(?=b)|b)*", "(?:ab|b)*", changed) == "failed"
    changed = copy.deepcopy(certificate)
    changed["steps"][0] = [(target + 1) % len(changed["steps"]) for target in changed["steps"][0]]
    assert status("(?:a(?=b)|b)*", "(?:ab|b)*", changed) == "failed"
    assert status("a", "a", {"kind": "automaton", "blocks": [], "accepting": [], "steps": []}) == "failed"
