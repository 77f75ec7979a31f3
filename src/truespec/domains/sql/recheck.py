"""Re-checking: counterexamples run again on the engine; proofs followed along their trace with cvc5.

A certificate lists, in order, which statements the prover needed and which it tried in vain: for each part
that was proved first, and for the rest. The checker
reads both queries again and follows the trace: it searches nothing, asks Z3 nothing, and accepts a step only
where cvc5 proves it. It shares the reading of SQL as bags with the prover, as the proof's `trusts` says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

from truespec.domains.contract import Recheck, RecheckStatus
from truespec.domains.sql.compile.parts import marked
from truespec.domains.sql.context import Context
from truespec.domains.sql.ir.logic import Formula
from truespec.domains.sql.ir.world import DENIED, PROVED, World
from truespec.domains.sql.prove.parts import Trees, Views, proved, recorded
from truespec.domains.sql.prove.proof import prove_in
from truespec.domains.sql.refute.replay import replay, replay_allowed
from truespec.domains.sql.renamed import same_but_for_names
from truespec.domains.sql.text.query import read_query, rendered
from truespec.domains.sql.written import same_words
from truespec.solvers.limit import Limit
from truespec.verdict import (
    JSON,
    Answer,
    Counterexample,
    Incomplete,
    Proof,
    Relation,
    Undecided,
    Verdict,
)


class Trail(World):
    """A world in which a statement holds where the trace says so and cvc5 agrees."""

    trace = ""
    position = 0

    def _next(self) -> bool:
        if self.position >= len(self.trace):
            raise Incomplete("the trace ends before the proof does")
        said = self.trace[self.position]
        self.position += 1
        self.denied = said == DENIED
        return said == PROVED

    def known(self, proved: bool, denied: bool = False) -> bool:
        """A step that needs no solver: the trace may still say that the prover went another way."""
        return self._next() and proved

    def excluded(self, parts: Iterable[Formula]) -> bool:
        """What the trace says: it only leaves out what is not worth a proof."""
        return self._next()

    def decided(self, assumption: Formula, goal: Formula, effort: int) -> bool:
        """Follow the next step of the trace."""
        if not self._next():
            return False
        solver = z3.Solver()
        solver.add(*self.axioms([assumption, goal]), assumption, z3.Not(goal))
        if not _unsatisfiable(solver.to_smt2(), self.limit):
            raise Incomplete(f"cvc5 does not prove step {self.position} of the trace")
        return True


_PATTERNS = {"e-matching": "true"}
_LATE = {"inst-when": "last-call"}
WAYS: tuple[dict[str, str], ...] = (
    _PATTERNS,
    _PATTERNS | _LATE,
    _PATTERNS | {"multi-trigger-cache": "true"},
    _PATTERNS | _LATE | {"decision": "internal"},
    {"e-matching": "false", "full-saturate-quant": "true"},
    _PATTERNS | {"full-saturate-quant": "true"},
)
"""The options under which cvc5 is asked, in turn: axioms instantiated by their patterns, at once or when all
else is decided, with either order of decisions; by all terms there are; by both. Each of them loops on some
step that another proves at once."""
EFFORTS = (60_000, 400_000)
"""What each way may take, round by round, in cvc5's resource units, of which it takes some 200,000 a second:
a busy machine changes no answer."""


def _unsatisfiable(script: str, limit: Limit) -> bool:
    import cvc5

    for effort in EFFORTS:
        for way in WAYS:
            left = int(limit.remaining() * 1000)
            if left <= 0:
                return False
            bounds = {"tlimit-per": str(left), "rlimit-per": str(effort)}
            try:
                if _run(cvc5, script, way | bounds) == "unsat":
                    return True
            except RuntimeError:  # cvc5 does not read some of what Z3 writes
                return False
    return False


def _run(cvc5: Any, script: str, options: dict[str, str]) -> str:
    solver = cvc5.Solver()
    for option, value in options.items():
        solver.setOption(option, value)
    parser: Any = cvc5.InputParser(solver)
    # Z3's dialect writes a pattern-free ToInt and bounds as cvc5 reads them; the logic is all of it.
    text = "(set-logic ALL)\n" + script
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "step")
    symbols = parser.getSymbolManager()
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        printed = str(command.invoke(solver, symbols)).strip()
        if "error" in printed:
            return "error"
        answer = printed or answer
    return answer


def recheck(oracle: str, candidate: str, context: Context, verdict: Verdict, limit: Limit) -> Recheck:
    """Check a decided verdict again."""
    evidence = verdict.evidence
    oracle, candidate = (rendered(text, context.schema.dialect) for text in (oracle, candidate))
    if isinstance(evidence, Counterexample):
        found = replay(oracle, candidate, context.schema, context.settings, evidence)
        if found.status is not RecheckStatus.CONFIRMED or verdict.relation is None:
            return found
        if verdict.relation is not Relation.WEAKER:
            return Recheck(RecheckStatus.FAILED, found.by, "a query is weaker, or has no relation")
        return replay_allowed(candidate, context.schema, context.settings, evidence)
    if verdict.answer is not Answer.EQUIVALENT or not isinstance(evidence, Proof):
        return Recheck(RecheckStatus.NO_CERTIFICATE, "none", "the verdict is not decided")
    schema, settings = context.schema, context.settings
    trees = [read_query(text, schema, settings, ask=False) for text in (oracle, candidate)]
    if verdict.method == "identity":
        sides = (oracle, trees[0]), (candidate, trees[1])
        if same_words(oracle, candidate, schema.dialect) or same_but_for_names(*sides, schema):
            return Recheck(RecheckStatus.CONFIRMED, "comparison of the texts")
        return Recheck(RecheckStatus.FAILED, "comparison of the texts", "the queries are not the same")
    certificate = evidence.certificate
    trace = certificate.get("trace") if isinstance(certificate, dict) else None
    if not isinstance(trace, str):
        return Recheck(RecheckStatus.NO_CERTIFICATE, "none", "the proof carries no trace")
    import cvc5

    by = f"cvc5 {cvc5.__version__}"
    records = certificate.get("parts") if isinstance(certificate, dict) else None
    try:
        led = _follow((trees[0], trees[1]), trace, records, context, limit)
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, by, str(error))
    if not led:
        return Recheck(RecheckStatus.FAILED, by, "the trace does not lead to the conclusion")
    return Recheck(RecheckStatus.CONFIRMED, by)


def _follow(trees: Trees, trace: str, records: JSON, context: Context, limit: Limit) -> bool:
    """Whether the trail of each part leads to its views, and that of the rest to the conclusion."""

    def trail(text: str) -> Trail:
        world = Trail(context.schema, context.settings, limit)
        world.trace = text
        return world

    views: Views = {}
    if records:
        trees = marked(trees[0], 0)[0], marked(trees[1], 1)[0]
    for record in records if isinstance(records, list) else ():
        known = recorded(record)
        if known is None:
            return False
        world = trail(known.trace)
        added = proved(world, trees, views, known.parts, known.chosen)
        if added is None or world.position != len(known.trace):
            return False
        views |= added
    world = trail(trace)
    proof = prove_in(world, *trees, context.order, views)
    return proof is not None and world.position == len(trace)
