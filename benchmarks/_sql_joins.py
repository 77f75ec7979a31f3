"""Drawn joins of tables with themselves, under aggregates that count and aggregates that do not.

A query is drawn as its parts, and rewritten part by part: most steps keep the meaning, some do not, and which
of them do is no claim of this file. Rows get new names in another order; some go into EXISTS, exchange their
roles, or are joined twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

SCHEMA = """
CREATE TABLE emp (id INT PRIMARY KEY, dept INT, sal INT NOT NULL, boss INT);
CREATE TABLE visit (who INT, spent INT, day DATE);
CREATE TABLE dept (id INT PRIMARY KEY, head INT UNIQUE, name VARCHAR(10));
"""
COLUMNS = {"emp": ("id", "dept", "sal", "boss"), "visit": ("who", "spent"), "dept": ("id", "head")}
Column = tuple[str, str]
"""A row's name and one of its columns."""


@dataclass(frozen=True)
class Drawn:
    """A query over joined tables, as its parts."""

    rows: tuple[tuple[str, str], ...]
    """Names with their tables."""
    edges: tuple[tuple[Column, str, Column], ...]
    """What ON or WHERE says of two columns."""
    filters: tuple[tuple[Column, str], ...]
    """What WHERE says of one column."""
    outs: tuple[tuple[str, Column], ...]
    """Aggregates, as a format with one place, with their columns."""
    group: tuple[Column, ...] = ()
    """GROUP BY."""
    inside: frozenset[str] = field(default_factory=frozenset)
    """Names whose rows are asked for by EXISTS."""
    joined: bool = False
    """Whether it is written by JOIN ... ON."""

    def text(self) -> str:
        """The query."""
        outer = [(name, table) for name, table in self.rows if name not in self.inside]
        names = {name for name, _ in outer}
        edges = [edge for edge in self.edges if {edge[0][0], edge[2][0]} <= names]
        filters = [one for one in self.filters if one[0][0] in names]
        heads = [_column(one) for one in self.group] + [form.format(_column(one)) for form, one in self.outs]
        where = [f"{_column(one)} {test}" for one, test in filters]
        if self.joined:
            source, shown = f"{outer[0][1]} {outer[0][0]}", {outer[0][0]}
            for name, table in outer[1:]:
                shown.add(name)
                now = [e for e in edges if {e[0][0], e[2][0]} <= shown and name in (e[0][0], e[2][0])]
                source += f" JOIN {table} {name} ON {' AND '.join(map(_edge, now)) or '1 = 1'}"
        else:
            source = ", ".join(f"{table} {name}" for name, table in outer)
            where = [*map(_edge, edges), *where]
        if self.inside:
            where.append(self._exists())
        text = f"SELECT {', '.join(heads)} FROM {source}"
        text += f" WHERE {' AND '.join(where)}" if where else ""
        return text + (f" GROUP BY {', '.join(map(_column, self.group))}" if self.group else "")

    def _exists(self) -> str:
        inner = [(name, table) for name, table in self.rows if name in self.inside]
        edges = [edge for edge in self.edges if {edge[0][0], edge[2][0]} & self.inside]
        tests = [*map(_edge, edges), *(f"{_column(c)} {t}" for c, t in self.filters if c[0] in self.inside)]
        source = ", ".join(f"{table} {name}" for name, table in inner)
        return f"EXISTS (SELECT 1 FROM {source} WHERE {' AND '.join(tests) or '1 = 1'})"


def _column(one: Column) -> str:
    return f"{one[0]}.{one[1]}"


def _edge(edge: tuple[Column, str, Column]) -> str:
    return f"{_column(edge[0])} {edge[1]} {_column(edge[2])}"


def drawn(chance: random.Random, aggregates: Sequence[str]) -> Drawn:
    """A query over two to five rows, mostly of one table."""
    main = chance.choice(tuple(COLUMNS))
    tables = [main, *(chance.choice((main, main, *COLUMNS)) for _ in range(chance.randint(1, 4)))]
    rows = tuple((f"{'abcde'[place]}", table) for place, table in enumerate(tables))

    def column(row: tuple[str, str]) -> Column:
        return row[0], chance.choice(COLUMNS[row[1]])

    edges = []
    for place in range(1, len(rows)):
        other = chance.choice(rows[:place])
        edges.append((column(rows[place]), chance.choice(("=", "=", "=", "<", "<>")), column(other)))
    filters = [(column(chance.choice(rows)), chance.choice(("= 1", "> 0", "IS NULL", "IS NOT NULL")))]
    outs = [(chance.choice(aggregates), column(chance.choice(rows))) for _ in range(chance.randint(1, 2))]
    group = (column(chance.choice(rows)),) if chance.random() < 0.4 else ()
    return Drawn(rows, tuple(edges), tuple(filters if chance.random() < 0.5 else ()), tuple(outs), group)


def rewritten(chance: random.Random, query: Drawn, aggregates: Sequence[str]) -> Drawn:
    """The query in other words; in half of the cases with a slip, or a step that may be one."""
    rows, edges = list(query.rows), list(query.edges)
    chance.shuffle(rows)
    chance.shuffle(edges)
    turned = {"=": "=", "<>": "<>", "<": ">"}
    edges = [(r, turned[o], left) if chance.random() < 0.5 else (left, o, r) for left, o, r in edges]
    query = replace(query, rows=tuple(rows), edges=tuple(edges), joined=chance.random() < 0.5)
    for _ in range(chance.choice((0, 1, 1, 2))):
        query = chance.choice(STEPS)(chance, query, aggregates)
    # New names in another order, so that nothing can be read off them.
    names = [name for name, _ in query.rows]
    other = dict(zip(names, chance.sample("pqrstuvw", len(names)), strict=True))

    def moved(one: Column) -> Column:
        return other[one[0]], one[1]

    return replace(
        query,
        rows=tuple((other[name], table) for name, table in query.rows),
        edges=tuple((moved(left), op, moved(right)) for left, op, right in query.edges),
        filters=tuple((moved(one), test) for one, test in query.filters),
        outs=tuple((form, moved(one)) for form, one in query.outs),
        group=tuple(map(moved, query.group)),
        inside=frozenset(other[name] for name in query.inside),
    )


def _hidden(chance: random.Random, query: Drawn, _: Sequence[str]) -> Drawn:
    """Rows that nothing is put out of go into EXISTS."""
    shown = {one[0] for _, one in query.outs} | {one[0] for one in query.group}
    rest = [name for name, _ in query.rows if name not in shown]
    if not rest or len(rest) == len(query.rows):
        return query
    return replace(query, inside=frozenset(rest if chance.random() < 0.7 else rest[:1]))


def _exchanged(chance: random.Random, query: Drawn, _: Sequence[str]) -> Drawn:
    """Two rows exchange their roles in the outputs."""
    a, b = chance.sample([name for name, _ in query.rows], 2)
    tables = dict(query.rows)
    swap = {a: b, b: a} if tables[a] == tables[b] else {}
    outs = tuple((form, (swap.get(one[0], one[0]), one[1])) for form, one in query.outs)
    return query if query.inside else replace(query, outs=outs)


def _edge_changed(chance: random.Random, query: Drawn, _: Sequence[str]) -> Drawn:
    """One edge says something else of the same rows."""
    edges = list(query.edges)
    place = chance.randrange(len(edges))
    left, op, right = edges[place]
    tables = dict(query.rows)
    edges[place] = left, op, (right[0], chance.choice(COLUMNS[tables[right[0]]]))
    return replace(query, edges=tuple(edges))


def _other_aggregate(chance: random.Random, query: Drawn, aggregates: Sequence[str]) -> Drawn:
    return replace(query, outs=((chance.choice(aggregates), query.outs[0][1]), *query.outs[1:]))


def _multiplied(chance: random.Random, query: Drawn, _: Sequence[str]) -> Drawn:
    """One more row that repeats another's edge."""
    left, op, right = chance.choice(query.edges)
    tables = dict(query.rows)
    if "z" in tables or query.inside:
        return query
    rows = (*query.rows, ("z", tables[left[0]]))
    return replace(query, rows=rows, edges=(*query.edges, (("z", left[1]), op, right)))


def _named_by_equal(chance: random.Random, query: Drawn, _: Sequence[str]) -> Drawn:
    """An output names the other side of an equation."""
    equal = [(left, right) for left, op, right in query.edges if op == "="]
    pairs = dict(equal) | {right: left for left, right in equal}
    outs = tuple((form, pairs.get(one, one)) for form, one in query.outs)
    return query if query.inside else replace(query, outs=outs)


Step = Callable[[random.Random, Drawn, Sequence[str]], Drawn]
STEPS: tuple[Step, ...] = (
    _hidden,
    _hidden,
    _exchanged,
    _edge_changed,
    _other_aggregate,
    _multiplied,
    _named_by_equal,
)


def pair(chance: random.Random) -> tuple[str, str]:
    """Two queries over `SCHEMA`."""
    forms = (
        "MIN({})",
        "MAX({})",
        "MAX({})",
        "SUM({})",
        "COUNT({})",
        "COUNT(DISTINCT {})",
        "SUM(DISTINCT {})",
    )
    query = drawn(chance, forms)
    return query.text(), rewritten(chance, query, forms).text()
