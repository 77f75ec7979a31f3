"""The tokens of a formula: one table of spellings for operators, constants and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from truespec.verdict import Place, ReasonCode, SpecificationError

SPELLINGS: dict[str, str] = {
    "!": r"~ ¬ not \neg \lnot",
    "&": r"&& ∧ and \wedge \land /\ ",
    "|": r"|| ∨ or \vee \lor \/",
    "xor": r"^ ⊕ ⊻ \oplus \veebar",
    "->": r"=> --> → ⇒ ⟶ ⟹ implies \to \rightarrow \Rightarrow \longrightarrow \implies",
    "<->": r"<=> <--> ↔ ⇔ ⟷ ⟺ iff \leftrightarrow \Leftrightarrow \longleftrightarrow \iff",
    "X": r"() ○ ◯ \bigcirc \circ \Circle",
    "F": r"<> ◇ ◊ ⋄ ♢ \Diamond \lozenge \diamond",
    "G": r"[] □ ◻ \Box \square",
    "U": r"𝒰 𝓤",
    "R": r"ℛ 𝓡",
    "W": r"𝒲 𝓦",
    "Y": r"⊖ ●",
    "O": r"⟐ ◆ \blacklozenge",
    "H": r"⊟ ■ \blacksquare",
    "S": r"𝒮 𝓢",
    "true": r"True TRUE 1 ⊤ \top \true",
    "false": r"False FALSE 0 ⊥ \bot \false",
    "(": r"[ { \left( \bigl( \lbrack \lbrace \{",
    ")": r"] } \right) \bigr) \rbrack \rbrace \}",
}
"""How an operator, constant or bracket may be spelt besides its own name."""

LETTERS = "XNFGURWMYZOHSTB"
"""Operators that are letters; no atom has such a name."""

GLUED = re.compile("[XFG]{2,}")
"""`XX`, `GF`, `FG`: these letters in a row are operators; an atom of that name stands in quotes."""

_MEANING = {spelling: op for op, line in SPELLINGS.items() for spelling in [op, *line.split()]}
_MEANING |= {letter: letter for letter in LETTERS}
_SIGNS = sorted((text for text in _MEANING if not text.isalnum()), key=len, reverse=True)
_LATEX_FONT = (
    r"\\(?:mathcal|mathbf|mathrm|mathsf|mathit|mathbb|operatorname|textbf|text)\s*\{\s*(?P<font>\w+)\s*\}"
)
_TOKEN = re.compile(
    r"(?P<blank>\s+|\$+|\\[,;:! ]|\\quad\b|\\left\b(?!\()|\\right\b(?!\)))"
    r'|"(?P<quoted>[^"\n]*)"'
    rf"|{_LATEX_FONT}"
    r"|(?P<sign>"
    + "|".join(re.escape(sign) for sign in _SIGNS if not re.fullmatch(r"\\[A-Za-z]+", sign))
    + ")"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<word>[^\W\d][\w.']*)"
    r"|(?P<number>\d+)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text."""

    kind: str
    """An operator, `true`, `false`, `(`, `)`, `atom`, or `end`."""
    text: str
    """The piece as written; of an atom its name."""
    offset: int
    """Where it starts."""


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, and an `end`; `SpecificationError` at a character that starts none."""
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise SpecificationError(
                ReasonCode.SYNTAX,
                f"unexpected {text[position]!r}: expected an operator, an atom or a bracket",
                Place.at(text, position),
            )
        if GLUED.fullmatch(match.group()):
            yield from (Token(op, op, position + place) for place, op in enumerate(match.group()))
        elif match.group("blank") is None:
            yield _token(text, match)
        position = match.end()
    yield Token("end", "", len(text))


def _token(text: str, match: re.Match[str]) -> Token:
    offset, written = match.start(), match.group()
    if match.group("quoted") is not None:
        if not match.group("quoted").strip():
            raise SpecificationError(ReasonCode.SYNTAX, "an atom without a name", Place.at(text, offset))
        return Token("atom", match.group("quoted"), offset)
    word = match.group("word")
    meaning = _MEANING.get(match.group("font") or written)
    if meaning is not None:
        return Token(meaning, written, offset)
    if word is not None or match.group("font"):
        return Token("atom", word or match.group("font"), offset)
    what = "command" if match.group("command") else "number"
    raise SpecificationError(
        ReasonCode.SYNTAX,
        f"unknown {what} {written!r:.60}: expected an operator, an atom or a bracket",
        Place.at(text, offset),
    )


def plain_name(name: str) -> bool:
    """Whether an atom of this name needs no quotes."""
    return bool(re.fullmatch(r"[^\W\d][\w.']*", name)) and name not in _MEANING and not GLUED.fullmatch(name)
