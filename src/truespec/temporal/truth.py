"""The truth of a formula in one word, by the textbook definition: quantifiers over positions, nothing else.

On a lasso, positions are natural numbers. From some position on the truth of a formula repeats with the loop:
each past operator delays that by at most one round. So a quantifier over all later positions needs to look
at one period beyond that point only.
"""

from __future__ import annotations

from truespec.temporal.syntax import PAST, Formula, parts
from truespec.temporal.words import Word

REPLAY = "textbook semantics of temporal logic (truespec.temporal.truth)"


def holds(formula: Formula, word: Word) -> bool:
    """Whether the formula holds at the first position of the word.

    >>> from truespec.temporal.syntax import atom
    >>> holds(Formula("G", (Formula("F", (atom("a"),)),)), Word((frozenset(), frozenset("a")), 0))
    True
    """
    return _Truth(formula, word).at(formula, 0)


class _Truth:
    def __init__(self, formula: Formula, word: Word) -> None:
        self.letters = word.letters
        self.loop = word.loop
        self.known: dict[tuple[int, int], bool] = {}
        k = len(word.letters)
        if word.loop is None:
            self.steady, self.end = k, k
            return
        past = sum(1 for one in parts(formula) if one.op in PAST)
        self.period = k - word.loop
        self.steady = word.loop + self.period * past
        """From here on every subformula repeats with the loop."""
        self.end = self.steady + self.period
        """One position past all that are looked at."""

    def at(self, formula: Formula, i: int) -> bool:
        """Whether the formula holds at position i."""
        if self.loop is not None and i >= self.end:
            i = self.steady + (i - self.steady) % self.period
        key = (id(formula), i)
        if key not in self.known:
            self.known[key] = self._at(formula, i)
        return self.known[key]

    def _later(self, i: int) -> range:
        """The positions from i on: on a lasso as far as one whole period behind both i and the steady
        point."""
        return range(i, self.end if self.loop is None else max(i, self.steady) + self.period)

    def _until(self, a: Formula, b: Formula, i: int) -> bool:
        return any(self.at(b, j) and all(self.at(a, k) for k in range(i, j)) for j in self._later(i))

    def _since(self, a: Formula, b: Formula, i: int) -> bool:
        return any(
            self.at(b, j) and all(self.at(a, k) for k in range(j + 1, i + 1)) for j in range(i, -1, -1)
        )

    def _at(self, formula: Formula, i: int) -> bool:
        op, items = formula.op, formula.items
        if op == "atom":
            return formula.name in self.letters[self._position(i)]
        if op in ("true", "false"):
            return op == "true"
        if op == "&":
            return all(self.at(item, i) for item in items)
        if op == "|":
            return any(self.at(item, i) for item in items)
        a, b = items[0], items[-1]
        last = self.loop is None and i == self.end - 1
        match op:
            case "!":
                return not self.at(a, i)
            case "->":
                return not self.at(a, i) or self.at(b, i)
            case "<->":
                return self.at(a, i) is self.at(b, i)
            case "xor":
                return self.at(a, i) is not self.at(b, i)
            case "X":
                return not last and self.at(a, i + 1)
            case "N":
                return last or self.at(a, i + 1)
            case "F":
                return any(self.at(a, j) for j in self._later(i))
            case "G":
                return all(self.at(a, j) for j in self._later(i))
            case "U":
                return self._until(a, b, i)
            case "W":
                return self._until(a, b, i) or all(self.at(a, j) for j in self._later(i))
            case "R":  # b holds up to and including the first position where a holds, or for ever
                return all(self.at(b, j) or any(self.at(a, k) for k in range(i, j)) for j in self._later(i))
            case "M":
                return any(
                    self.at(a, j) and all(self.at(b, k) for k in range(i, j + 1)) for j in self._later(i)
                )
        return self._past(op, a, b, i)

    def _past(self, op: str, a: Formula, b: Formula, i: int) -> bool:
        match op:
            case "Y":
                return i > 0 and self.at(a, i - 1)
            case "Z":
                return i == 0 or self.at(a, i - 1)
            case "O":
                return any(self.at(a, j) for j in range(i + 1))
            case "H":
                return all(self.at(a, j) for j in range(i + 1))
            case "S":
                return self._since(a, b, i)
            case "B":
                return self._since(a, b, i) or all(self.at(a, j) for j in range(i + 1))
            case "T":  # b has held since and including the last position where a held, or from the start
                return all(
                    self.at(b, j) or any(self.at(a, k) for k in range(j + 1, i + 1)) for j in range(i + 1)
                )
        raise ValueError(f"no operator {op!r}")

    def _position(self, i: int) -> int:
        k = len(self.letters)
        return i if self.loop is None or i < k else self.loop + (i - self.loop) % self.period
