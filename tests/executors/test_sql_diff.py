"""`truespec sql diff`, on SQLite, which is always there."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truespec.cli.sql import sql

SCHEMA = "CREATE TABLE t (a INTEGER, b INTEGER);\n"
OLD = """-- old
SELECT a FROM t WHERE a > 1 AND a < 9;
CREATE VIEW v AS SELECT b, COUNT(*) FROM t GROUP BY b;
DELETE FROM t;
SELECT 1;
"""
NEW = """SELECT a FROM t WHERE NOT (a <= 1 OR a >= 9);
CREATE VIEW v AS SELECT b, COUNT(a) FROM t GROUP BY b;
DELETE FROM t WHERE a = 1;
SELECT 1;
SELECT 2;
"""


def run(folder: Path, old: str, new: str, *options: str) -> Result:
    for name, text in (("old.sql", old), ("new.sql", new), ("schema.sql", SCHEMA)):
        (folder / name).write_text(text, "utf-8")
    files = [str(folder / "old.sql"), str(folder / "new.sql"), "--schema", str(folder / "schema.sql")]
    return CliRunner().invoke(sql, ["diff", *files, "--dialect", "sqlite", "--timeout", "20", *options])


def test_every_statement_has_an_outcome(tmp_path: Path) -> None:
    result = run(tmp_path, OLD, NEW, "--json", "--sarif", str(tmp_path / "out.sarif"))
    assert result.exit_code == 1, result.output
    found = [json.loads(line) for line in result.output.splitlines()]
    kinds = [record["verdict"]["answer"] if record["verdict"] else record["kind"] for record in found]
    assert kinds == ["equivalent", "refuted", "not compared", "unchanged", "added"]
    assert [(one["old_line"], one["new_line"]) for one in found] == [
        (2, 1),
        (3, 2),
        (4, 3),
        (5, 4),
        (None, 5),
    ]
    for record in found:
        assert record["text"] in NEW
    marked = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    assert [
        (one["level"], one["locations"][0]["physicalLocation"]["region"]["startLine"]) for one in marked
    ] == [
        ("error", 2),
        ("warning", 3),
        ("note", 5),
    ]


def test_a_removed_statement_is_noted_with_its_text(tmp_path: Path) -> None:
    run(
        tmp_path, "SELECT a FROM t;\nSELECT b FROM t;\n", "SELECT a FROM t;\n", "--sarif", str(tmp_path / "s")
    )
    (noted,) = json.loads((tmp_path / "s").read_text())["runs"][0]["results"]
    assert (noted["ruleId"], noted["level"]) == ("sql-removed", "note")
    assert "SELECT b FROM t" in noted["message"]["text"]


def test_the_database_can_be_pasted(tmp_path: Path) -> None:
    result = run(tmp_path, OLD, NEW, "--json")
    refuted = json.loads(result.output.splitlines()[1])["verdict"]["evidence"]
    database = sqlite3.connect(":memory:")
    database.executescript(refuted["counterexample"]["script"])
    before = database.execute("SELECT b, COUNT(*) FROM t GROUP BY b").fetchall()
    after = database.execute("SELECT b, COUNT(a) FROM t GROUP BY b").fetchall()
    assert [list(row) for row in before] == refuted["oracle_value"]
    assert [list(row) for row in after] == refuted["candidate_value"]
    assert before != after


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("SELECT a FROM t", "SELECT t.a FROM t", 0),
        ("SELECT a FROM t", "SELECT nothing FROM t", 4),
        ("SELECT a FROM t", "SELECT a FROM t; SELECT 1", 3),
        ("SELECT a FROM t", "SELECT 'a", 3),
    ],
)
def test_exit_codes(tmp_path: Path, old: str, new: str, code: int) -> None:
    assert run(tmp_path, old, new).exit_code == code


def test_folders_are_compared_file_by_file(tmp_path: Path) -> None:
    for side, text in (("old", "SELECT a FROM t"), ("new", "SELECT a FROM {{ ref('t') }}")):
        (tmp_path / side / "models").mkdir(parents=True)
        (tmp_path / side / "models" / "one.sql").write_text(text)
    (tmp_path / "new" / "two.sql").write_text("SELECT b FROM t")
    (tmp_path / "schema.sql").write_text(SCHEMA)
    arguments = [
        "diff",
        str(tmp_path / "old"),
        str(tmp_path / "new"),
        "--schema",
        str(tmp_path / "schema.sql"),
    ]
    result = CliRunner().invoke(sql, [*arguments, "--dialect", "sqlite"])
    assert "unchanged    models/one.sql" in result.output
    assert "added        two.sql" in result.output
    assert result.exit_code == 3


def test_a_folder_and_a_file_are_a_wrong_call(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1")
    (tmp_path / "schema.sql").write_text(SCHEMA)
    result = CliRunner().invoke(
        sql, ["diff", str(tmp_path), str(tmp_path / "a.sql"), "--schema", str(tmp_path / "schema.sql")]
    )
    assert "give two files or two folders" in str(result.exception)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("SELECT 1;\nSELECT 2", "SELECT 1", "removed      new.sql, line 2 before\n  SELECT 2\n"),
        ("SELECT 1", "SELECT 1;\nSELECT 2", "added        new.sql, line 2\n  SELECT 2\n"),
        ("SELECT 1", "SELECT '", "not compared new.sql: the new file: "),
    ],
)
def test_a_change_of_one_side_says_where_it_is(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert says in run(tmp_path, old, new).output
