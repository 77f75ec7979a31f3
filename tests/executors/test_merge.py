"""Shards that were made on other machines than the one that merges them, and where a merge may write."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from truespec.domains.verify import Pair, environment_of
from truespec.executors.batch import bound_to, ledger_path, run_batch
from truespec.executors.merge import Contradiction, run_merge
from truespec.store.ledger import Ledger, key
from truespec.verdict import Counterexample, Proof, Verdict, equivalent, refuted

PAIRS = [Pair("regex", "a", "a"), Pair("regex", "a", "a|a"), Pair("regex", "a", "b")]
HERE = environment_of(PAIRS[0])
THERE = {**HERE, "unicode": "99.0.0"}
SAME = equivalent("regex", "planted", Proof("nobody", ("nothing",)))
DIFFERENT = refuted("regex", "planted", Counterexample({"string": "a"}, True, False, "nobody"))


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    lines = [
        {"id": str(n), "domain": "regex", "oracle": one.oracle, "candidate": one.candidate}
        for n, one in enumerate(PAIRS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def shard(pairs: Path, name: str, environment: Mapping[str, str], verdicts: dict[int, Verdict]) -> Path:
    """An output whose ledger holds these verdicts, as a machine with this environment would leave it."""
    output = pairs.parent / name
    with Ledger(ledger_path(output), bound_to(pairs, 4.0)) as ledger:
        for number, verdict in verdicts.items():
            ledger.put(key(PAIRS[number], 4.0, environment), verdict.within(environment))
    return output


def answers(path: Path) -> list[str]:
    return [json.loads(line)["answer"] for line in path.read_text("utf-8").splitlines()]


def test_shards_of_another_environment_are_merged_here(pairs: Path) -> None:
    parts = [shard(pairs, "1", THERE, {0: SAME, 1: SAME}), shard(pairs, "2", THERE, {2: DIFFERENT})]
    merged = run_merge(parts, pairs.parent / "all.jsonl", pairs)
    assert merged.missing == 0
    assert answers(pairs.parent / "all.jsonl") == ["equivalent", "equivalent", "refuted"]
    assert merged.elsewhere == [f"unicode 99.0.0, here {HERE['unicode']}"]


def test_mixed_environments_are_merged_where_that_is_allowed(pairs: Path) -> None:
    parts = [shard(pairs, "1", HERE, {0: SAME, 1: SAME}), shard(pairs, "2", THERE, {2: DIFFERENT})]
    run_merge(parts, pairs.parent / "all.jsonl", pairs, mixed=True)
    assert answers(pairs.parent / "all.jsonl") == ["equivalent", "equivalent", "refuted"]


def test_two_environments_that_contradict_each_other_are_refused(pairs: Path) -> None:
    parts = [
        shard(pairs, "1", HERE, {0: SAME, 1: SAME}),
        shard(pairs, "2", THERE, {1: DIFFERENT, 2: DIFFERENT}),
    ]
    with pytest.raises(Contradiction, match="their environments differ") as raised:
        run_merge(parts, pairs.parent / "all.jsonl", pairs, mixed=True)
    assert '"equivalent"' in str(raised.value)
    assert '"refuted"' in str(raised.value)
    assert sorted(pairs.parent.glob("all*")) == []


def test_what_another_environment_leaves_open_is_to_be_decided_there(pairs: Path) -> None:
    part = shard(pairs, "1", THERE, {0: SAME})
    line = [sys.executable, "-m", "truespec", "merge", str(part), "-o", "all", "--pairs", str(pairs)]
    run = subprocess.run(line, capture_output=True, text=True, cwd=pairs.parent, check=False)
    assert run.returncode == 1
    assert "2 pairs without a verdict, the first is '1'" in run.stderr
    assert "unicode 99.0.0, here" in run.stderr


def test_resuming_under_another_environment_says_so(pairs: Path) -> None:
    part = shard(pairs, "1", THERE, {})
    with Ledger(ledger_path(part), bound_to(pairs, 4.0)) as ledger:
        ledger.under("regex", THERE)
    summary = run_batch(pairs, part, timeout=4.0, jobs=1, resume=True)
    assert summary.reused == 0
    assert summary.foreign == [f"it was kept for another unicode (regex): 99.0.0, now {HERE['unicode']}"]


@pytest.mark.parametrize("target", ["-", "/dev/stdout"])
def test_a_merge_writes_to_standard_output_and_leaves_nothing(pairs: Path, target: str) -> None:
    part = shard(pairs, "1", HERE, {0: SAME, 1: SAME, 2: DIFFERENT})
    before = sorted(pairs.parent.iterdir())
    line = [sys.executable, "-m", "truespec", "merge", str(part), "-o", target, "--pairs", str(pairs)]
    run = subprocess.run(line, capture_output=True, text=True, cwd=pairs.parent, check=False)
    assert [json.loads(x)["answer"] for x in run.stdout.splitlines()] == [
        "equivalent",
        "equivalent",
        "refuted",
    ]
    assert sorted(pairs.parent.iterdir()) == before


def test_a_merge_writes_a_flat_table(pairs: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    part = shard(pairs, "1", HERE, {0: SAME, 1: SAME, 2: DIFFERENT})
    run_merge([part], pairs.parent / "all.parquet", pairs)
    found: Any = duckdb.execute("SELECT id, answer FROM read_parquet(?)", [str(pairs.parent / "all.parquet")])
    assert found.fetchall() == [("0", "equivalent"), ("1", "equivalent"), ("2", "refuted")]


def test_a_merge_overwrites_no_input_under_another_name(pairs: Path) -> None:
    part = shard(pairs, "1", HERE, {0: SAME, 1: SAME, 2: DIFFERENT})
    other = pairs.parent / "other.jsonl"
    other.hardlink_to(pairs)
    with pytest.raises(Exception, match="is the input"):
        run_merge([part], other, pairs)
