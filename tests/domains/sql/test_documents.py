"""Values in JSON documents: what they are read as, and documents that tell queries apart."""

import pytest

import truespec

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, j JSONB NOT NULL)"
BY_KEY = "SELECT COALESCE(j ->> 'b', '?') AS k FROM t WHERE j -> 'a' ->> 'c' IS NOT NULL"


@pytest.mark.parametrize(
    ("candidate", "answer"),
    [
        (
            "SELECT CASE WHEN j ->> 'b' IS NULL THEN '?' ELSE jsonb_extract_path_text(j, 'b') END AS k "
            "FROM t WHERE NOT (j -> 'a') ->> 'c' IS NULL",
            "equivalent",
        ),
        ("SELECT COALESCE(j ->> 'b', '?') AS k FROM t WHERE j ->> 'c' IS NOT NULL", "refuted"),
        ("SELECT COALESCE(j ->> 0, '?') AS k FROM t WHERE j -> 'a' ->> 'c' IS NOT NULL", "refuted"),
    ],
)
def test_a_key_of_a_document(candidate: str, answer: str) -> None:
    context = {"dialect": "postgres", "schema": SCHEMA}
    verdict = truespec.verify("sql", BY_KEY, candidate, context=context, timeout=20.0)
    assert verdict.answer.value == answer, verdict


@pytest.mark.parametrize(
    ("candidate", "answer"),
    [
        (
            "SELECT json_extract_string(j, '$.b') AS k FROM t WHERE json_extract(j, '$.a') IS NOT NULL",
            "equivalent",
        ),
        ("SELECT CAST(j -> 'b' AS VARCHAR) AS k FROM t WHERE json_extract(j, '$.a') IS NOT NULL", "refuted"),
    ],
)
def test_a_call_takes_no_operator_for_its_operand(candidate: str, answer: str) -> None:
    """`f(j, p) IS NULL` means one thing in every engine, which `j -> p IS NULL` does not."""
    context = {"dialect": "duckdb", "schema": SCHEMA.replace("JSONB", "JSON")}
    oracle = "SELECT j ->> 'b' AS k FROM t WHERE NOT (j -> 'a') IS NULL"
    verdict = truespec.verify("sql", oracle, candidate, context=context, timeout=20.0)
    assert verdict.answer.value == answer, verdict
