"""Interned formulas in negation normal form: equal formulas are one number, and `n ^ 1` negates `n`.

The laws that simplify are switched on by `rewrite`; without them a formula keeps the shape of its text up to
the definitions of the derived operators, constants, and the order and nesting of `&` and `|`. Every law holds
at every position of every word, so that it may be used under any operator, past ones included.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from truespec.temporal.syntax import Formula


class Kind(IntEnum):
    """The operators that are left in negation normal form; each stands beside its dual."""

    TRUE = 0
    FALSE = 1
    LITERAL = 2
    AND = 4
    OR = 5
    NEXT = 6
    WEAK_NEXT = 7
    UNTIL = 8
    RELEASE = 9
    YESTERDAY = 10
    WEAK_YESTERDAY = 11
    SINCE = 12
    TRIGGER = 13


TRUE, FALSE = 0, 1
PAST = Kind.YESTERDAY
"""The past operators are those from here on."""


class Pool:
    """The formulas over a list of atoms, on finite traces or on infinite words."""

    def __init__(self, atoms: Iterable[str], finite: bool, rewrite: bool = True) -> None:
        self.finite = finite
        self.rewrite = rewrite
        self.atoms = tuple(atoms)
        self.kind: list[Kind] = [Kind.TRUE, Kind.FALSE]
        self.items: list[tuple[int, ...]] = [(), ()]
        self._number: dict[tuple[Kind, tuple[int, ...]], int] = {}
        self._atom: dict[str, int] = {}
        for place, name in enumerate(self.atoms):
            self._atom[name] = 2 + 2 * place
            self.kind += [Kind.LITERAL, Kind.LITERAL]
            self.items += [(place,), (~place,)]

    def add(self, formula: Formula) -> int:
        """The number of a formula."""
        op = formula.op
        if op == "atom":
            return self._atom[formula.name]
        below = [self.add(item) for item in formula.items]
        match op:
            case "true":
                return TRUE
            case "false":
                return FALSE
            case "!":
                return below[0] ^ 1
            case "&":
                return self.conjunction(below)
            case "|":
                return self.disjunction(below)
            case "X":
                return self.next(below[0])
            case "N":
                return self.next(below[0] ^ 1) ^ 1
            case "F":
                return self.until(TRUE, below[0])
            case "G":
                return self.until(TRUE, below[0] ^ 1) ^ 1
            case "Y":
                return self.yesterday(below[0])
            case "Z":
                return self.yesterday(below[0] ^ 1) ^ 1
            case "O":
                return self.since(TRUE, below[0])
            case "H":
                return self.since(TRUE, below[0] ^ 1) ^ 1
        return self._binary(op, *below)

    def _binary(self, op: str, a: int, b: int) -> int:
        match op:
            case "->":
                return self.disjunction([a ^ 1, b])
            case "<->":
                return self._same(a, b)
            case "xor":
                return self._same(a, b ^ 1)
            case "U":
                return self.until(a, b)
            case "R":
                return self.until(a ^ 1, b ^ 1) ^ 1
            case "W":  # a W b = b R (a | b)
                return self.until(b ^ 1, self.disjunction([a, b]) ^ 1) ^ 1
            case "M":  # a M b = b U (a & b)
                return self.until(b, self.conjunction([a, b]))
            case "S":
                return self.since(a, b)
            case "T":
                return self.since(a ^ 1, b ^ 1) ^ 1
            case "B":  # a B b = b T (a | b)
                return self.since(b ^ 1, self.disjunction([a, b]) ^ 1) ^ 1
        raise ValueError(f"no operator {op!r}")

    def _same(self, a: int, b: int) -> int:
        return self.disjunction([self.conjunction([a, b]), self.conjunction([a ^ 1, b ^ 1])])

    def _make(self, kind: Kind, items: tuple[int, ...]) -> int:
        key = (kind, items)
        found = self._number.get(key)
        if found is None:
            found = len(self.kind)
            dual = Kind(kind ^ 1)
            below = (
                tuple(sorted(item ^ 1 for item in items)) if kind <= Kind.OR else tuple(i ^ 1 for i in items)
            )
            self._number[key] = found
            self._number[dual, below] = found + 1
            self.kind += [kind, dual]
            self.items += [items, below]
        return found

    def conjunction(self, items: Iterable[int]) -> int:
        """All of the formulas."""
        flat: set[int] = set()
        for item in items:
            flat.update(self.items[item] if self.kind[item] is Kind.AND else (item,))
        flat.discard(TRUE)
        if FALSE in flat or any(item ^ 1 in flat for item in flat):
            return FALSE
        if self.rewrite and len(flat) > 1:
            flat = self._simplified(flat)
        if len(flat) < 2:
            return flat.pop() if flat else TRUE
        return self._make(Kind.AND, tuple(sorted(flat)))

    def _simplified(self, flat: set[int]) -> set[int]:
        for item in list(flat):  # a & (a | b) = a
            if self.kind[item] is Kind.OR and any(below in flat for below in self.items[item]):
                flat.discard(item)
        nexts = [
            item
            for item in flat
            if self.kind[item] is Kind.NEXT or (self.kind[item] is Kind.WEAK_NEXT and not self.finite)
        ]
        if len(nexts) < 2:
            return flat
        flat.difference_update(nexts)  # X a & X b = X (a & b)
        merged = self.next(self.conjunction([self.items[item][0] for item in nexts]))
        if merged == FALSE or merged ^ 1 in flat:
            return {FALSE}
        return flat | ({merged} - {TRUE})

    def disjunction(self, items: Iterable[int]) -> int:
        """One of the formulas."""
        return self.conjunction([item ^ 1 for item in items]) ^ 1

    def next(self, a: int) -> int:
        """There is a next position, and the formula holds there."""
        if a == FALSE:
            return FALSE
        if self.finite:
            return self._make(Kind.NEXT, (a,))
        # On infinite words X is its own dual.
        return TRUE if a == TRUE else self._make(Kind.NEXT, (a & ~1,)) ^ (a & 1)

    def until(self, a: int, b: int) -> int:
        """b holds at some position from here on, and a at all before it."""
        if b in (TRUE, FALSE) or a in (FALSE, b):
            return b
        if not self.rewrite:
            return self._make(Kind.UNTIL, (a, b))
        if a == b ^ 1:  # !b U b = F b
            a = TRUE
        kind, below = self.kind[b], self.items[b]
        if kind is Kind.UNTIL and (below[0] == a or a == below[0] == TRUE):  # a U (a U b) = a U b
            return b
        if a == TRUE:
            if kind is Kind.UNTIL:  # F (a U b) = F b
                return self.until(TRUE, below[1])
            if kind is Kind.OR:  # F (a | b) = F a | F b
                return self.disjunction([self.until(TRUE, item) for item in below])
            if self._always_eventually(b):  # F G F a = G F a
                return b
        elif kind is Kind.UNTIL and below[0] == TRUE:  # a U F b = F b
            return b
        return self._make(Kind.UNTIL, (a, b))

    def _always_eventually(self, number: int) -> bool:
        if self.kind[number] is not Kind.RELEASE or self.items[number][0] != FALSE:
            return False
        inner = self.items[number][1]
        return self.kind[inner] is Kind.UNTIL and self.items[inner][0] == TRUE

    def yesterday(self, a: int) -> int:
        """There is a previous position, and the formula held there."""
        return FALSE if a == FALSE else self._make(Kind.YESTERDAY, (a,))

    def since(self, a: int, b: int) -> int:
        """b held at some position up to here, and a at all after it."""
        if b in (TRUE, FALSE) or a in (FALSE, b):
            return b
        if not self.rewrite:
            return self._make(Kind.SINCE, (a, b))
        if a == b ^ 1:  # !b S b = O b
            a = TRUE
        kind, below = self.kind[b], self.items[b]
        if kind is Kind.SINCE and (below[0] == a or a == below[0] == TRUE):
            return b
        if a == TRUE:
            if kind is Kind.SINCE:  # O (a S b) = O b
                return self.since(TRUE, below[1])
            if kind is Kind.OR:  # O (a | b) = O a | O b
                return self.disjunction([self.since(TRUE, item) for item in below])
        elif kind is Kind.SINCE and below[0] == TRUE:  # a S O b = O b
            return b
        return self._make(Kind.SINCE, (a, b))

    def below(self, *tops: int) -> list[int]:
        """Every number that the tops are made of, operands first."""
        seen: set[int] = set()
        order: list[int] = []
        todo = [~top for top in reversed(tops)]
        while todo:
            number = todo.pop()
            if number >= 0:  # its operands are done
                order.append(number)
                continue
            number = ~number
            if number in seen:
                continue
            seen.add(number)
            todo.append(number)
            if self.kind[number] is not Kind.LITERAL:
                todo.extend(~item for item in self.items[number] if item not in seen)
        return order

    def used(self, *tops: int) -> list[int]:
        """The places of the atoms that the tops are made of, ascending."""
        literals = (self.items[n][0] for n in self.below(*tops) if self.kind[n] is Kind.LITERAL)
        return sorted({max(place, ~place) for place in literals})
