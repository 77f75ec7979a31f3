"""What each engine's functions do besides computing; one record per dialect, in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


class Need(Enum):
    """What an argument has to be for a function not to fail, in an engine that raises errors."""

    NUMBER = "a number as written"
    """A whole number as written."""
    NOT_ZERO = "a number as written that is not 0"
    """A whole number as written, other than 0."""
    FILLED = "a text as written that is not empty"
    """A text as written, with characters in it."""
    WORDS = "a text as written without a backslash"
    """A text as written in which nothing is escaped."""
    REGULAR = "a plain regular expression as written"
    """A text that surely is a regular expression."""
    SIMILAR = "a plain pattern of SIMILAR TO as written"
    """A text that surely is a pattern of SIMILAR TO."""
    FLAGS = "options of a regular expression as written"
    """Letters that are options of a regular expression: `g` and `i`."""
    KEYS = "pairs of a key as written and a value"
    """Arguments that are keys and values in turn, each key a text as written."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What is known of a function besides that equal arguments give equal results."""

    result: str
    """The kind of its results: `text`, `int`, `real`, `bool`, or the name of a type that is only shown."""
    strict: bool = True
    """Whether it is NULL where an argument is, and nowhere else; else nothing is known of its NULLs."""
    takes: str = "texts"
    """Its arguments: `texts` (and whole numbers), `dates`, `values` of any type, or `numbers`."""
    needs: tuple[tuple[str, Need], ...] = ()
    """The arguments, by the parser's names, that it fails for unless they are so."""


def signatures(
    result: str, names: str, *, strict: bool = True, takes: str = "texts", **needs: Need
) -> dict[str, Signature]:
    """The same signature for several functions, by the parser's names, or the engine's in capitals."""
    return dict.fromkeys(names.split(), Signature(result, strict, takes, tuple(needs.items())))


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
    read: Mapping[str, Signature]
    """Functions that are read as unknown ones; those that may fail have their needs."""


NOW_WORDS = words("now localtime utc today tomorrow yesterday")
"""Texts that such a function takes for the time it is, or for the time zone of the machine."""

GRAMMAR = words(
    """
    all and any anti as asof between by case columns cross cube cycle distinct div else end escape except
    exclude exists fetch filter for from full group groups having ilike in inner intersect into is join
    lateral left like limit match materialized minus mod natural not of offset on only or order outer over
    partition pivot qualify range recursive regexp rename replace returning rlike rollup row rows select
    semi set sets similar some sounds symmetric then to union unpivot using values when where window with
    within xor
    """
)
"""Words of the grammar that stand before a parenthesis; no engine has a function of such a name that does
more than compute."""
