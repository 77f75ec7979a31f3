"""What a verdict rests on: a proof, a replayed counterexample, or a finished bounded search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

JSON = None | bool | int | float | str | list["JSON"] | dict[str, "JSON"]
"""A value that JSON can write. Numbers that JSON readers would round are written as strings."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Why the two specifications are equal on every input in scope."""

    by: str
    """The method that found the proof, e.g. `bisimulation up to congruence`."""
    trusts: tuple[str, ...]
    """What a reader must believe: translations, solvers, axioms."""
    confirmed_by: tuple[str, ...] = ()
    """Independent methods that proved the same in the same run."""
    certificate: JSON = None
    """What `truespec recheck` follows without the finder's code; null where there is none."""

    def __post_init__(self) -> None:
        if not self.by or not self.trusts:
            raise ValueError("a proof names its method and what it trusts, e.g. by='unsat', trusts=('z3',)")

    def to_json(self) -> dict[str, object]:
        """The value of `evidence` in the verdict record."""
        return {
            "proof": {
                "by": self.by,
                "trusts": list(self.trusts),
                "confirmed_by": list(self.confirmed_by),
                "certificate": self.certificate,
            }
        }


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which the two specifications differ, replayed by semantics free of the solver."""

    point: Mapping[str, JSON]
    """The input, in the domain's own terms, e.g. `{"string": "ab"}`."""
    oracle_value: JSON
    """What the oracle yields there, by the replay."""
    candidate_value: JSON
    """What the candidate yields there, by the replay."""
    replayed_by: str
    """The semantics that replayed it, e.g. `Python re 3.11`."""
    extra: Mapping[str, JSON] = field(default_factory=dict)
    """More fields of `evidence`, e.g. a renaming under which the two would agree."""

    def __post_init__(self) -> None:
        if not self.replayed_by:
            raise ValueError("a counterexample names the semantics that replayed it")
        clash = set(self.extra) & _COUNTEREXAMPLE_FIELDS
        if clash:
            raise ValueError(f"extra evidence must not shadow {sorted(clash)}")

    def to_json(self) -> dict[str, object]:
        """The value of `evidence` in the verdict record."""
        return {
            "counterexample": dict(self.point),
            "oracle_value": self.oracle_value,
            "candidate_value": self.candidate_value,
            "replayed_by": self.replayed_by,
            **self.extra,
        }


@dataclass(frozen=True, slots=True)
class Bounded:
    """A search that was finished up to a bound and found no difference; it never makes a pair equivalent."""

    bound: Mapping[str, JSON]
    """The bound, e.g. `{"rows": 2}` or `{"domain_size": 4}`."""

    def __post_init__(self) -> None:
        if not self.bound:
            raise ValueError("a bounded search states its bound, e.g. {'rows': 2}")

    def to_json(self) -> dict[str, object]:
        """The value of `evidence` in the verdict record."""
        return {"bounded": dict(self.bound)}


Evidence = Proof | Counterexample | Bounded
"""Everything a verdict may rest on."""

_COUNTEREXAMPLE_FIELDS = {"counterexample", "oracle_value", "candidate_value", "replayed_by"}


def evidence_from_json(record: Mapping[str, object] | None) -> Evidence | None:
    """Read the `evidence` of a verdict record; `ValueError` names a shape that none of the three has."""
    if not record:
        return None
    fields = cast("Mapping[str, JSON]", record)
    match fields:
        case {"proof": {"by": str(by), "trusts": list(trusts), **rest}}:
            confirmed = rest.get("confirmed_by")
            confirmed_by = tuple(map(str, confirmed)) if isinstance(confirmed, list) else ()
            return Proof(by, tuple(map(str, trusts)), confirmed_by, cast("JSON", rest.get("certificate")))
        case {"counterexample": dict(point), "replayed_by": str(replayed_by), **rest}:
            oracle_value = rest.pop("oracle_value", None)
            candidate_value = rest.pop("candidate_value", None)
            return Counterexample(point, oracle_value, candidate_value, replayed_by, rest)
        case {"bounded": dict(bound)}:
            return Bounded(bound)
    expected = "'proof', 'counterexample' with 'replayed_by', or 'bounded'"
    raise ValueError(f"evidence with fields {sorted(record)}: expected {expected}")
