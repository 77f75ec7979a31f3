"""A pair as a TPTP problem: the axioms as axioms, the biconditional of the two sides as conjecture."""

from __future__ import annotations

from truespec.domains.fol.recheck.reader import Node


def problem(axioms: list[Node], oracle: Node, candidate: Node) -> str:
    """The text of the problem; its conjecture is a theorem exactly if the two are equivalent."""
    printer = _Printer()
    lines = [
        f"fof(axiom_{number}, axiom, {printer.text(axiom, {})})." for number, axiom in enumerate(axioms, 1)
    ]
    both = f"{printer.text(oracle, {})} <=> {printer.text(candidate, {})}"
    return "\n".join([*lines, f"fof(same, conjecture, ({both}))."]) + "\n"


class _Printer:
    def __init__(self) -> None:
        self.predicates: dict[tuple[str, int], str] = {}
        self.constants: dict[str, str] = {}
        self.variables = 0

    def text(self, node: Node, binding: dict[str, str]) -> str:
        kind = node[0]
        if kind == "atom":
            name = self.predicates.setdefault((node[1], len(node[2])), f"p{len(self.predicates)}")
            return f"{name}({','.join(self.term(one, binding) for one in node[2])})" if node[2] else name
        if kind == "equal":
            return f"({self.term(node[1], binding)} = {self.term(node[2], binding)})"
        if kind == "not":
            return f"~({self.text(node[1], binding)})"
        if kind in ("all", "some"):
            self.variables += 1
            name = f"X{self.variables}"
            body = self.text(node[2], {**binding, node[1]: name})
            return f"({'!' if kind == 'all' else '?'}[{name}]: {body})"
        if kind == "implies":
            return f"({self.text(node[1], binding)} => {self.text(node[2], binding)})"
        parts = [self.text(part, binding) for part in node[1]]
        if kind in ("and", "or"):
            return f"({(' & ' if kind == 'and' else ' | ').join(parts)})"
        result = parts[0]
        for part in parts[1:]:
            result = f"({result} {'<=>' if kind == 'iff' else '<~>'} {part})"
        return result

    def term(self, name: str, binding: dict[str, str]) -> str:
        if name in binding:
            return binding[name]
        return self.constants.setdefault(name, f"c{len(self.constants)}")
