"""Compiles a verdict again from scratch: each text alone in a file of its own, then the restated theorem."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from truespec.domains.contract import Implication, RawContext, Recheck, RecheckStatus
from truespec.domains.rocq import hammer
from truespec.domains.rocq.context import RocqContext, read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.lexer import sentences
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import CANDIDATE, ORACLE, PREAMBLE, Layout
from truespec.domains.rocq.prover import PREPARATION, assumptions, opening, prove_implication
from truespec.domains.rocq.refuter import STAGES, open_search, prove_at
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import LARGE_PAGES, MEMORY_BYTES, Interrupted, OpeningRefused, Session
from truespec.domains.rocq.smt import GRADE, LOAD, WHOLE, confirm, plans, reduce_stated, smtlib
from truespec.domains.rocq.smtlib import NEXT
from truespec.domains.rocq.terms import read_term
from truespec.domains.rocq.toolchain import toolchain
from truespec.domains.rocq.witness import to_json
from truespec.solvers import cvc5
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.solvers.scratch import Scratch
from truespec.verdict import (
    Answer,
    Counterexample,
    Incomplete,
    OutOfTime,
    Proof,
    SpecificationError,
    Undecided,
    Verdict,
)

PORTFOLIO = ("Require Truespec.Portfolio.",)
"""What a session needs for a proof by the portfolio."""
SEARCH = ("Require Truespec.Draw.",)
"""What a session needs for a refutation."""


class _Refused(Exception):
    """A file did not compile."""


def recheck(oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit) -> Recheck:
    """Compile the verdict's theorem in fresh processes; the candidate's file comes before the oracle's."""
    by = _by()
    context = read_context(raw)
    layout = Layout(context, screen(oracle), screen(candidate))
    try:
        if (wrong := _misshapen(layout, verdict)) is not None:
            return Recheck(RecheckStatus.FAILED, by, wrong)
        with _restated(layout, _load(verdict), limit) as dialogue:
            match verdict.answer, verdict.evidence:
                case Answer.EQUIVALENT, Proof(certificate=dict() as certificate) if (
                    certificate.get("grade") == GRADE
                ):
                    return _claim(dialogue, layout, certificate, by)
                case Answer.EQUIVALENT, Proof(certificate=dict() as certificate) if "script" in certificate:
                    return _script(dialogue, certificate["script"], by)
                case Answer.EQUIVALENT, Proof(certificate=dict() as certificate):
                    return _replay(dialogue, by, opening(layout), [_proof(certificate)])
                case Answer.REFUTED, Counterexample() as evidence:
                    return _refutation(dialogue, layout, evidence, by)
        return Recheck(RecheckStatus.NO_CERTIFICATE, by, "the verdict carries neither a tactic nor a point")
    except (_Refused, OpeningRefused, SpecificationError) as error:
        return Recheck(RecheckStatus.FAILED, by, str(error))
    except Interrupted:
        return Recheck(RecheckStatus.UNDECIDED, by, f"not finished within {limit.seconds:g} s")
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, by, str(error))


def _misshapen(layout: Layout, verdict: Verdict) -> str | None:
    """What no certificate looks like, whatever the texts say; None where a process has to be asked."""
    match verdict.answer, verdict.evidence:
        case Answer.EQUIVALENT, Proof(certificate=dict() as certificate):
            if certificate.get("grade") == GRADE:
                return _no_claim(layout, certificate)
            if "script" in certificate:
                script = certificate["script"]
                if not isinstance(script, list) or not hammer.reads_as_script(script, layout):
                    return f"the certificate's script is none: {str(script)[:80]!r}"
                return None
            tactic = str(certificate.get("tactic", ""))
            if not re.fullmatch(rf"({PREPARATION}; )?by_[a-z_]+", tactic):
                return f"the certificate names no strategy: {tactic[:80]!r}"
            law = str(certificate.get("law", "True"))
            if not reads_as_law(law):
                return f"the certificate's law is none: {law[:80]!r}"
        case Answer.REFUTED, Counterexample() as evidence:
            return _no_point(layout, evidence)
    return None


def reads_as_law(law: str) -> bool:
    """Whether this is one term that runs no tactic."""
    return len(sentences(f"({law}) .")) == 1 and "ltac" not in law and read_term(law) is not None


def _no_claim(layout: Layout, certificate: Mapping[str, object]) -> str | None:
    """Why a certificate of grade `smt` names no plan, or holds another text than its formula's."""
    plan = str(certificate.get("plan", WHOLE))
    if plan not in plans(layout):
        return f"the certificate names no plan: {plan[:80]!r}"
    try:
        if smtlib(str(certificate.get("formula"))) == certificate.get("smtlib"):
            return None
    except Incomplete:
        pass
    return "the certificate's SMT-LIB text is not that of its formula"


def _no_point(layout: Layout, evidence: Counterexample) -> str | None:
    """Why a counterexample does not give one value to each argument, both as a term and in JSON."""
    point = evidence.extra.get("rocq")
    names = [argument.name for argument in layout.arguments]
    if not isinstance(point, Mapping) or set(point) != set(names):
        return "the counterexample names no value for each argument"
    shown = [str(point[name]) for name in names]
    if any(len(sentences(f"{value} .")) != 1 or "ltac" in value for value in shown):
        return "a value of the counterexample is no term"
    if evidence.point.get("args") != {name: to_json(value) for name, value in zip(names, shown)}:
        return "the values in JSON are not those in Rocq's syntax"
    return None


def implies(premise: str, conclusion: str, raw: RawContext, limit: Limit) -> Implication:
    """Whether the kernel accepts a proof, in fresh processes, that one text implies another."""
    layout = Layout(read_context(raw), screen(premise), screen(conclusion))
    try:
        with _restated(layout, PORTFOLIO, limit) as dialogue:
            if prove_implication(dialogue, layout, "oracle", "candidate"):
                return Implication(True, _by())
    except (_Refused, OpeningRefused, SpecificationError, Undecided) as error:
        return Implication(None, _by(), str(error))
    except Interrupted:
        return Implication(None, _by(), f"not finished within {limit.seconds:g} s")
    return Implication(None, _by(), "no strategy proves it")


def _load(verdict: Verdict) -> Iterable[str]:
    """What of the library the re-check of a verdict needs."""
    match verdict.evidence:
        case Counterexample():
            return SEARCH
        case Proof(certificate=dict() as certificate) if certificate.get("grade") == GRADE:
            return LOAD
        case Proof(certificate=dict() as certificate) if "script" in certificate:
            return ()
    return PORTFOLIO


def _by() -> str:
    return f"coqc {toolchain().version}, fresh processes"


@contextlib.contextmanager
def _restated(layout: Layout, load: Iterable[str], limit: Limit) -> Iterator[Dialogue]:
    """Each text compiled alone, then a fresh process that states the pair's theorem."""
    with Scratch("recheck") as folder:
        texts = [(CANDIDATE, layout.candidate), (ORACLE, layout.oracle)]
        if layout.context.preamble.sentences:
            texts.insert(0, (PREAMBLE, layout.context.preamble))
        for module, text in texts:
            _compile(folder, module, layout.context, (sentence.text for sentence in text.sentences), limit)
        dialogue = _fresh(folder, layout, load, limit)
        try:
            yield dialogue
        finally:
            dialogue.session.kill()


def _proof(certificate: Mapping[str, object]) -> str:
    """The sentence that proves the theorem by a strategy, which may be given a law."""
    law = f" ({certificate['law']})" if "law" in certificate else ""
    return f"{certificate.get('tactic', '')}{law}."


def _script(dialogue: Dialogue, script: list[str], by: str) -> Recheck:
    """Run a script of CoqHammer's reconstruction tactics again; no external prover is called."""
    if not toolchain().hammer:
        return Recheck(RecheckStatus.UNDECIDED, by, f"CoqHammer is not installed: {hammer.INSTALL}")
    return _replay(dialogue, by, hammer.OPENING, script)


def _replay(dialogue: Dialogue, by: str, opened: Iterable[str], script: Iterable[str]) -> Recheck:
    for sentence in (*opened, "Theorem verdict : Truespec_statement.", *script, "Qed."):
        reply = dialogue.session.say(sentence, dialogue.limit.remaining())
        if not reply.ok:
            return Recheck(RecheckStatus.FAILED, by, f"{sentence} {reply.text[-300:]}")
    try:
        assumptions(dialogue.must("Print Assumptions verdict."))
    except Incomplete as error:
        return Recheck(RecheckStatus.FAILED, by, str(error))
    return Recheck(RecheckStatus.CONFIRMED, by)


def _claim(dialogue: Dialogue, layout: Layout, certificate: Mapping[str, object], by: str) -> Recheck:
    """Reduce the theorem again, compare what the solver read, and ask another solver."""
    formula = reduce_stated(dialogue, layout, str(certificate.get("plan", WHOLE)))
    text = smtlib(formula)
    if (certificate.get("formula"), certificate.get("smtlib")) != (formula, text):
        return Recheck(RecheckStatus.FAILED, by, "the certificate is not what the texts are reduced to")
    try:
        confirm(dialogue)
    except Incomplete as error:
        return Recheck(RecheckStatus.FAILED, by, str(error))
    by = f"{by}, and {cvc5.version()}"
    said = {_second(question, dialogue.limit) for question in text.split(NEXT)}
    if Outcome.SAT in said:
        return Recheck(RecheckStatus.FAILED, by, "the second solver finds a model of the negated formula")
    if said == {Outcome.UNSAT}:
        return Recheck(RecheckStatus.CONFIRMED, by)
    return Recheck(
        RecheckStatus.UNDECIDED,
        by,
        f"the reduction is confirmed; the second solver does not prove what {certificate.get('solver')} did",
    )


def _second(question: str, limit: Limit) -> Outcome:
    """What cvc5 says of a question; where it knows nothing, also with instances by enumeration."""
    said = cvc5.check(question, limit)
    return cvc5.check(question, limit, **{"enum-inst": "true"}) if said is Outcome.UNKNOWN else said


def _refutation(dialogue: Dialogue, layout: Layout, evidence: Counterexample, by: str) -> Recheck:
    point: Any = evidence.extra["rocq"]
    shown = [str(point[argument.name]) for argument in layout.arguments]
    open_search(dialogue, layout)
    try:
        prove_at(dialogue, layout, shown, evidence.oracle_value is True, False, STAGES[-1][1])
    except Incomplete as error:
        return Recheck(RecheckStatus.FAILED, by, str(error))
    return Recheck(RecheckStatus.CONFIRMED, by)


def _fresh(folder: Path, layout: Layout, load: Iterable[str], limit: Limit) -> Dialogue:
    """A fresh process in which both files are required, the preamble imported, the pair's theorem stated."""
    prelude = [sentence.text for sentence in layout.context.prelude]
    texts = [*_imports(layout.context), f"Require {CANDIDATE}.", f"Require {ORACLE}."]
    session = Session([*prelude, *texts, *load], library(), folder)
    session.until = limit.ends
    try:
        session.ready()
        dialogue = Dialogue(session, limit, threading.Event())
        for sentence in layout.statement():
            dialogue.must(sentence)
    except BaseException:
        session.kill()
        raise
    return dialogue


def _imports(context: RocqContext) -> list[str]:
    """What makes the shared definitions known, where there are any."""
    return [f"Require Import {PREAMBLE}."] if context.preamble.sentences else []


def _compile(folder: Path, name: str, context: RocqContext, body: Iterable[str], limit: Limit) -> None:
    opening_lines = [sentence.text for sentence in context.prelude]
    if name != PREAMBLE:
        opening_lines += _imports(context)
    source = folder / f"{name}.v"
    source.write_text("\n".join([*opening_lines, *body, ""]), encoding="utf-8")
    command = [*toolchain().compiler, "-q", "-w", "none", "-R", str(folder), "Texts", str(source)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=os.environ | LARGE_PAGES,
        start_new_session=True,
    )
    try:
        hard = resource.prlimit(process.pid, resource.RLIMIT_AS)[1]
        bound = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
        resource.prlimit(process.pid, resource.RLIMIT_AS, (bound, bound))
        printed = process.communicate(timeout=limit.remaining())[0].decode("utf-8", "replace")
    except subprocess.TimeoutExpired as error:
        raise OutOfTime(f"{name}.v did not compile in time") from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode != 0:
        raise _Refused(f"{name}.v does not compile: {' '.join(printed.split())[-300:]}")
