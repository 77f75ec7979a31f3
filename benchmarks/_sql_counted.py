"""Drawn recursions, set operations that count, and windows by number and share, each beside a slip.

A query is a template with slots; the candidate fills some slots otherwise. Some fillings mean the same.
"""

from __future__ import annotations

from random import Random

SCHEMA = """
CREATE TABLE emp (id INT PRIMARY KEY, dept INT, sal INT NOT NULL, boss INT);
CREATE TABLE visit (who INT, spent INT);
"""
SLOTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "start": (
        ("WHERE e.id = 1", "WHERE 1 = e.id"),
        ("WHERE e.boss IS NULL",),
        ("",),
        ("WHERE e.dept = e.sal",),
    ),
    "link": (("e.boss = r.id", "r.id = e.boss"), ("e.id = r.boss",), ("e.boss <= r.id", "NOT e.boss > r.id")),
    "union": (("UNION",),),
    "out": (
        ("id, boss", "id, boss"),
        ("DISTINCT boss", "DISTINCT boss"),
        ("COUNT(*)", "COUNT(id)"),
        ("boss",),
    ),
    "left": (
        ("SELECT sal FROM emp", "SELECT sal FROM emp WHERE id IS NOT NULL"),
        ("SELECT id FROM emp", "SELECT DISTINCT id FROM emp"),
        ("SELECT who FROM visit", "SELECT v.who FROM visit v WHERE v.who = v.who OR v.who IS NULL"),
        ("SELECT DISTINCT who FROM visit", "SELECT who FROM visit GROUP BY who"),
    ),
    "way": (("EXCEPT ALL",), ("INTERSECT ALL",), ("EXCEPT",), ("INTERSECT",)),
    "call": (
        ("CUME_DIST()", "CUME_DIST()"),
        ("NTH_VALUE(sal, 1)", "FIRST_VALUE(sal)"),
        ("NTH_VALUE(sal, 2)", "NTH_VALUE(sal + 0, 2)"),
        ("NTH_VALUE(boss, 2)",),
        ("PERCENT_RANK()",),
    ),
    "by": (("", ""), ("PARTITION BY dept",), ("PARTITION BY boss, dept", "PARTITION BY dept, boss")),
    "key": (("id", "id ASC"), ("id DESC",), ("sal, id",), ("dept, id", "dept, id, sal"), ("-id", "id DESC")),
    "frame": (
        ("", ""),
        ("ROWS UNBOUNDED PRECEDING", "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
        ("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",),
        ("ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING",),
    ),
}
"""For each slot, meanings; for each meaning, the ways to write it."""
TEMPLATES = (
    "WITH RECURSIVE r AS (SELECT e.id, e.boss FROM emp e {start} {union} "
    "SELECT e.id, e.boss FROM emp e JOIN r ON {link}) SELECT {out} FROM r",
    "{left} {way} {right}",
    "SELECT COUNT(*) FROM ({left} {way} {right}) q",
    "SELECT id, {call} OVER ({by} ORDER BY {key} {frame}) FROM emp",
    "SELECT id, {call} OVER ({by} ORDER BY {key} {frame}) FROM emp WHERE dept > 0",
)


def pair(dialect: str, chance: Random) -> tuple[str, str]:
    """Two queries over `SCHEMA` by one template."""
    template = chance.choice([one for one in TEMPLATES if dialect != "sqlite" or "{way}" not in one])
    meanings = {slot: chance.choice(SLOTS["left" if slot == "right" else slot]) for slot in _slots(template)}
    other = dict(meanings)
    for slot in chance.sample(sorted(other), chance.choice((0, 0, 1))):
        other[slot] = chance.choice(SLOTS["left" if slot == "right" else slot])
    first, second = (
        template.format(**{slot: chance.choice(ways) for slot, ways in chosen.items()})
        for chosen in (meanings, other)
    )
    return first, second


def _slots(template: str) -> list[str]:
    return [slot for slot in (*SLOTS, "right") if f"{{{slot}}}" in template]
