"""The grade `smt`: the kernel reduces a theorem to a formula over the integers, and a solver proves that.

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
from dataclasses import dataclass
from functools import cache

from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import assumptions
from truespec.domains.rocq.refuter import Dialogue
from truespec.domains.rocq.session import Interrupted, Session
from truespec.domains.rocq.smtlib import Unreadable, obligation, read
from truespec.domains.rocq.toolchain import toolchain
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import Incomplete, ToolMissing

LOAD = ("Require Truespec.Reify.",)
"""What a session needs."""
REDUCTION_SECONDS = 2.0
"""Processor seconds for the reduction of a theorem."""
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


def solve(session: Session, layout: Layout, limit: Limit, stop: threading.Event) -> Claim:
    """Reduce, then ask Z3; `Incomplete` where the pair is outside the fragment or Z3 proves nothing."""
    dialogue = Dialogue(session, limit, stop)
    formula = reduce(dialogue, layout)
    text = smtlib(formula)
    answer = run_z3(text, limit, stop)
    if answer is not Outcome.UNSAT:
        raise Incomplete(f"Z3 answers {answer.value} to the pair's formula")
    confirm(dialogue)
    return Claim(formula, text, z3_version())


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
        "Eval vm_compute in (Truespec.Formula.show (Coq.Init.Specif.proj1_sig Truespec_reduction))."
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
    return [
        "Import Truespec.Reify.",
        f"Ltac unfold_pair ::= cbv beta iota zeta delta [{' '.join(layout.unfolded())}] in *.",
        "Definition Truespec_reduction : Coq.Init.Specif.sig (fun f : Truespec.Formula.formula => "
        "Truespec.Formula.valid f -> Truespec_statement).",
    ]


def run_z3(text: str, limit: Limit, stop: threading.Event) -> Outcome:
    """What Z3 says of an SMT-LIB text; `Interrupted` where the answer is no longer wanted."""
    process = subprocess.Popen(
        [_z3(), "-in", "-smt2", f"-memory:{MEMORY_MEGABYTES}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        sent: str | None = text
        while True:
            limit.check()
            if stop.is_set():
                raise Interrupted
            with contextlib.suppress(subprocess.TimeoutExpired):
                printed = process.communicate(sent, timeout=0.05)[0]
                break
            sent = None
    finally:
        process.kill()
        process.wait()
    lines = printed.split()
    return Outcome(lines[0]) if lines[:1] in (["sat"], ["unsat"]) and len(lines) == 1 else Outcome.UNKNOWN


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
