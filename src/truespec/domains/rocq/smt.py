"""The grade `smt`: the kernel reduces a theorem to a formula over the integers, and a solver proves that.

Where the solver finds a point at which the formula may fail, the refuter decides the pair there.

`theories/Reify.v` proves, for a formula of `theories/Formula.v`, that its validity implies the theorem, so
that reading Gallina is not trusted. Printing the formula (`smtlib.py`) and the solver are. Later plans take
the pair apart first (`theories/Obligations.v`): by inductions, and derivations by their last step.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sysconfig
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from truespec.domains.rocq.axioms import rests_on_classic_at_most
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import assumptions
from truespec.domains.rocq.refuter import Refutation, refute_near
from truespec.domains.rocq.session import Interrupted, Session
from truespec.domains.rocq.smtlib import Model, Question, Unreadable, obligations, read
from truespec.domains.rocq.toolchain import toolchain
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import Incomplete, OutOfTime, ToolMissing

LOAD = ("Require Truespec.Obligations.", "Require Truespec.Data.")
"""What a session needs."""
REDUCTION = "Truespec_reduction"
"""The name of a reduction; those by later plans have a number, too."""
REDUCTION_SECONDS = 1.5
"""Processor seconds for the reduction of a theorem."""
WHOLE = "reduce_statement"
"""The plan that reduces the pair as it stands."""
CASES = "reduce_by_cases"
"""The plan without an induction, which replaces derivations by what their last step tells."""
ALONG = ("reduce_along_argument", "reduce_by_heads", "reduce_from_head", "reduce_meeting_argument")
"""The plans that reduce it by an induction along an argument."""
SCANNED = re.compile(r"list\b.*|nat|string")
"""The types of arguments along which inductions go."""
PLAN_MILLISECONDS = 1000
"""Z3's time for each question of these plans."""
UNKNOWN = re.compile(r"\((?:App|Rel) ")
"""Of a formula as it is written: a function or a predicate of which nothing is known."""
HEAD_START = 0.15
"""Seconds in which Z3 may prove a formula before the next plan is tried."""
POLL_SECONDS = 0.05
"""Seconds between two looks at processes."""
GLANCE_SECONDS = 0.002
"""Seconds of a look that does not wait: what a process has said is read."""
QUESTION_MILLISECONDS = 300
"""Z3's time for one such point."""
READING_SECONDS = 0.5
"""Processor seconds in which points are read back into Rocq; huge natural numbers are not."""
MEMORY_MEGABYTES = 1024
"""The cap on Z3's memory."""
HOW_TO_GET = "pip install z3-solver"
"""The command that installs Z3 with its program."""
GRADE = "smt"
"""The method of these verdicts, and their grade in the certificate."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A proof by a solver, of a formula from which the theorem follows by the kernel's word."""

    formula: str
    """The formula as `Formula.show` writes it."""
    smtlib: str
    """What the solver read."""
    solver: str
    """The solver and its version."""
    plan: str = WHOLE
    """The tactic that reduced the pair."""

    def trusts(self) -> tuple[str, ...]:
        """All that a reader must believe."""
        return (
            f"the kernel of Rocq {toolchain().version}, for the reduction to a formula",
            "the translation of Formula.v's formulas to SMT-LIB 2 (smtlib.py)",
            self.solver,
            "the axiom classic: forall P : Prop, P \\/ ~ P",
        )

    def certificate(self) -> dict[str, str]:
        """What the re-check derives again."""
        return {
            "grade": GRADE,
            "formula": self.formula,
            "smtlib": self.smtlib,
            "solver": self.solver,
            "plan": self.plan,
        }


def solve(session: Session, layout: Layout, limit: Limit, stop: threading.Event) -> Claim | Refutation:
    """Reduce by each plan and ask Z3 for proofs; then for points at which the refuter decides the pair.

    The points come before the other plans where the pair's own formula fails somewhere for all that Z3 knows.

    `Incomplete` where the pair is outside the fragment, or Z3 proves nothing and its points separate nothing.
    """
    dialogue = Dialogue(session, limit, stop)
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    stated = session.state
    every, asked = plans(layout), False
    _open(dialogue, layout)
    with contextlib.ExitStack() as processes:
        attempts: list[_Attempt] = []
        found: Claim | Refutation | None = _attempts(dialogue, layout, every[:1], attempts, processes)
        if found is None and attempts and attempts[0].fails_somewhere(limit, stop):
            asked, found = True, _refuted(dialogue, layout, stated, attempts[0])
            if found is None:
                _go_back(session, stated)
                _open(dialogue, layout)
        found = found or _attempts(dialogue, layout, every[1:], attempts, processes)
        if not (found or asked) and attempts and attempts[0].plan == WHOLE:
            found = _refuted(dialogue, layout, stated, attempts[0])
        if found:
            return found
        if not attempts:
            raise Incomplete("the pair is outside the fragment that is translated to SMT-LIB")
        while running := [one for one in attempts if one.process.running]:
            for attempt in running:
                if attempt.process.outcome(limit, stop, POLL_SECONDS) is Outcome.UNSAT:
                    return _derived_again(dialogue, layout, stated, attempt)
        answer = attempts[0].process.outcome(limit, stop)
    raise Incomplete(f"Z3 answers {answer.value} to the pair's formula")


def _open(dialogue: Dialogue, layout: Layout) -> None:
    for sentence in opening(layout):
        dialogue.must(sentence)


def _refuted(dialogue: Dialogue, layout: Layout, stated: int, whole: _Attempt) -> Refutation | None:
    """What the refuter decides at the points that Z3 suggests for the pair's formula, just reduced."""
    points = suggested(dialogue, layout, whole.formula)
    if points:
        _go_back(dialogue.session, stated)
        with contextlib.suppress(Incomplete):
            return refute_near(dialogue, layout, points)
    return None


def _go_back(session: Session, state: int) -> None:
    if not session.back_to(state):
        raise Incomplete("Rocq's process does not obey")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A reduction, and Z3 at work on its formula."""

    plan: str
    formula: str
    text: str
    process: Z3

    def claim(self) -> Claim:
        return Claim(self.formula, self.text, z3_version(), self.plan)

    def fails_somewhere(self, limit: Limit, stop: threading.Event) -> bool:
        """Whether Z3 has found values at which it fails, and it knows all that the formula speaks of."""
        known = UNKNOWN.search(self.formula) is None
        return known and self.process.outcome(limit, stop, 0.0) is Outcome.SAT


def _attempts(
    dialogue: Dialogue,
    layout: Layout,
    tried: Sequence[str],
    attempts: list[_Attempt],
    processes: contextlib.ExitStack,
) -> Claim | None:
    """The first of the attempts that Z3 proves while those by the plans `tried` join them."""
    meanwhile = _ProvedMeanwhile(dialogue, attempts)
    for plan in tried:
        # Only the whole pair's formula gets all the time: one of its questions may need it.
        milliseconds = PLAN_MILLISECONDS if plan != WHOLE else None
        with contextlib.suppress(Incomplete, Interrupted):
            formula = reduced(dialogue, plan, _name(layout, plan), meanwhile)
            text = smtlib(formula)
            if all(text != other.text for other in attempts):
                process = processes.enter_context(Z3(text, milliseconds))
                attempts.append(_Attempt(plan, formula, text, process))
        if attempts:
            attempts[-1].process.outcome(dialogue.limit, dialogue.stop, HEAD_START)
        if proved := meanwhile.proved():
            dialogue.may("Abort.")
            _confirm_here(dialogue, layout, _name(layout, proved.plan))
            return proved.claim()
        dialogue.limit.check()
        if dialogue.stop.is_set():
            raise Interrupted
    return None


class _ProvedMeanwhile(threading.Event):
    """Set where the answer is not wanted, and once Z3 has proved one of the attempts."""

    def __init__(self, dialogue: Dialogue, attempts: list[_Attempt]) -> None:
        super().__init__()
        self._dialogue = dialogue
        self._attempts = attempts

    def is_set(self) -> bool:
        try:
            return self._dialogue.stop.is_set() or self.proved() is not None
        except (Interrupted, OutOfTime):
            return True

    def proved(self) -> _Attempt | None:
        """The attempt that Z3 proved."""
        limit, stop = self._dialogue.limit, self._dialogue.stop
        for attempt in self._attempts:
            if attempt.process.outcome(limit, stop, 0.0) is Outcome.UNSAT:
                return attempt
        return None


def _derived_again(dialogue: Dialogue, layout: Layout, stated: int, attempt: _Attempt) -> Claim:
    """The claim of a reduction that was left behind."""
    if not dialogue.session.back_to(stated):
        raise Incomplete("Rocq's process does not obey")
    reduce_stated(dialogue, layout, attempt.plan)
    _confirm_here(dialogue, layout)
    return attempt.claim()


def _name(layout: Layout, plan: str) -> str:
    number = plans(layout).index(plan)
    return f"{REDUCTION}_{number}" if number else REDUCTION


def suggested(dialogue: Dialogue, layout: Layout, formula: str) -> list[list[str]]:
    """Points at which Z3 expects the pair to differ, each argument as `Show` of `Sample.v` writes it."""
    question = Question(read(formula), QUESTION_MILLISECONDS)
    with Z3(question.text) as asked:
        models = question.models(asked.printed(dialogue.limit, dialogue.stop))
    points: list[list[str]] = []
    for model in models:
        try:
            said = dialogue.must(f"Eval vm_compute in ({_read_back(model)}).", READING_SECONDS)
        except Incomplete:
            continue
        for point in re.findall(r"\[([^\[\]]*)\]", said):
            shown = [" ".join(one.split()) for one in re.findall(r'"([^"]*)"', point)]
            if len(shown) == len(layout.arguments) and shown not in points:
                points.append(shown)
    return points


def _read_back(model: Model) -> str:
    """The term that applies the readers of a reduction (`Reify.v`) to a model."""
    size, count = (max(numbers, default=-1) + 1 for numbers in (model.variables, model.functions))
    values = _integers(model.variables.get(number, 0) for number in range(size))
    tables = "; ".join(
        f"(fun l => match l with [i] => nth (Z.to_nat i) {table} 0%Z | _ => 0%Z end)"
        for table in (_integers(model.functions.get(number, [])) for number in range(count))
    )
    return f"map (fun r => r {values} [{tables}]) (projT1 Truespec_reduction)"


def _integers(values: Iterable[int]) -> str:
    return f"[{'; '.join(f'({value})%Z' for value in values)}]"


def smtlib(formula: str) -> str:
    """The SMT-LIB text of a formula; `Incomplete` where it is too deep to print."""
    try:
        return obligations(read(formula))
    except (Unreadable, RecursionError) as error:
        raise Incomplete(f"the pair's formula cannot be printed: {error}") from error


def plans(layout: Layout) -> list[str]:
    """The tactics that reduce a pair, in the order they are tried: as a whole, then by inductions."""
    scanned = [one.name for one in layout.arguments if SCANNED.fullmatch(one.type.strip("() "))]
    return [WHOLE, CASES, *(f"{tactic} {name}" for name in scanned for tactic in ALONG)]


def reduce(dialogue: Dialogue, layout: Layout, plan: str = WHOLE) -> str:
    """A formula that implies the pair's theorem, as `Formula.show` writes it."""
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    return reduce_stated(dialogue, layout, plan)


def reduce_stated(dialogue: Dialogue, layout: Layout, plan: str = WHOLE) -> str:
    """The same, where the theorem is stated already."""
    _open(dialogue, layout)
    return reduced(dialogue, plan)


def reduced(
    dialogue: Dialogue, plan: str, name: str = REDUCTION, meanwhile: threading.Event | None = None
) -> str:
    """The same, after the opening; the reduction gets this name. `meanwhile` ends the plan's tactic alone."""
    dialogue.must(f"Definition {name} : Truespec_reducible.")
    watched = Dialogue(dialogue.session, dialogue.limit, meanwhile or dialogue.stop)
    if not watched.tries(f"{plan}.", REDUCTION_SECONDS) or not dialogue.may("Defined."):
        dialogue.may("Abort.")
        raise Incomplete("the pair is outside the fragment that is translated to SMT-LIB")
    printed = dialogue.must(
        "Eval vm_compute in (Truespec.Formula.show "
        f"(Coq.Init.Specif.proj1_sig (Coq.Init.Specif.projT2 {name})))%string."
    )
    found = re.search(r'"([^"]*)"', printed)
    if found is None:
        raise Incomplete(f"the reduction printed no formula: {printed[:80]}")
    return " ".join(found.group(1).split())


def confirm(dialogue: Dialogue, name: str = REDUCTION) -> None:
    """`Incomplete` where the reduction rests on another axiom than `classic`, trusted in any case."""
    assumptions(dialogue.must(f"Print Assumptions {name}."))


def _confirm_here(dialogue: Dialogue, layout: Layout, name: str = REDUCTION) -> None:
    """The same in a session of the domain, where it may be known of all that is loaded."""
    if not rests_on_classic_at_most(layout.context):
        confirm(dialogue, name)


def opening(layout: Layout) -> list[str]:
    """What stands between the statement and the reduction."""
    sides = f"(Truespec_oracle_holds {layout.names}) (Truespec_candidate_holds {layout.names})"
    recursive = "; ".join(f"try k (@{name})" for name in layout.recursive())
    shown = "; ".join(f"show {argument.name}" for argument in layout.arguments)
    return [
        "From Coq Require Import String.",
        "Import Truespec.Obligations.",
        f"Ltac unfold_pair ::= cbv beta iota zeta delta [{' '.join(layout.unfolded())}] in *.",
        f"Ltac for_recursive k ::= {recursive or 'idtac'}.",
        *_constructors(layout),
        "Ltac show_arguments ::= lazymatch goal with |- Under ?rs ?f _ => change (Under rs f "
        f"(forall {layout.binders}, About [{shown}]%list (Coq.Init.Logic.iff {sides}))) end.",
        "Definition Truespec_reducible := Coq.Init.Specif.sigT (fun _ : Coq.Init.Datatypes.list "
        "Truespec.Reify.reader => Coq.Init.Specif.sig (fun f : Truespec.Formula.formula => "
        "Truespec.Formula.valid f -> Truespec_statement)).",
    ]


def _constructors(layout: Layout) -> list[str]:
    """What tells the library the constructors of the inductive predicates of the texts."""
    cases = [
        f"{head} => k {''.join(f'(@{one}, ' for one in constructors)}tt{')' * len(constructors)}"
        for head, constructors in layout.constructors().items()
    ]
    return [f"Ltac with_constructors h k ::= lazymatch h with {' | '.join(cases)} end."] if cases else []


class Z3:
    """A process of Z3 at work on an SMT-LIB text, ended with the block it was opened for."""

    def __init__(self, text: str, milliseconds: int | None = None) -> None:
        """Hand over the text; each question gets `milliseconds`."""
        patience = [] if milliseconds is None else [f"-t:{milliseconds}"]
        self._questions = text.count("(check-sat)")
        self._process = subprocess.Popen(
            [_z3(), "-in", "-smt2", f"-memory:{MEMORY_MEGABYTES}", *patience],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._unsent: str | None = text
        self._said: str | None = None

    def __enter__(self) -> Z3:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def outcome(self, limit: Limit, stop: threading.Event, patience: float | None = None) -> Outcome:
        """What it says, unsatisfiable where all questions are; unknown where `patience` runs out."""
        lines = self.printed(limit, stop, patience).split()
        if len(lines) != self._questions or not {"sat", "unsat", "unknown"}.issuperset(lines):
            return Outcome.UNKNOWN
        if "sat" in lines:
            return Outcome.SAT
        return Outcome.UNSAT if set(lines) == {"unsat"} else Outcome.UNKNOWN

    @property
    def running(self) -> bool:
        """Whether it has not said all yet."""
        return self._said is None

    def printed(self, limit: Limit, stop: threading.Event, patience: float | None = None) -> str:
        """All that it prints; nothing where `patience` runs out, `Interrupted` where it is not wanted."""
        began = time.monotonic()
        while self._said is None:
            limit.check()
            if stop.is_set():
                raise Interrupted
            waits = POLL_SECONDS if patience is None else min(POLL_SECONDS, max(GLANCE_SECONDS, patience))
            with contextlib.suppress(subprocess.TimeoutExpired):
                sent, self._unsent = self._unsent, None
                self._said = self._process.communicate(sent, timeout=waits)[0]
            if patience is not None and time.monotonic() - began >= patience:
                break
        return self._said or ""


@cache
def z3_version() -> str:
    """Z3's version, as proofs name it."""
    printed = subprocess.run([_z3(), "--version"], capture_output=True, text=True, timeout=30, check=True)
    found = re.search(r"\d+(\.\d+)+", printed.stdout)
    return f"z3 {found.group() if found else 'unknown'}"


@cache
def _z3() -> str:
    path = shutil.which("z3", path=sysconfig.get_path("scripts")) or shutil.which("z3")
    if path is None:
        raise ToolMissing(f"Z3's program is not installed: {HOW_TO_GET}")
    return path
