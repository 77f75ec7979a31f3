"""Random formulas of `theories/Formula.v` and an evaluator of its own, to compare the printer with.

It shares nothing with the domain but the type of a node: Python's integers, and floor division as in Rocq.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from truespec.domains.rocq.smtlib import Node

FUNCTIONS: Mapping[tuple[int, int], Callable[..., int]] = {
    (0, 1): lambda a: 2 * a + 1,
    (1, 1): lambda a: -a,
    (1, 2): lambda a, b: a - 3 * b,
}
"""What the free functions mean here, by number and arity."""
DEFINED = (
    ("(App 0 (Var 0))", "(Plus (Times (Const 2) (Var 0)) (Const 1))"),
    ("(App 1 (Var 0))", "(Minus (Const 0) (Var 0))"),
    ("(App 1 (Var 1) (Var 0))", "(Minus (Var 1) (Times (Const 3) (Var 0)))"),
)
"""The same as equations in the written form."""
ROCQ_FUNCTIONS = (
    "([fun l => match l with [a] => 2 * a + 1 | _ => 0 end; "
    "fun l => match l with [a] => - a | [a; b] => a - 3 * b | _ => 0 end], [])"
)
"""The same in Gallina."""
INVALID = (
    "(Equal (App 0 (Const 0)) (App 1 (Const 0)))",
    "(Equal (App 0 (Const 0)) (App 0 (Const 0) (Const 0)))",
    "(Equal (App 0 (Const 0)) (App 0 (Const 1)))",
    "(Equal (Var 0) (Var 1))",
    "(Rel 0)",
    "(Not (Rel 0 (Var 0)))",
    "(Iff (Rel 0 (Var 0)) (Rel 1 (Var 0)))",
    "(Iff (Rel 0) (Rel 0 (Const 0)))",
    "(Imp (Rel 0 (Const 0)) (Rel 0 (Const 1)))",
    "(All (Equal (Var 0) (Var 1)))",
    "(All (Ex (Below (Var 1) (Const 0))))",
)
"""What no two functions, variables or arguments have in common."""
BOUND = 2
"""Quantified variables are between `-BOUND` and `BOUND`; `quantified` writes that guard."""


def term(rng: random.Random, size: int, free: int) -> Node:
    """A random term over `free` variables."""
    if size <= 1:
        if rng.random() < 0.6:
            return Node("Var", (), str(rng.randrange(free)))
        return Node("Const", (), str(rng.choice((0, 0, 1, -1, 2, -2, 3, 5, -7))))
    kind = rng.choice(
        ("Plus", "Minus", "Times", "Div", "Div", "Mod", "Mod", "Min", "Max", "Abs", "If", "App")
    )
    part = size // 2
    if kind == "Abs":
        return Node(kind, (term(rng, size - 1, free),))
    if kind == "If":
        return Node(kind, (test(rng, part, free), term(rng, part, free), term(rng, part, free)))
    if kind == "App":
        number, arity = rng.choice(sorted(FUNCTIONS))
        return Node(kind, tuple(term(rng, part, free) for _ in range(arity)), str(number))
    return Node(kind, (term(rng, part, free), term(rng, part, free)))


def test(rng: random.Random, size: int, free: int) -> Node:
    """A random test, which is a formula too."""
    if size <= 1:
        return Node("Bit", (), rng.choice(("true", "false")))
    kind = rng.choice(("Equal", "AtMost", "Below", "Equal", "AtMost", "Below", "Not", "And", "Or", "Iff"))
    part = size // 2
    if kind in ("Equal", "AtMost", "Below"):
        return Node(kind, (term(rng, part, free), term(rng, part, free)))
    if kind == "Not":
        return Node(kind, (test(rng, size - 1, free),))
    return Node(kind, (test(rng, part, free), test(rng, part, free)))


def quantified(rng: random.Random, free: int) -> Node:
    """A random formula with one or two guarded quantifiers."""
    body = test(rng, 4, free + 1)
    if rng.random() < 0.4:
        body = quantified(rng, free + 1)
    kind = rng.choice(("All", "Ex"))
    inner = Node("Imp" if kind == "All" else "And", (guard(), body))
    other = test(rng, 3, free)
    return Node(rng.choice(("And", "Or", "Imp", "Iff")), (other, Node(kind, (inner,))))


def guard() -> Node:
    """The innermost variable is between the bounds."""
    variable = Node("Var", (), "0")
    low, high = Node("Const", (), str(-BOUND)), Node("Const", (), str(BOUND))
    return Node("And", (Node("AtMost", (low, variable)), Node("AtMost", (variable, high))))


def value(node: Node, env: tuple[int, ...]) -> int:
    """The value of a term or, as 0 or 1, of a formula whose quantifiers are guarded."""
    if node.head == "Var":
        return env[int(node.value)]
    if node.head == "Const":
        return int(node.value)
    if node.head == "Bit":
        return int(node.value == "true")
    if node.head in ("All", "Ex"):
        over = [value(node.args[0], (z, *env)) for z in range(-BOUND, BOUND + 1)]
        return int(all(over)) if node.head == "All" else int(any(over))
    if node.head == "If":
        return value(node.args[1 if value(node.args[0], env) else 2], env)
    args = [value(arg, env) for arg in node.args]
    if node.head == "App":
        return FUNCTIONS[int(node.value), len(args)](*args)
    return int(OPERATIONS[node.head](*args))


def floor(a: int, b: int) -> int:
    """Rocq's `Z.div`."""
    return a // b if b else 0


OPERATIONS: Mapping[str, Callable[..., int]] = {
    "Plus": lambda a, b: a + b,
    "Minus": lambda a, b: a - b,
    "Times": lambda a, b: a * b,
    "Div": floor,
    "Mod": lambda a, b: a - b * floor(a, b),
    "Min": min,
    "Max": max,
    "Abs": abs,
    "Equal": lambda a, b: a == b,
    "AtMost": lambda a, b: a <= b,
    "Below": lambda a, b: a < b,
    "Not": lambda a: not a,
    "And": lambda a, b: a and b,
    "Or": lambda a, b: a or b,
    "Imp": lambda a, b: not a or b,
    "Iff": lambda a, b: bool(a) == bool(b),
}
"""What each constructor means."""


def written(node: Node) -> str:
    """The form that `Formula.show` writes."""
    parts = [node.head, *([node.value] if node.value else []), *(written(arg) for arg in node.args)]
    return f"({' '.join(parts)})"


def gallina(node: Node) -> str:
    """A term or a test as Rocq reads it."""
    args = " ".join(gallina(arg) for arg in node.args)
    match node.head:
        case "Var":
            return f"(Var {node.value}%nat)"
        case "Const":
            return f"(Const ({node.value}))"
        case "Bit":
            return f"(Bit {node.value})"
        case "App":
            return f"(App {node.value}%nat [{'; '.join(gallina(arg) for arg in node.args)}])"
        case "Plus" | "Minus" | "Times" | "Div" | "Mod" | "Min" | "Max":
            return f"(Op {node.head} {args})"
        case "Equal" | "AtMost" | "Below":
            return f"(Compare {node.head} {args})"
    return f"({TESTS.get(node.head, node.head)} {args})"


TESTS = {"Not": "Neg", "And": "Both", "Or": "Either", "Iff": "Same"}
"""Connectives of tests."""


def at_point(node: Node, env: tuple[int, ...]) -> str:
    """`node`, written, where the variables have these values and the functions their meaning."""
    text = written(node)
    for index, number in enumerate(env):
        text = f"(Imp (Equal (Var {index}) (Const {number})) {text})"
    for call, meaning in DEFINED:
        if call.split("(Var")[0] not in text:
            continue
        binders = 2 if "(Var 1)" in call else 1
        equation = f"(Equal {call} {meaning})"
        text = f"(Imp {'(All ' * binders}{equation}{')' * binders} {text})"
    return text
