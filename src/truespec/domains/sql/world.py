"""The logic that queries are read into: rows, typed values with NULL, and what the schema makes true.

A table is a finite set of rows with an identity of their own, so that duplicates are distinct rows; `in_T(x)`
says that `x` is one of them. A column is a function of a row. A key has an inverse: `inv(key(x)) = x` for
every row `x` of the table, so equal keys mean the same row. Arithmetic is exact (the contract's choice).
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import z3

from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.schema import Column, Kind, Schema, Table
from truespec.domains.sql.symbols import (
    forget,
    functions,
    is_and,
    is_eq,
    is_false,
    is_ite,
    is_not,
    is_or,
    is_true,
    operands,
    remembered,
)
from truespec.solvers.limit import Limit
from truespec.solvers.z3 import Outcome, check
from truespec.verdict import Incomplete, Unsupported

Formula = Any
"""A Z3 Boolean."""
Expr = Any
"""A Z3 expression of any sort."""

TRUE = z3.BoolVal(True)
FALSE = z3.BoolVal(False)
TEXT = z3.DeclareSort("Text")
"""Texts by their bytes; nothing but equality is built in."""

NUMBERS = ("int", "real", "loose")
"""Kinds of number: what the engine computes as an integer, what it computes as a fraction, and what it may
compute as either, as SQLite does by the value stored and PostgreSQL by the width of the integers summed. The
last two are rationals here. Only division and text tell the kinds apart, and neither is read for the last.
"""
BOOLEANS = ("postgres", "duckdb")
"""The dialects in which a Boolean is no number; in the others it is 1 or 0."""
_SORTS = {
    "int": z3.IntSort(),
    "real": z3.RealSort(),
    "loose": z3.RealSort(),
    "bool": z3.BoolSort(),
    "text": TEXT,
    "date": z3.IntSort(),
    "datetime": z3.IntSort(),
    "time": z3.IntSort(),
    "class": z3.RealSort(),
}
"""Kinds of value: dates count days, moments count microseconds; `class` is a text up to its collation."""

DAY = 86_400_000_000
"""Microseconds in a day."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try, in Z3's resource units and not in seconds: a busy machine changes no answer."""

    statement: int
    """For one statement; 400 000 are some 0.2 s of processor time."""
    statements: int
    """How many statements."""


FULL = Effort(400_000, 3_000)
"""Nearly all statements that are proved take a sixth of it."""
BRIEF = Effort(60_000, 24)
"""Enough for most pairs that can be proved at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Val:
    """A value that may be NULL; `val` means nothing where `null` holds."""

    null: Formula
    """Whether it is NULL."""
    val: Expr
    """The value elsewhere."""
    kind: str
    """Which family: int, real or loose (`NUMBERS`), bool, text, date, datetime, time, class, or null."""
    literal: str | None = None
    """The characters of a string literal, which other types may read."""
    sides: tuple[Formula, Formula] | None = None
    """Where a Boolean is true and where it is false, if these are known in a shorter form than by `null`."""


NULL = Val(TRUE, z3.IntVal(0), "null")
UNTYPED = "other:NULL"
"""The kind of an output that is NULL as written in every row: another side of a UNION gives it a type."""
BARE = "other:NULL column"
"""The kind of such an output seen from outside, where an engine gives it a type that is not modelled."""
ALWAYS_NULL = ("null", UNTYPED, BARE)
"""The kinds of values that are NULL in every row, and have no type that a query has written."""


SEALED = "sealed:"
"""How the kinds of values begin that are shown or tested for NULL, not compared: their `=` is no identity."""
DERIVED = " in an expression"
"""How the kinds of such values end where they are no columns any more: an engine may sort them otherwise."""
PADDED = "other:CHAR("
"""How the kinds of PostgreSQL's CHAR(n) begin: such a value is its text without the blanks at its end."""
DATED = "dated"
"""The kind of SQLite's DATE, TIME and DATETIME columns: texts, but what is written like a number is a number.

A text beside such a column becomes a number as well where it can, so that only other literals are compared.
"""
ENUM = "enum:"
"""How the kinds of ENUM columns begin; the number of the list of members follows.

Such a value is a text that is sorted by its place in the list, for as long as queries pass the column on. Any
expression over it is a text.
"""


def sort_of(kind: str) -> Any:
    """The Z3 sort of a kind."""
    if kind == DATED or kind.startswith((PADDED, ENUM)):
        return TEXT
    if kind.startswith(("other:", SEALED)):
        return z3.DeclareSort(kind.removesuffix(DERIVED))
    return _SORTS.get(kind, z3.IntSort())


def default_of(kind: str) -> Expr:
    """The value that stands where a NULL has none, so that each tuple has one representation."""
    match kind:
        case "int" | "date" | "datetime" | "time" | "null":
            return z3.IntVal(0)
        case "real" | "loose" | "class":
            return z3.RealVal(0)
        case "bool":
            return FALSE
        case _:
            shown = "text" if kind.startswith(ENUM) else kind.removesuffix(DERIVED)
            return z3.Const(f"nil!{shown}", sort_of(shown))


def conj(*parts: Formula) -> Formula:
    """Conjunction, folded where a part is constant."""
    kept = []
    for part in parts:
        if is_false(part):
            return FALSE
        if not is_true(part):
            kept.append(part)
    return z3.And(*kept) if len(kept) > 1 else kept[0] if kept else TRUE


def disj(*parts: Formula) -> Formula:
    """Disjunction, folded where a part is constant."""
    kept = []
    for part in parts:
        if is_true(part):
            return TRUE
        if not is_false(part):
            kept.append(part)
    return z3.Or(*kept) if len(kept) > 1 else kept[0] if kept else FALSE


def neg(part: Formula) -> Formula:
    """Negation, folded where the part is constant or a negation."""
    if is_true(part):
        return FALSE
    if is_false(part):
        return TRUE
    return part.arg(0) if is_not(part) else z3.Not(part)


def ite(test: Formula, yes: Expr, no: Expr) -> Expr:
    """If-then-else, folded where the test is constant or the branches agree."""
    if is_true(test) or yes.eq(no):
        return yes
    if is_false(test):
        return no
    if any(map(is_truth, (yes, no))):
        return disj(conj(test, yes), conj(neg(test), no)) if not is_true(no) else disj(neg(test), yes)
    return z3.If(test, yes, no)


@remembered
def folded(expression: Expr) -> Expr:
    """Boolean constants folded away, and equalities of literals; nothing else changes its form."""
    result = expression
    if z3.is_app(expression) and expression.num_args() > 0:
        parts = [folded(part) for part in operands(expression)]
        if is_and(expression):
            result = conj(*parts)
        elif is_or(expression):
            result = disj(*parts)
        elif is_not(expression):
            result = neg(parts[0])
        elif is_ite(expression):
            result = ite(*parts)
        elif is_eq(expression) and z3.is_bool(parts[0]) and any(map(is_truth, parts)):
            truth, other = parts if is_truth(parts[0]) else reversed(parts)
            result = other if is_true(truth) else neg(other)
        elif is_eq(expression) and parts[0].eq(parts[1]):
            result = TRUE
        elif is_eq(expression) and all(z3.is_int_value(p) or z3.is_rational_value(p) for p in parts):
            result = z3.simplify(parts[0] == parts[1])
        elif any(not a.eq(b) for a, b in zip(parts, operands(expression), strict=True)):
            result = rebuilt(expression, parts)
    return result


def is_truth(expression: Expr) -> bool:
    return bool(is_true(expression) or is_false(expression))


def rebuilt(node: Expr, children: list[Expr]) -> Expr:
    """The application with other arguments."""
    if is_and(node):
        return z3.And(*children)
    if is_or(node):
        return z3.Or(*children)
    if z3.is_add(node):
        return z3.Sum(*children)
    if z3.is_mul(node):
        return z3.Product(*children)
    return node.decl()(*children)


def type_of(value: Val) -> str:
    """The type of a value that is shown alone, for messages."""
    return value.kind.removeprefix(SEALED).removesuffix(DERIVED)


def check_compared(values: Iterable[Val]) -> None:
    """`Unsupported` where a value is compared, grouped or counted whose `=` is not identity."""
    for value in values:
        if value.kind.startswith(SEALED):
            raise Unsupported(f"sql: a comparison of values of type {type_of(value)}")


def computed(value: Val) -> Val:
    """What an expression makes of a value that it passes on: of an ENUM its text."""
    if value.kind.startswith(ENUM):
        return replace(value, kind="text")
    if value.kind.startswith(SEALED) and not value.kind.endswith(DERIVED):
        return replace(value, kind=value.kind + DERIVED)
    return value


def identical(left: Val, right: Val) -> Formula:
    """Both NULL, or both the same value: how results are compared."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return conj(left.null, right.null)
    left, right = computed(left), computed(right)
    if left.kind != right.kind and not {left.kind, right.kind} <= {"text", DATED}:
        left, right = numeric(left), numeric(right)
        if left.kind != right.kind:
            left, right = to_real(left), to_real(right)
    same = left.val == right.val
    return disj(conj(left.null, right.null), conj(neg(left.null), neg(right.null), same))


def all_identical(left: Iterable[Val], right: Iterable[Val]) -> Formula:
    """Tuples compared by position."""
    return conj(*(identical(a, b) for a, b in zip(left, right, strict=True)))


def numeric(value: Val) -> Val:
    """A Boolean as 1 or 0; a number as itself."""
    if value.kind == "bool":
        return Val(value.null, ite(value.val, z3.IntVal(1), z3.IntVal(0)), "int")
    if value.kind == "null":
        return Val(TRUE, z3.IntVal(0), "int")
    if value.kind not in NUMBERS:
        raise Unsupported(
            f"sql: a value of type {value.kind.removeprefix('other:')} where a number is needed"
        )
    return value


def to_real(value: Val) -> Val:
    """A number as a rational, for comparing."""
    value = numeric(value)
    return value if value.kind == "real" else Val(value.null, real(value.val), "real")


def together(left: Val, right: Val) -> tuple[Val, Val]:
    """Two numbers as the kind that a sum, difference or product of them has."""
    if left.kind == right.kind:
        return left, right
    kind = "real" if "real" in (left.kind, right.kind) else "loose"
    return Val(left.null, real(left.val), kind), Val(right.null, real(right.val), kind)


def united(kinds: set[str], dialect: str) -> str:
    """The kind of a value that is a number of one of these kinds: SQLite keeps each as it is."""
    if len(kinds) == 1:
        return next(iter(kinds))
    return "real" if "real" in kinds and dialect != "sqlite" else "loose"


def real(value: Expr) -> Expr:
    """An integer expression as a rational one."""
    if z3.is_int_value(value):
        return z3.RealVal(value.as_long())
    return z3.ToReal(value) if value.sort() == z3.IntSort() else value


def membership(row: Expr, table: Table) -> Formula:
    """Whether `row` is a row of `table`."""
    return z3.Function(f"rows {table.name.lower()}", row.sort(), z3.BoolSort())(row)


class World:
    """Sorts, functions and axioms for one schema; counts the proofs made in it."""

    def __init__(self, schema: Schema, settings: Settings, limit: Limit, effort: Effort = FULL) -> None:
        dialect = schema.dialect
        self.schema = schema
        self.dialect = dialect
        self.settings = settings
        self.limit = limit
        self.effort = effort
        self.shortened = False
        """Whether more effort might have given another answer."""
        self.collated = dialect == "mysql"
        self.fractional = dialect == "mysql" and any(
            c.type.kind in (Kind.DATETIME, Kind.TIME) and "(" in (c.type.sql or "")
            for t in schema.tables
            for c in t.columns
        )
        """Whether moments may hold fractions of seconds, so that equal ones may differ in precision."""
        enums = [c.type.values for t in schema.tables for c in t.columns if c.type.kind is Kind.ENUM]
        self.enums = {members: f"{ENUM}{place}" for place, members in enumerate(dict.fromkeys(enums))}
        """The kinds of ENUM columns, by their members."""
        forget()
        self._fresh = itertools.count(1)
        self._texts: dict[str, Expr] = {}
        self._axioms: dict[str, list[Formula]] = {}
        self._columns: dict[tuple[str, str], tuple[Any, Any, str]] = {}
        self._dates: set[int] = set()
        self._cache: dict[tuple[int, int], tuple[Any, Any, bool]] = {}
        self.obligations: list[str] = []
        self.trail: list[str] = []
        self.calls = 0
        self.extra_axioms: Any = lambda names: []

    # Rows and columns

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

    def column(self, table: Table, column: Column, row: Expr) -> Val:
        """The value of a column in a row."""
        key = (table.name, column.name)
        if key not in self._columns:
            name = f"column {table.name}.{column.name}".lower()
            kind = self.kind_of(column)
            sort = self.row_sort(table)
            value = z3.Function(name, sort, sort_of(kind))
            null = z3.Function(f"null {name}", sort, z3.BoolSort()) if column.nullable else None
            self._columns[key] = (value, null, kind)
        value, null, kind = self._columns[key]
        return Val(FALSE if null is None else null(row), value(row), kind)

    def scale(self, function: str) -> int | None:
        """The digits after the point of a column's values, by its function, if the type says."""
        if self.dialect == "sqlite" or not function.startswith("column "):
            return None
        for (table, column), (value, _, _) in self._columns.items():
            if value.name() == function:
                declared = self.schema.table(table).column(column).type
                return declared.scale if declared.kind is Kind.DECIMAL else None
        return None

    def kind_of(self, column: Column) -> str:
        """The kind of a column's values in this dialect."""
        if column.type.sealed:
            return f"{SEALED}{column.type.sql or 'untyped'}"
        match column.type.kind:
            case Kind.INT:
                return "int"
            case Kind.DECIMAL if self.dialect == "sqlite":
                return "loose"
            case Kind.DECIMAL | Kind.FLOAT:
                return "real"
            case Kind.BOOL:
                # Elsewhere there is no such type: the column holds any small integer.
                return "bool" if self.dialect in BOOLEANS else "int"
            case Kind.TEXT if self.dialect == "postgres" and column.type.sql.upper().startswith("CHAR"):
                return f"{PADDED}{column.type.precision or 1})"
            case Kind.ENUM:
                return self.enums[column.type.values]
            case Kind.TEXT:
                return "text"
            case Kind.DATE | Kind.DATETIME | Kind.TIME if self.dialect == "sqlite":
                return DATED
            case Kind.DATE:
                return "date"
            case Kind.DATETIME:
                return "datetime"
            case _:
                return f"other:{column.type.sql or 'untyped'}"

    def inverse(self, table: Table, key: tuple[str, ...], keys: tuple[Expr, ...]) -> Expr:
        """The row whose key has these values, where there is one."""
        name = f"inv.{table.name}.{'.'.join(key)}".lower()
        sorts = [expression.sort() for expression in keys]
        return z3.Function(name, *sorts, self.row_sort(table))(*keys)

    def key_expression(self, value: Val) -> Expr:
        """What two values share exactly when SQL calls them equal."""
        return self.collation(value.val) if computed(value).kind == "text" and self.collated else value.val

    # Literals

    def text(self, literal: str) -> Expr:
        """A string literal."""
        if literal not in self._texts:
            self._texts[literal] = z3.Const(f"text!{len(self._texts)}", TEXT)
        return self._texts[literal]

    def collation(self, text: Expr) -> Expr:
        """The class of a text under the dialect's equality and order."""
        return z3.Function("collate", TEXT, z3.RealSort())(text)

    def place(self, value: Val) -> Val:
        """The place of an ENUM's value among the members, by which it is sorted."""
        return Val(value.null, z3.Function(f"place {value.kind}", TEXT, z3.IntSort())(value.val), "int")

    def note_date(self, days: int) -> None:
        """Remember a date literal: facts about its year and month become available."""
        self._dates.add(days)

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
            if column.type.kind is Kind.ENUM and not column.type.sealed:
                value = self.column(table, column, row)
                member = disj(*(value.val == self.text(text) for text in column.type.values))
                facts.append(
                    z3.ForAll([row], z3.Implies(conj(inside, neg(value.null)), member), patterns=[inside])
                )
        for check_sql in table.checks:
            facts += self._check_axiom(table, check_sql)
        return facts

    def _referred(self, child: Column, parent: Column) -> bool:
        """Whether a foreign key from one column to another means that values are equal.

        InnoDB compares what it stores: ENUMs by position, DECIMALs without their point, moments as bytes.
        Only texts and integers are stored alike in all types that it lets refer to one another.
        """
        kind = self.kind_of(child)
        if kind != self.kind_of(parent) or kind.startswith(SEALED):
            return False
        if self.dialect != "mysql" or kind in ("int", "text") or kind.startswith(ENUM):
            return True
        return child.type.sql.upper() == parent.type.sql.upper()

    def _check_axiom(self, table: Table, sql: str) -> list[Formula]:
        from truespec.domains.sql.query import compile_check

        row = self.fresh_row(table)
        condition = compile_check(self, table, sql, row)
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
            for table in self.schema.tables:
                label = f"table {table.name}"
                if label not in done and f"rows {table.name.lower()}" in names:
                    done.add(label)
                    if label not in self._axioms:
                        self._axioms[label] = self._table_axioms(table)
                    pending += self._axioms[label]
            pending += self.extra_axioms(new)
            facts += pending
        facts += self._text_facts(names)
        facts += self._date_facts(names)
        return facts

    def _text_facts(self, names: set[str]) -> list[Formula]:
        used = {text: const for text, const in self._texts.items() if const.decl().name() in names}
        facts: list[Formula] = []
        if len(used) > 1:
            facts.append(z3.Distinct(*used.values()))
        for members, kind in self.enums.items():
            if f"place {kind}" in names:
                for place, member in enumerate(members, 1):
                    if member in used:
                        facts.append(self.place(Val(FALSE, used[member], kind)).val == place)
        if "collate" in names:
            if self.collated:
                # The default collations agree on ASCII: case and trailing blanks do not count.
                plain = [text for text in used if text.isascii() and text.isprintable()]
                for left, right in itertools.combinations(plain, 2):
                    same = left.lower().rstrip(" ") == right.lower().rstrip(" ")
                    equal = self.collation(used[left]) == self.collation(used[right])
                    facts.append(equal if same else z3.Not(equal))
            else:
                text = z3.Const("any!text", TEXT)
                back = z3.Function("uncollate", z3.RealSort(), TEXT)
                facts.append(
                    z3.ForAll([text], back(self.collation(text)) == text, patterns=[self.collation(text)])
                )
        return facts

    def _date_facts(self, names: set[str]) -> list[Formula]:
        facts: list[Formula] = []
        day = z3.Int("day!")
        years = {datetime.date.fromordinal(days).year for days in self._dates}
        if "year" in names and years:
            year = z3.Function("year", z3.IntSort(), z3.IntSort())(day)
            bounds = []
            for number in sorted({y for base in years for y in (base, base + 1)}):
                if 1 <= number <= 9999:
                    first = datetime.date(number, 1, 1).toordinal()
                    bounds.append((year >= number) == (day >= first))
            facts.append(z3.ForAll([day], conj(*bounds), patterns=[year]))
        if "yearmonth" in names:
            months = {(d.year, d.month) for d in map(datetime.date.fromordinal, self._dates)}
            both = z3.Function("yearmonth", z3.IntSort(), z3.IntSort())(day)
            bounds = []
            for y, m in sorted(months | {(y + m // 12, m % 12 + 1) for y, m in months}):
                if 1 <= y <= 9999:
                    bounds.append((both >= y * 12 + m) == (day >= datetime.date(y, m, 1).toordinal()))
            facts.append(z3.ForAll([day], conj(*bounds), patterns=[both]))
        return facts

    # Proof

    def holds(self, assumption: Formula, goal: Formula, share: int = 1) -> bool:
        """Whether the schema and the assumption make the goal true; False also where Z3 gives up.

        `share` divides the effort.
        """
        goal, assumption = z3.simplify(goal), z3.simplify(assumption)
        key = (goal.get_id(), assumption.get_id())
        if is_true(goal) or is_false(assumption):
            proved = self.known(True)
        elif key in self._cache:
            proved = self.known(self._cache[key][2])
        else:
            self.calls += 1
            if self.calls > self.effort.statements:
                self.shortened = True
                raise Incomplete(f"sql: the proof took more than {self.effort.statements} statements")
            proved = self.decided(assumption, goal, self.effort.statement // share)
            self._cache[key] = (goal, assumption, proved)
        self.trail.append("1" if proved else "0")
        return proved

    def known(self, proved: bool) -> bool:
        """An answer that needs no solver."""
        return proved

    def decided(self, assumption: Formula, goal: Formula, effort: int) -> bool:
        """Ask Z3 for a proof; False where it finds none with this effort."""
        solver = z3.Solver()
        solver.set("rlimit", effort)
        solver.add(*self.axioms([assumption, goal]), assumption, z3.Not(goal))
        outcome = check(solver, self.limit)
        self.limit.check()
        self.shortened |= outcome is Outcome.UNKNOWN
        if outcome is Outcome.UNSAT:
            self.obligations.append(solver.to_smt2())
        return outcome is Outcome.UNSAT

    def impossible(self, condition: Formula, share: int = 1) -> bool:
        """Whether the schema rules the condition out."""
        return self.holds(condition, FALSE, share)


def number(text: str) -> Val:
    """A numeric literal."""
    mantissa, _, exponent = text.lower().partition("e")
    if len(text) > 400 or (exponent and abs(int(exponent)) > 400):
        raise Unsupported(f"sql: the number {text[:20]}... is too long")
    if not exponent and mantissa.isdigit():
        if int(text) >= 2**63:
            raise Unsupported(f"sql: the number {text[:20]}... is beyond the engine's integers")
        return Val(FALSE, z3.IntVal(int(text)), "int")
    value = Fraction(text)
    return Val(FALSE, z3.RealVal(str(value)), "real")
