"""What the prover must not read: pairs that an engine tells apart, and near misses that are proved."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError

from sql_pairs import proved
from truespec.domains.sql import gate
from truespec.verdict import Nondeterministic, Unsupported

ALL = ("mysql", "postgres", "sqlite", "duckdb")
THREE = "CREATE TABLE t (p INT, y INT); CREATE TABLE u (x INT, q INT); CREATE TABLE v (x INT, y INT);"
NUMBERS = "CREATE TABLE t (a INT, b INT, c INT);"
TRUTHS = "CREATE TABLE t (a BOOLEAN, b BOOLEAN, c BOOLEAN, i INT);"


JOINS = [
    (
        "SELECT v.y FROM t, u RIGHT JOIN v ON u.x=v.x",
        "SELECT v.y FROM t CROSS JOIN u RIGHT JOIN v ON u.x=v.x",
    ),
    ("SELECT p, q FROM t, u NATURAL JOIN v", "SELECT p, q FROM t CROSS JOIN u NATURAL JOIN v"),
    ("SELECT p, q FROM t, u JOIN v USING (x)", "SELECT p, q FROM t CROSS JOIN u JOIN v USING (x)"),
]


@pytest.mark.parametrize("dialect", ["mysql", "postgres", "duckdb"])
@pytest.mark.parametrize(("oracle", "candidate"), JOINS)
def test_a_comma_binds_looser_than_a_join(dialect: str, oracle: str, candidate: str) -> None:
    assert not proved(dialect, THREE, oracle, candidate)


@pytest.mark.parametrize("dialect", ALL)
def test_a_comma_beside_an_inner_or_a_left_join_is_read(dialect: str) -> None:
    on = "ON u.x = v.x WHERE t.y = u.q"
    for join in ("JOIN", "LEFT JOIN"):
        assert proved(
            dialect,
            THREE,
            f"SELECT p FROM t, u {join} v {on}",
            f"SELECT p FROM t CROSS JOIN u {join} v {on}",
        )


def test_in_sqlite_a_comma_binds_like_a_join() -> None:
    assert proved("sqlite", THREE, *JOINS[0])


STARS = [
    ("SELECT * FROM u JOIN v USING (x)", "SELECT u.x, q, y FROM u JOIN v ON u.x=v.x", ALL),
    ("SELECT * FROM t JOIN v USING (y)", "SELECT t.y, p, x FROM t JOIN v ON t.y=v.y", ("mysql", "postgres")),
    ("SELECT * FROM t JOIN v USING (y)", "SELECT p, t.y, x FROM t JOIN v ON t.y=v.y", ("sqlite", "duckdb")),
    ("SELECT * FROM t NATURAL JOIN v", "SELECT p, t.y, x FROM t JOIN v ON t.y=v.y", ("sqlite", "duckdb")),
]


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize(("oracle", "candidate", "where"), STARS)
def test_where_merged_columns_stand(
    dialect: str, oracle: str, candidate: str, where: tuple[str, ...]
) -> None:
    assert proved(dialect, THREE, oracle, candidate) == (dialect in where)


def test_mariadb_puts_the_right_table_first() -> None:
    assert not proved(
        "mysql",
        THREE,
        "SELECT * FROM t RIGHT JOIN v USING (y)",
        "SELECT v.y, p, x FROM t RIGHT JOIN v ON t.y=v.y",
    )


def test_mariadb_has_no_full_join() -> None:
    assert not proved(
        "mysql", THREE, "SELECT y FROM t FULL JOIN v USING (y)", "SELECT COALESCE(t.y, v.y) FROM t, v"
    )


CHAINS = [
    ("mysql", NUMBERS, "a = b < c", "a = (b < c)"),
    ("mysql", NUMBERS, "a <=> b < c", "a <=> (b < c)"),
    ("mysql", NUMBERS, "a NOT BETWEEN b AND 1 IN (0, 1)", "(a NOT BETWEEN b AND 1) IN (0, 1)"),
    ("mysql", NUMBERS, "a NOT BETWEEN b AND 1 LIKE c", "(a NOT BETWEEN b AND 1) LIKE c"),
    ("sqlite", NUMBERS, "a = b BETWEEN 0 AND 0", "a = (b BETWEEN 0 AND 0)"),
    ("sqlite", NUMBERS, "a = b IN (0, 2)", "a = (b IN (0, 2))"),
    ("sqlite", NUMBERS, "a <> b IN (1)", "a <> (b IN (1))"),
    ("duckdb", TRUTHS, "a IS DISTINCT FROM b = c", "a IS DISTINCT FROM (b = c)"),
]


@pytest.mark.parametrize(("dialect", "schema", "oracle", "candidate"), CHAINS)
def test_a_chain_of_comparisons_is_not_read(dialect: str, schema: str, oracle: str, candidate: str) -> None:
    assert not proved(
        dialect, schema, f"SELECT a FROM t WHERE {oracle}", f"SELECT a FROM t WHERE {candidate}"
    )


@pytest.mark.parametrize("dialect", ALL)
def test_parentheses_make_a_chain_readable(dialect: str) -> None:
    for test in (
        "(a = b) IS NULL",
        "NOT a = b",
        "NOT (a = b) AND c IS NOT NULL OR a <> -b",
        "(a < b) = (b < c)",
    ):
        oracle = f"SELECT a FROM t WHERE {test}"
        assert proved(dialect, NUMBERS, oracle, f"SELECT a FROM t WHERE ({test})")


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_sign_plus_is_not_read_and_a_sum_is(dialect: str) -> None:
    assert not proved(dialect, NUMBERS, "SELECT a FROM t ORDER BY +1", "SELECT a FROM t ORDER BY 1")
    assert not proved(dialect, NUMBERS, "SELECT a FROM t WHERE +b = c", "SELECT a FROM t WHERE b = c")
    assert proved(
        dialect, NUMBERS, "SELECT (a)+1 FROM t WHERE a + b > c", "SELECT 1 + a FROM t WHERE c < b + a"
    )


def test_in_mariadb_a_window_sorts_by_the_output_of_the_name() -> None:
    ranked = "SELECT a, c AS b, RANK() OVER (ORDER BY {}) FROM t"
    assert not proved("mysql", NUMBERS, ranked.format("b"), ranked.format("t.b"))
    assert proved("mysql", NUMBERS, ranked.format("t.b"), "SELECT a, c, RANK() OVER (ORDER BY b) FROM t")
    inside = "SELECT a, r + 1 AS b FROM (SELECT a, RANK() OVER (ORDER BY b) AS r FROM t) q"
    assert proved("mysql", NUMBERS, inside, inside.replace("ORDER BY b", "ORDER BY t.b"))
    assert proved("postgres", NUMBERS, ranked.format("b"), ranked.format("t.b"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a, b) = (c, a)", "a = c AND b = a"),
        ("(a, b) <> (1, 5)", "a <> 1 OR b <> 5"),
        ("NOT ((a, b) = (1, 5))", "a <> 1 OR b <> 5"),
        ("(a, b) IN ((2, 6), (1, 5))", "(a = 2 AND b = 6) OR (a = 1 AND b = 5)"),
        ("(a, b) NOT IN ((2, 6), (1, 5))", "NOT ((a = 2 AND b = 6) OR (a = 1 AND b = 5))"),
    ],
)
def test_tuples_in_duckdb_hold_nulls_that_are_equal(one: str, other: str) -> None:
    queries = [f"SELECT a, {condition} FROM t" for condition in (one, other)]
    assert not proved("duckdb", NUMBERS, *queries)
    assert proved("postgres", NUMBERS, *queries)


SAME = "SELECT a FROM u"


@pytest.mark.parametrize(
    ("dialect", "oracle", "candidate"),
    [
        ("sqlite", SAME, "WITH x AS (SELECT a FROM u), u AS (SELECT a FROM t) SELECT a FROM x"),
        (
            "sqlite",
            "SELECT b FROM t WHERE a IN (SELECT a FROM u)",
            "WITH x AS (SELECT b FROM t WHERE a IN (SELECT a FROM u)), u AS (SELECT 2 AS a) SELECT b FROM x",
        ),
        (
            "mysql",
            SAME,
            "WITH t AS (SELECT a FROM u) SELECT * FROM (WITH x AS (SELECT a FROM t) SELECT a FROM x) q",
        ),
        (
            "mysql",
            "SELECT b FROM u WHERE a IN (SELECT a FROM u)",
            "WITH t AS (SELECT a FROM u) SELECT b FROM u "
            "WHERE a IN (WITH x AS (SELECT a FROM t) SELECT a FROM x)",
        ),
    ],
)
def test_a_common_table_that_hides_a_table(dialect: str, oracle: str, candidate: str) -> None:
    schema = "CREATE TABLE t (a INT, b INT); CREATE TABLE u (a INT, b INT)"
    assert not proved(dialect, schema, oracle, candidate)
    assert proved(
        dialect, schema, SAME, "WITH x AS (SELECT a FROM u), y AS (SELECT a FROM x) SELECT a FROM y"
    )


def test_not_before_a_comparison_depends_on_the_mode() -> None:
    pair = "SELECT a FROM t WHERE NOT a = b", "SELECT a FROM t WHERE NOT (a = b)"
    assert proved("mysql", NUMBERS, *pair, settings={"sql_mode": "STRICT_TRANS_TABLES"})
    assert not proved("mysql", NUMBERS, *pair, settings={"sql_mode": "HIGH_NOT_PRECEDENCE"})


@pytest.mark.parametrize("dialect", ALL)
@pytest.mark.parametrize("key", ["(1)", "((1))"])
def test_a_constant_key_that_is_no_plain_ordinal(dialect: str, key: str) -> None:
    assert not proved(
        dialect,
        NUMBERS,
        f"SELECT MIN(a) FROM t GROUP BY b ORDER BY {key} LIMIT 1",
        "SELECT MIN(a) FROM t GROUP BY b LIMIT 1",
    )


TWO = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, k INT); CREATE TABLE u (a INT, b INT);"
SCOPES = [
    (ALL, TWO, "SELECT (SELECT SUM(t.a)) FROM t", "SELECT a FROM t"),
    (ALL, TWO, "SELECT (SELECT MAX(t.a) FROM u) FROM t", "SELECT (SELECT MAX(t.a+0*u.b) FROM u) FROM t"),
    (ALL, TWO, "SELECT (SELECT COUNT(t.a) FROM u) FROM t", "SELECT (SELECT COUNT(t.a+0*u.b) FROM u) FROM t"),
    (
        ("sqlite", "duckdb"),
        TWO,
        "SELECT id FROM t WHERE EXISTS (SELECT u.a*2 AS id FROM u WHERE id = 2)",
        "SELECT id FROM t WHERE id=2 AND EXISTS (SELECT 1 FROM u)",
    ),
    (
        ("sqlite", "duckdb"),
        "CREATE TABLE t (id INT PRIMARY KEY, rowid INT); CREATE TABLE u (a INT);",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = rowid)",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.rowid)",
    ),
    (
        ("sqlite",),
        TWO,
        "SELECT k AS rowid, COUNT(*) FROM t GROUP BY rowid",
        "SELECT k AS n, COUNT(*) FROM t GROUP BY n",
    ),
    (
        ("mysql",),
        TWO,
        "SELECT k AS _rowid, COUNT(*) FROM t GROUP BY _rowid",
        "SELECT k AS n, COUNT(*) FROM t GROUP BY n",
    ),
    (
        ("postgres",),
        TWO,
        "SELECT id FROM (SELECT id, k AS tableoid FROM t) x WHERE EXISTS "
        "(SELECT 1 FROM u WHERE u.a = tableoid)",
        "SELECT id FROM (SELECT id, k AS tableoid FROM t) x WHERE EXISTS "
        "(SELECT 1 FROM u WHERE u.a = x.tableoid)",
    ),
    (
        ("duckdb",),
        "CREATE TABLE t (id INT PRIMARY KEY, u INT); CREATE TABLE u (a INT NOT NULL);",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u IS NULL)",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.u IS NULL)",
    ),
    (
        ("postgres",),
        "CREATE TABLE t (a INT, b INT);",
        'WITH "T" AS (SELECT b AS a FROM t) SELECT a FROM t',
        "SELECT b FROM t",
    ),
    (
        ("postgres", "sqlite", "duckdb"),
        'CREATE TABLE t ("#0" INT); CREATE TABLE u (a INT);',
        'SELECT "#0" FROM t WHERE EXISTS (SELECT 1 FROM u GROUP BY u.a + 1 HAVING "#0" + 1 = 5)',
        'SELECT "#0" FROM t WHERE EXISTS (SELECT 1 FROM u GROUP BY u.a + 1 HAVING u.a + 1 = 5)',
    ),
    (
        ("postgres", "sqlite", "duckdb"),
        'CREATE TABLE t ("b" INT, "b.c" INT, "c.d" INT, d INT, UNIQUE ("b.c", d), UNIQUE (b, "c.d"));',
        'SELECT x.b, y.d FROM t x, t y WHERE x."b.c"=y.b AND x.d=y."c.d"',
        'SELECT x.b, x.d FROM t x WHERE x."b.c"=x.b AND x.d=x."c.d"',
    ),
    (("postgres", "duckdb"), NUMBERS, "SELECT a FROM t AS x (b, a, c)", "SELECT a FROM t"),
    (
        ("sqlite", "duckdb"),
        TWO,
        "SELECT a + 1 AS b FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE b = 5)",
        "SELECT a + 1 AS b FROM t GROUP BY a HAVING a + 1 = 5 AND EXISTS (SELECT 1 FROM u)",
    ),
]


@pytest.mark.parametrize(
    ("dialect", "schema", "oracle", "candidate"), [(d, *rest) for dialects, *rest in SCOPES for d in dialects]
)
def test_a_name_that_means_something_else(dialect: str, schema: str, oracle: str, candidate: str) -> None:
    assert not proved(dialect, schema, oracle, candidate)


@pytest.mark.parametrize(
    ("dialect", "schema", "bare", "quoted"),
    [
        ("postgres", 'CREATE TABLE t ("user" VARCHAR(20));', "SELECT user FROM t", 'SELECT "user" FROM t'),
        (
            "mysql",
            "CREATE TABLE t (`utc_date` VARCHAR(20));",
            "SELECT utc_date FROM t",
            "SELECT `utc_date` FROM t",
        ),
    ],
)
def test_a_bare_name_that_calls_a_function(dialect: str, schema: str, bare: str, quoted: str) -> None:
    assert proved(dialect, schema, quoted, quoted)
    with pytest.raises(Nondeterministic):
        proved(dialect, schema, quoted, bare)


@pytest.mark.parametrize("dialect", ALL)
def test_names_of_enclosing_queries_are_read(dialect: str) -> None:
    assert proved(
        dialect,
        TWO,
        "SELECT id FROM t WHERE EXISTS (SELECT b AS c FROM u WHERE u.a = k)",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE a = t.k)",
    )
    assert proved(
        dialect,
        TWO,
        "SELECT (SELECT MAX(b) FROM u WHERE u.a = t.a) FROM t",
        "SELECT (SELECT MAX(x.b) FROM u x WHERE x.a = t.a) FROM t",
    )


COLLATED = [
    "c VARCHAR(5) BINARY);",
    "c VARCHAR(5) COLLATE utf8mb4_bin);",
    "c VARCHAR(5)) COLLATE=utf8mb4_bin;",
    "c VARCHAR(5)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;",
    "c VARCHAR(5)) CHARSET=binary;",
    "c VARCHAR(5)) DEFAULT CHARSET=latin1 COLLATE latin1_bin;",
    "c VARCHAR(5)) COLLATE utf8mb4_nopad_bin;",
]


@pytest.mark.parametrize("tail", COLLATED)
def test_another_collation_is_not_read(tail: str) -> None:
    schema = f"CREATE TABLE t (id INT PRIMARY KEY, {tail}"
    assert not proved("mysql", schema, "SELECT id FROM t WHERE c='a'", "SELECT id FROM t WHERE c='A'")
    assert not proved("mysql", schema, "SELECT DISTINCT c FROM t", "SELECT c FROM t GROUP BY c")
    assert proved(
        "mysql", schema, "SELECT c FROM t WHERE NOT c IS NULL", "SELECT c FROM t WHERE c IS NOT NULL"
    )


@pytest.mark.parametrize(
    "tail",
    [
        *(")", ") DEFAULT CHARSET=utf8mb4", ") ENGINE=InnoDB COLLATE=utf8mb4_general_ci"),
        " CHARACTER SET utf8 COLLATE utf8_general_ci NOT NULL)",
    ],
)
def test_the_default_collation_is_read(tail: str) -> None:
    schema = f"CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(5){tail};"
    assert proved("mysql", schema, "SELECT id FROM t WHERE c='a'", "SELECT id FROM t WHERE c='A'")


BYTEWISE = """CREATE TABLE t (id INT PRIMARY KEY, c TEXT COLLATE "C", d TEXT)"""
FOLDED = """CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT COLLATE NOCASE NOT NULL UNIQUE, d TEXT,
    e DATE COLLATE NOCASE)"""


@pytest.mark.parametrize(
    ("dialect", "schema", "one", "other"),
    [
        ("postgres", BYTEWISE, "SELECT id FROM t WHERE c < d", "SELECT id FROM t WHERE NOT c >= d"),
        ("postgres", BYTEWISE, "SELECT c FROM t GROUP BY c", "SELECT DISTINCT c FROM t"),
        ("sqlite", FOLDED, "SELECT c FROM t WHERE d = 'a'", "SELECT c FROM t WHERE 'a' = d"),
    ],
)
def test_columns_with_collations_are_read(dialect: str, schema: str, one: str, other: str) -> None:
    assert proved(dialect, schema, one, other)


@pytest.mark.parametrize(
    ("dialect", "schema", "one", "other"),
    [
        # C knows the letters of ASCII alone.
        ("postgres", BYTEWISE, "SELECT LOWER(c) FROM t WHERE c = d", "SELECT LOWER(d) FROM t WHERE c = d"),
        (
            "postgres",
            BYTEWISE,
            "SELECT id FROM t WHERE c ILIKE d",
            "SELECT id FROM t WHERE d || c ILIKE d || d",
        ),
        ("sqlite", FOLDED, "SELECT id FROM t WHERE c = d", "SELECT id FROM t WHERE c = d AND c || '' = d"),
        (
            "sqlite",
            FOLDED,
            "SELECT id FROM t WHERE e = 'A'",
            "SELECT id FROM t WHERE e = 'A' AND e || '' = 'A'",
        ),
        (
            "sqlite",
            FOLDED,
            "SELECT id FROM t WHERE c = 'a'",
            "SELECT id FROM t WHERE c IN ('a') AND id = id + 0",
        ),
    ],
)
def test_columns_of_another_collation_are_shown_only(dialect: str, schema: str, one: str, other: str) -> None:
    assert not proved(dialect, schema, one, other)


SEALED = [
    ("mysql", "JSON"),
    ("postgres", "JSONB"),
    ("postgres", "INTERVAL"),
    ("postgres", "NUMERIC[]"),
    ("postgres", "BOX"),
    ("duckdb", "INTERVAL"),
    ("duckdb", "INT[]"),
]


@pytest.mark.parametrize(("dialect", "kind"), SEALED)
def test_a_type_whose_equality_is_not_identity(dialect: str, kind: str) -> None:
    schema = f"CREATE TABLE t (id INT PRIMARY KEY, c {kind});"
    pair = "SELECT x.c, y.c FROM t x JOIN t y ON x.c=y.c", "SELECT x.c, x.c FROM t x JOIN t y ON x.c=y.c"
    assert not proved(dialect, schema, *pair)
    assert proved(
        dialect, schema, "SELECT c FROM t WHERE NOT c IS NULL", "SELECT c FROM t WHERE c IS NOT NULL"
    )


@pytest.mark.parametrize(
    ("dialect", "kind"), [("postgres", "UUID"), ("postgres", "BYTEA"), ("duckdb", "UUID")]
)
def test_a_type_whose_equality_is_identity(dialect: str, kind: str) -> None:
    schema = f"CREATE TABLE t (id INT PRIMARY KEY, c {kind});"
    pair = "SELECT x.c, y.c FROM t x JOIN t y ON x.c=y.c", "SELECT x.c, x.c FROM t x JOIN t y ON x.c=y.c"
    assert proved(dialect, schema, *pair)


BINARY = [
    "OR",
    "AND",
    "=",
    "<>",
    "<",
    "LIKE",
    "NOT LIKE",
    "+",
    "-",
    "*",
    "/",
    "%",
    "||",
    "&",
    "<<",
    "IS",
    "IS NOT",
]
BEFORE = ["NOT ", "-", "~"]
AFTER = [" IS NULL", " IS NOT NULL", " ISNULL", " NOTNULL", " IN (0, 1)", " NOT IN (1)", " BETWEEN 0 AND 1"]


OPERATORS = (exp.Binary, exp.Not, exp.Neg, exp.BitwiseNot, exp.In, exp.Between)


def forms() -> Iterator[str]:
    """Every two operators side by side, without parentheses."""
    for one in BINARY:
        yield from (f"x {one} y {two} z" for two in BINARY)
        yield from (form for two in BEFORE for form in (f"{two}x {one} y", f"x {one} {two}y"))
        yield from (form for two in AFTER for form in (f"x{two} {one} y", f"x {one} y{two}"))
        yield from (f"x BETWEEN y AND z {one} x", f"x {one} y BETWEEN z AND x", f"x BETWEEN y {one} z AND x")
    yield from (f"{one}x{two}" for one in BEFORE for two in AFTER)
    yield from (f"x{one}{two}" for one in AFTER for two in AFTER)


def test_sqlite_groups_what_is_read_as_the_tree_does() -> None:
    values = (0, 1, 2, None, -3)
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (x INT, y INT, z INT)")
    base.executemany("INSERT INTO t VALUES (?, ?, ?)", itertools.product(values, repeat=3))
    read = refused = 0
    for form in forms():
        try:
            tree = sqlglot.parse_one(f"SELECT {form} FROM t", read="sqlite")
            gate.check_grouping(tree, "sqlite")
        except (ParseError, Unsupported):
            refused += 1
            continue
        whole = tree.expressions[0].transform(
            lambda node: exp.Paren(this=node) if node.parent and isinstance(node, OPERATORS) else node
        )
        results = [base.execute(f"SELECT {text} FROM t").fetchall() for text in (form, whole.sql("sqlite"))]
        assert results[0] == results[1], (form, whole.sql("sqlite"))
        read += 1
    assert read > 300
    assert refused > 100


@pytest.mark.parametrize("ends", ["1, 3", "1, t.id"])
def test_a_series_with_its_numbers_is_not_read(ends: str) -> None:
    plain = f"SELECT g.n FROM t, generate_series({ends}) AS g(n)"
    numbered = plain.replace(" AS g", " WITH ORDINALITY AS g")
    assert proved("postgres", BYTEWISE, plain, plain.replace("FROM t, ", "FROM t CROSS JOIN LATERAL "))
    assert not proved("postgres", BYTEWISE, numbered, plain)
