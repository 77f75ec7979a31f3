"""The context of a pair: its prelude, its preamble and the signature of `spec`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from truespec.domains.contract import RawContext
from truespec.domains.rocq.lexer import Sentence, Token, sentences
from truespec.domains.rocq.screen import ALSO_IN_PREAMBLE, OURS, Screened, screen, screen_prelude
from truespec.verdict import OracleError, SpecificationError

Read = TypeVar("Read")

PRELUDE = (
    "From Coq Require Import String Ascii ZArith Bool Arith Znumtheory Lia Sorting.Sorted Permutation List. "
    "Import ListNotations. Open Scope Z_scope."
)
"""What every text is compiled after, unless the context says otherwise."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of `spec`."""

    name: str
    """Its name."""
    type: str
    """Its type, as the signature writes it."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The type that `spec` has in both texts."""

    binders: str
    """The binders as written, e.g. `(x y : Z)`."""
    arguments: tuple[Argument, ...]
    """The arguments they bind, in order."""
    result: str
    """`Prop` or `bool`."""


@dataclass(frozen=True, slots=True)
class RocqContext:
    """Everything the two texts are read against."""

    signature: Signature
    """The type of `spec`."""
    preamble: Screened
    """Definitions that both texts may use."""
    prelude: tuple[Sentence, ...]
    """Imports and scopes."""
    implementation: str | None = None
    """The argument that stands for the implementation, where all others are quantified inside each side."""

    @property
    def usual(self) -> bool:
        """Whether the imports and scopes are those that stand where none are given."""
        return self.prelude == _usual()

    @property
    def compared(self) -> tuple[Argument, ...]:
        """The arguments at which the two sides are compared: all of them, or the implementation alone."""
        everything = self.signature.arguments
        return tuple(one for one in everything if self.implementation in (None, one.name))

    @property
    def inner(self) -> tuple[Argument, ...]:
        """The arguments that each side quantifies over by itself."""
        return tuple(one for one in self.signature.arguments if one not in self.compared)


def read_context(raw: RawContext) -> RocqContext:
    """The context of a pair; `OracleError` names the field that is wrong."""
    known = {"signature", "preamble", "prelude", "implementation"}
    for key, value in raw.items():
        if key in known and not isinstance(value, str):
            raise OracleError(f"context: {key!r} is a string, not {type(value).__name__}")
    written = raw.get("signature")
    if not isinstance(written, str):
        raise OracleError('context: "signature" is missing; expected e.g. "(x y r : Z) : Prop"')
    signature = _field("signature", lambda: read_signature(written))
    preamble = str(raw.get("preamble") or "")
    prelude = str(raw.get("prelude") or PRELUDE)
    implementation = str(raw.get("implementation") or "") or None
    names = [argument.name for argument in signature.arguments]
    if implementation not in (None, *names):
        raise OracleError(
            f"context: implementation {implementation!r} is no argument of the signature; "
            f"expected one of {', '.join(names)}"
        )
    return RocqContext(
        signature,
        _field("preamble", lambda: screen(preamble, ALSO_IN_PREAMBLE)),
        _field("prelude", lambda: screen_prelude(prelude)),
        implementation,
    )


@cache
def _usual() -> tuple[Sentence, ...]:
    return screen_prelude(PRELUDE)


def binders(arguments: Iterable[Argument]) -> str:
    """The arguments as binders, e.g. `(x : Z) (y : Z)`."""
    return " ".join(f"({argument.name} : {argument.type})" for argument in arguments)


def _field(name: str, read: Callable[[], Read]) -> Read:
    try:
        return read()
    except SpecificationError as error:
        raise OracleError(f"context: {name}: {error}") from error


def read_signature(text: str) -> Signature:
    """Read `(x y : Z) (l : list Z) : Prop`; `OracleError` says what is expected."""
    expected = 'expected binders in parentheses and Prop or bool, e.g. "(x y r : Z) : Prop"'
    read = sentences(text.strip() + " .")
    if len(read) != 1:
        raise OracleError(f"context: signature {text!r}: {expected}")
    tokens = read[0].tokens
    for token in tokens:
        if (
            token.text in ("ltac", "Eval", "where", ":=", "@{", "#[", "`", "<:", "<<:")
            or token.text.startswith(OURS)
            or token.kind == "string"
        ):
            raise OracleError(f"context: signature: {token.text!r} is not allowed; {expected}")
    arguments: list[Argument] = []
    at = 0
    while at < len(tokens) and tokens[at].text == "(":
        end = _closing(tokens, at)
        colon = next((i for i in range(at, end) if tokens[i].text == ":"), None)
        if colon is None or colon == at + 1 or colon + 1 >= end:
            raise OracleError(f"context: signature {text!r}: {expected}")
        type_text = text.strip()[tokens[colon].offset + 1 : tokens[end].offset].strip()
        for token in tokens[at + 1 : colon]:
            if not re.fullmatch(r"[^\W\d][\w']*", token.text):
                raise OracleError(f"context: signature: {token.text!r} is no name; {expected}")
            arguments.append(Argument(token.text, type_text))
        at = end + 1
    rest = [token.text for token in tokens[at:]]
    if not arguments or rest not in ([":", "Prop"], [":", "bool"]):
        raise OracleError(f"context: signature {text!r}: {expected}")
    names = [argument.name for argument in arguments]
    if len(set(names)) != len(names) or "_" in names:
        raise OracleError(f"context: signature {text!r}: each argument has a name of its own")
    return Signature(binders(arguments), tuple(arguments), rest[1])


def _closing(tokens: tuple[Token, ...], at: int) -> int:
    depth = 0
    for here in range(at, len(tokens)):
        depth += {"open": 1, "close": -1}.get(tokens[here].kind, 0)
        if depth == 0:
            return here
    raise AssertionError("the lexer checked the brackets")
