"""Texts that try to do more than read: refused by the domain before an engine runs them, or contained."""

from __future__ import annotations

import pytest

import needs
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer

DDL = "CREATE TABLE t (a INT, b VARCHAR(20))"
ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
NEEDED = {"mysql": "mariadbd", "postgres": "psql"}


def verdict(candidate: str, dialect: str) -> tuple[Answer, str]:
    if dialect in NEEDED:
        needs.tool(NEEDED[dialect])
    found = verify_pair(Pair("sql", "SELECT a FROM t", candidate, {"schema": DDL, "dialect": dialect}), 3.0)
    return found.answer, found.reason.code.value if found.reason else ""


@pytest.mark.parametrize(
    ("candidate", "dialect"),
    [
        pytest.param("SELECT SLEEP(60)", "mysql", marks=pytest.mark.live),
        pytest.param("SELECT a FROM t WHERE GET_LOCK('x', 60)", "mysql", marks=pytest.mark.live),
        pytest.param("SELECT a INTO OUTFILE '/tmp/truespec-x' FROM t", "mysql", marks=pytest.mark.live),
        pytest.param("SELECT @x := a FROM t", "mysql", marks=pytest.mark.live),
        pytest.param("SELECT pg_sleep(60)", "postgres", marks=pytest.mark.live),
        pytest.param("SELECT pg_read_file('/etc/passwd')", "postgres", marks=pytest.mark.live),
        pytest.param("COPY t TO '/tmp/truespec-x'", "postgres", marks=pytest.mark.live),
        ("DROP TABLE t", "sqlite"),
        ("ATTACH '/tmp/truespec-x' AS x", "sqlite"),
        ("SELECT load_extension('x') FROM t", "sqlite"),
        ("SELECT * FROM sqlite_master", "sqlite"),
        ("SELECT * FROM read_text('/etc/passwd')", "duckdb"),
        ("INSTALL httpfs", "duckdb"),
    ],
)
def test_more_than_reading_is_forbidden(candidate: str, dialect: str) -> None:
    assert verdict(candidate, dialect) == (Answer.INVALID, "forbidden")


@pytest.mark.parametrize(
    "candidate",
    [
        "SELECT a FROM t; SELECT 1",
        "SELECT a FROM t WHERE b = '\ud800'",
        "SELECT a FROM t\0 WHERE 1",
        "",
        ";;",
        "SELECT " + "(" * 10 + "a",
        "SELECT a FROM t WHERE " + "a = 1 OR " * 9_000,
        "\U0001f4a5" * 100,
    ],
)
def test_what_is_no_query_is_invalid(candidate: str) -> None:
    assert verdict(candidate, "sqlite")[0] is Answer.INVALID


@pytest.mark.parametrize(
    ("candidate", "dialect"),
    [
        (ENDLESS, "sqlite"),
        ("SELECT t.a FROM t" + "".join(f", t AS t{number}" for number in range(30)), "sqlite"),
        ("SELECT a FROM t WHERE " + "(" * 100 + "a = 1" + ")" * 100, "sqlite"),
        ("SELECT " + "- " * 20 + "a FROM t WHERE a > 1", "sqlite"),
        ("SELECT a FROM t WHERE a IN (" + ", ".join(map(str, range(5_000))) + ")", "sqlite"),
        ("SELECT REPEAT('a', 1000000000) FROM t", "duckdb"),
        ("SELECT COUNT(*) FROM generate_series(1, 1000000000)", "duckdb"),
        pytest.param(ENDLESS, "mysql", marks=pytest.mark.live),
        pytest.param("SELECT REPEAT('a', 1000000000) FROM t", "mysql", marks=pytest.mark.live),
        pytest.param(ENDLESS, "postgres", marks=pytest.mark.live),
    ],
)
def test_what_explodes_ends_within_its_limit(candidate: str, dialect: str) -> None:
    answer, _ = verdict(candidate, dialect)
    assert answer in (Answer.UNKNOWN, Answer.REFUTED)
