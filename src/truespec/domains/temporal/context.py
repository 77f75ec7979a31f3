"""What a pair is read against: the logic, the atoms, the words in scope, and the notation."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from truespec.domains.temporal.parse import parse_infix, parse_prefix
from truespec.temporal.syntax import Formula, at_most_one, atoms, conjunction, parts
from truespec.verdict import OracleError, ReasonCode, SpecificationError, TruespecError

LOGICS = ("ltlf", "ltl")
SYNTAXES = ("infix", "prefix")


@dataclass(frozen=True, slots=True)
class Context:
    """How both texts of a pair are read, and on which words they are compared."""

    finite: bool
    """Whether words are finite non-empty traces (`ltlf`); else they are infinite (`ltl`)."""
    atoms: tuple[str, ...]
    """The atoms; no text may use another one."""
    scope: Formula
    """What holds of every word in scope: the assumptions and the exclusive groups."""
    syntax: str
    """`infix` or `prefix`."""


def read(raw: Mapping[str, object], oracle: str) -> Context:
    """The context of a pair; without `atoms` they are those of the oracle and the assumptions.

    `OracleError` names the field that is wrong; `SpecificationError` the place where the oracle is.
    """
    finite = _choice(raw, "logic", LOGICS) == "ltlf"
    syntax = _choice(raw, "syntax", SYNTAXES)
    declared = _names(raw.get("atoms"), "atoms")
    groups = _groups(raw.get("exclusive"))
    assumptions = []
    for number, text in enumerate(_names(raw.get("assumptions"), "assumptions") or (), 1):
        try:
            assumptions.append(_formula(text, syntax, finite))
        except TruespecError as error:
            raise OracleError(f"context: assumption {number}: {error}") from error
    names = declared
    if names is None:
        sources = [_formula(oracle, syntax, finite), *assumptions]
        names = tuple(dict.fromkeys(name for source in sources for name in atoms(source)))
    for number, assumption in enumerate(assumptions, 1):
        _check_scope(f"assumption {number}", atoms(assumption), names)
    for number, group in enumerate(groups, 1):
        _check_scope(f"exclusive group {number}", list(group), names)
    scope = conjunction([*assumptions, *(at_most_one(group) for group in groups)])
    return Context(finite, names, scope, syntax)


def parse(text: str, context: Context) -> Formula:
    """The formula of a text over the atoms of the context."""
    found = _formula(text, context.syntax, context.finite)
    for name in atoms(found):
        if name not in context.atoms:
            near = difflib.get_close_matches(name[:60], context.atoms, 1, 0.6)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            known = ", ".join(context.atoms[:20]) or "none"
            raise SpecificationError(
                ReasonCode.SCOPE, f"the atom {name!r:.60} is not declared{hint}; the atoms are {known}"
            )
    return found


def _formula(text: str, syntax: str, finite: bool) -> Formula:
    found = parse_infix(text) if syntax == "infix" else parse_prefix(text)
    if not finite and any(part.op == "N" for part in parts(found)):
        raise SpecificationError(
            ReasonCode.FORBIDDEN, "N (weak next) is an operator of finite traces; on infinite words write X"
        )
    return found


def _choice(raw: Mapping[str, object], field: str, allowed: tuple[str, ...]) -> str:
    value = raw.get(field)
    if value is None:
        return allowed[0]
    if value not in allowed:
        raise OracleError(f"context: {field!r} is {value!r:.60}, expected one of {', '.join(allowed)}")
    return str(value)


def _names(value: object, field: str) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) and one for one in value):
        raise OracleError(f"context: {field!r} is a list of strings, not {value!r:.60}")
    return tuple(dict.fromkeys(value))


def _groups(value: object) -> list[tuple[str, ...]]:
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise OracleError(f"context: 'exclusive' is a list of lists of atoms, not {value!r:.60}")
    return [_names(group, "exclusive") or () for group in value]


def _check_scope(where: str, used: list[str], names: tuple[str, ...]) -> None:
    for name in used:
        if name not in names:
            known = ", ".join(names[:20]) or "none"
            raise OracleError(f"context: {where}: {name!r:.60} is not an atom; the atoms are {known}")
