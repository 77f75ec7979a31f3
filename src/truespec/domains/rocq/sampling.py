"""What the refuter tries: samples in the order of their size, with the literals of the texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from truespec.domains.rocq.functions import searched
from truespec.domains.rocq.pair import Layout

POINT_NUMBERS = 12
"""How many integers of a point join the literals when it is decided."""


def fuel_of(layout: Layout, size: int, more: Sequence[int] = ()) -> str:
    literals = [
        number for pair in zip_longest(layout.oracle.numbers, layout.candidate.numbers) for number in pair
    ]
    near = [number + step for step in (0, 1, -1) for number in literals if number is not None] + [
        -number for number in literals if number is not None
    ]
    # As many as keep the product of all arguments within a stage.
    arguments = max(1, len(re.findall(r"\b(?:Z|nat|N|positive)\b", layout.binders)))
    numbers = list(dict.fromkeys(near))[: max(3, int(6_000 ** (1 / arguments)) - 3)][:60]
    numbers = list(dict.fromkeys([*numbers, *more]))
    strings = list(dict.fromkeys((*layout.oracle.strings, *layout.candidate.strings)))[:12]
    strings = [string for string in strings if len(string) <= 40 and string.isascii()]
    codes = [chr(number) for number in numbers if 32 <= number < 127] if _reads_codes(layout) else []
    letters = "".join(dict.fromkeys("".join((*strings, *codes))))[:12]
    quoted = "; ".join(f'"{string}"%string' for string in strings)
    characters = "; ".join(f"Coq.Strings.Ascii.ascii_of_nat {ord(letter)}%nat" for letter in letters)
    integers = "; ".join(f"({number})%Z" for number in numbers)
    return f"(Truespec.Sample.Fuel {size}%nat [{integers}]%list [{quoted}]%list [{characters}]%list)"


def _reads_codes(layout: Layout) -> bool:
    """Whether a text speaks of the codes of characters."""
    return any(
        "ascii" in sentence.text for text in (layout.oracle, layout.candidate) for sentence in text.sentences
    )


def numbers_of(point: list[str]) -> list[int]:
    """The integers of a shown point, codes of characters left out."""
    found = re.findall(r"(-?\d+)%Z|(?<!ascii_of_nat )\b(\d+)%nat", " ".join(point))
    return list(dict.fromkeys(int(integer or natural) for integer, natural in found))[:POINT_NUMBERS]


@dataclass(frozen=True, slots=True)
class Sample:
    """Tuples that are searched."""

    label: str
    """What names its definitions."""
    tuples: str
    """The list, as a term."""
    fuel: str
    """What the evaluators get."""
    size: int
    """How far inner quantifiers are sampled when the point is proved."""


def widest(layout: Layout, size: int, cap: int, steps: int) -> str:
    return f"(widest ({searched(layout).type}) {fuel_of(layout, size)} {cap} {steps} 1)"
