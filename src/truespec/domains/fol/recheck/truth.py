"""A second semantics: sets of satisfying assignments, bottom-up, instead of recursion over elements.

The value of a formula with free names is the set of rows of elements that satisfy it (a relational algebra),
so an error in the one evaluator is unlikely to be repeated in the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from truespec.domains.fol.recheck.reader import Node
from truespec.solvers.limit import Limit
from truespec.verdict import Undecided

Rows = tuple[tuple[str, ...], frozenset[tuple[str, ...]]]
"""The free variables, sorted, and the rows of elements that satisfy the formula."""
MAX_ROWS = 2_000_000
"""A table beyond this size is not built."""


class Structure:
    """A counterexample as the record states it, checked for shape; `ValueError` says what is wrong."""

    def __init__(self, point: Mapping[str, object]) -> None:
        domain, constants, predicates = (point.get(key) for key in ("domain", "constants", "predicates"))
        if not isinstance(domain, list) or not domain or len(set(map(str, domain))) != len(domain):
            raise ValueError("the domain is not a list of distinct elements")
        if not isinstance(constants, Mapping) or not all(value in domain for value in constants.values()):
            raise ValueError("a constant denotes no element of the domain")
        if not isinstance(predicates, Mapping):
            raise ValueError("the predicates have no extensions")
        self.domain: list[str] = domain
        self.constants: Mapping[str, str] = constants
        self.extensions: dict[str, set[tuple[str, ...]]] = {}
        for name, rows in predicates.items():
            if not isinstance(rows, list) or not all(
                isinstance(row, list) and all(element in domain for element in row) for row in rows
            ):
                raise ValueError(f"the extension of {name} is not a list of rows of elements")
            self.extensions[name] = {tuple(row) for row in rows}

    def satisfies(self, node: Node, limit: Limit) -> bool:
        """Whether the sentence is true in this structure."""
        free, rows = self._rows(node, frozenset(), limit)
        if free:
            raise ValueError(f"free variables: {', '.join(free)}")
        return bool(rows)

    def _rows(self, node: Node, bound: frozenset[str], limit: Limit) -> Rows:
        limit.check()
        kind = node[0]
        if kind == "atom":
            return self._select(node[2], self.extensions[node[1]], bound)
        if kind == "equal":
            return self._select((node[1], node[2]), {(one, one) for one in self.domain}, bound)
        if kind == "not":
            free, rows = self._rows(node[1], bound, limit)
            return free, self._everything(free) - rows
        if kind in ("all", "some"):
            free, rows = self._rows(node[2], bound | {node[1]}, limit)
            if node[1] not in free:
                return free, rows
            if kind == "all":
                rows = self._everything(free) - rows
            place = free.index(node[1])
            rest = free[:place] + free[place + 1 :]
            projected = frozenset(row[:place] + row[place + 1 :] for row in rows)
            return rest, self._everything(rest) - projected if kind == "all" else projected
        if kind == "implies":
            return self._combine([("not", node[1]), node[2]], "or", bound, limit)
        return self._combine(list(node[1]), kind, bound, limit)

    def _combine(self, nodes: list[Node], kind: str, bound: frozenset[str], limit: Limit) -> Rows:
        tables = [self._rows(one, bound, limit) for one in nodes]
        free = tuple(sorted({name for names, _ in tables for name in names}))
        widened = [self._widen(table, free) for table in tables]
        result = widened[0]
        for table in widened[1:]:
            if kind == "and":
                result = result & table
            elif kind == "or":
                result = result | table
            elif kind == "xor":
                result = result ^ table
            else:
                result = self._everything(free) - (result ^ table)
        return free, result

    def _select(self, names: tuple[str, ...], extension: set[tuple[str, ...]], bound: frozenset[str]) -> Rows:
        """The rows of the variables among `names` for which the extension holds the whole row."""
        free = tuple(sorted({name for name in names if name in bound}))
        found = set()
        for row in extension:
            if len(row) != len(names):
                raise ValueError(f"a row of {len(row)} elements where {len(names)} are expected")
            value: dict[str, str] = {}
            for name, element in zip(names, row):
                wanted = value.setdefault(name, element) if name in bound else self.constants[name]
                if wanted != element:
                    break
            else:
                found.add(tuple(value[name] for name in free))
        return free, frozenset(found)

    def _everything(self, free: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
        if len(self.domain) ** len(free) > MAX_ROWS:
            raise Undecided(f"more than {MAX_ROWS} rows over {len(free)} variables")
        return frozenset(product(self.domain, repeat=len(free)))

    def _widen(self, table: Rows, free: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
        """The same table over more variables."""
        names, rows = table
        if names == free:
            return rows
        places = [free.index(name) for name in names]
        return frozenset(row for row in self._everything(free) if tuple(row[one] for one in places) in rows)
