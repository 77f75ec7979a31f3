"""Batches as streams: standard input and output, stragglers, shards and their merge, flat tables."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from misbehave import GOOD, behave

import truespec
from truespec.domains.verify import Pair
from truespec.executors import batch as batches
from truespec.executors.batch import ledger_path, run_batch
from truespec.executors.merge import Contradiction, run_merge
from truespec.executors.pool import Job, Workers, failed_verdict
from truespec.store.ledger import Ledger, key
from truespec.store.pairs import Shard, read_pairs, scan
from truespec.store.rows import COLUMNS
from truespec.verdict import Counterexample, UsageError, Verdict, refuted


def pair(name: str, candidate: str, oracle: str = "a", **more: Any) -> dict[str, Any]:
    return {"id": name, "domain": "regex", "oracle": oracle, "candidate": candidate, **more}


def write(path: Path, lines: Iterable[Any]) -> Path:
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), "utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def lasting(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "seconds"}


def scripted(domains: tuple[str, ...], jobs: int) -> Workers[Pair, Verdict]:
    return Workers(behave, failed_verdict, [], jobs=jobs, memory=1 << 29)  # filled in a fraction of a second


def command(*arguments: str, given: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    line = [sys.executable, "-m", "truespec", *arguments]
    return subprocess.run(line, input=given, capture_output=True, check=False, **options)


# -- streams ----------------------------------------


def test_a_pipe_is_read_once_and_answered_on_standard_output(tmp_path: Path) -> None:
    lines = [pair(str(n), "a" * (1 + n % 2)) for n in range(30)] + ["no pair"]
    text = (tmp_path / "x").read_bytes() if write(tmp_path / "x", lines) else b""
    run = command("batch", "-", "-o", "-", "--jobs", "1", given=text, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    records = [json.loads(line) for line in run.stdout.splitlines()]
    assert [record.get("answer") for record in records] == ["equivalent", "refuted"] * 15 + [None]
    assert [path.name for path in tmp_path.iterdir()] == ["x"], "nothing is left beside"


@pytest.mark.parametrize("output", ["/dev/stdout", "/dev/null"])
def test_devices_get_no_ledger_beside_them(tmp_path: Path, output: str) -> None:
    before = set(os.listdir("/dev"))
    path = write(tmp_path / "pairs.jsonl", [pair("1", "a")])
    run = command("batch", str(path), "-o", output, "--jobs", "1")
    assert run.returncode == 0, run.stderr
    assert (b"equivalent" in run.stdout) == (output == "/dev/stdout")
    assert not [name for name in set(os.listdir("/dev")) - before if "ledger" in name]
    assert command("batch", str(path), "-o", output, "--resume").returncode == 2


def test_a_named_pipe_is_input_too(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    text = json.dumps(pair("1", "a"))
    with subprocess.Popen(["sh", "-c", f"printf '%s\\n' '{text}' > {fifo}"]):
        run_batch(fifo, tmp_path / "out.jsonl", timeout=60.0, jobs=1, resume=False)
    assert [record["answer"] for record in read(tmp_path / "out.jsonl")] == ["equivalent"]


def test_doubled_ids_in_a_pipe_are_refused_before_any_work(tmp_path: Path) -> None:
    text = "".join(json.dumps(pair("twice", "a")) + "\n" for _ in range(2)).encode()
    run = command("batch", "-", "-o", str(tmp_path / "out.jsonl"), given=text)
    assert run.returncode == 2
    assert b"line 1 and again on line 2" in run.stderr
    assert list(tmp_path.iterdir()) == []


# -- the window ----------------------------------------


class Clocked:
    """An executor without processes: the first job is answered last, whatever else is answered at once."""

    def __init__(self) -> None:
        self.most = 0

    def __call__(self, domains: tuple[str, ...], jobs: int) -> AbstractContextManager[Any]:
        return self

    def __enter__(self) -> Clocked:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def run(self, jobs: Iterable[Job[str, Pair] | None]) -> Iterator[tuple[str, Verdict]]:
        straggler: Job[str, Pair] | None = None
        ahead = 0
        source = iter(jobs)
        while True:
            job = next(source, None)
            if job is None:
                if straggler is None:
                    return
                yield straggler.key, GOOD
                straggler = None
            elif straggler is None:
                straggler, ahead = job, 0
            else:
                ahead += 1
                self.most = max(self.most, ahead)
                yield job.key, GOOD


def test_a_straggler_holds_back_records_but_no_work(tmp_path: Path, monkeypatch: Any) -> None:
    path = write(tmp_path / "pairs.jsonl", [pair(str(n), f"a{n}") for n in range(5_000)])
    executor = Clocked()
    run_batch(path, tmp_path / "o", timeout=4.0, jobs=1, resume=False, executor=executor)
    assert executor.most == 4_999, "all other pairs are decided while the first is not"
    assert [record["id"] for record in read(tmp_path / "o")] == [str(n) for n in range(5_000)]
    monkeypatch.setattr(batches, "HELD_LINES", 100)
    executor = Clocked()
    run_batch(path, tmp_path / "o", timeout=4.0, jobs=1, resume=False, executor=executor)
    assert executor.most == 99, "what is held back is bounded"
    assert [record["id"] for record in read(tmp_path / "o")] == [str(n) for n in range(5_000)]


def test_stragglers_cost_no_barrier(tmp_path: Path) -> None:
    """Three of 6,000 pairs last until nearly all others are decided: their workers wait, the fourth goes on.

    A few pairs lie already with the workers that wait.
    """
    go, stragglers, number = tmp_path / "go", 3, 6_000
    lines = [
        pair(str(n), f"await {go}" if n % (number // stragglers) == 0 else "good", oracle=f"{n}")
        for n in range(number)
    ]
    path = write(tmp_path / "pairs.jsonl", lines)

    class Releasing:
        def __init__(self, workers: Workers[Pair, Verdict]) -> None:
            self.workers = workers

        def run(self, jobs: Iterable[Job[str, Pair] | None]) -> Iterator[tuple[str, Verdict]]:
            for decided, found in enumerate(self.workers.run(jobs), 1):
                if decided == number - 50:
                    go.touch()
                yield found

    @contextmanager
    def executor(domains: tuple[str, ...], jobs: int) -> Iterator[Any]:
        with scripted(domains, jobs) as workers:
            yield Releasing(workers)

    run_batch(path, tmp_path / "o", timeout=600.0, jobs=4, resume=False, executor=executor)
    assert {record["answer"] for record in read(tmp_path / "o")} == {"equivalent"}, (
        "a straggler ran into its limit"
    )


@pytest.mark.parametrize(
    ("timeout", "codes"),
    [
        (1.0, {"hang": "timeout", "segfault": "crash", "killed": "crash", "raise": "crash"}),
        (300.0, {"memory": "memory"}),  # filling memory takes its time on a busy machine
    ],
)
def test_faults_keep_their_exact_outcomes_in_order(
    tmp_path: Path, timeout: float, codes: dict[str, str]
) -> None:
    kinds = ["good"] * 30 + list(codes)
    random.Random(3).shuffle(kinds)
    lines = [pair(str(n), kind, oracle=str(n)) for n, kind in enumerate(kinds)]
    path = write(tmp_path / "pairs.jsonl", lines)
    run_batch(path, tmp_path / "out.jsonl", timeout=timeout, jobs=2, resume=False, executor=scripted)
    for kind, record in zip(kinds, read(tmp_path / "out.jsonl"), strict=True):
        if kind == "good":
            assert record["answer"] == "equivalent"
        else:
            assert record["reason"]["code"] == codes[kind]


# -- shards and merge ----------------------------------------


def some_pairs(count: int) -> list[Any]:
    chance = random.Random(5)
    texts = ["a*", "a+", "(ab)*", "b?", "[ab]", "a|b", "(a", "c{2,3}", "ccc?"]
    made: list[Any] = [pair(str(n), chance.choice(texts), chance.choice(texts[:-3])) for n in range(count)]
    made[count // 2] = "no pair"
    return made


def shards(tmp_path: Path, lines: list[Any], count: int = 3) -> tuple[Path, list[Path]]:
    path = write(tmp_path / "pairs.jsonl", lines)
    outputs = [tmp_path / f"part-{n}.jsonl" for n in range(1, count + 1)]
    for n, output in enumerate(outputs, 1):
        run_batch(path, output, timeout=60.0, jobs=2, resume=False, shard=Shard(n, count))
    return path, outputs


def test_shards_merged_equal_a_whole_run(tmp_path: Path) -> None:
    path, outputs = shards(tmp_path, some_pairs(120))
    sizes = [len(read(output)) for output in outputs]
    assert sum(sizes) == 120
    assert all(sizes)
    merged = run_merge(outputs, tmp_path / "all.jsonl", path)
    assert (merged.lines, merged.missing, merged.broken) == (120, 0, 1)
    run_batch(path, tmp_path / "whole.jsonl", timeout=60.0, jobs=2, resume=False)
    whole = [lasting(record) for record in read(tmp_path / "whole.jsonl")]
    assert [lasting(record) for record in read(tmp_path / "all.jsonl")] == whole
    resumed = run_batch(path, tmp_path / "all.jsonl", timeout=60.0, jobs=1, resume=True)
    assert resumed.reused == 119
    assert [lasting(record) for record in read(tmp_path / "all.jsonl")] == whole


def test_equal_pairs_meet_in_one_shard(tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.jsonl", some_pairs(200))
    entries = [entry for entry in read_pairs(path) if hasattr(entry, "pair")]
    homes: dict[str, set[int]] = {}
    for entry in entries:
        holding = [n for n in range(1, 8) if Shard(n, 7).holds(entry)]
        assert len(holding) == 1
        homes.setdefault(repr(entry.pair), set()).add(holding[0])
    assert all(len(found) == 1 for found in homes.values())
    assert len({n for found in homes.values() for n in found}) == 7
    assert sum(scan(path, Shard(n, 7)).lines for n in range(1, 8)) == 200


@pytest.mark.parametrize("text", ["0/3", "4/3", "x/3", "3", "1/", "-1/3", "1/0"])
def test_wrong_shards_are_named(text: str) -> None:
    with pytest.raises(UsageError, match="expected I/N"):
        Shard.parse(text)


def test_what_a_shard_lacks_is_named_and_decided_by_resume(tmp_path: Path) -> None:
    path, outputs = shards(tmp_path, some_pairs(60))
    line = ["merge", *map(str, outputs[:2]), "-o", str(tmp_path / "all.jsonl"), "--pairs", str(path)]
    run = command(*line)
    assert run.returncode == 1
    assert b"without a verdict" in run.stderr
    assert b"--timeout 60 --resume" in run.stderr
    assert not (tmp_path / "all.jsonl").exists()
    resumed = run_batch(path, tmp_path / "all.jsonl", timeout=60.0, jobs=1, resume=True)
    assert resumed.foreign == []
    assert 0 < resumed.reused < 60
    assert len(read(tmp_path / "all.jsonl")) == 60
    assert command(*line[:1], *map(str, outputs), *line[3:]).returncode == 0


def planted(path: Path, verdict: Verdict | dict[str, Any], one: Pair) -> None:
    with Ledger.existing(ledger_path(path)) as ledger:
        record = verdict if isinstance(verdict, dict) else verdict.to_json()
        ledger.put_record(key(one, 5.0), json.dumps(record))


def test_contradicting_answers_are_refused_with_both(tmp_path: Path) -> None:
    path, outputs = shards(tmp_path, [pair("1", "a"), pair("2", "b"), "no pair"], count=2)
    wrong = refuted("regex", "planted", Counterexample({"string": ""}, True, False, "nobody"))
    for output in outputs:
        planted(output, wrong, Pair("regex", "a", "a"))
        break
    planted(outputs[1], GOOD, Pair("regex", "a", "a"))
    with pytest.raises(Contradiction) as raised:
        run_merge(outputs, tmp_path / "all.jsonl", path)
    assert "planted" in str(raised.value)
    assert '"equivalent"' in str(raised.value)
    assert sorted(p.name for p in tmp_path.glob("all*")) == []


def test_a_decision_replaces_unknown_in_either_order(tmp_path: Path) -> None:
    path, outputs = shards(tmp_path, [pair("1", "a"), "no pair"], count=2)
    one = Pair("regex", "a", "a")
    late = failed_verdict(one, truespec.ReasonCode.TIMEOUT, "no decision", 5.0)
    for first, second in ((late, GOOD), (GOOD, late)):
        planted(outputs[0], first, one)
        planted(outputs[1], second, one)
        merged = run_merge(outputs, tmp_path / "all.jsonl", path)
        assert merged.answers == {"equivalent": 1}


def test_ledgers_of_other_inputs_limits_or_environments_are_refused(tmp_path: Path) -> None:
    path, outputs = shards(tmp_path, [pair(str(n), "a" * n) for n in range(1, 9)], count=2)
    target = tmp_path / "all.jsonl"
    other = write(tmp_path / "other.jsonl", [pair("1", "a")])
    with pytest.raises(UsageError, match="another input"):
        run_merge(outputs, target, other)
    run_batch(path, outputs[1], timeout=6.0, jobs=1, resume=False, shard=Shard(2, 2))
    with pytest.raises(UsageError, match="limit 6 s"):
        run_merge(outputs, target, path)
    run_batch(path, outputs[1], timeout=60.0, jobs=1, resume=False, shard=Shard(2, 2))
    with pytest.raises(UsageError, match="no such ledger"):
        run_merge([*outputs, tmp_path / "part-9.jsonl"], target, path)
    planted(outputs[1], {**GOOD.to_json(), "environment": {"unicode": "99.0.0"}}, Pair("regex", "a", "a"))
    with pytest.raises(UsageError, match=r"different environments.*99\.0\.0"):
        run_merge(outputs, target, path)
    assert not target.exists()
    run_merge(outputs, target, path, mixed=True)
    assert len(read(target)) == 8


# -- flat tables ----------------------------------------


def test_parquet_and_jsonl_give_the_same_flat_rows(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    lines = [*some_pairs(30), pair("surrogate", "\ud800")]
    path = write(tmp_path / "pairs.jsonl", lines)
    for name in ("out.jsonl", "out.parquet"):
        run_batch(path, tmp_path / name, timeout=60.0, jobs=1, resume=False)
    plain = truespec.read_verdicts(tmp_path / "out.jsonl")
    table = truespec.read_verdicts(str(tmp_path / "out.parquet"))
    assert [lasting(row) for row in table] == [lasting(row) for row in plain]
    assert all(list(row) == list(COLUMNS) for row in plain)
    assert all(isinstance(value, str | int | float | None) for row in plain for value in row.values())
    found = next(row for row in plain if row["answer"] == "refuted")
    assert set(json.loads(found["counterexample"])) == {"string"}
    assert found["oracle_value"] in {"true", "false"}
    assert plain[15]["error"]
    assert plain[15]["line"] == 16


def test_a_foreign_line_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="line 2: no verdict record"):
        truespec.read_verdicts(write(tmp_path / "x.jsonl", [{"error": "e", "line": 1}, {"id": "a"}]))
