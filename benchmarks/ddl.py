"""Rows under generated DDL: what our tables take, the tables of the user's own text take too.

Each DDL holds clauses of its engine's manual, read and unread. Random rows go into our tables (made from what
was read) and into the tables of the text itself. A find is a row set that ours take and the text's refuse,
though every clause counts as read. Rows that ours refuse and the text's take are counted: they cost
counterexamples, never an answer.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from random import Random

from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.script import (
    Database,
    Value,
    create_statements,
    insert_statements,
    own_statements,
)
from truespec.domains.sql.schema import Kind, Schema, Table, read_schema
from truespec.verdict import OracleError, ToolMissing

COUNT = 5_000
QUICK = 200
SECONDS = 3_600.0
DATABASES = 4
"""Sets of rows under each DDL."""

TYPES = {
    "mysql": ("INT", "BIGINT", "DECIMAL(5,2)", "VARCHAR(4)", "CHAR(3)", "DATE", "ENUM('a','b')", "BOOLEAN"),
    "postgres": ("INT", "BIGINT", "NUMERIC(5,2)", "VARCHAR(4)", "TEXT", "CHAR(3)", "DATE", "BOOLEAN"),
    "sqlite": ("INT", "INTEGER", "REAL", "TEXT", "VARCHAR(4)", "DATE", "NUMERIC", ""),
    "duckdb": ("INT", "BIGINT", "DECIMAL(5,2)", "VARCHAR", "DATE", "BOOLEAN", "UINTEGER"),
}
COLUMN = {
    "mysql": (
        *("NULL", "UNIQUE", "UNIQUE KEY", "PRIMARY KEY", "DEFAULT NULL", "COMMENT 'c'", "INVISIBLE"),
        *("CHECK ({c} IS NOT NULL)", "CHECK ({c} <> '1')", "CONSTRAINT CHECK ({c} IS NULL OR {c} > 0)"),
        *("REFERENCES p (k)", "NOT NULL", "UNSIGNED", "COLLATE utf8mb4_bin", "CHARACTER SET latin1"),
    ),
    "postgres": (
        *("NULL", "UNIQUE", "PRIMARY KEY", "DEFAULT NULL", "UNIQUE NULLS NOT DISTINCT", "UNIQUE DEFERRABLE"),
        *("CHECK ({c} IS NOT NULL)", "CONSTRAINT n CHECK ({c} IS NOT NULL) NO INHERIT", "NOT NULL"),
        *("REFERENCES p", "REFERENCES p (k) MATCH FULL", "REFERENCES p ON DELETE SET NULL", 'COLLATE "C"'),
        *("UNIQUE INITIALLY DEFERRED", "UNIQUE WITH (fillfactor = 70)", "REFERENCES p NOT DEFERRABLE"),
    ),
    "sqlite": (
        *("NULL", "UNIQUE", "PRIMARY KEY", "DEFAULT NULL", "UNIQUE ON CONFLICT ABORT", "COLLATE NOCASE"),
        *(
            "CHECK ({c} IS NOT NULL)",
            "CHECK (typeof({c}) <> 'text')",
            "NOT NULL",
            "NOT NULL ON CONFLICT FAIL",
        ),
        *(
            "REFERENCES p",
            "REFERENCES p (k) DEFERRABLE INITIALLY DEFERRED",
            "PRIMARY KEY DESC",
            "NULL UNIQUE",
        ),
        *("CHECK (length({c}) < 3) UNIQUE", "CONSTRAINT n UNIQUE", "REFERENCES p ON UPDATE CASCADE"),
    ),
    "duckdb": (
        *("NULL", "UNIQUE", "PRIMARY KEY", "DEFAULT NULL", "NOT NULL", "CHECK ({c} IS NOT NULL)"),
        *("REFERENCES p (k)", "COLLATE NOCASE", "NOT NULL UNIQUE", "CHECK ({c} IS NULL OR {c} IS NOT NULL)"),
    ),
}
"""Constraints of one column; `{c}` is its name."""
TABLE = {
    "mysql": (
        *("UNIQUE ({a})", "UNIQUE KEY u ({a}, {b})", "UNIQUE INDEX ({b} DESC)", "PRIMARY KEY ({a}, {b})"),
        *("UNIQUE ({a}(1))", "KEY ({a})", "INDEX i ({b})", "CHECK ({a} IS NULL OR {b} IS NULL)"),
        *(
            "FOREIGN KEY ({a}) REFERENCES p (k)",
            "CONSTRAINT f FOREIGN KEY ({b}) REFERENCES p (k) ON DELETE CASCADE",
        ),
        *("PRIMARY KEY USING BTREE ({b})", "UNIQUE u ({a}) USING HASH", "UNIQUE ({b}) COMMENT 'c'"),
    ),
    "postgres": (
        *("UNIQUE ({a})", "UNIQUE NULLS NOT DISTINCT ({a}, {b})", "PRIMARY KEY ({a}, {b})"),
        *("EXCLUDE USING btree ({a} WITH =)", "EXCLUDE USING btree ({b} WITH =) WHERE ({a} IS NULL)"),
        *(
            "CHECK ({a} IS NULL OR {b} IS NULL)",
            "UNIQUE ({a}) INCLUDE ({b})",
            "CONSTRAINT u UNIQUE ({b}, {a})",
        ),
        *("FOREIGN KEY ({a}) REFERENCES p", "FOREIGN KEY ({a}, {b}) REFERENCES q MATCH FULL"),
        *(
            "FOREIGN KEY ({a}, {b}) REFERENCES q (x, y)",
            "FOREIGN KEY ({b}) REFERENCES p (k) ON DELETE RESTRICT",
        ),
    ),
    "sqlite": (
        *("UNIQUE ({a})", "UNIQUE ({a} COLLATE NOCASE)", "PRIMARY KEY ({a}, {b})", "UNIQUE ({a}, {b} DESC)"),
        *("UNIQUE ({a}) ON CONFLICT FAIL", "PRIMARY KEY ({a} COLLATE RTRIM)", "CONSTRAINT u UNIQUE ({b})"),
        *("CHECK ({a} IS NULL OR {b} IS NULL)", "FOREIGN KEY ({a}) REFERENCES p", "CHECK ({a} <> {b})"),
        *("FOREIGN KEY ({a}, {b}) REFERENCES q", "FOREIGN KEY ({b}) REFERENCES p (k) MATCH FULL"),
    ),
    "duckdb": (
        *(
            "UNIQUE ({a})",
            "UNIQUE ({a}, {b})",
            "PRIMARY KEY ({a}, {b})",
            "CHECK ({a} IS NULL OR {b} IS NULL)",
        ),
        *("FOREIGN KEY ({a}) REFERENCES p (k)", "FOREIGN KEY ({a}, {b}) REFERENCES q (x, y)"),
    ),
}
"""Constraints of a table with the columns `{a}` and `{b}`."""
OPTIONS = {
    "mysql": ("ENGINE=InnoDB", "ENGINE=Aria", "COLLATE utf8mb4_bin", "COMMENT='c'", "DEFAULT CHARSET=latin1"),
    "postgres": ("WITH (fillfactor = 70)",),
    "sqlite": ("WITHOUT ROWID", "STRICT", "STRICT, WITHOUT ROWID"),
    "duckdb": (),
}
INDEXES = {
    "mysql": ("CREATE UNIQUE INDEX j ON t ({a})", "CREATE INDEX j ON t ({b})"),
    "postgres": (
        "CREATE UNIQUE INDEX j ON t ({a}) WHERE {b} IS NULL",
        "CREATE UNIQUE INDEX j ON t ({a}) NULLS NOT DISTINCT",
        "CREATE INDEX j ON t ({b})",
    ),
    "sqlite": ("CREATE UNIQUE INDEX j ON t ({a}) WHERE {b} > 1", "CREATE UNIQUE INDEX j ON t (lower({a}))"),
    "duckdb": ("CREATE UNIQUE INDEX j ON t ({a})", "CREATE INDEX j ON t ({b})"),
}
VALUES: dict[Kind, tuple[Value, ...]] = {
    Kind.BOOL: (True, False),
    Kind.DATE: ("2020-01-01", "2020-01-02"),
    Kind.ENUM: ("a", "b"),
    Kind.TEXT: ("a", "A", "a ", "ab", "aB", "", "1"),
}
NUMBERS: tuple[Value, ...] = (0, 1, 2, 3)


def main(arguments: list[str] | None = None) -> None:
    """Print how the DDLs of each engine ended, and every find; exit 1 where there is one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ddl")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} DDLs")
    parser.add_argument("--count", type=int, default=COUNT, help="DDLs over the four engines")
    parser.add_argument("--start", type=int, default=0, help="number of the first DDL of each engine")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of the run")
    parser.add_argument("--dialect", action="append", choices=list(registry.ENGINES), help="this one alone")
    options = parser.parse_args(arguments)
    chosen = options.dialect or list(registry.ENGINES)
    count = (QUICK if options.quick else options.count) // len(chosen)
    finds: list[str] = []
    for dialect in chosen:
        try:
            seen, found = attack(dialect, options.start, count, options.seconds / len(chosen))
        except ToolMissing as missing:
            print(f"{dialect:9} not run: {missing}")
            continue
        shown = ", ".join(f"{number} {what}" for what, number in sorted(seen.items()))
        print(f"{dialect:9} {shown}; {len(found)} finds", flush=True)
        print("\n".join(found[:20]), flush=True)
        finds += found
    if finds:
        sys.exit(1)


def attack(dialect: str, start: int, count: int, seconds: float) -> tuple[Counter[str], list[str]]:
    """How the DDLs of these numbers ended, and the rows that our tables alone take."""
    seen: Counter[str] = Counter()
    finds: list[str] = []
    end = time.monotonic() + seconds
    for number in range(start, start + count):
        if time.monotonic() > end:
            print(f"{dialect:9} stopped in time; go on with --dialect {dialect} --start {number}")
            break
        random = Random(f"{dialect} {number}")
        ddl = drawn(dialect, random)
        seen["DDLs"] += 1
        try:
            schema = read_schema(ddl, dialect)
            own = own_statements(schema)
        except OracleError:
            seen["not read"] += 1
            continue
        if not takes(dialect, own):
            seen["refused by the engine"] += 1
            continue
        seen["with unread clauses" if schema.unread else "read whole"] += 1
        # What was read, also where the schema's own text would be used.
        ours = create_statements(replace(schema, unread=()))
        if not takes(dialect, ours):
            finds.append(f"{dialect} {number}: our tables are refused: {ddl}")
            continue
        for _ in range(DATABASES):
            rows = insert_statements(database(schema, random), schema)
            what = (takes(dialect, [*ours, *rows]), takes(dialect, [*own, *rows]))
            seen[f"row sets {NAMES[what]}"] += 1
            if what == (True, False) and not schema.unread:
                finds.append(f"{dialect} {number}: {ddl}: {rows}")
                break
    return seen, finds


NAMES = {
    (True, True): "legal in both",
    (False, False): "legal in none",
    (True, False): "legal in ours alone",
    (False, True): "legal in the text's alone",
}


def drawn(dialect: str, random: Random) -> str:
    """A random DDL of an engine: two parents, and a table with constraints of columns and of its own."""
    columns = []
    for name in ("a", "b", "c")[: random.randint(2, 3)]:
        kind = random.choice(TYPES[dialect])
        parts = random.sample(COLUMN[dialect], random.choice((0, 0, 1, 1, 2)))
        columns.append(" ".join(part for part in (name, kind, *parts) if part).replace("{c}", name))
    one, other = random.sample(("a", "b"), 2)
    items = [*columns, *random.sample(TABLE[dialect], random.choice((0, 1, 1, 2)))]
    statement = f"CREATE TABLE t ({', '.join(items)})"
    if OPTIONS[dialect] and random.random() < 0.2:
        statement += " " + random.choice(OPTIONS[dialect])
    parents = "CREATE TABLE p (k INT PRIMARY KEY); CREATE TABLE q (x INT, y INT, PRIMARY KEY (x, y)); "
    index = "; " + random.choice(INDEXES[dialect]) if random.random() < 0.2 else ""
    return parents + (statement + index).replace("{a}", one).replace("{b}", other)


def database(schema: Schema, random: Random) -> Database:
    """Few rows with values that constraints tell apart: NULLs, letters of two cases, blanks at the end."""
    return Database({table.name: _rows(table, random) for table in schema.tables})


def _rows(table: Table, random: Random) -> tuple[tuple[Value, ...], ...]:
    def value(kind: Kind, nullable: bool) -> Value:
        if nullable and random.random() < 0.3:
            return None
        return random.choice(VALUES.get(kind, NUMBERS))

    found = [
        tuple(value(column.type.kind, column.nullable) for column in table.columns)
        for _ in range(random.choice((1, 2, 2, 3)))
    ]
    return tuple(dict.fromkeys(found)) if table.name in "pq" else tuple(found)


def takes(dialect: str, statements: tuple[str, ...] | list[str]) -> bool:
    """Whether the engine takes all the statements."""
    try:
        registry.engine(dialect).replay(statements, "SELECT 1", Settings())
    except ToolMissing:
        raise
    except Exception:  # whatever the driver raises
        return False
    return True
