"""The world of one schema: its rows and columns, what is true of them, and what follows.

A table is a finite set of rows with an identity of their own, so that duplicates are distinct rows; `in_T(x)`
says that `x` is one of them. A column is a function of a row. A key has an inverse: `inv(key(x)) = x` for
every row `x` of the table, so equal keys mean the same row. Arithmetic is exact (the contract's choice).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import z3

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir import ordered_types
from truespec.domains.sql.ir.asking import IN_NUMBERS, IN_STEPS, PLAIN, ask, glance
from truespec.domains.sql.ir.cases import in_capitals
from truespec.domains.sql.ir.effort import FULL, Effort, Pause
from truespec.domains.sql.ir.facts import collation, date_facts, emptiness, place_of, taken_out, text_facts
from truespec.domains.sql.ir.iso_dates import iso_facts
from truespec.domains.sql.ir.kinds import (
    BOOL,
    DATE,
    DATED,
    DATETIME,
    INT,
    LOOSE,
    REAL,
    TEXT,
    TEXT_SORT,
    Enumerated,
    Kind,
    Other,
    Sealed,
    enumerated,
    padded,
)
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, disj, neg
from truespec.domains.sql.ir.symbols import functions, is_false, is_true, quantifier_depth
from truespec.domains.sql.ir.values import Val, computed
from truespec.domains.sql.schema import Column, Schema, Table
from truespec.domains.sql.schema import Kind as ColumnKind
from truespec.solvers.limit import Limit
from truespec.solvers.z3 import Outcome, apart, begin_anew
from truespec.verdict import Incomplete

ReadCheck = Callable[["World", Table, str, Expr], Val | None]
"""Reads the text of a CHECK condition on a row; None where it is not modelled, which only loses proofs."""


PROVED, DENIED, OPEN = "1", "x", "0"
"""What a trail says of a statement: it is proved, more effort is not worth it (`ask`), or neither."""
SECOND = 1_000_000
"""Microseconds in a second."""


def membership(row: Expr, table: Table) -> Formula:
    """Whether `row` is a row of `table`."""
    return z3.Function(f"rows {table.name.lower()}", row.sort(), z3.BoolSort())(row)


def inverse_name(table: Table, key: tuple[str, ...]) -> str:
    """What the function is called from the values of a key to the row that has them."""
    return f"inv.{table.name}.{'.'.join(key)}".lower()


class World:
    """Sorts, functions and axioms for one schema; counts the proofs made in it."""

    def __init__(self, schema: Schema, settings: Settings, limit: Limit, effort: Effort = FULL) -> None:
        self.schema = schema
        self.dialect = DIALECTS[schema.dialect]
        self.settings = settings
        self.limit = limit
        self.effort = effort
        self.pause: Pause | None = None
        """What a proof that has only begun waits for once."""
        self.shortened = False
        """Whether more effort might have given another answer."""
        self.unanswered = 0
        """How many statements Z3 gave up."""
        self.months_met = False
        """Whether constants that begin months were read as a group, each as a day or a moment."""
        self.by_months = False
        """Whether such constants are read as the beginnings of months that are given by their numbers."""
        self.in_steps = False
        """Whether rows are known to follow one another, so that Z3 has to be kept from going on for ever."""
        self.in_numbers = False
        """Whether rows are told by their numbers, which Z3 may miss one way and see another."""
        self.to_the_second = False
        """Whether a moment is written with its seconds, so that it matters which columns hold whole ones."""
        self.fractional = self.dialect.moments_have_precision and any(
            c.type.kind in (ColumnKind.DATETIME, ColumnKind.TIME) and "(" in (c.type.sql or "")
            for t in schema.tables
            for c in t.columns
        )
        """Whether moments may hold fractions of seconds, so that equal ones may differ in precision."""
        enums = [c.type.values for t in schema.tables for c in t.columns if c.type.kind is ColumnKind.ENUM]
        self.enums = {members: enumerated(place) for place, members in enumerate(dict.fromkeys(enums))}
        """The kinds of ENUM columns, by their members."""
        begin_anew()
        self._fresh = itertools.count(1)
        self.recursions = itertools.count()
        """Numbers for the relations that stand for what recursions give."""
        self.texts: dict[str, Expr] = {}
        self._axioms: dict[str, list[Formula]] = {}
        self._columns: dict[tuple[str, str], tuple[Any, Any, Kind]] = {}
        self._values: dict[tuple[str, str, int], Val] = {}
        self.adopted: dict[str, Table] = {}
        """Tables that no schema declares, with keys and references, by name (`ir/parts.py`)."""
        self._adopted_kinds: dict[Column, Kind] = {}
        self._adopted_facts: dict[str, list[Formula]] = {}
        self.dates: set[int] = set()
        self._checks = "\n".join(check for table in schema.tables for check in table.checks)
        self.dated_columns: dict[tuple[str, bool], bool] = {}
        """Whether columns of texts hold what is written as days are, or days alone, by their functions."""
        self._cache: dict[tuple[int, int], tuple[Any, Any, bool, bool]] = {}
        self.denied = False
        """Whether a model has the last statement false, so that nothing that implies it is proved."""
        self.obligations: list[str] = []
        self.trail: list[str] = []
        self.calls = 0
        self.extra_axioms: Callable[[set[str]], list[Formula]] = lambda names: []
        """What is known of the aggregates among these names; whoever names aggregates supplies it."""
        self.read_check: ReadCheck = lambda world, table, text, row: None
        """Reads CHECK conditions; whoever reads queries supplies it. Without it, proofs are lost."""

    # Rows and columns

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables: those of the schema, and those that stand for parts of queries."""
        return (*self.schema.tables, *self.adopted.values())

    def row_sort(self, table: Table) -> Any:
        """The sort of a table's rows."""
        return z3.DeclareSort(f"Row_{table.name.lower()}")

    def fresh_row(self, table: Table) -> Expr:
        """A new row variable."""
        return z3.Const(f"row.{table.name.lower()}!{next(self._fresh)}", self.row_sort(table))

    def fresh(self, sort: Any, stem: str = "v") -> Expr:
        """A new variable of a sort."""
        return z3.Const(f"{stem}!{next(self._fresh)}", sort)

    def in_table(self, table: Table, row: Expr) -> Formula:
        """Whether `row` is a row of `table`."""
        return membership(row, table)

    def adopt(self, table: Table, kinds: dict[Column, Kind], facts: Sequence[Formula] = ()) -> None:
        """Let a table be one of this world: its columns' kinds, and what its keys do not say of its rows."""
        self.adopted[table.name] = table
        self._adopted_kinds |= kinds
        self._adopted_facts[table.name] = list(facts)

    def column(self, table: Table, column: Column, row: Expr) -> Val:
        """The value of a column in a row."""
        key = (table.name, column.name)
        if key not in self._columns:
            stem = "value" if table.name in self.adopted else "column"
            name = f"{stem} {table.name}.{column.name}".lower()
            kind = self.kind_of(column)
            sort = self.row_sort(table)
            value = z3.Function(name, sort, kind.sort)
            null = z3.Function(f"null {name}", sort, z3.BoolSort()) if column.nullable else None
            self._columns[key] = (value, null, kind)
        value, null, kind = self._columns[key]
        # An expression is known by its number as long as it is held, as the value does.
        place = (*key, row.get_id())
        if place not in self._values:
            self._values[place] = Val(FALSE if null is None else null(row), value(row), kind)
        return self._values[place]

    def scale(self, function: str) -> int | None:
        """The digits after the point of a column's values, by its function, if the type says."""
        if self.dialect.numbers_typed_by_value or not function.startswith("column "):
            return None
        for (table, column), (value, _, _) in self._columns.items():
            if value.name() == function:
                declared = self.schema.table(table).column(column).type
                return declared.scale if declared.kind is ColumnKind.DECIMAL else None
        return None

    def kind_of(self, column: Column) -> Kind:
        """The kind of a column's values in this dialect."""
        dialect, declared = self.dialect, column.type
        if column in self._adopted_kinds:
            return self._adopted_kinds[column]
        if declared.sealed:
            return Sealed(f"sealed:{declared.sql or 'untyped'}")
        match declared.kind:
            case ColumnKind.INT:
                return INT
            case ColumnKind.DECIMAL if dialect.numbers_typed_by_value:
                return LOOSE
            case ColumnKind.DECIMAL | ColumnKind.FLOAT:
                return REAL
            case ColumnKind.BOOL:
                # Elsewhere there is no such type: the column holds any small integer.
                return BOOL if dialect.has_boolean_type else INT
            case ColumnKind.TEXT if dialect.char_is_padded and declared.sql.upper().startswith("CHAR"):
                return padded(declared.precision or 1)
            case ColumnKind.ENUM:
                return self.enums[declared.values]
            case ColumnKind.TEXT:
                return TEXT
            case ColumnKind.DATE | ColumnKind.DATETIME | ColumnKind.TIME if dialect.dates_are_texts:
                return DATED
            case ColumnKind.DATE:
                return DATE
            case ColumnKind.DATETIME:
                return DATETIME
            case _:
                return Other(f"other:{declared.sql or 'untyped'}")

    def inverse(self, table: Table, key: tuple[str, ...], keys: tuple[Expr, ...]) -> Expr:
        """The row whose key has these values, where there is one."""
        name = inverse_name(table, key)
        sorts = [expression.sort() for expression in keys]
        return z3.Function(name, *sorts, self.row_sort(table))(*keys)

    def key_expression(self, value: Val) -> Expr:
        """What two values share exactly when SQL calls them equal."""
        return self.collation(value.val) if self.is_collated(value) else value.val

    def is_collated(self, value: Val) -> bool:
        """Whether the collation may call this value equal to another one."""
        return self.dialect.collation_merges_texts and computed(value).kind == TEXT

    # Literals

    def text(self, literal: str) -> Expr:
        """A string literal."""
        if literal not in self.texts:
            self.texts[literal] = z3.Const(f"text!{len(self.texts)}", TEXT_SORT)
        return self.texts[literal]

    def collation(self, text: Expr) -> Expr:
        """The class of a text under the dialect's equality and order."""
        return collation(in_capitals(text) if self.dialect.collation_merges_texts else text)

    def place(self, value: Val) -> Val:
        """The place of an ENUM's value among the members, by which it is sorted."""
        return Val(value.null, place_of(value.val, value.kind), INT)

    def note_date(self, days: int) -> None:
        """Remember a date literal: facts about its year and month become available."""
        self.dates.add(days)

    # Axioms

    def _table_axioms(self, table: Table) -> list[Formula]:
        row = self.fresh_row(table)
        inside = self.in_table(table, row)
        facts: list[Formula] = []
        for key in table.unique_keys():
            values = [self.column(table, table.column(name), row) for name in key]
            known = conj(inside, *(neg(value.null) for value in values))
            back = self.inverse(table, key, tuple(self.key_expression(value) for value in values))
            facts.append(z3.ForAll([row], z3.Implies(known, back == row), patterns=[inside]))
        for foreign in table.foreign_keys:
            parent = self.schema.table(foreign.table)
            if foreign.references not in parent.unique_keys():
                continue
            children = [self.column(table, table.column(name), row) for name in foreign.columns]
            pairs = zip(foreign.columns, foreign.references, strict=True)
            if not all(self._referred(table.column(a), parent.column(b)) for a, b in pairs):
                continue
            known = conj(inside, *(neg(child.null) for child in children))
            up = self.inverse(parent, foreign.references, tuple(map(self.key_expression, children)))
            equal = [self.in_table(parent, up)]
            for name, child in zip(foreign.references, children, strict=True):
                above = self.column(parent, parent.column(name), up)
                equal += [neg(above.null), self.key_expression(above) == self.key_expression(child)]
            facts.append(z3.ForAll([row], z3.Implies(known, conj(*equal)), patterns=[inside]))
        for column in table.columns:
            if column.type.kind is ColumnKind.ENUM and not column.type.sealed:
                value = self.column(table, column, row)
                member = disj(*(value.val == self.text(text) for text in column.type.values))
                facts.append(
                    z3.ForAll([row], z3.Implies(conj(inside, neg(value.null)), member), patterns=[inside])
                )
        for check_sql in table.checks:
            facts += self._check_axiom(table, check_sql)
        return facts + self._adopted_facts.get(table.name, [])

    def _second_axioms(self, table: Table) -> list[Formula]:
        """Which columns hold whole seconds: moments without a precision, where moments have one."""
        row = self.fresh_row(table)
        inside = self.in_table(table, row)
        whole = [
            self.column(table, column, row).val % SECOND == 0
            for column in table.columns
            if column.type.kind is ColumnKind.DATETIME and "(" not in (column.type.sql or "")
        ]
        return [z3.ForAll([row], z3.Implies(inside, conj(*whole)), patterns=[inside])] if whole else []

    def _referred(self, child: Column, parent: Column) -> bool:
        """Whether a foreign key from one column to another means that values are equal.

        InnoDB compares what it stores: ENUMs by position, DECIMALs without their point, moments as bytes.
        Only texts and integers are stored alike in all types that it lets refer to one another.
        """
        kind = self.kind_of(child)
        if kind != self.kind_of(parent) or isinstance(kind, Sealed):
            return False
        if not self.dialect.foreign_keys_compare_storage:
            return True
        if kind in (INT, TEXT) or isinstance(kind, Enumerated):
            return True
        return child.type.sql.upper() == parent.type.sql.upper()

    def _check_axiom(self, table: Table, text: str) -> list[Formula]:
        row = self.fresh_row(table)
        condition = self.read_check(self, table, text, row)
        if condition is None:
            return []
        inside = self.in_table(table, row)
        holds = disj(condition.null, condition.val)
        return [z3.ForAll([row], z3.Implies(inside, holds), patterns=[inside])]

    def axioms(self, formulas: Iterable[Formula]) -> list[Formula]:
        """What the schema, the literals and the aggregates make true, as far as these formulas touch it."""
        names: set[str] = set()
        facts: list[Formula] = []
        pending = list(formulas)
        done: set[str] = set()
        while pending:
            new: set[str] = set().union(*(functions(formula) for formula in pending)) - names
            pending = []
            names |= new
            for table in self.tables:
                label = f"table {table.name}"
                if label not in done and f"rows {table.name.lower()}" in names:
                    done.add(label)
                    if label not in self._axioms:
                        self._axioms[label] = self._table_axioms(table)
                    pending += self._axioms[label]
                    if self.to_the_second and self.dialect.moments_have_precision:
                        pending += self._second_axioms(table)
            pending += self.extra_axioms(new)
            facts += pending
        facts += text_facts(self.texts, self.enums, self.dialect.collation_merges_texts, names)
        if "" in self.texts and not self.dialect.texts_end_at_nul:
            facts += emptiness(self.texts[""], names)
        if "" in self.texts and not self.dialect.collation_merges_texts:
            facts += taken_out(self.texts[""], names)
        if self.dialect.dates_are_texts:
            dated = iso_facts(self.texts, names, self._checks)
            names = names.union(*map(functions, dated))
            facts += dated
        return [*facts, *date_facts(self.dates, names), *ordered_types.facts(names)]

    # Proof

    def holds(self, assumption: Formula, goal: Formula, share: int = 1) -> bool:
        """Whether both make the goal true; False also where Z3 gives up. `share` divides the effort."""
        goal, assumption = z3.simplify(goal), z3.simplify(assumption)
        key = (goal.get_id(), assumption.get_id())
        if is_true(goal) or is_false(assumption):
            proved = self.known(True)
        elif key in self._cache:
            proved = self.known(*self._cache[key][2:])
        else:
            self.calls += 1
            if self.calls > self.effort.statements or (self.pause is not None and self.pause.due.is_over()):
                self._go_on()
            proved = self.decided(assumption, goal, self.effort.after(self.unanswered) // share)
            self._cache[key] = (goal, assumption, proved, self.denied)
        self.trail.append(PROVED if proved else DENIED if self.denied else OPEN)
        return proved

    def _go_on(self) -> None:
        """Spend full effort after a pause; raise where there is none, or earlier answers might change."""
        pause, self.pause = self.pause, None
        if pause is None or self.unanswered:
            self.shortened = True
            raise Incomplete(f"sql: the proof took more than {self.effort.statements} statements")
        with apart():
            self.limit = pause.take()
        self.effort = FULL

    def fails(self) -> bool:
        """A statement that is plain to have no proof, and is not asked: False."""
        self.trail.append(OPEN)
        return self.known(False)

    def read_anew(self) -> None:
        """Forget what was proved: where the queries are read again, names of aggregates mean other ones."""
        self._cache.clear()

    def known(self, proved: bool, denied: bool = False) -> bool:
        """An answer that needs no solver."""
        self.denied = denied
        return proved

    def decided(self, assumption: Formula, goal: Formula, effort: int) -> bool:
        """Ask Z3 for a proof; False where it finds none with this effort."""
        kind = IN_STEPS if self.in_steps else IN_NUMBERS if self.in_numbers else PLAIN
        statement = [*self.axioms([assumption, goal]), assumption, z3.Not(goal)]
        asked = ask(statement, effort, kind, self.limit)
        if not asked.ended:
            self.shortened, self.unanswered = True, self.unanswered + 1
            self.limit = self.limit if self.pause is None else self.pause.due  # it will not go on
        proved = asked.outcome is Outcome.UNSAT
        self.denied = asked.ended and not proved
        if proved:
            self.obligations.append(asked.solver.to_smt2())
        return proved

    def impossible(self, condition: Formula, share: int = 1) -> bool:
        """Whether the schema rules the condition out."""
        return self.holds(condition, FALSE, share)

    def contradictory(self, parts: Iterable[Formula]) -> bool:
        """Whether conditions exclude one another by the literals and the calendar alone.

        It proves nothing, and tells what is worth a proof: what is asked next rests on it, hence the trail.
        """
        excluded = self.excluded(parts)
        self.trail.append(PROVED if excluded else OPEN)
        return excluded

    def excluded(self, parts: Iterable[Formula]) -> bool:
        """Look for a contradiction, with little effort."""
        plain = [part for part in parts if not quantifier_depth(part)]
        names: set[str] = set().union(*map(functions, plain))
        facts = text_facts(self.texts, self.enums, self.dialect.collation_merges_texts, names)
        return glance([*facts, *date_facts(self.dates, names), *plain], self.limit) is Outcome.UNSAT
