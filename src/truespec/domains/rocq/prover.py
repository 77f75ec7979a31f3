"""Proves that the two specifications are equal for all arguments, by a portfolio of tactics."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass

from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.ordering import Strategy, ordered
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.session import Dead, Interrupted, Session
from truespec.domains.rocq.typecheck import CLOSED
from truespec.solvers.limit import Limit
from truespec.verdict import Incomplete, OutOfMemory

STRATEGIES: tuple[Strategy, ...] = (
    Strategy("by_computation", 0.3),
    Strategy("by_normal_form", 0.3),
    Strategy("by_descent", 0.7),
    Strategy("by_recursion", 0.5),
    Strategy("by_ground", 0.8),
    Strategy("by_values", 0.4),
    Strategy("by_structure", 0.8, 0.4),
    Strategy("by_forms", 3.0),
    Strategy("by_functions", 0.5),
    Strategy("by_matches", 0.5),
    Strategy("by_descent_cases", 0.6),
    Strategy("by_index", 0.7),
    Strategy("by_closed_form", 0.4),
    Strategy("by_ground_indices", 1.0),
    Strategy("by_nonlinear", 0.3),
    Strategy("by_induction", 0.6),
    Strategy("by_two_steps", 0.3),
    Strategy("by_evidence", 0.4),
    Strategy("by_witness", 0.5),
    Strategy("by_substitution", 0.3),
    Strategy("by_search_cases", 0.6),
    Strategy("by_elements", 0.3),
    Strategy("by_indices", 0.6),
    Strategy("by_shifted_index", 0.5),
    Strategy("by_given_value", 0.4),
    Strategy("by_two_lists", 0.3),
    Strategy("by_cases", 0.4),
    Strategy("by_extension", 0.4),
    Strategy("by_plain_ground", 0.5),
    Strategy("by_quotients", 0.5),
    Strategy("by_list_cases", 0.4),
    Strategy("by_search", 0.5),
    Strategy("by_nonlinear_search", 0.6),
    Strategy("by_enumeration", 0.6),
    Strategy("by_output", 1.0),
    Strategy("by_ends", 0.6),
    Strategy("by_first_elements", 0.6),
    Strategy("by_rows", 0.6),
    Strategy("by_tables", 0.4),
    Strategy("by_steps", 0.8),
    Strategy("by_derivation", 0.5),
    Strategy("by_divisors", 0.6),
    Strategy("by_roots", 0.5),
    Strategy("by_calls", 0.4),
    Strategy("by_places", 0.4),
    Strategy("by_heads", 0.3),
    Strategy("by_normal_heads", 0.4),
    Strategy("by_letters", 0.3),
    Strategy("by_texts", 0.4, 0.4),
    Strategy("by_cuts", 0.4),
    Strategy("by_mirror", 0.2),
    Strategy("by_factors", 0.2),
    Strategy("by_scans", 0.7, 0.4),
    Strategy("by_sorting", 0.5),
    Strategy("by_orders", 0.3),
    Strategy("by_parts", 0.6, 0.5),
    Strategy("by_ranges", 0.4),
    Strategy("by_two_scans", 0.3),
    Strategy("by_remainders", 0.3),
    Strategy("by_bounds", 0.4),
    Strategy("by_codes", 0.5, 0.5),
    Strategy("by_logic", 0.4),
    Strategy("by_multiplicity", 0.5),
    Strategy("by_matching", 0.8),
    Strategy("by_appends", 0.4),
    Strategy("by_ordering", 0.5, 0.4),
    Strategy("by_flattening", 0.4),
    Strategy("by_pairs", 0.4),
    Strategy("by_conditions", 0.6),
    Strategy("by_folds", 0.5, 0.4),
    Strategy("by_readings", 1.0, 0.4),
    Strategy("by_returns", 0.5),
    Strategy("by_found", 0.8, 0.5),
    Strategy("by_positions", 0.6, 0.4),
    Strategy("by_pointwise", 0.8, 0.3),
    Strategy("by_letter_places", 2.0, 1.5),
    Strategy("by_premises", 0.6, 0.3),
    Strategy("by_tabulation", 0.6, 0.3),
    Strategy("by_two_values", 0.3),
    Strategy("by_states", 0.4, 0.3),
    Strategy("by_members", 0.7, 0.4),
    Strategy("by_extremes", 0.6, 0.3),
    Strategy("by_number_orders", 1.0, 0.8),
    Strategy("by_zero_or_next", 0.6, 0.3),
    Strategy("by_pushed", 0.3),
    Strategy("by_neighbours", 0.5, 0.3),
    Strategy("by_parity", 0.4),
    Strategy("by_common_divisors", 1.2, 0.9),
)
"""The tactics, with the processor seconds each may use in the second round; `ordering.py` says the order."""
PATIENCE = 6.0
"""Each round after the second gives those that ran out of time so many times more, while the limit lasts."""
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
    script: tuple[str, ...] = ()
    """The sentences of the proof, where it is no tactic of the library."""


def prove(
    session: Session,
    layout: Layout,
    limit: Limit,
    stop: threading.Event,
    first_round: threading.Event | None = None,
) -> Proved:
    """Try the strategies in order; `Incomplete` where none succeeds. `first_round` is set after two."""
    dialogue = Dialogue(session, limit, stop)
    _state(dialogue, layout)
    unfinished = ordered(STRATEGIES, layout)
    turn, ended = 0, set[str]()
    while unfinished:
        late: list[Strategy] = []
        for strategy in unfinished:
            work, before = share(strategy, turn), session.worked()
            try:
                proved = dialogue.tries(f"{strategy.name}.", work)
            except (Interrupted, OutOfMemory, Dead) as end:
                limit.check()
                if stop.is_set():
                    raise
                # The tactic did not stop when told to, or the process ended under it; others may succeed.
                # What ran out of time gets more in the next round; what ended the process, a second chance.
                session.kill()
                session.ready(stop)
                _state(dialogue, layout)
                if isinstance(end, Interrupted) or strategy.name not in ended:
                    late.append(strategy)
                if not isinstance(end, Interrupted):
                    ended.add(strategy.name)
                continue
            if proved:
                if dialogue.may("Qed."):
                    return Proved(
                        strategy.name, assumptions(dialogue.must("Print Assumptions Truespec_equivalent."))
                    )
                dialogue.may("Abort.")  # a proof that the kernel refuses may stay open
                dialogue.must(THEOREM)
            elif session.worked() - before >= work:
                late.append(strategy)
        if first_round is not None and turn:
            first_round.set()
        unfinished, turn = tuple(late), turn + 1
    raise Incomplete("no strategy of the portfolio proves the equivalence")


def share(strategy: Strategy, turn: int) -> float:
    """The processor seconds of a strategy in a round, counted from zero."""
    return strategy.seconds * PATIENCE ** (turn - 1) if turn else min(strategy.glance, strategy.seconds)


def _state(dialogue: Dialogue, layout: Layout) -> None:
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout), THEOREM):
        dialogue.must(sentence)


def implied(session: Session, layout: Layout, premise: str, conclusion: str, limit: Limit) -> bool:
    """Whether one side (`oracle` or `candidate`) is soon proved to imply the other."""
    dialogue = Dialogue(session, limit, threading.Event())
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    return prove_implication(dialogue, layout, premise, conclusion)


def prove_implication(dialogue: Dialogue, layout: Layout, premise: str, conclusion: str) -> bool:
    """Whether one side is proved to imply the other, after the pair's theorem was stated."""
    for sentence in opening(layout):
        dialogue.must(sentence)
    binders, names = layout.binders, layout.names
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
    each = "; ".join(f"try k (@{name})" for name in layout.recursive())
    return [
        "Import Truespec.Portfolio.",
        f"Ltac unfold_pair ::= cbv beta iota zeta delta [{' '.join(layout.unfolded())}] in *.",
        f"Ltac for_recursive k ::= {each or 'idtac'}.",
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
