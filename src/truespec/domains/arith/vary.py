"""Variations of a specification: single-point changes, and rewritings by laws that hold at every point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from truespec.domains.arith.numbers import Number
from truespec.domains.arith.syntax import Node, Tree

MAX_CHARACTERS = 20_000
"""Longer variations are left out."""

_TERNARY, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(10)
_LEVELS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT}


class _Text(str):
    """A rendered subexpression with its binding strength."""

    level: int

    @classmethod
    def at(cls, text: str, level: int) -> _Text:
        made = cls(text)
        made.level = level
        return made

    def within(self, level: int) -> str:
        """In brackets where it binds less strongly than this."""
        return str(self) if self.level >= level else f"({self})"


Parts = Sequence[_Text]
Override = Callable[[int, Node, Parts], "_Text | None"]


def render(tree: Tree, override: Override | None = None) -> str:
    """The text of a tree; `override` may replace the text of a node."""
    texts: list[_Text] = []
    for position, node in enumerate(tree.nodes):
        parts = [texts[arg] for arg in node.args]
        made = override(position, node, parts) if override else None
        made = made if made is not None else _plain(node, parts)
        if len(made) > MAX_CHARACTERS:
            return ""
        texts.append(made)
    return str(texts[-1])


def _plain(node: Node, parts: Parts) -> _Text:
    match node.op:
        case "number":
            assert isinstance(node.value, int | Fraction)
            return _Text.at(_literal(node.value), _ATOM)
        case "bool" | "name":
            return _Text.at(str(node.value), _ATOM)
        case "neg" | "pos":
            return _Text.at(("-" if node.op == "neg" else "+") + parts[0].within(_UNARY), _UNARY)
        case "not":
            return _Text.at(f"not {parts[0].within(_NOT)}", _NOT)
        case "**":
            return _Text.at(f"{parts[0].within(_ATOM)} ** {parts[1].within(_UNARY)}", _POWER)
        case "and" | "or":
            level = _AND if node.op == "and" else _OR
            return _Text.at(f"{parts[0].within(level)} {node.op} {parts[1].within(level + 1)}", level)
        case "if":
            condition, a, b = parts
            return _Text.at(f"{a.within(_OR)} if {condition.within(_OR)} else {b.within(_TERNARY)}", _TERNARY)
        case "compare":
            assert isinstance(node.value, tuple)
            links = zip(node.value, parts[1:], strict=True)
            chain = "".join(f" {op} {part.within(_SUM)}" for op, part in links)
            return _Text.at(parts[0].within(_SUM) + chain, _COMPARE)
        case "call":
            return _Text.at(f"{node.value}({', '.join(parts)})", _ATOM)
    return binary(node.op, parts[0], parts[1])


def binary(op: str, a: _Text, b: _Text) -> _Text:
    """The text of a binary operation."""
    level = _LEVELS[op]
    return _Text.at(f"{a.within(level)} {op} {b.within(level + 1)}", level)


def _literal(value: Number) -> str:
    if isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    decimals = 0
    while (value * 10**decimals).denominator != 1:
        decimals += 1
    digits = str(abs((value * 10**decimals).numerator)).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}"
    return text if value >= 0 else f"(-{text})"


# --- mutants ------------------------------------------------------------------------------------------

_SWAPPED_OPS = {
    "+": ("-", "*"), "-": ("+",), "*": ("+", "/"), "/": ("//", "*"), "//": ("/", "%"), "%": ("//",),
    "**": ("*",),
}  # fmt: skip
_SWAPPED_COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_SWAPPED_CALLS = {
    "min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "int": "ceil", "round": "floor", "abs": "-",
}  # fmt: skip


def mutants(tree: Tree, variables: Mapping[str, str]) -> Iterator[str]:
    """Single-point changes, in a fixed order, each text once."""
    seen = {render(tree)}
    for changes in (_operators, _operands, _constants, _names, _whole):
        for override in changes(tree, list(variables)):
            text = render(tree, override)
            if text and text not in seen:
                seen.add(text)
                yield text


def _at(position: int, change: Callable[[Node, Parts], _Text]) -> Override:
    return lambda where, node, parts: change(node, parts) if where == position else None


def _operators(tree: Tree, names: list[str]) -> Iterator[Override]:
    for position, node in enumerate(tree.nodes):
        for op in _SWAPPED_OPS.get(node.op, ()):
            yield _at(position, lambda _, parts, op=op: binary(op, *parts))  # type: ignore[misc]
        if node.op in ("and", "or"):
            other = "or" if node.op == "and" else "and"
            level = _OR if other == "or" else _AND
            yield _at(
                position,
                lambda _, p, other=other, level=level: _Text.at(  # type: ignore[misc]
                    f"{p[0].within(level + 1)} {other} {p[1].within(level + 1)}", level
                ),
            )
        if node.op == "not":
            yield _at(position, lambda _, parts: parts[0])
        if node.op == "compare":
            assert isinstance(node.value, tuple)
            for link, op in enumerate(node.value):
                ops = (*node.value[:link], _SWAPPED_COMPARISONS[op], *node.value[link + 1 :])
                yield _at(position, lambda n, p, ops=ops: _plain(Node("compare", n.args, ops, 0), p))  # type: ignore[misc]
        if node.op == "call" and node.value in _SWAPPED_CALLS:
            other = _SWAPPED_CALLS[str(node.value)]
            yield _at(
                position,
                lambda _, p, other=other: _Text.at(
                    f"{other}({', '.join(p[:1] if other == 'floor' else p)})", _UNARY
                ),  # type: ignore[misc]
            )


def _operands(tree: Tree, names: list[str]) -> Iterator[Override]:
    for position, node in enumerate(tree.nodes):
        if node.op in ("-", "/", "//", "%"):
            yield _at(position, lambda n, p: binary(n.op, p[1], p[0]))
        if node.op == "if":
            yield _at(position, lambda n, p: _plain(n, (p[0], p[2], p[1])))
        if node.op == "call" and node.value == "divides":
            yield _at(position, lambda n, p: _plain(n, (p[1], p[0])))


def _constants(tree: Tree, names: list[str]) -> Iterator[Override]:
    for position, node in enumerate(tree.nodes):
        if node.op == "number":
            assert isinstance(node.value, int | Fraction)
            for value in (node.value + 1, node.value - 1):
                yield _at(position, lambda _n, _p, value=value: _Text.at(_literal(value), _ATOM))  # type: ignore[misc]


def _names(tree: Tree, names: list[str]) -> Iterator[Override]:
    for position, node in enumerate(tree.nodes):
        if node.op == "name" and node.value in names:
            start = names.index(str(node.value))
            for step in (1, 2):
                other = names[(start + step) % len(names)]
                yield _at(position, lambda _n, _p, other=other: _Text.at(other, _ATOM))  # type: ignore[misc]


def _whole(tree: Tree, names: list[str]) -> Iterator[Override]:
    root = len(tree.nodes) - 1
    for shape in ("{} + 1", "{} - 1", "{} * 2", "-{}", "{} // 2", "int({})", "round({})", "not {}"):
        yield _at(
            root,
            lambda n, p, shape=shape: _Text.at(shape.format(f"({_plain(n, p)})"), _TERNARY),  # type: ignore[misc]
        )


# --- rewritings ---------------------------------------------------------------------------------------


def rewritings(tree: Tree, variables: Mapping[str, str]) -> Iterator[str]:
    """Texts that mean the same at every point, undefined ones included; each law wherever it applies."""
    seen = {render(tree)}
    for law in _laws(tree, list(variables)):
        text = render(tree, law)
        if text and text not in seen:
            seen.add(text)
            yield text


def _laws(tree: Tree, names: list[str]) -> Iterator[Override]:
    yield _commuted
    yield lambda position, node, parts: _distributed(tree, node, parts)
    yield lambda position, node, parts: _hidden(tree, names, position, node, parts)
    yield _spelt_out
    yield _by_cases
    yield lambda position, node, parts: _doubled(tree, position, node, parts)


def _commuted(position: int, node: Node, parts: Parts) -> _Text | None:
    if node.op in ("+", "*"):
        return binary(node.op, parts[1], parts[0])
    if node.op == "compare" and len(parts) == 2:
        assert isinstance(node.value, tuple)
        mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
        ops = (mirrored.get(node.value[0], node.value[0]),)
        return _plain(Node("compare", node.args, ops, 0), (parts[1], parts[0]))
    if node.op == "call" and node.value in ("min", "max"):
        return _plain(node, list(reversed(parts)))
    return None


def _distributed(tree: Tree, node: Node, parts: Parts) -> _Text | None:
    if node.op != "*":
        return None
    for which in (0, 1):
        inner = tree.nodes[node.args[which]]
        if inner.op in ("+", "-"):
            # The rendered parts of the inner node are not at hand: render them again, unchanged.
            a, b = (_subtree(tree, arg) for arg in inner.args)
            other = parts[1 - which]
            products = (binary("*", a, other), binary("*", b, other))
            return binary(inner.op, *products)
    return None


def _subtree(tree: Tree, root: int) -> _Text:
    texts: dict[int, _Text] = {}
    needed, waiting = set(), [root]
    while waiting:
        position = waiting.pop()
        needed.add(position)
        waiting.extend(tree.nodes[position].args)
    for position in sorted(needed):
        node = tree.nodes[position]
        texts[position] = _plain(node, [texts[arg] for arg in node.args])
    return texts[root]


def _hidden(tree: Tree, names: list[str], position: int, node: Node, parts: Parts) -> _Text | None:
    """A conditional whose branches agree, around the root."""
    if position != len(tree.nodes) - 1:
        return None
    plain = _plain(node, parts)
    condition = f"{names[0]} > 0" if names else "1 < 2"
    last = names[-1] if names else "1"
    inner = f"{plain.within(_OR)} if {last} > 3 else {plain.within(_TERNARY)}"
    return _Text.at(f"{plain.within(_OR)} if {condition} else {inner}", _TERNARY)


def _spelt_out(position: int, node: Node, parts: Parts) -> _Text | None:
    """Operations by their definitions."""
    match node.op:
        case "-":
            return _Text.at(f"{parts[0].within(_SUM)} + -{parts[1].within(_UNARY)}", _SUM)
        case "/":
            return _Text.at(f"{parts[0].within(_PRODUCT)} * (1 / {parts[1].within(_UNARY)})", _PRODUCT)
        case "//":
            return _Text.at(f"floor({binary('/', *parts)})", _ATOM)
        case "%":
            a, b = parts
            return _Text.at(f"{a.within(_SUM)} - {b.within(_UNARY)} * floor({binary('/', a, b)})", _SUM)
        case "and" | "or":
            other = "or" if node.op == "and" else "and"
            return _Text.at(f"not (not {parts[0].within(_NOT)} {other} not {parts[1].within(_NOT)})", _NOT)
        case "compare":
            assert isinstance(node.value, tuple)
            links = zip(node.value, parts, parts[1:], strict=False)
            chain = " and ".join(f"{a.within(_SUM)} {op} {b.within(_SUM)}" for op, a, b in links)
            return _Text.at(chain, _COMPARE if len(parts) == 2 else _AND)
        case "call" if node.value == "ceil":
            return _Text.at(f"-floor(-{parts[0].within(_UNARY)})", _UNARY)
        case "call" if node.value == "divides":
            return _Text.at(f"{binary('%', *parts)} == 0", _COMPARE)
        case "call" if node.value == "is_int":
            return _Text.at(f"{parts[0].within(_SUM)} == floor({parts[0]})", _COMPARE)
    return None


def _by_cases(position: int, node: Node, parts: Parts) -> _Text | None:
    """Functions as conditionals."""
    if node.op != "call":
        return None
    match node.value, parts:
        case "min", (a, b):
            return _Text.at(
                f"{a.within(_OR)} if {a.within(_SUM)} <= {b.within(_SUM)} else {b.within(_OR)}", _TERNARY
            )
        case "max", (a, b):
            return _Text.at(
                f"{b.within(_OR)} if {a.within(_SUM)} <= {b.within(_SUM)} else {a.within(_OR)}", _TERNARY
            )
        case "abs", (a,):
            return _Text.at(f"max({a}, -{a.within(_UNARY)})", _ATOM)
        case "int", (a,):
            return _Text.at(f"floor({a}) if {a.within(_SUM)} >= 0 else ceil({a})", _TERNARY)
    return None


def _doubled(tree: Tree, position: int, node: Node, parts: Parts) -> _Text | None:
    """A double negation around the root."""
    if position != len(tree.nodes) - 1:
        return None
    plain = _plain(node, parts)
    boolean = node.op in ("compare", "and", "or", "not", "bool") or node.value in ("is_int", "divides")
    return _Text.at(f"not (not ({plain}))", _NOT) if boolean else _Text.at(f"-(-({plain}))", _UNARY)
