import pytest

import needs
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
    schema = read_schema(f"{parent}; CREATE TABLE t (a INT, n VARCHAR(9), {clause})", dialect)
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


LEFT_TO_THE_ENGINE = [
    ("sqlite", "CREATE TABLE t (a INT PRIMARY KEY, b INT) WITHOUT ROWID"),
    ("sqlite", "CREATE TABLE t (a INT, b INT UNIQUE ON CONFLICT ABORT)"),
    ("sqlite", "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX i ON t (a) WHERE b > 1"),
    ("sqlite", "CREATE TABLE t (a INT, b INT); CREATE INDEX i ON t (a + b)"),
    ("sqlite", "CREATE TABLE t (a INT, b TEXT COLLATE NOCASE UNIQUE)"),
    ("sqlite", "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1) STORED)"),
    ("postgres", "CREATE TABLE t (a INT, b INT, EXCLUDE USING btree (a WITH =))"),
    ("postgres", "CREATE TABLE t (a INT, b INT, EXCLUDE USING btree (a WITH =) WHERE (b > 1))"),
    ("postgres", "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS IDENTITY)"),
    ("postgres", "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX i ON t (abs(a))"),
    ("postgres", "CREATE TABLE t (a INT, b INT) WITH (fillfactor = 70)"),
    ("postgres", "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX i ON t (a) NULLS NOT DISTINCT"),
    ("mysql", "CREATE TABLE t (a INT, b INT AS (a + 1) VIRTUAL)"),
    ("mysql", "CREATE TABLE t (a INT, b INT INVISIBLE)"),
    ("mysql", "CREATE TABLE t (a INT, b VARCHAR(5) COLLATE utf8mb4_bin)"),
    ("mysql", "CREATE TABLE t (a INT, b INT) WITH SYSTEM VERSIONING"),
    ("mysql", "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX i ON t (a, b DESC)"),
    ("duckdb", "CREATE TABLE t (a INT, b INT AS (a + 1))"),
    ("duckdb", "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX i ON t (a)"),
]


@pytest.mark.live
@pytest.mark.parametrize(("dialect", "ddl"), LEFT_TO_THE_ENGINE)
def test_a_clause_that_the_parser_does_not_read_is_left_to_the_engine(dialect: str, ddl: str) -> None:
    for tool in {"mysql": ["mariadbd"], "postgres": ["psql"]}.get(dialect, []):
        needs.tool(tool)
    schema = read_schema(ddl, dialect)
    assert schema.unread
    assert [column.name for column in schema.table("t").columns] == ["a", "b"]
    context = {"schema": ddl, "dialect": dialect}
    found = truespec.verify("sql", "SELECT a FROM t", "SELECT a + 0 FROM t", context, timeout=1.0)
    assert found.answer is Answer.UNKNOWN
    assert found.reason is not None
    assert "no proof is made under" in found.reason.detail


@pytest.mark.live
@pytest.mark.parametrize(("dialect", "unique"), [("sqlite", "a"), ("postgres", "abs(a)"), ("duckdb", "a")])
def test_a_unique_index_binds_counterexamples(dialect: str, unique: str) -> None:
    if dialect == "postgres":
        needs.tool("psql")
    ddl = f"CREATE TABLE t (a INT NOT NULL); CREATE UNIQUE INDEX i ON t ({unique})"
    context = {"schema": ddl, "dialect": dialect}
    found = truespec.verify("sql", "SELECT a FROM t", "SELECT DISTINCT a FROM t", context, timeout=1.0)
    assert found.answer is Answer.UNKNOWN
    found = truespec.verify("sql", "SELECT a FROM t", "SELECT a FROM t WHERE a > 1", context, timeout=4.0)
    assert found.answer is Answer.REFUTED


@pytest.mark.parametrize(
    "key", ["a TEXT PRIMARY KEY ON CONFLICT FAIL", "a TEXT, PRIMARY KEY (a COLLATE NOCASE)"]
)
def test_the_columns_of_a_primary_key_that_is_not_read_hold_no_null(key: str) -> None:
    schema = read_schema(f"CREATE TABLE t ({key})", "sqlite")
    assert schema.unread
    assert not schema.table("t").column("a").nullable


def test_an_index_over_columns_constrains_nothing() -> None:
    assert read_schema("CREATE TABLE t (a INT, b INT); CREATE INDEX i ON t (a, b)", "sqlite").unread == ()


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("clauses", ["NOT NULL NULL", "NULL NOT NULL"])
def test_a_column_that_is_said_to_be_both_allows_no_proof(dialect: str, clauses: str) -> None:
    (table,) = read_schema(f"CREATE TABLE t (a INT {clauses})", dialect).tables
    assert table.columns[0].nullable
    assert read_schema(f"CREATE TABLE t (a INT {clauses})", dialect).unread
