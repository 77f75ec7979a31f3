"""The calls of a text and the statements in it, read off its tokens: only what is listed runs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from truespec.domains.sql.functions.catalogue import GRAMMAR, NOW_WORDS, Functions, words
from truespec.domains.sql.functions.registry import FUNCTIONS
from truespec.domains.sql.text.lexer import Lexeme, Shape, Source
from truespec.verdict import Nondeterministic, Place, ReasonCode, SpecificationError, Unsupported

MAX_COUNT = 10_000
"""Largest number that REPEAT, LPAD and their like may be given."""

_STATEMENTS = words(
    """
    ALTER ANALYSE ANALYZE ATTACH BACKUP BEGIN CACHE CALL CHANGE CHECK CHECKPOINT CHECKSUM CLOSE
    CLUSTER COMMENT COMMIT COMPOUND COPY CREATE DEALLOCATE DECLARE DELETE DESC DESCRIBE DETACH
    DISCARD DO DROP END EXECUTE EXPLAIN EXPORT FETCH FLUSH GET GRANT HANDLER HELP IMPORT INSERT
    INSTALL KILL LISTEN LOAD LOCK MERGE MOVE NOTIFY OPTIMIZE PRAGMA PREPARE PURGE REASSIGN REFRESH
    REINDEX RELEASE RENAME REPAIR REPLACE RESET REVOKE ROLLBACK SAVEPOINT SECURITY SET SHOW SHUTDOWN
    SIGNAL START STOP SUMMARIZE TRUNCATE UNINSTALL UNLISTEN UNLOCK UPDATE USE VACUUM XA
    """
)
"""Statements of the four manuals, for the message alone: `Functions.heads` decides."""
_OPERANDS = (Shape.WORD, Shape.NAME)


def check_heads(text: str, lexemes: Sequence[Lexeme], begin: int, functions: Functions) -> None:
    """Refuse a text that does not begin as a query does, and a WITH that holds or heads anything else."""
    _check_head(text, lexemes, begin, functions)
    for number in range(begin, len(lexemes)):
        before = lexemes[number - 1].text if number else "("
        if lexemes[number].word == "WITH" and (number == begin or before == "("):
            _check_with(text, lexemes, number, functions)


def _check_head(text: str, lexemes: Sequence[Lexeme], number: int, functions: Functions) -> None:
    while number < len(lexemes) and lexemes[number].text == "(":
        number += 1
    if number == len(lexemes) or lexemes[number].word in functions.heads:
        return
    head = lexemes[number]
    code = ReasonCode.FORBIDDEN if head.word in _STATEMENTS else ReasonCode.SYNTAX
    expected = ", ".join(sorted(functions.heads))
    message = f"{head.text[:40]} begins no query; a query begins with one of {expected}"
    raise SpecificationError(code, message, Place.at(text, head.start))


def _check_with(text: str, lexemes: Sequence[Lexeme], number: int, functions: Functions) -> None:
    """Each common table is a query, and so is what follows them; a text of another form has no head."""
    depth, bodies = 0, 0
    for place in range(number + 1, len(lexemes)):
        lexeme = lexemes[place]
        if lexeme.shape is Shape.OPERATOR and lexeme.text in "()":
            if lexeme.text == "(" and depth == 0 and _is_body(lexemes, place):
                _check_head(text, lexemes, place, functions)
                bodies += 1
            depth += 1 if lexeme.text == "(" else -1
            if depth < 0:
                return
            if depth == 0 and bodies and place + 1 < len(lexemes):
                after = lexemes[place + 1]
                if after.text == "(" or after.word in functions.heads:
                    return
                if after.word in _STATEMENTS:
                    _check_head(text, lexemes, place + 1, functions)


def _is_body(lexemes: Sequence[Lexeme], number: int) -> bool:
    return number > 0 and lexemes[number - 1].word in ("AS", "MATERIALIZED")


def check_calls(source: Source, dialect: str) -> None:
    """Refuse every call of a function that is not listed as pure.

    `SpecificationError` with code `forbidden` for functions that do more than compute; `Nondeterministic` for
    clocks, random numbers and the session; `Unsupported` for a function that is not listed and for a result
    that may be too large. Each names the place. What is forbidden is said first.
    """
    functions, lexemes = FUNCTIONS[dialect], source.lexemes
    impure: Nondeterministic | None = None
    unknown: Unsupported | None = None
    for number, lexeme in enumerate(lexemes):
        name = _called(lexemes, number, functions)
        if not name:
            continue
        place = Place.at(source.text, lexeme.start)
        if name in functions.effects:
            message = f"the function {name.upper()[:60]}: a specification only reads"
            raise SpecificationError(ReasonCode.FORBIDDEN, message, place)
        clock = name in functions.clocks and _reads_clock(lexemes, number, functions.clocks[name])
        if clock or name in functions.impure or name in functions.bare:
            what = f"{name.upper()} does not depend on the data alone"
            impure = impure or Nondeterministic(what, place)
        elif name not in functions.pure:
            unknown = unknown or Unsupported(_not_known(name, functions), place)
        elif name in functions.growing:
            unknown = unknown or _grows(source, number)
    if impure:
        raise impure
    if unknown:
        raise unknown


def _reads_clock(lexemes: Sequence[Lexeme], number: int, fewest: int) -> bool:
    """Whether a call of a function of times leaves the time out, or asks for the present one by name."""
    end = _closing(lexemes, number + 1)
    inside = lexemes[number + 2 : end]
    depth, given = 0, 1 if inside else 0
    for part in inside:
        if part.shape is Shape.STRING and (part.value or "").strip().lower() in NOW_WORDS:
            return True
        if part.shape is Shape.OPERATOR:
            depth += (part.text in ("(", "[")) - (part.text in (")", "]"))
            given += part.text == "," and depth == 0
    return given < fewest


def _not_known(name: str, functions: Functions) -> str:
    near = difflib.get_close_matches(name, functions.pure, 1)
    return f"the function {name.upper()[:60]} is not known to be pure" + (
        f"; the nearest known one is {near[0].upper()}" if near else ""
    )


def _called(lexemes: Sequence[Lexeme], number: int, functions: Functions) -> str:
    """The function, in lower case, that a token calls; empty where it calls none."""
    lexeme = lexemes[number]
    if lexeme.shape not in _OPERANDS:
        return ""
    name = (lexeme.value if lexeme.value is not None else lexeme.text).lower()
    before = lexemes[number - 1] if number else None
    if number + 1 == len(lexemes) or lexemes[number + 1].text != "(":
        beside = before is not None and (before.text == "." or before.word == "AS")
        dotted = number + 1 < len(lexemes) and lexemes[number + 1].text == "."
        return name if lexeme.word and name in functions.bare and not beside and not dotted else ""
    if name == "glob" and before is not None and _ends_operand(before):
        return ""  # the operator
    if before is not None and before.word == "AS":
        return ""  # a name that is given, or the type of a CAST
    known = name in functions.pure or name in functions.impure or name in functions.effects
    if not known and lexeme.word and (name in GRAMMAR or name in functions.types):
        return ""
    if name not in functions.effects and _names_columns(lexemes, number, functions):
        return ""
    return name


def _ends_operand(lexeme: Lexeme) -> bool:
    """Whether a value may end here, so that a word behind it is an operator."""
    if lexeme.shape in (Shape.STRING, Shape.NUMBER) or lexeme.text == ")":
        return True
    heads = GRAMMAR - {"end", "not"} | {"select", "where", "on", "having", "by"}
    return lexeme.shape in _OPERANDS and not (lexeme.word and lexeme.word.lower() in heads)


def _names_columns(lexemes: Sequence[Lexeme], number: int, functions: Functions) -> bool:
    """Whether a name before a parenthesis names a table of FROM or WITH, whose columns follow."""
    end = _closing(lexemes, number + 1)
    inside = lexemes[number + 2 : end]
    names = all(
        (part.shape in _OPERANDS) if place % 2 == 0 else part.text == "," for place, part in enumerate(inside)
    )
    if not names or len(inside) % 2 == 0:
        return False
    following = [lexeme.word or lexeme.text for lexeme in lexemes[end + 1 : end + 5]]
    if following[:1] == ["AS"]:
        body = [word for word in following[1:] if word not in ("NOT", "MATERIALIZED")]
        if body[:1] == ["("] and (not body[1:] or body[1] == "(" or body[1] in functions.heads):
            return True
    if number == 0:
        return False
    before = lexemes[number - 1]
    if before.text == ")" and before.shape is Shape.OPERATOR:
        opening = _opening(lexemes, number - 1)
        return opening > 0 and lexemes[opening - 1].word != "ON"
    source = lexemes[number - 2].word if number > 1 else ""
    lateral = before.word in ("LATERAL", "ONLY", "ROWS", "NOT", "ALL")
    return before.shape in _OPERANDS and source in ("FROM", "JOIN") and not lateral


def _closing(lexemes: Sequence[Lexeme], number: int) -> int:
    depth = 0
    for place in range(number, len(lexemes)):
        if lexemes[place].shape is Shape.OPERATOR:
            depth += (lexemes[place].text == "(") - (lexemes[place].text == ")")
        if depth == 0:
            return place
    return len(lexemes)


def _opening(lexemes: Sequence[Lexeme], number: int) -> int:
    depth = 0
    for place in range(number, -1, -1):
        if lexemes[place].shape is Shape.OPERATOR:
            depth += (lexemes[place].text == ")") - (lexemes[place].text == "(")
        if depth == 0:
            return place
    return 0


def _grows(source: Source, number: int) -> Unsupported | None:
    """Whether a number in the arguments of a call is too large for it."""
    lexemes = source.lexemes
    called, place = lexemes[number].text.upper(), Place.at(source.text, lexemes[number].start)
    for part in lexemes[number + 2 : _closing(lexemes, number + 1)]:
        if part.shape is Shape.STRING and re.search(r"%[^%a-zA-Z]*\d{5}", part.value or ""):
            what = f"a width in {(part.value or '')[:40]!r}: more than {MAX_COUNT} is not evaluated"
            return Unsupported(what, place)
        whole = part.text.isdigit() and len(part.text) <= 9 and int(part.text) <= MAX_COUNT
        if part.shape is Shape.NUMBER and not whole and not re.fullmatch(r"\d{0,6}\.\d*", part.text):
            return Unsupported(f"{part.text[:40]} in {called}: more than {MAX_COUNT} is not evaluated", place)
    return None
