"""Typed terms: hash-consed, so that equal subterms are one object and every pass visits each once."""

from __future__ import annotations

from dataclasses import dataclass, field

from truespec.domains.arith.numbers import Number

BOOLEAN_OPS = frozenset({"<", "<=", "==", "!=", "not", "and", "or", "is_int", "divides"})
"""Operations that yield a truth value."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """An operation on terms; `index` grows from children to parents within one arena."""

    op: str
    """`const`, `var`, or an operation of `semantics.py`."""
    args: tuple[Term, ...]
    """The operands."""
    value: Number | bool | str | None
    """A constant's value, a variable's name, or the decimals of `round`."""
    boolean: bool
    """Whether it yields a truth value."""
    integral: bool
    """Whether every defined value is an integer, by its form alone."""
    depth: int
    """The longest way to a leaf."""
    index: int
    """Its position in the arena."""

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self.args))
        return f"{self.op}({inside})" if self.value is None else f"{self.op}[{self.value}]({inside})"


@dataclass
class Arena:
    """Where terms live; one per context."""

    terms: list[Term] = field(default_factory=list)
    known: dict[tuple[object, ...], Term] = field(default_factory=dict)

    def make(
        self,
        op: str,
        args: tuple[Term, ...] = (),
        value: Number | bool | str | None = None,
        *,
        integral: bool = False,
    ) -> Term:
        """The term with these parts; `integral` is read for variables only."""
        key = (op, *(arg.index for arg in args), type(value), value)
        found = self.known.get(key)
        if found is not None:
            return found
        boolean = op in BOOLEAN_OPS or isinstance(value, bool) or (op in ("if", "var") and _boolean(args))
        depth = 1 + max((arg.depth for arg in args), default=0)
        whole = integral if op == "var" else _integral(op, args, value)
        term = Term(op, args, value, boolean, whole, depth, len(self.terms))
        self.terms.append(term)
        self.known[key] = term
        return term

    def constant(self, value: Number | bool) -> Term:
        """A literal."""
        return self.make("const", (), value)


def _boolean(args: tuple[Term, ...]) -> bool:
    return bool(args) and args[-1].boolean


def _integral(op: str, args: tuple[Term, ...], value: object) -> bool:
    match op:
        case "const":
            return isinstance(value, int) and not isinstance(value, bool)
        case "//" | "floor" | "ceil" | "int":
            return True
        case "+" | "-" | "*" | "neg" | "abs" | "min" | "max" | "%":
            return all(arg.integral for arg in args)
        case "**":
            exponent = args[1]
            return (
                args[0].integral
                and exponent.op == "const"
                and isinstance(exponent.value, int)
                and exponent.value >= 0
            )
        case "if":
            return args[1].integral and args[2].integral
        case "round":
            return args[0].integral or not isinstance(value, int) or value <= 0
    return False


def reach(*roots: Term) -> list[Term]:
    """Every term below these, children first."""
    seen: dict[int, Term] = {}
    waiting = list(roots)
    while waiting:
        term = waiting.pop()
        if term.index not in seen:
            seen[term.index] = term
            waiting.extend(term.args)
    return [seen[index] for index in sorted(seen)]


def variables(*roots: Term) -> list[str]:
    """The names of the variables below these, sorted."""
    return sorted(str(term.value) for term in reach(*roots) if term.op == "var")
