"""Texts of SQLite that a CHECK makes dates: what DATE makes of 30 February decides whether they are days."""

from __future__ import annotations

import sqlite3

import pytest
import sqlglot

from truespec.domains.sql.engines import sqlite
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir import iso_dates
from truespec.domains.sql.prove.proof import prove
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit

ORDER = "SELECT id FROM t WHERE d < '2024-03-01'"
NUMBER = "SELECT id FROM t WHERE julianday(d) < 2460370.5"


def schema(made: str) -> str:
    return f"CREATE TABLE t (id INTEGER PRIMARY KEY, d TEXT NOT NULL CHECK (d IS {made} AND d >= '1900'))"


def proved(made: str) -> bool:
    trees = [sqlglot.parse_one(text, read="sqlite") for text in (ORDER, NUMBER)]
    found = prove(
        trees[0], trees[1], read_schema(schema(made), "sqlite"), "bag", Settings(), Limit.start(60.0)
    )
    return found is not None


def test_this_engine_shows_what_is_said_of_it() -> None:
    """Where DATE leaves 30 February as it is, it passes the CHECK, and its number is that of another day."""
    connection = sqlite3.connect(":memory:")
    connection.execute(schema("date(d)"))
    try:
        connection.execute("INSERT INTO t VALUES (1, '2024-02-30')")
    except sqlite3.IntegrityError:
        assert sqlite.normalises_dates()
    else:
        assert not sqlite.normalises_dates()
        assert connection.execute(ORDER).fetchall() != connection.execute(NUMBER).fetchall()


@pytest.mark.parametrize("normalises", [True, False])
def test_a_text_is_a_day_only_where_date_reckons(normalises: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iso_dates, "normalises_dates", lambda: normalises)
    assert proved("date(d, '+0 days')")
    assert proved("date(d)") is normalises


@pytest.mark.parametrize("text", ["2024-02-30", "2024-02-29", "0000-12-31", "9999-01-01"])
def test_parts_are_as_written_wherever_date_changes_nothing(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    parts = "strftime('%Y-%m', d), strftime('%Y', d), strftime('%m', d), strftime('%d', d)"
    found = connection.execute(f"SELECT {parts} FROM (SELECT ? AS d) WHERE d = date(d)", (text,)).fetchall()
    assert found in ([], [(text[:7], text[:4], text[5:7], text[8:])])
