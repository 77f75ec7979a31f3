"""Drawn pairs about rows beside others: frames and distances, ranks and counts, first values, shares.

Some spellings of a question mean the same, others miss it by a NULL, a tie, a row or a bound.
"""

from __future__ import annotations

from random import Random

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, g INT, h INT NOT NULL, n INT NOT NULL, UNIQUE (h, n))"
QUESTIONS: tuple[tuple[str, ...], ...] = (
    (
        "SELECT id, SUM({v}) OVER (PARTITION BY {k} ORDER BY id ROWS BETWEEN 1 PRECEDING AND "
        "CURRENT ROW) AS x FROM t",
        "SELECT id, {v} + COALESCE(LAG({v}) OVER (PARTITION BY {k} ORDER BY id), 0) AS x FROM t",
        "SELECT id, {v} + LAG({v}, 1, 0) OVER (PARTITION BY {k} ORDER BY id) AS x FROM t",
        "SELECT id, {v} + COALESCE(LAG({v}) OVER (ORDER BY id), 0) AS x FROM t",
        "SELECT id, {v} + COALESCE(LEAD({v}) OVER (PARTITION BY {k} ORDER BY id DESC), 0) AS x FROM t",
        "SELECT a.id, (SELECT SUM(b.{v}) FROM t b WHERE b.{k} = a.{k} AND b.id <= a.id AND (SELECT "
        "COUNT(*) "
        "FROM t c WHERE c.{k} = a.{k} AND c.id > b.id AND c.id <= a.id) < 2) AS x FROM t a",
    ),
    (
        "SELECT id, SUM({v}) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS x FROM t",
        "SELECT id, {v} + COALESCE(LAG({v}) OVER (ORDER BY id), 0) + COALESCE(LAG({v}, 2) OVER "
        "(ORDER BY id), 0) "
        "AS x FROM t",
        "SELECT id, {v} + COALESCE(LAG({v}, 2) OVER (ORDER BY id), 0) AS x FROM t",
        "SELECT id, {v} + LAG({v}) OVER (ORDER BY id) + LAG({v}, 2) OVER (ORDER BY id) AS x FROM t",
    ),
    (
        "SELECT id, COUNT(*) OVER (PARTITION BY {k} ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 "
        "FOLLOWING) AS x FROM t",
        "SELECT id, CASE WHEN LEAD(id) OVER (PARTITION BY {k} ORDER BY id) IS NULL THEN 1 ELSE 2 "
        "END AS x FROM t",
        "SELECT id, CASE WHEN LEAD({v}) OVER (PARTITION BY {k} ORDER BY id) IS NULL THEN 1 ELSE 2 "
        "END AS x FROM t",
        "SELECT id, COUNT({v}) OVER (PARTITION BY {k} ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 "
        "FOLLOWING) AS x FROM t",
    ),
    (
        "SELECT f, COUNT(*) AS x FROM (SELECT {k}, MIN({v}) AS f FROM t GROUP BY {k}) q GROUP BY f",
        "SELECT {v} AS f, COUNT(*) AS x FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.{k} = "
        "a.{k} AND "
        "b.{v} < a.{v}) GROUP BY {v}",
        "SELECT f, COUNT(*) AS x FROM (SELECT {k}, MIN({v}) AS f FROM t WHERE {v} IS NOT NULL "
        "GROUP BY {k}) q GROUP BY f",
        "SELECT f, COUNT(f) AS x FROM (SELECT {k}, MIN({v}) AS f FROM t GROUP BY {k}) q GROUP BY f",
        "SELECT {v} AS f, COUNT(*) AS x FROM (SELECT {v}, RANK() OVER (PARTITION BY {k} ORDER BY "
        "{v}) AS r FROM t) q "
        "WHERE r = 1 GROUP BY {v}",
    ),
    (
        "SELECT {k} FROM t WHERE {v} > {m} GROUP BY {k} HAVING SUM({v}) > 0",
        "SELECT DISTINCT {k} FROM t WHERE {v} > {m}",
        "SELECT {k} FROM t GROUP BY {k} HAVING SUM({v}) > 0",
        "SELECT {k} FROM t WHERE {v} > {m} GROUP BY {k} HAVING COUNT({v}) > 0",
        "SELECT {k} FROM t WHERE {v} > {m} GROUP BY {k} HAVING SUM({v}) <> 0",
    ),
    (
        "SELECT id, 1.0 * {v} / SUM({v}) OVER (PARTITION BY {k}) AS x FROM t WHERE {v} > {m}",
        "SELECT a.id, 1.0 * a.{v} / b.s AS x FROM t a JOIN (SELECT {k}, SUM({v}) AS s FROM t WHERE "
        "{v} > {m} "
        "GROUP BY {k}) b ON b.{k} = a.{k} WHERE a.{v} > {m}",
        "SELECT a.id, a.{v} * 1.0 / (SELECT SUM(b.{v}) FROM t b WHERE b.{k} = a.{k} AND b.{v} > "
        "{m}) AS x FROM t a "
        "WHERE a.{v} > {m}",
        "SELECT id, 1.0 * {v} / SUM({v}) OVER () AS x FROM t WHERE {v} > {m}",
    ),
    (
        "SELECT id FROM t a WHERE (SELECT COUNT(*) FROM t b WHERE b.{k} = a.{k} AND b.{v} > a.{v}) < 2",
        "SELECT id FROM (SELECT id, RANK() OVER (PARTITION BY {k} ORDER BY {v} DESC) AS r FROM t) "
        "q WHERE r <= 2",
        "SELECT id FROM (SELECT id, DENSE_RANK() OVER (PARTITION BY {k} ORDER BY {v} DESC) AS r "
        "FROM t) q WHERE r <= 2",
        "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY {k} ORDER BY {v} DESC, id) AS "
        "r FROM t) q "
        "WHERE r <= 2",
        "SELECT id FROM t a WHERE (SELECT COUNT(DISTINCT b.{v}) FROM t b WHERE b.{k} = a.{k} AND "
        "b.{v} > a.{v}) < 2",
    ),
)
"""The questions, in what all engines read."""


def pair(random: Random) -> tuple[str, str]:
    """Two spellings of one question, in one case of ten with other columns or bounds."""
    one, two = random.sample(random.choice(QUESTIONS), 2)
    holes = _holes(random)
    other = holes if random.random() < 0.9 else _holes(random)
    return one.format(**holes), two.format(**other)


def _holes(random: Random) -> dict[str, str]:
    key, value = random.choice((("g", "n"), ("h", "n"), ("h", "g"), ("g", "h")))
    return {"k": key, "v": value, "m": random.choice(("0", "1", "-1"))}
