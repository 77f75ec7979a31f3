"""Variants of a specification: single-point mutants, and rewritings that keep its meaning."""

from __future__ import annotations

from collections.abc import Iterator

from truespec.domains.rocq.context import RocqContext
from truespec.domains.rocq.lexer import Token, sentences

_SWAPS = {
    "<=": ("<", ">="),
    "<": ("<=", ">"),
    ">=": (">", "<="),
    ">": (">=", "<"),
    "=": ("<>",),
    "<>": ("=",),
    "/\\": ("\\/",),
    "\\/": ("/\\",),
    "forall": ("exists",),
    "exists": ("forall",),
    "+": ("-",),
    "*": ("+",),
    "<?": ("<=?",),
    "<=?": ("<?",),
    "&&": ("||",),
    "||": ("&&",),
}


def mutants(text: str) -> Iterator[str]:
    """Texts with one operator or numeral changed, in order of place."""
    for sentence in sentences(text):
        body = _body(sentence.tokens)
        for token in sentence.tokens[body:]:
            for other in _SWAPS.get(token.text, ()):
                yield _replaced(text, token, other)
            if token.kind == "number" and token.text.isdigit():
                yield _replaced(text, token, str(int(token.text) + 1))


def rewritings(text: str, context: RocqContext) -> Iterator[str]:
    """Texts with the body doubly negated in a way that computes, conjoined with truth, or in a helper."""
    read = sentences(text)
    arguments = " ".join(argument.name for argument in context.signature.arguments)
    binders, result = context.signature.binders, context.signature.result
    if not any(s.tokens[0].text == "Definition" and s.tokens[1].text == "spec" for s in read):
        return
    at = next(s.tokens[1] for s in read if s.tokens[0].text == "Definition" and s.tokens[1].text == "spec")
    helper = _replaced(text, at, "original_spec")
    if result == "Prop":
        yield f"{helper}\nDefinition spec {binders} : Prop := True /\\ original_spec {arguments}."
        yield f"{helper}\nDefinition spec {binders} : Prop := original_spec {arguments} \\/ False."
    else:
        yield f"{helper}\nDefinition spec {binders} : bool := andb true (original_spec {arguments})."


def _body(tokens: tuple[Token, ...]) -> int:
    return next((place for place, token in enumerate(tokens) if token.text == ":="), 0)


def _replaced(text: str, token: Token, other: str) -> str:
    return text[: token.offset] + other + text[token.offset + len(token.text) :]
