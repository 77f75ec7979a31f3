"""Prints a formula of `theories/Formula.v` as SMT-LIB 2: all that grade `smt` trusts beside a solver.

Integers are SMT-LIB's `Int`, and unknown functions of integers its uninterpreted functions. Only two
operations mean something else there. SMT-LIB's `div` and `mod` are Euclidean and unspecified at zero; Rocq's
`Z.div` rounds down, `a / 0 = 0` and `a mod 0 = a`. With a negative divisor, `a / b = -a / -b` and
`a mod b = -(-a mod -b)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FLOOR = """\
(define-fun z_div ((a Int) (b Int)) Int (ite (= b 0) 0 (ite (> b 0) (div a b) (div (- a) (- b)))))
(define-fun z_mod ((a Int) (b Int)) Int (ite (= b 0) a (ite (> b 0) (mod a b) (- (mod (- a) (- b))))))
"""
"""Rocq's division by SMT-LIB's."""
OPERATORS = {
    "Plus": "(+ {} {})",
    "Minus": "(- {} {})",
    "Times": "(* {} {})",
    "Div": "(z_div {} {})",
    "Mod": "(z_mod {} {})",
    "Min": "(z_min {} {})",
    "Max": "(z_max {} {})",
    "Abs": "(z_abs {})",
    "If": "(ite {} {} {})",
    "Equal": "(= {} {})",
    "AtMost": "(<= {} {})",
    "Below": "(< {} {})",
    "Not": "(not {})",
    "And": "(and {} {})",
    "Or": "(or {} {})",
    "Imp": "(=> {} {})",
    "Iff": "(= {} {})",
}
"""What each constructor becomes, its arguments in order; the others are read by `_Printer`."""
CHOICE = """\
(define-fun z_abs ((a Int)) Int (ite (< a 0) (- a) a))
(define-fun z_min ((a Int) (b Int)) Int (ite (<= a b) a b))
(define-fun z_max ((a Int) (b Int)) Int (ite (<= a b) b a))
"""
"""Operations that are choices."""
QUANTIFIERS = {"All": "forall", "Ex": "exists"}
"""Quantifiers over the integers."""


class Unreadable(ValueError):
    """A text that is no formula; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Node:
    """A constructor of `Formula.v` and its arguments."""

    head: str
    """The constructor; `Neg`, `Both`, `Either`, `Same` of tests are written as those of formulas."""
    args: tuple[Node, ...] = ()
    """Its arguments that are terms, tests or formulas."""
    value: str = ""
    """Its other argument: a numeral of `Var`, `Const`, `App` and `Rel`, `true` or `false` of `Bit`."""


def read(text: str) -> Node:
    """The formula that `Formula.show` wrote; `Unreadable` where it wrote none."""
    stack: list[list[str | Node]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise Unreadable("a closing parenthesis too many")
            node = _node(stack.pop())
            stack[-1].append(node)
        else:
            stack[-1].append(token)
    match stack:
        case [[Node() as whole]]:
            return whole
    raise Unreadable("expected one formula in parentheses")


def _node(parts: list[str | Node]) -> Node:
    match parts:
        case ["Var", str(value)] if value.isdigit():
            return Node("Var", (), value)
        case ["Const", str(value)] if re.fullmatch(r"-?\d+", value):
            return Node("Const", (), value)
        case ["Bit", ("true" | "false") as value]:
            return Node("Bit", (), str(value))
        case ["Rel", str(value), *args] if value.isdigit():
            return Node("Rel", _nodes(args), value)
        case ["App", str(value), *args] if value.isdigit() and args:
            return Node("App", _nodes(args), value)
        case [str(head), *args] if head in QUANTIFIERS and len(args) == 1:
            return Node(head, _nodes(args))
        case [str(head), *args] if head in OPERATORS and len(args) == OPERATORS[head].count("{}"):
            return Node(head, _nodes(args))
    raise Unreadable(f"no constructor of Formula.v: {str(parts)[:80]}")


def _nodes(parts: list[str | Node]) -> tuple[Node, ...]:
    nodes = tuple(part for part in parts if isinstance(part, Node))
    if len(nodes) != len(parts):
        raise Unreadable(f"an argument without parentheses: {str(parts)[:80]}")
    return nodes


def obligation(formula: Node) -> str:
    """SMT-LIB text that is unsatisfiable if and only if the formula holds whatever its free symbols are."""
    return f"{_Printer({}, {}, {}).negated(formula)}(check-sat)\n"


NEXT = "(reset)\n"
"""What stands between two questions of one text."""


def obligations(formula: Node) -> str:
    """SMT-LIB questions, all unsatisfiable if and only if the formula holds whatever its free symbols are.

    A conjunction holds if and only if both of its parts do: each part is a question of its own.
    """
    parts = list(dict.fromkeys(_parts(formula))) or [formula]
    return NEXT.join(map(obligation, parts))


def _parts(formula: Node) -> Iterator[Node]:
    waiting = [formula]
    while waiting:
        match waiting.pop():
            case Node("And", (one, other)):
                waiting += [other, one]
            case part if part != Node("Bit", (), "true"):
                yield part


BOUNDS = (6, 60, 2_000, None)
"""How far from zero the values of a suggested point may lie, one question after the other."""
ELEMENTS = 12
"""How many values of a function of one argument are asked for: those at 0, 1, ..."""
_CALL = re.compile(r"\(f\d+_1 \d+\)")
_VALUE = re.compile(r"\s\(- (\d+)\)\)|\s(\d+)\)")


@dataclass(frozen=True, slots=True)
class Model:
    """Values of free symbols that may make a formula false; a hint that nothing rests on."""

    variables: dict[int, int]
    """The value of each free variable."""
    functions: dict[int, list[int]]
    """The values of each unknown function of one argument at 0, 1, ..."""


class Question:
    """Asks for points at which a formula may be false, near to zero first."""

    def __init__(self, formula: Node, milliseconds: int) -> None:
        printer = _Printer({}, {}, {})
        negated = printer.negated(formula)
        self._variables = list(printer.variables)
        self._functions = [number for number, arity in printer.functions if arity == 1]
        names = list(printer.variables.values())
        terms = names + [
            f"({printer.functions[number, 1]} {at})" for number in self._functions for at in range(ELEMENTS)
        ]
        self.text = f"(set-option :timeout {milliseconds})\n{negated}"
        """SMT-LIB text, a check and its values for each of `BOUNDS`."""
        for bound in BOUNDS:
            near = (
                ""
                if bound is None
                else "".join(f"(assert (<= (- {bound}) {name} {bound}))" for name in names)
            )
            values = f"(get-value ({' '.join(terms)}))" if terms else ""
            self.text += f"(push)\n{near}(check-sat)\n{values}\n(pop)\n"

    def models(self, printed: str) -> list[Model]:
        """What the solver suggests, doubtful points included; unreadable answers are left out."""
        found: list[Model] = []
        for answer in re.split(r"^(?:sat|unknown)$", printed, flags=re.MULTILINE)[1:]:
            answer = answer.partition("unsat")[0]
            values = [
                int(positive or f"-{negative}")
                for negative, positive in _VALUE.findall(_CALL.sub("", answer))
            ]
            if "error" in answer or len(values) != len(self._variables) + ELEMENTS * len(self._functions):
                continue
            rest = iter(values)
            variables = {number: next(rest) for number in self._variables}
            functions = {number: [next(rest) for _ in range(ELEMENTS)] for number in self._functions}
            if (model := Model(variables, functions)) not in found:
                found.append(model)
        return found


@dataclass(frozen=True, slots=True)
class _Printer:
    """Collects the free symbols."""

    variables: dict[int, str]
    functions: dict[tuple[int, int], str]
    predicates: dict[tuple[int, int], str]

    def negated(self, formula: Node) -> str:
        """The declarations of a formula's free symbols, and its negation asserted."""
        body = self.show(formula, 0)
        declared = [f"(declare-fun {name} () Int)\n" for name in self.variables.values()]
        declared += [
            f"(declare-fun {name} ({' '.join(['Int'] * arity)}) Int)\n"
            for (_, arity), name in self.functions.items()
        ]
        declared += [
            f"(declare-fun {name} ({' '.join(['Int'] * arity)}) Bool)\n"
            for (_, arity), name in self.predicates.items()
        ]
        return f"{FLOOR}{CHOICE}{''.join(declared)}(assert (not {body}))\n"

    def show(self, node: Node, depth: int) -> str:
        """The text of a node under `depth` binders."""
        if node.head == "Var":
            return self._variable(int(node.value), depth)
        if node.head == "Const":
            return node.value if not node.value.startswith("-") else f"(- {node.value[1:]})"
        if node.head == "Bit":
            return node.value
        if node.head in QUANTIFIERS:
            return f"({QUANTIFIERS[node.head]} ((b{depth} Int)) {self.show(node.args[0], depth + 1)})"
        args = [self.show(arg, depth) for arg in node.args]
        if node.head == "Rel":
            name = self.predicates.setdefault((int(node.value), len(args)), f"p{node.value}_{len(args)}")
            return f"({name} {' '.join(args)})" if args else name
        if node.head == "App":
            # A function of a list of arguments is one function for each number of arguments.
            name = self.functions.setdefault((int(node.value), len(args)), f"f{node.value}_{len(args)}")
            return f"({name} {' '.join(args)})"
        return OPERATORS[node.head].format(*args)

    def _variable(self, index: int, depth: int) -> str:
        if index < depth:  # the innermost binder is 0
            return f"b{depth - 1 - index}"
        return self.variables.setdefault(index - depth, f"x{index - depth}")
