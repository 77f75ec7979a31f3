"""Deciding a pair of patterns by derivatives, and replaying what was found."""

from __future__ import annotations

from functools import cache

from truespec.automata import (
    Engine,
    Expression,
    Outcome,
    Repeat,
    Sequence,
    Symbol,
    compare,
    included,
    sampling,
)
from truespec.automata.compile import nothing
from truespec.domains.regex import plain, python_dialect, replay
from truespec.domains.regex.certificate import certify
from truespec.domains.regex.characters import ASCII, UNICODE, Characters, CodePoints
from truespec.domains.regex.parse import Context
from truespec.domains.regex.syntax import Pattern, deep_stack
from truespec.solvers.limit import Limit
from truespec.verdict import (
    JSON,
    Counterexample,
    Incomplete,
    OutOfTime,
    Proof,
    Relation,
    Undecided,
    Verdict,
    equivalent,
    refuted,
)

METHOD = "derivatives"
_EXPLORING = 0.6
"""The share of the limit after which sampling takes over from exploring."""
_SAMPLES = 200
_ANYTHING = Repeat(Symbol(None), 0, None)


def fresh_engine(alphabet: str) -> Engine[CodePoints, str]:
    """An engine that knows no pattern yet, for `ascii` or `unicode`."""
    return Engine(Characters(ASCII if alphabet == "ascii" else UNICODE))


_engine = cache(fresh_engine)
"""The engine that the pairs of this process share; its blocks of letters get finer with each pair."""


class Question:
    """Two patterns compiled over the blocks of letters that they tell apart."""

    def __init__(
        self,
        oracle: Pattern,
        candidate: Pattern,
        context: Context,
        limit: Limit | None = None,
        engine: Engine[CodePoints, str] | None = None,
    ) -> None:
        self.engine = engine or _engine(context.alphabet)
        self.wrapped = [_wrapped(pattern.expression, context) for pattern in (oracle, candidate)]
        self.oracle, self.candidate = self.engine.terms(self.wrapped, limit.check if limit else nothing)
        self.stepper = self.engine.stepper

    def string(self, word: tuple[int, ...]) -> str:
        """The word with the most readable letter of each block."""
        return "".join(self.engine.letters(word))


def _wrapped(expression: Expression, context: Context) -> Expression:
    if context.match == "search":
        return Sequence((_ANYTHING, expression, _ANYTHING))
    return expression


def decide(oracle: Pattern, candidate: Pattern, context: Context, limit: Limit) -> Verdict:
    """Compare two patterns: a proof by bisimulation, or a shortest string that separates them."""
    try:
        return _decide(oracle, candidate, context, limit)
    except Undecided:
        raise
    except BaseException:
        # A stack or memory that ran out may have left a half-built term behind: start afresh.
        _engine.cache_clear()
        raise


def _decide(oracle: Pattern, candidate: Pattern, context: Context, limit: Limit) -> Verdict:
    with deep_stack():
        question = Question(oracle, candidate, context, limit)
        notes: dict[str, JSON] = {}
        try:
            outcome = compare(
                question.stepper, question.oracle, question.candidate, limit.portion(_EXPLORING).check
            )
        except OutOfTime:
            outcome = _sampled(question, limit)
            notes["shortest"] = False
        if outcome.word is None:
            trusts = ("truespec's parser", "truespec's derivatives")
            certificate = certify(question.engine, question.oracle, limit.check)
            return equivalent("regex", METHOD, Proof("bisimulation", trusts, certificate=certificate))
        string = question.string(outcome.word)
        values, by = replayed(oracle.text, candidate.text, context, string, limit)
        if values != (outcome.in_left, not outcome.in_left):
            raise Incomplete(
                f"the string {string!r} separates the two by derivatives, but {by} yields {values[0]} for "
                f"the oracle and {values[1]} for the candidate; please report this pair"
            )
        point = Counterexample({"string": string}, values[0], values[1], by, notes)
        return refuted("regex", METHOD, point, _relation(question, outcome.in_left, limit))


def _sampled(question: Question, limit: Limit) -> Outcome:
    """A separating word made from the shape of either side, not a shortest one; `OutOfTime` without one."""
    sides = (question.oracle, question.candidate)
    tries = [sampling.various(side, seed, _SAMPLES) for seed, side in enumerate(sides) if side.positive]
    for word in (word for words in zip(*tries, strict=False) for word in words):
        limit.check()
        in_oracle, in_candidate = (
            sampling.contains(question.stepper, side, word, limit.check) for side in sides
        )
        if in_oracle is not in_candidate:
            return Outcome(tuple(letter.bit_length() - 1 for letter in word), in_oracle, 0)
    raise OutOfTime(f"no decision within {limit.seconds:g} s")


def _relation(question: Question, oracle_has_more: bool, limit: Limit) -> Relation | None:
    small, large = question.candidate, question.oracle
    if not oracle_has_more:
        small, large = large, small
    try:
        within = included(question.stepper, small, large, limit.check)
    except OutOfTime:
        return None
    if not within:
        return Relation.INCOMPARABLE
    return Relation.STRONGER if oracle_has_more else Relation.WEAKER


def replayed(
    oracle: str, candidate: str, context: Context, string: str, limit: Limit
) -> tuple[tuple[bool, bool], str]:
    """What both texts say of a string, and who says so; `Incomplete` where two semantics disagree."""
    values = []
    by = []
    for text in (oracle, candidate):
        answers: dict[str, bool] = {}
        if context.dialect == "python":
            seconds = min(1.0, limit.remaining() / 4)
            answer = replay.python_accepts(text, context.flags, string, context.match, seconds)
            if answer is not None:
                answers[python_dialect.VERSION] = answer
        try:
            tree = plain.read(
                text, context.dialect, context.flags, context.boundary, context.alphabet == "ascii"
            )
            answers[replay.MATCHER] = replay.Matcher(string).accepts(tree, context.match)
        except Incomplete:
            if not answers:
                raise
        if len(set(answers.values())) != 1:
            raise Incomplete(f"{string!r} against {text!r}: {answers}; please report this pair")
        values.append(next(iter(answers.values())))
        by.append(" and ".join(answers))
    names = by[0] if by[0] == by[1] else f"{by[0]} (oracle); {by[1]} (candidate)"
    return (values[0], values[1]), names
