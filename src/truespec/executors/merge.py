"""Shards joined: the ledgers of many outputs become one ledger and one output in input order."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truespec.executors.batch import ledger_path
from truespec.store.ledger import Ledger, key
from truespec.store.lines import to_line
from truespec.store.pairs import BrokenLine, digest, read_pairs, scan
from truespec.verdict import UsageError
from truespec.version import __version__

UNDECIDED = "unknown"
"""The answer that another machine may improve on without contradicting it."""
SAME = ("input", "limit")
"""What all ledgers must have been kept for."""


class Contradiction(UsageError):
    """Two shards answered one pair differently; the message shows both records."""


@dataclass
class Merged:
    """What a merge came to."""

    lines: int = 0
    """Lines of the input."""
    answers: Counter[str] = field(default_factory=Counter)
    """Verdicts by answer."""
    broken: int = 0
    """Lines that held no pair."""
    missing: int = 0
    """Pairs without a verdict in any shard."""
    first_missing: str = ""
    """The id of the first of them."""
    refused: Counter[str] = field(default_factory=Counter)
    """Records that were not taken, by what is wrong with them."""
    limit: float = 0.0
    """The limit per pair, in seconds, under which all shards ran."""


def run_merge(
    outputs: Sequence[Path],
    target: Path,
    pairs: Path,
    *,
    mixed: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Merged:
    """Join the ledgers beside `outputs` into the one beside `target`, and write `target` in input order.

    Where pairs have no verdict yet, the joined ledger is kept for `truespec batch --resume` and no output is
    written. `mixed` allows verdicts of one domain that were made under different environments.

    Raises `UsageError` for ledgers of other inputs, limits or versions and for mixed environments, and
    `Contradiction` where a pair has two different answers. An earlier ledger of the target is not touched
    then.
    """
    scanned = scan(pairs)
    if target.resolve() in {path.resolve() for path in (*outputs, pairs)}:
        raise UsageError(f"{target} is one of the inputs: name another output")
    own = ledger_path(target)
    joined = own.with_name(own.name + ".part")
    _remove(joined)
    try:
        bound = _check_bound(outputs, digest(pairs))
        with Ledger(joined, {name: bound[name] for name in ("input", "limit")}) as ledger:
            merged = Merged(limit=float(bound["limit"].removesuffix(" s")))
            _join(outputs, ledger, mixed, merged)
        _remove(own)
        os.replace(joined, own)
    finally:
        _remove(joined)
    with Ledger.existing(own) as ledger:
        _write(pairs, target, ledger, merged, lambda: progress(merged.lines, scanned.lines))
    return merged


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()


def _check_bound(outputs: Sequence[Path], wanted: str) -> dict[str, str]:
    """What all ledgers were kept for; `UsageError` names the first that differs."""
    first: dict[str, str] = {}
    for output in outputs:
        with Ledger.existing(ledger_path(output)) as ledger:
            bound = ledger.bound()
        if bound.get("input") != wanted:
            raise UsageError(f"{ledger_path(output)} was kept for another input than --pairs names")
        if bound.get("version") != __version__:
            theirs = bound.get("version")
            raise UsageError(f"{ledger_path(output)} is of version {theirs}, this is {__version__}")
        first = first or bound
        for name in SAME:
            if bound.get(name) != first.get(name):
                raise UsageError(
                    f"{ledger_path(output)} was kept for {name} {bound.get(name)}, "
                    f"{ledger_path(outputs[0])} for {first.get(name)}: run all shards alike"
                )
    return first


def _join(outputs: Sequence[Path], ledger: Ledger, mixed: bool, merged: Merged) -> None:
    environments: dict[str, tuple[str, Path]] = {}
    for output in outputs:
        path = ledger_path(output)
        with Ledger.existing(path) as shard:
            for address, text in shard.records():
                record = json.loads(text)
                if not mixed:
                    _check_environment(record, path, environments)
                earlier = ledger.record(address)
                if earlier is None or _better(json.loads(earlier), record, path):
                    ledger.put_record(address, text)
            merged.refused += shard.refused


def _check_environment(
    record: Mapping[str, Any], path: Path, environments: dict[str, tuple[str, Path]]
) -> None:
    domain = str(record.get("domain"))
    for name, version in (record.get("environment") or {}).items():
        known, where = environments.setdefault(f"{domain} {name}", (version, path))
        if known != version:
            raise UsageError(
                f"verdicts of the domain {domain} come from different environments: {name} {known} in "
                f"{where}, {name} {version} in {path}. Run all shards alike, or allow it with "
                "--mixed-environments"
            )


def _better(earlier: Mapping[str, Any], record: Mapping[str, Any], path: Path) -> bool:
    """Whether a second record on a pair replaces the first: a decision replaces an undecided one."""
    answers = earlier.get("answer"), record.get("answer")
    relations = earlier.get("relation"), record.get("relation")
    if UNDECIDED in answers:
        return answers[0] == UNDECIDED != answers[1]
    if answers[0] != answers[1] or (None not in relations and relations[0] != relations[1]):
        raise Contradiction(
            "two verdicts on one pair contradict each other; one of them is wrong, please report both:\n"
            f"  {json.dumps(earlier, ensure_ascii=False)}\n"
            f"  {json.dumps(record, ensure_ascii=False)} (in {path})"
        )
    return relations[0] is None and relations[1] is not None


def _write(pairs: Path, target: Path, ledger: Ledger, merged: Merged, report: Callable[[], None]) -> None:
    part = target.with_name(target.name + ".part")
    try:
        with part.open("w", encoding="utf-8") as file:
            for entry in read_pairs(pairs):
                merged.lines += 1
                report()
                if isinstance(entry, BrokenLine):
                    merged.broken += 1
                    file.write(to_line(entry.to_json()))
                    continue
                address = key(entry.pair, merged.limit)
                verdict = ledger.get(address, entry.pair.domain, lacking_tools=True)
                if verdict is None:
                    merged.missing += 1
                    merged.first_missing = merged.first_missing or entry.id
                    continue
                merged.answers[verdict.answer.value] += 1
                file.write(to_line({"id": entry.id, **verdict.to_json()}))
        if not merged.missing:
            os.replace(part, target)
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    merged.refused += ledger.refused
