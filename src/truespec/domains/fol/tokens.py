"""From text to tokens: the symbols, words and names of a formula, with their places."""

from __future__ import annotations

import re

from truespec.verdict import Place, ReasonCode, SpecificationError

_TOKEN = re.compile(r"\s*(?:(\w+)|(<->|<=>|->|=>|!=|&&|\|\||\S))")
_SYMBOLS = {
    **dict.fromkeys("∀", "all"),
    **dict.fromkeys("∃", "some"),
    **dict.fromkeys("¬-~∼!", "not"),
    **dict.fromkeys(("∧", "&", "&&"), "and"),
    **dict.fromkeys(("∨", "|", "||"), "or"),
    **dict.fromkeys("⊕⊻^", "xor"),
    **dict.fromkeys(("→", "->", "=>", "⇒", "⟶", "⟹"), "implies"),
    **dict.fromkeys(("↔", "<->", "<=>", "⇔", "⟷", "⟺", "≡"), "iff"),
    **dict.fromkeys(("=", "≠", "!=", "(", ")", ",", ".")),
    "≠": "!=",
}
_SYMBOLS.update({symbol: symbol for symbol, kind in _SYMBOLS.items() if kind is None})
_WORDS = {"not": "not", "and": "and", "or": "or", "xor": "xor"}
_QUANTIFIER_WORDS = {"all": "all", "forall": "all", "exists": "some", "some": "some"}
_HINTS = {
    ":": "a quantifier is written ∀x (...) or all x. (...)",
    "[": "group with ( and )",
    "]": "group with ( and )",
    "{": "group with ( and )",
    "}": "group with ( and )",
    "’": "names have letters, digits and underscores; drop the apostrophe",
    "'": "names have letters, digits and underscores; drop the quote",
    '"': "names have letters, digits and underscores; drop the quotes",
    "+": "names have letters, digits and underscores, and there is no arithmetic",
    "*": "there is no arithmetic",
    "/": "names have letters, digits and underscores, and there is no arithmetic",
    ">": "there is no order; declare a predicate, e.g. Greater(x, y)",
    "<": "there is no order; declare a predicate, e.g. Less(x, y)",
    "≥": "there is no order; declare a predicate, e.g. AtLeast(x, y)",
    "≤": "there is no order; declare a predicate, e.g. AtMost(x, y)",
    "—": "names have letters, digits and underscores; negation is ¬ or -",
    "–": "names have letters, digits and underscores; negation is ¬ or -",
    ";": "one formula is expected; join several with ∧",
    "λ": "only the quantifiers ∀ and ∃ bind",
    "⊤": "write a tautology such as P ∨ ¬P",
    "⊥": "write a contradiction such as P ∧ ¬P",
    "\\": "write the symbols themselves, e.g. ∀ or all, not LaTeX",
    "$": "write the formula without $",
}


class Tokens:
    """The tokens of a text in three lists of one length; the last is the end.

    `SpecificationError` for a symbol that is not part of the language and for unbalanced parentheses.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        """`name`, an operator, a quantifier, a punctuation mark or `end`."""
        self.words: list[str] = []
        """The tokens as they are written."""
        self.offsets: list[int] = []
        """Where each begins in the text."""
        self._scan()
        self.closing = self._match_parentheses()
        """The index of the closing parenthesis for the index of each opening one."""

    def error(self, message: str, offset: int) -> SpecificationError:
        """An error of syntax at an offset of the text."""
        return SpecificationError(ReasonCode.SYNTAX, message, Place.at(self.text, offset))

    def _scan(self) -> None:
        kinds, words, offsets = self.kinds, self.words, self.offsets
        for match in _TOKEN.finditer(self.text):
            word, symbol = match.groups()
            if word is not None:
                kinds.append(_WORDS.get(word, "name"))
                words.append(word)
                offsets.append(match.start(1))
            else:
                start = match.start(2)
                kind = _SYMBOLS.get(symbol)
                if kind is None:
                    raise self._unknown_symbol(symbol, start)
                if symbol in "-." and self._joins_a_name(start):
                    raise self._broken_name(symbol, start)
                kinds.append(kind)
                words.append(symbol)
                offsets.append(start)
        if not kinds:
            raise self.error("the text is empty: expected a formula", 0)
        kinds.append("end")
        words.append("")
        offsets.append(len(self.text.rstrip()))
        # The words for quantifiers are also fine names: `all(x)` is an atom, `all x` a quantifier.
        for index, word in enumerate(words):
            if word in _QUANTIFIER_WORDS and kinds[index + 1] == "name":
                kinds[index] = _QUANTIFIER_WORDS[word]

    def _joins_a_name(self, offset: int) -> bool:
        """Whether the symbol stands inside what was meant as one name, as in `l-2021` or `y42.3`."""
        before, after = self.text[offset - 1 : offset], self.text[offset + 1 : offset + 2]
        if not (before.isalnum() or before == "_") or not (after.isalnum() or after == "_"):
            return False
        if self.text[offset] == "-":
            return True
        # `all x y.P(x, y)` is a quantifier with its dot.
        for names, (kind, word) in enumerate(zip(reversed(self.kinds), reversed(self.words))):
            if names and (word in _QUANTIFIER_WORDS or word in ("∀", "∃")):
                return False
            if kind != "name":
                break
        return True

    def _match_parentheses(self) -> dict[int, int]:
        closing: dict[int, int] = {}
        opened: list[int] = []
        for index, kind in enumerate(self.kinds):
            if kind == "(":
                opened.append(index)
            elif kind == ")":
                if not opened:
                    raise self.error("unbalanced: this ')' closes nothing", self.offsets[index])
                closing[opened.pop()] = index
        if opened:
            raise self.error("unbalanced: this '(' is never closed", self.offsets[opened[-1]])
        return closing

    def _unknown_symbol(self, symbol: str, offset: int) -> SpecificationError:
        hint = _HINTS.get(symbol, "it is not part of the language")
        return self.error(f"unexpected {show(symbol)}: {hint}", offset)

    def _broken_name(self, symbol: str, offset: int) -> SpecificationError:
        left = re.search(r"\w*$", self.text[max(0, offset - 60) : offset])
        right = re.match(r"[\w.\-]*", self.text[offset : offset + 60])
        name = (left.group() if left else "") + (right.group() if right else "")
        what = "a hyphen" if symbol == "-" else "a dot"
        return self.error(
            f"{what} inside the name {show(name)}: names have letters, digits and underscores", offset
        )


def show(name: str) -> str:
    """A name or character for a message: quoted, cut to a readable length, odd characters escaped."""
    cut = name if len(name) <= 40 else name[:37] + "..."
    return f"'{cut}'" if cut.isprintable() else ascii(cut)
