"""Drawn pairs of functions, lists and picked values: spellings of one question, and others that miss it.

Some compare characters in several ways, some count weekdays or quarters, some list or pick values of a group;
others miss by a character, a NULL, a tie or a duplicate.
"""

from __future__ import annotations

from random import Random

SCHEMA = (
    "CREATE TABLE t (id INT PRIMARY KEY, g INT, h INT NOT NULL, s VARCHAR(9), d DATE NOT NULL, e DATE); "
    "CREATE TABLE u (id INT PRIMARY KEY, g INT)"
)
Questions = tuple[tuple[str, ...], ...]
"""Questions, each as a tuple of queries that look alike."""
LISTS: Questions = (
    (
        "SELECT {k}, {list}({v}) FROM t GROUP BY {k}",
        "SELECT q.{k}, {list}(q.{v}) FROM t AS q GROUP BY q.{k}",
        "SELECT {k}, {list}({v}) FROM t WHERE {v} IS NOT NULL GROUP BY {k}",
        "SELECT {k}, {list}({v}) FROM (SELECT DISTINCT {k}, {v} FROM t) q GROUP BY {k}",
        "SELECT {k}, {list}({v}) FROM (SELECT {k}, {v}, COUNT(*) AS n "
        "FROM t GROUP BY {k}, {v}) q GROUP BY {k}",
        "SELECT {k}, {list}(DISTINCT {v}) FROM t GROUP BY {k}",
        "SELECT {k}, {list}({v}) FROM t GROUP BY {k} HAVING COUNT(*) > 1",
        "SELECT {k}, {list}({v}) FROM t GROUP BY {k} HAVING COUNT(*) >= 2",
        "SELECT {k}, {list}({v}) FROM t GROUP BY {k}, {v}",
    ),
    (
        "SELECT {k}, MAX(s), MIN({v}) FROM t GROUP BY {k}",
        "SELECT {k}, MAX(s), MIN({v}) FROM t WHERE s IS NOT NULL GROUP BY {k}",
        "SELECT q.{k}, MAX(q.s), MIN(q.{v}) FROM t q GROUP BY q.{k}",
        "SELECT {k}, MIN(s), MIN({v}) FROM t GROUP BY {k}",
        "SELECT {k}, MAX(s), MIN({v}) FROM (SELECT DISTINCT {k}, s, {v} FROM t) q GROUP BY {k}",
        "SELECT {k}, MAX(LOWER(s)), MIN({v}) FROM t GROUP BY {k}",
    ),
    (
        "SELECT {v} FROM t ORDER BY {v} LIMIT 1 OFFSET {n}",
        "SELECT {v} FROM (SELECT id, {v} FROM t) q ORDER BY {v} LIMIT 1 OFFSET {n}",
        "SELECT {v} FROM t ORDER BY {v} DESC LIMIT 1 OFFSET {n}",
        "SELECT DISTINCT {v} FROM t ORDER BY {v} LIMIT 1 OFFSET {n}",
        "SELECT {v} FROM t ORDER BY {v}, {v} DESC LIMIT 1 OFFSET {n}",
        "SELECT {v} + 0 AS x FROM t ORDER BY {v} LIMIT 1 OFFSET {n}",
    ),
    (
        ""
        "SELECT id, SUM({v}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND {n} PRECEDING) AS x "
        "FROM t",
        "SELECT id, SUM({v}) OVER (ORDER BY id DESC ROWS BETWEEN {n} FOLLOWING AND UNBOUNDED FOLLOWING) AS x "
        "FROM t",
        "SELECT id, SUM({v}) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND {n} PRECEDING) AS x FROM t",
        "SELECT id, SUM({v}) OVER (ORDER BY id DESC ROWS BETWEEN {n} FOLLOWING AND 3 FOLLOWING) AS x FROM t",
        "SELECT id, (SELECT SUM(b.{v}) FROM t b WHERE b.id < a.id) AS x FROM t a",
        "SELECT id, LAG({v}) OVER (ORDER BY id) AS x FROM t",
        "SELECT id, FIRST_VALUE({v}) OVER (ORDER BY id) AS x FROM t",
        "SELECT id, FIRST_VALUE({v}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND {n} PRECEDING) "
        "AS x FROM t",
        "SELECT id, LAST_VALUE({v}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND {n} PRECEDING) "
        "AS x FROM t",
        "SELECT id, LAG({v}, {n}) OVER (ORDER BY id) AS x FROM t",
        "SELECT id, SUM({v}) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS x FROM t",
    ),
)
TEXTS: dict[str, tuple[str, ...]] = {
    "mysql": (
        ""
        "s LIKE '%{c}'", "RIGHT(s, 1) = '{c}'",
        "s LIKE '%{c}%'", "INSTR(s, '{c}') > 0", "LOCATE('{c}', s) <> 0",
        "SUBSTRING(s, 2) = RIGHT(s, CHAR_LENGTH(s) - 1)", "s IS NOT NULL", "FIELD(s, 'a', '{c}') = 2",
        "FIND_IN_SET('{c}', s) > 0", "STRCMP(s, '{c}') = 0", "s = '{c}'", "MID(s, 1, 1) = '{c}'",
        "LEFT(s, 1) = '{c}'", "QUARTER(d) = {n}", "MONTH(d) BETWEEN 3 * {n} - 2 AND 3 * {n}",
        "DAYOFWEEK(d) = 1", "WEEKDAY(d) = 6", "d + INTERVAL 1 MONTH > e", "DATE_ADD(d, INTERVAL 1 MONTH) > e",
        ""
        "(h & 1) = 1", "h % 2 = 1", "h % 2 <> 0",
        "CAST(s AS SIGNED) = {n}", "CAST(h AS CHAR) = '{n}'", "h = {n}",
        "TRUNCATE(h / 2, 0) = {n}", "h DIV 2 = {n}", "FLOOR(h / 2) = {n}",
    ),
    "postgres": (
        "s LIKE '%{c}'", "RIGHT(s, 1) = '{c}'", "s ~ '{c}$'", "s LIKE '%{c}%'", "STRPOS(s, '{c}') > 0",
        "POSITION('{c}' IN s) <> 0", "s ~ '{c}'", "s LIKE '{c}%'", "STARTS_WITH(s, '{c}')", "s ~ '^{c}'",
        "LEFT(s, 1) = '{c}'", "s ~ '^(a|{c})$'", "s IN ('a', '{c}')", "s SIMILAR TO '(a|{c})'", "s ~* '^{c}'",
        "s ILIKE '{c}%'", "SPLIT_PART(s, 'a', 2) = '{c}'", "TRANSLATE(s, 'a', '{c}') = s",
        "SUBSTRING(s, 2) = RIGHT(s, LENGTH(s) - 1)", "s IS NOT NULL", "EXTRACT(QUARTER FROM d) = {n}",
        "EXTRACT(MONTH FROM d) BETWEEN 3 * {n} - 2 AND 3 * {n}", "EXTRACT(DOW FROM d) = 0",
        "EXTRACT(ISODOW FROM d) = 7", "DATE_TRUNC('month', d) + INTERVAL '1 month' = DATE_TRUNC('month', e)",
        "DATE_TRUNC('quarter', d) = DATE_TRUNC('quarter', e)", "d + INTERVAL '1 month' > e",
        "d + {n} * INTERVAL '1 day' > e", "d + {n} > e", "(h & 1) = 1", "h % 2 = 1", "h % 2 <> 0",
        "TRUNC(h / 2.0) = {n}", "h / 2 = {n}", "FLOOR(h / 2.0) = {n}", "h::text = '{n}'", "h = {n}",
        "h = ANY (ARRAY[{n}, 2])", "h IN (2, {n})", "h <> ALL (ARRAY[{n}, 2])", "h NOT IN (2, {n})",
        "h::boolean", "h <> 0",
    ),
    "sqlite": (
        "s LIKE '%{c}'", "SUBSTR(s, -1) = '{c}'", "s LIKE '%{c}%'", "INSTR(s, '{c}') > 0", "s GLOB '*{c}*'",
        "s GLOB '{c}*'", "SUBSTR(s, 1, 1) = '{c}'", "s GLOB '*{c}'", "s LIKE '%1%'", "INSTR(s, '1') > 0",
        "s GLOB '*1*'", "s LIKE '% '", "s GLOB '* '", "s GLOB '{c}'", "s = '{c}'", "(h & 1) = 1", "h % 2 = 1",
        "h % 2 <> 0", "CAST(h / 2.0 AS INTEGER) = {n}", "h / 2 = {n}", "CAST(s AS INTEGER) = {n}",
        "PRINTF('%d', h) = '{n}'", "CAST(h AS TEXT) = '{n}'", "h = {n}", "DATE(d, '+1 day') > e",
        ""
        "DATE(d, 'start of month') = DATE(e, 'start of month')",
        "STRFTIME('%Y-%m', d) = STRFTIME('%Y-%m', e)",
    ),
    "duckdb": (
        "s LIKE '%{c}'", "RIGHT(s, 1) = '{c}'", "ENDS_WITH(s, '{c}')", "s LIKE '%{c}%'", "CONTAINS(s, '{c}')",
        ""
        "STRPOS(s, '{c}') > 0", "INSTR(s, '{c}') <> 0",
        "regexp_matches(s, '{c}')", "regexp_matches(s, '{c}$')",
        "s LIKE '{c}%'", "STARTS_WITH(s, '{c}')", "regexp_matches(s, '^{c}')", "LEFT(s, 1) = '{c}'",
        "regexp_full_match(s, '{c}')", "regexp_matches(s, '^(a|{c})$')", "s IN ('a', '{c}')", "s = '{c}'",
        "SPLIT_PART(s, 'a', 2) = '{c}'", "SUBSTRING(s, 2) = RIGHT(s, LENGTH(s) - 1)", "s IS NOT NULL",
        "QUARTER(d) = {n}", "MONTH(d) BETWEEN 3 * {n} - 2 AND 3 * {n}", "DAYOFWEEK(d) = 0", "ISODOW(d) = 7",
        "EXTRACT(DOW FROM d) = 0", "DATE_TRUNC('month', d) + INTERVAL 1 MONTH = DATE_TRUNC('month', e)",
        "DATE_TRUNC('quarter', d) = DATE_TRUNC('quarter', e)", "d + INTERVAL 1 MONTH > e",
        "d + {n} * INTERVAL 1 DAY > e", "d + {n} > e", "(h & 1) = 1", "h % 2 = 1", "h % 2 <> 0",
        "TRUNC(h / 2) = {n}", "h // 2 = {n}", "FLOOR(h / 2) = {n}", "CAST((h - h % 2) / 2 AS INT) = {n}",
        "h::VARCHAR = '{n}'", "h = {n}", "h::BOOLEAN", "h <> 0",
    ),
}  # fmt: skip
"""Conditions that look alike."""
PICKS: dict[str, Questions] = {
    "postgres": (
        (
            "SELECT {k}, ARRAY_AGG({v} ORDER BY {v}) FROM t GROUP BY {k}",
            "SELECT {k}, ARRAY_AGG({v} ORDER BY {v}, id) FROM t GROUP BY {k}",
            "SELECT {k}, ARRAY_AGG({v} ORDER BY {v} DESC) FROM t GROUP BY {k}",
            "SELECT {k}, ARRAY_AGG(DISTINCT {v} ORDER BY {v}) FROM t GROUP BY {k}",
            "SELECT {k}, ARRAY_AGG({v} ORDER BY {v}) FROM (SELECT DISTINCT {k}, {v} FROM t) q GROUP BY {k}",
            "SELECT {k}, ARRAY_AGG({v} ORDER BY id) FROM t GROUP BY {k}",
            "SELECT {k}, ARRAY_AGG({v} ORDER BY {v}) FILTER (WHERE {v} IS NOT NULL) FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k}, CARDINALITY(ARRAY_AGG({v})) FROM t GROUP BY {k}",
            "SELECT {k}, ARRAY_LENGTH(ARRAY_AGG({v}), 1) FROM t GROUP BY {k}",
            "SELECT {k}, COUNT(*) FROM t GROUP BY {k}",
            "SELECT {k}, COUNT({v}) FROM t GROUP BY {k}",
            "SELECT {k}, CARDINALITY(ARRAY_AGG(DISTINCT {v})) FROM t GROUP BY {k}",
            "SELECT {k}, CARDINALITY(ARRAY_AGG({v}) FILTER (WHERE {v} > 0)) FROM t GROUP BY {k}",
            "SELECT {k}, COUNT(*) FILTER (WHERE {v} > 0) FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k}, (ARRAY_AGG({v} ORDER BY id))[1] FROM t GROUP BY {k}",
            "SELECT {k}, (ARRAY_AGG({v} ORDER BY id DESC))[1] FROM t GROUP BY {k}",
            "SELECT DISTINCT {k}, FIRST_VALUE({v}) OVER (PARTITION BY {k} ORDER BY id) FROM t",
            "SELECT DISTINCT ON ({k}) {k}, {v} FROM t ORDER BY {k}, id",
            "SELECT {k}, MIN({v}) FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k} FROM t GROUP BY {k} HAVING EVERY({v} > {n})",
            "SELECT {k} FROM t GROUP BY {k} HAVING BOOL_AND({v} > {n})",
            "SELECT {k} FROM t GROUP BY {k} HAVING MIN({v}) > {n}",
            "SELECT {k} FROM t GROUP BY {k} HAVING COUNT(*) = COUNT(*) FILTER (WHERE {v} > {n})",
        ),
    ),
    "sqlite": (
        (
            "SELECT {k}, TOTAL({v}) FROM t GROUP BY {k}",
            "SELECT {k}, COALESCE(SUM({v}), 0.0) FROM t GROUP BY {k}",
            "SELECT {k}, SUM({v}) FROM t GROUP BY {k}",
            "SELECT {k}, SUM(COALESCE({v}, 0)) FROM t GROUP BY {k}",
        ),
    ),
    "duckdb": (
        (
            "SELECT {k}, ARG_MAX({v}, id) FROM t GROUP BY {k}",
            "SELECT {k}, LAST({v} ORDER BY id) FROM t GROUP BY {k}",
            "SELECT {k}, ARG_MIN({v}, -id) FROM t GROUP BY {k}",
            "SELECT {k}, FIRST({v} ORDER BY id DESC) FROM t GROUP BY {k}",
            "SELECT {k}, {v} FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY {k} ORDER BY id DESC) = 1",
            "SELECT {k}, MAX_BY({v}, id) FROM t WHERE {v} IS NOT NULL GROUP BY {k}",
            "SELECT {k}, MAX({v}) FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k}, LIST({v} ORDER BY {v}) FROM t GROUP BY {k}",
            "SELECT {k}, LIST({v} ORDER BY {v}, id) FROM t GROUP BY {k}",
            "SELECT {k}, LIST(DISTINCT {v} ORDER BY {v}) FROM t GROUP BY {k}",
            "SELECT {k}, LIST({v} ORDER BY {v}) FROM (SELECT DISTINCT {k}, {v} FROM t) GROUP BY {k}",
            "SELECT {k}, LIST({v} ORDER BY {v}) FILTER (WHERE {v} IS NOT NULL) FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k}, LEN(LIST({v})) FROM t GROUP BY {k}",
            "SELECT {k}, COUNT(*) FROM t GROUP BY {k}",
            "SELECT {k}, LEN(LIST(DISTINCT {v})) FROM t GROUP BY {k}",
            "SELECT {k}, COUNT(DISTINCT {v}) FROM t GROUP BY {k}",
            "SELECT {k}, COUNT(DISTINCT {v}) + MAX(CASE WHEN {v} IS NULL THEN 1 ELSE 0 END) "
            "FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k}, ARRAY_TO_STRING(LIST(s ORDER BY s), ',') FROM t GROUP BY {k}",
            "SELECT {k}, STRING_AGG(s, ',' ORDER BY s) FROM t GROUP BY {k}",
            "SELECT {k}, STRING_AGG(s, ',' ORDER BY s, id DESC) FROM t GROUP BY {k}",
            "SELECT {k}, STRING_AGG(DISTINCT s, ',' ORDER BY s) FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k}, MODE({v}) FROM t GROUP BY {k}",
            "SELECT q.{k}, MODE(q.{v}) FROM t q GROUP BY q.{k}",
            "SELECT {k}, MODE({v}) FROM t WHERE {v} IS NOT NULL GROUP BY {k}",
            "SELECT {k}, ANY_VALUE({v}) FROM t GROUP BY {k}",
        ),
        (
            "SELECT {k}, COUNT(*) FILTER (WHERE {v} > {n}) / COUNT(*) FROM t GROUP BY {k}",
            "SELECT {k}, AVG(CASE WHEN {v} > {n} THEN 1 ELSE 0 END) FROM t GROUP BY {k}",
            "SELECT {k}, AVG(CASE WHEN {v} > {n} THEN 1 WHEN {v} <= {n} THEN 0 END) FROM t GROUP BY {k}",
        ),
    ),
}
"""Questions of one engine."""
LIST = {"mysql": "GROUP_CONCAT", "postgres": "ARRAY_AGG", "sqlite": "GROUP_CONCAT", "duckdb": "LIST"}


def pair(dialect: str, random: Random) -> tuple[str, str]:
    """Two spellings of one question, or two questions that look alike."""
    if random.random() < 0.5:
        tests = TEXTS[dialect]  # those that look alike stand near one another
        first = random.randrange(len(tests))
        second = max(0, min(len(tests) - 1, first + random.choice((-3, -2, -1, 1, 2, 3))))
        oracle, candidate = (f"SELECT id, h FROM t WHERE {tests[place]}" for place in (first, second))
    else:
        question = random.choice(LISTS + PICKS.get(dialect, ()))
        oracle, candidate = random.choice(question), random.choice(question)
    names = {
        "k": random.choice(("g", "h")),
        "v": random.choice(("g", "h", "id")),
        "n": str(random.choice((1, 2, 3))),
        "c": random.choice("abA1"),
        "list": LIST[dialect],
    }
    if names["k"] == names["v"]:
        names["v"] = "id"
    for name, value in names.items():
        oracle, candidate = (query.replace("{" + name + "}", value) for query in (oracle, candidate))
    return oracle, candidate
