import pytest

from truespec.domains.sql.schema import Kind, read_schema
from truespec.verdict import OracleError

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
