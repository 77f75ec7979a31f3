"""Random schemas, and queries over them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import cast

import sqlglot
from sqlglot import exp

NUMBER, TEXT, DATE = "number", "text", "date"
TYPES = {
    "mysql": {NUMBER: ("INT", "INT", "DECIMAL(6,2)"), TEXT: ("VARCHAR(10)", "CHAR(4)"), DATE: ("DATE",)},
    "postgres": {NUMBER: ("INT", "BIGINT", "NUMERIC(6,2)"), TEXT: ("VARCHAR(10)", "TEXT"), DATE: ("DATE",)},
    "sqlite": {NUMBER: ("INTEGER", "INT", "INTEGER"), TEXT: ("TEXT", "VARCHAR(10)"), DATE: ("DATE",)},
    "duckdb": {NUMBER: ("INT", "BIGINT", "DECIMAL(6,2)"), TEXT: ("VARCHAR", "VARCHAR"), DATE: ("DATE",)},
}
CONSTANTS = {
    NUMBER: ("0", "1", "2", "3", "-1", "100"),
    TEXT: ("'a'", "'b'", "'A'", "''", "'a '", "'1'"),
    DATE: ("'2020-01-01'", "'2020-02-29'", "'2020-12-31'", "'2021-01-01'"),
}


@dataclass(frozen=True)
class Source:
    """A table, or a derived one, by an alias."""

    alias: str
    columns: tuple[tuple[str, str], ...]
    """Names and kinds."""


@dataclass(frozen=True)
class Tables:
    """A schema and what queries need of it."""

    ddl: str
    tables: dict[str, tuple[tuple[str, str], ...]]
    """By name, the columns with their kinds."""


def schema(dialect: str, random: Random) -> Tables:
    """Two or three tables with some of: keys, NOT NULL, UNIQUE, references, CHECKs."""
    tables: dict[str, tuple[tuple[str, str], ...]] = {}
    statements: list[str] = []
    for number, name in enumerate(("t", "u", "v")[: random.randint(2, 3)]):
        columns = [("id", NUMBER)]
        if number:
            columns.append(("t_id", NUMBER))
        columns += [
            (c, random.choice((NUMBER, NUMBER, TEXT, TEXT, DATE)))
            for c in ("a", "b", "c")[: random.randint(2, 3)]
        ]
        lines = []
        keyed = random.random() < 0.7
        for column, kind in columns:
            about = (
                TYPES[dialect][NUMBER][0] if column in ("id", "t_id") else random.choice(TYPES[dialect][kind])
            )
            if column == "id" and keyed:
                about += " PRIMARY KEY"
            elif (column == "t_id" and random.random() < 0.5) or random.random() < 0.35:
                about += " NOT NULL"
            elif random.random() < 0.1:
                about += " UNIQUE"
            lines.append(f"{column} {about}")
        if number and "PRIMARY KEY" in statements[0] and random.random() < 0.6:
            lines.append("FOREIGN KEY (t_id) REFERENCES t (id)")
        tables[name] = tuple(columns)
        statements.append(f"CREATE TABLE {name} ({', '.join(lines)})")
    return Tables("; ".join(statements), tables)


class Drawer:
    """Draws queries as texts."""

    def __init__(self, dialect: str, tables: Tables, random: Random) -> None:
        self.dialect, self.tables, self.random = dialect, tables, random
        self.names = 0

    def query(self, depth: int = 2) -> str:
        """A whole query."""
        roll = self.random.random()
        if roll < 0.14 and depth:
            operator = self.random.choice(("UNION", "UNION ALL", "UNION", "EXCEPT", "INTERSECT"))
            kinds = self._kinds(self.random.randint(1, 2))
            return f"{self.select(depth - 1, kinds)} {operator} {self.select(depth - 1, kinds)}"
        if roll < 0.24 and depth:
            return self.limited(depth)
        return self.select(depth)

    def limited(self, depth: int) -> str:
        """A query with ORDER BY, and perhaps LIMIT."""
        table = self.random.choice(list(self.tables.tables))
        source = Source(self._alias(), self.tables.tables[table])
        names = [f"{source.alias}.{name}" for name, _ in source.columns]
        order = self.random.choice(names)
        way = self.random.choice(("", " DESC"))
        where = f" WHERE {self.predicate([source], depth - 1)}" if self.random.random() < 0.6 else ""
        limit = f" LIMIT {self.random.randint(1, 2)}" if self.random.random() < 0.5 else ""
        chosen = order if self.random.random() < 0.6 else ", ".join(names)
        return f"SELECT {chosen} FROM {table} AS {source.alias}{where} ORDER BY {order}{way}{limit}"

    def select(self, depth: int, kinds: list[str] | None = None) -> str:
        """A SELECT with these kinds of columns, plain or grouped."""
        clause, sources = self.sources(depth)
        where = f" WHERE {self.predicate(sources, depth)}" if self.random.random() < 0.75 else ""
        kinds = kinds or self._kinds(self.random.randint(1, 3))
        if self.random.random() < 0.35:
            return self.grouped(clause + where, sources, kinds, depth)
        distinct = "DISTINCT " if self.random.random() < 0.25 else ""
        shown = ", ".join(self.scalar(kind, sources, depth) for kind in kinds)
        return f"SELECT {distinct}{shown} FROM {clause}{where}"

    def grouped(self, clause: str, sources: list[Source], kinds: list[str], depth: int) -> str:
        """Keys and aggregates, perhaps with HAVING; sometimes without keys."""
        keys = [self.column(kind, sources) for kind in kinds[: self.random.randint(0, 2)]]
        shown = [keys[i] if i < len(keys) else self.aggregate(kind, sources) for i, kind in enumerate(kinds)]
        if len(keys) >= len(kinds):
            shown.append(self.aggregate(NUMBER, sources))
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        having = ""
        if self.random.random() < 0.4:
            left = self.aggregate(NUMBER, sources)
            having = (
                f" HAVING {left} {self.random.choice(('>', '>=', '=', '<>'))} {self.random.choice('012')}"
            )
        return f"SELECT {', '.join(shown)} FROM {clause}{group}{having}"

    def sources(self, depth: int) -> tuple[str, list[Source]]:
        """A FROM clause and what it offers."""
        first, clause = self.source(depth)
        found = [first]
        while self.random.random() < 0.45 and len(found) < 3:
            other, text = self.source(depth)
            left = self.random.choice(found)
            kind = self.random.choice(("JOIN", "JOIN", "LEFT JOIN", ","))
            condition = self.link(left, other)
            if kind == ",":
                clause = f"{clause} CROSS JOIN {text}"
            else:
                extra = f" AND {self.comparison([other], 0)}" if self.random.random() < 0.2 else ""
                clause = f"{clause} {kind} {text} ON {condition}{extra}"
            found.append(other)
        return clause, found

    def source(self, depth: int) -> tuple[Source, str]:
        """A table or a derived one."""
        alias = self._alias()
        if depth > 1 and self.random.random() < 0.15:
            kinds = self._kinds(2)
            inner = self._named(self.select(0, kinds))
            return Source(alias, (("p", kinds[0]), ("q", kinds[1]))), f"({inner}) AS {alias}"
        table = self.random.choice(list(self.tables.tables))
        return Source(alias, self.tables.tables[table]), f"{table} AS {alias}"

    def _named(self, text: str) -> str:
        tree = cast(exp.Select, sqlglot.parse_one(text, read=self.dialect))
        names = iter(("p", "q", "r", "s"))
        tree.set("expressions", [exp.alias_(e.copy(), next(names)) for e in tree.expressions[:4]])
        return tree.sql(dialect=self.dialect)

    def link(self, left: Source, right: Source) -> str:
        """An equation between two sources."""
        pairs = [(a, b) for a, k in left.columns for b, m in right.columns if k == m]
        keys = [(a, b) for a, b in pairs if {a, b} & {"id", "t_id"}]
        if not pairs:
            return "1 = 1"
        one, other = self.random.choice(keys if keys and self.random.random() < 0.7 else pairs)
        return f"{left.alias}.{one} = {right.alias}.{other}"

    def column(self, kind: str, sources: list[Source]) -> str:
        """A column of this kind, or a constant where there is none."""
        found = [f"{s.alias}.{name}" for s in sources for name, k in s.columns if k == kind]
        return self.random.choice(found) if found else f"{sources[0].alias}.{sources[0].columns[0][0]}"

    def scalar(self, kind: str, sources: list[Source], depth: int) -> str:
        """A value."""
        roll = self.random.random()
        column = self.column(kind, sources)
        if roll < 0.62:
            return column
        if roll < 0.68:
            return self.random.choice(CONSTANTS[NUMBER])
        if kind == NUMBER and roll < 0.84:
            other = self.random.choice((self.column(NUMBER, sources), self.random.choice(("1", "2", "0"))))
            return self.random.choice(
                (
                    f"{column} + {other}",
                    f"{column} - {other}",
                    f"{column} * {other}",
                    f"COALESCE({column}, 0)",
                    f"ABS({column})",
                    f"NULLIF({column}, 1)",
                    f"-{column}",
                )
            )
        if kind == TEXT and roll < 0.84:
            return self.random.choice(
                (f"UPPER({column})", f"COALESCE({column}, 'a')", f"CONCAT({column}, 'x')", f"LOWER({column})")
            )
        if depth and roll < 0.9:
            return f"({self.scalar_subquery(sources)})"
        return f"CASE WHEN {self.predicate(sources, 0)} THEN {column} END"

    def scalar_subquery(self, sources: list[Source]) -> str:
        table = self.random.choice(list(self.tables.tables))
        inner = Source(self._alias(), self.tables.tables[table])
        condition = self.link(self.random.choice(sources), inner)
        return f"SELECT {self.aggregate(NUMBER, [inner])} FROM {table} AS {inner.alias} WHERE {condition}"

    def aggregate(self, kind: str, sources: list[Source]) -> str:
        """An aggregate."""
        column = self.column(kind, sources)
        any_column = self.column(self.random.choice((NUMBER, TEXT, DATE)), sources)
        if kind != NUMBER:
            return f"{self.random.choice(('MIN', 'MAX'))}({column})"
        return self.random.choice(
            (
                "COUNT(*)",
                f"COUNT({any_column})",
                f"COUNT(DISTINCT {any_column})",
                f"SUM({column})",
                f"MIN({column})",
                f"MAX({column})",
                f"SUM(CASE WHEN {self.comparison(sources, 0)} THEN 1 ELSE 0 END)",
                f"AVG({column})",
            )
        )

    def predicate(self, sources: list[Source], depth: int) -> str:
        """A condition."""
        roll = self.random.random()
        if roll < 0.2:
            operator = self.random.choice(("AND", "AND", "OR"))
            return (
                f"({self.predicate(sources, depth - 1)} {operator} {self.predicate(sources, depth - 1)})"
                if depth > 0
                else self.comparison(sources, 0)
            )
        if roll < 0.28:
            return f"NOT ({self.comparison(sources, depth)})"
        if roll < 0.5 and depth > 0:
            return self.subquery_condition(sources)
        return self.comparison(sources, depth)

    def subquery_condition(self, sources: list[Source]) -> str:
        table = self.random.choice(list(self.tables.tables))
        inner = Source(self._alias(), self.tables.tables[table])
        outer = self.random.choice(sources)
        link = self.link(outer, inner)
        left, _, right = link.partition(" = ")
        extra = f" AND {self.comparison([inner], 0)}" if self.random.random() < 0.4 else ""
        no = self.random.choice(("", "", "NOT "))
        if right in ("", "1") or self.random.random() < 0.5:
            return f"{no}EXISTS (SELECT 1 FROM {table} AS {inner.alias} WHERE {link}{extra})"
        where = f" WHERE {self.comparison([inner], 0)}" if self.random.random() < 0.5 else ""
        return f"{left} {no}IN (SELECT {right} FROM {table} AS {inner.alias}{where})"

    def comparison(self, sources: list[Source], depth: int) -> str:
        """An atom."""
        kind = self.random.choice((NUMBER, NUMBER, TEXT, DATE))
        found = [f"{s.alias}.{name}" for s in sources for name, k in s.columns if k == kind]
        if not found:
            kind, found = (
                NUMBER,
                [f"{s.alias}.{n}" for s in sources for n, k in s.columns if k == NUMBER]
                or [f"{sources[0].alias}.{sources[0].columns[0][0]}"],
            )
        column = self.random.choice(found)
        constant = self.random.choice(CONSTANTS[kind])
        roll = self.random.random()
        if roll < 0.5:
            other = self.random.choice((constant, constant, self.random.choice(found)))
            return f"{column} {self.random.choice(('=', '=', '<>', '<', '<=', '>', '>='))} {other}"
        if roll < 0.62:
            return f"{column} IS {self.random.choice(('', 'NOT '))}NULL"
        if roll < 0.75:
            no, other = self.random.choice(("", "NOT ")), self.random.choice(CONSTANTS[kind])
            return f"{column} {no}IN ({constant}, {other})"
        if roll < 0.85:
            return f"{column} BETWEEN {constant} AND {self.random.choice(CONSTANTS[kind])}"
        if kind == TEXT:
            return f"{column} LIKE {self.random.choice(PATTERNS)}"
        return f"{column} >= {constant}"

    def _kinds(self, count: int) -> list[str]:
        return [self.random.choice((NUMBER, NUMBER, TEXT, DATE)) for _ in range(count)]

    def _alias(self) -> str:
        self.names += 1
        return f"x{self.names}"


PATTERNS = ("'a%'", "'%'", "'a'", "'_'", "'%b'", "'A%'")
