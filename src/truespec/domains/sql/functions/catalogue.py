"""What each engine's functions do besides computing; one record per dialect, in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """The functions of one engine; names are in lower case. A function that is not listed is not run."""

    heads: frozenset[str]
    """Words, in capitals, with which a query begins."""
    pure: frozenset[str]
    """Functions whose results depend on their arguments, the data and fixed settings alone."""
    impure: frozenset[str]
    """Functions that read a clock, a random number or the session: a query with them has many meanings."""
    bare: frozenset[str]
    """Names that are calls of functions without parentheses, where they are not quoted."""
    clocks: Mapping[str, int]
    """Functions that read the clock when they get fewer arguments than this, or one of `NOW_WORDS`."""
    effects: frozenset[str]
    """Functions that wait, lock, write, or read files, catalogues or settings: they are forbidden."""
    growing: frozenset[str]
    """Functions whose result may be as large as a number in their arguments says."""
    types: frozenset[str]
    """Types that take parentheses and are no functions."""


NOW_WORDS = words("now localtime utc today tomorrow yesterday")
"""Texts that such a function takes for the time it is, or for the time zone of the machine."""

GRAMMAR = words(
    """
    all and any anti as asof between by case cross cube cycle distinct div else end escape except exclude
    exists fetch filter for from full group groups having ilike in inner intersect into is join lateral
    left like limit match materialized minus mod natural not of offset on only or order outer over partition
    pivot qualify range recursive regexp rename replace returning rlike rollup row rows select semi set sets
    similar some sounds symmetric then to union unpivot using values when where window with within xor
    """
)
"""Words of the grammar that stand before a parenthesis; no engine has a function of such a name that does
more than compute."""
