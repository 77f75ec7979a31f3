"""Proves that the two specifications are equal for all arguments, by a portfolio of tactics."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass

from truespec.domains.rocq.check import CLOSED
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.refuter import Dialogue
from truespec.domains.rocq.session import Session
from truespec.solvers.limit import Limit
from truespec.verdict import Incomplete

STRATEGIES: tuple[tuple[str, float], ...] = (
    ("by_computation", 0.3),
    ("by_normal_form", 0.3),
    ("by_descent", 0.7),
    ("by_recursion", 0.5),
    ("by_ground", 0.8),
    ("by_values", 0.4),
    ("by_functions", 0.5),
    ("by_matches", 0.5),
    ("by_descent_cases", 0.6),
    ("by_index", 0.7),
    ("by_closed_form", 0.4),
    ("by_ground_indices", 1.0),
    ("by_nonlinear", 0.3),
    ("by_induction", 0.6),
    ("by_two_steps", 0.3),
    ("by_evidence", 0.4),
    ("by_witness", 0.5),
    ("by_substitution", 0.3),
    ("by_search_cases", 0.6),
    ("by_elements", 0.3),
    ("by_indices", 0.6),
    ("by_shifted_index", 0.5),
    ("by_given_value", 0.4),
    ("by_two_lists", 0.3),
    ("by_cases", 0.4),
    ("by_extension", 0.4),
    ("by_plain_ground", 0.5),
    ("by_search", 0.5),
    ("by_nonlinear_search", 0.6),
    ("by_enumeration", 0.6),
)
"""Tactics of the library in the order they are tried, with the processor seconds each may use at first."""
PATIENCE = (1.0, 6.0)
"""A second round gives those that ran out of time this many times more."""
IMPLICATION = 0.8
"""Processor seconds for the relation of a refuted candidate."""
CLASSIC = re.compile(r"classic\s*:\s*forall P : Prop, P \\/ ~ P")
"""The one axiom a proof may rest on, as Rocq prints it."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A proof that the kernel accepted."""

    tactic: str
    """The tactic that found it."""
    classical: bool
    """Whether it rests on the law of excluded middle."""


def prove(session: Session, layout: Layout, limit: Limit, stop: threading.Event) -> Proved:
    """Try the strategies in order; `Incomplete` where none succeeds."""
    dialogue = Dialogue(session, limit, stop)
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    for sentence in opening(layout):
        dialogue.must(sentence)
    dialogue.must(THEOREM)
    unfinished = STRATEGIES
    for patience in PATIENCE:
        late = []
        for strategy, work in unfinished:
            before = session.worked()
            if dialogue.tries(f"{strategy}.", work * patience):
                if dialogue.may("Qed."):
                    return Proved(
                        strategy, assumptions(dialogue.must("Print Assumptions Truespec_equivalent."))
                    )
                dialogue.must(THEOREM)
            elif session.worked() - before >= work * patience:
                late.append((strategy, work))
        unfinished = tuple(late)
    raise Incomplete("no strategy of the portfolio proves the equivalence")


def implied(session: Session, layout: Layout, premise: str, conclusion: str, limit: Limit) -> bool:
    """Whether one side (`oracle` or `candidate`) is soon proved to imply the other."""
    dialogue = Dialogue(session, limit, threading.Event())
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout)):
        dialogue.must(sentence)
    binders, names = layout.context.signature.binders, layout.names
    dialogue.must(
        f"Theorem Truespec_implication : forall {binders}, Truespec.Prove.implies "
        f"(Truespec_{premise}_holds {names}) (Truespec_{conclusion}_holds {names})."
    )
    if not (dialogue.tries("by_implication.", IMPLICATION) and dialogue.may("Qed.")):
        return False
    try:
        assumptions(dialogue.must("Print Assumptions Truespec_implication."))
    except Incomplete:
        return False
    return True


THEOREM = "Theorem Truespec_equivalent : Truespec_statement."
"""The verdict's theorem."""


def opening(layout: Layout) -> list[str]:
    """What stands between the statement and its proof."""
    return [
        "Import Truespec.Portfolio.",
        f"Ltac unfold_pair ::= cbv beta iota zeta delta [{' '.join(layout.unfolded())}] in *.",
    ]


def assumptions(printed: str) -> bool:
    """Whether the theorem rests on `classic`; `Incomplete` where it rests on any other axiom."""
    text = printed.strip()
    if text.endswith(CLOSED):
        return False
    _, _, axioms = text.partition("Axioms:")
    if CLASSIC.fullmatch(
        axioms.replace("Coq.Logic.Classical_Prop.", "").replace("Classical_Prop.", "").strip()
    ):
        return True
    raise Incomplete(f"the proof rests on axioms: {' '.join(text.split())[:200]}")
