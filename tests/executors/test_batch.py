"""A batch gives every line its verdict or record, in order, whatever the lines hold and whoever kills it."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from truespec.cli.batch import describe
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.batch import ledger_path, run_batch
from truespec.store.ledger import Ledger, _seal, key
from truespec.verdict import UsageError


def pair(name: str, oracle: str, candidate: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "domain": "regex", "oracle": oracle, "candidate": candidate, **more}


def write(path: Path, lines: list[Any]) -> Path:
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path.write_bytes(b"\n".join(raw) + b"\n")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def batch(folder: Path, lines: list[Any], **options: Any) -> list[dict[str, Any]]:
    settings = {"timeout": 10.0, "jobs": 2, "resume": False, **options}
    run_batch(write(folder / "pairs.jsonl", lines), folder / "out.jsonl", **settings)
    return read(folder / "out.jsonl")


def test_every_line_has_its_verdict_or_record_in_its_place(tmp_path: Path) -> None:
    lines: list[Any] = [
        pair("good", "(ab)*", "(ab)*(ab)?"),
        b"{not json",
        pair("bad candidate", "a", "(a"),
        pair("bad oracle", "(a", "a"),
        b"",
        [1, 2],
        {"id": "x", "domain": "regex", "oracle": "a"},
        pair("wrong", "a*", "a+", expected="equivalent"),
        {**pair("?", "a", "a"), "domain": "poetry"},
        {**pair("??", "a", "a"), "context": "ascii"},
        {**pair("???", "a", "a"), "oracle": 7},
        b'{"id": "twice", "id": "twice", "domain": "regex", "oracle": "a", "candidate": "a"}',
        b'{"id": "nan", "domain": "regex", "oracle": "a", "candidate": "a", "weight": NaN}',
        b'{"id": "\xff", "domain": "regex", "oracle": "a", "candidate": "a"}',
        b"[" * 5_000,
        {**pair("deep", "a", "a"), "context": json.loads("[" * 400 + "]" * 400) and {"x": _nested(400)}},
        pair("surrogate", "a", "\ud800"),
        pair("last", "a|b", "[ab]"),
    ]
    records = batch(tmp_path, lines)
    assert len(records) == len(lines)
    answers = [record.get("answer") for record in records]
    assert answers[0] == answers[-1] == "equivalent"
    assert answers[2] == "invalid"
    assert records[3]["reason"]["code"] == "oracle"
    assert answers[7] == "refuted"
    assert answers[16] == "refuted"
    for position in (1, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15):
        assert records[position] == {"line": position + 1, "error": records[position]["error"]}
        assert len(records[position]["error"]) > 10
    assert "column" in records[1]["error"]
    assert "poetry" in records[8]["error"]
    assert "byte 0xff" in records[13]["error"]


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def test_doubled_ids_are_refused_before_any_work(tmp_path: Path) -> None:
    lines = [pair("a", "x", "x"), pair("b", "x", "x"), pair("a", "y", "y")]
    with pytest.raises(UsageError, match=r"'a' stands on line 1 and again on line 3"):
        batch(tmp_path, lines)
    assert not (tmp_path / "out.jsonl").exists()
    assert not ledger_path(tmp_path / "out.jsonl").exists()


def test_resume_reuses_what_is_there_and_nothing_else(tmp_path: Path) -> None:
    lines = [pair(str(n), "a" * n, "a" * n) for n in range(20)]
    first = batch(tmp_path, lines)
    # A changed pair, a new pair and another limit are computed; the rest is not.
    changed = [*lines[:10], pair("10", "a", "b"), *lines[11:], pair("20", "c", "c")]
    summary = run_batch(
        write(tmp_path / "pairs.jsonl", changed), tmp_path / "out.jsonl", timeout=10.0, jobs=1, resume=True
    )
    assert summary.reused == 19
    second = read(tmp_path / "out.jsonl")
    assert [r for r in second if r["id"] not in {"10", "20"}] == [r for r in first if r["id"] != "10"]
    assert second[10]["answer"] == "refuted"
    again = run_batch(tmp_path / "pairs.jsonl", tmp_path / "out.jsonl", timeout=11.0, jobs=1, resume=True)
    assert again.reused == 0


def tamper(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE verdicts SET record = replace(record, 'refuted', 'equivalent')", "changed"),
        ("UPDATE verdicts SET record = (SELECT max(record) FROM verdicts)", "changed"),
        ("UPDATE verdicts SET record = '[[[['", "changed"),
        ("UPDATE verdicts SET record = x'00ff'", "changed"),
    ],
)
def test_records_that_were_changed_are_not_taken(tmp_path: Path, statement: str, problem: str) -> None:
    lines = [pair(str(n), "a" * n, "b" * (n + 1)) for n in range(5)]
    first = batch(tmp_path, lines)
    tamper(ledger_path(tmp_path / "out.jsonl"), statement)
    again = run_batch(tmp_path / "pairs.jsonl", tmp_path / "out.jsonl", timeout=10.0, jobs=1, resume=True)
    assert again.reused + again.refused.total() == 5
    assert again.refused.total() >= 4
    assert all(problem in found for found in again.refused)
    assert [r["answer"] for r in read(tmp_path / "out.jsonl")] == [r["answer"] for r in first]
    assert "decided anew" in describe(again, 1.0)


def test_sealed_records_that_are_no_verdicts_on_the_pair_are_not_taken(tmp_path: Path) -> None:
    one = Pair("regex", "a", "b")
    path = tmp_path / "x.ledger"
    stored = verify_pair(one, 5.0)
    for record in (
        {**stored.to_json(), "domain": "fol"},
        {**stored.to_json(), "version": "0.0.0"},
        {**stored.to_json(), "evidence": None},
        {**stored.to_json(), "answer": "equivalent"},
        {},
    ):
        with Ledger(path) as ledger:
            text = json.dumps(record)
            row = (key(one, 5.0), text, _seal(key(one, 5.0), text))
            ledger._database.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", row)
            assert ledger.get(key(one, 5.0), "regex") is None
            assert ledger.refused.total() == 1


def test_a_ledger_says_what_it_was_kept_for(tmp_path: Path) -> None:
    lines = [pair(str(n), "a" * n, "a" * n) for n in range(3)]
    batch(tmp_path, lines)
    run = partial(run_batch, tmp_path / "pairs.jsonl", tmp_path / "out.jsonl", jobs=1, resume=True)
    assert run(timeout=10.0).foreign == []
    (told,) = run(timeout=11.0).foreign
    assert "limit: 10 s, now 11 s" in told
    write(tmp_path / "pairs.jsonl", lines[:2])
    (told,) = run(timeout=11.0).foreign
    assert "another input" in told
    tamper(ledger_path(tmp_path / "out.jsonl"), "DROP TABLE bound_to")
    with pytest.raises(UsageError, match="does not say what it was kept for"):
        run(timeout=11.0)


def test_a_foreign_file_in_the_ledgers_place_is_named(tmp_path: Path) -> None:
    ledger_path(tmp_path / "out.jsonl").write_text("my notes, not a database\n" * 50)
    with pytest.raises(UsageError, match="not a ledger of ours"):
        batch(tmp_path, [pair("a", "x", "x")], resume=True)


def test_input_is_never_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.jsonl", [pair("a", "x", "x")])
    with pytest.raises(UsageError, match="the input itself"):
        run_batch(path, path, timeout=1.0, jobs=1, resume=False)
    assert read(path) == [pair("a", "x", "x")]


@pytest.mark.slow
def test_killed_twenty_times_and_resumed_it_equals_an_undisturbed_run(tmp_path: Path) -> None:
    chance = random.Random(11)
    texts = [f"(a{{1,{n}}}b?)*c{{{n}}}" for n in range(2, 40)]
    lines: list[Any] = []
    for number in range(1500):
        if number % 100 == 50:
            lines.append(b"no pair")
        else:
            oracle, candidate = chance.choice(texts), chance.choice(texts)
            lines.append(pair(f"p{number}", oracle + str(number), candidate + str(number)))
    undisturbed = batch(tmp_path, lines)
    output = tmp_path / "killed.jsonl"
    command = [sys.executable, "-m", "truespec", "batch", str(tmp_path / "pairs.jsonl"), "-o", str(output)]
    command += ["--timeout", "10", "--jobs", "2", "--resume"]
    kills = 0
    while kills < 20:
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(chance.uniform(0.3, 1.2))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    subprocess.run(command, stderr=subprocess.DEVNULL, check=True)
    assert [_lasting(record) for record in read(output)] == [_lasting(record) for record in undisturbed]


def _lasting(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "seconds"}
