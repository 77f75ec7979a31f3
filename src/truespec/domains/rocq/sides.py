"""The two sides of an equation in general form: a variable in place of each argument of their calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.terms import Term, names_in, read_goal, read_term, type_in

OPENING = "both_results."
"""The tactic that leaves the equation of the two results."""
MOST = 3
"""How many pairs of general sides are compared."""
PRINTING = ("Set Printing All.", "Set Printing Width 100000.")
"""Sentences before a goal is shown."""
_BUILDING = {
    *(
        "S",
        "O",
        "@cons",
        "@nil",
        "@Some",
        "@None",
        "@pair",
        "true",
        "false",
        "String",
        "EmptyString",
        "Ascii",
    ),
    *("Zpos", "Zneg", "Z0", "xH", "xI", "xO", "tt"),
}
_ARITHMETIC = re.compile(
    r"(?:Z|Nat|Init\.Nat|N|Pos)\.(?!iter)\w+|(?:Ascii|String)\.eqb|andb|orb|negb|xorb|@fst|@snd|"
    r"nat_of_ascii|ascii_of_nat|@eq"
)
_NAME = re.compile(r"(?<![\w.@'])[^\W\d][\w']*")
_WORD = re.compile(r"@?[^\W\d].*")
_NO_DATA = re.compile(r"->|\bforall\b|^(?:Set|Type|Prop)$|^$")


@dataclass(frozen=True, slots=True)
class Variable:
    """What stands for an argument."""

    name: str
    """Its name."""
    type: str
    """Its type."""
    instance: str
    """The argument in the pair."""
    closed: bool
    """Whether the argument is a constant, from which something starts."""


@dataclass(frozen=True, slots=True)
class Side:
    """A general side."""

    fixed: tuple[tuple[str, str], ...]
    """Variables of the pair that stay, with their types."""
    variables: tuple[Variable, ...]
    """Those in place of arguments."""
    body: str
    """The term."""
    type: str
    """Its type."""

    def parameters(self) -> list[tuple[str, str]]:
        """All that it depends on, with the types."""
        return [*self.fixed, *((one.name, one.type) for one in self.variables)]

    def at(self, arguments: Sequence[str]) -> str:
        """The side with these in place of its variables."""
        values = {one.name: value for one, value in zip(self.variables, arguments, strict=True)}
        return _renamed(self.body, values)

    def under(self, names: Mapping[str, str]) -> Side:
        """The side with other names for variables of the pair that stay."""
        changed = {name: names[name] for name, _ in self.fixed if name in names}
        if not changed:
            return self
        body = _renamed(self.body, changed)
        return replace(self, body=body, fixed=tuple((changed.get(name, name), of) for name, of in self.fixed))


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: names.get(found.group(), found.group()), text)


def sides(dialogue: Dialogue, layout: Layout, theorem: str, seconds: float) -> list[tuple[Side, Side]]:
    """Pairs of general sides, and of calls in them; empty where the pair is no equation.

    The proof is left open, and Rocq prints terms in full.
    """
    dialogue.must(theorem)
    if not dialogue.tries(OPENING, seconds):
        return []
    for sentence in PRINTING:
        dialogue.must(sentence)
    goals = re.match(r"\s*(\d+) goals", dialogue.must("Show."))
    if goals and not dialogue.may(f"{goals.group(1)}: {{"):  # the last case of what is taken apart
        return []
    known, goal = read_goal(dialogue.must("Show."))
    equation = read_term(goal)
    if equation is None or equation.head != "@eq" or len(equation.arguments) != 3:
        return []
    reader = _Reader(dialogue, layout, known)
    left, right = (
        [side for part in reader.calls(term) if (side := reader.side(part, letter)) is not None]
        for term, letter in zip(equation.arguments[1:], "xy", strict=True)
    )
    return list(islice(product(left, right), MOST))


class _Reader:
    """Reads the terms of an open goal."""

    def __init__(self, dialogue: Dialogue, layout: Layout, known: dict[str, str]) -> None:
        self._dialogue = dialogue
        self._known = known
        self._types: dict[str, str] = {}
        built = [one for constructors in layout.constructors().values() for one in constructors]
        self._building = _BUILDING | {name for one in built for name in (one, one.rpartition(".")[2])}

    def calls(self, term: Term) -> Iterator[Term]:
        """The term, and the calls in it."""
        yield term
        for argument in term.arguments:
            for inner in self.calls(argument):
                if self._is_call(inner):
                    yield inner

    def side(self, term: Term, letter: str) -> Side | None:
        """The term in general form; None where Rocq does not tell its type."""
        variables, kept = list[Variable](), list[str]()

        def whole(part: Term) -> str:
            kept.append(part.text)
            return part.text

        def argument(part: Term) -> str:
            type_ = self._type(part.text)
            if _NO_DATA.search(type_):
                return whole(part)
            name = f"Truespec_{letter}{len(variables)}"
            closed = not any(True for _ in self._variables(part.text))
            variables.append(Variable(name, f"({type_})", part.text, closed))
            return name

        def general(part: Term) -> str:
            if not part.arguments:
                return whole(part)
            plain = argument if self._is_call(part) else whole
            inner = (general(one) if self._calls(one) else plain(one) for one in part.arguments)
            return f"({' '.join([part.head, *inner])})"

        type_ = self._type(term.text)
        body = general(term)
        if _NO_DATA.search(type_):
            return None
        stay = dict.fromkeys(name for text in kept for name in self._variables(text))
        return Side(
            tuple((name, f"({self._known[name]})") for name in stay), tuple(variables), body, f"({type_})"
        )

    def _variables(self, text: str) -> Iterator[str]:
        return (name for name in names_in(text) if name in self._known)

    def _type(self, text: str) -> str:
        if text not in self._types:
            self._types[text] = type_in(self._dialogue.asks(f"Check {text}.") or "")
        return self._types[text]

    def _is_call(self, term: Term) -> bool:
        head = term.head
        return (
            bool(term.arguments)
            and head not in self._building
            and not _ARITHMETIC.fullmatch(head)
            and _WORD.fullmatch(head) is not None
        )

    def _calls(self, term: Term) -> bool:
        return self._is_call(term) or any(self._calls(one) for one in term.arguments)
