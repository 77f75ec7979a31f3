"""What a query may do before an engine sees it."""

from __future__ import annotations

import pytest
import sqlglot

from truespec.domains.sql.engines.guard import check_text, check_tree
from truespec.domains.sql.functions.catalogue import GRAMMAR
from truespec.domains.sql.functions.registry import FUNCTIONS
from truespec.domains.sql.text.calls import check_calls
from truespec.domains.sql.text.lexer import lex
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
    ("dialect", "text"),
    [
        ("sqlite", "SELECT date('now')"),
        ("sqlite", "SELECT date()"),
        ("sqlite", "SELECT datetime( ' NOW ')"),
        ("sqlite", "SELECT strftime('%Y')"),
        ("sqlite", "SELECT julianday(d) - julianday('now') FROM t"),
        ("sqlite", "SELECT date(d, 'localtime') FROM t"),
        ("postgres", "SELECT age(d) FROM t"),
    ],
)
def test_a_clock_that_no_name_tells_is_seen(dialect: str, text: str) -> None:
    with pytest.raises(Nondeterministic):
        check_calls(lex(text, dialect), dialect)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("sqlite", "SELECT strftime('%Y', d) FROM t WHERE s = 'now'"),
        ("sqlite", "SELECT julianday('2020-01-01') - julianday(d) FROM t"),
        ("postgres", "SELECT age(d, e) FROM t"),
        ("duckdb", "SELECT s GLOB ('a*') FROM t"),
        ("duckdb", "SELECT s FROM t WHERE s NOT GLOB ('a*')"),
    ],
)
def test_functions_of_given_times_and_operators_are_run(dialect: str, text: str) -> None:
    check_calls(lex(text, dialect), dialect)


@pytest.mark.parametrize(
    "text", ["SELECT * FROM glob('*')", "SELECT * FROM t, glob('*')", "SELECT glob('*')"]
)
def test_glob_reads_files_where_it_is_no_operator(text: str) -> None:
    with pytest.raises(SpecificationError):
        check_calls(lex(text, "duckdb"), "duckdb")


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


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("WITH x AS (SELECT 1) DELETE FROM t", "postgres"),
        ("WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT * FROM x", "postgres"),
        ("WITH x AS (SELECT 1), y AS (INSERT INTO t VALUES (1) RETURNING a) SELECT * FROM y", "postgres"),
        ("SELECT * FROM (WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x) AS s", "postgres"),
        ("WITH x(a, b) AS NOT MATERIALIZED (MERGE INTO t USING u ON true) SELECT 1", "postgres"),
        ("SHOW TABLES", "mysql"),
        ("SUMMARIZE t", "duckdb"),
        ("DESCRIBE t", "duckdb"),
        ("BACKUP STAGE START", "mysql"),
        ('SELECT "pg_sleep"(5)', "postgres"),
        ("SELECT pg_catalog.pg_sleep(5)", "postgres"),
        ("SELECT pg_sleep /* ( */ (5)", "postgres"),
        ("SELECT DISTINCT ON (a) pg_sleep(a) FROM t", "postgres"),
        ("SELECT `sleep`(5)", "mysql"),
        ("SELECT a FROM t WHERE b IN (SELECT SLEEP(a))", "mysql"),
        ("SELECT 'a'.query()", "duckdb"),
    ],
)
def test_statements_and_functions_are_seen_in_every_position(text: str, dialect: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        check_calls(check_text(text, dialect), dialect)
    assert caught.value.code is ReasonCode.FORBIDDEN


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT pg_rating, sys.a FROM sys", "postgres"),
        ("SELECT mysql.a FROM mysql", "mysql"),
        ("SELECT sleep, benchmark FROM get_lock", "mysql"),
        ("SELECT a AS pg_sleep FROM t", "postgres"),
        ("VALUES (1), (2)", "sqlite"),
        ("((VALUES (1)))", "postgres"),
        ("WITH sleep (a, b) AS (SELECT 1, 2) SELECT * FROM sleep", "sqlite"),
        ("WITH x (a) AS MATERIALIZED (VALUES (1)), y (b) AS (TABLE x) SELECT * FROM y", "postgres"),
        ("WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r", "postgres"),
        ("SELECT v.x FROM (VALUES (1, 2)) v (x, y)", "postgres"),
        ("SELECT v.x FROM (VALUES (1, 2)) AS v (x, y)", "postgres"),
        ("SELECT x FROM t u (x)", "postgres"),
        ("SELECT value FROM json_each('[1]')", "sqlite"),
        ("SELECT fullkey FROM t, json_tree(t.a)", "sqlite"),
        ("SELECT v FROM t, JSON_TABLE(t.a, '$[*]' COLUMNS (v INT PATH '$')) AS j", "mysql"),
        ("SELECT {'a': 1}, MAP {'a': 1}, [1], struct_pack(a := 1)", "duckdb"),
        ("SELECT list_transform([1], x -> x + 1), map_keys(MAP {'a': 1})", "duckdb"),
        ("PIVOT t ON a IN (1, 2) USING SUM(b)", "duckdb"),
        ("FROM t UNPIVOT (v FOR n IN (a, b))", "duckdb"),
        ("SELECT pg_typeof(a), CAST(a AS NUMERIC(5, 2)), a::VARCHAR(3) FROM t", "postgres"),
        ("SELECT EXTRACTVALUE('<a>1</a>', '/a'), UPDATEXML('<a/>', '/a', '<b/>')", "mysql"),
        ("SELECT INSERT('abc', 1, 1, 'x'), REPLACE(a, 'b', 'c'), VALUES(a) FROM t", "mysql"),
        ("SELECT SUM(a) FILTER (WHERE b > 1) OVER w FROM t WINDOW w AS (PARTITION BY b)", "sqlite"),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t GROUP BY ROLLUP (b)", "postgres"),
    ],
)
def test_names_and_queries_that_only_look_alike_pass(text: str, dialect: str) -> None:
    check_calls(check_text(text, dialect), dialect)


def test_a_function_that_is_not_known_is_named_with_its_place_and_the_nearest_one() -> None:
    with pytest.raises(Unsupported, match="FROBNICATE") as unknown:
        check_calls(check_text("SELECT a,\n  FROBNICATE(a) FROM t", "mysql"), "mysql")
    assert str(unknown.value.place) == "line 2, column 3"
    with pytest.raises(Unsupported, match="the nearest known one is GROUP_CONCAT"):
        check_calls(check_text("SELECT GROUP_CONCATT(a) FROM t", "mysql"), "mysql")
    with pytest.raises(Unsupported, match="FROB"):
        check_calls(check_text("SELECT DISTINCT ON (a) FROB(b) FROM t", "postgres"), "postgres")


@pytest.mark.parametrize("dialect", sorted(FUNCTIONS))
def test_the_lists_of_an_engine_do_not_overlap(dialect: str) -> None:
    known = FUNCTIONS[dialect]
    assert not known.pure & known.impure
    assert not known.pure & known.effects
    assert not known.impure & known.effects
    assert not (known.types | GRAMMAR) & known.effects
    assert known.growing <= known.pure
