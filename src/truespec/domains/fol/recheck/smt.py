"""A pair as an SMT-LIB problem: the axioms, and the denied biconditional of the two sides."""

from __future__ import annotations

from truespec.domains.fol.recheck.reader import Node


def problem(axioms: list[Node], oracle: Node, candidate: Node) -> str:
    """The text of the problem; it is unsatisfiable exactly if the two are equivalent under the axioms."""
    printer = _Printer()
    asserted = [printer.text(axiom, {}) for axiom in axioms]
    asserted.append(f"(distinct {printer.text(oracle, {})} {printer.text(candidate, {})})")
    lines = ["(declare-sort Thing 0)"]
    lines += [
        f"(declare-fun {name} ({' '.join(['Thing'] * arity)}) Bool)"
        for (_, arity), name in printer.predicates.items()
    ]
    lines += [f"(declare-const {name} Thing)" for name in printer.constants.values()]
    return "\n".join([*lines, *(f"(assert {text})" for text in asserted)])


class _Printer:
    def __init__(self) -> None:
        self.predicates: dict[tuple[str, int], str] = {}
        self.constants: dict[str, str] = {}
        self.variables = 0

    def text(self, node: Node, binding: dict[str, str]) -> str:
        match node:
            case ("atom", name, names):
                symbol = self.predicates.setdefault((name, len(names)), f"q{len(self.predicates)}")
                return f"({symbol} {' '.join(self.term(one, binding) for one in names)})" if names else symbol
            case ("equal", left, right):
                return f"(= {self.term(left, binding)} {self.term(right, binding)})"
            case ("not", body):
                return f"(not {self.text(body, binding)})"
            case ("all" | "some" as kind, name, body):
                self.variables += 1
                bound = f"v{self.variables}"
                inner = self.text(body, {**binding, name: bound})
                return f"({'forall' if kind == 'all' else 'exists'} (({bound} Thing)) {inner})"
            case ("implies", left, right):
                return f"(=> {self.text(left, binding)} {self.text(right, binding)})"
            case ("iff", (first, *rest)):
                result = self.text(first, binding)
                for part in rest:
                    result = f"(= {result} {self.text(part, binding)})"
                return result
            case (kind, parts):
                return f"({kind} {' '.join(self.text(part, binding) for part in parts)})"
        raise ValueError(f"no formula: {node!r:.60}")

    def term(self, name: str, binding: dict[str, str]) -> str:
        return binding.get(name) or self.constants.setdefault(name, f"k{len(self.constants)}")
