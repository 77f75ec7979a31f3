"""A proof near the limit of Z3's effort: found in a process of its own, where nothing was proved before."""

from __future__ import annotations

import subprocess
import sys

SCHEMA = "CREATE TABLE emp (id INT PRIMARY KEY, sal INT);"
BEFORE = "SELECT id FROM (SELECT id, sal, LAG(sal) OVER (ORDER BY id) AS p FROM emp) q WHERE sal > p"
BETWEEN = "NOT EXISTS (SELECT 1 FROM emp y WHERE x.id < y.id AND y.id < e.id)"
SMALLER = "SELECT 1 FROM emp x WHERE x.id < e.id AND x.sal < e.sal"
EARLIER = f"SELECT id FROM emp e WHERE EXISTS ({SMALLER} AND {BETWEEN})"
ASK = """
import sys
from truespec.domains.verify import Pair, verify_pair
pair = Pair("sql", *sys.argv[1:3], {"schema": sys.argv[3], "dialect": "sqlite"})
print(verify_pair(pair, 60.0).answer.value)
"""


def test_an_increase_over_the_row_before() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK, BEFORE, EARLIER, SCHEMA], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "equivalent"


def test_an_increase_over_any_row_before_is_another_query() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK, BEFORE, EARLIER.replace(f" AND {BETWEEN}", ""), SCHEMA],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "refuted"
