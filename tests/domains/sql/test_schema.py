import pytest

import truespec
from truespec.domains.sql.schema import Kind, read_schema
from truespec.verdict import Answer, Counterexample, OracleError, Proof, ReasonCode

DDL = """
CREATE TABLE Parent (id INT, code VARCHAR(5) UNIQUE, PRIMARY KEY (id));
CREATE TABLE "child" (a INT REFERENCES parent, kind VARCHAR(3) NOT NULL, d DATE CHECK (d > '2019-01-01'),
  PRIMARY KEY (a, kind), CHECK (a > 0));
"""


def test_constraints_are_read_with_the_spelling_of_the_columns() -> None:
    schema = read_schema(DDL, "postgres")
    parent, child = schema.tables
    assert parent.primary_key == ("id",)
    assert parent.unique_keys() == (("id",), ("code",))
    assert [column.nullable for column in child.columns] == [False, False, True]
    (key,) = child.foreign_keys
    assert (key.columns, key.table, key.references) == (("a",), "Parent", ("id",))
    assert len(child.checks) == 2
    assert schema.table("CHILD").column("D").type.kind is Kind.DATE


@pytest.mark.parametrize(
    "ddl",
    [
        "SELECT 1",
        "CREATE TABLE t",
        "CREATE TABLE t (a INT, A INT)",
        "CREATE TABLE t (a INT, PRIMARY KEY (b))",
        "CREATE TABLE t (a INT REFERENCES nowhere)",
        "CREATE TABLE t (a INT); CREATE TABLE T (a INT)",
        "CREATE TABLE t (",
    ],
)
def test_an_unusable_schema_blames_the_oracle(ddl: str) -> None:
    with pytest.raises(OracleError):
        read_schema(ddl, "mysql")


@pytest.mark.parametrize(
    ("dialect", "clause"),
    [
        ("mysql", "UNIQUE (n(1))"),
        ("mysql", "PRIMARY KEY (n(1))"),
        ("mysql", "UNIQUE (a, n(2))"),
        ("postgres", "UNIQUE NULLS NOT DISTINCT (a)"),
        ("postgres", "UNIQUE (a) DEFERRABLE"),
        ("postgres", "FOREIGN KEY (a, n) REFERENCES p (x, y) MATCH FULL"),
        ("postgres", "FOREIGN KEY (a, n) REFERENCES p (x, y) DEFERRABLE INITIALLY DEFERRED"),
        ("sqlite", "UNIQUE (n COLLATE NOCASE)"),
        ("sqlite", "UNIQUE (n) ON CONFLICT REPLACE"),
        ("sqlite", "FOREIGN KEY (a, n) REFERENCES p (x, y) DEFERRABLE INITIALLY DEFERRED"),
    ],
)
def test_a_clause_with_parts_that_are_not_read_is_no_key(dialect: str, clause: str) -> None:
    parent = "CREATE TABLE p (x INT, y VARCHAR(9), PRIMARY KEY (x, y))"
    try:
        schema = read_schema(f"{parent}; CREATE TABLE t (a INT, n VARCHAR(9), {clause})", dialect)
    except OracleError:
        return  # sqlglot does not read it: nothing is decided
    (unread,) = schema.unread
    assert unread.endswith("of table 't'")
    assert not schema.table("t").unique_keys()
    assert not schema.table("t").foreign_keys


@pytest.mark.parametrize(
    "clause",
    [
        "UNIQUE (a)",
        "FOREIGN KEY (a) REFERENCES p (x) ON UPDATE CASCADE",
        "PRIMARY KEY (a)",
    ],
)
@pytest.mark.parametrize("dialect", ["mysql", "postgres", "sqlite"])
def test_usual_clauses_are_read(dialect: str, clause: str) -> None:
    schema = read_schema(f"CREATE TABLE p (x INT PRIMARY KEY); CREATE TABLE t (a INT, {clause})", dialect)
    assert schema.unread == ()


def test_a_counterexample_fits_the_tables_of_the_schema_itself() -> None:
    context = {"schema": "CREATE TABLE t (n TEXT, UNIQUE (n COLLATE NOCASE))", "dialect": "sqlite"}
    several = "SELECT COUNT(*) FROM t WHERE n = 'a' OR n = 'A'"
    found = truespec.verify("sql", several, "SELECT COUNT(*) FROM t WHERE n = 'a'", context)
    assert found.answer is not Answer.EQUIVALENT
    if isinstance(found.evidence, Counterexample):
        assert "COLLATE NOCASE" in str(found.evidence.point["script"])
    one = truespec.verify("sql", "SELECT 1 FROM t WHERE 1 = 1", "SELECT 1 FROM t", context)
    assert one.answer is Answer.UNKNOWN
    assert one.reason is not None
    assert one.reason.code is ReasonCode.UNSUPPORTED
    assert "COLLATE NOCASE" in one.reason.detail


def test_a_proof_says_that_it_assumes_declared_types() -> None:
    queries = "SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE NOT a <= 1"
    for strict, expected in (("", True), (" STRICT", False)):
        context = {"schema": f"CREATE TABLE t (a INT){strict}", "dialect": "sqlite"}
        evidence = truespec.verify("sql", *queries, context).evidence
        assert isinstance(evidence, Proof)
        assert any("declared types" in trust for trust in evidence.trusts) is expected
