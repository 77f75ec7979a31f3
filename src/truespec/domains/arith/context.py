"""The context of a pair: typed variables and public constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from truespec.domains.arith.lower import lower
from truespec.domains.arith.syntax import FUNCTIONS, is_name, normal_name, read
from truespec.domains.arith.terms import Arena, Term
from truespec.verdict import OracleError, SpecificationError, Undecided

MAX_VARIABLES = 200
"""More variables are not read."""


@dataclass(frozen=True, slots=True)
class Context:
    """What both sides are read against."""

    variables: Mapping[str, str]
    """Name to `int` or `real`."""
    constraints: tuple[Term, ...]
    """What every point in scope satisfies, defined and true."""
    texts: tuple[str, ...]
    """The constraints as written."""
    arena: Arena
    """Where the terms live."""
    boolean: bool | None = None
    """Whether the oracle is a condition; None where it could not be read."""
    parsed: dict[str, Term] = field(default_factory=dict)
    """Texts read so far."""
    memo: list[object] = field(default_factory=list)
    """What the verifier remembers of this context."""


def read_context(raw: Mapping[str, object]) -> Context:
    """Check a raw context; `OracleError` names the field that is wrong."""
    if not isinstance(raw, Mapping):
        raise OracleError("the context is not an object")
    variables = _variables(raw.get("variables", {}))
    texts = raw.get("constraints", [])
    if not isinstance(texts, list | tuple):
        raise OracleError(f"context field 'constraints' is a list of texts, not {_kind(texts)}")
    arena = Arena()
    constraints: list[Term] = []
    for position, text in enumerate(texts):
        where = f"context field 'constraints[{position}]'"
        if not isinstance(text, str):
            raise OracleError(f"{where} is a text, not {_kind(text)}")
        try:
            term = lower(read(text), variables, arena)
        except SpecificationError as error:
            raise OracleError(f"{where}: {error}") from error
        except Undecided as error:
            raise type(error)(f"{where}: {error}") from error
        if not term.boolean:
            raise OracleError(f"{where} is a number, not a condition: {text[:80]!r}")
        constraints.append(term)
    return Context(variables, tuple(constraints), tuple(texts), arena)


def _variables(raw: object) -> dict[str, str]:
    if not isinstance(raw, Mapping):
        raise OracleError(f"context field 'variables' maps names to types, not {_kind(raw)}")
    if len(raw) > MAX_VARIABLES:
        raise OracleError(
            f"context field 'variables' declares {len(raw)} variables; at most {MAX_VARIABLES} are read"
        )
    variables: dict[str, str] = {}
    for name, declaration in raw.items():
        where = f"context field 'variables[{str(name)[:60]!r}]'"
        if not isinstance(name, str) or not is_name(name):
            taken = f"; {name!r} is a function" if isinstance(name, str) and name in FUNCTIONS else ""
            raise OracleError(f"{where} is not a variable's name{taken}")
        if not isinstance(declaration, Mapping):
            raise OracleError(f"{where} is an object such as {{'type': 'int'}}, not {_kind(declaration)}")
        kind = declaration.get("type", "int")
        if kind not in ("int", "real"):
            raise OracleError(f"{where} has the type {str(kind)[:40]!r}; expected 'int' or 'real'")
        if normal_name(name) in variables:
            raise OracleError(f"{where} is declared twice: Python reads both spellings as one name")
        variables[normal_name(name)] = str(kind)
    return variables


def _kind(value: object) -> str:
    return "null" if value is None else f"a {type(value).__name__}"
