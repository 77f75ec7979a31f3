"""One pair within its limit: identity, a glance for a difference, a brief proof, then more of each."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from truespec.domains.sql.assumed import assumptions
from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir.effort import Pause
from truespec.domains.sql.prove.parts import prove_by_parts
from truespec.domains.sql.prove.proof import ProofTrace, is_determined, prove, prove_briefly
from truespec.domains.sql.prove.shared_parts import share_a_part
from truespec.domains.sql.refute.refutation import Refutation
from truespec.domains.sql.refute.run import choice_of
from truespec.domains.sql.refute.search import MAX_DATABASES, Hunt, Search
from truespec.domains.sql.renamed import same_but_for_names
from truespec.domains.sql.schema import Schema
from truespec.domains.sql.written import same_words
from truespec.solvers import z3 as z3_boundary
from truespec.solvers.limit import Limit
from truespec.verdict import (
    JSON,
    Bounded,
    Incomplete,
    Nondeterministic,
    OutOfTime,
    Proof,
    SpecificationError,
    ToolMissing,
    Undecided,
    Unsupported,
    Verdict,
    equivalent,
    refuted,
    unknown,
)

QUICK_DATABASES = 160
"""Databases of the second look, the first one's (`Engine.first`) among them."""
FIRST_PORTION, BRIEF_PORTION, QUICK_PORTION = 0.1, 0.2, 0.2
"""Shares of the time that is left for a first look, a brief proof and a second look."""
PARTS_PORTION, PROOF_PORTION = 0.5, 0.65
"""The shares for a proof by parts, and for one of the whole after it.

Of 960 unseen pairs on which the second look found nothing, 58 were proved and 15 refuted: proofs come first.
"""
SEED_PORTION = 0.25
"""The share for databases that Z3 proposes."""
MORE_PORTION, MORE_DATABASES = 0.5, 700
"""A third look, after which all small databases are tried."""
SWEEP_PORTION = 0.6
"""The share for all small databases."""
MAX_CERTIFICATE = 20_000
"""How many characters of obligations a verdict carries for readers; the trace alone is what is checked."""

Side = tuple[str, exp.Expr]
"""A query's text and its tree."""


def decide(
    oracle: Side, candidate: Side, schema: Schema, order: str, settings: Settings, limit: Limit
) -> Verdict:
    """The verdict on two queries; raises `Undecided` with the most telling reason."""
    if same_words(oracle[0], candidate[0], schema.dialect):
        return _identical("identical queries")
    if same_but_for_names(oracle, candidate, schema):
        return _identical("queries that are identical but for what they call their tables and columns")
    reasons: list[Undecided] = []
    looks = _Looks(_hunt(oracle, candidate, schema, order, settings, reasons))
    if looks.hunt is None:
        looks.nothing = f"was tried: {reasons[0]}"
    pair = oracle[1], candidate[1], schema, order, settings

    def proved(trace: ProofTrace) -> Verdict:
        return equivalent("sql", "bag algebra", _proved(trace, *pair[:3], settings))

    first = looks.first(limit.portion(FIRST_PORTION))
    if first is not None:
        return first
    parted = share_a_part(oracle[1], candidate[1])
    early, ended = _by_parts(*pair, limit.portion(BRIEF_PORTION)) if parted else (None, False)
    if early is not None:
        return proved(early)
    reason: Undecided = Incomplete(f"sql: no proof was found, and no database {looks.nothing}")

    def meanwhile(hopeful: bool = True) -> Limit:
        """The second look and a proof by parts, which a longer proof waits for; and the limit of that one."""
        quick = looks.go(limit.portion(QUICK_PORTION), QUICK_DATABASES)
        if quick is not None:
            raise _Decided(quick)
        if hopeful and not ended:
            by_parts, _ = _by_parts(*pair, limit.portion(PARTS_PORTION))
            if by_parts is not None:
                raise _Decided(proved(by_parts))
        return limit.portion(PROOF_PORTION)

    trace = None
    try:
        pause = Pause(limit.portion(BRIEF_PORTION), meanwhile)
        trace, hopeful = prove_briefly(*pair, limit.portion(PROOF_PORTION), pause)
        if trace is None and not pause.over:
            portion = meanwhile(hopeful)
            trace = prove(*pair, portion) if hopeful else None
    except _Decided as decided:
        return decided.verdict
    except (Undecided, SpecificationError, RecursionError) as error:
        reason = _why(error, looks)
    if trace is not None:
        return proved(trace)
    seeded = looks.propose(limit.portion(SEED_PORTION))
    if seeded is not None:
        return seeded
    reasons.insert(0, reason)
    return _searched(looks, reasons, (oracle[1], candidate[1]), limit)


def _identical(by: str) -> Verdict:
    return equivalent("sql", "identity", Proof(by, ("the engine's lexical rules as recorded here",)))


def _searched(looks: _Looks, reasons: list[Undecided], trees: Sequence[exp.Expr], limit: Limit) -> Verdict:
    """The verdict where no proof was found: more databases, all small ones, many more."""
    hunt = looks.hunt
    more = looks.go(limit.portion(MORE_PORTION), MORE_DATABASES)
    if more is not None:
        return more
    bound: dict[str, JSON] | None = None
    if hunt is not None:
        with contextlib.suppress(OutOfTime):
            found, bound = hunt.sweep(limit.portion(SWEEP_PORTION))
            if found is not None:
                return _refuted("all small databases", found)
    long = looks.go(limit.portion(0.9), MAX_DATABASES)
    if long is not None:
        return long
    if hunt is not None and looks.last is not None:
        with contextlib.suppress(OutOfTime):
            known = isinstance(reasons[0], Nondeterministic)
            wavering = frozenset[int]() if known else hunt.wavering(limit)
            if wavering:
                reasons.insert(0, _nondeterministic(wavering, looks.last, *trees))
        unasked = hunt.unasked()
        if unasked and isinstance(reasons[0], Incomplete | OutOfTime):
            reasons.insert(0, Incomplete("; ".join([str(reasons[0]), *unasked])))
    return _undecided(reasons, bound)


class _Decided(Exception):
    """The pair was decided while a longer proof waited."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.answer)
        self.verdict = verdict


@dataclass(slots=True)
class _Looks:
    """The looks for a database that tells the queries apart; each goes on where the one before stopped."""

    hunt: Hunt | None
    """None where no engine runs the pair."""
    last: Search | None = None
    """What the last one saw."""
    nothing: str = "tells the queries apart"
    """What may be said of every database where none is found."""

    def go(self, portion: Limit, databases: int) -> Verdict | None:
        """A refutation by one of so many databases in all."""
        self.last = self.hunt.go(portion, databases) if self.hunt is not None else None
        if self.last is None or self.last.refutation is None:
            return None
        return _refuted("random databases", self.last.refutation)

    def first(self, portion: Limit) -> Verdict | None:
        """A refutation by one of the few databases that are tried before a proof."""
        return self.go(portion, self.hunt.first) if self.hunt is not None else None

    def propose(self, portion: Limit) -> Verdict | None:
        """A refutation by a database that Z3 proposes."""
        with contextlib.suppress(OutOfTime):
            found = self.hunt.propose(portion) if self.hunt is not None else None
            if found is not None:
                return _refuted("databases from models", found)
        return None


def _why(error: Exception, looks: _Looks) -> Undecided:
    """Why there is no proof, by what ended the search for one."""
    if isinstance(error, OutOfTime):
        return OutOfTime(f"sql: the proof took too long, and no database {looks.nothing}")
    if isinstance(error, RecursionError):
        return Unsupported("sql: the query is nested too deeply")
    # The engine accepted the text, so the compiler's reading of it is too narrow.
    return error if isinstance(error, Undecided) else Unsupported(f"sql: {error}")


def _by_parts(
    oracle: exp.Expr, candidate: exp.Expr, schema: Schema, order: str, settings: Settings, limit: Limit
) -> tuple[ProofTrace | None, bool]:
    """A proof by parts, and whether more time could not tell more; why there is none says nothing else."""
    try:
        return prove_by_parts(oracle, candidate, schema, order, settings, limit), True
    except OutOfTime:
        return None, False
    except (Undecided, SpecificationError, RecursionError):
        return None, True


def _hunt(
    oracle: Side, candidate: Side, schema: Schema, order: str, settings: Settings, reasons: list[Undecided]
) -> Hunt | None:
    """The search for a database; None, and why, where no engine runs the pair."""

    def determined(query: exp.Expr, portion: Limit) -> bool:
        return is_determined(query, schema, settings, portion)

    texts, trees = (oracle[0], candidate[0]), (oracle[1], candidate[1])
    try:
        return Hunt(texts, trees, schema, order, settings, determined)
    except (ToolMissing, Unsupported) as error:
        reasons.append(error)
        return None


def _undecided(reasons: Sequence[Undecided], bound: dict[str, JSON] | None) -> Verdict:
    """`unknown` where a bound was searched exhaustively; else raises the reason that says most."""
    # Without an engine nothing was looked for: installing it may decide the pair.
    reason = next((reason for reason in reasons if isinstance(reason, ToolMissing)), reasons[0])
    if bound is None:
        raise reason
    return unknown("sql", reason.code, str(reason), method="all small databases", bounded=Bounded(bound))


def _refuted(method: str, found: Refutation) -> Verdict:
    return refuted("sql", method, found.counterexample(), found.relation)


def _nondeterministic(
    wavering: frozenset[int], found: Search, oracle: exp.Expr, candidate: exp.Expr
) -> Nondeterministic:
    sides = (("oracle", oracle), ("candidate", candidate))
    named = [
        f"the {name}'s result depends on the order of rows: {choice_of(tree)}"
        for side, (name, tree) in enumerate(sides)
        if side in wavering
    ]
    seen = (
        f"; {found.unstable} of {found.databases} databases tell the queries apart, none whatever the order"
        if found.unstable
        else ""
    )
    return Nondeterministic(f"sql: {', and '.join(named)}{seen}")


def _of_recursions(queries: Sequence[exp.Expr], schema: Schema) -> list[str]:
    """What a proof takes for granted of recursions."""
    if not any(map(_is_recursive, queries)):
        return []
    cut = DIALECTS[schema.dialect].recursion_cuts_texts
    return ["each recursion ends", *(["its texts fit the columns of its first part"] if cut else [])]


def _is_recursive(query: exp.Expr) -> bool:
    return any(clause.args.get("recursive") for clause in query.find_all(exp.With))


def _proved(
    trace: ProofTrace,
    oracle: exp.Expr,
    candidate: exp.Expr,
    schema: Schema,
    settings: Settings,
) -> Proof:
    trusts = (
        "sqlglot's parser",
        "the reading of SQL as bags of rows",
        z3_boundary.version(),
        *assumptions((oracle, candidate), schema, settings),
        *_of_recursions((oracle, candidate), schema),
    )
    by = "correspondence of rows" + (", as lists" if trace.ordered else "")
    kept: list[JSON] = []
    size = 0
    for obligation in trace.obligations:
        size += len(obligation)
        if size <= MAX_CERTIFICATE:
            kept.append(obligation)
    certificate: dict[str, JSON] = {
        "trace": trace.trail,
        "parts": list(trace.parts),
        "steps": list(trace.steps),
        "obligations": kept,
        "left_out": len(trace.obligations) - len(kept),
    }
    return Proof(by, trusts, (), certificate)
