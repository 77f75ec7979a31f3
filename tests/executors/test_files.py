"""What a batch and a re-check may read and write: nothing is lost, nothing is read twice."""

from __future__ import annotations

import errno
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from truespec.cli.batch import describe
from truespec.executors.batch import opened, run_batch
from truespec.executors.merge import run_merge
from truespec.executors.recheck import run_recheck
from truespec.store.ledger import Ledger
from truespec.store.pairs import BrokenLine, read_pairs, spooled
from truespec.untrusted.outputs import reserved
from truespec.verdict import UsageError

LINE = '{"id": "%s", "domain": "regex", "oracle": "a", "candidate": "a"%s}\n'


def written(folder: Path, names: str = "ab") -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("".join(LINE % (name, "") for name in names), "utf-8")
    return path


def batch(pairs: Path, output: Path, **more: Any) -> Any:
    return run_batch(pairs, output, **{"timeout": 60.0, "jobs": 1, "resume": False, **more})


def command(*arguments: str, given: bytes = b"") -> tuple[int, str, str]:
    line = [sys.executable, "-m", "truespec", *arguments]
    run = subprocess.run(line, input=given, capture_output=True, check=False)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


# -- a batch ----------------------------------------


def test_a_hard_link_to_the_input_is_no_output(tmp_path: Path) -> None:
    pairs = written(tmp_path)
    other = tmp_path / "other.jsonl"
    other.hardlink_to(pairs)
    with pytest.raises(UsageError, match="is the input itself, under the name of"):
        batch(pairs, other)
    assert pairs.read_text("utf-8").count("\n") == 2


def test_the_ledger_replaces_no_input(tmp_path: Path) -> None:
    pairs = written(tmp_path).rename(tmp_path / "found.jsonl.ledger")
    with pytest.raises(UsageError, match="would replace the input"):
        batch(pairs, tmp_path / "found.jsonl")
    assert pairs.read_text("utf-8").count("\n") == 2


@pytest.mark.parametrize("database", [False, True])
def test_a_foreign_file_in_the_ledgers_place_is_not_removed(tmp_path: Path, database: bool) -> None:
    foreign = tmp_path / "accounts.ledger"
    foreign.write_text("2026-01-01 opening\n")
    if database:
        foreign.unlink()
        with closing(sqlite3.connect(foreign)) as own:
            own.execute("CREATE TABLE mine (a)")
    kept = foreign.read_bytes()
    with pytest.raises(UsageError, match="is not a ledger of ours"):
        batch(written(tmp_path), tmp_path / "accounts")
    assert foreign.read_bytes() == kept


def test_two_runs_do_not_write_one_table(tmp_path: Path) -> None:
    pairs, output = written(tmp_path), tmp_path / "out.parquet"
    batch(pairs, output)
    kept = output.read_bytes()
    with reserved(output):
        for run in (lambda: batch(pairs, output), lambda: run_merge([tmp_path / "other"], output, pairs)):
            with pytest.raises(UsageError, match="is being written by another run"):
                run()
    assert output.read_bytes() == kept
    assert Ledger.count(tmp_path / "out.parquet.ledger") == 1


def test_a_table_that_was_not_written_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such ledger"):
        run_merge([tmp_path / "other"], tmp_path / "out.parquet", written(tmp_path))
    assert not (tmp_path / "out.parquet").exists()


def test_two_runs_do_not_write_one_output(tmp_path: Path) -> None:
    pairs, output = written(tmp_path), tmp_path / "out.jsonl"
    batch(pairs, output)
    kept = output.read_text("utf-8")
    for resume in (False, True):
        with opened(output) as file:
            file.write(kept)
            file.flush()
            with pytest.raises(UsageError, match="is being written by another run"):
                batch(pairs, output, resume=resume)
        assert output.read_text("utf-8") == kept
    assert batch(pairs, output, resume=True).reused == 2


def test_a_ledger_that_is_begun_anew_is_told(tmp_path: Path) -> None:
    pairs, output = written(tmp_path), tmp_path / "out.jsonl"
    assert batch(pairs, output).discarded == 0
    assert batch(pairs, output, resume=True).discarded == 0
    summary = batch(pairs, output)
    assert summary.discarded == 1
    assert "begun anew without the 1 verdict of an earlier run" in describe(summary, 1.0)


def test_doubled_ids_are_placed_in_what_was_read() -> None:
    code, _, said = command("batch", "-", "-o", "-", given=(LINE % ("a", "") * 2).encode())
    assert code == 2
    assert said.startswith("truespec: standard input: id 'a' stands on line 1 and again on line 2")


def test_a_full_device_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^/dev/full: No space left"):
        batch(written(tmp_path), Path("/dev/full"))


def test_a_copy_of_a_pipe_that_finds_no_room_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("truespec.store.pairs.shutil.copyfileobj", full)
    with pytest.raises(UsageError, match=r"/copy\.jsonl: No space left"):
        spooled(Path("/dev/null"), tmp_path / "copy.jsonl")


def test_a_ledger_that_cannot_grow_is_named(tmp_path: Path) -> None:
    with Ledger(tmp_path / "x.ledger") as ledger:
        ledger._database.execute("PRAGMA max_page_count = 5")
        with pytest.raises(UsageError, match=r"x\.ledger: .*full"):
            ledger.put_record("k", "x" * 100_000)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (', "contxt": {"flags": "i"}', "unknown field 'contxt' (did you mean 'context'?)"),
        (', "Context": {"flags": "i"}', "did you mean 'context'?"),
        (', "flags": "i"', "'flags' stands beside the context"),
        (', "context": {}, "match": "search"', "'match' stands beside the context"),
    ],
)
def test_what_belongs_into_the_context_is_not_passed_over(tmp_path: Path, more: str, said: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(LINE % ("a", more), "utf-8")
    (entry,) = read_pairs(path)
    assert isinstance(entry, BrokenLine)
    assert said in entry.error


@pytest.mark.parametrize(
    "more",
    [
        "",
        ', "flags": 7',
        ', "constraints": ["a > 0"]',
        ', "match": "ful"',
        ', "contxt": null',
        ', "note": "context"',
    ],
)
def test_other_fields_are_free(tmp_path: Path, more: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(LINE % ("a", more), "utf-8")
    assert [entry for entry in read_pairs(path) if isinstance(entry, BrokenLine)] == []


# -- a re-check ----------------------------------------


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("recheck")
    pairs, verdicts = written(folder), folder / "verdicts.jsonl"
    batch(pairs, verdicts)
    return pairs, verdicts


CONFIRMED = {"equivalent, by stepping both texts beside the certificate's automaton": 2}


@pytest.mark.parametrize("piped", ["verdicts", "pairs"])
def test_a_recheck_reads_standard_input_once(checked: tuple[Path, Path], piped: str) -> None:
    pairs, verdicts = checked
    given = {"verdicts": verdicts, "pairs": pairs}
    names = {name: "/dev/stdin" if name == piped else str(path) for name, path in given.items()}
    for name in ("/dev/stdin", "-"):
        names[piped] = name
        line = ("recheck", names["verdicts"], "--pairs", names["pairs"], "--json")
        code, out, said = command(*line, given=given[piped].read_bytes())
        assert (code, said) == (0, "")
        assert json.loads(out)["confirmed"] == CONFIRMED


def test_a_pair_without_a_verdict_is_told(checked: tuple[Path, Path], tmp_path: Path) -> None:
    pairs, verdicts = checked
    half = tmp_path / "half.jsonl"
    half.write_text(verdicts.read_text("utf-8").splitlines(True)[0], "utf-8")
    code, out, _ = command("recheck", str(half), "--pairs", str(pairs))
    assert code == 0
    assert "not checked       1  pair without a verdict\n  'b': pair without a verdict\n" in out


def spoilt(change: Callable[[dict[str, Any]], object], verdicts: Path, folder: Path) -> Path:
    records = [json.loads(line) for line in verdicts.read_text("utf-8").splitlines()]
    change(records[0])
    path = folder / "spoilt.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def test_a_certificate_of_an_unknown_kind_is_named(checked: tuple[Path, Path], tmp_path: Path) -> None:
    pairs, verdicts = checked
    path = spoilt(lambda r: r["evidence"]["proof"].update(certificate={"kind": "oath"}), verdicts, tmp_path)
    found = {one.id: one.recheck for one in run_recheck(path, pairs, timeout=30.0, jobs=1)}
    assert found["a"] is not None
    assert "'oath'" in found["a"].detail


def test_a_flat_table_is_no_verdict_file_to_check(checked: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a flat table"):
        list(run_recheck(tmp_path / "x.parquet", checked[0], timeout=30.0, jobs=1))
