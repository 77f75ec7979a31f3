"""Small terms from which laws are made: what a call may be given, and what may be made of its value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from truespec.domains.rocq.sides import Side, Variable
from truespec.domains.rocq.terms import read_term

TERMS = 14
"""How many terms an argument may be."""
_TESTS = {"ascii": "Ascii.eqb", "Z": "Z.eqb", "nat": "Nat.eqb", "string": "String.eqb"}
_WITH = {
    "nat": (
        "({v} + {c})%nat",
        "({c} - {v})%nat",
        "({v} * {c})%nat",
        "(Nat.max {v} {c})",
        "(Nat.min {v} {c})",
    ),
    "Z": (
        "({v} + {c})%Z",
        "({c} - {v})%Z",
        "({v} - {c})%Z",
        "({v} * {c})%Z",
        "(Z.max {v} {c})",
        "(Z.min {v} {c})",
    ),
    "bool": (
        "(andb {v} {c})",
        "(orb {v} {c})",
        "(xorb {v} {c})",
        "(andb (negb {v}) {c})",
        "(orb (negb {v}) {c})",
    ),
    "string": ("(append {v} {c})", "(append {c} {v})"),
    "list": ("(@app _ {v} {c})", "(@app _ {c} {v})", "(@app _ (@rev _ {v}) {c})"),
    "option": (
        "(match {v} with None => {c} | _ => {v} end)",
        "(match {c} with None => {v} | _ => {c} end)",
    ),
}
"""What is made of a carried value `v` and a call `c` of the same type."""
_OPTION_WITH = "(match {v}, {c} with Some a, Some b => Some ({op} a b) | None, o => o | o, None => o end)"
_OPERATIONS = {"Z": ("Z.max", "Z.min", "Z.add"), "nat": ("Nat.max", "Nat.min", "Nat.add")}
_TURNED = {
    ("nat", "Z"): "(Z.of_nat {c})",
    ("Z", "nat"): "(Z.to_nat {c})",
    ("string", "list ascii"): "(list_ascii_of_string {c})",
    ("list ascii", "string"): "(string_of_list_ascii {c})",
}
"""How a value of one type becomes one of another."""
_OF_ONE = {
    ("bool", "bool"): ("(negb {v})",),
    ("nat", "nat"): ("(S {v})", "(pred {v})"),
    ("Z", "Z"): ("(Z.opp {v})", "({v} + 1)%Z", "({v} - 1)%Z"),
    ("bool", "nat"): ("(if {v} then 1 else 0)%nat",),
    ("bool", "Z"): ("(if {v} then 1 else 0)%Z",),
    ("nat", "Z"): ("(Z.of_nat {v})",),
    ("Z", "nat"): ("(Z.to_nat {v})",),
    ("list", "list"): ("(@rev _ {v})",),
    ("list", "nat"): ("(@length _ {v})",),
    ("list", "bool"): (
        "(match {v} with nil => true | _ => false end)",
        "(match {v} with nil => false | _ => true end)",
    ),
    ("option", "bool"): (
        "(match {v} with None => true | _ => false end)",
        "(match {v} with None => false | _ => true end)",
    ),
}
"""What is made of one carried value, by the heads of its type and of the type that is wanted."""

_NOTHING = {"list": "nil", "nat": "0%nat", "Z": "0%Z", "bool": "false", "option": "None"}
"""What there is of nothing."""


def constants_of(variables: Iterable[Variable]) -> dict[str, list[str]]:
    """From what is started, by type."""
    found: dict[str, list[str]] = {}
    for one in variables:
        if one.closed and one.instance not in found.setdefault(plain(one.type), []):
            found[plain(one.type)].append(one.instance)
    return found


def plain(type_: str) -> str:
    """A type without parentheses around it."""
    read = read_term(type_)
    return type_ if read is None else _outside(read.text)


def _outside(text: str) -> str:
    return text[1:-1] if text.startswith("(") else text


def _applied(type_: str) -> tuple[str, list[str]]:
    """The head of a type and what it is applied to."""
    read = read_term(type_)
    if read is None or not read.arguments:
        return type_, []
    return read.head, [_outside(one.text) for one in read.arguments]


def given(wanted: Variable, left: Side, constants: Mapping[str, list[str]]) -> list[str]:
    """What the right side may get for an argument, by what the left one takes; the plainest first."""
    type_ = plain(wanted.type)
    alike = [one for one in left.variables if plain(one.type) == type_]
    same = [one.name for one in alike if one.instance == wanted.instance]
    if wanted.closed:
        carried = [one for one in left.variables if one.closed] or list(left.variables)
        found = [*same, wanted.instance, *_carried_terms(type_, carried, constants)]
        return list(dict.fromkeys(found))[:TERMS]
    if not same:
        same = [name for name, _ in left.fixed if name == wanted.instance]
    steps = [
        f"(S {one.name})" if wanted.instance == f"(S {one.instance})" else f"(pred {one.name})"
        for one in alike
        if f"(S {one.instance})" == wanted.instance or f"(S {wanted.instance})" == one.instance
    ]
    others = [one.name for one in alike if not one.closed and one.name not in same]
    found = [*same, *steps, *([] if same or steps else others)]
    moved = [term for name in found[:1] for term in _moved(name, type_, left.variables)]
    return list(dict.fromkeys([*found, *moved]))[:TERMS]


def _moved(name: str, type_: str, carried: Sequence[Variable]) -> Iterator[str]:
    """A scanned value with one that is carried before it, behind it, or taken off."""
    head, of = _applied(type_)
    for one in carried:
        if not one.closed:
            continue
        if plain(one.type) == type_:
            for form in _WITH.get(head, ())[:3] if head in {"nat", "Z", "list", "string"} else ():
                yield form.format(v=one.name, c=name)
        elif of == [plain(one.type)] and head == "list":
            yield f"(@cons _ {one.name} {name})"


def _carried_terms(
    type_: str, carried: Sequence[Variable], constants: Mapping[str, list[str]]
) -> Iterator[str]:
    """Small terms of a type over what is carried."""
    head, of = _applied(type_)
    yield from (one.name for one in carried if plain(one.type) == type_)
    for one in carried:
        own = plain(one.type)
        own_head, own_of = _applied(own)
        if own_head == "list" and head == "list" and own != type_:
            continue
        for form in _OF_ONE.get((own_head, head), ()):
            yield form.format(v=one.name)
        if type_ == "bool" and own in _TESTS:
            for constant in constants.get(own, ()):
                yield f"(negb ({_TESTS[own]} {one.name} {constant}))"
                yield f"({_TESTS[own]} {one.name} {constant})"
        if of == [own] and head in {"option", "list"}:
            yield f"(Some {one.name})" if head == "option" else f"(@cons _ {one.name} nil)"
        if own_head in {"prod", "@prod"}:
            yield from (
                f"({part} {one.name})"
                for part, is_of in zip(("fst", "snd"), own_of, strict=True)
                if is_of == type_
            )
    yield from constants.get(type_, ())


def _where_less(call: str, head: str, carried: Sequence[Variable]) -> Iterator[str]:
    """A call of a difference where that is one, and what there is nothing of elsewhere."""
    if head in _NOTHING:
        for less, name in re.findall(r"\((\w+) - (\w+)\)%nat", call):
            if any(one.name == name for one in carried):
                yield f"(if Nat.leb {name} {less} then {call} else {_NOTHING[head]})"


def made_of(call: str, from_: str, to: str, carried: Sequence[Variable]) -> Iterator[str]:
    """What may be made of the value of a call, with what is carried."""
    own, type_ = plain(from_), plain(to)
    if own != type_:
        if (own, type_) not in _TURNED:
            return
        call = _TURNED[own, type_].format(c=call)
    head, of = _applied(type_)
    yield call
    yield from _where_less(call, head, carried)
    for one in carried:
        value, has = one.name, plain(one.type)
        if has == type_:
            yield from (form.format(v=value, c=call) for form in _WITH.get(head, ()))
            if head == "option":
                for operation in _OPERATIONS.get(of[0], ()):
                    yield _OPTION_WITH.format(v=value, c=call, op=operation)
        elif of == [has] and head == "list":
            yield f"(@cons _ {value} {call})"
            yield from (f"(@map _ _ ({operation} {value}) {call})" for operation in _OPERATIONS.get(has, ()))
        elif of == [has] and head == "option":
            yield from (
                f"(@option_map _ _ ({operation} {value}) {call})" for operation in _OPERATIONS.get(has, ())
            )
        elif has == "bool" and head in {"nat", "Z"}:
            yield f"((if {value} then 1 else 0) + {call})%{head}"
            yield f"({call} - (if {value} then 1 else 0))%{head}"
    if head == "list":
        yield f"(@rev _ {call})"
    if head == "bool":
        yield f"(negb {call})"
