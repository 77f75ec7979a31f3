"""Type-checks one text alone, after the prelude and the preamble, in a process that knows nothing else."""

from __future__ import annotations

import re

from truespec.domains.rocq.context import RocqContext
from truespec.domains.rocq.pair import ascription
from truespec.domains.rocq.screen import Screened
from truespec.domains.rocq.session import Interrupted, OpeningRefused, Session
from truespec.verdict import OracleError, OutOfTime, Place, ReasonCode, SpecificationError

MODULE = "Truespec_text"
CHECK_SECONDS = 20.0
"""How long elaborating one sentence may take."""
CLOSED = "Closed under the global context"
"""What Rocq prints of a term that rests on no axiom."""


def check_preamble(session: Session, context: RocqContext) -> None:
    """Read the preamble; `OracleError` where Rocq refuses it."""
    try:
        session.ready()
    except OpeningRefused as error:
        raise OracleError(f"context: prelude: {error.sentence} {_first_line(error.message)}") from error
    for sentence in context.preamble.sentences:
        reply = session.say(sentence.text, CHECK_SECONDS)
        if not reply.ok:
            raise OracleError(f"context: preamble: {_message(reply.text)}", Place(1, 1 + sentence.offset))


def check_text(session: Session, text: Screened, source: str, context: RocqContext) -> None:
    """Type-check a text in its own module; `SpecificationError` names what Rocq refuses and its place."""
    if "spec" not in (*text.definitions, *text.fixpoints, *text.inductives):
        raise SpecificationError(ReasonCode.SCOPE, "no 'spec' is defined; expected 'Definition spec ... .'")
    try:
        check_preamble(session, context)
        session.say(f"Module {MODULE}.", CHECK_SECONDS)
        for sentence in text.sentences:
            reply = session.say(sentence.text, CHECK_SECONDS)
            if not reply.ok:
                place = Place.at(source, sentence.offset)
                raise SpecificationError(_code(reply.text), _message(reply.text), place)
        ended = session.say(f"End {MODULE}.", CHECK_SECONDS)
        if not ended.ok:
            raise SpecificationError(
                ReasonCode.FORBIDDEN, f"the text leaves a proof open: {_message(ended.text)}"
            )
        ascribed = session.say(ascription("Truespec_ascribed", MODULE, context), CHECK_SECONDS)
        if not ascribed.ok:
            wanted = f"forall {context.signature.binders}, {context.signature.result}"
            raise SpecificationError(
                ReasonCode.TYPE,
                f"'spec' has not the type '{wanted}': {_message(ascribed.text)}",
            )
        closed = session.say("Print Assumptions Truespec_ascribed.", CHECK_SECONDS)
        if not closed.text.strip().endswith(CLOSED):
            raise SpecificationError(
                ReasonCode.FORBIDDEN, f"'spec' rests on axioms: {_first_line(closed.text)}"
            )
    except Interrupted as error:
        raise OutOfTime(f"Rocq did not type-check the text within {CHECK_SECONDS:g} s") from error


def _code(message: str) -> ReasonCode:
    if "Syntax error" in message or "Lexer" in message:
        return ReasonCode.SYNTAX
    if (
        re.search(r"The (reference|variable) \S+\s+was\s+not\s+found", message)
        or "No interpretation for" in message
    ):
        return ReasonCode.SCOPE
    return ReasonCode.TYPE


def _message(text: str) -> str:
    found = text.find("Error:")
    said = text[found + len("Error:") :] if found >= 0 else text
    return " ".join(said.split())[:400]


def _first_line(text: str) -> str:
    return " ".join(text.split())[:300]
