"""One reading of a text: what the lexer sees is what is compared and what runs."""

from __future__ import annotations

import pytest

import needs
from truespec.domains.sql.text.agreement import check_agreement
from truespec.domains.sql.text.lexer import lex
from truespec.domains.sql.written import same_words
from truespec.domains.verify import Pair, verify_pair
from truespec.verdict import Answer, SpecificationError, Unsupported

EXECUTABLE = [
    "SELECT a FROM t -- the customer's rows\n/*! WHERE a > 1 */ -- that's all",
    "SELECT a FROM t /*'*/ /*! WHERE a > 1 */ /*'*/",
    'SELECT a, "\'" /*!, 2 */, "\'" FROM t',
    "SELECT a /*M! + 1 */ FROM t",
    "SELECT a FROM t # it's\n /*!50000 WHERE a > 1 */",
    "SELECT a FROM t WHERE b = `'` /*! OR 1 */ OR b = `'`",
    "SELECT '\\'' /*!, 1 */ FROM t",
    "SELECT 'a''' /*M!100100 , 1 */ FROM t",
    "SELECT a /* /* */ /*! + 1 */ FROM t",
    "/*'*/ /*! SET SESSION sql_select_limit = 0 * COALESCE(0, ( */ SELECT MAX(a) FROM t /*! )) */ /*'*/",
    "/*! COMMIT */",
    'SELECT a FROM t WHERE b = "\\"\'" /*! AND 0 */',
]


def test_a_sign_that_the_engine_knows_and_we_do_not_is_no_error_of_the_candidate() -> None:
    with pytest.raises(Unsupported, match=r"\\N"):
        lex(r"SELECT \N FROM t", "mysql")  # NULL
    with pytest.raises(SpecificationError, match="begins no token"):
        lex(r"SELECT \n FROM t", "mysql")
    for text in ("SELECT `a` FROM t", "SELECT a AS `x -- y` FROM t", "SELECT a\x01x FROM t"):
        with pytest.raises(Unsupported):
            lex(text, "duckdb")


@pytest.mark.parametrize("text", EXECUTABLE)
def test_an_executable_comment_is_not_read(text: str) -> None:
    with pytest.raises(Unsupported, match="executable comment") as caught:
        lex(text, "mysql")
    assert caught.value.place is not None


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT '/*!x*/' FROM t", "mysql"),
        ('SELECT "/*!x" FROM t', "mysql"),
        ("SELECT a FROM t -- /*! x */", "mysql"),
        ("SELECT a FROM t # /*! x */", "mysql"),
        ("SELECT a /* into outfile '/x' */ FROM t", "mysql"),
        ("SELECT a -- into outfile\n FROM t", "mysql"),
        ("SELECT `/*!` FROM t", "mysql"),
        ("SELECT a /*+ hint */ FROM t", "mysql"),
        ("SELECT a /*!x*/ FROM t", "postgres"),
        ("SELECT a /*M! /* nested */ */ FROM t", "postgres"),
        ("SELECT a /*!x*/ FROM t", "sqlite"),
        ("SELECT a /*!x*/ FROM t", "duckdb"),
        ("SELECT $$/*$$, E'\\'--' FROM t", "postgres"),
    ],
)
def test_what_looks_like_more_and_is_none_is_read(text: str, dialect: str) -> None:
    source = lex(text, dialect)
    check_agreement(source, dialect)
    assert len(source.rendered) == len(text)
    assert lex(source.rendered, dialect).lexemes == source.lexemes
    for lexeme in source.lexemes:
        assert source.rendered[lexeme.start : lexeme.end] == text[lexeme.start : lexeme.end] == lexeme.text


CUT = [
    ("mysql", "a--1", ["a", "-", "-", "1"]),
    ("mysql", "a-- 1", ["a"]),
    ("mysql", "a--\t1\n+b", ["a", "+", "b"]),
    ("mysql", "a<=>b&&c||d", ["a", "<=>", "b", "&&", "c", "||", "d"]),
    ("mysql", "1a t.1b 0x4A 0X4A", ["1a", "t", ".", "1b", "0x4A", "0X4A"]),
    ("mysql", "N'a' X'41' b'1' _utf8'x'", ["N'a'", "X'41'", "b'1'", "_utf8", "'x'"]),
    ("mysql", '\'a\\\'b\' "c""d" `e``f`', ["'a\\'b'", '"c""d"', "`e``f`"]),
    ("mysql", "a\u00a0b", ["a\u00a0b"]),
    ("postgres", "a\u00a0b", ["a\u00a0b"]),
    ("postgres", "a\u3000b", ["a\u3000b"]),
    ("sqlite", "a\u00a0b", ["a\u00a0b"]),
    ("sqlite", "a\u2003b", ["a\u2003b"]),
    ("postgres", "a*-1", ["a", "*", "-", "1"]),
    ("postgres", "a@-1", ["a", "@-", "1"]),
    ("postgres", "a<-1", ["a", "<", "-", "1"]),
    ("postgres", "a+/*c*/b", ["a", "+", "b"]),
    ("postgres", "1::int a#>>'{a}'", ["1", "::", "int", "a", "#>>", "'{a}'"]),
    ("postgres", "/* /* */ */ 'a\\' $q$ ' $$ $q$", ["'a\\'", "$q$ ' $$ $q$"]),
    ("sqlite", '[a b] `c` "d" a==b /* open', ["[a b]", "`c`", '"d"', "a", "==", "b"]),
    ("sqlite", "/* /* */ a", ["a"]),
    ("duckdb", "a//2 /* /* */ */", ["a", "//", "2"]),
]


@pytest.mark.parametrize(("dialect", "text", "tokens"), CUT)
def test_a_text_is_cut_as_the_engine_cuts_it(dialect: str, text: str, tokens: list[str]) -> None:
    assert [lexeme.text for lexeme in lex(text, dialect).lexemes] == tokens


@pytest.mark.parametrize(
    ("dialect", "text"),
    [("mysql", "'a"), ("mysql", "/* a"), ("postgres", "/* /* */"), ("postgres", "$a$ $$"), ("sqlite", "[a")],
)
def test_what_has_no_end_is_no_text_of_the_engine(dialect: str, text: str) -> None:
    with pytest.raises(SpecificationError):
        lex(text, dialect)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("mysql", "SELECT a--1 FROM t WHERE b = 'x\\qy'"),
        ("sqlite", "SELECT a\u00a0b FROM u"),
        ("postgres", "SELECT a\u2003b FROM u"),
        ("mysql", "SELECT a\u3000b FROM u"),
        ("sqlite", "SELECT {# a #} a FROM t"),
        ("duckdb", "SELECT 0x10 FROM t"),
        ("duckdb", "SELECT a\u00a0b FROM t"),
        ("duckdb", "SELECT 1, \u00a0"),
    ],
)
def test_where_the_parser_cuts_otherwise_nothing_is_read(dialect: str, text: str) -> None:
    try:
        source = lex(text, dialect)
    except (SpecificationError, Unsupported):
        return  # the lexer stops
    if "\\q" in text:
        assert next(lexeme.value for lexeme in source.lexemes if lexeme.value) == "xqy"
        return
    with pytest.raises(Unsupported):
        check_agreement(source, dialect)


@pytest.mark.parametrize(
    ("dialect", "one", "other", "same"),
    [
        ("sqlite", "SELECT a b FROM u", "SELECT a\u00a0b FROM u", False),
        ("postgres", "SELECT a b FROM u", "SELECT a\u00a0b FROM u", False),
        ("mysql", "SELECT a b FROM u", "SELECT a\u2003b FROM u", False),
        ("mysql", EXECUTABLE[0], "SELECT a FROM t", False),
        ("mysql", "SELECT a--1 FROM t", "SELECT a FROM t", False),
        ("sqlite", 'SELECT "a+b" FROM (SELECT a+b FROM t)', 'SELECT "a+b" FROM (SELECT a + b FROM t)', False),
        (
            "mysql",
            "SELECT `a+b` FROM (SELECT a+b FROM t) x",
            "SELECT `a+b` FROM (SELECT a +b FROM t) x",
            False,
        ),
        ("mysql", "select a from t -- it's", "SELECT  a /* '*/ FROM t ;", True),
        ("postgres", "SELECT a /* /* */ */ FROM t", "SELECT a FROM t", True),
        ("duckdb", "SELECT {a: 1}", "SELECT {A: 1}", False),
        ("duckdb", "SELECT {a: 1}", "SELECT  {a : 1}; -- x", True),
    ],
)
def test_identity_is_of_the_engines_tokens(dialect: str, one: str, other: str, same: bool) -> None:
    assert same_words(one, other, dialect) is same


@pytest.mark.live
@pytest.mark.parametrize(
    "text",
    ["SELECT a --/* x */ 1 FROM t", "SELECT a --/* ' */'b' FROM t", "SELECT a FROM t WHERE a = 1 --/**/- 2"],
)
def test_a_comment_behind_two_minus_signs_is_not_read(text: str) -> None:
    """The signs are operators; with a blank in the place of the comment they would begin a comment."""
    with pytest.raises(Unsupported, match="a blank does not stand for") as caught:
        lex(text, "mysql")
    assert caught.value.place is not None


@pytest.mark.parametrize("text", EXECUTABLE)
def test_no_executable_comment_reaches_the_engine(text: str) -> None:
    needs.tool("mariadbd")
    context = {"schema": "CREATE TABLE t (a INT, b VARCHAR(9))", "dialect": "mysql"}
    found = verify_pair(Pair("sql", "SELECT a FROM t", text, context), 60.0)
    assert found.answer is Answer.UNKNOWN
    assert found.reason is not None
    assert found.reason.code.value == "unsupported"


NOT_INVALID = [
    ("mysql", "a INT", "SELECT a FROM t /* into outfile 'x' */"),
    ("mysql", "a INT", "SELECT a FROM t WHERE 'b' <> \"/*!x\""),
    ("mysql", "a INT", "VALUES (1)"),
    ("mysql", "a INT", "SELECT EXTRACTVALUE('<a>1</a>', '/a') FROM t"),
    ("postgres", "a INT, pg_rating INT", "SELECT pg_rating FROM t"),
    ("postgres", "a INT", "SELECT pg_typeof(a) FROM t"),
    ("postgres", "a INT", "VALUES (1)"),
    ("postgres", "a INT", "SELECT a /*!x*/ FROM t"),
    ("sqlite", "a INT", "SELECT value FROM json_each('[1]')"),
    ("sqlite", "a INT", "VALUES (1)"),
    ("duckdb", "a INT", "SELECT {'a': a} FROM t"),
    ("duckdb", "a INT", "SELECT MAP {'a': a} FROM t"),
    ("duckdb", "a INT", "PIVOT t ON a USING sum(a)"),
    ("duckdb", "a INT", "SELECT * FROM (PIVOT t ON a USING sum(a))"),
]


@pytest.mark.live
@pytest.mark.parametrize(("dialect", "columns", "candidate"), NOT_INVALID)
def test_what_the_engine_accepts_is_not_invalid(dialect: str, columns: str, candidate: str) -> None:
    for tool in {"mysql": ["mariadbd"], "postgres": ["psql"]}.get(dialect, []):
        needs.tool(tool)
    context = {"schema": f"CREATE TABLE t ({columns})", "dialect": dialect}
    assert verify_pair(Pair("sql", "SELECT a FROM t", candidate, context), 2.0).answer is not Answer.INVALID


@pytest.mark.live
@pytest.mark.parametrize(
    ("dialect", "name"), [("mysql", "sys"), ("mysql", "mysql"), ("postgres", "pg_rows"), ("postgres", "sys")]
)
def test_a_table_may_be_called_as_a_system_schema(dialect: str, name: str) -> None:
    needs.tool("mariadbd" if dialect == "mysql" else "psql")
    context = {"schema": f"CREATE TABLE {name} (a INT)", "dialect": dialect}
    found = verify_pair(Pair("sql", f"SELECT a FROM {name}", f"SELECT a FROM {name} -- all", context), 60.0)
    assert found.answer is Answer.EQUIVALENT


DIFFERENT = [
    ("postgres", "VALUES (1, 'a')", "VALUES (1, 'b')"),
    ("sqlite", "SELECT value FROM json_each('[1, 2]')", "SELECT value FROM json_each('[1, 3]')"),
    ("sqlite", "SELECT COUNT(*) FROM json_tree('[[1]]')", "SELECT COUNT(*) FROM json_tree('[1]')"),
    ("duckdb", "SELECT {'x': a} FROM t", "SELECT {'x': a + 1} FROM t"),
    ("duckdb", "SELECT MAP {'x': a} FROM t", "SELECT MAP {'y': a} FROM t"),
    ("duckdb", "SELECT [a, 1] FROM t", "SELECT [1, a] FROM t"),
    ("duckdb", "PIVOT t ON a IN (1, 2) USING sum(b)", "PIVOT t ON a IN (1, 2) USING max(b)"),
    ("duckdb", "FROM t PIVOT (sum(b) FOR a IN (1))", "FROM t PIVOT (max(b) FOR a IN (1))"),
    ("postgres", "SELECT pg_typeof(a) FROM t", "SELECT pg_typeof(a + 1.5) FROM t"),
    ("postgres", "SELECT json_array_length('[1]') FROM t", "SELECT json_array_length('[1, 2]') FROM t"),
    ("mysql", "SELECT EXTRACTVALUE('<x>1</x>', '/x') FROM t", "SELECT EXTRACTVALUE('<x>2</x>', '/x') FROM t"),
    ("mysql", "SELECT JSON_VALUE('[1]', '$[0]') FROM t", "SELECT JSON_VALUE('[2]', '$[0]') FROM t"),
]


@pytest.mark.live
@pytest.mark.parametrize(("dialect", "oracle", "candidate"), DIFFERENT)
def test_what_the_prover_does_not_read_is_refuted_by_the_engine(
    dialect: str, oracle: str, candidate: str
) -> None:
    for tool in {"mysql": ["mariadbd"], "postgres": ["psql"]}.get(dialect, []):
        needs.tool(tool)
    context = {"schema": "CREATE TABLE t (a INT, b INT)", "dialect": dialect}
    assert verify_pair(Pair("sql", oracle, candidate, context), 60.0).answer is Answer.REFUTED


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ("SELECT [a, 1] FROM t", "SELECT [a::DOUBLE, 1.0] FROM t"),
        ("SELECT {'x': a} FROM t", "SELECT {'x': a * 1.0} FROM t"),
        ("SELECT [a / 3.0] FROM t", "SELECT [a * (1 / 3.0)] FROM t"),
        ("SELECT MAP {'x': 1, 'y': a} FROM t", "SELECT MAP {'y': a, 'x': 1} FROM t"),
        ("SELECT [[1], [a]] FROM t", "SELECT [[1.0], [a]] FROM t"),
    ],
)
def test_numbers_inside_structures_compare_by_value_and_never_by_rounding(
    oracle: str, candidate: str
) -> None:
    context = {"schema": "CREATE TABLE t (a INT, b INT)", "dialect": "duckdb"}
    assert verify_pair(Pair("sql", oracle, candidate, context), 1.0).answer is Answer.UNKNOWN
