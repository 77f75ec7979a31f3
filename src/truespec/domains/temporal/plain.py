"""A second reader of formulas, for re-checking: it splits a text at its loosest operator, again and again.

It shares the table of spellings and the formula trees with the parser, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from truespec.domains.temporal.tokens import LETTERS, SPELLINGS
from truespec.temporal.syntax import Formula

_LEVELS = (("<->",), ("->",), ("xor",), ("|",), ("&",), tuple("URWMSTB"))
"""The binary operators, from loose to tight."""
_TO_THE_RIGHT = (("->",), tuple("URWMSTB"))
_SPELT = {spelling: op for op, line in SPELLINGS.items() for spelling in (op, *line.split())}
_SPELT |= {letter: letter for letter in LETTERS}
_LONGEST = max(map(len, _SPELT))
_FONTS = ("mathcal", "mathbf", "mathrm", "mathsf", "mathit", "mathbb", "operatorname", "textbf", "text")
Piece = tuple[str, str]
"""An operator, bracket or constant with its text, or `atom` with a name."""


class Unreadable(ValueError):
    """The text is no formula."""


def read(text: str, syntax: str) -> Formula:
    """The formula of a text in `infix` or `prefix` notation."""
    if syntax == "prefix":
        pieces = iter(text.replace("!", " ! ").replace("~", " ! ").split())
        found = _prefix(pieces)
        if next(pieces, None) is not None:
            raise Unreadable("text is left over")
        return found
    return _split(list(_pieces(text)))


def _prefix(pieces: Iterator[str]) -> Formula:
    op = next(pieces, None)
    if op is None:
        raise Unreadable("an operand is missing")
    named = {"i": "->", "e": "<->", "^": "xor", "&&": "&", "||": "|"}.get(op, op)
    if named in ("!", *"XNFGYZOH"):
        return Formula(named, (_prefix(pieces),))
    if named in ("&", "|", "->", "<->", "xor", *"URWMSTB"):
        return Formula(named, (_prefix(pieces), _prefix(pieces)))
    return Formula(named) if named in ("true", "false") else Formula("atom", (), named)


def _pieces(text: str) -> Iterator[Piece]:
    i = 0
    while i < len(text):
        if text[i].isspace() or text[i] == "$":
            i += 1
        elif text[i] == '"':
            end = text.index('"', i + 1)
            yield "atom", text[i + 1 : end]
            i = end + 1
        elif text[i].isalpha() or text[i] in "_\\" or text[i].isdigit():
            word, i = _word(text, i)
            if len(word) > 1 and set(word) <= set("XFG"):
                yield from ((op, op) for op in word)
            elif word:
                yield (_SPELT[word], word) if word in _SPELT else ("atom", word)
        else:
            for length in range(_LONGEST, 0, -1):
                if text[i : i + length] in _SPELT:
                    break
            else:
                raise Unreadable(f"unexpected {text[i]!r}")
            yield _SPELT[text[i : i + length]], text[i : i + length]
            i += length


def _word(text: str, i: int) -> tuple[str, int]:
    """A name or a command that starts at i, and where it ends; blanks of LaTeX are empty."""
    end = i + 1
    if text[i] == "\\":
        if end < len(text) and not text[end].isalpha():
            if text[i : i + 2] in ("\\/", "\\{", "\\}"):
                return text[i : i + 2], i + 2
            return "", i + 2
        while end < len(text) and text[end].isalpha():
            end += 1
        command = text[i + 1 : end]
        if command in _FONTS:
            close = text.index("}", end)
            return text[text.index("{", end) + 1 : close].strip(), close + 1
        if command in ("left", "right", "bigl", "bigr") and text[end : end + 1] in ("(", ")"):
            return text[i : end + 1], end + 1
        return ("" if command in ("quad", "left", "right") else text[i:end]), end
    if text[i].isdigit():
        while end < len(text) and text[end].isdigit():
            end += 1
        return text[i:end], end
    while end < len(text) and (text[end].isalnum() or text[end] in "_.'"):
        end += 1
    return text[i:end], end


def _split(pieces: list[Piece]) -> Formula:
    if not pieces:
        raise Unreadable("an operand is missing")
    for level in _LEVELS:
        places = _outside(pieces, level)
        if places:
            place = places[0] if level in _TO_THE_RIGHT else places[-1]
            return Formula(pieces[place][0], (_split(pieces[:place]), _split(pieces[place + 1 :])))
    op, text = pieces[0]
    if op in ("!", *"XNFGYZOH"):
        return Formula(op, (_split(pieces[1:]),))
    if op == "(" and pieces[-1][0] == ")":
        return _split(pieces[1:-1])
    if len(pieces) == 1 and op in ("true", "false", "atom"):
        return Formula(op, (), text if op == "atom" else "")
    raise Unreadable(f"unexpected {text!r}")


def _outside(pieces: list[Piece], operators: tuple[str, ...]) -> list[int]:
    """Where the operators stand outside brackets."""
    depth, found = 0, []
    for place, (op, _) in enumerate(pieces):
        depth += (op == "(") - (op == ")")
        if depth == 0 and op in operators:
            found.append(place)
    return found
