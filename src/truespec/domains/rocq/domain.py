"""The Rocq domain."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

from truespec.domains.contract import Domain, Implication, RawContext, Recheck, Tool
from truespec.domains.rocq import hammer, recheck
from truespec.domains.rocq.axioms import only_classic
from truespec.domains.rocq.context import RocqContext, read_context
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import THEOREM, Proved, implied, opening, prove
from truespec.domains.rocq.refuter import Refutation, refute
from truespec.domains.rocq.screen import Screened, screen
from truespec.domains.rocq.session import Interrupted, Session
from truespec.domains.rocq.smt import GRADE, HOW_TO_GET, LOAD, Claim, solve
from truespec.domains.rocq.texts import mutants, rewritings
from truespec.domains.rocq.toolchain import INSTALL, toolchain
from truespec.domains.rocq.typecheck import check_text
from truespec.solvers import cvc5
from truespec.solvers.limit import Limit, present_end
from truespec.solvers.versions import version_of
from truespec.verdict import (
    JSON,
    Counterexample,
    OutOfTime,
    Proof,
    Relation,
    Undecided,
    Verdict,
    equivalent,
    refuted,
)

USES = 60
"""Pairs after which a process is replaced; Rocq's memory only grows."""
RESERVE = 0.4
"""Seconds before the limit at which a solver's proof becomes the answer, where the kernel has none."""
KINDS = ("check", "refute", "prove", "solve")
"""The processes that a pair needs."""
NO_CACHE = ("Unset Lia Cache.", "Unset Nia Cache.")
"""The arithmetic procedures keep no file."""
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class RocqSpec:
    """A specification that was screened and type-checked alone."""

    text: str
    """As given."""
    screened: Screened
    """What it declares."""


class Rocq(Domain[RocqContext, RocqSpec]):
    """Specifications in Gallina: pointwise equivalence, proved or refuted by Rocq's kernel."""

    name: ClassVar[str] = "rocq"
    has_relation: ClassVar[bool] = True
    tools: ClassVar[tuple[Tool, ...]] = (
        Tool("Rocq (Coq)", "command:coqc --version", "every verdict of the rocq domain", INSTALL, False),
        Tool(
            "CoqHammer",
            "function:truespec.domains.rocq.hammer.version",
            "proofs that the tactics of the rocq domain leave open, at limits of 15 s and more",
            hammer.INSTALL,
        ),
        Tool("Z3", "distribution:z3-solver", "proofs of grade smt", HOW_TO_GET),
        Tool("cvc5", "distribution:cvc5", "re-checking proofs of grade smt", cvc5.HOW_TO_GET),
    )

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, str], Session] = {}
        self._checked: dict[tuple[str, RocqContext], RocqSpec] = {}
        self._set_up = False
        atexit.register(self.close)

    def warm_up(self) -> None:
        """Compile the library where needed and start the processes for the usual prelude."""
        from truespec.verdict import ToolMissing

        try:
            only_classic()
            context = read_context({"signature": "(x : Z) : Prop"})
            for kind in KINDS:
                self._session(kind, context).start()
            for kind in KINDS:
                self._session(kind, context).ready()
            self._set_up = True
        except ToolMissing:
            return  # each pair says so itself

    def close(self) -> None:
        """End all processes."""
        for session in self._sessions.values():
            session.kill()
        self._sessions.clear()

    def environment(self, raw: RawContext) -> Mapping[str, str]:
        """The Rocq whose kernel checks, and what finds proofs; what is missing leaves pairs open."""
        return {
            "rocq": toolchain().version,
            "hammer": hammer.version() or "not installed",
            "z3": version_of("z3-solver"),
        }

    def read_context(self, raw: RawContext, oracle: str) -> RocqContext:
        toolchain()
        return read_context(raw)

    def set_up(self, raw: RawContext) -> None:
        if not self._set_up:
            self.warm_up()

    def is_set_up(self, raw: RawContext) -> bool:
        return self._set_up

    def parse(self, text: str, context: RocqContext) -> RocqSpec:
        key = (text, context)
        if key not in self._checked:
            screened = screen(text)
            session = self._session("check", context)
            session.until = present_end()
            try:
                check_text(session, screened, text, context)
            finally:
                self._restore(session)
            if len(self._checked) > 200:
                self._checked.clear()
            self._checked[key] = RocqSpec(text, screened)
        return self._checked[key]

    def decide(self, oracle: RocqSpec, candidate: RocqSpec, context: RocqContext, limit: Limit) -> Verdict:
        layout = Layout(context, oracle.screened, candidate.screened)
        stop = threading.Event()
        refuter, prover, solver = (self._session(kind, context) for kind in ("refute", "prove", "solve"))
        for session in (refuter, prover, solver):
            session.until = limit.ends
        first_round, enumerated, enough = threading.Event(), threading.Event(), threading.Event()
        # What the kernel accepted is as good as decided: the others would only take time meanwhile.
        accepted = refuter.pause = solver.pause = threading.Event()
        proof = partial(prove, first_round=first_round, accepted=accepted)
        with ThreadPoolExecutor(4) as pool:
            proving = pool.submit(_guarded, self._ready(prover, proof), layout, limit, stop)
            search = partial(refute, enumerated=enumerated, enough=enough, crowded=lambda: not proving.done())
            searching = pool.submit(_guarded, self._ready(refuter, search), layout, limit, stop)
            solving = pool.submit(_guarded, self._ready(solver, solve), layout, limit, stop)
            solving.add_done_callback(lambda done: enough.set() if isinstance(done.result(), Claim) else None)
            hammering: Future[Proved | Exception] | None = None
            if limit.seconds >= hammer.LEAST_LIMIT and hammer.version():

                def turn() -> bool:  # two cores are busy before
                    late = enumerated.is_set() or searching.done() or limit.elapsed() > limit.seconds / 2
                    return late and (first_round.is_set() or proving.done())

                hammering = pool.submit(_guarded, partial(_hammered, turn), layout, limit, stop)
            try:
                found = _first(searching, proving, solving, hammering, limit)
            finally:
                stop.set()
        refuter.pause = solver.pause = None
        for session in (refuter, prover, solver):
            self._restore(session)
        match found:
            case Refutation():
                relation = self._relation(prover, found, layout, limit)
                return refutation(found, relation)
            case Proved():
                return equivalence(found, layout)
            case Claim():
                return _claimed(found)
        raise found

    def _relation(self, session: Session, found: Refutation, layout: Layout, limit: Limit) -> Relation | None:
        """How the refuted candidate relates to the oracle, where the kernel soon decides it."""
        if found.both_ways:
            return Relation.INCOMPARABLE
        # Where the oracle holds alone, the candidate can only be the stronger one, and conversely.
        premise, conclusion = ("candidate", "oracle") if found.oracle_holds else ("oracle", "candidate")
        try:
            session.ready()
            if implied(session, layout, premise, conclusion, limit):
                return Relation.STRONGER if found.oracle_holds else Relation.WEAKER
        except (Undecided, Interrupted):
            pass
        finally:
            self._restore(session)
        return None

    def _ready(self, session: Session, run: Callable[..., Found]) -> Callable[..., Found]:
        def on(layout: Layout, limit: Limit, stop: threading.Event) -> Found:
            session.ready(stop)
            return run(session, layout, limit, stop)

        return on

    def _session(self, kind: str, context: RocqContext) -> Session:
        prelude = [sentence.text for sentence in context.prelude]
        key = (kind, " ".join(prelude))
        session = self._sessions.get(key)
        if session is None:
            if len(self._sessions) >= 2 * len(KINDS):  # an unusual prelude has had its turn
                for old in [known for known in self._sessions if known[1] != key[1]]:
                    self._sessions.pop(old).kill()
            load = {
                "check": [],
                "refute": [*recheck.SEARCH, *NO_CACHE],
                "prove": [*recheck.PORTFOLIO, *NO_CACHE],
                "solve": [*LOAD, *NO_CACHE],
            }[kind]
            session = Session([*prelude, *load], library() if load else None)
            self._sessions[key] = session
        return session

    def _restore(self, session: Session) -> None:
        """Bring a session back to the state after its opening; one that still reads it goes on."""
        if session.loading:
            return
        if session.uses >= USES or not session.back_to(session.base):
            session.kill()
            session.start()

    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        return recheck.recheck(oracle, candidate, raw, verdict, limit)

    def implies(self, premise: str, conclusion: str, raw: RawContext, limit: Limit) -> Implication:
        return recheck.implies(premise, conclusion, raw, limit)

    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        return raw

    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        return mutants(text)

    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        return rewritings(text, read_context(raw))


def _guarded(
    run: Callable[..., Found], layout: Layout, limit: Limit, stop: threading.Event
) -> Found | Exception:
    try:
        return run(layout, limit, stop)
    except Interrupted:
        return OutOfTime(f"no decision within {limit.seconds:g} s")
    except Undecided as error:
        return error


def _hammered(turn: Callable[[], bool], layout: Layout, limit: Limit, stop: threading.Event) -> Proved:
    """What CoqHammer proves, once it is its turn."""
    while not turn():
        limit.check()
        if stop.wait(hammer.POLL_SECONDS):
            raise Interrupted
    return hammer.attack(layout, limit, stop)


def _first(
    searching: Future[Refutation | Exception],
    proving: Future[Proved | Exception],
    solving: Future[Claim | Refutation | Exception],
    hammering: Future[Proved | Exception] | None,
    limit: Limit,
) -> Refutation | Proved | Claim | Exception:
    """The kernel's first decision; near the limit or where there is none, what a solver proved.

    Where nothing was decided, a reached limit, or else what each of the three said.
    """
    waiting: set[Future[Any]] = {searching, proving, solving}
    if hammering is not None:
        waiting.add(hammering)
    while waiting:
        claimed = solving.done() and isinstance(solving.result(), Claim)
        patience = max(0.0, limit.seconds - limit.elapsed() - RESERVE) if claimed else None
        done, waiting = wait(waiting, timeout=patience, return_when=FIRST_COMPLETED)
        for future in done:
            result = future.result()
            if isinstance(result, Refutation | Proved):
                return result
        if not done:
            break
    claim = solving.result()
    if isinstance(claim, Claim):
        return claim
    return _undecided({"prover": proving.result(), "refuter": searching.result(), "solver": claim})


def _undecided(ends: dict[str, Any]) -> Exception:
    """Why nothing was decided: a reached limit before all else, or else what each part said."""
    late = [end for end in ends.values() if isinstance(end, OutOfTime)]
    if late:
        return late[0]
    said = "; ".join(f"{who}: {end}" for who, end in ends.items())
    first = ends["prover"]
    return type(first)(said) if isinstance(first, Undecided) else first


def refutation(found: Refutation, relation: Relation | None) -> Verdict:
    """The verdict of a refuter's finding."""
    counterexample = Counterexample(
        {"args": found.values()},
        found.oracle_holds,
        not found.oracle_holds,
        f"the kernel of Rocq {toolchain().version}",
        {"rocq": dict(found.point), "statement": found.statement},
    )
    return refuted("rocq", "evaluators", counterexample, relation)


def equivalence(found: Proved, layout: Layout) -> Verdict:
    """The verdict of a proof by the kernel."""
    trusts = [f"the kernel of Rocq {toolchain().version}"]
    if found.classical:
        trusts.append("the axiom classic: forall P : Prop, P \\/ ~ P")
    statement = list(layout.statement())[-1]
    certificate: dict[str, JSON] = {
        "theorem": THEOREM,
        "statement": statement,
        "opening": list(hammer.OPENING if found.script else opening(layout)),
        "tactic": found.tactic,
    }
    if found.law:
        certificate["law"] = found.law
    if found.script:
        certificate["script"] = list(found.script)
    return equivalent("rocq", found.tactic, Proof(found.tactic, tuple(trusts), (), certificate))


def _claimed(found: Claim) -> Verdict:
    proof = Proof(found.solver, found.trusts(), (), dict(found.certificate()))
    return equivalent("rocq", GRADE, proof)
