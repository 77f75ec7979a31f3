"""Where a reason says that something stands: in the text as it was given, both counted from 1."""

from __future__ import annotations

import pytest
import sqlglot

from cases import cases
from truespec.domains.sql import places
from truespec.domains.sql.domain import Sql
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.prove.proof import prove
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Nondeterministic, Place, SpecificationError, Undecided, Unsupported

SCHEMA = """
CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT, s VARCHAR(10), d DATE);
CREATE TABLE u (a INT PRIMARY KEY, c INT);
"""
BEFORE = "\n-- naïve ✓ 𝒳: SELECT ROUND(a, b)\n\n/* ROUND(x, y)\n CAST */ "
"""Comments, blank lines and characters of several bytes: five lines, of which the last is nine long."""

# What is marked with ⟨⟩ is where the reason points to.
UNSUPPORTED = [
    ("sqlite", "SELECT a FROM t LIMIT 3 ⟨OFFSET 1 + 1", "LIMIT"),
    ("sqlite", "SELECT a FROM t WHERE b = 1 AND ⟨b IS s", "a text compared"),
    ("duckdb", "SELECT a FROM t\nWHERE ⟨(a, b) <\n (1, 2)", "an order of tuples"),
    ("sqlite", "SELECT SUM(a) OVER (ORDER BY b\n ⟨GROUPS 1 PRECEDING) FROM t", "the frame"),
    ("sqlite", "SELECT b, ⟨LAG(a, b) OVER (ORDER BY a) FROM t", "a distance"),
    ("sqlite", "WITH q AS (SELECT a\n FROM t ⟨LIMIT 1 + 1)\nSELECT a FROM q", "LIMIT"),
    ("mysql", "SELECT a FROM t\nWHERE a = 1 AND\n  ⟨s LIKE 'xy%' ESCAPE 'y'", "ESCAPE"),
    ("mysql", "SELECT c * (1 + ⟨BIT_OR(c)) FROM t GROUP BY c", "the aggregate"),
    ("mysql", "SELECT 'é', b, ⟨(SELECT b FROM u WHERE\n u.c = t.c) FROM t", "several rows"),
    ("mysql", "SELECT ⟨d + INTERVAL 1 MICROSECOND FROM t", "an interval of MICROSECOND"),
    ("mysql", "SELECT a,\n  1 + ⟨CRC32C(s) FROM t", "CRC32C"),
    ("mysql", "SELECT a FROM t x -- WHERE\nWHERE x.b = 1 AND ⟨x.d = '2020-02-30'", "no date"),
    ("sqlite", "SELECT ⟨CASE WHEN a = 1 THEN s ELSE\n b END FROM t", "branches of types"),
    ("postgres", "SELECT a, ⟨CAST(s AS INT) FROM t", "CAST"),
    ("postgres", "SELECT a, b + ⟨s::int FROM t", "CAST"),
    ("postgres", "SELECT ⟨DISTINCT ON (a) b\nFROM t", "DISTINCT ON without ORDER BY"),
    ("mysql", "SELECT s FROM t\n⟨EXCEPT ALL SELECT s\nFROM t", "EXCEPT ALL or INTERSECT ALL of texts"),
    ("postgres", "SELECT t.a FROM t,\n ⟨LATERAL unnest(ARRAY[t.a]) q", "LATERAL of what is no query"),
    ("postgres",
     "SELECT x FROM\n(WITH RECURSIVE r AS (SELECT 1.5 x ⟨UNION SELECT x FROM r) SELECT x FROM r) q",
     "a recursive WITH with a column of type real"),
    ("postgres", "SELECT b FROM t GROUP BY b, ⟨GROUPING SETS ((c), ROLLUP (s))", "nested GROUPING SETS"),
    ("duckdb", "SELECT a,\n  ⟨ROUND(a, b) FROM t", "ROUND to digits"),
    ("duckdb", "SELECT ((⟨a / b)) FROM t", "a division by zero"),
    ("duckdb", "SELECT * EXCLUDE (⟨t.a) FROM t", "the list of a star"),
    ("duckdb", "SELECT t.a FROM t\n ⟨ASOF JOIN u ON t.b = u.a AND t.a >= u.a", "ASOF"),
]  # fmt: skip


def told(query: str, dialect: str, side: int) -> str:
    """The reason that the prover gives for a query it does not read."""
    schema = read_schema(SCHEMA, dialect)
    trees = [read_query(text, schema, Settings()) for text in ("SELECT 1 FROM t", query)]
    left, right = trees if side else reversed(trees)
    with pytest.raises(Unsupported) as caught:
        prove(left, right, schema, "bag", Settings(), Limit.start(300.0))
    return str(caught.value)


@pytest.mark.parametrize("side", [0, 1], ids=places.SIDES)
@pytest.mark.parametrize(("dialect", "marked", "what"), UNSUPPORTED)
def test_what_is_unsupported_is_named_with_its_place(dialect: str, marked: str, what: str, side: int) -> None:
    for text in (marked, f"{BEFORE}{marked}\n\n; -- ends"):
        place = Place.at(text, text.index("⟨"))
        reason = told(text.replace("⟨", ""), dialect, side)
        assert what in reason
        assert reason.endswith(f"({places.SIDES[side]}, {place})")


def test_a_place_that_is_not_known_is_left_out() -> None:
    deep = "SELECT a FROM t"
    for _ in range(45):
        deep = f"SELECT * FROM ({deep}) q"
    tree = sqlglot.parse_one(deep, read="sqlite")
    with pytest.raises(Unsupported, match=r"nested deeper than 40 \(oracle\)$"):
        prove(tree, tree, read_schema(SCHEMA, "sqlite"), "bag", Settings(), Limit.start(60.0))


def test_a_choice_of_the_engine_is_placed_too() -> None:
    schema = read_schema(SCHEMA, "sqlite")
    query = "SELECT a FROM t WHERE b IN\n (SELECT c FROM u ORDER BY c LIMIT 2)"
    tree = read_query(query, schema, Settings())
    with pytest.raises(Nondeterministic, match=r"ties \(oracle, column 23\)$"):
        prove(tree, tree, schema, "bag", Settings(), Limit.start(60.0))


NOT_PARSED = [
    ("SELECT a FROM t\nWHERE b = ⟨= 1", None),
    ("SELECT a,\n b FROM t WHERE b = 1 ⟨FROM", None),
    ("SELECT a FROM t\n\nLIMIT ⟨LIMIT 3", None),
    ("SELECT CASE a WHEN 1 THEN 2\n ⟨FROM t", None),
    ("SELECT a -- nope\nFROM t WHERE ⟨nope = 1", None),
    ("SELECT 'nope' FROM t,\n ⟨nope", None),
    ("SELECT a FROM t WHERE\n ⟨foo(a) = 1", None),
    ("SELECT t.a, ⟨u.zz FROM t, u -- zz", None),
    ("SELECT a FROM t WHERE b = ⟨'x", None),
    ("SELECT a FROM t;\n ⟨SELECT a FROM u", "statements"),
    ("SELECT ⟨a FROM t, u", None),
]


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres", "duckdb"])
@pytest.mark.parametrize(("marked", "what"), NOT_PARSED)
def test_what_is_invalid_is_placed(dialect: str, marked: str, what: str | None) -> None:
    for text in (marked, BEFORE + marked):
        verdict = verify_pair(
            Pair("sql", "SELECT a FROM t", text.replace("⟨", ""), {"schema": SCHEMA, "dialect": dialect}),
            60.0,
        )
        assert verdict.answer is Answer.INVALID
        assert verdict.reason is not None
        assert verdict.reason.detail.endswith(f"(at {Place.at(text, text.index('⟨'))})")
        assert what is None or what in verdict.reason.detail


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("mysql", "SELECT a\nFROM t JOIN ⟨JOIN u"),
        ("sqlite", "/* é\n */ SELECT a FROM t WHERE b = ⟨) 1"),
        ("postgres", "SELECT a FROM t WHERE s = ⟨'x\ny"),
    ],
)
def test_the_parser_alone_places_its_errors(dialect: str, text: str) -> None:
    """As where the dialect's engine is not installed."""
    with pytest.raises(SpecificationError) as caught:
        read_query(text.replace("⟨", ""), read_schema(SCHEMA, dialect), Settings(), ask=False)
    assert caught.value.place == Place.at(text, text.index("⟨"))


def test_every_construct_of_the_cases_begins_where_its_place_says() -> None:
    """A keyword's construct begins with the keyword; what has no place has no name or number in it."""
    seen = 0
    for case in cases("sql"):
        context = Sql().read_context({**case.context}, case.oracle)
        try:
            tree = read_query(case.oracle, context.schema, context.settings, ask=False)
        except (Undecided, SpecificationError):
            continue
        lines = case.oracle.split("\n")
        for node in tree.walk():
            place = places.place_of(node)
            words = places._OPENERS.get(type(node))
            if place is None or words is None or type(node).__name__ in ("Not", "Join", "Select", "Cast"):
                continue
            rest = lines[place.line - 1][place.column - 1 :].upper()
            if rest.startswith("TO_DAYS"):
                continue  # the parser writes it as a sum in parentheses
            if type(node).__name__ == "Order" and node.this is not None:
                continue  # within an aggregate it holds the value that stands before it
            assert rest.startswith(tuple(words)), (case.name, node.sql(), rest)
            seen += 1
    assert seen > 300
