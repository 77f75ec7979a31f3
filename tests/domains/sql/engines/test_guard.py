"""What a query may do before an engine sees it."""

from __future__ import annotations

import pytest
import sqlglot

from truespec.domains.sql.engines.guard import check_text, check_tree
from truespec.domains.sql.text.calls import check_calls
from truespec.verdict import Nondeterministic, ReasonCode, SpecificationError, Unsupported


def guard(text: str, dialect: str = "mysql") -> None:
    check_calls(check_text(text, dialect), dialect)
    (tree,) = sqlglot.parse(text, read=dialect)
    assert isinstance(tree, sqlglot.exp.Expression)
    check_tree(tree)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT SLEEP(5)", "mysql"),
        ("SELECT BENCHMARK(100000000, MD5('a'))", "mysql"),
        ("SELECT GET_LOCK('a', 100)", "mysql"),
        ("SELECT LOAD_FILE('/etc/passwd')", "mysql"),
        ("SELECT a INTO OUTFILE '/tmp/x' FROM t", "mysql"),
        ("SELECT a FROM t INTO\nDUMPFILE '/tmp/x'", "mysql"),
        ("SELECT @a := 1", "mysql"),
        ("SELECT @@version", "mysql"),
        ("SELECT a FROM t FOR UPDATE", "mysql"),
        ("DELETE FROM t", "mysql"),
        (" /* x */ -- y\n (DROP TABLE t)", "mysql"),
        ("LOAD DATA INFILE '/etc/passwd' INTO TABLE t", "mysql"),
        ("SET GLOBAL max_connections = 1", "mysql"),
        ("SELECT * FROM mysql.user", "mysql"),
        ("SELECT * FROM information_schema.tables", "mysql"),
        ("SELECT pg_sleep(5)", "postgres"),
        ("SELECT pg_read_file('/etc/passwd')", "postgres"),
        ("SELECT set_config('role', 'postgres', false)", "postgres"),
        ("COPY t TO '/tmp/x'", "postgres"),
        ("WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", "postgres"),
        ("SELECT * FROM pg_catalog.pg_shadow", "postgres"),
        ("SELECT a INTO u FROM t", "postgres"),
        ("SELECT nextval('s')", "postgres"),
        ("ATTACH '/tmp/x' AS y", "sqlite"),
        ("PRAGMA writable_schema=1", "sqlite"),
        ("SELECT load_extension('x')", "sqlite"),
        ("SELECT * FROM sqlite_master", "sqlite"),
        ("SELECT * FROM pragma_database_list", "sqlite"),
        ("SELECT * FROM read_csv('/etc/passwd')", "duckdb"),
        ("SELECT * FROM '/etc/passwd'", "duckdb"),
        ("SELECT * FROM read_text('/etc/passwd')", "duckdb"),
        ("INSTALL httpfs", "duckdb"),
        ("SELECT getenv('HOME')", "duckdb"),
        ("SELECT a INTO @x FROM t", "mysql"),
        ("SELECT a INTO OUTFILE '/tmp/x' FIELDS TERMINATED BY ',' FROM t", "mysql"),
        ("SELECT * FROM t LIMIT 1 INTO DUMPFILE '/tmp/x'", "mysql"),
        ("SELECT * FROM dblink('dbname=x', 'SELECT 1') AS x(a INT)", "postgres"),
        ("SELECT lo_import('/etc/passwd')", "postgres"),
        ("SELECT * FROM pg_ls_dir('/')", "postgres"),
        ("SELECT * FROM pg_stat_activity", "postgres"),
        ("SELECT writefile('/tmp/x', 'a')", "sqlite"),
        ("VACUUM INTO '/tmp/x'", "sqlite"),
        ("FROM '/etc/passwd'", "duckdb"),
        ("EXPORT DATABASE '/tmp/x'", "duckdb"),
        ("SELECT * FROM glob('/*')", "duckdb"),
        ("SELECT * FROM query('DROP TABLE t')", "duckdb"),
    ],
)
def test_what_is_more_than_reading_is_forbidden(text: str, dialect: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        guard(text, dialect)
    assert caught.value.code is ReasonCode.FORBIDDEN


@pytest.mark.parametrize("call", ["RAND()", "NOW()", "UUID()", "CURDATE()", "USER()"])
def test_what_depends_on_more_than_the_data_is_not_decided(call: str) -> None:
    with pytest.raises(Nondeterministic):
        guard(f"SELECT {call}")


@pytest.mark.parametrize(
    "text", ["SELECT REPEAT('a', 1000000000)", "SELECT LPAD('a', 1e9, 'b')", "SELECT FROBNICATE(1)"]
)
def test_what_might_explode_or_is_not_known_is_not_run(text: str) -> None:
    with pytest.raises(Unsupported):
        guard(text)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT * FROM generate_series(1, 1000000000000)", "postgres"),
        ("SELECT * FROM generate_series(1, 1e12)", "duckdb"),
        ("SELECT * FROM range(1000000000000)", "duckdb"),
        ("SELECT RPAD('x', 1000000000, 'y')", "postgres"),
        ("SELECT SPACE(1000000000)", "mysql"),
        ("SELECT zeroblob(1000000000)", "sqlite"),
        ("SELECT printf('%1000000000d', 1)", "sqlite"),
        ("SELECT printf('%-05000000s|', 'a')", "sqlite"),
    ],
)
def test_what_grows_beyond_measure_is_not_run(text: str, dialect: str) -> None:
    with pytest.raises(Unsupported, match="more than 10000 is not evaluated"):
        guard(text, dialect)


def test_a_format_of_usual_width_passes() -> None:
    guard("SELECT printf('%05d %10.2f 100000 %%', a, b) FROM t", "sqlite")


@pytest.mark.parametrize("text", ["SELECT \0", "SELECT '\ud800'", "", " ;", "SELECT " + "1+" * 60_000 + "1"])
def test_what_is_no_text_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        check_text(text, "mysql")
    assert caught.value.code is ReasonCode.SYNTAX


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a, COUNT(*) FROM t WHERE b = '/*! text */' GROUP BY a HAVING SUM(c) > 1 ORDER BY 1 LIMIT 3",
        "WITH x AS (SELECT a FROM t) SELECT * FROM x LEFT JOIN t USING (a) WHERE t.a IS NULL",
        "SELECT IF(a, 1, 2), IFNULL(a, 0), DATE_FORMAT(d, '%Y-%m'), DATEDIFF(d, '2020-01-01') FROM t",
        "SELECT FIND_IN_SET('a', s), SUBDATE(d, 1), s REGEXP '^a', ROUND(a / 2, 2), LEFT(s, 2) FROM t",
        "SELECT DATE_ADD(d, INTERVAL 1 DAY), MONTH(d), YEAR(d), CONCAT(s, 'a'), GREATEST(1, 2) FROM t",
        "SELECT RANK() OVER (PARTITION BY a ORDER BY b DESC), LAG(a, 1) OVER (ORDER BY b) FROM t",
        "(SELECT a FROM t) UNION ALL (SELECT b FROM t)",
        "SELECT 'into outfile' FROM t",
    ],
)
def test_what_only_reads_passes(text: str) -> None:
    guard(text)
