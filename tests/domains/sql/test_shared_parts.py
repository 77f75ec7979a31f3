"""Which pairs are proved by parts before anything else."""

from __future__ import annotations

import pytest
from sqlglot import parse_one

from truespec.domains.sql.prove.shared_parts import share_a_part

TOTALS = "SELECT cid, SUM(amt) AS t FROM o JOIN p ON p.id = o.pid GROUP BY cid"


@pytest.mark.parametrize(
    ("one", "other", "rest", "shared"),
    [
        (
            TOTALS,
            "SELECT x.cid, SUM(x.amt) AS s FROM o AS x INNER JOIN p q ON q.id = x.pid GROUP BY x.cid",
            "SELECT COUNT(*) FROM m",
            True,
        ),
        (TOTALS, TOTALS, "SELECT * FROM m", False),
        (TOTALS, TOTALS + ", pid", "SELECT COUNT(*) FROM m", False),
        (TOTALS, TOTALS.replace("JOIN", "LEFT JOIN"), "SELECT COUNT(*) FROM m", False),
    ],
    ids=["names alone differ", "nothing is aggregated above", "another key", "another join"],
)
def test_a_part_is_shared(one: str, other: str, rest: str, shared: bool) -> None:
    left, right = (parse_one(f"WITH m AS ({part}) {rest}", read="duckdb") for part in (one, other))
    assert share_a_part(left, right) is shared
