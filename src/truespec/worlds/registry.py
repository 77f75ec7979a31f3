"""The models of environments that are known, and the databases beside the traces."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truespec.traces.files import Problem, TraceFile, loads
from truespec.traces.trace import Trace
from truespec.verdict import UsageError
from truespec.worlds.world import Tables, World

BUILT_IN = {
    "airline": "truespec.worlds.airline:WORLD",
    "retail": "truespec.worlds.retail:WORLD",
}
"""The models by the names of their environments, as traces name their domain."""
DATABASES = ("db.json", "db.json.gz")
"""What the file with the database of an environment may be called, in its folder of joins."""
SLICE = 30_000
"""Characters of the records that an extractor is shown of a database."""
_WORD = re.compile(r"[#\w.@-]+")


@dataclass
class Worlds:
    """Models of environments, and where their databases lie."""

    folder: Path | None = None
    """The folder of joins, with `<domain>/db.json`; None for the folder `domains` beside each trace file."""
    given: Mapping[str, str] = field(default_factory=dict)
    """Models of the user's own by environment, each as `MODULE:NAME`."""
    _worlds: dict[str, World | None] = field(default_factory=dict, compare=False, repr=False)
    _tables: dict[Path, Tables | str] = field(default_factory=dict, compare=False, repr=False)

    def world(self, domain: str | None) -> World | None:
        """The model of an environment, where one is known; `UsageError` where the user's own is none."""
        name = domain or ""
        if name not in self._worlds:
            place = self.given.get(name) or BUILT_IN.get(name)
            self._worlds[name] = _load(name, place) if place else None
        return self._worlds[name]

    def of(self, trace: Trace) -> tuple[World, Tables] | str | None:
        """The model and the database of a trace; a text says why there is no database; None: no model."""
        world = self.world(trace.domain)
        if world is None or trace.domain is None:
            return None
        folder = self.folder or Path(trace.source.file).parent / "domains"
        here = folder / trace.domain
        if here not in self._tables:
            self._tables[here] = _database(here, world)
        tables = self._tables[here]
        return tables if isinstance(tables, str) else (world, tables)

    def slice(self, trace: Trace) -> Mapping[str, Any] | None:
        """The records of the database that the task or the conversation names, for an extractor to read.

        None where there is no model or no database.
        """
        found = self.of(trace)
        if found is None or isinstance(found, str):
            return None
        _, tables = found
        texts = [json.dumps(trace.task, default=str, ensure_ascii=False)] if trace.task else []
        texts += [message.text or "" for message in trace.messages]
        words = {word.rstrip(".") for text in texts for word in _WORD.findall(text)}
        shown: dict[str, dict[str, Any]] = {}
        room = SLICE
        for name, rows in tables.items():
            for key in sorted(words & rows.keys()):
                room -= len(json.dumps(rows[key], ensure_ascii=False))
                if room >= 0:
                    shown.setdefault(name, {})[key] = rows[key]
        return shown or None


def _load(name: str, place: str) -> World:
    module, _, attribute = place.partition(":")
    if (here := os.getcwd()) not in sys.path:  # the user's own module may stand in the current folder
        sys.path.append(here)
    try:
        world = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--world {name}={place}: {error}: expected {name}=MODULE:NAME") from None
    if not isinstance(world, World):
        raise UsageError(f"--world {name}={place}: expected a truespec.worlds.world.World, not {world!r:.60}")
    return world


def _database(here: Path, world: World) -> Tables | str:
    """The database in a folder, or why there is none."""
    path = next((here / name for name in DATABASES if (here / name).is_file()), None)
    if path is None:
        return f"no {' or '.join(DATABASES)} in {here}"
    data = TraceFile(path).whole()
    if isinstance(data, Problem):
        return str(data)
    try:
        tables = loads(data)
    except ValueError as error:
        return f"{path} is no JSON: {error}"
    lacks = world.lacks(tables)
    return f"{path} is no database of {world.name}: {lacks}" if lacks else tables
