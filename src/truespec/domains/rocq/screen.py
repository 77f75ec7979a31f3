"""What a text may declare: an allowlist of sentences; everything else is refused before Rocq reads it.

Allowed are `Definition`, `Fixpoint` and plain `Inductive`, each with its body, and opening and closing a
scope of the standard library, which is made local. Such sentences change nothing outside the module they
stand in: no axiom, no proof, no notation, no hint, no option, no file, no program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from truespec.domains.rocq.lexer import Sentence, Token, sentences
from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported

OURS = "Truespec"
"""Names that begin so are the verifier's own."""
ALLOWED = ("Definition", "Fixpoint", "Inductive")
"""The sentences of a specification."""
SCOPES = ("nat_scope", "Z_scope", "list_scope", "bool_scope", "string_scope", "char_scope")
"""The scopes that a text may open and close for its own module."""
ALSO_IN_PREAMBLE = ("Record", "Notation", "Infix")
"""Sentences that a preamble may hold besides; it belongs to the task, not to the candidate."""
IN_PRELUDE = ("From", "Require", "Import", "Open", "Export")
"""The sentences of a prelude."""
_BANNED_NAMES = {"where", "Eval", "ltac", "ltac2", "bypass_check"}
_BANNED_SYMBOLS = {"@{", "#[", "<:", "<<:"}


@dataclass(frozen=True, slots=True)
class Screened:
    """A text that passed, and what it declares."""

    sentences: tuple[Sentence, ...]
    """Its sentences, in order."""
    definitions: tuple[str, ...]
    """Names of its `Definition`s, in order."""
    fixpoints: tuple[str, ...]
    """Names of its recursive functions."""
    inductives: tuple[str, ...]
    """Names of its inductive types and predicates."""
    types: tuple[str, ...]
    """Names of its inductive types, predicates and records, in order."""
    numbers: tuple[int, ...]
    """Integer literals, in order of first use."""
    strings: tuple[str, ...]
    """String literals, without their quotes, in order of first use."""


def screen(text: str, extra: tuple[str, ...] = ()) -> Screened:
    """Read a text of declarations; `SpecificationError` names what is forbidden and its place.

    `extra` are more sentences that are allowed, by their first word.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SpecificationError(
            ReasonCode.SYNTAX, "a lone surrogate is no character", Place.at(text, error.start)
        ) from error
    if "prompt>" in text:
        raise Unsupported("a text that holds 'prompt>', which the prover's loop prints itself")
    read = sentences(text)
    definitions: list[str] = []
    fixpoints: list[str] = []
    inductives: list[str] = []
    types: list[str] = []
    # A preamble is imported: what it opens would reach both texts.
    scoped = {} if extra else {one.offset: command for one in read if (command := _of_scope(one))}
    read = [replace(one, text=scoped[one.offset]) if one.offset in scoped else one for one in read]
    for sentence in read:
        if sentence.offset in scoped:
            continue
        _screen_sentence(sentence, text, (*ALLOWED, *extra))
        match sentence.tokens[0].text:
            case "Definition":
                definitions += _declared(sentence)
            case "Fixpoint":
                fixpoints += _declared(sentence)
            case "Inductive":
                inductives += _declared(sentence)
                types += _declared(sentence)
            case "Record":
                types.append(sentence.tokens[1].text)
    tokens = [token for sentence in read for token in sentence.tokens]
    digits = [token.text for token in tokens if token.kind == "number" and token.text.isdigit()]
    numbers = [int(number) for number in digits if len(number) <= 18]
    strings = [token.text[1:-1] for token in tokens if token.kind == "string"]
    return Screened(
        tuple(read),
        tuple(definitions),
        tuple(fixpoints),
        tuple(inductives),
        tuple(types),
        tuple(dict.fromkeys(numbers)),
        tuple(dict.fromkeys(strings)),
    )


def screen_prelude(text: str) -> tuple[Sentence, ...]:
    """The sentences of a prelude: imports and scopes only."""
    read = sentences(text)
    for sentence in read:
        head = sentence.tokens[0]
        if head.text not in IN_PRELUDE:
            raise _forbidden(f"{head.text!r} in a prelude: it imports and opens scopes only", text, head)
        for token in sentence.tokens:
            if token.kind != "name":
                raise _forbidden(f"{token.text!r} in a prelude", text, token)
    return tuple(read)


def _of_scope(sentence: Sentence) -> str | None:
    """A sentence that opens or closes a scope of the standard library and does nothing else, made local."""
    words = [token.text for token in sentence.tokens]
    match words[1:] if words[0] == "Local" else words:
        case [("Open" | "Close") as command, "Scope", scope] if scope in SCOPES:
            return f"Local {command} Scope {scope}."
    return None


def _screen_sentence(sentence: Sentence, text: str, allowed: tuple[str, ...]) -> None:
    head, *rest = sentence.tokens
    if head.text not in allowed:
        expected = ", ".join(ALLOWED[:-1]) + f" or {ALLOWED[-1]}"
        raise _forbidden(f"a sentence that begins with {head.text!r}: expected {expected}", text, head)
    for token in rest:
        for part in token.text.split(".") if token.kind == "name" else ():
            if part in _BANNED_NAMES:
                raise _forbidden(f"{part!r} in a term", text, token)
            if part.startswith(OURS):
                raise _forbidden(f"{part!r}: names that begin with {OURS!r} are the verifier's", text, token)
        if token.text in _BANNED_SYMBOLS or (token.kind == "symbol" and "`" in token.text):
            raise _forbidden(f"{token.text!r} in a term", text, token)
        if head.text == "Inductive" and (
            token.text == ":>" or (token.text == "{" and _opens_record(sentence, token))
        ):
            raise _forbidden(
                f"{token.text!r} in an inductive definition: only plain ones are allowed", text, token
            )
    if head.text in ("Notation", "Infix"):
        return
    if not _has_body(sentence):
        raise _forbidden(f"{head.text!r} without a body: it would open a proof", text, head)


def _opens_record(sentence: Sentence, brace: Token) -> bool:
    at = sentence.tokens.index(brace)
    before = [token.text for token in sentence.tokens[max(0, at - 2) : at]]
    return ":=" in before


def _has_body(sentence: Sentence) -> bool:
    """Whether each declaration of the sentence has its `:=` outside brackets."""
    depth, bodies, declarations = 0, 0, 1
    open_body = False
    # Inside a body, `with` also belongs to `match ... with`, which is counted away.
    matches = 0
    for token in sentence.tokens:
        if token.kind == "open":
            depth += 1
        elif token.kind == "close":
            depth -= 1
        elif depth == 0:
            if token.text == ":=" and not open_body:
                bodies, open_body = bodies + 1, True
            elif token.text == "match":
                matches += 1
            elif token.text == "with":
                if matches:
                    matches -= 1
                elif open_body:
                    declarations, open_body = declarations + 1, False
    return bodies == declarations


def _declared(sentence: Sentence) -> list[str]:
    names = [sentence.tokens[1].text] if len(sentence.tokens) > 1 else []
    depth = matches = 0
    for token, following in zip(sentence.tokens, sentence.tokens[1:]):
        if token.kind == "open":
            depth += 1
        elif token.kind == "close":
            depth -= 1
        elif depth == 0 and token.text == "match":
            matches += 1
        elif depth == 0 and token.text == "with":
            if matches:
                matches -= 1
            else:
                names.append(following.text)
    return [name for name in names if re.fullmatch(r"[^\W\d][\w']*", name)]


def _forbidden(message: str, text: str, token: Token) -> SpecificationError:
    return SpecificationError(ReasonCode.FORBIDDEN, message, Place.at(text, token.offset))
