"""Data types that the texts declare, as Rocq prints them: parameters, constructors and their fields.

What cannot be read is left out, so that a pair over such a type is searched less. Nothing of this is
trusted: the theorem of a refutation is stated with the text of a value, which Rocq reads again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truespec.domains.rocq.lexer import Token, sentences
from truespec.verdict import SpecificationError, Undecided

SORTS = {"Set", "Type"}
"""The kinds of types of data."""


@dataclass(frozen=True, slots=True)
class Constructor:
    """One constructor."""

    name: str
    """Its qualified name."""
    fields: tuple[str, ...]
    """The type of each argument, as Rocq prints it; a field of a dependent type is `_`."""
    shown: str
    """The name in values: the short one, unless something else hides it."""


@dataclass(frozen=True, slots=True)
class DataType:
    """One type of a declaration."""

    name: str
    """Its qualified name."""
    parameters: tuple[tuple[str, str], ...]
    """Each parameter with its kind."""
    constructors: tuple[Constructor, ...]
    """In order."""

    @property
    def short(self) -> str:
        """The name as a part of another one."""
        return self.name.replace(".", "_").replace("'", "_q")

    @property
    def applied(self) -> str:
        """The type at its parameters."""
        return f"(@{' '.join([self.name, *(name for name, _ in self.parameters)])})"

    def at_parameters(self, constructor: Constructor) -> str:
        """The constructor as a function of its arguments."""
        return f"(@{' '.join([constructor.name, *(name for name, _ in self.parameters)])})"

    def pattern(self, constructor: Constructor, names: Sequence[str]) -> str:
        """A pattern, or, with `_` for its parameters, a term."""
        return f"@{' '.join([constructor.name, *('_' for _ in self.parameters), *names])}"


Family = tuple[DataType, ...]
"""The types of one declaration: one, or several that use each other."""


def uses(family: Family, field: str) -> int:
    """How often the type of a field names a type of the family."""
    own = {one.name.rpartition(".")[2] for one in family}
    return sum(word.rpartition(".")[2] in own for word in re.findall(r"[^\W\d][\w'.]*", field))


def families(names: Sequence[str], ask: Callable[[str], str | None]) -> list[Family]:
    """The declarations behind the names, in order; `ask` has Rocq answer a sentence, None where it refuses.

    Propositions and types with indices are left out.
    """
    found: list[Family] = []
    for name in names:
        if any(name == type_.name for family in found for type_ in family):
            continue
        printed = ask(f"Print {name}.")
        try:
            family = _read(printed or "", name.rpartition(".")[0], ask)
        except (SpecificationError, Undecided):
            continue  # a notation that our lexer does not read
        if family:
            found.append(family)
    return found


def _read(printed: str, path: str, ask: Callable[[str], str | None]) -> Family:
    text = re.split(r"\n\s*\n|\nArguments ", printed.strip())[0]
    tokens = sentences(f"{text.removesuffix('.')} .")[0].tokens
    parts = _split(tokens[1:], "with") if tokens and tokens[0].text in ("Inductive", "Record") else []
    types = [_data_type(part, path, ask) for part in parts]
    return tuple(one for one in types if one is not None) if all(types) else ()


def _data_type(tokens: Sequence[Token], path: str, ask: Callable[[str], str | None]) -> DataType | None:
    head, _, body = _cut(tokens, ":=")
    name, _, sort = _cut(head, ":")
    if len(name) == 0 or not sort or sort[0].text not in SORTS:
        return None
    parameters: list[tuple[str, str]] = []
    for group in _groups(name[1:]):
        names, _, kind = _cut(group, ":")
        parameters += [(token.text, _text(kind)) for token in names]
    prefix = f"{path}." if path else ""
    if body and body[-1].text == "}":  # a record
        names_of_constructors = [body[0].text]
    else:
        names_of_constructors = [part[0].text for part in _split(body, "|") if part]
    constructors: list[Constructor] = []
    for short in names_of_constructors:
        fields = _fields(ask(f"Check @{prefix}{short}."), len(parameters))
        if fields is None:
            return None
        known = ask(f"Check (Coq.Init.Logic.eq_refl : @{short} = @{prefix}{short}).") is not None
        constructors.append(Constructor(prefix + short, fields, short if known else prefix + short))
    return DataType(prefix + name[0].text, tuple(parameters), tuple(constructors))


def _fields(printed: str | None, parameters: int) -> tuple[str, ...] | None:
    """The arguments of a constructor behind its parameters, from its type; None where it is not readable."""
    if printed is None or "\n     : " not in printed:
        return None
    tokens: Sequence[Token] = sentences(f"{printed.partition(' : ')[2]} .")[0].tokens
    fields: list[str] = []
    while tokens:
        if tokens[0].text == "forall":
            binders, _, tokens = _cut(tokens[1:], ",")
            groups = _groups(binders) if binders[0].kind == "open" else [binders]
            fields += ["_" for group in groups for _ in _cut(group, ":")[0]]
            continue
        field, arrow, tokens = _cut(tokens, "->")
        if arrow:
            fields.append(_text(field))
    return tuple(fields[parameters:])


def _cut(tokens: Sequence[Token], at: str) -> tuple[Sequence[Token], bool, Sequence[Token]]:
    """What stands before and behind the first such token outside brackets, and whether there is one."""
    depth = 0
    for number, token in enumerate(tokens):
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth == 0 and token.text == at:
            return tokens[:number], True, tokens[number + 1 :]
    return tokens, False, ()


def _split(tokens: Sequence[Token], at: str) -> list[Sequence[Token]]:
    parts: list[Sequence[Token]] = []
    more = True
    while more:
        part, more, tokens = _cut(tokens, at)
        parts.append(part)
    return parts


def _groups(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The contents of brackets that stand side by side."""
    groups: list[Sequence[Token]] = []
    depth, start = 0, 0
    for number, token in enumerate(tokens):
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth == 1 and token.kind == "open":
            start = number + 1
        elif depth == 0 and token.kind == "close":
            groups.append(tokens[start:number])
    return groups


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)
