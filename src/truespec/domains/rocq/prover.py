"""Proves that the two specifications are equal for all arguments, by a portfolio of tactics."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass

from truespec.domains.rocq.axioms import rests_on_classic_at_most
from truespec.domains.rocq.conjectures import SUGGESTED, conjectured
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.ordering import AT_ONCE, ordered
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.session import Dead, Interrupted, Session
from truespec.domains.rocq.strategies import STRATEGIES, Strategy
from truespec.domains.rocq.typecheck import CLOSED
from truespec.solvers.limit import Limit
from truespec.verdict import Incomplete, OutOfMemory

PATIENCE = 6.0
"""Each round after the second gives those that ran out of time so many times more, while the limit lasts."""
EARLY_SECONDS = 0.4
"""After so many processor seconds, laws of the two sides are looked for."""
EARLY = 2
"""So many strategies are tried before the time is looked at."""
PREPARATION = "prepare"
"""The tactic that takes what both sides ask for, and writes functions that say the same as one."""
PREPARATION_SECONDS = 0.5
"""Its processor seconds."""
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
    law: str = ""
    """The general equation of the two sides by which the tactic proves the theorem, where it is given one."""


def prove(
    session: Session,
    layout: Layout,
    limit: Limit,
    stop: threading.Event,
    first_round: threading.Event | None = None,
    accepted: threading.Event | None = None,
) -> Proved:
    """Try the strategies in order; `Incomplete` where none succeeds. `first_round` is set after two.

    `accepted` is set once the kernel has accepted a proof, unless that rests on another axiom than `classic`.

    Where the preparation has something to do, each round goes through the prepared theorem first.
    """
    dialogue = Dialogue(session, limit, stop)
    _state(dialogue, layout)
    every, ended = ordered(STRATEGIES, layout), set[str]()
    accepted = accepted or threading.Event()
    found = _round(dialogue, layout, False, every[: len(AT_ONCE)], 0, ended, accepted)
    if isinstance(found, Proved):
        return found
    prepares = _prepares(dialogue, layout)
    late, place = () if prepares else found, 0 if prepares else len(AT_ONCE)
    began = session.worked()
    while place < len(every) and session.worked() - began < EARLY_SECONDS:
        found = _round(dialogue, layout, prepares, every[place : place + EARLY], 0, ended, accepted)
        if isinstance(found, Proved):
            return found
        late, place = (*late, *found), place + EARLY
    if (by_law := _by_law(dialogue, layout, accepted)) is not None:
        return by_law
    unfinished, turn = {prepares: every[place:]}, 0
    if prepares:
        unfinished[False] = tuple(one for one in every if not one.as_stated)
    while any(unfinished.values()):
        for prepared, strategies in unfinished.items():
            found = _round(dialogue, layout, prepared, strategies, turn, ended, accepted)
            if isinstance(found, Proved):
                return found
            unfinished[prepared] = found if turn or prepared != prepares else (*late, *found)
        if first_round is not None and turn:
            first_round.set()
        turn += 1
    raise Incomplete("no strategy of the portfolio proves the equivalence")


def _round(
    dialogue: Dialogue,
    layout: Layout,
    prepared: bool,
    strategies: tuple[Strategy, ...],
    turn: int,
    ended: set[str],
    accepted: threading.Event,
) -> Proved | tuple[Strategy, ...]:
    """A proof, or the strategies that ran out of time; `ended` holds those under which a process ended."""
    session, late, form = dialogue.session, list[Strategy](), prepared
    _open(dialogue, form)
    for strategy in strategies:
        if form != (prepared and not strategy.as_stated):
            form = not form
            dialogue.must("Abort.")
            _open(dialogue, form)
        work, before = share(strategy, turn), session.worked()
        try:
            proved = dialogue.tries(f"{strategy.name}.", work)
        except (Interrupted, OutOfMemory, Dead) as end:
            # What ran out of time gets more in the next round; what ended the process, a second chance.
            _restart(dialogue, layout)
            _open(dialogue, form)
            if isinstance(end, Interrupted) or strategy.name not in ended:
                late.append(strategy)
            if not isinstance(end, Interrupted):
                ended.add(strategy.name)
            continue
        if proved:
            if dialogue.may("Qed."):
                name = f"{PREPARATION}; {strategy.name}" if form else strategy.name
                return Proved(name, _looked_over(dialogue, accepted))
            dialogue.may("Abort.")  # a proof that the kernel refuses may stay open
            _open(dialogue, form)
        elif session.worked() - before >= work:
            late.append(strategy)
    dialogue.must("Abort.")
    return tuple(late)


def _by_law(dialogue: Dialogue, layout: Layout, accepted: threading.Event) -> Proved | None:
    """A proof by an equation of the two sides in general form, which samples suggest."""
    try:
        law = conjectured(dialogue, layout, THEOREM)
    except (Interrupted, OutOfMemory, Dead, Incomplete):
        _restart(dialogue, layout)
        return None
    if law is None:
        return None
    if dialogue.may("Qed."):
        return Proved(SUGGESTED, _looked_over(dialogue, accepted), law=law)
    dialogue.may("Abort.")
    return None


def _looked_over(dialogue: Dialogue, accepted: threading.Event) -> bool:
    """Whether the proof rests on `classic`. Rocq walks through the library for it, half a second long."""
    accepted.set()
    try:
        return assumptions(dialogue.must("Print Assumptions Truespec_equivalent."))
    except BaseException:
        accepted.clear()
        raise


def _prepares(dialogue: Dialogue, layout: Layout) -> bool:
    """Whether the preparation has something to do."""
    dialogue.must(THEOREM)
    try:
        prepares = dialogue.tries(f"{PREPARATION}.", PREPARATION_SECONDS)
    except (Interrupted, OutOfMemory, Dead):
        _restart(dialogue, layout)
        return False
    dialogue.must("Abort.")
    return prepares


def _restart(dialogue: Dialogue, layout: Layout) -> None:
    """A new process in place of one that ended or did not stop when told to."""
    dialogue.limit.check()
    if dialogue.stop.is_set():
        raise Interrupted
    dialogue.session.kill()
    dialogue.session.ready(dialogue.stop)
    _state(dialogue, layout)


def share(strategy: Strategy, turn: int) -> float:
    """The processor seconds of a strategy in a round, counted from zero."""
    return strategy.seconds * PATIENCE ** (turn - 1) if turn else min(strategy.glance, strategy.seconds)


def _state(dialogue: Dialogue, layout: Layout) -> None:
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout)):
        dialogue.must(sentence)


def _open(dialogue: Dialogue, prepared: bool) -> None:
    """State the theorem; where it was seen to work, bring it to the form that the preparation gives it."""
    for sentence in (THEOREM, f"{PREPARATION}.") if prepared else (THEOREM,):
        dialogue.must(sentence)


def implied(session: Session, layout: Layout, premise: str, conclusion: str, limit: Limit) -> bool:
    """Whether one side (`oracle` or `candidate`) is soon proved to imply the other."""
    dialogue = Dialogue(session, limit, threading.Event())
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    return prove_implication(dialogue, layout, premise, conclusion, rests_on_classic_at_most(layout.context))


def prove_implication(
    dialogue: Dialogue, layout: Layout, premise: str, conclusion: str, axioms_known: bool = False
) -> bool:
    """Whether one side is proved to imply the other, after the pair's theorem was stated.

    What the proof rests on is looked at, unless it is known of all that the session has loaded.
    """
    for sentence in opening(layout):
        dialogue.must(sentence)
    binders, names = layout.binders, layout.names
    dialogue.must(
        f"Theorem Truespec_implication : forall {binders}, Truespec.Prove.implies "
        f"(Truespec_{premise}_holds {names}) (Truespec_{conclusion}_holds {names})."
    )
    if not (dialogue.tries("by_implication.", IMPLICATION) and dialogue.may("Qed.")):
        return False
    if axioms_known:
        return True
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
    pairs = "; ".join(f"try k (@{one}) (@{other})" for one, other in layout.counterparts())
    properties = "; ".join(f"try k (@{name})" for name in layout.defined())
    return [
        "Import Truespec.Portfolio.",
        f"Ltac unfold_pair ::= cbv beta iota zeta delta [{' '.join(layout.unfolded())}] in *.",
        f"Ltac for_recursive k ::= {each or 'idtac'}.",
        f"Ltac for_counterparts k ::= {pairs or 'idtac'}.",
        f"Ltac unfold_outermost ::= cbv beta iota zeta delta [{' '.join(layout.outermost())}] in *.",
        f"Ltac for_definitions k ::= {properties or 'idtac'}.",
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
