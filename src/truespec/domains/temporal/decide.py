"""Deciding a pair of formulas, and replaying what was found by the textbook semantics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from truespec.domains.temporal.context import Context
from truespec.solvers.limit import Limit
from truespec.temporal.certificate import certify
from truespec.temporal.comparison import Outcome, compare, model, pool_of
from truespec.temporal.syntax import TRUE, Formula
from truespec.temporal.truth import REPLAY, holds
from truespec.temporal.words import Word
from truespec.verdict import (
    JSON,
    Counterexample,
    Incomplete,
    OracleError,
    Proof,
    Relation,
    Verdict,
    equivalent,
    refuted,
)

TRUSTS = ("truespec's parser", "truespec's unfolding laws and search")


def decide(oracle: Formula, candidate: Formula, context: Context, limit: Limit) -> Verdict:
    """Compare two formulas on the words in scope: a proof, or a shortest word that separates them."""
    pool = pool_of(context.atoms, context.finite)
    if context.scope != TRUE and model(pool, context.scope, limit) is None:
        raise OracleError("context: no word satisfies the assumptions and exclusive groups")
    outcome = compare(pool, oracle, candidate, context.scope, limit)
    if outcome.word is None:
        certificate = certify(
            context.atoms, context.finite, oracle, candidate, context.scope, limit.portion(0.25)
        )
        return equivalent("temporal", outcome.method, Proof(_BY[outcome.method], TRUSTS, (), certificate))
    return _refuted(oracle, candidate, context, outcome, outcome.word)


_BY = {
    "normal form": "equal normal forms",
    "automaton": "no word of the automata of either difference",
}


def _refuted(oracle: Formula, candidate: Formula, context: Context, outcome: Outcome, word: Word) -> Verdict:
    values = holds(oracle, word), holds(candidate, word)
    if values[0] is values[1] or not holds(context.scope, word):
        raise Incomplete(
            f"the word {word} was found to separate the two, but {REPLAY} does not; please report this pair"
        )
    extra: dict[str, JSON] = {"word": str(word)}
    if not outcome.shortest:
        extra["shortest"] = False
    point = Counterexample(point_of(word), *values, REPLAY, extra)
    return refuted("temporal", outcome.method, point, _relation(outcome))


def _relation(outcome: Outcome) -> Relation | None:
    """The relation of the candidate, which is right, to the oracle, which is left."""
    if outcome.only_left and outcome.only_right:
        return Relation.INCOMPARABLE
    if outcome.only_left and outcome.only_right is False:
        return Relation.STRONGER
    if outcome.only_right and outcome.only_left is False:
        return Relation.WEAKER
    return None


def point_of(word: Word) -> dict[str, JSON]:
    """A word as a record writes it."""
    letters: list[JSON] = [[*sorted(letter)] for letter in word.letters]
    if word.loop is None:
        return {"trace": letters}
    return {"stem": letters[: word.loop], "loop": letters[word.loop :]}


def word_of(point: Mapping[str, object], finite: bool) -> Word:
    """The word of a record; `ValueError` where it holds none of the logic."""
    parts = ("trace",) if finite else ("stem", "loop")
    if set(point) != set(parts):
        raise ValueError(f"a counterexample of this logic has {' and '.join(parts)}")
    letters = [[_letter(letter) for letter in _list(point[part])] for part in parts]
    if not letters[-1]:
        raise ValueError(f"the {parts[-1]} is empty")
    flat = tuple(letter for part in letters for letter in part)
    return Word(flat, None if finite else len(letters[0]))


def _letter(value: object) -> frozenset[str]:
    return frozenset(str(name) for name in _list(value))


def _list(value: object) -> Iterable[object]:
    if not isinstance(value, list):
        raise ValueError("a position is a list of the atoms that hold")
    return value
