"""The certificate of an equivalence: the automaton of the classes of the bisimulation.

Its states are the classes of the relation, its steps the steps they agree on; it is minimal. Whoever shows
that each side has the automaton's language has shown that the two are equal. As JSON:

    {"kind": "automaton", "blocks": [[97, 98], null], "accepting": [1, 0], "steps": [[1, 1], [1, 1]]}

`blocks` are disjoint sets of code points as ascending boundaries (first, one past the last, ...); null is the
block of all others. `steps[state][block]` is the state that follows; state 0 is the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from truespec.automata import Deterministic, Engine, Term, determinise
from truespec.domains.regex.characters import CodePoints, union
from truespec.verdict import JSON

MOST_STATES = 400
"""States met while the automaton is built; larger ones are left out, with a note."""
MOST_NUMBERS = 12_000
"""Numbers in a certificate."""


def certify(engine: Engine[CodePoints, str], term: Term, check: Callable[[], None]) -> JSON:
    """The certificate for a term and all that are equal to it; a note where it would be too large."""
    found = determinise(engine.stepper, term, MOST_STATES, check)
    if found is None:
        return {"kind": "omitted", "reason": f"more than {MOST_STATES} states"}
    columns = _columns(found, len(engine.alphabet.blocks))
    masks: dict[tuple[int, ...], list[int]] = {}
    for block, column in enumerate(columns):
        masks.setdefault(column, []).append(block)
    blocks = [union(*[engine.alphabet.blocks[block] for block in members]) for members in masks.values()]
    numbers = _numbering(list(masks))
    order = sorted(range(len(found.accepting)), key=lambda state: numbers[state])
    steps: list[JSON] = [[numbers[column[state]] for column in masks] for state in order]
    longest = max(range(len(blocks)), key=lambda block: len(blocks[block]))
    listed: list[JSON] = [None if k == longest else list(block) for k, block in enumerate(blocks)]
    size = sum(len(block) for k, block in enumerate(blocks) if k != longest) + len(steps) * len(blocks)
    if size > MOST_NUMBERS:
        return {"kind": "omitted", "reason": f"more than {MOST_NUMBERS} numbers"}
    accepting: list[JSON] = [int(found.accepting[state]) for state in order]
    return {"kind": "automaton", "blocks": listed, "accepting": accepting, "steps": steps}


def _columns(found: Deterministic, blocks: int) -> list[tuple[int, ...]]:
    """For each block the states that it leads to, state by state."""
    rows = []
    for steps in found.steps:
        row = [0] * blocks
        for mask, target in steps:
            while mask:
                low = mask & -mask
                row[low.bit_length() - 1] = target
                mask ^= low
        rows.append(row)
    return list(zip(*rows, strict=True))


def _numbering(columns: list[tuple[int, ...]]) -> dict[int, int]:
    """States numbered as they are met from the start, so that equal languages have equal certificates."""
    numbers = {0: 0}
    for state in (order := [0]):
        for column in columns:
            if column[state] not in numbers:
                numbers[column[state]] = len(numbers)
                order.append(column[state])
    return numbers


def live(automaton: Mapping[str, Any]) -> list[bool]:
    """Whether an accepting state can be reached from each state of an automaton as JSON."""
    found = [bool(flag) for flag in automaton["accepting"]]
    changed = True
    while changed:
        changed = False
        for state, row in enumerate(automaton["steps"]):
            if not found[state] and any(found[target] for target in row):
                found[state] = changed = True
    return found
