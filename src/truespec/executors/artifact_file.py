"""Where the artifacts of a run go: a file of JSON lines, or a folder with one file each.

An output is locked while a run writes it. A run can be taken up again after a crash or an interruption: what
an earlier run has written is read first and kept until the new run has come to it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from truespec.compliance import RULE_SET
from truespec.compliance.run import Tally, kept_lines
from truespec.traces.record import line_of
from truespec.untrusted.outputs import hold, is_stream, named
from truespec.verdict import UsageError


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step: a reader sees the old text or the new one. A device is written as it is."""
    if is_stream(path):
        with named(path), path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", errors="backslashreplace")
    part.replace(path)


def is_folder(output: Path) -> bool:
    """Whether an output is a folder with one file per artifact."""
    return output.suffix not in (".jsonl", ".ndjson") and not is_stream(output)


def beside(output: Path, name: str) -> Path | None:
    """What belongs to an output: `name` inside the folder, or the file's own name with `.name` added.

    None for a pipe or a device.
    """
    if is_stream(output):
        return None
    return output / name if is_folder(output) else output.with_name(f"{output.name}.{name}")


class ArtifactFile:
    """The output of a run, or nothing where `path` is None.

    Raises `UsageError` where another run writes it.
    """

    def __init__(self, path: Path | None, resume: bool, compact: bool = False) -> None:
        if compact and (path is None or is_folder(path)):
            raise UsageError(
                "--compact: rule sets stand once in a file; give -o a name that ends with .jsonl"
            )
        self._compact = compact
        self._sets: set[str] = set()
        self.path = path
        self.is_folder = path is not None and is_folder(path)
        self.earlier: dict[str, dict[str, Any]] = {}
        """Artifacts of an earlier run by key that this run has not come to."""
        self._stream: IO[bytes] | None = None
        self._held = ExitStack()
        """Ends the locks."""
        self._resume = resume
        if path is None and resume:
            raise UsageError("--resume keeps what an output holds: name it with -o")
        if path is None:
            return
        if resume and is_stream(path):
            raise UsageError(f"--resume needs an output file or folder, and {path} keeps nothing")
        (path if self.is_folder else path.parent).mkdir(parents=True, exist_ok=True)
        if is_stream(path):
            self._stream = path.open("wb")
            return
        with ExitStack() as failing:
            failing.callback(self._held.close)
            _take(path, self.is_folder, self._held)
            if resume:
                self._read_earlier(path)
            if not self.is_folder:
                self._stream = (self._part(path) if resume else path).open("wb")
            failing.pop_all()

    def write(self, record: Mapping[str, Any], new: bool) -> None:
        """Add an artifact; one that is not new stands in a folder already."""
        self.earlier.pop(record["key"], None)
        if self._stream is not None:
            with named(self.path or Path()):
                self._stream.writelines(self._compacted(record))
                self._stream.flush()
        elif self.path is not None and new:
            self._write_one(record["key"], record["trace_id"], _line(record))

    def write_rendered(self, artifacts: Rendered) -> None:
        """Add artifacts that are lines already; they are new."""
        for key, _ in artifacts.names:
            self.earlier.pop(key, None)
        if self._stream is not None:
            with named(self.path or Path()):
                self._stream.writelines(artifacts.lines)
                self._stream.flush()
        elif self.path is not None:
            lines = b"".join(artifacts.lines).splitlines(keepends=True)
            for (key, trace_id), line in zip(artifacts.names, lines, strict=True):
                self._write_one(key, trace_id, line)

    def _write_one(self, key: str, trace_id: str, line: bytes) -> None:
        """Write an artifact's own file."""
        assert self.path is not None
        write_whole(self.path / f"{_safe(trace_id)}-{key}.json", line.decode())

    def stop(self) -> None:
        """End an interrupted run: what the earlier one had is kept."""
        if self._stream is not None:
            for record in self.earlier.values():
                self._stream.writelines(self._compacted(record))
        self.end()

    def end(self) -> None:
        """End a run that has come to every trace."""
        whole = self._resume and self._stream is not None
        self._close()
        if whole and self.path is not None:
            self._part(self.path).replace(self.path)
        self._held.close()

    def close(self) -> None:
        """Close the file and give it free; harmless when it is closed."""
        self._close()
        self._held.close()

    def _close(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            with named(self.path or Path()):
                stream.close()

    def _compacted(self, record: Mapping[str, Any]) -> Iterator[bytes]:
        """The lines of an artifact; where rule sets stand once, the set first and then its name."""
        if not self._compact:
            yield _line(record)
            return
        text = json.dumps(record["rules"], sort_keys=True, default=str)
        name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if name not in self._sets:
            self._sets.add(name)
            yield _line({RULE_SET: name, "rules": record["rules"]})
        yield _line({**record, "rules": name})

    @staticmethod
    def _part(path: Path) -> Path:
        return path.with_name(path.name + ".part")

    def _read_earlier(self, path: Path) -> None:
        part = self._part(path)
        if self.is_folder:
            for one in sorted(path.glob("*.json")) if path.is_dir() else ():
                self.earlier.update((record["key"], record) for _, record in kept_lines(one))
            return
        self.earlier.update((record["key"], record) for _, record in kept_lines(path))
        if part.exists():  # an earlier attempt to resume was killed
            self.earlier.update((record["key"], record) for _, record in kept_lines(part))
            self._join(path, part)

    def _join(self, path: Path, part: Path) -> None:
        kept = path.with_name(path.name + ".kept")
        write_whole(kept, b"".join(map(_line, self.earlier.values())).decode())
        _take(kept, False, self._held)
        kept.replace(path)
        part.unlink()


def _take(path: Path, is_folder: bool, held: ExitStack) -> None:
    """Lock a file, made where it is absent, or a folder, until `held` is closed."""
    while True:
        file = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR | os.O_CREAT, 0o666)
        held.callback(os.close, file)
        hold(file, path)
        # A run that has just ended may have put another file in its place.
        if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
            return


class Rendered:
    """Artifacts that nobody changes any more: their lines, and their counts.

    The lines travel as one value: many would be copied several times on their way.
    """

    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []
        """The key of each artifact, and the name of its trace."""
        self.lines: list[bytes] = []
        """Its line; or, where they have travelled, all lines as one."""
        self.tally = Tally()
        """What they amount to."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Count an artifact and keep its line."""
        self.tally.add(record)
        self.names.append((record["key"], record["trace_id"]))
        self.lines.append(_line(record))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "lines": [b"".join(self.lines)]}


def _line(record: Mapping[str, Any]) -> bytes:
    return line_of(record).encode() + b"\n"


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:80].lstrip(".") or "trace"
