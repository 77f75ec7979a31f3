"""Texts that the parser reads as one tree, or as a tree that an engine reads otherwise."""

from __future__ import annotations

import sqlite3
from random import Random

import pytest
import sqlglot

import needs
from sql_pairs import proved
from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query
from truespec.domains.sql.written import _words, same_words, tokens_of, unread
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, TruespecError, Unsupported

NEEDED = {"mysql": "mariadbd", "postgres": "psql"}

SCHEMA = """CREATE TABLE t (id INT PRIMARY KEY, a INT, b BOOLEAN, s TEXT, p TEXT, d DATE);
    CREATE TABLE u (id INT PRIMARY KEY, a INT)"""
OUTER = "CREATE TABLE o (id INT PRIMARY KEY, k INT); CREATE TABLE l (id INT PRIMARY KEY, c INT NOT NULL)"

APART = [
    # In SQLite, a query in further parentheses is one value.
    ("sqlite", "a IN ((SELECT a FROM u))", "a IN (SELECT a FROM u)"),
    ("sqlite", "a NOT IN (((SELECT a FROM u)))", "a NOT IN (SELECT a FROM u)"),
    # PostgreSQL's operators of patterns bind like ||.
    ("postgres", "s ~ p || 'b'", "s ~ (p || 'b')"),
    ("postgres", "s !~* p || 'b'", "s !~* (p || 'b')"),
    ("postgres", "s ~~ p || 'b'", "s LIKE (p || 'b')"),
    ("postgres", "s !~~* p || 'b'", "s NOT ILIKE (p || 'b')"),
    ("postgres", "b IS TRUE || s", "(b IS TRUE) || s"),
    ("postgres", "b IS NOT TRUE::int", "b IS NOT TRUE"),
    # The call has the text first in PostgreSQL.
    ("postgres", "LIKE(p, s)", "s LIKE p"),
    # SQLite's MOD is fmod.
    ("sqlite", "MOD(a, 4) / 2", "(a % 4) / 2"),
    ("sqlite", "LENGTH(mod (a, 4))", "LENGTH(a % 4)"),
    # A word after an interval that is no unit is its name.
    ("postgres", "d + INTERVAL '1' WEEK", "d + INTERVAL '7' DAY"),
    ("postgres", "d + INTERVAL '1' DAYS", "d + INTERVAL '1' DAY"),
    ("postgres", "d + INTERVAL '1' \"day\"", "d + INTERVAL '1' DAY"),
    ("duckdb", "d + INTERVAL '1' D", "d + INTERVAL '1' DAY"),
    ("duckdb", "d + INTERVAL '1' \"week\"", "d + INTERVAL '7' DAY"),
    # TRUE and FALSE on the right are tests of truth in SQLite.
    ("sqlite", "a IS NOT DISTINCT FROM TRUE", "a IS NOT DISTINCT FROM 1"),
    ("sqlite", "a IS DISTINCT FROM (TRUE)", "a IS DISTINCT FROM 1"),
    # The parser writes %Y for YYYY, and for a %Y.
    ("postgres", "TO_CHAR(d, '%Y-%m')", "TO_CHAR(d, 'YYYY-MM')"),
    ("postgres", "TO_CHAR(d, '\"YYYY\"')", "TO_CHAR(d, '\"%Y\"')"),
    ("postgres", "TO_CHAR(d, 'YYY')", "TO_CHAR(d, 'YYYYthree')"),
    ("postgres", "TO_CHAR(d, 'Y,YYY')", "TO_CHAR(d, 'Y,yyy')"),
    ("postgres", "TO_CHAR(d, 'FMMonth')", "TO_CHAR(d, 'Fmmonth')"),
    # SQLite has dates as they are written.
    ("sqlite", "DATE('2020-1-1')", "DATE('2020-01-01')"),
    ("sqlite", "DATE('2020-01-01') = '2020-1-1'", "1"),
    ("sqlite", "STRFTIME('%Y', '2020-1-1')", "STRFTIME('%Y', '2020-01-01')"),
    ("sqlite", "CAST(DATE('2020-01-01') AS DATE)", "DATE('2020-01-01')"),
    # A name is not read as an operator.
    ("mysql", "a ISNULL", "a IS NULL"),
    ("mysql", "a NOTNULL", "a IS NOT NULL"),
    # A number ends before a letter for the parser alone, or for some versions.
    ("duckdb", "0x10", "0"),
    # What `~` matches depends on the version.
    ("duckdb", "s ~ 'a'", "REGEXP_MATCHES(s, 'a')"),
]


@pytest.mark.parametrize(("dialect", "one", "other"), APART)
def test_what_an_engine_tells_apart_is_not_proved(dialect: str, one: str, other: str) -> None:
    try:
        found = proved(dialect, SCHEMA, f"SELECT id, {one} FROM t", f"SELECT id, {other} FROM t")
    except Unsupported:
        return  # the parser does not even cut the text as the engine does
    assert not found


@pytest.mark.parametrize(
    ("dialect", "one", "other"),
    [
        ("sqlite", "a IN ((SELECT MAX(a) FROM u))", "a = (SELECT MAX(a) FROM u)"),
        ("mysql", "a IN ((SELECT a FROM u))", "a IN (SELECT a FROM u)"),
        ("postgres", "a IN ((SELECT a FROM u))", "a IN (SELECT a FROM u)"),
        ("duckdb", "a IN ((SELECT a FROM u))", "a IN (SELECT a FROM u)"),
        ("duckdb", "s LIKE 'a' || 'b'", "s LIKE ('a' || 'b')"),
        ("duckdb", "NOT s NOT LIKE (p)", "s LIKE p"),
        ("postgres", "s LIKE 'a%' OR s IN (p, 'b')", "s = p OR s = 'b' OR s LIKE 'a%'"),
        ("sqlite", "(a % 4) / 2 + a", "a + (a % 4) / 2"),
        ("mysql", "MOD(a, 4)", "a % 4"),
        ("mysql", "ISNULL(a)", "a IS NULL"),
        ("duckdb", "a ISNULL", "a IS NULL"),
        ("postgres", "MOD(a, 4)", "a % 4"),
        ("postgres", "d + INTERVAL '1 week'", "d + INTERVAL '7' DAY"),
        ("duckdb", "d + INTERVAL '1' WEEK", "d + INTERVAL '7' DAYS"),
        ("sqlite", "a IS NOT DISTINCT FROM (TRUE)", "a IS TRUE"),
        ("sqlite", "a IS DISTINCT FROM FALSE", "a IS NOT FALSE"),
        ("postgres", "b IS NOT DISTINCT FROM TRUE", "b IS TRUE"),
        (
            "postgres",
            "TO_CHAR(d, 'YYYY-MM') = '2020-01'",
            "(NOT d < '2020-01-01' AND d < '2020-02-01')",
        ),
        ("postgres", "TO_CHAR(d, 'Mon YYYY') || s", "TO_CHAR(d, 'Mon yyyy') || s"),
    ],
)
def test_neighbours_are_proved(dialect: str, one: str, other: str) -> None:
    assert proved(dialect, SCHEMA, f"SELECT id, {one} FROM t", f"SELECT id, {other} FROM t")


def test_sqlite_tells_its_pairs_apart() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(f"""{SCHEMA};
        INSERT INTO t VALUES (1, 7, 1, 'x', 'x', '2020-01-01'), (2, 2, 0, 'x', 'x', '2020-01-01');
        INSERT INTO u VALUES (1, 7), (2, NULL), (3, 2)""")
    for dialect, one, other in APART:
        if dialect == "sqlite" and ("MOD" not in one.upper() or sqlite_has_mod(connection)):
            rows = [connection.execute(f"SELECT id, {e} FROM t ORDER BY id").fetchall() for e in (one, other)]
            assert rows[0] != rows[1], one


def sqlite_has_mod(connection: sqlite3.Connection) -> bool:
    """MOD belongs to SQLite's mathematical functions, which a build may leave out."""
    return bool(connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'mod'").fetchall())


@pytest.mark.parametrize("test", ["k = 3", "EXISTS (SELECT 1 FROM l WHERE k = 3)"])
def test_in_sqlite_outputs_have_names_in_on(test: str) -> None:
    queries = [
        f"SELECT id FROM o WHERE EXISTS (SELECT l.c AS k FROM l JOIN l m ON {test})",
        "SELECT id FROM o WHERE k = 3 AND EXISTS (SELECT 1 FROM l)",
    ]
    connection = sqlite3.connect(":memory:")
    connection.executescript(f"{OUTER}; INSERT INTO o VALUES (1, 3); INSERT INTO l VALUES (1, 2)")
    assert [connection.execute(query).fetchall() for query in queries] == [[], [(1,)]]
    assert not proved("sqlite", OUTER, *queries)
    assert proved("postgres", OUTER, *queries)
    assert proved("sqlite", OUTER, queries[0].replace("AS k", "AS n"), queries[1])


def test_in_sqlite_true_may_be_a_column() -> None:
    schema = 'CREATE TABLE t (id INT PRIMARY KEY, "true" INT)'
    pair = "SELECT id FROM t WHERE true", "SELECT id FROM t"
    connection = sqlite3.connect(":memory:")
    connection.executescript(f"{schema}; INSERT INTO t VALUES (1, 0), (2, 2)")
    assert [len(connection.execute(query).fetchall()) for query in pair] == [1, 2]
    assert not proved("sqlite", schema, *pair)
    assert not proved(
        "sqlite", SCHEMA, 'SELECT id FROM (SELECT id, a AS "TRUE" FROM t) q WHERE true', pair[1]
    )
    assert proved("sqlite", schema.replace("true", "truth"), *pair)
    assert proved("sqlite", schema, "SELECT id FROM t WHERE NOT false", pair[1])


@pytest.mark.parametrize(
    ("dialect", "one", "other"),
    [
        ("sqlite", "SELECT MOD(a, 4) FROM t", "SELECT a % 4 FROM t"),
        ("postgres", "SELECT LIKE(s, p) FROM t", "SELECT p LIKE s FROM t"),
        ("postgres", "SELECT d + INTERVAL '1' WEEK FROM t", "SELECT d + INTERVAL '1 week' FROM t"),
        ("mysql", "SELECT CHAR(a) FROM t", "SELECT CHR(a) FROM t"),
        ("mysql", "SELECT 0x41 + 0 FROM t", "SELECT x'41' + 0 FROM t"),
    ],
)
def test_equal_trees_are_no_identity(dialect: str, one: str, other: str) -> None:
    assert sqlglot.parse_one(one, read=dialect) == sqlglot.parse_one(other, read=dialect)
    assert not same_words(one, other, dialect)
    assert verify_pair(Pair("sql", one, other, {"dialect": dialect, "schema": SCHEMA}), 1.0).answer is not (
        Answer.EQUIVALENT
    )


def test_blanks_comments_and_the_case_of_words_do_not_matter() -> None:
    one = "SELECT a, 'b c' FROM t GROUP BY a /* x */ ;"
    other = "select a,'b c' -- y\n from T group  by a"
    assert same_words(one, other, "sqlite")
    assert not same_words(one, other.replace("b c", "b  c"), "sqlite")
    assert not same_words(one, other.replace("b c", "B c"), "sqlite")
    assert not same_words('SELECT "a" FROM t', 'SELECT "A" FROM t', "postgres")
    assert not same_words("SELECT 0X4A FROM t", "SELECT 0x4A FROM t", "mysql"), "one of them is a column"
    verdict = verify_pair(Pair("sql", one, other, {"dialect": "sqlite", "schema": SCHEMA}), 30.0)
    assert (verdict.answer, verdict.method) == (Answer.EQUIVALENT, "identity")


PIECES = [
    *(
        "1",
        "1 ",
        " + 1",
        "/*",
        "*/",
        "-- ",
        "--",
        "\n",
        "'",
        "\\",
        "''",
        '"',
        "#",
        "$$",
        "$a$",
        "E'",
        "e'",
        " ",
    ),
    *(
        "-",
        ";",
        "a",
        "A",
        " b",
        "x'41'",
        "X'41'",
        "0x41",
        "0X4A",
        "0x4A",
        "/*+",
        "!",
        "\t",
        "\r",
        "\x0b",
        "1e1",
        "1E1",
    ),
]


@pytest.mark.live
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "mysql", "postgres"])
def test_queries_of_equal_words_have_equal_results(dialect: str) -> None:
    if dialect in NEEDED:
        needs.tool(NEEDED[dialect])
    name = {"mysql": "`0X4A`", "postgres": '"0X4A"'}.get(
        dialect, "[0X4A]" if dialect == "sqlite" else '"0X4A"'
    )
    ddl = f"CREATE TABLE t (a INT PRIMARY KEY, {name} INT, b INT)"
    schema, random = read_schema(ddl, dialect), Random(7)
    groups: dict[tuple[str, ...], set[str]] = {}
    for _ in range(6_000):
        middle = "".join(random.choice(PIECES) for _ in range(random.randint(1, 4)))
        text = f"SELECT {middle}{random.choice((' FROM t', ' FROM t -- */', ' FROM t /* */'))}"
        groups.setdefault(tuple(_words(text, dialect)), set()).add(text)
    compared = 0
    for texts in groups.values():
        results: dict[str, str] = {}
        for text in sorted(texts)[:4] if len(texts) > 1 else ():
            try:
                read_query(text, schema, Settings())
                found = registry.engine(dialect).replay(
                    [ddl, "INSERT INTO t VALUES (1, 2, 3)"], text, Settings()
                )
            except TruespecError:
                continue
            results[text] = repr(found)
        compared += len(results) > 1
        assert len(set(results.values())) <= 1, results
    assert compared > 20


@pytest.mark.parametrize(
    ("dialect", "text", "strange"),
    [
        ("postgres", "SELECT a\u00a0b FROM t", True),
        ("postgres", "SELECT a /* \u00a0 */ b FROM t", False),
        ("sqlite", "SELECT 'a' 'b' FROM t", True),
        ("mysql", "SELECT 'a' 'b' FROM t", False),
    ],
)
def test_blanks_and_texts_that_the_parser_takes_otherwise(dialect: str, text: str, strange: bool) -> None:
    """A blank of the parser is a letter of the engines; a text after a text is its name in SQLite."""
    assert (unread(text, tokens_of(text, dialect), dialect) is not None) == strange


def test_the_place_of_what_is_not_read() -> None:
    text = "SELECT a\nFROM t WHERE MOD(a, 2) = 1"
    found = unread(text, tokens_of(text, "sqlite"), "sqlite")
    assert found is not None
    assert (found[1].line, found[0][:3]) == (2, "MOD")
