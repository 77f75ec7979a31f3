"""Terms: the nodes that an arena makes, each once, so that equal terms are one object.

A term stands for the spans of an expression from the current position on. `AHEAD` and `BEHIND` are
conditions: they hold of every span that starts at a position, or of none. `AHEAD o` holds where the rest of
the word is in `o`; `BEHIND c` holds where `c`, which is stepped along with the word, has an empty span.
"""

from __future__ import annotations

NONE, EPSILON, SYMBOL, CONCAT, UNION, MEET, NOT, STAR, COUNT, AHEAD, BEHIND = range(11)

NEVER, ALWAYS, DEPENDS = 0, 1, 2
"""Whether a term has an empty span at a position: at none, at each, or it depends on the position."""


class Term:
    """A node of the arena; compare with `is`."""

    __slots__ = (
        "body", "counted", "empty", "index", "items", "kind", "least", "located", "loose", "mask",
        "memo_accepts", "memo_letters", "memo_settle", "memo_shift", "memo_step", "memo_when", "most",
        "point", "positive", "rest", "tracks",
    )  # fmt: skip

    def __init__(self, index: int, kind: int, empty: int) -> None:
        self.index = index
        self.kind = kind
        self.empty = empty
        self.mask = 0
        self.body: Term = self
        self.rest: Term = self
        self.items: tuple[Term, ...] = ()
        self.least = 0
        self.most: int | None = None
        self.located = False
        """Holds AHEAD or BEHIND: where the span lies matters."""
        self.tracks = False
        """Holds BEHIND: the term changes with each letter, even before it is reached."""
        self.point = False
        """Depends on the start of the span only."""
        self.loose: Term | None = None
        """Of a concatenation: the longest proper tail that starts with ALL."""
        self.positive = True
        """Holds no MEET, NOT, AHEAD or BEHIND: it has a word unless it is NONE."""
        self.counted = False
        """Holds COUNT."""
        self.memo_step: dict[Term, int] | None = None
        self.memo_shift: dict[Term, int] | None = None
        self.memo_letters: int | None = None
        self.memo_when: Term | None = None
        self.memo_settle: Term | None = None
        self.memo_accepts: bool | None = None

    def __repr__(self) -> str:
        return f"Term({self.index}, kind {self.kind})"


def inherit(term: Term, *parts: Term) -> Term:
    """The term, with the marks that it has from its parts."""
    for part in parts:
        if part.located:
            term.located = True
            if part.tracks:
                term.tracks = True
        if part.counted:
            term.counted = True
        if not part.positive:
            term.positive = False
    if term.kind in (MEET, NOT):
        term.positive = False
    if term.located and term.kind in (UNION, MEET, NOT):
        term.point = all(part.point for part in parts)
    return term


def has_point(term: Term) -> bool:
    """Whether the term, or a part of a MEET, depends on the start of the span only."""
    return term.point or (term.kind == MEET and any(item.point for item in term.items))


def count_of(term: Term) -> tuple[Term, int, int | None]:
    """What is repeated, at least how often and at most."""
    if term.kind in (STAR, COUNT):
        return term.body, term.least, term.most
    return term, 1, 1
