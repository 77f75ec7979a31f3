"""The order in which the prover tries its strategies, learned from the tuned problems.

`ordering.json` holds, for each feature of a pair, how many tuned pairs have it and how many of them each
strategy proves, with the strategy's mean processor time; `python -m benchmarks._rocq_ordering` counts anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.strategies import Strategy

COUNTS = Path(__file__).with_name("ordering.json")
"""The learned counts."""
AT_ONCE = ("by_computation", "by_normal_form")
"""The strategies that come before all others: they take little time."""
OF_DECLARED_TYPES = ("by_forms", "by_structure", "by_flattening", "by_pushed")
"""The strategies that come next where an argument is of a type that the texts declare: none was counted."""
UNSEEN = 0.1
"""The rate of success towards which few counts are drawn."""
_WORDS = {
    "index": {"nth", "nth_error", "String.get"},
    "membership": {"In", "Forall", "Exists", "incl", "existsb", "forallb"},
    "functions": {"fold_left", "fold_right", "map", "filter", "rev", "seq", "concat", "flat_map", "find"},
    "ranges": {"seq"},
    "parts": {"firstn", "skipn", "combine", "repeat", "last", "hd", "++"},
    "order": {"Sorted", "StronglySorted", "LocallySorted", "NoDup", "Permutation", "count_occ"},
    "divisibility": {
        "mod",
        "Z.gcd",
        "Z.lcm",
        "prime",
        "rel_prime",
        "Z.divide",
        "Nat.divide",
        "Z.Even",
        "Z.Odd",
    },
    "quotient": {"/", "Z.div", "Nat.div"},
    "common divisors": {"Z.gcd", "Z.lcm", "Nat.gcd"},
    "extremes": {"Z.max", "Z.min", "Z.abs", "Nat.max", "Nat.min", "list_max"},
    "exists": {"exists"},
    "forall": {"forall"},
    "cases": {"match", "if"},
    "product": {"*", "^"},
    "division": {"/", "mod", "Z.div", "Nat.div", "Z.modulo", "Nat.modulo"},
    "premises": {"->"},
}
_WORD = re.compile(r"[^\W\d][\w']*")
TABLE_NUMBERS = 12
"""With so many numerals, texts tell values one by one."""
_QUANTIFIERS = {"exists", "forall"}
_DESCRIBING = {*_QUANTIFIERS, "index", "membership", "order"}
"""Beside a recursive function over lists or texts, these say that a text describes what another computes."""
_TYPES = {"list", "string", "ascii", "option", "bool", "nat"}
_SIGNS = {"pair": "*", "function": "->"}
FEATURES = frozenset(
    {
        "any",
        "integers",
        "recursion",
        "inductive",
        "literals",
        "table",
        "described",
        "counterparts",
        *_WORDS,
        *(f"type {name}" for name in (*_TYPES, *_SIGNS)),
    }
)
"""What a pair may have."""


def features(layout: Layout) -> frozenset[str]:
    """What the texts of a pair speak of; every pair has the feature `any`."""
    tokens = [
        token.text
        for text in (layout.oracle, layout.candidate, layout.context.preamble)
        for sentence in text.sentences
        for token in sentence.tokens
    ]
    words = set(tokens)
    found = {name for name, among in _WORDS.items() if words & among}
    types = " ".join(argument.type for argument in layout.context.signature.arguments)
    found |= {f"type {name}" for name in _TYPES if name in types.replace("(", " ").replace(")", " ").split()}
    found |= {f"type {name}" for name, sign in _SIGNS.items() if sign in types}
    if set(types.split()) == {"Z"}:
        found.add("integers")
    if any(token.startswith('"') for token in tokens):
        found.add("literals")
    if sum(token.isdecimal() for token in tokens) >= TABLE_NUMBERS:
        found.add("table")
    if layout.recursive():
        found.add("recursion")
    if found & {"type list", "type string"} and found & (
        _DESCRIBING if "recursion" in found else _QUANTIFIERS
    ):
        found.add("described")
    if layout.inductive():
        found.add("inductive")
    if layout.counterparts():
        found.add("counterparts")
    return frozenset({"any", *found})


def ordered(strategies: tuple[Strategy, ...], layout: Layout) -> tuple[Strategy, ...]:
    """The strategies by expected successes per processor second, the best first, those of no use last."""
    counts, found = _counts(), features(layout)
    present = [counts[name] for name in sorted(found) if name in counts]

    def gain(strategy: Strategy) -> float:
        if strategy.name not in _costs():
            return strategy.expected / strategy.seconds
        # Each feature votes with its rate of success, drawn towards one in ten where it was seen seldom.
        rates = [
            (feature.proved.get(strategy.name, 0) + 3 * UNSEEN) / (feature.pairs + 3) for feature in present
        ]
        return fmean(rates) / max(0.02, _costs().get(strategy.name, strategy.seconds)) if rates else 0.0

    first = {one.name for one in strategies if one.made_for and found.issuperset(one.made_for)}
    if _declares_arguments(layout):
        first.update(OF_DECLARED_TYPES)

    def rank(strategy: Strategy) -> tuple[bool, bool, bool, float]:
        of_use = not strategy.use or not found.isdisjoint(strategy.use)
        return strategy.name in AT_ONCE, strategy.name in first, of_use, gain(strategy)

    return tuple(sorted(strategies, key=rank, reverse=True))


def _declares_arguments(layout: Layout) -> bool:
    """Whether an argument is of a type that the texts declare, or made of such."""
    declared = {name.rpartition(".")[2] for name in layout.declared()}
    return any(declared & set(_WORD.findall(one.type)) for one in layout.context.signature.arguments)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was counted for one feature."""

    pairs: int
    """Tuned pairs that have it."""
    proved: dict[str, int]
    """How many of them each strategy proves."""


@cache
def _counts() -> dict[str, Seen]:
    read = json.loads(COUNTS.read_text(encoding="utf-8"))["features"]
    return {name: Seen(int(seen["pairs"]), dict(seen["proved"])) for name, seen in read.items()}


@cache
def _costs() -> dict[str, float]:
    return dict(json.loads(COUNTS.read_text(encoding="utf-8"))["seconds"])
