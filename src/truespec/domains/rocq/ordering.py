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

COUNTS = Path(__file__).with_name("ordering.json")
"""The learned counts."""
AT_ONCE = ("by_computation", "by_normal_form")
"""The strategies that come before all others: they take little time."""
OF_DECLARED_TYPES = ("by_forms", "by_structure", "by_flattening", "by_pushed")
"""The strategies that come next where an argument is of a type that the texts declare: none was counted."""
MADE_FOR = {
    "by_letters": {"type ascii"},
    "by_texts": {"type string"},
    "by_cuts": {"parts", "exists"},
    "by_sorting": {"order", "type list"},
    "by_scans": {"recursion"},
    "by_orders": {"order"},
    "by_ranges": {"ranges"},
    "by_remainders": {"divisibility", "cases"},
    "by_folds": {"functions"},
    "by_letter_places": {"type string", "index"},
    "by_tabulation": {"recursion", "index"},
    "by_members": {"recursion", "membership"},
    "by_states": {"recursion", "functions"},
    "by_extremes": {"extremes", "functions"},
    "by_number_orders": {"extremes", "integers"},
    "by_common_divisors": {"common divisors"},
    "by_found": {"recursion", "index", "membership"},
    "by_two_values": {"recursion", "type nat"},
    "by_premises": {"recursion", "parts"},
}
"""Strategies that come next where a pair has all these features; elsewhere they give up at once."""
_LISTS = {"type list", "type string", "index", "membership", "functions", "parts", "order", "ranges"}
_USES: tuple[tuple[str, set[str]], ...] = (
    (
        "by_index by_indices by_ground_indices by_shifted_index by_places by_elements by_first_elements",
        _LISTS,
    ),
    ("by_ends by_rows by_two_lists by_list_cases by_extension by_cuts by_mirror by_orders by_heads", _LISTS),
    ("by_normal_heads by_sorting by_parts", _LISTS),
    ("by_scans by_functions by_recursion", {"recursion", "functions", "parts"}),
    ("by_steps by_two_steps by_two_scans", {"recursion"}),
    ("by_evidence by_derivation", {"inductive"}),
    ("by_tables", {"inductive", "cases"}),
    ("by_descent_cases by_search_cases", {"type option", "type bool", "type pair"}),
    ("by_divisors by_factors by_roots by_quotients", {"divisibility", "quotient", "product"}),
    ("by_ranges", {"ranges", "product"}),
    ("by_remainders", {"divisibility"}),
    ("by_bounds", {"integers"}),
    ("by_letters by_codes", {"type ascii"}),
    ("by_texts", {"type string"}),
    ("by_calls", {"type function"}),
    ("by_multiplicity by_ordering", {"order"}),
    ("by_matching", {"exists"}),
    ("by_appends", {"parts"}),
    ("by_pairs", {"recursion", "functions", "parts"}),
    ("by_conditions by_returns", {"cases"}),
    ("by_folds by_readings", {"recursion", "functions", "parts", "cases"}),
    ("by_found", {"recursion", "functions"}),
    ("by_positions by_pointwise", {"index", "parts"}),
    ("by_letter_places", {"type string"}),
    ("by_premises", {"recursion", "functions", "parts"}),
    ("by_tabulation by_members", {"recursion"}),
    ("by_two_values", {"recursion"}),
    ("by_states by_extremes", {"functions"}),
    ("by_number_orders", {"extremes", "cases"}),
    ("by_zero_or_next", {"type nat"}),
    ("by_pushed by_parity", {"recursion"}),
    ("by_neighbours", {"index", "order"}),
    ("by_common_divisors", {"common divisors"}),
)
OF_USE_WITH = {name: wanted for names, wanted in _USES for name in names.split()}
"""Strategies that come last where a pair has none of these features; all others are of use everywhere."""
UNSEEN = 0.1
"""The rate of success of a strategy before anything was counted."""
EXPECTED = {
    "by_heads": 0.25,
    "by_normal_heads": 0.2,
    "by_bounds": 0.2,
    "by_logic": 0.25,
    "by_multiplicity": 0.3,
    "by_matching": 0.2,
    "by_appends": 0.4,
    "by_ordering": 0.4,
    "by_pairs": 0.3,
    "by_conditions": 0.3,
    "by_folds": 0.4,
    "by_readings": 0.4,
    "by_returns": 0.2,
    "by_found": 0.3,
    "by_positions": 0.3,
    "by_pointwise": 0.2,
    "by_letter_places": 0.4,
    "by_premises": 0.2,
    "by_tabulation": 0.2,
    "by_two_values": 0.1,
    "by_states": 0.1,
    "by_members": 0.2,
    "by_extremes": 0.2,
    "by_number_orders": 0.2,
    "by_zero_or_next": 0.2,
    "by_pushed": 0.1,
    "by_neighbours": 0.1,
    "by_parity": 0.05,
    "by_common_divisors": 0.4,
}
"""Strategies that were not counted yet and are expected to do better than that."""
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
    "common divisors": {"Z.gcd", "Z.lcm"},
    "extremes": {"Z.max", "Z.min", "Z.abs", "Nat.max", "Nat.min", "list_max"},
    "exists": {"exists"},
    "forall": {"forall"},
    "cases": {"match", "if"},
    "product": {"*", "^"},
}
_WORD = re.compile(r"[^\W\d][\w']*")
_TYPES = {"list", "string", "ascii", "option", "bool", "nat"}


@dataclass(frozen=True, slots=True)
class Strategy:
    """A tactic of the library."""

    name: str
    """Its name."""
    seconds: float
    """The processor seconds it may use in the second round."""
    glance: float = 0.2
    """Those in the first: most proofs are found in less."""


def features(layout: Layout) -> frozenset[str]:
    """What the texts of a pair speak of; every pair has the feature `any`."""
    words = {
        token.text
        for text in (layout.oracle, layout.candidate, layout.context.preamble)
        for sentence in text.sentences
        for token in sentence.tokens
    }
    found = {name for name, among in _WORDS.items() if words & among}
    types = " ".join(argument.type for argument in layout.context.signature.arguments)
    found |= {f"type {name}" for name in _TYPES if name in types.replace("(", " ").replace(")", " ").split()}
    found |= {f"type {name}" for name, sign in (("pair", "*"), ("function", "->")) if sign in types}
    if set(types.split()) == {"Z"}:
        found.add("integers")
    if layout.recursive():
        found.add("recursion")
    if layout.inductive():
        found.add("inductive")
    return frozenset({"any", *found})


def ordered(strategies: tuple[Strategy, ...], layout: Layout) -> tuple[Strategy, ...]:
    """The strategies by expected successes per processor second, the best first, those of no use last."""
    counts, found = _counts(), features(layout)
    present = [counts[name] for name in sorted(found) if name in counts]

    def gain(strategy: Strategy) -> float:
        if strategy.name not in _costs():
            return EXPECTED.get(strategy.name, UNSEEN) / strategy.seconds
        # Each feature votes with its rate of success, drawn towards one in ten where it was seen seldom.
        rates = [
            (feature.proved.get(strategy.name, 0) + 3 * UNSEEN) / (feature.pairs + 3) for feature in present
        ]
        return fmean(rates) / max(0.02, _costs().get(strategy.name, strategy.seconds)) if rates else 0.0

    first = {name for name, needed in MADE_FOR.items() if needed <= found}
    if _declares_arguments(layout):
        first.update(OF_DECLARED_TYPES)

    def rank(strategy: Strategy) -> tuple[bool, bool, bool, float]:
        of_use = bool(found & OF_USE_WITH.get(strategy.name, found))
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
