"""An index over the records of runs, for pages that sort, filter and search: SQLite in a temporary file.

A run is a file of verdicts (with the pairs that it answers, where they are known), or a file of trace
artifacts. The index holds what lists show and where each record stands; the record itself is read from its
file when it is asked for. A file that grows is read on from where it ended.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from truespec.compliance import RULE_SET
from truespec.verdict import UsageError

LINE_BYTES = 64 << 20
"""A longer line is not read; it is counted as broken."""
SEARCHED = 4_000
"""Characters of each text that a search looks at."""
BATCH = 2_000
"""Records that are written to the index at once."""

SORTS = {
    "order": "n",
    "id": "id",
    "answer": "answer, n",
    "slowest": "seconds DESC, n",
    "worst": "worst DESC, n",
}
"""How a list may be sorted, and the columns of the index that do it."""
SEVERITIES = ("", "low", "medium", "high", "critical")
MOST_RULES = 3
"""Broken rules that the list of traces names."""
MOST_SETS = 1_000
"""Shared sets of rules of one file that are kept."""

_SCHEMA = """
CREATE TABLE item (run INTEGER, n INTEGER, id TEXT, domain TEXT, answer TEXT, detail TEXT, seconds REAL,
  worst INTEGER, words TEXT, at INTEGER, pair_at INTEGER, PRIMARY KEY (run, n)) WITHOUT ROWID;
CREATE INDEX by_id ON item (run, id);
CREATE INDEX by_answer ON item (run, answer, n);
CREATE INDEX by_seconds ON item (run, seconds);
CREATE TABLE broken (run INTEGER, rule TEXT, n INTEGER, PRIMARY KEY (run, rule, n)) WITHOUT ROWID;
CREATE TABLE pair (run INTEGER, id TEXT, at INTEGER, words TEXT, PRIMARY KEY (run, id)) WITHOUT ROWID;
"""


@dataclass
class Run:
    """One run and how far its index is."""

    number: int
    """From 1; part of its addresses."""
    path: Path
    """The file of verdicts or artifacts."""
    pairs: Path | None
    """The pairs that the verdicts answer."""
    kind: str
    """`pairs` or `traces`."""
    read: int = 0
    """Bytes that are indexed."""
    items: int = 0
    """Records that are indexed."""
    broken: list[str] = field(default_factory=list)
    """Places of lines that are no records; the first hundred."""
    broken_count: int = 0
    """How many there are."""
    pairs_read: bool = False
    """Whether the pairs are indexed."""
    rule_sets: dict[str, Any] = field(default_factory=dict)
    """The rules that several artifacts share, by their name in the file."""

    @property
    def name(self) -> str:
        """What people call it."""
        plain = self.path.name in ("verdicts.jsonl", "found.jsonl") and self.path.parent.name
        return f"{self.path.parent.name}/{self.path.name}" if plain else self.path.name

    @property
    def size(self) -> int:
        """Bytes of the file now."""
        return self.path.stat().st_size if self.path.exists() else 0


@dataclass(frozen=True)
class Query:
    """What a list shows."""

    answer: str = ""
    """Only this answer, or this outcome of a trace; empty for all."""
    domain: str = ""
    """Only this domain."""
    rule: str = ""
    """Only traces that break this rule."""
    text: str = ""
    """Only records that hold this text, in any case."""
    sort: str = "order"
    """One of `SORTS`."""
    offset: int = 0
    """How many to skip."""
    limit: int = 50
    """How many to give."""


class Index:
    """The index of some runs; safe from threads. `close` removes it."""

    def __init__(self, runs: list[tuple[Path, Path | None]]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="truespec-index-")
        self._file = Path(self._folder.name, "index.sqlite")
        with self._open() as connection:
            connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;" + _SCHEMA)
        self._writing = threading.Lock()
        self._closed = False
        self._counts: dict[int, tuple[int, dict[str, dict[str, int]]]] = {}
        self.runs = [Run(n, path, pairs, kind_of(path)) for n, (path, pairs) in enumerate(runs, 1)]
        """The runs in the order in which they were named."""

    def close(self) -> None:
        """Stop reading and remove the index."""
        self._closed = True
        with self._writing:
            self._folder.cleanup()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=60, isolation_level=None)) as connection:
            yield connection

    def refresh(self, run: Run) -> None:
        """Read what was appended since the last time; where another thread reads, return at once."""
        if self._closed or (run.size <= run.read and (run.pairs is None or run.pairs_read)):
            return
        if self._writing.acquire(blocking=False):
            try:
                if not self._closed:
                    with self._open() as connection:
                        self._read(run, connection)
            finally:
                self._writing.release()

    def refresh_all(self) -> None:
        """Read all runs as far as they are written."""
        for run in self.runs:
            self.refresh(run)

    def _read(self, run: Run, connection: sqlite3.Connection) -> None:
        if run.pairs and not run.pairs_read:
            rows = ((run.number, *_pair_row(record, at)) for at, record in _records(run.pairs, 0, None))
            for some in batched(rows):
                write_rows(connection, "INSERT OR REPLACE INTO pair VALUES (?, ?, ?, ?)", some)
                if self._closed:
                    return
            run.pairs_read = True
        if not run.read:
            run.kind = kind_of(run.path)  # nobody knew while it was empty
        waiting: list[tuple[Any, ...]] = []
        broken: list[tuple[Any, ...]] = []
        for at, record in _records(run.path, run.read, run):
            run.items += 1
            waiting.append((run.number, run.items, *_row(run.kind, record), at))
            broken += [(run.number, rule, run.items) for rule in _rules_broken(record)]
            if len(waiting) >= BATCH:
                self._insert(connection, waiting, broken)
                waiting, broken = [], []
                if self._closed:
                    return
        self._insert(connection, waiting, broken)

    def _insert(
        self, connection: sqlite3.Connection, rows: list[tuple[Any, ...]], broken: list[tuple[Any, ...]]
    ) -> None:
        write_rows(connection, "INSERT OR REPLACE INTO broken VALUES (?, ?, ?)", broken)
        write_rows(
            connection,
            "INSERT OR REPLACE INTO item SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
            "?9 || coalesce((SELECT words FROM pair WHERE run = ?1 AND id = ?3), ''), ?10, "
            "(SELECT at FROM pair WHERE run = ?1 AND id = ?3)",
            rows,
        )

    def listed(self, run: Run, query: Query) -> tuple[int, list[dict[str, Any]]]:
        """How many records a query finds, and those of its page."""
        where, values = _where(run, query)
        order = SORTS.get(query.sort, "n")
        names = ("n", "id", "domain", "answer", "detail", "seconds")
        columns = ", ".join(names)
        with self._open() as connection:
            if query.text:
                # One look at every text: the numbers of all that match, then the records of the page.
                sql = f"SELECT n FROM item WHERE {where} ORDER BY {order}"
                found = [n for (n,) in connection.execute(sql, values)]
                count, page = len(found), found[query.offset : query.offset + query.limit]
                sql = f"SELECT {columns} FROM item WHERE run = ? AND n = ?"
                rows = [connection.execute(sql, (run.number, n)).fetchone() for n in page]
            else:
                (count,) = connection.execute(f"SELECT count(*) FROM item WHERE {where}", values).fetchone()
                sql = f"SELECT {columns} FROM item WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
                rows = connection.execute(sql, (*values, query.limit, query.offset)).fetchall()
        return count, [dict(zip(names, row, strict=True)) for row in rows]

    def counts(self, run: Run) -> dict[str, dict[str, int]]:
        """How many records have each answer, and each domain, and how many traces break each rule."""
        items = run.items
        known = self._counts.get(run.number)
        if known is not None and known[0] == items and not self._writing.locked():
            return known[1]
        found: dict[str, dict[str, int]] = {}
        with self._open() as connection:
            for column in ("answer", "domain"):
                sql = f"SELECT {column}, count(*) FROM item WHERE run = ? GROUP BY 1 ORDER BY 1"
                found[column] = dict(connection.execute(sql, (run.number,)).fetchall())
            sql = "SELECT rule, count(*) FROM broken WHERE run = ? GROUP BY 1 ORDER BY 2 DESC, 1"
            found["rule"] = dict(connection.execute(sql, (run.number,)).fetchall())
        if sum(found["answer"].values()) == items:
            self._counts[run.number] = (items, found)
        return found

    def record(self, run: Run, number: int) -> tuple[dict[str, Any], dict[str, Any] | None] | None:
        """The record of this number and its pair, read from their files; None where there is none.

        Raises `UsageError` where a file was changed in its middle since it was indexed.
        """
        with self._open() as connection:
            sql = "SELECT id, at, pair_at FROM item WHERE run = ? AND n = ?"
            found = connection.execute(sql, (run.number, number)).fetchone()
        if found is None:
            return None
        name, at, pair_at = found
        record = _line_at(run.path, at, name)
        return record, None if pair_at is None or run.pairs is None else _line_at(run.pairs, pair_at, name)

    def changed(self, old: Run, new: Run, limit: int = 1000) -> tuple[int, list[dict[str, Any]]]:
        """The records that two runs both have with different answers: how many, and the first of them."""
        joined = (
            "FROM item a JOIN item b ON a.id = b.id WHERE a.run = ? AND b.run = ? AND a.answer <> b.answer"
        )
        with self._open() as connection:
            (count,) = connection.execute(f"SELECT count(*) {joined}", (old.number, new.number)).fetchone()
            rows = connection.execute(
                f"SELECT a.id, a.domain, a.n, a.answer, b.n, b.answer {joined} ORDER BY a.n LIMIT ?",
                (old.number, new.number, limit),
            ).fetchall()
        names = ("id", "domain", "old_n", "old", "new_n", "new")
        return count, [dict(zip(names, row, strict=True)) for row in rows]


def kind_of(path: Path) -> str:
    """`pairs` or `traces`, by the first record; `UsageError` for a file that holds neither."""
    try:
        with path.open("rb") as file:
            line = file.readline(LINE_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    record = parsed(line)
    if not line:
        return "pairs"  # a run that has only begun
    if record is not None and ("trace_id" in record or RULE_SET in record):
        return "traces"
    if record is not None and ({"answer", "domain"} <= record.keys() or "error" in record):
        return "pairs"
    raise UsageError(
        f"{path}: its first line is neither a verdict nor the artifact of a trace; expected the output of "
        "'truespec batch' or 'truespec trace check', as JSON Lines"
    )


def _records(path: Path, start: int, run: Run | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records from a byte on, each with its place; an unfinished last line waits for the next time."""
    with path.open("rb") as file:
        file.seek(start)
        at = start
        while line := file.readline(LINE_BYTES):
            if not line.endswith(b"\n") and run is not None:
                return
            record = parsed(line)
            if record is not None and RULE_SET in record:
                if run is not None and len(run.rule_sets) < MOST_SETS:
                    run.rule_sets[str(record[RULE_SET])] = record.get("rules")
            elif record is not None:
                yield at, record
            elif run is not None and line.strip():
                run.broken_count += 1
                run.broken += [f"byte {at}"] if run.broken_count <= 100 else []
            at += len(line)
            if run is not None:
                run.read = at


def parsed(line: bytes) -> dict[str, Any] | None:
    """The object of a line of JSON; None where it holds none."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def _line_at(path: Path, at: int, name: str) -> dict[str, Any]:
    with path.open("rb") as file:
        file.seek(at)
        record = parsed(file.readline(LINE_BYTES))
    if record is None or str(record.get("id", record.get("trace_id", ""))) != name:
        raise UsageError(f"{path}: was changed since it was read; start 'truespec serve' anew")
    return record


def _pair_row(record: Mapping[str, Any], at: int) -> tuple[str, int, str]:
    texts = (str(record.get(key, ""))[:SEARCHED] for key in ("oracle", "candidate"))
    return str(record.get("id", "")), at, "\n" + "\n".join(texts).casefold()


def _row(kind: str, record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Identifier, domain, answer, detail, seconds, worst severity and words of one record."""
    if kind == "traces":
        return _trace_row(record)
    reason = record.get("reason") or {}
    answer = str(record.get("answer", "error"))
    shown = str(
        record.get("relation") or reason.get("code") or record.get("method") or record.get("error") or ""
    )
    evidence = record.get("evidence") or {}
    point = orjson.dumps(evidence.get("counterexample")).decode() if "counterexample" in evidence else ""
    name = str(record.get("id", f"line {record.get('line', '')}"))
    words = "\n".join((name, shown, str(reason.get("detail", "")), point[:SEARCHED])).casefold()
    return name, str(record.get("domain", "")), answer, shown, record.get("seconds"), 0, words


def _trace_row(record: Mapping[str, Any]) -> tuple[Any, ...]:
    violations = _violations(record)
    worst = max(map(_gravity, violations), default=0)
    skipped = sum(check.get("status") == "not_evaluated" for check in record.get("checks", ()))
    answer = "violations" if violations else "not evaluated" if skipped else "kept"
    detail = _broken(violations) if violations else f"{skipped} not evaluated" if skipped else ""
    name = str(record.get("trace_id", ""))
    quotes = [f"{one.get('rule_id')} {one.get('quote')}" for one in violations]
    words = "\n".join([name, str(record.get("model")), *quotes])[: 4 * SEARCHED].casefold()
    return name, str(record.get("domain") or ""), answer, detail, None, worst, words


def _violations(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for result in record.get("results", ()) for one in result.get("violations", ())]


def _rules_broken(record: Mapping[str, Any]) -> set[str]:
    return {str(one.get("rule_id")) for one in _violations(record)}


def _gravity(violation: Mapping[str, Any]) -> int:
    severity = violation.get("severity", "")
    return SEVERITIES.index(severity) if severity in SEVERITIES else 0


def _broken(violations: list[dict[str, Any]]) -> str:
    """The rules that a trace breaks, the gravest first, each with its severity."""
    rules: dict[str, str] = {}
    for one in sorted(violations, key=_gravity, reverse=True):
        rules.setdefault(str(one.get("rule_id")), str(one.get("severity", "")))
    named = [f"{name} ({severity})" for name, severity in list(rules.items())[:MOST_RULES]]
    return ", ".join(named) + (f", and {len(rules) - MOST_RULES} more" if len(rules) > MOST_RULES else "")


def _where(run: Run, query: Query) -> tuple[str, tuple[Any, ...]]:
    conditions: list[tuple[str, Any]] = [("run = ?", run.number)]
    if query.answer:
        conditions.append(("answer = ?", query.answer))
    if query.domain:
        conditions.append(("domain = ?", query.domain))
    if query.rule:
        conditions.append(("n IN (SELECT n FROM broken WHERE run = item.run AND rule = ?)", query.rule))
    if query.text:
        conditions.append(("instr(words, ?) > 0", query.text.casefold()))
    return " AND ".join(sql for sql, _ in conditions), tuple(value for _, value in conditions)


def batched(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Rows in lists of `BATCH`; the last list may be empty."""
    some: list[tuple[Any, ...]] = []
    for row in rows:
        some.append(row)
        if len(some) >= BATCH:
            yield some
            some = []
    yield some


def write_rows(connection: sqlite3.Connection, sql: str, rows: list[tuple[Any, ...]]) -> None:
    """Run one statement for each row, in one transaction."""
    if rows:
        connection.execute("BEGIN")
        connection.executemany(sql, rows)
        connection.execute("COMMIT")
