"""The grade `smt`: the kernel reduces a theorem to a formula over the integers, and a solver proves that.

Where the solver finds a point at which the formula may fail, the refuter decides the pair there.

`theories/Reify.v` proves, for a formula of `theories/Formula.v`, that its validity implies the theorem, so
that reading Gallina is not trusted. Printing the formula (`smtlib.py`) and the solver are.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sysconfig
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import assumptions
from truespec.domains.rocq.refuter import Refutation, refute_near
from truespec.domains.rocq.session import Interrupted, Session
from truespec.domains.rocq.smtlib import Model, Question, Unreadable, obligation, read
from truespec.domains.rocq.toolchain import toolchain
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import Incomplete, ToolMissing

LOAD = ("Require Truespec.Reify.", "Require Truespec.Data.")
"""What a session needs."""
REDUCTION_SECONDS = 2.0
"""Processor seconds for the reduction of a theorem."""
HEAD_START = 0.4
"""Seconds in which Z3 may prove the formula before it is asked for points where it fails, too."""
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
        return {"grade": GRADE, "formula": self.formula, "smtlib": self.smtlib, "solver": self.solver}


def solve(session: Session, layout: Layout, limit: Limit, stop: threading.Event) -> Claim | Refutation:
    """Reduce, then ask Z3: for a proof, and for points at which the refuter decides the pair.

    `Incomplete` where the pair is outside the fragment, or Z3 proves nothing and its points separate nothing.
    """
    dialogue = Dialogue(session, limit, stop)
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    stated = session.state
    formula = reduce_stated(dialogue, layout)
    text = smtlib(formula)
    with Z3(text) as proving:
        answer = proving.outcome(limit, stop, HEAD_START)
        if answer is Outcome.UNSAT:
            confirm(dialogue)
            return Claim(formula, text, z3_version())
        points = suggested(dialogue, layout, formula)
        if points:
            confirm(dialogue)
            if not session.back_to(stated):
                raise Incomplete("Rocq's process does not obey")
            with contextlib.suppress(Incomplete):
                return refute_near(dialogue, layout, points)
        answer = proving.outcome(limit, stop)
    if answer is not Outcome.UNSAT:
        raise Incomplete(f"Z3 answers {answer.value} to the pair's formula")
    if not points:
        confirm(dialogue)
    return Claim(formula, text, z3_version())


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
        return obligation(read(formula))
    except (Unreadable, RecursionError) as error:
        raise Incomplete(f"the pair's formula cannot be printed: {error}") from error


def reduce(dialogue: Dialogue, layout: Layout) -> str:
    """A formula that implies the pair's theorem, as `Formula.show` writes it."""
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    return reduce_stated(dialogue, layout)


def reduce_stated(dialogue: Dialogue, layout: Layout) -> str:
    """The same, where the theorem is stated already."""
    for sentence in opening(layout):
        dialogue.must(sentence)
    if not dialogue.tries("reduce_statement.", REDUCTION_SECONDS) or not dialogue.may("Defined."):
        dialogue.may("Abort.")
        raise Incomplete("the pair is outside the fragment that is translated to SMT-LIB")
    dialogue.must("From Coq Require Import String.")
    printed = dialogue.must(
        "Eval vm_compute in (Truespec.Formula.show "
        "(Coq.Init.Specif.proj1_sig (Coq.Init.Specif.projT2 Truespec_reduction)))."
    )
    found = re.search(r'"([^"]*)"', printed)
    if found is None:
        raise Incomplete(f"the reduction printed no formula: {printed[:80]}")
    return " ".join(found.group(1).split())


def confirm(dialogue: Dialogue) -> None:
    """`Incomplete` where the reduction rests on another axiom than `classic`, trusted in any case."""
    assumptions(dialogue.must("Print Assumptions Truespec_reduction."))


def opening(layout: Layout) -> list[str]:
    """What stands between the statement and the reduction."""
    sides = f"(Truespec_oracle_holds {layout.names}) (Truespec_candidate_holds {layout.names})"
    shown = "; ".join(f"show {argument.name}" for argument in layout.arguments)
    return [
        "Import Truespec.Reify.",
        f"Ltac unfold_pair ::= cbv beta iota zeta delta [{' '.join(layout.unfolded())}] in *.",
        "Ltac show_arguments ::= lazymatch goal with |- Under ?rs ?f _ => change (Under rs f "
        f"(forall {layout.binders}, About [{shown}]%list (Coq.Init.Logic.iff {sides}))) end.",
        "Definition Truespec_reduction : Coq.Init.Specif.sigT (fun _ : Coq.Init.Datatypes.list "
        "Truespec.Reify.reader => Coq.Init.Specif.sig (fun f : Truespec.Formula.formula => "
        "Truespec.Formula.valid f -> Truespec_statement)).",
    ]


class Z3:
    """A process of Z3 at work on an SMT-LIB text, ended with the block it was opened for."""

    def __init__(self, text: str) -> None:
        self._process = subprocess.Popen(
            [_z3(), "-in", "-smt2", f"-memory:{MEMORY_MEGABYTES}"],
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
        """What it says of the text; unknown where `patience` runs out before."""
        lines = self.printed(limit, stop, patience).split()
        return Outcome(lines[0]) if lines[:1] in (["sat"], ["unsat"]) and len(lines) == 1 else Outcome.UNKNOWN

    def printed(self, limit: Limit, stop: threading.Event, patience: float | None = None) -> str:
        """All that it prints; nothing where `patience` runs out, `Interrupted` where it is not wanted."""
        began = time.monotonic()
        while self._said is None and (patience is None or time.monotonic() - began < patience):
            limit.check()
            if stop.is_set():
                raise Interrupted
            with contextlib.suppress(subprocess.TimeoutExpired):
                sent, self._unsent = self._unsent, None
                self._said = self._process.communicate(sent, timeout=0.05)[0]
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
