"""Following a certificate of equivalence by the unfolding laws of the operators alone.

Every claim of a certificate is a statement about one position and the next, and so a propositional formula:
atoms now, truth of formulas at the next position, and whether this is the last position. Z3 checks that it is
valid. Nothing of the code that searched is used: formulas are read into trees of their own here.

    a U b  =  b | (a & X (a U b))      a R b  =  b & (a | N (a R b))
    a S b  =  b | (a & Y (a S b))      a T b  =  b & (a | Z (a T b))
"""

from __future__ import annotations

from typing import Any

from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.temporal.syntax import Formula
from truespec.verdict import JSON, Incomplete

Tree = tuple[Any, ...]
"""A formula in negation normal form: `("atom", name)`, `("not", name)`, or an operator with operands; those
of `&` and `|` are a frozen set."""

_TRUE: Tree = ("true",)
_FALSE: Tree = ("false",)
_DUAL = {"true": "false", "&": "|", "X": "N", "U": "R", "Y": "Z", "S": "T", "atom": "not"}
_DUAL |= {dual: op for op, dual in _DUAL.items()}
_DUAL["next"] = "next"
"""On infinite words `X` and `N` are one operator, `next`, which is its own dual."""


class Mismatch(ValueError):
    """The certificate does not show what it claims; the message says where."""


def _all(op: str, items: list[Tree]) -> Tree:
    """A conjunction or disjunction: flat, without repetitions and units, decided by constants and clashes."""
    unit, zero = (_TRUE, _FALSE) if op == "&" else (_FALSE, _TRUE)
    flat: set[Tree] = set()
    for item in items:
        flat |= item[1] if item[0] == op else {item}
    flat.discard(unit)
    if zero in flat or any(_dual(item) in flat for item in flat):
        return zero
    return (op, frozenset(flat)) if len(flat) > 1 else next(iter(flat), unit)


def _dual(tree: Tree) -> Tree:
    op = tree[0]
    if op in ("true", "false"):
        return (_DUAL[op],)
    if op in ("atom", "not"):
        return (_DUAL[op], tree[1])
    if op in ("&", "|"):
        return (_DUAL[op], frozenset(_dual(item) for item in tree[1]))
    return (_DUAL[op], *(_dual(item) for item in tree[1:]))


class Reader:
    """Formulas to trees, for one logic."""

    def __init__(self, finite: bool) -> None:
        self.finite = finite

    def tree(self, formula: Formula, positive: bool = True) -> Tree:
        """A formula, or its negation, by duality and the definitions of the derived operators."""
        op, items = formula.op, formula.items
        if op == "atom":
            return ("atom" if positive else "not", formula.name)
        if op == "!":
            return self.tree(items[0], not positive)
        if not positive:
            return _dual(self.tree(formula))
        below = [self.tree(item) for item in items]
        if op in ("->", "<->", "xor"):
            a, b = below
            if op == "->":
                return _all("|", [_dual(a), b])
            b = b if op == "<->" else _dual(b)
            return _all("|", [_all("&", [a, b]), _all("&", [_dual(a), _dual(b)])])
        derived = {
            "F": ("U", _TRUE, below[-1] if below else _TRUE),
            "G": ("R", _FALSE, below[-1] if below else _TRUE),
            "O": ("S", _TRUE, below[-1] if below else _TRUE),
            "H": ("T", _FALSE, below[-1] if below else _TRUE),
        }
        if op in derived:
            return self.node(*derived[op])
        if op in ("W", "M", "B"):
            a, b = below
            core = {"W": "R", "M": "U", "B": "T"}[op]
            return self.node(core, b, _all("&" if op == "M" else "|", [a, b]))
        return self.node(op, *below)

    def node(self, op: str, *items: Tree) -> Tree:
        """An operator over trees, with constants decided."""
        if op in ("true", "false", "atom", "not"):
            return (op, *items)
        if op in ("&", "|"):
            return _all(op, list(items))
        if op in ("X", "N") and not self.finite:
            return items[0] if items[0] in (_TRUE, _FALSE) else ("next", items[0])
        if (op in ("X", "Y") and items[0] == _FALSE) or (op in ("N", "Z") and items[0] == _TRUE):
            return items[0]
        if op in ("U", "R", "S", "T"):
            a, b = items
            if b in (_TRUE, _FALSE) or a in (b, _FALSE if op in ("U", "S") else _TRUE):
                return b
        elif op not in ("X", "N", "Y", "Z"):
            raise Mismatch(f"no operator {op!r:.40}")
        return (op, *items)


class _Position:
    """The truth of formulas at one position, as terms of Z3."""

    def __init__(self, finite: bool, claims: dict[Tree, bool] | None) -> None:
        import z3

        self.z3 = z3
        self.finite = finite
        self.claims = claims
        self.last = z3.Bool("last") if finite else z3.BoolVal(False)
        self._names: dict[Tree, str] = {}
        self._known: dict[Tree, Any] = {}

    def here(self, tree: Tree) -> Any:
        """The formula holds here."""
        found = self._known.get(tree)
        if found is None:
            found = self._known[tree] = self._here(tree)
        return found

    def _here(self, tree: Tree) -> Any:
        z3, op = self.z3, tree[0]
        if op in ("true", "false"):
            return z3.BoolVal(op == "true")
        if op in ("atom", "not"):
            return self._variable("now", ("atom", tree[1]), op == "atom")
        if op in ("&", "|"):
            return (z3.And if op == "&" else z3.Or)([self.here(item) for item in tree[1]])
        if op == "next":
            return self.after(tree[1])
        if op in ("X", "N"):
            after = self.after(tree[1])
            return z3.And(z3.Not(self.last), after) if op == "X" else z3.Or(self.last, after)
        if op in ("Y", "Z"):
            return z3.BoolVal(self._before(tree[1], op == "Z"))
        a, b = self.here(tree[1]), self.here(tree[2])
        if op == "U":
            return z3.Or(b, z3.And(a, z3.Not(self.last), self.after(tree)))
        if op == "R":
            return z3.And(b, z3.Or(a, self.last, self.after(tree)))
        before = z3.BoolVal(self._before(tree, op == "T"))
        return z3.Or(b, z3.And(a, before)) if op == "S" else z3.And(b, z3.Or(a, before))

    def _before(self, tree: Tree, at_start: bool) -> bool:
        """The formula held one position before; `at_start` where there is none."""
        if self.claims is None:
            return at_start
        if tree in (_TRUE, _FALSE):
            return tree == _TRUE
        if tree in self.claims:
            return self.claims[tree]
        if _dual(tree) in self.claims:
            return not self.claims[_dual(tree)]
        raise Mismatch("a state does not say whether a past formula that it needs held before")

    def after(self, tree: Tree) -> Any:
        """The formula holds at the next position, supposing that there is one."""
        z3, op = self.z3, tree[0]
        if op in ("true", "false"):
            return z3.BoolVal(op == "true")
        if op in ("&", "|"):
            return (z3.And if op == "&" else z3.Or)([self.after(item) for item in tree[1]])
        dual = _dual(tree)
        if dual in self._names:
            return self._variable("next", dual, False)
        return self._variable("next", tree, True)

    def _variable(self, when: str, tree: Tree, positive: bool) -> Any:
        if when == "now":
            found = self.z3.Bool(f"now {tree[1]}")
        else:
            self._names.setdefault(tree, f"next {len(self._names)}")
            found = self.z3.Bool(self._names[tree])
        return found if positive else self.z3.Not(found)


def follow(
    certificate: JSON, finite: bool, left: Formula, right: Formula, scope: Formula, limit: Limit
) -> None:
    """Check that the certificate shows the two formulas equal on the words of `scope`; `Mismatch` says why
    not."""
    reader = Reader(finite)
    a, b = reader.tree(left), reader.tree(right)
    if not isinstance(certificate, dict):
        raise Mismatch("the certificate is no object")
    if certificate.get("kind") == "same":
        if a != b:
            raise Mismatch("the two formulas are not the same up to definitions")
        return
    try:
        rows = _rows(certificate["formulas"], reader)
        directions = certificate["directions"]
        if not isinstance(directions, list) or len(directions) != 2:
            raise Mismatch("a certificate has two directions")
        starts = ((left, right), (right, left))
        for (holds, fails), direction in zip(starts, directions, strict=True):
            start = [reader.tree(scope), reader.tree(holds), reader.tree(fails, positive=False)]
            _Direction(direction, rows, finite, limit).check(start)
    except Mismatch:
        raise
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise Mismatch(f"the certificate is malformed: {type(error).__name__} {error}") from error


def _rows(listed: Any, reader: Reader) -> list[Tree]:
    rows: list[Tree] = []
    for number, (op, *items) in enumerate(listed):
        if op in ("atom", "not"):
            rows.append((op, str(items[0])))
            continue
        if not all(isinstance(item, int) and 0 <= item < number for item in items):
            raise Mismatch(f"row {number} refers to itself or to a later one")
        rows.append(reader.node(op, *(rows[item] for item in items)))
    return rows


class _Direction:
    """One direction of a certificate: no word satisfies its first state."""

    def __init__(self, record: Any, rows: list[Tree], finite: bool, limit: Limit) -> None:
        self.finite, self.limit, self.rows = finite, limit, rows
        self.states: list[tuple[list[Tree], dict[Tree, bool] | None]] = []
        for todo, claims in record["states"]:
            known = None if claims is None else {rows[place]: bool(value) for place, value in claims}
            self.states.append(([rows[place] for place in todo], known))
        self.steps: list[list[int]] = record["steps"]
        self.rank: list[int] = [0] * len(self.states) if finite else record["rank"]
        self.until: list[int | None] = [] if finite else record["until"]
        if not len(self.states) == len(self.steps) == len(self.rank):
            raise Mismatch("each state has its steps and its rank")

    def check(self, start: list[Tree]) -> None:
        """The formulas to separate imply the first state; no state ends a trace; each leads to its steps
        only."""
        import z3

        todo, claims = self.states[0]
        if claims is not None:
            raise Mismatch("the first state has no position before it")
        position = _Position(self.finite, None)
        given = [position.here(tree) for tree in start]
        wanted = [position.here(tree) for tree in todo]
        self._valid(z3.Implies(z3.And(given), z3.And(wanted)), "the first state asks for more than the pair")
        for number in range(len(self.states)):
            self._check_state(number)

    def _check_state(self, number: int) -> None:
        import z3

        todo, claims = self.states[number]
        position = _Position(self.finite, claims)
        # Names of truths at the next position are those of the targets, too.
        state = z3.And([position.here(tree) for tree in todo])
        ways = [self._way(position, number, target) for target in self.steps[number]]
        if self.finite:
            ends = z3.Not(z3.And(state, position.last))
            self._valid(ends, f"a trace may end in state {number}")
            state = z3.And(state, z3.Not(position.last))
        self._valid(z3.Implies(state, z3.Or(ways)), f"state {number} has a step that is not listed")

    def _way(self, position: _Position, number: int, target: int) -> Any:
        import z3

        if not isinstance(target, int) or not 0 <= target < len(self.states):
            raise Mismatch(f"state {number} leads to no state")
        todo, claims = self.states[target]
        if claims is None:
            raise Mismatch("a step leads to a state that has no position before it")
        parts = [position.after(tree) for tree in todo]
        for tree, value in claims.items():
            here = position.here(tree)
            parts.append(here if value else z3.Not(here))
        if self.finite:
            return z3.And(parts)
        own, there = self.rank[number], self.rank[target]
        if there > own:
            raise Mismatch(f"the step from state {number} to {target} rises in rank")
        if there == own:
            place = self.until[own]
            if place is None or self.rows[place][0] != "U":
                raise Mismatch(f"rank {own} has a cycle and no until")
            until = self.rows[place]
            parts += [position.after(until), z3.Not(position.here(until[2]))]
        return z3.And(parts)

    def _valid(self, claim: Any, otherwise: str) -> None:
        import z3

        from truespec.solvers.z3 import check

        solver = z3.Solver()
        solver.add(z3.Not(claim))
        answer = check(solver, self.limit)
        if answer is Outcome.UNKNOWN:
            raise Incomplete("z3 gave up on a step of the certificate")
        if answer is Outcome.SAT:
            raise Mismatch(otherwise)
