"""A counterexample in its domain's own terms: a string, an assignment, a small world, or plain fields."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truespec.reports.visible import Piece, cut, in_line, named, pieces
from truespec.verdict import JSON, Counterexample

LARGEST_MATRIX = 8
"""Larger worlds are listed, not drawn as a table."""
NOTHING = "holds of nothing"
"""What is said of an empty predicate whose arity is not declared."""
MOST_NOTES = 6
"""How many characters of a string are named beside it."""


@dataclass(frozen=True, slots=True)
class StringPoint:
    """A string that one side matches and the other does not."""

    pieces: tuple[Piece, ...]
    """The string with its hidden characters named; empty for the empty string."""
    length: int
    """Its length in code points."""
    unusual: tuple[str, ...]
    """The code points and names of its characters beyond ASCII, each once."""
    kind: str = "string"


@dataclass(frozen=True, slots=True)
class Assignment:
    """Values of the variables."""

    rows: tuple[tuple[str, str, str], ...]
    """Name, value, and what the name stands for."""
    kind: str = "assignment"


@dataclass(frozen=True, slots=True)
class BinaryTable:
    """A predicate of two places in a small world."""

    name: str
    """The predicate."""
    rows: tuple[tuple[str, tuple[bool, ...]], ...]
    """First argument, and for each element as the second whether the predicate holds."""


@dataclass(frozen=True, slots=True)
class World:
    """A small model of first-order logic."""

    elements: tuple[str, ...]
    """What there is."""
    names: tuple[str, ...]
    """For each element the constants that denote it."""
    unary: tuple[tuple[str, tuple[bool, ...]], ...]
    """Predicates of one place, and for each element whether they hold."""
    binary: tuple[BinaryTable, ...]
    """Predicates of two places."""
    other: tuple[tuple[str, str], ...]
    """All others: name, and the tuples of which they hold."""
    kind: str = "world"


@dataclass(frozen=True, slots=True)
class Fields:
    """Anything else."""

    rows: tuple[tuple[str, str], ...]
    """Field and value."""
    kind: str = "fields"


Point = StringPoint | Assignment | World | Fields


def point(
    domain: str,
    found: Counterexample,
    context: Mapping[str, object] | None = None,
    meanings: Mapping[str, str] | None = None,
) -> Point:
    """The counterexample as a reader of its domain thinks of it; plain fields where the shape is unknown."""
    match domain, dict(found.point):
        case "regex", {"string": str(text)}:
            unusual = dict.fromkeys(named(character) for character in text if character > "~")
            return StringPoint(
                tuple(pieces(text, keep="", longest=400)), len(text), tuple(unusual)[:MOST_NOTES]
            )
        case "fol", {"domain": list(elements), "predicates": dict(predicates), **rest}:
            constants = rest.get("constants")
            declared = (context or {}).get("predicates")
            arities = declared if isinstance(declared, Mapping) else {}
            world = _world(elements, predicates, constants if isinstance(constants, dict) else {}, arities)
            if world is not None:
                return world
        case "temporal", values if {"trace"} == set(values) or {"stem", "loop"} == set(values):
            return Fields((("trace" if "trace" in values else "word", _word(values)),))
        case "arith", values:
            readings = meanings or {}
            return Assignment(
                tuple((name, plain(value), readings.get(name, "")) for name, value in values.items())
            )
        case "sql", {"tables": dict(tables), "script": str(script)}:
            return Fields(
                (*((name, rows_in_words(rows)) for name, rows in tables.items()), ("script", plain(script)))
            )
    return Fields(tuple((name, plain(value)) for name, value in found.point.items()))


def _word(values: Mapping[str, JSON]) -> str:
    """A trace, or a word whose loop is repeated for ever.

    >>> _word({"stem": [["a"], ["b", "a"]], "loop": [[], ["b"]]})
    '{a} {a,b} ({} {b})^w'
    """
    parts = [
        " ".join(
            "{" + ",".join(sorted(map(str, letter))) + "}" for letter in part if isinstance(letter, list)
        )
        for part in (values.get("trace", values.get("stem")), values.get("loop"))
        if isinstance(part, list)
    ]
    return parts[0] if len(parts) < 2 else f"{parts[0]} ({parts[1]})^w".strip()


def rows_in_words(rows: JSON) -> str:
    """The rows of a table or a result, each in parentheses, as SQL writes them.

    >>> rows_in_words([[1, "a", None], [2, "b", 3]])
    "(1, 'a', NULL) (2, 'b', 3)"
    """
    if not isinstance(rows, list):
        return plain(rows)
    shown = [f"({', '.join(map(_value, row))})" if isinstance(row, list) else plain(row) for row in rows]
    return cut(" ".join(shown), 400) or "no row"


def _value(value: JSON) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else plain(value)


def _world(
    elements: Sequence[JSON],
    predicates: Mapping[str, JSON],
    constants: Mapping[str, JSON],
    arities: Mapping[str, object],
) -> World | None:
    things = [str(element) for element in elements]
    unary: list[tuple[str, tuple[bool, ...]]] = []
    binary: list[BinaryTable] = []
    other: list[tuple[str, str]] = []
    for name, rows in predicates.items():
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            return None
        holds = {tuple(map(str, row)) for row in rows if isinstance(row, list)}
        # The declared arity tells what an empty predicate looks like.
        places: set[object] = {len(row) for row in holds} or {arities.get(name)}
        if places == {1}:
            unary.append((name, tuple((thing,) in holds for thing in things)))
        elif places == {2} and len(things) <= LARGEST_MATRIX:
            matrix = tuple((one, tuple((one, two) in holds for two in things)) for one in things)
            binary.append(BinaryTable(name, matrix))
        else:
            listed = ", ".join(f"({', '.join(row)})" if row else "true" for row in sorted(holds))
            other.append((name, cut(listed, 400) or NOTHING))
    names = tuple(", ".join(n for n, value in constants.items() if value == element) for element in elements)
    return World(tuple(things), names, tuple(unary), tuple(binary), tuple(other))


def plain(value: JSON) -> str:
    """A value without quotes where it needs none."""
    if isinstance(value, str):
        return cut(value, 400)
    if value is None:
        return "undefined"
    if isinstance(value, dict) and set(value) == {"undefined"}:
        return f"undefined ({value['undefined']})"
    return cut(json.dumps(value, ensure_ascii=False), 400)


def in_words(domain: str, found: Counterexample) -> str:
    """The counterexample in one line of visible text.

    >>> found = Counterexample({"string": ""}, True, False, "Python re 3.11")
    >>> in_words("regex", found)
    'the oracle matches the empty string, the candidate does not'
    """
    shown = point(domain, found)
    oracle, candidate = in_line(plain(found.oracle_value)), in_line(plain(found.candidate_value))
    if isinstance(shown, StringPoint) and isinstance(found.oracle_value, bool):
        text = "".join(piece.text for piece in shown.pieces)
        text = f"“{text}”" if text else "the empty string"
        who, other = ("oracle", "candidate") if found.oracle_value else ("candidate", "oracle")
        return f"the {who} matches {text}, the {other} does not"
    if isinstance(shown, World):
        return f"{_world_in_words(shown)}: the oracle is {oracle}, the candidate {candidate}"
    if domain == "sql" and isinstance(shown, Fields) and {"tables", "script"} <= found.point.keys():
        where = ", ".join(f"{name}: {rows}" for name, rows in shown.rows if name != "script")
        results = [in_line(rows_in_words(value)) for value in (found.oracle_value, found.candidate_value)]
        return f"with {in_line(where)}; the oracle gives {results[0]}, the candidate {results[1]}"
    if domain == "temporal" and isinstance(shown, Fields) and shown.rows[0][0] in ("trace", "word"):
        return f"on {in_line(shown.rows[0][1])} the oracle is {oracle}, the candidate {candidate}"
    where = (
        ", ".join(f"{row[0]} = {row[1]}" for row in shown.rows) if not isinstance(shown, StringPoint) else ""
    )
    return f"at {in_line(where)} the oracle is {oracle}, the candidate {candidate}"


def _world_in_words(world: World) -> str:
    count = len(world.elements)
    facts = [
        f"{name} = {element}"
        for element, names in zip(world.elements, world.names)
        for name in filter(None, names.split(", "))
    ]
    for name, holds in world.unary:
        facts += [f"{name}({element})" for element, true in zip(world.elements, holds) if true]
    for relation in world.binary:
        for one, row in relation.rows:
            facts += [f"{relation.name}({one}, {two})" for two, true in zip(world.elements, row) if true]
    for name, rows in world.other:
        if rows != NOTHING:
            facts.append(name if rows == "true" else f"{name}{rows}")
    things = (
        f"one thing, {world.elements[0]}" if count == 1 else f"{count} things, {', '.join(world.elements)}"
    )
    listed = ", ".join(facts) if facts else "nothing holds"
    return in_line(f"with {things}, where {listed}", 400)
