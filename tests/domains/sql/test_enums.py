"""ENUM columns, foreign keys and character sets as MariaDB has them: what it tells apart is not proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import needs
from sql_pairs import proved
from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.result import rows
from truespec.domains.sql.schema import read_schema

T = "CREATE TABLE t (id INT PRIMARY KEY, k ENUM('z', 'a', 'm') NOT NULL, n ENUM('z', 'a', 'm'), v VARCHAR(9))"
INDEXED = T.replace("NOT NULL", "NOT NULL UNIQUE")
ROWS = ("INSERT INTO t VALUES (1, 'a', 'a', 'a'), (2, 'z', 'z', 'z'), (3, 'm', 'm', 'm')",)
BLANK = "CREATE TABLE t (id INT PRIMARY KEY, k ENUM('a ', 'b') NOT NULL)"
TEXTS = "CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(9))"
WIDE = ("INSERT INTO t VALUES (1, 'é'), (2, '\U0001f600')",)
NARROW = f"{TEXTS} DEFAULT CHARSET=utf8"
LATIN = f"{TEXTS} DEFAULT CHARSET=latin1; CREATE TABLE u (id INT PRIMARY KEY, c VARCHAR(9))"
SETS = """CREATE TABLE t (id INT PRIMARY KEY, k SET('z', 'a', 'm'));
    CREATE TABLE u (id INT PRIMARY KEY, k SET('z', 'a', 'm'))"""
OTHERS = (
    f"{TEXTS} DEFAULT CHARSET=latin1; CREATE TABLE u (id INT PRIMARY KEY, c VARCHAR(9)) COLLATE=utf8mb4_bin"
)
ALIKE = f"{TEXTS}; CREATE TABLE u (id INT PRIMARY KEY, n INT)"
CASES = ("INSERT INTO t VALUES (1, 'a'), (2, 'A'), (3, 'a ')", "INSERT INTO u VALUES (1, 1)")
SWEDISH = ("INSERT INTO t VALUES (1, 'ü'), (2, 'u'), (3, 'y')", "INSERT INTO u VALUES (1, 'u')")
SOME = ("INSERT INTO t VALUES (1, 'a'), (2, 'z'), (3, 'm')",)
SMALLEST = """SELECT id, k FROM t WHERE NOT EXISTS
    (SELECT 1 FROM t u WHERE u.k < t.k OR (u.k = t.k AND u.id < t.id))"""
CHILDREN = ("SELECT t.id FROM t JOIN p ON t.x = p.x", "SELECT id FROM t WHERE x IS NOT NULL")


@dataclass(frozen=True)
class Told:
    """A pair that MariaDB tells apart on a database."""

    schema: str
    inserts: tuple[str, ...]
    oracle: str
    candidate: str


def family(parent: str, child: str) -> str:
    """A foreign key between columns of these types."""
    return f"""CREATE TABLE p (x {parent} PRIMARY KEY);
        CREATE TABLE t (id INT PRIMARY KEY, x {child}, FOREIGN KEY (x) REFERENCES p (x))"""


def by_keys(query: str) -> str:
    """The query as one whose rows come by `k`, then `id`."""
    return f"SELECT id, k FROM ({query}) q ORDER BY k, id"


PLAIN = "SELECT id, k FROM t ORDER BY k, id"
RANKS = "SELECT id, RANK() OVER (ORDER BY k) FROM t"
DECIMALS = ("INSERT INTO p VALUES (1.05)", "INSERT INTO t VALUES (1, 1.5)")
TOLD = {
    "a first row": Told(T, ROWS, "SELECT * FROM (SELECT id, k FROM t ORDER BY k, id LIMIT 1) q", SMALLEST),
    "a union": Told(
        T, ROWS, PLAIN, "SELECT id, k FROM t UNION ALL SELECT 0, k FROM t WHERE 1 = 0 ORDER BY k, id"
    ),
    "a cast": Told(T, ROWS, PLAIN, by_keys("SELECT id, CAST(k AS CHAR) AS k FROM t")),
    "COALESCE": Told(T, ROWS, PLAIN, by_keys("SELECT id, COALESCE(k) AS k FROM t")),
    "CASE": Told(T, ROWS, PLAIN, by_keys("SELECT id, CASE WHEN id > 0 THEN k ELSE k END AS k FROM t")),
    "a subquery": Told(T, ROWS, PLAIN, by_keys("SELECT id, (SELECT k) AS k FROM t")),
    "a window's value": Told(
        T, ROWS, PLAIN, by_keys("SELECT id, FIRST_VALUE(k) OVER (PARTITION BY id ORDER BY id) AS k FROM t")
    ),
    "groups": Told(
        T,
        ROWS,
        "SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k",
        "SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY CAST(k AS CHAR)",
    ),
    "distinct values": Told(
        T, ROWS, "SELECT DISTINCT k FROM t ORDER BY k", "SELECT DISTINCT COALESCE(k) AS k FROM t ORDER BY k"
    ),
    "ranks": Told(T, ROWS, RANKS, "SELECT id, RANK() OVER (ORDER BY CAST(k AS CHAR)) FROM t"),
    "ranks as counts": Told(
        T, ROWS, RANKS, "SELECT id, (SELECT 1 + COUNT(*) FROM t u WHERE u.k < t.k) FROM t"
    ),
    "MIN": Told(INDEXED, ROWS, "SELECT MIN(k) FROM t", "SELECT MIN(CAST(k AS CHAR)) FROM t"),
    "MAX of what a query passes on": Told(
        INDEXED, ROWS, "SELECT MAX(q.k) FROM (SELECT k FROM t) q", "SELECT MAX(COALESCE(k)) FROM t"
    ),
    "ALL": Told(
        INDEXED,
        ROWS,
        "SELECT id FROM t WHERE k >= ALL (SELECT k FROM t)",
        "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t u WHERE u.k > t.k)",
    ),
    "ANY": Told(
        INDEXED,
        ROWS,
        "SELECT id FROM t WHERE k > ANY (SELECT k FROM t)",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.k < t.k)",
    ),
    "blanks": Told(
        BLANK,
        ("INSERT INTO t VALUES (1, 'a')",),
        "SELECT k FROM t WHERE k = 'a'",
        "SELECT 'a ' FROM t WHERE k = 'a'",
    ),
    "a key of other members": Told(
        family("ENUM('a', 'b')", "ENUM('b', 'a')"),
        ("INSERT INTO p VALUES ('a')", "INSERT INTO t VALUES (1, 'b')"),
        *CHILDREN,
    ),
    "a key of another scale": Told(family("DECIMAL(10, 2)", "DECIMAL(10, 1)"), DECIMALS, *CHILDREN),
    "a key of other digits": Told(family("DECIMAL(10, 2)", "DECIMAL(9, 1)"), DECIMALS, *CHILDREN),
    "NCHAR": Told(TEXTS, WIDE, "SELECT CAST(c AS NCHAR) FROM t", "SELECT c FROM t"),
    "NCHAR of a length": Told(
        TEXTS, WIDE, "SELECT CONVERT(c, NCHAR(3)) FROM t", "SELECT CAST(c AS CHAR(3)) FROM t"
    ),
    "latin1 beside another": Told(
        LATIN,
        SWEDISH,
        "SELECT t.id, s.id FROM t, t s, u WHERE t.c = u.c AND s.c = u.c",
        "SELECT t.id, s.id FROM t, t s, u WHERE t.c = u.c AND s.c = u.c AND t.c = s.c",
    ),
    "latin1 in an expression": Told(
        LATIN,
        (SWEDISH[0], "INSERT INTO u VALUES (1, 'ua')"),
        "SELECT t.id, s.id FROM t, t s, u WHERE CONCAT(t.c, 'a') = u.c AND CONCAT(s.c, 'a') = u.c",
        """SELECT t.id, s.id FROM t, t s, u
        WHERE CONCAT(t.c, 'a') = u.c AND CONCAT(s.c, 'a') = u.c AND CONCAT(t.c, 'a') = CONCAT(s.c, 'a')""",
    ),
    "bytes of two character sets": Told(
        OTHERS,
        SWEDISH,
        "SELECT LENGTH(c) FROM (SELECT c FROM t UNION ALL SELECT c FROM u) q",
        "SELECT LENGTH(c) FROM t UNION ALL SELECT LENGTH(c) FROM u",
    ),
    "a collation of a union": Told(
        OTHERS,
        SWEDISH,
        "SELECT id, c FROM t ORDER BY c, id",
        "SELECT id, c FROM t UNION ALL SELECT id, c FROM u WHERE 1 = 0 ORDER BY c, id",
    ),
    "a SET": Told(SETS, SOME, PLAIN, by_keys("SELECT id, COALESCE(k) AS k FROM t")),
    "a SET in a union": Told(SETS, SOME, PLAIN, by_keys("SELECT id, k FROM t UNION ALL SELECT id, k FROM u")),
    "a text of an outer query": Told(ALIKE, CASES, "SELECT id, (SELECT c) FROM t", "SELECT id, c FROM t"),
    "a text of an outer query in a function": Told(
        ALIKE,
        CASES,
        "SELECT id, (SELECT COUNT(*) FROM u WHERE u.n = LENGTH(t.c)) FROM t",
        "SELECT t.id, COUNT(u.id) FROM t LEFT JOIN u ON u.n = LENGTH(t.c) GROUP BY t.id",
    ),
    "a text of an outer query as a pattern": Told(
        ALIKE,
        CASES,
        "SELECT id, EXISTS (SELECT 1 FROM u WHERE u.n = 1 AND 'a' LIKE t.c) FROM t",
        "SELECT id, 'a' LIKE t.c AND 1 IN (SELECT n FROM u) FROM t",
    ),
    "latin1 that is cast": Told(
        LATIN, SWEDISH, "SELECT id FROM t WHERE CAST(c AS CHAR) = 'ü'", "SELECT id FROM t WHERE c = 'ü'"
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_mariadb_tells_apart_is_not_proved(name: str) -> None:
    told = TOLD[name]
    assert not proved("mysql", told.schema, told.oracle, told.candidate)


@pytest.fixture(scope="module")
def _mariadb() -> Iterator[None]:
    needs.tool("mariadbd")
    yield
    registry.close_all()


@pytest.mark.live
@pytest.mark.usefixtures("_mariadb")
@pytest.mark.parametrize("name", TOLD)
def test_mariadb_tells_them_apart(name: str) -> None:
    told = TOLD[name]
    script = [*told.schema.split(";"), *told.inserts]
    mariadb = registry.engine("mysql")
    one, other = (rows(mariadb.replay(script, q, Settings())) for q in (told.oracle, told.candidate))
    assert list(one.rows) != list(other.rows)


def test_a_text_beyond_what_utf8_holds_is_not_read() -> None:
    # MariaDB refuses the first query: the column's characters cannot be those of the text.
    assert not proved(
        "mysql", NARROW, "SELECT id FROM t WHERE c = '\U0001f600'", "SELECT id FROM t WHERE '\U0001f600' = c"
    )
    assert proved("mysql", NARROW, "SELECT id FROM t WHERE c = 'é'", "SELECT id FROM t WHERE 'é' = c")


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        (PLAIN, by_keys("SELECT DISTINCT id, k FROM t")),
        ("SELECT id FROM t ORDER BY n, id", "SELECT t.id FROM t LEFT JOIN t u USING (id) ORDER BY u.n, t.id"),
        (
            "SELECT id FROM t ORDER BY n DESC, id",
            "SELECT id FROM t ORDER BY CASE n WHEN 'z' THEN 1 WHEN 'a' THEN 2 WHEN 'm' THEN 3 END DESC, id",
        ),
        ("SELECT DISTINCT n FROM t ORDER BY n", "SELECT n FROM t GROUP BY n ORDER BY n"),
        (
            "SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k",
            "SELECT k, c FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) q ORDER BY k",
        ),
        ("SELECT * FROM (SELECT id, k FROM t ORDER BY CAST(k AS CHAR), id LIMIT 1) q", SMALLEST),
        (by_keys("SELECT id, COALESCE(k) AS k FROM t"), by_keys("SELECT id, CAST(k AS CHAR) AS k FROM t")),
        (
            "SELECT k FROM t UNION SELECT n FROM t ORDER BY k",
            "SELECT n FROM t UNION SELECT k FROM t ORDER BY n",
        ),
        (
            "SELECT id, ROW_NUMBER() OVER (ORDER BY k, id) FROM t",
            "SELECT id, ROW_NUMBER() OVER (ORDER BY k, id) FROM (SELECT id, k FROM t) q",
        ),
        ("SELECT id FROM t WHERE k <> 'a' AND k <> 'z'", "SELECT id FROM t WHERE k = 'M'"),
        ("SELECT id FROM t WHERE k < 'm'", "SELECT id FROM t WHERE NOT k >= 'm'"),
        ("SELECT COUNT(DISTINCT k) FROM t", "SELECT COUNT(*) FROM (SELECT DISTINCT k FROM t) q"),
        ("SELECT MIN(CASE WHEN k = 'a' THEN id END) FROM t", "SELECT MIN(id) FROM t WHERE k = 'a'"),
        ("SELECT id FROM t WHERE k = ANY (SELECT n FROM t)", "SELECT id FROM t WHERE k IN (SELECT n FROM t)"),
        ("SELECT id, v FROM t ORDER BY v, id", "SELECT id, v FROM (SELECT * FROM t) q ORDER BY v, id"),
    ],
)
def test_what_keeps_the_order_of_an_enum_is(oracle: str, candidate: str) -> None:
    assert proved("mysql", T, oracle, candidate)


@pytest.mark.parametrize(
    ("schema", "oracle", "candidate"),
    [
        (
            OTHERS,
            "SELECT id, c FROM t ORDER BY c, id",
            "SELECT id, c FROM (SELECT * FROM t) q ORDER BY c, id",
        ),
        (OTHERS, "SELECT COALESCE(c) FROM t", "SELECT c FROM t"),
        (OTHERS, "SELECT c FROM t UNION ALL SELECT c FROM u", "SELECT c FROM u UNION ALL SELECT c FROM t"),
        (OTHERS, "SELECT COUNT(c) FROM t", "SELECT COUNT(*) FROM t WHERE c IS NOT NULL"),
        (SETS, PLAIN, by_keys("SELECT id, k FROM t")),
        (
            LATIN.replace("latin1", "utf8mb4"),
            "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.c <= (t.c))",
            "SELECT id FROM t WHERE 0 < (SELECT COUNT(*) FROM u WHERE t.c >= u.c)",
        ),
    ],
)
def test_what_is_shown_or_compared_is_read(schema: str, oracle: str, candidate: str) -> None:
    assert proved("mysql", schema, oracle, candidate)


def test_members_lose_their_blanks_in_mariadb_alone() -> None:
    assert read_schema(BLANK, "mysql").tables[0].columns[1].type.values == ("a", "b")
    assert read_schema(BLANK, "duckdb").tables[0].columns[1].type.values == ("a ", "b")
    assert proved("mysql", BLANK, "SELECT k FROM t WHERE k = 'a '", "SELECT 'a' FROM t WHERE k <> 'b'")


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        ("ENUM('a', 'b')", "ENUM('a', 'b')"),
        ("DECIMAL(10, 2)", "DECIMAL(10, 2)"),
        ("INT", "INT(11)"),
        ("BOOLEAN", "TINYINT"),
        ("CHAR(5)", "VARCHAR(9)"),
        ("DATE", "DATE"),
    ],
)
def test_a_key_of_the_same_type_names_its_parent(parent: str, child: str) -> None:
    assert proved("mysql", family(parent, child), *CHILDREN)


@pytest.mark.parametrize(
    ("parent", "child"),
    [("ENUM('a', 'b')", "ENUM('a', 'b', 'c')"), ("DATETIME(2)", "DATETIME(1)"), ("DATETIME", "DATETIME(3)")],
)
def test_a_key_of_another_type_may_not(parent: str, child: str) -> None:
    assert not proved("mysql", family(parent, child), *CHILDREN)


@pytest.mark.parametrize(
    ("oracle", "candidate", "expected"),
    [
        (PLAIN, by_keys("SELECT id, CAST(k AS VARCHAR) AS k FROM t"), False),
        (by_keys("SELECT id, COALESCE(k) AS k FROM t"), by_keys("SELECT id, k || '' AS k FROM t"), False),
        ("SELECT MIN(k) FROM t", "SELECT MIN(CAST(k AS VARCHAR)) FROM t", False),
        ("SELECT MIN(COALESCE(k)) FROM t", "SELECT MIN(CAST(k AS VARCHAR)) FROM t", False),
        (PLAIN, by_keys("SELECT id, k FROM t"), True),
    ],
)
def test_duckdb_keeps_the_type_in_expressions(oracle: str, candidate: str, expected: bool) -> None:
    assert proved("duckdb", T, oracle, candidate) == expected


NUMBERED = "CREATE TABLE t (id INT PRIMARY KEY, g ENUM('2', '1') NOT NULL, b VARCHAR(9) NOT NULL)"
PLACES = [
    *("LEFT(b, {})", "RIGHT(b, {})", "SUBSTRING(b, {})", "SUBSTRING(b, 1, {})", "REPEAT(b, {})"),
    *(
        "LPAD(b, {}, 'p')",
        "RPAD(b, {}, 'p')",
        "LOCATE('y', b, {})",
        "LOG(2, {})",
        "POW({}, 2)",
        "SIGN({} - 2)",
    ),
]


@pytest.mark.parametrize("place", PLACES)
def test_a_number_that_an_enum_gives_is_not_its_text(place: str) -> None:
    here, there = place.format("g"), place.format("COALESCE(g, '')")
    assert not proved("mysql", NUMBERED, f"SELECT {here} FROM t", f"SELECT {there} FROM t")


@pytest.mark.parametrize(
    "place", ["LEFT({}, 2)", "CONCAT({}, b)", "REPLACE(b, {}, 'x')", "LOCATE({}, b)", "LENGTH({})"]
)
def test_a_text_that_an_enum_gives_is_its_text(place: str) -> None:
    here, there = place.format("g"), place.format("COALESCE(g, '')")
    assert proved("mysql", NUMBERED, f"SELECT {here} FROM t", f"SELECT {there} FROM t")
