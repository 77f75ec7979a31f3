"""What the readers of first-order logic share: reading formulas, and the join of answers with FOLIO."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Origin, PairRecord, Skipped
from truespec.domains.fol.context import read
from truespec.domains.fol.parse import Parsed, parse
from truespec.domains.fol.renaming import Renaming
from truespec.domains.fol.write import write
from truespec.verdict import TruespecError, UsageError


def locate(folder: Path, names: tuple[str, ...], what: str) -> Path:
    """The folder that holds one of the files: `folder` itself or one at most two levels below it."""
    for pattern in ("", "*/", "*/*/"):
        for name in names:
            found = sorted(folder.glob(pattern + name))
            if found:
                return found[0].parent
    raise UsageError(f"{folder} holds no {what}: expected {' or '.join(names)} there or below it")


def read_json(path: Path) -> object:
    """The JSON value in a file; `UsageError` names the file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from error


def records(path: Path) -> list[Mapping[str, Any]]:
    """The records of a JSON file that holds a list of objects; `UsageError` for another shape."""
    found = read_json(path)
    if not isinstance(found, list) or not all(isinstance(record, Mapping) for record in found):
        raise UsageError(f"{path}: expected a list of records")
    return found


def squeeze(text: str) -> str:
    """The text with single blanks and none at its ends: what sentences are compared by."""
    return " ".join(text.split())


@lru_cache(maxsize=8192)
def understand(text: str) -> Parsed | str:
    """The formula, or what is wrong with it and where."""
    try:
        return parse(text)
    except TruespecError as error:
        return str(error)


@lru_cache(maxsize=8192)
def signature(text: str) -> dict[str, object] | str:
    """The context that spells out the formula's signature, or why it has none."""
    parsed = understand(text)
    if isinstance(parsed, str):
        return parsed
    try:
        context = read({}, text)
    except TruespecError as error:
        return str(error)
    return {"predicates": dict(context.predicates), "constants": list(context.constants)}


@dataclass(slots=True)
class Gold:
    """FOLIO's formulas by their sentence."""

    formulas: dict[str, list[str]] = field(default_factory=dict)
    """For each sentence its well-formed formulas, in order."""

    def add(self, sentence: str, formula: str) -> None:
        """Note a formula of a sentence, unless it is malformed."""
        known = self.formulas.setdefault(squeeze(sentence), [])
        formula = formula.strip()
        if formula not in known and not isinstance(signature(formula), str):
            known.append(formula)


@dataclass(frozen=True, slots=True)
class Answer:
    """A formula that a model gave for a sentence."""

    id: str
    """Unique in its data set."""
    sentence: str
    """The sentence it was given for."""
    formula: str
    """What the model wrote."""
    origin: Origin
    """Where it stands."""
    model: str
    """Which model, and how it was asked."""
    upstream_label: Mapping[str, object] | None = None
    """What upstream concluded about the question that the answer belongs to."""


def join(answers: Iterable[Answer | Skipped], gold: Gold) -> Iterator[PairRecord | Skipped]:
    """Each answer beside FOLIO's formula of exactly the same sentence.

    Of several formulas of a sentence, the one whose signature is closest to the answer's is taken. The field
    `signature` says how close: `same`; `case`, where names that differ in case alone were rewritten as FOLIO
    spells them (`recorded` keeps the answer as it was); `profile`, where as many names of each arity occur;
    `other`; or `malformed`.
    """
    for answer in answers:
        if isinstance(answer, Skipped):
            yield answer
            continue
        sentence = squeeze(answer.sentence)
        oracles = gold.formulas.get(sentence)
        if not oracles:
            why = "has no well-formed formula in" if oracles is not None else "is not in"
            yield Skipped(answer.origin, f"the sentence {why} FOLIO v0 validation: {sentence[:80]!r}")
            continue
        ranked = [(closeness(oracle, answer.formula), place) for place, oracle in enumerate(oracles)]
        rank, place = min(ranked)
        oracle = oracles[place]
        candidate = aligned(oracle, answer.formula) if CLOSENESS[rank] == "case" else answer.formula
        context = signature(oracle)
        assert not isinstance(context, str)
        extra: dict[str, object] = {
            "statement": sentence,
            "model": answer.model,
            "signature": CLOSENESS[rank],
        }
        if candidate != answer.formula:
            extra["recorded"] = answer.formula
        if len(oracles) > 1:
            extra["oracles_of_sentence"] = len(oracles)
        yield PairRecord(
            answer.id, "fol", context, oracle, candidate, answer.origin, answer.upstream_label, extra
        )


CLOSENESS = ("same", "case", "profile", "other", "malformed")
"""How the signature of an answer relates to the oracle's, closest first."""


@lru_cache(maxsize=65536)
def closeness(oracle: str, candidate: str) -> int:
    """The index in `CLOSENESS`."""
    one, two = understand(oracle), understand(candidate)
    assert not isinstance(one, str)
    if isinstance(two, str):
        return 4
    if one.predicates.keys() == two.predicates.keys() and one.constants.keys() == two.constants.keys():
        return 0
    if _folded(one) == _folded(two) and len(_folded(one)) == len(one.predicates) + len(one.constants):
        return 1
    profiles = [(sorted(arity for _, arity in side.predicates), len(side.constants)) for side in (one, two)]
    return 2 if profiles[0] == profiles[1] else 3


def _folded(side: Parsed) -> set[tuple[str, int]]:
    predicates = {(name.casefold(), arity) for name, arity in side.predicates}
    return predicates | {(name.casefold(), -1) for name in side.constants}


def aligned(oracle: str, candidate: str) -> str:
    """The candidate with its names spelled as in the oracle, where case alone tells them apart."""
    one, two = understand(oracle), understand(candidate)
    assert not isinstance(one, str)
    assert not isinstance(two, str)
    predicates = {name.casefold(): name for name, _ in one.predicates}
    constants = {name.casefold(): name for name in one.constants}
    renaming = Renaming(
        {name: predicates[name.casefold()] for name, _ in two.predicates},
        {name: constants[name.casefold()] for name in two.constants},
    )
    return write(renaming.apply(two.formula))
