"""Type-checks one text alone, after the prelude and the preamble, in a process that knows nothing else."""

from __future__ import annotations

import re
import time

from truespec.domains.rocq.context import RocqContext
from truespec.domains.rocq.pair import ascription
from truespec.domains.rocq.screen import Screened
from truespec.domains.rocq.session import Interrupted, OpeningRefused, Reply, Session
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
        reply = _say(session, sentence.text)
        if not reply.ok:
            raise OracleError(f"context: preamble: {_message(reply.text)}", Place(1, 1 + sentence.offset))


def check_text(session: Session, text: Screened, source: str, context: RocqContext) -> None:
    """Type-check a text in its own module; `SpecificationError` names what Rocq refuses and its place."""
    if "spec" not in (*text.definitions, *text.fixpoints, *text.inductives):
        raise SpecificationError(ReasonCode.SCOPE, "no 'spec' is defined; expected 'Definition spec ... .'")
    try:
        check_preamble(session, context)
        _say(session, f"Module {MODULE}.")
        for sentence in text.sentences:
            reply = _say(session, sentence.text)
            if not reply.ok:
                place = Place.at(source, sentence.offset)
                raise SpecificationError(_code(reply.text), _message(reply.text), place)
        ended = _say(session, f"End {MODULE}.")
        if not ended.ok:
            raise SpecificationError(
                ReasonCode.FORBIDDEN, f"the text leaves a proof open: {_message(ended.text)}"
            )
        ascribed = _say(session, ascription("Truespec_ascribed", MODULE, context))
        if not ascribed.ok:
            wanted = f"forall {context.signature.binders}, {context.signature.result}"
            raise SpecificationError(
                ReasonCode.TYPE,
                f"'spec' has not the type '{wanted}': {_message(ascribed.text)}",
            )
        closed = _say(session, "Print Assumptions Truespec_ascribed.")
        if not closed.text.strip().endswith(CLOSED):
            raise SpecificationError(
                ReasonCode.FORBIDDEN, f"'spec' rests on axioms: {_first_line(closed.text)}"
            )
    except Interrupted as error:
        if time.monotonic() >= session.until:
            raise OutOfTime("the limit ended before Rocq had type-checked the text") from error
        raise OutOfTime(f"Rocq did not type-check a sentence within {CHECK_SECONDS:g} s") from error


def _say(session: Session, sentence: str) -> Reply:
    """Hand over one sentence, under the limit of the pair and of one sentence."""
    return session.say(sentence, min(CHECK_SECONDS, session.until - time.monotonic()))


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
