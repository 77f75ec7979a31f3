"""Two versions of SQL files compared statement by statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from truespec.domains.sql.files import Statement, align, statements
from truespec.domains.verify import Pair
from truespec.executors.pool import Job, verifiers
from truespec.untrusted.inputs import text_of
from truespec.verdict import SpecificationError, Undecided, UsageError, Verdict

LARGEST = 16 << 20
"""Bytes of one file."""
SHOWN = 60
"""Characters of a statement that name it."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one statement."""

    file: str
    """The file, relative to the folder that was compared; the name of the new file otherwise."""
    old_line: int | None
    """Where the statement begins in the old file; None where it was added."""
    new_line: int | None
    """Where it begins in the new file; None where it was removed."""
    kind: str
    """`compared`, `unchanged`, `added`, `removed`, or `not compared` (no query, or unreadable)."""
    detail: str
    """Why it was not compared; empty otherwise."""
    verdict: Verdict | None
    """Of a compared statement."""
    text: str = ""
    """How the statement begins, in the new file where it stands there; empty for a whole file."""

    def of(self, file: str) -> Change:
        """The same change under another name of its file."""
        return replace(self, file=file)

    def to_json(self) -> dict[str, object]:
        """As one JSON object."""
        return {
            "file": self.file,
            "old_line": self.old_line,
            "new_line": self.new_line,
            "text": self.text or None,
            "kind": self.kind,
            "detail": self.detail or None,
            "verdict": self.verdict.to_json() if self.verdict else None,
        }


@dataclass(frozen=True, slots=True)
class _Open:
    """A statement that is still to be compared."""

    file: str
    lines: tuple[int, int]
    queries: tuple[str, str]
    text: str

    def decided(self, verdict: Verdict) -> Change:
        """The change with its verdict."""
        return Change(self.file, *self.lines, "compared", "", verdict, self.text)


def diff(
    old: Path, new: Path, context: Mapping[str, object], *, timeout: float, jobs: int
) -> Iterator[Change]:
    """Each statement of two files, or of two folders of `*.sql` files, with its verdict; in order.

    Raises `UsageError` where a path cannot be read or a folder is compared with a file.
    """
    changes: list[Change | _Open] = []
    dialect = str(context.get("dialect") or "mysql")
    for name, before, after in _files(old, new):
        changes += _changes(name, before, after, dialect)
    work = [
        Job(number, Pair("sql", *change.queries, dict(context)), timeout)
        for number, change in enumerate(changes)
        if isinstance(change, _Open)
    ]
    verdicts: dict[int, Verdict] = {}
    shown = 0

    def ready() -> Iterator[Change]:
        nonlocal shown
        while shown < len(changes):
            change = changes[shown]
            if isinstance(change, _Open):
                if shown not in verdicts:
                    return
                change = change.decided(verdicts.pop(shown))
            yield change
            shown += 1

    yield from ready()
    if work:
        with verifiers(["sql"], min(jobs, len(work))) as workers:
            for number, verdict in workers.run(work):
                verdicts[number] = verdict
                yield from ready()


def _files(old: Path, new: Path) -> Iterator[tuple[str, Path | None, Path | None]]:
    if old.is_dir() != new.is_dir():
        raise UsageError(f"{old} and {new}: give two files or two folders")
    if not old.is_dir():
        yield new.name, old, new
        return
    names = sorted({path.relative_to(top).as_posix() for top in (old, new) for path in top.rglob("*.sql")})
    if not names:
        raise UsageError(f"{old} and {new}: no file that ends in .sql")
    for name in names:
        before, after = old / name, new / name
        yield name, before if before.is_file() else None, after if after.is_file() else None


def _read(path: Path | None) -> str:
    if path is None:
        return ""
    return text_of(path, LARGEST)


def _changes(name: str, before: Path | None, after: Path | None, dialect: str) -> Iterator[Change | _Open]:
    texts = _read(before), _read(after)
    if before and after and texts[0] == texts[1]:
        if not texts[0].strip():
            return
        yield Change(name, 1, 1, "unchanged", "", None)
        return
    sides = []
    for which, text in zip(("old", "new"), texts, strict=True):
        try:
            sides.append(statements(text, dialect))
        except (SpecificationError, Undecided) as error:
            yield Change(name, None, None, "not compared", f"the {which} file: {error}", None)
            return
    for pair in align(*sides):
        text = _beginning(pair.new or pair.old)
        old_line = pair.old.line if pair.old else None
        new_line = pair.new.line if pair.new else None
        if pair.old is None or pair.new is None:
            yield Change(name, old_line, new_line, "removed" if pair.new is None else "added", "", None, text)
        elif pair.unchanged:
            yield Change(name, old_line, new_line, "unchanged", "", None, text)
        elif pair.old.query is None or pair.new.query is None:
            detail = f"{(pair.old if pair.old.query is None else pair.new).kind} is no query"
            yield Change(name, old_line, new_line, "not compared", detail, None, text)
        elif pair.old.head != pair.new.head:
            detail = f"{pair.old.head or 'a query'} became {pair.new.head or 'a query'}"
            yield Change(name, old_line, new_line, "not compared", detail, None, text)
        else:
            lines, queries = (pair.old.line, pair.new.line), (pair.old.query, pair.new.query)
            yield _Open(name, lines, queries, text)


def _beginning(statement: Statement | None) -> str:
    text = " ".join(statement.text.split()) if statement else ""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
