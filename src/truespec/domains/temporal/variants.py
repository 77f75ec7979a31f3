"""Single-point slips of a formula, and other ways to write it; for tests, benchmarks and labelled
candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from truespec.temporal.syntax import FALSE, TRUE, Formula, atom, conjunction, disjunction, negation

_SLIPS = {
    "F": ("G", "X"),
    "G": ("F",),
    "X": ("F", "N"),
    "N": ("X",),
    "U": ("W", "R"),
    "W": ("U",),
    "R": ("M", "U"),
    "M": ("R",),
    "O": ("H", "Y"),
    "H": ("O",),
    "Y": ("Z", "O"),
    "Z": ("Y",),
    "S": ("B", "T"),
    "B": ("S",),
    "T": ("S",),
    "&": ("|",),
    "|": ("&",),
    "->": ("<->", "&"),
    "<->": ("->",),
    "xor": ("|",),
}
_ORDERED = ("U", "W", "R", "M", "S", "B", "T", "->")


def mutants(formula: Formula, names: tuple[str, ...], finite: bool) -> Iterator[Formula]:
    """Formulas that differ in one place: an operator, its sides, a missing part, an atom, a negation."""
    yield from dict.fromkeys(_everywhere(formula, lambda one: _slips(one, names, finite)))


def _slips(one: Formula, names: tuple[str, ...], finite: bool) -> Iterator[Formula]:
    op, items = one.op, one.items
    if op == "atom":
        others = [name for name in names if name != one.name]
        yield from (atom(name) for name in others[:1])
        yield negation(one)
        return
    for other in _SLIPS.get(op, ()):
        if (finite or other != "N") and (len(items) == 2 or other not in ("->", "<->")):
            yield Formula(other, items)
    if op in _ORDERED:
        yield Formula(op, items[::-1])
    if op in ("&", "|"):
        for place in range(len(items)):
            left = list(items[:place] + items[place + 1 :])
            yield conjunction(left) if op == "&" else disjunction(left)
    else:
        yield from items
    if op == "U":  # the catalogue of misconceptions: a weak until, an until that excludes its left side
        yield Formula("U", (conjunction([items[0], negation(items[1])]), items[1]))
        yield Formula("&", (one, Formula("F", (items[0],))))


def rewritings(formula: Formula, finite: bool) -> Iterator[Formula]:
    """Formulas that mean the same by a law of the logic, each applied in one place."""
    yield negation(negation(formula))
    yield Formula("|", (formula, FALSE))
    yield from dict.fromkeys(_everywhere(formula, lambda one: _laws(one, finite)))


def _laws(one: Formula, finite: bool) -> Iterator[Formula]:
    op, items = one.op, one.items
    negated = [negation(item) for item in items]
    duals = {
        "F": "G",
        "G": "F",
        "O": "H",
        "H": "O",
        "Y": "Z",
        "Z": "Y",
        "U": "R",
        "R": "U",
        "W": "M",
        "M": "W",
    }
    duals |= {"S": "T", "T": "S", "&": "|", "|": "&"}
    duals |= {"X": "N", "N": "X"} if finite else {"X": "X"}
    if op in duals and op not in ("W", "M"):
        yield negation(Formula(duals[op], tuple(negated)))
    if op == "->":
        yield Formula("|", (negated[0], items[1]))
    elif op == "<->":
        yield Formula("&", (Formula("->", items), Formula("->", items[::-1])))
    elif op == "F":
        yield Formula("U", (TRUE, items[0]))
        yield Formula("|", (items[0], Formula("X", (one,))))
    elif op == "G":
        yield Formula("W", (items[0], FALSE))
        yield Formula("&", (items[0], Formula("N" if finite else "X", (one,))))
    elif op in ("U", "S"):
        step = Formula("X" if op == "U" else "Y", (one,))
        yield Formula("|", (items[1], Formula("&", (items[0], step))))
    elif op in ("W", "B"):
        always = Formula("G" if op == "W" else "H", items[:1])
        yield Formula("|", (Formula("U" if op == "W" else "S", items), always))
    elif op in ("&", "|"):
        yield Formula(op, items[::-1])


def _everywhere(formula: Formula, change: Callable[[Formula], Iterator[Formula]]) -> Iterator[Formula]:
    yield from change(formula)
    for place, item in enumerate(formula.items):
        for changed in _everywhere(item, change):
            yield Formula(formula.op, (*formula.items[:place], changed, *formula.items[place + 1 :]))
