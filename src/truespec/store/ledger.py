"""Verdicts that survive `kill -9`: a SQLite ledger in WAL mode, keyed on content, limit and version.

A ledger is a file that anybody may have written. It names the input and the settings that it was kept for,
each record is sealed to its key, and a record is taken only where this version could have given it as a
verdict on that pair. What is not taken is counted and decided anew. None of this proves a verdict; `truespec
recheck` does.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from truespec.domains.verify import Pair, environment_of
from truespec.store.ahead import write_ahead
from truespec.store.pairs import parse_json
from truespec.verdict import ReasonCode, UsageError, Verdict
from truespec.version import __version__

MAGIC = b"SQLite format 3\0"
"""How the file begins."""
FORMAT = "2"
"""The layout of the file."""
SETTINGS = ("input", "limit", "version", "format")
"""What a ledger says about the run that it was kept for, besides the versions of tools."""
BOUND_TO = "bound_to (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
TABLES = (BOUND_TO, "verdicts (key TEXT PRIMARY KEY, record TEXT NOT NULL, seal TEXT NOT NULL)")
COMMIT_SECONDS = 0.2
"""How much work a kill can cost: commits are at most this far apart."""


def key(pair: Pair, seconds: float, environment: Mapping[str, str] | None = None) -> str:
    """The content address of a verification: what it reads, its limit, the version and the environment.

    The environment is that of this process unless another one is given.
    """
    environment = dict(environment_of(pair) if environment is None else environment)
    content = [__version__, seconds, pair.domain, pair.oracle, pair.candidate, pair.context, environment]
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _seal(key: str, record: str) -> str:
    """What ties a record to its key: a record that was changed, or put under another key, does not fit."""
    return hashlib.sha256(f"{FORMAT}\n{key}\n{record}".encode()).hexdigest()


def _checked(key: str, record: object, seal: object, domain: str) -> tuple[str, Verdict | None]:
    """What is wrong with a stored record, or the verdict that it is."""
    if not isinstance(record, str) or seal != _seal(key, record):
        return "changed since they were written", None
    try:
        value = parse_json(record)
        if not isinstance(value, dict):
            return "no verdicts", None
        verdict = Verdict.from_json(value)
    except (ValueError, LookupError, TypeError, AttributeError):
        return "no verdicts", None
    if (verdict.domain, verdict.version) != (domain, __version__):
        return "of another domain or version", None
    return "", verdict


class Ledger:
    """Verdicts by key, in one file. Use as a context manager."""

    def __init__(self, path: Path, bound_to: Mapping[str, str] | None = None, *, bind: bool = True) -> None:
        """Open a ledger or make one. `bound_to` names the input and the settings of this run."""
        self.refused: Counter[str] = Counter()
        """Records that were not taken, by what is wrong with them."""
        self.foreign: list[str] = []
        """How the run that the ledger was kept for differs from this one, in sentences."""
        self._versions: dict[str, str] = {}
        self._path = path
        try:
            self._database = sqlite3.connect(path, isolation_level=None, timeout=30)
            write_ahead(self._database)
            self._database.execute("PRAGMA synchronous=NORMAL")
            own = {"format": FORMAT, "version": __version__, **(bound_to or {})}
            if bind:  # at once: nobody sees a ledger that does not say yet what it is kept for
                self._database.execute("BEGIN IMMEDIATE")
            self._bind(own if bind else {})
            for table in TABLES:
                self._database.execute(f"CREATE TABLE IF NOT EXISTS {table}")
            if bind:
                self._database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise UsageError(f"{path}: no ledger can be kept there: {error}") from None
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"{path} is not a ledger of ours ({error}): remove it or name another output"
            ) from None
        self._committed = time.monotonic()

    def _bind(self, wanted: Mapping[str, str]) -> None:
        """Compare what the ledger was kept for with what is wanted, and note the latter."""
        names = {name for (name,) in self._database.execute("SELECT name FROM sqlite_master")}
        kept: dict[str, str] = {}
        if names:
            if "bound_to" not in names:
                raise sqlite3.DatabaseError("it does not say what it was kept for")
            kept = dict(self._database.execute("SELECT name, value FROM bound_to"))
            if kept.get("format") != FORMAT:
                raise sqlite3.DatabaseError(f"it is of format {kept.get('format')!r}, ours is {FORMAT}")
        self._versions = {name: value for name, value in kept.items() if name not in SETTINGS}
        for name in wanted:
            if name in kept and kept[name] != wanted[name]:
                was, now = kept[name][:16], wanted[name][:16]
                self.foreign.append(f"it was kept for another {name}: {was}, now {now}")
        self._database.execute(f"CREATE TABLE IF NOT EXISTS {BOUND_TO}")
        self._database.executemany("INSERT OR REPLACE INTO bound_to VALUES (?, ?)", wanted.items())

    def under(self, domain: str, environment: Mapping[str, str]) -> None:
        """Note the environment of a domain's verdicts; where it was another before, `foreign` says so."""
        for tool, version in environment.items():
            name = f"{domain}: {tool}"
            kept = self._versions.get(name)
            if kept == version:
                continue
            if kept is not None:
                self.foreign.append(f"it was kept for another {tool} ({domain}): {kept}, now {version}")
            self._versions[name] = version
            with self._told():
                self._database.execute("INSERT OR REPLACE INTO bound_to VALUES (?, ?)", (name, version))

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.commit()
        self._database.close()

    def __len__(self) -> int:
        (count,) = self._database.execute("SELECT count(*) FROM verdicts").fetchone()
        return int(count)

    @classmethod
    def count(cls, path: Path) -> int:
        """How many verdicts a ledger holds; 0 where there is none of ours. Nothing is changed."""
        if not path.is_file():
            return 0
        try:
            with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as database:
                (count,) = database.execute("SELECT count(*) FROM verdicts").fetchone()
        except sqlite3.Error:
            return 0
        return int(count)

    @classmethod
    def check_ours(cls, path: Path) -> None:
        """Raise `UsageError` for a file in a ledger's place that is no ledger and not empty."""
        try:
            with path.open("rb") as file:
                start = file.read(len(MAGIC))
        except OSError:
            return  # no file, or none that can be read: to open it says more
        foreign = start not in (b"", MAGIC)
        if start == MAGIC:
            with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=30)) as database:
                names = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
                foreign = bool(names) and "bound_to" not in names
        if foreign:
            raise UsageError(f"{path} is not a ledger of ours: remove it or name another output")

    @classmethod
    def existing(cls, path: Path) -> Ledger:
        """Open the ledger of an earlier run and change nothing of what it was kept for."""
        if not path.is_file():
            raise UsageError(
                f"{path}: no such ledger: name outputs of 'truespec batch', beside which theirs lie"
            )
        return cls(path, None, bind=False)

    def bound(self) -> dict[str, str]:
        """What the ledger was kept for: `SETTINGS`, and the versions of tools as `DOMAIN: TOOL`."""
        return dict(self._database.execute("SELECT name, value FROM bound_to"))

    def records(self) -> Iterator[tuple[str, str]]:
        """Every key with its record as JSON text; records that were changed are counted, not given."""
        for key, record, seal in self._database.execute("SELECT key, record, seal FROM verdicts"):
            if isinstance(record, str) and seal == _seal(key, record):
                yield key, record
            else:
                self.refused["changed since they were written"] += 1

    def record(self, key: str) -> str | None:
        """The record under a key as it was stored."""
        row = self._database.execute("SELECT record FROM verdicts WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def get(self, key: str, domain: str, *, lacking_tools: bool = False) -> Verdict | None:
        """The verdict stored under a key, if it can be one on a pair of this domain; else it is counted.

        A verdict that only says that a tool is missing is given where `lacking_tools` asks for it: otherwise
        the pair is tried again, since the tool may be there now.
        """
        row = self._database.execute("SELECT record, seal FROM verdicts WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        record, seal = row
        problem, verdict = _checked(key, record, seal, domain)
        if problem:
            self.refused[problem] += 1
        if verdict and verdict.reason and verdict.reason.code is ReasonCode.UNAVAILABLE and not lacking_tools:
            return None
        return verdict

    def put(self, key: str, verdict: Verdict) -> None:
        """Store a verdict; it is on disk after the next commit, at most `COMMIT_SECONDS` away under load."""
        self.put_record(key, json.dumps(verdict.to_json(), ensure_ascii=True))

    def put_record(self, key: str, record: str) -> None:
        """Store a verdict record as JSON text."""
        if not self._database.in_transaction:
            self._database.execute("BEGIN")
        row = (key, record, _seal(key, record))
        with self._told():
            self._database.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", row)
        if time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise UsageError(f"{self._path}: the ledger cannot be written: {error}") from None

    def commit(self) -> None:
        """Make everything stored so far durable."""
        if self._database.in_transaction:
            with self._told():
                self._database.execute("COMMIT")
        self._committed = time.monotonic()
