"""Terms as Rocq prints them under `Set Printing All`: applications are read, all else stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

_TOKEN = re.compile(r'"(?:[^"]|"")*"|[()]|[^\s()"]+')
_NAME = re.compile(r"[^\W\d][\w']*")
_BINDING = {"fun", "match", "if", "let", "forall", "fix", "cofix"}
_CONTEXT = re.compile(r"^\s*([\w', ]+?) : (.*)$")

DEEPEST = 100
"""How deep parentheses may be."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term: an application of a head to arguments, or a text without them."""

    text: str
    """Its text, in parentheses where it is no single word."""
    head: str = ""
    """The text of the head of an application."""
    arguments: tuple[Term, ...] = ()
    """The arguments of an application, types among them."""


def read_term(text: str) -> Term | None:
    """The term that a text writes; None where its parentheses do not match, or are too deep to be of use."""
    tokens = [(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(text)]
    if max(accumulate((word == "(") - (word == ")") for word, _, _ in tokens), default=0) > DEEPEST:
        return None
    term, place = _read(text, tokens, 0)
    return term if place == len(tokens) else None


def _read(text: str, tokens: list[tuple[str, int, int]], place: int) -> tuple[Term | None, int]:
    """The term from a place to the end of its parentheses, and where these end."""
    if place < len(tokens) and tokens[place][0] in _BINDING:
        return _whole(text, tokens, place)
    parts: list[Term] = []
    while place < len(tokens) and tokens[place][0] != ")":
        word = tokens[place][0]
        if word == "(":
            inner, place = _read(text, tokens, place + 1)
            if inner is None or place == len(tokens):
                return None, place
            parts.append(inner)
        elif word in _BINDING:  # its end could not be told
            return None, place
        else:
            parts.append(Term(word))
        place += 1
    if len(parts) < 2:
        return (parts[0] if parts else None), place
    return Term(f"({' '.join(part.text for part in parts)})", parts[0].text, tuple(parts[1:])), place


def _whole(text: str, tokens: list[tuple[str, int, int]], place: int) -> tuple[Term, int]:
    """What binds variables, as a text."""
    start, depth = tokens[place][1], 0
    while place < len(tokens) and not (tokens[place][0] == ")" and depth == 0):
        depth += (tokens[place][0] == "(") - (tokens[place][0] == ")")
        place += 1
    return Term(f"({' '.join(text[start : tokens[place - 1][2]].split())})"), place


def names_in(text: str) -> Iterator[str]:
    """The names of a text, each once, in order."""
    yield from dict.fromkeys(_NAME.findall(text))


def type_in(printed: str) -> str:
    """The type in the answer to `Check`."""
    return " ".join(printed.rpartition("\n     : ")[2].split())


def read_goal(shown: str) -> tuple[dict[str, str], str]:
    """The types of what stands above the line of the first goal, by name, and what stands below."""
    above, _, below = shown.partition("====")
    known: dict[str, str] = {}
    for line in above.splitlines():
        if found := _CONTEXT.match(line):
            known.update({name.strip(): found.group(2) for name in found.group(1).split(",")})
    return known, " ".join(below.lstrip("=").strip().partition("\n\n")[0].split())
