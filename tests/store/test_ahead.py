"""Many open one new file at once, and nobody is refused."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from truespec.store import ahead
from truespec.store.ahead import write_ahead
from truespec.store.calls import CallLedger
from truespec.store.ledger import Ledger

RUNS = 4


@pytest.mark.parametrize("kind", [CallLedger, Ledger])
def test_runs_that_start_together_open_one_ledger(kind: type[CallLedger | Ledger], tmp_path: Path) -> None:
    start = Barrier(RUNS)

    def opened(path: Path) -> None:
        start.wait()
        with kind(path):
            pass

    with ThreadPoolExecutor(RUNS) as threads:
        for number in range(50):
            list(threads.map(opened, [tmp_path / f"{number}.sqlite"] * RUNS))


def test_a_file_that_stays_locked_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "OPENING_SECONDS", 0.02)
    path = tmp_path / "held.sqlite"
    with closing(sqlite3.connect(path)) as holder, closing(sqlite3.connect(path, timeout=0)) as late:
        holder.execute("CREATE TABLE t (a)")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            write_ahead(late)
