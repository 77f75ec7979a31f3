"""Values in JSON documents; no documents are drawn, so that such pairs are proved or not told apart."""

import pytest
import sqlglot

import truespec
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.prove.proof import prove
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit
from truespec.verdict import Unsupported

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, j JSONB NOT NULL, k JSON NOT NULL)"
BY_KEY = "SELECT COALESCE(j ->> 'b', '?') AS k FROM t WHERE j -> 'a' ->> 'c' IS NOT NULL"


@pytest.mark.parametrize(
    ("candidate", "answer"),
    [
        (
            "SELECT CASE WHEN j ->> 'b' IS NULL THEN '?' ELSE jsonb_extract_path_text(j, 'b') END AS k "
            "FROM t WHERE NOT (j -> 'a') ->> 'c' IS NULL",
            "equivalent",
        ),
        ("SELECT COALESCE(j ->> 'b', '?') AS k FROM t WHERE j ->> 'c' IS NOT NULL", "unknown"),
        ("SELECT COALESCE(j ->> 0, '?') AS k FROM t WHERE j -> 'a' ->> 'c' IS NOT NULL", "unknown"),
    ],
)
def test_a_key_of_a_document(candidate: str, answer: str) -> None:
    context = {"dialect": "postgres", "schema": SCHEMA}
    verdict = truespec.verify("sql", BY_KEY, candidate, context=context, timeout=20.0)
    assert verdict.answer.value == answer, verdict


def test_a_document_that_cannot_be_read() -> None:
    """PostgreSQL's JSON may hold an escape that no text has, and fails where it looks for a key."""
    schema = read_schema(SCHEMA, "postgres")
    keyed, plain = (
        sqlglot.parse_one(text, dialect="postgres")
        for text in ("SELECT id FROM t WHERE k ->> 'b' IS NULL", "SELECT id FROM t")
    )
    with pytest.raises(Unsupported, match="no JSON document that can always be read"):
        prove(keyed, plain, schema, "list", Settings(), Limit.start(5.0))
