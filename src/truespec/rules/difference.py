"""What became of each rule between two versions of a rule file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from truespec.rules.compare import Toolbox, compare
from truespec.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class RuleChange:
    """One rule, then and now."""

    id: str
    """The rule."""
    change: str
    """`equal`, `stronger`, `weaker`, `different`, `unknown`, `reworded`, `added` or `removed`."""
    reason: str = ""
    """Why it was not decided."""
    now_kept: tuple[str, ...] = ()
    """A run that the new rule allows and the old one did not."""
    now_broken: tuple[str, ...] = ()
    """A run that the old rule allowed and the new one does not."""

    def to_json(self) -> dict[str, object]:
        """As one JSON object, without what is empty."""
        entry: dict[str, object] = {"id": self.id, "change": self.change}
        if self.reason:
            entry["reason"] = self.reason
        if self.now_kept:
            entry["now_kept"] = list(self.now_kept)
        if self.now_broken:
            entry["now_broken"] = list(self.now_broken)
        return entry

    def lines(self) -> Iterator[str]:
        """In words, a line for the change and one for each run."""
        yield f"{self.id}: {self.change}" + (f": {self.reason}" if self.reason else "")
        if self.now_kept:
            yield f"  kept now, broken before: {' → '.join(self.now_kept)}"
        if self.now_broken:
            yield f"  broken now, kept before: {' → '.join(self.now_broken)}"


def changes(
    old: Sequence[Rule], new: Sequence[Rule], toolbox: Toolbox, seconds: float
) -> Iterator[RuleChange]:
    """The change of each rule by its id: those of `old` in their order, then what was added.

    Rules without a formal part are compared by their words alone. `seconds` bounds one comparison.
    """
    before = {rule.id: rule for rule in old}
    after = {rule.id: rule for rule in new}
    for name in [*before, *(name for name in after if name not in before)]:
        if name not in after or name not in before:
            yield RuleChange(name, "removed" if name in before else "added")
            continue
        left, right = after[name], before[name]
        if left.formal is None or right.formal is None:
            same = (left.text, left.formal, left.kind) == (right.text, right.formal, right.kind)
            yield RuleChange(name, "equal" if same else "reworded")
            continue
        found = compare(left, right, toolbox, seconds)
        change = "different" if found.relation == "incomparable" else found.relation
        yield RuleChange(
            name, change, found.reason or "", tuple(found.left_only or ()), tuple(found.right_only or ())
        )
