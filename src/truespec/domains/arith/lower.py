"""Tree to term: names are resolved, types checked, constants folded."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from truespec.domains.arith.evaluate import apply
from truespec.domains.arith.numbers import MAX_BITS, UNDEFINED, Number, TooLarge, bits
from truespec.domains.arith.syntax import FUNCTIONS, Node, Tree
from truespec.domains.arith.terms import Arena, Term
from truespec.verdict import ReasonCode, SpecificationError, Unsupported

MAX_DECIMALS = 1_000
"""The largest number of decimals, either sign, that `round` takes."""


def lower(tree: Tree, variables: Mapping[str, str], arena: Arena) -> Term:
    """The term of a tree over variables of type `int` or `real`.

    `SpecificationError` names an unknown name, an operand of the wrong type or a forbidden call and its
    place; `Unsupported` a power whose exponent may be fractional.
    """
    made: list[Term] = []
    for position, node in enumerate(tree.nodes):
        made.append(_Lowering(tree, variables, arena, position).lower(node, [made[a] for a in node.args]))
    return made[-1]


class _Lowering:
    def __init__(self, tree: Tree, variables: Mapping[str, str], arena: Arena, position: int) -> None:
        self.tree = tree
        self.variables = variables
        self.arena = arena
        self.position = position

    def lower(self, node: Node, args: list[Term]) -> Term:
        match node.op:
            case "number" | "bool":
                assert isinstance(node.value, bool | Number)
                return self.arena.constant(node.value)
            case "name":
                return self._name(str(node.value))
            case "pos":
                self._numbers(node, args, "+")
                return args[0]
            case "neg" | "+" | "-" | "*" | "/" | "//" | "%":
                self._numbers(node, args, "-" if node.op == "neg" else node.op)
                return self._make(node.op, *args)
            case "**":
                self._numbers(node, args, "**")
                return self._power(*args)
            case "not" | "and" | "or":
                for arg, child in zip(args, node.args, strict=True):
                    if not arg.boolean:
                        hint = "an operand of " + repr(node.op)
                        raise self._type(child, f"{hint} is a number, not a condition: write e.g. 'x != 0'")
                return self._make(node.op, *args)
            case "if":
                condition, a, b = args
                if not condition.boolean:
                    raise self._type(node.args[0], "a condition is a number: write e.g. 'x != 0'")
                if a.boolean != b.boolean:
                    raise self._type(
                        self.position, "the branches of a conditional are a number and a truth value"
                    )
                return self._make("if", condition, a, b)
            case "compare":
                assert isinstance(node.value, tuple)
                return self._chain(node, args, node.value)
            case "call":
                return self._call(node, args, str(node.value))
        raise AssertionError(node.op)

    def _name(self, name: str) -> Term:
        kind = self.variables.get(name)
        if kind is not None:
            return self.arena.make("var", (), name, integral=kind == "int")
        if name in FUNCTIONS:
            raise self._type(
                self.position, f"the function {name!r} is used as a value: call it, '{name}(...)'"
            )
        raise SpecificationError(
            ReasonCode.SCOPE,
            f"the name {name[:60]!r} is not declared{_near(name, self.variables, 'the variables are')}",
            self.tree.place(self.position),
        )

    def _call(self, node: Node, args: list[Term], name: str) -> Term:
        if name not in FUNCTIONS:
            what = "a variable" if name in self.variables else "not a function of the language"
            raise SpecificationError(
                ReasonCode.FORBIDDEN,
                f"the call of {name[:60]!r}, which is {what}{_near(name, FUNCTIONS, 'the functions are')}",
                self.tree.place(self.position),
            )
        least, most = FUNCTIONS[name]
        if len(args) < least or (most is not None and len(args) > most):
            expected = (
                f"{least}" if least == most else f"{least} or more" if most is None else f"{least} or {most}"
            )
            raise self._type(self.position, f"{name!r} takes {expected} arguments, not {len(args)}")
        self._numbers(node, args, name)
        if name == "Fraction":
            return args[0] if len(args) == 1 else self._make("/", *args)
        if name == "round":
            return self._round(args)
        return self._make(name, *args)

    def _round(self, args: list[Term]) -> Term:
        decimals: Number | bool | str | None = 0
        if len(args) == 2:
            decimals = args[1].value if args[1].op == "const" else None
            if not isinstance(decimals, int):
                raise self._unsupported("'round' to a number of decimals that is not an integer constant")
            if abs(decimals) > MAX_DECIMALS:
                raise self._unsupported(
                    f"'round' to {decimals} decimals; at most {MAX_DECIMALS} are computed"
                )
        return self._make("round", args[0], value=decimals)

    def _chain(self, node: Node, args: list[Term], ops: tuple[str, ...]) -> Term:
        links: list[Term] = []
        for op, a, b in zip(ops, args, args[1:], strict=False):
            if op in ("==", "!="):
                if a.boolean != b.boolean:
                    raise self._type(self.position, f"{op!r} compares a number with a truth value")
            else:
                self._numbers(node, [a, b], op)
            if op in (">", ">="):
                links.append(self._make("<" if op == ">" else "<=", b, a))
            else:
                links.append(self._make(op, a, b))
        # `a < b < c` evaluates c only where a < b holds: the chain is a nested conjunction.
        chain = links[-1]
        for link in reversed(links[:-1]):
            chain = self._make("and", link, chain)
        return chain

    def _power(self, base: Term, exponent: Term) -> Term:
        if not exponent.integral:
            raise self._unsupported(
                "'**' with an exponent that may be fractional: only integer exponents are decided"
            )
        return self._make("**", base, exponent)

    def _numbers(self, node: Node, args: list[Term], what: str) -> None:
        for position, arg in enumerate(args):
            if arg.boolean:
                child = node.args[position] if position < len(node.args) else self.position
                raise self._type(
                    child, f"an operand of {what!r} is a truth value, not a number: write '1 if ... else 0'"
                )

    def _make(self, op: str, *args: Term, value: Number | bool | str | None = None) -> Term:
        """The term, folded where every operand is a constant and the result is defined and printable."""
        if all(arg.op == "const" for arg in args):
            try:
                folded = apply(op, value, [arg.value for arg in args])  # type: ignore[misc]
            except TooLarge:
                folded = UNDEFINED
            if isinstance(folded, bool | Number) and (isinstance(folded, bool) or bits(folded) <= MAX_BITS):
                return self.arena.constant(folded)
        return self.arena.make(op, args, value)

    def _type(self, position: int, message: str) -> SpecificationError:
        return SpecificationError(ReasonCode.TYPE, message, self.tree.place(position))

    def _unsupported(self, message: str) -> Unsupported:
        return Unsupported(message, self.tree.place(self.position))


def _near(name: str, known: Mapping[str, object], listing: str) -> str:
    close = difflib.get_close_matches(name[:60], known, 1)
    if close:
        return f"; did you mean {close[0]!r}?"
    shown = ", ".join(sorted(known)[:12]) + (", ..." if len(known) > 12 else "")
    return f"; {listing} {shown}" if known else "; no variable is declared"
