"""Pairs of queries that differ by a slip, and a search for one of them that the prover takes for equal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import sqlglot

from cases import cases
from conformance.test_laws import load_twin
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.prove.proof import prove as find_proof
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit
from truespec.verdict import SpecificationError, Undecided

SCHEMA = """
CREATE TABLE dept (id INT PRIMARY KEY, dname TEXT NOT NULL);
CREATE TABLE emp (id INT PRIMARY KEY, name TEXT, dept INT REFERENCES dept(id), sal INT, code INT UNIQUE);
CREATE TABLE t (a INT, b INT, c INT NOT NULL);
"""
SLIPS = [
    (
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE sal = 1 UNION ALL SELECT e.id, l + 1 FROM r "
        "JOIN emp e ON e.dept = r.i WHERE l < 12) SELECT i FROM r",
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE sal = 1 UNION ALL SELECT e.id, l + 1 FROM r "
        "JOIN emp e ON e.code = r.i WHERE l < 12) SELECT i FROM r",
    ),
    (
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE sal = 1 UNION ALL SELECT e.id, l + 1 FROM r "
        "JOIN emp e ON e.dept = r.i WHERE l < 12) SELECT i FROM r WHERE l > 0",
        "WITH RECURSIVE r(i, l) AS (SELECT dept, 0 FROM emp WHERE sal = 1 UNION ALL SELECT e.id, l + 1 "
        "FROM r JOIN emp e ON e.dept = r.i WHERE l < 12) SELECT i FROM r WHERE l > 0",
    ),
    (
        "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 6) SELECT n FROM r",
    ),
    (
        "SELECT a, COUNT(*) FROM t WHERE b IN (SELECT sal FROM emp) GROUP BY a",
        "SELECT a, COUNT(*) FROM t JOIN emp ON b = sal GROUP BY a",
    ),
    ("SELECT DISTINCT a FROM t", "SELECT a FROM t"),
    ("SELECT DISTINCT id FROM emp JOIN t ON a = dept", "SELECT id FROM emp JOIN t ON a = dept"),
    ("SELECT a FROM t GROUP BY a", "SELECT a FROM t GROUP BY a, c"),
    (
        "SELECT CASE WHEN c > 2 THEN 'x' WHEN c > 1 THEN 'y' ELSE 'z' END AS k, COUNT(*) FROM t GROUP BY k",
        "SELECT 'x', COUNT(*) FROM t WHERE c > 2 HAVING COUNT(*) > 0 "
        "UNION ALL SELECT 'y', COUNT(*) FROM t WHERE c = 2 HAVING COUNT(*) > 0",
    ),
    (
        "SELECT c, COUNT(*) AS n FROM t GROUP BY c",
        "SELECT 1 AS c, COUNT(*) AS n FROM t WHERE c = 1 HAVING COUNT(*) > 0 "
        "UNION ALL SELECT 2, COUNT(*) FROM t WHERE c = 2 HAVING COUNT(*) > 0",
    ),
    (
        "SELECT COUNT(*) FROM t x WHERE (SELECT COUNT(*) FROM t y WHERE y.c > x.c) < 2",
        "SELECT CASE WHEN COUNT(*) < 2 THEN COUNT(*) ELSE 2 END FROM t",
    ),
    (
        "SELECT MAX(c) IS NULL FROM t x WHERE (SELECT COUNT(*) FROM t y WHERE y.c > x.c) >= 1",
        "SELECT MAX(c) IS NULL FROM t x WHERE (SELECT COUNT(*) FROM t y WHERE y.c > x.c) = 1",
    ),
    ("SELECT SUM(a) FROM t", "SELECT COALESCE(SUM(a), 0) FROM t"),
    ("SELECT SUM(a + b) FROM t", "SELECT SUM(a) + SUM(b) FROM t"),
    ("SELECT SUM(c) FROM t", "SELECT SUM(CASE WHEN c = 1 THEN 1 ELSE 0 END) FROM t"),
    ("SELECT MAX(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t", "SELECT MAX(1) FROM t"),
    (
        "SELECT c FROM t WHERE c = (SELECT MIN(c) FROM t)",
        "SELECT c FROM t WHERE c = (SELECT MIN(c) FROM t) AND NOT EXISTS (SELECT 1 FROM t y WHERE y.c = t.c)",
    ),
    (
        "SELECT a FROM (SELECT a, ROW_NUMBER() OVER (ORDER BY a) AS n FROM t) q WHERE n = 1",
        "SELECT a FROM (SELECT a, RANK() OVER (ORDER BY a) AS n FROM t) q WHERE n = 1",
    ),
    (
        "SELECT MIN(x.id, y.id) AS p, MAX(x.id, y.id) AS q FROM emp x JOIN emp y ON x.sal = y.code "
        "GROUP BY MIN(x.id, y.id), MAX(x.id, y.id)",
        "SELECT x.id, y.id FROM emp x JOIN emp y ON x.sal = y.code WHERE x.id < y.id",
    ),
    (
        "SELECT AVG(c) FROM (SELECT c, ROW_NUMBER() OVER (ORDER BY c) AS p, COUNT(*) OVER () AS n FROM t) q "
        "WHERE 2 * p BETWEEN n AND n + 2",
        "SELECT AVG(c) FROM (SELECT c, ROW_NUMBER() OVER (ORDER BY c) AS p, COUNT(*) OVER () AS n FROM t) q "
        "WHERE 2 * p BETWEEN n + 1 AND n + 2",
    ),
    ("SELECT SUM(3 * c) FROM t", "SELECT SUM(c) FROM t"),
    (
        "SELECT CASE WHEN k = 2 THEN s % 2 ELSE 0 END FROM (SELECT COUNT(*) AS k, SUM(n) AS s "
        "FROM (SELECT a, COUNT(DISTINCT c) AS n FROM t GROUP BY a) p) q",
        "SELECT 0",
    ),
    ("SELECT COUNT(*) FROM t x, t y", "SELECT COUNT(*) FROM t"),
    (
        "SELECT dept, MIN(id) FROM (SELECT id, dept, ROW_NUMBER() OVER (ORDER BY id) - ROW_NUMBER() OVER "
        "(PARTITION BY sal ORDER BY id) AS g FROM emp WHERE sal IS NOT NULL) q GROUP BY dept, g",
        "SELECT dept, MIN(id) FROM (SELECT id, dept, SUM(f) OVER (ORDER BY id) AS g FROM (SELECT id, dept, "
        "CASE WHEN sal = LAG(sal) OVER (ORDER BY id) THEN 0 ELSE 1 END AS f FROM emp WHERE sal IS NOT NULL) "
        "p) q GROUP BY dept, g",
    ),
    (
        "WITH RECURSIVE r(i) AS (SELECT dept FROM emp WHERE sal = 1 UNION ALL SELECT e.id FROM r JOIN emp e "
        "ON e.dept = r.i WHERE e.id > r.i) SELECT i FROM r",
        "WITH RECURSIVE r(i) AS (SELECT dept FROM emp WHERE sal = 1 UNION SELECT e.id FROM r JOIN emp e "
        "ON e.dept = r.i WHERE e.id > r.i) SELECT i FROM r",
    ),
    (
        "SELECT dept, COUNT(*) FROM emp GROUP BY dept",
        "SELECT dept, MAX(id) - MIN(id) + 1 FROM emp GROUP BY dept",
    ),
    ("SELECT a, COUNT(*) FROM t GROUP BY a", "SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 1"),
    ("SELECT MAX(a) FROM t", "SELECT MIN(a) FROM t"),
    (
        "SELECT c FROM t GROUP BY c HAVING COUNT(a) > COUNT(DISTINCT a)",
        "SELECT DISTINCT c FROM t WHERE a IS NOT NULL",
    ),
    (
        "SELECT d.id FROM dept d JOIN t ON d.id IN (t.a, t.b)",
        "SELECT d.id FROM dept d JOIN t ON d.id = t.a UNION ALL SELECT d.id FROM dept d JOIN t ON d.id = t.b",
    ),
    (
        "SELECT c, GROUP_CONCAT(a) FROM t GROUP BY c",
        "SELECT c, GROUP_CONCAT(a) FROM (SELECT DISTINCT c, a FROM t) q GROUP BY c",
    ),
    ("SELECT a FROM t ORDER BY a LIMIT 1 OFFSET 1", "SELECT a FROM t ORDER BY a LIMIT 1 OFFSET 2"),
    (
        "SELECT SUM(c) FROM t JOIN emp ON emp.sal = t.a",
        "SELECT SUM(c) FROM t WHERE EXISTS (SELECT 1 FROM emp WHERE emp.sal = t.a)",
    ),
    (
        "WITH RECURSIVE r AS (SELECT a AS n FROM t UNION SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
        "WITH RECURSIVE r AS (SELECT a AS n FROM t UNION SELECT n + 1 FROM r WHERE n < 2) SELECT n FROM r",
    ),
    (
        "WITH RECURSIVE r AS (SELECT a, b FROM t UNION SELECT t.a, r.b FROM t JOIN r ON t.b = r.a) "
        "SELECT a, b FROM r",
        "WITH RECURSIVE r AS (SELECT a, b FROM t UNION SELECT r.a, t.b FROM r JOIN t ON r.b = t.b) "
        "SELECT a, b FROM r",
    ),
    ("SELECT MAX(x) FROM (SELECT 1 AS x UNION ALL SELECT 2) q", "SELECT 1"),
    ("SELECT ROUND(a * 0.25, 1) FROM t", "SELECT a * 0.25 FROM t"),
    ("SELECT a FROM t WHERE a IS NOT NULL", "SELECT a FROM t"),
    ("SELECT COUNT(d.id) FROM emp e LEFT JOIN dept d ON d.id = e.dept", "SELECT COUNT(*) FROM emp"),
    (
        "SELECT a FROM t WHERE a NOT IN (SELECT b FROM t)",
        "SELECT x.a FROM t x LEFT JOIN t y ON x.a = y.b WHERE y.b IS NULL",
    ),
    ("SELECT c FROM t LEFT JOIN emp ON emp.id = t.a", "SELECT c FROM t JOIN emp ON emp.id = t.a"),
    ("SELECT x.id, y.id FROM emp x JOIN emp y ON x.code = y.code", "SELECT id, id FROM emp"),
    ("SELECT c FROM t WHERE a = a", "SELECT c FROM t"),
    ("SELECT c FROM t WHERE NOT (a = 1 AND b = 2)", "SELECT c FROM t WHERE a <> 1 OR b <> 2 OR a IS NULL"),
    ("SELECT q.a FROM (SELECT DISTINCT a FROM t) q JOIN emp e ON e.id = q.a", "SELECT id FROM emp"),
    (
        "SELECT e.id FROM emp e JOIN (SELECT DISTINCT a FROM t) q ON q.a = e.sal",
        "SELECT id FROM emp WHERE sal IS NOT NULL",
    ),
    ("SELECT a FROM t UNION ALL SELECT b FROM t", "SELECT a FROM t UNION ALL SELECT a FROM t"),
    (
        "SELECT c FROM t WHERE a > 1 UNION SELECT c FROM t WHERE b > 1",
        "SELECT c FROM t x WHERE a > 1 OR EXISTS (SELECT 1 FROM t y WHERE y.b > 1 AND y.c = x.c)",
    ),
    ("SELECT a FROM t ORDER BY c LIMIT 1", "SELECT a FROM t WHERE c = (SELECT MIN(c) FROM t)"),
    (
        "SELECT c FROM t WHERE (SELECT COUNT(*) FROM emp WHERE dept > 0) = "
        "(SELECT COUNT(*) FROM dept WHERE id > 0)",
        "SELECT c FROM t WHERE NOT EXISTS (SELECT 1 FROM dept d WHERE d.id > 0 AND NOT EXISTS "
        "(SELECT 1 FROM emp e WHERE e.dept = d.id))",
    ),
    (
        "SELECT id, n FROM (SELECT id, LAG(sal) OVER (ORDER BY id) AS n FROM emp) q",
        "SELECT id, n FROM (SELECT id, LAG(sal) OVER (ORDER BY id) AS n FROM emp) q "
        "WHERE EXISTS (SELECT 1 FROM emp x WHERE x.id < q.id)",
    ),
    ("SELECT COUNT(*) FROM t WHERE a > 1", "SELECT SUM(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t"),
    (
        "SELECT COUNT(*) FROM t WHERE c > 1",
        "SELECT (SELECT COUNT(*) FROM t WHERE c > 3) + (SELECT COUNT(*) FROM t WHERE c <= 3)",
    ),
    (
        "SELECT a FROM t WHERE b IN (1, 2) GROUP BY a HAVING COUNT(DISTINCT b) = 1",
        "SELECT DISTINCT a FROM t WHERE b = 1",
    ),
    (
        "SELECT x.c, (SELECT COUNT(*) FROM t y WHERE y.b = x.c AND y.c > x.c + 1) FROM t x GROUP BY x.c",
        "SELECT x.c, (SELECT COUNT(*) FROM t y WHERE y.b = x.c) FROM t x GROUP BY x.c",
    ),
    (
        "SELECT id, LAG(sal) OVER w, SUM(sal) OVER (w ROWS 1 PRECEDING), "
        "(SELECT COUNT(*) FROM t WHERE NOT EXISTS "
        "(SELECT 1 FROM emp e WHERE e.sal = t.a)) FROM emp WINDOW w AS (ORDER BY id)",
        "SELECT id, LAG(sal) OVER w, SUM(sal) OVER (w ROWS 1 PRECEDING), "
        "CASE WHEN EXISTS (SELECT 1 FROM t WHERE NOT EXISTS "
        "(SELECT 1 FROM emp e WHERE e.sal = t.a)) THEN 1 ELSE 0 END FROM emp WINDOW w AS (ORDER BY id)",
    ),
    ("SELECT a FROM t GROUP BY a HAVING SUM(c) > 0", "SELECT DISTINCT a FROM t"),
    (
        "SELECT id, LAG(id) OVER (ORDER BY n) FROM (SELECT id, RANK() OVER (ORDER BY id) AS n FROM emp) q",
        "SELECT id, LEAD(id) OVER (ORDER BY n) FROM (SELECT id, RANK() OVER (ORDER BY id) AS n FROM emp) q",
    ),
    (
        "WITH RECURSIVE r(i, d) AS (SELECT id, dept FROM emp WHERE sal = 1 UNION ALL SELECT r.i, e.dept "
        "FROM r JOIN emp e ON e.sal = r.d) SELECT i, d FROM r",
        "WITH RECURSIVE r(i, d) AS (SELECT id, dept FROM emp WHERE sal = 1 UNION ALL SELECT r.i, e.dept "
        "FROM r JOIN emp e ON e.sal = r.d) SELECT r.i, e.dept FROM r JOIN emp e ON e.id = r.i",
    ),
    (
        "SELECT MAX(k) FROM (SELECT b, SUM(CASE WHEN a = 1 THEN 1 ELSE 0 END) AS k FROM t GROUP BY b) q",
        "SELECT MAX(0) FROM t",
    ),
    (
        "SELECT a - b FROM (SELECT sal, ROW_NUMBER() OVER (ORDER BY id) AS a, ROW_NUMBER() OVER "
        "(PARTITION BY sal ORDER BY id) AS b FROM emp WHERE id > 0) q WHERE sal = 1 GROUP BY a - b",
        "SELECT DISTINCT 0 FROM emp WHERE id > 0 AND sal = 1",
    ),
    (
        "SELECT id, LAG(sal) OVER (ORDER BY dept) FROM emp",
        "SELECT id, LAG(sal) OVER (ORDER BY dept, id DESC) FROM emp",
    ),
    (
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE dept IS NULL UNION ALL SELECT e.id, l - 1 "
        "FROM r JOIN emp e ON e.dept = r.i WHERE l > -9) SELECT i FROM r",
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE dept IS NULL UNION ALL SELECT e.id, l - 1 "
        "FROM r JOIN emp e ON e.dept = r.i WHERE l > -9) SELECT i FROM r WHERE l >= 0",
    ),
    (
        "WITH RECURSIVE r(i) AS (SELECT id FROM emp WHERE dept IS NULL UNION ALL SELECT e.id FROM r "
        "JOIN emp e ON e.dept = r.i) SELECT i FROM r",
        "WITH RECURSIVE r(i) AS (SELECT id FROM emp WHERE dept IS NULL UNION ALL SELECT e.id FROM r "
        "JOIN emp e ON e.dept = r.i) SELECT i FROM r UNION ALL SELECT id FROM emp WHERE dept IS NULL",
    ),
    (
        "WITH RECURSIVE r(n, l) AS (SELECT a, 0 FROM t UNION ALL SELECT n + 1, l + 1 FROM r WHERE l < 1) "
        "SELECT n FROM r",
        "SELECT a FROM t",
    ),
    (
        "SELECT id, LEAD(code) OVER (ORDER BY sal, id) FROM emp WHERE sal > 0",
        "WITH o AS (SELECT id, code, ROW_NUMBER() OVER (ORDER BY sal, id) AS n FROM emp WHERE sal > 0) "
        "SELECT a.id, b.code FROM o a LEFT JOIN o b ON b.n = a.n + 2",
    ),
    ("SELECT a, c FROM t GROUP BY a, b, c HAVING b = c", "SELECT DISTINCT a, b FROM t WHERE b IS NOT NULL"),
    (
        "SELECT id, ROW_NUMBER() OVER (ORDER BY sal) AS n FROM emp",
        "SELECT id, ROW_NUMBER() OVER (ORDER BY sal, id) AS n FROM emp",
    ),
    (
        "SELECT DISTINCT d.dname FROM emp e JOIN dept d ON d.id = e.dept",
        "SELECT dname FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept = d.id)",
    ),
    (
        "SELECT DISTINCT x.a, y.b FROM t x JOIN t y ON x.c = y.c",
        "SELECT DISTINCT x.a, x.a FROM t x JOIN t y ON x.c = y.c",
    ),
    (
        "SELECT id FROM (SELECT id, sal, SUM(sal) OVER (ORDER BY id) AS s FROM emp WHERE sal > 0) q "
        "WHERE s >= 2 AND s - sal < 2",
        "SELECT id FROM (SELECT id, sal, SUM(sal) OVER (ORDER BY id) AS s FROM emp WHERE sal > 0) q "
        "WHERE s >= 2",
    ),
    ("SELECT a, SUM(b) FROM t GROUP BY a", "SELECT a, COALESCE(SUM(b), 0) FROM t GROUP BY a"),
    (
        "WITH v(n) AS (VALUES (0), (1), (2), (3)) SELECT n FROM v LEFT JOIN t ON a = n "
        "WHERE c > 1 OR c IS NULL GROUP BY n",
        "WITH v(n) AS (VALUES (0), (1), (2), (3)) SELECT n FROM v",
    ),
]


# MySQL leaves choices to the engine. These differ whatever is chosen, so that SQLite's choices show it.
CHOICES = [
    ("SELECT c, MIN(a), b FROM t GROUP BY c", "SELECT c, MIN(a), a FROM t GROUP BY c"),
    (
        "SELECT c, b, a FROM t GROUP BY c",
        "SELECT x.c, x.b, y.a FROM t x JOIN t y ON x.c = y.c GROUP BY x.c "
        "HAVING MAX(x.b - y.b) IS NULL OR MAX(x.b - y.b) IS NOT NULL",
    ),
    (
        "SELECT COUNT(DISTINCT q) > 1 FROM (SELECT x.a, (SELECT y.c FROM t y WHERE y.a = x.c AND y.b = 1 "
        "GROUP BY y.b) AS q FROM t x) z WHERE q IS NOT NULL",
        "SELECT 0",
    ),
]

# SQLite takes the year of such a day alone: lists of other years differ there too.
MONTHS = [
    (
        "WITH v(m) AS (VALUES (CAST('2024-01-01' AS DATE)), (CAST('2025-01-01' AS DATE)), "
        "(CAST('2026-01-01' AS DATE)), (CAST('2027-01-01' AS DATE))) SELECT m FROM v GROUP BY m",
        "WITH v(m) AS (VALUES (CAST('2025-01-01' AS DATE)), (CAST('2026-01-01' AS DATE)), "
        "(CAST('2027-01-01' AS DATE)), (CAST('2028-01-01' AS DATE))) SELECT m FROM v GROUP BY m",
    )
]

Slip = tuple[str, str, str, str]
"""A dialect, a schema and two queries, which SQLite runs too."""

SECONDS = 1.5
"""What a search for a proof takes at most: nearly all that is proved takes a tenth of it."""


def wrongly_proved(
    pairs: list[Slip], seconds: float = SECONDS, find: Callable[..., object] = find_proof
) -> Iterator[tuple[str, str]]:
    """The pairs that are proved equal and that SQLite tells apart; one is enough to find a rule out."""
    for dialect, ddl, left, right in pairs:
        if not _differ(ddl, left, right):
            continue
        trees = [sqlglot.parse_one(text, read=dialect) for text in (left, right)]
        try:
            proof = find(
                trees[0], trees[1], read_schema(ddl, dialect), "bag", Settings(), Limit.start(seconds)
            )
        except (Undecided, SpecificationError):
            continue
        if proof is not None:
            yield left, right


@cache
def _differ(ddl: str, left: str, right: str) -> bool:
    return load_twin("sql").differ(left, right, {"schema": ddl}) is not None


@cache
def slips() -> list[Slip]:
    """Pairs that differ: the lists above and the refuted cases."""
    table = [case for case in cases("sql") if case.context.get("dialect") == "sqlite"]
    refuted = [
        ("sqlite", case.context["schema"], case.oracle, case.candidate)
        for case in table
        if case.expect == "refuted"
    ]
    lists = {"sqlite": SLIPS, "mysql": CHOICES, "duckdb": MONTHS}
    made = [(dialect, SCHEMA, *pair) for dialect, pairs in lists.items() for pair in pairs]
    return made + refuted
