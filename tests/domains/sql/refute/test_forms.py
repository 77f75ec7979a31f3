"""The forms of names, which may be made of one another."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from truespec.domains.sql.refute.forms import Forms
from truespec.domains.sql.schema import read_schema

SCHEMA = read_schema("CREATE TABLE t (a INT, b INT, d DECIMAL(8, 2), s TEXT)", "postgres")
MANY = ", ".join(f"SUM(q.a{place} + q.a{place + 1}) AS a{place}" for place in range(40))


@pytest.mark.parametrize(
    ("text", "name", "form"),
    [
        ("SELECT SUM(a) AS a, SUM(b) AS b FROM (SELECT SUM(a) AS a, SUM(b) AS b FROM t) AS q", "a", "int"),
        ("SELECT SUM(a + b) AS a, SUM(b + a) AS b FROM t", "b", "int"),
        (
            "SELECT b AS x, x AS y FROM (SELECT y AS x, a AS y, b FROM (SELECT a AS y, b, a FROM t))",
            "x",
            "int",
        ),
        ("SELECT b AS x, x AS y FROM (SELECT d AS x, b FROM t) AS q", "y", None),
        ("SELECT x FROM (SELECT a AS x FROM t UNION SELECT d FROM t) AS q", "x", None),
        (
            "SELECT y FROM (SELECT a AS x FROM t UNION SELECT b FROM t) AS q, LATERAL (SELECT x AS y) l",
            "y",
            "int",
        ),
        ("SELECT x FROM (SELECT d AS x FROM t UNION SELECT d FROM t) AS q", "x", "decimal 2"),
        ("SELECT x FROM (SELECT * FROM t UNION SELECT a, a, d, s FROM t) AS q(x, b, d, s)", "x", None),
        (f"SELECT {MANY} FROM (SELECT {MANY}, a AS a40 FROM t) AS q", "a0", "int"),
    ],
)
def test_the_form_of_a_name_is_that_of_all_that_makes_its_values(text: str, name: str, form: str) -> None:
    forms = Forms(sqlglot.parse_one(text, dialect="postgres"), SCHEMA)
    assert forms.of(exp.column(name)) == form
