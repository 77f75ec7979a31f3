"""Python's classes of characters, against Python itself over all of Unicode."""

from __future__ import annotations

import re

import pytest

from truespec.domains.regex.characters import LIMIT, cased, category, ranges

UNICODE = "".join(map(chr, range(LIMIT)))


@pytest.mark.parametrize("letter", "dsw")
def test_a_class_holds_what_python_matches(letter: str) -> None:
    runs = tuple(match.span() for match in re.finditer(rf"\{letter}+", UNICODE))
    assert tuple(ranges(category(letter, False))) == runs


def test_every_character_that_python_maps_to_another_has_case() -> None:
    mapped = {character for character in UNICODE if {character.lower(), character.upper()} != {character}}
    assert mapped <= set(cased())
