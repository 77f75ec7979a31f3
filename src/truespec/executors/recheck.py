"""Re-checking verdicts with code that shares nothing with the code that found them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from truespec.domains.context import check_context
from truespec.domains.contract import Domain, Implication, Recheck, RecheckStatus
from truespec.domains.registry import load
from truespec.domains.verify import Pair, environment_of
from truespec.executors.pool import Job, Workers
from truespec.solvers.limit import Limit
from truespec.solvers.scratch import Scratch
from truespec.store.pairs import PairLine, on_disk, read_pairs, scan, spoken, spooled
from truespec.store.rows import verdict_records
from truespec.verdict import (
    Answer,
    Counterexample,
    OracleError,
    ReasonCode,
    Relation,
    SpecificationError,
    Undecided,
    UsageError,
    Verdict,
)


class Side(Enum):
    """One text of a pair."""

    ORACLE = "oracle"
    """The reference."""
    CANDIDATE = "candidate"
    """The one under test."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A decided verdict and the pair it is about."""

    pair: Pair
    """The pair."""
    verdict: Verdict
    """What was concluded."""


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What became of one line of a verdict file, or that a pair has none."""

    line: int
    """The line, from 1; 0 for a pair without a verdict."""
    id: str
    """The pair's identifier; empty where the line has none."""
    answer: Answer | None
    """The answer that was re-checked; None for an error record, a record that contradicts itself, and a pair
    without a verdict."""
    recheck: Recheck | None
    """The outcome; None where there is nothing to check (undecided, invalid, error records)."""


def recheck_claim(claim: Claim, seconds: float) -> Recheck:
    """Re-check one claim; whatever the checker cannot finish is undecided, never confirmed.

    A check that fails in another environment than the verdict's decides nothing: it may be the environment.
    """
    found = _recheck_here(claim, seconds)
    if found.status is not RecheckStatus.FAILED:
        return found
    here = environment_of(claim.pair)
    changed = [
        f"{name} was {version}, is {here[name]} here"
        for name, version in claim.verdict.environment.items()
        if name in here and here[name] != version
    ]
    if not changed:
        return found
    return Recheck(RecheckStatus.UNDECIDED, found.by, f"{'; '.join(changed)}: {found.detail}")


def _recheck_here(claim: Claim, seconds: float) -> Recheck:
    pair, name = claim.pair, claim.pair.domain
    limit = Limit.start(seconds)
    if _relation_contradicts(claim.verdict):
        detail = "its relation and its counterexample contradict each other"
        return Recheck(RecheckStatus.FAILED, "the verdict record", detail)
    try:
        check_context(name, pair.context)
        domain = load(name)
        found = domain.recheck(pair.oracle, pair.candidate, pair.context, claim.verdict, limit)
        confirmed = found.status is RecheckStatus.CONFIRMED and not domain.rechecks_relation
        if confirmed and claim.verdict.relation is not None:
            return _recheck_relation(domain, claim, found, limit)
        return found
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, name, str(error))
    except (SpecificationError, OracleError) as error:
        return Recheck(
            RecheckStatus.FAILED, name, f"the checker refuses a text that the verdict accepts: {error}"
        )
    except MemoryError:
        return Recheck(RecheckStatus.UNDECIDED, name, "the memory cap was reached")
    except Exception as error:
        detail = f"the evidence cannot be followed: {type(error).__name__}: {error}"
        return Recheck(RecheckStatus.FAILED, name, detail)


def _recheck_relation(domain: Domain[Any, Any], claim: Claim, found: Recheck, limit: Limit) -> Recheck:
    """Prove or refute again which side implies which; `found` is what became of the counterexample."""
    pair, relation, evidence = claim.pair, claim.verdict.relation, claim.verdict.evidence
    if not domain.has_relation:
        return Recheck(RecheckStatus.FAILED, "the verdict record", f"{domain.name} has no relation")
    assert relation is not None
    assert isinstance(evidence, Counterexample)
    raw = domain.fixed_context(pair.oracle, pair.context)
    names = {Side.CANDIDATE: pair.candidate, Side.ORACLE: pair.oracle}
    at_point = [value in (True, "True") for value in (evidence.oracle_value, evidence.candidate_value)]
    claimed = {
        (Side.CANDIDATE, Side.ORACLE): relation is Relation.STRONGER,
        (Side.ORACLE, Side.CANDIDATE): relation is Relation.WEAKER,
    }
    used = [found.by]
    for (premise, conclusion), holds in claimed.items():
        if not holds and at_point == [premise is Side.ORACLE, premise is Side.CANDIDATE]:
            continue  # the counterexample shows it
        try:
            again = domain.implies(names[premise], names[conclusion], raw, limit)
        except Undecided as error:
            again = Implication(None, domain.name, str(error))
        says = f"that the {premise.value} {'implies' if holds else 'does not imply'} the {conclusion.value}"
        if again.holds is None:
            detail = f"the counterexample holds; {says} could not be established again: {again.detail}"
            return Recheck(RecheckStatus.UNDECIDED, again.by, f"relation {relation.value}: {detail}")
        if again.holds is not holds:
            detail = f"{says} is wrong" + (f": {again.detail}" if again.detail else "")
            return Recheck(RecheckStatus.FAILED, again.by, f"relation {relation.value}: {detail}")
        used.append(again.by)
    return Recheck(RecheckStatus.CONFIRMED, " and ".join(dict.fromkeys(used)))


def _relation_contradicts(verdict: Verdict) -> bool:
    """Whether the one side that holds at the counterexample is the one said to imply the other."""
    evidence = verdict.evidence
    if not isinstance(evidence, Counterexample):
        return False
    holds = [value in (True, "True") for value in (evidence.oracle_value, evidence.candidate_value)]
    implying = {Relation.STRONGER: [False, True], Relation.WEAKER: [True, False]}
    return verdict.relation is not None and holds == implying.get(verdict.relation)


def run_recheck(
    verdicts: Path,
    pairs: Path,
    *,
    timeout: float,
    jobs: int,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Iterator[Rechecked]:
    """Re-check every decided verdict; undecided ones come first, then the others in any order.

    A record that contradicts itself fails. A pair without a verdict is told. `-` and pipes are read once.
    `progress` is called with the verdicts done and all there are. Raises `UsageError` for a line that is no
    record, a verdict without its pair, or a second verdict on the same pair.
    """
    if str(verdicts) == str(pairs) == "-":
        raise UsageError("standard input cannot hold both the verdicts and the pairs: name a file for one")
    if verdicts.suffix == ".parquet":
        raise UsageError(
            f"{verdicts} is a flat table, which leaves out what a check follows: re-check verdicts in JSON "
            "Lines, as 'truespec batch -o verdicts.jsonl' writes them"
        )
    with Scratch("recheck") as folder:
        names = _Names(spoken(verdicts), spoken(pairs))
        files = spooled(verdicts, folder / "verdicts.jsonl"), on_disk(pairs, folder)
        total = _lines(files[0])
        done = 0
        for outcome in _recheck_files(*files, names, timeout, jobs):
            done += outcome.line > 0
            progress(done, total)
            yield outcome


class _Names(NamedTuple):
    """What messages call the two files."""

    verdicts: str
    """The verdicts."""
    pairs: str
    """The pairs."""


def _lines(path: Path) -> int:
    """How many lines a file holds; 0 where it cannot be read, which its reader tells."""
    try:
        with path.open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def _recheck_files(
    verdicts: Path, pairs: Path, names: _Names, timeout: float, jobs: int
) -> Iterator[Rechecked]:
    scanned = scan(pairs, called=names.pairs)
    known = {entry.id: entry.pair for entry in read_pairs(pairs) if isinstance(entry, PairLine)}
    claims: dict[int, tuple[str, Claim]] = {}
    seen: set[str] = set()
    for number, record in verdict_records(verdicts, names.verdicts):
        if "error" in record and "answer" not in record:
            yield Rechecked(number, "", None, None)
            continue
        name = record.get("id")
        if not isinstance(name, str) or name not in known:
            raise UsageError(
                f"{names.verdicts}, line {number}: no pair with the id {name!r} in {names.pairs}"
            )
        if "answer" not in record:
            raise UsageError(f"{names.verdicts}, line {number}: no verdict record: it has no 'answer'")
        if name in seen:
            raise UsageError(f"{names.verdicts}, line {number}: a second verdict on {name!r}")
        seen.add(name)
        try:
            verdict = Verdict.from_json(record)
            if verdict.domain != known[name].domain:
                raise ValueError(f"domain {verdict.domain!r}, but the pair's is {known[name].domain!r}")
        except (ValueError, KeyError, TypeError) as error:
            problem = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            failed = Recheck(RecheckStatus.FAILED, "the verdict record", problem)
            yield Rechecked(number, name, None, failed)
            continue
        if verdict.answer in (Answer.EQUIVALENT, Answer.REFUTED):
            claims[number] = (name, Claim(known[name], verdict))
        else:
            yield Rechecked(number, name, verdict.answer, None)
    for name in known:
        if name not in seen:
            yield Rechecked(0, name, None, None)
    yield from _run(claims, scanned.domains, timeout, jobs)


def _run(
    claims: dict[int, tuple[str, Claim]], domains: Sequence[str], timeout: float, jobs: int
) -> Iterator[Rechecked]:
    with Workers(recheck_claim, _failed, domains, jobs=jobs) as workers:
        for number, outcome in workers.run(Job(n, claim, timeout) for n, (_, claim) in claims.items()):
            name, claim = claims[number]
            yield Rechecked(number, name, claim.verdict.answer, outcome)


def _failed(claim: Claim, code: ReasonCode, detail: str, seconds: float) -> Recheck:
    return Recheck(RecheckStatus.UNDECIDED, claim.pair.domain, f"{code.value}: {detail}")
