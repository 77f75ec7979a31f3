"""Which columns a GROUP BY determines: by declared keys, and by nothing else."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from truespec.domains.sql.refute.determined import leaves_choice
from truespec.domains.sql.schema import read_schema

SCHEMA = read_schema(
    """
    CREATE TABLE d (id INT PRIMARY KEY, name VARCHAR(9));
    CREATE TABLE e (
      id INT PRIMARY KEY, d INT, sal INT, nm VARCHAR(10), u INT UNIQUE, w INT NOT NULL UNIQUE, day DATE
    );
    CREATE TABLE k (a INT, b INT, c INT, PRIMARY KEY (a, b));
    CREATE TABLE x (v VARCHAR(5) PRIMARY KEY, i INT)
    """,
    "mysql",
)


def leaves(text: str) -> bool:
    tree = sqlglot.parse_one(text, read="mysql")
    assert isinstance(tree, exp.Select)
    return leaves_choice(tree, SCHEMA, tree)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT e.id, e.nm, COUNT(*) FROM e JOIN k ON k.a = e.id GROUP BY e.id",
        "SELECT e.w, e.nm, COUNT(*) FROM e GROUP BY e.w",
        "SELECT c FROM k GROUP BY b, a",
        "SELECT nm FROM e GROUP BY 1",
        "SELECT * FROM e GROUP BY id",
        "SELECT e.* FROM e JOIN k ON k.a = e.id GROUP BY id",
        # an equality spreads what is fixed
        "SELECT d.name, COUNT(*) FROM e JOIN d ON e.d = d.id GROUP BY e.d",
        "SELECT name FROM e, d WHERE e.d = d.id GROUP BY e.d",
        "SELECT i FROM x JOIN e ON x.v = e.nm GROUP BY e.nm",
        "SELECT a.nm, b.nm FROM e a JOIN e b ON a.d = b.id GROUP BY a.id",
        # outer joins
        "SELECT d.name, COUNT(*) FROM e LEFT JOIN d ON e.d = d.id GROUP BY e.id",
        "SELECT d.name FROM e LEFT JOIN d ON e.d = d.id AND e.sal > 3 GROUP BY d.id",
        "SELECT nm FROM e RIGHT JOIN d ON e.d = d.id GROUP BY e.id",
        # subqueries
        "SELECT t.nm, COUNT(*) FROM (SELECT id, nm FROM e) t GROUP BY t.id",
        "SELECT t.n FROM (SELECT d, COUNT(*) AS n FROM e GROUP BY d) t JOIN k ON t.n = k.a GROUP BY t.d",
        "WITH q AS (SELECT id, nm FROM e) SELECT nm FROM q GROUP BY id",
        "SELECT (SELECT name FROM d WHERE d.id = e.sal) FROM e GROUP BY e.sal",
        # expressions and outputs
        "SELECT YEAR(day) + 1 AS y FROM e GROUP BY YEAR(day)",
        "SELECT d, SUM(sal) FROM e GROUP BY d WITH ROLLUP",
        "SELECT MAX(sal) AS m FROM e GROUP BY d HAVING m > 1 ORDER BY m",
        "SELECT e.nm, SUM(COUNT(*)) OVER (PARTITION BY e.nm) FROM e JOIN k ON k.a = e.d GROUP BY e.id",
        "SELECT d, SUM(sal) FILTER (WHERE w > 1) FROM e GROUP BY d",
    ],
)
def test_what_a_key_determines_is_no_choice(text: str) -> None:
    assert not leaves(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT e.d, e.nm FROM e GROUP BY e.d",
        "SELECT e.u, e.nm FROM e GROUP BY e.u",  # many rows may have no u
        "SELECT c FROM k GROUP BY a",  # half a key
        "SELECT * FROM e JOIN k ON k.a = e.id GROUP BY id",
        "SELECT e.* FROM e JOIN k ON k.a = e.id GROUP BY sal",
        "SELECT i FROM x JOIN e ON x.v = e.d GROUP BY e.d",  # 'a' = 0 in MariaDB
        "SELECT a.nm, b.nm FROM e a JOIN e b ON a.d = b.d GROUP BY a.id",
        # whether there is a partner is not determined
        "SELECT d.name FROM e LEFT JOIN d ON e.d = d.id AND e.sal > 3 GROUP BY e.d",
        "SELECT d.name FROM e LEFT JOIN d ON e.d > d.id GROUP BY e.id",
        "SELECT e.nm FROM e LEFT JOIN d ON e.d = d.id GROUP BY d.id",
        "SELECT nm, name FROM e RIGHT JOIN d ON e.d = d.id GROUP BY e.d",
        # a row of NULLs beside a group whose key is NULL
        "SELECT t.n FROM k LEFT JOIN (SELECT d, COUNT(*) AS n FROM e GROUP BY d) t ON t.n > k.a GROUP BY t.d",
        "SELECT day FROM e GROUP BY YEAR(day)",
        "SELECT (SELECT name FROM d WHERE d.id = e.d) FROM e GROUP BY e.sal",
        "SELECT e.nm, SUM(COUNT(*)) OVER (PARTITION BY e.sal) FROM e GROUP BY e.nm",
        "SELECT d FROM e GROUP BY d HAVING sal > 1",
        "SELECT d, SUM(sal) FILTER (WHERE d > 1) OVER () FROM e GROUP BY d",
        "SELECT d, COUNT(*) FILTER (WHERE sal > 1) OVER () FROM e GROUP BY d",
        "SELECT id, nm FROM e GROUP BY id WITH ROLLUP",
        "WITH RECURSIVE q AS (SELECT id, nm FROM e UNION SELECT id, nm FROM q) SELECT nm FROM q GROUP BY id",
    ],
)
def test_what_no_key_determines_is_a_choice(text: str) -> None:
    assert leaves(text)
