"""What may fail on some values is not read; the search is left out, which would look for these values."""

import pytest
import sqlglot

from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.prove.proof import prove
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit
from truespec.verdict import Unsupported

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, j JSON NOT NULL)"


@pytest.mark.parametrize(
    ("dialect", "oracle", "candidate", "reason"),
    [
        (
            "postgres",  # whose JSON may hold an escape that no text has
            "SELECT id FROM t WHERE j ->> 'b' IS NULL OR j ->> 'b' IS NOT NULL",
            "SELECT id FROM t",
            "no JSON document that can always be read",
        ),
        (
            "duckdb",  # which may ask the CAST of an infinite quotient first
            "SELECT id FROM t WHERE CAST(a / b AS DECIMAL(9, 2)) > 2 AND b <> 0",
            "SELECT id FROM t WHERE CAST(a / NULLIF(b, 0) AS DECIMAL(9, 2)) > 2",
            "a CAST that fails on infinite numbers",
        ),
        (
            "duckdb",
            "SELECT id FROM (SELECT id, a / b AS q FROM t WHERE b <> 0) AS x WHERE CAST(q AS INT) IS NULL",
            "SELECT id FROM t WHERE b <> b",
            "a CAST that fails on infinite numbers",
        ),
    ],
)
def test_what_may_fail(dialect: str, oracle: str, candidate: str, reason: str) -> None:
    schema = read_schema(SCHEMA, dialect)
    left, right = (sqlglot.parse_one(text, dialect=dialect) for text in (oracle, candidate))
    with pytest.raises(Unsupported, match=reason):
        prove(left, right, schema, "list", Settings(), Limit.start(60.0))
