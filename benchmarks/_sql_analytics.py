"""Drawn pairs of everyday analytics: windows built on others, quantiles, lists, days as written, NULLs.

Some spellings of a question mean the same, others miss it by a tie, a NULL, a duplicate or a bound.
"""

from __future__ import annotations

from random import Random

SCHEMA = (
    "CREATE TABLE t (id INT PRIMARY KEY, g INT, h INT NOT NULL, s VARCHAR(9), d DATE NOT NULL, e DATE); "
    "CREATE TABLE u (id INT PRIMARY KEY, g INT)"
)
ANYWHERE: tuple[tuple[str, ...], ...] = (
    (
        "SELECT id, SUM({v}) OVER (w ORDER BY id) AS x FROM t WINDOW w AS (PARTITION BY {k})",
        "SELECT id, SUM({v}) OVER w AS x FROM t WINDOW z AS (PARTITION BY {k}), w AS (z ORDER BY id)",
        "SELECT id, SUM({v}) OVER (w ROWS UNBOUNDED PRECEDING) AS x FROM t WINDOW w AS "
        "(PARTITION BY {k} ORDER BY id)",
        "SELECT id, SUM({v}) OVER (w) AS x FROM t WINDOW w AS (PARTITION BY {k} ORDER BY {v})",
        "SELECT id, SUM({v}) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, SUM({v}) OVER (PARTITION BY {k} ORDER BY {v}) AS x FROM t",
        "SELECT id, SUM({v}) OVER (PARTITION BY {k}) AS x FROM t",
    ),
    (
        "SELECT id, LAST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, LAST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY {v}) AS x FROM t",
        "SELECT id, LAST_VALUE({v}) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM t",
        "SELECT id, FIRST_VALUE({v}) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS x FROM t",
        "SELECT id, FIRST_VALUE({v}) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM t",
        "SELECT id, LAST_VALUE({v}) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS x FROM t",
        "SELECT id, LEAD({v}) OVER (ORDER BY id) AS x FROM t",
        "SELECT id, {v} AS x FROM t",
    ),
    (
        "SELECT id, UPPER(TRIM(COALESCE(s, 'a'))) AS x FROM t",
        "SELECT id, COALESCE(UPPER(TRIM(s)), UPPER(TRIM('a'))) AS x FROM t",
        "SELECT id, COALESCE(UPPER(TRIM(s)), 'a') AS x FROM t",
        "SELECT id, CASE WHEN s IS NULL THEN UPPER(TRIM('a')) ELSE UPPER(TRIM(s)) END AS x FROM t",
        "SELECT id, CASE WHEN s <> '' THEN UPPER(TRIM(s)) ELSE UPPER(TRIM('a')) END AS x FROM t",
        "SELECT id, TRIM(UPPER(COALESCE(s, 'a'))) AS x FROM t",
    ),
    (
        "SELECT {k}, COUNT(UPPER(s)) FROM t GROUP BY {k}",
        "SELECT {k}, COUNT(s) FROM t GROUP BY {k}",
        "SELECT {k}, COUNT(LENGTH(s)) FROM t GROUP BY {k}",
        "SELECT {k}, COUNT(NULLIF(UPPER(s), '')) FROM t GROUP BY {k}",
        "SELECT {k}, COUNT(DISTINCT UPPER(s)) FROM t GROUP BY {k}",
        "SELECT {k}, COUNT(SUBSTR(s, 2)) FROM t GROUP BY {k}",
    ),
    (
        "SELECT id, CASE SIGN({v}) WHEN 1 THEN {n} WHEN 0 THEN 0 ELSE -1 END AS x FROM t",
        "SELECT id, CASE WHEN {v} > 0 THEN {n} WHEN {v} = 0 THEN 0 ELSE -1 END AS x FROM t",
        "SELECT id, CASE WHEN {v} > 0 THEN {n} WHEN {v} = 0 THEN 0 WHEN {v} < 0 THEN -1 END AS x FROM t",
        "SELECT id, CASE WHEN SIGN({v}) > 0 THEN {n} WHEN SIGN({v}) < 0 THEN -1 ELSE 0 END AS x FROM t",
    ),
)
"""Questions in what all engines read."""
DATED: tuple[tuple[str, ...], ...] = (
    (
        "SELECT id FROM t WHERE e IS NULL OR e >= '2020-12-31'",
        "SELECT id FROM t WHERE COALESCE(e, '2020-12-31') >= '2020-12-31'",
        "SELECT id FROM t WHERE COALESCE(e, '2021-01-01') > '2020-12-30'",
        "SELECT id FROM t WHERE COALESCE(e, '2020-12-30') >= '2020-12-31'",
        "SELECT id FROM t WHERE CASE WHEN e IS NULL THEN '2021-01-01' ELSE e END >= '2020-12-31'",
        "SELECT id FROM t WHERE NOT '2020-12-31' > COALESCE(e, '9999-12-31')",
        "SELECT id FROM t WHERE e >= '2020-12-31'",
    ),
    (
        "SELECT id FROM t WHERE '2020-02-29' BETWEEN d AND e",
        "SELECT id FROM t WHERE d <= '2020-02-29' AND e >= '2020-02-29'",
        "SELECT id FROM t WHERE NOT ('2020-02-29' < d OR e < '2020-02-29')",
        "SELECT id FROM t WHERE '2020-02-29' BETWEEN d AND COALESCE(e, '2020-02-29')",
        "SELECT id FROM t WHERE d <= '2020-02-29' AND (e IS NULL OR e >= '2020-02-29')",
        "SELECT id FROM t WHERE '2020-02-29' IN (d, e)",
        "SELECT id FROM t WHERE d = '2020-02-29' OR e = '2020-02-29'",
    ),
    (
        "SELECT id FROM t WHERE COALESCE(e, '2020-02-29') >= d",
        "SELECT id FROM t WHERE e >= d OR (e IS NULL AND d <= '2020-02-29')",
        "SELECT id FROM t WHERE e >= d OR e IS NULL",
        "SELECT id FROM t WHERE CASE WHEN e IS NOT NULL THEN e ELSE '2020-02-29' END >= d",
    ),
)
"""Questions about days, in engines that have them."""
FILTERED: tuple[tuple[str, ...], ...] = (
    (
        "SELECT id, SUM({v}) FILTER (WHERE h > {n}) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, SUM(CASE WHEN h > {n} THEN {v} END) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, SUM(CASE WHEN h > {n} THEN {v} ELSE 0 END) OVER (PARTITION BY {k} ORDER "
        "BY id) AS x FROM t",
        "SELECT id, COUNT({v}) FILTER (WHERE h > {n}) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, COUNT(CASE WHEN h > {n} THEN {v} END) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, COUNT(*) FILTER (WHERE h > {n}) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
    ),
    (
        "SELECT id, {v} FROM t ORDER BY {k} NULLS FIRST, id",
        "SELECT id, {v} FROM t ORDER BY {k} NULLS LAST, id",
        "SELECT id, {v} FROM t ORDER BY {k}, id",
        "SELECT id, {v} FROM t ORDER BY {k}, id NULLS FIRST",
    ),
)
"""Questions in what PostgreSQL, SQLite and DuckDB read."""
ORDERED: tuple[tuple[str, ...], ...] = (
    (
        "SELECT {k}, PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY {v}) FROM t GROUP BY {k}",
        "SELECT {k}, PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY {v} DESC) FROM t GROUP BY {k}",
        "SELECT {k}, PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY {v}) FROM t GROUP BY {k}",
        "SELECT {k}, PERCENTILE_DISC(0.75) WITHIN GROUP (ORDER BY {v} DESC) FROM t GROUP BY {k}",
        "SELECT {k}, PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY {v}) FILTER (WHERE {v} IS "
        "NOT NULL) FROM t GROUP BY {k}",
        "SELECT {k}, PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY {v}) FROM t WHERE {v} IS "
        "NOT NULL GROUP BY {k}",
        "SELECT {k}, PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY {v}) FROM (SELECT DISTINCT "
        "{k}, {v} FROM t) q GROUP BY {k}",
    ),
    (
        "SELECT {k} FROM t GROUP BY {k} HAVING PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {v}) IS NULL",
        "SELECT {k} FROM t GROUP BY {k} HAVING COUNT({v}) = 0",
        "SELECT {k} FROM t GROUP BY {k} HAVING STRING_AGG(s, ',' ORDER BY id) IS NULL",
        "SELECT {k} FROM t GROUP BY {k} HAVING COUNT(s) = 0",
        "SELECT {k} FROM t GROUP BY {k} HAVING COALESCE(STRING_AGG(s, '' ORDER BY id), '') = ''",
    ),
    (
        "SELECT id, LEAST(s, 'ab') AS x FROM t",
        "SELECT id, LEAST('ab', s) AS x FROM t",
        "SELECT id, CASE WHEN s < 'ab' THEN s ELSE 'ab' END AS x FROM t",
        "SELECT id, CASE WHEN s > 'ab' THEN 'ab' ELSE s END AS x FROM t",
        "SELECT id, CASE WHEN s IS NULL OR s >= 'ab' THEN 'ab' ELSE s END AS x FROM t",
        "SELECT id, GREATEST(s, 'ab') AS x FROM t",
    ),
)
"""Questions in what PostgreSQL and DuckDB read."""
SKIPPED: tuple[tuple[str, ...], ...] = (
    (
        "SELECT id, LAST_VALUE({v} IGNORE NULLS) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, (SELECT y.{v} FROM t y WHERE y.{k} IS NOT DISTINCT FROM t.{k} AND y.{v} IS NOT NULL "
        "AND y.id <= t.id ORDER BY y.id DESC LIMIT 1) AS x FROM t",
        "SELECT id, COALESCE({v}, LAG({v}) OVER (PARTITION BY {k} ORDER BY id)) AS x FROM t",
        "SELECT id, LAST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, LAST_VALUE({v} IGNORE NULLS) OVER (PARTITION BY {k} ORDER BY id DESC) AS x FROM t",
        "SELECT id, FIRST_VALUE({v} IGNORE NULLS) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, FIRST_VALUE({v} IGNORE NULLS) OVER (PARTITION BY {k} ORDER BY id DESC "
        "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS x FROM t",
    ),
    (
        "SELECT {k}, MEDIAN({v}) FROM t GROUP BY {k}",
        "SELECT {k}, QUANTILE_CONT({v}, 0.5) FROM t GROUP BY {k}",
        "SELECT {k}, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {v} DESC) FROM t GROUP BY {k}",
        "SELECT {k}, QUANTILE_DISC({v}, 0.5) FROM t GROUP BY {k}",
        "SELECT {k}, AVG({v}) FROM t GROUP BY {k}",
    ),
    (
        "SELECT {k}, STRING_AGG(s, ',' ORDER BY id) FROM t GROUP BY {k}",
        "SELECT {k}, STRING_AGG(s ORDER BY id) FROM t GROUP BY {k}",
        "SELECT {k}, STRING_AGG(s, ',' ORDER BY id DESC) FROM t GROUP BY {k}",
        "SELECT {k}, STRING_AGG(s, '' ORDER BY id) FROM t GROUP BY {k}",
    ),
)
"""Questions in what DuckDB reads."""
LISTED: tuple[tuple[str, ...], ...] = (
    (
        "SELECT {k}, GROUP_CONCAT(s ORDER BY id) FROM t GROUP BY {k}",
        "SELECT {k}, GROUP_CONCAT(s ORDER BY id SEPARATOR ',') FROM t GROUP BY {k}",
        "SELECT {k}, GROUP_CONCAT(s ORDER BY id SEPARATOR '') FROM t GROUP BY {k}",
        "SELECT {k}, GROUP_CONCAT(s ORDER BY id DESC) FROM t GROUP BY {k}",
    ),
    (
        "SELECT id, PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY {v}) OVER (PARTITION BY {k}) AS x FROM t",
        "SELECT id, PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY {v} DESC) OVER (PARTITION BY "
        "{k}) AS x FROM t",
        "SELECT id, PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY {v}) OVER (PARTITION BY {k}) AS x FROM t",
        "SELECT id, PERCENTILE_DISC(0.75) WITHIN GROUP (ORDER BY {v} DESC) OVER (PARTITION BY "
        "{k}) AS x FROM t",
    ),
)
"""Questions in what MariaDB reads."""
OF_DIALECT = {
    "mysql": (*ANYWHERE, *DATED, *LISTED),
    "postgres": (*ANYWHERE, *DATED, *FILTERED, *ORDERED),
    "sqlite": (*ANYWHERE, *FILTERED),
    "duckdb": (*ANYWHERE, *DATED, *FILTERED, *ORDERED, *SKIPPED),
}
"""The questions of each dialect."""


def pair(dialect: str, random: Random) -> tuple[str, str]:
    """Two spellings of one question, in one case of ten with other columns or bounds."""
    one, two = random.sample(random.choice(OF_DIALECT[dialect]), 2)
    holes = _holes(random)
    other = holes if random.random() < 0.9 else _holes(random)
    return one.format(**holes), two.format(**other)


def _holes(random: Random) -> dict[str, str]:
    key, value = random.choice((("g", "h"), ("h", "g")))
    return {"k": key, "v": value, "n": random.choice("0123")}
