"""The search on real engines: what it must find, what it must not call a difference, and its evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlglot

import needs
from truespec import verify
from truespec.domains.contract import RecheckStatus
from truespec.domains.sql.engines.contract import Answered, Settings, Stopped
from truespec.domains.sql.refute.check_constraints import kind_of
from truespec.domains.sql.refute.replay import replay
from truespec.domains.sql.refute.run import MAX_STOPPED
from truespec.domains.sql.refute.search import Hunt, Search, search
from truespec.domains.sql.schema import Kind, read_schema
from truespec.solvers.limit import Limit

DDL = """
CREATE TABLE Dept (id INT PRIMARY KEY, name VARCHAR(20));
CREATE TABLE Emp (
  id INT PRIMARY KEY, d INT, sal DECIMAL(10, 2), h DATE,
  FOREIGN KEY (d) REFERENCES Dept (id), CHECK (sal >= 0)
)
"""
NEEDED = {"mysql": "mariadbd", "postgres": "psql"}

DIALECTS = [
    "sqlite",
    pytest.param("mysql", marks=pytest.mark.live),
    pytest.param("postgres", marks=pytest.mark.live),
    pytest.param("duckdb", marks=pytest.mark.slow),
]


def look(oracle: str, candidate: str, dialect: str, order: str = "auto", databases: int = 150) -> Search:
    if dialect in NEEDED:
        needs.tool(NEEDED[dialect])
    schema = read_schema(DDL, dialect)
    return search(oracle, candidate, schema, order, Settings(), Limit.start(60), databases)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ("SELECT d FROM Emp", "SELECT DISTINCT d FROM Emp"),
        ("SELECT d, AVG(sal) FROM Emp GROUP BY d", "SELECT d, SUM(sal) / COUNT(*) FROM Emp GROUP BY d"),
        (
            "SELECT d FROM Emp GROUP BY d HAVING COUNT(*) >= 5",
            "SELECT d FROM Emp GROUP BY d HAVING COUNT(*) > 5",
        ),
        (
            "SELECT id FROM Emp WHERE id NOT IN (SELECT d FROM Emp)",
            "SELECT id FROM Emp e WHERE NOT EXISTS (SELECT 1 FROM Emp f WHERE f.d = e.id)",
        ),
        ("SELECT MAX(sal) FROM Emp", "SELECT sal FROM Emp ORDER BY sal DESC LIMIT 1"),
        ("SELECT id FROM Dept WHERE name = 'Sales'", "SELECT id FROM Dept WHERE name LIKE 'Sale%'"),
        ("SELECT id FROM Emp WHERE h = '2019-05-05'", "SELECT id FROM Emp WHERE h >= '2019-05-05'"),
        ("SELECT e.id FROM Emp e JOIN Dept ON d = Dept.id", "SELECT id FROM Emp"),
        ("SELECT id FROM Emp ORDER BY id", "SELECT id FROM Emp ORDER BY id DESC"),
        ("SELECT ROUND(AVG(sal), 2) FROM Emp", "SELECT ROUND(SUM(sal) / COUNT(*), 2) FROM Emp"),
        ("SELECT id FROM Emp WHERE sal / 3 = 1", "SELECT id FROM Emp WHERE sal IS NOT NULL"),
        (
            "SELECT sal FROM Emp GROUP BY sal ORDER BY COUNT(*) DESC LIMIT 1",
            "SELECT sal FROM Emp GROUP BY sal ORDER BY COUNT(*) LIMIT 1",
        ),
    ],
)
def test_planted_mistakes_are_found_small_and_replay(oracle: str, candidate: str, dialect: str) -> None:
    found = look(oracle, candidate, dialect, databases=600)
    assert found.refutation is not None, found
    limit = 6 if "COUNT(*) >" in oracle else 3
    assert found.refutation.database.size() <= limit, str(found.refutation)
    schema, evidence = read_schema(DDL, dialect), found.refutation.counterexample()
    assert replay(oracle, candidate, schema, Settings(), evidence).status is RecheckStatus.CONFIRMED
    assert replay(oracle, oracle, schema, Settings(), evidence).status is RecheckStatus.FAILED
    forged = replace(evidence, oracle_value=[[12345]])
    assert replay(oracle, candidate, schema, Settings(), forged).status is RecheckStatus.FAILED
    other = read_schema(DDL.replace("CHECK (sal >= 0)", "CHECK (sal >= 1)"), dialect)
    assert replay(oracle, candidate, other, Settings(), evidence).status is RecheckStatus.FAILED


PLACED = (
    "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY d ORDER BY id) AS n FROM Emp) q WHERE n < %d"
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        (
            "SELECT d FROM Emp GROUP BY d HAVING COUNT(*) > 20",
            "SELECT d FROM Emp GROUP BY d HAVING COUNT(*) > 21",
        ),
        (
            "SELECT id FROM Emp ORDER BY id LIMIT 5 OFFSET 20",
            "SELECT id FROM Emp ORDER BY id LIMIT 6 OFFSET 20",
        ),
        (PLACED % 15, PLACED % 16),
    ],
)
def test_differences_that_only_many_rows_show_are_found(oracle: str, candidate: str, dialect: str) -> None:
    found = look(oracle, candidate, dialect, databases=300)
    assert found.refutation is not None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        (
            "SELECT d, AVG(sal) FROM Emp GROUP BY d",
            "SELECT d, SUM(sal) * 1.0 / COUNT(sal) FROM Emp GROUP BY d",
        ),
        ("SELECT e.id FROM Emp e JOIN Dept ON d = Dept.id", "SELECT id FROM Emp WHERE d IS NOT NULL"),
        ("SELECT id FROM Emp WHERE sal < 0", "SELECT id FROM Emp WHERE 1 = 0"),
        # what the engine may choose
        ("SELECT id FROM Emp ORDER BY sal", "SELECT id FROM Emp ORDER BY sal, id DESC"),
        (
            "SELECT id FROM Emp WHERE sal = 1 LIMIT 1",
            "SELECT MAX(id) FROM Emp WHERE sal = 1 HAVING MAX(id) > -9E9",
        ),
        # what it chooses by values, in whatever order the rows lie
        (
            "SELECT sal FROM Emp GROUP BY sal ORDER BY COUNT(*) DESC LIMIT 1",
            "SELECT sal FROM Emp GROUP BY sal ORDER BY COUNT(*) DESC, sal DESC LIMIT 1",
        ),
        (
            "SELECT sal FROM (SELECT sal, ROW_NUMBER() OVER (ORDER BY COUNT(*)) AS k FROM Emp GROUP BY sal) z"
            " WHERE k = 1",
            "SELECT sal FROM (SELECT sal, ROW_NUMBER() OVER (ORDER BY COUNT(*), sal DESC) AS k FROM Emp"
            " GROUP BY sal) z WHERE k = 1",
        ),
        # what rounding alone tells apart
        ("SELECT id FROM Emp WHERE sal * 1.0 / 3 * 3 = sal", "SELECT id FROM Emp WHERE sal IS NOT NULL"),
        ("SELECT FLOOR(sal * 1.0 / 3 * 3) FROM Emp", "SELECT FLOOR(sal) FROM Emp"),
        ("SELECT id FROM Emp WHERE d / 100.0 * 100 = d", "SELECT id FROM Emp WHERE d IN (57, 58) OR d <> 57"),
        ("SELECT id FROM Emp WHERE d * 0.1 = 0.3", "SELECT id FROM Emp WHERE d = 3"),
        ("SELECT id FROM Emp WHERE id / 4.0 * 0.1 = 0.3", "SELECT id FROM Emp WHERE id = 12"),
        ("SELECT FLOOR(d * 0.29) FROM Emp WHERE d = 100", "SELECT 29 FROM Emp WHERE d = 100"),
        (
            "SELECT AVG(sal) * COUNT(sal) FROM Emp",
            "SELECT SUM(sal) FROM Emp WHERE sal IS NOT NULL HAVING 1 = 1",
        ),
        # the order of a bag
        ("SELECT id FROM Emp", "SELECT id FROM Emp ORDER BY id DESC"),
    ],
)
def test_what_is_no_difference_is_not_called_one(oracle: str, candidate: str, dialect: str) -> None:
    found = look(oracle, candidate, dialect)
    assert found.refutation is None, str(found.refutation)


def test_bags_forget_the_order_that_lists_keep() -> None:
    pair = ("SELECT id FROM Emp ORDER BY id", "SELECT id FROM Emp ORDER BY id DESC")
    assert look(*pair, "sqlite").refutation is not None
    assert look(*pair, "sqlite", order="bag").refutation is None


def test_the_same_pair_meets_the_same_databases() -> None:
    pair = ("SELECT d FROM Emp", "SELECT DISTINCT d FROM Emp")
    one, other = look(*pair, "sqlite"), look(*pair, "sqlite")
    assert one.refutation is not None
    assert str(one.refutation) == str(other.refutation)


@pytest.mark.live
def test_equality_of_texts_is_mariadbs() -> None:
    pair = ("SELECT id FROM Dept WHERE name = 'a'", "SELECT id FROM Dept WHERE BINARY name = 'a'")
    assert look(*pair, "mysql", databases=600).refutation is not None
    assert look(pair[0], "SELECT id FROM Dept WHERE name = 'A'", "mysql").refutation is None
    assert look(pair[0], "SELECT id FROM Dept WHERE name = 'A'", "sqlite").refutation is not None


CHOICES = [
    # a column that its group does not determine
    (
        "SELECT d, sal FROM Emp GROUP BY d",
        "SELECT d, MAX(sal) FROM Emp WHERE 1 = 1 GROUP BY d",
    ),
    ("SELECT id, COUNT(*) FROM Emp GROUP BY h", "SELECT MIN(id), COUNT(*) FROM Emp GROUP BY h"),
    # ties under a limit
    ("SELECT id FROM Emp WHERE d = 1 LIMIT 2", "SELECT id FROM Emp WHERE d = 1 ORDER BY id LIMIT 2"),
    ("SELECT id FROM Emp ORDER BY sal LIMIT 1", "SELECT id FROM Emp ORDER BY sal, id DESC LIMIT 1"),
    # ties of a window, the order of a concatenation
    (
        "SELECT id, ROW_NUMBER() OVER (ORDER BY sal) FROM Emp",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY sal, id DESC) FROM Emp",
    ),
    (
        "SELECT GROUP_CONCAT(id) FROM Emp",
        "SELECT GROUP_CONCAT(e.id) FROM (SELECT id FROM Emp ORDER BY id DESC) e",
    ),
]


@pytest.mark.parametrize("dialect", ["sqlite", pytest.param("mysql", marks=pytest.mark.live)])
@pytest.mark.parametrize(("oracle", "candidate"), CHOICES)
def test_what_the_engine_may_choose_is_no_difference(oracle: str, candidate: str, dialect: str) -> None:
    found = look(oracle, candidate, dialect, databases=300)
    assert found.refutation is None, str(found.refutation)


@pytest.mark.live
@pytest.mark.parametrize(
    ("oracle", "candidate", "dialect"),
    [
        # what is concatenated in an order that leaves no tie
        (
            "SELECT d, GROUP_CONCAT(DISTINCT h ORDER BY h) FROM Emp GROUP BY d",
            "SELECT d, GROUP_CONCAT(h ORDER BY h) FROM Emp GROUP BY d",
            "mysql",
        ),
        (
            "SELECT STRING_AGG(name, ',' ORDER BY id) FROM Dept",
            "SELECT STRING_AGG(name, ',' ORDER BY id DESC) FROM Dept",
            "postgres",
        ),
        (
            "SELECT d FROM Emp EXCEPT ALL SELECT id FROM Dept",
            "SELECT d FROM Emp EXCEPT SELECT id FROM Dept",
            "mysql",
        ),
        (
            "SELECT d FROM Emp INTERSECT ALL SELECT d FROM Emp",
            "SELECT d FROM Emp INTERSECT SELECT d FROM Emp",
            "postgres",
        ),
        (
            "SELECT d, SUM(sal) FROM Emp GROUP BY d WITH ROLLUP",
            "SELECT d, SUM(sal) FROM Emp GROUP BY d",
            "mysql",
        ),
        (
            "SELECT d, h, COUNT(*) FROM Emp GROUP BY CUBE (d, h)",
            "SELECT d, h, COUNT(*) FROM Emp GROUP BY GROUPING SETS ((d, h), (d), ())",
            "postgres",
        ),
        (
            "WITH RECURSIVE r AS (SELECT id, 1 AS k FROM Dept UNION ALL SELECT id, k + 1 FROM r WHERE k < 3)"
            " SELECT * FROM r",
            "WITH RECURSIVE r AS (SELECT id, 1 AS k FROM Dept UNION ALL SELECT id, k + 1 FROM r WHERE k < 4)"
            " SELECT * FROM r",
            "mysql",
        ),
        # texts that write the same number
        ("SELECT FORMAT(sal, 2) FROM Emp", "SELECT FORMAT(sal, 1) FROM Emp", "mysql"),
        (
            "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY d) FROM Emp",
            "SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY d) FROM Emp",
            "postgres",
        ),
    ],
)
def test_what_the_prover_does_not_read_is_run(oracle: str, candidate: str, dialect: str) -> None:
    found = look(oracle, candidate, dialect, databases=300)
    assert found.refutation is not None, found


def test_statements_that_were_stopped_are_run_again_when_there_is_more_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = ("SELECT id FROM Emp WHERE d = 1", "SELECT id FROM Emp WHERE d = 2")
    trees = [sqlglot.parse_one(text, read="sqlite") for text in texts]
    hunt = Hunt(texts, trees, read_schema(DDL, "sqlite"), "auto", Settings())

    def stopped(_: object, some: list[object], *__: object, **___: object) -> list[Answered]:
        return [Stopped("a busy machine") for _ in some]

    with monkeypatch.context() as busy:
        busy.setattr(hunt._run.engine, "run_many", stopped)
        for _ in range(3):
            assert hunt.go(Limit.start(60), 50).ended == "stopped"
    found = hunt.go(Limit.start(60), 3 * MAX_STOPPED)
    assert found.refutation is not None
    assert found.databases <= 3 * MAX_STOPPED


SALES = """
CREATE TABLE buyer (id INT PRIMARY KEY);
CREATE TABLE item (id {type} PRIMARY KEY, price INT NOT NULL CHECK (price >= 0));
CREATE TABLE sale (id INT PRIMARY KEY, buyer INT NOT NULL REFERENCES buyer (id));
CREATE TABLE part (
  sale INT NOT NULL REFERENCES sale (id), thing {type} NOT NULL REFERENCES item (id),
  PRIMARY KEY (sale, thing)
);
"""
BOUGHT = "SELECT buyer FROM sale s JOIN part p ON p.sale = s.id WHERE "


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("INT", "1", "2"),
        ("INT", "7", "9"),
        ("INT", "20", "30"),
        ("INT", "-17", "-29"),
        ("INT", "4", "20000"),
        ("INT", "123456", "987654321"),
        ("VARCHAR(20)", "'pen'", "'ink'"),
        ("DATE", "'2021-03-05'", "'2022-11-30'"),
    ],
)
def test_keys_that_are_mentioned_meet_in_one_group(kind: str, one: str, other: str) -> None:
    """Values that a column is compared with are keys of the rows that it refers to, whatever they are."""
    schema = read_schema(SALES.format(type=kind), "sqlite")
    both = f"{BOUGHT}thing = {one} INTERSECT {BOUGHT}thing = {other}"
    for wrong in (
        f"SELECT DISTINCT buyer FROM sale s JOIN part p ON p.sale = s.id WHERE thing IN ({one}, {other})",
        f"{BOUGHT}thing IN ({one}, {other}) GROUP BY buyer HAVING COUNT(*) > 1",
        f"{BOUGHT}thing = {one} AND s.id IN (SELECT sale FROM part WHERE thing = {other}) GROUP BY buyer",
    ):
        found = search(both, wrong, schema, "auto", Settings(), Limit.start(600))
        assert found.refutation is not None
        assert found.databases < 2_000


def test_what_refers_to_a_key_is_drawn_for_it_through_several_tables() -> None:
    chain = """
    CREATE TABLE a (x INT PRIMARY KEY);
    CREATE TABLE b (y INT PRIMARY KEY REFERENCES a (x));
    CREATE TABLE c (z INT PRIMARY KEY REFERENCES b (y), up INT REFERENCES c (z));
    """
    schema = read_schema(chain, "sqlite")
    found = search(
        "SELECT 1 FROM c JOIN c d ON c.z = 4711 AND d.z = 815", "SELECT 1 FROM c WHERE 1 = 0", schema, "auto",
        Settings(), Limit.start(600), 400,
    )  # fmt: skip
    assert found.refutation is not None


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        ("x IS date(x) AND x >= '2000-01-01'", Kind.DATE),
        ("date(x) IS x", Kind.DATE),
        ("date(x) = x", Kind.TEXT),
        ("x IS date(x, '+1 day')", Kind.TEXT),
        ("x IS date(y)", Kind.TEXT),
        ("x IS date(x) OR y = x", Kind.TEXT),
    ],
)
def test_texts_that_a_check_makes_dates_are_drawn_as_dates(check: str, kind: Kind) -> None:
    schema = read_schema(f"CREATE TABLE t (x TEXT NOT NULL CHECK ({check}), y TEXT)", "sqlite")
    (table,) = schema.tables
    assert kind_of(table.columns[0], table, "sqlite") is kind


@pytest.mark.parametrize(
    ("dialect", "kind"),
    [
        *(("sqlite", kind) for kind in ("", "JSON", "BLOB")),
        *(
            pytest.param("duckdb", kind, marks=pytest.mark.slow)
            for kind in ("UUID", "JSON", "INTERVAL", "INT[]", "STRUCT(x INT)", "MAP(INT, VARCHAR)", "BIT")
        ),
        *(
            pytest.param("mysql", kind, marks=pytest.mark.live)
            for kind in ("YEAR", "JSON", "UUID", "BINARY(4)", "SET('a', 'b')", "BIT(3)")
        ),
        *(
            pytest.param("postgres", kind, marks=pytest.mark.live)
            for kind in ("UUID", "JSONB", "INTERVAL", "BYTEA", "TEXT[]", "INET", "DATERANGE", "BIT(3)", "OID")
        ),
    ],
)
def test_columns_of_other_types_have_values(dialect: str, kind: str) -> None:
    if dialect in NEEDED:
        needs.tool(NEEDED[dialect])
    schema = read_schema(f"CREATE TABLE t (a INT PRIMARY KEY, b {kind}, c INT)", dialect)
    texts = "SELECT a, b FROM t WHERE b IS NOT NULL", "SELECT a, b FROM t WHERE c > 1 AND b IS NOT NULL"
    found = search(*texts, schema, "auto", Settings(), Limit.start(60), 60)
    assert found.refutation is not None, found


def test_a_column_whose_type_has_no_values_is_null_and_that_is_said() -> None:
    schema = read_schema("CREATE TABLE t (a INT PRIMARY KEY, b TSVECTOR, c INT)", "postgres")
    needs.tool(NEEDED["postgres"])
    texts = "SELECT a FROM t WHERE b IS NULL", "SELECT a FROM t"
    trees = [sqlglot.parse_one(text, read="postgres") for text in texts]
    hunt = Hunt(texts, trees, schema, "auto", Settings())
    assert hunt.go(Limit.start(60), 20).refutation is None
    assert hunt.unasked() == ["the column t.b, of type TSVECTOR, was NULL in all of them"]


def test_documents_have_the_keys_that_queries_name() -> None:
    schema = read_schema(
        "CREATE TABLE e (id INTEGER PRIMARY KEY, body TEXT NOT NULL CHECK (json_valid(body)))", "sqlite"
    )
    oracle = "SELECT json_extract(body, '$.cost') AS c FROM e WHERE json_extract(body, '$.kind') = 'paid'"
    found = search(
        oracle, oracle.replace("= 'paid'", "IS NOT NULL"), schema, "bag", Settings(), Limit.start(60), 200
    )
    assert found.refutation is not None, found


def test_an_order_at_the_top_hides_no_difference_of_rows() -> None:
    """The choice among ties of a window shows in no row of the oracle, and its rows are others."""
    needs.tool(NEEDED["mysql"])
    ddl = "CREATE TABLE runs (id INT PRIMARY KEY, who INT NOT NULL, at DATETIME NOT NULL)"
    ranked = (
        "WITH d AS ({}), r AS (SELECT who, dy, ROW_NUMBER() OVER (PARTITION BY who ORDER BY dy) AS n FROM d)"
        " SELECT who, dy FROM r WHERE n = 2 ORDER BY who"
    )
    oracle = ranked.format("SELECT DISTINCT who, DATE(at) AS dy FROM runs")
    candidate = ranked.format("SELECT who, DATE(at) AS dy FROM runs")
    verdict = verify("sql", oracle, candidate, context={"dialect": "mysql", "schema": ddl}, timeout=20)
    assert verdict.answer.value == "refuted", verdict


def test_that_an_engine_refuses_most_rows_is_said() -> None:
    ddl = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT NOT NULL CHECK (abs(b) < 0))"
    schema = read_schema(ddl, "sqlite")
    texts = "SELECT a FROM t WHERE b > 1", "SELECT a FROM t WHERE b >= 1"
    trees = [sqlglot.parse_one(text, read="sqlite") for text in texts]
    hunt = Hunt(texts, trees, schema, "auto", Settings())
    assert hunt.go(Limit.start(60), 40).refutation is None
    (said,) = hunt.unasked()
    assert said.startswith("the engine refused the rows of ")
    assert "CHECK constraint failed" in said


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("candidate", "differ"),
    [
        ("SELECT d, sal FROM Emp WHERE sal >= 2 ORDER BY d", True),
        ("SELECT e.d, e.sal FROM Emp e LEFT JOIN Dept ON e.d = Dept.id WHERE sal > 2 ORDER BY d", False),
    ],
)
def test_ties_at_the_top_hide_no_difference_of_rows(candidate: str, differ: bool, dialect: str) -> None:
    """The order leaves ties; rows that one query alone puts out are a difference, their order is none."""
    found = look("SELECT d, sal FROM Emp WHERE sal > 2 ORDER BY d", candidate, dialect, databases=150)
    assert (found.refutation is not None) is differ, found


HIDDEN = "CREATE TABLE t (id INT PRIMARY KEY, g INT, x INT, s VARCHAR(5))"
UP = "(SELECT g, x FROM t GROUP BY g, x) AS q"
DOWN = "(SELECT g, -y AS x FROM (SELECT g, -x AS y FROM t) AS p GROUP BY g, y) AS q"


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT *, SUM(x) OVER w AS a FROM {} WINDOW w AS (ORDER BY g ROWS UNBOUNDED PRECEDING)", "sqlite"),
        ("SELECT x - ROW_NUMBER() OVER (ORDER BY g) AS a FROM {}", "sqlite"),
        ("SELECT x * ROW_NUMBER() OVER (ORDER BY g) AS a FROM {}", "duckdb"),
        ("SELECT g FROM {} QUALIFY ROW_NUMBER() OVER (PARTITION BY g) = 1 AND x > 1", "duckdb"),
        ("SELECT g, arg_max(x, g) AS a FROM {} GROUP BY g", "duckdb"),
        ("SELECT g, json_group_array(x) AS a FROM {} GROUP BY g", "sqlite"),
        ("SELECT x, COUNT(*) AS n FROM {}", "sqlite"),
        ("SELECT (SELECT x FROM {}) AS a", "sqlite"),
        ("SELECT g, group_concat(x) OVER (PARTITION BY g) AS a FROM {}", "sqlite"),
        ("SELECT ARRAY(SELECT x FROM {}) AS a", "duckdb"),
    ],
)
def test_what_an_engine_chooses_among_sorted_rows_is_no_difference(text: str, dialect: str) -> None:
    """Both sources hold the same rows, which come in opposite orders."""
    schema = read_schema(HIDDEN, dialect)
    found = search(text.format(UP), text.format(DOWN), schema, "auto", Settings(), Limit.start(60), 120)
    assert found.refutation is None, str(found.refutation)
    assert found.unstable


@pytest.mark.parametrize(
    ("oracle", "candidate", "dialect"),
    [
        (
            "SELECT id, RANK() OVER (ORDER BY id DESC) AS b FROM t LIMIT 1",
            "SELECT id, COUNT(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS b"
            " FROM t LIMIT 1",
            "sqlite",
        ),
        (
            "SELECT x FROM (VALUES (1), (2)) AS v(x) LIMIT 1",
            "SELECT x FROM (VALUES (2), (1)) AS v(x) LIMIT 1",
            "duckdb",
        ),
        (
            "SELECT x || '' AS a FROM (SELECT x FROM t UNION SELECT x * 1.0 FROM t) AS q",
            "SELECT x || '' AS a FROM (SELECT x * 1.0 AS x FROM t UNION SELECT x FROM t) AS q",
            "sqlite",
        ),
        (
            "SELECT x / 2 a FROM (SELECT DISTINCT x FROM (SELECT x FROM t UNION ALL SELECT x * 1. FROM t))",
            "SELECT x / 2 a FROM (SELECT DISTINCT x FROM (SELECT x * 1. x FROM t UNION ALL SELECT x FROM t))",
            "sqlite",
        ),
        (
            "SELECT typeof(MAX(x)) AS a FROM (SELECT x FROM t UNION ALL SELECT x * 1.0 FROM t) AS q",
            "SELECT typeof(MAX(x)) AS a FROM (SELECT x * 1.0 AS x FROM t UNION ALL SELECT x FROM t) AS q",
            "sqlite",
        ),
        (
            "SELECT s FROM (SELECT s COLLATE NOCASE AS s FROM t UNION SELECT UPPER(s) FROM t) AS q",
            "SELECT s FROM (SELECT UPPER(s) COLLATE NOCASE AS s FROM t UNION SELECT s FROM t) AS q",
            "sqlite",
        ),
        pytest.param(
            "SELECT SCALE(x) FROM (SELECT x::NUMERIC AS x FROM t UNION SELECT x * 1.0 FROM t) AS q",
            "SELECT SCALE(x) FROM (SELECT x * 1.0 AS x FROM t UNION SELECT x FROM t) AS q",
            "postgres",
            marks=pytest.mark.live,
        ),
        pytest.param(
            "SELECT HEX(MAX(s)) AS a FROM (SELECT s FROM t UNION ALL SELECT UPPER(s) FROM t) AS q",
            "SELECT HEX(MAX(s)) AS a FROM (SELECT UPPER(s) AS s FROM t UNION ALL SELECT s FROM t) AS q",
            "mysql",
            marks=pytest.mark.live,
        ),
        pytest.param(
            "SELECT x::MONEY * 1.005 AS a FROM t",
            "SELECT x::MONEY + x::MONEY * 0.005 AS a FROM t",
            "postgres",
            marks=pytest.mark.live,
        ),
        pytest.param(
            "SELECT s FROM t UNION SELECT UPPER(s) FROM t",
            "SELECT UPPER(s) AS s FROM t UNION SELECT s FROM t",
            "mysql",
            marks=pytest.mark.live,
        ),
    ],
)
def test_choices_by_windows_values_collations_and_cents_are_no_difference(
    oracle: str, candidate: str, dialect: str
) -> None:
    if dialect in NEEDED:
        needs.tool(NEEDED[dialect])
    found = search(oracle, candidate, read_schema(HIDDEN, dialect), "auto", Settings(), Limit.start(60), 120)
    assert found.refutation is None, str(found.refutation)


@pytest.mark.parametrize(
    ("oracle", "candidate", "dialect"),
    [
        (
            "SELECT COUNT(*) AS a FROM (SELECT g FROM t GROUP BY g LIMIT 2) AS q",
            "SELECT COUNT(*) AS a FROM (SELECT g FROM t GROUP BY g LIMIT 3) AS q",
            "sqlite",
        ),
        (
            "SELECT quote(x) AS a FROM (SELECT x * 1.5 AS x FROM t UNION SELECT x FROM t WHERE x > 1) AS q",
            "SELECT quote(x) AS a FROM (SELECT x * 1.5 AS x FROM t UNION SELECT x FROM t WHERE x > 2) AS q",
            "sqlite",
        ),
        (
            "SELECT LENGTH(MAX(s)) AS a FROM (SELECT s COLLATE NOCASE AS s FROM t) AS q GROUP BY s < 'b'",
            "SELECT LENGTH(MIN(s)) AS a FROM (SELECT s COLLATE NOCASE AS s FROM t) AS q GROUP BY s < 'b'",
            "duckdb",
        ),
    ],
)
def test_what_differs_whichever_of_equal_values_is_kept(oracle: str, candidate: str, dialect: str) -> None:
    found = search(oracle, candidate, read_schema(HIDDEN, dialect), "auto", Settings(), Limit.start(60), 300)
    assert found.refutation is not None, found
