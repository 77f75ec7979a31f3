"""From a pair of texts to a verdict: the one place where what a domain raises becomes an answer."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.domains.context import check_context, context_schema, without_nulls
from truespec.domains.contract import Domain, RawContext
from truespec.domains.registry import load
from truespec.solvers.limit import Limit, present
from truespec.verdict import (
    ContextError,
    OracleError,
    ReasonCode,
    SpecificationError,
    TruespecError,
    Undecided,
    UsageError,
    Verdict,
    invalid,
    unknown,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """An oracle, a candidate and what both are read against."""

    domain: str
    """Which language."""
    oracle: str
    """The reference specification."""
    candidate: str
    """The specification under test."""
    context: RawContext = field(default_factory=dict)
    """Declarations and options of the domain; plain JSON values, nested at most `CONTEXT_DEPTH` deep.

    A field whose value is null counts as absent and is left out.
    """

    def __post_init__(self) -> None:
        for label, text in (("oracle", self.oracle), ("candidate", self.candidate)):
            if not isinstance(text, str):
                raise UsageError(f"the {label} is a string, not {type(text).__name__}")
        if not isinstance(self.context, Mapping):
            raise UsageError(f"the context is a mapping, not {type(self.context).__name__}")
        _check_json(self.context)
        object.__setattr__(self, "context", without_nulls(self.context))


CONTEXT_DEPTH = 50
"""Deeper contexts are refused: they would overflow what packs them for the worker."""


def _check_json(context: RawContext) -> None:
    """Raise `UsageError` for a context that JSON cannot write or that nests too deeply."""
    level: list[object] = [context]
    for _ in range(CONTEXT_DEPTH):
        below: list[object] = []
        for value in level:
            if isinstance(value, Mapping):
                if not all(isinstance(name, str) for name in value):
                    raise UsageError("the names in a context are strings")
                below.extend(value.values())
            elif isinstance(value, list | tuple):
                below.extend(value)
            elif not isinstance(value, str | int | float | None):
                raise UsageError(f"a context holds JSON values, not {type(value).__name__}")
        if not below:
            return
        level = below
    raise UsageError(f"the context is nested more than {CONTEXT_DEPTH} deep")


TEXT_CHARACTERS = 100_000
"""Longer specifications are not read: parsing has no limit of its own and takes up to 10 µs per character."""


def refused(pair: Pair) -> Verdict | None:
    """The verdict on a pair that is too large to be read, which takes no worker; None for any other."""
    for side, text in (("oracle", pair.oracle), ("candidate", pair.candidate)):
        if len(text) > TEXT_CHARACTERS:
            detail = f"{side}: {len(text)} characters, more than the {TEXT_CHARACTERS} that are read"
            return unknown(pair.domain, ReasonCode.UNSUPPORTED, detail, method="parse")
    return None


def verify_pair(pair: Pair, seconds: float) -> Verdict:
    """The verdict on a pair, with its wall time; never raises for anything the texts can cause.

    `seconds` is the wall limit that the domain's own code honours. Whatever ignores it is ended by the
    worker pool (`executors/pool.py`).
    """
    if verdict := refused(pair):
        return verdict.within(environment_of(pair))
    try:
        domain = load(pair.domain)
        context_schema(pair.domain)
    except UsageError as error:  # of another package, and broken
        return unknown(pair.domain, ReasonCode.UNAVAILABLE, str(error))
    domain.set_up(pair.context)
    limit = Limit.start(seconds)
    with present(limit):
        verdict = _verify(domain, pair, limit).within(environment_of(pair))
    if verdict.reason is None or verdict.reason.code is not ReasonCode.CONTEXT:
        verdict = verdict.assuming(domain.assumed(pair.context))
    return verdict.timed(time.monotonic() - limit.started)


def environment_of(pair: Pair) -> Mapping[str, str]:
    """What a verdict on this pair depends on besides its texts; empty where the context cannot be read."""
    try:
        return load(pair.domain).environment(pair.context)
    except (TruespecError, TypeError, ValueError, LookupError):
        return {}


def _verify(domain: Domain[Any, Any], pair: Pair, limit: Limit) -> Verdict:
    name = domain.name
    try:
        check_context(name, pair.context)
    except ContextError as error:
        return unknown(name, ReasonCode.CONTEXT, str(error), method="parse")
    try:
        # An unusable oracle comes before everything: it blames nobody's candidate.
        undecided_oracle: Undecided | None = None
        oracle = None
        try:
            context = domain.read_context(pair.context, pair.oracle)
            oracle = domain.parse(pair.oracle, context)
        except SpecificationError as error:
            return unknown(name, ReasonCode.ORACLE, f"oracle: {error}", method="parse")
        except OracleError as error:
            return unknown(name, ReasonCode.ORACLE, str(error), method="parse")
        # A candidate outside the language is invalid even beside an oracle that cannot be decided.
        except Undecided as error:
            undecided_oracle = error
            context = domain.read_context(pair.context, pair.oracle)
        limit.check()
        try:
            candidate = domain.parse(pair.candidate, context)
        except SpecificationError as error:
            return invalid(name, error.code, f"candidate: {error}")
        except Undecided as error:
            side = "oracle" if undecided_oracle else "candidate"
            return unknown(name, error.code, f"{side}: {undecided_oracle or error}", method="parse")
        if undecided_oracle:
            return unknown(name, undecided_oracle.code, f"oracle: {undecided_oracle}", method="parse")
        return domain.decide(oracle, candidate, context, limit)
    except OracleError as error:
        return unknown(name, ReasonCode.ORACLE, str(error))
    except Undecided as error:
        return unknown(name, error.code, str(error))
    except MemoryError:
        return unknown(name, ReasonCode.MEMORY, "the worker's memory cap was reached")
    except RecursionError:
        return unknown(name, ReasonCode.MEMORY, "the specification is nested too deeply for this verifier")
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        detail = (
            f"{type(error).__name__}: {error} ({where.name}, line {where.lineno}); please report this pair"
        )
        return unknown(name, ReasonCode.CRASH, detail)
