"""Drawn pairs of the constructs that pick rows, truncate days and list cases: two spellings of one question.

Some spellings of a question mean the same, others miss it by a tie, a NULL or a bound.
"""

from __future__ import annotations

from random import Random

SCHEMA = (
    "CREATE TABLE t (id INT PRIMARY KEY, g INT, h INT NOT NULL, d DATE); "
    "CREATE TABLE s (id INT PRIMARY KEY, g INT, d DATE NOT NULL)"
)
ANYWHERE: tuple[tuple[str, ...], ...] = (
    (
        "SELECT {k}, COUNT(*) FROM t GROUP BY {k}",
        "SELECT {k}, COUNT({v}) FROM t GROUP BY {k}",
        "SELECT {k}, COUNT(*) FROM t GROUP BY {k}, {v}",
        "SELECT {k}, COUNT(*) FROM t GROUP BY {k}, {k} + 1",
        "SELECT MAX({k}), COUNT(*) FROM t GROUP BY {k} + 1",
        "SELECT MAX({k}), COUNT(*) FROM t GROUP BY {k} * {k}",
        "SELECT {k}, n FROM (SELECT {k}, 2 * {k} AS z, COUNT(*) AS n FROM t GROUP BY {k}, 2 * {k}) q",
    ),
    (
        "SELECT CASE WHEN {v} < {n} THEN 0 ELSE 1 END, COUNT(*) FROM t GROUP BY CASE WHEN {v} < "
        "{n} THEN 0 ELSE 1 END",
        "SELECT CASE WHEN {v} >= {n} THEN 1 ELSE 0 END, COUNT(*) FROM t "
        "GROUP BY CASE WHEN {v} >= {n} THEN 1 ELSE 0 END",
        "SELECT CASE WHEN {v} < {n} THEN 0 WHEN {v} >= {n} THEN 1 END, COUNT(*) FROM t "
        "GROUP BY CASE WHEN {v} < {n} THEN 0 WHEN {v} >= {n} THEN 1 END",
        "SELECT 0, COUNT(*) FROM t WHERE {v} < {n} HAVING COUNT(*) > 0 "
        "UNION ALL SELECT 1, COUNT(*) FROM t WHERE {v} >= {n} HAVING COUNT(*) > 0",
        "SELECT 0, COUNT(*) FROM t WHERE {v} < {n} HAVING COUNT(*) > 0 "
        "UNION ALL SELECT 1, COUNT(*) FROM t WHERE {v} >= {n} OR {v} IS NULL HAVING COUNT(*) > 0",
        "SELECT 0, COUNT(*) FROM t WHERE {v} < {n} UNION ALL SELECT 1, COUNT(*) FROM t WHERE {v} >= {n}",
    ),
    (
        "SELECT id, {v} FROM t ORDER BY {k}, id, {v}",
        "SELECT id, {v} FROM t ORDER BY {k}, id",
        "SELECT id, {v} FROM t ORDER BY {k}, {v}",
        "SELECT id, {v} FROM t ORDER BY id, {k}",
        "SELECT id, {v} FROM t ORDER BY id",
    ),
    (
        "SELECT id FROM s WHERE g IN (SELECT {k} FROM t GROUP BY {k} HAVING COUNT(*) >= {n})",
        "SELECT id FROM s WHERE (SELECT COUNT(*) FROM t WHERE t.{k} = s.g) >= {n}",
        "SELECT s.id FROM s JOIN t ON t.{k} = s.g GROUP BY s.id HAVING COUNT(*) >= {n}",
        "SELECT s.id FROM s WHERE EXISTS (SELECT 1 FROM t WHERE t.{k} = s.g GROUP BY t.{k} "
        "HAVING COUNT({v}) >= {n})",
        "SELECT s.id FROM s JOIN (SELECT {k} AS x, COUNT({v}) AS c FROM t GROUP BY {k}) q ON "
        "q.x = s.g WHERE c >= {n}",
    ),
    (
        "SELECT DISTINCT {k}, FIRST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY {v}) FROM t",
        "SELECT DISTINCT {k}, FIRST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY {v} DESC) FROM t",
        "SELECT {k}, MIN({v}) FROM t GROUP BY {k}",
        "SELECT {k}, MAX({v}) FROM t GROUP BY {k}",
        "SELECT DISTINCT {k}, FIRST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY id) FROM t",
        "SELECT DISTINCT {k}, LAST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY {v} "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t",
    ),
)
"""Questions in what all engines read."""
LATERAL: tuple[tuple[str, ...], ...] = (
    (
        "SELECT DISTINCT ON ({k}) {k}, {v} FROM t ORDER BY {k}, {v}",
        "SELECT DISTINCT ON ({k}) {k}, {v} FROM t ORDER BY {k}, {v} DESC",
        "SELECT DISTINCT ON ({k}) {k}, {v} FROM t ORDER BY {k}, id",
        "SELECT {k}, MIN({v}) FROM t GROUP BY {k} ORDER BY {k}",
        "SELECT {k}, MAX({v}) FROM t GROUP BY {k} ORDER BY {k}",
        "SELECT {k}, {v} FROM (SELECT {k}, {v}, ROW_NUMBER() OVER (PARTITION BY {k} ORDER BY "
        "id) AS r FROM t) q "
        "WHERE r = 1 ORDER BY {k}",
    ),
    (
        "SELECT s.id, q.m FROM s LEFT JOIN LATERAL (SELECT {v} AS m FROM t WHERE t.{k} = s.g) q ON TRUE",
        "SELECT s.id, q.m FROM s CROSS JOIN LATERAL (SELECT {v} AS m FROM t WHERE t.{k} = s.g) q",
        "SELECT s.id, t.{v} FROM s JOIN t ON t.{k} = s.g",
        "SELECT s.id, t.{v} FROM s LEFT JOIN t ON t.{k} = s.g",
        "SELECT s.id, q.m FROM s LEFT JOIN LATERAL (SELECT {v} AS m FROM t WHERE t.{k} = s.g) q ON q.m > {n}",
        "SELECT s.id, t.{v} FROM s LEFT JOIN t ON t.{k} = s.g AND t.{v} > {n}",
    ),
    (
        "SELECT s.id, q.m FROM s LEFT JOIN LATERAL (SELECT MAX({v}) AS m FROM t WHERE t.{k} = s.g) q ON TRUE",
        "SELECT s.id, (SELECT MAX({v}) FROM t WHERE t.{k} = s.g) FROM s",
        "SELECT s.id, MAX(t.{v}) FROM s LEFT JOIN t ON t.{k} = s.g GROUP BY s.id",
        "SELECT s.id, MAX(t.{v}) FROM s JOIN t ON t.{k} = s.g GROUP BY s.id",
        "SELECT s.id, q.m FROM s, LATERAL (SELECT MIN({v}) AS m FROM t WHERE t.{k} = s.g) q",
    ),
    (
        "SELECT DATE_TRUNC('{u}', s.d), COUNT(*) FROM s GROUP BY DATE_TRUNC('{u}', s.d)",
        "SELECT MIN(DATE_TRUNC('{u}', CAST(s.d AS TIMESTAMP))), COUNT(*) FROM s "
        "GROUP BY EXTRACT(YEAR FROM d), EXTRACT(MONTH FROM d)",
        "SELECT MIN(DATE_TRUNC('{u}', CAST(s.d AS TIMESTAMP))), COUNT(*) FROM s GROUP BY "
        "EXTRACT(YEAR FROM d)",
        "SELECT DATE_TRUNC('{u}', CAST(s.d AS TIMESTAMP)), COUNT(*) FROM s GROUP BY 1",
        "SELECT q, COUNT(*) FROM (SELECT DATE_TRUNC('{u}', CAST(s.d AS TIMESTAMP)) AS q FROM s) z GROUP BY q",
    ),
    (
        "SELECT id FROM t WHERE CAST(DATE_TRUNC('{u}', d) AS DATE) = DATE '2020-01-01'",
        "SELECT id FROM t WHERE d BETWEEN '2020-01-01' AND '2020-12-31'",
        "SELECT id FROM t WHERE EXTRACT(YEAR FROM d) = 2020",
        "SELECT id FROM t WHERE EXTRACT(YEAR FROM d) = 2020 AND EXTRACT(MONTH FROM d) = 1",
        "SELECT id FROM t WHERE d >= '2020-01-01' AND d < '2020-02-01'",
    ),
    (
        "SELECT {k}, BOOL_AND({v} > {n}) FROM t GROUP BY {k}",
        "SELECT {k}, NOT BOOL_OR({v} <= {n}) FROM t GROUP BY {k}",
        "SELECT {k}, NOT EXISTS (SELECT 1 FROM t y WHERE y.{k} = x.{k} AND NOT y.{v} > {n}) "
        "FROM t x GROUP BY {k}",
        "SELECT {k}, MIN({v}) > {n} FROM t GROUP BY {k}",
        "SELECT {k}, COUNT(*) = SUM(CASE WHEN {v} > {n} THEN 1 ELSE 0 END) FROM t GROUP BY {k}",
        "SELECT {k}, BOOL_OR({v} > {n}) FROM t GROUP BY {k}",
        "SELECT {k}, MAX({v}) > {n} FROM t GROUP BY {k}",
    ),
    (
        "SELECT id, CASE WHEN {v} = 0 THEN NULL ELSE {n} % {v} END FROM t",
        "SELECT id, CASE WHEN {v} <> 0 THEN {n} % {v} END FROM t",
        "SELECT id, {n} % NULLIF({v}, 0) FROM t",
        "SELECT id, CASE WHEN {v} > 0 THEN {n} % {v} WHEN {v} < 0 THEN {n} % {v} END FROM t",
        "SELECT id, CASE WHEN {v} > 0 THEN {n} % {v} END FROM t",
    ),
)
"""Questions in what PostgreSQL and DuckDB read."""
JOINS: tuple[tuple[str, ...], ...] = (
    (
        "SELECT s.id FROM s ANTI JOIN t ON t.{k} = s.g",
        "SELECT id FROM s WHERE g NOT IN (SELECT {k} FROM t)",
        "SELECT id FROM s WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.{k} = s.g)",
        "SELECT s.id FROM s LEFT JOIN t ON t.{k} = s.g WHERE t.{v} IS NULL",
        "SELECT s.id FROM s LEFT JOIN t ON t.{k} = s.g WHERE t.id IS NULL",
        "SELECT s.id FROM s SEMI JOIN t ON t.{k} <> s.g",
    ),
    (
        "SELECT s.id, g FROM s SEMI JOIN t USING (g)",
        "SELECT id, g FROM s WHERE g IN (SELECT g FROM t)",
        "SELECT s.id, g FROM s JOIN t USING (g)",
        "SELECT DISTINCT s.id, g FROM s JOIN t USING (g)",
        "SELECT s.id, g FROM s SEMI JOIN t ON t.g IS NOT DISTINCT FROM s.g",
    ),
    (
        "SELECT {k}, id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY {k} ORDER BY id) = 1",
        "SELECT {k}, MIN(id) FROM t GROUP BY {k}",
        "SELECT {k}, id FROM t QUALIFY MIN(id) OVER (PARTITION BY {k}) = id",
        "SELECT {k}, id FROM t WHERE {v} > {n} QUALIFY ROW_NUMBER() OVER (PARTITION BY {k} ORDER BY id) = 1",
        "SELECT {k}, id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY {k} ORDER BY id) = 1 AND {v} > {n}",
        "SELECT {k}, id FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE y.{k} = x.{k} AND y.id < x.id)",
    ),
    (
        "SELECT id, DATE_DIFF('{u}', d, DATE '2021-01-01') FROM t",
        "SELECT id, DATE_DIFF('{u}', d, DATE '2020-12-31') FROM t",
        "SELECT id, 2021 - YEAR(d) FROM t",
        "SELECT id, 12 * (2021 - YEAR(d)) + 1 - MONTH(d) FROM t",
        "SELECT id, DATE '2021-01-01' - d FROM t",
    ),
)
"""Questions in what DuckDB reads."""


def pair(dialect: str, random: Random) -> tuple[str, str]:
    """Two spellings of one question, in one third with other columns or bounds."""
    questions = ANYWHERE
    if dialect in ("postgres", "duckdb"):
        questions += LATERAL
    if dialect == "duckdb":
        questions += JOINS
    spellings = random.choice(questions)
    holes = _holes(random)
    other = holes if random.random() < 0.7 else _holes(random)
    one, two = random.sample(spellings, 2)
    return one.format(**holes), two.format(**other)


UNITS = ("month", "year", "day", "week")
"""Units that days are truncated to."""


def _holes(random: Random) -> dict[str, str]:
    key, value = random.choice((("g", "h"), ("h", "g")))
    return {"k": key, "v": value, "n": random.choice("0123"), "u": random.choice(UNITS)}
