"""Shards joined: the ledgers of many outputs become one ledger and one output in input order."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truespec.domains.verify import Pair, environment_of
from truespec.executors.batch import check_output, ledger_path, opened
from truespec.solvers.scratch import Scratch
from truespec.store.ledger import Ledger, key
from truespec.store.lines import to_line
from truespec.store.pairs import BrokenLine, digest, on_disk, read_pairs, scan, spoken
from truespec.store.parquet import check_parquet
from truespec.store.rows import write_parquet
from truespec.untrusted.outputs import is_stream, named, reserved
from truespec.verdict import UsageError, Verdict
from truespec.version import __version__

UNDECIDED = "unknown"
"""The answer that another machine may improve on without contradicting it."""
SAME = ("input", "limit")
"""What all ledgers must have been kept for."""


Environments = dict[str, list[Mapping[str, str]]]
"""The environments that verdicts were made under, by domain."""


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
    elsewhere: list[str] = field(default_factory=list)
    """How the environments of verdicts differ from that of this machine."""
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

    `target` is as the output of a batch: `-` is standard output, a name that ends in `.parquet` a flat table,
    and an output that is no file keeps no ledger. Where pairs have no verdict yet, the joined ledger is kept
    for `truespec batch --resume` and no output is written. `mixed` allows verdicts of one domain that were
    made under different environments. The environment of this machine does not matter: nothing is verified.

    Raises `UsageError` for ledgers of other inputs, limits or versions and for mixed environments, and
    `Contradiction` where a pair has two different answers. An earlier ledger of the target is not touched
    then.
    """
    streamed = is_stream(target)
    if not streamed:
        check_output(target, [pairs, *outputs, *(ledger_path(output) for output in outputs)])
    flat = target.suffix == ".parquet"
    if flat:
        check_parquet()
    with Scratch("merge") as folder, reserved(target):
        called, pairs = spoken(pairs), on_disk(pairs, folder)
        scanned = scan(pairs, called=called)
        bound = _check_bound(outputs, digest(pairs))
        own = folder / "ledger" if streamed else ledger_path(target)
        joined = own.with_name(own.name + ".part")
        _remove(joined)
        try:
            with Ledger(joined, {name: bound[name] for name in SAME}) as ledger:
                merged = Merged(limit=float(bound["limit"].removesuffix(" s")))
                environments = _join(outputs, ledger, mixed, merged)
                found = _Found(ledger, environments, merged)
                lines = folder / "verdicts.jsonl"
                _write(pairs, lines, found, lambda: progress(merged.lines, scanned.lines))
            _remove(own)
            os.replace(joined, own)
        finally:
            _remove(joined)
        if not merged.missing:
            _give(lines, target, flat)
    return merged


def _give(lines: Path, target: Path, flat: bool) -> None:
    """Put the written lines where they are wanted; an output file changes in one step."""
    if flat:
        write_parquet(lines, target)
        return
    if is_stream(target):
        with opened(target) as out, lines.open(encoding="utf-8") as source:
            shutil.copyfileobj(source, out)
        return
    part = target.with_name(target.name + ".part")
    try:
        shutil.copyfile(lines, part)
        os.replace(part, target)
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)


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


def _join(outputs: Sequence[Path], ledger: Ledger, mixed: bool, merged: Merged) -> Environments:
    """Put all records into one ledger; the environments that verdicts of each domain were made under."""
    versions: dict[str, tuple[str, Path]] = {}
    environments: Environments = {}
    for output in outputs:
        path = ledger_path(output)
        with Ledger.existing(path) as shard:
            for address, text in shard.records():
                record = json.loads(text)
                ledger.under(str(record.get("domain")), record.get("environment") or {})
                if not mixed:
                    _check_environment(record, path, versions)
                known = environments.setdefault(str(record.get("domain")), [])
                if (environment := record.get("environment") or {}) and environment not in known:
                    known.append(environment)
                earlier = ledger.record(address)
                if earlier is None or _better(json.loads(earlier), record, path):
                    ledger.put_record(address, text)
            merged.refused += shard.refused
    return environments


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


def _better(earlier: Mapping[str, Any], record: Mapping[str, Any], path: Path | None = None) -> bool:
    """Whether a second record on a pair replaces the first: a decision replaces an undecided one."""
    answers = earlier.get("answer"), record.get("answer")
    relations = earlier.get("relation"), record.get("relation")
    if UNDECIDED in answers:
        return answers[0] == UNDECIDED != answers[1]
    if answers[0] != answers[1] or (None not in relations and relations[0] != relations[1]):
        same = (earlier.get("environment") or {}) == (record.get("environment") or {})
        blame = "one of them is wrong, please report both" if same else "their environments differ"
        raise Contradiction(
            f"two verdicts on one pair contradict each other; {blame}:\n"
            f"  {json.dumps(earlier, ensure_ascii=False)}\n"
            f"  {json.dumps(record, ensure_ascii=False)}{f' (in {path})' if path else ''}"
        )
    return relations[0] is None and relations[1] is not None


class _Found:
    """The verdict on a pair, whatever environment it was made under."""

    def __init__(self, ledger: Ledger, environments: Environments, merged: Merged) -> None:
        self.ledger, self._environments, self.merged = ledger, environments, merged

    def on(self, pair: Pair) -> Verdict | None:
        """The verdict on a pair, if there is one; `Contradiction` where two environments differ on it."""
        here = dict(environment_of(pair))
        best: Verdict | None = None
        for environment in [here, *(one for one in self._environments.get(pair.domain, ()) if one != here)]:
            address = key(pair, self.merged.limit, environment)
            verdict = self.ledger.get(address, pair.domain, lacking_tools=True)
            if verdict is None:
                continue
            if environment != here:
                self._note(environment, here)
            if best is None or _better(best.to_json(), verdict.to_json()):
                best = verdict
        return best

    def _note(self, environment: Mapping[str, str], here: Mapping[str, str]) -> None:
        for name, version in environment.items():
            if here.get(name) != version:
                text = f"{name} {version}, here {here.get(name, 'none')}"
                if text not in self.merged.elsewhere:
                    self.merged.elsewhere.append(text)


def _write(pairs: Path, lines: Path, found: _Found, report: Callable[[], None]) -> None:
    merged = found.merged
    with named(lines), lines.open("w", encoding="utf-8") as file:
        for entry in read_pairs(pairs):
            merged.lines += 1
            report()
            if isinstance(entry, BrokenLine):
                merged.broken += 1
                file.write(to_line(entry.to_json()))
                continue
            verdict = found.on(entry.pair)
            if verdict is None:
                merged.missing += 1
                merged.first_missing = merged.first_missing or entry.id
                continue
            merged.answers[verdict.answer.value] += 1
            file.write(to_line({"id": entry.id, **verdict.to_json()}))
    merged.refused += found.ledger.refused
