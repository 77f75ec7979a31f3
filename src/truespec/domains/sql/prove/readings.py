"""In which ways a pair is read, where one reading has no proof."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """How recursions and calendars are read."""

    apart: bool = True
    """Also where no recursion of one query is seen to be one of the other."""
    writes_out: bool = False
    """One that ends after a few rounds as the sum of its rounds: two that are not seen to be one may be
    alike round by round."""
    follows_walks: bool = False
    """As walks from row to row: a tree may be walked down, or up."""
    starts_later: bool = False
    """As the first part and a recursion that begins after it: a tree may be walked from its root, or from the
    root's children."""
    by_months: bool = False
    """With constants that begin months as the beginnings of these, by which groups are numbered."""


READINGS = (Reading(follows_walks=True), Reading(starts_later=True))
"""The readings of recursions that are tried where they are not seen to be one."""
