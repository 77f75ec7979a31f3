"""Capitals and small letters, where a collation takes the ones for the others.

Under MariaDB's `utf8mb4_general_ci` each character has one weight, by which `=` and LIKE compare. UPPER turns
each character into one of the same weight, and so does LOWER but for three signs: those of Ohm, Kelvin and
Angstrom (U+2126, U+212A, U+212B) become the letters omega, k and a with a ring, whose weights are those of
omega, K and A. All of Unicode's characters were asked. A text thus equals, or is like, another one that has
none of these letters and signs just where it does so in capitals or in small letters.
"""

from __future__ import annotations

import re
from dataclasses import replace

import z3

from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.symbols import name_of
from truespec.domains.sql.ir.values import Val

LOWER, UPPER = "Lower this:text", "Upper this:text"
"""The functions, by the names that they have where their argument is never NULL (`ir/opaque.py`)."""
_SAFE = re.compile(r"[ -@B-JL-`b-jl-~]*")
"""Texts of ASCII without the letters A and K."""


def in_capitals(text: Expr) -> Expr:
    """What a text is in capitals of, if it is; equal under the collation."""
    while z3.is_app(text) and text.num_args() == 1 and name_of(text) == UPPER:
        text = text.arg(0)
    return text


def case_taken_off(value: Val, other: str) -> Val:
    """The text that this is in capitals or small letters, as far as it compares alike with another one."""
    while True:
        bare = replace(value, val=in_capitals(value.val))
        bare = turned(bare, LOWER) if _SAFE.fullmatch(other) else bare
        if bare.val.eq(value.val):
            return value
        value = bare


def turned(value: Val, name: str) -> Val:
    """The text that a function of this name was given, or the value itself."""
    text = value.val
    while z3.is_app(text) and text.num_args() == 1 and name_of(text) == name:
        text = text.arg(0)
    return replace(value, val=text)
