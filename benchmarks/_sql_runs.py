"""Drawn pairs about runs of numbers, counts that are compared, orders of tuples, and parts of moments.

Some spellings of a question mean the same, others miss it by a NULL, a tie, a step or a bound.
"""

from __future__ import annotations

from random import Random

SCHEMA = (
    "CREATE TABLE t (id INT PRIMARY KEY, g INT NOT NULL, n INT NOT NULL, m INT, w INT, UNIQUE (g, n)); "
    "CREATE TABLE d (id INT PRIMARY KEY, g INT, day DATE NOT NULL)"
)
QUESTIONS: tuple[tuple[str, ...], ...] = (
    (
        "SELECT DISTINCT g FROM (SELECT g, n - ROW_NUMBER() OVER (PARTITION BY g ORDER BY n) AS r FROM t) q "
        "GROUP BY g, r HAVING COUNT(*) >= {c}",
        "SELECT DISTINCT g FROM (SELECT g, ROW_NUMBER() OVER (PARTITION BY g ORDER BY n) - n AS r FROM t) q "
        "GROUP BY g, r HAVING COUNT(*) > {c} - 1",
        "SELECT DISTINCT g FROM (SELECT g, n + ROW_NUMBER() OVER (PARTITION BY g ORDER BY n DESC) "
        "AS r FROM t) "
        "q GROUP BY g, r HAVING COUNT(*) >= {c}",
        "SELECT DISTINCT g FROM (SELECT g, n - RANK() OVER (PARTITION BY g ORDER BY n) AS r FROM t) q "
        "GROUP BY g, r HAVING COUNT(*) >= {c}",
        "SELECT DISTINCT g FROM (SELECT g, n - ROW_NUMBER() OVER (ORDER BY n, g) AS r FROM t) q "
        "GROUP BY g, r HAVING COUNT(*) >= {c}",
        "SELECT DISTINCT a.g FROM t a JOIN t b ON b.g = a.g AND b.n = a.n + 1 "
        "JOIN t c ON c.g = a.g AND c.n = a.n + 2",
        "SELECT DISTINCT a.g FROM t a JOIN t b ON b.g = a.g AND b.n = a.n + 1",
        "SELECT DISTINCT a.g FROM t a JOIN t b ON b.g = a.g AND b.n = a.n + 1 "
        "JOIN t c ON c.g = b.g AND c.n > b.n",
    ),
    (
        "SELECT DISTINCT r FROM (SELECT {v} - RANK() OVER (ORDER BY {v}) AS r FROM t WHERE {v} IS "
        "NOT NULL) q "
        "GROUP BY r HAVING COUNT(*) >= 2",
        "SELECT DISTINCT r FROM (SELECT {v} - DENSE_RANK() OVER (ORDER BY {v}) AS r FROM t "
        "WHERE {v} IS NOT NULL) q GROUP BY r HAVING COUNT(*) >= 2",
        "SELECT DISTINCT r FROM (SELECT {v} - 1 - (SELECT COUNT(*) FROM t b WHERE b.{v} < a.{v}) AS "
        "r FROM t a "
        "WHERE {v} IS NOT NULL AND EXISTS (SELECT 1 FROM t c WHERE c.{v} = a.{v} + 1)) q",
    ),
    (
        "SELECT g, MIN(n) AS a, MAX(n) AS b FROM (SELECT g, n, n - ROW_NUMBER() OVER (PARTITION BY g "
        "ORDER BY n) AS r FROM t) q GROUP BY g, r",
        "SELECT g, MIN(n) AS a, MAX(n) AS b FROM (SELECT g, n, SUM(s) OVER (PARTITION BY g ORDER BY n) AS r "
        "FROM (SELECT g, n, CASE WHEN n - LAG(n) OVER (PARTITION BY g ORDER BY n) = {s} THEN 0 ELSE 1 END "
        "AS s FROM t) p) q GROUP BY g, r",
        "SELECT g, MIN(n) AS a, MAX(n) AS b FROM (SELECT g, n, SUM(s) OVER (PARTITION BY g ORDER BY n) AS r "
        "FROM (SELECT g, n, CASE WHEN LAG(n) OVER (PARTITION BY g ORDER BY n) >= n - {s} THEN 0 ELSE 1 END "
        "AS s FROM t) p) q GROUP BY g, r",
        "SELECT g, MIN(n) AS a, MAX(n) AS b FROM (SELECT g, n, n - DENSE_RANK() OVER (PARTITION BY g "
        "ORDER BY n) AS r FROM t) q GROUP BY g, r",
    ),
    (
        "SELECT {v} FROM t GROUP BY {v} HAVING COUNT(*) >= {c}",
        "SELECT {v} FROM t GROUP BY {v} HAVING COUNT(*) > {c} - 1",
        "SELECT {v} FROM t GROUP BY {v} HAVING COUNT(DISTINCT n) >= {c}",
        "SELECT {v} FROM t GROUP BY {v} HAVING COUNT({v}) >= {c}",
        "SELECT DISTINCT a.{v} FROM t a JOIN t b ON b.{v} = a.{v} AND b.id > a.id "
        "JOIN t c ON c.{v} = a.{v} AND c.id > b.id",
        "SELECT DISTINCT a.{v} FROM t a WHERE (SELECT COUNT(*) FROM t b WHERE b.{v} = a.{v}) >= {c}",
        "SELECT DISTINCT a.{v} FROM t a JOIN t b ON b.{v} = a.{v} AND b.id > a.id",
    ),
    (
        "SELECT g FROM t GROUP BY g HAVING COUNT(*) = COUNT({v})",
        "SELECT DISTINCT g FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.g = a.g AND b.{v} IS NULL)",
        "SELECT g FROM t GROUP BY g HAVING SUM(CASE WHEN {v} IS NULL THEN 1 ELSE 0 END) = 0",
        "SELECT g FROM t GROUP BY g HAVING COUNT(*) = COUNT(DISTINCT {v})",
        "SELECT DISTINCT g FROM t WHERE {v} IS NOT NULL",
    ),
    (
        "SELECT g FROM t GROUP BY g HAVING COUNT(DISTINCT {v}) = {k}",
        "SELECT DISTINCT a.g FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.g = a.g AND b.{v} <> a.{v}) "
        "AND NOT EXISTS (SELECT 1 FROM t b, t c WHERE b.g = a.g AND c.g = a.g AND b.{v} <> a.{v} "
        "AND c.{v} <> a.{v} AND c.{v} <> b.{v})",
        "SELECT g FROM t GROUP BY g HAVING MIN({v}) = MAX({v})",
        "SELECT g FROM t GROUP BY g HAVING MIN({v}) < MAX({v}) AND COUNT(DISTINCT {v}) < 3",
        "SELECT g FROM t GROUP BY g HAVING COUNT(DISTINCT {v}) = {k} AND COUNT(*) = COUNT({v})",
    ),
    (
        "SELECT id FROM t WHERE (m, n) {o} (1, 2)",
        "SELECT id FROM t WHERE m {x} 1 OR (m = 1 AND n {o} 2)",
        "SELECT id FROM t WHERE m {o} 1 AND n {o} 2",
        "SELECT id FROM t WHERE m {o} 1 AND (m {x} 1 OR n {o} 2)",
        "SELECT id FROM t WHERE NOT (m, n) {p} (1, 2)",
    ),
    (
        "SELECT a.id FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.g = a.g AND (b.{v}, b.id) "
        "> (a.{v}, a.id))",
        "SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY {v} DESC, id DESC) "
        "AS r FROM t) q "
        "WHERE r = 1",
        "SELECT a.id FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.g = a.g AND (b.{v} > a.{v} OR "
        "(b.{v} = a.{v} AND b.id > a.id)))",
    ),
    (
        "SELECT id, COALESCE(SUM({v}) OVER (PARTITION BY g ORDER BY n), 0) AS x FROM t",
        "SELECT id, SUM({v}) OVER (PARTITION BY g ORDER BY n) AS x FROM t",
        "SELECT id, COALESCE(SUM({v}) OVER (PARTITION BY g ORDER BY n ROWS UNBOUNDED PRECEDING), 0) "
        "AS x FROM t",
    ),
    (
        "SELECT EXTRACT(YEAR FROM day) AS y, COUNT(*) AS c FROM d GROUP BY EXTRACT(YEAR FROM day)",
        "SELECT y, COUNT(*) AS c FROM (SELECT EXTRACT(YEAR FROM day) AS y FROM d) q GROUP BY y",
        "SELECT EXTRACT(YEAR FROM day) AS y, COUNT(g) AS c FROM d GROUP BY EXTRACT(YEAR FROM day)",
        "SELECT MAX(EXTRACT(YEAR FROM day)) AS y, COUNT(*) AS c FROM d GROUP BY EXTRACT(YEAR FROM day)",
        "SELECT EXTRACT(YEAR FROM day) AS y, COUNT(*) AS c FROM d GROUP BY EXTRACT(YEAR FROM day), "
        "EXTRACT(MONTH FROM day)",
    ),
)


def pair(random: Random) -> tuple[str, str]:
    """Two of the spellings of one question, over the same columns and numbers."""
    first, second = random.sample(random.choice(QUESTIONS), 2)
    order = random.choice(("<", "<=", ">", ">="))
    denied = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[order]
    drawn = {
        "v": random.choice(("m", "w", "n")),
        "c": random.choice((2, 3, 3, 4)),
        "k": random.choice((1, 2, 3)),
        "s": random.choice((1, 1, 2)),
        "o": order,
        "x": order[0],
        "p": denied,
    }
    return first.format(**drawn), second.format(**drawn)
