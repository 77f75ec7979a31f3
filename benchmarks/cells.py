"""Rules: are the cells of events a partition, and does every claim of `rules check` hold of real traces?

Three attacks, at random and at the borders that conditions draw.

- Events: each event of a random trace lies in exactly one cell, and its truth values are the cell's.
- Claims: where a comparison says implied, equal or contradictory, or a rule is called idle, vacuous or
  unsatisfiable, random traces are checked by `RuleSet.check` for one that says otherwise.
- Twin: the two rules' monitors run side by side over all short words of a sampled alphabet of messages.

A find is printed; the bar is none. `--events=N --pairs=N --seconds=S --seed=K` say how much is tried.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from benchmarks._rule_draws import Draw
from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.algebra import Cell, cells
from truespec.rules.coded_checks import CODED
from truespec.rules.compare import compare, conflict, health
from truespec.rules.monitor import RuleSet
from truespec.rules.predicate import Predicate
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Formal, Obligation, Rule
from truespec.traces import Trace
from truespec.traces.event import Event, events
from truespec.verdict import Undecided

STALE = 40
"""Questions asked about one pool before another is drawn."""


def main(arguments: list[str] | None = None) -> None:
    """Run the attacks, print what was tried and found; exit 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cells")
    parser.add_argument("--quick", action="store_true", help="a hundredth of everything")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="for each of the two parts")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    part = 100 if asked.quick else 1
    finds = attack_cells(asked.seed, asked.events // part, asked.seconds)
    finds += attack_claims(asked.seed, asked.pairs // part, asked.seconds)
    for find in finds[:20]:
        print("FOUND", find)
    if finds:
        sys.exit(1)


# Events -------------------------------------------------------------------------------------------------


def attack_cells(seed: int, wanted: int, seconds: float = 60.0) -> list[str]:
    """What was found against the partition into cells, with the figures printed."""
    started = time.monotonic()
    finds: list[str] = []
    tried = sets = undecided = witnesses = 0
    while tried < wanted and time.monotonic() - started < seconds:
        draw = Draw(seed * 1_000_003 + sets)
        for _ in range(STALE):
            predicates = draw.predicates()
            sets += 1
            try:
                found = cells(predicates)
            except Undecided:
                undecided += 1
                continue
            draw.learn(found)
            known = {cell.true for cell in found}
            if len(known) < len(found):
                finds.append(f"two cells alike, {predicates}")
            alone = not any(_depends(q) for q in predicates)
            shown = [(cell, cell.witness) for cell in found if alone and cell.witness is not None]
            witnesses += len(shown)
            for cell, witness in shown:
                if truths(predicates, [witness], None)[0] != cell.true:
                    finds.append(f"{witness} does not witness {cell}")
            trace = draw.trace(30)
            stream = list(events(trace, draw.rng.choice(("nearest", "last"))))
            try:
                held = truths(predicates, stream, trace)
            except Undecided:
                undecided += 1
                continue
            tried += len(stream)
            for event, true in zip(stream, held, strict=True):
                if true not in known:
                    finds.append(f"no cell for {event} {event.text!r} {event.args} of {predicates}")
    print(
        f"events: {tried:,} in {sets:,} sets of predicates, {witnesses:,} witnesses of cells, "
        f"{undecided:,} sets undecided, {len(finds)} finds, {time.monotonic() - started:.0f} s",
        flush=True,
    )
    return finds


def _depends(predicate: Predicate) -> bool:
    return any(c[0] in ("fits", "coded", "var", "text var") for c in p.conditions(predicate))


def truths(
    predicates: Sequence[Predicate], stream: Sequence[Event], trace: Trace | None
) -> list[frozenset[Predicate]]:
    """The predicates that hold at each event, condition by condition."""
    listed = {c for q in predicates for c in p.conditions(q)}
    coded = {c: CODED[c[1]](json.loads(c[2]), read_predicate) for c in listed if c[0] == "coded"}
    tests = {c: p.condition_test(c) for c in listed if c not in coded}
    for made in coded.values():
        made.start(trace)
    found = []
    for event in stream:
        values = {c: test(event) for c, test in tests.items()}
        values |= {c: bool(made.quotes(event)) for c, made in coded.items()}
        found.append(frozenset(q for q in predicates if p.evaluate(q, values.__getitem__)))
        for made in coded.values():
            made.see(event)
    return found


# Claims ---------------------------------------------------------------------------------------------------


def attack_claims(seed: int, wanted: int, seconds: float = 60.0) -> list[str]:
    """What was found against claims about rules, with the figures printed."""
    started = time.monotonic()
    finds: list[str] = []
    told: Counter[str] = Counter()
    states: Counter[str] = Counter()
    apart: Counter[str] = Counter()
    pairs = checked = 0
    slowest = 0.0
    while pairs < wanted and time.monotonic() - started < seconds:
        draw = Draw(seed * 1_000_003 + pairs)
        if len(draw.pool) < 3:
            pairs += 1
            continue
        draw.learn(_witnesses(draw))
        words = _traces(draw)
        for number in range(STALE):
            left, right = draw.rule("left"), draw.rule("right")
            if (
                number % 3 == 0 and left.formal and right.formal
            ):  # a relative: the same rule in one other respect
                right = replace(left, id="right", formal=_relative(draw, left.formal, right.formal))
            pairs += 1
            before = time.monotonic()
            relation = compare(left, right).relation
            slowest = max(slowest, time.monotonic() - before)
            told[relation] += 1
            state = health(left).status if number % 4 == 0 else ""
            if state:
                states[state] += 1
            if number % 8 == 1 and relation in ("incomparable", "unknown"):
                relation = "contradictory" if conflict(left, right) else relation
                states[f"pair {relation}"] += 1
            checked += _attack(relation, state, left, right, words, finds, apart)
    print(
        f"claims: {pairs:,} pairs of rules ({2 * pairs:,} questions of implication), "
        f"{dict(told.most_common())}, alone {dict(states.most_common())}, {checked:,} traces checked, "
        f"monitors {dict(apart.most_common())}, slowest {slowest:.1f} s, {len(finds)} finds, "
        f"{time.monotonic() - started:.0f} s"
    )
    return finds


def _relative(draw: Draw, left: Formal, right: Formal) -> Formal:
    """The left rule's formal part with one field of the right one."""
    field = draw.rng.choice(("pairing", "over", "predicates", "pairing"))
    if field == "pairing":
        return replace(left, pairing=draw.rng.choice(("nearest", "last")))
    if field == "over":
        return replace(left, over=right.over)
    changed = list(left.predicates)
    if changed and not left.bind:
        changed[draw.rng.randrange(len(changed))] = draw.predicates()[0]
    return replace(left, predicates=tuple(changed))


def _witnesses(draw: Draw) -> list[Cell]:
    found: list[Cell] = []
    for first, second in itertools.combinations(draw.pool[:4], 2):
        try:
            found += cells([read_predicate(first, ""), read_predicate(second, "")])
        except Undecided:
            continue
    return found


def _traces(draw: Draw) -> list[Trace]:
    """All short words over a sampled alphabet of messages, and longer traces at random."""
    alphabet = draw.trace(7)
    words = [
        replace(alphabet, messages=word)
        for n in range(3)
        for word in itertools.product(alphabet.messages, repeat=n)
    ]
    return words + [draw.trace(draw.rng.randrange(3, 12)) for _ in range(30)]


def _attack(
    relation: str,
    state: str,
    left: Rule,
    right: Rule,
    words: Sequence[Trace],
    finds: list[str],
    apart: Counter[str],
) -> int:
    """Check both rules on all traces; what contradicts a claim is added to `finds`. The number of traces."""
    probes = _started(left), *(_started(rule, o) for rule in (left, right) for o in _obligations(rule))
    rules = RuleSet([left, right, *probes])
    seen = set()
    tried = 0
    for trace in words:
        tried += 1
        one, two, start, *starts = rules.check(trace)
        # A rule that is for another environment asks for nothing.
        outside = [
            found.status == "not_evaluated" and found.reason.startswith("for ") for found in (one, two)
        ]
        kept = [found.status == "pass" for found in (one, two)]
        broken = [found.status == "fail" for found in (one, two)]
        if (kept[0] or outside[0]) and broken[1]:
            seen.add("left")
        if (kept[1] or outside[1]) and broken[0]:
            seen.add("right")
        wrong = (
            ("left" in seen and relation in ("equal", "stronger"))
            or ("right" in seen and relation in ("equal", "weaker"))
            or (state == "idle" and start.status == "fail")
            or (state == "vacuous" and broken[0])
            or (state == "unsatisfiable" and kept[0])
            or (relation == "contradictory" and all(kept) and all(x.status == "fail" for x in starts))
        )
        if wrong:
            finds.append(f"{relation} {state}: {left.formal} | {right.formal} | {trace.messages}")
            break
        if len(seen) == 2 and not state:
            break
    apart[f"{relation}, {len(seen)} of 2 ways apart"] += 1
    return tried


def _obligations(rule: Rule) -> list[Obligation]:
    assert rule.formal is not None
    return [obligation for obligation in rule.formal.obligations if obligation.when is not None]


def _started(rule: Rule, only: Obligation | None = None) -> Rule:
    """A rule that is broken wherever an event starts this one, or one obligation of it."""
    assert rule.formal is not None
    starts = tuple(Obligation(o.when, f.F) for o in _obligations(rule) if only is None or o is only)
    formal = replace(rule.formal, obligations=starts, bind={}, predicates=())
    return replace(rule, id="started", formal=formal, domains=())
