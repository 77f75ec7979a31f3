"""JSON values as an argument may hold them: equality, and one representative of each class of values.

Values are split by type. Numbers are split by the numbers that conditions name: each of them, and what lies
between two neighbours, whole numbers apart from fractions; the infinities and NaN stand alone. Strings are
split as languages (`strings`). Arrays are split by the members that conditions ask for and by length. A
value that a condition names with structure is a class of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from truespec.rules import strings
from truespec.verdict import Incomplete

Condition = tuple[str, Any]
"""An operator of an argument's condition, and its operand as a plain value."""
MOST_VALUES = 1_024
"""Classes of values; more are given up."""
LONGEST = 100_000
"""Members of an array, or characters of a text, that a length may ask for."""
_MOST_MEMBERS = 8
_WHOLE = 2.0**52
"""From here on, every float is a whole number."""
_ORDER = ("gt", "ge", "lt", "le")


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values, at any depth: true is not 1, 1 is 1.0, NaN equals nothing.

    >>> same({"a": [1]}, {"a": [1.0]}), same([True], [1])
    (True, False)
    """
    if isinstance(left, list) or isinstance(right, list):
        return (
            isinstance(left, list)
            and isinstance(right, list)
            and len(left) == len(right)
            and all(same(a, b) for a, b in zip(left, right, strict=True))
        )
    if isinstance(left, dict) or isinstance(right, dict):
        return (
            isinstance(left, dict)
            and isinstance(right, dict)
            and left.keys() == right.keys()
            and all(same(inner, right[key]) for key, inner in left.items())
        )
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def is_integer(value: Any) -> bool:
    """Whether a value is a whole number, as JSON Schema has it: 1.0 is one, true is none."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is a number; true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def representatives(conditions: Sequence[Condition], check: strings.Check) -> list[Any]:
    """Values such that every JSON value meets exactly the conditions that one of them meets.

    Conditions with `schema`, and `matches` with a pattern that is not regular, are the caller's affair.
    """
    constants = list(_constants(conditions))
    made: list[Any] = [None, True, False, *_numbers(_points(conditions, constants))]
    made += _texts(conditions, [value for value in constants if isinstance(value, str)], check)
    made += [value for value in constants if isinstance(value, list | dict)]
    made += _arrays(conditions, [value for value in constants if isinstance(value, list)])
    made.append(_other_object([value for value in constants if isinstance(value, dict)]))
    if len(made) > MOST_VALUES:
        raise Incomplete(f"more than {MOST_VALUES} classes of values at one argument")
    return made


def _constants(conditions: Iterable[Condition]) -> Iterator[Any]:
    """The values that conditions name as a whole."""
    for operator, wanted in conditions:
        if operator in ("eq", "ne"):
            yield wanted
        elif operator in ("in", "not_in"):
            yield from wanted


# Numbers --------------------------------------------------------------------------------------------


def _points(conditions: Iterable[Condition], constants: Iterable[Any]) -> list[int | float]:
    named = [wanted for operator, wanted in conditions if operator in _ORDER]
    return sorted({n for n in [*named, *constants] if is_number(n) and _is_finite(n)})


def _is_finite(number: float) -> bool:
    return isinstance(number, int) or math.isfinite(number)  # an integer may be too large for a float


def _numbers(points: Sequence[int | float]) -> list[int | float]:
    made: list[int | float] = [*points]
    for low, high in itertools.pairwise([-math.inf, *points, math.inf]):
        between = (_whole_between(low, high), _fraction_between(low, high))
        made += [found for found in between if found is not None]
    return [*made, math.inf, -math.inf, math.nan]  # witnesses are taken from the front


def _whole_between(low: float, high: float) -> int | None:
    """A whole number strictly between two numbers."""
    if low < 0 < high:
        return 0
    if low == -math.inf:
        return math.ceil(high) - 1
    found = math.floor(low) + 1
    return found if found < high else None


def _fraction_between(low: float, high: float) -> float | None:
    """A float strictly between two numbers that is no whole number; None where there is none."""
    least, most = max(low, -_WHOLE), min(high, _WHOLE)
    if least >= most:
        return None
    readable = [0.5, math.floor(least) + 0.5, math.ceil(most) - 0.5, float(least + (most - least) / 2)]
    # The two floats above the lower end: of two neighbours below 2**52, at most one is whole.
    above = math.nextafter(float(least), math.inf)
    for found in (*readable, above, math.nextafter(above, math.inf)):
        if low < found < high and not found.is_integer():
            return found
    return None


# Texts ----------------------------------------------------------------------------------------------


def _texts(conditions: Sequence[Condition], constants: list[str], check: strings.Check) -> list[str]:
    languages: list[strings.Language] = []
    for operator, wanted in conditions:
        if operator == "matches":
            languages.append(("search", wanted, 0))
        elif operator == "contains" and isinstance(wanted, str):
            languages.append(("part", wanted))
        elif operator in _ORDER and isinstance(wanted, str):
            languages.append(("above", wanted))
            constants.append(wanted)
    languages += [("longer", n) for n in _lengths(conditions)]
    return list(strings.representatives(constants, languages, check))


def _lengths(conditions: Iterable[Condition]) -> list[int]:
    """The lengths from which on a condition changes its value."""
    made = set()
    for operator, wanted in conditions:
        if operator in ("min_length", "max_length") and _is_finite(wanted):
            least = math.ceil(wanted) if operator == "min_length" else math.floor(wanted) + 1
            if least > LONGEST:
                raise Incomplete(f"a length of {least}: at most {LONGEST} are compared")
            if least > 0:
                made.add(least)
    return sorted(made)


# Arrays and objects ---------------------------------------------------------------------------------


def _arrays(conditions: Sequence[Condition], constants: Sequence[list[Any]]) -> list[list[Any]]:
    """Arrays other than the constants: for each set of members asked for, and each range of lengths."""
    members: list[Any] = []
    for operator, wanted in conditions:
        if operator == "contains" and same(wanted, wanted) and not any(same(wanted, m) for m in members):
            members.append(wanted)
    if len(members) > _MOST_MEMBERS:
        raise Incomplete(f"more than {_MOST_MEMBERS} members asked for in one array")
    borders = _lengths(conditions)
    ranges = list(zip([0, *borders], [*(n - 1 for n in borders), math.inf], strict=True))
    filler = _fresh(lambda text: not any(same(text, member) for member in members), constants)
    made = []
    for size in range(len(members) + 1):
        for held in itertools.combinations(members, size):
            for low, high in ranges:
                if size < high:  # a member that nobody asks for makes the array differ from all constants
                    made.append([*held, *[filler] * (max(low, size + 1) - size)])
                elif size == high:
                    found = (list(order) for order in itertools.permutations(held))
                    made += itertools.islice((a for a in found if not _among(a, constants)), 1)
            if len(made) > MOST_VALUES:
                raise Incomplete(f"more than {MOST_VALUES} classes of arrays at one argument")
    return made


def _other_object(constants: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"k": _fresh(lambda text: not _among({"k": text}, constants), ())}


def _fresh(fits: Callable[[str], bool], lists: Sequence[list[Any]]) -> str:
    """A text that fits and stands in none of the lists."""
    names = itertools.chain(["other"], (f"other {n}" for n in itertools.count(2)))
    return next(name for name in names if fits(name) and not any(_among(name, held) for held in lists))


def _among(value: Any, values: Iterable[Any]) -> bool:
    return any(same(value, other) for other in values)
