"""Single-point changes of a pattern, and rewritings by laws that hold in its dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator

from truespec.domains.regex.parse import Context, parse
from truespec.verdict import SpecificationError, Undecided

_TOKEN = re.compile(
    r"\(\?P<\w+>|\(\?[aiLmsux]*(?:-[imsx]+)?:|\(\?[aiLmsux]+\)|\(\?<?[=!>]|\(\?#[^)]*\)|\(\?"
    r"|\\[0-7]{3}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\N\{[^}]*\}|\\."
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.",
    re.DOTALL,
)
_CLASSES = {"\\d": "\\w", "\\w": "\\d", "\\s": "\\S", "\\S": "\\s", "\\D": "\\d", "\\W": "\\w"}


def tokens(text: str) -> list[str]:
    """The pattern cut into tokens, which joined give the pattern again."""
    return _TOKEN.findall(text)


def mutants(text: str, context: Context) -> Iterator[str]:
    """Texts of the dialect that differ from `text` in one token."""
    pieces = tokens(text)
    seen = {text}
    for at, token in enumerate(pieces):
        for changed in _changes(token, context):
            mutant = "".join([*pieces[:at], changed, *pieces[at + 1 :]])
            if mutant in seen:
                continue
            seen.add(mutant)
            try:
                parse(mutant, context)
            except (SpecificationError, Undecided):
                continue
            yield mutant


def _changes(token: str, context: Context) -> Iterator[str]:
    if token in ("*", "+", "?"):
        yield from (other for other in ("*", "+", "?", "") if other != token)
    elif token[0] == "{" and len(token) > 2:
        numbers = re.findall(r"\d+", token)
        for number in numbers:
            for other in (int(number) + 1, int(number) - 1):
                if other >= 0:
                    yield token.replace(number, str(other), 1)
        yield "*"
    elif token[0] == "[":
        inside = token[1:-1]
        yield "[" + inside[1:] + "]" if inside.startswith("^") else "[^" + inside + "]"
        if len(inside) > 1:
            yield "[" + inside[:-1] + "]"
            yield "[" + inside[1:] + "]"
    elif token in _CLASSES:
        yield _CLASSES[token]
    elif token in ("\\b", "^", "$", "~", "."):
        yield ""
        if token == ".":
            yield "[a-z]"
    elif token in ("(?=", "(?!", "(?<=", "(?<!"):
        yield token[:-1] + ("!" if token[-1] == "=" else "=")
    elif token in ("|", "&"):
        yield ""
        if context.dialect == "deepregex":
            yield "&" if token == "|" else "|"
    elif token[0] not in "()\\":
        yield ""
        yield "a" if token != "a" else "b"
        yield token + "?"


def rewritings(text: str, context: Context) -> Iterator[str]:
    """Texts that mean the same by a law of the language."""
    pieces = tokens(text)
    for short, long in (("*", "{0,}"), ("+", "{1,}"), ("?", "{0,1}")):
        for at, token in enumerate(pieces):
            # After a quantifier these are laziness or possessiveness in the python dialect.
            quantified = at > 0 and (pieces[at - 1] in ("*", "+", "?") or pieces[at - 1][0] == "{")
            if token == short and not quantified and "x" not in context.flags and "(?#" not in text:
                yield "".join([*pieces[:at], long, *pieces[at + 1 :]])
                break
    if context.dialect == "deepregex":
        yield f"({text})"
        yield f"({text})|({text})"
        yield f"~(~({text}))"
        yield f"({text})&(.*)"
        yield f"~(~({text})&~({text}))"
        yield f"()({text})()"
        return
    head = ""
    while found := re.match(r"\(\?[aiLmsux]+\)", text[len(head) :]):
        head += found[0]
    if "#" in text and ("x" in context.flags or "x" in head):
        return  # a comment could swallow what is put behind it
    body = text[len(head) :]
    yield f"{head}(?:{body})"
    yield f"{head}(?:{body}|{body})" if "(?P<" not in body else f"{head}(?:{body}|(?!))"
    yield f"{head}(?:{body}){{1}}"
    yield f"{head}(?:)(?:{body})(?=)"
