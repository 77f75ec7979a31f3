"""An index over the judgements of benchmark runs, each beside the verdict on the same answer.

SQLite in a temporary file holds what lists show and where each record stands; the records are read from the
run's files when they are asked for. A run's files are replaced as a whole, so a changed file is read anew.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truespec.store.index import LINE_BYTES, SEARCHED, batched, parsed, write_rows
from truespec.verdict import UsageError

FILES = ("tasks.jsonl", "answers.jsonl", "judgements.jsonl")
"""What a study is read from."""
FALSE_ACCEPT, FALSE_REJECT, UNDECIDED, AGREE = "false accept", "false reject", "undecided", "agree"
STANDINGS = (FALSE_ACCEPT, FALSE_REJECT, UNDECIDED, AGREE)
"""How a judgement stands to the verdict, in the order of lists."""

_SCHEMA = """
CREATE TABLE task (study INTEGER, id TEXT, at INTEGER, words TEXT, PRIMARY KEY (study, id)) WITHOUT ROWID;
CREATE TABLE answer (study INTEGER, name TEXT, at INTEGER, answer TEXT, words TEXT,
  PRIMARY KEY (study, name)) WITHOUT ROWID;
CREATE TABLE judged (study INTEGER, n INTEGER, key TEXT, task TEXT, domain TEXT, model TEXT, judge TEXT,
  kind TEXT, said TEXT, answer TEXT, standing INTEGER, words TEXT, at INTEGER, answer_at INTEGER,
  task_at INTEGER, PRIMARY KEY (study, n)) WITHOUT ROWID;
CREATE INDEX by_standing ON judged (study, standing, n);
"""


@dataclass
class Study:
    """The judgements of one benchmark run."""

    number: int
    """From 1; part of its addresses."""
    folder: Path
    """The run's folder."""
    items: int = 0
    """Judgements of answers."""
    of_oracles: int = 0
    """Judgements of oracles, which no verdict answers; they are not listed."""
    broken: int = 0
    """Lines that are no records."""
    stamp: tuple[tuple[int, int], ...] = ()
    """Size and time of the files when they were read."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.folder.name or str(self.folder)


@dataclass(frozen=True)
class StudyQuery:
    """What a list of judgements shows; each text that is empty shows all."""

    standing: str = ""
    """One of `STANDINGS`."""
    judge: str = ""
    """Only this judge."""
    kind: str = ""
    """Only this kind of judge."""
    domain: str = ""
    """Only this domain."""
    text: str = ""
    """Only where the statement, the texts or the judge's words hold this, in any case."""
    keys: Collection[str] | None = field(default=None)
    """Only judgements with these keys; None for all."""
    without: bool = False
    """Only judgements without these keys instead."""
    offset: int = 0
    """How many to skip."""
    limit: int = 50
    """How many to give."""


@dataclass(frozen=True)
class Judged:
    """One judgement with all that it is about."""

    judgement: dict[str, Any]
    """The judgement record."""
    answer: dict[str, Any] | None
    """The answer record; None where the run holds none."""
    task: dict[str, Any] | None
    """The task record; None where the run holds none."""
    key: str
    """What names the judgement in its run."""
    standing: str
    """One of `STANDINGS`."""


def is_study(path: Path) -> bool:
    """Whether a folder is that of a benchmark run whose answers were judged."""
    return path.is_dir() and all((path / name).is_file() for name in FILES)


def standing_of(said: str, answer: str) -> str:
    """How a judgement stands to the verdict on the same answer."""
    if said not in ("accept", "reject") or answer not in ("equivalent", "refuted", "invalid"):
        return UNDECIDED
    if (said == "accept") == (answer == "equivalent"):
        return AGREE
    return FALSE_ACCEPT if said == "accept" else FALSE_REJECT


class Studies:
    """The index of the studies in some folders; safe from threads. `close` removes it."""

    def __init__(self, folders: list[Path]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="truespec-study-")
        self._file = Path(self._folder.name, "index.sqlite")
        self._lock = threading.Lock()
        with self._open() as connection:
            connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;" + _SCHEMA)
        self.studies = [Study(number, folder) for number, folder in enumerate(folders, 1)]
        """The studies in the order in which they were named."""

    def close(self) -> None:
        """Remove the index."""
        with self._lock:
            self._folder.cleanup()

    def _open(self) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(self._file, timeout=60, isolation_level=None))

    def refresh(self, study: Study) -> None:
        """Read the study's files where they are new or changed."""
        with self._lock:
            try:
                stats = [(study.folder / name).stat() for name in FILES]
            except OSError as error:
                raise UsageError(f"{error.filename}: {error.strerror}") from None
            stamp = tuple((stat.st_size, stat.st_mtime_ns) for stat in stats)
            if stamp == study.stamp:
                return
            with self._open() as connection:
                self._read(study, connection)
            study.stamp = stamp

    def _read(self, study: Study, connection: sqlite3.Connection) -> None:
        tasks, answers, judgements = (study.folder / name for name in FILES)
        for table in ("task", "answer", "judged"):
            connection.execute(f"DELETE FROM {table} WHERE study = ?", (study.number,))
        study.items = study.of_oracles = study.broken = 0
        rows: Iterator[tuple[Any, ...]] = (
            (study.number, str(one.get("id")), at, _words(one, "statement", "oracle"))
            for at, one in _lines(study, tasks)
        )
        for some in batched(rows):
            write_rows(connection, "INSERT OR REPLACE INTO task VALUES (?, ?, ?, ?)", some)
        rows = (
            (study.number, _answer_name(one), at, _answer(one), _words(one, "candidate"))
            for at, one in _lines(study, answers)
        )
        for some in batched(rows):
            write_rows(connection, "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)", some)
        found = {
            name: (answer, words, at)
            for name, answer, words, at in connection.execute(
                "SELECT name, answer, words, at FROM answer WHERE study = ?", (study.number,)
            )
        }
        for some in batched(self._rows(study, judgements, found)):
            write_rows(
                connection,
                "INSERT INTO judged SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
                "?12 || coalesce((SELECT words FROM task WHERE study = ?1 AND id = ?4), ''), ?13, ?14, "
                "(SELECT at FROM task WHERE study = ?1 AND id = ?4)",
                some,
            )

    def _rows(
        self, study: Study, path: Path, found: Mapping[str, tuple[str, str, int]]
    ) -> Iterator[tuple[Any, ...]]:
        for at, one in _lines(study, path):
            if not {"task", "judge", "kind", "judgement", "epoch"} <= one.keys():
                study.broken += 1
                continue
            if one["kind"] == "oracle":
                study.of_oracles += 1
                continue
            study.items += 1
            answer, words, answer_at = found.get(_answer_name(one), ("", "", None))
            replies = [reply for reply in one.get("replies") or () if isinstance(reply, dict)]
            said = "\n".join(str(reply.get("text", ""))[:SEARCHED] for reply in replies)
            words = "\n".join((str(one["task"]), said)).casefold() + words
            names = [str(one.get(name) or "") for name in ("task", "domain", "model", "judge", "kind")]
            standing = STANDINGS.index(standing_of(str(one["judgement"]), answer))
            rest = (str(one["judgement"]), answer, standing, words, at, answer_at)
            yield (study.number, study.items, key_of(one), *names, *rest)

    def counts(self, study: Study) -> list[tuple[str, str, dict[str, int]]]:
        """Each judge and kind with how many of its judgements stand how."""
        sql = "SELECT judge, kind, standing, count(*) FROM judged WHERE study = ? GROUP BY 1, 2, 3"
        found: dict[tuple[str, str], dict[str, int]] = {}
        with self._open() as connection:
            for judge, kind, standing, count in connection.execute(sql, (study.number,)):
                found.setdefault((judge, kind), dict.fromkeys(STANDINGS, 0))[STANDINGS[standing]] = count
        return [(judge, kind, counted) for (judge, kind), counted in sorted(found.items())]

    def values(self, study: Study, column: str) -> list[str]:
        """The values of `judge`, `kind` or `domain`, sorted."""
        if column not in ("judge", "kind", "domain"):
            raise ValueError(f"no column {column!r}")
        sql = f"SELECT DISTINCT {column} FROM judged WHERE study = ? ORDER BY 1"
        with self._open() as connection:
            return [value for (value,) in connection.execute(sql, (study.number,))]

    def listed(self, study: Study, query: StudyQuery) -> tuple[int, list[dict[str, Any]]]:
        """How many judgements a query finds, and those of its page: disagreements first."""
        where, values = _where(study, query)
        names = ("n", "key", "task", "domain", "model", "judge", "kind", "said", "answer", "standing")
        with self._open() as connection:
            (count,) = connection.execute(f"SELECT count(*) FROM judged WHERE {where}", values).fetchone()
            rows = connection.execute(
                f"SELECT {', '.join(names)} FROM judged WHERE {where} ORDER BY standing, n LIMIT ? OFFSET ?",
                (*values, query.limit, query.offset),
            ).fetchall()
        found = [dict(zip(names, row, strict=True)) for row in rows]
        return count, [{**row, "standing": STANDINGS[row["standing"]]} for row in found]

    def beside(self, study: Study, query: StudyQuery, number: int) -> tuple[int | None, int | None]:
        """The judgements before and after one in the order of a list; None at its ends."""
        where, values = _where(study, query)
        found: list[int | None] = []
        with self._open() as connection:
            here = connection.execute(
                "SELECT standing FROM judged WHERE study = ? AND n = ?", (study.number, number)
            ).fetchone()
            for sign, order in (("<", "DESC"), (">", "ASC")):
                row = connection.execute(
                    f"SELECT n FROM judged WHERE {where} AND (standing, n) {sign} (?, ?) "
                    f"ORDER BY standing {order}, n {order} LIMIT 1",
                    (*values, here[0] if here else 0, number),
                ).fetchone()
                found.append(row and row[0])
        return found[0], found[1]

    def judged(self, study: Study, number: int) -> Judged | None:
        """One judgement with its answer and task, read from their files; None where there is none.

        Raises `UsageError` where a file was changed since it was read.
        """
        sql = "SELECT key, standing, at, answer_at, task_at FROM judged WHERE study = ? AND n = ?"
        with self._open() as connection:
            found = connection.execute(sql, (study.number, number)).fetchone()
        if found is None:
            return None
        key, standing, at, answer_at, task_at = found
        judgement = _at(study.folder / FILES[2], at)
        if judgement is None or key_of(judgement) != key:
            raise UsageError(f"{study.folder / FILES[2]}: was changed while it was read; reload the page")
        answer = None if answer_at is None else _at(study.folder / FILES[1], answer_at)
        task = None if task_at is None else _at(study.folder / FILES[0], task_at)
        return Judged(judgement, answer, task, key, STANDINGS[standing])


def key_of(judgement: Mapping[str, Any]) -> str:
    """What names a judgement in its run."""
    return json.dumps([judgement.get(name) for name in ("kind", "judge", "task", "model", "epoch")])


def _answer_name(record: Mapping[str, Any]) -> str:
    return json.dumps([record.get(name) for name in ("task", "model", "epoch")])


def _answer(record: Mapping[str, Any]) -> str:
    verdict = record.get("verdict")
    return str(verdict.get("answer", "")) if isinstance(verdict, dict) else ""


def _words(record: Mapping[str, Any], *names: str) -> str:
    return "\n" + "\n".join(str(record.get(name) or "")[:SEARCHED] for name in names).casefold()


def _lines(study: Study, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a file, each with its place; lines that are none are counted."""
    at = 0
    with path.open("rb") as file:
        while line := file.readline(LINE_BYTES):
            record = parsed(line)
            if record is not None:
                yield at, record
            elif line.strip():
                study.broken += 1
            at += len(line)


def _at(path: Path, at: int) -> dict[str, Any] | None:
    with path.open("rb") as file:
        file.seek(at)
        return parsed(file.readline(LINE_BYTES))


def _where(study: Study, query: StudyQuery) -> tuple[str, tuple[Any, ...]]:
    conditions: list[tuple[str, Any]] = [("study = ?", study.number)]
    if query.standing:
        place = STANDINGS.index(query.standing) if query.standing in STANDINGS else -1
        conditions.append(("standing = ?", place))
    named = (("judge", query.judge), ("kind", query.kind), ("domain", query.domain))
    conditions += [(f"{column} = ?", value) for column, value in named if value]
    if query.text:
        conditions.append(("instr(words, ?) > 0", query.text.casefold()))
    if query.keys is not None:
        word = "NOT IN" if query.without else "IN"
        conditions.append((f"key {word} (SELECT value FROM json_each(?))", json.dumps(sorted(query.keys))))
    return " AND ".join(sql for sql, _ in conditions), tuple(value for _, value in conditions)
