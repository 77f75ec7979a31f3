"""What a schema says beside columns and keys: read, or refused by name; nothing is passed over."""

from __future__ import annotations

import pytest

from sql_pairs import proved
from truespec.domains.sql.schema import read_schema
from truespec.verdict import OracleError


@pytest.mark.parametrize(
    ("dialect", "ddl"),
    [
        ("postgres", "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (z INT) INHERITS (a)"),
        ("sqlite", "CREATE TABLE a (id INT PRIMARY KEY, y STRING)"),
        ("postgres", "CREATE TABLE a (LIKE b INCLUDING ALL)"),
        ("postgres", "CREATE TABLE a PARTITION OF b (id PRIMARY KEY) DEFAULT"),
        ("postgres", "CREATE TABLE a AS SELECT 1 AS x"),
        ("sqlite", "CREATE VIRTUAL TABLE a USING fts5(x)"),
        ("sqlite", "CREATE TABLE a (x INT); CREATE TRIGGER b AFTER INSERT ON a BEGIN SELECT 1; END"),
    ],
)
def test_what_changes_rows_or_columns_is_refused(dialect: str, ddl: str) -> None:
    with pytest.raises(OracleError, match="schema: "):
        read_schema(ddl, dialect)


@pytest.mark.parametrize(
    ("dialect", "ddl"),
    [
        (
            "mysql",
            "CREATE TABLE a (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'key', "
            "x INT DEFAULT 3, u TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP) "
            "ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COMMENT='rows' ROW_FORMAT=DYNAMIC",
        ),
        ("postgres", "CREATE TEMP TABLE IF NOT EXISTS a (id SERIAL PRIMARY KEY, x INT DEFAULT 3)"),
        ("sqlite", "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, string TEXT) STRICT"),
        ("duckdb", "CREATE TABLE a (id UINTEGER PRIMARY KEY, x INT DEFAULT 3)"),
    ],
)
def test_what_constrains_no_row_is_read_over(dialect: str, ddl: str) -> None:
    assert [table.name for table in read_schema(ddl, dialect).tables] == ["a"]


def test_foreign_keys_hold_where_the_engine_keeps_them() -> None:
    ddl = """CREATE TABLE p (id INT PRIMARY KEY) ENGINE={0};
        CREATE TABLE c (k INT NOT NULL, FOREIGN KEY (k) REFERENCES p (id)) ENGINE={0}"""
    pair = ("SELECT k FROM c", "SELECT c.k FROM c JOIN p ON p.id = c.k")
    assert proved("mysql", ddl.format("InnoDB"), *pair)
    assert not proved("mysql", ddl.format("MyISAM"), *pair)


@pytest.mark.parametrize(
    ("dialect", "ddl", "one", "other"),
    [
        ("mysql", "id INT PRIMARY KEY, x INT UNSIGNED, y INT UNSIGNED", "x < y", "x - y < 0"),
        ("mysql", "id INT PRIMARY KEY, x INT UNSIGNED, y INT", "y < 0", "x + y < x"),
        ("mysql", "id INT PRIMARY KEY, x INT(5) ZEROFILL", "CONCAT(x, '') = '7'", "CONCAT(x + 0, '') = '7'"),
        ("duckdb", "id INT PRIMARY KEY, x UINTEGER, y UINTEGER", "x < y", "x - y < 0"),
        ("postgres", "id INT PRIMARY KEY, x MONEY, y MONEY", "x / 3 * 3 = y", "x = y"),
    ],
)
def test_types_whose_arithmetic_or_text_differs_are_not_read(
    dialect: str, ddl: str, one: str, other: str
) -> None:
    queries = [f"SELECT id FROM a WHERE {condition}" for condition in (one, other)]
    assert not proved(dialect, f"CREATE TABLE a ({ddl})", *queries)


@pytest.mark.parametrize(
    "source",
    [
        "(SELECT id, x AS n FROM a) AS f",
        "(SELECT id, n FROM (SELECT id, MAX(x) AS n FROM a GROUP BY id) AS g) AS f",
    ],
)
def test_names_of_unsigned_columns_are_not_computed_with(source: str) -> None:
    ddl = "CREATE TABLE a (id INT PRIMARY KEY, x INT UNSIGNED)"
    one = f"SELECT id FROM {source} WHERE n - 5 < 0"
    assert not proved("mysql", ddl, one, "SELECT id FROM a WHERE x < 5")
    united = "(SELECT NULL AS n, NULL AS id UNION ALL SELECT x, id FROM a) AS f"
    assert not proved(
        "mysql", ddl, f"SELECT id FROM {united} WHERE n - 5 < 0", "SELECT id FROM a WHERE x < 5"
    )
    listed = "WITH f (id, n) AS (SELECT * FROM a) SELECT id FROM f WHERE n - 5 < 0"
    assert not proved("mysql", ddl, listed, "SELECT id FROM a WHERE x < 5")


def test_other_names_are_computed_with_beside_unsigned_columns() -> None:
    ddl = "CREATE TABLE a (id INT PRIMARY KEY, x INT UNSIGNED, d DATE NOT NULL)"
    one = "SELECT id FROM (SELECT id, d AS k FROM a) AS f WHERE k + INTERVAL 1 DAY > '2020-01-01'"
    assert proved("mysql", ddl, one, "SELECT id FROM a WHERE DATE_ADD(d, INTERVAL 1 DAY) > '2020-01-01'")


def test_unsigned_columns_are_compared_and_counted() -> None:
    ddl = "CREATE TABLE a (id INT UNSIGNED PRIMARY KEY, x INT UNSIGNED, y INT)"
    assert proved("mysql", ddl, "SELECT id, y + 1 FROM a WHERE x > 3", "SELECT id, 1 + y FROM a WHERE 3 < x")
    assert proved("mysql", ddl, "SELECT SUM(x) FROM a GROUP BY id", "SELECT x FROM a")
    window = "SELECT COUNT(*) OVER (ORDER BY {0} RANGE 2 PRECEDING) FROM a"
    other = "SELECT (SELECT COUNT(*) FROM a b WHERE b.{0} BETWEEN {1} AND a.{0}) FROM a"
    ddl = ddl.replace("y INT", "y INT NOT NULL, z INT UNSIGNED NOT NULL")
    assert proved("mysql", ddl, window.format("y"), other.format("y", "a.y - 2"))
    assert not proved("mysql", ddl, window.format("z"), window.format("z").replace("COUNT(*)", "COUNT(z)"))
    assert not proved("mysql", ddl, "SELECT v - 1 FROM (SELECT x AS v FROM a) q", "SELECT -1 + x FROM a")


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres", "duckdb"])
@pytest.mark.parametrize(
    "shape",
    [
        "SELECT x AS k, COUNT(*) AS n FROM t1 GROUP BY x HAVING EXISTS (SELECT 1 FROM t2 WHERE {} = 5)",
        "SELECT x AS k, id FROM t1 ORDER BY (SELECT COUNT(*) FROM t2 WHERE {} = 5), id",
    ],
)
def test_an_output_name_is_a_column_of_an_inner_table_first(dialect: str, shape: str) -> None:
    ddl = "CREATE TABLE t1 (id INT PRIMARY KEY, x INT); CREATE TABLE t2 (k INT NOT NULL PRIMARY KEY)"
    assert not proved(dialect, ddl, shape.format("x"), shape.format("k"))
