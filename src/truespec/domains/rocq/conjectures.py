"""Equations between the two sides in general form, suggested by samples and proved by induction.

A side is made general by a variable in place of each argument of its calls (`sides.py`). What a general side
may be, in terms of the other, is enumerated (`combining.py`); the kernel's virtual machine keeps what agrees
at all samples. `theories/Conjectured.v` proves such a law by induction and the pair's theorem by it: samples
only suggest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, product

from truespec.domains.rocq.combining import constants_of, given, made_of
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.instances import search_instances
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.refuter import declared
from truespec.domains.rocq.sampling import fuel_of
from truespec.domains.rocq.sides import Side, sides
from truespec.domains.rocq.terms import names_in
from truespec.verdict import Incomplete

SUGGESTED = "by_suggested"
"""The tactic that proves a law and then, by it, the theorem."""
OPENING_SECONDS = 0.3
"""Processor seconds in which the sides are read."""
SAMPLING_SECONDS = 0.3
"""Processor seconds in which terms are compared at samples."""
LAW_SECONDS = 0.7
"""Processor seconds in which a law is proved and used."""
SECONDS = 0.7
"""Processor seconds after which no other law is tried."""
CANDIDATES = 150
"""How many right sides of laws are tried at samples, the shortest first."""
SAMPLES = 160
"""At how many, roughly."""
LAWS = 3
"""How many of those that agree are tried for each two sides."""
CHUNK = 100
"""How many right sides are asked about at once."""


def conjectured(dialogue: Dialogue, layout: Layout, theorem: str) -> str | None:
    """A law by which Rocq finds a proof of the theorem, which is left to be closed by `Qed`; or None."""
    session = dialogue.session
    before, began = session.state, session.worked()
    found = sides(dialogue, layout, theorem, OPENING_SECONDS)
    dialogue.may(f"BackTo {before}.")
    if not found:
        return None
    _know_types(dialogue, layout)
    for one, other in found:
        both = (_laws(dialogue, layout, *sided) for sided in ((one, other), (other, one)))
        for law in sorted(law for laws in both for law in laws):
            if session.worked() - began > SECONDS:
                dialogue.may(f"BackTo {before}.")
                return None
            dialogue.must(theorem)
            if dialogue.tries(f"{SUGGESTED} ({law.text}).", LAW_SECONDS):
                return law.text
            dialogue.must("Abort.")
    dialogue.may(f"BackTo {before}.")
    return None


def _know_types(dialogue: Dialogue, layout: Layout) -> None:
    """How the types of the texts are enumerated and compared."""
    if layout.declared():
        dialogue.must("Import Truespec.Data.")
    for family in declared(dialogue, layout):
        for attempt in islice(search_instances(family), 2):
            dialogue.attempt(attempt)


@dataclass(frozen=True, order=True, slots=True)
class _Law:
    """A law, by the order in which laws are tried."""

    plain: bool
    """Whether nothing is carried by the left side."""
    inside: int
    """How much of what is carried the right call gets."""
    length: int
    """That of the right side."""
    text: str
    """The law."""


def _laws(dialogue: Dialogue, layout: Layout, left: Side, right: Side) -> list[_Law]:
    """What samples suggest to hold for all values."""
    terms = _right_sides(left, right)
    binders = " ".join(f"({name} : {type_})" for name, type_ in left.parameters())
    plain = not any(one.closed for one in left.variables)
    laws = [
        _Law(plain, terms[term], len(term), f"forall {binders}, {left.body} = {term}")
        for term in _agreeing(dialogue, layout, left, list(terms))
    ]
    return sorted(laws)[:LAWS]


def _right_sides(left: Side, right: Side) -> dict[str, int]:
    """What the left side may be, by the right one, each with how much of what is carried its call gets."""
    known = {name for name, _ in left.fixed}
    known |= {one.instance for one in left.variables}
    if any(name not in known for name, _ in right.fixed):
        return {}
    right = right.under({one.instance: one.name for one in left.variables})
    constants = constants_of((*left.variables, *right.variables))
    carried = {one.name for one in left.variables if one.closed}
    each = [given(one, left, constants) for one in right.variables]
    found = dict[str, int]()
    for arguments in islice(product(*each), 4 * CANDIDATES):
        inside = sum(name in carried for argument in arguments for name in names_in(argument))
        for term in made_of(right.at(arguments), right.type, left.type, left.variables):
            found.setdefault(term, inside)
    return {term: found[term] for term in sorted(found, key=len)[:CANDIDATES]}


def _agreeing(dialogue: Dialogue, layout: Layout, left: Side, terms: list[str]) -> list[str]:
    """Those of the terms that agree with the left side at all samples."""
    parameters = left.parameters()
    if not parameters or not terms:
        return []
    fuel = fuel_of(layout, 2 if layout.declared() else 3)
    each = max(4, int(SAMPLES ** (1 / len(parameters))))
    pattern, type_, tuples = "", "", ""
    for name, of in parameters:
        some = f"(Coq.Lists.List.firstn {each}%nat (Truespec.Sample.sample {of} {fuel}))"
        pattern = f"({pattern}, {name})" if pattern else name
        type_ = f"(Coq.Init.Datatypes.prod {type_} {of})" if type_ else of
        tuples = f"(Coq.Lists.List.list_prod {tuples} {some})" if tuples else some
    quote = "'" if len(parameters) > 1 else ""
    at = f"fun Truespec_p : {type_} => let {quote}{pattern} := Truespec_p in"
    values = f"(Coq.Lists.List.map ({at} (Truespec_p, {left.body})) {tuples})"
    found = list[str]()
    for start in range(0, len(terms), CHUNK):
        part = terms[start : start + CHUNK]
        listed = "; ".join(f"({at} {term})" for term in part)
        try:
            said = dialogue.must(
                f"Eval vm_compute in (Truespec.Conjectured.agreeing 0%nat {values} [{listed}]%list).",
                SAMPLING_SECONDS,
            )
        except Incomplete:  # no equality is known of the type, or a sample takes long
            break
        numbers = re.findall(r"\d+", said.partition("=")[2].partition(":")[0])
        found += [part[int(number)] for number in numbers]
    return found
