"""Text to a flat tree: the expression grammar of Python, without Python's parser.

A tree is a tuple of nodes in which children precede parents, so that every later pass is a loop and no
nesting of a hostile text can overflow the stack. Numbers are read exactly from the text.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from truespec.domains.arith.numbers import Number, exact
from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported

MAX_CHARACTERS = 200_000
"""Longer texts are not read."""
MAX_TOKENS = 20_000
"""Texts of more tokens are not read."""
MAX_DEPTH = 200
"""Deeper nesting of operators and brackets is not read; Python's own limit on brackets is the same."""
MAX_DIGITS = 3_900
"""Literals of more digits are not read; Python refuses to print integers of 4,300."""

FUNCTIONS = {
    "abs": (1, 1),
    "min": (2, None),
    "max": (2, None),
    "int": (1, 1),
    "floor": (1, 1),
    "ceil": (1, 1),
    "round": (1, 2),
    "is_int": (1, 1),
    "divides": (2, 2),
    "Fraction": (1, 2),
}
"""The functions of the language with the least and the greatest number of arguments."""

COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree."""

    op: str
    """`number bool name call`, `neg pos not`, `+ - * / // % **`, `and or if` or `compare`."""
    args: tuple[int, ...]
    """The positions of the children, smaller than the node's own."""
    value: Number | bool | str | tuple[str, ...] | None
    """A literal's value, a name, a called function, or the operators of a comparison chain."""
    offset: int
    """Where it stands in the text, in code points from 0."""


@dataclass(frozen=True, slots=True)
class Tree:
    """An expression; its last node is the root."""

    text: str
    """The text it was read from."""
    nodes: tuple[Node, ...]
    """The nodes, children first."""

    def place(self, position: int) -> Place:
        """Where the node at `position` stands in the text."""
        return Place.at(self.text, self.nodes[position].offset)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    offset: int


_NUMBER = re.compile(
    r"0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+"
    r"|(?:[0-9](?:_?[0-9])*\.(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*|[0-9](?:_?[0-9])*)"
    r"(?:[eE][+-]?[0-9](?:_?[0-9])*)?"
)
_SYMBOL = re.compile(r"\*\*|//|<<|>>|<=|>=|==|!=|:=|->|[-+*/%()<>,=\[\]{}.:;@&|^~!]")
_BLANK = re.compile(r"(?:[ \t\f]|\\\r?\n|#[^\n]*)+")
_STRING_PREFIX = re.compile(r"(?i:[rbuf]|br|rb|fr|rf)\Z")
_WORDS = {"and", "or", "not", "if", "else", "True", "False"}
_FORBIDDEN_WORDS = {
    "lambda": "a lambda",
    "in": "a membership test",
    "is": "an identity test",
    "for": "a comprehension",
    "await": "'await'",
    "yield": "'yield'",
    "None": "None",
}
_FORBIDDEN_SYMBOLS = {
    ":=": "an assignment expression",
    "[": "a list or subscript",
    "{": "a set or dictionary",
    ".": "an attribute access",
    "@": "the operator '@'",
    "&": "the operator '&'; write 'and'",
    "|": "the operator '|'; write 'or'",
    "^": "the operator '^'; a power is written '**'",
    "~": "the operator '~'",
    "<<": "the operator '<<'",
    ">>": "the operator '>>'",
    ":": "a slice or annotation",
}
_LOOKALIKES = {
    "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "≤": "<=", "≥": ">=", "≠": "!=", "∧": "and", "∨": "or",
    "¬": "not", "²": "**2", "³": "**3", "⌊": "floor(...)", "⌈": "ceil(...)", "∣": "divides(...)",
}  # fmt: skip

_TERNARY, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _POWER = range(9)
_BINARY = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT}


def read(text: str) -> Tree:
    """Parse a text; `SpecificationError` says what is wrong and where, `Unsupported` what is too large."""
    if len(text) > MAX_CHARACTERS:
        raise Unsupported(f"a text of {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    return _Parser(text).read()


def is_name(text: str) -> bool:
    """Whether a text can name a variable."""
    return text.isidentifier() and not keyword.iskeyword(text) and text not in FUNCTIONS


def normal_name(text: str) -> str:
    """A name as Python compares it (NFKC)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokenize()
        self.position = 0
        self.depth = 0
        self.nodes: list[Node] = []

    def read(self) -> Tree:
        if self.tokens[0].kind == "end":
            raise self._error("an empty text; expected an expression, e.g. '2 * x + 1'", 0)
        self._expression(_TERNARY)
        token = self.tokens[self.position]
        if token.kind != "end":
            raise self._unexpected(token, "expected an operator or the end")
        return Tree(self.text, tuple(self.nodes))

    def _expression(self, level: int) -> int:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            place = Place.at(self.text, self.tokens[self.position].offset)
            raise Unsupported(f"an expression nested more than {MAX_DEPTH} levels deep", place)
        left = self._prefix(level)
        while True:
            token = self.tokens[self.position]
            op = token.text if token.kind in ("symbol", "word") else ""
            if op == "**" and level <= _POWER:
                self.position += 1
                left = self._add("**", (left, self._expression(_UNARY)), token.offset)
            elif op in _BINARY and level <= _BINARY[op]:
                self.position += 1
                left = self._add(op, (left, self._expression(_BINARY[op] + 1)), token.offset)
            elif op in COMPARISONS and level <= _COMPARE:
                left = self._chain(left)
            elif op == "and" and level <= _AND:
                self.position += 1
                left = self._add("and", (left, self._expression(_AND + 1)), token.offset)
            elif op == "or" and level <= _OR:
                self.position += 1
                left = self._add("or", (left, self._expression(_OR + 1)), token.offset)
            elif op == "if" and level <= _TERNARY:
                self.position += 1
                condition = self._expression(_OR)
                self._expect("else", "a conditional reads 'a if condition else b'")
                other = self._expression(_TERNARY)
                left = self._add("if", (condition, left, other), token.offset)
            else:
                self.depth -= 1
                return left

    def _chain(self, left: int) -> int:
        operands, ops = [left], []
        offset = self.tokens[self.position].offset
        while self.tokens[self.position].kind == "symbol" and self.tokens[self.position].text in COMPARISONS:
            ops.append(self.tokens[self.position].text)
            self.position += 1
            operands.append(self._expression(_SUM))
        return self._add("compare", tuple(operands), offset, tuple(ops))

    def _prefix(self, level: int) -> int:
        token = self.tokens[self.position]
        self.position += 1
        match token.kind, token.text:
            case "number", _:
                return self._add("number", (), token.offset, self._number(token))
            case "word", "True" | "False":
                return self._add("bool", (), token.offset, token.text == "True")
            case "word", "not" if level <= _NOT:
                return self._add("not", (self._expression(_NOT),), token.offset)
            case "symbol", "-" | "+":
                op = "neg" if token.text == "-" else "pos"
                return self._add(op, (self._expression(_UNARY),), token.offset)
            case "symbol", "(":
                inner = self._expression(_TERNARY)
                if self._at(","):
                    raise self._forbidden(self.tokens[self.position].offset, "a tuple")
                self._expect(")", "a bracket is not closed")
                return self._after(inner)
            case "name", name:
                if self._at("("):
                    return self._after(self._call(token))
                return self._after(self._add("name", (), token.offset, normal_name(name)))
        raise self._unexpected(token, "expected a number, a name or '('")

    def _call(self, token: _Token) -> int:
        name = normal_name(token.text)
        self.position += 1
        args: list[int] = []
        while not self._at(")"):
            if self._at("*") or self._at("**"):
                raise self._forbidden(self.tokens[self.position].offset, "argument unpacking")
            args.append(self._expression(_TERNARY))
            if self._at("="):
                raise self._forbidden(self.tokens[self.position].offset, "a keyword argument")
            if not self._at(","):
                break
            self.position += 1
        self._expect(")", f"the call of {name!r} is not closed")
        return self._add("call", tuple(args), token.offset, name)

    def _after(self, node: int) -> int:
        """Reject what may follow a primary in Python, but not here."""
        token = self.tokens[self.position]
        if token.kind == "symbol" and token.text in (".", "[", "("):
            what = {".": "an attribute access", "[": "a subscript", "(": "a call of something unnamed"}
            raise self._forbidden(token.offset, what[token.text])
        return node

    def _add(
        self,
        op: str,
        args: tuple[int, ...],
        offset: int,
        value: Number | bool | str | tuple[str, ...] | None = None,
    ) -> int:
        self.nodes.append(Node(op, args, value, offset))
        return len(self.nodes) - 1

    def _at(self, symbol: str) -> bool:
        token = self.tokens[self.position]
        return token.kind == "symbol" and token.text == symbol

    def _expect(self, what: str, why: str) -> None:
        token = self.tokens[self.position]
        if token.text != what or token.kind == "end":
            raise self._unexpected(token, f"expected {what!r}: {why}")
        self.position += 1

    def _unexpected(self, token: _Token, expected: str) -> SpecificationError:
        if token.kind == "word" and token.text in _FORBIDDEN_WORDS:
            return self._forbidden(token.offset, _FORBIDDEN_WORDS[token.text])
        if token.kind == "string":
            return self._forbidden(token.offset, "a string")
        if token.kind == "symbol" and token.text in _FORBIDDEN_SYMBOLS:
            return self._forbidden(token.offset, _FORBIDDEN_SYMBOLS[token.text])
        if token.kind == "end":
            return self._error(f"the text ends too early: {expected}", token.offset)
        if token.text == "\n":
            return self._error(
                "a line ends inside the expression: put the expression in brackets", token.offset
            )
        hint = " (equality is written '==')" if token.text == "=" else ""
        return self._error(f"unexpected {token.text!r}{hint}: {expected}", token.offset)

    def _forbidden(self, offset: int, what: str) -> SpecificationError:
        message = f"{what}: the language has numbers, the declared variables, operators and its functions"
        return SpecificationError(ReasonCode.FORBIDDEN, message, Place.at(self.text, offset))

    def _error(self, message: str, offset: int) -> SpecificationError:
        return SpecificationError(ReasonCode.SYNTAX, message, Place.at(self.text, offset))

    def _number(self, token: _Token) -> Number:
        text = token.text.replace("_", "").lower()
        place = Place.at(self.text, token.offset)
        if len(text) > MAX_DIGITS:
            raise Unsupported(f"a literal of {len(text):,} characters", place)
        if text[:2] in ("0x", "0b", "0o"):
            return int(text, 0)
        mantissa, _, exponent = text.partition("e")
        whole, point, decimals = mantissa.partition(".")
        if not point and not exponent:
            if len(whole) > 1 and whole[0] == "0" and whole.strip("0"):
                raise SpecificationError(
                    ReasonCode.SYNTAX, f"the integer {whole[:20]} starts with a zero: leave it out", place
                )
            return int(whole)
        power = int(exponent or "0") - len(decimals)
        if abs(power) > MAX_DIGITS:
            raise Unsupported(f"the literal {token.text[:20]}: its exponent is too large", place)
        digits = int((whole + decimals) or "0")
        return exact(Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power))

    def _tokenize(self) -> list[_Token]:
        text, position, brackets = self.text, 0, 0
        end = len(text.rstrip())
        position = len(text) - len(text.lstrip())
        tokens: list[_Token] = []
        while position < end:
            if len(tokens) > MAX_TOKENS:
                raise Unsupported(f"an expression of more than {MAX_TOKENS:,} tokens")
            character = text[position]
            if blank := _BLANK.match(text, position):
                position = blank.end()
                continue
            if character in "\r\n":
                if brackets == 0 and text[position:].strip() and not _only_comments(text[position:]):
                    tokens.append(_Token("symbol", "\n", position))
                position += 1
                continue
            if number := _NUMBER.match(text, position):
                tokens.append(_Token("number", number.group(), position))
                position = number.end()
                self._check_after_number(position)
                continue
            if character.isidentifier():
                start = position
                while position < end and f"a{text[position]}".isidentifier():
                    position += 1
                word = text[start:position]
                if text[position : position + 1] in ("'", '"') and _STRING_PREFIX.match(word):
                    tokens.append(_Token("string", word, start))
                    break
                special = word in _WORDS or word in _FORBIDDEN_WORDS or keyword.iskeyword(word)
                tokens.append(_Token("word" if special else "name", word, start))
                continue
            if character in "'\"`":
                tokens.append(_Token("string", character, position))
                break  # what follows is forbidden whatever it holds
            if symbol := _SYMBOL.match(text, position):
                brackets += symbol.group() in ("(", "[", "{")
                brackets -= symbol.group() in (")", "]", "}")
                tokens.append(_Token("symbol", symbol.group(), position))
                position = symbol.end()
                continue
            hint = f": write {_LOOKALIKES[character]!r}" if character in _LOOKALIKES else ""
            raise self._error(f"the character {character!a} is not part of the language{hint}", position)
        tokens.append(_Token("end", "", end))
        return tokens

    def _check_after_number(self, position: int) -> None:
        follow = re.compile(r"[A-Za-z_0-9]+").match(self.text, position)
        if follow is None:
            return
        word = follow.group()
        if word in ("j", "J"):
            raise self._forbidden(position, "an imaginary number")
        if word not in ("and", "or", "if", "else", "in", "is", "not"):
            raise self._error(f"{word[:20]!r} follows a number: write an operator between them", position)


def _only_comments(text: str) -> bool:
    return all(not line.strip() or line.strip().startswith("#") for line in text.splitlines())
