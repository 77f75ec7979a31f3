"""Whether the dialect's real engine accepts a text, and where it objects."""

from __future__ import annotations

import hashlib
import re
from weakref import WeakKeyDictionary

from sqlglot import TokenType

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.contract import Engine, Rejection, Settings, Stopped
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.functions.catalogue import words
from truespec.domains.sql.schema import Schema
from truespec.domains.sql.written import tokens_of
from truespec.verdict import Incomplete, OracleError, Place, SpecificationError

_MODES = words(
    """
    ONLY_FULL_GROUP_BY STRICT_TRANS_TABLES STRICT_ALL_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE
    ERROR_FOR_DIVISION_BY_ZERO NO_AUTO_CREATE_USER NO_ENGINE_SUBSTITUTION HIGH_NOT_PRECEDENCE
    NO_UNSIGNED_SUBTRACTION SIMULTANEOUS_ASSIGNMENT TIME_ROUND_FRACTIONAL
    """
)
"""Modes that change no lexical rule: with PIPES_AS_CONCAT or ANSI_QUOTES one text would read as another."""


def read_settings(raw: object, dialect: str) -> Settings:
    """The session settings of a context; `OracleError` names what is not understood."""
    if raw is None:
        return Settings()
    if not isinstance(raw, dict):
        raise OracleError(f"settings: an object was expected, not {type(raw).__name__}")
    mode = raw.get("sql_mode")
    if mode is None:
        return Settings()
    if not DIALECTS[dialect].has_sql_mode:
        raise OracleError(f"settings: sql_mode is a setting of MariaDB, and the dialect is {dialect}")
    if not isinstance(mode, str):
        raise OracleError("settings: sql_mode is a text such as 'ONLY_FULL_GROUP_BY'")
    names = [name.strip().upper() for name in mode.split(",") if name.strip()]
    strange = [name for name in names if name not in _MODES]
    if strange:
        raise OracleError(f"settings: sql_mode {', '.join(strange)} is not supported")
    return Settings(sql_mode=",".join(names))


MAX_ACCEPTED = 5_000
"""How many accepted texts are remembered of an engine."""
_accepted: WeakKeyDictionary[Engine, set[bytes]] = WeakKeyDictionary()


def accept(text: str, schema: Schema, settings: Settings) -> None:
    """Raise `SpecificationError` with the engine's message and its place when it does not accept a query.

    `ToolMissing` where the engine is not installed, `OracleError` where it refuses the schema. An engine is
    not asked again what it accepted before, as an oracle beside many candidates, unless a pair begins there.
    """
    target = engine(schema.dialect)
    known = _accepted.setdefault(target, set())
    key = hashlib.sha256(repr((schema.ddl, settings, text)).encode()).digest()
    if key in known and not target.begins_pairs:
        return
    try:
        rejection = target.check(text, schema, settings)
    except Stopped as stopped:
        raise Incomplete(str(stopped)) from stopped
    if rejection is None:
        if len(known) >= MAX_ACCEPTED:
            known.clear()
        known.add(key)
    else:
        raise SpecificationError(rejection.code, rejection.message, locate(text, rejection, schema.dialect))


def locate(text: str, rejection: Rejection, dialect: str = "mysql") -> Place | None:
    """The place that a message means: the offset or the words that it names; None where it names none.

    >>> from truespec.verdict import ReasonCode
    >>> locate("select a, x from t", Rejection(ReasonCode.SCOPE, "Unknown column 't.x' in 'SELECT'"))
    Place(line=1, column=11)
    """
    if rejection.offset is not None:
        return Place.at(text, rejection.offset)
    near = re.search(r"near '(.*)' at line (\d+)$", rejection.message, re.DOTALL)
    if near:  # what is left of the text, or its beginning
        found = (
            [Place.at(text, hit.start()) for hit in re.finditer(re.escape(near[1]), text)] if near[1] else []
        )
        on_line = [place for place in found if place.line == int(near[2])]
        return (on_line or found or [Place.at(text, len(text))])[-1]
    named = _NAMED.search(rejection.message)
    if named is None:
        return None
    *qualifiers, name = str(named["name"]).lower().split(".")
    tokens = tokens_of(text, dialect)
    words = [token.text.lower() for token in tokens]
    hits = [
        n for n, word in enumerate(words) if word == name and tokens[n].token_type is not TokenType.STRING
    ]
    if qualifiers:
        full = [n for n in hits if words[max(0, n - 2) : n] == [qualifiers[-1], "."]]
        hits = [n - 2 for n in full] or hits
    if "able" in named["what"]:
        hits = [n for n in hits if n and words[n - 1] in ("from", "join", ",", ".", "(")]
    elif "column" not in named["what"].lower():
        hits = [n for n in hits if words[n + 1 : n + 2] == ["("]]
    return Place.at(text, tokens[hits[0]].start) if hits else None


_NAMED = re.compile(
    r"(?P<what>column name|[Cc]olumn|[Tt]able|[Ff]unction|FUNCTION|routine):? [\"']?(?P<name>[^\s\"']+)"
)
