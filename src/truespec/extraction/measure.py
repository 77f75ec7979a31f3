"""How good an extraction is: against a rule set that people wrote for the same prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from truespec.extraction.read import Extracted, Extraction, find_quote
from truespec.rules.compare import ANY_TOOLS, Toolbox, compare
from truespec.rules.rule import Rule

OVERLAP = 0.5
"""The share of the shorter quote that two rules about the same words have in common."""
SECONDS = 2.0
"""The limit for one comparison."""


@dataclass(frozen=True, slots=True)
class Match:
    """An extracted rule and the written one that it says again."""

    extracted: Rule
    """The extracted rule."""
    reference: Rule
    """The written one."""
    relation: str
    """How their formal parts stand to each other: `equal`, `stronger`, `weaker`, `incomparable`, `unknown`;
    `semantic` where one of them has none."""
    overlap: float
    """The share of the shorter quote in the other."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Matches, and what was left over."""

    matches: tuple[Match, ...]
    """Each rule is matched at most once."""
    extracted: int
    """Rules that were extracted."""
    reference: int
    """Rules that people wrote."""

    @property
    def relations(self) -> Mapping[str, int]:
        """Matches by relation."""
        return Counter(match.relation for match in self.matches)


def measure(
    extracted: Sequence[Rule], reference: Sequence[Rule], prompt: str, toolbox: Toolbox = ANY_TOOLS
) -> Measured:
    """Match rules that quote the same words, best first; proved equal formal parts match whatever they quote.

    Of two rules with the same words the one with the closer meaning is taken.
    """
    rank = ("equal", "stronger", "weaker", "incomparable", "unknown", "semantic")
    options: list[Match] = []
    for one in extracted:
        for two in reference:
            overlap = _overlap(one, two, prompt)
            if one.formal is None or two.formal is None:
                relation = "semantic"
            elif overlap >= OVERLAP or _alike(one, two):
                relation = compare(one, two, toolbox, SECONDS).relation
            else:
                continue
            if overlap >= OVERLAP or relation == "equal":
                options.append(Match(one, two, relation, overlap))
    options.sort(key=lambda m: (rank.index(m.relation), -m.overlap))
    taken: set[tuple[str, str]] = set()
    matches = []
    for option in options:
        pair = {("extracted", option.extracted.id), ("reference", option.reference.id)}
        if not taken & pair:
            taken |= pair
            matches.append(option)
    return Measured(tuple(matches), len(extracted), len(reference))


def without_repeats(extraction: Extraction, toolbox: Toolbox = ANY_TOOLS) -> Extraction:
    """The extraction without rules that are proved to mean what an earlier one means.

    One directive is often extracted under two categories; it would be checked and charged twice.
    """
    kept: list[Extracted] = []
    merged: list[tuple[str, str]] = []
    for one in extraction.rules:
        same = next((other.rule.id for other in kept if _same(other.rule, one.rule, toolbox)), None)
        if same is None:
            kept.append(one)
        else:
            merged.append((one.rule.id, same))
    return replace(extraction, rules=tuple(kept), merged=(*extraction.merged, *merged))


def _same(one: Rule, two: Rule, toolbox: Toolbox) -> bool:
    if one.formal is None or two.formal is None or one.force != two.force or not _alike(one, two):
        return False
    return compare(one, two, toolbox, SECONDS).relation == "equal"


def _alike(one: Rule, two: Rule) -> bool:
    """Whether two rules could be equal although they quote other words: they speak of the same conditions."""
    assert one.formal is not None
    assert two.formal is not None
    return bool(set(map(str, one.formal.predicates)) & set(map(str, two.formal.predicates))) or (
        one.formal.obligations[0].when == two.formal.obligations[0].when
    )


def _overlap(one: Rule, two: Rule, prompt: str) -> float:
    places = []
    for rule in (one, two):
        place = find_quote(rule.quote, prompt) if rule.quote else None
        if place is None:
            return float(bool(one.quote) and one.quote == two.quote)
        places.append(place)
    (a, b), (c, d) = places
    common = min(b, d) - max(a, c)
    return max(0.0, common / min(b - a, d - c))
