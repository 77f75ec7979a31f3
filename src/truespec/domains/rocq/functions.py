"""Functions as arguments: which pairs have them, what the search uses instead, how they read in JSON.

A function is searched by its code (`Tables.v`): finitely many exceptions to a simple function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from truespec.domains.rocq.pair import Layout
from truespec.verdict import JSON

FUNCTIONS = "Import Truespec.Calls."
"""What the search needs besides where an argument is a function."""
_DATA = {
    "Z",
    "nat",
    "N",
    "positive",
    "bool",
    "unit",
    "string",
    "ascii",
    "comparison",
    "list",
    "option",
    "prod",
    "sum",
}
_WORD = re.compile(r"[^\W\d][\w']*")


def takes_functions(layout: Layout) -> bool:
    """Whether an argument is a function or of a type that the texts define, which may stand for functions."""
    data = _DATA | {name.rpartition(".")[2] for name in layout.declared()}
    return any(not set(_WORD.findall(one.type)) <= data or "->" in one.type for one in layout.arguments)


@dataclass(frozen=True, slots=True)
class Searched:
    """The tuples that the search runs through, in terms of a variable `p`."""

    type: str
    """Their type."""
    values: tuple[str, ...]
    """Each argument."""
    shown: tuple[str, ...]
    """Each argument's text."""


def type_names(layout: Layout) -> list[str]:
    """Abbreviations for the types of the arguments, whose own names may be hidden in the search."""
    return [f"Truespec_type_of_{argument.name}" for argument in layout.arguments]


def abbreviations(layout: Layout) -> Iterator[str]:
    """The sentences that make them; they stand right behind the statement."""
    for name, argument in zip(type_names(layout), layout.arguments, strict=True):
        yield f"Notation {name} := ({argument.type})%type (only parsing)."


def searched(layout: Layout, without: int | None = None) -> Searched:
    """One component for each argument: the argument itself, or the code of a function.

    The argument at the position `without` is left open: its component says nothing.
    """
    types = [
        "Coq.Init.Datatypes.unit" if number == without else f"({one})"
        for number, one in enumerate(type_names(layout))
    ]
    coded = takes_functions(layout)
    if coded:
        types = [f"(Truespec.Tables.code {type_})" for type_ in types]
    product = types[-1]
    for one in reversed(types[:-1]):
        product = f"({one} * {product})%type"
    parts: list[str] = []
    rest = "p"
    for _ in types[:-1]:
        parts.append(f"(fst {rest})")
        rest = f"(snd {rest})"
    parts.append(rest)
    show = "Truespec.Tables.shown" if coded else "show"
    values = [f"(Truespec.Tables.value {part})" for part in parts] if coded else parts
    return Searched(product, tuple(values), tuple(f"{show} {part}" for part in parts))


def with_answers(shown: str, answers: Mapping[str, str]) -> str:
    """A shown function with the texts of those suggested in place of their names."""
    for name, text in answers.items():
        if re.fullmatch(rf"\(fun ([^=]*) => \({name} \1\)\)", shown):
            return f"({text})"
        shown = shown.replace(name, f"({text})")
    return shown


def function_to_json(shown: str, to_json: Callable[[str], JSON]) -> JSON:
    """A shown function: its parameters, its exceptional cases, and its value or its term otherwise."""
    head, _, body = _inside(shown).partition("=>")
    names = _WORD.findall(head.partition(":")[0])[1:]
    cases: list[JSON] = []
    rest = _parts(body)
    while rest[0] == "if" and "else" in rest:
        values = _compared(rest[1], names)
        if values is None:
            break
        at = rest.index("else")
        cases.append([[to_json(value) for value in values], to_json(" ".join(rest[3:at]))])
        rest = rest[at + 1 :]
    term = " ".join(rest)
    plain = re.fullmatch(r"\S+|\((?:-|cons|pair|Some|inl|inr|Coq\.Strings)\b.*", term) is not None
    otherwise: JSON = to_json(term) if plain and not set(_WORD.findall(term)) & set(names) else {"term": term}
    return {"function": list(names), "cases": cases, "otherwise": otherwise}


def _compared(test: str, names: list[str]) -> list[str] | None:
    """The values a test compares the parameters with, in their order; None where it is no such test."""
    parts = _parts(_inside(test))
    if len(parts) != 3:
        return None
    if len(names) == 1:
        return [parts[2]] if parts[1] == names[0] else None
    first, others = _compared(parts[1], names[:1]), _compared(parts[2], names[1:])
    return [*first, *others] if first is not None and others is not None else None


def _inside(text: str) -> str:
    stripped = text.strip()
    return stripped[1:-1] if stripped.startswith("(") else stripped


def _parts(text: str) -> list[str]:
    """The words and bracketed pieces of a term, each with its scope."""
    parts: list[str] = []
    depth, current = 0, ""
    for character in text + " ":
        if character.isspace() and depth == 0:
            parts += [current] if current else []
            current = ""
            continue
        depth += {"(": 1, ")": -1}.get(character, 0)
        current += character
    return parts
