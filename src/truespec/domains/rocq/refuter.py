"""Finds an input on which the two specifications differ, and has the kernel check that they do.

Both sides get three-valued evaluators (`Semi.v`). The kernel's virtual machine searches a typed sample, then
drawn inputs with the outputs that the specifications ask for there (`Draw.v`). The negated equivalence at the
point found is closed by reflection, free of axioms.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from truespec.domains.rocq.datatypes import Family, families
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.functions import (
    FUNCTIONS,
    abbreviations,
    searched,
    takes_functions,
    type_names,
    with_answers,
)
from truespec.domains.rocq.instances import draw_instances, search_instances
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.sampling import Sample, fuel_of, numbers_of, widest
from truespec.domains.rocq.session import PAUSE_SECONDS, Interrupted, Session
from truespec.domains.rocq.typecheck import CLOSED
from truespec.domains.rocq.witness import to_json
from truespec.solvers.limit import Limit
from truespec.verdict import JSON, Incomplete

STAGES = ((600, 3), (4_000, 4), (15_000, 6))
"""How many tuples a stage may hold, and how far its inner quantifiers are sampled."""
ROUNDS, EARLY_ROUNDS, DRAWN = 60, 2, 150
"""How many rounds of drawn inputs there are, how many come early, and how many inputs are in a round."""
SCALES = (4, 12)
"""The least and the greatest size of what is drawn; it grows from round to round."""
LEAST_SWEPT = 20
"""How many numbers in turn a round tries at least."""
ROUND_SECONDS, EARLY_SECONDS = 0.8, 0.4
"""Processor seconds of a round; one that takes longer is given up, and the next one draws smaller inputs."""
ASKING_SECONDS = 0.3
"""Processor seconds for reading off what a specification asks of one argument."""
NEAR = 300
"""How many neighbours of each suggested point are tried."""
HALF_DECIDED = 1.5
"""Processor seconds for what no evaluator decides at one point."""


NUMBERS = "From Coq Require Import ZArith."
"""What is read before where the context may have hidden it: it takes as long as all the rest."""
OPENING = (
    "From Coq Require Import String Ascii List.",
    "Import ListNotations.",
    "Import Truespec.Data.",
)
"""What stands between the statement and the search: values are written in these notations."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """A point where exactly one specification holds, with what the kernel checked."""

    point: dict[str, str]
    """Each argument in Rocq's syntax."""
    oracle_holds: bool
    """Whether the oracle holds there; the candidate does not then, and conversely."""
    statement: str
    """The theorem."""
    both_ways: bool
    """Whether another point was found where the other one holds alone."""

    def values(self) -> dict[str, JSON]:
        """The point in JSON."""
        return {name: to_json(shown) for name, shown in self.point.items()}


def opening(layout: Layout) -> tuple[str, ...]:
    """What stands between the statement and the search."""
    context = layout.context
    numbers = () if context.usual and not context.preamble.sentences else (NUMBERS,)
    return (*numbers, *OPENING, *((FUNCTIONS,) if takes_functions(layout) else ()))


def refute(
    session: Session,
    layout: Layout,
    limit: Limit,
    stop: threading.Event,
    enumerated: threading.Event | None = None,
    enough: threading.Event | None = None,
    crowded: Callable[[], bool] = lambda: False,
) -> Refutation:
    """Search, then prove; `Incomplete` where nothing was found.

    `enumerated` is set when what follows are drawn inputs; they end where `enough` is set, and take half of
    the time while it is `crowded`.
    """
    dialogue = Dialogue(session, limit, stop)
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement()):
        dialogue.must(sentence)
    oracle, candidate = _derive(dialogue, layout)
    answers = _answers(dialogue, layout) if takes_functions(layout) and layout.context.inner else {}
    if not (oracle and candidate):
        points = f"(firstn 300 {widest(layout, 2, 300, 4)})"
        return _refute_by_points(dialogue, layout, points, oracle, candidate)
    tried: set[str] = set()
    asked: list[Asked] = []
    for stage, (cap, size) in enumerate(STAGES):
        sample = Sample(str(stage), widest(layout, size, cap, 8), fuel_of(layout, size), size)
        found = _search(dialogue, layout, sample)
        if found is not None:
            shown, oracle_holds, both_ways = found
            shown = [with_answers(text, answers) for text in shown]
            return prove_at(dialogue, layout, shown, oracle_holds, both_ways, size)
        if layout.context.inner:  # what holds of all arguments is proved, not evaluated
            with contextlib.suppress(Incomplete):
                return _refute_half_decided(dialogue, layout, sample, answers, tried)
        if stage == 0:
            asked = _asked_for(dialogue, layout)
            with contextlib.suppress(Incomplete):
                return _refute_asked(dialogue, layout, asked)
            with contextlib.suppress(Incomplete):
                return _refute_drawn(dialogue, layout, asked, range(EARLY_ROUNDS))
    if enumerated is not None:
        enumerated.set()
    cap, size = STAGES[1]
    sample = Sample("1", widest(layout, size, cap, 8), fuel_of(layout, size), size)
    with contextlib.suppress(Incomplete):
        return _refute_half_decided(dialogue, layout, sample, answers, tried)
    return _refute_drawn(dialogue, layout, asked, range(EARLY_ROUNDS, ROUNDS), enough, crowded)


def _refute_drawn(
    dialogue: Dialogue,
    layout: Layout,
    asked: Sequence[Asked],
    rounds: range,
    enough: threading.Event | None = None,
    crowded: Callable[[], bool] = lambda: False,
) -> Refutation:
    """Search among drawn inputs, and what the specifications ask for there, as long as it is worth it."""
    if takes_functions(layout):
        raise Incomplete("functions are enumerated, not drawn")
    type_ = searched(layout).type
    size, scale = STAGES[1][1], SCALES[0]
    numbers = [number for number, one in enumerate(layout.arguments) if one.type in ("Z", "nat")]
    count, reached = DRAWN, [0] * len(numbers)
    for number in rounds:
        if enough is not None and enough.is_set():
            break
        given, seed = f"({type_}) {fuel_of(layout, scale)}", f"{1 + 7919 * number}%N"
        sweeping = number // 2 % len(numbers) if numbers and number % 2 else None
        if sweeping is None:
            drawn = f"(drawn {given} {DRAWN}%nat {seed})"
            variants = [f"map (fun v => {one.point}) (firstn 3 (near {one.value}))" for one in asked]
        else:
            position = numbers[sweeping]
            values = list(searched(layout).values)
            values[position] = "(Z.of_nat i)" if layout.arguments[position].type == "Z" else "i"
            drawn = f"(swept {given} {reached[sweeping]}%nat {count}%nat {seed})"
            drawn = f"(map (fun q : nat * {type_} => let (i, p) := q in {_nested(values)}) {drawn})"
            variants = [f"[let v := {one.value} in {one.point}]" for one in asked]
        points = f"(flat_map (fun p : {type_} => concat [{'; '.join(['[p]', *variants])}]%list) {drawn})"
        sample = Sample(f"_drawn{number}", points, fuel_of(layout, size), size)
        before = dialogue.session.worked()
        try:
            found = _search(
                dialogue, layout, sample, EARLY_SECONDS if number < EARLY_ROUNDS else ROUND_SECONDS
            )
        except Incomplete:
            scale, count = max(SCALES[0], scale - 2), max(LEAST_SWEPT, count // 2)
            _rest(dialogue, dialogue.session.worked() - before, crowded)
            continue
        if found is not None:
            return prove_at(dialogue, layout, *found, size)
        if sweeping is None:
            scale = min(SCALES[1], scale + 1)
        else:
            reached[sweeping] += count
        _rest(dialogue, dialogue.session.worked() - before, crowded)
    raise Incomplete("no drawn input was found to separate the two")


def _rest(dialogue: Dialogue, seconds: float, crowded: Callable[[], bool]) -> None:
    """Leave so many seconds to others, as long as they need them."""
    until = time.monotonic() + seconds
    while crowded() and time.monotonic() < until:
        dialogue.limit.check()
        if dialogue.stop.wait(PAUSE_SECONDS):
            raise Interrupted


@dataclass(frozen=True, slots=True)
class Asked:
    """What a specification asks of one argument at given other ones, which are those of a tuple `p`."""

    position: int
    """Which argument it is."""
    point: str
    """The tuple with `v` for the argument."""
    value: str
    """The value that is asked for."""


def _refute_asked(dialogue: Dialogue, layout: Layout, asked: Sequence[Asked]) -> Refutation:
    """Search among small inputs, each with the outputs that are asked for there."""
    cap, size = STAGES[0]
    parts: list[str] = []
    for position in dict.fromkeys(one.position for one in asked):
        others = searched(layout, without=position).type
        outputs = "; ".join(
            f"let v := {one.value} in {one.point}" for one in asked if one.position == position
        )
        inputs = f"(widest ({others}) {fuel_of(layout, size)} {cap} 8 1)"
        parts.append(f"flat_map (fun p : {others} => [{outputs}]%list) {inputs}")
    sample = Sample("_asked", f"(concat [{'; '.join(parts)}]%list)", fuel_of(layout, size), size)
    found = _search(dialogue, layout, sample, EARLY_SECONDS) if parts else None
    if found is None:
        raise Incomplete("no small input with an output that is asked for separates the two")
    return prove_at(dialogue, layout, *found, size)


def _asked_for(dialogue: Dialogue, layout: Layout) -> list[Asked]:
    """What the specifications ask of each argument at given other ones."""
    asked: list[Asked] = []
    if takes_functions(layout):
        return asked
    dialogue.must("Import Truespec.Draw.")
    for family in declared(dialogue, layout):
        for attempt in draw_instances(family):
            dialogue.attempt(attempt)
    values = searched(layout).values
    typed = list(zip(layout.arguments, type_names(layout), strict=True))
    for position, (argument, type_) in enumerate(typed):
        others = [one for number, one in enumerate(typed) if number != position]
        point = _nested([*values[:position], "v", *values[position + 1 :]])
        if argument.type == "bool":
            asked += [Asked(position, point, "true"), Asked(position, point, "false")]
            continue
        for side in ("oracle", "candidate"):
            name = f"Truespec_asked_{side}_{position}"
            given = " ".join(f"({one.name} : {kind})" for one, kind in others)
            predicate = f"(fun {argument.name} : {type_} => Truespec_{side}_holds {layout.names})"
            unfolded = f"eval cbv beta iota zeta delta [{' '.join(layout.unfolded())}] in {predicate}"
            sentence = (
                f"Definition {name} {given} : {type_} := "
                f"ltac:(let predicate := {unfolded} in asked_for predicate)."
            )
            try:
                dialogue.must(sentence, ASKING_SECONDS)
            except Incomplete:
                continue
            applied = " ".join(value for number, value in enumerate(values) if number != position)
            asked.append(Asked(position, point, f"({name} {applied})"))
    return asked


def _nested(values: Sequence[str]) -> str:
    """A tuple whose pairs nest to the right."""
    return f"({', ('.join(values)}{')' * len(values)}"


def refute_near(dialogue: Dialogue, layout: Layout, points: list[list[str]]) -> Refutation:
    """The same at suggested points and close to them, in a session where the pair is stated."""
    oracle, candidate = _derive(dialogue, layout)
    tuples = "; ".join(_nested(point) for point in points)
    tuples = f"(close_to {NEAR} ([{tuples}]%list : list {searched(layout).type}))"
    if not (oracle and candidate):
        return _refute_by_points(dialogue, layout, tuples, oracle, candidate)
    size = STAGES[-1][1]
    fuel = fuel_of(layout, size, [number for point in points for number in numbers_of(point)])
    sample = Sample("_near", tuples, fuel, size)
    found = _search(dialogue, layout, sample)
    if found is not None:
        return prove_at(dialogue, layout, *found, size)
    return _refute_half_decided(dialogue, layout, sample, {}, set())


def _derive(dialogue: Dialogue, layout: Layout) -> tuple[bool, bool]:
    """Open the search and define what evaluators can be derived: of the oracle, of the candidate."""
    open_search(dialogue, layout)
    return dialogue.may("Check Truespec_eo."), dialogue.may("Check Truespec_ec.")


def open_search(dialogue: Dialogue, layout: Layout) -> None:
    """What the theorem of a refutation needs behind the statement: the types of the texts, and evaluators."""
    for sentence in (*abbreviations(layout), *opening(layout)):
        dialogue.must(sentence)
    for family in declared(dialogue, layout):
        for attempt in search_instances(family):
            dialogue.attempt(attempt)
    for statement, tactic in evaluators(layout):
        dialogue.define(statement, tactic)


def declared(dialogue: Dialogue, layout: Layout) -> list[Family]:
    """The data types that the texts declare."""
    return families(layout.declared(), dialogue.asks)


def _answers(dialogue: Dialogue, layout: Layout) -> dict[str, str]:
    """Functions that the two specifications themselves suggest, by name; the search uses them."""
    answers: dict[str, str] = {}
    (type_,) = type_names(layout)
    unfold = f"ltac:(cbv beta iota zeta delta [{' '.join(layout.unfolded())}])"
    for side in ("oracle", "candidate"):
        name = f"Truespec_answer_{side}"
        if dialogue.define(f"Definition {name} : {type_}.", f"suggest Truespec_{side}_holds {unfold}."):
            printed = dialogue.must(f"Eval cbv beta iota zeta delta [{name}] in {name}.")
            answers[name] = " ".join(printed.partition("=")[2].rpartition("\n     :")[0].split())
    known = "; ".join(f'({name}, "{name}"%string)' for name in answers)
    dialogue.may(f"#[local] Instance Truespec_rules : Rules _ _ := more (T := {type_}) [{known}]%list.")
    return answers


def evaluators(layout: Layout) -> Iterator[tuple[str, str]]:
    """Statements and tactics that define `Truespec_eo` and `Truespec_ec`, where evaluators can be derived."""
    unfold = f"cbv beta iota zeta delta [{' '.join(layout.unfolded())}]"
    for name in layout.recursive():
        short = name.replace(".", "_")
        kind = f"ltac:(let f := constr:(@{name}) in let t := type of f in semi_type f t)"
        yield f"#[local] Instance Truespec_semi_{short} : {kind}.", "semi_by_induction."
    names, types = layout.names, type_names(layout)
    binders = " ".join(f"({one.name} : {type_})" for one, type_ in zip(layout.arguments, types, strict=True))
    for name, side in (("Truespec_eo", "Truespec_oracle_holds"), ("Truespec_ec", "Truespec_candidate_holds")):
        yield (
            f"Definition {name} : forall {binders}, Semi ({side} {names}).",
            f"intros; {unfold}; resolve_semi.",
        )


def _search(
    dialogue: Dialogue, layout: Layout, sample: Sample, work: float | None = None
) -> tuple[list[str], bool, bool] | None:
    domain = searched(layout)
    applied = " ".join(domain.values)
    a, b = f"Truespec_a{sample.label}", f"Truespec_b{sample.label}"
    dialogue.must(f"Definition {a} (p : {domain.type}) := @ev _ (Truespec_eo {applied}) {sample.fuel}.")
    dialogue.must(f"Definition {b} (p : {domain.type}) := @ev _ (Truespec_ec {applied}) {sample.fuel}.")
    shown = "; ".join(domain.shown)
    text = dialogue.must(
        f"Eval vm_compute in (let l := {sample.tuples} in match separate {a} {b} l with "
        f"Some (p, v) => Some (v, [{shown}]%list, "
        f"match separate_as (negb v) {a} {b} l with Some _ => true | None => false end) | None => None end).",
        work,
    )
    match = re.search(r"=\s*Some\s*\((true|false),\s*\[(.*)\],\s*(true|false)\)", text, re.DOTALL)
    if match is None:
        return None
    return _strings(match.group(2)), match.group(1) == "true", match.group(3) == "true"


def _strings(printed: str) -> list[str]:
    return [" ".join(string.split()) for string in re.findall(r'"([^"]*)"', printed)]


def _refute_half_decided(
    dialogue: Dialogue, layout: Layout, sample: Sample, answers: dict[str, str], tried: set[str]
) -> Refutation:
    """Where one evaluator decides and the other does not, the other side is decided at the point itself."""
    shown = "; ".join(searched(layout).shown)
    text = dialogue.must(
        f"Eval vm_compute in (map (fun q => match q with (p, o, v) => (o, v, [{shown}]%list) end) "
        f"(half_decided 24 Truespec_a{sample.label} Truespec_b{sample.label} {sample.tuples}))."
    )
    for which, value, printed in re.findall(r"\((true|false),\s*(true|false),\s*\[([^\]]*)\]\)", text):
        if printed in tried:
            continue
        tried.add(printed)
        oracle_decided, holds = which == "true", value == "true"
        oracle_holds = holds if oracle_decided else not holds
        point = [with_answers(one, answers) for one in _strings(printed)]
        with contextlib.suppress(Incomplete):
            return prove_at(dialogue, layout, point, oracle_holds, False, sample.size, work=HALF_DECIDED)
    raise Incomplete("no input of the samples was found to separate the two")


def _refute_by_points(
    dialogue: Dialogue, layout: Layout, points: str, oracle: bool, candidate: bool
) -> Refutation:
    """One side has no evaluator: both are decided at small points one by one."""
    shown = "; ".join(searched(layout).shown)
    text = dialogue.must(f"Eval vm_compute in (map (fun p => [{shown}]%list) {points}).")
    side = "oracle" if not oracle else "candidate"
    for printed in re.findall(r"\[([^\[\]]*)\]", text):
        for oracle_holds in (True, False):
            try:
                return prove_at(dialogue, layout, _strings(printed), oracle_holds, False, 3, work=0.4)
            except Incomplete:
                continue
    raise Incomplete(f"no evaluator for the {side}, and no small input was found to separate the two")


def prove_at(
    dialogue: Dialogue,
    layout: Layout,
    shown: list[str],
    oracle_holds: bool,
    both_ways: bool,
    size: int,
    work: float | None = None,
) -> Refutation:
    """Have the kernel check that exactly one specification holds there; `Incomplete` where it cannot."""
    fuels = fuel_of(layout, size), fuel_of(layout, size, numbers_of(shown))
    statement, tactic = point_theorem(layout, shown, oracle_holds, *fuels)
    dialogue.must(f"Theorem Truespec_refuted : {statement}.")
    proved = dialogue.may(tactic) if work is None else dialogue.tries(tactic, work)
    if not proved or not dialogue.may("Qed."):
        dialogue.may("Abort.")
        raise Incomplete("the point could not be decided")
    assumptions = dialogue.must("Print Assumptions Truespec_refuted.")
    if not assumptions.endswith(CLOSED):
        raise Incomplete(f"the refutation rests on axioms: {assumptions[:200]}")
    point = {argument.name: value for argument, value in zip(layout.arguments, shown, strict=True)}
    return Refutation(point, oracle_holds, statement, both_ways)


def point_theorem(
    layout: Layout, shown: list[str], oracle_holds: bool, fuel: str, wider: str
) -> tuple[str, str]:
    """The negated equivalence at a point, and the tactic that proves it; `wider` has the point's numbers."""
    values = " ".join(f"({value})" for value in shown)
    oracle, candidate = f"Truespec_oracle_holds {values}", f"Truespec_candidate_holds {values}"
    statement = f"Coq.Init.Logic.not (Coq.Init.Logic.iff ({oracle}) ({candidate}))"
    unfold = f"cbv beta iota zeta delta [{' '.join(layout.unfolded())}]"

    at_function = f"solve [{unfold}; at_function {fuel}] | " if takes_functions(layout) else ""

    def side(evaluator: str, lemma: str) -> str:
        by_evaluator = " | ".join(
            f"solve [apply ({lemma} _ ({evaluator} {values}) {one}); vm_compute; reflexivity]"
            for one in dict.fromkeys((fuel, wider))
        )
        return f"first [ {by_evaluator} | {at_function}solve [{unfold}; at_point {fuel}] ]"

    holds, fails = ("eo", "ec") if oracle_holds else ("ec", "eo")
    positive, negative = side(f"Truespec_{holds}", "holds"), side(f"Truespec_{fails}", "fails")
    if oracle_holds:
        return statement, f"apply differ_tf; [{positive} | {negative}]."
    return statement, f"apply differ_ft; [{negative} | {positive}]."
