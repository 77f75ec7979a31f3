"""Pairs in Parquet tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truespec.executors.batch import run_batch
from truespec.store.pairs import BrokenLine, PairLine, read_pairs
from truespec.store.parquet import pairs_of_parquet
from truespec.verdict import UsageError

duckdb = pytest.importorskip("duckdb")


def table(path: Path, rows: str) -> Path:
    with duckdb.connect() as database:
        database.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    return path


def test_rows_become_the_lines_of_a_pair_file(tmp_path: Path) -> None:
    made = table(
        tmp_path / "pairs.parquet",
        """SELECT 'a' AS id, 'regex' AS domain, 'x*' AS oracle, 'x' AS candidate,
                  '{"flags": "i"}' AS context, 1 AS more
           UNION ALL SELECT 'b', 'regex', 'ö', 'ö', NULL, 2
           UNION ALL SELECT 'c', 'regex', 'x', 'x', '{"flags": ', 3
           UNION ALL SELECT 'd', 'regex', 'x', 'x', '{"flags": "", "flags": "i"}', 4
           UNION ALL SELECT NULL, 'regex', 'x', 'x', '', 5""",
    )
    pairs_of_parquet(made, tmp_path / "pairs.jsonl")
    first, second, *broken = read_pairs(tmp_path / "pairs.jsonl")
    assert not isinstance(first, BrokenLine)
    assert not isinstance(second, BrokenLine)
    assert (first.id, first.pair.context, second.pair.oracle) == ("a", {"flags": "i"}, "ö")
    assert second.pair.context == {}
    assert [isinstance(line, BrokenLine) for line in broken] == [True, True, True]


def test_a_field_of_a_struct_that_is_null_is_absent(tmp_path: Path) -> None:
    made = table(
        tmp_path / "pairs.parquet",
        """SELECT 'a' AS id, 'regex' AS domain, 'x' AS oracle, 'X' AS candidate,
                  {'flags': 'i', 'variables': {'x': {'unit': NULL::VARCHAR}, 'y': NULL::VARCHAR},
                   'dialect': NULL::VARCHAR} AS context""",
    )
    pairs_of_parquet(made, tmp_path / "pairs.jsonl")
    (entry,) = read_pairs(tmp_path / "pairs.jsonl")
    assert isinstance(entry, PairLine)
    assert entry.pair.context == {"flags": "i", "variables": {"x": {}}}


def test_a_column_that_belongs_into_the_context_is_not_left_out(tmp_path: Path) -> None:
    made = table(
        tmp_path / "pairs.parquet",
        """SELECT 'a' AS id, 'regex' AS domain, 'x' AS oracle, 'X' AS candidate, 'i' AS flags, 7 AS note
           UNION ALL SELECT 'b', 'regex', 'x', 'X', NULL, 8 ORDER BY id""",
    )
    pairs_of_parquet(made, tmp_path / "pairs.jsonl")
    first, second = read_pairs(tmp_path / "pairs.jsonl")
    assert isinstance(first, BrokenLine)
    assert "'flags' stands beside the context" in first.error
    assert isinstance(second, PairLine)


def test_a_batch_reads_a_table(tmp_path: Path) -> None:
    made = table(
        tmp_path / "pairs.parquet",
        "SELECT 'p' || i AS id, 'regex' AS domain, 'a*' AS oracle, repeat('a', i::INT) AS candidate "
        "FROM range(3) t(i)",
    )
    summary = run_batch(made, tmp_path / "out.jsonl", timeout=60.0, jobs=1, resume=False)
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert summary.lines == 3
    assert [(record["id"], record["answer"]) for record in records] == [
        (f"p{i}", "refuted") for i in range(3)
    ]


def test_what_is_no_table_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "pairs.parquet"
    wrong.write_text("{}")
    with pytest.raises(UsageError, match=r"pairs\.parquet"):
        pairs_of_parquet(wrong, tmp_path / "pairs.jsonl")
