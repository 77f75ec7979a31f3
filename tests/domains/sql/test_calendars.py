"""Series of days and months, by what number each element is, and weeks; groups that range over them."""

from __future__ import annotations

import pytest

from sql_pairs import proved

SCHEMA = "CREATE TABLE b (id INT PRIMARY KEY, at TIMESTAMP NOT NULL, o CHAR(3) NOT NULL, d CHAR(3) NOT NULL)"
MONTHS = "generate_series(TIMESTAMP '2023-01-01', TIMESTAMP '2023-12-01', INTERVAL '1 month') AS g(m)"
DAYS = "generate_series(DATE '2024-01-01', DATE '2024-12-31', INTERVAL '1 day') AS g(x)"
COUNTED = (
    "WITH RECURSIVE c AS (SELECT DATE '2023-01-01' AS m UNION ALL SELECT (m + INTERVAL '1 month')::date "
)
YEAR = "SELECT COUNT(*) FROM b WHERE at >= '2023-01-01' AND at < '2024-01-01'"
WEEKS = "SELECT x.id, y.id FROM b x, b y WHERE DATE_TRUNC('week', x.at) + INTERVAL '7 days' = "
FLIGHTS = (
    "WITH RECURSIVE r(i, n) AS (SELECT 'OSL'::char(3), 0 UNION SELECT b.d, r.n + 1 FROM r "
    "JOIN b ON b.o = r.i WHERE r.n < 2) SELECT i, n FROM r"
)


@pytest.mark.parametrize(
    ("oracle", "candidate", "equal"),
    [
        (
            f"SELECT x::date FROM {DAYS}",
            "SELECT DATE '2024-01-01' + i FROM generate_series(0, 365) AS g(i)",
            True,
        ),
        (
            f"SELECT x::date FROM {DAYS}",
            "SELECT DATE '2024-01-01' + i FROM generate_series(0, 364) AS g(i)",
            False,
        ),
        (f"SELECT DISTINCT x::date FROM {DAYS}", f"SELECT x::date FROM {DAYS}", True),
        # A series of days is one of moments with a zone.
        (f"SELECT x FROM {DAYS}", f"SELECT x FROM {DAYS.replace('DATE', 'TIMESTAMP')}", False),
        (
            f"SELECT m::date FROM {MONTHS}",
            f"{COUNTED}FROM c WHERE m < DATE '2023-12-01') SELECT m FROM c",
            True,
        ),
        (
            f"SELECT m::date FROM {MONTHS}",
            f"{COUNTED}FROM c WHERE m < DATE '2023-11-01') SELECT m FROM c",
            False,
        ),
        (YEAR, f"SELECT COUNT(*) FROM b WHERE DATE_TRUNC('month', at) IN (SELECT m FROM {MONTHS})", True),
        (YEAR, f"SELECT COUNT(*) FROM b WHERE at IN (SELECT m FROM {MONTHS})", False),
        (f"{WEEKS}DATE_TRUNC('week', y.at)", f"{WEEKS}DATE_TRUNC('week', y.at - INTERVAL '0 days')", True),
        (f"{WEEKS}DATE_TRUNC('week', y.at)", f"{WEEKS}DATE_TRUNC('week', y.at - INTERVAL '1 day')", False),
        (FLIGHTS, FLIGHTS.replace("r.n < 2", "r.n <= 1"), True),
        (FLIGHTS, FLIGHTS.replace("'OSL'", "'OS'"), False),
    ],
)
def test_series_and_weeks(oracle: str, candidate: str, equal: bool) -> None:
    assert proved("postgres", SCHEMA, oracle, candidate) is equal


PLACES = (
    "CREATE TABLE r (id INT PRIMARY KEY); CREATE TABLE s (id INT PRIMARY KEY, k INT); "
    "CREATE TABLE c (r INT, s INT)"
)
PAIRS = (
    "SELECT r.id, s.id, COUNT(c.r) FROM r CROSS JOIN s LEFT JOIN c ON c.r = r.id AND c.s = s.id "
    "GROUP BY r.id, s.id"
)
EACH = "SELECT r.id, s.id, (SELECT COUNT(*) FROM c WHERE c.r = r.id AND c.s = s.id) FROM r, s"


@pytest.mark.parametrize(
    ("oracle", "candidate", "equal"),
    [
        (PAIRS, EACH, True),
        (PAIRS.replace("LEFT JOIN", "JOIN"), EACH, False),
        (
            PAIRS.replace("s.id, COUNT", "s.k, COUNT").replace("r.id, s.id", "r.id, s.k"),
            EACH.replace("r.id, s.id", "r.id, s.k"),
            False,
        ),
    ],
)
def test_groups_by_two_keys_are_pairs_of_rows(oracle: str, candidate: str, equal: bool) -> None:
    assert proved("sqlite", PLACES, oracle, candidate) is equal
