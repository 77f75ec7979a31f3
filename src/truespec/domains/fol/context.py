"""What a pair is read against: the signature, the axioms, and whether a renaming is searched for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from truespec.domains.fol.parse import Parsed, parse
from truespec.domains.fol.syntax import Formula
from truespec.domains.fol.tokens import show
from truespec.verdict import OracleError, Place, ReasonCode, SpecificationError, TruespecError


@dataclass(frozen=True, slots=True)
class Context:
    """The signature, the axioms and the options of a pair."""

    predicates: Mapping[str, int]
    """Each predicate with its arity."""
    constants: tuple[str, ...]
    """The constants, in order."""
    declared: frozenset[str]
    """The constants that the context declares itself: they are no variables, even if they look so."""
    axioms: tuple[Formula, ...] = ()
    """What holds in every model in scope."""
    axiom_texts: tuple[str, ...] = ()
    """The axioms as written."""
    renaming: bool = False
    """Whether to search for a renaming of the candidate's symbols."""


def read(raw: Mapping[str, object], oracle: str) -> Context:
    """The context of a pair; whatever it does not declare is read off the oracle and the axioms.

    `OracleError` names the field that is wrong.
    """
    predicates = _predicates(raw.get("predicates"))
    constants = _constants(raw.get("constants"))
    declared = frozenset(constants or ())
    axiom_texts = _axioms(raw.get("axioms"))
    renaming = raw.get("renaming")
    if renaming not in (None, "search"):
        raise OracleError(f"context: 'renaming' is 'search' or absent, not {renaming!r:.60}")
    parsed_axioms = []
    for number, text in enumerate(axiom_texts, 1):
        try:
            parsed_axioms.append(parse(text, declared))
        except TruespecError as error:
            raise OracleError(f"context: axiom {number}: {error}") from error
    sources = [*parsed_axioms, parse(oracle, declared)]
    context = Context(
        predicates=_read_predicates(sources) if predicates is None else predicates,
        constants=tuple(dict.fromkeys(name for one in sources[::-1] for name in one.constants))
        if constants is None
        else constants,
        declared=declared,
        axioms=tuple(one.formula for one in parsed_axioms),
        axiom_texts=axiom_texts,
        renaming=renaming == "search",
    )
    for number, one in enumerate(parsed_axioms, 1):
        problem = out_of_scope(one, context)
        if problem:
            raise OracleError(f"context: axiom {number}: {problem}")
    return context


def _predicates(field: object) -> dict[str, int] | None:
    if field is None:
        return None
    if not isinstance(field, Mapping):
        raise OracleError("context: 'predicates' maps names to arities, e.g. {\"Likes\": 2}")
    for name, arity in field.items():
        if not _is_name(name):
            raise OracleError(f"context: the predicate {show(str(name))} is not a name of the language")
        if isinstance(arity, bool) or not isinstance(arity, int) or arity < 0:
            raise OracleError(f"context: the arity of {show(name)} is a number from 0, not {arity!r:.60}")
    return dict(field)


def _constants(field: object) -> tuple[str, ...] | None:
    if field is None:
        return None
    if not isinstance(field, list | tuple):
        raise OracleError("context: 'constants' is a list of names, e.g. [\"anna\"]")
    for name in field:
        if not _is_name(name):
            raise OracleError(f"context: the constant {show(str(name))} is not a name of the language")
    return tuple(dict.fromkeys(field))


def _axioms(field: object) -> tuple[str, ...]:
    if field is None:
        return ()
    if not isinstance(field, list | tuple) or not all(isinstance(text, str) for text in field):
        raise OracleError("context: 'axioms' is a list of formulas")
    return tuple(field)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name) and all(char.isalnum() or char == "_" for char in name)


def _read_predicates(sources: list[Parsed]) -> dict[str, int]:
    found: dict[str, int] = {}
    for source in reversed(sources):
        for (name, arity), offset in source.predicates.items():
            if found.setdefault(name, arity) != arity:
                counts = f"{arity} {_arguments(arity)} here and {found[name]} elsewhere"
                message = f"the predicate {show(name)} has {counts}"
                raise SpecificationError(ReasonCode.TYPE, message, Place.at(source.text, offset))
    return found


def out_of_scope(parsed: Parsed, context: Context) -> SpecificationError | None:
    """What the formula uses beyond the signature: the first such name in the text, with a near-miss hint."""
    problems: list[tuple[int, str]] = []
    for (name, arity), offset in parsed.predicates.items():
        expected = context.predicates.get(name)
        if expected is None:
            problems.append((offset, _unknown("predicate", name, context.predicates, context.constants)))
        elif expected != arity:
            problems.append(
                (
                    offset,
                    f"the predicate {show(name)} takes {expected} {_arguments(expected)}, not {arity}",
                )
            )
    known = frozenset(context.constants)
    for name, offset in parsed.constants.items():
        if name not in known:
            problems.append((offset, _unknown("constant", name, context.constants, context.predicates)))
    if not problems:
        return None
    offset, message = min(problems)
    return SpecificationError(ReasonCode.SCOPE, message, Place.at(parsed.text, offset))


def _arguments(arity: int) -> str:
    return "argument" if arity == 1 else "arguments"


def _unknown(kind: str, name: str, known: Mapping[str, int] | tuple[str, ...], others: object) -> str:
    message = f"unknown {kind} {show(name)}"
    names = list(known)
    folded = [other for other in names if other.casefold() == name.casefold()]
    if folded:
        return f"{message}: did you mean {show(folded[0])}? Names are case-sensitive"
    if isinstance(others, Mapping | tuple) and name in others:
        other_kind = "constant" if kind == "predicate" else "predicate"
        return f"{message}: {show(name)} is a {other_kind} here"
    near = difflib.get_close_matches(name[:60], names[:500], 1, 0.7)
    if near:
        return f"{message}: did you mean {show(near[0])}?"
    listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{message}: the {kind}s are {listed}" if names else f"{message}: there are no {kind}s here"
